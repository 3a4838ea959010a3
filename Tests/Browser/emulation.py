"""What Chromium can be told to be: a narrow or a zoomed window, dark, with forced colours, without motion."""


def emulate(browser, *, width=1280, height=800, zoom=1, scheme="light", forced=False, motion=True):
    """`zoom` is the browser's own: at 2 a window of 1280 px has room for 640."""
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width // zoom, "height": height // zoom, "deviceScaleFactor": zoom, "mobile": False})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "forced-colors", "value": "active" if forced else "none"},
        {"name": "prefers-reduced-motion", "value": "no-preference" if motion else "reduce"},
    ]})


def stop_emulating(browser):
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

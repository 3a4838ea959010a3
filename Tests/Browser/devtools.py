"""Chromium's heap, over a DevTools connection of our own: WebDriver's passes no events on."""

import json

import websocket
from page import HANG


def heap_strings(browser):
    """Every string in V8's heap of the present tab, after a forced collection."""
    address = browser.capabilities["goog:chromeOptions"]["debuggerAddress"]
    tools = websocket.create_connection(
        f"ws://{address}/devtools/page/{browser.current_window_handle}", timeout=HANG, suppress_origin=True)
    chunks = []

    def call(number, method):
        tools.send(json.dumps({"id": number, "method": method}))
        while True:
            message = json.loads(tools.recv())
            if message.get("method") == "HeapProfiler.addHeapSnapshotChunk":
                chunks.append(message["params"]["chunk"])
            if message.get("id") == number:
                assert "error" not in message, message
                return

    try:
        for number, method in enumerate(("enable", "collectGarbage", "collectGarbage", "takeHeapSnapshot"), 1):
            call(number, "HeapProfiler." + method)
    finally:
        tools.close()
    return json.loads("".join(chunks))["strings"]

"""Screenshots, compared with kept ones.

PINPAD_RENEW_SCREENSHOTS=1 in the environment writes them anew instead: look at each before you keep it.
"""

import base64
import io
import os
import pathlib
import time

import cairo

FOLDER = pathlib.Path(__file__).resolve().parent / "screenshots"
# A part of a colour, of 255, may differ by this much: another version of the browser smooths its edges differently.
SAME = 48
# So much of a picture may differ by more.
TOLERATED = 0.0005
SURE = bytes(0 if difference <= SAME else 1 for difference in range(256))
# How often a picture that moves is taken again before it is taken to stand still.
HANG = 30


def take(browser, clip=None):
    """The page as a PNG, from its top, once two in a row are the same: what is under way has come to rest."""
    options = {"format": "png", "captureBeyondViewport": True}
    if clip:
        options["clip"] = {**clip, "scale": 1}
    last, give_up = None, time.monotonic() + HANG
    while True:
        content = browser.execute_cdp_cmd("Page.captureScreenshot", options)["data"]
        if content == last:
            return base64.b64decode(content)
        assert time.monotonic() < give_up, "the page does not come to rest"
        last = content


def surface(png):
    image = cairo.ImageSurface.create_from_png(io.BytesIO(png))
    plain = cairo.ImageSurface(cairo.FORMAT_RGB24, image.get_width(), image.get_height())
    context = cairo.Context(plain)
    context.set_source_surface(image)
    context.paint()
    return plain


def difference(taken, kept):
    """The share of the colour parts that differ visibly, from 0 to 1; 1 if the sizes differ."""
    taken, kept = surface(taken), surface(kept)
    if (taken.get_width(), taken.get_height()) != (kept.get_width(), kept.get_height()):
        return 1
    context = cairo.Context(taken)
    context.set_operator(cairo.OPERATOR_DIFFERENCE)
    context.set_source_surface(kept)
    context.paint()
    taken.flush()
    # The fourth byte of each pixel is not used.
    parts = taken.get_width() * taken.get_height() * 3
    return sum(bytes(taken.get_data()[part::4]).translate(SURE).count(1) for part in range(3)) / parts


def compare(png, name, folder):
    """Compares with the kept picture; what was taken is left in `folder` if they differ."""
    path = FOLDER / f"{name}.png"
    if os.environ.get("PINPAD_RENEW_SCREENSHOTS"):
        FOLDER.mkdir(exist_ok=True)
        # Cairo packs better than the browser.
        surface(png).write_to_png(str(path))
        return
    assert path.exists(), f"no {path.name} is kept: PINPAD_RENEW_SCREENSHOTS=1 keeps it"
    share = difference(png, path.read_bytes())
    if share > TOLERATED:
        taken = folder / path.name
        taken.write_bytes(png)
        raise AssertionError(f"{share:.2%} of {path.name} differs: compare with {taken}")

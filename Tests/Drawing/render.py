"""What librsvg makes of a document."""

import io
import subprocess

import cairo


def render(svg):
    """The document as a surface of its own size, transparent where it paints nothing."""
    drawn = subprocess.run(["rsvg-convert", "--format", "png"], input=svg, capture_output=True, timeout=60)
    assert drawn.returncode == 0, drawn.stderr
    # Errors that librsvg tolerates are written there too.
    assert drawn.stderr == b"", drawn.stderr
    image = cairo.ImageSurface.create_from_png(io.BytesIO(drawn.stdout))
    # A picture without transparent pixels comes in another format.
    surface = cairo.ImageSurface(cairo.FORMAT_ARGB32, image.get_width(), image.get_height())
    context = cairo.Context(surface)
    context.set_source_surface(image)
    context.paint()
    return surface


def differences(one, other):
    """For each pixel that differs, by how much (of 255, the largest of its channels)."""
    assert (one.get_width(), one.get_height()) == (other.get_width(), other.get_height())
    a, b = bytes(one.get_data()), bytes(other.get_data())
    if a == b:
        return []
    by_channel = [abs(x - y) for x, y in zip(a, b)]
    return [d for d in map(max, zip(*[iter(by_channel)] * 4)) if d]


def pixel(surface, x, y):
    """(red, green, blue, alpha), 0 to 255."""
    start = y * surface.get_stride() + x * 4
    blue, green, red, alpha = bytes(surface.get_data())[start:start + 4]
    return red, green, blue, alpha

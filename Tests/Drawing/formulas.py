"""The formulas of the layouts, written down a second time, and drawn with cairo.

A drawing is a list of shapes in px, in the order in which they are painted. Nothing in here knows how the service
does it.
"""

import math

import cairo

NAMES = {
    "black": "#000000", "white": "#ffffff", "red": "#ff0000", "teal": "#008080", "Navy": "#000080",
    "rebeccapurple": "#663399",
}


def place(name, *numbers):
    """A shape's name and its numbers, in thousandths of a px, as they are written down."""
    return name, *(round(number, 3) for number in numbers)


class Rect:
    def __init__(self, x, y, width, height, fill=None, stroke=None, line=1, radius=0):
        self.place = place("rect", x, y, width, height)
        self.fill, self.stroke, self.line, self.radius = fill, stroke, line, radius

    def path(self, context):
        _, x, y, width, height = self.place
        rx, ry = min(self.radius, width / 2), min(self.radius, height / 2)
        if rx <= 0 or ry <= 0:
            context.rectangle(x, y, width, height)
            return
        corners = [
            (x + width - rx, y + ry, -90), (x + width - rx, y + height - ry, 0), (x + rx, y + height - ry, 90),
            (x + rx, y + ry, 180),
        ]
        context.new_sub_path()
        for center_x, center_y, start in corners:
            context.save()
            context.translate(center_x, center_y)
            context.scale(rx, ry)
            context.arc(0, 0, 1, math.radians(start), math.radians(start + 90))
            context.restore()
        context.close_path()


class Line:
    fill, line = None, 1

    def __init__(self, x, top, bottom, stroke):
        self.place = place("line", x, top, x, bottom)
        self.stroke = stroke

    def path(self, context):
        _, x, top, _, bottom = self.place
        context.move_to(x, top)
        context.line_to(x, bottom)


class Circle:
    stroke = None

    def __init__(self, x, y, radius, fill):
        self.place = place("circle", x, y, radius)
        self.fill = fill

    def path(self, context):
        _, x, y, radius = self.place
        context.arc(x, y, radius, 0, 2 * math.pi)


def boxes(w, h, n, k, o):
    side = min(max(min(h, o["cellSize"]), o["dotRadius"] * 4), h)
    radius = min(o["dotRadius"], side * 0.5) * 0.8
    divisor = (n - 1) + o["edgeSpacing"] * 2
    gap = (w - n * side) / divisor if divisor else 0
    left = gap * o["edgeSpacing"] if divisor else (w - side) / 2
    top = (h - side) / 2
    xs = [left + i * (side + gap) for i in range(n)]
    return (
        [Rect(x, top, side, side, fill=o["cellColor"], stroke=o["borderColor"]) for x in xs]
        + [Circle(x + side / 2, top + side / 2, radius, o["dotColor"]) for x in xs[:k]])


def grid(w, h, n, k, o):
    cell = w / n
    return (
        [Rect(0, 0, w, h, stroke=o["lineColor"])]
        + [Line(i * w / n, 0, h, o["lineColor"]) for i in range(1, n)]
        + [Circle(i * cell + cell / 2, h / 2, 0.3 * cell / 2, o["dotColor"]) for i in range(k)])


def strip(w, h, n, k, o):
    size = o["cellSize"]
    x0, y0 = (w - size * n) / 2, (h - size) / 2
    return (
        [Rect(x0, y0, size * n, size, fill=o["cellColor"], stroke=o["borderColor"])]
        + [Line(x0 + i * size, y0, y0 + size, o["borderColor"]) for i in range(1, n + 1)]
        + [Circle(x0 + (i + 1) * size - size / 2, y0 + size / 2, o["dotRadius"], o["dotColor"]) for i in range(k)])


def code(w, h, n, k, o):
    cell = (w - o["spacing"] * (n - 1)) / n
    return [
        Rect(i * (cell + o["spacing"]), 0, cell, h, fill=o["filledColor"] if i < k else o["emptyColor"])
        for i in range(n)]


def columns(w, n, o):
    """Where the cells of the modern layouts begin, and how wide they are: `spacing` between two cells, but
    `groupSpacing` between two groups."""
    ends = [sum(o["groups"][:i]) for i in range(1, len(o["groups"]))]
    gaps = [o["groupSpacing"] if i in ends else o["spacing"] for i in range(1, n)]
    cell = (w - sum(gaps)) / n
    return [i * cell + sum(gaps[:i]) for i in range(n)], cell


def underline(w, h, n, k, o):
    """A line at the foot of each cell, and dots in the middle of what is above it."""
    xs, cell = columns(w, n, o)
    line = o["lineWidth"]
    radius = min(o["dotRadius"], cell / 2, (h - line) / 2)
    return (
        [
            Rect(x, h - line, cell, line, fill=o["filledColor"] if i < k else o["lineColor"])
            for i, x in enumerate(xs)]
        + [Circle(x + cell / 2, (h - line) / 2, radius, o["dotColor"]) for x in xs[:k]])


def rounded(w, h, n, k, o):
    """Cells as high as the picture with round corners; the border is within the cell."""
    xs, cell = columns(w, n, o)
    line = o["lineWidth"]
    radius = min(o["dotRadius"], (cell - line) / 2, (h - line) / 2)
    return (
        [
            Rect(
                x + line / 2, line / 2, cell - line, h - line, fill=o["cellColor"],
                stroke=o["filledColor"] if i < k else o["borderColor"], line=line, radius=o["cornerRadius"])
            for i, x in enumerate(xs)]
        + [Circle(x + cell / 2, h / 2, radius, o["dotColor"]) for x in xs[:k]])


LAYOUTS = {
    "boxes": boxes, "grid": grid, "strip": strip, "code": code, "underline": underline, "rounded": rounded,
}


def rgb(color):
    text = NAMES.get(color, color).lstrip("#")
    digits = text if len(text) == 6 else "".join(digit * 2 for digit in text)
    return [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]


def paint(shapes, w, h, background):
    """Draws shapes on a transparent surface, after the background unless that is transparent."""
    surface = cairo.ImageSurface(cairo.FORMAT_ARGB32, w, h)
    context = cairo.Context(surface)
    if background != "transparent":
        context.set_source_rgb(*rgb(background))
        context.paint()
    for shape in shapes:
        shape.path(context)
        if shape.fill:
            context.set_source_rgb(*rgb(shape.fill))
            context.fill_preserve()
        if shape.stroke and getattr(shape, "line", 1):
            context.set_line_width(shape.line)
            context.set_source_rgb(*rgb(shape.stroke))
            context.stroke_preserve()
        context.new_path()
    return surface

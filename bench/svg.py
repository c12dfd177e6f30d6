# SPDX-License-Identifier: Apache-2.0
"""Line charts as SVG: axes, lines, a legend. Nothing but text is written, so that nothing need be installed."""
import math

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 70, 60, 40, 50
COLOURS = ("#1f5fa8", "#c44e1c", "#2d8a4e", "#7a4fa3", "#8a6d1d")


def escape(text):
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def ticks(low, high):
    """About five round numbers from low to high."""
    span = max(high - low, 1e-12)
    step = 10 ** math.floor(math.log10(span / 4))
    step *= next(m for m in (1, 2, 5, 10) if span / (step * m) <= 6)
    first = math.ceil(low / step) * step
    return [first + i * step for i in range(int((high - first) / step + 1e-9) + 1)]


class Chart:
    def __init__(self, title, x_label, y_label, x_range, y_range, x_ticks=None, log_x=False):
        self.log_x = log_x
        self.x_range, self.y_range = x_range, y_range
        self.legend = 0
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
                      f'font-family="sans-serif" font-size="12">',
                      f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
        self.text(WIDTH / 2, 20, title, "middle", 'font-size="14"')
        self.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_label, "middle")
        self.text(0, 0, y_label, "middle", f'transform="translate(16 {HEIGHT / 2}) rotate(-90)"')
        for value in x_ticks or ticks(*x_range):
            self.text(self.x(value), HEIGHT - BOTTOM + 16, f"{value:g}", "middle")
        for value in ticks(*y_range):
            self.path([(x_range[0], value), (x_range[1], value)], "#dddddd", 1)
            self.text(LEFT - 6, self.y(value) + 4, f"{value:g}", "end")

    def x(self, value):
        low, high = self.x_range
        if self.log_x:
            value, low, high = math.log(value), math.log(low), math.log(high)
        return LEFT + (value - low) / max(high - low, 1e-12) * (WIDTH - LEFT - RIGHT)

    def y(self, value, y_range=None):
        low, high = y_range or self.y_range
        return HEIGHT - BOTTOM - (value - low) / max(high - low, 1e-12) * (HEIGHT - TOP - BOTTOM)

    def text(self, x, y, text, anchor="start", more=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(text)}</text>')

    def path(self, points, colour, width=2, dash="", y_range=None):
        line = " ".join(f"{self.x(x):.1f},{self.y(y, y_range):.1f}" for x, y in points)
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>')

    def named(self, name, colour, dash=""):
        y = TOP + 6 + 16 * self.legend
        self.legend += 1
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        x = WIDTH - RIGHT - 190
        self.parts.append(f'<line x1="{x}" y1="{y}" x2="{x + 24}" y2="{y}" stroke="{colour}" stroke-width="2"{dash}/>')
        self.text(x + 30, y + 4, name)

    def line(self, name, points, colour, dash="", dots=False):
        self.path(points, colour, dash=dash)
        if dots:
            self.parts += [f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="3" fill="{colour}"/>' for x, y in points]
        self.named(name, colour, dash)

    def spread(self, x, low, high, colour):
        self.path([(x, low), (x, high)], colour, 1)

    def right_axis(self, label, y_range, name, points, colour):
        """A line with a scale of its own, at the right."""
        for value in ticks(*y_range):
            self.text(WIDTH - RIGHT + 6, self.y(value, y_range) + 4, f"{value:g}", "start", f'fill="{colour}"')
        self.text(0, 0, label, "middle", f'fill="{colour}" transform="translate({WIDTH - 12} {HEIGHT / 2}) rotate(90)"')
        self.path(points, colour, dash="5 3", y_range=y_range)
        self.named(name, colour, "5 3")

    def write(self, path):
        with open(path, "w") as file:
            file.write("\n".join(self.parts + ["</svg>"]) + "\n")

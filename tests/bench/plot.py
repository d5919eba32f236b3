"""Plots for the benchmarks, as SVG."""

import pathlib

WIDTH, HEIGHT, LEFT, TOP = 300, 220, 50, 30


def panel(x, y, title, points, unit):
    """Both axes linear: what is proportional is a straight line through the origin."""
    right, top = max(p[0] for p in points), max(p[1] for p in points) * 1.1
    drop = y + TOP
    place = [(x + LEFT + px / right * WIDTH, drop + HEIGHT - py / top * HEIGHT) for px, py in points]
    line = " ".join(f"{px:.1f},{py:.1f}" for px, py in place)
    dots = "".join(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3"/>' for px, py in place)
    return (f'<text x="{x + LEFT}" y="{y + 18}">{title}</text>'
            f'<path d="M{x + LEFT} {drop}v{HEIGHT}h{WIDTH}" fill="none" stroke="gray"/>'
            f'<polyline points="{line}" fill="none" stroke="steelblue"/>{dots}'
            f'<text x="{x + 5}" y="{drop + 10}">{top:.3g}</text>'
            f'<text x="{x + LEFT + WIDTH - 60}" y="{drop + HEIGHT + 18}">{right:.0f} {unit}</text>')


def write(path, panels, columns=4):
    """Panels side by side and in rows, each a title, points and the unit of their first coordinate."""
    width, height = 380 * min(len(panels), columns), 290 * -(-len(panels) // columns)
    drawn = "".join(panel(380 * (i % columns), 290 * (i // columns), *one) for i, one in enumerate(panels))
    pathlib.Path(path).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        f'font-size="13"><rect width="{width}" height="{height}" fill="white"/>{drawn}</svg>\n')

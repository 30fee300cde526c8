"""Small figures as SVG texts: they need no network and no library."""
from __future__ import annotations

from html import escape
from typing import List, Sequence, Tuple

COLOURS = ("#4878a8", "#d1605e", "#e7a23b", "#6a9f58", "#967662", "#a87c9f", "#857aab", "#5d9ca3", "#b8b0a6")
_WIDTH = 640


def _svg(height: int, parts: Sequence[str]) -> str:
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
            f'viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" font-size="12">{"".join(parts)}</svg>')


def stack(parts: Sequence[Tuple[str, float]]) -> str:
    """One bar of parts, with a legend below that has their shares."""
    whole = sum(value for _, value in parts) or 1.0
    out: List[str] = []
    x = 0.0
    for i, (name, value) in enumerate(parts):
        width = _WIDTH * value / whole
        out.append(f'<rect x="{x:.1f}" y="0" width="{width:.1f}" height="22" fill="{COLOURS[i % len(COLOURS)]}">'
                   f'<title>{escape(name)}: {100 * value / whole:.1f} %</title></rect>')
        x += width
    shown = [(i, name, value) for i, (name, value) in enumerate(parts) if value > 0]
    for place, (i, name, value) in enumerate(shown):
        at_x, at_y = 160 * (place % 4), 42 + 18 * (place // 4)
        out.append(f'<rect x="{at_x}" y="{at_y - 10}" width="10" height="10" fill="{COLOURS[i % len(COLOURS)]}"/>'
                   f'<text x="{at_x + 15}" y="{at_y}">{escape(name)} {100 * value / whole:.1f} %</text>')
    return _svg(36 + 18 * (-(-len(shown) // 4)), out)


def bars(rows: Sequence[Tuple[str, float]]) -> str:
    """A bar for each row, from 0."""
    most = max((value for _, value in rows), default=0.0) or 1.0
    out: List[str] = []
    for i, (name, value) in enumerate(rows):
        y = 24 * i
        out.append(f'<text x="180" y="{y + 15}" text-anchor="end">{escape(name)}</text>'
                   f'<rect x="188" y="{y}" width="{360 * value / most:.1f}" height="18" fill="{COLOURS[0]}"/>'
                   f'<text x="{194 + 360 * value / most:.1f}" y="{y + 14}">{value:.6g}</text>')
    return _svg(max(24 * len(rows), 1), out)

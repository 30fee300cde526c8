"""Figures of the site that are drawn from data, as SVG in the style of docs/images."""
import html
import math

FONT = "font-family='system-ui, DejaVu Sans, sans-serif'"
UNITS = {"x": "speed-up", "%": "percent", "cycles": "cycles"}


def value(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def most_common_unit(checks):
    """The rows of the unit that most judged checks have."""
    rows = {}
    for c in checks:
        p, m = value(c["published"]), value(c["measured"])
        if p is not None and m is not None and c["verdict"] in ("pass", "miss"):
            rows.setdefault(c["unit"], []).append((c["what"], p, m, c["verdict"]))
    return max(rows.items(), key=lambda r: len(r[1])) if rows else (None, [])


def ticks(low, high, count=5):
    """Round numbers from low to high."""
    step = 10 ** math.floor(math.log10((high - low or 1) / count))
    step = next(step * k for k in (1, 2, 5, 10) if (high - low) / (step * k) <= count)
    first = math.ceil(low / step - 1e-9)
    return [round(step * i, 10) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def published_beside_measured(checks, limit=24):
    """A line for each judged check from the published value (ring) to the measured one (dot); None: too few."""
    unit, rows = most_common_unit(checks)
    rows = rows[:limit]
    if len(rows) < 3:
        return None
    low = min(min(p, m) for _, p, m, _ in rows)
    high = max(max(p, m) for _, p, m, _ in rows)
    low, high = min(low, 1 if unit == "x" else 0), high + (high - low or 1) * 0.05
    left, width, step = 330, 430, 20
    height = 56 + step * len(rows)

    def at(v):
        return left + width * (v - low) / ((high - low) or 1)
    out = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {left + width + 30} {height}' {FONT} font-size='12'>",
           f"<rect width='100%' height='100%' fill='#fff'/><circle cx='{left + 6}' cy='14' r='4.5' fill='#fff' stroke='#222' "
           f"stroke-width='1.5'/><text x='{left + 16}' y='18'>published</text><circle cx='{left + 106}' cy='14' r='4.5' "
           f"fill='#4477aa'/><text x='{left + 116}' y='18'>measured, within band</text><circle cx='{left + 266}' cy='14' r='4.5' "
           f"fill='#ee6677'/><text x='{left + 276}' y='18'>outside</text>"]
    for v in ticks(low, high):
        out.append(f"<line x1='{at(v):.1f}' x2='{at(v):.1f}' y1='28' y2='{height - 22}' stroke='#ddd'/>"
                   f"<text x='{at(v):.1f}' y='{height - 8}' text-anchor='middle' fill='#555'>{v:g}</text>")
    for i, (what, p, m, verdict) in enumerate(rows):
        y = 42 + step * i
        words = what if len(what) < 50 else what[:48] + "…"
        colour = "#4477aa" if verdict == "pass" else "#ee6677"
        out.append(f"<text x='{left - 12}' y='{y + 4}' text-anchor='end'>{html.escape(words)}</text>"
                   f"<line x1='{at(p):.1f}' x2='{at(m):.1f}' y1='{y}' y2='{y}' stroke='{colour}' stroke-width='2'/>"
                   f"<circle cx='{at(p):.1f}' cy='{y}' r='4.5' fill='#fff' stroke='#222' stroke-width='1.5'/>"
                   f"<circle cx='{at(m):.1f}' cy='{y}' r='4.5' fill='{colour}'/>")
    out.append(f"<text x='{left - 30}' y='{height - 8}' text-anchor='end' fill='#555'>{html.escape(UNITS.get(unit, unit or ''))}</text></svg>\n")
    return "".join(out)

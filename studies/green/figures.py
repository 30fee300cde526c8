#!/usr/bin/env python3
"""The pictures of docs/green.md, from the data in studies/green/results.

studies/green/figures.py                       draws them
studies/green/figures.py collect RESULT.json   writes series.csv: the result has been run with --series of regions.* and llc.ways_on

series.csv   cycle,what,value: L2 hits of each region in an interval in %, and the ways that are on
"""
import csv
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "studies" / "green" / "results" / "series.csv"
OUT = ROOT / "docs" / "images" / "green-regions.svg"
INKS = ["#1f618d", "#b25436", "#1e7d46", "#7b3fa0", "#b8860b", "#555555", "#c0392b", "#2e86ab"]
WIDTH, LEFT, RIGHT = 760, 60, 150


def collect(path):
    with open(path, encoding="utf-8") as f:
        series = json.load(f)["series"]
    columns = {c["name"]: c["values"] for c in series["columns"]} if isinstance(series["columns"], list) else series["columns"]
    rows = []
    for name, values in columns.items():
        if name == "llc.ways_on":
            rows += [(c, "ways", v) for c, v in zip(series["cycle"], values)]
        if not name.startswith("regions.l2_answers"):
            continue
        region, hits = name[len("regions.l2_answers"):], columns["regions.l2_hits" + name[len("regions.l2_answers"):]]
        for k, cycle in enumerate(series["cycle"]):
            if values[k] >= 20: # in this interval
                rows.append((cycle, "region " + region.strip("[]"), round(100 * hits[k] / values[k], 2)))
    DATA.parent.mkdir(exist_ok=True)
    with open(DATA, "w", newline="", encoding="utf-8") as f:
        out = csv.writer(f)
        out.writerow(["cycle", "what", "value"])
        out.writerows(rows)


def panel(parts, lines, top, height, most, title, last):
    """Curves over cycles; `lines` has points by name."""
    parts.append(f'<text x="{LEFT}" y="{top - 8}" font-family="sans-serif" font-size="13" fill="#222">{title}</text>')
    for part in (0, 0.5, 1):
        y = top + height * (1 - part)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4}" font-family="sans-serif" font-size="11" fill="#777" text-anchor="end">{most * part:g}</text>')
    for k, (name, points) in enumerate(sorted(lines.items())):
        ink = INKS[k % len(INKS)]
        path = " ".join(f"{LEFT + (WIDTH - LEFT - RIGHT) * c / last:.1f},{top + height * (1 - v / most):.1f}" for c, v in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{ink}" stroke-width="1.6"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 10}" y="{top + 14 + 16 * k}" font-family="sans-serif" font-size="12" fill="{ink}">{name}</text>')


def draw():
    lines = {}
    with open(DATA, newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            lines.setdefault(row["what"], []).append((int(row["cycle"]), float(row["value"])))
    ways = {"ways": lines.pop("ways")}
    last = max(points[-1][0] for points in list(lines.values()) + list(ways.values()))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} 430" width="{WIDTH}" height="430" role="img">'
             f'<title>L2 hits by region and ways over time</title><rect width="{WIDTH}" height="430" fill="#fff"/>']
    panel(parts, lines, 40, 190, 100, "L2 hits of what L1 missed, %, by region", last)
    panel(parts, ways, 280, 100, 16, "ways of L2 that are on", last)
    parts.append(f'<text x="{WIDTH - RIGHT}" y="410" font-family="sans-serif" font-size="11" fill="#777" text-anchor="end">{last} cycles</text></svg>')
    OUT.write_text("\n".join(parts) + "\n", encoding="utf-8")


if len(sys.argv) == 3 and sys.argv[1] == "collect":
    collect(sys.argv[2])
elif len(sys.argv) == 1:
    draw()
else:
    sys.exit(__doc__)

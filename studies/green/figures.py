#!/usr/bin/env python3
"""The pictures of docs/mechanisms/green.md, from the data in studies/green/results.

studies/green/figures.py                       draws them
studies/green/figures.py collect RESULT.json   writes series.csv: the result has been run with --series of regions.* and plan.ways_on

series.csv   cycle,what,value: L2 hits of each region in an interval in %, and the ways that are on
runs.csv     all runs of the study, as `heddle study green` writes it
"""
import csv
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "studies" / "green" / "results" / "series.csv"
RUNS = ROOT / "studies" / "green" / "results" / "runs.csv"
IMAGES = ROOT / "docs" / "images"
OUT = IMAGES / "green-regions.svg"
INKS = ["#1f618d", "#b25436", "#1e7d46", "#7b3fa0", "#b8860b", "#555555", "#c0392b", "#2e86ab"]
WIDTH, LEFT, RIGHT = 760, 60, 150


def collect(path):
    with open(path, encoding="utf-8") as f:
        series = json.load(f)["series"]
    columns = {c["name"]: c["values"] for c in series["columns"]} if isinstance(series["columns"], list) else series["columns"]
    rows = []
    for name, values in columns.items():
        if name == "plan.ways_on":
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


# ---- programs, from runs.csv ----

def read_runs():
    """Numbers of a set of runs by program."""
    runs = {}
    with open(RUNS, newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            if not row["point"]:
                runs.setdefault(row["set"], {})[row["program"]] = {k: float(v) for k, v in list(row.items())[8:] if v}
    return runs


def bars(path, title, unit, names, parts, stacked):
    """A bar for each of `parts` and program, or one bar with all of them; parts has (name, values)."""
    top, height, most = 40, 220, max(100, max(max(v) for _, v in parts) if not stacked else max(map(sum, zip(*(v for _, v in parts)))))
    least = 0 if stacked else min(0, min(min(v) for _, v in parts))
    scale, step = height / (most - least), (WIDTH - LEFT - 20) / len(names)
    zero = top + most * scale
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} 370" width="{WIDTH}" height="370" role="img">'
           f'<title>{title}</title><rect width="{WIDTH}" height="370" fill="#fff"/>'
           f'<text x="{LEFT}" y="18" font-family="sans-serif" font-size="13" fill="#222">{title}</text>']
    for tick in range(0, int(most) + 1, 25):
        y = zero - tick * scale
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - 20}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" font-family="sans-serif" font-size="11" fill="#777" text-anchor="end">{tick} {unit}</text>')
    for k, (name, _) in enumerate(parts):
        x = LEFT + 110 * k
        out.append(f'<rect x="{x}" y="26" width="10" height="8" fill="{INKS[k]}"/>')
        out.append(f'<text x="{x + 14}" y="34" font-family="sans-serif" font-size="11" fill="#444">{name}</text>')
    for i, name in enumerate(names):
        x, at, width = LEFT + step * i, 0, step * 0.8 / (1 if stacked else len(parts))
        for k, (_, values) in enumerate(parts):
            low = at if stacked else min(0, values[i])
            size = abs(values[i]) * scale
            y = zero - low * scale - size
            out.append(f'<rect x="{x + (0 if stacked else k * width):.1f}" y="{y:.1f}" width="{width:.1f}" height="{size:.1f}" fill="{INKS[k]}"/>')
            at += values[i]
        out.append(f'<text transform="translate({x + step / 2:.1f},{top + height + 10}) rotate(-60)" font-family="sans-serif" font-size="11" '
                   f'fill="#444" text-anchor="end">{name}</text>')
    path.write_text("\n".join(out + ["</svg>"]) + "\n", encoding="utf-8")


def draw_programs():
    runs = read_runs()
    names = list(runs["base"])
    base, green, rac = (runs[s] for s in ("base", "green", "rac"))

    def share(run, key):
        return [100 * run[n][key] / base[n]["energy.total_pj"] for n in names]

    def l1(run, n):
        return run[n]["sm.l1.loads"] + run[n]["sm.l1.stores"] + run[n]["sm.l1.fills"]

    def l2(run, n):
        return run[n]["l2.accesses"] + run[n]["l2.fills"]

    parts = [("L1", share(green, "energy.dynamic_pj[l1]")), ("L2", share(green, "energy.dynamic_pj[l2]")),
             ("L2 leakage", share(green, "energy.static_pj[l2]")), ("DRAM", share(green, "energy.dynamic_pj[dram]"))]
    rest = [whole - sum(v[i] for _, v in parts) for i, whole in enumerate(share(green, "energy.total_pj"))]
    bars(IMAGES / "green-energy.svg", "Energy with GREEN, % of that without", "%", names, parts + [("all else", rest)], True)
    bars(IMAGES / "green-saved.svg", "Accesses that RAC saves", "%", names,
         [("L1", [max(-10, 100 * (1 - l1(rac, n) / l1(base, n))) for n in names]),
          ("L2", [max(-10, 100 * (1 - l2(rac, n) / l2(base, n))) for n in names])], False)


if len(sys.argv) == 3 and sys.argv[1] == "collect":
    collect(sys.argv[2])
elif len(sys.argv) == 1:
    draw()
    draw_programs()
else:
    sys.exit(__doc__)

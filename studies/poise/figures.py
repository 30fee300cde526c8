#!/usr/bin/env python3
"""The pictures of docs/mechanisms/poise.md, from the data in studies/poise/results.

studies/poise/figures.py                                 draws them
studies/poise/figures.py collect DB POISE.json PCAL.json writes the data: DB has the sweep studies/poise/map.yaml, the
                                                    others are results of kmeans with the same input and those policies
studies/poise/figures.py scatter bfs=FILE ii=FILE        writes scatter.csv: results with Poise and the inputs of the study

map.csv      n,p,cycles of one kernel at every tuple of a grid
choices.csv  scheme,n,p,share: where each scheme held the SMs for so much of the kernel's time
notes.csv    sm,kernel,name,cycle,what,n,p as Poise noted them (`warp_notes` of a result)
scatter.csv  program,what,n,p,count: tuples that Poise predicted and ended its searches at, over all SMs and kernels
"""
import collections
import csv
import json
import pathlib
import sqlite3
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "studies" / "poise" / "results"
OUT = ROOT / "docs" / "images"
INK, FAINT, PAPER = "#222222", "#8a8a8a", "#ffffff"
LAUNCH = 2  # of kmeans: the second kmeans_assign, the first that the search has time for
LIMIT = 16  # its W
SWL = 2  # the best k of the program: studies/poise
FONT = 'font-family="sans-serif"'
# one hue for slower, one for faster, white where nothing changes
SLOW, FAST = (178, 84, 54), (31, 97, 141)
SCHEMES = {"GTO": "#555555", "SWL": "#b8860b", "PCAL-SWL": "#7b3fa0", "Poise": "#c0392b", "Static-Best": "#1e7d46"}


def read(name):
    with open(DATA / name, newline="") as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


def colour(speedup, most):
    share = max(-1.0, min(1.0, (speedup - 1) / most))
    target = FAST if share > 0 else SLOW
    mixed = [round(255 + (t - 255) * abs(share) * 0.85) for t in target]
    return "#%02x%02x%02x" % tuple(mixed), "#ffffff" if abs(share) > 0.7 else INK


class Svg:
    def __init__(self, width, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            f' role="img"><title>{title}</title><rect width="{width}" height="{height}" fill="{PAPER}"/>'
        ]

    def add(self, part):
        self.parts.append(part)

    def text(self, x, y, words, size=12, fill=INK, anchor="start", weight="normal", turn=None):
        turned = f' transform="rotate({turn} {x} {y})"' if turn else ""
        self.add(
            f'<text x="{x:.1f}" y="{y:.1f}" {FONT} font-size="{size}" fill="{fill}" text-anchor="{anchor}"'
            f' font-weight="{weight}"{turned}>{words}</text>'
        )

    def line(self, x1, y1, x2, y2, stroke=FAINT, width=1.0, dash=""):
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}" stroke-width="{width}"{dashed}/>')

    def write(self, name):
        OUT.mkdir(parents=True, exist_ok=True)
        (OUT / name).write_text("\n".join(self.parts) + "\n</svg>\n")


def grid_of(rows):
    cycles = {(int(r["n"]), int(r["p"])): float(r["cycles"]) for r in rows}
    values = sorted({n for n, _ in cycles})
    base = cycles[(values[-1], values[-1])]
    return values, {t: base / c for t, c in cycles.items()}


def draw_cells(svg, values, speedup, left, top, cell):
    most = max(abs(s - 1) for s in speedup.values())
    count = len(values)
    for (n, p), s in speedup.items():
        x, y = left + values.index(n) * cell, top + (count - 1 - values.index(p)) * cell
        fill, ink = colour(s, most)
        svg.add(f'<rect x="{x}" y="{y}" width="{cell - 2}" height="{cell - 2}" rx="3" fill="{fill}" stroke="#dddddd"/>')
        svg.text(x + cell / 2 - 1, y + 15, f"{s:.2f}", 12, ink, "middle")
    for i, v in enumerate(values):
        svg.text(left + i * cell + cell / 2, top + count * cell + 16, str(v), 12, INK, "middle")
        svg.text(left - 8, top + (count - 1 - i) * cell + cell / 2 + 4, str(v), 12, INK, "end")
    svg.text(left + count * cell / 2, top + count * cell + 36, "N: warps per scheduler that issue", 13, INK, "middle")
    svg.text(left - 34, top + count * cell / 2, "p: of them, warps that fill L1", 13, INK, "middle", turn=-90)


def place(values, v):
    """Where a value lies between the columns of a grid that is not evenly spaced."""
    if v <= values[0]:
        return 0.0
    for i in range(1, len(values)):
        if v <= values[i]:
            return i - 1 + (v - values[i - 1]) / (values[i] - values[i - 1])
    return float(len(values) - 1)


def draw_map(title, kernel):
    values, speedup = grid_of(read("map.csv"))
    cell, left, top = 62, 70, 54
    size = len(values) * cell
    svg = Svg(left + size + 240, top + size + 56, title)
    svg.text(left, 24, title, 15, INK, weight="bold")
    svg.text(left, 42, f"{kernel}: speed-up over (W,W), and where each scheme was for most of the time", 12, FAINT)
    draw_cells(svg, values, speedup, left, top, cell)
    choices = read("choices.csv")
    by_scheme = {}
    for r in choices:
        by_scheme.setdefault(r["scheme"], []).append((int(r["n"]), int(r["p"]), float(r["share"])))
    x0, y0 = left + size + 26, top + 10
    svg.text(x0, y0, "circles: the larger, the longer", 12, FAINT)
    rank = 0
    for scheme, ink in SCHEMES.items():
        if scheme not in by_scheme:
            continue
        rank += 1
        y = y0 + 26 * rank
        svg.add(f'<circle cx="{x0 + 8}" cy="{y - 4}" r="7" fill="none" stroke="{ink}" stroke-width="3"/>')
        n, p, _ = max(by_scheme[scheme], key=lambda t: t[2])
        svg.text(x0 + 24, y, f"{scheme}: mostly ({n},{p})", 13, INK)
        for n, p, share in by_scheme[scheme]:
            if share < 0.01:
                continue
            cx = left + (place(values, n) + 0.5) * cell - 1 + (rank - 3) * 2
            cy = top + (len(values) - 0.36 - place(values, p)) * cell
            svg.add(
                f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="{3 + 15 * share ** 0.5:.1f}" fill="none" stroke="{ink}"'
                f' stroke-width="2.5"><title>{scheme} ({n},{p}): {100 * share:.0f} % of the time</title></circle>'
            )
    svg.write("poise-map.svg")


def draw_time(title):
    notes = [r for r in read("notes.csv") if r["sm"] == "0"]
    end = int(notes[-1]["cycle"])
    notes = notes[:-1]
    most = max(int(r["n"]) for r in notes)
    left, top, width, height = 60, 64, 840, 220
    svg = Svg(left + width + 20, top + height + 96, title)
    svg.text(left, 24, title, 15, INK, weight="bold")
    svg.text(left, 42, "every kernel, and every 200,000 cycles of one: sample (W,W) and (1,1), predict, search, stay", 12, FAINT)

    def at(cycle, warps):
        return left + width * cycle / end, top + height * (1 - warps / most)

    for w in range(0, most + 1, 4):
        _, y = at(0, w)
        svg.line(left, y, left + width, y, "#eeeeee")
        svg.text(left - 8, y + 4, str(w), 12, INK, "end")
    for k in range(0, end + 1, 100000):
        x, _ = at(k, 0)
        svg.line(x, top + height, x, top + height + 5)
        svg.text(x, top + height + 32, f"{k // 1000}", 12, INK, "middle")
    seen = set()
    for r in notes:
        if r["kernel"] not in seen:
            seen.add(r["kernel"])
            x, _ = at(int(r["cycle"]), 0)
            svg.line(x, top - 8, x, top + height, "#999999", 1, "4 3")
            svg.text(x + 4, top - 4, r["name"], 11, FAINT)
    svg.text(left + width / 2, top + height + 52, "thousand cycles", 13, INK, "middle")
    svg.text(left - 36, top + height / 2, "warps per scheduler", 13, INK, "middle", turn=-90)
    tuples = [r for r in notes if r["what"] == "tuple"]
    for key, ink, stroke in (("n", "#1f618d", 2.4), ("p", "#e08214", 1.6)):
        points = []
        for i, r in enumerate(tuples):
            until = int(tuples[i + 1]["cycle"]) if i + 1 < len(tuples) else end
            points += [at(int(r["cycle"]), int(r[key])), at(until, int(r[key]))]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        svg.add(f'<polyline points="{path}" fill="none" stroke="{ink}" stroke-width="{stroke}"/>')
    for what, ink in (("predicted", "#7b3fa0"), ("final", "#1e7d46")):
        for r in notes:
            if r["what"] == what:
                x, y = at(int(r["cycle"]), int(r["n"]))
                svg.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{ink}"><title>{what} ({r["n"]},{r["p"]})</title></circle>')
                svg.text(x, y - 9 if what == "final" else y + 20, f'({r["n"]},{r["p"]})', 11, ink, "middle")
    x, y = left, top + height + 80
    for words, ink in (("N", "#1f618d"), ("p", "#e08214"), ("predicted", "#7b3fa0"), ("end of the search", "#1e7d46")):
        svg.add(f'<circle cx="{x + 6}" cy="{y - 4}" r="6" fill="{ink}"/>')
        svg.text(x + 18, y, words, 13)
        x += 44 + 8 * len(words)
    svg.write("poise-time.svg")


def best_tuple(program):
    """The fastest of the study's grid for the whole program."""
    rows = [r for r in read("runs.csv") if r["set"] == "grid" and r["program"] == program]
    return [int(v) for v in min(rows, key=lambda r: int(r["cycles"]))["point"].split()]


def draw_scatter(title):
    """Area: how often. One panel for each program and for predictions and ends of searches."""
    rows = [dict(r, n=int(r["n"]), p=int(r["p"]), count=int(r["count"])) for r in read("scatter.csv")]
    programs = list(dict.fromkeys(r["program"] for r in rows))
    most = max(r["n"] for r in rows)
    cell, left, top, gap = 15, 56, 84, 40
    size = most * cell
    svg = Svg(left + 4 * size + 3 * gap + 20, top + size + 56, title)
    svg.text(left, 24, title, 15, INK, weight="bold")
    svg.text(left, 42, "area: how often, over all SMs, kernels and epochs; ring: the fastest tuple for the whole program", 12, FAINT)
    panels = [(program, what) for program in programs for what in ("predicted", "final")]
    for i, (program, what) in enumerate(panels):
        x0 = left + i * (size + gap)
        ink = {"predicted": "#7b3fa0", "final": "#1e7d46"}[what]
        here = [r for r in rows if (r["program"], r["what"]) == (program, what)]
        total = sum(r["count"] for r in here)
        words = {"predicted": "predicted", "final": "after the search"}[what]
        svg.text(x0, top - 10, f"{program}, {words} ({total})", 12, INK)
        svg.add(f'<path d="M{x0} {top + size} H{x0 + size} V{top} Z" fill="#f6f6f6" stroke="#dddddd"/>')
        for v in (1, *range(4, most + 1, 4)):
            svg.text(x0 + (v - 0.5) * cell, top + size + 16, str(v), 11, INK, "middle")
            if i == 0:
                svg.text(x0 - 6, top + size - (v - 0.5) * cell + 4, str(v), 11, INK, "end")

        def at(n, p, x0=x0):
            return x0 + (n - 0.5) * cell, top + size - (p - 0.5) * cell

        for r in sorted(here, key=lambda r: -r["count"]):
            x, y = at(r["n"], r["p"])
            svg.add(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{1.5 + 14 * (r["count"] / total) ** 0.5:.1f}" fill="{ink}" fill-opacity="0.55">'
                f'<title>({r["n"]},{r["p"]}): {r["count"]} of {total}</title></circle>'
            )
        x, y = at(*(min(v, most) for v in best_tuple(program)))
        svg.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="7" fill="none" stroke="{INK}" stroke-width="2"/>')
    svg.text(left + (4 * size + 3 * gap) / 2, top + size + 40, "N: warps per scheduler that issue", 13, INK, "middle")
    svg.text(left - 34, top + size / 2, "p: warps that fill L1", 13, INK, "middle", turn=-90)
    svg.write("poise-scatter.svg")


def collect_scatter(files):
    counts = collections.Counter()
    for program, path in (f.split("=", 1) for f in files):
        for r in json.load(open(path))["warp_notes"]:
            if r["what"] in ("predicted", "final"):
                counts[program, r["what"], r["n"], r["p"]] += 1
    write("scatter.csv", ["program", "what", "n", "p", "count"], [(*k, c) for k, c in sorted(counts.items())])


def collect(db, poise, pcal):
    base = sqlite3.connect(f"file:{db}?mode=ro", uri=True)
    rows = base.execute(
        "SELECT n.value, p.value, k.cycles FROM sweep_points s JOIN runs r ON r.key = s.run AND r.mode = 'replay'"
        " JOIN settings n ON n.run = r.key AND n.parameter = 'policy.warp.fixed.n'"
        " JOIN settings p ON p.run = r.key AND p.parameter = 'policy.warp.fixed.p'"
        " JOIN kernels k ON k.run = r.key AND k.number = ? WHERE s.sweep = 'poise-map' ORDER BY 1, 2",
        (LAUNCH,),
    ).fetchall()
    write("map.csv", ["n", "p", "cycles"], rows)
    cycles = {(int(n), int(p)): c for n, p, c in rows}
    best = min(cycles, key=cycles.get)
    choices = [("GTO", LIMIT, LIMIT, 1), ("SWL", SWL, SWL, 1), ("Static-Best", *best, 1)]
    for scheme, path in (("PCAL-SWL", pcal), ("Poise", poise)):
        for (n, p), share in sorted(shares(json.load(open(path))).items()):
            choices.append((scheme, n, p, f"{share:.4f}"))
    write("choices.csv", ["scheme", "n", "p", "share"], choices)
    result = json.load(open(poise))
    names = {k["number"]: k["name"] for k in result["kernels"]}
    notes = [(0, r["kernel"], names[r["kernel"]], r["cycle"], r["what"], r["n"], r["p"]) for r in result["warp_notes"] if r["sm"] == 0]
    notes.append((0, "", "", result["kernels"][-1]["ended"], "end", "", ""))
    write("notes.csv", ["sm", "kernel", "name", "cycle", "what", "n", "p"], notes)


def shares(result):
    """Of the time of the kernel, over all SMs."""
    ended = next(k["ended"] for k in result["kernels"] if k["number"] == LAUNCH)
    time, by_sm = collections.Counter(), collections.defaultdict(list)
    for r in result["warp_notes"]:
        if r["kernel"] == LAUNCH and r["what"] == "tuple":
            by_sm[r["sm"]].append(r)
    for notes in by_sm.values():
        for r, after in zip(notes, notes[1:] + [{"cycle": ended}]):
            time[r["n"], r["p"]] += after["cycle"] - r["cycle"]
    return {t: c / sum(time.values()) for t, c in time.items()}


def write(name, head, rows):
    DATA.mkdir(parents=True, exist_ok=True)
    with open(DATA / name, "w", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows([head, *rows])


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] == "collect":
        collect(*sys.argv[2:])
    elif len(sys.argv) > 2 and sys.argv[1] == "scatter":
        collect_scatter(sys.argv[2:])
    elif len(sys.argv) > 1:
        sys.exit(__doc__)
    draw_map("The map of one kernel", "kmeans_assign on kepler8")
    draw_time("What Poise does in one SM over time: kmeans on kepler8")
    draw_scatter("Where Poise went: bfs and ii on kepler8")

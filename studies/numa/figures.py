#!/usr/bin/env python3
"""The bars of docs/mechanisms/numa.md, from studies/numa/results/runs.csv, which `heddle study` judges again. HEDDLE: the program
(heddle). (Its picture of hpgmg over time is that of a run's page,
`heddle run hpgmg --size small --chip studies/numa/chips/socket8.yaml --set sockets.count=4 --series ...`, `heddle report`.)
"""
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "docs" / "images"
COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44"]
WIDTH, HEIGHT, LEFT, BASE, TOP, STEP = 1150, 330, 46, 252, 44, 39


def table():
    """The rows of the study's tables, worked out from the committed runs: nothing is run."""
    rows = {}
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([os.environ.get("HEDDLE", "heddle"), "study", "numa", "--no-run", "--quiet", "--keep", ROOT / "studies/numa/results/runs.csv",
                        "--db", out + "/runs.db", "--output", out], check=True)
        with open(out + "/verdict.json", encoding="utf-8") as f:
            tables = json.load(f)["tables"]
    for t in tables:
        for row in t["rows"]:
            rows.setdefault(row[0], {}).update(zip(t["columns"], row))
    return {n: r for n, r in rows.items() if n != "mean" and r.get("s_base")}


def bars(name, title, series):
    """series: (label, function of a program's row); programs in order of what the software baseline reaches."""
    rows = sorted(table().items(), key=lambda r: -r[1]["reached_base"])
    values = [[(n, f(r)) for n, r in rows] for _, f in series]
    most = max(v for s in values for _, v in s if v is not None)
    y = lambda v: BASE - (BASE - TOP) * v / most
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
           f'font-family="sans-serif"><title>{title}</title><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
           f'<text x="{LEFT}" y="16" font-size="13" fill="#222">{title}</text>']
    for v in range(int(most) + 1):
        dash = ' stroke-dasharray="4 3"' if v == 1 else ""
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{y(v):.1f}" y2="{y(v):.1f}" stroke="{"#222" if v == 1 else "#ddd"}"{dash}/>'
                   f'<text x="40" y="{y(v) + 4:.1f}" font-size="11" fill="#555" text-anchor="end">{v}</text>')
    wide = (STEP - 8) / len(series)
    for k, (label, _) in enumerate(series):
        out.append(f'<rect x="{LEFT + 200 * k}" y="24" width="10" height="10" fill="{COLOURS[k]}"/>'
                   f'<text x="{LEFT + 14 + 200 * k}" y="33" font-size="11" fill="#222">{label}</text>')
        for i, (n, v) in enumerate(values[k]):
            if v is not None:
                out.append(f'<rect x="{LEFT + 3 + STEP * i + wide * k:.1f}" y="{y(v):.1f}" width="{wide:.1f}" height="{BASE - y(v):.1f}" '
                           f'fill="{COLOURS[k]}"><title>{n}: {v:.2f} x</title></rect>')
    for i, (n, _) in enumerate(rows):
        out.append(f'<text transform="translate({LEFT + 22 + STEP * i} 262) rotate(-45)" font-size="11" fill="#222" text-anchor="end">{n}</text>')
    (OUT / name).write_text("\n".join(out) + "\n</svg>\n")


def main():
    get = lambda column: lambda r: r.get(column)
    bars("numa-runtimes.svg", "Speed-up of four sockets over one GPU (figure 6.4)",
         [("traditional runtime", get("s_traditional")), ("contiguous blocks, first touch", get("s_base")),
          ("one GPU of four times everything", get("hypothetical"))])
    bars("numa-lanes.svg", "Over the software baseline: lanes that turn, doubled links (figure 6.7)",
         [("lanes that turn", get("g_5000")), ("doubled links", get("g_doubled"))])
    bars("numa-caches.svg", "Over the software baseline: what L2s hold (figure 6.9)",
         [("static remote cache", get("g_static")), ("shared", get("g_shared")), ("NUMA-aware partition", get("g_partitioned")),
          ("ideal: no flush", lambda r: r["g_partitioned"] * (1 + r["flush_cost"] / 100))])
    bars("numa-both.svg", "Both techniques, over one GPU (figure 6.12)",
         [("software baseline", get("s_base")), ("lanes and caches", get("s_both")), ("one GPU of four times everything", get("hypothetical"))])


main()

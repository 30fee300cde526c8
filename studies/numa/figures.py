#!/usr/bin/env python3
"""The pictures of this study. HEDDLE: the program (heddle).

figures.py               bars, from results/runs.csv, which `heddle study` judges again
figures.py --timelines   figures 6.10 and 6.14, from six runs of AMG and of the mesh of Lulesh

(The picture of hpgmg over time, figure 6.6, is that of a run's page,
`heddle run hpgmg --size large --chip studies/numa/chips/socket8.yaml --set sockets.count=4 --series ... -- --side 128 --cycles 1`, `heddle report`.)
"""
import json
import os
import pathlib
import csv
import subprocess
import sys
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


def kernels(program, options, args=None):
    """Sub-kernels of a run: (kernel, socket, launched, ended, remote share of its requests)."""
    rows = {r["program"]: r for r in csv.DictReader(line for line in open(ROOT / "studies/numa/programs.csv", encoding="utf-8") if line[0] != "#")}
    row = rows[program]
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([os.environ.get("HEDDLE", "heddle"), "run", row["workload"], "--size", row["size"], "--chip", ROOT / "studies/numa/chips/socket8.yaml",
                        *[w for o in options for w in ("--set", o)], "-q", "-o", out + "/run.json", "--",
                        *(args or row["args"]).split()], check=True)
        with open(out + "/run.json", encoding="utf-8") as f:
            found = json.load(f)["kernels"]
    return [(k["number"], int(k["cluster"].removeprefix("socket")), k["launched"], k["ended"],
             k["remote_requests"] / max(1, k["remote_requests"] + k["local_requests"])) for k in found]


def timeline(name, title, panels):
    """panels: (label, kernels of a run). A row for each socket, a box for each of its sub-kernels, darker the more it asks of others."""
    most = max(k[3] for _, ks in panels for k in ks)
    x, y, rows = (lambda t: LEFT + (WIDTH - LEFT - 10) * t / most), 30, []
    for label, ks in panels:
        rows.append(f'<text x="{LEFT}" y="{y + 10}" font-size="11" fill="#222">{label}: {max(k[3] for k in ks) / 1000:.0f} us</text>')
        for socket in sorted({k[1] for k in ks}):
            y += 16
            rows.append(f'<text x="40" y="{y + 10}" font-size="10" fill="#555" text-anchor="end">{socket}</text>')
            for number, _, launched, ended, remote in (k for k in ks if k[1] == socket):
                rows.append(f'<rect x="{x(launched):.1f}" y="{y}" width="{max(0.4, x(ended) - x(launched)):.1f}" height="13" fill="#4477aa" stroke="#fff" '
                            f'stroke-width="0.3" fill-opacity="{0.15 + 0.85 * remote:.2f}"><title>kernel {number}: {100 * remote:.0f} % remote</title></rect>')
        y += 24
    (OUT / name).write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" height="{y}" role="img" '
                            f'font-family="sans-serif"><title>{title}</title><rect width="{WIDTH}" height="{y}" fill="#fff"/>'
                            f'<text x="{LEFT}" y="16" font-size="13" fill="#222">{title}</text>' + "\n".join(rows) + "\n</svg>\n")


def timelines():
    homes = ["sockets.count=4", "sockets.home=file", f"policy.home.file.path={ROOT}/studies/numa/homes/amg.homes"]
    timeline("numa-amg.svg", "AMG: sub-kernels of four sockets, darker the more they ask of other sockets (figure 6.10)",
             [(o.replace("_", " "), kernels("amg", homes + ["sockets.cache.organisation=" + o])) for o in ("memory_side", "static", "shared", "partitioned")])
    timeline("numa-adaptive.svg", "Lulesh on a mesh numbered at random, ten steps on two sockets (figure 6.14)",
             [(o, kernels("hydro-mesh1", ["sockets.count=2", "sockets.blocks=" + b], "--side 167 --steps 10 --mesh unstructured --threads 512")) for o, b in (("equal ranges", "contiguous"), ("adaptive", "adaptive"))])


def main():
    if sys.argv[1:] == ["--timelines"]:
        return timelines()
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

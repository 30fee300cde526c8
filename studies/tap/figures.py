#!/usr/bin/env python3
"""The picture of docs/mechanisms/llc.md, from results/runs.csv: speed-ups over LRU, each policy sorted, of short and of longer runs."""
import csv
import math
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = ROOT / "studies" / "tap" / "results" / "runs.csv"
OUT = ROOT / "docs" / "images" / "tap.svg"
POLICIES = {"ucp": ("UCP", "#4269d0"), "tap_ucp": ("TAP-UCP", "#1e7d46"), "rrip": ("RRIP", "#efb118"), "tap_rrip": ("TAP-RRIP", "#b25436")}
WIDTH, HEIGHT, LOW, HIGH = 290, 220, 0.9, 1.9


def text(x, y, words, ink="#222", size=12, anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-family="sans-serif" font-size="{size}" fill="{ink}" text-anchor="{anchor}">{words}</text>'


def curves(group):
    """Of each policy: the geometric mean of both programs' speed-ups in each mix, sorted."""
    ipc = {}
    with open(RUNS, newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            if row["program"].startswith(f"mixes/{group}-") and not row["point"] and row["first.ipc[0]"]:
                ipc[row["set"], row["program"]] = float(row["first.ipc[0]"]) * float(row["first.ipc[1]"])
    return {p: sorted(math.sqrt(v / ipc["lru", m]) for (s, m), v in ipc.items() if s == p) for p in POLICIES}


def panel(left, title, lines):
    y = lambda v: 50 + HEIGHT * (HIGH - v) / (HIGH - LOW)
    out = [text(left, 34, title)]
    for v in (1, 1.2, 1.4, 1.6, 1.8):
        out.append(f'<line x1="{left}" x2="{left + WIDTH}" y1="{y(v):.1f}" y2="{y(v):.1f}" stroke="{"#888" if v == 1 else "#ddd"}"/>')
        out.append(text(left - 6, y(v) + 4, f"{v:g}", "#777", 11, "end"))
    for policy, values in lines.items():
        points = " ".join(f"{left + WIDTH * i / (len(values) - 1):.1f},{y(v):.1f}" for i, v in enumerate(values))
        out.append(f'<polyline points="{points}" fill="none" stroke="{POLICIES[policy][1]}" stroke-width="2"/>')
    return out + [text(left + WIDTH / 2, 50 + HEIGHT + 20, f"{len(values)} mixes, each policy sorted", "#777", 11, "middle")]


def main():
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 340" width="720" height="340" role="img">'
             '<title>Speed-ups over LRU</title><rect width="720" height="340" fill="#fff"/>']
    parts += panel(50, "3 million instructions: system speed-up over LRU", curves("one"))
    parts += panel(410, "15 million, cache-friendly CPU programs", curves("long"))
    for i, (words, ink) in enumerate(POLICIES.values()):
        parts.append(f'<line x1="{180 + 100 * i}" x2="{200 + 100 * i}" y1="320" y2="320" stroke="{ink}" stroke-width="3"/>' + text(206 + 100 * i, 324, words))
    OUT.write_text("\n".join(parts + ["</svg>"]) + "\n", encoding="utf-8")


main()

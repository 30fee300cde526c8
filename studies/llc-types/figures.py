#!/usr/bin/env python3
"""The picture of docs/mechanisms/llc.md, from results/runs.csv: IPC and misses over ways, of a program of type C and of one of type D."""
import csv
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = ROOT / "studies" / "llc-types" / "results" / "runs.csv"
OUT = ROOT / "docs" / "images" / "llc-types.svg"
INKS = {"C": "#1e7d46", "D": "#b25436"}
WIDTH, HEIGHT = 270, 130


def text(x, y, words, ink="#222", size=12, anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-family="sans-serif" font-size="{size}" fill="{ink}" text-anchor="{anchor}">{words}</text>'


def panel(left, top, title, most, points, ink):
    """One curve; points are (ways, value), equally far apart."""
    out = [text(left, top - 8, title)]
    for part in (0, 0.5, 1):
        y = top + HEIGHT * (1 - part)
        out.append(f'<line x1="{left}" x2="{left + WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(text(left - 6, y + 4, f"{most * part:.3g}", "#777", 11, "end"))
    step = WIDTH / (len(points) - 1)
    line = " ".join(f"{left + step * i:.1f},{top + HEIGHT * (1 - v / most):.1f}" for i, (_, v) in enumerate(points))
    out.append(f'<polyline points="{line}" fill="none" stroke="{ink}" stroke-width="2"/>')
    out += [text(left + step * i, top + HEIGHT + 16, str(w), "#777", 11, "middle") for i, (w, _) in enumerate(points)]
    return out


def main():
    at = {}
    with open(RUNS, newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            n = float(row["gpu.sm.warp_instructions"])
            at.setdefault(row["program"], []).append((int(row["point"].split()[0]), n / float(row["gpu.sm.cycles"]), 1000 * float(row["llc.misses"]) / n))
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 420" width="720" height="420" role="img">'
             '<title>IPC and misses over ways</title><rect width="720" height="420" fill="#fff"/>']
    for column, (name, kind) in enumerate((("reduction", "C"), ("blackscholes", "D"))):
        points, left = sorted(at[name]), 60 + 350 * column
        parts += panel(left, 40, f"{name}, type {kind}: IPC of an SM", 0.5, [(w, i) for w, i, _ in points], INKS[kind])
        parts += panel(left, 235, "LLC misses per 1,000 warp instructions", max(m for _, _, m in points), [(w, m) for w, _, m in points], INKS[kind])
        parts.append(text(left + WIDTH / 2, 405, "ways", "#777", 11, "middle"))
    OUT.write_text("\n".join(parts + ["</svg>"]) + "\n", encoding="utf-8")


main()

#!/usr/bin/env python3
"""The picture of docs/mechanisms/dvfs.md: frequencies over time with IPC and misses beside them, and power against the budget, from one run.

heddle run --mix studies/dyfr/case3.yaml --chip apu46-dvfs --policy dvfs=dyfr --set dvfs.period_ns=10us --set dvfs.pll_ns=1us \\
    --interval 10000 --series "$(studies/dyfr/figures.py --series)" -o case3.json
studies/dyfr/figures.py case3.json docs/images/dvfs-case3.svg
"""
import json
import pathlib
import sys

DOMAINS = ["cpu0", "cpu1", "cpu2", "cpu3", "gpu0", "memory"]
INKS = ["#2f6db5", "#5b93d0", "#1e7d46", "#7ab38e", "#b25436", "#7a5aa6"]
PARTS = [("memory_energy", "memory", "#7a5aa6"), ("gpu_energy", "GPU", "#b25436"), ("cpu_energy", "CPU", "#2f6db5")]
COLUMNS = ["dvfs.%s.mhz" % d for d in DOMAINS] + ["dvfs.%s.%s" % (d, s) for d in DOMAINS[:5] for s in ("ipc_milli", "mpt")] + ["dvfs." + p for p, _, _ in PARTS]
WIDTH, HEIGHT, LEFT = 560, 110, 60


def text(x, y, words, ink="#222", size=12, anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-family="sans-serif" font-size="{size}" fill="{ink}" text-anchor="{anchor}">{words}</text>'


def frame(top, title, most, unit):
    out = [text(LEFT, top - 8, title)]
    for part in (0, 0.5, 1):
        y = top + HEIGHT * (1 - part)
        out.append(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(text(LEFT - 6, y + 4, f"{most * part:.3g}{unit}", "#777", 11, "end"))
    return out


def lines(top, title, most, unit, curves, times):
    out, end = frame(top, title, most, unit), times[-1]
    for values, ink in curves:
        points, before = [], None
        for t, v in zip(times, values):
            x, y = LEFT + WIDTH * t / end, top + HEIGHT * (1 - min(v, most) / most)
            if before is not None:
                points.append(f"{x:.1f},{before:.1f}")
            points.append(f"{x:.1f},{y:.1f}")
            before = y
        out.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{ink}" stroke-width="1.6"/>')
    return out


def stack(top, powers, times):
    """Power of each part from sample to sample, on top of each other; the line is the budget."""
    out, end, most = frame(top, "power, of a budget of 1", 1.2, ""), times[-1], 1.2
    for i in range(1, len(times)):
        x, w, base = LEFT + WIDTH * times[i - 1] / end, WIDTH * (times[i] - times[i - 1]) / end, 0
        for (_, _, ink), values in zip(PARTS, powers):
            h = HEIGHT * values[i] / most
            out.append(f'<rect x="{x:.2f}" y="{top + HEIGHT - base - h:.1f}" width="{w + 0.2:.2f}" height="{h:.1f}" fill="{ink}"/>')
            base += h
    y = top + HEIGHT * (1 - 1 / most)
    out.append(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#222" stroke-dasharray="5 3"/>')
    return out


def main():
    if sys.argv[1:] == ["--series"]:
        print(",".join(COLUMNS))
        return
    result = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    s = result["series"]
    columns, times = s["columns"], [c / 1000 for c in s["cycle"]]
    names = [a["name"] for a in result["applications"]][:5] + ["memory"]

    def of(name):
        return [v or 0 for v in columns[name]]
    ghz = [[v / 1000 for v in of("dvfs.%s.mhz" % d)] for d in DOMAINS]
    ipc = [[v / 1000 for v in of("dvfs.%s.ipc_milli" % d)] for d in DOMAINS[:5]]
    mpt = [of("dvfs.%s.mpt" % d) for d in DOMAINS[:5]]
    steps = [0] + [b - a for a, b in zip(times, times[1:])]
    powers = [[v / (1e12 * t) if t else 0 for v, t in zip(of("dvfs." + p), steps)] for p, _, _ in PARTS]
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 690" width="760" height="690" role="img"><title>Frequencies over time</title><rect width="760" height="690" fill="#ff"/>']
    parts += lines(40, "frequency, GHz", 4.2, "", list(zip(ghz, INKS)), times)
    parts += lines(200, "instructions per cycle in the last period (of all SMs: the GPU)", max(max(c) for c in ipc) or 1, "", list(zip(ipc, INKS)), times)
    parts += lines(360, "misses in the last period", max(max(c) for c in mpt) or 1, "", list(zip(mpt, INKS)), times)
    parts += stack(520, powers, times)
    for i, (name, ink) in enumerate(zip(names, INKS)):
        parts.append(text(LEFT + WIDTH + 12, 52 + 17 * i, name, ink))
    for i, (_, name, ink) in enumerate(PARTS):
        parts.append(text(LEFT + WIDTH + 12, 620 - 17 * i, name, ink))
    parts.append(text(LEFT + WIDTH, 520 + HEIGHT + 18, f"{times[-1]:.0f} us", "#777", 11, "end"))
    pathlib.Path(sys.argv[2]).write_text("\n".join(parts + ["</svg>"]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

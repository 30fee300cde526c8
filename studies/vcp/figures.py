#!/usr/bin/env python3
"""Draws the pictures of docs/mechanisms/mesh.md from results/runs.csv: studies/vcp/figures.py

docs/images/vcp-latency.svg: where the time of a CPU request goes without a policy and with F-VCP (figures 5 and 29), by class and GPU program.
docs/images/vcp-gains.svg: system gain over no policy of each mix, splits and F-VCP (figures 26 to 28).
"""
import csv
import math
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
IMAGES = HERE.parent.parent / "docs" / "images"
PARTS = (("queue", "before routers", "#d62728"), ("trip", "trips", "#1f77b4"), ("cache", "banks", "#2ca02c"), ("memory", "controllers, DRAM", "#9467bd"))
POLICIES = (("s13", "1:3", "#9ecae1"), ("s22", "2:2", "#3182bd"), ("s31", "3:1", "#08519c"), ("fvcp", "F-VCP", "#d62728"))


def read():
    with open(HERE / "results" / "runs.csv", encoding="utf-8") as f:
        return {(row["set"], row["program"][len("mixes/"):-len(".yaml")]): row for row in csv.DictReader(f)}


def svg(name, title, width, height, body):
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" font-family="sans-serif">'
    head += f'<title>{title}</title><rect width="{width}" height="{height}" fill="#fff"/>' + text(10, 16, title, 13, "#222")
    (IMAGES / name).write_text(head + "\n" + "\n".join(body) + "\n</svg>\n", encoding="utf-8")


def text(x, y, words, size=11, fill="#555", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" text-anchor="{anchor}">{words}</text>'


def box(x, y, width, height, fill):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"/>'


def legend(entries, x, y):
    out = []
    for label, fill in entries:
        out += [box(x, y - 9, 10, 10, fill), text(x + 14, y, label)]
        x += 30 + 7 * len(label)
    return out


def latencies(runs):
    groups = {}
    for run, mix in runs:
        if run == "base" and mix[:2] in ("hl", "lh", "hh"):
            groups.setdefault("-".join(mix.split("-")[:2]), []).append(mix)
    out, y, scale = legend([(label, fill) for _, label, fill in PARTS], 170, 36), 50, 0.9
    for ns in range(0, 701, 100):
        out += [box(170 + ns * scale, 44, 0.6, len(groups) * 36, "#ddd"), text(170 + ns * scale, 58 + len(groups) * 36, f"{ns} ns", anchor="middle")]
    for name, mixes in groups.items():
        where, program = name.split("-")
        out.append(text(10, y + 14, f"W-{where.upper()}, {program} ({len(mixes)})", fill="#222"))
        for run, label in (("base", "none"), ("fvcp", "F-VCP")):
            x = 170
            out.append(text(165, y + 9, label, 9, anchor="end"))
            for part, _, fill in PARTS:
                ns = sum(float(runs[run, mix][f"mesh.split.cpu.{part}_ns"]) for mix in mixes) / len(mixes)
                out.append(box(x, y, ns * scale, 12, fill))
                x += ns * scale
            y += 14
        y += 8
    svg("vcp-latency.svg", "Time of a CPU request by place, mean of the mixes", 820, y + 20, out)


def gain(runs, run, mix):
    ratio = [float(runs[run, mix][f"first.ipc[{i}]"]) / float(runs["base", mix][f"first.ipc[{i}]"]) for i in range(5)]
    return 100 * (math.sqrt(math.prod(ratio[:4]) ** 0.25 * ratio[4]) - 1)


def gains(runs):
    out, x, zero, scale = legend([(label, fill) for _, label, fill in POLICIES], 60, 36), 50, 250, 1.9
    for percent in range(-20, 101, 20):
        out += [box(50, zero - percent * scale, 900, 0.6, "#ddd"), text(44, zero - percent * scale + 4, f"{percent:+d} %", anchor="end")]
    for where in ("ll", "hl", "lh", "hh"):
        mixes = sorted((m for run, m in runs if run == "base" and m.startswith(where)), key=lambda m: gain(runs, "s22", m))
        out.append(text(x + len(mixes) * 9, 306, f"W-{where.upper()}", 12, "#222", "middle"))
        for mix in mixes:
            for run, _, fill in POLICIES:
                height = gain(runs, run, mix) * scale
                out.append(box(x, zero - max(height, 0), 3.6, abs(height), fill))
                x += 4
            x += 2
        x += 8
    svg("vcp-gains.svg", "System gain over no policy, each mix", 970, 316, out)


if __name__ == "__main__":
    RUNS = read()
    latencies(RUNS)
    gains(RUNS)

#!/usr/bin/env python3
"""Finds the homes that the schemes of this study share, and accepts programs, before any scheme runs.

prepare.py [PROGRAM...]       --heddle FILE, --jobs N; without names every program of programs.csv

Runs are the software baseline (contiguous blocks, first touch, memory-side L2) on four sockets of chips/socket8.yaml, which writes
homes/PROGRAM.homes, and one socket. accepted.csv has the descriptors by which study.yaml accepts programs (hpc-cores-and-numa-gpu.md 1.6),
against table.csv: blocks for each SM by time, cut at 100, and footprint against all L2, cut at 16, within a quarter; launches of the class, or
a window of it; 20 samples of 5,000 cycles; caches cold for 10 % of the run at most.
"""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CHIP = HERE / "chips" / "socket8.yaml"
SMS, PAGE, L2S, SAMPLE = 8, 8192, 4 * 512 * 1024, 5000
COLUMNS = ["program", "stands_for", "accepted", "why", "ctas", "ctas_table", "footprint", "footprint_table", "launches", "class", "decisions", "cold", "remote",
           "link_in", "cpu_one", "cpu_four"]


def read(name):
    if not (HERE / name).exists():
        return []
    with open(HERE / name, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


def run(heddle, row, out, *options):
    (HERE / "traces").mkdir(exist_ok=True)
    path = HERE / "traces" / out
    subprocess.run([heddle, "run", row["workload"], "--size", row["size"], "--chip", CHIP, *options, "-q", "-o", path, "--", *row["args"].split()], check=True)
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def four(heddle, row):
    homes = HERE / "homes" / (row["program"] + ".homes")
    return run(heddle, row, row["program"] + "-4.json", "--set", "sockets.count=4", "--set", "sockets.write_homes=%s" % homes)


def describe(heddle, row, published):
    one, d = run(heddle, row, row["program"] + "-1.json"), four(heddle, row)
    total = sum(k["cycles"] for k in one["kernels"])
    ns, t, p = d["run"]["simulated_fs"] / 1e6, d["totals"], published[row["program"]]
    n = {"ctas": sum(k["blocks"] * k["cycles"] for k in one["kernels"]) / total / SMS, "footprint": sum(t["home.socket.pages"]) * PAGE / L2S
         if isinstance(t["home.socket.pages"], list) else t["home.socket.pages"] * PAGE / L2S, "launches": len(one["kernels"]),
         "decisions": ns / SAMPLE, "cold": 100 * (512 + SMS * 128) * 1024 / 96 / ns, "remote": 100 * t["home.socket.remote_share"],
         "link_in": 100 * t["link.socket.use_in"], "cpu_one": one["host"]["cpu_seconds"], "cpu_four": d["host"]["cpu_seconds"]}
    why = []
    for name, cut in ("ctas", 100), ("footprint", 16):
        ours, theirs = min(n[name], cut), float(p[name])
        if abs(ours / theirs - 1) > 0.25:
            why.append("%s %.3g, published %.3g" % (name, ours, theirs))
    launches, kind = n["launches"], p["class"]
    if not (kind == "1" and launches == 1 or kind == "2" and 1 < launches <= 30 or kind == "3" and launches > 1):
        why.append("%d launches" % launches)
    if n["decisions"] < 20:
        why.append("%.1f samples" % n["decisions"])
    if n["cold"] > 10:
        why.append("cold for %.0f %%" % n["cold"])
    return {**{c: "%.4g" % v for c, v in n.items()}, "program": row["program"], "stands_for": p["stands_for"], "accepted": "no" if why else "yes",
            "why": "; ".join(why), "ctas_table": p["ctas"], "footprint_table": p["footprint"], "class": kind}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default=str(ROOT / "build" / "heddle"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    options = parser.parse_args()
    heddle = str(pathlib.Path(options.heddle).resolve())
    inputs, published = read("programs.csv"), {r["program"]: r for r in read("table.csv")}
    chosen = [r for r in inputs if not options.programs or r["program"] in options.programs]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        made = list(pool.map(lambda r: describe(heddle, r, published), chosen))
    rows = {r["program"]: r for r in read("accepted.csv")}
    rows.update({r["program"]: r for r in made})
    with open(HERE / "accepted.csv", "w", newline="", encoding="utf-8") as f:
        out = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(rows[r["program"]] for r in inputs if r["program"] in rows)


main()

#!/usr/bin/env python3
"""Warp instructions per kernel: a GPU's, and those that heddle issues.

usage: silicon/scripts/instructions.py [--code ptx|lowered] [--chip NAME] [--jobs N] [PROGRAM...]

Runs the programs of silicon/h200/kernels-small.csv (all, or those named) at size small with
sm.machine_code as said (default: lowered) and prints for every kernel the instructions executed
on the GPU, heddle's, and the relative error; then the mean of the absolute errors over kernels
and over programs. HEDDLE names the program (default: build/heddle), SILICON more folders of
tables, with colons between them.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def silicon():
    """{program: [(kernel, warp instructions) of each launch measured]}"""
    launches = {}
    folders = [os.path.join(ROOT, "silicon/h200")]
    folders += [f for f in os.environ.get("SILICON", "").split(":") if f]
    for folder in folders:
        with open(os.path.join(folder, "kernels-small.csv"), encoding="utf-8") as table:
            for row in csv.DictReader(table):
                count = int(float(row["warp_insts"]))
                launches.setdefault(row["workload"], []).append((row["kernel"], count))
    return launches


def simulate(name, chip, code):
    """[(kernel, warp instructions)] in the order of launching"""
    heddle = os.environ.get("HEDDLE", os.path.join(ROOT, "build/heddle"))
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        subprocess.run([heddle, "run", name, "--size", "small", "--chip", chip, "--quiet",
                        "--set", "sm.machine_code=" + code, "-o", out], check=True,
                       stdout=subprocess.DEVNULL)
        with open(out, encoding="utf-8") as result:
            kernels = json.load(result)["kernels"]
    return [(k["name"], k["warp_instructions"])
            for k in sorted(kernels, key=lambda k: k["number"])]


def by_kernel(launches):
    sums = {}
    for kernel, count in launches:
        sums[kernel] = sums.get(kernel, 0) + count
    return sums


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1][7:])
    parser.add_argument("--code", choices=["ptx", "lowered"], default="lowered")
    parser.add_argument("--chip", default="volta80")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    measured = silicon()
    unknown = [p for p in options.programs if p not in measured]
    if unknown:
        sys.exit(f"{unknown[0]} is in no table of measurements, expected one of "
                 + " ".join(sorted(measured)))
    # empty kernels: what a launch costs, not what it executes
    names = options.programs or [n for n in sorted(measured) if n != "launches"]
    errors, programs = [], []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = {n: pool.submit(simulate, n, options.chip, options.code) for n in names}
        for name in names:
            launches = runs[name].result()[:len(measured[name])]
            ours, theirs = by_kernel(launches), by_kernel(measured[name])
            for kernel, count in theirs.items():
                error = ours[kernel] / count - 1
                errors.append(abs(error))
                print(f"{name:12} {kernel:26} {count:10} {ours[kernel]:10} {100 * error:+7.1f} %",
                      flush=True)
            programs.append(abs(sum(ours.values()) / sum(theirs.values()) - 1))
    print(f"mean absolute error: {100 * sum(errors) / len(errors):.1f} % of {len(errors)} kernels, "
          f"{100 * sum(programs) / len(programs):.1f} % of {len(programs)} programs")


main()

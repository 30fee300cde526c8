#!/usr/bin/env python3
"""What the programs of a study are like, as columns that its formulas read (characterisation.csv), and how their branches
are mixed and taken (mix.csv).

    studies/front-end/characterise.py [STUDY] [--heddle build/heddle] [--mix-only]

STUDY is a folder with study.yaml (default: this one). Programs of which a trace with 64 threads is recorded have the
serial share with 64, too. `heddle trace stats` measures the first thread of each program (Milic 2017 instruments the master
thread alone), and all threads for what they share.
"""
import argparse
import csv
import json
import os
import subprocess

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
SECTIONS = ("serial", "parallel", "total")


def measure(heddle, program, *options):
    out = subprocess.run([heddle, "trace", "stats", program, "--json", *options], check=True, capture_output=True)
    return json.loads(out.stdout)["traces"][0]


def columns(trace, whole):
    row = {}
    for s in SECTIONS:
        c = trace[s]
        n, conditional = c["instructions"], c["branches"]["conditional"]
        branches = sum(c["branches"].values())
        indirect = c["branches"]["indirect jump"] + c["branches"]["indirect call"]
        row[f"instructions_{s}"] = n
        if not n:
            continue
        row[f"branches_{s}"] = 100 * branches / n
        row[f"indirect_{s}"] = 100 * indirect / branches if branches else 0
        row[f"biased_{s}"] = 100 * (c["bias"][0] + c["bias"][-1]) / conditional if conditional else 0
        row[f"backward_{s}"] = 100 * c["backward_share"]
        row[f"static_{s}"] = c["static_bytes"] / 1024
        row[f"hot_{s}"] = c["hot_bytes"] / 1024
        row[f"block_{s}"] = c["block_bytes"]
        row[f"between_{s}"] = c["taken_distance_bytes"]
    row["serial"] = 100 * trace["serial_share"]
    row["shared"] = 100 * whole["shared_instructions"]
    return row


def mix(trace, contents):
    """Shares of instructions by class of branch, and of conditional branches by tenths in which their branch is taken."""
    row = {}
    for s in SECTIONS:
        c = trace[s]
        n, conditional = c["instructions"], c["branches"]["conditional"]
        if not n:
            continue
        for kind, count in c["branches"].items():
            row[f"{kind.replace(' ', '_')}_{s}"] = 100 * count / n
        row[f"not_taken_{s}"] = 100 * (1 - c["conditional_taken"] / conditional) if conditional else 0
        for i, count in enumerate(c["bias"]):
            row[f"taken{10 * i}_{s}"] = 100 * count / conditional if conditional else 0
    row["trace"] = contents
    return row


def contents_of(program):
    """The hash of a recording, as `heddle trace suite` keeps it."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    name = program.removeprefix("suite:").split("@")[0]
    with open(f"{cache}/heddle/suite/{name}.csv") as f:
        return next(csv.DictReader(f))["contents"]


def serial_share(heddle, name):
    """Of a trace that need not be there, in per cent."""
    try:
        return {"serial_64": 100 * measure(heddle, name, "--thread", "0")["serial_share"]}
    except subprocess.CalledProcessError:
        return {}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("study", nargs="?", default=HERE)
    p.add_argument("--heddle", default="heddle")
    p.add_argument("--mix-only", action="store_true", help="leave characterisation.csv as it is")
    p.add_argument("-o")
    a = p.parse_args()
    with open(os.path.join(a.study, "study.yaml")) as f:
        study = yaml.safe_load(f)
    rows, mixes = [], []
    for name in study["workloads"]:
        trace = measure(a.heddle, name, "--thread", "0")
        if "mix" in study["data"]:
            mixes.append({"program": name, **mix(trace, contents_of(name))})
        if a.mix_only:
            continue
        row = {"program": name, **columns(trace, measure(a.heddle, name))}
        if "." not in name:
            row.update(serial_share(a.heddle, name + ".64"))
        rows.append(row)
    if rows:
        write(a.o or os.path.join(a.study, "characterisation.csv"), rows)
    if mixes:
        write(os.path.join(a.study, "mix.csv"), mixes)


def write(path, rows):
    names = list(dict.fromkeys(k for r in rows for k in r))
    with open(path, "w", newline="") as f:
        w = csv.DictWriter(f, names, restval="", lineterminator="\n")
        w.writeheader()
        for r in rows:
            w.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in r.items()})


if __name__ == "__main__":
    main()

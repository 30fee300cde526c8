#!/usr/bin/env python3
"""Out-of-order back ends beside rates: backends.csv, from recordings of today (their hashes are in it).

    studies/acmp/backends.py [--heddle build/heddle] [PROGRAM...]

The study's runs `exact` take acmp9 with `core.backend: out_of_order`, whose cores are wide. The rates are those of lean
cores (cpu8), so their like is acmp9-out-of-order. For CG, EP and LU (or PROGRAM...), with nine threads and rates:

    heddle trace suite --group hpc CG EP LU --threads 9 && for p in CG EP LU; do heddle trace rate suite:$p.9; done
"""
import argparse
import csv
import json
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CHIPS = {
    "wide": ("acmp9", ["core.backend=out_of_order"]),
    "lean": ("acmp9-out-of-order", []),
    "rate": ("acmp9", []),
}
CHOSEN = ["core.l1i.size_bytes=16KiB", "core.sharing.cores_per_cache=8", "core.sharing.buses=2"]


def run(heddle, program, chip, sets):
    options = [x for s in sets for x in ("--set", s)]
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([heddle, "run", f"suite:{program}.9", "--chip", chip, "-q", "-o", out.name, *options], check=True)
        return json.load(open(out.name))


def contents_of(program):
    """The hash of a recording, as `heddle trace suite` keeps it."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    with open(f"{cache}/heddle/suite/{program}.9.csv", encoding="utf-8") as f:
        return next(csv.DictReader(f))["contents"]


def measure(heddle, program):
    row = {"program": f"suite:{program}.9"}
    for name, (chip, sets) in CHIPS.items():
        alone, shared = run(heddle, program, chip, sets), run(heddle, program, chip, sets + CHOSEN)
        bus = shared["totals"]
        row[f"{name}_ipc"] = alone["totals"]["core.ipc"]
        row[f"{name}_time"] = shared["run"]["cycles"]["core"] / alone["run"]["cycles"]["core"]
        # of two buses, between the first line and the last
        row[f"{name}_bus"] = 50 * bus["icache.data_bus.busy_cycles"] / bus["icache.data_bus.span_cycles"]
    row["trace"] = contents_of(program)
    return row


def main():
    p = argparse.ArgumentParser()
    p.add_argument("programs", nargs="*", default=["CG", "EP", "LU"])
    p.add_argument("--heddle", default="heddle")
    p.add_argument("-o", default=os.path.join(HERE, "backends.csv"))
    a = p.parse_args()
    rows = [measure(a.heddle, program) for program in a.programs]
    with open(a.o, "w", newline="", encoding="utf-8") as f:
        w = csv.DictWriter(f, list(rows[0]), lineterminator="\n")
        w.writeheader()
        for r in rows:
            w.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in r.items()})


if __name__ == "__main__":
    main()

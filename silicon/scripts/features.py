#!/usr/bin/env python3
"""What kernels with each feature were off by: the table of src/views/gpu_doubts.c.

features.py FOLDER...   FOLDER: where `heddle correlate` ran (heddle-out/results.db, heddle-out/correlate/*/launches.csv)

Features are told as gpu_features does, for the chip h200. By kernel of a program, launches above 5,000 cycles.
"""
import csv
import glob
import sqlite3
import statistics
import sys

SMS, LAUNCH, L2_BYTES, DRAM_BYTES = 132, 2850, 96 * 64, 96 * 8 * 4 * 1567 / 1980


def features(kernel):
    def of(name):
        return float(kernel[name] or 0)
    slots = {n: of("scheduler_slots_" + n) for n in ("issued", "fetch", "data_mem", "data_alu", "structural_mem",
                                                     "structural_alu", "barrier", "throttled", "no_warp")}
    live = sum(slots.values()) - slots["no_warp"]
    work = max(1, of("cycles") - LAUNCH)
    atomics, reads = of("l2_atomic_sectors") + of("l2_reduction_sectors"), of("l2_read_sectors")
    yield "short", LAUNCH * 3 > of("cycles")
    yield "l2_reads", 32 * reads > 0.2 * L2_BYTES * work
    yield "dram", of("dram_read_bytes") + of("dram_written_bytes") > 0.2 * DRAM_BYTES * work
    yield "lsu", slots["structural_mem"] > 0.25 * live
    yield "atomics", atomics > 0.1 * (reads + atomics)
    yield "shared", of("shared_passes") > 0.25 * work * SMS
    yield "barriers", slots["barrier"] > 0.25 * live
    yield "arithmetic", slots["data_alu"] > 0.25 * live
    yield "instructions", slots["issued"] > 0.4 * live
    yield "fetch", slots["fetch"] > 0.1 * live
    yield "few_warps", slots["no_warp"] > 0.5 * sum(slots.values())
    yield "all", True


errors = {}
for folder in sys.argv[1:]:
    db = sqlite3.connect(folder + "/heddle-out/results.db")
    db.row_factory = sqlite3.Row
    programs = {r["key"]: r["workload"].split("/")[-1] for r in db.execute("SELECT key, workload FROM runs")}
    kernels = {(programs[k["run"]], int(k["number"])): k for k in db.execute("SELECT * FROM kernels")}
    for path in glob.glob(folder + "/heddle-out/correlate/*/launches.csv"):
        with open(path, encoding="utf-8") as f:
            for row in csv.DictReader(f):
                if row["counter"] != "cycles" or float(row["silicon"]) <= 5000:
                    continue
                error = 100 * (float(row["simulated"]) / float(row["silicon"]) - 1)
                for name, has in features(kernels[row["program"], int(row["launch"])]):
                    if has:
                        errors.setdefault(name, {}).setdefault((path, row["program"], row["kernel"]), []).append(error)
print("feature,kernels,mean,signed,past_20")
for name, by_kernel in errors.items():
    means = [statistics.mean(map(abs, e)) for e in by_kernel.values()]
    signed = statistics.mean(statistics.mean(e) for e in by_kernel.values())
    print(f"{name},{len(means)},{statistics.mean(means):.1f},{signed:+.1f},{sum(m > 20 for m in means)}")

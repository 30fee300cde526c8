#!/usr/bin/env python3
"""Makes and accepts what this study runs, before any scheme that tracks blocks runs.

prepare.py --pairs                   writes pairs/ from programs.csv
prepare.py --alone [PROGRAM...]      runs programs alone and writes their rows of accepted.csv, and means-*.yaml
prepare.py --caps                    runs the static oracle on held-out pairs and writes chips/volta8-caps.yaml

--heddle FILE, --jobs N. Runs are of the chip without a block policy, chips/volta8-sim3.yaml; caches are cold for a few per cent of a run. A
program is accepted (context-management.md 1.5 and 4 item 7) if at densities 2 and 4

  launch  (bfs_wl, sssp) it is one launch that lasts at least 20 of its polls
  long    (mst, dmr) it lasts at least 20 of its polls, its kernels, by time, at least one
  short   (pta, sgd) it has at least 20 launches of less than 100 us, a phase's window
  order   kernels are as long, in the mean, as Table 3.2 orders them: DMR, MST, PTA, SGD
  compute (sgemm, cutcp, mri-q) the floating-point units are more than 60 % busy
  memory  (spmv, stencil, lbm) DRAM is more than 60 % busy

A poll is every context / 1.1 us (Table 3.2). The study judges the same in study.yaml from its own runs; there the sizes of contexts, too.

Caps: those of CAPS at which the static oracle has the highest throughput on the twelve held-out pairs (geometric mean against the first
point, threads' instructions of the irregular program); of points within 0.1 % of it, the first.
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import math
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CONTEXT_KB = {"bfs_wl": 16, "dmr": 64, "mst": 34, "pta": 108, "sssp": 32, "sgd": 2}
SIX = ["bfs_wl", "sssp", "mst", "dmr", "pta", "sgd"]
SHORT = {"bfs_wl": "bfs"}
BESIDE, HELD_OUT = ["sgemm", "cutcp", "spmv", "stencil"], ["lbm", "mri-q"]
CAPS = [(0.125, 0.25), (0.125, 0.9), (0.25, 0.9), (0.5, 0.25), (0.5, 0.9), (0.75, 0.9)]
COLUMNS = ["program", "density", "accepted", "why", "cycles", "launches", "mean_us", "by_time_us", "polls", "mem", "fpu", "fpu_busy", "dram_busy", "l1_hits",
           "seconds"]
CHIP = HERE / "chips" / "volta8-sim3.yaml"
GHZ, DRAM_GB_S, LANES = 1.6, 90, 8 * 64


def read(name):
    if not (HERE / name).exists():
        return []
    with open(HERE / name, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


def run(heddle, out, *words):
    out.parent.mkdir(exist_ok=True)
    subprocess.run([heddle, "run", *words[: words.index("--") if "--" in words else None], "-q", "-o", out,
                    *(words[words.index("--"):] if "--" in words else [])], check=True)
    with open(out, encoding="utf-8") as f:
        return json.load(f)


# Pairs.

def application(row):
    return "  - {workload: %s, size: %s, args: [%s]}\n" % (row["program"], row["size"], ", ".join(row["args"].split()))


def write_pairs():
    inputs = {(r["program"], r["density"]): r for r in read("programs.csv")}
    (HERE / "pairs").mkdir(exist_ok=True)
    for density, end in ("2", ""), ("4", "-sparse"):
        pairs = [(a, b) for i, a in enumerate(SIX) for b in SIX[i + 1:]]
        if density == "2":
            pairs += [(a, b) for a in SIX for b in BESIDE + HELD_OUT]
        for a, b in pairs:
            about = "two irregular programs" if b in SIX else "an irregular program and a regular one"
            name = "%s-%s%s.yaml" % (SHORT.get(a, a), SHORT.get(b, b), end)
            (HERE / "pairs" / name).write_text("about: %s that share every SM\napplications:\n%s%s" % (
                about, application(inputs[a, density]), application(inputs[b, density if b in SIX else "-"])), encoding="utf-8")


# Programs alone.

def alone(heddle, row):
    out = HERE / "traces" / ("%s-%s.json" % (row["program"], row["density"]))
    d = run(heddle, out, row["program"], "--size", row["size"], "--chip", CHIP, "--set", "sm.block_use=true", "--", *row["args"].split())
    t, kernels, cycles = d["totals"], d["kernels"], d["run"]["cycles"]["core"]
    use, total = collections.defaultdict(lambda: [0.0, 0.0, 0.0]), sum(k["cycles"] for k in kernels)
    for k in kernels:
        weight = k["cycles"] * min(k["blocks"], 8 * k["blocks_per_sm"])
        for i, v in enumerate((1, k["block_use"]["mem"], k["block_use"]["fpu"])):
            use[k["name"]][i] += weight * v
    whole = [sum(u[i] for u in use.values()) for i in range(3)]
    us = lambda c: c / GHZ / 1000
    by_time = us(sum(k["cycles"] ** 2 for k in kernels) / total)
    poll_us = CONTEXT_KB.get(row["program"], 0) / 1.1
    number = {"cycles": cycles, "launches": len(kernels), "mean_us": us(total) / len(kernels), "by_time_us": by_time,
              "polls": us(cycles) / poll_us if poll_us else 0, "mem": whole[1] / whole[0], "fpu": whole[2] / whole[0],
              "fpu_busy": 100 * t["sm.blocks.fp_lanes"] / (LANES * cycles), "l1_hits": 100 * t["sm.l1.hit_rate"],
              "dram_busy": 100 * (t["dram.bytes_read"] + t["dram.bytes_written"]) / (us(cycles) * 1000 * DRAM_GB_S), "seconds": d["host"]["cpu_seconds"]}
    why = []
    expect = lambda holds, text: why.append(text) if not holds else None
    kind = row["kind"]
    if kind in ("launch", "long"):
        expect(number["polls"] >= 20, "%.1f polls" % number["polls"])
    if kind == "launch":
        expect(len(kernels) == 1, "%d launches" % len(kernels))
    if kind == "long":
        expect(by_time >= poll_us, "kernels of %.0f us, a poll is %.0f" % (by_time, poll_us))
    if kind == "short":
        expect(len(kernels) >= 20, "%d launches" % len(kernels))
        expect(by_time < 100, "kernels of %.0f us" % by_time)
    if kind == "compute":
        expect(number["fpu_busy"] > 60, "floating-point units %.0f %% busy" % number["fpu_busy"])
    if kind == "memory":
        expect(number["dram_busy"] > 60, "DRAM %.0f %% busy" % number["dram_busy"])
    means = [(name, u[0], u[1], u[2]) for name, u in use.items()]
    return {**{c: "%.5g" % v for c, v in number.items()}, "program": row["program"], "density": row["density"], "why": "; ".join(why)}, means


def write_accepted(heddle, jobs, names):
    inputs = [r for r in read("programs.csv") if not names or r["program"] in names or r["program"] + "-" + r["density"] in names]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        made = list(pool.map(lambda r: alone(heddle, r), inputs))
    rows = {(r["program"], r["density"]): r for r in read("accepted.csv")}
    rows.update({(r["program"], r["density"]): r for r, _ in made})
    order = {(r["program"], r["density"]): i for i, r in enumerate(read("programs.csv"))}
    for (program, density), r in rows.items():
        after = {"dmr": "mst", "mst": "pta", "pta": "sgd"}.get(program)
        other = rows.get((after, density))
        text = "kernels no longer than %s's" % after
        r["why"] = "; ".join(w for w in r["why"].split("; ") if w and w != text)
        if other and float(r["mean_us"]) <= float(other["mean_us"]):
            r["why"] = "; ".join(w for w in (r["why"], text) if w)
        r["accepted"] = "no" if r["why"] else "yes"
    with open(HERE / "accepted.csv", "w", newline="", encoding="utf-8") as f:
        out = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(rows[k] for k in sorted(rows, key=order.get))
    write_means([m for r, means in made if r["density"] in ("2", "-") for m in means], "means.yaml")
    write_means([m for r, means in made if r["density"] == "4" for m in means], "means-sparse.yaml")


def write_means(made, name):
    """The static oracle's file: each kernel's mean use of an SM by one block. Kernels that were not run now stay."""
    if not made:
        return
    kernels = {}
    if (HERE / name).exists():
        kernels = dict(line.strip().split(": ", 1) for line in open(HERE / name, encoding="utf-8") if line.startswith("  "))
    kernels.update({n: "{mem: %.6f, fpu: %.6f}" % (mem / weight, fpu / weight) for n, weight, mem, fpu in made})
    lines = ["  %s: %s" % k for k in sorted(kernels.items())]
    (HERE / name).write_text("\n".join(["# made by prepare.py --alone", "kernels:", *lines]) + "\n", encoding="utf-8")


# Caps.

def write_caps(heddle, jobs):
    def throughput(job):
        pair, (mem, fpu) = job
        out = HERE / "traces" / ("%s-%g-%g.json" % (pair.stem, mem, fpu))
        rut = "block=rut,means=%s,sched=static,cap_mem=%g,cap_fpu=%g" % (HERE / "means.yaml", mem, fpu)
        d = run(heddle, out, "--mix", pair, "--chip", CHIP, "--policy", rut)
        a = d["applications"][0]
        return a["thread_instructions"] / a["cycles"]

    pairs = [HERE / "pairs" / ("%s-%s.yaml" % (SHORT.get(a, a), b)) for a in SIX for b in HELD_OUT]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        speed = list(pool.map(throughput, [(p, c) for c in CAPS for p in pairs]))
    n = len(pairs)
    gains = [math.exp(sum(math.log(speed[k * n + i] / speed[i]) for i in range(n)) / n) for k in range(len(CAPS))]
    best = next(k for k, g in enumerate(gains) if g >= 0.999 * max(gains))
    table = "".join("#   %5g %5g  %.4f\n" % (*c, g) for c, g in zip(CAPS, gains))
    write_chip(*CAPS[best], "# The static oracle on held-out pairs, by caps of refusals and floating-point use:\n" + table)


def write_chip(mem, fpu, why):
    (HERE / "chips" / "volta8-caps.yaml").write_text(
        "# volta8-sim3 with the caps of all schemes of this study (prepare.py --caps; context-management.md 2.2).\n" + why +
        "base: volta8-sim3\nabout: volta8-sim3 with the caps of the study blocks\n\n"
        "policy:\n  block:\n    rut: {cap_mem: %g, cap_fpu: %g}\n" % (mem, fpu), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default=str(ROOT / "build" / "heddle"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--alone", nargs="*", metavar="PROGRAM[-DENSITY]")
    parser.add_argument("--caps", action="store_true")
    options = parser.parse_args()
    heddle = str(pathlib.Path(options.heddle).resolve())
    if options.pairs:
        write_pairs()
    if options.alone is not None:
        write_accepted(heddle, options.jobs, options.alone)
    if options.caps:
        write_caps(heddle, options.jobs)


main()

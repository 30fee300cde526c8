#!/usr/bin/env python3
"""Makes the inputs of this study and accepts them, before any frequency changes.

studies/dyfr/accept.py --heddle build/heddle      records traces/, writes gpu/ and accepted.csv

CPU programs are the suite's kernels with their arrays divided by 16 (programs.csv), recorded under QEMU; GPU programs are synthetic kernels
with the published misses (kernels.csv) whose data leave the L3 where the class says so. Each runs alone and warm on chips/apu46-dvfs-16.yaml,
all domains at base, at the lowest, base and highest frequency of its own cores (dyfr-and-green.md A1.5):

  log     more than 10 misses per 1000 instructions; highest / lowest speed at most 1.6 (CPU, of 2.67), 2.0 (GPU, of 3.5), streamcluster 1.2
  linear  fewer than 5 misses; at least 2.3 (CPU), 3.0 (GPU)

Accepted is `yes` if misses are within 15 % of the published ones, too, `class` if only these hold, `no` otherwise; mixes take yes and class.
"""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SKIP, RECORDED, WARM, PROBE = 8000000, 20000000, 2000000, 500000  # instructions
SHORT_US, LONG_US = 140, 2100  # windows alone at base: 22 periods of 6.25 us, 21 of the published 100 us
GHZ = {"cpu": (1.5, 3.0, 4.0), "gpu": (0.6, 1.5, 2.1)}
COLUMNS = ["program", "kind", "class", "accepted", "why", "published_mpki", "mpki", "llc_mpki", "ratio", "ns_per_unit", "short", "long"]


def rows(name):
    with open(HERE / name, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def record(heddle, row):
    traces = HERE / "traces"
    if (traces / (row["program"] + ".hct")).exists():
        return
    words = row["command"].split()
    subprocess.run(["gcc", "-O2", "-static", "-o", traces / words[0], ROOT / f"workloads/cpu/{words[0]}.c", "-lm"], check=True)
    subprocess.run([heddle, "trace", "-q", "-o", row["program"] + ".hct", "--skip", str(SKIP), "--length", str(RECORDED), "--", "./" + words[0], *words[1:]],
                   cwd=traces, stdout=subprocess.DEVNULL, check=True)


def write_kernels(row, launches, name):
    """gpu/NAME.yaml: one launch to warm up, and as many as the window has."""
    warps = int(row["threads_per_block"]) // 32
    head = f"blocks: {6 * int(row['warps_per_sm']) // warps}, threads_per_block: {row['threads_per_block']}, registers_per_thread: 16"
    loop = f"dependence_distance: 4, code_bytes: {8 * int(row['loop_instructions'])}, mix: {{fp32: {row['arithmetic_per_load']}, load: 1}}"
    access = f"{row['pattern']}: 1" + (f", footprint_bytes: {row['footprint_bytes']}" if row["footprint_bytes"] else "")
    if row["class"] == "linear":  # nearly all loads hit; the last 40 instructions have one that misses
        body = (f"phases: [{{instructions: {int(row['instructions']) - 40}, {loop}, access: {{{access}}}}}, "
                "{instructions: 40, code_bytes: 320, dependence_distance: 4, mix: {fp32: 39, load: 1}, access: {stream: 1}}]")
    else:
        body = f"instructions: {row['instructions']}, {loop}, access: {{{access}}}"
    out = [f"about: {row['class']}, {row['published_mpki']} misses of {row['kernel']}", "kernels:"]
    out += [f"  - {{name: {n}, {head}, {body}}}" for n in ["warm"] + ["window"] * launches]
    (HERE / "gpu").mkdir(exist_ok=True)
    (HERE / "gpu" / (name + ".yaml")).write_text("\n".join(out) + "\n", encoding="utf-8")


def alone(heddle, name, side, ghz):
    work = HERE / "traces" / "alone"
    work.mkdir(parents=True, exist_ok=True)
    mix, result = work / f"{name}.yaml", work / f"{name}-{ghz}.json"
    what = f"{{synthetic: {HERE}/gpu/{name}.yaml, name: {name}}}" if side == "gpu" else f'{{cpu: "{HERE}/traces/{name}.hct@0+{WARM + PROBE}", name: {name}}}'
    warm = "{launches: 1}" if side == "gpu" else f"{{instructions: {WARM}, how: functional}}"
    mix.write_text(f"warm: {warm}\napplications:\n  - {what}\n", encoding="utf-8")
    subprocess.run([heddle, "run", "--mix", mix, "--chip", HERE / "chips" / "apu46-dvfs-16.yaml", "--policy", f"dvfs=fixed,{side}={ghz}GHz", "-q", "-o", result], check=True)
    with open(result, encoding="utf-8") as f:
        return json.load(f)


def describe(heddle, row, side):
    name = row["kernel" if side == "gpu" else "program"]
    if side == "gpu":
        write_kernels(row, 2, name)
    r = [alone(heddle, name, side, ghz) for ghz in GHZ[side]]
    a = [d["applications"][0] for d in r]
    count = a[1]["warp_instructions" if side == "gpu" else "instructions"]
    misses = a[1]["l2_accesses"] if side == "gpu" else r[1]["totals"]["cpu.core.l2.misses"]
    mpki, ratio = 1000 * misses / count, a[0]["fs"] / a[2]["fs"]
    cls, published = row["class"], float(row["published_mpki"] or 0)
    most = 1.2 if name == "streamcluster" else {"cpu": 1.6, "gpu": 2.0}[side]
    least = {"cpu": 2.3, "gpu": 3.0}[side]
    why = []
    if cls == "log" and mpki <= 10 or cls == "linear" and mpki >= 5:
        why.append(f"MPKI {mpki:.1f}")
    if cls == "log" and ratio > most or cls == "linear" and ratio < least:
        why.append(f"highest / lowest speed {ratio:.2f}")
    accepted = "no" if why else "yes" if published and abs(mpki / published - 1) <= 0.15 else "class"
    if accepted == "class":
        why.append(f"MPKI {mpki / published:.2f} of the published" if published else "no MPKI is published")
    unit_ns = a[1]["fs"] / 1e6 / (2 if side == "gpu" else count)  # of a launch, of an instruction
    windows = [max(1, round(us * 1000 / unit_ns + 0.5)) for us in (SHORT_US, LONG_US)]
    if side == "gpu":
        write_kernels(row, windows[0], name)
        write_kernels(row, windows[1], name + "-long")
    else:
        windows = [min(w, RECORDED - WARM) for w in windows]
    return dict(zip(COLUMNS, [name, side, cls, accepted, "; ".join(why), row["published_mpki"], f"{mpki:.2f}",
                              f"{1000 * (a[1]['l2_accesses'] - a[1]['l2_hits']) / count:.2f}", f"{ratio:.2f}", f"{unit_ns:.5f}", *windows]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default=str(ROOT / "build" / "heddle"))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    heddle = str(pathlib.Path(options.heddle).resolve())
    (HERE / "traces").mkdir(exist_ok=True)
    cpus, gpus = rows("programs.csv"), rows("kernels.csv")
    for row in cpus:
        record(heddle, row)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        done = list(pool.map(lambda p: describe(heddle, *p), [(r, "cpu") for r in cpus] + [(r, "gpu") for r in gpus]))
    with open(HERE / "accepted.csv", "w", newline="", encoding="utf-8") as f:
        out = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(done)


main()

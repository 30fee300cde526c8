#!/usr/bin/env python3
"""Makes the inputs of this study and accepts them, before any mechanism runs.

studies/tap/prepare.py --heddle build/heddle      records traces/, writes gpu/ and accepted.csv

CPU programs are the suite's kernels with their arrays divided by 16 (programs.csv), recorded under QEMU; GPU programs are synthetic
kernels that differ in footprint, arithmetic per load and warps (kernels.csv). Each runs alone, warm, with LRU, with 1 and with 32 ways of
the divided cache, and is accepted by the rows of tap-and-vcp.md 1.9 in the window that mixes use. The window of a CPU program lasts 10.5
periods alone with all ways, that of a GPU program 22: three launches after a shorter one that warms up. The machine's window ends with the
last of them, so a mechanism decides at least 20 times in it.
"""
import argparse
import concurrent.futures
import csv
import hashlib
import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PERIOD = 312500      # cycles: 5,000,000 / 16
WINDOW = 10.5        # periods alone with all ways; a GPU program's is 22: so many decisions are in the machine's window
WARM = 4000000       # instructions, functional
RECORDED = 24000000  # at most: a warm part and the longest window
SETS_BYTES = 16384   # one way of 256 sets
COLUMNS = ["program", "kind", "class", "accepted", "why", "mpki", "llc_mpki_1", "llc_mpki_32", "m", "cpi_1", "cpi_32", "g", "rpkc", "window", "sha256"]


def rows(name):
    with open(HERE / name, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def record(heddle, row):
    """One trace of the program; it is not recorded again if it is there."""
    traces = HERE / "traces"
    trace = traces / (row["program"] + ".hct")
    if trace.exists():
        return
    words = row["command"].split()
    if words[0] == "bzip2":
        text = traces / "text"
        subprocess.run(["gcc", "-O2", "-static", "-o", text, ROOT / "workloads/cpu/text.c"], check=True)
        with open(traces / "bzip2.input", "wb") as f:
            subprocess.run([text, "4000000", "20000"], stdout=f, check=True)
    else:
        subprocess.run(["gcc", "-O2", "-static", "-o", traces / words[0], ROOT / f"workloads/cpu/{words[0]}.c", "-lm"], check=True)
        words[0] = "./" + words[0]
    subprocess.run([heddle, "trace", "-q", "-o", trace.name, "--skip", row["skip"], "--length", row["length"], "--", *words], cwd=traces,
                   stdout=subprocess.DEVNULL, check=True)


def write_kernels(row):
    """gpu/NAME.yaml: one launch to warm up, three that count, each in `waves` waves of blocks; `instructions` are of a warp slot in a launch."""
    warps = int(row["threads_per_block"]) // 32
    waves = int(row["waves"])
    blocks = 6 * int(row["warps_per_sm"]) // warps
    shared = f"shared_bytes: {48 * 1024 * warps // int(row['warps_per_sm'])}, " if waves > 1 else ""  # no more blocks at once
    access = f"{row['pattern']}: 1" + (f", footprint_bytes: {row['footprint_bytes']}" if row["footprint_bytes"] else "")
    out = [f"about: type {row['type']}, {row['warps_per_sm']} warps an SM, {row['arithmetic_per_load']} multiply-adds for each load", "kernels:"]
    for name, part, times in (("warm", 3, 1), ("first", 1, waves), ("second", 1, waves), ("third", 1, waves)):
        out.append(f"  - {{name: {name}, blocks: {blocks * times}, threads_per_block: {row['threads_per_block']}, registers_per_thread: 16, {shared}"
                   f"instructions: {int(row['instructions']) // times // part}, dependence_distance: 2, "
                   f"mix: {{fp32: {row['arithmetic_per_load']}, load: 1}}, access: {{{access}}}}}")
    (HERE / "gpu").mkdir(exist_ok=True)
    (HERE / "gpu" / (row["kernel"] + ".yaml")).write_text("\n".join(out) + "\n", encoding="utf-8")


def alone(heddle, work, name, application, warm, chip, ways):
    mix, result = work / f"{name}.yaml", work / f"{name}-{ways}.json"
    mix.write_text(f"warm: {warm}\napplications:\n  - {application}\n", encoding="utf-8")
    subprocess.run([heddle, "run", "--mix", mix, "--chip", HERE / "chips" / f"{chip}.yaml", "--set", f"llc.ways={ways}", "--set",
                    f"llc.size_bytes={ways * SETS_BYTES}", "-q", "-o", result], check=True)
    with open(result, encoding="utf-8") as f:
        return json.load(f)


def measure(heddle, work, name, is_gpu):
    n, window = {}, 1000000
    for ways in (32, 1, 32):  # the first run of a CPU program finds the length of its window
        if is_gpu and n and ways == 32:
            continue
        if is_gpu:
            d = alone(heddle, work, name, f"{{synthetic: {HERE}/gpu/{name}.yaml, name: {name}}}", "{launches: 1}", "apu46-16", ways)
        else:
            d = alone(heddle, work, name, f'{{cpu: "{HERE}/traces/{name}.hct@0+{WARM + window}", name: {name}}}', f"{{instructions: {WARM}, how: functional}}", "cpu4-16", ways)
        a = d["applications"][0]
        count = a["warp_instructions"] if is_gpu else a["instructions"]
        n[f"cpi_{ways}"] = (6 if is_gpu else 1) / a["ipc"]
        n[f"llc_mpki_{ways}"] = 1000 * (a["l2_accesses"] - a["l2_hits"]) / count
        n["mpki"] = 1000 * a["l2_accesses"] / count
        n["rpkc"] = 1000 * a["l2_accesses"] / a["cycles"]
        if not is_gpu and len(n) == 4:
            window = min(int(WINDOW * PERIOD / n["cpi_32"] / 1000) * 1000, RECORDED - WARM)
    n["window"] = window
    n["g"] = n["cpi_1"] / n["cpi_32"]
    n["m"] = n["llc_mpki_32"] / n["llc_mpki_1"] if n["llc_mpki_1"] else 1
    return n


def judge(kind, n):
    """What the row of 1.9 asks for and the program does not have."""
    asks = {
        "cache-friendly": [("mpki >= 5", n["mpki"] >= 5), ("m <= 0.6", n["m"] <= 0.6), ("g >= 1.2", n["g"] >= 1.2)],
        "streaming": [("mpki >= 10", n["mpki"] >= 10), ("m >= 0.8", n["m"] >= 0.8), ("g <= 1.1", n["g"] <= 1.1)],
        "compute": [("mpki < 5", n["mpki"] < 5), ("g <= 1.05", n["g"] <= 1.05)],
        "A": [("MPKI <= 1", n["llc_mpki_32"] <= 1), ("CPI <= 2.2", n["cpi_32"] <= 2.2)],
        "B": [("MPKI >= 20", n["llc_mpki_32"] >= 20), ("m >= 0.8", n["m"] >= 0.8), ("CPI >= 3", n["cpi_32"] >= 3), ("g <= 1.1", n["g"] <= 1.1)],
        "C": [("m <= 0.5", n["m"] <= 0.5), ("g >= 1.15", n["g"] >= 1.15)],
        "D": [("m <= 0.5", n["m"] <= 0.5), ("g <= 1.05", n["g"] <= 1.05)],
        "E": [("MPKI >= 20", n["llc_mpki_32"] >= 20), ("m >= 0.8", n["m"] >= 0.8), ("CPI <= 2.2", n["cpi_32"] <= 2.2)],
    }[kind]
    return "; ".join(what for what, holds in asks if not holds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default=str(ROOT / "build" / "heddle"))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    heddle = str(pathlib.Path(options.heddle).resolve())
    work = HERE / "traces" / "alone"
    work.mkdir(parents=True, exist_ok=True)
    cpus, gpus = rows("programs.csv"), rows("kernels.csv")
    for row in cpus:
        record(heddle, row)
    for row in gpus:
        write_kernels(row)
    named = [(r["program"], "cpu", r["class"]) for r in cpus] + [(r["kernel"], "gpu", r["type"]) for r in gpus]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        measured = list(pool.map(lambda p: measure(heddle, work, p[0], p[1] == "gpu"), named))
    with open(HERE / "accepted.csv", "w", newline="", encoding="utf-8") as f:
        f.write("# Written by prepare.py: programs alone, warm, with LRU, on chips/apu46-16.yaml and cpu4-16.yaml, before any mechanism ran.\n")
        out = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        out.writeheader()
        for (name, kind, cls), n in zip(named, measured):
            why = judge(cls, n)
            file = HERE / ("gpu" if kind == "gpu" else "traces") / (name + (".yaml" if kind == "gpu" else ".hct"))
            window = n.pop("window") if kind == "cpu" else n.pop("window") and ""
            row = {"program": name, "kind": kind, "class": cls, "accepted": "no" if why else "yes", "why": why, "window": window,
                   "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
            row.update({k: f"{v:.3f}" for k, v in n.items()})
            out.writerow(row)


main()

#!/usr/bin/env python3
"""Measures the stand-ins of the frequency study alone, and writes accepted.csv.

studies/dyfr/accept.py --heddle build/heddle          all of them: some minutes of processor time (two at a time)
studies/dyfr/accept.py --heddle build/heddle mcf cell what is named, beside what the file has
studies/dyfr/accept.py --print                        the table

Each program runs alone on chip apu46-dvfs, all domains at their base frequency and nobody changing any, at the lowest, base and highest
frequency of its own cores. CPU programs are cut to as many instructions as take about 150 us (log) or 200 us (linear) alone at base;
log ones miss at least 5000 times, so that one that starts again does not find all its lines in its private L2 of 4096. Rules (dyfr-and-green
spec A1.5):

  log     more than 10 misses per 1000 instructions; highest / lowest speed at most 1.6 (CPU, of 2.67), 2.0 (GPU, of 3.5), streamcluster 1.2
  linear  fewer than 5 misses per 1000 instructions; at least 2.3 (CPU), 3.0 (GPU)
  both    misses within 15 % of the published ones (kernels of ours), within a factor of 1.5 (perlbench, GPU programs)

Accepted is `yes` if all of it holds, `class` if the first two do, `no` otherwise. Of several inputs or windows of a program the one whose misses
are nearest the published ones counts, of those that its class accepts if there is one. Mixes (draw.py) take programs that are accepted; of a
class that has fewer than four, those that its class accepts as well.
"""
import argparse
import concurrent.futures
import csv
import json
import math
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TARGET_US = {"log": 150, "linear": 200}  # shorter ones have too many first misses in empty caches to be linear
FIELDS = ("program class kind input accepted mpki published_mpki mpki_factor mpt_100us us_low us_base us_high ratio "
          "dram_percent why").split()
FEWEST_MISSES = {"log": 5000, "linear": 0}
# name: (class, published MPKI)
CPU = {"gcc": ("log", 42.0), "mcf": ("log", 108.2), "libquantum": ("log", 33.9), "bwaves": ("log", 19.0), "milc": ("log", 19.1),
       "leslie3d": ("log", 19.0), "GemsFDTD": ("log", 13.6), "lbm": ("log", 34.2), "soplex": ("log", 55.8),
       "gobmk": ("linear", 0.96), "sjeng": ("linear", 0.4), "gamess": ("linear", 0.08), "povray": ("linear", 0.47),
       "xalancbmk": ("linear", 1.78), "h264ref": ("linear", 1.31)}
# not in table 17: what mixes take where too few of those in it are accepted
MORE = {"hmmer": ("linear", ""), "gromacs": ("linear", ""), "namd": ("linear", ""), "dealII": ("linear", ""), "calculix": ("linear", ""),
        "tonto": ("linear", ""), "perlbench": ("linear", "")}
CPU.update(MORE)
# where windows begin, if not at 0 and after 3 million instructions: the first 2 million of milc initialise its lattice
STARTS = {"milc": [3000000], "leslie3d": [1000000, 3000000]}
REAL = ["perlbench"]  # the other CPU programs are kernels of ours
# name: (class, published MPKI, workload, size and options of each input)
GPU = {"backprop": ("log", 14.22, "backprop", ["small --inputs 16384"]),
       "cfd": ("log", 61.5, "cfd", ["small --width 20 --height 16 --depth 16", "small --width 20 --height 12 --depth 12"]),
       "lbm-gpu": ("log", 63.3, "lbm", ["small --width 120 --height 16 --depth 16", "small --width 60 --height 14 --depth 14"]),
       "spmv": ("log", 60.0, "spmv", ["small --rows 20000 --band 1000", "small --rows 20000 --band 50"]),
       "gaussian": ("log", 45.6, "gaussian", ["small --side 112", "small --side 150"]),
       "blackscholes": ("log", 22.4, "blackscholes", ["small --options 280000 --passes 1"]),
       "streamcluster": ("log", 35.1, "sc", ["small --points 16384 --dimensions 32 --candidates 3", "small --points 16384 --dimensions 64 --candidates 2"]),
       "cell": ("linear", 1.06, "cell", ["small --side 24 --generations 8", "small --side 16 --generations 10"]),
       "lavaMD": ("linear", 1.79, "lavaMD", ["tiny", "tiny --side 3"]),
       "leukocyte": ("linear", 0.76, "leukocyte", ["tiny", "tiny --reads texture"]),
       "tpacf": ("linear", 0.03, "tpacf", ["tiny"]),
       "mri-q": ("linear", 0.19, "mri-q", ["large --side 8", "large --side 12"]),
       "cutcp": ("linear", 0.31, "cutcp", ["small --width 4 --height 3 --depth 3", "small --width 5 --height 4 --depth 4"])}
GHZ = {"cpu": (1.5, 3.0, 4.0), "gpu": (0.6, 1.5, 2.1)}


def run(heddle, what, side, ghz):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "r.json")
        command = [heddle, "run"] + what[0] + ["--chip", "apu46-dvfs", "--policy", "dvfs=fixed,%s=%gGHz" % (side, ghz),
                                               "-q", "-o", str(out)] + what[1]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit("%s: %s" % (" ".join(command), done.stderr.strip().splitlines()[-1]))
        return json.loads(out.read_text())


def cpu_window(name, start, count):
    return ["suite:%s@%d+%d" % (name, start, count)], []


def inputs(heddle, name):
    """What is run, and its text in accepted.csv, of each input or window of a program."""
    if name in GPU:
        for text in GPU[name][3]:
            size, *options = text.split()
            yield ([GPU[name][2], "--size", size], ["--"] + options if options else []), text
        return
    for start in STARTS.get(name, [0, 3000000]):
        count = 100000
        for _ in range(2):  # the first try has more first misses in empty caches
            result = run(heddle, cpu_window(name, start, count), "cpu", 3.0)
            longer = max(TARGET_US[CPU[name][0]] / (result["run"]["simulated_fs"] / 1e9), FEWEST_MISSES[CPU[name][0]] / result["totals"]["cpu.core.l2.misses"])
            count = max(10000, int(round(count * longer, -4)))
        yield cpu_window(name, start, count), "%d+%d" % (start, count)


def describe_input(heddle, name, what, text):
    side = "cpu" if name in CPU else "gpu"
    cls, published = (CPU.get(name) or GPU[name])[:2]
    runs = [run(heddle, what, side, ghz) for ghz in GHZ[side]]
    us = [r["run"]["simulated_fs"] / 1e9 for r in runs]
    base = runs[1]["totals"]
    instructions = base["cpu.core.instructions" if side == "cpu" else "gpu.sm.warp_instructions"]
    misses = base["cpu.core.l2.misses" if side == "cpu" else "gpu.sm.l1.misses"]
    mpki, ratio = 1000 * misses / instructions, us[0] / us[2]
    dram = 100 * (base["dram.bytes_read"] + base["dram.bytes_written"]) / (us[1] * 1e-6) / 40.96e9
    most = {"cpu": 1.6, "gpu": 2.0}[side] if name != "streamcluster" else 1.2
    least = {"cpu": 2.3, "gpu": 3.0}[side]
    factor = max(mpki / published, published / mpki) if published and mpki else 0
    near = 1.5 if side == "gpu" or name in REAL else 1.15
    why = []
    if cls == "log" and mpki <= 10 or cls == "linear" and mpki >= 5:
        why.append("MPKI %.1f" % mpki)
    if cls == "log" and ratio > most or cls == "linear" and ratio < least:
        why.append("highest / lowest speed %.2f" % ratio)
    accepted = "no" if why else "yes" if factor and factor <= near else "class"
    if factor > near:
        why.append("MPKI %.2f of the published" % (mpki / published))
    elif not factor:
        why.append("no MPKI is published")
    values = [name, cls, side, text, accepted, "%.2f" % mpki, published, "%.2f" % factor if factor else "", "%.0f" % (misses / (1 if side == "cpu" else 6) / us[1] * 100)]
    return dict(zip(FIELDS, values + ["%.1f" % u for u in us] + ["%.2f" % ratio, "%.1f" % dram, "; ".join(why)]))


def describe(heddle, name):
    rows = [describe_input(heddle, name, what, text) for what, text in inputs(heddle, name)]
    return min(rows, key=lambda r: (r["accepted"] == "no", math.log(float(r["mpki_factor"] or 1)), rows.index(r)))


def print_table(rows):
    for row in rows:
        print("%-13s %-6s %-3s %-5s MPKI %7s (%6s) MPT %6s us %7s speed %s  %s" % tuple(
            row[f] for f in "program class kind accepted mpki published_mpki mpt_100us us_base ratio why".split()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", default="heddle")
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("--print", action="store_true")
    parser.add_argument("programs", nargs="*")
    args = parser.parse_args()
    names = list(CPU) + list(GPU)
    path, rows = HERE / "accepted.csv", {}
    if path.exists() and (args.programs or args.print):
        rows = {r["program"]: r for r in csv.DictReader(path.open(encoding="utf-8"))}
    if args.print:
        print_table(rows.values())
        return
    with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
        for row in pool.map(lambda n: describe(args.heddle, n), args.programs or names):
            rows[row["program"]] = row
            print_table([row])
    with path.open("w", newline="", encoding="utf-8") as f:
        w = csv.DictWriter(f, FIELDS, lineterminator="\n")
        w.writeheader()
        w.writerows(rows[n] for n in names if n in rows)


if __name__ == "__main__":
    main()

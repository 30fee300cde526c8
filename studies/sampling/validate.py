#!/usr/bin/env python3
"""How far estimates of sampled runs (`heddle run --sample`) are from the same programs timed whole.

Every program is run twice on a chip: whole, and sampled. The table has, for each program and total,
the error, the interval and whether it holds; the summary has means, coverage and speed-up.

    studies/sampling/validate.py [--heddle build/heddle] [--chip NAME] [-j N] [--quick] [-o FOLDER]

Programs, sizes and bands are fixed here, before anything runs. --quick: a few short ones.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import subprocess
import sys
import tempfile

QUICK = [("gaussian", "small"), ("lud", "small"), ("bfs", "small"), ("hotspot", "small"), ("vecadd", "small")]
# All bundled programs, at sizes that take from seconds to minutes whole.
SMALL = """aes atax b+tree backprop bfs bicg binomialoptions blackscholes ccl cfd convsep cutcp dct8x8 dwt2d dxtc
eigenvalues fastwalsh fdtd3d fft gaussian gesummv heartwall histo histogram hotspot hybridsort hydro imagedenoise
kmeans lavaMD lbm leukocyte lud matmul md mergesort mersennetwister montecarlo mri-q mst mvt myocyte nn nw
pathfinder quasirandom radixsort reduce reduction sad scalarprod sgemm sobelfilter sobolqrng spmv sradv1 sradv2
sssp stencil stencil2d stream syr2k syrk tpacf transport triad vecadd volumerender""".split()
# Timed from the first instruction on, so that short programs are sampled as well.
SAMPLE = "auto,first=100000"
TOTALS = ["cycles", "l1_misses", "l2_accesses", "l2_misses", "dram_read_bytes", "dram_written_bytes"]
BAND_MEAN, BAND_WORST, BAND_COVERAGE = 0.03, 0.10, 0.90
# A total below this share of the timed accesses is noise of a few requests: shown, not judged.
LEAST = 1000


def run(args, program, size, extra, timeout):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "r.json")
        command = [args.heddle, "run", program, "--size", size, "--chip", args.chip, "-q", "-o", out] + extra
        with open(os.path.join(folder, "err"), "w+") as err:
            child = subprocess.Popen(["timeout", str(int(timeout))] + command, stdout=subprocess.DEVNULL, stderr=err)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            err.seek(0)
            if child.returncode == 124:
                return None, f"took more than {timeout:.0f} s"
            if child.returncode or not os.path.exists(out):
                return None, (err.read().strip().splitlines() or ["failed"])[-1]
        result = json.load(open(out))
        result["cpu"] = usage.ru_utime + usage.ru_stime
        return result, None


def whole_total(result, name):
    if name == "cycles":
        return next(iter(result["run"]["cycles"].values()))
    names = {"l1_misses": "sm.l1.misses", "l2_accesses": "l2.accesses", "l2_misses": "l2.misses",
             "dram_read_bytes": "dram.bytes_read", "dram_written_bytes": "dram.bytes_written"}
    return result["totals"].get(names[name])


def compare(args, program, size):
    whole, why = run(args, program, size, [], args.timeout)
    if not whole:
        return [], f"{program} {size}, whole: {why}"
    sampled, why = run(args, program, size, ["--sample", args.sample], args.timeout)
    if not sampled:
        return [], f"{program} {size}, sampled: {why}"
    s, rows = sampled["sampling"], []
    for name in TOTALS:
        truth, total = whole_total(whole, name), s["totals"][name]
        if truth is None:
            continue
        half = total["half_width"]
        off = total["estimate"] - truth
        rows.append({
            "program": program, "size": size, "total": name, "whole": truth, "estimate": round(total["estimate"], 1),
            "error": round(off / truth, 5) if truth else "", "half_width": "" if half is None else round(half, 1),
            "holds": "" if half is None else int(abs(off) <= half + 0.5), "timed_share": round(s["timed_share"], 4),
            "launches": s["launches"], "timed_launches": s["timed_launches"], "shortened": s["shortened_launches"],
            "whole_seconds": round(whole["cpu"], 2), "sampled_seconds": round(sampled["cpu"], 2),
        })
    return rows, None


def mean(values):
    return sum(values) / len(values) if values else float("nan")


def summarise(rows, failures, out):
    """Only what was sampled is judged: a program that was timed whole is exact by construction."""
    some = [r for r in rows if r["timed_share"] < 0.999 and r["whole"] >= LEAST]
    for name in TOTALS:
        mine = [r for r in some if r["total"] == name and r["error"] != ""]
        known = [r for r in mine if r["holds"] != ""]
        if not mine:
            continue
        errors = [abs(r["error"]) for r in mine]
        print(f"{name:20} {len(mine):3} programs  mean error {mean(errors):7.2%}  worst {max(errors):7.2%} "
              f"({max(mine, key=lambda r: abs(r['error']))['program']})  intervals hold in "
              f"{sum(r['holds'] for r in known)} of {len(known)}, not known in {len(mine) - len(known)}", file=out)
    cycles = [r for r in some if r["total"] == "cycles"]
    if cycles:
        held = mean([r["holds"] for r in cycles if r["holds"] != ""])
        errors = [abs(r["error"]) for r in cycles]
        for what, value, band, good in (("mean error of cycles", mean(errors), BAND_MEAN, mean(errors) <= BAND_MEAN),
                                        ("worst error of cycles", max(errors), BAND_WORST, max(errors) <= BAND_WORST),
                                        ("intervals of cycles that hold", held, BAND_COVERAGE, held >= BAND_COVERAGE)):
            print(f"{'holds' if good else 'MISSED'}: {what} {value:.2%}, band {band:.0%}", file=out)
        whole, part = (sum(r[k] for r in cycles) for k in ("whole_seconds", "sampled_seconds"))
        print(f"processor seconds of these: {whole:.0f} whole, {part:.0f} sampled", file=out)
        print(f"timed whole: {sum(1 for r in rows if r['total'] == 'cycles') - len(cycles)} programs", file=out)
    for f in failures:
        print(f"not compared: {f}", file=out)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--heddle", default="build/heddle")
    p.add_argument("--chip", default="fermi15")
    p.add_argument("--sample", default=SAMPLE)
    p.add_argument("--timeout", type=float, default=3600)
    p.add_argument("-j", type=int, default=1)
    p.add_argument("--quick", action="store_true")
    p.add_argument("-o", default=None, help="folder for errors.csv and summary.txt")
    args = p.parse_args()
    programs = QUICK if args.quick else [(n, "small") for n in SMALL]
    rows, failures = [], []
    with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
        for part, why in pool.map(lambda x: compare(args, *x), programs):
            rows += part
            if why:
                failures.append(why)
            for r in part:
                if r["total"] == "cycles":
                    print(f"{r['program']:16} error {r['error'] or 0:+.2%}, timed {r['timed_share']:.1%}, "
                          f"{r['whole_seconds']} s whole, {r['sampled_seconds']} s sampled", file=sys.stderr)
    summarise(rows, failures, sys.stdout)
    if args.o and rows:
        os.makedirs(args.o, exist_ok=True)
        with open(os.path.join(args.o, "errors.csv"), "w", newline="") as f:
            w = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
            w.writeheader()
            w.writerows(rows)
        with open(os.path.join(args.o, "summary.txt"), "w") as f:
            summarise(rows, failures, f)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""studies/spgemm/baselines.py [-j N] [--heddle PROGRAM] [MATRIX...] > cpu.csv: a CPU's times of the study's matrices.

For each program of study.yaml: records the square by rows and by outer products (cpu/spgemm.c, six threads, under
QEMU) and reading alone, runs the three on chips/xeon6.yaml, and prints the cycles between. Threads take rows as they
come, so a recording is not repeatable to the instruction. Needs gcc with OpenMP and qemu-user.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def matrices():
    """Names and specs of the study's programs, in its order."""
    text = open(os.path.join(HERE, "study.yaml")).read()
    found = re.findall(r"\{name: spgemm, as: ([^,]+), set: \{program\.matrix: \"([^\"]+)\"\}\}", text)
    return dict(found)


def run(command, **more):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **more)


def cycles(heddle, work, name, method):
    base = os.path.join(work, f"{name}.{method}")
    program = [os.path.join(work, "spgemm"), method, os.path.join(work, f"{name}.mtx")]
    run([heddle, "trace", "-q", "-o", base + ".hct", "--"] + program, env={**os.environ, "OMP_NUM_THREADS": "6"})
    run([heddle, "run", base + ".hct", "--chip", os.path.join(HERE, "chips/xeon6.yaml"), "-q", "-o", base + ".json"])
    os.remove(base + ".hct")
    return json.load(open(base + ".json"))["kernels"][0]["cycles"]


def measure(heddle, work, name, spec):
    path = os.path.join(work, f"{name}.mtx")
    run([heddle, "matrix", spec, "-q", "-w", path])
    run([os.path.join(work, "spgemm"), "check", path])
    none, row, outer = (cycles(heddle, work, name, m) for m in ("none", "row", "outer"))
    return f"{name},{row - none},{outer - none}"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("-j", type=int, default=1, help="so many matrices at once")
    p.add_argument("--heddle", default="heddle")
    p.add_argument("matrix", nargs="*", help="only these")
    options = p.parse_args()
    wanted = matrices()
    unknown = [m for m in options.matrix if m not in wanted]
    if unknown:
        sys.exit(f"baselines: there is no matrix {unknown[0]}, expected one of {', '.join(wanted)}")
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        run(["gcc", "-O2", "-fopenmp", os.path.join(HERE, "cpu/spgemm.c"), "-o", os.path.join(work, "spgemm"), "-lm"])
        print("program,row_cycles,outer_cycles", flush=True)
        jobs = [pool.submit(measure, options.heddle, work, n, wanted[n]) for n in options.matrix or wanted]
        for job in jobs:
            print(job.result(), flush=True)


if __name__ == "__main__":
    main()

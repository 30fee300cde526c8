#!/usr/bin/env python3
"""What `heddle study poise` reads besides its runs, made again for the inputs that study.yaml has now.

prepare.py [JOBS [main]]  in the source tree; HEDDLE: the program (heddle). The runs go into heddle-out/results.db, and the
                      study finds most of them there.

Writes weights.yaml, weights-x6.yaml, weights-x7.yaml, tuples/ and training.csv (a miss past L1 brings what its lanes
share); sets policy.warp.pcal.n of study.yaml to the best k of SWL; and writes weights-line.yaml (a miss past L1 brings the line), not
with `main`.
"""
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
STUDY = os.path.join(HERE, "study.yaml")
HEDDLE = os.environ.get("HEDDLE", "heddle")
JOBS = "-j" + (sys.argv[1] if len(sys.argv) > 1 else str(os.cpu_count()))
EVALUATION = "syr2k,syrk,mm,ii,gesummv,mvt,bicg,ss,atax,bfs,kmeans"
LIMITS = (1, 2, 3, 4, 6, 8, 12, 24)  # of the study's set swl


def run(*words):
    print("prepare:", " ".join(words[1:]), flush=True)
    subprocess.run(words, check=True)


def train(chip, *options):
    run(HEDDLE, "train", "poise", "--inputs", STUDY, "--chip", chip, "--grid", "1,2,3,4,6,8,12,16,24", "--evaluate-grid", "1,2,4,8,24",
        "--windows", JOBS, *options)


def workloads():
    """The study's list of programs to judge by, as text."""
    text = open(STUDY).read()
    block = text[text.index("\nworkloads:\n") + 12:text.index("\nquick:")]
    entries = re.split(r"\n(?=  - )", block)
    named = [(re.match(r"  - \{?(?:name: )?([\w+]+)", e).group(1), e) for e in entries]
    return [e for name, e in named if name in EVALUATION.split(",")]


def best_limits(folder):
    values = ", ".join(map(str, LIMITS))
    sweep = os.path.join(HERE, ".swl.yaml")  # beside the study: its paths are relative to it
    out = os.path.join(folder, "swl.csv")
    with open(sweep, "w") as f:
        f.write("name: swl\nchips: kepler8-coalesced\nworkloads:\n" + "\n".join(workloads()) + "\nset: {sm.warp_policy: fixed}\n"
                f"zip: [{{policy.warp.fixed.n: [{values}], policy.warp.fixed.p: [{values}]}}]\nrecord: true\n")
    try:
        run(HEDDLE, "sweep", sweep, JOBS, "--csv", out)
    finally:
        os.remove(sweep)
    best = {}
    for row in csv.DictReader(open(out)):
        if not row.get("policy.warp.fixed.n"):
            continue
        cycles, k, name = float(row["cycles"]), int(row["policy.warp.fixed.n"]), row["workload"]
        # of equals the one with most warps: 24 where no limit is faster
        if name not in best or (cycles, -k) < best[name]:
            best[name] = (cycles, -k)
    return {name: -k for name, (_, k) in best.items()}


def set_limits(limits):
    text = open(STUDY).read()
    for name, k in limits.items():
        text = re.sub(r"(name: %s,[^}]*?set: \{policy\.warp\.pcal\.n: )\d+" % re.escape(name), r"\g<1>%d" % k, text)
    open(STUDY, "w").write(text)


def main():
    path = lambda name: os.path.join(HERE, name)
    for name in ("weights.yaml", "weights-line.yaml"):  # the study is read before they are there
        if not os.path.exists(path(name)):
            raise SystemExit(f"prepare: {name} is missing; any weights will do")
    with tempfile.TemporaryDirectory() as folder:
        train("kepler8-coalesced", "--evaluate", EVALUATION, "-o", path("weights.yaml"), "--tuples", folder + "/all",
              "--errors", path("training.csv"))
        for name in EVALUATION.split(","):
            shutil.copyfile(f"{folder}/all/{name}.yaml", path(f"tuples/{name}.yaml"))
        for feature in (6, 7):
            train("kepler8-coalesced", "--no-run", "-q", "--without", f"x{feature}", "-o", path(f"weights-x{feature}.yaml"))
        set_limits(best_limits(folder))
    if "main" not in sys.argv:
        train("kepler8", "-o", path("weights-line.yaml"))


main()

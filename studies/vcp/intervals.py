#!/usr/bin/env python3
"""Figures 23 and 34 of one mix, for study.yaml: writes intervals.csv beside this file.

studies/vcp/intervals.py HEDDLE          the program; two runs of the first mix of W-HH that was drawn, some 20 s

Retired instructions in each training period (4000 cycles of the mesh) while every program is in its first run: how far they scatter (deviation over
mean, in percent) for the GPU cores together, for a CPU core (mean of the four), and for the four together over three
periods, which is a round of training. Then the flits that cross links of the two rows of
routers with LLC tiles and controllers, from left to right and back, as a share of all (percent), with XY and with XY/YX.
"""
import csv
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PERIOD = 14000  # cycles of the CPU cores: 4000 of the mesh
CORES = ["cpu.core%d.instructions" % i for i in range(4)]
SMS = ["gpu.sm%d.warp_instructions" % i for i in range(6)]
WIDTH, ROWS = 4, (1, 2)


def run(heddle, mix, settings, series):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run.json"
        command = [heddle, "run", "-q", "--mix", str(HERE / mix), "--chip", "apu46-mesh", "-o", str(out)] + settings
        if series:
            command += ["--series", ",".join(CORES + SMS), "--interval", str(PERIOD)]
        subprocess.run(command, check=True)
        return json.loads(out.read_text(encoding="utf-8"))


def scatter(values):
    return 100 * statistics.pstdev(values) / statistics.mean(values)


def row_share(result):
    rows = every = 0
    for name, counts in result["units"].items():
        found = re.fullmatch(r"mesh\.router(\d+)", name)
        if found:
            links = {k: v for k, v in counts["flits"].items() if k != "local"}
            every += sum(links.values())
            if int(found.group(1)) // WIDTH in ROWS:
                rows += links["east"] + links["west"]
    return 100 * rows / every


def periods(result, names):
    """What each statistic grew by in each whole period, until the first program has ended."""
    series = result["series"]
    ends = min(a["fs"] for a in result["applications"]) * 3.5e-6
    count = sum(cycle <= ends for cycle in series["cycle"])
    return [series["columns"][name][:count] for name in names]


def joined(cores):
    """The four together, three periods (a round of training) at a time."""
    together = [sum(v) for v in zip(*cores)]
    return [sum(together[i:i + 3]) for i in range(0, len(together) - 2, 3)]


def main():
    mix = re.search(r"^  hh: \[([^,\]]+)", (HERE / "study.yaml").read_text(encoding="utf-8"), re.M).group(1)
    xy = run(sys.argv[1], mix, [], True)
    yx = run(sys.argv[1], mix, ["--set", "network.mesh.routing=xy_yx"], False)
    cores, sms = periods(xy, CORES), periods(xy, SMS)
    row = [mix, scatter([sum(v) for v in zip(*sms)]), scatter(joined(cores)), statistics.mean(scatter(c) for c in cores), row_share(xy), row_share(yx)]
    with open(HERE / "intervals.csv", "w", newline="", encoding="utf-8") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow("program gpu sum single memory_row_xy memory_row_yx".split())
        w.writerow([row[0]] + ["%.2f" % v for v in row[1:]])


if __name__ == "__main__":
    main()

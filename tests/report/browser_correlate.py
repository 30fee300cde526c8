#!/usr/bin/env python3
"""The page of a comparison with silicon in a real browser: it holds what the JSON says. Prints TAP.

Skipped without Chromium.
"""
import json

from probe import browse, clean, close, finish, heddle, ok


def make_table(folder):
    """A GPU that takes 1,000 cycles more for every launch than the chip."""
    with open(folder + "/kernels-tiny.csv", "w") as f:
        f.write("workload,size,launch,kernel,grid,block,cycles,warp_insts\n")
        for name in "stream", "vecadd":
            heddle("run", name, "--size", "tiny", "--chip", "ampere", "-q", "-o", name + ".json", cwd=folder)
            with open(f"{folder}/{name}.json") as run:
                for k in json.load(run)["kernels"]:
                    f.write(f"{name},tiny,{k['number']},{k['name']},{k['blocks']}x1x1,{k['threads_per_block']}x1x1,"
                            f"{k['cycles'] + 1000},{2 * k['warp_instructions']}\n")


def correlate(folder):
    make_table(folder)
    heddle("correlate", folder, "--size", "tiny", "--chip", "ampere", "--least-cycles", "0", "-q", "-o", "out", cwd=folder)
    p = browse(folder + "/out/page.html", """
      probe.goals = cells('goal-table', 0); probe.outliers = cells('outlier-table', 0); probe.diagnoses = cells('outlier-table', 4);
      probe.kernels = cells('kernel-table', 1); type('filter kernels', 'vecadd copy'); probe.filtered = cells('kernel-table', 1);
      probe.halves = cells('program-table', 1); press('#scatter', 'launches'); probe.launches = look()['cycle-scatter']; press('header', 'dark'); probe.dark = document.documentElement.dataset.theme;
    """, size="700,1000")
    clean(p, "a comparison")
    if p["ready"] != "yes":
        return
    with open(folder + "/out/correlation.json") as f:
        j = json.load(f)
    ok(p["goals"] == [g["verdict"] for g in j["goals"]] and not p["wide"], "goals have their verdicts, the page fits", p["goals"])
    ok(p["outliers"] == [f"{k['program']} {k['kernel']}" for k in j["kernels"]] and p["diagnoses"] == [k["diagnosis"] for k in j["kernels"]],
       "kernels furthest off come first, each with its diagnosis", p["outliers"])
    points = {s["name"]: s["data"] for s in p["first"]["cycle-scatter"]["series"] if s["type"] == "scatter"}
    want = {half: [[k["silicon"]["cycles"], k["simulated"]["cycles"]] for k in j["kernels"] if k["half"] == half] for half in ("test", "tune")}
    ok(all(close(sum(points[h], []), sum(want[h], [])) for h in want) and len(points["test"]) == 3, "the scatter has every kernel, by half", [points, want])
    dots = [d for s in p["launches"]["series"] if s["type"] == "scatter" for d in s["data"]]
    ok(sorted(map(tuple, dots)) == sorted((x["silicon"]["cycles"], x["simulated"]["cycles"]) for x in j["launches"]), "and every launch", dots)
    ok(len(p["kernels"]) == 6 and p["filtered"] == ["vector_copy"] and p["halves"] == ["test", "tune"] and p["dark"] == "dark", "tables filter, halves are listed", [p["kernels"], p["filtered"]])


finish([correlate])

#!/usr/bin/env python3
"""The energy of green12: what an access of L1 and L2 and the leakage of L2 must be so that they have the shares of the
baseline's energy that follow from the published savings (spec B6): L1 dynamic 4 %, L2 dynamic 6 %, L2 leakage 8 %, each
the mean over the programs of the study. Reads result files of baseline runs: calibrate.py RESULT.json ..."""
import json
import sys

TARGET = {"l1": 0.04, "l2": 0.06, "leak": 0.08}
runs = []
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as f:
        r = json.load(f)
    events = {e["name"]: e for e in r["energy"]["events"]}
    static = {s["name"]: s for s in r["energy"]["static"]}
    own = ("l1", "l1_word", "l1_fill", "l2", "l2_data")
    rest = sum(e["pj"] for n, e in events.items() if n not in own) + sum(s["pj"] for n, s in static.items() if n != "l2")
    seconds = r["totals"]["energy.time_fs"] * 1e-15
    runs.append({
        "rest": rest,
        "l1": events["l1"]["count"] + events["l1_fill"]["count"] / 512, # accesses and fills alike (Eq. 25)
        "l2": events["l2_data"]["count"],
        "leak": static["l2"]["instances"] * seconds * 1e12,
    })
rate = {k: 1e-3 for k in TARGET}
for _ in range(2000):
    share = {k: 0.0 for k in TARGET}
    for r in runs:
        total = r["rest"] + sum(rate[k] * r[k] for k in TARGET)
        for k in TARGET:
            share[k] += rate[k] * r[k] / total / len(runs)
    for k in TARGET:
        rate[k] *= TARGET[k] / share[k]
print(len(runs), "runs;", {k: round(v, 4) for k, v in share.items()})
print(f"l1_pj: {rate['l1']:.4g}\nl1_fill_pj: {rate['l1'] / 512:.4g}\nl2_data_pj: {rate['l2']:.4g}\nl2_static_w: {rate['leak']:.4g}")

#!/usr/bin/env python3
"""The static oracle's file: each kernel's mean use of an SM by one block, from the programs alone.

means.py HEDDLE > means.yaml      in this folder; the inputs are those of pairs/
"""
import collections
import json
import re
import subprocess
import sys
import tempfile
import glob

programs = {}
for path in sorted(glob.glob("pairs/*.yaml")):
    for line in open(path):
        m = re.match(r"\s*- \{workload: ([\w-]+)(?:, size: (\w+))?(?:, args: \[(.*)\])?\}", line)
        if m:
            programs[m.group(1)] = (m.group(2) or "small", (m.group(3) or "").replace(" ", "").split(","))
sums = collections.defaultdict(lambda: [0.0, 0.0, 0.0])
for name, (size, args) in sorted(programs.items()):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([sys.argv[1], "run", name, "--size", size, "--chip", "volta8", "--set", "sm.block_use=true",
                        "-o", out.name, "--"] + [a for a in args if a], check=True, stdout=subprocess.DEVNULL)
        for k in json.load(open(out.name))["kernels"]:
            s = sums[k["name"]]
            weight = k["cycles"] * min(k["blocks"], 8 * k["blocks_per_sm"])
            s[0] += weight
            s[1] += weight * k["block_use"]["mem"]
            s[2] += weight * k["block_use"]["fpu"]
print("# made by means.py")
print("kernels:")
for name, (weight, mem, fpu) in sorted(sums.items()):
    print("  %s: {mem: %.6f, fpu: %.6f}" % (name, mem / weight, fpu / weight))

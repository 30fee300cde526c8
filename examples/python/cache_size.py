#!/usr/bin/env python3
"""How much L1 does each program want? Six sizes, four programs, a line for each program.

    python3 examples/python/cache_size.py
"""
import heddle

SIZES = ["8KiB", "16KiB", "32KiB", "64KiB", "128KiB", "256KiB"]

sweep = heddle.Sweep("cache-size", "fermi15", ["bfs", "matmul", "histo", "spmv"], size="tiny",
                     set={"sm.l1.ways": 8}, sweep={"sm.l1.size_bytes": SIZES})
table = sweep.run("sm.l1.hit_rate", progress=True)

print(f"{'cycles':>10} " + " ".join(f"{size:>9}" for size in SIZES) + "   hit rate, smallest to largest")
for program in dict.fromkeys(table["workload"]):
    rows = table.where(workload=program)
    rates = rows["sm.l1.hit_rate"]
    print(f"{program:>10} " + " ".join(f"{cycles:9}" for cycles in rows["cycles"]) +
          f"   {rates[0]:.2f} to {rates[-1]:.2f}")
sweep.report("cache-size.html")

#!/usr/bin/env python3
"""A warp scheduler of one's own against GTO and round robin.

    python3 examples/python/own_policy.py [POLICY.c]

Builds POLICY.c (default: laggard.c beside this file) against the installed headers, or those of this source
tree, and compares the policy that it holds on programs whose warps fight for the L1.
"""
import subprocess
import sys
from pathlib import Path

import heddle

HERE = Path(__file__).resolve().parent
PROGRAMS = ["syrk", "bfs", "matmul", "histo"]


def build(source):
    """The policy as a shared object, and its name: that of its file."""
    out = Path("heddle-out") / f"{source.stem}.so"
    out.parent.mkdir(exist_ok=True)
    headers = next(f for f in (HERE.parent.parent / "src", Path("/usr/include/heddle"), Path("/usr/local/include/heddle"))
                   if (f / "gpu" / "sm" / "warp_policy.h").exists())
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-DHEDDLE_PLUGIN", f"-I{headers}", "-o", out, source], check=True)
    return out, source.stem


def main():
    plugin, name = build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "laggard.c")
    print(f"{'cycles':>10} {'gto':>9} {'lrr':>9} {name:>9}   against gto")
    for program in PROGRAMS:
        cycles = [heddle.run(program, "fermi15", size="tiny", plugins=[plugin], policy={"warp.scheduler": policy}).cycles
                  for policy in ("gto", "lrr", name)]
        print(f"{program:>10} {cycles[0]:9} {cycles[1]:9} {cycles[2]:9}   {cycles[0] / cycles[2]:.3f}")


if __name__ == "__main__":
    main()

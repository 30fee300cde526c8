#!/usr/bin/env python3
"""Writes study.yaml: programs are those that workloads/cpu/hpc-accepted.csv accepts, and the desktop programs.

    studies/front-end/draw.py

Nothing but acceptance decides which programs there are. Run it again when that table changes.
"""
import csv
import os

HERE = os.path.dirname(os.path.abspath(__file__))
CPU = os.path.join(HERE, "../../workloads/cpu")
# Not perlbench: Debian's perl as it is recorded here is not accepted (cycles fall by 6 % with a larger LLC, the class allows 5).
DESKTOP = ["bzip2", "gcc", "gobmk", "xalancbmk", "sjeng", "libquantum", "h264ref", "hmmer", "mcf",
           "astar", "omnetpp"]
WINDOW = "@0+20000000"  # the first 20 million instructions behind their beginning
SUITES = {"ExMatEx": "exmatex", "OMP2012": "omp", "NPB": "npb"}
QUICK = ["CoEVP", "CoGL", "botsspar", "fma3d", "EP"]
QUICK_DESKTOP = ["gobmk", "sjeng"]
# What a miss comes from: Baseline with one part of Tailored, and nine cores of Baseline with nine threads.
# One part alone: only the programs that the text of A14 to A16 names.
NAMED = ["CoEVP", "CoHMM", "CoMD", "CoGL", "fma3d", "FT"]
PARTS = {
    "icache": "core.l1i.size_bytes: 16KiB, core.l1i.ways: 8, core.l1i.prefetcher: pair",
    "predictor": "core.branch.loop_entries: 64, policy.branch.tournament.address_bits: 10, policy.branch.tournament.history_bits: 8",
    "btb": "core.branch.btb_entries: 256, core.branch.btb_ways: 8",
}
MIX = ("conditional", "jump", "indirect_jump", "call", "indirect_call", "return")  # figure 4.1
CAUSES = ("branch", "target", "icache", "fetch")


def mpki(run, part, section):
    return f"1000 * {run}:{part}.misses[{section}] / {run}:trace.instructions[{section}]"


def main():
    with open(os.path.join(CPU, "hpc-accepted.csv")) as f:
        rows = [r for r in csv.DictReader(f) if r["accepted"] == "yes" and "." not in r["program"]]
    hpc = ["suite:" + r["program"] for r in rows]
    desktop = [f"suite:{d}{WINDOW}" for d in DESKTOP]
    groups = {g: ["suite:" + r["program"] for r in rows if r["suite"] == s] for s, g in SUITES.items()}
    # Vectorised: 2 to 3 % branches, so apart from the mean (hpc-cores spec 1.6: 19 +- 3 %).
    apart = [d for d in desktop if d[6:].split("@")[0] in ("h264ref", "hmmer")]
    groups.update(hpc=hpc, desktop=[d for d in desktop if d not in apart], all_desktop=desktop, loops=groups["omp"] + groups["npb"])
    for name in ("CoEVP", "CoSP", "CoHMM", "CoMD", "CoGL", "fma3d", "nab", "FT", "botsspar", "imagick", "EP", "swim", "CG", "IS", "MG", "kdtree", "md", "VPFFT"):
        if "suite:" + name in hpc:
            groups[name] = ["suite:" + name]
    groups["parts"] = ["suite:" + p for p in NAMED if "suite:" + p in hpc]
    groups["short"] = ["suite:" + p for p in ("CoHMM", "CoSP", "botsspar", "CG", "IS") if "suite:" + p in hpc]
    groups["h264"] = [f"suite:h264ref{WINDOW}"]
    values = []
    for p in ("gshare", "tournament", "tage"):
        for size in ("big", "small", "loop"):
            for s in ("serial", "parallel", "total"):
                values.append((f"{p}_{size}_{s}", mpki("fronts", f"predictors.{p}_{size}", s),
                               f"branch MPKI, {p} {size}, {s}"))
            for kind in ("not_taken", "backward", "forward"):
                values.append((f"{p}_{size}_{kind}", f"1000 * fronts:predictors.{p}_{size}.{kind}_misses[total] / "
                               "fronts:trace.instructions[total]", f"MPKI of {kind} branches, {p} {size}"))
    for e in (256, 512, 1024):
        for w in (1, 2, 4, 8):
            values.append((f"b{e}x{w}", mpki("fronts", f"btbs.b{e}x{w}", "total"), f"BTB MPKI, {e} entries, {w} ways"))
    for s in ("serial", "parallel", "total"):
        for k in (8, 16, 32):
            for w in ((1, 2, 4, 8) if s == "total" else (8,)):
                end = "" if s == "total" else "_" + s
                values.append((f"i{k}x{w}{end}", mpki("fronts", f"icaches.i{k}x{w}", s),
                               f"I-cache MPKI, {k} KB, {w} ways, {s}"))
    for line in (32, 128):
        values.append((f"line{line}", mpki("fronts", f"icaches.i16x8_line{line}", "total"),
                       f"I-cache MPKI, 16 KB, lines of {line} bytes"))
        values.append((f"use{line}", f"100 * fronts:icaches.i16x8_line{line}.usefulness",
                       f"of a line of {line} bytes used, %"))
        for s in ("serial", "parallel"):
            part = f"fronts:icaches.i16x8_line{line}"
            values.append((f"use{line}_{s}", f"100 * {part}.used_bytes[{s}] / {part}.whole_bytes[{s}]",
                           f"of a line of {line} bytes used, {s}, %"))
    values.append(("wide16", "1000 * fronts:icaches.i16x8_line128.misses[total] / fronts:trace.instructions[total]",
                   "I-cache MPKI, 16 KB, 8 ways, lines of 128 bytes"))
    for c in ("tailored", "asymmetric", "nine"):
        values.append((f"time_{c}", f"100 * ({c}:simulated_fs / base:simulated_fs - 1)", f"time against Baseline, {c}, %"))
        for what, formula in (("power", "watts_with_l2"), ("energy", "pj_with_l2"), ("ed", "delay_product")):
            values.append((f"{what}_{c}", f"100 * ({c}:cost.{formula} / base:cost.{formula} - 1)",
                           f"{what} against Baseline, cores and L2s, {c}, %"))
        values.append((f"power_alone_{c}", f"100 * ({c}:cost.watts / base:cost.watts - 1)",
                       f"power against Baseline, cores alone, {c}, %"))
        values.append((f"area_{c}", f"100 * ({c}:cost.um2 / base:cost.um2 - 1)", f"area of the cores, {c}, %"))
        values.append((f"area_l2_{c}", f"100 * ({c}:cost.um2_with_l2 / base:cost.um2_with_l2 - 1)", f"with L2, {c}, %"))
    for part in PARTS:
        values.append((f"time_part_{part}", f"100 * (part_{part}:simulated_fs / base:simulated_fs - 1)",
                       f"time against Baseline, {part} of Tailored alone, %"))
    for cause in CAUSES:  # what a loss is made of
        values.append((f"more_{cause}", f"100 * (tailored:core.slots[{cause}] - base:core.slots[{cause}]) / base:core.all_slots",
                       f"more slots of retirement lost to {cause}, Tailored, % of Baseline's slots"))
    values.append(("time_nine_baseline", "100 * (nine_baseline:simulated_fs / base:simulated_fs - 1)",
                   "time against Baseline, nine cores of Baseline, %"))
    values.append(("bound_nine", "-100 * base:core.openmp.parallel_cycles / (72 * base:cycles)",
                   "time against Baseline if the same parallel cycles were spread over nine cores, %"))
    values.append(("waited", "100 * (1 - base:core.cycles / (8 * base:cycles))", "time that cores of Baseline wait, %"))
    values.append(("waited_nine", "100 * (1 - nine:core.cycles / (9 * nine:cycles))", "time that cores of Asymmetric++ wait, %"))
    for kind in MIX:
        for s in ("serial", "parallel"):
            values.append((f"mix_{kind}_{s}", f"mix:{kind}_{s}", f"{kind.replace('_', ' ')}, {s}, % of instructions"))
    for low in range(0, 100, 10):
        values.append((f"taken{low}", f"mix:taken{low}_total", f"taken {low} to {low + 10} %"))
    for s in ("serial", "parallel"):
        values.append((f"not_taken_{s}", f"mix:not_taken_{s}", f"conditional branches not taken, {s}, %"))
    for name in ("branches", "indirect", "biased", "backward", "static", "hot", "block", "between"):
        for s in ("serial", "parallel", "total"):
            values.append((f"{name}_{s}", f"stats:{name}_{s}", f"{name}, {s}"))
    values.append(("serial_share", "stats:serial", "serial share of the first thread's instructions, %"))
    values.append(("serial_64", "stats:serial_64", "the same with 64 threads, %"))
    values.append(("shared", "stats:shared", "parallel instructions that all threads execute, %"))
    with open(os.path.join(HERE, "judged.yaml")) as f:
        judged = f.read()
    quick = [h for h in hpc if h[6:] in QUICK] + [d for d in desktop if d[6:].split("@")[0] in QUICK_DESKTOP]
    out = ["# Written by draw.py: the accepted programs of workloads/cpu/hpc-accepted.csv, and the desktop programs.",
           "about: front ends for HPC codes, how much predictor, BTB and I-cache a lean core needs",
           'document: "Milic, PhD thesis, UPC 2017, chapter 4 (figures 4.1 to 4.11, tables 4.1 and 4.3). All programs are stand-ins"',
           "size: small", "timeout: 3600s", "data: {stats: characterisation.csv, mix: mix.csv}", "workloads:"]
    out += [f"  - {p}" for p in hpc + desktop]
    out.append("groups:")
    out += [f"  {g}: [{', '.join(m)}]" for g, m in groups.items()]
    out += ["runs:",
            "  fronts: {chips: front-ends} # all configurations in one pass over the trace of the first thread",
            "  base: {programs: hpc, chips: cmp8}",
            "  tailored: {programs: hpc, chips: cmp8-tailored}",
            "  asymmetric: {programs: hpc, chips: cmp8-asymmetric}",
            "  nine: {programs: hpc, chips: cmp9-asymmetric, threads: 9}",
            *[f"  part_{p}: {{programs: parts, chips: cmp8, set: {{{values}}}}} # Baseline with one part of Tailored" for p, values in PARTS.items()],
            "  nine_baseline: {programs: hpc, chips: cmp8, set: {core.count: 9}, threads: 9}",
            "  desk_base: {programs: all_desktop, chips: cmp8}",
            "  desk_tailored: {programs: all_desktop, chips: cmp8-tailored}",
            "quick:",
            f"  programs: [{', '.join(quick)}]",
            "  runs: [fronts, base, tailored, asymmetric, nine]",
            "values:"]
    out += [f"  {n}: {{of: \"{f}\", about: \"{a}\"}}" for n, f, a in values]
    out += ['  time_desktop: {of: "100 * (desk_tailored:simulated_fs / desk_base:simulated_fs - 1)", about: "time, Tailored, desktop programs, %"}']
    out.append(judged)
    with open(os.path.join(HERE, "study.yaml"), "w") as f:
        f.write("\n".join(out))


if __name__ == "__main__":
    main()

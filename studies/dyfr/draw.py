#!/usr/bin/env python3
"""Draws the mixes of this study, and writes study.yaml, alone.csv and published.csv.

studies/dyfr/draw.py                 what is committed: W1 to W16, four of each type, seed 2013
studies/dyfr/draw.py --published     besides these 49 mixes, 10 + 13 + 13 + 13 of each type, as table 18 counts them
studies/dyfr/draw.py --seed 7

Programs are those that accepted.csv (accept.py) accepts. Of a mix of type LL, HL, LH or HH the first letter says whether at most one or more
than two of its four CPU programs miss often, the second whether the GPU's does. The four cases are there twice: with accepted programs in the
place of those of theirs that are not (NEAREST), and as named.
"""
import argparse
import csv
import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent
S = 10  # periods and lock times are 1/S of the published ones
PERIOD, PLL = 100000 // S, 10000 // S
PERIODS = [25000 // S, 50000 // S, 100000 // S, 200000 // S, 400000 // S, 800000 // S, 1600000 // S]
FEWEST = 4  # of a class that are accepted whole; else those that the class accepts are taken, too
# of those that may be drawn, the one with the nearest misses alone
NEAREST = {"gobmk": "tonto", "sjeng": "calculix", "povray": "namd", "h264ref": "tonto", "lavaMD": "cell", "blackscholes": "lbm-gpu"}
CASES = {"case1": (["gobmk", "sjeng", "gamess", "povray"], "mri-q"), "case2": (["h264ref", "sjeng", "povray", "gamess"], "lbm-gpu"),
         "case3": (["gobmk", "gcc", "leslie3d", "bwaves"], "lavaMD"), "case4": (["milc", "gcc", "libquantum", "lbm"], "blackscholes")}
FIG39 = ["soplex", "leslie3d", "libquantum", "GemsFDTD"]
C_LOGS = [0, 0, 0, 0, 1, 2, 3, 3, 4, 4]  # memory-bound programs of C1 to C10
GRID = [(1.5, 0.6, 2.1), (1.5, 2.1, 1.5), (4.0, 0.6, 1.5), (4.0, 2.1, 0.6)]  # cpu, gpu, memory: within the budget
PROGRAMS = {r["program"]: r for r in csv.DictReader((HERE / "accepted.csv").open(encoding="utf-8"))}


def accepted(kind, cls):
    of_class = [(p, r["accepted"]) for p, r in PROGRAMS.items() if r["kind"] == kind and r["class"] == cls]
    whole = [p for p, a in of_class if a == "yes"]
    return whole if len(whole) >= FEWEST else [p for p, a in of_class if a != "no"]


def application(name):
    r = PROGRAMS[name]
    if r["kind"] == "cpu":
        return '{cpu: "suite:%s@%s", name: %s}' % (name, r["input"], name)
    size, *options = r["input"].split()
    workload = {"lbm-gpu": "lbm", "streamcluster": "sc"}.get(name, name)
    return "{workload: %s, size: %s, name: %s%s}" % (workload, size, name, ", args: [%s]" % ", ".join(options) if options else "")


class Mixes:
    def __init__(self):
        self.rows, self.groups = {}, {}

    def add(self, label, about, cpus, gpu, groups):
        name = "mixes/%s.yaml" % label
        parts = cpus + ([gpu] if gpu else [])
        text = "about: %s\napplications:\n" % about + "".join("  - %s\n" % application(p) for p in parts)
        if not (HERE / name).exists() or (HERE / name).read_text(encoding="utf-8") != text:
            (HERE / name).write_text(text, encoding="utf-8")
        self.rows[name] = (cpus, gpu)
        for g in groups:
            self.groups.setdefault(g, []).append(name)

    def write_alone(self):
        with (HERE / "alone.csv").open("w", newline="", encoding="utf-8") as f:
            w = csv.writer(f, lineterminator="\n")
            w.writerow(["program", "c0", "c1", "c2", "c3", "g"])
            for name, (cpus, gpu) in self.rows.items():
                us = [PROGRAMS[p]["us_base"] for p in cpus] + [""] * (4 - len(cpus))
                w.writerow([name] + us + [PROGRAMS[gpu]["us_base"] if gpu else ""])


def draw_cpus(rng, logs):
    return sorted(rng.sample(accepted("cpu", "log"), logs) + rng.sample(accepted("cpu", "linear"), 4 - logs))


def draw_one(rng, kind):
    logs = rng.choice([3, 4] if kind[0] == "h" else [0, 1])
    return draw_cpus(rng, logs), rng.choice(accepted("gpu", "log" if kind[1] == "h" else "linear"))


def draw(seed, published):
    rng, m, number, seen = random.Random(seed), Mixes(), 0, set()
    nearest = {case: ([NEAREST.get(p, p) for p in cpus], NEAREST.get(gpu, gpu)) for case, (cpus, gpu) in CASES.items()}
    # W1: all miss often; W2 is case 4; W6: gobmk, sjeng, gamess, povray and streamcluster; W16: all compute
    known = {1: (draw_cpus(rng, 4), rng.choice(accepted("gpu", "log"))), 2: nearest["case4"], 6: (nearest["case1"][0], "streamcluster"),
             16: (draw_cpus(rng, 0), rng.choice(accepted("gpu", "linear")))}
    for kind in ("hh", "lh", "hl", "ll"):
        for _ in range(4):
            number += 1
            cpus, gpu = known.get(number) or draw_one(rng, kind)
            while (tuple(sorted(cpus)), gpu) in seen:
                cpus, gpu = draw_one(rng, kind)
            seen.add((tuple(sorted(cpus)), gpu))
            groups = ["w16", kind] + (["w%d" % number] if number < 16 and number != 8 else []) + (["w8"] if number <= 8 else ["w9to16"])
            m.add("w%02d-%s" % (number, kind), "W%d, type W-%s" % (number, kind.upper()), cpus, gpu, groups)
    for case, (cpus, gpu) in CASES.items():
        if case == "case4":
            m.groups[case] = m.groups["w2"]
        else:
            m.add(case, "%s, accepted programs" % case, *nearest[case], ["cases", case])
        m.add(case + "-named", "%s, as named" % case, cpus, gpu, ["cases", case + "n"])
    for gpu in ("blackscholes", "gaussian"):
        m.add("f39-" + gpu, "figure 39 with " + gpu, FIG39, gpu, ["f39", "f39" + gpu[0]])
    for i, logs in enumerate(C_LOGS):
        groups = ["c10"] + (["c1to4"] if i < 4 else ["c9to10"] if i >= 8 else []) + (["f8"] if i in (0, 1, 8, 9) else [])
        m.add("c%02d" % (i + 1), "C%d, %d of 4 miss often" % (i + 1, logs), draw_cpus(rng, logs), None, groups)
    for p, r in PROGRAMS.items():
        if p in accepted(r["kind"], r["class"]):
            single = ([p], None) if r["kind"] == "cpu" else ([], p)
            m.add("alone-" + p, p + " alone", *single, ["alone_" + r["kind"], "alone_%s_%s" % (r["kind"], r["class"])])
    if published:
        for kind, count in (("ll", 10), ("hl", 13), ("lh", 13), ("hh", 13)):
            for i in range(count):
                cpus, gpu = draw_one(rng, kind)
                m.add("t18-%s-%02d" % (kind, i + 1), "table 18, W-" + kind.upper(), cpus, gpu, ["t18"])
    return m


BASE = {"dvfs.period_ns": PERIOD, "dvfs.pll_ns": PLL}


def dyfr(more=None, **own):
    out = dict(BASE, **{"dvfs.policy": "dyfr"})
    out.update({"policy.dvfs.dyfr." + k: v for k, v in own.items()})
    out.update(more or {})
    return out


TAP = {"llc.policy": "tap_ucp", "policy.llc.tap_ucp.interval": 100000}
RRIP = {"llc.policy": "tap_rrip", "policy.llc.tap_rrip.interval": 100000}
VCP = {"network.policy": "fvcp", "policy.noc.fvcp.warmup_cycles": 10000, "policy.noc.fvcp.training_cycles": 4000,
       "policy.noc.fvcp.main_cycles": 80000, "policy.noc.fvcp.interval": 7000, "policy.noc.fvcp.batch_cycles": 320}
# name: (settings, groups, words); in the order in which they are run. Of w4 there is one mix of each type.
RUNS = {
    "base": (BASE, "hetf39", "all at base"),
    "s": (dyfr(), "hetf39", "DyFR, power saving"),
    "p": (dyfr(mode="high_performance"), "het", "DyFR, high performance"),
    "printed": (dyfr(formula="printed"), "w16", "DyFR, power saving, as printed"),
    "gate0": (dyfr(gpu_mpt_gate="false"), "w16", "GPU goes by MPKI alone"),
    "slow": (dict(BASE, **{"policy.dvfs.fixed.gpu": "500MHz"}), "f39", "GPU at 0.5 GHz"),
    "vcp": (dict(BASE, **VCP), "w16", "F-VCP"),
    "tap": (dict(BASE, **TAP), "w16", "TAP-UCP"),
    "rrip": (dict(BASE, **RRIP), "w16", "TAP-RRIP"),
    "budget_p": (dyfr(formula="budget", mode="high_performance"), "w4", "DyFR, high performance, within the budget"),
    "p200": (dyfr({"dvfs.period_ns": PERIODS[3]}), "w16", "200 us"),
    "p400": (dyfr({"dvfs.period_ns": PERIODS[4]}), "w16", "400 us"),
    "listed": (dyfr(cpu_mpt_gate="true"), "w4", "CPU cores with the listing's gate"),
    "noguard": (dyfr(guard="false"), "w8andf39", "without the guard"),
    "guard25": (dyfr(guard_percent=25), "w8", "guard at 0.25"),
    "dram": (dyfr({"dvfs.dram_follows": "true"}, mode="high_performance"), "case4x", "DRAM follows the memory"),
    "fv2": (dyfr({"dvfs.energy_model": "f_v2"}), "w4", "power as f V^2"),
    "grow": (dyfr({"dvfs.period_growth": 2, "dvfs.longest_ns": PERIODS[-1]}), "w4", "periods that grow"),
    "nolock": (dyfr({"dvfs.period_ns": PERIODS[0], "dvfs.pll_ns": 0}), "w4", "25 us, no lock time"),
    "all": (dyfr(dict(TAP, **VCP)), "w4", "TAP-UCP, F-VCP and DyFR"),
}
CPU_RUNS = {"cbase": (BASE, "all at base"), "cs": (dyfr(), "DyFR"), "cprinted": (dyfr(formula="printed"), "DyFR, as printed")}


def text_of(settings):
    return "{%s}" % ", ".join("%s: %s" % kv for kv in settings.items())


def run_lines():
    out = []
    for name, (settings, group, _) in RUNS.items():
        if name == "vcp":
            out += ["  %s: {programs: c10, chips: cpu4-dvfs, set: %s}" % (n, text_of(c)) for n, (c, _) in CPU_RUNS.items()]
        out.append("  %s: {programs: %s, chips: apu46-dvfs, set: %s}" % (name, group, text_of(settings)))
    for name, more in (("period", {}), ("chip", {"dvfs.pll_scope": "chip"})):
        out.append("  %s: {programs: w4, chips: apu46-dvfs, set: %s, sweep: {dvfs.period_ns: %s}}" %
                   (name, text_of({k: v for k, v in dyfr(more).items() if k != "dvfs.period_ns"}), PERIODS))
    out.append("  guards: {programs: w2and6, chips: apu46-dvfs, set: %s, sweep: {policy.dvfs.dyfr.guard_percent: [20, 35, 50, 70, 90]}}" % text_of(dyfr()))
    axes = zip(*GRID)
    out.append("  grid: {programs: w4, chips: apu46-dvfs, zip: [{%s}]}" % ", ".join(
        "policy.dvfs.fixed.%s: [%s]" % (k, ", ".join("%gGHz" % f for f in v)) for k, v in zip(("cpu", "gpu", "memory"), axes)))
    for name, memory in (("m10", "1GHz"), ("m15", "1.5GHz"), ("m20", "2GHz")):
        out.append("  %s: {programs: f8, chips: cpu4-dvfs, set: {policy.dvfs.fixed.memory: %s}, sweep: {policy.dvfs.fixed.cpu: [1.5GHz, 3GHz, 4GHz]}}" % (name, memory))
    for kind, ghz in (("cpu", [0.5, 1, 2, 3, 4]), ("gpu", [0.5, 1, 1.5, 2, 3, 4])):
        out.append("  f7_%s: {programs: alone_%s, chips: apu46-dvfs, sweep: {policy.dvfs.fixed.%s: [%s]}}" %
                   (kind, kind, kind, ", ".join("%gGHz" % g for g in ghz)))
    return out


def value(name, formula, about, unit="x"):
    return '  %s: {of: "%s", unit: "%s", about: "%s"}' % (name, formula, unit, about)


def perf_lines(run, words, base):
    cpu = " + ".join("1000000000 * alone:c%d / %s:first.fs[%d]" % (i, run, i) for i in range(4))
    out = [value("pcpu_" + run, cpu, "equation 14, " + words), value("pgpu_" + run, "1000000000 * alone:g / %s:first.fs[4]" % run, "equation 15, " + words),
           value("psys_" + run, "power(pcpu_%s * pgpu_%s, 0.5)" % (run, run), "equation 16, " + words)]
    if run == base:
        return out
    return out + [value("sp_" + run, "psys_%s / psys_%s" % (run, base), "speed-up, " + words),
                  value("cpu_" + run, "pcpu_%s / pcpu_%s" % (run, base), "of the CPU programs, " + words),
                  value("gpu_" + run, "pgpu_%s / pgpu_%s" % (run, base), "of the GPU program, " + words),
                  value("e_" + run, "100 * (1 - %s:dvfs.mean_power / sp_%s)" % (run, run), "less energy, " + words, "%")]


def value_lines():
    out = []
    for name, (_, _, words) in RUNS.items():
        out += perf_lines(name, words, "base")
    out += perf_lines("period", "by period", "base") + perf_lines("chip", "by period, the whole chip locks", "base")
    out += perf_lines("guards", "by the guard's threshold", "base") + perf_lines("grid", "fixed frequencies", "base")
    out.append(value("oracle", "highest(sp_grid)", "best fixed frequencies"))
    for run in ("s", "p", "printed"):
        for part in ("cpu", "gpu", "memory"):
            out.append(value("w_%s_%s" % (part, run), "%s:dvfs.%s_energy / %s:dvfs.ns / 1000000000" % (run, part, run), "power of %s, %s" % (part, RUNS[run][2]), "budget"))
        out.append(value("left_" + run, "1 - %s:dvfs.mean_power" % run, "budget left, " + RUNS[run][2], "budget"))
        out.append(value("over_" + run, "%s:dvfs.over_periods" % run, "periods above the budget, " + RUNS[run][2], "periods"))
        out.append(value("all_" + run, "%s:dvfs.periods" % run, "periods, " + RUNS[run][2], "periods"))
        out.append(value("edp_" + run, "%s:dvfs.mean_power / sp_%s / sp_%s" % (run, run, run), "EDP, " + RUNS[run][2]))
        out.append(value("ed2p_" + run, "edp_%s / sp_%s" % (run, run), "ED2P, " + RUNS[run][2]))
    for part in ("gpu", "memory"):
        for run in ("s", "p"):
            out.append(value("mhz_%s_%s" % (part, run), "%s:dvfs.%s.mean_mhz" % (run, part), "mean frequency of %s, %s" % (part, RUNS[run][2]), "MHz"))
    out.append(value("mhz_cpu_s", "s:dvfs.cpu.khz_ns / s:dvfs.cpu.ns / 1000", "mean frequency of CPU cores", "MHz"))
    out.append(value("trips", "s:dvfs.policy.trips", "times the guard stopped the GPU", "times"))
    out.append(value("gated", "s:dvfs.policy.gated", "decisions that the gate held", "decisions"))
    out.append(value("disturbed", "all:dvfs.in_llc_sampling + all:dvfs.in_noc_sampling", "changes within comparisons of TAP or F-VCP", "changes"))
    for name in CPU_RUNS:
        out.append(value("pc_" + name, " + ".join("1000000000 * alone:c%d / %s:first.fs[%d]" % (i, name, i) for i in range(4)), "equation 14, " + CPU_RUNS[name][1]))
    for name in ("cs", "cprinted"):
        out.append(value("sp_" + name, "pc_%s / pc_cbase" % name, "speed-up of CPU programs, " + CPU_RUNS[name][1]))
        out.append(value("e_" + name, "100 * (1 - %s:dvfs.mean_power / sp_%s)" % (name, name), "less energy, " + CPU_RUNS[name][1], "%"))
        out.append(value("over_" + name, "%s:dvfs.over_periods" % name, "periods above the budget, " + CPU_RUNS[name][1], "periods"))
    w16 = [name for name, (_, group, _) in RUNS.items() if group in ("w16", "het", "hetf39")]
    out.append(value("host_s", " + ".join("%s:seconds" % name for name in w16), "the host's time for runs of %s" % ", ".join(w16), "s"))
    for i in range(4):
        out.append(value("c%d_cs" % i, "cbase:first.fs[%d] / cs:first.fs[%d]" % (i, i), "program %d of CPU programs, DyFR" % (i + 1)))
    for name in ("m10", "m15", "m20"):
        out.append(value("f8_" + name, " + ".join("1000000000 * alone:c%d / %s:first.fs[%d]" % (i, name, i) for i in range(4)), "figure 8, memory at %s GHz" % {"m10": "1", "m15": "1.5", "m20": "2"}[name]))
    for kind in ("cpu", "gpu"):
        out.append(value("f7_" + kind + "_speed", "1000000000 * alone:%s / f7_%s:first.fs[0]" % ({"cpu": "c0", "gpu": "g"}[kind], kind), "speed by frequency of %s, 1 at base" % kind))
        out.append(value("f7_" + kind + "_gain", "highest(f7_%s_speed) / lowest(f7_%s_speed)" % (kind, kind), "highest / lowest speed, 0.5 to 4 GHz"))
    out.append(value("f39_cpu", "pcpu_base / 4", "of alone, mean of the CPU programs, GPU at 1.5 GHz"))
    return out


def g(x, group):
    return "100 * (mean(%s, %s) - 1)" % (x, group)


PUBLISHED = [  # id, what, measure, published, unit, kind, source
    ("d1p", "DyFR, all 16 mixes, performance", g("sp_s", "w16"), 14, "band", "6.4.1"),
    ("d1e", "DyFR, all 16 mixes, energy", "-1 * mean(e_s, w16)", -23, "band", "6.4.1"),
    ("d1pp", "all 16, performance, as printed", g("sp_printed", "w16"), 14, "band", "6.4.1"),
    ("d1pe", "all 16, energy, as printed", "-1 * mean(e_printed, w16)", -23, "band", "6.4.1"),
    ("d1g", "all 16, performance, GPU goes by MPKI alone", g("sp_gate0", "w16"), 14, "band", "6.4.1"),
    ("d1l", "W2, W6, W10 and W14, performance, CPU cores with the listing's gate", g("sp_listed", "w4"), 14, "band", "6.4.1"),
    ("d1v", "W2, W6, W10 and W14, energy, power as f V^2", "-1 * mean(e_fv2, w4)", -23, "band", "6.4.1"),
    ("d1_200", "all 16, performance, 200 us", g("sp_p200", "w16"), 14, "band", "6.5.5"),
    ("d1_200e", "all 16, energy, 200 us", "-1 * mean(e_p200, w16)", -23, "band", "6.5.5"),
    ("d1_400", "all 16, performance, 400 us", g("sp_p400", "w16"), 14, "band", "6.5.5"),
    ("d1_400e", "all 16, energy, 400 us", "-1 * mean(e_p400, w16)", -23, "band", "6.5.5"),
    ("d2b", "best energy of 16", "-1 * max(e_s, w16)", -35, "band", "6.4.1"),
    ("d4", "W6, GPU program", g("gpu_s", "w6"), 27, "band", "Fig 40"),
    ("d4g", "W6, GPU program, within the budget, high performance", g("gpu_budget_p", "w6"), 27, "band", "Fig 40"),
]
for suffix, words in (("", "accepted programs"), ("n", "as named")):
    PUBLISHED += [
        ("d6e" + suffix, "case 1, energy, " + words, "-1 * mean(e_s, case1%s)" % suffix, -30, "band", "Fig 42"),
        ("d7g" + suffix, "case 2, GPU, " + words, g("gpu_s", "case2" + suffix), -8, "band", "Fig 43"),
        ("d7c" + suffix, "case 2, CPU, " + words, g("cpu_s", "case2" + suffix), 50, "band", "Fig 43"),
        ("d7e" + suffix, "case 2, energy, " + words, "-1 * mean(e_s, case2%s)" % suffix, -21, "band", "Fig 43"),
        ("d8c" + suffix, "case 3, CPU, " + words, g("cpu_s", "case3" + suffix), -12, "band", "Fig 44"),
        ("d8g" + suffix, "case 3, GPU, " + words, g("gpu_s", "case3" + suffix), 38, "band", "Fig 44"),
        ("d8s" + suffix, "case 3, system, " + words, g("sp_s", "case3" + suffix), 10, "band", "Fig 44"),
        ("d8e" + suffix, "case 3, energy, " + words, "-1 * mean(e_s, case3%s)" % suffix, -15.5, "band", "Fig 44"),
        ("d9s" + suffix, "case 4, power saving, system, " + words, g("sp_s", "case4" + suffix), 16, "band", "Fig 45"),
        ("d9e" + suffix, "case 4, power saving, energy, " + words, "-1 * mean(e_s, case4%s)" % suffix, -35, "band", "Fig 45"),
        ("d10s" + suffix, "case 4, high performance, system, " + words, g("sp_p", "case4" + suffix), 53, "band", "Fig 45"),
        ("d10e" + suffix, "case 4, high performance, energy, " + words, "-1 * mean(e_p, case4%s)" % suffix, -48, "band", "Fig 45"),
        ("d10m" + suffix, "case 4, high performance, memory power, " + words, "100 * (mean(w_memory_p, case4%s) / 0.4 - 1)" % suffix, 18, "band", "Fig 45"),
        ("d10d" + suffix, "case 4, high performance, system, DRAM follows, " + words, g("sp_dram", "case4" + suffix), 53, "band", "Fig 45"),
    ]
PUBLISHED += [
    ("d11m", "high performance over power saving, W1 to W8", "100 * (mean(sp_p, w8) - mean(sp_s, w8))", 6.8, "band", "Fig 46"),
    ("d11x", "the most", "100 * max(sp_more, w8)", 37, "band", "Fig 46"),
    ("d11e", "energy, high performance over power saving", "mean(e_s, w8) - mean(e_p, w8)", 1, "band", "Fig 46"),
    ("d11e7", "the same without W2", "mean(e_s, w8but2) - mean(e_p, w8but2)", 3, "band", "Fig 46"),
    ("d12p", "CPU programs, performance", g("sp_cs", "c10"), 8.5, "band", "Fig 47"),
    ("d12e", "CPU programs, energy", "-1 * mean(e_cs, c10)", -18.1, "band", "Fig 47"),
    ("d12c", "CPU programs, energy of C1 to C4", "-1 * mean(e_cs, c1to4)", -30, "band", "Fig 47"),
    ("d12cp", "CPU programs, energy of C1 to C4, as printed", "-1 * mean(e_cprinted, c1to4)", -30, "band", "Fig 47"),
    ("d14s", "25 us", "100 * (at(mean(sp_period, w4), %d) - 1)" % PERIODS[0], 7, "band", "Fig 49"),
    ("d14t", "50 us", "100 * (at(mean(sp_period, w4), %d) - 1)" % PERIODS[1], 11, "band", "Fig 49"),
    ("d14l", "1.6 ms", "100 * (at(mean(sp_period, w4), %d) - 1)" % PERIODS[6], 14, "band", "Fig 49"),
    ("d14c", "25 us, the whole chip locks", "100 * (at(mean(sp_chip, w4), %d) - 1)" % PERIODS[0], 7, "band", "Fig 49"),
    ("d14d", "50 us, the whole chip locks", "100 * (at(mean(sp_chip, w4), %d) - 1)" % PERIODS[1], 11, "band", "Fig 49"),
    ("d14e", "energy, 25 us", "-1 * at(mean(e_period, w4), %d)" % PERIODS[0], -18, "band", "Fig 49"),
    ("d14f", "energy, 1.6 ms", "-1 * at(mean(e_period, w4), %d)" % PERIODS[6], -23, "band", "Fig 49"),
    ("d15b", "blackscholes, GPU 0.5 over 1.5 GHz, system", g("sp_slow", "f39b"), 20, "band", "Fig 39"),
    ("d15g", "gaussian, GPU 0.5 over 1.5 GHz, system", g("sp_slow", "f39g"), -27, "band", "Fig 39"),
]
EXPECT = [  # id, what, holds, show, source
    ("d2", "no workload is slower", "min(sp_s, w16) >= 1", "min(sp_s, w16)", "6.4.1"),
    ("d2e", "energy is at least 10 % less for each", "min(e_s, w16) >= 10", "min(e_s, w16)", "6.4.1"),
    ("d3c", "CPU programs of no mix lose more than about 15 % together", "min(cpu_s, w16) >= 0.84", "min(cpu_s, w16)", "6.4.1"),
    ("d3g", "no GPU program does", "min(gpu_s, w16) >= 0.84", "min(gpu_s, w16)", "6.4.1"),
    ("d3g25", "nor with the guard at 0.25", "min(gpu_guard25, w8) >= 0.84", "min(gpu_guard25, w8)", "6.4.1"),
    ("d4s", "W6: the GPU program is not slower though its clock is lowered", "mean(gpu_s, w6) >= 1 and mean(mhz_gpu_s, w6) < 1500", "mean(gpu_s, w6)", "Fig 40"),
    ("d4k", "the same where the GPU goes by MPKI alone", "mean(gpu_gate0, w6) >= 1", "mean(gpu_gate0, w6)", "Fig 40"),
    ("d5a", "W1: cores take less than their shares, the memory its own", "mean(w_cpu_s, w1) < 0.3 and mean(w_gpu_s, w1) < 0.3 and mean(w_memory_s, w1) > 0.35", "mean(w_memory_s, w1)", "Fig 40"),
    ("d5b", "W16: cores near their highest, little for the memory", "mean(w_cpu_s, w16th) > 0.36 and mean(w_gpu_s, w16th) > 0.38 and mean(w_memory_s, w16th) < 0.22", "mean(w_memory_s, w16th)", "Fig 40"),
    ("d6", "case 1: both sides are faster", "mean(cpu_s, case1) > 1 and mean(gpu_s, case1) > 1", "mean(gpu_s, case1)", "Fig 42"),
    ("d7", "case 2: the memory stays at base", "mean(mhz_memory_s, case2) > 1450", "mean(mhz_memory_s, case2)", "Fig 43"),
    ("d8", "case 3: the memory is slightly slower", "mean(mhz_memory_s, case3) < 1450 and mean(mhz_memory_s, case3) > 1100", "mean(mhz_memory_s, case3)", "Fig 44"),
    ("d9", "case 4: the memory's power is unchanged, the GPU loses little", "mean(w_memory_s, case4) > 0.39 and mean(gpu_s, case4) > 0.85", "mean(gpu_s, case4)", "Fig 45"),
    ("d11a", "high performance is at least as fast for each of W1 to W8", "min(sp_more, w8) >= -0.002", "min(sp_more, w8)", "Fig 46"),
    ("d11b", "and better in EDP and ED2P", "mean(edp_p, w8) < mean(edp_s, w8) and mean(ed2p_p, w8) < mean(ed2p_s, w8)", "mean(edp_p, w8)", "Fig 46"),
    ("d11w", "W2 alone takes less energy in high performance", "mean(e_p, w2) > mean(e_s, w2)", "mean(e_p, w2)", "Fig 46"),
    ("d11r", "its gain grows with the power that the memory gets", "rank(sp_more, w_more, w8) > 0.5", "rank(sp_more, w_more, w8)", "Fig 46"),
    ("d12a", "CPU programs gain less the more of them miss often", "mean(sp_cs, c1to4) > mean(sp_cs, c9to10)", "mean(sp_cs, c9to10)", "Fig 47"),
    ("d12b", "cores that slow down help no other: in C9 and C10 no program is faster", "max(c0_cs, c9to10) < 1.02 and max(c1_cs, c9to10) < 1.02 and max(c2_cs, c9to10) < 1.02 and max(c3_cs, c9to10) < 1.02", "max(c0_cs, c9to10)", "Fig 47"),
    ("d13a", "DyFR is better than TAP and F-VCP, W1 to W8", "mean(sp_s, w8) > mean(sp_tap, w8) and mean(sp_s, w8) > mean(sp_rrip, w8) and mean(sp_s, w8) > mean(sp_vcp, w8)", "mean(sp_s, w8)", "Fig 48"),
    ("d13b", "DyFR is better than TAP and F-VCP over all 16 mixes", "mean(sp_s, w16) > mean(sp_tap, w16) and mean(sp_s, w16) > mean(sp_rrip, w16) and mean(sp_s, w16) > mean(sp_vcp, w16)", "mean(sp_s, w16)", "Fig 48"),
    ("d13c", "the others gain 1 % at most on W9 to W16", "mean(sp_tap, w9to16) < 1.01 and mean(sp_rrip, w9to16) < 1.01 and mean(sp_vcp, w9to16) < 1.01", "mean(sp_vcp, w9to16)", "Fig 48"),
    ("d14", "longer periods are as good, from 100 us on within 3 points", "abs(at(mean(sp_period, w4), %d) - at(mean(sp_period, w4), %d)) < 0.03" % (PERIODS[2], PERIODS[4]), "at(mean(sp_period, w4), %d)" % PERIODS[4], "Fig 49"),
    ("d14r", "short periods lose", "at(mean(sp_period, w4), %d) < at(mean(sp_period, w4), %d)" % (PERIODS[0], PERIODS[2]), "at(mean(sp_period, w4), %d)" % PERIODS[0], "Fig 49"),
    ("d14n", "and do not without a lock time", "mean(sp_nolock, w4) > at(mean(sp_period, w4), %d)" % PERIODS[0], "mean(sp_nolock, w4)", "spec A5"),
    ("d14m", "energy falls at all lengths", "at(mean(e_period, w4), %d) > 10 and at(mean(e_period, w4), %d) > 10" % (PERIODS[0], PERIODS[6]), "at(mean(e_period, w4), %d)" % PERIODS[6], "Fig 49"),
    ("d15", "blackscholes slows CPU programs down more than gaussian does", "mean(f39_cpu, f39b) < mean(f39_cpu, f39g)", "mean(f39_cpu, f39b)", "Fig 39"),
    ("d15x", "blackscholes leaves them 0.2 to 0.3 of their speed alone", "mean(f39_cpu, f39b) < 0.35", "mean(f39_cpu, f39b)", "Fig 39"),
    ("d16c", "CPU programs that miss often gain less from frequency than the others", "max(f7_cpu_gain, alone_cpu_log) < min(f7_cpu_gain, alone_cpu_linear)", "max(f7_cpu_gain, alone_cpu_log)", "Fig 7"),
    ("d16g", "and GPU programs", "max(f7_gpu_gain, alone_gpu_log) < min(f7_gpu_gain, alone_gpu_linear)", "max(f7_gpu_gain, alone_gpu_log)", "Fig 7"),
    ("d17a", "mixes that compute hardly gain from memory frequency", "at(mean(f8_m20, c1to2), 3000000000) / at(mean(f8_m10, c1to2), 3000000000) < 1.1", "at(mean(f8_m20, c1to2), 3000000000) / at(mean(f8_m10, c1to2), 3000000000)", "Fig 8"),
    ("d17b", "mixes that miss hardly gain from core frequency", "at(mean(f8_m15, c9to10), 4000000000) / at(mean(f8_m15, c9to10), 1500000000) < 1.3", "at(mean(f8_m15, c9to10), 4000000000) / at(mean(f8_m15, c9to10), 1500000000)", "Fig 8"),
    ("cost", "all runs of the 16 mixes take less than two hours of one core (in seconds)", "sum(host_s, w16) < 7200", "sum(host_s, w16)", "chapter 6 at 1/%d of its times" % S),
    ("a5g", "without the guard gaussian's mix is slower (its misses in time pass the gate)", "mean(sp_noguard, f39g) < mean(sp_s, f39g)", "mean(sp_noguard, f39g)", "spec A5"),
    ("a5c", "capped decisions never exceed the budget", "max(over_s) == 0 and max(over_p) == 0 and max(over_cs) == 0", "max(over_s)", "spec A2"),
    ("a5p", "printed ones do, where cores compute", "sum(over_printed, ll) > 0", "sum(over_printed, ll)", "spec A2"),
]


def write_study(m, seed):
    groups = dict(m.groups)
    groups["w16th"] = groups["w16"][15:16]
    groups["w16"] = groups["w16"][:16]
    groups["het"] = groups["w16"] + groups["cases"]
    groups["allcases"] = groups["cases"] + groups["w2"]
    groups["hetf39"] = groups["het"] + groups["f39"]
    groups["w4"] = [groups[k][1] for k in ("hh", "lh", "hl", "ll")]
    groups["case4x"] = groups["case4"] + groups["case4n"]
    groups["hetf39"] += groups.get("t18", [])  # with --published: at base and with DyFR
    groups["c1to2"] = groups["c10"][0:2]
    groups["w8andf39"] = groups["w8"] + groups["f39"]
    groups["w8but2"] = [m for m in groups["w8"] if m not in groups["w2"]]
    groups["w2and6"] = groups["w2"] + groups["w6"]
    quick = groups["w3"] + groups["w7"] + groups["w10"] + groups["w16th"]  # W2 and W6 take ten times as long
    quick += [groups["c10"][0], groups["c10"][9]] + ["mixes/alone-%s.yaml" % p for p in ("gcc", "gamess", "spmv", "cell")]
    out = ["# Written by draw.py: seed %d; periods and lock times are 1/%d of the published ones, CPU programs run for about 150 us (those that miss often) or 200 us alone." % (seed, S),
           "about: frequencies of CPU cores, GPU and memory by misses per instruction and per time, within one power budget",
           'document: "Lee, PhD thesis, Georgia Tech 2013, chapter 6 (tables 14 to 18, figures 7, 8 and 39 to 49). All programs are stand-ins (accepted.csv)"',
           "size: small", "timeout: 1800s", "data: {alone: alone.csv}", "mixes:"]
    out += ["  - " + f for f in m.rows]
    out.append("groups:")
    out += ["  %s: [%s]" % (k, ", ".join(v)) for k, v in groups.items() if v]
    out += ["quick:", "  programs: [%s]" % ", ".join(quick), "  runs: [base, s, p, printed, cbase, cs]", "", "runs:"] + run_lines()
    out += ["", "values:"] + value_lines()
    out += [value("sp_more", "sp_p - sp_s", "gain of high performance over power saving"),
            value("w_more", "w_memory_p - w_memory_s", "power that the memory gets beyond that", "budget")]
    out += ["", "tables:",
            '  - {title: "DyFR, figure 40", values: [sp_s, cpu_s, gpu_s, e_s, sp_p, e_p, sp_printed, e_printed, over_printed, host_s]}',
            '  - {title: "Cases, figures 42 to 45", values: [sp_s, cpu_s, gpu_s, e_s, sp_p, cpu_p, gpu_p, e_p, sp_dram, mhz_gpu_s, mhz_cpu_s, mhz_memory_s]}',
            '  - {title: "Gates, guard, lock and power model", values: [sp_s, sp_gate0, gpu_gate0, sp_listed, sp_noguard, gpu_noguard, gpu_guard25, sp_grow, e_fv2, trips, gated]}',
            '  - {title: "Against TAP, F-VCP and fixed frequencies, figure 48", values: [sp_s, sp_tap, sp_rrip, sp_vcp]}',
            '  - {title: "Fixed frequencies within the budget, and all mechanisms together", values: [sp_s, oracle, sp_all, disturbed]}',
            '  - {title: "CPU programs alone, figure 47", values: [sp_cs, e_cs, sp_cprinted, e_cprinted, over_cprinted]}',
            "", "figures:",
            '  - {title: "Speed-up, figure 40", type: bars, unit: x, programs: w16, values: [sp_s, cpu_s, gpu_s]}',
            '  - {title: "Power, of a budget of 1, figure 40", type: stack, unit: budget, programs: w16, values: [w_memory_s, w_gpu_s, w_cpu_s, left_s]}',
            '  - {title: "Less energy, figure 40", type: bars, unit: "%", programs: w16, values: [e_s, e_p, e_printed]}',
            '  - {title: "Modes, figure 46", type: bars, unit: x, programs: w8, values: [sp_s, sp_p]}',
            '  - {title: "CPU programs alone, figure 47", type: bars, unit: x, programs: c10, values: [sp_cs, sp_cprinted]}',
            '  - {title: "Other mechanisms, figure 48", type: bars, unit: x, programs: w16, values: [sp_s, sp_tap, sp_rrip, sp_vcp]}',
            '  - {title: "Period, figure 49 (1/%d)", type: lines, x_title: ns, values: [sp_period], programs: w4}' % S,
            '  - {title: "Period, the whole chip locks (1/%d)", type: lines, x_title: ns, values: [sp_chip], programs: w4}' % S,
            '  - {title: "Speed of CPU programs by frequency, figure 7", type: lines, x_title: Hz, values: [f7_cpu_speed], programs: alone_cpu}',
            '  - {title: "Speed of GPU programs by frequency, figure 7", type: lines, x_title: Hz, values: [f7_gpu_speed], programs: alone_gpu}',
            '  - {title: "CPU programs alone by core frequency, memory at 1 GHz, figure 8", type: lines, x_title: Hz, values: [f8_m10], programs: f8}',
            '  - {title: "Memory at 2 GHz, figure 8", type: lines, x_title: Hz, values: [f8_m20], programs: f8}',
            "", "expect:"]
    for i, what, holds, show, source in EXPECT:
        out.append('  - {id: %s, source: "Lee 2013, %s", what: "%s", holds: "%s", show: "%s"}' % (i, source, what, holds, show))
    notes = HERE / "notes.yaml"
    if notes.exists():
        out += ["", "notes:"] + notes.read_text(encoding="utf-8").rstrip("\n").split("\n")
    out += (HERE / "judged.yaml").read_text(encoding="utf-8").rstrip("\n").split("\n")
    (HERE / "study.yaml").write_text("\n".join(out) + "\n", encoding="utf-8")
    with (HERE / "published.csv").open("w", newline="", encoding="utf-8") as f:
        f.write("# Written by draw.py: what chapter 6 of the thesis states (dyfr-and-green spec A4).\n")
        w = csv.writer(f, lineterminator="\n")
        w.writerow("id what measure published unit kind low high source".split())
        for i, what, measure, published, kind, source in PUBLISHED:
            w.writerow([i, what, measure, published, "%", kind, "", "", "Lee 2013, " + source])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--published", action="store_true")
    parser.add_argument("--seed", type=int, default=2013)
    args = parser.parse_args()
    (HERE / "mixes").mkdir(exist_ok=True)
    print("seed %d" % args.seed)
    mixes = draw(args.seed, args.published)
    for old in (HERE / "mixes").glob("*.yaml"):
        if "mixes/" + old.name not in mixes.rows:
            old.unlink()
    mixes.write_alone()
    write_study(mixes, args.seed)


if __name__ == "__main__":
    main()

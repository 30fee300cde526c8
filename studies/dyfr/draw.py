#!/usr/bin/env python3
"""Draws the mixes of this study from accepted programs, and writes mixes/, study.yaml, alone.csv and published.csv.

studies/dyfr/draw.py                 what is committed: W1 to W16, four of each type, seed 2013

Of a mix of type LL, HL, LH or HH the first letter says whether at most one or more than two of its four CPU programs miss often, the second
whether the GPU's does. W2, W5, W9 and W13 are the cases 4, 2, 3 and 1, W6 is gobmk, sjeng, gamess and povray beside streamcluster, with accepted
programs in the place of those that are not (NEAREST, by misses). Each mix counts once: one judged row at most is of one mix alone.
"""
import argparse
import csv
import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent
WARM = 2000000  # instructions of a CPU program; a GPU program: its first launch
NEAREST = {"lbm": "soplex", "gobmk": "hmmer", "sjeng": "gromacs", "povray": "dealII", "blackscholes": "gaussian", "mri-q": "leukocyte"}
CASES = {13: (["gobmk", "sjeng", "gamess", "povray"], "mri-q"), 5: (["h264ref", "sjeng", "povray", "gamess"], "lbm-gpu"),
         9: (["gobmk", "gcc", "leslie3d", "bwaves"], "lavaMD"), 2: (["milc", "gcc", "libquantum", "lbm"], "blackscholes"),
         6: (["gobmk", "sjeng", "gamess", "povray"], "streamcluster")}
C_LOGS = [0, 0, 2, 4, 4]  # memory-bound programs of C1 to C5
LONG = (2, 6, 10, 14)     # with the published periods, too
PROGRAMS = {r["program"]: r for r in csv.DictReader((HERE / "accepted.csv").open(encoding="utf-8"))}
DYFR = {"dvfs.policy": "dyfr"}
AS_PUBLISHED = {"dvfs.period_ns": 100000, "dvfs.pll_ns": 10000}
RUNS = {  # name: settings, programs, words
    "base": ({}, "w16", "all at base"),
    "s": (DYFR, "w16", "DyFR, power saving"),
    "p": (dict(DYFR, **{"policy.dvfs.dyfr.mode": "high_performance"}), "w1to8", "DyFR, high performance"),
    "lbase": (AS_PUBLISHED, "long", "all at base, long windows"),
    "ls": (dict(DYFR, **AS_PUBLISHED), "long", "DyFR, periods of 100 us"),
    "vcp": (dict(AS_PUBLISHED, **{"network.policy": "fvcp"}), "long", "F-VCP, long windows"),
    "tap": (dict(AS_PUBLISHED, **{"llc.policy": "tap_ucp"}), "long", "TAP-UCP, long windows"),
    "noguard": (dict(DYFR, **{"policy.dvfs.dyfr.guard": "false"}), "w1to8", "without the guard"),
    "guard25": (dict(DYFR, **{"policy.dvfs.dyfr.guard_percent": 25}), "w1to8", "a guard at half the loss"),
    "short": (dict(DYFR, **{"dvfs.period_ns": 1563}), "wlong", "a quarter of the period (25 us)"),
    "half": (dict(DYFR, **{"dvfs.period_ns": 3125}), "wlong", "half of the period (50 us)"),
    "printed": (dict(DYFR, **{"policy.dvfs.dyfr.formula": "printed"}), "wlong", "DyFR, as printed"),
    "cbase": ({}, "c5", "all at base"),
    "cs": (DYFR, "c5", "DyFR"),
}
OF = {"ls": "lbase", "vcp": "lbase", "tap": "lbase", "cs": "cbase"}  # what a run is compared with, if not base


def accepted(kind, cls):
    return sorted(p for p, r in PROGRAMS.items() if r["kind"] == kind and r["class"] == cls and r["accepted"] != "no")


def draw_cpus(rng, logs):
    return sorted(rng.sample(accepted("cpu", "log"), logs) + rng.sample(accepted("cpu", "linear"), 4 - logs))


def draw_one(rng, kind):
    logs = rng.choice([3, 4] if kind[0] == "h" else [0, 1])
    return draw_cpus(rng, logs), rng.choice(accepted("gpu", "log" if kind[1] == "h" else "linear"))


class Mixes:
    def __init__(self):
        self.groups, self.alone = {}, []

    def add(self, label, about, cpus, gpu, groups, length="short"):
        name = f"mixes/{label}.yaml"
        out = [f"about: {about}", f"warm: {{instructions: {WARM}, {'launches: 1, ' if gpu else ''}how: functional}}", "applications:"]
        out += [f'  - {{cpu: "../traces/{c}.hct@0+{WARM + int(PROGRAMS[c][length])}", name: {c}}}' for c in cpus]
        out += [f"  - {{synthetic: ../gpu/{gpu}{'-long' if length == 'long' else ''}.yaml, name: {gpu}}}"] if gpu else []
        (HERE / name).write_text("\n".join(out) + "\n", encoding="utf-8")
        us = [int(PROGRAMS[p][length]) * float(PROGRAMS[p]["ns_per_unit"]) / 1000 for p in cpus + ([gpu] if gpu else [])]
        self.alone.append([name] + [f"{t:.3f}" for t in us] + [""] * (5 - len(us)))
        for g in groups:
            self.groups.setdefault(g, []).append(name)


def draw(seed):
    rng, m, number, seen = random.Random(seed), Mixes(), 0, set()
    cases = {n: ([NEAREST.get(c, c) for c in cpus], NEAREST.get(gpu, gpu)) for n, (cpus, gpu) in CASES.items()}
    cases[1] = (draw_cpus(rng, 4), rng.choice(accepted("gpu", "log")))
    cases[16] = (draw_cpus(rng, 0), rng.choice(accepted("gpu", "linear")))
    longer = []
    for kind in ("hh", "lh", "hl", "ll"):
        for _ in range(4):
            number += 1
            cpus, gpu = cases.get(number) or draw_one(rng, kind)
            while (tuple(sorted(cpus)), gpu) in seen:
                cpus, gpu = draw_one(rng, kind)
            seen.add((tuple(sorted(cpus)), gpu))
            groups = ["w16", kind] + ([f"w{number}"] if number < 16 else []) + ["w1to8" if number <= 8 else "w9to16"] + (["wlong"] if number in LONG else [])
            m.add(f"w{number:02d}-{kind}", f"W{number}, type W-{kind.upper()}", cpus, gpu, groups)
            if number in LONG:
                longer.append((number, kind, cpus, gpu))
    for number, kind, cpus, gpu in longer:
        m.add(f"long-w{number:02d}-{kind}", f"W{number} with windows of the published period's length", cpus, gpu, ["long"] + (["long_h"] if kind[1] == "h" else ["long_l"]), "long")
    for i, logs in enumerate(C_LOGS):
        m.add(f"c{i + 1}", f"C{i + 1}, {logs} of 4 miss often", draw_cpus(rng, logs), None, ["c5"] + (["c_linear"] if logs == 0 else ["c_log"] if logs == 4 else []))
    return m


def value(name, formula, about, unit="x"):
    return f'  {name}: {{of: "{formula}", unit: "{unit}", about: "{about}"}}'


def value_lines():
    out = []
    for name, (_, group, words) in RUNS.items():
        base = OF.get(name, "base")
        out.append(value(f"pcpu_{name}", " + ".join(f"1000000000 * alone:c{i} / {name}:first.fs[{i}]" for i in range(4)), "equation 14, " + words))
        if group == "c5":
            out.append(value(f"psys_{name}", f"pcpu_{name} + 0", "performance of CPU programs, " + words))
        else:
            out.append(value(f"pgpu_{name}", f"1000000000 * alone:g / {name}:first.fs[4]", "equation 15, " + words))
            out.append(value(f"psys_{name}", f"power(pcpu_{name} * pgpu_{name}, 0.5)", "equation 16, " + words))
        if name == base or name in ("base", "lbase", "cbase"):
            continue
        out.append(value(f"sp_{name}", f"psys_{name} / psys_{base}", "speed-up, " + words))
        out.append(value(f"e_{name}", f"100 * (1 - {name}:dvfs.mean_power / sp_{name})", "less energy, " + words, "%"))
        if group != "c5":
            out.append(value(f"cpu_{name}", f"pcpu_{name} / pcpu_{base}", "of the CPU programs, " + words))
            out.append(value(f"gpu_{name}", f"pgpu_{name} / pgpu_{base}", "of the GPU program, " + words))
    out.append(value("of_alone", "pcpu_base / 4", "CPU programs at base, of alone"))
    for name in ("s", "p", "ls"):
        for part in ("gpu", "memory"):
            out.append(value(f"mhz_{part}_{name}", f"{name}:dvfs.{part}.mean_mhz", f"mean frequency of {part}, {RUNS[name][2]}", "MHz"))
        out.append(value(f"mhz_cpu_{name}", f"{name}:dvfs.cpu.khz_ns / {name}:dvfs.cpu.ns / 1000", f"mean frequency of CPU cores, {RUNS[name][2]}", "MHz"))
        out.append(value(f"periods_{name}", f"{name}:dvfs.periods", "periods in the window, " + RUNS[name][2], "periods"))
        out.append(value(f"trips_{name}", f"{name}:dvfs.policy.trips", "times the guard stopped the GPU, " + RUNS[name][2], "times"))
        out.append(value(f"gated_{name}", f"{name}:dvfs.policy.gated", "decisions that the gate held, " + RUNS[name][2], "decisions"))
        for part in ("cpu", "memory"):
            out.append(value(f"w_{part}_{name}", f"{name}:dvfs.{part}_energy / {name}:dvfs.ns / 1000000000", f"power of {part}, {RUNS[name][2]}", "budget"))
    out.append(value("more_p", "100 * (sp_p - sp_s)", "points that high performance gains over power saving", "%"))
    out.append(value("more_e", "100 * ((1 - e_p / 100) / (1 - e_s / 100) - 1)", "energy that it takes more", "%"))
    return out


def mean(v, group):
    return f"100 * (mean({v}, {group}) - 1)"


PUBLISHED = [  # id, what, measure, published, source
    ("d1p", "DyFR, all 16 mixes, performance", mean("sp_s", "w16"), 14, "6.4.1"),
    ("d1e", "DyFR, all 16 mixes, energy", "-1 * mean(e_s, w16)", -23, "6.4.1"),
    ("d1l", "W2, W6, W10 and W14 with the published periods, performance", mean("sp_ls", "long"), 14, "6.4.1"),
    ("d1le", "W2, W6, W10 and W14 with the published periods, energy", "-1 * mean(e_ls, long)", -23, "6.4.1"),
    ("d6e", "case 1 (W13), energy", "-1 * mean(e_s, w13)", -30, "Fig 42"),
    ("d7c", "case 2 (W5), CPU programs", mean("cpu_s", "w5"), 50, "Fig 43"),
    ("d7g", "case 2 (W5), GPU program", mean("gpu_s", "w5"), -8, "Fig 43"),
    ("d7e", "case 2 (W5), energy", "-1 * mean(e_s, w5)", -21, "Fig 43"),
    ("d8s", "case 3 (W9), system", mean("sp_s", "w9"), 10, "Fig 44"),
    ("d8c", "case 3 (W9), CPU programs", mean("cpu_s", "w9"), -12, "Fig 44"),
    ("d8g", "case 3 (W9), GPU program", mean("gpu_s", "w9"), 38, "Fig 44"),
    ("d8e", "case 3 (W9), energy", "-1 * mean(e_s, w9)", -15.5, "Fig 44"),
    ("d9s", "case 4 (W2), power saving, system", mean("sp_s", "w2"), 16, "Fig 45"),
    ("d9e", "case 4 (W2), power saving, energy", "-1 * mean(e_s, w2)", -35, "Fig 45"),
    ("d10s", "case 4 (W2), high performance, system", mean("sp_p", "w2"), 53, "Fig 45"),
    ("d10e", "case 4 (W2), high performance, energy", "-1 * mean(e_p, w2)", -48, "Fig 45"),
    ("d4g", "W6, GPU program", mean("gpu_s", "w6"), 27, "Fig 40"),
    ("d11m", "W1 to W8, points of high performance over power saving", "mean(more_p, w1to8)", 6.8, "Fig 46"),
    ("d11e", "W1 to W8, energy of high performance over power saving", "mean(more_e, w1to8)", 1, "Fig 46"),
    ("d12p", "CPU programs, performance", mean("sp_cs", "c5"), 8.5, "Fig 47"),
    ("d12e", "CPU programs, energy", "-1 * mean(e_cs, c5)", -18.1, "Fig 47"),
    ("d14s", "25 us", mean("sp_short", "wlong"), 7, "Fig 49"),
    ("d14t", "50 us", mean("sp_half", "wlong"), 11, "Fig 49"),
]
EXPECT = [  # id, what, holds, show, source
    ("d2", "no mix is slower", "min(sp_s, w16) >= 1", "min(sp_s, w16)", "6.4.1"),
    ("d2e", "energy is at least 10 % less for each", "min(e_s, w16) >= 10", "min(e_s, w16)", "6.4.1"),
    ("d3", "neither side of a mix loses more than about 15 %", "min(cpu_s, w16) >= 0.84 and min(gpu_s, w16) >= 0.84", "min(gpu_s, w16)", "6.4.1"),
    ("d3c", "the CPU side of no mix does", "min(cpu_s, w16) >= 0.84", "min(cpu_s, w16)", "6.4.1"),
    ("d4s", "W6: the GPU program is not slower though its clock is lowered", "mean(gpu_s, w6) >= 1 and mean(mhz_gpu_s, w6) < 1500", "mean(gpu_s, w6)", "Fig 40"),
    ("d5a", "W1: cores take less than their share, the memory its own", "mean(w_cpu_s, w1) < 0.3 and mean(w_memory_s, w1) > 0.35", "mean(w_memory_s, w1)", "Fig 40"),
    ("d5b", "W16: cores near their highest, little for the memory", "mean(w_cpu_s, w16th) > 0.36 and mean(w_memory_s, w16th) < 0.22", "mean(w_memory_s, w16th)", "Fig 40"),
    ("d11a", "high performance is at least as fast for each of W1 to W8", "min(more_p, w1to8) >= -0.2", "min(more_p, w1to8)", "Fig 46"),
    ("d12a", "CPU programs gain less the more of them miss often", "mean(sp_cs, c_linear) > mean(sp_cs, c_log)", "mean(sp_cs, c_log)", "Fig 47"),
    ("d13a", "DyFR is better than TAP-UCP and F-VCP where the GPU program misses often (W2, W6)", "mean(sp_ls, long_h) > mean(sp_tap, long_h) and mean(sp_ls, long_h) > mean(sp_vcp, long_h)", "mean(sp_vcp, long_h)", "Fig 48"),
    ("d13b", "DyFR is better than TAP-UCP and F-VCP over W2, W6, W10 and W14", "mean(sp_ls, long) > mean(sp_tap, long) and mean(sp_ls, long) > mean(sp_vcp, long)", "mean(sp_vcp, long)", "Fig 48"),
    ("d13c", "the others gain 1 % at most where the GPU program computes (W10, W14)", "mean(sp_tap, long_l) < 1.01 and mean(sp_vcp, long_l) < 1.01", "mean(sp_vcp, long_l)", "Fig 48"),
    ("d14r", "short periods lose", "mean(sp_short, wlong) < mean(sp_s, wlong)", "mean(sp_short, wlong)", "Fig 49"),
]


def run_lines():
    for name, (settings, group, _) in RUNS.items():
        chip = "cpu4-dvfs-16" if group == "c5" else "apu46-dvfs-16"
        given = ", set: {%s}" % ", ".join(f"{k}: {v}" for k, v in settings.items()) if settings else ""
        yield f"  {name}: {{programs: {group}, chips: {chip}{given}}}"


def write_study(m, seed):
    groups = {("w16th" if k == "w16" and len(v) == 1 else k): v for k, v in m.groups.items()}
    out = [f"# Written by draw.py, seed {seed}.", "about: frequencies of CPU cores, GPU and memory by misses per instruction and per time, within one power budget",
           'document: "Lee, PhD thesis, Georgia Tech 2013, chapter 6 (tables 14 to 18, figures 40 to 49). All programs are stand-ins (accepted.csv)"',
           "size: small", "traces: accept.py", "timeout: 900s", "data: {alone: alone.csv}", "mixes:"]
    out += [f"  - {row[0]}" for row in m.alone] + ["groups:"] + [f"  {k}: [{', '.join(v)}]" for k, v in groups.items()]
    quick = groups["hh"][2:3] + groups["lh"][2:3] + groups["hl"][2:3] + groups["ll"][2:3] + groups["c5"][:1] + groups["c5"][-1:]
    out += ["quick:", f"  programs: [{', '.join(quick)}]", "  runs: [base, s, cbase, cs]", "",
            "# One factor for everything: 16 (period 6.25 us, lock time 625 ns); long windows have the published 100 and 10 us.", "runs:", *run_lines(), "", "values:", *value_lines(), "", "tables:",
            '  - {title: "DyFR, figures 40 and 46", values: [sp_s, cpu_s, gpu_s, e_s, sp_p, e_p, sp_noguard, of_alone]}',
            '  - {title: "What DyFR does", values: [periods_s, mhz_cpu_s, mhz_gpu_s, mhz_memory_s, trips_s, gated_s, w_cpu_s, w_memory_s]}',
            '  - {title: "Published periods, against TAP-UCP and F-VCP, figure 48", values: [sp_ls, cpu_ls, gpu_ls, e_ls, sp_tap, sp_vcp, periods_ls, trips_ls, mhz_gpu_ls, mhz_memory_ls]}',
            '  - {title: "Shorter periods, and as printed", values: [sp_s, sp_short, sp_half, sp_printed]}',
            '  - {title: "CPU programs alone, figure 47", values: [sp_cs, e_cs]}', "", "figures:",
            '  - {title: "Speed-up, figure 40", type: bars, unit: x, programs: w16, values: [sp_s, cpu_s, gpu_s]}',
            '  - {title: "Less energy, figure 40", type: bars, unit: "%", programs: w16, values: [e_s]}', "", "expect:"]
    for i, what, holds, show, source in EXPECT:
        out.append(f'  - {{id: {i}, source: "Lee 2013, {source}", what: "{what}", holds: "{holds}", show: "{show}"}}')
    notes = HERE / "notes.yaml"
    out += ["", "notes:"] + notes.read_text(encoding="utf-8").rstrip("\n").split("\n") if notes.exists() else []
    out += (HERE / "judged.yaml").read_text(encoding="utf-8").rstrip("\n").split("\n")
    (HERE / "study.yaml").write_text("\n".join(out) + "\n", encoding="utf-8")
    with (HERE / "alone.csv").open("w", newline="", encoding="utf-8") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["program", "c0", "c1", "c2", "c3", "g"])
        w.writerows(m.alone)
    with (HERE / "published.csv").open("w", newline="", encoding="utf-8") as f:
        f.write("# Written by draw.py: what chapter 6 of the thesis states (dyfr-and-green spec A4).\n")
        w = csv.writer(f, lineterminator="\n")
        w.writerow("id what measure published unit kind low high source".split())
        for i, what, measure, published, source in PUBLISHED:
            w.writerow([i, what, measure, published, "%", "band", "", "", "Lee 2013, " + source])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=2013)
    options = parser.parse_args()
    (HERE / "mixes").mkdir(exist_ok=True)
    for old in (HERE / "mixes").glob("*.yaml"):
        old.unlink()
    m = draw(options.seed)
    m.groups["w16th"] = m.groups["w16"][-1:]
    write_study(m, options.seed)
    print(f"seed {options.seed}: {len(m.alone)} mixes")


main()

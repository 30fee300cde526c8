#!/usr/bin/env python3
"""Draws the mixes of this study, and writes study.yaml and published.csv.

studies/tap/draw.py                          what is committed: 25 + 10 + 8 + 6 mixes, seed 2013
studies/tap/draw.py --published              as many as the thesis has: 152 + 150 + 75 + 25
studies/tap/draw.py --counts 5,2,2,1 --seed 7 --without ""

CPU programs are those that workloads/cpu/accepted.csv accepts, without some whose traces are large, GPU programs those that
studies/llc-types found to be of a type (results/runs.csv there), with the inputs of that study.
"""
import argparse
import csv
import pathlib
import random
import re

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
INSTRUCTIONS = 3000000  # of each CPU program
LONG = 15000000         # of cache-friendly ones in group `long`: alone, 63 to 92 % of their requests to the LLC hit then, 31 to 66 % in 3 million
MOST_INSTRUCTIONS = 15e6  # of a GPU program's warps: longer ones are left out, for the time that they take
INTERVAL = 200000       # cycles: s = 1/25 of the published 5,000,000
SETS = 512              # monitored: 32 / s, so that an interval sees as many accesses to them; a power of two
POLICIES = {
    "lru": {},
    "ucp": {"llc.policy": "ucp", "policy.llc.ucp.interval": INTERVAL, "policy.llc.ucp.sampled_sets": SETS},
    "tap_ucp": {"llc.policy": "tap_ucp", "policy.llc.tap_ucp.interval": INTERVAL, "policy.llc.tap_ucp.sampled_sets": SETS},
    "rrip": {"llc.replacement": "drrip"},
    "tap_rrip": {"llc.policy": "tap_rrip", "policy.llc.tap_rrip.interval": INTERVAL, "policy.llc.tap_rrip.sampled_sets": SETS},
    "static": {"llc.policy": "split", "policy.llc.split.among": "kinds"},
    "tadip": {"llc.replacement": "tadip"},
    "pipp": {"llc.policy": "pipp", "policy.llc.pipp.interval": INTERVAL, "policy.llc.pipp.sampled_sets": SETS,
             "policy.llc.pipp.stream_misses": 4095 * SETS // 32 // 25},
    "tc": {"llc.policy": "tc", "policy.llc.tc.interval": INTERVAL},
}
for name in ("tap_ucp", "tap_rrip"):
    POLICIES[name + "_s"] = dict(POLICIES[name], **{f"policy.llc.{name}.streams": "true"})
POLICIES["tap_rrip_no_xs"] = dict(POLICIES["tap_rrip"], **{"policy.llc.tap_rrip.lifetime": "false"})
SLOW = ("sc", "lbm", "spmv")
SHORT = "in 3 million instructions cache-friendly programs alone hit with 31 to 66 % of their requests: no policy can give them much; see long.ucp"
NOTES = {  # why rows miss, by their ids
    **{f"{g}.{n}": SHORT for g in ("one", "two", "four") for n in ("static", "ucp", "tap_ucp", "rrip", "tap_rrip")},
    "one.tadip": SHORT, "one.tc": "the cage takes reduction and nw, which need the cache (0.77 to 0.86 of their speed), and with it the CPU programs beside them wait for DRAM",
    "long.ucp": "three of eight mixes are beside dct8x8, the only program of type E here, and gain 27 to 80 %",
    "long.tap_ucp": "as long.ucp",
    "f14.tap_ucp": "cactusADM beside scalarprod is 1.58 times as fast: in these 3 million instructions 46 % of its requests hit alone, so it does not stream; without that mix -0.6 %",
    "f14.tap_ucp_s": "as f14.tap_ucp",
    "f14.tap_rrip": "cactusADM beside scalarprod is 1.46 times as fast, see f14.tap_ucp; without that mix -6.0 %, of which most is sha (type C), at 0.72 of its speed",
    "f14.tap_rrip_s": "as f14.tap_rrip, from whose speeds it hardly differs: cactusADM hits too often to be taken for a stream",
    "f14.s": "because of f14.tap_ucp",
    "order.ucp": "because of one.ucp; in longer runs it holds",
    "f13.half": "because of one.ucp: 16 of 25 CPU programs compute",
    "f15.grows": "because of four.ucp",
    "order.pipp": "because of one.ucp: PIPP makes sphinx3 beside lbm 2.2 times as fast; without that mix it gains 1.5 %",
    "t2.d": "the five GPU programs of type D use 2 to 6 MB of the 8, so that nobody needs to give way but to lbm beside hotspot",
}
WORDS = {"static": "static halves", "ucp": "UCP", "rrip": "RRIP", "tadip": "TADIP", "pipp": "PIPP", "tc": "TC", "tap_ucp": "TAP-UCP",
         "tap_rrip": "TAP-RRIP", "tap_ucp_s": "TAP-UCP-S", "tap_rrip_s": "TAP-RRIP-S", "tap_rrip_no_xs": "TAP-RRIP without XSRATIO"}


def cpu_programs(accepted, without):
    classes = {}
    with open(accepted, newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            if row["accepted"] == "yes" and row["program"] not in without:
                classes.setdefault(row["class"], []).append(row["program"])
    for names in classes.values():
        names.sort(key=lambda n: n.startswith("stream-"))  # those without a published name come last
    return classes


def gpu_programs():
    """By type, and the arguments of each."""
    points = {}
    with open(ROOT / "studies" / "llc-types" / "results" / "runs.csv", newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            instructions = float(row["gpu.sm.warp_instructions"])
            if instructions > MOST_INSTRUCTIONS:
                continue
            points.setdefault(row["program"], {})[row["point"].split()[0]] = (
                float(row["gpu.sm.cycles"]) / instructions, 1000 * float(row["llc.misses"]) / instructions)
    types = {t: [] for t in "abcde"}
    for program, at in points.items():
        if "1" not in at or "32" not in at:
            continue
        (cpi_1, mpki_1), (cpi, mpki) = at["1"], at["32"]
        g, m = cpi_1 / cpi, mpki / mpki_1 if mpki_1 else 1
        if m <= 0.5 and g >= 1.15:
            types["c"].append(program)
        elif m <= 0.5 and g <= 1.05 and mpki_1 > 1:
            types["d"].append(program)
        elif mpki <= 1 and cpi <= 2.2:
            types["a"].append(program)
        elif mpki >= 20 and m >= 0.8 and cpi <= 2.2:
            types["e"].append(program)
        elif mpki >= 20 and m >= 0.8 and cpi >= 3 and g <= 1.1:
            types["b"].append(program)
    return types


def gpu_arguments():
    args = {}
    for name, rest in re.findall(r"^  - \{name: ([\w+-]+), args: (\[.*?\])\}", (ROOT / "studies" / "llc-types" / "study.yaml").read_text(encoding="utf-8"), re.M):
        args[name] = rest
    return args


def write_mix(name, gpu, cpus, args, about, instructions=INSTRUCTIONS):
    lines = [f"about: {about}", "applications:"]
    if gpu:
        more = f", args: {args[gpu]}" if gpu in args else ""
        lines.append(f"  - {{workload: {gpu}, size: small{more}}}")
    lines += [f'  - {{cpu: "suite:{c}@0+{instructions}", name: {c}}}' for c in cpus]
    (HERE / "mixes" / f"{name}.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"mixes/{name}.yaml"


def draw(options):
    r = random.Random(options.seed)
    classes, types, args = cpu_programs(options.accepted, options.without), gpu_programs(), gpu_arguments()
    usual = classes.get("cache-friendly", []) + classes.get("compute", [])
    have = [t for t in "abcde" if types[t]]
    groups = {"one": [], "two": [], "four": [], "stream": [], "long": []}
    groups.update({t: [] for t in have})
    for group, cpus, count in zip(("one", "two", "four", "stream"), (1, 2, 4, 1), options.counts):
        seen = set()
        for i in range(100 * count):
            if len(groups[group]) == count:
                break
            kind = have[len(groups[group]) % len(have)]
            gpu = r.choice(types[kind])
            names = sorted(r.sample(classes.get("streaming", []) if group == "stream" else usual, cpus))
            key = (gpu, *names)
            if key in seen:
                continue
            seen.add(key)
            file = write_mix(f"{group}-{kind}-{gpu}-{'-'.join(names)}", gpu, names, args,
                             f"{gpu} (type {kind.upper()}) with {', '.join(names)}; {group}, drawn with seed {options.seed}")
            groups[group].append(file)
            if group == "one":
                groups[kind].append(file)
            if group == "one" and kind != "b" and names[0] in classes["cache-friendly"]:  # beside type B it takes ten minutes
                groups["long"].append(write_mix(f"long-{kind}-{gpu}-{names[0]}", gpu, names, args,
                                                f"{gpu} (type {kind.upper()}) with a longer run of {names[0]}", LONG))
    return groups, types, classes, args


def yaml_list(name, items):
    return f"{name}:\n" + "".join(f"  - {i}\n" for i in items)


def write_published(groups):
    """Every number of figures 12 to 18 that the thesis states; rows of groups that no mix is of are left out."""
    rows = []

    def row(id, what, group, value, published, source, low="", high=""):
        if groups.get(group):
            rows.append((id, what, f"100 * (gmean({value}, {group}) - 1)", published, "%", "band", low, high, f"Lee 2013, {source}"))
    for kind, published in zip("abcde", (0, 15, 3, 5, 12)):
        row(f"f12a.ucp.{kind}", f"UCP, one CPU program, type {kind.upper()}", kind, "one_ucp", published, "Fig 12a")
    row("f12a.tap.c", "TAP-UCP, one CPU program, type C", "c", "one_tap_ucp", 17, "Fig 12a")
    row("f12a.tap.d", "TAP-UCP, one CPU program, type D", "d", "one_tap_ucp", 10, "Fig 12a")
    for group, figure, numbers in (("one", "Figs 12b, 13a, 16 and 18", {"static": 6.5, "ucp": 6, "tap_ucp": 11, "rrip": 3, "tap_rrip": 12, "tadip": 3, "pipp": 4, "tc": 6}),
                                   ("two", "Figs 15 and 16", {"static": 7, "ucp": 7.6, "tap_ucp": 12.5, "rrip": 4.5, "tap_rrip": 14.1}),
                                   ("four", "Figs 15 and 16", {"static": 7, "ucp": 6.1, "tap_ucp": 17.4, "rrip": 5.6, "tap_rrip": 24.3})):
        for name, published in numbers.items():
            row(f"{group}.{name}", f"{WORDS[name]}, {group} CPU program{'s' if group != 'one' else ''}", group, f"{group}_{name}", published, figure)
    for name, published in (("ucp", 6), ("tap_ucp", 11), ("rrip", 3), ("tap_rrip", 12)):
        row(f"long.{name}", f"{WORDS[name]}, one cache-friendly CPU program, longer runs", "long", f"one_{name}", published, "Figs 12b and 13a, of all programs")
    for group, published in (("one", 34), ("two", 36), ("four", 37)):
        rows.append((f"f16.{group}", f"mixes that are slower with static halves, {group}", f"100 * sum({group}_static < 1, {group}) / count({group}_static, {group})",
                     published, "%", "band", "", "", "Lee 2013, Fig 16"))
    for name, published in (("tap_ucp", -3), ("tap_rrip", -4), ("tap_ucp_s", 0), ("tap_rrip_s", 0)):
        row(f"f14.{name}", f"{WORDS[name]}, CPU programs that stream", "stream", f"one_{name}", published, "Fig 14")
    for group, name, published in (("two", "tap_ucp", 2.33), ("four", "tap_ucp", 1.93), ("two", "tap_rrip", 2.3), ("four", "tap_rrip", 2.2)):
        rows.append((f"f15.max.{group}.{name}", f"{WORDS[name]}, highest, {group} CPU programs", f"max({group}_{name}, {group})", published, "x", "band", "", "", "Lee 2013, Fig 15"))
    rows.append(("t3", "storage of core sampling", "max(bits)", 160, "bits", "exact", "", "", "Lee 2013, table 3"))
    with open(HERE / "published.csv", "w", newline="", encoding="utf-8") as f:
        f.write("# Written by draw.py: what figures 12 to 18 and table 3 of the thesis state.\n")
        out = csv.writer(f, lineterminator="\n")
        out.writerow(["id", "what", "measure", "published", "unit", "kind", "low", "high", "source"])
        out.writerows(rows)


def write_study(options, groups, extra):
    mixes = [m for g in ("one", "two", "four", "stream", "long") for m in groups[g]] + extra["slow"] + extra["alone"]
    swept = [groups[t][0] for t in "abcde" if groups.get(t)]
    quick = swept[2:4] + groups["two"][:1] + groups["four"][:1] + groups["stream"][:1]
    lists = dict({k: v for k, v in groups.items() if v}, slow=extra["slow"], alone=extra["alone"], swept=swept, streams=groups["stream"] + swept,
                 usual=groups["one"] + groups["two"] + groups["four"], mixed=groups["one"] + groups["two"] + groups["four"] + groups["stream"] + groups["long"])
    out = [f"# Written by draw.py: seed {options.seed}, {len(groups['one'])} + {len(groups['two'])} + {len(groups['four'])} + {len(groups['stream'])} mixes"
           " of 1, 2, 4 CPU programs, and of one that streams.",
           "about: a shared cache that knows what a GPU needs of it, TAP against LRU, UCP, RRIP and others",
           'document: "Lee, PhD thesis, Georgia Tech 2013, chapters 2 and 4 (table 2, figures 2 and 12 to 18)"',
           "size: small", "timeout: 1800s", "accepted: ../llc-types/accepted.csv", yaml_list("mixes", mixes).rstrip(), "groups:"]
    out += [f"  {k}: [{', '.join(v)}]" for k, v in lists.items() if v]
    out += ["quick:", f"  programs: [{', '.join(quick)}]", "  runs: [lru, ucp, rrip, tap_ucp, tap_rrip]", "",
            f"# All periods are scaled by s = 1/25 ({INTERVAL} cycles), monitored sets by as much ({SETS}); each CPU program runs {INSTRUCTIONS} instructions, in group long {LONG}.", "runs:"]

    def one_line(settings):
        return "{" + ", ".join(f"{k}: {v}" for k, v in settings.items()) + "}"
    where = {"lru": "", "static": "programs: usual, ", "tadip": "programs: one, ", "pipp": "programs: one, ", "tc": "programs: one, ",
             "tap_rrip_no_xs": "programs: c, ", "tap_ucp_s": "programs: streams, ", "tap_rrip_s": "programs: streams, "}
    for name, settings in POLICIES.items():
        rest = f", set: {one_line(settings)}" if settings else ""
        out.append(f"  {name}: {{{where.get(name, 'programs: mixed, ')}chips: apu46{rest}}}")
    for name in ("lru", "ucp", "rrip", "tap_ucp", "tap_rrip"):
        settings = POLICIES[name]
        rest = f", set: {one_line(settings)}" if settings else ""
        out.append(f"  {name}_sizes: {{programs: swept, chips: apu46{rest}, zip: [{{llc.ways: [16, 32], llc.size_bytes: [8MiB, 4MiB]}}]}}")
    out += ["", "# Speed-ups over LRU: of the GPU program (0) and of CPU programs, and their geometric mean over all programs (Eqs. 4 and 5).", "values:"]
    for name in list(POLICIES)[1:]:
        for n, word in ((2, "one"), (3, "two"), (5, "four")):
            if name in ("tadip", "pipp", "tc", "tap_rrip_no_xs", "tap_ucp_s", "tap_rrip_s") and word != "one":
                continue
            product = " * ".join(f"{name}:first.ipc[{i}] / lru:first.ipc[{i}]" for i in range(n))
            out.append(f'  {word}_{name}: {{of: "power({product}, 1 / {n})", unit: x, about: "speed-up over LRU, {WORDS[name]}"}}')
        out.append(f'  gpu_{name}: {{of: "{name}:first.ipc[0] / lru:first.ipc[0]", unit: x, about: "speed-up of the GPU program, {WORDS[name]}"}}')
        out.append(f'  cpu_{name}: {{of: "{name}:first.ipc[1] / lru:first.ipc[1]", unit: x, about: "speed-up of the first CPU program, {WORDS[name]}"}}')
    for name in ("lru", "ucp", "rrip", "tc", "tap_ucp", "tap_rrip"):
        out.append(f'  share_{name}: {{of: "100 * {name}:first.l2_lines[0] / 131072", unit: "%", about: "lines of the cache that are the GPU program\'s when it ends, {WORDS.get(name, "LRU")}"}}')
    for name in ("ucp", "rrip", "tap_ucp", "tap_rrip"):
        out.append(f'  sizes_{name}: {{of: "power({name}_sizes:first.ipc[0] / lru_sizes:first.ipc[0] * {name}_sizes:first.ipc[1] / lru_sizes:first.ipc[1], 0.5)", unit: x, about: "speed-up over LRU by size and ways, {WORDS[name]}"}}')
    out.append('  beside: {of: "lru:first.ipc[1]", about: "IPC of the CPU program beside a GPU program"}')
    out.append('  alone_ipc: {of: "lru:first.ipc[0]", about: "IPC of the first program; of a CPU program alone"}')
    out.append('  bits: {of: "tap_ucp:plan.policy.bits", unit: bits, about: "storage of core sampling"}')
    main = ["static", "ucp", "rrip", "tadip", "pipp", "tc", "tap_ucp", "tap_rrip"]
    out += ["", "tables:", f'  - {{title: "One CPU program", values: [{", ".join("one_" + n for n in main)}]}}',
            '  - {title: "Two CPU programs", values: [two_static, two_ucp, two_rrip, two_tap_ucp, two_tap_rrip]}',
            '  - {title: "Four CPU programs", values: [four_static, four_ucp, four_rrip, four_tap_ucp, four_tap_rrip]}',
            '  - {title: "Who has the cache, one CPU program", values: [share_lru, share_ucp, share_rrip, share_tc, share_tap_ucp, share_tap_rrip]}',
            '  - {title: "One cache-friendly CPU program, longer runs", values: [one_ucp, one_rrip, one_tap_ucp, one_tap_rrip, cpu_ucp, cpu_rrip, cpu_tap_ucp, cpu_tap_rrip]}',
            "", "figures:", '  - {title: "Speed-ups of mixes with one CPU program, each policy sorted", type: sorted, unit: x, values: [one_ucp, one_tap_ucp, one_rrip, one_tap_rrip, one_static, one_pipp, one_tc], programs: one}',
            '  - {title: "Speed-ups with a cache-friendly CPU program, longer runs", type: bars, unit: x, values: [one_ucp, one_tap_ucp, one_rrip, one_tap_rrip], programs: long}',
            '  - {title: "Speed-ups of mixes with two CPU programs, each policy sorted", type: sorted, unit: x, values: [two_ucp, two_tap_ucp, two_rrip, two_tap_rrip, two_static], programs: two}',
            '  - {title: "Speed-ups of mixes with four CPU programs, each policy sorted", type: sorted, unit: x, values: [four_ucp, four_tap_ucp, four_rrip, four_tap_rrip, four_static], programs: four}',
            '  - {title: "Speed-up of mixes with one CPU program", type: bars, unit: x, values: [one_ucp, one_tap_ucp, one_rrip, one_tap_rrip], programs: one}',
            '  - {title: "Lines of the GPU program", type: bars, unit: "%", values: [share_lru, share_ucp, share_rrip, share_tap_ucp, share_tap_rrip], programs: one}',
            "", "expect:"]

    def expect(id, source, what, holds, show=None):
        more = f', show: "{show}"' if show else ""
        out.append(f'  - {{id: {id}, source: "Lee 2013, {source}", what: "{what}", holds: "{holds}"{more}}}')
    expect("order.ucp", "4.5", "TAP-UCP is faster than UCP in the mean", "gmean(one_tap_ucp, one) > gmean(one_ucp, one)", "gmean(one_tap_ucp, one) / gmean(one_ucp, one)")
    expect("order.rrip", "4.5", "TAP-RRIP is faster than RRIP in the mean", "gmean(one_tap_rrip, one) > gmean(one_rrip, one)", "gmean(one_tap_rrip, one) / gmean(one_rrip, one)")
    expect("order.tap", "4.5", "TAP-RRIP is at least as fast as TAP-UCP", "gmean(one_tap_rrip, one) >= gmean(one_tap_ucp, one) - 0.005", "gmean(one_tap_rrip, one)")
    expect("order.lru", "4.5", "RRIP and TADIP are faster than LRU", "gmean(one_rrip, one) > 1 and gmean(one_tadip, one) > 1", "gmean(one_tadip, one)")
    if groups.get("long"):
        expect("long.lru", "4.5", "in longer runs TAP-UCP and TAP-RRIP are faster than LRU", "gmean(one_tap_ucp, long) > 1.05 and gmean(one_tap_rrip, long) > 1.05", "gmean(one_tap_ucp, long)")
        expect("long.tap_over_rrip", "4.5", "in longer runs TAP-RRIP is faster than RRIP in the mean", "gmean(one_tap_rrip, long) > gmean(one_rrip, long)", "gmean(one_tap_rrip, long) / gmean(one_rrip, long)")
        expect("long.tap_over_ucp", "4.5", "in longer runs TAP-UCP is faster than UCP in the mean", "gmean(one_tap_ucp, long) > gmean(one_ucp, long)", "gmean(one_tap_ucp, long) / gmean(one_ucp, long)")
    expect("order.pipp", "Fig 18", "PIPP, UCP, TC and static halves come between RRIP and TAP", "gmean(one_pipp, one) < gmean(one_tap_rrip, one) and gmean(one_tc, one) < gmean(one_tap_rrip, one) and gmean(one_static, one) < gmean(one_tap_rrip, one)", "gmean(one_pipp, one)")
    expect("f13.half", "Fig 13b", "TAP-RRIP makes more than half of the mixes faster", "sum(one_tap_rrip > 1, one) > count(one_tap_rrip, one) / 2", "sum(one_tap_rrip > 1, one)")
    expect("f15.grows", "Fig 15", "TAP-RRIP gains more with four CPU programs than with one", "gmean(four_tap_rrip, four) > gmean(one_tap_rrip, one)", "gmean(four_tap_rrip, four)")
    expect("f17", "Fig 17", "TAP is faster than what it is made of in every cache", "mean(lowest(sizes_tap_ucp - sizes_ucp), swept) > 0 - 0.02 and mean(lowest(sizes_tap_rrip - sizes_rrip), swept) > 0 - 0.02")
    for c in extra["cpus"]:
        ratios = [f"beside[mixes/slow-{g}-{c}.yaml] / alone_ipc[mixes/alone-{c}.yaml]" for g in SLOW]
        expect(f"f2.{c}", "Fig 2", f"{c} is slower beside each of {', '.join(SLOW)}", " and ".join(f"{x} < 1" for x in ratios), f"({' + '.join(ratios)}) / {len(SLOW)}")
    if groups.get("d"):
        expect("t2.d", "table 2", "UCP favours a GPU program of type D, TAP-UCP the CPU program", "mean(share_ucp, d) > mean(share_tap_ucp, d) and mean(share_tap_ucp, d) < 40", "mean(share_ucp, d)")
        expect("gpu.d", "4.5", "a GPU program of type D loses at most 5 % with TAP", "min(gpu_tap_ucp, d) > 0.95 and min(gpu_tap_rrip, d) > 0.95", "min(gpu_tap_rrip, d)")
    if groups.get("stream"):
        expect("f14.others", "4.5", "TAP-S changes no mix without a streaming CPU program by more than 0.5 %", "max(abs(one_tap_ucp_s / one_tap_ucp - 1), swept) < 0.005 and max(abs(one_tap_rrip_s / one_tap_rrip - 1), swept) < 0.005", "max(abs(one_tap_ucp_s / one_tap_ucp - 1), swept)")
        expect("f14.s", "Fig 14", "TAP-S is about as fast as LRU where CPU programs stream", "abs(gmean(one_tap_ucp_s, stream) - 1) < 0.02 and abs(gmean(one_tap_rrip_s, stream) - 1) < 0.02", "gmean(one_tap_ucp_s, stream)")
    out += ["notes:"] + [f"  {k}: {v!r}" for k, v in NOTES.items() if k not in ("long.ucp", "long.tap_ucp") or groups.get("long")]
    write_published(groups)
    out += (HERE / "judged.yaml").read_text(encoding="utf-8").rstrip("\n").split("\n")
    (HERE / "study.yaml").write_text("\n".join(out) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=2013)
    parser.add_argument("--counts", default="25,10,8,6", type=lambda s: [int(x) for x in s.split(",")])
    parser.add_argument("--published", action="store_true")
    parser.add_argument("--accepted", default=ROOT / "workloads" / "cpu" / "accepted.csv", help="as `heddle trace suite --accept` writes it")
    parser.add_argument("--without", default="mcf,bzip2,omnetpp,astar,stream-histogram,gobmk,h264ref,perlbench,stream-copy", type=lambda s: s.split(","), help="CPU programs")
    options = parser.parse_args()
    if options.published:
        options.counts = [152, 150, 75, 25]
    (HERE / "mixes").mkdir(exist_ok=True)
    for old in (HERE / "mixes").glob("*.yaml"):
        old.unlink()
    groups, types, classes, args = draw(options)
    extra = {"slow": [], "alone": [], "cpus": []}
    motivation = [c for c in ("perlbench", "bzip2", "gcc", "cactusADM", "leslie3d") if any(c in v for v in classes.values())]
    for c in motivation:
        extra["cpus"].append(c)
        extra["alone"].append(write_mix(f"alone-{c}", None, [c], args, f"{c} alone"))
        for g in SLOW:
            extra["slow"].append(write_mix(f"slow-{g}-{c}", g, [c], args, f"{c} beside {g}, figure 2"))
    write_study(options, groups, extra)
    print(f"seed {options.seed}; " + ", ".join(f"{k}: {len(v)}" for k, v in groups.items()))
    print("GPU programs: " + "; ".join(f"{t.upper()} {' '.join(v) or '-'}" for t, v in types.items()))
    print("CPU programs: " + "; ".join(f"{k} {' '.join(v)}" for k, v in classes.items()))


main()

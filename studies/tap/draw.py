#!/usr/bin/env python3
"""Draws the mixes of this study from accepted programs, and writes mixes/, study.yaml and published.csv.

studies/tap/draw.py            what is committed: 15 mixes with one CPU program, 3 with four, seed 2013
studies/tap/draw.py --all      all that are drawn, 25 + 5 + 5, with every policy: about 100 minutes of a core

With one CPU program each type of GPU program has four mixes with cache-friendly and one with a compute-bound program; each cache-friendly
one is drawn at least twice. What is committed are the first two of these four and the other one of each type, and the mixes with four CPU programs
beside types A, C and D: where types B and E take DRAM's bandwidth the rest would take an hour of a core. Means weigh both kinds by the number of programs that the thesis draws from (10 and 13).
"""
import argparse
import csv
import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent
WARM = 4000000  # instructions of a CPU program; a GPU program: its first launch
ALL = ("lru", "tap_ucp", "ucp", "tap_rrip", "rrip", "static", "tc", "pipp", "tadip")
SOME = ALL[:6]  # with two and four CPU programs
KEPT = ALL[:5]  # without --all
POLICIES = {  # chips/apu46-16.yaml divides their periods
    "ucp": {"llc.policy": "ucp"}, "tap_ucp": {"llc.policy": "tap_ucp"}, "rrip": {"llc.replacement": "drrip"}, "tap_rrip": {"llc.policy": "tap_rrip"},
    "static": {"llc.policy": "split", "policy.llc.split.among": "kinds"}, "tadip": {"llc.replacement": "tadip"}, "pipp": {"llc.policy": "pipp"},
    "tc": {"llc.policy": "tc"},
}
WORDS = {"static": "static halves", "ucp": "UCP", "rrip": "RRIP", "tadip": "TADIP", "pipp": "PIPP", "tc": "TC", "tap_ucp": "TAP-UCP", "tap_rrip": "TAP-RRIP"}
NUMBERS = {"one": {"static": 6.5, "ucp": 6, "tap_ucp": 11, "rrip": 3, "tap_rrip": 12, "tadip": 3, "pipp": 4, "tc": 6},
           "two": {"static": 7, "ucp": 7.6, "tap_ucp": 12.5, "rrip": 4.5, "tap_rrip": 14.1},
           "four": {"static": 7, "ucp": 6.1, "tap_ucp": 17.4, "rrip": 5.6, "tap_rrip": 24.3}}
FIGURES = {"one": "Figs 12b, 13a, 16 and 18", "two": "Figs 15 and 16", "four": "Figs 15 and 16"}
COUNTS = {"one": 2, "two": 3, "four": 5}
FRIENDLY, COMPUTE = 10, 13  # programs of the thesis


def accepted():
    programs, gpus = {"cache-friendly": [], "compute": []}, {t: [] for t in "ABCDE"}
    windows = {}
    with open(HERE / "accepted.csv", newline="", encoding="utf-8") as f:
        for row in csv.DictReader(line for line in f if not line.startswith("#")):
            if row["accepted"] != "yes":
                continue
            if row["kind"] == "gpu":
                gpus[row["class"]].append(row["program"])
            elif row["class"] in programs:
                programs[row["class"]].append(row["program"])
                windows[row["program"]] = row["window"]
    return programs, gpus, windows


def write_mix(group, gpu, cpus, windows):
    name = f"{group}-{gpu}-{'-'.join(cpus)}.yaml"
    lines = [f"about: kernel {gpu} (type {gpu[0].upper()}) with {', '.join(cpus)}", f"warm: {{instructions: {WARM}, launches: 1, how: functional}}",
             "applications:", f"  - {{synthetic: ../gpu/{gpu}.yaml, name: {gpu}}}"]
    lines += [f'  - {{cpu: "../traces/{c}.hct@0+{WARM + int(windows[c])}", name: {c}}}' for c in cpus]
    (HERE / "mixes" / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "mixes/" + name


def draw(seed):
    r = random.Random(seed)
    programs, gpus, windows = accepted()
    friendly, compute = sorted(programs["cache-friendly"]), sorted(programs["compute"])
    groups = {"one": [], "two": [], "four": [], "friendly": [], "compute": []}
    while True:  # no type has a program twice
        twice = [c for _ in range(3) for c in r.sample(friendly, len(friendly))][:20]
        if all(len(set(twice[i::5])) == len(twice[i::5]) for i in range(5)):
            break
    for i, kind in enumerate("ABCDE"):
        of = twice[i::5]
        files = [write_mix("one", gpus[kind][k % len(gpus[kind])], [c], windows) for k, c in enumerate(of)]
        last = write_mix("one", r.choice(gpus[kind]), [r.choice(compute)], windows)
        groups["one"] += files + [last]
        groups["friendly"] += files
        groups["compute"].append(last)
        groups[kind.lower() + "_friendly"], groups[kind.lower() + "_compute"] = files, [last]
    for group, n in (("two", 2), ("four", 4)):
        for kind in "ABCDE":
            some = r.sample([(c, k) for k, names, weight in ((0, friendly, FRIENDLY), (1, compute, COMPUTE)) for c in names], n)
            while not any(k == 0 for _, k in some):  # at least one that a policy can help
                some = r.sample([(c, 0) for c in friendly] + [(c, 1) for c in compute], n)
            groups[group].append(write_mix(group, r.choice(gpus[kind]), sorted(c for c, _ in some), windows))
    groups["several"] = groups["two"] + groups["four"]
    groups["usual"] = groups["one"] + groups["several"]
    return groups


def keep(groups):
    """What is run if not all is: by the order in which mixes were drawn, whatever they gave."""
    for t in "abcde":
        groups[t + "_friendly"] = groups[t + "_friendly"][:2]
    for kind in ("friendly", "compute"):
        groups[kind] = [m for t in "abcde" for m in groups[f"{t}_{kind}"]]
    groups["one"] = [m for t in "abcde" for m in groups[t + "_friendly"] + groups[t + "_compute"]]
    groups["four"] = [m for m in groups["four"] if m.split("-")[1][0] in "acd"]
    groups["two"] = []
    groups["several"] = groups["four"]
    groups["usual"] = groups["one"] + groups["four"]
    for old in (HERE / "mixes").glob("*.yaml"):
        if f"mixes/{old.name}" not in groups["usual"]:
            old.unlink()


def mean(value, group="one"):
    """Geometric mean over mixes; with one CPU program weighted by the thesis' numbers of programs."""
    if group in ("two", "four"):
        return f"gmean({value}, {group})"
    of = "" if group == "one" else group + "_"
    all_of = FRIENDLY + COMPUTE
    return f"power(gmean({value}, {of}friendly), {FRIENDLY / all_of:.4f}) * power(gmean({value}, {of}compute), {COMPUTE / all_of:.4f})"


def write_published(groups, names):
    rows = []

    def row(id, what, group, name, published, source, prefix):
        if name in names and groups.get(group, True):
            rows.append((id, what, f"100 * ({mean(f'{prefix}_{name}', group)} - 1)", published, "%", "band", "", "", f"Lee 2013, {source}"))
    for kind, published in zip("abcde", (0, 15, 3, 5, 12)):
        row(f"f12a.ucp.{kind}", f"UCP, one CPU program, type {kind.upper()}", kind, "ucp", published, "Fig 12a", "one")
    row("f12a.tap.c", "TAP-UCP, one CPU program, type C", "c", "tap_ucp", 17, "Fig 12a", "one")
    row("f12a.tap.d", "TAP-UCP, one CPU program, type D", "d", "tap_ucp", 10, "Fig 12a", "one")
    for group, numbers in NUMBERS.items():
        for name, published in numbers.items():
            row(f"{group}.{name}", f"{WORDS[name]}, {group} CPU program{'s' if group != 'one' else ''}", group, name, published, FIGURES[group], group)
    for group, published in (("one", 34), ("two", 36), ("four", 37)) if "static" in names else ():
        rows.append((f"f16.{group}", f"mixes that are slower with static halves, {group}", f"100 * sum({group}_static < 1, {group}) / count({group}_static, {group})",
                     published, "%", "band", "", "", "Lee 2013, Fig 16"))
    rows.append(("one.loses", "mixes with one CPU program that TAP-UCP makes slower by more than 0.5 %", "100 * sum(one_tap_ucp < 0.995, one) / count(one_tap_ucp, one)", 4.6, "%", "band", "", "", "Lee 2013, Fig 12b"))
    with open(HERE / "published.csv", "w", newline="", encoding="utf-8") as f:
        f.write("# Written by draw.py: what figures 12 to 18 of the thesis state.\n")
        out = csv.writer(f, lineterminator="\n")
        out.writerow(["id", "what", "measure", "published", "unit", "kind", "low", "high", "source"])
        out.writerows(rows)


def write_study(groups, seed, names):
    out = [f"# Written by draw.py, seed {seed}.", "about: a shared cache that knows what a GPU needs of it, TAP against LRU, UCP, RRIP and others",
           'document: "Lee, PhD thesis, Georgia Tech 2013, chapter 4 (figures 12, 13, 15, 16 and 18, table 2)"', "size: small", "traces: prepare.py", "timeout: 600s", "mixes:"]
    out += [f"  - {m}" for m in groups["usual"]] + ["groups:"]
    out += [f"  {k}: [{', '.join(v)}]" for k, v in groups.items() if v]
    some, main = [n for n in SOME[1:] if n in names], [n for n in ALL[1:] if n in names]
    quick = [groups[t + "_friendly"][0] for t in "abcde"] + [groups[t + "_compute"][0] for t in "acd"] + groups["four"]
    out += ["quick: # all that the headline claims need: a mix of each type, those with programs that compute beside A, C and D, and four CPU programs",
            f"  programs: [{', '.join(quick)}]", "  runs: [lru, ucp, tap_ucp, rrip, tap_rrip, lru_n, tap_ucp_n, tap_rrip_n]", "",
            "# One factor for everything: 16. Programs are warm, their windows last at least 20 periods.", "runs:"]
    for group, end, of in (("one", "", names), ("several", "_n", [n for n in names if n in SOME])):
        for name in of:
            settings = ", ".join(f"{k}: {v}" for k, v in POLICIES.get(name, {}).items())
            out.append(f"  {name}{end}: {{programs: {group}, chips: apu46-16{', set: {' + settings + '}' if settings else ''}}}")
    out += ["", "# Speed-ups over LRU: geometric mean over all programs of a mix (Eqs. 4 and 5), of the GPU program, of the first CPU program.", "values:"]
    for name in main:
        for word, n in COUNTS.items():
            if not groups[word] or word != "one" and name not in SOME:
                continue
            end = "" if word == "one" else "_n"
            product = " * ".join(f"{name}{end}:first.ipc[{i}] / lru{end}:first.ipc[{i}]" for i in range(n))
            out.append(f'  {word}_{name}: {{of: "power({product}, 1 / {n})", unit: x, about: "speed-up over LRU, {WORDS[name]}"}}')
        out.append(f'  gpu_{name}: {{of: "{name}:first.ipc[0] / lru:first.ipc[0]", unit: x, about: "speed-up of the GPU program, {WORDS[name]}"}}')
        out.append(f'  cpu_{name}: {{of: "{name}:first.ipc[1] / lru:first.ipc[1]", unit: x, about: "speed-up of the first CPU program, {WORDS[name]}"}}')
    for name in names:
        words = WORDS.get(name, "LRU")
        out.append(f'  share_{name}: {{of: "100 * {name}:first.l2_lines[0] / 8192", unit: "%", about: "lines of the cache that are the GPU program\'s, {words}"}}')
        out.append(f'  hits_{name}: {{of: "100 * {name}:first.l2_hits[1] / {name}:first.l2_accesses[1]", unit: "%", about: "requests of the first CPU program that hit, {words}"}}')
    for name in ("tap_ucp", "tap_rrip"):
        for stat, words in (("periods", "periods of core sampling"), ("useful", "periods in which the cache is useful to the GPU program"), ("useless", "periods in which it is not"),
                            ("masked", "periods with the mask set"), ("scaled", "periods in which XSRATIO scales the GPU's accesses"), ("changes", "changes of the mask")):
            out.append(f'  {stat}_{name}: {{of: "{name}:plan.policy.{stat}", unit: periods, about: "{words}, {WORDS[name]}"}}')
    out.append('  decisions: {of: "ucp:plan.decisions", unit: periods, about: "divisions by UCP"}')
    out += ["", "tables:"]
    for word, of in (("one", main), ("two", some), ("four", some)):
        if groups[word]:
            out.append(f'  - {{title: "Speed-up over LRU, {word} CPU program{"s" if word != "one" else ""}", values: [{", ".join(f"{word}_{n}" for n in of)}]}}')
    out += [f'  - {{title: "Requests of the first CPU program that hit", values: [{", ".join("hits_" + n for n in ("lru",) + tuple(some))}]}}',
            f'  - {{title: "Lines of the GPU program", values: [{", ".join("share_" + n for n in ("lru",) + tuple(some))}]}}',
            '  - {title: "Core sampling", values: [decisions, periods_tap_ucp, useful_tap_ucp, useless_tap_ucp, masked_tap_ucp, scaled_tap_ucp, periods_tap_rrip, masked_tap_rrip]}',
            "", "figures:", f'  - {{title: "Speed-ups of mixes with one CPU program, each policy sorted", type: sorted, unit: x, values: [{", ".join("one_" + n for n in main)}], programs: one}}',
            '  - {title: "Speed-up of mixes with one CPU program", type: bars, unit: x, values: [one_ucp, one_tap_ucp, one_rrip, one_tap_rrip], programs: one}', "", "expect:"]

    def expect(id, source, what, holds, show=None):
        more = f', show: "{show}"' if show else ""
        out.append(f'  - {{id: {id}, source: "Lee 2013, {source}", what: "{what}", holds: "{holds}"{more}}}')
    m = {n: mean("one_" + n) for n in main}
    expect("order.ucp", "4.7", "TAP-UCP is faster than UCP in the mean", f"{m['tap_ucp']} > {m['ucp']}", f"({m['tap_ucp']}) / ({m['ucp']})")
    expect("order.rrip", "4.7", "TAP-RRIP is faster than RRIP in the mean", f"{m['tap_rrip']} > {m['rrip']}", f"({m['tap_rrip']}) / ({m['rrip']})")
    expect("order.tap", "4.7", "TAP-RRIP is at least as fast as TAP-UCP", f"{m['tap_rrip']} >= {m['tap_ucp']}", m["tap_rrip"])
    if "tadip" in m:
        expect("order.lru", "4.7", "RRIP and TADIP are faster than LRU", f"{m['rrip']} > 1 and {m['tadip']} > 1", m["tadip"])
    if "pipp" in m:
        expect("order.pipp", "Fig 18", "PIPP comes between RRIP and TAP", f"{m['pipp']} >= {m['rrip']} and {m['pipp']} < {m['tap_ucp']} and {m['pipp']} < {m['tap_rrip']}", m["pipp"])
        expect("order.tc", "Fig 18", "UCP, TC and static halves come between PIPP and TAP", " and ".join(f"{m[n]} > {m['pipp']} and {m[n]} < {m['tap_ucp']} and {m[n]} < {m['tap_rrip']}" for n in ("ucp", "tc", "static")), m["tc"])
    expect("f13.half", "Fig 13b", "TAP-RRIP makes more than half of the mixes faster", "sum(one_tap_rrip > 1, one) > count(one_tap_rrip, one) / 2", "sum(one_tap_rrip > 1, one)")
    expect("order.base", "4.7", "UCP and RRIP are faster than LRU", f"{m['ucp']} > 1 and {m['rrip']} > 1", m["rrip"])
    few = {n: " * ".join(f"power({mean('one_' + n, t)}, 0.3333)" for t in "acd") for n in ("tap_ucp", "tap_rrip")}
    expect("f15.grows", "Fig 15", "beside types A, C and D TAP gains more with four CPU programs than with one", f"gmean(four_tap_ucp, four) > {few['tap_ucp']} and gmean(four_tap_rrip, four) > {few['tap_rrip']}", "gmean(four_tap_rrip, four)")
    expect("t2.d", "table 2", "UCP gives a GPU program of type D more than 60 % of the cache, TAP-UCP less than 40 %", "mean(share_ucp, d_friendly) > 60 and mean(share_tap_ucp, d_friendly) < 40", "mean(share_ucp, d_friendly)")
    expect("cs.d", "4.4.1", "core sampling masks a program of type D in most periods", "sum(masked_tap_ucp, d_friendly) > 0.5 * sum(periods_tap_ucp, d_friendly)", "sum(masked_tap_ucp, d_friendly) / sum(periods_tap_ucp, d_friendly)")
    expect("cs.c", "4.4.1", "core sampling finds the cache useful to a program of type C in most periods", "sum(useful_tap_ucp, c_friendly) > 0.5 * sum(periods_tap_ucp, c_friendly)", "sum(useful_tap_ucp, c_friendly) / sum(periods_tap_ucp, c_friendly)")
    expect("gpu.d", "4.7", "a GPU program of type D loses at most 5 % with TAP", "min(gpu_tap_ucp, d_friendly) > 0.95 and min(gpu_tap_rrip, d_friendly) > 0.95", "min(gpu_tap_rrip, d_friendly)")
    out += (HERE / "judged.yaml").read_text(encoding="utf-8").rstrip("\n").split("\n")
    (HERE / "study.yaml").write_text("\n".join(out) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=2013)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    (HERE / "mixes").mkdir(exist_ok=True)
    for old in (HERE / "mixes").glob("*.yaml"):
        old.unlink()
    groups = draw(options.seed)
    if not options.all:
        keep(groups)
    names = ALL if options.all else KEPT
    write_published(groups, names)
    write_study(groups, options.seed, names)
    print(f"seed {options.seed}; " + ", ".join(f"{k}: {len(v)}" for k, v in groups.items()))


main()

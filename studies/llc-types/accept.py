#!/usr/bin/env python3
"""Writes accepted.csv, which says which GPU programs a mix of a study may hold, from results/runs.csv.

studies/llc-types/accept.py            writes the table; says which published names have no stand-in
studies/llc-types/accept.py --check    says what differs from the committed one
studies/llc-types/accept.py --measured bfs,fft    takes their sources as they are: they were measured again, and behave as before

A row keeps the hash of the sources that it was measured with; one whose numbers are new takes that of today's.
"""
import argparse
import csv
import hashlib
import io
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
WORKLOADS = HERE.parents[1] / "workloads" / "gpu"
COLUMNS = ["program", "size", "arguments", "published", "type", "accepted", "fit", "mpki_1", "mpki_32", "m", "cpi_1", "cpi_32", "g", "rpkc", "sha256"]
LOADS = {"lbm", "sc", "spmv"}  # beside which figure 2 runs CPU programs: they need only ask often
LEAST_LOAD = 100               # requests per 1,000 cycles
TYPES = {  # in the order in which a program that meets two is named
    "C": lambda n: n["m"] <= 0.5 and n["g"] >= 1.15,
    "D": lambda n: n["m"] <= 0.5 and n["g"] <= 1.05 and n["mpki_1"] > 1,
    "A": lambda n: n["mpki_32"] <= 1 and n["cpi_32"] <= 2.2,
    "E": lambda n: n["mpki_32"] >= 20 and n["m"] >= 0.8 and n["cpi_32"] <= 2.2,
    "B": lambda n: n["mpki_32"] >= 20 and n["m"] >= 0.8 and n["cpi_32"] >= 3 and n["g"] <= 1.1,
}


def programs():
    """(name, arguments, published type) of every program of the study, in its order."""
    text = (HERE / "study.yaml").read_text(encoding="utf-8")
    published = {}
    for kind, names in re.findall(r"^  type_(\w): \[(.*)\]", text, re.M):
        published.update(dict.fromkeys(names.split(", "), kind.upper()))
    listed = text[text.index("\nworkloads:"):text.index("\ngroups:")]
    for long, args, short in re.findall(r"^  - (?:\{name: ([\w+-]+), args: \[(.*?)\]\}|([\w+-]+))$", listed, re.M):
        name = long or short
        yield name, args.replace(", ", " "), published.get(name, "")


def measured():
    """Numbers of each program with 1 and with 32 ways."""
    points = {}
    with open(HERE / "results" / "runs.csv", newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            points.setdefault(row["program"], {})[row["point"].split()[0]] = row
    for name, at in points.items():
        if "1" not in at or "32" not in at:
            continue
        n = {}
        for ways in ("1", "32"):
            cycles, instructions, misses = (float(at[ways][c]) for c in ("gpu.sm.cycles", "gpu.sm.warp_instructions", "llc.misses"))
            n["cpi_" + ways] = cycles / instructions
            n["mpki_" + ways] = 1000 * misses / instructions
        n["g"] = n["cpi_1"] / n["cpi_32"]
        n["m"] = n["mpki_32"] / n["mpki_1"] if n["mpki_1"] else 1
        n["rpkc"] = 1000 * float(at["32"]["llc.accesses"]) / (float(at["32"]["gpu.sm.cycles"]) / 6)
        yield name, n


def sources_hash(name):
    h = hashlib.sha256()
    for ending in (".c", ".ptx"):
        h.update((WORKLOADS / name / (name + ending)).read_bytes())
    return h.hexdigest()


def make_row(name, args, published, n):
    row = dict.fromkeys(COLUMNS, "")
    row.update(program=name, size="small", arguments=args, published=published, accepted="no", fit="no")
    if not n:
        return row
    row.update({c: f"{n[c]:.3f}" for c in n})
    kinds = [t for t, holds in TYPES.items() if holds(n)]
    row["type"] = published if published in kinds else kinds[0] if kinds else ""
    if row["type"]:
        row["accepted"] = "yes" if published == row["type"] else "type"
    elif name in LOADS and n["rpkc"] > LEAST_LOAD:
        row["accepted"] = "load"
    row["fit"] = "no" if row["accepted"] == "no" else "yes"  # what studies judge programs by
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--measured", default="", metavar="NAMES")
    options = parser.parse_args()
    path = HERE / "accepted.csv"
    before = {}
    if path.exists():
        with open(path, newline="", encoding="utf-8") as f:
            before = {row["program"]: row for row in csv.DictReader(f)}
    numbers, rows, stale = dict(measured()), [], []
    for name, args, published in programs():
        row = make_row(name, args, published, numbers.get(name))
        now, old = sources_hash(name), before.get(name)
        same = old and all(old.get(c, row[c]) == row[c] for c in COLUMNS if c != "sha256")
        row["sha256"] = old["sha256"] if same and name not in options.measured.split(",") else now
        if row["sha256"] != now:
            stale.append(name)
        rows.append(row)
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    if stale:
        print("sources have changed since they were measured: " + ", ".join(stale))
    if options.check:
        if not path.exists() or path.read_text(encoding="utf-8") != out.getvalue():
            sys.exit("accepted.csv is not what results/runs.csv says")
        return
    path.write_text(out.getvalue(), encoding="utf-8")
    names = [r for r in rows if r["published"]]
    print(f"{sum(r['accepted'] == 'yes' for r in names)} of {len(names)} published programs have a stand-in of their type; without one: "
          + ", ".join(r["program"] for r in names if r["accepted"] != "yes"))


if __name__ == "__main__":
    main()

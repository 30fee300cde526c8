#!/usr/bin/env python3
"""heddle run --timeline and heddle report --perfetto: the file's form, strictly, and its numbers. Prints TAP.

HEDDLE: the program; HEDDLE_SOURCE: the source tree.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

HEDDLE, SOURCE = os.environ["HEDDLE"], os.environ["HEDDLE_SOURCE"]
CLASSES = {"issued", "data_mem", "data_alu", "structural_mem", "structural_alu", "fetch", "barrier", "no_warp"}
# The first two run side by side, the third after the first.
KERNELS = """kernels:
  - {name: first, stream: 1, blocks: 6, threads_per_block: 64, instructions: 256, mix: {integer: 2, load: 1}, access: {stream: 1}}
  - {name: second, stream: 2, blocks: 9, threads_per_block: 64, instructions: 512, mix: {integer: 2, load: 1}, access: {random: 1, footprint_bytes: 1MiB}}
  - {name: third, stream: 1, blocks: 40, threads_per_block: 128, instructions: 128, mix: {fp32: 2, load: 1, store: 1}, access: {stream: 1}}
"""
count = failed = 0


def ok(good, claim, detail=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {claim}")
    if not good:
        print("# " + str(detail)[:600].replace("\n", "\n# "))


def heddle(*arguments):
    env = dict(os.environ, HEDDLE_CHIPS=SOURCE + "/chips")
    done = subprocess.run([HEDDLE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, check=False)
    return done.returncode, done.stderr


def load(path):
    """Only what is JSON to the letter: no NaN, no duplicate keys."""
    def refuse(name):
        raise ValueError(name)

    def unique(pairs):
        assert len({k for k, _ in pairs}) == len(pairs), pairs
        return dict(pairs)
    with open(path) as f:
        return json.load(f, parse_constant=refuse, object_pairs_hook=unique)


def ns(us):
    return round(us * 1000)


class Trace:
    """A timeline by its names, after checking what every timeline must obey."""

    def __init__(self, path, what):
        top = load(path)
        self.events = top["traceEvents"]
        rest = [e for e in self.events if e["ph"] != "M"]
        ok(top["displayTimeUnit"] == "ns" and {e["ph"] for e in self.events} <= {"M", "X", "C"}, f"{what}: only names, whole spans and counters: nothing begins without an end")
        ok(self.events == [e for e in self.events if e["ph"] == "M"] + rest and all(a["ts"] <= b["ts"] for a, b in zip(rest, rest[1:])), f"{what}: names first, then in order of time")
        names = [(e["name"], e["pid"], e.get("tid")) for e in self.events if e["ph"] == "M"]
        ok(len(set(names)) == len(names) and {n[0] for n in names} <= {"process_name", "thread_name"}, f"{what}: every name is given once")
        self.group = {e["pid"]: e["args"]["name"] for e in self.events if e["name"] == "process_name"}
        self.thread = {(e["pid"], e["tid"]): e["args"]["name"] for e in self.events if e["name"] == "thread_name"}
        ok(all(e["pid"] in self.group and e["pid"] > 0 for e in rest) and all((e["pid"], e["tid"]) in self.thread and e["tid"] > 0 for e in rest if e["ph"] == "X"),
           f"{what}: every event lies in a named group and lane")
        ok(all(abs(e[k] * 1000 - ns(e[k])) < 1e-6 for e in rest for k in ("ts", "dur") if k in e) and all(e["ts"] >= 0 and e.get("dur", 0) >= 0 for e in rest), f"{what}: times are whole nanoseconds")
        ok(all(e["name"] and (e["ph"] == "X" or isinstance(e["args"]["value"], (int, float))) for e in rest), f"{what}: spans have names, counters values")
        self.spans, self.counters = collections.defaultdict(list), collections.defaultdict(list)
        for e in rest:
            if e["ph"] == "X":
                self.spans[self.group[e["pid"]], self.thread[e["pid"], e["tid"]]].append((ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]), e))
            else:
                self.counters[self.group[e["pid"]], e["name"]].append((ns(e["ts"]), e["args"]["value"]))
        ok(all(a[1] <= b[0] for lane in self.spans.values() for a, b in zip(lane, lane[1:])), f"{what}: spans of a lane follow each other")

    def lanes(self, group):
        return {thread: spans for (g, thread), spans in self.spans.items() if g == group}


def whole(folder):
    f = {name: f"{folder}/{name}" for name in ("k.yaml", "plain.json", "run.json", "tl.json", "run.perfetto.json", "bare.perfetto.json")}
    with open(f["k.yaml"], "w") as out:
        out.write(KERNELS)
    series = "sm.warp_instructions,sm.l1.hit_rate,sm.scheduler_slots[issued],sm3.warp_instructions"
    codes = [heddle("run", f["k.yaml"], "-q", "-o", f["plain.json"]), heddle("run", f["k.yaml"], "-q", "-o", f["run.json"], "--timeline", f["tl.json"], "--interval", "200", "--series", series),
             heddle("report", "--perfetto", f["run.json"], f["tl.json"], "-o", f["run.perfetto.json"]), heddle("report", "--perfetto", f["run.json"], "-o", f["bare.perfetto.json"])]
    ok(all(c == (0, "") for c in codes), "the documented commands work", codes)
    r, plain = load(f["run.json"]), load(f["plain.json"])
    ok({k: v for k, v in r.items() if k not in ("host", "series")} == {k: v for k, v in plain.items() if k != "host"}, "a timeline changes nothing in the result")
    drawn = []
    for threads in "1", "2":
        heddle("run", f["k.yaml"], "-q", "-o", f"{folder}/threads.json", "--timeline", f"{folder}/t.json", "--threads", threads)
        with open(f"{folder}/t.json") as file:
            drawn.append(file.read())
    ok(drawn[0] == drawn[1], "it is the same on two threads")
    t = Trace(f["run.perfetto.json"], "a run")
    period = r["run"]["simulated_fs"] / r["run"]["cycles"]["core"] / 1e6
    kernels(t, r, period)
    blocks(t, r)
    states(t, r, period)
    queues(t, r)
    series_counters(t, r, period)
    bare = Trace(f["bare.perfetto.json"], "a result alone")
    ok(set(bare.group.values()) == {"kernels", "series"}, "without a timeline there are kernels and series", bare.group)
    kernels(bare, r, period)
    refusals(folder, f)


def kernels(t, r, period):
    spans = sorted(((s, lane) for lane, all_of in t.lanes("kernels").items() for s in all_of), key=lambda s: s[0][2]["args"]["number"])
    records = sorted(r["kernels"], key=lambda k: k["number"])
    ok([s[2]["name"] for s, _ in spans] == [k["name"] for k in records] == ["first", "second", "third"], "every kernel is a span with its name")
    ok(all(abs(s[0] - k["started"] * period) <= 2 and abs(s[1] - k["ended"] * period) <= 2 for (s, _), k in zip(spans, records)), "from its first block to its end", spans)
    ok(all(s[2]["args"]["blocks"] == k["blocks"] and s[2]["args"]["cycles"] == k["cycles"] and s[2]["args"]["bound_by"] == k["bound_by"]
           and abs(s[2]["args"]["ipc"] - k["warp_instructions"] / k["cycles"]) < 1e-6 for (s, _), k in zip(spans, records)), "with what the result says about it", spans)
    ok(spans[0][1] != spans[1][1] and spans[0][0][1] > spans[1][0][0], "kernels that overlap lie in different lanes", spans)


def blocks(t, r):
    found = collections.Counter()
    inside = True
    ends = {e["name"]: (a, b) for spans in t.lanes("kernels").values() for a, b, e in spans}
    for (group, lane), spans in t.spans.items():
        for a, b, e in spans:
            if re.fullmatch(r"sm\d+", group) and lane.startswith("block slot "):
                name = e["name"].split(" block ")[0]
                found[e["name"]] += 1
                inside = inside and ends[name][0] <= a <= b <= ends[name][1]
    want = {f"{k['name']} block {i}" for k in r["kernels"] for i in range(k["blocks"])}
    ok(set(found) == want and set(found.values()) == {1}, "every block is one span in a slot of an SM", found)
    ok(inside, "inside the span of its kernel")


def states(t, r, period):
    schedulers = int(r["config"]["sm.schedulers"]["value"])
    names, off = set(), []
    for i in range(int(r["config"]["sm.count"]["value"])):
        charged = collections.Counter()
        for a, b, e in t.spans[f"sm{i}", "state"]:
            names.add(e["name"])
            shares = {n: float(v) for n, v in re.findall(r"(\w+) ([\d.]+) %", e["args"]["scheduler cycles"])}
            assert e["name"] == max(shares, key=shares.get) or shares[e["name"]] >= max(shares.values()) - 0.1, e
            for n, v in shares.items():
                charged[n] += v / 100 * (b - a) * schedulers / period
        slots = r["units"][f"sm{i}"]["scheduler_slots"]
        off += [(i, n, slots[n], charged[n]) for n in CLASSES - {"no_warp"} if abs(slots[n] - charged[n]) > 0.02 * slots[n] + 8]
    ok(names <= CLASSES and len(names) > 1, "SMs have states", names)
    ok(not off, "whose shares over time are the scheduler cycles of the result", off)
    total = sum(v for v in r["totals"]["sm.scheduler_slots"].values())
    shares = [t.counters["scheduler cycles, %", n] for n in sorted(CLASSES)]
    ok(total and all(abs(sum(c[i][1] for c in shares) - 100) < 0.01 for i in range(len(shares[0]))), "and the classes of all SMs add up to 100 % at every sample")


def queues(t, r):
    banks = {n for g, n in t.counters if g == "L2"}
    channels = int(r["config"]["dram.channels"]["value"])
    per_channel = int(r["config"]["l2.banks_per_channel"]["value"])
    ok(banks == {f"bank {i} access queue" for i in range(channels * per_channel)}, "every L2 bank has the level of its queue", banks)
    levels = [v for i in range(channels) for _, v in t.counters["DRAM", f"channel {i} queue"]]
    ok(levels and max(levels) <= int(r["config"]["dram.queue_entries"]["value"]) and max(levels) > 0, "every DRAM channel too, within its capacity", max(levels, default=None))
    mshrs = [v for (g, n), c in t.counters.items() if n == "L1 MSHRs in use" for _, v in c]
    ok(mshrs and 0 < max(mshrs) <= int(r["config"]["sm.l1.mshrs"]["value"]), "every SM has its MSHRs in use")
    rates, last = t.counters["DRAM", "GB/s"], t.counters["DRAM", "channel 0 queue"][-1][0]
    times = [at for at, _ in rates] + [last]
    moved = sum(v * (b - a) for (a, v), b in zip(rates, times[1:]))  # GB/s x ns = bytes
    seen = sum(k["dram_read_bytes"] + k["dram_written_bytes"] for k in r["kernels"] if k["name"] != "second")
    ok(seen * 0.98 <= moved <= 1.001 * (r["totals"]["dram.bytes_read"] + r["totals"]["dram.bytes_written"]), "rates of DRAM over time are the bytes moved", [moved, seen])


def series_counters(t, r, period):
    s = r["series"]
    starts = [0] + s["cycle"][:-1]
    for name, title, is_growth in (("sm.warp_instructions", "sm.warp_instructions per cycle", True), ("sm.l1.hit_rate", "sm.l1.hit_rate", False),
                                   ("sm.scheduler_slots[issued]", "sm.scheduler_slots[issued] per cycle", True), ("sm3.warp_instructions", "sm3.warp_instructions per cycle", True)):
        want = [(a, v / (b - a) if is_growth else v) for a, b, v in zip(starts, s["cycle"], s["columns"][name]) if v is not None]
        got = t.counters["series", title]
        ok(len(got) == len(want) and all(abs(g[0] - w[0] * period) <= 1 and abs(g[1] - w[1]) <= 1e-6 * abs(w[1]) for g, w in zip(got, want)), f"{name} is a counter", [got[:3], want[:3]])


def refused(claim, words, *arguments):
    code, said = heddle("report", "--perfetto", *arguments)
    ok(code == 2 and said.count("\n") == 1 and words in said, claim, [code, said])


def refusals(folder, f):
    short, other = folder + "/short.json", folder + "/other.json"
    with open(f["k.yaml"]) as k, open(folder + "/one.yaml", "w") as one:
        one.write("".join(k.readlines()[:2]))
    heddle("run", folder + "/one.yaml", "-q", "-o", short)
    heddle("run", folder + "/one.yaml", "-q", "-o", other, "--chip", "volta8", "--set", "launch.cycles=1000000")
    refused("a timeline of a longer run is refused", "continues after the end of", short, f["tl.json"], "-o", folder + "/x.json")
    refused("a timeline of another chip is refused", "is of chip fermi15", other, f["tl.json"], "-o", folder + "/x.json")
    refused("a result is no timeline", '"traceEvents" is not a list', short, short, "-o", folder + "/x.json")
    with open(folder + "/bad.json", "w") as bad:
        bad.write('{"traceEvents": [{"ph": "X", "pid": 1, "name": "a", "ts": 1}], "otherData": {"machine": "fermi15"}}')
    refused("a span without a length is refused", "an event has not the known form", short, folder + "/bad.json", "-o", folder + "/x.json")
    refused("three files are refused", "3 files are given", short, short, short)
    refused("a file that is no .json is refused", "expected a file that ends in .json", short, "-o", folder + "/x.html")
    ok(not os.path.exists(folder + "/x.json"), "and nothing is written")
    code, said = heddle("run", "tokens", "-q", "--set", "tokens=50", "-o", folder + "/tokens.json", "--timeline", folder + "/tokens.tl.json")
    code2, said2 = heddle("report", "--perfetto", folder + "/tokens.json", folder + "/tokens.tl.json", "-o", folder + "/tokens.perfetto.json")
    ok(code == code2 == 0, "a chip that is no GPU has a timeline", said + said2)
    t = Trace(folder + "/tokens.perfetto.json", "tokens")
    ok(sum(len(s) for s in t.lanes("tandem").values()) >= 50 * 4, "with a span for each token at each stage")
    refused("without kernels, series and timeline there is nothing to show", "there is nothing to show", folder + "/tokens.json", "-o", folder + "/x.json")


with tempfile.TemporaryDirectory() as everything:
    whole(everything)
print(f"1..{count}")
sys.exit(failed > 0)

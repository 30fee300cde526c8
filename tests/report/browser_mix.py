#!/usr/bin/env python3
"""The page of several programs on a chip of CPU cores and SMs, in a real browser. Prints TAP.

Skipped without Chromium.
"""
import json

from probe import browse, clean, close, finish, heddle, ok

MIX = """alone: true
applications:
  - {cpu: "cpu:mix,length=40000", name: mixed}
  - {cpu: "cpu:stream,length=10000", name: stream}
  - {workload: vecadd, size: tiny}
"""


def mix(folder):
    with open(folder + "/pair.yaml", "w") as f:
        f.write(MIX)
    run = folder + "/pair.json"
    heddle("run", "--mix", folder + "/pair.yaml", "--chip", "apu46", "-q", "-o", run, "--series", "programs", "--interval", "1000")
    heddle("report", run, "-o", folder + "/pair.html")
    with open(run) as f:
        r = json.load(f)
    names = ["mixed", "stream", "vecadd"]
    columns = [f"application{i}.{s}" for i in range(3) for s in ("l2_lines", "l2_accesses", "dram_read_bytes", "dram_written_bytes")]
    columns += ["request_network.bytes", "reply_network.bytes"]
    ok(list(r["series"]["columns"]) == columns, "--series programs samples four statistics of each program, and the network", list(r["series"]["columns"]))
    p = browse(folder + "/pair.html", """
      probe.title = document.querySelector('h1').textContent;
      probe.sections = [...document.querySelectorAll('section')].map(s => s.id);
      probe.programs = cells('programs-pair', 0);
      probe.slowdowns = cells('programs-pair', 4);
      probe.text = ['summary', 'machine', 'kernels', 'memory', 'limits'].map(id => document.getElementById(id)?.textContent).join(' ');
      probe.wide = document.documentElement.scrollWidth <= document.documentElement.clientWidth;
    """)
    clean(p, "a mix")
    if p["ready"] != "yes":
        return
    charts = p["first"]
    ok(p["title"] == "mixed, stream and vecadd on apu46", "the title names the programs", p["title"])
    ok([t.replace("■ ", "") for t in p["programs"]] == names, "the page opens with the programs in the order of the mix", p["programs"])
    slow = [a["slowdown"] for a in r["applications"]]
    ok(p["slowdowns"] == [f"{s:.2f}" for s in slow], "each has its slowdown", p["slowdowns"])
    ok(close(charts["slowdown-pair"]["series"][0]["data"], slow), "which is also drawn")
    dram = [a["dram_read_bytes"] + a["dram_written_bytes"] for a in (r["units"][f"application{i}"] for i in range(3))]
    shares = [s["data"][-1] for s in charts["shares-pair"]["series"]]
    ok(close(shares, [100 * d / sum(dram) for d in dram]), "shares of DRAM bytes are those of the whole run", (shares, dram))
    lines = charts["LLC-lines-pair"]["series"] if "LLC-lines-pair" in charts else []
    ok([[v[1] for v in s["data"][1:]] for s in lines] == [r["series"]["columns"][f"application{i}.l2_lines"] for i in range(3)],
       "lines of the LLC are drawn over time as sampled", list(charts))
    network = charts.get("Network-bytes-per-cycle-pair", {"series": []})["series"]
    ok([s["name"] for s in network] == ["requests", "replies"], "the network is drawn over time", list(charts))
    drawn = {s for i in range(3) for s in ("dram_written_bytes",) if any(r["series"]["columns"][f"application{i}.{s}"])}
    ok(("DRAM-bytes-written-per-cycle-pair" in charts) == bool(drawn), "what stays 0 is not drawn", list(charts))
    ok("cpi" in charts and "cpi-1" in charts, "SMs and CPU cores have figures of their own", list(charts))
    ok("series" not in p["sections"], "samples of programs are drawn once", p["sections"])
    ok("an L2 hit" not in p["text"] and "L2 hits" not in p["text"], "the shared cache is called LLC")
    ok(p["wide"], "nothing is wider than the window")


PAIRS = {"a": ["first", "second"], "b": ["first", "third"]}


def pairs(folder):
    results = []
    for name, programs in PAIRS.items():
        rows = "".join(f'  - {{cpu: "cpu:stream,length={3000 * (1 + i)}", name: {p}}}\n' for i, p in enumerate(programs))
        with open(f"{folder}/{name}.yaml", "w") as f:
            f.write("alone: true\napplications:\n" + rows)
        results.append(f"{folder}/{name}.json")
        heddle("run", "--mix", f"{folder}/{name}.yaml", "--chip", "cpu4", "-q", "-o", results[-1])
    heddle("report", *results, "-o", folder + "/pairs.html")
    p = browse(folder + "/pairs.html", """
      probe.pairs = [0, 1, 2, 3].map(c => cells('pairs-table', c));
    """)
    clean(p, "two pairs")
    slow = {}
    for name, file in zip(PAIRS, results):
        with open(file) as f:
            for a in json.load(f)["applications"]:
                slow[name, a["name"]] = f"{a['slowdown']:.2f}"
    ok(p.get("pairs") == [["first", "second", "third"], ["–", slow["a", "second"], slow["b", "third"]],
                          [slow["a", "first"], "–", "–"], [slow["b", "first"], "–", "–"]],
       "mixes of two programs become a table of which program slows which", p.get("pairs"))


finish([mix, pairs])

#!/usr/bin/env python3
"""Pages of sweeps and studies in a real browser: charts hold what the database and the verdict say. Prints TAP.

Skipped without Chromium.
"""
import json
import math
import re
import sqlite3

from probe import SOURCE, browse, clean, close, finish, heddle, ok

KERNELS = """kernels:
  - {name: k, blocks: 30, threads_per_block: 128, instructions: 48, dependence_distance: 2, mix: {integer: 2, load: 1}, access: {ACCESS, requests_per_load: 2}}
"""
GRID = """name: tuples
chips: [fermi15]
workloads: [reuse.yaml, stream.yaml]
set: {sm.l1.ways: 4}
sweep: {sm.l1.mshrs: [8, 16, 32], sm.warps: [8, 16, 32]}
where: mshrs <= warps
repeat: 2
"""
ODD = """name: odd
chips: [tandem]
workloads: [tokens]
sweep: {tokens: [100, 200, 400000000], stage.count: [2, 4]}
where: not (tokens == 200 and count == 4)
timeout: 1s
"""
PAIRS = [(8, 8), (8, 16), (16, 16), (8, 32), (16, 32), (32, 32)]  # MSHRs, warps


def make_sweeps(folder):
    for name, text in {"reuse.yaml": KERNELS.replace("ACCESS", "private_reuse: 1, footprint_bytes: 2KiB"), "stream.yaml": KERNELS.replace("ACCESS", "stream: 1"),
                       "grid.yaml": GRID, "odd.yaml": ODD}.items():
        with open(f"{folder}/{name}", "w") as f:
            f.write(text)
    heddle("sweep", "grid.yaml", "--db", "r.db", "-j2", "-q", cwd=folder)
    heddle("sweep", "odd.yaml", "--db", "odd.db", "-j2", "-q", cwd=folder, code=1)


def stored(folder, what):
    """(workload, mshrs, warps, seed) -> a column of the runs or a statistic"""
    db = sqlite3.connect(folder + "/r.db")
    column = what if what == "cycles" else f"(SELECT value FROM stats WHERE stats.run = runs.key AND name = '{what}')"
    setting = "(SELECT value FROM settings WHERE settings.run = runs.key AND parameter = '%s')"
    sql = f"SELECT workload, {setting % 'sm.l1.mshrs'}, {setting % 'sm.warps'}, seed, {column} FROM runs"
    return {row[:4]: row[4] for row in db.execute(sql)}


def mean(values):
    return sum(values) / len(values)


def front_ends(folder):
    """Nothing takes time there: the page begins with the MPKI of what was swept."""
    with open(folder + "/ways.yaml", "w", encoding="utf-8") as f:
        f.write("chips: [front-ends]\nworkloads: ['cpu:mix,length=20000', 'cpu:coin,length=20000']\nsweep: {icaches.i16x8.ways: [1, 8]}\n")
    heddle("sweep", "ways.yaml", "--db", "ways.db", "-q", cwd=folder)
    heddle("report", "--db", folder + "/ways.db", "-o", folder + "/ways.html")
    p = browse(folder + "/ways.html", "probe.head = [...document.querySelectorAll('#point-table th')].map(t => t.textContent);")
    clean(p, "a sweep of front ends")
    if p["ready"] != "yes":
        return
    got = {s["name"]: s["data"] for s in p["first"]["sweep-chart"]["series"]}
    values = [v for s in got.values() for v in s]
    ok(len(values) == 4 and all(0 < v < 100 for v in values) and "icaches.i16x8.mpki" in p["head"] and "cycles" not in p["head"],
       "a sweep of front ends shows MPKI, not cycles", [got, p["head"]])


def geometric(values):
    return math.exp(mean([math.log(v) for v in values]))


def sweep(folder):
    make_sweeps(folder)
    heddle("report", "--db", folder + "/r.db", "-o", folder + "/tuples.html")
    p = browse(folder + "/tuples.html", """
      choose('#chart-controls', 'sm.warps', '32'); probe.chart = look()['sweep-chart'];
      choose('#chart-controls', 'metric', 'sm.l1.hits'); probe.hits = look()['sweep-chart']; probe.head = [...document.querySelectorAll('#point-table th')].map(t => t.textContent);
      choose('#chart-controls', 'metric', 'cycles'); choose('#chart-controls', 'relative to', 'x:8'); probe.speedup = look()['sweep-chart'];
      choose('#chart-controls', 'drawn as', 'bars'); choose('#chart-controls', 'over', 'workload'); choose('#chart-controls', 'series', 'sm.warps');
      choose('#chart-controls', 'sm.l1.mshrs', '8'); probe.bars = look()['sweep-chart'];
      probe.note = document.getElementById('map-note').textContent; choose('#map-controls', 'relative to', '["8","8"]'); probe.map = look()['sweep-map'];
      choose('#map-controls', 'metric', 'sm.l1.hits'); probe.upside = look()['sweep-map'];
      probe.points = cells('point-table', 0).length; type('filter points', 'stream.yaml sm.warps=32'); probe.filtered = cells('point-table', 0).length;
      type('filter points', ''); press('#point-table', 'cycles'); probe.sorted = cells('point-table', probe.head.indexOf('cycles')).map(t => Number(t.replace(/,/g, '')));
      probe.differing = cells('config-table', 0); document.getElementById('only-differing').click(); type('filter parameters', 'sm.l1.ways'); probe.ways = [cells('config-table', 1), cells('config-table', 3)];
      press('header', 'dark'); probe.dark = document.documentElement.dataset.theme;
      choose('#chart-controls', 'series', ''); choose('#chart-controls', 'over', 'sm.l1.mshrs'); choose('#chart-controls', 'series', 'workload'); choose('#chart-controls', 'drawn as', 'lines');
      const shown = charts.find(c => c.box.id === 'sweep-chart'), colours = COLOURS.splice(1); shown.draw();
      probe.panels = [shown.instance.getOption().grid.length, shown.instance.getOption().title.map(t => t.text), shown.instance.getOption().series.map(s => s.xAxisIndex)];
      COLOURS.push(...colours); shown.draw(); probe.plain = shown.instance.getOption().grid.length; probe.csv = chartRows(shown.made);
    """)
    clean(p, "a sweep")
    if p["ready"] != "yes":
        return
    ok(p["panels"][0] == 2 and p["panels"][1][1:] == ["reuse.yaml", "stream.yaml"] and p["panels"][2] == [0, 1] and p["plain"] == 1,
       "more series than colours have panels of their own", [p["panels"], p["plain"]])
    ok(p["csv"][0] == ["", "reuse.yaml", "stream.yaml"] and [r[0] for r in p["csv"][1:]] == ["8", "16", "32"] and all(v > 0 for v in p["csv"][1][1:]),
       "the chart's numbers are a row for each step", p["csv"])
    cycles, hits = stored(folder, "cycles"), stored(folder, "sm.l1.hits")
    names = ["reuse.yaml", "stream.yaml"]
    ok(len(cycles) == 24 and "24 done" in p["text"] and all(c["shapes"] > 0 for c in p["first"].values()), "all points are counted, both charts are drawn", p["text"][:400])

    def of(table, name, mshrs, warps):
        return [table[name, mshrs, warps, seed] for seed in (1, 2)]

    for what, table in (("chart", cycles), ("hits", hits)):
        got = {s["name"]: s["data"] for s in p[what]["series"]}
        ok(list(got) == names and all(close(got[n], [mean(of(table, n, m, 32)) for m in (8, 16, 32)]) for n in names), f"{what}: means over the seeds, as stored", got)
    ok("sm.l1.hits" in p["head"], "the table has the chart's metric too", p["head"])
    got = {s["name"]: s["data"] for s in p["speedup"]["series"]}
    want = {n: [geometric([b / v for b, v in zip(of(cycles, n, 8, 32), of(cycles, n, m, 32))]) for m in (8, 16, 32)] for n in names}
    ok(all(close(got[n], want[n]) and got[n][0] == 1 for n in names), "relative to a point of the same series: baseline by value, geometric mean", [got, want])
    got = {s["name"]: s for s in p["bars"]["series"]}
    ok(list(got) == ["8", "16", "32"] and all(s["type"] == "bar" and close(s["data"], [mean(of(cycles, n, 8, int(w))) for n in names]) for w, s in got.items()),
       "axes can be changed: workloads across, a parameter as series", got)
    values = {pair: mean(of(cycles, "reuse.yaml", *pair)) for pair in PAIRS}
    steps = ["8", "16", "32"]
    first = {(int(steps[y]), int(steps[x])): v for x, y, v in p["first"]["sweep-map"]["series"][0]["data"]}
    ok(first == values, "the map is a triangle with the bounding parameter across", [first, values])
    best = min(values.values())
    winners = [f"sm.warps {w}, sm.l1.mshrs {m}, cycles" for (m, w), v in values.items() if v == best]
    ok(any(w in p["note"] for w in winners), "it names the best cell", [p["note"], winners])
    base = of(cycles, "reuse.yaml", 8, 8)
    want = {pair: geometric([b / v for b, v in zip(base, of(cycles, "reuse.yaml", *pair))]) for pair in PAIRS}
    got = {(int(steps[y]), int(steps[x])): v for x, y, v in p["map"]["series"][0]["data"]}
    ok(set(got) == set(want) and all(close([got[k]], [want[k]]) for k in want), "relative to a cell, cycles become speedups", [got, want])
    got = {(int(steps[y]), int(steps[x])): v for x, y, v in p["upside"]["series"][0]["data"]}
    want = {pair: geometric([v / b for b, v in zip(of(hits, "reuse.yaml", 8, 8), of(hits, "reuse.yaml", *pair))]) for pair in PAIRS}
    ok(all(close([got[k]], [want[k]]) for k in want), "and hits stay value by baseline", [got, want])
    ok((p["points"], p["filtered"]) == (24, 6) and p["sorted"] == sorted(cycles.values(), reverse=True), "the table has all points, filters and sorts", [p["points"], p["filtered"], p["sorted"]])
    ok(sorted(p["differing"]) == ["sm.l1.mshrs", "sm.warps"] and p["ways"] == [["4"], ["the same"]] and p["dark"] == "dark",
       "the configuration shows what differs, and all of it", [p["differing"], p["ways"]])


def failures(folder):
    heddle("report", "--db", folder + "/odd.db", "--sweep", "odd", "--title", "<i>odd</i>", "-o", folder + "/odd.html")
    p = browse(folder + "/odd.html", "probe.failed = cells('failure-table', 0); probe.said = cells('failure-table', 3);", size="500,900")
    clean(p, "a sweep with points that failed, on a small screen")
    if p["ready"] != "yes":
        return
    ok(p["title"] == "<i>odd</i>" and "3 done" in p["text"] and "2 timed out" in p["text"] and not p["wide"], "statuses are counted, the page fits", p["text"][:300])
    ok(len(p["failed"]) == 2 and all("tokens=400000000" in f for f in p["failed"]) and all("took longer than 1 s" in s for s in p["said"]),
       "points without a result are listed with their messages", [p["failed"], p["said"]])
    values, crosses = p["first"]["sweep-map"]["series"]
    ok(len(values["data"]) == 3 and len(crosses["data"]) == 2, "in the map they are crosses, and what nobody asked for is empty", [values, crosses])


def study(folder):
    source = SOURCE + "/tests/report/verdict.json"
    heddle("report", source, "-o", folder + "/study.html")
    p = browse(folder + "/study.html", """
      probe.verdicts = cells('check-table', 0); probe.what = cells('check-table', 2); probe.injected = document.querySelectorAll('#check-table b').length;
      probe.published = cells('check-table', 3); probe.measured = cells('check-table', 4); probe.strips = document.querySelectorAll('#check-table svg .measured').length;
      press('#checks', 'miss 1'); probe.misses = cells('check-table', 2); press('#checks', 'all 5');
      type('filter checks', 'power'); probe.power = cells('check-table', 0); type('filter checks', '');
      probe.table = [cells('study-table-0', 0), cells('study-table-0', 1), cells('study-table-0', 2)]; probe.second = cells('study-table-1', 1);
      probe.causes = [...document.querySelectorAll('.causes li')].map(l => l.textContent);
      probe.csv = Object.fromEntries(charts.map(c => [c.box.id, csvText(chartRows(c.made))]));
      const saved = []; window.URL.createObjectURL = b => { saved.push(b.type); return 'javascript:void 0'; };
      press('.figure', 'SVG'); press('.figure', 'CSV'); probe.saved = saved; probe.svg = chartSvg(charts.find(c => c.box.id === 'figure-fig1'));
      press('header', 'dark'); probe.dark = look();
    """)
    clean(p, "a study")
    if p["ready"] != "yes":
        return
    with open(source) as f:
        v = json.load(f)
    charts = p["first"]
    ok({"agreement", "means-x", "means-lines", *("figure-" + f["id"] for f in v["figures"])} == set(charts) and all(c["shapes"] > 0 for c in charts.values()), "every figure is drawn", sorted(charts))
    ok(p["verdicts"] == [c["verdict"] for c in v["checks"]] and p["published"][:3] == ["1.59×", "1.04×", "–"] and p["measured"][:2] == ["1.52×", "1.31×"] and p["measured"][4] == "–",
       "every check has its verdict, published and measured", [p["verdicts"], p["published"], p["measured"]])
    ok(p["strips"] == 4 and p["injected"] == 0 and "</script> the larger <b>L1</b>" in p["what"][1], "notes are text; what is measured has a strip", [p["strips"], p["what"]])
    ok(len(p["misses"]) == 1 and p["misses"][0].startswith("speedup, L1 4x") and p["power"] == ["unmeasured"], "checks filter by verdict and by words", [p["misses"], p["power"]])
    bars, want = charts["figure-fig1"]["series"], v["figures"][0]["series"]
    ok([b["data"] for b in bars] == [x for s in want for x in (s["values"], s["published"])] and [b["name"] for b in bars] == ["L1", "L1", "L2", "L2"],
       "published bars stand beside measured ones", bars)
    lines, want = charts["figure-fig2"]["series"], v["figures"][1]["series"]
    ok([s["data"] for s in lines] == [want[0]["points"], [[0, 4.9], [200, 3.5], [400, 2.0]], want[1]["points"]], "published lines are at the measured places", lines)
    ok([s["data"] for s in charts["figure-fig3"]["series"]] == [[30, 20], [35, 25], [70, 80], [65, 75]], "stacks have both, too")
    ok(charts["figure-fig4"]["series"][0]["data"] == v["figures"][3]["series"][0]["points"] and "lbm" in charts["figure-fig4"]["texts"], "scatter points have their labels")
    ok([d[:3] for d in charts["figure-fig5"]["series"][0]["data"]] == [[0, 0, 1.0], [1, 0, 1.2], [2, 0, 1.5], [0, 1, 0.9], [2, 1, 1.4]], "heat maps leave absent cells empty")
    ok(close([d[0] for d in charts["agreement"]["series"][0]["data"]], [1.52 / 1.59, 1.31 / 1.04, 1]), "agreement is measured by published")
    ok(p["table"] == [["mm", "lbm"], ["4.1", "2.1"], ["4.9", "–"]] and set(p["dark"]) == set(charts), "tables are there, and the dark page", p["table"])
    ok(p["second"] == ["1.235 (1.2)", "2"], "published stands in brackets, numbers have four digits, rows and columns without a number are left out", p["second"])
    ok(re.search(r"3 of 4\s*checks that were judged \(75 %\)", p["text"]) and "Variant quick" in p["text"] and "12" in p["text"] and "1 failed" in p["text"],
       "the summary counts what passed of what was judged", p["text"][:500])
    means = {s["name"]: s["data"] for s in charts["means-x"]["series"]}
    ok(means == {"band": [[1.03, 2.1, 0], [0.98, 1.2, 1]], "published": [[1.59, 0], [1.04, 1]], "measured": [[1.52, 0], [1.31, 1]]},
       "above all: measured, published and band of the checks with two numbers", means)
    ok(p["causes"] == ["1 check (speedup, L1 4x, mean): lbm gains from </script> the larger <b>L1</b>: its input is smaller here"], "causes of misses are listed", p["causes"])
    ok(p["csv"]["figure-fig1"].split("\r\n")[:3] == [",L1,\"L1, published\",L2,\"L2, published\"", "mm,1.1,1.05,1.3,1.4", "lbm,1.9,1.1,2,2.1"]
       and p["csv"]["figure-fig5"].split("\r\n")[1] == "value,16K,gto,1," and p["csv"]["means-x"].split("\r\n")[2] == "fig1-l1,\"speedup, L1 4x, mean\",x,1.04,1.31,0.98,1.2,miss",
       "each figure's numbers are there as CSV", [p["csv"]["figure-fig1"], p["csv"]["figure-fig5"], p["csv"]["means-x"]])
    ok(p["saved"] == ["image/svg+xml", "text/csv"] and p["svg"].startswith("<svg") and "Speedup" not in p["svg"] and p["svg"].rstrip().endswith("</svg>"),
       "buttons save the figure as SVG and as CSV", [p["saved"], p["svg"][:200]])


def many_programs(folder):
    """More series than colours, flat lines, and notes that refer to each other."""
    names = [f"p{i}" for i in range(9)]
    study = {"format": "heddle-study-1", "name": "many", "runs": {"asked": 0, "done": 0, "kept": 4, "failed": 0, "seconds": 0}, "checks": [
        {"id": "a", "what": "first", "verdict": "miss", "note": "the queue is full. More."}, {"id": "a.b", "what": "second", "verdict": "miss", "note": "as a"},
        {"id": "c", "what": "third", "verdict": "miss", "note": "as a.b: all of it"}, {"id": "d", "what": "fourth", "verdict": "miss", "note": "of its own"},
        {"id": "e", "what": "fifth", "verdict": "miss"}, {"id": "f", "what": "sixth", "verdict": "shown"}],
        "figures": [{"id": "l", "type": "lines", "unit": "", "series": [{"name": n, "points": [[0, 100 + i], [1, 101]]} for i, n in enumerate(names)]},
                    {"id": "b", "type": "bars", "unit": "x", "categories": ["mixes/u-v.yaml", "w"], "series": [{"name": n + ", over none", "values": [1.003, 1]} for n in names]},
                    {"id": "n", "type": "bars", "unit": "W", "categories": ["u", "w"], "series": [{"name": "power", "values": [98, 100]}]},
                    {"id": "s", "type": "bars", "unit": "x", "categories": ["u", "v", "w"], "series": [
                        {"name": "a", "values": [1, 2, 3], "published": [None, None, 4]}, {"name": "b", "values": [3, 2, 1]}]}]}
    with open(folder + "/many-programs.json", "w") as f:
        json.dump(study, f)
    heddle("report", folder + "/many-programs.json", "-o", folder + "/many-programs.html")
    p = browse(folder + "/many-programs.html", """
      probe.cards = [...document.querySelectorAll('.card')].map(c => c.textContent);
      probe.causes = [...document.querySelectorAll('.causes li')].map(l => l.textContent);
      const option = id => charts.find(c => c.box.id === id).instance.getOption();
      probe.panels = option('figure-l').grid.length; probe.colours = [...new Set(option('figure-l').series.map(s => s.lineStyle.color))].length;
      const map = option('figure-b').visualMap[0]; probe.scale = [map.min, map.max]; probe.columns = option('figure-b').xAxis[0].data; probe.rows = option('figure-b').yAxis[0].data;
      probe.sparse = csvText(chartRows(charts.find(c => c.box.id === 'figure-s').made));
      const axis = option('figure-n').yAxis[0]; probe.axis = [axis.scale, axis.name];
    """)
    clean(p, "a study of many programs")
    if p["ready"] != "yes":
        return
    ok(any("4 kept from an earlier judgement" in c for c in p["cards"]) and not any(" ns" in c for c in p["cards"]), "runs that were kept are counted as such", p["cards"])
    ok(p["panels"] == 9 and p["colours"] == 1, "nine lines are nine panels of one colour", [p["panels"], p["colours"]])
    ok(p["rows"] == names and p["columns"] == ["u-v", "w"] and close(p["scale"], [1.0015 - 0.1003, 1.0015 + 0.1003]), "nine kinds of bars are a map, whose scale does not stretch 0.3 %", [p["scale"], p["rows"]])
    drawn = [(s["type"], s["name"], s["data"]) for s in p["first"]["figure-s"]["series"]]
    ok(drawn == [("bar", "a", [1, 2, 3]), ("bar", "b", [3, 2, 1]), ("custom", "a", [[2, 4]])] and p["sparse"] == ",a,b,\"a, published\"\r\nu,1,3,\r\nv,2,2,\r\nw,3,1,4\r\n",
       "what was published for few programs takes no room beside the bars", [drawn, p["sparse"]])
    ok(p["axis"] == [True, "W (axis without zero)"], "an axis leaves zero out where nothing would be seen, and says so", p["axis"])
    ok(p["causes"] == ["3 checks (first and others): the queue is full. More.", "1 check (fourth): of its own"] and "Besides these: 1 check without a note." in p["text"],
       "misses count to the check that explains them", [p["causes"], p["text"][:600]])


def bare_study(folder):
    with open(folder + "/bare.json", "w") as f:
        json.dump({"format": "heddle-study-1", "checks": [{"id": "x"}], "figures": [{"type": "bars"}, {"type": "odd", "series": 3}], "tables": [{}]}, f)
    heddle("report", folder + "/bare.json", "-o", folder + "/bare.html")
    p = browse(folder + "/bare.html", "probe.verdicts = cells('check-table', 0);", size="500,900")
    clean(p, "a study with almost nothing in it, on a small screen")
    ok(p.get("verdicts") == ["unmeasured"] and not p["first"] and not p.get("wide"), "what is absent is left out")


finish([sweep, failures, study, many_programs, bare_study, front_ends])

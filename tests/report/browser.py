#!/usr/bin/env python3
"""Reports of runs in a real browser: charts are there, hold the data, nothing fails, nothing is fetched. Prints TAP.

Skipped without Chromium.
"""
import json
import subprocess

from probe import SOURCE, browse, clean, close, finish, heddle, ok

CLASSES = ["issued", "data_mem", "data_alu", "structural_mem", "structural_alu", "fetch", "barrier", "throttled", "no_warp"]


def one_run(folder):
    run = folder + "/chase.json"
    heddle("run", SOURCE + "/workloads/synthetic/pointer_chase.yaml", "-q", "-o", run, "--series", "sm.warp_instructions,sm.l1.hit_rate", "--interval", "1000")
    heddle("report", run, "-o", folder + "/one.html")
    with open(run) as f:
        r = json.load(f)
    p = browse(folder + "/one.html", """
      press('#cycles', 'cycles'); probe.cycles = look().cpi;
      press('#energy', 'mJ'); probe.energy = look()['energy-stack'];
      press('header', 'dark'); probe.dark = [document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor];
      press('header', 'light'); probe.light = [document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor];
      probe.statistics = Object.fromEntries(cells('statistics-table', 0).map((n, i) => [n, cells('statistics-table', 1)[i]]));
      probe.launch = Object.fromEntries(cells('launch-table', 0).map((n, i) => [n, cells('launch-table', 1)[i]]));
      type('filter statistics', 'sm.l1 hit'); probe.filtered = cells('statistics-table', 0);
      type('filter statistics', ''); press('#statistics-table', 'value'); probe.sorted = cells('statistics-table', 1);
      document.getElementById('only-assumed').click(); probe.assumed = cells('config-table', 2);
      const pick = [...document.querySelectorAll('#units select')].find(s => [...s.options].some(o => o.value === 'l1.loads'));
      pick.value = 'l1.loads'; pick.dispatchEvent(new Event('change')); probe.heat = look()['heat-sm'];
      probe.csv = chartRows(charts.find(c => c.box.id === 'heat-sm').made).slice(0, 2);
      window.dispatchEvent(new Event('beforeprint')); probe.print = document.documentElement.dataset.theme; window.dispatchEvent(new Event('afterprint'));
    """, flags=["--blink-settings=preferredColorScheme=0"])
    clean(p, "one run")
    if p["ready"] != "yes":
        return
    charts, slots = p["first"], r["totals"]["sm.scheduler_slots"]
    ok(p["theme"] == "dark" and p["dark"] == ["dark", "rgb(21, 24, 28)"] and p["light"] == ["light", "rgb(255, 255, 255)"] and p["print"] == "light",
       "the theme follows the system, the switch and the printer", [p["theme"], p["dark"], p["light"], p["print"]])
    want = {"cpi", "kernel-stacks", "latency", "peaks", "roofline", "energy-stack", "series-chart", "heat-sm", "heat-l2", "heat-dram"}
    ok(want <= set(charts) and all(c["shapes"] > 0 for c in charts.values()), "all charts are there and drawn", sorted(charts))
    used = [c for c in CLASSES if slots[c]]
    ok([s["name"] for s in charts["cpi"]["series"]] == used, "the CPI stack has the classes that occur, in their order")
    ok(close([s["data"][0] for s in charts["cpi"]["series"]], [100 * slots[c] / sum(slots.values()) for c in used]), "its shares are the data's", charts["cpi"]["series"])
    lanes = int(r["config"]["sm.count"]["value"]) * int(r["config"]["sm.schedulers"]["value"])
    ok(close([s["data"][0] for s in p["cycles"]["series"]], [slots[c] / lanes for c in used]), "in cycles, slots by schedulers and SMs")
    label = f"{r['run']['cycles']['core']:,} cycles"
    ok(any(label in t for t in charts["cpi"]["texts"]) and label.split()[0] in p["text"], "the cycles stand beside the stack and in the summary")
    launch = r["kernels"][0]
    want = {"l1_hits": launch["l1_hits"], "latency_fs.l2": launch["latency_fs"]["l2"], "l2_stall[mshr]": launch["l2_stall"]["mshr"]}
    ok({n: p["launch"].get(n) for n in want} == {n: f"{v:,}" for n, v in want.items()}, "all numbers of a launch are listed", p["launch"])
    clock, answered = 1.4e9, r["totals"]["sm.l1.answered"]
    hops = {s["name"]: s["data"][0] for s in charts["latency"]["series"]}
    keys = {"request network": "request_fs", "L2": "l2_fs", "DRAM": "dram_fs", "reply network": "reply_fs"}
    ok(all(close([v], [r["totals"]["sm.l1." + keys[n]] / 1e15 * clock / answered]) for n, v in hops.items()) and hops, "hops of a miss are in core cycles", hops)
    drawn = {e["name"]: e["data"][0] for e in p["energy"]["series"]}
    parts = r["totals"]["energy.dynamic_pj"]
    ok(close([drawn["static"], drawn["DRAM"]], [r["totals"]["energy.static_total_pj"] / 1e9, parts["dram"] / 1e9])
       and close([sum(drawn.values())], [r["totals"]["energy.total_pj"] / 1e9]), "the bar of energy is in mJ and adds up", drawn)
    s = charts["series-chart"]["series"]
    growth = r["series"]["columns"]["sm.warp_instructions"]
    ok(s[0]["name"] == "sm.warp_instructions" and close([v[1] for v in s[0]["data"][1:]], [g / 1000 for g in growth]), "series of counts are rates per cycle")
    ok([v[1] for v in s[1]["data"][1:]] == r["series"]["columns"]["sm.l1.hit_rate"], "series of ratios are as sampled")
    ipc = [r["units"][f"sm{i}"]["ipc"] for i in range(int(r["config"]["sm.count"]["value"]))]
    ok(close([v[2] for v in charts["heat-sm"]["series"][0]["data"]], ipc), "the heat map of SMs has one cell each, with its value")
    ok([v[2] for v in p["heat"]["series"][0]["data"]] == [r["units"][f"sm{i}.l1"]["loads"] for i in range(len(ipc))], "another statistic can be chosen")
    ok(p["csv"] == [["unit", "l1.loads"], ["sm0", r["units"]["sm0.l1"]["loads"]]], "its numbers are a row for each unit", p["csv"])
    ok(p["statistics"]["sm.warp_instructions"] == f"{r['totals']['sm.warp_instructions']:,}", "the table has the statistics' values")
    ok(p["filtered"] and all("sm.l1" in n for n in p["filtered"]), "the table filters", p["filtered"])
    numbers = [float(v.replace(",", "")) for v in p["sorted"] if v != "–"]
    ok(numbers == sorted(numbers, reverse=True), "the table sorts")
    ok(p["assumed"] and all(t.startswith("default: assumed") for t in p["assumed"]), "assumed parameters are marked", p["assumed"][:5])
    roof = [d for s in charts["roofline"]["series"] if s["type"] == "scatter" for d in s["data"]]
    work, traffic = r["totals"]["sm.thread_instructions"], r["totals"]["dram.bytes_read"] + r["totals"]["dram.bytes_written"]
    ok(any(close([d[0]], [work / traffic]) for d in roof), "the roofline has the run at its instructions per byte", roof)


def several_runs(folder):
    toy = f'. "{SOURCE}/tests/report/toy.sh"; toy_a a.json "</script><b>odd & \\\\\\"name\\\\\\"</b>"; toy_b b.json triad'
    subprocess.run(["sh", "-c", toy], check=True, cwd=folder)
    heddle("run", "tokens", "-q", "--set", "tokens=1000", "-o", folder + "/tokens.json")
    heddle("report", folder + "/a.json", folder + "/b.json", folder + "/b.json", "-o", folder + "/many.html", "--title", "<i>odd</i>")
    p = browse(folder + "/many.html", """
      const run = document.querySelector('header select'); run.value = '1'; run.dispatchEvent(new Event('change')); probe.second = look();
      document.getElementById('only-differing').click(); probe.differing = cells('config-table', 0);
      probe.injected = document.querySelectorAll('main b').length - [...document.querySelectorAll('main b')].filter(b => !b.textContent.includes('odd')).length;
    """)
    clean(p, "three runs with odd names")
    if p["ready"] != "yes":
        return
    stack = {s["name"]: s["data"] for s in p["first"]["cpi"]["series"]}
    ok(close(stack["structural_mem"], [50, 100 * 280 / 760, 100 * 280 / 760]), "runs stand side by side", stack)
    ok(p["title"] == "<i>odd</i>" and '</script><b>odd & "name"</b> on toy' in p["text"], "markup in names is shown as text", p["text"][:300])
    ok({s["name"]: s["data"] for s in p["second"]["kernel-stacks"]["series"]}["issued"] == [100 * 100 / 320, 100 * 100 / 160],
       "another run can be chosen", p["second"]["kernel-stacks"]["series"])
    ok(p["differing"] == ["sm.l1.mshrs"], "differing parameters can be singled out", p["differing"])
    ok("series-chart" not in p["first"], "without series there is no such section")
    heddle("report", folder + "/tokens.json", "-o", folder + "/tokens.html")
    p = browse(folder + "/tokens.html", size="500,900")
    clean(p, "a chip that is no GPU, on a small screen")
    ok("heat-stage" in p["first"] and "cpi" not in p["first"] and not p["wide"], "it has what its result has, and fits", sorted(p["first"]))


def reuse_map(folder):
    """Four SMs; SM 3 missed nothing, the others find half of their lines two places further on."""
    run = folder + "/reuse.json"
    heddle("run", SOURCE + "/workloads/synthetic/pointer_chase.yaml", "-q", "-o", run, "--set", "sm.l1.reuse_oracle=true")
    with open(run) as f:
        r = json.load(f)
    made = r["reuse_heat_map"]
    sms = int(r["config"]["sm.count"]["value"])
    ok(len(made["misses"]) == sms and sum(made["misses"]) == r["totals"]["sm.reuse.misses"] > 0, "a run with the oracle has the map", made["misses"])
    r["reuse_heat_map"] = {"misses": [10, 20, 40, 0], "had_by": [[0, 1, 5, 0], [0, 0, 2, 10], [20, 4, 0, 0], [0, 0, 0, 0]]}
    r["totals"]["sm.reuse.coefficient"] = 0.6
    for name in ("reuse", "spoiled"):
        with open(f"{folder}/{name}.json", "w") as f:
            json.dump(r, f)
        heddle("report", f"{folder}/{name}.json", "-o", f"{folder}/{name}.html")
        r["reuse_heat_map"]["had_by"].pop()
    p = browse(folder + "/reuse.html", "probe.words = document.querySelector('#reuse').innerText;")
    clean(p, "a run with reuse between SMs")
    if p["ready"] != "yes":
        return
    want = [[1, 0, 0.1], [2, 0, 0.5], [3, 0, 0], [0, 1, 0], [2, 1, 0.1], [3, 1, 0.5], [0, 2, 0.5], [1, 2, 0.1], [3, 2, 0]]
    ok(p["first"]["reuse-map"]["series"][0]["data"] == want, "each cell is a share of its row's misses", p["first"]["reuse-map"]["series"])
    ok("Of 70 load misses, 60.0 %" in p["words"] and "SMs 2 places further on had the most (up to 50.0 % of the misses)" in p["words"],
       "words say how much there is, and at which distance", p["words"])
    p = browse(folder + "/spoiled.html")
    clean(p, "a map that is not square")
    ok("reuse-map" not in p["first"], "it is left out")


def both_kinds(folder):
    """A chip of CPU cores and SMs: programs have columns of theirs."""
    run = folder + "/both.json"
    with open(folder + "/both.yaml", "w") as f:
        f.write('applications: [{cpu: "cpu:mix,length=20000"}, {synthetic: ' + SOURCE + "/workloads/synthetic/pointer_chase.yaml}]\n")
    heddle("run", "--mix", folder + "/both.yaml", "--chip", "apu46", "-q", "-o", run)
    heddle("report", run, "-o", folder + "/both.html")
    p = browse(folder + "/both.html", """
      const heads = () => [...document.querySelectorAll('#kernel-table th')].map(h => h.innerText.trim());
      probe.program = heads(); probe.names = cells('kernel-table', 1);
      const pick = [...document.querySelectorAll('select')].find(s => [...s.options].some(o => o.text.includes('gpu')));
      pick.selectedIndex = 1; pick.dispatchEvent(new Event('change')); probe.kernel = heads(); probe.kernels = cells('kernel-table', 1);
    """)
    clean(p, "a chip of both kinds")
    if p["ready"] != "yes":
        return
    head = [h.split("\n")[0].rstrip(" ▲▼") for h in p["program"]]
    ok("program" in head and "L2 MPKI" in head and "registers" not in head and len(p["names"]) == 1, "a CPU program is listed with its misses", head)
    head = [h.split("\n")[0].rstrip(" ▲▼") for h in p["kernel"]]
    ok("kernel" in head and "registers" in head and "L2 misses/1000" not in head and p["kernels"], "kernels with their registers", head)


def core_energy(folder):
    """Cores with published parts, beside lean cores and cores without such statistics."""
    runs = []
    for chip in ("cmp8", "acmp9", "cpu8"):
        runs.append(f"{folder}/{chip}.json")
        heddle("run", "cpu:mix,length=20000", "--chip", chip, "-q", "-o", runs[-1])
    heddle("report", *runs, "-o", folder + "/cores.html")
    p = browse(folder + "/cores.html")
    clean(p, "energy of cores")
    if p["ready"] != "yes":
        return
    names = {c: [s["name"] for s in p["first"][c]["series"]] for c in ("core-cost", "lean-cost")}
    ok("static" in names["core-cost"] and "I-caches" in names["lean-cost"], "each kind of core has a bar of its parts", names)


def other_models(folder):
    """Fabrics have phases, a mesh has packets, a front end without a core has structures."""
    runs = {"fabric": ["spgemm", "--matrix", "uniform:n=200,nnz=1000"], "mesh": ["uniform", "--chip", "mesh4x4"],
            "front": ["cpu:mix,length=20000", "--chip", "front-ends"]}
    pages = {}
    for name, words in runs.items():
        heddle("run", *words, "-q", "-o", f"{folder}/{name}.json")
        heddle("report", f"{folder}/{name}.json", "-o", f"{folder}/{name}.html")
        pages[name] = browse(f"{folder}/{name}.html", """
          const heads = id => [...document.querySelectorAll(`#${id} th`)].map(h => h.innerText.trim());
          probe.kernels = heads('kernel-table'); probe.structures = cells('structures-table', 0);
        """)
        clean(pages[name], name)
        if pages[name]["ready"] != "yes":
            return
    text = pages["fabric"]["text"]
    head = [h.split("\n")[0].rstrip(" ▲▼") for h in pages["fabric"]["kernels"]]
    ok("Phases" in text and "Launches" not in text and "warp instructions" not in text, "a fabric has phases, no kernels", text[:300])
    ok("phase" in head and "mode" in head and "registers" not in head, "phases are listed with their mode", head)
    ok("accepted load" in pages["mesh"]["text"] and "IPC" not in pages["mesh"]["text"], "a mesh says what it carried")
    ok(set(pages["front"]["structures"]) == {"branch predictor", "branch target buffer", "I-cache"}, "a front end lists its structures")


def front_end_curves(folder):
    """Misses over sizes are those of the table, which are those of the result."""
    files = []
    for name, kernel in (("coin", "coin,length=20000"), ("mix", "mix,length=20000")):
        files.append(f"{folder}/{name}.json")
        heddle("run", f"cpu:{kernel}", "--chip", "front-ends", "-q", "-o", files[-1])
    heddle("report", *files, "-o", folder + "/two.html")
    p = browse(folder + "/two.html", """
      probe.summary = [...document.querySelectorAll('#summary-table th')].map(h => h.innerText.trim());
    """)
    clean(p, "curves of front ends")
    if p["ready"] != "yes":
        return
    with open(files[0], encoding="utf-8") as f:
        totals = json.load(f)["totals"]
    mpki = lambda name: totals[name + ".mpki"]
    series = {s["name"]: list(s["data"]) for s in p["first"]["btb-curves"]["series"]}
    ok(series["8 ways"] == [mpki(f"btbs.b{n}x8") for n in (256, 512, 1024)], "a line has the misses of each size", series)
    series = {s["name"]: list(s["data"]) for s in p["first"]["icache-curves"]["series"]}
    ok(series["8 ways, lines of 64 bytes"] == [mpki(f"icaches.i{n}x8") for n in (8, 16, 32)]
       and series["8 ways, lines of 128 bytes"] == [None, mpki("icaches.i16x8_line128"), None], "and a size that is not there is left out", series)
    bars = p["first"]["predictor-bars"]["series"]
    names = [n[len("predictors."):-len(".mpki")] for n in totals if n.startswith("predictors.") and n.endswith(".mpki") and "_mpki" not in n]
    sums = [sum(b["data"][i] for b in bars) for i in range(len(names))]
    ok(len(names) == 9 and close(sums, [mpki(f"predictors.{n}") for n in names]), "the outcomes of a predictor's misses add up to them", [sums, names])
    ok(any("fewest I-cache misses" in h for h in p["summary"]) and "NaN" not in p["text"] and not any("speed" in h for h in p["summary"]),
       "of two, neither is faster", p["summary"])


finish([one_run, several_runs, reuse_map, both_kinds, core_energy, other_models, front_end_curves])

#!/usr/bin/env python3
"""The page of a machine of several sockets in a real browser. Prints TAP.

Skipped without Chromium.
"""
import json

from probe import SOURCE, browse, clean, close, finish, heddle, ok

SERIES = ["link.socket0.bytes_in", "link.socket0.bytes_out", "link.socket1.lanes_in", "socket0.partition.l2_remote_ways",
          "socket1.partition.l2_remote_ways"]


def sockets(folder):
    run = folder + "/sockets.json"
    heddle("run", SOURCE + "/workloads/synthetic/thrash.yaml", "-q", "-o", run, "--chip", "pascal64x4", "--set", "sm.count=2",
           "--set", "sockets.count=3", "--set", "sockets.home=round_robin", "--set", "sockets.cache.organisation=partitioned",
           "--series", ",".join(SERIES), "--interval", "1000")
    heddle("report", run, "-o", folder + "/sockets.html")
    with open(run) as f:
        r = json.load(f)
    p = browse(folder + "/sockets.html", """
      probe.remote = cells('socket-table', 3);
      probe.sockets = cells('summary-table', 0); probe.all = document.querySelector('main').innerText;
      const run = document.querySelector('header select'); run.value = '2'; run.dispatchEvent(new Event('change')); probe.third = look();
    """)
    clean(p, "three sockets")
    if p["ready"] != "yes":
        return
    charts = p["first"]
    ok([s.replace("■ ", "").strip() for s in p["sockets"]] == ["socket0", "socket1", "socket2"], "the page opens with a row for each socket", p["sockets"])
    ok("L2 hits" in p["all"] and "LLC" not in p["all"], "the cache of a GPU is called L2, also with several sockets")
    sent = [[r["units"][f"link.socket{i}"]["bytes_to"][str(k)] for k in range(3)] for i in range(3)]
    want = [[k, i, sent[i][k]] for i in range(3) for k in range(3) if i != k]
    ok(charts["socket-traffic"]["series"][0]["data"] == want and sum(map(sum, sent)) == r["totals"]["link.bytes"] > 0,
       "the map has what each socket sends to each other, and that is all bytes", charts["socket-traffic"]["series"])
    homes = [r["units"][f"home.socket{i}"] for i in range(3)]
    ok(p["remote"] == [f"{100 * h['remote'] / (h['remote'] + h['local']):.1f} %" for h in homes], "the table says which part is remote", p["remote"])
    kernels = {k["cluster"]: k for k in r["kernels"] if k["launch"] == 0}
    shares = [100 * k["remote_requests"] / (k["remote_requests"] + k["local_requests"]) for k in (kernels[f"socket{i}"] for i in range(3))]
    ok(close([s["data"][0] for s in charts["socket-kernels"]["series"]], shares), "remote shares of a kernel are those of its sockets", shares)
    time = charts["socket-time"]["series"]
    ok([s["name"] for s in time] == ["in", "out", "socket1", "socket0", "socket1"], "what was sampled of links and ways is drawn by socket", time)
    ways = r["series"]["columns"]["socket1.partition.l2_remote_ways"]
    ok([v[1] for v in time[4]["data"][1:]] == ways, "ways are as sampled")
    ok(p["third"]["socket-traffic"]["series"][0]["data"] == want, "the machine is the same, whichever socket is chosen")


finish([sockets])

#!/usr/bin/env python3
"""Draws the mixes of this study, and writes study.yaml and published.csv.

studies/vcp/draw.py                      what is committed: 10 + 13 + 13 + 13 mixes of classes LL, HL, LH and HH, seed 2013
studies/vcp/draw.py --counts 1,1,1,1 --seed 7
studies/vcp/draw.py --measured           takes the packets of results/runs.csv into packets.csv first

Programs are those of table 12 whose packets per 1000 cycles, alone and without a mechanism (run `alone`; packets.csv), fit what was published
(fits()). Four CPU programs at a time; a mix of class H has three or four High ones, one of class L one at most; the GPU program has the second
letter. Inputs were chosen by packets alone, for programs that can be given fewer warps or more work.
"""
import argparse
import csv
import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent
S = 50  # periods are 1/S of the published ones
FEW = 4  # mixes of each class that other policies, routers and placements run on: the first ones drawn
# Instructions in thousands: what a program does in about 0.35 ms alone, four rounds of F-VCP.
THOUSANDS = {"GemsFDTD": 750, "wrf": 300, "bwaves": 550, "cactusADM": 1250, "milc": 1500, "leslie3d": 550, "lbm": 550, "povray": 2000, "gamess": 1550,
             "namd": 1650, "sjeng": 1850, "gobmk": 1000, "tonto": 1600, "perlbench": 950, "bzip2": 1000, "gcc": 300}
ARGUMENTS = {"stencil": "[--width, 64, --height, 8, --depth, 128, --iterations, 8]", "bfs": "[--graph, rmat, --scale, 13]",
             "reduction": "[--elements, 130000, --passes, 32]", "blackscholes": "[--options, 8000, --passes, 64]",
             "sobolqrng": "[--vectors, 32000, --passes, 2]", "volumerender": "[--side, 16, --pixels, 128, --steps, 512]",
             "cell": "[--side, 16, --generations, 10]", "raytracing": "[--triangles, 200, --side, 128]", "aes": "[--blocks, 2000, --passes, 8]"}
LIMIT = {"cpu": 20, "gpu": 100}  # packets per 1000 cycles; more is High (table 12)
MOST = 1.5                       # of the published packets of a High program: beyond that the mesh does not carry them, and every queue is full
PAIRS = (("perlbench", "bzip2", "gcc", "cactusADM", "leslie3d"),  # figure 2
         {"sc": "[--points, 2048]", "lbm": "[--height, 10]", "spmv": "[--rows, 30000]"})
FVCP = {"network.policy": "fvcp", "policy.noc.fvcp.warmup_cycles": 500000 // S, "policy.noc.fvcp.training_cycles": 200000 // S,
        "policy.noc.fvcp.main_cycles": 4000000 // S, "policy.noc.fvcp.interval": 350000 // S, "policy.noc.fvcp.batch_cycles": 16000 // S}
DAMQ = {"network.policy": "damq", "policy.noc.damq.interval": 350000 // S, "policy.noc.damq.batch_cycles": 16000 // S}


def split(k, **more):
    return dict({"network.policy": "split", "policy.noc.split.cpu_vcs": k}, **{"policy.noc.split." + n: v for n, v in more.items()})


def order(by, where, interval=350000):
    return {"network.policy": "order", "policy.noc.order.by": by, "policy.noc.order.where": where,
            "policy.noc.order.batch_cycles": 16000 // S, "policy.noc.order.interval": interval // S}


# name: (settings, what it is compared with, words)
RUNS = {
    "base": ({}, None, "unpartitioned"),
    "s13": (split(1), "base", "1:3"),
    "s22": (split(2), "base", "2:2"),
    "s31": (split(3), "base", "3:1"),
    "s13_auto": (split(1, scope="auto"), "base", "1:3 where both were seen"),
    "s13_shared": (split(1, scope="shared"), "base", "1:3 where both can meet"),
    "s13_vcs": (split(1, typed_injection="false"), "base", "1:3, channels alone"),
    "s13_lists": (split(1, typed_vcs="false"), "base", "lists of types alone"),
    "fvcp": (FVCP, "base", "F-VCP"),
    "damq": (DAMQ, "base", "DAMQ"),
    "cpu_first_q": (order("cpu_first", "queues"), "base", "CPU first in queues"),
    "gpu_first_q": (order("gpu_first", "queues"), "base", "GPU first in queues"),
    "mpi_q": (order("mpi", "queues"), "base", "MPI in queues"),
    "atlas_a_q": (order("atlas", "queues", 1000000), "base", "ATLAS-A in queues"),
    "atlas_c_q": (order("atlas_c", "queues", 1000000), "base", "ATLAS-C in queues"),
    "cpu_first": (order("cpu_first", "routers"), "base", "CPU first in routers"),
    "stc": (order("mpi", "routers"), "base", "STC"),
    "aergia": (order("aergia", "routers"), "base", "Aergia"),
    "damq_s": (dict(DAMQ, **{"policy.noc.damq.routers": "mpi"}), "base", "DAMQ+S"),
    "damq_a": (dict(DAMQ, **{"policy.noc.damq.routers": "aergia"}), "base", "DAMQ+A"),
    "fvcp_s": (dict(FVCP, **{"policy.noc.fvcp.routers": "mpi"}), "base", "F-VCP+S"),
    "fvcp_a": (dict(FVCP, **{"policy.noc.fvcp.routers": "aergia"}), "base", "F-VCP+A"),
    "base_sa0": ({"network.mesh.sa_input_limit": 0}, None, "unpartitioned, an input feeds several outputs"),
    "s13_sa0": (dict(split(1), **{"network.mesh.sa_input_limit": 0}), "base_sa0", "1:3, the same"),
    "s22_sa0": (dict(split(2), **{"network.mesh.sa_input_limit": 0}), "base_sa0", "2:2, the same"),
    "s31_sa0": (dict(split(3), **{"network.mesh.sa_input_limit": 0}), "base_sa0", "3:1, the same"),
    "fvcp_sa0": (dict(FVCP, **{"network.mesh.sa_input_limit": 0}), "base_sa0", "F-VCP, the same"),
    "base_3": ({"network.mesh.hop_cycles": 3}, "base", "three stages"),
    "fvcp_3": (dict(FVCP, **{"network.mesh.hop_cycles": 3}), "base_3", "F-VCP, three stages"),
    "damq_3": (dict(DAMQ, **{"network.mesh.hop_cycles": 3}), "base", "DAMQ, three stages, over five"),
    "stc_3": (dict(order("mpi", "routers"), **{"network.mesh.hop_cycles": 3}), "base", "STC, three stages, over five"),
    "aergia_3": (dict(order("aergia", "routers"), **{"network.mesh.hop_cycles": 3}), "base", "Aergia, three stages, over five"),
    "base_yx": ({"network.mesh.routing": "xy_yx"}, "base", "XY/YX"),
    "fvcp_yx": (dict(FVCP, **{"network.mesh.routing": "xy_yx"}), "base_yx", "F-VCP, XY/YX"),
    "base_vc6": ({"network.mesh.vcs": 6}, None, "6 channels"),
    "fvcp_vc6": (dict(FVCP, **{"network.mesh.vcs": 6}), "base_vc6", "F-VCP, 6 channels"),
    "base_vc8": ({"network.mesh.vcs": 8}, None, "8 channels"),
    "fvcp_vc8": (dict(FVCP, **{"network.mesh.vcs": 8}), "base_vc8", "F-VCP, 8 channels"),
    "base_d4": ({"network.mesh.vc_flits": 4, "network.mesh.whole_packets": "false"}, None, "channels of 4 flits"),
    "fvcp_d4": (dict(FVCP, **{"network.mesh.vc_flits": 4, "network.mesh.whole_packets": "false"}), "base_d4", "F-VCP, channels of 4 flits"),
}
for k in (50, 100, 400, 800):
    RUNS["fvcp_%dk" % k] = (dict(FVCP, **{"policy.noc.fvcp.training_cycles": k * 1000 // S, "policy.noc.fvcp.main_cycles": k * 20000 // S}),
                            "base", "F-VCP, training %d K" % k)
WIDE = ("base", "s13", "s22", "s31", "fvcp")  # on all mixes; the others on a few of each class
PLACEMENTS = {"mc": ("CCCC/LLLL/MGGM/GGGG", "MC-distributed"), "cpu": ("GGGG/GGCC/CCLL/LLMM", "CPU-friendly"),
              "gpu": ("CCCC/GGGG/GGLL/LLMM", "GPU-friendly")}
for key, (drawing, word) in PLACEMENTS.items():
    RUNS["base_" + key] = ({"network.placement": drawing}, "base", word)
    RUNS["fvcp_" + key] = (dict(FVCP, **{"network.placement": drawing}), "base_" + key, "F-VCP, " + word)


def read_packets():
    """Rows of packets.csv; those of a class and kind in its order."""
    with open(HERE / "packets.csv", newline="", encoding="utf-8") as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


def band(row):
    """The packets per 1000 cycles with which a program stands for the published one: those of its class, not too many."""
    limit = LIMIT[row["kind"]]
    return (limit, MOST * float(row["published"])) if row["class"] == "H" else (0, limit)


def fits(row):
    low, high = band(row)
    return low <= float(row["measured"]) <= high


def of_class(kind, cls, fitting=True):
    return [r["program"] for r in PACKETS if (r["kind"], r["class"]) == (kind, cls) and (fits(r) or not fitting)]


def alone(row):
    return ("gpu-" if row["kind"] == "gpu" else "") + row["program"]


def take_measured():
    """Packets of the runs `alone` that are kept, per 1000 cycles of each program's own clock."""
    with open(HERE / "results" / "runs.csv", newline="", encoding="utf-8") as f:
        runs = {r["program"]: r for r in csv.DictReader(f) if r["set"] == "alone"}
    for row in PACKETS:
        r = runs["mixes/alone-%s.yaml" % alone(row)]
        row["measured"] = "%.2f" % (1000 * (float(r["mesh.cpu.packets"]) + float(r["mesh.gpu.packets"])) / float(r["first.cycles[0]"]))
        row["accepted"] = "yes" if fits(row) else "no"
    with open(HERE / "packets.csv", "w", newline="", encoding="utf-8") as f:
        f.write("# Packets per 1000 cycles of the program's own clock, alone: table 12 of the thesis, and the runs `alone` of this study (draw.py --measured).\n")
        w = csv.DictWriter(f, list(PACKETS[0]), lineterminator="\n")
        w.writeheader()
        w.writerows(PACKETS)


def gain(value, group):
    return "100 * (gmean(sys_%s, %s) - 1)" % (value, group)


def more(value, than):
    return "100 * (gmean(sys_%s, few) - gmean(sys_%s, few))" % (value, than)


PUBLISHED = [  # id, what, measure, published, source
    ("f26a", "W-LL, 1:3", gain("s13", "ll"), 0, "Fig 26"), ("f26a22", "W-LL, 2:2", gain("s22", "ll"), 0, "Fig 26"),
    ("f26a31", "W-LL, 3:1", gain("s31", "ll"), 0, "Fig 26"),
    ("f26b13", "W-HL, 1:3", gain("s13", "hl"), -15, "Fig 26"), ("f26b22", "W-HL, 2:2", gain("s22", "hl"), -2, "Fig 26"),
    ("f26b31", "W-HL, 3:1", gain("s31", "hl"), -1, "Fig 26"),
    ("f26c13", "W-LH, 1:3", gain("s13", "lh"), 8.5, "Fig 26"), ("f26c22", "W-LH, 2:2", gain("s22", "lh"), -9, "Fig 26"),
    ("f26c31", "W-LH, 3:1", gain("s31", "lh"), -30, "Fig 26"),
    ("f26d13", "W-HH, 1:3", gain("s13", "hh"), 25, "Fig 26"), ("f26d22", "W-HH, 2:2", gain("s22", "hh"), 25, "Fig 26"),
    ("f26d31", "W-HH, 3:1", gain("s31", "hh"), -13, "Fig 26"),
    ("f27", "F-VCP, 39 mixes", gain("fvcp", "loaded"), 15, "Fig 27"),
    ("f27cpu", "F-VCP, CPU", "100 * (gmean(cpu_fvcp, loaded) - 1)", 46, "Fig 27"),
    ("f27gpu", "F-VCP, GPU", "100 * (gmean(gpu_fvcp, loaded) - 1)", -9, "Fig 27"),
    ("f27static", "1:3, 39 mixes", gain("s13", "loaded"), 9, "Fig 27"),
    ("f28", "worst loss of F-VCP", "100 * (min(sys_fvcp, loaded) - 1)", -2.5, "Fig 28"),
    ("f31cpu", "CPU first in queues", gain("cpu_first_q", "few"), 2, "Fig 31"), ("f31damq", "DAMQ", gain("damq", "few"), 8, "Fig 31"),
    ("f31mpi", "MPI in queues", gain("mpi_q", "few"), 0, "Fig 31"), ("f31atlas", "ATLAS-A in queues", gain("atlas_a_q", "few"), 0, "Fig 31"),
    ("f31atlasc", "ATLAS-C in queues", gain("atlas_c_q", "few"), 0, "Fig 31"), ("f31fvcp", "F-VCP, the same mixes", gain("fvcp", "few"), 15, "Fig 31"),
    ("f32stc", "STC", gain("stc", "few"), 1, "Fig 32"), ("f32aergia", "Aergia", gain("aergia", "few"), 1, "Fig 32"),
    ("f32cpu", "CPU first in routers", gain("cpu_first", "few"), 1, "Fig 32"),
    ("f32amax", "Aergia, best mix", "100 * (max(sys_aergia, few) - 1)", 55, "Fig 32"),
    ("f32amin", "Aergia, worst mix", "100 * (min(sys_aergia, few) - 1)", -10, "Fig 32"),
    ("f32ds", "DAMQ+S over DAMQ", more("damq_s", "damq"), 4, "Fig 32"), ("f32da", "DAMQ+A over DAMQ", more("damq_a", "damq"), 5, "Fig 32"),
    ("f32fs", "F-VCP+S over F-VCP", more("fvcp_s", "fvcp"), 3, "Fig 32"), ("f32fa", "F-VCP+A over F-VCP", more("fvcp_a", "fvcp"), 4, "Fig 32"),
    ("f33", "three stages over five", gain("base_3", "few"), 3, "Fig 33"), ("f33f", "F-VCP over three stages", gain("fvcp_3", "few"), 16, "Fig 33"),
    ("f33d", "DAMQ, three stages over five", more("damq_3", "damq"), 2.5, "Fig 33"), ("f33s", "STC, the same", more("stc_3", "stc"), 2.5, "Fig 33"),
    ("f33a", "Aergia, the same", more("aergia_3", "aergia"), 2.5, "Fig 33"),
    ("f35", "XY/YX over XY", gain("base_yx", "few"), 10, "Fig 35"), ("f35f", "F-VCP over XY/YX", gain("fvcp_yx", "few"), 13, "Fig 35"),
    ("f37min", "training 800 K, worst mix", "min(sys_fvcp_800k, few)", 0.53, "Fig 37"), ("f37max", "training 800 K, best mix", "max(sys_fvcp_800k, few)", 1.28, "Fig 37"),
    ("f38cpu", "CPU-friendly over Base", gain("base_cpu", "few"), 3, "Fig 38"), ("f38gpu", "GPU-friendly over Base", gain("base_gpu", "few"), 4, "Fig 38"),
    ("f38mc", "MC-distributed over Base", gain("base_mc", "few"), 7, "Fig 38"),
]
EXPECT = [  # id, what, holds, show, source
    ("f2", "every CPU program is slower beside every GPU program", "max(slowdown) < 1", "max(slowdown)", "Fig 2"),
    ("f2much", "and by a fifth or more in the mean", "gmean(slowdown) < 0.8", "gmean(slowdown)", "Fig 2"),
    ("f5", "the network takes more of a CPU request's time than LLC or DRAM, W-LH and W-HH", "mean(noc_cpu, high) > mean(cache_cpu, high) and mean(noc_cpu, high) > mean(dram_cpu, high)", "mean(noc_cpu, high)", "Fig 5"),
    ("f5q", "most of that in injection queues", "mean(queue_cpu, high) > mean(trip_cpu, high)", "mean(queue_cpu, high)", "Fig 5"),
    ("f5s", "the same with inputs that feed several outputs", "mean(noc_cpu_sa0, few_high) > mean(cache_cpu_sa0, few_high) and mean(noc_cpu_sa0, few_high) > mean(dram_cpu_sa0, few_high) and mean(queue_cpu_sa0, few_high) > mean(trip_cpu_sa0, few_high)", "mean(noc_cpu_sa0, few_high)", "Fig 5"),
    ("f5d", "DRAM takes more than the network in some mix", "sum(dram_cpu > noc_cpu, high) >= 1", "sum(dram_cpu > noc_cpu, high)", "Fig 5"),
    ("f6", "GPU packets hold most of the routers' buffers, W-LH and W-HH", "mean(gpu_share, high) > 50", "mean(gpu_share, high)", "Fig 6"),
    ("f6q", "a CPU packet waits longer in injection queues than a GPU packet, W-LH and W-HH", "mean(wait_cpu, high) > mean(wait_gpu, high)", "mean(wait_cpu, high) / mean(wait_gpu, high)", "Fig 6"),
    ("f23g", "GPU cores retire steadily (scatter below half of a CPU core's)", "max(intervals:gpu) < 0.5 * min(intervals:single)", "max(intervals:gpu)", "Fig 23"),
    ("f23s", "and so do the four CPU cores together over three periods", "max(intervals:sum) < 0.5 * min(intervals:single)", "max(intervals:sum)", "Fig 23"),
    ("f26x", "no split is best everywhere", "max(sys_s13) > 1 and min(sys_s13) < 1", "min(sys_s13)", "Fig 26"),
    ("f26h", "2:2 is better for CPU programs than 1:3 and worse for the GPU, W-HH", "gmean(cpu_s22, hh) > gmean(cpu_s13, hh) and gmean(gpu_s22, hh) < gmean(gpu_s13, hh)", "gmean(cpu_s22, hh)", "Fig 26"),
    ("f26s", "the best split of each class is the same with inputs that feed several outputs", "%s" % " and ".join("(gmean(sys_s13, few_%s) > gmean(sys_s22, few_%s)) == (gmean(sys_s13_sa0, few_%s) > gmean(sys_s22_sa0, few_%s)) and (gmean(sys_s22, few_%s) > gmean(sys_s31, few_%s)) == (gmean(sys_s22_sa0, few_%s) > gmean(sys_s31_sa0, few_%s))" % ((c,) * 8) for c in ("hl", "lh", "hh")), "gmean(sys_s13_sa0, few)", "Fig 26"),
    ("f27o", "F-VCP is better than every static split", "gmean(sys_fvcp, loaded) > gmean(sys_s13, loaded) and gmean(sys_fvcp, loaded) > gmean(sys_s22, loaded) and gmean(sys_fvcp, loaded) > gmean(sys_s31, loaded)", "gmean(sys_fvcp, loaded)", "Fig 27"),
    ("f27sa0", "the same with inputs that feed several outputs", "gmean(sys_fvcp_sa0, few) > gmean(sys_s13_sa0, few) and gmean(sys_fvcp_sa0, few) > gmean(sys_s22_sa0, few) and gmean(sys_fvcp_sa0, few) > gmean(sys_s31_sa0, few)", "gmean(sys_fvcp_sa0, few)", "Fig 27"),
    ("f28n", "at most 2 of 39 mixes lose more than 1 % with F-VCP", "sum(sys_fvcp < 0.99, loaded) <= 2", "sum(sys_fvcp < 0.99, loaded)", "Fig 28"),
    ("f28b", "F-VCP is at least as good as the best split in most mixes", "sum(sys_fvcp >= sys_s13 and sys_fvcp >= sys_s22 and sys_fvcp >= sys_s31, loaded) > 0.5 * count(sys_fvcp, loaded)", "sum(sys_fvcp >= sys_s13 and sys_fvcp >= sys_s22 and sys_fvcp >= sys_s31, loaded)", "Fig 28"),
    ("c675", "W-LL within 1 % with F-VCP", "abs(gmean(sys_fvcp, ll) - 1) <= 0.01", "gmean(sys_fvcp, ll)", "5.4"),
    ("f29", "queues of CPU packets are shorter with F-VCP, those of the GPU longer", "mean(queue_cpu_fvcp, loaded) < mean(queue_cpu, loaded) and mean(queue_gpu_fvcp, loaded) > mean(queue_gpu, loaded)", "mean(queue_cpu_fvcp, loaded)", "Fig 29"),
    ("f29t", "trips take about the same (10 %)", "abs(mean(trip_cpu_fvcp, loaded) / mean(trip_cpu, loaded) - 1) < 0.1 and abs(mean(trip_gpu_fvcp, loaded) / mean(trip_gpu, loaded) - 1) < 0.1", "mean(trip_cpu_fvcp, loaded) / mean(trip_cpu, loaded)", "Fig 29"),
    ("f30", "some mixes keep one decision, others change it", "sum(main_kinds == 1, loaded) >= 1 and sum(main_kinds > 1, loaded) >= 1", "sum(main_kinds > 1, loaded)", "Fig 30"),
    ("f31o", "CPU first < DAMQ < F-VCP", "gmean(sys_cpu_first_q, few) < gmean(sys_damq, few) and gmean(sys_damq, few) < gmean(sys_fvcp, few)", "gmean(sys_damq, few)", "Fig 31"),
    ("f34", "XY/YX takes packets out of the rows of LLC and controllers", "max(intervals:memory_row_yx) < min(intervals:memory_row_xy)", "max(intervals:memory_row_yx)", "Fig 34"),
    ("c676", "channels alone and lists alone gain less than both", "gmean(sys_s13_vcs, few_high) < gmean(sys_s13, few_high) and gmean(sys_s13_lists, few_high) < gmean(sys_s13, few_high)", "gmean(sys_s13_vcs, few_high)", "5.4"),
    ("c685", "F-VCP gains with three stages", "gmean(sys_fvcp_3, few) > 1", "gmean(sys_fvcp_3, few)", "Fig 33"),
    ("f36", "F-VCP gains with 6 and 8 channels, less with 8", "gmean(sys_fvcp_vc6, few) > 1 and gmean(sys_fvcp_vc8, few) > 1 and gmean(sys_fvcp_vc8, few) < gmean(sys_fvcp_vc6, few)", "gmean(sys_fvcp_vc8, few)", "Fig 36"),
    ("f36d", "and with channels of four flits", "gmean(sys_fvcp_d4, few) > 1", "gmean(sys_fvcp_d4, few)", "Fig 36"),
    ("f37", "other lengths of training change the mean by less than 3 points", " and ".join("abs(gmean(sys_fvcp_%dk, few) - gmean(sys_fvcp, few)) < 0.03" % k for k in (50, 100, 400, 800)), "gmean(sys_fvcp_800k, few)", "Fig 37"),
    ("f38", "MC-distributed is the best placement", "gmean(sys_base_mc, few) > gmean(sys_base_cpu, few) and gmean(sys_base_mc, few) > gmean(sys_base_gpu, few)", "gmean(sys_base_mc, few)", "Fig 38"),
    ("f38f", "F-VCP gains more than 11 % on every other placement", "gmean(sys_fvcp_mc, few) > 1.11 and gmean(sys_fvcp_cpu, few) > 1.11 and gmean(sys_fvcp_gpu, few) > 1.11", "gmean(sys_fvcp_mc, few)", "Fig 38"),
]


LOAD = "of the High GPU programs reduction and blackscholes fill the queues of the banks (a GPU request waits for 343 and 193 ns before routers), bfs and stencil do not (57 and 11 ns)"
DRAWN = "the four mixes of W-HH here all have reduction"
NOTES = {  # of those that miss: why
    "f26b13": "High CPU programs send 34 to 62 packets per 1000 cycles here (58 to 90 were published) because their LLC is cold in 0.35 ms; one channel carries most of that: CPU programs lose 4.8 %, the GPU gains 0.4 %",
    "f26b22": "as above: two channels are enough for these CPU programs",
    "f26c22": "the GPU loses 2.7 % with two channels; CPU programs gain 2.6 times beside reduction, 1.2 beside blackscholes, nothing beside the others: " + LOAD,
    "f26c31": "the GPU loses 15 % (reduction 38 %), and CPU programs gain as with 2:2",
    "f26d31": "beside reduction CPU programs are 4.0 times as fast, its GPU program 0.55; beside stencil and bfs the split costs 4 %, as published for the others",
    "f5d": "trips of four packets take 61 to 96 ns, DRAM 24 to 48",
    "f6q": "a packet of reduction waits for 99 cycles in an injection queue, one of the CPU programs beside it for 32: GPU packets wait at the banks and at their own cores, CPU packets only at the banks; a whole request, with the ports in front of the queues, waits for 343 and 383 ns",
    "f26s": "W-LH: 1:3 and 2:2 are 0.2 points apart with one reading and tied, the other way round, with the other",
    "f31cpu": "beside reduction a CPU request waits for 386 ns instead of 395: 43 of them instead of 126 in the queues, the rest in the ports that feed full queues, in the order in which banks put replies out, which no order inside a queue changes",
    "f31damq": "as drawn, " + DRAWN + ", whose CPU programs are 3.9 times as fast; W-HL and W-LH alone: +7.1 %",
    "f32ds": "with lists of types a CPU request beside reduction waits for 20 ns instead of 395, and there is little left to gain in the routers (trips 71 ns instead of 78)",
    "f32da": "as DAMQ+S, without the gain in trips",
    "f32amax": "arbitration in routers changes what trips take (82 ns instead of 86 beside reduction), not what queues take (390 of 395 with STC, 452 with Aergia)",
    "f32aergia": "beside reduction trips are 4 ns shorter and the wait before routers 56 ns longer: order in routers does not reach the ports where requests wait",
    "f32fs": "with channels of its own a CPU request beside reduction waits for 29 ns, its trips take 66 instead of 73 with STC; CPU programs gain 0.4 to 1.9 % by that, and the GPU, whose requests wait 40 ns longer, loses 0.9 to 2.6 %",
    "f32fa": "as Aergia alone: beside reduction a CPU request waits for 48 ns instead of 29, CPU programs are 14 % slower, the GPU 2 % faster; nothing elsewhere",
    "f27cpu": "beside reduction (8 of 39 mixes) CPU programs are 3.3 times as fast, beside blackscholes 1.15, beside stencil and bfs 1.0: those do not fill the queues",
    "f27gpu": "as f27cpu: the GPU loses 13 % beside W-HH with reduction, 4 % beside W-LH with it, elsewhere 0 to 2 %",
    "f27o": "1:3 +11.0, 2:2 +13.1, 3:1 +6.2, F-VCP +12.3: 2:2 is the best split of every class here, or 0.1 points behind it, so there is little to adapt to, and training (three of 23 parts of the time, one without a split) costs a point",
    "f27sa0": "1:3 +23.2, 2:2 +26.9, F-VCP +25.7 over twelve mixes: the order of the other reading",
    "f28n": "four lose 1.0 to 2.9 %: training costs that much where nothing can be gained",
    "f28b": "the best of three splits, chosen afterwards, has no training",
    "f31fvcp": "as DAMQ: " + DRAWN,
    "f31o": "DAMQ +28.9, F-VCP +27.1: lists of types remove the wait (19 ns of 395 are left), channels of types add little to it (2:2: 19), and F-VCP trains",
    "f33d": "trips are 2 cycles a hop shorter, which is more of a CPU request's time when it does not wait: +5.1 % of DAMQ, +4.4 % of the baseline",
    "f33f": "as DAMQ: " + DRAWN + " (CPU programs 3.5 times as fast); W-HL -0.1 %, W-LH +14 %",
    "f33s": "as the baseline (+4.4 %): trips of a CPU request are 21 to 30 ns shorter, also where it waits for 355",
    "f35": "as drawn, " + DRAWN + ": replies leave the row of the banks at once, so that a CPU request there waits for 188 ns instead of 362 (CPU programs 1.9 times as fast, the GPU 1.13); W-LH +9 %, W-HL 0",
    "f37min": "no program of a mix changes what it does within 0.35 ms, so that what a long training finds stays right",
    "f37max": "as DAMQ: a mix of W-HH with reduction",
    "f38cpu": "GPU packets cross the CPU's routers: trips of the GPU take 101 ns instead of 88, and beside reduction CPU programs are 22 % slower; W-HL and W-LH -1 to -2 %",
    "f38gpu": "CPU cores are two rows farther: trips of a CPU request take 84 ns instead of 68 in W-HL, which costs it 5 %; W-LH +2 %, W-HH +6 %",
    "f38mc": "the full queues are those of the banks, not of the controllers (a CPU request of W-HH waits for 351 ns instead of 362): reduction's lines are in the LLC, and trips are only 3 to 6 ns shorter",
    "f38": "GPU-friendly +1.8, MC-distributed +0.4, CPU-friendly -4.7: as f38mc, moving the controllers changes little where banks are full",
}


def draw_mixes(counts, seed):
    rng = random.Random(seed)
    mixes = {}
    for name, count in zip(("ll", "hl", "lh", "hh"), counts):
        cpu, gpu = name.upper()
        while len(mixes.get(name, [])) < count:
            high = rng.choice((3, 4)) if cpu == "H" else rng.choice((0, 1))
            programs = sorted(rng.sample(sorted(of_class("cpu", "H")), high) + rng.sample(sorted(of_class("cpu", "L")), 4 - high))
            mix = (rng.choice(sorted(of_class("gpu", gpu))), programs)
            if mix not in mixes.setdefault(name, []):
                mixes[name].append(mix)
    return mixes


def write_mix(name, about, cpu, gpu, head=(), part=1):
    """One file: CPU programs, and GPU programs with their arguments."""
    lines = ["about: " + about, *head, "applications:"]
    lines += ['  - {cpu: "suite:%s@0+%d000", name: %s}' % (p, THOUSANDS[p] // part, p) for p in cpu]
    lines += ["  - {workload: %s, size: small%s}" % (g, ", args: " + args if args else "") for g, args in gpu]
    (HERE / "mixes" / (name + ".yaml")).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "mixes/" + name + ".yaml"


def write_files(mixes):
    """Names of the files by group."""
    files = {}
    for cls, found in mixes.items():
        files[cls] = [write_mix("-".join([cls, gpu] + programs), "W-" + cls.upper(), programs, [(gpu, ARGUMENTS.get(gpu, ""))])
                      for gpu, programs in found]
    files["alone"] = [write_mix("alone-" + p, "alone", [p], []) for k in "HL" for p in of_class("cpu", k, False)]
    files["alone"] += [write_mix("alone-gpu-" + g, "alone", [], [(g, ARGUMENTS.get(g, ""))]) for k in "HL" for g in of_class("gpu", k, False)]
    files["pairs"] = [write_mix("pair-%s-%s" % (p, g), "figure 2", [p], [(g, args)], ["alone: true"], 4)
                      for p in PAIRS[0] for g, args in PAIRS[1].items()]
    files["high"] = files["lh"] + files["hh"]
    files["loaded"] = files["hl"] + files["high"]
    files["all"] = files["ll"] + files["loaded"]
    for cls in ("hl", "lh", "hh"):
        files["few_" + cls] = files[cls][:FEW]
    files["few_high"] = files["few_lh"] + files["few_hh"]
    files["few"] = files["few_hl"] + files["few_high"]
    return files


def text_of(settings):
    return "{" + ", ".join("%s: %s" % (k, '"%s"' % v if "/" in str(v) else v) for k, v in settings.items()) + "}"


def formulas():
    lines = []
    for name, (_, to, words) in RUNS.items():
        if not to:
            continue
        ratios = " * ".join("(%s:first.ipc[%d] / %s:first.ipc[%d])" % (name, i, to, i) for i in range(4))
        lines.append('  cpu_%s: {of: "power(%s, 0.25)", unit: x, about: "CPU programs, %s"}' % (name, ratios, words))
        lines.append('  gpu_%s: {of: "%s:first.ipc[4] / %s:first.ipc[4]", unit: x, about: "GPU program, %s"}' % (name, name, to, words))
        lines.append('  sys_%s: {of: "power(cpu_%s * gpu_%s, 0.5)", unit: x, about: "%s"}' % (name, name, name, words))
    for run, suffix in (("base", ""), ("fvcp", "_fvcp"), ("base_sa0", "_sa0")):
        for part, source in (("cache", "cache_ns"), ("dram", "memory_ns"), ("queue", "queue_ns"), ("trip", "trip_ns")):
            for t in ("cpu", "gpu"):
                lines.append('  %s_%s%s: {of: "%s:mesh.split.%s.%s", unit: ns, about: "of a %s request: %s"}' %
                             (part, t, suffix, run, t, source, t.upper(), part))
    for suffix in ("", "_sa0"):
        lines.append('  noc_cpu%s: {of: "queue_cpu%s + trip_cpu%s", unit: ns, about: "of a CPU request in the network"}' % ((suffix,) * 3))
    for t in ("cpu", "gpu"):
        lines.append('  wait_%s: {of: "base:mesh.%s.mean_queue", unit: cycles, about: "of a %s packet in an injection queue"}' % (t, t, t.upper()))
    lines.append('  slowdown: {of: "pair:first.slowdown[0]", unit: x, about: "CPU program beside the GPU program, of alone"}')
    lines.append('  pkc: {of: "1000 * (alone:mesh.cpu.packets + alone:mesh.gpu.packets) / alone:first.cycles[0]", about: "packets per 1000 cycles of its own clock, alone"}')
    lines.append('  fits_packets: {of: fits(pkc), about: "packets are those of the published class, and not too many (packets.csv)"}')
    lines.append('  fit: {of: of_mix(fits_packets), about: "accepted; of a mix, all programs that are run alone"}')
    lines.append('  injected: {of: "1e9 * (alone:mesh.split.cpu.requests + alone:mesh.split.gpu.requests) / alone:simulated_fs", about: "requests of its cores per 1000 cycles of the mesh, alone"}')
    lines.append('  gpu_share: {of: "100 * base:mesh.router.held_cycles[gpu] / (base:mesh.router.held_cycles[gpu] + base:mesh.router.held_cycles[cpu])", unit: "%", about: "of the flits in routers that are the GPU\'s"}')
    for k in ("none", "1", "2"):
        lines.append('  main_%s: {of: "fvcp:mesh.noc.policy.main_%s", about: "main periods with %s"}' % (k, k, {"none": "no split", "1": "1:3", "2": "2:2"}[k]))
    lines.append('  main_kinds: {of: "(main_none > 0) + (main_1 > 0) + (main_2 > 0)", about: "different decisions"}')
    return lines


def write_study(mixes, seed, counts):
    files = write_files(mixes)
    out = ["# Written by draw.py: seed %d, %s mixes of classes LL, HL, LH, HH; periods are 1/%d of the published ones (s = 1/%d)." %
           (seed, " + ".join(map(str, counts)), S, S),
           "# Not drawn, because their packets are not as published: %s." % ", ".join(sorted(r["program"] for r in PACKETS if not fits(r))),
           "about: virtual channels of a mesh that CPU cores and a GPU share, split and fed back, against other ways to let CPU packets pass (periods are 1/%d of the published ones)" % S,
           'document: "Lee, PhD thesis, Georgia Tech 2013, chapters 2 and 5 (tables 9 to 13, figures 2, 5, 6, 23 and 26 to 38)"',
           "size: small", "timeout: 1800s", "judged: fit # mixes that are not are shown and in no mean", "data: {intervals: intervals.csv}", "mixes:"]
    out += ["  - " + f for f in files["all"] + files["alone"] + files["pairs"]]
    out.append("groups:")
    for name, found in files.items():
        out.append("  %s: [%s]" % (name, ", ".join(found)))
    quick = [files[c][0] for c in ("hl", "lh", "hh") if files[c]]
    out += ["quick:", "  programs: [%s]" % ", ".join(quick), "  runs: [base, s13, s22, s31, fvcp, damq]", "", "runs:",
            "  alone: {programs: alone, chips: apu46-mesh}", "  pair: {programs: pairs, chips: apu46-mesh}"]
    for name, (settings, _, _) in RUNS.items():
        out.append("  %s: {programs: %s, chips: apu46-mesh%s}" % (name, "all" if name in WIDE else "few", ", set: " + text_of(settings) if settings else ""))
    out += ["", "values:"] + formulas()
    out += ["", "tables:",
            '  - {title: "Static splits and F-VCP, figures 26 to 28", values: [sys_s13, sys_s22, sys_s31, sys_fvcp, cpu_fvcp, gpu_fvcp]}',
            '  - {title: "Where the time goes, figures 5 and 29", values: [cache_cpu, dram_cpu, queue_cpu, trip_cpu, queue_gpu, trip_gpu, queue_cpu_fvcp, queue_gpu_fvcp, gpu_share, wait_cpu, wait_gpu]}',
            '  - {title: "The same, inputs feed several outputs", values: [cache_cpu_sa0, dram_cpu_sa0, queue_cpu_sa0, trip_cpu_sa0, sys_s13_sa0, sys_s22_sa0, sys_s31_sa0, sys_fvcp_sa0]}',
            '  - {title: "Programs alone, table 12: packets per 1000 cycles", values: [pkc, injected, fits_packets]}',
            '  - {title: "One CPU program beside one GPU program, figure 2", values: [slowdown]}',
            '  - {title: "Where 1:3 holds, and its halves", values: [sys_s13, sys_s13_auto, sys_s13_shared, sys_s13_vcs, sys_s13_lists]}',
            '  - {title: "Decisions of F-VCP, figure 30", values: [main_none, main_1, main_2]}',
            '  - {title: "Other policies, figures 31 and 32", values: [sys_cpu_first_q, sys_gpu_first_q, sys_mpi_q, sys_atlas_a_q, sys_atlas_c_q, sys_damq, sys_cpu_first, sys_stc, sys_aergia, sys_damq_s, sys_damq_a, sys_fvcp_s, sys_fvcp_a]}',
            '  - {title: "Routers, routings, channels, placements, figures 33 to 38", values: [sys_base_3, sys_fvcp_3, sys_base_yx, sys_fvcp_yx, sys_fvcp_vc6, sys_fvcp_vc8, sys_fvcp_d4, sys_fvcp_50k, sys_fvcp_100k, sys_fvcp_400k, sys_fvcp_800k, sys_base_mc, sys_base_cpu, sys_base_gpu, sys_fvcp_mc, sys_fvcp_cpu, sys_fvcp_gpu]}',
            "", "figures:",
            '  - {title: "Static splits and F-VCP", type: bars, unit: x, values: [sys_s13, sys_s22, sys_s31, sys_fvcp]}',
            '  - {title: "Time of a CPU request", type: stack, unit: ns, values: [cache_cpu, dram_cpu, queue_cpu, trip_cpu]}',
            '  - {title: "Time of a CPU request with F-VCP", type: stack, unit: ns, values: [cache_cpu_fvcp, dram_cpu_fvcp, queue_cpu_fvcp, trip_cpu_fvcp]}',
            '  - {title: "Decisions of F-VCP", type: stack, unit: periods, values: [main_none, main_1, main_2]}',
            "", "expect:"]
    for i, what, holds, show, source in EXPECT:
        out.append('  - {id: %s, source: "Lee 2013, %s", what: "%s", holds: "%s", show: "%s"}' % (i, source, what, holds, show))
    out += ["", "notes:"] + ['  %s: "%s"' % note for note in NOTES.items()]
    out += (HERE / "judged.yaml").read_text(encoding="utf-8").rstrip("\n").split("\n")
    (HERE / "study.yaml").write_text("\n".join(out) + "\n", encoding="utf-8")
    with open(HERE / "published.csv", "w", newline="", encoding="utf-8") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow("id what measure published unit kind low high source".split())
        for i, what, measure, value, source in PUBLISHED:
            w.writerow([i, what, measure, value, "x" if "Fig 37" in source else "%", "band", "", "", "Lee 2013, " + source])
        for r in PACKETS:
            w.writerow(["pkc-" + alone(r), "%s, packets per 1000 cycles" % r["program"], "pkc[mixes/alone-%s.yaml]" % alone(r), r["published"], "",
                        "calibration", *("%g" % x for x in band(r)), "Lee 2013, table 12"])


PACKETS = read_packets()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--counts", default="10,13,13,13")
    parser.add_argument("--seed", type=int, default=2013)
    parser.add_argument("--measured", action="store_true")
    args = parser.parse_args()
    if args.measured:
        take_measured()
    counts = [int(c) for c in args.counts.split(",")]
    (HERE / "mixes").mkdir(exist_ok=True)
    for old in (HERE / "mixes").glob("*.yaml"):
        old.unlink()
    print("seed %d, s = 1/%d" % (args.seed, S))
    write_study(draw_mixes(counts, args.seed), args.seed, counts)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Draws the mixes of this study, and writes study.yaml and published.csv.

studies/vcp/draw.py                      what is committed: 2 + 4 + 4 + 4 mixes of classes LL, HL, LH and HH, seed 2013
studies/vcp/draw.py --published          as many as the thesis has: 10 + 13 + 13 + 13
studies/vcp/draw.py --counts 1,1,1,1 --seed 7

CPU programs are those of table 12 that workloads/cpu/accepted.csv accepts, four at a time; a mix of class H has three or four that send many packets,
one of class L one at most. The GPU program has the second letter.
"""
import argparse
import csv
import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent
INSTRUCTIONS = 1000000  # of each CPU program
S = 50                  # periods are 1/S of the published ones
CPU = {"H": ["GemsFDTD", "wrf", "bwaves", "cactusADM", "milc", "leslie3d", "lbm"],
       "L": ["povray", "gamess", "namd", "sjeng", "gobmk", "tonto", "perlbench"]}
# inputs as in studies/llc-types
GPU = {"H": {"nn": "", "stencil": "[--width, 512, --height, 512, --depth, 20]", "scalarprod": "", "bfs": "", "cfd": "",
             "reduction": "[--elements, 1500000, --passes, 8]", "blackscholes": "[--options, 280000, --passes, 5]", "sobolqrng": ""},
       "L": {"dxtc": "", "volumerender": "", "cell": "", "raytracing": "[--triangles, 4000, --side, 160]",
             "aes": "[--blocks, 20000, --passes, 4]"}}
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
    "s13_auto": (split(1, scope="auto"), "base", "1:3 where both meet"),
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
    "base_yx": ({"network.mesh.routing": "xy_yx"}, "base", "XY/YX"),
    "fvcp_yx": (dict(FVCP, **{"network.mesh.routing": "xy_yx"}), "base_yx", "F-VCP, XY/YX"),
    "base_vc6": ({"network.mesh.vcs": 6}, None, "6 channels"),
    "fvcp_vc6": (dict(FVCP, **{"network.mesh.vcs": 6}), "base_vc6", "F-VCP, 6 channels"),
    "base_vc8": ({"network.mesh.vcs": 8}, None, "8 channels"),
    "fvcp_vc8": (dict(FVCP, **{"network.mesh.vcs": 8}), "base_vc8", "F-VCP, 8 channels"),
    "fvcp_50k": (dict(FVCP, **{"policy.noc.fvcp.training_cycles": 50000 // S, "policy.noc.fvcp.main_cycles": 1000000 // S}), "base", "F-VCP, training 50 K"),
    "fvcp_800k": (dict(FVCP, **{"policy.noc.fvcp.training_cycles": 800000 // S, "policy.noc.fvcp.main_cycles": 16000000 // S}), "base", "F-VCP, training 800 K"),
}
PLACEMENTS = {"mc": ("CCCC/LLLL/MGGM/GGGG", "MC-distributed"), "cpu": ("GGGG/GGCC/CCLL/LLMM", "CPU-friendly"),
              "gpu": ("CCCC/GGGG/GGLL/LLMM", "GPU-friendly")}
for key, (drawing, word) in PLACEMENTS.items():
    RUNS["base_" + key] = ({"network.placement": drawing}, "base", word)
    RUNS["fvcp_" + key] = (dict(FVCP, **{"network.placement": drawing}), "base_" + key, "F-VCP, " + word)

PUBLISHED = [  # id, what, measure, published, kind, source
    ("f26a", "W-LL, 1:3", "100 * (gmean(sys_s13, ll) - 1)", 0, "band", "Fig 26"),
    ("f26b13", "W-HL, 1:3", "100 * (gmean(sys_s13, hl) - 1)", -15, "band", "Fig 26"),
    ("f26b22", "W-HL, 2:2", "100 * (gmean(sys_s22, hl) - 1)", -2, "band", "Fig 26"),
    ("f26b31", "W-HL, 3:1", "100 * (gmean(sys_s31, hl) - 1)", -1, "band", "Fig 26"),
    ("f26c13", "W-LH, 1:3", "100 * (gmean(sys_s13, lh) - 1)", 8.5, "band", "Fig 26"),
    ("f26c22", "W-LH, 2:2", "100 * (gmean(sys_s22, lh) - 1)", -9, "band", "Fig 26"),
    ("f26c31", "W-LH, 3:1", "100 * (gmean(sys_s31, lh) - 1)", -30, "band", "Fig 26"),
    ("f26d13", "W-HH, 1:3", "100 * (gmean(sys_s13, hh) - 1)", 25, "band", "Fig 26"),
    ("f26d22", "W-HH, 2:2", "100 * (gmean(sys_s22, hh) - 1)", 25, "band", "Fig 26"),
    ("f26d31", "W-HH, 3:1", "100 * (gmean(sys_s31, hh) - 1)", -13, "band", "Fig 26"),
    ("f27", "F-VCP, all", "100 * (gmean(sys_fvcp, loaded) - 1)", 15, "band", "Fig 27"),
    ("f27cpu", "F-VCP, CPU", "100 * (gmean(cpu_fvcp, loaded) - 1)", 46, "band", "Fig 27"),
    ("f27gpu", "F-VCP, GPU", "100 * (gmean(gpu_fvcp, loaded) - 1)", -9, "band", "Fig 27"),
    ("f27static", "1:3, all", "100 * (gmean(sys_s13, loaded) - 1)", 9, "band", "Fig 27"),
    ("f28", "worst loss of F-VCP", "100 * (min(sys_fvcp, loaded) - 1)", -2.5, "band", "Fig 28"),
    ("f31cpu", "CPU first in queues", "100 * (gmean(sys_cpu_first_q, loaded) - 1)", 2, "band", "Fig 31"),
    ("f31damq", "DAMQ", "100 * (gmean(sys_damq, loaded) - 1)", 8, "band", "Fig 31"),
    ("f31mpi", "MPI in queues", "100 * (gmean(sys_mpi_q, loaded) - 1)", 0, "band", "Fig 31"),
    ("f31atlas", "ATLAS-A in queues", "100 * (gmean(sys_atlas_a_q, loaded) - 1)", 0, "band", "Fig 31"),
    ("f31atlasc", "ATLAS-C in queues", "100 * (gmean(sys_atlas_c_q, loaded) - 1)", 0, "band", "Fig 31"),
    ("f32stc", "STC", "100 * (gmean(sys_stc, loaded) - 1)", 1, "band", "Fig 32"),
    ("f32aergia", "Aergia", "100 * (gmean(sys_aergia, loaded) - 1)", 1, "band", "Fig 32"),
    ("f32cpu", "CPU first in routers", "100 * (gmean(sys_cpu_first, loaded) - 1)", 1, "band", "Fig 32"),
    ("f32ds", "DAMQ+S over DAMQ", "100 * (gmean(sys_damq_s, loaded) - gmean(sys_damq, loaded))", 4, "band", "Fig 32"),
    ("f32da", "DAMQ+A over DAMQ", "100 * (gmean(sys_damq_a, loaded) - gmean(sys_damq, loaded))", 5, "band", "Fig 32"),
    ("f32fs", "F-VCP+S over F-VCP", "100 * (gmean(sys_fvcp_s, loaded) - gmean(sys_fvcp, loaded))", 3, "band", "Fig 32"),
    ("f32fa", "F-VCP+A over F-VCP", "100 * (gmean(sys_fvcp_a, loaded) - gmean(sys_fvcp, loaded))", 4, "band", "Fig 32"),
    ("f33", "three stages over five", "100 * (gmean(sys_base_3, loaded) - 1)", 3, "band", "Fig 33"),
    ("f33f", "F-VCP over three stages", "100 * (gmean(sys_fvcp_3, loaded) - 1)", 16, "band", "Fig 33"),
    ("f35", "XY/YX over XY", "100 * (gmean(sys_base_yx, loaded) - 1)", 10, "band", "Fig 35"),
    ("f35f", "F-VCP over XY/YX", "100 * (gmean(sys_fvcp_yx, loaded) - 1)", 13, "band", "Fig 35"),
    ("f38cpu", "CPU-friendly over Base", "100 * (gmean(sys_base_cpu, loaded) - 1)", 3, "band", "Fig 38"),
    ("f38gpu", "GPU-friendly over Base", "100 * (gmean(sys_base_gpu, loaded) - 1)", 4, "band", "Fig 38"),
    ("f38mc", "MC-distributed over Base", "100 * (gmean(sys_base_mc, loaded) - 1)", 7, "band", "Fig 38"),
]
EXPECT = [  # id, what, holds, show, source
    ("f5", "the network takes more of a CPU request's time than LLC or DRAM, W-LH and W-HH", "mean(noc_cpu, high) > mean(cache_cpu, high) and mean(noc_cpu, high) > mean(dram_cpu, high)", "mean(noc_cpu, high)", "Fig 5"),
    ("f5q", "most of that in injection queues", "mean(queue_cpu, high) > mean(trip_cpu, high)", "mean(queue_cpu, high)", "Fig 5"),
    ("f6", "GPU packets hold most of the routers' buffers, W-LH and W-HH", "mean(gpu_share, high) > 50", "mean(gpu_share, high)", "Fig 6"),
    ("f26x", "no split is best everywhere", "max(sys_s13) > 1 and min(sys_s13) < 1", "min(sys_s13)", "Fig 26"),
    ("f26h", "2:2 is better for CPU programs than 1:3 and worse for the GPU, W-HH", "gmean(cpu_s22, hh) > gmean(cpu_s13, hh) and gmean(gpu_s22, hh) < gmean(gpu_s13, hh)", "gmean(cpu_s22, hh)", "Fig 26"),
    ("f27o", "F-VCP is better than every static split", "gmean(sys_fvcp, loaded) > gmean(sys_s13, loaded) and gmean(sys_fvcp, loaded) > gmean(sys_s22, loaded) and gmean(sys_fvcp, loaded) > gmean(sys_s31, loaded)", "gmean(sys_fvcp, loaded)", "Fig 27"),
    ("f27sa0", "the same with inputs that feed several outputs", "gmean(sys_fvcp_sa0, loaded) > gmean(sys_s13_sa0, loaded)", "gmean(sys_fvcp_sa0, loaded)", "Fig 27"),
    ("f29", "queues of CPU packets are shorter with F-VCP, those of the GPU longer", "mean(queue_cpu_fvcp, loaded) < mean(queue_cpu, loaded) and mean(queue_gpu_fvcp, loaded) > mean(queue_gpu, loaded)", "mean(queue_cpu_fvcp, loaded)", "Fig 29"),
    ("f31o", "CPU first < DAMQ < F-VCP", "gmean(sys_cpu_first_q, loaded) < gmean(sys_damq, loaded) and gmean(sys_damq, loaded) < gmean(sys_fvcp, loaded)", "gmean(sys_damq, loaded)", "Fig 31"),
    ("c676", "channels alone and lists alone gain less than both", "gmean(sys_s13_vcs, high) < gmean(sys_s13, high) and gmean(sys_s13_lists, high) < gmean(sys_s13, high)", "gmean(sys_s13_vcs, high)", "5.4"),
    ("f36", "F-VCP gains with 6 and 8 channels, less with 8", "gmean(sys_fvcp_vc6, loaded) > 1 and gmean(sys_fvcp_vc8, loaded) > 1 and gmean(sys_fvcp_vc8, loaded) < gmean(sys_fvcp_vc6, loaded)", "gmean(sys_fvcp_vc8, loaded)", "Fig 36"),
    ("f37", "other lengths of training change the mean little", "abs(gmean(sys_fvcp_50k, loaded) - gmean(sys_fvcp, loaded)) < 0.03", "gmean(sys_fvcp_50k, loaded)", "Fig 37"),
    ("f38", "MC-distributed is the best placement", "gmean(sys_base_mc, loaded) > gmean(sys_base_cpu, loaded) and gmean(sys_base_mc, loaded) > gmean(sys_base_gpu, loaded)", "gmean(sys_base_mc, loaded)", "Fig 38"),
    ("f38f", "F-VCP gains more than 11 % on every other placement", "gmean(sys_fvcp_mc, loaded) > 1.11 and gmean(sys_fvcp_cpu, loaded) > 1.11 and gmean(sys_fvcp_gpu, loaded) > 1.11", "gmean(sys_fvcp_mc, loaded)", "Fig 38"),
]


def draw_mixes(counts, seed):
    rng = random.Random(seed)
    mixes = {}
    for name, count in zip(("ll", "hl", "lh", "hh"), counts):
        cpu, gpu = name.upper()
        while len(mixes.get(name, [])) < count:
            high = rng.choice((3, 4)) if cpu == "H" else rng.choice((0, 1))
            programs = sorted(rng.sample(CPU["H"], high) + rng.sample(CPU["L"], 4 - high))
            mix = (rng.choice(sorted(GPU[gpu])), programs)
            if mix not in mixes.setdefault(name, []):
                mixes[name].append(mix)
    return mixes


def write_mix(cls, gpu, programs):
    path = HERE / "mixes" / ("%s-%s-%s.yaml" % (cls, gpu, "-".join(programs)))
    args = GPU[cls[1].upper()][gpu]
    lines = ["about: W-%s" % cls.upper(), "applications:"]
    lines += ['  - {cpu: "suite:%s@0+%d", name: %s}' % (p, INSTRUCTIONS, p) for p in programs]
    lines.append("  - {workload: %s, size: small%s}" % (gpu, ", args: " + args if args else ""))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "mixes/" + path.name


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
    lines.append('  noc_cpu: {of: "queue_cpu + trip_cpu", unit: ns, about: "of a CPU request in the network"}')
    lines.append('  gpu_share: {of: "100 * base:mesh.router.held_cycles[gpu] / (base:mesh.router.held_cycles[gpu] + base:mesh.router.held_cycles[cpu])", unit: "%", about: "of the flits in routers that are the GPU\'s"}')
    for k in ("none", "1", "2"):
        lines.append('  main_%s: {of: "fvcp:mesh.noc.policy.main_%s", about: "main periods with %s"}' % (k, k, {"none": "no split", "1": "1:3", "2": "2:2"}[k]))
    return lines


def write_study(mixes, seed, counts):
    files = {cls: [write_mix(cls, *m) for m in found] for cls, found in mixes.items()}
    every = [f for found in files.values() for f in found]
    out = ["# Written by draw.py: seed %d, %s mixes of classes LL, HL, LH, HH; periods are 1/%d of the published ones, %d instructions of each CPU program." %
           (seed, " + ".join(map(str, counts)), S, INSTRUCTIONS),
           "about: virtual channels of a mesh that CPU cores and a GPU share, split and fed back, against other ways to let CPU packets pass",
           'document: "Lee, PhD thesis, Georgia Tech 2013, chapters 2 and 5 (tables 9 to 13, figures 5, 6 and 26 to 38)"',
           "size: small", "timeout: 1800s", "mixes:"]
    out += ["  - " + f for f in every]
    out.append("groups:")
    for cls, found in files.items():
        out.append("  %s: [%s]" % (cls, ", ".join(found)))
    out.append("  high: [%s]" % ", ".join(files["lh"] + files["hh"]))
    out.append("  loaded: [%s]" % ", ".join(files["hl"] + files["lh"] + files["hh"]))
    out += ["quick:", "  programs: [%s]" % ", ".join(files[c][0] for c in ("hl", "lh", "hh") if files[c]),
            "  runs: [base, s13, s22, s31, fvcp, damq]", "", "runs:"]
    for name, (settings, _, _) in RUNS.items():
        out.append("  %s: {chips: apu46-mesh%s}" % (name, ", set: " + text_of(settings) if settings else ""))
    out += ["", "values:"] + formulas()
    out += ["", "tables:",
            '  - {title: "Static splits and F-VCP, figures 26 to 28", values: [sys_s13, sys_s22, sys_s31, sys_fvcp, cpu_fvcp, gpu_fvcp]}',
            '  - {title: "Where the time goes, figures 5 and 29", values: [cache_cpu, dram_cpu, queue_cpu, trip_cpu, queue_gpu, trip_gpu, queue_cpu_fvcp, queue_gpu_fvcp, gpu_share]}',
            '  - {title: "The same, inputs feed several outputs", values: [cache_cpu_sa0, dram_cpu_sa0, queue_cpu_sa0, trip_cpu_sa0, sys_s13_sa0, sys_s22_sa0, sys_s31_sa0, sys_fvcp_sa0]}',
            '  - {title: "Decisions of F-VCP, figure 30", values: [main_none, main_1, main_2]}',
            '  - {title: "Other policies, figures 31 and 32", values: [sys_cpu_first_q, sys_gpu_first_q, sys_mpi_q, sys_atlas_a_q, sys_atlas_c_q, sys_damq, sys_cpu_first, sys_stc, sys_aergia, sys_damq_s, sys_damq_a, sys_fvcp_s, sys_fvcp_a]}',
            '  - {title: "Routers, routings, channels, placements, figures 33 to 38", values: [sys_base_3, sys_fvcp_3, sys_base_yx, sys_fvcp_yx, sys_fvcp_vc6, sys_fvcp_vc8, sys_fvcp_50k, sys_fvcp_800k, sys_base_mc, sys_base_cpu, sys_base_gpu]}',
            "", "figures:",
            '  - {title: "Static splits and F-VCP", type: bars, unit: x, values: [sys_s13, sys_s22, sys_s31, sys_fvcp]}',
            '  - {title: "Time of a CPU request", type: stack, unit: ns, values: [cache_cpu, dram_cpu, queue_cpu, trip_cpu]}',
            '  - {title: "Time of a CPU request with F-VCP", type: stack, unit: ns, values: [cache_cpu_fvcp, dram_cpu_fvcp, queue_cpu_fvcp, trip_cpu_fvcp]}',
            '  - {title: "Decisions of F-VCP", type: stack, unit: periods, values: [main_none, main_1, main_2]}',
            "", "expect:"]
    for i, what, holds, show, source in EXPECT:
        out.append('  - {id: %s, source: "Lee 2013, %s", what: "%s", holds: "%s", show: "%s"}' % (i, source, what, holds, show))
    (HERE / "study.yaml").write_text("\n".join(out) + "\n", encoding="utf-8")
    with open(HERE / "published.csv", "w", newline="", encoding="utf-8") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow("id what measure published unit kind low high source".split())
        for i, what, measure, value, kind, source in PUBLISHED:
            w.writerow([i, what, measure, value, "%", kind, "", "", "Lee 2013, " + source])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--published", action="store_true")
    parser.add_argument("--counts", default="2,4,4,4")
    parser.add_argument("--seed", type=int, default=2013)
    args = parser.parse_args()
    counts = [10, 13, 13, 13] if args.published else [int(c) for c in args.counts.split(",")]
    (HERE / "mixes").mkdir(exist_ok=True)
    for old in (HERE / "mixes").glob("*.yaml"):
        old.unlink()
    print("seed %d" % args.seed)
    write_study(draw_mixes(counts, args.seed), args.seed, counts)


if __name__ == "__main__":
    main()

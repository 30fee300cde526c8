#!/usr/bin/env python3
"""Writes study.yaml and published.csv of this folder: programs, the configurations of chapter 5, checks B1 to B12.

Bands that the thesis does not print are the house rule's (docs/howto/studies.md) or stand in CHECKS with their reason.
"""
import pathlib

# Stand-ins for these three of the 24 were not accepted (workloads/cpu/hpc-accepted.csv): they are in no mean, and checks
# that speak of one alone are left out.
REJECTED = "BT UA LULESH".split()
HERE = pathlib.Path(__file__).resolve().parent
NPB = "CG DC EP FT IS LU MG SP".split()
# Ten of eleven: the thesis does not name the one that it left out. kdtree is the one that chapter 5 never mentions.
OMP = "md bwaves-omp nab botsalgn botsspar ilbdc fma3d swim imagick smithwa".split()
EXMATEX = "CoEVP CoMD CoSP".split()
QUICK = "CG LU SP".split()
EXACT = "CG LU EP".split()  # out-of-order back ends beside rates
BACKENDS = {"wide": "wide out-of-order cores", "lean": "lean out-of-order cores", "rate": "lean cores by rate"}


def name(program):
    return f"{program}.9"


def names(programs):
    return "[" + ", ".join(f"suite:{name(p)}" for p in programs) + "]"


def of(program):
    return f"suite:{name(program)}"


SMALL = "core.l1i.size_bytes: 16KiB, core.sharing.cores_per_cache: 8"
RUNS = {
    "private": "{chips: acmp9}",
    "private_buffers": "{chips: acmp9, sweep: {core.fetch.line_buffers: [2, 4, 8, 16]}}",
    "cpc": "{chips: acmp9, sweep: {core.sharing.cores_per_cache: [2, 4, 8]}}",
    "single": f"{{chips: acmp9, set: {{{SMALL}}}, sweep: {{core.fetch.line_buffers: [2, 4, 8]}}}}",
    "double": f"{{chips: acmp9, set: {{{SMALL}, core.sharing.buses: 2}}, sweep: {{core.fetch.line_buffers: [2, 4, 8]}}}}",
    "crossbar": f"{{chips: acmp9, set: {{{SMALL}, core.sharing.buses: 2, core.sharing.network: crossbar}}}}",
    "sizes": "{chips: acmp9, set: {core.sharing.cores_per_cache: 8, core.sharing.buses: 2}, sweep: {core.l1i.size_bytes: [8KiB, 16KiB, 32KiB]}}",
    "workers": "{chips: acmp9, set: {core.sharing.cores_per_cache: 8, core.sharing.buses: 2}, sweep: {core.fetch.line_buffers: [1, 4]}}",
    "all": "{chips: acmp9, set: {core.sharing.cores_per_cache: 8, core.sharing.with_first: true, core.sharing.buses: 2}, sweep: {core.fetch.line_buffers: [1, 4]}}",
    "workers_single": "{chips: acmp9, set: {core.sharing.cores_per_cache: 8}, sweep: {core.fetch.line_buffers: [1, 4]}}",
    "all_single": "{chips: acmp9, set: {core.sharing.cores_per_cache: 8, core.sharing.with_first: true}, sweep: {core.fetch.line_buffers: [1, 4]}}",
    "private_small": "{chips: acmp9, set: {core.l1i.size_bytes: 16KiB}}",  # of 16 KB shared, the size alone
    "eight_buses": f"{{chips: acmp9, set: {{{SMALL}, core.sharing.buses: 8}}}}",  # of sharing, the distance alone
    # predictor and I-caches of the master over its trace, by section
    "fronts": "{chips: front-ends, set: {predictors.gshare_big.loop_entries: 256}}",
    "exact": "{programs: exact, chips: acmp9, set: {core.backend: out_of_order}}",
    "exact_shared": f"{{programs: exact, chips: acmp9, set: {{core.backend: out_of_order, {SMALL}, core.sharing.buses: 2}}}}",
}
# The whole sweep, for the programs that also run with out-of-order back ends.
GRID = {f"grid_{kib}_{buses}": (kib, buses) for kib in (16, 32) for buses in (1, 2)}
for grid, (kib, buses) in GRID.items():
    RUNS[grid] = (f"{{programs: exact, chips: acmp9, set: {{core.l1i.size_bytes: {kib}KiB, core.sharing.buses: {buses}}}, "
                  "sweep: {core.sharing.cores_per_cache: [2, 4, 8], core.fetch.line_buffers: [2, 4, 8]}}")
QUICK_RUNS = [k for k in RUNS if not k.startswith(("exact", "grid")) and k not in ("private_small", "eight_buses")]
CLASSES = ("branch", "bus", "contention", "icache", "memory", "fetch")


def stall(run, kind):
    return f"{run}:core.rate.classes[{kind}]"


VALUES = {
    "block_serial": ("stats:block_serial", "bytes", "basic block of serial code (master)"),
    "block_parallel": ("stats:block_parallel", "bytes", "basic block of parallel code (master)"),
    "common": ("stats:shared", "%", "parallel instructions that all threads execute"),
    "serial": ("100 * private:core.openmp.serial_instructions / (private:core.instructions - private:lean.instructions)", "%", "serial instructions of the master"),
    "parallel_mpki": ("1000 * private:lean.misses / private:lean.instructions", "", "I-cache misses of lean cores per 1,000 instructions, private 32 KB"),
    "serial_mpki": ("1000 * fronts:icaches.i32x8.misses[serial] / fronts:trace.instructions[serial]", "", "I-cache misses of the master per 1,000 serial instructions, 32 KB"),
    "use_serial": ("100 * fronts:icaches.i32x8.used_bytes[serial] / fronts:icaches.i32x8.whole_bytes[serial]", "%", "bytes used of a line that the master's serial code brings, 32 KB"),
    "use_parallel": ("100 * fronts:icaches.i32x8.used_bytes[parallel] / fronts:icaches.i32x8.whole_bytes[parallel]", "%", "bytes used of a line that the master's parallel code brings, 32 KB"),
    "branch_serial": ("1000 * fronts:predictors.gshare_big.misses[serial] / fronts:trace.instructions[serial]", "", "branch MPKI of the master, serial"),
    "branch_parallel": ("1000 * fronts:predictors.gshare_big.misses[parallel] / fronts:trace.instructions[parallel]", "", "branch MPKI of the master, parallel"),
    "slow": ("cpc:cycles / private:cycles", "x", "time over private, 32 KB, 4 buffers, single bus, by cores per cache"),
    "slow_8": ("at(slow, 8)", "x", "time over private, eight cores per cache, 32 KB, single bus"),
    "extra": ("at(cpc:core.rate.charged_cycles, 8) - private:core.rate.charged_cycles", "cycles", "more cycles of all cores, eight cores per cache"),
    **{f"extra_{k}": (f"(at({stall('cpc', k)}, 8) - {stall('private', k)}) / private:core.rate.charged_cycles * 100", "%", f"of it {k}, of private cycles") for k in CLASSES},
    "cpi": ("private:core.rate.charged_cycles / private:core.instructions", "", "CPI, private"),
    **{f"cpi_{k}": (f"at({stall('cpc', k)}, 8) / private:core.instructions", "", f"CPI part {k}, eight cores per cache") for k in ("backend",) + CLASSES},
    "ratio": ("private_buffers:core.l1i.accesses / private_buffers:core.fetch_lines", "", "I-cache access ratio, by line buffers"),
    "ratio_4": ("at(ratio, 4)", "", "I-cache access ratio, 4 buffers"),
    "time_single": ("single:cycles / private:cycles", "x", "time over private, 16 KB shared by eight, single bus, by buffers"),
    "time_double": ("double:cycles / private:cycles", "x", "time over private, 16 KB shared by eight, double bus, by buffers"),
    "time_crossbar": ("crossbar:cycles / private:cycles", "x", "time over private, 16 KB shared by eight, crossbar of two banks"),
    "time_size": ("sizes:cycles / private:cycles", "x", "time over private, double bus, by size"),
    "misses": ("at(sizes:lean.misses, 16384) / private:lean.misses", "x", "misses of 16 KB shared by eight, over eight private 32 KB"),
    "misses_32": ("at(sizes:lean.misses, 32768) / private:lean.misses", "x", "the same of 32 KB shared"),
    "other": ("at(sizes:lean.misses, 16384) - at(sizes:lean.compulsory, 16384)", "requests", "misses that are not compulsory, 16 KB shared"),
    "other_private": ("private:lean.misses - private:lean.compulsory", "requests", "the same, private 32 KB"),
    "merged": ("at(sizes:lean.merged, 16384) / at(sizes:lean.lookups, 16384)", "", "requests merged with one on its way"),
    "area_single": ("single:lean.area_um2 / private:lean.area_um2", "x", "area of lean cores over private, single bus, by buffers"),
    "area_double": ("double:lean.area_um2 / private:lean.area_um2", "x", "area of lean cores over private, double bus, by buffers"),
    "energy_single": ("single:lean.energy_nj / private:lean.energy_nj", "x", "energy of lean cores over private, single bus, by buffers"),
    "energy_double": ("double:lean.energy_nj / private:lean.energy_nj", "x", "energy of lean cores over private, double bus, by buffers"),
    "all_4": ("at(all:cycles, 4) / at(workers:cycles, 4)", "x", "time of all-shared over worker-shared, 4 buffers"),
    "all_1": ("at(all:cycles, 1) / at(workers:cycles, 1)", "x", "time of all-shared over worker-shared, 1 buffer"),
    "all_one_bus": ("at(all_single:cycles, 4) / at(workers_single:cycles, 4)", "x", "time of all-shared over worker-shared, single bus, 4 buffers"),
    "all_one_bus_1": ("at(all_single:cycles, 1) / at(workers_single:cycles, 1)", "x", "time of all-shared over worker-shared, single bus, 1 buffer"),
    "bus_area": ("100 * at(double:lean.bus_um2, 4) / at(double:lean.icache_um2, 4)", "%", "area of the double bus over that of the 16 KB I-cache"),
    "bus_ratio": ("at(double:lean.bus_um2, 4) / at(single:lean.bus_um2, 4)", "", "area of the double bus over the single bus"),
    "small_single": ("at(time_single, 4)", "x", "time over private, 16 KB shared by eight, single bus, 4 buffers"),
    "small_double": ("at(time_double, 4)", "x", "time over private, 16 KB shared by eight, double bus, 4 buffers"),
    **{g: (f"{g}:cycles / private:cycles", "x", f"time over private by cores per cache and buffers, {k} KB, {b} {'bus' if b == 1 else 'buses'}") for g, (k, b) in GRID.items()},
    "time_private_small": ("private_small:cycles / private:cycles", "x", "time over private, private 16 KB"),
    "time_eight": ("eight_buses:cycles / private:cycles", "x", "time over private, 16 KB shared by eight, eight buses"),
    "area_eight": ("eight_buses:lean.area_um2 / private:lean.area_um2", "x", "area of lean cores over private, eight buses"),
    "energy_eight": ("eight_buses:lean.energy_nj / private:lean.energy_nj", "x", "energy of lean cores over private, eight buses"),
    "line": ("1 + 0.2 * serial / 100", "x", "the line of figure 5.12"),
    "exact_time": ("exact_shared:cycles / exact:cycles", "x", "time of the chosen design over private, out-of-order back ends"),
    "exact_ipc": ("exact:core.instructions / exact:core.cycles", "", "IPC of a core, out of order"),
    # from later recordings (backends.py): the runs above have wide cores, rates are those of lean ones
    **{f"{b}_{k}": (f"backends:{b}_{k}", u, f"{about}, {words}") for b, words in BACKENDS.items()
       for k, u, about in (("ipc", "", "IPC of a core"), ("time", "x", "time of the chosen design over private"), ("bus", "%", "time in which its buses are busy"))},
    "rate_ipc": ("private:core.instructions / private:core.cycles", "", "IPC of a core, by rate"),
}

# id, what, formula, published, unit, kind, low, high, source
CHECKS = [
    ("b1.ratio", "parallel over serial basic blocks", "mean(block_parallel) / mean(block_serial)", 3, "ratio", "calibration", "", "", "Milic 2017, Fig 5.1"),
    ("b3.common", "parallel instructions that all threads execute", "mean(common)", 99, "%", "calibration", "", "", "Milic 2017, Fig 5.3"),
    ("b2.coevp", "parallel misses per 1,000 instructions, CoEVP", f"parallel_mpki[{of('CoEVP')}]", "", "", "calibration", "", "", "Milic 2017, Fig 5.2"),
    ("b4.worst", "slowdown of the slowest program, eight cores per cache", "100 * (max(slow_8) - 1)", 18, "%", "band", "", "", "Milic 2017, Fig 5.6"),
    ("b5.branch", "branch misses per 1,000 instructions of the master, serial over parallel", "mean(branch_serial) / mean(branch_parallel)", 3.8, "ratio", "band", "", "", "Milic 2017, Fig 5.7"),
    ("b6.high", "access ratio, mean of LU and ilbdc", "mean(ratio_4, high)", 1, "ratio", "band", 0.85, 1, "Milic 2017, Fig 5.8"),
    ("b6.low", "access ratio, mean of CG, IS, botsalgn, botsspar, CoSP", "mean(ratio_4, low)", "", "", "calibration", "", "", "Milic 2017, Fig 5.8"),
    ("b7.double", "time of 16 KB shared over a double bus, 4 buffers", "mean(at(time_double, 4))", 1.00, "x", "band", 0.98, 1.02, "Milic 2017, Fig 5.9"),
    ("b7.coevp", "time of CoEVP over a double bus", f"100 * (at(time_double, 4)[{of('CoEVP')}] - 1)", -2, "%", "band", "", "", "Milic 2017, Fig 5.9"),
    ("b8.mean", "fewer misses of 16 KB shared", "100 * (1 - mean(misses))", 50, "%", "band", "", "", "Milic 2017, Fig 5.10"),
    ("b8.most", "fewest misses of a program", "100 * (1 - min(misses))", 90, "%", "band", "", "", "Milic 2017, Fig 5.10"),
    ("b8.coevp", "fewer misses of 16 KB shared, CoEVP", f"100 * (1 - misses[{of('CoEVP')}])", 50, "%", "band", "", "", "Milic 2017, Fig 5.10"),
    ("b10.share", "area of the double bus over that of the 16 KB I-cache", "mean(bus_area)", 45, "%", "band", 45, 63, "Milic 2017, section 5.5.4; spec X10"),
    ("b10.ratio", "area of the double bus over the single bus", "mean(bus_ratio)", 4, "ratio", "band", 4, 4, "Milic 2017, section 5.5.4"),
    ("b9.single", "time of 4 buffers and a single bus", "100 * (mean(at(time_single, 4)) - 1)", 4, "%", "band", "", "", "Milic 2017, Fig 5.11"),
    ("b9.area", "area of 4 buffers and a double bus", "100 * (1 - mean(at(area_double, 4)))", 11, "%", "band", 10, 12, "Milic 2017, Fig 5.11"),
    ("b9.energy", "energy of 4 buffers and a double bus", "100 * (1 - mean(at(energy_double, 4)))", 5, "%", "band", "", "", "Milic 2017, Fig 5.11"),
    ("b11.slope", "per cent of time for each 5 % of serial code, all-shared over worker-shared", "500 * (mean(all_4) - 1) / mean(serial)", 1, "%", "band", "", "", "Milic 2017, Fig 5.12"),
]
SHAPES = [
    ("b1.reversed", "Fig 5.1", "serial blocks of nab and CoEVP are longer", f"block_serial[{of('nab')}] > block_parallel[{of('nab')}] and block_serial[{of('CoEVP')}] > block_parallel[{of('CoEVP')}]", f"block_parallel[{of('nab')}] / block_serial[{of('nab')}]"),
    ("b2.parallel", "Fig 5.2", "lean cores miss less than once in 1,000 instructions, but for CoEVP", "sum(parallel_mpki < 1) >= count(parallel_mpki) - 1", "max(parallel_mpki)"),
    ("b2.serial", "Fig 5.2", "serial code misses more", "mean(serial_mpki) > mean(parallel_mpki)", "mean(serial_mpki)"),
    ("b4.order", "Fig 5.6", "more cores per cache are never faster, within 0.5 %", "at(slow, 4) >= at(slow, 2) - 0.005 and at(slow, 8) >= at(slow, 4) - 0.005", "max(slow_8)"),
    ("b4.zero", "Fig 5.6", "several programs lose less than 0.5 %", "sum(slow_8 < 1.005) >= 3", "sum(slow_8 < 1.005)"),
    ("b5.contention", "Fig 5.7", "most of the extra stalls are contention", "mean(extra_contention) > mean(extra_bus) + mean(extra_icache) + mean(extra_memory) + mean(extra_branch)", "mean(extra_contention)"),
    ("b6.buffers", "Fig 5.8", "the access ratio falls with buffers, and little beyond eight", "mean(at(ratio, 4)) <= mean(at(ratio, 2)) and mean(at(ratio, 8)) <= mean(at(ratio, 4)) and mean(at(ratio, 8)) - mean(at(ratio, 16)) < 0.1", "mean(at(ratio, 8)) - mean(at(ratio, 16))"),
    ("b6.order", "Fig 5.8", "CG, IS, botsalgn, botsspar and CoSP ask less often than LU and ilbdc", "mean(ratio_4, low) < mean(ratio_4, high)", "mean(ratio_4, high) - mean(ratio_4, low)"),
    ("b7.buffers", "Fig 5.9", "a second bus gains more than eight buffers", "mean(at(time_double, 4)) <= mean(at(time_single, 8))", "mean(at(time_single, 8)) - mean(at(time_double, 4))"),
    ("b8.below", "Fig 5.10", "16 KB shared misses less than eight private 32 KB, for every program", "misses < 1", "max(misses)"),
    ("b8.other", "Fig 5.10", "misses that are not compulsory rise for botsalgn and smithwa", f"other[{of('botsalgn')}] > other_private[{of('botsalgn')}] and other[{of('smithwa')}] > other_private[{of('smithwa')}]", f"other[{of('smithwa')}]"),
    ("b8.fall", "Fig 5.10", "misses that are not compulsory fall for SP and imagick", f"other[{of('SP')}] < other_private[{of('SP')}] and other[{of('imagick')}] < other_private[{of('imagick')}]", f"other[{of('SP')}]"),
    ("b8.total", "Fig 5.10", "all misses of botsalgn and smithwa fall", f"misses[{of('botsalgn')}] < 1 and misses[{of('smithwa')}] < 1", f"misses[{of('smithwa')}]"),
    ("b9.little", "Fig 5.11", "a single bus saves less energy than a double bus, whatever the buffers", "mean(at(energy_single, 2)) > mean(at(energy_double, 4)) and mean(at(energy_single, 4)) > mean(at(energy_double, 4)) and mean(at(energy_single, 8)) > mean(at(energy_double, 4))", "mean(at(energy_single, 4))"),
    ("b9.pareto", "Fig 5.11", "the double bus costs area and gains time", "mean(at(area_double, 4)) > mean(at(area_single, 4)) and mean(at(time_double, 4)) <= mean(at(time_single, 4))", "mean(at(area_double, 4)) - mean(at(area_single, 4))"),
    ("b11.buffers", "Fig 5.12", "with one buffer CoMD loses by sharing with the master, with four it does not", f"all_4[{of('CoMD')}] < 1.005 and all_1[{of('CoMD')}] > all_4[{of('CoMD')}]", f"all_1[{of('CoMD')}]"),
    ("b11.below", "Fig 5.12", "nab and CoEVP, with long serial blocks, lie below the line", f"all_4[{of('nab')}] < line[{of('nab')}] and all_4[{of('CoEVP')}] < line[{of('CoEVP')}]", f"all_4[{of('CoEVP')}] - line[{of('CoEVP')}]"),
    ("b11.line", "Fig 5.12", "fma3d lies on the line, within 1 %", f"abs(all_4[{of('fma3d')}] - line[{of('fma3d')}]) < 0.01", f"all_4[{of('fma3d')}] - line[{of('fma3d')}]"),
    ("b11.single", "Fig 5.12", "EP and FT lose where nine cores have a single bus", f"all_one_bus[{of('EP')}] > 1 and all_one_bus[{of('FT')}] > 1", f"all_one_bus[{of('FT')}]"),
    ("b12.nine", "section 5.5.5", "nine cores on two buses with four buffers lose more than eight", "mean(all_4) > 1", "mean(all_4)"),
    ("b12.cancel", "section 5.5.5", "more buses cancel the savings: eight save less than half of the area that two save, and less energy than two with eight buffers", "1 - mean(area_eight) < 0.5 * (1 - mean(at(area_double, 4))) and mean(energy_eight) > mean(at(energy_double, 8))", "100 * (1 - mean(area_eight))"),
]
BUS = ("eight workers want more than one bus of 32 bytes a cycle brings: with 1.0 to 1.5 instructions a cycle each, swim asks for 0.84 of its lines, md for 0.67, nab for 0.91 "
       "(loops of more lines than four buffers). Two buses leave 1.46, 1.22 and 1.14, eight 1.01; fifteen of 21 programs lose less than 1.5 % over two buses")
COEVP = "its parallel code has 43 KB: 16 KB shared miss 2.9 times as often as private 32 KB, 32 KB shared 1.04 times; the others' code fits in 16 KB"
FIT = "no program but CoEVP has a miss that is not compulsory: the stand-ins' parallel code fits in 16 KB"
NOTES = {
    "b4.worst": BUS,
    "b5.branch": "serial code is the start of the process in most programs (21,000 to 28,000 instructions): 40 to 48 misses per 1,000, cold; nab and fma3d, with longer sections, have 10.5 and 6.5",
    "b6.high": "LU 0.58, ilbdc 0.61: four buffers hold two fifths of the lines of their loops",
    "b7.double": BUS,
    "b7.coevp": COEVP + "; contention takes the rest (75 % of the private cycles on one bus)",
    "b8.mean": "code that all workers run comes once instead of eight times: 1/8 of the misses for 18 of 21 programs, since none is lost for capacity",
    "b8.coevp": COEVP,
    "b8.below": COEVP,
    "b8.other": FIT,
    "b8.fall": FIT,
    "b9.single": BUS,
    "b9.little": "1.46, 1.19 and 0.992 with 2, 4 and 8 buffers, 0.993 with two buses and four: eight buffers take as much traffic off one bus as a second bus",
    "b11.slope": "swim 18 %, md and nab 12 %, CoEVP 6 %, SP 5 %: those whose bus is full without the master (b4.worst); all others within 1.5 %",
    "b11.buffers": "1.007 with four buffers, 1.005 is asked; 1.14 with one",
    "b11.below": "nab is 11 % above, by its full bus (b4.worst), CoEVP 0.3 %",
}
SHOWN = {
    "b1.*": "programs were accepted by the blocks of their parallel regions",
    "b9.area": "arithmetic: areas are inputs",
    "b10.*": "arithmetic: areas are inputs",
    "b9.pareto": "its area is arithmetic",
    "b12.cancel": "written after the run, and its area is arithmetic; it holds, 4.7 of 11.3 %, and 0.7 of 5.9 % of the energy",
}
FIGURES = [
    ("Basic blocks (figure 5.1)", "bars", "", ["block_serial", "block_parallel"]),
    ("Time over private, 32 KB, single bus (figure 5.6)", "lines", "cores per cache", ["slow"]),
    ("CPI parts, eight cores per cache (figure 5.7)", "stack", "", ["cpi_backend"] + [f"cpi_{k}" for k in CLASSES]),
    ("I-cache access ratio (figure 5.8)", "lines", "line buffers", ["ratio"]),
    ("Time over private, 16 KB, single bus (figure 5.9)", "lines", "line buffers", ["time_single"]),
    ("Time over private, 16 KB, double bus (figure 5.9)", "lines", "line buffers", ["time_double"]),
    ("Misses over private 32 KB (figure 5.10)", "bars", "", ["misses", "misses_32"]),
    ("Area against time, both over private, mean over programs; at points: line buffers (figure 5.11)", "scatter", "time over private", ["area_single", "area_double"], ["time_single", "time_double"]),
    ("Energy over private, single bus (figure 5.11)", "lines", "line buffers", ["energy_single"]),
    ("Energy over private, double bus (figure 5.11)", "lines", "line buffers", ["energy_double"]),
    ("All-shared over worker-shared, by serial share (figure 5.12)", "scatter", "serial instructions of the master, %", ["all_4", "all_1", "all_one_bus", "line"], ["serial"]),
    *[(f"The whole sweep: {k} KB, {b} {'bus' if b == 1 else 'buses'}", "lines", "cores per cache, line buffers", [g]) for g, (k, b) in GRID.items()],
]
TABLES = [
    ("Blocks and common code, figures 5.1 and 5.3", ["block_serial", "block_parallel", "common"]),
    ("Serial code and misses, figures 5.2, 5.7 and 5.8", ["serial", "serial_mpki", "parallel_mpki", "branch_serial", "branch_parallel", "ratio_4", "merged", "use_serial", "use_parallel"]),
    ("Time over private by cause", ["slow_8", "small_single", "small_double", "time_private_small", "time_crossbar", "time_eight"]),
    ("Misses, figure 5.10", ["misses", "misses_32", "other", "other_private"]),
    ("All-shared over worker-shared, figure 5.12", ["serial", "line", "all_4", "all_1", "all_one_bus", "all_one_bus_1"]),
    ("More cycles with eight cores per cache, % of private", [f"extra_{k}" for k in CLASSES]),
    ("Out-of-order back ends and rates", ["exact_ipc", "rate_ipc", "exact_time"]),
    ("Wide and lean out-of-order back ends, and rates, on later recordings (backends.csv)", [f"{b}_{k}" for k in ("ipc", "time", "bus") for b in BACKENDS]),
]


def quoted(words):
    return '"' + words.replace('"', "'") + '"'


def study():
    programs = NPB + OMP + EXMATEX
    out = ["# Written by draw.py.",
           "about: an I-cache that the lean cores of an asymmetric chip share, over one bus or two",
           'document: "Milic, PhD thesis, UPC 2017, chapter 5 (table 5.1, figures 5.1 to 5.12)"',
           "timeout: 1800s", "data: {stats: characterisation.csv, backends: backends.csv}", f"workloads: {names(programs)}", "groups:",
           f"  exact: {names(EXACT)}",
           f"  low: {names('CG IS botsalgn botsspar CoSP'.split())}",
           f"  high: {names('LU ilbdc'.split())}",
           f"quick: {{programs: {names(QUICK)}, runs: [{', '.join(k for k in RUNS if k in QUICK_RUNS)}]}}", "", "runs:"]
    out += [f"  {k}: {v}" for k, v in RUNS.items()]
    out += ["", "values:"]
    for k, (formula, unit, about) in VALUES.items():
        out.append(f"  {k}: {{of: {quoted(formula)}, " + (f"unit: {quoted(unit)}, " if unit else "") + f"about: {quoted(about)}}}")
    out += ["", "tables:"]
    out += [f"  - {{title: {quoted(t)}, values: [{', '.join(v)}]}}" for t, v in TABLES]
    out += ["", "figures:"]
    for title, kind, x, values, *against in FIGURES:
        out.append(f"  - {{title: {quoted(title)}, type: {kind}, " + (f"x_title: {quoted(x)}, " if x else "") + f"values: [{', '.join(values)}]"
                   + "".join(f", against: [{', '.join(a)}]" for a in against) + "}")
    out += ["", "expect:"]
    for i, source, what, holds, show in SHAPES:
        out.append(f"  - {{id: {i}, source: {quoted('Milic 2017, ' + source)}, what: {quoted(what)}, holds: {quoted(holds)}, show: {quoted(show)}}}")
    out += ["", "since:", '  "*": 29f4ac4 # bands and conditions, before a run', "  b12.cancel: after the run"]
    out += ["notes:"] + [f"  {k}: {quoted(v)}" for k, v in NOTES.items()]
    out += ["shown:"] + [f"  {k}: {quoted(v)}" for k, v in SHOWN.items()]
    out += ["system: shared I-caches of lean cores", "ordering: [b7.double, b8.mean]"]
    out.append("headline: [b7.double, b8.mean, b9.area, b9.energy, b11.slope]")
    return "\n".join(out) + "\n"


def published():
    rows = ["# Written by draw.py: what figures 5.1 to 5.12 of the thesis state.", "id,what,measure,published,unit,kind,low,high,source"]
    for c in CHECKS:
        rows.append(",".join(f'"{x}"' if isinstance(x, str) and ("," in x or " " in x) else str(x) for x in c))
    return "\n".join(rows) + "\n"


(HERE / "study.yaml").write_text(study(), encoding="utf-8")
(HERE / "published.csv").write_text(published(), encoding="utf-8")

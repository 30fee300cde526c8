#!/usr/bin/env python3
"""Writes the sample trace beside it: two small kernels as Accel-Sim's tools would write them.

    examples/trace/make.py [FOLDER]

`saxpy` (y = a x + y, 240 elements in 4 blocks of 64 threads: the last warps are partly empty) and
`block_sum` (2 blocks add 64 of those numbers each in shared memory, and one atomic adds the sum).
The instructions are what an assembler for sm_70 makes of them, by hand; the format is that of
tracer version 5, grouped by block.
"""
import os
import sys

X, Y, SUM = 0x7F3A8B200000, 0x7F3A8B200400, 0x7F3A8B200800
SHARED, LOCAL = 0x7F3A00000000, 0x7F3A01000000
N, THREADS, WARP = 240, 64, 32


class Warp:
    """The lines of one warp."""

    def __init__(self):
        self.lines = []

    def op(self, pc, mask, dst, opcode, src, address=None, stride=4):
        memory = "0"
        if address is not None:  # mode 1: a base and a stride; nothing active: both 0
            memory = f"4 1 {hex(address)} {stride}" if mask else "4 1 0x0 0"
        words = [f"{pc:04x}", f"{mask:08x}", str(len(dst)), *dst, opcode, str(len(src)), *src]
        self.lines.append(" ".join([*words, memory, "0"]) + " ")


def lanes(first, count):
    """The mask of a warp whose lane 0 is element `first` of `count`."""
    inside = max(0, min(WARP, count - first))
    return (1 << inside) - 1


def saxpy(block, warp):
    first = block * THREADS + warp * WARP
    w, all_lanes, on = Warp(), 0xFFFFFFFF, lanes(first, N)
    w.op(0x00, all_lanes, ["R1"], "IMAD.MOV.U32", ["R255", "R255"])
    w.op(0x10, all_lanes, ["R0"], "S2R", [])
    w.op(0x20, all_lanes, ["R3"], "S2R", [])
    w.op(0x30, all_lanes, ["R0"], "IMAD", ["R0", "R3"])
    w.op(0x40, all_lanes, [], "ISETP.GE.AND", ["R0"])
    w.op(0x50, all_lanes & ~on, [], "EXIT", [])
    if on:
        w.op(0x60, on, ["R5"], "MOV", [])
        w.op(0x70, on, ["R2"], "IMAD.WIDE", ["R0", "R5"])
        w.op(0x80, on, ["R4"], "IMAD.WIDE", ["R0", "R5"])
        w.op(0x90, on, ["R2"], "LDG.E.SYS", ["R2"], X + 4 * first)
        w.op(0xA0, on, ["R7"], "LDG.E.SYS", ["R4"], Y + 4 * first)
        w.op(0xB0, on, ["R7"], "FFMA", ["R2", "R7"])
        w.op(0xC0, on, [], "STG.E.SYS", ["R4", "R7"], Y + 4 * first)
        w.op(0xD0, on, [], "EXIT", [])
    return w.lines


def block_sum(block, warp):
    first, w, on = block * THREADS + warp * WARP, Warp(), 0xFFFFFFFF
    w.op(0x00, on, ["R0"], "S2R", [])
    w.op(0x10, on, ["R2"], "IMAD.WIDE", ["R0"])
    w.op(0x20, on, ["R3"], "LDG.E.SYS", ["R2"], Y + 4 * first)
    w.op(0x30, on, [], "STS", ["R0", "R3"], SHARED + 4 * warp * WARP)
    w.op(0x40, on, [], "BAR.SYNC", [])
    half = THREADS // 2
    while half:
        active = lanes(warp * WARP, half)
        if active:
            w.op(0x60, active, ["R4"], "LDS.U", ["R0"], SHARED)
            w.op(0x70, active, ["R5"], "LDS.U", ["R0"], SHARED + 4 * half)
            w.op(0x80, active, ["R4"], "FADD", ["R4", "R5"])
            w.op(0x90, active, [], "STS", ["R0", "R4"], SHARED)
        w.op(0xA0, on, [], "BAR.SYNC", [])
        w.op(0xB0, on, [], "BRA", [])
        half //= 2
    if warp == 0:
        w.op(0xC0, 1, ["R6"], "LDS.U", [], SHARED)
        w.op(0xD0, 1, [], "RED.E.ADD.F32.FTZ.RN.STRONG.GPU", ["R8", "R6"], SUM, 0)
    w.op(0xE0, on, [], "EXIT", [])
    return w.lines


def write_kernel(folder, number, name, code, blocks, shared):
    out = [
        f"-kernel name = {name}",
        f"-kernel id = {number}",
        f"-grid dim = ({blocks},1,1)",
        f"-block dim = ({THREADS},1,1)",
        f"-shmem = {shared}",
        "-nregs = 16",
        "-binary version = 70",
        "-cuda stream id = 0",
        f"-shmem base_addr = 0x{SHARED:016x}",
        f"-local mem base_addr = 0x{LOCAL:016x}",
        "-nvbit version = 1.7",
        "-accelsim tracer version = 5",
        "",
        "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
        "[adrrescompress?] [mem_addresses] immediate",
        "",
    ]
    for block in range(blocks):
        out += ["#BEGIN_TB", "", f"thread block = {block},0,0", ""]
        for warp in range(THREADS // WARP):
            lines = code(block, warp)
            out += [f"warp = {warp}", f"insts = {len(lines)}", *lines, ""]
        out += ["#END_TB", ""]
    with open(os.path.join(folder, f"kernel-{number}.traceg"), "w") as f:
        f.write("\n".join(out))


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    write_kernel(folder, 1, "saxpy", saxpy, 4, 0)
    write_kernel(folder, 2, "block_sum", block_sum, 2, 4 * THREADS)
    with open(os.path.join(folder, "kernelslist.g"), "w") as f:
        f.write(f"MemcpyHtoD,0x{X:016x},{4 * N}\nMemcpyHtoD,0x{Y:016x},{4 * N}\n")
        f.write("kernel-1.traceg\nkernel-2.traceg\n")


if __name__ == "__main__":
    main()

/* Where the fields of ChampSim's records are (inc/trace_instruction.h of ChampSim): little-endian
 * C structs with their padding. */
#ifndef CPU_TRACE_CHAMPSIM_FORMAT_H
#define CPU_TRACE_CHAMPSIM_FORMAT_H

#include "cpu_trace/champsim.h"

struct champsim_layout {
    u32 bytes;
    u32 is_branch, taken;
    u32 destinations, destination_count; /* one byte each */
    u32 sources, source_count;
    u32 writes, write_count; /* eight bytes each */
    u32 reads, read_count;
};

static const struct champsim_layout champsim_layouts[CHAMPSIM_KINDS] = {
    [CHAMPSIM_STANDARD] = {64, 8, 9, 10, 2, 12, 4, 16, 2, 32, 4},
    [CHAMPSIM_CLOUDSUITE] = {96, 8, 9, 10, 4, 14, 4, 24, 4, 56, 4},
};

#define CHAMPSIM_MOST_BYTES 96u

#endif

/*
 * One instruction line of a grouped trace.
 *
 *     [bx by bz warp] [line] PC mask nd R*nd opcode ns R*ns width [payload] [imm [imm2 [...]]]
 *
 * Which of the optional words are there follows from the header for the words in
 * front, and from what is left on the line for those behind: tracers have added
 * immediates without raising their version.
 */
#ifndef SOURCE_SASS_LINE_H
#define SOURCE_SASS_LINE_H

#include "source/sass/header.h"
#include "source/sass/scan.h"

/* Addresses of many lines, behind each other. */
struct address_list {
    u64 *data;
    u32 count, room;
};

enum payload {
    PAYLOAD_NONE,
    PAYLOAD_LIST,   /* one address per active lane */
    PAYLOAD_STRIDE, /* two entries: the first active lane's address, and the step to the next */
    PAYLOAD_BULK,   /* of a bulk copy: its mbarrier (0: not said), then what it moves */
};

#define LINE_MOST_REGISTERS 16u

struct trace_line {
    u64 pc;
    u32 mask;
    struct slice fixed; /* what every execution of the instruction repeats: nd to the last source */
    struct slice opcode;
    struct slice registers[LINE_MOST_REGISTERS]; /* destinations first */
    u32 dst_count, src_count;
    enum payload payload;
    u32 first_address, address_count; /* in the list given to trace_line_read */
    u32 bulk_bytes;                   /* of a bulk copy; 0: not said */
    i64 immediates[2];
    u32 immediate_count;
};

/* Appends the line's addresses to `to`, which grows as needed. */
bool trace_line_read(struct trace_line *out, struct scan *s, const struct trace_header *h,
                     struct address_list *to, struct err *err);

#endif

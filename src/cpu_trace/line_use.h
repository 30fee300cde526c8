/*
 * How much of an instruction line is used while it is in a cache: an I-cache of 32 KiB with 8 ways
 * of 64 bytes, least recently used, that remembers which bytes of its lines were fetched.
 */
#ifndef CPU_TRACE_LINE_USE_H
#define CPU_TRACE_LINE_USE_H

#include "base/types.h"

#define LINE_USE_SETS 64u
#define LINE_USE_WAYS 8u
#define LINE_USE_BYTES 64u
#define LINE_USE_SECTIONS 2u

struct line_use {
    struct line_use_way {
        u64 line; /* + 1; 0: none */
        u64 used; /* a bit for each byte */
        u64 when;
        u32 section; /* that brought it */
    } ways[LINE_USE_SETS][LINE_USE_WAYS];
    u64 now;
    /* That have left, and what was used of them, by the section that brought them. */
    u64 lines[LINE_USE_SECTIONS], bytes[LINE_USE_SECTIONS];
};

void line_use_fetch(struct line_use *u, u64 pc, u32 length, u32 section);
/* All lines leave. */
void line_use_flush(struct line_use *u);
/* The part of a line, on average, of one section or (LINE_USE_SECTIONS) of all; 0: no line has
 * left. */
double line_use_mean(const struct line_use *u, u32 section);

#endif

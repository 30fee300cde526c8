/* The control flow graph of a decoded function, and what is found from it. */
#ifndef PTX_DECODE_CONTROL_FLOW_H
#define PTX_DECODE_CONTROL_FLOW_H

#include "ptx/decode/function.h"

struct graph {
    u32 *block_of;                     /* op -> block */
    u32 *first;                        /* block -> op */
    u32 count;                         /* blocks; number `count` is the exit */
    u32 *successors, *successor_start; /* flat lists */
};

void graph_build(const struct function *f, struct graph *g, struct arena *a);

#endif

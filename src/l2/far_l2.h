/*
 * An L2 of two halves, as an H200 shows it (silicon/h200/capacity.csv): each half keeps what its
 * SMs read and write, so a line of the other half is in both, and takes room in both.
 *
 * Banks stay where addresses put them. Each belongs to a half and has a bank of the other half
 * beside it, in whose sets copies of its lines lie: with no address of that bank's own, clean, and
 * given up like any line. An SM of the other half reads such a copy where there is one; else it
 * reads through its own half, which takes longer, and leaves a copy there.
 */
#ifndef L2_FAR_L2_H
#define L2_FAR_L2_H

#include "base/timed_queue.h"
#include "l2/attachment.h"

#define FAR_L2_ENTRIES 512u /* answers on their way to the other half */

/* When a port is free. Two banks use it; of what the other does one sees what was before this
 * cycle, so that it does not matter which of them comes first. */
struct half_port {
    cycle_t free, before, changed;
};

static inline void half_port_keep(struct half_port *p, cycle_t now, u32 cycles)
{
    if (p->changed != now) {
        p->before = p->free;
        p->changed = now;
    }
    p->free = now + cycles;
}

static inline cycle_t half_port_seen(const struct half_port *p, cycle_t now)
{
    return p->changed == now ? p->before : p->free;
}

struct far_l2 {
    struct bank_attachment attached;
    struct bank *other;        /* that has copies of this bank's lines */
    struct timed_queue coming; /* answers on their way across */
    u32 cycles;                /* that one takes */
    u32 agents;                /* of a half, before some of the other */
    struct half_port own,
        copies;    /* the bank's port for its lines, the other's for copies of them */
    bool is_upper; /* in which half the bank is */
};

static inline bool far_l2_is_far(const struct far_l2 *h, u32 agent)
{
    return (agent / h->agents & 1) != h->is_upper;
}

static inline u32 far_l2_room(const struct far_l2 *h)
{
    return FAR_L2_ENTRIES - timed_count(&h->coming);
}

#endif

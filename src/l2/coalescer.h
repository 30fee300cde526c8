/*
 * What stands between a group of agents and a bank of the shared cache (an H200's L2 request
 * coalescer, silicon/h200/coalesce.csv): a read of sectors that another agent of the group has just
 * asked for is not sent; it is answered with that one, which a few may join.
 *
 * It sees the bank's requests when they come to it, which is when they would pass the group's own
 * hardware but for a fixed time. What finds no room goes its own way, and so does what bypasses the
 * bank: the two are not served alike.
 */
#ifndef L2_COALESCER_H
#define L2_COALESCER_H

#include "config/param.h"
#include "mem/request.h"
#include "stats/def.h"

#define COALESCER_LEADERS 512u   /* reads of a bank that others may join */
#define COALESCER_FOLLOWERS 512u /* that have joined */

struct coalesce_config {
    u32 agents;   /* of a group, by their numbers */
    u32 requests; /* that are one at most */
    u32 cycles;   /* of the bank, after the first, in which others may join */
};

extern const struct param coalesce_params[];

struct coalescer_counts {
    u64 joined, joined_sectors;
};

extern const struct stat_def coalescer_stats[];

struct coalescer;
struct arena;

struct coalescer *coalescer_create(struct arena *arena, const struct coalesce_config *config,
                                   struct pool *requests);
/* True: the read waits for another. False: it goes on, and others may join it. */
bool coalescer_join(struct coalescer *c, handle_t h, cycle_t now);
/* A read has its answer: the reads that joined it, in order, linked by `next`; HANDLE_NONE: none.
 */
handle_t coalescer_take(struct coalescer *c, handle_t h);
struct coalescer_counts *coalescer_counts(struct coalescer *c);

#endif

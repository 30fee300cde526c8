/*
 * A network without topology: every packet takes the same time. A fixed number of packets enters
 * per cycle, from all inputs in turn. Packets wait in order for a full output port; a fixed number
 * can be in flight to one output, the others wait outside. (CPU+GPU chips of Lee's
 * thesis: 20 cycles, one request per cycle.)
 */
#ifndef NET_FIXED_H
#define NET_FIXED_H

#include "base/bitset.h"
#include "base/timed_queue.h"
#include "net/network.h"

struct fixed_config {
    u32 cycles, packets_per_cycle, entries;
};

extern const struct param fixed_params[];

struct fixed_network {
    unit_id unit;
    const struct fixed_config *config;
    struct sim *sim;
    struct pool *requests;
    u32 input_count, sources_per_input, output_count;
    struct port **sources, **outputs;
    u32 *turns;         /* by input: the source that is asked first */
    u32 next;           /* the input that is asked first */
    struct bitset rung; /* inputs that something was pushed for since they were empty */
    struct timed_queue
        *pipes;         /* by output: packets on their way, and those that wait for its port */
    struct bitset busy; /* outputs with such packets */
    cycle_t due;        /* of the first of them; not later than it is */
    struct network_counts counts;
    struct output_counts *output_counts;
};

void fixed_init(struct fixed_network *n, const struct network_parts *parts,
                const struct fixed_config *c);
struct network fixed_network(struct fixed_network *n);

#endif

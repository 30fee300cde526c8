/*
 * Breakdown of the latency of requests on a mesh, for CPU cores and the GPU separately.
 *
 * From the instant in which a core puts a request out to that in which its reply leaves the mesh, a
 * request is always in one place:
 *
 *   queue    put out by a core, a bank or DRAM, and not yet in its first router
 *   trip     from there to its node, and a reply to the port of its core
 *   cache    at a bank, and in the queues in front of it, until the bank puts out its reply
 *   memory   at a memory controller, until its data has left DRAM
 *
 * While a request at a bank waits for a line, it is where the line is, which goes its own way to a
 * controller and back; of a line that was on its way before, the rest of the way counts. So the
 * four add up to the latency, whatever the queues are like and however clocks change.
 */
#ifndef NET_MESH_LATENCY_BREAKDOWN_H
#define NET_MESH_LATENCY_BREAKDOWN_H

#include "base/types.h"
#include "stats/def.h"

struct latency_breakdown {
    u64 requests; /* answered */
    u64 latency_fs;
    u64 cache_fs, memory_fs, queue_fs, trip_fs;
};

extern const struct stat_def latency_breakdown_stats[];

/* Of a request, or of a line that a bank asked for, in femtoseconds. */
struct journey {
    u64 issued, entered, came; /* put out; in its first router; at the node where it is served */
    u64 served, entered_back, came_back; /* put out there, and so on */
    u64 queue, trip, memory; /* of the time where it was served: in which its line was there */
};

/* The line came to the bank, where the request has waited for it, and takes its place now. */
void journey_wait_for(struct journey *request, const struct journey *line);
/* The request's reply leaves the mesh. */
void journey_end(const struct journey *j, u64 now_fs, struct latency_breakdown *split);

#endif

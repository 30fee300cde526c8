/*
 * The state of a machine between two launches, for a checkpoint of a timed run.
 *
 * What survives a launch, and what a later one finds:
 *
 *   - caches: tags, ages, sectors and dirty bits of L1, instruction, constant and texture caches,
 *     L0s and L2; policies' state (replacement, bypassing, ways, sharers); coalescers; lines of
 *     other sockets, versions, the code that L2 has
 *   - memory: DRAM's open rows, time of the last commands, refresh; writes on their way to it
 *   - between: ports, queues, networks and arbiters' turns; requests that have not come back
 *   - SMs: schedulers' turns, pipelines, the split between L1 and shared memory, what warp policies
 *     and block policies have learnt, preempted blocks
 *   - pages: homes of several sockets, their counts; adaptive shares of sockets
 *   - time: clocks and their phases, wake-up times of units, frequencies (dvfs), energy so far
 *   - results: all statistics, series, records of kernels, the window that is measured
 *
 * All of it hangs from struct sim and comes from its arena (style: no globals), whatever part or
 * policy it belongs to; so this needs no hook of theirs. The arena lies at the same addresses in
 * every process (arena_place), and building a machine is a matter of its description: the process
 * that resumes builds the same machine again and puts in the words that had changed since. A word
 * that has not changed keeps the value of the new process: pointers to code, to the description
 * and to what else lies elsewhere are set when a machine is built. A part that keeps memory of its
 * own outside the arena cannot be saved: plugins may (run/session.c refuses them).
 *
 * No kernel may be under way: its program is not the machine's.
 */
#ifndef RUN_MACHINE_IMAGE_H
#define RUN_MACHINE_IMAGE_H

#include "base/container.h"

#define IMAGE_MOST_PARTS 8u

/* What belongs to it and lies elsewhere, in whole words. */
struct image_part {
    void *at;
    size_t bytes;
};

struct machine_image {
    struct arena *arena; /* the machine's */
    struct arena copies;
    struct image_part parts[IMAGE_MOST_PARTS];
    void *built_parts[IMAGE_MOST_PARTS]; /* as they were when the machine was built */
    u32 part_count;
    u64 start, built_end; /* of the arena, as it was then */
    u8 *built;            /* a copy of what was not zero */
};

/* Before a machine is built. */
void image_place(struct arena *arena);
/* It has been built. keeps: its changes will be written. */
void image_begin(struct machine_image *m, struct arena *arena, const struct image_part *parts,
                 u32 count, bool keeps);
/* What has changed since. */
struct image_places {
    struct container_place *pieces;
    u32 count;
    u64 built_end, end; /* of the arena */
};
/* `places` to be freed. */
void image_write(const struct machine_image *m, struct container_writer *w,
                 struct image_places *places);
/* The machine was built like the one that was saved. */
bool image_read(struct machine_image *m, struct container *c, const struct image_places *places,
                struct err *err);
void image_fini(struct machine_image *m);

#endif

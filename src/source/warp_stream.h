/*
 * The warps of one block that follow a recording or a generator: how far each
 * has come, which warps wait at which barrier, which have ended.
 *
 * What an instruction is, and what follows it, is the source's business; the
 * source says when a warp arrives at a barrier and when it ends, and learns
 * whether that set other warps going. Taken from an arena once and used for one
 * block after the other.
 */
#ifndef SOURCE_WARP_STREAM_H
#define SOURCE_WARP_STREAM_H

#include "source/warp_instruction.h"

#include <assert.h>

struct arena;

#define WARP_LANES 32u

/* Named barriers of a block, and one for arrivals whose name was not recorded. */
#define BARRIER_NAMES 16u
#define BARRIER_UNNAMED BARRIER_NAMES
#define BARRIER_COUNT (BARRIER_NAMES + 1)

struct barrier_arrival {
    u32 barrier; /* below BARRIER_COUNT */
    u32 warps;   /* that open it; 0: all of the block that have not ended */
    bool waits;  /* false: arrives and goes on */
};

struct block_barrier {
    u32 arrived; /* in the current phase */
    u32 warps;   /* of barrier_arrival, in the current phase */
};

/* One warp. */
struct warp_place {
    u64 position; /* counted by the source */
    u32 arrived;  /* barriers, as bits, whose current phase counts this warp */
    u8 next;      /* enum warp_next */
    u8 waits_at;  /* the barrier, while it waits */
};

struct warp_stream {
    struct warp_place *places;
    u64 (*address)[WARP_LANES]; /* of each warp: room for what its last step says */
    u32 warps, live;
    struct block_barrier barriers[BARRIER_COUNT];
};

void warp_stream_init(struct warp_stream *s, struct arena *arena, u32 warps);
/* For the next block: all warps at position 0 and ready. */
void warp_stream_reset(struct warp_stream *s);

/* Both say whether other warps of the block go on because of it. */
bool warp_stream_arrive(struct warp_stream *s, u32 warp, const struct barrier_arrival *arrival);
bool warp_stream_end(struct warp_stream *s, u32 warp);

static inline enum warp_next warp_stream_next(const struct warp_stream *s, u32 warp)
{
    assert(warp < s->warps);
    return (enum warp_next)s->places[warp].next;
}

/* The lanes that a block of `threads` threads fills in one of its warps. */
static inline u32 warp_lanes(u32 threads, u32 warp)
{
    u32 left = threads - warp * WARP_LANES;
    return left >= WARP_LANES ? UINT32_MAX : ((u32)1 << left) - 1;
}

static inline u32 warps_of_threads(u32 threads)
{
    return (threads + WARP_LANES - 1) / WARP_LANES;
}

/* All lanes of a memory instruction access one space. */
void winst_set_space(struct winst *w, enum space space, u32 lanes);

#endif

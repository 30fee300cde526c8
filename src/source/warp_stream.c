#include "source/warp_stream.h"

#include "base/arena.h"

#include <string.h>

void warp_stream_init(struct warp_stream *s, struct arena *arena, u32 warps)
{
    *s = (struct warp_stream){.warps = warps};
    s->places = ARENA_ARRAY(arena, struct warp_place, warps);
    s->address = arena_alloc(arena, warps * sizeof *s->address);
    warp_stream_reset(s);
}

void warp_stream_reset(struct warp_stream *s)
{
    for (u32 w = 0; w < s->warps; w++)
        s->places[w] = (struct warp_place){.next = NEXT_READY};
    memset(s->barriers, 0, sizeof s->barriers);
    s->live = s->warps;
}

static bool barrier_is_complete(const struct warp_stream *s, const struct block_barrier *b)
{
    return b->arrived > 0 && b->arrived >= (b->warps ? b->warps : s->live);
}

/* Starts the barrier's next phase. `self` is no news to its own step. */
static bool barrier_open(struct warp_stream *s, u32 barrier, u32 self)
{
    bool others = false;
    for (u32 w = 0; w < s->warps; w++) {
        struct warp_place *p = &s->places[w];
        p->arrived &= ~((u32)1 << barrier);
        if (p->next == NEXT_WAITS && p->waits_at == barrier) {
            p->next = NEXT_READY;
            others |= w != self;
        }
    }
    s->barriers[barrier] = (struct block_barrier){0};
    return others;
}

bool warp_stream_arrive(struct warp_stream *s, u32 warp, const struct barrier_arrival *arrival)
{
    assert(warp < s->warps && arrival->barrier < BARRIER_COUNT);
    struct warp_place *p = &s->places[warp];
    struct block_barrier *b = &s->barriers[arrival->barrier];
    u32 bit = (u32)1 << arrival->barrier;
    assert(p->next == NEXT_READY);
    if (arrival->warps)
        b->warps = arrival->warps;
    /* Counted barriers count arrivals, the others warps. */
    if (b->warps || !(p->arrived & bit))
        b->arrived++;
    p->arrived |= bit;
    if (arrival->waits) {
        p->next = NEXT_WAITS;
        p->waits_at = (u8)arrival->barrier;
    }
    return barrier_is_complete(s, b) && barrier_open(s, arrival->barrier, warp);
}

/* A barrier that counts nobody waits for the warps that live, so one that ends
 * takes its arrival along and may be the last that was missing. */
bool warp_stream_end(struct warp_stream *s, u32 warp)
{
    struct warp_place *p = &s->places[warp];
    assert(warp < s->warps && p->next != NEXT_ENDED);
    bool others = false;
    p->next = NEXT_ENDED;
    s->live--;
    for (u32 i = 0; i < BARRIER_COUNT; i++) {
        struct block_barrier *b = &s->barriers[i];
        if (!b->warps && p->arrived >> i & 1)
            b->arrived--;
        if (barrier_is_complete(s, b))
            others |= barrier_open(s, i, warp);
    }
    return others;
}

void winst_set_space(struct winst *w, enum space space, u32 lanes)
{
    w->in_global = space == SPACE_GLOBAL ? lanes : 0;
    w->in_shared = space == SPACE_SHARED ? lanes : 0;
    w->in_local = space == SPACE_LOCAL ? lanes : 0;
    w->in_const = space == SPACE_CONST || space == SPACE_PARAM ? lanes : 0;
}

#include "source/recording/barrier_log.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#define EACH_BIT(i, bits)                                                                          \
    for (u32 left_##i = (bits), i; left_##i && (i = (u32)__builtin_ctz(left_##i), true);           \
         left_##i &= left_##i - 1)

void barrier_log_start(struct barrier_log *l, u32 warps, u32 threads)
{
    if (!l->warps)
        l->warps = xrealloc(NULL, warps * sizeof *l->warps);
    *l = (struct barrier_log){.warps = l->warps, .warp_count = warps};
    memset(l->warps, 0, warps * sizeof *l->warps);
    for (u32 i = 0; i < warps; i++)
        l->warps[i].live = warp_lanes(threads, i);
}

void barrier_log_fini(struct barrier_log *l)
{
    free(l->warps);
}

static struct need need_now(const struct barrier_log *l, u32 barrier, bool with_exits)
{
    return (struct need){barrier, l->arrivals[barrier], with_exits ? l->exits : 0};
}

static bool is_counted(const struct barrier_log *l, u32 barrier)
{
    return l->counted >> barrier & 1;
}

u32 barrier_log_take_needs(struct barrier_log *l, u32 warp, u32 mask, struct need *out)
{
    struct warp_log *w = &l->warps[warp];
    u32 count = 0;
    EACH_BIT(b, w->waits_at)
    {
        struct barrier_wait *x = &w->waits[b];
        /* Lanes of other paths may go on while these wait: then the step is not theirs. */
        if (!(x->lanes & mask) && x->lanes != w->live && !(w->resumed && x->is_opened))
            continue;
        out[count++] = x->is_opened ? x->need : need_now(l, b, !is_counted(l, b));
        *x = (struct barrier_wait){0};
        w->waits_at &= ~(1u << b);
    }
    w->resumed = false;
    return count;
}

static void arrive(struct barrier_log *l, struct warp_log *w, const struct winst *x)
{
    u32 bit = 1u << x->barrier;
    l->arrivals[x->barrier]++;
    l->counted = x->barrier_threads ? l->counted | bit : l->counted & ~bit;
    if (x->arrives_only)
        return;
    w->waits_at |= bit;
    w->waits[x->barrier].lanes |= x->mask;
    w->waits[x->barrier].is_opened = false;
}

u32 barrier_log_step(struct barrier_log *l, u32 warp, const struct winst *x, enum warp_next after)
{
    struct warp_log *w = &l->warps[warp];
    w->state = after;
    if (winst_exits(x, after)) {
        l->exits++;
        w->live &= ~x->mask;
    }
    if (!winst_arrives(x))
        return 0;
    arrive(l, w, x);
    /* all its lanes arrived to wait, and yet it goes on: it was the last to come */
    return !x->arrives_only && after == NEXT_READY && x->mask == w->live ? 1u << x->barrier : 0;
}

u32 barrier_log_resume(struct barrier_log *l, u32 warp, const struct winst *cause)
{
    struct warp_log *w = &l->warps[warp];
    w->state = NEXT_READY;
    w->resumed = true;
    u32 barrier = winst_arrives(cause) ? cause->barrier : 0, bit = 1u << barrier;
    if (!w->waits_at) { /* a source that does not say where its warps wait */
        w->waits_at = bit;
        w->waits[barrier].lanes = w->live;
    }
    return winst_arrives(cause) && w->waits_at & bit ? bit : w->waits_at;
}

void barrier_log_open(struct barrier_log *l, u32 barriers, bool by_exit)
{
    EACH_BIT(b, barriers)
    {
        for (u32 i = 0; i < l->warp_count; i++) {
            struct barrier_wait *x = &l->warps[i].waits[b];
            if (!x->lanes || x->is_opened)
                continue;
            x->is_opened = true;
            x->need = need_now(l, b, by_exit || !is_counted(l, b));
        }
    }
}

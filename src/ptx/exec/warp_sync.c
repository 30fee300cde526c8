/* Where paths wait: for lanes of their warp, and for threads of their block. */
#include "ptx/decode/function.h"
#include "ptx/decode/modifiers.h"
#include "ptx/exec/reconvergence.h"

#include <stdio.h>

/* ---- warp-wide instructions ----------------------------------------------------------- */

/* Lanes that execute a .sync instruction name those they wait for. Lanes that name the
 * same ones execute together; a group is complete when all of it that is still alive is
 * there. Several groups may stand in one path, and one group in several paths.
 *
 * A lane that is not in its own mask breaks PTX's rules. An H200 lets it take part with the lanes
 * that are there with it (measured where all 32 name one mask: all 32 take part), so such a lane
 * waits for nobody; it belongs to the group of those that name the same lanes. */
static bool is_outside(const u32 *members, u32 lane)
{
    return !(members[lane] >> lane & 1);
}

static bool group_is_complete(const struct warp *w, const u32 *members, u32 lane, u32 present,
                              u32 taking)
{
    u32 group = members[lane] & w->live;
    if (is_outside(members, lane))
        return true;
    if (group & ~present)
        return false;
    EACH (other, group & taking) {
        if ((members[other] & w->live) != group && !is_outside(members, other))
            return false;
    }
    return true;
}

/* The paths at this instruction, as a mask of them, all of whose groups are complete. */
static u32 complete_paths(const struct warp *w, const struct op *op, const u32 *members,
                          u32 *taking)
{
    const struct path *p = &w->paths[w->current];
    u32 paths = 1u << w->current;
    EACH (i, w->used_paths) {
        const struct path *q = &w->paths[i];
        if (q->state == PATH_AT_COLLECTIVE && q->pc == p->pc && q->frame == p->frame &&
            q->function == p->function)
            paths |= 1u << i;
    }
    for (bool changed = true; changed;) {
        u32 present = 0;
        changed = false;
        EACH (i, paths)
            present |= w->paths[i].mask;
        *taking = path_guarded(w, op, present);
        EACH (i, paths) {
            EACH (lane, w->paths[i].mask & *taking) {
                if (!group_is_complete(w, members, lane, present, *taking)) {
                    paths &= ~(1u << i);
                    changed = true;
                    break;
                }
            }
        }
    }
    return paths;
}

static void warn_of_outside(struct warp *w, const struct op *op, const u32 *members, u32 mask)
{
    struct kernel_warning *warning = &w->grid->launch->kernel->warning;
    EACH (lane, mask) {
        if (!is_outside(members, lane) || atomic_exchange(&warning->is_found, true))
            continue;
        char what[80];
        snprintf(what, sizeof what, "lane %u is not in its own sync mask 0x%08x", lane,
                 members[lane]);
        path_say(w, &w->paths[w->current], op, lane, what, &warning->text);
        atomic_store(&warning->is_new, true);
        return;
    }
}

/* The common case: all name the same lanes. */
static bool is_one_group(const u32 *members, u32 mask)
{
    u32 first = members[__builtin_ctz(mask)], differs = 0;
    for (u32 i = 0; i < LANES; i++)
        differs |= (members[i] ^ first) & (0 - (mask >> i & 1));
    return !differs;
}

static void run_groups(struct warp *w, const struct op *op, const u32 *members, u32 taking)
{
    while (taking) {
        u32 same = members[__builtin_ctz(taking)] & w->live, group = 0;
        EACH (lane, taking)
            group |= (u32)((members[lane] & w->live) == same) << lane;
        op->run(w, op, group);
        taking &= ~group;
    }
}

/* Paths at one instruction that parted in this very activation, and will meet at the same place:
 * having executed it together, they go on as one, as after a WARPSYNC of the machine. */
static bool can_merge(const struct warp *w, const struct path *p, const struct path *q)
{
    const struct reconvergence *j = p->join == NO_JOIN ? NULL : &w->joins[p->join];
    return p->join == q->join &&
           (p->function->is_entry || (j && j->frame == p->frame && j->function == p->function));
}

void path_collective(struct warp *w, const struct op *op, u32 mask)
{
    struct path *p = &w->paths[w->current];
    const u32 *members = ref_get(w, op->src[3]);
    u32 taking;
    if (mask == 0) {
        p->pc++;
        return;
    }
    if (LIKELY(is_one_group(members, mask))) {
        u32 group = members[__builtin_ctz(mask)];
        if (UNLIKELY(mask & ~group))
            warn_of_outside(w, op, members, mask);
        if (LIKELY(!(group & mask) || !(group & w->live & ~p->mask))) {
            op->run(w, op, mask);
            p->pc++;
            return;
        }
    } else {
        warn_of_outside(w, op, members, mask);
    }
    u32 paths = complete_paths(w, op, members, &taking);
    if (!(paths >> w->current & 1)) {
        p->state = PATH_AT_COLLECTIVE;
        w->ready--;
        path_choose(w);
        return;
    }
    run_groups(w, op, members, taking);
    EACH (i, paths & ~(1u << w->current)) {
        struct path *q = &w->paths[i];
        if (can_merge(w, p, q)) {
            p->mask |= q->mask;
            q->state = PATH_FREE;
            w->used_paths &= ~(1u << i);
            continue;
        }
        w->ready++;
        q->state = PATH_READY;
        q->pc++;
    }
    p->pc++;
}

/* What an instruction refers to in the frame of a path that is not the current one. */
static const u32 *ref_of_path(const struct warp *w, const struct path *p, ref_t ref)
{
    const u8 *base = ref >> 30 == REF_FRAME ? w->registers + p->frame : w->base[ref >> 30];
    return (const u32 *)(const void *)(base + (ref & REF_OFFSET));
}

u32 path_awaits(const struct warp *w, const struct path *p)
{
    if (p->state != PATH_AT_COLLECTIVE)
        return 0;
    const struct op *op = &p->function->ops[p->pc];
    const u32 *members = ref_of_path(w, p, op->src[3]);
    u32 lanes = p->mask, awaited = 0;
    if (op->guard != REF_NONE) {
        u32 guard = *ref_of_path(w, p, op->guard);
        lanes &= op->guard_negated ? ~guard : guard;
    }
    EACH (lane, lanes)
        awaited |= is_outside(members, lane) ? 0 : members[lane];
    return awaited & w->live & ~p->mask;
}

/* ---- barriers of a block ---------------------------------------------------------------- */

static void block_release(struct block *b, u32 id)
{
    struct barrier *bar = &b->barriers[id];
    *bar = (struct barrier){.count = bar->count, .all = bar->all, .any = bar->any};
    for (u32 i = 0; i < b->warp_count; i++) {
        struct warp *w = &b->warps[i];
        EACH (k, w->used_paths) {
            struct path *p = &w->paths[k];
            if (p->state != PATH_AT_BARRIER || p->barrier != id)
                continue;
            p->state = PATH_READY;
            w->ready++;
            const struct op *op = &p->function->ops[p->pc];
            if (op->operation) {
                u32 *d = (u32 *)(void *)(w->registers + p->frame + (op->dst & REF_OFFSET));
                u32 r = op->operation == OPERATION_AND ? bar->all : bar->any;
                if (op->dst_bytes == 4) {
                    EACH (lane, p->mask)
                        d[lane] = bar->count;
                } else {
                    *d = (*d & ~p->mask) | (r ? p->mask : 0);
                }
            }
            p->pc++;
        }
    }
    bar->count = bar->all = bar->any = 0;
}

static void block_check_barrier(struct block *b, u32 id)
{
    struct barrier *bar = &b->barriers[id];
    if (!bar->arrived)
        return;
    /* without a count, all threads that are still there */
    u32 expected = bar->expected ? bar->expected : b->live_threads;
    if (bar->arrived >= expected)
        block_release(b, id);
}

void warp_leaves_barriers(struct warp *w, u32 lanes)
{
    u32 used = w->block->barriers_used;
    EACH (id, used & ((1u << MOST_BARRIERS) - 1)) {
        struct barrier *bar = &w->block->barriers[id];
        u32 *there = &bar->lanes[w->index];
        if (*there) /* others of the warp have come: these count, too */
            bar->arrived += (u32)__builtin_popcount(lanes & ~*there);
        *there |= *there ? lanes : 0;
        block_check_barrier(w->block, id);
    }
    if (!w->live && used >> PRODUCTS_BARRIER)
        group_check_products(w);
}

/* Lanes that name another barrier, or are predicated off, part from the others. */
static u32 same_barrier(const struct warp *w, const struct op *op, u32 mask)
{
    const u32 *id = ref_get(w, op->src[0]);
    const u32 *count = op->src[1] == REF_NONE ? NULL : ref_get(w, op->src[1]);
    u32 first = (u32)__builtin_ctz(mask), same = 0;
    EACH (i, mask)
        same |= (u32)(id[i] == id[first] && (!count || count[i] == count[first])) << i;
    return same;
}

void path_barrier(struct warp *w, const struct op *op, u32 mask)
{
    struct path *p = &w->paths[w->current];
    if (mask == 0) {
        p->pc++;
        return;
    }
    if (mask != p->mask)
        path_diverge(w, p->mask & ~mask, p->pc + 1, p->pc, PTX_NONE);
    u32 same = same_barrier(w, op, mask), lane = (u32)__builtin_ctz(mask);
    if (same != mask)
        path_diverge(w, mask & ~same, p->pc, p->pc, PTX_NONE);
    u32 id = ((const u32 *)ref_get(w, op->src[0]))[lane];
    u32 count = op->src[1] == REF_NONE ? 0 : ((const u32 *)ref_get(w, op->src[1]))[lane];
    if (id >= MOST_BARRIERS || count % LANES || (op->src[1] != REF_NONE && count == 0)) {
        warp_fault(w, op, FAULT_INSTRUCTION, lane, "barrier %u with %u threads", id, count);
        return;
    }
    struct barrier *bar = &w->block->barriers[id];
    w->block->barriers_used |= 1u << id;
    if (!bar->arrived)
        *bar = (struct barrier){.expected = count, .all = 1};
    bar->arrived += (u32)__builtin_popcount(p->mask);
    /* a count is of whole warps: lanes that exited, or never were, come with the others */
    if (count) {
        u32 *lanes = &bar->lanes[w->index];
        if (*lanes == 0)
            bar->arrived += LANES - (u32)__builtin_popcount(w->live);
        *lanes |= p->mask | ~w->live;
    }
    if (op->operation) {
        u32 v = *(const u32 *)ref_get(w, op->src[2]);
        if (op->negate)
            v = ~v;
        v &= p->mask;
        bar->count += (u32)__builtin_popcount(v);
        bar->any |= v != 0;
        bar->all &= v == p->mask;
    }
    if (op->flags & MOD_ARRIVE) {
        p->pc++;
    } else {
        p->state = PATH_AT_BARRIER;
        p->barrier = (u8)id;
        w->ready--;
    }
    block_check_barrier(w->block, id);
    if (w->paths[w->current].state != PATH_READY)
        path_choose(w);
}

/* ---- what is said of it ------------------------------------------------------------------- */

static void explain_barrier(const struct block *b, u32 id, char *out, size_t size)
{
    const struct barrier *bar = &b->barriers[id];
    if (id == PRODUCTS_BARRIER)
        snprintf(out, size,
                 "waits for products of its warp group, which a warp of the group never issues");
    else if (id == CLUSTER_BARRIER)
        snprintf(out, size,
                 "waits at barrier.cluster for threads that never arrive, %u of %u have arrived",
                 bar->arrived, block_cluster_threads(b));
    else
        snprintf(out, size,
                 "waits at barrier %u for threads that never arrive, %u of %u have arrived", id,
                 bar->arrived, bar->expected ? bar->expected : b->live_threads);
}

bool warp_explain(const struct warp *w, struct err *err)
{
    EACH (k, w->used_paths) {
        const struct path *p = &w->paths[k];
        if (p->state != PATH_AT_BARRIER && p->state != PATH_AT_COLLECTIVE)
            continue;
        bool is_behind = p->state == PATH_AT_BARRIER && p->barrier == PRODUCTS_BARRIER;
        const struct op *op = &p->function->ops[p->pc - is_behind];
        u32 lane = (u32)__builtin_ctz(p->mask);
        char what[160];
        if (p->state == PATH_AT_BARRIER) {
            explain_barrier(w->block, p->barrier, what, sizeof what);
        } else {
            snprintf(what, sizeof what, "waits for lanes 0x%08x that never arrive",
                     path_awaits(w, p));
        }
        path_say(w, p, op, lane, what, err);
        return true;
    }
    return false;
}

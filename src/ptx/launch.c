/*
 * Running a grid without timing.
 *
 * Warps of a block take turns, a memory access each: programs that forget a barrier, or count on
 * warps that go in step, find what they find on a GPU, where no warp runs far ahead of the others.
 *
 * A block runs until it is done. One that is not done after a long while may be
 * waiting for another block: it is set aside and the next one starts, up to as
 * many as fit on the chip at once; then those take turns.
 */
#include "ptx/launch_poll.h"

#include "ptx/exec/block.h"
#include "ptx/decode/function.h"
#include "ptx/exec/reconvergence.h"
#include "ptx/exec/signature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WARP_TURN 4096 /* instructions a warp runs before its block's next warp, at most */
#define REST_AFTER_ASSERT 4000000u /* warp instructions in which other threads may fail theirs */
#define BLOCK_TURN 2000000u        /* instructions before a block is set aside */
#define CLUSTER_TURN 16384u        /* of a block before the next of its cluster */
#define POLL_INSTRUCTIONS 500000u  /* of warps, between two polls at least: about 10 ms */

struct runner {
    struct grid grid;
    struct executor executor;
    const struct launch *launch;
    const struct launch_poll *poll; /* NULL: none */
    struct err asserted;            /* the first assertion that failed */
    struct block *blocks;           /* those of a cluster side by side */
    struct cluster *clusters;
    u32 size;        /* blocks of a cluster; 1: there are none */
    u32 room, alive; /* clusters */
    u64 next;        /* cluster that has not begun */
    u64 ended;       /* blocks, those before the first included */
    u64 polled;      /* warp instructions by then */
};

/* Instructions a warp may run before others get theirs. */
static u32 turn_of(const struct warp *w)
{
    u64 limit = w->grid->limit, left = limit ? limit - w->on->warp_instructions : UINT64_MAX;
    return left < WARP_TURN ? (u32)left : WARP_TURN;
}

static void explain_limit(struct warp *w)
{
    const struct path *p = &w->paths[w->current];
    warp_fault(w, p->state == PATH_FREE ? NULL : &p->function->ops[p->pc], FAULT_LIMIT,
               (u32)__builtin_ctz(w->live), "still running after %llu warp instructions, the limit",
               (unsigned long long)w->grid->limit);
}

/* BLOCK_WAITS: every warp that can go on spins on something that others must write */
enum block_status { BLOCK_RAN, BLOCK_WAITS, BLOCK_STUCK, BLOCK_DONE };

static u32 ready_warps(const struct block *b)
{
    u32 mask = 0;
    for (u32 i = 0; i < b->warp_count; i++)
        mask |= (u32)(b->warps[i].ready != 0) << i;
    return mask;
}

/* As on a GPU, a failed assertion ends its threads at once and the others soon: until then they may
 * fail theirs. The first one is what the launch fails with. */
static void go_on_after_assert(struct warp *w, struct err *asserted)
{
    struct executor *e = w->on;
    u64 end = e->warp_instructions + REST_AFTER_ASSERT;
    if (asserted->kind == ERR_NONE) {
        *asserted = e->err;
        w->grid->limit = w->grid->limit && w->grid->limit < end ? w->grid->limit : end;
    }
    e->err = ERR_INIT;
    e->fault = FAULT_NONE;
    warp_exit_path(w);
}

static enum block_status block_run(struct block *b, u64 budget, struct err *asserted)
{
    const struct executor *e = b->warps[0].on;
    u64 start = e->warp_instructions;
    u32 waiting = 0; /* warps that have spun on something for a while */
    while (e->warp_instructions - start < budget) {
        u32 ready = ready_warps(b);
        if (!ready)
            return b->live_threads ? BLOCK_STUCK : BLOCK_DONE;
        if (!(ready & ~waiting)) /* for another block, or in vain */
            return BLOCK_WAITS;
        EACH (i, ready) {
            struct warp *w = &b->warps[i];
            if (warp_run(w, turn_of(w), ready != 1u << i) == WARP_WAITS)
                waiting |= 1u << i;
            if (e->fault == FAULT_ASSERT)
                go_on_after_assert(w, asserted);
            u64 limit = b->grid->limit;
            if (w->live && limit && e->warp_instructions >= limit)
                explain_limit(w);
            if (e->fault != FAULT_NONE)
                return BLOCK_STUCK;
        }
    }
    return BLOCK_RAN;
}

static void explain_stuck(struct block *first, u32 size)
{
    struct err why = ERR_INIT;
    u32 warps = size * first->warp_count;
    u64 address;
    for (u32 i = 0; i < 2 * warps; i++) { /* those that spin first: others may wait for them */
        struct warp *w = &first[i % warps / first->warp_count].warps[i % first->warp_count];
        if (i < warps ? !w->ready || !warp_explain_loop(w, &address, &why) : !warp_explain(w, &why))
            continue;
        w->on->fault = FAULT_DEADLOCK;
        w->on->err = why;
        return;
    }
    warp_fault(&first->warps[0], NULL, FAULT_DEADLOCK, 0, "no thread of the block can go on");
}

/* All that can go on waits for mbarriers, which only the cluster's own warps complete. */
static bool waits_for_itself(const struct block *first, u32 size)
{
    for (u32 i = 0; i < size * first->warp_count; i++) {
        const struct warp *w = &first[i / first->warp_count].warps[i % first->warp_count];
        if (w->ready && !warp_waits_for_cluster(w))
            return false;
    }
    return true;
}

/* Blocks of a cluster take turns: they wait for each other. */
static enum block_status cluster_run(struct block *first, u32 size, u64 budget,
                                     struct err *asserted)
{
    const struct executor *e = first->warps[0].on;
    u64 start = e->warp_instructions;
    if (LIKELY(size == 1)) {
        enum block_status st = block_run(first, budget, asserted);
        return st == BLOCK_WAITS && waits_for_itself(first, 1) ? BLOCK_STUCK : st;
    }
    while (e->warp_instructions - start < budget) {
        u32 live = 0, ready = 0, waiting = 0;
        for (u32 k = 0; k < size; k++) {
            struct block *b = &first[k];
            live += b->live_threads != 0;
            if (!ready_warps(b))
                continue;
            ready++;
            waiting += block_run(b, CLUSTER_TURN, asserted) == BLOCK_WAITS;
            if (e->fault != FAULT_NONE)
                return BLOCK_STUCK;
        }
        if (!live)
            return BLOCK_DONE;
        if (!ready || (waiting == ready && waits_for_itself(first, size)))
            return BLOCK_STUCK;
    }
    return BLOCK_RAN;
}

/* Finds a free place for a cluster, or makes one; NULL: the chip is full. */
static struct block *free_cluster(struct runner *r)
{
    for (u32 i = 0; i < r->alive; i++) {
        if (!r->blocks[i * r->size].in_use)
            return &r->blocks[i * r->size];
    }
    if (r->alive == r->room)
        return NULL;
    struct block *first = &r->blocks[r->alive * r->size];
    struct cluster *c = &r->clusters[r->alive++];
    c->count = r->size;
    for (u32 k = 0; k < r->size; k++) {
        block_create(&first[k], &r->grid);
        first[k].cluster = r->size > 1 ? c : NULL;
    }
    return first;
}

static void begin_cluster(struct runner *r, struct block *first)
{
    u32 sms = r->launch->sm_count ? r->launch->sm_count : 1;
    for (u32 k = 0; k < r->size; k++) {
        u64 id = r->next * r->size + k;
        block_begin(&first[k], id, (u32)(id % sms), &r->executor);
    }
    r->next++;
}

static void poll_now(struct runner *r)
{
    const struct launch_poll *p = r->poll;
    struct executor *e = &r->executor;
    r->polled = e->warp_instructions;
    executor_set_fp(e, 0); /* the next instruction sets its own */
    p->poll(p->context, r->ended);
}

static bool run_blocks(struct runner *r)
{
    u32 turn = 0;
    u64 clusters = r->grid.blocks / r->size;
    bool all_resident = r->launch->cooperative;
    for (;;) {
        struct block *first = NULL;
        if (r->next < clusters && (first = free_cluster(r)) != NULL) {
            begin_cluster(r, first);
            if (all_resident && r->next < clusters)
                continue;
        } else {
            u32 k = 0;
            for (; k < r->alive; k++) {
                first = &r->blocks[(turn + k) % r->alive * r->size];
                if (first->in_use)
                    break;
            }
            if (k == r->alive)
                return true;
            turn = (u32)(first - r->blocks) / r->size + 1;
        }
        enum block_status st = cluster_run(first, r->size, BLOCK_TURN, &r->asserted);
        if (r->executor.fault != FAULT_NONE)
            return false;
        if (st == BLOCK_DONE) {
            first->in_use = false;
            r->ended += r->size;
        }
        if (st == BLOCK_STUCK) {
            explain_stuck(first, r->size);
            return false;
        }
        if (r->poll && r->executor.warp_instructions - r->polled >= POLL_INSTRUCTIONS)
            poll_now(r);
    }
}

static void make_room(struct runner *r)
{
    const struct launch *l = r->launch;
    u64 clusters = r->grid.blocks / r->grid.cluster_blocks;
    r->size = r->grid.cluster_blocks;
    r->room = l->resident_blocks > r->size ? l->resident_blocks / r->size : 1;
    if (r->room > clusters)
        r->room = (u32)clusters;
    r->blocks = xrealloc(NULL, r->room * r->size * sizeof *r->blocks);
    memset(r->blocks, 0, r->room * r->size * sizeof *r->blocks);
    r->clusters = xrealloc(NULL, r->room * sizeof *r->clusters);
    memset(r->clusters, 0, r->room * sizeof *r->clusters);
}

bool launch_run(const struct launch *l, struct launch_counts *counts, enum launch_fault *fault,
                struct err *err)
{
    return launch_run_polled(l, NULL, counts, fault, err);
}

bool launch_run_polled(const struct launch *l, const struct launch_poll *poll,
                       struct launch_counts *counts, enum launch_fault *fault, struct err *err)
{
    struct runner r = {.launch = l, .poll = poll, .asserted = ERR_INIT};
    struct grid *g = &r.grid;
    struct executor *e = &r.executor;
    executor_init(e, NULL, NULL);
    e->fault = FAULT_INSTRUCTION; /* an impossible launch */
    bool ok = grid_open(g, l, err);
    if (ok) {
        e->fault = FAULT_NONE;
        make_room(&r);
        r.next = l->first_block / r.size;
        r.ended = l->first_block;
        if (l->signature)
            collector_begin(l->signature, g->program);
        e->signature = l->signature;
        e->is_observed = l->signature != NULL;
        executor_set_fp(e, 0);
        ok = run_blocks(&r);
        executor_set_fp(e, 0);
        if (r.asserted.kind != ERR_NONE) {
            e->err = r.asserted;
            e->fault = FAULT_ASSERT;
            ok = false;
        }
        if (!ok)
            *err = e->err;
        for (u32 i = 0; i < r.alive * r.size; i++)
            block_destroy(&r.blocks[i]);
        free(r.blocks);
        free(r.clusters);
    }
    grid_close(g);
    if (counts) {
        counts->warp_instructions += e->warp_instructions;
        counts->thread_instructions += e->thread_instructions;
        counts->clock += e->warp_instructions + e->clock_ahead;
    }
    if (fault)
        *fault = e->fault;
    return ok;
}

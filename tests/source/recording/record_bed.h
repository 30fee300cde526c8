/*
 * Recording and replaying without a machine: a grid is driven with its warps and
 * blocks in a random order, alone or in step with another source of the same
 * grid, from which it must not differ.
 */
#ifndef SOURCE_RECORDING_RECORD_BED_H
#define SOURCE_RECORDING_RECORD_BED_H

#include "testing.h"

#include "base/arena.h"
#include "source/recording/recorder.h"
#include "source/recording/recording.h"
#include "device/kernel_regions.h"

#include <assert.h>
#include <unistd.h>

#define MOST_TOGETHER 4u /* blocks under way */

static inline void fail_with(const struct err *err)
{
    char text[1600];
    err_text(err, text, sizeof text);
    fail_msg("%s", text);
}

static inline const char *record_path(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/heddle-record-%d", (int)getpid());
    return path;
}

/* ---- two sources in step --------------------------------------------------------------------- */

struct driven_block {
    bool is_used;
    void *a, *b;
};

struct drive {
    const struct grid_source *a, *b; /* b may be NULL */
    struct driven_block blocks[MOST_TOGETHER];
    u64 begun, ended, steps;
    bool backwards; /* the last block first */
    u64 random;
};

static inline u32 drive_random(struct drive *d, u32 below)
{
    d->random = d->random * 6364136223846793005ull + 1442695040888963407ull;
    return (u32)((d->random >> 33) % below);
}

static inline void expect_same_step(const struct winst *a, const struct winst *b)
{
    const struct instruction *i = a->instruction, *k = b->instruction;
    assert_int_equal(i->pc, k->pc);
    assert_int_equal(i->kind, k->kind);
    assert_int_equal(i->unit, k->unit);
    assert_int_equal(i->cost, k->cost);
    assert_int_equal(i->space, k->space);
    assert_int_equal(i->bytes, k->bytes);
    assert_int_equal(i->cache_operator, k->cache_operator);
    assert_int_equal(i->dst_count, k->dst_count);
    assert_int_equal(i->src_count, k->src_count);
    assert_memory_equal(i->regs, k->regs, (i->dst_count + i->src_count) * sizeof *i->regs);
    assert_int_equal(a->mask, b->mask);
    assert_int_equal(a->in_global, b->in_global);
    assert_int_equal(a->in_shared, b->in_shared);
    assert_int_equal(a->in_local, b->in_local);
    assert_int_equal(a->in_const, b->in_const);
    u32 lanes = a->in_global | a->in_shared | a->in_local | a->in_const;
    for (u32 lane = 0; lane < 32; lane++) {
        if (lanes >> lane & 1)
            assert_int_equal(a->address[lane], b->address[lane]);
    }
    assert_int_equal(a->sleep_cycles, b->sleep_cycles);
    assert_int_equal(a->barrier, b->barrier);
    assert_int_equal(a->barrier_threads, b->barrier_threads);
    assert_int_equal(a->arrives_only, b->arrives_only);
    assert_true(!a->wakes_others || b->wakes_others); /* it may say so of more */
}

/* What all warps do next: those that can step, as bits. `left`: some have not ended. */
static inline u64 ready_warps(struct drive *d, struct driven_block *k, bool *left)
{
    u64 ready = 0;
    *left = false;
    for (u32 w = 0; w < d->a->warps_per_block; w++) {
        const struct instruction *next = NULL, *other = NULL;
        enum warp_next state = d->a->ops->next(k->a, w, &next);
        if (d->b) {
            assert_int_equal(d->b->ops->next(k->b, w, &other), state);
            if (state == NEXT_READY)
                assert_int_equal(next->pc, other->pc);
        }
        ready |= (u64)(state == NEXT_READY) << w;
        *left |= state != NEXT_ENDED;
    }
    return ready;
}

static inline void drive_step(struct drive *d, struct driven_block *k, u64 ready)
{
    u32 skip = drive_random(d, (u32)__builtin_popcountll(ready));
    while (skip--)
        ready &= ready - 1;
    u32 warp = (u32)__builtin_ctzll(ready);
    struct winst a, b;
    struct err err = ERR_INIT;
    d->steps++;
    if (!d->a->ops->step(k->a, warp, &a)) {
        d->a->ops->fault(d->a->self, &err);
        fail_with(&err);
    }
    if (!d->b)
        return;
    if (!d->b->ops->step(k->b, warp, &b)) {
        d->b->ops->fault(d->b->self, &err);
        fail_with(&err);
    }
    expect_same_step(&a, &b);
}

static inline void drive_begin(struct drive *d, struct driven_block *k)
{
    static const cycle_t clock = 0;
    u64 id = d->backwards ? d->a->blocks - 1 - d->begun : d->begun;
    d->begun++;
    k->is_used = true;
    k->a = d->a->ops->block_begin(d->a->self, id, &(struct sm_place){.sm = 0, .clock = &clock});
    assert(!d->b || d->b->ops);
    if (d->b)
        k->b = d->b->ops->block_begin(d->b->self, id, &(struct sm_place){.sm = 0, .clock = &clock});
}

static inline void drive_end(struct drive *d, struct driven_block *k)
{
    d->ended++;
    k->is_used = false;
    d->a->ops->block_end(d->a->self, k->a);
    if (d->b)
        d->b->ops->block_end(d->b->self, k->b);
}

/* Returns the steps made. */
static inline u64 drive(const struct grid_source *a, const struct grid_source *b, u64 seed,
                        bool backwards)
{
    struct drive d = {.a = a, .b = b, .random = seed, .backwards = backwards};
    while (d.ended < a->blocks) {
        struct driven_block *k = &d.blocks[drive_random(&d, MOST_TOGETHER)];
        bool left;
        if (!k->is_used && d.begun < a->blocks)
            drive_begin(&d, k);
        if (!k->is_used)
            continue;
        u64 ready = ready_warps(&d, k, &left);
        if (!left)
            drive_end(&d, k);
        else
            assert_true(ready != 0); /* or all of them wait */
        if (ready)
            drive_step(&d, k, ready);
    }
    return d.steps;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* One kernel, driven in some order. */
static inline u64 record_one(const struct grid_source *g, u64 seed)
{
    struct err err = ERR_INIT;
    struct recorder *r = recorder_open(record_path(), &err);
    if (!r)
        fail_with(&err);
    struct grid_source wrapped;
    recorder_kernel(r, g, &wrapped);
    u64 steps = drive(&wrapped, NULL, seed, false);
    if (!recorder_kernel_done(r, &wrapped, &err) || !recorder_close(r, &err))
        fail_with(&err);
    return steps;
}

struct replayed {
    struct recording *recording;
    struct arena arena;
    struct grid_source grid;
};

static inline void replay_open(struct replayed *p)
{
    struct err err = ERR_INIT;
    *p = (struct replayed){0};
    p->recording = recording_open(record_path(), &err);
    if (!p->recording || !recording_kernel(p->recording, 0, &p->arena, &p->grid, &err))
        fail_with(&err);
}

static inline void replay_close(struct replayed *p)
{
    arena_fini(&p->arena);
    recording_close(p->recording);
    unlink(record_path());
}

/* Recorded in one order, a source and its replay agree in others. */
static inline void expect_replay(const struct grid_source *g)
{
    u64 steps = record_one(g, 1);
    struct replayed p;
    replay_open(&p);
    assert_string_equal(p.grid.name, g->name);
    assert_int_equal(p.grid.blocks, g->blocks);
    assert_int_equal(p.grid.threads_per_block, g->threads_per_block);
    assert_int_equal(p.grid.warps_per_block, g->warps_per_block);
    assert_int_equal(p.grid.registers_per_thread, g->registers_per_thread);
    assert_int_equal(p.grid.shared_bytes_per_block, g->shared_bytes_per_block);
    assert_int_equal(p.grid.local_bytes_per_thread, g->local_bytes_per_thread);
    assert_int_equal(p.grid.scoreboard_registers, g->scoreboard_registers);
    assert_int_equal(p.grid.stream, g->stream);
    assert_int_equal(p.grid.regions != NULL, g->regions != NULL);
    if (g->regions)
        assert_memory_equal(p.grid.regions, g->regions, sizeof *g->regions);
    for (u64 seed = 1; seed <= 6; seed++)
        assert_int_equal(drive(g, &p.grid, seed, seed % 2), steps);
    replay_close(&p);
}

#endif

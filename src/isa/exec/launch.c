/*
 * Running a grid without timing.
 *
 * A block runs until it is done. One that is not done after a long while may be
 * waiting for another block: it is set aside and the next one starts, up to as
 * many as fit on the chip at once; then those take turns.
 */
#include "isa/launch.h"

#include "isa/exec/function.h"
#include "isa/exec/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WARP_TURN 4096      /* instructions a warp runs before its block's next warp */
#define BLOCK_TURN 2000000u /* instructions before a block is set aside */

struct runner {
    struct grid grid;
    const struct launch *launch;
    struct block *blocks;
    u32 room, alive;
    u64 next, total;
};

static void fill_u32(u8 *at, u32 value)
{
    u32 *v = (u32 *)(void *)at;
    for (u32 i = 0; i < LANES; i++)
        v[i] = value;
}

static void fill_u64(u8 *at, u64 value)
{
    u64 *v = (u64 *)(void *)at;
    for (u32 i = 0; i < LANES; i++)
        v[i] = value;
}

/* The value of a special register in one lane. */
static u64 special_value(const struct runner *r, const struct block *b, u32 warp, u32 lane,
                         u32 special)
{
    const struct launch *l = r->launch;
    u32 thread = warp * LANES + lane;
    switch (special) {
    case SPECIAL_TID_X:
        return thread % l->block[0];
    case SPECIAL_TID_Y:
        return thread / l->block[0] % l->block[1];
    case SPECIAL_TID_Z:
        return thread / (l->block[0] * l->block[1]);
    case SPECIAL_NTID_X:
    case SPECIAL_NTID_Y:
    case SPECIAL_NTID_Z:
        return l->block[special - SPECIAL_NTID_X];
    case SPECIAL_CTAID_X:
    case SPECIAL_CTAID_Y:
    case SPECIAL_CTAID_Z:
        return b->id[special - SPECIAL_CTAID_X];
    case SPECIAL_NCTAID_X:
    case SPECIAL_NCTAID_Y:
    case SPECIAL_NCTAID_Z:
        return l->grid[special - SPECIAL_NCTAID_X];
    case SPECIAL_CLUSTERID_X:
    case SPECIAL_CLUSTERID_Y:
    case SPECIAL_CLUSTERID_Z:
        return b->id[special - SPECIAL_CLUSTERID_X];
    case SPECIAL_NCLUSTERID_X:
    case SPECIAL_NCLUSTERID_Y:
    case SPECIAL_NCLUSTERID_Z:
        return l->grid[special - SPECIAL_NCLUSTERID_X];
    case SPECIAL_CLUSTER_NCTAID_X:
    case SPECIAL_CLUSTER_NCTAID_Y:
    case SPECIAL_CLUSTER_NCTAID_Z:
    case SPECIAL_CLUSTER_NCTARANK:
        return 1;
    case SPECIAL_LANEID:
        return lane;
    case SPECIAL_WARPID:
        return warp;
    case SPECIAL_NWARPID:
        return 64;
    case SPECIAL_SMID:
        return b->linear_id % (l->sm_count ? l->sm_count : 1);
    case SPECIAL_NSMID:
        return l->sm_count ? l->sm_count : 1;
    case SPECIAL_GRIDID:
        return l->grid_id;
    case SPECIAL_LANEMASK_EQ:
        return 1u << lane;
    case SPECIAL_LANEMASK_LE:
        return (2u << lane) - 1;
    case SPECIAL_LANEMASK_LT:
        return (1u << lane) - 1;
    case SPECIAL_LANEMASK_GE:
        return ~((1u << lane) - 1);
    case SPECIAL_LANEMASK_GT:
        return ~((2u << lane) - 1);
    case SPECIAL_DYNAMIC_SMEM_SIZE:
        return l->dynamic_shared_bytes;
    case SPECIAL_TOTAL_SMEM_SIZE:
    case SPECIAL_AGGR_SMEM_SIZE:
        return r->grid.shared_bytes;
    /* the workspace of grid-wide barriers, high word first */
    case SPECIAL_ENVREG0 + 1:
        return r->grid.grid_workspace >> 32;
    case SPECIAL_ENVREG0 + 2:
        return (u32)r->grid.grid_workspace;
    case SPECIAL_DYNAMIC_BASE:
    case SPECIAL_DYNAMIC_BASE_64:
        return r->grid.shared_bytes - l->dynamic_shared_bytes;
    default:
        return 0;
    }
}

static void fill_specials(const struct runner *r, struct block *b, u32 warp, u8 *area)
{
    const struct program *p = r->grid.program;
    for (u32 s = 0; s < SPECIAL_COUNT + 2; s++) {
        if (!p->special_offset[s])
            continue;
        u8 *at = area + p->special_offset[s] - 1;
        bool wide = s == SPECIAL_DYNAMIC_BASE_64 || (s < SPECIAL_COUNT && special_bytes(s) == 8);
        bool per_lane = s <= SPECIAL_TID_Z || s == SPECIAL_LANEID ||
                        (s >= SPECIAL_LANEMASK_EQ && s <= SPECIAL_LANEMASK_GT);
        if (wide) {
            fill_u64(at, special_value(r, b, warp, 0, s));
        } else if (!per_lane) {
            fill_u32(at, (u32)special_value(r, b, warp, 0, s));
        } else {
            for (u32 i = 0; i < LANES; i++)
                ((u32 *)(void *)at)[i] = (u32)special_value(r, b, warp, i, s);
        }
    }
}

void *alloc_vectors(size_t bytes)
{
    void *p = NULL;
    if (posix_memalign(&p, 64, bytes ? bytes : 64) != 0)
        abort();
    memset(p, 0, bytes);
    return p;
}

static void block_create(struct runner *r, struct block *b)
{
    struct grid *g = &r->grid;
    b->grid = g;
    b->warp_count = g->warps_per_block;
    b->warps = alloc_vectors(b->warp_count * sizeof *b->warps);
    b->shared = alloc_vectors(g->shared_bytes + 16);
    b->special = alloc_vectors((size_t)g->program->special_bytes * b->warp_count + 64);
    b->local = alloc_vectors((size_t)g->local_bytes * LANES * b->warp_count + 64);
    for (u32 i = 0; i < b->warp_count; i++) {
        struct warp *w = &b->warps[i];
        w->block = b;
        w->grid = g;
        w->index = i;
        w->register_room = (g->kernel->frame_bytes + 4095) & ~4095u;
        w->registers = alloc_vectors(w->register_room + 64);
        w->base[REF_CONSTANT] = g->program->constants;
        w->base[REF_SPECIAL] = b->special + (size_t)i * g->program->special_bytes;
        w->local = b->local + (size_t)i * g->local_bytes * LANES;
    }
}

static void block_destroy(struct block *b)
{
    for (u32 i = 0; b->warps && i < b->warp_count; i++)
        free(b->warps[i].registers);
    free(b->warps);
    free(b->shared);
    free(b->special);
    free(b->local);
}

static void block_begin(struct runner *r, struct block *b, u64 id)
{
    const struct launch *l = r->launch;
    b->linear_id = id;
    b->id[0] = (u32)(id % l->grid[0]);
    b->id[1] = (u32)(id / l->grid[0] % l->grid[1]);
    b->id[2] = (u32)(id / ((u64)l->grid[0] * l->grid[1]));
    b->in_use = true;
    b->thread_count = b->live_threads = r->grid.threads_per_block;
    memset(b->barriers, 0, sizeof b->barriers);
    for (u32 i = 0; i < b->warp_count; i++) {
        u32 left = b->thread_count - i * LANES;
        u32 lanes = left >= LANES ? ALL_LANES : (1u << left) - 1;
        fill_specials(r, b, i, b->warps[i].base[REF_SPECIAL]);
        warp_start(&b->warps[i], r->grid.kernel, lanes);
    }
}

/* Instructions a warp may run before others get theirs. */
static u32 turn_of(const struct grid *g)
{
    u64 left = g->limit ? g->limit - g->warp_instructions : UINT64_MAX;
    return left < WARP_TURN ? (u32)left : WARP_TURN;
}

static void explain_limit(struct warp *w)
{
    const struct path *p = &w->paths[w->current];
    warp_fault(w, p->state == PATH_FREE ? NULL : &p->function->ops[p->pc], FAULT_LIMIT,
               (u32)__builtin_ctz(w->live), "still running after %llu warp instructions, the limit",
               (unsigned long long)w->grid->limit);
}

enum block_status { BLOCK_RAN, BLOCK_STUCK, BLOCK_DONE };

static enum block_status block_run(struct block *b, u64 budget)
{
    struct grid *g = b->grid;
    u64 start = g->warp_instructions;
    while (g->warp_instructions - start < budget) {
        u64 before = g->warp_instructions;
        u32 done = 0;
        bool busy = false;
        for (u32 i = 0; i < b->warp_count; i++) {
            struct warp *w = &b->warps[i];
            if (w->live && w->ready)
                busy |= warp_run(w, turn_of(g)) != WARP_WAITS;
            done += w->live == 0;
            if (w->live && g->limit && g->warp_instructions >= g->limit)
                explain_limit(w);
            if (g->fault != FAULT_NONE)
                return BLOCK_STUCK;
        }
        if (done == b->warp_count)
            return BLOCK_DONE;
        if (g->warp_instructions == before)
            return BLOCK_STUCK;
        if (!busy) /* whoever they wait for is in another block */
            return BLOCK_RAN;
    }
    return BLOCK_RAN;
}

static void explain_stuck(struct block *b)
{
    for (u32 i = 0; i < b->warp_count; i++) {
        struct warp *w = &b->warps[i];
        for (u32 k = 0; k < MOST_PATHS; k++) {
            const struct path *p = &w->paths[k];
            if (p->state != PATH_AT_BARRIER && p->state != PATH_AT_COLLECTIVE)
                continue;
            const struct op *op = &p->function->ops[p->pc];
            u32 lane = (u32)__builtin_ctz(p->mask);
            path_enter(w, (u8)k);
            if (p->state == PATH_AT_BARRIER)
                warp_fault(w, op, FAULT_DEADLOCK, lane,
                           "waits at barrier %u for threads that never come", p->barrier);
            else
                warp_fault(w, op, FAULT_DEADLOCK, lane, "waits for lanes 0x%08x that never come",
                           ((const u32 *)ref_get(w, op->src[3]))[lane] & w->live & ~p->mask);
            return;
        }
    }
    warp_fault(&b->warps[0], NULL, FAULT_DEADLOCK, 0, "no thread of the block can go on");
}

/* Finds a free place, or makes one; NULL: the chip is full. */
static struct block *free_block(struct runner *r)
{
    for (u32 i = 0; i < r->alive; i++) {
        if (!r->blocks[i].in_use)
            return &r->blocks[i];
    }
    if (r->alive == r->room)
        return NULL;
    struct block *b = &r->blocks[r->alive++];
    block_create(r, b);
    return b;
}

static bool run_blocks(struct runner *r)
{
    struct grid *g = &r->grid;
    u32 turn = 0;
    bool all_resident = r->launch->cooperative;
    for (;;) {
        struct block *b = NULL;
        if (r->next < r->total && (b = free_block(r)) != NULL) {
            block_begin(r, b, r->next++);
            if (all_resident && r->next < r->total)
                continue;
        } else {
            u32 k = 0;
            for (; k < r->alive; k++) {
                b = &r->blocks[(turn + k) % r->alive];
                if (b->in_use)
                    break;
            }
            if (k == r->alive)
                return true;
            turn = (u32)(b - r->blocks) + 1;
        }
        bool alone = r->next >= r->total && r->alive == 1;
        enum block_status st = block_run(b, alone ? UINT64_MAX / 2 : BLOCK_TURN);
        if (g->fault != FAULT_NONE)
            return false;
        if (st == BLOCK_DONE)
            b->in_use = false;
        if (st == BLOCK_STUCK) {
            explain_stuck(b);
            return false;
        }
    }
}

#define MOST_THREADS 1024
#define MOST_LOCAL_BYTES (512u << 10) /* of one thread */

/* What makes a launch impossible; the CUDA libraries refuse most of it earlier. */
static bool check_launch(const struct launch *l, const struct grid *g, u64 blocks, struct err *err)
{
    const char *name = kernel_info(l->kernel)->name;
    u64 threads = (u64)l->block[0] * l->block[1];
    if (blocks == 0 || threads == 0 || l->block[2] == 0)
        return err_at(err, (struct src_pos){0}, "kernel %s: the grid has no threads", name);
    if (threads > MOST_THREADS || threads * l->block[2] > MOST_THREADS)
        return err_at(err, (struct src_pos){0},
                      "kernel %s: a block of %u x %u x %u threads, expected at most %u", name,
                      l->block[0], l->block[1], l->block[2], MOST_THREADS);
    if (l->cooperative && l->resident_blocks < blocks)
        return err_at(err, (struct src_pos){0},
                      "kernel %s: a cooperative grid of %llu blocks, %u fit at once", name,
                      (unsigned long long)blocks, l->resident_blocks);
    if (g->local_bytes > MOST_LOCAL_BYTES)
        return err_at(err, (struct src_pos){0},
                      "kernel %s: a stack of %u bytes a thread, expected at most %u", name,
                      g->local_bytes, MOST_LOCAL_BYTES);
    return true;
}

bool launch_run(const struct launch *l, struct launch_counts *counts, enum launch_fault *fault,
                struct err *err)
{
    const struct kernel *k = l->kernel;
    struct runner r = {.launch = l};
    struct grid *g = &r.grid;
    u32 static_bytes = (k->info.shared_bytes + 15) & ~15u;
    *g = (struct grid){
        .launch = l,
        .program = k->program,
        .kernel = k->function,
        .memory = l->memory,
        .shared_bytes = (l->dynamic_shared_bytes ? static_bytes : k->info.shared_bytes) +
                        l->dynamic_shared_bytes,
        .local_bytes = (k->stack_bytes + 15) & ~15u,
        .limit = l->max_instructions,
        .err = err,
    };
    r.total = (u64)l->grid[0] * l->grid[1] * l->grid[2];
    if (fault)
        *fault = FAULT_INSTRUCTION;
    if (!check_launch(l, g, r.total, err))
        return false;
    g->threads_per_block = l->block[0] * l->block[1] * l->block[2];
    g->warps_per_block = (g->threads_per_block + LANES - 1) / LANES;
    r.room = l->resident_blocks ? l->resident_blocks : 1;
    if (r.room > r.total)
        r.room = (u32)r.total;
    if (l->cooperative)
        g->grid_workspace = memory_alloc(l->memory, 256, 256, "grid barrier", 0);
    r.blocks = alloc_vectors(r.room * sizeof *r.blocks);
    grid_set_fp(g, 0);
    bool ok = run_blocks(&r);
    grid_set_fp(g, 0);
    for (u32 i = 0; i < r.alive; i++)
        block_destroy(&r.blocks[i]);
    free(r.blocks);
    if (g->grid_workspace)
        memory_free(l->memory, g->grid_workspace);
    if (counts) {
        counts->warp_instructions += g->warp_instructions;
        counts->thread_instructions += g->thread_instructions;
    }
    if (fault)
        *fault = g->fault;
    return ok;
}

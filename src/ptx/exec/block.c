/* Blocks of a grid as the executor keeps them: memory, special values, starting. */
#include "ptx/exec/block.h"

#include "ptx/decode/function.h"
#include "ptx/exec/reconvergence.h"
#include "ptx/exec/stretch.h"
#include "ptx/exec/transfer.h"
#include "ptx/exec/window.h"

#include <stdlib.h>
#include <string.h>

#define RESERVED_SHARED_BYTES 1024u /* of a block, as on sm_80 and later */

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
static u64 special_value(const struct grid *g, const struct block *b, u32 warp, u32 lane,
                         u32 special)
{
    const struct launch *l = g->launch;
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
        return b->id[special - SPECIAL_CLUSTERID_X] / g->cluster[special - SPECIAL_CLUSTERID_X];
    case SPECIAL_NCLUSTERID_X:
    case SPECIAL_NCLUSTERID_Y:
    case SPECIAL_NCLUSTERID_Z:
        return l->grid[special - SPECIAL_NCLUSTERID_X] / g->cluster[special - SPECIAL_NCLUSTERID_X];
    case SPECIAL_CLUSTER_CTAID_X:
    case SPECIAL_CLUSTER_CTAID_Y:
    case SPECIAL_CLUSTER_CTAID_Z:
        return b->id[special - SPECIAL_CLUSTER_CTAID_X] %
               g->cluster[special - SPECIAL_CLUSTER_CTAID_X];
    case SPECIAL_CLUSTER_NCTAID_X:
    case SPECIAL_CLUSTER_NCTAID_Y:
    case SPECIAL_CLUSTER_NCTAID_Z:
        return g->cluster[special - SPECIAL_CLUSTER_NCTAID_X];
    case SPECIAL_CLUSTER_CTARANK:
        return b->rank;
    case SPECIAL_CLUSTER_NCTARANK:
        return g->cluster_blocks;
    case SPECIAL_IS_EXPLICIT_CLUSTER: /* a predicate of all lanes */
        return l->cluster[0] ? ALL_LANES : 0;
    case SPECIAL_LANEID:
        return lane;
    case SPECIAL_WARPID:
        return warp;
    case SPECIAL_NWARPID:
        return 64;
    case SPECIAL_SMID:
        return b->sm;
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
    case SPECIAL_CURRENT_GRAPH_EXEC:
        return l->graph_exec;
    case SPECIAL_RESERVED_SMEM_BEGIN:
    case SPECIAL_RESERVED_SMEM_0:
    case SPECIAL_RESERVED_SMEM_1:
        return g->shared_room - RESERVED_SHARED_BYTES;
    case SPECIAL_RESERVED_SMEM_END:
    case SPECIAL_RESERVED_SMEM_CAP:
        return g->shared_room;
    case SPECIAL_TOTAL_SMEM_SIZE:
    case SPECIAL_AGGR_SMEM_SIZE:
        return g->shared_bytes;
    /* the workspace of grid-wide barriers, high word first */
    case SPECIAL_ENVREG0 + 1:
        return g->grid_workspace >> 32;
    case SPECIAL_ENVREG0 + 2:
        return (u32)g->grid_workspace;
    case SPECIAL_DYNAMIC_BASE:
    case SPECIAL_DYNAMIC_BASE_64:
        return g->shared_bytes - l->dynamic_shared_bytes;
    default:
        return 0;
    }
}

static void fill_special(const struct grid *g, const struct block *b, u32 warp, u32 s, u8 *area)
{
    u8 *at = area + g->program->special_offset[s] - 1;
    bool wide = s == SPECIAL_DYNAMIC_BASE_64 || (s < SPECIAL_COUNT && special_bytes(s) == 8);
    bool per_lane = s <= SPECIAL_TID_Z || s == SPECIAL_LANEID ||
                    (s >= SPECIAL_LANEMASK_EQ && s <= SPECIAL_LANEMASK_GT);
    if (wide) {
        fill_u64(at, special_value(g, b, warp, 0, s));
    } else if (!per_lane) {
        fill_u32(at, (u32)special_value(g, b, warp, 0, s));
    } else {
        for (u32 i = 0; i < LANES; i++)
            ((u32 *)(void *)at)[i] = (u32)special_value(g, b, warp, i, s);
    }
}

/* Another block of the grid has it otherwise, or the same block on another SM. */
static bool is_of_block(u32 s)
{
    return (s >= SPECIAL_CTAID_X && s <= SPECIAL_CTAID_Z) || s == SPECIAL_SMID ||
           (s >= SPECIAL_CLUSTERID_X && s <= SPECIAL_CLUSTERID_Z) ||
           (s >= SPECIAL_CLUSTER_CTAID_X && s <= SPECIAL_CLUSTER_CTAID_Z) ||
           s == SPECIAL_CLUSTER_CTARANK;
}

/* Those that the program reads; first those of a block. */
static void list_specials(struct grid *g)
{
    for (u32 pass = 0; pass < 2; pass++) {
        for (u32 s = 0; s < SPECIAL_COUNT + 2; s++) {
            if (g->program->special_offset[s] && is_of_block(s) == (pass == 0))
                g->specials[g->special_count++] = (u8)s;
        }
        if (pass == 0)
            g->block_specials = g->special_count;
    }
}

static void fill_specials(const struct grid *g, const struct block *b, u32 warp, u32 count)
{
    for (u32 i = 0; i < count; i++)
        fill_special(g, b, warp, g->specials[i], b->warps[warp].base[REF_SPECIAL]);
}

/* Gone with the grid; *touched: so many bytes are not 0, but as a grid before has left them. */
static void *take_touched(struct grid *g, size_t bytes, size_t *touched)
{
    return slab_alloc(&g->slabs, &((struct program *)g->program)->spare_slabs, bytes, touched);
}

/* Zeroed. */
static void *take(struct grid *g, size_t bytes)
{
    size_t touched;
    void *p = take_touched(g, bytes, &touched);
    return touched ? memset(p, 0, touched) : p;
}

/* The same with anything in it. */
static void *take_rough(struct grid *g, size_t bytes)
{
    return slab_alloc_rough(&g->rough, &((struct program *)g->program)->spare_rough, bytes, false);
}

/* All but paths that nobody has taken. */
static void clear_warp(struct warp *w)
{
    memset(w, 0, offsetof(struct warp, paths) + sizeof w->paths[0]);
    memset(&w->on, 0, sizeof *w - offsetof(struct warp, on));
}

/* What a thread may read before it writes it is 0. A grid before has used most of the rest: that it
 * need not be cleared saves a launch a line of the host's memory for each line of registers. */
static void clear_registers(struct warp *w, const struct grid *g, size_t touched)
{
    const struct function *f = g->kernel;
    bool lacks_lanes = (w->index + 1) * LANES > g->threads_per_block;
    if (lacks_lanes || g->keeps_registers) {
        memset(w->registers, 0, touched);
        return;
    }
    memset(w->registers + CARRY_OFFSET, 0, SINK_OFFSET - CARRY_OFFSET);
    for (u32 i = 0; i < f->unwritten_count; i++) {
        u32 at = f->unwritten[i], bytes = f->place_bytes[at / 4];
        memset(w->registers + at, 0, bytes ? bytes * LANES : sizeof(u32));
    }
}

void block_create(struct block *b, struct grid *g)
{
    size_t touched;
    b->grid = g;
    b->warp_count = g->warps_per_block;
    b->warps = take_touched(g, b->warp_count * sizeof *b->warps, &touched);
    b->shared = take(g, g->shared_room + 16);
    b->special = take(g, (size_t)g->program->special_bytes * b->warp_count + 64);
    b->local = take(g, (size_t)g->local_bytes * LANES * b->warp_count + 64);
    struct reconvergence *joins = take_rough(g, b->warp_count * MOST_PATHS * sizeof *joins);
    if (g->program->uses_transfers)
        b->completions = take(g, BLOCK_COMPLETIONS * sizeof *b->completions);
    for (u32 i = 0; i < b->warp_count; i++) {
        struct warp *w = &b->warps[i];
        if (touched)
            clear_warp(w);
        w->block = b;
        w->grid = g;
        w->index = i;
        w->joins = joins + (size_t)i * MOST_PATHS;
        w->register_room = g->kernel->frame_bytes;
        size_t touched_registers;
        w->registers = take_touched(g, w->register_room + 64, &touched_registers);
        if (touched_registers)
            clear_registers(w, g, touched_registers);
        w->base[REF_CONSTANT] = g->program->constants;
        w->base[REF_SPECIAL] = b->special + (size_t)i * g->program->special_bytes;
        fill_specials(g, b, i, g->special_count);
        w->local = b->local + (size_t)i * g->local_bytes * LANES;
        w->local_room = g->local_bytes;
        if (g->alloca_bytes)
            w->tops = take(g, LANES * sizeof *w->tops);
    }
}

void block_create_windows(struct block *b)
{
    const struct program *p = b->grid->program;
    for (u32 i = 0; i < b->warp_count; i++)
        b->warps[i].window = window_place(p, take(b->grid, window_bytes(p)));
}

struct block *block_new(struct grid *g, bool stretches)
{
    struct program *p = (struct program *)g->program;
    size_t bytes = stretches ? g->warps_per_block * sizeof(struct stretch) : 0;
    struct block *b = slab_alloc_rough(&g->begun, &p->spare_begun, sizeof *b + 63 + bytes, true);
    *b = (struct block){0};
    block_create(b, g);
    for (u32 i = 0; stretches && i < b->warp_count; i++) {
        struct stretch *s = b->warps[i].stretch = block_stretch(b, i);
        s->warp = &b->warps[i];
        s->left = 0;
    }
    return b;
}

void block_destroy(struct block *b)
{
    for (u32 i = 0; b->warps && i < b->warp_count; i++) {
        free(b->warps[i].more_registers);
        free(b->warps[i].more_local);
    }
}

static void place_warp(struct warp *w, struct executor *on)
{
    w->on = on;
    if (w->stretch)
        w->stretch->on = on;
    w->in_cluster = w->block->cluster != NULL;
    fill_specials(w->grid, w->block, w->index, w->grid->block_specials);
}

/* Blocks are counted cluster by cluster: the n-th of a grid is where its cluster and rank say. */
static void place_in_grid(struct block *b, u64 n)
{
    const struct grid *g = b->grid;
    const u32 *grid = g->launch->grid, *of = g->cluster;
    u64 cluster = n / g->cluster_blocks;
    u32 rank = b->rank = (u32)(n % g->cluster_blocks);
    u32 wide = grid[0] / of[0], high = grid[1] / of[1];
    b->id[0] = (u32)(cluster % wide) * of[0] + rank % of[0];
    b->id[1] = (u32)(cluster / wide % high) * of[1] + rank / of[0] % of[1];
    b->id[2] = (u32)(cluster / ((u64)wide * high)) * of[2] + rank / (of[0] * of[1]);
    b->linear_id = b->id[0] + (u64)grid[0] * (b->id[1] + (u64)grid[1] * b->id[2]);
}

void block_begin(struct block *b, u64 id, u32 sm, struct executor *on)
{
    struct grid *g = b->grid;
    b->sm = sm;
    place_in_grid(b, id);
    if (b->cluster)
        b->cluster->blocks[b->rank] = b;
    for (u32 i = 0; b->completions && i < BLOCK_COMPLETIONS; i++)
        b->completions[i].is_used = false;
    b->in_use = true;
    b->had_effects = false;
    b->thread_count = b->live_threads = g->threads_per_block;
    memset(b->barriers, 0, sizeof b->barriers);
    b->barriers_used = 0;
    if (g->shared_room > g->shared_bytes) /* which the system hands over cleared */
        memset(b->shared + g->shared_bytes, 0, g->shared_room - g->shared_bytes);
    for (u32 i = 0; i < b->warp_count; i++) {
        u32 left = b->thread_count - i * LANES;
        u32 lanes = left >= LANES ? ALL_LANES : (1u << left) - 1;
        struct warp *w = &b->warps[i];
        place_warp(w, on);
        warp_start(w, g->kernel, lanes);
    }
}

void block_move(struct block *b, u32 sm, struct executor *on)
{
    b->sm = sm;
    for (u32 i = 0; i < b->warp_count; i++)
        place_warp(&b->warps[i], on);
}

#define MOST_THREADS 1024
#define MOST_LOCAL_BYTES (512u << 10) /* of one thread */
#define DEFAULT_STACK 1024u           /* cudaLimitStackSize */

/* What makes a launch impossible; the CUDA libraries refuse most of it earlier. */
static bool check_launch(const struct launch *l, const struct grid *g, struct err *err)
{
    u64 blocks = g->blocks;
    const char *name = kernel_info(l->kernel)->name;
    u64 threads = (u64)l->block[0] * l->block[1];
    if (blocks == 0 || threads == 0 || l->block[2] == 0)
        return err_at(err, (struct src_pos){0}, "kernel %s: the grid has no threads", name);
    if (threads > MOST_THREADS || threads * l->block[2] > MOST_THREADS)
        return err_at(err, (struct src_pos){0},
                      "kernel %s: a block of %u x %u x %u threads, expected at most %u", name,
                      l->block[0], l->block[1], l->block[2], MOST_THREADS);
    if (g->cluster_blocks > MOST_CLUSTER_BLOCKS || l->grid[0] % g->cluster[0] ||
        l->grid[1] % g->cluster[1] || l->grid[2] % g->cluster[2])
        return err_at(err, (struct src_pos){0},
                      "kernel %s: clusters of %u x %u x %u blocks, expected at most %u blocks and "
                      "divisors of the grid of %u x %u x %u",
                      name, g->cluster[0], g->cluster[1], g->cluster[2], MOST_CLUSTER_BLOCKS,
                      l->grid[0], l->grid[1], l->grid[2]);
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

bool grid_open(struct grid *g, const struct launch *l, struct err *err)
{
    const struct kernel *k = l->kernel;
    u32 static_bytes = (k->info.shared_bytes + 15) & ~15u;
    u32 limit = l->stack_bytes ? l->stack_bytes : DEFAULT_STACK;
    *g = (struct grid){
        .launch = l,
        .program = k->program,
        .kernel = k->function,
        .memory = l->memory,
        .shared_bytes = (l->dynamic_shared_bytes ? static_bytes : k->info.shared_bytes) +
                        l->dynamic_shared_bytes,
        .local_bytes = (k->local_bytes + 15) & ~15u,
        .stack_bytes = k->stack_bytes > limit ? k->stack_bytes : limit,
        .blocks = (u64)l->grid[0] * l->grid[1] * l->grid[2],
        .limit = l->max_instructions,
    };
    for (u32 i = 0; i < 3; i++)
        g->cluster[i] = l->cluster[i] ? l->cluster[i] : 1;
    g->cluster_blocks = g->cluster[0] * g->cluster[1] * g->cluster[2];
    if (k->program->uses_alloca) {
        g->alloca_bytes = (limit + 15) & ~15u;
        g->local_bytes += g->alloca_bytes;
    }
    g->shared_room = g->shared_bytes;
    for (u32 s = SPECIAL_RESERVED_SMEM_BEGIN; s <= SPECIAL_RESERVED_SMEM_1; s++) {
        if (k->program->special_offset[s])
            g->shared_room = ((g->shared_bytes + 15) & ~15u) + RESERVED_SHARED_BYTES;
    }
    if (!check_launch(l, g, err))
        return false;
    g->threads_per_block = l->block[0] * l->block[1] * l->block[2];
    g->warps_per_block = (g->threads_per_block + LANES - 1) / LANES;
    list_specials(g);
    if (l->cooperative)
        g->grid_workspace = memory_alloc(l->memory, 256, 256, "grid barrier", 0);
    return true;
}

static void spare_memory(struct grid *g)
{
    struct program *p = (struct program *)g->program;
    slab_spare(&g->slabs, &p->spare_slabs);
    slab_spare(&g->rough, &p->spare_rough);
    slab_spare(&g->begun, &p->spare_begun);
}

void grid_close(struct grid *g)
{
    if (g->grid_workspace)
        memory_free(g->memory, g->grid_workspace);
    g->grid_workspace = 0;
    if (g->program)
        spare_memory(g);
}

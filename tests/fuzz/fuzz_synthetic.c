/*
 * Any bytes as a file of synthetic kernels: it loads and its first and last blocks
 * run for a while, or there is one message.
 */
#include "source/synthetic/load.h"

#include <stdlib.h>

#define STEPS 400

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void run_block(const struct grid_source *g, u64 number)
{
    void *block = g->ops->block_begin(g->self, number, &(struct sm_place){.sm = 0});
    for (u32 i = 0; i < STEPS; i++) {
        const struct instruction *next;
        struct winst w;
        u32 warp = i % g->warps_per_block;
        if (g->ops->next(block, warp, &next) != NEXT_READY)
            continue;
        if (!g->ops->step(block, warp, &w) || w.instruction != next)
            abort();
        u32 lanes = w.in_global | w.in_shared;
        if (lanes & ~w.mask || (lanes && !w.address))
            abort();
    }
    g->ops->block_end(g->self, block);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct synthetic_list list;
    if (synthetic_load_text(&list, "input", (const char *)data, size, &arena, &err)) {
        for (u32 i = 0; i < list.count; i++) {
            run_block(&list.grids[i], 0);
            run_block(&list.grids[i], list.grids[i].blocks - 1);
        }
    } else if (err.kind != ERR_INPUT || !err.what[0]) {
        abort();
    }
    arena_fini(&arena);
    return 0;
}

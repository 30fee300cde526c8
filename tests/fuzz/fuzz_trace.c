/*
 * Any bytes as a kernel's trace, and as a list of kernels: it opens and its blocks
 * run to their end, stand at a barrier for good or fault with one message.
 */
#include "source/sass/kernel.h"
#include "source/sass/list.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void expect_message(const struct err *err)
{
    if (err->kind != ERR_INPUT || !err->what[0])
        abort();
}

static void check_step(const struct grid_source *g, const struct winst *w)
{
    const struct instruction *i = w->instruction;
    u32 lanes = w->in_global | w->in_shared | w->in_local | w->in_const;
    if (lanes & ~w->mask || (lanes && !w->address) || i->pc % INSTRUCTION_BYTES)
        abort();
    for (u32 r = 0; r < (u32)i->dst_count + i->src_count; r++) {
        if (i->regs[r] >= g->scoreboard_registers)
            abort();
    }
}

/* False: a fault. */
static bool run_block(const struct grid_source *g, void *block)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (u32 warp = 0; warp < g->warps_per_block; warp++) {
            const struct instruction *next;
            struct winst w;
            if (g->ops->next(block, warp, &next) != NEXT_READY)
                continue;
            if (!g->ops->step(block, warp, &w))
                return false;
            if (w.instruction != next)
                abort();
            check_step(g, &w);
            moved = true;
        }
    }
    return true;
}

static void run_kernel(struct trace_kernel *k)
{
    struct grid_source g = trace_kernel_grid(k);
    for (u64 i = g.blocks; i-- > 0;) {
        void *block = g.ops->block_begin(g.self, i, &(struct sm_place){.sm = 0});
        struct err err = ERR_INIT;
        if (!run_block(&g, block)) {
            g.ops->fault(g.self, &err);
            expect_message(&err);
        }
        g.ops->block_end(g.self, block);
    }
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct err err = ERR_INIT;
    struct trace_kernel *k = trace_kernel_open_text("input", (const char *)data, size, NULL, &err);
    if (k)
        run_kernel(k);
    else
        expect_message(&err);
    trace_kernel_close(k);

    struct arena arena = {0};
    struct trace_list list;
    err = ERR_INIT;
    if (!trace_list_read_text(&list, "a/input", (const char *)data, size, &arena, &err))
        expect_message(&err);
    arena_fini(&arena);
    return 0;
}

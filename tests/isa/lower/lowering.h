/* Running small PTX kernels as machine instructions, beside the same kernel as PTX. */
#ifndef TESTS_ISA_LOWER_LOWERING_H
#define TESTS_ISA_LOWER_LOWERING_H

#include "isa/exec/running.h"

#include "isa/source.h"

#define BUFFER_BYTES 4096u

struct lowered {
    u32 count;   /* warp instructions of the one warp */
    u32 threads; /* their lanes */
    u32 units[UNIT_COUNT];
    u32 most_bytes; /* of a memory instruction */
    u8 out[BUFFER_BYTES];
    bool ok;
};

/* One block of one warp of 32. */
static void run_lowered(const char *text, struct lowered *l)
{
    struct run r;
    run_load(&r, text, BUFFER_BYTES);
    struct ptx_source *s = ptx_source_open(&r.launch, &r.err);
    assert_non_null(s);
    ptx_source_lower(s);
    struct grid_source g = ptx_source_grid(s);
    cycle_t clock = 0;
    void *block = g.ops->block_begin(g.self, 0, 0, &clock);
    *l = (struct lowered){.ok = true};
    const struct instruction *next, *again;
    while (l->ok && g.ops->next(block, 0, &next) == NEXT_READY) {
        struct winst x;
        assert_int_equal(g.ops->next(block, 0, &again), NEXT_READY);
        assert_ptr_equal(next, again); /* asking twice changes nothing */
        l->ok = g.ops->step(block, 0, &x);
        assert_true(!l->ok || x.instruction == next);
        l->count++;
        l->threads += (u32)__builtin_popcount(x.mask);
        l->units[next->unit]++;
        for (u32 k = 0; k < (u32)next->dst_count + next->src_count; k++)
            assert_true(next->regs[k] < g.scoreboard_registers);
        if (next->unit == UNIT_MEMORY && next->bytes > l->most_bytes)
            l->most_bytes = next->bytes;
        assert_true(l->count < 100000);
    }
    memcpy(l->out, (const void *)(uintptr_t)r.out, BUFFER_BYTES);
    g.ops->block_end(g.self, block);
    ptx_source_close(s);
    ptx_source_rest();
    run_end(&r);
}

/* So many machine instructions, and the answer that PTX gives. */
static __attribute__((unused)) struct lowered expect_machine(const char *text, u32 count)
{
    struct run r;
    struct lowered l;
    run_well(&r, text, BUFFER_BYTES);
    run_lowered(text, &l);
    assert_true(l.ok);
    assert_memory_equal(l.out, (const void *)(uintptr_t)r.out, BUFFER_BYTES);
    run_end(&r);
    assert_int_equal(l.count, count);
    return l;
}

/*
 * What KERNEL and a last store cost: the stack pointer and the descriptor of global memory
 * (LDC, ULDC), the parameter (LDC), the thread (S2R), its address (IMAD.WIDE), the store (STG)
 * and the exit (EXIT).
 */
#define FRAME 7u
#define STORE "st.global.u32 [%rd3], %r2;"

#endif

/* Running small PTX kernels as machine instructions, beside the same kernel as PTX. */
#ifndef PTX_LOWER_LOWERING_H
#define PTX_LOWER_LOWERING_H

#include "ptx/exec/running.h"

#include "ptx/kernel_source.h"

#define BUFFER_BYTES 4096u

struct lowered {
    u32 count;   /* warp instructions of the one warp */
    u32 threads; /* their lanes */
    u32 units[UNIT_COUNT];
    u32 costs[UNIT_COUNT][COST_COUNT];
    u32 most_bytes;   /* of a memory instruction */
    u32 atomic_lanes; /* that the last atomic sent to memory */
    u32 clashes;      /* of eight lanes of 16 bytes in shared memory, that want the same banks */
    /* by instruction: L load, S store, A atomic, C constant or parameter, f FP32, i integer,
     * s special function, b branch or exit, '.' else */
    char order[256];
    u16 sources[256][8]; /* numbers of registers, as the scoreboard has them */
    u16 result[256];     /* the first destination; 0: none */
    u8 out[BUFFER_BYTES];
    bool ok;
};

static u32 lowered_registers; /* that a cubin gives the kernel; 0: none does */

static u32 clashes_of(const struct winst *x)
{
    u32 clashes = 0;
    for (u32 first = 0; first < 32; first += 8) {
        u32 seen = 0;
        for (u32 lane = first; lane < first + 8; lane++) {
            u32 bit = x->in_shared >> lane & 1 ? 1u << (x->address[lane] / 16 % 8) : 0;
            clashes += (seen & bit) != 0;
            seen |= bit;
        }
    }
    return clashes;
}

static char letter_of(const struct instruction *i)
{
    if (i->space == SPACE_PARAM || i->space == SPACE_CONST)
        return 'C';
    switch (i->kind) {
    case WINST_LOAD:
        return 'L';
    case WINST_STORE:
        return 'S';
    case WINST_ATOMIC:
        return 'A';
    case WINST_CONTROL:
    case WINST_EXIT:
        return 'b';
    default:
        return i->unit == UNIT_FP32  ? 'f'
               : i->unit == UNIT_INT ? 'i'
               : i->unit == UNIT_SFU ? 's'
                                     : '.';
    }
}

static void note_order(struct lowered *l, const struct instruction *i)
{
    if (l->count + 1 >= sizeof l->order)
        return;
    l->order[l->count] = letter_of(i);
    l->result[l->count] = i->dst_count ? i->regs[0] : 0;
    for (u32 k = 0; k < i->src_count && k < 8; k++)
        l->sources[l->count][k] = i->regs[i->dst_count + k];
}

/* One block of one warp of 32. */
static void run_lowered(const char *text, struct lowered *l)
{
    struct run r;
    run_load(&r, text, BUFFER_BYTES);
    if (lowered_registers)
        kernel_set_registers((struct kernel *)(uintptr_t)r.launch.kernel, lowered_registers);
    struct ptx_source *s = ptx_source_open(&r.launch, &r.err);
    assert_non_null(s);
    ptx_source_lower(s);
    struct grid_source g = ptx_source_grid(s);
    cycle_t clock = 0;
    void *block = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 0, .clock = &clock});
    *l = (struct lowered){.ok = true};
    const struct instruction *next, *again;
    while (l->ok && g.ops->next(block, 0, &next) == NEXT_READY) {
        struct winst x;
        assert_int_equal(g.ops->next(block, 0, &again), NEXT_READY);
        assert_ptr_equal(next, again); /* asking twice changes nothing */
        l->ok = g.ops->step(block, 0, &x);
        assert_true(!l->ok || x.instruction == next);
        note_order(l, next);
        l->count++;
        l->threads += (u32)__builtin_popcount(x.mask);
        l->units[next->unit]++;
        l->costs[next->unit][next->cost]++;
        for (u32 k = 0; k < (u32)next->dst_count + next->src_count; k++)
            assert_true(next->regs[k] < g.scoreboard_registers);
        if (next->kind == WINST_ATOMIC)
            l->atomic_lanes = (u32)__builtin_popcount(x.in_global | x.in_shared);
        if (next->unit == UNIT_MEMORY && next->bytes == 16 && x.in_shared)
            l->clashes += clashes_of(&x);
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

/* It gives the answer that PTX gives. */
static __attribute__((unused)) struct lowered run_lowered_well(const char *text)
{
    struct run r;
    struct lowered l;
    run_well(&r, text, BUFFER_BYTES);
    run_lowered(text, &l);
    assert_true(l.ok);
    assert_memory_equal(l.out, (const void *)(uintptr_t)r.out, BUFFER_BYTES);
    run_end(&r);
    return l;
}

/* And so many machine instructions. */
static __attribute__((unused)) struct lowered expect_machine(const char *text, u32 count)
{
    struct lowered l = run_lowered_well(text);
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

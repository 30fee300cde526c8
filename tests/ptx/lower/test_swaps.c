/* Atomics in shared memory that are loops around a compare-and-swap, beside those of other warps.
 */
#include "testing.h"

#include "ptx/lower/lowering.h"

/* Two warps add to one word each, the same or not. */
#define SUM(bytes)                                                                                 \
    HEADER ".shared .align 16 .b8 tile[1024];\n" PROLOGUE                                          \
           "mov.u64 %rd5, tile; shr.u32 %r4, %r1, 5; mul.wide.u32 %rd6, %r4, " bytes ";"           \
           "add.u64 %rd7, %rd5, %rd6; and.b32 %r5, %r1, 31; setp.ne.u32 %p1, %r5, 0;"              \
           "@%p1 bra DONE; red.shared.add.f32 [%rd7], 0f3f800000;\n DONE: ret;\n}\n"

enum { MOST_STEPS = 1000 };

struct two {
    struct run r;
    struct ptx_source *source;
    struct grid_source grid;
    void *block;
    cycle_t clock;
    u32 loads[2], tries[2]; /* so far, of shared memory */
};

static void two_open(struct two *t, const char *text)
{
    *t = (struct two){0};
    run_load(&t->r, text, BUFFER_BYTES);
    t->r.launch.block[0] = 64;
    t->source = ptx_source_open(&t->r.launch, &t->r.err);
    assert_non_null(t->source);
    ptx_source_lower(t->source);
    t->grid = ptx_source_grid(t->source);
    t->block =
        t->grid.ops->block_begin(t->grid.self, 0, &(struct sm_place){.sm = 0, .clock = &t->clock});
}

static void two_close(struct two *t)
{
    t->grid.ops->block_end(t->grid.self, t->block);
    ptx_source_close(t->source);
    ptx_source_rest();
    run_end(&t->r);
}

/* False: the warp has ended. */
static bool step(struct two *t, u32 warp)
{
    const struct instruction *next;
    struct winst x;
    if (t->grid.ops->next(t->block, warp, &next) != NEXT_READY)
        return false;
    assert_true(t->grid.ops->step(t->block, warp, &x));
    t->loads[warp] += next->kind == WINST_LOAD && x.in_shared;
    t->tries[warp] += next->kind == WINST_ATOMIC && x.in_shared;
    return true;
}

static void step_to(struct two *t, u32 warp, const u32 *count, u32 value)
{
    for (u32 k = 0; *count < value; k++) {
        assert_true(k < MOST_STEPS);
        assert_true(step(t, warp));
    }
}

static void step_to_end(struct two *t, u32 warp)
{
    for (u32 k = 0; step(t, warp); k++)
        assert_true(k < MOST_STEPS);
}

TEST(a_warp_whose_word_another_has_swapped_since_it_was_loaded_turns_again)
{
    UNUSED_STATE;
    struct two t;
    two_open(&t, SUM("0"));
    step_to(&t, 0, &t.loads[0], 1);
    step_to(&t, 1, &t.loads[1], 1);
    step_to_end(&t, 1);
    assert_int_equal(t.tries[1], 1); /* nobody was before it */
    step_to_end(&t, 0);
    assert_int_equal(t.tries[0], 2);
    assert_int_equal(t.loads[0], 2);
    two_close(&t);
}

TEST(a_warp_that_loads_after_the_swap_of_another_turns_once)
{
    UNUSED_STATE;
    struct two t;
    two_open(&t, SUM("0"));
    step_to_end(&t, 1);
    step_to_end(&t, 0);
    assert_int_equal(t.tries[0], 1);
    assert_int_equal(t.tries[1], 1);
    two_close(&t);
}

TEST(warps_at_different_words_do_not_disturb_each_other)
{
    UNUSED_STATE;
    struct two t;
    two_open(&t, SUM("4"));
    step_to(&t, 0, &t.loads[0], 1);
    step_to_end(&t, 1);
    step_to_end(&t, 0);
    assert_int_equal(t.tries[0], 1);
    two_close(&t);
}

RUN_TESTS(T(a_warp_whose_word_another_has_swapped_since_it_was_loaded_turns_again),
          T(a_warp_that_loads_after_the_swap_of_another_turns_once),
          T(warps_at_different_words_do_not_disturb_each_other))

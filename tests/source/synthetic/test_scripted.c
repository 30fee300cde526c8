#include "testing.h"

#include "base/arena.h"
#include "source/source_driver.h"
#include "source/synthetic/scripted.h"

struct seen {
    u32 steps, wakes;
    u32 warps[64];
    u64 pcs[64];
    u64 first_address[64], last_address[64];
    u32 masks[64];
};

static void see(void *context, u64 block, u32 warp, const struct winst *w)
{
    (void)block;
    struct seen *s = context;
    u32 n = s->steps++;
    assert_in_range(n, 0, 63);
    s->warps[n] = warp;
    s->pcs[n] = w->instruction->pc;
    s->masks[n] = w->mask;
    s->wakes += w->wakes_others;
    if (w->address) {
        s->first_address[n] = w->address[0];
        s->last_address[n] = w->address[31];
    }
}

static struct arena arena;

static struct grid_source source(const struct scripted_instruction *code, u32 count, u32 threads)
{
    arena_fini(&arena);
    struct scripted_kernel k = {.code = code, .count = count, .threads_per_block = threads};
    return scripted_source(&k, &arena);
}

TEST(a_script_says_registers_destination_first)
{
    UNUSED_STATE;
    const struct scripted_instruction code[] = {
        {.unit = UNIT_FP32, .cost = COST_MULTIPLY_ADD, .dst = 4, .src0 = 9, .src1 = 2},
        {.unit = UNIT_INT, .src1 = 4},
    };
    struct grid_source g = source(code, 2, 32);
    assert_int_equal(g.scoreboard_registers, 10);
    assert_int_equal(g.blocks, 1);
    assert_int_equal(g.warps_per_block, 1);
    void *b = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 0});
    const struct instruction *i;
    struct winst w;
    assert_int_equal(g.ops->next(b, 0, &i), NEXT_READY);
    assert_int_equal(i->dst_count, 1);
    assert_int_equal(i->src_count, 2);
    assert_int_equal(i->regs[0], 4);
    assert_int_equal(i->regs[1], 9);
    assert_int_equal(i->regs[2], 2);
    assert_int_equal(i->unit, UNIT_FP32);
    assert_int_equal(i->cost, COST_MULTIPLY_ADD);
    assert_true(g.ops->step(b, 0, &w));
    assert_int_equal(w.mask, UINT32_MAX);
    assert_null(w.address);
    assert_int_equal(g.ops->next(b, 0, &i), NEXT_READY);
    assert_int_equal(i->pc, INSTRUCTION_BYTES);
    assert_int_equal(i->dst_count, 0);
    assert_int_equal(i->src_count, 1);
    assert_true(g.ops->step(b, 0, &w));
    assert_int_equal(g.ops->next(b, 0, &i), NEXT_ENDED);
    g.ops->block_end(g.self, b);
}

TEST(addresses_follow_from_block_warp_iteration_and_lane)
{
    UNUSED_STATE;
    const struct scripted_instruction code[] = {
        {.kind = WINST_LOAD,
         .unit = UNIT_MEMORY,
         .dst = 1,
         .space = SPACE_GLOBAL,
         .bytes = 4,
         .base = 0x10000,
         .lane_stride = -4,
         .warp_stride = 0x100,
         .block_stride = 0x1000,
         .iteration_stride = 0x10},
    };
    arena_fini(&arena);
    struct scripted_kernel k = {
        .code = code, .count = 1, .iterations = 2, .blocks = 3, .threads_per_block = 40};
    struct grid_source g = scripted_source(&k, &arena);
    struct seen s = {0};
    assert_int_equal(drive_block(&g, 2, see, &s), 0);
    assert_int_equal(s.steps, 4);
    assert_int_equal(s.warps[3], 1);
    assert_int_equal(s.first_address[3], 0x10000 + 0x2000 + 0x100 + 0x10);
    assert_int_equal(s.last_address[3], s.first_address[3] - 31 * 4);
    assert_int_equal(s.masks[3], 0xff);
    assert_int_equal(s.masks[2], UINT32_MAX);
}

TEST(addresses_can_be_listed_and_lanes_masked)
{
    UNUSED_STATE;
    u64 list[32] = {[0] = 7, [31] = 99};
    const struct scripted_instruction code[] = {
        {.kind = WINST_STORE, .space = SPACE_SHARED, .bytes = 1, .addresses = list, .mask = 0x11},
    };
    struct grid_source g = source(code, 1, 32);
    list[31] = 0; /* the source has its own copy */
    void *b = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 0});
    struct winst w;
    assert_true(g.ops->step(b, 0, &w));
    assert_int_equal(w.in_shared, 0x11);
    assert_int_equal(w.in_global | w.in_local | w.in_const, 0);
    assert_int_equal(w.address[31], 99);
    g.ops->block_end(g.self, b);
}

TEST(an_instruction_can_be_kept_to_some_warps)
{
    UNUSED_STATE;
    const struct scripted_instruction code[] = {
        {.warps = 1},
        {.warps = 2},
        {.warps = 2},
    };
    struct grid_source g = source(code, 3, 96);
    struct seen s = {0};
    assert_int_equal(drive_block(&g, 0, see, &s), 0);
    assert_int_equal(s.steps, 3);
    assert_int_equal(s.warps[0], 0);
    assert_int_equal(s.warps[1], 1);
    assert_int_equal(s.pcs[1], INSTRUCTION_BYTES);
    assert_int_equal(s.pcs[2], 2 * INSTRUCTION_BYTES);
}

TEST(a_barrier_holds_a_warp_until_the_others_come)
{
    UNUSED_STATE;
    const struct scripted_instruction code[] = {
        {.warps = 2},
        {.kind = WINST_BARRIER},
        {.dst = 1},
    };
    struct grid_source g = source(code, 3, 64);
    void *b = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 0});
    const struct instruction *i;
    struct winst w;
    assert_true(g.ops->step(b, 0, &w));
    assert_false(w.wakes_others);
    assert_int_equal(g.ops->next(b, 0, &i), NEXT_WAITS);
    assert_true(g.ops->step(b, 1, &w));
    assert_int_equal(g.ops->next(b, 0, &i), NEXT_WAITS);
    assert_true(g.ops->step(b, 1, &w));
    assert_true(w.wakes_others);
    assert_int_equal(g.ops->next(b, 0, &i), NEXT_READY);
    g.ops->block_end(g.self, b);
    drive_grid(&g, NULL, NULL); /* and the storage serves the next block */
}

TEST(a_count_that_nobody_fills_holds_the_block)
{
    UNUSED_STATE;
    const struct scripted_instruction code[] = {
        {.kind = WINST_BARRIER, .barrier = 5, .barrier_warps = 3},
        {.dst = 1},
    };
    struct grid_source g = source(code, 2, 64);
    assert_int_equal(drive_block(&g, 0, NULL, NULL), 2);
    arena_fini(&arena);
}

RUN_TESTS(T(a_script_says_registers_destination_first),
          T(addresses_follow_from_block_warp_iteration_and_lane),
          T(addresses_can_be_listed_and_lanes_masked), T(an_instruction_can_be_kept_to_some_warps),
          T(a_barrier_holds_a_warp_until_the_others_come),
          T(a_count_that_nobody_fills_holds_the_block))

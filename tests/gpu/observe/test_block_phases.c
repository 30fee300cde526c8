/* Phases of blocks by hand: who is the same block, when a phase ends, how alike launches are. */
#include "testing.h"

#include "gpu/observe/block_phases.h"

#include <math.h>

#define HZ 1600000000u
#define US 1600u

struct desk {
    struct arena arena;
    struct block_phases *p;
};

static void desk_open(struct desk *d)
{
    *d = (struct desk){0};
    d->p = block_phases_add(&d->arena, HZ);
}

/* So many cycles, in which the block used this share of the FPU and was refused a tenth. */
static void use(struct desk *d, const struct grid_source *g, u64 launch, u64 block, u64 cycles,
                double fpu)
{
    struct block_view v = {.grid = g, .launch = launch, .block = block};
    struct use_counts c = {.cycles = cycles,
                           .refused = 4 * cycles / 10,
                           .refusable = 4 * cycles,
                           .fp_lanes = (u64)(64 * (double)cycles * fpu + 0.5),
                           .lane_cycles = 64 * cycles};
    block_phases_used(d->p, &v, &c, NULL);
}

static void launch(struct desk *d, const struct grid_source *g, u64 number, u64 cycles, double fpu)
{
    block_phases_kernel(d->p, g, number);
    for (u64 b = 0; b < g->blocks; b++)
        use(d, g, number, b, cycles, fpu);
    block_phases_kernel_ended(d->p, g);
}

/* Twelve launches of 30 us: 360 us of each block, and one phase. Then 6 % more. */
TEST(a_phase_goes_on_over_the_launches_of_a_stream)
{
    UNUSED_STATE;
    struct desk d;
    struct grid_source g = {.name = "k", .blocks = 3, .queue = 1}, other = g;
    desk_open(&d);
    u64 number = 1;
    for (u32 i = 0; i < 12; i++)
        launch(&d, &g, number++, 30 * US, 0.5);
    block_phases_settle(d.p);
    assert_int_equal(d.p->counts.blocks, 3);
    assert_int_equal(d.p->counts.sampled, 3);
    assert_int_equal(d.p->counts.samples, 3 * 360);
    assert_int_equal(d.p->counts.phases, 3);
    assert_int_equal(d.p->counts.ended, 0);
    for (u32 i = 0; i < 6; i++)
        launch(&d, &g, number++, 30 * US, 0.53);
    other.queue = 2;
    launch(&d, &other, number, 50 * US, 0.9); /* of another stream: other blocks */
    block_phases_settle(d.p);
    assert_int_equal(d.p->counts.blocks, 6);
    assert_int_equal(d.p->counts.sampled, 3);
    assert_int_equal(d.p->counts.ended, 3);
    assert_int_equal(d.p->counts.shifts_fpu, 3);
    assert_int_equal(d.p->counts.shifts_mem, 0);
    assert_int_equal(d.p->counts.lengths[1], 3); /* 360 us, and as many more as make 5 of 6 % */
    assert_int_equal(d.p->counts.length_us, 3 * (360 + 84));
    arena_fini(&d.arena);
}

/* 0.4 us, and 0.7: the first sample is of 1.1 us. */
TEST(parts_of_a_microsecond_are_put_together)
{
    UNUSED_STATE;
    struct desk d;
    struct grid_source g = {.name = "k", .blocks = 1};
    desk_open(&d);
    block_phases_kernel(d.p, &g, 1);
    use(&d, &g, 1, 0, 640, 0.5);
    block_phases_settle(d.p);
    assert_int_equal(d.p->counts.samples, 0);
    use(&d, &g, 1, 0, 1120, 0.5);
    use(&d, &g, 1, 0, 14 * US, 0.5);
    block_phases_settle(d.p);
    assert_int_equal(d.p->counts.samples, 15);
    arena_fini(&d.arena);
}

static double executes(struct desk *d, const struct grid_source *g, u64 number, u64 a, u64 b, u64 c)
{
    const u64 executed[] = {a, b, c};
    block_phases_kernel(d->p, g, number);
    for (u64 i = 0; i < g->blocks; i++) {
        struct block_view v = {.grid = g, .launch = number, .block = i};
        struct use_counts none = {0}, all = {.thread_instructions = executed[i]};
        block_phases_used(d->p, &v, &none, &all);
    }
    return block_phases_kernel_ended(d->p, g);
}

TEST(blocks_are_compared_with_those_of_the_launch_before)
{
    UNUSED_STATE;
    struct desk d;
    struct grid_source g = {.name = "k", .blocks = 3}, other = {.name = "other", .blocks = 3};
    desk_open(&d);
    assert_true(isnan(executes(&d, &g, 1, 10, 20, 30))); /* there is none before */
    assert_true(fabs(executes(&d, &g, 2, 200, 400, 600) - 1) < 1e-9);
    assert_true(isnan(executes(&d, &other, 3, 3, 2, 1))); /* another kernel */
    assert_true(fabs(executes(&d, &g, 4, 3, 2, 1) + 1) < 1e-9);
    assert_true(isnan(executes(&d, &g, 5, 7, 7, 7))); /* all are equal */
    assert_int_equal(d.p->counts.compared, 6);
    assert_int_equal(d.p->counts.likeness, 3000000); /* three blocks at 1, three at -1 */
    arena_fini(&d.arena);
}

/* (1,1) (2,3) (3,2) (4,4): covariance 4 of variance 5 each. */
TEST(a_correlation_is_the_covariance_of_the_deviations)
{
    UNUSED_STATE;
    struct phase_pairs p = {0};
    double r = 9;
    pairs_add(&p, 1, 1);
    assert_false(pairs_correlation(&p, &r));
    pairs_add(&p, 2, 3);
    pairs_add(&p, 3, 2);
    pairs_add(&p, 4, 4);
    assert_true(pairs_correlation(&p, &r));
    assert_true(fabs(r - 0.8) < 1e-12);
}

RUN_TESTS(T(a_phase_goes_on_over_the_launches_of_a_stream),
          T(parts_of_a_microsecond_are_put_together),
          T(blocks_are_compared_with_those_of_the_launch_before),
          T(a_correlation_is_the_covariance_of_the_deviations))

/* Programs that run at the same time: SMs of their own, address spaces, turns, an early end. */
#include "gpu/script.h"
#include "gpu/spy.h"

static const struct scripted_instruction nap[] = {ALU(1, 0), SLEEP(2000), EXIT()};
static const struct scripted_instruction one_load[] = {LOAD(1, 1 * MIB), ALU(2, 1), EXIT()};

static void open_two(struct bed *b, const char *const *sets)
{
    struct engine_options options = {.watchdog_cycles = 1000000};
    bed_build_mix(b, "fermi15", sets, &options, 2);
    engine_start(&b->sim.engine);
}

/* Watched; launched for an application. */
static void launch(struct bed *b, struct spy *s, const struct scripted_kernel *k, u8 application)
{
    struct grid_source g = spy_on(s, b, scripted_source(k, &b->scripts), 16);
    g.application = application;
    bed_launch_source(b, &g);
}

TEST(blocks_go_to_the_sms_of_their_application_alone)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=6", NULL};
    struct bed b;
    struct spy s[2];
    open_two(&b, sets);
    dispatcher_place(&b.gpu->cluster.dispatcher, 0, (struct sm_range){0, 2});
    dispatcher_place(&b.gpu->cluster.dispatcher, 1, (struct sm_range){2, 6});
    struct scripted_kernel k = KERNEL(nap, 32, .blocks = 24);
    launch(&b, &s[0], &k, 0);
    launch(&b, &s[1], &k, 1);
    bed_run(&b);
    for (u32 i = 0; i < 24; i++) {
        assert_true(s[0].starts[i].sm < 2);
        assert_true(s[1].starts[i].sm >= 2);
    }
    /* 16 places for 24 blocks on two SMs; on four all have room at once */
    assert_true(b.gpu->records[0].application == 1);
    assert_true(b.gpu->records[0].ended < 2 * 2000);
    assert_true(b.gpu->records[1].ended > 2 * 2000);
    bed_close(&b);
}

TEST(grids_of_one_stream_number_overlap_when_they_are_of_two_applications)
{
    UNUSED_STATE;
    struct bed b;
    struct spy s[2];
    open_two(&b, NULL);
    struct scripted_kernel k = KERNEL(nap, 32, .blocks = 4, .stream = 7);
    launch(&b, &s[0], &k, 0);
    launch(&b, &s[1], &k, 1);
    bed_run(&b);
    assert_true(b.gpu->records[1].started < b.gpu->records[0].ended);
    bed_close(&b);
}

/* The second kernel reads the line that the first has brought, on another SM. */
static double misses_of_two(u8 second)
{
    struct bed b;
    struct spy s[2];
    open_two(&b, NULL);
    dispatcher_place(&b.gpu->cluster.dispatcher, 0, (struct sm_range){0, 1});
    dispatcher_place(&b.gpu->cluster.dispatcher, 1, (struct sm_range){1, 2});
    struct scripted_kernel k = KERNEL(one_load, 32);
    launch(&b, &s[0], &k, 0);
    bed_run(&b);
    launch(&b, &s[1], &k, second);
    bed_run(&b);
    machine_settle_applications(b.machine);
    double misses = bed_stat(&b, "l2.load_misses");
    assert_int_equal(bed_stat(&b, "application0.dram_read_bytes") +
                         bed_stat(&b, "application1.dram_read_bytes"),
                     bed_stat(&b, "dram.bytes_read"));
    assert_int_equal(bed_stat(&b, "application.l2_accesses"), bed_stat(&b, "l2.accesses"));
    assert_int_equal(bed_stat(&b, "application1.warp_instructions"), second ? 3 : 0);
    bed_close(&b);
    return misses;
}

/* A line of data and one of code each. */
TEST(the_same_addresses_of_two_applications_are_different_lines)
{
    UNUSED_STATE;
    double same = misses_of_two(0), different = misses_of_two(1);
    assert_true(different == 2 * same);
}

TEST(applications_that_share_an_sm_have_half_of_its_blocks_each)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=1", NULL};
    struct bed b;
    struct spy s[2];
    open_two(&b, sets);
    struct scripted_kernel k = KERNEL(nap, 32, .blocks = 16);
    launch(&b, &s[0], &k, 0);
    launch(&b, &s[1], &k, 1);
    bed_run(&b);
    for (u32 a = 0; a < 2; a++) {
        /* eight places: blocks 0 to 3 at once, the fifth when the first has ended */
        assert_true(s[a].starts[3].began < 100);
        assert_true(s[a].starts[4].began >= 2000);
    }
    bed_close(&b);
}

/* Blocks of 6 warps, eight at a time, fill the SM; after its first kernel (one warp for 2,000
 * cycles) the other application wants 32 warps at once. The first have ended by 2,100 and are not
 * followed by others until it has got them. */
TEST(large_blocks_are_not_kept_out_by_small_ones)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=1", NULL};
    struct bed b;
    struct spy s[3];
    open_two(&b, sets);
    struct scripted_kernel small = KERNEL(nap, 192, .blocks = 64);
    struct scripted_kernel single = KERNEL(nap, 32), large = KERNEL(nap, 1024);
    launch(&b, &s[0], &small, 0);
    launch(&b, &s[1], &single, 1);
    launch(&b, &s[2], &large, 1);
    bed_run(&b);
    assert_true(s[2].starts[0].began < 2 * 2000 + 500);
    assert_true(s[0].starts[63].began > s[2].starts[0].ended);
    bed_close(&b);
}

TEST(a_cut_ends_grids_with_the_blocks_that_run)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=1", NULL};
    struct bed b;
    struct spy s[3];
    open_two(&b, sets);
    struct scripted_kernel k = KERNEL(nap, 32, .blocks = 100);
    struct scripted_kernel single = KERNEL(nap, 32, .stream = 5);
    launch(&b, &s[0], &k, 0);      /* it runs */
    launch(&b, &s[1], &k, 0);      /* it waits for the first */
    launch(&b, &s[2], &single, 1); /* its end stops the engine */
    b.gpu->cluster.dispatcher.stop_at_each = true;
    assert_int_equal(engine_run(&b.sim.engine), ENGINE_STOPPED);
    assert_false(dispatcher_is_idle(&b.gpu->cluster.dispatcher));
    dispatcher_cut(&b.gpu->cluster.dispatcher);
    while (!dispatcher_is_idle(&b.gpu->cluster.dispatcher))
        assert_int_equal(engine_run(&b.sim.engine), ENGINE_STOPPED);
    engine_finish(&b.sim.engine);
    bed_run(&b);
    assert_true(s[0].start_count >= 7 && s[0].start_count < 20);
    assert_int_equal(s[1].start_count, 0);
    assert_int_equal(b.gpu->record_count, 1); /* of the whole one */
    bed_close(&b);
}

RUN_TESTS(T(blocks_go_to_the_sms_of_their_application_alone),
          T(grids_of_one_stream_number_overlap_when_they_are_of_two_applications),
          T(the_same_addresses_of_two_applications_are_different_lines),
          T(applications_that_share_an_sm_have_half_of_its_blocks_each),
          T(large_blocks_are_not_kept_out_by_small_ones),
          T(a_cut_ends_grids_with_the_blocks_that_run))

/* The GREEN cache on a whole chip: resizing by regions, with and without the rest. */
#include "gpu/bed.h"
#include "gpu/script.h"

#define A 0x10000000u /* streamed, 16 MiB */
#define B 0x20000000u /* 1 MiB */

static const struct region_list regions = {.at = {{A, 16 * MIB}, {B, 1 * MIB}}, .count = 2};
static const struct region_list small = {.at = {{B, 1 * MIB}}, .count = 1};

static const struct scripted_instruction streaming[] = {
    LOAD(1, A, .warp_stride = 128, .iteration_stride = 1024),
    LOAD(2, B, .warp_stride = 128),
    STORE(B + 65536, .warp_stride = 128),
    ALU(3, 1),
    ALU(3, 2),
};

struct outcome {
    cycle_t cycles;
    u64 l1_hits, l2_hits, l2_accesses, dram_read;
};

static void launch(struct bed *b, const struct region_list *list, u32 iterations, u8 application)
{
    struct scripted_kernel k = {.code = streaming,
                                .count = ARRAY_LEN(streaming),
                                .threads_per_block = 256,
                                .iterations = iterations};
    struct grid_source s = scripted_source(&k, &b->scripts);
    s.regions = list;
    s.application = application;
    bed_launch_source(b, &s);
}

static struct outcome outcome_of(struct bed *b)
{
    return (struct outcome){.cycles = engine_cycle(&b->sim.engine, 0),
                            .l1_hits = (u64)bed_stat(b, "sm.l1.hits"),
                            .l2_hits = (u64)bed_stat(b, "l2.hits"),
                            .l2_accesses = (u64)bed_stat(b, "l2.accesses"),
                            .dram_read = (u64)bed_stat(b, "dram.bytes_read")};
}

#define ITERATIONS 300u
#define SHORT_TRAINING "regions.training_cycles=10000", "regions.min_accesses=200"

/* One kernel, or the same for each of two programs; the bed stays open. */
static struct outcome run(struct bed *b, const char *const *sets, const struct region_list *list,
                          u32 programs, bool no_skip)
{
    struct engine_options options = {.watchdog_cycles = 1000000, .no_skip = no_skip};
    bed_build_mix(b, "green12", sets, &options, programs);
    engine_start(&b->sim.engine);
    for (u32 i = 0; i < (programs ? programs : 1); i++)
        launch(b, list, ITERATIONS + i * 50, (u8)i);
    bed_run(b);
    machine_settle(b->machine);
    return outcome_of(b);
}

TEST(ways_follow_the_regions_at_launch_and_what_goes_past_after_training)
{
    UNUSED_STATE;
    struct bed b;
    run(&b, (const char *[]){"regions.mode=bypass", "l2.policy=racr", SHORT_TRAINING, NULL},
        &regions, 0, false);
    assert_near(bed_stat(&b, "plan.ways_on"), 4, 0);    /* B alone: 1 of 4 MiB */
    assert_near(bed_stat(&b, "l2.ways.shrinks"), 8, 0); /* each bank once */
    double active = bed_stat(&b, "l2.ways.active_percent");
    assert_true(active > 25 && active < 100);
    bed_close(&b);
    run(&b, (const char *[]){"regions.count=true", "l2.policy=racr", NULL}, &small, 0, false);
    assert_near(bed_stat(&b, "plan.ways_on"), 4, 0);
    assert_near(bed_stat(&b, "l2.ways.active_percent"), 25, 1);          /* all along */
    assert_int_equal(b.gpu->cluster.regions.first->all[0].bypass_l1, 0); /* no request is marked */
    assert_int_equal(b.gpu->cluster.regions.first->bypass_l2, 0);
    bed_close(&b);
}

/* B is hit all the time, and yet goes past: every region that missed L1 does. */
TEST(with_thresholds_above_100_percent_one_way_is_left)
{
    UNUSED_STATE;
    struct bed b;
    run(&b,
        (const char *[]){"regions.mode=bypass", "l2.policy=racr", "regions.l1_percent=101",
                         "regions.l2_percent=101", "regions.training_cycles=10000",
                         "regions.min_accesses=0", NULL},
        &regions, 0, false);
    const struct region_record *r = b.gpu->cluster.regions.first;
    assert_int_equal(r->bypass_l1, 3);
    assert_int_equal(r->bypass_l2, 3);
    assert_near(bed_stat(&b, "plan.ways_on"), 1, 0);
    bed_close(&b);
}

/* Leakage is power times time times the part that was on. */
TEST(l2_leaks_for_as_long_as_its_ways_are_on)
{
    UNUSED_STATE;
    struct bed b;
    run(&b, (const char *[]){"regions.mode=bypass", "l2.policy=racr", SHORT_TRAINING, NULL},
        &regions, 0, false);
    const struct energy_meter *m = &b.machine->meter;
    double seconds = (double)m->stats.time_fs * 1e-15;
    double whole = m->rates.watts[STATIC_L2] * m->rates.instances[STATIC_L2] * seconds * 1e12;
    double on = bed_stat(&b, "l2.ways.active_percent") / 100;
    assert_near((double)m->stats.static_pj[STATIC_L2] / whole, on, 0.002);
    assert_near((double)m->stats.static_pj[STATIC_SM] /
                    (m->rates.watts[STATIC_SM] * m->rates.instances[STATIC_SM] * seconds * 1e12),
                1, 1e-6);
    bed_close(&b);
}

TEST(without_resizing_no_way_goes_off)
{
    UNUSED_STATE;
    struct bed b;
    run(&b, (const char *[]){"regions.mode=bypass", "l2.policy=split", SHORT_TRAINING, NULL},
        &regions, 0, false);
    assert_near(bed_stat(&b, "l2.ways.active_percent"), 100, 0);
    bed_close(&b);
}

TEST(a_kernel_shorter_than_its_training_is_resized_by_its_launch_alone)
{
    UNUSED_STATE;
    struct bed b;
    struct outcome base = run(&b, (const char *[]){"regions.count=true", NULL}, &small, 0, false);
    bed_close(&b);
    struct outcome bypass = run(&b,
                                (const char *[]){"regions.mode=bypass", "l2.policy=racr",
                                                 "policy.llc.racr.by=bypass", NULL},
                                &small, 0, false);
    assert_memory_equal(&base, &bypass, sizeof base);
    assert_near(bed_stat(&b, "l2.ways.shrinks"), 0, 0);
    bed_close(&b);
    struct outcome naive = run(
        &b,
        (const char *[]){"regions.mode=bypass", "l2.policy=racr", "policy.llc.racr.by=naive", NULL},
        &small, 0, false);
    bed_close(&b);
    struct outcome both =
        run(&b, (const char *[]){"regions.mode=bypass", "l2.policy=racr", NULL}, &small, 0, false);
    assert_memory_equal(&naive, &both, sizeof naive);
    bed_close(&b);
}

/* U_R and R_R: with nothing that goes past they are UCP and RRIP. */
TEST(with_nothing_to_keep_out_regions_change_no_other_policy)
{
    UNUSED_STATE;
    static const char *const policies[] = {"l2.policy=ucp", "l2.replacement=drrip"};
    for (u32 i = 0; i < 2; i++) {
        struct bed b;
        struct outcome alone =
            run(&b, (const char *[]){policies[i], "policy.llc.ucp.interval=5000", NULL}, &regions,
                2, false);
        bed_close(&b);
        struct outcome with = run(&b,
                                  (const char *[]){policies[i], "policy.llc.ucp.interval=5000",
                                                   "regions.mode=bypass", "regions.l1_percent=0",
                                                   "regions.l2_percent=0", SHORT_TRAINING, NULL},
                                  &regions, 2, false);
        assert_memory_equal(&alone, &with, sizeof alone);
        bed_close(&b);
    }
}

/* Each bank: the first eight ways hold lines of the first program alone, the others of the second.
 */
TEST(no_line_of_a_program_lies_in_a_way_of_another)
{
    UNUSED_STATE;
    struct bed b;
    run(&b, (const char *[]){"l2.policy=split", "l2.size_bytes=128KiB", NULL}, &regions, 2, false);
    u32 lines[2] = {0};
    for (u32 i = 0; i < b.gpu->memory->bank_count; i++) {
        const struct tags *t = &b.gpu->memory->banks[i].cache.tags;
        for (u32 set = 0; set < t->sets; set++) {
            for (u32 way = 0; way < t->ways; way++) {
                if (tags_line(t, set, way)->state != LINE_VALID)
                    continue;
                assert_int_equal(application_of(tags_address(t, set, way)), way >= 8);
                lines[way >= 8]++;
            }
        }
    }
    assert_true(lines[0] > 500 && lines[1] > 500); /* of 1,024 each */
    bed_close(&b);
}

TEST(one_program_alone_has_all_ways_of_a_partition)
{
    UNUSED_STATE;
    struct bed b;
    struct outcome base = run(&b, NULL, &regions, 0, false);
    bed_close(&b);
    static const char *const policies[] = {"l2.policy=split", "l2.policy=ucp"};
    for (u32 i = 0; i < 2; i++) {
        struct outcome o = run(&b, (const char *[]){policies[i], NULL}, &regions, 0, false);
        assert_memory_equal(&base, &o, sizeof base);
        bed_close(&b);
    }
}

TEST(ticking_every_cycle_changes_nothing)
{
    UNUSED_STATE;
    const char *sets[][8] = {
        {"regions.mode=bypass", "l2.policy=racr", SHORT_TRAINING, NULL},
        {"regions.mode=bypass", "l2.policy=gpar", SHORT_TRAINING, NULL},
        {"regions.mode=bypass", "l2.policy=racr", SHORT_TRAINING, "l2.flush=lazy", NULL},
        {"l2.policy=ucp", "policy.llc.ucp.interval=3000", NULL}};
    for (u32 i = 0; i < ARRAY_LEN(sets); i++) {
        struct bed b;
        struct outcome skips = run(&b, sets[i], &regions, 2, false);
        double gated = bed_stat(&b, "l2.ways.gated_way_cycles");
        double busy = bed_stat(&b, "l2.ways.resize_cycles");
        bed_close(&b);
        struct outcome ticks = run(&b, sets[i], &regions, 2, true);
        assert_memory_equal(&skips, &ticks, sizeof skips);
        assert_near(bed_stat(&b, "l2.ways.gated_way_cycles"), gated, 0);
        assert_near(bed_stat(&b, "l2.ways.resize_cycles"), busy, 0);
        bed_close(&b);
    }
}

RUN_TESTS(T(ways_follow_the_regions_at_launch_and_what_goes_past_after_training),
          T(with_thresholds_above_100_percent_one_way_is_left),
          T(l2_leaks_for_as_long_as_its_ways_are_on), T(without_resizing_no_way_goes_off),
          T(a_kernel_shorter_than_its_training_is_resized_by_its_launch_alone),
          T(with_nothing_to_keep_out_regions_change_no_other_policy),
          T(no_line_of_a_program_lies_in_a_way_of_another),
          T(one_program_alone_has_all_ways_of_a_partition), T(ticking_every_cycle_changes_nothing))

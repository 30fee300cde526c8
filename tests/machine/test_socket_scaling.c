/* Several sockets against one GPU and against one that has so many times everything
 * (hpc-cores-and-numa-gpu spec 5: "Runtime / NUMA" 1, 3 and 5, "Dynamic links" 1 and 4, "Cache
 * partitioning" 5). */
#include "gpu/statistics_text.h"

#include "machine/gpu_device.h"
#include "source/synthetic/kernel.h"

/* Every warp goes over a part of memory of its own, again and again or once. */
struct sweeps {
    u64 blocks, footprint_bytes, loads;
};

static struct grid_source source_of(const struct sweeps *s, struct bed *b)
{
    static struct synthetic_phase phase;
    struct synthetic_kernel k = synthetic_kernel_initial();
    phase = synthetic_phase_initial();
    phase.instructions = 2 * s->loads;
    phase.mix = (struct synthetic_mix){.integer = 1, .load = 1};
    phase.access.stream = 0;
    phase.access.private_reuse = 1;
    phase.access.footprint_bytes = s->footprint_bytes;
    k.blocks = s->blocks;
    k.threads_per_block = 128;
    k.phases = &phase;
    k.phase_count = 1;
    return synthetic_source(&k, 3, &b->scripts);
}

/* A unit that looks on in every cycle. */
struct watcher {
    struct bed *bed;
    u32 most_moved;
    u64 turns[4];
};

static cycle_t watch_lanes(void *self, cycle_t now)
{
    struct watcher *w = self;
    struct sockets *s = w->bed->machine->sockets;
    for (u32 i = 0; i < 4; i++) {
        u32 out = link_lanes(&s->link, i, LINK_EGRESS, now);
        u32 in = link_lanes(&s->link, i, LINK_INGRESS, now), turning = 0;
        for (u32 k = 0; k < s->link.lanes; k++)
            turning += s->link.socket[i].lanes[k].usable > now;
        assert_int_equal(out + in + turning, 16);
        assert_true(out >= 1 && in >= 1 && turning <= 1);
        if (now == 0)
            assert_true(out == 8 && in == 8);
        w->most_moved = (u32)max_u64(w->most_moved, out > in ? out - 8 : in - 8);
    }
    return now + 1;
}

/* How long it takes; all statistics in `text` where that is not NULL. */
static u64 run_sets(const struct sweeps *s, const char *chip, const char *const *sets, char **text,
                    struct watcher *w)
{
    static const struct engine_options plain = {.watchdog_cycles = 1000000};
    struct bed b;
    struct gpu_device device;
    struct grid_run done;
    struct err err = ERR_INIT;
    bed_build(&b, chip, sets, &plain);
    assert_true(gpu_device_init(&device, b.machine, ""));
    b.gpu = device.gpus[0];
    if (w) {
        w->bed = &b;
        engine_set_background(&b.sim.engine,
                              engine_add_unit(&b.sim.engine, 0, "watcher", watch_lanes, w));
    }
    engine_start(&b.sim.engine);
    struct grid_source source = source_of(s, &b);
    if (!gpu_device_launch(&device, &source, 7, &err))
        bed_fail(&err);
    while (!gpu_device_take_ended(&device, &done))
        assert_int_equal(engine_run(&b.sim.engine), ENGINE_STOPPED);
    u64 fs = b.sim.engine.now_fs;
    machine_settle(b.machine);
    if (!stats_check_laws(&b.sim.stats, &err))
        bed_fail(&err);
    for (u32 i = 0; w && i < 4; i++)
        w->turns[i] = b.machine->sockets->link.socket[i].counts.turns;
    if (text)
        *text = all_statistics(&b);
    bed_close(&b);
    return fs;
}

/* ---- runtime ---- */

TEST(one_socket_of_the_large_machine_is_the_plain_gpu_statistic_by_statistic)
{
    UNUSED_STATE;
    static const char *const plain[] = {"sm.count=4", NULL};
    static const char *const single[] = {"sm.count=4",
                                         "sockets.count=1",
                                         "sockets.blocks=interleaved",
                                         "sockets.home=round_robin",
                                         "sockets.link.dynamic=true",
                                         "sockets.cache.organisation=partitioned",
                                         NULL};
    struct sweeps s = {.blocks = 32, .footprint_bytes = 16384, .loads = 200};
    char *a, *b;
    assert_int_equal(run_sets(&s, "pascal64", plain, &a, NULL),
                     run_sets(&s, "pascal64x4", single, &b, NULL));
    assert_same(a, b, "one socket");
    free(a);
    free(b);
}

/* Each warp reads a page of its own once: nothing that a larger cache could keep, and nothing that
 * is another socket's. Memories of their own queue a little less than one of four times the
 * channels: 2.7 %. */
TEST(private_pages_scale_with_the_sockets_and_not_beyond_a_gpu_of_so_many_times_everything)
{
    UNUSED_STATE;
    static const char *const one[] = {"sm.count=4",
                                      "dram.channels=4",
                                      "l2.size_bytes=512KiB",
                                      "sockets.fault_cycles=0",
                                      "sm.warp_policy=gto", /* or warps take each other's lines */
                                      NULL};
    static const char *const four[] = {"sm.count=16", "dram.channels=16", "l2.size_bytes=2MiB",
                                       "sm.warp_policy=gto", NULL};
    struct sweeps s = {.blocks = 256, .footprint_bytes = 65536, .loads = 200};
    u64 alone = run_sets(&s, "pascal64", one, NULL, NULL);
    u64 sockets = run_sets(&s, "pascal64x4", one, NULL, NULL);
    u64 times = run_sets(&s, "pascal64", four, NULL, NULL);
    double scaling = (double)alone / (double)sockets;
    assert_true(scaling > 3.5 && scaling < 4.1);
    assert_true((double)times <= 1.03 * (double)sockets);
}

/* ---- links ---- */

/* Blocks that go round read pages that belong to whoever touched them first. */
#define TRAFFIC                                                                                    \
    "sm.count=4", "sm.l1.enabled=false", "l2.size_bytes=512KiB", "dram.channels=4",                \
        "sockets.blocks=interleaved", "sockets.link.lane_bytes=1"

TEST(lanes_always_add_up_each_side_keeps_one_and_one_turns_at_a_time)
{
    UNUSED_STATE;
    static const char *const sets[] = {TRAFFIC, "sockets.page_bytes=1MiB",
                                       "sockets.link.dynamic=true",
                                       "sockets.link.sample_cycles=400", NULL};
    struct sweeps s = {.blocks = 16, .footprint_bytes = 16384, .loads = 300};
    struct watcher w = {0};
    run_sets(&s, "pascal64x4", sets, NULL, &w);
    assert_true(w.turns[0] + w.turns[1] + w.turns[2] + w.turns[3] > 4);
    assert_in_range(w.most_moved, 2, 7);
}

TEST(samples_longer_than_the_kernel_leave_it_as_it_is_with_lanes_that_stay)
{
    UNUSED_STATE;
    static const char *const stay[] = {TRAFFIC, "sockets.page_bytes=1MiB", NULL};
    static const char *const turn[] = {TRAFFIC, "sockets.page_bytes=1MiB",
                                       "sockets.link.dynamic=true",
                                       "sockets.link.sample_cycles=1000000000", NULL};
    struct sweeps s = {.blocks = 16, .footprint_bytes = 16384, .loads = 100};
    char *a, *b;
    assert_int_equal(run_sets(&s, "pascal64x4", stay, &a, NULL),
                     run_sets(&s, "pascal64x4", turn, &b, NULL));
    assert_same(a, b, "long samples");
    free(a);
    free(b);
}

/* ---- caches ---- */

/* 192 KB of a socket's own in an L2 of 256 KB, over and over: half of it does not hold them, and
 * DRAM is what it waits for. */
#define REUSED                                                                                     \
    "sm.count=2", "sm.l1.enabled=false", "l2.size_bytes=256KiB", "dram.channels=1",                \
        "dram.bus_bits=32", "sockets.page_bytes=4KiB",                                             \
        "sockets.cache.partition.sample_cycles=1000"

TEST(private_data_wants_all_ways_and_a_partition_that_moves_gives_them_back)
{
    UNUSED_STATE;
    static const char *const sets[][16] = {
        {REUSED, "sockets.cache.organisation=memory_side", NULL},
        {REUSED, "sockets.cache.organisation=static", NULL},
        {REUSED, "sockets.cache.organisation=partitioned", NULL}};
    struct sweeps s = {.blocks = 16, .footprint_bytes = 12288, .loads = 1200};
    u64 fs[3];
    for (u32 i = 0; i < 3; i++)
        fs[i] = run_sets(&s, "pascal64x4", sets[i], NULL, NULL);
    assert_true((double)fs[1] > 1.5 * (double)fs[0]); /* static misses all the time */
    assert_true((double)fs[2] < 0.8 * (double)fs[1]); /* this one for some samples */
}

RUN_TESTS(T(one_socket_of_the_large_machine_is_the_plain_gpu_statistic_by_statistic),
          T(private_pages_scale_with_the_sockets_and_not_beyond_a_gpu_of_so_many_times_everything),
          T(lanes_always_add_up_each_side_keeps_one_and_one_turns_at_a_time),
          T(samples_longer_than_the_kernel_leave_it_as_it_is_with_lanes_that_stay),
          T(private_data_wants_all_ways_and_a_partition_that_moves_gives_them_back))

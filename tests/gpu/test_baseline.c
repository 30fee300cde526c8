/* Checks B1, B2, B4 and B5 of the bandwidth-and-ccn spec: latencies, bandwidths, coalescing
 * and what stores do to lines, on the Fermi-class chip. */
#include "gpu/script.h"
#include "gpu/spy.h"

#define CORE_HZ 1.4e9
#define DRAM_HZ 924e6

static double seconds(const struct bed *b)
{
    return (double)b->sim.engine.now_fs / FS_PER_SECOND;
}

/* ---- B1: latencies without load ------------------------------------------------------------- */

/* One warp goes from line to line, each load waiting for the one before. */
static const struct scripted_instruction chase[] = {
    LOAD(1, 16 * MIB, .src0 = 1, .iteration_stride = 128),
};
#define CHASE_LINES 512u /* 64 KB: four times the L1, a twelfth of the L2 */

struct latencies {
    double miss, l2_hit, dram_read;
};

/* The first time over the lines comes from DRAM, the second from L2; L1 is swept in LRU order
 * and never hits. */
static struct latencies chase_latencies(const char *const *sets)
{
    struct bed b;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(chase, 32, .iterations = CHASE_LINES);
    bed_launch(&b, &k);
    bed_run(&b);
    struct latencies l = {.miss = bed_stat(&b, "sm.l1.miss_latency"),
                          .dram_read = bed_stat(&b, "dram.read_latency")};
    assert_int_equal((u64)bed_stat(&b, "sm.l1.l2_hits"), 0);
    bed_launch(&b, &k);
    bed_run(&b);
    assert_int_equal((u64)bed_stat(&b, "sm.l1.hits"), 0);
    assert_int_equal((u64)bed_stat(&b, "sm.l1.l2_hits"), CHASE_LINES);
    l.l2_hit = bed_stat(&b, "sm.l1.l2_hit_latency");
    bed_close(&b);
    return l;
}

TEST(an_l2_hit_takes_120_cycles_and_a_miss_100_more_and_the_time_of_dram)
{
    UNUSED_STATE;
    struct latencies l = chase_latencies(NULL);
    assert_near(l.l2_hit, 120, 6);
    /* A lone read: CL 12, the second burst CCDL 3 after the first and 2 clocks long: 17 with an
     * open row, RCD 12 more after an activate, RP 12 more after a precharge. */
    assert_true(l.dram_read >= 17 && l.dram_read <= 41);
    double expected = 120 + 100 + l.dram_read * CORE_HZ / DRAM_HZ;
    assert_near(l.miss, expected, 0.05 * expected);
}

TEST(the_pipes_of_l2_and_dram_add_their_cycles_to_what_passes_them)
{
    UNUSED_STATE;
    const char *l2[] = {"l2.pipe_cycles=197", NULL}, *dram[] = {"dram.pipe_cycles=200", NULL};
    struct latencies plain = chase_latencies(NULL), slow_l2 = chase_latencies(l2),
                     slow_dram = chase_latencies(dram);
    /* 100 core cycles each, to the nearest cycle of the other clock and back */
    assert_near(slow_l2.l2_hit - plain.l2_hit, 100, 2);
    assert_near(slow_l2.miss - plain.miss, 100, 3);
    assert_near(slow_dram.miss - plain.miss, 100, 3);
    assert_near(slow_dram.l2_hit - plain.l2_hit, 0, 1e-9);
}

static cycle_t hit_to_hit(const char *const *sets)
{
    static const struct scripted_instruction code[] = {
        LOAD(1, 16 * MIB), LOAD(1, 16 * MIB, .src0 = 1), LOAD(1, 16 * MIB, .src0 = 1),
        LOAD(1, 16 * MIB, .src0 = 1), EXIT()};
    struct bed b;
    struct spy s;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(code, 32);
    spy_run(&s, &b, &k);
    assert_int_equal((u64)bed_stat(&b, "sm.l1.hits"), 3);
    cycle_t first = spy_cycle(&s, 0, 2, 0) - spy_cycle(&s, 0, 1, 0);
    assert_int_equal(spy_cycle(&s, 0, 3, 0) - spy_cycle(&s, 0, 2, 0), first);
    bed_close(&b);
    return first;
}

TEST(an_l1_hit_takes_its_own_cycles_whatever_lies_below)
{
    UNUSED_STATE;
    const char *below[] = {"l2.pipe_cycles=300", "dram.pipe_cycles=500", NULL};
    const char *slow[] = {"sm.l1.hit_cycles=33", NULL};
    /* It looks up L1 in the cycle after its issue, and its result is there hit_cycles later. */
    assert_int_equal(hit_to_hit(NULL), 1 + 20);
    assert_int_equal(hit_to_hit(below), 1 + 20);
    assert_int_equal(hit_to_hit(slow), 1 + 33);
}

/* ---- B2: bandwidths ------------------------------------------------------------------------- */

/*
 * All warps of the chip, 15 SMs x 6 blocks x 8 warps, read two sequences of lines, one with the
 * lower half of each block and one with the upper. Of a channel's bytes (address / 256 mod 6),
 * chunks of 256 go to two banks in turn; a row has 4096, so the next pair of banks follows after
 * 2 x 4096 x 6 = 48 KiB, the next of the four bank groups after 96 KiB, and the first after
 * 384 KiB. The sequences stay one group apart and advance row by row: nearly all row hits.
 */
#define STREAM_BLOCKS 90u
#define STREAM_TURN (STREAM_BLOCKS * 4u * 128u)
#define GROUP_APART (100u * 384u * KIB + 96u * KIB)
#define STREAM_HALF(at, half)                                                                      \
    LOAD(1, at, .src0 = 1, .warp_stride = 128, .block_stride = 4 * 128,                            \
         .iteration_stride = STREAM_TURN, .warps = (half))
static const struct scripted_instruction stream[] = {
    STREAM_HALF(48 * MIB, 0x0f),
    STREAM_HALF(48 * MIB + GROUP_APART - 4 * 128, 0xf0),
};

struct rate {
    double bytes_per_second, peak;
    double efficiency, row_hits;
};

/* Bytes of lines that DRAM moves, from start to end. */
static struct rate dram_rate(const char *const *sets)
{
    struct bed b;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(stream, 256, .blocks = STREAM_BLOCKS, .iterations = 64);
    bed_launch(&b, &k);
    bed_run(&b);
    struct rate r = {.bytes_per_second = bed_stat(&b, "dram.bytes_read") / seconds(&b),
                     .peak = gpu_peak_dram(b.gpu),
                     .efficiency = bed_stat(&b, "dram.efficiency"),
                     .row_hits = bed_stat(&b, "dram.row_hit_rate")};
    bed_close(&b);
    return r;
}

/* Nothing but DRAM is in the way: replies of one flit, ports of a line, warps that keep step. */
#define DRAM_ONLY "network.reply.flit_bytes=136", "l2.port_bytes=128", "sm.warp_policy=lrr"

TEST(a_stream_of_row_hits_over_two_bank_groups_comes_within_15_percent_of_the_pins)
{
    UNUSED_STATE;
    const char *sets[] = {DRAM_ONLY, NULL};
    struct rate r = dram_rate(sets);
    assert_near(r.peak, 48 * 4 * DRAM_HZ, 1); /* 177.4 GB/s */
    assert_true(r.bytes_per_second <= r.peak);
    assert_true(r.bytes_per_second >= 0.85 * r.peak);
    assert_true(r.efficiency >= 0.95);
}

/* Were all banks in one group, every burst would come CCDL 3 after the last and not CCD 2. */
TEST(a_stream_of_row_hits_in_one_bank_group_uses_two_thirds_of_the_bus)
{
    UNUSED_STATE;
    const char *sets[] = {DRAM_ONLY, "dram.bank_groups=1", NULL};
    struct rate r = dram_rate(sets);
    assert_near(r.efficiency, 2.0 / 3, 0.02);
    assert_near(r.bytes_per_second / r.peak, 2.0 / 3, 0.05);
}

TEST(no_stream_exceeds_the_pins)
{
    UNUSED_STATE;
    const char *const configurations[][4] = {
        {NULL},
        {"sm.warp_policy=lrr", "sm.l1.mshrs=128", NULL},
        {"dram.queue_entries=64", "dram.banks=64", "dram.bank_groups=16", NULL},
        {"l2.clock_hz=2.8GHz", "sm.l1.mshrs=128", NULL},
    };
    for (u32 i = 0; i < ARRAY_LEN(configurations); i++) {
        struct rate r = dram_rate(configurations[i]);
        assert_near(r.peak, 48 * 4 * DRAM_HZ, 1);
        assert_true(r.bytes_per_second <= r.peak);
        assert_true(r.efficiency <= 1);
    }
}

TEST(half_the_dram_bus_moves_half_the_stream)
{
    UNUSED_STATE;
    const char *whole[] = {DRAM_ONLY, NULL}, *half[] = {DRAM_ONLY, "dram.bus_bits=32", NULL};
    double ratio = dram_rate(whole).bytes_per_second / dram_rate(half).bytes_per_second;
    assert_near(ratio, 2, 0.1);
}

/* 512 KiB that the L2 holds, read past the L1 line by line in random order. */
static struct synthetic_phase resident(u64 loads)
{
    struct synthetic_phase p = synthetic_phase_initial();
    p.instructions = loads;
    p.dependence_distance = 0;
    p.mix.load = 1;
    p.access.random = 1;
    p.access.footprint_bytes = 512 * KIB;
    p.access.cache_operator = CACHE_GLOBAL;
    return p;
}

static void run_resident(struct bed *b, u64 loads)
{
    struct synthetic_phase p = resident(loads);
    struct synthetic_kernel k = synthetic_kernel_initial();
    k.blocks = STREAM_BLOCKS;
    k.registers_per_thread = 16;
    k.phases = &p;
    k.phase_count = 1;
    bed_launch_synthetic(b, &k, 1);
    bed_run(b);
}

/* Bytes of lines per second that the L2 gives once they are there. */
static double l2_rate(const char *const *sets)
{
    struct bed b;
    bed_open(&b, "fermi15", sets);
    run_resident(&b, 64);
    double start = seconds(&b), misses = bed_stat(&b, "l2.misses"),
           before = bed_stat(&b, "l2.load_hits");
    run_resident(&b, 128);
    assert_near(bed_stat(&b, "l2.misses"), misses, 10); /* lines that were not read before */
    double hits = bed_stat(&b, "l2.load_hits") - before;
    double rate = hits * 128 / (seconds(&b) - start);
    bed_close(&b);
    return rate;
}

/* A reply of 136 bytes takes 5 flits of 32: 12 banks give 12 x 0.7 GHz / 5 lines. */
#define REPLY_LIMIT (12 * 0.7e9 / 5 * 128) /* 215 GB/s */

/*
 * Karol, Hluchyj, Morgan 1987: inputs that offer only their oldest packet, to random outputs. In
 * saturation an output that carries rho has rho + rho^2 / (2 (1 - rho)) packets at the heads of
 * the queues; with 12 inputs for 15 outputs (replies) that is 12 / 15, so rho = 0.519 of an output
 * and 0.649 of an input. With 15 inputs for 12 outputs (requests) rho = 0.649 of an output, too.
 * The formula is for many inputs; few do a little better.
 */
#define BLOCKED 0.649

/* Sixteen packets of a deeper buffer compete: none waits for another one's output. */
#define FREE_REQUESTS "network.request.lookahead=16", "network.request.input_buffer_flits=64"
#define FREE_REPLIES "network.reply.lookahead=16", "network.reply.input_buffer_flits=80"

TEST(an_l2_hit_stream_reaches_what_head_of_line_blocking_leaves_of_215)
{
    UNUSED_STATE;
    /* Both networks block: at worst each leaves its part of what the other one does. */
    double both = l2_rate(NULL);
    assert_true(both >= BLOCKED * BLOCKED * REPLY_LIMIT); /* 90.6 GB/s */
    assert_true(both <= REPLY_LIMIT);
    const char *sets[] = {FREE_REQUESTS, NULL};
    double replies = l2_rate(sets);
    assert_true(replies >= BLOCKED * REPLY_LIMIT); /* 139.6 GB/s */
    assert_true(replies <= REPLY_LIMIT);
    print_message("# L2-hit stream: %.1f GB/s, with replies alone blocking %.1f\n", both / 1e9,
                  replies / 1e9);
}

TEST(an_l2_hit_stream_comes_close_to_215_without_head_of_line_blocking)
{
    UNUSED_STATE;
    const char *sets[] = {FREE_REQUESTS, FREE_REPLIES, NULL};
    double rate = l2_rate(sets);
    print_message("# L2-hit stream without blocking: %.1f GB/s\n", rate / 1e9);
    assert_true(rate >= 0.9 * REPLY_LIMIT);
    assert_true(rate <= REPLY_LIMIT);
}

/* Every SM reads from a bank of its own: block b of chunks b, b + 12, ... of 256 B, since chunks
 * go round 6 channels and then 2 banks. No packet meets another on its way. */
TEST(an_l2_hit_stream_without_contention_saturates_near_215)
{
    UNUSED_STATE;
    enum { BANKS = 12, WARPS = 8, TURNS = 32, CHUNK = 256, NEXT = BANKS * CHUNK, PASSES = 4 };
    const struct scripted_instruction code[] = {
        LOAD(1, 0x1000000, .cache_operator = CACHE_GLOBAL, .block_stride = CHUNK,
             .warp_stride = NEXT * TURNS, .iteration_stride = NEXT),
        LOAD(2, 0x1000080, .cache_operator = CACHE_GLOBAL, .block_stride = CHUNK,
             .warp_stride = NEXT * TURNS, .iteration_stride = NEXT),
    };
    struct bed b;
    bed_open(&b, "fermi15", NULL);
    struct scripted_kernel k = KERNEL(code, 32 * WARPS, .blocks = BANKS, .iterations = TURNS);
    double lines = (double)BANKS * WARPS * TURNS * 2, best = 0; /* 6144: all of the L2 */
    for (u32 i = 0; i < PASSES; i++) {
        bed_launch(&b, &k);
        bed_run(&b);
        const struct kernel_record *r = &b.gpu->records[i];
        double rate = lines * 128 / ((double)(r->ended - r->started) / CORE_HZ);
        best = i && rate > best ? rate : best; /* the first pass fills the L2 */
    }
    print_message("# L2-hit stream without contention: %.1f GB/s\n", best / 1e9);
    assert_true(best >= 0.9 * REPLY_LIMIT);
    assert_true(best <= REPLY_LIMIT);
    bed_close(&b);
}

TEST(an_l2_hit_stream_doubles_with_the_clock_of_l2_and_network)
{
    UNUSED_STATE;
    const char *fast[] = {"l2.clock_hz=1.4GHz", NULL};
    assert_near(l2_rate(fast) / l2_rate(NULL), 2, 0.1);
}

/* ---- B4: coalescing ------------------------------------------------------------------------- */

static u64 requests_of(i64 lane_stride, u64 base)
{
    const struct scripted_instruction code[] = {{.kind = WINST_LOAD,
                                                 .unit = UNIT_MEMORY,
                                                 .dst = 1,
                                                 .space = SPACE_GLOBAL,
                                                 .bytes = 4,
                                                 .base = base,
                                                 .lane_stride = lane_stride}};
    struct bed b;
    bed_open(&b, "fermi15", NULL);
    struct scripted_kernel k = KERNEL(code, 32);
    bed_launch(&b, &k);
    bed_run(&b);
    u64 requests = (u64)bed_stat(&b, "sm.requests");
    assert_int_equal((u64)bed_stat(&b, "sm.l1.loads"), requests);
    bed_close(&b);
    return requests;
}

TEST(lanes_128_bytes_apart_are_32_requests_and_lanes_4_bytes_apart_are_one)
{
    UNUSED_STATE;
    assert_int_equal(requests_of(128, MIB), 32);
    assert_int_equal(requests_of(4, MIB), 1);
    assert_int_equal(requests_of(0, MIB), 1);
    assert_int_equal(requests_of(8, MIB), 2);      /* 256 bytes */
    assert_int_equal(requests_of(4, MIB + 64), 2); /* 128 bytes, across a line's end */
    assert_int_equal(requests_of(-4, MIB + 124), 1);
}

/* ---- B5: stores ----------------------------------------------------------------------------- */

/* Two SMs: kernel after kernel of one stream, each block on the SM after the last one's. */
static void load_line(struct bed *b, u64 blocks, enum cache_operator how)
{
    const struct scripted_instruction code[] = {LOAD(1, MIB, .cache_operator = how)};
    struct scripted_kernel k = KERNEL(code, 32, .blocks = blocks);
    bed_launch(b, &k);
    bed_run(b);
}

static void store_line(struct bed *b)
{
    static const struct scripted_instruction code[] = {STORE(MIB)};
    struct scripted_kernel k = KERNEL(code, 32);
    bed_launch(b, &k);
    bed_run(b);
}

TEST(a_store_takes_the_line_from_its_own_l1_and_leaves_it_in_another)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=2", NULL};
    struct bed b;
    bed_open(&b, "fermi15", sets);
    load_line(&b, 2, CACHE_ALL); /* both */
    assert_int_equal((u64)bed_stat(&b, "sm0.l1.misses"), 1);
    assert_int_equal((u64)bed_stat(&b, "sm1.l1.misses"), 1);
    store_line(&b); /* SM 0 */
    assert_int_equal((u64)bed_stat(&b, "sm0.l1.store_hits"), 1);
    load_line(&b, 2, CACHE_ALL);
    assert_int_equal((u64)bed_stat(&b, "sm0.l1.misses"), 2);
    assert_int_equal((u64)bed_stat(&b, "sm0.l1.hits"), 0);
    assert_int_equal((u64)bed_stat(&b, "sm1.l1.misses"), 1);
    assert_int_equal((u64)bed_stat(&b, "sm1.l1.hits"), 1); /* stale */
    bed_close(&b);
}

TEST(a_load_past_l1_does_not_see_another_sms_stale_copy)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=2", NULL};
    struct bed b;
    bed_open(&b, "fermi15", sets);
    load_line(&b, 2, CACHE_ALL);
    store_line(&b);
    double l2_loads = bed_stat(&b, "l2.loads");
    load_line(&b, 1, CACHE_GLOBAL); /* SM 1 */
    assert_int_equal((u64)bed_stat(&b, "sm1.l1.bypasses"), 1);
    assert_int_equal((u64)bed_stat(&b, "sm1.l1.hits"), 0);
    assert_near(bed_stat(&b, "l2.loads"), l2_loads + 1, 0);
    bed_close(&b);
}

TEST(a_store_that_updates_keeps_the_line)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=1", "sm.l1.write_hit=update", NULL};
    struct bed b;
    bed_open(&b, "fermi15", sets);
    load_line(&b, 1, CACHE_ALL);
    store_line(&b);
    load_line(&b, 1, CACHE_ALL);
    assert_int_equal((u64)bed_stat(&b, "sm.l1.hits"), 1);
    assert_int_equal((u64)bed_stat(&b, "sm.l1.misses"), 1);
    bed_close(&b);
}

TEST(a_store_that_misses_takes_no_line)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=1", NULL};
    struct bed b;
    bed_open(&b, "fermi15", sets);
    store_line(&b);
    load_line(&b, 1, CACHE_ALL);
    assert_int_equal((u64)bed_stat(&b, "sm.l1.store_hits"), 0);
    assert_int_equal((u64)bed_stat(&b, "sm.l1.misses"), 1);
    bed_close(&b);
}

RUN_TESTS(T(an_l2_hit_takes_120_cycles_and_a_miss_100_more_and_the_time_of_dram),
          T(the_pipes_of_l2_and_dram_add_their_cycles_to_what_passes_them),
          T(an_l1_hit_takes_its_own_cycles_whatever_lies_below),
          T(a_stream_of_row_hits_over_two_bank_groups_comes_within_15_percent_of_the_pins),
          T(a_stream_of_row_hits_in_one_bank_group_uses_two_thirds_of_the_bus),
          T(no_stream_exceeds_the_pins), T(half_the_dram_bus_moves_half_the_stream),
          T(an_l2_hit_stream_reaches_what_head_of_line_blocking_leaves_of_215),
          T(an_l2_hit_stream_comes_close_to_215_without_head_of_line_blocking),
          T(an_l2_hit_stream_without_contention_saturates_near_215),
          T(an_l2_hit_stream_doubles_with_the_clock_of_l2_and_network),
          T(lanes_128_bytes_apart_are_32_requests_and_lanes_4_bytes_apart_are_one),
          T(a_store_takes_the_line_from_its_own_l1_and_leaves_it_in_another),
          T(a_load_past_l1_does_not_see_another_sms_stale_copy),
          T(a_store_that_updates_keeps_the_line), T(a_store_that_misses_takes_no_line))

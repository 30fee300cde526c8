/* Ways that move between lines of a socket's own memory and of others': decisions by hand, from a
 * link and channels whose counters the test sets (hpc-cores-and-numa-gpu spec 2.9, 5). */
#include "testing.h"

#include "memsys/partition.h"

#define SAMPLE 5000u
#define LINK_BYTES ((u64)SAMPLE * 64)  /* 8 lanes of 8 bytes */
#define DRAM_BYTES ((u64)SAMPLE * 768) /* of two channels, at 1 GHz */

struct bed {
    struct sim sim;
    struct pool pool;
    struct link link;
    struct link_config link_config;
    struct memory_system memory;
    struct dram_channel channels[2];
    struct partition_config config;
    struct partition partition;
    u64 asked, headers, dram; /* in each sample */
};

/* Counts for the sample that ends in the next cycle. */
static cycle_t load_tick(void *self, cycle_t now)
{
    struct bed *b = self;
    if (now % SAMPLE == SAMPLE - 1) {
        b->link.socket[1].asked_bytes += b->asked;
        b->link.socket[1].header_bytes += b->headers;
        b->channels[0].counts.bus_bytes += b->dram / 2;
        b->channels[1].counts.bus_bytes += b->dram / 2;
    }
    if (now % SAMPLE == 1 && now > 1)
        engine_stop(&b->sim.engine);
    return now + 1;
}

static u32 to_nobody(void *context, const struct request *r)
{
    (void)context;
    return r->home;
}

static void open_bed(struct bed *b, struct partition_config config)
{
    static const struct link_route route = {.destination = to_nobody};
    *b = (struct bed){.config = config};
    b->config.sample_cycles = SAMPLE;
    b->config.saturation = 0.99;
    b->link_config = (struct link_config){.lanes = 8,
                                          .lane_bytes = 8,
                                          .cycles = 128,
                                          .entries = 4,
                                          .sample_cycles = SAMPLE,
                                          .saturation = 0.99};
    struct engine *e = &b->sim.engine;
    engine_init(e, &b->sim.arena, &(struct engine_options){0});
    stats_init(&b->sim.stats, &b->sim.arena);
    domain_id clock = engine_add_domain(e, "clock", 1000000000);
    struct build_site site = site_of(&b->sim);
    pool_init(&b->pool, &b->sim.arena, 4, sizeof(struct request));
    engine_add_unit(e, clock, "load", load_tick, b);
    struct network_parts parts = {.site = &site,
                                  .domain = clock,
                                  .name = "link",
                                  .requests = &b->pool,
                                  .inputs = 2,
                                  .sources_per_input = 1,
                                  .outputs = 2};
    link_init(&b->link, &parts, &b->link_config, &route);
    b->memory.site = site;
    b->memory.channels = b->channels;
    b->memory.channel_count = 2;
    b->memory.dram.config = (struct dram_config){
        .clock_hz = 1000000000, .channels = 2, .data_rate = 2, .bus_bits = 1536};
    partition_init(&b->partition, e, &b->config, 16);
    partition_add_l1(&b->partition, 4);
    partition_connect(&b->partition, &b->link, &b->memory, 1, clock);
    engine_start(e);
}

/* So many samples under this load, in shares of what link and DRAM can move. */
static void samples(struct bed *b, u32 count, double link, double dram)
{
    b->asked = (u64)(link * (double)(LINK_BYTES - b->headers));
    b->dram = (u64)(dram * (double)DRAM_BYTES);
    for (u32 i = 0; i < count; i++)
        assert_int_equal(engine_run(&b->sim.engine), ENGINE_STOPPED);
}

static void assert_ways(const struct bed *b, u32 l2, u32 l1)
{
    assert_int_equal(b->partition.l2.remote, l2);
    assert_int_equal(b->partition.l1.remote, l1);
    assert_int_equal(b->partition.counts.l2_remote_ways, l2);
    assert_int_equal(b->partition.counts.l1_remote_ways, l1);
}

static void close_bed(struct bed *b)
{
    engine_fini(&b->sim.engine);
    arena_fini(&b->sim.arena);
}

TEST(a_saturated_link_takes_a_way_a_sample_and_leaves_one)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, (struct partition_config){0});
    assert_ways(&b, 8, 2);
    samples(&b, 1, 1.0, 0.2);
    assert_ways(&b, 9, 3);
    samples(&b, 5, 1.0, 0.2);
    assert_ways(&b, 14, 3);
    samples(&b, 1, 1.0, 0.2);
    assert_ways(&b, 15, 3);
    samples(&b, 3, 1.0, 0.2);
    assert_ways(&b, 15, 3);
    assert_int_equal(b.partition.counts.to_remote, 7);
    assert_int_equal(b.partition.counts.link_saturated, 10);
    close_bed(&b);
}

TEST(saturated_dram_gives_ways_back_to_its_own_lines)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, (struct partition_config){0});
    samples(&b, 1, 0.5, 1.0);
    assert_ways(&b, 7, 1);
    samples(&b, 8, 0.5, 1.0);
    assert_ways(&b, 1, 1);
    close_bed(&b);
}

TEST(both_saturated_walk_back_to_half_and_neither_moves_nothing)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, (struct partition_config){0});
    samples(&b, 5, 1.0, 0);
    assert_ways(&b, 13, 3);
    samples(&b, 20, 0.98, 0.98);
    assert_ways(&b, 13, 3);
    samples(&b, 2, 1.0, 1.0);
    assert_ways(&b, 11, 2);
    samples(&b, 9, 1.0, 1.0);
    assert_ways(&b, 8, 2);
    close_bed(&b);
}

/* All sockets read each other: of 144 bytes that come in, 8 are a request of another. */
TEST(requests_of_others_do_not_hide_that_the_link_is_saturated)
{
    UNUSED_STATE;
    for (u32 literal = 0; literal < 2; literal++) {
        struct bed b;
        open_bed(&b, (struct partition_config){.literal = literal});
        b.headers = LINK_BYTES / 144 * 8;
        samples(&b, 7, 1.0, 0);
        assert_ways(&b, literal ? 8 : 15, literal ? 2 : 3);
        close_bed(&b);
    }
}

TEST(writes_that_come_in_move_no_way)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, (struct partition_config){0});
    b.headers = LINK_BYTES / 136 * 8; /* all there is room for, with their payload */
    samples(&b, 10, 0, 0);
    assert_ways(&b, 8, 2);
    close_bed(&b);
}

TEST(a_kernel_begins_with_half_of_the_ways_or_only_the_first_does)
{
    UNUSED_STATE;
    for (u32 first_only = 0; first_only < 2; first_only++) {
        struct bed b;
        open_bed(&b, (struct partition_config){.first_only = first_only});
        partition_reset(&b.partition, 0);
        samples(&b, 3, 1.0, 0);
        partition_reset(&b.partition, engine_cycle(&b.sim.engine, 0));
        assert_ways(&b, first_only ? 11 : 8, first_only ? 3 : 2);
        close_bed(&b);
    }
}

/* The load of half a sample before the kernel is not the kernel's: its first sample, of a whole
 * length, is below 99 %, and the ways stay. */
TEST(a_sample_begins_with_the_kernel)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b, (struct partition_config){0});
    samples(&b, 1, 0.5, 0);
    b.link.socket[1].asked_bytes += LINK_BYTES / 2;
    cycle_t now = engine_cycle(&b.sim.engine, 0) + SAMPLE / 2;
    partition_reset(&b.partition, now);
    assert_int_equal(b.partition.next, now + SAMPLE);
    samples(&b, 2, 0.5, 0);
    assert_int_equal(b.partition.counts.link_saturated, 0);
    assert_ways(&b, 8, 2);
    close_bed(&b);
}

/* Who ticks before the decision and who ticks after it must see the same. */
TEST(a_decision_holds_from_the_next_instant_on)
{
    UNUSED_STATE;
    struct engine e = {.now_fs = 100};
    struct way_partition s;
    split_init(&s, &e, 16, 8);
    split_decide(&s, 9);
    assert_int_equal(split_ways(&s, true), 0xff);
    e.now_fs = 101;
    assert_int_equal(split_ways(&s, true), 0x1ff);
    assert_int_equal(split_ways(&s, false) & 0xffff, 0xfe00);
}

RUN_TESTS(T(a_saturated_link_takes_a_way_a_sample_and_leaves_one),
          T(saturated_dram_gives_ways_back_to_its_own_lines),
          T(both_saturated_walk_back_to_half_and_neither_moves_nothing),
          T(requests_of_others_do_not_hide_that_the_link_is_saturated),
          T(writes_that_come_in_move_no_way),
          T(a_kernel_begins_with_half_of_the_ways_or_only_the_first_does),
          T(a_sample_begins_with_the_kernel), T(a_decision_holds_from_the_next_instant_on))

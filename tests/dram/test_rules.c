/* Laws that hold for every preset and policy under any traffic. */
#include "dram/bed.h"
#include "dram/referee.h"

#include "base/rng.h"

#define REQUESTS 1200
#define PIPE 20

/* Phases of dense and sparse arrivals, over few or many rows, with and without writes. */
static void make_traffic(struct bed_item *items, const struct dram_config *c, struct rng *rng)
{
    struct dram_timing t;
    dram_resolve(c, &t);
    cycle_t at = 0;
    u32 gap = 0, rows = 1, banks = 1, writes = 0;
    for (u32 i = 0; i < REQUESTS; i++) {
        if (i % 100 == 0) {
            gap = (u32[]){0, 1, 4, 30, 300}[rng_below(rng, 5)];
            rows = 1 + (u32)rng_below(rng, 6);
            banks = 1u << rng_below(rng, 1 + (u32)__builtin_ctz(t.config.banks));
            writes = (u32[]){0, 20, 50, 100}[rng_below(rng, 4)];
        }
        at += rng_below(rng, 2 * gap + 1);
        enum request_kind kind = rng_below(rng, 100) >= writes ? REQUEST_LOAD
                                 : rng_below(rng, 2)           ? REQUEST_STORE
                                                               : REQUEST_WRITEBACK;
        items[i] = bed_line(c, at, kind, (u32)rng_below(rng, banks), rng_below(rng, rows),
                            (u32)rng_below(rng, 64));
        items[i].sectors = 1 + (u32)rng_below(rng, 15);
    }
}

static void assert_conserved(const struct bed *b)
{
    u32 reads = 0;
    for (u32 i = 0; i < REQUESTS; i++) {
        bool is_read = b->items[i].kind == REQUEST_LOAD;
        reads += is_read;
        assert_int_equal(b->replied[i] != 0, is_read);
    }
    assert_int_equal(b->reply_count, reads);
    assert_int_equal(b->replies_twice, 0);
    assert_int_equal(b->channel.counts.reads, reads);
    assert_int_equal(b->channel.counts.writes, REQUESTS - reads);
    assert_int_equal(pool_in_use(&b->pool), 0);
    assert_int_equal(b->channel.queue.count, 0);
}

/* Every preset with every policy; the n-th is the same in every run. */
static struct dram_config variant(u32 n)
{
    struct dram_config c = bed_config(n % DRAM_PRESETS);
    c.scheduler = n / 6 % 2 ? "fcfs" : "fr_fcfs";
    c.page_policy = n / 12 % 2 ? DRAM_CLOSE_PAGE : DRAM_OPEN_PAGE;
    c.hash_banks = n / 24 % 2;
    if (n / 24 % 2) { /* and odd sizes */
        c.command_buses = 1 + n % 2;
        c.queue_entries = n % 3 ? 64 : 1;
        c.return_entries = 5;
        c.banks = 64;
        c.rc = 90;
        c.faw = 60;
        c.refi = 2500;
        c.rfc = 150;
    }
    return c;
}
#define VARIANTS 48

TEST(every_command_is_legal_and_the_one_that_the_scheduler_promises)
{
    UNUSED_STATE;
    static struct bed_item items[REQUESTS];
    for (u32 n = 0; n < VARIANTS; n++) {
        struct rng rng;
        rng_init(&rng, n, "traffic");
        struct dram_config c = variant(n);
        make_traffic(items, &c, &rng);
        struct bed b;
        struct referee r;
        bed_init(&b, &c, PIPE, items, REQUESTS, false);
        b.sink_period = (u32[]){0, 3, 17}[n % 5 % 3];
        referee_init(&r, &b);
        bed_run(&b);
        assert_conserved(&b);
        assert_true(b.log_count > REQUESTS);
        bed_fini(&b);
    }
}

TEST(ticking_every_cycle_changes_nothing)
{
    UNUSED_STATE;
    static struct bed_item items[REQUESTS];
    u64 ticks[2] = {0, 0};
    for (u32 n = 0; n < VARIANTS; n++) {
        struct rng rng;
        rng_init(&rng, n, "skipping");
        struct dram_config c = variant(n);
        c.model = n / 6 % 4 == 3 ? DRAM_FIXED : DRAM_TIMING;
        make_traffic(items, &c, &rng);
        struct bed b[2];
        for (u32 k = 0; k < 2; k++) {
            bed_init(&b[k], &c, PIPE, items, REQUESTS, k == 1);
            b[k].sink_period = (u32[]){0, 3, 17}[n % 5 % 3];
            bed_run(&b[k]);
            assert_conserved(&b[k]);
            ticks[k] += b[k].sim.engine.ticks;
        }
        assert_int_equal(b[0].log_count, b[1].log_count);
        for (u32 i = 0; i < b[0].log_count; i++)
            expect_same(&b[1].log[i], &b[0].log[i]);
        assert_memory_equal(&b[0].channel.counts, &b[1].channel.counts, sizeof b[0].channel.counts);
        assert_memory_equal(b[0].replied, b[1].replied, REQUESTS * sizeof *b[0].replied);
        assert_memory_equal(b[0].left_fs, b[1].left_fs, REQUESTS * sizeof *b[0].left_fs);
        bed_fini(&b[0]);
        bed_fini(&b[1]);
    }
    /* the property must not hold for want of sleep */
    assert_true(ticks[0] * 2 < ticks[1]);
}

/* A run that is cut short obeys the laws too: its counters are brought up to date. */
TEST(statistics_are_right_at_any_moment)
{
    UNUSED_STATE;
    static struct bed_item items[REQUESTS];
    for (u32 n = 0; n < 300; n++) {
        struct rng rng;
        rng_init(&rng, n / 50, "moment");
        struct dram_config c = variant(n / 50);
        make_traffic(items, &c, &rng);
        for (u32 i = 0; i < REQUESTS; i++)
            items[i].at = 0;
        struct bed b;
        bed_init(&b, &c, PIPE, items, REQUESTS, false);
        b.sim.engine.options.max_cycles = 200 + 7 * n;
        engine_start(&b.sim.engine);
        assert_int_equal(engine_run(&b.sim.engine), ENGINE_LIMIT);
        dram_channel_finish(&b.channel);
        struct err err = ERR_INIT;
        assert_true(stats_check_laws(&b.sim.stats, &err));
        /* never empty since the first request came in, and full most of the time */
        cycle_t now = engine_cycle(&b.sim.engine, b.channel.domain);
        u64 lifetime = occupancy_cycles(&b.channel.counts.queue);
        assert_in_range(lifetime + BED_PUSHED_TO_TAKEN + PIPE, now, now + 1);
        assert_true(b.channel.counts.queue_full_cycles <= b.channel.counts.queue.bins[4]);
        bed_fini(&b);
    }
}

RUN_TESTS(T(every_command_is_legal_and_the_one_that_the_scheduler_promises),
          T(ticking_every_cycle_changes_nothing), T(statistics_are_right_at_any_moment))

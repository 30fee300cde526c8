/* What a channel moves at most, and what keeps it from that: B2 and T5 of the spec. */
#include "dram/bed.h"

#include "base/rng.h"

#define LINES 4000
#define PIPE 100

struct outcome {
    double bytes_per_clock; /* from the first column command to the end of the last */
    double efficiency;
};

static struct outcome run_items(const struct dram_config *c, struct bed_item *items)
{
    struct bed b;
    bed_init(&b, c, PIPE, items, LINES, false);
    bed_run(&b);
    const struct dram_counts *n = &b.channel.counts;
    cycle_t clocks = b.channel.bus_slot_end - bed_nth(&b, DRAM_READ, 0);
    struct outcome o = {
        .bytes_per_clock = 128.0 * LINES / (double)clocks,
        .efficiency = (double)n->bus_busy_cycles / (double)n->pending_cycles,
    };
    bed_fini(&b);
    return o;
}

/* Reads of random rows of the first `banks` banks. */
static struct outcome run_random(const struct dram_config *c, u32 banks)
{
    static struct bed_item items[LINES];
    struct rng rng;
    rng_init(&rng, 1, "rows");
    for (u32 i = 0; i < LINES; i++)
        items[i] =
            bed_line(c, 0, REQUEST_LOAD, (u32)rng_below(&rng, banks), rng_below(&rng, 4096), 0);
    return run_items(c, items);
}

/* Reads of one open row in each of `banks`, in turn; nothing else. */
static struct outcome run_hits(const struct dram_config *c, const u32 *banks, u32 count)
{
    static struct bed_item items[LINES];
    for (u32 i = 0; i < LINES; i++)
        items[i] = bed_line(c, 0, REQUEST_LOAD, banks[i % count], 5, i);
    return run_items(c, items);
}

static const u32 one_group[] = {0, 1, 2}, two_groups[] = {0, 4}, four_groups[] = {0, 4, 8, 12};

TEST(row_hits_over_two_bank_groups_come_close_to_the_pin_limit)
{
    UNUSED_STATE;
    struct dram_config c = bed_config(DRAM_GDDR5);
    for (u32 i = 0; i < 2; i++) {
        struct outcome o = i ? run_hits(&c, four_groups, 4) : run_hits(&c, two_groups, 2);
        /* 32 B per clock and channel: 177.4 GB/s over six at 924 MHz */
        assert_true(o.bytes_per_clock <= 32.0);
        assert_true(o.bytes_per_clock >= 0.98 * 32);
        assert_true(o.efficiency >= 0.98 && o.efficiency <= 1.0);
    }
}

TEST(one_bank_group_alone_is_held_to_ccd_over_ccdl)
{
    UNUSED_STATE;
    struct dram_config c = bed_config(DRAM_GDDR5);
    for (u32 i = 1; i <= 3; i += 2) {
        struct outcome o = run_hits(&c, one_group, i);
        assert_true(o.bytes_per_clock <= 32.0 * 2 / 3 + 0.01);
        assert_true(o.bytes_per_clock >= 0.99 * 32 * 2 / 3);
        assert_true(o.efficiency > 0.66 && o.efficiency < 0.67);
    }
}

TEST(twice_the_bus_moves_twice_the_data)
{
    UNUSED_STATE;
    struct dram_config c = bed_config(DRAM_GDDR5);
    c.bus_bits = 128; /* a burst is a line, in 2 clocks */
    struct outcome o = run_hits(&c, two_groups, 2);
    assert_true(o.bytes_per_clock <= 64.0);
    assert_true(o.bytes_per_clock >= 0.98 * 64);
}

/* Section 5 item 4 of the spec: both readings of the 4x bus. */
TEST(a_bus_four_times_as_wide_moves_a_line_per_clock_only_if_the_burst_shrinks)
{
    UNUSED_STATE;
    struct dram_config c = bed_config(DRAM_GDDR5);
    c.bus_bits = 256;
    struct outcome literal = run_hits(&c, two_groups, 2); /* half of each 256 B burst is lost */
    assert_true(literal.bytes_per_clock <= 64.0);
    assert_true(literal.bytes_per_clock >= 0.98 * 64);
    c.burst_length = 4;
    c.ccd = c.ccdl = 1;
    struct outcome scaled = run_hits(&c, two_groups, 2);
    assert_true(scaled.bytes_per_clock <= 128.0);
    assert_true(scaled.bytes_per_clock >= 0.98 * 128);
}

/* Most presets take all bank groups to fill the bus; DDR3 has but one, and needs no more. */
TEST(every_preset_fills_its_bus_with_row_hits)
{
    UNUSED_STATE;
    for (u32 preset = 0; preset < DRAM_PRESETS; preset++) {
        struct dram_config c = bed_config(preset);
        c.refresh = false;
        struct dram_timing t;
        dram_resolve(&c, &t);
        double pins = (double)t.burst_bytes / t.burst_clocks;
        struct outcome o = run_hits(&c, four_groups, t.config.bank_groups);
        assert_true(o.bytes_per_clock <= pins);
        assert_true(o.bytes_per_clock >= 0.95 * pins);
    }
}

TEST(a_refresh_costs_rfc_and_closing_and_opening_the_rows)
{
    UNUSED_STATE;
    struct dram_config c = bed_config(DRAM_DDR4);
    struct outcome with = run_hits(&c, four_groups, 4);
    c.refresh = false;
    struct outcome without = run_hits(&c, four_groups, 4);
    /* 32000 clocks of data see two refreshes: precharge 22, refresh 560, activate 22, and a
     * few clocks to close and open four banks one by one */
    double lost = 128.0 * LINES * (1 / with.bytes_per_clock - 1 / without.bytes_per_clock) / 2;
    assert_true(lost > 22 + 560 + 22 && lost < 22 + 560 + 22 + 20);
}

TEST(random_rows_lower_the_efficiency_of_a_stream)
{
    UNUSED_STATE;
    static struct bed_item items[LINES];
    struct dram_config c = bed_config(DRAM_GDDR5);
    for (u32 i = 0; i < LINES; i++)
        items[i] =
            (struct bed_item){.byte = i * 128ull, .sectors = LINE_SECTORS, .port = i / 2 % 2};
    struct outcome sequential = run_items(&c, items);
    /* it stays in one bank group for 16 KB: CCD / CCDL, and more at the borders */
    assert_true(sequential.efficiency > 0.67 && sequential.efficiency < 0.75);
    /* nearly every line takes an activate: 4 clocks of data per RRD 6 */
    struct outcome random = run_random(&c, 16);
    assert_true(random.efficiency < 4.0 / 6 && random.efficiency < 0.9 * sequential.efficiency);
    /* in one bank, 4 clocks of data per RC 40 */
    struct outcome one_bank = run_random(&c, 1);
    assert_true(one_bank.efficiency > 0.099 && one_bank.efficiency < 0.101);
}

TEST(fr_fcfs_beats_fcfs_on_mixed_rows)
{
    UNUSED_STATE;
    static struct bed_item items[LINES];
    struct dram_config c = bed_config(DRAM_GDDR5);
    struct rng rng;
    rng_init(&rng, 1, "mixed");
    for (u32 i = 0; i < LINES; i++)
        items[i] = bed_line(&c, 0, REQUEST_LOAD, (u32)rng_below(&rng, 4) * 4, rng_below(&rng, 2),
                            (u32)rng_below(&rng, 16));
    struct outcome ready_first = run_items(&c, items);
    c.scheduler = "fcfs";
    struct outcome in_order = run_items(&c, items);
    assert_true(ready_first.bytes_per_clock > 1.5 * in_order.bytes_per_clock);
}

RUN_TESTS(T(row_hits_over_two_bank_groups_come_close_to_the_pin_limit),
          T(one_bank_group_alone_is_held_to_ccd_over_ccdl), T(twice_the_bus_moves_twice_the_data),
          T(a_bus_four_times_as_wide_moves_a_line_per_clock_only_if_the_burst_shrinks),
          T(every_preset_fills_its_bus_with_row_hits),
          T(a_refresh_costs_rfc_and_closing_and_opening_the_rows),
          T(random_rows_lower_the_efficiency_of_a_stream), T(fr_fcfs_beats_fcfs_on_mixed_rows))

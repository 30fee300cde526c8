/* One channel with the numbers of the GTX 480: RCD 12, CL 12, WL 4, CCD 2, CCDL 3, RRD 6,
 * RAS 28, RP 12, RC 40, CDLR 5, WR 12, RTPL 2; a burst is 64 B in 2 clocks. */
#include "dram/bed.h"

#define PIPE 10
/* pushed in cycle 0, taken in 1, due in the scheduler queue at 1 + PIPE */
#define ARRIVAL (BED_PUSHED_TO_TAKEN + PIPE)
#define READ(bank, row, chunk) bed_line(&config, 0, REQUEST_LOAD, bank, row, chunk)
#define WRITE(bank, row, chunk) bed_line(&config, 0, REQUEST_WRITEBACK, bank, row, chunk)

static void run(struct bed *b, const struct dram_config *config, struct bed_item *items, u32 count)
{
    bed_init(b, config, PIPE, items, count, false);
    bed_run(b);
}

static cycle_t cycle_of(const struct bed *b, u64 fs)
{
    return (cycle_t)((u128)fs * b->timing.config.clock_hz / FS_PER_SECOND);
}

TEST(a_lone_read_takes_the_sum_of_its_parts)
{
    UNUSED_STATE;
    struct dram_config config = bed_config(DRAM_GDDR5);
    struct bed_item items[] = {READ(0, 5, 0)};
    struct bed b;
    run(&b, &config, items, 1);
    /* ACT, RCD 12, RD, CCDL 3, RD, CL 12, burst 2 */
    assert_int_equal(b.replied[0], ARRIVAL + 12 + 3 + 12 + 2);
    assert_int_equal(b.channel.counts.read_cycles, 29);
    assert_int_equal(b.channel.counts.row_misses, 1);
    assert_int_equal(b.channel.counts.bytes_read, 128);
    assert_int_equal(b.channel.counts.bus_busy_cycles, 4);
    /* in the queue from 0 to the end of the slot of the second burst: 12 + 3 + 2 */
    assert_int_equal(b.channel.counts.pending_cycles, 17);
    /* an entry of 16 is below 25 %: it was there in 12 + 3 + 1 cycles */
    assert_int_equal(b.channel.counts.queue.bins[0], 16);
    assert_int_equal(occupancy_cycles(&b.channel.counts.queue), 16);
    bed_fini(&b);
}

TEST(a_sector_needs_one_burst)
{
    UNUSED_STATE;
    struct dram_config config = bed_config(DRAM_GDDR5);
    struct bed_item items[] = {READ(0, 5, 0)};
    items[0].sectors = 2;
    struct bed b;
    run(&b, &config, items, 1);
    assert_int_equal(b.replied[0], ARRIVAL + 12 + 12 + 2);
    assert_int_equal(b.channel.counts.bytes_read, 32);
    assert_int_equal(b.channel.counts.bus_bytes, 64);
    bed_fini(&b);
}

TEST(a_row_hit_skips_the_activate_and_a_conflict_adds_a_precharge)
{
    UNUSED_STATE;
    struct dram_config config = bed_config(DRAM_GDDR5);
    /* far apart: each finds the channel idle */
    struct bed_item items[] = {READ(0, 5, 0), READ(0, 5, 1), READ(0, 6, 0), READ(4, 6, 0)};
    for (u32 i = 0; i < 4; i++)
        items[i].at = 1000 * i;
    struct bed b;
    run(&b, &config, items, 4);
    assert_int_equal(b.replied[1] - 1000, ARRIVAL + 3 + 12 + 2);
    assert_int_equal(b.replied[2] - 2000, ARRIVAL + 12 + 12 + 3 + 12 + 2);
    assert_int_equal(b.replied[3] - 3000, ARRIVAL + 12 + 3 + 12 + 2);
    assert_int_equal(b.channel.counts.row_hits, 1);
    assert_int_equal(b.channel.counts.row_conflicts, 1);
    assert_int_equal(b.channel.counts.row_misses, 2);
    assert_int_equal(b.channel.counts.activates, 3);
    assert_int_equal(b.channel.counts.precharges, 1);
    bed_fini(&b);
}

TEST(the_close_policy_closes_an_idle_row)
{
    UNUSED_STATE;
    struct dram_config config = bed_config(DRAM_GDDR5);
    config.page_policy = DRAM_CLOSE_PAGE;
    struct bed_item items[] = {READ(0, 5, 0), READ(0, 6, 0)};
    items[1].at = 1000;
    struct bed b;
    run(&b, &config, items, 2);
    assert_int_equal(b.replied[1] - 1000, ARRIVAL + 12 + 3 + 12 + 2);
    /* RAS 28 is later than the last read + RTPL: 12 + 3 + 2 */
    assert_int_equal(bed_nth(&b, DRAM_PRECHARGE, 0), ARRIVAL + 28);
    assert_int_equal(b.channel.counts.row_conflicts, 0);
    assert_int_equal(b.channel.counts.precharges, 2);
    bed_fini(&b);
}

TEST(column_commands_are_ccdl_apart_in_a_bank_group_and_ccd_between_groups)
{
    UNUSED_STATE;
    struct dram_config config = bed_config(DRAM_GDDR5);
    /* banks 0 and 2 are in group 0, bank 4 is in group 1; all rows are open by cycle 1000 */
    struct bed_item items[] = {READ(0, 5, 0), READ(2, 5, 0), READ(4, 5, 0), READ(0, 5, 1),
                               READ(2, 5, 1), READ(0, 5, 2), READ(4, 5, 1)};
    for (u32 i = 0; i < ARRAY_LEN(items); i++) {
        items[i].at = i < 3 ? 0 : i < 5 ? 1000 : 2000;
        items[i].sectors = 1;
    }
    struct bed b;
    run(&b, &config, items, ARRAY_LEN(items));
    assert_int_equal(bed_nth(&b, DRAM_READ, 4) - bed_nth(&b, DRAM_READ, 3), 3);
    assert_int_equal(bed_nth(&b, DRAM_READ, 6) - bed_nth(&b, DRAM_READ, 5), 2);
    bed_fini(&b);
}

TEST(activates_are_rrd_apart_and_of_one_bank_rc)
{
    UNUSED_STATE;
    struct dram_config config = bed_config(DRAM_GDDR5);
    struct bed_item items[] = {READ(0, 5, 0), READ(4, 5, 0), READ(0, 6, 0)};
    struct bed b;
    run(&b, &config, items, 3);
    assert_int_equal(bed_nth(&b, DRAM_ACTIVATE, 0), ARRIVAL);
    assert_int_equal(bed_nth(&b, DRAM_ACTIVATE, 1), ARRIVAL + 6);
    /* RAS 28 + RP 12 = RC 40 */
    assert_int_equal(bed_nth(&b, DRAM_PRECHARGE, 0), ARRIVAL + 28);
    assert_int_equal(bed_nth(&b, DRAM_ACTIVATE, 2), ARRIVAL + 40);
    bed_fini(&b);
    config.rc = 55;
    run(&b, &config, items, 3);
    assert_int_equal(bed_nth(&b, DRAM_ACTIVATE, 2), ARRIVAL + 55);
    bed_fini(&b);
}

TEST(a_fifth_activate_waits_for_the_window_of_four)
{
    UNUSED_STATE;
    struct dram_config config = bed_config(DRAM_GDDR5);
    config.faw = 100;
    struct bed_item items[] = {READ(0, 5, 0), READ(4, 5, 0), READ(8, 5, 0), READ(12, 5, 0),
                               READ(2, 5, 0)};
    struct bed b;
    run(&b, &config, items, 5);
    assert_int_equal(bed_nth(&b, DRAM_ACTIVATE, 4) - bed_nth(&b, DRAM_ACTIVATE, 0), 100);
    bed_fini(&b);
}

TEST(a_read_after_a_write_waits_for_its_data_and_cdlr_and_the_reverse_for_the_bus)
{
    UNUSED_STATE;
    struct dram_config config = bed_config(DRAM_GDDR5);
    struct bed_item items[] = {WRITE(0, 5, 0), READ(0, 5, 1), READ(0, 5, 2), WRITE(0, 5, 3)};
    for (u32 i = 0; i < 4; i++) {
        items[i].sectors = 1;
        items[i].at = i < 2 ? 0 : 1000;
    }
    struct bed b;
    run(&b, &config, items, 4);
    /* WL 4 + burst 2 + CDLR 5 */
    assert_int_equal(bed_nth(&b, DRAM_READ, 0) - bed_nth(&b, DRAM_WRITE, 0), 11);
    /* CL 12 + burst 2 + 2 to turn around - WL 4 */
    assert_int_equal(bed_nth(&b, DRAM_WRITE, 1) - bed_nth(&b, DRAM_READ, 1), 12);
    assert_int_equal(b.channel.counts.writes, 2);
    bed_fini(&b);
}

TEST(a_row_that_was_written_is_closed_after_write_recovery)
{
    UNUSED_STATE;
    struct dram_config config = bed_config(DRAM_GDDR5);
    struct bed_item items[] = {WRITE(0, 5, 0), READ(0, 6, 0)};
    struct bed b;
    run(&b, &config, items, 2);
    /* second burst at RCD 12 + CCDL 3, then WL 4 + burst 2 + WR 12 */
    assert_int_equal(bed_nth(&b, DRAM_PRECHARGE, 0), ARRIVAL + 12 + 3 + 4 + 2 + 12);
    bed_fini(&b);
}

/* The oldest request opens row 5 of bank 0; the third and fourth hit it and pass the second,
 * which wants another row of the bank. */
TEST(fr_fcfs_serves_row_hits_first_and_then_the_oldest)
{
    UNUSED_STATE;
    struct dram_config config = bed_config(DRAM_GDDR5);
    struct bed_item items[] = {READ(0, 5, 0), READ(0, 6, 0), READ(0, 5, 1),
                               READ(0, 5, 2), READ(0, 7, 0), READ(0, 6, 1)};
    static const u32 want[] = {0, 2, 3, 1, 5, 4};
    struct bed b;
    run(&b, &config, items, 6);
    for (u32 i = 0; i < 6; i++)
        assert_int_equal(b.reply_order[i], want[i]);
    assert_int_equal(b.channel.counts.row_hits, 3);
    assert_int_equal(b.channel.counts.row_misses, 1);
    assert_int_equal(b.channel.counts.row_conflicts, 2);
    bed_fini(&b);
}

/* Bank 0 could be closed for the request to row 6 at RAS 28 after its activate. By then a hit
 * of row 5 has come in, and waits behind older hits that fill the bus from two other groups. */
TEST(a_late_hit_keeps_its_row_open)
{
    UNUSED_STATE;
    struct dram_config config = bed_config(DRAM_GDDR5);
    struct bed_item items[15] = {READ(4, 5, 0), READ(8, 5, 0), READ(0, 5, 0), READ(0, 6, 0)};
    for (u32 i = 4; i < 14; i++)
        items[i] = READ(i % 2 ? 4 : 8, 5, i);
    items[14] = READ(0, 5, 1);
    for (u32 i = 2; i < 15; i++)
        items[i].at = i < 14 ? 500 : 520;
    /* whether that cycle is one of a column command or one between two */
    for (u32 ras = 28; ras < 30; ras++) {
        config.ras = ras;
        struct bed b;
        run(&b, &config, items, 15);
        assert_true(bed_nth(&b, DRAM_PRECHARGE, 0) > 500 + ARRIVAL + ras);
        assert_true(b.replied[14] < b.replied[3]);
        assert_int_equal(b.channel.counts.row_hits, 11);
        assert_int_equal(b.channel.counts.row_conflicts, 1);
        bed_fini(&b);
    }
}

TEST(fcfs_serves_strictly_in_order)
{
    UNUSED_STATE;
    struct dram_config config = bed_config(DRAM_GDDR5);
    config.scheduler = "fcfs";
    struct bed_item items[] = {READ(0, 5, 0), READ(0, 6, 0), READ(0, 5, 1),
                               READ(2, 5, 2), READ(0, 7, 0), READ(0, 6, 1)};
    struct bed b;
    run(&b, &config, items, 6);
    for (u32 i = 0; i < 6; i++)
        assert_int_equal(b.reply_order[i], i);
    assert_int_equal(b.channel.counts.row_hits, 0);
    bed_fini(&b);
}

TEST(the_fixed_model_answers_after_exactly_the_pipe)
{
    UNUSED_STATE;
    for (u32 pipe = 0; pipe < 101; pipe += 50) {
        struct dram_config config = bed_config(DRAM_GDDR5);
        config.model = DRAM_FIXED;
        struct bed_item items[64];
        for (u32 i = 0; i < 64; i++)
            items[i] =
                bed_line(&config, i / 2, i % 8 == 0 ? REQUEST_STORE : REQUEST_LOAD, i % 2, i, 0);
        struct bed b;
        bed_init(&b, &config, pipe, items, 64, false);
        bed_run(&b);
        /* two per cycle, one at each port, all to rows of two banks: no limit shows */
        for (u32 i = 0; i < 64; i++)
            assert_int_equal(b.replied[i],
                             i % 8 == 0 ? 0 : items[i].at + BED_PUSHED_TO_TAKEN + pipe);
        assert_int_equal(b.channel.counts.writes, 8);
        assert_int_equal(b.channel.counts.served, 0);
        bed_fini(&b);
    }
}

/* 20 reads of one row, one taken per clock. The queue holds 4, so nothing is taken while it is
 * full; what is in the pipe keeps ageing and enters as soon as there is room. */
TEST(the_pipe_ages_while_its_head_waits)
{
    UNUSED_STATE;
    struct dram_config config = bed_config(DRAM_GDDR5);
    config.queue_entries = 4;
    struct bed_item items[20];
    for (u32 i = 0; i < 20; i++)
        items[i] = READ(0, 5, i);
    struct bed b;
    run(&b, &config, items, 20);
    /* 2 bursts at CCDL each, back to back, whatever the length of the pipe */
    for (u32 i = 0; i < 20; i++)
        assert_int_equal(b.replied[i], ARRIVAL + 12 + 6 * i + 3 + 12 + 2);
    /* the fifth is due at ARRIVAL + 4 and enters when the first leaves, at + 12 + 3, one
     * later; from then on one entry is free for a cycle, every 6 */
    assert_int_equal(b.channel.counts.queue_full_cycles, (15 + 1 - 4) + 15 * 6);
    bed_fini(&b);
}

TEST(a_full_return_queue_holds_back_reads_but_loses_none)
{
    UNUSED_STATE;
    struct dram_config config = bed_config(DRAM_GDDR5);
    config.return_entries = 3;
    struct bed_item items[40];
    for (u32 i = 0; i < 40; i++)
        items[i] = READ(0, 5, i);
    struct bed b;
    bed_init(&b, &config, PIPE, items, 40, false);
    b.sink_period = 50; /* and only every other time from the port that is used */
    bed_run(&b);
    assert_int_equal(b.reply_count, 40);
    assert_int_equal(b.replies_twice, 0);
    /* the sink takes one per 100 cycles, the first in cycle 100 */
    for (u32 i = 0; i < 40; i++)
        assert_int_equal(b.replied[i] + BED_PUSHED_TO_TAKEN, 100 * (i + 1));
    /* 8 fill the port and 3 the return queue: their data is not held back */
    assert_int_equal(cycle_of(&b, b.left_fs[10]), ARRIVAL + 12 + 6 * 10 + 3 + 12 + 2);
    /* the next read goes when the port has moved up: taken in 100, room seen in 101 */
    assert_int_equal(cycle_of(&b, b.left_fs[11]), 101 + 3 + 12 + 2);
    bed_fini(&b);
}

TEST(refresh_closes_all_rows_and_keeps_the_banks_for_rfc)
{
    UNUSED_STATE;
    struct dram_config config = bed_config(DRAM_GDDR5);
    config.refi = 1000;
    config.rfc = 100;
    struct bed_item items[] = {READ(0, 5, 0), READ(0, 5, 1)};
    items[1].at = 1005 - ARRIVAL;
    struct bed b;
    run(&b, &config, items, 2);
    assert_int_equal(bed_nth(&b, DRAM_PRECHARGE, 0), 1000);
    assert_int_equal(bed_nth(&b, DRAM_REFRESH, 0), 1000 + 12);
    assert_int_equal(bed_nth(&b, DRAM_ACTIVATE, 1), 1000 + 12 + 100);
    assert_int_equal(b.channel.counts.row_misses, 2);
    assert_int_equal(b.channel.counts.refreshes, 1);
    bed_fini(&b);
    config.refresh = false;
    run(&b, &config, items, 2);
    assert_int_equal(b.channel.counts.refreshes, 0);
    bed_fini(&b);
}

TEST(an_idle_run_reports_nothing)
{
    UNUSED_STATE;
    struct dram_config config = bed_config(DRAM_GDDR5);
    struct bed b;
    bed_init(&b, &config, PIPE, NULL, 0, false);
    bed_run(&b);
    struct dram_counts none = {.queue.capacity = 16};
    assert_memory_equal(&b.channel.counts, &none, sizeof none);
    bed_fini(&b);
}

TEST(a_hung_channel_says_what_it_holds)
{
    UNUSED_STATE;
    struct dram_config config = bed_config(DRAM_GDDR5);
    config.return_entries = 2;
    struct bed_item items[20];
    for (u32 i = 0; i < 20; i++)
        items[i] = READ(0, 5, i);
    struct bed b;
    bed_init(&b, &config, PIPE, items, 20, false);
    b.sink_period = 1u << 30;
    engine_start(&b.sim.engine);
    assert_int_equal(engine_run(&b.sim.engine), ENGINE_HUNG);
    struct text report = {0};
    watchdog_report(&b.sim.engine, &report);
    assert_non_null(strstr(report.data, "2 of 2 in the return queue, the first for port out0"));
    assert_non_null(strstr(report.data, "10 in the scheduler queue, the oldest for bank 0, row 5"));
    text_fini(&report);
    bed_fini(&b);
}

RUN_TESTS(T(a_lone_read_takes_the_sum_of_its_parts), T(a_sector_needs_one_burst),
          T(a_row_hit_skips_the_activate_and_a_conflict_adds_a_precharge),
          T(the_close_policy_closes_an_idle_row),
          T(column_commands_are_ccdl_apart_in_a_bank_group_and_ccd_between_groups),
          T(activates_are_rrd_apart_and_of_one_bank_rc),
          T(a_fifth_activate_waits_for_the_window_of_four),
          T(a_read_after_a_write_waits_for_its_data_and_cdlr_and_the_reverse_for_the_bus),
          T(a_row_that_was_written_is_closed_after_write_recovery),
          T(fr_fcfs_serves_row_hits_first_and_then_the_oldest), T(a_late_hit_keeps_its_row_open),
          T(fcfs_serves_strictly_in_order), T(the_fixed_model_answers_after_exactly_the_pipe),
          T(the_pipe_ages_while_its_head_waits),
          T(a_full_return_queue_holds_back_reads_but_loses_none),
          T(refresh_closes_all_rows_and_keeps_the_banks_for_rfc), T(an_idle_run_reports_nothing),
          T(a_hung_channel_says_what_it_holds))

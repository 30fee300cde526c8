/* Loads and stores in the window: which store a load meets, forwarding, order, refusals. */
#include "cpu/window_bed.h"

#define ISSUED(n) ((n) + 1)              /* put in at n, it issues a cycle later */
#define HIT(n) (ISSUED(n) + 1 + 3)       /* address, L1D */
#define FORWARDED(n) (ISSUED(n) + 1 + 2) /* address, store queue */

TEST(a_load_that_hits_has_its_data_after_address_and_cache)
{
    UNUSED_STATE;
    struct window_bed b;
    window_open(&b, window_config());
    warm_line(&b, 0x1000);
    u32 load = put(&b, load_of(0x1000, 8));
    run_to(&b, 1);
    assert_int_equal(done_at(&b, load), HIT(0));
    assert_int_equal(b.counts.loads, 1);
    window_close(&b);
}

TEST(a_load_takes_its_bytes_from_the_youngest_older_store_that_has_them_all)
{
    UNUSED_STATE;
    struct window_bed b;
    window_open(&b, window_config());
    put(&b, store_of(0x1000, 8));
    put(&b, store_of(0x1000, 8));
    run_to(&b, 5);
    u32 load = put(&b, load_of(0x1004, 4));
    assert_int_equal(lsq_conflict(&b.lsq, 2, 0x1004, 4)->seq, 1);
    run_to(&b, 6);
    assert_int_equal(done_at(&b, load), FORWARDED(5));
    assert_int_equal(b.counts.forwards, 1);
    assert_int_equal(b.caches.l1d.counts.accesses, 0);
    window_close(&b);
}

TEST(a_load_waits_until_the_store_that_it_takes_from_has_executed)
{
    UNUSED_STATE;
    struct window_bed b;
    window_open(&b, window_config());
    u32 value = put(&b, work_of(CPU_DIV, 0, 7)); /* ten cycles: there at 11 */
    struct cpu_instruction s = store_of(0x1000, 8);
    s.source_count = 1;
    s.sources[0] = 7;
    u32 store = put(&b, s);
    u32 load = put(&b, load_of(0x1000, 8));
    run_to(&b, 30);
    assert_int_equal(done_at(&b, value), 11);
    assert_int_equal(done_at(&b, store), 12);
    assert_int_equal(done_at(&b, load), 12 + 1 + 2);
    window_close(&b);
}

TEST(a_younger_store_is_nothing_to_an_older_load)
{
    UNUSED_STATE;
    struct window_bed b;
    window_open(&b, window_config());
    warm_line(&b, 0x1000);
    u32 load = put(&b, load_of(0x1000, 8));
    put(&b, store_of(0x1000, 8));
    run_to(&b, 2);
    assert_int_equal(done_at(&b, load), HIT(0));
    assert_int_equal(b.counts.forwards, 0);
    window_close(&b);
}

TEST(a_load_of_bytes_of_a_store_and_of_others_waits_until_the_store_is_in_the_cache)
{
    UNUSED_STATE;
    struct window_bed b;
    window_open(&b, window_config());
    warm_line(&b, 0x1000);
    put(&b, store_of(0x1000, 4));
    run_to(&b, 5);
    u32 load = put(&b, load_of(0x1000, 8));
    run_to(&b, 20);
    assert_true(done_at(&b, load) == CYCLE_NEVER);
    retire(&b); /* between cycles 20 and 21: it is accessed and leaves in 21 */
    run_to(&b, 22);
    assert_int_equal(done_at(&b, load), 22 + 1 + 3);
    assert_int_equal(b.counts.forwards, 0);
    window_close(&b);
}

TEST(bytes_that_touch_do_not_meet)
{
    UNUSED_STATE;
    struct window_bed b;
    window_open(&b, window_config());
    put(&b, store_of(0x1008, 8));
    assert_null(lsq_conflict(&b.lsq, 1, 0x1000, 8));
    assert_null(lsq_conflict(&b.lsq, 1, 0x1010, 8));
    assert_non_null(lsq_conflict(&b.lsq, 1, 0x1000, 9));
    assert_non_null(lsq_conflict(&b.lsq, 1, 0x100f, 1));
    window_close(&b);
}

TEST(a_size_that_is_not_known_is_one_byte)
{
    UNUSED_STATE;
    struct window_bed b;
    window_open(&b, window_config());
    put(&b, store_of(0x1000, 0));
    assert_non_null(lsq_conflict(&b.lsq, 1, 0x1000, 1));
    assert_null(lsq_conflict(&b.lsq, 1, 0x1001, 1));
    window_close(&b);
}

TEST(stores_wider_than_the_filter_are_found_too)
{
    UNUSED_STATE;
    struct window_bed b;
    window_open(&b, window_config());
    put(&b, store_of(0x1000, 256));
    assert_non_null(lsq_conflict(&b.lsq, 1, 0x10ff, 1));
    assert_null(lsq_conflict(&b.lsq, 1, 0x1100, 1));
    window_close(&b);
}

TEST(the_queues_have_room_for_their_entries_and_one_that_needs_more_goes_alone)
{
    UNUSED_STATE;
    struct window_bed b;
    struct core_config c = window_config();
    struct cpu_instruction two = store_of(0x1000, 8), load = load_of(0x2000, 8);
    c.lsq.store_entries = 1;
    c.lsq.load_entries = 1;
    two.write_count = 2;
    window_open(&b, c);
    assert_true(lsq_has_room(&b.lsq, &two)); /* more than there are, but nothing else is in */
    put(&b, store_of(0x3000, 8));
    assert_false(lsq_has_room(&b.lsq, &two));
    struct cpu_instruction one = store_of(0x3008, 8);
    assert_false(lsq_has_room(&b.lsq, &one));
    assert_true(lsq_has_room(&b.lsq, &load));
    put(&b, load);
    assert_false(lsq_has_room(&b.lsq, &load));
    window_close(&b);
}

TEST(retired_stores_go_to_the_cache_in_order_one_a_pipe_and_cycle)
{
    UNUSED_STATE;
    struct window_bed b;
    window_open(&b, window_config());
    warm_line(&b, 0x1000);
    for (u32 i = 0; i < 3; i++)
        put(&b, store_of(0x1000 + 8 * i, 8));
    run_to(&b, 5);
    assert_int_equal(b.caches.l1d.counts.accesses, 0); /* none before it retires */
    for (u32 i = 0; i < 3; i++)
        retire(&b);
    for (u32 i = 1; i <= 3; i++) {
        run_to(&b, 5 + i);
        assert_int_equal(b.counts.stores, i);
    }
    assert_true(lsq_is_empty(&b.lsq));
    window_close(&b);
}

TEST(a_store_that_misses_keeps_its_entry_until_its_line_is_there)
{
    UNUSED_STATE;
    struct window_bed b;
    window_open(&b, window_config());
    put(&b, store_of(0x1000, 8));
    run_to(&b, 5);
    retire(&b);
    /* accessed at 6, in the L2 at 10, to memory at 18, there at 38 */
    run_to(&b, 37);
    assert_false(lsq_is_empty(&b.lsq));
    run_to(&b, 38);
    assert_true(lsq_is_empty(&b.lsq));
    window_close(&b);
}

TEST(a_store_that_finds_no_mshr_stops_those_behind_it_until_a_line_comes)
{
    UNUSED_STATE;
    struct window_bed b;
    struct core_config c = window_config();
    c.l1d.mshrs = 1;
    window_open(&b, c);
    warm_line(&b, 0x3000);
    put(&b, store_of(0x1000, 8));
    put(&b, store_of(0x2000, 8));
    put(&b, store_of(0x3000, 8));
    run_to(&b, 5);
    for (u32 i = 0; i < 3; i++)
        retire(&b);
    run_to(&b, 37);
    assert_int_equal(b.counts.stores, 1);
    assert_true(b.lsq.is_blocked);
    run_to(&b, 39); /* the line at 38, the second store with it; the third, a hit, at 39 */
    assert_int_equal(b.counts.stores, 3);
    window_close(&b);
}

TEST(a_load_across_two_lines_accesses_both)
{
    UNUSED_STATE;
    struct window_bed b;
    window_open(&b, window_config());
    warm_line(&b, 0x1000);
    warm_line(&b, 0x1040);
    u32 load = put(&b, load_of(0x103c, 8));
    run_to(&b, 1);
    assert_int_equal(b.caches.l1d.counts.accesses, 2);
    assert_int_equal(b.counts.loads, 1);
    assert_int_equal(done_at(&b, load), HIT(0));
    window_close(&b);
}

TEST(a_load_that_finds_no_mshr_tries_again_when_one_is_free)
{
    UNUSED_STATE;
    struct window_bed b;
    struct core_config c = window_config();
    c.l1d.mshrs = 1;
    window_open(&b, c);
    u32 first = put(&b, load_of(0x1000, 8)), second = put(&b, load_of(0x2000, 8));
    run_to(&b, 32);
    assert_true(done_at(&b, first) == CYCLE_NEVER);
    assert_int_equal(b.rob.entries[second].waits, CORE_MSHR);
    run_to(&b, 33); /* issued at 1: 1 + 4 + 8 + 20 */
    assert_int_equal(done_at(&b, first), 33);
    run_to(&b, 65); /* issued again at 33 */
    assert_int_equal(done_at(&b, second), 65);
    window_close(&b);
}

TEST(loads_that_wait_for_addresses_wait_for_all_older_stores)
{
    UNUSED_STATE;
    struct window_bed b;
    struct core_config c = window_config();
    c.lsq.loads_wait = LOADS_WAIT_STORES;
    window_open(&b, c);
    warm_line(&b, 0x5000);
    put(&b, work_of(CPU_DIV, 0, 7));
    struct cpu_instruction s = store_of(0x1000, 8); /* another address, not known before 11 */
    s.source_count = 1;
    s.sources[0] = 7;
    put(&b, s);
    u32 load = put(&b, load_of(0x5000, 8));
    run_to(&b, 11);
    assert_true(done_at(&b, load) == CYCLE_NEVER);
    run_to(&b, 30);
    assert_true(done_at(&b, load) >= 12 + 1 + 3 && done_at(&b, load) <= 13 + 1 + 3);
    window_close(&b);
}

TEST(a_page_that_the_tlb_does_not_know_delays_the_load_by_the_walk)
{
    UNUSED_STATE;
    struct window_bed b;
    struct core_config c = window_config();
    c.tlb.enabled = true;
    c.tlb.walk_cycles = 30;
    window_open(&b, c);
    warm_line(&b, 0x1000);
    u32 load = put(&b, load_of(0x1000, 8));
    run_to(&b, 60);
    assert_int_equal(done_at(&b, load), HIT(0) + 30);
    b.now = 60;
    u32 again = put(&b, load_of(0x1008, 8));
    run_to(&b, 70);
    assert_int_equal(done_at(&b, again), HIT(60));
    window_close(&b);
}

RUN_TESTS(T(a_load_that_hits_has_its_data_after_address_and_cache),
          T(a_load_takes_its_bytes_from_the_youngest_older_store_that_has_them_all),
          T(a_load_waits_until_the_store_that_it_takes_from_has_executed),
          T(a_younger_store_is_nothing_to_an_older_load),
          T(a_load_of_bytes_of_a_store_and_of_others_waits_until_the_store_is_in_the_cache),
          T(bytes_that_touch_do_not_meet), T(a_size_that_is_not_known_is_one_byte),
          T(stores_wider_than_the_filter_are_found_too),
          T(the_queues_have_room_for_their_entries_and_one_that_needs_more_goes_alone),
          T(retired_stores_go_to_the_cache_in_order_one_a_pipe_and_cycle),
          T(a_store_that_misses_keeps_its_entry_until_its_line_is_there),
          T(a_store_that_finds_no_mshr_stops_those_behind_it_until_a_line_comes),
          T(a_load_across_two_lines_accesses_both),
          T(a_load_that_finds_no_mshr_tries_again_when_one_is_free),
          T(loads_that_wait_for_addresses_wait_for_all_older_stores),
          T(a_page_that_the_tlb_does_not_know_delays_the_load_by_the_walk))

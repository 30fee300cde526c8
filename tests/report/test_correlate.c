/* Words for kernels that are off, and the forms that a comparison is written in. */
#include "silicon/correlate_bed.h"

#include "report/correlate.h"

#include <math.h>

static const struct correlate_kernel *nothing_known(struct correlate_kernel *k)
{
    *k = (struct correlate_kernel){.program = "p", .name = "k", .bound_by = "luck"};
    for (u32 i = 0; i < MOST_COUNTERS; i++)
        k->on_silicon[i] = k->simulated[i] = k->absolute[i] = NAN;
    return k;
}

static void set(struct correlate_kernel *k, const char *counter, double silicon, double simulated)
{
    u32 i = counter_find(counter);
    k->on_silicon[i] = silicon;
    k->simulated[i] = simulated;
    k->absolute[i] = fabs(counter_error(&correlate_counters[i], silicon, simulated));
}

static void says(const struct correlate_kernel *k, const char *words)
{
    struct text t = {0};
    correlate_diagnose(k, &t);
    assert_string_equal(t.data, words);
    text_fini(&t);
}

TEST(the_largest_difference_that_points_the_same_way_is_named_first)
{
    UNUSED_STATE;
    struct correlate_kernel k;
    nothing_known(&k);
    set(&k, "cycles", 10000, 20000);
    set(&k, "busy_cycles", 8000, 20000);
    set(&k, "warp_instructions", 1000, 1600); /* ln 1.6 = 0.47 */
    set(&k, "l1_hit", 80, 20);                /* 60 points: 1.2 */
    set(&k, "l2_reads", 9000, 3000);          /* would make it shorter */
    k.slots[SLOT_DATA_MEM] = 60;
    k.slots[SLOT_ISSUED] = 20;
    k.slots[SLOT_NO_WARP] = 20;
    says(&k,
         "of scheduler cycles with a warp 75 % wait for data from memory, 25 % issue instructions; "
         "explained by: L1 hit rate 20 % where silicon has 80 %; warp instructions 1.60 times "
         "silicon's (bound by luck)");
    set(&k, "cycles", 10000, 5000); /* too short: now only the L2's traffic explains it */
    says(&k,
         "of scheduler cycles with a warp 75 % wait for data from memory, 25 % issue instructions; "
         "explained by: sectors read from L2 0.33 times silicon's (bound by luck)");
}

TEST(schedulers_that_have_no_warp_are_told_apart)
{
    UNUSED_STATE;
    struct correlate_kernel k;
    nothing_known(&k);
    set(&k, "cycles", 10000, 20000);
    set(&k, "busy_cycles", 8000, 20000);
    k.slots[SLOT_BARRIER] = 10;
    k.slots[SLOT_NO_WARP] = 90;
    says(&k, "90 % of scheduler cycles have no warp, of the others 100 % wait at barriers; no "
             "counter differs in that direction: latencies or rates of the chip (bound by luck)");
}

TEST(what_warps_waited_for_on_silicon_is_said_where_it_was_recorded)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct silicon_stalls s;
    struct correlate_kernel k;
    static const char table[] =
        "workload,kernel,issued,selected,barrier,branch_resolving,dispatch_stall,drain,imc_miss,"
        "lg_throttle,long_scoreboard,math_pipe_throttle,membar,mio_throttle,misc,no_instruction,"
        "short_scoreboard,sleeping,tex_throttle,wait\n"
        "p,k,100,1,0,0,0,0,0,0,3,0,0,0,0,0,0,0,0,1\n"
        "p,k,300,1,5,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0\n"
        "q,k,100,1,0,0,0,0,0,0,9,0,0,0,0,0,0,0,0,0\n";
    assert_true(silicon_stalls_read_text(&s, "s.csv", table, strlen(table), &arena, &err));
    nothing_known(&k);
    set(&k, "cycles", 10000, 20000);
    k.stalls = silicon_stalls_of(&s, "p", "k"); /* barriers 1,500, memory 600, latencies 100 */
    says(&k, "on silicon waiting warps wait 68 % at barriers; no counter differs in that "
             "direction: latencies or rates of the chip (bound by luck)");
    assert_null(silicon_stalls_of(&s, "r", "k"));
    assert_false(
        silicon_stalls_read_text(&s, "s.csv", "workload,kernel,issud\n", 22, &arena, &err));
    assert_string_equal(err.what, "there is no column 'issued' (nearest: issud)");
    arena_fini(&arena);
}

TEST(without_a_difference_the_chips_own_latencies_are_left)
{
    UNUSED_STATE;
    struct correlate_kernel k;
    nothing_known(&k);
    set(&k, "cycles", 10000, 20000);
    set(&k, "busy_cycles", 8000, 20000);
    set(&k, "warp_instructions", 1000, 1050); /* a twentieth is not worth naming */
    says(&k,
         "no counter differs in that direction: latencies or rates of the chip (bound by luck)");
}

TEST(a_launch_that_costs_nothing_is_told_apart)
{
    UNUSED_STATE;
    struct correlate_kernel k;
    nothing_known(&k);
    set(&k, "cycles", 8000, 5200);
    set(&k, "busy_cycles", 5000, 5200);
    set(&k, "warp_instructions", 2000, 1000);
    says(&k, "without the launch itself the error is 4.0 % (bound by luck)");
}

TEST(every_launch_and_counter_is_a_row_and_outliers_come_first)
{
    UNUSED_STATE;
    struct correlate_bed b;
    struct text csv = {0}, page = {0};
    const struct correlate_fitted none = {0};
    correlate_bed_read(&b, measured, NULL);
    correlate_csv(&b.c, &b.r, &csv);
    u32 lines = 0;
    for (const char *p = csv.data; *p; p++)
        lines += *p == '\n';
    assert_int_equal(lines, 1 + 6 * counter_count());
    assert_non_null(
        strstr(csv.data, "\nbfs,test,1,expand,4x1x1,64x1x1,yes,cycles,15000,20000,-25,%\n"));
    assert_non_null(strstr(csv.data, "\nbfs,test,2,advance,4x1x1,64x1x1,no,cycles,9999,3000,"));
    const u32 *order = correlate_order(&b.c, &b.r);
    assert_string_equal(b.r.kernels[order[0]].name, "product"); /* 50 % */
    assert_string_equal(b.r.kernels[order[1]].name, "expand");  /* 22.5 % */
    json_t *j = correlate_json(&b.c, &b.r, &none);
    assert_string_equal(json_string_value(json_object_get(j, "format")), CORRELATE_FORMAT);
    assert_int_equal(json_array_size(json_object_get(j, "launches")), 6);
    page_correlate_make(j, &page);
    assert_non_null(strstr(page.data, "<title>fermi15 beside silicon</title>"));
    json_decref(j);
    text_fini(&csv);
    text_fini(&page);
    correlate_bed_close(&b);
}

RUN_TESTS(T(the_largest_difference_that_points_the_same_way_is_named_first),
          T(schedulers_that_have_no_warp_are_told_apart),
          T(what_warps_waited_for_on_silicon_is_said_where_it_was_recorded),
          T(without_a_difference_the_chips_own_latencies_are_left),
          T(a_launch_that_costs_nothing_is_told_apart),
          T(every_launch_and_counter_is_a_row_and_outliers_come_first))

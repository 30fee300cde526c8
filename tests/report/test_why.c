/* Judgements of `heddle why` from numbers made by hand. */
#include "testing.h"

#include "machine/model.h"
#include "report/why.h"

#include <math.h>

#define MOST_COLUMNS 48u

/* A run of one kernel of 1000 cycles on fermi15: 15 SMs with 2 schedulers each. */
struct made {
    struct why why;
    const char *columns[MOST_COLUMNS];
    double values[MOST_COLUMNS];
};

static const struct plan_point some_point;
static const struct plan_workload some_workload = {.name = "k", .size = ""};
static const struct plan_point named_point = {.workload = &some_workload};

static void column(struct made *m, const char *name, double value)
{
    assert_true(m->why.column_count < MOST_COLUMNS);
    m->columns[m->why.column_count] = name;
    m->values[m->why.column_count++] = value;
}

/* gains: of the what-ifs in their order, from fixed-dram on; 0 ends. */
static void make(struct made *m, const double *gains)
{
    const char *const *folders = testing_chips();
    struct config_request request = {
        .chip = "fermi15", .folders = folders, .schemas = model_schemas};
    struct err err = ERR_INIT;
    *m = (struct made){0};
    if (!config_load(&m->why.chip, &request, &err))
        fail_msg("%s", err.what);
    m->why.columns = m->columns;
    m->why.all = (struct why_row){.name = "k", .launches = 1, .values = m->values};
    m->why.all.cycles[0] = 1000;
    m->why.variants[0] = (struct why_variant){.whatif = &whatifs[0], .point = &some_point};
    u32 n = 1;
    for (; *gains != 0; gains++, n++) {
        m->why.variants[n] = (struct why_variant){.whatif = &whatifs[n], .point = &some_point};
        m->why.all.cycles[n] = 1000 / *gains;
    }
    m->why.variant_count = n;
    column(m, "cycles", 1000);
}

static void slots(struct made *m, double issued, double data_mem, double structural_mem,
                  double structural_alu, double no_warp)
{
    column(m, "scheduler_slots_issued", issued);
    column(m, "scheduler_slots_fetch", 0);
    column(m, "scheduler_slots_data_mem", data_mem);
    column(m, "scheduler_slots_data_alu", 0);
    column(m, "scheduler_slots_structural_mem", structural_mem);
    column(m, "scheduler_slots_structural_alu", structural_alu);
    column(m, "scheduler_slots_barrier", 0);
    column(m, "scheduler_slots_throttled", 0);
    column(m, "scheduler_slots_no_warp", no_warp);
    column(m, "warp_instructions", issued);
}

static void l2_stalls(struct made *m, double icnt, double dram)
{
    column(m, "l2_stall_bp_icnt", icnt);
    column(m, "l2_stall_bp_dram", dram);
    column(m, "l2_stall_port", 0);
    column(m, "l2_stall_cache", 0);
    column(m, "l2_stall_mshr", 0);
}

static struct why_verdict judge(const struct made *m)
{
    struct why_verdict v;
    why_judge(&m->why, &m->why.all, &v);
    return v;
}

static void done(struct made *m)
{
    config_fini(&m->why.chip);
}

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

TEST(facts_are_shares_of_what_the_chip_could_do)
{
    UNUSED_STATE;
    struct made m;
    make(&m, (const double[]){1, 1, 1, 0});
    slots(&m, 6000, 12000, 3000, 0, 9000); /* 15 x 2 x 1000 */
    l2_stalls(&m, 300, 900);
    column(&m, "dram_read_bytes", 60000);
    column(&m, "dram_written_bytes", 3360);
    column(&m, "load_lines", 64);
    column(&m, "load_requests", 16);
    NEAR(fact_of(&m.why, &m.why.all, "data_mem"), 0.4);
    /* live are 21000; both schedulers share one set of lanes: 10500 could be issued */
    NEAR(fact_of(&m.why, &m.why.all, "issue_use"), 6000.0 / 10500);
    /* 500 cycles of 700 MHz and 12 banks */
    NEAR(fact_of(&m.why, &m.why.all, "l2_stalled"), 1200.0 / 6000);
    NEAR(fact_of(&m.why, &m.why.all, "l2_bp_dram"), 0.75);
    /* 1000 / 1.4 GHz at 177.408 GB/s are 126720 bytes */
    NEAR(fact_of(&m.why, &m.why.all, "dram_use"), 0.5);
    NEAR(fact_of(&m.why, &m.why.all, "lines_per_load"), 4);
    assert_true(isnan(fact_of(&m.why, &m.why.all, "passes"))); /* the run has none */
    done(&m);
}

TEST(a_sentence_cites_its_statistic)
{
    UNUSED_STATE;
    struct text t = {0};
    fact_text(measure_find(model_named("gpu")->facts, "data_mem"), 0.631, &t);
    assert_string_equal(t.data, "63.1 % of scheduler cycles: all warps waited for data from memory "
                                "(scheduler_slots.data_mem)");
    text_fini(&t);
    fact_text(measure_find(model_named("gpu")->facts, "l2_stalled"), 0.2, &t);
    assert_string_equal(t.data, "20.0 % of cycles a bank of the L2 was stalled (l2_stall)");
    text_fini(&t);
    fact_text(measure_find(model_named("gpu")->facts, "dram_use"), 0.5, &t);
    assert_string_equal(t.data, "50.0 % of the DRAM's peak bandwidth was used (dram_read_bytes + "
                                "dram_written_bytes)");
    text_fini(&t);
    fact_text(measure_find(model_named("gpu")->facts, "l1_hits"), 0.5, &t);
    assert_string_equal(t.data, "50.0 % of the L1's loads hit (l1_hits / l1_loads)");
    text_fini(&t);
}

TEST(every_fact_of_the_table_has_a_name_of_its_own)
{
    UNUSED_STATE;
    const struct measure *facts = model_named("gpu")->facts;
    for (const struct measure *f = facts; f->id; f++)
        assert_ptr_equal(measure_find(facts, f->id), f);
}

TEST(what_memory_costs_is_a_product_of_three)
{
    UNUSED_STATE;
    struct made m;
    make(&m, (const double[]){1.25, 2.5, 3, 0});
    slots(&m, 3000, 20000, 7000, 0, 0);
    struct why_verdict v = judge(&m);
    NEAR(v.costs.dram, 1.25);
    NEAR(v.costs.path, 2);
    NEAR(v.costs.latency, 1.2);
    NEAR(v.costs.dram * v.costs.path * v.costs.latency, v.costs.all);
    done(&m);
}

/* The same stalls, but the gains differ: the largest cost names the bound, contention of 1.5 and
 * more before latency. */
TEST(gains_decide_between_dram_path_and_latency)
{
    UNUSED_STATE;
    static const struct {
        double gains[4];
        const char *rule;
    } rows[] = {
        {{1.8, 2.0, 2.1, 0}, "dram"}, /* 1.8, 1.11, 1.05 */
        {{1.05, 2.1, 2.4, 0}, "path-replies"}, {{1.02, 1.2, 2.4, 0}, "latency"}, /* 1.02, 1.18, 2 */
        {{1.02, 1.6, 3.2, 0}, "path-replies"},                                   /* 1.02, 1.57, 2 */
        {{1.02, 1.2, 1.3, 0}, "path-replies"}, /* 1.02, 1.18, 1.08 */
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct made m;
        make(&m, rows[i].gains);
        slots(&m, 3000, 20000, 7000, 0, 0);
        l2_stalls(&m, 900, 300);
        assert_string_equal(judge(&m).rule, rows[i].rule);
        done(&m);
    }
}

static void tensor(struct made *m, double busy, double copies, double products, double warps,
                   double other)
{
    column(m, "tensor_cycles_busy", busy);
    column(m, "tensor_cycles_copies", copies);
    column(m, "tensor_cycles_products", products);
    column(m, "tensor_cycles_warps", warps);
    column(m, "tensor_cycles_other", other);
}

/* Of 30000 scheduler-cycles 5000 are without warps: busy 20000 is 0.8 of the rest. Idle tensor
 * cores are a bound where one cause has a quarter of their time, memory's contention is small
 * (1.02 x 1.05) and they are not busy most of the time. */
TEST(tensor_cores_are_busy_or_wait_for_copies_products_warps_or_work)
{
    UNUSED_STATE;
    static const struct {
        double share[5];
        const char *rule;
    } rows[] = {
        {{20000, 100, 0, 0, 0}, "tensor"},
        {{19999, 9000, 100, 0, 0}, "tensor-copies"},
        {{10000, 3000, 5000, 1000, 0}, "tensor-products"},
        {{10000, 3000, 2000, 6000, 0}, "tensor-warps"},
        {{10000, 3000, 2000, 0, 6000}, "tensor-other"},
        {{10000, 3000, 0, 0, 0}, "latency"}, /* 3 of 13 are less than a quarter */
        {{0, 0, 0, 0, 0}, "latency"},
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct made m;
        const double *s = rows[i].share;
        make(&m, (const double[]){1.02, 1.07, 1.8, 0});
        slots(&m, 3000, 15000, 7000, 0, 5000);
        tensor(&m, s[0], s[1], s[2], s[3], s[4]);
        assert_string_equal(judge(&m).rule, rows[i].rule);
        done(&m);
    }
}

/* Tensor copies that wait because DRAM is slow are DRAM's: it helps as much as it is measured to.
 */
TEST(dram_comes_before_copies_that_wait_for_it)
{
    UNUSED_STATE;
    struct made m;
    make(&m, (const double[]){1.8, 2.0, 2.1, 0});
    slots(&m, 3000, 20000, 7000, 0, 0);
    tensor(&m, 5000, 20000, 0, 0, 0);
    assert_string_equal(judge(&m).rule, "dram");
    NEAR(fact_of(&m.why, &m.why.all, "tensor_copies"), 0.8);
    done(&m);
}

/* Most stalls are for the data ports, but wider ports were measured to be of no use. */
TEST(a_measured_part_of_the_path_comes_before_stalls)
{
    UNUSED_STATE;
    static const struct {
        double replies, ports, requests;
        const char *rule;
    } rows[] = {{1.3, 0.96, 1, "replies"},
                {1.3, 0.96, 1.4, "requests"},
                {1.01, 1.2, 1, "ports"},
                {1.01, 0.96, 1.04, "path-ports"}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct made m;
        make(&m, (const double[]){1, 2, 2.1, 1, 1.7, 1, rows[i].replies, rows[i].ports,
                                  rows[i].requests, 0});
        slots(&m, 3000, 20000, 7000, 0, 0);
        column(&m, "l2_stall_bp_icnt", 300);
        column(&m, "l2_stall_bp_dram", 0);
        column(&m, "l2_stall_port", 900);
        column(&m, "l2_stall_cache", 0);
        column(&m, "l2_stall_mshr", 0);
        assert_string_equal(judge(&m).rule, rows[i].rule);
        done(&m);
    }
}

TEST(a_dram_that_moves_most_of_its_peak_is_bound_by_bandwidth)
{
    UNUSED_STATE;
    struct made m;
    make(&m, (const double[]){1.8, 2, 2.1, 0});
    slots(&m, 3000, 20000, 7000, 0, 0);
    column(&m, "dram_read_bytes", 126720 * 0.7);
    column(&m, "dram_written_bytes", 0);
    assert_string_equal(judge(&m).rule, "dram-bandwidth");
    done(&m);
}

/* nn on fermi15: full queues say "path to DRAM" and 76.6 % of the peak "bandwidth"; wider DRAM
 * helps, and more so with what is in front of it. */
TEST(what_the_statistics_say_is_claimed_with_the_gain_that_confirms_it)
{
    UNUSED_STATE;
    struct made m;
    struct text t = {0};
    make(&m, (const double[]){1.59, 4.04, 4.1, 0.99, 0.99, 1.57, 1.01, 1, 1, 0.98, 1, 1.06, 1, 1.04,
                              3.64, 2.09, 1.01, 1, 0});
    slots(&m, 5000, 4000, 20000, 1000, 0);
    l2_stalls(&m, 0, 900);
    column(&m, "dram_read_bytes", 126720 * 0.766);
    column(&m, "dram_written_bytes", 0);
    struct why_verdict v = judge(&m);
    assert_string_equal(v.rule, "dram-bandwidth");
    assert_string_equal(v.bound, "DRAM bandwidth");
    assert_int_equal(v.measured_count, 4);
    assert_string_equal(m.why.variants[v.measured[0].variant].whatif->id, "l2-dram-x4");
    NEAR(v.measured[0].gain, 3.64);
    assert_null(v.doubt.claim);
    m.why.variants[0].point = &named_point;
    why_to_text(&m.why, 0, &t);
    assert_non_null(
        strstr(t.data, "  Bound by DRAM bandwidth (measured: l2-dram-x4 3.64x, replies-dram 2.09x, "
                       "fixed-dram 1.59x, dram-x4 1.57x).\n"));
    text_fini(&t);
    done(&m);
}

/* sradv2 on fermi15: all lines of a set are reserved; a hash is measured to help. */
TEST(sets_of_the_l1_are_claimed_where_another_index_helps)
{
    UNUSED_STATE;
    static const struct {
        double index, ways, size;
        const char *rule;
    } rows[] = {{1.27, 1.25, 1.26, "l1-sets"}, {1.04, 0.99, 1.01, "latency"}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct made m;
        make(&m, (const double[]){1.15, 1.46, 2.74, 0.77, 1, 1, 1, 1, 1, 1, rows[i].size, 1, 1, 1,
                                  1, 1, rows[i].index, rows[i].ways, 0});
        slots(&m, 3000, 6000, 20000, 1000, 0);
        column(&m, "l1_stall_cache", 13000);
        column(&m, "l1_stall_mshr", 500);
        column(&m, "l1_stall_bp_l2", 500);
        assert_string_equal(judge(&m).rule, rows[i].rule);
        done(&m);
    }
}

/* Stalls point to the data ports, and wider ports are no faster: said, not claimed. */
TEST(what_no_run_confirms_is_not_claimed)
{
    UNUSED_STATE;
    struct made m;
    struct text t = {0};
    make(&m, (const double[]){1, 2, 2.1, 1, 1.7, 1, 1.34, 0.96, 1, 0});
    slots(&m, 3000, 7000, 20000, 0, 0);
    column(&m, "l2_stall_bp_icnt", 300);
    column(&m, "l2_stall_bp_dram", 0);
    column(&m, "l2_stall_port", 900);
    column(&m, "l2_stall_cache", 0);
    column(&m, "l2_stall_mshr", 0);
    struct why_verdict v = judge(&m);
    assert_string_equal(v.rule, "replies");
    assert_string_equal(v.doubt.claim, "data ports of the L2 banks");
    NEAR(v.doubt.measured.gain, 0.96);
    m.why.variants[0].point = &named_point;
    why_to_text(&m.why, 0, &t);
    assert_non_null(strstr(t.data,
                           "  Bound by the path between L1 and L2: width of the replies (measured: "
                           "replies-x2 1.34x).\n"));
    assert_non_null(
        strstr(t.data, "  - The run's own statistics point to data ports of the L2 banks, but the "
                       "best of the changes that address it is data ports of the L2 twice as "
                       "wide 0.96x (ports-x2).\n"));
    text_fini(&t);
    done(&m);
}

/* Without a run against it, a bound stands beside what memory costs. */
TEST(a_bound_that_nothing_was_tried_against_says_what_memory_costs)
{
    UNUSED_STATE;
    struct made m;
    make(&m, (const double[]){1, 1, 1.02, 0});
    slots(&m, 14000, 2000, 0, 14000, 0);
    struct why_verdict v = judge(&m);
    assert_string_equal(v.rule, "issue");
    assert_int_equal(v.measured_count, 1);
    assert_string_equal(m.why.variants[v.measured[0].variant].whatif->id, "perfect");
    NEAR(v.measured[0].gain, 1.02);
    done(&m);
}

/* bfs on fermi15: what the L2 gives, the L2 with DRAM gives too; only the part is said to help. */
TEST(two_changes_at_once_help_where_they_gain_more_than_either)
{
    UNUSED_STATE;
    static const struct {
        double joint;
        const char *best;
    } rows[] = {{3.09, "l2-x4"}, {3.2, "l2-dram-x4"}}; /* 1.05 x 3.02 is 3.17 */
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct made m;
        make(&m, (const double[]){1, 4.17, 8.2, 0.91, 3.02, 1, 1.48, 1, 1.01, 1.46, 2.09, 1, 1,
                                  0.99, rows[i].joint, 1.49, 1, 1, 0});
        slots(&m, 3000, 2000, 25000, 0, 0);
        l2_stalls(&m, 900, 300);
        struct why_verdict v = judge(&m);
        assert_string_equal(v.rule, "replies");
        assert_string_equal(m.why.variants[v.gains[0].variant].whatif->id, rows[i].best);
        done(&m);
    }
}

TEST(without_gains_of_memory_the_units_are_named)
{
    UNUSED_STATE;
    struct made m;
    make(&m, (const double[]){1, 1, 1, 0});
    slots(&m, 9000, 2000, 0, 19000, 0);
    assert_string_equal(judge(&m).rule, "units-most");
    done(&m);
    make(&m, (const double[]){1, 1, 1.01, 0});
    slots(&m, 14000, 2000, 0, 14000, 0); /* 14000 of 15000 */
    assert_string_equal(judge(&m).rule, "issue");
    done(&m);
}

TEST(a_chip_without_warps_lacks_parallelism)
{
    UNUSED_STATE;
    struct made m;
    make(&m, (const double[]){1, 1, 1.05, 0});
    slots(&m, 3000, 6000, 0, 0, 21000);
    struct why_verdict v = judge(&m);
    assert_string_equal(v.rule, "parallelism");
    assert_int_equal(v.remark_count, 1);
    assert_string_equal(v.remarks[0].fact->id, "no_warp");
    done(&m);
}

TEST(changes_are_sorted_by_what_they_gain_and_ladders_are_none)
{
    UNUSED_STATE;
    struct made m;
    make(&m, (const double[]){1, 3, 4, 1.02, 1.9, 0.9, 0}); /* l1, l2, dram */
    slots(&m, 3000, 20000, 7000, 0, 0);
    struct why_verdict v = judge(&m);
    assert_int_equal(v.gain_count, 3);
    assert_string_equal(m.why.variants[v.gains[0].variant].whatif->id, "l2-x4");
    assert_string_equal(m.why.variants[v.gains[2].variant].whatif->id, "dram-x4");
    NEAR(v.gains[0].gain, 1.9);
    done(&m);
}

RUN_TESTS(T(facts_are_shares_of_what_the_chip_could_do), T(a_sentence_cites_its_statistic),
          T(every_fact_of_the_table_has_a_name_of_its_own),
          T(what_memory_costs_is_a_product_of_three), T(gains_decide_between_dram_path_and_latency),
          T(tensor_cores_are_busy_or_wait_for_copies_products_warps_or_work),
          T(dram_comes_before_copies_that_wait_for_it),
          T(a_measured_part_of_the_path_comes_before_stalls),
          T(a_dram_that_moves_most_of_its_peak_is_bound_by_bandwidth),
          T(what_the_statistics_say_is_claimed_with_the_gain_that_confirms_it),
          T(sets_of_the_l1_are_claimed_where_another_index_helps),
          T(what_no_run_confirms_is_not_claimed),
          T(a_bound_that_nothing_was_tried_against_says_what_memory_costs),
          T(two_changes_at_once_help_where_they_gain_more_than_either),
          T(without_gains_of_memory_the_units_are_named), T(a_chip_without_warps_lacks_parallelism),
          T(changes_are_sorted_by_what_they_gain_and_ladders_are_none))

/* What makes a core faster does, and nothing depends on how it is simulated. */
#include "cpu/bed.h"

#include "stats/output.h"

/* Each setting is at least as fast as the one before it, and the last one faster than the first. */
static void check_order(const char *kernel, const char *more, const char *const *settings,
                        u32 count)
{
    u64 first = 0, last = UINT64_MAX;
    for (u32 i = 0; i < count; i++) {
        const char *sets[] = {settings[i], "core.count=1", more, NULL};
        u64 cycles = kernel_cycles_only(kernel, sets);
        if (cycles > last)
            fail_msg("%s: %s takes %llu cycles, more than the %llu before", kernel, settings[i],
                     (unsigned long long)cycles, (unsigned long long)last);
        last = cycles;
        first = i ? first : cycles;
    }
    assert_true(last * 20 <= first * 19); /* by 5 % */
}
#define ORDER(kernel, ...) ORDER_WITH(kernel, NULL, __VA_ARGS__)
#define ORDER_WITH(kernel, more, ...)                                                              \
    do {                                                                                           \
        static const char *const settings[] = {__VA_ARGS__};                                       \
        check_order(kernel, more, settings, ARRAY_LEN(settings));                                  \
    } while (0)

#define LOOPS "cpu:loop,length=60000,branch_period=7,code_bytes=1KiB"
#define MIX "cpu:mix,length=40000"

TEST(better_predictors_are_faster)
{
    UNUSED_STATE;
    ORDER(LOOPS, "core.branch.predictor=bimodal", "core.branch.predictor=gshare",
          "core.branch.perfect=true");
    ORDER(LOOPS, "core.branch.predictor=bimodal", "core.branch.predictor=tage",
          "core.branch.perfect=true");
    ORDER(LOOPS, "core.branch.predictor=bimodal", "core.branch.predictor=tournament",
          "core.branch.perfect=true");
    ORDER(LOOPS, "core.branch.predictor=bimodal", "core.branch.predictor=perceptron",
          "core.branch.perfect=true");
    ORDER("cpu:loop,length=60000,branch_period=40,code_bytes=64", "core.branch.loop_entries=0",
          "core.branch.loop_entries=64", "core.branch.perfect=true");
}

TEST(larger_windows_are_faster)
{
    UNUSED_STATE;
    ORDER("cpu:random,length=20000", "core.window.rob_entries=16", "core.window.rob_entries=64",
          "core.window.rob_entries=256");
    ORDER(MIX, "core.window.scheduler_entries=4", "core.window.scheduler_entries=16",
          "core.window.scheduler_entries=64");
}

TEST(wider_cores_are_faster)
{
    UNUSED_STATE;
    ORDER("cpu:independent,length=20000", "core.window.issue_width=1", "core.window.issue_width=2",
          "core.window.issue_width=4");
    ORDER(MIX, "core.window.dispatch_width=1", "core.window.dispatch_width=2",
          "core.window.dispatch_width=4");
    ORDER("cpu:fp,length=20000", "core.units.fp_fma.pipes=1", "core.units.fp_fma.pipes=2");
}

TEST(larger_caches_are_faster)
{
    UNUSED_STATE;
    ORDER("cpu:chase,length=30000,footprint_bytes=24KiB", "core.l1d.size_bytes=4KiB",
          "core.l1d.size_bytes=16KiB", "core.l1d.size_bytes=64KiB", "core.l1d.perfect=true");
    ORDER("cpu:chase,length=20000,footprint_bytes=128KiB", "core.l2.size_bytes=32KiB",
          "core.l2.size_bytes=256KiB", "core.l2.perfect=true");
    ORDER("cpu:code,length=60000,code_bytes=24KiB", "core.l1i.size_bytes=4KiB",
          "core.l1i.size_bytes=32KiB", "core.l1i.perfect=true");
    ORDER("cpu:random,length=30000", "core.l1d.mshrs=1", "core.l1d.mshrs=4", "core.l1d.mshrs=16");
}

TEST(prefetchers_help_streams_that_the_window_does_not_hide)
{
    UNUSED_STATE;
    const char *stream = "cpu:stream,length=10000", *small = "core.window.rob_entries=16";
    ORDER_WITH(stream, small, "core.l1d.prefetcher=none", "core.l1d.prefetcher=next_line",
               "core.l1d.prefetcher=stride");
    ORDER_WITH(stream, small, "core.l2.prefetcher=none", "core.l2.prefetcher=next_line",
               "core.l2.prefetcher=stride");
}

TEST(out_of_order_is_faster_than_in_order)
{
    UNUSED_STATE;
    ORDER(MIX, "core.window.in_order=true", "core.window.in_order=false");
    ORDER("cpu:random,length=20000,dependence_distance=1", "core.window.in_order=true",
          "core.window.in_order=false");
}

static void statistics_row(void *context, const struct stat_row *row)
{
    struct text *t = context;
    const struct stat_value *v = &row->value;
    text_printf(t, "%s.%s", row->path, row->def->name);
    for (u32 i = 0; v->shape == STAT_LIST && i < row->def->label_count; i++)
        text_printf(t, " %llu", (unsigned long long)v->list[i]);
    if (v->shape != STAT_LIST && v->defined)
        text_printf(t, " %.17g", v->number);
    text_printf(t, "\n");
}

/* Two programs, on cores 0 and 2. */
static char *statistics_of(const char *a, const char *b, bool no_skip, const char *const *sets)
{
    struct bed bed;
    struct cpu_stream s[2];
    struct text t = {0};
    struct err err = ERR_INIT;
    const char *const names[] = {a, b};
    bed_open_chip(&bed, "cpu4", sets, no_skip);
    for (u32 i = 0; i < 2; i++) {
        if (!cpu_stream_open(&s[i], &(struct cpu_stream_request){.name = names[i], .seed = 1},
                             &err))
            bed_fail(&err);
        bed_start(&bed, 2 * i, &s[i]);
    }
    bed_run(&bed);
    if (!stats_visit(&bed.sim.stats, true, statistics_row, &t, &err))
        bed_fail(&err);
    for (u32 i = 0; i < 2; i++)
        cpu_stream_close(&s[i]);
    bed_close(&bed);
    return t.data;
}

static void check_skipping(const char *a, const char *b, const char *const *sets)
{
    char *x = statistics_of(a, b, false, sets), *y = statistics_of(a, b, true, sets);
    assert_string_equal(x, y);
    free(x);
    free(y);
}

TEST(cycles_that_are_skipped_change_nothing)
{
    UNUSED_STATE;
    static const char *const lean[] = {"core.window.in_order=true", "core.tlb.enabled=true",
                                       "core.l1d.prefetcher=stride", "core.l2.prefetcher=next_line",
                                       NULL};
    check_skipping("cpu:mix,length=10000,footprint_bytes=4MiB", "cpu:copy,length=8000", NULL);
    check_skipping("cpu:coin,length=10000", "cpu:random,length=4000,dependence_distance=2", NULL);
    check_skipping("cpu:mix,length=10000,footprint_bytes=4MiB", "cpu:stream,length=8000", lean);
}

TEST(a_program_beside_another_is_slower_where_they_share_memory)
{
    UNUSED_STATE;
    struct bed b;
    u64 alone = kernel_cycles_only("cpu:stream,length=20000", NULL);
    struct cpu_stream s[4];
    struct err err = ERR_INIT;
    bed_open(&b, NULL);
    for (u32 i = 0; i < 4; i++) {
        if (!cpu_stream_open(&s[i], &(struct cpu_stream_request){.name = "cpu:stream,length=20000"},
                             &err))
            bed_fail(&err);
        bed_start(&b, i, &s[i]);
    }
    bed_run(&b);
    for (u32 i = 0; i < 4; i++) {
        assert_true(bed_core(&b, i)->counts.cycles > alone);
        cpu_stream_close(&s[i]);
    }
    bed_close(&b);
}

RUN_TESTS(T(better_predictors_are_faster), T(larger_windows_are_faster), T(wider_cores_are_faster),
          T(larger_caches_are_faster), T(prefetchers_help_streams_that_the_window_does_not_hide),
          T(out_of_order_is_faster_than_in_order), T(cycles_that_are_skipped_change_nothing),
          T(a_program_beside_another_is_slower_where_they_share_memory))

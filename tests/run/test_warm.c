/* What is measured of programs that run for a while before they count. */
#include "testing.h"

#include "machine/cpu_cluster.h"
#include "machine/machine.h"
#include "run/run.h"

#define LENGTH 20000
#define MIX(length) "cpu:mix,footprint_bytes=64KiB,length=" #length

static void must(bool ok, const struct err *err)
{
    char words[1600] = "";
    if (!ok)
        err_text(err, words, sizeof words);
    assert_string_equal(words, "");
}

static u64 stat(struct run *run, const char *name)
{
    struct err err = ERR_INIT;
    double value = 0;
    must(stats_number(&run->sim.stats, name, &value, &err), &err);
    return (u64)value;
}

/* Programs on cores 0, 1 ... of cpu4, with a warm part each. */
static void run_cpus(struct run *run, u32 count, const char *const *programs, const u64 *warm)
{
    static struct application applications[4];
    static struct mix mix;
    static char folder[4096];
    snprintf(folder, sizeof folder, "%s/chips", getenv("HEDDLE_SOURCE"));
    const char *folders[] = {folder, NULL};
    struct err err = ERR_INIT;
    const struct program_kind *kind = program_kinds;
    while (strcmp(kind->key, "cpu") != 0)
        kind++;
    for (u32 i = 0; i < count; i++)
        applications[i] = (struct application){.name = "p",
                                               .kind = kind,
                                               .program = programs[i],
                                               .plays = programs[i],
                                               .cluster = "",
                                               .warm = warm[i],
                                               .first = i,
                                               .end = i + 1,
                                               .threads = 1};
    mix = (struct mix){.path = "m", .applications = applications, .count = count};
    struct run_request r = {
        .chip = {.chip = "cpu4", .folders = folders}, .workload = "m", .mix = &mix, .seed = 1};
    must(run_open(run, &r, &err) && run_execute(run, &err), &err);
}

static void run_one(struct run *run, const char *program, u64 warm)
{
    static char folder[4096];
    snprintf(folder, sizeof folder, "%s/chips", getenv("HEDDLE_SOURCE"));
    const char *folders[] = {folder, NULL};
    struct err err = ERR_INIT;
    struct run_request r = {.chip = {.chip = "cpu4", .folders = folders},
                            .workload = program,
                            .warm = {.instructions = warm},
                            .seed = 1};
    must(run_open(run, &r, &err) && run_execute(run, &err), &err);
}

/* Warming in detail moves nothing: what came before and what is measured are the whole run. At
 * most 3 instructions retire beside the one that ends the warm part. */
TEST(warm_part_and_window_make_the_whole_run)
{
    UNUSED_STATE;
    struct run whole, part;
    run_one(&whole, MIX(20000), 0);
    run_one(&part, MIX(20000), 8000);
    const struct engine *e = &part.sim.engine;
    assert_true(part.window.has_begun);
    assert_false(whole.window.has_begun);
    assert_int_equal(window_cycles(&part.window, e, 0) + part.window.cycles[0],
                     engine_cycle(&whole.sim.engine, 0));
    assert_in_range(stat(&part, "core.instructions"), LENGTH - 8000 - 3, LENGTH - 8000);
    assert_int_equal(stat(&part, "core.cycles") + part.window.cycles[0] + 1,
                     stat(&whole, "core.cycles"));
    assert_true(stat(&part, "core.l1d.misses") < stat(&whole, "core.l1d.misses"));
    const struct cpu_cluster *c = ((struct machine *)part.machine)->clusters[0].part;
    assert_int_equal(c->record_count, 1);
    assert_int_equal(c->records[0].instructions, stat(&part, "core.instructions"));
    assert_int_equal(c->records[0].cycles, stat(&part, "core.cycles"));
    run_close(&whole);
    run_close(&part);
}

/* The second run of a program whose data fits into the caches misses nothing but what the first
 * left out. */
TEST(a_warm_part_of_a_whole_run_makes_the_next_run_the_window)
{
    UNUSED_STATE;
    struct run run;
    run_cpus(&run, 1, (const char *const[]){MIX(20000)}, (const u64[]){LENGTH});
    const struct application_result *r = &run.applications[0];
    assert_true(r->has_ended);
    assert_int_equal(r->complete_runs, 2);
    assert_int_equal(r->counts.instructions, LENGTH);
    assert_in_range(stat(&run, "core.instructions"), LENGTH, LENGTH + 3);
    run_close(&run);
}

TEST(a_warm_part_of_more_than_a_run_goes_on_in_the_next)
{
    UNUSED_STATE;
    struct run run;
    run_cpus(&run, 1, (const char *const[]){MIX(20000)}, (const u64[]){LENGTH + 5000});
    const struct application_result *r = &run.applications[0];
    assert_int_equal(r->complete_runs, 2);
    assert_in_range(r->counts.instructions, LENGTH - 5000 - 3, LENGTH - 5000);
    run_close(&run);
}

/* The short program would have ended its first run long before the other is warm. */
TEST(a_window_that_ends_before_all_are_warm_is_measured_again)
{
    UNUSED_STATE;
    struct run run;
    run_cpus(&run, 2, (const char *const[]){MIX(20000), MIX(200000)}, (const u64[]){5000, 100000});
    const struct application_result *shorter = &run.applications[0], *longer = shorter + 1;
    assert_true(shorter->has_ended && longer->has_ended);
    assert_true(shorter->complete_runs > 3);
    assert_in_range(shorter->counts.instructions, LENGTH - 5000 - 3, LENGTH - 5000);
    assert_in_range(longer->counts.instructions, 100000 - 3, 100000);
    /* what the machine counted began with the longer one's window */
    assert_true(stat(&run, "core1.instructions") < 100000 + 1);
    run_close(&run);
}

TEST(without_a_warm_part_the_window_is_the_first_run)
{
    UNUSED_STATE;
    struct run mix, one;
    run_cpus(&mix, 1, (const char *const[]){MIX(20000)}, (const u64[]){0});
    run_one(&one, MIX(20000), 0);
    assert_false(mix.window.has_begun);
    assert_int_equal(mix.applications[0].counts.instructions, LENGTH);
    assert_int_equal(mix.applications[0].cycles, stat(&one, "core.cycles"));
    run_close(&mix);
    run_close(&one);
}

TEST(a_limit_before_the_window_is_refused)
{
    UNUSED_STATE;
    static char folder[4096];
    snprintf(folder, sizeof folder, "%s/chips", getenv("HEDDLE_SOURCE"));
    const char *folders[] = {folder, NULL};
    struct err err = ERR_INIT;
    struct run run;
    char words[400];
    struct run_request r = {.chip = {.chip = "cpu4", .folders = folders},
                            .workload = MIX(20000),
                            .warm = {.instructions = 15000},
                            .engine.max_cycles = 100,
                            .seed = 1};
    assert_true(run_open(&run, &r, &err));
    assert_false(run_execute(&run, &err));
    err_text(&err, words, sizeof words);
    assert_string_equal(words, "the limit of 100 cycles was reached during warm-up, "
                               "expected a larger limit or a shorter warm-up");
    assert_int_equal(err.kind, ERR_INPUT);
    run_close(&run);
}

TEST(what_a_warm_part_says_is_read_and_refused)
{
    UNUSED_STATE;
    static const struct {
        const char *text, *sentence;
    } bad[] = {
        {"lunches=1", "x: unknown part of warm 'lunches', expected how, instructions or "
                      "launches (nearest: launches)"},
        {"12", "x: warm is 12, expected instructions=N,launches=N"},
        {"launches=-1", "x: launches is -1, expected a whole number from 0 on"},
    };
    struct warm w;
    char words[400];
    struct err err = ERR_INIT;
    assert_true(warm_parse(&w, "launches=2,instructions=1000", (struct src_pos){0}, &err));
    assert_int_equal(warm_of(&w, AGENT_SM), 2);
    assert_int_equal(warm_of(&w, AGENT_CPU), 1000);
    warm_text(&w, words, sizeof words);
    assert_string_equal(words, "instructions=1000,launches=2");
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        err = ERR_INIT;
        assert_false(warm_parse(&w, bad[i].text, (struct src_pos){"x", 0, 0}, &err));
        err_text(&err, words, sizeof words);
        assert_string_equal(words, bad[i].sentence);
    }
}

/* ---- without time ---- */

/* As one core that issues in order; `set` more. */
static void open_one(struct run *run, const char *program, const char *set)
{
    static char folder[4096];
    snprintf(folder, sizeof folder, "%s/chips", getenv("HEDDLE_SOURCE"));
    const char *folders[] = {folder, NULL};
    const char *sets[] = {"core.count=1", "core.window.in_order=true", "llc.size_bytes=1MiB", set};
    struct err err = ERR_INIT;
    struct run_request r = {
        .chip = {.chip = "cpu4", .folders = folders, .sets = sets, .set_count = ARRAY_LEN(sets)},
        .workload = program,
        .seed = 1};
    must(run_open(run, &r, &err), &err);
}

static struct core *core_of(const struct run *run)
{
    struct cpu_cluster *c = ((struct machine *)run->machine)->clusters[0].part;
    return &c->cores[0];
}

static struct memory_system *memory_of(const struct run *run)
{
    return &((struct machine *)run->machine)->memories[0];
}

/* Lines of one that the other has as well, and whether they are dirty there. */
static void compare(const struct cache *a, const struct cache *b, u32 *lines, u32 *same,
                    u32 *same_dirty)
{
    for (u32 set = 0; set < a->tags.sets; set++) {
        for (u32 way = 0; way < a->tags.ways; way++) {
            const struct line *l = tags_line(&a->tags, set, way);
            if (l->state != LINE_VALID)
                continue;
            u32 there = tags_find(&b->tags, set, tags_address(&a->tags, set, way));
            ++*lines;
            *same += there != NO_WAY;
            *same_dirty += there != NO_WAY && !l->dirty == !tags_line(&b->tags, set, there)->dirty;
        }
    }
}

/* What the monitors of a policy of the LLC, UMON above all, have seen. */
static void compare_monitors(const struct run *detailed, const struct run *functional)
{
    const struct memory_system *d = memory_of(detailed), *f = memory_of(functional);
    for (u32 i = 0; d->llc && i < d->bank_count; i++) {
        const struct llc_policy *p = d->banks[i].ways->view.policy;
        size_t bytes = p->ops->monitor_bytes(p);
        const u8 *seen = d->banks[i].ways->view.monitor;
        u32 counts = 0;
        for (size_t k = 0; k < bytes; k++)
            counts += seen[k] != 0;
        assert_true(counts > 1);
        assert_memory_equal(seen, f->banks[i].ways->view.monitor, bytes);
    }
}

/* In detail, to its end, and without time: all caches have the same lines, as dirty as before, and
 * monitors the same counts. */
static void check_same_tags(const char *program, u64 length, const char *set)
{
    struct run detailed, functional;
    struct err err = ERR_INIT;
    struct cpu_stream s = {0};
    struct cpu_stream_request request = {.name = program, .seed = 1};
    open_one(&detailed, program, set);
    must(run_execute(&detailed, &err), &err);
    open_one(&functional, program, set);
    must(cpu_stream_open(&s, &request, &err), &err);
    assert_int_equal(core_warm(core_of(&functional), &s, 0, UINT64_MAX), length);
    const struct caches *d = &core_of(&detailed)->caches, *f = &core_of(&functional)->caches;
    const struct cache *of_d[16] = {&d->l1i.cache, &d->l1d.cache, &d->l2.cache};
    const struct cache *of_f[16] = {&f->l1i.cache, &f->l1d.cache, &f->l2.cache};
    u32 count = 3, all = 0;
    for (u32 i = 0; i < memory_of(&detailed)->bank_count; i++, count++) {
        of_d[count] = &memory_of(&detailed)->banks[i].cache;
        of_f[count] = &memory_of(&functional)->banks[i].cache;
    }
    for (u32 i = 0; i < count; i++) {
        u32 lines = 0, same = 0, dirty = 0, back = 0, others = 0, ignored = 0;
        compare(of_d[i], of_f[i], &lines, &same, &dirty);
        compare(of_f[i], of_d[i], &back, &others, &ignored);
        if (lines != same || lines != dirty || lines != back)
            fail_msg("%s %s: cache %u has %u lines, %u without time; %u the same, %u as dirty",
                     program, set, i, lines, back, same, dirty);
        all += lines;
    }
    assert_true(all > 500);
    compare_monitors(&detailed, &functional);
    assert_int_equal(core_of(&functional)->branch.counts.branches, 0);
    cpu_stream_close(&s);
    run_close(&detailed);
    run_close(&functional);
}

TEST(warming_without_time_leaves_the_tags_that_running_in_order_leaves)
{
    UNUSED_STATE;
    check_same_tags("cpu:stream,length=60000", 60000, "core.l1d.ways=8");
    check_same_tags("cpu:copy,length=60000", 60000, "core.l1d.ways=8");
    check_same_tags("cpu:chase,footprint_bytes=2MiB,length=30000", 30000, "core.l1d.ways=8");
    /* with several misses at once lines come in another order than they were asked for */
    check_same_tags("cpu:random,footprint_bytes=2MiB,length=60000", 60000, "core.l1d.mshrs=1");
    check_same_tags("cpu:code,length=60000", 60000, "core.l1d.ways=8");
}

/* All in the first of the policy's intervals, of 5 M cycles: in detail counts are halved after it.
 */
TEST(monitors_of_the_llc_count_the_same_without_time)
{
    UNUSED_STATE;
    static const char *const policies[] = {"llc.policy=ucp", "llc.policy=pipp", "llc.policy=tc"};
    for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
        check_same_tags("cpu:copy,length=20000", 20000, policies[i]);
        check_same_tags("cpu:chase,footprint_bytes=2MiB,length=10000", 10000, policies[i]);
    }
}

/* The same branches in the same order: what comes after is predicted alike. */
TEST(predictors_know_as_much_without_time_as_in_detail)
{
    UNUSED_STATE;
    struct run detailed, functional;
    struct err err = ERR_INIT;
    static const struct warm both[] = {{.instructions = 10000},
                                       {.instructions = 10000, .is_functional = true}};
    struct run *runs[] = {&detailed, &functional};
    for (u32 i = 0; i < 2; i++) {
        open_one(runs[i], "cpu:loop,length=20000", "core.l1d.ways=8");
        runs[i]->warm = both[i];
        must(run_execute(runs[i], &err), &err);
    }
    assert_int_equal(functional.window.cycles[0], 0);
    assert_true(detailed.window.cycles[0] > 1000);
    assert_in_range(stat(&functional, "core.instructions"), 10000, 10000);
    /* the front end is up to 256 instructions ahead when the window begins in detail */
    double here = (double)stat(&functional, "core.branch.mispredicted"),
           there = (double)stat(&detailed, "core.branch.mispredicted");
    assert_true(here <= there + 2 && there <= here + 2);
    assert_int_equal(stat(&functional, "core.l1i.misses"), stat(&detailed, "core.l1i.misses"));
    run_close(&detailed);
    run_close(&functional);
}

TEST(programs_warmed_without_time_count_from_cycle_0_at_the_same_place)
{
    UNUSED_STATE;
    struct run run;
    struct err err = ERR_INIT;
    open_one(&run, MIX(20000), "core.l1d.ways=8");
    run.warm = (struct warm){.instructions = 2 * LENGTH + 5000, .is_functional = true};
    must(run_execute(&run, &err), &err);
    assert_int_equal(run.window.fs, 0);
    assert_int_equal(stat(&run, "core.instructions"), LENGTH - 5000);
    run_close(&run);
}

RUN_TESTS(T(warm_part_and_window_make_the_whole_run),
          T(a_warm_part_of_a_whole_run_makes_the_next_run_the_window),
          T(a_warm_part_of_more_than_a_run_goes_on_in_the_next),
          T(a_window_that_ends_before_all_are_warm_is_measured_again),
          T(without_a_warm_part_the_window_is_the_first_run),
          T(a_limit_before_the_window_is_refused), T(what_a_warm_part_says_is_read_and_refused),
          T(warming_without_time_leaves_the_tags_that_running_in_order_leaves),
          T(monitors_of_the_llc_count_the_same_without_time),
          T(predictors_know_as_much_without_time_as_in_detail),
          T(programs_warmed_without_time_count_from_cycle_0_at_the_same_place))

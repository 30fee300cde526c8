/*
 * An I-cache that the lean cores of acmp9 share, with cycles worked out by hand.
 *
 * A line that waits for nothing is there 2 (bus) + 1 (L1I) + 2 (64 bytes over 32) = 5 cycles after
 * it was asked for, instead of 1.
 */
#include "cpu/bed.h"
#include "cpu/shared_icache.h"

#define WORKERS 8u
#define PERFECT "core.branch.perfect=true", "core.fetch.bytes=64", "core.fetch.width=16"
#define SHARED PERFECT, "core.sharing.cores_per_cache=8"
#define START 0x400000u

/* ---- programs -------------------------------------------------------------------------------- */

/* Lines of 16 instructions, `step` lines apart, over and over. */
static struct program *loop_at(u64 start, u32 lines, u32 step, u32 times)
{
    struct program *p = program_new();
    for (u32 t = 0; t < times; t++) {
        for (u32 l = 0; l < lines; l++) {
            u64 next = start + 64ull * step * ((l + 1) % lines);
            p->pc = start + 64ull * step * l;
            for (u32 i = 0; i < 15; i++)
                emit(p, CPU_ALU, 3, 0);
            if (step > 1 || l + 1 == lines)
                emit_branch(p, CPU_JUMP, next);
            else
                emit(p, CPU_ALU, 3, 0);
        }
    }
    return p;
}

/* Runs a program on each of the workers; cycles of the slowest. */
static u64 run_workers(struct bed *b, struct program *(*make)(u32 worker), u32 workers,
                       const char *const *sets)
{
    struct program *p[2 * WORKERS];
    u64 most = 0;
    bed_open_chip(b, "acmp9", sets, false);
    for (u32 i = 0; i < workers; i++) {
        b->running++;
        core_start(bed_core(b, 1 + i), &(p[i] = make(i))->stream, 0);
    }
    bed_run(b);
    for (u32 i = 0; i < workers; i++) {
        const struct core *c = bed_core(b, 1 + i);
        assert_int_equal(c->counts.instructions, p[i]->count);
        most = max_u64(most, c->counts.cycles);
        free(p[i]);
    }
    return most;
}

static u64 cycles_of_workers(struct program *(*make)(u32 worker), u32 workers,
                             const char *const *sets)
{
    struct bed b;
    u64 cycles = run_workers(&b, make, workers, sets);
    bed_close(&b);
    return cycles;
}

/* Of all cores. */
static u64 class_of(const struct bed *b, enum rate_class k)
{
    u64 sum = 0;
    for (u32 i = 0; i < b->cluster->config->count; i++)
        sum += bed_core(b, i)->rate->counts.classes[k];
    return sum;
}

static struct program *one_line(u32 worker)
{
    (void)worker;
    return loop_at(START, 1, 1, 1);
}

static struct program *same_code(u32 worker)
{
    (void)worker;
    return loop_at(START, 64, 1, 4);
}

static struct program *own_code(u32 worker)
{
    return loop_at(START + worker * 0x100000u, 64, 1, 4); /* 4 KiB each, in the same sets */
}

static struct program *even_lines(u32 worker)
{
    (void)worker;
    return loop_at(START, 16, 2, 40);
}

static struct program *all_lines(u32 worker)
{
    (void)worker;
    return loop_at(START, 16, 1, 40);
}

/* ---- one request ----------------------------------------------------------------------------- */

TEST(a_line_of_a_shared_cache_takes_five_cycles_and_one_of_a_private_one_takes_one)
{
    UNUSED_STATE;
    static const char *const alone[] = {PERFECT, "core.l1i.perfect=true", "core.rate.lean=8", NULL};
    static const char *const shared[] = {SHARED, "core.l1i.perfect=true", "core.rate.lean=8", NULL};
    static const char *const slow[] = {SHARED, "core.l1i.perfect=true", "core.rate.lean=8",
                                       "core.sharing.bus_cycles=4", NULL};
    static const char *const narrow[] = {SHARED, "core.l1i.perfect=true", "core.rate.lean=8",
                                         "core.sharing.bus_bytes=16", NULL};
    /* asked for in 1, there in 2, all 16 instructions taken in 3 and 4 */
    assert_int_equal(cycles_of_workers(one_line, 1, alone), 5);
    assert_int_equal(cycles_of_workers(one_line, 1, shared), 5 + 4);
    /* 64 bytes through a port of 32 at a latency of 5 are there after 7 */
    assert_int_equal(cycles_of_workers(one_line, 1, slow), 5 + 6);
    /* four pieces of 16 bytes */
    assert_int_equal(cycles_of_workers(one_line, 1, narrow), 5 + 6);
}

TEST(what_a_lone_request_waits_for_is_the_latency_of_the_bus)
{
    UNUSED_STATE;
    static const char *const sets[] = {SHARED, "core.l1i.perfect=true", "core.rate.lean=8", NULL};
    struct bed b;
    run_workers(&b, one_line, 1, sets);
    /* asked for in 1, there in 6; waits from 2 to 6, and one more cycle until it is taken in 7 */
    assert_int_equal(class_of(&b, RATE_BUS), 5);
    assert_int_equal(class_of(&b, RATE_CONTENTION), 0);
    assert_int_equal(class_of(&b, RATE_ICACHE), 0);
    assert_int_equal(b.cluster->icaches[0].counts.contention_cycles, 0);
    bed_close(&b);
}

TEST(requests_for_one_line_wait_for_each_other_on_the_bus)
{
    UNUSED_STATE;
    static const char *const sets[] = {SHARED, "core.l1i.perfect=true", "core.rate.lean=8", NULL};
    struct bed b;
    /* all eight ask in cycle 1; a line takes the bus two cycles, so they are there in 6, 8, ... 20
     */
    assert_int_equal(run_workers(&b, one_line, 8, sets), 5 + 4 + 14);
    assert_int_equal(b.cluster->icaches[0].counts.contention_cycles,
                     2 * (1 + 2 + 3 + 4 + 5 + 6 + 7));
    assert_int_equal(class_of(&b, RATE_CONTENTION), 56);
    assert_int_equal(class_of(&b, RATE_BUS), 8 * 5);
    bed_close(&b);
}

TEST(a_line_on_its_way_is_fetched_once)
{
    UNUSED_STATE;
    static const char *const sets[] = {SHARED, "core.rate.lean=8", NULL};
    struct bed b;
    run_workers(&b, one_line, 8, sets);
    const struct private_counts *n = &b.cluster->icaches[0].caches.l1i.counts;
    assert_int_equal(n->accesses, 8);
    assert_int_equal(n->misses, 1);
    assert_int_equal(n->merges, 7);
    assert_int_equal(b.cluster->icaches[0].caches.touched->compulsory, 1);
    assert_int_equal(b.cluster->icaches[0].counts.most_waiting, 8);
    bed_close(&b);
}

/* ---- turns ----------------------------------------------------------------------------------- */

#define GRANTS 10000u

static struct program *many_lines(u32 worker)
{
    (void)worker;
    return loop_at(START, 16, 1, 84); /* 1344 lines: 8 x 1344 = 10752 grants */
}

/* The workers to which the data bus went, one after the other, until the first of them ends. */
static u32 watch_grants(struct bed *b, u8 order[GRANTS])
{
    u64 seen[WORKERS] = {0};
    u32 count = 0;
    b->running = 1;
    b->sim.engine.options.max_cycles = 1;
    while (engine_run(&b->sim.engine) == ENGINE_LIMIT) {
        u32 came = 0;
        for (u32 i = 0; i < WORKERS; i++) {
            u64 lines = bed_core(b, 1 + i)->caches.l1i.counts.hits;
            for (; seen[i] < lines; seen[i]++, came++) {
                if (count < GRANTS)
                    order[count++] = (u8)i;
            }
        }
        assert_true(came <= 1); /* one bus */
        b->sim.engine.options.max_cycles++;
    }
    return count;
}

TEST(cores_that_always_ask_have_an_eighth_of_the_bus_each_and_wait_for_seven_grants_at_most)
{
    UNUSED_STATE;
    static const char *const sets[] = {SHARED, "core.l1i.perfect=true", "core.rate.lean=8",
                                       "core.fetch.line_buffers=2", NULL};
    static u8 order[GRANTS];
    struct program *p[WORKERS];
    u32 grants[WORKERS] = {0}, last[WORKERS] = {0};
    struct bed b;
    bed_open_chip(&b, "acmp9", sets, false);
    for (u32 i = 0; i < WORKERS; i++) {
        p[i] = many_lines(i);
        core_start(bed_core(&b, 1 + i), &p[i]->stream, 0);
    }
    assert_int_equal(watch_grants(&b, order), GRANTS);
    for (u32 n = 0; n < GRANTS; n++) {
        u32 i = order[n];
        if (grants[i]++) /* its next request waits already, so the others' grants lie between */
            assert_true(n - last[i] - 1 <= WORKERS - 1);
        last[i] = n;
    }
    for (u32 i = 0; i < WORKERS; i++) {
        assert_true(grants[i] >= GRANTS / WORKERS - 1 && grants[i] <= GRANTS / WORKERS + 1);
        free(p[i]);
    }
    /* all buffers of all cores wait at some time */
    assert_int_equal(b.cluster->icaches[0].counts.most_waiting, 2 * WORKERS);
    bed_close(&b);
}

/* ---- buses ----------------------------------------------------------------------------------- */

#define BUSY SHARED, "core.l1i.perfect=true", "core.rate.lean=8", "core.fetch.line_buffers=4"

TEST(two_buses_are_no_faster_than_one_for_lines_of_one_bank_and_twice_as_fast_for_all)
{
    UNUSED_STATE;
    static const char *const one[] = {BUSY, NULL};
    static const char *const two[] = {BUSY, "core.sharing.buses=2", NULL};
    static const char *const four[] = {BUSY, "core.sharing.buses=4", NULL};
    u64 even = cycles_of_workers(even_lines, 8, one), all = cycles_of_workers(all_lines, 8, one);
    /* 8 x 640 lines, two cycles each, behind the 6 of the first and two before the last ends */
    assert_int_equal(even, 8 * 640 * 2 + 6 + 1);
    assert_int_equal(all, even);
    assert_int_equal(cycles_of_workers(even_lines, 8, two), even);
    double speedup = (double)all / (double)cycles_of_workers(all_lines, 8, two);
    assert_true(speedup > 1.98 && speedup <= 2.0);
    speedup = (double)all / (double)cycles_of_workers(all_lines, 8, four);
    assert_true(speedup > 3.8 && speedup <= 4.0);
}

TEST(a_crossbar_has_the_bandwidth_of_its_banks)
{
    UNUSED_STATE;
    static const char *const two[] = {BUSY, "core.sharing.buses=2", NULL};
    static const char *const bar[] = {BUSY, "core.sharing.buses=2", "core.sharing.network=crossbar",
                                      NULL};
    double buses = (double)cycles_of_workers(all_lines, 8, two);
    double crossbar = (double)cycles_of_workers(all_lines, 8, bar);
    assert_true(crossbar / buses > 0.98 && crossbar / buses < 1.02);
}

/* 16 instructions of 4 bytes a line, each line asked for once: a core of rate r wants 4 r bytes a
 * cycle, and a bus brings 32. */
TEST(a_bus_that_is_wide_enough_costs_nothing_and_one_that_is_not_limits)
{
    UNUSED_STATE;
    static const char *const under[] = {SHARED, "core.l1i.perfect=true", "core.rate.lean=0.8",
                                        NULL};
    static const char *const over[] = {SHARED, "core.l1i.perfect=true", "core.rate.lean=1.25",
                                       NULL};
    struct bed b;
    u64 instructions = 16 * 640;
    u64 cycles = run_workers(&b, all_lines, 8, under); /* 25.6 of 32 */
    assert_true((double)cycles < 1.01 * (double)instructions / 0.8);
    assert_true((double)class_of(&b, RATE_CONTENTION) < 0.01 * 8 * (double)cycles);
    bed_close(&b);
    cycles = run_workers(&b, all_lines, 8, over); /* 40 of 32: 1 instruction a cycle is left */
    assert_true((double)cycles > 0.99 * (double)instructions);
    assert_true((double)class_of(&b, RATE_CONTENTION) > 0.1 * 8 * (double)cycles);
    bed_close(&b);
}

TEST(two_buses_serve_eight_cores_and_not_sixteen)
{
    UNUSED_STATE;
    static const char *const eight[] = {SHARED, "core.l1i.perfect=true", "core.rate.lean=1.1",
                                        "core.sharing.buses=2", NULL};
    static const char *const sixteen[] = {PERFECT,
                                          "core.count=17",
                                          "core.sharing.cores_per_cache=16",
                                          "core.l1i.perfect=true",
                                          "core.rate.lean=1.1",
                                          "core.sharing.buses=2",
                                          NULL};
    double alone = 16 * 640 / 1.1;
    /* 35 and 70 bytes a cycle of 64 */
    assert_true((double)cycles_of_workers(all_lines, 8, eight) < 1.01 * alone);
    assert_true((double)cycles_of_workers(all_lines, 16, sixteen) > 1.08 * alone);
}

/* ---- misses ---------------------------------------------------------------------------------- */

static u64 misses_of(struct program *(*make)(u32 worker), bool is_shared, const char *bytes)
{
    char text[64];
    u64 misses = 0;
    struct bed b;
    snprintf(text, sizeof text, "core.l1i.size_bytes=%s", bytes);
    const char *const sets[] = {
        PERFECT, text, "core.rate.wide_serial=8",
        is_shared ? "core.sharing.cores_per_cache=8" : "core.sharing.cores_per_cache=1", NULL};
    run_workers(&b, make, 8, sets);
    for (u32 i = 0; i < WORKERS && !is_shared; i++)
        misses += bed_core(&b, 1 + i)->caches.l1i.counts.misses;
    if (is_shared)
        misses = b.cluster->icaches[0].caches.l1i.counts.misses;
    bed_close(&b);
    return misses;
}

TEST(threads_on_the_same_code_miss_an_eighth_as_often)
{
    UNUSED_STATE;
    assert_int_equal(misses_of(same_code, false, "32KiB"), 8 * 64);
    assert_int_equal(misses_of(same_code, true, "32KiB"), 64);
}

TEST(threads_on_code_of_their_own_gain_nothing)
{
    UNUSED_STATE;
    /* 8 x 4 KiB in 16 KiB, over and over: nothing is there when it is needed again */
    assert_int_equal(misses_of(own_code, false, "16KiB"), 8 * 64);
    assert_true(misses_of(own_code, true, "16KiB") > 2 * 8 * 64);
}

/* ---- the private machine --------------------------------------------------------------------- */

/* A lean core alone, on a chip in which there is nobody to share with. */
static struct core_counts alone(struct program *p, struct rate_counts *classes,
                                struct private_counts caches[2])
{
    static const char *const sets[] = {PERFECT, "core.count=1", "core.rate.wide_cores=0", NULL};
    struct bed b;
    bed_open_chip(&b, "acmp9", sets, false);
    bed_start(&b, 0, &p->stream);
    bed_run(&b);
    const struct core *c = bed_core(&b, 0);
    struct core_counts counts = c->counts;
    *classes = c->rate->counts;
    caches[0] = c->caches.l1i.counts;
    caches[1] = c->caches.l2.counts;
    bed_close(&b);
    return counts;
}

/* With any bus written down. Memory below the L2s takes the same time for any number of cores. */
TEST(eight_cores_with_a_cache_for_each_are_eight_cores_alone_cycle_for_cycle)
{
    UNUSED_STATE;
    static const char *const sets[] = {PERFECT, "core.sharing.cores_per_cache=1",
                                       "core.sharing.buses=2", "core.sharing.network=crossbar",
                                       NULL};
    struct bed b;
    run_workers(&b, own_code, 8, sets);
    for (u32 i = 0; i < WORKERS; i++) {
        const struct core *c = bed_core(&b, 1 + i);
        struct program *p = own_code(i);
        struct rate_counts classes;
        struct private_counts caches[2];
        struct core_counts counts = alone(p, &classes, caches);
        assert_null(c->icache);
        assert_memory_equal(&c->counts, &counts, sizeof counts);
        assert_memory_equal(&c->rate->counts, &classes, sizeof classes);
        assert_memory_equal(&c->caches.l1i.counts, &caches[0], sizeof caches[0]);
        assert_memory_equal(&c->caches.l2.counts, &caches[1], sizeof caches[1]);
        free(p);
    }
    bed_close(&b);
}

/* ---- all-shared ------------------------------------------------------------------------------ */

/* Core 0 alone: what it loses by sharing is what serial code loses. */
static double serial_slowdown(u32 lines, const char *buffers)
{
    char text[64];
    u64 cycles[2];
    snprintf(text, sizeof text, "core.fetch.line_buffers=%s", buffers);
    for (u32 shared = 0; shared < 2; shared++) {
        const char *const sets[] = {PERFECT,
                                    text,
                                    "core.l1i.perfect=true",
                                    "core.sharing.cores_per_cache=8",
                                    "core.rate.wide_serial=8",
                                    shared ? "core.sharing.with_first=true"
                                           : "core.sharing.with_first=false",
                                    NULL};
        struct bed b;
        struct program *p = loop_at(START, lines, 1, 640 / lines);
        bed_open_chip(&b, "acmp9", sets, false);
        bed_start(&b, 0, &p->stream);
        bed_run(&b);
        cycles[shared] = bed_core(&b, 0)->counts.cycles;
        free(p);
        bed_close(&b);
    }
    return (double)cycles[1] / (double)cycles[0];
}

TEST(serial_code_within_the_buffers_loses_nothing_by_sharing)
{
    UNUSED_STATE;
    assert_true(serial_slowdown(4, "4") < 1.005);
    assert_true(serial_slowdown(4, "1") > 1.05);
}

static void emit_event(struct program *p, enum cpu_event event)
{
    p->code[p->count++] = (struct cpu_instruction){.class = CPU_EVENT, .event = (u8)event};
}

static void append(struct program *p, struct program *other)
{
    memcpy(p->code + p->count, other->code, other->count * sizeof *p->code);
    p->count += other->count;
    free(other);
}

/* Returns without calls from line to line, 8 of them: each is predicted wrong, and then its line
 * asked for. Private: one every 11 cycles; shared: 4 more. */
static struct program *returns(u32 count)
{
    struct program *p = program_new();
    for (u32 i = 0; i < count; i++)
        emit_branch(p, CPU_RETURN, START + 0x10000 + 64ull * (i % 8));
    return p;
}

/* So many on core 0, then a region in which all loop over 8 lines. */
static u64 team_cycles(u32 serial_times, bool with_first)
{
    const char *const sets[] = {"core.l1i.perfect=true",
                                "core.rate.lean=0.5",
                                "core.rate.wide_parallel=0.5",
                                "core.rate.wide_serial=8",
                                "core.sharing.cores_per_cache=8",
                                "core.sharing.buses=2",
                                with_first ? "core.sharing.with_first=true"
                                           : "core.sharing.with_first=false",
                                NULL};
    struct program *p[WORKERS + 1];
    struct bed b;
    bed_open_chip(&b, "acmp9", sets, false);
    cpu_cluster_begin(b.cluster, "team", 0, WORKERS + 1);
    for (u32 i = 0; i <= WORKERS; i++) {
        p[i] = program_new();
        if (i == 0 && serial_times)
            append(p[i], returns(serial_times));
        emit_event(p[i], CPU_PARALLEL_START);
        append(p[i], loop_at(START, 8, 1, 20));
        emit_event(p[i], CPU_PARALLEL_END);
        b.running++;
        core_start(bed_core(&b, i), &p[i]->stream, 0);
    }
    bed_run(&b);
    u64 cycles = engine_cycle(&b.sim.engine, 0);
    for (u32 i = 0; i <= WORKERS; i++)
        free(p[i]);
    bed_close(&b);
    return cycles;
}

static double all_over_workers(u32 serial_times)
{
    return (double)team_cycles(serial_times, true) / (double)team_cycles(serial_times, false);
}

TEST(what_is_lost_by_sharing_with_core_0_grows_with_serial_code)
{
    UNUSED_STATE;
    double none = all_over_workers(0), some = all_over_workers(50), more = all_over_workers(200);
    /* nine cores want 18 of 64 bytes a cycle */
    assert_true(none > 0.995 && none < 1.005);
    assert_true(some > none + 0.01 && more > some + 0.01);
}

/* What a chip with this setting is refused with. */
static void refused(const char *set, const char *expected)
{
    const char *const sets[] = {set};
    struct config config = {0};
    struct err err = ERR_INIT;
    struct config_request r = {.chip = "acmp9",
                               .folders = testing_chips(),
                               .sets = sets,
                               .set_count = 1,
                               .schemas = model_schemas};
    char text[1600];
    assert_false(config_load(&config, &r, &err));
    err_text(&err, text, sizeof text);
    assert_non_null(strstr(text, expected));
    config_fini(&config);
}

TEST(groups_that_do_not_divide_the_cores_are_refused)
{
    UNUSED_STATE;
    refused("core.sharing.cores_per_cache=3", "expected a divisor of the 8 cores after core 0");
}

TEST(no_bus_is_refused)
{
    UNUSED_STATE;
    refused("core.sharing.buses=0", "core.sharing.buses is 0, expected 1 to 8");
}

RUN_TESTS(T(a_line_of_a_shared_cache_takes_five_cycles_and_one_of_a_private_one_takes_one),
          T(what_a_lone_request_waits_for_is_the_latency_of_the_bus),
          T(requests_for_one_line_wait_for_each_other_on_the_bus),
          T(a_line_on_its_way_is_fetched_once),
          T(cores_that_always_ask_have_an_eighth_of_the_bus_each_and_wait_for_seven_grants_at_most),
          T(two_buses_are_no_faster_than_one_for_lines_of_one_bank_and_twice_as_fast_for_all),
          T(a_crossbar_has_the_bandwidth_of_its_banks),
          T(a_bus_that_is_wide_enough_costs_nothing_and_one_that_is_not_limits),
          T(two_buses_serve_eight_cores_and_not_sixteen),
          T(threads_on_the_same_code_miss_an_eighth_as_often),
          T(threads_on_code_of_their_own_gain_nothing),
          T(eight_cores_with_a_cache_for_each_are_eight_cores_alone_cycle_for_cycle),
          T(serial_code_within_the_buffers_loses_nothing_by_sharing),
          T(what_is_lost_by_sharing_with_core_0_grows_with_serial_code),
          T(groups_that_do_not_divide_the_cores_are_refused), T(no_bus_is_refused))

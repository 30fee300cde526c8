/*
 * The front end with a back end by rate, on acmp9: cycles worked out by hand.
 *
 * The first instruction is predicted in cycle 0, its line asked for in 1 and there in 2 (L1I: 1),
 * extracted then, and can be taken from 3 on. Until then there are 3 cycles without instructions.
 */
#include "base/rng.h"
#include "cpu/bed.h"

#define PERFECT                                                                                    \
    "core.branch.perfect=true", "core.count=1", "core.fetch.bytes=64", "core.fetch.width=16",      \
        "core.fetch.targets=2"
#define FIRST 3u

static u64 run_on_rate(struct bed *b, struct program *p, const char *const *sets)
{
    bed_open_chip(b, "acmp9", sets, false);
    bed_start(b, 0, &p->stream);
    bed_run(b);
    assert_int_equal(bed_core(b, 0)->counts.instructions, p->count);
    free(p);
    return bed_core(b, 0)->counts.cycles;
}

static u64 class_of(const struct bed *b, enum rate_class k)
{
    return bed_core(b, 0)->rate->counts.classes[k];
}

static struct program *straight(u32 count)
{
    struct program *p = program_new();
    for (u32 i = 0; i < count; i++)
        emit(p, CPU_ALU, 3, 0);
    return p;
}

/* So many lines of 16 instructions, executed over and over. */
static struct program *loop(u32 lines, u32 times)
{
    struct program *p = program_new();
    u64 start = p->pc;
    for (u32 t = 0; t < times; t++) {
        for (u32 i = 0; i < 16 * lines - 1; i++)
            emit(p, CPU_ALU, 3, 0);
        emit_branch(p, CPU_JUMP, start);
    }
    return p;
}

/* ---- the rate -------------------------------------------------------------------------------- */

static u64 cycles_at(const char *rate, struct bed *b)
{
    char text[64];
    snprintf(text, sizeof text, "core.rate.wide_serial=%s", rate);
    const char *const sets[] = {PERFECT, "core.l1i.perfect=true", text, NULL};
    u64 cycles = run_on_rate(b, straight(1600), sets);
    assert_int_equal(class_of(b, RATE_BRANCH), 0);
    assert_int_equal(class_of(b, RATE_ICACHE), 0);
    bed_close(b);
    return cycles;
}

TEST(a_front_end_that_never_waits_takes_instructions_over_rate_cycles)
{
    UNUSED_STATE;
    struct bed b;
    /* credit of the cycles before the first instruction is lost but for its fraction */
    assert_int_equal(cycles_at("1.0", &b), FIRST + 1600);
    assert_int_equal(cycles_at("2.0", &b), FIRST + 800);
    assert_int_equal(cycles_at("4.0", &b), FIRST + 400);
    /* 0.5: credits 0.5, 1.0 (lost), 0.5, then an instruction in cycles 3, 5, 7, ... */
    assert_int_equal(cycles_at("0.5", &b), FIRST + 2 * 1599 + 1);
}

TEST(cycles_of_all_classes_add_up)
{
    UNUSED_STATE;
    struct bed b;
    static const char *const sets[] = {PERFECT, "core.rate.wide_serial=1.6", NULL};
    u64 cycles = run_on_rate(&b, straight(4000), sets), sum = 0;
    for (u32 i = 0; i < RATE_CLASSES; i++)
        sum += class_of(&b, (enum rate_class)i);
    assert_int_equal(sum, cycles);
    assert_true(class_of(&b, RATE_MEMORY) > 0);
    bed_close(&b);
}

TEST(only_cycles_without_instructions_are_stalls)
{
    UNUSED_STATE;
    struct bed b;
    static const char *const sets[] = {PERFECT, "core.l1i.perfect=true",
                                       "core.rate.wide_serial=0.5", NULL};
    run_on_rate(&b, straight(100), sets);
    /* credit reaches an instruction in the second of the first three cycles */
    assert_int_equal(class_of(&b, RATE_FETCH), 1);
    assert_int_equal(class_of(&b, RATE_BACKEND), FIRST + 2 * 99 + 1 - 1);
    bed_close(&b);
}

/* ---- line buffers ---------------------------------------------------------------------------- */

static u64 requests(u32 lines, u32 times, const char *buffers)
{
    char text[64];
    struct bed b;
    snprintf(text, sizeof text, "core.fetch.line_buffers=%s", buffers);
    const char *const sets[] = {PERFECT, text, NULL};
    run_on_rate(&b, loop(lines, times), sets);
    u64 n = bed_core(&b, 0)->caches.l1i.counts.accesses;
    assert_int_equal(bed_core(&b, 0)->counts.fetch_lines, lines * times);
    bed_close(&b);
    return n;
}

TEST(a_loop_within_one_line_asks_once)
{
    UNUSED_STATE;
    assert_int_equal(requests(1, 100, "1"), 1);
}

TEST(a_loop_within_the_buffers_asks_once_for_each_line)
{
    UNUSED_STATE;
    assert_int_equal(requests(4, 100, "4"), 4);
}

TEST(a_loop_larger_than_the_buffers_asks_every_time)
{
    UNUSED_STATE;
    assert_int_equal(requests(4, 100, "2"), 400);
}

/* ---- what a miss and a branch cost ----------------------------------------------------------- */

TEST(a_line_of_the_l2_is_charged_to_the_icache_and_one_below_to_memory)
{
    UNUSED_STATE;
    struct bed b;
    /* one line, of memory: asked for in 1, in the L2 in 2, missed there, asked below in 22, back
     * in 128, extracted then, taken in 129: cycles 0 and 1 are the front end's; 2 to 127 memory's,
     * and 128, which is charged as the wait before it */
    static const char *const sets[] = {PERFECT, "core.rate.wide_serial=1.0", NULL};
    assert_int_equal(run_on_rate(&b, straight(1), sets), 130);
    assert_int_equal(class_of(&b, RATE_FETCH), 2);
    assert_int_equal(class_of(&b, RATE_MEMORY), 127);
    assert_int_equal(class_of(&b, RATE_BACKEND), 1);
    bed_close(&b);
    /* the L1I has one line, the L2 both: the second round is served by it */
    static const char *const small[] = {
        PERFECT,           "core.rate.wide_serial=1.0", "core.l1i.size_bytes=1024",
        "core.l1i.ways=1", "core.fetch.line_buffers=1", NULL};
    struct program *p = program_new();
    for (u32 t = 0; t < 4; t++) { /* two lines of one set, in turn */
        emit_branch(p, CPU_JUMP, 0x400400);
        emit_branch(p, CPU_JUMP, 0x400000);
    }
    run_on_rate(&b, p, small);
    /* six lines of the L2: asked for in t, there in t + 1 + 20, when its instruction is extracted
     * and the next line is asked for; taken in t + 22. So one is taken every 21 cycles */
    assert_int_equal(bed_core(&b, 0)->caches.l1i.counts.misses, 8);
    assert_int_equal(class_of(&b, RATE_ICACHE), 6 * 20);
    assert_int_equal(bed_core(&b, 0)->caches.touched->compulsory, 2);
    bed_close(&b);
}

TEST(a_branch_predicted_wrong_costs_its_resolution_and_the_way_back)
{
    UNUSED_STATE;
    struct bed b;
    /* without a target of a return to predict from, each return is wrong; lines are there */
    static const char *const sets[] = {"core.count=1", "core.l1i.perfect=true",
                                       "core.rate.wide_serial=1.0", NULL};
    struct program *p = program_new();
    u64 start = p->pc;
    for (u32 i = 0; i < 50; i++)
        emit_branch(p, CPU_RETURN, start);
    u64 cycles = run_on_rate(&b, p, sets);
    /* taken in t, result in t + 7, predicted in t + 8, its line in a buffer asked for in t + 9,
     * extracted in t + 10, taken in t + 11 */
    assert_int_equal(cycles, FIRST + 1 + 49 * 11);
    assert_int_equal(class_of(&b, RATE_BRANCH), 49 * 10);
    bed_close(&b);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Looks at the core in every cycle in which it took something. */
static struct probe {
    const struct program *program;
    u64 seen;
    cycle_t
        wrong_at; /* when a branch that was predicted wrong was taken; CYCLE_NEVER: it was not */
    u64 wrong, least_gap;
} probe;

static void look(void *context, struct core *c, cycle_t now)
{
    (void)context;
    const struct rob *r = &c->rob;
    if (probe.wrong_at != CYCLE_NEVER)
        probe.least_gap = min_u64(probe.least_gap, now - probe.wrong_at);
    probe.wrong_at = CYCLE_NEVER;
    for (; probe.seen < r->retired; probe.seen++) {
        u32 slot = rob_slot(r, probe.seen);
        assert_int_equal(r->instructions[slot].pc, probe.program->code[probe.seen].pc);
        assert_true(probe.wrong_at == CYCLE_NEVER); /* nothing behind it in its cycle */
        if (r->entries[slot].is_wrong) {
            probe.wrong_at = now;
            probe.wrong++;
        }
    }
    c->mark_at = c->counts.instructions + 1;
}

/* Blocks of a few instructions, with branches that go either way at random. */
static struct program *coins(void)
{
    struct program *p = program_new();
    struct rng rng;
    rng_init(&rng, 5, "coins");
    while (p->count < 20000) {
        for (u64 n = rng_below(&rng, 8); n; n--)
            emit(p, CPU_ALU, 3, 0);
        struct cpu_instruction *b =
            emit_branch(p, CPU_CONDITIONAL, 0x400000 + 64 * rng_below(&rng, 100));
        b->taken = rng_below(&rng, 2) == 0;
        p->pc = b->taken ? b->target : b->pc + 4;
    }
    return p;
}

TEST(instructions_go_in_order_and_none_follows_a_wrong_branch_before_its_result)
{
    UNUSED_STATE;
    static const char *const sets[] = {"core.count=1", "core.rate.wide_serial=4.0", NULL};
    struct bed b;
    struct program *p = coins();
    bed_open_chip(&b, "acmp9", sets, false);
    struct core *c = bed_core(&b, 0);
    probe = (struct probe){.program = p, .wrong_at = CYCLE_NEVER, .least_gap = UINT64_MAX};
    bed_start(&b, 0, &p->stream);
    c->on_mark = look;
    c->mark_at = 1;
    bed_run(&b);
    assert_int_equal(probe.seen, p->count);
    assert_int_equal(c->counts.instructions, p->count);
    assert_true(probe.wrong > 500);
    /* resolved 7 later, predicted in 8, its line asked for in 9, extracted in 10, taken in 11 */
    assert_int_equal(probe.least_gap, 11);
    free(p);
    bed_close(&b);
}

/* ---- sections -------------------------------------------------------------------------------- */

TEST(each_section_has_its_rate)
{
    UNUSED_STATE;
    struct bed b;
    static const char *const sets[] = {PERFECT, "core.l1i.perfect=true",
                                       "core.rate.wide_serial=2.0", "core.rate.wide_parallel=1.0",
                                       NULL};
    struct program *p = straight(800);
    p->code[p->count++] = (struct cpu_instruction){.class = CPU_EVENT, .event = CPU_PARALLEL_START};
    for (u32 i = 0; i < 800; i++)
        emit(p, CPU_ALU, 3, 0);
    p->code[p->count++] = (struct cpu_instruction){.class = CPU_EVENT, .event = CPU_PARALLEL_END};
    bed_open_chip(&b, "acmp9", sets, false);
    cpu_cluster_begin(b.cluster, "program", 0, 1);
    bed_start(&b, 0, &p->stream);
    bed_run(&b);
    const struct openmp_counts *n = &b.cluster->openmp->threads[0].counts;
    assert_int_equal(n->serial_instructions, 800);
    assert_int_equal(n->parallel_instructions, 800);
    assert_int_equal(n->parallel_cycles, FIRST + 800);
    free(p);
    bed_close(&b);
}

RUN_TESTS(T(a_front_end_that_never_waits_takes_instructions_over_rate_cycles),
          T(cycles_of_all_classes_add_up), T(only_cycles_without_instructions_are_stalls),
          T(a_loop_within_one_line_asks_once), T(a_loop_within_the_buffers_asks_once_for_each_line),
          T(a_loop_larger_than_the_buffers_asks_every_time),
          T(a_line_of_the_l2_is_charged_to_the_icache_and_one_below_to_memory),
          T(a_branch_predicted_wrong_costs_its_resolution_and_the_way_back),
          T(instructions_go_in_order_and_none_follows_a_wrong_branch_before_its_result),
          T(each_section_has_its_rate))

/* Statistics of programs small enough to count by hand. */
#include "testing.h"

#include "base/rng.h"
#include "cpu_trace/line_use.h"
#include "cpu_trace/statistics.h"

#include <math.h>

/* A stream of instructions that lie in memory. */
static bool no_more(struct cpu_stream *s)
{
    (void)s;
    return false;
}

static const struct cpu_stream_ops ops = {.refill = no_more};

static struct cpu_statistics measure(const struct cpu_instruction *threads[], const u32 *counts,
                                     u32 thread_count)
{
    struct err err = ERR_INIT;
    struct cpu_statistics out;
    struct cpu_measuring *m = cpu_measuring_create();
    for (u32 t = 0; t < thread_count; t++) {
        struct cpu_stream s = {.ops = &ops, .at = threads[t], .end = threads[t] + counts[t]};
        assert_true(cpu_measuring_add(m, &s, UINT64_MAX, &err));
    }
    cpu_measuring_finish(m, &out);
    return out;
}

static struct cpu_instruction plain(u64 pc)
{
    return (struct cpu_instruction){.pc = pc, .length = 4, .class = CPU_ALU};
}

static struct cpu_instruction load(u64 pc, u64 address, u32 bytes)
{
    return (struct cpu_instruction){.pc = pc,
                                    .length = 4,
                                    .class = CPU_LOAD,
                                    .read_count = 1,
                                    .read = {address},
                                    .read_bytes = {bytes}};
}

static struct cpu_instruction branch(u64 pc, bool taken, u64 target)
{
    return (struct cpu_instruction){.pc = pc,
                                    .length = 2,
                                    .class = CPU_BRANCH,
                                    .branch = CPU_CONDITIONAL,
                                    .taken = taken,
                                    .target = target};
}

static struct cpu_instruction event(u8 kind)
{
    return (struct cpu_instruction){.class = CPU_EVENT, .event = kind};
}

/* A loop of two instructions and a branch, ten times round, and a jump forward behind it. */
static u32 write_loop(struct cpu_instruction *to)
{
    u32 n = 0;
    for (u32 i = 0; i < 10; i++) {
        to[n++] = plain(0x1000);
        to[n++] = load(0x1004, 0x8000 + 64 * i, 8);
        to[n++] = branch(0x1008, i < 9, 0x1000);
    }
    to[n++] = plain(0x100a);
    struct cpu_instruction jump = branch(0x100e, true, 0x2000);
    jump.branch = CPU_JUMP;
    to[n++] = jump;
    return n;
}

TEST(a_loop_is_counted)
{
    UNUSED_STATE;
    struct cpu_instruction list[40];
    u32 n = write_loop(list);
    struct cpu_statistics s = measure((const struct cpu_instruction *[]){list}, &n, 1);
    const struct cpu_counts *c = &s.counts[CPU_TOTAL];
    assert_int_equal(c->instructions, 32);
    assert_int_equal(s.counts[CPU_PARALLEL].instructions, 0);
    assert_int_equal(c->classes[CPU_LOAD], 10);
    assert_int_equal(c->branches[CPU_CONDITIONAL], 10);
    assert_int_equal(c->branches[CPU_JUMP], 1);
    assert_int_equal(c->taken, 10);
    assert_int_equal(c->taken_backward, 9);
    assert_int_equal(c->conditional_taken, 9);
    assert_int_equal(c->bias[9], 10); /* 90 % taken */
    assert_int_equal(c->blocks, 11);
    assert_int_equal(c->bytes, 10 * 10 + 6);
    assert_int_equal(c->static_bytes, 16);
    /* the loop's block is 30 of 32 instructions, so the other belongs to the 99 % too */
    assert_int_equal(c->hot_bytes, 16);
    assert_int_equal(s.different, 5);
    assert_int_equal(s.code_lines, 1);
    assert_int_equal(s.data_lines, 10);
    assert_int_equal(s.data_pages, 1);
    assert_float_equal(s.line_use[CPU_TOTAL], 16. / 64, 1e-9);
    assert_int_equal(s.interval_count, 1);
    assert_int_equal(s.intervals[0].new_data_lines, 10);
}

TEST(ninety_nine_percent_leave_out_what_is_rare)
{
    UNUSED_STATE;
    struct cpu_instruction list[400];
    u32 n = 0;
    for (u32 i = 0; i < 100; i++) {
        list[n++] = plain(0x1000);
        list[n++] = branch(0x1004, i < 99, 0x1000);
    }
    list[n++] = plain(0x1006); /* 1 of 201 */
    struct cpu_statistics s = measure((const struct cpu_instruction *[]){list}, &n, 1);
    assert_int_equal(s.counts[CPU_TOTAL].hot_bytes, 6);
    assert_int_equal(s.counts[CPU_TOTAL].static_bytes, 10);
    assert_int_equal(s.curve_points, 2);
    assert_int_equal(s.curve[1].bytes, 10);
    assert_float_equal(s.curve[0].part, 200. / 201, 1e-9);
}

TEST(sections_follow_the_events_and_threads_share_code)
{
    UNUSED_STATE;
    struct cpu_instruction a[] = {plain(0x1000), event(CPU_PARALLEL_START), plain(0x2000),
                                  plain(0x2004), event(CPU_PARALLEL_END),   plain(0x1004)};
    struct cpu_instruction b[] = {event(CPU_PARALLEL_START), plain(0x2000), plain(0x3000),
                                  plain(0x3004), event(CPU_PARALLEL_END)};
    u32 counts[] = {ARRAY_LEN(a), ARRAY_LEN(b)};
    struct cpu_statistics s = measure((const struct cpu_instruction *[]){a, b}, counts, 2);
    assert_int_equal(s.counts[CPU_SERIAL].instructions, 2);
    assert_int_equal(s.counts[CPU_PARALLEL].instructions, 5);
    assert_int_equal(s.events[CPU_PARALLEL_START], 2);
    assert_float_equal(s.serial_share, 0.5, 1e-9); /* of the first thread */
    /* 0x2000 is executed by both, twice in all; 4 of 16 bytes */
    assert_float_equal(s.shared_instructions, 2. / 5, 1e-9);
    assert_float_equal(s.shared_bytes, 0.25, 1e-9);
}

TEST(an_access_over_two_lines_touches_both)
{
    UNUSED_STATE;
    struct cpu_instruction list[] = {load(0x1000, 0x803c, 8), load(0x1004, 0x8fc0, 4096)};
    u32 n = 2;
    struct cpu_statistics s = measure((const struct cpu_instruction *[]){list}, &n, 1);
    assert_int_equal(s.data_lines, 2 + 64);
    assert_int_equal(s.data_pages, 2);
}

TEST(a_line_that_leaves_counts_with_what_was_used_of_it)
{
    UNUSED_STATE;
    static struct line_use u;
    /* nine lines of one set: the first leaves with 4 bytes, then it comes again */
    for (u64 i = 0; i < 9; i++)
        line_use_fetch(&u, i * 64 * 64, 4, CPU_SERIAL);
    assert_int_equal(u.lines[CPU_SERIAL], 1);
    assert_int_equal(u.bytes[CPU_SERIAL], 4);
    line_use_fetch(&u, 62, 4, CPU_SERIAL); /* two bytes of line 0, two of line 1 */
    line_use_flush(&u);
    assert_int_equal(u.lines[CPU_SERIAL], 1 + 8 + 2);
    assert_int_equal(u.bytes[CPU_SERIAL], 4 + 8 * 4 + 2 + 2);
}

/* 30 serial instructions of the first thread, 240 parallel ones that 8 threads share out. */
TEST(a_divisible_loop_has_the_serial_share_of_the_formula)
{
    UNUSED_STATE;
    static struct cpu_instruction list[8][64];
    const struct cpu_instruction *threads[8];
    u32 counts[8] = {0};
    for (u32 t = 0; t < 8; t++) {
        threads[t] = list[t];
        for (u32 i = 0; t == 0 && i < 30; i++)
            list[t][counts[t]++] = plain(0x1000 + 4 * i);
        list[t][counts[t]++] = event(CPU_PARALLEL_START);
        for (u32 i = 0; i < 30; i++)
            list[t][counts[t]++] = plain(0x2000 + 4 * i);
        list[t][counts[t]++] = event(CPU_PARALLEL_END);
    }
    struct cpu_statistics s = measure(threads, counts, 8);
    assert_true(fabs(s.serial_share - 0.5) < 1e-12); /* 30 of 30 + 240 / 8 */
    for (u32 n = 1; n <= 64; n++)
        assert_true(fabs(cpu_serial_share_with(&s, n) - 30 / (30 + 240. / n)) < 1e-12);
    assert_true(s.shared_instructions == 1);
}

/* Seven threads execute the loop, the eighth other code: nothing is common to all. */
TEST(code_that_one_thread_never_enters_is_not_shared)
{
    UNUSED_STATE;
    static struct cpu_instruction list[8][64];
    const struct cpu_instruction *threads[8];
    u32 counts[8] = {0};
    for (u32 t = 0; t < 8; t++) {
        threads[t] = list[t];
        list[t][counts[t]++] = event(CPU_PARALLEL_START);
        for (u32 i = 0; i < 30; i++)
            list[t][counts[t]++] = plain((t == 7 ? 0x9000 : 0x2000) + 4 * i);
        list[t][counts[t]++] = event(CPU_PARALLEL_END);
    }
    struct cpu_statistics s = measure(threads, counts, 8);
    assert_true(s.shared_instructions == 0 && s.shared_bytes == 0);
}

/* Lines belong to the section that brought them: the parallel one uses more of the first line, and
 * brings the second. */
TEST(a_line_belongs_to_the_section_that_brought_it)
{
    UNUSED_STATE;
    struct cpu_instruction list[] = {plain(0x1000), plain(0x1004), event(CPU_PARALLEL_START),
                                     plain(0x1008), plain(0x1040), event(CPU_PARALLEL_END)};
    u32 n = ARRAY_LEN(list);
    struct cpu_statistics s = measure((const struct cpu_instruction *[]){list}, &n, 1);
    assert_float_equal(s.line_use[CPU_SERIAL], 12. / 64, 1e-9);
    assert_float_equal(s.line_use[CPU_PARALLEL], 4. / 64, 1e-9);
    assert_float_equal(s.line_use[CPU_TOTAL], 16. / 128, 1e-9);
}

/* `blocks` of 9 instructions of 4 bytes and a branch of 2, 128 bytes apart, `trips` times round:
 * jumps from block to block, a conditional branch back. */
static u32 write_blocks(struct cpu_instruction *to, u64 first, u32 blocks, u32 trips)
{
    u32 n = 0;
    for (u32 t = 0; t < trips; t++) {
        for (u32 k = 0; k < blocks; k++) {
            u64 pc = first + 128ull * k;
            bool is_last = k + 1 == blocks;
            for (u32 i = 0; i < 9; i++)
                to[n++] = plain(pc + 4 * i);
            to[n] = branch(pc + 36, !is_last || t + 1 < trips, is_last ? first : pc + 128);
            to[n++].branch = is_last ? CPU_CONDITIONAL : CPU_JUMP;
        }
    }
    return n;
}

/* k blocks of 38 bytes, n trips. */
static void check_blocks(const struct cpu_statistics *s, u32 section, u64 k, u64 n)
{
    const struct cpu_counts *c = &s->counts[section];
    assert_int_equal(c->instructions, 10 * k * n);
    assert_int_equal(c->bytes, 38 * k * n);
    assert_int_equal(c->blocks, k * n);
    assert_int_equal(c->branches[CPU_CONDITIONAL], n);
    assert_int_equal(c->branches[CPU_JUMP], (k - 1) * n);
    assert_int_equal(c->branches[CPU_NO_BRANCH], 9 * k * n);
    assert_int_equal(c->taken, k * n - 1);
    assert_int_equal(c->taken_backward, n - 1);
    assert_int_equal(c->conditional_taken, n - 1);
    assert_int_equal(c->bias[(n - 1) * CPU_BIAS_BINS / n], n);
    assert_int_equal(c->static_bytes, 38 * k);
    assert_int_equal(c->hot_bytes, 38 * k); /* of fewer than 100 equal blocks all are needed */
    assert_float_equal(s->line_use[section], 38. / 64, 1e-9);
}

TEST(blocks_and_trips_of_a_loop_give_every_measure_of_each_section)
{
    UNUSED_STATE;
    static struct cpu_instruction list[12000];
    u32 n = write_blocks(list, 0x1000, 3, 2);
    list[n++] = event(CPU_PARALLEL_START);
    n += write_blocks(list + n, 0x8000, 5, 200);
    list[n++] = event(CPU_PARALLEL_END);
    struct cpu_statistics s = measure((const struct cpu_instruction *[]){list}, &n, 1);
    check_blocks(&s, CPU_SERIAL, 3, 2);
    check_blocks(&s, CPU_PARALLEL, 5, 200);
    const struct cpu_counts *c = &s.counts[CPU_TOTAL];
    assert_int_equal(c->instructions, 60 + 10000);
    assert_int_equal(c->taken, 5 + 999);
    assert_int_equal(c->taken_backward, 1 + 199);
    assert_int_equal(c->static_bytes, 8 * 38);
    assert_int_equal(c->hot_bytes, 5 * 38); /* 1000 of 1006 blocks */
    assert_float_equal(s.serial_share, 60. / 10060, 1e-12);
}

/* Branches of all kinds at random: what must hold for any program. */
TEST(classes_directions_and_footprints_add_up_for_any_program)
{
    UNUSED_STATE;
    static struct cpu_instruction list[4000];
    struct rng rng;
    u32 n = 0;
    rng_init(&rng, 11, "program");
    for (; n < ARRAY_LEN(list); n++) {
        u64 at = rng_below(&rng, 500), pc = 0x1000 + 16 * at;
        list[n] = plain(pc);
        if (at % 3)
            continue;
        list[n] = branch(pc, rng_below(&rng, 2) == 0, 0x1000 + 16 * rng_below(&rng, 500));
        list[n].branch = (u8)(1 + at % (CPU_BRANCH_COUNT - 1)); /* always the same at one place */
    }
    struct cpu_statistics s = measure((const struct cpu_instruction *[]){list}, &n, 1);
    const struct cpu_counts *c = &s.counts[CPU_TOTAL];
    u64 branches = 0, forward = 0, taken = 0, biased = 0;
    for (u32 i = 0; i < n; i++) {
        taken += list[i].taken;
        forward += list[i].taken && list[i].target >= list[i].pc;
    }
    for (u32 i = 1; i < CPU_BRANCH_COUNT; i++)
        branches += c->branches[i];
    for (u32 i = 0; i < CPU_BIAS_BINS; i++)
        biased += c->bias[i];
    assert_int_equal(branches + c->branches[CPU_NO_BRANCH], c->instructions);
    assert_int_equal(c->taken, taken);
    assert_int_equal(c->taken_backward + forward, c->taken);
    assert_int_equal(biased, c->branches[CPU_CONDITIONAL]);
    assert_true(c->hot_bytes < c->static_bytes);
}

/* Eight threads, each on code of its own. */
TEST(threads_on_disjoint_code_share_none)
{
    UNUSED_STATE;
    static struct cpu_instruction list[8][64];
    const struct cpu_instruction *threads[8];
    u32 counts[8] = {0};
    for (u32 t = 0; t < 8; t++) {
        threads[t] = list[t];
        list[t][counts[t]++] = event(CPU_PARALLEL_START);
        for (u32 i = 0; i < 30; i++)
            list[t][counts[t]++] = plain(0x10000 * (t + 1) + 4 * i);
        list[t][counts[t]++] = event(CPU_PARALLEL_END);
    }
    struct cpu_statistics s = measure(threads, counts, 8);
    assert_true(s.shared_instructions == 0 && s.shared_bytes == 0);
}

RUN_TESTS(T(blocks_and_trips_of_a_loop_give_every_measure_of_each_section),
          T(classes_directions_and_footprints_add_up_for_any_program),
          T(threads_on_disjoint_code_share_none), T(a_line_belongs_to_the_section_that_brought_it),
          T(a_divisible_loop_has_the_serial_share_of_the_formula),
          T(code_that_one_thread_never_enters_is_not_shared), T(a_loop_is_counted),
          T(ninety_nine_percent_leave_out_what_is_rare),
          T(sections_follow_the_events_and_threads_share_code),
          T(an_access_over_two_lines_touches_both),
          T(a_line_that_leaves_counts_with_what_was_used_of_it))

/* The oracle that tells whether another L1 has the line. */
#include "gpu/bed.h"

/* Four loads, one after the other, of the lines that all blocks share. */
static const struct scripted_instruction shared_lines[] = {
    {.kind = WINST_LOAD,
     .unit = UNIT_MEMORY,
     .dst = 1,
     .src0 = 1,
     .space = SPACE_GLOBAL,
     .bytes = 4,
     .base = 0x10000,
     .lane_stride = 4,
     .iteration_stride = 128},
};
static const struct scripted_instruction own_lines[] = {
    {.kind = WINST_LOAD,
     .unit = UNIT_MEMORY,
     .dst = 1,
     .src0 = 1,
     .space = SPACE_GLOBAL,
     .bytes = 4,
     .base = 0x10000,
     .lane_stride = 4,
     .iteration_stride = 128,
     .block_stride = 4096},
};

static double coefficient(const struct scripted_instruction *code, const char *oracle, cycle_t *end)
{
    const char *sets[] = {oracle, "sm.count=2", NULL};
    struct bed b;
    bed_open(&b, "fermi15", sets);
    /* the second kernel runs on the same lines when both L1s have them */
    struct scripted_kernel k = {
        .code = code, .count = 1, .iterations = 4, .blocks = 2, .threads_per_block = 32};
    bed_launch(&b, &k);
    bed_run(&b);
    *end = engine_cycle(&b.sim.engine, 0);
    double value = b.gpu->cluster.reuse.counts ? bed_stat(&b, "sm.reuse.coefficient") : -1;
    bed_close(&b);
    return value;
}

TEST(lines_of_one_block_alone_are_in_no_other_l1)
{
    UNUSED_STATE;
    cycle_t end;
    assert_true(coefficient(own_lines, "sm.l1.reuse_oracle=true", &end) == 0);
}

TEST(two_sms_that_miss_at_once_cannot_answer_each_other)
{
    UNUSED_STATE;
    cycle_t end;
    /* both blocks run in step: a reserved line is not a valid one */
    assert_true(coefficient(shared_lines, "sm.l1.reuse_oracle=true", &end) < 0.5);
}

TEST(the_oracle_changes_no_cycle)
{
    UNUSED_STATE;
    cycle_t with, without;
    coefficient(shared_lines, "sm.l1.reuse_oracle=true", &with);
    coefficient(shared_lines, "sm.l1.reuse_oracle=false", &without);
    assert_int_equal(with, without);
}

/* A block that starts when the other has ended finds all its lines there. */
TEST(a_late_block_could_have_all_its_lines_from_the_other_l1)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.l1.reuse_oracle=true", "sm.count=2", NULL};
    struct bed b;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = {
        .code = shared_lines, .count = 1, .iterations = 4, .blocks = 1, .threads_per_block = 32};
    bed_launch(&b, &k); /* on SM 0 */
    bed_launch(&b, &k); /* on SM 1, after it: the same stream */
    bed_run(&b);
    assert_int_equal((u64)bed_stat(&b, "sm.reuse.misses"), 8);
    assert_int_equal((u64)bed_stat(&b, "sm.reuse.remote"), 4);
    assert_int_equal((u64)bed_stat(&b, "sm1.reuse.remote"), 4);
    bed_close(&b);
}

/* H[x][y]: SM 1 missed four lines, all of which SM 0 had; nobody had SM 0's. */
TEST(the_heat_map_says_who_had_whose_lines)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.l1.reuse_oracle=true", "sm.count=2", NULL};
    struct bed b;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = {
        .code = shared_lines, .count = 1, .iterations = 4, .blocks = 1, .threads_per_block = 32};
    bed_launch(&b, &k);
    bed_launch(&b, &k);
    bed_run(&b);
    json_t *details = json_object();
    machine_details(b.machine, details);
    const json_t *map = json_object_get(details, "reuse_heat_map");
    char *text = json_dumps(map, JSON_COMPACT | JSON_SORT_KEYS);
    assert_string_equal(text, "{\"had_by\":[[0,0],[4,0]],\"misses\":[4,4]}");
    free(text);
    json_decref(details);
    bed_close(&b);
}

RUN_TESTS(T(lines_of_one_block_alone_are_in_no_other_l1),
          T(two_sms_that_miss_at_once_cannot_answer_each_other), T(the_oracle_changes_no_cycle),
          T(a_late_block_could_have_all_its_lines_from_the_other_l1),
          T(the_heat_map_says_who_had_whose_lines))

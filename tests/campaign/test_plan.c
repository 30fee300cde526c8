#include "campaign/bed.h"

#include <unistd.h>

#define HEAD "chips: [tandem]\nworkloads: [tokens]\n"

/* All points as a person calls them, one line each. */
static void expect_points(const char *text, const char *points)
{
    struct bed bed;
    struct text all = {0};
    assert_string_equal(bed_open(&bed, text), "");
    for (u32 i = 0; i < bed.plan.count; i++) {
        point_text(bed.plan.points[i], &all);
        text_printf(&all, "\n");
    }
    assert_string_equal(all.data, points);
    text_fini(&all);
    bed_close(&bed);
}

static void expect_error(const char *text, const char *message)
{
    struct bed bed;
    assert_string_equal(bed_open(&bed, text), message);
    bed_close(&bed);
}

TEST(a_file_without_axes_is_one_run)
{
    UNUSED_STATE;
    expect_points(HEAD, "tokens on tandem\n");
}

TEST(sweep_is_the_cross_product_with_the_first_parameter_slowest)
{
    UNUSED_STATE;
    expect_points(HEAD "sweep:\n  stage.count: [2, 3]\n  tokens: [10, 20, 30]\n",
                  "tokens on tandem stage.count=2 tokens=10\n"
                  "tokens on tandem stage.count=2 tokens=20\n"
                  "tokens on tandem stage.count=2 tokens=30\n"
                  "tokens on tandem stage.count=3 tokens=10\n"
                  "tokens on tandem stage.count=3 tokens=20\n"
                  "tokens on tandem stage.count=3 tokens=30\n");
}

TEST(zip_moves_its_parameters_together_and_crosses_with_the_rest)
{
    UNUSED_STATE;
    expect_points(HEAD "sweep: {stage.queue_entries: [2, 4]}\n"
                       "zip:\n  - {stage.count: [1, 2], tokens: [10, 20]}\n",
                  "tokens on tandem stage.queue_entries=2 stage.count=1 tokens=10\n"
                  "tokens on tandem stage.queue_entries=2 stage.count=2 tokens=20\n"
                  "tokens on tandem stage.queue_entries=4 stage.count=1 tokens=10\n"
                  "tokens on tandem stage.queue_entries=4 stage.count=2 tokens=20\n");
}

TEST(where_keeps_what_all_conditions_allow)
{
    UNUSED_STATE;
    expect_points(HEAD "sweep: {stage.count: [1, 2, 3], stage.queue_entries: [1, 2, 3]}\n"
                       "where: [count <= queue_entries, not (stage.count == 1 and seed == 1)]\n",
                  "tokens on tandem stage.count=2 stage.queue_entries=2\n"
                  "tokens on tandem stage.count=2 stage.queue_entries=3\n"
                  "tokens on tandem stage.count=3 stage.queue_entries=3\n");
}

TEST(repeat_counts_seeds_or_lists_them_and_a_workload_may_have_its_own)
{
    UNUSED_STATE;
    expect_points(HEAD "repeat: 3\n",
                  "tokens on tandem\ntokens on tandem seed 2\ntokens on tandem seed 3\n");
    expect_points("chips: [tandem]\nworkloads: [tokens, {name: tokens, seed: 9}]\nrepeat: [5, 7]\n",
                  "tokens on tandem seed 5\ntokens on tandem seed 7\ntokens on tandem seed 9\n");
}

TEST(two_ways_of_writing_one_run_are_one_run)
{
    UNUSED_STATE;
    expect_points(HEAD "sweep: {source.clock_hz: [1GHz, 1000MHz]}\n",
                  "tokens on tandem source.clock_hz=1GHz\n");
}

TEST(record_adds_one_run_per_workload_and_seed_that_the_others_replay)
{
    UNUSED_STATE;
    struct bed bed;
    assert_string_equal(bed_open(&bed, "chips: [fermi15, kepler8]\nrecord: true\nrepeat: 2\n"
                                       "workloads: [{name: bfs, size: tiny}]\n"
                                       "sweep: {sm.l1.mshrs: [16, 32]}\n"),
                        "");
    u32 records = 0;
    assert_int_equal(bed.plan.count, 2 + 2 * 2 * 2);
    for (u32 i = 0; i < bed.plan.count; i++) {
        const struct plan_point *p = bed.plan.points[i];
        records += p->mode == POINT_RECORD;
        if (p->mode == POINT_REPLAY) {
            assert_int_equal(p->recording->mode, POINT_RECORD);
            assert_int_equal(p->recording->seed, p->seed);
            assert_string_equal(p->recording->chip_name, "fermi15");
        }
    }
    assert_int_equal(records, 2);
    bed_close(&bed);
}

TEST(a_workload_may_have_settings_of_its_own)
{
    UNUSED_STATE;
    struct bed bed;
    assert_string_equal(bed_open(&bed, "chips: [tandem]\nworkloads:\n  - tokens\n"
                                       "  - {name: tokens, seed: 2, set: {stage.count: 7}}\n"
                                       "sweep: {tokens: [10, 20]}\n"),
                        "");
    assert_int_equal(bed.plan.count, 4);
    for (u32 i = 0; i < 4; i++) {
        const struct plan_point *p = bed.plan.points[i];
        assert_int_equal(p->setting_count, i < 2 ? 1 : 2);
        assert_string_equal(p->settings[p->setting_count - 1].value, i % 2 ? "20" : "10");
        assert_true(i < 2 || strcmp(p->settings[0].value, "7") == 0);
    }
    bed_close(&bed);
    expect_error("chips: [tandem]\nworkloads: [{name: tokens, set: {tokens: 7}}]\n"
                 "sweep: {tokens: [10, 20]}\n",
                 "s.yaml:2:34: 'tokens' is given twice, first on line 3");
    expect_error("chips: [tandem]\nworkloads: [{name: tokens, set: {tokens: [7, 8]}}]\n",
                 "s.yaml:2:42: tokens is a list, expected a single value; lists go under sweep:");
}

/* ---- keys ---- */

static void key_of(const char *text, char *key)
{
    struct bed bed;
    assert_string_equal(bed_open(&bed, text), "");
    strcpy(key, bed.plan.points[0]->key);
    bed_close(&bed);
}

TEST(a_key_depends_on_what_is_simulated_and_on_nothing_else)
{
    UNUSED_STATE;
    char base[KEY_LENGTH + 1], key[KEY_LENGTH + 1];
    key_of(HEAD, base);
    assert_int_equal(strlen(base), KEY_LENGTH);
    static const char *const same[] = {
        HEAD "name: other\nabout: a line\ntimeout: 5s\n", HEAD "repeat: 1\n",
        HEAD "set: {source.clock_hz: 1.4GHz}\n", /* what the chip has anyway */
        "workloads: {name: tokens, seed: 1}\nchips: tandem\n"};
    static const char *const other[] = {
        HEAD "repeat: [2]\n", HEAD "set: {source.clock_hz: 1.5GHz}\n",
        HEAD "sweep: {stage.count: [5]}\n", HEAD "max_cycles: 100\n", HEAD "watchdog: 100\n"};
    for (size_t i = 0; i < ARRAY_LEN(same); i++) {
        key_of(same[i], key);
        assert_string_equal(key, base);
    }
    for (size_t i = 0; i < ARRAY_LEN(other); i++) {
        key_of(other[i], key);
        assert_string_not_equal(key, base);
    }
}

TEST(a_key_depends_on_size_arguments_and_mode)
{
    UNUSED_STATE;
    static const char *const all[] = {
        "chips: fermi15\nworkloads: [bfs]\n",
        "chips: kepler8\nworkloads: [bfs]\n",
        "chips: fermi15\nworkloads: [matmul]\n",
        "chips: fermi15\nworkloads: [{name: bfs, size: tiny}]\n",
        "chips: fermi15\nworkloads: [{name: bfs, args: [--graph, rmat]}]\n",
        "chips: fermi15\nworkloads: [{name: bfs, args: [--graph]}]\n",
        "chips: fermi15\nworkloads: [bfs]\nrecord: true\n",
    };
    char keys[ARRAY_LEN(all)][KEY_LENGTH + 1];
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        key_of(all[i], keys[i]);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(keys[i], keys[k]);
    }
    char small[KEY_LENGTH + 1];
    key_of("chips: fermi15\nworkloads: [{name: bfs, size: small}]\n", small);
    assert_string_equal(small, keys[0]); /* the default */
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

TEST(a_key_depends_on_what_a_file_says_and_not_on_where_it_lies)
{
    UNUSED_STATE;
    char folder[] = "/tmp/heddle-plan-XXXXXX", path[64], text[256];
    char first[KEY_LENGTH + 1], second[KEY_LENGTH + 1];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/w.yaml", folder);
    snprintf(text, sizeof text,
             "chips: kepler8\nworkloads: [bfs]\n"
             "set: {sm.warp_policy: poise, policy.warp.poise.weights: %s}\n",
             path);
    write_file(path, "weights: {one: {n: 1, p: 1}}\n");
    key_of(text, first);
    write_file(path, "weights: {one: {n: 2, p: 1}}\n");
    key_of(text, second);
    assert_string_not_equal(first, second);
    write_file("w.yaml", "weights: {one: {n: 1, p: 1}}\n");
    key_of("chips: kepler8\nworkloads: [bfs]\n"
           "set: {sm.warp_policy: poise, policy.warp.poise.weights: w.yaml}\n",
           second);
    assert_string_equal(first, second);
    unlink("w.yaml");
    unlink(path);
    rmdir(folder);
}

TEST(the_text_of_a_key_names_every_parameter)
{
    UNUSED_STATE;
    struct bed bed;
    struct text t = {0};
    assert_string_equal(bed_open(&bed, HEAD "set: {stage.count: 7}\n"), "");
    point_key_text(&bed.plan, bed.plan.points[0], &t);
    assert_non_null(strstr(t.data, "heddle.key/1\nversion "));
    assert_non_null(strstr(t.data, "\nworkload model tokens\nseed 1\nmode direct\nmodel tandem\n"));
    assert_non_null(strstr(t.data, "\nparam stage.count 7\n"));
    text_fini(&t);
    bed_close(&bed);
}

/* ---- bad files ---- */

TEST(bad_files_get_a_sentence_with_a_place)
{
    UNUSED_STATE;
    static const char *const cases[][2] = {
        {"", "s.yaml:1:1: `chips:` is missing, expected a list"},
        {"chips: [tandem]\n", "s.yaml:1:1: `workloads:` is missing, expected a list"},
        {HEAD "sweeps: {}\n", "s.yaml:3:1: unknown key 'sweeps', expected a name from "
                              "`docs/howto/sweeps.md` (nearest: sweep)"},
        {"chips: [tandm]\nworkloads: [tokens]\n",
         "s.yaml:1:9: unknown chip 'tandm', expected a name from `heddle list chips` (nearest: "
         "tandem)"},
        {"chips: [tandem]\nworkloads: [tokns]\n",
         "s.yaml:2:13: unknown workload 'tokns', expected a name from `heddle list "
         "workloads` (nearest: tokens)"},
        {"chips: [fermi15]\nworkloads: [tokens]\n",
         "s.yaml:2:13: workload tokens does not run on chip fermi15, which is of model gpu"},
        {"chips: [tandem]\nworkloads: [{name: tokens, sise: tiny}]\n",
         "s.yaml:2:28: unknown key of a workload 'sise', expected name, program, as, size, args, "
         "seed, launches, set or resume (nearest: size)"},
        {"chips: [tandem]\nworkloads: [{size: tiny}]\n",
         "s.yaml:2:13: a workload has no name, expected name: or program:"},
        {"chips: [tandem]\nworkloads: [{name: tokens, size: tiny}]\n",
         "s.yaml:2:20: size applies only to bundled workloads; tokens is a model workload"},
        {"chips: [tandem]\nworkloads: [no/such.yaml]\n",
         "s.yaml:2:13: file no/such.yaml cannot be read"},
        {HEAD "sweep: {stage.cuont: [1]}\n",
         "s.yaml:3:9: unknown parameter of chip tandem 'stage.cuont', expected a name from "
         "`heddle list params` (nearest: stage.count)"},
        {HEAD "sweep: {stage.count: [1, 0]}\n", "s.yaml:3:26: stage.count is 0, expected 1 to 64"},
        {HEAD "sweep: {stage.count: []}\n",
         "s.yaml:3:22: stage.count is empty, expected a list of values"},
        {HEAD "sweep: {stage: {count: [1]}}\n",
         "s.yaml:3:16: stage is a mapping, expected values; a parameter in a group is written "
         "with a dot, such as sm.l1.mshrs"},
        {HEAD "set: {stage.count: [1, 2]}\n",
         "s.yaml:3:20: stage.count is a list, expected a single value; lists go under sweep:"},
        {HEAD "set: {tokens: 1}\nsweep: {tokens: [1, 2]}\n",
         "s.yaml:4:9: 'tokens' is given twice, first on line 3"},
        {HEAD "zip: [{tokens: [1, 2], stage.count: [1]}]\n",
         "s.yaml:3:24: stage.count has 1 values, expected 2 as tokens beside it has"},
        {HEAD "repeat: 0\n", "s.yaml:3:9: repeat is 0, expected a whole number from 1 to 100000"},
        {HEAD "record: maybe\n", "s.yaml:3:9: record is maybe, expected true or false"},
        {HEAD "timeout: soon\n",
         "s.yaml:3:10: timeout is soon, expected a time above zero, such as 600s"},
        {HEAD "where: tokens <\n",
         "s.yaml:3:8: unknown name in a condition: 'tokens', expected chip, workload, size or "
         "seed"},
        {HEAD "sweep: {tokens: [1]}\nwhere: tokens <\n",
         "s.yaml:4:8: condition 'tokens <': a name or number is missing at 'its end'"},
        {HEAD "sweep: {tokens: [1]}\nwhere: tokens 3\n",
         "s.yaml:4:8: condition 'tokens 3': expected an operator or the end at '3'"},
        {HEAD "sweep: {tokens: [1]}\nwhere: chip < 3\n",
         "s.yaml:4:8: condition 'chip < 3': a text is compared with a number, at 'its end'"},
        {HEAD "sweep: {tokens: [1]}\nwhere: tokens > 1\n",
         "s.yaml: no run is left: the conditions exclude all of them"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        expect_error(cases[i][0], cases[i][1]);
}

RUN_TESTS(T(a_file_without_axes_is_one_run), T(a_workload_may_have_settings_of_its_own),
          T(a_key_depends_on_what_a_file_says_and_not_on_where_it_lies),
          T(sweep_is_the_cross_product_with_the_first_parameter_slowest),
          T(zip_moves_its_parameters_together_and_crosses_with_the_rest),
          T(where_keeps_what_all_conditions_allow),
          T(repeat_counts_seeds_or_lists_them_and_a_workload_may_have_its_own),
          T(two_ways_of_writing_one_run_are_one_run),
          T(record_adds_one_run_per_workload_and_seed_that_the_others_replay),
          T(a_key_depends_on_what_is_simulated_and_on_nothing_else),
          T(a_key_depends_on_size_arguments_and_mode), T(the_text_of_a_key_names_every_parameter),
          T(bad_files_get_a_sentence_with_a_place))

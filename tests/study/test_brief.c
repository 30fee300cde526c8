#include "testing.h"

#include "study/study_brief.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static const char study_yaml[] =
    "about: three claims\n"
    "document: a book\n"
    "workloads: [a, b]\n"
    "judged: good\n"
    "runs: {base: {chips: chips/c.yaml}, wide: {chips: c, set: {x: 2}}}\n"
    "expect:\n"
    "  - {id: order, what: a is first, holds: '1 == 1'}\n"
    "  - {id: sure, what: a is a, holds: '1 == 1'}\n"
    "headline: [order, gain, sure]\n"
    "notes: {gain: 'as cause: both', cause: 'too few. It was tried.'}\n"
    "shown: {sur*: it is arithmetic}\n";
static const char published_csv[] = "id,what,measure,published,unit,kind,low,high,source\n"
                                    "gain,how much a gains,mean(g),1.50,x,band,,,Fig 1\n"
                                    "cause,how many,mean(n),4,,band,,,Fig 2\n";
static const char checks_csv[] =
    "id,what,kind,unit,published,measured,low,high,verdict,since,note\n"
    "gain,how much a gains,band,x,1.50,1.1,1.3,1.7,miss,,\n"
    "cause,how many,band,,4,4,3,5,pass,,\n"
    "order,a is first,shape,,,2,,,pass,,\n"
    "sure,a is a,shape,,,,,,pass,,\n";
static const char runs_csv[] = "set,program,point,chip,size,key,commit,kept,cycles\n"
                               "base,a,,c,,00,abc,,12\n"
                               "base,b,,c,,01,def,yes,13\n"
                               "wide,a,,c,,02,abc,,14\n"
                               "wide,b,,c,,03,,,\n";

static char folder[64], results[80];

static void put(const char *where, const char *name, const char *text)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", where, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void write_study(const char *study)
{
    strcpy(folder, "/tmp/heddle-brief-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(results, sizeof results, "%s/results", folder);
    put(folder, "study.yaml", study);
    put(folder, "published.csv", published_csv);
}

static void write_results(void)
{
    assert_int_equal(mkdir(results, 0777), 0);
    put(results, "checks.csv", checks_csv);
    put(results, "runs.csv", runs_csv);
    put(results, "programs.csv", "program,accepted\na,yes\nb,no\n");
}

TEST(claims_are_the_headlines_in_their_order_with_published_and_measured)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct study_brief b;
    write_study(study_yaml);
    write_results();
    assert_true(study_brief_read(&b, folder, results, &arena, &err));
    assert_int_equal(b.claim_count, 3);
    assert_string_equal(b.claims[0].what, "a is first");
    assert_true(b.claims[0].is_ordering);
    assert_int_equal(b.claims[0].verdict, VERDICT_PASS);
    assert_string_equal(b.claims[1].published, "1.50");
    assert_string_equal(b.claims[1].measured, "1.1");
    assert_int_equal(b.claims[1].verdict, VERDICT_MISS);
    assert_int_equal(study_brief_count(&b, VERDICT_MISS), 1);
    arena_fini(&arena);
}

TEST(a_miss_has_the_cause_that_its_note_sends_to)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct study_brief b;
    write_study(study_yaml);
    write_results();
    assert_true(study_brief_read(&b, folder, results, &arena, &err));
    assert_string_equal(b.claims[0].why, "");
    assert_string_equal(b.claims[1].why, "too few. It was tried.");
    arena_fini(&arena);
}

TEST(what_the_study_shows_is_not_judged_whatever_the_kept_table_says)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct study_brief b;
    write_study(study_yaml);
    write_results();
    assert_true(study_brief_read(&b, folder, results, &arena, &err));
    assert_int_equal(b.claims[2].verdict, VERDICT_SHOWN);
    assert_string_equal(b.claims[2].why, "it is arithmetic");
    assert_int_equal(b.checks[SORT_ORDERING][VERDICT_PASS], 1);
    assert_int_equal(b.checks[SORT_ORDERING][VERDICT_SHOWN], 1);
    assert_int_equal(b.checks[SORT_MAGNITUDE][VERDICT_PASS], 1);
    assert_int_equal(b.checks[SORT_MAGNITUDE][VERDICT_MISS], 1);
    arena_fini(&arena);
}

static const char sweeps_yaml[] = "about: sweeps\n"
                                  "workloads: [a, b]\n"
                                  "groups: {first: [a]}\n"
                                  "runs:\n"
                                  "  base: {chips: c}\n"
                                  "  same: {chips: c, programs: first}\n"
                                  "  grid: {chips: c, programs: first, where: p <= n,\n"
                                  "    sweep: {n: [1, 2], p: [1, 2]}}\n"
                                  "  size: {chips: [c, d], zip: [{w: [1, 2], s: [4KiB, 8KiB]}]}\n"
                                  "expect: [{id: order, what: a is first, holds: '1 == 1'}]\n"
                                  "headline: [order]\n";

static void read_sweeps(struct study_brief *b, struct arena *arena, const char *rows)
{
    struct err err = ERR_INIT;
    write_study(sweeps_yaml);
    assert_int_equal(mkdir(results, 0777), 0);
    put(results, "runs.csv", rows);
    if (!study_brief_read(b, folder, results, arena, &err))
        fail_msg("%s", err.what);
}

/* base a, base b (same a is base a), grid 1 1, 2 1, 2 2, size: 2 programs x 2 chips x 2 points. */
TEST(runs_that_are_defined_now_are_told_once_each)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct study_brief b;
    read_sweeps(&b, &arena, "set,program,point,chip,size,key,commit,kept,cycles\n");
    assert_int_equal(b.runs_without_result, 2 + 3 + 8);
    assert_int_equal(b.runs_gone, 0);
    arena_fini(&arena);
}

TEST(a_kept_row_is_found_by_set_program_point_and_chip)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct study_brief b;
    read_sweeps(&b, &arena,
                "set,program,point,chip,size,key,commit,kept,cycles\n"
                "same,a,,c,,00,abc,,12\n"
                "grid,a,2 1,c,,01,abc,,12\n"
                "size,b,2 8KiB d,d,,02,abc,,12\n"
                "grid,a,1 2,c,,03,abc,,12\n" /* p <= n leaves it out */
                "wide,a,,c,,04,abc,,12\n");  /* no such set */
    assert_int_equal(b.runs_without_result, 13 - 3);
    assert_int_equal(b.runs_gone, 2);
    assert_int_equal(b.runs_made, 5);
    arena_fini(&arena);
}

TEST(a_run_of_two_sets_counts_once_and_without_a_commit_is_of_an_earlier_version)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct study_brief b;
    read_sweeps(&b, &arena,
                "set,program,point,chip,size,key,cycles,seconds\n"
                "base,a,,c,,00,12,3600\n"
                "same,a,,c,,00,12,3600\n"
                "base,b,,c,,01,,\n");
    assert_int_equal(b.runs_made, 0);
    assert_int_equal(b.runs_kept, 1);
    assert_int_equal(b.makers[0].runs, 1);
    assert_string_equal(b.makers[0].commit, UNKNOWN_COMMIT);
    assert_true(fabs(b.hours - 1) < 1e-9);
    arena_fini(&arena);
}

TEST(runs_are_made_kept_or_without_a_result_and_rejected_programs_are_named)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct study_brief b;
    write_study(study_yaml);
    write_results();
    assert_true(study_brief_read(&b, folder, results, &arena, &err));
    assert_int_equal(b.runs_made, 2);
    assert_int_equal(b.runs_kept, 1);
    assert_int_equal(b.runs_without_result, 1);
    assert_int_equal(b.maker_count, 2);
    assert_string_equal(b.makers[0].commit, "abc");
    assert_int_equal(b.makers[0].runs, 2);
    assert_true(b.makers[1].is_kept);
    assert_int_equal(b.program_count, 2);
    assert_int_equal(b.rejected_count, 1);
    assert_string_equal(b.rejected[0], "b");
    arena_fini(&arena);
}

TEST(a_table_for_mixes_rejects_nothing_that_the_study_runs)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct study_brief b;
    write_study("about: mixes\nmixes: [m]\naccepted: table.csv\nexpect:\n"
                "  - {id: order, what: a is first, holds: '1 == 1'}\nheadline: [order]\n");
    put(folder, "table.csv", "program,accepted\na,yes\nb,no\n");
    assert_true(study_brief_read(&b, folder, results, &arena, &err));
    assert_int_equal(b.rejected_count, 0);
    assert_int_equal(b.program_count, 0);
    assert_string_equal(b.mixes_from, "table.csv");
    arena_fini(&arena);
}

TEST(a_study_without_results_has_claims_that_were_not_measured)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct study_brief b;
    write_study(study_yaml);
    assert_true(study_brief_read(&b, folder, results, &arena, &err));
    assert_false(b.has_checks || b.has_runs);
    assert_int_equal(b.claims[0].verdict, VERDICT_UNMEASURED);
    assert_int_equal(b.program_count, 0);
    arena_fini(&arena);
}

TEST(an_unknown_check_and_a_sixth_claim_are_refused)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct err err = ERR_INIT, many = ERR_INIT;
    struct study_brief b;
    write_study("about: x\nheadline: [gain, cuase]\n");
    assert_false(study_brief_read(&b, folder, results, &arena, &err));
    assert_string_equal(err.what, "no check has the id 'cuase'");
    assert_int_equal(err.line, 2);
    write_study("about: x\nheadline: [gain, gain, gain, gain, gain, gain]\n");
    assert_false(study_brief_read(&b, folder, results, &arena, &many));
    assert_string_equal(many.what, "headline has 6 checks, expected at most 5");
    arena_fini(&arena);
}

TEST(an_order_is_a_condition_or_the_direction_of_a_number)
{
    UNUSED_STATE;
    static const struct {
        struct study_claim claim;
        bool holds;
    } rows[] = {
        {{.is_ordering = true,
          .verdict = VERDICT_PASS,
          .published = "",
          .measured = "",
          .unit = ""},
         true},
        {{.is_ordering = true,
          .verdict = VERDICT_MISS,
          .published = "",
          .measured = "",
          .unit = ""},
         false},
        /* far outside any band, yet faster */
        {{.published = "3.2", .measured = "1.01", .verdict = VERDICT_MISS, .unit = "x"}, true},
        {{.published = "3.2", .measured = "0.99", .verdict = VERDICT_MISS, .unit = "x"}, false},
        {{.published = "-29", .measured = "-1", .verdict = VERDICT_MISS, .unit = "%"}, true},
        {{.published = "-29", .measured = "2", .verdict = VERDICT_MISS, .unit = "%"}, false},
        /* no change was published */
        {{.published = "1", .measured = "1.05", .verdict = VERDICT_MISS, .unit = "x"}, false},
        {{.published = "1", .measured = "1.01", .verdict = VERDICT_PASS, .unit = "x"}, true},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        assert_int_equal(study_claim_is_ordered(&rows[i].claim), rows[i].holds);
}

TEST(a_system_has_the_orderings_that_its_study_names)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct study_brief b;
    write_study("about: x\nsystem: Gainer\nordering: [gain]\nheadline: [cause]\n");
    write_results();
    assert_true(study_brief_read(&b, folder, results, &arena, &err));
    assert_string_equal(b.system, "Gainer");
    assert_int_equal(b.ordering_count, 1);
    assert_string_equal(b.orderings[0].id, "gain");
    assert_true(study_claim_is_ordered(&b.orderings[0])); /* 1.1 of 1.50, outside its band */
    arena_fini(&arena);
}

RUN_TESTS(T(an_order_is_a_condition_or_the_direction_of_a_number),
          T(a_system_has_the_orderings_that_its_study_names),
          T(claims_are_the_headlines_in_their_order_with_published_and_measured),
          T(a_miss_has_the_cause_that_its_note_sends_to),
          T(what_the_study_shows_is_not_judged_whatever_the_kept_table_says),
          T(runs_that_are_defined_now_are_told_once_each),
          T(a_kept_row_is_found_by_set_program_point_and_chip),
          T(a_run_of_two_sets_counts_once_and_without_a_commit_is_of_an_earlier_version),
          T(runs_are_made_kept_or_without_a_result_and_rejected_programs_are_named),
          T(a_table_for_mixes_rejects_nothing_that_the_study_runs),
          T(a_study_without_results_has_claims_that_were_not_measured),
          T(an_unknown_check_and_a_sixth_claim_are_refused))

/* Every program of a fabric: known to the model, right at sizes that fit no line. */
#include "testing.h"

#include "fabric/program.h"
#include "machine/model.h"
#include "run/run.h"

TEST(the_model_lists_every_program)
{
    UNUSED_STATE;
    const struct model_workload *w = model_named("fabric")->workloads;
    for (const struct fabric_program_ops *const *p = fabric_programs; *p; p++, w++) {
        assert_string_equal(w->name, (*p)->name);
        assert_string_equal(w->about, (*p)->about);
    }
    assert_null(w->name);
}

static void run_program(const char *name, u32 size, const char *set)
{
    char given[64];
    snprintf(given, sizeof given, "program.size=%u", size);
    const char *const sets[] = {given, set};
    struct err err = ERR_INIT;
    struct run run;
    const struct run_request request = {.chip = {.chip = "fabric16",
                                                 .folders = testing_chips(),
                                                 .sets = sets,
                                                 .set_count = set ? 2 : 1},
                                        .workload = name,
                                        .engine.watchdog_cycles = 1000000,
                                        .seed = 1};
    if (!run_open(&run, &request, &err) || !run_execute(&run, &err)) {
        char text[4096];
        err_text(&err, text, sizeof text);
        fail_msg("%s, size %u: %s", name, size, text);
    }
    run_close(&run);
}

/* run_execute compares the answer with another way to it. */
TEST(programs_answer_right_at_odd_sizes)
{
    UNUSED_STATE;
    static const char *const names[] = {"gemv", "tilesort", "jacobi", "axpy"};
    static const u32 sizes[] = {1, 2, 7, 65, 131};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        for (size_t k = 0; k < ARRAY_LEN(sizes); k++)
            run_program(names[i], sizes[k], NULL);
    }
}

TEST(programs_answer_right_in_private_banks)
{
    UNUSED_STATE;
    run_program("gemv", 50, "program.force=private");
    run_program("tilesort", 1000, "program.force=private");
    run_program("jacobi", 40, "program.force=private");
}

/* Every access goes to the second level, one request each. */
TEST(programs_answer_right_past_the_first_level)
{
    UNUSED_STATE;
    run_program("gemv", 50, "program.force=bypass");
    run_program("tilesort", 1000, "program.force=bypass");
    run_program("jacobi", 40, "program.force=bypass");
    run_program("axpy", 131, "program.force=bypass");
}

RUN_TESTS(T(the_model_lists_every_program), T(programs_answer_right_at_odd_sizes),
          T(programs_answer_right_in_private_banks), T(programs_answer_right_past_the_first_level))

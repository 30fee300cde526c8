/* --series programs. */
#include "testing.h"

#include "run/mix.h"
#include "run/mix_series.h"

TEST(programs_stands_for_four_statistics_of_each_program)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct mix mix = {.count = 2};
    const char *const names[] = {"l2.hits", "programs"};
    u32 count = 2;
    const char **out = mix_series(&mix, names, &count, &arena);
    static const char *const want[] = {
        "l2.hits",
        "application0.l2_lines",
        "application0.l2_accesses",
        "application0.dram_read_bytes",
        "application0.dram_written_bytes",
        "application1.l2_lines",
        "application1.l2_accesses",
        "application1.dram_read_bytes",
        "application1.dram_written_bytes",
    };
    assert_int_equal(count, ARRAY_LEN(want));
    for (u32 i = 0; i < count; i++)
        assert_string_equal(out[i], want[i]);
    arena_fini(&arena);
}

TEST(without_a_mix_names_stay_as_they_are)
{
    UNUSED_STATE;
    struct arena arena = {0};
    const char *const names[] = {"programs"};
    u32 count = 1;
    const char **out = mix_series(NULL, names, &count, &arena);
    assert_int_equal(count, 1);
    assert_string_equal(out[0], "programs");
    arena_fini(&arena);
}

RUN_TESTS(T(programs_stands_for_four_statistics_of_each_program),
          T(without_a_mix_names_stay_as_they_are))

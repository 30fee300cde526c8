/* What Nsight Compute exports, as a table of launches. */
#include "testing.h"

#include "silicon/nsight_csv.h"

static char *convert(const char *text)
{
    struct text out = {0};
    struct err err = ERR_INIT;
    assert_true(nsight_csv_is(text, strlen(text)));
    assert_true(nsight_csv_convert("x.csv", text, strlen(text), "small", &out, &err));
    return out.data;
}

/* The field of a column in the n-th line below the head. */
static const char *value(const char *table, u32 line, const char *column)
{
    static char field[64];
    u32 index = 0;
    const char *head_end = strchr(table, '\n');
    for (const char *p = table;
         strncmp(p, column, strlen(column)) != 0 || !strchr(",\n", p[strlen(column)]); index++) {
        p = strpbrk(p, ",\n") + 1;
        assert_true(p < head_end);
    }
    const char *p = table;
    for (u32 i = 0; i <= line; i++)
        p = strchr(p, '\n') + 1;
    for (u32 i = 0; i < index; i++)
        p = strchr(p, ',') + 1;
    snprintf(field, sizeof field, "%.*s", (int)strcspn(p, ",\n"), p);
    return field;
}

#define HEAD "\"ID\",\"Process ID\",\"Process Name\",\"Kernel Name\",\"Block Size\",\"Grid Size\""

TEST(a_row_for_each_metric_becomes_a_row_for_each_launch)
{
    UNUSED_STATE;
    char *t = convert("==PROF== Connected to process 7\ngemm: verified\n" HEAD
                      ",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
                      "\"0\",\"7\",\"gemm\",\"f(int *, int)\",\"(32, 8, 1)\",\"(2, 4, "
                      "1)\",\"dram__bytes_read.sum\",\"Kbyte\",\"104.5\"\n"
                      "\"0\",\"7\",\"gemm\",\"f(int *, int)\",\"(32, 8, 1)\",\"(2, 4, "
                      "1)\",\"sm__cycles_elapsed.max\",\"cycle\",\"40,146\"\n"
                      "\"1\",\"7\",\"gemm\",\"g(int)\",\"(64, 1, 1)\",\"(9, 1, 1)\",\"Elapsed "
                      "Cycles\",\"cycle\",\"12,356\",\n");
    assert_string_equal(value(t, 0, "workload"), "gemm");
    assert_string_equal(value(t, 0, "kernel"), "f");
    assert_string_equal(value(t, 0, "grid"), "2x4x1");
    assert_string_equal(value(t, 0, "block"), "32x8x1");
    assert_string_equal(value(t, 0, "cycles"), "40146");
    assert_string_equal(value(t, 0, "dram_rd_bytes"), "104500");
    assert_string_equal(value(t, 1, "launch"), "1");
    assert_string_equal(value(t, 1, "cycles"), "12356");
    assert_string_equal(value(t, 1, "dram_rd_bytes"), "");
    free(t);
}

TEST(columns_of_metrics_are_read_with_the_units_below_them)
{
    UNUSED_STATE;
    char *t =
        convert(HEAD ",\"gpu__time_duration.sum\",\"sm__cycles_elapsed.max\"\n"
                     "\"\",\"\",\"\",\"\",\"\",\"\",\"usecond\",\"cycle\"\n"
                     "\"0\",\"7\",\"/x/a\",\"void ns::k<3>(int)\",\"(32, 1, 1)\",\"(1, 1, "
                     "1)\",\"2.5\",\"5,000\"\n" HEAD
                     ",\"gpu__time_duration.sum\",\"sm__cycles_elapsed.max\"\n"
                     "\"\",\"\",\"\",\"\",\"\",\"\",\"ns\",\"cycle\"\n"
                     "\"0\",\"8\",\"b\",\"k\",\"(32, 1, 1)\",\"(1, 1, 1)\",\"2500\",\"6000\"\n");
    assert_string_equal(value(t, 0, "workload"), "a");
    assert_string_equal(value(t, 0, "kernel"), "k");
    assert_string_equal(value(t, 0, "ns"), "2500");
    assert_string_equal(value(t, 1, "workload"), "b"); /* a second output behind the first */
    assert_string_equal(value(t, 1, "launch"), "0");
    assert_string_equal(value(t, 1, "ns"), "2500");
    free(t);
}

TEST(a_kernels_plain_name_is_that_of_its_function)
{
    UNUSED_STATE;
    struct arena arena = {0};
    static const char *const names[][2] = {
        {"_Z14transpose_tileILi0EEvPKfPf", "transpose_tile"},
        {"_ZN2ns1fILi3EEEvPi", "f"},
        {"_Z3addPfi", "add"},
        {"void transpose_tile<0>(const float *, float *)", "transpose_tile"},
        {"vector_add", "vector_add"},
        {"_Z99broken", "99broken"}};
    for (u32 i = 0; i < ARRAY_LEN(names); i++)
        assert_string_equal(nsight_plain_name(names[i][0], &arena), names[i][1]);
    arena_fini(&arena);
}

TEST(a_table_of_ours_is_none_of_nsights_and_a_head_without_kernels_is_refused)
{
    UNUSED_STATE;
    static const char ours[] = "workload,size,launch\nvecadd,small,0\n",
                      broken[] = "\"ID\",\"Kernel Name\"\n";
    struct text out = {0};
    struct err err = ERR_INIT;
    assert_false(nsight_csv_is(ours, strlen(ours)));
    assert_false(nsight_csv_convert("x.csv", broken, strlen(broken), "small", &out, &err));
    assert_non_null(strstr(err.what, "there is no column 'Process Name'"));
    text_fini(&out);
}

RUN_TESTS(T(a_row_for_each_metric_becomes_a_row_for_each_launch),
          T(columns_of_metrics_are_read_with_the_units_below_them),
          T(a_kernels_plain_name_is_that_of_its_function),
          T(a_table_of_ours_is_none_of_nsights_and_a_head_without_kernels_is_refused))

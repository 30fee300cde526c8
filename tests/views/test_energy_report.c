/* Energy in the result file and in the summary: the same sums, wherever they are read. */
#include "gpu/bed.h"
#include "gpu/script.h"

#include "views/energy_report.h"
#include "power/energy.h"

#include <math.h>

static const struct scripted_instruction code[] = {
    LOAD(1, 0x10000, .warp_stride = 128, .block_stride = 4096),
    {.unit = UNIT_FP32, .dst = 2, .src0 = 1},
    STORE(0x80000, .warp_stride = 128, .block_stride = 4096, .src0 = 2),
    EXIT(),
};

static void run(struct bed *b, const char *const *sets)
{
    bed_open(b, "fermi15", sets);
    bed_launch(b, &KERNEL(code, 128, .blocks = 20));
    bed_run(b);
    machine_settle(b->machine);
}

static double sum_of(const json_t *rows, const char *key)
{
    double sum = 0;
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row) sum += json_number_value(json_object_get(row, key));
    return sum;
}

static const json_t *named(const json_t *rows, const char *name)
{
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "name")), name) == 0)
            return row;
    }
    fail_msg("no row %s", name);
    return NULL;
}

TEST(events_of_the_result_file_add_up_to_the_statistics)
{
    UNUSED_STATE;
    struct bed b;
    run(&b, NULL);
    const struct energy_counts *c = &b.gpu->meter->stats;
    json_t *o = energy_json(b.gpu->meter);
    double events = sum_of(json_object_get(o, "events"), "pj");
    double parts = sum_of(json_object_get(o, "static"), "pj");
    assert_true(fabs(events - (double)c->dynamic_total_pj) <= COMPONENTS);
    assert_true(fabs(parts - (double)c->static_total_pj) <= STATIC_PARTS);
    assert_string_equal(json_string_value(json_object_get(o, "technology")), "40nm");
    json_decref(o);
    bed_close(&b);
}

TEST(a_value_of_the_configuration_is_not_ascribed_to_a_source)
{
    UNUSED_STATE;
    struct bed b;
    run(&b, (const char *const[]){"energy.issue_pj=50", NULL});
    json_t *o = energy_json(b.gpu->meter);
    const json_t *issue = named(json_object_get(o, "events"), "issue");
    const json_t *fetch = named(json_object_get(o, "events"), "fetch");
    assert_string_equal(json_string_value(json_object_get(issue, "source")), "the configuration");
    assert_non_null(strstr(json_string_value(json_object_get(fetch, "source")), "Horowitz"));
    /* 20 blocks of 4 warps, 4 instructions each */
    assert_true(json_number_value(json_object_get(issue, "pj")) == 20 * 4 * 4 * 50);
    json_decref(o);
    bed_close(&b);
}

/* It waits for its stores, so that nothing drains after its end. */
TEST(the_only_kernel_has_the_energy_of_the_run)
{
    UNUSED_STATE;
    struct bed b;
    run(&b, NULL);
    assert_int_equal(b.gpu->record_count, 1);
    struct energy_counts kernel;
    gpu_kernel_energy(b.gpu, &b.gpu->records[0].numbers, &kernel);
    double all = (double)b.gpu->meter->stats.total_pj;
    assert_true(fabs((double)kernel.total_pj - all) < 0.001 * all);
    assert_int_equal(kernel.dynamic_total_pj + kernel.static_total_pj, kernel.total_pj);
    bed_close(&b);
}

TEST(the_summary_has_joules_watts_and_the_static_share)
{
    UNUSED_STATE;
    struct bed b;
    struct text t = {0};
    char want[64];
    run(&b, NULL);
    const struct energy_counts *c = &b.gpu->meter->stats;
    energy_summary(b.gpu->meter, &t);
    snprintf(want, sizeof want, "%.1f W: static %.0f %%", bed_stat(&b, "energy.watts"),
             100 * (double)c->static_total_pj / (double)c->total_pj);
    assert_non_null(strstr(t.data, want));
    assert_null(strstr(t.data, " 0 %")); /* what is nothing is not said */
    text_fini(&t);
    bed_close(&b);
}

RUN_TESTS(T(events_of_the_result_file_add_up_to_the_statistics),
          T(a_value_of_the_configuration_is_not_ascribed_to_a_source),
          T(the_only_kernel_has_the_energy_of_the_run),
          T(the_summary_has_joules_watts_and_the_static_share))

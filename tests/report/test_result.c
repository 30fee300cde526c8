/* Results read back, and the numbers made from them; tests/report/report.sh has the commands. */
#include "testing.h"

#include "report/assets.h"
#include "report/diff.h"
#include "report/page.h"

#include <math.h>

/* Two SMs of two schedulers at 1 GHz; 1000 cycles; HBM2-like pins: 2 channels of 128 bits, 2 beats
 * at 1 GHz. */
static const char gpu_result[] =
    "{\"schema\":\"heddle.run/1\",\"run\":{\"heddle_version\":\"0\",\"chip\":\"c\",\"model\":"
    "\"gpu\",\"workload\":\"w\",\"end\":\"finished\",\"simulated_fs\":1000000000,"
    "\"cycles\":{\"core\":1000,\"l2\":500,\"dram\":1000}},"
    "\"config\":{\"sm.count\":{\"value\":\"2\",\"from\":\"x\"},"
    "\"sm.schedulers\":{\"value\":\"2\",\"from\":\"x\"},"
    "\"sm.issue_width\":{\"value\":\"1\",\"from\":\"x\"},"
    "\"sm.clock_hz\":{\"value\":\"1GHz\",\"from\":\"x\"},"
    "\"sm.sub_cores\":{\"value\":\"true\",\"from\":\"x\"},"
    "\"l2.clock_hz\":{\"value\":\"500MHz\",\"from\":\"x\"},"
    "\"l2.banks_per_channel\":{\"value\":\"2\",\"from\":\"x\"},"
    "\"l2.port_bytes\":{\"value\":\"64B\",\"from\":\"x\"},"
    "\"network.request.flit_bytes\":{\"value\":\"32B\",\"from\":\"x\"},"
    "\"network.reply.flit_bytes\":{\"value\":\"40B\",\"from\":\"x\"},"
    "\"dram.preset\":{\"value\":\"hbm2\",\"from\":\"x\"},"
    "\"dram.clock_hz\":{\"value\":\"1GHz\",\"from\":\"x\"},"
    "\"dram.channels\":{\"value\":\"2\",\"from\":\"x\"},"
    "\"dram.bus_bits\":{\"value\":\"128\",\"from\":\"x\"},"
    "\"dram.data_rate\":{\"value\":\"0\",\"from\":\"default\"}},"
    "\"definitions\":{},\"units\":{},"
    "\"totals\":{\"sm.l1.hits\":30,\"sm.l1.loads\":40,\"sm.l1.request_fs\":4000000,"
    "\"sm.l1.answered\":2,\"l2.busy_port_cycles\":100,\"l2.stall\":{\"port\":200,\"mshr\":50},"
    "\"sm.scheduler_cycles\":4000,\"sm.scheduler_slots\":{\"issued\":1000,\"data_mem\":2900,"
    "\"no_warp\":100},\"sm.shared_passes\":null,\"sm.shared_accesses\":0}}";

static struct result parsed(const char *text)
{
    struct result r;
    struct err err = ERR_INIT;
    assert_true(result_parse(&r, "r.json", text, strlen(text), &err));
    return r;
}

static double value(const struct result *r, const char *id)
{
    struct capacities chip;
    machine_of(r, &chip);
    return result_measure(r, measure_find(machine_model(r)->measures, id), &chip);
}

TEST(a_result_gives_its_numbers_back)
{
    UNUSED_STATE;
    struct result r = parsed(gpu_result);
    assert_true(result_cycles(&r) == 1000);
    assert_true(result_seconds(&r) == 1e-6);
    assert_string_equal(result_about(&r, "chip"), "c");
    assert_string_equal(result_about(&r, "nothing"), "");
    assert_string_equal(result_config(&r, "sm.count"), "2");
    assert_null(result_config(&r, "sm.counts"));
    assert_true(result_total(&r, "sm.l1.hits") == 30);
    assert_true(result_total(&r, "l2.stall:port") == 200);
    assert_true(isnan(result_total(&r, "l2.stall:none")));
    assert_true(result_total(&r, "l2.stall:*") == 200 + 50);
    assert_true(isnan(result_total(&r, "l2.none:*")));
    assert_true(isnan(result_total(&r, "sm.shared_passes"))); /* null: nothing was sampled */
    result_fini(&r);
}

TEST(peaks_follow_from_the_configuration)
{
    UNUSED_STATE;
    struct result r = parsed(gpu_result);
    struct capacities m;
    machine_of(&r, &m);
    assert_true(capacity_value(&m, "l2_banks") == 4);
    assert_true(capacity_value(&m, "lanes") == 2 * 2);
    assert_true(capacity_value(&m, "peak_issue") == 4);
    assert_true(capacity_value(&m, "peak_threads") == 4 * 32 * 1e9);
    assert_true(capacity_value(&m, "peak_l2") == 4 * 64 * 500e6);
    /* a packet needs a line of one of 2 SMs and of one of 4 banks */
    assert_true(capacity_value(&m, "peak_request") == 2 * 32 * 500e6);
    assert_true(capacity_value(&m, "peak_reply") == 2 * 40 * 500e6);
    assert_true(capacity_value(&m, "peak_dram") ==
                2 * 16 * 2 * 1e9); /* the preset moves 2 beats per clock */
    result_fini(&r);
}

TEST(measures_are_what_their_rows_say)
{
    UNUSED_STATE;
    struct result r = parsed(gpu_result);
    assert_true(value(&r, "l1_hit_rate") == 0.75);
    assert_true(fabs(value(&r, "hop_request") - 2) < 1e-12);      /* 2 ps x 10^3 at 1 GHz */
    assert_true(value(&r, "l2_stall_port") == 200 / (4 * 500.0)); /* of the cycles of all banks */
    assert_true(fabs(value(&r, "l2_bytes") - 6400e6) < 1);        /* 100 x 64 bytes in 1 us */
    assert_true(isnan(value(&r, "passes_per_access")));
    assert_true(isnan(value(&r, "dram_bytes")));
    result_fini(&r);
}

TEST(a_chip_that_is_no_gpu_has_no_peaks)
{
    UNUSED_STATE;
    struct result r = parsed(
        "{\"schema\":\"heddle.run/1\",\"run\":{\"heddle_version\":\"0\",\"chip\":\"c\",\"model\":"
        "\"other\",\"workload\":\"w\",\"end\":\"finished\",\"simulated_fs\":0,\"cycles\":{\"x\":"
        "0}},\"config\":{},\"definitions\":{},\"units\":{},\"totals\":{}}");
    struct capacities m;
    machine_of(&r, &m);
    assert_null(m.rows);
    assert_true(isnan(capacity_value(&m, "peak_issue")));
    struct diff d;
    diff_make(&d, &r, &r); /* no time at all: nothing is divided by it */
    assert_true(isnan(d.speedup));
    struct text out = {0};
    diff_to_text(&d, true, &out);
    assert_null(strstr(out.data, "nan"));
    text_fini(&out);
    diff_fini(&d);
    result_fini(&r);
}

/* `more` is put in front of the members of the result above. */
static struct result with(const char *more, struct err *err)
{
    char text[4096];
    struct result r = {0};
    snprintf(text, sizeof text, "{%s,%s", more, gpu_result + 1);
    result_parse(&r, "r.json", text, strlen(text), err);
    return r;
}

TEST(kernels_must_have_what_their_model_declares)
{
    UNUSED_STATE;
    static const struct {
        const char *more, *words;
    } rows[] = {
        {"\"kernels\":[{\"name\":\"k\",\"cycles\":5}]", "\"kernels\" is not a list"},
        {"\"kernel_definitions\":{\"l1_hits\":{\"unit\":\"requests\"}}", "kernel_definitions"},
        {"\"kernel_definitions\":[]", "kernel_definitions"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_INIT;
        with(rows[i].more, &err);
        assert_int_equal(err.kind, ERR_INPUT);
        assert_non_null(strstr(err.what, rows[i].words));
    }
    struct err err = ERR_INIT;
    struct result r =
        with("\"kernels\":[{\"name\":\"k\",\"cycles\":5,\"scheduler_slots\":{\"issued\":"
             "5}}],\"kernel_definitions\":{\"cycles\":{\"unit\":\"cycles\","
             "\"meaning\":\"x\"}}",
             &err);
    assert_int_equal(err.kind, ERR_NONE);
    result_fini(&r);
}

TEST(runs_of_different_models_have_statistics_in_common_at_most)
{
    UNUSED_STATE;
    char text[sizeof gpu_result];
    struct result a = parsed(gpu_result), b;
    struct diff d;
    struct err err = ERR_INIT;
    strcpy(text, gpu_result);
    strstr(text, "\"gpu\"")[1] = 'c'; /* a cpu */
    assert_true(result_parse(&b, "b.json", text, strlen(text), &err));
    diff_make(&d, &a, &a);
    assert_int_equal(d.class_count, 3);
    assert_true(d.measure_count > 0);
    diff_fini(&d);
    diff_make(&d, &a, &b);
    assert_int_equal(d.class_count, 0);
    assert_int_equal(d.measure_count, 0);
    diff_fini(&d);
    result_fini(&a);
    result_fini(&b);
}

TEST(every_prefix_of_a_result_is_refused_with_a_sentence)
{
    UNUSED_STATE;
    for (size_t n = 0; n + 1 < sizeof gpu_result - 1; n++) {
        struct result r;
        struct err err = ERR_INIT;
        assert_false(result_parse(&r, "r.json", gpu_result, n, &err));
        assert_int_equal(err.kind, ERR_INPUT);
        assert_non_null(strstr(err.what, "expected"));
    }
}

TEST(json_inside_a_page_cannot_end_its_script)
{
    UNUSED_STATE;
    json_t *o = json_string("</script><!-- a<b");
    json_t *list = json_array();
    json_array_append_new(list, o);
    struct text out = {0};
    page_append_json(list, &out);
    assert_string_equal(out.data, "[\"\\u003c/script>\\u003c!-- a\\u003cb\"]");
    text_fini(&out);
    json_decref(list);
}

TEST(text_in_a_page_is_escaped)
{
    UNUSED_STATE;
    struct text out = {0};
    page_append_escaped("<a href=\"x\">&", &out);
    assert_string_equal(out.data, "&lt;a href=&quot;x&quot;&gt;&amp;");
    text_fini(&out);
}

TEST(files_of_the_page_are_whole_inside_the_program)
{
    UNUSED_STATE;
    for (const struct asset *a = report_assets; a->name; a++) {
        char path[512];
        snprintf(path, sizeof path, "%s/report/%s", getenv("HEDDLE_SOURCE"), a->name);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        char *want = malloc(a->bytes + 1);
        assert_int_equal(fread(want, 1, a->bytes + 1, f), a->bytes);
        fclose(f);
        struct text got = {0};
        asset_append(a->name, &got);
        assert_int_equal(got.length, a->bytes);
        assert_memory_equal(got.data, want, a->bytes);
        free(want);
        text_fini(&got);
    }
}

RUN_TESTS(T(a_result_gives_its_numbers_back), T(peaks_follow_from_the_configuration),
          T(measures_are_what_their_rows_say), T(a_chip_that_is_no_gpu_has_no_peaks),
          T(kernels_must_have_what_their_model_declares),
          T(runs_of_different_models_have_statistics_in_common_at_most),
          T(every_prefix_of_a_result_is_refused_with_a_sentence),
          T(json_inside_a_page_cannot_end_its_script), T(text_in_a_page_is_escaped),
          T(files_of_the_page_are_whole_inside_the_program))

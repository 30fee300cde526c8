/* The result of a machine of clusters, as each of them sees it. */
#include "testing.h"

#include "report/machine.h"
#include "report/measure.h"
#include "report/page.h"
#include "report/view.h"

#define SETTING(path, value) "\"" path "\":{\"value\":\"" value "\",\"from\":\"x\"}"

/* Two SMs in one cluster, one in the other; a kernel on each. */
static const char machine_result[] =
    "{\"schema\":\"heddle.run/1\",\"run\":{\"heddle_version\":\"0\",\"chip\":\"duo\",\"model\":"
    "\"machine\",\"workload\":\"w\",\"end\":\"finished\",\"simulated_fs\":1000000000,"
    "\"cycles\":{\"big.core\":1000,\"small.core\":400,\"l2\":500}},"
    "\"clusters\":[{\"name\":\"big\",\"model\":\"gpu\",\"clock\":\"core\",\"work\":"
    "\"sm.warp_instructions\",\"bound_by\":\"fetch\"},"
    "{\"name\":\"small\",\"model\":\"gpu\",\"clock\":\"core\",\"work\":"
    "\"sm.warp_instructions\",\"bound_by\":\"barriers\"}],"
    "\"config\":{" SETTING("gpus.big.sm.count", "2") "," SETTING(
        "gpus.small.sm.count",
        "1") "," SETTING("l2.clock_hz",
                         "500MHz") "},"
                                   "\"definitions\":{},\"units\":{\"big.sm0\":{\"loads\":1},"
                                   "\"small.sm0\":{\"loads\":2},"
                                   "\"l20\":{\"hits\":3}},"
                                   "\"totals\":{\"big.sm.l1.hits\":30,\"big.sm.l1.loads\":40,"
                                   "\"small.sm.l1.hits\":1,"
                                   "\"small.sm.l1.loads\":4,\"l2.hits\":3,\"l2.accesses\":6},"
                                   "\"kernels\":[{\"name\":\"a\",\"cluster\":\"big\",\"cycles\":"
                                   "900,\"scheduler_slots\":{}},"
                                   "{\"name\":\"b\",\"cluster\":\"small\",\"cycles\":300,"
                                   "\"scheduler_slots\":{}}]}";

static struct result parsed(void)
{
    struct result r;
    struct err err = ERR_INIT;
    assert_true(result_parse(&r, "r.json", machine_result, strlen(machine_result), &err));
    return r;
}

static double measured(const struct result *r, const char *id)
{
    struct capacities chip;
    machine_of(r, &chip);
    return result_measure(r, measure_find(machine_model(r)->measures, id), &chip);
}

TEST(a_cluster_sees_its_own_under_plain_names_and_what_is_shared)
{
    UNUSED_STATE;
    struct result r = parsed(), v;
    assert_int_equal(result_view_count(&r), 2);
    result_view(&v, &r, 1);
    assert_string_equal(result_about(&v, "model"), "gpu");
    assert_string_equal(result_about(&v, "chip"), "duo: small");
    assert_true(result_cycles(&v) == 400);
    assert_string_equal(result_config(&v, "sm.count"), "1");
    assert_null(result_config(&v, "gpus.big.sm.count"));
    assert_string_equal(result_config(&v, "l2.clock_hz"), "500MHz");
    assert_true(measured(&v, "l1_hit_rate") == 0.25);
    assert_true(measured(&v, "l2_hit_rate") == 0.5);
    assert_int_equal(json_array_size(result_kernels(&v)), 1);
    assert_string_equal(json_text_at(json_array_get(result_kernels(&v), 0), "name"), "b");
    assert_string_equal(json_text_at(v.root, "bound_by"), "barriers");
    assert_int_equal(json_object_size(json_object_get(v.root, "units")), 2);
    result_fini(&v);
    result_view(&v, &r, 0);
    assert_true(measured(&v, "l1_hit_rate") == 0.75);
    assert_true(result_cycles(&v) == 1000);
    result_fini(&v);
    result_fini(&r);
}

/* What a machine calls llc is the L2 of a model of GPUs. */
TEST(a_cluster_has_the_shared_cache_under_the_name_of_its_model)
{
    UNUSED_STATE;
    static const char text[] =
        "{\"schema\":\"heddle.run/1\",\"run\":{\"heddle_version\":\"0\",\"chip\":\"apu\",\"model\":"
        "\"machine\",\"workload\":\"w\",\"end\":\"finished\",\"simulated_fs\":20000000,\"cycles\":{"
        "\"cpu.core\":70,\"gpu.core\":30,\"llc\":70}},\"config\":{" SETTING(
            "llc.ways",
            "32") "},"
                  "\"definitions\":{},\"totals\":{\"llc.hits\":3,\"llc.accesses\":4},\"units\":{"
                  "\"llc0\":{"
                  "\"hits\":3}},\"clusters\":[{\"name\":\"cpu\",\"model\":\"cpu\",\"clock\":"
                  "\"core\",\"work\":"
                  "\"core.instructions\",\"cache\":\"llc\"},{\"name\":\"gpu\",\"model\":\"gpu\","
                  "\"clock\":"
                  "\"core\",\"work\":\"sm.warp_instructions\",\"cache\":\"l2\"}],\"kernels\":[]}";
    struct result r, v;
    struct err err = ERR_INIT;
    assert_true(result_parse(&r, "r.json", text, strlen(text), &err));
    for (u32 i = 0; i < 2; i++) {
        result_view(&v, &r, i);
        assert_string_equal(result_config(&v, i ? "l2.ways" : "llc.ways"), "32");
        assert_true(measured(&v, i ? "l2_hit_rate" : "llc_hit_rate") == 0.75);
        assert_non_null(json_object_get(json_object_get(v.root, "units"), i ? "l20" : "llc0"));
        result_fini(&v);
    }
    result_fini(&r);
}

TEST(a_page_shows_each_cluster)
{
    UNUSED_STATE;
    struct result r = parsed();
    json_t *data = page_data(&r, 1), *runs = json_object_get(data, "runs");
    assert_int_equal(json_array_size(runs), 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *run = json_array_get(runs, i);
        assert_non_null(json_object_get(run, "stack"));
        assert_true(json_array_size(json_object_get(run, "measures")) > 30);
        assert_true(json_number_at(json_object_get(run, "machine"), "sms") == (i ? 1 : 2));
    }
    json_decref(data);
    result_fini(&r);
}

TEST(a_cluster_without_its_clock_is_refused)
{
    UNUSED_STATE;
    char text[sizeof machine_result], words[1600];
    struct result r;
    struct err err = ERR_INIT;
    memcpy(text, machine_result, sizeof text);
    strstr(text, "small.core")[2] = 'e';
    assert_false(result_parse(&r, "r.json", text, strlen(text), &err));
    err_text(&err, words, sizeof words);
    assert_non_null(
        strstr(words, "r.json: \"clusters\" is not a list of clusters with their clocks"));
}

RUN_TESTS(T(a_cluster_sees_its_own_under_plain_names_and_what_is_shared),
          T(a_cluster_has_the_shared_cache_under_the_name_of_its_model),
          T(a_page_shows_each_cluster), T(a_cluster_without_its_clock_is_refused))

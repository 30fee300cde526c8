/* Poise's features, weights and link function: Poise spec, sections 4.2 and 8. */
#include "testing.h"

#include "base/rng.h"
#include "policy/warp/features.h"

#include <math.h>

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.9g is not within %g of %.9g", value, tolerance, expected);
}

static void fails(const struct err *err, const char *part)
{
    char text[1600];
    err_text(err, text, sizeof text);
    if (!strstr(text, part))
        fail_msg("'%s' does not say '%s'", text, part);
}

/* The table of section 8: samples, divisor, and what must come out with W = 24. */
static const struct row {
    double h_o, h_1, eta_o, eta_1, work, l_o, l_1, divisor, ln_n, ln_p;
    u32 n, p;
} rows[] = {
    {0, 0, 0, 0, 10, 0, 0, 1e4, 1.667111, -2.189887, 5, 1},
    {0, 0, 0, 0, 10, 0, 0, 1e5, 1.667111, -2.189887, 5, 1},
    {.2, .6, .1, .55, 10, 800, 300, 1e4, 1.529337, 2.906759, 5, 5},
    {.2, .6, .1, .55, 10, 800, 300, 1e5, 1.415737, 0.963384, 4, 3},
    {.3, .35, .25, .3, 6, 500, 400, 1e4, 1.842532, 0.649459, 6, 2},
    {.3, .35, .25, .3, 6, 500, 400, 1e5, 1.839129, 0.591244, 6, 2},
    {.2, .6, .1, .5, 8, 1200, 300, 1e4, 0.937224, 6.814964, 3, 3},
    {.2, .6, .1, .5, 8, 1200, 300, 1e5, 0.640787, 1.743789, 2, 2},
};

static struct prediction predict(const struct row *r, u32 limit)
{
    struct err err = ERR_INIT;
    struct weights w;
    double x[FEATURE_COUNT];
    struct feature_sample most = {r->h_o, r->eta_o, r->l_o, r->work};
    struct feature_sample least = {r->h_1, r->eta_1, r->l_1, 3};
    assert_true(weights_read(&w, PUBLISHED_WEIGHTS, &err));
    feature_vector(&most, &least, r->divisor, x);
    return weights_predict(&w, x, 10, 24, limit);
}

TEST(published_weights_predict_the_tuples_of_the_table)
{
    UNUSED_STATE;
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct prediction p = predict(&rows[i], 24);
        near(p.ln_n, rows[i].ln_n, 1e-6);
        near(p.ln_p, rows[i].ln_p, 1e-6);
        assert_int_equal(p.n, rows[i].n);
        assert_int_equal(p.p, rows[i].p);
    }
}

TEST(at_half_the_occupancy_tuples_halve_before_they_are_rounded)
{
    UNUSED_STATE;
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct prediction p = predict(&rows[i], 12);
        double n = exp(rows[i].ln_n) / 2, pollute = exp(rows[i].ln_p) / 2;
        u32 want = (u32)floor(n + 0.5);
        assert_int_equal(p.n, want);
        u32 most = pollute < 1 ? 1 : (u32)floor(pollute + 0.5);
        assert_int_equal(p.p, most < want ? most : want);
    }
}

TEST(a_prediction_is_legal_whatever_the_features_are)
{
    UNUSED_STATE;
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 0, 50};
    struct weights w;
    struct err err = ERR_INIT;
    struct rng r;
    rng_init(&r, 1, "features");
    assert_true(weights_read(&w, PUBLISHED_WEIGHTS, &err));
    for (u32 k = 0; k < 20000; k++) {
        double x[FEATURE_COUNT];
        u32 limit = 1 + (u32)rng_below(&r, 32);
        for (u32 i = 0; i < FEATURE_COUNT; i++)
            x[i] = odd[rng_below(&r, ARRAY_LEN(odd))];
        struct prediction p = weights_predict(&w, x, 10, 24, limit);
        assert_true(p.p >= 1 && p.p <= p.n && p.n <= limit);
    }
}

/* ---- samples ----------------------------------------------------------------------------------
 */

TEST(a_sample_is_the_difference_of_two_readings)
{
    UNUSED_STATE;
    struct warp_counters from = {100, 90, 80, 1000, 10, 500, 50};
    struct warp_counters to = {300, 140, 90, 7000, 30, 1600, 150};
    struct feature_sample s = feature_sample(&from, &to);
    near(s.hit_rate, 50.0 / 200, 0);
    near(s.own_hit_rate, 10.0 / 200, 0);
    near(s.latency, 300, 0);
    near(s.work, 10, 0); /* 1,100 instructions of which 100 are the loads themselves */
}

TEST(windows_in_which_nothing_happens_have_values_too)
{
    UNUSED_STATE;
    struct warp_counters c = {5, 4, 3, 2, 1, 9, 7};
    struct feature_sample s = feature_sample(&c, &c);
    near(s.hit_rate, 0, 0);
    near(s.own_hit_rate, 0, 0);
    near(s.latency, 0, 0);
    assert_true(isinf(s.work) && s.work > 0);
}

/* ---- files ------------------------------------------------------------------------------------
 */

static bool read_text(struct weights *w, const char *text, struct err *err)
{
    return weights_read_text(w, "weights.yaml", text, strlen(text), err);
}

TEST(a_file_names_the_features_it_uses)
{
    UNUSED_STATE;
    struct weights w;
    struct err err = ERR_INIT;
    assert_true(read_text(&w,
                          "source: by hand\ndivisor: 500\nweights:\n  one: {n: 2, p: -1.5}\n"
                          "  eta_1: {n: 1e-3, p: 4}\n",
                          &err));
    near(w.divisor, 500, 0);
    near(w.alpha[FEATURE_one], 2, 0);
    near(w.beta[FEATURE_one], -1.5, 0);
    near(w.alpha[FEATURE_eta_1], 0.001, 0);
    near(w.alpha[FEATURE_h_o], 0, 0);
}

TEST(a_feature_without_weight_has_no_say_even_if_it_is_infinite)
{
    UNUSED_STATE;
    struct weights w = {.alpha[FEATURE_one] = log(7), .beta[FEATURE_one] = log(3), .divisor = 1};
    double x[FEATURE_COUNT] = {[FEATURE_work_gain] = INFINITY, [FEATURE_one] = 1};
    struct prediction p = weights_predict(&w, x, 10, 24, 24);
    assert_int_equal(p.n, 7);
    assert_int_equal(p.p, 3);
}

TEST(a_file_that_is_not_there_gets_a_sentence)
{
    UNUSED_STATE;
    struct weights w;
    struct err err = ERR_INIT;
    assert_false(weights_read(&w, "./not-there.yaml", &err));
    fails(&err, "not-there.yaml");
}

TEST(bad_files_get_a_sentence)
{
    UNUSED_STATE;
    static const char *const bad[][2] = {
        {"divisor: 1\n", "no `weights:`"},
        {"weights:\n  eta_2: {n: 1, p: 1}\n", "unknown feature 'eta_2'"},
        {"weights:\n  one: 3\n", ":2:8: the weights of one are not {n: NUMBER, p: NUMBER}"},
        {"weights:\n  one: {n: x, p: 1}\n", ":2:12: n is x, expected a number"},
        {"divisor: 0\nweights:\n  one: {n: 1, p: 1}\n", "divisor is 0, expected more than 0"},
        {"wights: 1\nweights:\n  one: {n: 1, p: 1}\n", "unknown key 'wights'"},
    };
    for (u32 i = 0; i < ARRAY_LEN(bad); i++) {
        struct weights w;
        struct err err = ERR_INIT;
        assert_false(read_text(&w, bad[i][0], &err));
        fails(&err, bad[i][1]);
    }
}

RUN_TESTS(T(published_weights_predict_the_tuples_of_the_table),
          T(at_half_the_occupancy_tuples_halve_before_they_are_rounded),
          T(a_prediction_is_legal_whatever_the_features_are),
          T(a_sample_is_the_difference_of_two_readings),
          T(windows_in_which_nothing_happens_have_values_too), T(a_file_names_the_features_it_uses),
          T(a_feature_without_weight_has_no_say_even_if_it_is_infinite),
          T(a_file_that_is_not_there_gets_a_sentence), T(bad_files_get_a_sentence))

/* From kernels to weights and their errors: Poise spec, sections 4.3, 6.3 and 8. */
#include "testing.h"

#include "base/rng.h"
#include "train/trainer.h"

#include <math.h>
#include <unistd.h>

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g is not within %g of %.12g", value, tolerance, expected);
}

#define KERNELS 90u

/* Kernels of three programs; targets follow from two features: N = 2 to 12 by h_o, p half of it. */
struct bench {
    struct arena arena;
    struct train_kernel kernels[KERNELS];
    struct train_set set;
};

static void bench_open(struct bench *b)
{
    static const char *const programs[] = {"a", "b", "c"};
    struct rng rng;
    rng_init(&rng, 3, "kernels");
    *b = (struct bench){.set = {b->kernels, KERNELS, KERNELS}};
    for (u32 i = 0; i < KERNELS; i++) {
        struct train_kernel *k = &b->kernels[i];
        u32 half = 1 + i % 6, limit = i % 2 ? 24 : 12;
        k->program = programs[i / 30];
        k->name = "k";
        k->number = i;
        profile_init(&k->profile, limit, &b->arena);
        for (u32 n = 1; n <= limit; n++) {
            for (u32 p = 1; p <= n; p++)
                k->profile.speedup[n * (n - 1) / 2 + p - 1] = 1;
        }
        k->target = (struct warp_tuple){2 * half * limit / 24, half * limit / 24};
        if (limit == 12) /* half as many warps of half as many: even ones only */
            k->target = (struct warp_tuple){half, (half + 1) / 2};
        k->best = k->target;
        k->verdict = KERNEL_KEPT;
        for (u32 f = 0; f < FEATURE_COUNT; f++)
            k->x[f] = rng_unit(&rng);
        k->x[FEATURE_h_o] = log(k->target.n * 24.0 / limit) / 3;
        k->x[FEATURE_h_1] = log(k->target.p * 24.0 / limit) / 4;
        k->x[FEATURE_one] = 1;
    }
}

static void bench_close(struct bench *b)
{
    arena_fini(&b->arena);
}

/* (4,1) doubles a, of 24 warps, and trebles b, of four; (8,1) of b is (4,1): it has no more warps.
 * (2,1) is best for a alone. */
TEST(the_best_tuple_for_all_is_what_weights_are_measured_against)
{
    UNUSED_STATE;
    struct bench b;
    bench_open(&b);
    for (u32 i = 0; i < KERNELS; i++)
        b.kernels[i].verdict = KERNEL_SHORT;
    struct train_kernel *a = &b.kernels[1], *c = &b.kernels[31];
    a->verdict = c->verdict = KERNEL_KEPT;
    profile_init(&c->profile, 4, &b.arena);
    for (u32 n = 1; n <= 4; n++) {
        for (u32 p = 1; p <= n; p++)
            c->profile.speedup[n * (n - 1) / 2 + p - 1] = 1;
    }
    a->profile.speedup[4 * 3 / 2] = 2;
    a->profile.speedup[2 * 1 / 2] = 2.2;
    c->profile.speedup[4 * 3 / 2] = 3;
    struct warp_tuple all = train_constant(&b.set, NULL), others = train_constant(&b.set, "b");
    assert_int_equal(all.n, 4);
    assert_int_equal(all.p, 1);
    near(train_at_constant(&b.set, NULL, all), 2 / (1.0 / 2 + 1.0 / 3), 1e-9);
    near(train_at_constant(&b.set, "b", (struct warp_tuple){8, 1}), 3, 1e-9);
    assert_int_equal(others.n, 2);
    near(train_at_constant(&b.set, "b", others), 1, 1e-9);
    assert_int_equal(train_distinct(&b.set), 2);
    b.kernels[2].verdict = KERNEL_KEPT; /* the same kernel of a once more */
    assert_int_equal(train_distinct(&b.set), 2);
    bench_close(&b);
}

TEST(weights_that_made_the_targets_are_found_for_every_occupancy)
{
    UNUSED_STATE;
    struct bench b;
    struct trained t;
    struct err err = ERR_INIT;
    bench_open(&b);
    assert_true(train(&t, &b.set, NULL, &train_defaults, &err));
    assert_int_equal(t.kernels, KERNELS);
    for (u32 f = 0; f < FEATURE_COUNT; f++) {
        near(t.weights.alpha[f], f == FEATURE_h_o ? 3 : 0, 1e-8);
        near(t.weights.beta[f], f == FEATURE_h_1 ? 4 : 0, 1e-8);
    }
    for (u32 i = 0; i < KERNELS; i++) {
        struct warp_tuple p = train_predict(&t.weights, &b.kernels[i], &train_defaults);
        assert_int_equal(p.n, b.kernels[i].target.n);
        assert_int_equal(p.p, b.kernels[i].target.p);
    }
    struct train_errors e = train_errors(&b.set, NULL, &t.weights, &train_defaults);
    near(e.n_of_target + e.p_of_target + e.n_of_limit + e.p_of_limit, 0, 0);
    bench_close(&b);
}

TEST(what_is_left_out_has_no_say)
{
    UNUSED_STATE;
    struct bench b;
    struct trained with, without, fewer;
    struct err err = ERR_INIT;
    struct train_options o = train_defaults;
    bench_open(&b);
    assert_true(train(&with, &b.set, "b", &o, &err));
    assert_int_equal(with.kernels, 60);
    for (u32 i = 30; i < 60; i++) /* of program b */
        b.kernels[i].target = (struct warp_tuple){12, 12};
    for (u32 i = 0; i < 10; i++) {
        b.kernels[i].verdict = KERNEL_SHORT;
        b.kernels[i].target = (struct warp_tuple){1, 1};
    }
    assert_true(train(&without, &b.set, "b", &o, &err));
    assert_int_equal(without.kernels, 50);
    near(without.weights.alpha[FEATURE_h_o], 3, 1e-8);
    assert_true(train_leave_out(&o, "x1", &err));
    assert_true(train_leave_out(&o, "gain", &err));
    assert_true(train(&fewer, &b.set, "b", &o, &err));
    near(fewer.weights.alpha[FEATURE_h_o], 0, 0);
    near(fewer.weights.beta[FEATURE_gain], 0, 0);
    assert_true(fewer.n.deviance > without.n.deviance + 0.01);
    bench_close(&b);
}

TEST(only_features_can_be_left_out_and_never_the_intercept)
{
    UNUSED_STATE;
    static const char *const bad[] = {"x8", "one", "x0", "eta", ""};
    for (u32 i = 0; i < ARRAY_LEN(bad); i++) {
        struct train_options o = train_defaults;
        struct err err = ERR_INIT;
        char text[1600];
        assert_false(train_leave_out(&o, bad[i], &err));
        err_text(&err, text, sizeof text);
        assert_non_null(strstr(text, "unknown feature"));
    }
    struct train_options o = train_defaults;
    struct err err = ERR_INIT;
    assert_true(train_leave_out(&o, "x7", &err));
    assert_true(o.without[FEATURE_memory_time]);
    assert_true(train_leave_out(&o, "x3", &err));
    assert_true(o.without[FEATURE_eta_o]);
}

/* Weights of ln 6 and ln 3: (6,3) at W = 24, (3, 1.5 -> 2) at W = 12. */
TEST(errors_are_what_a_hand_gets)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct weights w = {.divisor = 1e5};
    struct train_kernel kernels[3] = {0};
    struct train_set set = {kernels, 3, 3};
    static const u32 limits[] = {24, 12, 24};
    static const struct warp_tuple targets[] = {{8, 4}, {2, 1}, {24, 24}};
    w.alpha[FEATURE_one] = log(6);
    w.beta[FEATURE_one] = log(3);
    for (u32 i = 0; i < 3; i++) {
        struct train_kernel *k = &kernels[i];
        *k = (struct train_kernel){.program = i ? "b" : "a", .target = targets[i]};
        k->best = k->target;
        k->x[FEATURE_one] = 1;
        k->verdict = i < 2 ? KERNEL_KEPT : KERNEL_NO_GAIN;
        profile_init(&k->profile, limits[i], &arena);
        for (u32 at = 0; at < limits[i] * (limits[i] + 1) / 2; at++)
            k->profile.speedup[at] = 2;
    }
    kernels[0].profile.speedup[6 * 5 / 2 + 3 - 1] = 1;
    struct train_errors e = train_errors(&set, NULL, &w, &train_defaults);
    assert_int_equal(e.kernels, 2);
    near(e.n_of_target, (2.0 / 8 + 1.0 / 2) / 2, 1e-12);
    near(e.p_of_target, (1.0 / 4 + 1.0 / 1) / 2, 1e-12);
    near(e.n_of_limit, (2.0 / 24 + 1.0 / 12) / 2, 1e-12);
    near(e.p_of_limit, (1.0 / 24 + 1.0 / 12) / 2, 1e-12);
    near(e.at_predicted, 2 / (1 / 1.0 + 1 / 2.0), 1e-12); /* harmonic */
    near(e.at_target, 2, 1e-12);
    e = train_errors(&set, "a", &w, &train_defaults);
    assert_int_equal(e.kernels, 1);
    near(e.n_of_target, 0.25, 1e-12);
    arena_fini(&arena);
}

TEST(a_weights_file_reads_back_to_the_last_digit)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    struct weights w = {.divisor = 12345.678}, back;
    struct text text = {0};
    char path[64];
    for (u32 i = 0; i < FEATURE_COUNT; i++) {
        w.alpha[i] = i == FEATURE_gain ? 0 : 1.0 / 3 - i;
        w.beta[i] = i == FEATURE_gain ? 0 : -1e-7 / (i + 1);
    }
    weights_write(&w, "a \"quoted\" source: with a colon", &text);
    assert_null(strstr(text.data, "  gain:"));
    snprintf(path, sizeof path, "/tmp/heddle-weights-%d.yaml", (int)getpid());
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text.data, f);
    fclose(f);
    assert_true(weights_read(&back, path, &err));
    unlink(path);
    text_fini(&text);
    near(back.divisor, w.divisor, 0);
    for (u32 i = 0; i < FEATURE_COUNT; i++) {
        near(back.alpha[i], w.alpha[i], 0);
        near(back.beta[i], w.beta[i], 0);
    }
}

RUN_TESTS(T(weights_that_made_the_targets_are_found_for_every_occupancy),
          T(the_best_tuple_for_all_is_what_weights_are_measured_against),
          T(what_is_left_out_has_no_say), T(only_features_can_be_left_out_and_never_the_intercept),
          T(errors_are_what_a_hand_gets), T(a_weights_file_reads_back_to_the_last_digit))

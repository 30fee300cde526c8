/* The regression that training is made of: Poise spec, sections 4.3 and 8. */
#include "testing.h"

#include "base/rng.h"
#include "policy/warp/features.h"
#include "train/regression.h"

#include <math.h>

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g is not within %g of %.12g", value, tolerance, expected);
}

static void fails(const struct err *err, const char *part)
{
    char text[1600];
    err_text(err, text, sizeof text);
    if (!strstr(text, part))
        fail_msg("'%s' does not say '%s'", text, part);
}

#define ROWS 60u

/* Features as kernels have them, and what weights make of them. */
static void make_rows(double x[ROWS][FEATURE_COUNT], double y[ROWS], bool is_alpha)
{
    struct rng rng;
    rng_init(&rng, 1, "rows");
    for (u32 i = 0; i < ROWS; i++) {
        double h_o = 0.5 * rng_unit(&rng), h_1 = h_o + 0.4 * rng_unit(&rng);
        struct feature_sample most = {h_o, h_o * rng_unit(&rng), 300 + 600 * rng_unit(&rng),
                                      2 + 20 * rng_unit(&rng)};
        struct feature_sample least = {h_1, h_1 * rng_unit(&rng), 200 + 100 * rng_unit(&rng), 5};
        feature_vector(&most, &least, PUBLISHED_DIVISOR, x[i]);
        double sum = 0;
        for (u32 k = 0; k < FEATURE_COUNT; k++)
            sum += x[i][k] * (is_alpha ? features[k].alpha : features[k].beta);
        y[i] = exp(sum);
    }
}

TEST(noise_free_targets_give_the_published_weights_back)
{
    UNUSED_STATE;
    double x[ROWS][FEATURE_COUNT], y[ROWS];
    for (u32 which = 0; which < 2; which++) {
        struct err err = ERR_INIT;
        struct regression_fit fit;
        make_rows(x, y, which == 0);
        struct regression r = {&x[0][0], y, ROWS, FEATURE_COUNT, 1};
        assert_true(regression_fit(&r, &fit, &err));
        for (u32 k = 0; k < FEATURE_COUNT; k++)
            near(fit.b[k], which == 0 ? features[k].alpha : features[k].beta, 1e-8);
        near(fit.deviance, 0, 1e-8);
        near(regression_pseudo_r2(&fit), 1, 1e-9);
        assert_true(fit.iterations <= 12);
    }
}

/* By hand: two rows about a mean of 1 and two about one of 4, and a = 1, have weights of 1/2 and
 * 4/5. The logarithms of the means vary by 1 / (2 x 1/2) and 1 / (2 x 4/5); half their sum and half
 * their difference by a quarter of both together. */
TEST(standard_errors_are_those_of_the_weights)
{
    UNUSED_STATE;
    static const double x[] = {1, -1, 1, -1, 1, 1, 1, 1}, y[] = {0, 2, 3, 5};
    struct err err = ERR_INIT;
    struct regression_fit fit;
    struct regression r = {x, y, 4, 2, 1};
    assert_true(regression_fit(&r, &fit, &err));
    near(fit.b[0], log(4) / 2, 1e-6);
    near(fit.error[0], sqrt((1 + 0.625) / 4), 1e-6);
    near(fit.error[1], sqrt((1 + 0.625) / 4), 1e-6);
}

/* Where the likelihood is highest its slope is 0 along every column. */
TEST(noisy_targets_are_fitted_where_the_slope_of_the_likelihood_is_zero)
{
    UNUSED_STATE;
    struct rng rng;
    double x[ROWS][FEATURE_COUNT], y[ROWS], a = 0.5;
    struct err err = ERR_INIT;
    struct regression_fit fit;
    rng_init(&rng, 2, "noise");
    make_rows(x, y, true);
    for (u32 i = 0; i < ROWS; i++)
        y[i] = 1 + floor(24 * rng_unit(&rng));
    struct regression r = {&x[0][0], y, ROWS, FEATURE_COUNT, a};
    assert_true(regression_fit(&r, &fit, &err));
    for (u32 k = 0; k < FEATURE_COUNT; k++) {
        double slope = 0, size = 0;
        for (u32 i = 0; i < ROWS; i++) {
            double eta = 0;
            for (u32 c = 0; c < FEATURE_COUNT; c++)
                eta += fit.b[c] * x[i][c];
            slope += (y[i] - exp(eta)) / (1 + a * exp(eta)) * x[i][k];
            size += fabs(x[i][k]);
        }
        near(slope, 0, 1e-4 * size);
    }
    assert_true(fit.deviance > 0 && fit.deviance < fit.null_deviance);
}

TEST(deviance_is_what_a_hand_gets)
{
    UNUSED_STATE;
    /* 2 (ln 1/2 - 2 ln 2/3 + 3 ln 3/2 - 4 ln 4/3) */
    near(negative_binomial_deviance((double[]){1, 3}, (double[]){2, 2}, 2, 1), 0.3669004, 1e-6);
    near(negative_binomial_deviance((double[]){0}, (double[]){1}, 1, 1), 2 * log(2), 1e-12);
    /* a = 1/2: 2 (4 ln 2 - 6 ln (3/2)) */
    near(negative_binomial_deviance((double[]){4}, (double[]){2}, 1, 0.5),
         2 * (4 * log(2) - 6 * log(1.5)), 1e-12);
    near(negative_binomial_deviance((double[]){7, 2}, (double[]){7, 2}, 2, 1), 0, 1e-12);
}

TEST(an_intercept_alone_is_the_logarithm_of_the_mean_and_explains_nothing)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    struct regression_fit fit;
    struct regression r = {(double[]){1, 1, 1}, (double[]){2, 4, 12}, 3, 1, 1};
    assert_true(regression_fit(&r, &fit, &err));
    near(fit.b[0], log(6), 1e-7); /* the deviance settles before the weight does */
    near(fit.deviance, fit.null_deviance, 1e-9);
    near(regression_pseudo_r2(&fit), 0, 1e-9);
    near(fit.pearson, (16 + 4 + 36) / 42.0, 1e-6); /* variance 6 + 36 */
}

TEST(rows_that_do_not_determine_the_weights_are_refused)
{
    UNUSED_STATE;
    struct regression_fit fit;
    struct err few = ERR_INIT, dependent = ERR_INIT, zero = ERR_INIT, infinite = ERR_INIT;
    double x[] = {1, 2, 1, 4, 1, 6}, same[] = {1, 2, 2, 4, 3, 6}, y[] = {3, 4, 5};
    assert_false(regression_fit(&(struct regression){x, y, 1, 2, 1}, &fit, &few));
    fails(&few, "1 kernels cannot determine 2 weights");
    assert_false(regression_fit(&(struct regression){same, y, 3, 2, 1}, &fit, &dependent));
    fails(&dependent, "3 kernels determine only 1 of 2 weights");
    assert_false(
        regression_fit(&(struct regression){x, (double[]){0, 0, 0}, 3, 2, 1}, &fit, &zero));
    fails(&zero, "all targets");
    x[3] = INFINITY;
    assert_false(regression_fit(&(struct regression){x, y, 3, 2, 1}, &fit, &infinite));
    fails(&infinite, "not finite");
}

RUN_TESTS(T(noise_free_targets_give_the_published_weights_back),
          T(standard_errors_are_those_of_the_weights),
          T(noisy_targets_are_fitted_where_the_slope_of_the_likelihood_is_zero),
          T(deviance_is_what_a_hand_gets),
          T(an_intercept_alone_is_the_logarithm_of_the_mean_and_explains_nothing),
          T(rows_that_do_not_determine_the_weights_are_refused))

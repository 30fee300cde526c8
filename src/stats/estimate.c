#include "stats/estimate.h"

#include <assert.h>
#include <math.h>

#define EQUAL_SIZES 0.02 /* coefficient of variation */
#define REGRESSION_UNITS 5u
#define OWN_DEGREES 3.0

/* ---- Student's t ---- */

/* Cornish and Fisher's expansion, within 0.5 % from 3 degrees on. */
static double t_from_3(double v)
{
    const double z = 1.959963984540054, z2 = z * z;
    double g1 = z * (z2 + 1) / 4;
    double g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
    double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
    double g4 = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
    return z + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v;
}

/* Between whole degrees below 3 by their reciprocal. */
double student_t(double degrees)
{
    const double t1 = 12.706204736, t2 = 4.302652730;
    double v = degrees < 1 ? 1 : degrees;
    if (v >= 3)
        return t_from_3(v);
    double low = v < 2 ? t1 : t2, high = v < 2 ? t2 : t_from_3(3), from = floor(v);
    double share = (1 / from - 1 / v) / (1 / from - 1 / (from + 1));
    return low + share * (high - low);
}

/* ---- weights ---- */

static u32 columns(const struct estimate_class *c, const struct estimate_unit *u, double x[2])
{
    double size = c->mean_size > 0 ? u->size / c->mean_size : 1;
    x[0] = c->model == ESTIMATE_RATIO ? size : 1;
    x[1] = size;
    return c->parameters;
}

static void sum_products(const struct estimate_class *c, int power, double m[2][2])
{
    m[0][0] = m[0][1] = m[1][0] = m[1][1] = 0;
    for (u32 i = 0; i < c->count; i++) {
        double x[2], w = pow(c->units[i].weight, power);
        u32 p = columns(c, &c->units[i], x);
        for (u32 a = 0; a < p; a++) {
            for (u32 b = 0; b < p; b++)
                m[a][b] += w * x[a] * x[b];
        }
    }
}

static void multiply(double out[2][2], double a[2][2], double b[2][2])
{
    for (u32 i = 0; i < 2; i++) {
        for (u32 k = 0; k < 2; k++)
            out[i][k] = a[i][0] * b[0][k] + a[i][1] * b[1][k];
    }
}

static void invert(const struct estimate_class *c, double m[2][2], double out[2][2])
{
    out[0][1] = out[1][0] = out[1][1] = 0;
    out[0][0] = 1 / m[0][0];
    if (c->parameters == 1)
        return;
    double d = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    out[0][0] = m[1][1] / d;
    out[1][1] = m[0][0] / d;
    out[0][1] = out[1][0] = -m[0][1] / d;
}

/* g = w (1 + (T - sum of w x)' (X'WX)^-1 x); false: a weight is below 0. */
static bool set_weights(struct estimate_class *c)
{
    double want[2] = {(double)c->population, c->size / c->mean_size}, have[2] = {0, 0}, m[2][2];
    if (c->model == ESTIMATE_RATIO)
        want[0] = want[1];
    for (u32 i = 0; i < c->count; i++) {
        double x[2];
        columns(c, &c->units[i], x);
        have[0] += c->units[i].weight * x[0];
        have[1] += c->units[i].weight * x[1];
    }
    sum_products(c, 1, m);
    invert(c, m, c->inverse);
    c->spread = (double)c->population - c->count;
    for (u32 i = 0; i < c->count; i++) {
        double x[2], g = 1;
        u32 p = columns(c, &c->units[i], x);
        for (u32 a = 0; a < p; a++) {
            for (u32 b = 0; b < p; b++)
                g += (want[a] - have[a]) * c->inverse[a][b] * x[b];
        }
        c->units[i].g = g *= c->units[i].weight;
        if (g < 0)
            return false;
        c->spread += (g - 1) * (g - 1);
    }
    return true;
}

/* Of the residuals e = (I - H) y with H = X (X'WX)^-1 X'W: E e'e = (n - 2p + tr H'H) variance. */
static void set_divisor(struct estimate_class *c)
{
    double plain[2][2], squares[2][2], t[2][2], s[2][2];
    sum_products(c, 0, plain);
    sum_products(c, 2, squares);
    multiply(t, c->inverse, plain);
    multiply(s, t, c->inverse);
    multiply(t, s, squares);
    c->divisor = (double)c->count - 2.0 * c->parameters + t[0][0] + t[1][1];
    c->degrees = c->count > c->parameters ? (double)(c->count - c->parameters) : 0;
}

static double size_variation(const struct estimate_class *c)
{
    double sum = 0, squares = 0, n = c->count;
    for (u32 i = 0; i < c->count; i++)
        sum += c->units[i].size;
    for (u32 i = 0; i < c->count; i++)
        squares += pow(c->units[i].size - sum / n, 2);
    double all = c->size / (double)c->population;
    double off = sum > 0 ? fabs(all * n / sum - 1) : 0; /* sizes of those that were not measured */
    double own = sum > 0 ? sqrt(squares / n) / (sum / n) : 0;
    return own > off ? own : off;
}

void estimate_calibrate(struct estimate_class *c)
{
    assert(c->count && c->population >= c->count);
    double n = c->count, sum = 0;
    for (u32 i = 0; i < c->count; i++)
        sum += c->units[i].size;
    c->mean_size = sum > 0 ? sum / n : 1;
    double own = 0;
    for (u32 i = 0; i < c->count; i++)
        own += pow(c->units[i].size / c->mean_size - 1, 2);
    c->model = size_variation(c) <= EQUAL_SIZES || sum <= 0                  ? ESTIMATE_MEAN
               : c->count >= REGRESSION_UNITS && sqrt(own / n) > EQUAL_SIZES ? ESTIMATE_REGRESSION
                                                                             : ESTIMATE_RATIO;
    c->parameters = c->model == ESTIMATE_REGRESSION ? 2 : 1;
    if (!set_weights(c)) {
        c->model = ESTIMATE_RATIO;
        c->parameters = 1;
        set_weights(c);
    }
    set_divisor(c);
}

/* ---- totals ---- */

/* The variance of an error; 0 degrees: not known. */
static double error_variance(const struct estimate_class *c, const double *values)
{
    double beta[2] = {0, 0}, sums[2] = {0, 0}, squares = 0;
    if (c->degrees <= 0)
        return 0;
    for (u32 i = 0; i < c->count; i++) {
        double x[2];
        columns(c, &c->units[i], x);
        for (u32 a = 0; a < c->parameters; a++)
            sums[a] += c->units[i].weight * x[a] * values[i];
    }
    for (u32 a = 0; a < c->parameters; a++)
        beta[a] = c->inverse[a][0] * sums[0] + c->inverse[a][1] * sums[1];
    for (u32 i = 0; i < c->count; i++) {
        double x[2];
        u32 p = columns(c, &c->units[i], x);
        squares += pow(values[i] - beta[0] * x[0] - (p > 1 ? beta[1] * x[1] : 0), 2);
    }
    return squares / c->divisor;
}

static double mean_of(const struct estimate_class *c, const double *values)
{
    double total = 0;
    for (u32 i = 0; i < c->count; i++)
        total += c->units[i].g * values[i];
    return total / (double)c->population;
}

double estimate_relative_variance(const struct estimate_class *c, const double *values,
                                  double *degrees)
{
    double mean = mean_of(c, values);
    *degrees = mean > 0 ? c->degrees : 0;
    return mean > 0 ? error_variance(c, values) / (mean * mean) : 0;
}

struct estimate estimate_total(const struct estimate_class *c, const double *values,
                               double relative_variance, double degrees)
{
    struct estimate e = {0};
    for (u32 i = 0; i < c->count; i++)
        e.total += c->units[i].g * values[i];
    if (c->count == c->population || e.total == 0)
        return e;
    double variance = error_variance(c, values), own = c->degrees;
    if (own < OWN_DEGREES && degrees > 0) { /* both, by their degrees */
        double mean = mean_of(c, values), other = relative_variance * mean * mean;
        variance = (own * variance + degrees * other) / (own + degrees);
        own += degrees;
    }
    if (own <= 0) {
        e.is_unknown = true;
        return e;
    }
    e.variance = c->spread * variance;
    e.degrees_sum = e.variance * e.variance / own;
    return e;
}

void estimate_add(struct estimate *sum, const struct estimate *e)
{
    sum->total += e->total;
    sum->variance += e->variance;
    sum->degrees_sum += e->degrees_sum;
    sum->is_unknown |= e->is_unknown;
}

/* Degrees of freedom as Satterthwaite (1946). */
double estimate_half_width(const struct estimate *e)
{
    if (e->is_unknown || e->variance <= 0)
        return 0;
    return student_t(e->variance * e->variance / e->degrees_sum) * sqrt(e->variance);
}

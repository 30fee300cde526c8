#include "train/regression.h"

#include "base/arena.h"

#include <assert.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#define MOST_ITERATIONS 100u
#define MOST_HALVINGS 20u
#define DEVIANCE_CHANGE 1e-8  /* relative, that ends the iteration: Poise spec 4.3 */
#define EXPONENT_CHANGE 1e-10 /* ends it too: a perfect fit has no deviance to compare */
#define RANK_LIMIT 1e-10      /* a column this close to a sum of the others says nothing new */

struct solver {
    const struct regression *r;
    double *weighted, *target;   /* rows x columns and rows: LAPACK overwrites them */
    double *mu, *eta, *eta_then; /* by row */
    double length[MOST_COLUMNS]; /* of the weighted columns */
    struct err *err;
};

double negative_binomial_deviance(const double *y, const double *mu, u32 count, double a)
{
    double sum = 0;
    for (u32 i = 0; i < count; i++) {
        double own = y[i] > 0 ? y[i] * log(y[i] / mu[i]) : 0;
        sum += own - (y[i] + 1 / a) * log((1 + a * y[i]) / (1 + a * mu[i]));
    }
    return 2 * sum;
}

static double mean(const double *y, u32 count)
{
    double sum = 0;
    for (u32 i = 0; i < count; i++)
        sum += y[i];
    return sum / count;
}

/* The rows of the least-squares problem, each by the root of its weight. Columns are brought to one
 * length, or features of different size would look like dependent ones. */
static void weigh(struct solver *s)
{
    const struct regression *r = s->r;
    memset(s->length, 0, sizeof s->length);
    for (u32 i = 0; i < r->rows; i++) {
        double root = sqrt(s->mu[i] / (1 + r->dispersion * s->mu[i]));
        s->target[i] = root * (s->eta[i] + (r->y[i] - s->mu[i]) / s->mu[i]);
        for (u32 k = 0; k < r->columns; k++) {
            double v = root * r->x[i * r->columns + k];
            s->weighted[i * r->columns + k] = v;
            s->length[k] += v * v;
        }
    }
    for (u32 k = 0; k < r->columns; k++)
        s->length[k] = s->length[k] > 0 ? sqrt(s->length[k]) : 1;
    for (u32 i = 0; i < r->rows * r->columns; i++)
        s->weighted[i] /= s->length[i % r->columns];
}

/* b of the weighted least squares, by a QR decomposition that reveals the rank. */
static bool solve(struct solver *s, double b[])
{
    const struct regression *r = s->r;
    lapack_int pivots[MOST_COLUMNS] = {0}, rank = 0;
    weigh(s);
    lapack_int info = LAPACKE_dgelsy(LAPACK_ROW_MAJOR, (lapack_int)r->rows, (lapack_int)r->columns,
                                     1, s->weighted, (lapack_int)r->columns, s->target, 1, pivots,
                                     RANK_LIMIT, &rank);
    if (info != 0)
        return err_kind(s->err, ERR_INPUT,
                        "the regression has numbers that are not finite (LAPACK's dgelsy: %d)",
                        (int)info);
    if (rank < (lapack_int)r->columns)
        return err_kind(s->err, ERR_INPUT,
                        "%u kernels determine only %d of %u weights, expected more kernels or "
                        "fewer features",
                        r->rows, (int)rank, r->columns);
    for (u32 k = 0; k < r->columns; k++)
        b[k] = s->target[k] / s->length[k];
    return true;
}

static double apply(struct solver *s, const double b[])
{
    const struct regression *r = s->r;
    for (u32 i = 0; i < r->rows; i++) {
        s->eta[i] = 0;
        for (u32 k = 0; k < r->columns; k++)
            s->eta[i] += b[k] * r->x[i * r->columns + k];
        s->mu[i] = exp(s->eta[i]);
    }
    return negative_binomial_deviance(r->y, s->mu, r->rows, r->dispersion);
}

static double largest_change(const struct solver *s)
{
    double largest = 0;
    for (u32 i = 0; i < s->r->rows; i++)
        largest = fmax(largest, fabs(s->eta[i] - s->eta_then[i]));
    return largest;
}

/* One iteration. A step that makes the fit worse is halved until it does not. */
static bool step(struct solver *s, double b[], double *deviance, bool is_first)
{
    const struct regression *r = s->r;
    double next[MOST_COLUMNS] = {0};
    memcpy(s->eta_then, s->eta, r->rows * sizeof *s->eta);
    if (!solve(s, next))
        return false;
    double d = apply(s, next);
    for (u32 h = 0; !is_first && h < MOST_HALVINGS && !(d <= *deviance + 1e-9); h++) {
        for (u32 k = 0; k < r->columns; k++)
            next[k] = (next[k] + b[k]) / 2;
        d = apply(s, next);
    }
    memcpy(b, next, r->columns * sizeof *b);
    *deviance = d;
    return isfinite(d) ||
           err_kind(s->err, ERR_INPUT, "the regression does not converge on %u kernels", r->rows);
}

static bool iterate(struct solver *s, struct regression_fit *fit)
{
    const struct regression *r = s->r;
    double average = mean(r->y, r->rows), deviance = INFINITY;
    for (u32 i = 0; i < r->rows; i++) {
        s->mu[i] = (r->y[i] + average) / 2;
        s->eta[i] = log(s->mu[i]);
    }
    for (fit->iterations = 1; fit->iterations <= MOST_ITERATIONS; fit->iterations++) {
        double then = deviance;
        if (!step(s, fit->b, &deviance, fit->iterations == 1))
            return false;
        if (fabs(then - deviance) <= DEVIANCE_CHANGE * fabs(deviance) ||
            largest_change(s) <= EXPONENT_CHANGE)
            return true;
    }
    return err_kind(s->err, ERR_INPUT,
                    "the regression does not converge in %u iterations on %u kernels",
                    MOST_ITERATIONS, r->rows);
}

/* Roots of the diagonal of the inverse of X'WX, at the weights of the fit. */
static void find_errors(struct solver *s, struct regression_fit *fit)
{
    const struct regression *r = s->r;
    double square[MOST_COLUMNS * MOST_COLUMNS];
    lapack_int n = (lapack_int)r->columns;
    weigh(s);
    for (u32 a = 0; a < r->columns; a++) {
        for (u32 b = 0; b < r->columns; b++) {
            double sum = 0;
            for (u32 i = 0; i < r->rows; i++)
                sum += s->weighted[i * r->columns + a] * s->weighted[i * r->columns + b];
            square[a * r->columns + b] = sum;
        }
    }
    bool is_definite = LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'U', n, square, n) == 0 &&
                       LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'U', n, square, n) == 0;
    for (u32 k = 0; k < r->columns; k++)
        fit->error[k] =
            is_definite ? sqrt(square[k * r->columns + k]) / s->length[k] : (double)INFINITY;
}

static void judge(struct solver *s, struct regression_fit *fit)
{
    const struct regression *r = s->r;
    fit->deviance = apply(s, fit->b);
    find_errors(s, fit);
    for (u32 i = 0; i < r->rows; i++) {
        double error = r->y[i] - s->mu[i];
        fit->pearson += error * error / (s->mu[i] + r->dispersion * s->mu[i] * s->mu[i]);
        s->mu[i] = mean(r->y, r->rows); /* what an intercept alone would be fitted to */
    }
    fit->null_deviance = negative_binomial_deviance(r->y, s->mu, r->rows, r->dispersion);
}

bool regression_fit(const struct regression *r, struct regression_fit *fit, struct err *err)
{
    struct arena arena = {0};
    assert(r->columns >= 1 && r->columns <= MOST_COLUMNS && r->dispersion > 0);
    *fit = (struct regression_fit){0};
    if (r->rows < r->columns)
        return err_kind(err, ERR_INPUT, "%u kernels cannot determine %u weights", r->rows,
                        r->columns);
    if (!(mean(r->y, r->rows) > 0))
        return err_kind(err, ERR_INPUT, "all targets of the regression are 0");
    struct solver s = {.r = r,
                       .weighted = ARENA_ARRAY(&arena, double, r->rows * r->columns),
                       .target = ARENA_ARRAY(&arena, double, r->rows),
                       .mu = ARENA_ARRAY(&arena, double, r->rows),
                       .eta = ARENA_ARRAY(&arena, double, r->rows),
                       .eta_then = ARENA_ARRAY(&arena, double, r->rows),
                       .err = err};
    bool ok = iterate(&s, fit);
    if (ok)
        judge(&s, fit);
    arena_fini(&arena);
    return ok;
}

double regression_pseudo_r2(const struct regression_fit *fit)
{
    return fit->null_deviance > 0 ? 1 - fit->deviance / fit->null_deviance : 0;
}

/*
 * Negative-binomial regression with a log link: ln E[y] = b . x, and
 * Var = mu + a mu^2 (Poise spec 4.3), by iteratively reweighted least squares.
 */
#ifndef TRAIN_REGRESSION_H
#define TRAIN_REGRESSION_H

#include "base/err.h"

#define MOST_COLUMNS 64u

struct regression {
    const double *x; /* row after row; a column of ones is the intercept */
    const double *y; /* one per row, not negative */
    u32 rows, columns;
    double dispersion; /* a, more than 0 */
};

struct regression_fit {
    double b[MOST_COLUMNS];
    double
        error[MOST_COLUMNS]; /* standard errors of b, of the variance above; infinite: too alike */
    double deviance;         /* what is left of null_deviance */
    double null_deviance;    /* of the mean alone */
    double pearson;          /* sum of squared errors over the variance, by row */
    u32 iterations;
};

/* Twice the distance of the likelihood from its best; 0 where all mu equal their y. */
double negative_binomial_deviance(const double *y, const double *mu, u32 count, double dispersion);

/* Fails where the rows do not determine every coefficient, and where it does not converge. */
bool regression_fit(const struct regression *r, struct regression_fit *fit, struct err *err);
/* The share of the null deviance that the fit explains; 0 where there is nothing to explain. */
double regression_pseudo_r2(const struct regression_fit *fit);

#endif

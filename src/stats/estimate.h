/*
 * Totals of a population of which a part was measured, with confidence intervals.
 *
 * A class is a set of units expected to be alike; of each unit a size is known, of the measured
 * ones a value as well. The estimator is the generalised regression estimator (Sarndal, Swensson,
 * Wretman, Model Assisted Survey Sampling, 1992, ch. 6): weights of the design are calibrated so
 * that the measured units reproduce the class's number of units, its total size, or both. One set
 * of weights serves all values, so sums and laws that hold for each unit hold for the totals too.
 *
 * The variance is that of the prediction error under the model value = b0 + b1 size + error, errors
 * independent and of equal variance within a class (Royall, 1970; Valliant, Dorfman, Royall, 2000,
 * ch. 2). It says nothing about errors of the measurements themselves.
 */
#ifndef STATS_ESTIMATE_H
#define STATS_ESTIMATE_H

#include "base/types.h"

struct estimate_unit {
    double weight; /* of the design: how many units it was drawn from, at least 1 */
    double size;
    double g; /* calibrated */
};

enum estimate_model {
    ESTIMATE_MEAN,       /* sizes are equal within 2 % */
    ESTIMATE_RATIO,      /* value in proportion to size */
    ESTIMATE_REGRESSION, /* with a constant part: from 5 units of different size on */
};

struct estimate_class {
    u64 population; /* units, measured or not */
    double size;    /* of all of them */
    struct estimate_unit *units;
    u32 count; /* measured */
    enum estimate_model model;
    u32 parameters;
    double inverse[2][2]; /* of the weighted normal equations */
    double mean_size;     /* sizes are divided by it */
    double degrees;       /* of freedom of a residual's variance */
    double divisor;       /* of the residuals' squares: their sum over it is unbiased */
    double spread;        /* variance of the total, per variance of an error */
};

/* A total, or several added up. */
struct estimate {
    double total, variance;
    double degrees_sum; /* of variance squared over its degrees of freedom */
    bool is_unknown;    /* the variance: too little was measured */
};

/* Chooses the model and the weights; at least one unit was measured. */
void estimate_calibrate(struct estimate_class *c);
/* The total of one value, by unit; `relative_variance` (0: none) with its degrees of freedom stands
 * in where the class has fewer than 3 degrees of its own. Where nothing was measured of a value it
 * is 0, with certainty. */
struct estimate estimate_total(const struct estimate_class *c, const double *values,
                               double relative_variance, double degrees);
/* The variance of an error over the square of the mean value, and its degrees of freedom (0: it is
 * not known). */
double estimate_relative_variance(const struct estimate_class *c, const double *values,
                                  double *degrees);
/* Independent totals are added. */
void estimate_add(struct estimate *sum, const struct estimate *e);
/* Half of the 95 % confidence interval; where is_unknown 0. */
double estimate_half_width(const struct estimate *e);
/* The quantile 0.975 of Student's t. */
double student_t(double degrees);

#endif

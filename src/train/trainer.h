/*
 * From kernels to weights: two regressions, how well they fit, and how far their
 * predictions are from the targets (Poise spec 4.3, 6.3).
 */
#ifndef TRAIN_TRAINER_H
#define TRAIN_TRAINER_H

#include "train/kernels.h"
#include "train/regression.h"

struct trained {
    struct weights weights;
    struct regression_fit n, p;
    u32 kernels;
};

/* On the kernels that are kept; those of `left_out` (NULL: none) do not count. */
bool train(struct trained *trained, const struct train_set *set, const char *left_out,
           const struct train_options *options, struct err *err);

/* What the link function makes of a kernel's features. */
struct warp_tuple train_predict(const struct weights *w, const struct train_kernel *k,
                                const struct train_options *options);

/* Means over the kernels that are kept. Errors are |predicted - target|, over the target and over W
 * (Poise spec A14). Speedups are harmonic means, read from the profiles. */
struct train_errors {
    u32 kernels;
    double n_of_target, p_of_target, n_of_limit, p_of_limit;
    double at_predicted, at_target, at_best;
};
/* Of one program, or of all of them (NULL). */
struct train_errors train_errors(const struct train_set *set, const char *program,
                                 const struct weights *w, const struct train_options *options);

/* What weights are measured against: one tuple for every kernel (its W at most), the best of the
 * grid {1, 2, 3, 4, 6, 8, 12, 16, 24} for the kernels that are kept, but for those of `left_out`
 * (NULL: none). No kernels: {0, 0}. */
struct warp_tuple train_constant(const struct train_set *set, const char *left_out);
/* Its speed-up, harmonic mean over the kernels of one program, or of all of them (NULL). */
double train_at_constant(const struct train_set *set, const char *program, struct warp_tuple t);
/* Kernels of one name are launches of one kernel, and rows that say much the same. */
u32 train_distinct(const struct train_set *set);

/* By a feature's name, or its number in the papers: x1 to x7. The intercept stays. */
bool train_leave_out(struct train_options *options, const char *feature, struct err *err);

/* ---- train/output.c ---- */

struct train_subject {
    const char *chip, *size, *grid;
    const char *const *programs;
    u32 program_count;
    const struct sweep_workload *inputs; /* of programs with an input of their own */
    u32 input_count;
    struct train_set *training, *evaluation; /* evaluation may be empty */
    const struct train_options *options;
};
/* The tables that a person reads; trains once more for every program that is left out. */
void train_write_text(const struct train_subject *s, const struct trained *t, struct text *out);
/* Every kernel with its features, its target and why it was kept or not, as CSV; without
 * predictions where there are no weights (NULL). */
void train_write_kernels(const struct train_subject *s, const struct trained *t, struct text *out);
void train_write_weights(const struct train_subject *s, const struct trained *t, struct text *out);
/* How far predictions are from targets, program by program, as CSV. */
void train_write_errors(const struct train_subject *s, const struct trained *t, struct text *out);
/* The best tuple of every kernel of a program, as the policy static_best reads it. */
void train_write_tuples(const struct train_set *set, const char *program, const char *source,
                        struct text *out);
/* The programs that a set has, one after the other; NULL: that was the last. *from: 0 at first. */
const char *train_next_program(const struct train_set *set, u32 *from);

#endif

/*
 * The feature vector of Poise, its weights, and the link function that turns
 * them into a tuple (Poise spec 4.2, 5).
 *
 * The features are a table (published.def): one more row, and one more line in
 * features.c, is all that trying another feature takes. Weights come from that
 * table, or from a file that training wrote:
 *
 *     divisor: 100000           # of memory_time
 *     weights:                  # of the features it uses, for ln N and ln p
 *       h_o: {n: 0.5, p: 3.8}
 *       one: {n: 1.7, p: -2.2}
 */
#ifndef POLICY_WARP_FEATURES_H
#define POLICY_WARP_FEATURES_H

#include "base/err.h"
#include "base/text.h"
#include "gpu/sm/warp_policy.h"

#define FEATURE(name, formula, alpha, beta) FEATURE_##name,
enum feature_id {
#include "policy/warp/published.def"
    FEATURE_COUNT
};
#undef FEATURE

struct feature {
    const char *name, *formula;
    double alpha, beta; /* as published */
};
extern const struct feature features[FEATURE_COUNT];

/* What one window measured: rates as fractions, latency in core cycles. */
struct feature_sample {
    double hit_rate, own_hit_rate, latency, work; /* work: I_n, instructions between loads */
};

/* Of the difference between two readings of the counters, a window or a whole run. Without
 * accesses the rates are 0, without misses the latency, without loads I_n is infinite. */
struct feature_sample feature_sample(const struct warp_counters *from,
                                     const struct warp_counters *to);
/* at_most: sampled at (W, W); at_least: at (1, 1). */
void feature_vector(const struct feature_sample *at_most, const struct feature_sample *at_least,
                    double divisor, double x[FEATURE_COUNT]);

struct weights {
    double alpha[FEATURE_COUNT], beta[FEATURE_COUNT];
    double divisor;
};

#define PUBLISHED_WEIGHTS "published"
#define PUBLISHED_DIVISOR 1e5 /* the thesis's; the paper has 1e4 (spec A1) */

/* By the word above or from a file. */
bool weights_read(struct weights *w, const char *name, struct err *err);
/* The text of such a file; `name` is for messages. */
bool weights_read_text(struct weights *w, const char *name, const char *text, size_t length,
                       struct err *err);
/* As such a file, with every digit; features of weight 0 are left out. `source`: one line. */
void weights_write(const struct weights *w, const char *source, struct text *out);

struct prediction {
    double ln_n, ln_p;
    u32 n, p;
};

/* clamp: of the exponents; scale: the W that the weights are for; limit: W of the kernel. */
struct prediction weights_predict(const struct weights *w, const double x[FEATURE_COUNT],
                                  double clamp, double scale, u32 limit);

#endif

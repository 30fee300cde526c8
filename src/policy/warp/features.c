#include "policy/warp/features.h"

#include "base/arena.h"
#include "base/units.h"
#include "config/yaml.h"

#include <math.h>
#include <string.h>

#define FEATURE(name, formula, alpha, beta) {#name, formula, alpha, beta},
const struct feature features[FEATURE_COUNT] = {
#include "policy/warp/published.def"
};
#undef FEATURE

static double ratio(u64 part, u64 whole, double otherwise)
{
    return whole ? (double)part / (double)whole : otherwise;
}

struct feature_sample feature_sample(const struct warp_counters *from,
                                     const struct warp_counters *to)
{
    u64 accesses = to->accesses - from->accesses;
    u64 loads = to->load_instructions - from->load_instructions;
    u64 others = to->instructions - from->instructions - loads; /* spec A12: without the load */
    return (struct feature_sample){
        .hit_rate = ratio(to->hits - from->hits, accesses, 0),
        .own_hit_rate = ratio(to->own_hits - from->own_hits, accesses, 0),
        .latency =
            ratio(to->latency_cycles - from->latency_cycles, to->returned - from->returned, 0),
        .work = ratio(others, loads, INFINITY)};
}

void feature_vector(const struct feature_sample *at_most, const struct feature_sample *at_least,
                    double divisor, double x[FEATURE_COUNT])
{
    double gain = at_least->own_hit_rate - at_most->own_hit_rate;
    double time =
        at_least->latency * (1 - at_least->hit_rate) - at_most->latency * (1 - at_most->hit_rate);
    x[FEATURE_h_o] = at_most->hit_rate;
    x[FEATURE_h_1] = at_least->hit_rate;
    x[FEATURE_eta_o] = at_most->own_hit_rate;
    x[FEATURE_eta_1] = at_least->own_hit_rate;
    x[FEATURE_gain] = gain * gain;
    x[FEATURE_work_gain] = at_most->work * gain * gain;
    x[FEATURE_memory_time] = time * time / divisor;
    x[FEATURE_one] = 1;
}

/* ---- weights --------------------------------------------------------------------------------- */

static bool read_number(const struct yaml_node *n, const char *what, double *out, struct err *err)
{
    if (n->kind != YAML_SCALAR || quantity_double(n->text, "", out) != QUANTITY_OK ||
        !isfinite(*out))
        return err_found(err, n->at, what,
                         n->kind == YAML_SCALAR ? n->text : yaml_kind_name(n->kind), "a number");
    return true;
}

static bool unknown_feature(const struct yaml_node *n, struct err *err)
{
    const char *names[FEATURE_COUNT];
    for (u32 i = 0; i < FEATURE_COUNT; i++)
        names[i] = features[i].name;
    return err_unknown(err, n->key_at, "feature", n->key, names, FEATURE_COUNT, NULL);
}

static bool read_feature(struct weights *w, const struct yaml_node *n, struct err *err)
{
    u32 i = 0;
    while (i < FEATURE_COUNT && strcmp(features[i].name, n->key) != 0)
        i++;
    if (i == FEATURE_COUNT)
        return unknown_feature(n, err);
    const struct yaml_node *alpha = n->kind == YAML_MAP ? yaml_child(n, "n") : NULL;
    const struct yaml_node *beta = n->kind == YAML_MAP ? yaml_child(n, "p") : NULL;
    if (!alpha || !beta || n->child_count != 2)
        return err_at(err, n->at, "the weights of %s are not {n: NUMBER, p: NUMBER}", n->key);
    return read_number(alpha, "n", &w->alpha[i], err) && read_number(beta, "p", &w->beta[i], err);
}

static bool read_tree(struct weights *w, const struct yaml_node *root, struct err *err)
{
    static const char *const keys[] = {"divisor", "source", "weights"};
    if (root->kind != YAML_MAP || !yaml_child(root, "weights"))
        return err_at(err, root->at, "the file has no `weights:`, expected a map of features");
    for (u32 i = 0; i < root->child_count; i++) {
        const struct yaml_node *n = &root->children[i];
        if (strcmp(n->key, "divisor") == 0) {
            if (!read_number(n, "divisor", &w->divisor, err))
                return false;
            if (w->divisor <= 0)
                return err_found(err, n->at, "divisor", n->text, "more than 0");
        } else if (strcmp(n->key, "weights") == 0) {
            if (n->kind != YAML_MAP || !n->child_count)
                return err_at(err, n->at, "weights is not a map of features");
            for (u32 k = 0; k < n->child_count; k++) {
                if (!read_feature(w, &n->children[k], err))
                    return false;
            }
            if (!yaml_child(n, "one"))
                return err_at(err, n->at, "the weights have no `one`, the constant of the model");
        } else if (strcmp(n->key, "source") != 0) {
            return err_unknown(err, n->key_at, "key", n->key, keys, ARRAY_LEN(keys), NULL);
        }
    }
    return true;
}

bool weights_read_text(struct weights *w, const char *name, const char *text, size_t length,
                       struct err *err)
{
    struct arena arena = {0};
    *w = (struct weights){.divisor = PUBLISHED_DIVISOR};
    const struct yaml_node *root = yaml_read_text(&arena, name, text, length, err);
    bool ok = root && read_tree(w, root, err);
    arena_fini(&arena);
    return ok;
}

bool weights_read(struct weights *w, const char *name, struct err *err)
{
    *w = (struct weights){.divisor = PUBLISHED_DIVISOR};
    if (strcmp(name, PUBLISHED_WEIGHTS) == 0) {
        for (u32 i = 0; i < FEATURE_COUNT; i++) {
            w->alpha[i] = features[i].alpha;
            w->beta[i] = features[i].beta;
        }
        return true;
    }
    struct arena arena = {0};
    const struct yaml_node *root = yaml_read_file(&arena, name, err);
    bool ok = root && read_tree(w, root, err);
    arena_fini(&arena);
    return ok;
}

void weights_write(const struct weights *w, const char *source, struct text *out)
{
    text_printf(out, "source: \"");
    text_append_json(out, source);
    text_printf(out, "\"\ndivisor: %.17g\nweights:\n", w->divisor);
    for (u32 i = 0; i < FEATURE_COUNT; i++) {
        if (w->alpha[i] != 0 || w->beta[i] != 0)
            text_printf(out, "  %s: {n: %.17g, p: %.17g}\n", features[i].name, w->alpha[i],
                        w->beta[i]);
    }
}

/* ---- the link function ----------------------------------------------------------------------- */

static double within(double v, double lo, double hi)
{
    return v >= lo ? v <= hi ? v : hi : lo; /* what is not a number is lo */
}

static u32 rounded(double v, u32 most)
{
    return (u32)floor(within(v, 1, most) + 0.5); /* half up: spec A6 */
}

struct prediction weights_predict(const struct weights *w, const double x[FEATURE_COUNT],
                                  double clamp, double scale, u32 limit)
{
    struct prediction r = {0};
    for (u32 i = 0; i < FEATURE_COUNT; i++) {
        /* a feature without weight has no say, even if it is infinite */
        r.ln_n += w->alpha[i] != 0 ? w->alpha[i] * x[i] : 0;
        r.ln_p += w->beta[i] != 0 ? w->beta[i] * x[i] : 0;
    }
    double share = (double)limit / scale;
    r.n = rounded(exp(within(r.ln_n, -clamp, clamp)) * share, limit);
    r.p = rounded(exp(within(r.ln_p, -clamp, clamp)) * share, r.n);
    return r;
}

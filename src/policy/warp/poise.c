/*
 * Poise: every epoch, samples at (W, W) and (1, 1), a prediction of the tuple by
 * regression, and a local search around it (Dublish et al., HPCA 2019; Poise
 * spec 5). One inference engine per SM, driven by that SM's counters alone.
 */
#include "policy/warp/features.h"
#include "policy/warp/probe.h"

#include <math.h>
#include <string.h>

struct poise_config {
    const char *weights;
    double divisor, i_max, exponent_clamp;
    u32 t_period, t_warmup, t_feature, t_search, t_infer;
    u32 stride_n, stride_p, scale;
    bool remeasure, skip_short, samples_only;
};

enum poise_state { WARM_MAX, SAMPLE_MAX, WARM_MIN, SAMPLE_MIN, INFER, SEARCH, RUN };

struct poise_counts {
    u64 epochs, early_exits, short_skips, predictions, finals, abandoned, probes;
    u64 sample_cycles, search_cycles;
    u64 predicted_n, predicted_p, final_n, final_p, moved_n, moved_p, moved_thousandths;
};

#define KNOWN_KERNELS 256u /* for skip_short */

struct poise {
    struct tuple tuple;
    struct probe probe;
    enum poise_state state;
    cycle_t epoch, charged_to, kernel_start, last_change;
    struct warp_counters mark; /* at the start of a window */
    struct feature_sample at_most, at_least;
    struct weights weights;
    struct prediction predicted;
    u64 kernel; /* hash of the name of the one that runs */
    u64 known[KNOWN_KERNELS];
    u32 known_cycles[KNOWN_KERNELS]; /* that it took when it last ran */
    struct poise_counts counts;
};

/* clang-format off */
#define TABLE_IV "Dublish et al., HPCA 2019, table IV"
static const struct param poise_params[] = {
    P_FILE(poise_config, weights, PUBLISHED_WEIGHTS, "published, or a file that training wrote", "HPCA 2019, table II"),
    P_DOUBLE(poise_config, divisor, 0, 0, 1e12, "", "divisor of the feature memory_time; 0: as in the file of weights, 100000 for the published ones", "paper 10^4, thesis 10^5: Poise spec A1"),
    P_U32(poise_config, t_period, 200000, 1, 1000000000, "cycles", "an inference epoch", TABLE_IV),
    P_U32(poise_config, t_warmup, 2000, 0, 1000000000, "cycles", "time after a change of tuple before a window begins", TABLE_IV),
    P_U32(poise_config, t_feature, 10000, 1, 1000000000, "cycles", "a window that samples features", TABLE_IV),
    P_U32(poise_config, t_search, 4000, 1, 1000000000, "cycles", "a window of the local search", TABLE_IV),
    P_U32(poise_config, t_infer, 0, 0, 1000000000, "cycles", "time to compute a prediction, from the end of the feature windows to its use", "assumed: idle ALU slots"),
    P_DOUBLE(poise_config, i_max, 49, 0, 1e9, "", "instructions between loads above which the SM stays at (W,W)", TABLE_IV),
    P_U32(poise_config, stride_n, 2, 0, 64, "warps", "first stride of the search along N; 0: no search", TABLE_IV),
    P_U32(poise_config, stride_p, 4, 0, 64, "warps", "first stride of the search along p; 0: no search", TABLE_IV),
    P_BOOL(poise_config, remeasure, false, "the search measures a point again that it has measured before", "assumed: Poise spec A8"),
    P_U32(poise_config, scale, 24, 1, 64, "warps", "warps per scheduler that the weights were trained for; other occupancies are scaled", "HPCA 2019: trained for 24"),
    P_DOUBLE(poise_config, exponent_clamp, 10, 0, 700, "", "bounds ln N and ln p from both sides", "assumed: Poise spec 5"),
    P_BOOL(poise_config, samples_only, false, "only sample: run the two windows of each epoch, however rare loads are, then (W,W) until the epoch ends (for training)", "assumed: Poise spec 4.3 item 4"),
    P_BOOL(poise_config, skip_short, false, "a kernel that was over before its prediction when it last ran stays at (W,W)", "assumed: ablation of Poise spec A18"),
    P_END,
};

static const struct stat_def poise_stats[] = {
    TUPLE_STATS(poise),
#define COUNT(field, u, text) {.name = #field, .kind = STAT_COUNT, .offset = S_AT(poise, counts.field), .unit = u, .meaning = text}
#define MEAN(id, sum, over, text) {.name = #id, .kind = STAT_RATIO, .offset = S_AT(poise, counts.sum), .offset_over = S_AT(poise, counts.over), .unit = "warps", .meaning = text}
    COUNT(epochs, "epochs", "epochs begun"),
    COUNT(early_exits, "epochs", "epochs left at (W,W) because loads are rare"),
    COUNT(short_skips, "epochs", "epochs left at (W,W) because the kernel is known to be short"),
    COUNT(predictions, "tuples", "tuples predicted"),
    COUNT(finals, "tuples", "tuples found by completed searches"),
    COUNT(abandoned, "searches", "searches cut short by the end of the epoch or kernel"),
    COUNT(probes, "windows", "windows measured by searches, including those cut short"),
    COUNT(sample_cycles, "cycles", "total cycles from the start of an epoch to its prediction, or to its end if earlier"),
    COUNT(search_cycles, "cycles", "cycles of searches, including those cut short"),
    COUNT(predicted_n, "warps", "sum of predicted N"),
    COUNT(predicted_p, "warps", "sum of predicted p"),
    COUNT(final_n, "warps", "sum of N at the end of searches"),
    COUNT(final_p, "warps", "sum of p at the end of searches"),
    COUNT(moved_n, "warps", "total distance along N between prediction and end"),
    COUNT(moved_p, "warps", "total distance along p between prediction and end"),
    COUNT(moved_thousandths, "warps/1000", "total straight-line distance between prediction and end"),
    MEAN(mean_predicted_n, predicted_n, predictions, "mean predicted N"),
    MEAN(mean_predicted_p, predicted_p, predictions, "mean predicted p"),
    MEAN(mean_moved_n, moved_n, finals, "mean distance along N between prediction and end"),
    MEAN(mean_moved_p, moved_p, finals, "mean distance along p between prediction and end"),
#undef COUNT
#undef MEAN
    S_END,
};
/* clang-format on */

/* The next moment, unless the epoch is over before. */
static void wake(struct warp_policy *p, cycle_t at)
{
    struct poise *s = p->state;
    const struct poise_config *c = p->config;
    p->alarm = min_u64(at, s->epoch + c->t_period);
}

/* Time up to now goes to what the engine was at. */
static void charge(struct poise *s, cycle_t at)
{
    cycle_t spent = at - s->charged_to;
    if (s->state == SEARCH)
        s->counts.search_cycles += spent;
    else if (s->state != RUN)
        s->counts.sample_cycles += spent;
    s->charged_to = at;
}

static void begin_epoch(struct warp_policy *p, cycle_t at)
{
    struct poise *s = p->state;
    const struct poise_config *c = p->config;
    charge(s, at);
    s->counts.abandoned += s->state == SEARCH;
    s->counts.epochs++;
    s->epoch = at;
    s->state = WARM_MAX;
    tuple_set(p, &s->tuple, s->tuple.limit, s->tuple.limit, at);
    wake(p, at + c->t_warmup);
}

static void note_at(const struct warp_policy *p, const char *what, u32 n, u32 pollute, cycle_t at)
{
    const struct poise *s = p->state;
    p->host->note(p,
                  &(struct warp_note){
                      .cycle = at, .kernel = s->tuple.kernel, .what = what, .n = n, .p = pollute});
}

static u32 apart(u32 a, u32 b)
{
    return a > b ? a - b : b - a;
}

static void end_search(struct warp_policy *p, cycle_t at)
{
    struct poise *s = p->state;
    struct poise_counts *n = &s->counts;
    u32 dn = apart(s->tuple.n, s->predicted.n), dp = apart(s->tuple.p, s->predicted.p);
    charge(s, at);
    n->finals++;
    n->final_n += s->tuple.n;
    n->final_p += s->tuple.p;
    n->moved_n += dn;
    n->moved_p += dp;
    n->moved_thousandths += (u64)(1000 * sqrt((double)(dn * dn + dp * dp)) + 0.5);
    note_at(p, "final", s->tuple.n, s->tuple.p, at);
    s->state = RUN;
    wake(p, CYCLE_NEVER);
}

static void infer(struct warp_policy *p, cycle_t at)
{
    struct poise *s = p->state;
    const struct poise_config *c = p->config;
    double x[FEATURE_COUNT];
    feature_vector(&s->at_most, &s->at_least, s->weights.divisor, x);
    s->predicted =
        weights_predict(&s->weights, x, c->exponent_clamp, (double)c->scale, s->tuple.limit);
    u32 n = s->predicted.n, pollute = s->predicted.p;
    charge(s, at);
    s->counts.predictions++;
    s->counts.predicted_n += n;
    s->counts.predicted_p += pollute;
    note_at(p, "predicted", n, pollute, at);
    /* it is applied before the search */
    tuple_set(p, &s->tuple, n, pollute, at);
    s->state = SEARCH;
    s->probe.warmup_cycles = c->t_warmup;
    s->probe.sample_cycles = c->t_search;
    search_begin(&s->probe.search, n, pollute, s->tuple.limit, c->stride_n, c->stride_p,
                 c->remeasure);
    if (probe_next(p, &s->probe, &s->tuple, at))
        end_search(p, at);
    else
        wake(p, p->alarm);
}

static bool is_short(const struct poise *s, const struct poise_config *c)
{
    u32 i = (u32)(s->kernel % KNOWN_KERNELS);
    return s->known[i] == s->kernel && s->known_cycles[i] < 2 * (c->t_warmup + c->t_feature);
}

/* The sample at (W, W) is there: is (1, 1) worth visiting? */
static void judge(struct warp_policy *p, cycle_t at)
{
    struct poise *s = p->state;
    const struct poise_config *c = p->config;
    bool exits = s->at_most.work > c->i_max && !c->samples_only,
         skips = !exits && c->skip_short && is_short(s, c);
    s->counts.early_exits += exits;
    s->counts.short_skips += skips;
    if (exits || skips) {
        charge(s, at);
        note_at(p, exits ? "early exit" : "short", s->tuple.n, s->tuple.p, at);
        s->state = RUN;
        wake(p, CYCLE_NEVER);
        return;
    }
    s->state = WARM_MIN;
    tuple_set(p, &s->tuple, 1, 1, at);
    wake(p, at + c->t_warmup);
}

static void open_window(struct warp_policy *p, cycle_t at)
{
    struct poise *s = p->state;
    const struct poise_config *c = p->config;
    p->host->counters(p, &s->mark);
    s->state++;
    wake(p, at + c->t_feature);
}

static struct feature_sample close_window(struct warp_policy *p)
{
    const struct poise *s = p->state;
    struct warp_counters now;
    p->host->counters(p, &now);
    p->host->sampled(p, s->state == SAMPLE_MIN, &s->mark, &now);
    return feature_sample(&s->mark, &now);
}

static void poise_ring(struct warp_policy *p, cycle_t at)
{
    struct poise *s = p->state;
    const struct poise_config *c = p->config;
    if (at >= s->epoch + c->t_period) {
        begin_epoch(p, at);
        return;
    }
    switch (s->state) {
    case WARM_MAX:
    case WARM_MIN:
        open_window(p, at);
        return;
    case SAMPLE_MAX:
        s->at_most = close_window(p);
        judge(p, at);
        return;
    case SAMPLE_MIN:
        s->at_least = close_window(p);
        if (c->samples_only) {
            charge(s, at);
            s->state = RUN;
            tuple_set(p, &s->tuple, s->tuple.limit, s->tuple.limit, at);
            wake(p, CYCLE_NEVER);
            return;
        }
        s->state = INFER;
        wake(p, at + c->t_infer);
        return;
    case INFER:
        infer(p, at);
        return;
    case SEARCH:
        s->counts.probes += s->probe.samples; /* its window is over */
        if (probe_ring(p, &s->probe, &s->tuple, at))
            end_search(p, at);
        else
            wake(p, p->alarm);
        return;
    case RUN:
        wake(p, CYCLE_NEVER);
        return;
    }
}

static u64 hash_name(const char *name)
{
    u64 h = 1469598103934665603u; /* FNV-1a */
    for (; *name; name++)
        h = (h ^ (u8)*name) * 1099511628211u;
    return h | 1; /* 0: nobody */
}

static void remember_length(struct poise *s)
{
    u32 i = (u32)(s->kernel % KNOWN_KERNELS);
    s->known[i] = s->kernel;
    s->known_cycles[i] = (u32)min_u64(s->last_change - s->kernel_start, UINT32_MAX);
}

static void poise_kernel(struct warp_policy *p, const struct warp_kernel *k)
{
    struct poise *s = p->state;
    cycle_t now = *p->view->now;
    if (s->kernel)
        remember_length(s);
    s->kernel = hash_name(k->name);
    s->kernel_start = now;
    tuple_kernel(p, &s->tuple, k, k->limit, k->limit);
    begin_epoch(p, now);
}

static void poise_changed(struct warp_policy *p)
{
    struct poise *s = p->state;
    s->last_change = *p->view->now;
    tuple_update(p, &s->tuple);
}

static void poise_settled(struct warp_policy *p, cycle_t now)
{
    charge(p->state, now);
    tuple_settled(p, now);
}

static bool poise_init(struct warp_policy *p, struct arena *arena, struct err *err)
{
    (void)arena;
    struct poise *s = p->state;
    const struct poise_config *c = p->config;
    s->state = RUN;
    if (!weights_read(&s->weights, c->weights, err))
        return false;
    if (c->divisor > 0)
        s->weights.divisor = c->divisor;
    return true;
}

WARP_POLICY(poise) = {
    .version = POLICY_VERSION,
    .name = "poise",
    .source = "Dublish, Nagarajan, Topham: Poise, HPCA 2019",
    .params = poise_params,
    .config_bytes = sizeof(struct poise_config),
    .state_bytes = sizeof(struct poise),
    .stats = poise_stats,
    .init = poise_init,
    .pick = tuple_pick,
    .settle = poise_settled,
    .changed = poise_changed,
    .kernel = poise_kernel,
    .ring = poise_ring,
    .samples = true,
};

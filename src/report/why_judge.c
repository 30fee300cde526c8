/* What bounds a kernel: rules over facts and measured gains. */
#include "report/why.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A gain below this is no reason: runs differ by a few percent for the order of warps alone
 * (bandwidth-and-ccn spec P1: 3 %). */
#define WORTH 1.10
#define CONTENDED 1.5
#define HALF 0.5

struct view {
    const struct why *why;
    const struct why_row *row;
    struct why_costs costs;
};

static double of(const struct view *v, const char *id)
{
    double value = fact_of(v->why, v->row, id);
    return isnan(value) ? 0 : value;
}

/* ---- conditions ---- */

/* Contention comes first where it costs much, or as much as latency: what is without latency cannot
 * be built, and more loads under way help only where there is room for them. */
static bool is_contended(const struct view *v)
{
    double contention = v->costs.dram * v->costs.path;
    return contention >= WORTH && (contention >= CONTENDED || contention >= v->costs.latency);
}

static bool is_dram(const struct view *v)
{
    return is_contended(v) && v->costs.dram >= WORTH && v->costs.dram >= v->costs.path;
}

static bool is_dram_bandwidth(const struct view *v)
{
    return is_dram(v) && of(v, "dram_use") >= 0.6;
}

static bool is_congested(const struct view *v)
{
    return is_contended(v) && v->costs.path >= WORTH && v->costs.path > v->costs.dram;
}

/* Where most of the L2's stalls come from; small ones say nothing. */
static bool l2_is(const struct view *v, const char *cause)
{
    static const char *const causes[] = {"l2_bp_icnt", "l2_bp_dram", "l2_port", "l2_cache",
                                         "l2_mshr"};
    if (!is_congested(v) || of(v, "l2_stalled") < 0.02)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(causes); i++) {
        if (of(v, causes[i]) > of(v, cause))
            return false;
    }
    return true;
}

static bool is_replies(const struct view *v)
{
    return l2_is(v, "l2_bp_icnt");
}

static bool is_dram_queues(const struct view *v)
{
    return l2_is(v, "l2_bp_dram");
}

static bool is_ports(const struct view *v)
{
    return l2_is(v, "l2_port");
}

static bool is_l2_lines(const struct view *v)
{
    return l2_is(v, "l2_cache") || l2_is(v, "l2_mshr");
}

/* Requests do not reach the L2 as fast as they come. */
static bool is_requests(const struct view *v)
{
    return is_congested(v) && of(v, "l1_stalled") >= 0.05 && of(v, "l1_bp_l2") >= HALF;
}

static bool is_latency(const struct view *v)
{
    return !is_dram(v) && !is_congested(v) && v->costs.latency >= WORTH;
}

static bool is_few_warps(const struct view *v)
{
    return is_latency(v) && of(v, "no_warp") > HALF;
}

/* The L1 cannot have more misses under way: loads that could go wait in front of it. */
static bool l1_is_full(const struct view *v, const char *cause)
{
    return is_latency(v) && of(v, "l1_stalled") >= 0.2 && of(v, cause) >= of(v, "l1_mshr") &&
           of(v, cause) >= of(v, "l1_cache") && of(v, cause) >= of(v, "l1_bp_l2");
}

static bool is_mshrs(const struct view *v)
{
    return l1_is_full(v, "l1_mshr");
}

static bool is_l1_sets(const struct view *v)
{
    return l1_is_full(v, "l1_cache");
}

static bool is_parallelism(const struct view *v)
{
    return of(v, "no_warp") > HALF;
}

static bool is_issue(const struct view *v)
{
    return of(v, "issue_use") >= 0.8;
}

static bool is_conflicts(const struct view *v)
{
    return of(v, "shared_use") > HALF && of(v, "passes") > 1.5;
}

static bool is_shared(const struct view *v)
{
    return of(v, "shared_use") > HALF;
}

static bool slot_is(const struct view *v, const char *class)
{
    static const char *const classes[] = {"fetch",          "data_mem",       "data_alu",
                                          "structural_mem", "structural_alu", "barrier"};
    for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
        if (of(v, classes[i]) > of(v, class))
            return false;
    }
    return of(v, class) > 0;
}

/* Most of the time, whatever memory costs besides. */
static bool is_mostly_units(const struct view *v)
{
    return of(v, "structural_alu") >= HALF;
}

/* Code comes through the same memory. */
static bool is_code(const struct view *v)
{
    return v->costs.all >= WORTH && slot_is(v, "fetch");
}

static bool is_units(const struct view *v)
{
    return slot_is(v, "structural_alu");
}

static bool is_arithmetic_latency(const struct view *v)
{
    return slot_is(v, "data_alu");
}

static bool is_barriers(const struct view *v)
{
    return slot_is(v, "barrier");
}

static bool is_fetch(const struct view *v)
{
    return slot_is(v, "fetch");
}

static bool is_l1(const struct view *v)
{
    return slot_is(v, "data_mem") || slot_is(v, "structural_mem");
}

static bool always(const struct view *v)
{
    (void)v;
    return true;
}

/* ---- rules ---- */

/* The first that holds names the bound. Where arithmetic is not busy most of the time, gains come
 * before stalls: a stall is a symptom, and what a kernel gains when the thing is made ideal is what
 * the thing costs. */
static const struct rule {
    const char *id;
    bool (*holds)(const struct view *v);
    const char *bound;
    const char *facts[MOST_CITED + 1];
} rules[] = {
    {"issue", is_issue, "arithmetic: instruction throughput", {"issue_use", "issued"}},
    {"units-most",
     is_mostly_units,
     "arithmetic: execution units",
     {"structural_alu", "issue_use", "issued"}},
    {"code",
     is_code,
     "instruction fetch: the code misses the instruction cache and waits for the L2",
     {"fetch", "issued", "issue_use"}},
    {"dram-bandwidth",
     is_dram_bandwidth,
     "bandwidth of DRAM",
     {"dram_use", "dram_efficiency", "l2_hits", "dram_queue_full"}},
    {"dram",
     is_dram,
     "DRAM: latency, rows and banks more than its bandwidth",
     {"dram_use", "dram_efficiency", "dram_queue_full", "l2_hits"}},
    {"replies",
     is_replies,
     "the path between L1 and L2: replies, the L2's banks wait for the reply network",
     {"l2_bp_icnt", "reply_use", "structural_mem", "data_mem"}},
    {"dram-queues",
     is_dram_queues,
     "the path from L2 to DRAM: misses wait for room in its queues",
     {"l2_bp_dram", "l2_hits", "dram_queue_full", "dram_use"}},
    {"l2-ports",
     is_ports,
     "the path between L1 and L2: data ports of the L2's banks",
     {"l2_port", "l2_stalled", "structural_mem", "data_mem"}},
    {"l2-lines",
     is_l2_lines,
     "the L2: more misses than its sets or MSHRs hold",
     {"l2_cache", "l2_mshr", "l2_stalled", "l2_hits"}},
    {"requests",
     is_requests,
     "the path from L1 to L2: requests wait for the request network",
     {"l1_bp_l2", "l1_stalled", "request_use", "structural_mem", "data_mem"}},
    {"congestion",
     is_congested,
     "the path between L1 and L2: requests and replies wait for each other",
     {"data_mem", "structural_mem", "l2_hit_latency", "l1_stalled", "request_use"}},
    {"few-warps",
     is_few_warps,
     "parallelism: too few warps for the chip, and each waits out the latency of memory",
     {"no_warp", "data_mem", "miss_latency", "l1_hits"}},
    {"mshrs",
     is_mshrs,
     "MSHRs of the L1: it cannot have enough misses under way to hide the latency",
     {"l1_mshr", "l1_stalled", "miss_latency", "l1_hits", "structural_mem"}},
    {"l1-sets",
     is_l1_sets,
     "sets of the L1: misses under way reserve all their lines, the latency cannot be hidden",
     {"l1_cache", "l1_stalled", "miss_latency", "l1_hits", "structural_mem"}},
    {"latency",
     is_latency,
     "latency of memory: too few independent loads to hide it, even without congestion",
     {"data_mem", "structural_mem", "miss_latency", "no_warp", "l1_hits"}},
    {"parallelism",
     is_parallelism,
     "parallelism: too few warps for the chip",
     {"no_warp", "issued", "issue_use"}},
    {"conflicts", is_conflicts, "bank conflicts of shared memory", {"passes", "shared_use"}},
    {"shared", is_shared, "throughput of shared memory", {"shared_use", "passes"}},
    {"units", is_units, "arithmetic: execution units", {"structural_alu", "issue_use", "issued"}},
    {"arithmetic-latency",
     is_arithmetic_latency,
     "arithmetic: latency, too few independent instructions to hide it",
     {"data_alu", "issue_use", "no_warp"}},
    {"barriers", is_barriers, "barriers", {"barrier", "issue_use"}},
    {"fetch", is_fetch, "instruction fetch", {"fetch", "issue_use"}},
    {"l1",
     is_l1,
     "the L1 and the load/store unit themselves, not the memory behind them",
     {"structural_mem", "data_mem", "lines_per_load", "l1_hits"}},
    {"none", always, "nothing in particular", {"issued", "issue_use"}},
};

/* What a programmer can do something about, whatever the bound is. */
static const struct remark_rule {
    const char *fact;
    double limit;
    bool is_above;
    const char *advice;
} remark_rules[] = {
    {"lines_per_load", 4, true, "lanes that read neighbouring words would need fewer requests"},
    {"active_lanes", 24, false,
     "lanes are idle: branches that diverge, or blocks that are no "
     "multiple of 32 threads"},
    {"passes", 1.5, true, "another layout in shared memory would avoid bank conflicts"},
    {"no_warp", 0.4, true,
     "more or smaller blocks, or fewer and longer kernels, would fill the "
     "SMs"},
    {"barrier", 0.2, true, "fewer barriers, or more blocks on an SM, would help"},
    {"fetch", 0.2, true, "the code does not fit into the instruction cache"},
};

/* ---- the judgement ---- */

static void cite(const struct view *v, const struct rule *rule, struct why_verdict *out)
{
    for (u32 i = 0; rule->facts[i]; i++) {
        const struct fact *f = fact_find(rule->facts[i]);
        double value = fact_value(f, v->why, v->row);
        if (!isnan(value) && value > 0)
            out->cited[out->cited_count++] = f;
    }
}

static void remark(const struct view *v, struct why_verdict *out)
{
    for (size_t i = 0; i < ARRAY_LEN(remark_rules); i++) {
        const struct remark_rule *r = &remark_rules[i];
        double value = fact_of(v->why, v->row, r->fact);
        if (!isnan(value) && (r->is_above ? value > r->limit : value < r->limit))
            out->remarks[out->remark_count++] = (struct why_remark){fact_find(r->fact), r->advice};
    }
}

static int best_first(const void *a, const void *b)
{
    const struct why_gain_row *x = a, *y = b;
    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    return x->variant < y->variant ? -1 : 1;
}

static void sort_gains(const struct view *v, struct why_verdict *out)
{
    for (u32 i = 0; i < v->why->variant_count; i++) {
        const struct whatif *w = v->why->variants[i].whatif;
        double gain = why_gain(v->why, v->row, w->id);
        if (w->kind == WHATIF_CHANGE && !isnan(gain))
            out->gains[out->gain_count++] = (struct why_gain_row){i, gain};
    }
    qsort(out->gains, out->gain_count, sizeof out->gains[0], best_first);
}

/* A rung that the chip already is on counts as the one below. */
static double rung(const struct why *why, const struct why_row *row, const char *id, double below)
{
    double gain = why_gain(why, row, id);
    for (u32 i = 0; i < why->variant_count; i++) {
        const struct why_variant *v = &why->variants[i];
        if (strcmp(v->whatif->id, id) == 0 && !v->point)
            return below;
    }
    return gain;
}

static struct why_costs costs_of(const struct why *why, const struct why_row *row)
{
    double p_dram = rung(why, row, "fixed-dram", 1);
    double p_inf = rung(why, row, "infinite", p_dram), all = rung(why, row, "perfect", p_inf);
    return (struct why_costs){p_dram, p_inf / p_dram, all / p_inf, all};
}

void why_judge(const struct why *why, const struct why_row *row, struct why_verdict *out)
{
    struct view v = {.why = why, .row = row, .costs = costs_of(why, row)};
    *out = (struct why_verdict){.row = row, .costs = v.costs};
    const struct rule *rule = rules;
    while (!rule->holds(&v))
        rule++;
    out->rule = rule->id;
    out->bound = rule->bound;
    cite(&v, rule, out);
    remark(&v, out);
    sort_gains(&v, out);
}

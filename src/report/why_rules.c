/* The rules that name a bound. */
#include "report/why_rules.h"

#include "views/gpu_bound.h"
#include "machine/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORTH 1.10
#define CONTENDED 1.5
#define HALF 0.5

double why_fact(const struct why_view *v, const char *id)
{
    double value = fact_of(v->why, v->row, id);
    return isnan(value) ? 0 : value;
}

bool why_always(const struct why_view *v)
{
    (void)v;
    return true;
}

/* ---- conditions ---- */

/* Contention comes first where it costs much, or as much as latency: what is without latency cannot
 * be built, and more loads under way help only where there is room for them. */
static bool is_contended(const struct why_view *v)
{
    double contention = v->costs.dram * v->costs.path;
    return contention >= WORTH && (contention >= CONTENDED || contention >= v->costs.latency);
}

static bool is_dram(const struct why_view *v)
{
    return is_contended(v) && v->costs.dram >= WORTH && v->costs.dram >= v->costs.path;
}

static bool is_dram_bandwidth(const struct why_view *v)
{
    return is_dram(v) && why_fact(v, "dram_use") >= 0.6;
}

static bool is_congested(const struct why_view *v)
{
    return is_contended(v) && v->costs.path >= WORTH && v->costs.path > v->costs.dram;
}

/* The part of the path whose widening was measured to help most; NULL: none helps, or was tried. */
static const char *best_part(const struct why_view *v)
{
    static const char *const parts[] = {"replies-x2", "requests-x2", "ports-x2"};
    const char *best = NULL;
    double most = CONFIRMS;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        double gain = why_gain(v->why, v->row, parts[i]);
        if (gain >= most) {
            most = gain;
            best = parts[i];
        }
    }
    return best;
}

static bool part_is(const struct why_view *v, const char *part)
{
    const char *best = is_congested(v) ? best_part(v) : NULL;
    return best && strcmp(best, part) == 0;
}

static bool is_replies(const struct why_view *v)
{
    return part_is(v, "replies-x2");
}

static bool is_requests(const struct why_view *v)
{
    return part_is(v, "requests-x2");
}

static bool is_ports(const struct why_view *v)
{
    return part_is(v, "ports-x2");
}

/* Where most of the L2's stalls come from; small ones say nothing. */
static bool l2_is(const struct why_view *v, const char *cause)
{
    static const char *const causes[] = {"l2_bp_icnt", "l2_bp_dram", "l2_port", "l2_cache",
                                         "l2_mshr"};
    if (!is_congested(v) || why_fact(v, "l2_stalled") < 0.02)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(causes); i++) {
        if (why_fact(v, causes[i]) > why_fact(v, cause))
            return false;
    }
    return true;
}

static bool waits_for_replies(const struct why_view *v)
{
    return l2_is(v, "l2_bp_icnt");
}

static bool waits_for_dram(const struct why_view *v)
{
    return l2_is(v, "l2_bp_dram");
}

static bool waits_for_ports(const struct why_view *v)
{
    return l2_is(v, "l2_port");
}

static bool waits_for_lines(const struct why_view *v)
{
    return l2_is(v, "l2_cache") || l2_is(v, "l2_mshr");
}

/* Requests do not reach the L2 as fast as they come. */
static bool waits_for_requests(const struct why_view *v)
{
    return is_congested(v) && why_fact(v, "l1_stalled") >= 0.05 && why_fact(v, "l1_bp_l2") >= HALF;
}

static bool is_latency(const struct why_view *v)
{
    return !is_dram(v) && !is_congested(v) && v->costs.latency >= WORTH;
}

static bool is_few_warps(const struct why_view *v)
{
    return is_latency(v) && why_fact(v, "no_warp") > HALF;
}

/* The L1 cannot have more misses under way: loads that could go wait in front of it. */
static bool l1_is_full(const struct why_view *v, const char *cause)
{
    return is_latency(v) && why_fact(v, "l1_stalled") >= 0.2 &&
           why_fact(v, cause) >= why_fact(v, "l1_mshr") &&
           why_fact(v, cause) >= why_fact(v, "l1_cache") &&
           why_fact(v, cause) >= why_fact(v, "l1_bp_l2");
}

static bool is_mshrs(const struct why_view *v)
{
    return l1_is_full(v, "l1_mshr");
}

static bool is_l1_sets(const struct why_view *v)
{
    return l1_is_full(v, "l1_cache");
}

static bool is_parallelism(const struct why_view *v)
{
    return why_fact(v, "no_warp") > HALF;
}

static bool is_issue(const struct why_view *v)
{
    return why_fact(v, "issue_use") >= 0.8;
}

static bool is_conflicts(const struct why_view *v)
{
    return why_fact(v, "shared_use") > HALF && why_fact(v, "passes") > 1.5;
}

static bool is_shared(const struct why_view *v)
{
    return why_fact(v, "shared_use") > HALF;
}

/* Most of the idle time of tensor cores that go on by themselves, and much of all. */
static bool tensor_is(const struct why_view *v, const char *share)
{
    static const char *const shares[] = {"tensor_copies", "tensor_products", "tensor_warps",
                                         "tensor_other"};
    for (size_t i = 0; i < ARRAY_LEN(shares); i++) {
        if (why_fact(v, shares[i]) > why_fact(v, share))
            return false;
    }
    return why_fact(v, share) >= 0.25;
}

static bool is_tensor(const struct why_view *v)
{
    return why_fact(v, "tensor_use") >= 0.8;
}

static bool is_tensor_copies(const struct why_view *v)
{
    return tensor_is(v, "tensor_copies");
}

static bool is_tensor_products(const struct why_view *v)
{
    return tensor_is(v, "tensor_products");
}

static bool is_tensor_warps(const struct why_view *v)
{
    return tensor_is(v, "tensor_warps");
}

static bool is_tensor_other(const struct why_view *v)
{
    return tensor_is(v, "tensor_other");
}

static bool slot_is(const struct why_view *v, const char *class)
{
    static const char *const classes[] = {"fetch",          "data_mem",       "data_alu",
                                          "structural_mem", "structural_alu", "barrier"};
    for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
        if (why_fact(v, classes[i]) > why_fact(v, class))
            return false;
    }
    return why_fact(v, class) > 0;
}

/* Most of the time, whatever memory costs besides. */
static bool is_mostly_units(const struct why_view *v)
{
    return why_fact(v, "structural_alu") >= HALF;
}

/* Code comes through the same memory. */
static bool is_code(const struct why_view *v)
{
    return v->costs.all >= WORTH && slot_is(v, "fetch");
}

static bool is_units(const struct why_view *v)
{
    return slot_is(v, "structural_alu");
}

static bool is_arithmetic_latency(const struct why_view *v)
{
    return slot_is(v, "data_alu");
}

static bool is_barriers(const struct why_view *v)
{
    return slot_is(v, "barrier");
}

static bool is_fetch(const struct why_view *v)
{
    return slot_is(v, "fetch");
}

static bool is_l1(const struct why_view *v)
{
    return slot_is(v, "data_mem") || slot_is(v, "structural_mem");
}

/* ---- what the statistics say ---- */

static u64 counted(const struct why *why, const struct why_row *row, const char *name)
{
    double value = why_value(why, row, name);
    return value > 0 ? (u64)value : 0;
}

static void count_array(const struct why *why, const struct why_row *row, const char *array,
                        const char *const *names, u32 count, u64 *out)
{
    for (u32 i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.%s", array, names[i]);
        out[i] = counted(why, row, name);
    }
}

/* The same numbers and the same function as in the run's summary. */
static int gpu_claim(const struct why *why, const struct why_row *row)
{
    struct gpu_counters t = {
        .cycles = counted(why, row, "cycles"),
        .shared_accesses = counted(why, row, "shared_accesses"),
        .shared_passes = counted(why, row, "shared_passes"),
        .dram_read_bytes = counted(why, row, "dram_read_bytes"),
        .dram_written_bytes = counted(why, row, "dram_written_bytes"),
    };
    struct capacities chip;
    capacities_of(model_of(why->chip.schema), why->chip.data, &chip);
    count_array(why, row, "scheduler_slots", slot_names, SLOT_COUNT, t.scheduler_slots);
    count_array(why, row, "l1_stall", l1_stall_names, L1_STALL_COUNT, t.l1_stall);
    count_array(why, row, "l2_stall", bank_stall_names, STALL_COUNT, t.l2_stall);
    const struct gpu_config *config = why->chip.data;
    return (int)gpu_bound(config, capacity_value(&chip, "peak_dram"), (double)config->sm.clock_hz,
                          &t);
}

/* ---- rules ---- */

/* clang-format off */
/* The first that holds names the bound. Where arithmetic is not busy most of the time, gains come
 * before stalls: a stall is a symptom, and what a kernel gains when the thing is made ideal or
 * wider is what the thing costs. Where no such run says it, stalls do. */
static const struct why_rule rules[] = {
    WHY_RULE("issue", is_issue, "arithmetic: instruction throughput", "issue_use", "issued") BY_NOTHING,
    WHY_RULE("tensor", is_tensor, "arithmetic: tensor cores", "tensor_use", "tensor_busy", "issue_use") BY_NOTHING,
    WHY_RULE("units-most", is_mostly_units, "arithmetic: execution units", "structural_alu", "issue_use", "issued") BY("units-x2"),
    WHY_RULE("code", is_code, "instruction fetch: the code misses the instruction cache and waits for the L2",
         "fetch", "issued", "issue_use") BY_NOTHING,

    WHY_CLAIM("dram-bandwidth", DRAM, "dram_use", "dram_efficiency", "l2_hits", "dram_queue_full")
        BY("dram-x4", "l2-dram-x4", "replies-dram", "fixed-dram"),
    WHY_CLAIM("dram", L2_DRAM, "l2_bp_dram", "l2_hits", "dram_queue_full", "dram_use") BY("dram-x4", "l2-dram-x4"),
    WHY_CLAIM("mshrs", L1_MSHRS, "l1_mshr", "l1_stalled", "miss_latency", "l1_hits", "structural_mem") BY("l1-x4"),
    WHY_CLAIM("l1-sets", L1_SETS, "l1_cache", "l1_stalled", "miss_latency", "l1_hits", "structural_mem")
        BY("l1-index", "l1-ways", "l1-size"),
    WHY_CLAIM("replies", L2_REPLIES, "l2_bp_icnt", "reply_use", "structural_mem", "data_mem", "l1_hits") BY("replies-x2"),
    WHY_CLAIM("ports", L2_PORTS, "l2_port", "l2_stalled", "structural_mem", "data_mem", "l1_hits") BY("ports-x2"),

    WHY_RULE("dram-bandwidth", is_dram_bandwidth, "DRAM bandwidth", "dram_use", "dram_efficiency", "l2_hits", "dram_queue_full")
        BY("dram-x4", "l2-dram-x4", "fixed-dram"),
    WHY_RULE("dram", is_dram, "DRAM: latency, rows and banks more than its bandwidth",
         "dram_use", "dram_efficiency", "dram_queue_full", "l2_hits") BY("dram-x4", "l2-dram-x4", "fixed-dram"),
    WHY_RULE("replies", is_replies, "the path between L1 and L2: width of the replies",
         "reply_use", "l2_bp_icnt", "structural_mem", "data_mem", "l1_hits") BY("replies-x2"),
    WHY_RULE("requests", is_requests, "the path from L1 to L2: width of the requests",
         "request_use", "l1_bp_l2", "structural_mem", "data_mem") BY("requests-x2"),
    WHY_RULE("ports", is_ports, "the path between L1 and L2: width of the data ports of the L2's banks",
         "l2_port", "l2_stalled", "structural_mem", "data_mem", "l1_hits") BY("ports-x2"),
    WHY_RULE("path-replies", waits_for_replies, "the path between L1 and L2; the L2's banks wait most for the reply network",
         "l2_bp_icnt", "l2_stalled", "structural_mem", "data_mem", "l1_hits") BY("replies-x2", "l2-x4", "replies-dram"),
    WHY_RULE("path-dram", waits_for_dram, "the path from L2 to DRAM; misses wait most for room in its queues",
         "l2_bp_dram", "l2_hits", "dram_queue_full", "dram_use") BY("dram-x4", "l2-dram-x4"),
    WHY_RULE("path-ports", waits_for_ports, "the path between L1 and L2; the L2's banks wait most for their data ports",
         "l2_port", "l2_stalled", "structural_mem", "data_mem", "l1_hits") BY("ports-x2", "l2-x4"),
    WHY_RULE("path-lines", waits_for_lines, "the L2; it has more misses than its sets or MSHRs hold",
         "l2_cache", "l2_mshr", "l2_stalled", "l2_hits") BY("l2-x4", "l2-size"),
    WHY_RULE("path-requests", waits_for_requests, "the path from L1 to L2; misses wait most for the request network",
         "l1_bp_l2", "l1_stalled", "request_use", "structural_mem", "data_mem") BY("requests-x2", "l2-x4"),
    WHY_RULE("path", is_congested, "the path between L1 and DRAM", "data_mem", "structural_mem", "l2_hit_latency", "l1_stalled", "request_use")
        BY("l2-x4", "l2-dram-x4", "infinite"),
    WHY_RULE("tensor-copies", is_tensor_copies, "tensor cores idle: they wait for tensor copies (TMA)",
         "tensor_copies", "tensor_busy", "dram_use", "l2_hits") BY_NOTHING,
    WHY_RULE("tensor-products", is_tensor_products, "tensor cores idle: a warp group waits for its own products (wgmma.wait_group)",
         "tensor_products", "tensor_busy") BY_NOTHING,
    WHY_RULE("tensor-warps", is_tensor_warps, "tensor cores idle: warp groups wait for other warps at mbarriers",
         "tensor_warps", "tensor_busy") BY_NOTHING,
    WHY_RULE("tensor-other", is_tensor_other, "tensor cores idle: the warps that multiply do other work between products",
         "tensor_other", "tensor_busy", "issue_use") BY_NOTHING,
    WHY_RULE("few-warps", is_few_warps, "parallelism: too few warps for the chip, and each waits out the latency of memory",
         "no_warp", "data_mem", "miss_latency", "l1_hits") BY_NOTHING,
    WHY_RULE("mshrs", is_mshrs, "MSHRs of the L1: it cannot have enough misses under way to hide the latency",
         "l1_mshr", "l1_stalled", "miss_latency", "l1_hits", "structural_mem") BY("l1-x4"),
    WHY_RULE("l1-sets", is_l1_sets, "sets of the L1: misses under way reserve all their lines, the latency cannot be hidden",
         "l1_cache", "l1_stalled", "miss_latency", "l1_hits", "structural_mem") BY("l1-index", "l1-ways", "l1-size"),
    WHY_RULE("latency", is_latency, "latency of memory: too few independent loads to hide it, even without congestion",
         "data_mem", "structural_mem", "miss_latency", "no_warp", "l1_hits") BY_NOTHING,
    WHY_RULE("parallelism", is_parallelism, "parallelism: too few warps for the chip", "no_warp", "issued", "issue_use") BY_NOTHING,
    WHY_RULE("conflicts", is_conflicts, "bank conflicts of shared memory", "passes", "shared_use") BY_NOTHING,
    WHY_RULE("shared", is_shared, "throughput of shared memory", "shared_use", "passes") BY_NOTHING,
    WHY_RULE("units", is_units, "arithmetic: execution units", "structural_alu", "issue_use", "issued") BY("units-x2"),
    WHY_RULE("arithmetic-latency", is_arithmetic_latency, "arithmetic: latency, too few independent instructions to hide it",
         "data_alu", "issue_use", "no_warp") BY_NOTHING,
    WHY_RULE("barriers", is_barriers, "barriers", "barrier", "issue_use") BY_NOTHING,
    WHY_RULE("fetch", is_fetch, "instruction fetch", "fetch", "issue_use") BY_NOTHING,
    WHY_RULE("l1", is_l1, "the L1 and the load/store unit themselves, not the memory behind them",
         "structural_mem", "data_mem", "lines_per_load", "l1_hits") BY_NOTHING,
    WHY_RULE("none", why_always, "nothing in particular", "issued", "issue_use") BY_NOTHING,
};
/* clang-format on */

static const struct remark_rule remarks[] = {
    {"lines_per_load", 4, true, "lanes that read neighbouring words would need fewer requests"},
    {"active_lanes", 24, false,
     "lanes are idle: branches that diverge, or blocks that are no "
     "multiple of 32 threads"},
    {"passes", 1.5, true, "another layout in shared memory would avoid bank conflicts"},
    {"tensor_copies", 0.2, true,
     "more stages, or copies asked for earlier, would keep the tensor cores busy"},
    {"tensor_products", 0.2, true,
     "a second product under way, or a second warp group, would hide the latency of products"},
    {"no_warp", 0.4, true,
     "more or smaller blocks, or fewer and longer kernels, would fill the "
     "SMs"},
    {"barrier", 0.2, true, "fewer barriers, or more blocks on an SM, would help"},
    {"fetch", 0.2, true, "the code does not fit into the instruction cache"},
    {0},
};

const struct why_words why_gpu_words = {.rules = rules,
                                        .remarks = remarks,
                                        .private = "L1",
                                        .ladder = {"fixed-dram", "infinite", "perfect"},
                                        .claim = gpu_claim,
                                        .claims = gpu_bound_words};

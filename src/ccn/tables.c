#include "ccn/ccn.h"
#include "config/config.h"

const char *const ccn_mode_names[] = {"none", "ring", "ideal", "tracker", NULL};
static const char *const directions[] = {"opposite", "same", NULL};
static const char *const scopes[] = {"core", "chip", NULL};

/* clang-format off */
#define THESIS_4_3 "Dublish 2018, table 4.3"

static const struct param throttle_params[] = {
    P_BOOL(throttle_config, enabled, false, "a core stops asking when too few of its requests are answered (CCN-RT)", "Dublish 2018, 4.4.4"),
    P_U64(throttle_config, sample_instructions, 1000000, 1, (u64)1 << 60, "instructions", "sample at the start of every period, in instructions", THESIS_4_3),
    P_U64(throttle_config, period_instructions, 10000000, 1, (u64)1 << 60, "instructions", "instructions from one sample to the next; a short run needs both scaled down", THESIS_4_3),
    P_DOUBLE(throttle_config, least_hit_rate, 0.05, 0, 2, "ratio", "smallest share of answered requests in a sample for which the core continues to ask", THESIS_4_3),
    P_CHOICE(throttle_config, scope, THROTTLE_CORE, scopes, "scope of the instruction count", "assumed: bandwidth-and-ccn spec S15"),
    P_END,
};

const struct param ccn_params[] = {
    P_CHOICE(ccn_config, mode, CCN_NONE, ccn_mode_names, "other L1s answer load misses: never, over a ring, by an oracle, or in place of DRAM", "Dublish 2018, 4.4, 4.3, 4.6.2"),
    P_U32(ccn_config, buffer_entries, 8, 1, 255, "requests", "CCN buffer of a core; when it is full, misses go to L2", THESIS_4_3),
    P_U32(ccn_config, request_entries, 8, 2, 255, "requests", "request queue of a core", THESIS_4_3),
    P_U32(ccn_config, response_entries, 8, 1, 255, "lines", "response queue of a core", THESIS_4_3),
    P_U32(ccn_config, link_cycles, 1, 1, 255, "cycles", "core cycles from one node to the next", THESIS_4_3),
    P_U32(ccn_config, response_bytes, 32, 1, 1024, "bytes", "width of a response link", THESIS_4_3),
    P_CHOICE(ccn_config, response_direction, CCN_OPPOSITE, directions, "direction of the response ring, relative to the request ring", "Dublish 2018, 4.4.2"),
    P_BOOL(ccn_config, cut_through, false, "a response is forwarded from its first part, without waiting for the rest", "assumed: bandwidth-and-ccn spec S15"),
    P_BOOL(ccn_config, owner_lru, true, "a remote hit counts as a use of the line in its L1", "assumed: bandwidth-and-ccn spec S15"),
    P_BOOL(ccn_config, shadow_tags, true, "remote lookups use a copy of the tags; if not, each costs the L1 an access", "Dublish 2018, 4.4.3"),
    P_GROUP(ccn_config, throttle, throttle_params, NULL, "request throttler of each core"),
    P_U32(ccn_config, ideal_cycles, 0, 0, 100000, "cycles", "latency from a miss to the line of another L1, with mode ideal", "Dublish 2018, figure 4.3"),
    P_U32(ccn_config, cluster_sms, 0, 0, 64, "SMs", "neighbouring SMs that share among themselves, with mode ideal (0: all)", "Dublish 2018, figure 4.17"),
    P_U32(ccn_config, tracker_cycles, 120, 1, 100000, "core cycles", "latency from an L2 miss to the line of an L1, with mode tracker", "assumed: as an L2 access"),
    P_END,
};

const struct stat_def ccn_stats[] = {
    S_COUNT(ccn_counts, eligible, "requests", "load misses eligible for the CCN (another L1 might answer them)"),
    S_COUNT(ccn_counts, ineligible, "requests", "load misses that are not eligible (local memory and textures)"),
    S_COUNT(ccn_counts, injected, "requests", "requests sent to the other L1s"),
    S_COUNT(ccn_counts, deflected, "requests", "requests sent to the L2 because the CCN buffer was full"),
    S_COUNT(ccn_counts, throttled, "requests", "requests sent to the L2 because the SM's CCN is switched off for this epoch"),
    S_COUNT(ccn_counts, unshared, "requests", "requests sent to the L2 because the oracle knew of no copy"),
    S_COUNT(ccn_counts, remote_hits, "requests", "requests answered by another L1"),
    S_COUNT(ccn_counts, returned, "requests", "requests that went round the ring unanswered and were sent to the L2"),
    S_RATIO(ccn_counts, hit_rate, remote_hits, injected, "share of the requests sent to other L1s that were answered"),
    S_FORMULA(coverage, "remote_hits / l1.misses", "ratio", "load misses answered by another L1 (h)"),
    S_COUNT(ccn_counts, probes, "requests", "requests from other SMs looked up in this SM's shadow tags"),
    S_COUNT(ccn_counts, lookups, "lookups", "lookups in this SM's shadow tags (a hit that must wait is looked up again)"),
    S_COUNT(ccn_counts, answers, "requests", "requests from other SMs answered by this SM's L1"),
    S_COUNT(ccn_counts, hops, "hops", "ring hops of answered requests, there and back"),
    S_COUNT(ccn_counts, failed_hops, "hops", "ring hops of requests that came back unanswered"),
    S_MEAN(ccn_counts, hops_per_hit, hops, remote_hits, "hops", "mean ring hops of an answered request, there and back"),
    S_COUNT(ccn_counts, reuse_cycles, "cycles", "total cycles from miss to fill of answered requests"),
    S_COUNT(ccn_counts, overhead_cycles, "cycles", "total cycles from miss to miss queue of requests that came back unanswered"),
    S_MEAN(ccn_counts, reuse_latency, reuse_cycles, remote_hits, "cycles", "mean cycles from a miss to its fill by another L1 (l_reuse)"),
    S_MEAN(ccn_counts, overhead_latency, overhead_cycles, returned, "cycles", "mean cycles from a miss to the miss queue of a request that came back unanswered (d_ovh)"),
    S_COUNT(ccn_counts, buffer_cycles, "cycles", "total cycles from miss to request queue of requests sent to the other L1s"),
    S_COUNT(ccn_counts, response_cycles, "cycles", "total cycles from the hit in the other L1 to the fill"),
    S_MEAN(ccn_counts, buffer_latency, buffer_cycles, injected, "cycles", "mean cycles from a miss to the request queue (1 without contention)"),
    S_MEAN(ccn_counts, response_latency, response_cycles, remote_hits, "cycles", "mean cycles from the hit in the other L1 to the fill (part of l_reuse)"),
    S_COUNT(ccn_counts, wait_response_cycles, "cycles", "cycles a hit in this L1 waited for the response queue"),
    S_COUNT(ccn_counts, wait_below_cycles, "cycles", "cycles a request that came back unanswered waited for the miss queue"),
    S_COUNT(ccn_counts, updates, "messages", "messages sent to the sharing tracker at the L2"),
    S_COUNT(ccn_counts, epochs_on, "epochs", "epochs whose sample left the CCN switched on"),
    S_COUNT(ccn_counts, epochs_off, "epochs", "epochs whose sample switched the CCN off"),
    S_LAW(misses, "eligible + ineligible == l1.misses", "every load miss is one or the other"),
    S_LAW(paths, "injected + deflected + throttled + unshared == eligible", "an eligible miss goes one way"),
    S_LAW(ends, "remote_hits + returned == injected", "a request ends in one way"),
    S_END,
};

const struct stat_def ring_stats[] = {
    S_COUNT(ring_counts, injected, "requests", "requests taken from the CCN buffers"),
    S_COUNT(ring_counts, delivered, "lines", "lines delivered to the SM that asked for them"),
    S_COUNT(ring_counts, returned, "requests", "requests that went round the ring unanswered"),
    S_COUNT(ring_counts, request_hops, "hops", "hops made by requests"),
    S_COUNT(ring_counts, response_hops, "hops", "hops made by lines"),
    S_LAW(ends, "delivered + returned == injected", "what enters the ring leaves it"),
    S_LAW(answers, "sm.ccn.answers == delivered", "every answer arrives"),
    S_LAW(hops, "request_hops + response_hops == sm.ccn.hops + sm.ccn.failed_hops", "the hops of the ring are those of its requests and lines"),
    S_END,
};
/* clang-format on */

bool ccn_check(const void *group, const struct config *config, struct err *err)
{
    const struct ccn_config *c = group;
    const struct throttle_config *t = &c->throttle;
    if (c->mode == CCN_NONE || t->sample_instructions <= t->period_instructions)
        return true;
    return err_at(err, config_pos(config, &t->sample_instructions),
                  "ccn.throttle.sample_instructions is %llu, expected at most the %llu "
                  "period_instructions",
                  (unsigned long long)t->sample_instructions,
                  (unsigned long long)t->period_instructions);
}

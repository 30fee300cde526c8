/*
 * What TAP adds to a division of the cache: does the GPU program run faster for what it has in it?
 * Lee 2013, chapter 4.
 *
 * Core sampling: SMs do the same work, so two of them are treated in opposite ways, and their
 * retired instructions compared; where they differ by less than a threshold the cache is of no use
 * to the program, whatever it hits. Life-time normalisation: XSRATIO is how many times more often
 * the GPU accesses the cache than the busiest program on CPU cores. A program on CPU cores that
 * streams (TAP-S) needs no cache either.
 *
 * A period has ten steps, so that the first of them, right after other SMs are sampled, can be left
 * out.
 */
#ifndef POLICY_LLC_CORE_SAMPLING_H
#define POLICY_LLC_CORE_SAMPLING_H

#include "policy/llc/umon.h"

#define SAMPLING_STEPS 10u
#define XSRATIO_MOST 1023u
#define XSRATIO_BITS 10u

struct sampling_config {
    u64 interval;
    u32 sampled_sets;
    bool core_sampling, rotate, lifetime, streams;
    double threshold_percent;
    u32 discard_percent, counter_bits, periods, reprobe_periods;
    u32 xs_threshold;
    double stream_hit_percent, stream_accesses;
    u32 stream_periods;
};

/* Rows of a table whose struct is or begins with a sampling_config. */
/* clang-format off */
#define SAMPLING_PARAMS                                                                                                                                                                      \
    P_U64(sampling_config, interval, 5000000, 1000, (u64)1 << 40, "cycles", "time from one decision to the next, in cycles of the cache", "as UCP"),                                               \
    P_U32(sampling_config, sampled_sets, 32, 1, 65536, "sets", "sets of the cache that are monitored", "as UCP"),                                                                               \
    P_BOOL(sampling_config, core_sampling, true, "two SMs are treated in opposite ways and compared", "Lee 2013, 4.4.1"),                                                                  \
    P_BOOL(sampling_config, rotate, false, "sample two other SMs in each interval", "assumed: Lee 2013, 4.4.1 says that they can"),                                                                   \
    P_DOUBLE(sampling_config, threshold_percent, 5, 0, 1000, "%", "smallest difference in instructions between the two sampled SMs that shows that the cache helps", "Lee 2013, 4.4.1"),                        \
    P_U32(sampling_config, discard_percent, 10, 0, 90, "%", "first part of an interval that does not count, where the sampled SMs rotate", "assumed"),                                                 \
    P_U32(sampling_config, counter_bits, 20, 8, 63, "bits", "bits of an instruction counter, which saturates", "Lee 2013, table 3"),                                          \
    P_U32(sampling_config, periods, 0, 0, 1u << 30, "intervals", "intervals after which sampling ends and all cores follow the plain policy (0: never)", "Lee 2013, 4.4.1: for SMs that wait for each other"), \
    P_U32(sampling_config, reprobe_periods, 0, 0, 1u << 30, "intervals", "one interval in this many ignores the result of sampling (0: none)", "assumed"),                              \
    P_BOOL(sampling_config, lifetime, true, "scale GPU accesses by XSRATIO (life-time normalisation)", "Lee 2013, 4.4.2"),                                                                                                          \
    P_U32(sampling_config, xs_threshold, 10, 1, 1000000, "", "ratio of GPU to CPU accesses from which on XSRATIO is not 1", "Lee 2013, 4.4.2"),                                       \
    P_BOOL(sampling_config, streams, false, "TAP-S: detect programs on CPU cores that stream", "Lee 2013, 4.7.3"),                                                                       \
    P_DOUBLE(sampling_config, stream_hit_percent, 5, 0, 100, "%", "hit rate of monitored accesses below which a program is taken to stream", "assumed"),                                             \
    P_DOUBLE(sampling_config, stream_accesses, 10, 0, 1e6, "accesses", "least accesses of a streaming program per 1,000 cycles of its own clock", "assumed"),                                \
    P_U32(sampling_config, stream_periods, 2, 1, 1000, "intervals", "consecutive intervals in which a program must stream", "assumed")
/* clang-format on */

struct sampling_counts {
    u64 periods, useful, useless, held, changes, masked, scaled, streaming;
    u64 reprobes, flips, latched;
    u64 delta_ppm, xsratio; /* of the last period */
    u64 bits;
};

/* clang-format off */
#define SAMPLING_STATS                                                                                                                      \
    S_COUNT(sampling_counts, periods, "intervals", "intervals completed"),                                                                           \
    S_COUNT(sampling_counts, useful, "intervals", "intervals in which the sampled SMs differed: the cache helps the GPU program"),             \
    S_COUNT(sampling_counts, useless, "intervals", "intervals in which the sampled SMs did not differ"),                                                                \
    S_COUNT(sampling_counts, held, "intervals", "intervals in which a sampled SM retired no instruction, so the previous answer holds"),                                 \
    S_COUNT(sampling_counts, changes, "intervals", "intervals whose answer differed from the previous one"),                                         \
    S_COUNT(sampling_counts, masked, "intervals", "intervals that ended with the mask set"),                                                          \
    S_COUNT(sampling_counts, reprobes, "intervals", "intervals run without the mask to test the cache again (reprobe_periods)"),    \
    S_COUNT(sampling_counts, flips, "intervals", "intervals without the mask in which the sampled SMs differed, so the mask was lifted"),                                    \
    S_COUNT(sampling_counts, scaled, "intervals", "intervals with XSRATIO above 1"),                                                                  \
    S_COUNT(sampling_counts, streaming, "programs", "streaming programs found on CPU cores, summed over intervals"),                                    \
    S_LEVEL(sampling_counts, delta_ppm, "ppm", "difference of the sampled SMs' instructions in the last interval"),              \
    S_LEVEL(sampling_counts, xsratio, "", "XSRATIO of the last interval"),                                                                          \
    S_LEVEL(sampling_counts, bits, "bits", "storage of core sampling: a count per SM, two SM numbers in each bank")
/* clang-format on */

struct sampling {
    struct umon_sums sums;
    u32 sm_count, turn;
    u64 from[2]; /* retired instructions of the sampled SMs when counting began */
    bool is_useful, is_on;
    bool is_reprobe; /* the period goes without the mask for once */
    u32 xsratio;
    u32 streamed[MOST_APPLICATIONS]; /* intervals one after the other */
    u32 streaming;                   /* programs, as bits */
    struct sampling_counts counts;
};

static inline cycle_t sampling_step_cycles(const struct sampling_config *c)
{
    return c->interval / SAMPLING_STEPS;
}

static inline cycle_t sampling_period(const struct sampling_config *c)
{
    return sampling_step_cycles(c) * SAMPLING_STEPS;
}

/* A count for each SM, and two numbers of SMs in each bank. */
static inline u64 sampling_bits(const struct llc_policy *p, const struct sampling_config *c)
{
    u32 sms = 0, id = 5; /* Lee 2013, table 3 */
    for (u32 i = 0; i < p->agent_count; i++)
        sms += p->agents[i].kind == AGENT_SM;
    while ((1u << id) < sms)
        id++;
    return (u64)sms * c->counter_bits + 2ull * id * p->banks;
}

static inline bool sampling_can(const struct llc_policy *p, u32 agent)
{
    return p->agents[agent].kind == AGENT_SM && p->agents[agent].retired;
}

/* What is known at the start. SMs of two programs cannot be compared. */
static inline bool sampling_init(struct sampling *s, const struct llc_policy *p,
                                 const struct sampling_config *c, struct err *err)
{
    u32 programs = (u32)__builtin_popcount(p->on_sms & ((1u << p->applications) - 1));
    if (programs > 1)
        return err_at(err, (struct src_pos){0},
                      "the shared cache's policy %s has %u programs on SMs, expected one, and "
                      "others on CPU cores",
                      p->ops->name, programs);
    for (u32 i = 0; i < p->agent_count; i++)
        s->sm_count += sampling_can(p, i);
    s->is_on = c->core_sampling && s->sm_count >= 2;
    s->is_useful = true;
    s->xsratio = 1;
    s->counts.bits = sampling_bits(p, c);
    s->counts.xsratio = 1;
    return true;
}

/* The agent of an SM by its number. */
static inline u32 sampling_sm(const struct llc_policy *p, u32 number)
{
    for (u32 i = 0; i < p->agent_count; i++) {
        if (sampling_can(p, i) && number-- == 0)
            return i;
    }
    return NO_AGENT;
}

static inline void sampling_choose(const struct sampling *s, const struct llc_policy *p,
                                   struct llc_plan *plan)
{
    for (u32 i = 0; i < 2; i++)
        plan->sampled[i] = s->is_on ? sampling_sm(p, (s->turn + i) % s->sm_count) : NO_AGENT;
}

static inline void sampling_begin_count(struct sampling *s, const struct llc_policy *p,
                                        const struct llc_plan *plan)
{
    for (u32 i = 0; i < 2; i++)
        s->from[i] = s->is_on ? *p->agents[plan->sampled[i]].retired : 0;
}

/* ---- the end of a period --------------------------------------------------------------------- */

/* Do the two SMs differ, the first without the cache's help, the second with it? */
static inline void sampling_compare(struct sampling *s, const struct llc_policy *p,
                                    const struct sampling_config *c, const struct llc_plan *plan)
{
    u64 counts[2], most = ((u64)1 << c->counter_bits) - 1;
    for (u32 i = 0; i < 2; i++)
        counts[i] = min_u64(*p->agents[plan->sampled[i]].retired - s->from[i], most);
    if (!counts[0] || !counts[1]) {
        s->counts.held++;
        return;
    }
    double delta = (double)counts[1] / (double)counts[0] - 1;
    delta = delta < 0 ? -delta : delta;
    bool is_useful = 100 * delta >= c->threshold_percent;
    s->counts.delta_ppm = (u64)(1e6 * delta);
    s->counts.changes += is_useful != s->is_useful;
    s->counts.useful += is_useful;
    s->counts.useless += !is_useful;
    s->is_useful = is_useful;
}

/* How many times more accesses the SMs make than the busiest program on CPU cores. */
static inline u32 sampling_xsratio(const struct llc_policy *p, const u64 *accesses, u32 threshold)
{
    u64 gpu = 0, cpu = 0;
    for (u32 i = 0; i < p->applications; i++) {
        if (llc_is_on_sms(p, i))
            gpu += accesses[i];
        else
            cpu = max_u64(cpu, accesses[i]);
    }
    if (gpu <= threshold * cpu)
        return 1;
    return cpu ? (u32)min_u64(gpu / cpu, XSRATIO_MOST) : XSRATIO_MOST;
}

static inline void sampling_find_streams(struct sampling *s, const struct llc_policy *p,
                                         const struct sampling_config *c)
{
    s->streaming = 0;
    for (u32 i = 0; c->streams && i < p->applications; i++) {
        u64 all = s->sums.found[i] + s->sums.missed[i];
        double kilocycles = (double)llc_own_cycles(p, i, sampling_period(c)) / 1000;
        bool now = !llc_is_on_sms(p, i) && all &&
                   100 * (double)s->sums.found[i] < c->stream_hit_percent * (double)all &&
                   (double)s->sums.accesses[i] >= c->stream_accesses * kilocycles;
        s->streamed[i] = now ? s->streamed[i] + 1 : 0;
        s->streaming |= (u32)(s->streamed[i] >= c->stream_periods) << i;
    }
    s->counts.streaming += (u32)__builtin_popcount(s->streaming);
}

/* Do all programs on CPU cores stream? */
static inline bool sampling_all_stream(const struct sampling *s, const struct llc_policy *p)
{
    u32 cpus = ~p->on_sms & ((1u << p->applications) - 1);
    return cpus && (s->streaming & cpus) == cpus;
}

static inline void sampling_end_period(struct sampling *s, const struct llc_policy *p,
                                       const struct sampling_config *c, void *const *monitors,
                                       cycle_t now, struct llc_plan *plan)
{
    umon_collect(p, monitors, !llc_half(now, sampling_period(c)), &s->sums);
    s->counts.periods++;
    if (s->is_on)
        sampling_compare(s, p, c, plan);
    s->counts.flips += s->is_reprobe && s->is_useful;
    s->is_reprobe =
        !s->is_useful && c->reprobe_periods && s->counts.periods % c->reprobe_periods == 0;
    s->counts.reprobes += s->is_reprobe;
    s->xsratio = c->lifetime ? sampling_xsratio(p, s->sums.accesses, c->xs_threshold) : 1;
    s->counts.xsratio = s->xsratio;
    s->counts.scaled += s->xsratio > 1;
    sampling_find_streams(s, p, c);
    if (c->periods && s->counts.periods >= c->periods) {
        s->is_on = false;
        s->is_useful = true;
    }
    if (s->is_on && c->rotate)
        s->turn = (s->turn + 1) % s->sm_count;
    sampling_choose(s, p, plan);
}

/* To be called whenever decide() is; true: a period has ended, and a decision is due. */
static inline bool sampling_step(struct sampling *s, const struct llc_policy *p,
                                 const struct sampling_config *c, void *const *monitors,
                                 cycle_t now, struct llc_plan *plan)
{
    u64 step = now / sampling_step_cycles(c), in_period = step % SAMPLING_STEPS;
    u32 first = c->rotate ? c->discard_percent / 10 : 0;
    if (now && now % sampling_step_cycles(c))
        return false; /* a kernel has come or gone: not a matter of ours */
    bool ends = now && !in_period;
    if (ends)
        sampling_end_period(s, p, c, monitors, now, plan);
    else if (!now)
        sampling_choose(s, p, plan);
    if (in_period == first)
        sampling_begin_count(s, p, plan);
    return ends;
}

/* Two SMs are being compared. */
static inline bool sampling_is_on(const struct llc_policy *p)
{
    return ((const struct sampling *)p->state)->is_on;
}

#endif

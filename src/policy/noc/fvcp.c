/*
 * Feedback-directed virtual-channel partitioning: Lee 2013, 5.4.
 *
 * After a warm-up the splits are tried one after the other: none, 1:N-1, ... up to N/2:N/2. For
 * each the cores say how many instructions they retired; CPU cores and GPU are compared with what
 * they did without a split, and the split with the best geometric mean of the two ratios holds for
 * the main period, or none if every one is below 1. Then they are tried again.
 *
 * The published text does not say what the periods count (here: cycles of the network), nor which
 * split wins a tie (here: fewer channels for the CPU). While nothing is split, packets leave their
 * queues in the order in which they came, as without the policy (un_injection).
 */
#include "policy/noc/order.h"

#include <math.h>
#include <string.h>

#define MOST_TRIED 8u

struct fvcp_config {
    u64 warmup_cycles, training_cycles, main_cycles;
    u32 un_injection;
    u32 routers;
    u32 batch_cycles;
    u64 interval;
    double cpu_weight;
};

struct fvcp_counts {
    u64 rounds, trainings;
    u64 main_none, main_1, main_2, main_more;
    u64 last_gain_percent;
    u64 gain_ppm[MOST_TRIED];                       /* of each split, summed over rounds */
    u64 cpu_rate[MOST_TRIED], gpu_rate[MOST_TRIED]; /* that it was made of, the same */
    u64 cpu_packets[MOST_TRIED], gpu_packets[MOST_TRIED];
};

struct fvcp_state {
    struct order order;
    struct order_state ranks;
    u32 tried;      /* splits of a round, none included */
    u32 now_trying; /* MOST_TRIED: the warm-up or the main period */
    cycle_t began;  /* the period: its plan was sent */
    u64 retired[MOST_TRIED][NOC_TYPES];
    u64 packets[NOC_TYPES]; /* of cores, until the last question was answered */
    struct fvcp_counts counts;
};

static const char *const injections[] = {"fcfs", "damq_rr", NULL};
static const char *const orders[] = {"age", "cpu_first", "gpu_first", "mpi", "aergia", NULL};

/* clang-format off */
static const struct param fvcp_params[] = {
    P_U64(fvcp_config, warmup_cycles, 500000, 1, 1000000000, "cycles", "time before the first round", "Lee 2013, table 9"),
    P_U64(fvcp_config, training_cycles, 200000, 1, 1000000000, "cycles", "time for which each split is tried", "Lee 2013, table 9"),
    P_U64(fvcp_config, main_cycles, 4000000, 1, 1000000000, "cycles", "time for which the best split holds", "Lee 2013, table 9"),
    P_CHOICE(fvcp_config, un_injection, 0, injections, "order in which packets leave their queues while nothing is split", "assumed"),
    P_CHOICE(fvcp_config, routers, ORDER_AGE, orders, "order in the routers among packets that may take a VC (F-VCP+S, F-VCP+A)", "Lee 2013, figure 32"),
    ORDER_BATCH(fvcp_config),
    P_U64(fvcp_config, interval, 350000, 1, 1000000000, "cycles", "time for which a ranking of applications holds", "Das et al. 2009"),
    P_DOUBLE(fvcp_config, cpu_weight, 0.5, 0, 1, "", "weight of the CPU in the geometric mean of gains; the GPU has the rest", "Lee 2013, equation 6: 1/2"),
    P_END,
};

static const char *const splits[MOST_TRIED] = {"none", "1", "2", "3", "4", "5", "6", "7"};

static const struct stat_def fvcp_stats[] = {
    S_COUNT(fvcp_counts, rounds, "rounds", "rounds of training"),
    S_COUNT(fvcp_counts, trainings, "periods", "training periods, each trying one split"),
    S_COUNT(fvcp_counts, main_none, "periods", "rounds that chose no split"),
    S_COUNT(fvcp_counts, main_1, "periods", "rounds that chose one channel for the CPU"),
    S_COUNT(fvcp_counts, main_2, "periods", "rounds that chose two channels for the CPU"),
    S_COUNT(fvcp_counts, main_more, "periods", "rounds that chose more than two channels for the CPU"),
    S_LEVEL(fvcp_counts, last_gain_percent, "%", "gain of the best split over no split, in the last round"),
    S_ARRAY(fvcp_counts, gain_ppm, splits, MOST_TRIED, "ppm", "gain of each split (equation 6; none: 1,000,000), summed over rounds"),
    S_ARRAY(fvcp_counts, cpu_rate, splits, MOST_TRIED, "instructions", "instructions retired by CPU cores in 2^20 cycles under each split, summed over rounds"),
    S_ARRAY(fvcp_counts, gpu_rate, splits, MOST_TRIED, "instructions", "instructions retired by SMs in 2^20 cycles under each split, summed over rounds"),
    S_ARRAY(fvcp_counts, cpu_packets, splits, MOST_TRIED, "packets", "packets sent by CPU cores under each split"),
    S_ARRAY(fvcp_counts, gpu_packets, splits, MOST_TRIED, "packets", "packets sent by SMs under each split"),
    S_END,
};
/* clang-format on */

static bool fvcp_init(struct noc_policy *p, struct err *err)
{
    const struct fvcp_config *c = p->config;
    struct fvcp_state *s = p->state;
    if (p->vcs < 2)
        return err_at(err, (struct src_pos){0},
                      "policy noc fvcp has %u channel to split, expected at least 2", p->vcs);
    s->tried = 1 + (p->vcs / 2 < MOST_TRIED - 1 ? p->vcs / 2 : MOST_TRIED - 1);
    s->now_trying = MOST_TRIED;
    s->order = (struct order){c->routers, c->batch_cycles, c->interval};
    return true;
}

static void set_split(const struct noc_policy *p, u32 cpu_vcs, struct noc_plan *plan)
{
    const struct fvcp_config *c = p->config;
    *plan = noc_plan_shared();
    if (cpu_vcs) {
        noc_plan_split(plan, cpu_vcs);
        plan->injection = NOC_TYPED_OLDEST;
    } else if (c->un_injection) {
        plan->injection = NOC_TYPED_TURNS;
    }
}

/* A period has ended: what comes next is sent, and with it the question what the cores did. At the
 * end of a round the plan stays until the answers are there. */
static cycle_t fvcp_decide(struct noc_policy *p, cycle_t now, struct noc_plan *plan)
{
    const struct fvcp_config *c = p->config;
    struct fvcp_state *s = p->state;
    if (now < c->warmup_cycles)
        return c->warmup_cycles;
    u32 next = s->now_trying == MOST_TRIED ? 0 : s->now_trying + 1;
    if (next < s->tried)
        set_split(p, next, plan);
    s->began = now;
    return now;
}

static double ratio(u64 part, u64 base)
{
    return base ? (double)part / (double)base : 1;
}

/* Equation 6: CPU and GPU ratio of a split to none, in a geometric mean with weights. */
static double gain_of(const struct fvcp_state *s, u32 split, double cpu_weight)
{
    double cpu = ratio(s->retired[split][NOC_CPU], s->retired[0][NOC_CPU]);
    double gpu = ratio(s->retired[split][NOC_GPU], s->retired[0][NOC_GPU]);
    return cpu_weight == 0.5 ? sqrt(cpu * gpu) : pow(cpu, cpu_weight) * pow(gpu, 1 - cpu_weight);
}

/* The split with the largest gain; 0: none is best. */
static u32 best_split(struct fvcp_state *s, double cpu_weight)
{
    u32 best = 0;
    double most = 0;
    for (u32 i = 0; i < s->tried; i++) {
        double gain = gain_of(s, i, cpu_weight);
        s->counts.gain_ppm[i] += (u64)(gain * 1000000 + 0.5);
        s->counts.cpu_rate[i] += s->retired[i][NOC_CPU];
        s->counts.gpu_rate[i] += s->retired[i][NOC_GPU];
        if (i && gain >= 1 && gain > most) {
            best = i;
            most = gain;
        }
    }
    s->counts.last_gain_percent = best ? (u64)(100 * (most - 1) + 0.5) : 0;
    return best;
}

/* What cores have sent since the last question was answered, into the counts of a split. */
static void count_packets(const struct noc_policy *p, u64 *cpu, u64 *gpu)
{
    struct fvcp_state *s = p->state;
    u64 sent[NOC_TYPES] = {0};
    for (u32 i = 0; i < p->agent_count; i++)
        sent[p->agents[i].type] += p->agents[i].requests;
    *cpu += sent[NOC_CPU] - s->packets[NOC_CPU];
    *gpu += sent[NOC_GPU] - s->packets[NOC_GPU];
    memcpy(s->packets, sent, sizeof sent);
}

/* Periods are counted from plan to plan, so that none is longer by what the answers took. */
static cycle_t training_end(const struct noc_policy *p, cycle_t now)
{
    const struct fvcp_state *s = p->state;
    cycle_t end = s->began + ((const struct fvcp_config *)p->config)->training_cycles;
    return end > now ? end : now + 1;
}

static cycle_t fvcp_gathered(struct noc_policy *p, cycle_t now, const u64 *instructions,
                             struct noc_plan *plan, bool *changes)
{
    const struct fvcp_config *c = p->config;
    struct fvcp_state *s = p->state;
    if (s->now_trying == MOST_TRIED) { /* of the warm-up or main period: nobody compares it */
        u64 cpu = 0, gpu = 0;
        count_packets(p, &cpu, &gpu);
        s->now_trying = 0;
        s->counts.rounds++;
        return training_end(p, now);
    }
    for (u32 t = 0; t < NOC_TYPES; t++)
        s->retired[s->now_trying][t] = instructions[t];
    count_packets(p, &s->counts.cpu_packets[s->now_trying], &s->counts.gpu_packets[s->now_trying]);
    s->counts.trainings++;
    if (++s->now_trying < s->tried)
        return training_end(p, now);
    u32 best = best_split(s, c->cpu_weight);
    s->counts.main_none += best == 0;
    s->counts.main_1 += best == 1;
    s->counts.main_2 += best == 2;
    s->counts.main_more += best > 2;
    s->now_trying = MOST_TRIED;
    set_split(p, best, plan);
    *changes = true;
    return now + c->main_cycles;
}

static bool fvcp_is_sampling(const struct noc_policy *p)
{
    return ((const struct fvcp_state *)p->state)->now_trying != MOST_TRIED;
}

static u64 fvcp_key(struct noc_policy *p, const struct noc_packet *packet, cycle_t now)
{
    const struct fvcp_config *c = p->config;
    struct fvcp_state *s = p->state;
    if (c->routers == ORDER_AGE)
        return now;
    return noc_key(now, c->batch_cycles, order_level(p, &s->order, &s->ranks, packet, now));
}

NOC_POLICY(fvcp) = {
    .version = POLICY_VERSION,
    .name = "fvcp",
    .source = "Lee 2013, 5.4 (F-VCP)",
    .params = fvcp_params,
    .config_bytes = sizeof(struct fvcp_config),
    .state_bytes = sizeof(struct fvcp_state),
    .stats = fvcp_stats,
    .stats_offset = offsetof(struct fvcp_state, counts),
    .is_central = true,
    .init = fvcp_init,
    .decide = fvcp_decide,
    .gathered = fvcp_gathered,
    .is_sampling = fvcp_is_sampling,
    .key = fvcp_key,
};

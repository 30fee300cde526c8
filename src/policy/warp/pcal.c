/*
 * PCAL: fewer warps fill the L1 than issue, chosen by trying (Li et al., HPCA
 * 2015; Poise spec 3). With start: swl it begins every kernel at a given N, which
 * is the PCAL-SWL of the Poise paper; with start: ccws at the level that CCWS
 * reaches in its first cycles.
 *
 * The vote is the chip's (pcal_vote.h). All SMs keep its windows by the same
 * cycles: hand in at the end of a window, and read the outcome t_vote later. What
 * one SM writes in a cycle others read in later ones only, so that the order of
 * SMs within a cycle makes no difference.
 */
#include "policy/warp/lost_locality.h"
#include "policy/warp/pcal_vote.h"
#include "policy/warp/tuple.h"

enum pcal_start { PCAL_SWL, PCAL_CCWS };
static const char *const starts[] = {"swl", "ccws", NULL};
enum pcal_climbs { PCAL_ONCE, PCAL_AGAIN };
static const char *const climbs[] = {"once", "again", NULL};

struct pcal_config {
    u32 start, n, climb;
    u32 t_warmup, t_sample, t_vote, t_ccws;
    double gain, drop, utilisation;
    struct lost_locality_config ccws;
};

/* Of the chip. */
struct pcal_board {
    struct vote vote;
    u64 launch;      /* number of the kernel's launch + 1; 0: none yet */
    u64 next_launch; /* a kernel that came in cycle next_at; 0: none */
    u32 next_limit;
    cycle_t next_at;
    cycle_t opened;             /* the window */
    struct warp_memory_use use; /* when the window opened */
};

enum pcal_step { PCAL_MARK, PCAL_HAND_IN, PCAL_OUTCOME };

struct pcal_counts {
    u64 votes, steps, kept_steps; /* of the chip: counted by its first SM */
    u64 hand_ins;
};

struct pcal {
    struct tuple tuple;
    struct lost_locality locality;
    enum pcal_step step;
    cycle_t due; /* of the step; CCWS may want to be woken before */
    bool is_marked, runs_ccws;
    u64 instructions, admitted_cycles; /* at the start of the window */
    struct pcal_counts counts;
};

/* clang-format off */
#define NOT_PUBLISHED "assumed: Poise spec 3"
static const struct param pcal_params[] = {
    P_CHOICE(pcal_config, start, PCAL_SWL, starts, "where N starts: given (PCAL-SWL), or found by CCWS (dynamic PCAL)", "Dublish 2018, chapter 5"),
    P_U32(pcal_config, n, 64, 1, 64, "warps", "N of the program's best SWL run, with start swl", "no limit"),
    P_CHOICE(pcal_config, climb, PCAL_ONCE, climbs, "when N grows: after a kernel's first vote, until a step does not pay; or again after every vote", NOT_PUBLISHED),
    P_U32(pcal_config, t_warmup, 2000, 0, 1000000000, "cycles", "time after a change of tuple before a window begins", NOT_PUBLISHED),
    P_U32(pcal_config, t_sample, 4000, 1, 1000000000, "cycles", "a window", NOT_PUBLISHED),
    P_U32(pcal_config, t_vote, 1, 1, 1000000000, "cycles", "time from the end of a window until all SMs know the outcome", "assumed"),
    P_U32(pcal_config, t_ccws, 10000, 1, 1000000000, "cycles", "time for which CCWS runs, with start ccws", "assumed"),
    P_DOUBLE(pcal_config, gain, 0.01, 0, 10, "", "smallest gain at which a step of N is kept", NOT_PUBLISHED),
    P_DOUBLE(pcal_config, drop, 0.1, 0, 1, "", "drop in an SM's instructions at which a new vote is held", NOT_PUBLISHED),
    P_DOUBLE(pcal_config, utilisation, 0.9, 0, 1, "", "utilisation of the DRAM data bus from which on N does not grow", NOT_PUBLISHED),
    P_GROUP(pcal_config, ccws, lost_locality_params, lost_locality_check, "parameters of policy ccws, with start ccws"),
    P_END,
};

static const struct stat_def pcal_stats[] = {
    TUPLE_STATS(pcal),
#define COUNT(field, u, text) {.name = #field, .kind = STAT_COUNT, .offset = S_AT(pcal, counts.field), .unit = u, .meaning = text}
    COUNT(votes, "votes", "votes held on the chip"),
    COUNT(steps, "steps", "steps of N tried on the chip"),
    COUNT(kept_steps, "steps", "steps of N that paid off"),
    COUNT(hand_ins, "windows", "windows completed by SMs"),
#undef COUNT
    S_END,
};
/* clang-format on */

static bool runs_ccws(const struct pcal_board *b)
{
    return b->vote.phase == VOTE_START;
}

static cycle_t window_cycles(const struct pcal_board *b, const struct pcal_config *c)
{
    return runs_ccws(b) ? c->t_ccws : c->t_sample;
}

static cycle_t warmup_cycles(const struct pcal_board *b, const struct pcal_config *c)
{
    return runs_ccws(b) ? 0 : c->t_warmup;
}

static void wake(struct warp_policy *p)
{
    const struct pcal *s = p->state;
    p->alarm = s->runs_ccws ? min_u64(s->due, s->locality.wake) : s->due;
}

static void admit(struct warp_policy *p, cycle_t at)
{
    struct pcal *s = p->state;
    lost_locality_rank(&s->locality, at);
    p->may_load = s->locality.admitted;
}

/* ---- the board ------------------------------------------------------------------------------- */

static double used_since(const struct warp_memory_use *from, const struct warp_memory_use *to)
{
    u64 clocks = to->clocks - from->clocks;
    return clocks ? (double)(to->busy_clocks - from->busy_clocks) / (double)clocks : 0;
}

static void open_window(struct warp_policy *p, struct pcal_board *b, cycle_t at)
{
    b->opened = at;
    p->host->memory_use(p, &b->use);
}

/* Of kernels that start in one cycle the last launched is voted on. */
static void announce(struct pcal_board *b, const struct warp_kernel *k, cycle_t now)
{
    if (k->number + 1 <= b->launch || k->number + 1 <= b->next_launch)
        return;
    b->next_launch = k->number + 1;
    b->next_limit = k->limit;
    b->next_at = now;
}

/* Whoever comes first after a kernel was announced or a window has ended does what is due; all
 * that is looked at was written before this cycle, so it does not matter who. */
static void bring_up(struct warp_policy *p, cycle_t at)
{
    struct pcal_board *b = p->shared;
    const struct pcal_config *c = p->config;
    if (b->next_launch && at > b->next_at) {
        struct vote_rules rules = {c->gain, c->drop, c->utilisation, c->climb == PCAL_AGAIN};
        vote_begin(&b->vote, &rules, c->start == PCAL_SWL ? c->n : 0, b->next_limit);
        b->launch = b->next_launch;
        b->next_launch = 0;
        open_window(p, b, at);
        return;
    }
    cycle_t ends = b->opened + warmup_cycles(b, c) + window_cycles(b, c) + c->t_vote;
    if (at < ends)
        return;
    struct warp_memory_use now;
    p->host->memory_use(p, &now);
    vote_end(&b->vote, used_since(&b->use, &now));
    open_window(p, b, at);
}

/* ---- an SM ----------------------------------------------------------------------------------- */

static void mark(struct warp_policy *p, cycle_t at)
{
    struct pcal *s = p->state;
    struct warp_counters c;
    p->host->counters(p, &c);
    lost_locality_settle(&s->locality, at);
    s->instructions = c.instructions;
    s->admitted_cycles = s->locality.counts.admitted_cycles;
    s->is_marked = at == *p->view->now; /* not afterwards */
    s->step = PCAL_HAND_IN;
    s->due = at + window_cycles(p->shared, p->config);
}

static void take_part(struct warp_policy *p, cycle_t at)
{
    struct pcal *s = p->state;
    const struct pcal_board *b = p->shared;
    const struct pcal_config *c = p->config;
    s->runs_ccws = runs_ccws(b);
    p->may_load = ~(u64)0;
    if (s->runs_ccws)
        admit(p, at);
    tuple_set(p, &s->tuple, vote_n(&b->vote), vote_p(&b->vote, p->view->sm), at);
    s->step = PCAL_MARK;
    s->is_marked = false;
    s->due = b->opened + warmup_cycles(b, c);
    if (s->due == at) {
        mark(p, at);
    } else if (s->due < at) { /* it came too late for this window */
        s->step = PCAL_OUTCOME;
        s->due += window_cycles(b, c) + c->t_vote;
    }
    if (p->view->sm == 0) {
        s->counts.votes = b->vote.votes;
        s->counts.steps = b->vote.steps;
        s->counts.kept_steps = b->vote.kept_steps;
    }
    wake(p);
}

static void hand_in(struct warp_policy *p, cycle_t at)
{
    struct pcal *s = p->state;
    struct pcal_board *b = p->shared;
    const struct pcal_config *c = p->config;
    struct warp_counters now;
    p->host->counters(p, &now);
    lost_locality_settle(&s->locality, at);
    double warps = (double)(s->locality.counts.admitted_cycles - s->admitted_cycles) * 1000 /
                   ((double)c->t_ccws * p->view->schedulers);
    if (s->is_marked && at == *p->view->now) {
        vote_hand_in(&b->vote, p->view->sm,
                     runs_ccws(b) ? warps : (double)(now.instructions - s->instructions));
        s->counts.hand_ins++;
    }
    s->step = PCAL_OUTCOME;
    s->due = at + c->t_vote;
}

static void pcal_ring(struct warp_policy *p, cycle_t at)
{
    struct pcal *s = p->state;
    const struct pcal_board *b = p->shared;
    if (s->runs_ccws && at >= s->locality.wake)
        admit(p, at);
    if (at >= s->due) {
        if (s->step == PCAL_OUTCOME) {
            bring_up(p, at);
            s->due = CYCLE_NEVER;
            if (b->launch == s->tuple.kernel + 1) /* else it is about a kernel yet to come here */
                take_part(p, at);
        } else if (s->step == PCAL_HAND_IN) {
            hand_in(p, at);
        } else {
            mark(p, at);
        }
    }
    wake(p);
}

static void pcal_kernel(struct warp_policy *p, const struct warp_kernel *k)
{
    struct pcal *s = p->state;
    const struct pcal_config *c = p->config;
    cycle_t now = *p->view->now;
    u32 n = c->start == PCAL_SWL ? c->n : k->limit;
    announce(p->shared, k, now);
    tuple_kernel(p, &s->tuple, k, n, n);
    s->runs_ccws = false;
    p->may_load = ~(u64)0;
    s->step = PCAL_OUTCOME; /* it joins in the next cycle */
    s->due = now + 1;
    wake(p);
}

static void pcal_changed(struct warp_policy *p)
{
    struct pcal *s = p->state;
    tuple_update(p, &s->tuple);
    if (s->runs_ccws) {
        admit(p, *p->view->now);
        wake(p);
    }
}

static void pcal_issued(struct warp_policy *p, const struct warp_issue *i)
{
    struct pcal *s = p->state;
    if (s->runs_ccws)
        lost_locality_issued(&s->locality, i->slot);
}

static void pcal_missed(struct warp_policy *p, const struct warp_access *a)
{
    struct pcal *s = p->state;
    cycle_t now = *p->view->now;
    if (s->runs_ccws && lost_locality_missed(&s->locality, a->slot, a->line, now))
        pcal_changed(p);
}

static void pcal_evicted(struct warp_policy *p, const struct warp_access *a)
{
    struct pcal *s = p->state;
    if (s->runs_ccws && a->slot != NO_SLOT)
        lost_locality_evicted(&s->locality, a->slot, a->line);
}

static bool pcal_init(struct warp_policy *p, struct arena *arena, struct err *err)
{
    (void)arena;
    const struct pcal_config *c = p->config;
    struct pcal *s = p->state;
    s->due = CYCLE_NEVER;
    lost_locality_init(&s->locality, &c->ccws, p->view);
    if (p->view->sms > MOST_VOTERS)
        return p->host->refuse(p, err, "the chip has %u SMs, expected at most %u", p->view->sms,
                               MOST_VOTERS);
    return true;
}

WARP_POLICY(pcal) = {
    .version = POLICY_VERSION,
    .name = "pcal",
    .source = "Li et al.: Priority-Based Cache Allocation in Throughput Processors, HPCA 2015",
    .params = pcal_params,
    .config_bytes = sizeof(struct pcal_config),
    .state_bytes = sizeof(struct pcal),
    .shared_bytes = sizeof(struct pcal_board),
    .stats = pcal_stats,
    .init = pcal_init,
    .pick = tuple_pick,
    .changed = pcal_changed,
    .kernel = pcal_kernel,
    .ring = pcal_ring,
    .settle = tuple_settled,
    .issued = pcal_issued,
    .missed = pcal_missed,
    .evicted = pcal_evicted,
};

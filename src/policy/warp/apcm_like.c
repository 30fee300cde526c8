/*
 * Like APCM: one warp is watched to learn which loads stream and which reuse
 * their lines; the former bypass the L1, lines of the latter are kept from
 * eviction while the loop lasts that uses them (Koo et al., ISCA 2017, as far as
 * the Poise spec, section 3, describes it: results are to be labelled so).
 *
 * The watched warp has tags of its own, so that what it would reuse is seen even
 * when others evict it. A load is judged after some accesses: its own warp comes
 * back to a line, other warps come to it, both, or nobody does. A loop is what
 * lies between a jump backwards and its target.
 */
#include "policy/warp/greedy.h"

#include <string.h>

#define MOST_LOADS 64u /* instructions that are told apart */
#define MOST_WATCHED 256u
#define MOST_LINES 8192u /* of the L1 */
#define NO_LOAD UINT32_MAX

struct apcm_config {
    u32 watched_lines, decide_accesses, lifetime_hits;
    double reuse;
    bool exemplar_bypasses, protects;
};

enum load_class { LOAD_UNKNOWN, LOAD_STREAMING, LOAD_INTRA, LOAD_INTER, LOAD_MIXED };

struct load {
    u64 pc, loop_from, loop_to; /* loop_to 0: in no loop that was seen */
    u32 accesses, own, others;  /* of the watched warp; reuses by itself and by others */
    u8 class;
};

struct watched {
    u64 line;
    u32 load;  /* that brought it */
    u64 stamp; /* of its last use by the watched warp; 0: empty */
    bool shared;
};

/* A line of the L1 that is kept: by a warp, for a load, while the warp is in the loop. */
struct kept {
    u64 age; /* of the warp */
    u32 load, visit, hits;
    u8 slot;
    bool is_kept;
};

struct apcm_counts {
    u64 streaming, intra, inter, mixed; /* loads judged */
    u64 bypassed, kept;
};

struct apcm {
    struct greedy greedy;
    struct load loads[MOST_LOADS];
    u32 load_count;
    u32 exemplar; /* slot, and the age of the warp in it */
    u64 exemplar_age;
    bool has_exemplar;
    u64 clock; /* counts accesses of the watched warp */
    u64 last_pc[MOST_SM_WARPS];
    u32 visit[MOST_SM_WARPS][MOST_LOADS]; /* times a warp has left the load's loop */
    struct watched watched[MOST_WATCHED];
    struct kept kept[MOST_LINES];
    struct apcm_counts counts;
};

/* clang-format off */
#define NOT_GIVEN "assumed: Poise spec 3"
static const struct param apcm_params[] = {
    P_U32(apcm_config, watched_lines, 128, 1, MOST_WATCHED, "lines", "lines in the watched warp's history, in which reuse is looked for", "assumed: what it would find in 16 KB of its own"),
    P_U32(apcm_config, decide_accesses, 32, 1, 1000000, "requests", "requests of a load by the watched warp after which the load is classified", NOT_GIVEN),
    P_DOUBLE(apcm_config, reuse, 0.1, 0, 1, "", "share of a load's requests that find their line again, below which the load streams", NOT_GIVEN),
    P_BOOL(apcm_config, exemplar_bypasses, true, "the watched warp's streaming loads bypass too, once judged", NOT_GIVEN),
    P_BOOL(apcm_config, protects, true, "protect lines of loads with reuse during their loop", NOT_GIVEN),
    P_U32(apcm_config, lifetime_hits, 0, 0, 1000000, "hits", "hits after which a line is no longer protected; 0: until the loop ends", NOT_GIVEN),
    P_END,
};

static const struct stat_def apcm_stats[] = {
#define COUNT(field, u, text) {.name = #field, .kind = STAT_COUNT, .offset = S_AT(apcm, counts.field), .unit = u, .meaning = text}
    COUNT(streaming, "loads", "loads judged to stream"),
    COUNT(intra, "loads", "loads judged to be reused by their own warp"),
    COUNT(inter, "loads", "loads judged to be reused by other warps"),
    COUNT(mixed, "loads", "loads judged to be reused by their own and other warps"),
    COUNT(bypassed, "instructions", "instructions that bypassed the L1"),
    COUNT(kept, "lines", "lines protected from eviction"),
#undef COUNT
    S_END,
};
/* clang-format on */

static u32 apcm_pick(struct warp_policy *p, u32 scheduler, u64 candidates)
{
    struct apcm *s = p->state;
    return greedy_pick(&s->greedy, p->view, scheduler, candidates);
}

static u32 find_load(const struct apcm *s, u64 pc)
{
    for (u32 i = 0; i < s->load_count; i++) {
        if (s->loads[i].pc == pc)
            return i;
    }
    return NO_LOAD;
}

static bool is_exemplar(const struct warp_policy *p, u32 slot)
{
    const struct apcm *s = p->state;
    return s->has_exemplar && slot == s->exemplar && p->view->age[slot] == s->exemplar_age;
}

/* ---- learning -------------------------------------------------------------------------------- */

static void judge(struct warp_policy *p, struct load *l)
{
    struct apcm *s = p->state;
    const struct apcm_config *c = p->config;
    double least = c->reuse * l->accesses;
    bool own = l->own >= least && l->own, others = l->others >= least && l->others;
    l->class = own ? others ? LOAD_MIXED : LOAD_INTRA : others ? LOAD_INTER : LOAD_STREAMING;
    u64 *counts[] = {&s->counts.streaming, &s->counts.intra, &s->counts.inter, &s->counts.mixed};
    (*counts[l->class - LOAD_STREAMING])++;
}

/* The watched warp uses a line: of its own tags, the one that holds it or the oldest. */
static void watch(struct warp_policy *p, const struct warp_access *a)
{
    struct apcm *s = p->state;
    const struct apcm_config *c = p->config;
    u32 id = find_load(s, a->pc);
    if (id == NO_LOAD)
        return;
    struct load *l = &s->loads[id];
    struct watched *oldest = &s->watched[0];
    for (u32 i = 0; i < c->watched_lines; i++) {
        struct watched *w = &s->watched[i];
        if (w->stamp && w->line == a->line) {
            s->loads[w->load].own++;
            oldest = w;
            break;
        }
        if (w->stamp < oldest->stamp)
            oldest = w;
    }
    bool was_there = oldest->stamp && oldest->line == a->line;
    *oldest = (struct watched){.line = a->line,
                               .load = was_there ? oldest->load : id,
                               .stamp = ++s->clock,
                               .shared = was_there && oldest->shared};
    if (++l->accesses >= c->decide_accesses && l->class == LOAD_UNKNOWN)
        judge(p, l);
}

/* Another warp comes to a line of the watched one: counted once per stay in the tags. */
static void overhear(struct apcm *s, const struct apcm_config *c, u64 line)
{
    for (u32 i = 0; i < c->watched_lines; i++) {
        struct watched *w = &s->watched[i];
        if (w->stamp && w->line == line && !w->shared) {
            w->shared = true;
            s->loads[w->load].others++;
            return;
        }
    }
}

static void learn(struct warp_policy *p, const struct warp_access *a)
{
    if (is_exemplar(p, a->slot))
        watch(p, a);
    else
        overhear(p->state, p->config, a->line);
}

/* Loads in the loop that this jump backwards closes: the innermost is seen first. */
static void learn_loop(struct apcm *s, u64 from, u64 to)
{
    for (u32 i = 0; i < s->load_count; i++) {
        struct load *l = &s->loads[i];
        if (!l->loop_to && l->pc >= from && l->pc <= to) {
            l->loop_from = from;
            l->loop_to = to;
        }
    }
}

static void apcm_issued(struct warp_policy *p, const struct warp_issue *i)
{
    struct apcm *s = p->state;
    u64 last = s->last_pc[i->slot];
    s->last_pc[i->slot] = i->pc;
    if (is_exemplar(p, i->slot)) {
        if (i->is_load && s->load_count < MOST_LOADS && find_load(s, i->pc) == NO_LOAD)
            s->loads[s->load_count++] = (struct load){.pc = i->pc};
        if (i->pc < last)
            learn_loop(s, i->pc, last);
    }
    for (u32 k = 0; k < s->load_count; k++) {
        const struct load *l = &s->loads[k];
        bool was_in = last >= l->loop_from && last <= l->loop_to;
        if (l->loop_to && was_in && (i->pc < l->loop_from || i->pc > l->loop_to))
            s->visit[i->slot][k]++;
    }
}

/* ---- using it -------------------------------------------------------------------------------- */

static bool apcm_keeps(struct warp_policy *p, u32 slot, u64 pc)
{
    struct apcm *s = p->state;
    const struct apcm_config *c = p->config;
    u32 id = find_load(s, pc);
    bool streams = id != NO_LOAD && s->loads[id].class == LOAD_STREAMING &&
                   (c->exemplar_bypasses || !is_exemplar(p, slot));
    s->counts.bypassed += streams;
    return !streams;
}

static struct kept *kept_at(struct warp_policy *p, u32 set, u32 way)
{
    struct apcm *s = p->state;
    return &s->kept[set * p->view->l1_ways + way];
}

/* A line is used by a load whose lines are worth keeping, or by another. */
static void keep(struct warp_policy *p, const struct warp_access *a, bool is_new)
{
    struct apcm *s = p->state;
    const struct apcm_config *c = p->config;
    struct kept *k = kept_at(p, a->set, a->way);
    u32 id = find_load(s, a->pc);
    if (is_new)
        k->is_kept = false;
    if (id == NO_LOAD || !c->protects || !s->loads[id].loop_to)
        return;
    u8 class = s->loads[id].class;
    if (class != LOAD_INTRA && class != LOAD_MIXED)
        return;
    u32 hits = is_new || !k->is_kept ? 0 : k->hits + 1;
    s->counts.kept += !k->is_kept;
    *k = (struct kept){.age = p->view->age[a->slot],
                       .load = id,
                       .visit = s->visit[a->slot][id],
                       .hits = hits,
                       .slot = (u8)a->slot,
                       .is_kept = !c->lifetime_hits || hits < c->lifetime_hits};
}

static void apcm_hit(struct warp_policy *p, const struct warp_access *a)
{
    learn(p, a);
    keep(p, a, false);
}

static void apcm_placed(struct warp_policy *p, const struct warp_access *a)
{
    keep(p, a, true);
}

/* The warp is there, and still in the loop. */
static bool lasts(const struct warp_policy *p, const struct kept *k)
{
    const struct apcm *s = p->state;
    return k->is_kept && p->view->live >> k->slot & 1 && p->view->age[k->slot] == k->age &&
           s->visit[k->slot][k->load] == k->visit;
}

static u64 apcm_protects(struct warp_policy *p, u32 set)
{
    u64 ways = 0;
    for (u32 way = 0; way < p->view->l1_ways; way++)
        ways |= (u64)lasts(p, kept_at(p, set, way)) << way;
    return ways;
}

/* ---- kernels and warps ------------------------------------------------------------------------
 */

static void apcm_kernel(struct warp_policy *p, const struct warp_kernel *k)
{
    struct apcm *s = p->state;
    (void)k;
    s->load_count = 0;
    s->has_exemplar = false;
    memset(s->watched, 0, sizeof s->watched);
    memset(s->kept, 0, sizeof s->kept);
    memset(s->visit, 0, sizeof s->visit);
}

/* The oldest warp is watched, and when it has gone the oldest then. */
static void apcm_changed(struct warp_policy *p)
{
    struct apcm *s = p->state;
    if (!p->view->live ||
        (s->has_exemplar && p->view->live >> s->exemplar & 1 && is_exemplar(p, s->exemplar)))
        return;
    s->exemplar = warp_oldest(p->view, p->view->live);
    s->exemplar_age = p->view->age[s->exemplar];
    s->has_exemplar = true;
    memset(s->watched, 0, sizeof s->watched);
}

static bool apcm_init(struct warp_policy *p, struct arena *arena, struct err *err)
{
    (void)arena;
    u32 lines = p->view->l1_sets * p->view->l1_ways;
    if (lines > MOST_LINES)
        return p->host->refuse(p, err, "the L1 has %u lines, expected at most %u", lines,
                               MOST_LINES);
    return true;
}

WARP_POLICY(apcm_like) = {
    .version = POLICY_VERSION,
    .name = "apcm_like",
    .source = "after Koo et al.: Access Pattern-Aware Cache Management, ISCA 2017",
    .params = apcm_params,
    .config_bytes = sizeof(struct apcm_config),
    .state_bytes = sizeof(struct apcm),
    .stats = apcm_stats,
    .init = apcm_init,
    .pick = apcm_pick,
    .changed = apcm_changed,
    .kernel = apcm_kernel,
    .issued = apcm_issued,
    .keeps = apcm_keeps,
    .hit = apcm_hit,
    .missed = learn,
    .placed = apcm_placed,
    .protects = apcm_protects,
};

/*
 * Blocks go where what they need is left, and leave where it is not: the resource usage tracker.
 *
 * A table has, for a stream and the number of a block, what the block last used of the memory
 * pipeline and of the floating-point units, as codes of a few bits. A block goes to the next SM
 * whose sum of estimates leaves room for its own. SMs poll their blocks and tell when a code has
 * changed; where that makes the sum too large, the block that told is stopped. Kernels of one
 * stream share entries: the next launch of a pipeline has the same data for the same block.
 *
 * The schemes that it is compared with are settings of the same policy: a mean of each kernel that
 * a run before found (static), one running mean for each kernel (kernel), prediction or stopping
 * alone, one of the two metrics alone.
 */
#include "gpu/dispatch/block_policy.h"
#include "policy/block/means.h"

#include <string.h>

enum { SCHED_STATIC, SCHED_KERNEL, SCHED_TB };
enum { TRACK_MEM, TRACK_FPU, TRACK_BOTH };
enum { VICTIM_TELLER, VICTIM_YOUNGEST, VICTIM_OLDEST, VICTIM_LARGEST };

#define STREAM_STEP 7919u /* entries from one stream to the next: a prime */
#define MOST_KERNELS 64u
#define PURGE_US 100u
#define SHUFFLE_BYTES 128u /* per cycle, on the way to a buffer and back */

struct rut_config {
    u32 sched, track, preempt, victim;
    bool predict;
    u32 rut_bits, rut_bytes;
    double poll_div, cap_mem, cap_fpu, full_scale;
    u32 min_residency_us;
    const char *means;
};

static const char *const sched_names[] = {"static", "kernel", "tb", NULL};
static const char *const track_names[] = {"mem", "fpu", "both", NULL};

static const char *const victim_names[] = {"teller", "youngest", "oldest", "largest", NULL};

#define SPEC "context-management spec 2.2"
/* clang-format off */
static const struct param params[] = {
    P_CHOICE(rut_config, sched, SCHED_TB, sched_names, "what is estimated: the use of a kernel from an earlier run (means), of a kernel as it runs, or of each block", "context-management spec 2.4"),
    P_CHOICE(rut_config, track, TRACK_BOTH, track_names, "tracked resources: refusals of the LSU, use of the floating-point units", "context-management spec 2.4"),
    P_CHOICE(rut_config, preempt, STOP_SWITCH, block_stop_names, "how a block that needs too much is stopped", "context-management spec 2.4"),
    P_CHOICE(rut_config, victim, VICTIM_TELLER, victim_names, "block to stop: the one that reported (teller), or of its kernel on the SM the youngest, the oldest or the one with the highest codes; with sched=kernel the teller is the youngest", "context-management spec 2.2, 2.4"),
    P_BOOL(rut_config, predict, true, "predict the needs of a block from the table", "context-management spec 2.4"),
    P_U32(rut_config, rut_bits, 3, 1, 8, "bits", "bits of a code", "context-management spec 1.1"),
    P_U32(rut_config, rut_bytes, 16384, 16, 1048576, "bytes", "size of the table", "context-management spec 1.1"),
    P_DOUBLE(rut_config, poll_div, 1.1, 0.001, 100000, "KB/us", "a block is polled every (context in KB / this) us", SPEC),
    P_DOUBLE(rut_config, cap_mem, 0.5, 0, 1e9, "", "sum of the shares of refusals above which an SM is full", "assumed: the document has none"),
    P_DOUBLE(rut_config, cap_fpu, 0.9, 0, 1e9, "", "sum of the codes for floating-point use above which an SM is full", "assumed: the document has none"),
    P_DOUBLE(rut_config, full_scale, 1, 0.01, 100, "", "the highest code means this times 4 / blocks of the kernel per SM", SPEC),
    P_U32(rut_config, min_residency_us, 0, 0, 1000000000, "us", "time after its arrival in which a block is not stopped", "context-management spec 2.2: none"),
    P_FILE(rut_config, means, "", "results of runs before, with sm.block_use: mean use of each kernel", "context-management spec 2.4"),
    P_END,
};
/* clang-format on */

struct rut_counts {
    u64 updates, rises, falls, stops, refused_full, purges;
    u64 stalled; /* asks that found room and no headroom */
};

static const struct stat_def stats[] = {
    S_COUNT(rut_counts, updates, "messages", "messages from SMs about a changed code of a block"),
    S_COUNT(rut_counts, rises, "messages", "messages after which an SM exceeded its limit"),
    S_COUNT(rut_counts, falls, "messages", "messages after which a block needed less"),
    S_COUNT(rut_counts, stops, "blocks", "blocks stopped because their SM exceeded its limit"),
    S_COUNT(rut_counts, refused_full, "blocks",
            "blocks that should have stopped but could not (too young, or the queue of stopped "
            "blocks was full)"),
    S_COUNT(rut_counts, purges, "times", "times an SM lost half of its blocks within 100 us"),
    S_COUNT(rut_counts, stalled, "times", "times an SM had room for a block but no headroom"),
    S_END,
};

/* One running mean for a kernel. */
struct rut_kernel {
    char name[96]; /* its source's may be gone before it is */
    u8 application;
    double mean[USE_METRICS];
    double seen; /* reports */
};

struct purge_window {
    cycle_t since;
    u32 stops, blocks;
};

struct rut {
    struct rut_counts counts;
    u8 (*table)[USE_METRICS];
    u32 entries;
    struct rut_kernel kernels[MOST_KERNELS];
    u32 kernel_count;
    struct purge_window *windows; /* by SM */
    struct kernel_means means;
};

static bool init(struct block_policy *p, struct arena *arena, struct err *err)
{
    const struct rut_config *c = p->config;
    struct rut *r = p->state;
    r->entries = (u32)((u64)c->rut_bytes * 8 / (USE_METRICS * c->rut_bits));
    r->table = arena_alloc(arena, r->entries * sizeof *r->table);
    r->windows = ARENA_ARRAY(arena, struct purge_window, p->machine->sms);
    p->flushes = c->preempt == STOP_FLUSH;
    return means_read(&r->means, c->means, arena, err);
}

static u32 entry_of(const struct rut *r, const struct grid_source *g, u64 block)
{
    return (u32)((g->queue * STREAM_STEP + g->application * (u64)104729 + block) % r->entries);
}

/* ---- estimates --------------------------------------------------------------------------------
 */

/* The share that the highest code stands for: with as many blocks of the kernel as an SM gets of
 * it, a fair share is a quarter. */
static double full_scale(const struct block_policy *p, const struct grid_source *g)
{
    const struct rut_config *c = p->config;
    const struct block_machine *m = p->machine;
    u64 each = min_u64(m->blocks_per_sm, (g->blocks + m->sms - 1) / m->sms);
    double scale = each > 4 ? 4.0 / (double)each : 1;
    return scale * c->full_scale;
}

static double of_code(const struct block_policy *p, const struct grid_source *g, u8 code)
{
    const struct rut_config *c = p->config;
    return (code + 0.5) * full_scale(p, g) / (1u << c->rut_bits);
}

static struct rut_kernel *kernel_of(struct rut *r, const struct grid_source *g)
{
    for (u32 i = 0; i < r->kernel_count; i++) {
        struct rut_kernel *k = &r->kernels[i];
        if (k->application == g->application && strncmp(k->name, g->name, sizeof k->name - 1) == 0)
            return k;
    }
    if (r->kernel_count == MOST_KERNELS)
        return &r->kernels[MOST_KERNELS - 1];
    struct rut_kernel *k = &r->kernels[r->kernel_count];
    *k = (struct rut_kernel){.application = g->application};
    memcpy(k->name, g->name, min_u64(strlen(g->name), sizeof k->name - 1));
    return &r->kernels[r->kernel_count++];
}

static double estimate(const struct block_policy *p, const struct grid_source *g, bool has_code,
                       const u8 *code, enum block_metric m)
{
    const struct rut_config *c = p->config;
    struct rut *r = p->state;
    if (c->sched == SCHED_KERNEL)
        return kernel_of(r, g)->mean[m];
    return c->sched == SCHED_TB && has_code ? of_code(p, g, code[m])
                                            : means_find(&r->means, g->name, m);
}

static double load(const struct block_policy *p, u32 sm, enum block_metric m, u32 *blocks)
{
    double sum = 0;
    *blocks = 0;
    for (u32 slot = 0; slot < p->machine->blocks_per_sm; slot++) {
        const struct block_view *v = p->machine->running(p, sm, slot);
        if (!v || v->is_stopping)
            continue;
        sum += estimate(p, v->grid, v->has_code, v->code, m);
        ++*blocks;
    }
    return sum;
}

static bool tracks(const struct rut_config *c, enum block_metric m)
{
    return c->track == TRACK_BOTH || c->track == (m == USE_MEMORY ? TRACK_MEM : TRACK_FPU);
}

static double cap(const struct rut_config *c, enum block_metric m)
{
    return m == USE_MEMORY ? c->cap_mem : c->cap_fpu;
}

/* ---- which SM ---------------------------------------------------------------------------------
 */

static bool predict(struct block_policy *p, const struct grid_source *g, u64 block, u8 *code)
{
    const struct rut_config *c = p->config;
    const struct rut *r = p->state;
    if (c->sched != SCHED_TB || !c->predict)
        return false;
    memcpy(code, r->table[entry_of(r, g, block)], USE_METRICS);
    return true;
}

/* An SM that has no block takes any. */
static bool has_headroom(struct block_policy *p, const struct block_ask *a, u32 sm)
{
    const struct rut_config *c = p->config;
    u8 code[USE_METRICS];
    bool has_code = a->stopped ? a->stopped->has_code : predict(p, a->grid, a->block, code);
    if (a->stopped)
        memcpy(code, a->stopped->code, sizeof code);
    for (u32 m = 0; m < USE_METRICS; m++) {
        u32 blocks;
        double sum = load(p, sm, (enum block_metric)m, &blocks);
        if (blocks && tracks(c, (enum block_metric)m) &&
            sum + estimate(p, a->grid, has_code, code, (enum block_metric)m) >
                cap(c, (enum block_metric)m))
            return false;
    }
    return true;
}

/* One that has waited too long goes to the SM with the smallest load that has room. */
static u32 least_loaded(struct block_policy *p, const struct block_ask *a)
{
    u32 best = NO_SM, blocks;
    double least = 0;
    for (u32 k = 0; k < a->end - a->first; k++) {
        u32 sm = block_sm_after(a, k);
        if (block_was_given(a, sm) || !a->fits(a, sm))
            continue;
        double sum = load(p, sm, USE_MEMORY, &blocks) + load(p, sm, USE_FPU, &blocks);
        if (best == NO_SM || sum < least) {
            best = sm;
            least = sum;
        }
    }
    return best;
}

static u32 choose_sm(struct block_policy *p, const struct block_ask *a)
{
    struct rut *r = p->state;
    if (a->is_overdue)
        return least_loaded(p, a);
    for (u32 k = 0; k < a->end - a->first; k++) {
        u32 sm = block_sm_after(a, k);
        if (block_was_given(a, sm) || !a->fits(a, sm))
            continue;
        if (has_headroom(p, a, sm))
            return sm;
        r->counts.stalled++;
    }
    return NO_SM;
}

/* ---- what blocks use --------------------------------------------------------------------------
 */

static void poll(struct block_policy *p, const struct grid_source *g, struct block_poll *out)
{
    const struct rut_config *c = p->config;
    double kb = (double)block_context_bytes(g) / 1024, us = (double)p->machine->clock_hz / 1e6;
    double cycles = kb / c->poll_div * us;
    if (c->sched == SCHED_STATIC)
        return;
    if (c->preempt == STOP_SHUFFLE) { /* five times a shuffle, a microsecond at least */
        double shuffle = 5 * 2 * kb * 1024 / SHUFFLE_BYTES;
        cycles = shuffle > us ? shuffle : us;
    }
    *out = (struct block_poll){.cycles = cycles < 1 ? 1 : (cycle_t)(cycles + 0.5),
                               .scale = full_scale(p, g),
                               .bits = (u8)c->rut_bits};
}

static void note_in_table(struct block_policy *p, const struct block_view *v)
{
    struct rut *r = p->state;
    memcpy(r->table[entry_of(r, v->grid, v->block)], v->code, USE_METRICS);
}

static void ended(struct block_policy *p, const struct block_view *v)
{
    const struct rut_config *c = p->config;
    if (c->sched == SCHED_TB)
        note_in_table(p, v);
}

static void count_purge(struct block_policy *p, u32 sm, cycle_t now)
{
    struct rut *r = p->state;
    struct purge_window *w = &r->windows[sm];
    if (!w->blocks || now - w->since > PURGE_US * (p->machine->clock_hz / 1000000)) {
        *w = (struct purge_window){.since = now};
        load(p, sm, USE_MEMORY, &w->blocks);
        w->blocks++; /* the one that is stopping */
    }
    if (++w->stops * 2 >= w->blocks && w->blocks > 1) {
        r->counts.purges++;
        w->blocks = 0;
    }
}

static void stop(struct block_policy *p, const struct block_view *v, u32 slot, cycle_t now,
                 enum stop_reason why)
{
    const struct rut_config *c = p->config;
    struct rut *r = p->state;
    bool is_young = now - v->since < c->min_residency_us * (p->machine->clock_hz / 1000000);
    if (is_young || !p->machine->stop(p, v->sm, slot, (enum block_stop)c->preempt, why)) {
        r->counts.refused_full++;
        return;
    }
    r->counts.stops++;
    count_purge(p, v->sm, now);
}

/* Is it more of what a victim should be than another? */
static bool is_better(u32 victim, const struct block_view *a, const struct block_view *b)
{
    if (victim == VICTIM_LARGEST)
        return a->code[USE_MEMORY] + a->code[USE_FPU] > b->code[USE_MEMORY] + b->code[USE_FPU];
    return victim == VICTIM_OLDEST ? a->since < b->since : a->since >= b->since;
}

/* The slot of the block that is stopped: of the kernel that told, on its SM. */
static u32 choose_victim(const struct block_policy *p, const struct block_view *teller, u32 slot)
{
    const struct rut_config *c = p->config;
    const struct block_view *best = NULL;
    u32 victim = c->victim, at = NO_SM;
    if (victim == VICTIM_TELLER && c->sched != SCHED_KERNEL)
        return slot;
    for (u32 s = 0; s < p->machine->blocks_per_sm; s++) {
        const struct block_view *v = p->machine->running(p, teller->sm, s);
        if (!v || v->is_stopping || v->is_coming ||
            v->grid->application != teller->grid->application ||
            strcmp(v->grid->name, teller->grid->name) != 0 || (best && !is_better(victim, v, best)))
            continue;
        best = v;
        at = s;
    }
    return at;
}

/* Oversubscribed is tested before anything else. */
static void polled(struct block_policy *p, const struct block_view *v, u32 slot, const u8 *old,
                   cycle_t now)
{
    const struct rut_config *c = p->config;
    struct rut *r = p->state;
    struct rut_kernel *k = c->sched == SCHED_KERNEL ? kernel_of(r, v->grid) : NULL;
    bool too_much = false, fell = false;
    enum stop_reason why = STOPPED_AT_RANDOM;
    r->counts.updates++;
    for (u32 m = 0; m < USE_METRICS; m++) {
        double before = old ? of_code(p, v->grid, old[m]) : means_find(&r->means, v->grid->name, m);
        double is = of_code(p, v->grid, v->code[m]);
        bool rose = is > before;
        fell |= is < before;
        if (k) { /* a mean that forgets: the last reports count, of all its blocks */
            double share = of_code(p, v->grid, v->code[m]), was = k->mean[m];
            double weight = k->seen < 15 ? 1 / (k->seen + 1) : 1.0 / 16;
            k->mean[m] += (share - was) * weight;
            rose = k->mean[m] > was;
        }
        u32 blocks;
        if (rose && tracks(c, (enum block_metric)m) &&
            load(p, v->sm, (enum block_metric)m, &blocks) > cap(c, (enum block_metric)m) &&
            blocks > 1) {
            too_much = true;
            why = m == USE_MEMORY ? STOPPED_FOR_MEMORY : STOPPED_FOR_FPU;
        }
    }
    if (k)
        k->seen++;
    else
        note_in_table(p, v);
    r->counts.rises += too_much;
    r->counts.falls += fell && !too_much;
    if (!too_much || c->preempt == BLOCK_RUNS)
        return;
    u32 victim = choose_victim(p, v, slot);
    if (victim != NO_SM)
        stop(p, p->machine->running(p, v->sm, victim), victim, now, why);
}

static bool shuffles(const void *config)
{
    return ((const struct rut_config *)config)->preempt == STOP_SHUFFLE;
}

BLOCK_POLICY(rut) = {
    .version = POLICY_VERSION,
    .name = "rut",
    .source = "context-management spec 2.2",
    .params = params,
    .config_bytes = sizeof(struct rut_config),
    .state_bytes = sizeof(struct rut),
    .stats = stats,
    .stats_offset = offsetof(struct rut, counts),
    .choose_sm = choose_sm,
    .init = init,
    .predict = predict,
    .poll = poll,
    .polled = polled,
    .ended = ended,
    .stops_blocks = true,
    .shuffles = shuffles,
};

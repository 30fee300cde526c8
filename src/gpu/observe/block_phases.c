#include "gpu/observe/block_phases.h"

#include <math.h>
#include <string.h>

static const char *const length_names[PHASE_LENGTHS] = {"below_100us", "below_1ms", "below_10ms",
                                                        "below_100ms", "longer"};

/* clang-format off */
const struct stat_def phase_stats[] = {
    S_COUNT(phase_counts, blocks, "blocks", "blocks, identified by stream and number"),
    S_COUNT(phase_counts, sampled, "blocks", "blocks observed for 100 us or more"),
    S_COUNT(phase_counts, samples, "us", "total time in which blocks were observed"),
    S_COUNT(phase_counts, phases, "phases", "phases of blocks observed for 100 us or more, the last of each included"),
    S_COUNT(phase_counts, ended, "phases", "phases that ended with a shift of more than 5 %"),
    S_COUNT(phase_counts, shifts_mem, "shifts", "shifts of the LSU refusal share, taken alone"),
    S_COUNT(phase_counts, shifts_fpu, "shifts", "shifts of the floating-point share, taken alone"),
    S_MEAN(phase_counts, mem_us, samples, shifts_mem, "us", "mean time between shifts of the LSU refusal share"),
    S_MEAN(phase_counts, fpu_us, samples, shifts_fpu, "us", "mean time between shifts of the floating-point share"),
    S_COUNT(phase_counts, length_us, "us", "total length of the phases that ended"),
    S_MEAN(phase_counts, mean_us, length_us, ended, "us", "mean length of a phase that ended"),
    S_ARRAY(phase_counts, lengths, length_names, PHASE_LENGTHS, "phases", "phases that ended, by length"),
    S_COUNT(phase_counts, compared, "blocks", "blocks compared with the block of the same number in the previous launch"),
    S_COUNT(phase_counts, likeness, "blocks/1000000", "compared blocks, each weighted by the correlation of its launch (1 counts whole, -1 counts 0)"),
    S_FORMULA(correlation, "likeness / (compared * 500000) - 1", "ratio", "correlation between launches of what blocks execute"),
    S_END,
};
/* clang-format on */

struct block_phases *block_phases_add(struct arena *arena, u64 clock_hz)
{
    struct block_phases *p = ARENA_NEW(arena, struct block_phases);
    p->arena = arena;
    p->cycles_per_us = max_u64(1, clock_hz / 1000000);
    return p;
}

bool pairs_correlation(const struct phase_pairs *p, double *r)
{
    double vx = p->n * p->xx - p->x * p->x, vy = p->n * p->yy - p->y * p->y;
    if (p->n < 2 || vx <= 1e-9 * p->n * p->xx || vy <= 1e-9 * p->n * p->yy)
        return false;
    *r = fmax(-1, fmin(1, (p->n * p->xy - p->x * p->y) / sqrt(vx * vy)));
    return true;
}

/* ---- who is who --------------------------------------------------------------------------------
 */

static struct phase_stream *stream_of(struct block_phases *p, const struct grid_source *g)
{
    u32 i = 0;
    while (i < p->stream_count &&
           (p->streams[i].queue != g->queue || p->streams[i].application != g->application))
        i++;
    if (i == PHASE_STREAMS)
        return NULL;
    if (i == p->stream_count) {
        p->streams[i] = (struct phase_stream){.queue = g->queue, .application = g->application};
        p->stream_count++;
    }
    return &p->streams[i];
}

static struct phase_kernel *kernel_of(struct block_phases *p, const struct grid_source *g)
{
    u32 i = 0;
    size_t length = min_u64(strlen(g->name), sizeof p->kernels[0].name - 1);
    for (; i < p->kernel_count; i++) {
        struct phase_kernel *k = &p->kernels[i];
        if (k->application == g->application && k->queue == g->queue && strlen(k->name) == length &&
            memcmp(k->name, g->name, length) == 0)
            return k;
    }
    if (i == PHASE_KERNELS)
        return NULL;
    p->kernels[i] = (struct phase_kernel){.queue = g->queue, .application = g->application};
    memcpy(p->kernels[i].name, g->name, length);
    p->kernel_count++;
    return &p->kernels[i];
}

/* A launch is over: its blocks are those that the next are compared with. */
static void end_launch(struct block_phases *p, struct phase_kernel *k, double *correlation)
{
    double r;
    if (pairs_correlation(&k->pairs, &r)) {
        *correlation = r;
        p->counts.compared += (u64)k->pairs.n;
        p->counts.likeness += (u64)(k->pairs.n * (r + 1) / 2 * 1e6 + 0.5);
    }
    k->pairs = (struct phase_pairs){0};
    double *before = k->before;
    k->before = k->now;
    k->now = before;
    for (u32 i = 0; i < k->count; i++)
        k->now[i] = -1;
}

static double *grow(struct block_phases *p, const double *old, u32 count, u32 more)
{
    double *values = ARENA_ARRAY(p->arena, double, more);
    for (u32 i = 0; i < more; i++)
        values[i] = i < count ? old[i] : -1;
    return values;
}

void block_phases_kernel(struct block_phases *p, const struct grid_source *g, u64 launch)
{
    u64 blocks = grid_block(g, g->blocks - 1) + 1;
    u32 count = (u32)min_u64(blocks, PHASE_BLOCKS);
    struct phase_stream *s = stream_of(p, g);
    struct phase_kernel *k = kernel_of(p, g);
    if (s && s->count < count) {
        struct block_phase *more = ARENA_ARRAY(p->arena, struct block_phase, count);
        if (s->count)
            memcpy(more, s->blocks, s->count * sizeof *more);
        s->blocks = more;
        s->count = count;
    }
    if (k && k->count < count) {
        k->before = grow(p, k->before, k->count, count);
        k->now = grow(p, k->now, k->count, count);
        k->count = count;
    }
    if (k)
        k->launch = launch;
}

double block_phases_kernel_ended(struct block_phases *p, const struct grid_source *g)
{
    struct phase_kernel *k = kernel_of(p, g);
    double correlation = NAN;
    if (k)
        end_launch(p, k, &correlation);
    return correlation;
}

/* ---- what they use -----------------------------------------------------------------------------
 */

static void add_counts(struct use_counts *to, const struct use_counts *from)
{
    u64 *a = (u64 *)(void *)to;
    const u64 *b = (const u64 *)(const void *)from;
    for (u32 i = 0; i < sizeof *to / sizeof *a; i++)
        a[i] += b[i];
}

static void count_length(struct phase_counts *c, u64 us)
{
    u64 limit = 100;
    u32 i = 0;
    for (; i + 1 < PHASE_LENGTHS && us >= limit; i++)
        limit *= 10;
    c->lengths[i]++;
    c->length_us += us;
}

static void sample(struct block_phases *p, struct block_phase *b)
{
    const double values[PHASE_METRICS] = {use_share(&b->rest, USE_MEMORY),
                                          use_share(&b->rest, USE_FPU)};
    for (u64 us = b->rest.cycles / p->cycles_per_us; us > 0; us--) {
        if (phases_add(&b->phases, values)) {
            count_length(&p->counts, b->phases.samples - b->phases.began);
            b->phases.began = b->phases.samples;
        }
    }
    b->rest = (struct use_counts){0};
}

static void compare(struct block_phases *p, const struct block_view *v, double executed)
{
    struct phase_kernel *k = kernel_of(p, v->grid);
    if (!k || k->launch != v->launch || v->block >= k->count)
        return;
    k->now[v->block] = executed;
    if (k->before[v->block] >= 0)
        pairs_add(&k->pairs, k->before[v->block], executed);
}

void block_phases_used(struct block_phases *p, const struct block_view *v,
                       const struct use_counts *use, const struct use_counts *all)
{
    struct phase_stream *s = stream_of(p, v->grid);
    if (all)
        compare(p, v, (double)all->thread_instructions);
    if (!s || v->block >= s->count)
        return;
    struct block_phase *b = &s->blocks[v->block];
    add_counts(&b->rest, use);
    if (b->rest.cycles >= p->cycles_per_us)
        sample(p, b);
}

void block_phases_settle(struct block_phases *p)
{
    struct phase_counts *c = &p->counts;
    c->blocks = c->sampled = c->samples = c->phases = c->ended = c->shifts_mem = c->shifts_fpu = 0;
    for (u32 i = 0; i < p->stream_count; i++) {
        for (u32 n = 0; n < p->streams[i].count; n++) {
            const struct phases *b = &p->streams[i].blocks[n].phases;
            bool is_sampled = b->samples >= PHASE_WINDOW;
            c->blocks++;
            c->samples += b->samples;
            c->sampled += is_sampled;
            c->phases += is_sampled ? b->shifts + 1 : 0;
            c->ended += b->shifts;
            c->shifts_mem += b->shifts_of[0];
            c->shifts_fpu += b->shifts_of[1];
        }
    }
}

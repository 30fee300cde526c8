#include "run/sampled.h"

#include "gpu/gpu.h"
#include "ptx/launch_poll.h"
#include "ptx/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RECENT_PER_SECTOR 4u /* accesses that are remembered, per sector that L2 holds */
#define LEAST_RECENT ((u64)1 << 16)
#define MOST_RECENT ((u64)1 << 24)

#define MOST_DRIFT 0.1 /* of a value between waves: beyond it nothing is said of its error */
#define CYCLES 0u      /* in struct gpu_counters */

#define NAME(field, ...) #field,
static const char *const value_names[] = {GPU_NUMBERS(NAME)};

static u32 value_count(void)
{
    return 1 + GPU_NUMBERS_SIZE;
}

/*
 * Errors that are no sampling errors: a launch that is timed after others were not begins with
 * caches that were warmed without time, and waves differ from those that were compared. Their
 * standard deviation, as a share of what was not timed of a kernel, is taken from the programs of
 * studies/sampling (docs/howto/sampling.md); it is 0 for what is only executed.
 */
#define TIME_FLOOR 0.04   /* times, and what L1s and the network see */
#define MEMORY_FLOOR 0.01 /* misses of L2, DRAM's bytes */
#define FLOOR_DEGREES 24.0

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

static double floor_of(const char *name)
{
    static const char *const executed[] = {"warp_instructions",
                                           "thread_instructions",
                                           "unit_instructions",
                                           "load_requests",
                                           "loads",
                                           "stores",
                                           "atomics",
                                           "requests",
                                           "shared_accesses",
                                           "shared_passes",
                                           "constant_accesses",
                                           "texture_accesses"};
    static const char *const memory[] = {"l2_misses", "l2_read_sectors_missed", "dram_read_bytes",
                                         "dram_written_bytes"};
    return is_one_of(name, executed, ARRAY_LEN(executed)) ? 0
           : is_one_of(name, memory, ARRAY_LEN(memory))   ? MEMORY_FLOOR
                                                          : TIME_FLOOR;
}

void sampled_init(struct sampled *s, const struct sample_options *o, struct gpu *gpu,
                  struct engine *e)
{
    u64 wanted = gpu->config->l2.size_bytes / RECENT_SECTOR_BYTES * RECENT_PER_SECTOR, size;
    *s = (struct sampled){.gpu = gpu, .engine = e, .sm_count = gpu->config->sm.count};
    for (size = LEAST_RECENT; size < wanted && size < MOST_RECENT;)
        size *= 2;
    s->recent =
        (struct recent_lines){.entries = xrealloc(NULL, size * sizeof(u64)), .mask = size - 1};
    s->collectors = xrealloc(NULL, (s->sm_count + 1) * sizeof *s->collectors);
    memset(s->collectors, 0, (s->sm_count + 1) * sizeof *s->collectors);
    s->collectors[s->sm_count].recent = &s->recent;
    sample_init(&s->sample, o, value_count());
    s->floors[0] = TIME_FLOOR;
    for (u32 i = 0; i < gpu_counters_def.row_count; i++) {
        const struct snapshot_row *r = &gpu_counters_def.rows[i];
        for (u32 k = 0; k < r->count; k++)
            s->floors[1 + r->at + k] = floor_of(value_names[i]);
    }
    s->sample.floors = s->floors;
    s->sample.floor_degrees = FLOOR_DEGREES;
}

void sampled_fini(struct sampled *s)
{
    for (u32 i = 0; s->collectors && i <= s->sm_count; i++)
        collector_fini(&s->collectors[i]);
    free(s->collectors);
    free(s->recent.entries);
    if (s->has_estimates)
        sample_estimates_fini(&s->estimates);
    map_fini(&s->executed);
    sample_fini(&s->sample);
    *s = (struct sampled){0};
}

bool sampled_wants(struct sampled *s, const struct launch *l)
{
    struct launch_shape shape = {.kernel = kernel_info(l->kernel)->name,
                                 .shared_bytes = l->dynamic_shared_bytes};
    memcpy(shape.grid, l->grid, sizeof shape.grid);
    memcpy(shape.block, l->block, sizeof shape.block);
    return sample_wants(&s->sample, &shape);
}

/* ---- timed ---- */

/* In program order: a load goes to the L1 of its SM, everything to its bank. */
static void warm_caches(struct sampled *s)
{
    struct memory_system *m = s->gpu->memory;
    struct recent_lines *r = &s->recent;
    u64 line_bytes = s->gpu->config->line_bytes;
    u64 first = max_u64(recent_oldest(r), s->warmed);
    for (u64 i = first; i < r->count; i++) {
        u64 entry = r->entries[i & r->mask], at = entry & (((u64)1 << RECENT_SM_SHIFT) - 1);
        bool is_store = entry & RECENT_STORE;
        struct request q = {.line = at & ~(line_bytes - 1),
                            .sectors = 1u << (at % line_bytes / RECENT_SECTOR_BYTES),
                            .kind = is_store ? REQUEST_STORE : REQUEST_LOAD};
        u64 sm = entry >> RECENT_SM_SHIFT;
        if (sm < s->sm_count && is_store)
            l1_warm_store(&s->gpu->cluster.sms[sm].l1, q.line);
        else if (sm < s->sm_count)
            l1_warm(&s->gpu->cluster.sms[sm].l1, q.line, q.sectors);
        if (m->banks)
            bank_warm(&m->banks[address_place(&m->map, q.line).bank], &q);
    }
    s->warming_sectors += r->count - first;
    s->warmed = r->count;
}

void sampled_begin(struct sampled *s, struct ptx_source *source)
{
    s->source = source;
    s->launch = NULL;
    ptx_source_observe(source, s->collectors, s->sm_count);
    if (s->gpu->config->launch.caches != CACHES_COLD)
        warm_caches(s);
}

static void take_counters(struct sampled *s, struct gpu_counters *n)
{
    s->engine->sampling = true; /* between two instants */
    gpu_settle(s->gpu);
    s->engine->sampling = false;
    gpu_counters(s->gpu, n);
}

static u64 key_of(const struct launch *l)
{
    return (u64)(uintptr_t)l->kernel;
}

static u64 blocks_executed(const struct sampled *s, const struct launch *l)
{
    u64 blocks = 0;
    map_get(&s->executed, key_of(l), &blocks);
    return blocks;
}

/* Blocks that wait for each other must all be there. */
void sampled_launch(struct sampled *s, const struct launch *l, const struct grid_source *grid)
{
    if (s->gpu->config->launch.caches != CACHES_COLD)
        gpu_warm_code(s->gpu, grid, (u32)min_u64(blocks_executed(s, l), s->sm_count));
    bool clustered = l->cluster[0] * l->cluster[1] * l->cluster[2] > 1;
    if (l->cooperative || clustered || kernel_may_wait(l->kernel))
        return;
    s->launch = l;
    block_sampling_begin(&s->blocks, s->gpu, s->source, grid, s->sample.options.precision,
                         (double)s->sample.options.first - s->sample.timed_instructions,
                         &s->before);
}

/* Do the blocks that were left out do the same as those that were timed? Sizes are of a block. */
static bool rest_is_alike(const struct sampled *s, const struct signature *timed, u64 timed_blocks)
{
    const double scale = 1024;
    struct signature rest, first = *timed;
    signature_sum(&rest, &s->collectors[s->sm_count], 1);
    u64 rest_blocks = s->blocks.blocks - timed_blocks;
    rest.warp_instructions = (u64)(scale * (double)rest.warp_instructions / (double)rest_blocks);
    first.warp_instructions = (u64)(scale * (double)first.warp_instructions / (double)timed_blocks);
    rest.footprint_sectors = first.footprint_sectors;
    return signature_distance(&first, &rest) <= 1;
}

/* What the blocks that were left out would have added, each value at the rate of the waves. */
static void predict_rest(const struct sampled *s, double instructions, bool is_alike,
                         double *values, double *variances)
{
    const struct wave_mark *m = s->blocks.marks;
    double wave = (m[WAVES].instructions - m[0].instructions) / WAVES;
    double waves = instructions / wave;
    for (u32 i = 0; i < GPU_NUMBERS_SIZE; i++) {
        double rate, variance;
        waves_rate(m, i, &rate, &variance);
        values[1 + i] += rate * instructions;
        variances[1 + i] = !is_alike || waves_drift(m, i, MOST_DRIFT)
                               ? INFINITY
                               : variance * pow(rate * wave, 2) * (waves * waves / WAVES + waves);
    }
    values[0] = values[1 + CYCLES];
    variances[0] = variances[1 + CYCLES];
}

static u64 blocks_of(const struct launch *l)
{
    return (u64)l->grid[0] * l->grid[1] * l->grid[2];
}

static void poll_executing(void *context, u64 ended_blocks)
{
    struct sampled *s = context;
    s->blocks_executed = ended_blocks;
    if (s->poll)
        s->poll();
}

/* The last collector learns of it. False: a fault. */
static bool execute(struct sampled *s, struct launch *l, enum launch_fault *fault, struct err *err)
{
    const struct launch_poll poll = {s, poll_executing};
    l->signature = &s->collectors[s->sm_count];
    s->executing = kernel_info(l->kernel)->name;
    s->blocks_executed = l->first_block;
    s->blocks_to_execute = blocks_of(l);
    bool ok = launch_run_polled(l, &poll, NULL, fault, err);
    s->executing = NULL;
    return ok;
}

static bool execute_rest(struct sampled *s, u64 first_block, enum launch_fault *fault,
                         struct err *err)
{
    struct launch rest = *s->launch;
    rest.first_block = first_block;
    rest.clock = engine_cycle(s->engine, 0);
    s->shortened++;
    return execute(s, &rest, fault, err);
}

bool sampled_ended(struct sampled *s, const struct grid_run *run, enum launch_fault *fault,
                   struct err *err)
{
    struct signature timed, all;
    struct gpu_counters now, n;
    double values[1 + GPU_NUMBERS_SIZE], variances[1 + GPU_NUMBERS_SIZE];
    bool is_short = s->launch && run->is_cut && s->blocks.has_cut;
    if (s->launch)
        block_sampling_end(&s->blocks);
    take_counters(s, &now);
    n = now;
    gpu_counters_subtract(&n, &s->before);
    s->before = now;
    values[0] = (double)n.cycles;
    for (u32 i = 0; i < GPU_NUMBERS_SIZE; i++)
        values[1 + i] = (double)((const u64 *)(const void *)&n)[i];
    signature_sum(&timed, s->collectors, s->sm_count);
    all = timed;
    if (is_short) {
        if (!execute_rest(s, run->source.blocks, fault, err))
            return false;
        signature_sum(&all, s->collectors, s->sm_count + 1);
        predict_rest(s, (double)(all.warp_instructions - timed.warp_instructions),
                     rest_is_alike(s, &timed, run->source.blocks), values, variances);
    }
    struct sample_measure m = {values, is_short ? variances : NULL,
                               (double)timed.warp_instructions};
    sample_ended(&s->sample, &all, &m);
    s->collectors[s->sm_count].program = NULL;
    return true;
}

/* ---- executed ---- */

bool sampled_execute(struct sampled *s, const struct launch *l, enum launch_fault *fault,
                     struct err *err)
{
    struct launch untimed = *l;
    struct signature signature;
    if (!execute(s, &untimed, fault, err))
        return false;
    map_put(&s->executed, key_of(l), blocks_executed(s, l) + blocks_of(l));
    signature_sum(&signature, untimed.signature, 1);
    sample_ended(&s->sample, &signature, NULL);
    return true;
}

/* ---- what is told ---- */

void sampled_end(struct sampled *s)
{
    if (s->has_estimates)
        return;
    sample_estimate(&s->sample, &s->estimates);
    s->has_estimates = true;
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static void print_total(struct text *out, const struct sample_total *t)
{
    text_printf(out, "%.4g M", t->estimate / 1e6);
    if (t->is_unknown)
        text_printf(out, " (no interval: too few were timed, or the rate drifted)");
    else
        text_printf(out, " +- %.2g %%", percent(t->half_width, t->estimate));
}

static u32 value_of(size_t offset)
{
    return 1 + (u32)(offset / sizeof(u64));
}

void sampled_summary(const struct sampled *s, struct text *out)
{
    const struct sample_totals *p = &s->estimates.program;
    if (p->timed == p->launches && !s->shortened) {
        text_printf(out, "  sampled       all %llu launches were timed, nothing is estimated\n",
                    (unsigned long long)p->launches);
        return;
    }
    text_printf(out,
                "  sampled       %llu of %llu launches timed, %.2f %% of the instructions; the "
                "figures above are theirs\n  the program   ",
                (unsigned long long)p->timed, (unsigned long long)p->launches,
                percent(p->timed_instructions, p->instructions));
    print_total(out, &p->values[0]);
    text_printf(out, " cycles, DRAM bytes read ");
    print_total(out, &p->values[value_of(offsetof(struct gpu_counters, dram_read_bytes))]);
    text_printf(out, ", L2 misses ");
    print_total(out, &p->values[value_of(offsetof(struct gpu_counters, l2_misses))]);
    text_printf(out, " (95 %% intervals)\n");
    if (p->unseen > 0)
        text_printf(
            out,
            "  not timed     %.2f %% of the instructions are in launches of kinds never timed\n",
            percent(p->unseen, p->instructions));
}

bool sampled_is_executing(const struct sampled *s, char *out, size_t size)
{
    if (s->executing)
        snprintf(out, size, "%.60s: %llu of %llu blocks, executed without timing", s->executing,
                 (unsigned long long)s->blocks_executed, (unsigned long long)s->blocks_to_execute);
    return s->executing != NULL;
}

double sampled_share_executed(const struct sampled *s)
{
    return s->blocks_to_execute ? (double)s->blocks_executed / (double)s->blocks_to_execute : 0;
}

void sampled_progress(const struct sampled *s, char *out, size_t size)
{
    const struct sample *all = &s->sample;
    if (!all->seen)
        return;
    snprintf(out, size,
             "; %u of %llu ended launches timed, %.3g %% of %.4g M warp instructions, about %.4g M "
             "cycles in all",
             all->launch_count, (unsigned long long)all->seen,
             percent(all->timed_instructions, all->instructions), all->instructions / 1e6,
             all->predicted / 1e6);
}

#define MOST_WHOLE 9007199254740992.0 /* 2^53: beyond it there are no fractions */

/* Whole numbers, all of what was timed, without a fraction of 0: they are written sooner. */
static json_t *number(double value)
{
    bool is_whole = fabs(value) < MOST_WHOLE && floor(value) == value;
    return is_whole ? json_integer((json_int_t)value) : json_real(value);
}

static void set(json_t *o, const char *name, double value)
{
    json_object_set_new(o, name, number(value));
}

static json_t *about_total(const struct sample_total *t)
{
    json_t *o = json_object();
    set(o, "estimate", t->estimate);
    json_object_set_new(o, "half_width", t->is_unknown ? json_null() : number(t->half_width));
    return o;
}

static json_t *about_totals(const struct sample_totals *t)
{
    json_t *o = json_object(), *values = json_object();
    const struct snapshot_def *def = &gpu_counters_def;
    if (t->kernel)
        json_object_set_new(o, "name", json_string(t->kernel));
    json_object_set_new(o, "launches", json_integer((json_int_t)t->launches));
    json_object_set_new(o, "timed_launches", json_integer((json_int_t)t->timed));
    set(o, "ptx_warp_instructions", t->instructions);
    set(o, "timed_share", t->instructions > 0 ? t->timed_instructions / t->instructions : 1);
    set(o, "unseen_share", t->instructions > 0 ? t->unseen / t->instructions : 0);
    json_object_set_new(values, "cycles", about_total(&t->values[0]));
    for (u32 i = 0; i < def->row_count; i++) {
        const struct snapshot_row *r = &def->rows[i];
        if (r->statistic && r->count == 1)
            json_object_set_new(values, value_names[i], about_total(&t->values[1 + r->at]));
    }
    json_object_set_new(o, "totals", values);
    return o;
}

json_t *sampled_json(const struct sampled *s)
{
    const struct sample_estimates *e = &s->estimates;
    json_t *o = about_totals(&e->program), *kernels = json_array();
    set(o, "confidence", 0.95);
    json_object_set_new(o, "classes", json_integer(e->class_count));
    json_object_set_new(o, "shortened_launches", json_integer((json_int_t)s->shortened));
    json_object_set_new(o, "warming_sectors", json_integer((json_int_t)s->warming_sectors));
    json_object_set_new(o, "not_estimated",
                        json_string("histograms, levels, series and statistics of single units: "
                                    "those in this file are of the timed launches"));
    for (u32 k = 0; k < e->kernel_count; k++)
        json_array_append_new(kernels, about_totals(&e->kernels[k]));
    json_object_set_new(o, "kernels", kernels);
    return o;
}

bool sampled_is_total(const char *name)
{
    const struct snapshot_def *def = &gpu_counters_def;
    bool is_total = strcmp(name, "cycles") == 0;
    for (u32 i = 0; i < def->row_count; i++) {
        const struct snapshot_row *r = &def->rows[i];
        is_total |= r->statistic && r->count == 1 && strcmp(name, value_names[i]) == 0;
    }
    return is_total;
}

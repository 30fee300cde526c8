#include "run/block_sampling.h"

#include "device/recent_lines.h"
#include "gpu/gpu.h"
#include "stats/estimate.h"

#include <math.h>
#include <string.h>

#define CYCLES 0u      /* in struct gpu_counters */
#define LEAST_WAVES 8u /* of a kernel: fewer are timed whole */

static double number(const struct wave_mark *m, u32 value)
{
    return (double)((const u64 *)(const void *)&m->numbers)[value];
}

void waves_rate(const struct wave_mark *marks, u32 value, double *rate, double *variance)
{
    double instructions = marks[WAVES].instructions - marks[0].instructions, squares = 0;
    double all = number(&marks[WAVES], value) - number(&marks[0], value);
    *rate = instructions > 0 ? all / instructions : 0;
    for (u32 i = 0; i < WAVES; i++) {
        double x = marks[i + 1].instructions - marks[i].instructions;
        squares += pow(number(&marks[i + 1], value) - number(&marks[i], value) - *rate * x, 2);
    }
    double mean = all / WAVES;
    *variance = mean > 0 ? squares / (WAVES - 1) / (mean * mean) : 0;
}

static double rate_between(const struct wave_mark *a, const struct wave_mark *b, u32 value)
{
    return (number(b, value) - number(a, value)) / (b->instructions - a->instructions);
}

bool waves_drift(const struct wave_mark *marks, u32 value, double tolerance)
{
    double rate = rate_between(&marks[0], &marks[WAVES], value);
    double first = rate_between(&marks[0], &marks[WAVES / 2], value);
    double last = rate_between(&marks[WAVES / 2], &marks[WAVES], value);
    return fabs(first - last) > tolerance * rate;
}

/* Of the rest each wave is off by itself, and all by the error of the rate. */
bool waves_agree(const struct wave_mark *marks, double waves_left, double precision)
{
    double rate, variance, n = WAVES;
    waves_rate(marks, CYCLES, &rate, &variance);
    double half = student_t(n - 1) * sqrt(variance * (waves_left * waves_left / n + waves_left));
    return rate > 0 && half <= precision * waves_left && !waves_drift(marks, CYCLES, precision);
}

static u64 filled_bytes(const struct gpu_counters *n)
{
    return (n->l2_read_sectors_missed + n->l2_write_sectors) * RECENT_SECTOR_BYTES;
}

bool waves_fill(const struct wave_mark *marks, u64 filled, double waves_left, u64 cache_bytes)
{
    double first = (double)(filled_bytes(&marks[0].numbers) - filled);
    double now = (double)(filled_bytes(&marks[WAVES].numbers) - filled);
    double whole = now + (now - first) / WAVES * waves_left;
    return first >= (double)cache_bytes || whole < (double)cache_bytes;
}

static void mark_wave(struct block_sampling *b)
{
    if (b->count == WAVES + 1)
        memmove(b->marks, b->marks + 1, WAVES * sizeof *b->marks);
    else
        b->count++;
    struct wave_mark *m = &b->marks[b->count - 1];
    gpu_settle(b->gpu);
    gpu_counters(b->gpu, &m->numbers);
    m->instructions = (double)ptx_source_counts(b->source).warp_instructions;
}

static void block_ended(void *context, const struct grid_run *run)
{
    struct block_sampling *b = context;
    b->seen++;
    if (b->has_cut || b->seen % b->wave)
        return;
    mark_wave(b);
    double left = (double)(b->blocks - run->next_block) / (double)b->wave;
    if (b->count <= WAVES || left < 1 || b->marks[WAVES].instructions < b->least ||
        !waves_fill(b->marks, b->filled, left, b->gpu->config->l2.size_bytes) ||
        !waves_agree(b->marks, left, b->precision))
        return;
    b->has_cut = true;
    dispatcher_cut(&b->gpu->cluster.dispatcher);
}

void block_sampling_begin(struct block_sampling *b, struct gpu *gpu,
                          const struct ptx_source *source, const struct grid_source *grid,
                          double precision, double least, const struct gpu_counters *before)
{
    struct dispatcher *d = &gpu->cluster.dispatcher;
    *b = (struct block_sampling){.gpu = gpu,
                                 .source = source,
                                 .precision = precision,
                                 .least = least,
                                 .blocks = grid->blocks,
                                 .filled = filled_bytes(before),
                                 .wave = (u64)gpu->config->sm.count *
                                         max_u64(sm_blocks_that_fit(&gpu->config->sm, grid), 1)};
    if (grid->blocks < LEAST_WAVES * b->wave)
        return;
    d->on_block = block_ended;
    d->block_context = b;
}

void block_sampling_end(struct block_sampling *b)
{
    b->gpu->cluster.dispatcher.on_block = NULL;
}

/*
 * How often each value occurred, in a fixed number of bins.
 *
 * Linear: bin i holds i*width .. (i+1)*width-1, the last bin everything above.
 * Logarithmic: bin 0 holds 0, bin i holds 2^(i-1) .. 2^i-1.
 * Bins come from an arena; adding a sample is a few instructions.
 */
#ifndef STATS_HISTOGRAM_H
#define STATS_HISTOGRAM_H

#include "base/arena.h"
#include "base/types.h"

struct histogram {
    u64 *bins;
    u32 bin_count;
    u32 width; /* 0: logarithmic */
    u64 samples, sum, smallest, largest;
};

void histogram_init_linear(struct histogram *h, struct arena *arena, u32 bins, u32 width);
void histogram_init_log(struct histogram *h, struct arena *arena, u32 bins);
/* Adds other's samples; both have the same shape. */
void histogram_merge(struct histogram *h, const struct histogram *other);
/* The smallest value of a bin. */
u64 histogram_bin_start(const struct histogram *h, u32 bin);

static inline u32 histogram_bin(const struct histogram *h, u64 value)
{
    u64 bin = h->width ? value / h->width : value ? 64u - (u32)__builtin_clzll(value) : 0;
    return bin < h->bin_count ? (u32)bin : h->bin_count - 1;
}

static inline void histogram_add_many(struct histogram *h, u64 value, u64 times)
{
    h->bins[histogram_bin(h, value)] += times;
    h->samples += times;
    h->sum += value * times;
    if (value < h->smallest)
        h->smallest = value;
    if (value > h->largest)
        h->largest = value;
}

static inline void histogram_add(struct histogram *h, u64 value)
{
    histogram_add_many(h, value, 1);
}

#endif

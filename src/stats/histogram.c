#include "stats/histogram.h"

#include <assert.h>

static void init(struct histogram *h, struct arena *arena, u32 bins, u32 width)
{
    assert(bins > 0);
    *h = (struct histogram){
        .bins = ARENA_ARRAY(arena, u64, bins),
        .bin_count = bins,
        .width = width,
        .smallest = UINT64_MAX,
    };
}

void histogram_init_linear(struct histogram *h, struct arena *arena, u32 bins, u32 width)
{
    assert(width > 0);
    init(h, arena, bins, width);
}

void histogram_init_log(struct histogram *h, struct arena *arena, u32 bins)
{
    init(h, arena, bins, 0);
}

void histogram_merge(struct histogram *h, const struct histogram *other)
{
    assert(h->bin_count == other->bin_count && h->width == other->width);
    for (u32 i = 0; i < h->bin_count; i++)
        h->bins[i] += other->bins[i];
    h->samples += other->samples;
    h->sum += other->sum;
    h->smallest = min_u64(h->smallest, other->smallest);
    h->largest = max_u64(h->largest, other->largest);
}

u64 histogram_bin_start(const struct histogram *h, u32 bin)
{
    if (h->width)
        return (u64)bin * h->width;
    return bin ? (u64)1 << (bin - 1) : 0;
}

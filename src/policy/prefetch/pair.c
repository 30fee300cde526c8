/*
 * The other half of an aligned pair of lines, when one half misses: a cache whose lines are half as
 * long as what a miss brings. It stands for lines of 128 bytes in a machine of lines of 64
 * (Milic 2017, chapter 4); the two halves are given up one by one.
 */
#include "cpu/prefetcher.h"

static void access_line(struct prefetcher *p, const struct prefetch_access *a,
                        struct prefetches *out)
{
    (void)p;
    if (!a->hit)
        prefetches_add(out, a->line ^ a->line_bytes);
}

PREFETCHER(pair) = {
    .version = POLICY_VERSION,
    .name = "pair",
    .source = "Milic 2017, chapter 4: I-cache lines of 128 bytes",
    .access = access_line,
};

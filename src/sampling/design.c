#include "sampling/design.h"

#include <stdio.h>

static void begin_run(struct design *d)
{
    d->position = d->certain = 0;
    d->drawn = (u32)rng_below(&d->rng, d->length);
}

void design_init(struct design *d, u32 longest, u64 seed, u64 identity)
{
    char stream[48];
    *d = (struct design){.longest = longest, .length = 1};
    snprintf(stream, sizeof stream, "sampling.%llx", (unsigned long long)identity);
    rng_init(&d->rng, seed, stream);
    begin_run(d);
}

bool design_draws(struct design *d)
{
    return d->position++ == d->drawn;
}

void design_adds(struct design *d)
{
    d->certain++;
}

u32 design_stands_for(const struct design *d)
{
    return d->position < d->length ? 0 : d->length - d->certain;
}

void design_next(struct design *d, bool is_steady)
{
    u32 wanted = d->length == 1 ? DESIGN_CERTAIN : 2;
    u32 length = d->length;
    d->runs++;
    if (!is_steady && length > 1)
        d->length = length / 2;
    else if (is_steady && d->runs >= wanted && length < d->longest)
        d->length = 2 * length < d->longest ? 2 * length : d->longest;
    if (d->length != length)
        d->runs = 0;
    begin_run(d);
}

u32 design_last(const struct design *d)
{
    return d->position > d->drawn ? d->position - d->certain : 0;
}

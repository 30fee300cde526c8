#include "cpu/direction.h"

void direction_init(struct direction_predictor *d, struct arena *arena, struct policy_choice base,
                    u32 loop_entries)
{
    branch_predictor_init(&d->base, arena, base);
    loop_predictor_init(&d->loop, arena, loop_entries);
}

u64 direction_storage_bits(const struct direction_predictor *d)
{
    return d->base.ops->storage_bits(d->base.config) +
           (u64)d->loop.sets * LOOP_WAYS * LOOP_ENTRY_BITS;
}

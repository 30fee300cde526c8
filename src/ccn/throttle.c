#include "ccn/throttle.h"

/* Instructions since the epoch began; begins new ones. */
static u64 phase(struct throttle *t, u64 instructions)
{
    u64 period = t->config->period_instructions, past = instructions - t->start;
    if (past >= period) {
        t->epoch += past / period;
        t->start += past / period * period;
        t->total = t->hits = 0;
        t->decided = false;
    }
    return instructions - t->start;
}

bool throttle_allows(struct throttle *t, u64 instructions)
{
    if (!t->config->enabled || phase(t, instructions) < t->config->sample_instructions)
        return true;
    if (!t->decided) {
        /* no request at all says nothing against asking; a rate of just least_hit_rate is
         * enough (the thesis leaves both open) */
        t->on = !t->total || (double)t->hits >= t->config->least_hit_rate * (double)t->total;
        t->decided = true;
        *t->epochs_on += t->on;
        *t->epochs_off += !t->on;
    }
    return t->on;
}

void throttle_resolved(struct throttle *t, u64 instructions, u64 epoch, bool hit)
{
    if (!t->config->enabled || phase(t, instructions) >= t->config->sample_instructions)
        return;
    if ((u32)epoch != (u32)t->epoch) /* requests carry the low half */
        return;
    t->total++;
    t->hits += hit;
}

#include "gpu/observe/reuse.h"

/* clang-format off */
const struct stat_def reuse_stats[] = {
    S_COUNT(reuse_counts, misses, "requests", "load misses sent below the L1"),
    S_COUNT(reuse_counts, remote, "requests", "load misses whose line was valid in another L1"),
    S_RATIO(reuse_counts, coefficient, remote, misses, "share of load misses another L1 could have answered (uRC)"),
    S_HISTOGRAM(reuse_counts, sharers, "SM", "copies of missed lines found in other L1s, one bin per SM"),
    S_END,
};
/* clang-format on */

static bool has_line(const struct sm *sm, u64 line)
{
    const struct tags *t = &sm->l1.cache.tags;
    u32 set = tags_set(t, line), way = tags_find(t, set, line);
    return way != NO_WAY && tags_line(t, set, way)->state == LINE_VALID;
}

static void look(struct reuse *r, u32 asker, u64 line)
{
    struct reuse_counts *c = &r->counts[asker];
    bool found = false;
    for (u32 i = 0; i < r->count; i++) {
        if (i == asker || !has_line(&r->sms[i], line))
            continue;
        histogram_add(&c->sharers, i);
        found = true;
    }
    c->misses++;
    c->remote += found;
}

static cycle_t reuse_tick(void *self, cycle_t now)
{
    struct reuse *r = self;
    (void)now;
    for (u32 i = 0; i < r->count; i++) {
        for (u32 k = 0; k < r->logs[i].count; k++)
            look(r, i, r->logs[i].lines[k]);
        r->logs[i].count = 0;
    }
    return CYCLE_NEVER;
}

void reuse_init(struct reuse *r, struct sim *sim, domain_id domain, struct sm *sms, u32 count)
{
    *r = (struct reuse){.sms = sms, .count = count, .engine = &sim->engine};
    r->logs = ARENA_ARRAY(&sim->arena, struct reuse_log, count);
    r->counts = ARENA_ARRAY(&sim->arena, struct reuse_counts, count);
    r->unit = engine_add_unit(&sim->engine, domain, "reuse oracle", reuse_tick, r);
    for (u32 i = 0; i < count; i++) {
        histogram_init_linear(&r->counts[i].sharers, &sim->arena, count, 1);
        r->logs[i].reuse = r;
    }
}

static void note_miss(struct l1 *l, struct l1_attachment *a, const struct request *r, u32 set,
                      bool merged)
{
    struct reuse_log *log = (struct reuse_log *)a;
    (void)l, (void)set;
    if (merged || r->flags & REQUEST_LOCAL || log->count == ARRAY_LEN(log->lines))
        return;
    log->lines[log->count++] = r->line;
    engine_wake(log->reuse->engine, log->reuse->unit);
}

void reuse_watch(struct reuse *r)
{
    static const struct l1_hooks hooks = {.missed = note_miss};
    for (u32 i = 0; i < r->count; i++)
        l1_attach(&r->sms[i].l1, &r->logs[i].attached, &hooks);
}

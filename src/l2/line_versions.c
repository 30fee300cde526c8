#include "mem/versions.h"

#include "base/map.h"

#define ENTRIES                                                                                    \
    ((u32)1 << 23) /* lines that can be remembered: half of them, 512 MiB of 128 bytes */

/* clang-format off */
static const struct stat_def versions_stats[] = {
    S_COUNT(versions_counts, written, "lines", "stores and atomics that took place"),
    S_COUNT(versions_counts, checked, "lines", "reads whose version was looked at"),
    S_COUNT(versions_counts, stale, "lines", "reads that did not see what an earlier kernel wrote"),
    S_COUNT(versions_counts, forgotten, "lines", "for which the checker had no room"),
    S_LAW(fresh, "stale == 0", "every read sees what earlier kernels wrote"),
    S_END,
};
/* clang-format on */

void versions_init(struct versions *v, const struct build_site *site)
{
    *v = (struct versions){.mask = ENTRIES - 1};
    v->table = ARENA_ARRAY(&site->sim->arena, struct version_entry, ENTRIES);
    stats_add(&site->sim->stats, site->node, "versions", STAT_NO_INDEX, versions_stats, &v->counts);
}

void versions_next(struct versions *v)
{
    v->kernel++;
}

/* NULL: it has none, and with `adds` there is no room for one. */
static struct version_entry *find(struct versions *v, u64 line, bool adds)
{
    for (u64 i = hash_u64(line / 4096) + line / 32 % 128;; i++) { /* neighbours share host pages */
        struct version_entry *e = &v->table[i & v->mask];
        if (e->line == line + 1)
            return e;
        if (e->line)
            continue;
        if (!adds)
            return NULL;
        if (v->count > v->mask / 2) {
            v->counts.forgotten++;
            return NULL;
        }
        v->count++;
        e->line = line + 1;
        return e;
    }
}

u32 versions_wrote(struct versions *v, u64 line)
{
    struct version_entry *e = find(v, line, true);
    v->counts.written++;
    if (e && e->newest != v->kernel) {
        e->before = e->newest;
        e->newest = v->kernel;
    }
    return v->kernel;
}

void versions_landed(struct versions *v, u64 line, u32 version)
{
    struct version_entry *e = find(v, line, true);
    if (e && e->memory < version)
        e->memory = version;
}

u32 versions_in_memory(struct versions *v, u64 line)
{
    const struct version_entry *e = find(v, line, false);
    return e ? e->memory : 0;
}

void versions_check(struct versions *v, u64 line, u32 version)
{
    const struct version_entry *e = find(v, line, false);
    v->counts.checked++;
    if (!e || version >= (e->newest < v->kernel ? e->newest : e->before))
        return;
    if (!v->counts.stale++)
        v->first_stale_line = line;
}

void versions_keep(struct cache *c, struct arena *arena)
{
    c->versions = ARENA_ARRAY(arena, u32, (size_t)c->tags.sets * c->tags.ways);
}

#include "l2/line_versions.h"

#include "base/map.h"

#define ENTRIES                                                                                    \
    ((u32)1 << 23) /* lines that can be remembered: half of them, 512 MiB of 128 bytes */

#define WARPS ((u32)1 << 18) /* of 16 sockets with 256 SMs of 64 */

/* clang-format off */
static const struct stat_def versions_stats[] = {
    S_COUNT(versions_counts, written, "lines", "lines written by stores and atomics"),
    S_COUNT(versions_counts, checked, "lines", "lines read and checked"),
    S_COUNT(versions_counts, stale, "lines", "lines read without the data of an earlier kernel, or of a fence that released it before the read"),
    S_COUNT(versions_counts, forgotten, "lines", "lines the checker had no room for"),
    S_LAW(fresh, "stale == 0", "every read sees what earlier kernels wrote and earlier fences released"),
    S_END,
};
/* clang-format on */

void versions_init(struct versions *v, const struct build_site *site)
{
    *v = (struct versions){.mask = ENTRIES - 1};
    v->warps = ARENA_ARRAY(&site->sim->arena, struct version_warp, WARPS);
    v->table = ARENA_ARRAY(&site->sim->arena, struct version_entry, ENTRIES);
    stats_add(&site->sim->stats, site->node, "versions", STAT_NO_INDEX, versions_stats, &v->counts);
}

void versions_next(struct versions *v)
{
    v->kernel = v->written;
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

/* The number of the first fence that is known to have released a write; 0: none has. */
static u32 released_by(const struct versions *v, u32 warp, u32 version)
{
    u32 first = 0;
    if (warp == NO_VERSION_WARP)
        return 0;
    const struct version_warp *w = &v->warps[warp];
    for (u32 i = 0; i < VERSION_FENCES; i++) {
        u32 number = w->fences[i].number;
        if (number && w->fences[i].written >= version && (!first || number < first))
            first = number;
    }
    return first;
}

u32 versions_wrote(struct versions *v, u64 line, u32 warp)
{
    struct version_entry *e = find(v, line, true);
    v->counts.written++;
    v->written++;
    if (!e)
        return v->written;
    u32 by = e->newest ? released_by(v, e->writer, e->newest) : 0;
    if (by) {
        e->released = e->newest;
        e->released_by = by;
    }
    if (e->newest <= v->kernel)
        e->before = e->newest;
    e->newest = v->written;
    e->writer = warp;
    return v->written;
}

void versions_fence_begins(struct versions *v, u32 warp)
{
    struct version_warp *w = &v->warps[warp];
    w->began_written = v->written;
    w->began = v->fences;
}

void versions_fence_ends(struct versions *v, u32 warp, cycle_t now)
{
    struct version_warp *w = &v->warps[warp];
    w->fences[w->next].written = w->began_written;
    w->fences[w->next].number = ++v->fences;
    w->next = (w->next + 1) % VERSION_FENCES;
    w->sees = w->began;
    w->since = now;
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

/* The write that a read must see at least: of an earlier kernel, or released before its warp's last
 * fence. */
static u32 needed(const struct versions *v, const struct version_entry *e, u32 warp, cycle_t issued)
{
    u32 kernel = e->newest <= v->kernel ? e->newest : e->before, by;
    if (warp == NO_VERSION_WARP || issued <= v->warps[warp].since || !v->warps[warp].sees)
        return kernel;
    u32 sees = v->warps[warp].sees;
    by = released_by(v, e->writer, e->newest);
    if (by && by <= sees)
        return e->newest;
    return e->released_by && e->released_by <= sees && e->released > kernel ? e->released : kernel;
}

void versions_check(struct versions *v, u64 line, u32 version, u32 warp, cycle_t issued)
{
    const struct version_entry *e = find(v, line, false);
    v->counts.checked++;
    if (!e || version >= needed(v, e, warp, issued))
        return;
    if (!v->counts.stale++)
        v->first_stale_line = line;
}

void versions_keep(struct cache *c, struct arena *arena)
{
    c->versions = ARENA_ARRAY(arena, u32, (size_t)c->tags.sets * c->tags.ways);
}

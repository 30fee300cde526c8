#include "front_end/icache_run.h"

#include "config/config.h"
#include "front_end/section.h"
#include "mem/request.h"
#include "policy/registry.h"

#define ADDRESS_BITS 48u

/* clang-format off */
const struct param icache_run_params[] = {
    P_U32(icache_run_config, size_bytes, 32768, 32, 16777216, "bytes", "capacity", "Milic 2017, chapter 4: 8, 16, 32 KB"),
    P_U32(icache_run_config, ways, 4, 1, 64, "lines", "lines per set, replaced by LRU", "hpc-cores spec 1.1: 1, 2, 4, 8"),
    P_U32(icache_run_config, line_bytes, 64, 16, ICACHE_LINE_MOST, "bytes", "one line", "Milic 2017, chapter 4: 32, 64, 128"),
    P_END,
};

const struct stat_def icache_run_stats[] = {
    S_ARRAY(icache_run_counts, accesses, section_names, CPU_SECTIONS, "lines", "line fetches (one per line, until it ends or a branch is taken)"),
    S_ARRAY(icache_run_counts, misses, section_names, CPU_SECTIONS, "lines", "line fetches that missed in the cache"),
    S_COUNT(icache_run_counts, all_accesses, "lines", "line fetches in all sections"),
    S_COUNT(icache_run_counts, all_misses, "lines", "line fetches that missed in the cache, all sections"),
    S_COUNT(icache_run_counts, lines, "lines", "lines evicted, or still in the cache at the end"),
    S_ARRAY(icache_run_counts, used_bytes, section_names, CPU_SECTIONS, "bytes", "bytes of cached lines fetched while in the cache, by the section that filled the line"),
    S_ARRAY(icache_run_counts, whole_bytes, section_names, CPU_SECTIONS, "bytes", "bytes of all lines filled, by the section that filled them"),
    S_COUNT(icache_run_counts, all_used_bytes, "bytes", "bytes of cached lines fetched while in the cache, all sections"),
    S_COUNT(icache_run_counts, all_whole_bytes, "bytes", "bytes of all lines filled, all sections"),
    S_RATIO(icache_run_counts, usefulness, all_used_bytes, all_whole_bytes, "share of a line's bytes fetched while it was in the cache"),
    S_LEVEL(icache_run_counts, storage_bits, "bits", "storage of the cache: data, tags and valid bits"),
    SECTION_MPKI,
    S_LAW(misses, "all_misses <= all_accesses", "an access misses at most once"),
    S_LAW(lines, "lines == all_misses", "every line filled leaves or is there at the end"),
    S_LAW(used, "all_used_bytes <= all_whole_bytes", "no more bytes of a line are used than it has"),
    S_END,
};
/* clang-format on */

static bool is_power(u32 x)
{
    return (x & (x - 1)) == 0;
}

bool icache_run_check(const struct icache_run_config *c, const struct config *config,
                      struct err *err)
{
    u32 set_bytes = c->line_bytes * c->ways;
    if (!is_power(c->line_bytes))
        return err_at(err, config_pos(config, &c->line_bytes),
                      "line_bytes is %u, expected a power of two", c->line_bytes);
    if (c->size_bytes % set_bytes)
        return err_at(err, config_pos(config, &c->size_bytes),
                      "size_bytes is %u, expected a multiple of line_bytes x ways = %u",
                      c->size_bytes, set_bytes);
    return is_power(c->size_bytes / set_bytes) ||
           err_at(err, config_pos(config, &c->size_bytes),
                  "size_bytes is %u, which makes %u sets, expected a power of two of them",
                  c->size_bytes, c->size_bytes / set_bytes);
}

static u32 log_of(u32 power)
{
    return (u32)__builtin_ctz(power);
}

bool icache_run_begin(struct icache_run *r, const struct icache_run_config *c, struct arena *arena,
                      struct err *err)
{
    struct policy_choice lru;
    u32 lines = c->size_bytes / c->line_bytes, sets = lines / c->ways;
    u32 tag_bits = ADDRESS_BITS - log_of(c->line_bytes) - log_of(sets);
    if (!policy_choose(QUESTION_REPLACEMENT, "lru", "replacement", NULL, arena, &lru, err))
        return false;
    r->config = c;
    tags_init(&r->tags, arena, sets, c->ways, c->line_bytes, SET_LINEAR, lru, 1);
    r->used = ARENA_ARRAY(arena, struct line_bytes_used, lines);
    r->counts.storage_bits = (u64)lines * (8 * c->line_bytes + tag_bits + 1);
    return true;
}

static void leave(struct icache_run *r, struct line_bytes_used *u)
{
    r->counts.lines++;
    r->counts.whole_bytes[u->section] += r->config->line_bytes;
    for (u32 k = 0; k < ARRAY_LEN(u->bits); k++)
        r->counts.used_bytes[u->section] += (u64)__builtin_popcountll(u->bits[k]);
    *u = (struct line_bytes_used){0};
}

/* Bits [from, to) of a word, where they lie in it. */
static u64 bits_between(u32 from, u32 to)
{
    u64 below = to >= 64 ? UINT64_MAX : ((u64)1 << to) - 1;
    return from >= 64 ? 0 : below & (UINT64_MAX << from);
}

/* Bytes [from, to) of a line. */
static void use(struct line_bytes_used *u, u32 from, u32 to)
{
    u->bits[0] |= bits_between(from, to);
    if (to > 64)
        u->bits[1] |= bits_between(from > 64 ? from - 64 : 0, to - 64);
}

static struct line_bytes_used *bring(struct icache_run *r, u32 set, const struct request *access)
{
    u32 way = tags_victim(&r->tags, set, ~(u64)0, 0, access);
    struct line_bytes_used *u = &r->used[(size_t)set * r->tags.ways + way];
    if (tags_line(&r->tags, set, way)->state == LINE_VALID)
        leave(r, u);
    tags_place(&r->tags, set, way, access, LINE_VALID);
    return u;
}

static void fetch(struct icache_run *r, const struct fetch_stretch *s, struct request *access)
{
    u64 mask = r->config->line_bytes - 1;
    for (u64 at = s->first; at < s->end;) {
        access->line = at & ~mask;
        u32 set = tags_set(&r->tags, access->line), way = tags_find(&r->tags, set, access->line);
        u64 end = min_u64(s->end, access->line + mask + 1);
        struct line_bytes_used *u;
        r->counts.accesses[s->section]++;
        if (LIKELY(way != NO_WAY)) {
            u = &r->used[(size_t)set * r->tags.ways + way];
            tags_hit(&r->tags, set, way, access);
        } else {
            r->counts.misses[s->section]++;
            u = bring(r, set, access);
            u->section = s->section;
        }
        use(u, (u32)(at & mask), (u32)(end - access->line));
        at = end;
    }
}

void icache_run_batch(struct icache_run *r, const struct front_batch *b)
{
    struct request access = {.kind = REQUEST_FETCH};
    for (u32 i = 0; i < b->stretch_count; i++)
        fetch(r, &b->stretches[i], &access);
}

void icache_run_end(struct icache_run *r)
{
    for (u32 set = 0; set < r->tags.sets; set++) {
        for (u32 way = 0; way < r->tags.ways; way++) {
            if (tags_line(&r->tags, set, way)->state != LINE_VALID)
                continue;
            leave(r, &r->used[(size_t)set * r->tags.ways + way]);
            tags_invalidate(&r->tags, set, way);
        }
    }
}

void icache_run_settle(struct icache_run *r)
{
    section_total(r->counts.accesses);
    section_total(r->counts.misses);
    section_total(r->counts.used_bytes);
    section_total(r->counts.whole_bytes);
    r->counts.all_accesses = r->counts.accesses[CPU_TOTAL];
    r->counts.all_misses = r->counts.misses[CPU_TOTAL];
    r->counts.all_used_bytes = r->counts.used_bytes[CPU_TOTAL];
    r->counts.all_whole_bytes = r->counts.whole_bytes[CPU_TOTAL];
}

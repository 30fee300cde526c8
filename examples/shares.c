/*
 * A replacement policy in one file: least recently used, with hits and fills counted for each
 * program of the run.
 *
 *     cc -O2 -shared -fPIC -DHEDDLE_PLUGIN -Isrc examples/shares.c -o shares.so
 *     build/heddle run --mix examples/mix.yaml --plugin shares.so --policy l2.replacement=shares -o shares.json
 *
 * The counts are l2.replacement.hits and l2.replacement.fills in the result. With installed
 * headers, -I/usr/local/include/heddle instead of -Isrc.
 */
#include "policy/replacement/stamp.h"

#define PROGRAMS 8u

struct shares {
    u64 hits[PROGRAMS], fills[PROGRAMS];
};

static const char *const names[PROGRAMS] = {"0", "1", "2", "3", "4", "5", "6", "7"};

static const struct stat_def shares_stats[] = {
    S_ARRAY(shares, hits, names, PROGRAMS, "accesses", "hits, by program"),
    S_ARRAY(shares, fills, names, PROGRAMS, "lines", "lines filled, by program"),
    S_END,
};

static void shares_hit(struct replacement *r, u32 set, u32 way, const struct request *access)
{
    struct shares *s = r->state;
    s->hits[access->application % PROGRAMS]++;
    stamps_set(r, set, way, access);
}

static void shares_fill(struct replacement *r, u32 set, u32 way, const struct request *access)
{
    struct shares *s = r->state;
    s->fills[access->application % PROGRAMS]++;
    stamps_set(r, set, way, access);
}

REPLACEMENT(shares) = {
    .version = POLICY_VERSION,
    .name = "shares",
    .source = "an example",
    .state_bytes = sizeof(struct shares),
    .stats = shares_stats,
    .table_bytes = stamps_bytes,
    .hit = shares_hit,
    .fill = shares_fill,
    .victim = stamps_oldest,
};

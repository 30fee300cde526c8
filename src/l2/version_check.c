/* Versions of a bank's lines: l2/line_versions.h. */
#include "base/arena.h"
#include "l2/bank_internal.h"

struct bank_versions {
    struct bank_attachment attached;
    struct versions *versions;
};

static struct versions *versions_of(struct bank_attachment *a)
{
    return ATTACHED(a, struct bank_versions)->versions;
}

static bool is_own(const struct bank *b, const struct request *r)
{
    return !b->remote || r->home == b->remote->socket;
}

/* A dirty line of another cache is as new as it was there. */
static u32 version_of(struct versions *v, const struct request *r)
{
    return request_is_victim(r) ? r->version : versions_wrote(v, r->line, r->version);
}

static void read(struct bank *b, struct bank_attachment *a, struct cache_place p, struct request *r)
{
    (void)a;
    r->version = *cache_version(&b->cache, p);
}

static void written(struct bank *b, struct bank_attachment *a, struct cache_place p,
                    const struct request *r)
{
    cache_version_raise(&b->cache, p, version_of(versions_of(a), r));
}

/* The requests that wait for a line get its version. */
static void filled(struct bank *b, struct bank_attachment *a, struct cache_place p,
                   struct request *fill, handle_t waiting)
{
    if (is_own(b, fill))
        fill->version = versions_in_memory(versions_of(a), fill->line);
    if (p.way != NO_WAY) {
        cache_version_raise(&b->cache, p, fill->version);
        fill->version = *cache_version(&b->cache, p);
    }
    for (handle_t w = waiting; w; w = bank_request(b, w)->next) {
        struct request *r = bank_request(b, w); /* others have what they write, or who writes */
        if (r->kind == REQUEST_LOAD || r->kind == REQUEST_FETCH)
            r->version = fill->version;
    }
}

static void written_back(struct bank *b, struct bank_attachment *a, struct cache_place p,
                         struct request *r)
{
    r->version = *cache_version(&b->cache, p);
    if (is_own(b, r))
        versions_landed(versions_of(a), r->line, r->version);
}

static void written_around(struct bank *b, struct bank_attachment *a, const struct request *r)
{
    (void)b;
    versions_landed(versions_of(a), r->line, version_of(versions_of(a), r));
}

void bank_check(struct bank *b, struct arena *arena, struct versions *v)
{
    static const struct bank_hooks hooks = {.read = read,
                                            .written = written,
                                            .filled = filled,
                                            .written_back = written_back,
                                            .written_around = written_around};
    struct bank_versions *own = ARENA_NEW(arena, struct bank_versions);
    own->versions = v;
    versions_keep(&b->cache, arena);
    bank_attach(b, &own->attached, &hooks);
}

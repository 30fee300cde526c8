/* Versions of a bank's lines: l2/line_versions.h. */
#include "l2/bank_internal.h"

void bank_check(struct bank *b, struct arena *arena, struct versions *v)
{
    b->versions = v;
    versions_keep(&b->cache, arena);
}

void bank_version_of_read(struct bank *b, struct cache_place p, struct request *r)
{
    r->version = *cache_version(&b->cache, p);
}

/* A dirty line of another cache is as new as it was there. */
void bank_version_of_write(struct bank *b, struct cache_place p, const struct request *r)
{
    u32 version =
        request_is_victim(r) ? r->version : versions_wrote(b->versions, r->line, r->version);
    cache_version_raise(&b->cache, p, version);
}

void bank_version_of_fill(struct bank *b, struct cache_place p, struct request *fill,
                          handle_t waiting)
{
    bool is_own = !b->side || fill->home == b->side->socket;
    if (is_own)
        fill->version = versions_in_memory(b->versions, fill->line);
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

void bank_version_leaves(struct bank *b, struct cache_place p, struct request *r)
{
    r->version = *cache_version(&b->cache, p);
    if (!b->side || r->home == b->side->socket)
        versions_landed(b->versions, r->line, r->version);
}

void bank_version_passes(struct bank *b, const struct request *r)
{
    u32 version =
        request_is_victim(r) ? r->version : versions_wrote(b->versions, r->line, r->version);
    versions_landed(b->versions, r->line, version);
}

/* Attachments that only look: counts by program, and what is told of lines that come. */
#include "base/arena.h"
#include "l2/bank_internal.h"

/* ---- counts by program ----------------------------------------------------------------- */

static void count_access(struct bank *b, struct bank_attachment *a, const struct request *r,
                         bool hit)
{
    (void)a;
    struct application_counts *c = &b->by_application[r->application];
    c->l2_accesses++;
    c->l2_hits += hit;
}

void bank_count_applications(struct bank *b, struct arena *arena, struct application_counts *counts)
{
    static const struct bank_hooks hooks = {.accessed = count_access};
    b->by_application = counts;
    bank_attach(b, ARENA_NEW(arena, struct bank_attachment), &hooks);
}

void bank_count_lines(struct bank *b)
{
    const struct tags *t = &b->cache.tags;
    for (u32 i = 0; i < MOST_APPLICATIONS; i++)
        b->by_application[i].l2_lines = 0;
    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++) {
        if (t->lines[i].state == LINE_VALID)
            b->by_application[application_of(~t->inverted[i])].l2_lines++;
    }
}

/* ---- lines that come -------------------------------------------------------------------- */

struct line_watch {
    struct bank_attachment attached;
    void (*came)(void *context, handle_t line, handle_t request);
    void *context;
};

static void came(struct bank *b, struct bank_attachment *a, handle_t line, handle_t request)
{
    (void)b;
    const struct line_watch *w = ATTACHED(a, struct line_watch);
    w->came(w->context, line, request);
}

void bank_watch_lines(struct bank *b, struct arena *arena,
                      void (*told)(void *context, handle_t line, handle_t request), void *context)
{
    static const struct bank_hooks hooks = {.came = came};
    struct line_watch *w = ARENA_NEW(arena, struct line_watch);
    w->came = told;
    w->context = context;
    bank_attach(b, &w->attached, &hooks);
}

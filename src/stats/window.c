#include "stats/window.h"

/* A number of the tree may be in two rows or nodes: all are visited, in the same order each time.
 */
typedef void visitor(struct stats_window *w, u64 *number);

static void visit_histogram(struct stats_window *w, struct histogram *h, visitor *visit)
{
    for (u32 i = 0; i < h->bin_count; i++)
        visit(w, &h->bins[i]);
    visit(w, &h->samples);
    visit(w, &h->sum);
}

static void visit_row(struct stats_window *w, u8 *data, const struct stat_def *d, visitor *visit)
{
    u64 *field = (u64 *)(void *)(data + d->offset);
    switch (d->kind) {
    case STAT_COUNT:
        visit(w, field);
        break;
    case STAT_RATIO:
        visit(w, field);
        visit(w, (u64 *)(void *)(data + d->offset_over));
        break;
    case STAT_ARRAY:
        for (u32 i = 0; i < d->label_count && !d->is_level; i++)
            visit(w, &field[i]);
        break;
    case STAT_HISTOGRAM:
        visit_histogram(w, (struct histogram *)(void *)(data + d->offset), visit);
        break;
    case STAT_LEVEL:
    case STAT_FORMULA:
    case STAT_LAW:
    case STAT_END:
        break;
    }
}

static void visit_all(struct stats_window *w, const struct stats *s, visitor *visit)
{
    w->count = 0;
    for (u32 i = 0; i < s->node_count; i++) {
        u8 *data = (u8 *)(uintptr_t)s->nodes[i].data; /* the components' own: nobody counts now */
        for (const struct stat_def *d = s->nodes[i].table; d && d->kind != STAT_END; d++)
            visit_row(w, data, d, visit);
    }
}

static void count(struct stats_window *w, u64 *number)
{
    (void)number;
    w->count++;
}

static void note(struct stats_window *w, u64 *number)
{
    w->numbers[w->count++] = *number;
}

static void subtract(struct stats_window *w, u64 *number)
{
    w->numbers[w->count] = *number - w->numbers[w->count];
    w->count++;
}

static void put(struct stats_window *w, u64 *number)
{
    *number = w->numbers[w->count++];
}

/* The smallest and largest sample of what comes are not a difference. */
static void forget_extremes(const struct stats *s)
{
    for (u32 i = 0; i < s->node_count; i++) {
        for (const struct stat_def *d = s->nodes[i].table; d && d->kind != STAT_END; d++) {
            if (d->kind != STAT_HISTOGRAM)
                continue;
            struct histogram *h =
                (struct histogram *)(uintptr_t)((const u8 *)s->nodes[i].data + d->offset);
            h->smallest = UINT64_MAX;
            h->largest = 0;
        }
    }
}

void stats_window_begin(struct stats_window *w, const struct stats *s)
{
    visit_all(w, s, count);
    w->numbers = ARENA_ARRAY(s->arena, u64, w->count + 1);
    visit_all(w, s, note);
    forget_extremes(s);
}

void stats_window_end(struct stats_window *w, const struct stats *s)
{
    visit_all(w, s, subtract);
    visit_all(w, s, put);
}

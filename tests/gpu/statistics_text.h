/* Every counter of every unit as text, to compare two runs by; but for what a policy notes of its
 * samples, which others have not. */
#ifndef TESTS_GPU_STATISTICS_TEXT_H
#define TESTS_GPU_STATISTICS_TEXT_H

#include "gpu/bed.h"

static void statistics_row(void *context, const struct stat_row *row)
{
    struct text *t = context;
    const struct stat_value *v = &row->value;
    if (strstr(row->path, ".samples"))
        return;
    text_printf(t, "%s.%s", row->path, row->def->name);
    if (v->shape == STAT_LIST) {
        for (u32 i = 0; i < row->def->label_count; i++)
            text_printf(t, " %llu", (unsigned long long)v->list[i]);
    } else if (!v->defined) {
        text_printf(t, " undefined");
    } else {
        text_printf(t, v->whole ? " %.0f" : " %.17g", v->number);
    }
    text_printf(t, "\n");
}

static inline char *all_statistics(struct bed *b)
{
    struct err err = ERR_INIT;
    struct text t = {0};
    text_printf(&t, "fs %llu\n", (unsigned long long)b->sim.engine.now_fs);
    if (!stats_visit(&b->sim.stats, true, statistics_row, &t, &err))
        bed_fail(&err);
    for (u32 i = 0; i < b->gpu->record_count; i++)
        text_printf(&t, "kernel %u: %llu to %llu\n", i,
                    (unsigned long long)b->gpu->records[i].started,
                    (unsigned long long)b->gpu->records[i].ended);
    return t.data;
}

/* Names the first line that differs. */
static inline void assert_same(const char *a, const char *b, const char *what)
{
    while (*a && *b) {
        size_t left = strcspn(a, "\n"), right = strcspn(b, "\n");
        if (left != right || memcmp(a, b, left) != 0)
            fail_msg("%s: '%.*s' became '%.*s'", what, (int)left, a, (int)right, b);
        a += left + 1;
        b += right + 1;
    }
    assert_int_equal(*a, *b);
}

#endif

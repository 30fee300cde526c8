/* Features from the windows that the policy itself samples, instead of whole runs. */
#include "train/kernels.h"

#include <string.h>

/* clang-format off */
#define SEVEN(which)                                                                               \
    "sampled_" which "_accesses, sampled_" which "_hits, sampled_" which "_own_hits, "             \
    "sampled_" which "_latency_cycles, sampled_" which "_returned, "                               \
    "sampled_" which "_instructions, sampled_" which "_load_instructions"
#define ROWS "SELECT number, name, " SEVEN("most") ", " SEVEN("least")                             \
    " FROM kernels WHERE run = ? ORDER BY number"
/* clang-format on */

static struct warp_counters counters(sqlite3_stmt *s, int first)
{
    u64 n[WARP_COUNTERS];
    struct warp_counters c;
    for (u32 i = 0; i < WARP_COUNTERS; i++)
        n[i] = (u64)sqlite3_column_int64(s, first + (int)i);
    memcpy(&c, n, sizeof c);
    return c;
}

static const struct plan_point *find_point(const struct plan *plan, const char *program)
{
    for (u32 i = 0; i < plan->count; i++) {
        if (strcmp(plan->points[i]->workload->name, program) == 0)
            return plan->points[i];
    }
    return NULL;
}

static bool is_there(struct db *db, const struct plan_point *p, struct err *err)
{
    sqlite3_stmt *s =
        db_ask(db, err,
               "SELECT 1 FROM runs WHERE key = ? AND status = 'done' AND EXISTS (SELECT 1 FROM "
               "pragma_table_info('kernels') WHERE name = 'sampled_most_accesses')",
               "t", p->key);
    bool done = db_next(db, s, err);
    if (done)
        sqlite3_reset(s);
    return done;
}

bool train_set_read_windows(struct train_set *set, struct db *db, const struct plan *plan,
                            const char *program, struct err *err)
{
    static const struct warp_counters zero;
    const struct plan_point *p = find_point(plan, program);
    u32 at = 0;
    if (!p || !is_there(db, p, err))
        return err->kind == ERR_NONE &&
               err_at(err, (struct src_pos){db->path, 0, 0},
                      "the run of %s that samples windows has no result", program);
    sqlite3_stmt *s = db_ask(db, err, ROWS, "t", p->key);
    while (db_next(db, s, err)) {
        u64 number = (u64)sqlite3_column_int64(s, 0);
        while (at < set->count &&
               (strcmp(set->kernels[at].program, program) != 0 || set->kernels[at].number < number))
            at++;
        struct train_kernel *k = at < set->count ? &set->kernels[at] : NULL;
        if (!k || k->number != number || strcmp(k->name, db_text(s, 1)) != 0)
            continue;
        struct warp_counters most = counters(s, 2), least = counters(s, 2 + (int)WARP_COUNTERS);
        if (!least.accesses || !most.load_instructions)
            continue; /* over before its second window, or no load in the first: of the whole run */
        k->at_most = feature_sample(&zero, &most);
        k->at_least = feature_sample(&zero, &least);
        k->is_sampled = true;
    }
    return err->kind == ERR_NONE;
}

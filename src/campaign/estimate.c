#include "campaign/sweep.h"

/* Will the sweep run this point? */
static bool is_to_run(struct db *db, const struct plan_point *p, enum run_queue_again again,
                      struct err *err)
{
    sqlite3_stmt *s = db_ask(db, err, "SELECT status FROM runs WHERE key = ?", "t", p->key);
    enum run_status status = RUN_QUEUED;
    if (db_next(db, s, err)) {
        status = run_status_find(db_text(s, 0));
        sqlite3_reset(s);
    }
    if (status == RUN_DONE)
        return again == QUEUE_AGAIN;
    if (status == RUN_FAILED || status == RUN_HUNG || status == RUN_TIMED_OUT)
        return again != QUEUE_NEW;
    return true;
}

/* The mean of what such runs took; negative: there was none. */
static double usual_seconds(struct db *db, const struct plan_point *p, struct err *err)
{
    sqlite3_stmt *s = db_ask(
        db, err,
        "SELECT avg(seconds) FROM runs WHERE status = 'done' AND workload = ? AND chip = ? "
        "AND size = ? AND mode = ?",
        "tttt", p->workload->name, p->chip_name, p->workload->size, point_mode_name(p->mode));
    double seconds = -1;
    if (db_next(db, s, err)) {
        if (sqlite3_column_type(s, 0) != SQLITE_NULL)
            seconds = sqlite3_column_double(s, 0);
        sqlite3_reset(s);
    }
    return seconds;
}

bool sweep_estimate(struct db *db, const struct plan *plan, enum run_queue_again again,
                    struct sweep_estimate *estimate, struct err *err)
{
    *estimate = (struct sweep_estimate){0};
    for (u32 i = 0; i < plan->count; i++) {
        const struct plan_point *p = plan->points[i];
        if (db && !is_to_run(db, p, again, err))
            continue;
        double seconds = db ? usual_seconds(db, p, err) : -1;
        if (err->kind != ERR_NONE)
            return false;
        estimate->to_run++;
        estimate->unknown += seconds < 0;
        estimate->seconds += seconds > 0 ? seconds : 0;
    }
    return true;
}

#include "campaign/run_queue.h"

#include "base/units.h"
#include "base/version.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOW "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"

static const char *const status_names[RUN_STATUS_COUNT] = {
    "queued", "running", "done", "failed", "hung", "timed out", "interrupted"};

const char *run_status_name(enum run_status status)
{
    return status_names[status];
}

enum run_status run_status_find(const char *name)
{
    u32 i = 0;
    while (i < RUN_STATUS_COUNT && strcmp(status_names[i], name) != 0)
        i++;
    return (enum run_status)i;
}

static double wall_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

const char *run_queue_recording_path(const char *db_path, const struct plan_point *recording,
                                     struct arena *arena)
{
    const char *slash = strrchr(db_path, '/');
    return arena_printf(arena, "%.*srecordings/%s.hrec", slash ? (int)(slash + 1 - db_path) : 0,
                        db_path, recording->key);
}

/* Ends a transaction one way or the other. */
static bool finish(struct run_queue *q, bool ok, struct err *err)
{
    if (ok)
        return db_commit(q->db, err);
    db_rollback(q->db);
    return false;
}

/* ---- workers ---- */

bool run_queue_open(struct run_queue *q, struct db *db, const struct plan *plan, struct err *err)
{
    *q = (struct run_queue){.db = db, .plan = plan};
    owner_self(&q->self);
    q->settled = ARENA_ARRAY(&q->arena, u8, plan->count);
    if (!db_begin(db, err))
        return false;
    bool ok = db_do(db, err,
                    "INSERT INTO workers (host, boot, namespace, pid, started, seen) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    "tttiir", q->self.host, q->self.boot, q->self.namespace, q->self.pid,
                    q->self.started, wall_now());
    q->worker = sqlite3_last_insert_rowid(db->handle);
    return finish(q, ok, err);
}

static bool free_rows_of(struct run_queue *q, i64 worker, struct err *err)
{
    return db_do(q->db, err,
                 "UPDATE runs SET status = 'queued', worker = NULL "
                 "WHERE status = 'running' AND worker = ?",
                 "i", worker) &&
           db_do(q->db, err, "DELETE FROM workers WHERE worker = ?", "i", worker);
}

bool run_queue_close(struct run_queue *q, struct err *err)
{
    bool ok = true;
    if (q->worker)
        ok = db_begin(q->db, err) && finish(q, free_rows_of(q, q->worker, err), err);
    arena_fini(&q->arena);
    *q = (struct run_queue){0};
    return ok;
}

static struct owner owner_of_row(sqlite3_stmt *s)
{
    struct owner o = {.pid = sqlite3_column_int64(s, 4), .started = sqlite3_column_int64(s, 5)};
    strncpy(o.host, db_text(s, 1), sizeof o.host - 1);
    strncpy(o.boot, db_text(s, 2), sizeof o.boot - 1);
    strncpy(o.namespace, db_text(s, 3), sizeof o.namespace - 1);
    return o;
}

static bool row_is_gone(const struct run_queue *q, sqlite3_stmt *s)
{
    struct owner o = owner_of_row(s);
    return owner_is_gone(&o, &q->self, wall_now() - sqlite3_column_double(s, 6));
}

bool run_queue_keep_alive(struct run_queue *q, struct err *err)
{
    i64 gone[64];
    u32 count = 0;
    if (!db_begin(q->db, err))
        return false;
    bool ok = db_do(q->db, err, "UPDATE workers SET seen = ? WHERE worker = ?", "ri", wall_now(),
                    q->worker);
    sqlite3_stmt *s = ok ? db_ask(q->db, err,
                                  "SELECT worker, host, boot, namespace, pid, started, seen "
                                  "FROM workers WHERE worker <> ?",
                                  "i", q->worker)
                         : NULL;
    while (db_next(q->db, s, err)) {
        if (count < ARRAY_LEN(gone) && row_is_gone(q, s))
            gone[count++] = sqlite3_column_int64(s, 0);
    }
    for (u32 i = 0; i < count; i++)
        ok = ok && free_rows_of(q, gone[i], err);
    return finish(q, ok && err->kind == ERR_NONE, err);
}

bool run_queue_worker_is_gone(struct run_queue *q, i64 worker, struct err *err)
{
    sqlite3_stmt *s = db_ask(q->db, err,
                             "SELECT worker, host, boot, namespace, pid, started, seen "
                             "FROM workers WHERE worker = ?",
                             "i", worker);
    bool known = db_next(q->db, s, err), gone = !known || row_is_gone(q, s);
    if (known)
        sqlite3_reset(s);
    return gone && err->kind == ERR_NONE;
}

/* ---- adding points ---- */

static i64 parameter_id(struct run_queue *q, const char *name, struct err *err)
{
    i64 id = 0;
    if (!db_do(q->db, err, "INSERT OR IGNORE INTO parameter_names (name) VALUES (?)", "t", name))
        return 0;
    sqlite3_stmt *s =
        db_ask(q->db, err, "SELECT parameter FROM parameter_names WHERE name = ?", "t", name);
    if (db_next(q->db, s, err)) {
        id = sqlite3_column_int64(s, 0);
        sqlite3_reset(s);
    }
    return id;
}

/* The numbers of a chip's parameters; all configurations of a chip share their list of paths. */
static const i64 *parameter_ids(struct run_queue *q, const struct plan_config *c, struct err *err)
{
    if (q->known_paths == c->paths)
        return q->known_ids;
    q->known_ids = ARENA_ARRAY(&q->arena, i64, c->count + 1);
    q->known_paths = c->paths;
    for (u32 i = 0; i < c->count && err->kind == ERR_NONE; i++)
        q->known_ids[i] = parameter_id(q, c->paths[i], err);
    return q->known_ids;
}

static bool add_config(struct run_queue *q, const struct plan_config *c, struct err *err)
{
    if (!db_do(q->db, err, "INSERT OR IGNORE INTO config_ids (config) VALUES (?)", "t", c->id))
        return false;
    if (sqlite3_changes(q->db->handle) == 0)
        return true; /* it is there already */
    i64 id = sqlite3_last_insert_rowid(q->db->handle);
    const i64 *parameters = parameter_ids(q, c, err);
    for (u32 i = 0; i < c->count && err->kind == ERR_NONE; i++)
        db_do(q->db, err, "INSERT INTO config_values VALUES (?, ?, ?)", "iit", id, parameters[i],
              c->values[i]);
    return err->kind == ERR_NONE;
}

/* A value as SQL can compare and order it: a number in bytes, Hz or ns where it is one. */
static bool bind_value(sqlite3_stmt *s, int column, const char *value)
{
    static const char *const units[] = {"bytes", "Hz", "ns"};
    u64 whole;
    double real;
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        if (quantity_u64(value, units[i], &whole) == QUANTITY_OK && whole <= INT64_MAX)
            return sqlite3_bind_int64(s, column, (i64)whole) == SQLITE_OK;
    }
    if (quantity_double(value, "", &real) == QUANTITY_OK)
        return sqlite3_bind_double(s, column, real) == SQLITE_OK;
    return sqlite3_bind_text(s, column, value, -1, SQLITE_TRANSIENT) == SQLITE_OK;
}

static const char *resolved_value(const struct plan_config *c, const struct plan_setting *setting)
{
    for (u32 i = 0; i < c->count; i++) {
        if (strcmp(c->paths[i], setting->name) == 0)
            return c->values[i];
    }
    return setting->value;
}

static bool add_settings(struct run_queue *q, const struct plan_point *p, struct err *err)
{
    for (u32 i = 0; i < p->setting_count; i++) {
        const struct plan_setting *setting = &p->settings[i];
        sqlite3_stmt *s = db_ask(q->db, err, "INSERT OR IGNORE INTO settings VALUES (?, ?, ?, ?)",
                                 "ttni", p->key, setting->name, (i64)setting->is_swept);
        if (!s || !bind_value(s, 3, resolved_value(p->config, setting)))
            return s && db_fail(q->db, err);
        db_next(q->db, s, err);
        if (err->kind != ERR_NONE)
            return false;
    }
    return true;
}

static void args_text(const struct sweep_workload *w, struct text *out)
{
    text_printf(out, "[");
    for (u32 i = 0; i < w->arg_count; i++) {
        text_printf(out, "%s\"", i ? ", " : "");
        text_append_json(out, w->args[i]);
        text_printf(out, "\"");
    }
    text_printf(out, "]");
}

static bool add_run(struct run_queue *q, const struct plan_point *p, enum run_queue_again again,
                    struct err *err)
{
    const struct plan_workload *w = p->workload;
    struct text args = {0};
    args_text(w->as_written, &args);
    bool ok = db_do(
        q->db, err,
        "INSERT INTO runs (key, status, chip, model, workload, kind, size, args, seed, mode, "
        "replays, config, version, queued_at) "
        "VALUES (?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, " NOW ") "
        "ON CONFLICT (key) DO UPDATE SET status = 'queued', worker = NULL, queued_at = " NOW
        " WHERE status = 'interrupted' OR "
        "(?13 >= 1 AND status IN ('failed', 'hung', 'timed out')) OR (?13 = 2 AND status = 'done')",
        "tttttttitttti", p->key, p->chip_name, p->config->model, w->name,
        workload_kind_name(w->kind), w->size, args.data, (i64)p->seed, point_mode_name(p->mode),
        p->recording ? p->recording->key : NULL, p->config->id, HEDDLE_VERSION, (i64)again);
    text_fini(&args);
    return ok;
}

/* A recording that somebody deleted is made again where a queued run needs it. */
static bool check_recording(struct run_queue *q, const struct plan_point *p, struct err *err)
{
    const char *path = run_queue_recording_path(q->db->path, p, &q->arena);
    return access(path, R_OK) == 0 ||
           db_do(q->db, err,
                 "UPDATE runs SET status = 'queued' WHERE key = ?1 AND status = 'done' AND EXISTS "
                 "(SELECT 1 FROM runs AS r WHERE r.replays = ?1 AND r.status = 'queued')",
                 "t", p->key);
}

bool run_queue_add(struct run_queue *q, enum run_queue_again again, struct err *err)
{
    const struct plan *plan = q->plan;
    const char *sweep = plan->file->name;
    if (!db_begin(q->db, err))
        return false;
    bool ok = db_do(q->db, err, "DELETE FROM sweep_points WHERE sweep = ?", "t", sweep);
    for (u32 i = 0; ok && i < plan->count; i++) {
        const struct plan_point *p = plan->points[i];
        ok = add_config(q, p->config, err) && add_run(q, p, again, err) &&
             add_settings(q, p, err) &&
             db_do(q->db, err, "INSERT INTO sweep_points VALUES (?, ?, ?)", "tit", sweep, (i64)i,
                   p->key);
    }
    for (u32 i = 0; ok && i < plan->count; i++) {
        if (plan->points[i]->mode == POINT_RECORD)
            ok = check_recording(q, plan->points[i], err);
    }
    return finish(q, ok, err);
}

/* ---- claiming ---- */

/* Its recording cannot be had: the run has failed with it. */
static bool fail_with_recording(struct run_queue *q, const struct plan_point *p, struct err *err)
{
    return db_do(q->db, err,
                 "UPDATE runs SET status = 'failed', ended_at = " NOW
                 ", error = 'its recording ' || substr(replays, 1, 8) || ' has failed: ' || "
                 "coalesce((SELECT error FROM runs AS r WHERE r.key = runs.replays), '') "
                 "WHERE key = ? AND status = 'queued'",
                 "t", p->key);
}

static bool take(struct run_queue *q, const struct plan_point *p, struct err *err)
{
    return db_do(q->db, err,
                 "UPDATE runs SET status = 'running', worker = ?, host = ?, started_at = " NOW
                 ", ended_at = NULL, attempts = attempts + 1 WHERE key = ?",
                 "itt", q->worker, q->self.host, p->key);
}

/* Looks at one row; CLAIMED, WAIT or EMPTY (nothing to do about it). */
static enum run_queue_claim try_point(struct run_queue *q, u32 index, struct err *err)
{
    const struct plan_point *p = q->plan->points[index];
    sqlite3_stmt *s = db_ask(q->db, err,
                             "SELECT status, (SELECT status FROM runs AS r WHERE r.key = "
                             "runs.replays) FROM runs WHERE key = ?",
                             "t", p->key);
    enum run_status status = RUN_FAILED, recording = RUN_DONE;
    if (db_next(q->db, s, err)) {
        status = run_status_find(db_text(s, 0));
        if (p->mode == POINT_REPLAY)
            recording = run_status_find(db_text(s, 1));
        sqlite3_reset(s);
    }
    if (err->kind != ERR_NONE)
        return QUEUE_FAILED;
    if (status == RUN_RUNNING)
        return QUEUE_WAIT;
    if (status == RUN_QUEUED && (recording == RUN_QUEUED || recording == RUN_RUNNING))
        return QUEUE_WAIT;
    if (status == RUN_QUEUED && recording == RUN_DONE)
        return take(q, p, err) ? QUEUE_CLAIMED : QUEUE_FAILED;
    q->settled[index] = 1;
    if (status == RUN_QUEUED && recording != RUN_INTERRUPTED && !fail_with_recording(q, p, err))
        return QUEUE_FAILED;
    return QUEUE_EMPTY;
}

enum run_queue_claim run_queue_claim(struct run_queue *q, u32 *point, struct err *err)
{
    enum run_queue_claim found = QUEUE_EMPTY;
    while (q->first_open < q->plan->count && q->settled[q->first_open])
        q->first_open++;
    if (q->first_open == q->plan->count)
        return QUEUE_EMPTY;
    if (!db_begin(q->db, err))
        return QUEUE_FAILED;
    for (u32 i = q->first_open; i < q->plan->count && found != QUEUE_CLAIMED; i++) {
        enum run_queue_claim got = q->settled[i] ? QUEUE_EMPTY : try_point(q, i, err);
        if (got == QUEUE_FAILED) {
            db_rollback(q->db);
            return QUEUE_FAILED;
        }
        if (got != QUEUE_EMPTY)
            found = got;
        if (got == QUEUE_CLAIMED) {
            *point = i;
            q->settled[i] = 1;
        }
    }
    return db_commit(q->db, err) ? found : QUEUE_FAILED;
}

bool run_queue_release(struct run_queue *q, u32 point, struct err *err)
{
    q->settled[point] = 0;
    q->first_open = 0;
    return db_begin(q->db, err) &&
           finish(q,
                  db_do(q->db, err,
                        "UPDATE runs SET status = 'queued', worker = NULL "
                        "WHERE key = ? AND status = 'running' AND worker = ?",
                        "ti", q->plan->points[point]->key, q->worker),
                  err);
}

bool run_queue_count(struct db *db, const struct plan *plan, const char *build,
                     struct run_queue_counts *counts, struct err *err)
{
    *counts = (struct run_queue_counts){0};
    for (u32 i = 0; i < plan->count; i++) {
        sqlite3_stmt *s = db_ask(db, err, "SELECT status, build FROM runs WHERE key = ?", "t",
                                 plan->points[i]->key);
        if (!db_next(db, s, err)) {
            if (err->kind != ERR_NONE)
                return false;
            counts->missing++;
            continue;
        }
        enum run_status status = run_status_find(db_text(s, 0));
        counts->by_status[status]++;
        counts->of_other_build += status == RUN_DONE && strcmp(db_text(s, 1), build) != 0;
        sqlite3_reset(s);
    }
    return true;
}

#include "campaign/ingest.h"

#include "base/text.h"
#include "campaign/ingest_parts.h"
#include "campaign/schema.h"

#include <stdio.h>

#define NOW "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"

/* ---- statistics ---- */

static bool find_stat(struct ingest *in, const char *name, i64 *id)
{
    sqlite3_stmt *s =
        db_ask(in->db, in->err, "SELECT stat FROM stat_names WHERE name = ?", "t", name);
    bool found = db_next(in->db, s, in->err);
    if (found) {
        *id = sqlite3_column_int64(s, 0);
        sqlite3_reset(s);
    }
    return found;
}

static bool add_stat(void *context, const char *name, const json_t *value, const json_t *definition)
{
    struct ingest *in = context;
    i64 id = 0;
    if (!find_stat(in, name, &id)) {
        if (in->err->kind != ERR_NONE ||
            !db_do(in->db, in->err,
                   "INSERT INTO stat_names (name, kind, unit, meaning) VALUES (?, ?, ?, ?)", "tttt",
                   name, json_string_value(json_object_get(definition, "kind")),
                   json_string_value(json_object_get(definition, "unit")),
                   json_string_value(json_object_get(definition, "meaning"))))
            return false;
        id = sqlite3_last_insert_rowid(in->db->handle);
    }
    sqlite3_stmt *s = db_ask(in->db, in->err,
                             "INSERT INTO stat_values "
                             "VALUES ((SELECT id FROM runs WHERE key = ?), ?, ?)",
                             "tin", in->key, id);
    if (!s || !ingest_bind(s, 3, value))
        return s && db_fail(in->db, in->err);
    db_next(in->db, s, in->err);
    return in->err->kind == ERR_NONE;
}

struct visiting {
    ingest_stat *visit;
    void *context;
};

/* A histogram's bins by where they start, beside its samples, sum, min and max. */
static bool visit_bins(const struct visiting *v, const char *name, const json_t *value,
                       const json_t *definition)
{
    const json_t *bins = json_object_get(value, "bins");
    const json_t *starts = json_object_get(value, "bin_starts");
    bool ok = true;
    struct text full = {0};
    for (size_t i = 0; ok && i < json_array_size(bins); i++) {
        full.length = 0;
        text_printf(&full, "%s[%lld]", name,
                    (long long)json_integer_value(json_array_get(starts, i)));
        ok = v->visit(v->context, full.data, json_array_get(bins, i), definition);
    }
    text_fini(&full);
    return ok;
}

static bool visit_named(const struct visiting *v, const char *name, json_t *value,
                        const json_t *definition)
{
    if (!json_is_object(value))
        return json_is_array(value) || v->visit(v->context, name, value, definition);
    const char *label;
    json_t *part;
    struct text full = {0};
    bool ok = !json_object_get(value, "bins") || visit_bins(v, name, value, definition);
    json_object_foreach(value, label, part)
    {
        if (!ok || json_is_array(part) || json_is_object(part))
            continue;
        full.length = 0;
        text_printf(&full, "%s[%s]", name, label);
        ok = v->visit(v->context, full.data, part, definition);
    }
    text_fini(&full);
    return ok;
}

/* Estimates of a program and half of their 95 % intervals, where that is known. */
static bool visit_estimates(const struct visiting *v, const json_t *sampling)
{
    static const char *const parts[] = {"estimate", "half_width"};
    json_t *totals = json_object_get(sampling, "totals"), *value;
    json_t *definition = json_pack("{ssssss}", "kind", "derived", "unit", "", "meaning",
                                   "of the whole program, from the part that was timed");
    const char *name;
    char full[160];
    bool ok = definition && v->visit(v->context, "sampling.timed_share",
                                     json_object_get(sampling, "timed_share"), definition);
    json_object_foreach(totals, name, value)
    {
        for (u32 i = 0; ok && i < 2; i++) {
            const json_t *part = json_object_get(value, parts[i]);
            snprintf(full, sizeof full, "sampling.%s.%s", name, parts[i]);
            ok = !json_is_number(part) || v->visit(v->context, full, part, definition);
        }
    }
    json_decref(definition);
    return ok;
}

/* Statistics of a run; of one that timed a part of its program only what is estimated of all. */
bool ingest_each_stat(const json_t *result, ingest_stat *visit, void *context)
{
    json_t *totals = json_object_get(result, "totals"), *value;
    const json_t *definitions = json_object_get(result, "definitions");
    const struct visiting v = {visit, context};
    const json_t *sampling = json_object_get(result, "sampling");
    const char *name;
    if (sampling)
        return visit_estimates(&v, sampling);
    json_object_foreach(totals, name, value)
    {
        if (!visit_named(&v, name, value, json_object_get(definitions, name)))
            return false;
    }
    return true;
}

/* ---- the run's own row ---- */

/* An estimate of the whole program, where only a part was timed; NULL: all was. */
static json_t *estimate_of(const json_t *result, const char *name)
{
    json_t *totals = json_object_get(json_object_get(result, "sampling"), "totals");
    return json_object_get(json_object_get(totals, name), "estimate");
}

/* The first clock's cycles: the core's. */
static i64 timed_cycles(const json_t *result)
{
    json_t *cycles = json_object_get(json_object_get(result, "run"), "cycles");
    void *first = json_object_iter(cycles);
    return first ? json_integer_value(json_object_iter_value(first)) : 0;
}

static i64 first_cycles(const json_t *result)
{
    const json_t *estimate = estimate_of(result, "cycles");
    return estimate ? (i64)(json_number_value(estimate) + 0.5) : timed_cycles(result);
}

/* Time is in proportion to cycles. */
static i64 simulated_fs(const json_t *result)
{
    json_int_t fs =
        json_integer_value(json_object_get(json_object_get(result, "run"), "simulated_fs"));
    i64 timed = timed_cycles(result), all = first_cycles(result);
    return timed > 0 && all != timed ? (i64)((double)fs * (double)all / (double)timed) : fs;
}

/* What all clusters have done, by the statistics that they name; NULL: it is not known. */
static json_t *work_of(const json_t *result, const json_t *totals)
{
    const json_t *clusters = json_object_get(result, "clusters"), *row;
    const json_t *estimate = estimate_of(result, "warp_instructions");
    json_int_t sum = 0;
    size_t i;
    if (estimate)
        return json_integer((json_int_t)(json_number_value(estimate) + 0.5));
    if (!clusters)
        return json_incref(json_object_get(totals, "sm.warp_instructions"));
    json_array_foreach(clusters, i, row)
    {
        char name[256];
        snprintf(name, sizeof name, "%s.%s", json_string_value(json_object_get(row, "name")),
                 json_string_value(json_object_get(row, "work")));
        sum += json_integer_value(json_object_get(totals, name));
    }
    return json_integer(sum);
}

static bool add_summary(struct ingest *in, const json_t *result)
{
    const json_t *run = json_object_get(result, "run"), *host = json_object_get(result, "host");
    const json_t *totals = json_object_get(result, "totals");
    json_t *instructions = work_of(result, totals);
    /* of the processor: what it took whatever else ran on the machine */
    double seconds = json_number_value(json_object_get(host, "cpu_seconds"));
    double rate = seconds > 0 ? json_number_value(instructions) / seconds : 0;
    bool ok = db_do(in->db, in->err,
                    "UPDATE runs SET end = ?, verified = ?, simulated_fs = ?, cycles = ?, "
                    "simulation_seconds = ? WHERE key = ?",
                    "tiiirt", json_string_value(json_object_get(run, "end")),
                    (i64)json_is_true(json_object_get(run, "verified")), simulated_fs(result),
                    first_cycles(result), seconds, in->key) &&
              (!instructions ||
               db_do(in->db, in->err,
                     "UPDATE runs SET warp_instructions = ?, warp_instructions_per_second = ? "
                     "WHERE key = ?",
                     "irt", (i64)json_integer_value(instructions), rate, in->key));
    json_decref(instructions);
    const char *commit = json_string_value(json_object_get(run, "heddle_commit"));
    return ok && (!commit || db_do(in->db, in->err, "INSERT INTO run_commits VALUES (?, ?)", "tt",
                                   in->key, commit));
}

static bool remove_old(struct ingest *in)
{
    return db_do(in->db, in->err,
                 "DELETE FROM stat_values WHERE id = "
                 "(SELECT id FROM runs WHERE key = ?)",
                 "t", in->key) &&
           db_do(in->db, in->err, "DELETE FROM kernels WHERE run = ?", "t", in->key) &&
           db_do(in->db, in->err, COMMITS_SQL, "") &&
           db_do(in->db, in->err, "DELETE FROM run_commits WHERE run = ?", "t", in->key) &&
           db_do(in->db, in->err, APPLICATIONS_SQL, "") &&
           db_do(in->db, in->err, "DELETE FROM applications WHERE run = ?", "t", in->key);
}

static bool end_row(struct ingest *in, i64 worker, const char *build, const struct outcome *o,
                    bool *kept)
{
    if (!db_do(in->db, in->err,
               "UPDATE runs SET status = ?, exit_code = ?, seconds = ?, error = nullif(?, ''), "
               "messages = nullif(?, ''), command = ?, build = ?, host = coalesce(?, host), worker "
               "= NULL, "
               "ended_at = " NOW
               ", end = NULL, verified = NULL, simulated_fs = NULL, cycles = NULL, "
               "simulation_seconds = NULL, warp_instructions = NULL, "
               "warp_instructions_per_second = NULL "
               "WHERE key = ? AND status = 'running' AND worker = ?",
               "tirtttttti", run_status_name(o->status), (i64)o->exit_code, o->seconds, o->error,
               o->messages, o->command, build, o->host, in->key, worker))
        return false;
    *kept = sqlite3_changes(in->db->handle) == 1;
    return true;
}

bool ingest_outcome(struct db *db, const char *key, i64 worker, const char *build,
                    const struct outcome *outcome, bool *kept, struct err *err)
{
    struct ingest in = {db, key, err};
    struct outcome o = *outcome;
    json_error_t why;
    char text[320];
    json_t *result = o.result ? json_load_file(o.result, 0, &why) : NULL;
    if (o.result && !result) {
        snprintf(text, sizeof text, "the result file cannot be read: %s", why.text);
        o.error = text;
        o.status = RUN_FAILED;
    }
    bool ok = db_begin(db, err);
    if (ok) {
        ok = end_row(&in, worker, build, &o, kept);
        if (ok && *kept)
            ok = remove_old(&in) &&
                 (!result ||
                  (add_summary(&in, result) && ingest_each_stat(result, add_stat, &in) &&
                   ingest_rows(&in, "kernels", json_object_get(result, "kernels")) &&
                   ingest_rows(&in, "applications", json_object_get(result, "applications"))));
        if (ok)
            ok = db_commit(db, err);
        else
            db_rollback(db);
    }
    json_decref(result);
    return ok;
}

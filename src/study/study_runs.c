/* The runs that a study's numbers rest on: who made them, and all of them as CSV. */
#include "base/file.h"
#include "campaign/schema.h"
#include "campaign/table.h"
#include "study/study_measurer.h"

#include <math.h>
#include <string.h>

/* ---- who made the runs ---- */

/* The commit that made a run, and whether it is kept; NULL: it has no result. */
static const char *maker_of(struct measurer *m, const char *key, bool *is_kept, struct arena *arena,
                            struct err *err)
{
    const char *commit = NULL;
    sqlite3_stmt *q = db_ask(m->db, err,
                             "SELECT coalesce(made_by, '" UNKNOWN_COMMIT "') FROM runs LEFT JOIN "
                             "run_commits ON run = key WHERE key = ? AND status = 'done'",
                             "t", key);
    if (db_next(m->db, q, err)) {
        commit = arena_strdup(arena, db_text(q, 0));
        sqlite3_reset(q);
    }
    const char *kept = commit ? NULL : study_kept_commit(m->study, key);
    *is_kept = kept != NULL;
    return kept ? kept : commit;
}

void study_count_maker(struct study_maker *makers, u32 *count, const char *commit, bool is_kept)
{
    struct study_maker *k = makers;
    while (k < makers + *count && (k->is_kept != is_kept || strcmp(k->commit, commit) != 0))
        k++;
    if (k == makers + MOST_MAKERS)
        return;
    if (k == makers + *count)
        makers[(*count)++] = (struct study_maker){commit, is_kept, 0};
    k->runs++;
}

bool measurer_count_makers(struct measurer *m, struct err *err)
{
    struct study *s = m->study;
    s->maker_count = 0;
    if (!db_do(m->db, err, COMMITS_SQL, ""))
        return false;
    for (u32 r = 0; r < s->run_count; r++) {
        for (u32 i = 0; i < s->program_count * s->runs[r].points; i++) {
            const struct plan_point *p = s->runs[r].by_program[i];
            bool is_kept;
            const char *commit = p ? maker_of(m, p->key, &is_kept, m->arena, err) : NULL;
            if (commit)
                study_count_maker(s->makers, &s->maker_count, commit, is_kept);
            if (err->kind != ERR_NONE)
                return false;
        }
    }
    return true;
}

/* ---- what it rests on ---- */

static bool write_run(struct measurer *m, const struct study_run *run, const struct plan_point *p,
                      const char *program, const char *label, struct text *out, struct err *err)
{
    struct text cells = {0};
    bool ok = true, is_kept = false;
    for (u32 i = 0; ok && i < m->study->used_count; i++) {
        double x;
        ok = measurer_read(m, p->key, m->study->used[i], &x, &is_kept, err);
        if (!ok || isnan(x))
            text_printf(&cells, ",");
        else
            text_printf(&cells, ",%.10g", x);
    }
    text_printf(out, "%s,", run->name);
    csv_append(out, program); /* its arguments may have commas */
    text_printf(out, ",");
    csv_append(out, run->points > 1 ? label : "");
    struct arena scratch = {0};
    const char *commit = maker_of(m, p->key, &is_kept, &scratch, err);
    text_printf(out, ",%s,%s,%s,%s,%s%s\n", p->chip_name, p->workload->size,
                is_kept ? study_kept_key(m->study, p->key) : p->key, commit ? commit : "",
                is_kept ? "yes" : "", cells.data ? cells.data : "");
    arena_fini(&scratch);
    text_fini(&cells);
    return ok;
}

bool study_write_runs(const struct study *study, struct db *db, const char *path, struct err *err)
{
    struct measurer m = {.study = (struct study *)(uintptr_t)study, .db = db};
    struct text t = {0};
    bool ok = true;
    text_printf(&t, "set,program,point,chip,size,key,commit,kept");
    for (u32 i = 0; i < study->used_count; i++) {
        text_printf(&t, ",");
        csv_append(&t, study->used[i]);
    }
    text_printf(&t, "\n");
    for (u32 r = 0; r < study->run_count; r++) {
        const struct study_run *run = &study->runs[r];
        for (u32 i = 0; ok && i < study->program_count * run->points; i++) {
            const struct plan_point *p = run->by_program[i];
            ok = !p || write_run(&m, run, p, study->programs[i / run->points],
                                 run->axis.labels[i % run->points], &t, err);
        }
    }
    ok = ok && file_write(path, &t, err);
    text_fini(&t);
    return ok;
}

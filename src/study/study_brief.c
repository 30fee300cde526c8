#include "study/study_brief.h"

#include "base/map.h"
#include "config/yaml.h"
#include "study/study_defined.h"
#include "study/study_reader.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct brief_reader {
    struct study_brief *brief;
    const struct yaml_node *root;
    struct csv published, checks; /* count 0: there is none */
    struct arena *arena;
    struct err *err;
};

const char *study_about(const char *path, struct arena *arena, struct err *err)
{
    struct yaml_node *root = yaml_read_file(arena, path, err);
    return root ? study_text_under(root, "about") : NULL;
}

/* "": the file has no such column, or the row ends before it. */
static const char *field(const struct csv *csv, u32 row, const char *column)
{
    u32 at = csv_column(csv, column);
    return at == UINT32_MAX || row >= csv->count ? "" : csv->rows[row].fields[at];
}

static u32 find_id(const struct csv *csv, const char *id)
{
    for (u32 i = 0; i < csv->count; i++) {
        if (strcmp(field(csv, i, "id"), id) == 0)
            return i;
    }
    return UINT32_MAX;
}

/* A file that need not be there. */
static bool read_if_there(struct csv *csv, const char *folder, const char *name, bool *is_there,
                          struct brief_reader *r)
{
    const char *path = arena_printf(r->arena, "%s/%s", folder, name);
    *csv = (struct csv){.path = path};
    *is_there = access(path, R_OK) == 0;
    return !*is_there || csv_read_file(csv, path, r->arena, r->err);
}

/* ---- claims and checks ---- */

/* Of `notes:` or `shown:`; what is written later comes first. NULL: nothing. */
static const char *text_for(const struct brief_reader *r, const char *map, const char *id)
{
    const struct yaml_node *n = yaml_child(r->root, map);
    const char *text = NULL;
    for (u32 i = 0; n && i < n->child_count; i++) {
        if (study_is_meant(id, n->children[i].key))
            text = n->children[i].text;
    }
    return text;
}

/* A note that sends to another check ("as C5.aware: ...") stands for that one's. */
#define MOST_NOTES 4u
static const char *whole_note(struct brief_reader *r, const char *note)
{
    static const char *const words[] = {"as ", "see ", "because of "};
    for (u32 i = 0; i < MOST_NOTES; i++) {
        size_t w = 0;
        while (w < ARRAY_LEN(words) && strncmp(note, words[w], strlen(words[w])) != 0)
            w++;
        if (w == ARRAY_LEN(words))
            break;
        const char *id = note + strlen(words[w]);
        const char *named = arena_printf(r->arena, "%.*s", (int)strcspn(id, " ,:;"), id);
        const char *other = text_for(r, "notes", named);
        if (!other)
            break;
        note = other;
    }
    return note;
}

/* What study.yaml shows is not judged, whatever a table of before it says. */
static bool read_verdict(struct brief_reader *r, u32 row, enum verdict *out)
{
    const char *name = field(&r->checks, row, "verdict");
    u32 v = 0;
    while (v < VERDICT_COUNT && strcmp(verdict_names[v], name) != 0)
        v++;
    if (v == VERDICT_COUNT)
        return err_unknown(r->err, (struct src_pos){r->checks.path, r->checks.rows[row].line, 1},
                           "verdict", name, verdict_names, VERDICT_COUNT, NULL);
    *out = text_for(r, "shown", field(&r->checks, row, "id")) ? VERDICT_SHOWN : (enum verdict)v;
    return true;
}

static const struct yaml_node *find_expectation(const struct yaml_node *root, const char *id)
{
    const struct yaml_node *all = yaml_child(root, "expect");
    for (u32 i = 0; all && i < all->child_count; i++) {
        if (strcmp(study_text_under(&all->children[i], "id"), id) == 0)
            return &all->children[i];
    }
    return NULL;
}

static bool read_claim(struct brief_reader *r, const struct yaml_node *name,
                       struct study_claim *out)
{
    const char *id = name->text, *shown = text_for(r, "shown", id),
               *note = text_for(r, "notes", id);
    u32 row = find_id(&r->published, id), measured = find_id(&r->checks, id);
    const struct yaml_node *e = find_expectation(r->root, id);
    *out = (struct study_claim){.id = id,
                                .unit = "",
                                .published = "",
                                .measured = "",
                                .why = "",
                                .verdict = VERDICT_UNMEASURED};
    if (row != UINT32_MAX) {
        out->what = field(&r->published, row, "what");
        out->unit = field(&r->published, row, "unit");
        out->source = field(&r->published, row, "source");
        out->published = field(&r->published, row, "published");
    } else if (e) {
        out->what = study_text_under(e, "what");
        out->source = study_text_under(e, "source");
        out->is_ordering = true;
    } else {
        return err_at(r->err, name->at, "no check has the id '%s'", id);
    }
    if (measured == UINT32_MAX)
        return true;
    out->measured = field(&r->checks, measured, "measured");
    if (!read_verdict(r, measured, &out->verdict))
        return false;
    if (out->verdict == VERDICT_SHOWN)
        out->why = shown ? shown : field(&r->checks, measured, "note");
    else if (out->verdict == VERDICT_MISS && note)
        out->why = whole_note(r, note);
    return true;
}

static bool read_claims(struct brief_reader *r, const char *key, u32 most,
                        struct study_claim *claims, u32 *count)
{
    const struct yaml_node *list = yaml_child(r->root, key);
    *count = list ? list->child_count : 0;
    if (*count > most)
        return err_at(r->err, list->at, "%s has %u checks, expected at most %u", key, *count, most);
    for (u32 i = 0; i < *count; i++) {
        if (!read_claim(r, &list->children[i], &claims[i]))
            return false;
    }
    return true;
}

bool study_claim_is_ordered(const struct study_claim *claim)
{
    double none = strcmp(claim->unit, "x") == 0 ? 1 : 0;
    double published = strtod(claim->published, NULL) - none;
    double measured = strtod(claim->measured, NULL) - none;
    if (claim->is_ordering || published == 0)
        return claim->verdict == VERDICT_PASS;
    return published > 0 ? measured > 0 : measured < 0;
}

static bool count_checks(struct brief_reader *r)
{
    for (u32 i = 0; i < r->checks.count; i++) {
        bool is_shape = strcmp(field(&r->checks, i, "kind"), check_kind_names[CHECK_SHAPE]) == 0;
        enum verdict v;
        if (!read_verdict(r, i, &v))
            return false;
        r->brief->checks[is_shape ? SORT_ORDERING : SORT_MAGNITUDE][v]++;
    }
    return true;
}

u32 study_brief_count(const struct study_brief *brief, enum verdict verdict)
{
    u32 count = 0;
    for (u32 i = 0; i < brief->claim_count; i++)
        count += brief->claims[i].verdict == verdict;
    return count;
}

/* ---- runs and programs ---- */

/* Rows without a commit are from before results had one: of an earlier version, and kept. */
static void count_run(struct study_brief *b, const struct csv *runs, u32 row)
{
    const char *commit = field(runs, row, "commit");
    bool is_unknown = !*commit || strcmp(commit, UNKNOWN_COMMIT) == 0;
    bool is_kept = is_unknown || strcmp(field(runs, row, "kept"), "yes") == 0;
    b->hours += strtod(field(runs, row, "seconds"), NULL) / 3600;
    b->runs_made += !is_kept;
    b->runs_kept += is_kept;
    study_count_maker(b->makers, &b->maker_count, is_unknown ? UNKNOWN_COMMIT : commit, is_kept);
}

static bool count_runs(struct brief_reader *r, const struct csv *runs)
{
    struct study_brief *b = r->brief;
    struct study_defined defined;
    struct strmap known = {0};
    u32 at;
    for (u32 i = 0; i < runs->count; i++) {
        const char *key = field(runs, i, "key");
        if (!study_row_was_run(runs, i) || strmap_get(&known, key, &at))
            continue;
        strmap_put(&known, key, i);
        count_run(b, runs, i);
    }
    strmap_fini(&known);
    if (!study_count_defined(&defined, r->root, runs->path, runs, r->arena, r->err))
        return false;
    b->runs_without_result = defined.without_result;
    b->runs_gone = defined.gone;
    return true;
}

static void add_rejected(struct study_brief *b, const char *program)
{
    for (u32 i = 0; i < b->rejected_count; i++) {
        if (strcmp(b->rejected[i], program) == 0)
            return;
    }
    b->rejected[b->rejected_count++] = program;
}

/* A table with the columns program and accepted. */
static void add_programs(struct brief_reader *r, const struct csv *table)
{
    struct study_brief *b = r->brief;
    b->rejected = ARENA_ARRAY(r->arena, const char *, table->count + 1);
    for (u32 i = 0; i < table->count; i++) {
        if (strcmp(field(table, i, "accepted"), "no") == 0)
            add_rejected(b, field(table, i, "program"));
    }
    b->program_count = table->count;
}

/* What the value of `judged:` said last. A table (`accepted:`) is of programs that may be in mixes:
 * those that it rejects are in none, so nothing of them is run. */
static bool read_programs(struct brief_reader *r, const char *results)
{
    const char *value = study_text_under(r->root, "judged");
    const char *table = study_text_under(r->root, "accepted");
    struct csv csv;
    bool is_there;
    r->brief->mixes_from = *table ? table : NULL;
    if (!*value)
        return true;
    r->brief->accepted_by = value;
    if (!read_if_there(&csv, results, "programs.csv", &is_there, r))
        return false;
    if (is_there)
        add_programs(r, &csv);
    return true;
}

bool study_brief_read(struct study_brief *brief, const char *folder, const char *results,
                      struct arena *arena, struct err *err)
{
    const char *slash = strrchr(folder, '/');
    struct brief_reader r = {.brief = brief, .arena = arena, .err = err};
    struct csv runs;
    bool has_published;
    r.root = yaml_read_file(arena, arena_printf(arena, "%s/study.yaml", folder), err);
    if (!r.root)
        return false;
    *brief = (struct study_brief){.name = slash ? slash + 1 : folder,
                                  .about = study_text_under(r.root, "about"),
                                  .document = study_text_under(r.root, "document"),
                                  .system = study_text_under(r.root, "system")};
    brief->has_readme = access(arena_printf(arena, "%s/README.md", folder), R_OK) == 0;
    if (!read_if_there(&r.published, folder, "published.csv", &has_published, &r) ||
        !read_if_there(&r.checks, results, "checks.csv", &brief->has_checks, &r) ||
        !read_if_there(&runs, results, "runs.csv", &brief->has_runs, &r))
        return false;
    return count_runs(&r, &runs) &&
           read_claims(&r, "headline", MOST_HEADLINES, brief->claims, &brief->claim_count) &&
           read_claims(&r, "ordering", MOST_ORDERINGS, brief->orderings, &brief->ordering_count) &&
           count_checks(&r) && read_programs(&r, results);
}

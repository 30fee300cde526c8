/* docs/studies.md: what every study has to say, from its folder and the results kept there. */
#include "cli/studies.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdict_words[VERDICT_COUNT] = {"holds", "misses", "shown, not judged",
                                                         "not measured"};

/* A cell of a table: no bars. */
static void append_cell(struct text *out, const char *s, size_t length)
{
    for (size_t i = 0; i < length && s[i]; i++) {
        if (s[i] == '|')
            text_printf(out, "\\");
        text_append(out, s + i, 1);
    }
}

static void append_all(struct text *out, const char *s)
{
    append_cell(out, s, strlen(s));
}

/* Up to the first full stop or semicolon. */
static size_t sentence_length(const char *s)
{
    size_t n = 0;
    while (s[n] && !((s[n] == '.' || s[n] == ';') && (s[n + 1] == ' ' || !s[n + 1])))
        n++;
    return n;
}

/* Three digits are enough to compare, four of a ratio. */
static void append_number(struct text *out, const char *number, const char *unit)
{
    char *end;
    double x = strtod(number, &end);
    if (!*number)
        return;
    if (*end)
        append_all(out, number);
    else if (x >= 1000 || x <= -1000)
        text_printf(out, "%.0f", x);
    else
        text_printf(out, "%.*g", strcmp(unit, "x") == 0 ? 4 : 3, x);
    if (*unit)
        text_printf(out, " %s", unit);
}

/* A word ends at a blank that is not within a link or code. */
static size_t word_length(const char *s)
{
    size_t n = 0;
    u32 open = 0;
    bool is_code = false;
    for (; s[n] && (s[n] != ' ' || open || is_code); n++) {
        is_code ^= s[n] == '`';
        open += s[n] == '[' || s[n] == '(';
        open -= open && (s[n] == ']' || s[n] == ')');
    }
    return n;
}

/* Prose, as tools/wrap-markdown has it: a blank line, then lines of at most 100 columns. */
#define COLUMNS 100u
static void append_paragraph(const struct text *words, struct text *out)
{
    size_t column = 0;
    for (const char *s = words->data ? words->data : ""; *s;) {
        size_t n = word_length(s);
        bool fits = column && column + 1 + n <= COLUMNS;
        text_printf(out, "%s", fits ? " " : "\n");
        text_append(out, s, n);
        column = fits ? column + 1 + n : n;
        s += n + (s[n] == ' ');
    }
    text_printf(out, "\n");
}

/* Three cells: what is claimed, what was published, what is measured here. */
static void append_claim(const struct study_claim *c, struct text *out)
{
    append_all(out, c->what);
    text_printf(out, " | ");
    if (c->is_ordering)
        text_printf(out, "so");
    append_number(out, c->published, c->unit);
    text_printf(out, " | ");
    append_number(out, c->measured, c->is_ordering ? "" : c->unit);
}

static void claim_row(const struct study_claim *c, struct text *out)
{
    text_printf(out, "| ");
    append_claim(c, out);
    text_printf(out, " | %s | ", verdict_words[c->verdict]);
    if (*c->why)
        append_cell(out, c->why, sentence_length(c->why));
    else if (c->verdict == VERDICT_MISS)
        text_printf(out, "the cause is not known");
    text_printf(out, " |\n");
}

static void claims_table(const struct study_brief *b, struct text *out)
{
    text_printf(out, "| claim | published | measured | verdict | why |\n|---|---:|---:|---|---|\n");
    for (u32 i = 0; i < b->claim_count; i++)
        claim_row(&b->claims[i], out);
}

static void sort_text(const char *name, const char *hold, const u32 n[VERDICT_COUNT],
                      struct text *out)
{
    text_printf(out, "%s: %u of %u %s", name, n[VERDICT_PASS], n[VERDICT_PASS] + n[VERDICT_MISS],
                hold);
    if (n[VERDICT_SHOWN])
        text_printf(out, ", %u shown and not judged", n[VERDICT_SHOWN]);
    if (n[VERDICT_UNMEASURED])
        text_printf(out, ", %u not measured", n[VERDICT_UNMEASURED]);
    text_printf(out, ".\n");
}

static void maker_text(const struct study_maker *m, bool is_first, struct text *out)
{
    text_printf(out, "%s%u ", is_first ? "Runs with a result: " : ", ", m->runs);
    if (strcmp(m->commit, UNKNOWN_COMMIT) == 0)
        text_printf(out, "made by an earlier version, whose commit is not known");
    else
        text_printf(out, "%s commit %s", m->is_kept ? "kept, made by" : "made by", m->commit);
}

static void runs_text(const struct study_brief *b, struct text *out)
{
    struct text t = {0};
    if (!b->has_runs)
        text_printf(&t, "No runs are kept here; %u are defined.", b->runs_without_result);
    for (u32 i = 0; i < b->maker_count; i++)
        maker_text(&b->makers[i], i == 0, &t);
    if (b->has_runs && b->hours > 0)
        text_printf(&t, ". They took %.1f hours of one core", b->hours);
    if (b->has_runs && b->runs_without_result)
        text_printf(&t, ". %u runs that the study defines now have no result",
                    b->runs_without_result);
    if (b->runs_gone)
        text_printf(&t, ". %u of the results are of runs that it does not define any more",
                    b->runs_gone);
    text_printf(&t, "%s", b->has_runs ? "." : "");
    append_paragraph(&t, out);
    text_fini(&t);
}

static void programs_text(const struct study_brief *b, struct text *out)
{
    struct text t = {0};
    if (b->accepted_by)
        text_printf(&t, "Programs not accepted (`%s`), shown and in no mean: ", b->accepted_by);
    if (b->accepted_by && !b->program_count)
        text_printf(&t, "not known yet. ");
    else if (b->accepted_by && !b->rejected_count)
        text_printf(&t, "none of %u. ", b->program_count);
    for (u32 i = 0; i < b->rejected_count; i++)
        text_printf(&t, "%s%s", b->rejected[i], i + 1 < b->rejected_count ? ", " : ". ");
    if (b->mixes_from)
        text_printf(&t, "Its mixes hold only programs that `%s` accepts.", b->mixes_from);
    if (t.data)
        append_paragraph(&t, out);
    text_fini(&t);
}

static void section(const struct study_brief *b, struct text *out)
{
    struct text t = {0};
    text_printf(out, "\n## %s\n", b->name);
    text_printf(&t, "%c%s. ", toupper((unsigned char)b->about[0]), b->about + (*b->about != 0));
    if (*b->document)
        text_printf(&t, "Published in: %s. ", b->document);
    text_printf(&t, "[%s](../studies/%s/%s)",
                b->has_readme ? "Inputs, readings and remarks" : "The study's file", b->name,
                b->has_readme ? "README.md" : "study.yaml");
    append_paragraph(&t, out);
    text_fini(&t);
    text_printf(out, "\n");
    claims_table(b, out);
    if (b->has_checks) {
        text_printf(out, "\n");
        sort_text("Orderings", "hold", b->checks[SORT_ORDERING], out);
        sort_text("Magnitudes", "are within their band", b->checks[SORT_MAGNITUDE], out);
    }
    runs_text(b, out);
    programs_text(b, out);
}

/* ---- published systems ---- */

static const char *order_word(const struct study_claim *c)
{
    if (c->verdict == VERDICT_UNMEASURED)
        return "not measured";
    return study_claim_is_ordered(c) ? "holds" : "misses";
}

/* All of its orderings hold. */
static bool is_ordered(const struct study_brief *b)
{
    for (u32 i = 0; i < b->ordering_count; i++) {
        const struct study_claim *c = &b->orderings[i];
        if (c->verdict == VERDICT_UNMEASURED || !study_claim_is_ordered(c))
            return false;
    }
    return b->ordering_count > 0;
}

static void system_rows(const struct study_brief *b, struct text *out)
{
    for (u32 i = 0; i < b->ordering_count; i++) {
        const struct study_claim *c = &b->orderings[i];
        bool holds = c->verdict != VERDICT_UNMEASURED && study_claim_is_ordered(c);
        text_printf(out, "| ");
        if (i == 0)
            append_all(out, b->system);
        text_printf(out, " | [%s](#%s) | ", b->name, b->name);
        append_claim(c, out);
        text_printf(out, " | %s | ", order_word(c));
        if (!holds)
            append_cell(out, c->why, sentence_length(c->why));
        text_printf(out, " |\n");
    }
}

static void systems(const struct study_brief *all, u32 count, struct text *out)
{
    struct text t = {0};
    u32 systems = 0, ordered = 0;
    for (u32 i = 0; i < count; i++) {
        systems += all[i].system[0] != 0;
        ordered += all[i].system[0] && is_ordered(&all[i]);
    }
    text_printf(out, "\n## Published systems\n");
    text_printf(&t,
                "What each of the %u systems is published for, as an order: that it is better than "
                "what it is compared with. A number counts by its direction alone, whatever its "
                "size; the sections below judge sizes. All orders of a system hold for %u of %u.",
                systems, ordered, systems);
    append_paragraph(&t, out);
    text_fini(&t);
    text_printf(out, "\n| system | study | order | published | measured | verdict | why |\n"
                     "|---|---|---|---:|---:|---|---|\n");
    for (u32 i = 0; i < count; i++) {
        if (all[i].system[0])
            system_rows(&all[i], out);
    }
}

/* HOLD of JUDGED; nothing where nothing was judged. */
static void append_share(const u32 counts[VERDICT_COUNT], struct text *out)
{
    u32 judged = counts[VERDICT_PASS] + counts[VERDICT_MISS];
    if (judged)
        text_printf(out, " %u of %u |", counts[VERDICT_PASS], judged);
    else
        text_printf(out, " |");
}

static void overview_row(const struct study_brief *b, struct text *out)
{
    u32 claims[VERDICT_COUNT];
    for (u32 v = 0; v < VERDICT_COUNT; v++)
        claims[v] = study_brief_count(b, v);
    text_printf(out, "| [%s](#%s) | ", b->name, b->name);
    append_all(out, b->about);
    text_printf(out, " |");
    append_share(claims, out);
    append_share(b->checks[SORT_ORDERING], out);
    append_share(b->checks[SORT_MAGNITUDE], out);
    if (b->has_runs)
        text_printf(out, " %u | %u | %u |", b->runs_made, b->runs_kept, b->runs_without_result);
    else
        text_printf(out, " | | %u |", b->runs_without_result);
    if (b->program_count)
        text_printf(out, " %u of %u |\n", b->rejected_count, b->program_count);
    else
        text_printf(out, " |\n");
}

static void head(struct text *out)
{
    struct text t = {0};
    text_printf(out, "# Studies at a glance\n\nWritten by `heddle study list --markdown` from "
                     "`studies/` and the results kept there.\n");
    text_printf(
        &t,
        "A study repeats a published evaluation. Its headline "
        "claims, five at most, are what the publication is known by. A claim holds if its "
        "condition does, or if the measured number is within the band that was written before "
        "the run; a claim that misses has the measured cause beside it, where one is known. "
        "Orderings are conditions, magnitudes are numbers within a band. Checks that restate an "
        "input, are arithmetic, or cannot fail are shown and not judged. A kept run was "
        "made by an earlier version, with its commit where it is known; where it is not, the run "
        "is from before network interfaces and the banks of shared caches were corrected. Runs "
        "without a result are defined now, by the names of set, program, point and chip, and "
        "failed or were not made. [Run and write studies](howto/studies.md) tells how to repeat "
        "them.");
    append_paragraph(&t, out);
    text_fini(&t);
    text_printf(
        out,
        "\n| study | question | headline claims that hold | orderings | magnitudes | runs made | "
        "kept | without a result | programs not accepted |\n"
        "|---|---|---|---|---|---:|---:|---:|---|\n");
}

bool studies_page(struct text *out, struct err *err)
{
    struct arena arena = {0};
    const char **names;
    bool ok = true;
    u32 count = studies_list(&arena, &names);
    struct study_brief *all = ARENA_ARRAY(&arena, struct study_brief, count + 1);
    for (u32 i = 0; ok && i < count; i++)
        ok = studies_read(&all[i], names[i], NULL, &arena, err);
    if (ok) {
        head(out);
        for (u32 i = 0; i < count; i++)
            overview_row(&all[i], out);
        systems(all, count, out);
        for (u32 i = 0; i < count; i++)
            section(&all[i], out);
    }
    arena_fini(&arena);
    return ok;
}

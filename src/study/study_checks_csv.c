/* checks.csv, programs.csv: a study's verdict as one row per check, and which programs it is of;
 * small enough to be kept beside its file. */
#include "base/file.h"
#include "campaign/table.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

static const char *const columns[] = {"id",  "what", "kind",    "unit",  "published", "measured",
                                      "low", "high", "verdict", "since", "note"};

static void append_number(struct text *out, double x)
{
    text_printf(out, ",");
    if (!isnan(x))
        text_printf(out, "%.6g", x);
}

static void append_text(struct text *out, const char *s)
{
    text_printf(out, ",");
    csv_append(out, s ? s : "");
}

/* Why the verdict is what it is: why a check is not judged, or the cause of a miss. */
static const char *note_of(const struct study_check *c)
{
    return c->shown ? c->shown : c->verdict == VERDICT_MISS ? c->note : "";
}

bool study_write_checks(const struct study *study, const char *path, struct err *err)
{
    struct text t = {0};
    for (size_t i = 0; i < ARRAY_LEN(columns); i++)
        text_printf(&t, "%s%s", i ? "," : "", columns[i]);
    text_printf(&t, "\n");
    for (u32 i = 0; i < study->check_count; i++) {
        const struct study_check *c = &study->checks[i];
        csv_append(&t, c->id);
        append_text(&t, c->what);
        append_text(&t, check_kind_names[c->kind]);
        append_text(&t, c->unit);
        append_text(&t, c->published_text); /* as it was printed */
        append_number(&t, c->measured);
        append_number(&t, c->low);
        append_number(&t, c->high);
        append_text(&t, verdict_names[c->verdict]);
        append_text(&t, c->since);
        append_text(&t, note_of(c));
        text_printf(&t, "\n");
    }
    bool ok = file_write(path, &t, err);
    text_fini(&t);
    return ok;
}

bool study_write_programs(const struct study *study, const char *path, struct err *err)
{
    struct text t = {0};
    text_printf(&t, "program,accepted\n");
    for (u32 i = 0; i < study->program_count; i++) {
        csv_append(&t, study->programs[i]);
        text_printf(&t, ",%s\n", !study->is_judged || study->is_judged[i] ? "yes" : "no");
    }
    bool ok = file_write(path, &t, err);
    text_fini(&t);
    return ok;
}

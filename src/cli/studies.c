#include "cli/studies.h"

#include "cli/command.h"

#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Folders with a study.yaml, by name. */
u32 studies_list(struct arena *arena, const char ***names)
{
    const char *folder = studies_folder();
    DIR *d = folder ? opendir(folder) : NULL;
    u32 count = 0;
    *names = ARENA_ARRAY(arena, const char *, 256);
    for (struct dirent *e = d ? readdir(d) : NULL; e && count < 255; e = readdir(d)) {
        char *file = arena_printf(arena, "%s/%s/study.yaml", folder, e->d_name);
        if (e->d_name[0] != '.' && access(file, R_OK) == 0)
            (*names)[count++] = arena_strdup(arena, e->d_name);
    }
    if (d)
        closedir(d);
    qsort((void *)(uintptr_t)*names, count, sizeof **names, by_name);
    return count;
}

const char *studies_about(const char *name, struct arena *arena)
{
    struct err ignored = ERR_INIT;
    const char *about = study_about(arena_printf(arena, "%s/%s/study.yaml", studies_folder(), name),
                                    arena, &ignored);
    return about ? about : "(cannot be read)";
}

static const char *text_of(const json_t *j, const char *key)
{
    const char *s = json_string_value(json_object_get(j, key));
    return s ? s : "";
}

bool studies_read(struct study_brief *brief, const char *name, const char *results,
                  struct arena *arena, struct err *err)
{
    const char *folder = arena_printf(arena, "%s/%s", studies_folder(), name);
    return study_brief_read(
        brief, folder, results ? results : arena_printf(arena, "%s/results", folder), arena, err);
}

/* When and how a study was run in this folder; false: it was not. */
static bool last_run(const char *name, const char *results, struct text *out)
{
    json_t *verdict = json_load_file(results, 0, NULL);
    if (!verdict)
        return false;
    text_printf(out, "%-14s   last, %s (%s): ", name, text_of(verdict, "date"),
                text_of(verdict, "variant"));
    json_decref(verdict);
    return true;
}

static void headline_text(const struct study_brief *b, struct text *out)
{
    u32 hold = study_brief_count(b, VERDICT_PASS), miss = study_brief_count(b, VERDICT_MISS);
    u32 shown = study_brief_count(b, VERDICT_SHOWN);
    u32 rest = study_brief_count(b, VERDICT_UNMEASURED);
    if (rest == b->claim_count) {
        text_printf(out, "none of %u headline claims is measured\n", b->claim_count);
        return;
    }
    text_printf(out, "%u of %u headline claims hold, %u miss", hold, b->claim_count, miss);
    if (shown)
        text_printf(out, ", %u not judged", shown);
    if (rest)
        text_printf(out, ", %u not measured", rest);
    text_printf(out, "\n");
}

static bool study_line(const char *name, struct arena *arena, struct text *out, struct err *err)
{
    struct study_brief b;
    const char *local = arena_printf(arena, STUDIES_OUTPUT "/%s", name);
    const char *verdict = arena_printf(arena, "%s/verdict.json", local);
    bool is_local = access(verdict, R_OK) == 0;
    if (!studies_read(&b, name, is_local ? local : NULL, arena, err))
        return false;
    text_printf(out, "%-14s %s\n", name, b.about);
    if (!is_local || !last_run("", verdict, out))
        text_printf(out, "%-14s   %s: ", "", b.has_checks ? "bundled results" : "no results");
    headline_text(&b, out);
    return true;
}

bool studies_text(struct text *out, struct err *err)
{
    struct arena arena = {0};
    const char **names;
    bool ok = true;
    u32 count = studies_list(&arena, &names);
    for (u32 i = 0; ok && i < count; i++)
        ok = study_line(names[i], &arena, out, err);
    arena_fini(&arena);
    return ok;
}

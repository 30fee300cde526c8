#include "cli/studies.h"

#include "cli/command.h"
#include "study/study.h"

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

static void counts_text(const u32 counts[VERDICT_COUNT], struct text *out)
{
    u32 judged = counts[VERDICT_PASS] + counts[VERDICT_MISS];
    text_printf(out, "%u of %u judged checks pass, %u miss, %u shown, %u not measured\n",
                counts[VERDICT_PASS], judged, counts[VERDICT_MISS], counts[VERDICT_SHOWN],
                counts[VERDICT_UNMEASURED]);
}

/* The verdict of a study that was run in this folder. */
static bool local_text(const char *name, struct arena *arena, struct text *out)
{
    u32 counts[VERDICT_COUNT];
    json_t *verdict =
        json_load_file(arena_printf(arena, STUDIES_OUTPUT "/%s/verdict.json", name), 0, NULL);
    if (!verdict)
        return false;
    for (u32 v = 0; v < VERDICT_COUNT; v++)
        counts[v] = (u32)json_integer_value(
            json_object_get(json_object_get(verdict, "summary"), verdict_names[v]));
    text_printf(out, "%-14s   last, %s (%s): ", "", text_of(verdict, "date"),
                text_of(verdict, "variant"));
    counts_text(counts, out);
    json_decref(verdict);
    return true;
}

/* The results that come with heddle. */
static void bundled_text(const char *name, struct arena *arena, struct text *out)
{
    u32 counts[VERDICT_COUNT];
    struct err ignored = ERR_INIT;
    const char *path = arena_printf(arena, "%s/%s/results/checks.csv", studies_folder(), name);
    if (!study_count_checks(path, counts, arena, &ignored))
        return;
    text_printf(out, "%-14s   bundled results: ", "");
    counts_text(counts, out);
}

void studies_text(struct text *out)
{
    struct arena arena = {0};
    const char **names;
    u32 count = studies_list(&arena, &names);
    for (u32 i = 0; i < count; i++) {
        text_printf(out, "%-14s %s\n", names[i], studies_about(names[i], &arena));
        if (!local_text(names[i], &arena, out))
            bundled_text(names[i], &arena, out);
    }
    arena_fini(&arena);
}

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

/* The newest verdict: of this folder's runs, else the one that came along. */
static json_t *last_verdict(const char *name, struct arena *arena)
{
    const char *const places[] = {
        arena_printf(arena, STUDIES_OUTPUT "/%s/verdict.json", name),
        arena_printf(arena, "%s/%s/results/verdict.json", studies_folder(), name)};
    json_t *j = NULL;
    for (size_t i = 0; i < ARRAY_LEN(places) && !j; i++)
        j = json_load_file(places[i], 0, NULL);
    return j;
}

static const char *text_of(const json_t *j, const char *key)
{
    const char *s = json_string_value(json_object_get(j, key));
    return s ? s : "";
}

static void last_text(json_t *verdict, json_t *summary, struct text *out)
{
    i64 passed = json_integer_value(json_object_get(summary, "pass"));
    i64 missed = json_integer_value(json_object_get(summary, "miss"));
    i64 left = json_integer_value(json_object_get(summary, "unmeasured"));
    text_printf(out, "%-14s   last, %s (%s): %lld of %lld judged checks pass, %lld not measured\n",
                "", text_of(verdict, "date"), text_of(verdict, "variant"), (long long)passed,
                (long long)(passed + missed), (long long)left);
}

void studies_text(struct text *out)
{
    struct arena arena = {0};
    const char **names;
    u32 count = studies_list(&arena, &names);
    for (u32 i = 0; i < count; i++) {
        json_t *j = last_verdict(names[i], &arena), *n = json_object_get(j, "summary");
        text_printf(out, "%-14s %s\n", names[i], studies_about(names[i], &arena));
        if (j)
            last_text(j, n, out);
        json_decref(j);
    }
    arena_fini(&arena);
}

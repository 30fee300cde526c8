#include "cli/workload.h"

#include "base/arena.h"
#include "machine/model.h"
#include "cli/command.h"
#include "cli/cuda_program.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".ptx"

/* Where they are, as seen from heddle's own folder: the build folder, or installed. */
static const char *const folders[] = {"workloads", "../libexec/heddle/workloads"};

static DIR *open_folder(struct arena *arena, const char **path)
{
    *path = getenv("HEDDLE_WORKLOADS");
    if (*path && **path)
        return opendir(*path);
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(exe, '/');
    DIR *d = NULL;
    for (size_t i = 0; slash && !d && i < ARRAY_LEN(folders); i++) {
        *path = arena_printf(arena, "%.*s/%s", (int)(slash - exe), exe, folders[i]);
        d = opendir(*path);
    }
    return d;
}

/* The comment in the first line of a file. */
static const char *first_line(const char *path, struct arena *arena)
{
    char line[256] = "";
    FILE *f = fopen(path, "re");
    if (f && !fgets(line, sizeof line, f))
        line[0] = '\0';
    if (f)
        fclose(f);
    line[strcspn(line, "\n")] = '\0';
    return arena_strdup(arena, line + strspn(line, "/ "));
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct workload *)a)->name, ((const struct workload *)b)->name);
}

u32 workload_list(struct arena *arena, struct workload **out)
{
    u32 count = 0, room = 0;
    const char *folder;
    DIR *d = open_folder(arena, &folder);
    *out = NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t length = strlen(e->d_name);
        if (length <= strlen(ENDING) || strcmp(e->d_name + length - strlen(ENDING), ENDING) != 0)
            continue;
        char *name = arena_printf(arena, "%.*s", (int)(length - strlen(ENDING)), e->d_name);
        char *program = arena_printf(arena, "%s/%s", folder, name);
        if (access(program, X_OK) != 0)
            continue;
        if (count == room) {
            struct workload *old = *out;
            room = room ? 2 * room : 16;
            *out = ARENA_ARRAY(arena, struct workload, room);
            if (count)
                memcpy(*out, old, count * sizeof *old);
        }
        (*out)[count++] = (struct workload){
            name, first_line(arena_printf(arena, "%s/%s", folder, e->d_name), arena), program};
    }
    if (d)
        closedir(d);
    if (count)
        qsort(*out, count, sizeof **out, by_name);
    return count;
}

const char *workload_sources(struct arena *arena)
{
    const char *folder;
    DIR *d = open_folder(arena, &folder);
    if (d)
        closedir(d);
    return arena_printf(arena, "%s/sources.csv", folder);
}

u32 workload_names(struct arena *arena, const char ***out)
{
    struct workload *all;
    u32 count = workload_list(arena, &all);
    *out = ARENA_ARRAY(arena, const char *, count + 1);
    for (u32 i = 0; i < count; i++)
        (*out)[i] = all[i].name;
    return count;
}

const struct workload *workload_find(const char *name, struct arena *arena)
{
    struct workload *all;
    u32 count = workload_list(arena, &all);
    for (u32 i = 0; i < count; i++) {
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    }
    return NULL;
}

const char *const *workload_arguments(const struct workload *w, const struct cli *cli,
                                      struct arena *arena, struct err *err)
{
    u64 seed;
    if (!cli_number(cli, "seed", 0, UINT64_MAX, 1, &seed, err))
        return NULL;
    const char **arguments = ARENA_ARRAY(arena, const char *, cli->argument_count + 7);
    u32 count = 0;
    arguments[count++] = w->program;
    if (cli_has(cli, "size")) {
        arguments[count++] = "--size";
        arguments[count++] = cli_value(cli, "size");
    }
    arguments[count++] = "--seed";
    arguments[count++] = arena_printf(arena, "%llu", (unsigned long long)seed);
    if (cli_has(cli, "quiet"))
        arguments[count++] = "--quiet";
    for (u32 i = cli->program; i < cli->argument_count; i++)
        arguments[count++] = cli->arguments[i];
    return arguments;
}

/* A program or a file of kernels where a name belongs: say how it is given. */
static bool check_file(const char *name, struct err *err)
{
    struct stat s;
    struct src_pos at = {name, 0, 0};
    bool is_there = stat(name, &s) == 0 && S_ISREG(s.st_mode);
    if (is_there && access(name, X_OK) == 0)
        return err_at(err, at, "this is a program, expected `heddle run -- %s%s`",
                      strchr(name, '/') ? "" : "./", name);
    if (is_there)
        return err_at(err, at,
                      "this is a file, expected --trace FILE for SASS traces, --replay FILE for a "
                      "recording, or the name of a workload");
    return !strchr(name, '/') ||
           err_at(err, at, "file not found; to run a program, write `heddle run -- %s`", name);
}

bool workload_check_name(const char *name, struct err *err)
{
    struct arena arena = {0};
    struct workload *bundled;
    u32 count = workload_list(&arena, &bundled), models_count = 0;
    for (const struct model *const *m = models; *m; m++) {
        for (const struct model_workload *w = (*m)->workloads; w->name; w++)
            models_count++;
    }
    const char **names = ARENA_ARRAY(&arena, const char *, count + models_count);
    u32 used = 0;
    for (u32 i = 0; i < count; i++)
        names[used++] = bundled[i].name;
    for (const struct model *const *m = models; *m; m++) {
        for (const struct model_workload *w = (*m)->workloads; w->name; w++)
            names[used++] = w->name;
    }
    bool known = false;
    for (u32 i = 0; i < used; i++)
        known |= strcmp(names[i], name) == 0;
    bool ok =
        known || (check_file(name, err) && err_unknown(err, (struct src_pos){0}, "workload", name,
                                                       names, used, "heddle list workloads"));
    arena_fini(&arena);
    return ok;
}

#include "cli/mix_programs.h"

#include "chip/gpu_workload.h"
#include "cli/command.h"
#include "cli/workload.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Warp instructions of a program that are enough to say that it does not end. */
#define DEFAULT_MOST_INSTRUCTIONS 1000000000u

bool mix_prepare(struct mix *mix, const char *path, const struct config_request *chip,
                 struct arena *arena, struct err *err)
{
    const char **names;
    u32 count = workload_names(arena, &names);
    struct config config = {0};
    struct config_request request = *chip;
    request.schemas = model_schemas;
    bool ok = mix_read(mix, path, names, count, arena, err) &&
              config_load(&config, &request, err) &&
              mix_place(mix, model_of(config.schema), &config, arena, err);
    config_fini(&config);
    for (u32 i = 0; ok && i < mix->count; i++) {
        const char *file = mix->applications[i].plays;
        ok =
            !file || mix->applications[i].kind->agents != AGENT_SM || gpu_workload_check(file, err);
    }
    return ok;
}

/* `heddle run` for its answers alone, with the numbers of the mix. */
static const char *const *command_of(const struct application *a, const struct run_request *r,
                                     const char *file, u64 most, struct arena *arena)
{
    const char **word = ARENA_ARRAY(arena, const char *, 24 + 2 * r->chip.set_count + a->arg_count);
    u32 count = 0;
    word[count++] = "heddle";
    word[count++] = "run";
    word[count++] = "--functional";
    word[count++] = "--quiet";
    word[count++] = "--record";
    word[count++] = file;
    word[count++] = "--chip";
    word[count++] = r->chip.chip;
    for (u32 i = 0; i < r->chip.set_count; i++) {
        word[count++] = "--set";
        word[count++] = r->chip.sets[i];
    }
    if (*a->cluster) {
        word[count++] = "--on";
        word[count++] = a->cluster;
    }
    word[count++] = "--seed";
    word[count++] = arena_printf(arena, "%llu", (unsigned long long)r->seed);
    word[count++] = "--max-instructions";
    word[count++] = arena_printf(arena, "%llu", (unsigned long long)most);
    if (a->size) {
        word[count++] = "--size";
        word[count++] = a->size;
    }
    if (a->kind->is_workload)
        word[count++] = a->program;
    if (a->arg_count || !a->kind->is_workload)
        word[count++] = "--";
    if (!a->kind->is_workload)
        word[count++] = a->program;
    for (u32 i = 0; i < a->arg_count; i++)
        word[count++] = a->args[i];
    return word;
}

static bool failed(const struct application *a, int status, struct err *err)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (WIFSIGNALED(status))
        return err_at(err, a->at, "application %s was ended by signal %d (%s) before the mix began",
                      a->name, WTERMSIG(status), strsignal(WTERMSIG(status)));
    if (code)
        err_at(err, a->at,
               "application %s failed in its run without timing, before the mix began: exit code "
               "%d",
               a->name, code);
    else
        err_at(err, a->at,
               "application %s left no recording: it launched no kernel, one failed, or it did "
               "not end as programs do",
               a->name);
    err->kind = code >= ERR_INPUT && code <= ERR_INTERNAL ? (enum err_kind)code : ERR_VERIFY;
    return false;
}

static bool record(const struct application *a, const char *const *command, const char *file,
                   struct err *err)
{
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    pid_t parent = getpid();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            execv(exe, (char *const *)(uintptr_t)command);
        _exit(ERR_INTERNAL);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child < 0)
        return err_kind(err, ERR_INTERNAL, "a process could not be started: %s", strerror(errno));
    return (WIFEXITED(status) && !WEXITSTATUS(status) && access(file, R_OK) == 0) ||
           failed(a, status, err);
}

static bool is_same(const struct application *a, const struct application *b)
{
    bool same = a->kind == b->kind && strcmp(a->program, b->program) == 0 &&
                strcmp(a->size ? a->size : "", b->size ? b->size : "") == 0 &&
                a->arg_count == b->arg_count;
    for (u32 i = 0; same && i < a->arg_count; i++)
        same = strcmp(a->args[i], b->args[i]) == 0;
    return same;
}

bool mix_programs_record(struct mix *mix, const struct cli *cli, const struct run_request *request,
                         const char **folder, struct arena *arena, struct err *err)
{
    const char *top = getenv("TMPDIR");
    char *made = arena_printf(arena, "%s/heddle-mix-XXXXXX", top && *top ? top : "/tmp");
    u64 most;
    *folder = NULL;
    if (!cli_number(cli, "max-instructions", 1, UINT64_MAX / 2, DEFAULT_MOST_INSTRUCTIONS, &most,
                    err))
        return false;
    if (!mkdtemp(made))
        return err_at(err, (struct src_pos){made, 0, 0}, "cannot make a folder for recordings: %s",
                      strerror(errno));
    *folder = made;
    for (u32 i = 0; i < mix->count; i++) {
        struct application *a = &mix->applications[i];
        for (u32 k = 0; k < i && !a->plays; k++) {
            if (is_same(a, &mix->applications[k]))
                a->plays = mix->applications[k].plays;
        }
        if (a->plays)
            continue;
        const char *file = arena_printf(arena, "%s/%u", made, i);
        if (!record(a, command_of(a, request, file, most, arena), file, err))
            return false;
        a->plays = file;
    }
    return true;
}

void mix_programs_remove(const char *folder)
{
    struct arena arena = {0};
    DIR *d = folder ? opendir(folder) : NULL;
    for (const struct dirent *e; d && (e = readdir(d));)
        unlink(arena_printf(&arena, "%s/%s", folder, e->d_name)); /* but not "." and ".." */
    if (d)
        closedir(d);
    if (folder)
        rmdir(folder);
    arena_fini(&arena);
}

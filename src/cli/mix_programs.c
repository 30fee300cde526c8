#include "cli/mix_programs.h"

#include "run/gpu_player.h"
#include "machine/machine.h"
#include "cli/command.h"
#include "cli/recordings.h"
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

static volatile sig_atomic_t recording; /* the process that records; 0: none */
static volatile sig_atomic_t interrupted;

void mix_programs_interrupt(int signal)
{
    interrupted = 1;
    if (signal == SIGTERM && recording) /* Ctrl-C reaches the whole process group by itself */
        kill((pid_t)recording, SIGTERM);
}

#define INTERRUPTED "interrupted before the mix began"

static bool failed(const struct application *a, int status, struct err *err)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (code == ERR_INTERRUPTED ||
        (WIFSIGNALED(status) && (WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGINT)))
        return err_kind(err, ERR_INTERRUPTED, INTERRUPTED);
    if (WIFSIGNALED(status))
        return err_at(err, a->at,
                      "application %s was killed by signal %d (%s) before the mix began", a->name,
                      WTERMSIG(status), strsignal(WTERMSIG(status)));
    if (code)
        err_at(err, a->at,
               "application %s failed in its run without timing, before the mix began: exit code "
               "%d",
               a->name, code);
    else
        err_at(err, a->at,
               "application %s made no recording: it launched no kernel, a kernel failed, or the "
               "program ended abnormally",
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
    sigset_t wanted, old;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGINT);
    sigaddset(&wanted, SIGTERM);
    fflush(NULL);
    /* A signal comes before there is a child, or waits until both processes are ready for it. */
    sigprocmask(SIG_BLOCK, &wanted, &old);
    if (interrupted) {
        sigprocmask(SIG_SETMASK, &old, NULL);
        return err_kind(err, ERR_INTERRUPTED, INTERRUPTED);
    }
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        sigprocmask(SIG_SETMASK, &old, NULL);
        if (getppid() == parent)
            execv(exe, (char *const *)(uintptr_t)command);
        _exit(ERR_INTERNAL);
    }
    int status = 0;
    recording = child > 0 ? child : 0;
    sigprocmask(SIG_SETMASK, &old, NULL);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    recording = 0;
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

/* The GPU that it runs on, where its recording may be of the cache: programs that are not ours may
 * read whatever they like. */
static bool find_name(struct recordings *r, const struct application *a, const struct config *chip,
                      u64 most, const char **name, struct arena *arena, struct err *err)
{
    struct cluster_plan plan;
    *name = NULL;
    return !a->kind->is_workload ||
           (model_cluster(model_of(chip->schema), chip, a->cluster, AGENT_SM, a->at, &plan, err) &&
            recordings_name(r, a, plan.config, chip->name, most, name, arena, err));
}

static bool record_or_find(struct recordings *r, const struct application *a,
                           const struct run_request *request, const char *file, u64 most,
                           struct arena *arena, struct err *err)
{
    const char *name = NULL;
    struct config chip = {0};
    struct config_request chip_request = request->chip;
    chip_request.schemas = model_schemas;
    bool ok = !r->cache || (config_load(&chip, &chip_request, err) &&
                            find_name(r, a, &chip, most, &name, arena, err));
    config_fini(&chip);
    if (!ok)
        return false;
    if (name)
        recordings_take(r, name);
    if (!name || !recordings_find(r, name, file)) {
        ok = record(a, command_of(a, request, file, most, arena), file, err);
        if (ok && name)
            recordings_keep(r, name, file);
    }
    if (name)
        recordings_done(r, name);
    return ok;
}

bool mix_programs_record(struct mix *mix, const struct cli *cli, const struct run_request *request,
                         const char **folder, struct arena *arena, struct err *err)
{
    struct recordings r;
    u64 most;
    *folder = NULL;
    if (!cli_number(cli, "max-instructions", 1, UINT64_MAX / 2, DEFAULT_MOST_INSTRUCTIONS, &most,
                    err) ||
        !recordings_open(&r, arena, err))
        return false;
    *folder = r.folder;
    bool ok = true;
    for (u32 i = 0; ok && i < mix->count; i++) {
        struct application *a = &mix->applications[i];
        for (u32 k = 0; k < i && !a->plays; k++) {
            if (is_same(a, &mix->applications[k]))
                a->plays = mix->applications[k].plays;
        }
        if (a->plays)
            continue;
        const char *file = arena_printf(arena, "%s/%u", r.folder, i);
        ok = record_or_find(&r, a, request, file, most, arena, err);
        a->plays = file;
    }
    recordings_close(&r);
    return ok;
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

#include "campaign/child.h"

#include "base/text.h"
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MESSAGES_BYTES 8192

/* ---- the command ---- */

struct words {
    const char **word;
    u32 count;
    struct arena *arena;
};

static void add(struct words *w, const char *option, const char *value)
{
    w->word[w->count++] = option;
    if (value)
        w->word[w->count++] = value;
}

static void add_number(struct words *w, const char *option, u64 value)
{
    add(w, option, arena_printf(w->arena, "%llu", (unsigned long long)value));
}

static void add_source(struct words *w, const struct plan_point *p, const char *db_path)
{
    if (p->mode == POINT_REPLAY) {
        add(w, "--replay", run_queue_recording_path(db_path, p->recording, w->arena));
        return;
    }
    switch (p->workload->kind) {
    case WORKLOAD_TRACE:
        add(w, "--trace", p->workload->path);
        break;
    case WORKLOAD_RECORDING:
        add(w, "--replay", p->workload->path);
        break;
    case WORKLOAD_MIX:
        add(w, "--mix", p->workload->path);
        break;
    case WORKLOAD_PROGRAM:
        break; /* behind "--" */
    default:
        add(w, p->workload->path, NULL);
    }
    if (p->mode == POINT_RECORD)
        add(w, "--record", run_queue_recording_path(db_path, p, w->arena));
    if (p->workload->kind == WORKLOAD_BUNDLED)
        add(w, "--size", p->workload->size);
    if (p->workload->as_written->launches)
        add(w, "--launches", p->workload->as_written->launches);
    if (p->workload->resume)
        add(w, "--resume", p->workload->resume);
    if (p->workload->as_written->bounds)
        add(w, "--bounds", p->workload->as_written->bounds);
}

static void add_program(struct words *w, const struct plan_point *p)
{
    const struct sweep_workload *a = p->workload->as_written;
    bool is_program = p->workload->kind == WORKLOAD_PROGRAM;
    if (p->mode == POINT_REPLAY || (!is_program && !a->arg_count))
        return;
    add(w, "--", is_program ? p->workload->path : NULL);
    for (u32 i = 0; i < a->arg_count; i++)
        add(w, a->args[i], NULL);
}

/* Of two settings of one parameter the later counts. */
static bool is_set_again(const struct plan_point *p, u32 setting)
{
    for (u32 i = setting + 1; i < p->setting_count; i++) {
        if (strcmp(p->settings[i].name, p->settings[setting].name) == 0)
            return true;
    }
    return false;
}

const char *const *point_command(const struct plan *plan, const struct plan_point *point,
                                 const char *heddle, const char *db_path, const char *result,
                                 struct arena *arena)
{
    u32 room = 32 + 2 * point->setting_count + point->workload->as_written->arg_count;
    struct words w = {ARENA_ARRAY(arena, const char *, room), 0, arena};
    add(&w, heddle, "run");
    add_source(&w, point, db_path);
    add(&w, "--chip", point->chip);
    for (u32 i = 0; i < point->setting_count; i++) {
        const struct plan_setting *s = &point->settings[i];
        if (!is_set_again(point, i))
            add(&w, "--set", arena_printf(arena, "%s=%s", s->name, s->value));
    }
    add_number(&w, "--seed", point->seed);
    if (plan->file->max_cycles != UINT64_MAX)
        add_number(&w, "--max-cycles", plan->file->max_cycles);
    if (plan->file->watchdog != UINT64_MAX)
        add_number(&w, "--watchdog", plan->file->watchdog);
    if (warm_is_asked(&plan->file->warm) && point->mode != POINT_RECORD) {
        char *warm = ARENA_ARRAY(arena, char, 96);
        warm_text(&plan->file->warm, warm, 96);
        add(&w, "--warm", warm);
    }
    if (point->sample)
        add(&w, "--sample", point->sample);
    if (result) {
        add(&w, "-q", NULL);
        add(&w, "-o", result);
    }
    add_program(&w, point);
    return w.word;
}

const char *command_line(const char *const *arguments, struct arena *arena)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./=+:,@%";
    struct text t = {0};
    for (u32 i = 0; arguments[i]; i++) {
        const char *a = arguments[i];
        text_printf(&t, "%s", i ? " " : "");
        if (*a && a[strspn(a, plain)] == '\0') {
            text_printf(&t, "%s", a);
            continue;
        }
        text_printf(&t, "'");
        for (; *a; a++)
            text_printf(&t, *a == '\'' ? "'\\''" : "%c", *a);
        text_printf(&t, "'");
    }
    const char *kept = arena_strdup(arena, t.data);
    text_fini(&t);
    return kept;
}

/* ---- the process ---- */

/* In the new process; only calls that are safe there. */
static void become(const char *const *arguments, int messages, pid_t parent)
{
    sigset_t none;
    int nothing = open("/dev/null", O_RDWR);
    setpgid(0, 0); /* Ctrl-C at the terminal is for the sweep alone */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || nothing < 0)
        _exit(ERR_INTERNAL);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(messages, STDERR_FILENO);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv(arguments[0], (char *const *)(uintptr_t)arguments);
    _exit(ERR_INTERNAL);
}

void child_init(struct child *c, const struct plan *plan, u32 point, const char *heddle,
                const char *db_path, const char *files)
{
    const struct plan_point *p = plan->points[point];
    *c = (struct child){.point = point};
    c->result = arena_printf(&c->arena, "%s.%s.json", files, p->key);
    c->messages = arena_printf(&c->arena, "%s.%s.err", files, p->key);
    c->arguments = point_command(plan, p, heddle, db_path, c->result, &c->arena);
    const char *const *by_hand = point_command(plan, p, "heddle", db_path, NULL, &c->arena);
    c->command = command_line(by_hand, &c->arena);
}

bool child_start(struct child *c, double timeout_s, struct err *err)
{
    int messages = open(c->messages, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (messages < 0) {
        err_at(err, (struct src_pos){c->messages, 0, 0}, "cannot write the file: %s",
               strerror(errno));
        child_fini(c);
        return false;
    }
    pid_t parent = getpid();
    c->started = host_now();
    c->deadline = timeout_s > 0 ? c->started + timeout_s : 0;
    c->pid = fork();
    if (c->pid == 0)
        become(c->arguments, messages, parent);
    close(messages);
    if (c->pid > 0)
        return true;
    err_kind(err, ERR_INTERNAL, "a process could not be started: %s", strerror(errno));
    child_fini(c);
    return false;
}

void child_kill(struct child *c)
{
    /* its own group too, once it has one */
    kill(c->pid, SIGKILL);
    kill(-c->pid, SIGKILL);
}

/* ---- the outcome ---- */

char *file_end(const char *path, struct arena *arena)
{
    char *all = arena_alloc_aligned(arena, MESSAGES_BYTES + 1, 1);
    FILE *f = fopen(path, "rbe");
    if (!f)
        return all;
    if (fseek(f, -(long)MESSAGES_BYTES, SEEK_END) != 0)
        rewind(f);
    size_t n = fread(all, 1, MESSAGES_BYTES, f);
    fclose(f);
    while (n && strchr("\n\r ", all[n - 1]))
        n--;
    all[n] = '\0';
    for (size_t i = 0; i < n; i++) {
        if (all[i] == '\0')
            all[i] = ' ';
    }
    return all;
}

static const char *last_line(const char *messages)
{
    const char *end = strrchr(messages, '\n');
    const char *line = end ? end + 1 : messages;
    return strncmp(line, "heddle: ", 8) == 0 ? line + 8 : line;
}

static bool is_from_outside(int number)
{
    return number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGHUP;
}

struct outcome child_outcome(struct child *c, int wait_status)
{
    bool has_result = access(c->result, R_OK) == 0;
    struct outcome o = {.seconds = host_now() - c->started,
                        .messages = file_end(c->messages, &c->arena),
                        .command = c->command,
                        .result = has_result ? c->result : NULL};
    o.error = last_line(o.messages);
    o.exit_code = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
    if (c->is_late) {
        o.status = RUN_TIMED_OUT;
        o.error = arena_printf(&c->arena, "took longer than %g s", c->deadline - c->started);
        o.result = NULL;
    } else if (WIFSIGNALED(wait_status)) {
        int number = WTERMSIG(wait_status);
        o.status = is_from_outside(number) ? RUN_INTERRUPTED : RUN_FAILED;
        o.error = arena_printf(&c->arena, "ended by signal %d (%s)%s%s", number, strsignal(number),
                               *o.error ? ": " : "", o.error);
        o.result = NULL;
    } else if (o.exit_code == ERR_INTERRUPTED) {
        o.status = RUN_INTERRUPTED;
        o.result = NULL;
    } else if (o.exit_code == 0 && has_result) {
        o.status = RUN_DONE;
        o.error = "";
    } else {
        bool hangs = o.exit_code == ERR_INVARIANT && strstr(o.error, "the machine hangs");
        o.status = hangs ? RUN_HUNG : RUN_FAILED;
        if (o.exit_code == 0)
            o.error = "it ended without a result: no kernel was run";
        else if (!*o.error)
            o.error = arena_printf(&c->arena, "exit code %d", o.exit_code);
    }
    return o;
}

void child_fini(struct child *c)
{
    if (c->result)
        unlink(c->result);
    if (c->messages)
        unlink(c->messages);
    arena_fini(&c->arena);
    *c = (struct child){0};
}

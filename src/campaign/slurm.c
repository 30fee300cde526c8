#include "campaign/slurm.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- commands ---- */

struct answer {
    int status; /* of the command; -1: it could not be started */
    struct text out, messages;
};

static void read_back(int file, struct text *out)
{
    char part[4096];
    lseek(file, 0, SEEK_SET);
    text_append(out, "", 0);
    for (ssize_t n; (n = read(file, part, sizeof part)) > 0;)
        text_append(out, part, (size_t)n);
    close(file);
}

/* In the new process. Its own group: Ctrl-C at the terminal is for the sweep. */
static void become(const char *const *words, int out, int messages)
{
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(messages, STDERR_FILENO);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(words[0], (char *const *)(uintptr_t)words);
    _exit(127);
}

static void ask(const char *const *words, struct answer *a)
{
    int out = memfd_create("out", MFD_CLOEXEC), messages = memfd_create("err", MFD_CLOEXEC);
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        become(words, out, messages);
    *a = (struct answer){.status = -1};
    if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status))
        a->status = WEXITSTATUS(status);
    read_back(out, &a->out);
    read_back(messages, &a->messages);
}

static void answer_fini(struct answer *a)
{
    text_fini(&a->out);
    text_fini(&a->messages);
}

/* The last line that says something; cuts the text. */
static const char *last_words(struct text *t)
{
    while (t->length && strchr("\n\r ", t->data[t->length - 1]))
        t->data[--t->length] = '\0';
    const char *line = strrchr(t->data, '\n');
    return line ? line + 1 : t->data;
}

static bool is_in_path(const char *command)
{
    const char *path = getenv("PATH");
    char file[4096];
    while (path && *path) {
        size_t n = strcspn(path, ":");
        if (n && snprintf(file, sizeof file, "%.*s/%s", (int)n, path, command) < (int)sizeof file &&
            access(file, X_OK) == 0)
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

bool slurm_find(struct err *err)
{
    static const char *const needed[] = {"sbatch", "squeue", "scontrol", "scancel"};
    for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
        if (!is_in_path(needed[i]))
            return err_at(err, (struct src_pos){0},
                          "--slurm needs Slurm, and its command %s is not in PATH; without --slurm "
                          "the sweep runs on this machine",
                          needed[i]);
    }
    return true;
}

/* ---- options ---- */

static bool check_word(const char *word, struct err *err)
{
    static const char *const ours[] = {"--array", "-a",          "--output",  "-o",     "--error",
                                       "-e",      "--parsable",  "--requeue", "--wait", "-W",
                                       "--wrap",  "--test-only", "--chdir",   "-D"};
    for (size_t i = 0; i < ARRAY_LEN(ours); i++) {
        size_t n = strlen(ours[i]);
        bool is_short = n == 2;
        if (strncmp(word, ours[i], n) == 0 && (is_short || word[n] == '\0' || word[n] == '='))
            return err_at(err, (struct src_pos){0},
                          "--slurm-options has %s, which the sweep sets itself", ours[i]);
    }
    return true;
}

/* One word into `out`; returns what follows it, or NULL where a quote is not closed. */
static const char *read_word(const char *at, struct text *out)
{
    char quote = 0;
    text_append(out, "", 0);
    for (; *at && (quote || !strchr(" \t\n", *at)); at++) {
        if (*at == '\\' && quote != '\'' && at[1])
            text_append(out, ++at, 1);
        else if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
        else
            text_append(out, at, 1);
    }
    return quote ? NULL : at;
}

bool slurm_words(const char *options, struct arena *arena, const char *const **words,
                 struct err *err)
{
    const char *at = options ? options : "";
    const char **all = ARENA_ARRAY(arena, const char *, strlen(at) / 2 + 2);
    u32 count = 0;
    *words = all;
    while (*(at += strspn(at, " \t\n"))) {
        struct text word = {0};
        at = read_word(at, &word);
        all[count] = arena_strdup(arena, word.data);
        text_fini(&word);
        if (!at)
            return err_found(err, (struct src_pos){0}, "--slurm-options", options,
                             "every quote to be closed");
        if (!check_word(all[count++], err))
            return false;
    }
    return true;
}

/* ---- jobs ---- */

const char *slurm_path(struct arena *arena, const char *folder, const char *pattern)
{
    char *out = arena_alloc(arena, 2 * strlen(folder) + strlen(pattern) + 2), *to = out;
    for (const char *from = folder; *from; from++) {
        if (*from == '%')
            *to++ = '%';
        *to++ = *from;
    }
    sprintf(to, "/%s", pattern);
    return out;
}

bool slurm_submit(const struct slurm_array *array, char id[SLURM_ID], struct err *err)
{
    struct arena arena = {0};
    u32 more = 0, count = 0;
    while (array->options[more])
        more++;
    const char **words = ARENA_ARRAY(&arena, const char *, more + 9);
    words[count++] = "sbatch";
    words[count++] = "--parsable";
    words[count++] = "--no-requeue"; /* what has ended would be run again; we submit the rest */
    words[count++] = "--ntasks=1";
    words[count++] = arena_printf(&arena, "--array=0-%u", array->tasks - 1);
    words[count++] = arena_printf(&arena, "--job-name=%s", array->name);
    words[count++] = arena_printf(&arena, "--output=%s", array->output);
    for (u32 i = 0; i < more; i++)
        words[count++] = array->options[i];
    words[count] = array->script;
    struct answer a;
    ask(words, &a);
    /* NUMBER, or NUMBER;CLUSTER */
    size_t digits = strspn(a.out.data, "0123456789");
    bool ok = a.status == 0 && digits > 0 && digits < SLURM_ID;
    if (ok)
        snprintf(id, SLURM_ID, "%.*s", (int)digits, a.out.data);
    else
        err_at(err, (struct src_pos){0}, "sbatch refused the job array: %s",
               *last_words(&a.messages) ? last_words(&a.messages) : "it says nothing");
    answer_fini(&a);
    arena_fini(&arena);
    return ok;
}

static bool is_ended(const char *state)
{
    static const char *const ended[] = {"BOOT_FAIL", "CANCELLED", "COMPLETED",     "DEADLINE",
                                        "FAILED",    "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
                                        "REVOKED",   "TIMEOUT"};
    for (size_t i = 0; i < ARRAY_LEN(ended); i++) {
        if (strcmp(state, ended[i]) == 0)
            return true;
    }
    return false;
}

void slurm_read_states(char *answer, u32 tasks, enum slurm_state *states, char reason[64])
{
    char *rest = NULL;
    reason[0] = '\0';
    for (u32 i = 0; i < tasks; i++)
        states[i] = SLURM_ENDED;
    for (char *line = strtok_r(answer, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *end, *state, *why;
        u64 task = strtoull(line, &end, 10);
        if (end == line || *end != '|' || task >= tasks)
            continue;
        state = end + 1;
        why = strchr(state, '|');
        if (why)
            *why++ = '\0';
        bool pending = strcmp(state, "PENDING") == 0;
        states[task] = is_ended(state) ? SLURM_ENDED : pending ? SLURM_PENDING : SLURM_RUNNING;
        if (pending && why)
            snprintf(reason, 64, "%s", why);
    }
}

bool slurm_look(const char *id, u32 tasks, enum slurm_state *states, char reason[64],
                char trouble[160])
{
    const char *const words[] = {"squeue", "--noheader", "--array",           "--states=all",
                                 "--jobs", id,           "--format=%K|%T|%r", NULL};
    struct answer a;
    ask(words, &a);
    /* A job that ended long ago is forgotten: that is an answer. */
    bool ok = a.status == 0 || strstr(a.messages.data, "Invalid job id");
    if (ok)
        slurm_read_states(a.out.data, tasks, states, reason);
    else
        snprintf(trouble, 160, "%s", last_words(&a.messages));
    answer_fini(&a);
    return ok;
}

static void copy_field(const char *answer, const char *name, char *out, size_t size)
{
    const char *at = strstr(answer, name);
    if (!at)
        return;
    at += strlen(name);
    snprintf(out, size, "%.*s", (int)strcspn(at, " \n|"), at);
}

void slurm_read_end(const char *answer, struct slurm_end *end)
{
    copy_field(answer, " JobState=", end->state, sizeof end->state);
    copy_field(answer, " ExitCode=", end->exit_code, sizeof end->exit_code);
    copy_field(answer, " NodeList=", end->node, sizeof end->node);
}

void slurm_read_account(const char *answer, struct slurm_end *end)
{
    const char *code = strchr(answer, '|'), *node = code ? strchr(code + 1, '|') : NULL;
    if (!node)
        return;
    copy_field(answer, "", end->state, sizeof end->state); /* "CANCELLED by 1000" */
    copy_field(code, "|", end->exit_code, sizeof end->exit_code);
    copy_field(node, "|", end->node, sizeof end->node);
}

/* The controller knows a job for some minutes after its end, the accounting, where a site has
 * it, for longer. */
void slurm_ask_end(const char *id, u32 task, struct slurm_end *end)
{
    char name[SLURM_ID + 16];
    struct answer a;
    *end = (struct slurm_end){{0}, {0}, {0}};
    snprintf(name, sizeof name, "%s_%u", id, task);
    const char *const show[] = {"scontrol", "show", "job", name, NULL};
    ask(show, &a);
    if (a.status == 0)
        slurm_read_end(a.out.data, end);
    answer_fini(&a);
    if (*end->state)
        return;
    const char *const account[] = {
        "sacct", "-X", "-n", "-P", "-j", name, "-o", "State,ExitCode,NodeList", NULL};
    ask(account, &a);
    if (a.status == 0)
        slurm_read_account(a.out.data, end);
    answer_fini(&a);
}

bool slurm_cancel(const char *id, const char *name)
{
    const char *const words[] = {"scancel", "--name", name, id, NULL};
    struct answer a;
    ask(words, &a);
    bool ok = a.status == 0 || strstr(a.messages.data, "Invalid job id");
    answer_fini(&a);
    return ok;
}

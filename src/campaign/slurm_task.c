#include "campaign/slurm_task.h"

#include "run/run.h"
#include "campaign/owner.h"
#include "campaign/spool.h"
#include "campaign/sweep_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define WAIT_S 0.2
#define LOOK_S 10.0 /* for the sweep's sign of life */

struct task {
    const char *folder, *parent; /* parent: where the sweep's sign of life is */
    u32 number;
    struct sweep_program program;
    struct spool_reader points;
    const char *node;
    struct arena arena;
    char sign[64]; /* the last, and when it changed: node clocks need not agree */
    double changed, looked;
    struct err *err;
};

/* Nobody would collect what a task does after its sweep has ended, or after a node on which the
 * sweep ran has gone. */
static bool sweep_lives(struct task *t)
{
    struct arena arena = {0};
    double now = host_now();
    if (now - t->looked < LOOK_S)
        return true;
    t->looked = now;
    const char *sign = spool_get(t->parent, "alive", &arena);
    if (sign && strcmp(sign, t->sign) != 0) {
        snprintf(t->sign, sizeof t->sign, "%s", sign);
        t->changed = now;
    }
    bool lives = sign && now - t->changed <= OWNER_SILENCE_S;
    arena_fini(&arena);
    return lives || err_at(t->err, (struct src_pos){t->folder, 0, 0},
                           "the sweep that submitted this task has ended");
}

static bool wait_for(struct task *t, struct child *c, int *status)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    while (waitpid(c->pid, status, WNOHANG) != c->pid) {
        double now = host_now(), left = c->deadline > 0 && !c->is_late ? c->deadline - now : WAIT_S;
        if (left <= 0) {
            c->is_late = true;
            child_kill(c);
        }
        if (!sweep_lives(t)) {
            child_kill(c);
            waitpid(c->pid, status, 0);
            return false;
        }
        left = left < 0.001 ? 0.001 : left < WAIT_S ? left : WAIT_S;
        sigtimedwait(&child, NULL, &(struct timespec){0, (long)(left * 1e9)});
    }
    return true;
}

static bool run_point(struct task *t, struct child *c, const char *key)
{
    char name[32], line[KEY_LENGTH + OWNER_TEXT + 2];
    int status;
    snprintf(name, sizeof name, "now.%u", t->number);
    snprintf(line, sizeof line, "%s %s", key, t->node);
    if (!sweep_lives(t) || !sweep_program_check(&t->program, t->err) ||
        !spool_put(t->folder, name, line, t->err) ||
        !child_start(c, t->points.header.timeout_s, t->err) || !wait_for(t, c, &status))
        return false;
    struct outcome o = child_outcome(c, status);
    o.host = t->node;
    if (!spool_put_outcome(t->folder, key, t->program.build, &o, t->err))
        return false;
    if (o.result)
        c->result = NULL; /* the sweep's from now on */
    return true;
}

static bool open_task(struct task *t)
{
    const char *id = getenv("SLURM_ARRAY_TASK_ID");
    char *end = NULL;
    u64 number = id ? strtoull(id, &end, 10) : 0;
    if (!id || end == id || *end || number > UINT32_MAX)
        return err_at(t->err, (struct src_pos){0},
                      "--slurm-task is for jobs that a sweep has submitted: SLURM_ARRAY_TASK_ID is "
                      "%s, expected a number",
                      id ? id : "not set");
    t->number = (u32)number;
    t->parent = arena_printf(&t->arena, "%s/..", t->folder);
    t->changed = host_now();
    t->looked = -LOOK_S;
    t->node = getenv("SLURMD_NODENAME");
    if (!t->node) {
        struct owner self;
        owner_self(&self);
        t->node = arena_strdup(&t->arena, self.host);
    }
    if (!spool_open(&t->points, spool_path(&t->arena, t->folder, "points"), t->err) ||
        !sweep_program_find(&t->program, t->err))
        return false;
    if (strcmp(t->program.build, t->points.header.build) != 0)
        return err_at(t->err, (struct src_pos){t->program.path, 0, 0},
                      "the build of heddle on %s (%s) is not the one that started the sweep (%s)",
                      t->node, t->program.build, t->points.header.build);
    return true;
}

bool slurm_task_run(const char *folder, struct err *err)
{
    struct task t = {.folder = folder, .err = err};
    struct child c;
    char key[KEY_LENGTH + 1];
    sigset_t child, before;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &child, &before);
    bool ok = open_task(&t);
    while (ok && spool_next(&t.points, t.number, &c, key, err)) {
        ok = run_point(&t, &c, key);
        child_fini(&c);
    }
    spool_close(&t.points);
    arena_fini(&t.arena);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return ok && err->kind == ERR_NONE;
}

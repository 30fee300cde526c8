/* Points as processes on this machine. */
#include "base/file.h"
#include "run/run.h"
#include "machine/threads.h"
#include "campaign/sweep_parts.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct local {
    const char *folder; /* of the runs' temporary files */
    const char *files;  /* what their names begin with */
    struct child *children;
};

/* Files of workers that are gone: WORKER.KEY.json and what a run writes beside it. */
static bool remove_leftovers(struct sweep *s, const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char *end;
        i64 worker = strtoll(e->d_name, &end, 10);
        if (end == e->d_name || *end != '.' || !run_queue_worker_is_gone(&s->queue, worker, s->err))
            continue;
        unlink(arena_printf(&s->arena, "%s/%s", folder, e->d_name));
    }
    if (d)
        closedir(d);
    return s->err->kind == ERR_NONE;
}

static bool local_open(struct sweep *s)
{
    struct local *l = s->state = ARENA_NEW(&s->arena, struct local);
    l->folder = arena_printf(&s->arena, "%s-runs", s->options->db);
    l->files = arena_printf(&s->arena, "%s/%lld", l->folder, (long long)s->queue.worker);
    threads_divide(s->options->jobs); /* processes first */
    l->children = ARENA_ARRAY(&s->arena, struct child, s->options->jobs);
    return folder_make(l->folder, s->err) && remove_leftovers(s, l->folder);
}

/* Starts a claimed point; end_point is what follows. */
static bool start_point(struct sweep *s, u32 slot, u32 point)
{
    struct local *l = s->state;
    struct child *c = &l->children[slot];
    child_init(c, s->plan, point, s->program.path, s->options->db, l->files);
    if (!sweep_program_check(&s->program, s->err) || !child_start(c, sweep_timeout_s(s), s->err)) {
        child_fini(c);
        return false;
    }
    s->slots[slot] = (struct sweep_slot){.is_busy = true, .point = point, .started = c->started};
    return true;
}

static bool end_point(struct sweep *s, u32 slot, int wait_status)
{
    struct child *c = &((struct local *)s->state)->children[slot];
    struct outcome o = child_outcome(c, wait_status);
    s->slots[slot].is_busy = false;
    c->pid = 0;
    bool ok = sweep_record(s, c->point, &o);
    child_fini(c);
    return ok;
}

/* Claims and starts points until all slots are full or there is nothing to claim. */
static bool local_fill(struct sweep *s)
{
    for (u32 i = 0, point; i < s->options->jobs; i++) {
        if (s->slots[i].is_busy)
            continue;
        if (!sweep_claim(s, &point))
            break;
        if (!start_point(s, i, point))
            return false;
    }
    return s->err->kind == ERR_NONE;
}

static bool local_collect(struct sweep *s)
{
    struct local *l = s->state;
    for (u32 i = 0; i < s->options->jobs; i++) {
        struct child *c = &l->children[i];
        int status;
        if (!c->pid)
            continue;
        if (c->deadline > 0 && host_now() > c->deadline && !c->is_late) {
            c->is_late = true;
            child_kill(c);
        }
        if (waitpid(c->pid, &status, WNOHANG) == c->pid && !end_point(s, i, status))
            return false;
    }
    return true;
}

/* Until the first deadline; a run that ends sends a signal. */
static double local_patience(const struct sweep *s)
{
    const struct local *l = s->state;
    double until = 1;
    for (u32 i = 0; i < s->options->jobs; i++) {
        const struct child *c = &l->children[i];
        double left = c->pid && c->deadline > 0 && !c->is_late ? c->deadline - host_now() : until;
        until = left < until ? left : until;
    }
    return until;
}

/* What still runs is not worth waiting for: its rows go back with run_queue_close. */
static void local_close(struct sweep *s)
{
    struct local *l = s->state;
    for (u32 i = 0; i < s->options->jobs; i++) {
        struct child *c = &l->children[i];
        if (!c->pid)
            continue;
        child_kill(c);
        waitpid(c->pid, NULL, 0);
        child_fini(c);
    }
    rmdir(l->folder); /* stays while others use it */
}

const struct sweep_place sweep_place_local = {
    .open = local_open,
    .fill = local_fill,
    .collect = local_collect,
    .patience = local_patience,
    .close = local_close,
};

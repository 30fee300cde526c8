#include "study/sweep.h"

#include "chip/run.h"
#include "study/sha256.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TICK_S 0.2
#define LOOK_AGAIN_S 1.0 /* for points that others run, and for workers that are gone */

struct sweep {
    const struct plan *plan;
    const struct sweep_options *options;
    const struct sweep_watcher *watcher;
    struct sweep_program program;
    struct stat program_then;
    struct db db;
    struct run_queue queue;
    struct arena arena;
    const char *folder; /* of the runs' temporary files */
    const char *files;  /* what their names begin with */
    struct child *children;
    u32 running, claimed;
    struct sweep_progress progress;
    sigset_t signals, before;
    double last_look, last_tick;
    bool is_waiting, is_empty, stop;
    struct err *err;
};

bool sweep_program_find(struct sweep_program *program, struct err *err)
{
    char hex[SHA256_HEX + 1];
    ssize_t n = readlink("/proc/self/exe", program->path, sizeof program->path - 1);
    program->path[n > 0 ? n : 0] = '\0';
    if (n <= 0)
        return err_kind(err, ERR_INTERNAL, "the program does not find itself in /proc/self/exe");
    if (!sha256_file(program->path, hex, err))
        return false;
    snprintf(program->build, sizeof program->build, "%.16s", hex);
    return true;
}

/* ---- temporary files ---- */

/* Files of workers that are gone: WORKER.KEY.json and what a run writes beside it. */
static bool remove_leftovers(struct sweep *s)
{
    DIR *d = opendir(s->folder);
    bool ok = true;
    for (struct dirent *e; ok && d && (e = readdir(d));) {
        char *end;
        i64 worker = strtoll(e->d_name, &end, 10);
        if (end == e->d_name || *end != '.' || !run_queue_worker_is_gone(&s->queue, worker, s->err))
            continue;
        unlink(arena_printf(&s->arena, "%s/%s", s->folder, e->d_name));
    }
    ok = s->err->kind == ERR_NONE;
    if (d)
        closedir(d);
    return ok;
}

static bool make_folder(const char *path, struct err *err)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ||
           err_at(err, (struct src_pos){path, 0, 0}, "cannot make the folder: %s", strerror(errno));
}

static bool prepare_files(struct sweep *s)
{
    const char *db = s->options->db, *slash = strrchr(db, '/');
    bool records = false;
    for (u32 i = 0; i < s->plan->count; i++)
        records |= s->plan->points[i]->mode == POINT_RECORD;
    s->folder = arena_printf(&s->arena, "%s-runs", db);
    s->files = arena_printf(&s->arena, "%s/%lld", s->folder, (long long)s->queue.worker);
    return make_folder(s->folder, s->err) && remove_leftovers(s) &&
           (!records || make_folder(arena_printf(&s->arena, "%.*srecordings",
                                                 slash ? (int)(slash + 1 - db) : 0, db),
                                    s->err));
}

/* ---- points ---- */

/* Results of two builds must not mix without anybody knowing. */
static bool program_is_the_same(struct sweep *s)
{
    struct stat now;
    if (stat(s->program.path, &now) == 0 && now.st_ino == s->program_then.st_ino &&
        now.st_size == s->program_then.st_size && now.st_mtime == s->program_then.st_mtime)
        return true;
    return err_at(s->err, (struct src_pos){s->program.path, 0, 0},
                  "the program has changed during the sweep, start it again");
}

/* Starts a claimed point; sweep_end_point is what follows. */
static bool sweep_start_point(struct sweep *s, struct child *c, u32 point)
{
    double timeout_s = s->options->timeout_s > 0 ? s->options->timeout_s : s->plan->file->timeout_s;
    if (!program_is_the_same(s) || !child_start(c, s->plan, point, s->program.path, s->options->db,
                                                s->files, timeout_s, s->err))
        return false;
    s->running++;
    return true;
}

static bool sweep_end_point(struct sweep *s, struct child *c, int wait_status)
{
    const struct plan_point *point = s->plan->points[c->point];
    struct outcome o = child_outcome(c, wait_status);
    bool kept, ok = ingest_outcome(&s->db, point->key, s->queue.worker, s->program.build, &o, &kept,
                                   s->err);
    s->running--;
    c->pid = 0;
    if (ok) {
        s->progress.ended++;
        s->progress.not_done += o.status != RUN_DONE;
        s->progress.run_seconds += o.seconds;
        if (s->watcher->run_ended)
            s->watcher->run_ended(s->watcher->context, &s->progress, point, &o);
    }
    child_fini(c);
    return ok;
}

static struct child *free_slot(struct sweep *s)
{
    for (u32 i = 0; i < s->options->jobs; i++) {
        if (!s->children[i].pid)
            return &s->children[i];
    }
    return NULL;
}

static bool at_limit(const struct sweep *s)
{
    return s->options->limit && s->claimed >= s->options->limit;
}

/* Claims and starts points until all slots are full or there is nothing to claim. */
static bool fill_slots(struct sweep *s)
{
    struct child *c;
    s->is_waiting = s->is_empty = false;
    while (!at_limit(s) && (c = free_slot(s))) {
        u32 point;
        enum run_queue_claim got = run_queue_claim(&s->queue, &point, s->err);
        s->is_waiting = got == QUEUE_WAIT;
        s->is_empty = got == QUEUE_EMPTY;
        if (got != QUEUE_CLAIMED)
            return got != QUEUE_FAILED;
        s->claimed++;
        if (!sweep_start_point(s, c, point))
            return false;
    }
    return true;
}

static bool reap(struct sweep *s)
{
    for (u32 i = 0; i < s->options->jobs; i++) {
        struct child *c = &s->children[i];
        int status;
        if (!c->pid)
            continue;
        if (c->deadline > 0 && host_now() > c->deadline && !c->is_late) {
            c->is_late = true;
            child_kill(c);
        }
        if (waitpid(c->pid, &status, WNOHANG) == c->pid && !sweep_end_point(s, c, status))
            return false;
    }
    return true;
}

/* ---- waiting ---- */

static void block_signals(struct sweep *s)
{
    static const int wanted[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    sigemptyset(&s->signals);
    for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
        sigaddset(&s->signals, wanted[i]);
    signal(SIGCHLD, SIG_DFL); /* inherited as ignored, it would hide how runs end */
    sigprocmask(SIG_BLOCK, &s->signals, &s->before);
}

/* Until a run ends, somebody asks to stop, or it is time to look at the clock. */
static void wait_a_moment(struct sweep *s)
{
    double until = TICK_S;
    for (u32 i = 0; i < s->options->jobs; i++) {
        const struct child *c = &s->children[i];
        double left = c->pid && c->deadline > 0 && !c->is_late ? c->deadline - host_now() : until;
        until = left < until ? left : until;
    }
    until = until > 0.001 ? until : 0.001;
    struct timespec t = {0, (long)(until * 1e9)};
    int got = sigtimedwait(&s->signals, NULL, &t);
    s->stop |= got == SIGINT || got == SIGTERM || got == SIGHUP;
}

static bool look_around(struct sweep *s)
{
    double now = host_now();
    double pause = s->is_waiting && !s->running ? LOOK_AGAIN_S : OWNER_HEARTBEAT_S;
    if (s->watcher->tick && now - s->last_tick >= TICK_S) {
        s->watcher->tick(s->watcher->context, &s->progress);
        s->last_tick = now;
    }
    if (now - s->last_look < pause)
        return true;
    s->last_look = now;
    return run_queue_keep_alive(&s->queue, s->err);
}

static bool is_over(const struct sweep *s)
{
    if (s->running)
        return false;
    return s->is_empty || at_limit(s) || (s->is_waiting && s->options->is_worker);
}

static bool run_points(struct sweep *s)
{
    while (!s->stop) {
        if (!reap(s) || !fill_slots(s) || !look_around(s))
            return false;
        if (is_over(s))
            return true;
        wait_a_moment(s);
    }
    return true;
}

/* What still runs is not worth waiting for: its rows go back with run_queue_close. */
static void end_children(struct sweep *s)
{
    for (u32 i = 0; s->children && i < s->options->jobs; i++) {
        if (!s->children[i].pid)
            continue;
        child_kill(&s->children[i]);
        waitpid(s->children[i].pid, NULL, 0);
        child_fini(&s->children[i]);
    }
}

static bool open_all(struct sweep *s)
{
    struct run_queue_counts counts;
    if (!sweep_program_find(&s->program, s->err) || !db_open(&s->db, s->options->db, s->err))
        return false;
    stat(s->program.path, &s->program_then);
    if (!run_queue_open(&s->queue, &s->db, s->plan, s->err) || !prepare_files(s) ||
        !run_queue_keep_alive(&s->queue, s->err) ||
        (!s->options->is_worker && !run_queue_add(&s->queue, s->options->again, s->err)) ||
        !run_queue_count(&s->db, s->plan, s->program.build, &counts, s->err))
        return false;
    s->children = ARENA_ARRAY(&s->arena, struct child, s->options->jobs);
    s->last_look = host_now();
    s->progress = (struct sweep_progress){.plan = s->plan,
                                          .children = s->children,
                                          .jobs = s->options->jobs,
                                          .started = host_now(),
                                          .before = s->plan->count - counts.by_status[RUN_QUEUED] -
                                                    counts.by_status[RUN_RUNNING]};
    return true;
}

bool sweep_run(const struct plan *plan, const struct sweep_options *options,
               const struct sweep_watcher *watcher, struct sweep_result *result, struct err *err)
{
    struct sweep s = {.plan = plan, .options = options, .watcher = watcher, .err = err};
    *result = (struct sweep_result){0};
    block_signals(&s);
    bool ok = open_all(&s) && run_points(&s);
    end_children(&s);
    if (s.queue.db) /* even after a failure: others may go on */
        ok = run_queue_close(&s.queue, err) && ok;
    if (s.db.handle) {
        ok = ok && run_queue_count(&s.db, plan, s.program.build, &result->counts, err);
        db_close(&s.db);
    }
    if (s.folder)
        rmdir(s.folder); /* stays while others use it */
    result->ran = s.progress.ended;
    result->interrupted = s.stop;
    sigprocmask(SIG_SETMASK, &s.before, NULL);
    arena_fini(&s.arena);
    return ok;
}

#include "base/file.h"
#include "run/run.h"
#include "campaign/sha256.h"
#include "campaign/sweep_parts.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TICK_S 0.2
#define LOOK_AGAIN_S 1.0 /* for points that others run, and for workers that are gone */

bool sweep_program_find(struct sweep_program *program, struct err *err)
{
    char hex[SHA256_HEX + 1];
    ssize_t n = readlink("/proc/self/exe", program->path, sizeof program->path - 1);
    program->path[n > 0 ? n : 0] = '\0';
    if (n <= 0)
        return err_kind(err, ERR_INTERNAL,
                        "cannot find the heddle executable through /proc/self/exe");
    if (stat(program->path, &program->file) != 0 || !sha256_file(program->path, hex, err))
        return err_at(err, (struct src_pos){program->path, 0, 0},
                      "the heddle executable cannot be read");
    snprintf(program->build, sizeof program->build, "%.16s", hex);
    return true;
}

bool sweep_program_check(const struct sweep_program *program, struct err *err)
{
    const struct stat *then = &program->file;
    struct stat now;
    if (stat(program->path, &now) == 0 && now.st_ino == then->st_ino &&
        now.st_size == then->st_size && now.st_mtime == then->st_mtime)
        return true;
    return err_at(err, (struct src_pos){program->path, 0, 0},
                  "the heddle executable changed during the sweep; start the sweep again");
}

/* ---- for the places ---- */

double sweep_timeout_s(const struct sweep *s)
{
    double asked = s->options->timeout_s > 0 ? s->options->timeout_s : s->plan->file->timeout_s;
    return asked > 0 ? asked : SWEEP_TIMEOUT_S;
}

static bool at_limit(const struct sweep *s)
{
    return s->options->limit && s->claimed >= s->options->limit;
}

bool sweep_claim(struct sweep *s, u32 *point)
{
    if (at_limit(s))
        return false;
    enum run_queue_claim got = run_queue_claim(&s->queue, point, s->err);
    s->is_waiting = got == QUEUE_WAIT;
    s->is_empty = got == QUEUE_EMPTY;
    if (got != QUEUE_CLAIMED)
        return false;
    s->claimed++;
    s->running++;
    return true;
}

bool sweep_record(struct sweep *s, u32 point, const struct outcome *o)
{
    bool kept;
    s->running--;
    if (!ingest_outcome(&s->db, s->plan->points[point]->key, s->queue.worker, s->program.build, o,
                        &kept, s->err))
        return false;
    s->progress.ended++;
    s->progress.not_done += o->status != RUN_DONE;
    s->progress.run_seconds += o->seconds;
    if (s->watcher->run_ended)
        s->watcher->run_ended(s->watcher->context, &s->progress, s->plan->points[point], o);
    return true;
}

/* ---- waiting ---- */

static const struct sweep_place *place_of(const struct sweep *s)
{
    return s->options->slurm ? &sweep_place_slurm : &sweep_place_local;
}

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
    double until = place_of(s)->patience(s);
    until = until < TICK_S ? until : TICK_S;
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
        if (!place_of(s)->collect(s) || !place_of(s)->fill(s) || !look_around(s))
            return false;
        if (is_over(s))
            return true;
        wait_a_moment(s);
    }
    return true;
}

/* Where the runs that record put their files. */
static bool make_recordings(struct sweep *s)
{
    const char *db = s->options->db, *slash = strrchr(db, '/');
    bool records = false;
    for (u32 i = 0; i < s->plan->count; i++)
        records |= s->plan->points[i]->mode == POINT_RECORD;
    return !records || folder_make(arena_printf(&s->arena, "%.*srecordings",
                                                slash ? (int)(slash + 1 - db) : 0, db),
                                   s->err);
}

static bool open_all(struct sweep *s)
{
    struct run_queue_counts counts;
    if (!sweep_program_find(&s->program, s->err) || !db_open(&s->db, s->options->db, s->err))
        return false;
    if (!run_queue_open(&s->queue, &s->db, s->plan, s->err) || !make_recordings(s) ||
        !run_queue_keep_alive(&s->queue, s->err) ||
        (!s->options->is_worker && !run_queue_add(&s->queue, s->options->again, s->err)) ||
        !run_queue_count(&s->db, s->plan, s->program.build, &counts, s->err))
        return false;
    s->slots = ARENA_ARRAY(&s->arena, struct sweep_slot, s->options->jobs);
    s->last_look = host_now();
    s->progress = (struct sweep_progress){.plan = s->plan,
                                          .slots = s->slots,
                                          .jobs = s->options->jobs,
                                          .at_once = s->options->jobs,
                                          .started = host_now(),
                                          .before = s->plan->count - counts.by_status[RUN_QUEUED] -
                                                    counts.by_status[RUN_RUNNING]};
    return place_of(s)->open(s);
}

bool sweep_run(const struct plan *plan, const struct sweep_options *options,
               const struct sweep_watcher *watcher, struct sweep_result *result, struct err *err)
{
    struct sweep s = {.plan = plan, .options = options, .watcher = watcher, .err = err};
    *result = (struct sweep_result){0};
    block_signals(&s);
    bool ok = open_all(&s) && run_points(&s);
    if (s.state)
        place_of(&s)->close(&s);
    if (s.queue.db) /* even after a failure: others may go on */
        ok = run_queue_close(&s.queue, err) && ok;
    if (s.db.handle) {
        ok = ok && run_queue_count(&s.db, plan, s.program.build, &result->counts, err);
        db_close(&s.db);
    }
    result->ran = s.progress.ended;
    result->interrupted = s.stop;
    sigprocmask(SIG_SETMASK, &s.before, NULL);
    arena_fini(&s.arena);
    return ok;
}

/*
 * Points as tasks of Slurm job arrays.
 *
 * This process alone has the database open: it claims points, writes them into a folder that
 * all nodes see, submits a job array whose tasks share them out, and puts their outcomes into
 * the database as they appear there (campaign/spool.h). What a task leaves behind when Slurm says
 * that it has ended is submitted again, a few times.
 */
#include "base/file.h"
#include "run/run.h"
#include "campaign/sweep_slurm.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOOK_S 1.0      /* into the folder */
#define ASK_MOST_S 15.0 /* between questions to Slurm, which serves others too */
#define CANCEL_S 10.0   /* how long cancelled tasks may take to go */

void slurm_news(struct sweep *s, const char *format, ...)
{
    char sentence[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (s->watcher->news)
        s->watcher->news(s->watcher->context, sentence);
}

static int compare_keys(const void *a, const void *b, void *context)
{
    const struct plan *plan = context;
    return strcmp(plan->points[*(const u32 *)a]->key, plan->points[*(const u32 *)b]->key);
}

/* ---- submitting ---- */

static u32 live_tasks(const struct slurm *l)
{
    u32 live = 0;
    for (const struct array *a = l->arrays; a; a = a->next)
        live += a->live;
    return live;
}

/* Claims all that can be claimed. It is submitted when every run can have a task of its own, or
 * no task is left: one that becomes free must not get all of them. */
static bool slurm_fill(struct sweep *s)
{
    struct slurm *l = s->state;
    struct arena arena = {0};
    bool ok = true;
    if (!l->has_looked)
        return true;
    l->has_looked = false;
    for (u32 point; ok && sweep_claim(s, &point);) {
        const char *end = spool_path(&arena, l->adopted, "run.%s.end", s->plan->points[point]->key);
        if (access(end, R_OK) == 0)
            ok = slurm_ingest(s, l->adopted, point);
        else
            l->ready[l->ready_count++] = point;
    }
    arena_fini(&arena);
    u32 live = live_tasks(l), free_tasks = s->options->jobs - live;
    if (!ok || s->err->kind != ERR_NONE || !l->ready_count || (live && l->ready_count > free_tasks))
        return ok && s->err->kind == ERR_NONE;
    ok = slurm_submit_points(s, l->ready, l->ready_count, free_tasks);
    l->ready_count = 0;
    return ok;
}

/* ---- looking ---- */

/* Changing the folder also makes this machine ask the file server for what has changed in it. */
static bool give_sign(struct sweep *s)
{
    struct slurm *l = s->state;
    char sign[64];
    snprintf(sign, sizeof sign, "%lld %llu", (long long)s->queue.self.pid,
             (unsigned long long)++l->signs);
    bool ok = spool_put(l->folder, "alive", sign, s->err);
    for (const struct array *a = l->arrays; ok && a; a = a->next)
        ok = spool_put(a->folder, "alive", sign, s->err);
    return ok;
}

static void show(struct sweep *s)
{
    struct slurm *l = s->state;
    u32 running = 0, pending = 0, slot = 0;
    struct text ids = {0};
    for (u32 i = 0; i < s->options->jobs; i++)
        s->slots[i].is_busy = false;
    for (const struct array *a = l->arrays; a; a = a->next) {
        text_printf(&ids, "%s%s", ids.length ? ", " : "", a->id);
        for (u32 i = 0; i < a->tasks; i++) {
            const struct task *t = &a->task[i];
            pending += !t->is_over && a->states[i] == SLURM_PENDING;
            running += !t->is_over && a->states[i] == SLURM_RUNNING;
            if (!t->is_over && t->now != NO_POINT && l->array_of[t->now] == a->number &&
                slot < s->options->jobs)
                s->slots[slot++] = (struct sweep_slot){true, t->now, t->since};
        }
    }
    if (*l->trouble)
        snprintf(l->note, sizeof l->note, "Slurm does not answer: %s", l->trouble);
    else
        snprintf(l->note, sizeof l->note, "Slurm job %s: %u tasks running, %u pending%s%s",
                 ids.length ? ids.data : "", running, pending, pending ? " - " : "",
                 pending ? l->reason : "");
    s->progress.note = l->arrays ? l->note : NULL;
    s->progress.at_once = running ? running : 1;
    text_fini(&ids);
}

/* Often at first, so that a mistake shows, seldom in a long sweep. */
static bool is_time_to_ask(const struct slurm *l, double now)
{
    double pause = (now - l->last_submit) / 20;
    pause = pause < LOOK_S ? LOOK_S : pause < ASK_MOST_S ? pause : ASK_MOST_S;
    return now - l->last_ask >= pause;
}

static bool look_at(struct sweep *s, struct array *a, bool asks, struct slurm_lost *lost)
{
    struct slurm *l = s->state;
    char why[64] = "";
    bool answered = asks && slurm_look(a->id, a->tasks, a->states, why, l->trouble);
    if (answered)
        l->trouble[0] = '\0';
    if (*why)
        strcpy(l->reason, why);
    return slurm_scan(s, a) && (!answered || slurm_end_tasks(s, a, lost));
}

static bool slurm_collect(struct sweep *s)
{
    struct slurm *l = s->state;
    double now = host_now();
    if (now - l->last_look < LOOK_S)
        return true;
    bool asks = is_time_to_ask(l, now), ok = give_sign(s);
    struct slurm_lost lost = {.points = xrealloc(NULL, sizeof(u32) * s->plan->count)};
    l->last_look = now;
    l->last_ask = asks ? now : l->last_ask;
    for (struct array **at = &l->arrays; ok && *at;) {
        struct array *a = *at;
        ok = look_at(s, a, asks, &lost);
        if (a->live) {
            at = &a->next;
        } else {
            *at = a->next;
            spool_remove(a->folder);
        }
    }
    ok = ok && (!lost.count || slurm_submit_points(s, lost.points, lost.count, lost.tasks));
    free(lost.points);
    l->has_looked = true;
    show(s);
    return ok;
}

static double slurm_patience(const struct sweep *s)
{
    const struct slurm *l = s->state;
    return l->last_look + LOOK_S - host_now();
}

/* ---- beginning and end ---- */

static const char *job_name(struct sweep *s)
{
    char *name = arena_printf(&s->arena, "heddle-%s", s->plan->file->name);
    for (char *c = name; *c; c++)
        *c = isalnum((unsigned char)*c) || strchr("-._", *c) ? *c : '_';
    return name;
}

static bool slurm_open(struct sweep *s)
{
    struct slurm *l = ARENA_NEW(&s->arena, struct slurm);
    const char *root = arena_printf(&s->arena, "%s-slurm", s->options->db);
    char whole[PATH_MAX];
    u32 count = s->plan->count;
    if (!slurm_find(s->err) ||
        !slurm_words(s->options->slurm_options, &s->arena, &l->options, s->err) ||
        !folder_make(root, s->err))
        return false;
    if (!realpath(root, whole))
        return err_at(s->err, (struct src_pos){root, 0, 0}, "cannot be found: %s", strerror(errno));
    l->root = arena_strdup(&s->arena, whole);
    l->folder = spool_path(&s->arena, l->root, "%lld", (long long)s->queue.worker);
    l->adopted = spool_path(&s->arena, l->folder, "0");
    l->name = job_name(s);
    l->array_of = ARENA_ARRAY(&s->arena, u32, count);
    l->task_of = ARENA_ARRAY(&s->arena, u32, count);
    l->losses = ARENA_ARRAY(&s->arena, u8, count);
    l->ready = ARENA_ARRAY(&s->arena, u32, count);
    l->by_key = ARENA_ARRAY(&s->arena, u32, count);
    for (u32 i = 0; i < count; i++)
        l->by_key[i] = i;
    qsort_r(l->by_key, count, sizeof *l->by_key, compare_keys, (void *)(uintptr_t)s->plan);
    s->state = l;
    return folder_make(l->folder, s->err) && folder_make(l->adopted, s->err) && slurm_take_over(s);
}

/* Until its tasks are gone, or for a while. */
static void wait_for_end(struct array *a)
{
    double until = host_now() + CANCEL_S;
    char reason[64], trouble[160];
    bool lives = true;
    while (lives && host_now() < until) {
        lives = false;
        if (!slurm_look(a->id, a->tasks, a->states, reason, trouble))
            return;
        for (u32 i = 0; i < a->tasks; i++)
            lives |= a->states[i] != SLURM_ENDED;
        if (lives)
            nanosleep(&(struct timespec){0, 200000000}, NULL);
    }
}

static void slurm_close(struct sweep *s)
{
    struct slurm *l = s->state;
    for (struct array *a = l->arrays; a; a = a->next) {
        u32 left = 0;
        for (u32 i = 0; i < a->tasks; i++)
            left += a->task[i].left;
        if (!left)
            continue; /* its tasks have nothing more to do */
        if (slurm_cancel(a->id, l->name))
            slurm_news(s, "Slurm job %s is cancelled", a->id);
        else
            slurm_news(s, "Slurm job %s could not be cancelled; `scancel %s` does it", a->id,
                       a->id);
    }
    for (struct array *a = l->arrays; a; a = a->next) {
        wait_for_end(a);
        if (s->err->kind == ERR_NONE)
            slurm_scan(s, a);
    }
    spool_remove(l->folder);
    rmdir(l->root); /* stays while others use it */
}

const struct sweep_place sweep_place_slurm = {
    .open = slurm_open,
    .fill = slurm_fill,
    .collect = slurm_collect,
    .patience = slurm_patience,
    .close = slurm_close,
};

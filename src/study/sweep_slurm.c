/*
 * Points as tasks of Slurm job arrays.
 *
 * This process alone has the database open: it claims points, writes them into a folder that
 * all nodes see, submits a job array whose tasks share them out, and puts their outcomes into
 * the database as they appear there (study/spool.h). What a task leaves behind when Slurm says
 * that it has ended is submitted again, a few times.
 */
#include "chip/run.h"
#include "study/slurm.h"
#include "study/spool.h"
#include "study/sweep_parts.h"

#include <ctype.h>
#include <dirent.h>
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
#define MOST_LOSSES 3   /* of one point */
#define NO_POINT UINT32_MAX

struct task {
    u32 left;      /* points without an outcome */
    u32 now;       /* what it has begun last */
    double since;  /* seen first */
    char node[64]; /* "": it has begun nothing */
    bool is_over;
};

/* A job array. */
struct array {
    struct array *next;
    u32 number; /* of the folder */
    char id[SLURM_ID];
    const char *folder;
    u32 tasks, live;
    struct task *task;
    enum slurm_state *states;
};

struct slurm {
    const char *root, *folder, *adopted; /* of all sweeps, of this one, what others left */
    const char *name;                    /* of the jobs */
    const char *const *options;
    u32 *by_key;   /* points in the order of their keys */
    u32 *array_of; /* by point: number of its array, 0: none */
    u32 *task_of;  /* by point */
    u8 *losses;    /* by point: tasks that ended while they were at it */
    u32 *ready;    /* claimed, not submitted yet */
    u32 ready_count, array_count;
    struct array *arrays; /* those that have live tasks */
    u64 signs;
    double last_look, last_ask, last_submit;
    bool has_looked;
    char note[256], trouble[160];
};

static void news(struct sweep *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void news(struct sweep *s, const char *format, ...)
{
    char sentence[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (s->watcher->news)
        s->watcher->news(s->watcher->context, sentence);
}

/* ---- points ---- */

static int compare_keys(const void *a, const void *b, void *context)
{
    const struct plan *plan = context;
    return strcmp(plan->points[*(const u32 *)a]->key, plan->points[*(const u32 *)b]->key);
}

static u32 find_point(const struct sweep *s, const char *key)
{
    const struct slurm *l = s->state;
    u32 low = 0, high = s->plan->count;
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        int order = strcmp(key, s->plan->points[l->by_key[middle]]->key);
        if (order == 0)
            return l->by_key[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NO_POINT;
}

/* The KEY of "run.KEY.end"; false: another file. */
static bool key_of_file(const char *name, char key[KEY_LENGTH + 1])
{
    if (strncmp(name, "run.", 4) != 0 || strlen(name) != KEY_LENGTH + 8 ||
        strcmp(name + 4 + KEY_LENGTH, ".end") != 0)
        return false;
    snprintf(key, KEY_LENGTH + 1, "%s", name + 4);
    return true;
}

/* Into the database, and away with its files. */
static bool ingest(struct sweep *s, const char *folder, u32 point)
{
    static const char *const endings[] = {"end", "json", "err"};
    const char *key = s->plan->points[point]->key, *build;
    struct arena arena = {0};
    struct outcome o;
    spool_get_outcome(folder, key, &o, &build, &arena);
    bool ok = sweep_record(s, point, &o);
    for (size_t i = 0; ok && i < ARRAY_LEN(endings); i++)
        unlink(spool_path(&arena, folder, "run.%s.%s", key, endings[i]));
    arena_fini(&arena);
    return ok;
}

/* ---- submitting ---- */

static bool write_points(struct sweep *s, const struct array *a, const u32 *points, u32 count)
{
    struct slurm *l = s->state;
    struct spool_header header = {.tasks = a->tasks, .timeout_s = sweep_timeout_s(s)};
    struct spool_writer w;
    char files[PATH_MAX + 16];
    memcpy(header.build, s->program.build, sizeof header.build);
    snprintf(files, sizeof files, "%s/run", a->folder);
    if (!spool_begin(&w, a->folder, &header, s->err))
        return false;
    for (u32 i = 0; i < count; i++) {
        struct child c;
        child_init(&c, s->plan, points[i], s->program.path, s->options->db, files);
        spool_add(&w, &c, s->plan->points[points[i]]->key);
        c.result = c.messages = NULL; /* files of the task, not of this process */
        child_fini(&c);
        l->array_of[points[i]] = a->number;
        l->task_of[points[i]] = i % a->tasks;
        a->task[i % a->tasks].left++;
    }
    return spool_end(&w, s->err);
}

static bool write_script(struct sweep *s, const struct array *a)
{
    const char *const words[] = {s->program.path, "sweep", "--slurm-task", a->folder, NULL};
    return spool_put(
        a->folder, "job.sh",
        arena_printf(&s->arena, "#!/bin/sh\nexec %s\n", command_line(words, &s->arena)), s->err);
}

static bool submit(struct sweep *s, const u32 *points, u32 count, u32 tasks)
{
    struct slurm *l = s->state;
    struct array *a = ARENA_NEW(&s->arena, struct array);
    a->number = ++l->array_count;
    a->tasks = a->live = tasks < count ? tasks : count;
    a->task = ARENA_ARRAY(&s->arena, struct task, a->tasks);
    a->states = ARENA_ARRAY(&s->arena, enum slurm_state, a->tasks);
    for (u32 i = 0; i < a->tasks; i++)
        a->task[i].now = NO_POINT;
    a->folder = spool_path(&s->arena, l->folder, "%u", a->number);
    struct slurm_array job = {.name = l->name,
                              .tasks = a->tasks,
                              .options = l->options,
                              .script = spool_path(&s->arena, a->folder, "job.sh"),
                              .output = spool_path(&s->arena, a->folder, "out.%%a")};
    if (!sweep_program_check(&s->program, s->err) || !sweep_make_folder(a->folder, s->err) ||
        !write_points(s, a, points, count) || !write_script(s, a) ||
        !slurm_submit(&job, a->id, s->err))
        return false;
    a->next = l->arrays;
    l->arrays = a;
    l->last_submit = host_now();
    news(s, "Slurm job %s: %u runs in %u tasks", a->id, count, a->tasks);
    return spool_put(a->folder, "job", arena_printf(&s->arena, "%s %s", a->id, l->name), s->err);
}

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
            ok = ingest(s, l->adopted, point);
        else
            l->ready[l->ready_count++] = point;
    }
    arena_fini(&arena);
    u32 live = live_tasks(l), free_tasks = s->options->jobs - live;
    if (!ok || s->err->kind != ERR_NONE || !l->ready_count || (live && l->ready_count > free_tasks))
        return ok && s->err->kind == ERR_NONE;
    ok = submit(s, l->ready, l->ready_count, free_tasks);
    l->ready_count = 0;
    return ok;
}

/* ---- collecting ---- */

/* "KEY NODE": what a task has begun. */
static void read_now(struct sweep *s, struct array *a, u32 task)
{
    struct arena arena = {0};
    char name[32];
    snprintf(name, sizeof name, "now.%u", task);
    char *line = spool_get(a->folder, name, &arena);
    if (line && strlen(line) > KEY_LENGTH && line[KEY_LENGTH] == ' ') {
        struct task *t = &a->task[task];
        line[KEY_LENGTH] = '\0';
        u32 point = find_point(s, line);
        t->since = t->now == point ? t->since : host_now();
        t->now = point;
        snprintf(t->node, sizeof t->node, "%s", line + KEY_LENGTH + 1);
    }
    arena_fini(&arena);
}

static bool scan(struct sweep *s, struct array *a)
{
    struct slurm *l = s->state;
    char key[KEY_LENGTH + 1];
    bool ok = true;
    DIR *d = opendir(a->folder);
    for (struct dirent *e; ok && d && (e = readdir(d));) {
        u32 point,
            task = (u32)strtoul(e->d_name + (strncmp(e->d_name, "now.", 4) ? 0 : 4), NULL, 10);
        if (strncmp(e->d_name, "now.", 4) == 0 && !strchr(e->d_name + 4, '.') && task < a->tasks) {
            read_now(s, a, task);
        } else if (key_of_file(e->d_name, key) && (point = find_point(s, key)) != NO_POINT &&
                   l->array_of[point] == a->number) {
            l->array_of[point] = 0;
            a->task[l->task_of[point]].left--;
            ok = ingest(s, a->folder, point);
        }
    }
    if (d)
        closedir(d);
    return ok;
}

/* ---- losses ---- */

static int exit_code_of(const char *code_and_signal)
{
    int code = 0, number = 0;
    sscanf(code_and_signal, "%d:%d", &code, &number);
    return number ? 128 + number : code;
}

static const char *last_line(const char *text)
{
    const char *end = strrchr(text, '\n');
    return end ? end + 1 : text;
}

/* The row says why; the next sweep runs it again, as what else was ended from outside. */
static bool give_up(struct sweep *s, u32 point, const char *why, const struct slurm_end *end,
                    const char *output)
{
    struct child c;
    child_init(&c, s->plan, point, s->program.path, s->options->db, "");
    struct outcome o = {
        .status = RUN_INTERRUPTED,
        .exit_code = exit_code_of(end->exit_code),
        .error =
            arena_printf(&c.arena, "Slurm has ended %u tasks at it, the last %s", MOST_LOSSES, why),
        .messages = output,
        .command = c.command,
        .host = *end->node ? end->node : NULL};
    bool ok = sweep_record(s, point, &o);
    c.result = c.messages = NULL;
    child_fini(&c);
    return ok;
}

/* What is to be submitted again because its tasks have ended. */
struct lost {
    u32 *points;
    u32 count, tasks;
};

/* The point that the task was at may be the reason; if it never began one, any of them. */
static bool lose_task(struct sweep *s, struct array *a, u32 task, struct lost *lost)
{
    struct slurm *l = s->state;
    const struct task *t = &a->task[task];
    struct arena arena = {0};
    struct slurm_end end;
    bool ok = true;
    slurm_ask_end(a->id, task, &end);
    const char *output = file_end(spool_path(&arena, a->folder, "out.%u", task), &arena);
    const char *said = last_line(output);
    if (!*end.node)
        snprintf(end.node, sizeof end.node, "%s", t->node);
    const char *why =
        arena_printf(&arena, "(job %s_%u%s%s) as %s, exit code %s%s%s", a->id, task,
                     *end.node ? " on " : "", end.node, *end.state ? end.state : "unknown",
                     *end.exit_code ? end.exit_code : "unknown", *said ? ": " : "", said);
    news(s, "Slurm has ended a task %s; %u of its runs are left", why, t->left);
    for (u32 i = 0; ok && i < s->plan->count; i++) {
        if (l->array_of[i] != a->number || l->task_of[i] != task)
            continue;
        l->array_of[i] = 0;
        if (t->now == NO_POINT || t->now == i)
            l->losses[i]++;
        if (l->losses[i] < MOST_LOSSES)
            lost->points[lost->count++] = i;
        else
            ok = give_up(s, i, why, &end, output);
    }
    lost->tasks++;
    arena_fini(&arena);
    return ok;
}

/* Slurm was asked before the folder was read: what an ended task has left is not to come. */
static bool end_tasks(struct sweep *s, struct array *a, struct lost *lost)
{
    bool ok = true;
    for (u32 i = 0; ok && i < a->tasks; i++) {
        struct task *t = &a->task[i];
        if (t->is_over || a->states[i] != SLURM_ENDED)
            continue;
        t->is_over = true;
        a->live--;
        if (t->left)
            ok = lose_task(s, a, i, lost);
    }
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

static void show(struct sweep *s, const char *reason)
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
        snprintf(l->note, sizeof l->note, "Slurm job %s: %u tasks running, %u pending%s%s%s",
                 ids.length ? ids.data : "none", running, pending, *reason ? " (" : "", reason,
                 *reason ? ")" : "");
    s->progress.note = l->note;
    text_fini(&ids);
}

/* Often at first, so that a mistake shows, seldom in a long sweep. */
static bool is_time_to_ask(const struct slurm *l, double now)
{
    double pause = (now - l->last_submit) / 20;
    pause = pause < LOOK_S ? LOOK_S : pause < ASK_MOST_S ? pause : ASK_MOST_S;
    return now - l->last_ask >= pause;
}

static bool look_at(struct sweep *s, struct array *a, bool asks, struct lost *lost, char *reason)
{
    struct slurm *l = s->state;
    char why[64] = "";
    bool answered = asks && slurm_look(a->id, a->tasks, a->states, why, l->trouble);
    if (answered)
        l->trouble[0] = '\0';
    if (*why)
        strcpy(reason, why);
    return scan(s, a) && (!answered || end_tasks(s, a, lost));
}

static bool slurm_collect(struct sweep *s)
{
    struct slurm *l = s->state;
    double now = host_now();
    char reason[64] = "";
    if (now - l->last_look < LOOK_S)
        return true;
    bool asks = is_time_to_ask(l, now), ok = give_sign(s);
    struct lost lost = {.points = xrealloc(NULL, sizeof(u32) * s->plan->count)};
    l->last_look = now;
    l->last_ask = asks ? now : l->last_ask;
    for (struct array **at = &l->arrays; ok && *at;) {
        struct array *a = *at;
        ok = look_at(s, a, asks, &lost, reason);
        if (a->live) {
            at = &a->next;
        } else {
            *at = a->next;
            spool_remove(a->folder);
        }
    }
    ok = ok && (!lost.count || submit(s, lost.points, lost.count, lost.tasks));
    free(lost.points);
    l->has_looked = true;
    if (asks || !l->arrays)
        show(s, reason);
    return ok;
}

static double slurm_patience(const struct sweep *s)
{
    const struct slurm *l = s->state;
    return l->last_look + LOOK_S - host_now();
}

/* ---- beginning and end ---- */

/* What a sweep that was killed has left: its jobs end, its results are kept. */
static void take_over(struct sweep *s, const char *folder, struct arena *arena)
{
    const struct slurm *l = s->state;
    char *job = spool_get(folder, "job", arena), *name = job ? strchr(job, ' ') : NULL;
    if (name) {
        *name++ = '\0';
        slurm_cancel(job, name);
    }
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char key[KEY_LENGTH + 1];
        struct outcome o;
        const char *build;
        if (!key_of_file(e->d_name, key))
            continue;
        spool_get_outcome(folder, key, &o, &build, arena);
        if (strcmp(build, s->program.build) != 0)
            continue;
        if (o.result)
            rename(o.result, spool_path(arena, l->adopted, "run.%s.json", key));
        rename(spool_path(arena, folder, "run.%s.end", key),
               spool_path(arena, l->adopted, "run.%s.end", key));
    }
    if (d)
        closedir(d);
}

static bool is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0';
}

static bool take_over_all(struct sweep *s)
{
    const struct slurm *l = s->state;
    struct arena arena = {0};
    DIR *d = opendir(l->root);
    for (struct dirent *e, *f; d && (e = readdir(d));) {
        if (!is_number(e->d_name) ||
            !run_queue_worker_is_gone(&s->queue, strtoll(e->d_name, NULL, 10), s->err))
            continue;
        const char *folder = spool_path(&arena, l->root, "%s", e->d_name);
        DIR *arrays = opendir(folder);
        while (arrays && (f = readdir(arrays))) {
            if (is_number(f->d_name) && s->options->again != QUEUE_AGAIN)
                take_over(s, spool_path(&arena, folder, "%s", f->d_name), &arena);
        }
        if (arrays)
            closedir(arrays);
        spool_remove(folder);
    }
    if (d)
        closedir(d);
    arena_fini(&arena);
    return s->err->kind == ERR_NONE;
}

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
        !sweep_make_folder(root, s->err))
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
    return sweep_make_folder(l->folder, s->err) && sweep_make_folder(l->adopted, s->err) &&
           take_over_all(s);
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
            news(s, "Slurm job %s is cancelled", a->id);
        else
            news(s, "Slurm job %s could not be cancelled; `scancel %s` does it", a->id, a->id);
    }
    for (struct array *a = l->arrays; a; a = a->next) {
        wait_for_end(a);
        if (s->err->kind == ERR_NONE)
            scan(s, a);
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

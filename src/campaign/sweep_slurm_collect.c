/* Outcomes of tasks, and what becomes of the points of tasks that are lost. */
#include "run/run.h"
#include "campaign/sweep_slurm.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_LOSSES 3 /* of one point */

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

bool slurm_key_of_file(const char *name, char key[KEY_LENGTH + 1])
{
    if (strncmp(name, "run.", 4) != 0 || strlen(name) != KEY_LENGTH + 8 ||
        strcmp(name + 4 + KEY_LENGTH, ".end") != 0)
        return false;
    snprintf(key, KEY_LENGTH + 1, "%s", name + 4);
    return true;
}

bool slurm_ingest(struct sweep *s, const char *folder, u32 point)
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

bool slurm_scan(struct sweep *s, struct array *a)
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
        } else if (slurm_key_of_file(e->d_name, key) && (point = find_point(s, key)) != NO_POINT &&
                   l->array_of[point] == a->number) {
            l->array_of[point] = 0;
            a->task[l->task_of[point]].left--;
            ok = slurm_ingest(s, a->folder, point);
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
        .error = arena_printf(&c.arena, "Slurm ended %u tasks that ran this point, the last %s",
                              MOST_LOSSES, why),
        .messages = output,
        .command = c.command,
        .host = *end->node ? end->node : NULL};
    bool ok = sweep_record(s, point, &o);
    c.result = c.messages = NULL;
    child_fini(&c);
    return ok;
}

/* The point that the task was at may be the reason; if it never began one, any of them. */
static bool lose_task(struct sweep *s, struct array *a, u32 task, struct slurm_lost *lost)
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
    slurm_news(s, "Slurm has ended a task %s; %u of its runs are left", why, t->left);
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

bool slurm_end_tasks(struct sweep *s, struct array *a, struct slurm_lost *lost)
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

/* Points into a folder, and a job array that runs them. */
#include "base/file.h"
#include "run/run.h"
#include "campaign/sweep_slurm.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static bool write_points(struct sweep *s, const struct array *a, const u32 *points, u32 count)
{
    struct slurm *l = s->state;
    struct spool_header header = {.tasks = a->tasks, .timeout_s = sweep_timeout_s(s)};
    struct spool_writer w;
    char files[PATH_MAX + 16];
    assert(a->tasks > 0);
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

bool slurm_submit_points(struct sweep *s, const u32 *points, u32 count, u32 tasks)
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
                              .output = slurm_path(&s->arena, a->folder, "out.%a")};
    if (!sweep_program_check(&s->program, s->err) || !folder_make(a->folder, s->err) ||
        !write_points(s, a, points, count) || !write_script(s, a) ||
        !slurm_submit(&job, a->id, s->err))
        return false;
    a->next = l->arrays;
    l->arrays = a;
    l->last_submit = host_now();
    slurm_news(s, "Slurm job %s: %u runs in %u tasks", a->id, count, a->tasks);
    return spool_put(a->folder, "job", arena_printf(&s->arena, "%s %s", a->id, l->name), s->err);
}

#include "campaign/sweep_slurm.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --again wants no old result. */
static void take_over_array(struct sweep *s, const char *folder, struct arena *arena)
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
        if (!slurm_key_of_file(e->d_name, key))
            continue;
        spool_get_outcome(folder, key, &o, &build, arena);
        if (s->options->again == QUEUE_AGAIN || strcmp(build, s->program.build) != 0)
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

bool slurm_take_over(struct sweep *s)
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
            if (is_number(f->d_name))
                take_over_array(s, spool_path(&arena, folder, "%s", f->d_name), &arena);
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

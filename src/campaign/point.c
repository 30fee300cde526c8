/* What a point is called: its key, and its name for people. */
#include "base/version.h"
#include "machine/model.h"
#include "machine/policies.h"
#include "campaign/plan.h"
#include "campaign/sha256.h"

#include <string.h>

const char *point_mode_name(enum point_mode mode)
{
    static const char *const names[] = {"direct", "record", "replay"};
    return names[mode];
}

static void hash_prefix(const struct text *t, char *out)
{
    char hex[SHA256_HEX + 1];
    struct sha256 h;
    sha256_init(&h);
    sha256_add(&h, t->data, t->length);
    sha256_end(&h, hex);
    memcpy(out, hex, KEY_LENGTH);
    out[KEY_LENGTH] = '\0';
}

/* A policy of a plugin is what its file says, not its name. */
static void plugin_text(const char *path, const char *value, struct text *out)
{
    const struct policy_use *use = policy_use_of_param(path);
    const char *file = use ? policy_plugin_file(use->question, value) : NULL;
    char hex[SHA256_HEX + 1];
    struct err err = {0};
    if (!file)
        return;
    bool is_read = sha256_file(file, hex, &err);
    text_printf(out, "plugin %s\n", is_read ? hex : "gone");
}

static void config_text(const struct plan_config *c, struct text *out)
{
    text_printf(out, "model %s\n", c->model);
    for (u32 i = 0; i < c->count; i++) {
        text_printf(out, "param %s %s\n", c->paths[i], c->values[i]);
        plugin_text(c->paths[i], c->values[i], out);
    }
}

void plan_config_set_id(struct plan_config *config)
{
    struct text t = {0};
    config_text(config, &t);
    hash_prefix(&t, config->id);
    text_fini(&t);
}

void point_key_text(const struct plan *plan, const struct plan_point *point, struct text *out)
{
    const struct sweep_workload *w = point->workload->as_written;
    char warm[96];
    text_printf(out, "heddle.key/1\nversion %s\nchip %s\n", HEDDLE_VERSION, point->chip_name);
    text_printf(out, "workload %s %s\n", workload_kind_name(point->workload->kind),
                point->workload->name);
    if (*point->workload->content)
        text_printf(out, "content %s\n", point->workload->content);
    if (*point->workload->size)
        text_printf(out, "size %s\n", point->workload->size);
    for (u32 i = 0; i < w->arg_count; i++)
        text_printf(out, "arg %s\n", w->args[i]);
    if (w->launches)
        text_printf(out, "launches %s\n", w->launches);
    if (point->workload->resume_content)
        text_printf(out, "resume %s\n", point->workload->resume_content);
    if (w->bounds)
        text_printf(out, "bounds %s\n", w->bounds);
    text_printf(out, "seed %llu\n", (unsigned long long)point->seed);
    if (plan->file->max_cycles != UINT64_MAX)
        text_printf(out, "max_cycles %llu\n", (unsigned long long)plan->file->max_cycles);
    if (plan->file->watchdog != UINT64_MAX)
        text_printf(out, "watchdog %llu\n", (unsigned long long)plan->file->watchdog);
    warm_text(&plan->file->warm, warm, sizeof warm);
    if (*warm)
        text_printf(out, "warm %s\n", warm);
    if (point->sample)
        text_printf(out, "sample %s\n", point->sample);
    text_printf(out, "mode %s%s%s\n", point_mode_name(point->mode), point->recording ? " " : "",
                point->recording ? point->recording->key : "");
    config_text(point->config, out);
}

void point_set_key(const struct plan *plan, struct plan_point *point)
{
    struct text t = {0};
    point_key_text(plan, point, &t);
    hash_prefix(&t, point->key);
    text_fini(&t);
}

struct config_request point_chip(const struct plan_point *p, const char *const *chip_folders,
                                 struct arena *arena)
{
    const char **sets = ARENA_ARRAY(arena, const char *, p->setting_count + 1);
    for (u32 i = 0; i < p->setting_count; i++)
        sets[i] = arena_printf(arena, "%s=%s", p->settings[i].name, p->settings[i].value);
    return (struct config_request){.chip = p->chip,
                                   .folders = chip_folders,
                                   .sets = sets,
                                   .set_count = p->setting_count,
                                   .schemas = model_schemas};
}

void point_text(const struct plan_point *point, struct text *out)
{
    const struct plan_workload *w = point->workload;
    text_printf(out, "%s", w->name);
    if (*w->size)
        text_printf(out, " %s", w->size);
    for (u32 i = 0; i < w->as_written->arg_count; i++)
        text_printf(out, " %s", w->as_written->args[i]);
    text_printf(out, " on %s", point->chip_name);
    for (u32 i = 0; i < point->setting_count; i++) {
        if (point->settings[i].is_swept)
            text_printf(out, " %s=%s", point->settings[i].name, point->settings[i].value);
    }
    if (point->seed != 1)
        text_printf(out, " seed %llu", (unsigned long long)point->seed);
    if (point->mode != POINT_DIRECT)
        text_printf(out, " (%s)", point_mode_name(point->mode));
}

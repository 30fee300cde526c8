#include "report/machine.h"

#include <stdlib.h>
#include <string.h>

const struct model *machine_model(const struct result *r)
{
    return model_named(result_about(r, "model"));
}

const struct cycle_stack *machine_stack(const struct result *r)
{
    const struct model *model = machine_model(r);
    const struct cycle_stack *stack = model ? model->stack : NULL;
    const char *value = stack && stack->when ? result_config(r, stack->when) : NULL;
    return value && strcmp(value, stack->is) == 0 ? stack->then : stack;
}

/* Fills a struct by its table: the result's values where they can be read, else defaults. */
static void fill(const struct result *r, const struct param *p, const char *prefix, char *into)
{
    for (; p->type != PARAM_END; p++) {
        char path[192];
        snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", p->name);
        if (p->type == PARAM_GROUP) {
            fill(r, p->group, path, into + p->offset);
            continue;
        }
        struct err ignored = ERR_INIT;
        const char *text = result_config(r, path);
        param_set_initial(p, into + p->offset);
        if (text)
            param_set(p, into + p->offset, path, text, (struct src_pos){0}, &ignored);
    }
}

void machine_of(const struct result *r, struct capacities *chip)
{
    const struct model *model = machine_model(r);
    char *config = NULL;
    if (model && model->capacities) {
        config = xrealloc(NULL, model->schema.bytes);
        memset(config, 0, model->schema.bytes);
        fill(r, model->schema.params, "", config);
    }
    capacities_of(model, config, chip);
    free(config);
}

static const struct param *find(const struct param *p, const char *path)
{
    size_t n = strcspn(path, ".");
    for (; p->type != PARAM_END; p++) {
        if (strlen(p->name) != n || strncmp(p->name, path, n) != 0)
            continue;
        if (p->type == PARAM_INSTANCES && path[n]) /* their names are the file's */
            n += 1 + strcspn(path + n + 1, ".");
        if (p->type == PARAM_GROUP || p->type == PARAM_INSTANCES)
            return path[n] ? find(p->group, path + n + 1) : NULL;
        return path[n] ? NULL : p;
    }
    return NULL;
}

const struct param *machine_param(const char *model, const char *path)
{
    const struct model *known = model_named(model);
    const struct config_schema *schema = known ? &known->schema : NULL;
    size_t part = schema && schema->parts ? strlen(schema->parts_name) : 0, bytes;
    if (part && strncmp(path, schema->parts_name, part) == 0 && path[part] == '.')
        return find(schema->parts(&bytes), path + part + 1);
    return schema ? find(schema->params, path) : NULL;
}

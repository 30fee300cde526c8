#include "machine/machine.h"
#include "machine/model.h"

#include "mem/agent.h"

#include <string.h>

/* One line per model. */
#define MODELS(X) X(cpu) X(fabric) X(front_end) X(gpu) X(machine) X(mesh) X(tandem)

#define DECLARE(name) extern const struct model model_##name;
MODELS(DECLARE)

#define POINTER(name) &model_##name,
const struct model *const models[] = {MODELS(POINTER) NULL};

#define SCHEMA(name) &model_##name.schema,
const struct config_schema *const model_schemas[] = {MODELS(SCHEMA) NULL};

const struct model *model_of(const struct config_schema *schema)
{
    for (const struct model *const *m = models; *m; m++) {
        if (&(*m)->schema == schema)
            return *m;
    }
    return NULL;
}

const struct model *model_named(const char *name)
{
    for (const struct model *const *m = models; *m; m++) {
        if (strcmp((*m)->schema.model, name) == 0)
            return *m;
    }
    return NULL;
}

void capacities_of(const struct model *model, const void *config, struct capacities *out)
{
    *out = (struct capacities){0};
    if (!model || !model->capacities)
        return;
    out->rows = model->capacities;
    model->capacity_values(config, out->values);
}

static const char *const agent_words[] = {[AGENT_SM] = "SMs", [AGENT_CPU] = "CPU cores"};

bool model_cluster(const struct model *model, const struct config *chip, const char *name, u8 agent,
                   struct src_pos at, struct cluster_plan *out, struct err *err)
{
    struct cluster_plan plans[MOST_CLUSTERS];
    const char *names[MOST_CLUSTERS];
    u32 count = model->clusters ? model->clusters(chip->data, plans) : 0;
    for (u32 i = 0; i < count; i++) {
        *out = plans[i];
        names[i] = plans[i].name;
        if (*name ? strcmp(plans[i].name, name) == 0 : plans[i].kind->agent == agent)
            return plans[i].kind->agent == agent ||
                   err_at(err, at, "cluster %s of chip %s has no %s", name, chip->name,
                          agent_words[agent]);
    }
    if (!*name || !count || !*plans[0].name)
        return err_at(err, at, "chip %s has no %s", chip->name,
                      *name ? "clusters with names" : agent_words[agent]);
    return err_unknown(err, at, "cluster", name, names, count, NULL);
}

#include "chip/model.h"

#include <string.h>

/* One line per model. */
#define MODELS(X) X(gpu) X(tandem)

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

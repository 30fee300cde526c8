#include "chip/model.h"

/* One line per model. */
#define MODELS(X) X(gpu) X(tandem)

#define DECLARE(name) extern const struct model model_##name;
MODELS(DECLARE)

#define POINTER(name) &model_##name,
const struct model *const models[] = {MODELS(POINTER) NULL};

#define SCHEMA(name) &model_##name.schema,
const struct config_schema *const model_schemas[] = {MODELS(SCHEMA) NULL};

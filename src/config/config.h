/*
 * A chip description, fully resolved: defaults, then the files of its `base:`
 * chain from the root down, then --set overrides. Every value remembers where
 * it came from.
 *
 * Which table describes the chip depends on its `model:`; the caller passes the
 * schemas of all models. The filled struct is `data`, of the schema's type; it
 * and all strings live in the configuration's arena.
 */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "config/param.h"

struct scale_row;

struct config_schema {
    const char *model;   /* as written after `model:` */
    const char *meaning; /* one line */
    const struct param *params;
    /* Optional: what follows from other parameters, once all are read and before the checks. */
    void (*complete)(void *data);
    /* Optional: what the parameter `scale` divides; ends with a NULL path (config/scale.h). */
    const struct scale_row *scales;
    param_check *check;
    size_t bytes; /* of the struct that params describe */
    /* Optional: parameters of parts that are chosen by name, such as policies. `parts` gives a
     * table of groups, the same for the life of the process once a chip was read, and the bytes
     * of their structs; they are written below `parts_name`, and the pointer at parts_offset of
     * the filled struct is set to them. */
    const struct param *(*parts)(size_t *bytes);
    const char *parts_name, *parts_meaning;
    const char *parts_plain; /* optional: the group of parts whose name a path may leave out */
    size_t parts_offset;
    /* is the part chosen that a path below parts_name belongs to? */
    bool (*part_matters)(const void *data, const char *path);
};

struct config_value {
    const char *path; /* "l1d.size_bytes" */
    const struct param *param;
    void *field;
    struct src_pos origin; /* file NULL: the default of the table */
};

struct config {
    struct arena arena;
    const struct config_schema *schema;
    const struct param *params; /* the schema's, and those of its parts */
    const char *name;           /* of the chip: its file without folder and ending */
    const char *about;          /* one line from the file, or "" */
    void *data;
    struct config_value *values; /* table order, groups flattened */
    u32 value_count;
    struct strmap by_path;
};

struct config_request {
    const char *chip;           /* a name to look up, or a path (with '/' or ending in .yaml) */
    const char *const *folders; /* where names are looked up, in order; ends with NULL */
    const char *const *sets;    /* "a.b=value", applied in order */
    u32 set_count;
    const char *const *set_origins;             /* optional: what messages call each; NULL: --set */
    const struct config_schema *const *schemas; /* ends with NULL */
};

/* On failure err says why and config needs no fini. */
bool config_load(struct config *config, const struct config_request *request, struct err *err);
void config_fini(struct config *config);

/* All rows of a schema: its own, and one group with its parts. */
const struct param *config_params(const struct config_schema *schema, struct arena *arena,
                                  size_t *bytes);

/* Where a field of the filled struct got its value; for messages. */
struct src_pos config_pos(const struct config *config, const void *field);
/* False: a parameter of a part that the chip does not use. */
bool config_matters(const struct config *config, const struct config_value *v);
/* NULL: there is none. A parameter of instances without a name is that of the first. */
const struct config_value *config_find(const struct config *config, const char *path);

/* All chip names in the folders, sorted; strings live in the arena. */
u32 config_list(const char *const *folders, struct arena *arena, const char ***names);

#endif

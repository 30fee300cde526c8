/*
 * One row per configurable field: everything the tool knows about it.
 *
 * A struct is described once, as a table that ends with P_END. The file reader,
 * the range checks, `heddle list params`, `heddle chip show` and the reference
 * page all read the same rows. The key in a chip file is the C field's name.
 */
#ifndef CONFIG_PARAM_H
#define CONFIG_PARAM_H

#include "base/err.h"
#include "base/types.h"

struct config;

enum param_type {
    PARAM_END,
    PARAM_U32,
    PARAM_U64,
    PARAM_DOUBLE,
    PARAM_BOOL,
    PARAM_CHOICE,    /* a u32 index into choices */
    PARAM_STRING,    /* const char *, owned by the configuration */
    PARAM_GROUP,     /* a nested struct with a table of its own */
    PARAM_INSTANCES, /* struct named_instances: as many such structs as the file has names for */
};

/* Named instances of one struct, in the order in which files name them. */
struct named_instances {
    u32 count;
    const char **names;
    void *items;
};

/* Checks that no single row can express; `group` points at the filled struct.
 * Positions for messages come from config_pos(). */
typedef bool param_check(const void *group, const struct config *config, struct err *err);

struct param {
    const char *name;
    enum param_type type;
    u32 offset;
    u64 initial, lo, hi;
    double initial_f, lo_f, hi_f;
    const char *initial_s;
    const char *const *choices; /* ends with NULL */
    const struct param *group;  /* of a group, or of each instance */
    param_check *check;
    size_t item_bytes;      /* of an instance */
    const char *base_model; /* an instance's `base:` names a chip of this model, and takes from it
                             * what the table has */
    const char *unit, *meaning, *source;
    bool is_file; /* a string that may name a file: sweeps find it beside themselves, and hash it */
};

#define P_FIELD(owner, field, kind)                                                                \
    .name = #field, .type = kind, .offset = (u32)offsetof(struct owner, field)

#define P_U32(owner, field, def, low, high, u, text, src)                                          \
    {                                                                                              \
        P_FIELD(owner, field, PARAM_U32), .initial = (def), .lo = (low), .hi = (high), .unit = u,  \
                                          .meaning = text, .source = src                           \
    }
#define P_U64(owner, field, def, low, high, u, text, src)                                          \
    {                                                                                              \
        P_FIELD(owner, field, PARAM_U64), .initial = (def), .lo = (low), .hi = (high), .unit = u,  \
                                          .meaning = text, .source = src                           \
    }
#define P_DOUBLE(owner, field, def, low, high, u, text, src)                                       \
    {                                                                                              \
        P_FIELD(owner, field, PARAM_DOUBLE), .initial_f = (def), .lo_f = (low), .hi_f = (high),    \
                                             .unit = u, .meaning = text, .source = src             \
    }
#define P_BOOL(owner, field, def, text, src)                                                       \
    {                                                                                              \
        P_FIELD(owner, field, PARAM_BOOL), .initial = (def), .meaning = text, .source = src        \
    }
#define P_CHOICE(owner, field, def, names, text, src)                                              \
    {                                                                                              \
        P_FIELD(owner, field, PARAM_CHOICE), .initial = (def), .choices = (names),                 \
                                             .meaning = text, .source = src                        \
    }
#define P_STRING(owner, field, def, text, src)                                                     \
    {                                                                                              \
        P_FIELD(owner, field, PARAM_STRING), .initial_s = (def), .meaning = text, .source = src    \
    }
#define P_FILE(owner, field, def, text, src)                                                       \
    {                                                                                              \
        P_FIELD(owner, field, PARAM_STRING), .initial_s = (def), .meaning = text, .source = src,   \
                                             .is_file = true                                       \
    }
#define P_GROUP(owner, field, table, fn, text)                                                     \
    {                                                                                              \
        P_FIELD(owner, field, PARAM_GROUP), .group = (table), .check = (fn), .meaning = text       \
    }
/* In the outermost table only. */
#define P_INSTANCES(owner, field, table, item, model, fn, text)                                    \
    {                                                                                              \
        P_FIELD(owner, field, PARAM_INSTANCES), .group = (table), .item_bytes = sizeof(item),      \
                                                .base_model = (model), .check = (fn),              \
                                                .meaning = text                                    \
    }
#define P_END                                                                                      \
    {                                                                                              \
        .type = PARAM_END                                                                          \
    }

/* "u32", "choice" ... as the reference page names it */
const char *param_type_name(enum param_type type);
/* The legal values in words: "1KiB to 64MiB", "lru, fifo or random". */
void param_range_text(const struct param *p, char *out, size_t size);
/* The default as one would write it in a file. */
void param_initial_text(const struct param *p, char *out, size_t size);
/* The value in a filled struct field as one would write it in a file. */
void param_value_text(const struct param *p, const void *field, char *out, size_t size);

/* Reads text into the field; `path` is what messages call the parameter. */
bool param_set(const struct param *p, void *field, const char *path, const char *text,
               struct src_pos at, struct err *err);
void param_set_initial(const struct param *p, void *field);

u32 param_count(const struct param *table);

#endif

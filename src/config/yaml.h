/*
 * A YAML file as a plain tree in an arena, every node with its position.
 *
 * The only place that knows the YAML library. Only what a configuration needs
 * is let through: mappings with scalar keys, sequences and scalars; aliases,
 * tags, several documents and duplicate keys are refused with their position.
 */
#ifndef CONFIG_YAML_H
#define CONFIG_YAML_H

#include "base/arena.h"
#include "base/err.h"

enum yaml_kind { YAML_SCALAR, YAML_MAP, YAML_LIST };

struct yaml_node {
    enum yaml_kind kind;
    bool quoted;       /* scalar written in quotes: a string, whatever it looks like */
    struct src_pos at; /* of the value */
    struct src_pos key_at;
    const char *key;  /* inside a mapping */
    const char *text; /* of a scalar; "" for an empty value */
    struct yaml_node *children;
    u32 child_count;
};

/* Both return NULL and fill err on failure. */
struct yaml_node *yaml_read_file(struct arena *arena, const char *path, struct err *err);
struct yaml_node *yaml_read_text(struct arena *arena, const char *name, const char *text,
                                 size_t length, struct err *err);

const struct yaml_node *yaml_child(const struct yaml_node *map, const char *key);
const char *yaml_kind_name(enum yaml_kind kind);

#endif

/*
 * The files of a chip: its own, its `base:`, the base of that.
 */
#ifndef CONFIG_CHAIN_H
#define CONFIG_CHAIN_H

#include "config/yaml.h"

#define LONGEST_CHAIN 16

/* One of them. */
struct layer {
    const char *path, *identity; /* as written, and without links and detours */
    struct yaml_node *root;
};

struct chain {
    struct layer layers[LONGEST_CHAIN]; /* the chip's own first */
    u32 length;
};

struct chain_reader {
    struct arena *arena;
    const char *const *folders; /* where names are looked up, in order; ends with NULL */
    struct err *err;
};

/* From a chip, which the file `from` names or (NULL) the user, to the root of its chain. */
bool chain_read(const struct chain_reader *r, const char *chip, const char *from, struct src_pos at,
                struct chain *chain);
/* NULL: its files do not agree, or none names a model. */
const char *chain_model(const struct chain_reader *r, const struct chain *chain,
                        struct src_pos *at);
/* A key that is no parameter, such as `about`; NULL: it is not there, or (with the sentence) it is
 * not a name. */
const char *chain_header(const struct chain_reader *r, const struct yaml_node *root,
                         const char *key, struct src_pos *at);
/* Its file without folder and ending. */
const char *chip_name_of(struct arena *arena, const char *path);

#endif

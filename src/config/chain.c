#include "config/chain.h"

#include "config/config.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_path(const char *chip)
{
    size_t n = strlen(chip);
    return strchr(chip, '/') || (n > 5 && strcmp(chip + n - 5, ".yaml") == 0);
}

const char *chip_name_of(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = arena_strdup(arena, slash ? slash + 1 : path);
    size_t n = strlen(name);
    if (n > 5 && strcmp(name + n - 5, ".yaml") == 0)
        name[n - 5] = '\0';
    return name;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

u32 config_list(const char *const *folders, struct arena *arena, const char ***names)
{
    const char **found = NULL;
    u32 count = 0;
    for (; folders && *folders; folders++) {
        DIR *d = opendir(*folders);
        for (struct dirent *e; d && (e = readdir(d));) {
            size_t n = strlen(e->d_name);
            if (n <= 5 || e->d_name[0] == '.' || strcmp(e->d_name + n - 5, ".yaml") != 0)
                continue;
            found = xrealloc(found, (count + 1) * sizeof *found);
            found[count++] = chip_name_of(arena, e->d_name);
        }
        if (d)
            closedir(d);
    }
    if (count)
        qsort(found, count, sizeof *found, compare_names);
    u32 kept = 0; /* the same name in two folders is one chip: the first folder's */
    for (u32 i = 0; i < count; i++) {
        if (kept == 0 || strcmp(found[kept - 1], found[i]) != 0)
            found[kept++] = found[i];
    }
    *names = ARENA_ARRAY(arena, const char *, kept + 1);
    if (kept)
        memcpy(*names, found, kept * sizeof *found);
    free(found);
    return kept;
}

/* The file of a chip: a path as it is (a base: relative to the file that names
 * it), a name in that file's folder and then in the search folders. */
static const char *locate(const struct chain_reader *r, const char *chip, const char *from,
                          struct src_pos at)
{
    struct arena *arena = r->arena;
    const char *slash = from ? strrchr(from, '/') : NULL;
    const char *folder = slash  ? arena_printf(arena, "%.*s", (int)(slash - from), from)
                         : from ? "."
                                : NULL;
    if (is_path(chip)) {
        const char *plain = strncmp(chip, "./", 2) == 0 ? chip + 2 : chip;
        if (slash && chip[0] != '/')
            return arena_printf(arena, "%s/%s", folder, plain);
        return arena_strdup(arena, chip);
    }
    const char *candidates[] = {folder, NULL};
    const char *const *lists[] = {candidates, r->folders};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        for (const char *const *f = lists[i]; f && *f; f++) {
            const char *path = arena_printf(arena, "%s/%s.yaml", *f, chip);
            if (access(path, R_OK) == 0)
                return path;
        }
    }
    const char **names;
    u32 count = config_list(r->folders, arena, &names);
    err_unknown(r->err, at, "chip", chip, names, count, "heddle list chips");
    return NULL;
}

const char *chain_header(const struct chain_reader *r, const struct yaml_node *root,
                         const char *key, struct src_pos *at)
{
    const struct yaml_node *n = yaml_child(root, key);
    if (!n)
        return NULL;
    *at = n->at;
    if (n->kind != YAML_SCALAR || !n->text[0]) {
        err_found(r->err, n->at, key, n->kind == YAML_SCALAR ? "empty" : yaml_kind_name(n->kind),
                  "a name");
        return NULL;
    }
    return n->text;
}

/* Follows base: from a chip, named in a file or by the user, to the root of its chain. */
bool chain_read(const struct chain_reader *r, const char *chip, const char *from, struct src_pos at,
                struct chain *chain)
{
    while (chip) {
        const char *path = locate(r, chip, from, at);
        if (!path)
            return false;
        char *real = realpath(path, NULL);
        const char *identity = arena_strdup(r->arena, real ? real : path);
        free(real);
        for (u32 i = 0; i < chain->length; i++) {
            if (strcmp(chain->layers[i].identity, identity) == 0)
                return err_at(r->err, at, "base '%s' leads back to %s: the chain is a circle", chip,
                              path);
        }
        if (chain->length == LONGEST_CHAIN)
            return err_at(r->err, at, "base '%s' makes the chain longer than %u files", chip,
                          LONGEST_CHAIN);
        if (from && access(path, R_OK) != 0)
            return err_at(r->err, at, "base '%s' cannot be read, expected a chip file at %s", chip,
                          path);
        struct yaml_node *root = yaml_read_file(r->arena, path, r->err);
        if (!root)
            return false;
        if (root->kind != YAML_MAP)
            return err_found(r->err, root->at, "a chip file", yaml_kind_name(root->kind),
                             "a mapping such as `model: NAME`");
        chain->layers[chain->length++] = (struct layer){path, identity, root};
        chip = chain_header(r, root, "base", &at);
        from = path;
        if (r->err->kind != ERR_NONE)
            return false;
    }
    return true;
}

/* NULL: its files do not agree, or none has one. */
const char *chain_model(const struct chain_reader *r, const struct chain *chain, struct src_pos *at)
{
    const char *model = NULL;
    for (u32 i = chain->length; i-- > 0;) {
        struct src_pos here;
        const char *m = chain_header(r, chain->layers[i].root, "model", &here);
        if (r->err->kind != ERR_NONE)
            return NULL;
        if (!m)
            continue;
        if (model && strcmp(m, model) != 0) {
            err_found(r->err, here, "model", m, "%s, the model of its base", model);
            return NULL;
        }
        model = m;
        *at = here;
    }
    if (!model)
        err_at(r->err, (struct src_pos){chain->layers[chain->length - 1].path, 1, 1},
               "the file names neither `model:` nor `base:`, expected one");
    return model;
}

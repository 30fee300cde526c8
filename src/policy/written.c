#include "policy/written.h"

#include <string.h>

/* PARAMETER=VALUE into the struct that the policy's table describes. */
static bool set_parameter(const struct policy_ops *p, void *fields, char *word, struct src_pos at,
                          struct err *err)
{
    const char *names[64];
    u32 count = 0;
    char *equals = strchr(word, '=');
    const struct param *row = p->params;
    if (!equals || !equals[1])
        return err_found(err, at, "a parameter of the policy", *word ? word : "empty",
                         "PARAMETER=VALUE");
    *equals = '\0';
    for (; row && row->type != PARAM_END && strcmp(row->name, word) != 0; row++) {
        if (count < ARRAY_LEN(names))
            names[count++] = row->name;
    }
    if (!row)
        return err_at(err, at, "policy %s has no parameters", p->name);
    if (row->type == PARAM_END)
        return err_unknown(err, at, "parameter of the policy", word, names, count,
                           "heddle list params");
    return param_set(row, (u8 *)fields + row->offset, row->name, equals + 1, at, err);
}

bool policy_written(enum question_id q, const char *text, const char *what, struct src_pos at,
                    struct arena *arena, struct policy_choice *out, struct err *err)
{
    char *rest = arena_strdup(arena, text), *name = strsep(&rest, ",");
    const struct policy_ops *p = policy_named(q, name, what, at, err);
    if (!p)
        return false;
    u8 *fields = arena_alloc(arena, p->config_bytes ? p->config_bytes : 1);
    for (const struct param *row = p->params; row && row->type != PARAM_END; row++)
        param_set_initial(row, fields + row->offset);
    for (char *word; (word = strsep(&rest, ","));) {
        if (!set_parameter(p, fields, word, at, err))
            return false;
    }
    *out = (struct policy_choice){p, fields};
    return true;
}

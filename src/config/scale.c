#include "config/scale.h"

#include <string.h>

const char *const scale_kind_names[SCALE_KINDS] = {"capacity", "count", "bandwidth", "period"};

/* The last segments of two paths are alike, from the end on. */
bool scale_row_is_of(const struct scale_row *row, const char *path)
{
    const char *r = row->path + strlen(row->path), *p = path + strlen(path);
    for (;;) {
        const char *r_end = r, *p_end = p;
        while (r > row->path && r[-1] != '.')
            r--;
        while (p > path && p[-1] != '.')
            p--;
        bool is_any = r_end - r == 1 && *r == '*';
        if (!is_any && (r_end - r != p_end - p || memcmp(r, p, (size_t)(r_end - r)) != 0))
            return false;
        if (r == row->path)
            return true;
        if (p == path)
            return false;
        r--;
        p--;
    }
}

static bool is_final(const struct config_value *v, const struct config_value *scale)
{
    const char *file = v->origin.file;
    return file && (strncmp(file, "--set ", 6) == 0 ||
                    (scale->origin.file && strcmp(file, scale->origin.file) == 0));
}

static bool divide(const struct config *c, struct config_value *v, const struct scale_row *row,
                   u32 by, struct err *err)
{
    u64 is = v->param->type == PARAM_U32 ? *(u32 *)v->field : *(u64 *)v->field;
    bool must_divide = row->kind != SCALE_PERIOD && (v->origin.file || !is);
    u64 to = (is + by - 1) / by;
    struct src_pos at = config_pos(c, v->field);
    if (must_divide && (is % by || !is))
        return err_at(err, at,
                      "%s is %llu, expected a multiple of the scale, %u; to keep the value, set it "
                      "together with the scale",
                      v->path, (unsigned long long)is, by);
    if (to < v->param->lo && is)
        return err_at(err, at, "%s is %llu by a scale of %u, expected at least %llu", v->path,
                      (unsigned long long)to, by, (unsigned long long)v->param->lo);
    if (v->param->type == PARAM_U32)
        *(u32 *)v->field = (u32)to;
    else
        *(u64 *)v->field = to;
    return true;
}

bool config_scale(struct config *config, struct err *err)
{
    const struct config_value *scale = config->schema->scales ? config_find(config, "scale") : NULL;
    u32 by = scale ? *(const u32 *)scale->field : 1;
    if (by == 1)
        return true;
    for (u32 i = 0; i < config->value_count; i++) {
        struct config_value *v = &config->values[i];
        const struct scale_row *row = config->schema->scales;
        while (row->path && !scale_row_is_of(row, v->path))
            row++;
        if (row->path && !is_final(v, scale) && !divide(config, v, row, by, err))
            return false;
    }
    return true;
}

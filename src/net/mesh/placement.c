#include "net/mesh/placement.h"

#include <string.h>

static const char letters[] = "CGLM";
static const char *const words[PLACED_KINDS] = {"CPU core", "SM", "bank of the shared cache",
                                                "memory controller"};

struct reader {
    struct placement *out;
    u32 node, in_row, row;
    bool in_brackets;
};

static bool place(struct reader *r, char letter, u32 most, struct src_pos at, struct err *err)
{
    const char *found = strchr(letters, letter);
    if (letter == '.')
        return true;
    if (!found)
        return err_at(err, at, "placement has '%c' in row %u, expected C, G, L, M or '.'", letter,
                      r->row + 1);
    u32 kind = (u32)(found - letters);
    if (r->out->count[kind] < most)
        r->out->nodes[kind][r->out->count[kind]] = (u16)r->node;
    r->out->count[kind]++;
    return true;
}

static bool end_row(struct reader *r, u32 width, struct src_pos at, struct err *err)
{
    if (r->in_row != width)
        return err_at(err, at, "row %u of placement has %u nodes, expected width = %u", r->row + 1,
                      r->in_row, width);
    r->row++;
    r->in_row = 0;
    return true;
}

static bool check_counts(const struct placement *p, const u32 *expected, struct src_pos at,
                         struct err *err)
{
    for (u32 k = 0; k < PLACED_KINDS; k++) {
        if (expected[k] != UINT32_MAX && p->count[k] != expected[k])
            return err_at(err, at, "placement has %u times %c, expected %u: one for each %s",
                          p->count[k], letters[k], expected[k], words[k]);
    }
    return true;
}

bool placement_read(struct placement *p, struct arena *arena, const char *text, u32 width,
                    u32 height, const u32 *expected, struct src_pos at, struct err *err)
{
    u32 most = (u32)strlen(text);
    struct reader r = {.out = p};
    *p = (struct placement){0};
    for (u32 k = 0; k < PLACED_KINDS; k++)
        p->nodes[k] = ARENA_ARRAY(arena, u16, most + 1);
    for (; *text; text++) {
        if (*text == '[' || *text == ']') {
            if (r.in_brackets == (*text == '['))
                return err_at(err, at, "placement has a '%c' in row %u without its partner", *text,
                              r.row + 1);
            r.in_brackets = *text == '[';
        } else if (*text == '/') {
            if (r.in_brackets || !end_row(&r, width, at, err))
                return r.in_brackets
                           ? err_at(err, at, "placement has a '[' in row %u without its partner",
                                    r.row + 1)
                           : false;
            continue;
        } else if (!place(&r, *text, most, at, err)) {
            return false;
        }
        if (!r.in_brackets) {
            r.node++;
            r.in_row++;
        }
    }
    if (r.in_brackets)
        return err_at(err, at, "placement has a '[' in row %u without its partner", r.row + 1);
    if (!end_row(&r, width, at, err))
        return false;
    if (r.row != height)
        return err_at(err, at, "placement has %u rows, expected height = %u", r.row, height);
    return check_counts(p, expected, at, err);
}

/*
 * Reads kernels/: PTX written by hand for what is not one lane-wise instruction.
 *
 * A block starts with a line `//@ name key=value ...` and runs to the next one; braces in that
 * line make a family, and `$1` to `$9` in the body stand for the choices, `$0` for the entry's
 * name, `$a` for the header's `arg=`. Headers in a row share a body. Every member is a module of
 * its own, so a block may declare variables and functions. Lines starting with `$` are shorthands;
 * README.md lists keys and shorthands.
 */
#include "suite.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct place {
    struct suite *suite;
    const char *path;
    u32 line;
};

static const char prologue[] =
    "(.param .u64 in, .param .u64 out, .param .u64 image)\n{\n"
    "    .reg .b16 %h<64>;\n    .reg .b32 %r<128>, %thread, %lane, %gid, %x<4>;\n"
    /* for families over operand widths: %w32_1 is a 32-bit register */
    "    .reg .b16 %w16_<8>;\n    .reg .b32 %w32_<8>;\n    .reg .b64 %w64_<8>;\n"
    "    .reg .b64 %d<64>, %in, %out, %src, %dst, %image;\n    .reg .pred %p<32>;\n"
    "    ld.param.u64 %in, [in];\n    ld.param.u64 %out, [out];\n    ld.param.u64 %image, "
    "[image];\n"
    "    cvta.to.global.u64 %in, %in;\n    cvta.to.global.u64 %out, %out;\n"
    /* thread number in the block, then in the grid, x fastest */
    "    mov.u32 %x0, %tid.z;\n    mov.u32 %x1, %ntid.y;\n    mov.u32 %x2, %tid.y;\n"
    "    mad.lo.u32 %x0, %x0, %x1, %x2;\n    mov.u32 %x1, %ntid.x;\n    mov.u32 %x2, %tid.x;\n"
    "    mad.lo.u32 %thread, %x0, %x1, %x2;\n"
    "    mov.u32 %x0, %ctaid.z;\n    mov.u32 %x1, %nctaid.y;\n    mov.u32 %x2, %ctaid.y;\n"
    "    mad.lo.u32 %x0, %x0, %x1, %x2;\n    mov.u32 %x1, %nctaid.x;\n    mov.u32 %x2, %ctaid.x;\n"
    "    mad.lo.u32 %x0, %x0, %x1, %x2;\n";

static void write_prologue(struct text *t, const struct test_case *c)
{
    text_add(t, ".visible .entry %s%s    mad.lo.u32 %%gid, %%x0, %u, %%thread;\n", c->entry,
             prologue, c->block[0] * c->block[1] * c->block[2]);
    text_add(t,
             "    and.b32 %%lane, %%thread, 31;\n"
             "    mad.wide.u32 %%src, %%gid, 4, %%in;\n    mad.wide.u32 %%dst, %%gid, 4, %%out;\n");
}

/* `$put 3 %r1` stores word 3 of this thread; words of one number lie side by side by thread. */
static bool write_shorthand(struct text *t, const struct test_case *c, const char *line)
{
    char what[16], first[32] = "", second[32] = "";
    if (sscanf(line, " $%15s %31s %31[^;\n]", what, first, second) < 1)
        return false;
    u32 row = 4 * c->grid[0] * c->grid[1] * c->grid[2] * c->block[0] * c->block[1] * c->block[2];
    u32 put_at = row * (u32)strtoul(first, NULL, 10), get_at = row * (u32)strtoul(second, NULL, 10);
    if (!strcmp(what, "begin"))
        write_prologue(t, c);
    else if (!strcmp(what, "end"))
        text_add(t, "    ret;\n}\n");
    else if (!strcmp(what, "get"))
        text_add(t, "    ld.global.b32 %s, [%%src+%u];\n", first, get_at);
    else if (!strcmp(what, "get16"))
        text_add(t, "    ld.global.b16 %s, [%%src+%u];\n", first, get_at);
    else if (!strcmp(what, "get64"))
        text_add(t,
                 "    ld.global.b32 %%x0, [%%src+%u];\n    ld.global.b32 %%x1, [%%src+%u];\n"
                 "    mov.b64 %s, {%%x0, %%x1};\n",
                 get_at, get_at + row, first);
    else if (!strcmp(what, "put"))
        text_add(t, "    st.global.b32 [%%dst+%u], %s;\n", put_at, second);
    else if (!strcmp(what, "put16"))
        text_add(t, "    cvt.u32.u16 %%x0, %s;\n    st.global.b32 [%%dst+%u], %%x0;\n", second,
                 put_at);
    else if (!strcmp(what, "put64"))
        text_add(t,
                 "    mov.b64 {%%x0, %%x1}, %s;\n    st.global.b32 [%%dst+%u], %%x0;\n"
                 "    st.global.b32 [%%dst+%u], %%x1;\n",
                 second, put_at, put_at + row);
    else if (!strcmp(what, "putp"))
        text_add(t, "    selp.u32 %%x0, 1, 0, %s;\n    st.global.b32 [%%dst+%u], %%x0;\n", second,
                 put_at);
    else
        return false;
    return true;
}

static void read_extent(const char *value, u32 extent[3])
{
    for (u32 i = 0; i < 3; i++) {
        char *end;
        extent[i] = *value ? (u32)strtoul(value, &end, 10) : 1;
        if (*value)
            value = *end == 'x' ? end + 1 : end;
    }
}

/* 64xu32:small+32xf16 */
static bool read_segments(const char *value, struct segment *list, u32 *count, u32 *bytes)
{
    while (*value) {
        char *end;
        size_t length = strcspn(value, "+");
        struct segment s = {.count = (u32)strtoul(value, &end, 10)};
        if (*end++ != 'x')
            return false;
        size_t type_length = strcspn(end, ":+");
        s.type = value_type_find(end, type_length);
        const char *stop = value + length;
        if (end[type_length] == ':' &&
            !value_range_find(end + type_length + 1, (size_t)(stop - end) - type_length - 1,
                              &s.range))
            return false;
        if (!s.type || !segment_append(list, count, bytes, s))
            return false;
        value = *stop ? stop + 1 : stop;
    }
    return true;
}

/* 2d:16x8:f32x4:linear:wrap:norm, the last three optional; 2d:16x8:u32x1:surface */
static bool read_image(struct test_case *c, char *value)
{
    struct image *m = &c->image;
    strcpy(m->filter, "point");
    strcpy(m->address, "clamp");
    u32 part = 0;
    for (char *word = strtok(value, ":"); word; word = strtok(NULL, ":"), part++) {
        if (part == 0) {
            m->dimensions = (u32)strtoul(word, NULL, 10);
        } else if (part == 1) {
            read_extent(word, m->extent);
        } else if (part == 2) {
            size_t n = strcspn(word, "x");
            m->element = value_type_find(word, n);
            m->channels = word[n] ? (u32)strtoul(word + n + 1, NULL, 10) : 1;
        } else if (!strcmp(word, "point") || !strcmp(word, "linear")) {
            strcpy(m->filter, word);
        } else if (!strcmp(word, "surface")) {
            m->surface = true;
        } else if (!strcmp(word, "norm")) {
            m->normalized = true;
        } else if (!strcmp(word, "integer")) {
            m->as_integer = true;
        } else if (strlen(word) < sizeof m->address && strcmp(word, "texel")) {
            strcpy(m->address, word);
        }
    }
    if (!m->element || part < 3)
        return false;
    c->image_bytes = m->extent[0] * m->extent[1] * m->extent[2] * m->channels * m->element->bytes;
    return true;
}

static bool read_option(const struct place *p, struct test_case *c, char *word)
{
    char *value = strchr(word, '=');
    bool ok = value != NULL;
    if (ok) {
        *value++ = 0;
        if (!strcmp(word, "grid"))
            read_extent(value, c->grid);
        else if (!strcmp(word, "block"))
            read_extent(value, c->block);
        else if (!strcmp(word, "shared"))
            c->shared_bytes = (u32)strtoul(value, NULL, 10);
        else if (!strcmp(word, "in"))
            ok = read_segments(value, c->in, &c->ins, &c->in_bytes);
        else if (!strcmp(word, "out"))
            ok = read_segments(value, c->out, &c->outs, &c->out_bytes);
        else if (!strcmp(word, "sm"))
            c->target = (u32)strtoul(value, NULL, 10);
        else if (!strcmp(word, "ptx"))
            c->version = arena_copy(&p->suite->arena, value, strlen(value));
        else if (!strcmp(word, "within"))
            ok = tolerance_add(&c->tolerance, value);
        else if (!strcmp(word, "launch"))
            ok = c->cooperative = !strcmp(value, "cooperative");
        else
            ok = false;
    }
    return ok || suite_fail(p->suite, p->path, p->line, "bad option '%s'", word);
}

static bool kernel_build(const struct place *p, char *header, const char *body,
                         struct choices *chosen)
{
    struct suite *s = p->suite;
    char *image = NULL, *rest = NULL;
    const char *argument = "";
    char *name = strtok_r(header, " ", &rest);
    if (!name)
        return suite_fail(s, p->path, p->line, "a block without a name");
    struct test_case *made = suite_add(s, name);
    made->own_module = true;
    made->origin = arena_format(&s->arena, "%s:%u", p->path, p->line);
    for (char *word = strtok_r(NULL, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (!strncmp(word, "image=", 6))
            image = word + 6;
        else if (!strncmp(word, "arg=", 4))
            argument = word + 4;
        else if (!read_option(p, made, word))
            return false;
    }
    if (image && !read_image(made, image))
        return suite_fail(s, p->path, p->line, "bad image");
    /* Only filtering is inexact; a fetched texel is at most converted. */
    if (image && !strcmp(made->image.filter, "point") && made->tolerance.bounds) {
        made->tolerance.bounds = 0;
        tolerance_add(&made->tolerance, "ulp:1");
    }
    if (!made->outs)
        return suite_fail(s, p->path, p->line, "'%s' has no out=", name);

    struct text t = {0};
    char *text = choices_substitute(&s->arena, body, chosen);
    bool ok = true;
    for (char *at = text; ok && *at;) {
        size_t length = strcspn(at, "\n");
        size_t indent = strspn(at, " ");
        if (at[indent] == '$' && islower((u8)at[indent + 1]) && islower((u8)at[indent + 2])) {
            ok = write_shorthand(&t, made, at) ||
                 suite_fail(s, p->path, p->line, "'%s': unknown shorthand '%.*s'", name,
                            (int)length, at);
        } else {
            for (const char *c = at; c < at + length; c++) {
                bool known = c[0] == '$' && (c[1] == '0' || c[1] == 'a');
                if (known)
                    text_add(&t, "%s", *++c == '0' ? made->entry : argument);
                else
                    text_append(&t, c, 1);
            }
            text_append(&t, "\n", 1);
        }
        at += length + (at[length] == '\n');
    }
    made->ptx = arena_copy(&s->arena, t.data ? t.data : "", t.length);
    text_fini(&t);
    return ok;
}

bool kernels_load(struct suite *s, const char *path)
{
    char *all = file_read(path, NULL);
    if (!all)
        return suite_fail(s, path, 0, "cannot be read");
    bool ok = true;
    struct place p = {s, path, 1};
    char *block = all;
    while (ok && (block = strstr(block, "//@"))) {
        p.line = 1;
        for (const char *c = all; (c = memchr(c, '\n', (size_t)(block - c))); c++)
            p.line++;
        size_t header_length = strcspn(block, "\n");
        char *body = block + header_length + (block[header_length] == '\n');
        char *next = strstr(body, "//@");
        /* Headers in a row share the body that follows the last. */
        while (next && (size_t)(next - body) == strspn(body, " \n")) {
            body = next + strcspn(next, "\n");
            next = strstr(body, "//@");
        }
        const char *header = arena_copy(&s->arena, block + 3, header_length - 3);
        const char *kept = arena_copy(&s->arena, body, next ? (size_t)(next - body) : strlen(body));
        for (u32 i = 0; ok && i < template_count(header); i++) {
            struct choices chosen;
            char *expanded = template_expand(&s->arena, header, i, &chosen);
            ok = kernel_build(&p, expanded, kept, &chosen);
        }
        block += header_length;
    }
    free(all);
    return ok;
}

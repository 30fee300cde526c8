/*
 * Reads forms/: one line per family of lane-wise instructions.
 *
 *   add{,.sat}.s32   =s32, s32, s32
 *   sin.approx.f32   =f32, f32:angle        @abs:2^-20.5
 *   cvt.rn.bf16.f32  =bf16, f32             @sm_80
 *
 * The opcode with its braces, the operands (`=` marks a result, `:` a range of inputs, `<a,b>` a
 * vector, `=u32|=pred` a double result, a leading `!` negates a predicate, `u32.b1` selects a part
 * as the video instructions do, anything starting with a digit or `-` is an immediate), then
 * attributes. Each expansion becomes a kernel in which thread i loads its operands, executes the
 * one instruction and stores the results.
 */
#include "suite.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct form {
    struct suite *suite;
    struct test_case *c;
    struct text declare, load, operands, store;
    const char *path;
    u32 line;
};

static void add_input(struct form *f, const struct value_type *t, u32 k)
{
    u32 offset = f->c->in[k].offset;
    text_add(&f->declare, "    .reg %s %%a%u;\n", t->register_type, k);
    text_add(&f->load, "    mad.wide.u32 %%at, %%i, %u, %%in;\n", t->bytes);
    if (t->kind == KIND_PREDICATE)
        text_add(&f->load, "    ld.global.u32 %%t, [%%at+%u];\n    setp.ne.u32 %%a%u, %%t, 0;\n",
                 offset, k);
    else
        text_add(&f->load, "    ld.global%s %%a%u, [%%at+%u];\n", t->register_type, k, offset);
}

static void add_output(struct form *f, const struct value_type *t, u32 k)
{
    u32 offset = f->c->out[k].offset;
    text_add(&f->declare, "    .reg %s %%d%u;\n", t->register_type, k);
    text_add(&f->store, "    mad.wide.u32 %%at, %%i, %u, %%out;\n", t->bytes);
    if (t->kind == KIND_PREDICATE)
        text_add(&f->store, "    selp.u32 %%t, 1, 0, %%d%u;\n    st.global.u32 [%%at+%u], %%t;\n",
                 k, offset);
    else
        text_add(&f->store, "    st.global%s [%%at+%u], %%d%u;\n", t->register_type, offset, k);
}

/* One register operand: [=][!]type[:range][.part]. Its name goes into the instruction. */
static bool add_operand(struct form *f, const char *word, size_t length)
{
    struct test_case *c = f->c;
    bool result = length && *word == '=';
    word += result;
    length -= result;
    if (length && *word == '!') {
        text_add(&f->operands, "!");
        word++;
        length--;
    }
    const char *dot = memchr(word, '.', length);
    const char *part = dot ? arena_copy(&f->suite->arena, dot, (size_t)(word + length - dot)) : "";
    if (dot)
        length = (size_t)(dot - word);
    const char *colon = memchr(word, ':', length);
    size_t type_length = colon ? (size_t)(colon - word) : length;
    struct segment s = {.type = value_type_find(word, type_length), .count = VECTORS};
    if (!s.type)
        return suite_fail(f->suite, f->path, f->line, "unknown type '%.*s'", (int)type_length,
                          word);
    if (colon && !value_range_find(colon + 1, length - type_length - 1, &s.range))
        return suite_fail(f->suite, f->path, f->line, "unknown range '%.*s'",
                          (int)(length - type_length - 1), colon + 1);
    u32 k = result ? c->outs : c->ins;
    if (!(result ? segment_append(c->out, &c->outs, &c->out_bytes, s)
                 : segment_append(c->in, &c->ins, &c->in_bytes, s)))
        return suite_fail(f->suite, f->path, f->line, "more than %u operands", SEGMENTS_MAX);
    if (result)
        add_output(f, s.type, k);
    else
        add_input(f, s.type, k);
    text_add(&f->operands, "%%%c%u%s", result ? 'd' : 'a', k, part);
    return true;
}

static bool add_operands(struct form *f, const char *list)
{
    while (*list) {
        size_t length = strcspn(list, ", |<>");
        if (length == 0) {
            text_add(&f->operands, "%c", *list == '<' ? '{' : *list == '>' ? '}' : *list);
            list++;
            continue;
        }
        if (isdigit((u8)*list) || *list == '-' || (*list == '_' && length == 1))
            text_append(&f->operands, list, length);
        else if (!add_operand(f, list, length))
            return false;
        list += length;
    }
    return true;
}

static bool add_attribute(struct form *f, const char *word)
{
    if (!strncmp(word, "sm_", 3)) {
        f->c->target = (u32)strtoul(word + 3, NULL, 10);
        return true;
    }
    if (!strncmp(word, "ptx:", 4)) {
        f->c->version = arena_copy(&f->suite->arena, word + 4, strlen(word + 4));
        return true;
    }
    if (!strncmp(word, "as:", 3) || tolerance_add(&f->c->tolerance, word))
        return true;
    return suite_fail(f->suite, f->path, f->line, "unknown attribute '@%s'", word);
}

/* The name tells forms apart that differ only in an immediate or a vector shape; `@as:` adds to
 * it where that is not enough. */
static const char *form_name(struct arena *a, const char *opcode, const char *operands,
                             const char *attributes)
{
    struct text t = {0};
    const char *also = attributes ? strstr(attributes, "as:") : NULL;
    text_add(&t, "%s", opcode);
    if (also)
        text_add(&t, "/%.*s", (int)strcspn(also + 3, " "), also + 3);
    for (const char *o = operands; *o;) {
        size_t length = strcspn(o, ", ");
        if (*o == '<' || (*o == '=' && o[1] == '<'))
            length = strcspn(o, ">") + 1;
        if (length && (isdigit((u8)*o) || *o == '-' || *o == '<' || *o == '!' || o[1] == '<' ||
                       memchr(o, '|', length) || memchr(o, '.', length)))
            text_add(&t, "/%.*s", (int)length, o);
        o += length + strspn(o + length, ", ");
    }
    char *name = arena_copy(a, t.data, t.length);
    text_fini(&t);
    char *to = name;
    for (const char *from = name; *from; from++) {
        if (*from != ' ' && (*from != '=' || strchr(name, '<')))
            *to++ = *from;
    }
    *to = 0;
    return name;
}

static void write_kernel(struct form *f, const char *opcode)
{
    struct text t = {0};
    text_add(&t,
             ".visible .entry %s(.param .u64 in, .param .u64 out)\n{\n"
             "    .reg .b64 %%in, %%out, %%at;\n    .reg .b32 %%i, %%t;\n%s"
             "    ld.param.u64 %%in, [in];\n    ld.param.u64 %%out, [out];\n"
             "    cvta.to.global.u64 %%in, %%in;\n    cvta.to.global.u64 %%out, %%out;\n"
             "    mov.u32 %%t, %%ctaid.x;\n    mov.u32 %%i, %%tid.x;\n"
             "    mad.lo.u32 %%i, %%t, %u, %%i;\n%s"
             "    %s %s;\n%s    ret;\n}\n",
             f->c->entry, f->declare.data, FORM_BLOCK, f->load.data ? f->load.data : "", opcode,
             f->operands.data, f->store.data);
    f->c->ptx = arena_copy(&f->suite->arena, t.data, t.length);
    text_fini(&t);
}

/* `text` is one expansion: opcode, operands, attributes. */
static bool form_build(struct suite *s, const char *path, u32 line, char *text)
{
    char *attributes = strchr(text, '@');
    if (attributes)
        *attributes++ = 0;
    size_t opcode_length = strcspn(text, " ");
    const char *opcode = arena_copy(&s->arena, text, opcode_length);
    char *operands = text + opcode_length + strspn(text + opcode_length, " ");
    for (size_t n = strlen(operands); n && operands[n - 1] == ' '; n--)
        operands[n - 1] = 0;

    struct form f = {.suite = s, .path = path, .line = line};
    f.c = suite_add(s, form_name(&s->arena, opcode, operands, attributes));
    f.c->origin = arena_format(&s->arena, "%s:%u", path, line);
    f.c->cross = true;
    f.c->grid[0] = VECTORS / FORM_BLOCK;
    f.c->block[0] = FORM_BLOCK;
    f.c->tolerance.flushes = strstr(opcode, ".ftz") != NULL;
    bool ok = add_operands(&f, operands);
    for (char *word = attributes ? strtok(attributes, " @") : NULL; ok && word;
         word = strtok(NULL, " @"))
        ok = add_attribute(&f, word);
    if (ok)
        write_kernel(&f, opcode);
    text_fini(&f.declare);
    text_fini(&f.load);
    text_fini(&f.operands);
    text_fini(&f.store);
    return ok;
}

bool forms_load(struct suite *s, const char *path)
{
    char *all = file_read(path, NULL);
    if (!all)
        return suite_fail(s, path, 0, "cannot be read");
    bool ok = true;
    u32 line = 1;
    for (char *at = all; ok && *at; line++) {
        size_t length = strcspn(at, "\n");
        bool last = !at[length];
        at[length] = 0;
        char *start = at + strspn(at, " ");
        for (u32 i = 0; ok && *start && *start != '#' && i < template_count(start); i++) {
            struct choices chosen;
            ok = form_build(s, path, line, template_expand(&s->arena, start, i, &chosen));
        }
        at += length + !last;
    }
    free(all);
    return ok;
}

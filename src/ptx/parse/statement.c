/* Function bodies of PTX: scopes, labels, instructions, operands. */
#include "ptx/parse/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST_SCOPE 64
#define MOST_OPERANDS 144 /* wgmma has lists of 128 */
#define DEEPEST_OPERAND 4 /* a vector inside an address inside a list */

static void pool_add(struct parser *p, const struct ptx_operand *items, u32 count, u32 *first)
{
    struct ptx_function *f = p->function;
    *first = f->pool_count;
    for (u32 i = 0; i < count; i++) {
        PARSE_GROW(&p->module->arena, f->pool, f->pool_count, f->pool_room);
        f->pool[f->pool_count++] = items[i];
    }
}

static bool find_special(const char *name, struct ptx_operand *o)
{
    const char *bare = name[0] == '%' ? name + 1 : name;
    if (name[0] != '%' && strcmp(name, "WARP_SZ") != 0)
        return false;
    if (strncmp(bare, "envreg", 6) == 0 && bare[6]) {
        u32 n = (u32)strtoul(bare + 6, NULL, 10);
        if (n > 31)
            return false;
        *o = (struct ptx_operand){.kind = OPERAND_SPECIAL, .index = SPECIAL_ENVREG0 + n};
        return true;
    }
    if (strncmp(bare, "pm", 2) == 0 && bare[2] >= '0' && bare[2] <= '7' &&
        (bare[3] == '\0' || strcmp(bare + 3, "_64") == 0)) {
        *o = (struct ptx_operand){.kind = OPERAND_SPECIAL, .index = SPECIAL_PM, .name = name};
        return true;
    }
    for (u32 i = 0; i < SPECIAL_COUNT; i++) {
        if (special_info[i].name && strcmp(special_info[i].name, bare) == 0) {
            *o = (struct ptx_operand){.kind = OPERAND_SPECIAL, .index = i};
            return true;
        }
    }
    return false;
}

/* %tid as a whole: {%tid.x, %tid.y, %tid.z, 0} */
static bool find_special_vector(struct parser *p, const char *name, struct ptx_operand *o)
{
    struct ptx_operand items[4] = {{0}};
    static const char axes[] = "xyz";
    for (u32 i = 0; i < 3; i++) {
        char one[32];
        if (strlen(name) + 3 > sizeof one)
            return false;
        snprintf(one, sizeof one, "%s.%c", name, axes[i]);
        if (!find_special(one, &items[i]))
            return false;
    }
    items[3].kind = OPERAND_INT;
    *o = (struct ptx_operand){.kind = OPERAND_VECTOR, .count = 4};
    pool_add(p, items, 4, &o->index);
    return true;
}

/* %v as a whole: {%v.x, %v.y, ...} */
static void whole_vector(struct parser *p, u32 count, struct ptx_operand *o)
{
    struct ptx_operand items[4] = {{0}};
    for (u32 i = 0; i < count; i++)
        items[i] = (struct ptx_operand){.kind = OPERAND_REG, .index = o->index + i};
    *o = (struct ptx_operand){.kind = OPERAND_VECTOR, .count = count};
    pool_add(p, items, count, &o->index);
}

/* A word as an operand: a register, a special register, a symbol, or a name that
 * is resolved when the function or the module ends. */
static bool resolve_word(struct parser *p, struct ptx_operand *o)
{
    const char *name = parse_name(p);
    u32 reg = PTX_NONE;
    if (!name)
        return false;
    *o = (struct ptx_operand){.name = name};
    if (strcmp(name, "_") == 0) {
        o->kind = OPERAND_SINK;
        return true;
    }
    const struct declaration *d = parse_lookup(p, name, &reg);
    if (d) {
        o->kind = d->is_symbol ? OPERAND_SYMBOL : OPERAND_REG;
        o->index = reg;
        if (d->vector)
            whole_vector(p, d->vector, o);
        return true;
    }
    if (find_special(name, o) || find_special_vector(p, name, o))
        return true;
    size_t n = strlen(name);
    if (n > 2 && name[n - 2] == '.') { /* %v.x */
        static const char components[] = "xyzwrgba";
        const char *c = strchr(components, name[n - 1]);
        char *base = arena_printf(&p->module->arena, "%.*s", (int)(n - 2), name);
        d = c ? parse_lookup(p, base, &reg) : NULL;
        u32 k = c ? (u32)(c - components) % 4 : 0;
        if (d && d->vector > k) {
            o->kind = OPERAND_REG;
            o->index = reg + k;
            return true;
        }
    }
    const char *dot = strrchr(name, '.');
    if (name[0] == '%' && dot && (dot[1] == 'b' || dot[1] == 'h')) { /* %r1.b0 of a video operand */
        char *base = arena_printf(&p->module->arena, "%.*s", (int)(dot - name), name);
        if (parse_lookup(p, base, &reg)) {
            o->kind = OPERAND_REG;
            o->index = reg;
            o->selector = dot + 1;
            return true;
        }
    }
    o->kind = OPERAND_SYMBOL;
    o->index = PTX_NONE;
    return true;
}

static bool parse_constant(struct parser *p, struct ptx_operand *o)
{
    bool minus = false, flip = false;
    for (;;) {
        if (parse_accept(p, '-'))
            minus = !minus;
        else if (parse_accept(p, '~'))
            flip = true;
        else
            break;
    }
    const struct token *t = &p->lex.token;
    if (t->kind == TOKEN_INT) {
        *o = (struct ptx_operand){.kind = OPERAND_INT, .value = (i64)t->value};
        if (flip)
            o->value = ~o->value;
        if (minus)
            o->value = (i64)(0 - (u64)o->value);
    } else if (t->kind == TOKEN_FLOAT) {
        *o = (struct ptx_operand){
            .kind = OPERAND_FLOAT, .value = (i64)t->value, .exact_f32 = t->is_f32};
        if (minus)
            o->value ^= INT64_MIN;
    } else {
        return parse_fail(p, "an operand");
    }
    return lexer_next(&p->lex, p->err);
}

static bool parse_operand(struct parser *p, struct ptx_operand *list, u32 *count);

/* + 4, + -4, - 4 after a base */
static bool parse_offset(struct parser *p, struct ptx_operand *o)
{
    while (token_is(&p->lex, '+') || token_is(&p->lex, '-')) {
        bool minus = token_is(&p->lex, '-');
        struct ptx_operand c;
        if (!lexer_next(&p->lex, p->err) || !parse_constant(p, &c))
            return false;
        if (c.kind != OPERAND_INT)
            return parse_fail(p, "a whole number");
        o->value = (i64)((u64)o->value + (minus ? 0 - (u64)c.value : (u64)c.value));
    }
    return true;
}

/* [reg], [reg+4], [sym+4], [16], and for textures [tex, {x, y}] or [tex, smp, {x}] */
static bool parse_address(struct parser *p, struct ptx_operand *list, u32 *count)
{
    struct ptx_operand *o = &list[(*count)++];
    if (p->lex.token.kind == TOKEN_WORD) {
        if (!resolve_word(p, o))
            return false;
        o->base = o->kind;
        o->value = 0;
    } else {
        if (!parse_constant(p, o))
            return false;
        o->base = OPERAND_NONE;
    }
    o->kind = OPERAND_ADDRESS;
    if (!parse_offset(p, o))
        return false;
    while (parse_accept(p, ',')) {
        if (!parse_operand(p, list, count))
            return false;
    }
    return parse_punctuation(p, ']');
}

static bool parse_group(struct parser *p, struct ptx_operand *o, u8 kind, char close)
{
    struct ptx_operand items[MOST_OPERANDS];
    u32 n = 0;
    while (!token_is(&p->lex, close)) {
        if (n + 8 > MOST_OPERANDS)
            return parse_fail(p, "fewer operands");
        if (!parse_operand(p, items, &n))
            return false;
        if (!parse_accept(p, ','))
            break;
    }
    if (!parse_punctuation(p, close))
        return false;
    *o = (struct ptx_operand){.kind = kind, .count = n};
    pool_add(p, items, n, &o->index);
    return true;
}

static bool parse_one(struct parser *p, struct ptx_operand *list, u32 *count)
{
    if (parse_accept(p, '['))
        return parse_address(p, list, count);
    if (parse_accept(p, '{')) {
        struct ptx_operand *group = &list[(*count)++];
        if (!parse_group(p, group, OPERAND_VECTOR, '}'))
            return false;
        return !parse_accept(p, '|') || parse_operand(p, list, count); /* tex: is it resident? */
    }
    if (parse_accept(p, '('))
        return parse_group(p, &list[(*count)++], OPERAND_LIST, ')');
    struct ptx_operand *o = &list[(*count)++];
    *o = (struct ptx_operand){0};
    bool negated = parse_accept(p, '!');
    if (p->lex.token.kind == TOKEN_WORD) {
        if (!resolve_word(p, o))
            return false;
        if (o->kind == OPERAND_SYMBOL && !parse_offset(p, o))
            return false;
    } else if (token_is(&p->lex, '-')) {
        if (!lexer_next(&p->lex, p->err))
            return false;
        if (p->lex.token.kind == TOKEN_WORD) {
            if (!resolve_word(p, o))
                return false;
            negated = true;
        } else {
            if (!parse_constant(p, o))
                return false;
            if (o->kind == OPERAND_FLOAT)
                o->value ^= INT64_MIN;
            else
                o->value = (i64)(0 - (u64)o->value);
        }
    } else if (!parse_constant(p, o)) {
        return false;
    }
    o->negated = negated;
    while (parse_accept(p, '|')) { /* d|p: two results */
        if (!parse_operand(p, list, count))
            return false;
    }
    return true;
}

static bool parse_operand(struct parser *p, struct ptx_operand *list, u32 *count)
{
    if (*count + 8 > MOST_OPERANDS)
        return parse_fail(p, "fewer operands");
    if (p->depth == DEEPEST_OPERAND)
        return parse_fail(p, "fewer braces inside each other");
    p->depth++;
    bool ok = parse_one(p, list, count);
    p->depth--;
    return ok;
}

static bool split_opcode(struct parser *p, struct ptx_statement *s)
{
    char *word = (char *)(uintptr_t)parse_name(p);
    if (!word)
        return false;
    s->opcode = word;
    for (char *dot = strchr(word, '.'); dot; dot = strchr(dot, '.')) {
        *dot++ = '\0';
        if (s->modifier_count == PTX_MOST_MODIFIERS)
            return parse_fail(p, "fewer modifiers");
        s->modifiers[s->modifier_count++] = dot;
    }
    return true;
}

static bool parse_guard(struct parser *p, struct ptx_statement *s)
{
    s->guard = PTX_NONE;
    if (!parse_accept(p, '@'))
        return true;
    s->guard_negated = parse_accept(p, '!');
    struct src_pos at = token_pos(&p->lex);
    struct ptx_operand o;
    if (!resolve_word(p, &o))
        return false;
    if (o.kind != OPERAND_REG || p->function->regs[o.index].type != TYPE_PRED)
        return err_at(p->err, at, "'%s' is not a predicate register", o.name ? o.name : "this");
    s->guard = o.index;
    return true;
}

static bool parse_instruction(struct parser *p)
{
    struct ptx_function *f = p->function;
    struct ptx_statement s = {.line = p->lex.token.line, .column = p->lex.token.column};
    struct ptx_operand operands[MOST_OPERANDS];
    s.no_unroll = p->no_unroll;
    p->no_unroll = false;
    if (!parse_guard(p, &s))
        return false;
    s.line = p->lex.token.line;
    s.column = p->lex.token.column;
    if (!split_opcode(p, &s))
        return false;
    while (!token_is(&p->lex, ';')) {
        if (!parse_operand(p, operands, &s.operand_count))
            return false;
        if (!parse_accept(p, ','))
            break;
    }
    if (!parse_punctuation(p, ';'))
        return false;
    s.operands = ARENA_ARRAY(&p->module->arena, struct ptx_operand, s.operand_count + 1);
    memcpy(s.operands, operands, s.operand_count * sizeof *operands);
    PARSE_GROW(&p->module->arena, f->statements, f->statement_count, f->statement_room);
    f->statements[f->statement_count++] = s;
    return true;
}

/* name: .branchtargets a, b;  .calltargets f, g;  .callprototype (r) _ (p); */
static bool parse_table(struct parser *p, const char *name)
{
    struct ptx_function *f = p->function;
    PARSE_GROW(&p->module->arena, f->tables, f->table_count, f->table_room);
    struct ptx_table *t = &f->tables[f->table_count++];
    *t = (struct ptx_table){.name = name};
    t->is_prototype = token_is_word(&p->lex, ".callprototype");
    if (!lexer_next(&p->lex, p->err))
        return false;
    if (t->is_prototype) {
        if (token_is(&p->lex, '(') && !parse_signature(p, &t->returns, &t->return_count))
            return false;
        if (!parse_accept_word(p, "_"))
            return parse_fail(p, "_ in a prototype");
        if (token_is(&p->lex, '(') && !parse_signature(p, &t->params, &t->param_count))
            return false;
        while (!token_is(&p->lex, ';') && p->lex.token.kind != TOKEN_END) {
            if (!lexer_next(&p->lex, p->err)) /* .noreturn, .abi_preserve ... */
                return false;
        }
        return parse_punctuation(p, ';');
    }
    struct ptx_operand items[MOST_OPERANDS];
    u32 room = 0;
    do {
        u32 n = 0;
        if (!parse_operand(p, items, &n))
            return false;
        PARSE_GROW(&p->module->arena, t->entries, t->count, room);
        t->entries[t->count++] = items[0];
    } while (parse_accept(p, ','));
    return parse_punctuation(p, ';');
}

static bool skip_line(struct parser *p)
{
    u32 line = p->lex.token.line;
    while (p->lex.token.kind != TOKEN_END && p->lex.token.line == line) {
        if (!lexer_next(&p->lex, p->err))
            return false;
    }
    return true;
}

static bool parse_directive(struct parser *p)
{
    enum space space;
    char word[16] = "";
    if (p->lex.token.length < sizeof word)
        memcpy(word, p->lex.token.text, p->lex.token.length);
    if (strcmp(word, ".loc") == 0 || strcmp(word, ".file") == 0)
        return skip_line(p);
    if (strcmp(word, ".pragma") == 0) {
        while (!token_is(&p->lex, ';') && p->lex.token.kind != TOKEN_END) {
            p->no_unroll |= p->lex.token.kind == TOKEN_STRING && p->lex.token.length == 10 &&
                            memcmp(p->lex.token.text, "\"nounroll\"", 10) == 0;
            if (!lexer_next(&p->lex, p->err))
                return false;
        }
        return parse_punctuation(p, ';');
    }
    if (strcmp(word, ".reg") == 0)
        return lexer_next(&p->lex, p->err) && parse_registers(p);
    if (parse_space(word, &space) && space != SPACE_GENERIC)
        return lexer_next(&p->lex, p->err) && parse_variable(p, space, NULL);
    return parse_fail(p, "a declaration or an instruction");
}

/* A word at the start of a statement that is followed by ':' is a label. */
static bool at_label(const struct parser *p)
{
    struct lexer ahead = p->lex;
    struct err ignored = ERR_INIT;
    return ahead.token.kind == TOKEN_WORD && lexer_next(&ahead, &ignored) && token_is(&ahead, ':');
}

static bool parse_label(struct parser *p, u32 scope_first)
{
    struct src_pos at = token_pos(&p->lex);
    const char *name = parse_name(p);
    u32 hidden = PTX_NONE;
    if (!name || !parse_punctuation(p, ':'))
        return false;
    if (strmap_get(&p->label_names, name, &hidden) && hidden != PTX_NONE && hidden >= scope_first)
        return err_at(p->err, at, "label '%s' is given twice", name);
    bool is_table = token_is_word(&p->lex, ".branchtargets") ||
                    token_is_word(&p->lex, ".calltargets") ||
                    token_is_word(&p->lex, ".callprototype");
    PARSE_GROW(&p->module->arena, p->labels, p->label_count, p->label_room);
    p->labels[p->label_count] =
        (struct label){.name = name,
                       .is_table = is_table,
                       .index = is_table ? p->function->table_count : p->function->statement_count,
                       .hidden = hidden};
    strmap_put(&p->label_names, name, p->label_count++);
    return !is_table || parse_table(p, name);
}

/* Where a scope begins in the function that is parsed. */
struct scope {
    u32 declarations, labels, statements, pool, tables, outer_start;
};

static void resolve_operand(struct parser *p, u32 scope_first, struct ptx_operand *o)
{
    u8 *kind = o->kind == OPERAND_ADDRESS ? &o->base : &o->kind;
    u32 index;
    if (*kind != OPERAND_SYMBOL || o->index != PTX_NONE)
        return;
    /* what is not found may be a label further out, or a name of the module */
    if (!strmap_get(&p->label_names, o->name, &index) || index == PTX_NONE || index < scope_first)
        return;
    *kind = p->labels[index].is_table ? OPERAND_TABLE : OPERAND_LABEL;
    o->index = p->labels[index].index;
}

/* Labels may be used before they are given, so that their names are looked up when
 * their scope ends. */
static void leave_labels(struct parser *p, const struct scope *s)
{
    struct ptx_function *f = p->function;
    if (p->label_count == s->labels)
        return;
    for (u32 i = s->statements; i < f->statement_count; i++) {
        for (u32 k = 0; k < f->statements[i].operand_count; k++)
            resolve_operand(p, s->labels, &f->statements[i].operands[k]);
    }
    for (u32 i = s->pool; i < f->pool_count; i++)
        resolve_operand(p, s->labels, &f->pool[i]);
    for (u32 i = s->tables; i < f->table_count; i++) {
        for (u32 k = 0; k < f->tables[i].count; k++)
            resolve_operand(p, s->labels, &f->tables[i].entries[k]);
    }
    while (p->label_count > s->labels) {
        const struct label *l = &p->labels[--p->label_count];
        strmap_put(&p->label_names, l->name, l->hidden);
    }
}

static bool parse_block(struct parser *p, u32 depth)
{
    struct ptx_function *f = p->function;
    struct scope scope = {p->declaration_count, p->label_count, f->statement_count,
                          f->pool_count,        f->table_count, p->scope_start};
    if (depth > DEEPEST_SCOPE)
        return parse_fail(p, "fewer nested braces");
    p->scope_start = scope.declarations;
    while (!token_is(&p->lex, '}')) {
        bool ok;
        if (p->lex.token.kind == TOKEN_END)
            return parse_fail(p, "a closing brace");
        if (parse_accept(p, '{'))
            ok = parse_block(p, depth + 1);
        else if (parse_accept(p, ';'))
            ok = true;
        else if (p->lex.token.kind == TOKEN_WORD && p->lex.token.text[0] == '.')
            ok = parse_directive(p);
        else if (at_label(p))
            ok = parse_label(p, scope.labels);
        else
            ok = parse_instruction(p);
        if (!ok)
            return false;
    }
    leave_labels(p, &scope);
    parse_leave_scope(p, scope.declarations);
    p->scope_start = scope.outer_start;
    return parse_punctuation(p, '}');
}

bool parse_body(struct parser *p)
{
    p->depth = 0;
    return parse_block(p, 0);
}

/* PTX text to a module: the module scope; bodies are in statement.c, declarations in declare.c. */
#include "ptx/parse/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PARAM_BYTES 32764 /* of a kernel, since PTX 8.1 */

bool parse_fail(struct parser *p, const char *expected)
{
    const struct token *t = &p->lex.token;
    char found[80];
    if (t->kind == TOKEN_END)
        snprintf(found, sizeof found, "the end of the text");
    else
        snprintf(found, sizeof found, "'%.*s'", (int)(t->length < 60 ? t->length : 60), t->text);
    if (p->err->kind != ERR_NONE)
        return false;
    err_at(p->err, token_pos(&p->lex), "found %s, expected %s", found, expected);
    snprintf(p->err->found, sizeof p->err->found, "%s", found);
    return false;
}

bool parse_punctuation(struct parser *p, char c)
{
    char expected[] = {'\'', c, '\'', '\0'};
    if (!token_is(&p->lex, c))
        return parse_fail(p, expected);
    return lexer_next(&p->lex, p->err);
}

/* A failure to read the next token shows up at the next thing that is expected. */
bool parse_accept(struct parser *p, char c)
{
    return token_is(&p->lex, c) && lexer_next(&p->lex, p->err);
}

bool parse_accept_word(struct parser *p, const char *word)
{
    return token_is_word(&p->lex, word) && lexer_next(&p->lex, p->err);
}

const char *parse_name(struct parser *p)
{
    const struct token *t = &p->lex.token;
    if (t->kind != TOKEN_WORD) {
        parse_fail(p, "a name");
        return NULL;
    }
    if (t->length > 4000) {
        parse_fail(p, "a shorter name");
        return NULL;
    }
    char *copy = arena_printf(&p->module->arena, "%.*s", (int)t->length, t->text);
    return lexer_next(&p->lex, p->err) ? copy : NULL;
}

bool parse_signature(struct parser *p, struct ptx_symbol **list, u32 *count)
{
    u32 room = 0;
    *count = 0;
    if (!parse_punctuation(p, '('))
        return false;
    while (!token_is(&p->lex, ')')) {
        struct ptx_symbol s;
        if (!parse_param(p, &s))
            return false;
        PARSE_GROW(&p->module->arena, *list, *count, room);
        (*list)[(*count)++] = s;
        if (!parse_accept(p, ','))
            break;
    }
    return parse_punctuation(p, ')');
}

static bool parse_numbers(struct parser *p, u32 *out, u32 most)
{
    u32 n = 0;
    do {
        if (p->lex.token.kind != TOKEN_INT || n == most || p->lex.token.value > UINT16_MAX)
            return parse_fail(p, "a number");
        out[n++] = (u32)p->lex.token.value;
        if (!lexer_next(&p->lex, p->err))
            return false;
    } while (parse_accept(p, ','));
    for (; n < most; n++)
        out[n] = 1;
    return true;
}

/* Between a function's parameters and its body. */
static bool parse_performance(struct parser *p, struct ptx_function *f)
{
    u32 ignored[1];
    while (p->lex.token.kind == TOKEN_WORD) {
        bool ok;
        if (parse_accept_word(p, ".maxntid"))
            ok = parse_numbers(p, f->max_threads, 3);
        else if (parse_accept_word(p, ".reqntid"))
            ok = parse_numbers(p, f->required_threads, 3);
        else if (parse_accept_word(p, ".minnctapersm"))
            ok = parse_numbers(p, &f->min_blocks, 1);
        else if (parse_accept_word(p, ".maxnreg"))
            ok = parse_numbers(p, &f->max_registers, 1);
        else if (parse_accept_word(p, ".maxnctapersm") || parse_accept_word(p, ".maxclusterrank"))
            ok = parse_numbers(p, ignored, 1);
        else if (parse_accept_word(p, ".reqnctapercluster"))
            ok = parse_numbers(p, f->cluster, 3);
        else if (parse_accept_word(p, ".noreturn") || parse_accept_word(p, ".explicitcluster") ||
                 parse_accept_word(p, ".blocksareclusters"))
            ok = true;
        else if (parse_accept_word(p, ".pragma"))
            ok = p->lex.token.kind == TOKEN_STRING && lexer_next(&p->lex, p->err) &&
                 parse_punctuation(p, ';');
        else
            return parse_fail(p, "a performance directive, '{' or ';'");
        if (!ok)
            return parse_fail(p, "a well-formed directive");
    }
    return true;
}

static bool declare_params(struct parser *p, struct ptx_symbol *list, u32 count)
{
    struct ptx_function *f = p->function;
    for (u32 i = 0; i < count; i++) {
        struct ptx_symbol *s = &list[i];
        struct declaration *d = parse_declare(p, s->name);
        if (!d)
            return false;
        if (s->space == SPACE_REG) {
            d->type = s->type;
            d->index = parse_add_register(p, s->name, s->type, 0);
            s->offset = d->index;
            continue;
        }
        struct ptx_module *m = p->module;
        PARSE_GROW(&m->arena, m->symbols, m->symbol_count, m->symbol_room);
        m->symbols[m->symbol_count] = s;
        d->is_symbol = true;
        d->index = m->symbol_count++;
        if (!parse_place(p, s, f->is_entry ? &f->param_bytes : &f->local_bytes))
            return false;
    }
    if (f->param_bytes > MOST_PARAM_BYTES)
        return err_at(p->err, token_pos(&p->lex), "%u bytes of parameters, expected at most %u",
                      f->param_bytes, MOST_PARAM_BYTES);
    return true;
}

static bool parse_function(struct parser *p, bool is_entry, const struct ptx_symbol *linkage)
{
    struct ptx_module *m = p->module;
    struct ptx_function *f = ARENA_NEW(&m->arena, struct ptx_function);
    f->is_entry = is_entry;
    f->is_extern = linkage->is_extern;
    f->is_visible = linkage->is_visible;
    f->is_weak = linkage->is_weak;
    f->line = p->lex.token.line;
    u32 outer = p->declaration_count;
    p->function = f;
    while (token_is_word(&p->lex, ".attribute")) {
        while (!token_is(&p->lex, ')') && p->lex.token.kind != TOKEN_END) {
            if (!lexer_next(&p->lex, p->err))
                return false;
        }
        if (!parse_punctuation(p, ')'))
            return false;
    }
    if (token_is(&p->lex, '(') && !parse_signature(p, &f->returns, &f->return_count))
        return false;
    f->name = parse_name(p);
    if (!f->name)
        return false;
    if (token_is(&p->lex, '(') && !parse_signature(p, &f->params, &f->param_count))
        return false;
    if (!parse_performance(p, f))
        return false;
    u32 index;
    bool is_body = token_is(&p->lex, '{');
    if (strmap_get(&m->function_names, f->name, &index)) {
        if (is_body && m->functions[index]->statements)
            return err_at(p->err, token_pos(&p->lex), "function '%s' is given twice", f->name);
        if (!is_body) { /* one more declaration adds nothing */
            p->function = NULL;
            return parse_punctuation(p, ';');
        }
    } else {
        PARSE_GROW(&m->arena, m->functions, m->function_count, m->function_room);
        index = m->function_count++;
        strmap_put(&m->function_names, f->name, index);
    }
    m->functions[index] = f;
    if (!is_body) {
        p->function = NULL;
        f->is_extern = true;
        return parse_punctuation(p, ';');
    }
    f->is_extern = false;
    p->scope_start = outer;
    if (!declare_params(p, f->returns, f->return_count) ||
        !declare_params(p, f->params, f->param_count))
        return false;
    f->statements = ARENA_ARRAY(&m->arena, struct ptx_statement, 1);
    if (!lexer_next(&p->lex, p->err) || !parse_body(p))
        return false;
    parse_leave_scope(p, outer);
    p->function = NULL;
    return true;
}

static bool token_starts(const struct lexer *l, const char *word)
{
    size_t n = strlen(word);
    return l->token.kind == TOKEN_WORD && l->token.length >= n &&
           memcmp(l->token.text, word, n) == 0;
}

static bool skip_section(struct parser *p)
{
    u32 depth = 0;
    do {
        depth += token_is(&p->lex, '{');
        depth -= token_is(&p->lex, '}');
        if (p->lex.token.kind == TOKEN_END)
            return parse_fail(p, "the end of the section");
        if (!lexer_next(&p->lex, p->err))
            return false;
    } while (depth || token_is(&p->lex, '{') || token_starts(&p->lex, ".debug") ||
             token_starts(&p->lex, ".nv_debug"));
    return true;
}

static bool parse_linked(struct parser *p)
{
    struct ptx_symbol linkage = {0};
    for (;;) {
        enum space space;
        char word[24] = "";
        if (p->lex.token.kind != TOKEN_WORD)
            return parse_fail(p, "a declaration");
        if (p->lex.token.length < sizeof word)
            memcpy(word, p->lex.token.text, p->lex.token.length);
        if (strcmp(word, ".func") == 0 || strcmp(word, ".entry") == 0)
            return lexer_next(&p->lex, p->err) &&
                   parse_function(p, strcmp(word, ".entry") == 0, &linkage);
        if (strcmp(word, ".tex") == 0)
            strcpy(word, ".global");
        if (parse_space(word, &space) && space != SPACE_GENERIC && space != SPACE_PARAM &&
            space != SPACE_REG && space != SPACE_LOCAL)
            return lexer_next(&p->lex, p->err) && parse_variable(p, space, &linkage);
        if (strcmp(word, ".extern") == 0)
            linkage.is_extern = true;
        else if (strcmp(word, ".visible") == 0)
            linkage.is_visible = true;
        else if (strcmp(word, ".weak") == 0 || strcmp(word, ".common") == 0)
            linkage.is_weak = linkage.is_visible = true;
        else
            return parse_fail(p, ".version, .target, .entry, .func or a variable");
        if (!lexer_next(&p->lex, p->err))
            return false;
    }
}

static bool parse_version(struct parser *p)
{
    const struct token *t = &p->lex.token;
    double d;
    memcpy(&d, &t->value, sizeof d);
    if (t->kind != TOKEN_FLOAT || d < 1 || d > 99)
        return parse_fail(p, "a version such as 8.5");
    p->module->version = (u32)(d * 10 + 0.5);
    return lexer_next(&p->lex, p->err);
}

static bool parse_target(struct parser *p)
{
    do {
        const struct token *t = &p->lex.token;
        if (t->kind != TOKEN_WORD)
            return parse_fail(p, "a target such as sm_75");
        if (token_starts(&p->lex, "sm_")) {
            char number[8] = "";
            memcpy(number, t->text + 3, t->length - 3 < 7 ? t->length - 3 : 7);
            p->module->target = (u32)strtoul(number, NULL, 10);
        }
        p->module->has_debug |= token_is_word(&p->lex, "debug");
        if (!lexer_next(&p->lex, p->err))
            return false;
    } while (parse_accept(p, ','));
    return true;
}

static bool parse_top(struct parser *p)
{
    if (parse_accept_word(p, ".version"))
        return parse_version(p);
    if (parse_accept_word(p, ".target"))
        return parse_target(p);
    if (parse_accept_word(p, ".address_size")) {
        p->module->address_bits = (u32)p->lex.token.value;
        if (p->lex.token.kind != TOKEN_INT || p->module->address_bits != 64)
            return parse_fail(p, "an address size of 64");
        return lexer_next(&p->lex, p->err);
    }
    if (token_is_word(&p->lex, ".section"))
        return lexer_next(&p->lex, p->err) && skip_section(p);
    if (token_is_word(&p->lex, ".file") || token_is_word(&p->lex, ".loc")) {
        u32 line = p->lex.token.line;
        while (p->lex.token.kind != TOKEN_END && p->lex.token.line == line) {
            if (!lexer_next(&p->lex, p->err))
                return false;
        }
        return true;
    }
    if (token_is_word(&p->lex, ".pragma")) {
        while (!token_is(&p->lex, ';') && p->lex.token.kind != TOKEN_END) {
            if (!lexer_next(&p->lex, p->err))
                return false;
        }
        return parse_punctuation(p, ';');
    }
    return parse_linked(p);
}

/* Names that were used before they were declared. */
static bool resolve_late(struct parser *p, struct ptx_operand *o, u32 line, u32 column)
{
    u8 *kind = o->kind == OPERAND_ADDRESS ? &o->base : &o->kind;
    if (*kind != OPERAND_SYMBOL || o->index != PTX_NONE)
        return true;
    if (strmap_get(&p->module->symbol_names, o->name, &o->index))
        return true;
    if (strmap_get(&p->module->function_names, o->name, &o->index)) {
        *kind = OPERAND_FUNCTION;
        return true;
    }
    return err_at(p->err, (struct src_pos){p->module->name, line, column},
                  "unknown name '%s', expected a register, variable, label or function", o->name);
}

static bool resolve_module(struct parser *p)
{
    for (u32 i = 0; i < p->module->function_count; i++) {
        struct ptx_function *f = p->module->functions[i];
        for (u32 k = 0; k < f->statement_count; k++) {
            struct ptx_statement *s = &f->statements[k];
            for (u32 n = 0; n < s->operand_count; n++) {
                struct ptx_operand *o = &s->operands[n];
                if (!resolve_late(p, o, s->line, s->column))
                    return false;
                for (u32 e = 0;
                     (o->kind == OPERAND_VECTOR || o->kind == OPERAND_LIST) && e < o->count; e++) {
                    if (!resolve_late(p, &f->pool[o->index + e], s->line, s->column))
                        return false;
                }
            }
        }
        for (u32 k = 0; k < f->pool_count; k++) {
            if (!resolve_late(p, &f->pool[k], f->line, 1))
                return false;
        }
        for (u32 k = 0; k < f->table_count; k++) {
            for (u32 n = 0; n < f->tables[k].count; n++) {
                if (!resolve_late(p, &f->tables[k].entries[n], f->line, 1))
                    return false;
            }
        }
    }
    return true;
}

struct ptx_module *ptx_parse(const char *name, const char *text, size_t length, struct err *err)
{
    struct ptx_module *m = xrealloc(NULL, sizeof *m);
    *m = (struct ptx_module){.address_bits = 64};
    m->name = arena_strdup(&m->arena, name);
    struct parser p = {.module = m, .err = err};
    lexer_init(&p.lex, m->name, text, length);
    bool ok = lexer_next(&p.lex, err);
    while (ok && p.lex.token.kind != TOKEN_END)
        ok = parse_top(&p) && err->kind == ERR_NONE;
    ok = ok && err->kind == ERR_NONE && resolve_module(&p);
    strmap_fini(&p.scope);
    strmap_fini(&p.label_names);
    map_fini(&p.range_regs);
    if (ok)
        return m;
    if (err->kind == ERR_NONE)
        err_at(err, token_pos(&p.lex), "this is not PTX");
    ptx_module_destroy(m);
    return NULL;
}

void ptx_module_destroy(struct ptx_module *m)
{
    if (!m)
        return;
    strmap_fini(&m->symbol_names);
    strmap_fini(&m->function_names);
    arena_fini(&m->arena);
    free(m);
}

const struct ptx_function *ptx_find_function(const struct ptx_module *m, const char *name)
{
    u32 index;
    return strmap_get(&m->function_names, name, &index) ? m->functions[index] : NULL;
}

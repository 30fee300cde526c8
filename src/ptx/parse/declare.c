/* Declarations of PTX: registers, variables, parameters, initialisers. */
#include "ptx/parse/parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_VARIABLE ((u64)1 << 40)
#define LARGEST_DATA ((u64)1 << 30)
#define LARGEST_LOCAL (512u << 10) /* of a thread, as on hardware */
#define MOST_DIMENSIONS 8

struct declaration *parse_declare(struct parser *p, const char *name)
{
    u32 hidden = PTX_NONE;
    strmap_get(&p->scope, name, &hidden);
    if (p->function && hidden != PTX_NONE && hidden >= p->scope_start) {
        err_at(p->err, token_pos(&p->lex), "'%s' is declared twice", name);
        return NULL;
    }
    PARSE_GROW(&p->module->arena, p->declarations, p->declaration_count, p->declaration_room);
    struct declaration *d = &p->declarations[p->declaration_count];
    *d = (struct declaration){.name = name, .hidden = hidden};
    strmap_put(&p->scope, name, p->declaration_count++);
    return d;
}

void parse_leave_scope(struct parser *p, u32 to)
{
    while (p->declaration_count > to) {
        const struct declaration *d = &p->declarations[--p->declaration_count];
        strmap_put(&p->scope, d->name, d->hidden);
    }
}

u32 parse_add_register(struct parser *p, const char *name, enum type type, u8 vector)
{
    struct ptx_function *f = p->function;
    u32 first = f->reg_count;
    for (u32 i = 0; i < (vector ? vector : 1u); i++) {
        PARSE_GROW(&p->module->arena, f->regs, f->reg_count, f->reg_room);
        f->regs[f->reg_count++] = (struct ptx_reg){name, type, vector};
    }
    return first;
}

/* What a name stands for: a symbol, or a register whose index goes to *reg. */
const struct declaration *parse_lookup(struct parser *p, const char *name, u32 *reg)
{
    u32 index;
    if (strmap_get(&p->scope, name, &index) && index != PTX_NONE &&
        !p->declarations[index].is_range) {
        *reg = p->declarations[index].index;
        return &p->declarations[index];
    }
    size_t n = strlen(name), digits = 0;
    while (digits < n && isdigit((unsigned char)name[n - 1 - digits]))
        digits++;
    if (digits == 0 || digits > 9)
        return NULL;
    char prefix[256];
    if (n - digits >= sizeof prefix)
        return NULL;
    memcpy(prefix, name, n - digits);
    prefix[n - digits] = '\0';
    if (!strmap_get(&p->scope, prefix, &index) || index == PTX_NONE)
        return NULL;
    struct declaration *d = &p->declarations[index];
    u32 number = (u32)strtoul(name + n - digits, NULL, 10);
    if (!d->is_range || number >= d->count || (digits > 1 && name[n - digits] == '0'))
        return NULL;
    u64 key = (u64)d->serial << 32 | number, known;
    if (!map_get(&p->range_regs, key, &known)) {
        known = parse_add_register(p, arena_strdup(&p->module->arena, name), d->type, d->vector);
        map_put(&p->range_regs, key, known);
    }
    *reg = (u32)known;
    return d;
}

bool parse_space(const char *word, enum space *space)
{
    for (int i = 0; i < SPACE_COUNT; i++) {
        if (word[0] == '.' && strcmp(word + 1, space_names[i]) == 0) {
            *space = (enum space)i;
            return true;
        }
    }
    return false;
}

/* .type, with an optional .v2 or .v4 before it */
static bool parse_type(struct parser *p, enum type *type, u8 *vector)
{
    *vector = 0;
    if (parse_accept_word(p, ".v2"))
        *vector = 2;
    else if (parse_accept_word(p, ".v4"))
        *vector = 4;
    *type = TYPE_NONE;
    if (p->lex.token.kind == TOKEN_WORD && p->lex.token.text[0] == '.')
        *type = type_find(p->lex.token.text + 1, p->lex.token.length - 1);
    if (*type == TYPE_NONE)
        return parse_fail(p, "a type such as .u32");
    return lexer_next(&p->lex, p->err);
}

static bool parse_number(struct parser *p, u64 most, u64 *out)
{
    *out = 0;
    if (p->lex.token.kind != TOKEN_INT || p->lex.token.value > most)
        return parse_fail(p, "a whole number");
    *out = p->lex.token.value;
    return lexer_next(&p->lex, p->err);
}

bool parse_registers(struct parser *p)
{
    enum type type;
    u8 vector;
    if (!parse_type(p, &type, &vector))
        return false;
    do {
        const char *name = parse_name(p);
        if (!name)
            return false;
        struct declaration *d = parse_declare(p, name);
        if (!d)
            return false;
        d->type = type;
        d->vector = vector;
        if (!parse_accept(p, '<')) {
            d->index = parse_add_register(p, name, type, vector);
            continue;
        }
        u64 count;
        if (!parse_number(p, 1 << 24, &count) || !parse_punctuation(p, '>'))
            return false;
        d->is_range = true;
        d->count = (u32)count;
        d->serial = p->serials++;
    } while (parse_accept(p, ','));
    return parse_punctuation(p, ';');
}

/* ---- initialisers --------------------------------------------------------------- */

struct initialiser {
    u8 *data;
    u64 used, room;
    struct ptx_symbol *symbol;
    u32 fixup_room;
    u64 row_bytes[MOST_DIMENSIONS + 2]; /* by depth of braces; 0: as many as there are */
    u32 depths;
};

static bool put(struct parser *p, struct initialiser *in, u64 bits, u32 bytes)
{
    if (in->used + bytes > LARGEST_DATA)
        return parse_fail(p, "an initialiser of less than 1 GiB");
    if (!in->data || in->used + bytes > in->room) {
        u64 room = in->room ? in->room * 2 : 64;
        u8 *more = arena_alloc(&p->module->arena, room);
        if (in->used)
            memcpy(more, in->data, in->used);
        in->data = more;
        in->room = room;
    }
    memcpy(in->data + in->used, &bits, bytes);
    in->used += bytes;
    return true;
}

static bool put_address(struct parser *p, struct initialiser *in, const char *name, bool generic,
                        u32 bytes)
{
    struct ptx_symbol *s = in->symbol;
    i64 addend = 0;
    if (bytes != 4 && bytes != 8)
        return err_at(p->err, token_pos(&p->lex), "an address has 32 or 64 bits, '%s' has %u",
                      s->name, 8 * bytes);
    if (token_is(&p->lex, '+') || token_is(&p->lex, '-')) {
        bool minus = token_is(&p->lex, '-');
        u64 v;
        if (!lexer_next(&p->lex, p->err) || !parse_number(p, INT64_MAX, &v))
            return false;
        addend = minus ? -(i64)v : (i64)v;
    }
    PARSE_GROW(&p->module->arena, s->fixups, s->fixup_count, in->fixup_room);
    s->fixups[s->fixup_count++] = (struct ptx_fixup){.offset = (u32)in->used,
                                                     .bytes = (u8)bytes,
                                                     .generic = generic,
                                                     .name = name,
                                                     .addend = addend,
                                                     .line = p->lex.token.line};
    return put(p, in, 0, bytes);
}

/* A number as the bits of a type; false: it cannot be written so. */
static bool number_bits(const struct token *t, enum type type, bool negative, u64 *bits)
{
    const struct type_info *info = &type_info[type];
    double d;
    *bits = negative ? 0 - t->value : t->value;
    if (t->kind == TOKEN_INT && info->class != CLASS_FLOAT)
        return info->bytes <= 8;
    if (t->kind == TOKEN_INT)
        d = (double)(i64)t->value;
    else
        memcpy(&d, &t->value, sizeof d);
    if (negative)
        d = -d;
    memcpy(bits, &d, sizeof d);
    if (info->class != CLASS_FLOAT && info->class != CLASS_BITS)
        return false;
    if (info->bytes == 8)
        return true;
    float f = (float)d;
    u32 word;
    memcpy(&word, &f, sizeof word);
    if (d != d) /* a NaN keeps its payload */
        word = (u32)(*bits >> 32 & 0x80000000u) | 0x7f800000u | (u32)(*bits >> 29 & 0x7fffffu);
    *bits = word;
    return info->bytes == 4;
}

static bool too_large(struct parser *p, const struct ptx_symbol *s)
{
    return err_at(p->err, token_pos(&p->lex), "the initialiser is larger than '%s'", s->name);
}

static bool parse_initial(struct parser *p, struct initialiser *in, enum type type, u32 depth)
{
    u32 bytes = type_info[type].bytes;
    if (depth > 16)
        return parse_fail(p, "fewer nested braces");
    if (parse_accept(p, '{')) {
        u64 start = in->used, row = depth < in->depths ? in->row_bytes[depth] : 0;
        while (!token_is(&p->lex, '}')) {
            if (!parse_initial(p, in, type, depth + 1))
                return false;
            if (!parse_accept(p, ','))
                break;
        }
        if (row && in->used - start > row)
            return too_large(p, in->symbol);
        while (depth && in->used - start < row) {
            if (!put(p, in, 0, 1))
                return false;
        }
        return parse_punctuation(p, '}');
    }
    if (p->lex.token.kind == TOKEN_WORD) {
        bool generic = parse_accept_word(p, "generic");
        if (generic && !parse_punctuation(p, '('))
            return false;
        const char *name = parse_name(p);
        if (!name || (generic && !parse_punctuation(p, ')')))
            return false;
        return put_address(p, in, name, generic, bytes);
    }
    bool negative = parse_accept(p, '-');
    if (p->lex.token.kind != TOKEN_INT && p->lex.token.kind != TOKEN_FLOAT)
        return parse_fail(p, "a value");
    u64 bits;
    if (!number_bits(&p->lex.token, type, negative, &bits))
        return err_at(p->err, token_pos(&p->lex), "'%s' of type %s cannot have this value",
                      in->symbol->name, type_info[type].name);
    return lexer_next(&p->lex, p->err) && put(p, in, bits, bytes);
}

/* ---- variables -------------------------------------------------------------------- */

/* .align N, .attribute(...), .ptr and its own space and alignment */
static bool parse_attributes(struct parser *p, struct ptx_symbol *s)
{
    for (;;) {
        u64 n;
        if (parse_accept_word(p, ".align")) {
            struct src_pos at = token_pos(&p->lex);
            if (!parse_number(p, 1 << 20, &n))
                return false;
            if (n == 0 || (n & (n - 1)))
                return err_at(p->err, at, "alignment %llu is not a power of two",
                              (unsigned long long)n);
            s->align = (u32)n;
        } else if (parse_accept_word(p, ".attribute")) {
            if (!parse_punctuation(p, '('))
                return false;
            while (!token_is(&p->lex, ')')) {
                if (p->lex.token.kind == TOKEN_END)
                    return parse_fail(p, "a closing parenthesis");
                s->is_managed |= token_is_word(&p->lex, ".managed");
                if (!lexer_next(&p->lex, p->err))
                    return false;
            }
            if (!parse_punctuation(p, ')'))
                return false;
        } else {
            return true;
        }
    }
}

/* name, name[N], name[N][M], name[]: the extents, outermost first, go to dims. */
static bool parse_extent(struct parser *p, struct ptx_symbol *s, u32 element_bytes, u64 *dims,
                         u32 *dim_count)
{
    u64 count = 1;
    *dim_count = 0;
    while (parse_accept(p, '[')) {
        u64 n = 0;
        s->is_array = true;
        if (*dim_count == MOST_DIMENSIONS)
            return parse_fail(p, "fewer dimensions");
        if (!token_is(&p->lex, ']') && !parse_number(p, LARGEST_VARIABLE, &n))
            return false;
        if (!parse_punctuation(p, ']'))
            return false;
        if (n && count > LARGEST_VARIABLE / n)
            return parse_fail(p, "a variable of less than 1 TiB");
        count *= n;
        dims[(*dim_count)++] = n;
    }
    s->bytes = count * element_bytes;
    if (s->bytes > LARGEST_VARIABLE)
        return parse_fail(p, "a variable of less than 1 TiB");
    return true;
}

bool parse_param(struct parser *p, struct ptx_symbol *out)
{
    u8 vector = 0;
    struct src_pos at = token_pos(&p->lex);
    *out = (struct ptx_symbol){.space = SPACE_PARAM, .line = p->lex.token.line};
    if (parse_accept_word(p, ".reg"))
        out->space = SPACE_REG;
    else if (!parse_accept_word(p, ".param"))
        return parse_fail(p, ".param or .reg");
    if (!parse_attributes(p, out) || !parse_type(p, &out->type, &vector))
        return false;
    u32 own_align = out->align;
    if (parse_accept_word(p, ".ptr")) {
        enum space space;
        if (p->lex.token.kind == TOKEN_WORD) {
            char word[16] = "";
            if (p->lex.token.length < sizeof word)
                memcpy(word, p->lex.token.text, p->lex.token.length);
            if (parse_space(word, &space) && !lexer_next(&p->lex, p->err))
                return false;
        }
        if (!parse_attributes(p, out)) /* the alignment of what it points to */
            return false;
        out->align = own_align;
    }
    out->name = parse_name(p);
    if (!out->name)
        return false;
    u32 bytes = type_info[out->type].bytes * (vector ? vector : 1u), dim_count;
    if (bytes == 0)
        return err_at(p->err, at, "a parameter cannot be a predicate");
    if (out->align == 0)
        out->align = bytes;
    u64 dims[MOST_DIMENSIONS];
    if (!parse_extent(p, out, bytes, dims, &dim_count))
        return false;
    if (out->space == SPACE_REG && (vector || out->is_array))
        return err_at(p->err, at, "register parameter '%s' is a vector or an array", out->name);
    return true;
}

/* How many bytes each depth of braces stands for. */
static void plan_rows(struct initialiser *in, const u64 *dims, u32 dim_count, u32 type_bytes,
                      u8 vector)
{
    u64 bytes = type_bytes;
    u64 rows[MOST_DIMENSIONS + 1];
    u32 n = 0;
    if (vector)
        rows[n++] = bytes *= vector;
    for (u32 i = dim_count; i-- > 0;)
        rows[n++] = bytes *= dims[i];
    for (u32 i = 0; i < n; i++)
        in->row_bytes[i] = rows[n - 1 - i];
    in->depths = n;
}

static bool parse_value(struct parser *p, struct ptx_symbol *s, const u64 *dims, u32 dim_count,
                        u8 vector)
{
    struct initialiser in = {.symbol = s};
    if ((s->space != SPACE_GLOBAL && s->space != SPACE_CONST) || s->is_extern)
        return err_at(p->err, token_pos(&p->lex), "'%s' cannot have a value: it is %s", s->name,
                      s->is_extern ? "extern" : space_names[s->space]);
    plan_rows(&in, dims, dim_count, type_info[s->type].bytes, vector);
    if (!parse_initial(p, &in, s->type, 0))
        return false;
    if (s->bytes == 0)
        s->bytes = in.used;
    if (in.used > s->bytes)
        return too_large(p, s);
    s->data = in.data; /* what follows is zero */
    s->data_bytes = in.used;
    return true;
}

/* Local variables, and parameters of calls, lie in the function's frame. */
bool parse_place(struct parser *p, struct ptx_symbol *s, u32 *at)
{
    u64 start = ((u64)*at + s->align - 1) & ~(u64)(s->align - 1);
    if (start + s->bytes > LARGEST_LOCAL)
        return err_at(p->err, token_pos(&p->lex),
                      "'%s' makes more than 512 KiB of parameters and local variables", s->name);
    s->offset = start;
    *at = (u32)(start + s->bytes);
    return true;
}

bool parse_variable(struct parser *p, enum space space, const struct ptx_symbol *linkage)
{
    struct ptx_symbol common = linkage ? *linkage : (struct ptx_symbol){0};
    u8 vector;
    common.space = space;
    common.line = p->lex.token.line;
    if (!parse_attributes(p, &common) || !parse_type(p, &common.type, &vector))
        return false;
    u32 bytes = type_info[common.type].bytes * (vector ? vector : 1u);
    if (bytes == 0)
        return err_at(p->err, token_pos(&p->lex), "a variable cannot be a predicate");
    if (!parse_attributes(p, &common))
        return false;
    if (common.align == 0)
        common.align = bytes;
    do {
        struct ptx_symbol *s = ARENA_NEW(&p->module->arena, struct ptx_symbol);
        u64 dims[MOST_DIMENSIONS];
        u32 dim_count;
        *s = common;
        s->name = parse_name(p);
        if (!s->name || !parse_extent(p, s, bytes, dims, &dim_count))
            return false;
        s->owner = p->function;
        s->is_dynamic_shared = space == SPACE_SHARED && s->is_array && s->bytes == 0;
        if (parse_accept(p, '=') && !parse_value(p, s, dims, dim_count, vector))
            return false;
        struct ptx_module *m = p->module;
        PARSE_GROW(&m->arena, m->symbols, m->symbol_count, m->symbol_room);
        m->symbols[m->symbol_count] = s;
        struct declaration *d = parse_declare(p, s->name);
        if (!d)
            return false;
        d->is_symbol = true;
        d->index = m->symbol_count++;
        if (!p->function)
            strmap_put(&m->symbol_names, s->name, d->index);
        else if ((space == SPACE_LOCAL || space == SPACE_PARAM) &&
                 !parse_place(p, s, &p->function->local_bytes))
            return false;
        if (p->function && space == SPACE_LOCAL)
            p->function->variable_bytes += (u32)s->bytes;
    } while (parse_accept(p, ','));
    return parse_punctuation(p, ';');
}

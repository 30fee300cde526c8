/* What the parts of the parser share; see parse.c. */
#ifndef PTX_PARSE_PARSE_H
#define PTX_PARSE_PARSE_H

#include "ptx/parse/lex.h"
#include "ptx/parse/module.h"

/* What a name means where it stands. Braces open scopes; leaving one brings back
 * what its names meant outside. */
struct declaration {
    const char *name; /* of a range %r<9>: "%r" */
    bool is_range, is_symbol;
    enum type type;
    u8 vector;
    u32 count;  /* of a range; its registers come to be when they are used */
    u32 serial; /* of a range: no other declaration has it */
    u32 index;  /* register or symbol */
    u32 hidden; /* declaration with this name further out, or PTX_NONE */
};

/* A label or a table of a function; scopes as for declarations. */
struct label {
    const char *name;
    bool is_table;
    u32 index;  /* statement, or table */
    u32 hidden; /* label with this name further out, or PTX_NONE */
};

struct parser {
    struct lexer lex;
    struct ptx_module *module;
    struct ptx_function *function; /* NULL at module scope */
    struct err *err;
    struct declaration *declarations;
    u32 declaration_count, declaration_room;
    u32 scope_start; /* first declaration of the innermost scope */
    u32 serials;
    struct strmap scope;   /* name -> index of declaration */
    struct map range_regs; /* serial and number -> register */
    struct label *labels;
    u32 label_count, label_room;
    struct strmap label_names; /* name -> index of label */
    u32 depth;                 /* of operands inside operands */
    bool no_unroll;            /* a pragma for the next statement */
};

bool parse_fail(struct parser *p, const char *expected);
bool parse_punctuation(struct parser *p, char c);
/* Moves on if the token is this. */
bool parse_accept(struct parser *p, char c);
bool parse_accept_word(struct parser *p, const char *word);
const char *parse_name(struct parser *p); /* copies the current word and moves on; NULL: failed */

/* declare.c: variables, registers, initialisers */
bool parse_variable(struct parser *p, enum space space, const struct ptx_symbol *linkage);
bool parse_param(struct parser *p, struct ptx_symbol *out);
/* Gives a variable the next place behind *at. */
bool parse_place(struct parser *p, struct ptx_symbol *s, u32 *at);
bool parse_registers(struct parser *p);
/* NULL: the innermost scope has that name already. */
struct declaration *parse_declare(struct parser *p, const char *name);
const struct declaration *parse_lookup(struct parser *p, const char *name, u32 *reg);
void parse_leave_scope(struct parser *p, u32 to);
u32 parse_add_register(struct parser *p, const char *name, enum type type, u8 vector);
bool parse_space(const char *word, enum space *space);

/* statement.c: labels, instructions and operands */
bool parse_body(struct parser *p);
bool parse_signature(struct parser *p, struct ptx_symbol **list, u32 *count);

#define PARSE_GROW(arena, array, count, room)                                                      \
    do {                                                                                           \
        if ((count) == (room)) {                                                                   \
            u32 new_room_ = (room) ? (room)*2 : 16;                                                \
            void *new_ = arena_alloc((arena), new_room_ * sizeof *(array));                        \
            if (count)                                                                             \
                memcpy(new_, (array), (count) * sizeof *(array));                                  \
            (array) = new_;                                                                        \
            (room) = new_room_;                                                                    \
        }                                                                                          \
    } while (0)

#endif

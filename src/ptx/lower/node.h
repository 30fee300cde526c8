/*
 * A function as the lowering sees it: one node per decoded op, with the registers of the
 * PTX text that it reads and writes, and per register the nodes that define and use it.
 *
 * Nothing here changes what the op does; the rules only decide what machine
 * instructions stand for it (docs/mechanisms/lowering.md).
 */
#ifndef PTX_LOWER_NODE_H
#define PTX_LOWER_NODE_H

#include "ptx/decode/control_flow.h"
#include "ptx/decode/modifiers.h"
#include "ptx/lower/machine.h"

/* Opcodes that some rule knows. */
#define LOWER_CODES(X)                                                                             \
    X(ADD, "add")                                                                                  \
    X(SUB, "sub")                                                                                  \
    X(MUL, "mul")                                                                                  \
    X(MAD, "mad")                                                                                  \
    X(FMA, "fma")                                                                                  \
    X(DIV, "div")                                                                                  \
    X(REM, "rem")                                                                                  \
    X(NEG, "neg")                                                                                  \
    X(ABS, "abs")                                                                                  \
    X(MIN, "min")                                                                                  \
    X(MAX, "max")                                                                                  \
    X(AND, "and")                                                                                  \
    X(OR, "or")                                                                                    \
    X(XOR, "xor")                                                                                  \
    X(NOT, "not")                                                                                  \
    X(SHL, "shl")                                                                                  \
    X(SHR, "shr")                                                                                  \
    X(CVT, "cvt")                                                                                  \
    X(CVTA, "cvta")                                                                                \
    X(MOV, "mov")                                                                                  \
    X(SETP, "setp")                                                                                \
    X(SELP, "selp")                                                                                \
    X(LD, "ld")                                                                                    \
    X(LDU, "ldu")                                                                                  \
    X(ST, "st")                                                                                    \
    X(ATOM, "atom")                                                                                \
    X(RED, "red")                                                                                  \
    X(BRA, "bra")                                                                                  \
    X(RET, "ret")                                                                                  \
    X(EXIT, "exit")                                                                                \
    X(SQRT, "sqrt")                                                                                \
    X(RSQRT, "rsqrt")                                                                              \
    X(RCP, "rcp")                                                                                  \
    X(EX2, "ex2")                                                                                  \
    X(LG2, "lg2")                                                                                  \
    X(SIN, "sin")                                                                                  \
    X(COS, "cos")                                                                                  \
    X(TANH, "tanh")                                                                                \
    X(POPC, "popc")                                                                                \
    X(CLZ, "clz")                                                                                  \
    X(BREV, "brev")                                                                                \
    X(BFE, "bfe")                                                                                  \
    X(BFI, "bfi")                                                                                  \
    X(BFIND, "bfind")                                                                              \
    X(LOP3, "lop3")                                                                                \
    X(PRMT, "prmt")                                                                                \
    X(SHF, "shf")                                                                                  \
    X(SAD, "sad")                                                                                  \
    X(MEMBAR, "membar")                                                                            \
    X(FENCE, "fence")                                                                              \
    X(WMMA, "wmma")                                                                                \
    X(LDMATRIX, "ldmatrix")                                                                        \
    X(CP, "cp")                                                                                    \
    X(SLCT, "slct")                                                                                \
    X(SET, "set")                                                                                  \
    X(CNOT, "cnot")

enum lower_code {
    LOWER_OTHER,
#define X(id, name) LOWER_##id,
    LOWER_CODES(X)
#undef X
};

struct node {
    const struct ptx_statement *s; /* NULL: the return behind the text */
    struct mods mods;
    u8 code;
    u8 bytes, class; /* of the type, and of the type converted from */
    u8 from_bytes, from_class;
    u8 read_count, write_count;
    const u32 *reads, *writes; /* registers; the guard is among the reads */
    u32 depth;                 /* loops around it */
    /* what the rules decide */
    u8 count;         /* machine instructions; 0: folded into others */
    u8 fence;         /* more before it, the last of which is a fence: it releases to other SMs */
    u8 control;       /* more before it, of the branch unit: lanes are brought together */
    u8 entry;         /* more before it, where the kernel starts, and for constants */
    u8 trips;         /* more before it, each needing the last: how often an unrolled loop turns */
    u8 turns;         /* of an unrolled loop: it is there once in so many turns; 0: in each */
    u32 unrolled_end; /* of a first op of an unrolled loop, where that ends; 0: it is none */
    i64 step;         /* of such: by what its result differs from turn to turn */
    u8 pieces;        /* memory instructions that its access is made of; 0: one */
    u8 inputs;        /* of one that takes three, how many it has */
    u8 slow;          /* enum lower_slow: what it has to do for some operands besides */
    bool joins;       /* a branch whose lanes, if they part, come together one by one */
    bool taken;       /* a setp that carries a logical operation already */
    u8 atomic;        /* enum lower_atomic */
    u8 shared_atomic; /* enum shared_atomic, of an atomic in shared memory */
    bool inverted;    /* a division, whose divisor's reciprocal is found before the loop */
    bool dead;        /* its results are not read */
    bool is_guard;    /* a branch that became a guard: its region is walked by all lanes */
    u32 region;       /* the outermost such branch around it, or PTX_NONE */
    u32 walk_end; /* of a branch in such a region: lanes that take it walk up to here; 0: nowhere */
    u32 leader;   /* the first of the loads that it is one with, or PTX_NONE */
    u32 same_as;  /* the load before it of the same place, which stands for it, or PTX_NONE */
};

struct value {
    u32 def;         /* of its definitions the first, as an op; PTX_NONE: a parameter */
    u32 defs, uses;  /* how many */
    u32 first_use;   /* in lower.use_list */
    bool divergent;  /* lanes may differ */
    bool narrow;     /* of 64 bits only the lower 32 matter */
    bool zero_upper; /* of 64 bits the upper 32 are always zero */
};

struct lower {
    const struct function *f;
    struct arena *scratch;
    struct graph graph;
    struct node *nodes;
    u32 count;
    struct value *values;
    u32 value_count;
    u32 *use_list; /* ops, by register */
    u64 *live_in;  /* by block, a bit for each register */
};

void lower_analyse(struct lower *l, const struct function *f, struct arena *scratch);

/* The register of an operand; PTX_NONE: it is none. */
u32 lower_register(const struct ptx_operand *o);
const struct ptx_operand *lower_operand(const struct node *n, u32 k);
/* The node that alone defines a register; NULL: there are several, or none. */
struct node *lower_definition(const struct lower *l, u32 reg);
/* Is operand k of an access where it goes to? */
bool lower_is_address(const struct lower *l, const struct node *n, u32 k);
/* An immediate, or a register that only ever holds one. */
bool lower_constant(const struct lower *l, const struct ptx_operand *o, i64 *value);

/* Is operand k of 64 bits a value whose upper half is always zero? */
bool lower_has_zero_upper(const struct lower *l, const struct node *n, u32 k);
/* Is the upper half of its result unused? */
bool lower_is_narrow(const struct lower *l, const struct node *n);
/* Is it a 64-bit integer operation that needs both halves? */
bool lower_is_pair(const struct lower *l, const struct node *n);
/* The definition of operand k if nothing else uses it, in the same block and unguarded: it can
 * become a part of n. */
struct node *lower_only_here(const struct lower *l, const struct node *n, u32 k);
bool lower_is_constant(const struct lower *l, const struct node *n, u32 k);
/* What alone defines operand k, or NULL. */
struct node *lower_source(const struct lower *l, const struct node *n, u32 k);

/* Is a word among its modifiers? */
bool lower_has_word(const struct node *n, const char *word);

static inline u32 lower_index(const struct lower *l, const struct node *n)
{
    return (u32)(n - l->nodes);
}

/* BSSY, and of each turn LDS, the operation, ATOMS.CAST.SPIN, ISETP and BRA. */
#define LOWER_LOOP_INSTRUCTIONS 6u
#define LOWER_MOST_APART 256u /* ops from a load to others that are one with it */

/* Another load brings what it loads. */
static inline bool lower_is_joined(const struct node *n)
{
    return n->leader != PTX_NONE || n->same_as != PTX_NONE;
}

/* The register a node makes, if it makes just one. */
static inline u32 lower_result(const struct node *n)
{
    return n->write_count == 1 ? n->writes[0] : PTX_NONE;
}

static inline bool lower_is_whole(const struct node *n)
{
    return n->class == CLASS_BITS || n->class == CLASS_SIGNED || n->class == CLASS_UNSIGNED;
}

#define EACH_USE(user, l, reg)                                                                     \
    for (u32 at_##user = 0, user;                                                                  \
         at_##user < (l)->values[reg].uses &&                                                      \
         (user = (l)->use_list[(l)->values[reg].first_use + at_##user], true);                     \
         at_##user++)

#endif

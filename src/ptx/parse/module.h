/*
 * PTX as parsed: symbols, functions, and statements with resolved registers.
 *
 * A module is one PTX text. Names are resolved to indices while parsing
 * (registers, scoped by braces) or when the module ends (labels, symbols,
 * functions), so that nothing after this looks at a string again except the
 * opcode and its modifiers. All memory is the module's arena.
 */
#ifndef PTX_PARSE_MODULE_H
#define PTX_PARSE_MODULE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "device/types.h"

#define PTX_NONE UINT32_MAX

struct ptx_function;

/* A value inside an initialiser that is an address, filled in when linked. */
struct ptx_fixup {
    u32 offset; /* in the data */
    u8 bytes;   /* width of the field */
    bool generic;
    const char *name; /* of a variable or function */
    i64 addend;
    u32 line;
};

/* A variable: module scope, function scope, or a parameter. */
struct ptx_symbol {
    const char *name;
    enum space space;
    enum type type;
    u32 align;
    u64 bytes;      /* of the whole variable; 0 for extern shared arrays `[]` */
    const u8 *data; /* initial bytes, the rest is zero; NULL: all of it */
    u64 data_bytes;
    struct ptx_fixup *fixups;
    u32 fixup_count;
    bool is_extern, is_visible, is_weak, is_managed, is_dynamic_shared, is_array;
    u64 offset; /* in its space: param, shared, local; the device address for global and const */
    struct ptx_function *owner; /* function scope, or NULL */
    u32 line;
};

enum operand_kind {
    OPERAND_NONE,
    OPERAND_REG,      /* index into the function's registers */
    OPERAND_SPECIAL,  /* value: enum special */
    OPERAND_INT,      /* value; is_negative when written with a minus */
    OPERAND_FLOAT,    /* value: the bits of a double; exact_f32 when written 0f... */
    OPERAND_SYMBOL,   /* index into symbols, plus value */
    OPERAND_ADDRESS,  /* [base + value]: base is a register or symbol, or none */
    OPERAND_VECTOR,   /* {a, b, c}: index of the first in the operand pool, count */
    OPERAND_LABEL,    /* index: statement */
    OPERAND_FUNCTION, /* index into functions */
    OPERAND_TABLE,    /* index into branch target lists, or prototypes */
    OPERAND_SINK,     /* _ */
    OPERAND_LIST,     /* (a, b) of a call */
};

struct ptx_operand {
    u8 kind;
    u8 base;      /* OPERAND_ADDRESS: kind of its base */
    u8 component; /* of a vector register use: %v.x = 1..4; 0: none */
    bool negated; /* !%p, or -%r where that is legal */
    bool exact_f32;
    u32 index, count;
    i64 value;
    const char *name;     /* of a label, symbol or function until it is resolved */
    const char *selector; /* of a video operand: "b0", "h10" */
};

struct ptx_reg {
    const char *name;
    enum type type;
    u8 vector; /* 0, 2 or 4 */
};

#define PTX_MOST_MODIFIERS 14

struct ptx_statement {
    const char *opcode;                        /* "add" */
    const char *modifiers[PTX_MOST_MODIFIERS]; /* "rn", "ftz", "f32" */
    u8 modifier_count;
    bool guard_negated;
    bool no_unroll; /* a loop that starts here is not to be unrolled: .pragma "nounroll" */
    u32 guard;      /* register, or PTX_NONE */
    struct ptx_operand *operands;
    u32 operand_count;
    u32 line, column;
};

/* A list of labels for brx.idx, or of functions / a prototype for indirect calls. */
struct ptx_table {
    const char *name;
    struct ptx_operand *entries;
    u32 count;
    bool is_prototype;
    struct ptx_symbol *returns, *params; /* of a prototype */
    u32 return_count, param_count;
};

struct ptx_function {
    const char *name;
    bool is_entry, is_extern, is_visible, is_weak;
    struct ptx_symbol *params, *returns;
    u32 param_count, return_count;
    u32 param_bytes; /* of an entry: the argument buffer */
    struct ptx_reg *regs;
    u32 reg_count, reg_room;
    struct ptx_statement *statements;
    u32 statement_count, statement_room;
    struct ptx_table *tables;
    u32 table_count, table_room;
    struct ptx_operand *pool; /* vector elements and lists */
    u32 pool_count, pool_room;
    u32 max_threads[3]; /* .maxntid, 0: none */
    u32 required_threads[3];
    u32 min_blocks, max_registers;
    u32 cluster[3];                /* .reqnctapercluster, 0: none */
    u32 shared_bytes, local_bytes; /* of its own static variables */
    u32 variable_bytes;            /* of local_bytes: .local variables, not parameters */
    u32 line;
};

/* Registers of a thread that ptxas may use: as .maxnreg says, and so that a block of as many
 * threads as the kernel says, or as many such blocks, fit on an SM. */
static inline u32 ptx_most_registers(const struct ptx_function *f)
{
    const u32 *size = f->max_threads[0] ? f->max_threads : f->required_threads;
    u32 blocks = f->min_blocks ? f->min_blocks : 1, warps = (size[0] * size[1] * size[2] + 31) / 32;
    u32 most = 255, of_warp = 65536 / 32;
    if (warps && of_warp / (warps * blocks) < most)
        most = of_warp / (warps * blocks) / 8 * 8;
    most = most < 16 ? 16 : most;
    return f->max_registers && f->max_registers < most ? f->max_registers : most;
}

struct ptx_module {
    struct arena arena;
    const char *name; /* for messages */
    u32 version;      /* 90 for 9.0 */
    u32 target;       /* 75 for sm_75 */
    u32 address_bits;
    bool has_debug;
    struct ptx_symbol **symbols;
    u32 symbol_count, symbol_room;
    struct ptx_function **functions;
    u32 function_count, function_room;
    struct strmap symbol_names, function_names; /* module scope */
};

/* %tid.x and the like; see special.c. */
enum special {
    SPECIAL_TID_X,
    SPECIAL_TID_Y,
    SPECIAL_TID_Z,
    SPECIAL_NTID_X,
    SPECIAL_NTID_Y,
    SPECIAL_NTID_Z,
    SPECIAL_CTAID_X,
    SPECIAL_CTAID_Y,
    SPECIAL_CTAID_Z,
    SPECIAL_NCTAID_X,
    SPECIAL_NCTAID_Y,
    SPECIAL_NCTAID_Z,
    SPECIAL_LANEID,
    SPECIAL_WARPID,
    SPECIAL_NWARPID,
    SPECIAL_SMID,
    SPECIAL_NSMID,
    SPECIAL_GRIDID,
    SPECIAL_LANEMASK_EQ,
    SPECIAL_LANEMASK_LE,
    SPECIAL_LANEMASK_LT,
    SPECIAL_LANEMASK_GE,
    SPECIAL_LANEMASK_GT,
    SPECIAL_CLOCK,
    SPECIAL_CLOCK_HI,
    SPECIAL_CLOCK64,
    SPECIAL_GLOBALTIMER,
    SPECIAL_GLOBALTIMER_LO,
    SPECIAL_GLOBALTIMER_HI,
    SPECIAL_DYNAMIC_SMEM_SIZE,
    SPECIAL_TOTAL_SMEM_SIZE,
    SPECIAL_AGGR_SMEM_SIZE,
    SPECIAL_CURRENT_GRAPH_EXEC,
    SPECIAL_RESERVED_SMEM_BEGIN,
    SPECIAL_RESERVED_SMEM_END,
    SPECIAL_RESERVED_SMEM_CAP,
    SPECIAL_RESERVED_SMEM_0,
    SPECIAL_RESERVED_SMEM_1,
    SPECIAL_ENVREG0,
    SPECIAL_ENVREG31 = SPECIAL_ENVREG0 + 31,
    SPECIAL_WARP_SIZE,
    SPECIAL_CLUSTERID_X,
    SPECIAL_CLUSTERID_Y,
    SPECIAL_CLUSTERID_Z,
    SPECIAL_NCLUSTERID_X,
    SPECIAL_NCLUSTERID_Y,
    SPECIAL_NCLUSTERID_Z,
    SPECIAL_CLUSTER_CTAID_X,
    SPECIAL_CLUSTER_CTAID_Y,
    SPECIAL_CLUSTER_CTAID_Z,
    SPECIAL_CLUSTER_NCTAID_X,
    SPECIAL_CLUSTER_NCTAID_Y,
    SPECIAL_CLUSTER_NCTAID_Z,
    SPECIAL_CLUSTER_CTARANK,
    SPECIAL_CLUSTER_NCTARANK,
    SPECIAL_IS_EXPLICIT_CLUSTER,
    SPECIAL_PM, /* %pm0 to %pm7, %pm0_64 to %pm7_64: known, but refused where they are read */
    SPECIAL_COUNT,
};

struct special_info {
    const char *name; /* without the percent sign */
    u8 bytes;         /* 4 or 8; 0: a predicate */
    bool changes;     /* differs between two reads by one thread */
};
extern const struct special_info special_info[SPECIAL_COUNT];
u8 special_bytes(u32 special); /* also of %envreg0 to 31, which have no rows */

/* Parses a whole text; `name` is what messages call it. NULL and err on failure. */
struct ptx_module *ptx_parse(const char *name, const char *text, size_t length, struct err *err);
void ptx_module_destroy(struct ptx_module *m);

const struct ptx_function *ptx_find_function(const struct ptx_module *m, const char *name);

#endif

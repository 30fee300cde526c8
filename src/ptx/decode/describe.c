/* What the timing model may know of an instruction before it executes: see
 * source/warp_instruction.h. */
#include "ptx/decode/decode.h"
#include "ptx/decode/describe.h"

#include <stdlib.h>
#include <string.h>

/* What an opcode is beyond arithmetic; what is in no row follows from its unit. */
static const struct {
    const char *opcode, *first_modifier; /* NULL: any */
    u8 kind;
} kinds[] = {
    {"ld", NULL, WINST_LOAD},
    {"ldu", NULL, WINST_LOAD},
    {"ldmatrix", NULL, WINST_LOAD},
    {"st", NULL, WINST_STORE},
    {"stmatrix", NULL, WINST_STORE},
    {"wmma", "load", WINST_LOAD},
    {"wmma", "store", WINST_STORE},
    {"atom", NULL, WINST_ATOMIC},
    {"red", NULL, WINST_ATOMIC},
    {"mbarrier", NULL, WINST_LOAD}, /* lanes at one barrier are one access, unlike an atomic's */
    {"tensormap", NULL, WINST_STORE},
    {"tex", NULL, WINST_TEXTURE},
    {"tld4", NULL, WINST_TEXTURE},
    {"suld", NULL, WINST_LOAD},
    {"sust", NULL, WINST_STORE},
    {"prefetch", NULL, WINST_PREFETCH},
    {"prefetchu", NULL, WINST_PREFETCH},
    {"membar", NULL, WINST_FENCE},
    {"fence", NULL, WINST_FENCE},
    {"nanosleep", NULL, WINST_SLEEP},
    {"wgmma", "mma_async", WINST_GROUP_MMA},
    {"wgmma", "commit_group", WINST_GROUP_COMMIT},
    {"wgmma", "wait_group", WINST_GROUP_WAIT},
    {"bar", NULL, WINST_BARRIER},
    {"barrier", NULL, WINST_BARRIER},
};

/* By the first letters of an opcode; PTX names the operation itself. */
static const struct {
    const char *start;
    u8 cost;
} costs[] = {
    {"min", COST_SELECT},        {"max", COST_SELECT},       {"mul", COST_MULTIPLY},
    {"mad", COST_MULTIPLY_ADD},  {"fma", COST_MULTIPLY_ADD}, {"dp2a", COST_MULTIPLY_ADD},
    {"dp4a", COST_MULTIPLY_ADD}, {"sad", COST_MULTIPLY_ADD}, {"div", COST_DIVIDE},
    {"shfl", COST_SHUFFLE},      {"rem", COST_DIVIDE},       {"sqrt", COST_DIVIDE},
};

static bool has_word(const struct ptx_statement *s, const char *word)
{
    for (u32 i = 0; i < s->modifier_count; i++) {
        if (strcmp(s->modifiers[i], word) == 0)
            return true;
    }
    return false;
}

static u8 copy_kind(const struct ptx_statement *s)
{
    if (has_word(s, "commit_group"))
        return WINST_ASYNC_COMMIT;
    if (has_word(s, "wait_group") || has_word(s, "wait_all"))
        return WINST_ASYNC_WAIT;
    if (has_word(s, "bulk"))
        return has_word(s, "prefetch") && !has_word(s, "tensor") ? WINST_PREFETCH : WINST_TRANSFER;
    if (has_word(s, "prefetch"))
        return WINST_PREFETCH;
    return has_word(s, "mbarrier") ? WINST_ATOMIC : WINST_ASYNC_COPY;
}

static u8 kind_of(const struct ptx_statement *s, const struct op *op)
{
    switch ((enum op_kind)op->kind) {
    case OP_BRANCH:
    case OP_BRANCH_TABLE:
    case OP_CALL:
    case OP_RETURN:
        return WINST_CONTROL;
    case OP_EXIT:
    case OP_TRAP:
        return WINST_EXIT;
    default:
        break;
    }
    if (!s)
        return WINST_ARITHMETIC;
    if (strcmp(s->opcode, "cp") == 0)
        return copy_kind(s);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        const char *first = kinds[i].first_modifier;
        if (strcmp(kinds[i].opcode, s->opcode) == 0 &&
            (!first || (s->modifier_count && strcmp(s->modifiers[0], first) == 0)))
            return kinds[i].kind;
    }
    return WINST_ARITHMETIC;
}

static u8 cost_of(const struct ptx_statement *s)
{
    for (size_t i = 0; s && i < ARRAY_LEN(costs); i++) {
        if (strncmp(s->opcode, costs[i].start, strlen(costs[i].start)) == 0)
            return costs[i].cost;
    }
    return COST_SIMPLE;
}

static u8 cache_operator_of(const struct ptx_statement *s, const struct op *op)
{
    u64 strong = MOD_VOLATILE | MOD_RELAXED | MOD_ACQUIRE | MOD_RELEASE | MOD_MMIO;
    if (op->flags & strong || has_word(s, "cv"))
        return CACHE_VOLATILE;
    if (has_word(s, "cg"))
        return CACHE_GLOBAL;
    return has_word(s, "cs") || has_word(s, "L1::evict_first") ? CACHE_STREAM : CACHE_ALL;
}

/* Bytes that one lane moves, for a wait the groups that may be left, for a fence whom it is for. */
static u8 bytes_of(const struct ptx_statement *s, const struct op *op, u8 kind)
{
    if (kind == WINST_ASYNC_WAIT)
        return has_word(s, "wait_group") && s->operand_count && s->operands[0].kind == OPERAND_INT
                   ? (u8)min_u64((u64)s->operands[0].value, 255)
                   : 0;
    if (kind == WINST_FENCE)
        return has_word(s, "gl") || has_word(s, "gpu") || has_word(s, "sys") ? FENCE_WIDE : 0;
    if (kind == WINST_ASYNC_COPY)
        return s->operand_count > 2 && s->operands[2].kind == OPERAND_INT ? (u8)s->operands[2].value
                                                                          : 16;
    if (strcmp(s->opcode, "ldmatrix") == 0 || strcmp(s->opcode, "stmatrix") == 0 ||
        strcmp(s->opcode, "wmma") == 0)
        return 16;
    if (strcmp(s->opcode, "mbarrier") == 0 || strcmp(s->opcode, "cp") == 0)
        return 8;
    u32 bytes = op->access_bytes ? op->access_bytes : 4;
    return (u8)(bytes * (op->list_count ? op->list_count : 1));
}

/* Of a warp-group product its columns by eights, of a wait the groups that may be left. */
static u8 group_bytes(const struct ptx_statement *s, u8 kind)
{
    u32 columns = 0;
    for (u32 i = 0; kind == WINST_GROUP_MMA && i < s->modifier_count; i++) {
        const char *n = s->modifiers[i][0] == 'm' ? strchr(s->modifiers[i], 'n') : NULL;
        columns = n ? (u32)strtoul(n + 1, NULL, 10) : columns;
    }
    if (kind == WINST_GROUP_WAIT && s->operand_count && s->operands[0].kind == OPERAND_INT)
        return (u8)min_u64((u64)s->operands[0].value, 255);
    return (u8)(columns / 8);
}

static u8 group_operands_of(const struct ptx_statement *s)
{
    bool in_registers = s->operand_count > 1 && s->operands[1].kind == OPERAND_VECTOR;
    return (u8)((in_registers ? 0 : GROUP_A_SHARED) | (has_word(s, "sp") ? GROUP_SPARSE : 0));
}

static u8 space_of(const struct ptx_statement *s, const struct op *op)
{
    struct mods mods;
    mods_read(s, &mods);
    if (strcmp(s->opcode, "mbarrier") == 0)
        return SPACE_SHARED;
    if (strcmp(s->opcode, "cp") == 0)
        return has_word(s, "mbarrier") ? SPACE_SHARED : SPACE_GLOBAL;
    if (mods.has_space && mods.space == SPACE_CONST)
        return SPACE_CONST;
    bool is_image = strncmp(s->opcode, "su", 2) == 0 ||
                    (s->opcode[0] == 't' && strcmp(s->opcode, "tensormap") != 0);
    return is_image ? SPACE_GLOBAL : op->space;
}

/* Registers that the op touches, as the function numbers them: written ones first. */
static void list_registers(struct program *p, const struct function *f, u32 op, const u32 *number,
                           struct instruction *out)
{
    u32 first = f->touched_start[op], end = f->touched_start[op + 1];
    u16 *regs = ARENA_ARRAY(&p->arena, u16, end - first + 1);
    u32 count = 0;
    for (u32 pass = 0; pass < 2; pass++) {
        u32 wanted = pass == 0 ? REF_WRITTEN : 0;
        for (u32 k = first; k < end && count < UINT8_MAX; k++) {
            if ((f->touched[k] & REF_WRITTEN) == wanted)
                regs[count++] = (u16)number[(f->touched[k] & ~REF_WRITTEN) / 4];
        }
        if (pass == 0)
            out->dst_count = (u8)count;
    }
    out->src_count = (u8)(count - out->dst_count);
    out->regs = regs;
}

void function_describe(struct program *p, struct function *f, struct arena *scratch)
{
    const struct ptx_function *source = f->source;
    u32 *number = ARENA_ARRAY(scratch, u32, f->frame_bytes / 4 + 1);
    u32 places = 0; /* registers that share one are one to the scoreboard, as in hardware */
    f->place_bytes = ARENA_ARRAY(&p->arena, u8, f->frame_bytes / 4 + 1);
    for (u32 i = 0; i < source->reg_count; i++) {
        u32 *n = &number[f->reg_refs[i] / 4];
        *n = *n ? *n : ++places;
        f->place_bytes[f->reg_refs[i] / 4] = type_info[source->regs[i].type].bytes;
    }
    f->instructions = ARENA_ARRAY(&p->arena, struct instruction, f->op_count);
    for (u32 i = 0; i < f->op_count; i++) {
        const struct ptx_statement *s = i < source->statement_count ? &source->statements[i] : NULL;
        const struct op *op = &f->ops[i];
        struct instruction *out = &f->instructions[i];
        *out = (struct instruction){.pc = p->code_start + (u64)INSTRUCTION_BYTES * p->code_count++,
                                    .kind = kind_of(s, op),
                                    .unit = op->unit,
                                    .cost = cost_of(s)};
        if (s && op->unit == UNIT_MEMORY) {
            out->space = space_of(s, op);
            out->bytes = bytes_of(s, op, out->kind);
            out->cache_operator = cache_operator_of(s, op);
        }
        if (s && strcmp(s->opcode, "wgmma") == 0)
            out->bytes = group_bytes(s, out->kind);
        if (out->kind == WINST_GROUP_MMA)
            out->cache_operator = group_operands_of(s);
        list_registers(p, f, i, number, out);
        if (out->kind == WINST_GROUP_MMA) /* nobody's registers wait for it */
            out->dst_count = out->src_count = 0;
    }
    if (places + 1 > p->most_registers)
        p->most_registers = places + 1;
}

#include "cpu_trace/record/decode.h"

#include <stdlib.h>
#include <string.h>

static bool starts(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static bool is_numbered(const char *name)
{
    return name[1] >= '0' && name[1] <= '9';
}

u8 decode_arm_register(const char *name)
{
    if (strcmp(name, "sp") == 0 || strcmp(name, "wsp") == 0)
        return CPU_REG_STACK;
    if (strcmp(name, "nzcv") == 0)
        return CPU_REG_FLAGS;
    /* x29 and x30 have names of their own */
    if (strcmp(name, "fp") == 0 || strcmp(name, "lr") == 0)
        return (u8)(CPU_REG_ARM + (name[0] == 'f' ? 29 : 30));
    if ((name[0] == 'x' || name[0] == 'w') && is_numbered(name))
        return (u8)(CPU_REG_ARM + strtoul(name + 1, NULL, 10));
    if (strchr("vqdshb", name[0]) && is_numbered(name))
        return (u8)(CPU_REG_VECTOR + strtoul(name + 1, NULL, 10));
    return CPU_REG_NONE; /* the zero register */
}

/* clang-format off */
static const struct decode_row branch_rows[] = {
    {"b.", CPU_CONDITIONAL}, {"cbz", CPU_CONDITIONAL}, {"cbnz", CPU_CONDITIONAL}, {"tbz", CPU_CONDITIONAL}, {"tbnz", CPU_CONDITIONAL},
    {"blr", CPU_INDIRECT_CALL}, {"bl", CPU_CALL}, {"br", CPU_INDIRECT_JUMP}, {"ret", CPU_RETURN},
    {NULL, 0},
};

/* Atomic ones come first; they end before "ld" and "st" match. */
static const struct decode_row rows[] = {
    {"ldadd", CPU_ALU}, {"ldclr", CPU_ALU}, {"ldset", CPU_ALU}, {"ldeor", CPU_ALU}, {"ldsmax", CPU_ALU}, {"ldsmin", CPU_ALU},
    {"ldumax", CPU_ALU}, {"ldumin", CPU_ALU}, {"stadd", CPU_ALU}, {"swp", CPU_ALU}, {"cas", CPU_ALU},
    {"ld", CPU_LOAD}, {"st", CPU_STORE},
    {"madd", CPU_MUL}, {"msub", CPU_MUL}, {"mul", CPU_MUL}, {"mneg", CPU_MUL}, {"smadd", CPU_MUL}, {"smsub", CPU_MUL}, {"smull", CPU_MUL},
    {"smulh", CPU_MUL}, {"umadd", CPU_MUL}, {"umsub", CPU_MUL}, {"umull", CPU_MUL}, {"umulh", CPU_MUL}, {"smnegl", CPU_MUL}, {"umnegl", CPU_MUL},
    {"sdiv", CPU_DIV}, {"udiv", CPU_DIV},
    {"nop", CPU_NOP}, {"hint", CPU_NOP}, {"prfm", CPU_NOP}, {"prfum", CPU_NOP}, {"yield", CPU_NOP}, {"bti", CPU_NOP}, {"paci", CPU_NOP}, {"auti", CPU_NOP},
    {"svc", CPU_SYSTEM}, {"dmb", CPU_SYSTEM}, {"dsb", CPU_SYSTEM}, {"isb", CPU_SYSTEM}, {"mrs", CPU_SYSTEM}, {"msr", CPU_SYSTEM},
    {"brk", CPU_SYSTEM}, {"dc ", CPU_SYSTEM}, {"ic ", CPU_SYSTEM}, {"sys", CPU_SYSTEM}, {"clrex", CPU_SYSTEM},
    {NULL, 0},
};

static const struct decode_row float_rows[] = {
    {"fmadd", CPU_FP_FMA}, {"fmsub", CPU_FP_FMA}, {"fnmadd", CPU_FP_FMA}, {"fnmsub", CPU_FP_FMA}, {"fmla", CPU_FP_FMA}, {"fmls", CPU_FP_FMA},
    {"fmul", CPU_FP_MUL}, {"fnmul", CPU_FP_MUL},
    {"fdiv", CPU_FP_DIV}, {"fsqrt", CPU_FP_DIV}, {"frecp", CPU_FP_DIV}, {"frsqr", CPU_FP_DIV},
    {"fmov", CPU_SIMD}, {"fcsel", CPU_SIMD}, {"f", CPU_FP_ADD}, {"scvtf", CPU_FP_ADD}, {"ucvtf", CPU_FP_ADD},
    {NULL, 0},
};
/* clang-format on */

static bool uses_vectors(const struct cpu_instruction *f)
{
    bool found = false;
    for (u32 i = 0; i < f->source_count; i++)
        found |= f->sources[i] >= CPU_REG_VECTOR;
    for (u32 i = 0; i < f->destination_count; i++)
        found |= f->destinations[i] >= CPU_REG_VECTOR;
    return found;
}

static u8 branch_of(const cs_insn *insn, u64 *target)
{
    const cs_arm64 *a = &insn->detail->arm64;
    u8 kind =
        strcmp(insn->mnemonic, "b") == 0 ? CPU_JUMP : decode_class(branch_rows, insn->mnemonic);
    if (kind == CPU_CLASS_COUNT || insn->id == ARM64_INS_BRK)
        return CPU_NO_BRANCH;
    for (u32 i = 0; i < a->op_count; i++) {
        if (a->operands[i].type == ARM64_OP_IMM) /* the last one: tbz has a bit before it */
            *target = (u64)a->operands[i].imm;
    }
    return kind;
}

static u8 class_of(const cs_insn *insn, const struct cpu_instruction *f)
{
    u8 class = decode_class(rows, insn->mnemonic);
    bool is_memory = class == CPU_LOAD || class == CPU_STORE;
    if (!uses_vectors(f) || is_memory)
        return class == CPU_CLASS_COUNT ? CPU_ALU : class;
    class = decode_class(float_rows, insn->mnemonic);
    return class == CPU_CLASS_COUNT ? CPU_SIMD : class;
}

static bool has_memory_operand(const cs_insn *insn)
{
    const cs_arm64 *a = &insn->detail->arm64;
    for (u32 i = 0; i < a->op_count; i++) {
        if (a->operands[i].type == ARM64_OP_MEM)
            return true;
    }
    return false;
}

/* ---- registers ---- */

/* What an instruction does with its first operands; the others are read. The library (4.0) takes
 * the first for written even in comparisons. */
enum { READ_ALL = 0, WRITE_ONE = 1, WRITE_TWO = 2, WRITE_ALL = 7, UPDATE_ONE = 8, READ_WRITE = 16 };

/* clang-format off */
static const struct decode_row operand_rows[] = {
    {"cmp", READ_ALL}, {"cmn", READ_ALL}, {"tst", READ_ALL}, {"ccmp", READ_ALL}, {"ccmn", READ_ALL}, {"fcmp", READ_ALL}, {"fccmp", READ_ALL},
    {"b", READ_ALL}, {"cbz", READ_ALL}, {"cbnz", READ_ALL}, {"tbz", READ_ALL}, {"tbnz", READ_ALL}, {"ret", READ_ALL}, {"msr", READ_ALL},
    {"stxr", WRITE_ONE}, {"stlxr", WRITE_ONE}, {"stxp", WRITE_ONE}, {"stlxp", WRITE_ONE}, {"st", READ_ALL},
    {"ldadd", READ_WRITE}, {"ldclr", READ_WRITE}, {"ldset", READ_WRITE}, {"ldeor", READ_WRITE}, {"ldsm", READ_WRITE}, {"ldum", READ_WRITE},
    {"swp", READ_WRITE}, {"cas", UPDATE_ONE},
    {"ldp", WRITE_TWO}, {"ldnp", WRITE_TWO}, {"ldxp", WRITE_TWO}, {"ldaxp", WRITE_TWO},
    {"ld1", WRITE_ALL}, {"ld2", WRITE_ALL}, {"ld3", WRITE_ALL}, {"ld4", WRITE_ALL},
    {"movk", UPDATE_ONE}, {"bfi", UPDATE_ONE}, {"bfxil", UPDATE_ONE}, {"bfm", UPDATE_ONE}, {"ins", UPDATE_ONE}, {"mla", UPDATE_ONE}, {"mls", UPDATE_ONE},
    {"fmla", UPDATE_ONE}, {"fmls", UPDATE_ONE}, {"sli", UPDATE_ONE}, {"sri", UPDATE_ONE}, {"tbx", UPDATE_ONE}, {"bit", UPDATE_ONE},
    {"bif", UPDATE_ONE}, {"bsl", UPDATE_ONE}, {"aes", UPDATE_ONE}, {"sha", UPDATE_ONE},
    {"", WRITE_ONE},
    {NULL, 0},
};
/* clang-format on */

static u8 rule_of(const cs_insn *insn)
{
    /* bic and bics are no branches, and begin like one */
    u8 rule = decode_class(operand_rows, insn->mnemonic);
    bool is_branch = insn->mnemonic[0] == 'b' && strchr(".lr", insn->mnemonic[1]);
    return insn->mnemonic[0] == 'b' && rule == READ_ALL && !is_branch ? WRITE_ONE : rule;
}

static void add_register(struct cpu_instruction *f, u8 rule, u32 position, u8 reg)
{
    bool writes = rule == READ_WRITE   ? position == 1
                  : rule == UPDATE_ONE ? position == 0
                                       : position < rule;
    bool reads = !writes || rule == UPDATE_ONE;
    if (reads)
        decode_add_source(f, reg);
    if (writes)
        decode_add_destination(f, reg);
}

static void add_registers(const struct decoder *d, const cs_insn *insn, struct cpu_instruction *f)
{
    const cs_arm64 *a = &insn->detail->arm64;
    u8 rule = rule_of(insn);
    u32 position = 0;
    for (u32 i = 0; i < a->op_count; i++) {
        const cs_arm64_op *o = &a->operands[i];
        if (o->type == ARM64_OP_REG) {
            add_register(f, rule, position++, d->registers[o->reg]);
        } else if (o->type == ARM64_OP_MEM) {
            decode_add_source(f, d->registers[o->mem.base]);
            decode_add_source(f, d->registers[o->mem.index]);
            if (a->writeback)
                decode_add_destination(f, d->registers[o->mem.base]);
        }
    }
    if (a->update_flags)
        decode_add_destination(f, CPU_REG_FLAGS);
    if (a->cc != ARM64_CC_INVALID && a->cc != ARM64_CC_AL && a->cc != ARM64_CC_NV)
        decode_add_source(f, CPU_REG_FLAGS);
}

void decode_arm(struct decoder *d, const cs_insn *insn, struct decoded *out)
{
    struct cpu_instruction *f = &out->fixed;
    add_registers(d, insn, f);
    f->branch = branch_of(insn, &f->target);
    f->class = f->branch ? CPU_BRANCH : class_of(insn, f);
    if (f->branch == CPU_CALL || f->branch == CPU_INDIRECT_CALL)
        decode_add_destination(f, CPU_REG_ARM + 30);
    if (f->branch == CPU_RETURN)
        decode_add_source(f, CPU_REG_ARM + 30);
    out->accesses = has_memory_operand(insn) && (f->class == CPU_LOAD || f->class == CPU_STORE);
    out->is_atomic = starts(insn->mnemonic, "ldx") || starts(insn->mnemonic, "ldax") ||
                     starts(insn->mnemonic, "stx") || starts(insn->mnemonic, "stlx") ||
                     starts(insn->mnemonic, "cas") || starts(insn->mnemonic, "swp") ||
                     (f->class == CPU_ALU && has_memory_operand(insn));
}

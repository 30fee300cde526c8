#include "cpu_trace/record/decode.h"

#include <stdlib.h>
#include <string.h>

/* ---- registers ---- */

/* In the order of CPU_REG_GENERAL. */
static const char *const general[][5] = {
    {"rdi", "edi", "di", "dil"},      {"rsi", "esi", "si", "sil"},
    {"rbp", "ebp", "bp", "bpl"},      {"rsp", "esp", "sp", "spl"},
    {"rbx", "ebx", "bx", "bl", "bh"}, {"rdx", "edx", "dx", "dl", "dh"},
    {"rcx", "ecx", "cx", "cl", "ch"}, {"rax", "eax", "ax", "al", "ah"},
};

static bool starts(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

u8 decode_x86_register(const char *name)
{
    for (u32 i = 0; i < ARRAY_LEN(general); i++) {
        for (u32 k = 0; k < ARRAY_LEN(general[i]); k++) {
            if (general[i][k] && strcmp(general[i][k], name) == 0)
                return (u8)(CPU_REG_GENERAL + i);
        }
    }
    if (name[0] == 'r' && name[1] >= '0' && name[1] <= '9')
        return (u8)(CPU_REG_GENERAL + strtoul(name + 1, NULL, 10));
    if (strchr("xyz", name[0]) && starts(name + 1, "mm"))
        return (u8)(CPU_REG_VECTOR + strtoul(name + 3, NULL, 10) % 32);
    if (starts(name, "st") || starts(name, "mm"))
        return (u8)(CPU_REG_X87 + (name[2] == '(' ? name[3] - '0' : name[2] ? name[2] - '0' : 0));
    if (name[0] == 'k' && name[1] >= '0' && name[1] <= '7')
        return (u8)(CPU_REG_MASK + name[1] - '0');
    if (strcmp(name, "rflags") == 0 || strcmp(name, "flags") == 0 || strcmp(name, "eflags") == 0)
        return CPU_REG_FLAGS;
    if (strcmp(name, "fs") == 0 || strcmp(name, "gs") == 0)
        return CPU_REG_SEGMENT;
    return CPU_REG_NONE; /* rip, other segments, control registers */
}

/* ---- classes ---- */

/* clang-format off */
static const struct decode_row integer_rows[] = {
    {"mulx", CPU_MUL}, {"mul", CPU_MUL}, {"imul", CPU_MUL}, {"div", CPU_DIV}, {"idiv", CPU_DIV},
    {"nop", CPU_NOP}, {"endbr", CPU_NOP}, {"prefetch", CPU_NOP}, {"pause", CPU_NOP},
    {"syscall", CPU_SYSTEM}, {"sysenter", CPU_SYSTEM}, {"int", CPU_SYSTEM}, {"mfence", CPU_SYSTEM}, {"lfence", CPU_SYSTEM},
    {"sfence", CPU_SYSTEM}, {"cpuid", CPU_SYSTEM}, {"rdtsc", CPU_SYSTEM}, {"xgetbv", CPU_SYSTEM}, {"xsave", CPU_SYSTEM},
    {"xrstor", CPU_SYSTEM}, {"fxsave", CPU_SYSTEM}, {"fxrstor", CPU_SYSTEM}, {"ud2", CPU_SYSTEM}, {"hlt", CPU_SYSTEM},
    {"ldmxcsr", CPU_SYSTEM}, {"stmxcsr", CPU_SYSTEM},
    {NULL, 0},
};

/* Of SSE and AVX, without the v, when the name ends with ss, sd, ps or pd. */
static const struct decode_row float_rows[] = {
    {"fmadd", CPU_FP_FMA}, {"fmsub", CPU_FP_FMA}, {"fnmadd", CPU_FP_FMA}, {"fnmsub", CPU_FP_FMA}, {"fmaddsub", CPU_FP_FMA},
    {"mul", CPU_FP_MUL}, {"dp", CPU_FP_MUL},
    {"div", CPU_FP_DIV}, {"sqrt", CPU_FP_DIV}, {"rsqrt", CPU_FP_DIV}, {"rcp", CPU_FP_DIV},
    {"add", CPU_FP_ADD}, {"sub", CPU_FP_ADD}, {"min", CPU_FP_ADD}, {"max", CPU_FP_ADD}, {"cmp", CPU_FP_ADD}, {"comis", CPU_FP_ADD},
    {"ucomis", CPU_FP_ADD}, {"cvt", CPU_FP_ADD}, {"round", CPU_FP_ADD}, {"hadd", CPU_FP_ADD}, {"hsub", CPU_FP_ADD},
    {NULL, 0},
};

static const struct decode_row x87_rows[] = {
    {"fmul", CPU_FP_MUL}, {"fimul", CPU_FP_MUL},
    {"fdiv", CPU_FP_DIV}, {"fidiv", CPU_FP_DIV}, {"fsqrt", CPU_FP_DIV}, {"fprem", CPU_FP_DIV}, {"fsin", CPU_FP_DIV},
    {"fcos", CPU_FP_DIV}, {"fptan", CPU_FP_DIV}, {"fpatan", CPU_FP_DIV}, {"fyl2x", CPU_FP_DIV}, {"f2xm1", CPU_FP_DIV},
    {"fscale", CPU_FP_DIV},
    {"", CPU_FP_ADD},
    {NULL, 0},
};

/* Nothing but a way between registers and memory. */
static const struct decode_row move_rows[] = {
    {"mov", CPU_LOAD}, {"vmov", CPU_LOAD}, {"push", CPU_LOAD}, {"pop", CPU_LOAD}, {"lddqu", CPU_LOAD}, {"vlddqu", CPU_LOAD},
    {"vbroadcast", CPU_LOAD}, {"lods", CPU_LOAD}, {"stos", CPU_LOAD}, {"fld", CPU_LOAD}, {"fst", CPU_LOAD}, {"vmaskmov", CPU_LOAD},
    {NULL, 0},
};
/* clang-format on */

static bool is_float_name(const char *mnemonic)
{
    size_t n = strlen(mnemonic);
    return starts(mnemonic, "cvt") ||
           (n > 2 && (mnemonic[n - 2] == 's' || mnemonic[n - 2] == 'p') &&
            (mnemonic[n - 1] == 's' || mnemonic[n - 1] == 'd'));
}

static bool is_vector(u8 reg)
{
    return reg >= CPU_REG_VECTOR && reg < CPU_REG_VECTOR + 32;
}

static bool uses(const struct cpu_instruction *f, bool (*is)(u8 reg))
{
    bool found = false;
    for (u32 i = 0; i < f->source_count; i++)
        found |= is(f->sources[i]);
    for (u32 i = 0; i < f->destination_count; i++)
        found |= is(f->destinations[i]);
    return found;
}

static bool is_x87(u8 reg)
{
    return reg >= CPU_REG_X87 && reg < CPU_REG_X87 + 8;
}

struct memory_use {
    bool reads, writes;
};

/* lea and long nops have an operand in memory that they do not access. */
static struct memory_use memory_of(const cs_insn *insn)
{
    const cs_x86 *x = &insn->detail->x86;
    struct memory_use use = {0};
    if (insn->id == X86_INS_LEA || starts(insn->mnemonic, "nop") ||
        starts(insn->mnemonic, "prefetch"))
        return use;
    for (u32 i = 0; i < x->op_count; i++) {
        if (x->operands[i].type != X86_OP_MEM)
            continue;
        use.reads |= x->operands[i].access & CS_AC_READ;
        use.writes |= x->operands[i].access & CS_AC_WRITE;
        if (!x->operands[i].access) /* the library does not say */
            use.reads |= i > 0, use.writes |= i == 0;
    }
    use.writes |= starts(insn->mnemonic, "push") || insn->id == X86_INS_CALL;
    use.reads |= starts(insn->mnemonic, "pop") || insn->id == X86_INS_RET;
    return use;
}

static u8 class_of(const cs_insn *insn, const struct cpu_instruction *f, struct memory_use use)
{
    const char *name = insn->mnemonic;
    if (strchr(name, ' ')) /* lock, rep and their like are part of it */
        name = strrchr(name, ' ') + 1;
    bool is_x87_name = name[0] == 'f' && (uses(f, is_x87) || starts(name, "fi"));
    /* the first operand is where it goes; the library does not always say so of vectors */
    const cs_x86 *x = &insn->detail->x86;
    bool stores = (x->op_count && x->operands[0].type == X86_OP_MEM && !starts(name, "pop") &&
                   !starts(name, "fld")) ||
                  starts(name, "push");
    if (decode_class(move_rows, name) == CPU_LOAD && (use.reads || use.writes))
        return stores ? CPU_STORE : CPU_LOAD;
    if (is_x87_name)
        return decode_class(x87_rows, name);
    if (uses(f, is_vector)) {
        const char *plain = name[0] == 'v' ? name + 1 : name;
        u8 class = is_float_name(plain) ? decode_class(float_rows, plain) : CPU_CLASS_COUNT;
        return class == CPU_CLASS_COUNT ? CPU_SIMD : class;
    }
    if (uses(f, is_x87)) /* MMX */
        return CPU_SIMD;
    u8 class = decode_class(integer_rows, name);
    return class == CPU_CLASS_COUNT ? CPU_ALU : class;
}

/* ---- branches ---- */

static bool in_group(const cs_insn *insn, u8 group)
{
    return memchr(insn->detail->groups, group, insn->detail->groups_count) != NULL;
}

static u8 branch_of(const cs_insn *insn, u64 *target)
{
    const cs_x86 *x = &insn->detail->x86;
    bool is_direct = x->op_count == 1 && x->operands[0].type == X86_OP_IMM;
    *target = is_direct ? (u64)x->operands[0].imm : 0;
    if (insn->id == X86_INS_CALL)
        return is_direct ? CPU_CALL : CPU_INDIRECT_CALL;
    if (insn->id == X86_INS_JMP)
        return is_direct ? CPU_JUMP : CPU_INDIRECT_JUMP;
    if (in_group(insn, CS_GRP_RET)) {
        *target = 0;
        return CPU_RETURN;
    }
    return is_direct && (in_group(insn, CS_GRP_JUMP) || starts(insn->mnemonic, "loop"))
               ? CPU_CONDITIONAL
               : CPU_NO_BRANCH;
}

/* ---- the whole ---- */

/* xor of a register with itself, and its like: the result does not depend on the register. */
static bool is_zeroing(const cs_insn *insn)
{
    static const char *const names[] = {"xor",   "sub",    "pxor",   "xorps", "xorpd",
                                        "vpxor", "vxorps", "vxorpd", NULL};
    const cs_x86 *x = &insn->detail->x86;
    u32 last = x->op_count - 1u;
    if (x->op_count < 2 || x->operands[last].type != X86_OP_REG ||
        x->operands[last - 1].type != X86_OP_REG ||
        x->operands[last].reg != x->operands[last - 1].reg)
        return false;
    for (const char *const *n = names; *n; n++) {
        if (strcmp(insn->mnemonic, *n) == 0)
            return true;
    }
    return false;
}

/* Names of string instructions, of which some are SSE's too. */
static bool is_string(const cs_insn *insn)
{
    static const unsigned string_ids[] = {
        X86_INS_MOVSB, X86_INS_MOVSW, X86_INS_MOVSQ, X86_INS_STOSB, X86_INS_STOSW, X86_INS_STOSD,
        X86_INS_STOSQ, X86_INS_LODSB, X86_INS_LODSW, X86_INS_LODSD, X86_INS_LODSQ, X86_INS_SCASB,
        X86_INS_SCASW, X86_INS_SCASD, X86_INS_SCASQ, X86_INS_CMPSB, X86_INS_CMPSW, X86_INS_CMPSQ,
    };
    for (u32 i = 0; i < ARRAY_LEN(string_ids); i++) {
        if (insn->id == string_ids[i])
            return true;
    }
    const cs_x86 *x = &insn->detail->x86;
    return (insn->id == X86_INS_MOVSD || insn->id == X86_INS_CMPSD) && x->op_count == 2 &&
           x->operands[0].type == X86_OP_MEM && x->operands[1].type == X86_OP_MEM;
}

static bool has_repeat_prefix(const cs_insn *insn)
{
    u8 prefix = insn->detail->x86.prefix[0];
    return prefix == X86_PREFIX_REP || prefix == X86_PREFIX_REPNE;
}

/* What a string instruction reads of the flags is its direction, which nobody changes. */
static void forget_flags(struct cpu_instruction *f)
{
    u8 *at = memchr(f->sources, CPU_REG_FLAGS, f->source_count);
    if (at) {
        *at = f->sources[--f->source_count];
        f->sources[f->source_count] = 0;
    }
}

void decode_x86(struct decoder *d, const cs_insn *insn, struct decoded *out)
{
    struct cpu_instruction *f = &out->fixed;
    decode_add_registers(d, insn, f);
    struct memory_use use = memory_of(insn);
    f->branch = branch_of(insn, &f->target);
    f->class = f->branch ? CPU_BRANCH : class_of(insn, f, use);
    out->repeats = is_string(insn) && has_repeat_prefix(insn);
    if (is_string(insn))
        forget_flags(f);
    out->accesses = (use.reads || use.writes) && !out->repeats;
    out->is_atomic =
        insn->detail->x86.prefix[0] == X86_PREFIX_LOCK || (insn->id == X86_INS_XCHG && use.writes);
    if (starts(insn->mnemonic, "cmov")) /* it keeps what it had when it does not move */
        decode_add_source(f, f->destination_count ? f->destinations[0] : CPU_REG_NONE);
    if (insn->mnemonic[0] == 'f' && (f->class == CPU_LOAD || uses(f, is_x87))) {
        decode_add_source(f, CPU_REG_X87);
        decode_add_destination(f, CPU_REG_X87);
    }
    if (is_zeroing(insn)) {
        f->source_count = 0;
        memset(f->sources, 0, sizeof f->sources);
    }
}

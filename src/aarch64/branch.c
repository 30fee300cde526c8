/* Branches, hints, system registers. */
#include "aarch64/op.h"
#include "aarch64/pin.h"
#include "aarch64/process.h"

static void go(struct a64_thread *t, const struct a64_op *op, u32 high, u32 low)
{
    u64 words = BITS(op->word, high, low);
    t->pc = t->pc - 4 + (u64)(sign_extend(words, high - low + 1) * 4);
}

static void jump(struct a64_thread *t, const struct a64_op *op)
{
    if (op->arg)
        t->x[30] = t->pc;
    go(t, op, 25, 0);
}

static void jump_if(struct a64_thread *t, const struct a64_op *op)
{
    if (condition_holds(t->flags, op->word & 15))
        go(t, op, 23, 5);
}

static void compare_zero(struct a64_thread *t, const struct a64_op *op)
{
    u64 v = op->word >> 31 ? t->x[op->d] : (u32)t->x[op->d];
    if ((v != 0) == op->arg)
        go(t, op, 23, 5);
}

static void test_bit(struct a64_thread *t, const struct a64_op *op)
{
    u32 bit = (op->word >> 31) << 5 | BITS(op->word, 23, 19);
    if ((t->x[op->d] >> bit & 1) == op->arg)
        go(t, op, 18, 5);
}

/* arg: 1 links */
static void jump_register(struct a64_thread *t, const struct a64_op *op)
{
    u64 to = t->x[op->n];
    if (op->arg)
        t->x[30] = t->pc;
    t->pc = to;
}

static void hint(struct a64_thread *t, const struct a64_op *op)
{
    switch (BITS(op->word, 11, 5)) {
    case A64_HINT_PIN:
        a64_pin(t);
        break;
    case A64_HINT_UNPIN:
        a64_unpin(t);
        break;
    case A64_HINT_SAVE_PIN:
        t->x[16] = a64_pin_save(t);
        break;
    case A64_HINT_RESTORE_PIN:
        a64_pin_restore(t, t->x[16]);
        break;
    default:
        break;
    }
}

static void barrier(struct a64_thread *t, const struct a64_op *op)
{
    (void)t; /* threads access memory in the order of execution */
    (void)op;
}

static void clear_exclusive(struct a64_thread *t, const struct a64_op *op)
{
    (void)op;
    t->exclusive = 0;
}

enum { NZCV, FPCR, FPSR, TPIDR, CTR, DCZID };

static void read_system(struct a64_thread *t, const struct a64_op *op)
{
    u64 v = 0;
    switch (op->arg) {
    case NZCV:
        v = (u64)t->flags << 28;
        break;
    case FPCR:
        v = t->fpcr;
        break;
    case FPSR:
        v = t->fpsr;
        break;
    case TPIDR:
        v = t->tpidr;
        break;
    case CTR:
        v = 0x80038003;
        break;
    case DCZID:
        v = 0x10;
        break; /* dc zva is not to be used */
    }
    set_x(t, op->d, v);
}

static void write_system(struct a64_thread *t, const struct a64_op *op)
{
    u64 v = t->x[op->d];
    switch (op->arg) {
    case NZCV:
        t->flags = (u8)(v >> 28 & 15);
        break;
    case FPCR:
        if (v & 0x07ff9f00) /* rounding, flushing: only the default is done */
            stop_thread(t, A64_UNKNOWN_INSTRUCTION, t->pc - 4);
        break;
    case FPSR:
        t->fpsr = (u32)v;
        break;
    case TPIDR:
        t->tpidr = v;
        break;
    }
}

static void breakpoint(struct a64_thread *t, const struct a64_op *op)
{
    (void)op;
    stop_thread(t, A64_BREAK, t->pc - 4);
}

static void call(struct a64_thread *t, const struct a64_op *op)
{
    (void)op;
    a64_system_call(t);
}

/* clang-format off */
const struct a64_row a64_branch_rows[] = {
    {"000101iiiiiiiiiiiiiiiiiiiiiiiiii", "b", jump, 0, A64_BRANCH, "", 0, NULL},
    {"100101iiiiiiiiiiiiiiiiiiiiiiiiii", "bl", jump, 1, A64_BRANCH, "L", 0, NULL},
    {"01010100iiiiiiiiiiiiiiiiiii0cccc", "b.cond", jump_if, 0, A64_BRANCH, "f", 0, NULL},
    {"f0110100iiiiiiiiiiiiiiiiiiittttt", "cbz", compare_zero, 0, A64_BRANCH, "xd", 0, NULL},
    {"f0110101iiiiiiiiiiiiiiiiiiittttt", "cbnz", compare_zero, 1, A64_BRANCH, "xd", 0, NULL},
    {"b0110110bbbbbiiiiiiiiiiiiiittttt", "tbz", test_bit, 0, A64_BRANCH, "xd", 0, NULL},
    {"b0110111bbbbbiiiiiiiiiiiiiittttt", "tbnz", test_bit, 1, A64_BRANCH, "xd", 0, NULL},
    {"1101011000011111000000nnnnn00000", "br", jump_register, 0, A64_BRANCH, "xn", 0, NULL},
    {"1101011000111111000000nnnnn00000", "blr", jump_register, 1, A64_BRANCH, "xn L", 0, NULL},
    {"1101011001011111000000nnnnn00000", "ret", jump_register, 0, A64_BRANCH, "xn", 0, NULL},
    {"11010101000000110010cccciii11111", "hint", hint, 0, A64_NOP, "", 0, NULL},
    {"11010101000000110011cccc10111111", "dmb", barrier, 0, A64_SYSTEM, "", 0, NULL},
    {"11010101000000110011cccc10011111", "dsb", barrier, 0, A64_SYSTEM, "", 0, NULL},
    {"11010101000000110011cccc11011111", "isb", barrier, 0, A64_SYSTEM, "", 0, NULL},
    {"11010101000000110011cccc01011111", "clrex", clear_exclusive, 0, A64_SYSTEM, "", 0, NULL},
    {"110101010011101101000010000ddddd", "mrs nzcv", read_system, NZCV, A64_SYSTEM, "Xd f", 0, NULL},
    {"110101010011101101000100000ddddd", "mrs fpcr", read_system, FPCR, A64_SYSTEM, "Xd", 0, NULL},
    {"110101010011101101000100001ddddd", "mrs fpsr", read_system, FPSR, A64_SYSTEM, "Xd", 0, NULL},
    {"110101010011101111010000010ddddd", "mrs tpidr_el0", read_system, TPIDR, A64_SYSTEM, "Xd", 0, NULL},
    {"110101010011101100000000001ddddd", "mrs ctr_el0", read_system, CTR, A64_SYSTEM, "Xd", 0, NULL},
    {"110101010011101100000000111ddddd", "mrs dczid_el0", read_system, DCZID, A64_SYSTEM, "Xd", 0, NULL},
    {"110101010001101101000010000ddddd", "msr nzcv", write_system, NZCV, A64_SYSTEM, "xd F", 0, NULL},
    {"110101010001101101000100000ddddd", "msr fpcr", write_system, FPCR, A64_SYSTEM, "xd", 0, NULL},
    {"110101010001101101000100001ddddd", "msr fpsr", write_system, FPSR, A64_SYSTEM, "xd", 0, NULL},
    {"110101010001101111010000010ddddd", "msr tpidr_el0", write_system, TPIDR, A64_SYSTEM, "xd", 0, NULL},
    {"11010100000iiiiiiiiiiiiiiii00001", "svc", call, 0, A64_SYSTEM, "", 0, NULL},
    {"11010100001iiiiiiiiiiiiiiii00000", "brk", breakpoint, 0, A64_SYSTEM, "", 0, NULL},
    {NULL, NULL, NULL, 0, 0, NULL, 0, NULL},
};
/* clang-format on */

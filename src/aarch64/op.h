/*
 * A decoded instruction, and the rows of the tables that decode it.
 *
 * A row's pattern is 32 characters from bit 31 down (blanks do not count): 0 and 1 must be there,
 * letters are fields. The registers of an instruction lie where nearly all encodings have them: d
 * in bits 4:0, n 9:5, m 20:16, a 14:10, g (a predicate) 12:10, G 13:10; size is 23:22. The facts
 * are those of the Arm Architecture Reference Manual (DDI 0487).
 *
 * `operands` says what an instruction reads and writes, for a core: a kind and a field for each,
 * written when the kind is a capital. X general, S general or sp, V vector, P predicate; F flags, R
 * first-fault register.
 */
#ifndef AARCH64_OP_H
#define AARCH64_OP_H

#include "aarch64/thread.h"

struct a64_op;
typedef void a64_execute(struct a64_thread *t, const struct a64_op *op);

/* What it needs of a core; memory is in what the step did. */
enum a64_class {
    A64_ALU,
    A64_MUL,
    A64_DIV,
    A64_FADD,
    A64_FMUL,
    A64_FDIV,
    A64_FMA,
    A64_VECTOR,
    A64_LOAD,
    A64_STORE,
    A64_BRANCH,
    A64_NOP,
    A64_SYSTEM,
    A64_CLASSES,
};

enum a64_branch {
    A64_NO_BRANCH,
    A64_CONDITIONAL,
    A64_JUMP,
    A64_INDIRECT,
    A64_CALL,
    A64_INDIRECT_CALL,
    A64_RETURN,
};

struct a64_row {
    const char *pattern, *name;
    a64_execute *execute;
    u8 arg;
    u8 class; /* enum a64_class */
    const char *operands;
    u8 sizes;                /* values that size may have, a bit each; 0: any */
    bool (*allow)(u32 word); /* of fields that not every value is good for; NULL: all */
};

struct a64_op {
    a64_execute *execute;
    const struct a64_row *row; /* NULL: not decoded yet */
    u32 word;
    u8 d, n, m, a, g, size, arg;
    u8 is_vector; /* it touches vector, predicate or first-fault registers beyond Neon, or reads vl
                   */
    u64 imm;      /* of logical immediates */
};

#define BITS(w, high, low) (((w) >> (low)) & (((u32)2 << ((high) - (low))) - 1))

static inline i64 sign_extend(u64 v, u32 bits)
{
    return (i64)(v << (64 - bits)) >> (64 - bits);
}

static inline u64 ones(u32 bits)
{
    return bits >= 64 ? ~(u64)0 : ((u64)1 << bits) - 1;
}

static inline void set_x(struct a64_thread *t, u32 n, u64 v)
{
    t->x[n] = v;
    t->x[31] = 0;
}

static inline u64 get_sp(const struct a64_thread *t, u32 n)
{
    return n == 31 ? t->sp : t->x[n];
}

static inline void set_sp(struct a64_thread *t, u32 n, u64 v)
{
    if (n == 31)
        t->sp = v;
    else
        t->x[n] = v;
}

static inline void stop_thread(struct a64_thread *t, enum a64_stop why, u64 address)
{
    t->stop = why;
    t->stop_address = address;
}

/* Does a condition of the architecture hold? */
static inline bool condition_holds(u8 flags, u32 cond)
{
    bool n = flags & A64_N, z = flags & A64_Z, c = flags & A64_C, v = flags & A64_V, r;
    switch (cond >> 1) {
    case 0:
        r = z;
        break;
    case 1:
        r = c;
        break;
    case 2:
        r = n;
        break;
    case 3:
        r = v;
        break;
    case 4:
        r = c && !z;
        break;
    case 5:
        r = n == v;
        break;
    case 6:
        r = n == v && !z;
        break;
    default:
        return true;
    }
    return r != (cond & 1);
}

/* Any of the accesses of an instruction; NULL: the thread has stopped. */
u8 *a64_read(struct a64_thread *t, u64 address, u32 bytes);
u8 *a64_write(struct a64_thread *t, u64 address, u32 bytes);
/* One that was not in the program's pages: the reason is worked out. */
void a64_bad_access(struct a64_thread *t, u64 address);
/* The value of a logical immediate (N, immr, imms); false: there is none such. */
bool a64_bitmask(u32 n, u32 immr, u32 imms, u64 *value);
/* The eight bits of a floating-point immediate, as a double. */
double a64_float_immediate(u32 imm8);

/* The tables; each ends with a row without a pattern. */
extern const struct a64_row a64_integer_rows[], a64_branch_rows[], a64_memory_rows[],
    a64_float_rows[], a64_neon_rows[], a64_sve_integer_rows[], a64_sve_move_rows[],
    a64_sve_predicate_rows[], a64_sve_float_rows[], a64_sve_memory_rows[];

#endif

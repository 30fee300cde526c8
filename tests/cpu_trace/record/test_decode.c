/* Classes, registers and branches of encodings, as the manuals of the machines have them. */
#include "testing.h"

#include "cpu_trace/record/decode.h"

static struct decoded decode(enum cpu_machine machine, const char *bytes, u32 length)
{
    struct decoder d;
    struct decoded out;
    struct err err = ERR_INIT;
    assert_true(decoder_open(&d, machine, &err));
    decoder_decode(&d, 0x1000, (const u8 *)bytes, length, &out);
    decoder_close(&d);
    return out;
}

#define X86(bytes) decode(MACHINE_X86_64, bytes, sizeof bytes - 1)
#define ARM(bytes) decode(MACHINE_AARCH64, bytes, 4)

static bool has(const u8 *list, u32 count, u8 reg)
{
    return memchr(list, reg, count) != NULL;
}

/* Registers as a list that ends with 0, in any order. */
static void expect(const struct decoded *d, const char *text, u8 class, const u8 *sources,
                   const u8 *destinations)
{
    const struct cpu_instruction *f = &d->fixed;
    assert_string_equal(d->text, text);
    assert_int_equal(f->class, class);
    assert_int_equal(f->source_count, strlen((const char *)sources));
    assert_int_equal(f->destination_count, strlen((const char *)destinations));
    for (const u8 *r = sources; *r; r++)
        assert_true(has(f->sources, f->source_count, *r));
    for (const u8 *r = destinations; *r; r++)
        assert_true(has(f->destinations, f->destination_count, *r));
}

#define REGS(...) ((const u8[]){__VA_ARGS__, 0})
#define NO_REGS ((const u8[]){0})
#define X(n) (CPU_REG_ARM + (n))
#define V(n) (CPU_REG_VECTOR + (n))
enum { RDI = 3, RSI, RBP, RSP, RBX, RDX, RCX, RAX, R8, FLAGS = 25 };

TEST(integer_instructions_of_x86)
{
    UNUSED_STATE;
    struct decoded d = X86("\x48\x01\xd8");
    expect(&d, "add rax, rbx", CPU_ALU, REGS(RAX, RBX), REGS(RAX, FLAGS));
    d = X86("\x4c\x0f\xaf\xc1");
    expect(&d, "imul r8, rcx", CPU_MUL, REGS(R8, RCX), REGS(R8, FLAGS));
    d = X86("\x48\xf7\xfb");
    expect(&d, "idiv rbx", CPU_DIV, REGS(RAX, RDX, RBX), REGS(RAX, RDX, FLAGS));
    d = X86("\x31\xc0"); /* depends on nothing */
    expect(&d, "xor eax, eax", CPU_ALU, NO_REGS, REGS(RAX, FLAGS));
    d = X86("\x0f\x44\xc3"); /* keeps eax when it does not move */
    expect(&d, "cmove eax, ebx", CPU_ALU, REGS(RAX, RBX, FLAGS), REGS(RAX));
    d = X86("\x48\x8d\x04\xb5\x10\x00\x00\x00");
    expect(&d, "lea rax, [rsi*4 + 0x10]", CPU_ALU, REGS(RSI), REGS(RAX));
    assert_false(d.accesses);
    d = X86("\x0f\x05");
    assert_int_equal(d.fixed.class, CPU_SYSTEM);
    d = X86("\xf3\x0f\x1e\xfa");
    assert_int_equal(d.fixed.class, CPU_NOP);
}

TEST(memory_instructions_of_x86)
{
    UNUSED_STATE;
    struct decoded d = X86("\x48\x8b\x44\xf3\x08");
    expect(&d, "mov rax, qword ptr [rbx + rsi*8 + 8]", CPU_LOAD, REGS(RBX, RSI), REGS(RAX));
    assert_true(d.accesses);
    d = X86("\x48\x89\x03");
    expect(&d, "mov qword ptr [rbx], rax", CPU_STORE, REGS(RBX, RAX), NO_REGS);
    d = X86("\x55");
    expect(&d, "push rbp", CPU_STORE, REGS(RBP, RSP), REGS(RSP));
    d = X86("\x5d");
    expect(&d, "pop rbp", CPU_LOAD, REGS(RSP), REGS(RBP, RSP));
    d = X86("\x48\x03\x03");
    expect(&d, "add rax, qword ptr [rbx]", CPU_ALU, REGS(RAX, RBX), REGS(RAX, FLAGS));
    d = X86("\xf3\x48\xa5");
    assert_string_equal(d.text, "rep movsq qword ptr [rdi], qword ptr [rsi]");
    assert_int_equal(d.fixed.class, CPU_STORE);
    assert_true(d.repeats && !d.accesses);
    d = X86("\xf0\x48\x0f\xb1\x0b");
    assert_string_equal(d.text, "lock cmpxchg qword ptr [rbx], rcx");
    assert_true(d.is_atomic && !d.repeats);
    d = X86("\xc5\xfc\x11\x08");
    expect(&d, "vmovups ymmword ptr [rax], ymm1", CPU_STORE, REGS(RAX, V(1)), NO_REGS);
}

TEST(floating_point_of_x86)
{
    UNUSED_STATE;
    struct decoded d = X86("\xf2\x0f\x58\xc1");
    expect(&d, "addsd xmm0, xmm1", CPU_FP_ADD, REGS(V(0), V(1)), REGS(V(0)));
    d = X86("\xc5\xf4\x59\xc2");
    expect(&d, "vmulps ymm0, ymm1, ymm2", CPU_FP_MUL, REGS(V(1), V(2)), REGS(V(0)));
    d = X86("\xf2\x0f\x5e\xc1");
    assert_int_equal(d.fixed.class, CPU_FP_DIV);
    d = X86("\xc4\xe2\xf5\xb8\xc2");
    expect(&d, "vfmadd231pd ymm0, ymm1, ymm2", CPU_FP_FMA, REGS(V(0), V(1), V(2)), REGS(V(0)));
    d = X86("\x66\x0f\xfe\xc1");
    assert_int_equal(d.fixed.class, CPU_SIMD); /* paddd */
    d = X86("\x66\x0f\xef\xc0");
    expect(&d, "pxor xmm0, xmm0", CPU_SIMD, NO_REGS, REGS(V(0)));
    d = X86("\xd8\xc9");
    assert_int_equal(d.fixed.class, CPU_FP_MUL); /* fmul */
}

TEST(branches_of_x86)
{
    UNUSED_STATE;
    static const struct {
        const char *bytes;
        u32 length;
        u8 kind;
        u64 target;
    } rows[] = {
        {"\x75\xfe", 2, CPU_CONDITIONAL, 0x1000},      {"\xeb\x10", 2, CPU_JUMP, 0x1012},
        {"\xe8\x00\x01\x00\x00", 5, CPU_CALL, 0x1105}, {"\xff\xd0", 2, CPU_INDIRECT_CALL, 0},
        {"\xff\xe0", 2, CPU_INDIRECT_JUMP, 0},         {"\xc3", 1, CPU_RETURN, 0},
        {"\xe2\xfe", 2, CPU_CONDITIONAL, 0x1000}, /* loop */
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct decoded d = decode(MACHINE_X86_64, rows[i].bytes, rows[i].length);
        assert_int_equal(d.fixed.class, CPU_BRANCH);
        assert_int_equal(d.fixed.branch, rows[i].kind);
        assert_int_equal(d.fixed.target, rows[i].target);
    }
    struct decoded d = X86("\x75\xfe");
    assert_true(d.fixed.source_count == 1 && d.fixed.sources[0] == CPU_REG_FLAGS);
}

TEST(instructions_of_aarch64)
{
    UNUSED_STATE;
    struct decoded d = ARM("\x20\x00\x02\x8b");
    expect(&d, "add x0, x1, x2", CPU_ALU, REGS(X(1), X(2)), REGS(X(0)));
    d = ARM("\x5f\x00\x01\xeb");
    expect(&d, "cmp x2, x1", CPU_ALU, REGS(X(1), X(2)), REGS(FLAGS));
    d = ARM("\x20\x7c\x02\x9b");
    expect(&d, "mul x0, x1, x2", CPU_MUL, REGS(X(1), X(2)), REGS(X(0)));
    d = ARM("\x20\x0c\xc2\x9a");
    expect(&d, "sdiv x0, x1, x2", CPU_DIV, REGS(X(1), X(2)), REGS(X(0)));
    d = ARM("\x20\x00\x80\xd2");
    expect(&d, "movz x0, #0x1", CPU_ALU, NO_REGS, REGS(X(0)));
    d = ARM("\x20\x00\x80\xf2");
    expect(&d, "movk x0, #0x1", CPU_ALU, REGS(X(0)), REGS(X(0)));
    d = ARM("\x01\x0c\x41\xf8");
    expect(&d, "ldr x1, [x0, #0x10]!", CPU_LOAD, REGS(X(0)), REGS(X(1), X(0)));
    d = ARM("\xf3\x53\x41\xa9");
    expect(&d, "ldp x19, x20, [sp, #0x10]", CPU_LOAD, REGS(CPU_REG_STACK), REGS(X(19), X(20)));
    d = ARM("\x20\x00\x00\xf9");
    expect(&d, "str x0, [x1]", CPU_STORE, REGS(X(0), X(1)), NO_REGS);
    d = ARM("\x20\x08\x42\x1f");
    expect(&d, "fmadd d0, d1, d2, d2", CPU_FP_FMA, REGS(V(1), V(2)), REGS(V(0)));
    d = ARM("\x20\x28\x62\x1e");
    expect(&d, "fadd d0, d1, d2", CPU_FP_ADD, REGS(V(1), V(2)), REGS(V(0)));
    d = ARM("\x20\x00\x82\x9a");
    expect(&d, "csel x0, x1, x2, eq", CPU_ALU, REGS(X(1), X(2), FLAGS), REGS(X(0)));
}

TEST(branches_of_aarch64)
{
    UNUSED_STATE;
    static const struct {
        const char *bytes;
        u8 kind;
        u64 target;
    } rows[] = {
        {"\x41\x00\x00\x54", CPU_CONDITIONAL, 0x1008},
        {"\x40\x00\x00\xb4", CPU_CONDITIONAL, 0x1008},
        {"\x40\x00\x18\x37", CPU_CONDITIONAL, 0x1008},
        {"\x02\x00\x00\x14", CPU_JUMP, 0x1008},
        {"\x02\x00\x00\x94", CPU_CALL, 0x1008},
        {"\x00\x00\x3f\xd6", CPU_INDIRECT_CALL, 0},
        {"\x00\x00\x1f\xd6", CPU_INDIRECT_JUMP, 0},
        {"\xc0\x03\x5f\xd6", CPU_RETURN, 0},
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct decoded d = decode(MACHINE_AARCH64, rows[i].bytes, 4);
        assert_int_equal(d.fixed.class, CPU_BRANCH);
        assert_int_equal(d.fixed.branch, rows[i].kind);
        assert_int_equal(d.fixed.target, rows[i].target);
    }
    struct decoded d = ARM("\x20\x00\x22\x8a");
    assert_string_equal(d.text, "bic x0, x1, x2"); /* begins like a branch */
    assert_int_equal(d.fixed.destination_count, 1);
}

RUN_TESTS(T(integer_instructions_of_x86), T(memory_instructions_of_x86), T(floating_point_of_x86),
          T(branches_of_x86), T(instructions_of_aarch64), T(branches_of_aarch64))

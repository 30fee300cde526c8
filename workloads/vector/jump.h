/* setjmp and longjmp: the registers that calls keep, the stack, and what the thread is pinned to
 * (hints 98 and 99; other machines do nothing there). */
#ifndef JUMP_H
#define JUMP_H

typedef unsigned long jump_point[24];

int set_jump(jump_point p) __attribute__((returns_twice));
__attribute__((noreturn)) void long_jump(jump_point p, int value);

__asm__(".globl set_jump\n"
        "set_jump:\n"
        "  hint #98\n"
        "  mov x9, sp\n"
        "  stp x19, x20, [x0]\n"
        "  stp x21, x22, [x0, 16]\n"
        "  stp x23, x24, [x0, 32]\n"
        "  stp x25, x26, [x0, 48]\n"
        "  stp x27, x28, [x0, 64]\n"
        "  stp x29, x30, [x0, 80]\n"
        "  stp x9, x16, [x0, 96]\n"
        "  stp d8, d9, [x0, 112]\n"
        "  stp d10, d11, [x0, 128]\n"
        "  stp d12, d13, [x0, 144]\n"
        "  stp d14, d15, [x0, 160]\n"
        "  mov w0, 0\n"
        "  ret\n"
        ".globl long_jump\n"
        "long_jump:\n"
        "  ldp x19, x20, [x0]\n"
        "  ldp x21, x22, [x0, 16]\n"
        "  ldp x23, x24, [x0, 32]\n"
        "  ldp x25, x26, [x0, 48]\n"
        "  ldp x27, x28, [x0, 64]\n"
        "  ldp x29, x30, [x0, 80]\n"
        "  ldp x9, x16, [x0, 96]\n"
        "  ldp d8, d9, [x0, 112]\n"
        "  ldp d10, d11, [x0, 128]\n"
        "  ldp d12, d13, [x0, 144]\n"
        "  ldp d14, d15, [x0, 160]\n"
        "  mov sp, x9\n"
        "  hint #99\n"
        "  mov w0, w1\n"
        "  ret\n");

#endif

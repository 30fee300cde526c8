// signals: what=keep|order|fault|jump|abort|unpin n=N; it prints what happens, in order
#include "runtime.h"

#include "jump.h"

#define MOST 4096
#define ILL 4
#define SEGV 11
#define USR1 10
#define USR2 12
#define TERM 15
#define SIGINFO 4ul
#define RESTORER 0x04000000ul
#define NO_DEFER 0x40000000ul
#define RESET_HANDLER 0x80000000ul

struct action {
    void (*handler)(int, char *, char *);
    word flags;
    void (*restorer)(void);
    word mask;
};

void restore(void);
__asm__(".globl restore\nrestore:\n  mov x8, 139\n  svc 0\n");

static long call4(long number, long a, long b, long c, long d)
{
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b,
                     x2 __asm__("x2") = c, x3 __asm__("x3") = d;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
}

static void say(const char *what, word v)
{
    put_text(what);
    put_text(" ");
    put_number(v);
    put_text("\n");
}

static void handle(int number, void (*handler)(int, char *, char *), word flags, word mask)
{
    struct action a = {handler, flags | SIGINFO, restore, mask};
    check(call4(134, number, (long)&a, 0, 8) == 0, "rt_sigaction");
}

static void send(int number)
{
    system_call(131, system_call(172, 0, 0, 0), system_call(178, 0, 0, 0), number);
}

static word blocked(int how, word set)
{
    word old = 0;
    call4(135, how, how < 0 ? 0 : (long)&set, (long)&old, 8);
    return old;
}

/* ---- keep: a handler with vectors of its own, while vectors are live ---- */

static uint32_t in[MOST], out[MOST];
static volatile word handled;

static void trample(int number, char *info, char *context)
{
    (void)info, (void)context;
    PIN();
    __asm__ volatile("mov z0.b, #85\n mov z1.b, #86\n mov z2.b, #87\n mov z31.b, #88\n"
                     "pfalse p0.b\n pfalse p1.b\n pfalse p7.b\n" ::
                         : "z0", "z1", "z2", "z31", "p0", "p1", "p7");
    UNPIN();
    handled += (word)number;
}

/* The signal comes between the load and the store of each step. */
static void add_one(word n)
{
    long id = system_call(172, 0, 0, 0), thread = system_call(178, 0, 0, 0);
    word i = 0, words;
    PIN();
    __asm__ volatile("  cntw %[words]\n"
                     "  whilelt p0.s, %[i], %[n]\n"
                     "1:\n"
                     "  ld1w {z0.s}, p0/z, [%[in], %[i], lsl #2]\n"
                     "  mov z1.s, #1\n"
                     "  mov x0, %[id]\n"
                     "  mov x1, %[thread]\n"
                     "  mov x2, #10\n"
                     "  mov x8, #131\n"
                     "  svc #0\n"
                     "  add z0.s, z0.s, z1.s\n"
                     "  st1w {z0.s}, p0, [%[out], %[i], lsl #2]\n"
                     "  add %[i], %[i], %[words]\n"
                     "  whilelt p0.s, %[i], %[n]\n"
                     "  b.first 1b\n"
                     : [i] "+&r"(i), [words] "=&r"(words)
                     : [n] "r"(n), [in] "r"(in), [out] "r"(out), [id] "r"(id), [thread] "r"(thread)
                     : "x0", "x1", "x2", "x8", "z0", "z1", "p0", "cc", "memory");
    UNPIN();
    check(i >= n && handled == 10 * ((n + words - 1) / words), "handlers");
}

static void keep(word n)
{
    handle(USR1, trample, RESTORER, 0);
    for (word i = 0; i < n; i++)
        in[i] = (uint32_t)(3 * i);
    add_one(n);
    for (word i = 0; i < n; i++)
        check(out[i] == 3 * i + 1, "vectors");
}

/* ---- order: nested, blocked, once ---- */

static int depth;

static void nest(int number, char *info, char *context)
{
    say("begins", (word)number);
    say("code", (word)(unsigned char)info[8]);
    say("blocked", blocked(-1, 0));
    say("blocked before", *(word *)(context + 40));
    if (number == USR1 && depth++ < 2)
        send(USR1), send(USR2);
    say("ends", (word)number);
}

static void order(void)
{
    handle(USR1, nest, RESTORER, 0);
    handle(USR2, nest, 0, 1ul << (USR1 - 1)); /* returns without a restorer */
    send(USR1);
    put_text("within\n");
    depth = 0;
    handle(USR1, nest, RESTORER | NO_DEFER, 0);
    send(USR1);
    put_text("blocked\n");
    depth = 5;
    blocked(0, 1ul << (USR1 - 1) | 1ul << (USR2 - 1));
    send(USR2), send(USR1), send(USR1);
    put_text("nothing yet\n");
    blocked(1, ~0ul);
    put_text("once\n");
    handle(USR2, nest, RESTORER | RESET_HANDLER, 0);
    system_call(129, system_call(172, 0, 0, 0), USR2, 0);
    struct action now;
    call4(134, USR2, 0, (long)&now, 8);
    say("default again", now.handler == 0);
    send(17), send(28);
    put_text("ignored\n");
}

/* ---- fault: a handler looks at what was accessed, and goes on behind it ---- */

static void skip(int number, char *info, char *context)
{
    say("signal", (word)number);
    say("address", *(word *)(info + 16));
    *(word *)(context + 176 + 8 + 32 * 8) += 4;
    *(word *)(context + 176 + 8 + 3 * 8) = 77; /* x3 */
}

static void fault(void)
{
    register word x3 __asm__("x3") = 5, x4 __asm__("x4") = 0x123450;
    handle(SEGV, skip, RESTORER, 0);
    __asm__ volatile("ldr %0, [%1, 8]" : "+r"(x3) : "r"(x4) : "memory");
    say("x3", x3);
    __asm__ volatile("str %0, [%1]" : "+r"(x3) : "r"(x4) : "memory");
    say("x3", x3);
}

/* ---- jump: out of two pinned callees, and out of a handler ---- */

static jump_point outer;

static void leap(int number, char *info, char *context)
{
    (void)info, (void)context;
    blocked(1, ~0ul);
    long_jump(outer, number);
}

__attribute__((noinline)) static void inner(int how)
{
    PIN();
    if (how)
        send(USR1);
    long_jump(outer, 3);
}

__attribute__((noinline)) static void middle(int how)
{
    PIN();
    inner(how);
}

static void jump(word n)
{
    handle(USR1, leap, RESTORER, 0);
    for (volatile int how = 0; how < 2; how++) {
        int v = set_jump(outer);
        if (v)
            say("back with", (word)v);
        else
            middle(how);
    }
    keep(n); /* at level 0, or this is wrong after a move */
}

static void pass(int number, char *info, char *context)
{
    (void)info;
    say("signal", (word)number);
    *(word *)(context + 176 + 8 + 32 * 8) += 4;
}

int run(void)
{
    const char *what = argument("what", "keep");
    word n = argument_number("n", 100);
    check(n <= MOST, "n");
    if (same_text(what, "keep"))
        keep(n);
    else if (same_text(what, "order"))
        order();
    else if (same_text(what, "fault"))
        fault();
    else if (same_text(what, "jump"))
        jump(n);
    else if (same_text(what, "abort"))
        send(TERM);
    else if (same_text(what, "unpin")) {
        handle(ILL, pass, RESTORER, 0);
        __asm__ volatile("hint #97"); /* a trap at level 0, on machines that know it */
    } else
        check(0, "what");
    put_text("done\n");
    return 0;
}

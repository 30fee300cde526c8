// threads=N n=N rounds=N check=0|1 what=sum|signal|hang: with vectors in each thread, a barrier
// between rounds, and a mutex
#include "runtime.h"

#define MOST_THREADS 64
#define MOST 65536
#define STACK 16384
#define FUTEX_WAIT 128
#define FUTEX_WAKE 129

static uint32_t values[MOST];
static char stacks[MOST_THREADS + 1][STACK] __attribute__((aligned(16)));
static uint32_t ids[MOST_THREADS];
static word sums[MOST_THREADS], total, threads, count, rounds;
static uint32_t lock, arrived, turn;

/* The new thread runs f(argument) on its stack; *id becomes 0, and is woken, when it has ended. */
long make_thread(char *stack_top, void (*f)(word), word argument, uint32_t *id);
__asm__(".globl make_thread\n"
        "make_thread:\n"
        "  stp x1, x2, [x0, #-16]!\n"
        "  mov x1, x0\n"
        "  mov x2, x3\n"
        "  mov x4, x3\n"
        "  mov x3, 0\n"
        "  mov x0, 0x0f00\n" /* memory, files, handlers are shared */
        "  movk x0, 0x35, lsl 16\n"
        "  mov x8, 220\n"
        "  svc 0\n"
        "  cbz x0, 1f\n"
        "  ret\n"
        "1: ldp x1, x0, [sp], 16\n"
        "  blr x1\n"
        "  mov x0, 0\n"
        "  mov x8, 93\n"
        "  svc 0\n");

static long futex(uint32_t *at, long what, long v)
{
    register long x8 __asm__("x8") = 98, x0 __asm__("x0") = (long)at, x1 __asm__("x1") = what,
                     x2 __asm__("x2") = v, x3 __asm__("x3") = 0;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
}

/* 0 free, 1 held, 2 held and somebody waits */
static void take_lock(void)
{
    uint32_t c = 0;
    if (__atomic_compare_exchange_n(&lock, &c, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    if (c != 2)
        c = __atomic_exchange_n(&lock, 2, __ATOMIC_ACQUIRE);
    while (c) {
        futex(&lock, FUTEX_WAIT, 2);
        c = __atomic_exchange_n(&lock, 2, __ATOMIC_ACQUIRE);
    }
}

static void free_lock(void)
{
    if (__atomic_exchange_n(&lock, 0, __ATOMIC_RELEASE) == 2)
        futex(&lock, FUTEX_WAKE, 1);
}

static void barrier(void)
{
    uint32_t mine = __atomic_load_n(&turn, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL) == threads) {
        __atomic_store_n(&arrived, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&turn, mine + 1, __ATOMIC_RELEASE);
        futex(&turn, FUTEX_WAKE, MOST_THREADS);
        return;
    }
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) == mine)
        futex(&turn, FUTEX_WAIT, mine);
}

/* Its slice: the sum of squares, then each value is one more. */
static word sum_slice(word me)
{
    word first = count * me / threads, end = count * (me + 1) / threads, sum = 0;
    PIN();
    svbool_t p = svwhilelt_b32_u64(first, end);
    for (word i = first; svptest_first(svptrue_b32(), p);) {
        svuint32_t v = svld1_u32(p, values + i);
        sum += svaddv_u32(p, svmul_u32_z(p, v, v));
        svst1_u32(p, values + i, svadd_n_u32_z(p, v, 1));
        i += svcntw();
        p = svwhilelt_b32_u64(i, end);
    }
    UNPIN();
    return sum;
}

static void work(word me)
{
    for (word r = 0; r < rounds; r++) {
        sums[me] += sum_slice(me);
        barrier();
        take_lock();
        total += sums[(me + 1) % threads]; /* of another thread */
        free_lock();
        barrier();
    }
}

static volatile uint32_t seen;

struct action {
    void (*handler)(int);
    word flags;
    void (*restorer)(void);
    word mask;
};

void restore(void);
__asm__(".globl restore\nrestore:\n  mov x8, 139\n  svc 0\n");

static void note(int number)
{
    __atomic_add_fetch(&seen, (uint32_t)number, __ATOMIC_ACQ_REL);
}

/* Waits for a signal that another thread sends. */
static void waits(word me)
{
    (void)me;
    while (!__atomic_load_n(&seen, __ATOMIC_ACQUIRE))
        futex((uint32_t *)&seen, FUTEX_WAIT, 0);
}

static void join(word i)
{
    for (uint32_t v; (v = __atomic_load_n(&ids[i], __ATOMIC_ACQUIRE));)
        futex(&ids[i], 0, v); /* the kernel wakes one who is not private */
}

static void signal_thread(void)
{
    struct action a = {note, 0x04000000, restore, 0};
    register long x8 __asm__("x8") = 134, x0 __asm__("x0") = 10, x1 __asm__("x1") = (long)&a,
                     x2 __asm__("x2") = 0, x3 __asm__("x3") = 8;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    check(make_thread(stacks[2], waits, 1, &ids[1]) > 0, "clone");
    system_call(131, system_call(172, 0, 0, 0), ids[1], 10);
    join(1);
    check(seen == 10, "signal");
}

static word expected(void)
{
    word sum = 0;
    for (word r = 0, all = 0; r < rounds; r++) {
        for (word i = 0; i < count; i++)
            all += (word)(uint32_t)((i % 1000 + r) * (i % 1000 + r));
        sum += all;
    }
    return sum;
}

int run(void)
{
    threads = argument_number("threads", 2);
    count = argument_number("n", 4096);
    rounds = argument_number("rounds", 3);
    check(threads >= 1 && threads <= MOST_THREADS && count <= MOST, "threads or n");
    if (same_text(argument("what", "sum"), "signal")) {
        signal_thread();
        put_text("done\n");
        return 0;
    }
    if (same_text(argument("what", "sum"), "hang"))
        futex(&lock, FUTEX_WAIT, 0);
    for (word i = 0; i < count; i++)
        values[i] = (uint32_t)(i % 1000);
    for (word i = 1; i < threads; i++)
        check(make_thread(stacks[i + 1], work, i, &ids[i]) > 0, "clone");
    work(0);
    for (word i = 1; i < threads; i++)
        join(i);
    if (argument_number("check", 1))
        check(total == expected(), "total");
    put_number(total);
    put_text("\n");
    return 0;
}

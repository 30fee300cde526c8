/*
 * What the programs of this folder stand on: no library, the system calls write and exit.
 *
 * PIN and UNPIN are in the hint space: on other machines they do nothing. A legacy build has none.
 */
#ifndef RUNTIME_H
#define RUNTIME_H

#include <arm_sve.h>
#include <stdint.h>

#ifdef LEGACY
#define PIN() ((void)0)
#define UNPIN() ((void)0)
#else
#define PIN() __asm__ volatile("hint #96" ::: "memory")
#define UNPIN() __asm__ volatile("hint #97" ::: "memory")
#endif

/* A function of vector instructions, called between PIN and UNPIN: the compiler takes none of them
 * out of it. Ahead of PIN one would pin the thread for life. */
#define PINNED __attribute__((noipa))

typedef unsigned long word;

static inline long system_call(long number, long a, long b, long c)
{
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b,
                     x2 __asm__("x2") = c;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
}

static inline void put_text(const char *text)
{
    word n = 0;
    while (text[n])
        n++;
    system_call(64, 1, (long)text, (long)n);
}

static inline void put_number(word v)
{
    char digits[24], *p = digits + sizeof digits;
    *--p = 0;
    do
        *--p = (char)('0' + v % 10);
    while (v /= 10);
    put_text(p);
}

__attribute__((noreturn)) static inline void leave(int status)
{
    system_call(93, status, 0, 0);
    __builtin_unreachable();
}

/* The answer is what the scalar code says. */
static inline void check(int is_right, const char *what)
{
    if (is_right)
        return;
    put_text(what);
    put_text(": wrong\n");
    leave(1);
}

static inline word random_next(word *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* ---- arguments: KEY=VALUE ---- */

static char **arguments;

static inline const char *argument(const char *key, const char *otherwise)
{
    for (char **a = arguments; *a; a++) {
        word n = 0;
        while (key[n] && key[n] == (*a)[n])
            n++;
        if (!key[n] && (*a)[n] == '=')
            return *a + n + 1;
    }
    return otherwise;
}

static inline word argument_number(const char *key, word otherwise)
{
    const char *text = argument(key, "");
    word v = 0;
    if (!*text)
        return otherwise;
    for (; *text >= '0' && *text <= '9'; text++)
        v = v * 10 + (word)(*text - '0');
    return v;
}

static inline int same_text(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* Where timing is to begin and what it measures: a line of output each would disturb it. */
int run(void);

__attribute__((used, noreturn)) static void begin(word *stack)
{
    arguments = (char **)(stack + 2);
    leave(run());
}

__asm__(".globl _start\n"
        "_start:\n"
        "  mov x29, #0\n"
        "  mov x30, #0\n"
        "  mov x0, sp\n"
        "  b begin\n");

#endif

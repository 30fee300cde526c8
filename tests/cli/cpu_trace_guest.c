/* What recordings are tried on: `cpu_trace_guest WORD` does one thing whose trace is known. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char buffer[4096] __attribute__((aligned(64)));
static sigjmp_buf back;
static volatile int *volatile nowhere; /* an address that is not mapped */

static int fill(void)
{
#if defined(__x86_64__)
    void *to = buffer;
    unsigned long count = 1000;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(7) : "memory");
#endif
    return buffer[999] == 7 ? 0 : 1;
}

static int vector(void)
{
#if defined(__x86_64__)
    __asm__ volatile("vmovups (%0), %%ymm1\n vmovups %%ymm1, 64(%0)" ::"r"(buffer) : "memory");
#endif
    return 0;
}

/* 1 + 4 x 1000 instructions of its own, of which 1000 are branches, all but one taken. */
static int loop(void)
{
#if defined(__x86_64__)
    unsigned long n = 1000;
    __asm__ volatile("nop\n1: add $1, %%rax\n imul %%rax, %%rax\n sub $1, %0\n jnz 1b"
                     : "+r"(n)::"rax", "memory");
#endif
    return 0;
}

static int fork_both(void)
{
    pid_t child = fork();
    for (int i = 0; i < 100000; i++)
        buffer[i % 4096]++;
    if (child == 0)
        _exit(0);
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? 0 : 1;
}

static int close_all(void)
{
    for (int i = 0; i < 1024; i++)
        close(i);
    for (int i = 0; i < 100000; i++)
        buffer[i % 4096]++;
    _exit(0);
}

static void on_fault(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

static int fault(void)
{
    signal(SIGSEGV, on_fault);
    if (sigsetjmp(back, 1) == 0)
        *nowhere = 1;
    return 0;
}

static int crash(void)
{
    *nowhere = 1;
    return 0;
}

static int fail(void)
{
    return 3;
}

/* To every descriptor that it was not meant to have. */
static int write_all(void)
{
    memset(buffer, 0xff, sizeof buffer);
    for (int i = 3; i < 64; i++) {
        if (write(i, buffer, sizeof buffer) > 0)
            return 4;
    }
    return 0;
}

static int replace(void)
{
    execl("/nowhere/program", "program", (char *)NULL); /* fails, so that the program goes on */
    loop();
    return execl("/bin/true", "true", (char *)NULL);
}

static int start_others(void)
{
    return system("/bin/true"); /* fork and exec: a child is another program, this one goes on */
}

static int last_forever(void)
{
    while (loop() == 0)
        ;
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *word;
        int (*run)(void);
    } rows[] = {{"fill", fill},      {"vector", vector},       {"loop", loop},
                {"fork", fork_both}, {"close", close_all},     {"fault", fault},
                {"crash", crash},    {"fail", fail},           {"write", write_all},
                {"exec", replace},   {"system", start_others}, {"forever", last_forever}};
    for (size_t i = 0; argc > 1 && i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(argv[1], rows[i].word) == 0)
            return rows[i].run();
    }
    return 9;
}

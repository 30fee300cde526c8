/*
 * What the threads of an AArch64 program share, and what they ask of the system: memory, signals,
 * futexes, new threads, the end. Calls have Linux's numbers, structures and results.
 *
 * A thread that waits or has ended is stopped (enum a64_stop); when it may go on, `wake` says so.
 */
#ifndef AARCH64_PROCESS_H
#define AARCH64_PROCESS_H

#include "aarch64/thread.h"

enum {
    A64_MOST_THREADS = 64,
    A64_SIGNALS = 64,
    A64_PID = 100, /* the first thread has this number too, the next 101 */
};

/* The signals that heddle sends itself. */
enum { A64_SIGILL = 4, A64_SIGTRAP = 5, A64_SIGSEGV = 11 };

/* As rt_sigaction reads and writes it. */
struct a64_action {
    u64 handler, flags, restorer, mask;
};

struct a64_process {
    u64 brk, brk_start;
    struct a64_action actions[A64_SIGNALS + 1];
    struct a64_thread *threads[A64_MOST_THREADS];
    u32 thread_count; /* that there may be at one time; those that are not there are stopped */
    u64 wait_count;
    i32 exit_code;
    void (*wake)(void *context, u32 thread); /* NULL: no notification */
    void *wake_context;
};

/* The code that a handler without a restorer returns to: mov x8, 139; svc. Two words. */
#define A64_TRAMPOLINE ((u64)0xf0001000)

/* system_call.c: svc; x8 says which. */
void a64_system_call(struct a64_thread *t);
/* All threads stop; `t` has this reason. */
void a64_process_end(struct a64_thread *t, enum a64_stop why, u64 address);
/* Has every thread stopped, none of them for good? They wait for each other. */
bool a64_process_waits(const struct a64_process *p);

/* ---- signal.c ---- */

struct a64_signal {
    u32 number;
    i32 code;    /* of siginfo */
    u64 address; /* of a fault; of others the sender */
};

/* The signal is the thread's; a handler begins at a64_deliver. An unhandled one ends the
 * program, or is ignored. */
void a64_raise(struct a64_thread *t, const struct a64_signal *s);
/* Between two instructions: handlers of what is pending begin. */
void a64_deliver_pending(struct a64_thread *t);
static inline void a64_deliver(struct a64_thread *t)
{
    if (UNLIKELY(t->pending & ~t->blocked) && !t->stop)
        a64_deliver_pending(t);
}
/* The thread has stopped at a trap or a bad access. True: a handler begins in its place. */
bool a64_deliver_fault(struct a64_thread *t);
void a64_signal_return(struct a64_thread *t);

#endif

/*
 * A program that runs under QEMU with our plugin, and what the plugin says of it.
 *
 * The guest keeps our standard input, output and error. What it says comes as chunks, see
 * channel.h; those of one thread in order.
 */
#ifndef CPU_TRACE_RECORD_GUEST_H
#define CPU_TRACE_RECORD_GUEST_H

#include "base/arena.h"
#include "base/err.h"
#include "cpu_trace/record/channel.h"
#include "cpu_trace/record/decode.h"

#include <signal.h>
#include <sys/types.h>

struct guest_request {
    const char *const *arguments; /* the program first; ends with NULL */
    const char *plugin;           /* its file */
    u64 skip;
    bool blocks_only;                  /* no accesses */
    const char *const *environment;    /* NULL: ours, and our limit of the stack */
    const char *root;                  /* its files hide the machine's (QEMU's -L); may be NULL */
    bool is_silent;                    /* its standard input, output and error are /dev/null */
    const u8 *threads;                 /* which of CHANNEL_THREADS are wanted; NULL: all */
    const volatile sig_atomic_t *stop; /* may be NULL; once it is set, the guest is ended */
};

struct guest {
    struct arena arena;
    const char *program; /* its file */
    enum cpu_machine machine;
    struct channel *channel;
    pid_t process;
    const volatile sig_atomic_t *stop;
    bool has_ended, was_stopped;
    int status;     /* as of waitpid, once it has ended */
    u32 left_over;  /* chunks looked at after the end */
    u32 handed_out; /* the chunk that guest_next gave; CHANNEL_CHUNKS: none */
};

/* Needs guest_stop whatever it returns. */
bool guest_start(struct guest *g, const struct guest_request *request, struct err *err);
/* The next chunk, until the next call. NULL: the guest has ended and all was said. */
const struct chunk *guest_next(struct guest *g);
/* Ends it if it still runs. May be called on zeroed memory. */
void guest_stop(struct guest *g);
/* Whether it ended as programs do, after guest_next has returned NULL. */
bool guest_check(const struct guest *g, u64 instructions, struct err *err);
/* After its end: did another program take its process (exec), of which nothing is known? */
bool guest_was_replaced(const struct guest *g);

#endif

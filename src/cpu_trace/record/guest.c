#include "cpu_trace/record/guest.h"

#include "base/file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES 8388608u /* Linux's own limit */

/* ---- the program ---- */

static bool is_no_program(const struct guest *g, const char *what, struct err *err)
{
    return err_at(err, (struct src_pos){g->program, 0, 0},
                  "%s, expected a Linux program for x86-64 or AArch64", what);
}

/* What follows #! of a script. */
static bool is_script(const struct guest *g, const char *line, struct err *err)
{
    char interpreter[128] = "";
    sscanf(line + 2, " %127s", interpreter);
    return err_at(err, (struct src_pos){g->program, 0, 0},
                  "this is a script, expected a program: record its interpreter, `%s %s`",
                  interpreter, g->program);
}

static bool find_machine(struct guest *g, struct err *err)
{
    union {
        Elf64_Ehdr elf;
        char text[256];
    } head = {0};
    FILE *f = fopen(g->program, "rbe");
    if (!f)
        return err_at(err, (struct src_pos){g->program, 0, 0}, "cannot read the program: %s",
                      strerror(errno));
    size_t n = fread(&head, 1, sizeof head - 1, f);
    fclose(f);
    if (n >= 2 && memcmp(head.text, "#!", 2) == 0)
        return is_script(g, head.text, err);
    if (n < sizeof head.elf || memcmp(head.elf.e_ident, ELFMAG, SELFMAG) != 0)
        return is_no_program(g, "this is not an ELF file", err);
    if (head.elf.e_ident[EI_CLASS] != ELFCLASS64 ||
        (head.elf.e_type != ET_EXEC && head.elf.e_type != ET_DYN))
        return is_no_program(g, "this is not a 64-bit executable", err);
    if (head.elf.e_machine != EM_X86_64 && head.elf.e_machine != EM_AARCH64)
        return is_no_program(g, "this is for another machine", err);
    g->machine = head.elf.e_machine == EM_X86_64 ? MACHINE_X86_64 : MACHINE_AARCH64;
    return true;
}

/* ---- the channel ---- */

static bool make_channel(struct guest *g, const struct guest_request *r, int *fd, struct err *err)
{
    *fd = memfd_create("heddle-trace", 0);
    if (*fd < 0 || ftruncate(*fd, (off_t)sizeof *g->channel) != 0)
        return err_kind(err, ERR_INTERNAL, "no memory to share with QEMU: %s", strerror(errno));
    g->channel =
        mmap(NULL, sizeof *g->channel, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, *fd, 0);
    if (g->channel == MAP_FAILED) {
        g->channel = NULL;
        return err_kind(err, ERR_INTERNAL, "no memory to share with QEMU: %s", strerror(errno));
    }
    g->channel->version = CHANNEL_VERSION;
    g->channel->skip = r->skip;
    g->channel->with_accesses = !r->blocks_only;
    g->channel->all_threads = !r->threads;
    if (r->threads)
        memcpy(g->channel->threads, r->threads, CHANNEL_THREADS);
    return true;
}

/* ---- QEMU ---- */

/* Commas in the plugin's name would end it. */
static const char *plugin_argument(struct guest *g, const char *plugin, int fd)
{
    char *name = arena_alloc(&g->arena, 2 * strlen(plugin) + 1), *to = name;
    for (const char *from = plugin; *from; from++) {
        if (*from == ',')
            *to++ = ',';
        *to++ = *from;
    }
    return arena_printf(&g->arena, "%s,channel=%d", name, fd);
}

/* Where the libraries of a foreign program are, as Debian installs them. */
static const char *foreign_root(enum cpu_machine machine)
{
    static const char *const root = "/usr/aarch64-linux-gnu";
    return machine == MACHINE_AARCH64 && !getenv("QEMU_LD_PREFIX") && access(root, R_OK) == 0
               ? root
               : NULL;
}

static const char **qemu_arguments(struct guest *g, const char *qemu, const struct guest_request *r,
                                   int fd)
{
    u32 count = 0, n = 0;
    while (r->arguments[count])
        count++;
    const char **a = ARENA_ARRAY(&g->arena, const char *, count + 10);
    const char *root = r->root ? r->root : foreign_root(g->machine);
    a[n++] = qemu;
    a[n++] = "-plugin";
    a[n++] = plugin_argument(g, r->plugin, fd);
    if (root) {
        a[n++] = "-L";
        a[n++] = root;
    }
    a[n++] = "-0"; /* what the program is called */
    a[n++] = r->arguments[0];
    a[n++] = g->program;
    for (u32 i = 1; i < count; i++)
        a[n++] = r->arguments[i];
    return a;
}

static void be_silent(void)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; null >= 0 && fd <= 2; fd++)
        dup2(null, fd);
    if (null > 2)
        close(null);
}

/* The guest sees no environment of ours; QEMU places it by the limit of the stack. */
static void be_somewhere_else(const char *const *environment)
{
    struct rlimit stack;
    environ = (char **)(uintptr_t)environment;
    if (getrlimit(RLIMIT_STACK, &stack) == 0) {
        stack.rlim_cur = stack.rlim_max < STACK_BYTES ? stack.rlim_max : STACK_BYTES;
        setrlimit(RLIMIT_STACK, &stack);
    }
}

static bool start_qemu(struct guest *g, const char *qemu, const struct guest_request *r, int fd,
                       struct err *err)
{
    const char **arguments = qemu_arguments(g, qemu, r, fd);
    fflush(NULL);
    g->process = fork();
    if (g->process < 0)
        return err_kind(err, ERR_INTERNAL, "QEMU could not be started: %s", strerror(errno));
    if (g->process == 0) {
        /* threads that wait should sleep: what they would spin away is no work of the program */
        setenv("OMP_WAIT_POLICY", "passive", 0);
        if (r->environment)
            be_somewhere_else(r->environment);
        if (r->is_silent)
            be_silent();
        execv(qemu, (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    return true;
}

bool guest_start(struct guest *g, const struct guest_request *request, struct err *err)
{
    int fd = -1;
    *g = (struct guest){.handed_out = CHANNEL_CHUNKS, .has_ended = true, .stop = request->stop};
    g->program = program_find(request->arguments[0], &g->arena);
    if (!g->program) {
        g->program = request->arguments[0];
        return err_at(err, (struct src_pos){request->arguments[0], 0, 0},
                      "the program does not exist or is not executable");
    }
    if (!find_machine(g, err))
        return false;
    const char *name = arena_printf(&g->arena, "qemu-%s", cpu_machine_names[g->machine]);
    const char *qemu = program_find(name, &g->arena);
    if (!qemu)
        return err_at(err, (struct src_pos){0},
                      "%s is not installed, which runs the program while it is recorded (Debian "
                      "12: package qemu-user)",
                      name);
    bool ok = make_channel(g, request, &fd, err) && start_qemu(g, qemu, request, fd, err);
    g->has_ended = !ok;
    if (fd >= 0)
        close(fd);
    return ok;
}

/* ---- chunks ---- */

static void look_for_end(struct guest *g)
{
    if (!g->has_ended && waitpid(g->process, &g->status, WNOHANG) == g->process)
        g->has_ended = true;
}

/* What was being filled when the guest ended: definitions first, as they may be needed. */
static const struct chunk *next_left_over(struct guest *g)
{
    struct channel *c = g->channel;
    for (; g->left_over < 2 * CHANNEL_CHUNKS; g->left_over++) {
        struct chunk *k = &c->chunk[g->left_over % CHANNEL_CHUNKS];
        u32 wanted = g->left_over < CHANNEL_CHUNKS ? CHUNK_DEFINITIONS : CHUNK_RUN;
        if (k->state == wanted && k->used) {
            g->handed_out = g->left_over % CHANNEL_CHUNKS;
            return k;
        }
    }
    return NULL;
}

const struct chunk *guest_next(struct guest *g)
{
    struct channel *c = g->channel;
    if (g->handed_out != CHANNEL_CHUNKS) {
        c->chunk[g->handed_out].state = CHUNK_FREE;
        if (!g->left_over)
            queue_put(&c->empty, g->handed_out);
        g->handed_out = CHANNEL_CHUNKS;
    }
    for (;;) {
        if (g->stop && *g->stop) {
            g->was_stopped = true;
            return NULL;
        }
        if (queue_take(&c->full, &g->handed_out))
            return &c->chunk[g->handed_out];
        g->handed_out = CHANNEL_CHUNKS;
        if (g->has_ended)
            return next_left_over(g);
        look_for_end(g);
        if (!g->has_ended)
            queue_wait(&c->full);
    }
}

void guest_stop(struct guest *g)
{
    if (g->process > 0 && !g->has_ended) { /* kill(0) would end the caller's process group */
        kill(g->process, SIGKILL);
        waitpid(g->process, &g->status, 0);
        g->has_ended = true;
    }
    if (g->channel)
        munmap(g->channel, sizeof *g->channel);
    g->channel = NULL;
    arena_fini(&g->arena);
}

bool guest_check(const struct guest *g, u64 instructions, struct err *err)
{
    struct src_pos at = {g->program, 0, 0};
    if (g->was_stopped)
        return err_kind(err, ERR_INTERRUPTED, "interrupted: no trace was written");
    if (!atomic_load(&g->channel->attached))
        return err_at(
            err, at,
            "QEMU could not load heddle's plugin, expected qemu-user 7.2 as Debian 12 has "
            "it (later and static ones have no plugins)");
    if (WIFSIGNALED(g->status))
        return err_at(err, at, "the program died of signal %d (%s) after %llu instructions",
                      WTERMSIG(g->status), strsignal(WTERMSIG(g->status)),
                      (unsigned long long)(instructions + atomic_load(&g->channel->skipped)));
    return true;
}

bool guest_was_replaced(const struct guest *g)
{
    return g->has_ended && atomic_load(&g->channel->execs) != 0;
}

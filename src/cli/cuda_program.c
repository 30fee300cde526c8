#include "cli/cuda_program.h"

#include "base/arena.h"
#include "base/file.h"
#include "cli/command.h"
#include "cuda/code/fatbin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder that libcuda.so.1 is in. */
static const char *find_libraries(struct arena *arena)
{
    const char *own = getenv("HEDDLE_LIBRARIES");
    if (own && *own)
        return own;
    const char *file = library_find("libcuda.so.1", "src/cuda", arena);
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash ? arena_printf(arena, "%.*s", (int)(slash - file), file) : NULL;
}

/* False: it is linked with libraries of the system alone, and loads none later. */
static bool file_names_cuda(const char *file, size_t bytes)
{
    static const char *const plain[] = {"libc.so",  "libdl.so",      "libgcc_s.so", "libm.so",
                                        "librt.so", "libpthread.so", "libstdc++.so"};
    if (memmem(file, bytes, "dlopen", 6))
        return true;
    const char *end = file + bytes;
    for (const char *at = file; (at = memmem(at, (size_t)(end - at), "\0lib", 4)); at++) {
        size_t length = strnlen(at + 1, (size_t)(end - at) - 1);
        bool known = !memmem(at + 1, length, ".so", 3);
        for (size_t i = 0; i < ARRAY_LEN(plain); i++)
            known |= strncmp(at + 1, plain[i], strlen(plain[i])) == 0;
        if (!known)
            return true;
    }
    return false;
}

static bool may_call_cuda(const char *path)
{
    struct stat s;
    bool may = true; /* also when it may be run and not read */
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &s) == 0 && s.st_size > 0) {
        void *file = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) {
            may = file_names_cuda(file, (size_t)s.st_size);
            munmap(file, (size_t)s.st_size);
        }
    }
    if (fd >= 0)
        close(fd);
    return may;
}

/* What would otherwise be a crash of the loader or an obscure CUDA error: a
 * broken file, or broken GPU code in it; or silence: a program without any. */
static bool check_program(const char *path, struct err *err)
{
    if (!file_starts_with(path, "\177ELF", 4))
        return true; /* a script: what it starts is not ours to look at */
    struct arena arena = {0};
    struct fatbin_scan scan = {0};
    bool ok = fatbin_scan_file(&scan, path, &arena, err);
    for (u32 i = 0; ok && i < scan.count; i++) {
        if (scan.found[i].problem)
            ok = err_at(err, (struct src_pos){path, 0, 0}, "%s", scan.found[i].problem);
    }
    if (ok && !scan.count && !may_call_cuda(path))
        fprintf(stderr,
                "heddle: warning: %s has no GPU code and calls no CUDA library: nothing will be "
                "simulated\n",
                path);
    arena_fini(&arena);
    return ok;
}

static void prepend(const char *variable, const char *folder, struct arena *arena)
{
    const char *old = getenv(variable);
    setenv(variable, old && *old ? arena_printf(arena, "%s:%s", folder, old) : folder, 1);
}

/* Triton compiles PTX to machine code before it loads it: a stand-in for ptxas leaves the PTX as it
 * is. It also looks for the driver by itself, to link with it. */
static void prepare_triton(const char *libraries, struct arena *arena)
{
    const char *ptxas = arena_printf(arena, "%s/ptxas", libraries);
    setenv("TRITON_PTXAS_PATH", ptxas, 0);
    setenv("TRITON_PTXAS_BLACKWELL_PATH", ptxas, 0);
    setenv("TRITON_LIBCUDA_PATH", libraries, 0);
}

/* The host's own memory, where kernels may reach it, lies where it lay last time; where a sandbox
 * forbids that, cycles may depend on where it lies. */
static void fix_addresses(void)
{
    int old = personality(0xffffffff);
    if (old != -1)
        personality((unsigned long)old | ADDR_NO_RANDOMIZE);
}

bool cuda_program_run(const char *const *arguments, bool quiet, struct err *err)
{
    struct arena arena = {0};
    const char *libraries = find_libraries(&arena);
    const char *program = program_find(arguments[0], &arena);
    bool ok = true;
    if (!libraries)
        ok = err_kind(
            err, ERR_INTERNAL,
            "heddle's CUDA libraries were not found; set HEDDLE_LIBRARIES to their folder");
    else if (!program)
        ok = err_at(err, (struct src_pos){arguments[0], 0, 0},
                    "the program does not exist or is not executable");
    else
        ok = check_program(program, err);
    if (ok && program && libraries) {
        prepend("LD_LIBRARY_PATH", libraries, &arena);
        prepare_triton(libraries, &arena);
        setenv("HEDDLE_CUDA_SUMMARY", quiet ? "0" : "1", 1);
        fix_addresses();
        fflush(NULL);
        execv(program, (char *const *)(uintptr_t)arguments);
        ok = err_at(err, (struct src_pos){program, 0, 0}, "the program could not be started: %s",
                    strerror(errno));
    }
    arena_fini(&arena);
    return ok;
}

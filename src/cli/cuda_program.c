#include "cli/cuda_program.h"

#include "base/arena.h"
#include "base/file.h"
#include "front/cuda/fatbin.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where libcuda.so.1 is, as seen from the program's own folder. */
static const char *const library_folders[] = {"src/front/cuda", "../lib/heddle",
                                              "../lib/x86_64-linux-gnu/heddle"};

static const char *find_libraries(struct arena *arena)
{
    const char *own = getenv("HEDDLE_LIBRARIES");
    if (own && *own)
        return own;
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(exe, '/');
    for (size_t i = 0; slash && i < ARRAY_LEN(library_folders); i++) {
        const char *folder =
            arena_printf(arena, "%.*s/%s", (int)(slash - exe), exe, library_folders[i]);
        if (access(arena_printf(arena, "%s/libcuda.so.1", folder), R_OK) == 0) {
            char *real = realpath(folder, NULL);
            const char *kept = arena_strdup(arena, real ? real : folder);
            free(real);
            return kept;
        }
    }
    return NULL;
}

/* What would otherwise be a crash of the loader or an obscure CUDA error: a
 * broken file, or broken GPU code in it. */
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
    arena_fini(&arena);
    return ok;
}

static void prepend(const char *variable, const char *folder, struct arena *arena)
{
    const char *old = getenv(variable);
    setenv(variable, old && *old ? arena_printf(arena, "%s:%s", folder, old) : folder, 1);
}

bool cuda_program_run(const char *const *arguments, bool quiet, struct err *err)
{
    struct arena arena = {0};
    const char *libraries = find_libraries(&arena);
    const char *program = program_find(arguments[0], &arena);
    bool ok = true;
    if (!libraries)
        ok = err_kind(err, ERR_INTERNAL,
                      "heddle's CUDA libraries are not where they belong; "
                      "HEDDLE_LIBRARIES can name their folder");
    else if (!program)
        ok = err_at(err, (struct src_pos){arguments[0], 0, 0},
                    "there is no such program, or it may not be run");
    else
        ok = check_program(program, err);
    if (ok && program && libraries) {
        prepend("LD_LIBRARY_PATH", libraries, &arena);
        setenv("HEDDLE_CUDA_SUMMARY", quiet ? "0" : "1", 1);
        fflush(NULL);
        execv(program, (char *const *)(uintptr_t)arguments);
        ok = err_at(err, (struct src_pos){program, 0, 0}, "the program could not be started: %s",
                    strerror(errno));
    }
    arena_fini(&arena);
    return ok;
}

/*
 * Any bytes as an executable for AArch64: it is loaded and runs some steps, each decoded from
 * what the file has, or there is one message.
 */
#include "aarch64/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define MOST_STEPS 2000u

static void run(struct a64_program *p)
{
    struct err err = ERR_INIT;
    a64_symbol_at(p, p->entry);
    a64_run(p, MOST_STEPS);
    /* It may have stopped at anything; what is said of that has a sentence. */
    if (!a64_program_check(p, &err) && !err.what[0])
        abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct err err = ERR_INIT;
    struct a64_program p;
    char path[64];
    snprintf(path, sizeof path, "/dev/shm/fuzz-elf-%d", (int)getpid());
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size)
        abort();
    fclose(f);
    const struct a64_arguments arguments = {.path = path, .vl = 64, .threads = 2};
    if (a64_program_open(&p, &arguments, &err)) {
        run(&p);
        a64_program_close(&p);
    } else if (err.kind != ERR_INPUT || !err.what[0]) {
        abort();
    }
    unlink(path);
    return 0;
}

/* Any bytes as PTX: either a program, which is then lowered, or one message; never a crash, a leak
 * or a hang. */
#include "fuzz/ptx_mutator.h"

#include "ptx/lower/machine.h"
#include "ptx/program.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    static struct device_memory *memory;
    struct err err = ERR_INIT;
    if (!memory)
        memory = memory_create((u64)1 << 30, &err);
    if (!memory)
        abort();
    struct program_text text = {"fuzz.ptx", (const char *)data, size};
    struct program *p = program_load(&text, 1, memory, &err);
    if (p) {
        program_lower(p);
        program_destroy(p);
    } else if (err.kind != ERR_INPUT || !err.what[0])
        abort();
    if (memory_used(memory) != 0)
        abort();
    return 0;
}

/* Any bytes as a cubin: its kernels can be found by name, or there is one message. */
#include "base/arena.h"
#include "cuda/code/cubin.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct cubin c;
    if (cubin_read(&c, data, size, "input", &arena, &err)) {
        for (u32 i = 0; i < c.kernel_count; i++) {
            if (!cubin_find(&c, c.kernels[i].name))
                abort();
        }
    } else if (err.kind != ERR_INPUT || !err.what[0] || c.kernel_count != 0) {
        abort();
    }
    arena_fini(&arena);
    return 0;
}

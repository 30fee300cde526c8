/*
 * Any bytes as a table of measured launches: it is read, or there is one message.
 */
#include "study/silicon_table.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct silicon_table t;
    if (silicon_table_read_text(&t, "input", (const char *)data, size, "small", &arena, &err)) {
        /* what a reader may rely on */
        for (u32 i = 0; i < t.count; i++) {
            const struct silicon_launch *l = &t.launches[i];
            if (l->program >= t.program_count || !l->blocks || !l->threads ||
                !(silicon_value(&t, l, "cycles") > 0))
                abort();
        }
    } else if (err.kind != ERR_INPUT || !err.what[0]) {
        abort();
    }
    arena_fini(&arena);
    return 0;
}

/*
 * Any bytes as a table of measured launches, and as one of stalls: each is read, or there is one
 * message.
 */
#include "silicon/silicon_stalls.h"
#include "silicon/silicon_table.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void check_message(const struct err *err)
{
    if (err->kind != ERR_INPUT || !err->what[0])
        abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct arena arena = {0};
    struct err err = ERR_INIT, other = ERR_INIT;
    struct silicon_table t;
    struct silicon_stalls stalls;
    if (silicon_table_read_text(&t, "input", (const char *)data, size, "small", &arena, &err)) {
        /* what a reader may rely on */
        for (u32 i = 0; i < t.count; i++) {
            const struct silicon_launch *l = &t.launches[i];
            if (l->program >= t.program_count || !l->blocks || !l->threads ||
                !(silicon_value(&t, l, "cycles") > 0))
                abort();
        }
    } else {
        check_message(&err);
    }
    if (!silicon_stalls_read_text(&stalls, "input", (const char *)data, size, &arena, &other))
        check_message(&other);
    arena_fini(&arena);
    return 0;
}

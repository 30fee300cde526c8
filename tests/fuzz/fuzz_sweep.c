/*
 * Any bytes as a sweep file: it is read and its conditions are worked out, or there is one
 * message. Chips and workloads are not looked for.
 */
#include "campaign/sweep_file.h"
#include "campaign/where.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void check_message(const struct err *err)
{
    if (err->kind != ERR_INPUT || !err->what[0])
        abort();
}

static void check_conditions(const struct sweep_file *file)
{
    static const struct where_value values[] = {
        {.name = "chip", .text = "fermi15"},
        {.name = "sm.l1.mshrs", .number = 32},
        {.name = "sm.l1.ways", .number = 4},
        {.name = "l2.ways", .number = 8},
    };
    for (u32 i = 0; i < file->where_count; i++) {
        struct err err = ERR_INIT;
        bool holds;
        if (!where_holds(file->where[i], values, ARRAY_LEN(values), &holds, &err))
            check_message(&err);
    }
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct sweep_file file;
    if (sweep_file_read_text(&file, "input", (const char *)data, size, &arena, &err))
        check_conditions(&file);
    else
        check_message(&err);
    arena_fini(&arena);
    return 0;
}

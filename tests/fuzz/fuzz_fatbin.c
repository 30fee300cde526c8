/*
 * Any bytes as a fat binary, bare or inside a program: whatever is found in
 * them can be listed, chosen from and decoded, or there is one message.
 */
#include "base/arena.h"
#include "cuda/code/fatbin.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void expect_message(struct err *err)
{
    if (err->kind != ERR_INPUT || !err->what[0])
        abort();
    *err = ERR_INIT;
}

static void try_container(const struct fatbin *f, struct arena *arena)
{
    struct err err = ERR_INIT;
    const struct fatbin_entry *best;
    if (!fatbin_choose_ptx(f, 90, &best, &err))
        expect_message(&err);
    for (u32 i = 0; i < f->entry_count; i++) {
        const struct fatbin_entry *e = &f->entries[i];
        struct fatbin_image image;
        if (strlen(e->options) + strlen(e->identifier) > f->bytes * 2)
            abort();
        if (!fatbin_decode(f, e, &image, arena, &err))
            expect_message(&err);
        else if (image.data[image.bytes] != 0)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct fatbin f;
    struct fatbin_scan scan;
    if (fatbin_read(&f, data, size, "input", &arena, &err))
        try_container(&f, &arena);
    else
        expect_message(&err);
    if (!fatbin_scan(&scan, data, size, "input", &arena, &err))
        expect_message(&err);
    for (u32 i = 0; i < scan.count; i++) {
        if (scan.found[i].problem ? !scan.found[i].problem[0] : scan.found[i].fatbin.bytes > size)
            abort();
        try_container(&scan.found[i].fatbin, &arena);
    }
    arena_fini(&arena);
    return 0;
}

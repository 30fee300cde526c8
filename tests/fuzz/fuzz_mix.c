/* Any bytes as a mix: it is read and placed on a chip, or there is one message. */
#include "run/mix.h"
#include "machine/model.h"
#include "gpu/config.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    static const char *const names[] = {"bfs", "matmul"};
    static struct gpu_config chip = {.sm.count = 15};
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct mix mix;
    bool ok = mix_read_text(&mix, "input", (const char *)data, size, names, ARRAY_LEN(names),
                            &arena, &err) &&
              mix_place(&mix, models[0], &chip, "chip", &err);
    for (u32 i = 0; ok && i < mix.count; i++) {
        const struct application *a = &mix.applications[i];
        if (a->first >= a->end || a->end > chip.sm.count)
            abort();
    }
    if (!ok && (err.kind != ERR_INPUT || !err.what[0]))
        abort();
    arena_fini(&arena);
    return 0;
}

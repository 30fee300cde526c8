/* --series programs: what each program of a mix has of the shared cache and of DRAM, over time. */
#include "run/mix_series.h"

#include "base/arena.h"
#include "run/mix.h"

#include <string.h>

static const char *const of_program[] = {"l2_lines", "l2_accesses", "dram_read_bytes",
                                         "dram_written_bytes"};

const char **mix_series(const struct mix *mix, const char *const *names, u32 *count,
                        struct arena *arena)
{
    u32 most = *count + (mix ? mix->count * (u32)ARRAY_LEN(of_program) : 0), n = 0;
    const char **out = ARENA_ARRAY(arena, const char *, most);
    for (u32 k = 0; k < *count; k++) {
        if (!mix || strcmp(names[k], "programs") != 0) {
            out[n++] = names[k];
            continue;
        }
        for (u32 i = 0; i < mix->count; i++) {
            for (size_t s = 0; s < ARRAY_LEN(of_program); s++)
                out[n++] = arena_printf(arena, "application%u.%s", i, of_program[s]);
        }
    }
    *count = n;
    return out;
}

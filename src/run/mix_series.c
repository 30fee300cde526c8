/* --series programs: what each program of a mix has of cache, DRAM and network, over time. */
#include "run/mix_series.h"

#include "base/arena.h"
#include "base/err.h"
#include "run/mix.h"
#include "stats/tree.h"

#include <string.h>

static const char *const of_program[] = {"l2_lines", "l2_accesses", "dram_read_bytes",
                                         "dram_written_bytes"};

/* A mesh counts packets by the type of core that they are for, other networks only as a whole. */
static const char *const of_network[] = {"mesh.cpu.flits", "mesh.gpu.flits",
                                         "request_network.bytes", "reply_network.bytes"};

static bool is_known(const struct stats *stats, const char *name)
{
    double value;
    struct err err = {0};
    return stats && stats_number(stats, name, &value, &err);
}

static u32 add_networks(const struct stats *stats, const char **out)
{
    u32 first = is_known(stats, of_network[0]) ? 0 : 2, n = 0;
    for (u32 i = first; i < first + 2; i++) {
        if (is_known(stats, of_network[i]))
            out[n++] = of_network[i];
    }
    return n;
}

const char **mix_series(const struct mix *mix, const struct stats *stats, const char *const *names,
                        u32 *count, struct arena *arena)
{
    u32 most = *count + (mix ? mix->count * (u32)ARRAY_LEN(of_program) + 2 : 0), n = 0;
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
        n += add_networks(stats, out + n);
    }
    *count = n;
    return out;
}

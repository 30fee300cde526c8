#include "gpu/observe/kernel_counters.h"

#include "gpu/gpu.h"
#include "gpu/tables.h"

#include <string.h>

#define PART(id, path, table, presence) {path, table, presence},
static const struct snapshot_part parts[] = {GPU_PARTS(PART)};

#define PART_ID(id, path, table, presence) PART_##id,
enum { GPU_PARTS(PART_ID) };

#define ROW(field, elements, name, part, statistic)                                                \
    {name, PART_##part, statistic, (u32)(offsetof(struct gpu_counters, field) / sizeof(u64)),      \
     (u32)(sizeof((struct gpu_counters *)0)->field / sizeof(u64))},
static const struct snapshot_row rows[] = {GPU_NUMBERS(ROW)};

const struct snapshot_def gpu_counters_def = {
    .parts = parts,
    .rows = rows,
    .part_count = ARRAY_LEN(parts),
    .row_count = ARRAY_LEN(rows),
    .size = GPU_NUMBERS_SIZE,
};

const struct snapshot_def *gpu_counters_with(const char *cache_name, struct arena *arena)
{
    struct snapshot_def *def = ARENA_NEW(arena, struct snapshot_def);
    struct snapshot_part *own = ARENA_ARRAY(arena, struct snapshot_part, ARRAY_LEN(parts));
    if (strcmp(cache_name, "l2") == 0)
        return &gpu_counters_def;
    memcpy(own, parts, sizeof parts);
    for (u32 i = 0; i < ARRAY_LEN(parts); i++) {
        if (strncmp(own[i].path, "l2", 2) == 0)
            own[i].path = arena_printf(arena, "%s%s", cache_name, own[i].path + 2);
    }
    *def = gpu_counters_def;
    def->parts = own;
    return def;
}

#include "gpu/numbers.h"

#include "gpu/gpu.h"
#include "gpu/tables.h"

#define PART(id, path, table, optional) {path, table, optional},
static const struct snapshot_part parts[] = {GPU_PARTS(PART)};

#define PART_ID(id, path, table, optional) PART_##id,
enum { GPU_PARTS(PART_ID) };

#define ROW(field, elements, name, part, statistic)                                                \
    {name, PART_##part, statistic, (u32)(offsetof(struct gpu_numbers, field) / sizeof(u64)),       \
     (u32)(sizeof((struct gpu_numbers *)0)->field / sizeof(u64))},
static const struct snapshot_row rows[] = {GPU_NUMBERS(ROW)};

const struct snapshot_def gpu_numbers_def = {
    .parts = parts,
    .rows = rows,
    .part_count = ARRAY_LEN(parts),
    .row_count = ARRAY_LEN(rows),
    .size = GPU_NUMBERS_SIZE,
};

/*
 * Host of mm: C = A x B by MapReduce (see mm.cu for its memory behaviour and use).
 *
 * The elements of A and B are whole numbers from -8 to 8, so every partial sum is a whole number of
 * at most 64 x depth < 2^24: exact in f32 in any order. Compared exactly: the key (row, column),
 * the index entry and the value of every task.
 */
#include "mapreduce.h"
#include "random.h"

#define BLOCK 256

static float *make_matrix(struct host *h, const char *name, u32 rows, u32 depth)
{
    struct random r = random_stream(h->seed, name);
    size_t count = (size_t)rows * depth;
    float *m = HOST_ARRAY(h, float, count);
    for (size_t i = 0; i < count; i++)
        m[i] = (float)((int)random_below(r, i, 17) - 8);
    return m;
}

static float dot(const float *a, const float *b, u32 depth)
{
    float sum = 0;
    for (u32 k = 0; k < depth; k++)
        sum += a[k] * b[k];
    return sum;
}

static void check(struct host *h, const struct emission *e, const float *a, const float *b,
                  u32 columns, u32 depth)
{
    u32 tasks = e->tasks, *keys = HOST_ARRAY(h, u32, 2 * (size_t)tasks);
    float *values = HOST_ARRAY(h, float, tasks), *got = HOST_ARRAY(h, float, tasks);
    struct record *records = HOST_ARRAY(h, struct record, tasks);
    for (u32 task = 0; task < tasks; task++) {
        u32 row = task / columns, column = task % columns;
        keys[2 * task] = row;
        keys[2 * task + 1] = column;
        values[task] = dot(a + (size_t)row * depth, b + (size_t)column * depth, depth);
        records[task] = (struct record){task * 8, 8, task * 4, 4};
    }
    host_download(h, got, e->device.values, e->value_bytes);
    host_compare_f32(h, "values", got, values, tasks);
    mapreduce_check_u32(h, "keys", e->device.keys, keys, 2 * (size_t)tasks);
    mapreduce_check_records(h, "records", e->device.records, records, tasks);
}

static const struct host_choice choices[] = {
    {"rows", "of A", .sizes = {20, 96, 1536}},
    {"columns", "of B", .sizes = {200, 768, 2048}},
    {"depth", "columns of A", .sizes = {24, 64, 1024}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "mm", choices, argc, argv);
    u32 rows = host_measure(&h, "rows"), columns = host_measure(&h, "columns");
    u32 depth = host_measure(&h, "depth");
    u32 tasks = rows * columns;

    float *a = make_matrix(&h, "a", rows, depth), *b = make_matrix(&h, "b", columns, depth);
    CUdeviceptr device_a = host_upload(&h, a, (size_t)rows * depth * sizeof(float));
    CUdeviceptr device_b = host_upload(&h, b, (size_t)columns * depth * sizeof(float));
    struct emission e = emission_create(&h, tasks);

    struct dim grid = DIM1(blocks_for(tasks, BLOCK)), block = DIM1(BLOCK);
    host_launch(&h, host_kernel(&h, "mm_map_count"), grid, block, 0, ARGS(&e.device, &tasks));
    emission_place(&h, &e);
    if (e.records != tasks || e.key_bytes != 8 * tasks || e.value_bytes != 4 * tasks)
        host_fail(&h, "%u records were placed, expected %u", e.records, tasks);
    host_launch(&h, host_kernel(&h, "mm_map"), grid, block, 0,
                ARGS(&device_a, &device_b, &e.device, &columns, &depth, &tasks));
    check(&h, &e, a, b, columns, depth);
    return host_finish(&h);
}

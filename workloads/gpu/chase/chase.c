/*
 * Host of chase: a pointer chase (see chase.cu for its memory behaviour and use).
 *
 * The pointers are one cycle through all lines (Sattolo 1986). The CPU follows the same pointers;
 * where the chase ends is printed as a line number and the pointer compared exactly, after the
 * launch that goes once around (l1, l2: back to the start) and after the one that counts.
 */
#include "host.h"
#include "random.h"

#include <stdio.h>

#define LINE_BYTES 128
#define LINE_POINTERS (LINE_BYTES / sizeof(u64))

enum { L1, L2, DRAM };

static const struct host_choice choices[] = {
    {"footprint", "the level that holds it", .words = {"l1", "l2", "dram", NULL}},
    {0},
};

/* next[i] is the line after line i. */
static u32 *make_cycle(struct host *h, u32 lines)
{
    struct random r = random_stream(h->seed, "cycle");
    u32 *next = HOST_ARRAY(h, u32, lines);
    for (u32 i = 0; i < lines; i++)
        next[i] = i;
    for (u32 i = lines - 1; i > 0; i--) {
        u32 other = random_below(r, i, i), kept = next[i];
        next[i] = next[other];
        next[other] = kept;
    }
    return next;
}

static u32 walk(const u32 *next, u32 line, u32 steps)
{
    while (steps-- > 0)
        line = next[line];
    return line;
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "chase", choices, argc, argv);
    u32 footprint = host_chosen(&h, "footprint"), bytes;
    if (footprint == L1)
        bytes = host_pick(&h, 8u << 10, 8u << 10, 32u << 10);
    else if (footprint == L2)
        bytes = host_pick(&h, 512u << 10, 512u << 10, 8u << 20);
    else
        bytes = host_pick(&h, 8u << 20, 32u << 20, 1u << 30);
    u32 lines = bytes / LINE_BYTES, steps = host_pick(&h, 1000, 50000, 1000000);

    u32 *next = make_cycle(&h, lines);
    u64 *table = HOST_ARRAY(&h, u64, bytes / sizeof(u64));
    CUdeviceptr base = host_device_alloc(&h, bytes),
                device_end = host_device_alloc(&h, sizeof(u64));
    for (u32 i = 0; i < lines; i++)
        table[i * LINE_POINTERS] = base + (u64)next[i] * LINE_BYTES;
    CU(&h, cuMemcpyHtoD, (base, table, bytes));

    /* Once around, and then the steps that count. What only DRAM holds cannot be made warm. */
    CUfunction kernel = host_kernel(&h, "chase_steps");
    u32 counts[] = {lines, steps}, line = 0;
    for (u32 i = footprint == DRAM; i < 2; i++) {
        CUdeviceptr start = base + (u64)line * LINE_BYTES;
        host_launch(&h, kernel, DIM1(1), DIM1(1), 0, ARGS(&start, &counts[i], &device_end));
        line = walk(next, line, counts[i]);
        u64 got, expected = base + (u64)line * LINE_BYTES;
        host_download(&h, &got, device_end, sizeof got);
        host_compare_u32(&h, "end", (const u32 *)&got, (const u32 *)&expected, 2);
        if (!h.quiet)
            printf("chase: after %u steps at line %u of %u\n", counts[i],
                   (u32)((got - base) / LINE_BYTES), lines);
    }
    return host_finish(&h);
}

/* Loads of 8 and 16 bytes a lane from shared memory, some lanes at the same place: how long they
 * keep the data pipe. */
#include "bench.h"

#include <stdlib.h>

#define STEPS 8
#define WARPS 16

/* Lanes of a group of 2^shift read one place, groups `stride` bytes apart. */
static struct kernel build_wide(struct bench *b, u32 words, u32 shift, u32 stride)
{
    char *steps = NULL;
    size_t bytes;
    FILE *f = open_memstream(&steps, &bytes);
    for (u32 i = 0; i < STEPS; i++) {
        u32 r = 100 + i * 4;
        if (words == 2)
            fprintf(f, "ld.volatile.shared.v2.u32 {%%r%u,%%r%u}, [%%r10];\n", r, r + 1);
        else
            fprintf(f, "ld.volatile.shared.v4.u32 {%%r%u,%%r%u,%%r%u,%%r%u}, [%%r10];\n", r, r + 1,
                    r + 2, r + 3);
    }
    fclose(f);
    char *body = timed_loop(
        text("mov.u32 %%r10, smem; shr.u32 %%r11, %%r3, %u; mul.lo.u32 %%r11, %%r11, %u; add.u32 "
             "%%r10, %%r10, %%r11;",
             shift, stride),
        steps,
        "xor.b32 %r90, %r100, %r104; xor.b32 %r90, %r90, %r108; setp.eq.u32 %p2, %r90, "
        "0x9e3779b1;\n@%p2 st.global.u32 [%d0], %r90;");
    struct kernel k = kernel_build(b, text("wide-%u-%u-%u", words, shift, stride), "", 16384, body);
    free(steps);
    free(body);
    return k;
}

void group_wide(struct bench *b)
{
    static const struct {
        u32 shift, stride;
    } ways[] = {{5, 16},  {4, 16}, {4, 128}, {3, 16}, {3, 128}, {2, 16}, {2, 128}, {1, 16},
                {1, 128}, {0, 16}, {0, 32},  {0, 48}, {0, 64},  {0, 80}, {0, 144}, {0, 272}};
    for (u32 words = 2; words <= 4; words += 2) {
        for (u32 i = 0; i < sizeof ways / sizeof ways[0]; i++) {
            struct kernel k = build_wide(b, words, ways[i].shift, ways[i].stride);
            struct launch l = {.grid = 1, .block = 32 * WARPS, .loops = loops_of(b, 64, 4)};
            struct samples s = kernel_cycles(b, &k, l);
            record(b, text("ld.shared of %u bytes a lane", words * 4),
                   text("%u lanes at a place; places %u bytes apart", 1u << ways[i].shift,
                        ways[i].stride),
                   &s, 1.0 / (WARPS * STEPS), "cycles per warp instruction and SM");
            kernel_free(b, &k);
        }
    }
}

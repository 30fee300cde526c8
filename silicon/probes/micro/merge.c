/*
 * Loads that find their line already asked for: how many of them may wait for one line, and on
 * what. Lines lie in L2 and not in L1; each turn takes a new one, and the next turn begins when
 * every warp has its data.
 */
#include "bench.h"

#include <stdlib.h>

#define APART 512 /* bytes between the lines of two turns */

/* `lanes`: 0, all lanes load one word, load j the word 4 j behind; else lane i loads the word
 * `lanes` i behind. */
static struct kernel build_merge(struct bench *b, u32 loads, u32 lanes, u32 step)
{
    char *steps = NULL;
    size_t bytes;
    FILE *f = open_memstream(&steps, &bytes);
    for (u32 j = 0; j < loads; j++)
        fprintf(f, "ld.global.ca.u32 %%r%u, [%%d20+%u];\n", 100 + j, j * step);
    for (u32 j = 1; j < loads; j++)
        fprintf(f, "or.b32 %%r100, %%r100, %%r%u;\n", 100 + j);
    /* what was loaded is 0 */
    fprintf(f,
            "cvt.u64.u32 %%d21, %%r100; add.u64 %%d20, %%d20, %%d21; add.u64 %%d20, %%d20, "
            "%u;\nbar.sync 0;\n",
            APART);
    fclose(f);
    char *body = timed_loop(text("mul.lo.u32 %%r10, %%r3, %u; cvt.u64.u32 %%d10, %%r10;\n"
                                 "add.u64 %%d20, %%d1, %%d10;",
                                 lanes),
                            steps,
                            "cvt.u32.u64 %r10, %d20; setp.eq.u32 %p2, %r10, 0x9e3779b1;\n"
                            "@%p2 st.global.u64 [%d0], %d20;");
    struct kernel k = kernel_build(b, text("merge-%u-%u-%u", loads, lanes, step), "", 0, body);
    free(steps);
    free(body);
    return k;
}

void group_merge(struct bench *b)
{
    static const struct {
        const char *name;
        u32 lanes, step;
    } shapes[] = {
        {"one word; loads in one line", 0, 4},
        {"a line; loads a word apart", 4, 4}, /* two lines from the second load on */
        {"32 sectors of 8 lines; loads a word apart", 32, 4},
    };
    static const u32 warps[] = {1, 4, 8, 16, 32}, loads[] = {1, 2, 3, 4, 6, 8, 9, 12, 16, 24, 32};
    if (!b->dry)
        CU(b, cuMemsetD8, (b->data, 0, 1 << 20));
    for (u32 s = 0; s < 3; s++) {
        for (u32 n = 0; n < 11; n++) {
            struct kernel k = build_merge(b, loads[n], shapes[s].lanes, shapes[s].step);
            for (u32 w = 0; w < 5; w++) {
                if (warps[w] * loads[n] > (s == 2 ? 128 : 512) || (s == 2 && loads[n] > 8))
                    continue;
                struct launch l = {.grid = 1, .block = 32 * warps[w], .loops = loops_of(b, 128, 8)};
                struct samples t = kernel_cycles(b, &k, l);
                record(b, text("loads of %s", shapes[s].name),
                       text("%u warps; %u loads each", warps[w], loads[n]), &t, 1,
                       "cycles until all have come");
            }
            kernel_free(b, &k);
        }
    }
}

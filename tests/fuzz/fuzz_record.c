/*
 * Any bytes as a recording: it opens and its blocks run to their end, stand at a
 * barrier for good or fault with one message. The first byte says whether the
 * rest is a file, or, as packed pieces would hide them from the fuzzer, the
 * inside of a block, of a kernel or of the list of events.
 */
#include "source/recording/kernel_record.h"
#include "source/recording/recording.h"

#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static char path[64];

static void expect_message(const struct err *err)
{
    if (err->kind != ERR_INPUT || !err->what[0])
        abort();
}

/* ---- files ----------------------------------------------------------------------------------- */

static void write_file(const u8 *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size)
        abort();
    fclose(f);
}

/* One instruction of each kind, of which memory instructions have addresses. */
static void describe_kernel(struct kernel_record *k)
{
    static const u16 regs[] = {1, 2, 3};
    static struct instruction instructions[WINST_EXIT + 1];
    static u32 slots[WINST_EXIT + 1];
    static struct container_place block;
    for (u32 i = 0; i <= WINST_EXIT; i++) {
        instructions[i] = (struct instruction){.pc = i * INSTRUCTION_BYTES,
                                               .regs = regs,
                                               .dst_count = 1,
                                               .src_count = 2,
                                               .kind = (u8)i};
        slots[i] = i >= WINST_LOAD && i <= WINST_ASYNC_COPY ? 0 : NO_SLOT;
    }
    *k = (struct kernel_record){.shape = {.name = "k",
                                          .blocks = 1,
                                          .threads_per_block = 70,
                                          .warps_per_block = 3,
                                          .scoreboard_registers = 4},
                                .instructions = instructions,
                                .slots = slots,
                                .instruction_count = WINST_EXIT + 1,
                                .blocks = &block};
}

static void put_launch(struct bytes *directory, struct container_place kernel)
{
    put_varint(directory, 2);
    put_u8(directory, EVENT_LAUNCH);
    put_varint(directory, kernel.offset);
    put_varint(directory, kernel.packed_bytes);
    put_varint(directory, kernel.raw_bytes);
    put_u8(directory, EVENT_DONE);
    put_varint(directory, 0);
}

enum part { PART_FILE, PART_BLOCK, PART_KERNEL, PART_EVENTS, PART_COUNT };

/* A file that is well but for one part. */
static void write_around(enum part part, const u8 *data, size_t size)
{
    struct err err = ERR_INIT;
    struct container_writer f;
    struct kernel_record k;
    struct bytes given = {0}, kernel = {0}, directory = {0};
    if (!container_create(&f, &record_container, path, &err))
        abort();
    put_raw(&given, data, size);
    describe_kernel(&k);
    k.blocks[0] = container_put(&f, &given);
    kernel_record_put(&kernel, &k);
    put_launch(&directory, container_put(&f, part == PART_KERNEL ? &given : &kernel));
    if (!container_finish(&f, part == PART_EVENTS ? &given : &directory))
        abort();
    container_writer_fini(&f);
    free(given.data);
    free(kernel.data);
    free(directory.data);
}

/* ---- running --------------------------------------------------------------------------------- */

static void check_step(const struct grid_source *g, const struct winst *w)
{
    const struct instruction *i = w->instruction;
    u32 lanes = w->in_global | w->in_shared | w->in_local | w->in_const;
    u64 sum = 0;
    if (lanes & ~w->mask || (lanes && !w->address) || i->pc % INSTRUCTION_BYTES)
        abort();
    for (u32 l = 0; l < 32 && lanes; l++)
        sum += w->address[l];
    for (u32 r = 0; r < (u32)i->dst_count + i->src_count; r++) {
        if (i->regs[r] >= g->scoreboard_registers)
            abort();
    }
    *(volatile u64 *)&sum = sum;
}

/* False: a fault. */
static bool run_block(const struct grid_source *g, void *block, u64 *steps)
{
    for (bool moved = true; moved && *steps;) {
        moved = false;
        for (u32 warp = 0; warp < g->warps_per_block && *steps; warp++) {
            const struct instruction *next;
            struct winst w;
            if (g->ops->next(block, warp, &next) != NEXT_READY)
                continue;
            --*steps;
            if (!g->ops->step(block, warp, &w))
                return false;
            if (w.instruction != next)
                abort();
            check_step(g, &w);
            moved = true;
        }
    }
    return true;
}

#define MOST_STEPS 100000u

static void run_kernel(struct recording *p, u32 launch)
{
    struct arena arena = {0};
    struct grid_source g;
    struct err err = ERR_INIT;
    u64 steps = MOST_STEPS;
    if (!recording_kernel(p, launch, &arena, &g, &err)) {
        expect_message(&err);
        arena_fini(&arena);
        return;
    }
    for (u64 i = 0; i < g.blocks && i < 4; i++) {
        void *block = g.ops->block_begin(g.self, i, &(struct sm_place){.sm = 0});
        if (!run_block(&g, block, &steps)) {
            g.ops->fault(g.self, &err);
            expect_message(&err);
        }
        g.ops->block_end(g.self, block);
    }
    arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct err err = ERR_INIT;
    if (!size)
        return 0;
    snprintf(path, sizeof path, "/dev/shm/fuzz-record-%d", (int)getpid());
    enum part part = (enum part)(data[0] % PART_COUNT);
    if (part == PART_FILE)
        write_file(data + 1, size - 1);
    else
        write_around(part, data + 1, size - 1);
    struct recording *p = recording_open(path, &err);
    if (!p)
        expect_message(&err);
    for (u32 i = 0; p && i < recording_launch_count(p) && i < 4; i++)
        run_kernel(p, i);
    recording_close(p);
    unlink(path);
    return 0;
}

/* What is recorded comes back: instructions, lanes, addresses, and who waits for whom. */
#include "source/recording/record_bed.h"
#include "ptx/exec/running.h"

#include "source/synthetic/scripted.h"
#include "ptx/kernel_source.h"

/* ---- scripts --------------------------------------------------------------------------------- */

static void expect_script(const struct scripted_kernel *k)
{
    struct arena arena = {0};
    struct grid_source g = scripted_source(k, &arena);
    expect_replay(&g);
    arena_fini(&arena);
}

static const u64 gather[32] = {0x1000, 0x9000,          0x20, 0xffffffffffffff00, 0x1000,
                               7,      0x123456789abcd, 8};

static const struct scripted_instruction every_kind[] = {
    {.unit = UNIT_FP32, .cost = COST_MULTIPLY_ADD, .dst = 1, .src0 = 2, .src1 = 65534},
    {.kind = WINST_LOAD,
     .unit = UNIT_MEMORY,
     .dst = 3,
     .space = SPACE_GLOBAL,
     .bytes = 4,
     .base = 0x7f0000000000,
     .lane_stride = 4,
     .warp_stride = 128,
     .block_stride = 4096,
     .iteration_stride = 65536},
    {.kind = WINST_LOAD,
     .unit = UNIT_MEMORY,
     .dst = 3,
     .space = SPACE_SHARED,
     .bytes = 8,
     .base = 0x400,
     .lane_stride = -8},
    {.kind = WINST_STORE, .unit = UNIT_MEMORY, .space = SPACE_LOCAL, .bytes = 16, .mask = 0x10},
    {.kind = WINST_ATOMIC,
     .unit = UNIT_MEMORY,
     .space = SPACE_GLOBAL,
     .bytes = 4,
     .addresses = gather,
     .mask = 0xf00f00ff},
    {.kind = WINST_TEXTURE,
     .unit = UNIT_MEMORY,
     .space = SPACE_GLOBAL,
     .bytes = 4,
     .addresses = gather,
     .cache_operator = CACHE_STREAM,
     .warps = 2},
    {.kind = WINST_LOAD, .unit = UNIT_MEMORY, .space = SPACE_CONST, .bytes = 4, .base = 0x100},
    {.kind = WINST_ASYNC_COMMIT, .unit = UNIT_MEMORY},
    {.kind = WINST_ASYNC_WAIT, .unit = UNIT_MEMORY, .bytes = 255},
    {.kind = WINST_FENCE, .unit = UNIT_MEMORY},
    {.kind = WINST_SLEEP, .unit = UNIT_INT, .sleep_cycles = 1000000, .warps = 1},
    {.kind = WINST_CONTROL, .unit = UNIT_BRANCH},
};

TEST(every_kind_of_instruction_and_address_comes_back)
{
    UNUSED_STATE;
    struct scripted_kernel k = {.name = "all kinds",
                                .code = every_kind,
                                .count = ARRAY_LEN(every_kind),
                                .iterations = 200,
                                .blocks = 7,
                                .threads_per_block = 70,
                                .registers_per_thread = 20,
                                .shared_bytes_per_block = 4096,
                                .local_bytes_per_thread = 64,
                                .code_base = 0x5000,
                                .stream = 3};
    expect_script(&k);
}

static const struct scripted_instruction one_barrier[] = {
    {.unit = UNIT_INT, .dst = 1},
    {.unit = UNIT_INT, .dst = 1, .warps = 0x5},
    {.kind = WINST_BARRIER, .unit = UNIT_BRANCH, .mask = 0xff},
    {.unit = UNIT_INT, .dst = 2},
};

TEST(a_scripted_barrier_opens_in_any_order)
{
    UNUSED_STATE;
    struct scripted_kernel k = {.code = one_barrier,
                                .count = ARRAY_LEN(one_barrier),
                                .iterations = 50,
                                .blocks = 5,
                                .threads_per_block = 256};
    expect_script(&k);
}

/* Warps of which some end before the others meet. */
static const struct scripted_instruction early_end[] = {
    {.unit = UNIT_INT, .dst = 1},
    {.kind = WINST_EXIT, .unit = UNIT_BRANCH, .warps = 0x2},
    {.unit = UNIT_INT, .dst = 1, .warps = 0xd},
    {.kind = WINST_BARRIER, .unit = UNIT_BRANCH, .warps = 0x9},
    {.unit = UNIT_INT, .dst = 1, .warps = 0x9},
};

TEST(a_scripted_barrier_waits_for_warps_to_end)
{
    UNUSED_STATE;
    struct scripted_kernel k = {
        .code = early_end, .count = ARRAY_LEN(early_end), .blocks = 9, .threads_per_block = 128};
    expect_script(&k);
}

TEST(warps_with_nothing_to_do_have_ended_from_the_start)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {{.unit = UNIT_INT, .warps = 2}};
    struct scripted_kernel k = {.code = code, .count = 1, .blocks = 3, .threads_per_block = 96};
    expect_script(&k);
}

/* ---- PTX ------------------------------------------------------------------------------------- */

static void expect_source(struct run *r, bool lowered)
{
    struct ptx_source *s = ptx_source_open(&r->launch, &r->err);
    assert_non_null(s);
    if (lowered)
        ptx_source_lower(s);
    struct grid_source g = ptx_source_grid(s);
    expect_replay(&g);
    ptx_source_close(s);
    ptx_source_rest();
}

/* As PTX and as machine instructions. */
static void expect_launch(struct run *r)
{
    expect_source(r, false);
    expect_source(r, true);
    run_end(r);
}

static void expect_kernel(const char *text, u32 threads)
{
    struct run r;
    run_load(&r, text, 65536);
    r.launch.block[0] = threads;
    r.launch.grid[0] = 6;
    r.launch.max_instructions = 0;
    expect_launch(&r);
}

TEST(paths_of_a_warp_come_back_in_their_order)
{
    UNUSED_STATE;
    expect_kernel(KERNEL("and.b32 %r2, %r1, 7; mov.u32 %r3, 0;\n"
                         "LOOP: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r2; @%p1 bra LOOP;\n"
                         "setp.eq.u32 %p2, %r2, 3; @%p2 st.global.u32 [%rd3], %r3;\n"
                         "@%p2 exit;\n"
                         "nanosleep.u32 100; st.global.u32 [%rd3], %r2;"),
                  100);
}

TEST(generic_addresses_in_several_spaces_come_back)
{
    UNUSED_STATE;
    expect_kernel(HEADER
                  ".shared .align 4 .b8 tile[512];\n" PROLOGUE
                  "mov.u64 %rd5, tile; cvta.shared.u64 %rd5, %rd5; add.u64 %rd5, %rd5, %rd2;\n"
                  "and.b32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 1;\n"
                  "selp.b64 %rd6, %rd5, %rd3, %p1;\n"
                  "st.u32 [%rd6], %r1; ld.u32 %r4, [%rd6]; atom.add.u32 %r5, [%rd6], 1;\n"
                  "}\n",
                  128);
}

TEST(bar_sync_waits_for_all_that_have_not_exited)
{
    UNUSED_STATE;
    expect_kernel(KERNEL("mov.u32 %r3, 0;\n"
                         "LOOP: setp.gt.u32 %p2, %r3, 2; setp.ge.and.u32 %p2, %r1, 150, %p2;\n"
                         "@%p2 exit; setp.gt.u32 %p2, %r1, 100; @%p2 add.u32 %r4, %r4, %r3;\n"
                         "bar.sync 0; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 6;\n"
                         "@%p1 bra LOOP; bar.warp.sync 0xffffffff;"),
                  200);
}

TEST(a_guard_behind_a_barrier_may_let_no_lane_pass)
{
    UNUSED_STATE;
    expect_kernel(KERNEL("setp.gt.u32 %p1, %r1, 9999; @%p1 bar.sync 1;\n"
                         "bar.sync 0; @%p1 add.u32 %r3, %r3, 1; @%p1 bar.sync 0;\n"
                         "st.global.u32 [%rd3], %r1;"),
                  128);
}

static const char producer_and_consumer[] =
    HEADER ".shared .align 4 .b32 item;\n" PROLOGUE "mov.u32 %r5, 0; mov.u32 %r6, 0;\n"
           "shr.u32 %r7, %r1, 6; shl.b32 %r7, %r7, 1; add.u32 %r8, %r7, 1; add.u32 %r9, %r7, 2;\n"
           "and.b32 %r10, %r1, 63; setp.ge.u32 %p1, %r10, 32;\n"
           "@%p1 bra PRODUCER;\n"
           "CONSUMER: barrier.sync %r8, 64;\n"
           "mad.lo.u32 %r6, %r6, 10, %r2;\n"
           "barrier.arrive %r9, 64;\n"
           "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 9; @%p2 bra CONSUMER;\n"
           "st.global.u32 [%rd3], %r6; ret;\n"
           "PRODUCER: add.u32 %r5, %r5, 1; mul.lo.u32 %r4, %r5, 3;\n"
           "barrier.arrive %r8, 64;\n"
           "barrier.sync %r9, 64;\n"
           "setp.lt.u32 %p2, %r5, 9; @%p2 bra PRODUCER; ret; }\n";

/* Pairs of warps with two barriers each; a pair that is done has nothing to do with the others. */
TEST(pairs_meet_at_named_barriers_with_arrivals_that_do_not_wait)
{
    UNUSED_STATE;
    expect_kernel(producer_and_consumer, 256);
}

TEST(lanes_that_come_to_a_barrier_on_two_paths_go_on_together)
{
    UNUSED_STATE;
    expect_kernel(KERNEL("and.b32 %r3, %r1, 31; setp.lt.u32 %p1, %r3, 16;\n"
                         "@%p1 bra A;\n"
                         "add.u32 %r4, %r4, 1; bar.sync 0; bra J;\n"
                         "A: bar.sync 0;\n"
                         "J: activemask.b32 %r2; st.global.u32 [%rd3], %r2;"),
                  128);
}

/* The barrier opens when the other half of a warp exits, and that warp was never waiting. */
TEST(a_path_that_exits_opens_the_barrier_for_the_other)
{
    UNUSED_STATE;
    expect_kernel(KERNEL("and.b32 %r3, %r1, 31; setp.lt.u32 %p1, %r3, 16;\n"
                         "@!%p1 bra B;\n"
                         "bar.sync 0; st.global.u32 [%rd3], %r2; ret;\n"
                         "B: mov.u32 %r4, 0;\n"
                         "L: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 20; @%p2 bra L; exit;"),
                  128);
}

/* ---- workloads ------------------------------------------------------------------------------- */

static char *read_workload(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/workloads/gpu/%s", getenv("HEDDLE_SOURCE"), name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return text;
}

/* A launch of 256 threads a block, without parameters yet. */
static void load_workload(struct run *r, const char *file, const char *kernel, char **text)
{
    *r = (struct run){.err = ERR_INIT};
    *text = read_workload(file);
    r->memory = memory_create((u64)64 << 20, &r->err);
    struct program_text source = {file, *text, strlen(*text)};
    r->program = program_load(&source, 1, r->memory, &r->err);
    assert_non_null(r->program);
    r->launch = (struct launch){.kernel = program_find_kernel(r->program, kernel),
                                .grid = {4, 2, 1},
                                .block = {256, 1, 1},
                                .memory = r->memory,
                                .resident_blocks = 1,
                                .sm_count = 1};
}

static u64 buffer(struct run *r)
{
    return memory_alloc(r->memory, 1 << 20, 256, "buffer", 0);
}

TEST(a_tiled_matrix_product_comes_back)
{
    UNUSED_STATE;
    struct run r;
    char *text;
    load_workload(&r, "matmul/matmul.ptx", "matmul_tiled", &text);
    struct {
        u64 a, b, c;
        u32 columns, depth;
    } params = {buffer(&r), buffer(&r), buffer(&r), 64, 64};
    r.launch.params = &params;
    r.launch.block[0] = r.launch.block[1] = 16;
    expect_launch(&r);
    free(text);
}

TEST(a_reduction_comes_back)
{
    UNUSED_STATE;
    struct run r;
    char *text;
    load_workload(&r, "reduce/reduce.ptx", "reduce_blocks", &text);
    struct {
        u64 in;
        u32 count;
        u64 partial;
    } params = {buffer(&r), 5000, buffer(&r)};
    r.launch.params = &params;
    expect_launch(&r);
    free(text);
}

TEST(regions_come_back)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct scripted_kernel k = {.code = every_kind, .count = 1, .threads_per_block = 32};
    struct grid_source g = scripted_source(&k, &arena);
    struct region_list l = {.at = {{0x7f0000000000, 4096}, {0x1000, 1}},
                            .count = 2,
                            .beyond = 3,
                            .beyond_bytes = (u64)5 << 40};
    g.regions = &l;
    expect_replay(&g);
    l = (struct region_list){0}; /* known to be none */
    expect_replay(&g);
    arena_fini(&arena);
}

RUN_TESTS(T(every_kind_of_instruction_and_address_comes_back),
          T(a_scripted_barrier_opens_in_any_order), T(a_scripted_barrier_waits_for_warps_to_end),
          T(warps_with_nothing_to_do_have_ended_from_the_start),
          T(paths_of_a_warp_come_back_in_their_order),
          T(generic_addresses_in_several_spaces_come_back),
          T(bar_sync_waits_for_all_that_have_not_exited),
          T(a_guard_behind_a_barrier_may_let_no_lane_pass),
          T(pairs_meet_at_named_barriers_with_arrivals_that_do_not_wait),
          T(lanes_that_come_to_a_barrier_on_two_paths_go_on_together),
          T(a_path_that_exits_opens_the_barrier_for_the_other),
          T(a_tiled_matrix_product_comes_back), T(a_reduction_comes_back), T(regions_come_back))

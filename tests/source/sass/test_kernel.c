#include "testing.h"

#include "source/source_driver.h"
#include "source/sass/trace_text.h"

static struct err err;

/* Block 0, warp 1 waits for warp 0; block 1 has one warp with instructions. */
static const char small[] = HEADER("5") BEGIN("0")
    WARP("0", "5") "0000 ffffffff 1 R1 IMAD.MOV.U32 2 R255 R255 0 0 \n"
                   "0010 ffffffff 1 R4 LDG.E.128 1 R2 16 1 0x7f0000001000 16 0 \n"
                   "0020 0000ffff 0 STS 2 R0 R4 4 1 0x7f0675000010 4 0 \n"
                   "0030 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0 \n"
                   "0040 ffffffff 0 EXIT 0 0 0 \n"
                   "\n" WARP("1", "2") "0030 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0 \n"
                                       "0040 ffffffff 0 EXIT 0 0 0 \n" END BEGIN("1")
                                           WARP("0", "0") "\n" WARP(
                                               "1", "1") "0040 ffffffff 0 EXIT 0 0 0 \n" END;

static struct trace_kernel *open_good(const char *text, struct grid_source *g)
{
    err = ERR_INIT;
    struct trace_kernel *k = open_text(text, &err);
    assert_non_null(k);
    *g = trace_kernel_grid(k);
    return k;
}

/* Steps a warp that must be ready. */
static struct winst step(const struct grid_source *g, void *block, u32 warp)
{
    const struct instruction *next;
    struct winst w;
    assert_int_equal(g->ops->next(block, warp, &next), NEXT_READY);
    assert_true(g->ops->step(block, warp, &w));
    assert_ptr_equal(w.instruction, next);
    return w;
}

static enum warp_next state_of(const struct grid_source *g, void *block, u32 warp)
{
    const struct instruction *next;
    return g->ops->next(block, warp, &next);
}

TEST(the_header_describes_the_grid)
{
    UNUSED_STATE;
    struct grid_source g;
    struct trace_kernel *k = open_good(small, &g);
    assert_string_equal(g.name, "_Z6vecaddPfS_");
    assert_int_equal(g.blocks, 2);
    assert_int_equal(g.threads_per_block, 64);
    assert_int_equal(g.warps_per_block, 2);
    assert_int_equal(g.registers_per_thread, 40);
    assert_int_equal(g.shared_bytes_per_block, 2048);
    assert_int_equal(g.stream, 7);
    assert_int_equal(trace_kernel_header(k)->tracer_version, 5);
    trace_kernel_close(k);
}

TEST(a_block_runs_as_recorded)
{
    UNUSED_STATE;
    struct grid_source g;
    struct trace_kernel *k = open_good(small, &g);
    void *b = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 0});
    struct winst mov = step(&g, b, 0);
    assert_int_equal(mov.instruction->dst_count, 1);
    assert_int_equal(mov.instruction->src_count, 0); /* R255 is no dependence */
    u64 code = mov.instruction->pc;

    struct winst load = step(&g, b, 0);
    assert_int_equal(load.instruction->pc, code + INSTRUCTION_BYTES);
    assert_int_equal(load.instruction->kind, WINST_LOAD);
    assert_int_equal(load.instruction->bytes, 16);
    assert_int_equal(load.instruction->dst_count, 4);
    assert_int_equal(load.instruction->regs[3], 7);
    assert_int_equal(load.instruction->src_count, 2); /* R2 and R3 hold the address */
    assert_int_equal(load.in_global, UINT32_MAX);
    assert_int_equal(load.address[31], 0x7f0000001000 + 31 * 16);

    struct winst store = step(&g, b, 0);
    assert_int_equal(store.mask, 0xffff);
    assert_int_equal(store.in_shared, 0xffff);
    assert_int_equal(store.address[0], 0x10); /* counted from the start of shared memory */
    assert_int_equal(store.address[15], 0x10 + 15 * 4);

    assert_false(step(&g, b, 0).wakes_others);
    assert_int_equal(state_of(&g, b, 0), NEXT_WAITS);
    assert_true(step(&g, b, 1).wakes_others);
    assert_int_equal(step(&g, b, 0).instruction->kind, WINST_EXIT);
    assert_int_equal(state_of(&g, b, 0), NEXT_ENDED);
    step(&g, b, 1);
    assert_int_equal(state_of(&g, b, 1), NEXT_ENDED);
    g.ops->block_end(g.self, b);
    trace_kernel_close(k);
}

TEST(blocks_begin_in_any_order_and_share_instructions)
{
    UNUSED_STATE;
    struct grid_source g;
    struct trace_kernel *k = open_good(small, &g);
    void *second = g.ops->block_begin(g.self, 1, &(struct sm_place){.sm = 0});
    void *first = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 1});
    assert_int_equal(state_of(&g, second, 0), NEXT_ENDED);
    const struct instruction *exit = step(&g, second, 1).instruction;
    const struct instruction *last = NULL;
    while (state_of(&g, first, 1) == NEXT_READY || state_of(&g, first, 0) == NEXT_READY)
        last = step(&g, first, state_of(&g, first, 1) == NEXT_READY).instruction;
    assert_ptr_equal(last, exit);
    g.ops->block_end(g.self, first);
    g.ops->block_end(g.self, second);
    drive_grid(&g, NULL, NULL);
    struct trace_counts counts = trace_kernel_counts(k);
    assert_int_equal(counts.instructions, 5);
    assert_int_equal(counts.warp_instructions, 2 * 8);
    assert_int_equal(counts.unknown_opcodes, 0);
    trace_kernel_close(k);
}

TEST(blocks_without_instructions_are_not_counted)
{
    UNUSED_STATE;
    struct grid_source g;
    struct trace_kernel *k =
        open_good(HEADER("3") BEGIN("0") WARP("0", "0") WARP("1", "0") END BEGIN("1")
                      WARP("0", "1") "0000 ffffffff 0 EXIT 0 0 \n" WARP("1", "0") END,
                  &g);
    assert_int_equal(g.blocks, 1);
    drive_grid(&g, NULL, NULL);
    trace_kernel_close(k);
}

TEST(cluster_lines_and_comments_are_skipped)
{
    UNUSED_STATE;
    struct grid_source g;
    struct trace_kernel *k =
        open_good(TWO_HEADER("5") "#BEGIN_TB\nthread block = 0,0,0\ncluster id = 0,0,0\n"
                                  "cluster cta = 1,0,0\ncluster rank = 1\n# a comment\n" WARP(
                                      "1", "1") "0000 ffffffff 0 EXIT 0 0 0 \n" WARP("0", "0") END,
                  &g);
    drive_grid(&g, NULL, NULL);
    trace_kernel_close(k);
}

/* One warp of block 0 with these lines. */
#define ONE_WARP(version, count, lines) ONE_HEADER(version) BEGIN("0") WARP("0", count) lines END

TEST(generic_addresses_are_sorted_by_their_window)
{
    UNUSED_STATE;
    struct grid_source g;
    struct trace_kernel *k =
        open_good(ONE_WARP("3", "1",
                           "0000 0000000f 1 R1 LD.E 1 R2 4 0 0x7f0000000000 0x7f0675000008 "
                           "0x7f0677fffdc0 0x7f0678000000 \n"),
                  &g);
    void *b = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 0});
    struct winst w = step(&g, b, 0);
    assert_int_equal(w.instruction->space, SPACE_GENERIC);
    assert_int_equal(w.in_global, 0x9);
    assert_int_equal(w.in_shared, 0x2);
    assert_int_equal(w.in_local, 0x4);
    assert_int_equal(w.address[1], 8);
    assert_int_equal(w.address[2], 0x3dc0); /* below the top of a thread's 16 KiB */
    g.ops->block_end(g.self, b);
    trace_kernel_close(k);
}

TEST(an_empty_mask_accesses_nothing)
{
    UNUSED_STATE;
    struct grid_source g;
    struct trace_kernel *k =
        open_good(ONE_WARP("3", "1", "0000 00000000 0 STG.E 2 R2 R5 4 1 0x0 0 \n"), &g);
    void *b = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 0});
    struct winst w = step(&g, b, 0);
    assert_int_equal(w.mask | w.in_global | w.in_shared | w.in_local | w.in_const, 0);
    g.ops->block_end(g.self, b);
    trace_kernel_close(k);
}

TEST(scattered_lanes_get_their_own_addresses)
{
    UNUSED_STATE;
    struct grid_source g;
    struct trace_kernel *k =
        open_good(ONE_WARP("3", "1", "0000 80000101 1 R1 LDG.E 1 R2 4 2 0x1000 8 -4 \n"), &g);
    void *b = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 0});
    struct winst w = step(&g, b, 0);
    assert_int_equal(w.address[0], 0x1000);
    assert_int_equal(w.address[8], 0x1008);
    assert_int_equal(w.address[31], 0x1004);
    g.ops->block_end(g.self, b);
    trace_kernel_close(k);
}

TEST(a_bulk_copy_moves_lines_and_tells_its_mbarrier)
{
    UNUSED_STATE;
    static char lines[2048];
    int n =
        snprintf(lines, sizeof lines, "%s0000 00000001 0 UTMALDG.2D 0 0 0x400 0 5120 0 4 0x1000 40",
                 ONE_HEADER("5") BEGIN("0") WARP("0", "1"));
    for (u32 i = 1; i < 40; i++)
        n += snprintf(lines + n, sizeof lines - (size_t)n, " 128");
    snprintf(lines + n, sizeof lines - (size_t)n, " 0\n%s", END);
    struct grid_source g;
    struct trace_kernel *k = open_good(lines, &g);
    void *b = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 0});
    struct winst w = step(&g, b, 0);
    assert_int_equal(w.instruction->kind, WINST_TRANSFER);
    assert_int_equal(w.transfer->line_count, 40);
    assert_int_equal(w.transfer->lines[39], 0x1000 + 39 * 128);
    assert_int_equal(w.transfer->bytes, 5120);
    assert_false(w.transfer->is_store);
    assert_int_equal(g.ops->arrived(b, w.transfer->token), PHASE_BEGUN);
    assert_int_equal(state_of(&g, b, 0), NEXT_ENDED);
    g.ops->block_end(g.self, b);
    trace_kernel_close(k);
}

#define COPY(at) "0010 00000001 0 UTMALDG.2D 0 0 0x400 0 256 0 4 " at " 2 128 0 \n"
#define LOOK "0020 ffffffff 1 R1 SYNCS.PHASECHK.TRANS64.TRYWAIT 1 R2 8 1 0x7f0675000400 0 0 \n"
#define PRODUCT "0030 ffffffff 1 R24 HGMMA.64x256x16.F32 2 UR8 R24 0 0 \n"

/* Four copies report to the mbarrier at 0x400 of shared memory. Warp 1 waits for it twice, the
 * first time with two looks: its waits are over behind the second and the fourth copy. */
TEST(a_warp_waits_for_its_share_of_the_copies_of_an_mbarrier)
{
    UNUSED_STATE;
    struct grid_source g;
    struct trace_kernel *k = open_good(
        TWO_HEADER("6") BEGIN("0") WARP("0", "4") COPY("0x1000") COPY("0x2000") COPY("0x3000")
            COPY("0x4000") "\n" WARP("1", "5") LOOK LOOK PRODUCT LOOK PRODUCT END,
        &g);
    void *b = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 0});
    u32 arrived = 0, looks = 0;
    for (u32 copies = 0; copies < 4; copies++) {
        struct winst copy = step(&g, b, 0), look = step(&g, b, 1);
        looks += look.phase == PHASE_AWAITED;
        assert_int_equal(look.instruction->kind, WINST_ATOMIC);
        assert_int_equal(look.phase, PHASE_AWAITED);
        arrived += g.ops->arrived(b, copy.transfer->token) == PHASE_BEGUN;
        if (copies != 1)
            continue;
        assert_int_equal(step(&g, b, 1).phase, PHASE_NONE);
        assert_int_equal(step(&g, b, 1).phase, PHASE_NONE); /* the look that it had in vain then */
        struct winst product = step(&g, b, 1);
        assert_int_equal(product.instruction->kind, WINST_GROUP_MMA);
        assert_int_equal(product.instruction->bytes, 32); /* 256 columns */
        assert_int_equal(product.instruction->cache_operator, GROUP_A_SHARED);
    }
    assert_int_equal(arrived, 4);
    assert_int_equal(looks, 4);
    assert_int_equal(step(&g, b, 1).phase, PHASE_NONE);
    assert_int_equal(step(&g, b, 1).instruction->kind, WINST_GROUP_MMA);
    assert_int_equal(state_of(&g, b, 1), NEXT_ENDED);
    g.ops->block_end(g.self, b);
    trace_kernel_close(k);
}

/* It has made one of the two before it looks, and cannot wait for the other. */
TEST(a_warp_that_copies_waits_for_no_more_than_it_has_made)
{
    UNUSED_STATE;
    struct grid_source g;
    struct trace_kernel *k = open_good(ONE_WARP("6", "3", COPY("0x1000") LOOK COPY("0x2000")), &g);
    void *b = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 0});
    struct winst copy = step(&g, b, 0);
    assert_int_equal(step(&g, b, 0).phase, PHASE_AWAITED);
    g.ops->arrived(b, copy.transfer->token);
    assert_int_equal(step(&g, b, 0).phase, PHASE_NONE);
    assert_int_equal(step(&g, b, 0).transfer->lines[0], 0x2000);
    g.ops->block_end(g.self, b);
    trace_kernel_close(k);
}

TEST(group_products_wait_where_the_trace_says)
{
    UNUSED_STATE;
    struct grid_source g;
    struct trace_kernel *k =
        open_good(ONE_WARP("6", "4",
                           "0010 ffffffff 0 WARPGROUP.ARRIVE 0 0 \n"
                           "0020 ffffffff 1 R24 HGMMA.SP.64x64x32.F32 3 R4 UR8 R24 0 0 \n"
                           "0030 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 1 \n"
                           "0040 ffffffff 0 UTMASTG.2D 0 0 0x0 0 128 0 3 1 0x1040 0 \n"),
                  &g);
    void *b = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 0});
    const struct instruction *i = step(&g, b, 0).instruction;
    assert_int_equal(i->kind, WINST_GROUP_COMMIT);
    assert_int_equal(i->cache_operator, GROUP_PENDING);
    i = step(&g, b, 0).instruction;
    assert_int_equal(i->kind, WINST_GROUP_MMA);
    assert_int_equal(i->bytes, 8);
    assert_int_equal(i->cache_operator, GROUP_SPARSE); /* A is in R4 */
    i = step(&g, b, 0).instruction;
    assert_int_equal(i->kind, WINST_GROUP_WAIT);
    assert_int_equal(i->bytes, 1);
    struct winst store = step(&g, b, 0);
    assert_true(store.transfer->is_store);
    assert_int_equal(store.transfer->token, NO_TOKEN);
    assert_int_equal(store.transfer->lines[0], 0x1000);
    g.ops->block_end(g.self, b);
    trace_kernel_close(k);
}

TEST(typed_registers_have_numbers_of_their_own)
{
    UNUSED_STATE;
    struct grid_source g;
    struct trace_kernel *k = open_good(
        ONE_WARP("6", "1", "0000 ffffffff 2 R4 P2 IADD3 6 R255 UR4 UR63 UP1 P7 RZ 0 0 0 NoVal \n"),
        &g);
    void *b = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 0});
    const struct instruction *i = step(&g, b, 0).instruction;
    assert_int_equal(i->dst_count, 2);
    assert_int_equal(i->src_count, 2);
    assert_int_equal(i->regs[0], 4);
    assert_int_equal(i->regs[1], 512 + 2);
    assert_int_equal(i->regs[2], 256 + 4);
    assert_int_equal(i->regs[3], 520 + 1);
    assert_true(i->regs[3] < g.scoreboard_registers);
    g.ops->block_end(g.self, b);
    trace_kernel_close(k);
}

TEST(uniform_registers_do_not_count_as_address_or_data)
{
    UNUSED_STATE;
    struct grid_source g;
    struct trace_kernel *k = open_good(
        ONE_WARP("6", "1", "0000 ffffffff 0 STG.E.64 3 UR4 R2 R8 8 1 0x1000 8 0 0 NoVal \n"), &g);
    void *b = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 0});
    const struct instruction *i = step(&g, b, 0).instruction;
    static const u16 wanted[] = {256 + 4, 2, 3, 8, 9};
    assert_int_equal(i->src_count, ARRAY_LEN(wanted));
    assert_memory_equal(i->regs, wanted, sizeof wanted);
    g.ops->block_end(g.self, b);
    trace_kernel_close(k);
}

TEST(waits_for_copies_keep_their_group_count)
{
    UNUSED_STATE;
    struct grid_source g;
    struct trace_kernel *k =
        open_good(ONE_WARP("5", "3",
                           "0000 ffffffff 0 LDGSTS.E.BYPASS.128 2 R2 R4 16 1 0x1000 16 0 \n"
                           "0010 ffffffff 0 LDGDEPBAR 0 0 0 \n"
                           "0020 ffffffff 0 DEPBAR.LE 0 0 1 \n"),
                  &g);
    void *b = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 0});
    struct winst copy = step(&g, b, 0);
    assert_int_equal(copy.instruction->kind, WINST_ASYNC_COPY);
    assert_int_equal(copy.instruction->bytes, 16);
    assert_int_equal(copy.instruction->cache_operator, CACHE_GLOBAL);
    assert_int_equal(step(&g, b, 0).instruction->kind, WINST_ASYNC_COMMIT);
    struct winst wait = step(&g, b, 0);
    assert_int_equal(wait.instruction->kind, WINST_ASYNC_WAIT);
    assert_int_equal(wait.instruction->bytes, 1);
    g.ops->block_end(g.self, b);
    trace_kernel_close(k);
}

TEST(a_memory_instruction_without_addresses_is_arithmetic)
{
    UNUSED_STATE;
    struct grid_source g;
    struct trace_kernel *k = open_good(ONE_WARP("3", "1", "0000 ffffffff 1 R1 LDC 1 R2 0 \n"), &g);
    void *b = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 0});
    struct winst w = step(&g, b, 0);
    assert_int_equal(w.instruction->kind, WINST_ARITHMETIC);
    assert_int_equal(w.instruction->unit, UNIT_INT);
    assert_null(w.address);
    assert_int_equal(trace_kernel_counts(k).without_addresses, 1);
    g.ops->block_end(g.self, b);
    trace_kernel_close(k);
}

static void count_line(void *context, const char *line)
{
    u32 *lines = context;
    assert_string_equal(line, "k.traceg:22: unknown opcode FROB, taken for a simple integer "
                              "instruction: 3 of all warps");
    ++*lines;
}

TEST(an_unknown_opcode_is_counted_and_warned_of_once)
{
    UNUSED_STATE;
    static const char text[] = ONE_WARP("3", "3",
                                        "0000 ffffffff 1 R1 FROB.A 1 R2 0 \n"
                                        "0010 ffffffff 1 R1 FROB.B 1 R2 4 1 0x10 4 \n"
                                        "0010 ffffffff 1 R1 FROB.B 1 R2 4 1 0x10 4 \n");
    u32 lines = 0;
    struct log log = {count_line, &lines};
    err = ERR_INIT;
    struct trace_kernel *k = trace_kernel_open_text("k.traceg", text, strlen(text), &log, &err);
    struct grid_source g = trace_kernel_grid(k);
    drive_grid(&g, NULL, NULL);
    assert_int_equal(trace_kernel_counts(k).unknown_opcodes, 2);
    trace_kernel_close(k);
    assert_int_equal(lines, 1);
}

TEST(named_and_counted_barriers_keep_apart)
{
    UNUSED_STATE;
    static const char text[] = HEADER_DIMS("5", "1,1,1", "128,1,1") BEGIN("0")
        /* producer and consumer at barrier 1; the others at barrier 0 of theirs */
        WARP("0", "1") "0000 ffffffff 0 BAR.ARV 0 0 1 64 \n" WARP(
            "1", "2") "0010 ffffffff 0 BAR.SYNC 0 0 1 "
                      "64 \n0020 ffffffff 0 EXIT 0 0 0 "
                      "\n" WARP("2", "2") "0030 ffffffff 0 "
                                          "BAR.SYNC 0 0 64 "
                                          "\n0020 ffffffff 0 "
                                          "EXIT 0 0 0 "
                                          "\n" WARP("3", "2") "003"
                                                              "0 "
                                                              "fff"
                                                              "fff"
                                                              "ff "
                                                              "0 "
                                                              "BAR"
                                                              ".SY"
                                                              "NC "
                                                              "0 "
                                                              "0 "
                                                              "64 "
                                                              "\n0"
                                                              "020"
                                                              " ff"
                                                              "fff"
                                                              "fff"
                                                              " 0 "
                                                              "EXI"
                                                              "T "
                                                              "0 "
                                                              "0 "
                                                              "0 "
                                                              "\n" END;
    struct grid_source g;
    struct trace_kernel *k = open_good(text, &g);
    void *b = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 0});
    step(&g, b, 1);
    assert_int_equal(state_of(&g, b, 1), NEXT_WAITS);
    step(&g, b, 2); /* only the count was recorded: a barrier of its own */
    assert_int_equal(state_of(&g, b, 2), NEXT_WAITS);
    assert_true(step(&g, b, 0).wakes_others);
    assert_int_equal(state_of(&g, b, 0), NEXT_ENDED);
    assert_int_equal(state_of(&g, b, 1), NEXT_READY);
    assert_int_equal(state_of(&g, b, 2), NEXT_WAITS);
    assert_true(step(&g, b, 3).wakes_others);
    g.ops->block_end(g.self, b);
    drive_grid(&g, NULL, NULL);
    trace_kernel_close(k);
}

RUN_TESTS(T(the_header_describes_the_grid), T(a_block_runs_as_recorded),
          T(blocks_begin_in_any_order_and_share_instructions),
          T(blocks_without_instructions_are_not_counted), T(cluster_lines_and_comments_are_skipped),
          T(generic_addresses_are_sorted_by_their_window), T(an_empty_mask_accesses_nothing),
          T(scattered_lanes_get_their_own_addresses),
          T(a_bulk_copy_moves_lines_and_tells_its_mbarrier),
          T(a_warp_waits_for_its_share_of_the_copies_of_an_mbarrier),
          T(a_warp_that_copies_waits_for_no_more_than_it_has_made),
          T(group_products_wait_where_the_trace_says), T(typed_registers_have_numbers_of_their_own),
          T(uniform_registers_do_not_count_as_address_or_data),
          T(waits_for_copies_keep_their_group_count),
          T(a_memory_instruction_without_addresses_is_arithmetic),
          T(an_unknown_opcode_is_counted_and_warned_of_once),
          T(named_and_counted_barriers_keep_apart))

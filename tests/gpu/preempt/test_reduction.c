/* Contexts without what need not be saved: programs go on with the right values, and what leaves
 * the SM is what must. Spec 5, checks F2 to F5 and G2. */
#include "gpu/bed.h"
#undef KERNEL
#include "ptx/exec/running.h"
#include "ptx/kernel_source.h"

#define BUFFER_BYTES 16384u

static u32 out[BUFFER_BYTES / 4];

/* One launch of kernel `k` under random_stop with reduced contexts, of PTX or of machine code; the
 * bed stays open for statistics. The buffer's word i is 3 i before, and in `out` afterwards. */
static void run(struct bed *b, const char *text, u32 blocks, u32 threads, bool lowered,
                const char *const *more)
{
    const char *sets[12] = {"launch.dispatch=random_stop", "context.reduced=true",
                            "context.bytes_per_cycle=64"};
    u32 count = 3;
    for (; more && *more; more++)
        sets[count++] = *more;
    bed_open(b, "volta8", sets);
    struct run r;
    run_load(&r, text, BUFFER_BYTES);
    for (u32 i = 0; i < BUFFER_BYTES / 4; i++)
        ((u32 *)(uintptr_t)r.out)[i] = 3 * i;
    r.launch.grid[0] = blocks;
    r.launch.block[0] = threads;
    r.launch.sm_count = 8;
    struct ptx_source *s = ptx_source_open(&r.launch, &r.err);
    assert_non_null(s);
    if (lowered)
        ptx_source_lower(s);
    struct grid_source grid = ptx_source_grid(s);
    bed_launch_source(b, &grid);
    bed_run(b);
    memcpy(out, (const void *)(uintptr_t)r.out, BUFFER_BYTES);
    ptx_source_close(s);
    ptx_source_rest();
    run_end(&r);
}

static u64 stat(struct bed *b, const char *name)
{
    char path[80];
    snprintf(path, sizeof path, "sm.context.%s", name);
    return (u64)bed_stat(b, path);
}

/* A block copies word tid of its 1 KB of the buffer to shared memory, does something, sleeps
 * 60 times, and writes the word of its neighbour in shared memory to the second
 * half of the buffer. %r1 tid, %r11 its place in shared memory, %rd3 its word, %r4 the value. */
#define COPY_IN(before_store, then)                                                                \
    HEADER                                                                                         \
    ".visible .entry k(.param .u64 out) {\n"                                                       \
    ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .shared .align 16 .b32 tile[512];\n"   \
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;"                        \
    "mov.u32 %r3, %ntid.x; mad.lo.u32 %r5, %r2, %r3, %r1; mul.wide.u32 %rd2, %r5, 4;"              \
    "add.u64 %rd3, %rd1, %rd2; mov.u32 %r11, tile; shl.b32 %r12, %r1, 2;"                          \
    "add.u32 %r11, %r11, %r12; ld.global.u32 %r4, [%rd3];" before_store                            \
    "st.shared.u32 [%r11], %r4; bar.sync 0;" then                                                  \
    "mov.u32 %r9, 0; L: nanosleep.u32 1000; add.u32 %r9, %r9, 1;"                                  \
    "setp.lt.u32 %p1, %r9, 60; @%p1 bra L;"                                                        \
    "xor.b32 %r13, %r12, 4; mov.u32 %r14, tile; add.u32 %r14, %r14, %r13;"                         \
    "ld.shared.u32 %r15, [%r14]; st.global.u32 [%rd3+8192], %r15;\n}\n"

/* The neighbour's word as it was when it was copied, plus `more`. */
static void assert_copied(u32 words, u32 more)
{
    for (u32 i = 0; i < words; i++)
        assert_int_equal(out[2048 + i], 3 * (i ^ 1) + more);
}

static const char *const seldom[] = {"policy.block.random_stop.interval_cycles=12000", NULL};
static const char *const often[] = {"policy.block.random_stop.interval_cycles=3000", NULL};

/* 256 words of 512 are written; a context has one entry for them, and no data. */
TEST(a_tile_that_was_copied_in_leaves_as_metadata_and_is_loaded_again)
{
    UNUSED_STATE;
    for (u32 lowered = 0; lowered < 2; lowered++) {
        struct bed b;
        run(&b, COPY_IN("", ""), 1, 256, lowered, seldom);
        u64 times = stat(&b, "stops");
        assert_copied(256, 0);
        assert_true(times > 1);
        assert_int_equal(stat(&b, "shared_words"), 512 * times);
        assert_int_equal(stat(&b, "valid_words"), 256 * times);
        assert_int_equal(stat(&b, "copied_words"), 256 * times);
        assert_int_equal(stat(&b, "saved_bytes") - stat(&b, "register_bytes"), 16 * times);
        assert_int_equal(stat(&b, "reloaded_lines"), 8 * times); /* 1 KB */
        u64 reloaded = stat(&b, "restored_bytes") + 128 * stat(&b, "reloaded_lines");
        assert_true(reloaded >= stat(&b, "saved_bytes"));
        bed_close(&b);
    }
}

/* With no table all of shared memory is saved; with one that is not a copy, what was written. */
TEST(words_that_were_never_written_stay_behind)
{
    UNUSED_STATE;
    struct bed b;
    const char *none[] = {seldom[0], "context.array_entries=0", NULL};
    run(&b, COPY_IN("", ""), 1, 256, true, none);
    assert_copied(256, 0);
    assert_int_equal(stat(&b, "saved_bytes") - stat(&b, "register_bytes"),
                     2048 * stat(&b, "stops"));
    assert_int_equal(stat(&b, "shared_words"), 0);
    bed_close(&b);
    run(&b, COPY_IN("add.u32 %r4, %r4, 7;", ""), 1, 256, true, seldom); /* no copy any more */
    assert_copied(256, 7);
    u64 times = stat(&b, "stops");
    assert_int_equal(stat(&b, "copied_words"), 0);
    assert_int_equal(stat(&b, "reloaded_lines"), 0);
    assert_int_equal(stat(&b, "saved_bytes") - stat(&b, "register_bytes"), (16 + 4 * 256) * times);
    bed_close(&b);
}

/* The source is overwritten by the block itself: what it has copied is still the old. */
TEST(a_store_to_the_source_or_an_atomic_has_the_data_saved)
{
    UNUSED_STATE;
    static const char *const texts[] = {
        COPY_IN("", "mov.u32 %r16, 99; st.global.u32 [%rd3], %r16;"),
        COPY_IN("mov.u32 %r16, 99; st.global.u32 [%rd3], %r16;", ""),
        COPY_IN("", "red.global.add.u32 [%rd1+16200], 1;"),
        COPY_IN("", "membar.gl;"),
        COPY_IN("", "st.volatile.global.u32 [%rd1+16200], %r1;"),
        COPY_IN("red.global.add.u32 [%rd1+16200], 1;", ""),
    };
    for (u32 i = 0; i < 2 * ARRAY_LEN(texts); i++) {
        struct bed b;
        run(&b, texts[i / 2], 1, 256, i & 1, seldom);
        assert_copied(256, 0);
        assert_true(stat(&b, "stops") > 0);
        assert_int_equal(stat(&b, "copied_words"), 0);
        assert_int_equal(stat(&b, "valid_words"), 256 * stat(&b, "stops"));
        bed_close(&b);
    }
}

/* A quarter of 32 blocks does atomics; on one SM they make the others' copies doubtful, too. */
#define SOME_ATOMICS                                                                               \
    COPY_IN("", "and.b32 %r16, %r2, 3; setp.ne.u32 %p3, %r16, 0;"                                  \
                "@%p3 bra NO; red.global.add.u32 [%rd1+16200], 1; NO:")

TEST(an_atomic_makes_all_copies_of_its_sm_doubtful_or_those_of_its_block)
{
    UNUSED_STATE;
    u64 copied[2];
    for (u32 i = 0; i < 2; i++) {
        const char *sets[] = {
            "sm.count=1", "policy.block.random_stop.interval_cycles=2000",
            i ? "context.atomics_clear_block=true" : "context.atomics_clear_block=false", NULL};
        struct bed b;
        run(&b, SOME_ATOMICS, 8, 64, true, sets);
        assert_copied(512, 0);
        assert_true(stat(&b, "stops") > 3);
        copied[i] = stat(&b, "copied_words");
        bed_close(&b);
    }
    assert_true(copied[1] > copied[0]);
}

/* Block 1 overwrites what block 0 has copied, when block 0 has said so: on another SM, where block
 * 0's table does not see it. The fence before the flag is what saves it. */
#define REMOTE                                                                                     \
    COPY_IN("", "setp.ne.u32 %p3, %r2, 0; @%p3 bra OTHER;"                                         \
                "membar.gl; setp.ne.u32 %p4, %r1, 0; @%p4 bra GO;"                                 \
                "mov.u32 %r16, 1; st.volatile.global.u32 [%rd1+16100], %r16; bra GO;"              \
                "OTHER: ld.volatile.global.u32 %r16, [%rd1+16100]; setp.ne.u32 %p5, %r16, 1;"      \
                "@%p5 bra OTHER; mov.u32 %r17, 77; st.global.u32 [%rd3+-1024], %r17; GO:")

TEST(a_synchronised_overwrite_from_another_sm_is_not_seen_by_what_was_copied)
{
    UNUSED_STATE;
    for (u32 lowered = 0; lowered < 2; lowered++) {
        struct bed b;
        run(&b, REMOTE, 2, 256, lowered, often);
        assert_true(stat(&b, "stops") > 3);
        for (u32 i = 0; i < 256; i++)
            assert_int_equal(out[i], 77);
        assert_copied(512, 0);
        bed_close(&b);
    }
}

/* 256 words two apart are 256 runs. */
TEST(a_table_that_overflows_has_all_saved_and_answers_stay)
{
    UNUSED_STATE;
    const char *text = COPY_IN("", "bar.sync 0; shl.b32 %r16, %r1, 3; mov.u32 %r17, tile;"
                                   "add.u32 %r17, %r17, %r16; st.shared.u32 [%r17], %r4;"
                                   "bar.sync 0; ld.shared.u32 %r18, [%r17];"
                                   "bar.sync 0; st.shared.u32 [%r11], %r18; bar.sync 0;");
    struct bed b;
    run(&b, text, 4, 256, true, often);
    assert_copied(1024, 0);
    bed_close(&b);
    const char *apart =
        HEADER ".visible .entry k(.param .u64 out) {\n"
               ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .shared .b32 tile[512];\n"
               "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;"
               "add.u64 %rd3, %rd1, %rd2; mov.u32 %r11, tile; shl.b32 %r12, %r1, 3;"
               "add.u32 %r11, %r11, %r12; ld.global.u32 %r4, [%rd3]; st.shared.u32 [%r11], %r4;"
               "mov.u32 %r9, 0; L: nanosleep.u32 1000; add.u32 %r9, %r9, 1;"
               "setp.lt.u32 %p1, %r9, 60; @%p1 bra L;"
               "ld.shared.u32 %r15, [%r11]; st.global.u32 [%rd3+8192], %r15;\n}\n";
    run(&b, apart, 1, 256, true, seldom);
    for (u32 i = 0; i < 256; i++)
        assert_int_equal(out[2048 + i], 3 * i);
    u64 times = stat(&b, "stops");
    assert_int_equal(stat(&b, "valid_words"), 512 * times);
    assert_int_equal(stat(&b, "saved_bytes") - stat(&b, "register_bytes"), 2048 * times);
    bed_close(&b);
}

/* Four words a lane, and lanes that do not store: what was not copied holds nothing. */
TEST(vectors_and_single_lanes_are_copies_too)
{
    UNUSED_STATE;
    const char *text = HEADER
        ".visible .entry k(.param .u64 out) {\n"
        ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>;"
        ".shared .align 16 .b32 tile[512];\n"
        "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 16;"
        "add.u64 %rd3, %rd1, %rd2; mov.u32 %r11, tile; shl.b32 %r12, %r1, 4;"
        "add.u32 %r11, %r11, %r12; setp.ge.u32 %p2, %r1, 40; @%p2 bra AFTER;"
        "ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd3]; st.shared.v4.u32 [%r11], {%r4,%r5,%r6,%r7};"
        "AFTER: mov.u32 %r9, 0; L: nanosleep.u32 1000; add.u32 %r9, %r9, 1;"
        "setp.lt.u32 %p1, %r9, 60; @%p1 bra L; @%p2 ret;"
        "ld.shared.v4.u32 {%r4,%r5,%r6,%r7}, [%r11];"
        "st.global.v4.u32 [%rd3+8192], {%r7,%r6,%r5,%r4};\n}\n";
    for (u32 lowered = 0; lowered < 2; lowered++) {
        struct bed b;
        run(&b, text, 1, 64, lowered, seldom);
        for (u32 i = 0; i < 160; i++)
            assert_int_equal(out[2048 + i], 3 * (i ^ 3));
        u64 times = stat(&b, "stops");
        assert_true(times > 0);
        assert_int_equal(stat(&b, "copied_words"), 160 * times);
        assert_int_equal(stat(&b, "valid_words"), 160 * times);
        bed_close(&b);
    }
}

/* Through a buffer on the chip: nothing of the context goes to memory, only copies come from it. */
TEST(a_shuffled_block_reads_memory_for_its_copies_alone)
{
    UNUSED_STATE;
    const char *sets[] = {seldom[0], "policy.block.random_stop.how=shuffle", NULL};
    struct bed b;
    run(&b, COPY_IN("", ""), 1, 256, true, sets);
    assert_copied(256, 0);
    u64 times = stat(&b, "stops");
    assert_true(times > 0);
    assert_int_equal(stat(&b, "shuffled"), 2 * times);
    assert_int_equal(stat(&b, "requests"), stat(&b, "reloaded_lines"));
    assert_int_equal(stat(&b, "reloaded_lines"), 8 * times);
    bed_close(&b);
}

/* The first store to shared memory comes after a loop: until then it holds nothing. */
TEST(shared_memory_is_empty_until_the_first_store)
{
    UNUSED_STATE;
    const char *text = COPY_IN("mov.u32 %r9, 0; W: nanosleep.u32 1000; add.u32 %r9, "
                               "%r9, 1; setp.lt.u32 %p2, %r9, 20; @%p2 bra W;",
                               "");
    const char *never[] = {"policy.block.random_stop.how=off", NULL};
    struct bed b;
    run(&b, text, 8, 256, true, never);
    assert_copied(2048, 0);
    assert_int_equal(stat(&b, "shared_blocks"), 8);
    assert_true(stat(&b, "empty_cycles") > 8 * 20 * 1000);
    assert_true(stat(&b, "empty_cycles") < 8 * b.gpu->records[0].ended);
    bed_close(&b);
}

/* ---- registers ---------------------------------------------------------------------------------
 */

/* While it loops a thread needs six words: its number, the pointer to its word, twice the
 * pointer's, the turns. Values that are no longer needed are overwritten when it stops. */
#define FEW_NEEDED                                                                                 \
    HEADER PROLOGUE                                                                                \
        "mov.u32 %r2, 7; mul.lo.u32 %r3, %r1, %r1; add.u32 %r4, %r3, %r2; xor.b32 %r5, %r4, %r3;"  \
        "mov.u32 %r9, 0; L: add.u32 %r9, %r9, 1; nanosleep.u32 100; setp.lt.u32 %p1, "             \
        "%r9, 400; @%p1 bra L; add.u32 %r11, %r5, %r9; st.global.u32 [%rd3], %r11;\n}\n"

static void assert_few_needed(void)
{
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(out[i], ((i * i + 7) ^ (i * i)) + 400);
}

TEST(registers_that_are_needed_no_more_are_not_saved)
{
    UNUSED_STATE;
    struct bed b;
    run(&b, FEW_NEEDED, 1, 32, false, often);
    assert_few_needed();
    u64 times = stat(&b, "stops");
    assert_true(times > 0);
    assert_true(stat(&b, "live_words") >= 3 * times && stat(&b, "live_words") <= 8 * times);
    assert_true(stat(&b, "compressed_words") > 0); /* the turns, the pointer */
    assert_true(2 * stat(&b, "saved_bytes") < stat(&b, "whole_bytes"));
    assert_int_equal(stat(&b, "saved_bytes"), stat(&b, "restored_bytes"));
    bed_close(&b);
}

/* The turns (constant) and the pointer (a stride of 4, and a constant upper half) fit patterns. */
TEST(without_compression_in_transit_only_cached_registers_are_small)
{
    UNUSED_STATE;
    static const char *const sizes[] = {"context.register_cache_bytes=2048",
                                        "context.register_cache_bytes=9",
                                        "context.register_cache_bytes=0"};
    u64 bytes[3];
    for (u32 i = 0; i < 3; i++) {
        const char *sets[] = {often[0], "context.compress_in_transit=false", sizes[i], NULL};
        struct bed b;
        run(&b, FEW_NEEDED, 1, 32, true, sets);
        assert_few_needed();
        u64 times = stat(&b, "stops");
        assert_true(times > 0);
        assert_int_equal(stat(&b, "cached_words"), stat(&b, "compressed_words"));
        assert_true(stat(&b, "cached_words") <= (i == 1 ? 1 : i == 2 ? 0 : 8) * times);
        bytes[i] = stat(&b, "saved_bytes") / times;
        bed_close(&b);
    }
    assert_true(bytes[0] < bytes[1] && bytes[1] <= bytes[2]);
}

RUN_TESTS(T(a_tile_that_was_copied_in_leaves_as_metadata_and_is_loaded_again),
          T(words_that_were_never_written_stay_behind),
          T(a_store_to_the_source_or_an_atomic_has_the_data_saved),
          T(an_atomic_makes_all_copies_of_its_sm_doubtful_or_those_of_its_block),
          T(a_synchronised_overwrite_from_another_sm_is_not_seen_by_what_was_copied),
          T(a_table_that_overflows_has_all_saved_and_answers_stay),
          T(vectors_and_single_lanes_are_copies_too),
          T(a_shuffled_block_reads_memory_for_its_copies_alone),
          T(shared_memory_is_empty_until_the_first_store),
          T(registers_that_are_needed_no_more_are_not_saved),
          T(without_compression_in_transit_only_cached_registers_are_small))

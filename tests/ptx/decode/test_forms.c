/* Instructions that programs for sm_90 use now and then. */
#include "ptx/exec/running.h"

static float run_float(const struct run *r, u32 index)
{
    float f;
    u32 word = run_word(r, index);
    memcpy(&f, &word, sizeof f);
    return f;
}

/* ---- vector atomics -------------------------------------------------------------------- */

/* 32 lanes add 1, 2, 3 and 4 to one vector; what the last lane finds is the sum of 31. */
TEST(a_vector_atomic_adds_each_element)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             KERNEL("mov.f32 %r2, 1.0; mov.f32 %r3, 2.0; mov.f32 %r4, 3.0; mov.f32 %r5, 4.0;\n"
                    "red.global.add.v2.f32 [%rd1+16], {%r2, %r3};\n"
                    "atom.global.add.v4.f32 {%r2, %r3, %r4, %r5}, [%rd1], {%r2, %r3, %r4, %r5};\n"
                    "setp.ne.u32 %p1, %r1, 31; @%p1 exit;\n"
                    "st.global.v4.u32 [%rd1+32], {%r2, %r3, %r4, %r5};"),
             128);
    for (u32 i = 0; i < 4; i++) {
        assert_true(run_float(&r, i) == 32.0f * (float)(i + 1));
        assert_true(run_float(&r, 8 + i) == 31.0f * (float)(i + 1));
    }
    assert_true(run_float(&r, 4) == 32 && run_float(&r, 5) == 64);
    run_end(&r);
}

/* f16: 1.0 is 0x3c00, 2.0 0x4000, 32 0x5000, 64 0x5400; bf16: -1 is 0xbf80, 3 0x4040. */
TEST(vectors_of_halves_are_added_and_compared)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             KERNEL(".reg .b16 %h<9>; mov.b32 %r2, 0x40003c00; mov.b32 %r3, 0x3c004000;\n"
                    "red.global.add.noftz.v2.f16x2 [%rd1], {%r2, %r3};\n"
                    "mov.b16 %h1, 0xbf80; mov.b16 %h2, 0x4040;\n"
                    "red.global.min.noftz.v4.bf16 [%rd1+8], {%h1, %h2, %h1, %h2};\n"
                    "red.global.max.noftz.v8.bf16 [%rd1+16], {%h1, %h2, %h1, %h2, %h2, %h2, %h1, "
                    "%h1};"),
             128);
    assert_int_equal(run_word(&r, 0), 0x54005000);
    assert_int_equal(run_word(&r, 1), 0x50005400);
    assert_int_equal(run_word(&r, 2), 0x0000bf80);
    assert_int_equal(run_word(&r, 3), 0x0000bf80);
    assert_int_equal(run_word(&r, 4), 0x40400000);
    assert_int_equal(run_word(&r, 5), 0x40400000);
    assert_int_equal(run_word(&r, 6), 0x40404040);
    assert_int_equal(run_word(&r, 7), 0);
    run_end(&r);
}

TEST(a_vector_atomic_must_be_aligned_to_the_vector)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, KERNEL("red.global.add.v2.f32 [%rd1+4], {%r1, %r1};"), 128);
    assert_false(run_go(&r));
    assert_int_equal(r.fault, FAULT_MISALIGNED);
    run_end(&r);
}

/* ---- hints ----------------------------------------------------------------------------- */

TEST(cache_policies_are_made_and_hints_change_no_value)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             KERNEL("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd5, 0.5;\n"
                    "createpolicy.range.global.L2::evict_first.b64 %rd6, [%rd1], 64, 128;\n"
                    "createpolicy.cvt.L2.b64 %rd7, %rd6;\n"
                    "st.global.L2::cache_hint.u32 [%rd3], %r1, %rd5;\n"
                    "ld.global.L1::no_allocate.L2::cache_hint.L2::128B.u32 %r2, [%rd3], %rd6;\n"
                    "red.global.add.L2::cache_hint.u32 [%rd3], 100, %rd7;\n"
                    "atom.global.add.L2::cache_hint.u32 %r3, [%rd3], %r2, %rd7;\n"
                    "prefetch.global.L2::evict_last [%rd3];\n"
                    "cp.async.bulk.prefetch.L2.global.L2::cache_hint [%rd1], 64, %rd7;\n"
                    "cp.async.bulk.prefetch.L2.global [%rd1], 128;\n"),
             128);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(run_word(&r, i), 100 + 2 * i);
    run_end(&r);
}

TEST(a_bulk_prefetch_takes_multiples_of_16)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, KERNEL("cp.async.bulk.prefetch.L2.global [%rd1], 24;"), 128);
    assert_false(run_go(&r));
    assert_int_equal(r.fault, FAULT_MISALIGNED);
    run_end(&r);
}

/* ---- clusters of one block -------------------------------------------------------------- */

/* Warp 0 arrives and waits; warp 1 does much before it arrives. Without the barrier warp 0 reads
 * what warp 1 has not written. */
TEST(a_cluster_barrier_waits_for_all_threads_of_the_block)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             HEADER ".shared .u32 s[64];\n" PROLOGUE
                    "setp.lt.u32 %p1, %r1, 32; @%p1 bra GO; mov.u32 %r5, 0;\n"
                    "LOOP: add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 500; @%p2 bra LOOP;\n"
                    "GO: mov.u32 %r2, s; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3;\n"
                    "st.shared.u32 [%r4], %r1;\n"
                    "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;\n"
                    "xor.b32 %r3, %r3, 128; add.u32 %r4, %r2, %r3; ld.shared.u32 %r6, [%r4];\n"
                    "st.global.u32 [%rd3], %r6; }\n",
             256);
    r.launch.block[0] = 64;
    assert_true(run_go(&r));
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(run_word(&r, i), i ^ 32);
    run_end(&r);
}

/* Warp 1 arrives and then needs what warp 0 does behind its wait: arriving is enough. Phases
 * follow each other, and a thread that has exited is not waited for. */
TEST(who_waits_at_a_cluster_barrier_needs_only_arrivals)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("barrier.cluster.arrive; barrier.cluster.wait;\n"
                    "setp.lt.u32 %p1, %r1, 32; @!%p1 bra SECOND;\n"
                    "barrier.cluster.arrive; barrier.cluster.wait;\n"
                    "st.release.gpu.global.u32 [%rd3], 7; bra LAST;\n"
                    "SECOND: barrier.cluster.arrive;\n"
                    "SPIN: ld.acquire.gpu.global.u32 %r2, [%rd3+-128]; setp.ne.u32 %p2, %r2, 7;\n"
                    "@%p2 bra SPIN; barrier.cluster.wait;\n"
                    "st.global.u32 [%rd3], 9; exit;\n"
                    "LAST: barrier.cluster.arrive.relaxed; barrier.cluster.wait;\n"
                    "st.global.u32 [%rd3], 8;"),
             256);
    r.launch.block[0] = 64;
    assert_true(run_go(&r));
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(run_word(&r, i), i < 32 ? 8 : 9);
    run_end(&r);
}

TEST(a_block_is_rank_0_of_its_cluster)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             HEADER
             ".shared .u32 s[4];\n" PROLOGUE
             "mov.u64 %rd4, s; cvta.shared.u64 %rd5, %rd4; mapa.u64 %rd6, %rd5, 0;\n"
             "st.shared.u32 [s], 5; ld.u32 %r2, [%rd6]; st.global.u32 [%rd1], %r2;\n"
             "mov.u32 %r3, s; mapa.shared::cluster.u32 %r4, %r3, 0;\n"
             "ld.shared::cluster.u32 %r5, [%r4]; st.global.u32 [%rd1+4], %r5;\n"
             "mov.u32 %r6, 1; getctarank.u64 %r6, %rd6; st.global.u32 [%rd1+8], %r6;\n"
             "mov.u32 %r7, %cluster_ctarank; mov.u32 %r8, %cluster_nctarank;\n"
             "mov.u32 %r9, %cluster_nctaid.x; add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %r9;\n"
             "st.global.u32 [%rd1+12], %r7; }\n",
             128);
    assert_int_equal(run_word(&r, 0), 5);
    assert_int_equal(run_word(&r, 1), 5);
    assert_int_equal(run_word(&r, 2), 0);
    assert_int_equal(run_word(&r, 3), 2); /* 0 + 1 + 1 */
    run_end(&r);
    run_load(&r, KERNEL("mapa.u64 %rd6, %rd1, 1;"), 128);
    assert_false(run_go(&r));
    assert_non_null(strstr(r.err.what, "mapa of block 1 in a cluster of 1"));
    run_end(&r);
}

/* ---- alloca ------------------------------------------------------------------------------ */

/* f allocates 4 x (lane + 1) bytes, fills them and gives their sum; called twice, the second call
 * gets the place of the first. What the kernel has allocated before stays. */
#define ALLOCATES                                                                                  \
    ".func (.reg .b32 sum) f(.reg .b32 n) {\n"                                                     \
    ".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p; \n"                                         \
    "mul.wide.u32 %rd1, n, 4; alloca.u64 %rd2, %rd1; mov.u64 %rd3, %rd2; mov.u32 %r1, 0;\n"        \
    "FILL: st.local.u32 [%rd3], %r1; add.u64 %rd3, %rd3, 4; add.u32 %r1, %r1, 1;\n"                \
    "setp.lt.u32 %p, %r1, n; @%p bra FILL; mov.u32 sum, 0; mov.u32 %r1, 0;\n"                      \
    "ADD: ld.local.u32 %r2, [%rd2]; add.u64 %rd2, %rd2, 4; add.u32 sum, sum, %r2;\n"               \
    "add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, n; @%p bra ADD; ret; }\n"

TEST(alloca_gives_memory_until_the_function_returns)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             HEADER ALLOCATES PROLOGUE
             "alloca.u64 %rd4, 8, 16; st.local.u32 [%rd4], %r1; stacksave.u64 %rd7;\n"
             "add.u32 %r2, %r1, 1; call.uni (%r3), f, (%r2); call.uni (%r4), f, (%r2);\n"
             "add.u32 %r3, %r3, %r4; ld.local.u32 %r5, [%rd4]; add.u32 %r3, %r3, %r5;\n"
             "stacksave.u64 %rd8; sub.u64 %rd8, %rd8, %rd7; cvt.u32.u64 %r6, %rd8;\n"
             "add.u32 %r3, %r3, %r6; st.global.u32 [%rd3], %r3; }\n",
             128);
    for (u32 i = 0; i < 32; i++) /* twice 0 + ... + i, and i */
        assert_int_equal(run_word(&r, i), i * (i + 1) + i);
    run_end(&r);
}

TEST(stackrestore_frees_and_a_full_stack_is_a_fault)
{
    UNUSED_STATE;
    static const char rounds[] =
        KERNEL("stacksave.u64 %rd4; mov.u32 %r2, 0;\n"
               "LOOP: alloca.u64 %rd5, 600; st.local.u32 [%rd5], %r2; %s\n"
               "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 10; @%p1 bra LOOP;\n"
               "ld.local.u32 %r3, [%rd5]; st.global.u32 [%rd3], %r3;");
    char text[2048], *at;
    struct run r;
    snprintf(text, sizeof text, "%s", rounds);
    at = strstr(text, "%s\n");
    memcpy(at, "  ", 2);
    run_load(&r, text, 128);
    assert_false(run_go(&r)); /* 1,024 bytes are there */
    assert_int_equal(r.fault, FAULT_STACK);
    assert_non_null(strstr(r.err.what, "alloca of 600 bytes, 424 of 1024 are left"));
    run_end(&r);
    run_well(
        &r,
        KERNEL("stacksave.u64 %rd4; mov.u32 %r2, 0;\n"
               "LOOP: alloca.u64 %rd5, 600; st.local.u32 [%rd5], %r2; ld.local.u32 %r3, [%rd5];"
               "stackrestore.u64 %rd4;\n"
               "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 10; @%p1 bra LOOP;\n"
               "st.global.u32 [%rd3], %r3;"),
        128);
    assert_int_equal(run_word(&r, 31), 9);
    run_end(&r);
}

/* ---- products ----------------------------------------------------------------------------- */

/* A is all ones: every row keeps columns 0 and 1 of each four (metadata 0x4444...), so that D is
 * the sum of half of B, which is all twos: 8 x 2 = 16. fp8: 32 x 1 x 2 = 64. */
TEST(sparse_and_eight_bit_products_run_in_a_kernel)
{
    UNUSED_STATE;
    struct run r;
    run_well(
        &r,
        KERNEL("mov.b32 %r2, 0x3c003c00; mov.b32 %r3, 0x40004000; mov.b32 %r4, 0;\n"
               "mov.b32 %r5, 0x44444444;\n"
               "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\n"
               "{%r6, %r7, %r8, %r9}, {%r2, %r2}, {%r3, %r3}, {%r4, %r4, %r4, %r4}, %r5, 0;\n"
               "st.global.u32 [%rd3], %r9; mov.b32 %r2, 0x38383838; mov.b32 %r3, 0x40404040;\n"
               "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32\n"
               "{%r6, %r7, %r8, %r9}, {%r2, %r2, %r2, %r2}, {%r3, %r3}, {%r4, %r4, %r4, %r4};\n"
               "st.global.u32 [%rd3+128], %r9;"),
        256);
    for (u32 i = 0; i < 32; i++) {
        assert_true(run_float(&r, i) == 16);
        assert_true(run_float(&r, 32 + i) == 64);
    }
    run_end(&r);
}

RUN_TESTS(T(a_vector_atomic_adds_each_element), T(vectors_of_halves_are_added_and_compared),
          T(a_vector_atomic_must_be_aligned_to_the_vector),
          T(cache_policies_are_made_and_hints_change_no_value),
          T(a_bulk_prefetch_takes_multiples_of_16),
          T(a_cluster_barrier_waits_for_all_threads_of_the_block),
          T(who_waits_at_a_cluster_barrier_needs_only_arrivals),
          T(a_block_is_rank_0_of_its_cluster), T(alloca_gives_memory_until_the_function_returns),
          T(stackrestore_frees_and_a_full_stack_is_a_fault),
          T(sparse_and_eight_bit_products_run_in_a_kernel))

/* Tensor maps that a kernel makes or changes. */
#include "ptx/exec/running.h"

#include "device/tensor_map.h"

/* A map in 128 bytes of shared memory, zeros at first, which thread 0 fills; then all lanes copy it
 * to the buffer. */
#define MAKE(fields)                                                                               \
    HEADER_90A ".shared .align 128 .b8 map[128];\n" PROLOGUE                                       \
               "mov.u32 %r2, map; mov.b32 %r3, 0; shl.b32 %r4, %r1, 2; add.u32 %r4, %r4, %r2;\n"   \
               "st.shared.b32 [%r4], %r3; bar.warp.sync 0xffffffff; setp.eq.u32 %p1, %r1, 0;\n"    \
               "mov.b32 %r5, 64; mov.b64 %rd5, 512;\n" fields "bar.warp.sync 0xffffffff;\n"        \
               "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync"    \
               ".aligned [%rd1], [map], 128;\n}\n"
#define HEADER_90A ".version 8.5\n.target sm_90a\n.address_size 64\n"
#define REPLACE(field) "@%p1 tensormap.replace.tile." field ";\n"

TEST(a_map_made_from_zeros_is_what_its_fields_say)
{
    UNUSED_STATE;
    struct run r;
    run_well(
        &r,
        MAKE(REPLACE("global_address.shared::cta.b1024.b64 [%r2], %rd1")
                 REPLACE("rank.shared::cta.b1024.b32 [%r2], 1")
                     REPLACE("box_dim.shared::cta.b1024.b32 [%r2], 0, 32")
                         REPLACE("box_dim.shared::cta.b1024.b32 [map], 1, 8") REPLACE(
                             "global_dim.shared::cta.b1024.b32 [map], 0, %r5")
                             REPLACE("global_dim.shared::cta.b1024.b32 [map], 1, 100") REPLACE(
                                 "global_stride.shared::cta.b1024.b64 [map], 0, "
                                 "%rd5") REPLACE("element_stride.shared::cta.b1024.b32 [map], 0, 1")
                                 REPLACE("element_stride.shared::cta.b1024.b32 [map], 1, 2")
                                     REPLACE("elemtype.shared::cta.b1024.b32 [map], 10") REPLACE(
                                         "interleave_layout.shared::cta.b1024.b32 [map], 0")
                                         REPLACE("swizzle_mode.shared::cta.b1024.b32 [map], 2")
                                             REPLACE("fill_mode.shared::cta.b1024.b32 [map], 1")),
        128);
    struct tensor_map m;
    memcpy(&m, (const void *)(uintptr_t)r.out, sizeof m);
    assert_null(tensor_map_flaw(&m));
    assert_int_equal(m.address, r.out);
    assert_int_equal(m.rank, 2);
    assert_int_equal(m.box[0], 32);
    assert_int_equal(m.box[1], 8);
    assert_int_equal(m.last[0], 63);
    assert_int_equal(m.last[1], 99);
    assert_int_equal(m.stride[0], 512);
    assert_int_equal(m.step[1], 2);
    assert_int_equal(m.type, TENSOR_BF16); /* 10 of PTX, 9 of CUtensorMapDataType */
    assert_int_equal(m.swizzle, 2);
    assert_true(m.fills_nan);
    assert_int_equal(tensor_box_bytes(&m), 32 * 2 * 4); /* every other of 8 rows */
    run_end(&r);
}

TEST(a_map_in_global_memory_is_changed_by_generic_and_global_addresses)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             HEADER_90A PROLOGUE "setp.eq.u32 %p1, %r1, 3; mov.b64 %rd5, 4096;\n" REPLACE(
                 "global_address.global.b1024.b64 [%rd1], %rd5")
                 REPLACE("swizzle_mode.b1024.b32 [%rd1+128], 3") "}\n",
             256);
    memset((void *)(uintptr_t)r.out, 0, 256);
    assert_true(run_go(&r));
    struct tensor_map m[2];
    memcpy(&m[0], (const void *)(uintptr_t)r.out, sizeof m[0]);
    memcpy(&m[1], (const void *)(uintptr_t)(r.out + 128), sizeof m[1]);
    assert_int_equal(m[0].address, 4096);
    assert_int_equal(m[1].swizzle, 3);
    assert_int_equal(m[1].magic, TENSOR_MAP_MAGIC);
    run_end(&r);
}

TEST(a_map_that_is_not_aligned_is_a_fault)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             HEADER_90A PROLOGUE
             "setp.eq.u32 %p1, %r1, 0;\n" REPLACE("rank.global.b1024.b32 [%rd1+64], 1") "}\n",
             256);
    assert_false(run_go(&r));
    assert_int_equal(r.fault, FAULT_MISALIGNED);
    run_end(&r);
}

static void expect_refused(const char *text, const char *why)
{
    struct err err = ERR_INIT;
    struct device_memory *memory = memory_create((u64)16 << 20, &err);
    struct program_text source = {"t.ptx", text, strlen(text)};
    assert_null(program_load(&source, 1, memory, &err));
    if (!strstr(err.what, why))
        fail_msg("%s, expected %s", err.what, why);
    memory_destroy(memory);
}

TEST(an_ordinal_or_a_size_that_no_map_has_is_refused_when_the_program_is_loaded)
{
    UNUSED_STATE;
    expect_refused(HEADER_90A PROLOGUE
                   "tensormap.replace.tile.global_stride.global.b1024.b64 [%rd1], 4, %rd1;\n}\n",
                   "ordinals 0 to 3");
    expect_refused(HEADER_90A PROLOGUE
                   "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync"
                   ".aligned [%rd1], [%r1], 64;\n}\n",
                   "128 bytes");
    expect_refused(HEADER_90A PROLOGUE
                   "tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%rd1], 1;\n}\n",
                   "not supported");
}

TEST(a_map_with_an_illegal_field_has_a_flaw_that_is_named)
{
    UNUSED_STATE;
    struct tensor_map m = {0};
    assert_string_equal(tensor_map_flaw(&m), "no tensor map");
    tensor_map_replace(&m, TENSOR_FIELD_RANK, 0, 5); /* six dimensions */
    assert_non_null(strstr(tensor_map_flaw(&m), "rank"));
    tensor_map_replace(&m, TENSOR_FIELD_RANK, 0, 0);
    tensor_map_replace(&m, TENSOR_FIELD_TYPE, 0, 7);
    assert_int_equal(m.type, TENSOR_F32);
    assert_non_null(strstr(tensor_map_flaw(&m), "address"));
    tensor_map_replace(&m, TENSOR_FIELD_ADDRESS, 0, 4096);
    tensor_map_replace(&m, TENSOR_FIELD_STEP, 0, 9);
    assert_non_null(strstr(tensor_map_flaw(&m), "element stride"));
    tensor_map_replace(&m, TENSOR_FIELD_STEP, 0, 1);
    tensor_map_replace(&m, TENSOR_FIELD_BOX, 0, 300);
    assert_non_null(strstr(tensor_map_flaw(&m), "box dimension"));
    tensor_map_replace(&m, TENSOR_FIELD_BOX, 0, 16); /* 64 bytes */
    assert_null(tensor_map_flaw(&m));
    tensor_map_replace(&m, TENSOR_FIELD_SWIZZLE, 0, 1); /* rows of 32 bytes */
    assert_non_null(strstr(tensor_map_flaw(&m), "swizzle"));
}

RUN_TESTS(T(a_map_made_from_zeros_is_what_its_fields_say),
          T(a_map_in_global_memory_is_changed_by_generic_and_global_addresses),
          T(a_map_that_is_not_aligned_is_a_fault),
          T(an_ordinal_or_a_size_that_no_map_has_is_refused_when_the_program_is_loaded),
          T(a_map_with_an_illegal_field_has_a_flaw_that_is_named))

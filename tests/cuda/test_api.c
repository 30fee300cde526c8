/* Launches, memory and occupancy of the core that both CUDA interfaces share. */
#include "cuda/fake_device.h"
#include "cuda/code/link.h"

TEST(a_launch_is_checked_before_it_is_queued)
{
    UNUSED_STATE;
    u32 number = 1;
    void *slot;
    CUstream s = stream_new(0);
    struct cu_launch good = launch_of(&number, &slot), l = good;
    l.grid[0] = 0;
    assert_int_equal(cu_launch(&l, s), CUDA_ERROR_INVALID_VALUE);
    l = good;
    l.block[0] = 1025;
    assert_int_equal(cu_launch(&l, s), CUDA_ERROR_INVALID_VALUE);
    l = good;
    l.grid[1] = 65536;
    assert_int_equal(cu_launch(&l, s), CUDA_ERROR_INVALID_VALUE);
    l = good;
    l.params = NULL;
    assert_int_equal(cu_launch(&l, s), CUDA_ERROR_INVALID_VALUE);
    l = good;
    l.function = (CUfunction)(void *)&l;
    assert_int_equal(cu_launch(&l, s), CUDA_ERROR_INVALID_HANDLE);
    l = good;
    l.function = narrow;
    l.block[0] = 65;
    assert_int_equal(cu_launch(&l, s), CUDA_ERROR_INVALID_VALUE);
    l = good;
    l.cooperative = true;
    l.block[0] = 1024; /* two such blocks on each of 132 SMs */
    l.grid[0] = 264;
    assert_int_equal(cu_launch(&l, s), CUDA_SUCCESS);
    l.grid[0] = 265;
    assert_int_equal(cu_launch(&l, s), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    cu_wait_all(context);
    LOG("+1 -1 ");
}

TEST(more_than_48_kib_of_shared_memory_must_be_asked_for)
{
    UNUSED_STATE;
    u32 number = 1;
    void *slot;
    CUstream s = stream_new(0);
    struct cu_launch l = launch_of(&number, &slot);
    l.shared_bytes = 49152;
    assert_int_equal(cu_launch(&l, s), CUDA_SUCCESS);
    l.shared_bytes = 49153;
    assert_int_equal(cu_launch(&l, s), CUDA_ERROR_INVALID_VALUE);
    u32 key = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    assert_int_equal(cu_function_set(numbered, key, 232449), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cu_function_set(numbered, key, 232448), CUDA_SUCCESS);
    assert_int_equal(cu_launch(&l, s), CUDA_SUCCESS);
}

TEST(a_cluster_that_the_sms_cannot_hold_at_once_is_refused)
{
    UNUSED_STATE;
    u32 number = 1;
    void *slot;
    CUstream s = stream_new(0);
    struct cu_launch l = launch_of(&number, &slot);
    int *sms = &cu_core()->props.attribute[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT], was = *sms;
    u32 key = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    assert_int_equal(cu_function_set(numbered, key, 200000), CUDA_SUCCESS);
    l.shared_bytes = 200000; /* one block an SM */
    l.grid[0] = l.cluster[0] = 8;
    l.cluster[1] = l.cluster[2] = 1;
    *sms = 4;
    assert_int_equal(cu_launch(&l, s), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    l.shared_bytes = 100000; /* two */
    assert_int_equal(cu_launch(&l, s), CUDA_SUCCESS);
    *sms = was;
    l.shared_bytes = 200000;
    assert_int_equal(cu_launch(&l, s), CUDA_SUCCESS);
}

TEST(arguments_are_taken_when_the_launch_is_made)
{
    UNUSED_STATE;
    CUstream s = stream_new(0);
    u32 number = 5;
    void *slot;
    struct cu_launch l = launch_of(&number, &slot);
    assert_int_equal(cu_launch(&l, s), CUDA_SUCCESS);
    number = 6;
    size_t bytes = sizeof(number);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &number, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    l.params = NULL;
    l.extra = extra;
    assert_int_equal(cu_launch(&l, s), CUDA_SUCCESS);
    number = 7;
    cu_wait_all(context);
    LOG("+5 -5 +6 -6 ");
}

TEST(a_fault_stays_with_the_context_until_it_is_destroyed)
{
    UNUSED_STATE;
    CUstream s = stream_new(0);
    CUevent e;
    CUcontext current;
    cu_event_create(context, 0, &e);
    fake.faults_at = 2;
    for (u32 i = 1; i <= 3; i++)
        RUN(s, i);
    cu_event_record(e, s, 0);
    FILE *saved = stderr;
    stderr = fopen("/dev/null", "w"); /* the sentence is not for this test's output */
    assert_int_equal(cu_event_wait(e), CUDA_ERROR_ILLEGAL_ADDRESS);
    fclose(stderr);
    stderr = saved;
    LOG("+1 -1 +2 -2 "); /* the third never starts, and nobody hangs */
    assert_int_equal(cu_context_current(&current), CUDA_ERROR_ILLEGAL_ADDRESS);
    cu_context_destroy(context);
    assert_int_equal(cu_context_current(&current), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cu_context_create(&context, 0), CUDA_SUCCESS);
    cu_context_push(context);
    assert_int_equal(cu_context_current(&current), CUDA_SUCCESS);
}

/* ---- memory ---- */

static u64 alloc(enum cu_memory_kind kind, u64 bytes)
{
    u64 address = 0;
    assert_int_equal(cu_memory_alloc(context, kind, bytes, 0, &address), CUDA_SUCCESS);
    return address;
}

TEST(memory_is_counted_and_given_back_once)
{
    UNUSED_STATE;
    u64 before, after, total, address = 0;
    cu_memory_info(&before, &total);
    u64 a = alloc(CU_MEMORY_DEVICE, 1000), host = alloc(CU_MEMORY_HOST, 1 << 20);
    cu_memory_info(&after, &total);
    assert_int_equal(before - after, 1000); /* pinned host memory is the host's */
    assert_int_equal(cu_memory_free(a + 4, CU_FREE_DEVICE), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cu_memory_free(host, CU_FREE_DEVICE), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cu_memory_free(a, CU_FREE_HOST), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cu_memory_free(a, CU_FREE_DEVICE), CUDA_SUCCESS);
    assert_int_equal(cu_memory_free(a, CU_FREE_DEVICE), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cu_memory_free(0, CU_FREE_DEVICE), CUDA_SUCCESS);
    assert_int_equal(cu_memory_free(host, CU_FREE_HOST), CUDA_SUCCESS);
    cu_memory_info(&after, &total);
    assert_int_equal(before, after);
    assert_int_equal(cu_memory_alloc(context, CU_MEMORY_DEVICE, total + 1, 0, &address),
                     CUDA_ERROR_OUT_OF_MEMORY);
}

TEST(a_destroyed_context_takes_its_memory_along)
{
    UNUSED_STATE;
    CUcontext other;
    u64 before, after, total, address = 0;
    cu_memory_info(&before, &total);
    cu_context_create(&other, 0);
    for (u32 i = 1; i < 100; i++)
        cu_memory_alloc(other, CU_MEMORY_DEVICE, i * 100, 0, &address);
    u64 mine = alloc(CU_MEMORY_DEVICE, 64);
    cu_context_destroy(other);
    cu_memory_info(&after, &total);
    assert_int_equal(before - after, 64);
    assert_false(cu_memory_holds(address, 1));
    assert_true(cu_memory_holds(mine, 64));
    assert_false(cu_memory_holds(mine, 65));
}

TEST(pointers_are_described_by_what_they_point_into)
{
    UNUSED_STATE;
    static char own[100];
    u64 address = (u64)(uintptr_t)own;
    u64 device = alloc(CU_MEMORY_DEVICE, 100), managed = alloc(CU_MEMORY_MANAGED, 100);
    assert_int_equal(cu_memory_describe(device + 99).type, CU_MEMORYTYPE_DEVICE);
    assert_int_equal(cu_memory_describe(device + 99).start, device);
    assert_true(cu_memory_describe(managed).is_managed);
    assert_int_equal(cu_memory_describe(address).type, 0);
    assert_int_equal(cu_memory_register(context, own, 100, 0), CUDA_SUCCESS);
    assert_int_equal(cu_memory_register(context, own + 10, 10, 0),
                     CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    assert_int_equal(cu_memory_describe(address + 50).type, CU_MEMORYTYPE_HOST);
    assert_int_equal(cu_memory_unregister(own), CUDA_SUCCESS);
    assert_int_equal(cu_memory_unregister(own), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST(copies_outside_an_allocation_are_refused)
{
    UNUSED_STATE;
    u64 a = alloc(CU_MEMORY_DEVICE, 100), b = alloc(CU_MEMORY_DEVICE, 100);
    struct cu_copy c;
    struct cu_fill f;
    assert_int_equal(cu_copy_line(&c, a, b, 100), CUDA_SUCCESS);
    assert_int_equal(cu_copy_line(&c, a, b, 101), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cu_copy_line(&c, a + 1, b, 100), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cu_copy_line(&c, 0, b, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cu_copy_line(&c, 0, 0, 0), CUDA_SUCCESS);
    assert_int_equal(cu_fill_make(&f, a, 0, 0, 1, 101, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cu_fill_make(&f, a + 1, 0, 0, 4, 1, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cu_fill_make(&f, a, 10, 0, 1, 10, 10), CUDA_SUCCESS);
    assert_int_equal(cu_fill_make(&f, a, 10, 0, 1, 11, 2), CUDA_ERROR_INVALID_VALUE);
}

/* Pitches, heights and places whose products or sums pass 2^64 and come back inside. */
TEST(boxes_that_wrap_around_the_address_space_are_refused)
{
    UNUSED_STATE;
    static char host[4096];
    const u64 half = (u64)1 << 63, quarter = (u64)1 << 62;
    u64 a = alloc(CU_MEMORY_DEVICE, 1024);
    struct cu_fill f;
    assert_int_equal(cu_fill_make(&f, a, UINT64_MAX, 0, 1, 8, 2), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cu_fill_make(&f, a, half, 0, 1, 8, 3), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cu_fill_make(&f, a, half, 0, 4, 8, 3), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cu_fill_make(&f, a, UINT64_MAX, 0, 1, 8, UINT64_MAX),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cu_fill_make(&f, a, half, 0, 1, 8, 1), CUDA_SUCCESS); /* no second row */
    struct cu_fill box = {.to = a, .pitch = 16, .slice = quarter, .element_bytes = 1, .width = 16};
    box.height = 1;
    box.depth = 5; /* 4 x 2^62 is 0 */
    assert_int_equal(cu_fill_check(&box), CUDA_ERROR_INVALID_VALUE);

    const CUDA_MEMCPY3D good = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = host,
                                .srcPitch = 16,
                                .srcHeight = 1,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = a,
                                .dstPitch = 16,
                                .dstHeight = 1,
                                .WidthInBytes = 16,
                                .Height = 1,
                                .Depth = 3};
    struct cu_copy c;
    assert_int_equal(cu_copy_make(&c, &good), CUDA_SUCCESS);
    CUDA_MEMCPY3D bad[9];
    for (u32 i = 0; i < ARRAY_LEN(bad); i++)
        bad[i] = good;
    bad[0].dstPitch = half; /* slices come back to the corner */
    bad[1].srcPitch = half;
    bad[2].dstHeight = (u64)1 << 60;
    bad[3].dstY = (u64)1 << 60;
    bad[4].dstZ = (u64)1 << 60;
    bad[5].dstXInBytes = UINT64_MAX - 7;
    bad[6].Depth = ((u64)1 << 60) + 1;
    bad[7].Depth = 1;
    bad[7].Height = 2;
    bad[7].dstPitch = UINT64_MAX;
    bad[8].srcZ = (u64)1 << 60;
    for (u32 i = 0; i < ARRAY_LEN(bad); i++)
        assert_int_equal(cu_copy_make(&c, &bad[i]), CUDA_ERROR_INVALID_VALUE);

    CUDA_ARRAY3D_DESCRIPTOR shape = {
        .Width = 16, .Height = 4, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    CUDA_MEMCPY3D to_array = good;
    to_array.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    to_array.Depth = 1;
    assert_int_equal(cu_array_create(context, &shape, &to_array.dstArray), CUDA_SUCCESS);
    assert_int_equal(cu_copy_make(&c, &to_array), CUDA_SUCCESS);
    to_array.dstXInBytes = UINT64_MAX - 7;
    assert_int_equal(cu_copy_make(&c, &to_array), CUDA_ERROR_INVALID_VALUE);
    to_array.dstXInBytes = 0;
    to_array.dstY = UINT64_MAX;
    assert_int_equal(cu_copy_make(&c, &to_array), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_box_is_copied_row_by_row_between_memory_and_an_array)
{
    UNUSED_STATE;
    CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = 5,
                                     .Height = 4,
                                     .Depth = 3,
                                     .Format = CU_AD_FORMAT_UNSIGNED_INT16,
                                     .NumChannels = 1};
    CUarray array;
    assert_int_equal(cu_array_create(context, &shape, &array), CUDA_SUCCESS);
    u8 in[5 * 2 * 4 * 3], out[sizeof in];
    for (u32 i = 0; i < sizeof in; i++)
        in[i] = (u8)(i + 1);
    memset(out, 0, sizeof out);
    CUDA_MEMCPY3D to = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = in,
                        .srcPitch = 10,
                        .srcHeight = 4,
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .dstArray = array,
                        .WidthInBytes = 10,
                        .Height = 4,
                        .Depth = 3};
    struct cu_work work = {.kind = CU_WORK_COPY};
    assert_int_equal(cu_copy_make(&work.copy, &to), CUDA_SUCCESS);
    assert_int_equal(cu_submit_and_wait(context->legacy, &work), CUDA_SUCCESS);
    CUDA_MEMCPY3D from = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = array,
                          .srcXInBytes = 2,
                          .srcY = 1,
                          .srcZ = 1,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = out,
                          .dstPitch = 6,
                          .dstHeight = 3,
                          .WidthInBytes = 6,
                          .Height = 3,
                          .Depth = 2};
    work = (struct cu_work){.kind = CU_WORK_COPY};
    assert_int_equal(cu_copy_make(&work.copy, &from), CUDA_SUCCESS);
    assert_true(cu_copy_is_pageable(&work.copy));
    assert_int_equal(cu_submit_and_wait(context->legacy, &work), CUDA_SUCCESS);
    for (u32 z = 0; z < 2; z++) {
        for (u32 y = 0; y < 3; y++)
            assert_memory_equal(out + (z * 3 + y) * 6, in + ((z + 1) * 4 + y + 1) * 10 + 2, 6);
    }
    from.WidthInBytes = 10; /* two bytes beyond the row */
    assert_int_equal(cu_copy_make(&work.copy, &from), CUDA_ERROR_INVALID_VALUE);
}

TEST(memory_of_a_pool_is_freed_in_stream_order)
{
    UNUSED_STATE;
    CUstream s = stream_new(0);
    u64 address = 0, used = 0;
    CUmemoryPool pool = cu_pool_default();
    assert_int_equal(cu_pool_alloc(pool, 1000, s, &address), CUDA_SUCCESS);
    RUN(s, 1);
    assert_int_equal(cu_pool_free(address, s), CUDA_SUCCESS);
    assert_true(cu_memory_holds(address, 1000)); /* the kernel has not run yet */
    cu_stream_wait(s);
    assert_false(cu_memory_holds(address, 1));
    cu_pool_attribute_get(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used);
    assert_int_equal(used, 0);
    cu_pool_attribute_get(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &used);
    assert_int_equal(used, 1000);
}

/* ---- occupancy, by hand: 64 warps, 32 blocks, 65536 registers in units of 256 for each of four
 * sub-cores, 228 KiB of shared memory in units of 128 bytes with 1 KiB reserved for each block ----
 */

TEST(occupancy_is_the_tightest_of_its_limits)
{
    UNUSED_STATE;
    const struct cuda_device_props *p = &cu_core()->props;
    static const struct {
        struct cu_occupancy_need need;
        u32 blocks;
        const char *why;
    } rows[] = {
        {{32, 8, 0, 0}, 32, "blocks: 32, where warps would allow 64"},
        {{96, 8, 0, 0}, 21, "warps: 64 / 3"},
        {{1024, 8, 0, 0}, 2, "warps: 64 / 32"},
        {{64, 8, 0, 8192}, 25, "shared: 233472 / (8192 + 1024) = 25.3"},
        {{64, 8, 0, 49152}, 4, "shared: 233472 / 50176 = 4.7"},
        {{64, 8, 4000, 0}, 32, "shared: 233472 / 5120 (5024 rounded up) = 45.6; blocks: 32"},
        {{256, 32, 0, 0}, 8, "registers: 1024 a warp, 16 warps a sub-core, 64 / 8"},
        {{256, 33, 0, 0}, 6, "registers: 33 x 32 = 1056 -> 1280; 12 a sub-core, 48 / 8"},
        {{256, 255, 0, 0}, 1, "registers: 8160 -> 8192; 2 a sub-core, 8 / 8"},
        {{288, 255, 0, 0}, 0, "registers: nine warps, room for eight"},
        {{1025, 8, 0, 0}, 0, "a block has at most 1024 threads"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        u32 blocks = cu_occupancy_of(p, &rows[i].need);
        if (blocks != rows[i].blocks)
            fail_msg("%u blocks, expected %u: %s", blocks, rows[i].blocks, rows[i].why);
    }
}

TEST(shared_memory_left_for_a_number_of_blocks_is_what_an_h200_says)
{
    UNUSED_STATE;
    assert_int_equal(cu_occupancy_shared(numbered, 4), 49152);
    assert_int_equal(cu_occupancy_shared(numbered, 5), 46592);
    assert_int_equal(cu_occupancy_shared(numbered, 16), 14592);
}

TEST(the_best_block_fills_an_sm_and_the_grid_fills_the_device)
{
    UNUSED_STATE;
    u32 block, grid;
    cu_occupancy_best(numbered, NULL, 0, 0, &block, &grid);
    assert_int_equal(block, 1024);
    assert_int_equal(grid, 2 * 132);
    cu_occupancy_best(narrow, NULL, 0, 0, &block, &grid);
    assert_int_equal(block, 64);
    assert_int_equal(grid, 32 * 132);
}

TEST(a_block_of_another_chip_may_have_no_more_than_its_sm)
{
    UNUSED_STATE;
    struct cuda_device_props p = cu_device_h200(), before = cu_device();
    snprintf(p.name, sizeof p.name, "heddle small");
    p.attribute[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = 7;
    p.attribute[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR] = 5;
    p.attribute[CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR] = 32768;
    p.attribute[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR] = 16384;
    p.attribute[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR] = 512;
    cu_device_use(&p);
    p = cu_device();
    assert_string_equal(p.name, "heddle small");
    assert_int_equal(cu_device_arch(&p), 75);
    assert_int_equal(p.attribute[CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK], 32768);
    assert_int_equal(p.attribute[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN], 16384);
    assert_int_equal(p.attribute[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK], 16384);
    assert_int_equal(p.attribute[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK], 512);
    cu_device_use(&before);
}

TEST(a_program_that_does_not_check_its_failed_launches_ends_with_1)
{
    UNUSED_STATE;
    struct cu_failures *f = &cu_core()->failures;
    f->has_ended = true; /* as exit(0) would */
    fake.faults_at = 2;
    CUstream s = stream_new(0);
    for (u32 i = 1; i <= 3; i++)
        RUN(s, i);
    assert_int_equal(cu_failures_end(), 0);
    cu_stream_wait(s);
    fake.faults_at = 0;
    assert_int_equal(f->launches, 2); /* the second, and the third behind it */
    assert_string_equal(f->first, "the fake kernel faults, as it was asked to");
    assert_int_equal(cu_failures_end(), 1);
    f->exit_code = 5; /* its own code stays */
    assert_int_equal(cu_failures_end(), 0);
}

TEST(a_refused_launch_counts_until_the_program_fetches_the_error)
{
    UNUSED_STATE;
    struct cu_failures *f = &cu_core()->failures;
    struct cu_launch l = {.function = numbered, .grid = {1, 1, 1}, .block = {2048, 1, 1}};
    f->has_ended = true;
    u64 said = cu_failures_said();
    assert_int_equal(cu_failure_of_launch(cu_launch(&l, context->legacy), said),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(f->launches, 1);
    assert_string_equal(f->first, "a launch is refused: blockDim.x is 2048, expected 1 to 1024");
    assert_int_equal(cu_failures_end(), 1);
    cu_failures_noticed();
    assert_int_equal(cu_failures_end(), 0);
    /* without a sentence the error has a name */
    *f = (struct cu_failures){.has_ended = true};
    cu_failure_of_launch(CUDA_ERROR_INVALID_HANDLE, cu_failures_said());
    assert_string_equal(f->first, "cudaErrorInvalidResourceHandle");
    cu_failures_noticed(); /* or this test would end with 1 */
}

/* NVRTC gives PTX for machine code: libraries/nvrtc.c. */
TEST(a_cubin_that_is_ptx_can_be_linked_and_machine_code_cannot)
{
    UNUSED_STATE;
    static const char elf[] = "\177ELF with .version in it";
    struct cu_jit jit = {0};
    struct err err = ERR_INIT;
    size_t bytes;
    CUlinkState link = cu_link_new(context, &jit);
    assert_int_equal(cu_link_add(link, CU_JIT_INPUT_CUBIN, ptx, sizeof ptx, NULL, &err),
                     CUDA_SUCCESS);
    assert_int_equal(cu_link_add(link, CU_JIT_INPUT_CUBIN, elf, sizeof elf, NULL, &err),
                     CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_int_equal(cu_link_text_count(cu_link_image(link, &bytes)), 1);
    CUmodule module;
    err = ERR_INIT;
    if (cu_module_load(context, cu_link_image(link, &bytes), &module, &err) != CUDA_SUCCESS)
        fail_msg("%s", err.what);
    assert_non_null(cu_module_find(module, "numbered"));
    cu_link_delete(link);
}

RUN_TESTS(TB(a_cubin_that_is_ptx_can_be_linked_and_machine_code_cannot),
          TB(a_launch_is_checked_before_it_is_queued),
          TB(more_than_48_kib_of_shared_memory_must_be_asked_for),
          TB(a_cluster_that_the_sms_cannot_hold_at_once_is_refused),
          TB(arguments_are_taken_when_the_launch_is_made),
          TB(a_fault_stays_with_the_context_until_it_is_destroyed),
          TB(a_program_that_does_not_check_its_failed_launches_ends_with_1),
          TB(a_refused_launch_counts_until_the_program_fetches_the_error),
          TB(memory_is_counted_and_given_back_once), TB(a_destroyed_context_takes_its_memory_along),
          TB(pointers_are_described_by_what_they_point_into),
          TB(copies_outside_an_allocation_are_refused),
          TB(boxes_that_wrap_around_the_address_space_are_refused),
          TB(a_box_is_copied_row_by_row_between_memory_and_an_array),
          TB(memory_of_a_pool_is_freed_in_stream_order),
          TB(occupancy_is_the_tightest_of_its_limits),
          TB(shared_memory_left_for_a_number_of_blocks_is_what_an_h200_says),
          TB(the_best_block_fills_an_sm_and_the_grid_fills_the_device),
          TB(a_block_of_another_chip_may_have_no_more_than_its_sm))

#include "testing.h"

#include "base/rng.h"
#include "device/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#define MIB (1ull << 20)
#define GIB (1ull << 30)

static struct device_memory *create(u64 limit_bytes)
{
    struct err err = ERR_INIT;
    struct device_memory *m = memory_create(limit_bytes, &err);
    assert_non_null(m);
    assert_int_equal(err.kind, ERR_NONE);
    return m;
}

static u8 *bytes_at(u64 address)
{
    return (u8 *)(uintptr_t)address;
}

static bool all_zero(u64 start, u64 bytes)
{
    const u8 *p = bytes_at(start);
    return bytes == 0 || (p[0] == 0 && memcmp(p, p + 1, (size_t)bytes - 1) == 0);
}

TEST(two_instances_in_sequence_hand_out_the_same_addresses)
{
    UNUSED_STATE;
    enum { STEPS = 2000 };
    static u64 seen[2][STEPS];
    for (u32 run = 0; run < 2; run++) {
        struct device_memory *m = create(16 * GIB);
        struct rng r;
        rng_init(&r, 7, "memory");
        for (u32 i = 0; i < STEPS; i++) {
            u64 bytes = rng_below(&r, 1ull << (1 + rng_below(&r, 22)));
            seen[run][i] = memory_alloc(m, bytes, 1ull << rng_below(&r, 14), "x", 0);
            u64 victim = rng_below(&r, i + 1);
            if (rng_below(&r, 3) == 0)
                memory_free(m, seen[run][victim]);
        }
        memory_destroy(m);
    }
    assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
}

TEST(the_first_address_is_the_same_on_every_machine)
{
    UNUSED_STATE;
    struct device_memory *m = create(GIB);
    u64 first = memory_alloc(m, 4, 4, "x", 0);
    assert_int_equal(first & 0xfffffffff, 0);
    memory_destroy(m);
}

TEST(two_devices_live_side_by_side)
{
    UNUSED_STATE;
    struct device_memory *a = create(64 * GIB);
    struct device_memory *b = create(64 * GIB);
    u64 in_a = memory_alloc(a, 100, 1, "a", 0);
    u64 in_b = memory_alloc(b, 100, 1, "b", 0);
    assert_int_not_equal(in_a, in_b);
    assert_null(memory_find(a, in_b));
    assert_null(memory_find(b, in_a));
    memory_destroy(a);
    memory_destroy(b);
}

TEST(find_holds_from_the_first_to_the_last_byte_and_not_one_past)
{
    UNUSED_STATE;
    struct device_memory *m = create(GIB);
    u64 start = memory_alloc(m, 1000, 1, "array", 5);
    u64 next = memory_alloc(m, 1, 1, "next", 0);
    const struct allocation *a = memory_find(m, start);
    assert_non_null(a);
    assert_int_equal(a->start, start);
    assert_int_equal(a->bytes, 1000);
    assert_int_equal(a->flags, 5);
    assert_int_equal(a->host, 0);
    assert_string_equal(a->label, "array");
    assert_ptr_equal(memory_find(m, start + 999), a);
    assert_null(memory_find(m, start + 1000));
    assert_null(memory_find(m, start - 1));
    assert_null(memory_find(m, 0));
    assert_null(memory_find(m, UINT64_MAX));
    assert_non_null(memory_find(m, next));
    assert_null(memory_find(m, next + 1));
    memory_destroy(m);
}

TEST(a_whole_granule_is_followed_by_a_guard)
{
    UNUSED_STATE;
    struct device_memory *m = create(GIB);
    u64 a = memory_alloc(m, 256, 1, "a", 0);
    u64 b = memory_alloc(m, 256, 1, "b", 0);
    u64 gap = (b > a ? b - a : a - b) - 256;
    assert_true(gap >= 256);
    for (u64 at = a + 256; at < a + 512; at++)
        assert_null(memory_find(m, at));
    memory_destroy(m);
}

TEST(an_allocation_of_no_bytes_has_an_address_and_holds_none)
{
    UNUSED_STATE;
    struct device_memory *m = create(GIB);
    u64 a = memory_alloc(m, 0, 1, "a", 0);
    u64 b = memory_alloc(m, 0, 1, "b", 0);
    assert_int_not_equal(a, 0);
    assert_int_not_equal(a, b);
    assert_null(memory_find(m, a));
    assert_true(memory_free(m, a));
    assert_true(memory_free(m, b));
    memory_destroy(m);
}

TEST(alignment_is_at_least_256_and_what_was_asked_for)
{
    UNUSED_STATE;
    struct device_memory *m = create(GIB);
    for (u32 log = 0; log <= 22; log++) {
        u64 at = memory_alloc(m, 3, 1ull << log, "x", 0);
        assert_int_not_equal(at, 0);
        assert_int_equal(at & 255, 0);
        assert_int_equal(at & ((1ull << log) - 1), 0);
    }
    memory_alloc(m, 1, 1, "x", 0);
    assert_int_equal(memory_alloc(m, MIB, 1, "large", 0) & 511, 0);
    memory_destroy(m);
}

/* A model that keeps what should be live in any order and checks all of it. */
struct model {
    struct {
        u64 start, bytes;
        u8 mark;
    } live[400];
    u32 count;
    u64 used;
};

static void model_check(const struct model *k, const struct device_memory *m, u64 start, u64 bytes)
{
    for (u32 i = 0; i < k->count; i++) {
        u64 end = k->live[i].start + k->live[i].bytes;
        assert_true(start >= end + 256 || start + bytes + 256 <= k->live[i].start);
    }
    assert_true(all_zero(start, bytes));
    assert_int_equal(memory_used(m), k->used);
}

TEST(random_allocations_never_overlap_and_keep_their_bytes)
{
    UNUSED_STATE;
    struct device_memory *m = create(GIB);
    static struct model k;
    struct rng r;
    rng_init(&r, 1, "overlap");
    for (u32 step = 0; step < 6000; step++) {
        bool grow = step / 1000 % 2 == 0 ? rng_below(&r, 4) > 0 : rng_below(&r, 4) == 0;
        if (grow && k.count < ARRAY_LEN(k.live)) {
            u64 bytes = rng_below(&r, 1ull << (1 + rng_below(&r, rng_below(&r, 20) ? 14 : 22)));
            u64 start = memory_alloc(m, bytes, 1ull << rng_below(&r, 13), "x", 0);
            assert_int_not_equal(start, 0);
            k.used += bytes;
            model_check(&k, m, start, bytes);
            u8 mark = (u8)(1 + rng_below(&r, 255));
            memset(bytes_at(start), mark, (size_t)bytes);
            k.live[k.count].start = start;
            k.live[k.count].bytes = bytes;
            k.live[k.count++].mark = mark;
        } else if (k.count > 0) {
            u32 i = (u32)rng_below(&r, k.count);
            u64 start = k.live[i].start, bytes = k.live[i].bytes;
            for (u64 at = start; at < start + bytes; at += 997)
                assert_int_equal(*bytes_at(at), k.live[i].mark);
            const struct allocation *a = bytes ? memory_find(m, start + bytes - 1) : NULL;
            assert_true(bytes ? a && a->start == start : !a);
            assert_true(memory_free(m, start));
            assert_false(memory_free(m, start));
            assert_null(memory_find(m, start));
            k.used -= bytes;
            k.live[i] = k.live[--k.count];
        }
    }
    memory_destroy(m);
}

TEST(memory_is_zero_when_it_is_used_again)
{
    UNUSED_STATE;
    static const u64 sizes[] = {1, 700, 70000, 3 * MIB, 50 * MIB};
    struct device_memory *m = create(GIB);
    for (u32 i = 0; i < ARRAY_LEN(sizes); i++) {
        u64 first = memory_alloc(m, sizes[i], 1, "x", 0);
        assert_true(all_zero(first, sizes[i]));
        memset(bytes_at(first), 0xa5, (size_t)sizes[i]);
        assert_true(memory_free(m, first));
        u64 second = memory_alloc(m, sizes[i], 1, "x", 0);
        assert_int_equal(first, second); /* or the test says nothing */
        assert_true(all_zero(second, sizes[i]));
        assert_true(memory_free(m, second));
    }
    memory_destroy(m);
}

TEST(what_was_free_on_all_sides_becomes_one_hole_again)
{
    UNUSED_STATE;
    struct device_memory *m = create(GIB);
    u64 at[64];
    for (u32 i = 0; i < 64; i++)
        at[i] = memory_alloc(m, 10 * MIB, 1, "x", 0);
    for (u32 i = 0; i < 64; i += 2)
        assert_true(memory_free(m, at[i]));
    for (u32 i = 1; i < 64; i += 2)
        assert_true(memory_free(m, at[i]));
    assert_int_equal(memory_alloc(m, GIB, 1, "all of it", 0), at[0]);
    memory_destroy(m);
}

TEST(the_limit_counts_bytes_asked_for_and_is_exact)
{
    UNUSED_STATE;
    struct device_memory *m = create(1000);
    assert_int_equal(memory_limit(m), 1000);
    u64 a = memory_alloc(m, 600, 1, "a", 0);
    assert_int_not_equal(a, 0);
    assert_int_equal(memory_used(m), 600);
    assert_int_equal(memory_alloc(m, 401, 1, "b", 0), 0);
    assert_int_equal(memory_alloc(m, UINT64_MAX, 1, "b", 0), 0);
    assert_int_equal(memory_used(m), 600);
    assert_int_not_equal(memory_alloc(m, 400, 1, "c", 0), 0);
    assert_int_equal(memory_used(m), 1000);
    assert_int_equal(memory_alloc(m, 1, 1, "d", 0), 0);
    assert_true(memory_free(m, a));
    assert_int_equal(memory_used(m), 400);
    memory_destroy(m);
}

TEST(a_device_that_is_too_large_is_an_error)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    assert_null(memory_create(1ull << 60, &err));
    assert_int_equal(err.kind, ERR_INPUT);
}

TEST(only_the_start_of_a_live_allocation_can_be_freed)
{
    UNUSED_STATE;
    struct device_memory *m = create(GIB);
    u64 a = memory_alloc(m, 1000, 1, "a", 0);
    assert_false(memory_free(m, 0));
    assert_false(memory_free(m, a + 256));
    assert_false(memory_free(m, a - 1));
    assert_true(memory_free(m, a));
    assert_false(memory_free(m, a));
    memory_destroy(m);
}

TEST(nearest_is_by_distance_to_the_closest_byte)
{
    UNUSED_STATE;
    struct device_memory *m = create(GIB);
    assert_null(memory_nearest(m, 1234));
    assert_true(memory_register(m, 0x10000, 100, "low", 0));
    assert_true(memory_register(m, 0x10100, 100, "high", 0));
    static const struct {
        u64 address;
        const char *label;
    } cases[] = {
        {0, "low"},        {0x10000, "low"},  {0x10063, "low"},  {0x10064, "low"},
        {0x100b1, "low"},  /* 78 bytes after, 79 before */
        {0x100b2, "high"}, /* 79 after, 78 before */
        {0x10100, "high"}, {0x10163, "high"}, {0x10164, "high"}, {UINT64_MAX, "high"},
    };
    for (u32 i = 0; i < ARRAY_LEN(cases); i++)
        assert_string_equal(memory_nearest(m, cases[i].address)->label, cases[i].label);
    u64 a = memory_alloc(m, 10, 1, "device", 0);
    assert_string_equal(memory_nearest(m, a + 10)->label, "device");
    memory_destroy(m);
}

TEST(registered_host_memory_is_found_and_takes_no_device_memory)
{
    UNUSED_STATE;
    static u8 buffer[4096];
    u64 start = (u64)(uintptr_t)buffer;
    struct device_memory *m = create(GIB);
    assert_true(memory_register(m, start, sizeof buffer, "cudaHostRegister", 9));
    const struct allocation *a = memory_find(m, start + 4095);
    assert_non_null(a);
    assert_int_equal(a->host, start);
    assert_int_equal(a->flags, 9);
    assert_null(memory_find(m, start + 4096));
    assert_int_equal(memory_used(m), 0);
    buffer[17] = 5;
    assert_true(memory_free(m, start));
    assert_int_equal(buffer[17], 5);
    assert_null(memory_find(m, start));
    assert_false(memory_free(m, start));
    memory_destroy(m);
}

TEST(host_memory_that_overlaps_something_is_not_registered)
{
    UNUSED_STATE;
    struct device_memory *m = create(GIB);
    u64 device = memory_alloc(m, 100, 1, "x", 0);
    assert_true(memory_register(m, 0x10000, 0x1000, "a", 0));
    assert_false(memory_register(m, 0x10000, 0x1000, "b", 0));
    assert_false(memory_register(m, 0x10fff, 1, "b", 0));
    assert_false(memory_register(m, 0xf000, 0x1001, "b", 0));
    assert_false(memory_register(m, 0xf000, 0x9000, "b", 0));
    assert_false(memory_register(m, device + 0x100000, 16, "b", 0));
    assert_false(memory_register(m, 0x20000, 0, "b", 0));
    assert_false(memory_register(m, UINT64_MAX - 3, 5, "b", 0));
    assert_true(memory_register(m, 0xf000, 0x1000, "before", 0));
    assert_true(memory_register(m, 0x11000, 0x1000, "after", 0));
    assert_string_equal(memory_find(m, 0x10fff)->label, "a");
    assert_string_equal(memory_find(m, 0x11000)->label, "after");
    memory_destroy(m);
}

TEST(the_epoch_changes_with_every_allocation_that_comes_or_goes)
{
    UNUSED_STATE;
    struct device_memory *m = create(1000);
    u64 e = memory_epoch(m);
    u64 a = memory_alloc(m, 10, 1, "x", 0);
    assert_int_not_equal(memory_epoch(m), e);
    e = memory_epoch(m);
    assert_true(memory_register(m, 0x10000, 16, "host", 0));
    assert_int_not_equal(memory_epoch(m), e);
    e = memory_epoch(m);
    memory_find(m, a);
    memory_nearest(m, a);
    assert_int_equal(memory_alloc(m, 5000, 1, "too large", 0), 0);
    assert_false(memory_free(m, a + 1));
    assert_int_equal(memory_epoch(m), e);
    memory_free(m, a);
    assert_int_not_equal(memory_epoch(m), e);
    e = memory_epoch(m);
    memory_free(m, 0x10000);
    assert_int_not_equal(memory_epoch(m), e);
    memory_destroy(m);
}

/* Memory the process holds, in bytes. */
static u64 resident_bytes(void)
{
    unsigned long long total = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f)
        return 0;
    if (fscanf(f, "%llu %llu", &total, &resident) != 2)
        resident = 0;
    fclose(f);
    return resident * 4096;
}

TEST(freed_memory_goes_back_to_the_machine)
{
    UNUSED_STATE;
    struct device_memory *m = create(4 * GIB);
    u64 large = memory_alloc(m, 256 * MIB, 1, "large", 0);
    memset(bytes_at(large), 1, 256 * MIB);
    enum { SMALL = 100000 };
    static u64 small[SMALL];
    for (u32 i = 0; i < SMALL; i++) {
        small[i] = memory_alloc(m, 1024, 1, "small", 0);
        memset(bytes_at(small[i]), 1, 1024);
    }
    u64 full = resident_bytes();
    assert_true(memory_free(m, large));
    for (u32 i = 0; i < SMALL; i++)
        assert_true(memory_free(m, small[i * 7919ull % SMALL]));
    u64 empty = resident_bytes();
    assert_true(full == 0 || full - empty > 300 * MIB);
    memory_destroy(m);
}

TEST(reserved_addresses_hold_no_memory_until_something_is_mapped)
{
    UNUSED_STATE;
    struct device_memory *m = create(GIB);
    u64 start = memory_reserve(m, 3 * MIB, 0, 0); /* two units */
    assert_true(start && start % MEMORY_UNIT_BYTES == 0);
    assert_true(memory_is_reserved(m, start, 4 * MIB));
    assert_false(memory_is_reserved(m, start, 4 * MIB + 1));
    assert_null(memory_find(m, start));
    assert_false(memory_map(m, start + 4096, 4096, -1, 0, "x", 0));
    assert_true(memory_map(m, start, 2 * MIB, -1, 0, "x", 7));
    assert_int_equal(memory_find(m, start + 2 * MIB - 1)->flags, 7);
    assert_null(memory_find(m, start + 2 * MIB));
    assert_false(memory_map(m, start, 2 * MIB, -1, 0, "again", 0));
    assert_false(memory_unreserve(m, start));
    memset(bytes_at(start), 1, 2 * MIB);
    assert_true(memory_unmap(m, start));
    assert_true(memory_map(m, start, 2 * MIB, -1, 0, "x", 0));
    assert_true(all_zero(start, 2 * MIB));
    assert_true(memory_unmap(m, start) && memory_unreserve(m, start));
    assert_int_equal(memory_reserve(m, 2 * MIB, 0, start + 2 * MIB), start + 2 * MIB);
    memory_destroy(m);
}

TEST(a_file_mapped_in_two_places_is_one_memory)
{
    UNUSED_STATE;
    struct device_memory *m = create(GIB);
    int file = memfd_create("test", 0);
    assert_int_equal(ftruncate(file, 2 * MIB), 0);
    u64 start = memory_reserve(m, 4 * MIB, 0, 0);
    assert_true(memory_map(m, start, 2 * MIB, file, 0, "one", 0) &&
                memory_map(m, start + 2 * MIB, 2 * MIB, file, 0, "other", 0));
    bytes_at(start)[5] = 9;
    assert_int_equal(bytes_at(start + 2 * MIB)[5], 9);
    close(file);
    memory_destroy(m);
}

RUN_TESTS(T(two_instances_in_sequence_hand_out_the_same_addresses),
          T(the_first_address_is_the_same_on_every_machine), T(two_devices_live_side_by_side),
          T(find_holds_from_the_first_to_the_last_byte_and_not_one_past),
          T(a_whole_granule_is_followed_by_a_guard),
          T(an_allocation_of_no_bytes_has_an_address_and_holds_none),
          T(alignment_is_at_least_256_and_what_was_asked_for),
          T(random_allocations_never_overlap_and_keep_their_bytes),
          T(memory_is_zero_when_it_is_used_again),
          T(what_was_free_on_all_sides_becomes_one_hole_again),
          T(the_limit_counts_bytes_asked_for_and_is_exact),
          T(a_device_that_is_too_large_is_an_error),
          T(only_the_start_of_a_live_allocation_can_be_freed),
          T(nearest_is_by_distance_to_the_closest_byte),
          T(registered_host_memory_is_found_and_takes_no_device_memory),
          T(host_memory_that_overlaps_something_is_not_registered),
          T(the_epoch_changes_with_every_allocation_that_comes_or_goes),
          T(freed_memory_goes_back_to_the_machine),
          T(reserved_addresses_hold_no_memory_until_something_is_mapped),
          T(a_file_mapped_in_two_places_is_one_memory))

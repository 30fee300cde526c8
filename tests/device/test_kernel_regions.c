#include "testing.h"

#include "device/kernel_regions.h"

struct bed {
    struct device_memory *memory;
    u64 a, b, c; /* of 1000, 4096 and 64 bytes */
};

static struct bed bed_make(void)
{
    struct err err = ERR_INIT;
    struct bed b = {.memory = memory_create((u64)1 << 30, &err)};
    assert_non_null(b.memory);
    b.a = memory_alloc(b.memory, 1000, 256, "a", 0);
    b.b = memory_alloc(b.memory, 4096, 256, "b", 0);
    b.c = memory_alloc(b.memory, 64, 256, "c", 0);
    return b;
}

static struct region_list find(const struct bed *b, const u64 *params, u32 count)
{
    struct region_list l;
    regions_find(b->memory, params, count * 8, &l);
    return l;
}

TEST(parameters_that_point_into_allocations_make_regions_in_their_order)
{
    UNUSED_STATE;
    struct bed b = bed_make();
    struct region_list l = find(&b, (const u64[]){42, b.b, 7, b.a}, 4);
    assert_int_equal(l.count, 2);
    assert_int_equal(l.at[0].start, b.b);
    assert_int_equal(l.at[0].bytes, 4096);
    assert_int_equal(l.at[1].start, b.a);
    assert_int_equal(l.at[1].bytes, 1000);
    assert_int_equal(l.beyond, 0);
    assert_int_equal(regions_bytes(&l), 5096);
    memory_destroy(b.memory);
}

TEST(a_pointer_into_the_middle_means_the_whole_allocation_and_two_are_one)
{
    UNUSED_STATE;
    struct bed b = bed_make();
    struct region_list l = find(&b, (const u64[]){b.b + 2048, b.b, b.b + 4095}, 3);
    assert_int_equal(l.count, 1);
    assert_int_equal(l.at[0].start, b.b);
    /* one byte behind the last is in none */
    l = find(&b, (const u64[]){b.a + 1000}, 1);
    assert_int_equal(l.count, 0);
    memory_destroy(b.memory);
}

TEST(a_freed_allocation_is_no_region_and_a_pool_is_one)
{
    UNUSED_STATE;
    struct bed b = bed_make();
    memory_free(b.memory, b.c);
    struct region_list l = find(&b, (const u64[]){b.c}, 1);
    assert_int_equal(l.count, 0);
    l = find(&b, (const u64[]){b.b, b.b + 512, b.b + 1024}, 3);
    assert_int_equal(l.count, 1);
    memory_destroy(b.memory);
}

TEST(parameters_are_read_in_steps_of_eight_bytes_to_the_last_whole_one)
{
    UNUSED_STATE;
    struct bed b = bed_make();
    u8 bytes[28];
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes + 4, &b.a, 8); /* no pointer lies there */
    memcpy(bytes + 16, &b.c, 8);
    struct region_list l;
    regions_find(b.memory, bytes, sizeof bytes, &l);
    assert_int_equal(l.count, 1);
    assert_int_equal(l.at[0].start, b.c);
    regions_find(b.memory, bytes, 23, &l); /* the pointer is cut off */
    assert_int_equal(l.count, 0);
    memory_destroy(b.memory);
}

TEST(the_seventeenth_region_has_no_id_but_counts_with_its_bytes)
{
    UNUSED_STATE;
    struct bed b = bed_make();
    u64 params[20];
    for (u32 i = 0; i < 18; i++)
        params[i] = memory_alloc(b.memory, 256, 256, "x", 0);
    params[18] = params[17] + 8; /* again */
    params[19] = params[0];
    struct region_list l = find(&b, params, 20);
    assert_int_equal(l.count, MOST_REGIONS);
    assert_int_equal(l.beyond, 2);
    assert_int_equal(l.beyond_bytes, 512);
    assert_int_equal(regions_bytes(&l), 18 * 256);
    memory_destroy(b.memory);
}

RUN_TESTS(T(parameters_that_point_into_allocations_make_regions_in_their_order),
          T(a_pointer_into_the_middle_means_the_whole_allocation_and_two_are_one),
          T(a_freed_allocation_is_no_region_and_a_pool_is_one),
          T(parameters_are_read_in_steps_of_eight_bytes_to_the_last_whole_one),
          T(the_seventeenth_region_has_no_id_but_counts_with_its_bytes))

/* The log of what an SM does to global memory within a cycle. */
#include "testing.h"

#include "device/memory_log.h"

#include <string.h>

static u8 memory[256];
static u8 flag;

static u64 address_of(u32 offset)
{
    return (u64)(uintptr_t)(memory + offset);
}

static void open_log(struct memory_log *l, struct arena *a)
{
    *a = (struct arena){0};
    memory_log_init(l, a, arena_alloc(a, MEMORY_LOG_BYTES), &flag);
    memset(memory, 0, sizeof memory);
    flag = 0;
}

static void store(struct memory_log *l, u32 offset, u32 bytes, u8 value)
{
    u64 *addresses;
    u8 *data = memory_log_store(l, 1, bytes, &addresses);
    addresses[0] = address_of(offset);
    memset(data, value, bytes);
    memory_log_span(l, addresses[0], addresses[0] + bytes);
}

TEST(stores_are_seen_when_the_log_is_applied_and_the_last_of_a_byte_stays)
{
    UNUSED_STATE;
    struct arena a;
    struct memory_log l;
    open_log(&l, &a);
    store(&l, 8, 8, 1);
    store(&l, 12, 8, 2);
    assert_int_equal(flag, 1);
    assert_int_equal(memory[8], 0);
    memory_log_apply(&l);
    assert_int_equal(flag, 0);
    for (u32 i = 0; i < 24; i++)
        assert_int_equal(memory[i], i < 8 ? 0 : i < 12 ? 1 : i < 20 ? 2 : 0);
    memset(memory, 0, sizeof memory); /* it is empty now */
    memory_log_apply(&l);
    assert_int_equal(memory[8], 0);
    arena_fini(&a);
}

TEST(a_load_sees_the_bytes_that_its_sm_has_stored_and_no_others)
{
    UNUSED_STATE;
    struct arena a;
    struct memory_log l;
    open_log(&l, &a);
    store(&l, 16, 4, 7);
    store(&l, 30, 2, 9);
    assert_true(memory_log_overlaps(&l, address_of(12), address_of(20)));
    assert_false(memory_log_overlaps(&l, address_of(0), address_of(16)));
    assert_false(memory_log_overlaps(&l, address_of(32), address_of(40)));
    u8 copy[16] = {0}; /* of bytes 18 to 33 */
    memory_log_overlay(&l, address_of(18), 16, copy);
    for (u32 i = 0; i < 16; i++)
        assert_int_equal(copy[i], i < 2 ? 7 : i == 12 || i == 13 ? 9 : 0);
    arena_fini(&a);
}

static void note(struct warp *w, const struct op *op, u32 mask, u8 *const *where)
{
    (void)w;
    (void)op;
    *where[3] = (u8)(memory[0] + mask);
}

TEST(what_is_put_off_finds_the_stores_before_it_and_not_those_behind)
{
    UNUSED_STATE;
    struct arena a;
    struct memory_log l;
    open_log(&l, &a);
    u8 *where[32] = {0};
    where[3] = memory + 100;
    store(&l, 0, 1, 5);
    memory_log_defer(&l, note, NULL, NULL, 40, where);
    store(&l, 0, 1, 6);
    assert_int_equal(memory[100], 0);
    memory_log_apply(&l);
    assert_int_equal(memory[100], 45);
    assert_int_equal(memory[0], 6);
    arena_fini(&a);
}

TEST(a_log_grows_with_what_is_in_it)
{
    UNUSED_STATE;
    static u8 large[100000];
    struct arena a;
    struct memory_log l;
    open_log(&l, &a);
    store(&l, 3, 1, 4);
    u64 *addresses;
    u8 *data = memory_log_store(&l, 1, sizeof large, &addresses);
    addresses[0] = (u64)(uintptr_t)large;
    memset(data, 8, sizeof large);
    memory_log_apply(&l);
    assert_int_equal(memory[3], 4);
    assert_int_equal(large[0] + large[sizeof large - 1], 16);
    arena_fini(&a);
}

RUN_TESTS(T(stores_are_seen_when_the_log_is_applied_and_the_last_of_a_byte_stays),
          T(a_load_sees_the_bytes_that_its_sm_has_stored_and_no_others),
          T(what_is_put_off_finds_the_stores_before_it_and_not_those_behind),
          T(a_log_grows_with_what_is_in_it))

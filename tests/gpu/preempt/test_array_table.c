/* The SM array table by hand: spec 5, checks F4 and F5. */
#include "testing.h"

#include "gpu/preempt/array_table.h"

#define SOURCE 0x10000u

struct desk {
    struct arena arena;
    struct array_table t;
    struct array_list list;
};

static void desk_open(struct desk *d, u32 entries)
{
    *d = (struct desk){0};
    array_table_init(&d->t, &d->arena, entries);
    d->list.runs = ARENA_ARRAY(&d->arena, struct array_run, entries);
}

/* Words of a copy: word w is from SOURCE + 4 w. */
static struct array_run copy(u32 first, u32 words)
{
    return (struct array_run){first, words, true, 2, SOURCE + 4 * (u64)first};
}

static struct array_run plain(u32 first, u32 words)
{
    return (struct array_run){.first = first, .words = words};
}

static const struct array_run *only(const struct desk *d)
{
    assert_int_equal(d->t.count, 1);
    return &d->t.entries[0].run;
}

static void assert_run(const struct array_run *r, u32 first, u32 words, bool is_copy)
{
    assert_int_equal(r->first, first);
    assert_int_equal(r->words, words);
    assert_int_equal(r->is_copy, is_copy);
}

TEST(parts_of_a_copy_become_one_entry_in_any_order)
{
    UNUSED_STATE;
    struct desk d;
    desk_open(&d, 8);
    array_table_store(&d.t, 3, copy(64, 32));
    array_table_store(&d.t, 3, copy(0, 32)); /* not next to it */
    assert_int_equal(d.t.count, 2);
    array_table_store(&d.t, 3, copy(32, 32)); /* between the two */
    assert_run(only(&d), 0, 96, true);
    assert_int_equal(only(&d)->address, SOURCE);
    array_table_store(&d.t, 3, copy(10, 4)); /* once more: nothing new */
    assert_run(only(&d), 0, 96, true);
    array_table_store(&d.t, 4, copy(96, 32)); /* another block's */
    assert_int_equal(d.t.count, 2);
    arena_fini(&d.arena);
}

TEST(words_that_come_from_elsewhere_end_the_copy_and_stay_valid)
{
    UNUSED_STATE;
    struct desk d;
    desk_open(&d, 8);
    array_table_store(&d.t, 0, copy(0, 32));
    array_table_store(&d.t, 0, plain(32, 8)); /* next to it: an entry of its own */
    assert_int_equal(d.t.count, 2);
    array_table_store(&d.t, 0, plain(28, 2)); /* in it: the whole is data, with all around */
    assert_int_equal(d.t.count, 1);
    assert_run(only(&d), 0, 40, false);
    array_table_store(&d.t, 0, copy(36, 32)); /* over data: data, up to its own end */
    assert_run(only(&d), 0, 68, false);
    arena_fini(&d.arena);
}

TEST(the_same_words_from_another_array_or_stride_are_no_copy)
{
    UNUSED_STATE;
    struct desk d;
    struct array_run other = copy(16, 32), wider = copy(16, 32);
    other.address += 4;
    wider.shift = 3;
    desk_open(&d, 8);
    array_table_store(&d.t, 0, copy(0, 32));
    array_table_store(&d.t, 0, other);
    assert_run(only(&d), 0, 48, false);
    array_table_forget(&d.t, 0);
    array_table_store(&d.t, 0, copy(0, 32));
    array_table_store(&d.t, 0, wider);
    assert_run(only(&d), 0, 48, false);
    arena_fini(&d.arena);
}

TEST(a_store_to_the_source_ends_the_copy_of_any_block)
{
    UNUSED_STATE;
    struct desk d;
    desk_open(&d, 8);
    array_table_store(&d.t, 0, copy(0, 32));
    array_table_store(&d.t, 5, copy(16, 32));
    array_table_overwrite(&d.t, SOURCE - 4, 4);       /* before both */
    array_table_overwrite(&d.t, SOURCE + 4 * 48, 16); /* behind both */
    assert_true(d.t.entries[0].run.is_copy && d.t.entries[1].run.is_copy);
    array_table_overwrite(&d.t, SOURCE + 4 * 32 - 1, 1); /* the last byte of block 0's */
    assert_false(d.t.entries[0].run.is_copy);
    assert_false(d.t.entries[1].run.is_copy);
    array_table_store(&d.t, 2, copy(40, 8));
    array_table_overwrite(&d.t, SOURCE, 16);
    assert_true(d.t.entries[2].run.is_copy);
    arena_fini(&d.arena);
}

/* Every 16th word of an array: 4 KB for 64 words. */
TEST(a_copy_with_a_stride_has_its_range)
{
    UNUSED_STATE;
    struct desk d;
    struct array_run r = {.first = 0, .words = 64, .is_copy = true, .shift = 6, .address = SOURCE};
    desk_open(&d, 8);
    assert_int_equal(array_span(&r), 63 * 64 + 4);
    array_table_store(&d.t, 0, r);
    array_table_overwrite(&d.t, SOURCE + 63 * 64 + 4, 4);
    assert_true(only(&d)->is_copy);
    array_table_overwrite(&d.t, SOURCE + 63 * 64, 4);
    assert_false(only(&d)->is_copy);
    arena_fini(&d.arena);
}

TEST(doubt_is_about_all_copies_of_the_blocks)
{
    UNUSED_STATE;
    struct desk d;
    desk_open(&d, 8);
    for (u32 b = 0; b < 4; b++)
        array_table_store(&d.t, b, copy(64 * b, 32));
    array_table_doubt(&d.t, 1u << 2);
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(d.t.entries[i].run.is_copy, d.t.entries[i].block != 2);
    array_table_doubt(&d.t, ~(u64)0);
    for (u32 i = 0; i < 4; i++) {
        assert_false(d.t.entries[i].run.is_copy);
        assert_int_equal(d.t.entries[i].run.words, 32); /* still valid */
    }
    arena_fini(&d.arena);
}

TEST(a_block_takes_its_entries_along)
{
    UNUSED_STATE;
    struct desk from, to;
    desk_open(&from, 8);
    desk_open(&to, 8);
    array_table_store(&from.t, 1, copy(0, 32));
    array_table_store(&from.t, 2, plain(0, 5));
    array_table_store(&from.t, 1, plain(100, 3));
    array_table_take(&from.t, 1, &from.list);
    assert_run(only(&from), 0, 5, false); /* block 2's */
    assert_int_equal(from.list.count, 2);
    array_table_put(&to.t, 7, &from.list);
    assert_int_equal(to.t.count, 2);
    for (u32 i = 0; i < 2; i++) {
        assert_int_equal(to.t.entries[i].block, 7);
        assert_int_equal(to.t.entries[i].run.is_copy, to.t.entries[i].run.first == 0);
    }
    arena_fini(&from.arena);
    arena_fini(&to.arena);
}

TEST(a_run_too_many_has_all_of_the_block_saved_until_it_ends)
{
    UNUSED_STATE;
    struct desk d, to;
    desk_open(&d, 128);
    desk_open(&to, 128);
    array_table_store(&d.t, 9, copy(5000, 1));
    for (u32 i = 0; i < 127; i++)
        array_table_store(&d.t, 0, plain(2 * i, 1));
    assert_int_equal(d.t.count, 128);
    assert_int_equal(d.t.overflowed, 0);
    array_table_store(&d.t, 0, plain(254, 1)); /* the 129th */
    assert_int_equal(d.t.overflowed, 1);
    assert_int_equal(d.t.overflows, 1);
    assert_run(only(&d), 5000, 1, true); /* the other block's is still there */
    array_table_store(&d.t, 0, plain(1000, 1));
    assert_int_equal(d.t.count, 1);
    array_table_take(&d.t, 0, &d.list);
    assert_true(d.list.overflowed);
    array_table_put(&to.t, 4, &d.list);
    assert_int_equal(to.t.overflowed, 1u << 4);
    array_table_forget(&to.t, 4);
    assert_int_equal(to.t.overflowed, 0);
    arena_fini(&d.arena);
    arena_fini(&to.arena);
}

RUN_TESTS(T(parts_of_a_copy_become_one_entry_in_any_order),
          T(words_that_come_from_elsewhere_end_the_copy_and_stay_valid),
          T(the_same_words_from_another_array_or_stride_are_no_copy),
          T(a_store_to_the_source_ends_the_copy_of_any_block),
          T(a_copy_with_a_stride_has_its_range), T(doubt_is_about_all_copies_of_the_blocks),
          T(a_block_takes_its_entries_along),
          T(a_run_too_many_has_all_of_the_block_saved_until_it_ends))

/* TLBs alone: first levels of 2 pages, a second level of 4 that takes 8 cycles, a walk of 60. */
#include "testing.h"

#include "cpu/tlb.h"

#define PAGE(n) ((u64)(n)*4096)

struct bed {
    struct arena arena;
    struct tlb_config config;
    struct address_table second;
    struct tlb itlb, dtlb;
};

static void bed_open(struct bed *b, bool enabled)
{
    *b = (struct bed){.config = {.enabled = enabled,
                                 .page_bytes = 4096,
                                 .entries = 2,
                                 .ways = 2,
                                 .l2_cycles = 8,
                                 .walk_cycles = 60}};
    address_table_init(&b->second, &b->arena, 4, 4);
    tlb_init(&b->itlb, &b->arena, &b->config, &b->second);
    tlb_init(&b->dtlb, &b->arena, &b->config, &b->second);
}

TEST(a_page_is_walked_once_and_then_hits_at_no_cost)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, true);
    assert_int_equal(tlb_translate(&b.dtlb, PAGE(5)), 8 + 60);
    assert_int_equal(tlb_translate(&b.dtlb, PAGE(5) + 4095), 0);
    assert_int_equal(tlb_translate(&b.dtlb, PAGE(6)), 8 + 60);
    assert_int_equal(b.dtlb.counts.lookups, 3);
    assert_int_equal(b.dtlb.counts.misses, 2);
    assert_int_equal(b.dtlb.counts.walks, 2);
    arena_fini(&b.arena);
}

TEST(a_page_that_left_the_first_level_comes_from_the_second)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, true);
    for (u32 i = 0; i < 3; i++) /* page 0 leaves the first level */
        assert_int_equal(tlb_translate(&b.dtlb, PAGE(i)), 68);
    assert_int_equal(tlb_translate(&b.dtlb, PAGE(0)), 8);
    assert_int_equal(b.dtlb.counts.misses, 4);
    assert_int_equal(b.dtlb.counts.walks, 3);
    arena_fini(&b.arena);
}

TEST(both_first_levels_share_the_second)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, true);
    assert_int_equal(tlb_translate(&b.itlb, PAGE(1)), 68);
    assert_int_equal(tlb_translate(&b.dtlb, PAGE(1)), 8);
    arena_fini(&b.arena);
}

TEST(without_translation_nothing_costs_or_counts)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, false);
    assert_int_equal(tlb_translate(&b.dtlb, PAGE(1)), 0);
    assert_int_equal(b.dtlb.counts.lookups, 0);
    arena_fini(&b.arena);
}

RUN_TESTS(T(a_page_is_walked_once_and_then_hits_at_no_cost),
          T(a_page_that_left_the_first_level_comes_from_the_second),
          T(both_first_levels_share_the_second), T(without_translation_nothing_costs_or_counts))

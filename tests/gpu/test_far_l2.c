/* What an L2 of two halves keeps (l2/far_l2.h), on a small one: 96 banks of two sets of 20 lines,
 * so 1,920 lines a half. Lines lie evenly: `lines` of them are lines / 192 in every set. */
#include "gpu/bed.h"
#include "gpu/script.h"

#include <string.h>

#define SETS 192u /* of both halves */
#define BASE (64 * MIB)

static const char *const small[] = {
    "l2.size_bytes=491520",     "l2.context_bytes=0",   "l2.page_bytes=0",
    "l2.hashed_channels=false", "l2.set_index=linear",  "l2.dirty_ways=20",
    "l2.half_agents=2",         "l2.coalesce.agents=0", NULL};

/* A warp on each of SMs 0 to sms - 1 reads or writes the same lines, one a turn, past its L1. SMs 0
 * and 1 are in one half, 2 and 3 in the other. */
static void walk(struct bed *b, u32 sms, u64 base, u32 lines, bool write)
{
    const struct scripted_instruction code[] = {
        LOAD(1, base, .iteration_stride = 128, .cache_operator = CACHE_GLOBAL),
        STORE(base, .iteration_stride = 128)};
    struct scripted_kernel k = {.code = &code[write],
                                .count = 1,
                                .threads_per_block = 32,
                                .blocks = sms,
                                .iterations = lines};
    bed_launch(b, &k);
    bed_run(b);
}

static u64 lines_of(struct bed *b, const char *sectors)
{
    return (u64)bed_stat(b, sectors) / 4;
}

/* Twelve lines live in each set, and where the SM is, twelve copies come to them: more than 20, so
 * each is gone before it is read again. In the other half twelve stay. As one SM of an H200 that
 * reads 36 MiB again: 18.0 of them come from DRAM (capacity.csv). */
TEST(one_sm_finds_only_the_other_halfs_lines_again_when_its_half_overflows)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, "h200", small);
    walk(&b, 1, BASE, 12 * SETS, false);
    assert_int_equal(lines_of(&b, "l2.load_sectors_missed"), 12 * SETS);
    assert_int_equal(lines_of(&b, "l2.load_sectors_across"), 0); /* DRAM's latency has the way */
    walk(&b, 1, BASE, 12 * SETS, false);
    assert_int_equal(lines_of(&b, "l2.load_sectors_missed"), 12 * SETS + 6 * SETS);
    assert_int_equal(lines_of(&b, "l2.load_sectors_across"), 6 * SETS);
    bed_close(&b);
}

/* Ten to a set, with copies 20. */
TEST(what_fits_with_its_copies_is_found_again_in_the_sms_half)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, "h200", small);
    walk(&b, 1, BASE, 10 * SETS, false);
    walk(&b, 1, BASE, 10 * SETS, false);
    assert_int_equal(lines_of(&b, "l2.load_sectors_missed"), 10 * SETS);
    assert_int_equal(lines_of(&b, "l2.load_sectors_across"), 0);
    bed_close(&b);
}

TEST(copies_serve_their_half_and_a_write_of_the_other_ends_them)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, "h200", small);
    walk(&b, 1, BASE, 5 * SETS, false);
    walk(&b, 2, BASE, 5 * SETS, false);
    assert_int_equal(lines_of(&b, "l2.load_sectors_across"), 0);
    walk(&b, 4, BASE, 5 * SETS, false); /* half of the lines are far from SMs 2 and 3, once */
    assert_int_equal(lines_of(&b, "l2.load_sectors_across"), 5 * SETS / 2);
    walk(&b, 1, BASE, 5 * SETS, true); /* the copies of those are old */
    walk(&b, 4, BASE, 5 * SETS, false);
    assert_int_equal(lines_of(&b, "l2.load_sectors_across"), 5 * SETS);
    assert_int_equal(lines_of(&b, "l2.load_sectors_missed"), 5 * SETS);
    bed_close(&b);
}

/* Nine lines of a set may be dirty: of ten written the first is cleaned, and stays. */
TEST(beyond_its_share_of_dirty_lines_a_set_writes_the_oldest_and_keeps_it)
{
    UNUSED_STATE;
    const char *sets[ARRAY_LEN(small)];
    memcpy(sets, small, sizeof small);
    sets[5] = "l2.dirty_ways=9";
    struct bed b;
    bed_open(&b, "h200", sets);
    walk(&b, 1, BASE, 10 * SETS, true);
    assert_int_equal((u64)bed_stat(&b, "l2.cleaned"), SETS);
    assert_int_equal((u64)bed_stat(&b, "l2.writebacks"), SETS);
    walk(&b, 1, BASE, 10 * SETS, false);
    assert_int_equal(lines_of(&b, "l2.load_sectors_missed"), 0);
    walk(&b, 1, BASE, SETS, true); /* the cleaned ones again, and the next are */
    assert_int_equal((u64)bed_stat(&b, "l2.cleaned"), 2 * SETS);
    bed_close(&b);
}

/* All that a copy brings goes through one way of each full set; the first line that an SM misses
 * there takes that way again, so nothing else goes. */
TEST(a_copy_takes_one_line_of_a_full_set)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, "h200", small);
    walk(&b, 4, BASE, 10 * SETS, false); /* ten lines and ten copies in each set */
    u64 before = lines_of(&b, "l2.load_sectors_missed");
    gpu_copied(b.gpu, 2 * BASE, (u64)128 * 7 * SETS);
    walk(&b, 1, BASE, 10 * SETS, false);
    assert_in_range(lines_of(&b, "l2.load_sectors_missed") - before, 1, SETS);
    bed_close(&b);
}

/* 40 lines of each bank, half of them dirty: the first 10 to a set and their 10 copies make room.
 */
TEST(what_a_program_finds_at_its_start_is_written_when_it_needs_the_room)
{
    UNUSED_STATE;
    const char *sets[ARRAY_LEN(small) + 1] = {0};
    memcpy(sets, small, sizeof small);
    sets[1] = "l2.context_bytes=491520";
    sets[ARRAY_LEN(small) - 1] = "l2.context_dirty_bytes=245760";
    struct bed b;
    bed_open(&b, "h200", sets);
    walk(&b, 1, BASE, 10 * SETS, false);
    /* all of the SM's half, and ten of 20 in the other; instructions take a few more */
    u32 gone = 20 * SETS / 2 + 10 * SETS / 2;
    assert_in_range((u64)bed_stat(&b, "l2.evictions"), gone, gone + 20);
    assert_in_range((u64)bed_stat(&b, "l2.writebacks"), gone / 2, gone / 2 + 10);
    bed_close(&b);
}

RUN_TESTS(T(one_sm_finds_only_the_other_halfs_lines_again_when_its_half_overflows),
          T(what_fits_with_its_copies_is_found_again_in_the_sms_half),
          T(copies_serve_their_half_and_a_write_of_the_other_ends_them),
          T(beyond_its_share_of_dirty_lines_a_set_writes_the_oldest_and_keeps_it),
          T(a_copy_takes_one_line_of_a_full_set),
          T(what_a_program_finds_at_its_start_is_written_when_it_needs_the_room))

/* What is counted to be compared with counters of GPUs: sectors of loads, resident warps. */
#include "gpu/bed.h"
#include "gpu/script.h"

static void run(struct bed *b, const struct scripted_kernel *k)
{
    bed_launch(b, k);
    bed_run(b);
}

TEST(a_sector_on_its_way_is_no_miss_and_a_line_may_lack_sectors)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {
        LOAD(1, MIB),                                            /* 4 sectors, all missed */
        LOAD(2, MIB),                                            /* 4, all on their way */
        LOAD(3, MIB, .src0 = 1),                                 /* 4, all there */
        LOAD_APART(4, 0, MIB + 128),                             /* 1, missed */
        LOAD(5, MIB + 128, .src0 = 4),                           /* 4, 3 of them missed */
        LOAD(6, MIB, .src0 = 5, .cache_operator = CACHE_GLOBAL), /* 4, past the L1 */
    };
    const char *sets[] = {"sm.count=1", NULL};
    struct bed b;
    bed_open(&b, "ampere", sets);
    struct scripted_kernel k = KERNEL(code, 32);
    run(&b, &k);
    assert_int_equal((u64)bed_stat(&b, "sm.l1.load_sectors"), 4 + 4 + 4 + 1 + 4 + 4);
    assert_int_equal((u64)bed_stat(&b, "sm.l1.load_sectors_missed"), 4 + 0 + 0 + 1 + 3 + 4);
    /* a line that lacks sectors is asked for with those it has */
    assert_int_equal((u64)bed_stat(&b, "l2.load_sectors"), 4 + 1 + 4 + 4);
    /* the last load's sectors are in L2, and the one that was asked for twice */
    assert_int_equal((u64)bed_stat(&b, "l2.load_sectors_missed"), 4 + 1 + 3 + 0);
    bed_close(&b);
}

TEST(without_sectors_a_miss_is_of_what_the_load_asked_for)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {
        LOAD_APART(1, 0, MIB),   /* 1 sector missed; the whole line comes */
        LOAD(2, MIB, .src0 = 1), /* 4, all there */
    };
    const char *sets[] = {"sm.count=1", NULL};
    struct bed b;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(code, 32);
    run(&b, &k);
    assert_int_equal((u64)bed_stat(&b, "sm.l1.load_sectors"), 5);
    assert_int_equal((u64)bed_stat(&b, "sm.l1.load_sectors_missed"), 1);
    bed_close(&b);
}

/* The fifth line of a set of four: what is counted is what it lacks, not what its victim has. */
TEST(a_miss_that_evicts_a_line_misses_all_its_sectors)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {
        LOAD(1, MIB),
        LOAD(2, MIB + 4096, .src0 = 1),
        LOAD(3, MIB + 2 * 4096, .src0 = 2),
        LOAD(4, MIB + 3 * 4096, .src0 = 3),
        LOAD(5, MIB + 4 * 4096, .src0 = 4),
    };
    const char *sets[] = {"sm.count=1", "sm.l1.set_index=linear", NULL};
    struct bed b;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(code, 32);
    run(&b, &k);
    assert_int_equal((u64)bed_stat(&b, "sm.l1.evictions"), 1);
    assert_int_equal((u64)bed_stat(&b, "sm.l1.load_sectors_missed"), 5 * 4);
    assert_int_equal((u64)bed_stat(&b, "sm.l1.sector_misses"), 0);
    bed_close(&b);
}

/* One word of a line is written. */
static u64 lines_fetched(const char *write_miss)
{
    static const struct scripted_instruction code[] = {STORE(MIB, .mask = 1)};
    const char *sets[] = {"sm.count=1", write_miss, NULL};
    struct bed b;
    bed_open(&b, "ampere", sets);
    struct scripted_kernel k = KERNEL(code, 32);
    run(&b, &k);
    u64 fills = (u64)bed_stat(&b, "l2.fills") - (u64)bed_stat(&b, "l2.fetches");
    bed_close(&b);
    return fills;
}

TEST(a_store_of_a_word_fetches_the_rest_unless_bytes_are_kept)
{
    UNUSED_STATE;
    assert_int_equal(lines_fetched("l2.write_miss=fetch_partial"), 1);
    assert_int_equal(lines_fetched("l2.write_miss=keep"), 0);
}

static u64 resident(u32 threads, u64 blocks)
{
    static const struct scripted_instruction code[] = {SLEEP(1000), EXIT()};
    const char *sets[] = {"sm.count=1", NULL};
    struct bed b;
    bed_open(&b, "ampere", sets);
    struct scripted_kernel k = KERNEL(code, threads, .blocks = blocks);
    run(&b, &k);
    u64 cycles = (u64)bed_stat(&b, "sm.warp_cycles");
    assert_int_equal(cycles, b.gpu->records[0].numbers.warp_cycles);
    assert_true(cycles <= threads / 32 * blocks * b.gpu->records[0].numbers.cycles);
    bed_close(&b);
    return cycles;
}

/* One of two warps ends at once: it is not resident while the other sleeps. */
TEST(a_warp_that_has_ended_is_not_resident)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {SLEEP(1000, .warps = 1), EXIT()};
    struct bed b;
    bed_open(&b, "ampere", NULL);
    struct scripted_kernel k = KERNEL(code, 64);
    run(&b, &k);
    assert_in_range((u64)bed_stat(&b, "sm.warp_cycles"), 1000, 2200); /* both: 2,000 and more */
    bed_close(&b);
}

TEST(warps_are_resident_from_their_blocks_start_until_they_end)
{
    UNUSED_STATE;
    /* up to 600 cycles for the first instructions, which come from DRAM */
    assert_in_range(resident(32, 1), 1000, 1600);
    assert_in_range(resident(64, 1), 2000, 3200);
    assert_in_range(resident(64, 3), 6000, 9600);
}

RUN_TESTS(T(a_sector_on_its_way_is_no_miss_and_a_line_may_lack_sectors),
          T(without_sectors_a_miss_is_of_what_the_load_asked_for),
          T(a_miss_that_evicts_a_line_misses_all_its_sectors),
          T(a_store_of_a_word_fetches_the_rest_unless_bytes_are_kept),
          T(warps_are_resident_from_their_blocks_start_until_they_end),
          T(a_warp_that_has_ended_is_not_resident))

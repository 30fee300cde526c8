/* Features of hand-made kernels on a chip of 2 SMs, and what is said of them. */
#include "testing.h"

#include "views/gpu_doubts.h"

#include <string.h>

static struct gpu_config chip(const char *compared)
{
    return (struct gpu_config){
        .device = {.compared = compared},
        .launch = {.cycles = 1000},
        .sm = {.count = 2, .clock_hz = 1000000000},
        .l2 = {.banks_per_channel = 2, .port_bytes = 32},
        .dram = {.channels = 1, .bus_bits = 64, .data_rate = 4, .clock_hz = 1000000000}};
}

/* 10,000 cycles of 80,000 slots, a quarter of them issued, all else memory. */
static struct gpu_counters plain(void)
{
    struct gpu_counters t = {.cycles = 10000};
    t.scheduler_slots[SLOT_ISSUED] = 20000;
    t.scheduler_slots[SLOT_DATA_MEM] = 60000;
    return t;
}

static u32 features(const struct gpu_counters *t)
{
    struct gpu_config c = chip("h200");
    struct doubt_numbers n = doubt_numbers_of(t);
    return gpu_features(&c, &n);
}

#define BIT(doubt) (1u << (doubt))

TEST(a_kernel_of_which_nothing_stands_out_has_no_feature)
{
    UNUSED_STATE;
    struct gpu_counters t = plain();
    assert_int_equal(features(&t), 0);
}

TEST(a_few_bytes_from_dram_are_no_feature_of_a_chip_that_names_a_preset)
{
    UNUSED_STATE;
    struct gpu_config c = chip("h200");
    c.dram = (struct dram_config){.preset = DRAM_HBM3};
    struct gpu_counters t = plain();
    t.dram_read_bytes = 64;
    struct doubt_numbers n = doubt_numbers_of(&t);
    assert_int_equal(gpu_features(&c, &n), 0);
}

TEST(each_feature_is_told_from_its_counter)
{
    UNUSED_STATE;
    struct gpu_counters t = plain();
    t.cycles = 2900;
    assert_int_equal(features(&t), BIT(DOUBT_SHORT));
    t = plain(); /* 64 bytes a cycle, of which a fifth for 9,000 cycles is 3,600 sectors */
    t.l2_read_sectors = 3600;
    assert_int_equal(features(&t), 0);
    t.l2_read_sectors = 3601;
    assert_int_equal(features(&t), BIT(DOUBT_L2_READS));
    t = plain(); /* 32 bytes a cycle */
    t.dram_read_bytes = 50000;
    t.dram_written_bytes = 8000;
    assert_int_equal(features(&t), BIT(DOUBT_DRAM));
    t = plain();
    t.l2_read_sectors = 90;
    t.l2_reduction_sectors = 11;
    assert_int_equal(features(&t), BIT(DOUBT_ATOMICS));
    t = plain();
    t.shared_passes = 4501; /* of 2 x 9,000 cycles */
    assert_int_equal(features(&t), BIT(DOUBT_SHARED));
    static const struct {
        enum slot_class slot;
        enum gpu_doubt doubt;
    } classes[] = {{SLOT_BARRIER, DOUBT_BARRIERS},
                   {SLOT_DATA_ALU, DOUBT_ARITHMETIC},
                   {SLOT_FETCH, DOUBT_FETCH},
                   {SLOT_STRUCT_MEM, DOUBT_LSU},
                   {SLOT_ISSUED, DOUBT_INSTRUCTIONS}};
    for (u32 i = 0; i < ARRAY_LEN(classes); i++) {
        t = plain();
        t.scheduler_slots[SLOT_DATA_MEM] = 20000;
        t.scheduler_slots[classes[i].slot] = 40000;
        assert_int_equal(features(&t), BIT(classes[i].doubt));
    }
    t = plain();
    t.scheduler_slots[SLOT_NO_WARP] = 80001;
    assert_int_equal(features(&t), BIT(DOUBT_FEW_WARPS));
}

TEST(only_what_was_further_off_than_all_or_not_measured_is_doubtful)
{
    UNUSED_STATE;
    struct gpu_config c = chip("h200"), other = chip("");
    struct gpu_counters t = {.cycles = 1000, .l2_atomic_sectors = 100000, .shared_passes = 100000};
    for (u32 i = 0; i < SLOT_COUNT; i++)
        t.scheduler_slots[i] = 1000;
    struct doubt_numbers n = doubt_numbers_of(&t);
    u32 all = gpu_features(&c, &n), doubts = gpu_doubts(&c, &n);
    for (u32 i = 0; i < DOUBT_COUNT; i++) {
        const struct doubt_error *e = &gpu_doubt_errors[i];
        bool doubtful = e->mean > DOUBT_LIMIT || e->kernels < DOUBT_FEW_KERNELS;
        assert_int_equal(doubts >> i & 1, doubtful ? all >> i & 1 : 0);
    }
    assert_int_equal(gpu_doubts(&other, &n), 0); /* nobody has compared it */
}

TEST(doubts_are_told_with_what_was_measured)
{
    UNUSED_STATE;
    struct text out = {0};
    gpu_doubts_text(BIT(DOUBT_COUNT) - 1, &out);
    for (u32 i = 0; i < DOUBT_COUNT; i++)
        assert_non_null(strstr(out.data, gpu_doubt_errors[i].words));
    assert_non_null(strstr(out.data, gpu_doubt_errors[0].kernels ? "% off" : "not measured"));
    text_fini(&out);
}

RUN_TESTS(T(a_kernel_of_which_nothing_stands_out_has_no_feature),
          T(a_few_bytes_from_dram_are_no_feature_of_a_chip_that_names_a_preset),
          T(each_feature_is_told_from_its_counter),
          T(only_what_was_further_off_than_all_or_not_measured_is_doubtful),
          T(doubts_are_told_with_what_was_measured))

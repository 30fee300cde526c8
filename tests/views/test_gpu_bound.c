/* What bounds a run, by hand-made numbers of a chip with 2 SMs of 2 schedulers at 1 GHz. */
#include "testing.h"

#include "machine/gpu_cluster.h"
#include "views/gpu_summary.h"

static struct gpu_config config;
static struct gpu gpu;

/* DRAM of one channel: 8 bytes x 4 at 1 GHz, 32 GB/s. */
static const struct gpu *chip(void)
{
    config = (struct gpu_config){
        .sm = {.count = 2, .schedulers = 2, .clock_hz = 1000000000, .sub_cores = true}};
    static struct memory_system memory;
    static struct sim sim;
    gpu = (struct gpu){.sim = &sim, .config = &config, .memory = &memory};
    memory.dram.config =
        (struct dram_config){.channels = 1, .bus_bits = 64, .data_rate = 4, .clock_hz = 1000000000};
    return &gpu;
}

/* 1000 cycles: 4000 scheduler-cycles, of which 100 issued and the rest waited for `why`. */
static struct gpu_counters waiting_for(enum slot_class why)
{
    struct gpu_counters t = {.cycles = 1000};
    t.scheduler_slots[SLOT_ISSUED] = 100;
    t.scheduler_slots[why] = 3900;
    return t;
}

static void assert_bound(const struct gpu_counters *t, const char *words)
{
    assert_non_null(strstr(gpu_bound_by(chip(), t), words));
}

TEST(a_run_is_bound_by_the_class_that_most_cycles_are_charged_to)
{
    UNUSED_STATE;
    static const struct {
        enum slot_class why;
        const char *words;
    } rows[] = {
        {SLOT_FETCH, "instruction fetch"},
        {SLOT_DATA_MEM, "memory latency"},
        {SLOT_DATA_ALU, "arithmetic latency"},
        {SLOT_STRUCT_ALU, "execution units"},
        {SLOT_BARRIER, "barriers"},
        {SLOT_NO_WARP, "parallelism"},
        {SLOT_STRUCT_MEM, "between L1 and L2"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct gpu_counters t = waiting_for(rows[i].why);
        assert_bound(&t, rows[i].words);
    }
}

/* One block on one of many schedulers: 40 cycles issued, 60 of arithmetic, 900 of memory. */
TEST(a_single_block_that_waits_for_memory_is_bound_by_memory)
{
    UNUSED_STATE;
    struct gpu_counters t = {.cycles = 1000};
    t.scheduler_slots[SLOT_ISSUED] = 40;
    t.scheduler_slots[SLOT_DATA_ALU] = 60;
    t.scheduler_slots[SLOT_DATA_MEM] = 900;
    t.scheduler_slots[SLOT_NO_WARP] = 3000;
    assert_bound(&t, "memory latency");
    t.scheduler_slots[SLOT_ISSUED] = 400; /* waits of several kinds: more blocks would help */
    assert_bound(&t, "parallelism");
}

TEST(issuing_most_of_the_time_is_instruction_throughput)
{
    UNUSED_STATE;
    struct gpu_counters t = {.cycles = 1000};
    t.scheduler_slots[SLOT_ISSUED] = 3300; /* of 4000: more than 80 % */
    t.scheduler_slots[SLOT_DATA_MEM] = 700;
    assert_bound(&t, "instruction throughput");
}

TEST(dram_at_more_than_seven_tenths_of_its_pins_is_the_bound)
{
    UNUSED_STATE;
    struct gpu_counters t = waiting_for(SLOT_DATA_MEM);
    t.dram_read_bytes = 22000; /* in 1 us: 22 of 32 GB/s */
    assert_bound(&t, "memory latency");
    t.dram_written_bytes = 1000; /* 23 GB/s, 72 % */
    assert_bound(&t, "DRAM bandwidth");
}

TEST(a_busy_load_store_unit_is_bound_by_what_stops_it)
{
    UNUSED_STATE;
    struct gpu_counters t = waiting_for(SLOT_STRUCT_MEM);
    t.l2_stall[STALL_MSHR] = 5;
    assert_bound(&t, "MSHRs of the L2");
    t.l1_stall[L1_STALL_MSHR] = 10;
    t.l1_stall[L1_STALL_L2] = 20; /* then it is below L1 */
    assert_bound(&t, "MSHRs of the L2");
    t.l1_stall[L1_STALL_MSHR] = 30;
    assert_bound(&t, "MSHRs of the L1");
    t.shared_passes = 1001; /* of 2000 SM cycles: more than half */
    t.shared_accesses = 1001;
    assert_bound(&t, "shared memory throughput");
    t.shared_accesses = 500;
    assert_bound(&t, "bank conflicts");
}

RUN_TESTS(T(a_single_block_that_waits_for_memory_is_bound_by_memory),
          T(a_run_is_bound_by_the_class_that_most_cycles_are_charged_to),
          T(issuing_most_of_the_time_is_instruction_throughput),
          T(dram_at_more_than_seven_tenths_of_its_pins_is_the_bound),
          T(a_busy_load_store_unit_is_bound_by_what_stops_it))

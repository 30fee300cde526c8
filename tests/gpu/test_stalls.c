/* Checks T1, T3, T4 and T5 of the bandwidth-and-ccn spec: where cycles go, and how full queues
 * are. T2 is test_golden.c. */
#include "gpu/random_kernel.h"
#include "gpu/script.h"

static u64 sum(const u64 *values, u32 count)
{
    u64 total = 0;
    for (u32 i = 0; i < count; i++)
        total += values[i];
    return total;
}

static struct synthetic_kernel loads_of(struct synthetic_phase *p, u64 instructions)
{
    *p = synthetic_phase_initial();
    p->instructions = instructions;
    p->mix.load = p->mix.fp32 = 1;
    p->access.stream = 1;
    struct synthetic_kernel k = synthetic_kernel_initial();
    k.registers_per_thread = 20;
    k.blocks = 90;
    k.phases = p;
    k.phase_count = 1;
    return k;
}

/* ---- T1: every cycle is charged once -------------------------------------------------------- */

static void classes_add_up(const char *const *sets, u64 seed)
{
    struct bed b;
    bed_open(&b, "fermi15", sets);
    bed_launch_random(&b, seed);
    bed_run(&b);
    cycle_t cycles = engine_cycle(&b.sim.engine, b.gpu->cluster.core) + 1;
    u32 schedulers = b.gpu->config->sm.schedulers;
    for (u32 i = 0; i < b.gpu->config->sm.count; i++) {
        const struct sm_counts *c = &b.gpu->cluster.sms[i].counts;
        assert_int_equal(c->cycles, cycles);
        assert_int_equal(sum(c->scheduler_slots, SLOT_COUNT), cycles * schedulers);
        assert_int_equal(sum(c->core_slots, SLOT_COUNT), cycles);
        /* the SM issues when a scheduler does, and has no warp when none of them has */
        assert_true(c->core_slots[SLOT_ISSUED] <= c->scheduler_slots[SLOT_ISSUED]);
        assert_true(c->core_slots[SLOT_ISSUED] * schedulers >= c->scheduler_slots[SLOT_ISSUED]);
        assert_true(c->core_slots[SLOT_NO_WARP] * schedulers <= c->scheduler_slots[SLOT_NO_WARP]);
        assert_int_equal(c->scheduler_slots[SLOT_ISSUED], c->warp_instructions);
    }
    bed_close(&b);
}

TEST(classes_add_up_to_every_cycle_of_schedulers_and_sms)
{
    UNUSED_STATE;
    const char *four[] = {"sm.schedulers=4", "sm.sub_cores=true", "sm.count=3", NULL};
    const char *one[] = {"sm.schedulers=1", "sm.count=3", "sm.warp_policy=lrr", NULL};
    for (u64 seed = 1; seed <= 3; seed++) {
        classes_add_up(NULL, seed);
        classes_add_up(four, seed);
        classes_add_up(one, seed);
    }
}

/* Every unit ticks every cycle here, and sees the stall that the last tick left. */
static u64 l1_stalled, l2_stalled;

static cycle_t witness_core(void *self, cycle_t now)
{
    const struct bed *b = self;
    for (u32 i = 0; i < b->gpu->config->sm.count; i++)
        l1_stalled += b->gpu->cluster.sms[i].lsu.stall != L1_STALL_NONE;
    return now + 1;
}

static cycle_t witness_l2(void *self, cycle_t now)
{
    const struct bed *b = self;
    for (u32 i = 0; i < b->gpu->memory->bank_count; i++)
        l2_stalled += b->gpu->memory->banks[i].stall != STALL_NONE;
    return now + 1;
}

TEST(stall_classes_of_l1_and_l2_add_up_to_the_cycles_in_which_a_head_stood_still)
{
    UNUSED_STATE;
    struct bed b;
    struct synthetic_phase p;
    struct synthetic_kernel k = loads_of(&p, 16);
    /* witnesses would tick for ever: the run ends at a limit, long after the kernel */
    struct engine_options options = {.no_skip = true, .max_cycles = 60000};
    p.access.requests_per_load = 4;
    p.code_bytes = 128;
    k.blocks = 45;
    bed_build(&b, "fermi15", NULL, &options);
    engine_add_unit(&b.sim.engine, b.gpu->cluster.core, "core witness", witness_core, &b);
    engine_add_unit(&b.sim.engine, b.gpu->memory->cache_domain, "l2 witness", witness_l2, &b);
    engine_start(&b.sim.engine);
    l1_stalled = l2_stalled = 0;
    bed_launch_synthetic(&b, &k, 1);
    assert_int_equal(engine_run(&b.sim.engine), ENGINE_LIMIT);
    assert_true(dispatcher_is_idle(&b.gpu->cluster.dispatcher));
    gpu_settle(b.gpu);
    u64 l1 = 0, l2 = 0;
    for (u32 i = 0; i < b.gpu->config->sm.count; i++)
        l1 += sum(b.gpu->cluster.sms[i].l1.counts.stall, L1_STALL_COUNT);
    for (u32 i = 0; i < b.gpu->memory->bank_count; i++)
        l2 += sum(b.gpu->memory->banks[i].counts.stall, STALL_COUNT);
    assert_true(l1 > 1000 && l2 > 1000);
    assert_int_equal(l1, l1_stalled);
    assert_int_equal(l2, l2_stalled);
    bed_close(&b);
}

/* The class with most cycles in which nothing was issued, of a list run many times. */
static u32 main_stall(const struct scripted_instruction *code, u32 count, u32 threads)
{
    const char *sets[] = {"sm.count=1", "sm.schedulers=1", NULL};
    struct scripted_kernel k = {.code = code,
                                .count = count,
                                .threads_per_block = threads,
                                .iterations = 200,
                                .shared_bytes_per_block = 8192};
    struct bed b;
    bed_open(&b, "fermi15", sets);
    bed_launch(&b, &k);
    bed_run(&b);
    const u64 *slots = b.gpu->cluster.sms[0].counts.scheduler_slots;
    u32 most = SLOT_FETCH;
    for (u32 i = SLOT_FETCH; i < SLOT_NO_WARP; i++)
        most = slots[i] > slots[most] ? i : most;
    bed_close(&b);
    return most;
}

TEST(each_cause_is_charged_to_its_class)
{
    UNUSED_STATE;
    static const struct scripted_instruction divide[] = {
        {.unit = UNIT_INT, .cost = COST_DIVIDE, .dst = 1, .src0 = 1}}; /* 145 cycles each */
    static const struct scripted_instruction load[] = {
        LOAD(1, MIB, .src0 = 1, .iteration_stride = 128)};
    static const struct scripted_instruction doubles[] = {
        {.unit = UNIT_FP64, .dst = 1}, {.unit = UNIT_FP64, .dst = 2}}; /* one in 8 cycles */
    static const struct scripted_instruction conflicts[] = {{.kind = WINST_STORE,
                                                             .unit = UNIT_MEMORY,
                                                             .space = SPACE_SHARED,
                                                             .bytes = 4,
                                                             .lane_stride = 128}}; /* 32 passes */
    static const struct scripted_instruction barrier[] = {SLEEP(300, .warps = 1), BARRIER(),
                                                          EXIT()};
    assert_int_equal(main_stall(divide, ARRAY_LEN(divide), 32), SLOT_DATA_ALU);
    assert_int_equal(main_stall(load, ARRAY_LEN(load), 32), SLOT_DATA_MEM);
    assert_int_equal(main_stall(doubles, ARRAY_LEN(doubles), 256), SLOT_STRUCT_ALU);
    assert_int_equal(main_stall(conflicts, ARRAY_LEN(conflicts), 256), SLOT_STRUCT_MEM);
    /* the warp that sleeps has an instruction and no operand is missing: data, ALU */
    assert_int_equal(main_stall(barrier, ARRAY_LEN(barrier), 64), SLOT_DATA_ALU);
}

TEST(a_scheduler_whose_warps_all_wait_at_a_barrier_is_charged_for_that)
{
    UNUSED_STATE;
    /* warp 0 is of scheduler 0, warp 1 of scheduler 1 */
    static const struct scripted_instruction code[] = {SLEEP(2000, .warps = 1), BARRIER(), EXIT()};
    const char *sets[] = {"sm.count=1", NULL};
    struct bed b;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(code, 64);
    bed_launch(&b, &k);
    bed_run(&b);
    const struct sm_counts *c = &b.gpu->cluster.sms[0].counts;
    assert_in_range(c->scheduler_slots[SLOT_BARRIER], 1990, 2010);
    assert_true(c->core_slots[SLOT_BARRIER] < 10); /* the SM as a whole waits for the sleeper */
    bed_close(&b);
}

/* ---- T3: directed kernels ------------------------------------------------------------------- */

struct shares {
    u64 l1[L1_STALL_COUNT], l2[STALL_COUNT], slots[SLOT_COUNT];
};

static struct shares stalls_of(const char *const *sets, const struct synthetic_kernel *k)
{
    struct bed b;
    bed_open(&b, "fermi15", sets);
    bed_launch_synthetic(&b, k, 1);
    bed_run(&b);
    struct gpu_counters t;
    gpu_counters(b.gpu, &t);
    struct shares s;
    memcpy(s.l1, t.l1_stall, sizeof s.l1);
    memcpy(s.l2, t.l2_stall, sizeof s.l2);
    memcpy(s.slots, t.scheduler_slots, sizeof s.slots);
    bed_close(&b);
    return s;
}

TEST(with_more_mshrs_than_loads_nobody_waits_for_one)
{
    UNUSED_STATE;
    struct synthetic_phase p;
    struct synthetic_kernel k = loads_of(&p, 128);
    p.access.requests_per_load = 4;
    struct shares few = stalls_of(NULL, &k);
    assert_true(few.l1[L1_STALL_MSHR] > 0);
    const char *sets[] = {"sm.l1.mshrs=2048", "sm.l1.merge_limit=64", "l2.mshrs=2048",
                          "l2.merge_limit=64", NULL};
    struct shares many = stalls_of(sets, &k);
    assert_int_equal(many.l1[L1_STALL_MSHR], 0);
    assert_int_equal(many.l2[STALL_MSHR], 0);
}

TEST(replies_of_one_byte_a_cycle_make_l2_wait_for_the_network)
{
    UNUSED_STATE;
    struct synthetic_phase p;
    struct synthetic_kernel k = loads_of(&p, 64);
    p.access.stream = 0;
    p.access.shared_reuse = 1; /* what one SM brings into L2 the others find there */
    p.access.footprint_bytes = 128 * KIB;
    const char *sets[] = {"network.reply.flit_bytes=1", NULL};
    struct shares s = stalls_of(sets, &k);
    assert_true(s.l2[STALL_NETWORK] * 10 > sum(s.l2, STALL_COUNT) * 9);
}

TEST(slow_dram_makes_l2_wait_for_dram_and_l1_for_l2)
{
    UNUSED_STATE;
    struct synthetic_phase p;
    struct synthetic_kernel k = loads_of(&p, 64);
    p.access.requests_per_load = 4;
    /* MSHRs enough that the queues and not their number are the limit */
    const char *sets[] = {"dram.clock_hz=92.4MHz", "l2.mshrs=256", "sm.l1.mshrs=256", NULL};
    struct shares s = stalls_of(sets, &k);
    assert_true(s.l2[STALL_DRAM] * 2 > sum(s.l2, STALL_COUNT));
    assert_true(s.l1[L1_STALL_L2] * 2 > sum(s.l1, L1_STALL_COUNT));
}

TEST(slow_dram_shows_at_l2_and_l1_of_the_unchanged_chip)
{
    UNUSED_STATE;
    struct synthetic_phase p;
    struct synthetic_kernel k = loads_of(&p, 64);
    p.access.requests_per_load = 4;
    const char *sets[] = {"dram.clock_hz=92.4MHz", NULL};
    struct shares s = stalls_of(sets, &k), plain = stalls_of(NULL, &k);
    assert_true(s.l2[STALL_DRAM] > plain.l2[STALL_DRAM]);
    assert_true(s.l2[STALL_DRAM] * 2 > sum(s.l2, STALL_COUNT));
    assert_true(s.l1[L1_STALL_L2] > plain.l1[L1_STALL_L2]);
}

TEST(code_beyond_the_instruction_cache_makes_schedulers_wait_for_fetch)
{
    UNUSED_STATE;
    struct synthetic_phase p = synthetic_phase_initial();
    p.mix.fp32 = 1;
    p.dependence_distance = 0;
    p.instructions = 8192;
    struct synthetic_kernel k = synthetic_kernel_initial();
    k.blocks = 2;
    k.phases = &p;
    k.phase_count = 1;
    const char *sets[] = {"sm.count=1", "sm.schedulers=1", "sm.instruction.size_bytes=512", NULL};
    p.code_bytes = 256; /* half of the cache */
    struct shares fits = stalls_of(sets, &k);
    p.code_bytes = 64 * KIB;
    struct shares huge = stalls_of(sets, &k);
    assert_true(huge.slots[SLOT_FETCH] > 10 * fits.slots[SLOT_FETCH]);
    for (u32 i = SLOT_FETCH + 1; i < SLOT_NO_WARP; i++) /* more than any other stall */
        assert_true(huge.slots[SLOT_FETCH] > huge.slots[i]);
}

/* What banks did in a run of loads and stores whose lines are all new: nobody reads twice. */
static struct bank_counts counts_of_new_lines(const char *const *sets)
{
    struct bed b;
    struct synthetic_phase p;
    struct synthetic_kernel k = loads_of(&p, 64);
    p.mix.store = 1;
    p.access.requests_per_load = 4;
    p.code_bytes = 128;
    bed_open(&b, "fermi15", sets);
    bed_launch_synthetic(&b, &k, 1);
    bed_run(&b);
    struct bank_counts all = {0};
    for (u32 i = 0; i < b.gpu->memory->bank_count; i++) {
        const struct bank_counts *c = &b.gpu->memory->banks[i].counts;
        all.hits += c->hits;
        all.fills += c->fills;
        all.writebacks += c->writebacks;
        all.busy_port_cycles += c->busy_port_cycles;
        for (u32 s = 0; s < STALL_COUNT; s++)
            all.stall[s] += c->stall[s];
    }
    bed_close(&b);
    return all;
}

TEST(fills_keep_the_data_port_and_the_gated_bank_gives_them_their_own)
{
    UNUSED_STATE;
    /* 96 KiB of L2: victims are dirty early. A line of 128 bytes passes 32 bytes a cycle in 4 */
    const char *plain[] = {"l2.size_bytes=98304", NULL};
    const char *gated[] = {"l2.size_bytes=98304", "l2.gated=true", NULL};
    struct bank_counts p = counts_of_new_lines(plain), g = counts_of_new_lines(gated);
    assert_true(p.fills > 1000 && g.fills > 1000 && g.writebacks > 1000);
    assert_int_equal(p.busy_port_cycles, 4 * (p.hits + p.fills));
    assert_int_equal(g.busy_port_cycles, 4 * (g.hits + g.writebacks));
}

/* ---- T4: how full queues are ---------------------------------------------------------------- */

TEST(a_run_without_work_has_no_samples_of_queues)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, "fermi15", NULL);
    engine_finish(&b.sim.engine);
    bed_run(&b);
    for (u32 i = 0; i < b.gpu->memory->bank_count; i++)
        assert_int_equal(occupancy_cycles(&b.gpu->memory->banks[i].counts.occupancy), 0);
    for (u32 i = 0; i < b.gpu->memory->channel_count; i++)
        assert_int_equal(occupancy_cycles(&b.gpu->memory->channels[i].counts.queue), 0);
    bed_close(&b);
}

TEST(cycles_in_which_a_queue_is_empty_are_not_counted)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {LOAD(1, MIB), SLEEP(20000), EXIT()};
    struct bed b;
    bed_open(&b, "fermi15", NULL);
    struct scripted_kernel k = KERNEL(code, 32);
    bed_launch(&b, &k);
    bed_run(&b);
    u64 access = 0, queue = 0, accesses = 0, reads = 0;
    for (u32 i = 0; i < b.gpu->memory->bank_count; i++) {
        access += occupancy_cycles(&b.gpu->memory->banks[i].counts.occupancy);
        accesses += b.gpu->memory->banks[i].counts.accesses;
    }
    for (u32 i = 0; i < b.gpu->memory->channel_count; i++) {
        queue += occupancy_cycles(&b.gpu->memory->channels[i].counts.queue);
        reads += b.gpu->memory->channels[i].counts.reads;
    }
    /* the load and one line of code, each alone: a cycle of the access queue and, in the
     * scheduler queue, RCD 12 and the CCDL 3 to the second burst's command */
    assert_int_equal(accesses, 2);
    assert_int_equal(access, accesses);
    assert_int_equal(reads, 2);
    assert_in_range(queue, reads * 15, reads * 17);
    bed_close(&b);
}

/* ---- T5: rows
 * ------------------------------------------------------------------------------------ */

static double efficiency(u64 stride_bytes, bool random)
{
    struct bed b;
    struct synthetic_phase p;
    struct synthetic_kernel k = loads_of(&p, 64);
    p.access.stream = !random;
    p.access.random = random;
    p.access.stride_bytes = stride_bytes;
    p.access.footprint_bytes = 256 * MIB;
    bed_open(&b, "fermi15", NULL);
    bed_launch_synthetic(&b, &k, 1);
    bed_run(&b);
    double result = bed_stat(&b, "dram.efficiency");
    bed_close(&b);
    return result;
}

TEST(random_rows_lower_the_efficiency_of_dram)
{
    UNUSED_STATE;
    double sequential = efficiency(128, false), random = efficiency(128, true);
    assert_true(random < 0.9 * sequential);
}

RUN_TESTS(T(classes_add_up_to_every_cycle_of_schedulers_and_sms),
          T(stall_classes_of_l1_and_l2_add_up_to_the_cycles_in_which_a_head_stood_still),
          T(each_cause_is_charged_to_its_class),
          T(a_scheduler_whose_warps_all_wait_at_a_barrier_is_charged_for_that),
          T(with_more_mshrs_than_loads_nobody_waits_for_one),
          T(replies_of_one_byte_a_cycle_make_l2_wait_for_the_network),
          T(slow_dram_makes_l2_wait_for_dram_and_l1_for_l2),
          T(slow_dram_shows_at_l2_and_l1_of_the_unchanged_chip),
          T(code_beyond_the_instruction_cache_makes_schedulers_wait_for_fetch),
          T(fills_keep_the_data_port_and_the_gated_bank_gives_them_their_own),
          T(a_run_without_work_has_no_samples_of_queues),
          T(cycles_in_which_a_queue_is_empty_are_not_counted),
          T(random_rows_lower_the_efficiency_of_dram))

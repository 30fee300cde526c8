/* apu46: four CPU cores and six GPU cores on one memory system, as the tables that it was made from
 * (tap-and-vcp spec 1.2, 1.4, 6.1). */
#include "machine/apu.h"

/* ---- the tables ---- */

TEST(its_parameters_are_those_of_the_tables)
{
    UNUSED_STATE;
    static const struct parameter_row rows[] = {
        {"line_bytes", "64B"},
        {"cpus.cpu.core.count", "4"},
        {"cpus.cpu.core.clock_hz", "3.5GHz"},
        {"cpus.cpu.core.window.dispatch_width", "4"},
        {"cpus.cpu.core.window.in_order", "false"},
        {"cpus.cpu.core.window.rob_entries", "256"},
        {"cpus.cpu.core.branch.predictor", "gshare"},
        {"cpus.cpu.core.l1i.size_bytes", "32KiB"},
        {"cpus.cpu.core.l1i.ways", "8"},
        {"cpus.cpu.core.l1i.hit_cycles", "2"},
        {"cpus.cpu.core.l1d.size_bytes", "32KiB"},
        {"cpus.cpu.core.l1d.ways", "8"},
        {"cpus.cpu.core.l1d.hit_cycles", "2"},
        {"cpus.cpu.core.l2.mshrs", "32"},
        {"cpus.cpu.core.l2.size_bytes", "256KiB"},
        {"cpus.cpu.core.l2.ways", "8"},
        {"cpus.cpu.core.l2.hit_cycles", "8"},
        {"gpus.gpu.sm.count", "6"},
        {"gpus.gpu.sm.clock_hz", "1.5GHz"},
        {"gpus.gpu.sm.warps", "48"},
        {"gpus.gpu.sm.schedulers", "2"},
        {"gpus.gpu.sm.issue_interval", "4"},
        {"gpus.gpu.sm.warp_policy", "lrr"},
        {"gpus.gpu.sm.l1.size_bytes", "32KiB"},
        {"gpus.gpu.sm.l1.ways", "8"},
        {"gpus.gpu.sm.l1.hit_cycles", "2"},
        {"gpus.gpu.sm.l1.mshrs", "128"},
        {"gpus.gpu.sm.l1.write_hit", "update"},
        {"gpus.gpu.sm.l1.write_miss", "around"},
        {"gpus.gpu.sm.instruction.size_bytes", "4KiB"},
        {"gpus.gpu.sm.instruction.ways", "4"},
        {"gpus.gpu.sm.instruction.line_bytes", "64B"},
        {"gpus.gpu.sm.instruction.hit_cycles", "1"},
        {"llc.size_bytes", "8MiB"},
        {"llc.ways", "32"},
        {"llc.replacement", "lru"},
        {"network.kind", "fixed"},
        {"network.fixed.cycles", "10"}, /* and as many back */
        {"network.fixed.packets_per_cycle", "1"},
        {"dram.channels", "4"},
        {"dram.banks", "4"},
        {"dram.scheduler", "fr_fcfs"},
        {"dram.cl", "9"},
        {"dram.rcd", "9"},
        {"dram.rp", "9"},
    };
    struct run run;
    open_run(&run, "apu46", NULL, false, NULL);
    check_parameters(&run, rows, ARRAY_LEN(rows));
    check_llc(&run);
    run_close(&run);
}

TEST(fewer_cores_are_set)
{
    UNUSED_STATE;
    struct run run;
    open_run(&run, "apu46", NULL, false, (const char *const[]){"core.count=1", NULL});
    assert_int_equal(((struct machine *)run.machine)->memories[0].agents, 7);
    run_close(&run);
}

/* ---- the GPU cores ---- */

/* An instruction in two cycles. */
TEST(a_kernel_without_memory_accesses_has_the_ideal_cpi_of_two)
{
    UNUSED_STATE;
    double cpi = cpi_without_memory("apu46");
    assert_true(cpi > 1.96 && cpi < 2.04);
}

/* One warp has one of the two slots: an instruction every 4 cycles, and 16 lanes make it 2. */
TEST(a_slot_issues_once_in_the_interval)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {INDEPENDENT};
    u64 cycles[4];
    for (u32 i = 0; i < 4; i++) {
        static const char *const sets[] = {"sm.issue_interval=4", "sm.issue_interval=2"};
        struct run run;
        run_kernel(&run, "apu46", &KERNEL(code, 32, .iterations = i & 1 ? 200 : 100), false,
                   (const char *const[]){sets[i / 2], NULL});
        cycles[i] = kernel_cycles(&run);
        run_close(&run);
    }
    assert_int_equal(cycles[1] - cycles[0], 4 * 800);
    assert_int_equal(cycles[3] - cycles[2], 2 * 800);
}

/* Loads, arithmetic and stores of more warps than slots: sleeping between turns changes nothing. */
TEST(skipping_cycles_changes_nothing_with_an_interval)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {
        LOAD(1, 0x10000, .warp_stride = 128, .block_stride = 4096, .iteration_stride = 65536),
        {.unit = UNIT_FP32, .dst = 2, .src0 = 1},
        STORE(0x80000000, .warp_stride = 128, .block_stride = 4096, .src0 = 2),
    };
    double fs[2], waited[2];
    for (u32 i = 0; i < 2; i++) {
        struct run run;
        run_kernel(&run, "apu46", &KERNEL(code, 128, .blocks = 40, .iterations = 20), i == 1, NULL);
        fs[i] = (double)run.sim.engine.now_fs;
        waited[i] = stat(&run, "gpu.sm.l1.latency_cycles");
        run_close(&run);
    }
    assert_true(fs[0] == fs[1]);
    assert_true(waited[0] == waited[1]);
}

/* A chain of loads that each need the one before, of lines in rows that are not open: each takes
 * the two networks, the LLC and DRAM, 181 cycles of 3.5 GHz (77 of 1.5 GHz), and 47 more where the
 * bank has another row open. */
TEST(a_chain_of_loads_takes_the_unloaded_latency_for_each)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {
        LOAD_APART(1, 0, 0x10000, .iteration_stride = 1048576, .src0 = 1)};
    struct run run;
    run_kernel(&run, "apu46", &KERNEL(code, 32, .iterations = 100), false, NULL);
    assert_true(kernel_cycles(&run) >= 100 * 77);
    assert_true(kernel_cycles(&run) <= 100 * 100);
    run_close(&run);
}

/* Bound by DRAM, 41.6 GB/s. */
TEST(a_stream_of_reads_has_most_of_the_bandwidth_and_no_more)
{
    UNUSED_STATE;
    struct run run;
    double rate = rate_of_reads(&run, "apu46");
    assert_true(rate <= 41.6e9);
    assert_true(rate >= 0.7 * 41.6e9);
    run_close(&run);
}

/* ---- the CPU cores ---- */

/* The other half of the chip sleeps: the cores are those of cpu4, on the same memory. */
TEST(a_cpu_program_alone_runs_as_on_cpu4)
{
    UNUSED_STATE;
    static const char *const chips[] = {"cpu4", "apu46"};
    static const char *const names[] = {"core.cycles",     "core.l1d.misses", "core.l2.misses",
                                        "core.loads",      "llc.accesses",    "llc.hits",
                                        "dram.bytes_read", "dram.row_hits"};
    double values[2][ARRAY_LEN(names)];
    u64 ticks[2];
    for (u32 i = 0; i < 2; i++) {
        struct run run;
        run_program(&run, chips[i], "cpu:stream,length=60000", false,
                    (const char *const[]){"llc.write_miss=fetch_partial", NULL});
        for (u32 k = 0; k < ARRAY_LEN(names); k++) {
            char own[80];
            bool is_own = i && strncmp(names[k], "core", 4) == 0;
            snprintf(own, sizeof own, "%s%s", is_own ? "cpu." : "", names[k]);
            values[i][k] = stat(&run, own);
        }
        ticks[i] = run.sim.engine.ticks;
        run_close(&run);
    }
    assert_int_equal(ticks[1] - ticks[0], 7); /* the first of each SM and of the dispatcher */
    assert_true(values[0][0] > 15000);        /* 60,000 instructions, four at a time */
    for (u32 k = 0; k < ARRAY_LEN(names); k++)
        assert_true(values[0][k] == values[1][k]);
}

RUN_TESTS(T(its_parameters_are_those_of_the_tables), T(fewer_cores_are_set),
          T(a_kernel_without_memory_accesses_has_the_ideal_cpi_of_two),
          T(a_slot_issues_once_in_the_interval),
          T(skipping_cycles_changes_nothing_with_an_interval),
          T(a_chain_of_loads_takes_the_unloaded_latency_for_each),
          T(a_stream_of_reads_has_most_of_the_bandwidth_and_no_more),
          T(a_cpu_program_alone_runs_as_on_cpu4))

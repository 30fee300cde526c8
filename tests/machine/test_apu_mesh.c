/* apu46-mesh: the same cores on a mesh, as the tables that it was made from (tap-and-vcp
 * spec 1.3, 1.4, 6.1). */
#include "machine/apu.h"

#define CHIP "apu46-mesh"

TEST(its_parameters_are_those_of_the_tables)
{
    UNUSED_STATE;
    static const struct parameter_row rows[] = {
        {"cpus.cpu.core.count", "4"},
        {"cpus.cpu.core.clock_hz", "3.5GHz"},
        {"gpus.gpu.sm.count", "6"},
        {"gpus.gpu.sm.clock_hz", "1.5GHz"},
        {"gpus.gpu.sm.schedulers", "2"},
        {"gpus.gpu.sm.issue_interval", "2"}, /* 32 threads on 16 lanes */
        {"gpus.gpu.sm.l1.mshrs", "128"},
        {"llc.size_bytes", "8MiB"},
        {"llc.ways", "32"},
        {"llc.replacement", "lru"},
        {"llc.clock_hz", "1GHz"},
        {"llc.interleave_bytes", "64B"},
        {"network.kind", "mesh"},
        {"network.placement", "CCCC/LLLL/MMGG/GGGG"},
        {"network.mesh.width", "4"},
        {"network.mesh.height", "4"},
        {"network.mesh.vcs", "4"},
        {"network.mesh.vc_flits", "5"},
        {"network.mesh.flit_bytes", "16B"},
        {"network.mesh.hop_cycles", "5"},
        {"network.mesh.routing", "xy"},
        {"network.mesh.sa_input_limit", "1"},
        {"network.mesh.injection_packets", "32"},
        {"dram.channels", "4"},
        {"dram.banks", "4"},
        {"dram.row_bytes", "2KiB"},
        {"dram.scheduler", "fr_fcfs"},
    };
    struct run run;
    open_run(&run, CHIP, NULL, false, NULL);
    check_parameters(&run, rows, ARRAY_LEN(rows));
    check_llc(&run);
    const struct on_mesh *o = ((struct machine *)run.machine)->memories->mesh;
    assert_int_equal(o->network.mesh.nodes, 16);
    static const u16 of_agents[] = {0, 1, 2, 3, 10, 11, 12, 13, 14, 15};
    static const u16 of_tiles[] = {4, 5, 6, 7}, of_memory[] = {8, 8, 9, 9};
    assert_memory_equal(o->agent_nodes, of_agents, sizeof of_agents);
    assert_memory_equal(o->bank_nodes, of_tiles, sizeof of_tiles);
    assert_memory_equal(o->memory_nodes, of_memory, sizeof of_memory);
    run_close(&run);
}

TEST(a_kernel_without_memory_accesses_has_the_ideal_cpi_of_one)
{
    UNUSED_STATE;
    double cpi = cpi_without_memory(CHIP);
    assert_true(cpi > 0.98 && cpi < 1.02);
}

/* The first GPU core is at (2, 2), tile t at (t, 1), its controller at (t / 2, 2). A packet of f
 * flits takes 2 + 5 x routers + f - 1 ns, a request has one flit and a line five:
 *
 *   tile   routers   there and back   to its controller and back
 *     0       4         22 + 26              12 + 16
 *     1       3         17 + 21              17 + 21
 *     2       2         12 + 16              17 + 21
 *     3       3         17 + 21              22 + 26
 */
static const u32 to_tile_ns[] = {48, 38, 28, 38}, to_memory_ns[] = {28, 38, 38, 48};

/* Cycles of 900 loads that each wait for the one before. Nine lines of one set of an L1 of eight
 * ways, round and round: after the first round they are in the LLC and never in the L1. */
static u64 hits_of_llc(u32 tile)
{
    u64 cycles[2];
    for (u32 i = 0; i < 2; i++) {
        struct scripted_instruction code[9];
        for (u32 k = 0; k < 9; k++)
            code[k] = (struct scripted_instruction)LOAD_APART(1, 0, 0x10000 + 64 * tile + 4096 * k,
                                                              .src0 = 1);
        struct run run;
        run_kernel(&run, CHIP, &KERNEL(code, 32, .iterations = i ? 200 : 100), false, NULL);
        cycles[i] = kernel_cycles(&run);
        run_close(&run);
    }
    return cycles[1] - cycles[0];
}

/* Ways that differ by 10 ns differ by 15 cycles of 1.5 GHz. */
TEST(a_hit_of_a_farther_tile_takes_five_cycles_more_for_each_router_there_and_back)
{
    UNUSED_STATE;
    u64 nearest = hits_of_llc(2);
    for (u32 tile = 0; tile < 4; tile++)
        assert_int_equal(hits_of_llc(tile) - nearest, 900 * 3 * (to_tile_ns[tile] - 28) / 2);
    /* and the LLC's 20 cycles at least, of 1 GHz */
    assert_true(nearest >= 900 * 3 * (28 + 20) / 2);
    assert_true(nearest <= 900 * 3 * (28 + 20 + 10) / 2);
}

/* Four packets, the LLC, and an access to a closed row: 9 + 9 + 4 cycles of 1.5 ns. At most 60 ns
 * more, where the bank has another row open and refreshes. */
TEST(a_chain_of_misses_takes_the_unloaded_latency_for_each)
{
    UNUSED_STATE;
    for (u32 tile = 0; tile < 4; tile++) {
        const struct scripted_instruction code[] = {
            LOAD_APART(1, 0, 0x10000 + 64 * tile, .iteration_stride = 1048576, .src0 = 1)};
        struct run run;
        run_kernel(&run, CHIP, &KERNEL(code, 32, .iterations = 100), false, NULL);
        u32 least_ns = to_tile_ns[tile] + to_memory_ns[tile] + 20 + 33;
        assert_true(kernel_cycles(&run) >= 150 * least_ns);
        assert_true(kernel_cycles(&run) <= 150 * (least_ns + 60));
        run_close(&run);
    }
}

/* Two controllers send a flit of 16 bytes each ns, a line is five:
 * 25.6 GB/s, less than DRAM's 42.7. */
TEST(a_stream_of_reads_is_bound_by_the_flits_of_two_controllers)
{
    UNUSED_STATE;
    struct run run;
    double rate = rate_of_reads(&run, CHIP);
    assert_true(rate <= 25.6e9);
    assert_true(rate >= 0.7 * 25.6e9);
    /* what enters the mesh leaves it, and the laws held */
    assert_true(stat(&run, "mesh.gpu.queued") == stat(&run, "mesh.gpu.packets"));
    run_close(&run);
}

static void run_stream(struct run *run, bool no_skip, const char *const *sets)
{
    run_program(run, CHIP, "cpu:stream,length=20000", no_skip, sets);
}

TEST(skipping_cycles_changes_nothing_whatever_the_policy)
{
    UNUSED_STATE;
    static const char *const policies[] = {"network.policy=shared", "network.policy=split",
                                           "network.policy=fvcp", "network.policy=damq"};
    for (u32 p = 0; p < ARRAY_LEN(policies); p++) {
        double fs[2], trips[2];
        for (u32 i = 0; i < 2; i++) {
            struct run run;
            run_stream(&run, i == 1,
                       (const char *const[]){policies[p], "policy.noc.fvcp.warmup_cycles=1000",
                                             "policy.noc.fvcp.training_cycles=1000", NULL});
            fs[i] = (double)run.sim.engine.now_fs;
            trips[i] = stat(&run, "mesh.cpu.trip_cycles");
            run_close(&run);
        }
        assert_true(fs[0] == fs[1]);
        assert_true(trips[0] == trips[1]);
    }
}

/* CPU cores at the mesh's clock, so that a core has a reply in the cycle after it left the mesh. */
#define SLOW_CORES "cpus.cpu.core.clock_hz=1GHz"

/* Statistics to the whole number. */
static u64 count(struct run *run, const char *name)
{
    return (u64)stat(run, name);
}

/* Latency as the cores measure it, and every part of it as the mesh does: the same to the
 * femtosecond; with queues of one entry in front of links of one byte as on the chip itself. */
TEST(the_parts_of_a_requests_time_are_its_latency_however_full_the_queues)
{
    UNUSED_STATE;
    static const char *const chips[][10] = {
        {SLOW_CORES, NULL},
        {SLOW_CORES, "network.mesh.flit_bytes=1", "network.mesh.whole_packets=false",
         "network.mesh.injection_packets=1", "network.output_entries=1", "llc.access_entries=1",
         "llc.miss_entries=2", "llc.response_entries=1", "llc.return_entries=1", NULL},
    };
    u64 latency[2], queue[2];
    for (u32 i = 0; i < 2; i++) {
        struct run run;
        run_stream(&run, false, chips[i]);
        u64 answered = count(&run, "cpu.core.l2.answered");
        u64 parts = count(&run, "mesh.split.cpu.cache_fs") +
                    count(&run, "mesh.split.cpu.memory_fs") +
                    count(&run, "mesh.split.cpu.queue_fs") + count(&run, "mesh.split.cpu.trip_fs");
        assert_int_equal(count(&run, "mesh.split.cpu.requests"), answered);
        assert_int_equal(parts, (count(&run, "cpu.core.l2.latency_cycles") - answered) * 1000000);
        latency[i] = parts / answered;
        queue[i] = count(&run, "mesh.split.cpu.queue_fs") / answered;
        run_close(&run);
    }
    assert_true(latency[1] > 2 * latency[0]); /* they are full, */
    assert_true(queue[1] > 10 * queue[0]);    /* and that is where it waits */
}

/* A plan goes to 16 nodes, and 10 cores answer: a round asks four times (before each training, and
 * after the last) and tells its decision. */
TEST(a_round_of_fvcp_is_120_packets)
{
    UNUSED_STATE;
    struct run run;
    run_stream(&run, false,
               (const char *const[]){"network.policy=fvcp", "policy.noc.fvcp.warmup_cycles=1000",
                                     "policy.noc.fvcp.training_cycles=1000",
                                     "policy.noc.fvcp.main_cycles=1000000", NULL});
    assert_true(stat(&run, "mesh.noc.policy.rounds") == 1);
    assert_true(stat(&run, "mesh.noc.policy.trainings") == 3);
    assert_true(stat(&run, "mesh.noc.messages") == 4 * (16 + 10) + 16);
    assert_true(stat(&run, "mesh.special.packets") == 4 * (16 + 10) + 16);
    run_close(&run);
}

/* F-VCP goes on training while the last requests come back, and keeps nothing going: the end is the
 * same as without it, which decides nothing so early. */
TEST(a_machine_whose_programs_have_ended_stops_whatever_its_policy_plans)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {INDEPENDENT};
    u64 fs[2];
    for (u32 i = 0; i < 2; i++) {
        struct run run;
        run_kernel(
            &run, CHIP, &KERNEL(code, 32, .iterations = 10), false,
            (const char *const[]){i ? "network.policy=fvcp" : "network.policy=shared", NULL});
        fs[i] = run.sim.engine.now_fs;
        run_close(&run);
    }
    assert_int_equal(fs[0], fs[1]);
}

RUN_TESTS(T(its_parameters_are_those_of_the_tables),
          T(a_kernel_without_memory_accesses_has_the_ideal_cpi_of_one),
          T(a_hit_of_a_farther_tile_takes_five_cycles_more_for_each_router_there_and_back),
          T(a_chain_of_misses_takes_the_unloaded_latency_for_each),
          T(a_stream_of_reads_is_bound_by_the_flits_of_two_controllers),
          T(skipping_cycles_changes_nothing_whatever_the_policy),
          T(the_parts_of_a_requests_time_are_its_latency_however_full_the_queues),
          T(a_round_of_fvcp_is_120_packets),
          T(a_machine_whose_programs_have_ended_stops_whatever_its_policy_plans))

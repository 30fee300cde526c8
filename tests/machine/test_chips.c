/* What the chip files promise: that they run, how long an unloaded load takes, what they can move.
 */
#include "gpu/bed.h"

/* ---- the kernels ---------------------------------------------------------------------------- */

/* When the loads of a chain were issued: each waits for the one before it. */
#define CHAIN_LOADS 96u
static cycle_t issued[CHAIN_LOADS];
static u32 issued_count;
static const struct source_ops *inner;
static const cycle_t *clock_of_sm;

static void *spy_begin(void *self, u64 block, const struct sm_place *at)
{
    clock_of_sm = at->clock;
    return inner->block_begin(self, block, at);
}

static bool spy_step(void *block, u32 warp, struct winst *out)
{
    assert_true(issued_count < CHAIN_LOADS);
    issued[issued_count++] = *clock_of_sm;
    return inner->step(block, warp, out);
}

/* One lane loads from an address that the load before gave it. */
static struct scripted_instruction chain_load(i64 stride, enum cache_operator operator)
{
    return (struct scripted_instruction){.kind = WINST_LOAD,
                                         .unit = UNIT_MEMORY,
                                         .dst = 1,
                                         .src0 = 1,
                                         .space = SPACE_GLOBAL,
                                         .bytes = 4,
                                         .mask = 1,
                                         .cache_operator = operator,
                                         .base = 0x1000000,
                                         .iteration_stride = stride};
}

static int by_size(const void *a, const void *b)
{
    cycle_t x = *(const cycle_t *)a, y = *(const cycle_t *)b;
    return (x > y) - (x < y);
}

/* The median from issue to issue, so that a refresh does not count; the first loads wait for
 * the code. */
static double median_gap(void)
{
    cycle_t gaps[CHAIN_LOADS];
    u32 count = 0;
    for (u32 i = 8; i + 1 < issued_count; i++)
        gaps[count++] = issued[i + 1] - issued[i];
    assert_true(count > 0);
    qsort(gaps, count, sizeof gaps[0], by_size);
    u32 middle = count / 2;
    return (double)gaps[middle];
}

/* Cycles from a load to the next in a chain; with in_l2, an earlier kernel has loaded the same
 * addresses past L1. */
static double chain_cycles(const char *chip, i64 stride, bool in_l2)
{
    static struct source_ops spy;
    struct bed b;
    struct err err = ERR_INIT;
    bed_open(&b, chip, NULL);
    struct scripted_instruction first = chain_load(stride, CACHE_GLOBAL),
                                then = chain_load(stride, CACHE_ALL);
    struct scripted_kernel before = {
        .code = &first, .count = 1, .iterations = CHAIN_LOADS, .threads_per_block = 32};
    struct scripted_kernel chain = before;
    chain.code = &then;
    if (in_l2)
        bed_launch(&b, &before);
    struct grid_source s = scripted_source(&chain, &b.scripts);
    inner = s.ops;
    spy = *inner;
    spy.block_begin = spy_begin;
    spy.step = spy_step;
    s.ops = &spy;
    issued_count = 0;
    if (!dispatcher_launch(&b.gpu->cluster.dispatcher, &s, 0, &err))
        bed_fail(&err);
    bed_run(&b);
    bed_close(&b);
    return median_gap();
}

#define SAME_LINE 0
#define NEXT_LINE 128
#define OTHER_ROW (1048576 + 77 * 128) /* and mostly another channel and bank */

/* Blocks of 8 warps fill the chip. Every warp loads two lines in each pass over the code: all
 * different, or the same in all passes. */
static struct scripted_kernel stream_kernel(const struct gpu_config *c,
                                            struct scripted_instruction code[2], bool fresh,
                                            u32 passes)
{
    const i64 warps = 8, line = 128;
    u64 per_sm = min_u64(c->sm.warps / 8, c->sm.blocks), blocks = c->sm.count * per_sm;
    for (u32 i = 0; i < 2; i++) {
        code[i] = (struct scripted_instruction){
            .kind = WINST_LOAD,
            .unit = UNIT_MEMORY,
            .dst = (u16)(i + 1),
            .space = SPACE_GLOBAL,
            .bytes = 4,
            .cache_operator = fresh ? CACHE_ALL : CACHE_GLOBAL,
            .base = 0x10000000 + i * (u64)(warps * line),
            .lane_stride = 4,
            .warp_stride = line,
            .block_stride = 2 * warps * line,
            .iteration_stride = fresh ? 2 * warps * line * (i64)blocks : 0,
        };
    }
    return (struct scripted_kernel){
        .code = code, .count = 2, .iterations = passes, .blocks = blocks, .threads_per_block = 256};
}

/* Of the time in which a channel had something to do, the part in which its pins moved data. */
static double dram_stream_share(const char *chip, u32 passes)
{
    struct bed b;
    struct scripted_instruction code[2];
    struct gpu_counters t;
    bed_open(&b, chip, NULL);
    struct scripted_kernel k = stream_kernel(b.gpu->config, code, true, passes);
    bed_launch(&b, &k);
    bed_run(&b);
    gpu_counters(b.gpu, &t);
    u64 bytes = k.blocks * 8 * 2 * 128 * passes;
    double seconds = (double)b.sim.engine.now_fs * 1e-15, peak = gpu_peak_dram(b.gpu);
    assert_true(t.dram_read_bytes >= bytes);
    assert_true((double)t.dram_read_bytes / seconds <= peak);
    bed_close(&b);
    return (double)t.dram_busy_clocks / (double)t.dram_pending_clocks;
}

/* Data of hits in bytes per second. */
static double l2_stream(const char *chip, u32 passes)
{
    struct bed b;
    struct scripted_instruction code[2];
    bed_open(&b, chip, NULL);
    struct scripted_kernel k = stream_kernel(b.gpu->config, code, false, passes);
    bed_launch(&b, &k);
    bed_run(&b);
    double seconds = (double)b.sim.engine.now_fs * 1e-15;
    bed_close(&b);
    return (double)(k.blocks * 8 * 2 * 128 * passes) / seconds;
}

/* ---- the tests ------------------------------------------------------------------------------ */

/* Arithmetic of all kinds, loads that hit and miss, stores, an atomic, shared memory, a barrier. */
static const struct scripted_instruction mixed[] = {
    {.kind = WINST_LOAD,
     .unit = UNIT_MEMORY,
     .dst = 1,
     .space = SPACE_GLOBAL,
     .bytes = 4,
     .base = 0x100000,
     .lane_stride = 4,
     .warp_stride = 128,
     .block_stride = 512,
     .iteration_stride = 65536},
    {.kind = WINST_LOAD,
     .unit = UNIT_MEMORY,
     .dst = 2,
     .space = SPACE_GLOBAL,
     .bytes = 4,
     .base = 0x200000,
     .lane_stride = 160},
    {.unit = UNIT_INT, .dst = 3, .src0 = 1, .src1 = 2},
    {.unit = UNIT_FP32, .cost = COST_MULTIPLY_ADD, .dst = 4, .src0 = 3},
    {.unit = UNIT_FP64, .cost = COST_MULTIPLY, .dst = 5, .src0 = 4},
    {.unit = UNIT_SFU, .dst = 6, .src0 = 4},
    {.kind = WINST_STORE,
     .unit = UNIT_MEMORY,
     .src0 = 4,
     .space = SPACE_SHARED,
     .bytes = 4,
     .lane_stride = 8},
    {.kind = WINST_BARRIER, .unit = UNIT_BRANCH},
    {.kind = WINST_STORE,
     .unit = UNIT_MEMORY,
     .src0 = 5,
     .space = SPACE_GLOBAL,
     .bytes = 4,
     .base = 0x100000,
     .lane_stride = 4,
     .warp_stride = 128,
     .block_stride = 512,
     .iteration_stride = 65536},
    {.kind = WINST_ATOMIC,
     .unit = UNIT_MEMORY,
     .dst = 7,
     .src0 = 6,
     .space = SPACE_GLOBAL,
     .bytes = 4,
     .base = 0x300000},
};

static bool is_gpu(const char *chip, const char *const *folders)
{
    struct config config = {0};
    struct err err = ERR_INIT;
    struct config_request r = {.chip = chip, .folders = folders, .schemas = model_schemas};
    if (!config_load(&config, &r, &err))
        bed_fail(&err);
    bool is = strcmp(config.schema->model, "gpu") == 0;
    config_fini(&config);
    return is;
}

TEST(every_gpu_of_the_chips_folder_runs_a_kernel_and_keeps_all_laws)
{
    UNUSED_STATE;
    const char *const *folders = testing_chips();
    const char **names;
    struct arena arena = {0};
    u32 count = config_list(folders, &arena, &names), gpus = 0;
    for (u32 i = 0; i < count; i++) {
        if (!is_gpu(names[i], folders))
            continue;
        struct bed b;
        bed_open(&b, names[i], NULL);
        struct scripted_kernel k = {.code = mixed,
                                    .count = ARRAY_LEN(mixed),
                                    .iterations = 3,
                                    .blocks = 2 * b.gpu->config->sm.count + 1,
                                    .threads_per_block = 128,
                                    .shared_bytes_per_block = 1024};
        bed_launch(&b, &k);
        bed_run(&b);
        struct gpu_counters t;
        gpu_counters(b.gpu, &t);
        assert_int_equal(t.warp_instructions, k.blocks * 4 * 3 * ARRAY_LEN(mixed));
        bed_close(&b);
        gpus++;
    }
    assert_true(gpus >= 10);
    arena_fini(&arena);
}

/* Published: fermi15 L2 120 (Dublish 2018, table 3.1), DRAM 100 more and its command timing of
 * 26 to 64 cycles; volta80 28, 190 and 350 (context-management spec 1.1); the others as their
 * files say. */
TEST(an_unloaded_load_takes_the_published_number_of_cycles)
{
    UNUSED_STATE;
    static const struct {
        const char *chip;
        double l1, l2, dram_low, dram_high;
    } rows[] = {
        {"fermi15", 21, 120, 220 + 26, 220 + 64},    {"kepler32", 21, 120, 220 + 26, 220 + 64},
        {"kepler8", 21, 120, 220 + 32, 220 + 74},    {"volta80", 28, 190, 350 * 0.95, 350 * 1.05},
        {"volta8", 28, 190, 350 * 0.95, 350 * 1.05}, {"turing", 32, 226, 322 * 0.95, 322 * 1.05},
        {"ampere", 38, 262, 466 * 0.95, 466 * 1.05}, {"h200", 32, 281, 570, 800},
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        double l1 = chain_cycles(rows[i].chip, SAME_LINE, false);
        double l2 = chain_cycles(rows[i].chip, NEXT_LINE, true);
        double dram = chain_cycles(rows[i].chip, OTHER_ROW, false);
        print_message("# %s: L1 %.0f, L2 %.0f, DRAM %.0f cycles\n", rows[i].chip, l1, l2, dram);
        assert_int_equal((u32)l1, (u32)rows[i].l1);
        assert_true(l2 >= rows[i].l2 * 0.95 && l2 <= rows[i].l2 * 1.05);
        assert_true(dram >= rows[i].dram_low && dram <= rows[i].dram_high);
    }
}

/* bandwidth-and-ccn spec S2. A load issues one cycle before it looks L1 up, and what waits for it
 * one cycle after the answer: 2 more than the memory itself. P_DRAM's 100 cycles come after the
 * 120 of the real L2, and a step between clocks. PerfX leaves the latency of L1. */
TEST(ideal_memories_take_120_and_220_or_no_cycles)
{
    UNUSED_STATE;
    assert_int_equal((u32)chain_cycles("fermi15-infinite", NEXT_LINE, true), 122);
    assert_int_equal((u32)chain_cycles("fermi15-infinite", OTHER_ROW, false), 222);
    double fixed = chain_cycles("fermi15-fixed-dram", OTHER_ROW, false);
    assert_true(fixed >= 220 && fixed <= 224);
    assert_true(chain_cycles("fermi15-perfect", OTHER_ROW, false) <= 21);
}

TEST(the_pins_move_what_was_published)
{
    UNUSED_STATE;
    static const struct {
        const char *chip;
        double gb_per_second, slack;
    } rows[] = {
        {"fermi15", 48 * 4 * 0.924, 1e-9}, /* 177.4: bytes x beats x GHz */
        {"kepler32", 48 * 4 * 0.924, 1e-9},
        {"kepler8", 48 * 4 * 0.924 / 4, 1e-9},
        {"volta80", 900, 0.02}, /* Tesla V100 */
        {"volta8", 90, 0.02},
        {"turing", 616, 0.001},           /* GeForce RTX 2080 Ti */
        {"ampere", 1555, 0.001},          /* A100, 40 GB */
        {"h200", 752 * 2 * 3.201, 0.001}, /* 6016 bits; silicon/h200/micro.csv: bus and clock */
        /* 1536 bits: bandwidth-and-ccn spec section 5 item 4 */
        {"fermi15-hbm", 709.632, 1e-9},
        {"fermi15-4x-dram", 709.632, 1e-9},
        {"fermi15-4x-all", 709.632, 1e-9},
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct bed b;
        bed_open(&b, rows[i].chip, NULL);
        double peak = gpu_peak_dram(b.gpu) / 1e9, want = rows[i].gb_per_second;
        assert_true(peak >= want * (1 - rows[i].slack) && peak <= want * (1 + rows[i].slack));
        bed_close(&b);
    }
}

TEST(the_l2_has_its_published_banks_and_sets)
{
    UNUSED_STATE;
    static const struct {
        const char *chip;
        u64 bytes;
        u32 banks, sets;
    } rows[] = {
        {"fermi15", 768 << 10, 12, 64},   /* Dublish 2018, table 3.1 */
        {"kepler32", 2304 << 10, 24, 96}, /* Poise, HPCA 2019 */
        {"kepler8", 576 << 10, 6, 96},         {"volta80", 6 << 20, 64, 32},
        {"volta8", 600 << 10, 6, 32},          {"turing", 5632 << 10, 44, 64},
        {"ampere", 40 << 20, 80, 256},         {"h200", 60 << 20, 96, 256},
        {"fermi15-4x-l2", 768 << 10, 48, 16}, /* table 3.3: the same capacity, 16 KiB a bank */
        {"fermi15-4x-all", 768 << 10, 48, 16},
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct bed b;
        bed_open(&b, rows[i].chip, NULL);
        assert_int_equal(b.gpu->config->l2.size_bytes, rows[i].bytes);
        assert_int_equal(b.gpu->memory->bank_count, rows[i].banks);
        assert_int_equal(b.gpu->memory->banks[0].cache.tags.sets, rows[i].sets);
        bed_close(&b);
    }
}

TEST(the_small_chips_give_every_sm_the_share_of_the_large_ones)
{
    UNUSED_STATE;
    static const struct {
        const char *small, *large;
        double slack;
    } rows[] = {{"kepler8", "kepler32", 1e-9}, {"volta8", "volta80", 0.025}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct bed s, l;
        bed_open(&s, rows[i].small, NULL);
        bed_open(&l, rows[i].large, NULL);
        double part = (double)s.gpu->config->sm.count / l.gpu->config->sm.count;
        double bandwidth = gpu_peak_dram(s.gpu) / gpu_peak_dram(l.gpu) / part;
        double capacity =
            (double)s.gpu->config->l2.size_bytes / (double)l.gpu->config->l2.size_bytes / part;
        assert_true(bandwidth >= 1 - rows[i].slack && bandwidth <= 1 + rows[i].slack);
        assert_true(capacity >= 1 - rows[i].slack && capacity <= 1 + rows[i].slack);
        bed_close(&s);
        bed_close(&l);
    }
}

/* A stream of reads keeps the pins busy but for refresh (7 %). On fermi15 the reply network is the
 * limit: with one virtual channel its lines are busy for half of the time. */
TEST(a_stream_of_reads_nearly_fills_the_pins)
{
    UNUSED_STATE;
    static const struct {
        const char *chip;
        double least;
        u32 passes;
    } rows[] = {
        {"fermi15", 0.70, 8}, {"kepler32", 0.80, 8}, {"kepler8", 0.80, 8}, {"volta80", 0.80, 4},
        {"volta8", 0.80, 8},  {"turing", 0.80, 6},   {"ampere", 0.80, 6},  {"h200", 0.80, 4},
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        double share = dram_stream_share(rows[i].chip, rows[i].passes);
        print_message("# %s: %.1f %% of the pins\n", rows[i].chip, 100 * share);
        assert_true(share >= rows[i].least && share <= 1);
    }
}

/* GB/s; ports: banks x bytes x clock. A V100 and a T4 reach 76 and 78 % of them (Jia et al. 2018,
 * 2019), an A100 60 % (Antepara et al., SC 2025). For fermi15 the ceiling is that of replies, 12 x
 * 0.7 GHz / 5 flits (bandwidth-and-ccn spec 1.2), of which a switch with one queue per input
 * passes 59 % of random traffic (Karol et al. 1987). */
TEST(a_stream_of_l2_hits_comes_near_what_was_measured)
{
    UNUSED_STATE;
    static const struct {
        const char *chip;
        double ceiling, low, high;
        u32 passes;
    } rows[] = {
        {"fermi15", 12 * 0.7 / 5 * 128, 0.50, 0.90, 16},
        {"volta80", 64 * 32 * 1.6, 0.60, 0.90, 12},
        {"turing", 44 * 32 * 1.545, 0.60, 0.90, 16},
        {"ampere", 80 * 64 * 1.41, 0.45, 0.75, 12},
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        double share = l2_stream(rows[i].chip, rows[i].passes) / 1e9 / rows[i].ceiling;
        print_message("# %s: %.1f %% of the L2's ceiling\n", rows[i].chip, 100 * share);
        assert_true(share >= rows[i].low && share <= rows[i].high);
    }
}

/* A stream of loads on one chip: flits of a line's reply, and bursts of DRAM in bytes for each byte
 * that was asked for. */
static void stream_costs(const char *chip, double *flits, double *bus_per_byte)
{
    struct bed b;
    struct scripted_instruction code[2];
    bed_open(&b, chip, NULL);
    struct scripted_kernel k = stream_kernel(b.gpu->config, code, true, 4);
    bed_launch(&b, &k);
    bed_run(&b);
    *flits = bed_stat(&b, "reply_network.flits_per_packet");
    *bus_per_byte = bed_stat(&b, "dram.bus_bytes") / bed_stat(&b, "dram.bytes_read");
    bed_close(&b);
}

/* ceil(136 / width): bandwidth-and-ccn spec 1.2, D3 */
TEST(the_chips_of_table_3_3_take_5_3_3_and_2_flits_for_a_line)
{
    UNUSED_STATE;
    static const struct {
        const char *chip;
        double flits, bus_per_byte;
    } rows[] = {
        {"fermi15", 5, 1},          {"fermi15-xbar-16-48", 3, 1},  {"fermi15-ce-16-48", 3, 1},
        {"fermi15-ce-32-52", 3, 1}, {"fermi15-ce-16-68", 2, 1},    {"fermi15-4x-l2", 2, 1},
        {"fermi15-hbm", 5, 1},      {"fermi15-hbm-literal", 5, 2}, /* half of a burst is unused */
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        double flits, bus;
        stream_costs(rows[i].chip, &flits, &bus);
        assert_true(flits == rows[i].flits);
        assert_true(bus == rows[i].bus_per_byte);
    }
}

/* What `heddle why` takes for a memory without contention is what an unloaded load takes. */
TEST(every_chip_states_its_own_uncongested_latencies)
{
    UNUSED_STATE;
    static const char *const chips[] = {"fermi15", "kepler32", "kepler8", "volta80",
                                        "volta8",  "turing",   "ampere",  "h200"};
    for (u32 i = 0; i < ARRAY_LEN(chips); i++) {
        struct bed b;
        bed_open(&b, chips[i], NULL);
        const struct gpu_config *c = b.gpu->config;
        double hit = c->ideal.hit_cycles, miss = c->ideal.miss_cycles;
        assert_int_equal(c->ideal.miss_cycles, c->ideal.hit_cycles + c->dram.pipe_cycles);
        bed_close(&b);
        double measured = chain_cycles(chips[i], NEXT_LINE, true);
        assert_true(measured >= hit * 0.95 && measured <= hit * 1.05);
        assert_true(chain_cycles(chips[i], OTHER_ROW, false) >= miss);
    }
}

TEST(more_banks_than_a_crossbar_has_lines_are_refused)
{
    UNUSED_STATE;
    const char *const *folders = testing_chips();
    const char *sets[] = {"l2.banks_per_channel=8"};
    struct config_request request = {.chip = "ampere",
                                     .folders = folders,
                                     .schemas = model_schemas,
                                     .sets = sets,
                                     .set_count = 1};
    struct config config;
    struct err err = ERR_INIT;
    char text[400];
    assert_false(config_load(&config, &request, &err)); /* 40 channels */
    err_text(&err, text, sizeof text);
    assert_non_null(strstr(text, "l2.banks_per_channel makes 320 banks, expected at most the 256 "
                                 "lines of a crossbar"));
}

/* nvcc 13 makes no code below 7.5: a chip that reports less could run none of its programs. */
TEST(every_chip_runs_what_todays_compiler_builds)
{
    UNUSED_STATE;
    static const char *const chips[] = {"fermi15", "kepler32", "kepler8", "volta80",
                                        "volta8",  "turing",   "ampere"};
    for (u32 i = 0; i < ARRAY_LEN(chips); i++) {
        struct bed b;
        bed_open(&b, chips[i], NULL);
        assert_true(((const struct gpu_config *)b.config.data)->device.compute_capability >= 75);
        bed_close(&b);
    }
}

RUN_TESTS(T(more_banks_than_a_crossbar_has_lines_are_refused),
          T(every_chip_runs_what_todays_compiler_builds),
          T(every_gpu_of_the_chips_folder_runs_a_kernel_and_keeps_all_laws),
          T(an_unloaded_load_takes_the_published_number_of_cycles),
          T(ideal_memories_take_120_and_220_or_no_cycles), T(the_pins_move_what_was_published),
          T(the_chips_of_table_3_3_take_5_3_3_and_2_flits_for_a_line),
          T(every_chip_states_its_own_uncongested_latencies),
          T(the_l2_has_its_published_banks_and_sets),
          T(the_small_chips_give_every_sm_the_share_of_the_large_ones),
          T(a_stream_of_reads_nearly_fills_the_pins),
          T(a_stream_of_l2_hits_comes_near_what_was_measured))

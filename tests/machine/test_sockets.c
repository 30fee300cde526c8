/* A GPU of several sockets: where blocks and pages go, what crosses the links
 * (hpc-cores-and-numa-gpu spec 5, "Runtime / NUMA"). */
#include "gpu/bed.h"
#include "gpu/script.h"

#include "machine/gpu_device.h"

#include <math.h>

#define PAGE 65536u

struct socket_bed {
    struct bed bed;
    struct gpu_device device;
};

static void open_sockets(struct socket_bed *b, const char *const *sets,
                         const struct engine_options *options)
{
    static const struct engine_options plain = {0};
    bed_build(&b->bed, "pascal64x4", sets, options ? options : &plain);
    assert_true(gpu_device_init(&b->device, b->bed.machine, ""));
    engine_start(&b->bed.sim.engine);
}

static void run_kernel(struct socket_bed *b, const struct grid_source *s)
{
    struct err err = ERR_INIT;
    struct grid_run done;
    if (!gpu_device_launch(&b->device, s, 7, &err))
        bed_fail(&err);
    while (!gpu_device_take_ended(&b->device, &done))
        assert_int_equal(engine_run(&b->bed.sim.engine), ENGINE_STOPPED);
    assert_int_equal(done.ticket, 7);
    assert_true(gpu_device_is_idle(&b->device));
    engine_finish(&b->bed.sim.engine);
    assert_int_equal(engine_run(&b->bed.sim.engine), ENGINE_STOPPED);
    machine_settle(b->bed.machine);
    if (!stats_check_laws(&b->bed.sim.stats, &err))
        bed_fail(&err);
}

static void run_script(struct socket_bed *b, const struct scripted_kernel *k)
{
    struct grid_source s = scripted_source(k, &b->bed.scripts);
    run_kernel(b, &s);
}

/* Of four sockets with 4 SMs each. */
#define SMALL "sm.count=4"

/* ---- blocks ---- */

/* Remembers which SM each block began on. */
struct spy {
    struct grid_source inner;
    struct source_ops ops;
    u32 sm[64], begun[64];
};

static struct spy *watched;

static void *spy_begin(void *self, u64 block, const struct sm_place *at)
{
    watched->sm[block] = at->sm;
    watched->begun[block]++;
    return watched->inner.ops->block_begin(self, block, at);
}

static const struct scripted_instruction nothing[] = {EXIT()};

static void sockets_of_blocks(const char *split, u32 *sockets)
{
    struct socket_bed b;
    struct spy spy = {0};
    char set[64];
    snprintf(set, sizeof set, "sockets.blocks=%s", split);
    open_sockets(&b, (const char *const[]){SMALL, set, NULL}, NULL);
    spy.inner = scripted_source(&KERNEL(nothing, 32, .blocks = 10), &b.bed.scripts);
    spy.ops = *spy.inner.ops;
    spy.ops.block_begin = spy_begin;
    struct grid_source s = spy.inner;
    s.ops = &spy.ops;
    watched = &spy;
    run_kernel(&b, &s);
    for (u32 i = 0; i < 10; i++) {
        assert_int_equal(spy.begun[i], 1);
        sockets[i] = spy.sm[i] / 4;
    }
    bed_close(&b.bed);
}

TEST(blocks_keep_their_numbers_and_each_runs_once_in_its_socket)
{
    UNUSED_STATE;
    /* ten blocks: two of the sockets get one more */
    static const u32 contiguous[] = {0, 0, 0, 1, 1, 1, 2, 2, 3, 3};
    u32 sockets[10];
    sockets_of_blocks("contiguous", sockets);
    for (u32 i = 0; i < 10; i++)
        assert_int_equal(sockets[i], contiguous[i]);
    sockets_of_blocks("interleaved", sockets);
    for (u32 i = 0; i < 10; i++)
        assert_int_equal(sockets[i], i % 4);
}

TEST(a_kernel_of_fewer_blocks_than_sockets_ends)
{
    UNUSED_STATE;
    struct socket_bed b;
    open_sockets(&b, (const char *const[]){SMALL, NULL}, NULL);
    run_script(&b, &KERNEL(nothing, 32, .blocks = 2));
    assert_int_equal(bed_stat(&b.bed, "socket0.sm.blocks"), 1);
    assert_int_equal(bed_stat(&b.bed, "socket1.sm.blocks"), 1);
    assert_int_equal(bed_stat(&b.bed, "socket2.sm.blocks"), 0);
    bed_close(&b.bed);
}

/* ---- pages ---- */

/* A block reads and writes lines of pages that are its own. */
static const struct scripted_instruction own_pages[] = {
    LOAD(1, 0x1000000, .warp_stride = 128, .block_stride = PAGE),
    LOAD(2, 0x1000000 + 4096, .warp_stride = 128, .block_stride = PAGE, .src0 = 1),
    STORE(0x1000000 + 8192, .warp_stride = 128, .block_stride = PAGE, .src0 = 2),
    EXIT(),
};

static u64 remote_of(const struct scripted_kernel *k, const char *split, struct socket_bed *b)
{
    open_sockets(b, (const char *const[]){SMALL, split, NULL}, NULL);
    run_script(b, k);
    return (u64)bed_stat(&b->bed, "home.socket.remote");
}

TEST(private_pages_touched_first_by_contiguous_blocks_never_cross_a_link)
{
    UNUSED_STATE;
    struct socket_bed b;
    assert_int_equal(
        remote_of(&KERNEL(own_pages, 128, .blocks = 64), "sockets.blocks=contiguous", &b), 0);
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(b.bed.machine->sockets->home.counts[i].pages, 16);
    bed_close(&b.bed);
}

/* Code, constants and local memory at the same addresses in all sockets. */
static const struct scripted_instruction own_things[] = {
    {.kind = WINST_LOAD,
     .unit = UNIT_MEMORY,
     .dst = 1,
     .space = SPACE_CONST,
     .bytes = 4,
     .base = 0x3000000},
    {.kind = WINST_STORE, .unit = UNIT_MEMORY, .src0 = 1, .space = SPACE_LOCAL, .bytes = 4},
    {.kind = WINST_LOAD, .unit = UNIT_MEMORY, .dst = 2, .space = SPACE_LOCAL, .bytes = 4},
    ALU(3, 2),
    EXIT(),
};

TEST(code_constants_and_local_memory_are_of_the_own_socket_wherever_pages_are)
{
    UNUSED_STATE;
    static const char *const homes[] = {"sockets.home=first_touch", "sockets.home=interleaved",
                                        "sockets.home=round_robin"};
    for (u32 i = 0; i < ARRAY_LEN(homes); i++) {
        struct socket_bed b;
        assert_int_equal(remote_of(&KERNEL(own_things, 128, .blocks = 64), homes[i], &b), 0);
        assert_int_equal(bed_stat(&b.bed, "link.bytes"), 0);
        assert_int_equal(bed_stat(&b.bed, "home.socket.pages"), 0);
        for (u32 s = 0; s < 4; s++) {
            char name[64];
            snprintf(name, sizeof name, "socket%u.l2.fetches", s);
            assert_true(bed_stat(&b.bed, name) > 0); /* each has a copy of its own */
        }
        bed_close(&b.bed);
    }
}

/* A line for each warp slot of each SM: none of two SMs is the same. */
TEST(local_memory_of_each_sm_of_each_socket_is_its_own)
{
    UNUSED_STATE;
    struct socket_bed b;
    struct piece piece;
    u64 lines[16], lanes[32] = {0};
    struct instruction i = {.kind = WINST_LOAD, .bytes = 4};
    struct winst x = {.instruction = &i, .in_local = 1, .address = lanes};
    open_sockets(&b, (const char *const[]){SMALL, NULL}, NULL);
    for (u32 n = 0; n < 16; n++) {
        assert_int_equal(
            coalesce_local(&b.device.gpus[n / 4]->cluster.sms[n % 4], 0, &x, &piece, 0), 1);
        lines[n] = piece.line;
        for (u32 k = 0; k < n; k++)
            assert_true(lines[k] != lines[n]);
    }
    bed_close(&b.bed);
}

/* Two blocks share a page: with blocks that go round, they are of different sockets. */
static const struct scripted_instruction half_pages[] = {
    LOAD(1, 0x1000000, .warp_stride = 128, .block_stride = PAGE / 2),
    EXIT(),
};

TEST(interleaved_blocks_share_pages_across_sockets)
{
    UNUSED_STATE;
    struct socket_bed b;
    assert_int_equal(
        remote_of(&KERNEL(half_pages, 128, .blocks = 64), "sockets.blocks=interleaved", &b),
        64 / 2 * 4); /* the second block of each page: 4 warps */
    bed_close(&b.bed);
}

static struct grid_source random_reads(struct bed *b)
{
    static struct synthetic_phase phase;
    struct synthetic_kernel k = synthetic_kernel_initial();
    phase = synthetic_phase_initial();
    phase.instructions = 400;
    phase.mix = (struct synthetic_mix){.integer = 1, .load = 1};
    phase.access.stream = 0;
    phase.access.random = 1;
    phase.access.footprint_bytes = 64 << 20;
    k.blocks = 32;
    k.threads_per_block = 128;
    k.phases = &phase;
    k.phase_count = 1;
    return synthetic_source(&k, 3, &b->scripts);
}

TEST(random_reads_of_interleaved_memory_are_remote_but_for_one_in_so_many_sockets)
{
    UNUSED_STATE;
    static const char *const homes[] = {"sockets.home=interleaved", "sockets.home=round_robin"};
    for (u32 i = 0; i < 2; i++) {
        struct socket_bed b;
        open_sockets(&b, (const char *const[]){SMALL, homes[i], NULL}, NULL);
        struct grid_source s = random_reads(&b.bed);
        run_kernel(&b, &s);
        double share = bed_stat(&b.bed, "home.socket.remote_share");
        assert_true(fabs(share - 0.75) < 0.01);
        bed_close(&b.bed);
    }
}

/* Every block reads two lines of a page of its own, one after the other: the first waits for the
 * page, and so does no other. */
static const struct scripted_instruction two_lines[] = {
    LOAD(1, 0x1000000, .block_stride = PAGE),
    LOAD(2, 0x1000000 + 4096, .block_stride = PAGE, .src0 = 1), ALU(3, 2), EXIT()};

TEST(a_first_touch_costs_its_socket_the_time_of_a_fault_once)
{
    UNUSED_STATE;
    static const char *const costs[] = {"sockets.fault_cycles=0", "sockets.fault_cycles=2000"};
    u64 took[2];
    for (u32 i = 0; i < 2; i++) {
        struct socket_bed b;
        assert_int_equal(remote_of(&KERNEL(two_lines, 32, .blocks = 16), costs[i], &b), 0);
        took[i] = b.bed.sim.engine.now_fs / 1000000;
        bed_close(&b.bed);
    }
    assert_in_range(took[1] - took[0], 1999, 2001);
}

/* ---- ranges that adapt ---- */

/* Ten launches of a kernel; what the sockets took for the last, and their blocks. */
static void adapt(const struct scripted_kernel *k, const struct scripted_kernel *before,
                  cycle_t took[4], u64 blocks[4])
{
    struct socket_bed b;
    open_sockets(&b,
                 (const char *const[]){"sm.count=2", "sm.blocks=2", "sockets.blocks=adaptive",
                                       "sockets.page_bytes=4KiB", "sm.l1.enabled=false", NULL},
                 NULL);
    if (before)
        run_script(&b, before);
    for (u32 i = 0; i < 10; i++)
        run_script(&b, k);
    for (u32 i = 0; i < 4; i++) {
        const struct gpu *g = b.device.gpus[i];
        const struct kernel_record *r = &g->records[g->record_count - 1];
        took[i] = r->ended - r->started;
        blocks[i] = r->blocks;
    }
    bed_close(&b.bed);
}

/* Chains of dependent loads; the page was touched by one block, in socket 0. */
static const struct scripted_instruction chain[] = {
    LOAD(1, 0x2000000, .warp_stride = 128), LOAD(1, 0x2000000, .warp_stride = 128, .src0 = 1),
    LOAD(1, 0x2000000, .warp_stride = 128, .src0 = 1), ALU(2, 1), EXIT()};

TEST(adaptive_ranges_let_uneven_sockets_end_together)
{
    UNUSED_STATE;
    cycle_t took[4], most = 0, least = CYCLE_NEVER;
    u64 blocks[4], sum = 0;
    adapt(&KERNEL(chain, 64, .blocks = 1024), &KERNEL(chain, 64, .blocks = 1), took, blocks);
    for (u32 i = 0; i < 4; i++) {
        most = max_u64(most, took[i]);
        least = min_u64(least, took[i]);
        sum += blocks[i];
        assert_true(i == 0 || blocks[i] < blocks[0]); /* its memory is nearer */
    }
    assert_int_equal(sum, 1024);
    assert_true((double)most < 1.1 * (double)least);
}

static const struct scripted_instruction short_sleep[] = {SLEEP(400), EXIT()};

TEST(adaptive_ranges_of_even_sockets_stay_equal_within_a_block)
{
    UNUSED_STATE;
    cycle_t took[4];
    u64 blocks[4];
    adapt(&KERNEL(short_sleep, 64, .blocks = 254), NULL, took, blocks);
    for (u32 i = 0; i < 4; i++)
        assert_in_range(blocks[i], 62, 65);
}

/* ---- energy ---- */

/* 10 pJ a bit; 64 bytes a cycle out of each of four sockets are 20.48 W, counted once. */
TEST(links_take_80_pj_a_byte_and_at_most_their_bandwidth)
{
    UNUSED_STATE;
    struct socket_bed b;
    open_sockets(&b,
                 (const char *const[]){"sm.count=8", "sockets.home=interleaved",
                                       "sockets.link.dynamic=true", NULL},
                 NULL);
    struct grid_source s = random_reads(&b.bed);
    run_kernel(&b, &s);
    u64 bytes = (u64)bed_stat(&b.bed, "link.bytes");
    assert_true(bytes > 1000000);
    assert_int_equal(bed_stat(&b.bed, "link.energy.pj"), 80 * bytes);
    assert_int_equal(bed_stat(&b.bed, "link.energy.both_ends_pj"), 160 * bytes);
    assert_true(bed_stat(&b.bed, "link.energy.watts") <= 20.48);
    assert_true(bed_stat(&b.bed, "link.energy.watts") > 1);
    assert_true(bed_stat(&b.bed, "link.energy.both_ends_watts") <= 40.96);
    u64 matrix = 0;
    for (u32 i = 0; i < 4; i++) {
        for (u32 k = 0; k < 4; k++)
            matrix += b.bed.machine->sockets->link.socket[i].counts.bytes_to[k];
        assert_int_equal(b.bed.machine->sockets->link.socket[i].counts.bytes_to[i], 0);
    }
    assert_int_equal(matrix, bytes);
    bed_close(&b.bed);
}

/* ---- the whole ---- */

TEST(sockets_give_the_same_result_with_and_without_skipping)
{
    UNUSED_STATE;
    static const char *const names[] = {"socket3.sm.l1.latency_cycles", "link.bytes",
                                        "link.socket.busy_out",         "socket0.l2.hits",
                                        "home.socket.remote",           "socket2.sm.warp_cycles"};
    double seen[2][ARRAY_LEN(names)];
    u64 fs[2];
    for (u32 i = 0; i < 2; i++) {
        struct socket_bed b;
        open_sockets(&b, (const char *const[]){SMALL, "sockets.link.dynamic=true", NULL},
                     &(struct engine_options){.no_skip = i});
        struct grid_source s = random_reads(&b.bed);
        run_kernel(&b, &s);
        fs[i] = b.bed.sim.engine.now_fs;
        for (u32 k = 0; k < ARRAY_LEN(names); k++)
            seen[i][k] = bed_stat(&b.bed, names[k]);
        bed_close(&b.bed);
    }
    assert_int_equal(fs[0], fs[1]);
    for (u32 k = 0; k < ARRAY_LEN(names); k++)
        assert_true(seen[0][k] == seen[1][k]);
}

/* Lanes, pages and blocks mean nothing where there is one socket. */
TEST(one_socket_is_the_plain_gpu_whatever_the_policies)
{
    UNUSED_STATE;
    static const char *const sets[][4] = {
        {SMALL, NULL},
        {SMALL, "sockets.home=interleaved", "sockets.blocks=interleaved", NULL},
        {SMALL, "sockets.link.dynamic=true", "sockets.page_bytes=4KiB", NULL},
    };
    u64 fs[ARRAY_LEN(sets)];
    for (u32 i = 0; i < ARRAY_LEN(sets); i++) {
        struct bed b;
        bed_open(&b, "pascal64", sets[i]);
        struct err err = ERR_INIT;
        struct grid_source s = random_reads(&b);
        assert_null(b.machine->sockets);
        if (!dispatcher_launch(&b.gpu->cluster.dispatcher, &s, 0, &err))
            bed_fail(&err);
        bed_run(&b);
        fs[i] = b.sim.engine.now_fs;
        bed_close(&b);
    }
    assert_int_equal(fs[0], fs[1]);
    assert_int_equal(fs[0], fs[2]);
}

RUN_TESTS(T(adaptive_ranges_let_uneven_sockets_end_together),
          T(adaptive_ranges_of_even_sockets_stay_equal_within_a_block),
          T(links_take_80_pj_a_byte_and_at_most_their_bandwidth),
          T(blocks_keep_their_numbers_and_each_runs_once_in_its_socket),
          T(a_kernel_of_fewer_blocks_than_sockets_ends),
          T(private_pages_touched_first_by_contiguous_blocks_never_cross_a_link),
          T(code_constants_and_local_memory_are_of_the_own_socket_wherever_pages_are),
          T(local_memory_of_each_sm_of_each_socket_is_its_own),
          T(interleaved_blocks_share_pages_across_sockets),
          T(random_reads_of_interleaved_memory_are_remote_but_for_one_in_so_many_sockets),
          T(a_first_touch_costs_its_socket_the_time_of_a_fault_once),
          T(sockets_give_the_same_result_with_and_without_skipping),
          T(one_socket_is_the_plain_gpu_whatever_the_policies))

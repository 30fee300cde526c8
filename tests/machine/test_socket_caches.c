/* Caches that hold lines of other sockets, and how software keeps them coherent
 * (hpc-cores-and-numa-gpu spec 2.9; 5, "Cache partitioning", "Coherence / power"). */
#include "gpu/bed.h"
#include "gpu/script.h"

#include "machine/gpu_device.h"

#define PAGE 65536u
#define STORE_APART(apart, ...)                                                                    \
    {                                                                                              \
        .kind = WINST_STORE, .unit = UNIT_MEMORY, .space = SPACE_GLOBAL, .bytes = 4,               \
        .lane_stride = (apart), .base = __VA_ARGS__                                                \
    }
#define FENCE_OF(which)                                                                            \
    {                                                                                              \
        .kind = WINST_FENCE, .unit = UNIT_BRANCH, .warps = (which)                                 \
    }
#define DATA 0x1000000u

/* Four sockets of 2 SMs with small caches; lines have versions. */
#define SMALL                                                                                      \
    "sm.count=2", "l2.size_bytes=256KiB", "sm.l1.size_bytes=16KiB", "dram.channels=4",             \
        "l2.mshrs=64", "sm.l1.mshrs=32", "sockets.link_nodes=1"

struct socket_bed {
    struct bed bed;
    struct gpu_device device;
};

static const char *const organisations[] = {"memory_side", "static", "shared", "partitioned"};
enum { MEMORY_SIDE, STATIC, SHARED, PARTITIONED };

static void open_sockets(struct socket_bed *b, u32 organisation, const char *more,
                         const struct engine_options *options)
{
    static const struct engine_options plain = {.watchdog_cycles = 100000};
    char set[64];
    snprintf(set, sizeof set, "sockets.cache.organisation=%s", organisations[organisation]);
    bed_build(&b->bed, "pascal64x4",
              (const char *const[]){SMALL, "sockets.check=true", set, more, NULL},
              options ? options : &plain);
    assert_true(gpu_device_init(&b->device, b->bed.machine, ""));
    engine_start(&b->bed.sim.engine);
}

static void launch(struct socket_bed *b, const struct scripted_kernel *k)
{
    struct err err = ERR_INIT;
    struct grid_source s = scripted_source(k, &b->bed.scripts);
    if (!gpu_device_launch(&b->device, &s, 7, &err))
        bed_fail(&err);
}

static void run_kernel(struct socket_bed *b, const struct scripted_kernel *k)
{
    struct grid_run done;
    launch(b, k);
    while (!gpu_device_take_ended(&b->device, &done))
        assert_int_equal(engine_run(&b->bed.sim.engine), ENGINE_STOPPED);
    assert_true(gpu_device_is_idle(&b->device));
}

/* All but the law of versions holds. */
static void settle(struct socket_bed *b)
{
    struct err err = ERR_INIT;
    u64 *stale = &b->bed.machine->sockets->versions.counts.stale, seen = *stale;
    engine_finish(&b->bed.sim.engine);
    assert_int_equal(engine_run(&b->bed.sim.engine), ENGINE_STOPPED);
    machine_settle(b->bed.machine);
    *stale = 0;
    if (!stats_check_laws(&b->bed.sim.stats, &err))
        bed_fail(&err);
    *stale = seen;
}

static u64 stale_reads(const struct socket_bed *b)
{
    return b->bed.machine->sockets->versions.counts.stale;
}

/* ---- stale data ---- */

/* 8 blocks of 4 warps, two blocks a socket: each warp has a line of its own. */
#define LINES 32u

static const struct scripted_instruction produce[] = {
    STORE(DATA, .warp_stride = 128, .block_stride = 512), EXIT()};
/* All sockets read what socket 0 has in its memory. */
static const struct scripted_instruction consume[] = {LOAD(1, DATA, .warp_stride = 128), ALU(2, 1),
                                                      LOAD(3, DATA, .warp_stride = 128, .src0 = 2),
                                                      ALU(4, 3), EXIT()};

/* Socket 0 writes its lines, all read them, socket 0 writes again, all read again. */
static u64 produce_and_consume(struct socket_bed *b)
{
    for (u32 i = 0; i < 2; i++) {
        run_kernel(b, &KERNEL(produce, 128, .blocks = 1));
        run_kernel(b, &KERNEL(consume, 128, .blocks = 8));
    }
    settle(b);
    return stale_reads(b);
}

TEST(a_consumer_reads_what_another_socket_produced_in_every_organisation)
{
    UNUSED_STATE;
    for (u32 i = 0; i < ARRAY_LEN(organisations); i++) {
        struct socket_bed b;
        open_sockets(&b, i, NULL, NULL);
        assert_int_equal(produce_and_consume(&b), 0);
        assert_in_range(b.bed.machine->sockets->versions.counts.checked, 2 * 8 * 4 * 2, 1000);
        assert_int_equal(b.bed.machine->sockets->versions.counts.written, 2 * 4);
        bed_close(&b.bed);
    }
}

TEST(without_the_flush_of_l2_a_stale_read_is_found_where_l2_keeps_lines_of_others)
{
    UNUSED_STATE;
    for (u32 i = 0; i < ARRAY_LEN(organisations); i++) {
        struct socket_bed b;
        open_sockets(&b, i, "sockets.cache.flush=ideal", NULL);
        u64 stale = produce_and_consume(&b);
        if (i == MEMORY_SIDE)
            assert_int_equal(stale, 0);
        else
            assert_true(stale > 0);
        bed_close(&b.bed);
    }
}

TEST(without_the_flush_of_l1_a_stale_read_is_found_in_every_organisation)
{
    UNUSED_STATE;
    for (u32 i = 0; i < ARRAY_LEN(organisations); i++) {
        struct socket_bed b;
        open_sockets(&b, i, "sm.l1.flush_at_kernel_end=false", NULL);
        assert_true(produce_and_consume(&b) > 0);
        bed_close(&b.bed);
    }
}

/* ---- flushes ---- */

static u32 count_lines(const struct socket_bed *b, bool remote_only)
{
    u32 count = 0;
    for (u32 s = 0; s < 4; s++) {
        const struct memory_system *m = &b->bed.machine->memories[s];
        for (u32 i = 0; i < m->bank_count; i++) {
            const struct tags *t = &m->banks[i].cache.tags;
            for (u32 k = 0; k < t->sets * t->ways; k++)
                count += t->lines[k].state == LINE_VALID && (!remote_only || t->lines[k].slot != s);
        }
    }
    return count;
}

/* Every socket writes lines of its own and of the next: pages were touched by a kernel before. */
static const struct scripted_instruction touch[] = {LOAD(1, DATA, .block_stride = PAGE), EXIT()};
static const struct scripted_instruction write_own[] = {
    STORE(DATA, .warp_stride = 128, .block_stride = PAGE), EXIT()};
static const struct scripted_instruction write_next[] = {
    STORE(DATA + PAGE, .warp_stride = 128, .block_stride = PAGE), EXIT()};

TEST(a_flush_writes_back_the_dirty_lines_and_leaves_none)
{
    UNUSED_STATE;
    for (u32 i = STATIC; i <= PARTITIONED; i++) {
        struct socket_bed b;
        open_sockets(&b, i, NULL, NULL);
        run_kernel(&b, &KERNEL(touch, 32, .blocks = 4));
        run_kernel(&b, &KERNEL(write_own, 128, .blocks = 4));
        u64 before = (u64)bed_stat(&b.bed, "socket0.l2.remote.flushed_lines") * 4;
        /* 3 sockets write 4 lines of the next one's page, the last one 4 of a page of its own */
        run_kernel(&b, &KERNEL(write_next, 128, .blocks = 4));
        settle(&b);
        double flushed = 0, remote = 0;
        for (u32 s = 0; s < 4; s++) {
            const struct memory_system *m = &b.bed.machine->memories[s];
            for (u32 k = 0; k < m->bank_count; k++) {
                flushed += (double)m->banks[k].remote->counts.flushed_lines;
                remote += (double)m->banks[k].remote->counts.writebacks;
            }
            for (u32 k = 0; k < 2; k++)
                assert_int_equal(b.device.gpus[s]->cluster.sms[k].l1.counts.writebacks, 0);
        }
        assert_int_equal(before, i == STATIC ? 0 : 16);
        assert_int_equal((u64)remote, 12);
        assert_int_equal((u64)flushed, i == STATIC ? 12 : 16 + 16);
        assert_int_equal(count_lines(&b, true), 0);
        assert_int_equal(count_lines(&b, false) > 0, i == STATIC);
        bed_close(&b.bed);
    }
}

static u64 time_of(u32 organisation, const char *more)
{
    struct socket_bed b;
    open_sockets(&b, organisation, more, NULL);
    run_kernel(&b, &KERNEL(touch, 32, .blocks = 4));
    for (u32 i = 0; i < 3; i++) {
        run_kernel(&b, &KERNEL(write_next, 128, .blocks = 4));
        run_kernel(&b, &KERNEL(consume, 128, .blocks = 8));
    }
    u64 fs = b.bed.sim.engine.now_fs;
    bed_close(&b.bed);
    return fs;
}

TEST(the_ideal_mode_is_never_slower_and_equal_but_for_the_last_flush_with_one_kernel)
{
    UNUSED_STATE;
    for (u32 i = STATIC; i <= PARTITIONED; i++) {
        assert_true(time_of(i, "sockets.cache.flush=ideal") < time_of(i, NULL));
        struct socket_bed b[2];
        u64 ended[2];
        for (u32 k = 0; k < 2; k++) {
            open_sockets(&b[k], i, k ? "sockets.cache.flush=ideal" : NULL, NULL);
            run_kernel(&b[k], &KERNEL(write_own, 128, .blocks = 8));
            ended[k] = b[k].device.gpus[0]->records[0].ended;
            bed_close(&b[k].bed);
        }
        assert_int_equal(ended[0], ended[1]);
    }
}

static const struct scripted_instruction write_and_fence[] = {
    STORE(DATA + PAGE, .warp_stride = 128, .block_stride = PAGE), FENCE_OF_GPU,
    LOAD(1, DATA + PAGE, .warp_stride = 128, .block_stride = PAGE), ALU(2, 1), EXIT()};

TEST(a_fence_flushes_the_socket_and_empties_l1)
{
    UNUSED_STATE;
    for (u32 i = 0; i < ARRAY_LEN(organisations); i++) {
        struct socket_bed b;
        open_sockets(&b, i, NULL, NULL);
        run_kernel(&b, &KERNEL(touch, 32, .blocks = 4));
        run_kernel(&b, &KERNEL(write_and_fence, 128, .blocks = 4));
        settle(&b);
        const struct bank_remote *side = b.bed.machine->memories[0].banks[0].remote;
        assert_int_equal(side != NULL, i != MEMORY_SIDE);
        if (side) /* the ends of two kernels, and at least once for the 4 warps of its block */
            assert_in_range(side->counts.flushes, 3, 6);
        assert_int_equal(stale_reads(&b), 0);
        bed_close(&b.bed);
    }
}

/* A line in L1, read again after a fence: it has to come anew, whatever L2 keeps. */
static const struct scripted_instruction read_and_fence[] = {
    LOAD(1, DATA, .warp_stride = 128), ALU(2, 1), FENCE_OF_GPU,
    LOAD(3, DATA, .warp_stride = 128), ALU(4, 3), EXIT()};

TEST(a_fence_does_the_same_to_l1_in_every_organisation)
{
    UNUSED_STATE;
    for (u32 i = 0; i < ARRAY_LEN(organisations); i++) {
        struct socket_bed b;
        open_sockets(&b, i, NULL, NULL);
        run_kernel(&b, &KERNEL(read_and_fence, 32, .blocks = 4));
        settle(&b);
        for (u32 s = 0; s < 4; s++) {
            char name[64];
            snprintf(name, sizeof name, "socket%u.sm.l1.hits", s);
            assert_int_equal(bed_stat(&b.bed, name), 0);
        }
        bed_close(&b.bed);
    }
}

/* All sockets have a line in L1 (and in L2, where that keeps it), write it and come to a fence.
 * Much later, after another fence, each must see what the others wrote. */
static const struct scripted_instruction exchange[] = {
    LOAD(1, DATA), ALU(2, 1),    STORE(DATA, .src0 = 2), FENCE_OF_GPU, SLEEP(5000), LOAD(3, DATA),
    ALU(4, 3),     FENCE_OF_GPU, LOAD(5, DATA),          ALU(6, 5),    EXIT()};

TEST(a_fence_that_empties_nothing_is_found)
{
    UNUSED_STATE;
    static const char *const lacks[] = {NULL, "sm.l1.flush_at_fence=false",
                                        "sockets.cache.flush=ideal"};
    for (u32 i = 0; i < ARRAY_LEN(organisations); i++) {
        for (u32 k = 0; k < ARRAY_LEN(lacks); k++) {
            struct socket_bed b;
            bool is_whole = k == 0 || (k == 2 && i == MEMORY_SIDE);
            open_sockets(&b, i, lacks[k], NULL);
            run_kernel(&b, &KERNEL(exchange, 32, .blocks = 4));
            settle(&b);
            if (is_whole != (stale_reads(&b) == 0))
                fail_msg("%s, %s: %llu stale reads", organisations[i], lacks[k] ? lacks[k] : "",
                         (unsigned long long)stale_reads(&b));
            bed_close(&b.bed);
        }
    }
}

/* ---- what is where ---- */

static struct grid_source random_kernel(struct bed *b)
{
    static struct synthetic_phase phase;
    struct synthetic_kernel k = synthetic_kernel_initial();
    phase = synthetic_phase_initial();
    phase.instructions = 300;
    phase.mix = (struct synthetic_mix){.integer = 2, .load = 2, .store = 1};
    phase.access.stream = 0;
    phase.access.random = 1;
    phase.access.footprint_bytes = 8 << 20;
    k.blocks = 16;
    k.threads_per_block = 128;
    k.phases = &phase;
    k.phase_count = 1;
    return synthetic_source(&k, 3, &b->scripts);
}

static void run_random(struct socket_bed *b)
{
    struct err err = ERR_INIT;
    struct grid_run done;
    struct grid_source s = random_kernel(&b->bed);
    if (!gpu_device_launch(&b->device, &s, 7, &err))
        bed_fail(&err);
    while (!gpu_device_take_ended(&b->device, &done))
        assert_int_equal(engine_run(&b->bed.sim.engine), ENGINE_STOPPED);
    settle(b);
}

TEST(each_way_holds_what_its_organisation_says)
{
    UNUSED_STATE;
    for (u32 i = 0; i < ARRAY_LEN(organisations); i++) {
        struct socket_bed b;
        u32 local = 0, remote = 0;
        open_sockets(&b, i, "sockets.cache.flush=ideal", NULL);
        run_random(&b);
        struct home *h = &b.bed.machine->sockets->home;
        for (u32 s = 0; s < 4; s++) {
            const struct memory_system *m = &b.bed.machine->memories[s];
            for (u32 k = 0; k < m->bank_count; k++) {
                const struct tags *t = &m->banks[k].cache.tags;
                for (u32 set = 0; set < t->sets; set++) {
                    for (u32 way = 0; way < t->ways; way++) {
                        if (tags_line(t, set, way)->state != LINE_VALID)
                            continue;
                        u32 home = h->ops->find(h, tags_address(t, set, way), s);
                        bool is_remote = home != s && home != HOME_LATER; /* code has none */
                        remote += is_remote;
                        local += !is_remote;
                        if (i == MEMORY_SIDE)
                            assert_false(is_remote);
                        if (i == STATIC || i == PARTITIONED) /* no way has moved */
                            assert_int_equal(is_remote, way < 8);
                    }
                }
            }
        }
        assert_true(local > 100);
        assert_int_equal(remote > 100, i != MEMORY_SIDE);
        bed_close(&b.bed);
    }
}

TEST(a_line_in_a_way_that_is_the_other_groups_now_still_hits)
{
    UNUSED_STATE;
    struct socket_bed b;
    open_sockets(&b, PARTITIONED, "sockets.cache.flush=ideal", NULL);
    run_kernel(&b, &KERNEL(touch, 32, .blocks = 4));
    run_kernel(&b, &KERNEL(consume, 128, .blocks = 8)); /* lines of socket 0, in all others */
    struct bank_remote_counts before = {0}, after = {0};
    for (u32 pass = 0; pass < 2; pass++) {
        const struct memory_system *m = &b.bed.machine->memories[1];
        struct bank_remote_counts *sum = pass ? &after : &before;
        if (pass) {
            b.bed.machine->sockets->partitions[1].was_reset = true;
            run_kernel(&b, &KERNEL(consume, 128, .blocks = 8));
        }
        for (u32 k = 0; k < m->bank_count; k++) {
            sum->accesses += m->banks[k].remote->counts.accesses;
            sum->hits += m->banks[k].remote->counts.hits;
            if (!pass) /* all ways but the last are local lines' now */
                split_decide(&b.bed.machine->sockets->partitions[1].l2, 1);
        }
    }
    assert_true(after.accesses > before.accesses);
    /* what L1s ask for again is there: data and code */
    assert_int_equal(after.hits - before.hits, after.accesses - before.accesses);
    bed_close(&b.bed);
}

/* One warp fences, another of its SM asks for a line while the bank is flushed, later and later
 * from launch to launch: nothing else wakes the bank when the flush has ended. */
TEST(a_request_that_waits_in_a_bank_for_a_flush_is_served_after_it)
{
    UNUSED_STATE;
    for (u32 i = STATIC; i <= PARTITIONED; i++) {
        struct socket_bed b;
        open_sockets(&b, i, NULL, NULL);
        for (u32 later = 0; later < 80; later++) {
            const struct scripted_instruction code[] = {
                STORE_APART(128, DATA, .warps = 1), /* dirty lines for each bank */
                STORE_APART(128, DATA + 4 * KIB, .warps = 1),
                FENCE_OF(1),
                SLEEP(8 * (later + 1), .warps = 2),
                LOAD(1, DATA + 64 * KIB, .warps = 2),
                ALU(2, 1),
                EXIT(),
            };
            run_kernel(&b, &KERNEL(code, 64));
        }
        assert_true(bed_stat(&b.bed, "socket0.l2.remote.flush_cycles") > 100);
        bed_close(&b.bed);
    }
}

/* ---- the whole ---- */

TEST(organisations_give_the_same_result_with_and_without_skipping)
{
    UNUSED_STATE;
    for (u32 i = STATIC; i <= PARTITIONED; i++) {
        u64 fs[2], bytes[2];
        for (u32 k = 0; k < 2; k++) {
            struct socket_bed b;
            open_sockets(&b, i, "sockets.cache.partition.sample_cycles=200",
                         &(struct engine_options){.no_skip = k});
            run_kernel(&b, &KERNEL(write_and_fence, 128, .blocks = 4));
            run_random(&b);
            fs[k] = b.bed.sim.engine.now_fs;
            bytes[k] = (u64)bed_stat(&b.bed, "link.bytes");
            bed_close(&b.bed);
        }
        assert_int_equal(fs[0], fs[1]);
        assert_int_equal(bytes[0], bytes[1]);
    }
}

/* The second is launched while the first runs, in one stream. */
TEST(a_kernel_begins_when_all_sub_kernels_before_it_have_ended)
{
    UNUSED_STATE;
    static const struct scripted_instruction uneven[] = {SLEEP(500), EXIT()};
    struct socket_bed b;
    struct grid_run done;
    open_sockets(&b, MEMORY_SIDE, NULL, NULL);
    launch(&b, &KERNEL(uneven, 1024, .blocks = 5)); /* socket 0 has two blocks */
    launch(&b, &KERNEL(uneven, 32, .blocks = 4));
    for (u32 i = 0; i < 2; i++) {
        while (!gpu_device_take_ended(&b.device, &done))
            assert_int_equal(engine_run(&b.bed.sim.engine), ENGINE_STOPPED);
    }
    cycle_t ended = 0;
    for (u32 i = 0; i < 4; i++)
        ended = max_u64(ended, b.device.gpus[i]->records[0].ended);
    for (u32 i = 0; i < 4; i++)
        assert_true(b.device.gpus[i]->records[1].started >= ended);
    bed_close(&b.bed);
}

RUN_TESTS(T(a_consumer_reads_what_another_socket_produced_in_every_organisation),
          T(without_the_flush_of_l2_a_stale_read_is_found_where_l2_keeps_lines_of_others),
          T(without_the_flush_of_l1_a_stale_read_is_found_in_every_organisation),
          T(a_flush_writes_back_the_dirty_lines_and_leaves_none),
          T(the_ideal_mode_is_never_slower_and_equal_but_for_the_last_flush_with_one_kernel),
          T(a_fence_flushes_the_socket_and_empties_l1),
          T(a_fence_does_the_same_to_l1_in_every_organisation),
          T(a_fence_that_empties_nothing_is_found),
          T(a_request_that_waits_in_a_bank_for_a_flush_is_served_after_it),
          T(each_way_holds_what_its_organisation_says),
          T(a_line_in_a_way_that_is_the_other_groups_now_still_hits),
          T(organisations_give_the_same_result_with_and_without_skipping),
          T(a_kernel_begins_when_all_sub_kernels_before_it_have_ended))

/* Checks D1, D3 and D5 of the bandwidth-and-ccn spec: what the configurations of its table 3.3
 * change, and what they must not. */
#include "base/rng.h"
#include "gpu/script.h"
#include "gpu/spy.h"

/* clang-format off */
#define L1_SCALED "sm.l1.mshrs=128", "sm.l1.miss_entries=32", "sm.lsu.buffer_entries=40"
#define L2_QUEUES "l2.miss_entries=32", "l2.response_entries=32", "l2.access_entries=32"
#define L2_SCALED L2_QUEUES, "l2.mshrs=128", "l2.port_bytes=128", "network.request.flit_bytes=128", \
                  "network.reply.flit_bytes=128"
#define DRAM_SCALED "dram.queue_entries=64", "dram.banks=64", "dram.bus_bits=256", \
                    "dram.burst_length=4", "dram.ccd=1", "dram.ccdl=1"
#define COST_EFFECTIVE L2_QUEUES, "sm.l1.mshrs=48", "sm.l1.miss_entries=32", "sm.lsu.buffer_entries=40"
#define FLITS(request, reply) "network.request.flit_bytes=" #request, "network.reply.flit_bytes=" #reply

/* All with 12 banks. */
static const char *const configurations[][24] = {
    {NULL},
    {L1_SCALED, NULL},
    {L2_SCALED, NULL},
    {DRAM_SCALED, NULL},
    {L1_SCALED, L2_SCALED, NULL},
    {L1_SCALED, L2_SCALED, DRAM_SCALED, NULL},
    {COST_EFFECTIVE, FLITS(16, 48), NULL},
    {COST_EFFECTIVE, FLITS(16, 68), NULL},
    {COST_EFFECTIVE, FLITS(32, 52), NULL},
    {FLITS(16, 48), NULL},
};
/* clang-format on */

/* ---- D1: the caches hold the same ----------------------------------------------------------- */

/* Loads, one at a time: half of them over 384 lines, three times what the L1 holds, half over 16
 * lines of one L2 set of 8 ways (12 banks x 64 sets x 128 bytes apart). When a load issues, the
 * one before it is done: what the counters say then is its outcome. */
#define TRACE_LENGTH 200u
#define TRACE_LOADS (3u * TRACE_LENGTH)
static u64 trace_addresses[TRACE_LENGTH][32];
static struct scripted_instruction trace_code[TRACE_LENGTH];

static void make_trace(void)
{
    struct rng r;
    rng_init(&r, 1, "trace");
    for (u32 i = 0; i < TRACE_LENGTH; i++) {
        u64 at = i % 2 ? rng_below(&r, 16) * 12 * 64 * 128 : rng_below(&r, 384) * 128;
        for (u32 lane = 0; lane < 32; lane++)
            trace_addresses[i][lane] = 16 * MIB + at + lane * 4;
        trace_code[i] = (struct scripted_instruction)LOAD(1, 0, .src0 = 1);
        trace_code[i].addresses = trace_addresses[i];
    }
}

struct trace {
    const struct l1_counts *counts;
    u64 l1_hits[TRACE_LOADS], l2_hits[TRACE_LOADS];
    u32 count;
};

static void on_load(void *context, const struct spy_event *e, const void *stream)
{
    struct trace *t = context;
    (void)e;
    (void)stream;
    t->l1_hits[t->count] = t->counts->hits;
    t->l2_hits[t->count++] = t->counts->l2_hits;
}

static void replay(const char *const *sets, struct trace *t)
{
    struct bed b;
    struct spy s;
    bed_open(&b, "fermi15", sets);
    make_trace();
    struct scripted_kernel k = KERNEL(trace_code, 32, .iterations = TRACE_LOADS / TRACE_LENGTH);
    struct grid_source g = spy_on(&s, &b, scripted_source(&k, &b.scripts), 0);
    *t = (struct trace){.counts = &b.gpu->cluster.sms[0].l1.counts};
    s.on_event = on_load;
    s.context = t;
    bed_launch_source(&b, &g);
    bed_run(&b);
    assert_int_equal(t->count, TRACE_LOADS);
    u64 l1 = t->l1_hits[TRACE_LOADS - 1], l2 = t->l2_hits[TRACE_LOADS - 1];
    assert_true(l1 > 50 && l2 > 50 && l1 + l2 < TRACE_LOADS - 50); /* some of everything */
    bed_close(&b);
}

TEST(a_serialised_trace_has_the_same_hits_in_every_configuration)
{
    UNUSED_STATE;
    static struct trace base, other;
    replay(configurations[0], &base);
    for (u32 i = 1; i < ARRAY_LEN(configurations); i++) {
        replay(configurations[i], &other);
        assert_memory_equal(base.l1_hits, other.l1_hits, sizeof base.l1_hits);
        assert_memory_equal(base.l2_hits, other.l2_hits, sizeof base.l2_hits);
    }
}

TEST(another_number_of_banks_leaves_the_sequence_of_l1_hits)
{
    UNUSED_STATE;
    static struct trace base, other;
    const char *banks[] = {"l2.banks_per_channel=8", NULL};
    replay(NULL, &base);
    replay(banks, &other);
    assert_memory_equal(base.l1_hits, other.l1_hits, sizeof base.l1_hits);
}

TEST(another_index_function_changes_the_sequence_of_l1_hits)
{
    UNUSED_STATE;
    static struct trace base, other;
    const char *hashed[] = {"sm.l1.set_index=fermi", NULL};
    replay(NULL, &base);
    replay(hashed, &other);
    assert_memory_not_equal(base.l1_hits, other.l1_hits, sizeof base.l1_hits);
}

TEST(more_banks_leave_the_capacity_of_the_l2)
{
    UNUSED_STATE;
    static const struct {
        const char *set;
        u32 banks;
    } rows[] = {{"l2.banks_per_channel=2", 12},
                {"l2.banks_per_channel=4", 24},
                {"l2.banks_per_channel=8", 48}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        const char *sets[] = {rows[i].set, NULL};
        struct bed b;
        bed_open(&b, "fermi15", sets);
        assert_int_equal(b.gpu->memory->bank_count, rows[i].banks);
        u64 bytes = 0;
        for (u32 k = 0; k < b.gpu->memory->bank_count; k++)
            bytes += (u64)b.gpu->memory->banks[k].cache.tags.sets *
                     b.gpu->memory->banks[k].cache.tags.ways * 128;
        assert_int_equal(bytes, 768 * KIB);
        bed_close(&b);
    }
}

/* ---- D3: flits ------------------------------------------------------------------------------ */

static void flits_of_replies(const char *set, double expected)
{
    static const struct scripted_instruction code[] = {
        LOAD(1, 16 * MIB, .iteration_stride = 128, .warp_stride = 64 * 128)};
    const char *sets[] = {set, NULL};
    struct bed b;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(code, 256, .iterations = 32);
    bed_launch(&b, &k);
    bed_run(&b);
    assert_near(bed_stat(&b, "reply_network.flits_per_packet"), expected, 0);
    assert_near(bed_stat(&b, "request_network.flits_per_packet"), 1, 0);
    bed_close(&b);
}

TEST(a_line_takes_5_3_3_and_2_flits_of_32_48_52_and_68_bytes)
{
    UNUSED_STATE;
    flits_of_replies("network.reply.flit_bytes=32", 5); /* 136 bytes with the header */
    flits_of_replies("network.reply.flit_bytes=48", 3);
    flits_of_replies("network.reply.flit_bytes=52", 3);
    flits_of_replies("network.reply.flit_bytes=68", 2);
}

static double read_latency(const char *const *sets)
{
    static const struct scripted_instruction code[] = {
        LOAD(1, 16 * MIB, .src0 = 1, .iteration_stride = 128)};
    struct bed b;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(code, 32, .iterations = 200);
    bed_launch(&b, &k);
    bed_run(&b);
    double latency = bed_stat(&b, "sm.l1.miss_latency");
    bed_close(&b);
    return latency;
}

static double cycles_of(const char *const *sets, u32 loads, u32 stores)
{
    struct synthetic_phase p = synthetic_phase_initial();
    p.mix.load = loads;
    p.mix.store = stores;
    p.mix.fp32 = 1;
    p.instructions = 128;
    p.access.random = 1;
    p.access.footprint_bytes = 512 * KIB; /* what the L2 holds: DRAM is not the limit */
    struct synthetic_kernel k = synthetic_kernel_initial();
    k.blocks = 90;
    k.registers_per_thread = 20;
    k.phases = &p;
    k.phase_count = 1;
    struct bed b;
    bed_open(&b, "fermi15", sets);
    bed_launch_synthetic(&b, &k, 1);
    bed_run(&b);
    double cycles = (double)b.gpu->records[0].ended;
    bed_close(&b);
    return cycles;
}

TEST(requests_of_16_bytes_a_flit_leave_reads_alone_and_slow_stores)
{
    UNUSED_STATE;
    const char *narrow[] = {"network.request.flit_bytes=16", NULL};
    /* a read request has 8 bytes: one flit either way */
    assert_near(read_latency(narrow), read_latency(NULL), 0);
    assert_near(cycles_of(narrow, 4, 0), cycles_of(NULL, 4, 0), 0);
    /* a line that is written has 136: 9 flits and not 5. Where requests are the limit it takes
     * up to 9/5 of the time. */
    double ratio = cycles_of(narrow, 0, 4) / cycles_of(NULL, 0, 4);
    print_message("# stores take %.2f of the time\n", ratio);
    assert_true(ratio > 1.3 && ratio <= 1.8 * 1.05);
}

/* ---- D5: the negative control
 * --------------------------------------------------------------------- */

TEST(four_times_everything_leaves_a_kernel_without_memory_as_it_is)
{
    UNUSED_STATE;
    struct synthetic_phase p = synthetic_phase_initial();
    p.mix.fp32 = 3;
    p.mix.integer = 1;
    p.instructions = 2048;
    struct synthetic_kernel k = synthetic_kernel_initial();
    k.blocks = 12;
    k.registers_per_thread = 20;
    k.phases = &p;
    k.phase_count = 1;
    const char *plain[] = {"sm.count=2", NULL};
    const char *scaled[] = {
        "sm.count=2", L1_SCALED, L2_SCALED, DRAM_SCALED, "l2.banks_per_channel=8", NULL};
    double cycles[2];
    for (u32 i = 0; i < 2; i++) {
        struct bed b;
        bed_open(&b, "fermi15", i ? scaled : plain);
        bed_launch_synthetic(&b, &k, 1);
        bed_run(&b);
        cycles[i] = (double)b.gpu->records[0].ended;
        bed_close(&b);
    }
    assert_near(cycles[1] / cycles[0], 1, 0.01);
}

RUN_TESTS(T(a_serialised_trace_has_the_same_hits_in_every_configuration),
          T(another_number_of_banks_leaves_the_sequence_of_l1_hits),
          T(another_index_function_changes_the_sequence_of_l1_hits),
          T(more_banks_leave_the_capacity_of_the_l2),
          T(a_line_takes_5_3_3_and_2_flits_of_32_48_52_and_68_bytes),
          T(requests_of_16_bytes_a_flit_leave_reads_alone_and_slow_stores),
          T(four_times_everything_leaves_a_kernel_without_memory_as_it_is))

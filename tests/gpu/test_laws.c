/* Check B3 of the bandwidth-and-ccn spec, conservation: what holds for any kernel on any chip. */
#include "gpu/random_kernel.h"

/* ---- a unit that looks at every queue in every core cycle ----------------------------------- */

struct referee {
    struct bed *bed;
    u64 looks;
    u32 fullest_port, fullest_l1_mshr, fullest_l2_mshr, fullest_lsu, fullest_access;
};

static u32 most(u32 a, u32 b)
{
    return a > b ? a : b;
}

static void look_at_sm(struct referee *r, const struct sm *sm)
{
    const struct sm_config *c = &sm->config->sm;
    assert_true(sm->l1.cache.mshr.in_use <= c->l1.mshrs);
    assert_true(sm->instruction.cache.mshr.in_use <= c->instruction.mshrs);
    assert_true(sm->constant.cache.mshr.in_use <= c->constant.mshrs);
    assert_true(sm->texture.cache.mshr.in_use <= c->texture.mshrs);
    assert_true(ring_count(&sm->lsu.buffer) <= c->lsu.buffer_entries);
    assert_true(sm->lsu.pending_count <= c->lsu.pending_instructions);
    assert_true(__builtin_popcountll(sm->used) <= (int)c->warps);
    r->fullest_l1_mshr = most(r->fullest_l1_mshr, sm->l1.cache.mshr.in_use);
    r->fullest_lsu = most(r->fullest_lsu, ring_count(&sm->lsu.buffer));
}

static void look_at_bank(struct referee *r, const struct bank *b)
{
    assert_true(b->cache.mshr.in_use <= b->config->mshrs);
    assert_true(ring_count(&b->access) <= b->config->access_entries);
    assert_true(timed_count(&b->pipe) <= b->pipe_latency + 2);
    r->fullest_l2_mshr = most(r->fullest_l2_mshr, b->cache.mshr.in_use);
    r->fullest_access = most(r->fullest_access, ring_count(&b->access));
}

static cycle_t referee_tick(void *self, cycle_t now)
{
    struct referee *r = self;
    const struct gpu *g = r->bed->gpu;
    const struct engine *e = &r->bed->sim.engine;
    r->looks++;
    for (u32 i = 0; i < e->port_count; i++) {
        u32 count = port_count(e->ports[i]);
        assert_true(count <= e->ports[i]->capacity);
        if (count == e->ports[i]->capacity)
            r->fullest_port = most(r->fullest_port, count);
    }
    for (u32 i = 0; i < g->config->sm.count; i++)
        look_at_sm(r, &g->cluster.sms[i]);
    for (u32 i = 0; g->memory->banks && i < g->memory->bank_count; i++)
        look_at_bank(r, &g->memory->banks[i]);
    return dispatcher_is_idle(&g->cluster.dispatcher) && !pool_in_use(g->memory->requests)
               ? CYCLE_NEVER
               : now + 1;
}

static void open_with_referee(struct bed *b, struct referee *r, const char *chip,
                              const char *const *sets)
{
    struct engine_options options = {.watchdog_cycles = 1000000};
    bed_build(b, chip, sets, &options);
    *r = (struct referee){.bed = b};
    engine_add_unit(&b->sim.engine, b->gpu->cluster.core, "referee", referee_tick, r);
    engine_start(&b->sim.engine);
}

/* ---- after the last answer ------------------------------------------------------------------ */

static u32 reserved_lines(const struct tags *t)
{
    u32 count = 0;
    for (u32 i = 0; i < t->sets * t->ways; i++)
        count += t->lines[i].state == LINE_RESERVED;
    return count;
}

static void assert_drained(const struct bed *b)
{
    const struct gpu *g = b->gpu;
    for (u32 i = 0; i < b->sim.engine.port_count; i++) {
        const struct port *p = b->sim.engine.ports[i];
        assert_int_equal(port_count(p), 0);
        assert_int_equal(p->counts.pushed, p->counts.popped);
    }
    for (u32 i = 0; i < g->config->sm.count; i++) {
        const struct sm *sm = &g->cluster.sms[i];
        assert_int_equal(sm->used | sm->view.live | sm->issue.waits | sm->issue.fenced, 0);
        assert_int_equal(sm->l1.cache.mshr.in_use, 0);
        assert_int_equal(sm->instruction.cache.mshr.in_use, 0);
        assert_int_equal(sm->lsu.pending_count, 0);
        assert_true(ring_is_empty(&sm->lsu.buffer));
        assert_int_equal(reserved_lines(&sm->l1.cache.tags), 0);
    }
    for (u32 i = 0; g->memory->banks && i < g->memory->bank_count; i++) {
        assert_int_equal(g->memory->banks[i].cache.mshr.in_use, 0);
        assert_true(ring_is_empty(&g->memory->banks[i].access));
        assert_true(timed_is_empty(&g->memory->banks[i].pipe));
        assert_int_equal(reserved_lines(&g->memory->banks[i].cache.tags), 0);
    }
    assert_int_equal(pool_in_use(g->memory->requests), 0);
}

/* Requests of the SMs below L1 are what arrives at L2, and every one that wants an answer
 * gets one. */
static void assert_conserved(struct bed *b)
{
    double sent = bed_stat(b, "sm.l1.sent") + bed_stat(b, "sm.l1.writebacks");
    for (u32 i = 0; i < b->gpu->config->sm.count; i++)
        sent += (double)b->gpu->cluster.sms[i].ro_cache_miss.counts.pushed;
    assert_near(bed_stat(b, "l2.accesses"), sent, 0);
    assert_near(bed_stat(b, "request_network.packets"), sent, 0);
    assert_near(bed_stat(b, "reply_network.packets"), sent - bed_stat(b, "sm.l1.writebacks"), 0);
    assert_near(bed_stat(b, "l2.fills"), bed_stat(b, "dram.reads"), 0);
    assert_near(bed_stat(b, "l2.writebacks"), bed_stat(b, "dram.writes"), 0);
    /* every warp instruction was issued in a cycle that was charged so */
    double issued = 0;
    for (u32 i = 0; i < b->gpu->config->sm.count; i++)
        issued += (double)b->gpu->cluster.sms[i].counts.scheduler_slots[SLOT_ISSUED];
    assert_true(issued <= bed_stat(b, "sm.warp_instructions"));
    if (b->gpu->config->sm.issue_width == 1)
        assert_near(issued, bed_stat(b, "sm.warp_instructions"), 0);
}

static void random_kernels(const char *chip, const char *const *sets, u64 first, u64 count)
{
    for (u64 seed = first; seed < first + count; seed++) {
        struct bed b;
        struct referee r;
        open_with_referee(&b, &r, chip, sets);
        bed_launch_random(&b, seed);
        bed_launch_random(&b, seed + 1000);
        bed_run(&b);
        assert_true(r.looks > 100);
        assert_drained(&b);
        if (b.gpu->config->ideal.model == MEMORY_REAL)
            assert_conserved(&b);
        bed_close(&b);
    }
}

TEST(nothing_is_lost_and_no_queue_overflows_on_the_fermi_chip)
{
    UNUSED_STATE;
    random_kernels("fermi15", NULL, 1, 4);
}

TEST(nothing_is_lost_where_every_queue_is_as_small_as_can_be)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=4",
                          "sm.lsu.buffer_entries=1",
                          "sm.lsu.pending_instructions=2",
                          "sm.l1.mshrs=1",
                          "sm.l1.merge_limit=1",
                          "sm.l1.miss_entries=2",
                          "sm.l1.size_bytes=512",
                          "sm.instruction.mshrs=1",
                          "sm.instruction.merge_limit=1",
                          "network.output_entries=1",
                          "network.request.input_buffer_flits=1",
                          "network.reply.input_buffer_flits=1",
                          "l2.mshrs=1",
                          "l2.merge_limit=1",
                          "l2.access_entries=1",
                          "l2.miss_entries=2",
                          "l2.response_entries=1",
                          "l2.return_entries=1",
                          "l2.size_bytes=48KiB",
                          "dram.queue_entries=1",
                          "dram.return_entries=1",
                          NULL};
    random_kernels("fermi15", sets, 20, 3);
}

/* Volta's way: sectors, lines taken when the data comes, stores that update, sub-cores. */
static const char *const sectored[] = {"sm.count=6",
                                       "sm.schedulers=4",
                                       "sm.sub_cores=true",
                                       "sm.l1.sectored=true",
                                       "sm.l1.allocate=on_fill",
                                       "sm.l1.write_hit=update",
                                       "l2.sectored=true",
                                       "l2.write_miss=fetch_partial",
                                       "l2.hashed_channels=true",
                                       NULL};

TEST(nothing_is_lost_with_sectors_and_allocation_on_fill)
{
    UNUSED_STATE;
    random_kernels("fermi15", sectored, 40, 5);
}

TEST(nothing_is_lost_with_sectors_and_allocation_on_miss)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=4",       "sm.l1.sectored=true", "l2.sectored=true",
                          "sm.issue_width=2", "l2.gated=true",       NULL};
    random_kernels("fermi15", sets, 60, 4);
}

TEST(nothing_is_lost_with_an_ideal_memory)
{
    UNUSED_STATE;
    const char *infinite[] = {"ideal.model=infinite", "sm.count=4", NULL};
    const char *none[] = {"ideal.model=fixed", "sm.count=4", NULL};
    const char *slow[] = {"ideal.model=fixed", "ideal.fixed_cycles=700", "sm.count=4", NULL};
    const char *fixed[] = {"dram.model=fixed", "sm.count=4", NULL};
    random_kernels("fermi15", infinite, 80, 3);
    random_kernels("fermi15", none, 80, 3);
    random_kernels("fermi15", slow, 80, 3);
    random_kernels("fermi15", fixed, 80, 3);
}

TEST(nothing_is_lost_on_a_volta_chip)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=8", "dram.channels=4", "l2.size_bytes=768KiB", NULL};
    random_kernels("volta80", sets, 100, 4);
}

TEST(nothing_is_lost_where_the_l1_caches_answer_each_other)
{
    UNUSED_STATE;
    const char *small[] = {"sm.count=6",
                           "sm.l1.mshrs=3",
                           "sm.l1.miss_entries=2",
                           "sm.l1.size_bytes=1024",
                           "ccn.buffer_entries=1",
                           "ccn.request_entries=2",
                           "ccn.response_entries=1",
                           "ccn.link_cycles=4",
                           NULL};
    const char *on_fill[] = {"sm.l1.allocate=on_fill", "sm.l1.flush_at_kernel_end=true",
                             "ccn.response_direction=same", "ideal.model=infinite", NULL};
    random_kernels("fermi15-ccn", NULL, 120, 3);
    random_kernels("fermi15-ccn", small, 120, 4);
    random_kernels("fermi15-ccn", on_fill, 120, 3);
    random_kernels("fermi15-ccn-ideal", NULL, 120, 3);
}

/* The referee must be able to see a full queue. */
TEST(the_limits_that_no_queue_exceeds_are_reached)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.l1.mshrs=4", "l2.mshrs=4", NULL};
    struct bed b;
    struct referee r;
    open_with_referee(&b, &r, "fermi15", sets);
    struct synthetic_phase p = synthetic_phase_initial();
    p.mix.load = p.mix.store = 1;
    p.access.stream = 1;
    p.access.requests_per_load = 4;
    p.instructions = 32;
    struct synthetic_kernel k = synthetic_kernel_initial();
    k.phases = &p;
    k.phase_count = 1;
    bed_launch_synthetic(&b, &k, 1);
    bed_run(&b);
    assert_int_equal(r.fullest_l1_mshr, 4);
    assert_int_equal(r.fullest_l2_mshr, 4);
    assert_int_equal(r.fullest_lsu, 10);
    assert_int_equal(r.fullest_access, 8);
    assert_true(r.fullest_port >= 2); /* where packets leave a network */
    bed_close(&b);
}

RUN_TESTS(T(nothing_is_lost_and_no_queue_overflows_on_the_fermi_chip),
          T(nothing_is_lost_where_every_queue_is_as_small_as_can_be),
          T(nothing_is_lost_with_sectors_and_allocation_on_fill),
          T(nothing_is_lost_with_sectors_and_allocation_on_miss),
          T(nothing_is_lost_with_an_ideal_memory), T(nothing_is_lost_on_a_volta_chip),
          T(nothing_is_lost_where_the_l1_caches_answer_each_other),
          T(the_limits_that_no_queue_exceeds_are_reached))

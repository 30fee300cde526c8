/* The Cooperative Caching Network: checks C1 to C6 and C8 of the bandwidth-and-ccn spec, section 6.
 */
#include "ccn/bed.h"

/* ---- C2: exact cycles ----------------------------------------------------------------------- */

/* When a request was first seen in each place; cycles from the miss. */
struct trace {
    u32 owner;
    cycle_t buffer, home, at_owner, response, back, fill;
    u64 fills_before;
};

static void mark(cycle_t *at, bool seen, cycle_t now)
{
    if (seen && *at == CYCLE_NEVER)
        *at = now;
}

static void trace_look(struct observer *o, cycle_t now)
{
    struct trace *t = o->context;
    const struct ccn *c = &o->gpu->cluster.ccn;
    mark(&t->buffer, port_count(&c->nodes[0].buffer), now);
    if (t->buffer == CYCLE_NEVER)
        return;
    u32 requests = ring_channel_count(&c->requests, 0);
    mark(&t->home, requests, now);
    mark(&t->at_owner, ring_channel_count(&c->requests, t->owner), now);
    mark(&t->response, ring_channel_count(&c->responses, t->owner), now);
    mark(&t->back, requests && ring_channel_is_back(&c->requests, 0), now);
    mark(&t->fill, o->gpu->cluster.sms[0].l1.counts.fills > t->fills_before, now);
}

/* Core 0 misses a line that only the owner has, or nobody if that is 0. */
static struct trace trace_miss(const char *chip, const char *const *sets, u32 owner)
{
    struct trace t = {.owner = owner,
                      .buffer = CYCLE_NEVER,
                      .home = CYCLE_NEVER,
                      .at_owner = CYCLE_NEVER,
                      .response = CYCLE_NEVER,
                      .back = CYCLE_NEVER,
                      .fill = CYCLE_NEVER};
    struct observer o = {.context = &t};
    struct bed b;
    ccn_open(&b, &o, chip, sets);
    if (owner)
        load_line_on(&b, owner, 0x10000);
    t.fills_before = b.gpu->cluster.sms[0].l1.counts.fills;
    o.look = trace_look;
    load_line_on(&b, 0, 0x10000);
    if (owner) {
        assert_int_equal(count_of(&b, "sm0.ccn.remote_hits"), 1);
        assert_int_equal(count_of(&b, "sm0.ccn.reuse_cycles"), t.fill - t.buffer);
        assert_int_equal(count_of(&b, "sm0.ccn.buffer_cycles"), 1);
        assert_int_equal(count_of(&b, "sm0.ccn.response_cycles"), t.fill - t.response);
    }
    bed_close(&b);
    return t;
}

/* Spec S16, figure 4.5 of the thesis. */
TEST(a_miss_whose_neighbour_has_the_line_is_filled_at_8)
{
    UNUSED_STATE;
    struct trace t = trace_miss("fermi15-ccn", NULL, 1);
    assert_int_equal(t.home - t.buffer, 1);
    assert_int_equal(t.at_owner - t.buffer, 2);
    assert_int_equal(t.response - t.buffer, 3);
    assert_int_equal(t.fill - t.buffer, 8);
}

/* l_reuse = 3 + n (2v + 3); with cut-through 6 + 2 n v (spec S15). */
TEST(a_hit_takes_what_distance_and_link_latency_say)
{
    UNUSED_STATE;
    static const u32 distances[] = {1, 2, 5, 14}, links[] = {1, 3, 5};
    for (u32 i = 0; i < ARRAY_LEN(distances); i++) {
        for (u32 k = 0; k < ARRAY_LEN(links); k++) {
            char link[64];
            snprintf(link, sizeof link, "ccn.link_cycles=%u", links[k]);
            const char *whole[] = {link, NULL}, *cut[] = {link, "ccn.cut_through=true", NULL};
            u32 n = distances[i], v = links[k];
            struct trace t = trace_miss("fermi15-ccn", whole, n);
            assert_int_equal(t.fill - t.buffer, 3 + n * (2 * v + 3));
            t = trace_miss("fermi15-ccn", cut, n);
            assert_int_equal(t.fill - t.buffer, 6 + 2 * n * v);
        }
    }
}

TEST(a_request_that_nobody_answers_is_back_after_1_plus_15_hops)
{
    UNUSED_STATE;
    const char *slow[] = {"ccn.link_cycles=5", NULL};
    struct trace t = trace_miss("fermi15-ccn", NULL, 0);
    assert_int_equal(t.back - t.buffer, 1 + 15);
    /* its place in the queue is held from the start of the last hop on, 5 cycles earlier */
    t = trace_miss("fermi15-ccn", slow, 0);
    assert_int_equal(t.back - t.buffer, 1 + 15 * 5 - 4);
}

static double mean_hops(const char *direction)
{
    const char *sets[] = {direction, NULL};
    struct observer o = {0};
    struct bed b;
    ccn_open(&b, &o, "fermi15-ccn", sets);
    chain_run(&b, &plain_chain);
    assert_true(count_of(&b, "sm.ccn.remote_hits") > 500);
    double hops = bed_stat(&b, "sm.ccn.hops_per_hit");
    bed_close(&b);
    return hops;
}

TEST(responses_in_the_same_direction_make_it_15_hops_for_every_hit)
{
    UNUSED_STATE;
    assert_near(mean_hops("ccn.response_direction=same"), 15, 0);
    double opposite = mean_hops("ccn.response_direction=opposite");
    assert_true(opposite >= 2 && opposite < 15);
}

/* ---- C1, C3, C4 -------------------------------------------------------------------------------
 */

/* Everything else that the ring's chip file says is there: with mode none it does nothing. */
TEST(a_ring_that_is_off_changes_no_cycle_and_no_traffic)
{
    UNUSED_STATE;
    static const char *const off[] = {"ccn.mode=none", "ccn.link_cycles=5",
                                      "ccn.throttle.enabled=true", NULL};
    static const char *const names[] = {"sm.l1.misses", "sm.l1.hits", "sm.l1.latency_cycles",
                                        "l2.loads",     "sm.l1.sent", "dram.bytes_read"};
    struct observer o = {0};
    struct bed base, with;
    ccn_open(&base, &o, "fermi15", NULL);
    cycle_t cycles = chain_run(&base, &plain_chain);
    ccn_open(&with, &o, "fermi15-ccn", off);
    assert_int_equal(chain_run(&with, &plain_chain), cycles);
    for (u32 i = 0; i < ARRAY_LEN(names); i++)
        assert_int_equal(count_of(&with, names[i]), count_of(&base, names[i]));
    bed_close(&base);
    bed_close(&with);
}

TEST(lines_that_no_other_sm_has_are_never_found)
{
    UNUSED_STATE;
    struct chain own = plain_chain;
    struct observer o = {0};
    struct bed b;
    own.count = 0;
    ccn_open(&b, &o, "fermi15-ccn", NULL);
    chain_run(&b, &own);
    assert_int_equal(count_of(&b, "sm.ccn.remote_hits"), 0);
    assert_true(count_of(&b, "sm.ccn.injected") > 0);
    assert_int_equal(count_of(&b, "sm.ccn.returned"), count_of(&b, "sm.ccn.injected"));
    bed_close(&b);
}

/* One request goes to each of the 14 others, and its own SM does not look. */
TEST(a_request_is_looked_up_once_in_every_other_sm_and_not_in_its_own)
{
    UNUSED_STATE;
    struct observer o = {0};
    struct bed b;
    ccn_open(&b, &o, "fermi15-ccn", NULL);
    load_line_on(&b, 4, 0x10000);
    assert_int_equal(count_of(&b, "sm.ccn.probes"), 14);
    assert_int_equal(count_of(&b, "sm4.ccn.probes"), 0);
    assert_int_equal(count_of(&b, "sm4.ccn.failed_hops"), 15);
    bed_close(&b);
}

TEST(in_every_cycle_shadow_tags_are_the_tags_and_no_request_goes_round_twice)
{
    UNUSED_STATE;
    static const char *const small[] = {"ccn.buffer_entries=1", "ccn.request_entries=2",
                                        "ccn.response_entries=1", NULL};
    static const char *const emptied[] = {"sm.l1.flush_at_kernel_end=true",
                                          "sm.l1.allocate=on_fill", NULL};
    static const char *const *const variants[] = {NULL, small, emptied};
    for (u32 i = 0; i < ARRAY_LEN(variants); i++) {
        struct chain c = plain_chain;
        struct observer o = {.compares = true};
        struct bed b;
        c.warps = 32;
        c.iterations = 20;
        c.count = 8;
        ccn_open(&b, &o, "fermi15-ccn", variants[i]);
        chain_run(&b, &c);
        /* stores invalidate lines that others may have */
        struct scripted_instruction stores[] = {STORE(CHAIN_BASE, .warp_stride = LINE),
                                                LOAD(1, CHAIN_BASE, .warp_stride = LINE)};
        struct scripted_kernel k = KERNEL(stores, 512, .blocks = 30, .iterations = 3);
        bed_launch(&b, &k);
        bed_run(&b);
        assert_true(count_of(&b, "sm.l1.store_hits") > 0);
        assert_false(o.torn);
        assert_true(o.most_hops <= 15 + 15); /* there and back */
        u64 injected = count_of(&b, "sm.ccn.injected");
        assert_true(count_of(&b, "sm.ccn.probes") <= 14 * injected);
        assert_int_equal(count_of(&b, "sm.l1.misses"), injected + count_of(&b, "sm.ccn.deflected"));
        bed_close(&b);
    }
}

TEST(two_sms_that_miss_the_same_line_at_once_both_go_to_l2)
{
    UNUSED_STATE;
    const struct scripted_instruction code[] = {LOAD(1, 0x10000), ALU(2, 1)};
    struct observer o = {0};
    struct bed b;
    ccn_open(&b, &o, "fermi15-ccn", NULL);
    struct scripted_kernel k = KERNEL(code, 32, .blocks = 2);
    bed_launch(&b, &k);
    bed_run(&b);
    assert_int_equal(count_of(&b, "sm.ccn.injected"), 2);
    assert_int_equal(count_of(&b, "sm.ccn.remote_hits"), 0);
    assert_int_equal(count_of(&b, "l2.loads"), 2);
    bed_close(&b);
}

/* A line that its owner has overwritten is not given any more. */
TEST(a_store_takes_the_line_out_of_the_shadow_tags)
{
    UNUSED_STATE;
    const struct scripted_instruction code[] = {LOAD(1, 0x10000), ALU(2, 1), STORE(0x10000)};
    struct observer o = {0};
    struct bed b;
    ccn_open(&b, &o, "fermi15-ccn", NULL);
    run_on(&b, 1, KERNEL(code, 32));
    load_line_on(&b, 0, 0x10000);
    assert_int_equal(count_of(&b, "sm.ccn.remote_hits"), 0);
    bed_close(&b);
}

/* ---- C5: overload ------------------------------------------------------------------------------
 */

static u64 flood(const char *const *sets)
{
    struct chain c = plain_chain;
    struct observer o = {0};
    struct bed b;
    c.warps = 32;
    c.lag = 1;
    c.iterations = 40;
    ccn_open(&b, &o, "fermi15-ccn", sets);
    chain_warm_l2(&b, &c);
    chain_run(&b, &c); /* bed_run fails on a hang */
    u64 deflected = count_of(&b, "sm.ccn.deflected");
    bed_close(&b);
    return deflected;
}

TEST(a_flooded_ring_with_one_response_per_node_and_slow_links_goes_on_and_deflects_more)
{
    UNUSED_STATE;
    const char *tight[] = {"ccn.response_entries=1", "ccn.link_cycles=5", NULL};
    const char *tightest[] = {"ccn.response_entries=1", "ccn.request_entries=2",
                              "ccn.link_cycles=5", "ccn.response_bytes=8", NULL};
    u64 plain = flood(NULL), more = flood(tight);
    print_message("# %llu and %llu deflected\n", (unsigned long long)plain,
                  (unsigned long long)more);
    assert_true(more > plain);
    assert_true(flood(tightest) > more);
}

/* ---- C6: what others cost
 * ------------------------------------------------------------------------ */

/* SM 3 hits its L1 in every cycle, while SM 0 asks the ring for lines of its own, or for SM 3's:
 * the cycles that SM 3 takes. */
enum disturbance { ALONE, MISSES_PASS, HITS };

static cycle_t cycles_of_sm3(enum disturbance d, const char *shadow)
{
    const char *sets[] = {shadow, "sm.l1.hit_cycles=1", NULL};
    struct observer o = {0};
    struct bed b;
    ccn_open(&b, &o, "fermi15-ccn", sets);
    const struct scripted_instruction first[] = {LOAD(1, 0x10000, .warp_stride = LINE), ALU(2, 1)};
    const struct scripted_instruction again[] = {LOAD(1, 0x10000, .warp_stride = LINE)};
    const struct scripted_instruction asks[] = {
        LOAD(1, d == HITS ? 0x10000 : 0x900000, .warp_stride = LINE, .src0 = 1),
        /* out of L1 again, past it */
        STORE(d == HITS ? 0x10000 : 0x900000, .warp_stride = LINE)};
    const struct scripted_instruction nothing[] = {EXIT()};
    run_on(&b, 3, KERNEL(first, 512));
    run_on(&b, 3, KERNEL(again, 512, .iterations = 4)); /* code and lines are there */
    struct scripted_kernel on_0 = KERNEL(asks, 512, .iterations = 200, .stream = 1);
    struct scripted_kernel none = KERNEL(nothing, 32, .stream = 2);
    struct scripted_kernel on_3 = KERNEL(again, 512, .iterations = 100, .stream = 5);
    launch_on(&b, 0, d == ALONE ? none : on_0);
    for (u32 sm = 1; sm < 3; sm++) { /* the next launch goes to the next SM */
        none.stream = sm + 2;
        bed_launch(&b, &none);
    }
    on_3.name = "measured";
    bed_launch(&b, &on_3);
    bed_run(&b);
    cycle_t cycles = 0;
    for (u32 i = 0; i < b.gpu->record_count; i++) {
        const struct kernel_record *r = &b.gpu->records[i];
        cycles = strcmp(r->name, "measured") == 0 ? r->ended - r->started : cycles;
    }
    bed_close(&b);
    return cycles;
}

TEST(with_shadow_tags_only_remote_hits_cost_their_owner_cycles)
{
    UNUSED_STATE;
    cycle_t alone = cycles_of_sm3(ALONE, "ccn.shadow_tags=true");
    assert_int_equal(cycles_of_sm3(MISSES_PASS, "ccn.shadow_tags=true"), alone);
    assert_true(cycles_of_sm3(MISSES_PASS, "ccn.shadow_tags=false") > alone);
    assert_true(cycles_of_sm3(HITS, "ccn.shadow_tags=true") > alone);
}

/* ---- C8: what never goes on the ring
 * ------------------------------------------------------------------ */

TEST(loads_past_l1_stores_and_atomics_never_go_on_the_ring)
{
    UNUSED_STATE;
    const struct scripted_instruction code[] = {
        LOAD(1, 0x10000, .cache_operator = CACHE_GLOBAL, .warp_stride = LINE),
        STORE(0x20000, .warp_stride = LINE),
        {.kind = WINST_ATOMIC,
         .unit = UNIT_MEMORY,
         .dst = 2,
         .space = SPACE_GLOBAL,
         .bytes = 4,
         .base = 0x30000}};
    struct observer o = {0};
    struct bed b;
    ccn_open(&b, &o, "fermi15-ccn", NULL);
    struct scripted_kernel k = KERNEL(code, 128, .blocks = 15, .iterations = 5);
    bed_launch(&b, &k);
    bed_run(&b);
    assert_int_equal(count_of(&b, "sm.ccn.injected"), 0);
    assert_true(count_of(&b, "sm.l1.sent") > 0);
    bed_close(&b);
}

/* A second miss of the same line waits for the first. */
TEST(misses_that_merge_make_one_request)
{
    UNUSED_STATE;
    const struct scripted_instruction code[] = {LOAD(1, 0x10000)};
    struct observer o = {0};
    struct bed b;
    ccn_open(&b, &o, "fermi15-ccn", NULL);
    run_on(&b, 0, KERNEL(code, 128));
    assert_int_equal(count_of(&b, "sm.l1.merges"), 3);
    assert_int_equal(count_of(&b, "sm.ccn.injected"), 1);
    bed_close(&b);
}

RUN_TESTS(T(a_miss_whose_neighbour_has_the_line_is_filled_at_8),
          T(a_hit_takes_what_distance_and_link_latency_say),
          T(a_request_that_nobody_answers_is_back_after_1_plus_15_hops),
          T(responses_in_the_same_direction_make_it_15_hops_for_every_hit),
          T(a_ring_that_is_off_changes_no_cycle_and_no_traffic),
          T(lines_that_no_other_sm_has_are_never_found),
          T(a_request_is_looked_up_once_in_every_other_sm_and_not_in_its_own),
          T(in_every_cycle_shadow_tags_are_the_tags_and_no_request_goes_round_twice),
          T(two_sms_that_miss_the_same_line_at_once_both_go_to_l2),
          T(a_store_takes_the_line_out_of_the_shadow_tags),
          T(a_flooded_ring_with_one_response_per_node_and_slow_links_goes_on_and_deflects_more),
          T(with_shadow_tags_only_remote_hits_cost_their_owner_cycles),
          T(loads_past_l1_stores_and_atomics_never_go_on_the_ring),
          T(misses_that_merge_make_one_request))

/* Random loads over rings of L1s with the smallest queues: everything ends, and is accounted for
 * (bandwidth-and-ccn spec S15, deadlock; checks C3 and C5). */
#include "ccn/bed.h"

#include "base/rng.h"

#define SEEDS 60u
#define LOADS 24u

/* One of low .. high, of this seed's draws. */
static u32 draw(u64 seed, u32 which, u32 low, u32 high)
{
    return low + (u32)(rng_at(seed, which) % (high - low + 1));
}

struct setup {
    char text[8][64];
    const char *sets[9];
    u32 count;
    struct pool_kernel shared, own;
};

static void add(struct setup *s, const char *name, u32 value)
{
    snprintf(s->text[s->count], sizeof s->text[0], "%s=%u", name, value);
    s->sets[s->count] = s->text[s->count];
    s->count++;
}

static void make(struct setup *s, u64 seed)
{
    *s = (struct setup){0};
    add(s, "ccn.buffer_entries", draw(seed, 0, 1, 3));
    add(s, "ccn.request_entries", draw(seed, 1, 2, 4));
    add(s, "ccn.response_entries", draw(seed, 2, 1, 2));
    add(s, "ccn.link_cycles", draw(seed, 3, 1, 5));
    add(s, "ccn.response_bytes", 1u << draw(seed, 4, 3, 7)); /* a line in 16 to 1 cycles */
    add(s, "sm.l1.miss_entries", draw(seed, 5, 2, 8));
    add(s, "sm.count", draw(seed, 6, 2, 15));
    s->sets[s->count++] =
        draw(seed, 7, 0, 1) ? "ccn.response_direction=same" : "ccn.cut_through=true";
    u32 sms = draw(seed, 6, 2, 15), warps = draw(seed, 8, 1, 16);
    s->shared = (struct pool_kernel){.sms = sms,
                                     .warps = warps,
                                     .loads = LOADS,
                                     .footprint_bytes = (u64)16 * KIB << draw(seed, 9, 0, 4),
                                     .stream = 1};
    s->own = (struct pool_kernel){.sms = sms, .warps = warps, .loads = LOADS, .stream = 2};
}

static void check_end(struct bed *b, const struct setup *s, u64 *hits, u64 *deflected)
{
    const struct ccn *c = &b->gpu->cluster.ccn;
    u64 injected = count_of(b, "sm.ccn.injected");
    assert_int_equal(count_of(b, "sm.ccn.remote_hits") + count_of(b, "sm.ccn.returned"), injected);
    assert_int_equal(count_of(b, "sm.l1.misses"), injected + count_of(b, "sm.ccn.deflected"));
    assert_int_equal(count_of(b, "ring.injected"), injected);
    assert_int_equal(c->requests.occupied | c->responses.occupied | c->offered, 0);
    assert_int_equal(c->requests.unused_count, c->requests.nodes * c->requests.entries);
    assert_int_equal(c->responses.unused_count, c->responses.nodes * c->responses.entries);
    /* a request that comes back has been looked up in all others, one that is answered in n */
    assert_true(count_of(b, "sm.ccn.probes") <= injected * (s->shared.sms - 1));
    assert_true(count_of(b, "sm.ccn.probes") >=
                count_of(b, "sm.ccn.returned") * (s->shared.sms - 1));
    *hits += count_of(b, "sm.ccn.remote_hits");
    *deflected += count_of(b, "sm.ccn.deflected");
}

/* What is seen of the request ring from cycle to cycle. */
struct watch {
    bool full;                  /* at all nodes at once */
    u64 waits, again;           /* cycles in which a head stood still: one that was back, another */
    u64 seen;                   /* nodes whose head could be looked at in this cycle */
    u32 heads[RING_MOST_NODES]; /* those */
};

static void look_at_requests(struct observer *o, cycle_t now)
{
    struct watch *w = o->context;
    const struct ring_channel *r = &o->gpu->cluster.ccn.requests;
    /* what an injection leaves free stays free somewhere */
    w->full |= r->full == r->all;
    for (u32 node = 0; node < r->nodes; node++) {
        u64 bit = (u64)1 << node, seen = w->seen & bit;
        w->seen &= ~bit;
        if (!(r->occupied & bit) || r->fresh & bit)
            continue; /* where it came in it is not looked up */
        const struct ring_entry *e = ring_channel_head(r, node);
        if (seen && w->heads[node] == e->value)
            *(e->home == node ? &w->waits : &w->again) += 1;
        w->heads[node] = e->value;
        w->seen |= e->at <= now + 1 ? bit : 0;
    }
}

TEST(random_loads_over_rings_with_the_smallest_queues_all_end_once)
{
    UNUSED_STATE;
    u64 hits = 0, deflected = 0, waits = 0;
    for (u64 seed = 0; seed < SEEDS; seed++) {
        struct setup s;
        struct watch w = {0};
        struct observer o = {.compares = seed % 8 == 0, .look = look_at_requests, .context = &w};
        struct bed b;
        make(&s, seed);
        ccn_open(&b, &o, "fermi15-ccn", s.sets);
        b.gpu->cluster.dispatcher.next_sm[0] = 0;
        pool_launch(&b, &s.shared, seed);
        if (seed % 2)
            pool_launch(&b, &s.own, seed);
        bed_run(&b); /* fails when nothing moves for 100,000 cycles */
        check_end(&b, &s, &hits, &deflected);
        assert_false(o.torn);
        assert_false(w.full);
        assert_int_equal(count_of(&b, "sm.ccn.wait_below_cycles"), w.waits);
        assert_int_equal(count_of(&b, "sm.ccn.lookups") - count_of(&b, "sm.ccn.probes"), w.again);
        waits += w.waits;
        assert_true(o.most_hops < 2 * s.shared.sms);
        bed_close(&b);
    }
    print_message("# %u rings, %llu hits, %llu deflected, %llu cycles before a miss queue\n", SEEDS,
                  (unsigned long long)hits, (unsigned long long)deflected,
                  (unsigned long long)waits);
    /* they did meet, and were overloaded */
    assert_true(hits > 1000 && deflected > 1000 && waits > 1000);
}

RUN_TESTS(T(random_loads_over_rings_with_the_smallest_queues_all_end_once))

/* The network of a fixed latency, through the same interface as the crossbar. */
#include "testing.h"

#include "net/bed.h"

static void to_0(const struct bed_producer *p, u32 n, struct request *r)
{
    (void)p, (void)n;
    r->to = 0;
}

static void anywhere(const struct bed_producer *p, u32 n, struct request *r)
{
    r->to = (u16)(rng_at(p->bed->setup.seed ^ (u64)(p->input * 8 + p->source + 1) << 32, n) %
                  p->bed->setup.outputs);
}

static void run(struct bed *b)
{
    assert_int_equal(engine_run(&b->sim.engine), ENGINE_STOPPED);
    struct err err = ERR_INIT;
    assert_true(stats_check_laws(&b->sim.stats, &err));
    assert_int_equal(b->fixed.counts.packets, b->arrived);
}

/* Pushed in cycle 0, taken into the network in 1, in the output's port 20 later, seen there in the
 * cycle after: 22. */
TEST(a_lone_packet_takes_the_cycles_it_is_told_to)
{
    UNUSED_STATE;
    struct bed *b = bed_create(&(struct bed_setup){.fixed = {20, 1, 64},
                                                   .inputs = 3,
                                                   .sources = 1,
                                                   .outputs = 2,
                                                   .packets = 1,
                                                   .packet = to_0});
    run(b);
    assert_int_equal(b->log[0].cycle, 22);
    /* one a cycle enters, in turn */
    assert_int_equal(b->log[1].cycle, 23);
    assert_int_equal(b->log[2].cycle, 24);
    for (u32 i = 0; i < 3; i++)
        assert_int_equal(b->log[i].input, i);
    assert_int_equal(b->fixed.counts.latency_cycles, 3 * 20);
    bed_destroy(b);
}

/* In cycle 0 all three units tick; the network does in 1 and 21, the consumer in 22. */
TEST(an_idle_network_ticks_once_for_what_enters_and_once_for_what_leaves)
{
    UNUSED_STATE;
    struct bed *b = bed_create(&(struct bed_setup){.fixed = {20, 1, 64},
                                                   .inputs = 1,
                                                   .sources = 1,
                                                   .outputs = 1,
                                                   .packets = 1,
                                                   .packet = to_0});
    run(b);
    assert_int_equal(b->log[0].cycle, 22);
    assert_int_equal(b->sim.engine.ticks, 3 + 2 + 1);
    bed_destroy(b);
}

TEST(no_more_enter_per_cycle_than_it_is_told)
{
    UNUSED_STATE;
    for (u32 width = 1; width <= 4; width++) {
        struct bed *b = bed_create(&(struct bed_setup){.fixed = {5, width, 64},
                                                       .inputs = 8,
                                                       .sources = 2,
                                                       .outputs = 8,
                                                       .packets = 100,
                                                       .packet = anywhere,
                                                       .output_room = 16,
                                                       .seed = width});
        run(b);
        u32 all = 8 * 2 * 100;
        /* the first comes in cycle 7; then `width` a cycle */
        assert_in_range(b->log[all - 1].cycle, 7 + all / width - 1, 7 + all / width + 12);
        bed_destroy(b);
    }
}

TEST(packets_wait_in_order_for_a_consumer_that_takes_none_and_none_is_lost)
{
    UNUSED_STATE;
    struct bed *b = bed_create(&(struct bed_setup){.fixed = {3, 2, 4},
                                                   .inputs = 2,
                                                   .sources = 1,
                                                   .outputs = 1,
                                                   .packets = 50,
                                                   .packet = to_0,
                                                   .output_room = 2,
                                                   .taken_from = 200});
    run(b);
    u32 next[2] = {0};
    for (u32 i = 0; i < b->arrived; i++)
        assert_int_equal(b->log[i].number, next[b->log[i].input]++);
    assert_int_equal(b->arrived, 100);
    assert_true(b->log[0].cycle == 200);
    bed_destroy(b);
}

static void compare(const struct bed_setup *one, const struct bed_setup *other)
{
    struct bed *a = bed_create(one), *b = bed_create(other);
    run(a);
    run(b);
    assert_int_equal(a->arrived, b->arrived);
    assert_memory_equal(a->log, b->log, a->arrived * sizeof a->log[0]);
    assert_memory_equal(&a->fixed.counts, &b->fixed.counts, sizeof a->fixed.counts);
    bed_destroy(a);
    bed_destroy(b);
}

TEST(sleeping_changes_nothing)
{
    UNUSED_STATE;
    for (u64 seed = 1; seed <= 40; seed++) {
        struct bed_setup s = {.fixed = {1 + (u32)seed % 7, 1 + (u32)seed % 3, 1 + (u32)seed % 5},
                              .inputs = 4,
                              .sources = 2,
                              .outputs = 3,
                              .packets = 60,
                              .packet = anywhere,
                              .percent_sent = seed % 2 ? 20 : 0,
                              .percent_taken = seed % 3 ? 40 : 0,
                              .network_hz = seed % 4 ? 0 : 700000000,
                              .seed = seed};
        struct bed_setup every = s;
        every.no_skip = true;
        compare(&s, &every);
    }
}

RUN_TESTS(T(a_lone_packet_takes_the_cycles_it_is_told_to),
          T(an_idle_network_ticks_once_for_what_enters_and_once_for_what_leaves),
          T(no_more_enter_per_cycle_than_it_is_told),
          T(packets_wait_in_order_for_a_consumer_that_takes_none_and_none_is_lost),
          T(sleeping_changes_nothing))

/* Links between sockets: cycles by hand, lanes that turn, nothing lost. */
#include "testing.h"

#include "net/bed.h"

/* The links of the NUMA-aware GPU, static: 8 lanes of 8 bytes each way, 128 cycles. */
#define LINKS                                                                                      \
    {                                                                                              \
        .lanes = 8, .lane_bytes = 8, .cycles = 128, .entries = 64, .sample_cycles = 5000,          \
        .switch_cycles = 100, .saturation = 0.99                                                   \
    }

static const struct link_config dynamic = {.lanes = 8,
                                           .lane_bytes = 8,
                                           .cycles = 128,
                                           .entries = 64,
                                           .sample_cycles = 5000,
                                           .switch_cycles = 100,
                                           .saturation = 0.99,
                                           .dynamic = true};

/* A class is a source of an input. */
static u16 to_socket(const struct bed_producer *p, u32 socket)
{
    return (u16)(socket * 2 + p->source);
}

/* Whole lines: 136 bytes, 17 cycles of a lane. */
static void line_to_0(const struct bed_producer *p, u32 n, struct request *r)
{
    (void)n;
    bed_make_reply(r);
    r->to = to_socket(p, 0);
}

static void line_to_next(const struct bed_producer *p, u32 n, struct request *r)
{
    (void)n;
    bed_make_reply(r);
    r->to = to_socket(p, (p->input + 1) % p->bed->setup.inputs);
}

/* Class 0 to socket 1, class 1 to socket 2. */
static void line_by_class(const struct bed_producer *p, u32 n, struct request *r)
{
    (void)n;
    bed_make_reply(r);
    r->to = to_socket(p, 1 + p->source);
}

static void anything_anywhere(const struct bed_producer *p, u32 n, struct request *r)
{
    u64 x = rng_at(p->bed->setup.seed ^ (u64)(p->input * 2 + p->source + 1) << 32, n);
    if (x & 1)
        bed_make_reply(r);
    r->to = to_socket(
        p, (u32)((p->input + 1 + (x >> 8) % (p->bed->setup.inputs - 1)) % p->bed->setup.inputs));
}

static u32 silent; /* sockets that send nothing */

static struct bed *four_sockets(struct link_config c, bed_packet *packet, u32 packets,
                                cycle_t limit)
{
    return bed_create(&(struct bed_setup){.link = c,
                                          .inputs = 4,
                                          .sources = 2,
                                          .outputs = 8,
                                          .source_room = 64,
                                          .output_room = 2048,
                                          .packets = packets,
                                          .packet = packet,
                                          .silent = silent,
                                          .limit = limit,
                                          .seed = 5});
}

static void settle(struct bed *b)
{
    struct err err = ERR_INIT;
    link_settle(&b->link, engine_cycle(&b->sim.engine, 1));
    if (b->arrived == 8 * b->setup.packets)
        assert_true(stats_check_laws(&b->sim.stats, &err));
}

static u32 lanes(struct bed *b, u32 socket, enum link_direction d)
{
    return link_lanes(&b->link, socket, d, engine_cycle(&b->sim.engine, 1));
}

/* Pushed in cycle 0, granted lanes in 1, its 17th beat in 17, 128 later in the port: 145, seen
 * there in 146. */
TEST(a_lone_line_takes_its_beats_and_the_latency)
{
    UNUSED_STATE;
    struct bed *b = bed_create(&(struct bed_setup){.link = LINKS,
                                                   .inputs = 2,
                                                   .sources = 1,
                                                   .outputs = 4,
                                                   .packets = 1,
                                                   .packet = line_to_next});
    assert_int_equal(engine_run(&b->sim.engine), ENGINE_STOPPED);
    assert_int_equal(b->log[0].cycle, 146);
    assert_int_equal(b->log[1].cycle, 146); /* the other way is another's */
    link_settle(&b->link, 200);
    assert_int_equal(b->link.socket[0].counts.bytes[LINK_EGRESS], 136);
    assert_int_equal(b->link.socket[0].counts.busy[LINK_EGRESS], 17);
    assert_int_equal(b->link.socket[0].counts.available[LINK_INGRESS], 200 * 8);
    bed_destroy(b);
}

/* 8 lanes a direction move 64 bytes a cycle: lines of 136 bytes, one every 17 / 8 cycles. */
TEST(a_direction_moves_its_lanes_bytes_a_cycle)
{
    UNUSED_STATE;
    struct bed *b = four_sockets((struct link_config)LINKS, line_to_next, UINT32_MAX, 20000);
    engine_run(&b->sim.engine);
    settle(b);
    for (u32 i = 0; i < 4; i++) {
        const struct link_counts *c = &b->link.socket[i].counts;
        assert_in_range(c->bytes[LINK_EGRESS], 20000 * 64 * 99 / 100, 20000 * 64 + 8 * 136);
        assert_int_equal(c->bytes[LINK_EGRESS], c->bytes[LINK_INGRESS]);
        assert_int_equal(c->turns, 0);
    }
    bed_destroy(b);
}

/* A source that could fill its link to either of two destinations: half of it for each. With a
 * second such source each of the four ways has half a link. */
TEST(a_source_serves_its_destinations_in_turn)
{
    UNUSED_STATE;
    static const u32 silents[] = {0xe, 0x6};
    for (u32 i = 0; i < 2; i++) {
        silent = silents[i];
        struct bed *b = four_sockets((struct link_config)LINKS, line_by_class, UINT32_MAX, 20000);
        silent = 0;
        engine_run(&b->sim.engine);
        settle(b);
        for (u32 source = 0; source < 4; source += 3) {
            const u64 *to = b->link.socket[source].counts.bytes_to;
            u64 half = source && !i ? 0 : 20000 * 32;
            assert_in_range(to[1], half * 99 / 100, half + 8 * 136);
            assert_in_range(to[2], half * 99 / 100, half + 8 * 136);
        }
        bed_destroy(b);
    }
}

TEST(all_that_enters_leaves_once_and_in_order)
{
    UNUSED_STATE;
    for (u32 turning = 0; turning < 2; turning++) {
        struct link_config c = dynamic;
        c.dynamic = turning;
        c.sample_cycles = 200;
        struct bed *b = four_sockets(c, anything_anywhere, 3000, 0);
        u32 next[4][2][8] = {0};
        assert_int_equal(engine_run(&b->sim.engine), ENGINE_STOPPED);
        settle(b);
        assert_int_equal(b->arrived, 4 * 2 * 3000);
        for (u32 i = 0; i < b->arrived; i++) {
            const struct bed_arrival *a = &b->log[i];
            assert_true(a->number >= next[a->input][a->source][a->output]);
            next[a->input][a->source][a->output] = a->number + 1;
        }
        bed_destroy(b);
    }
}

/* Three sockets send lines to socket 0 without end. */
static struct bed *all_to_one(struct link_config c, cycle_t cycles)
{
    silent = 1;
    struct bed *b = four_sockets(c, line_to_0, UINT32_MAX, cycles);
    silent = 0;
    engine_run(&b->sim.engine);
    settle(b);
    return b;
}

/* The first sample includes the ramp; from the second on one lane a sample. */
TEST(an_ingress_that_all_send_to_gets_15_lanes_and_never_more_than_their_bandwidth)
{
    UNUSED_STATE;
    struct bed *b = all_to_one(dynamic, 45500),
               *fixed = all_to_one((struct link_config)LINKS, 45500);
    assert_int_equal(lanes(b, 0, LINK_INGRESS), 15);
    assert_int_equal(lanes(b, 0, LINK_EGRESS), 1);
    assert_in_range(b->link.socket[0].counts.turns, 7, 7);
    for (u32 i = 1; i < 4; i++) { /* a third of a direction each */
        assert_int_equal(lanes(b, i, LINK_EGRESS), 8);
        assert_int_equal(b->link.socket[i].counts.turns, 0);
    }
    u64 more = b->link.socket[0].counts.bytes[LINK_INGRESS];
    u64 plain = fixed->link.socket[0].counts.bytes[LINK_INGRESS];
    assert_true(more > plain * 13 / 10);
    assert_true(more <= plain * 15 / 8);
    bed_destroy(b);
    bed_destroy(fixed);
}

TEST(senders_that_wait_are_saturated_where_a_waiting_lane_counts_as_busy)
{
    UNUSED_STATE;
    struct link_config c = dynamic;
    c.busy = LINK_OCCUPIED;
    struct bed *b = all_to_one(c, 60000), *other = all_to_one(dynamic, 60000);
    assert_int_equal(lanes(b, 0, LINK_INGRESS), 15);
    for (u32 i = 1; i < 4; i++)
        assert_int_equal(lanes(b, i, LINK_EGRESS), 15);
    u64 x = b->link.socket[0].counts.bytes[LINK_INGRESS];
    u64 y = other->link.socket[0].counts.bytes[LINK_INGRESS];
    assert_in_range(x, y * 98 / 100, y * 102 / 100);
    bed_destroy(b);
    bed_destroy(other);
}

TEST(directions_that_are_both_saturated_turn_nothing)
{
    UNUSED_STATE;
    struct bed *b = four_sockets(dynamic, line_to_next, 20000, 0);
    struct bed *fixed = four_sockets((struct link_config)LINKS, line_to_next, 20000, 0);
    engine_run(&b->sim.engine);
    engine_run(&fixed->sim.engine);
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(b->link.socket[i].counts.turns, 0);
    assert_int_equal(engine_cycle(&b->sim.engine, 1), engine_cycle(&fixed->sim.engine, 1));
    bed_destroy(b);
    bed_destroy(fixed);
}

/* All to socket 0 first, then around: both directions of every link are full, and it walks back. */
static void to_0_then_around(const struct bed_producer *p, u32 n, struct request *r)
{
    if (n < 4000)
        line_to_0(p, n, r);
    else
        line_to_next(p, n, r);
}

TEST(lanes_walk_back_to_equal_when_both_directions_are_saturated)
{
    UNUSED_STATE;
    struct bed *b = four_sockets(dynamic, to_0_then_around, UINT32_MAX, 300000);
    engine_run(&b->sim.engine);
    settle(b);
    assert_true(b->link.socket[0].counts.turns >= 8);
    assert_int_equal(lanes(b, 0, LINK_EGRESS), 8);
    assert_int_equal(lanes(b, 0, LINK_INGRESS), 8);
    bed_destroy(b);
}

TEST(a_reset_gives_each_direction_its_lanes_at_once_when_they_are_free)
{
    UNUSED_STATE;
    struct bed *b = all_to_one(dynamic, 45500);
    cycle_t now = engine_cycle(&b->sim.engine, 1);
    assert_int_equal(link_lanes(&b->link, 0, LINK_EGRESS, now), 1);
    link_reset(&b->link, now);
    /* seven lanes drain the packet that they have: 17 cycles at most */
    assert_int_equal(link_lanes(&b->link, 0, LINK_EGRESS, now + 17), 8);
    assert_int_equal(link_lanes(&b->link, 0, LINK_INGRESS, now + 17), 8);
    bed_destroy(b);
}

/* What was before the kernel decides nothing: a sample begins with it, in which only the packets on
 * their way, one of up to 17 cycles for each of 8 lanes, keep lanes busy. */
TEST(a_sample_begins_with_the_kernel)
{
    UNUSED_STATE;
    struct bed *b = all_to_one(dynamic, 4900);
    struct link_socket *s = &b->link.socket[0];
    cycle_t now = engine_cycle(&b->sim.engine, 1);
    u64 busy = s->counts.busy[LINK_INGRESS] + s->carried[LINK_INGRESS]; /* settled */
    assert_true(busy > 4000 * 8);
    link_reset(&b->link, now);
    assert_int_equal(b->link.sample, now + 5000);
    assert_in_range(s->busy[LINK_INGRESS], 1, 8 * 17);
    assert_int_equal(s->available[LINK_INGRESS], 0);
    assert_int_equal(s->counts.busy[LINK_INGRESS] + s->busy[LINK_INGRESS], busy); /* none is lost */
    bed_destroy(b);
}

/* Statistics that are read amid a sample have it, and change nothing of what it decides. */
TEST(who_reads_statistics_amid_a_sample_changes_no_decision)
{
    UNUSED_STATE;
    struct bed *b = all_to_one(dynamic, 4900);
    const struct link_socket *s = &b->link.socket[0];
    u64 busy = s->busy[LINK_INGRESS], told = s->counts.busy[LINK_INGRESS];
    assert_true(busy > 4000 * 8);
    assert_int_equal(told, busy);
    assert_int_equal(s->available[LINK_INGRESS], engine_cycle(&b->sim.engine, 1) * 8);
    settle(b); /* once more */
    assert_int_equal(s->busy[LINK_INGRESS], busy);
    assert_int_equal(s->counts.busy[LINK_INGRESS], told);
    bed_destroy(b);
}

/* Nothing flows for samples on end, and then: the lanes are where they were. */
TEST(samples_without_traffic_decide_nothing)
{
    UNUSED_STATE;
    struct bed *b = four_sockets(dynamic, line_to_next, 1, 0);
    engine_run(&b->sim.engine);
    link_settle(&b->link, 1000000);
    for (u32 i = 0; i < 4; i++) {
        assert_int_equal(b->link.socket[i].counts.turns, 0);
        assert_int_equal(b->link.socket[i].counts.available[LINK_EGRESS], 8000000);
    }
    bed_destroy(b);
}

/* Asked for in cycle 7,000, in the second sample, and read in 12,000: a link that has slept has
 * counted nothing twice. */
TEST(lanes_that_are_asked_about_while_nothing_flows_are_counted_once)
{
    UNUSED_STATE;
    struct bed *b = four_sockets(dynamic, line_to_next, 1, 0);
    engine_run(&b->sim.engine);
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(link_available(&b->link, i, LINK_INGRESS, 7000), 8 * 7000);
    link_settle(&b->link, 12000);
    for (u32 i = 0; i < 4; i++) {
        assert_int_equal(b->link.socket[i].counts.available[LINK_INGRESS], 8 * 12000);
        assert_int_equal(b->link.socket[i].counts.available[LINK_EGRESS], 8 * 12000);
    }
    bed_destroy(b);
}

/* The lane that turns is idle for switch_cycles: fewer lane-cycles are available. */
TEST(a_lane_in_turn_serves_neither_side)
{
    UNUSED_STATE;
    struct bed *b = all_to_one(dynamic, 45500);
    const struct link_counts *c = &b->link.socket[0].counts;
    u64 all = c->available[LINK_EGRESS] + c->available[LINK_INGRESS];
    u64 lost = 16 * engine_cycle(&b->sim.engine, 1) - all;
    /* 7 turns of 100 cycles, and up to 17 in which a lane of the egress drains */
    assert_in_range(lost, 7 * 100, 7 * 117);
    bed_destroy(b);
}

RUN_TESTS(T(a_lone_line_takes_its_beats_and_the_latency),
          T(a_direction_moves_its_lanes_bytes_a_cycle), T(a_source_serves_its_destinations_in_turn),
          T(all_that_enters_leaves_once_and_in_order),
          T(an_ingress_that_all_send_to_gets_15_lanes_and_never_more_than_their_bandwidth),
          T(senders_that_wait_are_saturated_where_a_waiting_lane_counts_as_busy),
          T(directions_that_are_both_saturated_turn_nothing),
          T(lanes_walk_back_to_equal_when_both_directions_are_saturated),
          T(a_reset_gives_each_direction_its_lanes_at_once_when_they_are_free),
          T(a_sample_begins_with_the_kernel),
          T(who_reads_statistics_amid_a_sample_changes_no_decision),
          T(samples_without_traffic_decide_nothing),
          T(lanes_that_are_asked_about_while_nothing_flows_are_counted_once),
          T(a_lane_in_turn_serves_neither_side))

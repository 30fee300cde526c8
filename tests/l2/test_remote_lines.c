/*
 * A bank of socket 0 that also holds lines of socket 1's memory. Beside the neighbours of
 * bank_bed.h there are the link to socket 1, which answers a read after FAR_CYCLES, and a script of
 * socket 1's requests for lines of this socket.
 *
 * A remote miss takes the way of a local one with FAR_CYCLES in place of MEMORY_CYCLES.
 */
#include "bank_bed.h"

#define FAR_CYCLES 50u
#define FAR_MISS_CYCLES (MISS_CYCLES - MEMORY_CYCLES + FAR_CYCLES)

struct order_step {
    cycle_t at; /* 0: no order */
    bool remote_only;
};

struct socket {
    struct bed bed;
    struct port in, miss, answer; /* to and from socket 1 */
    unit_id asker, far, giver;
    struct timed_queue under_way;
    struct flush_order orders[2];
    struct order_step order;
    const struct step *asks; /* of socket 1 */
    u32 ask_count, next_ask;
    u32 reads, writes, atomics;
    cycle_t flushed; /* the giver was woken by the bank */
};

static cycle_t ask_tick(void *self, cycle_t now)
{
    struct socket *s = self;
    while (s->next_ask < s->ask_count && s->asks[s->next_ask].at <= now && port_can_push(&s->in)) {
        const struct step *a = &s->asks[s->next_ask];
        handle_t h = pool_alloc(&s->bed.pool);
        *(struct request *)pool_get(&s->bed.pool, h) =
            (struct request){.line = a->line,
                             .sectors = a->sectors,
                             .kind = a->kind,
                             .socket = 1,
                             .reply_to = 7,
                             .ticket = MOST / 2 + s->next_ask};
        port_push(&s->in, h);
        s->next_ask++;
    }
    return s->next_ask < s->ask_count ? max_u64(now + 1, s->asks[s->next_ask].at) : CYCLE_NEVER;
}

/* Socket 1: takes dirty lines in, answers reads and atomics. */
static cycle_t far_tick(void *self, cycle_t now)
{
    struct socket *s = self;
    while (port_ready(&s->miss)) {
        handle_t h = port_pop(&s->miss);
        const struct request *r = pool_get(&s->bed.pool, h);
        assert_int_equal(r->home, 1);
        if (r->kind == REQUEST_WRITEBACK) {
            s->writes++;
            flush_arrived(&s->orders[0], s->bed.sim.engine.now_fs);
            pool_free(&s->bed.pool, h);
        } else if (r->kind == REQUEST_ATOMIC) {
            s->atomics++; /* its answer goes straight to the SM: here it ends */
            pool_free(&s->bed.pool, h);
        } else {
            s->reads++;
            timed_push(&s->under_way, h, now + FAR_CYCLES);
        }
    }
    while (timed_next(&s->under_way) <= now && port_can_push(&s->answer))
        port_push(&s->answer, timed_pop(&s->under_way));
    return max_u64(timed_next(&s->under_way), now + 1);
}

/* Gives its order, and is woken when the bank has carried it out. */
static cycle_t give_tick(void *self, cycle_t now)
{
    struct socket *s = self;
    if (now < s->order.at)
        return s->order.at;
    if (s->order.at && now == s->order.at) {
        s->orders[0].number++;
        s->orders[0].given_fs = s->bed.sim.engine.now_fs;
        s->orders[0].remote_only = s->order.remote_only;
        engine_wake(&s->bed.sim.engine, s->bed.bank.unit);
    } else if (s->order.at) {
        s->flushed = now;
    }
    return CYCLE_NEVER;
}

static void open_socket(struct socket *s, const struct l2_config *config)
{
    struct bed *b = &s->bed;
    *s = (struct socket){0};
    bed_open(b, config, "lru", NULL);
    struct engine *e = &b->sim.engine;
    struct bank_remote_parts parts = {
        .socket = 0, .in = &s->in, .miss = &s->miss, .answer = &s->answer, .orders = s->orders};
    bank_keep_remote(&b->bank, &b->sim.arena, &parts);
    s->asker = engine_add_unit(e, 0, "asker", ask_tick, s);
    s->far = engine_add_unit(e, 0, "far", far_tick, s);
    s->giver = engine_add_unit(e, 0, "giver", give_tick, s);
    s->orders[0].giver = s->orders[1].giver = s->giver;
    timed_init(&s->under_way, &b->sim.arena, 64);
    port_init(&s->in, e, "in1", 8);
    port_init(&s->miss, e, "miss1", 8);
    port_init(&s->answer, e, "answer1", 8);
    port_connect(&s->in, s->asker, b->bank.unit);
    port_connect(&s->miss, b->bank.unit, s->far);
    port_connect(&s->answer, s->far, b->bank.unit);
}

static struct l2_config four_mshrs(void)
{
    struct l2_config c = bed_config();
    c.size_bytes = 4096; /* four sets of eight lines */
    c.ways = 8;
    c.mshrs = 4;
    return c;
}

TEST(a_remote_line_comes_over_the_link_once_and_is_then_hit)
{
    UNUSED_STATE;
    static const struct step steps[] = {{0, 0x1000, 1, REQUEST_LOAD, 0, 0, 1},
                                        {200, 0x1000, 1, REQUEST_LOAD, 0, 0, 1},
                                        {300, 0x2000, 1, REQUEST_LOAD, 0, 0, 0}};
    struct l2_config c = bed_config();
    struct socket s;
    open_socket(&s, &c);
    bed_play(&s.bed, steps, ARRAY_LEN(steps));
    const struct bank_remote_counts *n = &s.bed.bank.remote->counts;
    assert_int_equal(s.bed.arrived[0], FAR_MISS_CYCLES);
    assert_int_equal(s.bed.arrived[1], 200 + HIT_CYCLES);
    assert_int_equal(s.bed.arrived[2], 300 + MISS_CYCLES);
    assert_int_equal(s.reads, 1);
    assert_int_equal(s.bed.reads, 1);
    assert_int_equal(n->accesses, 2);
    assert_int_equal(n->hits, 1);
    assert_int_equal(n->fills, 1);
    close_bed(&s.bed);
}

/* A dirty and two clean remote lines, and a clean line of this socket. */
static const struct step before_flush[] = {
    {0, 0x1000, 0xf, REQUEST_STORE, REQUEST_WHOLE, 0, 1},
    {0, 0x1080, 1, REQUEST_LOAD, 0, 0, 1},
    {0, 0x1100, 1, REQUEST_LOAD, 0, 0, 1},
    {0, 0x1180, 1, REQUEST_LOAD, 0, 0, 0},
    {400, 0x1000, 1, REQUEST_LOAD, 0, 0, 1},
    {600, 0x1080, 1, REQUEST_LOAD, 0, 0, 1},
    {800, 0x1180, 1, REQUEST_LOAD, 0, 0, 0},
};

TEST(a_flush_writes_dirty_lines_back_and_drops_all_others)
{
    UNUSED_STATE;
    struct l2_config c = four_mshrs();
    struct socket s;
    open_socket(&s, &c);
    s.order = (struct order_step){200, false};
    bed_play(&s.bed, before_flush, ARRAY_LEN(before_flush));
    const struct bank_remote_counts *n = &s.bed.bank.remote->counts;
    assert_int_equal(n->flushes, 1);
    assert_int_equal(n->flushed_lines, 1);
    assert_int_equal(n->dropped_lines, 3);
    assert_int_equal(n->writebacks, 1);
    assert_int_equal(s.writes, 1);
    assert_int_equal(s.orders[0].under_way, 0);
    /* the order is seen in 201; its dirty line takes that cycle, the rest the next */
    assert_int_equal(n->flush_cycles, 2);
    assert_int_equal(s.flushed, 203);
    assert_int_equal(s.bed.arrived[4], 400 + FAR_MISS_CYCLES);
    assert_int_equal(s.bed.arrived[5], 600 + FAR_MISS_CYCLES);
    assert_int_equal(s.bed.arrived[6], 800 + MISS_CYCLES);
    close_bed(&s.bed);
}

TEST(a_flush_of_remote_lines_keeps_those_of_its_own_socket)
{
    UNUSED_STATE;
    struct l2_config c = four_mshrs();
    struct socket s;
    open_socket(&s, &c);
    s.order = (struct order_step){200, true};
    bed_play(&s.bed, before_flush, ARRAY_LEN(before_flush));
    assert_int_equal(s.bed.bank.remote->counts.dropped_lines, 2);
    assert_int_equal(s.bed.arrived[4], 400 + FAR_MISS_CYCLES);
    assert_int_equal(s.bed.arrived[6], 800 + HIT_CYCLES);
    close_bed(&s.bed);
}

TEST(a_flush_waits_for_remote_lines_on_their_way_and_serves_no_agent_meanwhile)
{
    UNUSED_STATE;
    static const struct step steps[] = {{0, 0x1000, 1, REQUEST_LOAD, 0, 0, 1},
                                        {12, 0x2000, 1, REQUEST_LOAD, 0, 0, 0}};
    struct l2_config c = four_mshrs();
    struct socket s;
    open_socket(&s, &c);
    s.order = (struct order_step){10, false};
    bed_play(&s.bed, steps, ARRAY_LEN(steps));
    /* filled and passed on in 57, at the sink in 58; dropped in the cycle of the fill or the next
     */
    assert_int_equal(s.bed.arrived[0], FAR_MISS_CYCLES);
    assert_int_equal(s.bed.bank.remote->counts.dropped_lines, 1);
    assert_true(s.bed.arrived[1] > FAR_MISS_CYCLES);
    close_bed(&s.bed);
}

TEST(an_atomic_on_a_remote_line_takes_place_over_there_and_drops_the_copy)
{
    UNUSED_STATE;
    static const struct step steps[] = {{0, 0x1000, 0xf, REQUEST_STORE, REQUEST_WHOLE, 0, 1},
                                        {100, 0x1000, 1, REQUEST_ATOMIC, 0, 0, 1},
                                        {200, 0x1000, 1, REQUEST_LOAD, 0, 0, 1}};
    struct l2_config c = bed_config();
    struct socket s;
    open_socket(&s, &c);
    bed_play(&s.bed, steps, ARRAY_LEN(steps));
    assert_int_equal(s.atomics, 1);
    assert_int_equal(s.writes, 1); /* first, so that the atomic finds the line's data */
    assert_int_equal(s.bed.bank.remote->counts.atomics, 1);
    assert_int_equal(s.bed.bank.counts.atomics, 0);
    assert_int_equal(s.bed.arrived[2], 200 + FAR_MISS_CYCLES);
    close_bed(&s.bed);
}

/* Both find their lines: requests of the two sides alternate, one a cycle. */
TEST(own_agents_and_the_other_socket_take_turns)
{
    UNUSED_STATE;
    static const struct step steps[] = {{0, 0x1000, 1, REQUEST_LOAD, 0, 0, 0},
                                        {100, 0x1000, 1, REQUEST_LOAD, 0, 0, 0},
                                        {100, 0x1000, 1, REQUEST_LOAD, 0, 0, 0},
                                        {100, 0x1000, 1, REQUEST_LOAD, 0, 0, 0},
                                        {100, 0x1000, 1, REQUEST_LOAD, 0, 0, 0}};
    static const struct step asks[] = {{100, 0x1000, 1, REQUEST_LOAD, 0, 0, 0},
                                       {100, 0x1000, 1, REQUEST_LOAD, 0, 0, 0}};
    struct l2_config c = bed_config();
    struct socket s;
    open_socket(&s, &c);
    s.asks = asks;
    s.ask_count = ARRAY_LEN(asks);
    bed_play(&s.bed, steps, ARRAY_LEN(steps));
    /* one request of each port reaches its queue per cycle from 104 on, served from 105 on */
    const cycle_t *own = s.bed.arrived + 1, *other = s.bed.arrived + MOST / 2;
    cycle_t first = min_u64(own[0], other[0]);
    assert_int_equal(first, 100 + HIT_CYCLES);
    assert_int_equal(own[0] + other[0], 2 * first + 1);
    assert_int_equal(own[1] + other[1], 2 * first + 5);
    assert_int_equal(own[2], first + 4);
    assert_int_equal(own[3], first + 5);
    close_bed(&s.bed);
}

TEST(remote_misses_leave_an_mshr_to_the_memory_of_this_socket)
{
    UNUSED_STATE;
    static const struct step steps[] = {{0, 0x1000, 1, REQUEST_LOAD, 0, 0, 1},
                                        {0, 0x1080, 1, REQUEST_LOAD, 0, 0, 1},
                                        {0, 0x1100, 1, REQUEST_LOAD, 0, 0, 1},
                                        {0, 0x1180, 1, REQUEST_LOAD, 0, 0, 1}};
    static const struct step asks[] = {{20, 0x2000, 1, REQUEST_LOAD, 0, 0, 0}};
    struct l2_config c = four_mshrs();
    struct socket s;
    open_socket(&s, &c);
    s.asks = asks;
    s.ask_count = 1;
    bed_play(&s.bed, steps, ARRAY_LEN(steps));
    assert_int_equal(s.bed.arrived[0], FAR_MISS_CYCLES);
    assert_int_equal(s.bed.arrived[1], FAR_MISS_CYCLES + 4); /* a fill takes four cycles */
    assert_int_equal(s.bed.arrived[2], FAR_MISS_CYCLES + 8);
    /* the fourth is served in the cycle of the first fill, one before its answer arrives; from
     * there on it takes five cycles less than from the script */
    assert_int_equal(s.bed.arrived[3], FAR_MISS_CYCLES - 1 + FAR_MISS_CYCLES - 5);
    assert_int_equal(s.bed.arrived[MOST / 2], 20 + MISS_CYCLES);
    close_bed(&s.bed);
}

RUN_TESTS(T(a_remote_line_comes_over_the_link_once_and_is_then_hit),
          T(a_flush_writes_dirty_lines_back_and_drops_all_others),
          T(a_flush_of_remote_lines_keeps_those_of_its_own_socket),
          T(a_flush_waits_for_remote_lines_on_their_way_and_serves_no_agent_meanwhile),
          T(an_atomic_on_a_remote_line_takes_place_over_there_and_drops_the_copy),
          T(own_agents_and_the_other_socket_take_turns),
          T(remote_misses_leave_an_mshr_to_the_memory_of_this_socket))

/* A channel of a ring, by itself. */
#include "testing.h"

#include "base/rng.h"
#include "net/ring.h"

#define BIT(node) ((u64)1 << (node))

struct bed {
    struct arena arena;
    struct ring_channel c;
};

static struct ring_channel *ring_open(struct bed *b, struct ring_shape shape)
{
    *b = (struct bed){0};
    ring_channel_init(&b->c, &b->arena, shape);
    return &b->c;
}

static void ring_close(struct bed *b)
{
    arena_fini(&b->arena);
}

static void put(struct ring_channel *c, u32 node, u32 value, u32 home)
{
    ring_channel_push(c, node, (struct ring_origin){.home = home})->value = value;
}

static void put_with_stops(struct ring_channel *c, u32 node, u32 value, u64 stops)
{
    ring_channel_push(c, node, (struct ring_origin){.home = node, .stops = stops})->value = value;
}

TEST(a_hop_takes_its_cycles_and_keeps_its_link_for_as_long_as_it_is_told)
{
    UNUSED_STATE;
    struct bed b;
    struct ring_channel *c = ring_open(&b, (struct ring_shape){5, 2, false, 3, 4});
    put(c, 4, 7, 1);
    put(c, 4, 8, 1);
    assert_int_equal(ring_channel_ready(c, 10), BIT(4));
    ring_channel_advance(c, BIT(4), 10); /* seen at node 0 from 13 on, link busy until 14 */
    assert_int_equal(ring_channel_head(c, 0)->value, 7);
    assert_int_equal(ring_channel_hops(c, 0, 0), 1);
    assert_int_equal(ring_channel_next(c, 11), 13);
    assert_int_equal(ring_channel_next(c, 15), 15);
    assert_int_equal(ring_channel_ready(c, 12), 0);
    assert_int_equal(ring_channel_ready(c, 13), BIT(0));
    assert_int_equal(ring_channel_ready(c, 14), BIT(0) | BIT(4));
    ring_close(&b);
}

TEST(the_other_channel_turns_the_other_way)
{
    UNUSED_STATE;
    struct bed b;
    struct ring_channel *c = ring_open(&b, (struct ring_shape){5, 2, true, 1, 1});
    put(c, 0, 7, 3);
    ring_channel_advance(c, BIT(0), 1);
    assert_int_equal(ring_channel_ready(c, 2), BIT(4));
    assert_false(ring_channel_is_back(c, 4));
    ring_channel_advance(c, BIT(4), 2);
    assert_int_equal(ring_channel_ready(c, 3), BIT(3));
    assert_true(ring_channel_is_back(c, 3)); /* at home */
    assert_int_equal(ring_channel_senders(c, BIT(4)), BIT(0));
    assert_int_equal(ring_channel_receivers(c, BIT(0)), BIT(4));
    ring_close(&b);
}

TEST(a_place_is_held_from_the_start_of_a_hop)
{
    UNUSED_STATE;
    struct bed b;
    struct ring_channel *c = ring_open(&b, (struct ring_shape){3, 1, false, 9, 1});
    put(c, 0, 1, 0);
    ring_channel_advance(c, BIT(0), 0);
    put(c, 0, 2, 0);
    /* node 1 is full although nothing can be seen there yet, and its head does not move */
    assert_int_equal(ring_channel_moves(c, BIT(0), 0, 0, 0), 0);
    ring_close(&b);
}

TEST(a_full_queue_whose_head_leaves_takes_another)
{
    UNUSED_STATE;
    struct bed b;
    struct ring_channel *c = ring_open(&b, (struct ring_shape){4, 1, false, 1, 1});
    put(c, 0, 1, 3);
    put(c, 1, 2, 3);
    put(c, 2, 3, 3);
    assert_int_equal(ring_channel_moves(c, BIT(0) | BIT(1), 0, 0, 0), 0);      /* 2 stays */
    assert_int_equal(ring_channel_moves(c, BIT(0) | BIT(1), 0, BIT(2), 0), 3); /* 2 is popped */
    assert_int_equal(ring_channel_moves(c, 7, 0, 0, 0), 7);                    /* 3 has room */
    assert_int_equal(ring_channel_moves(c, 7, 0, 0, BIT(3)), 0);               /* not for these */
    assert_int_equal(ring_channel_moves(c, 7, BIT(2), 0, BIT(3)), 7);          /* past 3's queue */
    ring_close(&b);
}

TEST(a_ring_that_is_full_everywhere_turns)
{
    UNUSED_STATE;
    struct bed b;
    struct ring_channel *c = ring_open(&b, (struct ring_shape){64, 2, true, 1, 1});
    for (u32 node = 0; node < 64; node++) {
        put(c, node, node, 100);
        put(c, node, node + 64, 100);
    }
    assert_true(ring_channel_moves(c, ~(u64)0, 0, 0, 0) == ~(u64)0);
    ring_channel_advance(c, ~(u64)0, 0);
    for (u32 node = 0; node < 64; node++) {
        assert_int_equal(ring_channel_count(c, node), 2);
        assert_int_equal(ring_channel_head(c, node)->value, node + 64);
    }
    /* one that stays stops all */
    assert_int_equal(ring_channel_moves(c, ~BIT(5), 0, 0, 0), 0);
    ring_close(&b);
}

/* By the rule alone: all these can hop together. */
static bool can_move(const struct ring_channel *c, u64 moves, u64 past, u64 leaves, u64 taken)
{
    for (u64 left = moves & ~past; left;) {
        u64 next = BIT(c->to[ring_take(&left)]);
        if (next & taken || (next & c->full && !(next & (leaves | moves))))
            return false;
    }
    return true;
}

TEST(those_that_move_are_the_most_that_can)
{
    UNUSED_STATE;
    u32 some = 0, all = 0;
    for (u64 seed = 1; seed <= 3000; seed++) {
        struct bed b;
        u32 nodes = 2 + (u32)(rng_at(seed, 0) % 7);
        struct ring_channel *c = ring_open(
            &b, (struct ring_shape){nodes, 1 + seed % 4, seed / 4 % 2, 1 + seed / 8 % 2, 1});
        for (u32 node = 0; node < nodes; node++) {
            u64 count = rng_at(seed, 10 + node) % (c->entries + 3); /* mostly full */
            for (u64 i = 0; i < min_u64(count, c->entries); i++)
                put(c, node, 0, node);
        }
        u64 go = c->occupied & (rng_at(seed, 1) | rng_at(seed, 2));
        u64 leaves = c->occupied & ~go & rng_at(seed, 3),
            past = go & rng_at(seed, 4) & rng_at(seed, 5);
        u64 taken = c->all & rng_at(seed, 6) & rng_at(seed, 7) & rng_at(seed, 8), most = 0;
        for (u64 set = 0; set <= c->all; set++) {
            if (!(set & ~go) && can_move(c, set, past, leaves, taken))
                most |= set; /* two that can move can together */
        }
        assert_true(can_move(c, most, past, leaves, taken));
        assert_int_equal(ring_channel_moves(c, go, past, leaves, taken), most);
        some += most && most != go;
        all += most && most == go;
        ring_close(&b);
    }
    assert_true(some > 500 && all > 500);
}

/* One ring is moved in every cycle, the other by as many steps as it says that nobody stops. */
static void compare_turns(bool backwards)
{
    struct bed each, some;
    const struct ring_shape shape = {15, 8, backwards, 1, 1};
    struct ring_channel *a = ring_open(&each, shape), *b = ring_open(&some, shape);
    static const u32 nodes[] = {0, 4, 9};
    static const u64 stops[] = {BIT(0) | BIT(7), BIT(4), BIT(9) | BIT(3) | BIT(2)};
    for (u32 i = 0; i < ARRAY_LEN(nodes); i++) {
        put_with_stops(a, nodes[i], i, stops[i]);
        put_with_stops(b, nodes[i], i, stops[i]);
    }
    u32 found = 0;
    for (cycle_t now = 0; now < 60;) {
        cycle_t next = ring_channel_next_due(b, now);
        ring_channel_turn(b, (u32)(next - now));
        for (; now < next; now++) {
            assert_int_equal(ring_channel_due(a, a->occupied), 0);
            ring_channel_advance(a, a->occupied, now);
        }
        assert_int_equal(a->occupied, b->occupied);
        assert_int_equal(ring_channel_due(a, a->occupied), ring_channel_due(b, b->occupied));
        for (u64 left = a->occupied; left;) {
            u32 node = ring_take(&left);
            assert_int_equal(ring_channel_head(a, node)->value, ring_channel_head(b, node)->value);
            if (now < 15) /* once round */
                assert_int_equal(ring_channel_hops(a, node, 0), now);
            assert_int_equal(ring_channel_hops(a, node, 0), ring_channel_hops(b, node, 0));
        }
        found += (u32)__builtin_popcountll(ring_channel_due(b, b->occupied));
        ring_channel_advance(a, a->occupied, now);
        ring_channel_advance(b, b->occupied, now);
        now++;
    }
    assert_int_equal(found, 4 * (2 + 1 + 3)); /* every stop once in each of four rounds */
    ring_close(&each);
    ring_close(&some);
}

TEST(a_ring_can_be_turned_to_the_next_stop_at_once)
{
    UNUSED_STATE;
    compare_turns(false);
    compare_turns(true);
}

TEST(a_stop_that_is_added_on_the_way_is_found)
{
    UNUSED_STATE;
    struct bed b;
    struct ring_channel *c = ring_open(&b, (struct ring_shape){15, 8, false, 1, 1});
    struct ring_origin o = {.home = 2, .stops = BIT(2)};
    u32 number = ring_channel_number(c, ring_channel_push(c, 2, o));
    assert_int_equal(ring_channel_next_due(c, 0), 15); /* home again */
    ring_channel_turn(c, 4);
    ring_channel_add_stop(c, number, 8);
    assert_int_equal(ring_channel_next_due(c, 4), 6);
    ring_channel_turn(c, 2);
    assert_int_equal(ring_channel_due(c, c->occupied), BIT(8));
    ring_close(&b);
}

/* One that waits is passed by the turn of its stop: the agenda of a ring in which nothing is left
 * must not wake anybody. */
TEST(a_stop_that_was_planned_by_one_that_has_gone_is_nobodys)
{
    UNUSED_STATE;
    struct bed b;
    struct ring_channel *c = ring_open(&b, (struct ring_shape){15, 8, false, 1, 1});
    put_with_stops(c, 2, 7, BIT(2) | BIT(5));
    assert_int_equal(ring_channel_next_due(c, 0), 3);
    ring_channel_turn(c, 1);
    ring_channel_advance(c, 0, 1); /* held up at node 3 */
    assert_int_equal(ring_channel_next_due(c, 2), 2);
    ring_channel_advance(c, BIT(3), 2);
    assert_int_equal(ring_channel_due(c, c->occupied), 0); /* at node 4, due at 5 a cycle ago */
    assert_int_equal(ring_channel_next_due(c, 3), 3);
    ring_channel_advance(c, BIT(4), 3);
    assert_int_equal(ring_channel_due(c, c->occupied), BIT(5));
    assert_int_equal(ring_channel_hops(c, 5, 0), 3);
    assert_int_equal(ring_channel_pop(c, 5)->value, 7);
    ring_channel_advance(c, 0, 4);
    put_with_stops(c, 9, 8, BIT(9) | BIT(12));
    ring_channel_advance(c, 0, 5); /* it waits where it came in, and goes from there */
    assert_int_equal(ring_channel_pop(c, 9)->value, 8);
    assert_int_equal(c->occupied, 0);
    assert_int_equal(ring_channel_next_due(c, 6), CYCLE_NEVER);
    ring_close(&b);
}

/* What every step must keep: as many entries as there were, none too many in a queue. */
static u32 entries_of(const struct ring_channel *c)
{
    u32 sum = 0;
    for (u32 node = 0; node < c->nodes; node++) {
        assert_true(ring_channel_count(c, node) <= c->entries);
        assert_int_equal(ring_channel_count(c, node) == c->entries, c->full >> node & 1);
        assert_int_equal(ring_channel_count(c, node) + 1 >= c->entries, c->nearly >> node & 1);
        assert_int_equal(ring_channel_count(c, node) > 0, c->occupied >> node & 1);
        sum += ring_channel_count(c, node);
    }
    return sum;
}

/* The heads at one of their stops, asked one by one; what is fresh and at home may be left out. */
static void check_due(const struct ring_channel *c, u64 ready)
{
    u64 due = ring_channel_due(c, ready);
    for (u64 left = ready; left;) {
        u32 node = ring_take(&left);
        const struct ring_entry *e = ring_channel_head(c, node);
        if (e->home != node || ring_channel_is_back(c, node))
            assert_int_equal(due >> node & 1, e->stops >> node & 1);
    }
    assert_true((due & ~ready) == 0);
}

/* Every node wants to inject in every cycle, entries leave when they have come round; with one
 * place left free all the time something moves, and everything that went in comes out. */
static void flood(u32 nodes, u32 entries, u32 link, u32 busy, u64 seed, u32 most)
{
    struct bed b;
    struct ring_channel *c =
        ring_open(&b, (struct ring_shape){nodes, entries, seed & 1, link, busy});
    u32 in = 0, out = 0;
    cycle_t now = 0, last = 0;
    for (; out < most && now - last < 1000; now++) {
        u64 ready = ring_channel_ready(c, now), leaves = 0, stays = 0;
        check_due(c, ready);
        for (u64 left = ready; left;) {
            u32 node = ring_take(&left);
            bool home = ring_channel_is_back(c, node);
            leaves |= (u64)home << node;
            /* now and then a node is slow */
            stays |= (u64)(rng_at(seed, now * 64 + node) % 4 == 0) << node;
        }
        leaves &= ~stays;
        u64 moves = ring_channel_moves(c, ready & ~leaves & ~stays, 0, leaves, 0);
        for (u64 left = leaves; left; out++)
            ring_channel_pop(c, ring_take(&left));
        ring_channel_advance(c, moves, now);
        for (u64 left = c->all & ~ring_channel_receivers(c, moves); left;) {
            u32 node = ring_take(&left);
            u64 stops = BIT(node) | (rng_at(seed + 1, in) & rng_at(seed + 2, in) & c->all);
            if (in < most && ring_channel_count(c, node) + 2 <= c->entries)
                put_with_stops(c, node, in++, stops);
        }
        if (moves | leaves)
            last = now;
        assert_int_equal(entries_of(c), in - out);
    }
    assert_int_equal(out, most);
    ring_close(&b);
}

TEST(a_flooded_ring_never_stands_still)
{
    UNUSED_STATE;
    static const u32 nodes[] = {2, 3, 15, 64}, entries[] = {2, 3, 8}, links[] = {2, 1, 3};
    for (u64 seed = 0; seed < 2; seed++) {
        for (u32 n = 0; n < ARRAY_LEN(nodes); n++) {
            for (u32 e = 0; e < ARRAY_LEN(entries); e++)
                flood(nodes[n], entries[e], links[e], 1 + (u32)seed * 3, seed, 20000);
        }
    }
}

/* Many small ones: any size, any latency, queues of two to four. */
TEST(rings_of_any_shape_give_back_what_they_took)
{
    UNUSED_STATE;
    for (u64 seed = 2; seed < 202; seed++) {
        u32 nodes = 2 + (u32)(rng_at(seed, 0) % 63), entries = 2 + (u32)(rng_at(seed, 1) % 3);
        u32 link = 1 + (u32)(rng_at(seed, 2) % 7), busy = 1 + (u32)(rng_at(seed, 3) % 5);
        flood(nodes, entries, link, busy, seed, 300);
    }
}

RUN_TESTS(T(a_hop_takes_its_cycles_and_keeps_its_link_for_as_long_as_it_is_told),
          T(the_other_channel_turns_the_other_way), T(a_place_is_held_from_the_start_of_a_hop),
          T(a_full_queue_whose_head_leaves_takes_another), T(a_ring_that_is_full_everywhere_turns),
          T(those_that_move_are_the_most_that_can),
          T(a_ring_can_be_turned_to_the_next_stop_at_once),
          T(a_stop_that_is_added_on_the_way_is_found),
          T(a_stop_that_was_planned_by_one_that_has_gone_is_nobodys),
          T(a_flooded_ring_never_stands_still), T(rings_of_any_shape_give_back_what_they_took))

#include "testing.h"

#include "l2/coalescer.h"

#define LINE 4096u
#define ALL_SECTORS 0xfu

struct bed {
    struct arena arena;
    struct pool pool;
    struct coalescer *c;
};

/* Groups of four agents; three requests are one, within ten cycles. */
static void bed_init(struct bed *b)
{
    static const struct coalesce_config config = {.agents = 4, .requests = 3, .cycles = 10};
    *b = (struct bed){0};
    pool_init(&b->pool, &b->arena, 4096, sizeof(struct request));
    b->c = coalescer_create(&b->arena, &config, &b->pool);
}

static handle_t ask(struct bed *b, u16 agent, u32 sectors, u8 kind)
{
    handle_t h = pool_alloc(&b->pool);
    *(struct request *)pool_get(&b->pool, h) =
        (struct request){.line = LINE, .agent = agent, .sectors = sectors, .kind = kind};
    return h;
}

static bool joins(struct bed *b, u16 agent, u32 sectors, cycle_t now)
{
    return coalescer_join(b->c, ask(b, agent, sectors, REQUEST_LOAD), now);
}

static u32 followers(struct bed *b, handle_t leader)
{
    u32 count = 0;
    for (handle_t h = coalescer_take(b->c, leader); h;
         h = ((struct request *)pool_get(&b->pool, h))->next)
        count++;
    return count;
}

TEST(reads_of_one_line_by_a_group_are_one_request)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b);
    handle_t first = ask(&b, 0, ALL_SECTORS, REQUEST_LOAD);
    assert_false(coalescer_join(b.c, first, 100));
    assert_true(joins(&b, 1, ALL_SECTORS, 100));
    assert_true(joins(&b, 3, 1, 110)); /* a sector of them, in the last cycle */
    assert_int_equal(followers(&b, first), 2);
    assert_int_equal(followers(&b, first), 0); /* once */
    assert_int_equal(coalescer_counts(b.c)->joined, 2);
    assert_int_equal(coalescer_counts(b.c)->joined_sectors, 5);
    arena_fini(&b.arena);
}

TEST(others_go_their_own_way)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b);
    assert_false(joins(&b, 0, 3, 100));
    assert_false(joins(&b, 0, 3, 101)); /* the same agent */
    assert_false(joins(&b, 4, 3, 101)); /* of another group */
    assert_false(joins(&b, 1, 4, 101)); /* another sector */
    assert_false(joins(&b, 1, 3, 112)); /* the last that it could join came at 101 */
    assert_false(coalescer_join(b.c, ask(&b, 2, 3, REQUEST_STORE), 112));
    assert_true(joins(&b, 2, 3, 112)); /* to agent 1 */
    assert_int_equal(coalescer_counts(b.c)->joined, 1);
    arena_fini(&b.arena);
}

TEST(no_more_than_so_many_are_one)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b);
    handle_t first = ask(&b, 0, 1, REQUEST_LOAD), second = ask(&b, 3, 1, REQUEST_LOAD);
    assert_false(coalescer_join(b.c, first, 0));
    assert_true(joins(&b, 1, 1, 0));
    assert_true(joins(&b, 2, 1, 0));
    assert_false(coalescer_join(b.c, second, 0)); /* the fourth leads again */
    assert_true(joins(&b, 1, 1, 0));
    assert_int_equal(followers(&b, second), 1);
    assert_int_equal(followers(&b, first), 2);
    arena_fini(&b.arena);
}

/* 512 reads may be joined; the next one is no leader. */
TEST(what_finds_no_room_is_a_request_that_nobody_joins)
{
    UNUSED_STATE;
    struct bed b;
    bed_init(&b);
    for (u32 i = 0; i <= COALESCER_LEADERS; i++) {
        handle_t h = ask(&b, 0, 1, REQUEST_LOAD);
        ((struct request *)pool_get(&b.pool, h))->line = LINE * (i + 1);
        assert_false(coalescer_join(b.c, h, 0));
    }
    handle_t h = ask(&b, 1, 1, REQUEST_LOAD);
    ((struct request *)pool_get(&b.pool, h))->line = LINE * (COALESCER_LEADERS + 1);
    assert_false(coalescer_join(b.c, h, 0));
    assert_true(joins(&b, 1, 1, 0));
    arena_fini(&b.arena);
}

RUN_TESTS(T(reads_of_one_line_by_a_group_are_one_request), T(others_go_their_own_way),
          T(no_more_than_so_many_are_one), T(what_finds_no_room_is_a_request_that_nobody_joins))

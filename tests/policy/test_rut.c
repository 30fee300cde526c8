/* The resource usage tracker, asked by hand: a table of estimates, SMs with headroom, who stops. */
#include "testing.h"

#include "gpu/dispatch/block_policy.h"
#include "policy/registry.h"

#include <stdlib.h>
#include <string.h>

#define SMS 4u
#define SLOTS 8u

struct desk {
    struct block_policy p;
    struct block_machine machine;
    struct arena arena;
    struct policy_choice choice;
    struct block_view views[SMS][SLOTS];
    bool used[SMS][SLOTS];
    u32 stopped_sm, stopped_slot, stops;
    enum stop_reason why;
};

static struct desk *desk_of(const struct block_policy *p)
{
    return (struct desk *)(void *)((u8 *)(uintptr_t)p - offsetof(struct desk, p));
}

static const struct block_view *running(const struct block_policy *p, u32 sm, u32 slot)
{
    struct desk *d = desk_of(p);
    return d->used[sm][slot] ? &d->views[sm][slot] : NULL;
}

static bool stop(struct block_policy *p, u32 sm, u32 slot, enum block_stop how,
                 enum stop_reason why)
{
    struct desk *d = desk_of(p);
    assert_int_equal(how, STOP_SWITCH);
    d->stopped_sm = sm;
    d->stopped_slot = slot;
    d->why = why;
    d->stops++;
    return true;
}

static const struct grid_source grid = {.name = "k",
                                        .blocks = SMS * 4,
                                        .threads_per_block = 128,
                                        .registers_per_thread = 32,
                                        .queue = 1};

static void desk_open_as(struct desk *d, const char *victim)
{
    struct err err = ERR_INIT;
    *d = (struct desk){
        .machine = {.sms = SMS, .blocks_per_sm = SLOTS, .schedulers = 4, .clock_hz = 1600000000}};
    assert_true(
        policy_choose(QUESTION_BLOCK, "rut", "launch.dispatch", NULL, &d->arena, &d->choice, &err));
    d->machine.running = running;
    d->machine.stop = stop;
    d->p = (struct block_policy){.ops = (const struct block_policy_ops *)d->choice.ops,
                                 .config = d->choice.config,
                                 .state = arena_alloc(&d->arena, d->choice.ops->state_bytes),
                                 .machine = &d->machine,
                                 .alarm = CYCLE_NEVER};
    for (const struct param *p = d->choice.ops->params; victim && p->type != PARAM_END; p++) {
        if (strcmp(p->name, "victim") == 0)
            assert_true(param_set(p, (char *)(uintptr_t)d->choice.config + p->offset, "victim",
                                  victim, (struct src_pos){0}, &err));
    }
    assert_true(d->p.ops->init(&d->p, &d->arena, &err));
}

static void desk_open(struct desk *d)
{
    desk_open_as(d, NULL);
}

static struct block_view view(const struct grid_source *g, u64 block, u32 sm, u8 mem, u8 fpu)
{
    return (struct block_view){
        .grid = g, .block = block, .sm = sm, .has_code = true, .code = {mem, fpu}};
}

static void put(struct desk *d, u32 sm, u32 slot, u8 mem, u8 fpu)
{
    d->used[sm][slot] = true;
    d->views[sm][slot] = view(&grid, slot, sm, mem, fpu);
}

/* 16 KB of 6-bit entries. */
TEST(the_table_has_21845_entries_that_streams_do_not_share)
{
    UNUSED_STATE;
    struct desk d;
    struct grid_source later = grid, other = grid;
    struct block_view v = view(&grid, 3, 0, 5, 2);
    u8 code[USE_METRICS] = {9, 9};
    desk_open(&d);
    assert_true(d.p.ops->predict(&d.p, &grid, 3, code));
    assert_int_equal(code[0] + code[1], 0);
    d.p.ops->ended(&d.p, &v);
    later.name = "another kernel of the stream";
    other.queue = 2;
    d.p.ops->predict(&d.p, &later, 3, code);
    assert_int_equal(code[USE_MEMORY], 5);
    assert_int_equal(code[USE_FPU], 2);
    d.p.ops->predict(&d.p, &other, 3, code);
    assert_int_equal(code[0] + code[1], 0);
    d.p.ops->predict(&d.p, &grid, 3 + 21844, code);
    assert_int_equal(code[0] + code[1], 0);
    d.p.ops->predict(&d.p, &grid, 3 + 21845, code); /* the same entry again */
    assert_int_equal(code[USE_MEMORY], 5);
    arena_fini(&d.arena);
}

/* 16 KB of context / 1.1 KB per us x 1600 cycles per us. */
TEST(a_block_is_polled_every_so_many_microseconds_as_its_context_has_kilobytes)
{
    UNUSED_STATE;
    struct desk d;
    struct block_poll poll = {0};
    desk_open(&d);
    d.p.ops->poll(&d.p, &grid, &poll);
    assert_int_equal(poll.cycles, 23273);
    assert_int_equal(poll.bits, 3);
    struct grid_source sgd = {.blocks = 1,
                              .threads_per_block = 16,
                              .registers_per_thread = 26,
                              .shared_bytes_per_block = 68};
    d.p.ops->poll(&d.p, &sgd, &poll);
    assert_int_equal(poll.cycles, 2460); /* 1732 B: 1.54 us */
    arena_fini(&d.arena);
}

/* A quarter is a fair share of four blocks: code 2 of 8. */
TEST(codes_are_eighths_of_the_full_scale)
{
    UNUSED_STATE;
    struct block_poll p = {.bits = 3, .scale = 1};
    assert_int_equal(use_code(0, &p), 0);
    assert_int_equal(use_code(0.124, &p), 0);
    assert_int_equal(use_code(0.25, &p), 2);
    assert_int_equal(use_code(1, &p), 7);
    p.scale = 0.25;
    assert_int_equal(use_code(0.25, &p), 7);
    assert_int_equal(use_code(0.0625, &p), 2);
}

static u64 no_room; /* bit per SM */

static bool fits(const struct block_ask *a, u32 sm)
{
    (void)a;
    return !(no_room >> sm & 1);
}

static u32 ask(struct desk *d, u32 next, u64 block, const struct block_view *stopped)
{
    static const u64 given[16];
    struct block_ask a = {.grid = &grid,
                          .block = block,
                          .end = SMS,
                          .next = next,
                          .given = given,
                          .stopped = stopped,
                          .fits = fits};
    return d->p.ops->choose_sm(&d->p, &a);
}

/* cap_mem is 0.5: codes 7 and 3 are (7.5 + 3.5) / 8, an estimate of the table's 0 is 0.5 / 8. */
TEST(a_block_goes_to_the_next_sm_with_room_and_headroom)
{
    UNUSED_STATE;
    struct desk d;
    desk_open(&d);
    no_room = 0;
    assert_int_equal(ask(&d, 2, 0, NULL), 2);
    assert_int_equal(ask(&d, 3, 0, NULL), 3);
    put(&d, 2, 0, 3, 0); /* 3.5 + 0.5 of 8: just room for one that needs nothing */
    assert_int_equal(ask(&d, 2, 0, NULL), 2);
    put(&d, 2, 1, 0, 0);
    assert_int_equal(ask(&d, 2, 0, NULL), 3);
    no_room = 8;
    assert_int_equal(ask(&d, 2, 0, NULL), 0);
    for (u32 sm = 0; sm < SMS; sm++)
        put(&d, sm, 0, 7, 0);
    no_room = 0;
    assert_int_equal(ask(&d, 0, 0, NULL), NO_SM);
    arena_fini(&d.arena);
}

TEST(an_sm_without_a_block_takes_any)
{
    UNUSED_STATE;
    struct desk d;
    struct block_view large = view(&grid, 1, 0, 7, 7);
    desk_open(&d);
    no_room = 0;
    assert_int_equal(ask(&d, 1, 1, &large), 1);
    put(&d, 1, 0, 0, 0);
    assert_int_equal(ask(&d, 1, 1, &large), 2);
    arena_fini(&d.arena);
}

static void report(struct desk *d, u32 sm, u32 slot, u8 mem, u8 fpu)
{
    u8 old[USE_METRICS];
    memcpy(old, d->views[sm][slot].code, sizeof old);
    d->views[sm][slot].code[USE_MEMORY] = mem;
    d->views[sm][slot].code[USE_FPU] = fpu;
    d->p.ops->polled(&d->p, &d->views[sm][slot], slot, old, 1000);
}

TEST(the_block_that_tells_of_too_much_is_stopped_whatever_else_it_tells)
{
    UNUSED_STATE;
    struct desk d;
    desk_open(&d);
    put(&d, 1, 0, 1, 1);
    put(&d, 1, 3, 1, 4);
    report(&d, 1, 3, 1, 3); /* less of one, no more of the other */
    assert_int_equal(d.stops, 0);
    report(&d, 1, 3, 6, 0); /* more of memory than an SM has, less of the FPU */
    assert_int_equal(d.stops, 1);
    assert_int_equal(d.stopped_sm, 1);
    assert_int_equal(d.stopped_slot, 3);
    assert_int_equal(d.why, STOPPED_FOR_MEMORY);
    arena_fini(&d.arena);
}

/* Slots 0, 3 and 5 came in cycles 30, 10 and 20; 5 needs most; slot 0 tells. */
TEST(the_victim_can_be_another_block_of_the_kernel)
{
    UNUSED_STATE;
    static const struct {
        const char *victim;
        u32 slot;
    } rows[] = {{"teller", 0}, {"youngest", 0}, {"oldest", 3}, {"largest", 5}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct desk d;
        desk_open_as(&d, rows[i].victim);
        put(&d, 1, 0, 1, 0);
        put(&d, 1, 3, 2, 0);
        put(&d, 1, 5, 6, 0);
        d.views[1][0].since = 30;
        d.views[1][3].since = 10;
        d.views[1][5].since = 20;
        report(&d, 1, 0, 3, 0);
        assert_int_equal(d.stops, 1);
        assert_int_equal(d.stopped_slot, rows[i].slot);
        arena_fini(&d.arena);
    }
}

TEST(a_block_alone_on_its_sm_is_left_there)
{
    UNUSED_STATE;
    struct desk d;
    desk_open(&d);
    put(&d, 1, 0, 1, 1);
    report(&d, 1, 0, 7, 7);
    assert_int_equal(d.stops, 0);
    arena_fini(&d.arena);
}

TEST(what_a_running_block_tells_is_in_the_table)
{
    UNUSED_STATE;
    struct desk d;
    u8 code[USE_METRICS];
    desk_open(&d);
    put(&d, 1, 2, 0, 0);
    report(&d, 1, 2, 1, 3);
    d.p.ops->predict(&d.p, &grid, 2, code);
    assert_int_equal(code[USE_MEMORY], 1);
    assert_int_equal(code[USE_FPU], 3);
    arena_fini(&d.arena);
}

RUN_TESTS(T(the_table_has_21845_entries_that_streams_do_not_share),
          T(a_block_is_polled_every_so_many_microseconds_as_its_context_has_kilobytes),
          T(codes_are_eighths_of_the_full_scale),
          T(a_block_goes_to_the_next_sm_with_room_and_headroom), T(an_sm_without_a_block_takes_any),
          T(the_block_that_tells_of_too_much_is_stopped_whatever_else_it_tells),
          T(the_victim_can_be_another_block_of_the_kernel),
          T(a_block_alone_on_its_sm_is_left_there), T(what_a_running_block_tells_is_in_the_table))

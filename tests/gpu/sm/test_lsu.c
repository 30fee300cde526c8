/*
 * An LSU alone: an L1 behind it, and a client and a memory that only note what they are told.
 *
 * The buffer holds 4 requests, 3 instructions may wait, L1 takes one request a cycle, has 4 MSHRs
 * and serves hits after 30 cycles. An SM calls lsu_cycle before it issues, so what is taken in
 * cycle n goes into L1 in n + 1 at the earliest.
 */
#include "testing.h"

#include "gpu/sm/lsu.h"
#include "policy/registry.h"

#define HIT 30u
#define MOST 64u
#define LINE 128u
#define ALL 0xfu /* sectors of a line */

struct done {
    u32 slot;
    cycle_t ready, at;
};

struct bed {
    struct lsu_config config;
    struct l1_config l1_config;
    struct arena arena;
    struct engine engine;
    struct pool pool;
    struct l1 l1;
    struct lsu lsu;
    cycle_t now;
    handle_t below[MOST];
    u32 sent, done_count, stores, marks;
    struct done done[MOST];
    u64 marked[MOST];
    /* of read-only caches */
    enum ro_cache_answer answer;
    u64 read_only[MOST];
    u32 read_only_count;
};

static bool can_send(void *sm, u32 requests)
{
    return ((struct bed *)sm)->sent + requests <= MOST;
}

static void send(void *sm, handle_t h, cycle_t now)
{
    struct bed *b = sm;
    assert_int_equal(now, b->now);
    b->below[b->sent++] = h;
}

static void loaded(void *sm, const struct request *r, cycle_t ready, cycle_t now)
{
    struct bed *b = sm;
    lsu_answered(&b->lsu, ticket_read(r).entry, ready, now);
}

static void stored(void *sm, const struct request *r)
{
    (void)r;
    ((struct bed *)sm)->stores++;
}

static void instruction_done(void *sm, const struct pending *p, cycle_t now)
{
    struct bed *b = sm;
    b->done[b->done_count++] = (struct done){p->warp, p->ready, now};
}

static void mark(void *sm, const struct kernel_regions *regions, struct request *r, u64 address,
                 cycle_t now)
{
    struct bed *b = sm;
    (void)now;
    assert_non_null(regions);
    r->region = 5;
    b->marked[b->marks++] = address;
}

static enum ro_cache_answer read_only(void *sm, u8 client, handle_t h, cycle_t *ready, cycle_t now)
{
    struct bed *b = sm;
    assert_int_equal(client, CLIENT_CONSTANT);
    b->read_only[b->read_only_count++] = ((struct request *)pool_get(&b->pool, h))->line;
    *ready = now + 8;
    return b->answer;
}

/* Parts: conflict-free accesses that shared memory takes in a cycle. */
static void bed_open_with(struct bed *b, struct lsu_config config, u32 parts)
{
    static const struct l1_client_ops l1_client = {can_send, send, loaded, stored};
    static const struct lsu_client_ops client = {instruction_done, mark, read_only};
    struct err err = ERR_INIT;
    struct policy_choice lru;
    *b = (struct bed){.config = config,
                      .l1_config = {.enabled = true,
                                    .size_bytes = 1024,
                                    .ways = 2,
                                    .mshrs = 4,
                                    .merge_limit = 2,
                                    .hit_cycles = HIT,
                                    .accesses_per_cycle = 1,
                                    .allocate = L1_ALLOCATE_ON_MISS,
                                    .write_hit = L1_WRITE_EVICT,
                                    .write_miss = L1_WRITE_AROUND,
                                    .bypass_takes_mshr = true,
                                    .merge_keeps = true}};
    pool_init(&b->pool, &b->arena, 4 * MOST, sizeof(struct request));
    assert_true(
        policy_choose(QUESTION_REPLACEMENT, "lru", "replacement", NULL, &b->arena, &lru, &err));
    l1_init(&b->l1, &b->arena,
            &(struct l1_parts){.config = &b->l1_config,
                               .line_bytes = LINE,
                               .requests = &b->pool,
                               .client = &l1_client,
                               .sm = b,
                               .engine = &b->engine,
                               .now = &b->now,
                               .replacement = lru});
    lsu_init(&b->lsu, &b->arena,
             &(struct lsu_parts){.config = &b->config,
                                 .shared_parts = parts,
                                 .schedulers = 2,
                                 .accesses_per_cycle = 1,
                                 .l1 = &b->l1,
                                 .requests = &b->pool,
                                 .client = &client,
                                 .sm = b});
}

static void bed_open(struct bed *b)
{
    bed_open_with(b, (struct lsu_config){.buffer_entries = 4, .pending_instructions = 3}, 1);
}

static void bed_close(struct bed *b)
{
    arena_fini(&b->arena);
}

static const struct instruction a_load = {.kind = WINST_LOAD, .bytes = 4, .dst_count = 1};
static const struct instruction a_store = {.kind = WINST_STORE, .bytes = 4};

/* The pieces of the next instruction: whole lines from `first` on. */
static void lines(struct bed *b, u64 first, u32 count)
{
    for (u32 i = 0; i < count; i++)
        b->lsu.pieces[i] =
            (struct piece){.line = first + (u64)i * LINE, .sectors = ALL, .bytes = LINE};
}

static void take(struct bed *b, struct lsu_access a, u64 first, cycle_t now)
{
    b->now = now;
    lines(b, first, a.pieces);
    b->lsu.model =
        (struct request){.kind = a.instruction == &a_store ? REQUEST_STORE : REQUEST_LOAD};
    lsu_take(&b->lsu, &a, now);
}

static void take_load(struct bed *b, u32 slot, u64 first, u32 count, cycle_t now)
{
    take(b,
         (struct lsu_access){.instruction = &a_load,
                             .slot = slot,
                             .pieces = count,
                             .client = CLIENT_L1D,
                             .is_answered = true,
                             .ready = now + 1},
         first, now);
}

/* Every cycle from one to another, both included. */
static void cycles(struct bed *b, cycle_t from, cycle_t to)
{
    for (b->now = from; b->now <= to; b->now++)
        lsu_cycle(&b->lsu, b->now);
    b->now = to;
}

static void answer(struct bed *b, u32 i, cycle_t at)
{
    b->now = at;
    l1_reply(&b->l1, b->below[i], at);
}

/* The line is in L1, and nothing is left of how it came. */
static void bring(struct bed *b, u64 line, cycle_t at)
{
    take_load(b, 0, line, 1, at);
    cycles(b, at + 1, at + 1);
    answer(b, b->sent - 1, at + 2);
    b->done_count = 0;
}

TEST(a_load_goes_into_l1_in_the_cycle_after_it_was_taken)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    take_load(&b, 3, 0x1000, 1, 10);
    assert_int_equal(b.sent, 0);
    cycles(&b, 11, 11);
    assert_int_equal(b.sent, 1);
    answer(&b, 0, 111);
    assert_int_equal(b.done_count, 1);
    assert_int_equal(b.done[0].slot, 3);
    assert_int_equal(b.done[0].ready, 112);
    bed_close(&b);
}

TEST(lines_of_a_load_go_one_a_cycle_and_it_is_done_with_the_last_answer)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    take_load(&b, 0, 0x1000, 3, 10);
    cycles(&b, 11, 12);
    assert_int_equal(b.sent, 2);
    cycles(&b, 13, 13);
    assert_int_equal(b.sent, 3);
    answer(&b, 2, 60);
    answer(&b, 0, 70);
    assert_int_equal(b.done_count, 0);
    answer(&b, 1, 65); /* the order of answers does not matter: the latest counts */
    assert_int_equal(b.done_count, 1);
    assert_int_equal(b.done[0].ready, 71);
    bed_close(&b);
}

TEST(data_is_not_ready_before_the_cycle_that_the_sm_names)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    take(&b,
         (struct lsu_access){.instruction = &a_load,
                             .pieces = 1,
                             .client = CLIENT_L1D,
                             .is_answered = true,
                             .ready = 500},
         0x1000, 10);
    cycles(&b, 11, 11);
    answer(&b, 0, 100);
    assert_int_equal(b.done[0].ready, 500);
    bed_close(&b);
}

TEST(an_instruction_with_more_lines_than_the_buffer_holds_keeps_the_lsu)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    bring(&b, 0x1000, 1); /* so that hits leave the buffer without MSHRs */
    bring(&b, 0x1080, 4);
    bring(&b, 0x1100, 7);
    take_load(&b, 0, 0x1000, 6, 20); /* four are in the buffer, two wait */
    assert_false(lsu_accepts(&b.lsu, false, 20));
    cycles(&b, 21, 21);
    assert_false(lsu_accepts(&b.lsu, false, 21));
    cycles(&b, 22, 22); /* the sixth is in the buffer, which is full */
    assert_true(lsu_accepts(&b.lsu, false, 22));
    assert_false(lsu_accepts(&b.lsu, true, 22));
    cycles(&b, 23, 23);
    assert_true(lsu_accepts(&b.lsu, true, 23));
    bed_close(&b);
}

TEST(a_head_that_waits_for_an_mshr_holds_up_a_hit_behind_it)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    bring(&b, 0x1000, 1);
    u32 before = b.sent;
    take_load(&b, 1, 0x4080, 2, 10); /* sets 1 and 2, both ways: four MSHRs */
    cycles(&b, 11, 12);
    take_load(&b, 2, 0x8080, 2, 12);
    cycles(&b, 13, 14);
    assert_int_equal(b.sent - before, 4);
    take(&b,
         (struct lsu_access){.instruction = &a_load, .slot = 0, .pieces = 1, .client = CLIENT_L1D},
         0x2180, 14); /* a prefetch: no entry, but an MSHR, of set 3 */
    take_load(&b, 3, 0x1000, 1, 14);
    cycles(&b, 15, 19);
    assert_int_equal(b.lsu.stall, L1_STALL_MSHR);
    assert_true(lsu_is_busy(&b.lsu, true)); /* if something has changed; else it may sleep */
    assert_false(lsu_is_busy(&b.lsu, false));
    assert_int_equal(b.done_count, 0);
    answer(&b, before, 20);
    cycles(&b, 20, 20); /* the miss goes */
    assert_int_equal(b.sent - before, 5);
    cycles(&b, 21, 21); /* and then the hit */
    assert_int_equal(b.done_count, 1);
    assert_int_equal(b.done[0].slot, 3);
    assert_int_equal(b.done[0].ready, 21 + HIT);
    assert_int_equal(b.l1.counts.stall[L1_STALL_MSHR], 5); /* of cycles 15 to 19 */
    bed_close(&b);
}

TEST(with_as_many_instructions_waiting_as_it_has_entries_none_is_accepted)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    for (u32 i = 0; i < 3; i++) {
        assert_true(lsu_accepts(&b.lsu, true, 10 + i));
        take_load(&b, i, 0x1000 + (u64)i * LINE, 1, 10 + i);
        cycles(&b, 11 + i, 11 + i);
    }
    assert_false(lsu_accepts(&b.lsu, true, 13));
    assert_false(lsu_accepts(&b.lsu, false, 13));
    answer(&b, 1, 50);
    assert_true(lsu_accepts(&b.lsu, true, 50));
    take_load(&b, 7, 0x4000, 1, 50); /* it takes the entry that was left */
    cycles(&b, 51, 51);
    answer(&b, 3, 90);
    assert_int_equal(b.done_count, 2);
    assert_int_equal(b.done[1].slot, 7);
    bed_close(&b);
}

TEST(a_store_takes_no_entry_and_says_whether_it_writes_whole_sectors)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    struct lsu_access a = {.instruction = &a_store, .pieces = 1, .client = CLIENT_L1D};
    take(&b, a, 0x1000, 10);
    assert_int_equal(b.lsu.pending_count, 0);
    b.lsu.pieces[0] = (struct piece){.line = 0x2000, .sectors = 1, .bytes = 4};
    b.lsu.model = (struct request){.kind = REQUEST_STORE};
    lsu_take(&b.lsu, &a, 11);
    cycles(&b, 11, 12);
    assert_int_equal(b.sent, 2);
    const struct request *whole = pool_get(&b.pool, b.below[0]);
    const struct request *part = pool_get(&b.pool, b.below[1]);
    assert_true(whole->flags & REQUEST_WHOLE);
    assert_false(part->flags & REQUEST_WHOLE);
    answer(&b, 0, 50);
    answer(&b, 1, 51);
    assert_int_equal(b.stores, 2);
    assert_int_equal(b.done_count, 0);
    bed_close(&b);
}

TEST(shared_memory_is_busy_for_its_passes)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    assert_int_equal(lsu_access_shared(&b.lsu, 32, 10), 41); /* cycles 10 to 41 */
    assert_false(lsu_accepts(&b.lsu, false, 41));
    assert_int_equal(lsu_shared_from(&b.lsu), 42);
    assert_true(lsu_accepts(&b.lsu, false, 42));
    assert_int_equal(lsu_access_shared(&b.lsu, 1, 42), 42);
    assert_false(lsu_accepts(&b.lsu, false, 42));
    bed_close(&b);
}

TEST(with_four_parts_a_cycle_three_passes_leave_room_in_it)
{
    UNUSED_STATE;
    struct bed b;
    bed_open_with(&b, (struct lsu_config){.buffer_entries = 4, .pending_instructions = 3}, 4);
    assert_int_equal(lsu_access_shared(&b.lsu, 3, 10), 10);
    assert_true(lsu_accepts(&b.lsu, false, 10));
    assert_int_equal(lsu_access_shared(&b.lsu, 2, 10), 11); /* the second is in the next cycle */
    assert_false(lsu_accepts(&b.lsu, false, 10));
    assert_true(lsu_accepts(&b.lsu, false, 11));
    bed_close(&b);
}

TEST(passes_through_the_banks_of_l1_hold_up_the_next_instruction_and_not_its_own_lines)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    struct lsu_access a = {.instruction = &a_load,
                           .pieces = 2,
                           .client = CLIENT_L1D,
                           .passes = 4,
                           .is_answered = true};
    take(&b, a, 0x1000, 10);
    cycles(&b, 11, 12); /* both lines; the banks are busy in 11 to 14 */
    assert_int_equal(b.sent, 2);
    a.pieces = a.passes = 1;
    a.slot = 1;
    take(&b, a, 0x4100, 12);
    cycles(&b, 13, 14);
    assert_int_equal(b.sent, 2);
    cycles(&b, 15, 15);
    assert_int_equal(b.sent, 3);
    bed_close(&b);
}

TEST(a_sub_core_takes_data_of_several_passes_one_after_the_other)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    for (u32 slot = 0; slot < 3; slot++) { /* slots 0 and 2 are of the same scheduler */
        take(&b,
             (struct lsu_access){.instruction = &a_load,
                                 .slot = slot,
                                 .pieces = 1,
                                 .client = CLIENT_L1D,
                                 .is_answered = true,
                                 .extra = 3},
             0x1000 + (u64)slot * LINE, 10 + slot);
        cycles(&b, 11 + slot, 11 + slot);
    }
    for (u32 i = 0; i < 3; i++)
        answer(&b, i, 100);
    assert_int_equal(b.done[0].ready, 101 + 3);
    assert_int_equal(b.done[1].ready, 101 + 3);
    assert_int_equal(b.done[2].ready, 101 + 3 + 3);
    bed_close(&b);
}

TEST(pieces_for_a_read_only_cache_go_one_a_cycle_and_one_that_is_refused_tries_again)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    take(&b,
         (struct lsu_access){.instruction = &a_load,
                             .slot = 2,
                             .pieces = 2,
                             .client = CLIENT_CONSTANT,
                             .is_answered = true,
                             .ready = 11},
         0x300, 10);
    assert_true(lsu_is_busy(&b.lsu, false));
    b.answer = RO_CACHE_BLOCKED;
    cycles(&b, 11, 12);
    assert_false(lsu_accepts(&b.lsu, false, 12));
    b.answer = RO_CACHE_HIT;
    cycles(&b, 13, 14);
    static const u64 asked[] = {0x300, 0x300, 0x300, 0x380};
    assert_memory_equal(b.read_only, asked, sizeof asked);
    assert_int_equal(b.read_only_count, 4);
    assert_int_equal(b.done_count, 1);
    assert_int_equal(b.done[0].ready, 14 + 8);
    assert_true(lsu_accepts(&b.lsu, false, 14));
    assert_int_equal(b.sent, 0);                             /* nothing of it went into L1 */
    assert_int_equal(b.pool.free_count, b.pool.most_in_use); /* all have been given back */
    bed_close(&b);
}

TEST(a_buffer_of_instructions_has_room_for_so_many_whatever_their_lines)
{
    UNUSED_STATE;
    struct bed b;
    bed_open_with(&b,
                  (struct lsu_config){.buffer_entries = 2,
                                      .pending_instructions = 8,
                                      .buffer_unit = LSU_INSTRUCTIONS},
                  1);
    take_load(&b, 0, 0x1000, 3, 10);
    assert_true(lsu_accepts(&b.lsu, true, 10));
    take_load(&b, 1, 0x2180, 1, 10);
    assert_false(lsu_accepts(&b.lsu, true, 10));
    cycles(&b, 11, 12);
    assert_false(lsu_accepts(&b.lsu, true, 12)); /* a line of the first is left */
    cycles(&b, 13, 13);
    assert_true(lsu_accepts(&b.lsu, true, 13));
    bed_close(&b);
}

TEST(in_a_cycle_in_which_another_sm_reads_this_l1_nothing_goes_in)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    take_load(&b, 0, 0x1000, 1, 10);
    b.lsu.l1_taken = 11;
    cycles(&b, 11, 11);
    assert_int_equal(b.sent, 0);
    cycles(&b, 12, 12);
    assert_int_equal(b.sent, 1);
    bed_close(&b);
}

TEST(requests_of_an_instruction_with_regions_are_marked_one_by_one)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b);
    int any;
    take(&b,
         (struct lsu_access){.instruction = &a_load,
                             .regions = (const struct kernel_regions *)(void *)&any,
                             .pieces = 2,
                             .client = CLIENT_L1D,
                             .is_answered = true},
         0x1000, 10);
    cycles(&b, 11, 12);
    assert_int_equal(b.marks, 2);
    assert_int_equal(b.marked[0], 0x1000);
    assert_int_equal(b.marked[1], 0x1080);
    assert_int_equal(((struct request *)pool_get(&b.pool, b.below[1]))->region, 5);
    bed_close(&b);
}

RUN_TESTS(T(a_load_goes_into_l1_in_the_cycle_after_it_was_taken),
          T(lines_of_a_load_go_one_a_cycle_and_it_is_done_with_the_last_answer),
          T(data_is_not_ready_before_the_cycle_that_the_sm_names),
          T(an_instruction_with_more_lines_than_the_buffer_holds_keeps_the_lsu),
          T(a_head_that_waits_for_an_mshr_holds_up_a_hit_behind_it),
          T(with_as_many_instructions_waiting_as_it_has_entries_none_is_accepted),
          T(a_store_takes_no_entry_and_says_whether_it_writes_whole_sectors),
          T(shared_memory_is_busy_for_its_passes),
          T(with_four_parts_a_cycle_three_passes_leave_room_in_it),
          T(passes_through_the_banks_of_l1_hold_up_the_next_instruction_and_not_its_own_lines),
          T(a_sub_core_takes_data_of_several_passes_one_after_the_other),
          T(pieces_for_a_read_only_cache_go_one_a_cycle_and_one_that_is_refused_tries_again),
          T(a_buffer_of_instructions_has_room_for_so_many_whatever_their_lines),
          T(in_a_cycle_in_which_another_sm_reads_this_l1_nothing_goes_in),
          T(requests_of_an_instruction_with_regions_are_marked_one_by_one))

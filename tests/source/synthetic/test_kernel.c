#include "testing.h"

#include "base/arena.h"
#include "base/map.h"
#include "source/source_driver.h"
#include "source/synthetic/kernel.h"
#include "source/synthetic/layout.h"

static struct arena arena;

static struct grid_source make(const struct synthetic_phase *phases, u32 count, u64 blocks,
                               u32 threads, u64 seed)
{
    struct synthetic_kernel k = synthetic_kernel_initial();
    struct err err = ERR_INIT;
    k.phases = phases;
    k.phase_count = count;
    k.blocks = blocks;
    k.threads_per_block = threads;
    k.shared_bytes = 16384;
    for (u32 i = 0; i < count; i++)
        assert_true(
            synthetic_phase_check(&phases[i], k.shared_bytes, (struct src_pos){"t", 0, 0}, &err));
    arena_fini(&arena);
    return synthetic_source(&k, seed, &arena);
}

static struct synthetic_phase phase(struct synthetic_mix mix, struct synthetic_access patterns)
{
    struct synthetic_phase p = synthetic_phase_initial();
    p.mix = mix;
    p.access.stream = patterns.stream;
    p.access.private_reuse = patterns.private_reuse;
    p.access.shared_reuse = patterns.shared_reuse;
    p.access.random = patterns.random;
    p.access.chase = patterns.chase;
    p.dependence_distance = 0;
    return p;
}

/* What a run adds up to; order within a warp matters, order between warps does not. */
struct tally {
    u64 steps, kinds[WINST_EXIT + 1], units[UNIT_COUNT];
    u64 sum; /* of a hash of everything each step said, chained within a warp */
    u64 chain[64];
};

static void count(void *context, u64 block, u32 warp, const struct winst *w)
{
    struct tally *t = context;
    const struct instruction *i = w->instruction;
    u64 h = hash_u64(i->pc ^ w->mask ^ block << 32 ^ (u64)warp << 20);
    t->steps++;
    t->kinds[i->kind]++;
    t->units[i->unit]++;
    for (u32 lane = 0; w->address && lane < 32; lane++) {
        if (w->mask >> lane & 1)
            h = hash_u64(h ^ w->address[lane]);
    }
    t->chain[warp] = hash_u64(t->chain[warp] ^ h);
    t->sum += t->chain[warp];
}

TEST(a_turn_has_the_mix_asked_for_to_within_one)
{
    UNUSED_STATE;
    struct synthetic_phase p =
        phase((struct synthetic_mix){.integer = 50, .fp32 = 30, .load = 15, .sfu = 5},
              (struct synthetic_access){.stream = 1});
    p.code_bytes = 201 * INSTRUCTION_BYTES; /* 200 and the loop's branch */
    p.instructions = 201 * 10;
    struct grid_source g = make(&p, 1, 1, 32, 1);
    struct tally t = {0};
    drive_grid(&g, count, &t);
    assert_int_equal(t.steps, 2010 + 1);
    assert_in_range(t.units[UNIT_INT], 10 * 99, 10 * 101);
    assert_in_range(t.units[UNIT_FP32], 10 * 59, 10 * 61);
    assert_in_range(t.units[UNIT_SFU], 10 * 9, 10 * 11);
    assert_in_range(t.kinds[WINST_LOAD], 10 * 29, 10 * 31);
    assert_int_equal(t.kinds[WINST_CONTROL], 10);
    assert_int_equal(t.kinds[WINST_EXIT], 1);
}

TEST(instructions_are_rounded_up_to_whole_turns)
{
    UNUSED_STATE;
    struct synthetic_phase p =
        phase((struct synthetic_mix){.integer = 1}, (struct synthetic_access){0});
    p.code_bytes = 80;
    p.instructions = 21;
    struct grid_source g = make(&p, 1, 3, 64, 1);
    struct tally t = {0};
    drive_grid(&g, count, &t);
    assert_int_equal(t.steps, 3 * 2 * (30 + 1));
}

/* Positions of the results that sources were written by. */
struct writers {
    u64 last[SYNTHETIC_REGISTERS]; /* number of the result; 0: never */
    u64 results, checked;
    u32 distance;
};

static void check_distance(void *context, u64 block, u32 warp, const struct winst *w)
{
    (void)block;
    (void)warp;
    struct writers *r = context;
    const struct instruction *i = w->instruction;
    if (i->src_count && r->results >= r->distance) {
        u16 source = i->regs[i->dst_count];
        assert_int_equal(r->results + 1 - r->last[source], r->distance);
        r->checked++;
    }
    if (i->dst_count)
        r->last[i->regs[0]] = ++r->results;
}

static u64 distances_checked(u32 distance, u32 code_bytes)
{
    struct synthetic_phase p =
        phase((struct synthetic_mix){.integer = 3, .load = 1, .store = 1, .branch = 1},
              (struct synthetic_access){.stream = 1});
    p.dependence_distance = distance;
    p.code_bytes = code_bytes;
    p.instructions = 8192;
    struct grid_source g = make(&p, 1, 1, 32, 1);
    struct writers r = {.distance = distance};
    drive_grid(&g, check_distance, &r);
    return r.checked;
}

TEST(sources_were_written_exactly_the_distance_back)
{
    UNUSED_STATE;
    assert_true(distances_checked(1, 512) > 8000);
    assert_true(distances_checked(7, 512) > 8000);
    assert_true(distances_checked(42, 512) > 7900);      /* all of the loop's results */
    assert_true(distances_checked(127, 8 * 385) > 7900); /* 256 results: registers in rounds */
    assert_true(distances_checked(100, 8 * 1000) > 7900);
    assert_int_equal(distances_checked(0, 512), 0);
}

static void check_requests(void *context, u64 block, u32 warp, const struct winst *w)
{
    (void)block;
    (void)warp;
    const u32 *wanted = context;
    if (w->instruction->kind != WINST_LOAD)
        return;
    u64 lines[32];
    u32 found = 0;
    assert_int_equal(w->in_global, w->mask);
    for (u32 lane = 0; lane < 32; lane++) {
        u64 line = w->address[lane] / 128;
        bool known = !(w->mask >> lane & 1);
        for (u32 k = 0; k < found; k++)
            known |= lines[k] == line;
        if (!known)
            lines[found++] = line;
    }
    assert_int_equal(found, *wanted);
}

TEST(every_load_touches_exactly_the_lines_asked_for)
{
    UNUSED_STATE;
    const struct synthetic_access patterns[] = {
        {.stream = 1}, {.private_reuse = 1}, {.shared_reuse = 1}, {.random = 1}, {.chase = 1}};
    const u32 requests[] = {1, 2, 3, 8, 17, 32};
    const u32 runs[] = {1, 64};
    for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
        for (size_t k = 0; k < ARRAY_LEN(requests); k++) {
            for (size_t r = 0; r < ARRAY_LEN(runs); r++) {
                struct synthetic_phase p = phase((struct synthetic_mix){.load = 1}, patterns[i]);
                p.access.requests_per_load = requests[k];
                p.access.run_lines = runs[r] % requests[k] ? 1 : runs[r];
                p.access.footprint_bytes = 64 * 128;
                p.instructions = 512;
                struct grid_source g = make(&p, 1, 2, 64, 9);
                drive_grid(&g, check_requests, (void *)(uintptr_t)&requests[k]);
            }
        }
    }
}

/* Lines touched, in all and by more than one warp or block. */
struct reach {
    struct map lines; /* to 1 + the first block that came */
    u64 touches, distinct, by_other_block;
};

static void reach_lines(void *context, u64 block, u32 warp, const struct winst *w)
{
    (void)warp;
    struct reach *r = context;
    u64 owner;
    if (!w->in_global)
        return;
    u64 line = w->address[0] / 128;
    r->touches++;
    if (!map_get(&r->lines, line, &owner))
        map_put(&r->lines, line, block + 1);
    else if (owner != block + 1)
        r->by_other_block++;
}

static struct reach reach_of(const struct synthetic_access *access, u64 blocks)
{
    struct synthetic_phase p = phase((struct synthetic_mix){.load = 1}, *access);
    p.access = *access;
    p.code_bytes = 8 * 65;
    p.instructions = 65 * 16; /* 1024 loads */
    struct grid_source g = make(&p, 1, blocks, 32, 3);
    struct reach r = {0};
    drive_grid(&g, reach_lines, &r);
    r.distinct = r.lines.count;
    map_fini(&r.lines);
    return r;
}

static struct synthetic_access initial_access(void)
{
    return synthetic_phase_initial().access;
}

TEST(a_stream_never_touches_a_line_twice)
{
    UNUSED_STATE;
    struct synthetic_access a = initial_access();
    a.stream = 1;
    struct reach r = reach_of(&a, 4);
    assert_int_equal(r.touches, 4 * 1024);
    assert_int_equal(r.distinct, 4 * 1024);
}

TEST(random_accesses_stay_in_their_footprint_and_cover_it)
{
    UNUSED_STATE;
    struct synthetic_access a = initial_access();
    a.random = 1;
    a.footprint_bytes = 128 * 64;
    assert_int_equal(reach_of(&a, 4).distinct, 64);
    a.run_lines = 16;
    assert_int_equal(reach_of(&a, 4).distinct, 64);
}

TEST(sweeps_share_as_much_as_the_offset_leaves)
{
    UNUSED_STATE;
    struct synthetic_access a = initial_access();
    a.shared_reuse = 1;
    a.footprint_bytes = 128 * 256;
    assert_int_equal(reach_of(&a, 2).by_other_block, 1024); /* one footprint for all */
    a.block_offset_bytes = a.footprint_bytes;
    assert_int_equal(reach_of(&a, 2).by_other_block, 0);
    a.block_offset_bytes = a.footprint_bytes / 4 * 3;
    assert_int_equal(reach_of(&a, 2).by_other_block, 1024 / 4);
    a.block_offset_bytes = a.footprint_bytes;
    a.neighbour_fraction = 0.5;
    assert_in_range(reach_of(&a, 8).by_other_block, 8 * 400, 8 * 624);
    a.neighbour_fraction = 0;
    a.shared_reuse = 0;
    a.private_reuse = 1;
    assert_int_equal(reach_of(&a, 2).by_other_block, 0);
}

static void see_chase(void *context, u64 block, u32 warp, const struct winst *w)
{
    (void)block;
    (void)warp;
    u32 *loads = context;
    if (w->instruction->kind != WINST_LOAD)
        return;
    assert_int_equal(w->instruction->dst_count, 1);
    assert_int_equal(w->instruction->src_count, 1);
    assert_int_equal(w->instruction->regs[0], w->instruction->regs[1]);
    ++*loads;
}

TEST(a_chasing_load_needs_the_result_of_the_one_before)
{
    UNUSED_STATE;
    struct synthetic_phase p = phase((struct synthetic_mix){.load = 1, .integer = 1},
                                     (struct synthetic_access){.chase = 1});
    p.instructions = 640;
    struct grid_source g = make(&p, 1, 1, 32, 1);
    u32 loads = 0;
    drive_grid(&g, see_chase, &loads);
    assert_int_equal(loads, 10 * 31); /* every other of 63 in each of ten turns */
}

static struct tally tally_of(const struct grid_source *g, bool backwards)
{
    struct tally t = {0};
    for (u64 i = 0; i < g->blocks; i++) {
        memset(t.chain, 0, sizeof t.chain);
        assert_int_equal(drive_block(g, backwards ? g->blocks - 1 - i : i, count, &t), 0);
    }
    return t;
}

static struct synthetic_phase busy_phase(void)
{
    struct synthetic_phase p = phase(
        (struct synthetic_mix){
            .integer = 4, .load = 4, .store = 1, .branch = 1, .shared_load = 1, .atomic = 1},
        (struct synthetic_access){1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0});
    p.divergence = 0.3;
    p.barrier_every = 20;
    p.access.neighbour_fraction = 0.2;
    p.access.requests_per_load = 4;
    p.dependence_distance = 3;
    p.instructions = 1000;
    return p;
}

TEST(results_depend_on_the_seed_and_not_on_the_order_of_blocks)
{
    UNUSED_STATE;
    struct synthetic_phase p = busy_phase();
    struct grid_source g = make(&p, 1, 6, 100, 5);
    u64 forwards = tally_of(&g, false).sum, backwards = tally_of(&g, true).sum;
    assert_int_equal(forwards, backwards);
    g = make(&p, 1, 6, 100, 5);
    assert_int_equal(tally_of(&g, false).sum, forwards);
    g = make(&p, 1, 6, 100, 6);
    assert_int_not_equal(tally_of(&g, false).sum, forwards);
}

TEST(blocks_can_run_side_by_side)
{
    UNUSED_STATE;
    struct synthetic_phase p = busy_phase();
    struct grid_source g = make(&p, 1, 2, 32, 5);
    void *a = g.ops->block_begin(g.self, 0, &(struct sm_place){.sm = 0}),
         *b = g.ops->block_begin(g.self, 1, &(struct sm_place){.sm = 1});
    struct winst first, second, alone;
    for (u32 i = 0; i < 100; i++) {
        assert_true(g.ops->step(a, 0, &first));
        assert_true(g.ops->step(b, 0, &second));
        assert_int_equal(first.instruction->pc, second.instruction->pc);
    }
    void *again = g.ops->block_begin(g.self, 1, &(struct sm_place){.sm = 0});
    for (u32 i = 0; i < 100; i++)
        assert_true(g.ops->step(again, 0, &alone));
    assert_int_equal(alone.mask, second.mask);
}

/* Masks of the instructions behind branches. */
struct splits {
    u64 branches, whole, low, high;
};

static void see_split(void *context, u64 block, u32 warp, const struct winst *w)
{
    (void)block;
    (void)warp;
    struct splits *s = context;
    s->branches += w->instruction->kind == WINST_CONTROL;
    s->whole += w->mask == UINT32_MAX;
    s->low += w->mask == 0xff;
    s->high += w->mask == 0xffffff00;
}

TEST(a_split_runs_one_side_after_the_other)
{
    UNUSED_STATE;
    struct synthetic_phase p =
        phase((struct synthetic_mix){.integer = 8, .branch = 1}, (struct synthetic_access){0});
    p.code_bytes = 8 * 91;
    p.instructions = 91 * 100;
    p.active_lanes = 8;
    p.divergence = 1;
    struct grid_source g = make(&p, 1, 1, 32, 1);
    struct splits s = {0};
    drive_grid(&g, see_split, &s);
    assert_int_equal(s.branches, 1100); /* ten and the loop's own in each turn */
    assert_in_range(s.low, 3800, 4000);
    assert_in_range(s.high, 3800, 4000);
    p.divergence = 0.25;
    g = make(&p, 1, 1, 32, 1);
    s = (struct splits){0};
    drive_grid(&g, see_split, &s);
    assert_in_range(s.low, 800, 1150);
    p.divergence = 0;
    g = make(&p, 1, 1, 32, 1);
    s = (struct splits){0};
    drive_grid(&g, see_split, &s);
    assert_int_equal(s.whole, 9100 + 1);
}

TEST(barriers_come_at_their_distance_and_all_warps_pass)
{
    UNUSED_STATE;
    struct synthetic_phase p =
        phase((struct synthetic_mix){.integer = 1}, (struct synthetic_access){0});
    p.code_bytes = 8 * 41;
    p.instructions = 41 * 3;
    p.barrier_every = 10;
    struct grid_source g = make(&p, 1, 1, 256, 1);
    struct tally t = {0};
    drive_grid(&g, count, &t);
    assert_int_equal(t.kinds[WINST_BARRIER], 8 * 3 * 4);
}

static void see_code(void *context, u64 block, u32 warp, const struct winst *w)
{
    (void)block;
    (void)warp;
    struct map *pcs = context;
    map_put(pcs, w->instruction->pc, 1);
}

TEST(phases_have_code_of_their_own_and_the_size_asked_for)
{
    UNUSED_STATE;
    struct synthetic_phase p[2] = {
        phase((struct synthetic_mix){.integer = 1}, (struct synthetic_access){0}),
        phase((struct synthetic_mix){.fp32 = 1}, (struct synthetic_access){0})};
    p[0].code_bytes = 4096;
    p[1].code_bytes = 256;
    struct grid_source g = make(p, 2, 1, 32, 1);
    struct map pcs = {0};
    drive_grid(&g, see_code, &pcs);
    assert_int_equal(pcs.count, (4096 + 256) / 8 + 1);
    map_fini(&pcs);
}

static void see_banks(void *context, u64 block, u32 warp, const struct winst *w)
{
    (void)block;
    (void)warp;
    const u32 *conflicts = context;
    u32 in_bank[32] = {0}, most = 0;
    if (!w->in_shared)
        return;
    for (u32 lane = 0; lane < 32; lane++) {
        assert_true(w->address[lane] + 4 <= 16384);
        u32 n = ++in_bank[w->address[lane] / 4 % 32];
        most = n > most ? n : most;
    }
    assert_int_equal(most, *conflicts);
}

TEST(shared_memory_accesses_have_the_conflicts_asked_for)
{
    UNUSED_STATE;
    for (u32 conflicts = 1; conflicts <= 32; conflicts *= 2) {
        struct synthetic_phase p =
            phase((struct synthetic_mix){.shared_load = 1, .shared_store = 1},
                  (struct synthetic_access){0});
        p.shared_conflicts = conflicts;
        struct grid_source g = make(&p, 1, 1, 32, 1);
        drive_grid(&g, see_banks, &conflicts);
    }
    arena_fini(&arena);
}

RUN_TESTS(T(a_turn_has_the_mix_asked_for_to_within_one),
          T(instructions_are_rounded_up_to_whole_turns),
          T(sources_were_written_exactly_the_distance_back),
          T(every_load_touches_exactly_the_lines_asked_for), T(a_stream_never_touches_a_line_twice),
          T(random_accesses_stay_in_their_footprint_and_cover_it),
          T(sweeps_share_as_much_as_the_offset_leaves),
          T(a_chasing_load_needs_the_result_of_the_one_before),
          T(results_depend_on_the_seed_and_not_on_the_order_of_blocks),
          T(blocks_can_run_side_by_side), T(a_split_runs_one_side_after_the_other),
          T(barriers_come_at_their_distance_and_all_warps_pass),
          T(phases_have_code_of_their_own_and_the_size_asked_for),
          T(shared_memory_accesses_have_the_conflicts_asked_for))

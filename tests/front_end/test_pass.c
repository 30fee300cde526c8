/* Predictors, BTBs and I-caches over programs small enough to count by hand. */
#include "cpu/bed.h"
#include "testing.h"

#include "front_end/pass.h"
#include "base/rng.h"

struct pass_bed {
    struct arena arena, thread;
    struct stats stats;
    struct predictor_run_config predictors[2];
    struct btb_run_config btbs[4];
    struct icache_run_config icaches[8];
    struct pass_config config;
    struct front_pass *pass;
};

static const char *names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};

static void open_pass(struct pass_bed *b)
{
    u32 predictors = 0, btbs = 0, icaches = 0;
    struct err err = ERR_INIT;
    while (predictors < 2 && b->predictors[predictors].predictor)
        predictors++;
    while (btbs < 4 && b->btbs[btbs].entries)
        btbs++;
    while (icaches < 8 && b->icaches[icaches].size_bytes)
        icaches++;
    b->config = (struct pass_config){
        {predictors, names, b->predictors}, {btbs, names, b->btbs}, {icaches, names, b->icaches}};
    stats_init(&b->stats, &b->arena);
    b->pass = pass_create(&b->config, &b->stats, &b->arena);
    assert_true(pass_begin_thread(b->pass, &b->thread, &err));
}

static void run_pass(struct pass_bed *b, struct program *p)
{
    struct err err = ERR_INIT;
    open_pass(b);
    assert_false(pass_read(b->pass, &p->stream, UINT64_MAX));
    pass_end_thread(b->pass);
    pass_settle(b->pass);
    if (!stats_check_laws(&b->stats, &err))
        bed_fail(&err);
    free(p);
}

static void close_pass(struct pass_bed *b)
{
    arena_fini(&b->arena);
    arena_fini(&b->thread);
}

static u64 icache_misses(const struct pass_bed *b, u32 i)
{
    return b->pass->icaches[i].counts.misses[CPU_TOTAL];
}

static u64 btb_misses(const struct pass_bed *b, u32 i)
{
    return b->pass->btbs[i].counts.misses[CPU_TOTAL];
}

/* ---- BTBs ---- */

/* `count` jumps, each `apart` bytes behind the one before, and round again. */
static struct program *jumps(u32 count, u64 apart, u32 rounds)
{
    struct program *p = program_new();
    u64 first = p->pc;
    for (u32 i = 0; i < count * rounds; i++)
        emit_branch(p, CPU_JUMP, first + (i + 1) % count * apart);
    return p;
}

TEST(as_many_taken_branches_as_entries_miss_once_each_in_a_fully_associative_btb)
{
    UNUSED_STATE;
    struct pass_bed b = {.btbs = {{64, 64}, {63, 63}}};
    run_pass(&b, jumps(64, 4, 10));
    assert_int_equal(btb_misses(&b, 0), 64);
    assert_int_equal(btb_misses(&b, 1), 640); /* one too many: LRU has none of them */
    close_pass(&b);
}

TEST(two_branches_of_a_set_miss_always_in_one_way_and_once_each_in_two)
{
    UNUSED_STATE;
    struct pass_bed b = {.btbs = {{256, 1}, {256, 2}}};
    run_pass(&b, jumps(2, 256, 100)); /* addresses 256 apart: one set of 256 and of 128 */
    assert_int_equal(btb_misses(&b, 0), 200);
    assert_int_equal(btb_misses(&b, 1), 2);
    close_pass(&b);
}

TEST(a_branch_that_is_not_taken_and_a_return_ask_no_btb)
{
    UNUSED_STATE;
    struct pass_bed b = {.btbs = {{4, 4}}};
    struct program *p = program_new();
    emit_branch(p, CPU_CONDITIONAL, p->pc + 64)->taken = false;
    emit_branch(p, CPU_RETURN, 0x1000);
    run_pass(&b, p);
    assert_int_equal(b.pass->btbs[0].counts.lookups[CPU_TOTAL], 0);
    close_pass(&b);
}

TEST(a_branch_that_goes_elsewhere_is_a_wrong_target_and_no_miss)
{
    UNUSED_STATE;
    struct pass_bed b = {.btbs = {{4, 4}}};
    struct program *p = program_new();
    u64 first = p->pc;
    emit_branch(p, CPU_INDIRECT_JUMP, 0x500000);
    for (u32 i = 0; i < 3; i++) {
        emit_branch(p, CPU_JUMP, first);
        emit_branch(p, CPU_INDIRECT_JUMP, i < 2 ? 0x600000 : 0x500000);
    }
    run_pass(&b, p);
    /* jumps at 0x500000 and 0x600000 miss once each, the indirect one once */
    assert_int_equal(btb_misses(&b, 0), 3);
    assert_int_equal(b.pass->btbs[0].counts.wrong_targets[CPU_TOTAL], 2);
    close_pass(&b);
}

/* ---- I-caches ---- */

/* Straight code of `bytes`, the last instruction of which jumps back. */
static struct program *loop_of(u32 bytes, u32 rounds)
{
    struct program *p = program_new();
    u64 first = p->pc;
    for (u32 r = 0; r < rounds; r++) {
        for (u32 i = 0; i < bytes / 4 - 1; i++)
            emit(p, CPU_ALU, 0, 0);
        emit_branch(p, CPU_JUMP, first);
    }
    return p;
}

TEST(a_loop_that_fits_misses_once_a_line_and_one_line_more_misses_always)
{
    UNUSED_STATE;
    struct pass_bed b = {.icaches = {{1024, 16, 64}, {1024, 16, 64}}};
    run_pass(&b, loop_of(1024, 20));
    assert_int_equal(icache_misses(&b, 0), 16);
    assert_int_equal(b.pass->icaches[0].counts.accesses[CPU_TOTAL], 16 * 20);
    close_pass(&b);
    struct pass_bed more = {.icaches = {{1024, 16, 64}}};
    run_pass(&more, loop_of(1024 + 64, 20));
    assert_int_equal(icache_misses(&more, 0), 17 * 20);
    close_pass(&more);
}

TEST(lines_twice_as_wide_halve_accesses_and_misses_of_sequential_code)
{
    UNUSED_STATE;
    struct pass_bed b = {.icaches = {{8192, 4, 32}, {8192, 4, 64}, {8192, 4, 128}}};
    run_pass(&b, loop_of(65536, 1));
    for (u32 i = 0; i < 3; i++) {
        const struct icache_run_counts *n = &b.pass->icaches[i].counts;
        assert_int_equal(n->accesses[CPU_TOTAL], 2048 >> i);
        assert_int_equal(n->misses[CPU_TOTAL], 2048 >> i);
        assert_int_equal(n->used_bytes[CPU_TOTAL], n->whole_bytes[CPU_TOTAL]);
    }
    close_pass(&b);
}

TEST(blocks_of_32_bytes_one_in_128_use_a_quarter_of_a_line)
{
    UNUSED_STATE;
    struct pass_bed b = {.icaches = {{1024, 8, 128}}};
    struct program *p = program_new();
    for (u32 k = 0; k < 100; k++) {
        for (u32 i = 0; i < 7; i++)
            emit(p, CPU_ALU, 0, 0);
        emit_branch(p, CPU_JUMP, p->pc - 28 + 128);
    }
    run_pass(&b, p);
    const struct icache_run_counts *n = &b.pass->icaches[0].counts;
    assert_int_equal(n->lines, 100);
    assert_int_equal(4 * n->used_bytes[CPU_TOTAL], n->whole_bytes[CPU_TOTAL]);
    close_pass(&b);
}

/* Blocks of code in any order. */
static struct program *wander(u32 blocks, u32 count)
{
    struct program *p = program_new();
    struct rng rng;
    u64 first = p->pc;
    rng_init(&rng, 7, "wander");
    for (u32 i = 0; i < count; i++) {
        emit(p, CPU_ALU, 0, 0);
        emit_branch(p, CPU_JUMP, first + rng_below(&rng, blocks) * 64);
    }
    return p;
}

TEST(a_larger_fully_associative_cache_never_misses_more)
{
    UNUSED_STATE;
    struct pass_bed b = {.icaches = {{64, 1, 64},
                                     {128, 2, 64},
                                     {256, 4, 64},
                                     {512, 8, 64},
                                     {1024, 16, 64},
                                     {2048, 32, 64},
                                     {4096, 64, 64}}};
    run_pass(&b, wander(60, 10000));
    for (u32 i = 1; i < 7; i++)
        assert_true(icache_misses(&b, i) <= icache_misses(&b, i - 1));
    assert_int_equal(icache_misses(&b, 6), 60);
    close_pass(&b);
}

TEST(a_stretch_that_begins_within_a_line_accesses_it_once_and_a_jump_back_again)
{
    UNUSED_STATE;
    struct pass_bed b = {.icaches = {{1024, 4, 64}}};
    struct program *p = program_new();
    p->pc = 0x400030; /* 16 bytes before a line ends */
    for (u32 i = 0; i < 7; i++)
        emit(p, CPU_ALU, 0, 0);
    emit_branch(p, CPU_JUMP, 0x400044); /* into the line that it is in */
    emit(p, CPU_ALU, 0, 0);
    run_pass(&b, p);
    assert_int_equal(b.pass->icaches[0].counts.accesses[CPU_TOTAL], 3);
    assert_int_equal(icache_misses(&b, 0), 2);
    assert_int_equal(b.pass->icaches[0].counts.used_bytes[CPU_TOTAL], 32);
    close_pass(&b);
}

/* ---- sections ---- */

static void emit_event(struct program *p, enum cpu_event e)
{
    struct cpu_instruction *i = emit(p, CPU_EVENT, 0, 0);
    i->event = (u8)e;
    p->pc -= 4;
}

TEST(counts_belong_to_the_section_that_they_were_made_in)
{
    UNUSED_STATE;
    struct pass_bed b = {.predictors = {{"gshare,history_bits=1", 0, 0}},
                         .btbs = {{64, 64}},
                         .icaches = {{1024, 16, 64}}};
    struct program *p = program_new();
    u64 first = p->pc;
    emit(p, CPU_ALU, 0, 0);
    emit_event(p, CPU_PARALLEL_START);
    emit_branch(p, CPU_CONDITIONAL, first + 256); /* counters begin weakly not taken: a miss */
    emit_event(p, CPU_PARALLEL_END);
    emit_branch(p, CPU_JUMP, first);
    run_pass(&b, p);
    const struct front_pass *f = b.pass;
    assert_int_equal(f->counts.instructions[CPU_SERIAL], 2);
    assert_int_equal(f->counts.instructions[CPU_PARALLEL], 1);
    assert_int_equal(f->predictors[0].counts.misses[CPU_PARALLEL], 1);
    assert_int_equal(f->predictors[0].counts.forward_misses[CPU_PARALLEL], 1);
    assert_int_equal(f->predictors[0].counts.misses[CPU_SERIAL], 0);
    assert_int_equal(f->btbs[0].counts.misses[CPU_PARALLEL], 1);
    assert_int_equal(f->btbs[0].counts.misses[CPU_SERIAL], 1);
    assert_int_equal(f->icaches[0].counts.misses[CPU_SERIAL], 2);
    assert_int_equal(f->icaches[0].counts.accesses[CPU_PARALLEL], 1);
    close_pass(&b);
}

TEST(a_line_is_used_for_the_section_that_brought_it)
{
    UNUSED_STATE;
    struct pass_bed b = {.icaches = {{1024, 16, 64}}};
    struct program *p = program_new();
    u64 first = p->pc;
    emit(p, CPU_ALU, 0, 0);
    emit_event(p, CPU_PARALLEL_START);
    emit(p, CPU_ALU, 0, 0); /* 4 more bytes of the serial line */
    emit_branch(p, CPU_JUMP, first + 256);
    emit(p, CPU_ALU, 0, 0); /* 4 of a line of its own */
    emit_event(p, CPU_PARALLEL_END);
    run_pass(&b, p);
    const struct icache_run_counts *n = &b.pass->icaches[0].counts;
    assert_int_equal(n->used_bytes[CPU_SERIAL], 12);
    assert_int_equal(n->used_bytes[CPU_PARALLEL], 4);
    assert_int_equal(n->whole_bytes[CPU_SERIAL], 64);
    assert_int_equal(n->whole_bytes[CPU_PARALLEL], 64);
    assert_int_equal(n->used_bytes[CPU_TOTAL], 16);
    close_pass(&b);
}

/* ---- beside the timed core ---- */

/* Loops with constant and varying counts, calls, indirect jumps: 30,000 instructions. */
static struct program *branches_of_all_kinds(void)
{
    struct program *p = program_new();
    struct rng rng;
    u64 first = p->pc;
    rng_init(&rng, 3, "branches");
    while (p->count < 30000) {
        u64 block = first + rng_below(&rng, 200) * 128, rounds = 1 + rng_below(&rng, 9);
        emit_branch(p, rng_below(&rng, 3) ? CPU_JUMP : CPU_INDIRECT_JUMP, block);
        for (u64 r = 0; r < rounds; r++) {
            emit(p, CPU_ALU, 1, 2);
            struct cpu_instruction *i = emit_branch(p, CPU_CONDITIONAL, block);
            i->taken = r + 1 < rounds;
            p->pc = i->taken ? block : i->pc + 4;
        }
        emit_branch(p, CPU_CONDITIONAL, p->pc + 8 + rng_below(&rng, 2) * 8);
    }
    return p;
}

TEST(the_timed_core_and_the_pass_count_the_same_mispredictions_and_btb_misses)
{
    UNUSED_STATE;
    static const char *const sets[] = {"core.branch.predictor=tournament",
                                       "policy.branch.tournament.address_bits=10",
                                       "policy.branch.tournament.history_bits=8",
                                       "core.branch.loop_entries=64",
                                       "core.branch.btb_entries=256",
                                       "core.branch.btb_ways=4",
                                       "core.l1i.perfect=true",
                                       NULL};
    struct bed timed;
    u64 cycles = run_program(&timed, branches_of_all_kinds(), sets);
    const struct branch_counts *n = &bed_core(&timed, 0)->branch.counts;
    struct pass_bed b = {.predictors = {{"tournament,address_bits=10,history_bits=8", 64, 0}},
                         .btbs = {{256, 4}}};
    run_pass(&b, branches_of_all_kinds());
    const struct predictor_run_counts *m = &b.pass->predictors[0].counts;
    assert_true(cycles > 0 && n->direction_misses > 1000);
    assert_int_equal(m->conditional[CPU_TOTAL], n->conditional);
    assert_int_equal(m->misses[CPU_TOTAL], n->direction_misses);
    assert_int_equal(m->not_taken_misses[CPU_TOTAL], n->not_taken_misses);
    assert_int_equal(m->backward_misses[CPU_TOTAL], n->backward_misses);
    assert_int_equal(m->forward_misses[CPU_TOTAL], n->forward_misses);
    assert_int_equal(m->loop_overrides, n->loop_overrides);
    assert_int_equal(m->storage_bits, n->storage_bits);
    assert_int_equal(b.pass->btbs[0].counts.lookups[CPU_TOTAL], n->btb_lookups);
    assert_int_equal(b.pass->btbs[0].counts.misses[CPU_TOTAL], n->btb_misses);
    assert_int_equal(b.pass->btbs[0].counts.wrong_targets[CPU_TOTAL], n->btb_wrong);
    close_pass(&b);
    bed_close(&timed);
}

TEST(a_second_thread_has_structures_of_its_own)
{
    UNUSED_STATE;
    struct pass_bed b = {.btbs = {{64, 64}}, .icaches = {{1024, 16, 64}}};
    struct program *p = loop_of(1024, 2), *q = loop_of(1024, 2);
    struct err err = ERR_INIT;
    open_pass(&b);
    pass_read(b.pass, &p->stream, UINT64_MAX);
    pass_end_thread(b.pass);
    assert_true(pass_begin_thread(b.pass, &b.thread, &err));
    pass_read(b.pass, &q->stream, UINT64_MAX);
    pass_end_thread(b.pass);
    pass_settle(b.pass);
    assert_int_equal(icache_misses(&b, 0), 2 * 16);
    assert_int_equal(btb_misses(&b, 0), 2);
    assert_int_equal(b.pass->counts.threads, 2);
    free(p);
    free(q);
    close_pass(&b);
}

RUN_TESTS(T(as_many_taken_branches_as_entries_miss_once_each_in_a_fully_associative_btb),
          T(two_branches_of_a_set_miss_always_in_one_way_and_once_each_in_two),
          T(a_branch_that_is_not_taken_and_a_return_ask_no_btb),
          T(a_branch_that_goes_elsewhere_is_a_wrong_target_and_no_miss),
          T(a_loop_that_fits_misses_once_a_line_and_one_line_more_misses_always),
          T(lines_twice_as_wide_halve_accesses_and_misses_of_sequential_code),
          T(blocks_of_32_bytes_one_in_128_use_a_quarter_of_a_line),
          T(a_larger_fully_associative_cache_never_misses_more),
          T(a_stretch_that_begins_within_a_line_accesses_it_once_and_a_jump_back_again),
          T(counts_belong_to_the_section_that_they_were_made_in),
          T(a_line_is_used_for_the_section_that_brought_it),
          T(the_timed_core_and_the_pass_count_the_same_mispredictions_and_btb_misses),
          T(a_second_thread_has_structures_of_its_own))

#include "testing.h"

#include "ptx/decode/function.h"
#include "ptx/program.h"

struct flow {
    struct device_memory *memory;
    struct program *program;
    const struct function *f;
};

/* The first function of a text. */
static void flow_load(struct flow *w, const char *body)
{
    struct err err = ERR_INIT;
    char text[4096];
    snprintf(text, sizeof text,
             ".version 8.5\n.target sm_90\n.address_size 64\n"
             ".visible .entry k(.param .u64 out) {\n"
             ".reg .pred %%p<9>; .reg .b32 %%r<40>; .reg .b64 %%rd<20>;\n%s\n}\n",
             body);
    w->memory = memory_create((u64)16 << 20, &err);
    struct program_text source = {"t.ptx", text, strlen(text)};
    w->program = program_load(&source, 1, w->memory, &err);
    if (!w->program)
        fail_msg("%s:%u:%u: %s", err.file, err.line, err.column, err.what);
    w->f = w->program->functions[0];
}

static void flow_end(struct flow *w)
{
    program_destroy(w->program);
    memory_destroy(w->memory);
}

#define NEVER PTX_NONE

/* Meeting points of the branches of a body, in order; instructions count from 0. */
static void expect_meets(const char *body, const u32 *meets, u32 count)
{
    struct flow w;
    flow_load(&w, body);
    u32 n = 0;
    for (u32 i = 0; i < w.f->op_count; i++) {
        if (w.f->ops[i].kind != OP_BRANCH && w.f->ops[i].kind != OP_BRANCH_TABLE)
            continue;
        assert_true(n < count);
        if (w.f->ops[i].reconverge != meets[n])
            fail_msg("the branch at %u meets at %u, expected %u", i, w.f->ops[i].reconverge,
                     meets[n]);
        n++;
    }
    assert_int_equal(n, count);
    flow_end(&w);
}

#define MEETS(body, ...)                                                                           \
    expect_meets(body, (const u32[]){__VA_ARGS__}, sizeof((const u32[]){__VA_ARGS__}) / sizeof(u32))

TEST(an_if_meets_at_its_end)
{
    UNUSED_STATE;
    MEETS("@%p1 bra A;"        /* 0 */
          "add.u32 %r1,%r1,1;" /* 1 */
          "A: ret;",           /* 2 */
          2);
}

TEST(both_sides_of_an_if_else_meet_behind_it)
{
    UNUSED_STATE;
    MEETS("@%p1 bra A;"               /* 0 */
          "add.u32 %r1,%r1,1; bra J;" /* 1 2 */
          "A: add.u32 %r1,%r1,2;"     /* 3 */
          "J: add.u32 %r1,%r1,3;"     /* 4 */
          "ret;",
          4, 4);
}

TEST(a_loop_meets_behind_its_last_branch)
{
    UNUSED_STATE;
    MEETS("L: add.u32 %r1,%r1,1;" /* 0 */
          "@%p1 bra L;"           /* 1 */
          "ret;",                 /* 2 */
          2);
}

TEST(a_break_meets_where_the_loop_ends)
{
    UNUSED_STATE;
    MEETS("L: @%p1 bra OUT;"        /* 0 */
          "add.u32 %r1,%r1,1;"      /* 1 */
          "@%p2 bra L;"             /* 2 */
          "OUT: add.u32 %r1,%r1,2;" /* 3 */
          "ret;",
          3, 3);
}

TEST(a_continue_meets_at_the_end_of_the_body)
{
    UNUSED_STATE;
    MEETS("L: @%p1 bra C;"        /* 0 */
          "add.u32 %r1,%r1,1;"    /* 1 */
          "C: add.u32 %r2,%r2,1;" /* 2 */
          "@%p2 bra L;"           /* 3 */
          "ret;",                 /* 4 */
          2, 4);
}

TEST(nested_loops_meet_behind_their_own_ends)
{
    UNUSED_STATE;
    MEETS("O: add.u32 %r1,%r1,1;" /* 0 */
          "I: add.u32 %r2,%r2,1;" /* 1 */
          "@%p1 bra I;"           /* 2 */
          "@%p2 bra O;"           /* 3 */
          "ret;",                 /* 4 */
          3, 4);
}

/* Two entries into one loop: the branches inside still meet where it is left. */
TEST(an_irreducible_loop_meets_where_it_is_left)
{
    UNUSED_STATE;
    MEETS("@%p1 bra B;"           /* 0 */
          "A: add.u32 %r1,%r1,1;" /* 1 */
          "B: add.u32 %r2,%r2,1;" /* 2 */
          "@%p2 bra A;"           /* 3 */
          "@%p3 bra B;"           /* 4 */
          "ret;",                 /* 5 */
          2, 4, 5);
}

TEST(a_loop_entered_in_the_middle_by_two_ways_meets_behind_it)
{
    UNUSED_STATE;
    MEETS("@%p1 bra B;"                       /* 0 */
          "A: add.u32 %r1,%r1,1; @%p2 bra X;" /* 1 2 */
          "B: add.u32 %r2,%r2,1; @%p3 bra A;" /* 3 4 */
          "X: ret;",                          /* 5 */
          5, 5, 5);
}

TEST(sides_that_both_end_never_meet)
{
    UNUSED_STATE;
    MEETS("@%p1 bra A;" /* 0 */
          "ret;"
          "A: exit;",
          NEVER);
}

TEST(a_guarded_exit_lets_the_others_go_on_to_no_common_point)
{
    UNUSED_STATE;
    /* from the branch one may end at the exit: the only common point is the end */
    MEETS("@%p1 bra A;" /* 0 */
          "@%p2 exit;"  /* 1 */
          "A: add.u32 %r1,%r1,1;"
          "ret;",
          NEVER);
}

TEST(a_loop_without_a_way_out_meets_nowhere)
{
    UNUSED_STATE;
    MEETS("L: @%p1 bra M;" /* 0 */
          "bra L;"         /* 1 */
          "M: bra L;",     /* 2 */
          NEVER, NEVER, NEVER);
}

TEST(all_targets_of_a_table_meet_behind_the_switch)
{
    UNUSED_STATE;
    MEETS("T: .branchtargets A, B, C;"
          "brx.idx %r1, T;"              /* 0 */
          "A: add.u32 %r2,%r2,1; bra J;" /* 1 2 */
          "B: add.u32 %r2,%r2,2; bra J;" /* 3 4 */
          "C: add.u32 %r2,%r2,3;"        /* 5 */
          "J: ret;",                     /* 6 */
          6, 6, 6);
}

TEST(a_label_at_the_very_end_is_the_implicit_return)
{
    UNUSED_STATE;
    MEETS("@%p1 bra E;"        /* 0 */
          "add.u32 %r1,%r1,1;" /* 1 */
          "E:",                /* 2 */
          2);
}

static bool spins(const char *body)
{
    struct flow w;
    bool found = false;
    flow_load(&w, body);
    for (u32 i = 0; i < w.f->op_count; i++)
        found |= w.f->ops[i].may_spin;
    flow_end(&w);
    return found;
}

TEST(a_loop_that_counts_does_not_wait)
{
    UNUSED_STATE;
    assert_false(spins("L: add.u32 %r1,%r1,1; setp.lt.u32 %p1,%r1,9; @%p1 bra L;"));
    /* what it loads may be anything, but it is not ordered with other threads */
    assert_false(spins("L: ld.global.u32 %r1,[%rd1]; setp.ne.u32 %p1,%r1,0; @%p1 bra L;"));
    /* an atomic whose result decides nothing */
    assert_false(spins("L: atom.global.add.u32 %r1,[%rd1],1; add.u32 %r2,%r2,1;"
                       "setp.lt.u32 %p1,%r2,9; @%p1 bra L;"));
}

TEST(a_loop_that_leaves_on_what_another_thread_writes_waits)
{
    UNUSED_STATE;
    assert_true(spins("L: ld.volatile.global.u32 %r1,[%rd1]; setp.eq.u32 %p1,%r1,0; @%p1 bra L;"));
    assert_true(spins("L: ld.acquire.gpu.global.u32 %r1,[%rd1]; and.b32 %r2,%r1,1;"
                      "setp.eq.u32 %p1,%r2,0; @%p1 bra L;"));
    assert_true(spins("L: atom.global.cas.b32 %r1,[%rd1],0,1; setp.ne.u32 %p1,%r1,0; @%p1 bra L;"));
    /* left from the middle */
    assert_true(spins("L: atom.global.exch.b32 %r1,[%rd1],1; setp.eq.u32 %p1,%r1,0; @%p1 bra X;"
                      "bra L; X: ret;"));
    assert_true(spins("L: nanosleep.u32 10; setp.lt.u32 %p1,%r1,9; @%p1 bra L;"));
}

static u32 registers(const char *body)
{
    struct flow w;
    flow_load(&w, body);
    u32 n = w.f->live_registers;
    flow_end(&w);
    return n;
}

TEST(a_value_is_live_from_its_making_to_its_last_use)
{
    UNUSED_STATE;
    assert_int_equal(registers("ret;"), 0);
    /* r1 alone, then r1 and r2, then their sum */
    assert_int_equal(registers("mov.u32 %r1,1; mov.u32 %r2,2; add.u32 %r3,%r1,%r2;"
                               "st.shared.u32 [%r3],%r3;"),
                     2);
    /* a 64-bit address takes two */
    assert_int_equal(registers("ld.param.u64 %rd1,[out]; mov.u32 %r1,1; st.global.u32 [%rd1],%r1;"),
                     3);
    /* predicates take none of them */
    assert_int_equal(registers("mov.u32 %r1,1; setp.eq.u32 %p1,%r1,0; @%p1 exit;"), 1);
}

TEST(what_a_loop_reads_again_is_live_all_around_it)
{
    UNUSED_STATE;
    /* r1 counts, r2 is the bound, r3 the address; r4 is new in every turn */
    assert_int_equal(registers("mov.u32 %r1,0; mov.u32 %r2,9; mov.u32 %r3,0;"
                               "L: ld.shared.u32 %r4,[%r3]; add.u32 %r1,%r1,%r4;"
                               "setp.lt.u32 %p1,%r1,%r2; @%p1 bra L;"),
                     4);
}

TEST(loads_of_vectors_end_the_life_of_what_they_overwrite)
{
    UNUSED_STATE;
    assert_int_equal(registers("mov.u32 %r9,0; ld.shared.v4.u32 {%r1,%r2,%r3,%r4},[%r9];"
                               "add.u32 %r1,%r1,%r2; add.u32 %r1,%r1,%r3; add.u32 %r1,%r1,%r4;"
                               "st.shared.u32 [%r1],%r1;"),
                     4);
}

RUN_TESTS(T(an_if_meets_at_its_end), T(both_sides_of_an_if_else_meet_behind_it),
          T(a_loop_meets_behind_its_last_branch), T(a_break_meets_where_the_loop_ends),
          T(a_continue_meets_at_the_end_of_the_body), T(nested_loops_meet_behind_their_own_ends),
          T(an_irreducible_loop_meets_where_it_is_left),
          T(a_loop_entered_in_the_middle_by_two_ways_meets_behind_it),
          T(sides_that_both_end_never_meet),
          T(a_guarded_exit_lets_the_others_go_on_to_no_common_point),
          T(a_loop_without_a_way_out_meets_nowhere),
          T(all_targets_of_a_table_meet_behind_the_switch),
          T(a_label_at_the_very_end_is_the_implicit_return), T(a_loop_that_counts_does_not_wait),
          T(a_loop_that_leaves_on_what_another_thread_writes_waits),
          T(a_value_is_live_from_its_making_to_its_last_use),
          T(what_a_loop_reads_again_is_live_all_around_it),
          T(loads_of_vectors_end_the_life_of_what_they_overwrite))

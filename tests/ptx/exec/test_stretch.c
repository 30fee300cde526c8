#include "running.h"

#include "ptx/exec/warp.h"
#include "ptx/kernel_source.h"

#define BUFFER_BYTES (1u << 20)

/* A kernel as the timing model sees it: one warp, stepped by the test. */
struct stepped {
    struct run r;
    struct ptx_source *s;
    struct grid_source g;
    void *block;
    cycle_t clock;
};

static void stepped_begin_with(struct stepped *t, const char *text, u32 threads)
{
    *t = (struct stepped){0};
    run_load(&t->r, text, BUFFER_BYTES);
    t->r.launch.block[0] = threads;
    t->s = ptx_source_open(&t->r.launch, &t->r.err);
    assert_non_null(t->s);
    t->g = ptx_source_grid(t->s);
    t->block = t->g.ops->block_begin(t->g.self, 0, &(struct sm_place){.clock = &t->clock});
}

static void stepped_begin(struct stepped *t, const char *text)
{
    stepped_begin_with(t, text, 32);
}

static void stepped_end(struct stepped *t)
{
    t->g.ops->block_end(t->g.self, t->block);
    ptx_source_close(t->s);
    run_end(&t->r);
}

/* Steps up to and with the next instruction of a kind; how many steps that took. */
static u32 step_to(struct stepped *t, u8 kind, struct winst *x)
{
    const struct instruction *next;
    u32 steps = 0;
    do {
        assert_int_equal(t->g.ops->next(t->block, 0, &next), NEXT_READY);
        assert_true(t->g.ops->step(t->block, 0, x));
        assert_ptr_equal(x->instruction, next);
        steps++;
    } while (x->instruction->kind != kind || x->instruction->space == SPACE_PARAM);
    return steps;
}

static u32 word(const struct stepped *t, u32 index)
{
    return ((const u32 *)(uintptr_t)t->r.out)[index];
}

TEST(a_store_is_in_memory_once_the_first_of_its_stretch_has_issued)
{
    (void)state;
    struct stepped t;
    struct winst x;
    stepped_begin(&t, KERNEL("add.u32 %r2, %r1, 5; st.global.u32 [%rd3], %r2; ret;"));
    assert_int_equal(word(&t, 3), 0);
    step_to(&t, WINST_ARITHMETIC, &x);
    assert_int_equal(word(&t, 3), 8);
    assert_int_equal(step_to(&t, WINST_STORE, &x), 4); /* mul, add, add, st */
    assert_int_equal(x.pattern, ACCESS_ROW);
    stepped_end(&t);
}

/* Otherwise a loop that waits could not see what it waits for. */
TEST(a_volatile_load_executes_when_it_issues)
{
    (void)state;
    struct stepped t;
    struct winst x;
    stepped_begin(&t, KERNEL("add.u32 %r2, %r1, 5; ld.volatile.global.u32 %r3, [%rd3];\n"
                             "st.global.u32 [%rd3+4096], %r3; ret;"));
    step_to(&t, WINST_ARITHMETIC, &x);
    ((u32 *)(uintptr_t)t.r.out)[3] = 77;
    step_to(&t, WINST_STORE, &x);
    assert_int_equal(word(&t, 1024 + 3), 77);
    stepped_end(&t);
}

TEST(a_stretch_ends_at_a_barrier)
{
    (void)state;
    struct stepped t;
    struct winst x;
    stepped_begin(&t, KERNEL("add.u32 %r2, %r1, 5; bar.sync 0; st.global.u32 [%rd3], %r2;\n"
                             "add.u32 %r4, %r2, 1; add.u32 %r5, %r2, 2; ret;"));
    step_to(&t, WINST_BARRIER, &x);
    assert_int_equal(word(&t, 3), 0);
    step_to(&t, WINST_STORE, &x);
    assert_int_equal(word(&t, 3), 8);
    stepped_end(&t);
}

/* Lane i stores at i * i * scale. */
#define SQUARES(scale)                                                                             \
    KERNEL("mul.lo.u32 %r2, %r1, %r1; mul.wide.u32 %rd4, %r2, " #scale ";\n"                       \
           "add.u64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r1;\n"                                \
           "st.global.u32 [%rd5+4], %r1; ret;")

static void expect_squares(const char *text, u32 scale)
{
    struct stepped t;
    struct winst x;
    stepped_begin(&t, text);
    for (u32 n = 0; n < 2; n++) {
        step_to(&t, WINST_STORE, &x);
        assert_int_equal(x.in_global, UINT32_MAX);
        for (u32 i = 0; i < 32; i++)
            assert_int_equal(x.address[i], t.r.out + (u64)i * i * scale + 4 * n);
    }
    stepped_end(&t);
}

/* The record keeps what addresses differ by, in 16 or 64 bits. */
TEST(lanes_anywhere_are_told_where_they_went)
{
    (void)state;
    expect_squares(SQUARES(4), 4);     /* up to 3,844 bytes */
    expect_squares(SQUARES(64), 64);   /* 61,504 */
    expect_squares(SQUARES(512), 512); /* 492,032 */
}

TEST(lanes_in_one_line_are_told_where_they_went)
{
    (void)state;
    struct stepped t;
    struct winst x;
    stepped_begin(&t, KERNEL("xor.b32 %r2, %r1, 5; mul.wide.u32 %rd4, %r2, 4;\n"
                             "add.u64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r1; ret;"));
    step_to(&t, WINST_STORE, &x);
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(x.address[i], t.r.out + (i ^ 5) * 4);
    stepped_end(&t);
}

/* Lane i is at row[i ^ 5] and at row[i / 2]; lists of both kinds are kept once, and told each time.
 */
TEST(accesses_by_one_index_are_told_where_each_went)
{
    (void)state;
    struct stepped t;
    struct winst x;
    stepped_begin(
        &t, KERNEL("xor.b32 %r2, %r1, 5; mul.wide.u32 %rd4, %r2, 4; add.u64 %rd5, %rd1, %rd4;\n"
                   "shr.u32 %r3, %r1, 1; mul.wide.u32 %rd6, %r3, 4; add.u64 %rd7, %rd1, %rd6;\n"
                   "st.global.u32 [%rd5], %r1; st.global.u32 [%rd7+256], %r1;\n"
                   "st.global.u32 [%rd5+512], %r1; st.global.u32 [%rd7+768], %r1;\n"
                   "st.global.u32 [%rd5+1024], %r1; ret;"));
    for (u32 n = 0; n < 5; n++) {
        step_to(&t, WINST_STORE, &x);
        for (u32 i = 0; i < 32; i++)
            assert_int_equal(x.address[i], t.r.out + 256 * n + (n % 2 ? i / 2 : i ^ 5) * 4);
    }
    stepped_end(&t);
}

TEST(a_guarded_instruction_of_a_stretch_has_its_own_lanes)
{
    (void)state;
    struct stepped t;
    struct winst x;
    stepped_begin(&t, KERNEL("setp.lt.u32 %p1, %r1, 10; @%p1 add.u32 %r2, %r1, 5;\n"
                             "@%p1 st.global.u32 [%rd3], %r2; st.global.u32 [%rd3+4096], %r1;\n"
                             "ret;"));
    step_to(&t, WINST_STORE, &x);
    assert_int_equal(x.in_global, (1u << 10) - 1);
    step_to(&t, WINST_STORE, &x);
    assert_int_equal(x.in_global, UINT32_MAX);
    stepped_end(&t);
}

/* Generic addresses: even lanes mean shared memory, odd ones global. */
TEST(lanes_of_a_generic_store_are_told_by_memory)
{
    (void)state;
    struct stepped t;
    struct winst x;
    stepped_begin(&t, HEADER ".shared .align 4 .b8 s[256];\n" PROLOGUE
                             "mov.u64 %rd4, s; cvta.shared.u64 %rd4, %rd4;\n"
                             "add.u64 %rd4, %rd4, %rd2; and.b32 %r2, %r1, 1;\n"
                             "setp.eq.u32 %p1, %r2, 0; selp.b64 %rd5, %rd4, %rd3, %p1;\n"
                             "st.u32 [%rd5], %r1; add.u32 %r3, %r1, 1; ret;\n}\n");
    step_to(&t, WINST_STORE, &x);
    assert_int_equal(x.in_shared, 0x55555555);
    assert_int_equal(x.in_global, 0xaaaaaaaa);
    assert_int_equal(x.address[2], 8);
    assert_int_equal(x.address[3], t.r.out + 12);
    stepped_end(&t);
}

/* Of the warp's registers in its frame, 32-bit words that are not 0. */
static u32 words_in_frame(const struct stepped *t)
{
    const struct warp *w = &((const struct block *)t->block)->warps[0];
    u32 count = 0, x;
    for (u32 at = REGISTERS_OFFSET; at + 4 <= w->register_room; at += 4) {
        memcpy(&x, w->registers + at, 4);
        count += x != 0;
    }
    return count;
}

/* Lines of the host's caches that nobody touches need not be in them. */
TEST(a_register_that_lives_within_a_stretch_does_not_touch_the_frame)
{
    (void)state;
    struct stepped t;
    struct winst x;
    stepped_begin(&t, KERNEL("add.u32 %r2, %r1, 5; add.u32 %r3, %r2, 1;\n"
                             "st.global.u32 [%rd3], %r3; ret;"));
    step_to(&t, WINST_STORE, &x);
    assert_int_equal(word(&t, 3), 9);
    assert_int_equal(words_in_frame(&t), 0);
    stepped_end(&t);
}

/* %rd3 has two words of 32 lanes, of which only lane 0's lower one may be 0; %r2 has one. */
TEST(a_register_that_outlives_its_stretch_is_in_the_frame)
{
    (void)state;
    struct stepped t;
    struct winst x;
    stepped_begin(&t, KERNEL("add.u32 %r2, %r1, 5; bar.sync 0; st.global.u32 [%rd3], %r2;\n"
                             "add.u32 %r4, %r2, 1; add.u32 %r5, %r2, 2; ret;"));
    step_to(&t, WINST_BARRIER, &x);
    assert_int_equal(words_in_frame(&t), (u32)t.r.out ? 96 : 95);
    stepped_end(&t);
}

/* So many additions, each to what the one before has made. */
#define TEN                                                                                        \
    "add.u32 %r3, %r2, 1; add.u32 %r2, %r3, 1; add.u32 %r3, %r2, 1; add.u32 %r2, %r3, 1;\n"        \
    "add.u32 %r3, %r2, 1; add.u32 %r2, %r3, 1; add.u32 %r3, %r2, 1; add.u32 %r2, %r3, 1;\n"        \
    "add.u32 %r3, %r2, 1; add.u32 %r2, %r3, 1;\n"

/* A stretch has 32 instructions at most. The second warp's comes between the two of the first. */
TEST(a_stretch_that_is_cut_goes_on_with_what_it_had)
{
    (void)state;
    struct stepped t;
    struct winst x;
    const struct instruction *next;
    stepped_begin_with(
        &t, KERNEL("mov.u32 %r2, %r1;\n" TEN TEN TEN TEN "st.global.u32 [%rd3], %r2; ret;"), 64);
    for (u32 n = 0; n < 2 * 46; n++) { /* the prologue's 4, mov, 40, st */
        u32 warp = n / 32 % 2 && n < 64 ? 1 : n >= 64 ? (n - 64) / 14 : 0;
        assert_int_equal(t.g.ops->next(t.block, warp, &next), NEXT_READY);
        assert_true(t.g.ops->step(t.block, warp, &x));
    }
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(word(&t, i), i + 40);
    stepped_end(&t);
}

/* One that reads it before anybody writes it, in one turn of two. */
TEST(a_register_that_a_loop_carries_is_no_temporary)
{
    (void)state;
    struct run r;
    run_well(&r,
             KERNEL("mov.u32 %r2, 0; mov.u32 %r4, 0;\n"
                    "again: add.u32 %r3, %r2, 3; add.u32 %r2, %r3, 1; add.u32 %r4, %r4, 1;\n"
                    "setp.lt.u32 %p1, %r4, 10; @%p1 bra again;\n"
                    "st.global.u32 [%rd3], %r2; ret;"),
             BUFFER_BYTES);
    assert_int_equal(run_word(&r, 5), 40);
    run_end(&r);
}

static u32 run_again(struct run *r, const char *kernel, u32 index)
{
    r->launch.kernel = program_find_kernel(r->program, kernel);
    assert_true(run_go(r));
    return run_word(r, index);
}

/* Kernel l leaves 7 in every register that it has, k reads one that it has written in odd lanes. */
TEST(a_register_that_is_read_unwritten_is_0_in_every_launch)
{
    (void)state;
    struct run r;
    const char *text = HEADER PROLOGUE
        "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; @%p1 mov.u32 %r3, 5; bar.sync 0;\n"
        "st.global.u32 [%rd3], %r3; ret;\n}\n"
        ".visible .entry l(.param .u64 out) {\n"
        ".reg .b32 %r<20>; .reg .b64 %rd<3>; ld.param.u64 %rd1, [out];\n"
        "mov.u32 %r1, 7; mov.u32 %r2, 7; mov.u32 %r3, 7; mov.u32 %r4, 7; bar.sync 0;\n"
        "add.u32 %r5, %r1, %r2; add.u32 %r6, %r3, %r4; add.u32 %r7, %r5, %r6;\n"
        "st.global.u32 [%rd1], %r7; ret;\n}\n";
    run_well(&r, text, BUFFER_BYTES);
    assert_int_equal(run_again(&r, "l", 0), 28);
    assert_int_equal(run_again(&r, "k", 4), 0);
    assert_int_equal(run_word(&r, 5), 5);
    run_end(&r);
}

TEST(lanes_of_a_generic_store_that_are_all_in_global_memory_are_told_so)
{
    (void)state;
    struct stepped t;
    struct winst x;
    stepped_begin(&t, KERNEL("xor.b32 %r2, %r1, 5; mul.wide.u32 %rd4, %r2, 512;\n"
                             "add.u64 %rd5, %rd1, %rd4; st.u32 [%rd5], %r1; st.u32 [%rd5+8], %r1;\n"
                             "st.u32 [%rd3], %r1; ret;"));
    for (u32 n = 0; n < 3; n++) {
        step_to(&t, WINST_STORE, &x);
        assert_int_equal(x.in_global, UINT32_MAX);
        assert_int_equal(x.in_shared, 0);
        for (u32 i = 0; i < 32; i++)
            assert_int_equal(x.address[i], t.r.out + (n < 2 ? (i ^ 5) * 512 + 8 * n : 4 * i));
    }
    stepped_end(&t);
}

/* What the SM has not seen yet it cannot undo. */
TEST(a_block_within_a_stretch_may_not_begin_again)
{
    (void)state;
    struct stepped t;
    struct winst x;
    stepped_begin(&t, KERNEL("add.u32 %r2, %r1, 5; st.global.u32 [%rd3], %r2; ret;"));
    assert_true(t.g.ops->block_may_restart(t.block));
    step_to(&t, WINST_ARITHMETIC, &x);
    assert_false(t.g.ops->block_may_restart(t.block));
    step_to(&t, WINST_STORE, &x);
    assert_true(t.g.ops->block_may_restart(t.block));
    stepped_end(&t);
}

RUN_TESTS(T(a_store_is_in_memory_once_the_first_of_its_stretch_has_issued),
          T(a_volatile_load_executes_when_it_issues), T(a_stretch_ends_at_a_barrier),
          T(lanes_anywhere_are_told_where_they_went), T(lanes_in_one_line_are_told_where_they_went),
          T(accesses_by_one_index_are_told_where_each_went),
          T(a_guarded_instruction_of_a_stretch_has_its_own_lanes),
          T(lanes_of_a_generic_store_are_told_by_memory),
          T(lanes_of_a_generic_store_that_are_all_in_global_memory_are_told_so),
          T(a_register_that_lives_within_a_stretch_does_not_touch_the_frame),
          T(a_register_that_outlives_its_stretch_is_in_the_frame),
          T(a_stretch_that_is_cut_goes_on_with_what_it_had),
          T(a_register_that_a_loop_carries_is_no_temporary),
          T(a_register_that_is_read_unwritten_is_0_in_every_launch),
          T(a_block_within_a_stretch_may_not_begin_again))

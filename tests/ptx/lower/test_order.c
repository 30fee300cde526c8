/* The order in which machine instructions are issued: loads early, nothing past what it needs. */
#include "ptx/lower/lowering.h"

#include "base/rng.h"
#include "ptx/lower/schedule.h"
#include "ptx/parse/module.h"

#include <string.h>

/* The letters of loads, stores and arithmetic behind the prologue's own. */
static const char *letters(struct lowered *l, const char *among)
{
    static char kept[256];
    u32 n = 0;
    for (u32 i = 0; l->order[i]; i++) {
        if (strchr(among, l->order[i]))
            kept[n++] = l->order[i];
    }
    kept[n] = 0;
    return kept;
}

TEST(loads_are_issued_before_the_first_use_of_any)
{
    UNUSED_STATE;
    struct lowered l =
        run_lowered_well(KERNEL("ld.global.f32 %r4, [%rd3]; add.f32 %r5, %r4, 0f3f800000;\n"
                                "ld.global.f32 %r6, [%rd3+128]; add.f32 %r7, %r5, %r6;\n"
                                "ld.global.f32 %r8, [%rd3+256]; add.f32 %r9, %r7, %r8;\n"
                                "st.global.f32 [%rd3], %r9;"));
    assert_string_equal(letters(&l, "LfS"), "LLLfffS");
}

TEST(a_load_does_not_pass_a_store_that_may_be_to_its_address)
{
    UNUSED_STATE;
    struct lowered l =
        run_lowered_well(KERNEL("mul.wide.u32 %rd5, %r1, 4; add.u64 %rd6, %rd1, %rd5;\n"
                                "st.global.u32 [%rd6+128], %r1; ld.global.u32 %r4, [%rd3];\n"
                                "st.global.u32 [%rd3+256], %r4;"));
    assert_string_equal(letters(&l, "LS"), "SLS");
}

TEST(a_load_passes_a_store_beside_it_and_one_to_another_memory)
{
    UNUSED_STATE;
    struct lowered l = run_lowered_well(KERNEL("st.global.u32 [%rd3+128], %r1;\n"
                                               "ld.global.u32 %r4, [%rd3];\n"
                                               "st.global.u32 [%rd3+256], %r4;"));
    assert_string_equal(letters(&l, "LS"), "LSS");
    l = run_lowered_well(HEADER ".shared .align 4 .b8 tile[128];\n" PROLOGUE
                                "shl.b32 %r5, %r1, 2; mov.u32 %r6, tile; add.u32 %r7, %r6, %r5;\n"
                                "ld.global.u32 %r8, [%rd3+128]; st.shared.u32 [%r7], %r8;\n"
                                "ld.global.u32 %r4, [%rd3]; st.global.u32 [%rd3+256], %r4; }\n");
    assert_string_equal(letters(&l, "LS"), "LLSS");
}

TEST(a_load_of_what_nobody_writes_passes_every_store)
{
    UNUSED_STATE;
    struct lowered l =
        run_lowered_well(KERNEL("mul.wide.u32 %rd5, %r1, 4; add.u64 %rd6, %rd1, %rd5;\n"
                                "st.global.u32 [%rd6+128], %r1; ld.global.nc.u32 %r4, [%rd3];\n"
                                "st.global.u32 [%rd3+256], %r4;"));
    assert_string_equal(letters(&l, "LS"), "LSS");
}

/* A conversion of itself that is set nowhere else, as a fuzzer wrote it: the lowering ends. */
TEST(an_address_that_is_made_of_itself_has_an_end)
{
    UNUSED_STATE;
    struct lowered l;
    run_lowered(KERNEL("cvta.to.global.u64 %rd5, %rd5; ld.global.u32 %r4, [%rd5];\n" STORE), &l);
    assert_false(l.ok); /* it is no address */
}

/* The compiler keeps them all, but the next need not wait for the one before: only an acquire is
 * waited for. */
TEST(volatile_and_relaxed_loads_are_under_way_together_and_acquires_are_not)
{
    UNUSED_STATE;
#define THREE_LOADS(how)                                                                           \
    KERNEL("ld." how ".u32 %r4, [%rd3]; add.f32 %r5, %r4, 0f3f800000;\n"                           \
           "ld." how ".u32 %r6, [%rd3+128]; add.f32 %r7, %r5, %r6;\n"                              \
           "ld." how ".u32 %r8, [%rd3+256]; add.f32 %r9, %r7, %r8;\n"                              \
           "st.global.f32 [%rd3], %r9;")
    struct lowered l = run_lowered_well(THREE_LOADS("volatile.global"));
    assert_string_equal(letters(&l, "LfS"), "LLLfffS");
    l = run_lowered_well(THREE_LOADS("relaxed.gpu.global"));
    assert_string_equal(letters(&l, "LfS"), "LLLfffS");
    l = run_lowered_well(THREE_LOADS("acquire.gpu.global"));
    assert_string_equal(letters(&l, "LfS"), "LfLfLfS");
}

/* The second load reads nothing of the first's, and waits for it all the same: issue is in order.
 */
TEST(what_follows_an_acquire_waits_for_its_value)
{
    UNUSED_STATE;
#define TWO_LOADS(how)                                                                             \
    KERNEL("ld." how ".gpu.global.u32 %r4, [%rd3]; ld.global.u32 %r6, [%rd3+128];\n"               \
           "add.f32 %r7, %r4, %r6; st.global.f32 [%rd3], %r7;")
    for (u32 acquires = 0; acquires < 2; acquires++) {
        struct lowered l = run_lowered_well(acquires ? TWO_LOADS("acquire") : TWO_LOADS("relaxed"));
        u32 first = (u32)(strchr(l.order, 'L') - l.order);
        u32 second = (u32)(strchr(l.order + first + 1, 'L') - l.order);
        bool waits = false;
        for (u32 k = 0; k < 8; k++)
            waits |= l.sources[second][k] == l.result[first];
        assert_int_equal(waits, acquires);
    }
}

/* What others may be waiting for stays where the text has it. */
TEST(nothing_passes_an_atomic_a_volatile_store_or_a_clock)
{
    UNUSED_STATE;
    struct lowered l = run_lowered_well(KERNEL("red.global.add.u32 [%rd1+512], 1;\n"
                                               "ld.global.u32 %r4, [%rd3];\n"
                                               "st.global.u32 [%rd3+256], %r4;"));
    assert_string_equal(letters(&l, "ALS"), "ALS");
    l = run_lowered_well(KERNEL("st.volatile.global.u32 [%rd3+128], %r1;\n"
                                "ld.global.u32 %r4, [%rd3]; st.global.u32 [%rd3+256], %r4;"));
    assert_string_equal(letters(&l, "LS"), "SLS");
    struct lowered timed;
    run_lowered(KERNEL("ld.global.u32 %r4, [%rd3]; mov.u32 %r5, %clock;\n"
                       "ld.global.u32 %r6, [%rd3+128]; add.u32 %r7, %r5, %r6;\n"
                       "st.global.u32 [%rd3], %r7;"),
                &timed);
    assert_non_null(strstr(timed.order, "LiL"));
}

/* Sum of n words, a word a turn; the loop's text starts with the load. */
#define SUM(n)                                                                                     \
    KERNEL("mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u64 %rd4, %rd1; ld.global.u32 %r9, [%rd3];\n"      \
           "L: ld.global.u32 %r4, [%rd4]; add.s32 %r2, %r2, %r4;\n"                                \
           "add.s64 %rd4, %rd4, 4; add.s32 %r3, %r3, 1;\n"                                         \
           "setp.lt.s32 %p1, %r3, " #n "; @%p1 bra L;\n" STORE)

/* Eight turns are twice four: four loads, then four sums that need each other. What is left
 * over of four goes one by one, each sum waiting for its load. */
TEST(an_unrolled_loop_issues_the_loads_of_its_turns_together)
{
    UNUSED_STATE;
    struct lowered l = run_lowered_well(SUM(8));
    const char *first = strstr(l.order, "LLLL");
    assert_non_null(first);
    assert_non_null(strstr(first + 4, "LLLL"));
    l = run_lowered_well(SUM(6));
    const char *kept = letters(&l, "L");
    assert_int_equal(strlen(kept), 1 + 6);
    assert_non_null(strstr(l.order, "LLLL"));
    assert_null(strstr(strstr(l.order, "LLLL") + 4, "LL"));
}

/* Sums of turns follow each other through registers, each in one of its own; the last of four is
 * what the next four start from, and what is stored. */
TEST(turns_hand_their_results_on_and_the_last_is_what_is_left)
{
    UNUSED_STATE;
    struct lowered l = run_lowered_well(SUM(8));
    u32 loads[8], sums[8], count = 0;
    for (u32 i = (u32)(strstr(l.order, "LLLL") - l.order); l.order[i]; i++) {
        if (l.order[i] == 'L')
            loads[count++] = i;
    }
    assert_int_equal(count, 8);
    for (u32 k = 0; k < 8; k++) { /* who reads what load k brought, before the register's next */
        u32 i = loads[k] + 1;
        while (l.sources[i][1] != l.result[loads[k]])
            i++;
        sums[k] = i;
    }
    for (u32 k = 1; k < 8; k++)
        assert_int_equal(l.sources[sums[k]][0], l.result[sums[k - 1]]);
    assert_int_equal(l.result[sums[3]], l.result[sums[7]]);
    assert_int_not_equal(l.result[sums[2]], l.result[sums[3]]);
    const u16 *stored = l.sources[strrchr(l.order, 'S') - l.order];
    assert_true(stored[0] == l.result[sums[7]] || stored[1] == l.result[sums[7]]);
}

/* ---- the schedule itself ------------------------------------------------------------------ */

#define REGISTERS 24u
#define ITEMS 40u
#define BASES 2u
#define SLOTS 3u

struct random_code {
    struct instruction code[ITEMS];
    u16 regs[ITEMS][6];
    struct schedule_item items[ITEMS];
};

static void make_random(struct random_code *c, struct rng *rng)
{
    *c = (struct random_code){0};
    for (u32 i = 0; i < ITEMS; i++) {
        u32 kind = (u32)rng_below(rng, 4);
        struct instruction *x = &c->code[i];
        x->kind = kind == 0 ? WINST_LOAD : kind == 1 ? WINST_STORE : WINST_ARITHMETIC;
        x->unit = kind <= 1 ? UNIT_MEMORY : kind == 2 ? UNIT_INT : UNIT_SFU;
        x->space = rng_below(rng, 2) ? SPACE_SHARED : SPACE_GLOBAL;
        x->dst_count = kind != 1;
        x->src_count = (u8)(1 + rng_below(rng, 3));
        for (u32 k = 0; k < 4; k++)
            c->regs[i][k] = (u16)(1 + rng_below(rng, REGISTERS - 1));
        x->regs = c->regs[i];
        c->items[i].instruction = x;
        if (kind <= 1)
            c->items[i].access = (struct schedule_access){.is_there = true,
                                                          .writes = kind == 1,
                                                          .space = x->space,
                                                          .base_kind = OPERAND_REG,
                                                          .base = (u32)rng_below(rng, BASES),
                                                          .offset = 4 * (i64)rng_below(rng, SLOTS),
                                                          .bytes = 4};
    }
}

static u64 mix(u64 a, u64 b)
{
    return (a ^ b) * 0x9e3779b97f4a7c15ull + (a >> 7);
}

/* Registers and words as hashes of what made them: any wrong order changes one of them. Bases
 * are different places, and an access at one of them sees what any of the others may have
 * written: all of a space is one word, unless the text tells two apart. */
static void run_symbolic(const struct random_code *c, const u32 *order, u64 *regs, u64 *words)
{
    for (u32 n = 0; n < ITEMS; n++) {
        u32 i = order ? order[n] : n;
        const struct instruction *x = &c->code[i];
        const struct schedule_access *a = &c->items[i].access;
        u64 value = i + 1;
        for (u32 k = x->dst_count; k < (u32)x->dst_count + x->src_count; k++)
            value = mix(value, regs[x->regs[k]]);
        u64 *space = words + (x->space == SPACE_SHARED ? BASES * SLOTS : 0);
        for (u32 w = 0; a->is_there && !a->writes && w < BASES * SLOTS; w++) {
            if (w / SLOTS != a->base || w % SLOTS * 4 == (u32)a->offset)
                value = mix(value, space[w]);
        }
        if (a->writes) {
            u64 *word = &space[a->base * SLOTS + (u32)a->offset / 4];
            *word = mix(*word, value);
        }
        if (x->dst_count)
            regs[x->regs[0]] = value;
    }
}

/* So many registers of 32 bits each, none of them live outside, and room for `limit`. */
static struct schedule_registers registers_of(u32 count, u32 limit)
{
    static const bool nowhere[128];
    static u8 weight[128];
    memset(weight, 1, sizeof weight);
    return (struct schedule_registers){
        .count = count, .weight = weight, .live_in = nowhere, .live_out = nowhere, .limit = limit};
}

TEST(any_order_leaves_the_registers_and_memory_of_the_text)
{
    UNUSED_STATE;
    struct rng rng;
    rng_init(&rng, 7, "order");
    u32 moved = 0;
    for (u32 round = 0; round < 300; round++) {
        struct schedule_registers room = registers_of(REGISTERS, round % 2 ? 4 : 1000);
        struct random_code c;
        u32 order[ITEMS];
        struct arena scratch = {0};
        make_random(&c, &rng);
        schedule(c.items, ITEMS, &room, order, &scratch);
        arena_fini(&scratch);
        u64 regs[2][REGISTERS] = {{0}}, words[2][2 * BASES * SLOTS] = {{0}};
        run_symbolic(&c, NULL, regs[0], words[0]);
        run_symbolic(&c, order, regs[1], words[1]);
        assert_memory_equal(regs[0], regs[1], sizeof regs[0]);
        assert_memory_equal(words[0], words[1], sizeof words[0]);
        for (u32 i = 0; i < ITEMS; i++)
            moved += order[i] != i;
    }
    assert_true(moved > 300 * ITEMS / 4);
}

/* 40 loads, each with a sum that needs it and the sum before, in an order that keeps to so many
 * registers. */
static void order_sums(u32 limit, u32 order[80])
{
    struct instruction code[80] = {{0}};
    u16 regs[80][4];
    struct schedule_item items[80] = {{0}};
    for (u32 i = 0; i < 80; i++) {
        bool load = i % 2 == 0;
        code[i] = (struct instruction){.kind = load ? WINST_LOAD : WINST_ARITHMETIC,
                                       .unit = load ? UNIT_MEMORY : UNIT_FP32,
                                       .space = SPACE_GLOBAL,
                                       .dst_count = 1,
                                       .src_count = load ? 0 : 2,
                                       .regs = regs[i]};
        regs[i][0] = (u16)(load ? i + 2 : 1);
        regs[i][1] = 1;
        regs[i][2] = (u16)(i + 1);
        items[i].instruction = &code[i];
    }
    struct arena scratch = {0};
    struct schedule_registers room = registers_of(100, limit);
    schedule(items, 80, &room, order, &scratch);
    arena_fini(&scratch);
}

/* 16 loads, then one more for each that has been used. */
TEST(no_more_than_sixteen_loads_wait_to_be_used)
{
    UNUSED_STATE;
    u32 order[80], under_way = 0;
    order_sums(1000, order);
    for (u32 n = 0; n < 80; n++) {
        bool load = order[n] % 2 == 0;
        assert_int_equal(load, n < 16 || (n < 64 && n % 2 == 1));
        under_way += load ? 1 : (u32)-1;
        assert_true(under_way <= 16);
    }
}

/* Room for five: five loads, the first sum takes the place of what it read, and from then on a load
 * follows each sum. */
TEST(loads_wait_for_registers)
{
    UNUSED_STATE;
    u32 order[80], under_way = 0;
    order_sums(5, order);
    for (u32 n = 0; n < 80; n++) {
        under_way += order[n] % 2 == 0 ? 1 : (u32)-1;
        assert_true(under_way <= 5);
    }
    for (u32 n = 0; n < 5; n++)
        assert_int_equal(order[n], 2 * n);
    assert_int_equal(order[5], 1);
}

static u32 longest_run(const struct lowered *l, char letter)
{
    u32 most = 0, run = 0;
    for (u32 i = 0; l->order[i]; i++) {
        run = l->order[i] == letter ? run + 1 : 0;
        most = run > most ? run : most;
    }
    return most;
}

/* A sum of 16 numbers of 64 bits: two registers each, and with those of the address and the sum
 * more than 32. Where ptxas has taken 128 all loads come first. */
TEST(the_order_takes_as_many_registers_as_a_cubin_says)
{
    UNUSED_STATE;
    char text[4096] = ".reg .f64 %v<20>;\nmov.f64 %v16, 0d0000000000000000;\n", line[128];
    for (u32 i = 0; i < 16; i++) {
        snprintf(line, sizeof line,
                 "ld.global.f64 %%v%u, [%%rd1+%u]; add.f64 %%v16, %%v16, %%v%u;\n", i, 128 * i, i);
        strcat(text, line);
    }
    char kernel[5000];
    snprintf(kernel, sizeof kernel, "%s%s%s", HEADER PROLOGUE, text,
             "st.global.f64 [%rd1+2048], %v16;\n}\n");
    struct lowered l = run_lowered_well(kernel);
    assert_in_range(longest_run(&l, 'L'), 12, 15);
    lowered_registers = 128;
    l = run_lowered_well(kernel);
    assert_int_equal(longest_run(&l, 'L'), 16);
    lowered_registers = 0;
}

RUN_TESTS(T(the_order_takes_as_many_registers_as_a_cubin_says),
          T(loads_are_issued_before_the_first_use_of_any),
          T(an_address_that_is_made_of_itself_has_an_end),
          T(a_load_does_not_pass_a_store_that_may_be_to_its_address),
          T(a_load_passes_a_store_beside_it_and_one_to_another_memory),
          T(a_load_of_what_nobody_writes_passes_every_store),
          T(volatile_and_relaxed_loads_are_under_way_together_and_acquires_are_not),
          T(what_follows_an_acquire_waits_for_its_value),
          T(nothing_passes_an_atomic_a_volatile_store_or_a_clock),
          T(an_unrolled_loop_issues_the_loads_of_its_turns_together),
          T(turns_hand_their_results_on_and_the_last_is_what_is_left),
          T(any_order_leaves_the_registers_and_memory_of_the_text),
          T(no_more_than_sixteen_loads_wait_to_be_used), T(loads_wait_for_registers))

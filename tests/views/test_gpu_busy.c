/* How long kernels took together: the cycles in which at least one of them ran. */
#include "gpu/bed.h"

#include "views/gpu_summary.h"
#include "gpu/script.h"

static const struct scripted_instruction nap[] = {ALU(1, 0), SLEEP(2000), EXIT()};
static const struct scripted_instruction doze[] = {ALU(1, 0), SLEEP(500), EXIT()};

static void launch(struct bed *b, u64 stream, const char *name)
{
    struct scripted_kernel k = KERNEL(nap, 32, .blocks = 4, .stream = stream, .name = name);
    bed_launch(b, &k);
}

/* Twelve warps: each kernel's four issue three instructions each. */
static void assert_all_counted(struct bed *b, u64 cycles)
{
    struct gpu_counters t;
    gpu_busy_numbers(b->gpu, &t);
    assert_int_equal(t.cycles, cycles);
    assert_int_equal(t.warp_instructions, 36);
    assert_int_equal(t.warp_instructions, bed_stat(b, "sm.warp_instructions"));
}

static char *summary(struct bed *b)
{
    struct text t = {0};
    gpu_summary(b->gpu, &t);
    return t.data;
}

static void assert_says(struct bed *b, const char *words)
{
    char *text = summary(b);
    if (!strstr(text, words))
        fail_msg("no '%s' in:\n%s", words, text);
    free(text);
}

TEST(kernels_that_overlap_take_from_the_first_start_to_the_last_end)
{
    UNUSED_STATE;
    struct bed b;
    char words[200];
    bed_open(&b, "fermi15", NULL);
    for (u64 stream = 1; stream <= 3; stream++)
        launch(&b, stream, "side");
    bed_run(&b);
    const struct kernel_record *r = b.gpu->records;
    assert_true(r[0].ended - r[0].started > 2000);
    assert_true(r[2].ended < 2 * 2000);
    u64 cycles = r[2].ended - r[0].started;
    assert_all_counted(&b, cycles);
    snprintf(words, sizeof words, "  3 kernels, %llu cycles", (unsigned long long)cycles);
    assert_says(&b, words);
    bed_close(&b);
}

TEST(kernels_that_follow_each_other_take_the_sum)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, "fermi15", NULL);
    for (u32 k = 0; k < 3; k++)
        launch(&b, 1, "row");
    bed_run(&b);
    const struct kernel_record *r = b.gpu->records;
    assert_all_counted(&b, r[0].numbers.cycles + r[1].numbers.cycles + r[2].numbers.cycles);
    bed_close(&b);
}

/* The short one ends within the long one: 100 % and its own part of it. */
TEST(a_kernels_share_is_of_the_cycles_in_which_one_ran)
{
    UNUSED_STATE;
    struct bed b;
    char words[200];
    bed_open(&b, "fermi15", NULL);
    struct scripted_kernel brief = KERNEL(doze, 32, .stream = 3, .name = "short");
    launch(&b, 1, "long");
    launch(&b, 2, "long");
    bed_launch(&b, &brief);
    bed_run(&b);
    const struct kernel_record *r = b.gpu->records;
    assert_string_equal(r[0].name, "short");
    u64 cycles = r[2].ended - r[1].started, part = r[0].ended - r[0].started;
    snprintf(words, sizeof words, "    %-28s %5.1f %%  %llu cycles, 2 launches", "long", 100.0,
             (unsigned long long)cycles);
    assert_says(&b, words);
    snprintf(words, sizeof words, "    %-28s %5.1f %%  %llu cycles, 1 launch,", "short",
             100.0 * (double)part / (double)cycles, (unsigned long long)part);
    assert_says(&b, words);
    bed_close(&b);
}

/* As after a fault or at the cycle limit. */
TEST(a_kernel_that_has_not_ended_counts_up_to_now)
{
    UNUSED_STATE;
    for (u32 no_skip = 0; no_skip < 2; no_skip++) {
        struct engine_options options = {.max_cycles = 1000, .no_skip = no_skip};
        struct bed b;
        bed_open_engine(&b, "fermi15", NULL, &options);
        launch(&b, 1, "cut");
        assert_int_equal(engine_run(&b.sim.engine), ENGINE_LIMIT);
        gpu_settle(b.gpu);
        struct gpu_counters t;
        gpu_busy_numbers(b.gpu, &t);
        assert_int_equal(t.warp_instructions, 8); /* 4 warps sleep after two each */
        assert_says(&b, "  1 kernel, 999 cycles");
        bed_close(&b);
    }
}

RUN_TESTS(T(kernels_that_overlap_take_from_the_first_start_to_the_last_end),
          T(kernels_that_follow_each_other_take_the_sum),
          T(a_kernels_share_is_of_the_cycles_in_which_one_ran),
          T(a_kernel_that_has_not_ended_counts_up_to_now))

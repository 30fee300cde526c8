/* Fetch: line buffers, instruction cache, and that every instruction retires once. */
#include "cpu/bed.h"

/* A loop of so many lines of 16 instructions, the last of which jumps back. */
static struct program *line_loop(u32 lines, u32 rounds)
{
    struct program *p = program_new();
    for (u32 r = 0; r < rounds; r++) {
        for (u32 i = 0; i < lines * 16 - 1; i++)
            emit(p, CPU_ALU, (u8)(3 + i % 8), 0);
        emit_branch(p, CPU_JUMP, 0x400000);
    }
    return p;
}

static struct private_counts l1i_of(struct program *p, const char *const *sets)
{
    struct bed b;
    run_program(&b, p, sets);
    struct private_counts n = bed_core(&b, 0)->caches.l1i.counts;
    bed_close(&b);
    return n;
}

TEST(a_loop_within_one_line_asks_the_cache_once)
{
    UNUSED_STATE;
    static const char *const one[] = {"core.fetch.line_buffers=1", NULL};
    assert_int_equal(l1i_of(line_loop(1, 100), one).accesses, 1);
}

TEST(a_loop_over_four_lines_asks_once_for_each_with_four_buffers_and_always_with_two)
{
    UNUSED_STATE;
    static const char *const four[] = {"core.fetch.line_buffers=4", NULL};
    static const char *const two[] = {"core.fetch.line_buffers=2", NULL};
    assert_int_equal(l1i_of(line_loop(4, 100), four).accesses, 4);
    assert_int_equal(l1i_of(line_loop(4, 100), two).accesses, 400);
}

TEST(a_loop_that_fits_misses_once_for_each_line)
{
    UNUSED_STATE;
    static const char *const sets[] = {"core.fetch.line_buffers=2", "core.l1i.size_bytes=1024",
                                       "core.l1i.ways=16", NULL};
    struct private_counts n = l1i_of(line_loop(16, 20), sets);
    assert_int_equal(n.misses, 16);
    assert_int_equal(n.accesses, 16 * 20);
}

TEST(a_loop_one_line_larger_than_a_fully_associative_cache_always_misses)
{
    UNUSED_STATE;
    static const char *const sets[] = {"core.fetch.line_buffers=1", "core.l1i.size_bytes=1024",
                                       "core.l1i.ways=16", NULL};
    /* one buffer: a line that is still on its way has not evicted the next one yet */
    struct private_counts n = l1i_of(line_loop(17, 20), sets);
    assert_int_equal(n.misses + n.merges, n.accesses);
    assert_int_equal(n.misses, 17 * 20);
}

TEST(lines_of_twice_the_bytes_are_half_as_many)
{
    UNUSED_STATE;
    static const char *const wide[] = {"line_bytes=128", NULL};
    struct private_counts narrow = l1i_of(line_loop(600, 1), NULL),
                          n = l1i_of(line_loop(600, 1), wide);
    assert_int_equal(narrow.misses, 600);
    assert_int_equal(n.misses, 300);
    assert_int_equal(n.accesses, narrow.accesses / 2);
}

TEST(a_larger_fully_associative_cache_never_misses_more)
{
    UNUSED_STATE;
    u64 last = UINT64_MAX;
    static const char *const sizes[] = {"core.l1i.size_bytes=1024", "core.l1i.size_bytes=2048",
                                        "core.l1i.size_bytes=4096"};
    static const char *const ways[] = {"core.l1i.ways=16", "core.l1i.ways=32", "core.l1i.ways=64"};
    for (u32 i = 0; i < 3; i++) {
        const char *sets[] = {sizes[i], ways[i], "core.fetch.line_buffers=1", NULL};
        struct bed b;
        kernel_cycles(&b, "cpu:code,length=30000,code_bytes=6KiB,taken=0.3", sets);
        u64 misses = bed_core(&b, 0)->caches.l1i.counts.misses;
        assert_true(misses <= last && misses > 0);
        last = misses;
        bed_close(&b);
    }
}

TEST(an_instruction_that_lies_in_two_lines_needs_both)
{
    UNUSED_STATE;
    struct program *p = program_new();
    struct bed b;
    p->pc = 0x40003e; /* its last two bytes are in the next line */
    emit(p, CPU_ALU, 3, 0);
    run_program(&b, p, NULL);
    assert_int_equal(bed_core(&b, 0)->caches.l1i.counts.accesses, 2);
    bed_close(&b);
}

TEST(with_one_line_buffer_such_instructions_still_pass)
{
    UNUSED_STATE;
    static const char *const one[] = {"core.fetch.line_buffers=1", NULL};
    struct program *p = program_new();
    p->pc = 0x40003e;
    for (u32 i = 0; i < 2000; i++)
        emit(p, CPU_ALU, 3, 0);
    assert_true(cycles_of(p, one) > 0);
}

TEST(a_page_that_is_not_known_delays_a_line_that_misses_too)
{
    UNUSED_STATE;
    static const char *const sets[] = {"core.count=1", "core.tlb.enabled=true", "ideal.model=fixed",
                                       "ideal.fixed_cycles=100", NULL};
    struct program *p = program_new();
    struct bed b;
    emit(p, CPU_ALU, 3, 0);
    /* Asked for in 1; the walk takes 8 + 60; then 2 + 8 + 100 to the line, in 179. Extracted then,
     * dispatched in 185, issued in 186, retired in 187. */
    assert_int_equal(run_program(&b, p, sets), 187 + 1);
    const struct core_counts *n = &bed_core(&b, 0)->counts;
    assert_int_equal(n->slots[CORE_TLB], 68 * 4);
    assert_int_equal(bed_core(&b, 0)->itlb.counts.walks, 1);
    bed_close(&b);
}

TEST(a_late_target_waits_for_the_line_of_its_branch)
{
    UNUSED_STATE;
    static const char *const sets[] = {"core.count=1", "ideal.model=fixed",
                                       "ideal.fixed_cycles=100", NULL};
    struct program *p = program_new();
    emit_branch(p, CPU_JUMP, 0x401000);
    emit(p, CPU_ALU, 3, 0);
    /* The first line is asked for in 1 and comes 2 + 8 + 100 later, in 111: only then the target is
     * known. It is predicted in 112, its line asked for in 113; that comes in 223, the add is
     * dispatched in 229, issues in 230 and retires in 231. */
    assert_int_equal(cycles_of(p, sets), 231 + 1);
}

TEST(the_charges_of_a_core_add_up)
{
    UNUSED_STATE;
    struct bed b;
    static const char *const sets[] = {"core.tlb.enabled=true", NULL};
    kernel_cycles(&b, "cpu:mix,length=40000,indirect=2,footprint_bytes=4MiB", sets);
    const struct core_counts *n = &bed_core(&b, 0)->counts;
    u64 sum = 0;
    for (u32 i = 0; i < CORE_SLOTS; i++)
        sum += n->slots[i];
    assert_int_equal(sum, n->cycles * 4);
    assert_int_equal(n->slots[CORE_RETIRED], 40000);
    assert_true(n->slots[CORE_BRANCH] && n->slots[CORE_DRAM] && n->slots[CORE_TLB]);
    bed_close(&b);
}

RUN_TESTS(T(a_loop_within_one_line_asks_the_cache_once),
          T(a_loop_over_four_lines_asks_once_for_each_with_four_buffers_and_always_with_two),
          T(a_loop_that_fits_misses_once_for_each_line),
          T(a_loop_one_line_larger_than_a_fully_associative_cache_always_misses),
          T(lines_of_twice_the_bytes_are_half_as_many),
          T(a_larger_fully_associative_cache_never_misses_more),
          T(an_instruction_that_lies_in_two_lines_needs_both),
          T(with_one_line_buffer_such_instructions_still_pass),
          T(a_page_that_is_not_known_delays_a_line_that_misses_too),
          T(a_late_target_waits_for_the_line_of_its_branch), T(the_charges_of_a_core_add_up))

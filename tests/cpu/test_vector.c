/* Scalable vectors on a core with perfect caches: cycles worked out by hand (docs/mechanisms/cpu.md
 * has the scalar ones). */
#include "cpu/bed.h"

#define FIRST_ISSUE 10u
#define LOADED 3u /* address_cycles and the L1D's hit_cycles */
#define VECTORS                                                                                    \
    "core.l1i.perfect=true", "core.l1d.perfect=true", "core.branch.perfect=true", "core.count=1",  \
        "core.vector.bits=1024", "core.units.load.pipes=1"
static const char *const vectors[] = {VECTORS, NULL};

enum { COUNT = 50 };
static struct cpu_vector shared[COUNT];

/* Each waits for the one before it. */
static struct program *gathers(const u64 *addresses, u32 count)
{
    struct program *p = program_new();
    for (u32 i = 0; i < COUNT; i++) {
        struct cpu_instruction *g = emit(p, CPU_LOAD, 100, 100);
        shared[i] = (struct cpu_vector){.lanes = 32,
                                        .active_lanes = (u16)count,
                                        .count = (u16)count,
                                        .element_bytes = 4,
                                        .registers = 1};
        memcpy(shared[i].address, addresses, count * sizeof *addresses);
        g->vector = &shared[i];
    }
    return p;
}

TEST(elements_of_a_gather_in_lines_of_their_own_take_a_cycle_each)
{
    static const u64 apart[] = {0, 64, 128, 192, 4096, 8192};
    UNUSED_STATE;
    /* the last element is looked up 5 cycles after the first */
    assert_int_equal(cycles_of(gathers(apart, 6), vectors), FIRST_ISSUE + COUNT * (5 + LOADED) + 1);
}

TEST(elements_in_the_line_of_the_one_before_take_none)
{
    static const u64 together[] = {0, 4, 60, 64, 68, 0};
    UNUSED_STATE;
    /* three lookups: lines 0, 1 and 0 again */
    assert_int_equal(cycles_of(gathers(together, 6), vectors),
                     FIRST_ISSUE + COUNT * (2 + LOADED) + 1);
}

static struct program *loads(u64 address, u32 bytes)
{
    struct program *p = program_new();
    for (u32 i = 0; i < COUNT; i++) {
        struct cpu_instruction *l = emit(p, CPU_LOAD, 100, 100);
        shared[i] = (struct cpu_vector){.lanes = 32, .active_lanes = 32, .registers = 1};
        l->vector = &shared[i];
        l->read[0] = address;
        l->read_bytes[0] = bytes;
        l->read_count = 1;
    }
    return p;
}

TEST(a_contiguous_load_takes_a_cycle_for_each_word_of_the_bus)
{
    UNUSED_STATE;
    /* 128 bytes from 16 on touch three words of 64, from 0 on two */
    assert_int_equal(cycles_of(loads(16, 128), vectors), FIRST_ISSUE + COUNT * (2 + LOADED) + 1);
    assert_int_equal(cycles_of(loads(0, 128), vectors), FIRST_ISSUE + COUNT * (1 + LOADED) + 1);
}

TEST(a_bus_of_twice_the_width_takes_fewer)
{
    static const char *const wide[] = {VECTORS, "core.vector.bus_bytes=128", NULL};
    UNUSED_STATE;
    assert_int_equal(cycles_of(loads(0, 128), wide), FIRST_ISSUE + COUNT * LOADED + 1);
    assert_int_equal(cycles_of(loads(16, 128), wide), FIRST_ISSUE + COUNT * (1 + LOADED) + 1);
}

TEST(a_sum_in_order_takes_an_addition_for_each_element)
{
    struct program *p = program_new();
    UNUSED_STATE;
    for (u32 i = 0; i < COUNT; i++) {
        struct cpu_instruction *s = emit(p, CPU_FP_ADD, 100, 100);
        shared[i] = (struct cpu_vector){.serial = 16, .registers = 1};
        s->vector = &shared[i];
    }
    /* additions take 3 cycles */
    assert_int_equal(cycles_of(p, vectors), FIRST_ISSUE + COUNT * 16 * 3 + 1);
}

RUN_TESTS(T(elements_of_a_gather_in_lines_of_their_own_take_a_cycle_each),
          T(elements_in_the_line_of_the_one_before_take_none),
          T(a_contiguous_load_takes_a_cycle_for_each_word_of_the_bus),
          T(a_bus_of_twice_the_width_takes_fewer),
          T(a_sum_in_order_takes_an_addition_for_each_element))

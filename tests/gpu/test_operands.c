/* Conflicts between register banks: off by default, and their cost when modelled. */
#include "gpu/script.h"
#include "gpu/spy.h"

#define CHAIN 40u

/* A chain of additions r = r + s, four times over; 16 banks, so registers 16 apart share one. */
static void run_chain(struct bed *b, struct spy *s, u16 other, u32 threads, const char *enabled)
{
    static struct scripted_instruction code[CHAIN];
    for (u32 i = 0; i < CHAIN; i++)
        code[i] =
            (struct scripted_instruction){.unit = UNIT_INT, .dst = 16, .src0 = 16, .src1 = other};
    const char *sets[] = {"sm.count=1", enabled, NULL};
    bed_open(b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(code, threads, .iterations = 4);
    spy_run(s, b, &k);
}

/* One warp's, from its first issue to its last, when the code is there. */
static cycle_t chain_cycles(u16 other, const char *enabled, double *conflicts)
{
    struct bed b;
    struct spy s;
    run_chain(&b, &s, other, 32, enabled);
    *conflicts = bed_stat(&b, "sm.bank_conflict_cycles");
    cycle_t cycles = spy_cycle(&s, 0, CHAIN - 1, 1) - spy_cycle(&s, 0, 0, 1);
    bed_close(&b);
    return cycles;
}

#define ON "sm.operands.enabled=true"
#define OFF "sm.operands.enabled=false"

TEST(two_operands_of_one_bank_delay_each_link_of_a_chain_by_a_cycle)
{
    UNUSED_STATE;
    double conflicts;
    /* integer.simple_latency is 4: from one issue to the next */
    assert_int_equal(chain_cycles(17, ON, &conflicts), (CHAIN - 1) * 4);
    assert_near(conflicts, 0, 0);
    /* r16 and r32 are both in bank 0: one is read a cycle after the other */
    assert_int_equal(chain_cycles(32, ON, &conflicts), (CHAIN - 1) * (4 + 1));
    assert_near(conflicts, 4 * CHAIN, 0);
}

TEST(without_the_model_register_numbers_mean_nothing)
{
    UNUSED_STATE;
    double conflicts;
    assert_int_equal(chain_cycles(17, OFF, &conflicts), (CHAIN - 1) * 4);
    assert_int_equal(chain_cycles(32, OFF, &conflicts), (CHAIN - 1) * 4);
    assert_near(conflicts, 0, 0);
}

/* Cycles of three eighths of what eight warps issue, when all code is there. */
static double later_cycles(const char *enabled)
{
    struct bed b;
    struct spy s;
    run_chain(&b, &s, 32, 256, enabled);
    u32 part = s.event_count / 8;
    cycle_t cycles = s.events[7 * part].cycle - s.events[4 * part].cycle;
    bed_close(&b);
    return (double)cycles;
}

/* Eight warps could issue an addition a cycle. With both operands of all of them in one bank,
 * which gives a word a cycle, each addition takes two. */
TEST(one_bank_for_all_operands_halves_the_rate_of_an_sm)
{
    UNUSED_STATE;
    double instructions = 4 * 8 * CHAIN * 3 / 8.0;
    assert_near(later_cycles(OFF), instructions, 0.05 * instructions);
    assert_near(later_cycles(ON), 2 * instructions, 0.05 * 2 * instructions);
}

RUN_TESTS(T(two_operands_of_one_bank_delay_each_link_of_a_chain_by_a_cycle),
          T(without_the_model_register_numbers_mean_nothing),
          T(one_bank_for_all_operands_halves_the_rate_of_an_sm))

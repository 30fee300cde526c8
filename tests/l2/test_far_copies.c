/* Copies of a bank's lines in the other half of the L2, and requests that bypass the bank. Agent 1
 * is in the other half, whose bank holds the copies and has no requests of its own. */
#include "bank_bed.h"

#define ACROSS 20u

struct pair {
    struct bed lower, upper;
};

static void open_pair(struct pair *p)
{
    struct l2_config c = bed_config();
    c.half_agents = 1;
    bed_open(&p->lower, &c, "lru", NULL);
    bed_open(&p->upper, &c, "lru", NULL);
    bank_pair(&p->lower.bank, &p->upper.bank, &p->lower.sim.arena, ACROSS);
    bank_let_bypass(&p->lower.bank, &p->lower.sim.arena);
}

static void close_pair(struct pair *p)
{
    close_bed(&p->lower);
    close_bed(&p->upper);
}

static bool has_copy(const struct pair *p, u64 line)
{
    const struct tags *t = &p->upper.bank.cache.tags;
    for (u32 set = 0; set < t->sets; set++) {
        if (tags_find(t, set, line) != NO_WAY)
            return true;
    }
    return false;
}

TEST(a_copy_serves_a_probe_as_a_line_would_and_never_a_blind_load)
{
    UNUSED_STATE;
    static const struct step steps[] = {
        {0, 0x1000, 1, REQUEST_LOAD, 0, 1},
        {100, 0x1000, 1, REQUEST_LOAD, 0, 1},
        {200, 0x1000, 1, REQUEST_LOAD, REQUEST_BYPASS_L2, 1},
        {300, 0x1000, 1, REQUEST_LOAD, REQUEST_BYPASS_L2 | REQUEST_BLIND, 1},
    };
    struct pair p;
    open_pair(&p);
    bed_play(&p.lower, steps, ARRAY_LEN(steps));
    const struct bank *b = &p.lower.bank;
    assert_int_equal(p.lower.arrived[0], MISS_CYCLES + ACROSS);
    assert_int_equal(p.lower.arrived[1], 100 + HIT_CYCLES);
    assert_int_equal(p.lower.arrived[2], 200 + HIT_CYCLES);
    assert_int_equal(p.lower.arrived[3], 300 + MISS_CYCLES + ACROSS);
    assert_int_equal(b->counts.accesses, 3);
    assert_int_equal(b->counts.responses, 3);
    assert_int_equal(b->bypass->found, 1);
    assert_int_equal(b->bypass->loads, 1);
    assert_int_equal(b->bypass->answers, 1);
    close_pair(&p);
}

TEST(a_load_that_bypasses_the_bank_leaves_no_copy)
{
    UNUSED_STATE;
    static const struct step steps[] = {{0, 0x1000, 1, REQUEST_LOAD, REQUEST_BYPASS_L2, 1}};
    struct pair p;
    open_pair(&p);
    bed_play(&p.lower, steps, ARRAY_LEN(steps));
    assert_int_equal(p.lower.bank.bypass->answers, 1);
    assert_false(has_copy(&p, 0x1000));
    close_pair(&p);
}

/* Two more lines of the set take the line's way; its copy stays until a store passes it by. */
TEST(a_store_that_bypasses_the_bank_drops_the_copy)
{
    UNUSED_STATE;
    static const struct step steps[] = {
        {0, 0x1000, 1, REQUEST_LOAD, 0, 1},
        {50, 0x1200, 1, REQUEST_LOAD, 0, 0},
        {100, 0x1400, 1, REQUEST_LOAD, 0, 0},
        {200, 0x1000, 1, REQUEST_LOAD, 0, 1},
        {300, 0x1000, 1, REQUEST_STORE, REQUEST_BYPASS_L2 | REQUEST_WHOLE, 0},
        {400, 0x1000, 1, REQUEST_LOAD, 0, 1},
    };
    struct pair p;
    open_pair(&p);
    bed_play(&p.lower, steps, ARRAY_LEN(steps));
    assert_int_equal(p.lower.arrived[3], 200 + HIT_CYCLES);
    assert_int_equal(p.lower.bank.bypass->stores, 1);
    assert_int_equal(p.lower.arrived[5], 400 + MISS_CYCLES + ACROSS);
    close_pair(&p);
}

RUN_TESTS(T(a_copy_serves_a_probe_as_a_line_would_and_never_a_blind_load),
          T(a_load_that_bypasses_the_bank_leaves_no_copy),
          T(a_store_that_bypasses_the_bank_drops_the_copy))

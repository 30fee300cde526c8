/* What policies of a shared cache see of stores that bring their lines in. */
#include "l2/bank_bed.h"

#include <string.h>

#define LINES 24u

/* Lines of two programs, each once, in sets of 4 ways: loads, or stores of whole lines. */
static void play(struct bed *b, const char *replacement, const char *llc, bool stores)
{
    static struct step steps[2][LINES];
    struct l2_config c = bed_config();
    c.size_bytes = 4 * 4 * 128;
    c.ways = 4;
    for (u32 i = 0; i < LINES; i++)
        steps[stores][i] =
            (struct step){.at = 40 * i,
                          .line = application_base((u8)(i % 3 == 0)) + 0x10000 + i * 128,
                          .sectors = 0xf,
                          .kind = stores ? REQUEST_STORE : REQUEST_LOAD,
                          .flags = stores ? REQUEST_WHOLE : 0};
    bed_open(b, &c, replacement, llc);
    bed_play(b, steps[stores], LINES);
}

/* The same lines in the same ways, and the same order of them. */
static void expect_same(const char *replacement, const char *llc)
{
    struct bed loads, stores;
    play(&loads, replacement, llc, false);
    play(&stores, replacement, llc, true);
    const struct tags *a = &loads.bank.cache.tags, *b = &stores.bank.cache.tags;
    const struct replacement *ra = &a->replacement, *rb = &b->replacement;
    assert_memory_equal(a->addresses, b->addresses, (size_t)a->sets * a->ways * sizeof(u64));
    if (ra->ops->table_bytes)
        assert_memory_equal(ra->table, rb->table, ra->ops->table_bytes(ra->sets, ra->ways));
    if (ra->ops->state_bytes)
        assert_memory_equal(ra->state, rb->state, ra->ops->state_bytes);
    assert_int_equal(stores.bank.counts.store_allocations, LINES);
    assert_int_equal(stores.bank.counts.hits, 0);
    assert_int_equal(loads.bank.counts.misses, LINES);
    close_bed(&loads);
    close_bed(&stores);
}

TEST(every_replacement_policy_sees_a_store_that_allocates_as_a_fill_alone)
{
    UNUSED_STATE;
    const struct policy_ops *p;
    for (u32 n = 0; (p = policy_at(QUESTION_REPLACEMENT, n)); n++)
        expect_same(p->name, NULL);
}

TEST(every_policy_of_the_shared_cache_sees_a_store_that_allocates_as_a_fill_alone)
{
    UNUSED_STATE;
    const struct policy_ops *p;
    for (u32 n = 0; (p = policy_at(QUESTION_LLC, n)); n++) {
        if (((const struct llc_policy_ops *)p)->decide) /* `shared` has no plan */
            expect_same("drrip", p->name);
    }
}

RUN_TESTS(T(every_replacement_policy_sees_a_store_that_allocates_as_a_fill_alone),
          T(every_policy_of_the_shared_cache_sees_a_store_that_allocates_as_a_fill_alone))

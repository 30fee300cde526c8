/* What policies of a shared cache see of stores and write-backs that bring their lines in. */
#include "l2/bank_bed.h"

#include <string.h>

#define LINES 24u

enum brings { BY_LOAD, BY_STORE, BY_WRITEBACK };

static const struct {
    u8 kind;
    u16 flags;
} brought[] = {{REQUEST_LOAD, 0}, {REQUEST_STORE, REQUEST_WHOLE}, {REQUEST_WRITEBACK, 0}};

/* Lines of two programs, each once, in sets of 4 ways. */
static void play(struct bed *b, const char *replacement, const char *llc, enum brings by)
{
    static struct step steps[ARRAY_LEN(brought)][LINES];
    struct l2_config c = bed_config();
    c.size_bytes = 4 * 4 * 128;
    c.ways = 4;
    for (u32 i = 0; i < LINES; i++)
        steps[by][i] = (struct step){.at = 40 * i,
                                     .line = application_base((u8)(i % 3 == 0)) + 0x10000 + i * 128,
                                     .sectors = 0xf,
                                     .kind = brought[by].kind,
                                     .flags = brought[by].flags};
    bed_open(b, &c, replacement, llc);
    bed_play(b, steps[by], LINES);
}

/* The same lines in the same ways, and the same order of them. */
static void expect_same_by(const char *replacement, const char *llc, enum brings by)
{
    struct bed loads, stores;
    play(&loads, replacement, llc, BY_LOAD);
    play(&stores, replacement, llc, by);
    const struct tags *a = &loads.bank.cache.tags, *b = &stores.bank.cache.tags;
    const struct replacement *ra = &a->replacement, *rb = &b->replacement;
    assert_memory_equal(a->inverted, b->inverted, (size_t)a->sets * a->ways * sizeof(u64));
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

static void expect_same(const char *replacement, const char *llc)
{
    expect_same_by(replacement, llc, BY_STORE);
    expect_same_by(replacement, llc, BY_WRITEBACK);
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

#include "testing.h"

#include "base/rng.h"
#include "net/calendar.h"

/* Against a plain array: every entry is found at its cycle, and the next one is known. */
static void compare(u32 ahead)
{
    enum { CYCLES = 4000, MEMBERS = 100, MOST_AHEAD = 300 };
    struct arena arena = {0};
    struct calendar c;
    struct rng rng;
    static u8 due[CYCLES + MOST_AHEAD + 1][MEMBERS];
    memset(due, 0, sizeof due);
    calendar_init(&c, &arena, MEMBERS, ahead);
    rng_init(&rng, 1, "calendar");
    for (cycle_t now = 0; now < CYCLES; now++) {
        bool any = false;
        for (u32 m = 0; m < MEMBERS; m++)
            any |= due[now][m];
        assert_int_equal(calendar_is_due(&c, now), any);
        for (u32 w = 0; w < c.word_count; w++) {
            u64 bits = calendar_take(&c, now, w);
            for (u32 m = w * 64; m < w * 64 + 64 && m < MEMBERS; m++)
                assert_int_equal(bits >> (m % 64) & 1, due[now][m]);
        }
        if (rng_below(&rng, 200) == 0) {
            u64 at = now + 1 + rng_below(&rng, ahead), m = rng_below(&rng, MEMBERS);
            calendar_add(&c, at, (u32)m);
            due[at][m] = 1;
        }
        cycle_t next = CYCLE_NEVER;
        for (cycle_t at = now + ahead; at > now; at--) {
            if (memchr(due[at], 1, MEMBERS))
                next = at;
        }
        assert_true(calendar_next(&c, now) == next);
    }
    arena_fini(&arena);
}

TEST(calendar_agrees_with_an_array_under_random_entries)
{
    UNUSED_STATE;
    compare(300);
    compare(63); /* as far as one word of cycles goes */
    compare(4);
}

RUN_TESTS(T(calendar_agrees_with_an_array_under_random_entries))

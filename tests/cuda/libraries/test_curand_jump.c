/*
 * Where the threads of cuRAND's generators start. The expected states were worked out beside
 * heddle, from the definitions: XORWOW (Marsaglia 2003) as a matrix over GF(2), 160 by 160;
 * MRG32k3a (L'Ecuyer 1999) with whole numbers of any size. Of the latter, 2^76 steps are the
 * matrices that L'Ecuyer et al. (2002) print: the first rows are 82758667, 1871391091, 4127413238
 * and 1511326704, 3759209742, 1610795712.
 */
#include "testing.h"

/* It is part of a library of its own, which a test cannot be linked with. */
#include "cuda/libraries/curand_jump.c"

#define SEED 0x123456789abcdefull

static u32 *xorwow(u64 seed, u64 taken)
{
    u32 *states = malloc((size_t)CURAND_XORWOW_THREADS * CURAND_STATE_WORDS * sizeof *states);
    assert_non_null(states);
    curand_xorwow_states(states, seed, taken);
    return states;
}

static u32 *mrg(u64 seed, u64 taken)
{
    u32 *states = malloc((size_t)CURAND_MRG_THREADS * CURAND_STATE_WORDS * sizeof *states);
    assert_non_null(states);
    curand_mrg_states(states, seed, taken);
    return states;
}

static void expect(const u32 *states, u32 thread, const u32 *expected, u32 words)
{
    for (u32 i = 0; i < words; i++)
        assert_int_equal(states[thread * CURAND_STATE_WORDS + i], expected[i]);
}

TEST(threads_of_xorwow_start_two_to_the_67_steps_apart)
{
    UNUSED_STATE;
    static const u32 rows[2][3][5] = {
        {{0x58213ed2, 0x455f2458, 0xf8a42704, 0xdcd8f87c, 0x511db0d6},
         {0xcb27a3a7, 0x6d6a3988, 0x59ebe38c, 0xbd9e650c, 0xd1a9f43f},
         {0x404fcb28, 0xfb86b54f, 0x827eb2ec, 0xfb50eafc, 0xc95047a1}},
        {{0x9b8ea933, 0x81a889fb, 0x892b7b53, 0x6f502cad, 0x948b1b37},
         {0xf5e4437a, 0x54ddea9e, 0x7b66955e, 0xa0056487, 0x74310fb7},
         {0x5e640c35, 0x2bd921b5, 0xe54b6fe8, 0x490161e2, 0xe3debf6b}},
    };
    static const u32 counters[2] = {0x2abc4dd5, 0xfeb10c85}; /* of all threads */
    static const u32 threads[3] = {0, 1, CURAND_XORWOW_THREADS - 1};
    for (u32 s = 0; s < 2; s++) {
        u32 *states = xorwow(s ? SEED : 0, 0);
        for (u32 i = 0; i < 3; i++) {
            expect(states, threads[i], rows[s][i], 5);
            assert_int_equal(states[threads[i] * CURAND_STATE_WORDS + 5], counters[s]);
        }
        free(states);
    }
}

/* Marsaglia's step, as he has it. */
static void xorwow_step(u32 *s)
{
    u32 t = s[0] ^ (s[0] >> 2);
    for (u32 i = 0; i < 4; i++)
        s[i] = s[i + 1];
    s[4] = (s[4] ^ (s[4] << 4)) ^ (t ^ (t << 1));
    s[5] += 362437;
}

TEST(what_was_taken_is_steps_of_threads_in_turn)
{
    UNUSED_STATE;
    u32 *from = xorwow(SEED, 0), *to = xorwow(SEED, 3 * CURAND_XORWOW_THREADS + 5);
    for (u32 t = 0; t < CURAND_XORWOW_THREADS; t++) {
        u32 *own = from + t * CURAND_STATE_WORDS;
        for (u32 i = 0; i < (t < 5 ? 4u : 3u); i++)
            xorwow_step(own);
        expect(to, t, own, CURAND_STATE_WORDS);
    }
    free(from);
    free(to);
    from = xorwow(SEED, 0), to = xorwow(SEED, 1); /* fewer than there are threads */
    xorwow_step(from);
    expect(to, 0, from, CURAND_STATE_WORDS);
    expect(to, 1, from + CURAND_STATE_WORDS, CURAND_STATE_WORDS);
    free(from);
    free(to);
}

TEST(threads_of_mrg32k3a_start_two_to_the_76_steps_apart)
{
    UNUSED_STATE;
    static const u32 rows[2][3][6] = {
        {{12345, 12345, 12345, 12345, 12345, 12345},
         {870504860, 2641697727, 884013853, 339352413, 2374306706, 3651603887},
         {2569340192, 968003532, 2075987197, 1008069067, 2419907384, 2227216026}},
        {{4050967818, 247936501, 4050967818, 435247669, 4292262282, 435247669},
         {3566219703, 3480762252, 3351391809, 2195681266, 661840521, 2959980958},
         {3728813162, 1288131476, 3300477079, 2934767342, 2453428253, 2675382767}},
    };
    static const u32 threads[3] = {0, 1, CURAND_MRG_THREADS - 1};
    for (u32 s = 0; s < 2; s++) {
        u32 *states = mrg(s ? SEED : 0, 0);
        for (u32 i = 0; i < 3; i++)
            expect(states, threads[i], rows[s][i], 6);
        free(states);
    }
}

/* x(n) = 1403580 x(n-2) - 810728 x(n-3), y(n) = 527612 y(n-1) - 1370589 y(n-3) */
static void mrg_step(u32 *s)
{
    i64 m1 = 4294967087, m2 = 4294944443;
    i64 x = (1403580 * (i64)s[1] - 810728 * (i64)s[0]) % m1;
    i64 y = (527612 * (i64)s[5] - 1370589 * (i64)s[3]) % m2;
    u32 after[6] = {s[1], s[2], (u32)(x < 0 ? x + m1 : x), s[4], s[5], (u32)(y < 0 ? y + m2 : y)};
    memcpy(s, after, sizeof after);
}

TEST(so_it_is_with_mrg32k3a)
{
    UNUSED_STATE;
    u32 *from = mrg(SEED, 0), *to = mrg(SEED, 2 * CURAND_MRG_THREADS + 1);
    for (u32 t = 0; t < 3; t++) {
        u32 *own = from + t * CURAND_STATE_WORDS;
        for (u32 i = 0; i < (t < 1 ? 3u : 2u); i++)
            mrg_step(own);
        expect(to, t, own, CURAND_STATE_WORDS);
    }
    free(from);
    free(to);
}

RUN_TESTS(T(threads_of_xorwow_start_two_to_the_67_steps_apart),
          T(what_was_taken_is_steps_of_threads_in_turn),
          T(threads_of_mrg32k3a_start_two_to_the_76_steps_apart), T(so_it_is_with_mrg32k3a))

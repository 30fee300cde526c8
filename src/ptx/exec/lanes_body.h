/*
 * Bodies of lanes.def for one instruction set; LANES_TABLE names the result.
 *
 * The loops carry no dependence: a result may be written over its own operand,
 * lane by lane, but never over another lane's. Arithmetic runs for all lanes
 * and keeps what the mask says; nothing here can trap.
 */
#include "ptx/exec/lanes.h"
#include "ptx/exec/warp.h"
#include "num/approx.h"
#include "num/bits.h"
#include "num/compare.h"
#include "num/convert.h"
#include "num/float.h"

#ifdef __FMA__
#include <immintrin.h>
#endif

#if defined(__clang__)
#define NO_DEPENDENCE _Pragma("clang loop vectorize(assume_safety)")
#else
#define NO_DEPENDENCE _Pragma("GCC ivdep")
#endif

#define EACH_LANE                                                                                  \
    NO_DEPENDENCE                                                                                  \
    for (u32 i = 0; i < LANES; i++)

#define KEEP(mask, i) ((mask) >> (i)&1)

#define BODY(name, TD, loads, value)                                                               \
    static void name(struct warp *w, const struct op *op, u32 mask)                                \
    {                                                                                              \
        TD *D = ref_get(w, op->dst);                                                               \
        loads;                                                                                     \
        if (LIKELY(mask == ALL_LANES)) {                                                           \
            EACH_LANE                                                                              \
            D[i] = (value);                                                                        \
        } else {                                                                                   \
            EACH_LANE                                                                              \
            {                                                                                      \
                TD r = (value);                                                                    \
                D[i] = KEEP(mask, i) ? r : D[i];                                                   \
            }                                                                                      \
        }                                                                                          \
    }

#define LOAD(name, T, k) const T *name = ref_get(w, op->src[k])

#define L1(name, TD, TA, expr)                                                                     \
    static inline TD name##_one(TA a)                                                              \
    {                                                                                              \
        return (TD)(expr);                                                                         \
    }                                                                                              \
    BODY(lane_##name, TD, LOAD(A, TA, 0), name##_one(A[i]))
#define L2(name, TD, TA, TB, expr)                                                                 \
    static inline TD name##_one(TA a, TB b)                                                        \
    {                                                                                              \
        return (TD)(expr);                                                                         \
    }                                                                                              \
    BODY(lane_##name, TD, LOAD(A, TA, 0); LOAD(B, TB, 1), name##_one(A[i], B[i]))
#define L3(name, TD, TA, TB, TC, expr)                                                             \
    static inline TD name##_one(TA a, TB b, TC c)                                                  \
    {                                                                                              \
        return (TD)(expr);                                                                         \
    }                                                                                              \
    BODY(lane_##name, TD, LOAD(A, TA, 0); LOAD(B, TB, 1);                                          \
         LOAD(C, TC, 2), name##_one(A[i], B[i], C[i]))
#define M1(name, TD, TA, expr) L1(name, TD, TA, expr)

static inline float canonical(float x)
{
    return x == x ? x : f32_value(F32_NAN);
}

/* Into [0, 1]; NaN and -0 become +0. */
static inline float saturated(float x)
{
    float low = x > 0.0f ? x : 0.0f;
    return low < 1.0f ? low : 1.0f;
}

/* In so many words: gcc makes no vectors of fma() where the rounding may be any. */
static inline void fuse_f32(float *r, const float *a, const float *b, const float *c)
{
#ifdef __FMA__
    for (u32 i = 0; i < LANES; i += 8)
        _mm256_storeu_ps(r + i, _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i),
                                                _mm256_loadu_ps(c + i)));
#else
    for (u32 i = 0; i < LANES; i++)
        r[i] = __builtin_fmaf(a[i], b[i], c[i]);
#endif
}

static inline void fuse_f64(double *r, const double *a, const double *b, const double *c)
{
#ifdef __FMA__
    for (u32 i = 0; i < LANES; i += 4)
        _mm256_storeu_pd(r + i, _mm256_fmadd_pd(_mm256_loadu_pd(a + i), _mm256_loadu_pd(b + i),
                                                _mm256_loadu_pd(c + i)));
#else
    for (u32 i = 0; i < LANES; i++)
        r[i] = __builtin_fma(a[i], b[i], c[i]);
#endif
}

#define F_BOTH(name, loads, value)                                                                 \
    BODY(lane_##name, float, loads, canonical(value))                                              \
    BODY(lane_##name##_sat, float, loads, saturated(value))
#define F1(name, T, expr)                                                                          \
    static inline T name##_one(T a)                                                                \
    {                                                                                              \
        return expr;                                                                               \
    }                                                                                              \
    F_BOTH(name, LOAD(A, T, 0), name##_one(A[i]))
#define F2(name, T, expr)                                                                          \
    static inline T name##_one(T a, T b)                                                           \
    {                                                                                              \
        return expr;                                                                               \
    }                                                                                              \
    F_BOTH(name, LOAD(A, T, 0); LOAD(B, T, 1), name##_one(A[i], B[i]))
#define F3(name, T, all_lanes)                                                                     \
    F_BOTH(name, LOAD(A, T, 0); LOAD(B, T, 1); LOAD(C, T, 2); T R[LANES];                          \
           all_lanes(R, A, B, C), R[i])
#define D1(name, T, expr)                                                                          \
    static inline T name##_one(T a)                                                                \
    {                                                                                              \
        return expr;                                                                               \
    }                                                                                              \
    BODY(lane_##name, T, LOAD(A, T, 0), name##_one(A[i]))
#define D2(name, T, expr)                                                                          \
    static inline T name##_one(T a, T b)                                                           \
    {                                                                                              \
        return expr;                                                                               \
    }                                                                                              \
    BODY(lane_##name, T, LOAD(A, T, 0); LOAD(B, T, 1), name##_one(A[i], B[i]))
#define D3(name, T, all_lanes)                                                                     \
    BODY(lane_##name, T, LOAD(A, T, 0); LOAD(B, T, 1); LOAD(C, T, 2); T R[LANES];                  \
         all_lanes(R, A, B, C), R[i])

/* p = compare, combined with a predicate; q = the opposite compare, likewise. */
static inline u32 combine(u32 result, u32 with, u8 operation)
{
    switch (operation) {
    case 1:
        return result & with;
    case 2:
        return result | with;
    case 3:
        return result ^ with;
    default:
        return result;
    }
}

static inline void put_predicates(struct warp *w, const struct op *op, u32 mask, u32 result)
{
    u32 with = 0;
    if (op->operation) {
        with = *(const u32 *)ref_get(w, op->src[2]);
        if (op->negate)
            with = ~with;
    }
    u32 *p = ref_get(w, op->dst);
    u32 p_new = combine(result, with, op->operation);
    *p = (*p & ~mask) | (p_new & mask);
    if (op->dst2 != REF_NONE) {
        u32 *q = ref_get(w, op->dst2);
        u32 q_new = combine(~result, with, op->operation);
        *q = (*q & ~mask) | (q_new & mask);
    }
}

#define C2(name, T, expr)                                                                          \
    static inline u32 name##_one(T a, T b)                                                         \
    {                                                                                              \
        return (u32)(expr);                                                                        \
    }                                                                                              \
    static void lane_##name(struct warp *w, const struct op *op, u32 mask)                         \
    {                                                                                              \
        LOAD(A, T, 0);                                                                             \
        LOAD(B, T, 1);                                                                             \
        u32 result = 0;                                                                            \
        for (u32 i = 0; i < LANES; i++)                                                            \
            result |= name##_one(A[i], B[i]) << i;                                                 \
        put_predicates(w, op, mask, result);                                                       \
    }

#include "ptx/exec/lanes.def"

#undef L1
#undef L2
#undef L3
#undef F1
#undef F2
#undef F3
#undef D1
#undef D2
#undef D3
#undef C2
#undef M1

lane_fn *const LANES_TABLE[LANE_COUNT] = {
#define L1(name, ...) [LANE_##name] = lane_##name,
#define L2(name, ...) [LANE_##name] = lane_##name,
#define L3(name, ...) [LANE_##name] = lane_##name,
#define F1(name, ...) [LANE_##name] = lane_##name, [LANE_##name##_sat] = lane_##name##_sat,
#define F2(name, ...) [LANE_##name] = lane_##name, [LANE_##name##_sat] = lane_##name##_sat,
#define F3(name, ...) [LANE_##name] = lane_##name, [LANE_##name##_sat] = lane_##name##_sat,
#define D1(name, ...) [LANE_##name] = lane_##name,
#define D2(name, ...) [LANE_##name] = lane_##name,
#define D3(name, ...) [LANE_##name] = lane_##name,
#define C2(name, ...) [LANE_##name] = lane_##name,
#define M1(name, ...) [LANE_##name] = lane_##name,
#include "ptx/exec/lanes.def"
};

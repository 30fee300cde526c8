/*
 * f32 and f64 arithmetic is left to the host's own instructions: MXCSR's rounding for .rn .rz .rm
 * .rp, its flush bits for .ftz, and one replacement of NaN afterwards. This replays all recorded
 * forms that way, so that the shortcut stands proven; there are no exceptions.
 */
#include "recorded.h"

#include "num/float.h"

#if defined(__x86_64__)
#include <immintrin.h>

enum { MXCSR_DEFAULT = 0x1f80, MXCSR_FTZ = 0x8000, MXCSR_DAZ = 0x0040 };

static u32 control(const struct instruction *i)
{
    u32 round = has(i, "rm") ? 1 : has(i, "rp") ? 2 : has(i, "rz") ? 3 : 0;
    return MXCSR_DEFAULT | round << 13 | (has(i, "ftz") ? MXCSR_FTZ | MXCSR_DAZ : 0);
}

/* Not inlined: the operation must stay between the two writes of MXCSR. */
__attribute__((noinline, target("fma"))) static u32 host_f32(char op, u32 x, u32 y, u32 z)
{
    __m128 a = _mm_set_ss(f32_value(x)), b = _mm_set_ss(f32_value(y));
    __m128 c = _mm_set_ss(f32_value(z)), one = _mm_set_ss(1);
    __m128 d = op == '+'   ? _mm_add_ss(a, b)
               : op == '-' ? _mm_sub_ss(a, b)
               : op == '*' ? _mm_mul_ss(a, b)
               : op == 'f' ? _mm_fmadd_ss(a, b, c)
               : op == '/' ? _mm_div_ss(a, b)
               : op == 'r' ? _mm_div_ss(one, a)
                           : _mm_sqrt_ss(a);
    return f32_bits(_mm_cvtss_f32(d));
}

__attribute__((noinline, target("fma"))) static u64 host_f64(char op, u64 x, u64 y, u64 z)
{
    __m128d a = _mm_set_sd(f64_value(x)), b = _mm_set_sd(f64_value(y));
    __m128d c = _mm_set_sd(f64_value(z)), one = _mm_set_sd(1);
    __m128d d = op == '+'   ? _mm_add_sd(a, b)
                : op == '-' ? _mm_sub_sd(a, b)
                : op == '*' ? _mm_mul_sd(a, b)
                : op == 'f' ? _mm_fmadd_sd(a, b, c)
                : op == '/' ? _mm_div_sd(a, b)
                : op == 'r' ? _mm_div_sd(one, a)
                            : _mm_sqrt_sd(a, a);
    return f64_bits(_mm_cvtsd_f64(d));
}

static char operation(const struct instruction *i)
{
    static const struct {
        const char *name;
        char op;
    } all[] = {{"add", '+'}, {"sub", '-'}, {"mul", '*'}, {"fma", 'f'},
               {"mad", 'f'}, {"div", '/'}, {"rcp", 'r'}, {"sqrt", 's'}};
    for (u32 k = 0; k < ARRAY_LEN(all); k++) {
        if (is(i, all[k].name))
            return all[k].op;
    }
    return 0;
}

static bool eval_host(struct instruction *i)
{
    char op = operation(i);
    bool wide = !strcmp(last(i, 0), "f64");
    if (!op || (!wide && strcmp(last(i, 0), "f32") != 0) || has(i, "approx") || has(i, "full"))
        return false;
    _mm_setcsr(control(i));
    u64 d = wide ? host_f64(op, i->in[0], i->in[1], i->in[2])
                 : host_f32(op, (u32)i->in[0], (u32)i->in[1], (u32)i->in[2]);
    _mm_setcsr(MXCSR_DEFAULT);
    if (!wide)
        d = has(i, "sat") ? f32_sat((u32)d) : f32_canonical((u32)d);
    i->out[0] = d;
    return true;
}

TEST(host_arithmetic_under_mxcsr_agrees_with_the_gpu)
{
    UNUSED_STATE;
    if (!__builtin_cpu_supports("fma"))
        skip();
    struct replay r;
    replay_init(&r);
    replay_all(&r, eval_host);
    print_message("# %u forms, %u lanes, %u forms not bit-equal\n", r.cases, r.lanes,
                  r.inexact_cases);
    assert_int_equal(r.wrong_cases, 0);
    assert_true(r.cases > 150);
    replay_fini(&r);
}

#else

TEST(host_arithmetic_under_mxcsr_agrees_with_the_gpu)
{
    UNUSED_STATE;
    skip();
}

#endif

RUN_TESTS(T(host_arithmetic_under_mxcsr_agrees_with_the_gpu))

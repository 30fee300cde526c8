/*
 * The approximate functions: .approx and .full forms of f32, f16, bf16 and f64.
 *
 * A GPU computes them from tables to about 22 bits; PTX gives bounds on the error, not bits.
 * These are closer to the true value than the bounds ask, and the same on every host: nothing but
 * integers and single correctly rounded divisions and square roots, nothing a compiler could
 * contract into a fused operation. Zeros, infinities, NaN, subnormals, overflow and the direction
 * in which the half forms are cut are those recorded on an H200.
 */
#ifndef NUM_APPROX_H
#define NUM_APPROX_H

#include "num/convert.h"
#include "num/float.h"
#include "num/float16.h"

u32 f32_rcp_approx(u32 x, bool ftz);        /* rcp.approx.f32 */
u32 f32_sqrt_approx(u32 x, bool ftz);       /* sqrt.approx.f32 */
u32 f32_rsqrt_approx(u32 x, bool ftz);      /* rsqrt.approx.f32 */
u32 f32_div_approx(u32 a, u32 b, bool ftz); /* div.approx.f32 */
u32 f32_div_full(u32 a, u32 b, bool ftz);   /* div.full.f32 */
u32 f32_ex2_approx(u32 x, bool ftz);        /* ex2.approx.f32 */
u32 f32_lg2_approx(u32 x, bool ftz);        /* lg2.approx.f32 */
u32 f32_sin_approx(u32 x, bool ftz);        /* sin.approx.f32 */
u32 f32_cos_approx(u32 x, bool ftz);        /* cos.approx.f32 */
u32 f32_tanh_approx(u32 x);                 /* tanh.approx.f32 */
u64 f64_rcp_approx(u64 x);                  /* rcp.approx.ftz.f64: only upper words count */
u64 f64_rsqrt_approx(u64 x, bool ftz);      /* rsqrt.approx.f64; .ftz: only upper words count */
u16 f16_ex2(u16 x);                         /* ex2.approx.f16 */
u16 bf16_ex2(u16 x);                        /* ex2.approx.ftz.bf16 */
u16 f16_tanh(u16 x);                        /* tanh.approx.f16 */
u16 bf16_tanh(u16 x);                       /* tanh.approx.bf16 */

#endif

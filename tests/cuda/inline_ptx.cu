/*
 * PTX written by hand inside CUDA C++.
 *
 * Proves carry chains, predicates and registers declared inside an asm block,
 * branches and labels there, bit-field, lop3, prmt and three-operand
 * instructions, vector loads and stores with cache hints, state-space
 * conversions, saturation, special registers and 16-bit operands.
 */
#define TEST "inline_ptx"
#include "check.h"

static const int count = 512, fields = 20;

__global__ void compute(const uint4 *in, unsigned *out, uint4 *copy)
{
    __shared__ unsigned cell[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(in + i));
    unsigned *o = out + i * fields;

    /* (v.y:v.x) + (v.w:v.z), and the carry out */
    asm("add.cc.u32 %0, %3, %5; addc.cc.u32 %1, %4, %6; addc.u32 %2, 0, 0;"
        : "=r"(o[0]), "=r"(o[1]), "=r"(o[2])
        : "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w));
    asm("sub.cc.u32 %0, %2, %4; subc.u32 %1, %3, %5;"
        : "=r"(o[3]), "=r"(o[4])
        : "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w));
    asm("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %5;"
        : "=r"(o[5]), "=r"(o[6])
        : "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(o[7]) : "r"(v.x), "r"(v.y), "r"(v.z));
    asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(o[8]) : "r"(v.x), "r"(v.y), "r"(v.z & 3));
    asm("bfe.s32 %0, %1, 5, 9;" : "=r"(o[9]) : "r"(v.x));
    asm("bfi.b32 %0, %1, %2, 4, 12;" : "=r"(o[10]) : "r"(v.x), "r"(v.y));
    asm("add.sat.s32 %0, %1, %2;" : "=r"(o[11]) : "r"(v.x), "r"(v.y));

    /* A block with its own registers: their sum when both are odd, else the larger, inverted at the
     * top. */
    asm("{\n\t"
        ".reg .pred p, q;\n\t"
        ".reg .b32 a, b;\n\t"
        "and.b32 a, %1, %2;\n\t"
        "and.b32 b, a, 1;\n\t"
        "setp.eq.u32 p|q, b, 1;\n\t"
        "max.u32 a, %1, %2;\n\t"
        "@p add.u32 a, %1, %2;\n\t"
        "@q xor.b32 a, a, 0x80000000;\n\t"
        "mov.u32 %0, a;\n\t"
        "}"
        : "=r"(o[12])
        : "r"(v.x), "r"(v.y));

    /* A loop in PTX: the number of steps of the Collatz sequence, at most 40. */
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 ".reg .b32 n, t, steps;\n\t"
                 "mov.u32 n, %1;\n\t"
                 "mov.u32 steps, 0;\n\t"
                 "LOOP:\n\t"
                 "setp.le.u32 p, n, 1;\n\t"
                 "@p bra DONE;\n\t"
                 "and.b32 t, n, 1;\n\t"
                 "setp.ne.u32 p, t, 0;\n\t"
                 "@!p shr.u32 n, n, 1;\n\t"
                 "@p mad.lo.u32 n, n, 3, 1;\n\t"
                 "add.u32 steps, steps, 1;\n\t"
                 "setp.lt.u32 p, steps, 40;\n\t"
                 "@p bra LOOP;\n\t"
                 "DONE:\n\t"
                 "mov.u32 %0, steps;\n\t"
                 "}"
                 : "=r"(o[13])
                 : "r"(v.x & 1023));

    /* A shared cell through a converted address, and through its generic one. */
    unsigned shared_at;
    asm("{ .reg .u64 g; cvta.to.shared.u64 g, %1; cvt.u32.u64 %0, g; }"
        : "=r"(shared_at)
        : "l"(&cell[threadIdx.x]));
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared_at), "r"(v.w ^ 0x5555u) : "memory");
    o[14] = cell[threadIdx.x];
    asm("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 7, 8, p; }"
        : "=r"(o[15])
        : "l"(&cell[0]));
    unsigned threads, block;
    asm("mov.u32 %0, %%ntid.x;" : "=r"(threads));
    asm("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    o[16] = threads * 1000 + block;

    float sum;
    asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(sum) : "f"(i * 0.01f), "f"(0.5f), "f"(-0.25f));
    o[17] = __float_as_uint(sum);
    unsigned short low;
    asm("{ .reg .b16 hi; mov.b32 {%0, hi}, %1; }" : "=h"(low) : "r"(v.y));
    o[18] = low;
    unsigned long long wide;
    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(wide) : "r"(v.x), "r"(v.y), "l"(1ull << 33));
    o[19] = (unsigned)(wide >> 32);
    asm volatile("st.global.cs.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(copy + i), "r"(v.w), "r"(v.z),
                 "r"(v.y), "r"(v.x)
                 : "memory");
}

static void expected(uint4 v, int i, unsigned *o)
{
    unsigned long long a = (unsigned long long)v.y << 32 | v.x;
    unsigned long long b = (unsigned long long)v.w << 32 | v.z, sum = a + b, difference = a - b;
    unsigned long long product = (unsigned long long)v.x * v.y;
    unsigned long long mad = product + b;
    o[0] = (unsigned)sum, o[1] = (unsigned)(sum >> 32), o[2] = sum < a;
    o[3] = (unsigned)difference, o[4] = (unsigned)(difference >> 32);
    o[5] = (unsigned)mad, o[6] = (unsigned)(mad >> 32);
    o[7] = v.x ^ v.y ^ v.z;
    o[8] = (unsigned)(a >> (8 * (v.z & 3)));
    int field = (int)(v.x >> 5 & 511);
    o[9] = (unsigned)(field >= 256 ? field - 512 : field);
    o[10] = (v.y & ~0xfff0u) | (v.x << 4 & 0xfff0u);
    long long signed_sum = (long long)(int)v.x + (int)v.y;
    signed_sum = signed_sum > INT32_MAX ? INT32_MAX : signed_sum;
    o[11] = (unsigned)(int)(signed_sum < INT32_MIN ? INT32_MIN : signed_sum);
    bool both_odd = v.x & v.y & 1;
    o[12] = both_odd ? v.x + v.y : (v.x > v.y ? v.x : v.y) ^ 0x80000000u;
    o[13] = 0;
    for (unsigned n = v.x & 1023; n > 1 && o[13] < 40; o[13]++)
        n = n & 1 ? n * 3 + 1 : n / 2;
    o[14] = v.w ^ 0x5555u;
    o[15] = 7;
    o[16] = 128 * 1000 + i / 128;
    union {
        float f;
        unsigned u;
    } saturated;
    float x = fmaf(i * 0.01f, 0.5f, -0.25f);
    saturated.f = x <= 0 ? 0 : x > 1 ? 1 : x;
    o[17] = saturated.u;
    o[18] = v.y & 0xffff;
    o[19] = (unsigned)((product + (1ull << 33)) >> 32);
}

int main(void)
{
    std::vector<uint4> in(count);
    for (int i = 0; i < count; i++) {
        in[i] = make_uint4(mix(4 * i), mix(4 * i + 1), mix(4 * i + 2), mix(4 * i + 3));
        if (i % 16 == 0) /* carries that run through */
            in[i] = make_uint4(~0u, ~0u - i % 3, 1, i % 5);
    }
    unsigned *out = device_array<unsigned>(count * fields), want[fields];
    uint4 *copy = device_array<uint4>(count);
    compute<<<count / 128, 128>>>(device_copy(in), out, copy);
    wait_for_kernels();
    std::vector<unsigned> got = host_copy(out, count * fields);
    std::vector<uint4> copied = host_copy(copy, count);
    for (int i = 0; i < count; i++) {
        expected(in[i], i, want);
        for (int f = 0; f < fields; f++)
            expect_equal("computed", i * fields + f, got[i * fields + f], want[f]);
        EXPECT(copied[i].x == in[i].w && copied[i].y == in[i].z && copied[i].z == in[i].y &&
               copied[i].w == in[i].x);
    }
    return pass();
}

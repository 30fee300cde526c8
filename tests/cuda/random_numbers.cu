/*
 * Numbers of cuRAND's host library: the sequences are the device generators', taken by threads in
 * turns, as an H200's library (10.4) gives them; in one call or several, from an offset, on the host.
 */
#define TEST "random_numbers"
#include "check.h"

#include <curand.h>
#include <curand_kernel.h>

static void must(curandStatus_t status, const char *what, int line)
{
    if (status != CURAND_STATUS_SUCCESS)
        fail("line %d: %s gave %d", line, what, (int)status);
}
#define RAND(call) must((call), #call, __LINE__)

struct numbers {
    unsigned bits;
    float uniform;
    double wide;
    float normal[2];
    double normal_wide[2];
};

/* What the generator with this state gives for each subsequence, after `skip` numbers. */
template <class STATE> __global__ void expected(unsigned count, unsigned skip, numbers *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    STATE start, s;
    curand_init(1234, i, skip, &start);
    s = start;
    out[i].bits = curand(&s);
    s = start;
    out[i].uniform = curand_uniform(&s);
    s = start;
    out[i].wide = curand_uniform_double(&s);
    s = start;
    float2 f = curand_normal2(&s);
    out[i].normal[0] = f.x;
    out[i].normal[1] = f.y;
    s = start;
    double2 d = curand_normal2_double(&s);
    out[i].normal_wide[0] = d.x;
    out[i].normal_wide[1] = d.y;
}

static curandGenerator_t generator(curandRngType_t type, bool host = false)
{
    curandGenerator_t g;
    RAND(host ? curandCreateGeneratorHost(&g, type) : curandCreateGenerator(&g, type));
    RAND(curandSetPseudoRandomGeneratorSeed(g, 1234));
    return g;
}

/* Each thread gives `group` numbers at a time. */
template <class STATE> static void check(curandRngType_t type, unsigned threads, unsigned group)
{
    const unsigned sample = 512;
    numbers *device = device_array<numbers>(sample);
    expected<STATE><<<sample / 128, 128>>>(sample, 0, device);
    wait_for_kernels();
    std::vector<numbers> want = host_copy(device, sample);
    expected<STATE><<<sample / 128, 128>>>(sample, group, device);
    wait_for_kernels();
    std::vector<numbers> second = host_copy(device, sample);

    size_t count = (size_t)threads * group + 4096;
    unsigned *bits = device_array<unsigned>(count);
    curandGenerator_t g = generator(type);
    RAND(curandGenerate(g, bits, 1000)); /* in two calls */
    RAND(curandGenerate(g, bits + 1000, count - 1000));
    std::vector<unsigned> got = host_copy(bits, count);
    for (size_t i = 0; i < sample; i++) {
        expect_equal("bits", i, got[i * group], want[i].bits);
        expect_equal("second round", i, got[(size_t)threads * group + i * group], second[i].bits);
    }
    RAND(curandSetGeneratorOffset(g, 7));
    unsigned *later = device_array<unsigned>(64);
    RAND(curandGenerate(g, later, 64));
    std::vector<unsigned> at_7 = host_copy(later, 64);
    for (size_t i = 0; i < 64; i++)
        expect_equal("offset", i, at_7[i], got[i + 7]);
    std::vector<unsigned> on_host(100);
    curandGenerator_t h = generator(type, true);
    RAND(curandGenerate(h, on_host.data(), 100));
    for (size_t i = 0; i < 100; i++)
        expect_equal("host", i, on_host[i], got[i]);

    float *f = device_array<float>(2 * sample * group);
    double *d = device_array<double>(2 * sample * group);
    RAND(curandSetGeneratorOffset(g, 0));
    RAND(curandGenerateUniform(g, f, sample * group));
    std::vector<float> uniform = host_copy(f, sample * group);
    RAND(curandSetGeneratorOffset(g, 0));
    RAND(curandGenerateNormal(g, f, 2 * sample, 3.0f, 2.0f));
    std::vector<float> normal = host_copy(f, 2 * sample);
    RAND(curandSetGeneratorOffset(g, 0));
    RAND(curandGenerateLogNormal(g, f, 2 * sample, 0.0f, 1.0f));
    std::vector<float> log_normal = host_copy(f, 2 * sample);
    RAND(curandSetGeneratorOffset(g, 0));
    RAND(curandGenerateUniformDouble(g, d, sample));
    std::vector<double> wide = host_copy(d, sample);
    RAND(curandSetGeneratorOffset(g, 0));
    RAND(curandGenerateNormalDouble(g, d, 2 * sample, 0, 1));
    std::vector<double> normal_wide = host_copy(d, 2 * sample);
    unsigned pairs = group == 4 ? 2 : 1; /* Philox has two pairs in a group */
    for (size_t i = 0; i < sample / 2; i++) {
        expect_near("uniform", i, uniform[i * group], want[i].uniform, 1e-7);
        double want_wide = want[i].wide;
        if (group == 4) { /* of two numbers here, where the device's function takes one */
            uint64_t z = got[4 * i] ^ (uint64_t)got[4 * i + 1] << 21;
            want_wide = ((double)z + 0.5) * std::pow(2.0, -53);
        }
        if (i < sample / 4)
            expect_near("uniform double", i, wide[i * group], want_wide, 1e-15);
        for (int k = 0; k < 2; k++) {
            double n = want[i].normal[k];
            expect_near("normal", 2 * i + k, normal[i * pairs * 2 + k], 3 + 2 * n, 2e-5);
            expect_near("log-normal", 2 * i + k, log_normal[i * pairs * 2 + k], std::exp(n),
                        1e-5 * (1 + std::exp(n)));
            if (i < sample / 4)
                expect_near("normal double", 2 * i + k, normal_wide[2 * i * pairs + k],
                            want[i].normal_wide[k], 1e-13);
        }
    }
    RAND(curandDestroyGenerator(g));
    RAND(curandDestroyGenerator(h));
}

int main()
{
    check<curandStateXORWOW_t>(CURAND_RNG_PSEUDO_XORWOW, 4096, 1);
    check<curandStateMRG32k3a_t>(CURAND_RNG_PSEUDO_MRG32K3A, 81920, 1);
    check<curandStatePhilox4_32_10_t>(CURAND_RNG_PSEUDO_PHILOX4_32_10, 65536, 4);
    return pass();
}

/*
 * Host of montecarlo: prices of options by random paths (see montecarlo.cu for its memory behaviour
 * and use).
 *
 * A thread's paths and a block's threads are added in the same order as there: every sum is
 * compared exactly. Normal numbers are sums of twelve uniform ones, less six.
 */
#include "host.h"
#include "path.h"
#include "random.h"

static const struct host_choice choices[] = {
    {"paths", "that every option takes", .sizes = {2048, 65536, 262144}},
    {"options", "to price", .sizes = {8, 64, 256}},
    {"launches", "that the options are shared out to", .sizes = {2, 4, 16}},
    {0},
};

struct sums {
    float sum, squares;
};

static struct sums price(struct option o, const float *normals, u32 paths)
{
    float sum[THREADS] = {0}, squares[THREADS] = {0};
    for (u32 i = 0; i < paths; i++) {
        float worth = payoff(o, normals[i]);
        sum[i % THREADS] += worth;
        squares[i % THREADS] = fmaf(worth, worth, squares[i % THREADS]);
    }
    for (u32 by = THREADS / 2; by > 0; by /= 2) {
        for (u32 t = 0; t < by; t++) {
            sum[t] += sum[t + by];
            squares[t] += squares[t + by];
        }
    }
    return (struct sums){sum[0], squares[0]};
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "montecarlo", choices, argc, argv);
    u32 paths = host_measure(&h, "paths"), count = host_measure(&h, "options");
    u32 launches = host_measure(&h, "launches"), each = blocks_for(count, launches);
    struct random n = random_stream(h.seed, "normals"), r = random_stream(h.seed, "options");
    float *normals = HOST_ARRAY(&h, float, paths);
    for (u32 i = 0; i < paths; i++) {
        normals[i] = -6;
        for (u32 k = 0; k < 12; k++)
            normals[i] += random_unit(n, 12 * (u64)i + k);
    }
    struct option *options = HOST_ARRAY(&h, struct option, count);
    for (u32 i = 0; i < count; i++) {
        float years = 1 + 4 * random_unit(r, 3 * i);
        options[i] =
            (struct option){5 + 45 * random_unit(r, 3 * i + 1), 10 + 15 * random_unit(r, 3 * i + 2),
                            0.01f * years, 0.1f * sqrtf(years)};
    }
    CUdeviceptr constant, device_normals = host_upload(&h, normals, paths * sizeof(float));
    CUdeviceptr out = host_device_alloc(&h, count * sizeof(struct sums));
    size_t bytes;
    CU(&h, cuModuleGetGlobal, (&constant, &bytes, h.module, "options"));
    CU(&h, cuMemcpyHtoD, (constant, options, count * sizeof *options));
    for (u32 first = 0; first < count; first += each) {
        u32 now = each < count - first ? each : count - first;
        host_launch(&h, host_kernel(&h, "montecarlo"), DIM1(now), DIM1(THREADS), 0,
                    ARGS(&device_normals, &out, &first, &paths));
    }
    struct sums *expected = HOST_ARRAY(&h, struct sums, count);
    for (u32 i = 0; i < count; i++)
        expected[i] = price(options[i], normals, paths);
    host_check_f32(&h, "sums", out, &expected[0].sum, 2 * (size_t)count);
    return host_finish(&h);
}

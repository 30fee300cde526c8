/*
 * Host of fastwalsh: Walsh-Hadamard transform (see fastwalsh.cu for its memory behaviour and use).
 *
 * Elements are -1, 0 or 1 and at most 2^24 of them, so that all sums are exact whole numbers: every
 * element is compared exactly.
 */
#include "host.h"

#define CHUNK 2048
#define THREADS 256

static const struct host_choice choices[] = {
    {"log2", "of the number of elements, at least 11", .sizes = {12, 18, 24}},
    {"times", "the transform is made", .sizes = {1, 2, 4}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "fastwalsh", choices, argc, argv);
    u32 log2 = host_measure(&h, "log2"), count = 1u << log2, times = host_measure(&h, "times");
    if (count < CHUNK)
        host_fail(&h, "--log2 is %u, expected at least 11", log2);
    u32 *signs = host_random_u32(&h, "signs", count, 3);
    float *data = HOST_ARRAY(&h, float, count);
    for (u32 i = 0; i < count; i++)
        data[i] = (float)signs[i] - 1;
    CUdeviceptr device = host_upload(&h, data, count * sizeof(float));
    CUfunction global = host_kernel(&h, "fastwalsh_global");
    CUfunction shared = host_kernel(&h, "fastwalsh_shared");
    for (u32 t = 0; t < times; t++) {
        for (u32 by = count / 2; by >= CHUNK; by /= 2)
            host_launch(&h, global, DIM1(count / 2 / THREADS), DIM1(THREADS), 0,
                        ARGS(&device, &by));
        host_launch(&h, shared, DIM1(count / CHUNK), DIM1(THREADS), 0, ARGS(&device));
        for (u32 by = count / 2; by > 0; by /= 2) {
            for (u32 i = 0; i < count; i++) {
                float a = data[i], b = data[i ^ by];
                if (!(i & by)) {
                    data[i] = a + b;
                    data[i ^ by] = a - b;
                }
            }
        }
        for (u32 i = 0; t + 1 < times && i < count; i++) /* back into range: exact */
            data[i] /= (float)count;
        if (t + 1 < times)
            CU(&h, cuMemcpyHtoD, (device, data, count * sizeof(float)));
        else
            host_check_f32(&h, "data", device, data, count);
    }
    return host_finish(&h);
}

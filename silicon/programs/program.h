/* What these programs share: inputs that repeat, memory on the device, and one line that says
 * whether sampled results agree with the host's. */
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline unsigned next_random()
{
    static unsigned state = 12345;
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

inline float next_float() /* -1 to 1 */
{
    return (float)(next_random() % 2001) / 1000.0f - 1.0f;
}

inline void expect(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    printf("%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

template <typename T> struct array {
    std::vector<T> host;
    T *device;
    explicit array(size_t n) : host(n), device(nullptr)
    {
        expect(cudaMalloc(&device, n * sizeof(T)), "cudaMalloc");
        expect(cudaMemset(device, 0, n * sizeof(T)), "cudaMemset");
    }
    void randomize()
    {
        for (T &v : host)
            v = (T)next_float();
        upload();
    }
    void upload()
    {
        expect(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice),
               "upload");
    }
    void download()
    {
        expect(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost),
               "download");
    }
};

static int wrong;
inline void check(const char *what, double got, double expected, double tolerance = 1e-3)
{
    if (fabs(got - expected) <= tolerance * (1 + fabs(expected)))
        return;
    if (!wrong++)
        printf("%s is %g, expected %g\n", what, got, expected);
}

inline int finish(const char *name)
{
    expect(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    printf("%s: %s\n", name, wrong ? "wrong" : "verified");
    return wrong != 0;
}

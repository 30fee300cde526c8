/*
 * Kernels whose names the compiler makes: templates, namespaces, lambdas.
 *
 * Proves several instantiations of one kernel by type and by number, static
 * shared memory per instantiation, functors and lambdas as kernel arguments
 * (with captures of several sizes), variadic arguments, kernels of the same
 * name in different namespaces, and parameters of all sizes and alignments.
 */
#define TEST "templates"
#include "check.h"

/* Sums N neighbours in T through shared memory that each instantiation owns. */
template <typename T, int N> __global__ void window(const T *in, T *out)
{
    __shared__ T tile[64 + N];
    int i = threadIdx.x;
    for (int at = i; at < 64 + N; at += 64)
        tile[at] = in[blockIdx.x * 64 + at];
    __syncthreads();
    T sum = 0;
    for (int k = 0; k < N; k++)
        sum += tile[i + k];
    out[blockIdx.x * 64 + i] = sum;
}

template <typename T, typename Function> __global__ void transform(T *data, int n, Function f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = f(data[i], i);
}

struct polynomial {
    int degree;
    double coefficient[5];
    __host__ __device__ double operator()(double x, int i) const
    {
        double sum = 0;
        for (int d = degree; d >= 0; d--)
            sum = fma(sum, x, coefficient[d]);
        return sum + i;
    }
};

struct mixed {
    char first;
    double second;
    short third[7];
};

template <typename... Rest> __device__ long long add_all(Rest... rest)
{
    return (0LL + ... + (long long)rest);
}

template <typename... Values> __global__ void spread(long long *out, Values... values)
{
    out[threadIdx.x] = add_all(values...) + (long long)sizeof...(values) * threadIdx.x;
}

namespace north
{
template <typename T> __global__ void mark(T *out)
{
    out[threadIdx.x] = (T)(threadIdx.x + 1);
}
} // namespace north

namespace
{
template <typename T> __global__ void mark(T *out)
{
    out[threadIdx.x] = (T)(threadIdx.x * 2);
}
} // namespace

template <typename T, int N> static void window_compare(const char *what)
{
    const int count = 256;
    std::vector<T> in(count + N);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (T)(mix(i) % 100);
    T *device_in = device_copy(in), *device_out = device_array<T>(count);
    window<T, N><<<count / 64, 64>>>(device_in, device_out);
    wait_for_kernels();
    std::vector<T> got = host_copy(device_out, count);
    for (int i = 0; i < count; i++) {
        T want = 0;
        for (int k = 0; k < N; k++)
            want += in[i + k];
        expect_equal(what, i, got[i], want);
    }
}

template <typename T, typename Function> static void transform_compare(const char *what, Function f)
{
    const int count = 200;
    std::vector<T> data(count);
    for (int i = 0; i < count; i++)
        data[i] = (T)(i % 9);
    T *device = device_copy(data);
    transform<<<(count + 63) / 64, 64>>>(device, count, f);
    wait_for_kernels();
    std::vector<T> got = host_copy(device, count);
    for (int i = 0; i < count; i++)
        expect_equal(what, i, got[i], f(data[i], i));
}

template <typename T, typename Kernel> static void mark_compare(Kernel kernel, int scale, int add)
{
    T *out = device_array<T>(40);
    kernel<<<1, 40>>>(out);
    wait_for_kernels();
    std::vector<T> got = host_copy(out, 40);
    for (int i = 0; i < 40; i++)
        expect_equal("mark", i, got[i], (T)(i * scale + add));
}

int main(void)
{
    window_compare<int, 3>("int 3");
    window_compare<int, 33>("int 33");
    window_compare<double, 3>("double 3");
    window_compare<float, 65>("float 65");
    window_compare<unsigned char, 7>("byte 7");

    struct polynomial p = {4, {1, -2, 0.5, 3, 0.25}};
    int shift = 3;
    long long large = 1LL << 40;
    struct mixed mixed = {5, 0.5, {1, 2, 3, 4, 5, 6, 7}};
    transform_compare<double>("functor", p);
    transform_compare<int>("lambda",
                           [=] __host__ __device__(int x, int i) { return (x << shift) - i; });
    transform_compare<long long>("wide lambda", [=] __host__ __device__(long long x, int i) {
        return x * large + shift + i;
    });
    transform_compare<double>("struct lambda", [=] __host__ __device__(double x, int i) {
        return x + mixed.first * mixed.second + mixed.third[i % 7];
    });

    long long *out = device_array<long long>(32);
    spread<<<1, 32>>>(out, (char)1, (short)-20, 300, 4000LL, (unsigned char)200, 50000u, 2.0f, 7.0);
    wait_for_kernels();
    std::vector<long long> got = host_copy(out, 32);
    for (int i = 0; i < 32; i++)
        expect_equal("spread", i, got[i], 1 - 20 + 300 + 4000 + 200 + 50000 + 2 + 7 + 8 * i);
    spread<<<1, 32>>>(out);
    wait_for_kernels();
    got = host_copy(out, 32);
    for (int i = 0; i < 32; i++)
        expect_equal("spread none", i, got[i], 0);

    mark_compare<int>(north::mark<int>, 1, 1);
    mark_compare<short>(north::mark<short>, 1, 1);
    mark_compare<int>(::mark<int>, 2, 0);
    mark_compare<float>(::mark<float>, 2, 0);
    return pass();
}

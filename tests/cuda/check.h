/*
 * What every program of this folder shares: one verdict line, and comparisons.
 *
 * A program names itself with `#define TEST "name"` before it includes this.
 * The first CUDA call that fails and the first wrong value end it with one
 * line `FAIL name: ...` and exit code 1; main ends with `return pass();`.
 */
#ifndef TESTS_CUDA_CHECK_H
#define TESTS_CUDA_CHECK_H

#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>

[[noreturn]] static inline void fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("FAIL %s: ", TEST);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    fflush(stdout);
    exit(1);
}

static inline int pass(void)
{
    printf("PASS %s\n", TEST);
    return 0;
}

static inline void check_call(cudaError_t error, const char *call, int line)
{
    if (error != cudaSuccess)
        fail("line %d: %s gave %s (%s)", line, call, cudaGetErrorName(error),
             cudaGetErrorString(error));
}

/* The call must succeed. */
#define CHECK(call) check_call((call), #call, __LINE__)

static inline void expect_error(cudaError_t got, cudaError_t want, const char *call, int line)
{
    if (got != want)
        fail("line %d: %s gave %s, expected %s", line, call, cudaGetErrorName(got),
             cudaGetErrorName(want));
    (void)cudaGetLastError(); /* an expected error must not be found again later */
}

/* The call must fail, with exactly this error. */
#define EXPECT_ERROR(call, error) expect_error((call), (error), #call, __LINE__)

#define EXPECT(claim)                                                                              \
    do {                                                                                           \
        if (!(claim))                                                                              \
            fail("line %d: not true: %s", __LINE__, #claim);                                       \
    } while (0)

template <typename T> static std::string text_of(T value)
{
    char text[64];
    if constexpr (std::is_floating_point<T>::value)
        snprintf(text, sizeof text, "%.17g", (double)value);
    else if constexpr (std::is_unsigned<T>::value)
        snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    else
        snprintf(text, sizeof text, "%lld", (long long)value);
    return text;
}

/* Element `index` of the array called `what`; the wanted value takes the type of the other. */
template <typename T, typename W>
static void expect_equal(const char *what, size_t index, T got, W want)
{
    if (!(got == (T)want))
        fail("first mismatch: %s[%zu] is %s, expected %s", what, index, text_of(got).c_str(),
             text_of((T)want).c_str());
}

static inline void expect_near(const char *what, size_t index, double got, double want,
                               double tolerance)
{
    if (!(std::fabs(got - want) <= tolerance))
        fail("first mismatch: %s[%zu] is %.17g, expected %.17g within %.3g", what, index, got, want,
             tolerance);
}

/* Waits for everything launched so far; reports a refused launch and a failed kernel alike. */
static inline void wait_for_kernels(void)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

/*
 * New device memory is poisoned, so an element no thread wrote cannot pass by
 * luck. The waits order it before work on streams that ignore the default one.
 */
template <typename T> static T *device_array(size_t count)
{
    T *device = nullptr;
    CHECK(cudaMalloc(&device, count * sizeof(T)));
    CHECK(cudaMemset(device, 0xa5, count * sizeof(T)));
    CHECK(cudaDeviceSynchronize());
    return device;
}

template <typename T> static T *device_copy(const std::vector<T> &host)
{
    T *device = nullptr;
    CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
    CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
    return device;
}

template <typename T> static std::vector<T> host_copy(const T *device, size_t count)
{
    std::vector<T> host(count);
    CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

/* The finaliser of MurmurHash3: test data that host and device compute alike. */
__host__ __device__ static inline uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

#endif

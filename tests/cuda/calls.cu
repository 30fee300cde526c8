/*
 * Functions that cannot be inlined, and memory of one thread's own.
 *
 * Proves recursion to a depth that differs in each lane, mutual recursion,
 * a recursive sort of a local array, virtual functions on objects of mixed
 * type within one warp, tables of function pointers, structures passed and
 * returned by value, and local arrays indexed at run time.
 */
#define TEST "calls"
#include "check.h"

#include <new>

static const int threads = 128;

__host__ __device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__host__ __device__ __noinline__ int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__host__ __device__ __noinline__ void quicksort(int *data, int low, int high)
{
    if (low >= high)
        return;
    int pivot = data[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (data[i] < pivot)
            i++;
        while (data[j] > pivot)
            j--;
        if (i <= j) {
            int t = data[i];
            data[i++] = data[j];
            data[j--] = t;
        }
    }
    quicksort(data, low, j);
    quicksort(data, i, high);
}

struct triple {
    int a;
    double b;
    char c;
};

__host__ __device__ __noinline__ struct triple triple_turn(struct triple t, int by)
{
    struct triple r = {t.c + by, t.a * 0.5, (char)((int)t.b % 100)};
    return r;
}

__host__ __device__ __noinline__ int plus(int a, int b)
{
    return a + b;
}

__host__ __device__ __noinline__ int minus(int a, int b)
{
    return a - b;
}

__host__ __device__ __noinline__ int times(int a, int b)
{
    return a * b;
}

typedef int (*operation)(int, int);
__device__ operation operations[3] = {plus, minus, times};

struct shape {
    int id;
    __host__ __device__ explicit shape(int n) : id(n)
    {
    }
    __host__ __device__ virtual ~shape()
    {
    }
    __host__ __device__ virtual int area() const = 0;
    __host__ __device__ virtual int corners() const
    {
        return id % 2;
    }
};

struct square : shape {
    __host__ __device__ explicit square(int n) : shape(n)
    {
    }
    __host__ __device__ int area() const override
    {
        return id * id;
    }
    __host__ __device__ int corners() const override
    {
        return 4;
    }
};

struct strip : shape {
    int width;
    __host__ __device__ strip(int n, int w) : shape(n), width(w)
    {
    }
    __host__ __device__ int area() const override
    {
        return id * width + corners();
    }
};

union shape_storage {
    long long align;
    char bytes[32];
};

__host__ __device__ static shape *shape_make(int i, union shape_storage *at)
{
    if (i % 3 == 0)
        return new (at) square(i);
    return new (at) strip(i, i % 5);
}

__global__ void make_shapes(union shape_storage *storage, shape **shapes)
{
    int i = threadIdx.x;
    shapes[i] = shape_make(i, &storage[i]);
}

enum { results = 8 };

/* `op` and `object` are the only things host and device reach differently. */
__host__ __device__ static void compute(int i, operation op, const shape *object, long long *out)
{
    int data[24];
    for (int k = 0; k < 24; k++)
        data[k] = (int)(mix(i * 24 + k) % 1000);
    quicksort(data, 0, 23);
    struct triple t = triple_turn({i, i * 1.5, 'x'}, i % 11);
    out[0] = fibonacci(i % 13);
    out[1] = ackermann(i % 3, i % 4);
    out[2] = data[i % 24];
    out[3] = data[(i * 7) % 24] * 3LL + data[23] + data[0];
    out[4] = (long long)(t.a * 1000 + t.b * 2 + t.c);
    out[5] = op(i, 100 - i);
    out[6] = object->area();
    out[7] = object->corners();
}

__global__ void compute_all(shape **shapes, long long *out)
{
    int i = threadIdx.x;
    compute(i, operations[i % 3], shapes[i], out + i * results);
}

int main(void)
{
    static_assert(sizeof(square) <= sizeof(shape_storage) && sizeof(strip) <= sizeof(shape_storage),
                  "a shape fits");
    size_t stack = 0;
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    EXPECT(stack >= 8192);

    union shape_storage *storage = device_array<union shape_storage>(threads);
    shape **shapes = device_array<shape *>(threads);
    long long *out = device_array<long long>(threads * results);
    make_shapes<<<1, threads>>>(storage, shapes);
    compute_all<<<1, threads>>>(shapes, out);
    wait_for_kernels();

    const operation host_operations[3] = {plus, minus, times};
    std::vector<long long> got = host_copy(out, threads * results);
    for (int i = 0; i < threads; i++) {
        union shape_storage room;
        shape *object = shape_make(i, &room);
        long long want[results];
        compute(i, host_operations[i % 3], object, want);
        for (int r = 0; r < results; r++)
            expect_equal("result", i * results + r, got[i * results + r], want[r]);
    }
    return pass();
}

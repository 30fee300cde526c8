/*
 * Work in a stream goes on while the host waits without a CUDA call.
 *
 * Proves that a callback and a host function wake a host thread that sleeps or
 * spins, that the host sees a flag a kernel writes to mapped and to managed
 * memory, that a kernel sees a flag the host sets after the launch, from the
 * same thread or another one, and that a kernel and the host can answer each
 * other for a while.
 */
#define TEST "host_waits"
#include "check.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unistd.h>

__global__ void add(int *value, int amount)
{
    atomicAdd(value, amount);
}

__global__ void raise_flag(volatile int *flag, int value)
{
    *flag = value;
    __threadfence_system();
}

__global__ void wait_for_flag(volatile int *flag, int value, int *seen)
{
    while (*flag != value)
        ;
    *seen = value;
}

/* Answers every number the host asks with its double, until it is asked 0. */
__global__ void answer(volatile int *question, volatile int *reply)
{
    int last = -1;
    for (;;) {
        int asked = *question;
        if (asked == last)
            continue;
        last = asked;
        *reply = 2 * asked;
        __threadfence_system();
        if (asked == 0)
            return;
    }
}

struct gate {
    std::mutex lock;
    std::condition_variable opened;
    bool is_open = false;

    void open()
    {
        std::lock_guard<std::mutex> held(lock);
        is_open = true;
        opened.notify_all();
    }
    void wait()
    {
        std::unique_lock<std::mutex> held(lock);
        opened.wait(held, [this] { return is_open; });
        is_open = false;
    }
};

static void CUDART_CB open_in_callback(cudaStream_t, cudaError_t, void *data)
{
    ((struct gate *)data)->open();
}

static void CUDART_CB open_in_function(void *data)
{
    ((struct gate *)data)->open();
}

static void CUDART_CB set_flag(void *data)
{
    ((std::atomic<int> *)data)->store(1);
}

/* No pinned memory yet: only the host functions tell that anything has happened. */
static void sleeping_host_is_woken(int *value)
{
    struct gate gate;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int i = 0; i < 3; i++) {
        add<<<1, 32, 0, stream>>>(value, 1);
        CHECK(cudaStreamAddCallback(stream, open_in_callback, &gate, 0));
        gate.wait();
        add<<<1, 32, 0, stream>>>(value, 1);
        CHECK(cudaLaunchHostFunc(stream, open_in_function, &gate));
        gate.wait();
    }
    expect_equal("value", 0, host_copy(value, 1)[0], 6 * 32);
    CHECK(cudaStreamDestroy(stream));
}

static void spinning_host_is_woken(int *value)
{
    std::atomic<int> flag(0);
    add<<<1, 32>>>(value, 1);
    CHECK(cudaLaunchHostFunc(0, set_flag, &flag));
    while (!flag.load())
        ;
    expect_equal("value", 0, host_copy(value, 1)[0], 7 * 32);
}

/* One thread waits inside a call for a stream, the other for a host function in another one. */
static void callback_comes_while_another_thread_waits(int *value)
{
    struct gate gate;
    cudaStream_t one, two;
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    add<<<1, 32, 0, one>>>(value, 1);
    add<<<1, 32, 0, two>>>(value, 1);
    CHECK(cudaLaunchHostFunc(two, open_in_function, &gate));
    std::thread other([&] { CHECK(cudaStreamSynchronize(one)); });
    gate.wait();
    other.join();
    CHECK(cudaDeviceSynchronize());
    expect_equal("value", 0, host_copy(value, 1)[0], 9 * 32);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
}

static void host_sees_flags(volatile int *flag)
{
    *flag = 0;
    raise_flag<<<1, 1>>>((int *)flag, 5);
    while (*flag != 5)
        ;
    raise_flag<<<1, 1>>>((int *)flag, 6);
    while (*flag != 6)
        usleep(1000);
    CHECK(cudaDeviceSynchronize());
}

static void kernel_sees_flags(volatile int *flag, int *seen)
{
    *flag = 0;
    wait_for_flag<<<1, 1>>>((int *)flag, 7, seen);
    *flag = 7;
    CHECK(cudaDeviceSynchronize());
    expect_equal("seen", 0, host_copy(seen, 1)[0], 7);

    wait_for_flag<<<1, 1>>>((int *)flag, 8, seen);
    std::thread other([&] {
        usleep(20000);
        *flag = 8;
    });
    CHECK(cudaDeviceSynchronize());
    other.join();
    expect_equal("seen", 1, host_copy(seen, 1)[0], 8);
}

static void kernel_and_host_answer_each_other(volatile int *mail)
{
    mail[0] = mail[1] = -1;
    answer<<<1, 1>>>((int *)mail, (int *)mail + 1);
    for (int i = 20; i >= 0; i--) {
        mail[0] = i;
        while (mail[1] != 2 * i)
            ;
    }
    CHECK(cudaDeviceSynchronize());
}

int main(void)
{
    int *value = device_array<int>(1), *seen = device_array<int>(1), *mapped, *managed;
    CHECK(cudaMemset(value, 0, sizeof *value));
    sleeping_host_is_woken(value);
    spinning_host_is_woken(value);
    callback_comes_while_another_thread_waits(value);
    CHECK(cudaHostAlloc(&mapped, 2 * sizeof *mapped, cudaHostAllocMapped));
    host_sees_flags(mapped);
    kernel_sees_flags(mapped, seen);
    kernel_and_host_answer_each_other(mapped);
    CHECK(cudaMallocManaged(&managed, sizeof *managed));
    host_sees_flags(managed);
    return pass();
}

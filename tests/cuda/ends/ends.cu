/*
 * One program that ends in many ways; its argument says which. tests/cuda/ends.sh
 * holds heddle to what it promises about each.
 */
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(error));
}

#define CHECK(call) check((call), #call)

__global__ void add(int *value)
{
    atomicAdd(value, 1);
}

__global__ void spin(volatile int *value)
{
    while (*value != 99)
        ;
}

/* As endless, but something changes: nobody can say that it waits in vain. */
__global__ void count_for_ever(volatile int *value)
{
    while (*value != -1)
        atomicAdd((int *)value, 2);
}

/* Half of the block waits for the other half, which waits for it elsewhere. */
__global__ void half_barrier(int *value)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;");
    else
        asm volatile("bar.sync 2, 64;");
    *value = 1;
}

__global__ void shared_out(int *value)
{
    extern __shared__ int room[];
    room[threadIdx.x] = *value;
    __syncthreads();
    *value = room[threadIdx.x ^ 1];
}

/* So many values stay alive that a block of 1024 threads cannot have its registers. */
__global__ void many_registers(float *p)
{
    float a[150];
#pragma unroll
    for (int i = 0; i < 150; i++)
        a[i] = p[i * 7 + threadIdx.x];
    for (int k = 0; k < 2; k++) {
#pragma unroll
        for (int i = 0; i < 150; i++)
            a[i] = a[i] * a[(i * 7 + 1) % 150] + 1.0f;
    }
#pragma unroll
    for (int i = 0; i < 150; i++)
        p[i * 7 + threadIdx.x] = a[i];
}

static int *device_word(void)
{
    int *word;
    CHECK(cudaMalloc(&word, 65536));
    CHECK(cudaMemset(word, 0, 65536));
    return word;
}

static void run_add(void)
{
    add<<<4, 64>>>(device_word());
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

static void run_many(void)
{
    int *word = device_word();
    for (int i = 0; i < 2000; i++)
        add<<<4, 64>>>(word);
    CHECK(cudaDeviceSynchronize());
}

static void run_spin(void)
{
    count_for_ever<<<1, 32>>>(device_word());
    CHECK(cudaDeviceSynchronize());
}

static void run_deadlock(void)
{
    half_barrier<<<1, 64>>>(device_word());
    CHECK(cudaDeviceSynchronize());
}

/* The kernel is launched and waited for by a thread that is not the first. */
static void run_in_thread(void)
{
    std::thread([] { run_spin(); }).join();
}

/* A thread that reads holds the lock of stdin; the early end must not wait for it. */
static void run_beside_reader(void)
{
    std::thread([] {
        char line[16];
        if (fgets(line, sizeof line, stdin))
            puts(line);
    }).detach();
    usleep(100000);
    run_spin();
}

static void run_then_sleep(void)
{
    run_add();
    puts("asleep");
    fflush(stdout);
    for (;;)
        pause();
}

static void run_then_compute(void)
{
    run_add();
    puts("asleep");
    fflush(stdout);
    for (volatile int forever = 1; forever;)
        ;
}

static void leave(int)
{
    exit(5);
}

static void run_with_handler(void)
{
    signal(SIGINT, leave);
    run_spin();
}

/* One thread waits inside a call for a kernel that another lets go on with a copy of its own. */
static void run_copy_from_thread(void)
{
    static const int word = 99;
    int *flag = device_word();
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    spin<<<1, 32>>>(flag);
    std::thread other([&] {
        usleep(200000);
        CHECK(cudaMemcpyAsync(flag, &word, sizeof word, cudaMemcpyHostToDevice, stream));
    });
    CHECK(cudaDeviceSynchronize());
    other.join();
}

struct gate {
    std::mutex lock;
    std::condition_variable opened;
    bool is_open = false;
};

static void CUDART_CB open_gate(void *data)
{
    struct gate *gate = (struct gate *)data;
    std::lock_guard<std::mutex> held(gate->lock);
    gate->is_open = true;
    gate->opened.notify_all();
}

/* Two streams are kept busy by a host that sleeps until one of them has called it back. */
static void run_callbacks(void)
{
    int *word = device_word();
    struct gate gate;
    cudaStream_t streams[2];
    for (auto &stream : streams)
        CHECK(cudaStreamCreate(&stream));
    for (int i = 0; i < 20; i++) {
        for (int k = 0; k < 3; k++)
            add<<<8 * (i % 3 + 1), 128, 0, streams[(i + k) % 2]>>>(word);
        CHECK(cudaLaunchHostFunc(streams[i % 2], open_gate, &gate));
        std::unique_lock<std::mutex> held(gate.lock);
        gate.opened.wait(held, [&] { return gate.is_open; });
        gate.is_open = false;
    }
    CHECK(cudaDeviceSynchronize());
}

/* Kernels read and write memory that the host allocated itself. */
static void run_registered(void)
{
    for (size_t bytes = 1 << 16; bytes <= 1 << 20; bytes *= 4) {
        int *words = (int *)calloc(bytes, 1);
        CHECK(cudaHostRegister(words, bytes, cudaHostRegisterMapped));
        for (size_t i = 0; i < bytes / sizeof *words; i += 4097)
            add<<<4, 64>>>(words + i);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaHostUnregister(words));
        free(words);
    }
}

static int ended(pid_t child)
{
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A child of a process that has used CUDA cannot, and leaves nothing behind. */
static void run_fork_after(void)
{
    run_add();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        exit(cudaDeviceSynchronize() == cudaErrorInitializationError ? 11 : 12);
    printf("child %d\n", ended(child));
    run_add();
}

/* Before that it can, and has a result of its own. */
static void run_fork_before(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        run_add();
        exit(0);
    }
    printf("child %d is %d\n", ended(child), (int)child);
    run_add();
    run_add();
}

static void run_shared_block(void)
{
    shared_out<<<1, 64, 60000>>>(device_word());
    CHECK(cudaGetLastError());
}

static void run_large_block(void)
{
    many_registers<<<1, 1024>>>((float *)device_word());
    CHECK(cudaGetLastError());
}

/* The runtime's errors are there for the asking, but nobody asks. */
static void run_unchecked_block(void)
{
    int *word = device_word();
    add<<<1, 32>>>(word);
    add<<<1, 2048>>>(word);
    add<<<1, 32, 60000>>>(word);
    cudaDeviceSynchronize();
}

static void run_unchecked_fault(void)
{
    add<<<1, 32>>>((int *)64);
    cudaDeviceSynchronize();
}

/* A program that tries a launch and has another way. */
static void run_checked_block(void)
{
    int *word = device_word();
    add<<<1, 2048>>>(word);
    if (cudaGetLastError() != cudaSuccess)
        add<<<2, 1024>>>(word);
    CHECK(cudaDeviceSynchronize());
}

static void run_nothing(void)
{
    device_word();
}

static void run_unwaited(void)
{
    int *word;
    CHECK(cudaMalloc(&word, 4));
    add<<<1, 32>>>(word);
}

static const struct {
    const char *name;
    void (*run)(void);
} ways[] = {
    {"add", run_add},
    {"many", run_many},
    {"spin", run_spin},
    {"deadlock", run_deadlock},
    {"thread", run_in_thread},
    {"reader", run_beside_reader},
    {"sleep", run_then_sleep},
    {"compute", run_then_compute},
    {"handler", run_with_handler},
    {"copy-from-thread", run_copy_from_thread},
    {"callbacks", run_callbacks},
    {"registered", run_registered},
    {"fork-after", run_fork_after},
    {"fork-before", run_fork_before},
    {"shared-block", run_shared_block},
    {"large-block", run_large_block},
    {"unchecked-block", run_unchecked_block},
    {"unchecked-fault", run_unchecked_fault},
    {"checked-block", run_checked_block},
    {"nothing", run_nothing},
    {"unwaited", run_unwaited},
};

/* Has a destructor, as objects of C++ programs have. */
struct speaker {
    ~speaker()
    {
        printf("in order\n");
    }
};

int main(int count, char **words)
{
    struct speaker speaker;
    for (const auto &way : ways) {
        if (count == 2 && strcmp(way.name, words[1]) == 0) {
            try {
                way.run();
                return 0;
            } catch (const std::exception &e) {
                printf("caught %s\n", e.what());
                return 7;
            }
        }
    }
    return 9;
}

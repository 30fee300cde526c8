/*
 * The clocks a kernel can read only go forward.
 *
 * Proves that clock64 and globaltimer never step back within a thread, that
 * clock64 rises across dependent work and more across more of it, that the
 * 32-bit clock agrees with it, that globaltimer advances while a thread
 * waits or sleeps, and that a second kernel starts no earlier than the first.
 */
#define TEST "timers"
#include "check.h"

static const int warps = 4, readings = 18;

struct reading {
    long long clock[readings];
    unsigned long long time[readings];
    int value;
};

__device__ static unsigned long long global_time(void)
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return t;
}

/* The work between readings doubles and depends on itself. */
__global__ void measure(struct reading *out)
{
    struct reading *r = &out[blockIdx.x * blockDim.x + threadIdx.x];
    int v = threadIdx.x, steps = 1;
    for (int k = 0; k < readings; k++) {
        for (int s = 0; s < steps; s++)
            v = mix(v);
        r->value = v; /* between the readings, so that the work cannot move away */
        r->clock[k] = clock64();
        r->time[k] = global_time();
        if (k % 2)
            steps *= 2;
    }
}

struct wait {
    unsigned long long before, after, slept;
    unsigned polls;
    int low_agrees;
};

__global__ void wait_for_tick(struct wait *w)
{
    w->before = global_time();
    unsigned polls = 0;
    unsigned long long now;
    do {
        now = global_time();
        polls++;
    } while (now == w->before && polls < 500000);
    w->after = now;
    w->polls = polls;
    for (int i = 0; i < 20; i++)
        __nanosleep(200);
    w->slept = global_time();
    long long first = clock64();
    unsigned middle; /* clock() reads clock64 as well; the 32-bit register needs PTX */
    asm volatile("mov.u32 %0, %%clock;" : "=r"(middle)::"memory");
    long long last = clock64();
    w->low_agrees = middle - (unsigned)first <= (unsigned)(last - first);
}

int main(void)
{
    const int threads = 2 * warps * 32;
    struct reading *device = device_array<struct reading>(threads);
    unsigned long long latest = 0;
    for (int round = 0; round < 2; round++) {
        measure<<<2, warps * 32>>>(device);
        wait_for_kernels();
        std::vector<struct reading> got = host_copy(device, threads);
        unsigned long long latest_now = 0;
        for (int t = 0; t < threads; t++) {
            const struct reading *r = &got[t];
            int v = t % (warps * 32), steps = 1;
            for (int k = 0; k < readings; k++) {
                for (int s = 0; s < steps; s++)
                    v = mix(v);
                if (k % 2)
                    steps *= 2;
                if (k == 0) {
                    EXPECT(r->time[0] >= latest);
                    continue;
                }
                EXPECT(r->clock[k] > r->clock[k - 1]);
                EXPECT(r->time[k] >= r->time[k - 1]);
            }
            /* 256 steps take longer than 1, once the instructions are in the caches. */
            EXPECT(round == 0 ||
                   r->clock[readings - 1] - r->clock[readings - 2] > r->clock[1] - r->clock[0]);
            expect_equal("value", t, r->value, v);
            latest_now = r->time[readings - 1] > latest_now ? r->time[readings - 1] : latest_now;
        }
        latest = latest_now;
    }

    struct wait *wait = device_array<struct wait>(1);
    wait_for_tick<<<1, 1>>>(wait);
    wait_for_kernels();
    struct wait w = host_copy(wait, 1)[0];
    EXPECT(w.before >= latest);
    EXPECT(w.after > w.before);
    EXPECT(w.slept >= w.after);
    EXPECT(w.low_agrees == 1);
    return pass();
}

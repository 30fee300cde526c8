/* Several threads, and a host that does not call: who carries out queued work, and when. */
#include "fake_device.h"

#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_S 20

static sem_t called;

static void call_back(void *data)
{
    (void)data;
    sem_post(&called);
}

static bool is_called(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    return sem_timedwait(&called, &until) == 0;
}

static void submit_call(CUstream s)
{
    struct cu_work work = {.kind = CU_WORK_HOST, .host.fn = call_back};
    assert_int_equal(cu_submit(s, &work), CUDA_SUCCESS);
}

TEST(a_host_that_sleeps_without_a_call_is_woken_by_its_host_function)
{
    UNUSED_STATE;
    struct cu_core *core = cu_lock();
    CUstream s = stream_new(0);
    sem_init(&called, 0, 0);
    for (u32 i = 1; i <= 2; i++) {
        RUN(s, i);
        submit_call(s);
        cu_unlock(&core);
        assert_true(is_called());
        cu_lock();
    }
    cu_wait_all(context);
    LOG("+1 -1 +2 -2 ");
    cu_unlock(&core);
}

TEST(work_stops_at_a_host_function_so_that_the_host_can_answer_first)
{
    UNUSED_STATE;
    struct cu_core *core = cu_lock();
    CUstream a = stream_new(0), b = stream_new(0);
    sem_init(&called, 0, 0);
    submit_call(a);
    RUN(a, 1);
    cu_unlock(&core);
    assert_true(is_called());
    cu_lock(); /* long before the host is quiet again */
    RUN(b, 2);
    cu_wait_all(context);
    LOG("+1 +2 -2 -1 "); /* the answer overlaps with what was queued behind the function */
    cu_unlock(&core);
}

TEST(work_that_the_host_cannot_see_waits_for_the_next_call)
{
    UNUSED_STATE;
    struct cu_core *core = cu_lock();
    CUstream s = stream_new(0);
    RUN(s, 1);
    cu_unlock(&core);
    usleep(50000);
    cu_lock();
    LOG("");
    cu_wait_all(context);
    LOG("+1 -1 ");
    cu_unlock(&core);
}

TEST(work_that_writes_memory_the_host_sees_is_done_for_a_host_that_sleeps)
{
    UNUSED_STATE;
    struct cu_core *core = cu_lock();
    CUstream s = stream_new(0);
    u64 pinned;
    assert_int_equal(cu_memory_alloc(context, CU_MEMORY_HOST, 64, 0, &pinned), CUDA_SUCCESS);
    RUN(s, 1);
    for (u32 tries = 0; core->ops_queued && tries < 1000 * PATIENCE_S; tries++) {
        cu_unlock(&core);
        usleep(20000);
        cu_lock();
    }
    LOG("+1 -1 ");
    cu_unlock(&core);
}

/* A kernel that ends when another thread has made a call. */
static bool has_entered;

static u64 finish_after_entry(void *self, bool *ok, enum launch_fault *fault, struct err *err)
{
    return has_entered ? fake_finish(self, ok, fault, err) : 0;
}

static void *enter(void *unused)
{
    (void)unused;
    CU_GUARD
    has_entered = true;
    return NULL;
}

TEST(a_thread_that_waits_for_a_kernel_lets_the_calls_of_others_in)
{
    UNUSED_STATE;
    struct cuda_backend backend = fake_backend;
    backend.finish = finish_after_entry;
    struct cu_core *core = cu_lock();
    cu_core_set_backend(&backend);
    pthread_t other;
    has_entered = false;
    RUN(stream_new(0), 1);
    assert_int_equal(pthread_create(&other, NULL, enter, NULL), 0);
    cu_wait_all(context);
    LOG("+1 -1 ");
    cu_core_set_backend(&fake_backend);
    cu_unlock(&core);
    pthread_join(other, NULL);
}

TEST(no_more_kernels_are_started_than_the_backend_takes)
{
    UNUSED_STATE;
    struct cuda_backend backend = fake_backend;
    backend.most_kernels = 2;
    struct cu_core *core = cu_lock();
    cu_core_set_backend(&backend);
    for (u32 i = 1; i <= 3; i++)
        RUN(stream_new(0), i);
    cu_wait_all(context);
    LOG("+1 +2 -2 +3 -3 -1 ");
    cu_core_set_backend(&fake_backend);
    cu_unlock(&core);
}

RUN_TESTS(TB(a_host_that_sleeps_without_a_call_is_woken_by_its_host_function),
          TB(work_stops_at_a_host_function_so_that_the_host_can_answer_first),
          TB(work_that_the_host_cannot_see_waits_for_the_next_call),
          TB(work_that_writes_memory_the_host_sees_is_done_for_a_host_that_sleeps),
          TB(a_thread_that_waits_for_a_kernel_lets_the_calls_of_others_in),
          TB(no_more_kernels_are_started_than_the_backend_takes))

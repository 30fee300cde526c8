/* Threads of one program: what a new one has, exclusive accesses, waits. */
#include "aarch64/pin.h"
#include "bed.h"

#define SVC 0xd4000001u
#define NOP 0xd503201fu
#define INCW_X5 0x04b0e3e5u
#define LDXR_W3_X1 0x885f7c23u
#define STXR_W4_W2_X1 0x88047c22u
#define STR_W2_X1 0xb9000022u

enum { CLONE = 220, FUTEX = 98, EXIT = 93, SHARED = 0x10900, THREADS = 3 };

struct threads {
    struct a64_program p;
    u32 woken[8], wakes;
};

static void note(void *context, u32 thread)
{
    struct threads *t = context;
    t->woken[t->wakes++ % 8] = thread;
}

static void open_threads(struct threads *t, const u32 *words, u32 count)
{
    static const u32 lengths[] = {64, 32, 128};
    memset(t, 0, sizeof *t);
    bed_open(&t->p, words, count, lengths[0]);
    t->p.others = calloc(THREADS - 1, sizeof *t->p.others);
    for (u32 i = 1; i < THREADS; i++) {
        t->p.others[i - 1] = (struct a64_thread){.id = i,
                                                 .stop = A64_ABSENT,
                                                 .memory = &t->p.memory,
                                                 .process = &t->p.process,
                                                 .core_vl = lengths[i]};
        t->p.process.threads[i] = &t->p.others[i - 1];
    }
    t->p.process.thread_count = THREADS;
    t->p.process.wake = note;
    t->p.process.wake_context = t;
}

static void step(struct threads *t, u32 thread)
{
    struct a64_thread *of = t->p.process.threads[thread];
    const struct a64_op *op = a64_fetch(&t->p, of);
    assert_non_null(op);
    a64_execute_op(of, op);
}

/* Registers for a call; the thread is at an svc. */
static void call(struct threads *t, u32 thread, u64 number, u64 a, u64 b, u64 c)
{
    struct a64_thread *of = t->p.process.threads[thread];
    of->x[8] = number;
    of->x[0] = a;
    of->x[1] = b;
    of->x[2] = c;
    of->x[3] = 0;
    step(t, thread);
}

TEST(a_new_thread_is_not_pinned_and_has_the_length_of_its_own_core)
{
    static const u32 code[] = {INCW_X5, SVC, SVC, INCW_X5, NOP};
    struct threads t;
    UNUSED_STATE;
    open_threads(&t, code, ARRAY_LEN(code));
    struct a64_thread *parent = &t.p.thread, *child = &t.p.others[0];
    step(&t, 0); /* pinned for life, at 512 bits */
    memset(parent->z[4], 9, 256);
    parent->x[7] = 70;
    call(&t, 0, CLONE, SHARED, BED_DATA + 256, 0);
    assert_int_equal(parent->x[0], A64_PID + 1);
    assert_int_equal(t.wakes, 1);
    assert_int_equal(t.woken[0], 1);
    assert_int_equal(child->stop, A64_RUNS);
    assert_int_equal(child->x[0], 0);
    assert_int_equal(child->x[7], 70);
    assert_int_equal(child->sp, BED_DATA + 256);
    assert_int_equal(child->pc, BED_CODE + 8);
    assert_int_equal(child->pin.level, 0);
    assert_int_equal(child->pin.floor, 0);
    assert_true(a64_may_migrate(child, 16));
    assert_int_equal(child->z[4][15], 9);
    assert_int_equal(child->z[4][16], 0xdb);
    assert_int_equal(parent->pin.level, 1);
    child->pc += 4;
    child->x[5] = 0;
    step(&t, 1);
    assert_int_equal(child->x[5], 8);
    assert_int_equal(child->pin.vl, 32);
    a64_program_close(&t.p);
}

TEST(a_store_of_another_thread_ends_an_exclusive_access)
{
    static const u32 code[] = {LDXR_W3_X1, STXR_W4_W2_X1, LDXR_W3_X1, STXR_W4_W2_X1, STR_W2_X1};
    struct threads t;
    UNUSED_STATE;
    open_threads(&t, code, ARRAY_LEN(code));
    struct a64_thread *a = &t.p.thread, *b = &t.p.others[0];
    b->stop = A64_RUNS;
    b->pc = BED_CODE + 16;
    a->x[1] = b->x[1] = BED_DATA;
    a->x[2] = 5, b->x[2] = 6;
    step(&t, 0);
    step(&t, 1);
    step(&t, 0);
    assert_int_equal(a->x[4], 1);
    assert_int_equal(t.p.memory.bytes[BED_DATA], 6);
    step(&t, 0);
    assert_int_equal(a->x[3], 6);
    step(&t, 0);
    assert_int_equal(a->x[4], 0);
    assert_int_equal(t.p.memory.bytes[BED_DATA], 5);
    a64_program_close(&t.p);
}

TEST(threads_that_wait_go_on_in_the_order_in_which_they_came)
{
    static const u32 code[] = {SVC, SVC, SVC, SVC, SVC};
    enum { WAIT, WAKE, AGAIN = -11 };
    struct threads t;
    UNUSED_STATE;
    open_threads(&t, code, ARRAY_LEN(code));
    call(&t, 0, CLONE, SHARED, BED_DATA + 256, 0);
    call(&t, 0, CLONE, SHARED, BED_DATA + 512, 0);
    call(&t, 2, FUTEX, BED_DATA, WAIT, 1);
    assert_int_equal(t.p.others[1].x[0], (u64)AGAIN); /* another value is there */
    call(&t, 2, FUTEX, BED_DATA, WAIT, 0);
    call(&t, 1, FUTEX, BED_DATA, WAIT, 0);
    assert_int_equal(t.p.others[0].stop, A64_WAITS);
    call(&t, 0, FUTEX, BED_DATA + 4, WAKE, 1);
    assert_int_equal(t.p.thread.x[0], 0);
    call(&t, 0, FUTEX, BED_DATA, WAKE, 1);
    assert_int_equal(t.p.thread.x[0], 1);
    assert_int_equal(t.woken[t.wakes - 1], 2);
    assert_int_equal(t.p.others[1].stop, A64_RUNS);
    assert_int_equal(t.p.others[0].stop, A64_WAITS);
    assert_false(a64_process_waits(&t.p.process));
    t.p.thread.stop = t.p.others[1].stop = A64_THREAD_ENDED;
    assert_true(a64_process_waits(&t.p.process));
    struct err err = ERR_INIT;
    char text[2048];
    assert_false(a64_program_check(&t.p, &err));
    err_text(&err, text, sizeof text);
    assert_non_null(strstr(text, "every thread waits for another one"));
    a64_program_close(&t.p);
}

TEST(the_program_ends_with_its_last_thread_and_the_status_of_its_first)
{
    static const u32 code[] = {SVC, SVC, SVC};
    struct threads t;
    UNUSED_STATE;
    open_threads(&t, code, ARRAY_LEN(code));
    t.p.memory.bytes[BED_DATA + 8] = 1;
    t.p.thread.x[4] = BED_DATA + 8;
    call(&t, 0, CLONE, SHARED | 0x200000, BED_DATA + 256, 0); /* 0 there when it ends */
    call(&t, 0, EXIT, 7, 0, 0);
    assert_int_equal(t.p.thread.stop, A64_THREAD_ENDED);
    call(&t, 1, EXIT, 0, 0, 0);
    assert_int_equal(t.p.others[0].stop, A64_EXITED);
    assert_int_equal(t.p.process.exit_code, 7);
    a64_program_close(&t.p);
}

RUN_TESTS(T(a_new_thread_is_not_pinned_and_has_the_length_of_its_own_core),
          T(a_store_of_another_thread_ends_an_exclusive_access),
          T(threads_that_wait_go_on_in_the_order_in_which_they_came),
          T(the_program_ends_with_its_last_thread_and_the_status_of_its_first))

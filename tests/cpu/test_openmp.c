/*
 * Threads that wait for each other: the runtime alone with threads that are only asked about, then
 * on cores, with cycles worked out by hand.
 */
#include "cpu/bed.h"

/* ---- the runtime alone ---------------------------------------------------------------------- */

struct team {
    struct openmp openmp;
    struct arena arena;
    u64 gone; /* threads that were told to go on since it was looked at */
    u32 rings, failures;
};

static void goes_on(void *context, u32 thread)
{
    ((struct team *)context)->gone |= (u64)1 << thread;
}

static void rings(void *context)
{
    ((struct team *)context)->rings++;
}

static void fails(void *context)
{
    ((struct team *)context)->failures++;
}

static struct team *team_of(u32 threads)
{
    struct team *t = calloc(1, sizeof *t);
    assert_non_null(t);
    openmp_init(&t->openmp, &t->arena, &(struct openmp_hooks){goes_on, rings, fails, t});
    openmp_begin(&t->openmp, "program", 0, threads);
    return t;
}

static void team_free(struct team *t)
{
    for (u32 i = 0; i < OPENMP_THREADS; i++) {
        assert_int_equal(t->openmp.threads[i].counts.early_passes, 0);
        assert_int_equal(t->openmp.threads[i].counts.double_holds, 0);
    }
    arena_fini(&t->arena);
    free(t);
}

static void ask(struct team *t, u32 thread, enum cpu_event event, u64 object, u64 now)
{
    openmp_ask(&t->openmp, thread,
               &(struct cpu_instruction){.class = CPU_EVENT, .event = (u8)event, .target = object},
               now);
}

/* Threads that go on, as bits. */
static u64 decide(struct team *t, u64 now)
{
    t->gone = 0;
    openmp_decide(&t->openmp, now);
    return t->gone;
}

static u64 ask_one(struct team *t, u32 thread, enum cpu_event event, u64 object, u64 now)
{
    ask(t, thread, event, object, now);
    return decide(t, now + 1);
}

static void fails_with(struct team *t, const char *sentence)
{
    char text[1600];
    assert_int_equal(t->failures, 1);
    err_text(&t->openmp.err, text, sizeof text);
    assert_string_equal(text, sentence);
    team_free(t);
}

/* All are in the first region. */
static struct team *in_region(u32 threads)
{
    struct team *t = team_of(threads);
    for (u32 i = 0; i < threads; i++)
        ask(t, i, CPU_PARALLEL_START, 0, 0);
    assert_int_equal(decide(t, 1), ((u64)1 << threads) - 1);
    return t;
}

TEST(others_wait_until_thread_0_starts_a_region)
{
    UNUSED_STATE;
    struct team *t = team_of(3);
    assert_int_equal(ask_one(t, 1, CPU_PARALLEL_START, 0, 0), 0);
    assert_int_equal(ask_one(t, 2, CPU_PARALLEL_START, 0, 10), 0);
    assert_int_equal(ask_one(t, 0, CPU_PARALLEL_START, 0, 50), 7);
    /* asked in 0 and 10, answered in 51 */
    assert_int_equal(t->openmp.threads[1].counts.waited_cycles[CPU_PARALLEL_START], 51);
    assert_int_equal(t->openmp.threads[2].counts.waited_cycles[CPU_PARALLEL_START], 41);
    assert_int_equal(t->openmp.threads[0].counts.waited_cycles[CPU_PARALLEL_START], 1);
    team_free(t);
}

TEST(a_barrier_opens_when_the_last_thread_comes)
{
    UNUSED_STATE;
    struct team *t = in_region(9);
    for (u32 i = 0; i < 8; i++)
        assert_int_equal(ask_one(t, i, CPU_BARRIER, 0, 10 + i), 0);
    assert_int_equal(ask_one(t, 8, CPU_BARRIER, 0, 100), 0x1ff);
    /* the next one is another barrier, whoever is there first */
    assert_int_equal(ask_one(t, 8, CPU_BARRIER, 0, 110), 0);
    assert_int_equal(ask_one(t, 0, CPU_BARRIER, 0, 111), 0);
    team_free(t);
}

TEST(thread_0_leaves_a_region_last_and_others_wait_for_the_next)
{
    UNUSED_STATE;
    struct team *t = in_region(3);
    assert_int_equal(ask_one(t, 0, CPU_PARALLEL_END, 0, 10), 0);
    assert_int_equal(ask_one(t, 1, CPU_PARALLEL_END, 0, 11), 2);
    assert_int_equal(ask_one(t, 1, CPU_PARALLEL_START, 0, 13), 0);
    assert_int_equal(ask_one(t, 2, CPU_PARALLEL_END, 0, 20), 5);
    assert_int_equal(ask_one(t, 0, CPU_PARALLEL_START, 0, 30), 3);
    assert_int_equal(t->openmp.threads[1].counts.regions, 2);
    team_free(t);
}

TEST(a_thread_that_never_entered_a_region_keeps_it_open)
{
    UNUSED_STATE;
    struct team *t = team_of(2);
    assert_int_equal(ask_one(t, 0, CPU_PARALLEL_START, 0, 0), 1);
    assert_int_equal(ask_one(t, 0, CPU_PARALLEL_END, 0, 5), 0);
    assert_int_equal(ask_one(t, 1, CPU_PARALLEL_START, 0, 9), 2);
    assert_int_equal(ask_one(t, 1, CPU_PARALLEL_END, 0, 19), 3);
    team_free(t);
}

TEST(a_region_inside_another_is_of_one_thread)
{
    UNUSED_STATE;
    struct team *t = in_region(2);
    assert_int_equal(ask_one(t, 1, CPU_PARALLEL_START, 0, 5), 2);
    assert_int_equal(ask_one(t, 1, CPU_BARRIER, 0, 6), 2);
    assert_int_equal(ask_one(t, 1, CPU_PARALLEL_END, 0, 7), 2);
    assert_int_equal(ask_one(t, 1, CPU_BARRIER, 0, 8), 0); /* the outer region's */
    assert_int_equal(ask_one(t, 0, CPU_BARRIER, 0, 9), 3);
    team_free(t);
}

TEST(what_is_asked_in_a_cycle_is_answered_in_a_later_one)
{
    UNUSED_STATE;
    struct team *t = team_of(1);
    ask(t, 0, CPU_BARRIER, 0, 5);
    assert_int_equal(decide(t, 5), 0);
    assert_int_equal(decide(t, 6), 1);
    team_free(t);
}

TEST(a_barrier_outside_of_regions_is_of_one_thread)
{
    UNUSED_STATE;
    struct team *t = team_of(2);
    assert_int_equal(ask_one(t, 0, CPU_BARRIER, 0, 5), 1);
    team_free(t);
}

TEST(a_lock_is_held_by_one_thread_and_given_in_the_order_of_asking)
{
    UNUSED_STATE;
    struct team *t = in_region(4);
    assert_int_equal(ask_one(t, 3, CPU_WAIT, 0x10, 5), 8);
    assert_int_equal(ask_one(t, 2, CPU_WAIT, 0x10, 6), 0);
    assert_int_equal(ask_one(t, 0, CPU_WAIT, 0x10, 7), 0);
    assert_int_equal(ask_one(t, 1, CPU_WAIT, 0x20, 7), 2); /* another lock */
    assert_int_equal(ask_one(t, 3, CPU_SIGNAL, 0x10, 20), 8 | 4);
    assert_int_equal(ask_one(t, 2, CPU_SIGNAL, 0x10, 30), 4 | 1);
    assert_int_equal(t->openmp.threads[0].counts.waited_cycles[CPU_WAIT], 31 - 7);
    assert_int_equal(ask_one(t, 0, CPU_SIGNAL, 0x10, 40), 1);
    assert_int_equal(ask_one(t, 1, CPU_SIGNAL, 0x20, 40), 2);
    assert_int_equal(t->openmp.by_object.count, 0);
    team_free(t);
}

TEST(of_threads_that_ask_for_a_lock_in_one_cycle_the_first_gets_it)
{
    UNUSED_STATE;
    struct team *t = in_region(3);
    ask(t, 2, CPU_WAIT, 0, 5); /* the order of asking within a cycle does not matter */
    ask(t, 1, CPU_WAIT, 0, 5);
    ask(t, 0, CPU_WAIT, 0, 5);
    assert_int_equal(decide(t, 6), 1);
    assert_int_equal(ask_one(t, 0, CPU_SIGNAL, 0, 9), 1 | 2);
    assert_int_equal(ask_one(t, 1, CPU_SIGNAL, 0, 9), 2 | 4);
    team_free(t);
}

TEST(a_thread_may_take_a_lock_that_it_has)
{
    UNUSED_STATE;
    struct team *t = in_region(2);
    assert_int_equal(ask_one(t, 0, CPU_WAIT, 8, 1), 1);
    assert_int_equal(ask_one(t, 0, CPU_WAIT, 8, 2), 1);
    assert_int_equal(ask_one(t, 1, CPU_WAIT, 8, 3), 0);
    assert_int_equal(ask_one(t, 0, CPU_SIGNAL, 8, 4), 1);
    assert_int_equal(ask_one(t, 0, CPU_SIGNAL, 8, 5), 3);
    team_free(t);
}

TEST(a_trace_that_was_cut_in_a_region_keeps_nobody_waiting)
{
    UNUSED_STATE;
    struct team *t = in_region(3);
    assert_int_equal(ask_one(t, 2, CPU_WAIT, 8, 1), 4);
    assert_int_equal(ask_one(t, 1, CPU_WAIT, 8, 2), 0);
    openmp_end(&t->openmp, 2, 9);
    assert_int_equal(decide(t, 10), 2); /* its lock is free */
    assert_int_equal(ask_one(t, 1, CPU_SIGNAL, 8, 11), 2);
    assert_int_equal(ask_one(t, 0, CPU_BARRIER, 0, 12), 0);
    assert_int_equal(ask_one(t, 1, CPU_BARRIER, 0, 13), 3);
    assert_int_equal(t->openmp.threads[2].counts.cut, 1);
    team_free(t);
}

TEST(programs_beside_each_other_do_not_wait_for_each_other)
{
    UNUSED_STATE;
    struct team *t = in_region(2);
    openmp_begin(&t->openmp, "other", 2, 2);
    ask(t, 2, CPU_PARALLEL_START, 0, 0);
    ask(t, 3, CPU_PARALLEL_START, 0, 0);
    assert_int_equal(decide(t, 1), 12);
    assert_int_equal(ask_one(t, 0, CPU_WAIT, 8, 2), 1);
    assert_int_equal(ask_one(t, 2, CPU_WAIT, 8, 2), 4); /* another address space */
    assert_int_equal(ask_one(t, 3, CPU_BARRIER, 0, 4), 0);
    assert_int_equal(ask_one(t, 1, CPU_BARRIER, 0, 4), 0);
    assert_int_equal(ask_one(t, 2, CPU_BARRIER, 0, 4), 12);
    team_free(t);
}

TEST(a_barrier_with_too_few_names_threads_and_events)
{
    UNUSED_STATE;
    struct team *t = in_region(2);
    assert_int_equal(ask_one(t, 0, CPU_BARRIER, 0, 4), 0);
    assert_int_equal(ask_one(t, 1, CPU_PARALLEL_END, 0, 5), 2);
    assert_int_equal(ask_one(t, 1, CPU_PARALLEL_START, 0, 6), 0);
    fails_with(t,
               "program: thread 0 waits at barrier 1 of parallel region 1 (its event 2), expected "
               "thread 1 there, which is outside after 0 barriers of its region 1");
}

TEST(a_lock_that_is_never_given_up_names_threads_and_events)
{
    UNUSED_STATE;
    struct team *t = in_region(2);
    assert_int_equal(ask_one(t, 1, CPU_WAIT, 0x40, 4), 2);
    assert_int_equal(ask_one(t, 0, CPU_WAIT, 0x40, 5), 0);
    assert_int_equal(ask_one(t, 1, CPU_BARRIER, 0, 6), 0);
    fails_with(t,
               "program: thread 0 waits for lock 0x40 at its event 2, expected a signal of thread "
               "1, which has it and waits itself");
}

TEST(a_thread_that_ends_with_a_lock_is_named)
{
    UNUSED_STATE;
    struct team *t = team_of(1);
    assert_int_equal(ask_one(t, 0, CPU_WAIT, 0x40, 4), 1);
    openmp_end(&t->openmp, 0, 8);
    fails_with(t, "program: thread 0 ends after 1 event while holding a lock, "
                  "expected a signal for each wait");
}

TEST(a_signal_without_a_wait_is_named)
{
    UNUSED_STATE;
    struct team *t = team_of(1);
    assert_int_equal(ask_one(t, 0, CPU_SIGNAL, 0x40, 4), 0);
    fails_with(t,
               "program: thread 0 signals lock 0x40 at its event 1, expected a wait for it before");
}

TEST(an_end_without_a_start_is_named)
{
    UNUSED_STATE;
    struct team *t = team_of(2);
    assert_int_equal(ask_one(t, 1, CPU_PARALLEL_END, 0, 4), 0);
    fails_with(t,
               "program: thread 1 ends a parallel region at its event 1, expected a start of one "
               "before");
}

TEST(a_region_that_thread_0_never_starts_is_named)
{
    UNUSED_STATE;
    struct team *t = team_of(2);
    assert_int_equal(ask_one(t, 1, CPU_PARALLEL_START, 0, 4), 0);
    openmp_end(&t->openmp, 0, 8);
    assert_int_equal(decide(t, 9), 0);
    fails_with(t,
               "program: thread 1 waits to begin parallel region 1 (its event 1), expected thread "
               "0 to start it");
}

/* ---- on cores ------------------------------------------------------------------------------- */

#define PERFECT                                                                                    \
    "core.l1i.perfect=true", "core.l1d.perfect=true", "core.branch.perfect=true", "core.openmp=true"

static void emit_event(struct program *p, enum cpu_event event, u64 object)
{
    struct cpu_instruction *i = &p->code[p->count++];
    *i = (struct cpu_instruction){
        .pc = p->pc, .class = CPU_EVENT, .event = (u8)event, .target = object};
}

/* A region in which each thread does a chain of so many adds, then a barrier and one add. */
static struct program *worker(u32 adds)
{
    struct program *p = program_new();
    emit_event(p, CPU_PARALLEL_START, 0);
    for (u32 i = 0; i < adds; i++)
        emit(p, CPU_ALU, 3, 3);
    emit_event(p, CPU_BARRIER, 0);
    emit(p, CPU_ALU, 3, 3);
    emit_event(p, CPU_PARALLEL_END, 0);
    return p;
}

TEST(on_cores_a_barrier_makes_all_wait_for_the_slowest)
{
    UNUSED_STATE;
    static const char *const sets[] = {PERFECT, "core.count=3", NULL};
    static const u32 adds[3] = {100, 1000, 10};
    struct program *p[3];
    struct bed b;
    bed_open(&b, sets);
    cpu_cluster_begin(b.cluster, "program", 0, 3);
    for (u32 i = 0; i < 3; i++)
        bed_start(&b, i, &(p[i] = worker(adds[i]))->stream);
    bed_run(&b);
    const struct openmp_thread *t = b.cluster->openmp->threads;
    /*
     * n adds in a chain take 10 + (n - 1) + 2 cycles from the first prediction to the last
     * retirement (test_core.c), in whose cycle the event is asked about. Thread 1 of 1000 adds is
     * answered a cycle later, thread 0 waits 900 cycles more, thread 2 990.
     */
    assert_int_equal(t[1].counts.waited_cycles[CPU_BARRIER], 1);
    assert_int_equal(t[0].counts.waited_cycles[CPU_BARRIER], 1 + 900);
    assert_int_equal(t[2].counts.waited_cycles[CPU_BARRIER], 1 + 990);
    assert_int_equal(t[1].counts.waited_cycles[CPU_PARALLEL_END], 1);
    for (u32 i = 0; i < 3; i++) {
        const struct core *c = bed_core(&b, i);
        assert_int_equal(c->counts.instructions, adds[i] + 1);
        assert_int_equal(t[i].counts.parallel_instructions, adds[i] + 1);
        assert_int_equal(t[i].counts.serial_instructions, 0);
        /* two stretches of n and 1 adds, without the waiting; the line of the last add is in a
         * buffer, which saves a cycle */
        assert_int_equal(t[i].counts.parallel_cycles, 10 + adds[i] - 1 + 2 + 10 + 2 - 1);
        free(p[i]);
    }
    bed_close(&b);
}

/* A thread that waits costs nothing: the engine does no more for a long wait than for a short. */
static u64 ticks_of(u32 wait)
{
    static const char *const sets[] = {PERFECT, "core.count=2", NULL};
    struct bed b;
    struct program *p[2] = {program_new(), worker(10)};
    bed_open(&b, sets);
    cpu_cluster_begin(b.cluster, "program", 0, 2);
    /* thread 0 divides, one after the other: its own core sleeps most of the time too */
    for (u32 i = 0; i < wait; i++)
        emit(p[0], CPU_DIV, 3, 3);
    for (u32 i = 0; i < p[1]->count; i++)
        p[0]->code[p[0]->count++] = p[1]->code[i];
    bed_start(&b, 0, &p[0]->stream);
    bed_start(&b, 1, &p[1]->stream);
    bed_run(&b);
    u64 ticks = bed_core(&b, 1)->counts.cycles;
    assert_true(b.cluster->openmp->threads[1].counts.waited_cycles[CPU_PARALLEL_START] > 20 * wait);
    free(p[0]);
    free(p[1]);
    bed_close(&b);
    return ticks;
}

TEST(a_core_whose_thread_waits_is_not_ticked)
{
    UNUSED_STATE;
    assert_int_equal(ticks_of(10), ticks_of(1000));
}

RUN_TESTS(T(others_wait_until_thread_0_starts_a_region),
          T(a_barrier_opens_when_the_last_thread_comes),
          T(thread_0_leaves_a_region_last_and_others_wait_for_the_next),
          T(a_thread_that_never_entered_a_region_keeps_it_open),
          T(a_region_inside_another_is_of_one_thread),
          T(what_is_asked_in_a_cycle_is_answered_in_a_later_one),
          T(a_barrier_outside_of_regions_is_of_one_thread),
          T(a_lock_is_held_by_one_thread_and_given_in_the_order_of_asking),
          T(of_threads_that_ask_for_a_lock_in_one_cycle_the_first_gets_it),
          T(a_thread_may_take_a_lock_that_it_has),
          T(a_trace_that_was_cut_in_a_region_keeps_nobody_waiting),
          T(programs_beside_each_other_do_not_wait_for_each_other),
          T(a_barrier_with_too_few_names_threads_and_events),
          T(a_lock_that_is_never_given_up_names_threads_and_events),
          T(a_thread_that_ends_with_a_lock_is_named), T(a_signal_without_a_wait_is_named),
          T(an_end_without_a_start_is_named), T(a_region_that_thread_0_never_starts_is_named),
          T(on_cores_a_barrier_makes_all_wait_for_the_slowest),
          T(a_core_whose_thread_waits_is_not_ticked))

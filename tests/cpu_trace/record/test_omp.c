/* Threads of an OpenMP program go in and out of the runtime: events and what is left out. */
#include "testing.h"

#include "cpu_trace/instruction.h"
#include "cpu_trace/record/omp.h"

static struct omp_thread thread;
static char said[256];
static u32 cut;

/* One instruction: where it is, and how it leaves. */
static void step(bool is_inside, enum omp_entry entry, u8 branch)
{
    struct cpu_instruction i = {.branch = branch};
    struct omp_step s = omp_step(&thread, &i, is_inside, entry, false);
    for (u32 k = 0; k < s.event_count; k++) {
        size_t n = strlen(said);
        snprintf(said + n, sizeof said - n, "%s;", cpu_event_names[s.events[k].event]);
    }
    cut += s.is_cut;
}

static void atomic(u64 address)
{
    struct cpu_instruction i = {.write_count = 1, .write = {address}};
    struct omp_step s = omp_step(&thread, &i, true, OMP_OTHER, true);
    cut += s.is_cut;
    if (s.event_count) {
        size_t n = strlen(said);
        snprintf(said + n, sizeof said - n, "%s %llx;", cpu_event_names[s.events[0].event],
                 (unsigned long long)s.events[0].object);
    }
}

static void begin(void)
{
    thread = (struct omp_thread){0};
    said[0] = '\0';
    cut = 0;
}

#define OUTSIDE(branch) step(false, OMP_OTHER, branch)
#define INSIDE(entry, branch) step(true, entry, branch)

TEST(the_first_thread_starts_and_ends_a_region)
{
    UNUSED_STATE;
    begin();
    OUTSIDE(CPU_CALL);
    INSIDE(OMP_PARALLEL, CPU_NO_BRANCH);
    INSIDE(OMP_OTHER, CPU_INDIRECT_CALL);
    OUTSIDE(CPU_NO_BRANCH); /* the region itself is kept */
    OUTSIDE(CPU_RETURN);
    INSIDE(OMP_OTHER, CPU_RETURN);
    OUTSIDE(CPU_NO_BRANCH);
    assert_string_equal(said, "parallel start;parallel end;");
    assert_int_equal(cut, 3);
}

TEST(a_worker_waits_between_regions)
{
    UNUSED_STATE;
    begin();
    OUTSIDE(CPU_INDIRECT_CALL); /* of the C library, into a function without a name */
    for (u32 region = 0; region < 2; region++) {
        INSIDE(OMP_WORKER, CPU_CONDITIONAL);
        INSIDE(OMP_OTHER, CPU_INDIRECT_CALL);
        OUTSIDE(CPU_RETURN);
    }
    INSIDE(OMP_OTHER, CPU_RETURN);
    OUTSIDE(CPU_NO_BRANCH);
    assert_string_equal(said, "parallel start;parallel end;parallel start;parallel end;");
    assert_int_equal(cut, 5);
}

TEST(a_critical_section_is_known_by_its_lock)
{
    UNUSED_STATE;
    begin();
    OUTSIDE(CPU_CALL);
    INSIDE(OMP_WAIT, CPU_NO_BRANCH);
    atomic(0x1234);
    INSIDE(OMP_OTHER, CPU_RETURN);
    OUTSIDE(CPU_CALL);
    INSIDE(OMP_SIGNAL, CPU_NO_BRANCH);
    atomic(0x1234);
    INSIDE(OMP_OTHER, CPU_RETURN);
    OUTSIDE(CPU_NO_BRANCH);
    assert_string_equal(said, "wait 1234;signal 1234;");
    assert_int_equal(cut, 6);
}

TEST(a_lock_that_is_never_seen_is_said_without_its_address)
{
    UNUSED_STATE;
    begin();
    OUTSIDE(CPU_CALL);
    INSIDE(OMP_WAIT, CPU_RETURN);
    OUTSIDE(CPU_NO_BRANCH);
    assert_string_equal(said, "wait;");
}

TEST(functions_that_do_not_wait_are_kept)
{
    UNUSED_STATE;
    begin();
    OUTSIDE(CPU_CALL);
    INSIDE(OMP_OTHER, CPU_NO_BRANCH);
    INSIDE(OMP_OTHER, CPU_RETURN);
    OUTSIDE(CPU_NO_BRANCH);
    assert_string_equal(said, "");
    assert_int_equal(cut, 0);
}

TEST(a_call_of_another_library_returns_into_the_runtime)
{
    UNUSED_STATE;
    begin();
    OUTSIDE(CPU_CALL);
    INSIDE(OMP_PARALLEL, CPU_CALL);
    OUTSIDE(CPU_RETURN); /* of malloc, say: kept */
    INSIDE(OMP_OTHER, CPU_INDIRECT_CALL);
    OUTSIDE(CPU_CALL); /* the region meets a barrier */
    INSIDE(OMP_BARRIER, CPU_RETURN);
    OUTSIDE(CPU_RETURN);
    INSIDE(OMP_OTHER, CPU_RETURN);
    OUTSIDE(CPU_NO_BRANCH);
    assert_string_equal(said, "parallel start;barrier;parallel end;");
}

TEST(a_region_may_end_with_a_jump_into_the_runtime)
{
    UNUSED_STATE;
    begin();
    OUTSIDE(CPU_INDIRECT_CALL);
    INSIDE(OMP_WORKER, CPU_NO_BRANCH);
    INSIDE(OMP_OTHER, CPU_INDIRECT_CALL);
    OUTSIDE(CPU_JUMP); /* to the stub of GOMP_barrier */
    OUTSIDE(CPU_INDIRECT_JUMP);
    INSIDE(OMP_BARRIER, CPU_RETURN); /* from the barrier, and so from the region */
    INSIDE(OMP_OTHER, CPU_INDIRECT_CALL);
    OUTSIDE(CPU_RETURN);
    INSIDE(OMP_OTHER, CPU_NO_BRANCH);
    assert_string_equal(said, "parallel start;barrier;parallel end;parallel start;parallel end;");
}

TEST(a_worker_that_was_met_late_waits_for_work)
{
    UNUSED_STATE;
    begin();
    thread.is_worker = true;
    INSIDE(OMP_OTHER, CPU_INDIRECT_CALL); /* the window begins while it waits */
    OUTSIDE(CPU_RETURN);
    INSIDE(OMP_OTHER, CPU_NO_BRANCH);
    assert_string_equal(said, "parallel start;parallel end;");
    begin();
    thread.is_worker = true;
    OUTSIDE(CPU_RETURN); /* or in a region */
    INSIDE(OMP_OTHER, CPU_INDIRECT_CALL);
    OUTSIDE(CPU_NO_BRANCH);
    assert_string_equal(said, "parallel end;parallel start;");
}

TEST(functions_are_found_by_where_they_begin)
{
    UNUSED_STATE;
    struct function functions[] = {{0x1000, 0x1100, "GOMP_barrier"},
                                   {0x1100, 0x1200, "GOMP_loop_end_nowait"},
                                   {0x1200, 0x1300, "GOMP_critical_name_start"}};
    struct omp_code c = {.functions = functions, .function_count = 3, .is_anywhere = true};
    enum omp_entry e;
    assert_true(omp_find(&c, 0x1000, &e) && e == OMP_BARRIER);
    assert_true(omp_find(&c, 0x1004, &e) && e == OMP_OTHER);
    assert_true(omp_find(&c, 0x1100, &e) && e == OMP_OTHER);
    assert_true(omp_find(&c, 0x1200, &e) && e == OMP_WAIT);
    assert_false(omp_find(&c, 0x2000, &e));
    c.begin = 0x2000; /* a library as a whole: what has no name is where its threads begin */
    c.end = 0x3000;
    assert_true(omp_find(&c, 0x2000, &e) && e == OMP_WORKER);
}

RUN_TESTS(T(the_first_thread_starts_and_ends_a_region), T(a_worker_waits_between_regions),
          T(a_critical_section_is_known_by_its_lock),
          T(a_lock_that_is_never_seen_is_said_without_its_address),
          T(functions_that_do_not_wait_are_kept),
          T(a_call_of_another_library_returns_into_the_runtime),
          T(a_region_may_end_with_a_jump_into_the_runtime),
          T(a_worker_that_was_met_late_waits_for_work), T(functions_are_found_by_where_they_begin))

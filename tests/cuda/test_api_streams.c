/* Order: streams, events, host functions, graphs, captures. */
#include "cuda/fake_device.h"

TEST(a_stream_does_its_work_one_after_the_other)
{
    UNUSED_STATE;
    CUstream s = stream_new(0);
    for (u32 i = 1; i <= 3; i++)
        RUN(s, i);
    LOG(""); /* nobody waits yet */
    assert_int_equal(cu_stream_query(s), CUDA_ERROR_NOT_READY);
    assert_int_equal(cu_stream_wait(s), CUDA_SUCCESS);
    LOG("+1 -1 +2 -2 +3 -3 ");
    assert_int_equal(cu_stream_query(s), CUDA_SUCCESS);
}

TEST(independent_streams_overlap)
{
    UNUSED_STATE;
    CUstream a = stream_new(0), b = stream_new(0);
    RUN(a, 1);
    RUN(a, 2);
    RUN(b, 3);
    cu_wait_all(context);
    LOG("+1 +3 -3 -1 +2 -2 ");
}

TEST(the_legacy_stream_waits_for_blocking_streams_and_they_for_it)
{
    UNUSED_STATE;
    CUstream a = stream_new(0), b = stream_new(0);
    RUN(a, 1);
    RUN(b, 2);
    RUN(context->legacy, 3);
    RUN(a, 4);
    RUN(b, 5);
    cu_wait_all(context);
    LOG("+1 +2 -2 -1 +3 -3 +4 +5 -5 -4 ");
}

TEST(a_non_blocking_stream_does_not_wait_for_the_legacy_stream)
{
    UNUSED_STATE;
    CUstream a = stream_new(CU_STREAM_NON_BLOCKING);
    RUN(context->legacy, 1);
    RUN(a, 2);
    RUN(context->legacy, 3);
    cu_wait_all(context);
    LOG("+1 +2 -2 -1 +3 -3 ");
}

TEST(per_thread_streams_are_blocking_and_not_the_legacy_stream)
{
    UNUSED_STATE;
    CUstream own, again, legacy;
    assert_int_equal(cu_stream_get(context, NULL, true, &own), CUDA_SUCCESS);
    assert_int_equal(cu_stream_get(context, CU_STREAM_PER_THREAD, false, &again), CUDA_SUCCESS);
    assert_int_equal(cu_stream_get(context, NULL, false, &legacy), CUDA_SUCCESS);
    assert_ptr_equal(own, again);
    assert_ptr_equal(legacy, context->legacy);
    RUN(own, 1);
    RUN(legacy, 2);
    cu_wait_all(context);
    LOG("+1 -1 +2 -2 ");
}

TEST(waiting_for_an_event_means_its_record_at_that_time)
{
    UNUSED_STATE;
    CUstream a = stream_new(CU_STREAM_NON_BLOCKING), b = stream_new(CU_STREAM_NON_BLOCKING);
    CUevent e;
    assert_int_equal(cu_event_create(context, 0, &e), CUDA_SUCCESS);
    assert_int_equal(cu_event_make_wait(e, b, 0), CUDA_SUCCESS); /* never recorded: no wait */
    RUN(a, 1);
    assert_int_equal(cu_event_record(e, a, 0), CUDA_SUCCESS);
    assert_int_equal(cu_event_make_wait(e, b, 0), CUDA_SUCCESS);
    RUN(b, 2);
    RUN(a, 3);
    assert_int_equal(cu_event_record(e, a, 0), CUDA_SUCCESS); /* the wait keeps the first one */
    cu_event_destroy(e);
    assert_int_equal(cu_stream_wait(b), CUDA_SUCCESS);
    LOG("+1 -1 +3 +2 -2 ");
    cu_wait_all(context);
    LOG("+1 -1 +3 +2 -2 -3 ");
}

TEST(an_event_of_a_launch_attribute_is_recorded_behind_the_launch)
{
    UNUSED_STATE;
    static const CUlaunchAttributeID ids[] = {CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT,
                                              CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT};
    for (u32 i = 0; i < 2; i++) {
        CUstream a = stream_new(CU_STREAM_NON_BLOCKING), b = stream_new(CU_STREAM_NON_BLOCKING);
        CUevent e;
        void *slot;
        u32 number = 1;
        struct cu_launch l = launch_of(&number, &slot);
        CUlaunchAttribute attribute = {.id = ids[i]};
        assert_int_equal(cu_launch_attributes(&l, &attribute, 1), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cu_event_create(context, CU_EVENT_DISABLE_TIMING, &e), CUDA_SUCCESS);
        if (i)
            attribute.value.launchCompletionEvent.event = e;
        else
            attribute.value.programmaticEvent.event = e;
        assert_int_equal(cu_launch_attributes(&l, &attribute, 1), CUDA_SUCCESS);
        assert_int_equal(cu_launch(&l, a), CUDA_SUCCESS);
        assert_int_equal(cu_event_make_wait(e, b, 0), CUDA_SUCCESS);
        RUN(b, 2);
        assert_int_equal(cu_stream_wait(b), CUDA_SUCCESS);
        LOG(i ? "+1 -1 +2 -2 +1 -1 +2 -2 " : "+1 -1 +2 -2 ");
        cu_event_destroy(e);
    }
}

TEST(event_times_grow_with_the_work_between_them)
{
    UNUSED_STATE;
    CUstream s = stream_new(0);
    CUevent a, b, silent;
    float ms = -1;
    cu_event_create(context, 0, &a);
    cu_event_create(context, 0, &b);
    cu_event_create(context, CU_EVENT_DISABLE_TIMING, &silent);
    assert_int_equal(cu_event_elapsed(a, b, &ms), CUDA_ERROR_INVALID_HANDLE);
    cu_event_record(a, s, 0);
    RUN(s, 1);
    cu_event_record(b, s, 0);
    cu_event_record(silent, s, 0);
    assert_int_equal(cu_event_elapsed(a, b, &ms), CUDA_ERROR_NOT_READY);
    assert_int_equal(cu_event_wait(b), CUDA_SUCCESS);
    assert_int_equal(cu_event_query(b), CUDA_SUCCESS);
    assert_int_equal(cu_event_elapsed(a, b, &ms), CUDA_SUCCESS);
    assert_true(ms > 0.00100f && ms < 0.00101f); /* 1001 ns */
    assert_int_equal(cu_event_elapsed(a, silent, &ms), CUDA_ERROR_INVALID_HANDLE);
}

static CUresult inside;

static void note(void *data)
{
    CUcontext ignored;
    struct cu_core *core = cu_lock(); /* it is not held while the function runs */
    inside = cu_context_current(&ignored);
    cu_unlock(&core);
    text_printf(&fake.log, "host%u ", *(u32 *)data);
}

TEST(host_functions_run_in_order_without_the_lock_and_may_not_call_back)
{
    UNUSED_STATE;
    CUstream s = stream_new(0);
    u32 number = 7;
    struct cu_work work = {.kind = CU_WORK_HOST, .host = {.fn = note, .userData = &number}};
    struct cu_core *core = cu_lock();
    RUN(s, 1);
    assert_int_equal(cu_submit(s, &work), CUDA_SUCCESS);
    RUN(s, 2);
    cu_wait_all(context);
    cu_unlock(&core);
    LOG("+1 -1 host7 +2 -2 ");
    assert_int_equal(inside, CUDA_ERROR_NOT_PERMITTED);
}

/* ---- graphs ---- */

static CUgraphNode node_new(CUgraph g, u32 number, CUgraphNode after, CUgraphNode after2)
{
    void *slot;
    struct cu_launch l = launch_of(&number, &slot);
    struct cu_work work;
    CUgraphNode node, before[2] = {after, after2};
    assert_int_equal(cu_launch_make(&l, &work), CUDA_SUCCESS);
    size_t count = after2 ? 2 : after ? 1 : 0;
    assert_int_equal(cu_graph_add(g, before, count, &work, &node), CUDA_SUCCESS);
    return node;
}

TEST(a_graph_runs_a_node_after_what_it_depends_on_and_otherwise_as_added)
{
    UNUSED_STATE;
    CUgraph g = cu_graph_create();
    CUgraphNode one = node_new(g, 1, NULL, NULL), two = node_new(g, 2, NULL, NULL);
    CUgraphNode three = node_new(g, 3, one, NULL);
    node_new(g, 4, two, three);
    assert_int_equal(cu_graph_connect(g, &three, &two, 1), CUDA_SUCCESS); /* 3 before 2 */
    CUgraphExec exec;
    assert_int_equal(cu_graph_instantiate(g, 0, &exec), CUDA_SUCCESS);
    /* the instance is a copy: this changes the graph alone */
    cu_graph_remove(two);
    size_t count = 0;
    cu_graph_list(g, false, NULL, &count);
    assert_int_equal(count, 3);
    cu_graph_destroy(g);
    CUstream s = stream_new(0);
    assert_int_equal(cu_graph_launch(exec, s), CUDA_SUCCESS);
    cu_wait_all(context);
    LOG("+1 -1 +3 -3 +2 -2 +4 -4 ");
    cu_graph_exec_destroy(exec);
}

TEST(a_graph_with_a_cycle_is_refused)
{
    UNUSED_STATE;
    CUgraph g = cu_graph_create();
    CUgraphNode one = node_new(g, 1, NULL, NULL), two = node_new(g, 2, one, NULL);
    assert_int_equal(cu_graph_connect(g, &two, &one, 1), CUDA_SUCCESS);
    CUgraphExec exec;
    assert_int_equal(cu_graph_instantiate(g, 0, &exec), CUDA_ERROR_INVALID_VALUE);
    cu_graph_destroy(g);
}

TEST(capture_records_the_dependencies_of_streams_that_fork_and_join)
{
    UNUSED_STATE;
    CUstream a = stream_new(0), b = stream_new(0);
    CUevent fork, join;
    CUgraph g;
    cu_event_create(context, 0, &fork);
    cu_event_create(context, 0, &join);
    assert_int_equal(cu_capture_begin(a, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL),
                     CUDA_SUCCESS);
    RUN(a, 1);
    cu_event_record(fork, a, 0);
    assert_int_equal(cu_event_make_wait(fork, b, 0), CUDA_SUCCESS);
    RUN(b, 2);
    RUN(a, 3);
    cu_event_record(join, b, 0);
    assert_int_equal(cu_event_query(join), CUDA_ERROR_CAPTURED_EVENT);
    assert_int_equal(cu_event_make_wait(join, a, 0), CUDA_SUCCESS);
    RUN(a, 4);
    assert_int_equal(cu_capture_end(a, &g), CUDA_SUCCESS);
    assert_null(b->capture);
    cu_wait_all(context);
    LOG(""); /* recorded, not run */
    size_t nodes = 0, edges = 0, roots = 0;
    cu_graph_list(g, false, NULL, &nodes);
    cu_graph_list(g, true, NULL, &roots);
    cu_graph_edges(g, NULL, NULL, &edges);
    assert_int_equal(nodes, 4);
    assert_int_equal(roots, 1);
    assert_int_equal(edges, 4); /* 1-2, 1-3, 3-4, 2-4 */
    cu_graph_destroy(g);
}

TEST(a_capture_that_was_not_joined_is_refused)
{
    UNUSED_STATE;
    CUstream a = stream_new(0), b = stream_new(0);
    CUevent fork;
    CUgraph g;
    cu_event_create(context, 0, &fork);
    cu_capture_begin(a, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL);
    cu_event_record(fork, a, 0);
    cu_event_make_wait(fork, b, 0);
    RUN(b, 1);
    assert_int_equal(cu_capture_end(a, &g), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    assert_null(g);
}

/* a forks b, which runs kernel 1 and is destroyed; `joins`: a waits for it before or after that. */
static CUresult end_after_destroying(bool joins, bool before)
{
    CUstream a = stream_new(0), b = stream_new(0);
    CUevent fork, join;
    CUgraph g;
    cu_event_create(context, 0, &fork);
    cu_event_create(context, 0, &join);
    cu_capture_begin(a, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL);
    cu_event_record(fork, a, 0);
    cu_event_make_wait(fork, b, 0);
    assert_int_equal(run(b, 1), CUDA_SUCCESS);
    cu_event_record(join, b, 0);
    if (joins && before)
        assert_int_equal(cu_event_make_wait(join, a, 0), CUDA_SUCCESS);
    assert_int_equal(cu_stream_destroy(b), CUDA_SUCCESS);
    assert_false(a->capture->is_invalid);
    if (joins && !before)
        assert_int_equal(cu_event_make_wait(join, a, 0), CUDA_SUCCESS);
    CUresult status = cu_capture_end(a, &g);
    if (status == CUDA_SUCCESS)
        cu_graph_destroy(g);
    return status;
}

TEST(a_stream_that_has_joined_may_be_destroyed_during_capture)
{
    UNUSED_STATE;
    assert_int_equal(end_after_destroying(true, true), CUDA_SUCCESS);
    assert_int_equal(end_after_destroying(true, false), CUDA_SUCCESS);
}

TEST(a_stream_destroyed_during_capture_must_be_joined_all_the_same)
{
    UNUSED_STATE;
    assert_int_equal(end_after_destroying(false, false), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
}

TEST(what_cannot_be_captured_makes_the_capture_invalid)
{
    UNUSED_STATE;
    CUstream a = stream_new(0);
    CUgraph g;
    assert_int_equal(
        cu_capture_begin(context->legacy, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL),
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    cu_capture_begin(a, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_int_equal(cu_capture_begin(a, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL),
                     CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(run(context->legacy, 1), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    assert_int_equal(run(a, 2), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_int_equal(cu_capture_end(a, &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_int_equal(cu_capture_end(a, &g), CUDA_ERROR_ILLEGAL_STATE);
    cu_capture_begin(a, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_int_equal(cu_capture_forbid(), CUDA_SUCCESS);
    assert_int_equal(cu_capture_end(a, &g), CUDA_SUCCESS);
    cu_graph_destroy(g);
}

RUN_TESTS(TB(a_stream_does_its_work_one_after_the_other), TB(independent_streams_overlap),
          TB(the_legacy_stream_waits_for_blocking_streams_and_they_for_it),
          TB(a_non_blocking_stream_does_not_wait_for_the_legacy_stream),
          TB(per_thread_streams_are_blocking_and_not_the_legacy_stream),
          TB(waiting_for_an_event_means_its_record_at_that_time),
          TB(an_event_of_a_launch_attribute_is_recorded_behind_the_launch),
          TB(event_times_grow_with_the_work_between_them),
          TB(host_functions_run_in_order_without_the_lock_and_may_not_call_back),
          TB(a_graph_runs_a_node_after_what_it_depends_on_and_otherwise_as_added),
          TB(a_graph_with_a_cycle_is_refused),
          TB(capture_records_the_dependencies_of_streams_that_fork_and_join),
          TB(a_capture_that_was_not_joined_is_refused),
          TB(a_stream_that_has_joined_may_be_destroyed_during_capture),
          TB(a_stream_destroyed_during_capture_must_be_joined_all_the_same),
          TB(what_cannot_be_captured_makes_the_capture_invalid))

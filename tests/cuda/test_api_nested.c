/* Kernels that launch others, conditional nodes, memory of graphs: in which order work is done. */
#include "cuda/fake_device.h"

#include "cuda/graph/conditional.h"
#include "cuda/graph/graph_memory.h"
#include "cuda/graph/graph_node.h"
#include "cuda/core/op.h"

static struct cu_work work_of(u32 number)
{
    void *slot;
    struct cu_work work;
    struct cu_launch l = launch_of(&number, &slot);
    assert_int_equal(cu_launch_make(&l, &work), CUDA_SUCCESS);
    return work;
}

static void child(struct cu_op *op, u64 stream, u32 number)
{
    struct cu_work work = work_of(number);
    cu_op_push(cu_stream_device(op, stream), &work, op);
}

static void tail(struct cu_op *op, u32 number)
{
    struct cu_work work = work_of(number);
    cu_op_push_tail(op, &work);
}

/* 10 launches 11 and 12 in one stream, then 20 and 30 as tails; 20 has a tail 21 and a child 22. */
static void nested_start(void *self, const struct launch *launch, u64 ticket)
{
    struct cu_op *op = (struct cu_op *)(uintptr_t)ticket;
    fake_start(self, launch, ticket);
    u32 number = fake.numbers[fake.running - 1];
    if (number == 10) {
        tail(op, 20);
        tail(op, 30);
        child(op, 0, 11);
        child(op, 0, 12);
    } else if (number == 20) {
        tail(op, 21);
        child(op, 0, 22);
    }
}

static void nested_begin(void)
{
    static struct cuda_backend backend;
    backend = fake_backend;
    backend.start = nested_start;
    cu_core_set_backend(&backend);
}

static u32 stream_count(void)
{
    u32 count = 0;
    for (CUstream s = cu_core()->streams; s; s = s->next)
        count++;
    return count;
}

TEST(a_kernel_is_complete_when_all_that_it_launched_is)
{
    UNUSED_STATE;
    nested_begin();
    CUstream s = stream_new(0);
    u32 streams = stream_count();
    RUN(s, 10);
    RUN(s, 1); /* the next in its stream */
    assert_int_equal(cu_stream_wait(s), CUDA_SUCCESS);
    /* the child started beside its parent; tails one by one, each with its own children first */
    LOG("+10 +11 -11 +12 -12 -10 +20 +22 -22 -20 +21 -21 +30 -30 +1 -1 ");
    cu_stream_sweep();
    assert_int_equal(stream_count(), streams);
}

TEST(a_fault_drops_what_its_kernel_had_launched)
{
    UNUSED_STATE;
    nested_begin();
    fake.faults_at = 11;
    CUstream s = stream_new(0);
    RUN(s, 10);
    assert_int_equal(cu_stream_wait(s), CUDA_ERROR_ILLEGAL_ADDRESS);
    LOG("+10 +11 -11 -10 ");
    assert_null(s->head);
    assert_int_equal(cu_core()->ops_queued, 0);
}

static u32 rounds_left;
static u64 loop;

static void count_down(void *unused)
{
    (void)unused;
    cu_condition_set(loop, --rounds_left > 0);
}

static CUgraphNode add(CUgraph g, struct cu_work *take_work, CUgraphNode after)
{
    CUgraphNode node;
    assert_int_equal(cu_graph_add(g, &after, after != NULL, take_work, &node), CUDA_SUCCESS);
    return node;
}

TEST(a_loop_runs_its_body_as_long_as_the_condition_holds)
{
    UNUSED_STATE;
    CUgraph g = cu_graph_create();
    assert_int_equal(cu_condition_create(1, CU_GRAPH_COND_ASSIGN_DEFAULT, &loop), CUDA_SUCCESS);
    struct cu_work first = work_of(1), last = work_of(3), body = work_of(2);
    struct cu_work node = {.kind = CU_WORK_CONDITIONAL};
    assert_int_equal(cu_conditional_new(loop, CU_GRAPH_COND_TYPE_WHILE, 2, &node.conditional),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cu_conditional_new(loop, CU_GRAPH_COND_TYPE_WHILE, 1, &node.conditional),
                     CUDA_SUCCESS);
    CUgraph inner = node.conditional->bodies[0];
    CUgraphNode n = add(g, &first, NULL);
    n = add(g, &node, n);
    add(g, &last, n);
    struct cu_work call = {.kind = CU_WORK_HOST, .host = {.fn = count_down}};
    add(inner, &call, add(inner, &body, NULL));
    CUgraphExec exec;
    assert_int_equal(cu_graph_instantiate(g, 0, &exec), CUDA_SUCCESS);
    CUstream s = stream_new(0);
    for (u32 launch = 0; launch < 2; launch++) { /* it begins with its default each time */
        rounds_left = 3;
        assert_int_equal(cu_graph_launch(exec, s), CUDA_SUCCESS);
        cu_stream_wait(s);
    }
    LOG("+1 -1 +2 -2 +2 -2 +2 -2 +3 -3 +1 -1 +2 -2 +2 -2 +2 -2 +3 -3 ");
    cu_graph_exec_destroy(exec);
    cu_graph_destroy(g);
}

TEST(memory_of_a_graph_is_there_from_its_allocation_to_its_free)
{
    UNUSED_STATE;
    CUgraph g = cu_graph_create();
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC, .alloc = {.bytesize = 100}};
    struct cu_work work;
    assert_int_equal(cu_node_work(&p, &work), CUDA_SUCCESS);
    CUgraphNode alloc = add(g, &work, NULL);
    cu_node_added(alloc, &p);
    u64 address = p.alloc.dptr;
    assert_true(address && !memory_find(cu_core()->memory, address));
    assert_true(cu_memory_holds(address, 100) && !cu_memory_holds(address, 101));
    CUgraphExec exec;
    CUstream s = stream_new(0);
    assert_int_equal(cu_graph_instantiate(g, 0, &exec), CUDA_SUCCESS);
    assert_int_equal(cu_graph_launch(exec, s), CUDA_SUCCESS);
    cu_stream_wait(s);
    assert_true(memory_find(cu_core()->memory, address) != NULL);
    assert_int_equal(cu_graph_launch(exec, s), CUDA_ERROR_INVALID_VALUE); /* not freed */
    assert_int_equal(cu_pool_free(address, s), CUDA_SUCCESS);
    assert_int_equal(cu_graph_launch(exec, s), CUDA_SUCCESS);
    cu_stream_wait(s);
    u64 used = 0, high = 0;
    cu_graph_memory_get(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used);
    cu_graph_memory_get(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &high);
    assert_int_equal(used, 100);
    assert_int_equal(high, 100);
    assert_int_equal(cu_memory_free(address, CU_FREE_DEVICE), CUDA_SUCCESS);
    assert_null(memory_find(cu_core()->memory, address));
    cu_graph_exec_destroy(exec);
    cu_graph_destroy(g);
    assert_false(cu_memory_holds(address, 1));
}

TEST(a_fill_of_memory_that_a_graph_has_not_allocated_fails)
{
    UNUSED_STATE;
    struct cu_graph_memory *m;
    assert_int_equal(cu_graph_memory_new(64, &m), CUDA_SUCCESS);
    CUstream s = stream_new(0);
    struct cu_work work = {.kind = CU_WORK_FILL};
    assert_int_equal(cu_fill_make(&work.fill, m->address, 0, 1, 1, 64, 1), CUDA_SUCCESS);
    cu_submit(s, &work);
    assert_int_equal(cu_stream_wait(s), CUDA_ERROR_ILLEGAL_ADDRESS);
    cu_graph_memory_release(m);
}

TEST(a_stream_waits_for_a_value_that_another_writes)
{
    UNUSED_STATE;
    u64 flag;
    assert_int_equal(cu_memory_alloc(context, CU_MEMORY_DEVICE, 8, 0, &flag), CUDA_SUCCESS);
    CUstream a = stream_new(CU_STREAM_NON_BLOCKING), b = stream_new(CU_STREAM_NON_BLOCKING);
    CUstreamBatchMemOpParams p = {.value = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32,
                                            .address = flag,
                                            .value = 5,
                                            .flags = CU_STREAM_WAIT_VALUE_GEQ}};
    struct cu_work work;
    assert_int_equal(cu_value_work(&p, &work), CUDA_SUCCESS);
    cu_submit(a, &work);
    RUN(a, 1);
    RUN(b, 2);
    p.value.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    assert_int_equal(cu_value_work(&p, &work), CUDA_SUCCESS);
    cu_submit(b, &work);
    cu_stream_wait(a);
    LOG("+2 -2 +1 -1 ");
    p.value.address = flag + 2;
    assert_int_equal(cu_value_work(&p, &work), CUDA_ERROR_INVALID_VALUE);
}

static void note(void *count)
{
    ++*(u32 *)count;
}

TEST(an_object_of_the_application_lives_as_long_as_a_graph_or_instance_holds_it)
{
    UNUSED_STATE;
    u32 destroyed = 0;
    struct cu_user_object *o;
    CUgraph g = cu_graph_create();
    CUgraphExec exec;
    assert_int_equal(cu_user_object_new(&destroyed, note, 2, &o), CUDA_SUCCESS);
    assert_int_equal(cu_graph_hold(g, o, 1, true), CUDA_SUCCESS);
    assert_int_equal(cu_graph_instantiate(g, 0, &exec), CUDA_SUCCESS);
    cu_graph_destroy(g);
    assert_int_equal(cu_user_object_release(o, 1), CUDA_SUCCESS);
    assert_int_equal(destroyed, 0);
    cu_graph_exec_destroy(exec);
    assert_int_equal(destroyed, 1);
}

RUN_TESTS(TB(a_kernel_is_complete_when_all_that_it_launched_is),
          TB(a_fault_drops_what_its_kernel_had_launched),
          TB(a_loop_runs_its_body_as_long_as_the_condition_holds),
          TB(memory_of_a_graph_is_there_from_its_allocation_to_its_free),
          TB(a_fill_of_memory_that_a_graph_has_not_allocated_fails),
          TB(a_stream_waits_for_a_value_that_another_writes),
          TB(an_object_of_the_application_lives_as_long_as_a_graph_or_instance_holds_it))

/*
 * Bases that accesses update (push, pop, call, ret, leave, pre- and post-index) do not wait for
 * data.
 *
 * As in test_core.c the first instruction is dispatched in cycle 9 and issues in 10; a base is
 * there an addition (1 cycle) after what it is worked out from.
 */
#include "cpu/bed.h"

#define RSP CPU_REG_STACK
#define RBP CPU_REG_FRAME
static const char *const perfect[] = {"core.l1i.perfect=true", "core.l1d.perfect=true",
                                      "core.branch.perfect=true", "core.count=1", NULL};

static void push(struct program *p, u8 data, u64 address)
{
    updates_base(emit_store(p, data, address), RSP, RSP);
}

static void pop(struct program *p, u8 data, u64 address)
{
    updates_base(emit_load(p, data, 0, address), RSP, RSP);
}

static void chain(struct program *p, u8 first, u32 count)
{
    for (u32 i = 0; i < count; i++)
        emit(p, CPU_ALU, 200, i ? 200 : first);
}

TEST(pops_take_a_cycle_each_and_not_the_latency_of_a_load)
{
    UNUSED_STATE;
    struct program *p = program_new();
    for (u32 i = 0; i < 100; i++)
        pop(p, 3, 0x5000 + 8 * i);
    /* pop k has its address in 10 + k; the last has its data 3 later */
    assert_int_equal(cycles_of(p, perfect), 10 + 99 + 3 + 1);
}

TEST(a_push_hands_the_stack_pointer_on_before_its_data_is_there)
{
    UNUSED_STATE;
    struct program *p = program_new();
    emit(p, CPU_DIV, 3, 0); /* 10 to 35 */
    push(p, 3, 0x5000);
    chain(p, RSP, 40);
    /* The stack pointer is there in 11, and 40 additions later the last is done in 51. */
    assert_int_equal(cycles_of(p, perfect), 51 + 1);
}

TEST(a_base_waits_for_the_register_that_it_is_worked_out_from)
{
    UNUSED_STATE;
    struct program *p = program_new();
    emit(p, CPU_DIV, RSP, 0); /* 10 to 35 */
    push(p, 3, 0x5000);
    push(p, 3, 0x4ff8);
    chain(p, RSP, 40);
    /* 35, two additions: 37, and 40 more */
    assert_int_equal(cycles_of(p, perfect), 77 + 1);
}

TEST(a_register_that_is_popped_still_waits_for_its_data)
{
    UNUSED_STATE;
    struct program *p = program_new();
    pop(p, 3, 0x5000);
    chain(p, 3, 40);
    assert_int_equal(cycles_of(p, perfect), 10 + 3 + 40 + 1);
}

TEST(a_call_and_its_return_pass_the_stack_pointer_on_at_once)
{
    UNUSED_STATE;
    struct program *p = program_new();
    emit(p, CPU_DIV, 3, 0); /* 10 to 35 */
    struct cpu_instruction *call = emit_branch(p, CPU_INDIRECT_CALL, 0x400010);
    call->sources[call->source_count++] = 3; /* where to */
    call->write[0] = 0x5000;
    call->write_bytes[0] = 8;
    call->write_count = 1;
    updates_base(call, RSP, RSP);
    chain(p, RSP, 40);
    /* The call is dispatched in 9: the stack pointer is there in 11. The additions are a fetch
     * block of their own, predicted a cycle later, and dispatched in 10. */
    assert_int_equal(cycles_of(p, perfect), 51 + 1);
}

TEST(a_return_does_not_hold_the_stack_pointer_until_its_address_is_loaded)
{
    UNUSED_STATE;
    static const char *const slow[] = {"core.l1i.perfect=true",  "core.branch.perfect=true",
                                       "core.count=1",           "ideal.model=fixed",
                                       "ideal.fixed_cycles=100", NULL};
    struct program *p = program_new();
    struct cpu_instruction *ret = emit_branch(p, CPU_RETURN, 0x400010);
    ret->read[0] = 0x5000; /* 111 cycles away */
    ret->read_bytes[0] = 8;
    ret->read_count = 1;
    updates_base(ret, RSP, RSP);
    for (u32 i = 0; i < 10; i++)
        pop(p, 3, 0x10000000 + 64 * i);
    /* The return's data comes in 121. Pop k has its address in 11 + k and its data, of a line of
     * its own, 111 later: the last in 131. */
    assert_int_equal(cycles_of(p, slow), 131 + 1);
}

TEST(leave_makes_the_stack_pointer_of_the_frame_pointer)
{
    UNUSED_STATE;
    struct program *p = program_new();
    emit(p, CPU_DIV, RSP, 0); /* what leave does not need */
    updates_base(emit_load(p, RBP, 0, 0x5000), RBP, RSP);
    chain(p, RSP, 40);
    /* the frame pointer was there: 11, and 40 additions */
    assert_int_equal(cycles_of(p, perfect), 51 + 1);
}

TEST(a_post_indexed_load_hands_its_base_on)
{
    UNUSED_STATE;
    struct program *p = program_new();
    for (u32 i = 0; i < 100; i++)
        updates_base(emit_load(p, CPU_REG_ARM, 0, 0x5000 + 8 * i), CPU_REG_ARM + 1,
                     CPU_REG_ARM + 1);
    assert_int_equal(cycles_of(p, perfect), 10 + 99 + 3 + 1);
}

/* ---- which instructions have one ---- */

struct base_row {
    const char *text;
    u8 class, branch;
    u8 sources[3], destinations[3];
    u8 from, to; /* 0: none */
};

TEST(bases_are_found_from_registers_and_text)
{
    UNUSED_STATE;
    enum { RAX = 10, X0 = CPU_REG_ARM, X1, X2 };
    static const struct base_row rows[] = {
        {"push rax", CPU_STORE, 0, {RAX, RSP}, {RSP}, RSP, RSP},
        {"push rsp", CPU_STORE, 0, {RSP}, {RSP}, RSP, RSP},
        {"pop rax", CPU_LOAD, 0, {RSP}, {RAX, RSP}, RSP, RSP},
        {"pop rsp", CPU_LOAD, 0, {RSP}, {RSP}, 0, 0},
        {"call 0x400000", CPU_BRANCH, CPU_CALL, {RSP}, {RSP}, RSP, RSP},
        {"call qword ptr [rax]", CPU_BRANCH, CPU_INDIRECT_CALL, {RSP, RAX}, {RSP}, RSP, RSP},
        {"ret", CPU_BRANCH, CPU_RETURN, {RSP}, {RSP}, RSP, RSP},
        {"leave", CPU_LOAD, 0, {RBP, RSP}, {RBP, RSP}, RBP, RSP},
        {"mov rsp, qword ptr [rsp + 8]", CPU_LOAD, 0, {RSP}, {RSP}, 0, 0},
        {"add rsp, 8", CPU_ALU, 0, {RSP}, {RSP, CPU_REG_FLAGS}, 0, 0},
        {"ldr x0, [x1], #8", CPU_LOAD, 0, {X1}, {X0, X1}, X1, X1},
        {"ldr x0, [x1, #8]!", CPU_LOAD, 0, {X1}, {X0, X1}, X1, X1},
        {"ldp x0, x2, [sp], #0x10", CPU_LOAD, 0, {RSP}, {X0, X2, RSP}, RSP, RSP},
        {"stp x0, x2, [sp, #-0x10]!", CPU_STORE, 0, {X0, X2, RSP}, {RSP}, RSP, RSP},
        {"ldr x1, [x1]", CPU_LOAD, 0, {X1}, {X1}, 0, 0},
        {"ldr x1, [x1, x2]", CPU_LOAD, 0, {X1, X2}, {X1}, 0, 0},
        {"bl #0x400000", CPU_BRANCH, CPU_CALL, {0}, {X0 + 30}, 0, 0},
        /* ChampSim's traces */
        {"", CPU_STORE, 0, {RAX, RSP}, {RSP}, RSP, RSP},
        {"", CPU_BRANCH, CPU_RETURN, {RSP}, {RSP}, RSP, RSP},
        {"", CPU_LOAD, 0, {RAX}, {RAX}, 0, 0},
        {"", CPU_ALU, 0, {RSP}, {RSP}, 0, 0},
    };
    for (u32 r = 0; r < ARRAY_LEN(rows); r++) {
        const struct base_row *row = &rows[r];
        struct cpu_instruction i = {.class = row->class, .branch = row->branch};
        for (u32 k = 0; k < 3; k++) {
            if (row->sources[k])
                i.sources[i.source_count++] = row->sources[k];
            if (row->destinations[k])
                i.destinations[i.destination_count++] = row->destinations[k];
        }
        cpu_instruction_find_base(&i, row->text);
        u8 from = i.base_from ? i.sources[i.base_from - 1] : 0;
        u8 to = i.base_from ? i.destinations[i.base_to] : 0;
        if (from != row->from || to != row->to)
            fail_msg("%s: from %u to %u", row->text, from, to);
    }
}

RUN_TESTS(T(pops_take_a_cycle_each_and_not_the_latency_of_a_load),
          T(a_push_hands_the_stack_pointer_on_before_its_data_is_there),
          T(a_base_waits_for_the_register_that_it_is_worked_out_from),
          T(a_register_that_is_popped_still_waits_for_its_data),
          T(a_call_and_its_return_pass_the_stack_pointer_on_at_once),
          T(a_return_does_not_hold_the_stack_pointer_until_its_address_is_loaded),
          T(leave_makes_the_stack_pointer_of_the_frame_pointer),
          T(a_post_indexed_load_hands_its_base_on), T(bases_are_found_from_registers_and_text))

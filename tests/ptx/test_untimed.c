/* Grids stepped to their end without timing. */
#include "testing.h"

#include "base/arena.h"
#include "ptx/untimed.h"
#include "gpu/script.h"

/* Runs a script; the sentence is in *err. */
static bool run(struct untimed *u, const struct scripted_kernel *k, u32 resident,
                enum launch_fault *fault, struct err *err)
{
    struct arena arena = {0};
    struct grid_source g = scripted_source(k, &arena);
    *err = ERR_INIT;
    bool ok = untimed_run(u, &g, resident, fault, err);
    arena_fini(&arena);
    return ok;
}

static const struct scripted_instruction code[] = {ALU(1, 0), LOAD(2, 1 * MIB), BARRIER(),
                                                   ALU(3, 2), EXIT()};

/* 3 blocks of 2 warps, 5 instructions each. */
TEST(every_warp_of_every_block_comes_to_its_end)
{
    UNUSED_STATE;
    struct scripted_kernel k = KERNEL(code, 64, .blocks = 3);
    for (u32 resident = 1; resident <= 4; resident++) {
        struct untimed u = {.sms = 2};
        enum launch_fault fault;
        struct err err;
        assert_true(run(&u, &k, resident, &fault, &err));
        assert_int_equal(fault, FAULT_NONE);
        assert_int_equal(u.instructions, 3 * 2 * 5);
    }
}

TEST(a_program_is_ended_at_its_limit_over_all_its_grids)
{
    UNUSED_STATE;
    struct scripted_kernel k = KERNEL(code, 64, .blocks = 3, .name = "busy");
    struct untimed u = {.sms = 2, .max_instructions = 40};
    enum launch_fault fault;
    struct err err;
    assert_true(run(&u, &k, 3, &fault, &err));
    assert_false(run(&u, &k, 3, &fault, &err));
    assert_int_equal(fault, FAULT_LIMIT);
    assert_int_equal(u.instructions, 40);
    assert_string_equal(err.what,
                        "kernel busy: still running after 40 warp instructions of the program, the "
                        "limit");
}

RUN_TESTS(T(every_warp_of_every_block_comes_to_its_end),
          T(a_program_is_ended_at_its_limit_over_all_its_grids))

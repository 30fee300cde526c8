#include "device/bounds.h"
#include "ptx/exec/running.h"

/* Behind the sentence where a GPU would go on: an allocation is less than a page away. */
#define LET_GO "; --bounds warn or off continues, as a GPU does"
#define AT "kernel k, block (0,0,0), thread (%u,0,0): "

/* Runs, and expects the sentence printf makes of the rest. */
static void expect_fault(struct run *r, enum launch_fault fault, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void expect_fault(struct run *r, enum launch_fault fault, const char *fmt, ...)
{
    char expected[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(expected, sizeof expected, fmt, args);
    va_end(args);
    assert_false(run_go(r));
    assert_string_equal(r->err.what, expected);
    assert_int_equal(r->fault, fault);
    assert_string_equal(r->err.file, "t.ptx");
}

static unsigned long long hex(u64 address)
{
    return address;
}

TEST(a_store_one_byte_past_the_end_names_the_allocation)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, KERNEL("st.global.u32 [%rd3], %r1;"), 127);
    expect_fault(&r, FAULT_ADDRESS,
                 AT "4 bytes at 0x%llx are in no allocation; nearest: 1 bytes past the end of "
                    "buffer at 0x%llx (127 bytes)" LET_GO,
                 31, hex(r.out + 124), hex(r.out));
    assert_int_equal(r.err.line, 8);
    run_end(&r);
}

TEST(loads_before_and_behind_an_allocation_say_how_far)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, KERNEL("ld.global.u8 %r2, [%rd1+130];"), 128);
    expect_fault(&r, FAULT_ADDRESS,
                 AT "1 bytes at 0x%llx are in no allocation; nearest: 2 bytes after buffer at "
                    "0x%llx (128 bytes)" LET_GO,
                 0, hex(r.out + 130), hex(r.out));
    run_end(&r);
    run_load(&r, KERNEL("ld.global.u64 %rd2, [%rd1+-8];"), 128);
    expect_fault(&r, FAULT_ADDRESS,
                 AT "8 bytes at 0x%llx are in no allocation; nearest: 8 bytes before buffer at "
                    "0x%llx (128 bytes)" LET_GO,
                 0, hex(r.out - 8), hex(r.out));
    run_end(&r);
}

TEST(an_address_at_the_end_of_the_address_space_does_not_wrap_around)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("st.global.u32 [%rd1], 1;\n" /* the allocation is known */
                    "mov.u64 %rd4, -4; st.global.u32 [%rd4], 1;"),
             128);
    expect_fault(&r, FAULT_ADDRESS,
                 AT "4 bytes at 0xfffffffffffffffc are in no allocation; nearest: %llu bytes after "
                    "buffer at 0x%llx (128 bytes)",
                 0, hex(0 - (u64)4 - r.out - 128), hex(r.out));
    run_end(&r);
}

/* The 64 bytes of the buffer are 16 words: threads 16 to 31 are behind it. */
TEST(not_strictly_a_load_behind_an_array_gives_zero_and_a_store_is_lost)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("ld.global.u32 %r2, [%rd3]; add.u32 %r2, %r2, 7; st.global.u32 [%rd3], %r2;\n"
                    "ld.global.u32 %r3, [%rd3]; st.global.u32 [%rd1+4], %r3;"),
             64);
    u64 neighbour = memory_alloc(r.memory, 64, 256, "neighbour", 0);
    assert_true(bounds_set(r.memory, BOUNDS_OFF));
    assert_true(run_go(&r));
    const u32 *out = (const u32 *)(uintptr_t)r.out, *other = (const u32 *)(uintptr_t)neighbour;
    assert_int_equal(out[0], 7);
    assert_int_equal(out[15], 7);
    assert_int_equal(out[1], 7); /* the lowest lane's stays: what it stored itself */
    assert_int_equal(out[16], 0);
    assert_int_equal(other[0], 0);
    assert_true(memory_bounds(r.memory)->is_told);
    assert_non_null(strstr(memory_bounds(r.memory)->first.what, "thread (16,0,0): 4 bytes at"));
    run_end(&r);
}

TEST(less_than_a_page_before_the_first_or_behind_the_last_allocation_goes_on)
{
    UNUSED_STATE;
    static const char *const bodies[] = {
        /* the first allocation is where the device's addresses begin */
        KERNEL("mov.u32 %r2, 7; ld.global.u32 %r2, [%rd1+-2048]; st.global.u32 [%rd3], %r2;"),
        KERNEL("mov.u32 %r2, 7; ld.global.u32 %r2, [%rd1+-2097148]; st.global.u32 [%rd3], %r2;"),
        KERNEL("mov.u32 %r2, 7; ld.global.u32 %r2, [%rd1+2097276]; st.global.u32 [%rd3], %r2;"),
    };
    for (u32 i = 0; i < ARRAY_LEN(bodies); i++) {
        struct run r;
        run_load(&r, bodies[i], 128);
        assert_true(bounds_set(r.memory, BOUNDS_WARN));
        if (!run_go(&r))
            fail_msg("%s", r.err.what);
        for (u32 k = 0; k < 32; k++)
            assert_int_equal(run_word(&r, k), 0);
        run_end(&r);
    }
}

TEST(a_page_away_from_every_allocation_is_a_fault_in_any_case)
{
    UNUSED_STATE;
    /* 2 MiB before the first byte, and 2 MiB behind the last one: of 128 */
    static const struct {
        const char *body, *what;
    } rows[] = {
        {KERNEL("ld.global.u32 %r2, [%rd1+-2097152]; st.global.u32 [%rd3], %r2;"),
         "nearest: 2097152 bytes before buffer"},
        {KERNEL("ld.global.u32 %r2, [%rd1+2097280]; st.global.u32 [%rd3], %r2;"),
         "nearest: 2097152 bytes after buffer"},
        /* above the pages that stand for what is in no allocation */
        {KERNEL("mov.u64 %rd4, 0x7b0000000000; ld.global.u32 %r2, [%rd4];"), "after buffer at"},
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct run r;
        run_load(&r, rows[i].body, 128);
        assert_true(bounds_set(r.memory, BOUNDS_WARN));
        assert_false(run_go(&r));
        assert_int_equal(r.fault, FAULT_ADDRESS);
        assert_null(strstr(r.err.what, "--bounds"));
        assert_non_null(strstr(r.err.what, rows[i].what));
        run_end(&r);
    }
}

TEST(a_misaligned_access_says_what_it_should_be_a_multiple_of)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, KERNEL("ld.global.v2.u32 {%r2, %r3}, [%rd3];"), 128);
    expect_fault(&r, FAULT_MISALIGNED, AT "address 0x%llx is not a multiple of 8", 1,
                 hex(r.out + 4));
    run_end(&r);
}

TEST(shared_and_local_memory_have_an_end)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, HEADER ".shared .b32 s[4];\n" PROLOGUE "st.shared.u32 [s+16], 1; }\n", 128);
    expect_fault(&r, FAULT_ADDRESS, AT "4 bytes at 0x10 of shared memory are in no allocation", 0);
    run_end(&r);
    run_load(&r, KERNEL(".local .b32 l[4]; ld.local.u32 %r2, [l+16];"), 128);
    expect_fault(&r, FAULT_ADDRESS, AT "4 bytes at 0x10 of local memory are in no allocation", 0);
    run_end(&r);
}

TEST(a_generic_address_into_shared_memory_is_checked_there)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             HEADER ".shared .b32 s[4];\n" PROLOGUE "mov.u64 %rd4, s; cvta.shared.u64 %rd5, %rd4;\n"
                    "mul.wide.u32 %rd6, %r1, 4; add.u64 %rd5, %rd5, %rd6; st.u32 [%rd5], 1; }\n",
             128);
    expect_fault(&r, FAULT_ADDRESS, AT "4 bytes at 0x10 of shared memory are in no allocation", 4);
    run_end(&r);
}

TEST(the_parameters_of_a_kernel_cannot_be_written)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("mov.u64 %rd4, out; cvta.param.u64 %rd5, %rd4;\n"
                    "ld.u64 %rd6, [%rd5]; st.u64 [%rd5], %rd6;"),
             128);
    expect_fault(&r, FAULT_ADDRESS, AT "a kernel's parameters cannot be written", 0);
    assert_int_equal(r.params[0], r.out);
    run_end(&r);
}

TEST(a_bulk_copy_ends_inside_the_allocation_it_began_in)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             HEADER ".shared .align 16 .b8 s[1024];\n" PROLOGUE
                    "setp.ne.u32 %p1, %r1, 0; @%p1 exit;\n"
                    "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 1024; }\n",
             128);
    u64 other = memory_alloc(r.memory, 65536, 256, "neighbour", 0);
    assert_int_not_equal(other, 0);
    expect_fault(&r, FAULT_ADDRESS,
                 AT "16 bytes at 0x%llx are in no allocation; nearest: 0 bytes after buffer at "
                    "0x%llx (128 bytes)" LET_GO,
                 0, hex(r.out + 128), hex(r.out));
    run_end(&r);
}

TEST(a_trap_names_its_thread)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, KERNEL("setp.eq.u32 %p1, %r1, 5; @%p1 trap;"), 128);
    r.launch.block[0] = 3;
    r.launch.block[1] = 2;
    r.launch.block[2] = 2;
    assert_true(run_go(&r)); /* no thread has x = 5 */
    r.launch.block[0] = 8;
    assert_false(run_go(&r));
    assert_int_equal(r.fault, FAULT_TRAP);
    assert_string_equal(r.err.what, "kernel k, block (0,0,0), thread (5,0,0): trap");
    run_end(&r);
}

TEST(a_failed_assertion_says_where)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             HEADER ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l,"
                    " .param .b64 n, .param .b64 s);\n"
                    ".global .b8 message[4] = {120, 62, 48, 0};\n"
                    ".global .b8 file[5] = {97, 46, 99, 117, 0};\n"
                    ".global .b8 name[2] = {102, 0};\n" PROLOGUE
                    "setp.eq.u32 %p1, %r1, 9; @!%p1 bra END;\n"
                    "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n"
                    "mov.u64 %rd4, message; st.param.b64 [a], %rd4;\n"
                    "mov.u64 %rd4, file; st.param.b64 [b], %rd4;\n"
                    "st.param.b32 [c], 42;\n"
                    "mov.u64 %rd4, name; st.param.b64 [d], %rd4;\n"
                    "st.param.b64 [e], 1;\n"
                    "call.uni __assertfail, (a, b, c, d, e); }\n"
                    "END: ret; }\n",
             128);
    expect_fault(&r, FAULT_ASSERT, AT "assertion `x>0` failed at a.cu:42 in f", 9);
    run_end(&r);
}

TEST(endless_recursion_fills_the_stack)
{
    UNUSED_STATE;
    struct run r;
    /* 256 bytes of variables and 8 of the return address in an activation: 3 in 1024, 7 in 2048 */
    static const char text[] =
        HEADER ".func f(.reg .b32 x, .reg .b64 at) { .local .b32 l[64]; .reg .b32 y;\n"
               "st.local.u32 [l], x; atom.global.add.u32 y, [at], 1;\n"
               "call f, (x, at); ret; }\n" PROLOGUE
               "setp.ne.u32 %p1, %r1, 0; @%p1 exit; call f, (%r1, %rd1); }\n";
    run_load(&r, text, 128);
    expect_fault(&r, FAULT_STACK, AT "the stack of 1024 bytes is full in f (cudaLimitStackSize)",
                 0);
    assert_int_equal(run_word(&r, 0), 3);
    run_end(&r);
    run_load(&r, text, 128);
    r.launch.stack_bytes = 2048;
    expect_fault(&r, FAULT_STACK, AT "the stack of 2048 bytes is full in f (cudaLimitStackSize)",
                 0);
    assert_int_equal(run_word(&r, 0), 7);
    run_end(&r);
}

TEST(endless_recursion_without_local_memory_ends_at_the_stack_limit_too)
{
    UNUSED_STATE;
    struct run r;
    /* the return address alone: 128 activations in 1024 bytes */
    run_load(&r,
             HEADER ".func f(.reg .u64 at) { .reg .b32 y; atom.global.add.u32 y, [at], 1;\n"
                    "call f, (at); ret; }\n" PROLOGUE
                    "setp.ne.u32 %p1, %r1, 0; @%p1 exit; call f, (%rd1); }\n",
             128);
    assert_false(run_go(&r));
    assert_int_equal(r.fault, FAULT_STACK);
    assert_int_equal(run_word(&r, 0), 128);
    run_end(&r);
}

/* The return address and y, which is live over the call: 16 bytes an activation, so 64 of them. */
TEST(recursion_goes_as_deep_as_the_stack_limit_allows)
{
    UNUSED_STATE;
    static const char text[] =
        HEADER ".func (.reg .b32 z) f(.reg .b32 x) { .reg .b32 y; .reg .pred p;\n"
               "mov.u32 z, 0; mov.u32 y, x; setp.eq.u32 p, x, 0; @p bra E;\n"
               "sub.u32 y, y, 1; call (z), f, (y); add.u32 z, z, y;\n"
               "E: ret; }\n" PROLOGUE "mov.u32 %r2, DEPTH; call (%r3), f, (%r2);\n"
               "st.global.u32 [%rd3], %r3; }\n";
    static const struct {
        u32 depth;
        bool fits;
    } cases[] = {{63, true}, {64, false}};
    for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
        char whole[1024];
        const char *at = strstr(text, "DEPTH");
        snprintf(whole, sizeof whole, "%.*s%u%s", (int)(at - text), text, cases[i].depth, at + 5);
        struct run r;
        run_load(&r, whole, 128);
        assert_int_equal(run_go(&r), cases[i].fits);
        if (cases[i].fits) /* 0 + 1 + ... + 62 */
            assert_int_equal(run_word(&r, 31), 63 * 62 / 2);
        run_end(&r);
    }
}

/* Without recursion a kernel gets what it needs, as from a driver, whatever the limit. */
TEST(the_stack_limit_does_not_bind_calls_whose_depth_is_known)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             HEADER ".func g(.reg .b32 x) { .local .b32 l[512]; st.local.u32 [l+2044], x; ret; }\n"
                    ".func f(.reg .b32 x) { .local .b32 l[512]; st.local.u32 [l+2044], x;\n"
                    "call g, (x); ret; }\n" PROLOGUE "call f, (%r1); st.global.u32 [%rd3], 1; }\n",
             128);
    r.launch.stack_bytes = 16;
    assert_true(run_go(&r));
    assert_int_equal(run_word(&r, 31), 1);
    run_end(&r);
}

TEST(a_call_by_address_must_hit_a_function_of_the_right_kind)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, KERNEL("mov.u64 %rd4, 0x1234; call %rd4, ();"), 128);
    expect_fault(&r, FAULT_INSTRUCTION, AT "call of 0x1234, which is not a function", 0);
    run_end(&r);
    run_load(&r,
             HEADER ".func f(.param .b64 x) { ret; }\n" PROLOGUE "mov.u64 %rd4, f;\n"
                    "{ .param .b32 a; st.param.b32 [a], 1; call %rd4, (a); } }\n",
             128);
    expect_fault(&r, FAULT_INSTRUCTION,
                 AT "call of f, which takes other arguments than those given", 0);
    run_end(&r);
    run_load(&r, KERNEL("mov.u64 %rd4, k; call %rd4, ();"), 128);
    expect_fault(&r, FAULT_INSTRUCTION,
                 AT "call of k, which takes other arguments than those given", 0);
    run_end(&r);
}

TEST(a_branch_index_beyond_its_table_is_a_fault)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, KERNEL("T: .branchtargets A, A; brx.idx %r1, T; A: ret;"), 128);
    expect_fault(&r, FAULT_INSTRUCTION, AT "brx.idx 2 of 2 targets", 2);
    run_end(&r);
}

TEST(a_kernel_that_does_not_end_is_stopped_at_its_limit)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, KERNEL("L: add.u32 %r2, %r2, 1; bra L;"), 128);
    r.launch.max_instructions = 1000;
    expect_fault(&r, FAULT_LIMIT, AT "still running after 1000 warp instructions, the limit", 0);
    assert_int_equal(r.counts.warp_instructions, 1000);
    run_end(&r);
}

TEST(a_texture_that_is_none_is_a_fault)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, KERNEL("txq.width.b32 %r2, [%rd2];"), 128);
    expect_fault(&r, FAULT_ADDRESS, AT "0x0 is not a texture or surface object", 0);
    run_end(&r);
}

TEST(the_block_is_named_too)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, KERNEL("mov.u32 %r2, %ctaid.y; setp.eq.u32 %p1, %r2, 2; @%p1 trap;"), 128);
    r.launch.grid[0] = 2;
    r.launch.grid[1] = 3;
    assert_false(run_go(&r));
    assert_string_equal(r.err.what, "kernel k, block (0,2,0), thread (0,0,0): trap");
    run_end(&r);
}

RUN_TESTS(T(not_strictly_a_load_behind_an_array_gives_zero_and_a_store_is_lost),
          T(less_than_a_page_before_the_first_or_behind_the_last_allocation_goes_on),
          T(a_page_away_from_every_allocation_is_a_fault_in_any_case),
          T(a_store_one_byte_past_the_end_names_the_allocation),
          T(loads_before_and_behind_an_allocation_say_how_far),
          T(an_address_at_the_end_of_the_address_space_does_not_wrap_around),
          T(a_misaligned_access_says_what_it_should_be_a_multiple_of),
          T(shared_and_local_memory_have_an_end),
          T(a_generic_address_into_shared_memory_is_checked_there),
          T(the_parameters_of_a_kernel_cannot_be_written),
          T(a_bulk_copy_ends_inside_the_allocation_it_began_in), T(a_trap_names_its_thread),
          T(a_failed_assertion_says_where), T(endless_recursion_fills_the_stack),
          T(endless_recursion_without_local_memory_ends_at_the_stack_limit_too),
          T(recursion_goes_as_deep_as_the_stack_limit_allows),
          T(the_stack_limit_does_not_bind_calls_whose_depth_is_known),
          T(a_call_by_address_must_hit_a_function_of_the_right_kind),
          T(a_branch_index_beyond_its_table_is_a_fault),
          T(a_kernel_that_does_not_end_is_stopped_at_its_limit),
          T(a_texture_that_is_none_is_a_fault), T(the_block_is_named_too))

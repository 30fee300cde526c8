#include "testing.h"

#include "cpu_trace/kernel.h"

static struct cpu_stream stream;

static void open_thread(const char *name, u32 thread, u64 seed)
{
    struct err err = ERR_INIT;
    cpu_stream_close(&stream);
    assert_true(cpu_stream_open(
        &stream, &(struct cpu_stream_request){.name = name, .thread = thread, .seed = seed}, &err));
}

static void open_stream(const char *name)
{
    open_thread(name, 0, 1);
}

/* By value: the next call may refill the batch. */
static struct cpu_instruction take(void)
{
    const struct cpu_instruction *i = cpu_stream_peek(&stream);
    assert_non_null(i);
    struct cpu_instruction copy = *i;
    cpu_stream_skip(&stream);
    return copy;
}

TEST(every_instruction_begins_where_the_one_before_it_went)
{
    UNUSED_STATE;
    for (const struct cpu_kernel_row *row = cpu_kernel_rows; row->name; row++) {
        char name[64];
        snprintf(name, sizeof name, "cpu:%s,length=10000", row->name);
        open_stream(name);
        assert_int_equal(stream.length, 10000);
        struct cpu_instruction last = take();
        for (u32 n = 1; n < 10000; n++) {
            struct cpu_instruction i = take();
            assert_int_equal(i.pc, cpu_instruction_next_pc(&last));
            last = i;
        }
        assert_null(cpu_stream_peek(&stream));
    }
}

TEST(a_mix_is_kept_to_an_instruction_in_every_loop)
{
    UNUSED_STATE;
    /* 99 slots for shares 6:2:1 and the jump at the end */
    open_stream("cpu:stream,alu=6,load=2,store=1,code_bytes=400,length=100000");
    u32 count[CPU_CLASS_COUNT] = {0};
    for (u32 n = 0; n < 100000; n++)
        count[take().class]++;
    assert_int_equal(count[CPU_ALU], 66000);
    assert_int_equal(count[CPU_LOAD], 22000);
    assert_int_equal(count[CPU_STORE], 11000);
    assert_int_equal(count[CPU_BRANCH], 1000);
}

/* Who wrote the register that an instruction reads, counted in results. */
static void check_distance(const char *name, u32 distance)
{
    u64 written[CPU_REGISTERS] = {0}, results = 0, checked = 0;
    open_stream(name);
    for (u32 n = 0; n < 5000; n++) {
        struct cpu_instruction i = take();
        for (u32 k = 0; k < i.source_count; k++) {
            if (i.sources[k] >= CPU_REG_ARM && written[i.sources[k]]) {
                assert_int_equal(results + 1 - written[i.sources[k]], distance);
                checked++;
            }
        }
        for (u32 k = 0; k < i.destination_count; k++)
            written[i.destinations[k]] = ++results;
    }
    assert_true(checked > 1000);
}

TEST(sources_were_written_so_many_results_ago)
{
    UNUSED_STATE;
    check_distance("cpu:chain,code_bytes=8", 1);
    check_distance("cpu:chain", 1);
    check_distance("cpu:chain,dependence_distance=7,code_bytes=116", 7);
    check_distance("cpu:mix,dependence_distance=15,code_bytes=200", 15);
    check_distance("cpu:mix,dependence_distance=3,code_bytes=1000", 3);
}

TEST(a_stride_goes_through_the_footprint_and_again)
{
    UNUSED_STATE;
    open_stream("cpu:stream,alu=0,footprint_bytes=4096,stride_bytes=64,access_bytes=4");
    u64 base = cpu_stream_peek(&stream)->read[0], loads = 0;
    while (loads < 200) {
        struct cpu_instruction i = take();
        if (i.class != CPU_LOAD)
            continue;
        assert_int_equal(i.read_count, 1);
        assert_int_equal(i.read_bytes[0], 4);
        assert_int_equal(i.read[0], base + loads % 64 * 64);
        loads++;
    }
}

TEST(a_round_of_a_chase_meets_every_element_once)
{
    UNUSED_STATE;
    /* 48 elements: no power of two */
    open_stream("cpu:chase,footprint_bytes=3072,stride_bytes=64");
    u64 base = cpu_stream_peek(&stream)->read[0];
    u8 seen[48] = {0};
    u32 loads = 0;
    while (loads < 96) {
        struct cpu_instruction i = take();
        if (i.class != CPU_LOAD)
            continue;
        u64 element = (i.read[0] - base) / 64;
        assert_true(element < 48);
        assert_int_equal(seen[element]++, loads / 48);
        assert_int_equal(i.sources[0], i.destinations[0]);
        loads++;
    }
}

/* How many of a kernel's conditional branches were taken, of how many. */
static double taken_share(const char *name)
{
    u32 branches = 0, taken = 0;
    open_stream(name);
    for (u32 n = 0; n < 200000; n++) {
        struct cpu_instruction i = take();
        branches += i.branch == CPU_CONDITIONAL;
        taken += i.branch == CPU_CONDITIONAL && i.taken;
    }
    return (double)taken / branches;
}

TEST(branches_are_taken_as_often_as_asked)
{
    UNUSED_STATE;
    assert_true(taken_share("cpu:coin,taken=0") == 0);
    assert_true(taken_share("cpu:coin,taken=1") == 1);
    assert_float_equal(taken_share("cpu:coin,taken=0.3"), 0.3, 0.01);
    assert_float_equal(taken_share("cpu:loop,branch_period=8,code_bytes=24"), 7. / 8, 0.0001);
}

static u64 hash_of_all(void)
{
    u64 h = 0;
    for (const struct cpu_instruction *i; (i = cpu_stream_peek(&stream)); cpu_stream_skip(&stream))
        h = h * 31 + i->pc * 7 + i->read[0] * 3 + i->taken + i->target;
    return h;
}

TEST(a_stream_is_the_same_after_a_restart_and_for_the_same_seed)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    const char *name = "cpu:mix,pattern=random,indirect=3,length=5000,threads=2";
    open_thread(name, 0, 1);
    u64 first = hash_of_all();
    assert_true(cpu_stream_restart(&stream, &err));
    assert_true(hash_of_all() == first);
    open_thread(name, 0, 1);
    assert_true(hash_of_all() == first);
    open_thread(name, 0, 2);
    assert_true(hash_of_all() != first);
    open_thread(name, 1, 1);
    assert_true(hash_of_all() != first);
}

TEST(a_seek_passes_over_so_many_instructions)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    open_stream("cpu:mix,length=2000");
    for (u32 n = 0; n < 1500; n++)
        take();
    u64 pc = cpu_stream_peek(&stream)->pc;
    assert_true(cpu_stream_seek(&stream, 1500, &err));
    assert_int_equal(cpu_stream_peek(&stream)->pc, pc);
    assert_true(cpu_stream_seek(&stream, 5000, &err));
    assert_null(cpu_stream_peek(&stream));
}

TEST(a_name_may_ask_for_a_window)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    open_stream("cpu:mix,length=2000");
    assert_true(cpu_stream_seek(&stream, 1500, &err));
    u64 pc = cpu_stream_peek(&stream)->pc;
    open_stream("cpu:mix,length=2000@1500+300");
    assert_int_equal(stream.length, 300);
    for (u32 round = 0; round < 2; round++) {
        assert_int_equal(take().pc, pc);
        for (u32 n = 1; n < 300; n++)
            take();
        assert_null(cpu_stream_peek(&stream));
        assert_true(cpu_stream_restart(&stream, &err));
    }
    open_stream("cpu:mix,length=2000@1900+300");
    assert_int_equal(stream.length, 100);
    assert_true(cpu_name_is_program("cpu:mix@1+2"));
    assert_true(cpu_name_is_program("champsim:anything"));
    assert_false(cpu_name_is_program("bfs"));
    assert_false(cpu_name_is_program("bfs@1+2"));
}

static void refuses(const char *name, const char *message)
{
    char found[2048];
    struct err err = ERR_INIT;
    struct cpu_stream s = {0};
    assert_false(cpu_stream_open(&s, &(struct cpu_stream_request){.name = name}, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    err_text(&err, found, sizeof found);
    assert_string_equal(found, message);
}

TEST(what_a_name_gets_wrong_is_said)
{
    UNUSED_STATE;
    refuses("cpu:chane", "cpu: unknown CPU kernel 'chane', expected a name from `heddle list "
                         "cpu-kernels` (nearest: chase)");
    refuses("cpu:chain,lenght=4",
            "cpu: unknown knob of a CPU kernel 'lenght', expected a name from "
            "`heddle list cpu-kernels` (nearest: length)");
    refuses("cpu:chain,length", "cpu: a knob is length, expected KNOB=VALUE");
    refuses("cpu:chain,alu=0", "cpu: no kind of instruction has a share above 0");
    refuses("cpu:stream,footprint_bytes=100",
            "cpu: footprint_bytes is 100, expected a multiple of stride_bytes = 64");
    refuses("cpu:mix,length=2000@2000+1", "cpu:mix,length=2000@2000+1 begins after the last "
                                          "instruction, expected a window of its 2000");
    refuses("cpu:chain,length=0", "cpu: length is 0, expected 1 to 1125899906842624");
}

static int close_all(void **state)
{
    UNUSED_STATE;
    cpu_stream_close(&stream);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(every_instruction_begins_where_the_one_before_it_went),
        T(a_mix_is_kept_to_an_instruction_in_every_loop),
        T(sources_were_written_so_many_results_ago),
        T(a_stride_goes_through_the_footprint_and_again),
        T(a_round_of_a_chase_meets_every_element_once),
        T(branches_are_taken_as_often_as_asked),
        T(a_stream_is_the_same_after_a_restart_and_for_the_same_seed),
        T(a_seek_passes_over_so_many_instructions),
        T(a_name_may_ask_for_a_window),
        T(what_a_name_gets_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, close_all);
}

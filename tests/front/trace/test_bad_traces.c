#include "testing.h"

#include "front/source_driver.h"
#include "front/trace/trace_text.h"

/* Refused when it is opened. */
static void refuses(const char *text, const char *message)
{
    struct err err = ERR_INIT;
    assert_null(open_text(text, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_string_equal(message_of(&err), message);
}

/* Opened, and a fault in the first block. */
static void faults(const char *text, const char *message)
{
    struct err err = ERR_INIT;
    struct trace_kernel *k = open_text(text, &err);
    assert_non_null(k);
    struct grid_source g = trace_kernel_grid(k);
    assert_int_equal(drive_block(&g, 0, NULL, NULL), UINT32_MAX);
    g.ops->fault(g.self, &err);
    assert_int_equal(err.kind, ERR_INPUT);
    assert_string_equal(message_of(&err), message);
    trace_kernel_close(k);
}

TEST(headers_are_checked)
{
    UNUSED_STATE;
    refuses("", "k.traceg: the header does not end, expected a line that starts with #");
    refuses("-kernel name = f\n#x\n",
            "k.traceg: the header has no `-grid dim = (x,y,z)` of 1 and more");
    refuses("-grid dim = (1,1,1)\n-block dim = (33,32,1)\n#x\n",
            "k.traceg: the header has no `-block dim = (x,y,z)` of 1 to 1024 threads in all");
    refuses("-grid dim = (1,1)\n",
            "k.traceg:1:13: grid dim is '(1,1)', expected three numbers such as 4,2,1");
    refuses("-nregs = many\n",
            "k.traceg:1:10: nregs is 'many', expected a decimal number from 0 to 1024");
    refuses("-accelsim tracer version = new\n",
            "k.traceg:1:28: accelsim tracer version is 'new', expected a version such as 5");
    refuses("-shmem base_addr = none\n",
            "k.traceg:1:20: shmem base_addr is 'none', expected a hexadecimal number");
    refuses("kernel 1\n",
            "k.traceg:1:1: a line of the header is 'kernel', expected `-key = value`, or # where "
            "it ends");
}

TEST(raw_traces_are_told_from_grouped_ones)
{
    UNUSED_STATE;
    refuses(HEADER("3") "0 0 0 1 0000 ffffffff 0 EXIT 0 0\n",
            "k.traceg:16:1: a line between blocks is '0', expected #BEGIN_TB, as in traces grouped "
            "by post-traces-processing");
}

TEST(files_that_break_off_are_refused)
{
    UNUSED_STATE;
    refuses(HEADER("3") BEGIN("0") WARP("0", "1") "0000 ffffffff 0 EXIT 0 0\n",
            "k.traceg: the file ends inside the block of line 16, expected #END_TB");
}

TEST(damaged_blocks_are_faults_with_their_line)
{
    UNUSED_STATE;
    faults(HEADER("3") BEGIN("0") WARP("0", "2") "0000 ffffffff 0 EXIT 0 0\n" END,
           "k.traceg:24:1: an instruction line is '#END_TB', expected 1 more of warp 0");
    faults(HEADER("3") BEGIN("0") WARP("0", "1") "0000 fffffff 0 EXIT 0 0\n" END,
           "k.traceg:22:6: mask is 'fffffff', expected 8 hexadecimal digits");
    faults(HEADER("3") BEGIN("0") WARP("0", "1") "0000 ffffffff 1 X7 EXIT 0 0\n" END,
           "k.traceg:22:17: a register is 'X7', expected R0 to R255, UR0 to UR255, P0 to P7 or "
           "UP0 to UP7");
    faults(HEADER("3") BEGIN("0") WARP("2", "1") "0000 ffffffff 0 EXIT 0 0\n" END,
           "k.traceg:20:8: warp is '2', expected a decimal number from 0 to 1");
    faults(HEADER("3") BEGIN("0") WARP("0", "1") "0000 ffffffff 0 EXIT 0 0\n" WARP("0", "1") END,
           "k.traceg:23:1: warp 0 is in the block twice");
    faults(HEADER("3") BEGIN("9") WARP("0", "1") "0000 ffffffff 0 EXIT 0 0\n" END,
           "k.traceg:18:1: thread block is 9,0,0, expected one inside the grid of 2,1,1");
    faults(HEADER("3") BEGIN("0") "warp = 0\nnothing\ninsts = 1\n" END,
           "k.traceg:21:1: the line behind the warp is 'nothing', expected `insts = COUNT`");
    faults(HEADER("3") BEGIN("0") WARP("0", "lots") END,
           "k.traceg:21:9: insts is 'lots', expected a decimal number from 0 to 2147483647");
    faults(HEADER("3") BEGIN("0") WARP("0", "0") "0000 ffffffff 0 EXIT 0 0\n" WARP("1", "1") END,
           "k.traceg:22:1: a line of the block is '0000', expected `warp = NUMBER` or #END_TB");
}

TEST(a_fault_leaves_the_kernel_usable)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    struct trace_kernel *k = open_text(HEADER("3") BEGIN("0") WARP("0", "1") "bad\n" END BEGIN("1")
                                           WARP("0", "1") "0000 ffffffff 0 EXIT 0 0\n" END,
                                       &err);
    struct grid_source g = trace_kernel_grid(k);
    assert_int_equal(drive_block(&g, 0, NULL, NULL), UINT32_MAX);
    assert_int_equal(drive_block(&g, 1, NULL, NULL), 0);
    trace_kernel_close(k);
}

RUN_TESTS(T(headers_are_checked), T(raw_traces_are_told_from_grouped_ones),
          T(files_that_break_off_are_refused), T(damaged_blocks_are_faults_with_their_line),
          T(a_fault_leaves_the_kernel_usable))

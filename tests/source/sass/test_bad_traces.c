#include "testing.h"

#include "source/source_driver.h"
#include "source/sass/trace_text.h"

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
            "k.traceg:1:28: accelsim tracer version is 'new', expected one from 1 to 7");
    refuses("-accelsim tracer version = 99\n",
            "k.traceg:1:28: accelsim tracer version is '99', expected one from 1 to 7");
    refuses("-grid dim = (2147483647,2147483647,2147483647)\n",
            "k.traceg:1:13: grid dim is (2147483647,2147483647,2147483647), expected at most "
            "(2147483647,65535,65535)");
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

#define EXIT_WARP(n) WARP(n, "1") "0000 ffffffff 0 EXIT 0 0\n"
#define EXIT_BLOCK(x) BEGIN(x) EXIT_WARP("0") EXIT_WARP("1") END

/* Lines: the header has 15, a block 13. */
TEST(a_file_must_hold_every_block_of_its_grid_and_every_warp_of_a_block_once)
{
    UNUSED_STATE;
    refuses(HEADER("3"), "k.traceg:15:1: the file holds 0 of the 2 blocks of grid dim (2,1,1), "
                         "expected all of them");
    refuses(HEADER("3") EXIT_BLOCK("1"), "k.traceg:28:1: the file holds 1 of the 2 blocks of grid "
                                         "dim (2,1,1), expected all of them");
    refuses(HEADER("3") EXIT_BLOCK("1") EXIT_BLOCK("1"),
            "k.traceg:40:1: the block is that of line 16 again, expected each once");
    refuses(HEADER("3") EXIT_BLOCK("9"),
            "k.traceg:18:1: thread block is 9,0,0, expected one inside the grid of 2,1,1");
    refuses(HEADER("3") "#BEGIN_TB\n" EXIT_WARP("0") EXIT_WARP("1") END,
            "k.traceg:24:1: the block has 0 lines `thread block = x,y,z`, expected one");
    refuses(HEADER("3") BEGIN("0") EXIT_WARP("0") END,
            "k.traceg:24:1: the block has 1 warps, expected the 2 of its block dim");
}

TEST(damaged_blocks_are_faults_with_their_line)
{
    UNUSED_STATE;
    faults(ONE_HEADER("3") BEGIN("0") WARP("0", "2") "0000 ffffffff 0 EXIT 0 0\n" END,
           "k.traceg:24:1: an instruction line is '#END_TB', expected 1 more of warp 0");
    faults(ONE_HEADER("3") BEGIN("0") WARP("0", "1") "0000 fffffff 0 EXIT 0 0\n" END,
           "k.traceg:22:6: mask is 'fffffff', expected 8 hexadecimal digits");
    faults(ONE_HEADER("3") BEGIN("0") WARP("0", "1") "0000 ffffffff 1 X7 EXIT 0 0\n" END,
           "k.traceg:22:17: a register is 'X7', expected R0 to R255, UR0 to UR255, P0 to P7 or "
           "UP0 to UP7");
    faults(ONE_HEADER("3") BEGIN("0") WARP("1", "1") "0000 ffffffff 0 EXIT 0 0\n" END,
           "k.traceg:20:8: warp is '1', expected a decimal number from 0 to 0");
    faults(TWO_HEADER("3") BEGIN("0") WARP("0", "1") "0000 ffffffff 0 EXIT 0 0\n" WARP("0", "1")
               END,
           "k.traceg:23:1: warp 0 is in the block twice");
    faults(ONE_HEADER("3") BEGIN("0") "warp = 0\nnothing\ninsts = 1\n" END,
           "k.traceg:21:1: the line after the warp is 'nothing', expected `insts = COUNT`");
    faults(ONE_HEADER("3") BEGIN("0") WARP("0", "lots") END,
           "k.traceg:21:9: insts is 'lots', expected a decimal number from 0 to 2147483647");
    faults(TWO_HEADER("3") BEGIN("0") WARP("0", "0") "0000 ffffffff 0 EXIT 0 0\n" WARP("1", "1")
               END,
           "k.traceg:22:1: a line of the block is '0000', expected `warp = NUMBER` or #END_TB");
    faults(ONE_HEADER("3") BEGIN("0")
               WARP("0", "1") "0000 00000001 1 R1 LDG.E 1 R2 4096 1 0x8 4\n" END,
           "k.traceg:22:31: the access width is '4096', expected a decimal number from 0 to 32");
}

TEST(a_fault_leaves_the_kernel_usable)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    struct trace_kernel *k = open_text(HEADER_DIMS("3", "2,1,1", "32,1,1") BEGIN("0")
                                           WARP("0", "1") "bad\n" END BEGIN("1")
                                               WARP("0", "1") "0000 ffffffff 0 EXIT 0 0\n" END,
                                       &err);
    struct grid_source g = trace_kernel_grid(k);
    assert_int_equal(drive_block(&g, 0, NULL, NULL), UINT32_MAX);
    assert_int_equal(drive_block(&g, 1, NULL, NULL), 0);
    trace_kernel_close(k);
}

RUN_TESTS(T(headers_are_checked), T(raw_traces_are_told_from_grouped_ones),
          T(files_that_break_off_are_refused),
          T(a_file_must_hold_every_block_of_its_grid_and_every_warp_of_a_block_once),
          T(damaged_blocks_are_faults_with_their_line), T(a_fault_leaves_the_kernel_usable))

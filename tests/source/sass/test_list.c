#include "testing.h"

#include "source/sass/list.h"
#include "source/sass/trace_text.h"

static struct arena arena;
static struct err err;
static struct trace_list list;

static bool read_list(const char *text)
{
    arena_fini(&arena);
    err = ERR_INIT;
    return trace_list_read_text(&list, "traces/app/kernelslist.g", text, strlen(text), &arena,
                                &err);
}

TEST(commands_keep_their_order)
{
    UNUSED_STATE;
    assert_true(read_list("MemcpyHtoD,0x00007fc841500000,32768\n"
                          "\n"
                          "kernel-1.traceg\n"
                          "MemcpyHtoD,0x10,8\r\n"
                          "kernel-2-ctx_0x55d8.traceg.xz"));
    assert_int_equal(list.count, 4);
    assert_int_equal(list.commands[0].kind, TRACE_COPY);
    assert_int_equal(list.commands[0].address, 0x7fc841500000);
    assert_int_equal(list.commands[0].bytes, 32768);
    assert_int_equal(list.commands[1].kind, TRACE_KERNEL);
    assert_string_equal(list.commands[1].path, "traces/app/kernel-1.traceg");
    assert_int_equal(list.commands[1].at.line, 3);
    assert_int_equal(list.commands[2].bytes, 8);
    assert_string_equal(list.commands[3].path, "traces/app/kernel-2-ctx_0x55d8.traceg.xz");
}

TEST(an_empty_list_is_a_list)
{
    UNUSED_STATE;
    assert_true(read_list("\n \n"));
    assert_int_equal(list.count, 0);
}

TEST(other_commands_are_refused)
{
    UNUSED_STATE;
    assert_false(read_list("kernel-1.traceg\nlaunch kernel-2\n"));
    assert_string_equal(message_of(&err),
                        "traces/app/kernelslist.g:2:1: a command is 'launch', expected "
                        "MemcpyHtoD,0xADDRESS,BYTES or a kernel's file name");
    assert_false(read_list("MemcpyHtoD,0x10\n"));
    assert_string_equal(message_of(&err),
                        "traces/app/kernelslist.g:1:1: a copy is 'MemcpyHtoD,0x10', expected "
                        "MemcpyHtoD,0xADDRESS,BYTES");
    arena_fini(&arena);
}

TEST(a_missing_file_is_a_sentence)
{
    UNUSED_STATE;
    err = ERR_INIT;
    assert_false(trace_list_read(&list, "/nowhere/kernelslist.g", &arena, &err));
    assert_string_equal(message_of(&err), "/nowhere/kernelslist.g: cannot open the file: No such "
                                          "file or directory");
}

RUN_TESTS(T(commands_keep_their_order), T(an_empty_list_is_a_list), T(other_commands_are_refused),
          T(a_missing_file_is_a_sentence))

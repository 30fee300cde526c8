/* A table of measured launches: what is read, and what is refused with which words. */
#include "testing.h"

#include "silicon/silicon_table.h"

#include <math.h>

#define HEAD "workload,size,launch,kernel,grid,block,cycles,warp_insts,dram_rd_bytes\n"

struct bed {
    struct arena arena;
    struct silicon_table table;
    char message[1200];
};

static const char *read_text(struct bed *b, const char *text)
{
    struct err err = ERR_INIT;
    *b = (struct bed){0};
    if (!silicon_table_read_text(&b->table, "k.csv", text, strlen(text), "small", &b->arena, &err))
        err_text(&err, b->message, sizeof b->message);
    return b->message;
}

TEST(launches_have_their_extents_counters_and_programs)
{
    UNUSED_STATE;
    struct bed b;
    assert_string_equal(read_text(&b, HEAD "bfs,small,0,expand,4x2x1,16x16x1,5000.5,70,\n"
                                           "lud,small,0,diagonal,1x1x1,16x1x1,900,7,64\n"
                                           "bfs,small,3,expand,8x1x1,256x1x1,6000,80,128\n"),
                        "");
    assert_int_equal(b.table.count, 3);
    assert_int_equal(b.table.program_count, 2);
    assert_string_equal(b.table.programs[1], "lud");
    assert_int_equal(b.table.program_lines[1], 3);
    const struct silicon_launch *l = b.table.launches;
    assert_int_equal(l[0].blocks, 8);
    assert_int_equal(l[0].threads, 256);
    assert_int_equal(l[2].program, 0);
    assert_int_equal(l[2].number, 3);
    assert_true(silicon_value(&b.table, &l[0], "cycles") == 5000.5);
    assert_true(isnan(silicon_value(&b.table, &l[0], "dram_rd_bytes"))); /* empty */
    assert_true(silicon_value(&b.table, &l[2], "dram_rd_bytes") == 128);
    assert_true(isnan(silicon_value(&b.table, &l[2], "l2_rd_hits"))); /* no such column */
    arena_fini(&b.arena);
}

TEST(a_counter_of_ones_own_is_left_alone)
{
    UNUSED_STATE;
    struct bed b;
    assert_string_equal(read_text(&b,
                                  "workload,size,launch,kernel,grid,block,cycles,my_own_metric\n"
                                  "bfs,small,0,expand,4x2x1,16x16x1,5000,n/a\n"),
                        "");
    arena_fini(&b.arena);
}

TEST(broken_tables_are_refused_with_their_place)
{
    UNUSED_STATE;
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"workload,size,launch,kernel,grid,block,cycels\nbfs,small,0,e,1x1x1,1x1x1,9\n",
         "k.csv:1:1: there is no column 'cycles' (nearest: cycels)"},
        {"workload,size,launch,kernel,grid,block,cycles,warp_inst\nbfs,small,0,e,1x1x1,1x1x1,9,1\n",
         "k.csv:1:1: unknown column 'warp_inst'"},
        {HEAD "bfs,small,0,e,1x1,1x1x1,9,1,1\n",
         "k.csv:2:1: grid is 1x1, expected three numbers such as 64x1x1"},
        {HEAD "bfs,small,0,e,1x1x1,1x0x1,9,1,1\n", "block is 1x0x1"},
        {HEAD "bfs,small,0,e,4294967295x4294967295x4294967295,1x1x1,9,1,1\n", "three numbers"},
        {HEAD "bfs,small,0,e,1x1x1,1x1x1,nine,1,1\n",
         "k.csv:2:1: cycles is nine, expected a number of at least 0"},
        {HEAD "bfs,small,0,e,1x1x1,1x1x1,,1,1\n", "cycles is "},
        {HEAD "bfs,small,0,e,1x1x1,1x1x1,0,1,1\n", "cycles is 0, expected a number above 0"},
        {HEAD "bfs,small,0,e,1x1x1,1x1x1,9,-1,1\n", "warp_insts is -1"},
        {HEAD "bfs,small,0,e,1x1x1,1x1x1,9,inf,1\n", "warp_insts is inf"},
        {HEAD "bfs,small,-1,e,1x1x1,1x1x1,9,1,1\n",
         "k.csv:2:1: launch is -1, expected a whole number from 0"},
        {HEAD "bfs,large,0,e,1x1x1,1x1x1,9,1,1\n", "k.csv:2:1: size is large, expected small"},
        {HEAD "bfs,small,0,e,1x1x1,1x1x1,9,1,1\nbfs,small,0,e,1x1x1,1x1x1,9,1,1\n",
         "k.csv:3:1: launch 0 of bfs is in line 2 already"},
        {HEAD "bfs,small,0\n", "k.csv:2:1: a row has 3 fields, expected 9"},
        {HEAD, "the table has no launches"},
        {"", "the file is empty"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct bed b;
        const char *message = read_text(&b, rows[i].text);
        if (!strstr(message, rows[i].words))
            fail_msg("'%s' does not say '%s'", message, rows[i].words);
        arena_fini(&b.arena);
    }
}

RUN_TESTS(T(launches_have_their_extents_counters_and_programs),
          T(a_counter_of_ones_own_is_left_alone), T(broken_tables_are_refused_with_their_place))

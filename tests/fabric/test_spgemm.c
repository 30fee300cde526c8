/* The sparse product on a fabric: right answers, and accesses as counts (context-management spec
 * 5.E). */
#include "testing.h"

#include "machine/fabric_cluster.h"
#include "matrix/matrix.h"
#include "run/run.h"

#include <unistd.h>

static void fail_with(const struct err *err)
{
    char text[4096];
    err_text(err, text, sizeof text);
    fail_msg("%s", text);
}

struct result {
    u64 cycles, products, chunk_reads, run_reads, multi_pass_rows, elements_c;
    u64 multiply_rl1_misses, multiply_read_bytes, chunks, bank_accesses;
    u64 on_cycles; /* of elements that are not off */
    struct phase_record multiply, merge;
};

static u64 number(struct run *run, const char *name)
{
    struct err err = ERR_INIT;
    double value = 0;
    if (!stats_number(&run->sim.stats, name, &value, &err))
        fail_with(&err);
    return (u64)value;
}

/* Runs it, which compares the answer with the row-wise product. */
static struct result run_product(const char *left, const char *right, const char *set)
{
    char a[512], b[512];
    snprintf(a, sizeof a, "program.matrix=%s", left);
    snprintf(b, sizeof b, "program.right=%s", right);
    const char *const sets[] = {a, b, set};
    struct err err = ERR_INIT;
    struct run run;
    const struct run_request request = {.chip = {.chip = "fabric16",
                                                 .folders = testing_chips(),
                                                 .sets = sets,
                                                 .set_count = set ? 3 : 2},
                                        .workload = "spgemm",
                                        .engine.watchdog_cycles = 1000000,
                                        .seed = 1};
    if (!run_open(&run, &request, &err) || !run_execute(&run, &err))
        fail_with(&err);
    const struct machine *m = run.machine;
    const struct fabric *f = m->clusters[0].part;
    const struct phase_record *p = f->manager.records;
    struct result r = {.cycles = p[1].ended,
                       .products = number(&run, "program.partial_products"),
                       .chunks = number(&run, "program.chunks"),
                       .chunk_reads = number(&run, "program.chunk_element_reads"),
                       .run_reads = number(&run, "program.run_element_reads"),
                       .multi_pass_rows = number(&run, "program.multi_pass_rows"),
                       .elements_c = number(&run, "program.elements_c"),
                       .multiply_rl1_misses = p[0].numbers.rl1_misses,
                       .multiply_read_bytes = p[0].numbers.dram_read_bytes,
                       .bank_accesses = p[1].numbers.bank_accesses,
                       .multiply = p[0],
                       .merge = p[1]};
    r.on_cycles = number(&run, "tile.element_cycles") - p[0].numbers.states[ELEMENT_gated] -
                  p[1].numbers.states[ELEMENT_gated];
    run_close(&run);
    return r;
}

/* A file of the test's own. */
static const char *file_of(const char *text)
{
    static char path[2][64];
    static u32 turn;
    char *name = path[turn++ & 1];
    strcpy(name, "/tmp/heddle-spgemm-XXXXXX");
    int fd = mkstemp(name);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    return name;
}

#define BANNER "%%MatrixMarket matrix coordinate real general\n"

TEST(e1_the_identity_times_a_is_a)
{
    UNUSED_STATE;
    char text[8192] = BANNER "50 50 50\n";
    for (u32 i = 1; i <= 50; i++)
        sprintf(text + strlen(text), "%u %u 1\n", i, i);
    const char *identity = file_of(text);
    struct result r = run_product(identity, "uniform:n=50,nnz=300", NULL);
    assert_int_equal(r.products, 300);
    assert_int_equal(r.elements_c, 300);
    unlink(identity);
}

TEST(e1_an_empty_matrix_has_an_empty_product)
{
    UNUSED_STATE;
    const char *empty = file_of(BANNER "40 40 0\n");
    struct result r = run_product(empty, "uniform:n=40,nnz=100", NULL);
    assert_int_equal(r.products, 0);
    assert_int_equal(r.elements_c, 0);
    unlink(empty);
}

/* A row of 30 times a column of 30 is one element, a sum of 30: duplicates accumulate. The other
 * way round it is 900 elements. */
TEST(e1_a_dense_row_and_a_dense_column_give_one_element_or_a_full_matrix)
{
    UNUSED_STATE;
    char row[2048] = BANNER "1 30 30\n", column[2048] = BANNER "30 1 30\n";
    for (u32 i = 1; i <= 30; i++) {
        sprintf(row + strlen(row), "1 %u %u.5\n", i, i);
        sprintf(column + strlen(column), "%u 1 %u.25\n", i, i);
    }
    const char *r = file_of(row), *c = file_of(column);
    struct result one = run_product(r, c, NULL), all = run_product(c, r, NULL);
    assert_int_equal(one.products, 30);
    assert_int_equal(one.elements_c, 1);
    assert_int_equal(all.products, 900);
    assert_int_equal(all.elements_c, 900);
    unlink(r);
    unlink(c);
}

TEST(e1_products_of_generated_matrices_are_right_in_every_mode)
{
    UNUSED_STATE;
    static const char *const sets[] = {NULL,
                                       "rl2.sharing=group",
                                       "program.force=shared",
                                       "program.force=private",
                                       "program.force=bypass",
                                       "tile.count=4"};
    for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
        run_product("rmat:n=300,nnz=2000", "", sets[i]);
        run_product("grid:width=12,height=11,keep=0.7", "", sets[i]);
    }
    run_product("mesh:x=5,y=4,z=3", "", NULL);
    run_product("uniform:n=200,nnz=900", "rmat:n=200,nnz=1500,seed=9", NULL);
}

static u64 lines_spanned(u64 first, u64 end)
{
    return end > first ? (end * 12 - 1) / 64 - first * 12 / 64 + 1 : 0;
}

/* Chunks are written past the banks, so that nothing displaces a row of B. Each tile asks once for
 * each line of a column of A and of a row of B that it has, once or twice for the row's pointers,
 * and each atomic reads a sector at most. */
TEST(e2_the_multiply_fetches_each_operand_once_and_makes_every_partial_product)
{
    UNUSED_STATE;
    static const char *const specs[] = {"uniform:n=400,nnz=3000", "rmat:n=400,nnz=3000",
                                        "mesh:x=6,y=6,z=6"};
    for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
        struct matrix b, columns;
        struct err err = ERR_INIT;
        u64 products = 0, lines = 0;
        assert_true(matrix_open(&b, specs[i], NULL, &err));
        matrix_transpose(&columns, &b);
        for (u32 k = 0; k < b.rows; k++) {
            u64 left = matrix_row_length(&columns, k), right = matrix_row_length(&b, k);
            products += left * right;
            if (!left || !right)
                continue;
            assert_true(right * 12 <= 16384);
            lines += lines_spanned(columns.start[k], columns.start[k + 1]) +
                     lines_spanned(b.start[k], b.start[k + 1]) + 1 + (k % 16 == 15);
        }
        struct result r = run_product(specs[i], "", NULL);
        assert_int_equal(r.products, products);
        if (r.multiply_rl1_misses > lines)
            fail_msg("%s: %llu lines, expected at most %llu", specs[i],
                     (unsigned long long)r.multiply_rl1_misses, (unsigned long long)lines);
        assert_true(r.multiply_read_bytes <= 64 * lines + 32 * r.chunks);
        matrix_fini(&b);
        matrix_fini(&columns);
    }
}

/* A column of 300 times a row of 900: 84 times the first level is written while the row is in use.
 * The row has 10,800 bytes in 169 lines, the column 3,600 in 57, and each has a line of pointers;
 * an atomic reads a sector. */
TEST(e2_a_row_that_fits_the_first_level_is_fetched_once_whatever_is_written)
{
    UNUSED_STATE;
    static char column[8192] = BANNER "300 1 300\n", row[32768] = BANNER "1 900 900\n";
    for (u32 i = 1; i <= 300; i++)
        sprintf(column + strlen(column), "%u 1 1\n", i);
    for (u32 i = 1; i <= 900; i++)
        sprintf(row + strlen(row), "1 %u 1\n", i);
    const char *a = file_of(column), *b = file_of(row);
    struct result r = run_product(a, b, NULL);
    assert_int_equal(r.products, 270000);
    assert_int_equal(r.multiply_rl1_misses, 169 + 57 + 1);
    assert_in_range(r.multiply_read_bytes, 64 * (169 + 57 + 1), 64 * (169 + 57 + 1) + 32 * 300);
    unlink(a);
    unlink(b);
}

TEST(e3_the_merge_reads_each_product_once_while_a_list_holds_all_heads)
{
    UNUSED_STATE;
    struct result r = run_product("uniform:n=500,nnz=4000", "", NULL);
    assert_int_equal(r.chunk_reads, r.products);
    assert_int_equal(r.run_reads, 0);
    assert_int_equal(r.multi_pass_rows, 0);
}

/* Row 1 of 200 has 200 chunks of one element each, all in different columns: a pass over 128, whose
 * run of 128 is read again with the other 72. */
TEST(e3_a_row_of_more_chunks_than_heads_takes_more_passes_and_reads_more)
{
    UNUSED_STATE;
    static char row[8192] = BANNER "200 200 200\n", diagonal[8192] = BANNER "200 200 200\n";
    for (u32 i = 1; i <= 200; i++) {
        sprintf(row + strlen(row), "1 %u 2\n", i);
        sprintf(diagonal + strlen(diagonal), "%u %u %u\n", i, i, i);
    }
    const char *a = file_of(row), *b = file_of(diagonal);
    struct result r = run_product(a, b, NULL);
    assert_int_equal(r.chunk_reads, 200);
    assert_int_equal(r.multi_pass_rows, 1);
    assert_int_equal(r.run_reads, 128);
    assert_int_equal(r.elements_c, 200);
    unlink(a);
    unlink(b);
}

/* Private banks have scratchpads for the heads, shared ones have them in memory. */
TEST(e5_a_merge_in_shared_banks_is_slower_or_keeps_more_elements_on)
{
    UNUSED_STATE;
    struct result own = run_product("rmat:n=600,nnz=5000", "", NULL);
    struct result forced = run_product("rmat:n=600,nnz=5000", "", "program.force=shared");
    assert_true(own.bank_accesses > 0);
    assert_int_equal(forced.bank_accesses, 0);
    assert_true(forced.cycles > own.cycles || forced.on_cycles > own.on_cycles);
}

/* Half of the elements are off, and each pair's 2 kB have one port and 8 MSHRs. The merge has the
 * banks that it asks for; it begins without a change of mode. */
TEST(e5_a_multiply_in_private_banks_is_slower_or_keeps_more_elements_on)
{
    UNUSED_STATE;
    struct result own = run_product("rmat:n=600,nnz=5000", "", NULL);
    struct result forced = run_product("rmat:n=600,nnz=5000", "", "program.force=private");
    assert_true(forced.multiply.cycles > own.multiply.cycles);
    assert_int_equal(forced.merge.switch_cycles, 0);
    assert_true(forced.cycles > own.cycles || forced.on_cycles > own.on_cycles);
}

/* Latency of memory, unloaded (test_tile.c). */
#define MEMORY_CYCLES 120u

/* 1024 parts of one product on 16 elements: 64 each, whose operands, then row and list head take a
 * latency of memory. One part after the other would be 64 x 2 of them; several are under way,
 * beside which the chunks are written. */
TEST(the_multiply_has_several_parts_under_way)
{
    UNUSED_STATE;
    static char text[32768] = BANNER "1024 1024 1024\n";
    for (u32 i = 1; i <= 1024; i++)
        sprintf(text + strlen(text), "%u %u 1\n", i, i);
    const char *identity = file_of(text);
    struct result r = run_product(identity, "", "tile.count=1");
    assert_true(r.multiply.work_cycles < 64 * 2 * MEMORY_CYCLES * 2 / 3);
    unlink(identity);
}

/* 1024 rows of two chunks of ten products, 256 rows for each of four pairs. A row's head and its
 * two chunks, one after the other, take 3 latencies, and its further lines 4 or more. */
TEST(the_merge_follows_lists_of_several_rows_at_once)
{
    UNUSED_STATE;
    static char text[65536] = BANNER "1024 1024 2048\n", tens[262144] = BANNER "1024 1040 10240\n";
    char *a_end = text + strlen(text), *b_end = tens + strlen(tens);
    for (u32 i = 1; i <= 1024; i++) {
        a_end += sprintf(a_end, "%u %u 1\n%u %u 2\n", i, i, i, (i + 511) % 1024 + 1);
        for (u32 k = 0; k < 10; k++)
            b_end += sprintf(b_end, "%u %u 1\n", i, i + k);
    }
    const char *a = file_of(text), *b = file_of(tens);
    struct result r = run_product(a, b, "tile.count=1");
    assert_int_equal(r.products, 20480);
    assert_true(r.merge.work_cycles < 256 * 4 * MEMORY_CYCLES);
    unlink(a);
    unlink(b);
}

/* One row of four chunks of 128 products, columns in turn: 24 lines each. A merge that waits for
 * each line when it comes to it waits for 96 latencies, beside its own cycles. With sharing group
 * the second level does not keep what the multiply wrote. */
TEST(the_merge_asks_for_successors_ahead)
{
    UNUSED_STATE;
    static char text[16384] = BANNER "4 512 512\n";
    for (u32 j = 1; j <= 4; j++) {
        for (u32 i = 0; i < 128; i++)
            sprintf(text + strlen(text), "%u %u 1\n", j, 4 * i + j);
    }
    const char *a = file_of(BANNER "1 4 4\n1 1 1\n1 2 1\n1 3 1\n1 4 1\n"), *b = file_of(text);
    struct result r = run_product(a, b, "rl2.sharing=group");
    assert_int_equal(r.elements_c, 512);
    assert_true(r.merge.work_cycles < 96 * MEMORY_CYCLES);
    unlink(a);
    unlink(b);
}

/* One row of 40 chunks of 32 products, columns in turn: each successor goes behind the 39 other
 * heads. That takes 1 + 2 cycles to take the smallest, 1 for its successor, 39 + 2 accesses and 40
 * comparisons to insert it, 1 to store the sum, and 2 to ask for the next: 88. With room for 16
 * successors, 24 of 40 would wait for memory if a head kept its place; those that leave next have
 * the places. Following the list and sorting its heads take 40 latencies and 40 * 40 * 2 / 2
 * cycles. */
TEST(a_list_longer_than_the_room_for_successors_asks_for_those_of_its_front)
{
    UNUSED_STATE;
    enum { CHUNKS = 40, PRODUCTS = 1280 };
    static char row[2048] = BANNER "1 40 40\n", text[32768] = BANNER "40 1280 1280\n";
    for (u32 j = 1; j <= CHUNKS; j++) {
        sprintf(row + strlen(row), "1 %u 1\n", j);
        for (u32 i = 0; i < PRODUCTS / CHUNKS; i++)
            sprintf(text + strlen(text), "%u %u 1\n", j, CHUNKS * i + j);
    }
    const char *a = file_of(row), *b = file_of(text);
    struct result r = run_product(a, b, "tile.scratchpad_bytes=256");
    u64 sorted = PRODUCTS * 88, begun = CHUNKS * MEMORY_CYCLES + CHUNKS * CHUNKS;
    u64 waits = PRODUCTS * 24 / 40 * MEMORY_CYCLES;
    assert_int_equal(r.elements_c, PRODUCTS);
    assert_int_equal(r.run_reads, 0);
    assert_in_range(r.merge.work_cycles, sorted - 88 * CHUNKS, sorted + begun + waits / 8);
    unlink(a);
    unlink(b);
}

/* Rows 1 and 5 of 40 chunks, 112,640 cycles each (above), and three of one product between them, on
 * four pairs: the fifth row goes to a pair that is free, not behind the first. */
TEST(no_row_waits_behind_a_long_one_while_a_pair_is_free)
{
    UNUSED_STATE;
    enum { CHUNKS = 40, PRODUCTS = 1280 };
    static char rows[8192] = BANNER "5 41 83\n", text[32768] = BANNER "41 1280 1281\n";
    for (u32 j = 1; j <= CHUNKS; j++) {
        sprintf(rows + strlen(rows), "1 %u 1\n5 %u 1\n", j, j);
        for (u32 i = 0; i < PRODUCTS / CHUNKS; i++)
            sprintf(text + strlen(text), "%u %u 1\n", j, CHUNKS * i + j);
    }
    strcat(rows, "2 41 1\n3 41 1\n4 41 1\n");
    strcat(text, "41 1 1\n");
    const char *a = file_of(rows), *b = file_of(text);
    struct result r = run_product(a, b, "tile.count=1");
    assert_int_equal(r.elements_c, 2 * PRODUCTS + 3);
    assert_in_range(r.merge.work_cycles, PRODUCTS * 80, PRODUCTS * 88 * 3 / 2);
    unlink(a);
    unlink(b);
}

TEST(two_runs_are_the_same_with_and_without_skipping)
{
    UNUSED_STATE;
    u64 cycles[2];
    for (u32 i = 0; i < 2; i++) {
        const char *const sets[] = {"program.matrix=rmat:n=300,nnz=2000"};
        struct err err = ERR_INIT;
        struct run run;
        const struct run_request request = {
            .chip = {.chip = "fabric16", .folders = testing_chips(), .sets = sets, .set_count = 1},
            .workload = "spgemm",
            .engine.no_skip = i == 1,
            .seed = 1};
        if (!run_open(&run, &request, &err) || !run_execute(&run, &err))
            fail_with(&err);
        cycles[i] = engine_cycle(&run.sim.engine, 0);
        run_close(&run);
    }
    assert_int_equal(cycles[0], cycles[1]);
}

TEST(what_a_fabric_cannot_be_or_run_is_said)
{
    UNUSED_STATE;
    static const char *const sets[] = {"rl1.banks=4", "program.matrix=uniform:n=10",
                                       "program.right=uniform:n=7,nnz=3", "rl2.banks=3",
                                       "tile.elements=6"};
    static const char *const sentences[] = {
        "in private mode each of 4 pairs has a cache and a scratchpad", "nnz is missing",
        "the left matrix has 1000 columns and the right one 7 rows", "expected a power of two",
        "expected a multiple of 4"};
    for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
        struct err err = ERR_INIT;
        struct run run;
        char text[4096];
        const struct run_request request = {.chip = {.chip = "fabric16",
                                                     .folders = testing_chips(),
                                                     .sets = &sets[i],
                                                     .set_count = 1},
                                            .workload = "spgemm",
                                            .seed = 1};
        assert_false(run_open(&run, &request, &err));
        err_text(&err, text, sizeof text);
        if (err.kind != ERR_INPUT || !strstr(text, sentences[i]))
            fail_msg("'%s', expected '%s'", text, sentences[i]);
        run_close(&run);
    }
}

RUN_TESTS(T(e1_the_identity_times_a_is_a), T(e1_an_empty_matrix_has_an_empty_product),
          T(e1_a_dense_row_and_a_dense_column_give_one_element_or_a_full_matrix),
          T(e1_products_of_generated_matrices_are_right_in_every_mode),
          T(e2_the_multiply_fetches_each_operand_once_and_makes_every_partial_product),
          T(e2_a_row_that_fits_the_first_level_is_fetched_once_whatever_is_written),
          T(e3_the_merge_reads_each_product_once_while_a_list_holds_all_heads),
          T(e3_a_row_of_more_chunks_than_heads_takes_more_passes_and_reads_more),
          T(e5_a_merge_in_shared_banks_is_slower_or_keeps_more_elements_on),
          T(e5_a_multiply_in_private_banks_is_slower_or_keeps_more_elements_on),
          T(the_multiply_has_several_parts_under_way),
          T(the_merge_follows_lists_of_several_rows_at_once),
          T(the_merge_asks_for_successors_ahead),
          T(a_list_longer_than_the_room_for_successors_asks_for_those_of_its_front),
          T(no_row_waits_behind_a_long_one_while_a_pair_is_free),
          T(two_runs_are_the_same_with_and_without_skipping),
          T(what_a_fabric_cannot_be_or_run_is_said))

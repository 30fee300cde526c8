/* ChampSim's records, made here byte by byte as its struct says, and written by us. */
#include "testing.h"

#include "cpu_trace/champsim.h"

#include <unistd.h>

static char path[64];

static void put_at(u8 *record, u32 at, u64 value, u32 bytes)
{
    for (u32 i = 0; i < bytes; i++)
        record[at + i] = (u8)(value >> 8 * i);
}

/* ip @0, is_branch @8, taken @9, destinations @10 (2), sources @12 (4), writes @16 (2), reads @32
 */
struct row {
    u64 ip;
    u8 is_branch, taken, destinations[2], sources[4];
    u64 writes[2], reads[4];
};

static void write_rows(const struct row *rows, u32 count, size_t cut)
{
    snprintf(path, sizeof path, "/dev/shm/test-champsim-%d", (int)getpid());
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    for (u32 n = 0; n < count; n++) {
        u8 record[64] = {0};
        const struct row *r = &rows[n];
        put_at(record, 0, r->ip, 8);
        record[8] = r->is_branch;
        record[9] = r->taken;
        memcpy(record + 10, r->destinations, 2);
        memcpy(record + 12, r->sources, 4);
        for (u32 i = 0; i < 2; i++)
            put_at(record, 16 + 8 * i, r->writes[i], 8);
        for (u32 i = 0; i < 4; i++)
            put_at(record, 32 + 8 * i, r->reads[i], 8);
        fwrite(record, 1, n + 1 == count ? 64 - cut : 64, f);
    }
    fclose(f);
}

static struct cpu_stream stream;

static void open_rows(const struct row *rows, u32 count)
{
    struct err err = ERR_INIT;
    write_rows(rows, count, 0);
    cpu_stream_close(&stream);
    assert_true(champsim_stream(&stream, path, CHAMPSIM_STANDARD, &err));
}

static struct cpu_instruction take(void)
{
    const struct cpu_instruction *i = cpu_stream_peek(&stream);
    assert_non_null(i);
    struct cpu_instruction copy = *i;
    cpu_stream_skip(&stream);
    return copy;
}

enum { SP = 6, FLAGS = 25, IP = 26 };

static const struct row program[] = {
    {0x100, 0, 0, {10}, {7, 8}, {0}, {0x5000}},           /* load */
    {0x104, 0, 0, {0}, {10}, {0x6000}, {0}},              /* store */
    {0x107, 1, 1, {IP}, {IP, FLAGS}, {0}, {0}},           /* conditional, taken to 0x200 */
    {0x200, 1, 1, {SP, IP}, {SP, IP}, {0x7ff8}, {0}},     /* call to 0x300 */
    {0x300, 1, 1, {SP, IP}, {SP}, {0}, {0x7ff8}},         /* return to 0x205 */
    {0x205, 1, 1, {IP}, {IP}, {0}, {0}},                  /* jump to 0x107 */
    {0x107, 1, 0, {IP}, {IP, FLAGS}, {0}, {0}},           /* conditional, not taken */
    {0x109, 1, 1, {IP}, {11}, {0}, {0}},                  /* indirect jump to 0x400 */
    {0x400, 1, 1, {SP, IP}, {SP, IP, 11}, {0x7ff8}, {0}}, /* indirect call to 0x500 */
    {0x500, 0, 0, {9, FLAGS}, {9, 10}, {0x80}, {0x80}},   /* reads and writes memory */
};

TEST(kinds_of_branches_follow_from_their_registers)
{
    UNUSED_STATE;
    static const struct {
        u8 class, branch;
        bool taken;
        u64 target;
    } expected[] = {
        {CPU_LOAD, CPU_NO_BRANCH, false, 0},          {CPU_STORE, CPU_NO_BRANCH, false, 0},
        {CPU_BRANCH, CPU_CONDITIONAL, true, 0x200},   {CPU_BRANCH, CPU_CALL, true, 0x300},
        {CPU_BRANCH, CPU_RETURN, true, 0x205},        {CPU_BRANCH, CPU_JUMP, true, 0x107},
        {CPU_BRANCH, CPU_CONDITIONAL, false, 0x200}, /* learnt when it was taken */
        {CPU_BRANCH, CPU_INDIRECT_JUMP, true, 0x400}, {CPU_BRANCH, CPU_INDIRECT_CALL, true, 0x500},
        {CPU_ALU, CPU_NO_BRANCH, false, 0},
    };
    open_rows(program, ARRAY_LEN(program));
    assert_int_equal(stream.length, ARRAY_LEN(program));
    for (u32 i = 0; i < ARRAY_LEN(program); i++) {
        struct cpu_instruction n = take();
        assert_int_equal(n.pc, program[i].ip);
        assert_int_equal(n.class, expected[i].class);
        assert_int_equal(n.branch, expected[i].branch);
        assert_int_equal(n.taken, expected[i].taken);
        assert_int_equal(n.target, expected[i].target);
    }
    assert_null(cpu_stream_peek(&stream));
    unlink(path);
}

TEST(registers_addresses_and_lengths_are_read)
{
    UNUSED_STATE;
    open_rows(program, ARRAY_LEN(program));
    struct cpu_instruction i = take();
    assert_int_equal(i.length, 4);
    assert_int_equal(i.source_count, 2);
    assert_int_equal(i.sources[1], 8);
    assert_int_equal(i.destinations[0], 10);
    assert_int_equal(i.read_count, 1);
    assert_int_equal(i.read[0], 0x5000);
    i = take();
    assert_int_equal(i.write_count, 1);
    assert_int_equal(i.write[0], 0x6000);
    i = take(); /* the instruction pointer is no register */
    assert_int_equal(i.source_count, 1);
    assert_int_equal(i.destination_count, 0);
    assert_int_equal(i.length, 0); /* not yet known */
    for (u32 n = 0; n < 4; n++)
        i = take();
    assert_int_equal(i.length, 2);
    unlink(path);
}

TEST(what_was_written_is_read_again_in_any_packing)
{
    UNUSED_STATE;
    static const char *const endings[] = {"", ".xz", ".gz"};
    struct err err = ERR_INIT;
    for (u32 e = 0; e < ARRAY_LEN(endings); e++) {
        char out[96];
        open_rows(program, ARRAY_LEN(program));
        snprintf(out, sizeof out, "%s-out%s", path, endings[e]);
        struct champsim_writer *w = champsim_create(out, &err);
        assert_non_null(w);
        /* many, so that pieces end within records */
        for (u32 n = 0; n < 3000; n++) {
            for (u32 i = 0; i < ARRAY_LEN(program); i++) {
                struct cpu_instruction k = take();
                champsim_put(w, &k);
            }
            assert_true(cpu_stream_restart(&stream, &err));
        }
        assert_true(champsim_finish(w, &err));
        struct cpu_stream again;
        assert_true(champsim_stream(&again, out, CHAMPSIM_STANDARD, &err));
        for (u32 n = 0; n < 3000; n++) {
            for (u32 i = 0; i < ARRAY_LEN(program); i++, cpu_stream_skip(&again)) {
                const struct cpu_instruction *k = cpu_stream_peek(&again);
                assert_non_null(k);
                assert_int_equal(k->pc, program[i].ip);
                assert_int_equal(k->taken, program[i].taken);
                assert_int_equal(k->read[0], program[i].reads[0]);
                assert_int_equal(k->write[0], program[i].writes[0]);
            }
        }
        assert_null(cpu_stream_peek(&again));
        assert_true(cpu_stream_check(&again, &err));
        cpu_stream_close(&again);
        unlink(out);
    }
    unlink(path);
}

/* 6 loads: 4 and 2; 3 stores: 2 and 1 */
TEST(a_gather_and_a_scatter_become_as_many_records_as_their_addresses_need)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    struct cpu_vector v = {.count = 6, .active_lanes = 6, .lanes = 16, .element_bytes = 4};
    struct cpu_instruction i = {.pc = 0x40, .class = CPU_LOAD, .vector = &v};
    for (u32 k = 0; k < 6; k++)
        v.address[k] = 0x1000 * (k + 1);
    snprintf(path, sizeof path, "/dev/shm/test-champsim-%d", (int)getpid());
    struct champsim_writer *w = champsim_create(path, &err);
    champsim_put(w, &i);
    v.is_scatter = true;
    v.count = 3;
    champsim_put(w, &i);
    assert_true(champsim_finish(w, &err));
    cpu_stream_close(&stream);
    assert_true(champsim_stream(&stream, path, CHAMPSIM_STANDARD, &err));
    static const u32 reads[] = {4, 2, 0, 0}, writes[] = {0, 0, 2, 1};
    u64 next = 0x1000;
    for (u32 n = 0; n < 4; n++, cpu_stream_skip(&stream)) {
        const struct cpu_instruction *k = cpu_stream_peek(&stream);
        assert_int_equal(k->pc, 0x40);
        assert_int_equal(k->read_count, reads[n]);
        assert_int_equal(k->write_count, writes[n]);
        next = n == 2 ? 0x1000 : next;
        for (u32 a = 0; a < reads[n] + writes[n]; a++, next += 0x1000)
            assert_int_equal(n < 2 ? k->read[a] : k->write[a], next);
    }
    assert_null(cpu_stream_peek(&stream));
    unlink(path);
}

static void fails_with(const char *message)
{
    struct err err = ERR_INIT;
    cpu_stream_close(&stream);
    assert_true(champsim_stream(&stream, path, CHAMPSIM_STANDARD, &err));
    while (cpu_stream_peek(&stream))
        cpu_stream_skip(&stream);
    assert_false(cpu_stream_check(&stream, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_string_equal(err.what, message);
    unlink(path);
}

TEST(a_record_that_breaks_off_and_one_that_is_none_are_refused)
{
    UNUSED_STATE;
    write_rows(program, ARRAY_LEN(program), 1);
    fails_with("the trace ends within record 9 of 64 bytes");
    struct row other = {0x100, 7, 1, {0}, {0}, {0}, {0}};
    write_rows(&other, 1, 0);
    fails_with("record 0 says 7 for is_branch and 1 for branch_taken, expected 0 or 1: this is not "
               "a ChampSim trace, or one of CloudSuite (cloudsuite:FILE)");
}

TEST(records_of_cloudsuite_are_read)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    u8 record[96] = {0};
    /* destinations @10 (4), sources @14 (4), writes @24 (4), reads @56 (4) */
    put_at(record, 0, 0x1234, 8);
    record[13] = 9;
    record[17] = 11;
    put_at(record, 24 + 8, 0x777, 8);
    put_at(record, 56 + 24, 0x888, 8);
    snprintf(path, sizeof path, "/dev/shm/test-champsim-%d", (int)getpid());
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fwrite(record, 1, sizeof record, f);
    fclose(f);
    cpu_stream_close(&stream);
    assert_true(champsim_stream(&stream, path, CHAMPSIM_CLOUDSUITE, &err));
    struct cpu_instruction i = take();
    assert_int_equal(i.pc, 0x1234);
    assert_int_equal(i.destinations[0], 9);
    assert_int_equal(i.sources[0], 11);
    assert_int_equal(i.write[0], 0x777);
    assert_int_equal(i.read[0], 0x888);
    cpu_stream_close(&stream);
    unlink(path);
}

RUN_TESTS(T(kinds_of_branches_follow_from_their_registers),
          T(registers_addresses_and_lengths_are_read),
          T(what_was_written_is_read_again_in_any_packing),
          T(a_gather_and_a_scatter_become_as_many_records_as_their_addresses_need),
          T(a_record_that_breaks_off_and_one_that_is_none_are_refused),
          T(records_of_cloudsuite_are_read))

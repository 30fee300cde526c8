/* The file: whole or not there, its events, damage, and how much memory recording takes. */
#include "source/recording/record_bed.h"

#include "source/synthetic/scripted.h"

static const struct scripted_instruction code[] = {
    {.unit = UNIT_INT, .dst = 1},
    {.kind = WINST_LOAD,
     .unit = UNIT_MEMORY,
     .dst = 3,
     .space = SPACE_GLOBAL,
     .bytes = 4,
     .base = 0x7f0000000000,
     .lane_stride = 4,
     .warp_stride = 128,
     .iteration_stride = 12345},
    {.kind = WINST_BARRIER, .unit = UNIT_BRANCH},
    {.unit = UNIT_FP32, .dst = 1, .mask = 0xffff},
};

static struct grid_source script(struct arena *arena, u64 blocks, u32 iterations)
{
    struct scripted_kernel k = {.code = code,
                                .count = ARRAY_LEN(code),
                                .iterations = iterations,
                                .blocks = blocks,
                                .threads_per_block = 128};
    return scripted_source(&k, arena);
}

/* ---- whole or not there ---------------------------------------------------------------------- */

TEST(the_file_appears_when_the_recorder_is_closed)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct grid_source g = script(&arena, 3, 2), wrapped;
    struct recorder *r = recorder_open(record_path(), &err);
    recorder_kernel(r, &g, &wrapped);
    drive(&wrapped, NULL, 1, false);
    assert_true(recorder_kernel_done(r, &wrapped, &err));
    assert_int_not_equal(access(record_path(), F_OK), 0);
    assert_true(recorder_close(r, &err));
    assert_int_equal(access(record_path(), F_OK), 0);
    unlink(record_path());
    arena_fini(&arena);
}

TEST(a_kernel_that_is_not_done_leaves_no_file)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct grid_source g = script(&arena, 3, 2), wrapped;
    struct recorder *r = recorder_open(record_path(), &err);
    recorder_kernel(r, &g, &wrapped);
    assert_false(recorder_close(r, &err));
    assert_string_equal(err.what,
                        "the run ended while kernel script was running, nothing is recorded");
    assert_int_not_equal(access(record_path(), F_OK), 0);
    arena_fini(&arena);
}

static bool step_fails(void *block, u32 warp, struct winst *out)
{
    (void)block;
    (void)warp;
    (void)out;
    return false;
}

TEST(a_kernel_that_faults_leaves_no_file)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct grid_source g = script(&arena, 1, 1), wrapped;
    struct source_ops failing = *g.ops;
    failing.step = step_fails;
    g.ops = &failing;
    struct recorder *r = recorder_open(record_path(), &err);
    recorder_kernel(r, &g, &wrapped);
    struct winst w;
    void *block = wrapped.ops->block_begin(wrapped.self, 0, &(struct sm_place){.sm = 0});
    assert_false(wrapped.ops->step(block, 0, &w));
    assert_false(recorder_close(r, &err));
    assert_string_equal(err.what, "kernel script cannot be recorded: it failed");
    assert_int_not_equal(access(record_path(), F_OK), 0);
    arena_fini(&arena);
}

TEST(a_file_that_cannot_be_written_is_refused_at_once)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    assert_null(recorder_open("/no/such/folder/run", &err));
    assert_string_equal(err.what, "cannot write the file: No such file or directory");
}

/* ---- events ---------------------------------------------------------------------------------- */

TEST(launches_ends_and_copies_come_back_in_their_order)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct grid_source a = script(&arena, 2, 1), b = script(&arena, 4, 1), in_a, in_b, out;
    struct recorder *r = recorder_open(record_path(), &err);
    recorder_copy(r, 0, 1000);
    recorder_kernel(r, &a, &in_a);
    recorder_kernel(r, &b, &in_b);
    drive(&in_a, NULL, 1, false);
    drive(&in_b, NULL, 1, true);
    assert_true(recorder_kernel_done(r, &in_b, &err));
    assert_true(recorder_kernel_done(r, &in_a, &err));
    recorder_copy(r, 0x7000, 300);
    assert_true(recorder_close(r, &err));

    static const struct record_event expected[] = {
        {EVENT_COPY, 0, 1000, 0},        {EVENT_LAUNCH, 0, 0, 0}, {EVENT_LAUNCH, 1, 0, 0},
        {EVENT_DONE, 1, 0, 0},           {EVENT_DONE, 0, 0, 0},   {EVENT_COPY, 2, 300, 0},
        {EVENT_COPY_TO, 2, 300, 0x7000},
    };
    struct recording *p = recording_open(record_path(), &err);
    assert_non_null(p);
    assert_int_equal(recording_launch_count(p), 2);
    assert_int_equal(recording_event_count(p), ARRAY_LEN(expected));
    for (u32 i = 0; i < ARRAY_LEN(expected); i++) {
        struct record_event e = recording_event(p, i);
        assert_int_equal(e.kind, expected[i].kind);
        assert_int_equal(e.launch, expected[i].launch);
        assert_int_equal(e.bytes, expected[i].bytes);
        assert_int_equal(e.to, expected[i].to);
    }
    assert_true(recording_kernel(p, 1, &arena, &out, &err));
    assert_int_equal(out.blocks, 4);
    drive(&b, &out, 7, false);
    recording_close(p);
    unlink(record_path());
    arena_fini(&arena);
}

/* ---- damage ---------------------------------------------------------------------------------- */

static size_t read_file(u8 *data, size_t room)
{
    FILE *f = fopen(record_path(), "rb");
    size_t n = fread(data, 1, room, f);
    fclose(f);
    assert_true(n < room);
    return n;
}

static void write_file(const u8 *data, size_t count)
{
    FILE *f = fopen(record_path(), "wb");
    assert_int_equal(fwrite(data, 1, count, f), count);
    fclose(f);
}

/* False: a step failed. */
static bool run_all(const struct grid_source *g)
{
    bool ok = true;
    for (u64 id = 0; ok && id < g->blocks; id++) {
        void *b = g->ops->block_begin(g->self, id, &(struct sm_place){.sm = 0});
        for (bool moved = true; ok && moved;) {
            moved = false;
            for (u32 w = 0; ok && w < g->warps_per_block; w++) {
                const struct instruction *next;
                struct winst x;
                if (g->ops->next(b, w, &next) != NEXT_READY)
                    continue;
                ok = g->ops->step(b, w, &x);
                moved = true;
            }
        }
        g->ops->block_end(g->self, b);
    }
    return ok;
}

/* Whether the file is read to its end; if not, there is a sentence. */
static bool is_read(struct err *err)
{
    struct arena arena = {0};
    struct grid_source g;
    *err = ERR_INIT;
    struct recording *p = recording_open(record_path(), err);
    bool ok = p && recording_launch_count(p) == 1 && recording_kernel(p, 0, &arena, &g, err);
    if (ok && !run_all(&g)) {
        g.ops->fault(g.self, err);
        ok = false;
    }
    if (!ok) {
        assert_int_equal(err->kind, ERR_INPUT);
        assert_true(err->what[0]);
    }
    recording_close(p);
    arena_fini(&arena);
    return ok;
}

static u8 whole[65536];
static size_t whole_bytes;

static void record_whole(void)
{
    struct arena arena = {0};
    struct grid_source g = script(&arena, 3, 4);
    record_one(&g, 1);
    whole_bytes = read_file(whole, sizeof whole);
    arena_fini(&arena);
}

TEST(a_file_that_breaks_off_anywhere_is_refused)
{
    UNUSED_STATE;
    struct err err;
    record_whole();
    for (size_t n = 0; n < whole_bytes; n++) {
        write_file(whole, n);
        assert_false(is_read(&err));
    }
    write_file(whole, 5);
    assert_false(is_read(&err));
    assert_string_equal(err.what, "the file has 5 bytes, expected a recording");
    write_file(whole, whole_bytes - 1);
    assert_false(is_read(&err));
    assert_string_equal(err.what, "the recording is truncated: it does not end with HEDDLEND");
    unlink(record_path());
}

/* The text of heddle's own version is the only thing that is not checked. */
TEST(a_byte_that_was_changed_anywhere_is_found)
{
    UNUSED_STATE;
    struct err err;
    u8 data[sizeof whole];
    record_whole();
    size_t version_start = CONTAINER_MAGIC_BYTES + 5, version_end = version_start + whole[12];
    for (size_t n = 0; n < whole_bytes; n++) {
        if (n >= version_start && n < version_end)
            continue;
        memcpy(data, whole, whole_bytes);
        data[n] ^= 0x55;
        write_file(data, whole_bytes);
        assert_false(is_read(&err));
    }
    unlink(record_path());
}

TEST(other_files_and_versions_are_refused_with_what_was_found)
{
    UNUSED_STATE;
    struct err err;
    record_whole();
    whole[CONTAINER_MAGIC_BYTES] = 9;
    write_file(whole, whole_bytes);
    assert_false(is_read(&err));
    assert_string_equal(err.what, "the recording is of version 9, expected 1");
    write_file((const u8 *)".version 8.5 .target sm_90", 26);
    assert_false(is_read(&err));
    assert_string_equal(err.what, "the file does not start with HEDDLEWS, expected a recording");
    unlink(record_path());
    assert_false(is_read(&err));
    assert_string_equal(err.what, "cannot read the recording: No such file or directory");
}

/* ---- memory ---------------------------------------------------------------------------------- */

static u64 held_after(u64 blocks)
{
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct grid_source g = script(&arena, blocks, 50), wrapped;
    struct recorder *r = recorder_open(record_path(), &err);
    recorder_kernel(r, &g, &wrapped);
    drive(&wrapped, NULL, 1, false);
    u64 held = recorder_counts(r).held_bytes;
    recorder_discard(r);
    arena_fini(&arena);
    assert_int_not_equal(access(record_path(), F_OK), 0);
    return held;
}

TEST(only_blocks_that_are_under_way_are_kept_in_memory)
{
    UNUSED_STATE;
    assert_int_equal(held_after(1000), held_after(50));
}

RUN_TESTS(T(the_file_appears_when_the_recorder_is_closed),
          T(a_kernel_that_is_not_done_leaves_no_file), T(a_kernel_that_faults_leaves_no_file),
          T(a_file_that_cannot_be_written_is_refused_at_once),
          T(launches_ends_and_copies_come_back_in_their_order),
          T(a_file_that_breaks_off_anywhere_is_refused),
          T(a_byte_that_was_changed_anywhere_is_found),
          T(other_files_and_versions_are_refused_with_what_was_found),
          T(only_blocks_that_are_under_way_are_kept_in_memory))

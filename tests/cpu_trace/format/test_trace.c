/* What a writer was given is what readers deliver; what was damaged is refused. */
#include "testing.h"

#include "base/arena.h"
#include "base/rng.h"
#include "cpu_trace/kernel.h"
#include "cpu_trace/format/reader.h"

#include <unistd.h>

static char path[64];

static const struct cpu_trace_about about = {
    .program = "ls",
    .arguments = (const char *const[]){"-l", "a b"},
    .argument_count = 2,
    .sha256 = "0123",
    .machine = "x86_64",
    .origin = "a test",
    .skipped = 77,
    .asked = 1000,
};

static struct cpu_trace_writer *create(void)
{
    struct err err = ERR_INIT;
    snprintf(path, sizeof path, "/dev/shm/test-cpu-trace-%d", (int)getpid());
    struct cpu_trace_writer *w = cpu_trace_create(path, &err);
    assert_non_null(w);
    return w;
}

static void finish(struct cpu_trace_writer *w)
{
    struct err err = ERR_INIT;
    assert_true(cpu_trace_finish(w, &about, &err));
}

static void open_stream(struct cpu_stream *s, const char *name, u32 thread, bool events)
{
    struct err err = ERR_INIT;
    struct cpu_stream_request request = {.name = name, .thread = thread, .events = events};
    if (!cpu_stream_open(s, &request, &err))
        fail_msg("%s: %s", name, err.what);
}

static void same(const struct cpu_instruction *a, const struct cpu_instruction *b)
{
    assert_int_equal(a->pc, b->pc);
    assert_int_equal(a->target, b->target);
    assert_int_equal(a->taken, b->taken);
    assert_int_equal(a->thread, b->thread);
    assert_memory_equal(a, b, sizeof *a);
}

/* Threads of a kernel into a file, instruction by instruction in turn. */
static void write_kernel(const char *name, u32 threads)
{
    struct cpu_trace_writer *w = create();
    struct cpu_stream streams[4];
    for (u32 t = 0; t < threads; t++)
        open_stream(&streams[t], name, t, false);
    for (u32 left = threads; left;) {
        left = 0;
        for (u32 t = 0; t < threads; t++) {
            const struct cpu_instruction *i = cpu_stream_peek(&streams[t]);
            if (!i)
                continue;
            cpu_trace_put(w, t, i);
            cpu_stream_skip(&streams[t]);
            left++;
        }
    }
    finish(w);
    for (u32 t = 0; t < threads; t++)
        cpu_stream_close(&streams[t]);
}

static void compare(struct cpu_stream *a, struct cpu_stream *b)
{
    const struct cpu_instruction *i, *k;
    for (; (i = cpu_stream_peek(a)); cpu_stream_skip(a), cpu_stream_skip(b)) {
        k = cpu_stream_peek(b);
        assert_non_null(k);
        same(i, k);
    }
    assert_null(cpu_stream_peek(b));
    assert_int_equal(b->err.kind, ERR_NONE);
}

TEST(every_kernel_comes_back_as_it_was)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    for (const struct cpu_kernel_row *row = cpu_kernel_rows; row->name; row++) {
        char name[96];
        struct cpu_stream given, read;
        snprintf(name, sizeof name, "cpu:%s,length=20000,threads=3", row->name);
        write_kernel(name, 3);
        for (u32 t = 0; t < 3; t++) {
            open_stream(&given, name, t, false);
            open_stream(&read, path, t, false);
            assert_int_equal(read.length, 20000);
            assert_int_equal(read.thread_count, 3);
            compare(&given, &read);
            assert_true(cpu_stream_restart(&given, &err));
            assert_true(cpu_stream_restart(&read, &err));
            compare(&given, &read);
            cpu_stream_close(&given);
            cpu_stream_close(&read);
        }
    }
    unlink(path);
}

TEST(a_seek_finds_its_place_in_any_block)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    struct cpu_stream given, read;
    /* random addresses fill blocks of 4 MiB; 1 Mi items do too */
    const char *name = "cpu:random,length=2500000,footprint_bytes=1GiB";
    write_kernel(name, 1);
    open_stream(&given, name, 0, false);
    open_stream(&read, path, 0, false);
    static const u64 positions[] = {2400000, 0, 1, 255, 1048575, 1048576, 1048577, 2499999};
    for (u32 p = 0; p < ARRAY_LEN(positions); p++) {
        assert_true(cpu_stream_seek(&given, positions[p], &err));
        assert_true(cpu_stream_seek(&read, positions[p], &err));
        for (u32 n = 0; n < 300 && cpu_stream_peek(&given); n++) {
            same(cpu_stream_peek(&given), cpu_stream_peek(&read));
            cpu_stream_skip(&given);
            cpu_stream_skip(&read);
        }
    }
    assert_true(cpu_stream_seek(&read, 2500000, &err));
    assert_null(cpu_stream_peek(&read));
    cpu_stream_close(&given);
    cpu_stream_close(&read);
    unlink(path);
}

/* Anything that an instruction can be, from random numbers; few pcs, so that they meet again. */
static struct cpu_instruction any_instruction(struct rng *r)
{
    struct cpu_instruction i = {.pc = 0x1000 + rng_below(r, 40)};
    i.length = (u8)rng_below(r, 16);
    i.class = (u8)rng_below(r, CPU_CLASS_COUNT);
    i.source_count = (u8)rng_below(r, CPU_MOST_SOURCES + 1);
    i.destination_count = (u8)rng_below(r, CPU_MOST_DESTINATIONS + 1);
    for (u32 k = 0; k < i.source_count; k++)
        i.sources[k] = (u8)(1 + rng_below(r, 255));
    for (u32 k = 0; k < i.destination_count; k++)
        i.destinations[k] = (u8)(1 + rng_below(r, 255));
    if (i.class == CPU_EVENT)
        i.event = (u8)rng_below(r, CPU_EVENT_COUNT);
    if (i.class == CPU_BRANCH)
        i.branch = (u8)(1 + rng_below(r, CPU_BRANCH_COUNT - 1));
    i.taken = rng_below(r, 2);
    i.target = rng_below(r, 2) ? rng_u64(r) : 0;
    return i;
}

/* Of one of a few instructions, as it accesses memory this time. */
static struct cpu_instruction any_execution(struct rng *r, const struct cpu_instruction *kinds,
                                            u32 count)
{
    struct cpu_instruction i = kinds[rng_below(r, count)];
    i.read_count = (u8)rng_below(r, CPU_MOST_READS + 1);
    i.write_count = (u8)rng_below(r, CPU_MOST_WRITES + 1);
    for (u32 k = 0; k < i.read_count; k++) {
        i.read[k] = rng_u64(r) >> rng_below(r, 64);
        i.read_bytes[k] = (u32)rng_below(r, 3) * 4096;
    }
    for (u32 k = 0; k < i.write_count; k++) {
        i.write[k] = rng_u64(r) >> rng_below(r, 64);
        i.write_bytes[k] = (u32)rng_below(r, 70);
    }
    i.taken = rng_below(r, 2);
    if (i.class == CPU_EVENT || i.branch == CPU_RETURN || i.branch == CPU_INDIRECT_JUMP)
        i.target = rng_u64(r);
    return i;
}

static const struct cpu_vector *any_vector(struct rng *r)
{
    struct cpu_vector *v = calloc(1, sizeof *v);
    v->registers = (u8)rng_below(r, 5);
    v->serial = (u8)rng_below(r, 256);
    if (rng_below(r, 4) == 0)
        return v;
    v->lanes = (u16)(1 + rng_below(r, 256));
    v->active_lanes = (u16)rng_below(r, v->lanes + 1u);
    v->element_bytes = (u8)(1u << rng_below(r, 4));
    v->is_scatter = rng_below(r, 2);
    v->count = (u16)rng_below(r, CPU_MOST_ELEMENTS + 1);
    for (u32 k = 0; k < v->count; k++)
        v->address[k] = rng_u64(r) >> rng_below(r, 64);
    return v;
}

/* Pointers to where it is kept are unlike each other. */
static void same_vector(struct cpu_instruction *a, struct cpu_instruction *b)
{
    assert_int_equal(a->vector != NULL, b->vector != NULL);
    if (!a->vector)
        return;
    size_t bytes = offsetof(struct cpu_vector, address) + 8u * a->vector->count;
    assert_memory_equal(a->vector, b->vector, bytes);
    a->vector = b->vector = NULL;
}

TEST(what_vector_instructions_did_is_kept_with_every_address)
{
    UNUSED_STATE;
    enum { KINDS = 20, COUNT = 6000 };
    struct cpu_instruction kinds[KINDS], *given = calloc(COUNT, sizeof *given);
    struct rng r;
    struct cpu_stream s;
    struct err ignored = ERR_INIT;
    rng_init(&r, 5, "vectors");
    for (u32 k = 0; k < KINDS; k++) {
        do
            kinds[k] = any_instruction(&r);
        while (kinds[k].class == CPU_EVENT);
        kinds[k].pc += 64 * k; /* one instruction is always one of vectors, or never */
    }
    struct cpu_trace_writer *w = create();
    for (u32 n = 0; n < COUNT; n++) {
        given[n] = any_execution(&r, kinds, KINDS);
        given[n].vector = given[n].pc >> 6 & 1 ? any_vector(&r) : NULL;
        cpu_trace_put(w, 0, &given[n]);
    }
    finish(w);
    open_stream(&s, path, 0, false);
    for (u32 n = 0; n < COUNT; n++, cpu_stream_skip(&s)) {
        struct cpu_instruction read = *cpu_stream_peek(&s), *g = &given[n];
        const struct cpu_vector *v = g->vector;
        same_vector(g, &read);
        free((void *)(uintptr_t)v);
        same(g, &read);
    }
    assert_null(cpu_stream_peek(&s));
    assert_true(cpu_stream_check(&s, &ignored));
    cpu_stream_close(&s);
    free(given);
    unlink(path);
}

TEST(nothing_that_an_instruction_can_be_is_lost)
{
    UNUSED_STATE;
    enum { KINDS = 60, COUNT = 20000 };
    struct cpu_instruction kinds[KINDS], *given = calloc(COUNT, sizeof *given);
    struct rng r;
    struct cpu_stream s;
    rng_init(&r, 3, "any");
    for (u32 k = 0; k < KINDS; k++)
        kinds[k] = any_instruction(&r);
    struct cpu_trace_writer *w = create();
    u32 events = 0;
    for (u32 n = 0; n < COUNT; n++) {
        given[n] = any_execution(&r, kinds, KINDS);
        events += given[n].class == CPU_EVENT;
        cpu_trace_put(w, 0, &given[n]);
    }
    finish(w);
    open_stream(&s, path, 0, true);
    assert_int_equal(s.length, COUNT - events);
    for (u32 n = 0; n < COUNT; n++, cpu_stream_skip(&s))
        same(&given[n], cpu_stream_peek(&s));
    assert_null(cpu_stream_peek(&s));
    cpu_stream_close(&s);
    open_stream(&s, path, 0, false);
    for (u32 n = 0; n < COUNT; n++) {
        if (given[n].class != CPU_EVENT) {
            same(&given[n], cpu_stream_peek(&s));
            cpu_stream_skip(&s);
        }
    }
    assert_null(cpu_stream_peek(&s));
    cpu_stream_close(&s);
    free(given);
    unlink(path);
}

TEST(a_trace_says_what_it_was_made_from)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    struct cpu_trace t;
    write_kernel("cpu:mix,length=1000", 1);
    assert_true(cpu_trace_open(&t, path, &err));
    assert_string_equal(t.about.program, "ls");
    assert_int_equal(t.about.argument_count, 2);
    assert_string_equal(t.about.arguments[1], "a b");
    assert_string_equal(t.about.sha256, "0123");
    assert_string_equal(t.about.machine, "x86_64");
    assert_string_equal(t.about.origin, "a test");
    assert_int_equal(t.about.skipped, 77);
    assert_int_equal(t.about.asked, 1000);
    assert_false(t.about.whole);
    assert_int_equal(t.instructions[0], 1000);
    cpu_trace_close(&t);
    unlink(path);
}

static size_t read_whole(u8 *data, size_t room)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(data, 1, room, f);
    fclose(f);
    return n;
}

static void write_whole(const u8 *data, size_t count)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, count, f), count);
    fclose(f);
}

/* Reads to the end or to a sentence; true: to the end, with a sum over everything. */
static bool reads_whole(u64 *sum)
{
    struct err err = ERR_INIT;
    struct cpu_stream s;
    *sum = 0;
    if (!cpu_stream_open(&s, &(struct cpu_stream_request){.name = path}, &err)) {
        assert_int_equal(err.kind, ERR_INPUT);
        assert_true(err.what[0]);
        return false;
    }
    for (const struct cpu_instruction *i; (i = cpu_stream_peek(&s)); cpu_stream_skip(&s)) {
        for (u32 k = 0; k < sizeof *i; k++)
            *sum = *sum * 31 + ((const u8 *)i)[k];
    }
    bool ok = cpu_stream_check(&s, &err);
    if (!ok)
        assert_true(err.kind == ERR_INPUT && err.what[0]);
    cpu_stream_close(&s);
    return ok;
}

TEST(a_garbled_byte_is_refused_or_changes_nothing_and_no_part_is_taken_for_the_whole)
{
    UNUSED_STATE;
    static u8 whole[1 << 16], garbled[1 << 16];
    u64 n, sum;
    write_kernel("cpu:mix,length=3000", 1);
    size_t count = read_whole(whole, sizeof whole);
    assert_true(count < sizeof whole && reads_whole(&sum));
    for (size_t i = 0; i < count; i++) {
        write_whole(whole, i);
        assert_false(reads_whole(&n));
    }
    /* a bit that says nothing, as in heddle's version or in zstd's own padding, may change */
    for (size_t i = 0; i < count; i++) {
        memcpy(garbled, whole, count);
        garbled[i] ^= 0x55;
        write_whole(garbled, count);
        assert_true(!reads_whole(&n) || n == sum);
    }
    unlink(path);
}

TEST(a_discarded_trace_leaves_nothing)
{
    UNUSED_STATE;
    struct cpu_trace_writer *w = create();
    cpu_trace_put(w, 0, &(struct cpu_instruction){.pc = 1, .length = 1});
    cpu_trace_discard(w);
    assert_int_not_equal(access(path, F_OK), 0);
}

RUN_TESTS(T(every_kernel_comes_back_as_it_was), T(a_seek_finds_its_place_in_any_block),
          T(nothing_that_an_instruction_can_be_is_lost),
          T(what_vector_instructions_did_is_kept_with_every_address),
          T(a_trace_says_what_it_was_made_from),
          T(a_garbled_byte_is_refused_or_changes_nothing_and_no_part_is_taken_for_the_whole),
          T(a_discarded_trace_leaves_nothing))

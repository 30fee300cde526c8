/*
 * Traces of a program at two lengths of vectors, stitched: the first part of one and the rest of
 * the other leave in memory what each of them leaves, wherever the thread is not pinned there. So
 * does the thread that moves there.
 */
#include "aarch64/pin.h"
#include "aarch64/program.h"

#include "testing.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 4096 };

struct write {
    u64 address;
    u32 bytes;
    u8 value[A64_MOST_VL];
};

struct trace {
    struct write *writes;
    u32 count, room;
    u32 points[MOST_POINTS]; /* writes before the thread was free the nth time */
    u32 point_count;
    u64 instructions;
    u8 *memory; /* of the program's segments, at its end */
};

static const char *const *words;
static char path[512];
static u64 data_end; /* segments lie from CODE on to it */

enum { CODE = 0x400000 };

static void open_program(struct a64_program *p, u32 vl)
{
    struct err err = ERR_INIT;
    struct a64_arguments a = {.path = path, .vl = vl, .words = words};
    if (!a64_program_open(p, &a, &err))
        fail_msg("%s", err.what);
    data_end = p->process.brk_start;
}

static void keep_write(struct trace *t, const struct a64_program *p, u64 address, u32 bytes)
{
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 4096;
        t->writes = realloc(t->writes, t->room * sizeof *t->writes);
        assert_non_null(t->writes);
    }
    struct write *w = &t->writes[t->count++];
    w->address = address;
    w->bytes = bytes;
    memcpy(w->value, p->memory.bytes + address, bytes);
}

static void keep_writes(struct trace *t, const struct a64_program *p)
{
    const struct a64_thread *of = &p->thread;
    for (u32 i = 0; i < of->access_count; i++) {
        if (of->access[i].is_write)
            keep_write(t, p, of->access[i].address, of->access[i].bytes);
    }
    for (u32 i = 0; of->elements_write && i < of->element_count; i++)
        keep_write(t, p, of->element[i], of->element_bytes);
}

static u8 *copy_memory(const u8 *bytes)
{
    u8 *copy = malloc(data_end - CODE);
    assert_non_null(copy);
    return memcpy(copy, bytes + CODE, data_end - CODE);
}

/* To its end; the trace is of it, up to then. move_at: at the nth point it moves to move_vl. */
static void run(struct a64_program *p, struct trace *t, u32 move_at, u32 move_vl)
{
    const struct a64_op *op;
    bool was_pinned = false;
    while (!p->thread.stop && (op = a64_fetch(p, &p->thread))) {
        a64_execute_op(&p->thread, op);
        keep_writes(t, p);
        t->instructions++;
        bool is_pinned = p->thread.pin.level > 0;
        if (was_pinned && !is_pinned) {
            assert_true(t->point_count < MOST_POINTS);
            if (move_vl && t->point_count == move_at)
                a64_migrate(&p->thread, move_vl);
            t->points[t->point_count++] = t->count;
        }
        was_pinned = is_pinned;
    }
    assert_int_equal(p->thread.stop, A64_EXITED);
    assert_int_equal(p->process.exit_code, 0);
    t->memory = copy_memory(p->memory.bytes);
}

static void trace_at(struct trace *t, u32 vl, u32 move_at, u32 move_vl)
{
    static struct a64_program p;
    *t = (struct trace){0};
    open_program(&p, vl);
    run(&p, t, move_at, move_vl);
    a64_program_close(&p);
}

static void close_trace(struct trace *t)
{
    free(t->writes);
    free(t->memory);
}

static void replay(u8 *memory, const struct trace *t, u32 from, u32 to)
{
    for (u32 i = from; i < to; i++) {
        const struct write *w = &t->writes[i];
        if (w->address >= CODE && w->address + w->bytes <= data_end)
            memcpy(memory + (w->address - CODE), w->value, w->bytes);
    }
}

static void set_path(const char *program, const char *const *arguments)
{
    snprintf(path, sizeof path, "%s/workloads/vector/%s.elf", getenv("HEDDLE_SOURCE"), program);
    words = arguments;
}

static void stitches_at_every_point(const char *program, const char *const *arguments)
{
    static struct a64_program p;
    struct trace a, b, moved;
    set_path(program, arguments);
    trace_at(&a, 64, 0, 0);
    trace_at(&b, 32, 0, 0);
    assert_true(a.point_count > 10);
    assert_int_equal(a.point_count, b.point_count);
    assert_true(a.instructions < b.instructions); /* else lengths would show nothing */
    assert_memory_equal(a.memory, b.memory, data_end - CODE);
    open_program(&p, 64);
    for (u32 n = 0; n < a.point_count; n++) {
        u8 *memory = copy_memory(p.memory.bytes);
        replay(memory, &a, 0, a.points[n]);
        replay(memory, &b, b.points[n], b.count);
        assert_memory_equal(memory, a.memory, data_end - CODE);
        free(memory);
    }
    a64_program_close(&p);
    for (u32 n = 0; n < a.point_count; n += 1 + a.point_count / 16) {
        trace_at(&moved, 64, n, 32);
        assert_memory_equal(moved.memory, a.memory, data_end - CODE);
        close_trace(&moved);
    }
    close_trace(&a);
    close_trace(&b);
}

/* A compiler that takes a vector instruction out of its region pins the thread for life. */
TEST(programs_with_pins_are_free_between_their_regions)
{
    UNUSED_STATE;
    static const struct {
        const char *name, *words[4];
    } programs[] = {
        {"sssp", {"nodes=40", "degree=20"}},
        {"spmv", {"rows=50"}},
        {"loops", {"what=triad", "n=100"}},
        {"loops", {"what=histogram", "n=100"}},
        {"loops", {"what=matmul", "n=21"}},
        {"strings", {"what=strlen", "bytes=777", "calls=3"}},
        {"strings", {"what=strchr", "bytes=777", "calls=3"}},
        {"strings", {"what=strcmp", "bytes=777", "calls=3"}},
        {"strings", {"what=strcpy", "bytes=777", "calls=3"}},
        {"strings", {"what=strstr", "bytes=777", "calls=3"}},
        {"signals", {"what=keep"}},
        {"signals", {"what=jump"}},
        {"threads", {"threads=1", "n=500"}},
    };
    static struct a64_program p;
    for (u32 i = 0; i < ARRAY_LEN(programs); i++) {
        set_path(programs[i].name, programs[i].words);
        open_program(&p, 64);
        a64_run(&p, UINT64_MAX);
        assert_int_equal(p.thread.stop, A64_EXITED);
        assert_int_equal(p.process.exit_code, 0);
        if (p.thread.pin.floor)
            fail_msg("%s %s is pinned for life", programs[i].name, programs[i].words[0]);
        a64_program_close(&p);
    }
}

TEST(traces_of_shortest_paths_can_be_stitched_wherever_the_thread_is_not_pinned)
{
    UNUSED_STATE;
    static const char *const arguments[] = {"nodes=40", "degree=20", "rounds=2", NULL};
    stitches_at_every_point("sssp", arguments);
}

TEST(so_can_those_of_strings)
{
    UNUSED_STATE;
    static const char *const arguments[] = {"what=strcpy", "bytes=777", "calls=20", NULL};
    stitches_at_every_point("strings", arguments);
}

RUN_TESTS(T(programs_with_pins_are_free_between_their_regions),
          T(traces_of_shortest_paths_can_be_stitched_wherever_the_thread_is_not_pinned),
          T(so_can_those_of_strings))

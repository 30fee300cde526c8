/*
 * Any bytes as a trace of a CPU program: it is read to its end, or refused with one message. The
 * first byte says whether the rest is a file of ours, one of ChampSim's, or, as packed pieces
 * would hide them from the fuzzer, the directory or a block of one of ours.
 */
#include "cpu_trace/champsim.h"
#include "cpu_trace/format/format.h"
#include "cpu_trace/format/reader.h"

#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static char path[64];

static void expect_message(const struct err *err)
{
    if (err->kind != ERR_INPUT || !err->what[0])
        abort();
}

static void write_file(const u8 *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size)
        abort();
    fclose(f);
}

/* One of each class, some that access memory, some of vectors, one of any shape. */
static void describe(struct bytes *directory, struct container_place block)
{
    static const struct cpu_vector vector;
    struct cpu_trace_table table = {0};
    for (u32 i = 0; i < 2 * CPU_CLASS_COUNT; i++) {
        struct cpu_instruction k = {.pc = 4 * i,
                                    .length = 4,
                                    .class = (u8)(i % CPU_CLASS_COUNT),
                                    .read_count = (u8)(i % 3),
                                    .write_count = (u8)(i % 2)};
        if (i % 4 == 3)
            k.vector = &vector;
        if (k.class == CPU_BRANCH)
            k.branch = i < CPU_CLASS_COUNT ? CPU_CONDITIONAL : CPU_RETURN;
        cpu_trace_table_find(&table, &k);
    }
    table.entries[0].is_variable = true;
    table.entries[0].fixed.read_count = table.entries[0].fixed.write_count = 0;
    for (u32 i = 0; i < 9; i++)
        put_u8(directory, 0); /* nothing about the program */
    put_varint(directory, 1);
    put_varint(directory, 100);
    cpu_trace_table_put(directory, &table);
    put_varint(directory, 1);
    put_varint(directory, 0);
    put_varint(directory, 100);
    put_varint(directory, 120);
    put_difference(directory, block.offset);
    put_varint(directory, block.packed_bytes);
    put_varint(directory, block.raw_bytes);
    cpu_trace_table_fini(&table);
}

/* A file that is well but for one piece. */
static void write_around(bool is_block, const u8 *data, size_t size)
{
    struct err err = ERR_INIT;
    struct container_writer w;
    struct bytes given = {0}, directory = {0};
    if (!container_create(&w, &cpu_trace_container, path, &err))
        abort();
    put_raw(&given, data, size);
    struct container_place place = container_put(&w, &given);
    describe(&directory, place);
    if (!container_finish(&w, is_block ? &directory : &given))
        abort();
    container_writer_fini(&w);
    free(given.data);
    free(directory.data);
}

static void check(const struct cpu_instruction *i)
{
    if (i->class >= CPU_CLASS_COUNT || i->branch >= CPU_BRANCH_COUNT ||
        i->read_count > CPU_MOST_READS || i->write_count > CPU_MOST_WRITES ||
        i->source_count > CPU_MOST_SOURCES || i->destination_count > CPU_MOST_DESTINATIONS)
        abort();
    const struct cpu_vector *v = i->vector;
    if (v && (v->count > CPU_MOST_ELEMENTS || v->active_lanes > v->lanes))
        abort();
}

#define MOST_STEPS 100000u

static void read_all(struct cpu_stream *s)
{
    struct err err = ERR_INIT;
    u32 steps = 0;
    for (const struct cpu_instruction *i; steps < MOST_STEPS && (i = cpu_stream_peek(s)); steps++) {
        check(i);
        cpu_stream_skip(s);
    }
    if (!cpu_stream_check(s, &err))
        expect_message(&err);
    cpu_stream_close(s);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct err err = ERR_INIT;
    struct cpu_stream s;
    if (!size)
        return 0;
    snprintf(path, sizeof path, "/dev/shm/fuzz-cpu-trace-%d", (int)getpid());
    u8 what = data[0] % 5;
    if (what < 3)
        write_file(data + 1, size - 1);
    else
        write_around(what == 4, data + 1, size - 1);
    bool ok =
        what == 1 || what == 2
            ? champsim_stream(&s, path, what == 1 ? CHAMPSIM_STANDARD : CHAMPSIM_CLOUDSUITE, &err)
            : cpu_trace_stream(&s, path, 0, true, &err);
    if (ok)
        read_all(&s);
    else
        expect_message(&err);
    unlink(path);
    return 0;
}

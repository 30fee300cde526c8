/* heddle trace show: what a trace says of itself, and its instructions one by one. */
#include "cli/trace.h"
#include "cpu_trace/format/reader.h"

#include <stdio.h>
#include <string.h>

bool trace_file(const struct cli *cli, const char *word, const char **path, struct err *err)
{
    if (cli->argument_count != 2)
        return err_at(err, (struct src_pos){0}, "`heddle trace %s` takes one trace, %u are given",
                      word, cli->argument_count - 1);
    *path = cli->arguments[1];
    return true;
}

static void print_about(const struct cpu_trace *t)
{
    const struct cpu_trace_about *a = &t->about;
    u64 all = 0;
    u32 threads = 0;
    for (u32 i = 0; i < t->thread_count; i++) {
        all += t->instructions[i];
        threads += t->instructions[i] > 0;
    }
    printf("program       %s", a->program);
    for (u32 i = 0; i < a->argument_count; i++)
        printf(" %s", a->arguments[i]);
    printf("\n");
    if (*a->sha256)
        printf("sha256        %s\n", a->sha256);
    printf("made          %s%s%s, heddle %s\n", a->origin, *a->machine ? ", " : "", a->machine,
           t->file.heddle_version);
    printf("window        after %llu instructions%s\n", (unsigned long long)a->skipped,
           a->whole ? ", to the program's end" : "");
    printf("instructions  %llu of %u thread%s, %u different ones\n", (unsigned long long)all,
           threads, threads == 1 ? "" : "s", t->table.count);
    for (u32 i = 0; threads > 1 && i < t->thread_count; i++)
        printf("  thread %-4u %llu\n", i, (unsigned long long)t->instructions[i]);
    printf("file          %llu bytes in %u blocks, %.3f bytes an instruction\n",
           (unsigned long long)t->file.bytes, t->block_count,
           all ? (double)t->file.bytes / (double)all : 0);
}

static void print_registers(const char *what, const u8 *list, u32 count)
{
    if (count)
        printf(" %s", what);
    for (u32 i = 0; i < count; i++)
        printf("%s%u", i ? "," : " ", list[i]);
}

static void print_accesses(const char *what, const u64 *addresses, const u32 *bytes, u32 count)
{
    for (u32 i = 0; i < count; i++)
        printf(" %s %#llx+%u", what, (unsigned long long)addresses[i], bytes[i]);
}

static void print_instruction(u64 number, const struct cpu_instruction *i, const char *text)
{
    if (i->class == CPU_EVENT) {
        printf("             event %s", cpu_event_names[i->event]);
        if (i->target)
            printf(" %#llx", (unsigned long long)i->target);
        printf("\n");
        return;
    }
    printf("%12llu %#14llx %-6s %-36s", (unsigned long long)number, (unsigned long long)i->pc,
           cpu_class_names[i->class], text);
    print_registers("reads", i->sources, i->source_count);
    print_registers("writes", i->destinations, i->destination_count);
    print_accesses("load", i->read, i->read_bytes, i->read_count);
    print_accesses("store", i->write, i->write_bytes, i->write_count);
    if (i->branch && i->taken)
        printf(" -> %#llx", (unsigned long long)i->target);
    else if (i->branch)
        printf(" not taken");
    printf("\n");
}

/* Texts of a trace's table, by pc. */
static void index_texts(const struct cpu_trace *t, struct map *by_pc)
{
    for (u32 i = 0; i < t->table.count; i++)
        map_put(by_pc, t->table.entries[i].fixed.pc, i);
}

static void list(struct cpu_stream *s, const struct cpu_trace *t, u64 first, u64 count)
{
    struct map by_pc = {0};
    index_texts(t, &by_pc);
    for (const struct cpu_instruction *i; count && (i = cpu_stream_peek(s)); cpu_stream_skip(s)) {
        u64 entry;
        const char *text = map_get(&by_pc, i->pc, &entry) ? t->table.entries[entry].text : "";
        print_instruction(first, i, text);
        bool is_instruction = i->class != CPU_EVENT;
        first += is_instruction;
        count -= is_instruction;
    }
    map_fini(&by_pc);
}

bool trace_show(struct cli *cli, struct err *err)
{
    const char *path = NULL;
    u64 first, count, thread;
    struct cpu_trace t = {.file.file = -1};
    struct cpu_stream s = {0};
    if (!trace_file(cli, "show", &path, err) ||
        !cli_number(cli, "first", 0, UINT64_MAX, 0, &first, err) ||
        !cli_number(cli, "count", 0, UINT64_MAX, 0, &count, err) ||
        !cli_number(cli, "thread", 0, UINT32_MAX, 0, &thread, err))
        return false;
    struct cpu_stream_request request = {.name = path, .thread = (u32)thread, .events = true};
    bool ok = cpu_trace_open(&t, path, err);
    if (ok && !count)
        print_about(&t);
    if (ok && count) {
        ok = cpu_stream_open(&s, &request, err) && cpu_stream_seek(&s, first, err);
        if (ok)
            list(&s, &t, first, count);
        ok = ok && cpu_stream_check(&s, err);
    }
    cpu_stream_close(&s);
    cpu_trace_close(&t);
    return ok;
}

/* heddle trace stats: what programs are like, as text, JSON or a page. */
#include "base/file.h"
#include "cli/trace.h"
#include "report/cpu_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_ENDING ".html"

static double part(u64 a, u64 b)
{
    return b ? 100 * (double)a / (double)b : 0;
}

static double per(u64 a, u64 b)
{
    return b ? (double)a / (double)b : 0;
}

static void print_counts(const char *title, const struct cpu_counts *c, double line_use)
{
    u64 conditional = c->branches[CPU_CONDITIONAL];
    printf("%s: %llu instructions\n", title, (unsigned long long)c->instructions);
    printf("  classes       ");
    for (u32 i = 0; i < CPU_EVENT; i++) {
        if (c->classes[i])
            printf(" %s %.1f %%", cpu_class_names[i], part(c->classes[i], c->instructions));
    }
    printf("\n  memory         loads %.1f %%, stores %.1f %% of instructions\n",
           part(c->loads, c->instructions), part(c->stores, c->instructions));
    printf("  branches       %.1f %% of instructions:",
           part(c->instructions - c->branches[CPU_NO_BRANCH], c->instructions));
    for (u32 i = 1; i < CPU_BRANCH_COUNT; i++)
        printf("%s %s %.2f %%", i > 1 ? "," : "", cpu_branch_names[i],
               part(c->branches[i], c->instructions));
    printf("\n  conditional    %.1f %% taken; dominantly one way %.1f %%\n",
           part(c->conditional_taken, conditional),
           part(c->bias[0] + c->bias[CPU_BIAS_BINS - 1], conditional));
    printf("  taken          %.1f %% backward, every %.1f bytes\n",
           part(c->taken_backward, c->taken), per(c->bytes, c->taken));
    printf("  basic blocks   %.1f bytes, %.1f instructions\n", per(c->bytes, c->blocks),
           per(c->instructions, c->blocks));
    printf("  code           %.1f KiB executed, %.1f KiB make up 99 %% of instructions\n",
           (double)c->static_bytes / 1024, (double)c->hot_bytes / 1024);
    printf("  line use       %.1f %% of a line of 64 bytes while it is in a cache of 32 KiB\n",
           100 * line_use);
}

static void print_statistics(const char *name, const struct cpu_statistics *s)
{
    static const char *const titles[CPU_SECTIONS] = {"serial", "parallel", "total"};
    const struct cpu_counts *c = s->counts;
    printf("%s: %u thread%s\n", name, s->threads, s->threads == 1 ? "" : "s");
    bool has_both = c[CPU_SERIAL].instructions && c[CPU_PARALLEL].instructions;
    for (u32 k = 0; k < CPU_SECTIONS; k++) {
        if (has_both || k == CPU_TOTAL)
            print_counts(titles[k], &c[k], s->line_use[k]);
    }
    printf("data: %.1f KiB in lines of 64 bytes, %llu pages of 4 KiB\n", (double)s->data_lines / 16,
           (unsigned long long)s->data_pages);
    printf("code: %llu different instructions, %.1f KiB in lines of 64 bytes\n",
           (unsigned long long)s->different, (double)s->code_lines / 16);
    if (!c[CPU_PARALLEL].instructions)
        return;
    printf("serial: %.2f %% of the first thread's instructions; %.2f %% with 64 threads if "
           "parallel work divides evenly\n",
           100 * s->serial_share, 100 * cpu_serial_share_with(s, 64));
    if (s->threads > 1)
        printf("shared by all threads: %.1f %% of parallel instructions, %.1f %% of their code\n",
               100 * s->shared_instructions, 100 * s->shared_bytes);
    printf("events:");
    for (u32 i = 0; i < CPU_EVENT_COUNT; i++)
        printf("%s %s %llu", i ? "," : "", cpu_event_names[i], (unsigned long long)s->events[i]);
    printf("\n");
}

struct window {
    u64 first, count, thread;
    bool one_thread;
};

static bool measure(const char *name, const struct window *w, struct cpu_statistics *out,
                    struct err *err)
{
    struct cpu_measuring *m = cpu_measuring_create();
    bool ok = true;
    u32 threads = 1;
    for (u32 t = 0; ok && t < threads; t++) {
        struct cpu_stream s = {0};
        struct cpu_stream_request request = {.name = name, .thread = t, .events = true};
        if (w->one_thread)
            request.thread = (u32)w->thread;
        ok = cpu_stream_open(&s, &request, err) && cpu_stream_seek(&s, w->first, err);
        threads = ok && !w->one_thread ? s.thread_count : threads;
        if (ok && s.length != 0)
            ok = cpu_measuring_add(m, &s, w->count, err);
        cpu_stream_close(&s);
    }
    if (ok)
        cpu_measuring_finish(m, out);
    else
        cpu_measuring_discard(m);
    return ok;
}

/* Of a path the file's name, without our ending. */
static void short_name(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(out, size, "%s", slash ? slash + 1 : path);
    size_t n = strlen(out);
    if (n > 4 && strcmp(out + n - 4, ".hct") == 0)
        out[n - 4] = '\0';
}

static bool write_out(const struct cli *cli, json_t *data, struct err *err)
{
    const char *path = cli_value(cli, "output");
    struct text t = {0};
    size_t n = path ? strlen(path) : 0, m = strlen(PAGE_ENDING);
    bool ok = true;
    if (path && n > m && strcmp(path + n - m, PAGE_ENDING) == 0) {
        page_cpu_traces_make(data, &t);
        ok = file_write(path, &t, err);
        if (ok && !cli_has(cli, "quiet"))
            printf("%s: %zu traces, %.1f MB; open it in a browser\n", path,
                   json_array_size(json_object_get(data, "traces")), (double)t.length / 1e6);
    } else {
        char *text = json_dumps(data, JSON_INDENT(2) | JSON_SORT_KEYS);
        text_printf(&t, "%s\n", text);
        free(text);
        if (path)
            ok = file_write(path, &t, err);
        else
            fputs(t.data, stdout);
    }
    text_fini(&t);
    return ok;
}

bool trace_stats(struct cli *cli, struct err *err)
{
    struct window w = {.one_thread = cli_has(cli, "thread")};
    bool as_data = cli_has(cli, "json") || cli_has(cli, "output");
    if (cli->argument_count < 2)
        return err_at(err, (struct src_pos){0}, "`heddle trace stats` needs at least one trace");
    if (!cli_number(cli, "first", 0, UINT64_MAX, 0, &w.first, err) ||
        !cli_number(cli, "count", 1, UINT64_MAX, UINT64_MAX, &w.count, err) ||
        !cli_number(cli, "thread", 0, UINT32_MAX, 0, &w.thread, err))
        return false;
    json_t *traces = json_array();
    bool ok = true;
    for (u32 i = 1; ok && i < cli->argument_count; i++) {
        static struct cpu_statistics s;
        char name[256];
        ok = measure(cli->arguments[i], &w, &s, err);
        short_name(cli->arguments[i], name, sizeof name);
        if (ok && as_data)
            json_array_append_new(traces, cpu_statistics_json(name, &s));
        else if (ok)
            print_statistics(name, &s);
    }
    json_t *data = cpu_traces_json(traces);
    ok = ok && (!as_data || write_out(cli, data, err));
    json_decref(data);
    return ok;
}

/*
 * conform: the PTX conformance suite. Records what a GPU gives for every case, and checks another
 * implementation of the CUDA driver API (heddle's libcuda.so.1) against the recording. README.md
 * says how to build, record, check and extend.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "record.h"
#include "suite.h"

enum { CASE_SECONDS = 30 };

struct options {
    const char *mode, *file;
    const char *folder, *only, *skip, *library;
    bool raw, single, verbose;
};

/* A case is run by a visitor that is told its outcome. */
struct outcome {
    const struct test_case *c;
    enum record_status status;
    const u8 *inputs, *outputs;
    u64 input_hash;
    const char *why;
};

typedef void visit(void *self, const struct outcome *o);

/* A kernel that never ends cannot be stopped through the API: name it and give up. */
static const char *volatile running = "";

static void on_alarm(int signal_number)
{
    (void)signal_number;
    static const char text[] = "conform: gave up waiting for case ";
    if (write(2, text, sizeof text - 1) < 0 || write(2, running, strlen(running)) < 0 ||
        write(2, "\n", 1) < 0)
        _exit(3);
    _exit(3);
}

static bool selected(const struct options *o, const struct test_case *c)
{
    return (!o->only || glob_match(o->only, c->name)) && !(o->skip && glob_match(o->skip, c->name));
}

static void run_case(struct device *d, CUmodule module, const struct test_case *c, visit *tell,
                     void *self)
{
    u8 *inputs = calloc(1, c->in_bytes + c->image_bytes + 1);
    u8 *outputs = calloc(1, c->out_bytes + 1);
    if (!inputs || !outputs)
        abort();
    struct outcome o = {.c = c, .inputs = inputs, .outputs = outputs, .why = d->why};
    o.input_hash = case_fill(c, inputs);
    running = c->name;
    alarm(CASE_SECONDS);
    o.status = device_run(d, module, c, inputs, outputs) ? RECORD_RESULT : RECORD_FAULT;
    alarm(0);
    tell(self, &o);
    free(inputs);
    free(outputs);
}

/* The cases of one module. When it does not load, or is lost to a fault, the rest go alone. */
static void run_module(struct device *d, struct test_case *const *cases, u32 count, visit *tell,
                       void *self)
{
    CUmodule module;
    running = cases[0]->name;
    alarm(CASE_SECONDS * 10);
    bool loaded = device_load(d, cases, count, &module);
    alarm(0);
    if (!loaded && count == 1) {
        tell(self, &(struct outcome){.c = cases[0], .status = RECORD_UNSUPPORTED, .why = d->why});
        return;
    }
    u32 faults = d->faults, i = 0;
    for (; loaded && i < count && d->faults == faults; i++)
        run_case(d, module, cases[i], tell, self);
    for (; i < count; i++)
        run_module(d, &cases[i], 1, tell, self);
    if (loaded && d->faults == faults)
        device_unload(d, module);
}

static void run_suite(struct device *d, const struct suite *s, const struct options *o, visit *tell,
                      void *self)
{
    struct suite chosen = {.cases = calloc(s->count + 1, sizeof(struct test_case *))};
    for (u32 i = 0; chosen.cases && i < s->count; i++) {
        if (selected(o, s->cases[i]))
            chosen.cases[chosen.count++] = s->cases[i];
    }
    for (u32 at = 0; at < chosen.count;) {
        u32 n = o->single ? 1 : module_extent(&chosen, at);
        run_module(d, chosen.cases + at, n, tell, self);
        at += n;
    }
    free(chosen.cases);
}

struct recording {
    struct record record;
    u32 refused, faults;
};

static void keep(void *self, const struct outcome *o)
{
    struct recording *r = self;
    bool ok = o->status == RECORD_RESULT;
    r->refused += o->status == RECORD_UNSUPPORTED;
    r->faults += o->status == RECORD_FAULT;
    if (!ok)
        printf("# %s %s: %s\n", o->c->name,
               o->status == RECORD_FAULT ? "failed" : "unsupported-on-device", o->why);
    record_add(&r->record,
               (struct record_entry){.name = o->c->name,
                                     .status = o->status,
                                     .input_hash = o->input_hash,
                                     .data = ok ? o->outputs : (const u8 *)o->why,
                                     .bytes = ok ? o->c->out_bytes : (u32)strlen(o->why)});
}

static char *provenance(struct arena *a, const struct device *d, const struct suite *s)
{
    char kernel_driver[160] = "unknown", date[32];
    FILE *f = fopen("/proc/driver/nvidia/version", "r");
    if (f) {
        if (fgets(kernel_driver, sizeof kernel_driver, f))
            kernel_driver[strcspn(kernel_driver, "\n")] = 0;
        fclose(f);
    }
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    return arena_format(a,
                        "gpu: %s\ncompute-capability: %d.%d\ncuda: %d.%d\ndriver: %s\n"
                        "date: %s\nvectors: %d\ncases: %u\n",
                        d->name, d->sm / 10, d->sm % 10, d->version / 1000, d->version % 1000 / 10,
                        kernel_driver, date, VECTORS, s->count);
}

static int mode_record(struct suite *s, const struct options *o)
{
    struct device d;
    if (!device_open(&d, o->library)) {
        fprintf(stderr, "conform: %s\n", d.why);
        return 2;
    }
    struct recording r = {0};
    char why[256] = "";
    r.record.header = provenance(&s->arena, &d, s);
    run_suite(&d, s, o, keep, &r);
    bool ok = record_write(&r.record, o->file, !o->raw, why, sizeof why);
    printf("%s%u cases recorded, %u unsupported, %u failed\n", r.record.header,
           r.record.count - r.refused - r.faults, r.refused, r.faults);
    if (!ok)
        fprintf(stderr, "conform: %s\n", why);
    record_fini(&r.record);
    device_close(&d);
    return ok ? 0 : 2;
}

struct checking {
    struct record expected;
    u32 number, failed, skipped;
    bool verbose;
};

static void explain_mismatch(const struct outcome *o, const struct segment *out, u32 at,
                             const u8 *expected)
{
    struct text t = {0};
    u32 offset = out->offset + at * out->type->bytes;
    text_add(&t, "#   first at %s %u:", o->c->cross ? "vector" : "element", at);
    for (u32 k = 0; o->c->cross && k < o->c->ins; k++) {
        const struct segment *in = &o->c->in[k];
        text_add(&t, " %s ", in->type->name);
        value_print(&t, in->type, o->inputs + in->offset + at * in->type->bytes);
    }
    text_add(&t, " expected %s ", out->type->name);
    value_print(&t, out->type, expected + offset);
    text_add(&t, " got ");
    value_print(&t, out->type, o->outputs + offset);
    puts(t.data);
    text_fini(&t);
}

static u32 count_mismatches(const struct outcome *o, const u8 *expected, bool explain)
{
    u32 wrong = 0;
    for (u32 k = 0; k < o->c->outs; k++) {
        const struct segment *out = &o->c->out[k];
        for (u32 i = 0; i < out->count; i++) {
            u32 offset = out->offset + i * out->type->bytes;
            if (value_agrees(&o->c->tolerance, out->type, expected + offset, o->outputs + offset))
                continue;
            if (explain && (!wrong))
                explain_mismatch(o, out, i, expected);
            wrong++;
        }
    }
    return wrong;
}

static u32 result_count(const struct test_case *c)
{
    u32 n = 0;
    for (u32 k = 0; k < c->outs; k++)
        n += c->out[k].count;
    return n;
}

static void compare(void *self, const struct outcome *o)
{
    struct checking *k = self;
    const char *name = o->c->name;
    const struct record_entry *e = record_find(&k->expected, name);
    k->number++;
    if (!e || e->status != RECORD_RESULT) {
        k->skipped++;
        printf("ok %u - %s # SKIP %s\n", k->number, name,
               e ? (const char *)e->data : "not in the recording");
        return;
    }
    const char *problem = NULL;
    u32 wrong = 0;
    if (o->status != RECORD_RESULT)
        problem = o->why;
    else if (e->input_hash != o->input_hash || e->bytes != o->c->out_bytes)
        problem = "recorded with other inputs: record again";
    else
        wrong = count_mismatches(o, e->data, false);
    if (!problem && !wrong) {
        printf("ok %u - %s\n", k->number, name);
        return;
    }
    k->failed++;
    printf("not ok %u - %s\n", k->number, name);
    if (problem) {
        printf("#   %s\n", problem);
        return;
    }
    printf("#   %u of %u results differ (%s)\n", wrong, result_count(o->c), o->c->origin);
    count_mismatches(o, e->data, true);
}

static u32 selected_count(const struct suite *s, const struct options *o)
{
    u32 n = 0;
    for (u32 i = 0; i < s->count; i++)
        n += selected(o, s->cases[i]);
    return n;
}

static int mode_check(struct suite *s, const struct options *o)
{
    struct device d;
    char why[256];
    struct checking k = {.verbose = o->verbose};
    if (!record_read(&k.expected, o->file, why, sizeof why)) {
        fprintf(stderr, "conform: %s\n", why);
        return 2;
    }
    if (!device_open(&d, o->library)) {
        fprintf(stderr, "conform: %s\n", d.why);
        return 2;
    }
    printf("TAP version 13\n1..%u\n", selected_count(s, o));
    if (k.verbose)
        printf("# expected results from:\n%s# checking: %s\n", k.expected.header, d.name);
    run_suite(&d, s, o, compare, &k);
    printf("# %u checked, %u failed, %u skipped\n", k.number - k.skipped, k.failed, k.skipped);
    record_fini(&k.expected);
    device_close(&d);
    return k.failed ? 1 : 0;
}

static int mode_list(struct suite *s, const struct options *o)
{
    for (u32 i = 0; i < s->count; i++) {
        const struct test_case *c = s->cases[i];
        if (!selected(o, c))
            continue;
        if (o->verbose)
            printf("%s\tsm_%u\t%s\n", c->name, c->target, c->origin);
        else
            puts(c->name);
    }
    return 0;
}

/* Every module as a file sm_NN_MMMM.ptx, for ptxas. */
static int mode_ptx(struct suite *s, const struct options *o)
{
    if (mkdir(o->file, 0777) != 0 && errno != EEXIST) {
        perror(o->file);
        return 2;
    }
    u32 number = 0;
    for (u32 at = 0; at < s->count; number++) {
        u32 n = o->single || o->only ? 1 : module_extent(s, at);
        if (!selected(o, s->cases[at])) {
            at += n;
            continue;
        }
        char path[512];
        struct text t = {0};
        module_write(&t, s->cases + at, n);
        snprintf(path, sizeof path, "%s/sm_%u_%04u.ptx", o->file, s->cases[at]->target, number);
        FILE *f = fopen(path, "w");
        bool written = f && fputs(t.data, f) >= 0;
        if (!f || fclose(f) != 0 || !written) {
            perror(path);
            return 2;
        }
        text_fini(&t);
        at += n;
    }
    printf("%u cases in %u modules\n", s->count, number);
    return 0;
}

static int usage(void)
{
    fputs("usage: conform list            [--only PATTERN] [-v]\n"
          "       conform ptx DIR         [--single] [--only PATTERN]\n"
          "       conform record FILE     [--raw] [--only PATTERN] [--skip PATTERN]\n"
          "       conform check FILE      [--only PATTERN] [--skip PATTERN] [-v]\n"
          "  --suite DIR     folder with forms/ and kernels/ (default: next to the program's "
          "source)\n"
          "  --driver FILE   instead of libcuda.so.1\n"
          "  --single        one module per case\n"
          "  --raw           write the recording uncompressed\n",
          stderr);
    return 2;
}

#ifndef CONFORM_SUITE_DIR
#define CONFORM_SUITE_DIR "tests/conformance"
#endif

int main(int argc, char **argv)
{
    struct options o = {.folder = CONFORM_SUITE_DIR};
    for (int i = 1; i < argc; i++) {
        const char **value = !strcmp(argv[i], "--only")     ? &o.only
                             : !strcmp(argv[i], "--skip")   ? &o.skip
                             : !strcmp(argv[i], "--suite")  ? &o.folder
                             : !strcmp(argv[i], "--driver") ? &o.library
                                                            : NULL;
        if (value && i + 1 < argc)
            *value = argv[++i];
        else if (!strcmp(argv[i], "--raw"))
            o.raw = true;
        else if (!strcmp(argv[i], "--single"))
            o.single = true;
        else if (!strcmp(argv[i], "-v"))
            o.verbose = true;
        else if (argv[i][0] == '-')
            return usage();
        else if (!o.mode)
            o.mode = argv[i];
        else if (!o.file)
            o.file = argv[i];
        else
            return usage();
    }
    static const struct {
        const char *name;
        bool needs_file;
        int (*run)(struct suite *, const struct options *);
    } modes[] = {{"list", false, mode_list},
                 {"ptx", true, mode_ptx},
                 {"record", true, mode_record},
                 {"check", true, mode_check}};
    for (size_t m = 0; o.mode && m < sizeof modes / sizeof modes[0]; m++) {
        if (strcmp(o.mode, modes[m].name) || modes[m].needs_file != (o.file != NULL))
            continue;
        signal(SIGALRM, on_alarm);
        setvbuf(stdout, NULL, _IOLBF, 0); /* so that giving up loses no line */
        struct suite s = {0};
        int code = 2;
        if (suite_load(&s, o.folder))
            code = modes[m].run(&s, &o);
        else
            fprintf(stderr, "conform: %s\n", s.error);
        suite_fini(&s);
        return code;
    }
    return usage();
}

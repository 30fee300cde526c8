/* Which program or file a workload of a sweep is. */
#include "base/file.h"
#include "machine/cpu_cluster.h"
#include "run/mix.h"
#include "machine/model.h"
#include "cpu_trace/aarch64_stream.h"
#include "cpu_trace/kernel.h"
#include "cpu_trace/stream.h"
#include "cpu_trace/suite.h"
#include "cpu_trace/window.h"
#include "source/recording/format.h"
#include "source/sass/list.h"
#include "campaign/accepted.h"
#include "campaign/plan.h"
#include "campaign/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const workload_sizes[] = {"tiny", "small", "large", NULL};

bool workload_check_size(const char *size, struct src_pos at, struct err *err)
{
    u32 count = 0;
    for (; workload_sizes[count]; count++) {
        if (strcmp(workload_sizes[count], size) == 0)
            return true;
    }
    return err_unknown(err, at, "size", size, workload_sizes, count, NULL);
}

const char *workload_kind_name(enum workload_kind kind)
{
    static const char *const names[] = {"bundled",   "model",   "synthetic", "trace",
                                        "recording", "program", "mix",       "cpu"};
    return names[kind];
}

const char *plan_path(const char *path, const char *sweep_path, struct arena *arena)
{
    const char *slash = strrchr(sweep_path, '/');
    if (path[0] == '/' || !slash)
        return path;
    return arena_printf(arena, "%.*s/%s", (int)(slash - sweep_path), sweep_path, path);
}

static bool ends_with(const char *s, const char *ending)
{
    size_t n = strlen(s), m = strlen(ending);
    return n >= m && strcmp(s + n - m, ending) == 0;
}

static bool is_recording(const char *path)
{
    return file_starts_with(path, RECORD_MAGIC, CONTAINER_MAGIC_BYTES);
}

static bool is_elf(const char *path)
{
    return file_starts_with(path, "\177ELF", 4);
}

static bool is_model_workload(const char *name)
{
    for (const struct model *const *m = models; *m; m++) {
        for (const struct model_workload *w = (*m)->workloads; w->name; w++) {
            if (strcmp(w->name, name) == 0)
                return true;
        }
    }
    return false;
}

static bool is_of_suite(const char *name)
{
    return strncmp(name, SUITE_PREFIX, strlen(SUITE_PREFIX)) == 0;
}

static bool is_cpu_kernel(const char *name)
{
    return cpu_name_is_no_file(name) && !is_of_suite(name) && !aarch64_name_is_program(name);
}

static bool is_bundled(const struct study_host *host, const char *name)
{
    for (u32 i = 0; i < host->bundled_count; i++) {
        if (strcmp(host->bundled[i], name) == 0)
            return true;
    }
    return false;
}

static bool unknown_workload(const struct study_host *host, struct sweep_text name,
                             struct arena *arena, struct err *err)
{
    const char **names = ARENA_ARRAY(arena, const char *, host->bundled_count + 64);
    u32 count = host->bundled_count;
    if (count)
        memcpy(names, host->bundled, count * sizeof *names);
    for (const struct model *const *m = models; *m; m++) {
        for (const struct model_workload *w = (*m)->workloads;
             w->name && count < host->bundled_count + 64; w++)
            names[count++] = w->name;
    }
    return err_unknown(err, name.at, "workload", name.text, names, count, "heddle list workloads");
}

/* Files of traces are large and never change: their names and sizes stand for them. */
static bool hash_traces(struct sha256 *h, const char *path, struct arena *arena, struct err *err)
{
    struct trace_list list;
    if (!trace_list_read(&list, path, arena, err))
        return false;
    for (u32 i = 0; i < list.count; i++) {
        struct stat s = {0};
        const struct trace_command *c = &list.commands[i];
        if (c->kind != TRACE_KERNEL)
            continue;
        if (stat(c->path, &s) != 0)
            return err_at(err, c->at, "there is no file %s", c->path);
        const char *slash = strrchr(c->path, '/');
        const char *line =
            arena_printf(arena, "%s %lld\n", slash ? slash + 1 : c->path, (long long)s.st_size);
        sha256_add(h, line, strlen(line));
    }
    return true;
}

/* FILE of FILE@FIRST+COUNT, a part of a CPU program's trace. */
static const char *without_window(const char *path, struct arena *arena)
{
    struct cpu_window w;
    char *rest;
    if (access(path, F_OK) == 0 || !cpu_window_parse(path, &w, &rest))
        return path;
    const char *file = arena_strdup(arena, rest);
    free(rest);
    return file;
}

static bool hash_content(struct plan_workload *w, struct arena *arena, struct err *err)
{
    char hex[SHA256_HEX + 1];
    struct sha256 h;
    const char *file = without_window(w->path, arena);
    if (!sha256_file(file, hex, err))
        return false;
    if (file != w->path) {
        sha256_init(&h);
        sha256_add(&h, hex, SHA256_HEX);
        sha256_add(&h, w->path + strlen(file), strlen(w->path) - strlen(file));
        sha256_end(&h, hex);
    }
    if (w->kind == WORKLOAD_TRACE && !strstr(w->path, ".trace")) {
        sha256_init(&h);
        sha256_add(&h, hex, SHA256_HEX);
        if (!hash_traces(&h, w->path, arena, err))
            return false;
        sha256_end(&h, hex);
    }
    w->content = arena_strdup(arena, hex);
    return true;
}

/* The executable, beside its name and arguments, which name the point. */
static bool hash_executable(struct plan_workload *w, const char *name, struct arena *arena,
                            struct err *err)
{
    char hex[SHA256_HEX + 1];
    char *file = aarch64_name_file(name, err);
    bool ok = file && sha256_file(file, hex, err);
    if (ok)
        w->content = arena_strdup(arena, hex);
    free(file);
    return ok;
}

/* What a mix says, and the files that its programs are or play. */
static bool hash_mix(struct plan_workload *w, struct arena *arena, struct err *err)
{
    struct sha256 h;
    char hex[SHA256_HEX + 1];
    if (!sha256_file(w->path, hex, err))
        return false;
    sha256_init(&h);
    sha256_add(&h, hex, SHA256_HEX);
    for (u32 i = 0; i < w->mix->count; i++) {
        const struct application *a = &w->mix->applications[i];
        if (a->kind->is_workload || is_cpu_kernel(a->program))
            continue;
        const char *contents =
            is_of_suite(a->program) ? suite_contents(a->program, a->program_at, arena, err) : NULL;
        if (is_of_suite(a->program) && !contents)
            return false;
        struct plan_workload program = {.path = a->program};
        if (aarch64_name_is_program(a->program)) {
            if (!hash_executable(&program, a->program, arena, err))
                return false;
            contents = program.content;
        }
        if (contents) {
            sha256_add(&h, contents, SHA256_HEX);
            continue;
        }
        struct plan_workload file = {
            .path = a->kind->is_recorded ? program_find(a->program, arena) : a->program,
            .kind = strcmp(a->kind->key, "trace") == 0 ? WORKLOAD_TRACE : WORKLOAD_RECORDING};
        if (!hash_content(&file, arena, err))
            return false;
        sha256_add(&h, file.content, SHA256_HEX);
    }
    sha256_end(&h, hex);
    w->content = arena_strdup(arena, hex);
    return true;
}

static bool find_mix(struct plan_workload *found, const char *sweep_path,
                     const struct study_host *host, struct arena *arena, struct err *err)
{
    const struct sweep_text *name = &found->as_written->name;
    found->kind = WORKLOAD_MIX;
    found->path = plan_path(name->text, sweep_path, arena);
    found->mix = ARENA_NEW(arena, struct mix);
    if (access(found->path, R_OK) != 0)
        return err_at(err, name->at, "file %s cannot be read", found->path);
    return mix_read(found->mix, found->path, host->bundled, host->bundled_count, arena, err) &&
           accepted_check_mix(host, found->mix, arena, err) && hash_mix(found, arena, err);
}

static bool check_options(const struct plan_workload *w, struct err *err)
{
    const struct sweep_workload *a = w->as_written;
    bool takes_args = w->kind == WORKLOAD_BUNDLED || w->kind == WORKLOAD_PROGRAM;
    if (a->size[0] && w->kind == WORKLOAD_BUNDLED)
        return workload_check_size(a->size, a->name.at, err);
    if (a->size[0] && w->kind != WORKLOAD_BUNDLED)
        return err_at(err, a->name.at,
                      "size applies only to bundled workloads; %s is a %s workload", a->name.text,
                      workload_kind_name(w->kind));
    if (a->arg_count && !takes_args)
        return err_at(err, a->name.at, "args apply only to programs; %s is a %s workload",
                      a->name.text, workload_kind_name(w->kind));
    return true;
}

static bool find_workload(struct plan_workload *found, const struct sweep_workload *w,
                          const char *sweep_path, const struct study_host *host,
                          struct arena *arena, struct err *err)
{
    const char *name = w->name.text;
    const char *slash = strrchr(name, '/');
    *found = (struct plan_workload){.as_written = w,
                                    .name = slash ? slash + 1 : name,
                                    .path = name,
                                    .content = "",
                                    .size = w->size};
    if (w->is_mix)
        return find_mix(found, sweep_path, host, arena, err);
    bool is_file = strchr(name, '/') || strchr(name, '.');
    if (w->is_program) {
        found->kind = WORKLOAD_PROGRAM;
        if (!strchr(name, '/')) /* looked up along PATH, also by whoever runs it */
            return program_find(name, arena) ||
                   err_at(err, w->name.at, "program %s is not in PATH", name);
    } else if (is_bundled(host, name)) {
        found->kind = WORKLOAD_BUNDLED;
        found->size = w->size[0] ? w->size : "small";
        return check_options(found, err);
    } else if (is_cpu_kernel(name)) {
        found->kind = WORKLOAD_CPU;
        found->name = name; /* values of its knobs may have dots and slashes */
        struct cpu_kernel kernel;
        return check_options(found, err) && cpu_kernel_parse(&kernel, name + 4, err);
    } else if (aarch64_name_is_program(name)) {
        found->kind = WORKLOAD_CPU;
        found->name = name;
        return check_options(found, err) && hash_executable(found, name, arena, err);
    } else if (is_of_suite(name)) {
        if (w->threads)
            found->path = name = suite_with_threads(name, w->threads, arena);
        found->kind = WORKLOAD_CPU;
        found->name = name;
        if (host->only_accepted && host->runs_nothing) {
            found->content = suite_accepted_contents(name, w->name.at, arena, err);
            return found->content && check_options(found, err);
        }
        found->content = suite_contents(name, w->name.at, arena, err);
        return found->content && check_options(found, err) &&
               (!host->only_accepted || suite_check_accepted(name, w->name.at, arena, err));
    } else if (is_model_workload(name)) {
        found->kind = WORKLOAD_MODEL;
        return check_options(found, err);
    } else if (!is_file) {
        return unknown_workload(host, w->name, arena, err);
    }
    found->path = plan_path(name, sweep_path, arena);
    struct stat s;
    const char *file = without_window(found->path, arena);
    if (access(file, R_OK) != 0 || stat(file, &s) != 0 || !S_ISREG(s.st_mode))
        return err_at(err, w->name.at, "file %s cannot be read", file);
    if (file != found->path && !cpu_name_is_program(file))
        return err_at(err, w->name.at, "%s is not a trace of a CPU program, expected one before @",
                      file);
    if (w->is_program && access(found->path, X_OK) != 0)
        return err_at(err, w->name.at, "%s is not executable", found->path);
    if (!w->is_program && is_elf(found->path))
        return err_at(err, w->name.at,
                      "%s is a program, expected `program:` before it, or -- on a command line",
                      name);
    if (!w->is_program)
        found->kind = ends_with(name, ".yaml")           ? WORKLOAD_SYNTHETIC
                      : is_recording(found->path)        ? WORKLOAD_RECORDING
                      : cpu_name_is_program(found->path) ? WORKLOAD_CPU
                                                         : WORKLOAD_TRACE;
    return check_options(found, err) && hash_content(found, arena, err);
}

/* What goes on from a checkpoint, and of what single launches are timed, is executed. */
static bool find_launches(struct plan_workload *found, const char *sweep_path, struct arena *arena,
                          struct err *err)
{
    const struct sweep_workload *w = found->as_written;
    bool is_executed = found->kind == WORKLOAD_BUNDLED || found->kind == WORKLOAD_PROGRAM;
    char hex[SHA256_HEX + 1];
    if ((w->launches || w->resume.text) && !is_executed)
        return err_at(err, w->name.at, "%s applies only to GPU programs; %s is a %s workload",
                      w->launches ? "launches" : "resume", w->name.text,
                      workload_kind_name(found->kind));
    if (!w->resume.text)
        return true;
    found->resume = plan_path(w->resume.text, sweep_path, arena);
    if (access(found->resume, R_OK) != 0)
        return err_at(err, w->resume.at, "checkpoint %s cannot be read", found->resume);
    if (!sha256_file(found->resume, hex, err))
        return false;
    found->resume_content = arena_strdup(arena, hex);
    return true;
}

bool plan_find_workload(struct plan_workload *found, const struct sweep_workload *w,
                        const char *sweep_path, const struct study_host *host, struct arena *arena,
                        struct err *err)
{
    return find_workload(found, w, sweep_path, host, arena, err) &&
           find_launches(found, sweep_path, arena, err);
}

#include "cpu_trace/rates.h"

#include "base/file.h"
#include "cpu_trace/suite.h"
#include "cpu_trace/window.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *cpu_rates_trace(const char *name, struct arena *arena, struct err *err)
{
    struct cpu_window w;
    char *rest;
    if (access(name, F_OK) != 0 && cpu_window_parse(name, &w, &rest)) {
        const char *whole = arena_strdup(arena, rest);
        free(rest);
        return cpu_rates_trace(whole, arena, err);
    }
    if (strncmp(name, SUITE_PREFIX, strlen(SUITE_PREFIX)) == 0)
        return suite_path(name, (struct src_pos){0}, arena, err);
    return name;
}

static const char *file_of(const char *trace, struct arena *arena)
{
    return arena_printf(arena, "%s.rates", trace);
}

static json_int_t bytes_of(const char *trace)
{
    struct stat s;
    return stat(trace, &s) == 0 ? (json_int_t)s.st_size : -1;
}

static json_t *core_json(const struct cpu_core_rates *r)
{
    return json_pack("{s:s, s:f, s:f}", "chip", r->chip, "serial", r->serial, "parallel",
                     r->parallel);
}

bool cpu_rates_write(const char *trace, const struct cpu_rates *r, struct err *err)
{
    struct arena arena = {0};
    struct text t = {0};
    json_t *j = json_pack("{s:I, s:o, s:o}", "bytes", bytes_of(trace), "wide", core_json(&r->wide),
                          "lean", core_json(&r->lean));
    char *dump = json_dumps(j, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    text_printf(&t, "%s\n", dump);
    bool ok = file_write(file_of(trace, &arena), &t, err);
    free(dump);
    json_decref(j);
    text_fini(&t);
    arena_fini(&arena);
    return ok;
}

static bool read_core(const json_t *j, const char *name, struct cpu_core_rates *r,
                      struct arena *arena)
{
    const json_t *core = json_object_get(j, name);
    const char *chip = json_string_value(json_object_get(core, "chip"));
    *r = (struct cpu_core_rates){
        .chip = arena_strdup(arena, chip ? chip : ""),
        .serial = json_number_value(json_object_get(core, "serial")),
        .parallel = json_number_value(json_object_get(core, "parallel")),
    };
    return r->serial > 0 && r->parallel > 0;
}

bool cpu_rates_read(const char *name, struct cpu_rates *r, struct arena *arena, struct err *err)
{
    json_error_t why;
    const char *trace = cpu_rates_trace(name, arena, err);
    if (!trace)
        return false;
    const char *file = file_of(trace, arena);
    if (access(file, R_OK) != 0)
        return err_at(err, (struct src_pos){name, 0, 0},
                      "the trace has no rates, expected those of `heddle trace rate %s`, or "
                      "core.rate.source: chip",
                      name);
    json_t *j = json_load_file(file, 0, &why);
    bool ok = j && read_core(j, "wide", &r->wide, arena) && read_core(j, "lean", &r->lean, arena);
    bool is_its = ok && json_integer_value(json_object_get(j, "bytes")) == bytes_of(trace);
    json_decref(j);
    if (!ok)
        return err_at(err, (struct src_pos){file, 0, 0},
                      "these are not rates, expected what `heddle trace rate` writes");
    return is_its ||
           err_at(err, (struct src_pos){file, 0, 0},
                  "these are rates of another file, expected those of `heddle trace rate %s`",
                  name);
}

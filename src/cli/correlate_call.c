#include "cli/correlate_call.h"

#include "cli/chip_options.h"
#include "cli/launch_options.h"

#include "cli/workload.h"

#include <string.h>
#include <unistd.h>

#define DEFAULT_LEAST 5000

/* All values of an option that may be repeated. */
static u32 values_of(const struct cli *cli, const char *option, const char **out)
{
    u32 count = 0;
    for (u32 i = 0; i < cli->option_count; i++) {
        if (strcmp(cli->options[i].def->name, option) == 0)
            out[count++] = cli->options[i].value;
    }
    return count;
}

static u32 split(const char *text, const char **out, struct arena *arena)
{
    u32 count = 0;
    for (const char *p = text; p && *p;) {
        size_t n = strcspn(p, ",");
        if (n)
            out[count++] = arena_printf(arena, "%.*s", (int)n, p);
        p += n + (p[n] == ',');
    }
    return count;
}

/* A folder of one's own, or one of those that come along. */
static bool find_folder(struct correlate_request *r, const char *name, struct arena *arena,
                        struct err *err)
{
    const char *file = arena_printf(arena, "kernels-%s.csv", r->size);
    const char *bundled = arena_printf(arena, "%s/%s", silicon_folder(), name);
    size_t n = strlen(name);
    while (n > 1 && name[n - 1] == '/')
        n--;
    r->folder = arena_printf(arena, "%.*s", (int)n, name);
    const char *slash = strrchr(r->folder, '/');
    r->name = slash && slash[1] ? slash + 1 : r->folder;
    if (!strchr(name, '/') && access(arena_printf(arena, "%s/%s", bundled, file), R_OK) == 0)
        r->folder = bundled;
    return access(arena_printf(arena, "%s/%s", r->folder, file), R_OK) == 0 ||
           err_at(err, (struct src_pos){name, 0, 0},
                  "%s is neither in %s nor in %s, expected a folder made by tools/silicon", file,
                  r->folder, bundled);
}

/* A file is one table: its programs are executables, and its name says no chip. */
static bool find_measurements(struct correlate_request *r, const char *name, struct arena *arena,
                              struct err *err)
{
    size_t n = strlen(name);
    if (n < 4 || strcmp(name + n - 4, ".csv") != 0)
        return find_folder(r, name, arena, err);
    const char *slash = strrchr(name, '/');
    r->table = name;
    r->name = arena_printf(arena, "%.*s", (int)strlen(slash ? slash + 1 : name) - 4,
                           slash ? slash + 1 : name);
    r->executables = r->executables || r->program ? r->executables : ".";
    return access(name, R_OK) == 0 ||
           err_at(err, (struct src_pos){name, 0, 0}, "the file does not exist or cannot be read");
}

static bool read_request(const struct cli *cli, struct correlate_call *call,
                         struct correlate_request *r, struct err *err)
{
    const char *programs = cli_value(cli, "programs");
    u64 least;
    if (cli->program != 1)
        return err_at(err, (struct src_pos){0},
                      "one folder of measurements (such as h200) or one CSV file of Nsight Compute "
                      "is expected, %u are given",
                      cli->program);
    r->size = cli_has(cli, "size") ? cli_value(cli, "size") : "small";
    r->executables = cli_value(cli, "executables");
    r->launches = cli_value(cli, "launches");
    r->bounds = cli_value(cli, "bounds");
    if (cli->argument_count > 1) {
        r->program = cli->arguments + 1;
        r->program_words = cli->argument_count - 1;
    }
    if (r->program && r->executables)
        return err_at(err, (struct src_pos){0},
                      "give either --executables or a program after --, not both");
    if (!cli_number(cli, "least-cycles", 0, UINT32_MAX, DEFAULT_LEAST, &least, err) ||
        !find_measurements(r, cli->arguments[0], &call->arena, err))
        return false;
    r->least_cycles = (double)least;
    if (r->table && !cli_has(cli, "chip"))
        return err_at(err, (struct src_pos){0}, "a file of measurements needs --chip as well");
    r->chip = cli_has(cli, "chip") ? cli_value(cli, "chip") : r->name;
    r->quick = cli_has(cli, "quick");
    const char **names =
        ARENA_ARRAY(&call->arena, const char *, strlen(programs ? programs : "") + 1);
    r->program_count = split(programs, names, &call->arena);
    r->programs = names;
    return !programs || r->program_count ||
           err_found(err, (struct src_pos){0}, "--programs", programs, "names separated by commas");
}

bool correlate_call_open(struct correlate_call *call, const struct cli *cli, struct err *err)
{
    struct correlate_request request = {0};
    const char **programs, **fits = ARENA_ARRAY(&call->arena, const char *, cli->option_count + 1);
    u32 fit_count = values_of(cli, "fit", fits);
    struct study_host host = {.chip_folders = chip_folders(),
                              .bundled_count = workload_names(&call->arena, &programs)};
    host.bundled = programs;
    call->quiet = cli_has(cli, "quiet");
    call->no_run = cli_has(cli, "no-run");
    if (!launch_options(cli, err) ||
        !chip_sets(cli, &call->arena, &call->sets, &call->set_count, err) ||
        !read_request(cli, call, &request, err) ||
        !sweep_options_read(cli, &call->options, &call->arena, err) ||
        !fit_read(&call->fit, fits, fit_count, &call->arena, err) ||
        !correlate_open(&call->correlate, &request, &host, &call->arena, err))
        return false;
    const char *output = cli_value(cli, "output");
    call->output =
        output ? output : arena_printf(&call->arena, "heddle-out/correlate/%s", request.name);
    return true;
}

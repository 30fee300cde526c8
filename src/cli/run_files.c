#include "cli/run_files.h"

#include "base/arena.h"
#include "base/file.h"
#include "cli/command.h"

#include <string.h>
#include <unistd.h>

#define RESULT_FOLDER "heddle-out"

bool ends_with(const char *s, const char *ending)
{
    size_t n = strlen(s), m = strlen(ending);
    return n >= m && strcmp(s + n - m, ending) == 0;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *run_files_name(const char *path, struct arena *arena)
{
    const char *name = base_of(path), *trace = strstr(name, ".trace");
    const char *dot = trace ? trace : strrchr(name, '.');
    size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    return arena_printf(arena, "%.*s", (int)length, name);
}

static bool find_result(struct run_files *f, const struct cli *cli, const char *workload,
                        const char *chip, struct arena *arena, struct err *err)
{
    f->stats = cli_value(cli, "stats");
    if (f->stats && !ends_with(f->stats, ".json") && !ends_with(f->stats, ".csv"))
        return err_found(err, (struct src_pos){0}, "--stats", f->stats,
                         "a file name that ends in .json or .csv");
    if (!f->stats && !cli_has(cli, "quiet"))
        f->stats = arena_printf(arena, RESULT_FOLDER "/%s-%.*s.json", workload,
                                (int)strcspn(base_of(chip), "."), base_of(chip));
    return true;
}

bool run_files_find(struct run_files *files, const struct cli *cli, const char *workload,
                    const char *chip, struct arena *arena, struct err *err)
{
    *files = (struct run_files){.timeline = cli_value(cli, "timeline"),
                                .record = cli_value(cli, "record")};
    const char *series = cli_value(cli, "series"), *stats = cli_value(cli, "stats");
    if (series && !series[strspn(series, ",")])
        return err_at(err, (struct src_pos){0}, "--series is empty, expected names of statistics");
    if (series && !(stats && ends_with(stats, ".json")))
        return err_at(err, (struct src_pos){0},
                      "--series needs a file to write to, expected --stats FILE.json as well");
    if (!find_result(files, cli, workload, chip, arena, err))
        return false;
    const char *const all[] = {files->stats, files->timeline, files->record};
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        for (size_t k = 0; all[i] && k < i; k++) {
            if (all[k] && strcmp(all[i], all[k]) == 0)
                return err_at(err, (struct src_pos){all[i], 0, 0},
                              "two outputs name the same file");
        }
        /* the folder of results is made when there is one */
        bool is_new = i == 0 && !stats && access(RESULT_FOLDER, F_OK) != 0;
        if (all[i] && !file_check_writable(is_new ? RESULT_FOLDER : all[i], err))
            return false;
    }
    return true;
}

#include "cli/train_call.h"

#include "base/units.h"
#include "cli/workload.h"
#include "config/yaml.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* "a,b" in pieces. */
static u32 split(const char *list, struct arena *arena, const char ***out)
{
    u32 count = 0;
    char *rest = arena_strdup(arena, list);
    *out = ARENA_ARRAY(arena, const char *, strlen(list) + 1);
    for (char *item; (item = strsep(&rest, ","));)
        (*out)[count++] = item;
    return count;
}

static bool is_among(const char *name, const char *const *names, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

static bool check_programs(const struct train_call *call, const char *option,
                           const struct train_request *r, struct err *err)
{
    const struct study_host *h = &call->host;
    for (u32 i = 0; i < r->program_count; i++) {
        if (!is_among(r->programs[i], h->bundled, h->bundled_count))
            return err_unknown(err, (struct src_pos){0}, "program", r->programs[i], h->bundled,
                               h->bundled_count, "heddle list workloads");
        if (is_among(r->programs[i], r->programs, i))
            return err_at(err, (struct src_pos){0}, "--%s has %s twice", option, r->programs[i]);
    }
    return true;
}

static bool read_programs(const struct cli *cli, struct train_call *call, struct err *err)
{
    struct train_request *r = &call->request;
    const char *given = cli_value(cli, "programs");
    const char **list;
    r->programs = training_programs;
    while (!given && training_programs[r->program_count])
        r->program_count++;
    if (given) {
        r->program_count = split(given, &call->arena, &list);
        r->programs = list;
    }
    return check_programs(call, "programs", r, err);
}

/* What --inputs names: the programs of a sweep or study, with size, arguments and seed. */
static bool read_inputs(const struct cli *cli, struct train_call *call, struct err *err)
{
    struct train_request *r = &call->request;
    const char *path = cli_value(cli, "inputs");
    struct sweep_file file;
    if (!path)
        return true;
    const struct yaml_node *root = yaml_read_file(&call->arena, path, err);
    const struct yaml_node *list =
        root && root->kind == YAML_MAP ? yaml_child(root, "workloads") : NULL;
    if (!root)
        return false;
    if (!list)
        return err_at(err, root->at, "`workloads:` is missing, expected a list of programs");
    sweep_file_init(&file, path, path, &call->arena);
    if (!sweep_file_read_key(&file, list, &call->arena, err))
        return false;
    r->inputs = file.workloads;
    r->input_count = file.workload_count;
    return true;
}

/* None that the weights learn from: Poise spec 8. */
static bool read_unseen(const struct cli *cli, struct train_call *call, struct err *err)
{
    struct train_request *r = &call->unseen;
    const struct train_request *seen = &call->request;
    const char *given = cli_value(cli, "evaluate");
    const char **list;
    *r = *seen;
    call->unseen_grid_name =
        cli_has(cli, "evaluate-grid") ? cli_value(cli, "evaluate-grid") : call->grid_name;
    if (!grid_read(&r->grid, call->unseen_grid_name, err))
        return false;
    r->program_count = given ? split(given, &call->arena, &list) : 0;
    if (!given)
        list = ARENA_ARRAY(&call->arena, const char *, seen->program_count + 64);
    r->programs = list;
    for (u32 i = 0; !given && evaluation_programs[i]; i++) {
        const char *name = evaluation_programs[i];
        if (is_among(name, call->host.bundled, call->host.bundled_count) &&
            !is_among(name, seen->programs, seen->program_count))
            list[r->program_count++] = name;
    }
    for (u32 i = 0; i < r->program_count; i++) {
        if (is_among(r->programs[i], seen->programs, seen->program_count))
            return err_at(err, (struct src_pos){0},
                          "'%s' is in both the training and the evaluation set", r->programs[i]);
    }
    return check_programs(call, "evaluate", r, err) &&
           train_plans_make(&call->unseen_plans, r, &call->host, &call->arena, err);
}

static bool read_size(const struct cli *cli, struct train_request *r, struct err *err)
{
    r->size = cli_has(cli, "size") ? cli_value(cli, "size") : "small";
    return workload_check_size(r->size, (struct src_pos){0}, err);
}

static bool read_real(const struct cli *cli, const char *option, double lo, double hi, double *out,
                      struct err *err)
{
    const char *text = cli_value(cli, option);
    if (!text || (quantity_double(text, "", out) == QUANTITY_OK && *out >= lo && *out <= hi))
        return true;
    char subject[64];
    snprintf(subject, sizeof subject, "--%s", option);
    return err_found(err, (struct src_pos){0}, subject, text, "%g to %g", lo, hi);
}

static bool read_rule(const struct cli *cli, struct train_options *o, struct err *err)
{
    const char *given = cli_value(cli, "score");
    for (u32 i = 0; given && i < SCORE_RULES; i++) {
        if (strcmp(given, score_rule_names[i]) == 0) {
            o->rule = (enum score_rule)i;
            return true;
        }
    }
    return !given || err_unknown(err, (struct src_pos){0}, "rule of --score", given,
                                 score_rule_names, SCORE_RULES, NULL);
}

static bool read_training(const struct cli *cli, struct train_call *call, struct err *err)
{
    struct train_options *o = &call->train;
    const char *without = cli_value(cli, "without");
    const char **list = NULL;
    u32 count = without ? split(without, &call->arena, &list) : 0;
    double percent = 100 * train_defaults.least_gain;
    *o = train_defaults;
    o->gain_at_target = cli_has(cli, "gain-at-target");
    if (!read_rule(cli, o, err) || !read_real(cli, "min-gain", 0, 1000, &percent, err) ||
        !read_real(cli, "dispersion", 1e-6, 1e6, &o->dispersion, err) ||
        !cli_number(cli, "min-cycles", 0, UINT64_MAX / 2, o->least_cycles, &o->least_cycles, err))
        return false;
    o->least_gain = percent / 100;
    for (u32 i = 0; i < count; i++) {
        if (!train_leave_out(o, list[i], err))
            return false;
    }
    return true;
}

static bool read_running(const struct cli *cli, struct train_call *call, struct err *err)
{
    struct sweep_options *o = &call->sweep;
    const char *timeout = cli_value(cli, "timeout"), *from = cli_value(cli, "from");
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    u64 jobs;
    o->db = from ? from : TRAIN_DB;
    o->again = cli_has(cli, "retry") ? QUEUE_RETRY : QUEUE_NEW;
    if (timeout &&
        (quantity_double(timeout, "s", &o->timeout_s) != QUANTITY_OK || !(o->timeout_s > 0)))
        return err_found(err, (struct src_pos){0}, "--timeout", timeout,
                         "a time above zero, such as 600 or 600s");
    if (!cli_number(cli, "jobs", 1, 4096, cores > 0 ? (u64)cores : 1, &jobs, err))
        return false;
    o->jobs = (u32)jobs;
    return true;
}

bool train_call_read(const struct cli *cli, struct train_call *call, struct err *err)
{
    static const char *const policies[] = {"poise"};
    struct train_request *r = &call->request;
    struct workload *all;
    if (cli->argument_count != 1)
        return err_at(err, (struct src_pos){0}, "one policy is expected: poise");
    if (strcmp(cli->arguments[0], policies[0]) != 0)
        return err_unknown(err, (struct src_pos){0}, "policy to train", cli->arguments[0], policies,
                           ARRAY_LEN(policies), NULL);
    u32 count = workload_list(&call->arena, &all);
    const char **names = ARENA_ARRAY(&call->arena, const char *, count + 1);
    for (u32 i = 0; i < count; i++)
        names[i] = all[i].name;
    call->host = (struct study_host){
        .chip_folders = chip_folders(), .bundled = names, .bundled_count = count};
    call->quiet = cli_has(cli, "quiet");
    call->grid_name = cli_has(cli, "grid") ? cli_value(cli, "grid") : GRID_COARSE;
    r->chip = cli_has(cli, "chip") ? cli_value(cli, "chip") : "kepler8";
    r->direct = cli_has(cli, "direct");
    r->windows = cli_has(cli, "windows");
    return read_size(cli, r, err) && read_inputs(cli, call, err) && read_programs(cli, call, err) &&
           grid_read(&r->grid, call->grid_name, err) && read_training(cli, call, err) &&
           read_running(cli, call, err) &&
           train_plans_make(&call->plans, r, &call->host, &call->arena, err) &&
           read_unseen(cli, call, err);
}

void train_call_fini(struct train_call *call)
{
    train_set_fini(&call->training);
    train_set_fini(&call->evaluation);
    arena_fini(&call->arena);
}

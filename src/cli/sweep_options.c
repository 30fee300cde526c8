#include "cli/sweep_options.h"

#include "base/units.h"
#include "campaign/slurm.h"

#include <unistd.h>

#define DEFAULT_TASKS 100 /* more than a partition runs at once: the last ones even out */

static bool check_slurm(const struct sweep_options *o, struct arena *arena, struct err *err)
{
    const char *const *words;
    if (!o->slurm)
        return !o->slurm_options ||
               err_at(err, (struct src_pos){0}, "--slurm-options is only used with --slurm");
    return slurm_find(err) && slurm_words(o->slurm_options, arena, &words, err);
}

bool sweep_options_read(const struct cli *cli, struct sweep_options *o, struct arena *arena,
                        struct err *err)
{
    const char *timeout = cli_value(cli, "timeout"), *db = cli_value(cli, "db");
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    u64 jobs;
    o->db = db ? db : DEFAULT_DB;
    o->again = cli_has(cli, "again")   ? QUEUE_AGAIN
               : cli_has(cli, "retry") ? QUEUE_RETRY
                                       : QUEUE_NEW;
    o->is_worker = cli_has(cli, "worker");
    o->slurm = cli_has(cli, "slurm");
    o->slurm_options = cli_value(cli, "slurm-options");
    if (timeout &&
        (quantity_double(timeout, "s", &o->timeout_s) != QUANTITY_OK || !(o->timeout_s > 0)))
        return err_found(err, (struct src_pos){0}, "--timeout", timeout,
                         "a time above zero, such as 600 or 600s");
    if (o->slurm)
        cores = DEFAULT_TASKS;
    if (!check_slurm(o, arena, err) ||
        !cli_number(cli, "jobs", 1, 4096, cores > 0 ? (u64)cores : 1, &jobs, err) ||
        !cli_number(cli, "limit", 1, UINT32_MAX, 0, &o->limit, err))
        return false;
    o->jobs = (u32)jobs;
    return true;
}

#include "chip/gpu_model.h"

#include "chip/model.h"
#include "policy/registry.h"

#include <string.h>

static const struct replacement_ops *find_replacement(const char *name, const char *what,
                                                      struct err *err)
{
    const struct replacement_ops *found = replacement_find(name);
    const char *names[16];
    u32 count = 0;
    for (const struct replacement_ops *const *p = replacement_policies; *p && count < 16; p++)
        names[count++] = (*p)->name;
    if (!found)
        err_unknown(err, (struct src_pos){0}, what, name, names, count, "heddle list policies");
    return found;
}

static const struct warp_policy_ops *find_warp_policy(const char *name, struct err *err)
{
    const struct warp_policy_ops *found = warp_policy_find(name);
    const char *names[32];
    u32 count = 0;
    for (const struct warp_policy_ops *const *p = warp_policies; *p && count < 32; p++)
        names[count++] = (*p)->name;
    if (!found)
        err_unknown(err, (struct src_pos){0}, "sm.warp_policy", name, names, count,
                    "heddle list policies");
    return found;
}

struct gpu *chip_gpu_build(struct sim *sim, const struct gpu_config *c, struct err *err)
{
    struct gpu_policies p = {
        .l1 = find_replacement(c->sm.l1.replacement, "sm.l1.replacement", err),
        .l2 = find_replacement(c->l2.replacement, "l2.replacement", err),
        .lru = replacement_find("lru"),
        .warp = find_warp_policy(c->sm.warp_policy, err),
    };
    return p.l1 && p.l2 && p.warp ? gpu_build(sim, c, &p) : NULL;
}

static void *model_build(struct sim *sim, const void *config, const char *workload, struct err *err)
{
    (void)workload;
    return chip_gpu_build(sim, config, err);
}

static void model_settle(void *machine)
{
    gpu_settle(machine);
}

static bool model_verify(const void *machine, struct err *err)
{
    (void)machine;
    (void)err;
    return true;
}

static void model_summary(const void *machine, struct text *out)
{
    gpu_summary(machine, out);
}

/* Blocks that have ended, of those launched so far. */
static double model_done(const void *machine)
{
    const struct dispatcher *d = &((const struct gpu *)machine)->dispatcher;
    u64 all = 0, done = 0;
    for (u32 i = 0; i < d->grid_count; i++) {
        all += d->grids[i]->source.blocks;
        done += d->grids[i]->blocks_done;
    }
    return all ? (double)done / (double)all : 1;
}

static const struct model_workload no_workloads[] = {{NULL, NULL}};

const struct model model_gpu = {
    .schema = {.model = "gpu",
               .meaning = "SMs with L1 caches, two crossbars, a banked L2, DRAM channels",
               .params = gpu_params,
               .check = gpu_check,
               .bytes = sizeof(struct gpu_config)},
    .workloads = no_workloads,
    .runs_programs = true,
    .build = model_build,
    .settle = model_settle,
    .verify = model_verify,
    .summary = model_summary,
    .done = model_done,
};

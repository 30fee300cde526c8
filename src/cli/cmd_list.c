/* heddle list: everything the tool knows, from its own tables. */
#include "base/arena.h"
#include "run/run.h"
#include "cli/command.h"
#include "cli/list_cuda.h"
#include "cli/list_stats.h"
#include "machine/policies.h"
#include "cli/studies.h"
#include "cli/workload.h"
#include "cpu_trace/kernel.h"
#include "ptx/program.h"
#include "policy/noc/storage.h"
#include "policy/warp/storage.h"
#include "campaign/plan.h"

#include <stdio.h>
#include <string.h>

struct list {
    bool names_only, markdown;
};

static void line(const struct list *l, const char *name, const char *about)
{
    if (l->names_only)
        printf("%s\n", name);
    else
        printf("  %-16s %s\n", name, about);
}

/* Names in `all` that are not in `own`; both are sorted. */
static void list_variants(const char **own, u32 own_count, const char **all, u32 all_count)
{
    u32 column = 0, k = 0;
    for (u32 i = 0; i < all_count; i++) {
        while (k < own_count && strcmp(own[k], all[i]) < 0)
            k++;
        if (k < own_count && strcmp(own[k], all[i]) == 0)
            continue;
        if (!column)
            printf("variants that studies use:\n ");
        if (column + strlen(all[i]) > 90) {
            printf("\n ");
            column = 0;
        }
        column += (u32)printf(" %s", all[i]);
    }
    if (column)
        printf("\n");
}

static bool list_chips(const struct list *l, struct err *err)
{
    struct arena arena = {0};
    const char **names, **all;
    /* --names: whatever can be given */
    u32 count = config_list(l->names_only ? chip_folders() : own_chip_folders(), &arena, &names);
    for (u32 i = 0; i < count; i++) {
        struct config config;
        struct config_request request = {
            .chip = names[i], .folders = chip_folders(), .schemas = model_schemas};
        struct err broken = ERR_INIT;
        bool ok = config_load(&config, &request, &broken);
        line(l, names[i], ok ? config.about : "(does not load: see `heddle chip check`)");
        if (ok)
            config_fini(&config);
    }
    if (!l->names_only) {
        u32 all_count = config_list(chip_folders(), &arena, &all);
        list_variants(names, count, all, all_count);
    }
    arena_fini(&arena);
    (void)err;
    return true;
}

static bool list_models(const struct list *l, struct err *err)
{
    (void)err;
    for (const struct model *const *m = models; *m; m++)
        line(l, (*m)->schema.model, (*m)->schema.meaning);
    return true;
}

static bool list_workloads(const struct list *l, struct err *err)
{
    (void)err;
    for (const struct model *const *m = models; *m; m++) {
        for (const struct model_workload *w = (*m)->workloads; w->name; w++)
            line(l, w->name, w->about);
    }
    struct arena arena = {0};
    struct workload *bundled;
    u32 count = workload_list(&arena, &bundled);
    for (u32 i = 0; i < count; i++)
        line(l, bundled[i].name, bundled[i].about);
    arena_fini(&arena);
    return true;
}

/* Models share groups: on a page each is listed once. Says so, and remembers. */
static bool was_listed(const struct param *group)
{
    static const struct param *seen[256];
    static u32 count;
    for (u32 i = 0; i < count; i++) {
        if (seen[i] == group)
            return true;
    }
    if (count < ARRAY_LEN(seen))
        seen[count++] = group;
    return false;
}

static void params_table(const struct list *l, const struct param *table, const char *prefix)
{
    for (; table->type != PARAM_END; table++) {
        char path[192];
        snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", table->name);
        if (table->type == PARAM_INSTANCES) /* as many as a file has names for */
            strncat(path, ".NAME", sizeof path - strlen(path) - 1);
        if (table->type == PARAM_GROUP || table->type == PARAM_INSTANCES) {
            bool is_known = l->markdown && was_listed(table->group);
            if (l->markdown)
                printf("| **%s** | | | | | %s%s | |\n", path, table->meaning,
                       is_known ? "; as above" : "");
            if (!is_known)
                params_table(l, table->group, path);
            continue;
        }
        char initial[64], range[128];
        const char *unit = table->unit ? table->unit : "";
        param_initial_text(table, initial, sizeof initial);
        param_range_text(table, range, sizeof range);
        if (l->names_only)
            printf("%s\n", path);
        else if (l->markdown)
            printf("| `%s` | %s | %s | %s | %s | %s | %s |\n", path, param_type_name(table->type),
                   initial, unit, range, table->meaning, table->source);
        else
            printf("  %-24s %-10s %-12s %s (%s)\n", path, initial, unit, table->meaning, range);
    }
}

/* What a mechanism adds to a chip, part by part. */
static void storage_table(const struct storage *s, u32 count, const char *one, const char *many)
{
    printf("%s, %s\n", s->mechanism, s->source);
    for (u32 i = 0; i < s->count; i++) {
        const struct storage_part *part = &s->parts[i];
        printf("  %-34s %6u x %2u bits%s\n", part->what, part->count, part->bits,
               part->is_extra ? "  (the source leaves it out)" : "");
    }
    u64 bits = storage_bits(s, false), all = storage_bits(s, true);
    printf("  %s: %llu bits, %.2f bytes", one, (unsigned long long)bits, (double)bits / 8);
    if (many)
        printf("; the chip's %u %s: %.0f bytes", count, many, (double)bits / 8 * count);
    if (all != bits)
        printf("; with what was left out %.2f and %.0f bytes", (double)all / 8,
               (double)all / 8 * count);
    printf("\n");
}

/* The routers of a chip's mesh; NULL: it has none. */
static const struct mesh_config *mesh_of(const struct config *config)
{
    const struct config_value *width = config_find(config, "network.mesh.width");
    const struct config_value *kind = config_find(config, "network.kind");
    if (!width || (kind && *(const u32 *)kind->field != NETWORK_MESH))
        return NULL;
    return (const struct mesh_config *)(const void *)((const u8 *)width->field -
                                                      offsetof(struct mesh_config, width));
}

static void list_mesh_storage(const struct list *l, const struct mesh_config *c)
{
    struct storage tables[VCP_TABLES];
    vcp_storage(c, tables);
    for (u32 i = 0; l->names_only && i < VCP_TABLES; i++)
        printf("%s\n", tables[i].mechanism);
    if (l->names_only)
        return;
    storage_table(&tables[0], c->width * c->height, "a router", "routers");
    storage_table(&tables[1], 1, "the central node", NULL);
}

static bool list_storage(const struct list *l, const char *chip, struct err *err)
{
    struct config config;
    struct config_request request = {
        .chip = chip, .folders = chip_folders(), .schemas = model_schemas};
    if (!config_load(&config, &request, err))
        return false;
    bool is_gpu = config.schema->params == gpu_params;
    const struct mesh_config *mesh = mesh_of(&config);
    bool ok = is_gpu || mesh;
    if (!ok)
        err_at(err, (struct src_pos){0},
               "chip %s is of model %s without a mesh, expected one of model gpu or with a mesh",
               chip, config.schema->model);
    const struct gpu_config *c = config.data;
    struct storage tables[STORAGE_TABLES];
    for (u32 i = 0; is_gpu && i < storage_of(c, tables); i++) {
        if (l->names_only)
            printf("%s\n", tables[i].mechanism);
        else
            storage_table(&tables[i], c->sm.count, "an SM", "SMs");
    }
    if (mesh)
        list_mesh_storage(l, mesh);
    config_fini(&config);
    return ok;
}

static bool list_params(const struct list *l, struct err *err)
{
    (void)err;
    struct arena arena = {0};
    size_t bytes;
    if (l->markdown)
        printf("# Parameters\n\nWritten by `heddle list params --markdown` from the tables that "
               "the chip-file reader\nuses. Sizes, frequencies and times take a unit: `16KiB`, "
               "`1.4GHz`, `20ns`; a bare\nnumber is in the unit that the name ends with.\n");
    for (const struct model *const *m = models; *m; m++) {
        if (l->markdown)
            printf("\n## model: %s\n\n%s.\n\n| parameter | type | default | unit | legal values "
                   "| meaning | source |\n|---|---|---|---|---|---|---|\n",
                   (*m)->schema.model, (*m)->schema.meaning);
        else if (!l->names_only)
            printf("model %s: %s\n", (*m)->schema.model, (*m)->schema.meaning);
        params_table(l, config_params(&(*m)->schema, &arena, &bytes), "");
    }
    arena_fini(&arena);
    return true;
}

static void ptx_line(void *context, const char *form, bool supported, const char *note)
{
    const struct list *l = context;
    if (l->names_only)
        printf("%s%s\n", supported ? "" : "-", form);
    else if (l->markdown)
        printf("| `%s` | %s | %s |\n", form, supported ? "yes" : "no", note);
    else
        printf("  %-9s %-24s %s\n", supported ? "yes" : "REFUSED", form, note);
}

/* Every parameter that a word sets, one for each kind of chip that differs. */
static void print_paths(const char *word)
{
    const char *known[8];
    u32 count = 0;
    for (const struct model *const *m = models; *m; m++) {
        for (const struct policy_use *const *l = (*m)->policies; l && *l; l++) {
            for (const struct policy_use *u = *l; u->word; u++) {
                u32 k = 0;
                while (k < count && strcmp(known[k], u->path) != 0)
                    k++;
                if (k < count || count == ARRAY_LEN(known) || strcmp(u->word, word) != 0)
                    continue;
                known[count++] = u->path;
                printf("%s`%s`", count > 1 ? ", " : "", u->path);
            }
        }
    }
}

/* The table of docs/howto/policies.md. */
static void list_policies_markdown(void)
{
    const struct policy_ops *p;
    printf("| `--policy` | parameter of a chip | decides | answers | parameters | header |\n"
           "|---|---|---|---|---|---|\n");
    for (u32 q = 0; q < QUESTION_COUNT; q++) {
        for (const char *const *word = policy_use_words(); *word; word++) {
            if (policy_use_find(*word)->question != q)
                continue;
            printf("| `%s` | ", *word);
            print_paths(*word);
            printf(" | %s | ", questions[q].asks);
            for (u32 i = 0; (p = policy_at((enum question_id)q, i)); i++)
                printf("%s%s", i ? ", " : "", p->name);
            printf(" | `policy.%s.NAME` | `%s` |\n", questions[q].name, questions[q].header);
        }
    }
}

/* Names as --policy takes them; else by question, with where each was published. */
static void list_policies(const struct list *l)
{
    const struct policy_ops *p;
    for (const char *const *word = policy_use_words(); l->names_only && *word; word++) {
        for (u32 i = 0; (p = policy_at(policy_use_find(*word)->question, i)); i++)
            printf("%s=%s\n", *word, p->name);
    }
    for (u32 q = 0; !l->names_only && q < QUESTION_COUNT; q++) {
        for (const char *const *word = policy_use_words(); *word; word++) {
            if (policy_use_find(*word)->question == q)
                printf("--policy %s=NAME\n", *word);
        }
        printf("%s (%s; parameters: policy.%s.NAME)\n", questions[q].asks, questions[q].header,
               questions[q].name);
        for (u32 i = 0; (p = policy_at((enum question_id)q, i)); i++)
            printf("  %-15s %s\n", p->name, p->source);
    }
}

/* cpu:NAME,KNOB=VALUE */
static void list_cpu_kernels(const struct list *l)
{
    for (const struct cpu_kernel_row *row = cpu_kernel_rows; row->name; row++) {
        char name[64];
        snprintf(name, sizeof name, "cpu:%s", row->name);
        line(l, name, row->about);
        if (!l->names_only)
            printf("  %-16s %s\n", "", row->knobs);
    }
    if (!l->names_only) {
        printf("knobs, as cpu:NAME,KNOB=VALUE,...:\n");
        params_table(l, cpu_kernel_params, "");
    }
}

static void list_studies(const struct list *l)
{
    struct arena arena = {0};
    const char **names;
    u32 count = studies_list(&arena, &names);
    for (u32 i = 0; i < count; i++)
        line(l, names[i], studies_about(names[i], &arena));
    arena_fini(&arena);
}

static const char *const words[] = {"chips",    "cpu-kernels", "cuda",  "models", "params",
                                    "policies", "ptx",         "sizes", "stats",  "storage",
                                    "studies",  "workloads",   NULL};

static bool run_list(struct cli *cli, struct err *err)
{
    struct list l = {cli_has(cli, "names"), cli_has(cli, "markdown")};
    const char *what = cli->argument_count ? cli->arguments[0] : "";
    const char *chip = cli_value(cli, "chip");
    if (strcmp(what, "chips") == 0)
        return list_chips(&l, err);
    if (strcmp(what, "cpu-kernels") == 0) {
        list_cpu_kernels(&l);
        return true;
    }
    if (strcmp(what, "cuda") == 0) {
        list_cuda(l.names_only);
        return true;
    }
    if (strcmp(what, "models") == 0)
        return list_models(&l, err);
    if (strcmp(what, "params") == 0)
        return list_params(&l, err);
    if (strcmp(what, "policies") == 0) {
        if (cli_has(cli, "markdown"))
            list_policies_markdown();
        else
            list_policies(&l);
        return true;
    }
    if (strcmp(what, "ptx") == 0) {
        if (l.markdown)
            printf("# PTX\n\nWritten by `heddle list ptx --markdown`.\n\n"
                   "| form | supported | note |\n|---|---|---|\n");
        ptx_list(ptx_line, &l);
        return true;
    }
    if (strcmp(what, "sizes") == 0) {
        for (const char *const *size = workload_sizes; *size; size++)
            line(&l, *size, "input of the GPU programs of `heddle list workloads`");
        return true;
    }
    if (strcmp(what, "stats") == 0)
        return list_stats(chip ? chip : "fermi15", l.names_only, l.markdown, err);
    if (strcmp(what, "storage") == 0)
        return list_storage(&l, chip ? chip : "kepler32", err);
    if (strcmp(what, "studies") == 0) {
        list_studies(&l);
        return true;
    }
    if (strcmp(what, "workloads") == 0)
        return list_workloads(&l, err);
    return err_unknown(err, (struct src_pos){0}, "list", what, words, ARRAY_LEN(words) - 1, NULL);
}

static const struct option_def options[] = {
    {'c', "chip", "NAME|FILE", "stats, storage: chip to list (default: fermi15, kepler32)",
     "chips"},
    {0, "names", NULL, "names only, one per line", NULL},
    {0, "markdown", NULL, "params, policies, ptx, stats: print a Markdown page", NULL},
    {0},
};

static const struct example examples[] = {
    {"heddle list params", "every parameter with default, range and meaning"},
    {"heddle list stats", "every statistic and measure with unit and meaning"},
    {NULL, NULL},
};

const struct command command_list = {
    .name = "list",
    .arguments =
        "chips|cpu-kernels|cuda|models|params|policies|ptx|sizes|stats|storage|studies|workloads",
    .summary = "chips, CPU kernels, models, parameters, policies, PTX, sizes, statistics, storage, "
               "studies, "
               "workloads",
    .description = "Lists what heddle knows, from the tables that the simulator itself uses.",
    .options = options,
    .examples = examples,
    .words = words,
    .run = run_list,
};

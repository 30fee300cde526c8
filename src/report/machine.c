#include "report/machine.h"

#include "chip/model.h"
#include "gpu/config.h"

#include <string.h>

static const struct config_schema *schema_of(const char *model)
{
    for (const struct config_schema *const *s = model_schemas; *s; s++) {
        if (strcmp((*s)->model, model) == 0)
            return *s;
    }
    return NULL;
}

/* Fills a struct by its table: the result's values where they can be read, else defaults. */
static void fill(const struct result *r, const struct param *p, const char *prefix, char *into)
{
    for (; p->type != PARAM_END; p++) {
        char path[192];
        snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", p->name);
        if (p->type == PARAM_GROUP) {
            fill(r, p->group, path, into + p->offset);
            continue;
        }
        struct err ignored = ERR_INIT;
        const char *text = result_config(r, path);
        param_set_initial(p, into + p->offset);
        if (text)
            param_set(p, into + p->offset, path, text, (struct src_pos){0}, &ignored);
    }
}

static double network_peak(const struct crossbar_config *c, u32 outputs, double clock_hz)
{
    return clock_hz * outputs * c->flit_bytes * c->speedup;
}

void machine_of(const struct result *r, struct machine *m)
{
    *m = (struct machine){0};
    const struct config_schema *schema = schema_of(result_about(r, "model"));
    if (!schema || schema->params != gpu_params)
        return;
    struct gpu_config c = {0};
    fill(r, gpu_params, "", (char *)&c);
    struct dram_timing dram;
    dram_resolve(&c.dram, &dram);
    m->is_gpu = true;
    m->sms = c.sm.count;
    m->schedulers = c.sm.schedulers;
    m->channels = dram.config.channels;
    m->l2_banks = dram.config.channels * c.l2.banks_per_channel;
    m->clock_hz = (double)c.sm.clock_hz;
    m->l2_port_bytes = c.l2.port_bytes;
    m->peak_issue = (double)c.sm.count * c.sm.schedulers * c.sm.issue_width;
    m->peak_threads = m->peak_issue * 32 * m->clock_hz;
    m->peak_l1_lookups = (double)c.sm.count * c.sm.l1.accesses_per_cycle;
    double l2_hz = (double)c.l2.clock_hz;
    m->peak_l2 = l2_hz * m->l2_banks * m->l2_port_bytes;
    m->peak_request = network_peak(&c.network.request, m->l2_banks, l2_hz);
    m->peak_reply = network_peak(&c.network.reply, c.sm.count, l2_hz);
    m->peak_dram = dram_peak_bytes_per_second(&dram);
}

static const struct param *find(const struct param *p, const char *path)
{
    size_t n = strcspn(path, ".");
    for (; p->type != PARAM_END; p++) {
        if (strlen(p->name) != n || strncmp(p->name, path, n) != 0)
            continue;
        if (p->type == PARAM_GROUP)
            return path[n] ? find(p->group, path + n + 1) : NULL;
        return path[n] ? NULL : p;
    }
    return NULL;
}

const struct param *machine_param(const char *model, const char *path)
{
    const struct config_schema *schema = schema_of(model);
    size_t part = schema && schema->parts ? strlen(schema->parts_name) : 0, bytes;
    if (part && strncmp(path, schema->parts_name, part) == 0 && path[part] == '.')
        return find(schema->parts(&bytes), path + part + 1);
    return schema ? find(schema->params, path) : NULL;
}

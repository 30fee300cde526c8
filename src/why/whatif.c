#include "why/whatif.h"

#include "machine/cpu_cluster.h"
#include "gpu/config.h"

#include <stdio.h>
#include <string.h>

enum change_kind {
    SET,         /* to `text` */
    TIMES,       /* over / under times its value; 0 stays 0 */
    TIMES_BANKS, /* the same, less where the chip does not allow it */
    TIMES_GIVEN, /* the same where the chip file gives a value, else it stays derived */
    AS,          /* the value of the parameter `text` */
    HASH,        /* to `text` where sets are found by the low bits of the address */
};

struct whatif_change {
    const char *path;
    enum change_kind kind;
    u32 over, under;
    const char *text;
};

/* clang-format off */
#define T(path, n) {path, TIMES, n, 1, NULL}
#define END {NULL, SET, 0, 0, NULL}

static const struct whatif_change none[] = {END};
static const struct whatif_change fixed_dram[] = {{"dram.model", SET, 0, 0, "fixed"}, END};
static const struct whatif_change infinite[] = {{"ideal.model", SET, 0, 0, "infinite"}, END};
static const struct whatif_change perfect[] = {
    {"ideal.model", SET, 0, 0, "fixed"}, {"ideal.fixed_cycles", SET, 0, 0, "0"}, END,
};

#define L1_X4 T("sm.l1.mshrs", 4), T("sm.l1.miss_entries", 4), T("sm.lsu.buffer_entries", 4)
#define L2_QUEUES_X4 T("l2.access_entries", 4), T("l2.miss_entries", 4), T("l2.response_entries", 4)
static const struct whatif_change l1_x4[] = {L1_X4, END};
#define L2_X4 \
    L2_QUEUES_X4, T("l2.mshrs", 4), T("l2.port_bytes", 4), {"l2.banks_per_channel", TIMES_BANKS, 4, 1, NULL}, \
    T("network.request.flit_bytes", 4), T("network.reply.flit_bytes", 4)
static const struct whatif_change l2_x4[] = {L2_X4, END};
/* Four times the clock, and all latencies four times as many clocks: the same nanoseconds, a burst in a
 * quarter of the time, on any kind of DRAM. A wider bus (fermi15-4x-dram) would make bursts
 * of HBM larger than what is asked for. */
#define DRAM_X4 \
    T("dram.queue_entries", 4), T("dram.banks", 4), T("dram.clock_hz", 4), {"dram.ccdl", AS, 0, 0, "dram.ccd"}, \
    T("dram.rrd", 4), T("dram.rrdl", 4), T("dram.rcd", 4), T("dram.ras", 4), T("dram.rp", 4), T("dram.rc", 4), \
    T("dram.cl", 4), T("dram.wl", 4), T("dram.cdlr", 4), T("dram.cdlrl", 4), T("dram.wr", 4), T("dram.rtpl", 4), \
    T("dram.faw", 4), T("dram.refi", 4), T("dram.rfc", 4), {"dram.rtw", TIMES_GIVEN, 4, 1, NULL}
static const struct whatif_change dram_x4[] = {DRAM_X4, END};
/* What is behind a bottleneck shows only when that is gone: two at once. */
static const struct whatif_change l2_dram_x4[] = {L2_X4, DRAM_X4, END};
static const struct whatif_change replies_dram[] = {T("network.reply.flit_bytes", 2), DRAM_X4, END};
static const struct whatif_change replies_x2[] = {T("network.reply.flit_bytes", 2), END};
static const struct whatif_change ports_x2[] = {T("l2.port_bytes", 2), END};
static const struct whatif_change requests_x2[] = {T("network.request.flit_bytes", 2), END};
/* Table 3.3, "cost-effective": what it does to the baseline's values, as ratios. */
static const struct whatif_change cost_effective[] = {
    L2_QUEUES_X4, T("sm.l1.miss_entries", 4), T("sm.lsu.buffer_entries", 4), {"sm.l1.mshrs", TIMES, 3, 2, NULL},
    {"network.request.flit_bytes", TIMES, 1, 2, NULL}, {"network.reply.flit_bytes", TIMES, 3, 2, NULL}, END,
};
/* More ways, not sets: a hash of set numbers may be for a fixed number of sets. */
static const struct whatif_change l1_size[] = {
    T("sm.l1.size_bytes", 4), T("sm.l1.ways", 4), T("sm.l1.unified_bytes", 4), END,
};
static const struct whatif_change l1_index[] = {{"sm.l1.set_index", HASH, 0, 0, "folded"}, END};
static const struct whatif_change l1_ways[] = {T("sm.l1.ways", 4), END}; /* a quarter of the sets */
static const struct whatif_change l2_size[] = {T("l2.size_bytes", 4), END};
static const struct whatif_change units_x2[] = {
    T("sm.units.integer.pipes", 2), T("sm.units.fp32.pipes", 2), T("sm.units.fp64.pipes", 2),
    T("sm.units.fp16.pipes", 2), T("sm.units.sfu.pipes", 2), T("sm.units.tensor.pipes", 2), END,
};
static const struct whatif_change warps_x2[] = {
    T("sm.warps", 2), T("sm.blocks", 2), T("sm.registers", 2), T("sm.shared.bytes", 2), END,
};

const struct whatif whatifs[] = {
    {"base", WHATIF_BASE, "the chip as it is", "as it is", none},
    {"fixed-dram", WHATIF_LADDER, "DRAM without limits (P_DRAM)", "DRAM of a fixed latency and no limits", fixed_dram},
    {"infinite", WHATIF_LADDER, "no contention below L1 (P_inf)", "no contention below L1", infinite},
    {"perfect", WHATIF_LADDER, "no latency below L1 (PerfX)", "a memory below L1 of no latency and no limits", perfect},
    {"l1-x4", WHATIF_CHANGE, "L1 x4: MSHRs, miss queue, pipeline", "four times the L1's MSHRs and queues", l1_x4},
    {"l2-x4", WHATIF_CHANGE, "L2 x4: banks, queues, ports, crossbar", "four times the L2's banks, queues, ports and crossbars", l2_x4},
    {"dram-x4", WHATIF_CHANGE, "DRAM x4: bandwidth, banks, queue", "four times the DRAM's bandwidth, banks and queue", dram_x4},
    {"replies-x2", WHATIF_CHANGE, "reply crossbar twice as wide", "replies twice as wide", replies_x2},
    {"ports-x2", WHATIF_CHANGE, "data ports of the L2 twice as wide", "data ports of the L2 twice as wide", ports_x2},
    {"requests-x2", WHATIF_CHANGE, "request crossbar twice as wide", "requests twice as wide", requests_x2},
    {"cost-effective", WHATIF_CHANGE, "cost-effective: buffers, replies 3/2", "larger buffers and wires moved from requests to replies", cost_effective},
    {"l1-size", WHATIF_CHANGE, "L1 of four times the capacity", "four times the L1's capacity", l1_size},
    {"l2-size", WHATIF_CHANGE, "L2 of four times the capacity", "four times the L2's capacity", l2_size},
    {"units-x2", WHATIF_CHANGE, "twice the execution units", "twice the execution units", units_x2},
    {"warps-x2", WHATIF_CHANGE, "twice the warps of an SM", "twice the warps, registers and shared memory of an SM", warps_x2},
    {"l2-dram-x4", WHATIF_CHANGE, "L2 x4 and DRAM x4", "four times the L2 and the DRAM together", l2_dram_x4},
    {"replies-dram", WHATIF_CHANGE, "reply crossbar x2 and DRAM x4", "replies twice as wide with four times the DRAM", replies_dram},
    {"l1-index", WHATIF_CHANGE, "L1 sets by a hash of the address", "L1 sets found by a hash of the address", l1_index},
    {"l1-ways", WHATIF_CHANGE, "L1 of the same size, four times the ways", "four times the ways of the L1 in the same capacity", l1_ways},
    {0},
};

const struct whatif_joint whatif_joints[] = {
    {"l2-dram-x4", {"l2-x4", "dram-x4"}},
    {"replies-dram", {"replies-x2", "dram-x4"}},
    {0},
};

/* ---- CPU cores ---- */

static const struct whatif_change right_branches[] = {{"core.branch.perfect", SET, 0, 0, "true"}, END};
static const struct whatif_change right_l1i[] = {{"core.l1i.perfect", SET, 0, 0, "true"}, END};
static const struct whatif_change right_l1d[] = {{"core.l1d.perfect", SET, 0, 0, "true"}, END};
static const struct whatif_change window_x2[] = {
    T("core.window.rob_entries", 2), T("core.window.scheduler_entries", 2), T("core.lsq.load_entries", 2), T("core.lsq.store_entries", 2), END,
};
static const struct whatif_change width_x2[] = {
    T("core.window.dispatch_width", 2), T("core.window.issue_width", 2), T("core.window.retire_width", 2), T("core.fetch.width", 2),
    T("core.fetch.bytes", 2), T("core.fetch.lines_per_cycle", 2), END,
};
static const struct whatif_change core_units_x2[] = {
    T("core.units.alu.pipes", 2), T("core.units.mul.pipes", 2), T("core.units.div.pipes", 2), T("core.units.fp_add.pipes", 2),
    T("core.units.fp_mul.pipes", 2), T("core.units.fp_div.pipes", 2), T("core.units.fp_fma.pipes", 2), T("core.units.simd.pipes", 2),
    T("core.units.load.pipes", 2), T("core.units.store.pipes", 2), T("core.units.branch.pipes", 2), END,
};
static const struct whatif_change core_mshrs_x4[] = {T("core.l1d.mshrs", 4), T("core.l2.mshrs", 4), END};
static const struct whatif_change core_l1d_size[] = {T("core.l1d.size_bytes", 4), END};
static const struct whatif_change core_l2_size[] = {T("core.l2.size_bytes", 4), END};
static const struct whatif_change llc_size[] = {T("llc.size_bytes", 4), END};
static const struct whatif_change tage[] = {{"core.branch.predictor", SET, 0, 0, "tage"}, END};
static const struct whatif_change strides[] = {
    {"core.l1d.prefetcher", SET, 0, 0, "stride"}, {"core.l2.prefetcher", SET, 0, 0, "stride"}, END,
};

const struct whatif cpu_whatifs[] = {
    {"base", WHATIF_BASE, "the chip as it is", "as it is", none},
    {"perfect", WHATIF_LADDER, "no latency below the private L2", "a memory below the L2 of no latency and no limits", perfect},
    {"perfect-l1d", WHATIF_LADDER, "no misses of the L1D", "an L1D that never misses", right_l1d},
    {"perfect-l1i", WHATIF_LADDER, "no misses of the L1I", "an L1I that never misses", right_l1i},
    {"perfect-branches", WHATIF_LADDER, "all branches predicted right", "all branches predicted right", right_branches},
    {"window-x2", WHATIF_CHANGE, "window and queues twice as large", "a window twice as large", window_x2},
    {"width-x2", WHATIF_CHANGE, "twice as wide", "a core twice as wide", width_x2},
    {"units-x2", WHATIF_CHANGE, "twice the functional units", "twice the functional units", core_units_x2},
    {"mshrs-x4", WHATIF_CHANGE, "four times the MSHRs of L1D and L2", "four times the MSHRs of L1D and L2", core_mshrs_x4},
    {"l1d-size", WHATIF_CHANGE, "L1D of four times the capacity", "four times the L1D's capacity", core_l1d_size},
    {"l2-size", WHATIF_CHANGE, "private L2 of four times the capacity", "four times the private L2's capacity", core_l2_size},
    {"llc-size", WHATIF_CHANGE, "LLC of four times the capacity", "four times the last-level cache's capacity", llc_size},
    {"dram-x4", WHATIF_CHANGE, "DRAM x4: bandwidth, banks, queue", "four times the DRAM's bandwidth, banks and queue", dram_x4},
    {"tage", WHATIF_CHANGE, "TAGE for a branch predictor", "TAGE for a branch predictor", tage},
    {"stride", WHATIF_CHANGE, "stride prefetchers in L1D and L2", "stride prefetchers in L1D and L2", strides},
    {0},
};
/* clang-format on */
static_assert(ARRAY_LEN(whatifs) <= MOST_WHATIFS + 1, "MOST_WHATIFS");
static_assert(ARRAY_LEN(cpu_whatifs) <= MOST_WHATIFS + 1, "MOST_WHATIFS");

static bool is_model(const struct config *chip, const char *name)
{
    return strcmp(chip->schema->model, name) == 0;
}

const struct whatif *whatifs_of(const struct config *chip)
{
    return is_model(chip, "gpu") ? whatifs : is_model(chip, "cpu") ? cpu_whatifs : NULL;
}

static const struct dram_config *dram_of(const struct config *chip)
{
    return is_model(chip, "cpu") ? &((const struct cpu_config *)chip->data)->dram
                                 : &((const struct gpu_config *)chip->data)->dram;
}

/* What a parameter is on this chip: where DRAM's preset decides, what the preset says. */
struct values {
    const struct config *chip;
    struct dram_timing dram;
};

static u64 value_of(const struct values *values, const struct config_value *v, bool given)
{
    const struct dram_config *dram = dram_of(values->chip);
    const char *field = v->field;
    u64 value = 0;
    ptrdiff_t in_dram = field - (const char *)dram;
    if (!given && in_dram >= 0 && (size_t)in_dram < sizeof *dram)
        field = (const char *)&values->dram.config + in_dram;
    memcpy(&value, field, v->param->type == PARAM_U64 ? sizeof(u64) : sizeof(u32));
    return value;
}

/* The number as one would write it. */
static const char *number_text(const struct param *p, u64 number, struct arena *arena)
{
    char text[64];
    u32 narrow = (u32)number;
    param_value_text(p, p->type == PARAM_U64 ? (const void *)&number : &narrow, text, sizeof text);
    return arena_strdup(arena, text);
}

static u64 limited(u64 value, const struct param *p, bool *is_limited)
{
    u64 inside = value < p->lo ? p->lo : value > p->hi ? p->hi : value;
    *is_limited |= inside != value;
    return inside;
}

/* The new value of one change, or NULL where it stays as it is. */
static const char *new_value(const struct whatif_change *c, const struct values *values, u32 cut,
                             struct arena *arena, bool *is_limited)
{
    const struct config_value *v = config_find(values->chip, c->path);
    if (c->kind == SET)
        return c->text;
    if (c->kind == HASH)
        return *(const u32 *)v->field == SET_LINEAR ? c->text : NULL;
    if (c->kind == AS)
        return number_text(v->param, value_of(values, config_find(values->chip, c->text), false),
                           arena);
    u64 value = value_of(values, v, c->kind == TIMES_GIVEN);
    u64 over = c->kind == TIMES_BANKS ? c->over >> cut : c->over;
    *is_limited |= c->kind == TIMES_BANKS && cut;
    if (value == 0)
        return NULL;
    return number_text(v->param, limited(value * over / c->under, v->param, is_limited), arena);
}

static void apply(const struct whatif *w, const struct values *values, u32 cut, struct arena *arena,
                  struct whatif_settings *out)
{
    *out = (struct whatif_settings){0};
    for (const struct whatif_change *c = w->changes; c->path; c++) {
        const struct config_value *v = config_find(values->chip, c->path);
        const char *value = new_value(c, values, cut, arena, &out->is_limited);
        char before[256];
        param_value_text(v->param, v->field, before, sizeof before);
        if (value && strcmp(value, before) != 0)
            out->settings[out->count++] =
                (struct whatif_setting){c->path, value, arena_strdup(arena, before)};
    }
}

static bool makes_a_chip(const struct whatif_settings *s, const struct config_request *request)
{
    struct arena scratch = {0};
    struct config_request with = *request;
    struct config config;
    struct err ignored = ERR_INIT;
    const char **sets = ARENA_ARRAY(&scratch, const char *, request->set_count + s->count + 1);
    for (u32 i = 0; i < request->set_count; i++)
        sets[i] = request->sets[i];
    for (u32 i = 0; i < s->count; i++)
        sets[request->set_count + i] =
            arena_printf(&scratch, "%s=%s", s->settings[i].path, s->settings[i].value);
    with.sets = sets;
    with.set_count = request->set_count + s->count;
    bool ok = config_load(&config, &with, &ignored);
    if (ok)
        config_fini(&config);
    arena_fini(&scratch);
    return ok;
}

void whatif_settings(const struct whatif *w, const struct config *chip,
                     const struct config_request *request, struct arena *arena,
                     struct whatif_settings *out)
{
    struct values values = {.chip = chip};
    dram_resolve(dram_of(chip), &values.dram);
    /* 4, 2, 1 times the banks: as many as the crossbar has lines and the sets allow */
    for (u32 cut = 0; cut <= 2; cut++) {
        apply(w, &values, cut, arena, out);
        if (makes_a_chip(out, request))
            return;
    }
    *out = (struct whatif_settings){.is_limited = true};
}

#include "report/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const measure_group_names[MEASURE_GROUPS] = {"hit rates", "latencies", "queueing",
                                                         "bandwidths", "work"};

#define PEAK(field) (u32) offsetof(struct machine, field)
#define L2_QUEUE                                                                                   \
    "l2.access_queue:below_25", "l2.access_queue:from_25", "l2.access_queue:from_50",              \
        "l2.access_queue:from_75", "l2.access_queue:full"
#define DRAM_QUEUE                                                                                 \
    "dram.queue_occupancy:below_25", "dram.queue_occupancy:from_25",                               \
        "dram.queue_occupancy:from_50", "dram.queue_occupancy:from_75",                            \
        "dram.queue_occupancy:full"
#define L1_STALLS(cause) "l1_stall_" cause, "L1 stalls: " cause, "ratio", MEASURE_QUEUES
#define L2_STALLS(cause) "l2_stall_" cause, "L2 stalls: " cause, "ratio", MEASURE_QUEUES

/* clang-format off */
const struct measure measures[] = {
    {"l1_hit_rate", "L1 hit rate", "ratio", MEASURE_HITS, {"sm.l1.hits"}, {"sm.l1.loads"}, SCALE_ONE, 0},
    {"l2_hit_rate", "L2 hit rate", "ratio", MEASURE_HITS, {"l2.hits"}, {"l2.accesses"}, SCALE_ONE, 0},
    {"icache_hit_rate", "instruction cache hit rate", "ratio", MEASURE_HITS, {"sm.icache.hits"}, {"sm.icache.accesses"}, SCALE_ONE, 0},
    {"constant_hit_rate", "constant cache hit rate", "ratio", MEASURE_HITS, {"sm.constant.hits"}, {"sm.constant.accesses"}, SCALE_ONE, 0},
    {"texture_hit_rate", "texture cache hit rate", "ratio", MEASURE_HITS, {"sm.texture.hits"}, {"sm.texture.accesses"}, SCALE_ONE, 0},
    {"row_hit_rate", "DRAM row hit rate", "ratio", MEASURE_HITS, {"dram.row_hits"}, {"dram.served"}, SCALE_ONE, 0},
    {"lines_per_load", "lines per load", "lines", MEASURE_HITS, {"sm.load_lines"}, {"sm.load_requests"}, SCALE_ONE, 0},
    {"passes_per_access", "passes per shared access", "passes", MEASURE_HITS, {"sm.shared_passes"}, {"sm.shared_accesses"}, SCALE_ONE, 0},
    {"active_lanes", "active lanes", "lanes", MEASURE_HITS, {"sm.thread_instructions"}, {"sm.warp_instructions"}, SCALE_ONE, 0},

    {"miss_latency", "miss latency", "cycles", MEASURE_LATENCY, {"sm.l1.latency_cycles"}, {"sm.l1.answered"}, SCALE_ONE, 0},
    {"l2_hit_latency", "miss latency with an L2 hit", "cycles", MEASURE_LATENCY, {"sm.l1.l2_hit_latency_cycles"}, {"sm.l1.l2_hits"}, SCALE_ONE, 0},
    {"hop_request", "miss latency, request network", "cycles", MEASURE_LATENCY, {"sm.l1.request_fs"}, {"sm.l1.answered"}, SCALE_FS_TO_CYCLES, 0},
    {"hop_l2", "miss latency, L2", "cycles", MEASURE_LATENCY, {"sm.l1.l2_fs"}, {"sm.l1.answered"}, SCALE_FS_TO_CYCLES, 0},
    {"hop_dram", "miss latency, DRAM", "cycles", MEASURE_LATENCY, {"sm.l1.dram_fs"}, {"sm.l1.answered"}, SCALE_FS_TO_CYCLES, 0},
    {"hop_reply", "miss latency, reply network", "cycles", MEASURE_LATENCY, {"sm.l1.reply_fs"}, {"sm.l1.answered"}, SCALE_FS_TO_CYCLES, 0},
    {"tail_gap", "first to last answer of a load", "cycles", MEASURE_LATENCY, {"sm.load_gap_cycles"}, {"sm.gap_loads"}, SCALE_ONE, 0},

    {L1_STALLS("cache"), {"sm.l1.stall:cache"}, {"sm.cycles"}, SCALE_ONE, 0},
    {L1_STALLS("mshr"), {"sm.l1.stall:mshr"}, {"sm.cycles"}, SCALE_ONE, 0},
    {L1_STALLS("bp_l2"), {"sm.l1.stall:bp_l2"}, {"sm.cycles"}, SCALE_ONE, 0},
    {L2_STALLS("bp_icnt"), {"l2.stall:bp_icnt"}, {"@l2_cycles"}, SCALE_ONE, 0},
    {L2_STALLS("bp_dram"), {"l2.stall:bp_dram"}, {"@l2_cycles"}, SCALE_ONE, 0},
    {L2_STALLS("port"), {"l2.stall:port"}, {"@l2_cycles"}, SCALE_ONE, 0},
    {L2_STALLS("cache"), {"l2.stall:cache"}, {"@l2_cycles"}, SCALE_ONE, 0},
    {L2_STALLS("mshr"), {"l2.stall:mshr"}, {"@l2_cycles"}, SCALE_ONE, 0},
    {"l2_queue_full", "L2 access queue full, when in use", "ratio", MEASURE_QUEUES, {"l2.access_queue:full"}, {L2_QUEUE}, SCALE_ONE, 0},
    {"dram_queue_full", "DRAM queue full, when in use", "ratio", MEASURE_QUEUES, {"dram.queue_occupancy:full"}, {DRAM_QUEUE}, SCALE_ONE, 0},

    {"issue", "warp instructions issued", "instructions/cycle", MEASURE_BANDWIDTH, {"sm.warp_instructions"}, {"@cycles"}, SCALE_ONE, PEAK(peak_issue)},
    {"l1_lookups", "L1 lookups", "requests/cycle", MEASURE_BANDWIDTH, {"sm.l1.loads", "sm.l1.stores"}, {"@cycles"}, SCALE_ONE, PEAK(peak_l1_lookups)},
    {"request_bytes", "request network", "bytes/s", MEASURE_BANDWIDTH, {"request_network.bytes"}, {"@seconds"}, SCALE_ONE, PEAK(peak_request)},
    {"l2_bytes", "L2 data ports", "bytes/s", MEASURE_BANDWIDTH, {"l2.busy_port_cycles"}, {"@seconds"}, SCALE_L2_PORT, PEAK(peak_l2)},
    {"reply_bytes", "reply network", "bytes/s", MEASURE_BANDWIDTH, {"reply_network.bytes"}, {"@seconds"}, SCALE_ONE, PEAK(peak_reply)},
    {"dram_bytes", "DRAM", "bytes/s", MEASURE_BANDWIDTH, {"dram.bytes_read", "dram.bytes_written"}, {"@seconds"}, SCALE_ONE, PEAK(peak_dram)},
    {"dram_efficiency", "DRAM bus in use while there is work", "ratio", MEASURE_BANDWIDTH, {"dram.bus_busy_cycles"}, {"dram.pending_cycles"}, SCALE_ONE, 0},

    {"warp_instructions", "warp instructions", "instructions", MEASURE_WORK, {"sm.warp_instructions"}, {0}, SCALE_ONE, 0},
    {"thread_instructions", "thread instructions", "instructions", MEASURE_WORK, {"sm.thread_instructions"}, {0}, SCALE_ONE, 0},
    {"loads", "loads", "instructions", MEASURE_WORK, {"sm.loads"}, {0}, SCALE_ONE, 0},
    {"stores", "stores", "instructions", MEASURE_WORK, {"sm.stores"}, {0}, SCALE_ONE, 0},
    {"blocks", "blocks", "blocks", MEASURE_WORK, {"sm.blocks"}, {0}, SCALE_ONE, 0},
    {"l1_misses", "L1 misses", "requests", MEASURE_WORK, {"sm.l1.misses"}, {0}, SCALE_ONE, 0},
    {"l2_misses", "L2 misses", "requests", MEASURE_WORK, {"l2.misses"}, {0}, SCALE_ONE, 0},
    {"dram_traffic", "DRAM traffic", "bytes", MEASURE_WORK, {"dram.bytes_read", "dram.bytes_written"}, {0}, SCALE_ONE, 0},
    {0},
};
/* clang-format on */

const struct measure *measure_find(const char *id)
{
    for (const struct measure *m = measures; m->id; m++) {
        if (strcmp(m->id, id) == 0)
            return m;
    }
    return NULL;
}

static double clock_cycles(const struct result *r, const char *clock)
{
    const json_t *run = json_object_get(r->root, "run");
    return json_number_at(json_object_get(run, "cycles"), clock);
}

static double term(const char *name, const struct result *r, const struct machine *chip)
{
    if (strcmp(name, "@cycles") == 0)
        return result_cycles(r);
    if (strcmp(name, "@seconds") == 0)
        return result_seconds(r);
    if (strcmp(name, "@l2_cycles") == 0)
        return clock_cycles(r, "l2") * chip->l2_banks;
    if (strcmp(name, "@dram_cycles") == 0)
        return clock_cycles(r, "dram") * chip->channels;
    return result_total(r, name);
}

static double sum(const char *const *names, const struct result *r, const struct machine *chip)
{
    double total = 0;
    for (; *names; names++)
        total += term(*names, r, chip);
    return total;
}

double measure_value(const struct measure *m, const struct result *r, const struct machine *chip)
{
    double over = sum(m->over, r, chip);
    double under = m->under[0] ? sum(m->under, r, chip) : 1;
    if (m->scale == SCALE_FS_TO_CYCLES)
        over *= chip->clock_hz * 1e-15;
    if (m->scale == SCALE_L2_PORT)
        over *= chip->l2_port_bytes;
    return under > 0 ? over / under : NAN;
}

double measure_peak(const struct measure *m, const struct machine *chip)
{
    if (!m->peak || !chip->is_gpu)
        return NAN;
    return *(const double *)(const void *)((const char *)chip + m->peak);
}

/* 12345678 as 12.3 M: four digits are enough to compare. */
static void short_number(double v, char *out, size_t size)
{
    static const char *const suffix[] = {"", " k", " M", " G", " T"};
    u32 i = 0;
    while (fabs(v) >= 99999.5 && i + 1 < ARRAY_LEN(suffix)) {
        v /= 1000;
        i++;
    }
    bool whole = i == 0 && v == floor(v);
    snprintf(out, size, "%.*f%s", whole ? 0 : fabs(v) < 10 ? 2 : 1, v, suffix[i]);
}

void measure_text(const struct measure *m, double value, char *out, size_t size)
{
    char number[48];
    if (isnan(value)) {
        snprintf(out, size, "-");
    } else if (strcmp(m->unit, "ratio") == 0) {
        snprintf(out, size, "%.1f %%", 100 * value);
    } else if (strcmp(m->unit, "bytes/s") == 0) {
        snprintf(out, size, "%.1f GB/s", value / 1e9);
    } else {
        short_number(value, number, sizeof number);
        snprintf(out, size, "%s", number);
    }
}

/* The numbers that a judgement stands on. */
#include "gpu/config.h"
#include "report/why.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SLOTS                                                                                      \
    "scheduler_slots.issued", "scheduler_slots.fetch", "scheduler_slots.data_mem",                 \
        "scheduler_slots.data_alu", "scheduler_slots.structural_mem",                              \
        "scheduler_slots.structural_alu", "scheduler_slots.barrier", "scheduler_slots.throttled",  \
        "scheduler_slots.no_warp"
#define L1_STALLS "l1_stall.cache", "l1_stall.mshr", "l1_stall.bp_l2"
#define L2_STALLS                                                                                  \
    "l2_stall.bp_icnt", "l2_stall.bp_dram", "l2_stall.port", "l2_stall.cache", "l2_stall.mshr"
#define BINS(queue)                                                                                \
    queue ".below_25", queue ".from_25", queue ".from_50", queue ".from_75", queue ".full"

#define SLOT(class, words)                                                                         \
    {                                                                                              \
        class, FACT_SHARE, "of scheduler cycles: " words, {"scheduler_slots." class},              \
        {                                                                                          \
            SLOTS                                                                                  \
        }                                                                                          \
    }
#define L1_STALL(cause, words)                                                                     \
    {                                                                                              \
        "l1_" cause, FACT_SHARE, "of the L1's stalls: " words, {"l1_stall." cause},                \
        {                                                                                          \
            L1_STALLS                                                                              \
        }                                                                                          \
    }
#define L2_STALL(cause, words)                                                                     \
    {                                                                                              \
        "l2_" cause, FACT_SHARE, "of the L2's stalls: " words, {"l2_stall." cause},                \
        {                                                                                          \
            L2_STALLS                                                                              \
        }                                                                                          \
    }

/* clang-format off */
const struct fact facts[] = {
    SLOT("issued", "an instruction was issued"),
    SLOT("fetch", "no warp had an instruction"),
    SLOT("data_mem", "all warps waited for data from memory"),
    SLOT("data_alu", "all warps waited for arithmetic results"),
    SLOT("structural_mem", "the load/store unit took no more"),
    SLOT("structural_alu", "the execution units took no more"),
    SLOT("barrier", "all warps waited at barriers"),
    SLOT("throttled", "the warp policy kept the ready warps back"),
    SLOT("no_warp", "there was no warp"),
    {"issue_use", FACT_SHARE, "of the instructions that could be issued were", {"warp_instructions"}, {"@issues"}},

    {"l1_hits", FACT_SHARE, "of the L1's loads hit", {"l1_hits"}, {"l1_loads"}},
    {"l2_hits", FACT_SHARE, "of the L2's accesses hit", {"l2_hits"}, {"l2_accesses"}},
    {"miss_latency", FACT_CYCLES, "from an L1 miss to its answer", {"miss_latency_cycles"}, {"misses_answered"}},
    {"l2_hit_latency", FACT_CYCLES, "from an L1 miss to its answer, where the L2 has it", {"l2_hit_latency_cycles"}, {"l2_hits_answered"}},
    {"lines_per_load", FACT_NUMBER, "lines for each load of a warp", {"load_lines"}, {"load_requests"}},
    {"active_lanes", FACT_NUMBER, "of 32 lanes active", {"thread_instructions"}, {"warp_instructions"}},
    {"passes", FACT_NUMBER, "passes for each access to shared memory", {"shared_passes"}, {"shared_accesses"}},
    {"shared_use", FACT_SHARE, "of SM cycles with a pass of shared memory", {"shared_passes"}, {"@sm_cycles"}},

    {"l1_stalled", FACT_SHARE, "of SM cycles the L1 was stalled", {L1_STALLS}, {"@sm_cycles"}},
    L1_STALL("cache", "all lines of a set reserved"),
    L1_STALL("mshr", "no MSHR free"),
    L1_STALL("bp_l2", "the miss queue towards the L2 was full"),
    {"l2_stalled", FACT_SHARE, "of cycles a bank of the L2 was stalled", {L2_STALLS}, {"@bank_cycles"}},
    L2_STALL("bp_icnt", "the response queue towards the reply network was full"),
    L2_STALL("bp_dram", "the miss queue towards DRAM was full"),
    L2_STALL("port", "the data port was busy"),
    L2_STALL("cache", "all lines of a set reserved"),
    L2_STALL("mshr", "no MSHR free"),
    {"l2_queue_full", FACT_SHARE, "of the time that the L2's access queues are in use, they are full", {"l2_queue.full"}, {BINS("l2_queue")}},
    {"dram_queue_full", FACT_SHARE, "of the time that the DRAM's queues are in use, they are full", {"dram_queue.full"}, {BINS("dram_queue")}},
    {"reply_use", FACT_SHARE, "of what the reply network can move was moved", {"reply_bytes"}, {"@reply_bytes"}},
    {"request_use", FACT_SHARE, "of what the request network can move was moved", {"request_bytes"}, {"@request_bytes"}},
    {"dram_use", FACT_SHARE, "of the DRAM's peak bandwidth was used", {"dram_read_bytes", "dram_written_bytes"}, {"@dram_bytes"}},
    {"dram_efficiency", FACT_SHARE, "of the time with work the DRAM's bus was busy", {"dram_busy_clocks"}, {"dram_pending_clocks"}},
    {0},
};
/* clang-format on */

const struct fact *fact_find(const char *id)
{
    for (const struct fact *f = facts; f->id; f++) {
        if (strcmp(f->id, id) == 0)
            return f;
    }
    return NULL;
}

/* What the chip could have done in `cycles` of its cores. */
static double capacity(const char *name, const struct why *why, const struct why_row *row)
{
    const struct gpu_config *c = why_chip(why);
    struct dram_timing dram;
    dram_resolve(&c->dram, &dram);
    double cycles = why_value(why, row, "cycles"), seconds = cycles / (double)c->sm.clock_hz;
    double l2_cycles = seconds * (double)c->l2.clock_hz;
    double banks = (double)dram.config.channels * c->l2.banks_per_channel;
    /* a packet needs a line of an SM and one of a bank: the fewer of them are the limit */
    double lines = banks < c->sm.count ? banks : c->sm.count;
    if (strcmp(name, "@sm_cycles") == 0)
        return cycles * c->sm.count;
    if (strcmp(name, "@bank_cycles") == 0)
        return l2_cycles * banks;
    if (strcmp(name, "@dram_bytes") == 0)
        return seconds * dram_peak_bytes_per_second(&dram);
    if (strcmp(name, "@reply_bytes") == 0)
        return l2_cycles * lines * c->network.reply.flit_bytes * c->network.reply.speedup;
    if (strcmp(name, "@request_bytes") == 0)
        return l2_cycles * lines * c->network.request.flit_bytes * c->network.request.speedup;
    /* @issues: schedulers that share one set of lanes issue one instruction together */
    double live = 0;
    static const char *const all[] = {SLOTS};
    for (size_t i = 0; i + 1 < ARRAY_LEN(all); i++) {
        char column[96];
        snprintf(column, sizeof column, "scheduler_slots_%s", strchr(all[i], '.') + 1);
        live += why_value(why, row, column);
    }
    bool shared = c->sm.units.integer_on_fp32 && !c->sm.sub_cores;
    u32 together =
        c->sm.units.fp32.pipes < c->sm.schedulers ? c->sm.units.fp32.pipes : c->sm.schedulers;
    return live * c->sm.issue_width * (shared ? (double)together / c->sm.schedulers : 1);
}

/* A result file's scheduler_slots.issued is the column scheduler_slots_issued. */
static double term(const char *name, const struct why *why, const struct why_row *row)
{
    char column[96];
    if (*name == '@')
        return capacity(name, why, row);
    snprintf(column, sizeof column, "%s", name);
    for (char *dot = strchr(column, '.'); dot; dot = NULL)
        *dot = '_';
    return why_value(why, row, column);
}

static double sum(const char *const *names, const struct why *why, const struct why_row *row)
{
    double total = 0;
    for (; *names; names++)
        total += term(*names, why, row);
    return total;
}

double fact_value(const struct fact *f, const struct why *why, const struct why_row *row)
{
    double under = sum(f->under, why, row);
    return under > 0 ? sum(f->over, why, row) / under : NAN;
}

double fact_of(const struct why *why, const struct why_row *row, const char *id)
{
    const struct fact *f = fact_find(id);
    assert(f); /* ids are written in our own tables */
    return fact_value(f, why, row);
}

/* "a.b" stays; of several elements of one array only its name is left. */
void fact_cites(const struct fact *f, struct text *out)
{
    assert(f->over[0] && f->under[0]);
    bool many = f->over[1] != NULL;
    for (u32 i = 0; f->over[i]; i++) {
        const char *name = f->over[i];
        int length = (int)(many ? strcspn(name, ".") : strlen(name));
        if (i && many && strncmp(f->over[i - 1], name, (size_t)length) == 0 && name[length])
            continue;
        text_printf(out, "%s%.*s", i ? " + " : "", length, name);
    }
    if (*f->under[0] != '@' && !strchr(f->over[0], '.'))
        text_printf(out, " / %s", f->under[0]);
}

void fact_text(const struct fact *f, double value, struct text *out)
{
    if (f->unit == FACT_SHARE)
        text_printf(out, "%.1f %% ", 100 * value);
    else if (f->unit == FACT_CYCLES)
        text_printf(out, "%.0f cycles ", value);
    else
        text_printf(out, "%.1f ", value);
    text_printf(out, "%s (", f->words);
    fact_cites(f, out);
    text_printf(out, ")");
}

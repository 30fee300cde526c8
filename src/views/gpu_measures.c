#include "views/gpu_measures.h"

#include "gpu/config.h"
#include "gpu/sm/sm.h"

/* ---- capacities ---- */

/* clang-format off */
#define CAPACITIES(X) \
    X(sms,                     "SMs",               "of the chip") \
    X(schedulers,              "schedulers",        "of an SM") \
    X(lanes,                   "schedulers",        "of all SMs; each is charged with every cycle") \
    X(l2_banks,                "banks",             "of the L2") \
    X(channels,                "channels",          "of the DRAM") \
    X(clock_hz,                "Hz",                "of the SMs") \
    X(cycles_per_fs,           "cycles/fs",         "of the SMs") \
    X(l2_port_bytes,           "bytes",             "moved by the data port of a bank per cycle") \
    X(peak_issue,              "instructions/cycle", "peak of all schedulers") \
    X(peak_threads,            "instructions/s",    "peak of threads, with all lanes active") \
    X(peak_l1_lookups,         "requests/cycle",    "of all L1s") \
    X(peak_l2,                 "bytes/s",           "of the data ports of all banks") \
    X(peak_request,            "bytes/s",           "peak of the request network, limited by SMs or banks") \
    X(peak_reply,              "bytes/s",           "peak of the reply network, limited by SMs or banks") \
    X(peak_dram,               "bytes/s",           "of the data pins") \
    X(issues_per_slot,         "instructions",      "most a scheduler with warps can issue per cycle") \
    X(bank_cycles_per_cycle,   "cycles",            "L2 cycles of all banks per SM cycle") \
    X(dram_bytes_per_cycle,    "bytes",             "moved by the data pins per SM cycle") \
    X(request_bytes_per_cycle, "bytes",             "peak of the request network per SM cycle") \
    X(reply_bytes_per_cycle,   "bytes",             "peak of the reply network per SM cycle")

#define CAPACITY_ROW(id, u, text) {#id, u, text},
const struct capacity gpu_capacities[] = {CAPACITIES(CAPACITY_ROW){0}};
#define CAPACITY_ID(id, u, text) CAP_##id,
enum { CAPACITIES(CAPACITY_ID) CAPACITY_COUNT };
_Static_assert(CAPACITY_COUNT <= MOST_CAPACITIES, "MOST_CAPACITIES");
/* clang-format on */

static double line_bytes(const struct crossbar_config *c)
{
    return (double)c->flit_bytes * c->speedup;
}

/* Schedulers that share one set of lanes issue one instruction together. */
static double issues_per_slot(const struct sm_config *c)
{
    bool shared = c->units.integer_on_fp32 && !c->sub_cores;
    u32 together = c->units.fp32.pipes < c->schedulers ? c->units.fp32.pipes : c->schedulers;
    return c->issue_width * (shared ? (double)together / c->schedulers : 1);
}

void gpu_capacity_values(const void *config, double *out)
{
    const struct gpu_config *c = config;
    struct dram_timing dram;
    dram_resolve(&c->dram, &dram);
    double hz = (double)c->sm.clock_hz, l2_hz = (double)c->l2.clock_hz, sms = c->sm.count;
    double banks = (double)dram.config.channels * c->l2.banks_per_channel;
    double request = line_bytes(&c->network.request), reply = line_bytes(&c->network.reply);
    /* a packet needs a line of an SM and one of a bank: the fewer of them are the limit */
    double lines = banks < sms ? banks : sms;
    out[CAP_sms] = sms;
    out[CAP_schedulers] = c->sm.schedulers;
    out[CAP_lanes] = sms * c->sm.schedulers;
    out[CAP_l2_banks] = banks;
    out[CAP_channels] = dram.config.channels;
    out[CAP_clock_hz] = hz;
    out[CAP_cycles_per_fs] = hz * 1e-15;
    out[CAP_l2_port_bytes] = c->l2.port_bytes;
    out[CAP_peak_issue] = sms * c->sm.schedulers * c->sm.issue_width;
    out[CAP_peak_threads] = out[CAP_peak_issue] * 32 * hz;
    out[CAP_peak_l1_lookups] = sms * c->sm.l1.accesses_per_cycle;
    out[CAP_peak_l2] = l2_hz * banks * c->l2.port_bytes;
    out[CAP_peak_request] = l2_hz * lines * request;
    out[CAP_peak_reply] = l2_hz * lines * reply;
    out[CAP_peak_dram] = dram_peak_bytes_per_second(&dram);
    out[CAP_issues_per_slot] = issues_per_slot(&c->sm);
    out[CAP_bank_cycles_per_cycle] = l2_hz / hz * banks;
    out[CAP_dram_bytes_per_cycle] = out[CAP_peak_dram] / hz;
    out[CAP_request_bytes_per_cycle] = l2_hz / hz * lines * request;
    out[CAP_reply_bytes_per_cycle] = l2_hz / hz * lines * reply;
}

/* ---- where cycles went ---- */

static const char *const slot_meanings[SLOT_COUNT] = {
    "a warp instruction was issued",
    "no warp had a fetched instruction (instruction cache)",
    "all warps waited for data from memory",
    "all warps waited for arithmetic results",
    "the load/store unit was full",
    "the execution units were busy",
    "all warps waited at barriers",
    "the warp policy held back the ready warps",
    "no warp was resident",
};

const struct cycle_stack gpu_cycle_stack = {
    .statistic = "sm.scheduler_slots",
    .field = "scheduler_slots",
    .lanes = "lanes",
    .words = "scheduler cycles",
    .causes = slot_names,
    .meanings = slot_meanings,
    .count = SLOT_COUNT,
};

/* ---- measures of a run ---- */

/* clang-format off */
#define L1_STALLS(cause) "l1_stall_" cause, "L1 stalls: " cause, "ratio", MEASURE_QUEUES
#define TENSOR(share) {"tensor_" share, "tensor cores (wgmma): " share, "ratio", MEASURE_QUEUES, .over = {"sm.tensor_cycles:" share}, .under = {"sm.tensor_cycles:*"}}
#define L2_STALLS(cause) "l2_stall_" cause, "L2 stalls: " cause, "ratio", MEASURE_QUEUES

const struct measure gpu_measures[] = {
    {"l1_hit_rate", "L1 hit rate", "ratio", MEASURE_HITS, .over = {"sm.l1.hits"}, .under = {"sm.l1.loads"}},
    {"l2_hit_rate", "L2 hit rate", "ratio", MEASURE_HITS, .over = {"l2.hits"}, .under = {"l2.accesses"}},
    {"icache_hit_rate", "instruction cache hit rate", "ratio", MEASURE_HITS, .over = {"sm.icache.hits"}, .under = {"sm.icache.accesses"}},
    {"constant_hit_rate", "constant cache hit rate", "ratio", MEASURE_HITS, .over = {"sm.constant.hits"}, .under = {"sm.constant.accesses"}},
    {"texture_hit_rate", "texture cache hit rate", "ratio", MEASURE_HITS, .over = {"sm.texture.hits"}, .under = {"sm.texture.accesses"}},
    {"row_hit_rate", "DRAM row hit rate", "ratio", MEASURE_HITS, .over = {"dram.row_hits"}, .under = {"dram.served"}},
    {"lines_per_load", "lines per load", "lines", MEASURE_HITS, .over = {"sm.load_lines"}, .under = {"sm.load_requests"}},
    {"passes_per_access", "passes per shared access", "passes", MEASURE_HITS, .over = {"sm.shared_passes"}, .under = {"sm.shared_accesses"}},
    {"active_lanes", "active lanes", "lanes", MEASURE_HITS, .over = {"sm.thread_instructions"}, .under = {"sm.warp_instructions"}},

    {"miss_latency", "miss latency", "cycles", MEASURE_LATENCY, .over = {"sm.l1.latency_cycles"}, .under = {"sm.l1.answered"}},
    {"l2_hit_latency", "miss latency with an L2 hit", "cycles", MEASURE_LATENCY, .over = {"sm.l1.l2_hit_latency_cycles"}, .under = {"sm.l1.l2_hits"}},
    {"hop_request", "miss latency, request network", "cycles", MEASURE_LATENCY, .over = {"sm.l1.request_fs"}, .under = {"sm.l1.answered"}, .over_times = "cycles_per_fs"},
    {"hop_l2", "miss latency, L2", "cycles", MEASURE_LATENCY, .over = {"sm.l1.l2_fs"}, .under = {"sm.l1.answered"}, .over_times = "cycles_per_fs"},
    {"hop_dram", "miss latency, DRAM", "cycles", MEASURE_LATENCY, .over = {"sm.l1.dram_fs"}, .under = {"sm.l1.answered"}, .over_times = "cycles_per_fs"},
    {"hop_reply", "miss latency, reply network", "cycles", MEASURE_LATENCY, .over = {"sm.l1.reply_fs"}, .under = {"sm.l1.answered"}, .over_times = "cycles_per_fs"},
    {"tail_gap", "first to last answer of a load", "cycles", MEASURE_LATENCY, .over = {"sm.load_gap_cycles"}, .under = {"sm.gap_loads"}},

    {L1_STALLS("cache"), .over = {"sm.l1.stall:cache"}, .under = {"sm.cycles"}},
    {L1_STALLS("mshr"), .over = {"sm.l1.stall:mshr"}, .under = {"sm.cycles"}},
    {L1_STALLS("bp_l2"), .over = {"sm.l1.stall:bp_l2"}, .under = {"sm.cycles"}},
    {L2_STALLS("bp_icnt"), .over = {"l2.stall:bp_icnt"}, .under = {"@cycles.l2"}, .under_times = "l2_banks"},
    {L2_STALLS("bp_dram"), .over = {"l2.stall:bp_dram"}, .under = {"@cycles.l2"}, .under_times = "l2_banks"},
    {L2_STALLS("port"), .over = {"l2.stall:port"}, .under = {"@cycles.l2"}, .under_times = "l2_banks"},
    {L2_STALLS("cache"), .over = {"l2.stall:cache"}, .under = {"@cycles.l2"}, .under_times = "l2_banks"},
    {L2_STALLS("mshr"), .over = {"l2.stall:mshr"}, .under = {"@cycles.l2"}, .under_times = "l2_banks"},
    TENSOR("busy"),
    TENSOR("copies"),
    TENSOR("products"),
    TENSOR("warps"),
    TENSOR("other"),
    {"l2_queue_full", "L2 access queue full, when in use", "ratio", MEASURE_QUEUES, .over = {"l2.access_queue:full"}, .under = {"l2.access_queue:*"}},
    {"dram_queue_full", "DRAM queue full, when in use", "ratio", MEASURE_QUEUES, .over = {"dram.queue_occupancy:full"}, .under = {"dram.queue_occupancy:*"}},

    {"issue", "warp instructions issued", "instructions/cycle", MEASURE_BANDWIDTH, .over = {"sm.warp_instructions"}, .under = {"@cycles"}, .peak = "peak_issue"},
    {"l1_lookups", "L1 lookups", "requests/cycle", MEASURE_BANDWIDTH, .over = {"sm.l1.loads", "sm.l1.stores"}, .under = {"@cycles"}, .peak = "peak_l1_lookups"},
    {"request_bytes", "request network", "bytes/s", MEASURE_BANDWIDTH, .over = {"request_network.bytes"}, .under = {"@seconds"}, .peak = "peak_request"},
    {"l2_bytes", "L2 data ports", "bytes/s", MEASURE_BANDWIDTH, .over = {"l2.busy_port_cycles"}, .under = {"@seconds"}, .over_times = "l2_port_bytes", .peak = "peak_l2"},
    {"reply_bytes", "reply network", "bytes/s", MEASURE_BANDWIDTH, .over = {"reply_network.bytes"}, .under = {"@seconds"}, .peak = "peak_reply"},
    {"dram_bytes", "DRAM", "bytes/s", MEASURE_BANDWIDTH, .over = {"dram.bytes_read", "dram.bytes_written"}, .under = {"@seconds"}, .peak = "peak_dram"},
    {"dram_efficiency", "DRAM bus busy while requests are pending", "ratio", MEASURE_BANDWIDTH, .over = {"dram.bus_busy_cycles"}, .under = {"dram.pending_cycles"}},

    {"warp_instructions", "warp instructions", "instructions", MEASURE_WORK, .over = {"sm.warp_instructions"}},
    {"thread_instructions", "thread instructions", "instructions", MEASURE_WORK, .over = {"sm.thread_instructions"}},
    {"loads", "loads", "instructions", MEASURE_WORK, .over = {"sm.loads"}},
    {"stores", "stores", "instructions", MEASURE_WORK, .over = {"sm.stores"}},
    {"blocks", "blocks", "blocks", MEASURE_WORK, .over = {"sm.blocks"}},
    {"l1_misses", "L1 misses", "requests", MEASURE_WORK, .over = {"sm.l1.misses"}},
    {"l2_misses", "L2 misses", "requests", MEASURE_WORK, .over = {"l2.misses"}},
    {"dram_traffic", "DRAM traffic", "bytes", MEASURE_WORK, .over = {"dram.bytes_read", "dram.bytes_written"}},
    {0},
};

/* ---- measures of a kernel or a program ---- */

#define SLOT(class, words) {class, "of scheduler cycles: " words, "ratio", MEASURE_WORK, .over = {"scheduler_slots." class}, .under = {"scheduler_slots.*"}}
#define TENSOR_FACT(share, words) {"tensor_" share, "of the tensor cores' time to their last product: " words, "ratio", MEASURE_WORK, .over = {"tensor_cycles." share}, .under = {"tensor_cycles.*"}}
#define L1_STALL(cause, words) {"l1_" cause, "of the L1's stalls: " words, "ratio", MEASURE_QUEUES, .over = {"l1_stall." cause}, .under = {"l1_stall.*"}}
#define L2_STALL(cause, words) {"l2_" cause, "of the L2's stalls: " words, "ratio", MEASURE_QUEUES, .over = {"l2_stall." cause}, .under = {"l2_stall.*"}}

const struct measure gpu_facts[] = {
    SLOT("issued", "an instruction was issued"),
    SLOT("fetch", "no warp had an instruction"),
    SLOT("data_mem", "all warps waited for data from memory"),
    SLOT("data_alu", "all warps waited for arithmetic results"),
    SLOT("structural_mem", "the load/store unit was full"),
    SLOT("structural_alu", "the execution units were busy"),
    SLOT("barrier", "all warps waited at barriers"),
    SLOT("throttled", "the warp policy kept the ready warps back"),
    SLOT("no_warp", "there was no warp"),
    {"issue_use", "of the instructions that could be issued were", "ratio", MEASURE_BANDWIDTH, .over = {"warp_instructions"}, .under = {"scheduler_slots.*", "-scheduler_slots.no_warp"}, .under_times = "issues_per_slot"},

    {"tensor_use", "of scheduler cycles a tensor core multiplied by itself", "ratio", MEASURE_BANDWIDTH, .over = {"tensor_cycles.busy"}, .under = {"scheduler_slots.*", "-scheduler_slots.no_warp"}},
    TENSOR_FACT("busy", "they multiplied"),
    TENSOR_FACT("copies", "idle, the next product waited for tensor copies (TMA)"),
    TENSOR_FACT("products", "idle, the next product waited for those before it (wgmma.wait_group)"),
    TENSOR_FACT("warps", "idle, the next product waited for other warps at an mbarrier"),
    TENSOR_FACT("other", "idle, the next product's warp did something else"),

    {"l1_hits", "of the L1's loads hit", "ratio", MEASURE_HITS, .over = {"l1_hits"}, .under = {"l1_loads"}},
    {"l2_hits", "of the L2's accesses hit", "ratio", MEASURE_HITS, .over = {"l2_hits"}, .under = {"l2_accesses"}},
    {"miss_latency", "from an L1 miss to its answer", "cycles", MEASURE_LATENCY, .over = {"miss_latency_cycles"}, .under = {"misses_answered"}},
    {"l2_hit_latency", "from an L1 miss to its answer, where the L2 has it", "cycles", MEASURE_LATENCY, .over = {"l2_hit_latency_cycles"}, .under = {"l2_hits_answered"}},
    {"lines_per_load", "lines for each load of a warp", "", MEASURE_HITS, .over = {"load_lines"}, .under = {"load_requests"}},
    {"active_lanes", "of 32 lanes active", "", MEASURE_HITS, .over = {"thread_instructions"}, .under = {"warp_instructions"}},
    {"passes", "passes for each access to shared memory", "", MEASURE_HITS, .over = {"shared_passes"}, .under = {"shared_accesses"}},
    {"shared_use", "of SM cycles with a pass of shared memory", "ratio", MEASURE_BANDWIDTH, .over = {"shared_passes"}, .under = {"cycles"}, .under_times = "sms"},

    {"l1_stalled", "of SM cycles the L1 was stalled", "ratio", MEASURE_QUEUES, .over = {"l1_stall.*"}, .under = {"cycles"}, .under_times = "sms"},
    L1_STALL("cache", "all lines of a set reserved"),
    L1_STALL("mshr", "no MSHR free"),
    L1_STALL("bp_l2", "the miss queue towards the L2 was full"),
    {"l2_stalled", "of cycles a bank of the L2 was stalled", "ratio", MEASURE_QUEUES, .over = {"l2_stall.*"}, .under = {"cycles"}, .under_times = "bank_cycles_per_cycle"},
    L2_STALL("bp_icnt", "the response queue towards the reply network was full"),
    L2_STALL("bp_dram", "the miss queue towards DRAM was full"),
    L2_STALL("port", "the data port was busy"),
    L2_STALL("cache", "all lines of a set reserved"),
    L2_STALL("mshr", "no MSHR free"),
    {"l2_queue_full", "of the time that the L2's access queues are in use, they are full", "ratio", MEASURE_QUEUES, .over = {"l2_queue.full"}, .under = {"l2_queue.*"}},
    {"dram_queue_full", "of the time that the DRAM's queues are in use, they are full", "ratio", MEASURE_QUEUES, .over = {"dram_queue.full"}, .under = {"dram_queue.*"}},
    {"reply_use", "of what the reply network can move was moved", "ratio", MEASURE_BANDWIDTH, .over = {"reply_bytes"}, .under = {"cycles"}, .under_times = "reply_bytes_per_cycle"},
    {"request_use", "of what the request network can move was moved", "ratio", MEASURE_BANDWIDTH, .over = {"request_bytes"}, .under = {"cycles"}, .under_times = "request_bytes_per_cycle"},
    {"dram_use", "of the DRAM's peak bandwidth was used", "ratio", MEASURE_BANDWIDTH, .over = {"dram_read_bytes", "dram_written_bytes"}, .under = {"cycles"}, .under_times = "dram_bytes_per_cycle"},
    {"dram_efficiency", "of the time with work the DRAM's bus was busy", "ratio", MEASURE_BANDWIDTH, .over = {"dram_busy_clocks"}, .under = {"dram_pending_clocks"}},
    {0},
};
/* clang-format on */

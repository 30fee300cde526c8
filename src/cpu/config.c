#include "cpu/config.h"

#include "config/config.h"
#include "cache/tags.h"

static const char *const loads_wait_names[] = {"conflicts", "stores", "order", NULL};

/* clang-format off */
#define LEE "Lee 2013, table 5"
#define CHAMPSIM "ChampSim's default configuration"
/* wake-ups lie on a wheel of 512 cycles */
#define MOST_CYCLES 200

static const struct param fetch_params[] = {
    P_U32(core_fetch_config, targets, 8, 1, 64, "blocks", "entries of the fetch-target queue: blocks predicted and not yet extracted", "hpc-cores spec 1.2"),
    P_U32(core_fetch_config, block_bytes, 256, 16, 1024, "bytes", "longest fetch block; a taken branch ends it", "hpc-cores spec 2.5"),
    P_U32(core_fetch_config, line_buffers, 8, 1, 64, "lines", "line buffers, filled or waiting for the L1I", "assumed; Milic 2017, section 5: 4"),
    P_U32(core_fetch_config, lines_per_cycle, 1, 1, 8, "lines", "line requests per cycle", "hpc-cores spec 2.5"),
    P_U32(core_fetch_config, width, 6, 1, 16, "instructions", "instructions extracted per cycle, from one line buffer", CHAMPSIM),
    P_U32(core_fetch_config, bytes, 32, 1, 256, "bytes", "bytes extracted per cycle", "assumed"),
    P_U32(core_fetch_config, queue_entries, 32, 1, 128, "instructions", "entries of the queue between extraction and dispatch", "hpc-cores spec 1.2"),
    P_U32(core_fetch_config, decode_cycles, 6, 1, MOST_CYCLES, "cycles", "time from extraction to dispatch: decode and rename", "derived: a branch predicted wrong then costs 12 cycles in all (Milic 2017, section 4)"),
    P_END,
};

static const struct param window_params[] = {
    P_BOOL(core_window_config, in_order, false, "instructions issue in program order", "assumed"),
    P_U32(core_window_config, dispatch_width, 4, 1, 16, "instructions", "instructions that enter the window per cycle", LEE),
    P_U32(core_window_config, rob_entries, 256, 1, 2048, "instructions", "entries of the reorder buffer", "MacSim; tap-and-vcp spec 1.4"),
    P_U32(core_window_config, scheduler_entries, 128, 1, 2048, "instructions", "instructions in the window that have not issued", CHAMPSIM),
    P_U32(core_window_config, issue_width, 4, 1, 16, "instructions", "instructions issued per cycle; a load that is part of another instruction counts too", LEE),
    P_U32(core_window_config, retire_width, 4, 1, 16, "instructions", "instructions that leave the window per cycle", LEE),
    P_END,
};

#define UNIT(name, n, cycles, every, src)                                                                            \
    static const struct param name##_params[] = {                                                                    \
        P_U32(unit_row, pipes, n, 1, 8, "pipes", "number of pipes", src),                                          \
        P_U32(unit_row, latency, cycles, 1, MOST_CYCLES, "cycles", "time until a dependent instruction can issue", src),  \
        P_U32(unit_row, interval, every, 1, MOST_CYCLES, "cycles", "time from one instruction to the next in a pipe", src), \
        P_END,                                                                                                       \
    }
#define FOG "Fog's instruction tables, Haswell"
UNIT(alu, 4, 1, 1, FOG);
UNIT(mul, 1, 3, 1, FOG);
UNIT(div, 1, 25, 10, FOG);
UNIT(fp_add, 1, 3, 1, FOG);
UNIT(fp_mul, 2, 5, 1, FOG);
UNIT(fp_div, 1, 14, 8, FOG);
UNIT(fp_fma, 2, 5, 1, FOG);
UNIT(simd, 3, 1, 1, FOG);
UNIT(load, 2, 1, 1, FOG);
UNIT(store, 1, 1, 1, FOG);
UNIT(branch_unit, 1, 1, 1, FOG);
UNIT(system, 1, 1, 1, "assumed");

static const struct param units_params[] = {
    P_GROUP(core_units_config, alu, alu_params, NULL, "integer arithmetic and logic"),
    P_GROUP(core_units_config, mul, mul_params, NULL, "integer multiplication"),
    P_GROUP(core_units_config, div, div_params, NULL, "integer division"),
    P_GROUP(core_units_config, fp_add, fp_add_params, NULL, "floating-point addition, comparison, conversion"),
    P_GROUP(core_units_config, fp_mul, fp_mul_params, NULL, "floating-point multiplication"),
    P_GROUP(core_units_config, fp_div, fp_div_params, NULL, "floating-point division and roots"),
    P_GROUP(core_units_config, fp_fma, fp_fma_params, NULL, "fused multiply-add"),
    P_GROUP(core_units_config, simd, simd_params, NULL, "integer vectors"),
    P_GROUP(core_units_config, load, load_params, NULL, "accesses of loads to the L1D; the latency is lsq's and the cache's"),
    P_GROUP(core_units_config, store, store_params, NULL, "addresses and data of stores; as many stores write to the L1D in a cycle"),
    P_GROUP(core_units_config, branch, branch_unit_params, NULL, "branches"),
    P_GROUP(core_units_config, system, system_params, NULL, "system calls, fences and everything else"),
    P_END,
};

static const struct param lsq_params[] = {
    P_U32(lsq_config, load_entries, 72, 1, 1024, "loads", "entries of the load queue: loads in the window", "Intel Haswell"),
    P_U32(lsq_config, store_entries, 42, 1, 1024, "stores", "entries of the store queue: stores in the window, or retired and not yet in the L1D", "Intel Haswell"),
    P_CHOICE(lsq_config, loads_wait, LOADS_WAIT_CONFLICTS, loads_wait_names, "a load waits for older stores to its own bytes; or for the addresses of all older stores; or (order) for older stores to its own bytes and all that are older than those, because stores execute in order", "assumed: a perfect predictor of dependences; ChampSim: order"),
    P_U32(lsq_config, address_cycles, 1, 0, 100, "cycles", "time to compute an address, before the access to the L1D", "assumed"),
    P_U32(lsq_config, forward_cycles, 1, 1, 100, "cycles", "time from an older store in the queue to a load whose address is known", "assumed"),
    P_END,
};

#define PRIVATE(name, bytes, n, cycles, width, misses, src)                                                            \
    static const struct param name##_params[] = {                                                                      \
        P_U64(private_config, size_bytes, bytes, 1024, (u64)1 << 30, "bytes", "data capacity", src),                   \
        P_U32(private_config, ways, n, 1, 64, "lines", "lines per set", src),                                          \
        P_U32(private_config, hit_cycles, cycles, 1, MOST_CYCLES, "cycles", "time from the lookup to the data, or to the request to the next level", src), \
        P_U32(private_config, ports, width, 1, 8, "requests", "lookups per cycle; for the L1D see units.load and units.store", "assumed"), \
        P_U32(private_config, mshrs, misses, 1, 1024, "lines", "miss status holding registers: lines requested and not yet filled", CHAMPSIM),                              \
        P_CHOICE(private_config, set_index, SET_LINEAR, set_index_names, "how the set of a line is chosen", "assumed"),       \
        P_STRING(private_config, replacement, "lru", "which line of a set is evicted", "assumed"),                           \
        P_STRING(private_config, prefetcher, "none", "which lines are fetched ahead", "tap-and-vcp spec 1.4: none"),   \
        P_BOOL(private_config, perfect, false, "every access hits", "for limit studies"),                            \
        P_END,                                                                                                         \
    }
PRIVATE(l1i, 32768, 8, 2, 1, 8, LEE);
PRIVATE(l1d, 32768, 8, 2, 1, 16, LEE);
PRIVATE(l2_private, 262144, 8, 8, 1, 32, LEE);

static const struct param tlb_params[] = {
    P_BOOL(tlb_config, enabled, false, "addresses are translated; false: at no cost", "assumed"),
    P_U32(tlb_config, page_bytes, 4096, 4096, 1u << 30, "bytes", "page size", "x86-64"),
    P_U32(tlb_config, entries, 64, 1, 4096, "pages", "pages in the first-level TLB, for instructions and for data each", CHAMPSIM),
    P_U32(tlb_config, ways, 4, 1, 4096, "pages", "pages per set of the first-level TLB", CHAMPSIM),
    P_U32(tlb_config, l2_entries, 1536, 1, 65536, "pages", "pages in the second-level TLB, which both share", CHAMPSIM),
    P_U32(tlb_config, l2_ways, 12, 1, 65536, "pages", "pages per set of the second-level TLB", CHAMPSIM),
    P_U32(tlb_config, l2_cycles, 8, 1, MOST_CYCLES, "cycles", "additional time of a first-level TLB miss", CHAMPSIM),
    P_U32(tlb_config, walk_cycles, 60, 1, MOST_CYCLES, "cycles", "additional time of a page walk, when both levels miss", "assumed: walks do not use the caches"),
    P_END,
};

static const struct param first_params[] = {
    P_BOOL(first_core_config, enabled, false, "core 0 has a front end of its own, described below; false: the same as all others", "Milic 2017, chapter 4: asymmetric CMPs"),
    P_GROUP(first_core_config, branch, branch_params, branch_check, "branch prediction of core 0; the predictor may have parameters: NAME,PARAMETER=VALUE,..."),
    P_GROUP(first_core_config, l1i, l1i_params, NULL, "instruction cache of core 0; replacement and prefetcher may have parameters: NAME,PARAMETER=VALUE,..."),
    P_END,
};

static const char *const backend_names[] = {"out_of_order", "rate", NULL};
static const char *const icache_network_names[] = {"bus", "crossbar", NULL};

static const struct param sharing_params[] = {
    P_U32(sharing_config, cores_per_cache, 1, 1, CORE_MOST, "cores", "worker cores (all but core 0) that share one I-cache and the L2 below it; 1: each has its own", "Milic 2017, table 5.1: 1, 2, 4, 8"),
    P_BOOL(sharing_config, with_first, false, "core 0 shares the cache of all others", "Milic 2017, section 5.6: all-shared"),
    P_CHOICE(sharing_config, network, ICACHE_BUS, icache_network_names, "network between the cores and the banks of a shared I-cache: one bus per bank, or a crossbar with one port per core", "Milic 2017, section 5.3"),
    P_U32(sharing_config, buses, 1, 1, 8, "buses", "number of buses and of banks; line address modulo this number chooses the bank", "Milic 2017, table 5.1: 1, 2"),
    P_U32(sharing_config, bus_bytes, 32, 4, 128, "bytes", "bytes that a bus moves per cycle", "Milic 2017, table 5.1"),
    P_U32(sharing_config, bus_cycles, 2, 2, 100, "cycles", "latency from a core to the shared I-cache, without contention", "Milic 2017, table 5.1"),
    P_END,
};

static const struct param vector_params[] = {
    P_U32(vector_config, bits, 0, 0, 2048, "bits", "length of a scalable vector (SVE); 0: programs see 128 bits, and the timing of vectors is not modelled", "context-management spec 1.3"),
    P_U32(vector_config, registers, 0, 0, 1024, "registers", "physical vector registers, the 32 architectural ones included; 0: as many as the window needs", "assumed"),
    P_U32(vector_config, bus_bytes, 0, 0, 512, "bytes", "width of the aligned word that moves to or from the L1D per cycle; 0: a line", "context-management spec 1.3: 64"),
    P_END,
};

static const char *const move_names[] = {"never", "activity", "always", NULL};

static const struct param little_params[] = {
    P_U32(little_config, count, 0, 0, CORE_MOST - 1, "cores", "LITTLE cores: the last ones of core.count", "context-management spec 1.3"),
    P_U32(little_config, width, 2, 1, 16, "instructions", "instructions that a LITTLE core dispatches, issues and retires per cycle", "context-management spec 1.3: half of a big one's"),
    P_U32(little_config, vector_bits, 256, 128, 2048, "bits", "length of a scalable vector on a LITTLE core", "context-management spec 1.3: half of a big one's"),
    P_END,
};

static const struct param move_params[] = {
    P_CHOICE(move_config, policy, 0, move_names, "when an executed program moves to a core of the other kind: to a LITTLE core after periods of few active elements or many stalls, else to a big one (activity); after every period (always)", "context-management spec 2.10"),
    P_U64(move_config, period_ns, 100000, 1, 1000000000, "ns", "time between two decisions of the migration policy", "context-management spec 2.10"),
    P_U32(move_config, activity_below, 50, 0, 100, "%", "share of active vector elements below which a program moves to a LITTLE core", "context-management spec 2.10"),
    P_U32(move_config, stalls_above, 60, 0, 100, "%", "share of retirement slots waiting for memory above which a program moves to a LITTLE core", "context-management spec 2.10"),
    P_BOOL(move_config, enforced, true, "a pinned thread never moves to a core with shorter vectors and keeps its length; false shows the errors that follow otherwise", "context-management spec 2.10"),
    P_U64(move_config, disable_big_ns, 0, 0, 1000000000, "ns", "time after which the big cores are disabled: each program leaves once it is not pinned; 0: never", "context-management spec 2.10"),
    P_END,
};

const struct param core_params[] = {
    P_U32(core_config, count, 4, 1, CORE_MOST, "cores", "number of cores", LEE),
    P_U64(core_config, clock_hz, 3500000000, 1000000, 100000000000, "Hz", "clock of the cores and their private caches", LEE),
    P_BOOL(core_config, openmp, false, "threads of a program wait for each other at the OpenMP events of its trace; false: they ignore them", "hpc-cores spec 2.5"),
    P_BOOL(core_config, cost, false, "area and energy of the cores and their L2 are counted, by parts of the core (heddle area)", "Milic 2017, table 4.3"),
    P_CHOICE(core_config, backend, BACKEND_OUT_OF_ORDER, backend_names, "what follows the front end: an out-of-order window with units and data caches, or a rate of instructions per cycle by section", "Milic 2017, section 5.4: rate"),
    P_GROUP(core_config, fetch, fetch_params, NULL, "front end: fetch-target queue, line buffers, decode"),
    P_GROUP(core_config, branch, branch_params, branch_check, "branch prediction"),
    P_GROUP(core_config, window, window_params, NULL, "instructions between dispatch and retirement"),
    P_GROUP(core_config, units, units_params, NULL, "functional units, by class of instruction"),
    P_GROUP(core_config, lsq, lsq_params, NULL, "queues of loads and stores"),
    P_GROUP(core_config, l1i, l1i_params, NULL, "private instruction cache"),
    P_GROUP(core_config, l1d, l1d_params, NULL, "private data cache: write-back, allocates on writes"),
    P_GROUP(core_config, l2, l2_private_params, NULL, "private second-level cache"),
    P_GROUP(core_config, tlb, tlb_params, NULL, "address translation"),
    P_GROUP(core_config, first, first_params, NULL, "core 0 of an asymmetric chip"),
    P_GROUP(core_config, rate, rate_params, NULL, "back end by rate; used with core.backend: rate"),
    P_GROUP(core_config, sharing, sharing_params, NULL, "I-caches that several cores share"),
    P_GROUP(core_config, vector, vector_params, NULL, "scalable vectors"),
    P_GROUP(core_config, little, little_params, NULL, "LITTLE cores"),
    P_GROUP(core_config, move, move_params, NULL, "programs that move between big and LITTLE cores"),
    P_END,
};
/* clang-format on */

static bool check_cache(const struct private_config *c, const char *what, u32 line_bytes,
                        const struct config *config, struct err *err)
{
    u64 set = (u64)c->ways * line_bytes;
    if (c->size_bytes % set)
        return err_at(err, config_pos(config, &c->size_bytes),
                      "core.%s.size_bytes is %llu, expected a multiple of line x ways = %llu", what,
                      (unsigned long long)c->size_bytes, (unsigned long long)set);
    u64 sets = c->size_bytes / set;
    if ((c->set_index == SET_FERMI && sets != 32 && sets != 64) ||
        (c->set_index == SET_XOR && (sets & (sets - 1))))
        return err_at(err, config_pos(config, &c->set_index),
                      "core.%s has %llu sets, which its set_index cannot have", what,
                      (unsigned long long)sets);
    return true;
}

static bool check_tlb(const struct tlb_config *c, const struct config *config, struct err *err)
{
    if (c->entries % c->ways)
        return err_at(err, config_pos(config, &c->entries),
                      "core.tlb.entries is %u, expected a multiple of ways = %u", c->entries,
                      c->ways);
    if (c->l2_entries % c->l2_ways)
        return err_at(err, config_pos(config, &c->l2_entries),
                      "core.tlb.l2_entries is %u, expected a multiple of l2_ways = %u",
                      c->l2_entries, c->l2_ways);
    if (c->page_bytes & (c->page_bytes - 1))
        return err_at(err, config_pos(config, &c->page_bytes),
                      "core.tlb.page_bytes is %u, expected a power of two", c->page_bytes);
    return true;
}

/* ---- I-caches that several cores share --------------------------------------------------------
 */

static u32 sharers(const struct core_config *c)
{
    return c->count - (c->sharing.with_first ? 0 : 1);
}

u32 sharing_group_cores(const struct core_config *c)
{
    return c->sharing.with_first ? c->count : c->sharing.cores_per_cache;
}

u32 sharing_groups(const struct core_config *c)
{
    if (c->sharing.cores_per_cache <= 1 && !c->sharing.with_first)
        return 0;
    return sharers(c) / sharing_group_cores(c);
}

u32 sharing_first_core(const struct core_config *c, u32 group)
{
    return (c->sharing.with_first ? 0 : 1) + group * sharing_group_cores(c);
}

u32 sharing_line_cycles(const struct sharing_config *s, u32 line_bytes)
{
    return (line_bytes + s->bus_bytes - 1) / s->bus_bytes;
}

u32 core_agents(const struct core_config *c)
{
    return c->count + sharing_groups(c);
}

static bool check_sharing(const struct core_config *c, const struct config *config, struct err *err)
{
    const struct sharing_config *s = &c->sharing;
    u32 per_cache = s->cores_per_cache, workers = c->count - 1;
    if (s->with_first && per_cache != workers)
        return err_at(err, config_pos(config, &c->sharing.cores_per_cache),
                      "core.sharing.cores_per_cache is %u, expected all %u cores after core 0 "
                      "where core 0 shares their cache",
                      per_cache, workers);
    if (per_cache > 1 && (!workers || workers % per_cache))
        return err_at(err, config_pos(config, &c->sharing.cores_per_cache),
                      "core.sharing.cores_per_cache is %u, expected a divisor of the %u cores "
                      "after core 0",
                      per_cache, workers);
    if (c->cost && sharing_groups(c))
        return err_at(err, config_pos(config, &c->cost),
                      "core.cost counts an I-cache for each core, expected false where cores share "
                      "them (lean.area_um2 and lean.energy_nj include shared ones)");
    return true;
}

static bool check_rates(const struct core_config *c, const struct config *config, struct err *err)
{
    const struct rate_config *r = &c->rate;
    const double *const rates[] = {&r->wide_serial, &r->wide_parallel, &r->lean};
    for (u32 i = 0; c->backend == BACKEND_RATE && i < ARRAY_LEN(rates); i++) {
        if (*rates[i] > c->window.retire_width)
            return err_at(err, config_pos(config, rates[i]),
                          "a rate of %g instructions per cycle, expected at most "
                          "core.window.retire_width = %u",
                          *rates[i], c->window.retire_width);
    }
    return true;
}

static bool check_vector(const struct core_config *c, const struct config *config, struct err *err)
{
    const struct vector_config *v = &c->vector;
    if (v->bits % 128)
        return err_at(err, config_pos(config, &v->bits),
                      "core.vector.bits is %u, expected a multiple of 128", v->bits);
    if (c->little.count && (c->little.count >= c->count || !v->bits || c->little.vector_bits % 128))
        return err_at(
            err, config_pos(config, &c->little.count),
            "core.little has %u cores of %u bits, expected fewer than core.count = %u and a "
            "multiple of 128 bits, beside big ones with core.vector.bits",
            c->little.count, c->little.vector_bits, c->count);
    if (c->move.policy && !c->little.count)
        return err_at(err, config_pos(config, &c->move.policy),
                      "core.move.policy is %s, expected never or core.little.count from 1 on",
                      move_names[c->move.policy]);
    if (v->registers && v->registers <= 32 + 4)
        return err_at(err, config_pos(config, &v->registers),
                      "core.vector.registers is %u, expected 0 or more than 36: the 32 of the "
                      "architecture and what an instruction writes",
                      v->registers);
    if (v->bus_bytes && (v->bus_bytes < 8 || v->bus_bytes & (v->bus_bytes - 1)))
        return err_at(err, config_pos(config, &v->bus_bytes),
                      "core.vector.bus_bytes is %u, expected 0 or a power of two from 8 on",
                      v->bus_bytes);
    if (v->bits && c->units.fp_add.latency > 7)
        return err_at(err, config_pos(config, &c->units.fp_add.latency),
                      "core.units.fp_add.latency is %u, expected up to 7 with core.vector.bits: a "
                      "sum in order takes it for each of 64 elements",
                      c->units.fp_add.latency);
    return true;
}

bool core_check(const struct core_config *c, u32 line_bytes, const struct config *config,
                struct err *err)
{
    return check_cache(&c->l1i, "l1i", line_bytes, config, err) &&
           check_cache(&c->l1d, "l1d", line_bytes, config, err) &&
           check_cache(&c->l2, "l2", line_bytes, config, err) &&
           check_cache(&c->first.l1i, "first.l1i", line_bytes, config, err) &&
           check_tlb(&c->tlb, config, err) && check_sharing(c, config, err) &&
           check_rates(c, config, err) && check_vector(c, config, err);
}

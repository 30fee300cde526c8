#include "memsys/config.h"

#include "config/config.h"
#include "net/mesh/placement.h"

#include <stdio.h>
#include <string.h>

static const char *const memory_models[] = {"real", "infinite", "fixed", NULL};
static const char *const network_kinds[] = {"crossbar", "fixed", "mesh", NULL};

/* clang-format off */
const struct param ideal_params[] = {
    P_CHOICE(ideal_config, model, MEMORY_REAL, memory_models, "memory below L1: real; infinite, without contention but with L2 tags (P_inf); or fixed, where every miss returns after fixed_cycles", "Dublish 2018, 3.1"),
    P_U32(ideal_config, fixed_cycles, 0, 0, 100000, "cycles", "latency of every L1 miss with model fixed", "Dublish 2018, figure 3.2"),
    P_U32(ideal_config, hit_cycles, 120, 3, 100000, "cycles", "latency of an L2 hit with model infinite", "Dublish 2018, table 3.1"),
    P_U32(ideal_config, miss_cycles, 220, 3, 100000, "cycles", "latency of an L2 miss with model infinite", "Dublish 2018, table 3.1"),
    P_END,
};

const struct param network_params[] = {
    P_CHOICE(network_config, kind, NETWORK_CROSSBAR, network_kinds, "kind of the two networks: crossbars, fixed latency, or one mesh that also carries the traffic to DRAM and back", "Dublish 2018, table 3.1"),
    P_GROUP(network_config, request, crossbar_params, NULL, "crossbar from the agents to the L2"),
    P_GROUP(network_config, reply, crossbar_params, NULL, "crossbar from the L2 to the agents"),
    P_GROUP(network_config, fixed, fixed_params, NULL, "both networks with kind fixed"),
    P_GROUP(network_config, mesh, mesh_params, mesh_check, "routers with kind mesh, in the clock of the shared cache"),
    P_STRING(network_config, placement, "", "component at each node of a mesh: rows from the top, separated by '/'; C a CPU core, G an SM, L a bank, M a memory controller", "Lee 2013, figure 25"),
    P_STRING(network_config, policy, "shared", "which virtual channels packets of CPU and GPU may use, and in which order they go in a mesh", "Lee 2013, 5.4"),
    P_U32(network_config, output_entries, 2, 1, 1024, "packets", "packets buffered at each output of a network", "assumed"),
    P_END,
};
/* clang-format on */

static bool is_power_of_two(u64 x)
{
    return x && !(x & (x - 1));
}

bool cache_check_sets(const struct config *config, const void *field, const char *what, u64 bytes,
                      u64 unit, struct err *err)
{
    if (bytes < unit || bytes % unit)
        return err_at(err, config_pos(config, field),
                      "%s is %llu, expected a multiple of line x ways = %llu", what,
                      (unsigned long long)bytes, (unsigned long long)unit);
    return true;
}

bool cache_check_index(const struct config *config, const u32 *field, u64 sets, struct err *err)
{
    if (*field == SET_FERMI && sets != 32 && sets != 64)
        return err_at(err, config_pos(config, field),
                      "set_index is fermi with %llu sets, expected 32 or 64 sets",
                      (unsigned long long)sets);
    if (*field == SET_XOR && !is_power_of_two(sets))
        return err_at(err, config_pos(config, field),
                      "set_index is xor with %llu sets, expected a power of two of them",
                      (unsigned long long)sets);
    return true;
}

/* A network has a line for each agent and each bank. */
static bool check_lines(const struct memory_config *m, u32 agents, u64 banks,
                        const struct config *config, struct err *err)
{
    const struct l2_config *c = m->l2;
    if (agents > CROSSBAR_MOST_LINES)
        return err_at(
            err, config_pos(config, NULL),
            "%u agents share the memory system, expected at most the %u lines of a network", agents,
            CROSSBAR_MOST_LINES);
    if (banks > CROSSBAR_MOST_LINES)
        return err_at(err, config_pos(config, &c->banks_per_channel),
                      "%s.banks_per_channel makes %llu banks, expected at most the %u lines of a "
                      "crossbar",
                      m->cache_name, (unsigned long long)banks, CROSSBAR_MOST_LINES);
    if (c->far_cycles && banks % 2)
        return err_at(err, config_pos(config, &c->far_cycles),
                      "%s.far_cycles is %u with %llu banks, expected an even number of banks for "
                      "two halves, or 0",
                      m->cache_name, c->far_cycles, (unsigned long long)banks);
    return true;
}

bool memory_check(const struct memory_config *m, u32 agents, const struct config *config,
                  struct err *err)
{
    const struct l2_config *c = m->l2;
    struct dram_timing timing;
    dram_resolve(m->dram, &timing);
    u64 banks = (u64)timing.config.channels * c->banks_per_channel;
    u64 unit = (u64)m->line_bytes * c->ways * banks;
    if (!is_power_of_two(c->interleave_bytes) || c->interleave_bytes < m->line_bytes)
        return err_at(err, config_pos(config, &c->interleave_bytes),
                      "%s.interleave_bytes is %u, expected a power of two of at least a line",
                      m->cache_name, c->interleave_bytes);
    if (c->bank_order == BANK_BY_DRAM &&
        (!is_power_of_two(c->banks_per_channel) || c->banks_per_channel > timing.config.banks))
        return err_at(err, config_pos(config, &c->bank_order),
                      "%s.bank_order is dram with %u banks per channel, expected a power of two of "
                      "at most the %u banks of DRAM",
                      m->cache_name, c->banks_per_channel, timing.config.banks);
    if (c->page_bytes && (!is_power_of_two(c->page_bytes) || c->page_bytes < c->interleave_bytes))
        return err_at(err, config_pos(config, &c->page_bytes),
                      "%s.page_bytes is %u, expected 0 or a power of two of at least "
                      "%s.interleave_bytes",
                      m->cache_name, c->page_bytes, m->cache_name);
    if (!is_power_of_two(c->fill_bytes) || c->fill_bytes > m->line_bytes)
        return err_at(err, config_pos(config, &c->fill_bytes),
                      "%s.fill_bytes is %u, expected a power of two of at most a line",
                      m->cache_name, c->fill_bytes);
    char size[32];
    snprintf(size, sizeof size, "%s.size_bytes", m->cache_name);
    return check_lines(m, agents, banks, config, err) &&
           cache_check_sets(config, &c->size_bytes, size, c->size_bytes, unit, err) &&
           cache_check_index(config, &c->set_index, c->size_bytes / unit, err);
}

bool memory_check_mesh(const struct memory_config *m, const u32 *agents,
                       const struct config *config, struct err *err)
{
    const struct network_config *n = m->network;
    struct src_pos at = config_pos(config, &n->placement);
    struct dram_timing timing;
    struct placement p;
    struct arena scratch = {0};
    if (n->kind != NETWORK_MESH)
        return strcmp(n->policy, "shared") == 0 ||
               err_at(err, config_pos(config, &n->policy),
                      "network.policy is %s, expected shared, or network.kind mesh", n->policy);
    dram_resolve(m->dram, &timing);
    u32 channels = timing.config.channels;
    const u32 expected[PLACED_KINDS] = {agents[AGENT_CPU], agents[AGENT_SM],
                                        channels * m->l2->banks_per_channel, UINT32_MAX};
    bool is_fine = placement_read(&p, &scratch, n->placement, n->mesh.width, n->mesh.height,
                                  expected, at, err);
    if (is_fine && (!p.count[PLACED_MEMORY] || channels % p.count[PLACED_MEMORY]))
        is_fine =
            err_at(err, at, "placement has %u times M, expected a divisor of the %u DRAM channels",
                   p.count[PLACED_MEMORY], channels);
    if (is_fine && m->line_bytes / n->mesh.flit_bytes + 1 > n->mesh.vc_flits &&
        n->mesh.whole_packets)
        is_fine = err_at(err, config_pos(config, &n->mesh.vc_flits),
                         "vc_flits is %u with whole_packets, expected the %u flits of a line",
                         n->mesh.vc_flits, m->line_bytes / n->mesh.flit_bytes + 1);
    arena_fini(&scratch);
    return is_fine;
}

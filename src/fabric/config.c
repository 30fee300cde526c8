#include "fabric/config.h"

#include "cache/cache.h"

#define SPEC "context-management spec 1.2"

const char *const fabric_mode_names[] = {"shared", "private", "map", "bypass", NULL};
const char *const rl2_mode_names[] = {"cache", "scratchpad", "bypass", NULL};
static const char *const sharings[] = {"all", "group", NULL};
static const char *const forced[] = {"no", "shared", "private", "bypass", NULL};

/* clang-format off */
static const struct param tile_params[] = {
    P_U64(tile_config, clock_hz, 1500000000, 1000000, 100000000000, "Hz", "clock of elements, banks of both levels and crossbars", SPEC),
    P_U32(tile_config, count, 16, 1, FABRIC_MOST_TILES, "tiles", "number of tiles", "published OuterSPACE design: 256 elements"),
    P_U32(tile_config, elements, 16, 2, FABRIC_MOST_ELEMENTS, "elements", "processing elements of a tile", SPEC),
    P_U32(tile_config, outstanding, 64, 1, FABRIC_MOST_OUTSTANDING, "requests", "outstanding loads and atomics per element", SPEC),
    P_U32(tile_config, scratchpad_bytes, 1024, 0, 1048576, "bytes", "scratchpad of each element", SPEC),
    P_U32(tile_config, items_ahead, 2, 1, 16, "items", "items that a tile requests from the manager ahead of need", "assumed: hides the way to the manager"),
    P_U32(tile_config, assign_cycles, 1, 1, 1000, "cycles", "time between two pieces of work that a tile hands to its elements", "assumed"),
    P_END,
};

static const struct param rl1_params[] = {
    P_U32(rl1_config, banks, 8, 2, 64, "banks", "banks of a tile's first level; a power of two", "context-management spec 1.2: 4 pairs with a cache and a scratchpad each"),
    P_U32(rl1_config, bank_bytes, 2048, 256, 1048576, "bytes", "size of a bank: 16 kB in all by default", SPEC),
    P_U32(rl1_config, ways, 4, 1, 64, "lines", "lines per set", SPEC),
    P_U32(rl1_config, ports, 16, 1, 64, "accesses", "accesses per cycle to all banks of a tile when they are shared", SPEC),
    P_U32(rl1_config, mshrs, 32, 1, 1024, "entries", "lines on their way to a tile when its banks are shared", SPEC),
    P_U32(rl1_config, private_ports, 1, 1, 64, "accesses", "accesses per cycle to a pair's private cache", SPEC),
    P_U32(rl1_config, private_mshrs, 8, 1, 1024, "entries", "lines on their way to a pair's cache", SPEC),
    P_U32(rl1_config, hit_cycles, 2, 1, 100, "cycles", "time from a load to its data, through crossbar and bank", "assumed: a cycle each"),
    P_U32(rl1_config, scratchpad_cycles, 1, 1, 100, "cycles", "time of an access to a bank in scratchpad mode", "assumed"),
    P_STRING(rl1_config, replacement, "lru", "which line of a set is evicted", "assumed"),
    P_END,
};

static const struct param rl2_params[] = {
    P_U32(rl2_config, banks, 4, 1, 32, "banks", "banks of the second level; a power of two", "published OuterSPACE design"),
    P_U32(rl2_config, bank_bytes, 4096, 256, 16777216, "bytes", "size of a bank", SPEC),
    P_U32(rl2_config, ways, 2, 1, 64, "lines", "lines per set", SPEC),
    P_U32(rl2_config, ports, 16, 1, 64, "accesses", "accesses per cycle to a bank; tiles take turns", SPEC),
    P_U32(rl2_config, mshrs, 32, 1, 4096, "entries", "lines on their way to a bank", SPEC),
    P_U32(rl2_config, hit_cycles, 2, 1, 1000, "cycles", "time from a request to its answer, within the bank", "assumed"),
    P_U32(rl2_config, scratchpad_cycles, 1, 1, 1000, "cycles", "time from a request to its answer, within a bank in scratchpad mode", "assumed"),
    P_STRING(rl2_config, replacement, "lru", "which line of a set is evicted", "assumed"),
    P_CHOICE(rl2_config, sharing, RL2_ALL, sharings, "which banks a tile reaches: all, lines interleaved; or one, with the other tiles of its group", "context-management spec 4.15: the document's text; its table"),
    P_END,
};

static const struct param switch_params[] = {
    P_U32(switch_config, switch_cycles, 10, 0, 100000, "cycles", "time to change modes, once all ports are quiet", "context-management spec 2.5"),
    P_GROUP(switch_config, request, crossbar_params, NULL, "crossbar from the tiles to the second level"),
    P_GROUP(switch_config, reply, crossbar_params, NULL, "crossbar from the second level to the tiles"),
    P_END,
};

static const struct param program_params[] = {
    P_FILE(program_config, matrix, "rmat:n=1000,nnz=8000", "matrix of a sparse product: a Matrix Market file or a generator (heddle matrix)", "your choice"),
    P_FILE(program_config, right, "", "right-hand matrix; empty: the left-hand one", "context-management spec 1.4: C = A A"),
    P_U32(program_config, size, 256, 1, 1u << 24, "", "size of the other programs: rows, or keys", "your choice"),
    P_U32(program_config, steps, 4, 1, 10000, "", "time steps of the stencil", "your choice"),
    P_CHOICE(program_config, force, FORCE_NOTHING, forced, "one mode for all phases in place of the program's own", "context-management spec 5.E, E5"),
    P_END,
};

const struct param fabric_params[] = {
    P_U32(fabric_config, line_bytes, 64, 64, 64, "bytes", "one line of every cache", SPEC),
    P_GROUP(fabric_config, tile, tile_params, NULL, "tiles of processing elements"),
    P_GROUP(fabric_config, rl1, rl1_params, NULL, "first level: banks of a tile, cache or scratchpad"),
    P_GROUP(fabric_config, rl2, rl2_params, NULL, "second level"),
    P_GROUP(fabric_config, crossbar, switch_params, NULL, "crossbars between the two levels"),
    P_GROUP(fabric_config, program, program_params, NULL, "what runs"),
    P_GROUP(fabric_config, network, network_params, NULL, "network between the second level and the memory channels"),
    P_GROUP(fabric_config, atomics, l2_params, NULL, "cache at each channel for atomics; all else bypasses it"),
    P_GROUP(fabric_config, dram, dram_params, dram_check, "memory"),
    P_GROUP(fabric_config, ideal, ideal_params, NULL, "real, the only model that a fabric can have"),
    P_END,
};
/* clang-format on */

static bool is_power_of_two(u32 x)
{
    return x && !(x & (x - 1));
}

static bool check_modes(const struct fabric_config *c, const struct config *config, struct err *err)
{
    u32 pairs = c->tile.elements / 4;
    if (c->tile.elements % 4)
        return err_at(
            err, config_pos(config, &c->tile.elements),
            "tile.elements is %u, expected a multiple of 4: in private mode half are on, in "
            "pairs",
            c->tile.elements);
    if (!is_power_of_two(c->rl1.banks) || c->rl1.banks < 2 * pairs)
        return err_at(
            err, config_pos(config, &c->rl1.banks),
            "rl1.banks is %u, expected a power of two of at least %u: in private mode "
            "each of %u pairs has a cache and a scratchpad, and none may be without memory",
            c->rl1.banks, 2 * pairs, pairs);
    return true;
}

static bool check_banks(const struct fabric_config *c, const struct config *config, struct err *err)
{
    u64 set1 = (u64)c->line_bytes * c->rl1.ways, set2 = (u64)c->line_bytes * c->rl2.ways;
    if (!is_power_of_two(c->rl2.banks))
        return err_at(err, config_pos(config, &c->rl2.banks),
                      "rl2.banks is %u, expected a power of two", c->rl2.banks);
    if (c->rl2.sharing == RL2_GROUP && c->tile.count % c->rl2.banks)
        return err_at(err, config_pos(config, &c->rl2.sharing),
                      "rl2.sharing is group with %u tiles and %u banks, expected a whole number of "
                      "tiles for each",
                      c->tile.count, c->rl2.banks);
    if (c->rl2.banks * c->rl2.ports > CROSSBAR_MOST_LINES)
        return err_at(err, config_pos(config, &c->rl2.ports),
                      "rl2.ports makes %u lines of a crossbar, expected at most %u",
                      c->rl2.banks * c->rl2.ports, CROSSBAR_MOST_LINES);
    return cache_check_sets(config, &c->rl1.bank_bytes, "rl1.bank_bytes", c->rl1.bank_bytes, set1,
                            err) &&
           cache_check_sets(config, &c->rl2.bank_bytes, "rl2.bank_bytes", c->rl2.bank_bytes, set2,
                            err);
}

struct memory_config fabric_memory(const struct fabric_config *c)
{
    return (struct memory_config){.line_bytes = c->line_bytes,
                                  .core_hz = c->tile.clock_hz,
                                  .cache_name = "atomics",
                                  .network = &c->network,
                                  .l2 = &c->atomics,
                                  .dram = &c->dram,
                                  .ideal = &c->ideal};
}

bool fabric_check(const struct fabric_config *c, const struct config *config, struct err *err)
{
    struct memory_config memory = fabric_memory(c);
    if (c->ideal.model != MEMORY_REAL)
        return err_at(err, config_pos(config, &c->ideal.model),
                      "ideal.model is not supported in a fabric, expected real");
    if (c->network.kind == NETWORK_MESH)
        return err_at(err, config_pos(config, &c->network.kind),
                      "network.kind is mesh, expected crossbar or fixed");
    return check_modes(c, config, err) && check_banks(c, config, err) &&
           memory_check(&memory, c->rl2.banks, config, err);
}

u64 fabric_most_requests(const struct fabric_config *c)
{
    u64 lines = (u64)c->tile.count * c->rl1.banks * c->rl1.bank_bytes / c->line_bytes;
    u64 loads = (u64)c->tile.count * c->tile.elements * (c->tile.outstanding + 1);
    u64 below =
        (u64)c->rl2.banks * (c->rl2.bank_bytes / c->line_bytes + 4 * (u64)c->rl2.mshrs + 512);
    return 2 * lines + 3 * loads + below + 4096;
}

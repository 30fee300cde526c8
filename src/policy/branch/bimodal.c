/* A two-bit counter for each of so many branches, by address: Smith, ISCA 1981. */
#include "cpu/branch_predictor.h"
#include "policy/branch/counter.h"

struct bimodal_config {
    u32 address_bits, taken_from, first;
};

/* clang-format off */
static const struct param bimodal_params[] = {
    P_U32(bimodal_config, address_bits, 14, 1, 24, "bits", "address bits that choose a counter", "ChampSim: 16384 counters"),
    P_U32(bimodal_config, taken_from, 2, 1, 3, "", "value of a counter (0 to 3) from which its branch is predicted taken", "Smith 1981; ChampSim: 1"),
    P_U32(bimodal_config, first, WEAKLY_NOT_TAKEN, 0, 3, "", "value of a counter before its branch was met", "assumed: weakly not taken; ChampSim: 0"),
    P_END,
};
/* clang-format on */

static size_t counters(const void *config)
{
    return (size_t)1 << ((const struct bimodal_config *)config)->address_bits;
}

static u64 storage_bits(const void *config)
{
    return 2 * counters(config);
}

static void init(struct branch_predictor *p)
{
    const struct bimodal_config *c = p->config;
    memset(p->table, (int)c->first, counters(c));
}

static u8 *counter_of(struct branch_predictor *p, u64 pc)
{
    return (u8 *)p->table + (pc & (counters(p->config) - 1));
}

static bool predict(struct branch_predictor *p, u64 pc)
{
    return *counter_of(p, pc) >= ((const struct bimodal_config *)p->config)->taken_from;
}

static void train(struct branch_predictor *p, u64 pc, bool taken)
{
    counter_train(counter_of(p, pc), taken);
}

BRANCH_PREDICTOR(bimodal) = {
    .version = POLICY_VERSION,
    .name = "bimodal",
    .source = "Smith, ISCA 1981",
    .params = bimodal_params,
    .config_bytes = sizeof(struct bimodal_config),
    .storage_bits = storage_bits,
    .table_bytes = counters,
    .init = init,
    .predict = predict,
    .train = train,
};

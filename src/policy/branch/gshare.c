/*
 * Counters chosen by the address and the outcomes of the last branches, exclusive-ored: McFarling,
 * DEC WRL TN-36, 1993.
 */
#include "cpu/branch_predictor.h"
#include "policy/branch/counter.h"

struct gshare_config {
    u32 history_bits;
};

struct gshare_state {
    u64 history;
};

/* clang-format off */
static const struct param gshare_params[] = {
    P_U32(gshare_config, history_bits, 16, 1, 24, "bits", "bits of global history, and of a counter's index", "Milic 2017, section 4: 13 is small, 16 is big"),
    P_END,
};
/* clang-format on */

static size_t counters(const void *config)
{
    return (size_t)1 << ((const struct gshare_config *)config)->history_bits;
}

static u64 storage_bits(const void *config)
{
    return 2 * counters(config);
}

static void init(struct branch_predictor *p)
{
    counters_init(p->table, counters(p->config));
}

static u8 *counter_of(struct branch_predictor *p, u64 pc)
{
    const struct gshare_state *s = p->state;
    return (u8 *)p->table + ((pc ^ s->history) & (counters(p->config) - 1));
}

static bool predict(struct branch_predictor *p, u64 pc)
{
    return counter_is_taken(*counter_of(p, pc));
}

static void train(struct branch_predictor *p, u64 pc, bool taken)
{
    struct gshare_state *s = p->state;
    counter_train(counter_of(p, pc), taken);
    s->history =
        low_bits(s->history << 1 | taken, ((const struct gshare_config *)p->config)->history_bits);
}

BRANCH_PREDICTOR(gshare) = {
    .version = POLICY_VERSION,
    .name = "gshare",
    .source = "McFarling, DEC WRL TN-36, 1993",
    .params = gshare_params,
    .config_bytes = sizeof(struct gshare_config),
    .state_bytes = sizeof(struct gshare_state),
    .storage_bits = storage_bits,
    .table_bytes = counters,
    .init = init,
    .predict = predict,
    .train = train,
};

/*
 * A table of targets without tags, chosen by the address and the history of the program,
 * exclusive-ored: the target cache of Chang, Hao and Patt, ISCA 1997.
 *
 * History is the outcomes of the last conditional branches (their pattern history), or where the
 * last indirect branches went (their path history).
 */
#include "cpu/indirect_predictor.h"
#include "policy/branch/counter.h"

enum { HISTORY_OUTCOMES, HISTORY_TARGETS };
static const char *const history_names[] = {"outcomes", "targets", NULL};

struct target_cache_config {
    u32 address_bits;
    u32 history; /* of history_names */
    u32 targets;
};

struct target_cache_state {
    u64 history;
};

/* clang-format off */
static const struct param target_cache_params[] = {
    P_U32(target_cache_config, address_bits, 12, 1, 20, "bits", "bits of an entry's index, and of history", "ChampSim: 4,096 entries"),
    P_CHOICE(target_cache_config, history, HISTORY_TARGETS, history_names, "what the history holds: outcomes of conditional branches, or targets of indirect ones", "Chang, Hao, Patt 1997: targets for interpreters"),
    P_U32(target_cache_config, targets, 4, 1, 20, "branches", "branches whose targets form the history", "assumed"),
    P_END,
};
/* clang-format on */

static u64 entries(const void *config)
{
    return (u64)1 << ((const struct target_cache_config *)config)->address_bits;
}

static u64 storage_bits(const void *config)
{
    return INDIRECT_TARGET_BITS * entries(config);
}

static size_t table_bytes(const void *config)
{
    return (size_t)entries(config) * sizeof(u64);
}

static u64 *entry_of(struct indirect_predictor *p, u64 pc)
{
    const struct target_cache_state *s = p->state;
    return (u64 *)p->table + ((pc ^ s->history) & (entries(p->config) - 1));
}

static u64 predict(struct indirect_predictor *p, u64 pc)
{
    return *entry_of(p, pc);
}

static void train(struct indirect_predictor *p, u64 pc, u64 target)
{
    *entry_of(p, pc) = target;
}

static void branch(struct indirect_predictor *p, const struct indirect_branch *b)
{
    const struct target_cache_config *c = p->config;
    struct target_cache_state *s = p->state;
    u32 bits = c->address_bits, shift = (bits + c->targets - 1) / c->targets;
    if (c->history == HISTORY_OUTCOMES && b->kind == INDIRECT_CONDITIONAL)
        s->history = low_bits(s->history << 1 | b->taken, bits);
    else if (c->history == HISTORY_TARGETS && b->kind == INDIRECT_TARGET)
        s->history = low_bits(s->history << shift ^ b->target ^ b->target >> bits, bits);
}

INDIRECT_PREDICTOR(target_cache) = {
    .version = POLICY_VERSION,
    .name = "target_cache",
    .source = "Chang, Hao and Patt, ISCA 1997",
    .params = target_cache_params,
    .config_bytes = sizeof(struct target_cache_config),
    .state_bytes = sizeof(struct target_cache_state),
    .storage_bits = storage_bits,
    .table_bytes = table_bytes,
    .predict = predict,
    .train = train,
    .branch = branch,
};

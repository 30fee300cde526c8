/*
 * Two predictors and a chooser between them, as in the Alpha 21264 (Kessler, IEEE Micro 1999): one
 * goes by the last outcomes of the same branch, one by those of all branches. The chooser moves
 * only where the two disagree.
 *
 * With n bits of the address and m of history it takes 2^n (m + 2) + 2^(m + 2) bits (Milic 2017):
 * 2^n local histories of m bits and 2^n choosers, 2^m counters for each of the two.
 */
#include "cpu/branch_predictor.h"
#include "policy/branch/counter.h"

struct tournament_config {
    u32 address_bits, history_bits;
};

struct tournament_state {
    u64 history;
};

/* clang-format off */
static const struct param tournament_params[] = {
    P_U32(tournament_config, address_bits, 12, 1, 20, "bits", "address bits that choose a local history and a chooser", "Milic 2017, section 4: 10 is small, 12 is big"),
    P_U32(tournament_config, history_bits, 14, 1, 20, "bits", "bits of local and of global history", "Milic 2017, section 4: 8 is small, 14 is big"),
    P_END,
};
/* clang-format on */

struct parts {
    u32 *local_histories;
    u8 *choosers, *local, *global;
};

static size_t branches(const struct tournament_config *c)
{
    return (size_t)1 << c->address_bits;
}

static size_t patterns(const struct tournament_config *c)
{
    return (size_t)1 << c->history_bits;
}

static struct parts parts_of(const struct branch_predictor *p)
{
    const struct tournament_config *c = p->config;
    u32 *histories = p->table;
    u8 *bytes = (u8 *)(histories + branches(c));
    return (struct parts){histories, bytes, bytes + branches(c), bytes + branches(c) + patterns(c)};
}

static size_t table_bytes(const void *config)
{
    return branches(config) * (sizeof(u32) + 1) + 2 * patterns(config);
}

static u64 storage_bits(const void *config)
{
    const struct tournament_config *c = config;
    return branches(c) * (c->history_bits + 2) + 4 * patterns(c);
}

static void init(struct branch_predictor *p)
{
    const struct tournament_config *c = p->config;
    counters_init(parts_of(p).choosers, branches(c) + 2 * patterns(c));
}

/* The three counters that a branch uses. */
struct voters {
    u32 *local_history;
    u8 *chooser, *local, *global;
};

static struct voters voters_of(struct branch_predictor *p, u64 pc)
{
    const struct tournament_config *c = p->config;
    const struct tournament_state *s = p->state;
    struct parts t = parts_of(p);
    u32 *history = &t.local_histories[pc & (branches(c) - 1)];
    return (struct voters){history, &t.choosers[pc & (branches(c) - 1)], &t.local[*history],
                           &t.global[s->history]};
}

static bool predict(struct branch_predictor *p, u64 pc)
{
    struct voters v = voters_of(p, pc);
    return counter_is_taken(counter_is_taken(*v.chooser) ? *v.global : *v.local);
}

static void train(struct branch_predictor *p, u64 pc, bool taken)
{
    const struct tournament_config *c = p->config;
    struct tournament_state *s = p->state;
    struct voters v = voters_of(p, pc);
    bool global_is_right = counter_is_taken(*v.global) == taken;
    if (counter_is_taken(*v.local) != counter_is_taken(*v.global))
        counter_train(v.chooser, global_is_right);
    counter_train(v.local, taken);
    counter_train(v.global, taken);
    *v.local_history = (u32)low_bits((u64)*v.local_history << 1 | taken, c->history_bits);
    s->history = low_bits(s->history << 1 | taken, c->history_bits);
}

BRANCH_PREDICTOR(tournament) = {
    .version = POLICY_VERSION,
    .name = "tournament",
    .source = "Kessler, IEEE Micro 1999 (Alpha 21264)",
    .params = tournament_params,
    .config_bytes = sizeof(struct tournament_config),
    .state_bytes = sizeof(struct tournament_state),
    .storage_bits = storage_bits,
    .table_bytes = table_bytes,
    .init = init,
    .predict = predict,
    .train = train,
};

/*
 * A weight for each of the last outcomes, and their sum: Jimenez and Lin, HPCA 2001. A branch whose
 * sum was wrong, or right by too little, moves each weight towards agreement.
 */
#include "cpu/branch_predictor.h"
#include "policy/branch/counter.h"

#define WEIGHT_BITS 8
#define MOST_WEIGHT 127

struct perceptron_config {
    u32 address_bits, history_bits;
};

struct perceptron_state {
    u64 history; /* the last outcome is bit 0 */
    i32 sum;     /* of the branch that was predicted last */
};

/* clang-format off */
static const struct param perceptron_params[] = {
    P_U32(perceptron_config, address_bits, 9, 1, 20, "bits", "address bits that choose a row of weights", "assumed: 16 KB with 31 bits of history"),
    P_U32(perceptron_config, history_bits, 31, 1, 63, "bits", "outcomes that have a weight", "Jimenez and Lin, HPCA 2001: 12 to 62"),
    P_END,
};
/* clang-format on */

/* One more: the bias. */
static size_t row_weights(const struct perceptron_config *c)
{
    return c->history_bits + 1;
}

static size_t table_bytes(const void *config)
{
    const struct perceptron_config *c = config;
    return row_weights(c) << c->address_bits;
}

static u64 storage_bits(const void *config)
{
    return WEIGHT_BITS * table_bytes(config);
}

static i8 *weights_of(struct branch_predictor *p, u64 pc)
{
    const struct perceptron_config *c = p->config;
    return (i8 *)p->table + low_bits(pc, c->address_bits) * row_weights(c);
}

static bool predict(struct branch_predictor *p, u64 pc)
{
    const struct perceptron_config *c = p->config;
    struct perceptron_state *s = p->state;
    const i8 *w = weights_of(p, pc);
    i32 sum = w[0];
    u64 history = s->history;
    for (u32 i = 1; i <= c->history_bits; i++, history >>= 1)
        sum += history & 1 ? w[i] : -w[i];
    s->sum = sum;
    return sum >= 0;
}

static void move(i8 *weight, bool up)
{
    if (up && *weight < MOST_WEIGHT)
        ++*weight;
    else if (!up && *weight > -MOST_WEIGHT)
        --*weight;
}

static void train(struct branch_predictor *p, u64 pc, bool taken)
{
    const struct perceptron_config *c = p->config;
    struct perceptron_state *s = p->state;
    i8 *w = weights_of(p, pc);
    i32 threshold = (i32)(193 * c->history_bits / 100 + 14); /* 1.93 h + 14: the paper's best */
    u64 history = s->history;
    bool was_right = (s->sum >= 0) == taken;
    if (!was_right || (s->sum < 0 ? -s->sum : s->sum) <= threshold) {
        move(&w[0], taken);
        for (u32 i = 1; i <= c->history_bits; i++, history >>= 1)
            move(&w[i], (history & 1) == taken);
    }
    s->history = low_bits(s->history << 1 | taken, c->history_bits);
}

BRANCH_PREDICTOR(perceptron) = {
    .version = POLICY_VERSION,
    .name = "perceptron",
    .source = "Jimenez and Lin, HPCA 2001",
    .params = perceptron_params,
    .config_bytes = sizeof(struct perceptron_config),
    .state_bytes = sizeof(struct perceptron_state),
    .storage_bits = storage_bits,
    .table_bytes = table_bytes,
    .predict = predict,
    .train = train,
};

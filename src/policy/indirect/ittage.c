/*
 * ITTAGE: tables of targets with tags, chosen by histories of geometrically growing lengths, above
 * a table without (Seznec and Michaud, JILP 2006; Seznec, JWAC-2 2011).
 *
 * The longest history with a matching tag provides the target, the next one the alternative, which
 * is taken while the entry has never been right and such entries have been wrong of late. A wrong
 * prediction makes an entry in one table with a longer history, in place of one that was not
 * useful. History is the outcome of each conditional branch and four bits of each indirect target.
 */
#include "cpu/indirect_predictor.h"
#include "policy/branch/counter.h"
#include "policy/branch/fold.h"

#include <math.h>

#define MOST_TABLES 12
#define HISTORY 1024 /* bits that are kept; more than the longest history */
#define HISTORY_OF_TARGET 4
#define FULL_TICKS 255 /* entries that found no room, more than did, after which none is useful */

struct ittage_config {
    u32 tables, index_bits, tag_bits, shortest, longest;
};

/* clang-format off */
static const struct param ittage_params[] = {
    P_U32(ittage_config, tables, 6, 1, MOST_TABLES, "tables", "number of tagged tables", "assumed; Seznec 2011: 15"),
    P_U32(ittage_config, index_bits, 9, 4, 14, "bits", "bits of an entry's index in each table", "assumed: 29 KiB in all"),
    P_U32(ittage_config, tag_bits, 11, 4, 15, "bits", "bits of a tag", "Seznec 2011: 9 to 15"),
    P_U32(ittage_config, shortest, 8, 1, 1000, "bits", "history length of the first tagged table", "Seznec 2011: 10"),
    P_U32(ittage_config, longest, 256, 1, 1000, "bits", "history length of the last tagged table", "assumed"),
    P_END,
};
/* clang-format on */

struct entry {
    u64 target;
    u16 tag;
    u8 counter; /* 0 to 3: how often it was right of late */
    bool useful, is_used;
};

#define NO_TABLE (-1)

struct ittage_state {
    u8 bits[HISTORY]; /* a ring */
    u32 at;
    u16 lengths[MOST_TABLES];
    struct fold index[MOST_TABLES], tag[MOST_TABLES], tag_more[MOST_TABLES];
    i32 use_alternative; /* -8 to 7: below 0, new entries are trusted */
    i32 ticks;
    u32 random;
    /* of the branch that was predicted last */
    struct entry *found[MOST_TABLES];
    u16 at_tag[MOST_TABLES];
    i32 provider; /* a table, NO_TABLE: the base */
    u64 provided, alternated, predicted;
    struct entry *base;
};

static u64 storage_bits(const void *config)
{
    const struct ittage_config *c = config;
    u64 tagged = INDIRECT_TARGET_BITS + c->tag_bits + 2 + 1, base = INDIRECT_TARGET_BITS + 2;
    return (c->tables * tagged + base) << c->index_bits;
}

/* Entries of the base, then those of all tables. */
static size_t table_bytes(const void *config)
{
    const struct ittage_config *c = config;
    return (((size_t)c->tables + 1) << c->index_bits) * sizeof(struct entry);
}

static void init(struct indirect_predictor *p)
{
    const struct ittage_config *c = p->config;
    struct ittage_state *s = p->state;
    double longest = c->longest > c->shortest ? c->longest : c->shortest;
    for (u32 i = 0; i < c->tables; i++) {
        double step = c->tables > 1 ? (double)i / (c->tables - 1) : 0;
        u32 length = (u32)(c->shortest * pow(longest / c->shortest, step) + 0.5);
        s->lengths[i] = (u16)length;
        s->index[i] = fold_of(length, c->index_bits);
        s->tag[i] = fold_of(length, c->tag_bits);
        s->tag_more[i] = fold_of(length, c->tag_bits - 1);
    }
    s->random = 1;
}

static struct entry *entry_at(struct indirect_predictor *p, u32 table, u64 index)
{
    u32 bits = ((const struct ittage_config *)p->config)->index_bits;
    return (struct entry *)p->table + ((size_t)table << bits) + low_bits(index, bits);
}

static u64 predict(struct indirect_predictor *p, u64 pc)
{
    const struct ittage_config *c = p->config;
    struct ittage_state *s = p->state;
    s->base = entry_at(p, 0, pc ^ pc >> c->index_bits);
    s->provider = NO_TABLE;
    s->provided = s->alternated = s->base->target;
    for (u32 i = 0; i < c->tables; i++) {
        u64 mixed = pc ^ pc >> (c->index_bits - i % c->index_bits) ^ s->index[i].value;
        s->found[i] = entry_at(p, i + 1, mixed);
        s->at_tag[i] =
            (u16)low_bits(pc ^ s->tag[i].value ^ (u64)s->tag_more[i].value << 1, c->tag_bits);
        if (!s->found[i]->is_used || s->found[i]->tag != s->at_tag[i])
            continue;
        s->alternated = s->provided;
        s->provided = s->found[i]->target;
        s->provider = (i32)i;
    }
    bool is_new = s->provider != NO_TABLE && !s->found[s->provider]->counter;
    s->predicted = is_new && s->use_alternative >= 0 ? s->alternated : s->provided;
    return s->predicted;
}

static void entry_train(struct entry *e, u64 target)
{
    if (e->target == target)
        e->counter = e->counter < 3 ? e->counter + 1 : 3;
    else if (e->counter)
        e->counter--;
    else
        e->target = target;
}

static u32 next_random(struct ittage_state *s)
{
    s->random ^= s->random << 13; /* xorshift32 (Marsaglia 2003) */
    s->random ^= s->random >> 17;
    s->random ^= s->random << 5;
    return s->random;
}

static void forget_use(struct indirect_predictor *p)
{
    const struct ittage_config *c = p->config;
    struct entry *e = p->table, *end = e + (((size_t)c->tables + 1) << c->index_bits);
    for (; e < end; e++)
        e->useful = false;
    ((struct ittage_state *)p->state)->ticks = 0;
}

/* In one table with a longer history whose entry is not useful: a shorter one more often. */
static void allocate(struct indirect_predictor *p, u64 target)
{
    const struct ittage_config *c = p->config;
    struct ittage_state *s = p->state;
    u32 chosen = c->tables;
    for (u32 i = (u32)(s->provider + 1); i < c->tables; i++) {
        if (s->found[i]->useful)
            continue;
        chosen = i;
        if (next_random(s) & 1)
            break;
    }
    if (chosen < c->tables) {
        *s->found[chosen] =
            (struct entry){.target = target, .tag = s->at_tag[chosen], .is_used = true};
        s->ticks -= s->ticks > 0;
    } else if (++s->ticks == FULL_TICKS) {
        forget_use(p);
    }
}

static void train_provider(struct ittage_state *s, u64 target)
{
    struct entry *e = s->found[s->provider];
    if (s->provided != s->alternated) {
        bool alternative_is_right = s->alternated == target, is_right = s->provided == target;
        if (!e->counter && alternative_is_right && s->use_alternative < 7)
            s->use_alternative++;
        else if (!e->counter && is_right && s->use_alternative > -8)
            s->use_alternative--;
        e->useful = is_right || (e->useful && !alternative_is_right);
    }
    entry_train(e, target);
}

static void train(struct indirect_predictor *p, u64 pc, u64 target)
{
    const struct ittage_config *c = p->config;
    struct ittage_state *s = p->state;
    (void)pc;
    bool is_new = s->provider != NO_TABLE && !s->found[s->provider]->counter;
    if (s->predicted != target && s->provider + 1 < (i32)c->tables)
        allocate(p, target);
    if (s->provider == NO_TABLE || is_new)
        entry_train(s->base, target);
    if (s->provider != NO_TABLE)
        train_provider(s, target);
}

static void remember(struct indirect_predictor *p, u32 bit)
{
    const struct ittage_config *c = p->config;
    struct ittage_state *s = p->state;
    s->at = (s->at - 1) % HISTORY;
    s->bits[s->at] = (u8)bit;
    for (u32 i = 0; i < c->tables; i++) {
        u32 oldest = s->bits[(s->at + s->lengths[i]) % HISTORY];
        fold_in(&s->index[i], bit, oldest);
        fold_in(&s->tag[i], bit, oldest);
        fold_in(&s->tag_more[i], bit, oldest);
    }
}

static void branch(struct indirect_predictor *p, const struct indirect_branch *b)
{
    if (b->kind == INDIRECT_CONDITIONAL)
        remember(p, b->taken);
    if (b->kind != INDIRECT_TARGET)
        return;
    u64 mixed = b->target; /* all its bits count */
    for (u32 shift = 32; shift >= HISTORY_OF_TARGET; shift /= 2)
        mixed ^= mixed >> shift;
    for (u32 i = 0; i < HISTORY_OF_TARGET; i++)
        remember(p, mixed >> i & 1);
}

INDIRECT_PREDICTOR(ittage) = {
    .version = POLICY_VERSION,
    .name = "ittage",
    .source = "Seznec and Michaud, JILP 2006; Seznec, JWAC-2 2011",
    .params = ittage_params,
    .config_bytes = sizeof(struct ittage_config),
    .state_bytes = sizeof(struct ittage_state),
    .storage_bits = storage_bits,
    .table_bytes = table_bytes,
    .init = init,
    .predict = predict,
    .train = train,
    .branch = branch,
};

/*
 * TAGE: tables of counters with tags, chosen by histories of geometrically growing lengths, above a
 * table of counters without (Seznec and Michaud, JILP 2006; sizes of L-TAGE: Seznec, JILP 2007).
 *
 * The longest history with a matching tag provides the prediction, the next one the alternative. An
 * entry that has just been made is trusted only if such entries have been right of late. A wrong
 * prediction makes an entry in one table with a longer history, in place of one that was not
 * useful.
 */
#include "cpu/branch_predictor.h"
#include "policy/branch/counter.h"
#include "policy/branch/fold.h"

#define MOST_TABLES 12
#define HISTORY 1024 /* outcomes that are kept; more than the longest history */
/* Branches after which the useful counters lose one of their two bits, in turn. */
#define AGING_PERIOD 262144
#define PATH_BITS 16

struct geometry {
    u32 tables;
    u32 base_bits, hysteresis_bits; /* log of their entries: hysteresis is shared by neighbours */
    u8 index_bits[MOST_TABLES], tag_bits[MOST_TABLES];
    u16 lengths[MOST_TABLES];
};

enum { SIZE_SMALL, SIZE_BIG, SIZE_LTAGE };
static const char *const size_names[] = {"small", "big", "ltage", NULL};

/* big: every table of ltage halved. small: two tables of 512. */
static const struct geometry geometries[] = {
    [SIZE_SMALL] = {2, 11, 9, {9, 9}, {8, 8}, {8, 32}},
    [SIZE_BIG] = {12,
                  13,
                  11,
                  {9, 9, 10, 10, 10, 10, 9, 9, 9, 9, 8, 8},
                  {7, 7, 8, 8, 9, 10, 11, 12, 12, 13, 14, 15},
                  {4, 6, 10, 16, 25, 40, 64, 101, 160, 254, 403, 640}},
    [SIZE_LTAGE] = {12,
                    14,
                    12,
                    {10, 10, 11, 11, 11, 11, 10, 10, 10, 10, 9, 9},
                    {7, 7, 8, 8, 9, 10, 11, 12, 12, 13, 14, 15},
                    {4, 6, 10, 16, 25, 40, 64, 101, 160, 254, 403, 640}},
};

struct tage_config {
    u32 size; /* of geometries */
};

/* clang-format off */
static const struct param tage_params[] = {
    P_CHOICE(tage_config, size, SIZE_BIG, size_names, "2 tables (1.9 KiB), 12 tables (15.1 KiB), or the 12 of L-TAGE (30 KiB)", "Milic 2017, section 4; Seznec, JILP 2007"),
    P_END,
};
/* clang-format on */

struct entry {
    i8 counter; /* -4 to 3: taken from 0 on */
    u8 useful;  /* 0 to 3 */
    u16 tag;
};

#define NO_TABLE (-1)
#define NO_TAG UINT16_MAX /* wider than any tag */

struct tage_state {
    u8 outcomes[HISTORY]; /* a ring */
    u32 at;
    u32 path;
    u32 first[MOST_TABLES]; /* entry of each table, among all */
    struct fold index[MOST_TABLES], tag[MOST_TABLES], tag_more[MOST_TABLES];
    i32 use_alternative; /* -8 to 7: below 0, new entries are trusted */
    u32 random, branches;
    /* of the branch that was predicted last */
    u32 at_index[MOST_TABLES];
    u16 at_tag[MOST_TABLES];
    i32 provider, alternative; /* tables, NO_TABLE: the base */
    bool provided, alternated, predicted, is_new;
};

static const struct geometry *geometry_of(const void *config)
{
    return &geometries[((const struct tage_config *)config)->size];
}

static u64 storage_bits(const void *config)
{
    const struct geometry *g = geometry_of(config);
    u64 bits = ((u64)1 << g->base_bits) + ((u64)1 << g->hysteresis_bits);
    for (u32 i = 0; i < g->tables; i++)
        bits += (u64)(3 + 2 + g->tag_bits[i]) << g->index_bits[i];
    return bits;
}

static size_t entries_of(const struct geometry *g)
{
    size_t count = 0;
    for (u32 i = 0; i < g->tables; i++)
        count += (size_t)1 << g->index_bits[i];
    return count;
}

/* Entries of all tables, then the base: a byte for each prediction and each hysteresis. */
static size_t table_bytes(const void *config)
{
    const struct geometry *g = geometry_of(config);
    return entries_of(g) * sizeof(struct entry) + ((size_t)1 << g->base_bits) +
           ((size_t)1 << g->hysteresis_bits);
}

static struct entry *entry_at(struct branch_predictor *p, u32 table, u32 index)
{
    const struct tage_state *s = p->state;
    return (struct entry *)p->table + s->first[table] + index;
}

static u8 *base_of(struct branch_predictor *p)
{
    return (u8 *)p->table + entries_of(geometry_of(p->config)) * sizeof(struct entry);
}

static void init(struct branch_predictor *p)
{
    const struct geometry *g = geometry_of(p->config);
    struct tage_state *s = p->state;
    u32 first = 0;
    for (u32 i = 0; i < g->tables; i++) {
        u8 tag = g->tag_bits[i];
        s->first[i] = first;
        first += 1u << g->index_bits[i];
        s->index[i] = fold_of(g->lengths[i], g->index_bits[i]);
        s->tag[i] = fold_of(g->lengths[i], tag);
        s->tag_more[i] = fold_of(g->lengths[i], tag - 1u);
    }
    s->random = 1;
    struct entry *entries = p->table;
    for (size_t i = 0; i < entries_of(g); i++)
        entries[i].tag = NO_TAG;
    /* weakly not taken: prediction 0, hysteresis 1 */
    memset(base_of(p) + ((size_t)1 << g->base_bits), 1, (size_t)1 << g->hysteresis_bits);
}

/* ---- the base ---- */

struct base_place {
    u8 *prediction, *hysteresis;
};

static struct base_place base_at(struct branch_predictor *p, u64 pc)
{
    const struct geometry *g = geometry_of(p->config);
    u64 at = low_bits(pc, g->base_bits);
    u8 *base = base_of(p);
    return (struct base_place){base + at, base + ((size_t)1 << g->base_bits) +
                                              (at >> (g->base_bits - g->hysteresis_bits))};
}

static void base_train(struct branch_predictor *p, u64 pc, bool taken)
{
    struct base_place b = base_at(p, pc);
    u8 counter = (u8)(*b.prediction << 1 | *b.hysteresis);
    counter_train(&counter, taken);
    *b.prediction = counter >> 1;
    *b.hysteresis = counter & 1;
}

/* ---- histories ---- */

static void remember(struct branch_predictor *p, u64 pc, bool taken)
{
    const struct geometry *g = geometry_of(p->config);
    struct tage_state *s = p->state;
    s->at = (s->at - 1) % HISTORY;
    s->outcomes[s->at] = taken;
    for (u32 i = 0; i < g->tables; i++) {
        u32 oldest = s->outcomes[(s->at + g->lengths[i]) % HISTORY];
        fold_in(&s->index[i], taken, oldest);
        fold_in(&s->tag[i], taken, oldest);
        fold_in(&s->tag_more[i], taken, oldest);
    }
    s->path = (u32)low_bits((u64)s->path << 1 | (pc & 1), PATH_BITS);
}

static u32 path_hash(const struct tage_state *s, u32 length, u32 table, u32 bits)
{
    u32 path = (u32)low_bits(s->path, length < PATH_BITS ? length : PATH_BITS);
    u32 high = path >> bits, low = path & ((1u << bits) - 1), turn = table % bits;
    high = (high << turn & ((1u << bits) - 1)) | (u32)((u64)high >> (bits - turn));
    return low ^ high;
}

/* ---- predict ---- */

static void look_up(struct branch_predictor *p, u64 pc)
{
    const struct geometry *g = geometry_of(p->config);
    struct tage_state *s = p->state;
    s->provider = s->alternative = NO_TABLE;
    for (u32 i = 0; i < g->tables; i++) {
        u32 bits = g->index_bits[i];
        u64 mixed = pc ^ pc >> ((bits > i ? bits - i : i - bits) + 1) ^ s->index[i].value ^
                    path_hash(s, g->lengths[i], i, bits);
        s->at_index[i] = (u32)low_bits(mixed, bits);
        s->at_tag[i] =
            (u16)low_bits(pc ^ s->tag[i].value ^ (u64)s->tag_more[i].value << 1, g->tag_bits[i]);
    }
    for (u32 i = g->tables; i-- > 0;) {
        if (entry_at(p, i, s->at_index[i])->tag != s->at_tag[i])
            continue;
        if (s->provider != NO_TABLE) {
            s->alternative = (i32)i;
            break;
        }
        s->provider = (i32)i;
    }
}

static bool says(struct branch_predictor *p, i32 table, u64 pc)
{
    const struct tage_state *s = p->state;
    return table == NO_TABLE ? *base_at(p, pc).prediction
                             : entry_at(p, (u32)table, s->at_index[table])->counter >= 0;
}

static bool predict(struct branch_predictor *p, u64 pc)
{
    struct tage_state *s = p->state;
    look_up(p, pc);
    s->alternated = s->provided = says(p, s->alternative, pc);
    s->is_new = false;
    if (s->provider != NO_TABLE) {
        const struct entry *e = entry_at(p, (u32)s->provider, s->at_index[s->provider]);
        s->provided = e->counter >= 0;
        s->is_new = (e->counter == 0 || e->counter == -1) && !e->useful;
    }
    s->predicted = s->is_new && s->use_alternative >= 0 ? s->alternated : s->provided;
    return s->predicted;
}

/* ---- train ---- */

static void entry_train(struct entry *e, bool taken)
{
    if (taken && e->counter < 3)
        e->counter++;
    else if (!taken && e->counter > -4)
        e->counter--;
}

static u32 next_random(struct tage_state *s)
{
    s->random ^= s->random << 13; /* xorshift32 (Marsaglia 2003) */
    s->random ^= s->random >> 17;
    s->random ^= s->random << 5;
    return s->random;
}

/* In one table with a longer history whose entry is not useful: a shorter one more often. If there
 * is none, all become less useful. */
static void allocate(struct branch_predictor *p, bool taken)
{
    const struct geometry *g = geometry_of(p->config);
    struct tage_state *s = p->state;
    u32 first = (u32)(s->provider + 1), chosen = g->tables;
    for (u32 i = first; i < g->tables && chosen == g->tables; i++) {
        if (!entry_at(p, i, s->at_index[i])->useful)
            chosen = i;
    }
    if (chosen == g->tables) {
        for (u32 i = first; i < g->tables; i++)
            entry_at(p, i, s->at_index[i])->useful--;
        return;
    }
    for (u32 i = chosen + 1; i < g->tables && next_random(s) & 1; i++) {
        if (!entry_at(p, i, s->at_index[i])->useful)
            chosen = i;
    }
    *entry_at(p, chosen, s->at_index[chosen]) =
        (struct entry){.counter = taken ? 0 : -1, .tag = s->at_tag[chosen]};
}

/* The upper bit of all useful counters goes, then the lower one, in turn. */
static void age(struct branch_predictor *p)
{
    struct tage_state *s = p->state;
    struct entry *e = p->table, *end = e + entries_of(geometry_of(p->config));
    u8 keep = s->branches / AGING_PERIOD % 2 ? 1 : 2;
    for (; e < end; e++)
        e->useful &= keep;
}

static void train_provider(struct branch_predictor *p, u64 pc, bool taken)
{
    struct tage_state *s = p->state;
    struct entry *e = entry_at(p, (u32)s->provider, s->at_index[s->provider]);
    if (s->is_new && s->provided != s->alternated) {
        bool alternative_is_right = s->alternated == taken;
        if (alternative_is_right && s->use_alternative < 7)
            s->use_alternative++;
        else if (!alternative_is_right && s->use_alternative > -8)
            s->use_alternative--;
    }
    if (!e->useful) { /* whoever answers in its place learns too */
        if (s->alternative == NO_TABLE)
            base_train(p, pc, taken);
        else
            entry_train(entry_at(p, (u32)s->alternative, s->at_index[s->alternative]), taken);
    }
    entry_train(e, taken);
    if (s->provided != s->alternated) {
        if (s->provided == taken && e->useful < 3)
            e->useful++;
        else if (s->provided != taken && e->useful > 0)
            e->useful--;
    }
}

static void train(struct branch_predictor *p, u64 pc, bool taken)
{
    const struct geometry *g = geometry_of(p->config);
    struct tage_state *s = p->state;
    bool wants_entry = s->predicted != taken && s->provider + 1 < (i32)g->tables;
    if (s->is_new && s->provided == taken) /* the new entry was right: it needs time, not help */
        wants_entry = false;
    if (s->provider == NO_TABLE)
        base_train(p, pc, taken);
    else
        train_provider(p, pc, taken);
    if (wants_entry)
        allocate(p, taken);
    if (++s->branches % AGING_PERIOD == 0)
        age(p);
    remember(p, pc, taken);
}

BRANCH_PREDICTOR(tage) = {
    .version = POLICY_VERSION,
    .name = "tage",
    .source = "Seznec and Michaud, JILP 2006; Seznec, JILP 2007",
    .params = tage_params,
    .config_bytes = sizeof(struct tage_config),
    .state_bytes = sizeof(struct tage_state),
    .storage_bits = storage_bits,
    .table_bytes = table_bytes,
    .init = init,
    .predict = predict,
    .train = train,
};

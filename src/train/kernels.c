#include "train/kernels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *const kernel_verdict_names[KERNEL_VERDICTS] = {"kept", "not in every run",
                                                           "no hits at (1,1)", "short", "no gain"};

const struct train_options train_defaults = {.least_gain = 0.015,
                                             .least_cycles = 10000,
                                             .dispersion = 1,
                                             .divisor = PUBLISHED_DIVISOR,
                                             .scale = 24};

/* clang-format off */
static const char *const columns[] = {
    "number", "name", "cycles", "blocks_per_sm", "threads_per_block", "l1_loads", "l1_hits",
    "intra_warp_hits", "miss_latency_cycles", "misses_answered", "warp_instructions",
    "load_requests", "blocks",
};
#define ROWS                                                                                       \
    "SELECT number, name, cycles, blocks_per_sm, threads_per_block, l1_loads, l1_hits, "           \
    "intra_warp_hits, miss_latency_cycles, misses_answered, warp_instructions, load_requests, "    \
    "blocks "                                                                                      \
    "FROM kernels WHERE run = ? ORDER BY number"
/* clang-format on */

u32 kernel_limit(u64 blocks, u64 blocks_per_sm, u64 threads_per_block, u64 schedulers, u64 sms)
{
    assert(schedulers >= 1 && sms >= 1); /* every chip with the policy `fixed` has some */
    u64 share = (blocks + sms - 1) / sms;
    u64 warps = min_u64(blocks_per_sm, share) * ((threads_per_block + 31) / 32);
    return (u32)((warps + schedulers - 1) / schedulers);
}

/* ---- points of the plan ---- */

static u32 setting(const struct plan_point *p, const char *name)
{
    for (u32 i = 0; i < p->setting_count; i++) {
        if (strcmp(p->settings[i].name, name) == 0)
            return (u32)strtoul(p->settings[i].value, NULL, 10);
    }
    return 0;
}

/* The run that others replay is none of the grid. */
static bool is_tuple_of(const struct plan_point *p, const char *program)
{
    return p->mode != POINT_RECORD && strcmp(p->workload->name, program) == 0;
}

static u64 parameter(const struct plan_point *p, const char *path)
{
    for (u32 i = 0; i < p->config->count; i++) {
        if (strcmp(p->config->paths[i], path) == 0)
            return strtoull(p->config->values[i], NULL, 10);
    }
    return 0;
}

static bool is_done(struct db *db, const struct plan_point *p, struct err *err)
{
    sqlite3_stmt *s =
        db_ask(db, err, "SELECT 1 FROM runs WHERE key = ? AND status = 'done'", "t", p->key);
    bool done = db_next(db, s, err);
    if (done)
        sqlite3_reset(s);
    return done;
}

bool profile_is_complete(struct db *db, const struct plan *plan, const char *program, u32 *missing,
                         struct err *err)
{
    *missing = 0;
    for (u32 i = 0; i < plan->count; i++) {
        if (is_tuple_of(plan->points[i], program) && !is_done(db, plan->points[i], err))
            ++*missing;
        if (err->kind != ERR_NONE)
            return false;
    }
    return *missing == 0;
}

/* Columns come with the results that have them: a database of before may lack some. */
static bool check_columns(struct db *db, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
        sqlite3_stmt *s = db_ask(
            db, err, "SELECT 1 FROM pragma_table_info('kernels') WHERE name = ?", "t", columns[i]);
        bool is_there = db_next(db, s, err);
        if (is_there)
            sqlite3_reset(s);
        else if (err->kind == ERR_NONE)
            err_at(err, (struct src_pos){db->path, 0, 0},
                   "no kernel of the database has %s, expected results of a GPU chip by this "
                   "version",
                   columns[i]);
        if (!is_there)
            return false;
    }
    return true;
}

/* ---- rows ---- */

static u64 number(sqlite3_stmt *s, int column)
{
    i64 v = sqlite3_column_int64(s, column);
    return v > 0 ? (u64)v : 0;
}

static struct kernel_row read_row(sqlite3_stmt *s, const struct plan_point *p)
{
    return (struct kernel_row){
        .number = number(s, 0),
        .name = db_text(s, 1),
        .cycles = number(s, 2),
        .limit = kernel_limit(number(s, 12), number(s, 3), number(s, 4),
                              parameter(p, "sm.schedulers"), parameter(p, "sm.count")),
        .counters = {.accesses = number(s, 5),
                     .hits = number(s, 6),
                     .own_hits = number(s, 7),
                     .latency_cycles = number(s, 8),
                     .returned = number(s, 9),
                     .instructions = number(s, 10),
                     .load_instructions = number(s, 11)},
    };
}

static bool add_kernel(struct train_set *set, const char *program, const struct kernel_row *r,
                       const struct db *db, struct arena *arena, struct err *err)
{
    if (r->limit < 1 || r->limit > MOST_LIMIT || !r->cycles)
        return err_at(err, (struct src_pos){db->path, 0, 0},
                      "kernel %llu of %s (%s) has %u warps per scheduler and took %llu cycles, "
                      "expected 1 to %u warps and at least a cycle",
                      (unsigned long long)r->number, program, r->name, r->limit,
                      (unsigned long long)r->cycles, MOST_LIMIT);
    if (set->count == set->room) {
        set->room = set->room ? 2 * set->room : 64;
        set->kernels = xrealloc(set->kernels, set->room * sizeof *set->kernels);
    }
    struct train_kernel *k = &set->kernels[set->count++];
    *k = (struct train_kernel){
        .program = program, .name = arena_strdup(arena, r->name), .number = r->number};
    profile_init(&k->profile, r->limit, arena);
    return true;
}

/* The kernels that there are: those of the run at (W, W). */
static bool add_kernels(struct train_set *set, struct db *db, const struct plan_point *base,
                        const char *program, struct arena *arena, struct err *err)
{
    sqlite3_stmt *s = db_ask(db, err, ROWS, "t", base->key);
    bool ok = true;
    while (ok && db_next(db, s, err)) {
        struct kernel_row r = read_row(s, base);
        ok = add_kernel(set, program, &r, db, arena, err);
    }
    if (!ok)
        sqlite3_reset(s);
    return err->kind == ERR_NONE;
}

/* Launches come in the same order in both: `from` is where the last one was. */
static struct train_kernel *find_kernel(struct train_set *set, u32 *from,
                                        const struct kernel_row *r)
{
    for (; *from < set->count && set->kernels[*from].number <= r->number; ++*from) {
        struct train_kernel *k = &set->kernels[*from];
        if (k->number == r->number)
            return strcmp(k->name, r->name) == 0 && k->profile.limit == r->limit ? k : NULL;
    }
    return NULL;
}

static bool read_point(struct train_set *set, u32 first, struct db *db, const struct plan_point *p,
                       bool is_base, struct err *err)
{
    static const struct warp_counters zero;
    u32 n = setting(p, "policy.warp.fixed.n"), pollute = setting(p, "policy.warp.fixed.p"),
        from = first;
    sqlite3_stmt *s = db_ask(db, err, ROWS, "t", p->key);
    while (db_next(db, s, err)) {
        struct kernel_row r = read_row(s, p);
        struct train_kernel *k = find_kernel(set, &from, &r);
        if (!k || !r.cycles)
            continue;
        k->runs++;
        profile_put(&k->profile, n, pollute, r.cycles);
        if (n == 1)
            k->at_least = feature_sample(&zero, &r.counters);
        if (is_base)
            k->at_most = feature_sample(&zero, &r.counters);
    }
    return err->kind == ERR_NONE;
}

bool train_set_read(struct train_set *set, struct db *db, const struct plan *plan,
                    const char *program, struct arena *arena, struct err *err)
{
    const struct plan_point *base = NULL;
    u32 first = set->count, missing, points = 0;
    for (u32 i = 0; i < plan->count; i++) {
        points += is_tuple_of(plan->points[i], program);
        base = is_tuple_of(plan->points[i], program) ? plan->points[i] : base;
    }
    assert(base); /* the plan was made for this program */
    if (!profile_is_complete(db, plan, program, &missing, err))
        return err->kind == ERR_NONE ? err_at(err, (struct src_pos){db->path, 0, 0},
                                              "%u of the %u runs of %s have no result (`heddle "
                                              "results failed` lists those that failed)",
                                              missing, points, program)
                                     : false;
    if (!check_columns(db, err) || !add_kernels(set, db, base, program, arena, err))
        return false;
    /* in ascending order of n and p: what the limit makes equal to (W, W) ends as the base */
    for (u32 i = 0; i < plan->count; i++) {
        const struct plan_point *p = plan->points[i];
        if (is_tuple_of(p, program) && !read_point(set, first, db, p, p == base, err))
            return false;
    }
    return true;
}

void train_set_fini(struct train_set *set)
{
    free(set->kernels);
    *set = (struct train_set){0};
}

/* ---- judgement ---- */

static enum kernel_verdict verdict_of(const struct train_kernel *k, const struct train_options *o)
{
    const struct profile *f = &k->profile;
    struct warp_tuple t = o->gain_at_target ? k->target : k->best;
    if (!(k->at_least.hit_rate > 0))
        return KERNEL_NO_HITS;
    if (profile_cycles(f, f->limit, f->limit) < o->least_cycles)
        return KERNEL_SHORT;
    double gain = profile_speedup(f, t.n, t.p) - 1;
    /* 1.015 - 1 is a little less than 0.015 */
    return gain < o->least_gain - 1e-9 ? KERNEL_NO_GAIN : KERNEL_KEPT;
}

void kernel_judge(struct train_kernel *k, u32 runs, const struct train_options *o)
{
    k->verdict = KERNEL_NOT_EVERYWHERE;
    if (k->runs != runs || !profile_fill(&k->profile))
        return;
    feature_vector(&k->at_most, &k->at_least, o->divisor, k->x);
    k->best = profile_best(&k->profile);
    k->target = profile_target(&k->profile, o->rule);
    k->verdict = verdict_of(k, o);
}

void train_set_judge(struct train_set *set, u32 runs, const struct train_options *o)
{
    for (u32 i = 0; i < set->count; i++)
        kernel_judge(&set->kernels[i], runs, o);
}

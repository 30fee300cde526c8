#include "front_end/pass.h"

#include "config/config.h"
#include "front_end/section.h"

const char *const section_names[CPU_SECTIONS] = {"serial", "parallel", "total"};

/* clang-format off */
static const struct stat_def pass_stats[] = {
    S_ARRAY(pass_counts, instructions, section_names, CPU_SECTIONS, "instructions", "instructions fetched"),
    S_ARRAY(pass_counts, branches, section_names, CPU_SECTIONS, "instructions", "branches of all kinds"),
    S_ARRAY(pass_counts, bytes, section_names, CPU_SECTIONS, "bytes", "bytes of instructions fetched"),
    S_COUNT(pass_counts, all_instructions, "instructions", "instructions fetched in all sections"),
    S_COUNT(pass_counts, threads, "threads", "threads simulated, each with structures of its own"),
    S_END,
};
/* clang-format on */

/* ---- configuration ---- */

bool pass_check(const struct pass_config *c, const struct config *config, struct err *err)
{
    const struct predictor_run_config *predictors = c->predictors.items;
    const struct btb_run_config *btbs = c->btbs.items;
    const struct icache_run_config *icaches = c->icaches.items;
    for (u32 i = 0; i < c->predictors.count; i++) {
        if (!predictor_run_check(&predictors[i], config, err))
            return false;
    }
    for (u32 i = 0; i < c->btbs.count; i++) {
        if (!btb_run_check(&btbs[i], config, err))
            return false;
    }
    for (u32 i = 0; i < c->icaches.count; i++) {
        if (!icache_run_check(&icaches[i], config, err))
            return false;
    }
    return c->predictors.count + c->btbs.count + c->icaches.count > 0 ||
           err_at(err, config_pos(config, NULL),
                  "it has no front end, expected at least one of predictors, btbs and icaches");
}

struct front_pass *pass_create(const struct pass_config *c, struct stats *stats,
                               struct arena *arena)
{
    struct front_pass *p = ARENA_NEW(arena, struct front_pass);
    p->config = c;
    p->predictors = ARENA_ARRAY(arena, struct predictor_run, c->predictors.count + 1);
    p->btbs = ARENA_ARRAY(arena, struct btb_run, c->btbs.count + 1);
    p->icaches = ARENA_ARRAY(arena, struct icache_run, c->icaches.count + 1);
    stats_add(stats, STAT_ROOT, "trace", STAT_NO_INDEX, pass_stats, &p->counts);
    stat_node of = stats_add(stats, STAT_ROOT, "predictors", STAT_NO_INDEX, NULL, NULL);
    for (u32 i = 0; i < c->predictors.count; i++)
        stats_add(stats, of, c->predictors.names[i], STAT_NO_INDEX, predictor_run_stats,
                  &p->predictors[i].counts);
    of = stats_add(stats, STAT_ROOT, "btbs", STAT_NO_INDEX, NULL, NULL);
    for (u32 i = 0; i < c->btbs.count; i++)
        stats_add(stats, of, c->btbs.names[i], STAT_NO_INDEX, btb_run_stats, &p->btbs[i].counts);
    of = stats_add(stats, STAT_ROOT, "icaches", STAT_NO_INDEX, NULL, NULL);
    for (u32 i = 0; i < c->icaches.count; i++)
        stats_add(stats, of, c->icaches.names[i], STAT_NO_INDEX, icache_run_stats,
                  &p->icaches[i].counts);
    return p;
}

/* ---- handing on ---- */

static void hand_on(struct front_pass *p)
{
    struct front_batch *b = &p->batch;
    for (u32 i = 0; i < p->config->predictors.count; i++)
        predictor_run_batch(&p->predictors[i], b);
    for (u32 i = 0; i < p->config->btbs.count; i++)
        btb_run_batch(&p->btbs[i], b);
    for (u32 i = 0; i < p->config->icaches.count; i++)
        icache_run_batch(&p->icaches[i], b);
    b->stretch_count = b->branch_count = 0;
}

static void close_stretch(struct front_pass *p)
{
    struct front_batch *b = &p->batch;
    if (p->open.first == p->open.end)
        return;
    b->stretches[b->stretch_count++] = p->open;
    p->open.first = p->open.end = 0;
    if (b->stretch_count == BATCH_EVENTS)
        hand_on(p);
}

static void add_branch(struct front_pass *p, const struct cpu_instruction *i)
{
    struct front_batch *b = &p->batch;
    p->counts.branches[p->section]++;
    b->branches[b->branch_count++] = (struct branch_event){.pc = i->pc,
                                                           .target = i->target,
                                                           .kind = i->branch,
                                                           .section = p->section,
                                                           .taken = i->taken};
    if (i->taken)
        close_stretch(p);
    if (b->branch_count == BATCH_EVENTS)
        hand_on(p);
}

static void add(struct front_pass *p, const struct cpu_instruction *i)
{
    u32 length = i->length ? i->length : 1; /* a trace without lengths */
    p->counts.instructions[p->section]++;
    p->counts.bytes[p->section] += i->length;
    if (i->pc != p->open.end) {
        close_stretch(p);
        p->open = (struct fetch_stretch){i->pc, i->pc, p->section};
    }
    p->open.end = i->pc + length;
    if (i->branch)
        add_branch(p, i);
}

static void change_section(struct front_pass *p, u8 event)
{
    if (event != CPU_PARALLEL_START && event != CPU_PARALLEL_END)
        return;
    close_stretch(p);
    p->has_parallel |= event == CPU_PARALLEL_START;
    p->section = event == CPU_PARALLEL_START ? CPU_PARALLEL : CPU_SERIAL;
}

/* ---- a thread ---- */

bool pass_begin_thread(struct front_pass *p, struct arena *arena, struct err *err)
{
    const struct predictor_run_config *predictors = p->config->predictors.items;
    const struct btb_run_config *btbs = p->config->btbs.items;
    const struct icache_run_config *icaches = p->config->icaches.items;
    p->section = CPU_SERIAL;
    p->counts.threads++;
    for (u32 i = 0; i < p->config->predictors.count; i++) {
        if (!predictor_run_begin(&p->predictors[i], &predictors[i], arena, err))
            return false;
    }
    for (u32 i = 0; i < p->config->btbs.count; i++)
        btb_run_begin(&p->btbs[i], &btbs[i], arena);
    for (u32 i = 0; i < p->config->icaches.count; i++) {
        if (!icache_run_begin(&p->icaches[i], &icaches[i], arena, err))
            return false;
    }
    return true;
}

bool pass_read(struct front_pass *p, struct cpu_stream *s, u64 most)
{
    const struct cpu_instruction *i = NULL;
    for (; most && (i = cpu_stream_peek(s)); cpu_stream_skip(s)) {
        if (i->class == CPU_EVENT) {
            change_section(p, i->event);
            continue;
        }
        add(p, i);
        most--;
    }
    return !most;
}

void pass_end_thread(struct front_pass *p)
{
    close_stretch(p);
    hand_on(p);
    for (u32 i = 0; i < p->config->icaches.count; i++)
        icache_run_end(&p->icaches[i]);
}

void pass_settle(struct front_pass *p)
{
    section_total(p->counts.instructions);
    section_total(p->counts.branches);
    section_total(p->counts.bytes);
    p->counts.all_instructions = p->counts.instructions[CPU_TOTAL];
    for (u32 i = 0; i < p->config->predictors.count; i++)
        predictor_run_settle(&p->predictors[i]);
    for (u32 i = 0; i < p->config->btbs.count; i++)
        btb_run_settle(&p->btbs[i]);
    for (u32 i = 0; i < p->config->icaches.count; i++)
        icache_run_settle(&p->icaches[i]);
}

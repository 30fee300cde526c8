/* Takes the fabric through the phases of its program. */
#include "fabric/fabric.h"

#include "fabric/modes.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- messages ------------------------------------------------------------------------------ */

/* Every tile has room: it answers each command, and has asked for each item. */
static void command(struct fabric *f, enum tile_command command, u32 argument)
{
    for (u32 i = 0; i < f->config->tile.count; i++)
        port_push(&f->tiles[i].down, TILE_COMMAND | argument << 2 | (u32)command);
}

static void deal(struct fabric *f, struct tile *t)
{
    struct manager *m = &f->manager;
    bool is_left = m->next_item < m->phases[m->phase].items;
    port_push(&t->down, is_left ? (u32)m->next_item : TILE_COMMAND | TILE_NO_MORE);
    m->next_item += is_left;
}

/* What tiles say: requests for items, or that they are ready for the next step. */
static void hear_tiles(struct fabric *f)
{
    for (u32 i = 0; i < f->config->tile.count; i++) {
        struct tile *t = &f->tiles[i];
        while (port_ready(&t->up)) {
            if (port_pop(&t->up) == TILE_WANTS)
                deal(f, t);
            else
                f->manager.left--;
        }
    }
}

static void hear_banks(struct fabric *f)
{
    for (u32 i = 0; i < f->config->rl2.banks; i++) {
        while (port_ready(&f->banks[i].up)) {
            port_pop(&f->banks[i].up);
            f->manager.left--;
        }
    }
}

/* ---- phases -------------------------------------------------------------------------------- */

static enum rl2_mode rl2_before(const struct manager *m)
{
    return m->phase ? m->phases[m->phase - 1].rl2 : RL2_CACHE;
}

static void start_phase(struct fabric *f, cycle_t now)
{
    struct manager *m = &f->manager;
    const struct fabric_phase *p = &m->phases[m->phase];
    bool changes = fabric_modes_differ(f->config, m->phase ? p - 1 : NULL, p);
    m->began = now;
    m->began_fs = f->site.sim->engine.now_fs;
    m->next_item = 0;
    m->left = f->config->tile.count;
    m->stage = MANAGER_DEALS;
    f->counts.switches += changes;
    f->counts.switch_cycles += changes ? f->config->crossbar.switch_cycles : 0;
    command(f, TILE_PHASE, m->phase);
    for (u32 i = 0; p->rl2 != rl2_before(m) && i < f->config->rl2.banks; i++)
        port_push(&f->banks[i].down, RL2_SET + (u32)p->rl2);
}

static void start_flush(struct fabric *f, cycle_t now)
{
    struct manager *m = &f->manager;
    m->worked = now;
    m->worked_fs = f->site.sim->engine.now_fs;
    m->left = f->config->tile.count;
    m->stage = MANAGER_FLUSHES_TILES;
    command(f, TILE_FLUSH, 0);
}

static void start_bank_flush(struct fabric *f)
{
    f->manager.left = f->config->rl2.banks;
    f->manager.stage = MANAGER_FLUSHES_BANKS;
    for (u32 i = 0; i < f->config->rl2.banks; i++)
        port_push(&f->banks[i].down, RL2_FLUSH);
}

static void subtract(struct phase_numbers *n, const struct phase_numbers *before)
{
    u64 *to = n->states;
    const u64 *from = before->states;
    for (size_t i = 0; i < sizeof *n / sizeof(u64); i++) /* all are u64 */
        to[i] -= from[i];
}

/* The change of mode, the work, and the writing back. */
static void show(struct fabric *f, const struct phase_record *r)
{
    const struct manager *m = &f->manager;
    struct timeline *t = f->site.sim->timeline;
    const struct fabric_phase *p = &m->phases[m->phase];
    u64 switched_fs = m->began_fs + r->switch_cycles * (FS_PER_SECOND / f->config->tile.clock_hz);
    if (!t)
        return;
    char name[128], mode[64];
    fabric_mode_text(p->mode, p->rl2, mode, sizeof mode);
    if (r->switch_cycles) {
        snprintf(name, sizeof name, "change of mode to %s", mode);
        timeline_span(t, m->track, name, m->began_fs, switched_fs);
    }
    snprintf(name, sizeof name, "%s (%s)", p->name, mode);
    timeline_span(t, m->track, name, switched_fs, m->worked_fs);
    timeline_span(t, m->track, "write back", m->worked_fs, f->site.sim->engine.now_fs);
}

static void record_phase(struct fabric *f, cycle_t now)
{
    struct manager *m = &f->manager;
    const struct fabric_phase *p = &m->phases[m->phase];
    struct phase_record *r = &m->records[m->record_count++];
    bool changes = fabric_modes_differ(f->config, m->phase ? p - 1 : NULL, p);
    *r = (struct phase_record){.name = p->name,
                               .number = m->phase,
                               .mode = p->mode,
                               .rl2_mode = p->rl2,
                               .items = p->items,
                               .started = m->began,
                               .ended = now,
                               .cycles = now - m->began,
                               .work_cycles = m->worked - m->began,
                               .flush_cycles = now - m->worked};
    r->switch_cycles = changes ? f->config->crossbar.switch_cycles : 0;
    fabric_settle(f);
    fabric_sum(f, &r->numbers);
    struct phase_numbers sum = r->numbers;
    subtract(&r->numbers, &m->before);
    m->before = sum;
    f->counts.phases++;
    f->counts.flush_cycles += r->flush_cycles;
    f->counts.phase_cycles[manager_name_of(m, p->name)] += r->work_cycles - r->switch_cycles;
    show(f, r);
}

static void end_phase(struct fabric *f, cycle_t now)
{
    struct manager *m = &f->manager;
    record_phase(f, now);
    if (++m->phase < m->phase_count) {
        start_phase(f, now);
        return;
    }
    m->stage = MANAGER_ENDED;
    engine_stop(&f->site.sim->engine);
}

static void go_on(struct fabric *f, cycle_t now)
{
    struct manager *m = &f->manager;
    const struct fabric_phase *p = &m->phases[m->phase];
    bool flushes_banks =
        f->config->rl2.sharing == RL2_GROUP || m->phase + 1 == m->phase_count || p[1].rl2 != p->rl2;
    switch ((enum manager_stage)m->stage) {
    case MANAGER_STARTS:
        start_phase(f, now);
        break;
    case MANAGER_DEALS:
        start_flush(f, now);
        break;
    case MANAGER_FLUSHES_TILES:
        if (flushes_banks)
            start_bank_flush(f);
        else
            end_phase(f, now);
        break;
    case MANAGER_FLUSHES_BANKS:
        end_phase(f, now);
        break;
    case MANAGER_ENDED:
        break;
    }
}

static cycle_t manager_tick(void *self, cycle_t now)
{
    struct fabric *f = self;
    hear_tiles(f);
    hear_banks(f);
    if (!f->manager.left && f->manager.stage != MANAGER_ENDED)
        go_on(f, now);
    return CYCLE_NEVER;
}

static enum fabric_mode mode_of(const struct fabric_config *c, enum fabric_mode own)
{
    return c->program.force == FORCE_SHARED    ? FABRIC_SHARED
           : c->program.force == FORCE_PRIVATE ? FABRIC_PRIVATE
           : c->program.force == FORCE_BYPASS  ? FABRIC_BYPASS
                                               : own;
}

/* A statistic's label has no blanks. */
static bool is_label_of(const char *label, const char *name)
{
    for (; *label && *name; label++, name++) {
        if (*label != (*name == ' ' ? '_' : *name))
            return false;
    }
    return *label == *name;
}

u32 manager_name_of(const struct manager *m, const char *name)
{
    u32 i = 0;
    while (i < m->name_count && !is_label_of(m->names[i], name))
        i++;
    return i;
}

static void note_name(struct manager *m, struct arena *arena, const char *name)
{
    if (manager_name_of(m, name) < m->name_count)
        return;
    assert(m->name_count < FABRIC_MOST_PHASE_NAMES);
    char *label = arena_strdup(arena, name);
    for (char *c = strchr(label, ' '); c; c = strchr(c, ' '))
        *c = '_';
    m->names[m->name_count++] = label;
}

void manager_init(struct fabric *f)
{
    struct manager *m = &f->manager;
    struct sim *sim = f->site.sim;
    m->phase_count = f->ops->phases(f->program);
    m->phases = ARENA_ARRAY(&sim->arena, struct fabric_phase, m->phase_count + 1);
    m->records = ARENA_ARRAY(&sim->arena, struct phase_record, m->phase_count + 1);
    for (u32 i = 0; i < m->phase_count; i++) {
        f->ops->phase(f->program, i, &m->phases[i]);
        m->phases[i].mode = mode_of(f->config, m->phases[i].mode);
        note_name(m, &sim->arena, m->phases[i].name);
    }
    m->unit = engine_add_unit(&sim->engine, f->domain, site_name_of(&f->site, "manager"),
                              manager_tick, f);
    if (sim->timeline)
        m->track = timeline_track(sim->timeline, "fabric", "phases");
}

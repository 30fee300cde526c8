#include "cpu/mover.h"

#include "cpu_trace/aarch64_stream.h"
#include "sim/timeline.h"

#include <stdio.h>

/* clang-format off */
const struct stat_def mover_stats[] = {
    S_COUNT(mover_counts, samples, "periods", "sampling periods in which the program ran"),
    S_COUNT(mover_counts, samples_on_little, "periods", "sampling periods that ended on a LITTLE core"),
    S_COUNT(mover_counts, to_little, "moves", "moves to a LITTLE core"),
    S_COUNT(mover_counts, to_big, "moves", "moves to a big core"),
    S_COUNT(mover_counts, pinned_moves, "moves", "moves of a pinned thread with its vector registers"),
    S_COUNT(mover_counts, drain_cycles, "cycles", "total cycles from the decision to move until the core was empty"),
    S_COUNT(mover_counts, longest_wait_cycles, "cycles", "most cycles from the decision to move until the core was empty"),
    S_COUNT(mover_counts, transfer_cycles, "cycles", "cycles spent transferring registers"),
    S_COUNT(mover_counts, transfer_bytes, "bytes", "bytes of registers transferred"),
    S_END,
};
/* clang-format on */

bool mover_is_little(const struct core_mover *m, const struct core *c)
{
    return c->index >= m->config->count - m->config->little.count;
}

static struct core *free_core(const struct core_mover *m, bool little)
{
    for (u32 i = m->first; i < m->end; i++) {
        struct core *c = &m->cores[i];
        if (mover_is_little(m, c) == little && !c->stream)
            return c;
    }
    return NULL;
}

/* ---- what a period was like ------------------------------------------------------------------ */

static u64 stall_slots(const struct core_counts *n)
{
    return n->slots[CORE_L2] + n->slots[CORE_LLC] + n->slots[CORE_DRAM] + n->slots[CORE_MSHR];
}

static bool wants_little(const struct core_mover *m)
{
    const struct move_config *c = &m->config->move;
    const struct core_counts *now = &m->at->counts;
    u64 slots = now->all_slots - m->before.all_slots;
    u64 stalls = stall_slots(now) - stall_slots(&m->before);
    u64 lanes = m->stream->mover->lanes - m->lanes;
    u64 active = m->stream->mover->active_lanes - m->active_lanes;
    if (c->policy == MOVE_ALWAYS)
        return !mover_is_little(m, m->at);
    return active * 100 < lanes * c->activity_below || stalls * 100 > slots * c->stalls_above ||
           !lanes;
}

static void begin_period(struct core_mover *m)
{
    m->before = m->at->counts;
    m->lanes = m->stream->mover->lanes;
    m->active_lanes = m->stream->mover->active_lanes;
}

static void ask(struct core_mover *m, bool little, cycle_t now)
{
    m->to = free_core(m, little);
    if (!m->to)
        return;
    m->asked_at = now;
    m->stream->mover->is_enforced = m->config->move.enforced;
    m->stream->mover->wanted_bits = m->to->config->vector.bits;
}

static cycle_t next_tick(const struct core_mover *m, cycle_t now)
{
    return m->disable_at > now ? min_u64(m->sample_at, m->disable_at) : m->sample_at;
}

static void end_period(struct core_mover *m, bool disabled, cycle_t now)
{
    bool little = mover_is_little(m, m->at);
    m->counts.samples++;
    m->counts.samples_on_little += little;
    m->sample_at = now + m->period;
    if (m->to)
        return;
    bool wish = disabled || wants_little(m);
    if (wish != little)
        ask(m, wish, now);
    begin_period(m);
}

/* At the end of a period, and when the big cores go out of use: a thread that may leave one does
 * so at once. */
static cycle_t mover_tick(void *self, cycle_t now)
{
    struct core_mover *m = self;
    if (!m->at || m->left_at)
        return CYCLE_NEVER;
    bool disabled = m->disable_at && now >= m->disable_at;
    if (now >= m->sample_at)
        end_period(m, disabled, now);
    else if (disabled && !m->to && !mover_is_little(m, m->at))
        ask(m, true, now);
    return next_tick(m, now);
}

/* What is measured begins anew on every core; periods end where they would have ended. */
static void wake_later(struct core_mover *m)
{
    cycle_t next = engine_next_cycle(m->engine, m->domain);
    if (m->sample_at <= next)
        m->sample_at = next + m->period;
    begin_period(m);
    engine_wake_at(m->engine, m->unit, next_tick(m, next - 1));
}

/* ---- the timeline ---------------------------------------------------------------------------- */

static void begin_stay(struct core_mover *m)
{
    m->since_fs = m->engine->now_fs;
}

static void end_stay(struct core_mover *m)
{
    if (!m->timeline)
        return;
    const char *kind = mover_is_little(m, m->at) ? "LITTLE" : "big";
    u32 bits = m->stream->mover->pinned_bits;
    char pinned[32];
    snprintf(pinned, sizeof pinned, bits ? "pinned at %u bits" : "not pinned", bits);
    timeline_span_with(m->timeline, m->track, kind, m->since_fs, m->engine->now_fs, "leaves",
                       pinned);
}

/* ---- a move ---------------------------------------------------------------------------------- */

void mover_begin(struct core_mover *m, struct core *core, struct cpu_stream *stream, u8 application)
{
    if (m->at || !stream->mover || !mover_is_on(m))
        return;
    m->at = core;
    m->to = NULL;
    m->stream = stream;
    m->application = application;
    begin_stay(m);
    wake_later(m);
}

bool mover_has_left(struct core_mover *m, cycle_t now)
{
    if (!m->at)
        return false;
    end_stay(m);
    if (!m->to || !m->stream->mover->may_go) {
        m->at = NULL;
        m->sample_at = 0;
        return false;
    }
    u64 waited = now - m->asked_at;
    m->left_at = now;
    m->counts.drain_cycles += waited;
    m->counts.longest_wait_cycles = max_u64(m->counts.longest_wait_cycles, waited);
    return true;
}

/* 31 general registers, and of a pinned thread its vectors and predicates, to the L2 and back. */
static u64 transfer_cycles(struct core_mover *m)
{
    u64 bits = m->stream->mover->pinned_bits, line = m->at->caches.line_bytes;
    u64 bytes = 31 * 8 + (bits ? 32 * bits / 8 + 16 * bits / 64 : 0);
    m->counts.transfer_bytes += bytes;
    m->counts.pinned_moves += bits != 0;
    return 2 * (m->config->l2.hit_cycles + (bytes + line - 1) / line);
}

/* What the program is to do until somebody looks at it, on another core. */
static void take_mark(struct core_mover *m)
{
    if (m->at->mark_at == UINT64_MAX)
        return;
    m->to->mark_at = m->to->counts.instructions + (m->at->mark_at - m->at->counts.instructions);
    m->at->mark_at = UINT64_MAX;
}

void mover_arrive(struct core_mover *m)
{
    u64 cycles = transfer_cycles(m);
    if (mover_is_little(m, m->to))
        m->counts.to_little++;
    else
        m->counts.to_big++;
    m->counts.transfer_cycles += cycles;
    cpu_mover_move(m->stream, m->to->config->vector.bits);
    take_mark(m);
    m->at = m->to;
    m->to = NULL;
    m->left_at = 0;
    begin_stay(m);
    core_start(m->at, m->stream, m->application);
    cycle_t next = engine_next_cycle(m->engine, m->domain);
    m->at->fetch.resume_at = next + cycles;
    wake_later(m);
}

void mover_init(struct core_mover *m, const struct build_site *site, domain_id domain,
                const struct core_config *config, struct core *cores)
{
    *m = (struct core_mover){.config = config,
                             .cores = cores,
                             .engine = &site->sim->engine,
                             .domain = domain,
                             .period = config->move.period_ns * config->clock_hz / 1000000000,
                             .disable_at =
                                 config->move.disable_big_ns * config->clock_hz / 1000000000};
    if (!m->period)
        m->period = 1;
    if (!mover_is_on(m))
        return;
    m->timeline = site->sim->timeline;
    if (m->timeline)
        m->track = timeline_track(m->timeline, site_name_of(site, "moves"), "the program is on");
    m->unit = engine_add_unit(m->engine, domain, "mover", mover_tick, m);
    engine_set_background(m->engine, m->unit); /* a run ends with its program */
}

/*
 * A second opinion on every command of a channel, slow and plain.
 *
 * It keeps the list of all commands. A command is legal if no earlier one forbids it, pair by
 * pair, straight from the timing table; the command to expect is the first legal one in
 * the order that the scheduler promises. It also ticks every cycle, to catch a channel that
 * sleeps while something could be done.
 */
#ifndef TESTS_DRAM_REFEREE_H
#define TESTS_DRAM_REFEREE_H

#include "dram/bed.h"

#define NO_COMMAND ((struct bed_command){.at = CYCLE_NEVER})

struct referee {
    struct bed *bed;
    const struct dram_config *c;
    u32 burst; /* clocks */
    u32 horizon;
    bool open[DRAM_MAX_BANKS];
    u64 row[DRAM_MAX_BANKS];
    cycle_t last_command, last_column, last_row; /* + 1; 0: none */
    u32 refreshes;
};

static inline bool is_column(enum dram_command kind)
{
    return kind == DRAM_READ || kind == DRAM_WRITE;
}

/* Clocks from command a to command b, by the table; 0: no rule. */
static inline u32 rule_between(const struct referee *r, const struct bed_command *a,
                               const struct bed_command *b)
{
    const struct dram_config *c = r->c;
    u32 per_group = c->banks / c->bank_groups;
    bool same_bank = a->bank == b->bank, same_group = a->bank / per_group == b->bank / per_group;
    u32 wait = 0;
#define AT_LEAST(n) wait = (n) > wait ? (n) : wait
    if (a->kind == DRAM_ACTIVATE && b->kind == DRAM_ACTIVATE) {
        AT_LEAST(c->rrd);
        if (same_group)
            AT_LEAST(c->rrdl);
        if (same_bank)
            AT_LEAST(c->rc);
    }
    if (a->kind == DRAM_ACTIVATE && is_column(b->kind) && same_bank)
        AT_LEAST(c->rcd);
    if (a->kind == DRAM_ACTIVATE && b->kind == DRAM_PRECHARGE && same_bank)
        AT_LEAST(c->ras);
    if (a->kind == DRAM_PRECHARGE && b->kind == DRAM_ACTIVATE && same_bank)
        AT_LEAST(c->rp);
    if (a->kind == DRAM_READ && b->kind == DRAM_PRECHARGE && same_bank)
        AT_LEAST(c->rtpl);
    if (a->kind == DRAM_WRITE && b->kind == DRAM_PRECHARGE && same_bank)
        AT_LEAST(c->wl + r->burst + c->wr);
    if (is_column(a->kind) && is_column(b->kind)) {
        AT_LEAST(c->ccd);
        if (same_group)
            AT_LEAST(c->ccdl);
    }
    if (a->kind == DRAM_READ && b->kind == DRAM_WRITE)
        AT_LEAST(c->rtw);
    if (a->kind == DRAM_WRITE && b->kind == DRAM_READ)
        AT_LEAST(c->wl + r->burst + (same_group ? c->cdlrl : c->cdlr));
    if (b->kind == DRAM_REFRESH && a->kind == DRAM_PRECHARGE)
        AT_LEAST(c->rp);
    if (b->kind == DRAM_REFRESH && a->kind == DRAM_ACTIVATE)
        AT_LEAST(c->rc);
    if (a->kind == DRAM_REFRESH && (b->kind == DRAM_ACTIVATE || b->kind == DRAM_REFRESH))
        AT_LEAST(c->rfc);
#undef AT_LEAST
    return wait;
}

static inline bool data_overlaps(const struct referee *r, const struct bed_command *a,
                                 const struct bed_command *b)
{
    if (!is_column(a->kind) || !is_column(b->kind))
        return false;
    cycle_t x = a->at + (a->kind == DRAM_READ ? r->c->cl : r->c->wl);
    cycle_t y = b->at + (b->kind == DRAM_READ ? r->c->cl : r->c->wl);
    return x < y + r->burst && y < x + r->burst;
}

static inline bool state_allows(const struct referee *r, const struct bed_command *b)
{
    if (b->kind == DRAM_ACTIVATE)
        return !r->open[b->bank];
    if (b->kind == DRAM_PRECHARGE)
        return r->open[b->bank];
    if (is_column(b->kind))
        return r->open[b->bank] && r->row[b->bank] == b->row;
    for (u32 i = 0; i < r->c->banks; i++) {
        if (r->open[i])
            return false;
    }
    return true;
}

static inline bool is_legal(const struct referee *r, const struct bed_command *b)
{
    if (!state_allows(r, b))
        return false;
    u32 activates = 0;
    for (u32 i = r->bed->log_count; i-- > 0;) {
        const struct bed_command *a = &r->bed->log[i];
        if (b->at - a->at > r->horizon)
            break;
        if (b->at < a->at + rule_between(r, a, b) || data_overlaps(r, a, b))
            return false;
        if (b->kind == DRAM_ACTIVATE && a->kind == DRAM_ACTIVATE && ++activates == 4 &&
            b->at < a->at + r->c->faw)
            return false;
    }
    return true;
}

static inline bool is_hit(const struct referee *r, const struct dram_entry *e)
{
    return r->open[e->bank] && r->row[e->bank] == e->row;
}

static inline u32 hits_of_bank(const struct referee *r, u32 bank)
{
    const struct dram_queue *q = &r->bed->channel.queue;
    u32 n = 0;
    for (u32 i = 0; i < q->count; i++)
        n += queue_entry(q, i)->bank == bank && is_hit(r, queue_entry(q, i));
    return n;
}

static inline u32 entries_seen(const struct referee *r)
{
    u32 count = r->bed->channel.queue.count;
    return strcmp(r->c->scheduler, "fcfs") == 0 && count ? 1 : count;
}

static inline struct bed_command expect_column(const struct referee *r, cycle_t now)
{
    const struct dram_channel *c = &r->bed->channel;
    for (u32 i = 0; i < entries_seen(r) && now < c->refresh_due; i++) {
        const struct dram_entry *e = queue_entry(&c->queue, i);
        struct bed_command b = {now, e->is_write ? DRAM_WRITE : DRAM_READ, e->bank, e->row};
        bool has_room = e->is_write || !timed_is_full(&c->replies);
        if (is_hit(r, e) && has_room && is_legal(r, &b))
            return b;
    }
    return NO_COMMAND;
}

static inline bool bank_seen_before(const struct referee *r, u32 entry)
{
    const struct dram_queue *q = &r->bed->channel.queue;
    for (u32 i = 0; i < entry; i++) {
        if (queue_entry(q, i)->bank == queue_entry(q, entry)->bank && !is_hit(r, queue_entry(q, i)))
            return true;
    }
    return false;
}

static inline struct bed_command expect_demanded_row(const struct referee *r, cycle_t now)
{
    const struct dram_queue *q = &r->bed->channel.queue;
    for (u32 i = 0; i < entries_seen(r); i++) {
        const struct dram_entry *e = queue_entry(q, i);
        bool keeps_open = strcmp(r->c->scheduler, "fr_fcfs") == 0 && hits_of_bank(r, e->bank);
        if (is_hit(r, e) || keeps_open || bank_seen_before(r, i))
            continue;
        struct bed_command b = {now, DRAM_ACTIVATE, e->bank, e->row};
        if (r->open[e->bank])
            b = (struct bed_command){now, DRAM_PRECHARGE, e->bank, r->row[e->bank]};
        if (is_legal(r, &b))
            return b;
    }
    return NO_COMMAND;
}

static inline struct bed_command expect_row(const struct referee *r, cycle_t now)
{
    bool refreshing = now >= r->bed->channel.refresh_due;
    struct bed_command demanded = refreshing ? NO_COMMAND : expect_demanded_row(r, now);
    if (demanded.at == now)
        return demanded;
    for (u32 i = 0; i < r->c->banks && (refreshing || r->c->page_policy == DRAM_CLOSE_PAGE); i++) {
        struct bed_command b = {now, DRAM_PRECHARGE, i, r->row[i]};
        if ((refreshing || hits_of_bank(r, i) == 0) && is_legal(r, &b))
            return b;
    }
    struct bed_command refresh = {now, DRAM_REFRESH, 0, 0};
    return refreshing && is_legal(r, &refresh) ? refresh : NO_COMMAND;
}

static inline void expect_same(const struct bed_command *got, const struct bed_command *want)
{
    if (got->at != want->at || got->kind != want->kind || got->bank != want->bank ||
        got->row != want->row)
        fail_msg("cycle %llu: command %d bank %u row %llu, expected %d bank %u row %llu at %llu",
                 (unsigned long long)got->at, (int)got->kind, got->bank,
                 (unsigned long long)got->row, (int)want->kind, want->bank,
                 (unsigned long long)want->row, (unsigned long long)want->at);
}

static inline void referee_sees(void *context, cycle_t now, enum dram_command kind, u32 bank,
                                u64 row)
{
    struct referee *r = context;
    struct bed_command got = {now, kind, bank, row};
    if (kind == DRAM_IDLE_REFRESHES) {
        r->refreshes += (u32)row;
        memset(r->open, 0, sizeof r->open);
        return;
    }
    struct bed_command column = expect_column(r, now), line = expect_row(r, now);
    if (r->c->command_buses == 1) {
        assert_true(r->last_command != now + 1);
        expect_same(&got, column.at == now ? &column : &line);
    } else {
        assert_true((is_column(kind) ? r->last_column : r->last_row) != now + 1);
        expect_same(&got, is_column(kind) ? &column : &line);
    }
    r->last_command = now + 1;
    if (is_column(kind))
        r->last_column = now + 1;
    else
        r->last_row = now + 1;
    if (kind == DRAM_ACTIVATE || kind == DRAM_PRECHARGE)
        r->open[bank] = kind == DRAM_ACTIVATE;
    if (kind == DRAM_ACTIVATE)
        r->row[bank] = row;
    if (kind == DRAM_REFRESH) {
        cycle_t due = (cycle_t)++r->refreshes * r->c->refi;
        assert_in_range(now, due, due + r->horizon);
    }
    bed_log(r->bed, now, kind, bank, row);
}

/* Ticks after the channel: what it left undone must not have been possible. */
static inline cycle_t referee_tick(void *self, cycle_t now)
{
    struct referee *r = self;
    if (r->last_command != now + 1 && !r->bed->channel.slept) {
        struct bed_command column = expect_column(r, now), line = expect_row(r, now);
        if (column.at == now || line.at == now)
            fail_msg("cycle %llu: nothing was issued", (unsigned long long)now);
    }
    return now + 1;
}

static inline void referee_init(struct referee *r, struct bed *b)
{
    const struct dram_config *c = &b->timing.config;
    *r = (struct referee){
        .bed = b,
        .c = c,
        .burst = (c->burst_length + c->data_rate - 1) / c->data_rate,
        .horizon = c->rfc + c->rc + c->cl + c->wl + c->wr + c->faw + c->rtw + 100,
    };
    b->channel.on_command = referee_sees;
    b->channel.hook_context = r;
    engine_add_unit(&b->sim.engine, b->channel.domain, "referee", referee_tick, r);
}

#endif

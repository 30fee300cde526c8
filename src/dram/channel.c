#include "dram/channel.h"

static struct request *request_of(const struct dram_channel *c, handle_t h)
{
    return pool_get(c->requests, h);
}

static bool is_write(const struct request *r)
{
    return r->kind == REQUEST_STORE || r->kind == REQUEST_WRITEBACK;
}

static u16 bursts_of(const struct dram_channel *c, const struct request *r)
{
    u32 bytes = request_data_bytes(r), burst = c->timing->burst_bytes;
    return (u16)(bytes <= burst ? 1 : (bytes + burst - 1) / burst);
}

static void count_request(struct dram_channel *c, const struct request *r)
{
    c->counts.bus_bytes += (u64)bursts_of(c, r) * c->timing->burst_bytes;
    if (is_write(r)) {
        c->counts.writes++;
        c->counts.bytes_written += request_data_bytes(r);
    } else {
        c->counts.reads++;
        c->counts.bytes_read += request_data_bytes(r);
    }
    if (UNLIKELY(c->by_application)) {
        struct application_counts *a = &c->by_application[r->application];
        *(is_write(r) ? &a->dram_written_bytes : &a->dram_read_bytes) += request_data_bytes(r);
    }
}

/* ---- requests in ------------------------------------------------------------ */

/* The request that entered the pipe, or HANDLE_NONE. */
static handle_t take_from(struct dram_channel *c, cycle_t now, u32 i)
{
    if (port_ready(&c->in[i]) == 0 || timed_is_full(&c->pipe))
        return HANDLE_NONE;
    handle_t h = port_pop(&c->in[i]);
    request_of(c, h)->source_port = (u8)i;
    timed_push(&c->pipe, h, now + c->pipe_clocks);
    return h;
}

/* One request per clock, the banks in turn. */
static void take_request(struct dram_channel *c, cycle_t now)
{
    if (queue_is_full(&c->queue))
        return;
    for (u32 k = 0; k < c->port_count; k++) {
        u32 i =
            c->next_port + k < c->port_count ? c->next_port + k : c->next_port + k - c->port_count;
        if (take_from(c, now, i) != HANDLE_NONE) {
            c->next_port = i + 1 < c->port_count ? i + 1 : 0;
            return;
        }
    }
}

static void admit(struct dram_channel *c, cycle_t now, handle_t h)
{
    struct request *r = request_of(c, h);
    struct dram_address a = dram_locate(&c->layout, address_place(c->map, r->line).channel_byte);
    r->at_dram_fs = c->sim->engine.now_fs;
    if (c->queue.count == 0)
        c->pending_since = max_u64(now, c->bus_slot_end);
    queue_add(&c->queue, &c->device, now,
              (struct dram_entry){
                  .row = a.row,
                  .entered = now,
                  .request = h,
                  .bursts_left = bursts_of(c, r),
                  .bank = (u8)a.bank,
                  .is_write = is_write(r),
              });
    occupancy_set(&c->counts.queue, now, c->queue.count);
}

/* How long the head of the pipe has waited for room: the head before it waited until the
 * last admission, so no cycle is counted twice. */
static void count_wait(struct dram_channel *c, cycle_t now, cycle_t due)
{
    c->counts.queue_full_cycles += now - max_u64(due, c->admitted);
    c->admitted = now;
}

static void admit_due(struct dram_channel *c, cycle_t now)
{
    while (timed_next(&c->pipe) <= now && !queue_is_full(&c->queue)) {
        count_wait(c, now, timed_next(&c->pipe));
        admit(c, now, timed_pop(&c->pipe));
    }
}

/* ---- commands --------------------------------------------------------------- */

static void tell(struct dram_channel *c, cycle_t now, enum dram_command command, u32 bank, u64 row)
{
    if (UNLIKELY(c->on_command))
        c->on_command(c->hook_context, now, command, bank, row);
}

/* The last column command of a request goes: it leaves the queue, its data follows. */
static void serve(struct dram_channel *c, cycle_t now, const struct dram_entry *e)
{
    c->counts.served++;
    c->counts.row_hits += e->need == DRAM_ROW_HIT;
    c->counts.row_misses += e->need == DRAM_ROW_MISS;
    c->counts.row_conflicts += e->need == DRAM_ROW_CONFLICT;
    count_request(c, request_of(c, e->request));
    if (e->is_write) {
        timed_push(&c->writes, e->request, now + c->timing->write_done);
    } else {
        timed_push(&c->replies, e->request, now + c->timing->read_done);
        c->counts.read_cycles += now + c->timing->read_done - e->entered;
    }
    /* the entry was in use in this cycle */
    occupancy_set(&c->counts.queue, now + 1, c->queue.count - 1);
    if (c->queue.count == 1)
        c->counts.pending_cycles += c->bus_slot_end - c->pending_since;
}

static void issue_column(struct dram_channel *c, cycle_t now, u32 i)
{
    const struct dram_entry *e = queue_entry(&c->queue, i);
    if (e->is_write)
        device_write(&c->device, now, e->bank);
    else
        device_read(&c->device, now, e->bank);
    tell(c, now, e->is_write ? DRAM_WRITE : DRAM_READ, e->bank, e->row);
    c->bus_slot_end = now + c->timing->burst_clocks;
    c->counts.bus_busy_cycles += c->timing->burst_clocks;
    if (e->bursts_left == 1)
        serve(c, now, e);
    queue_transferred(&c->queue, now, i);
}

static void issue_activate(struct dram_channel *c, cycle_t now, u32 i)
{
    struct dram_entry *e = queue_change(&c->queue, i);
    if (e->need == DRAM_ROW_HIT)
        e->need = DRAM_ROW_MISS;
    device_activate(&c->device, now, e->bank, e->row);
    queue_activated(&c->queue, &c->device, now, e->bank);
    c->counts.activates++;
    tell(c, now, DRAM_ACTIVATE, e->bank, e->row);
}

static void issue_precharge(struct dram_channel *c, cycle_t now, u32 bank, u32 entry)
{
    u64 row = c->device.banks[bank].row;
    if (entry != DRAM_NO_ENTRY)
        queue_change(&c->queue, entry)->need = DRAM_ROW_CONFLICT;
    device_precharge(&c->device, now, bank);
    queue_precharged(&c->queue, bank);
    c->counts.precharges++;
    tell(c, now, DRAM_PRECHARGE, bank, row);
}

static void issue_refresh(struct dram_channel *c, cycle_t now)
{
    device_refresh(&c->device, now);
    queue_refreshed(&c->queue);
    c->counts.refreshes++;
    tell(c, now, DRAM_REFRESH, 0, 0);
    c->refresh_due += c->timing->config.refi;
}

static void issue_row(struct dram_channel *c, cycle_t now, const struct dram_choice *choice)
{
    switch (choice->row) {
    case DRAM_ACTIVATE:
        issue_activate(c, now, choice->row_entry);
        break;
    case DRAM_PRECHARGE:
        issue_precharge(c, now, choice->row_bank, choice->row_entry);
        break;
    default:
        issue_refresh(c, now);
    }
}

/* A row command never concerns a bank that a column command is due for, so with two
 * buses both go; the row first, because a column command may remove an entry. */
static void issue(struct dram_channel *c, cycle_t now)
{
    queue_set_mode(&c->queue, now >= c->refresh_due, timed_is_full(&c->replies));
    const struct dram_choice *choice = queue_choose(&c->queue, &c->device, now);
    bool column = choice->column_at <= now;
    u32 entry = choice->column;
    if (choice->row_at <= now && (!column || c->timing->config.command_buses > 1))
        issue_row(c, now, choice);
    if (column)
        issue_column(c, now, entry);
}

/* ---- data out --------------------------------------------------------------- */

static void end_write(struct dram_channel *c, handle_t h)
{
    request_of(c, h)->left_dram_fs = c->sim->engine.now_fs;
    pool_free(c->requests, h);
    engine_progress(&c->sim->engine);
}

static void end_transfers(struct dram_channel *c, cycle_t now)
{
    while (timed_due(&c->replies, c->replies_complete) <= now) {
        handle_t h = timed_peek(&c->replies, c->replies_complete++);
        request_of(c, h)->left_dram_fs = c->sim->engine.now_fs;
    }
    while (timed_next(&c->writes) <= now)
        end_write(c, timed_pop(&c->writes));
}

static struct port *reply_port(const struct dram_channel *c, handle_t h)
{
    return &c->out[request_of(c, h)->source_port];
}

/* One reply per clock, in the order of their data. */
static void send_reply(struct dram_channel *c)
{
    if (c->replies_complete == 0)
        return;
    struct port *out = reply_port(c, timed_peek(&c->replies, 0));
    if (!port_can_push(out))
        return;
    port_push(out, timed_pop(&c->replies));
    c->replies_complete--;
}

/* ---- the unit --------------------------------------------------------------- */

static bool any_request_waits(const struct dram_channel *c)
{
    for (u32 i = 0; i < c->port_count; i++) {
        if (port_ready(&c->in[i]))
            return true;
    }
    return false;
}

static cycle_t next_work(struct dram_channel *c, cycle_t now)
{
    cycle_t soon = now + 1;
    if (!queue_is_full(&c->queue) && any_request_waits(c))
        return soon;
    if (c->replies_complete && port_can_push(reply_port(c, timed_peek(&c->replies, 0))))
        return soon;
    queue_set_mode(&c->queue, soon >= c->refresh_due, timed_is_full(&c->replies));
    const struct dram_choice *choice = queue_choose(&c->queue, &c->device, soon);
    cycle_t next = min_u64(choice->column_at, choice->row_at);
    if (c->refresh_due > now)
        next = min_u64(next, c->refresh_due);
    if (!queue_is_full(&c->queue))
        next = min_u64(next, timed_next(&c->pipe));
    next = min_u64(next, timed_due(&c->replies, c->replies_complete));
    next = min_u64(next, timed_next(&c->writes));
    return max_u64(next, soon);
}

static bool is_idle(const struct dram_channel *c)
{
    bool closes = c->timing->config.page_policy == DRAM_CLOSE_PAGE && c->device.open;
    return !closes && !c->queue.count && !timed_count(&c->pipe) && !timed_count(&c->replies) &&
           !timed_count(&c->writes) && !any_request_waits(c);
}

/* Refreshes that fell due while there was nothing to do have been done in time, in the
 * background; they leave all rows closed. So an idle channel sleeps. */
static void catch_up_refreshes(struct dram_channel *c, cycle_t now)
{
    if (now < c->refresh_due)
        return;
    u64 missed = (now - c->refresh_due) / c->timing->config.refi + 1;
    c->refresh_due += missed * c->timing->config.refi;
    c->counts.refreshes += missed;
    device_close_all(&c->device);
    queue_refreshed(&c->queue);
    tell(c, now, DRAM_IDLE_REFRESHES, 0, missed);
}

static cycle_t timing_tick(void *self, cycle_t now)
{
    struct dram_channel *c = self;
    if (c->slept && is_idle(c))
        return CYCLE_NEVER;
    if (c->slept)
        catch_up_refreshes(c, now);
    end_transfers(c, now);
    send_reply(c);
    take_request(c, now);
    admit_due(c, now);
    issue(c, now);
    c->slept = is_idle(c);
    return c->slept ? CYCLE_NEVER : next_work(c, now);
}

/* The head of the pipe leaves the fixed model; false: its port is full. */
static bool leave_fixed(struct dram_channel *c)
{
    handle_t h = timed_peek(&c->pipe, 0);
    struct request *r = request_of(c, h);
    if (!is_write(r) && !port_can_push(reply_port(c, h)))
        return false;
    timed_pop(&c->pipe);
    count_request(c, r);
    if (is_write(r)) {
        end_write(c, h);
    } else {
        r->left_dram_fs = c->sim->engine.now_fs;
        port_push(reply_port(c, h), h);
    }
    return true;
}

/* One request per clock and port: a bank's miss queue is no faster. */
static cycle_t fixed_tick(void *self, cycle_t now)
{
    struct dram_channel *c = self;
    for (u32 i = 0; i < c->port_count; i++) {
        handle_t h = take_from(c, now, i);
        if (h != HANDLE_NONE)
            request_of(c, h)->at_dram_fs = c->sim->engine.now_fs;
    }
    while (timed_next(&c->pipe) <= now && leave_fixed(c))
        continue;
    if (any_request_waits(c) && !timed_is_full(&c->pipe))
        return now + 1;
    cycle_t due = timed_next(&c->pipe);
    return due > now ? due : CYCLE_NEVER; /* else the port that is full wakes us */
}

static u64 bytes_per_clock(const struct dram_channel *c)
{
    return (u64)c->timing->config.data_rate * c->timing->config.bus_bits / 8;
}

/* The bus of the server takes the next request in turn as soon as it is free: the request is due
 * when its bytes are through and pipe_clocks more. */
static bool serve_next(struct dram_channel *c, cycle_t now)
{
    u64 rate = bytes_per_clock(c);
    if (c->server_free >= (now + 1) * rate || timed_is_full(&c->pipe))
        return false;
    for (u32 k = 0; k < c->port_count; k++) {
        u32 i = (c->next_port + k) % c->port_count;
        if (!port_ready(&c->in[i]))
            continue;
        handle_t h = port_pop(&c->in[i]);
        struct request *r = request_of(c, h);
        u64 begin = max_u64(c->server_free, now * rate);
        r->source_port = (u8)i;
        r->at_dram_fs = c->sim->engine.now_fs;
        c->server_free = begin + max_u64(request_data_bytes(r), 1);
        c->counts.bus_busy_cycles += c->server_free / rate - begin / rate;
        c->counts.pending_cycles = c->counts.bus_busy_cycles;
        timed_push(&c->pipe, h, (c->server_free + rate - 1) / rate + c->pipe_clocks);
        c->next_port = (i + 1) % c->port_count;
        return true;
    }
    return false;
}

static cycle_t server_tick(void *self, cycle_t now)
{
    struct dram_channel *c = self;
    while (serve_next(c, now))
        continue;
    while (timed_next(&c->pipe) <= now && leave_fixed(c))
        continue;
    cycle_t due = timed_next(&c->pipe), next = due > now ? due : CYCLE_NEVER;
    if (any_request_waits(c) && !timed_is_full(&c->pipe))
        next = min_u64(next, max_u64(c->server_free / bytes_per_clock(c), now + 1));
    return next;
}

static void explain(void *self, struct waits *waits)
{
    const struct dram_channel *c = self;
    if (c->replies_complete) {
        const struct port *out = reply_port(c, timed_peek(&c->replies, 0));
        waits_add(waits, out->consumer, "%u of %u in the return queue, the first for port %s",
                  c->replies_complete, c->replies.capacity, out->name);
    }
    if (c->queue.count) {
        const struct dram_entry *e = queue_entry(&c->queue, 0);
        waits_add(waits, UNIT_NONE, "%u in the scheduler queue, the oldest for bank %u, row %llu",
                  c->queue.count, e->bank, (unsigned long long)e->row);
    }
    if (timed_count(&c->pipe))
        waits_add(waits, UNIT_NONE, "%u in the pipe to the scheduler queue", timed_count(&c->pipe));
}

void dram_channel_init(struct dram_channel *c, const struct dram_channel_parts *p)
{
    struct sim *sim = p->site->sim;
    const struct dram_timing *t = p->timing;
    assert(p->port_count <= UINT8_MAX + 1u); /* request.source_port */
    static unit_tick *const ticks[] = {timing_tick, fixed_tick, server_tick};
    bool is_fixed = t->config.model != DRAM_TIMING;
    *c = (struct dram_channel){
        .sim = sim,
        .timing = t,
        .map = p->map,
        .requests = pool_part(p->requests, &sim->arena),
        .in = p->in,
        .out = p->out,
        .port_count = p->port_count,
        .pipe_clocks = p->pipe_clocks,
        .domain = p->domain,
        .layout = dram_layout(t, p->map->interleave_bytes),
        .refresh_due = t->config.refi && !is_fixed ? t->config.refi : CYCLE_NEVER,
    };
    /* Every clock adds one request at most, or one per port in the fixed model, and none
     * while one that is due finds no room. */
    u32 per_clock = is_fixed ? p->port_count : 1;
    timed_init(&c->pipe, &sim->arena, (p->pipe_clocks + 2) * per_clock);
    timed_init(&c->replies, &sim->arena, t->config.return_entries);
    timed_init(&c->writes, &sim->arena, t->write_done + 1);
    device_init(&c->device, t);
    queue_init(&c->queue, &t->config, p->scheduler, p->requests, &sim->arena);
    occupancy_init(&c->counts.queue, t->config.queue_entries);
    c->unit = engine_add_unit(&sim->engine, p->domain, site_name(p->site, "dram", p->index),
                              ticks[t->config.model], c);
    engine_explain_with(&sim->engine, c->unit, explain);
}

void dram_channel_finish(struct dram_channel *c)
{
    cycle_t now = engine_cycle(&c->sim->engine, c->domain);
    occupancy_close(&c->counts.queue, now);
    if (c->queue.count) {
        cycle_t end = max_u64(now, c->bus_slot_end);
        c->counts.pending_cycles += end - c->pending_since;
        c->pending_since = end;
    }
    if (queue_is_full(&c->queue) && timed_next(&c->pipe) <= now)
        count_wait(c, now, timed_next(&c->pipe));
}

/* Requests that bypass a bank: straight to DRAM and back, without a lookup, a way or the data
 * port. */
#include "l2/bank_internal.h"

/* clang-format off */
const struct stat_def bank_bypass_stats[] = {
    S_COUNT(bank_bypass, loads, "requests", "loads passed on to DRAM"),
    S_COUNT(bank_bypass, merges, "requests", "loads merged with a bypassing load already on its way"),
    S_COUNT(bank_bypass, stores, "requests", "stores passed on to DRAM"),
    S_COUNT(bank_bypass, writebacks, "requests", "victims of an L1 passed on to DRAM"),
    S_COUNT(bank_bypass, found, "requests", "bypass requests whose line was there or on its way (they count as accesses of the bank)"),
    S_COUNT(bank_bypass, blind, "requests", "loads passed on to DRAM although a clean line was there"),
    S_FORMULA(probes, "loads + merges + stores + writebacks + found", "requests", "tag lookups of bypass requests"),
    S_COUNT(bank_bypass, answers, "requests", "answers sent"),
    S_COUNT(bank_bypass, fills, "lines", "lines from DRAM that were not kept"),
    S_COUNT(bank_bypass, bytes, "bytes", "bytes of packets and DRAM transfers that bypassed the data array"),
    S_LAW(bypass_answers, "answers == loads + merges + stores", "every bypassing request is answered once"),
    S_END,
};
/* clang-format on */

/* A core that a policy samples counts with what it sends past; regions that are kept out do not. */
static void tell(struct bank *b, const struct request *r)
{
    if (b->ways && bank_sends_around(b, r))
        bank_observe(b, r, false);
}

void bank_found(struct bank *b, struct request *r)
{
    r->flags &= (u16)~REQUEST_BYPASS_L2;
    b->bypass->found++;
}

u8 bank_write_around(struct bank *b, handle_t h)
{
    const struct request *r = bank_request(b, h);
    struct port *below = bank_below(b, r->home);
    if (!port_has_room(below, 1))
        return STALL_DRAM;
    if (!request_is_victim(r) && !port_can_push(b->out))
        return STALL_NETWORK;
    handle_t w = bank_new_request(b, r->line, r->sectors, REQUEST_WRITEBACK);
    BANK_TELL(b, sent, bank_request(b, w), r->home);
    port_push(below, w);
    BANK_TELL(b, written_around, r);
    return STALL_NONE;
}

/* A store needs no line: it is written where it belongs. */
static u8 pass_store(struct bank *b, handle_t h)
{
    const struct request *r = bank_request(b, h);
    bool is_victim = request_is_victim(r);
    u8 stall = bank_write_around(b, h);
    if (stall != STALL_NONE)
        return stall;
    tell(b, r);
    b->bypass->stores += !is_victim;
    b->bypass->writebacks += is_victim;
    b->bypass->bytes += 2 * (u64)request_data_bytes(r) + (is_victim ? 1 : 2) * PACKET_HEADER_BYTES;
    bank_answer(b, h);
    return STALL_NONE;
}

static void count_load(struct bank *b, const struct request *r, struct cache_place p, u64 *count)
{
    ++*count;
    b->bypass->blind += p.way != NO_WAY;
    tell(b, r);
    b->bypass->bytes += request_data_bytes(r) + 2 * PACKET_HEADER_BYTES;
}

static u8 join(struct bank *b, handle_t h, struct cache_place p, const struct mshr_entry *e)
{
    const struct request *r = bank_request(b, h);
    if (e->count >= b->config->merge_limit)
        return STALL_MSHR;
    if (r->sectors & ~e->asked && !port_has_room(b->miss, 1))
        return STALL_DRAM;
    count_load(b, r, p, &b->bypass->merges);
    u32 to_ask = cache_merge(&b->cache, h);
    if (to_ask)
        port_push(b->miss, bank_new_request(b, r->line, to_ask, REQUEST_LOAD));
    return STALL_NONE;
}

/* Its line is not there nor will it be, or does not serve it (e: other bypassing requests wait for
 * it). */
static u8 pass(struct bank *b, handle_t h, struct cache_place p, const struct mshr_entry *e)
{
    const struct request *r = bank_request(b, h);
    struct cache_miss m;
    if (r->kind != REQUEST_LOAD)
        return pass_store(b, h);
    if (e)
        return join(b, h, p, e);
    struct cache_place nowhere = {p.set, NO_WAY}; /* whatever is there stays as it is */
    if (cache_plan(&b->cache, nowhere, r, false, 0, &m) != CACHE_CAN)
        return STALL_MSHR;
    if (!port_has_room(b->miss, 1))
        return STALL_DRAM;
    count_load(b, r, p, &b->bypass->loads);
    u64 line = r->line;
    u32 to_ask = cache_start(&b->cache, &m, h);
    mshr_find(&b->cache.mshr, line)->no_fill = true;
    port_push(b->miss, bank_new_request(b, line, to_ask, REQUEST_LOAD));
    return STALL_NONE;
}

/* A request whose line is there or on its way is one like any other. */
static u8 serve(struct bank *b, struct bank_attachment *a, handle_t h, struct cache_place p,
                cycle_t now)
{
    (void)a, (void)now;
    struct request *r = bank_request(b, h);
    if (LIKELY(!(r->flags & REQUEST_BYPASS_L2)))
        return SERVE_ON;
    bool not_served = p.way == NO_WAY || bank_is_blind(b, p, r);
    const struct mshr_entry *e = not_served ? mshr_find(&b->cache.mshr, r->line) : NULL;
    if (not_served && (!e || e->no_fill))
        return pass(b, h, p, e);
    bank_found(b, r);
    return SERVE_ON;
}

static void filled(struct bank *b, struct bank_attachment *a, struct cache_place p,
                   struct request *fill, handle_t waiting)
{
    (void)a, (void)waiting;
    if (p.way != NO_WAY)
        return;
    b->bypass->fills++;
    b->bypass->bytes += request_data_bytes(fill);
}

static void answered(struct bank *b, struct bank_attachment *a, handle_t h)
{
    (void)a;
    const struct request *r = bank_request(b, h);
    b->bypass->answers += r->flags & REQUEST_BYPASS_L2 && !request_is_victim(r);
}

void bank_let_bypass(struct bank *b, struct arena *arena)
{
    static const struct bank_hooks hooks = {.serve = serve, .filled = filled, .answered = answered};
    b->bypass = ARENA_NEW(arena, struct bank_bypass);
    bank_attach(b, &b->bypass->attached, &hooks);
}

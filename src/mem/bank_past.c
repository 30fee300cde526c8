/* Requests that bypass a bank: straight to DRAM and back, without a lookup, a way or the data
 * port. */
#include "mem/bank_parts.h"

/* clang-format off */
const struct stat_def bank_past_stats[] = {
    S_COUNT(bank_past, loads, "requests", "loads passed on to DRAM"),
    S_COUNT(bank_past, merges, "requests", "loads that joined one of those"),
    S_COUNT(bank_past, stores, "requests", "stores passed on"),
    S_COUNT(bank_past, writebacks, "requests", "victims of an L1 passed on"),
    S_COUNT(bank_past, found, "requests", "whose line was there or on its way, so that they count as accesses of the bank"),
    S_FORMULA(probes, "loads + merges + stores + writebacks + found", "requests", "that asked the tags whether to go past"),
    S_COUNT(bank_past, answers, "requests", "answers sent"),
    S_COUNT(bank_past, fills, "lines", "from DRAM that were not kept"),
    S_COUNT(bank_past, bytes, "bytes", "of packets and DRAM transfers that the data array did not see"),
    S_LAW(past_answers, "answers == loads + merges + stores", "everything that goes past is answered once"),
    S_END,
};
/* clang-format on */

void bank_let_past(struct bank *b, struct arena *arena)
{
    b->past = ARENA_NEW(arena, struct bank_past);
}

/* A core that a policy samples counts with what it sends past; regions that are kept out do not. */
static void tell(struct bank *b, const struct request *r)
{
    if (b->ways && bank_sends_past(b, r))
        bank_observe(b, r, false);
}

/* A store needs no line: it is written where it belongs. */
static u8 pass_store(struct bank *b, handle_t h)
{
    const struct request *r = bank_request(b, h);
    bool is_victim = request_is_victim(r);
    if (!port_has_room(b->miss, 1))
        return STALL_DRAM;
    if (!is_victim && !port_can_push(b->out))
        return STALL_NETWORK;
    port_push(b->miss, bank_new_request(b, r->line, r->sectors, REQUEST_WRITEBACK));
    tell(b, r);
    if (UNLIKELY(b->versions))
        bank_version_passes(b, r);
    b->past->stores += !is_victim;
    b->past->writebacks += is_victim;
    b->past->bytes += 2 * (u64)request_data_bytes(r) + (is_victim ? 1 : 2) * PACKET_HEADER_BYTES;
    bank_answer(b, h);
    return STALL_NONE;
}

static void count_load(struct bank *b, const struct request *r, u64 *count)
{
    ++*count;
    tell(b, r);
    b->past->bytes += request_data_bytes(r) + 2 * PACKET_HEADER_BYTES;
}

static u8 join(struct bank *b, handle_t h, const struct mshr_entry *e)
{
    const struct request *r = bank_request(b, h);
    if (e->count >= b->config->merge_limit)
        return STALL_MSHR;
    if (r->sectors & ~e->asked && !port_has_room(b->miss, 1))
        return STALL_DRAM;
    count_load(b, r, &b->past->merges);
    u32 to_ask = cache_merge(&b->cache, h);
    if (to_ask)
        port_push(b->miss, bank_new_request(b, r->line, to_ask, REQUEST_LOAD));
    return STALL_NONE;
}

u8 bank_serve_past(struct bank *b, handle_t h, struct cache_place p, const struct mshr_entry *e)
{
    const struct request *r = bank_request(b, h);
    struct cache_miss m;
    if (r->kind != REQUEST_LOAD)
        return pass_store(b, h);
    if (e)
        return join(b, h, e);
    if (cache_plan(&b->cache, p, r, false, 0, &m) != CACHE_CAN)
        return STALL_MSHR;
    if (!port_has_room(b->miss, 1))
        return STALL_DRAM;
    count_load(b, r, &b->past->loads);
    u64 line = r->line;
    u32 to_ask = cache_start(&b->cache, &m, h);
    mshr_find(&b->cache.mshr, line)->no_fill = true;
    port_push(b->miss, bank_new_request(b, line, to_ask, REQUEST_LOAD));
    return STALL_NONE;
}

void bank_count_past_fill(struct bank *b, const struct request *fill)
{
    b->past->fills++;
    b->past->bytes += request_data_bytes(fill);
}

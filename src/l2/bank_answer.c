/* Answers of a bank: what has been filled waits for its turn, and so do reads that joined another
 * (l2/coalescer.h). */
#include "l2/bank_internal.h"

#include "base/arena.h"

/* They were one request with it. */
static void tell_followers(struct bank *b, const struct request *leader, handle_t first)
{
    u16 told = leader->flags & (REQUEST_L2_HIT | REQUEST_L2_NEW);
    for (handle_t h = first; h; h = bank_request(b, h)->next) {
        struct request *r = bank_request(b, h);
        r->flags |= REQUEST_JOINED | told;
        r->at_dram_fs = leader->at_dram_fs;
        r->left_dram_fs = leader->left_dram_fs;
    }
    bank_queue_ready(b, first);
}

static bool coalescer_joins(struct bank *b, struct bank_attachment *a, handle_t h, cycle_t now)
{
    (void)a;
    bool may = !(bank_request(b, h)->flags & REQUEST_BYPASS_L2);
    return may && coalescer_join(b->coalescer, h, now);
}

static void coalescer_answered(struct bank *b, struct bank_attachment *a, handle_t h)
{
    (void)a;
    const struct request *r = bank_request(b, h);
    if (!request_is_victim(r) && !(r->flags & REQUEST_JOINED))
        tell_followers(b, r, coalescer_take(b->coalescer, h));
}

void bank_coalesce(struct bank *b, struct arena *arena)
{
    static const struct bank_hooks hooks = {.joins = coalescer_joins,
                                            .answered = coalescer_answered};
    b->coalescer = coalescer_create(arena, &b->config->coalesce, b->requests);
    bank_attach(b, ARENA_NEW(arena, struct bank_attachment), &hooks);
}

void bank_answer(struct bank *b, handle_t h)
{
    struct request *r = bank_request(b, h);
    BANK_TELL(b, answered, h);
    if (request_is_victim(r)) {
        pool_free(b->requests, h);
        return;
    }
    r->flags |= REQUEST_REPLY;
    r->to = r->reply_to;
    r->left_l2_fs = b->engine->now_fs;
    if (LIKELY(!(r->flags & (REQUEST_BYPASS_L2 | REQUEST_JOINED))))
        b->counts.responses++;
    port_push(b->out, h);
}

void bank_queue_ready(struct bank *b, handle_t first)
{
    if (!first)
        return;
    if (b->ready_last)
        bank_request(b, b->ready_last)->next = first;
    else
        b->ready_first = first;
    while (bank_request(b, first)->next)
        first = bank_request(b, first)->next;
    b->ready_last = first;
}

void bank_respond(struct bank *b)
{
    handle_t h = b->ready_first;
    if (!h || (!request_is_victim(bank_request(b, h)) && !port_can_push(b->out)))
        return;
    b->ready_first = bank_request(b, h)->next;
    if (!b->ready_first)
        b->ready_last = HANDLE_NONE;
    bank_answer(b, h);
}

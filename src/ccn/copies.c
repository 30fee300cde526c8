/*
 * Who has a copy of a line: the table of the ideal cooperation, and the messages
 * that keep the sharing tracker's table at L2 up to date.
 */
#include "ccn/ccn.h"

/* What has been dealt with goes. */
static void drop_changes(struct ccn_node *n, u32 count)
{
    n->change_count -= count;
    for (u32 k = 0; k < n->change_count; k++)
        n->changes[k] = n->changes[k + count];
}

/* After the SMs, and what they did in the cycles before: so all SMs see the same table in a
 * cycle, whenever this is ticked. A new copy may be what a blocked SM waits for. */
cycle_t ccn_copies_tick(void *self, cycle_t now)
{
    struct ccn *c = self;
    bool came = false;
    for (u32 i = 0; i < c->count; i++) {
        struct ccn_node *n = &c->nodes[i];
        u32 done = 0;
        for (; done < n->change_count && n->changes[done].at < now; done++) {
            sharers_set(&c->sharers, n->changes[done].line, i, n->changes[done].came);
            came |= n->changes[done].came;
        }
        drop_changes(n, done);
    }
    for (u64 left = came ? c->blocked : 0; left;)
        engine_wake(c->engine, c->nodes[ring_take(&left)].peer.unit);
    return CYCLE_NEVER;
}

static void send_update(struct ccn_node *n, struct l1_change change, cycle_t now)
{
    n->counts.updates++;
    n->peer.ops->tell_below(n->peer.l1, change.line, change.came, now);
}

/* Messages go before misses: the table must not fall behind. */
cycle_t ccn_updates_tick(void *self, cycle_t now)
{
    struct ccn *c = self;
    bool more = false;
    for (u32 i = 0; i < c->count; i++) {
        struct ccn_node *n = &c->nodes[i];
        u32 sent = 0;
        while (sent < n->change_count && port_room(n->peer.below))
            send_update(n, n->changes[sent++], now);
        drop_changes(n, sent);
        more |= n->change_count > 0;
    }
    return more ? now + 1 : CYCLE_NEVER;
}

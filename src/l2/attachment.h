/*
 * What can be attached to a bank of the shared cache: bypass, lines of other sockets, copies in the
 * far half, way gating, versions, a coalescer, counts by program.
 *
 * An attachment is a part of its own that embeds a struct bank_attachment and fills in the hooks it
 * needs. The bank calls the hooks of each event in the order of attaching. An event without hooks
 * costs one test.
 *
 * Contract: a hook may change its own state and the request it is given. It changes the bank only
 * through the functions of bank_internal.h, and takes no request that another attachment has taken.
 */
#ifndef L2_ATTACHMENT_H
#define L2_ATTACHMENT_H

#include "cache/cache.h"
#include "sim/engine.h"

struct bank;
struct bank_attachment;

#define BANK_EVENTS(X)                                                                             \
    X(begin)                                                                                       \
    X(may_serve)                                                                                   \
    X(serve_turn)                                                                                  \
    X(arrived)                                                                                     \
    X(joins)                                                                                       \
    X(serve)                                                                                       \
    X(accessed)                                                                                    \
    X(read)                                                                                        \
    X(written)                                                                                     \
    X(written_back)                                                                                \
    X(written_around)                                                                              \
    X(placed)                                                                                      \
    X(needs_way)                                                                                   \
    X(may_miss)                                                                                    \
    X(missed)                                                                                      \
    X(sent)                                                                                        \
    X(filled)                                                                                      \
    X(came)                                                                                        \
    X(takes_answer)                                                                                \
    X(is_full)                                                                                     \
    X(kept_port)                                                                                   \
    X(answered)                                                                                    \
    X(next)                                                                                        \
    X(settle)                                                                                      \
    X(explain)

/* For each event, the first attachment that has a hook, or the next one behind an attachment. */
struct bank_lists {
#define X(event) struct bank_attachment *event;
    BANK_EVENTS(X)
#undef X
};

#define SERVE_ON UINT8_MAX /* the hook leaves the request to others */

struct bank_hooks {
    /* ---- a cycle ---- */
    void (*begin)(struct bank *b, struct bank_attachment *a, cycle_t now);
    /* False: the bank serves nothing in this cycle. */
    bool (*may_serve)(struct bank *b, struct bank_attachment *a, cycle_t now);
    /* Serves heads of queues in the bank's stead. */
    void (*serve_turn)(struct bank *b, struct bank_attachment *a, bool serves, cycle_t now);
    /* The next cycle in which there is work. */
    cycle_t (*next)(const struct bank *b, const struct bank_attachment *a, cycle_t now);

    /* ---- a request ---- */
    /* It has left the network; the hook may set flags. */
    void (*arrived)(struct bank *b, struct bank_attachment *a, struct request *r);
    /* True: the attachment holds the request, and the bank does not see it again. */
    bool (*joins)(struct bank *b, struct bank_attachment *a, handle_t h, cycle_t now);
    /* What it waits for, STALL_NONE (served), or SERVE_ON. */
    u8 (*serve)(struct bank *b, struct bank_attachment *a, handle_t h, struct cache_place p,
                cycle_t now);
    void (*accessed)(struct bank *b, struct bank_attachment *a, const struct request *r, bool hit);
    /* True: the attachment answers the request, which found its line, at a later time. */
    bool (*takes_answer)(struct bank *b, struct bank_attachment *a, handle_t h,
                         struct cache_place p, cycle_t now);
    /* No room for so many answers at once. */
    bool (*is_full)(const struct bank *b, const struct bank_attachment *a, u32 answers);
    /* A victim has been taken in, or an answer is about to leave. */
    void (*answered)(struct bank *b, struct bank_attachment *a, handle_t h);

    /* ---- a line ---- */
    void (*read)(struct bank *b, struct bank_attachment *a, struct cache_place p,
                 struct request *r);
    void (*written)(struct bank *b, struct bank_attachment *a, struct cache_place p,
                    const struct request *r);
    /* It is clean now, and the request on its way to memory. */
    void (*written_back)(struct bank *b, struct bank_attachment *a, struct cache_place p,
                         struct request *r);
    /* A store or victim went to memory without taking a way. */
    void (*written_around)(struct bank *b, struct bank_attachment *a, const struct request *r);
    /* It came from outside, between kernels; p.way may be NO_WAY. */
    void (*placed)(struct bank *b, struct bank_attachment *a, struct cache_place p, u64 line);
    /* The data port is kept for so many cycles. */
    void (*kept_port)(struct bank *b, struct bank_attachment *a, cycle_t now, u32 cycles);

    /* ---- a miss ---- */
    /* A way of the set is about to be chosen. */
    void (*needs_way)(struct bank *b, struct bank_attachment *a, u32 set);
    /* What it waits for, or STALL_NONE. */
    u8 (*may_miss)(const struct bank *b, const struct bank_attachment *a, const struct request *r,
                   u32 set);
    void (*missed)(struct bank *b, struct bank_attachment *a, const struct request *r);
    /* A request of the bank's own is about to leave for the memory of a socket. */
    void (*sent)(struct bank *b, struct bank_attachment *a, struct request *r, u8 home);
    /* A line has come, to p.way or nowhere, for the requests linked from `waiting`. */
    void (*filled)(struct bank *b, struct bank_attachment *a, struct cache_place p,
                   struct request *fill, handle_t waiting);
    /* The same for each of them, unless an L1 sent the line. */
    void (*came)(struct bank *b, struct bank_attachment *a, handle_t line, handle_t request);

    /* ---- ends ---- */
    void (*settle)(struct bank *b, struct bank_attachment *a, cycle_t now);
    void (*explain)(const struct bank *b, const struct bank_attachment *a, struct waits *waits);
};

struct bank_attachment {
    const struct bank_hooks *hooks;
    struct bank_lists next;
};

void bank_attach(struct bank *b, struct bank_attachment *a, const struct bank_hooks *hooks);

/* Calls the hooks of an event that give no answer. */
#define BANK_TELL(b, event, ...)                                                                   \
    do {                                                                                           \
        for (struct bank_attachment *a_ = (b)->on.event; UNLIKELY(a_ != NULL);                     \
             a_ = a_->next.event)                                                                  \
            a_->hooks->event(b, a_, __VA_ARGS__);                                                  \
    } while (0)

/* The part that embeds an attachment as its member `attached`. */
#define ATTACHED(a, type) ((type *)((char *)(a)-offsetof(type, attached)))

#endif

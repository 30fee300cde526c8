/*
 * A process that runs points, named so that another one can tell whether it
 * still lives: a crashed sweep's points are taken up again, a living one's never.
 */
#ifndef CAMPAIGN_OWNER_H
#define CAMPAIGN_OWNER_H

#include "base/types.h"

#define OWNER_TEXT 128

struct owner {
    char host[OWNER_TEXT];
    char boot[OWNER_TEXT];      /* id of the machine's boot: process ids start anew with it */
    char namespace[OWNER_TEXT]; /* of process ids: two containers count for themselves */
    i64 pid, started;           /* started: clock ticks after boot */
};

/* This process. */
void owner_self(struct owner *o);
/* seen_s: seconds since it last said that it lives. From another machine or container
 * its processes cannot be seen, and only silence tells. */
bool owner_is_gone(const struct owner *o, const struct owner *self, double seen_s);

#define OWNER_HEARTBEAT_S 20.0
#define OWNER_SILENCE_S 600.0

#endif

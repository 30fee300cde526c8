/* First in, first out: fills stamp a way, hits do not. */
#include "policy/replacement/stamp.h"

static void fifo_hit(struct replacement *r, u32 set, u32 way)
{
    (void)r, (void)set, (void)way;
}

const struct replacement_ops replacement_fifo = {
    .name = "fifo",
    .source = "textbook",
    .init = stamps_init,
    .hit = fifo_hit,
    .fill = stamps_set,
    .victim = stamps_oldest,
};

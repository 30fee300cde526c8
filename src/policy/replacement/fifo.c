/* First in, first out: fills stamp a way, hits do not. */
#include "policy/replacement/stamp.h"

REPLACEMENT(fifo) = {
    .version = POLICY_VERSION,
    .name = "fifo",
    .source = "textbook",
    .init = stamps_init,
    .fill = stamps_set,
    .victim = stamps_oldest,
};

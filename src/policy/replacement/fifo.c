/* First in, first out: fills stamp a way, hits do not. */
#include "policy/replacement/stamp.h"

REPLACEMENT(fifo) = {
    .version = POLICY_VERSION,
    .name = "fifo",
    .source = "textbook",
    .table_bytes = stamps_bytes,
    .fill = stamps_set,
    .victim = stamps_oldest,
};

/* Least recently used: fills and hits stamp a way, the oldest stamp goes. */
#include "policy/replacement/stamp.h"

REPLACEMENT(lru) = {
    .version = POLICY_VERSION,
    .name = "lru",
    .source = "textbook",
    .table_bytes = stamps_bytes,
    .hit = stamps_set,
    .fill = stamps_set,
    .victim = stamps_oldest,
};

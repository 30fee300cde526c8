/* Interleaved: pieces smaller than a page go round the sockets, as over the channels of one GPU. */
#include "mem/page_placement.h"

struct interleaved_config {
    u32 bytes;
};

/* clang-format off */
static const struct param params[] = {
    P_U32(interleaved_config, bytes, 256, 128, 65536, "bytes", "consecutive bytes placed in one socket", "assumed: NUMA spec 2.7"),
    P_END,
};
/* clang-format on */

static u32 chunk_bytes(const struct home *h)
{
    return ((const struct interleaved_config *)h->config)->bytes;
}

static u32 find(struct home *h, u64 address, u32 asker)
{
    (void)asker;
    return (u32)(address / chunk_bytes(h) % h->sockets);
}

HOME_POLICY(interleaved) = {
    .version = POLICY_VERSION,
    .name = "interleaved",
    .source = "NUMA-aware GPU, traditional runtime",
    .params = params,
    .config_bytes = sizeof(struct interleaved_config),
    .chunk_bytes = chunk_bytes,
    .find = find,
};

/*
 * Instructions whose addresses are a fixed distance apart: Baer and Chen, Supercomputing 1991. The
 * third access with the same distance starts it.
 */
#include "cpu/prefetcher.h"

struct stride_config {
    u32 entries, degree;
};

struct stride_entry {
    u64 pc, address;
    i64 stride;
    bool is_steady;
};

/* clang-format off */
static const struct param stride_params[] = {
    P_U32(stride_config, entries, 1024, 1, 65536, "instructions", "entries of the table of last addresses", "ChampSim's ip_stride: 1024"),
    P_U32(stride_config, degree, 3, 1, MOST_PREFETCHES, "lines", "lines fetched ahead", "ChampSim's ip_stride: 3"),
    P_END,
};
/* clang-format on */

static size_t table_bytes(const void *config)
{
    return ((const struct stride_config *)config)->entries * sizeof(struct stride_entry);
}

static void access_line(struct prefetcher *p, const struct prefetch_access *a,
                        struct prefetches *out)
{
    const struct stride_config *c = p->config;
    struct stride_entry *e = (struct stride_entry *)p->table + a->pc % c->entries;
    if (e->pc != a->pc) {
        *e = (struct stride_entry){.pc = a->pc, .address = a->address};
        return;
    }
    i64 stride = (i64)(a->address - e->address);
    e->is_steady = stride == e->stride && stride;
    e->stride = stride;
    e->address = a->address;
    u64 last = a->line;
    for (u32 i = 1; e->is_steady && i <= c->degree; i++) {
        /* short strides: lines ahead, not words */
        i64 ahead = (stride < 0 ? -stride : stride) >= (i64)a->line_bytes ? stride
                    : stride < 0                                          ? -(i64)a->line_bytes
                                                                          : (i64)a->line_bytes;
        u64 line = (a->address + (u64)(ahead * (i64)i)) & ~(u64)(a->line_bytes - 1);
        if (line != last)
            prefetches_add(out, line);
        last = line;
    }
}

PREFETCHER(stride) = {
    .version = POLICY_VERSION,
    .name = "stride",
    .source = "Baer and Chen, Supercomputing 1991",
    .params = stride_params,
    .config_bytes = sizeof(struct stride_config),
    .table_bytes = table_bytes,
    .access = access_line,
};

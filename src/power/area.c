#include "power/area.h"

#include <math.h>
#include <string.h>

/* clang-format off */
#define S11 "Dublish 2018, section 3.7.3"

const struct param area_params[] = {
    P_DOUBLE(area_constants, storage_kib, 94, 1e-3, 1e9, "KiB", "measured storage of additional queues and MSHRs", S11),
    P_DOUBLE(area_constants, storage_mm2, 6.9, 1e-6, 1e6, "mm2", "area of that storage at 40 nm", S11),
    P_DOUBLE(area_constants, wire_mm2, 11.6, 1e-6, 1e6, "mm2", "area of the wires of both crossbars, of 27 mm2 in all", S11),
    P_DOUBLE(area_constants, wire_bytes, 64, 1, 1e6, "bytes", "flit bytes of both directions in that crossbar", S11),
    P_U32(area_constants, wire_inputs, 15, 1, 4096, "lines", "SMs of that crossbar", "Dublish 2018, table 3.1"),
    P_U32(area_constants, wire_outputs, 12, 1, 4096, "lines", "L2 banks of that crossbar", "Dublish 2018, table 3.1"),
    P_DOUBLE(area_constants, die_mm2, 700, 1e-3, 1e6, "mm2", "area of the die", S11 ": GTX 480, 40 nm"),
    P_U32(area_constants, buffer_bytes, 128, 1, 65536, "bytes", "size of a queue entry that holds data", S11),
    P_U32(area_constants, track_bytes, 8, 1, 65536, "bytes", "size of an entry of a miss queue or an MSHR", S11),
    P_U32(area_constants, pipeline_bytes, 32, 1, 65536, "bytes", "size of an entry of the memory pipeline", "assumed: what is left of the published 94 KB (spec S11)"),
    P_END,
};

enum instances { PER_SM, PER_BANK, PER_CHANNEL };

/* Every queue whose entries a chip file sets. The buffers inside the crossbars count as crossbar. */
static const struct structure {
    const char *name, *parameter;
    size_t entries;     /* offset of a u32 in struct gpu_config */
    size_t entry_bytes; /* offset of a u32 in struct area_constants */
    enum instances instances;
} structures[] = {
#define STRUCTURE(name, path, kind, per) {name, #path, offsetof(struct gpu_config, path), offsetof(struct area_constants, kind), per}
    STRUCTURE("memory pipeline", sm.lsu.buffer_entries, pipeline_bytes, PER_SM),
    STRUCTURE("L1 MSHRs", sm.l1.mshrs, track_bytes, PER_SM),
    STRUCTURE("L1 miss queues", sm.l1.miss_entries, track_bytes, PER_SM),
    STRUCTURE("L2 access queues", l2.access_entries, buffer_bytes, PER_BANK),
    STRUCTURE("L2 response queues", l2.response_entries, buffer_bytes, PER_BANK),
    STRUCTURE("L2 return queues", l2.return_entries, buffer_bytes, PER_BANK),
    STRUCTURE("L2 miss queues", l2.miss_entries, track_bytes, PER_BANK),
    STRUCTURE("L2 MSHRs", l2.mshrs, track_bytes, PER_BANK),
    STRUCTURE("DRAM scheduler queues", dram.queue_entries, buffer_bytes, PER_CHANNEL),
    STRUCTURE("DRAM return queues", dram.return_entries, buffer_bytes, PER_CHANNEL),
};
static_assert(ARRAY_LEN(structures) == AREA_STRUCTURES, "one row each");

const struct area_published area_published[] = {
    {"fermi15-ce-16-48", "fermi15", 94, 6.9, 0, 6.9, 0.98, S11},
    {"fermi15-ce-16-68", "fermi15", 94, 6.9, 3.62, NAN, 1.5, S11},
    {"fermi15-ce-32-52", "fermi15", 94, 6.9, 3.62, NAN, 1.5, S11},
    {"ccn: ring and shadow tags", "", 17.5, 4.38, NAN, 4.38, NAN, "Dublish 2018, section 4.5.4 (KiB: the tags alone)"},
    {"ccn: CB, ReqQ and RespQ", "", NAN, 4.82, NAN, 4.82, NAN, "Dublish 2018, section 4.5.4"},
    {"ccn: all", "", NAN, NAN, NAN, 9.2, 1.3, "Dublish 2018, section 4.5.4"},
    {0},
};
/* clang-format on */

void area_constants_initial(struct area_constants *c)
{
    for (const struct param *p = area_params; p->type != PARAM_END; p++)
        param_set_initial(p, (char *)c + p->offset);
}

static u32 field_u32(const void *owner, size_t offset)
{
    u32 value;
    memcpy(&value, (const char *)owner + offset, sizeof value);
    return value;
}

static u32 channels_of(const struct gpu_config *c)
{
    struct dram_timing t;
    dram_resolve(&c->dram, &t);
    return t.config.channels;
}

static u32 banks_of(const struct gpu_config *c)
{
    return channels_of(c) * c->l2.banks_per_channel;
}

static u64 instances_of(const struct gpu_config *c, enum instances per)
{
    switch (per) {
    case PER_SM:
        return c->sm.count;
    case PER_BANK:
        return banks_of(c);
    default:
        return channels_of(c);
    }
}

static u64 entries_of(const struct gpu_config *c, const struct structure *s)
{
    return field_u32(c, s->entries) * instances_of(c, s->instances);
}

/* Wires cross every input and output, so their area grows with width and both numbers of lines;
 * with the lines of the published crossbar this is its rule, 11.6 mm2 x bytes / 64. */
static double wires_mm2(const struct gpu_config *c, const struct area_constants *k)
{
    double bytes = (double)c->network.request.flit_bytes + c->network.reply.flit_bytes;
    double lines = (double)c->sm.count * banks_of(c) / ((double)k->wire_inputs * k->wire_outputs);
    return k->wire_mm2 * bytes / k->wire_bytes * lines;
}

static i64 flits(const struct gpu_config *c)
{
    return (i64)c->network.request.flit_bytes + c->network.reply.flit_bytes;
}

void area_compare(const struct gpu_config *base, const struct gpu_config *chip,
                  const struct area_constants *k, struct area *out)
{
    *out = (struct area){0};
    for (u32 i = 0; i < AREA_STRUCTURES; i++) {
        const struct structure *s = &structures[i];
        struct area_row *row = &out->rows[i];
        *row = (struct area_row){.name = s->name,
                                 .parameter = s->parameter,
                                 .entry_bytes = field_u32(k, s->entry_bytes),
                                 .base_entries = entries_of(base, s),
                                 .entries = entries_of(chip, s)};
        row->bytes = ((i64)row->entries - (i64)row->base_entries) * row->entry_bytes;
        out->storage_bytes += row->bytes;
    }
    out->wire_bytes = flits(chip) - flits(base);
    out->storage_mm2 = (double)out->storage_bytes / 1024 * k->storage_mm2 / k->storage_kib;
    out->wire_mm2 = wires_mm2(chip, k) - wires_mm2(base, k);
    out->mm2 = out->storage_mm2 + out->wire_mm2;
    out->die_share = out->mm2 / k->die_mm2;
    out->caches_differ = base->l2.size_bytes != chip->l2.size_bytes ||
                         (u64)base->sm.l1.size_bytes * base->sm.count !=
                             (u64)chip->sm.l1.size_bytes * chip->sm.count;
}

const struct area_published *area_published_find(const char *chip, const char *base)
{
    for (const struct area_published *p = area_published; p->chip; p++) {
        if (strcmp(p->chip, chip) == 0 && strcmp(p->base, base) == 0)
            return p;
    }
    return NULL;
}

u64 area_shadow_tag_bytes(u64 cache_bytes, u32 line_bytes, u32 tag_bits)
{
    return (cache_bytes / line_bytes * (tag_bits + 1) + 7) / 8;
}

double area_cut(double value, u32 digits)
{
    double scale = pow(10, digits);
    /* 3.62 x 100 is 361.999... in binary: what is a digit in decimal stays one */
    return trunc(value * scale + copysign(1e-9, value)) / scale;
}

/*
 * What a memory system costs beyond another one, in bytes and square millimetres.
 *
 * Dublish 2018, section 3.7.3 (bandwidth-and-ccn spec S11): every queue and MSHR has
 * so many entries of so many bytes; the bytes that a chip has more than its base
 * become area by one published ratio, wider crossbars become area by the share of
 * the wires, and both a part of the die. All constants are those of a GTX 480 at
 * 40 nm; they are parameters, so another die can be asked about.
 */
#ifndef POWER_AREA_H
#define POWER_AREA_H

#include "config/param.h"
#include "gpu/config.h"

#define AREA_STRUCTURES 10u

/* Rows of area_params, each with its source. */
struct area_constants {
    double storage_kib, storage_mm2; /* a published pair: the ratio is what counts */
    double wire_mm2, wire_bytes;     /* crossbar wires at so many bytes of both directions */
    u32 wire_inputs, wire_outputs;   /* of the crossbar that was measured */
    double die_mm2;
    u32 buffer_bytes, track_bytes, pipeline_bytes; /* an entry of each kind */
};

extern const struct param area_params[];
void area_constants_initial(struct area_constants *c);

/* One structure on both chips. Entries are those of all instances together. */
struct area_row {
    const char *name, *parameter;
    u32 entry_bytes;
    u64 base_entries, entries;
    i64 bytes; /* more than on the base */
};

struct area {
    struct area_row rows[AREA_STRUCTURES];
    i64 storage_bytes;
    i64 wire_bytes; /* of both flits together */
    double storage_mm2, wire_mm2, mm2, die_share;
    bool caches_differ; /* capacities are not costed: the ratio is that of queues */
};

void area_compare(const struct gpu_config *base, const struct gpu_config *chip,
                  const struct area_constants *constants, struct area *out);

/* What a document states for a chip; NAN where it states nothing. */
struct area_published {
    const char *chip, *base; /* names of chip files; "" for a mechanism that no chip file has */
    double storage_kib, storage_mm2, wire_mm2, mm2, die_percent;
    const char *source;
};
extern const struct area_published area_published[]; /* ends with a NULL chip */
const struct area_published *area_published_find(const char *chip, const char *base);

/* Bytes of a copy of an L1's tags: a tag and a valid bit per line, in whole bytes per L1. */
u64 area_shadow_tag_bytes(u64 cache_bytes, u32 line_bytes, u32 tag_bits);

/* The documents cut digits off instead of rounding: 3.625 is printed 3.62. */
double area_cut(double value, u32 digits);

#endif

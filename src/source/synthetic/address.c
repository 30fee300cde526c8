#include "source/synthetic/address.h"

#include "base/rng.h"

/* Each pattern has a part of the address space to itself. */
#define PART_BYTES ((u64)1 << 40)

/* Positions of a warp's numbers for things that are not lines. */
#define NEIGHBOUR_NUMBERS ((u64)1 << 62)

static u64 part_of(enum pattern pattern)
{
    return (u64)(pattern + 1) * PART_BYTES;
}

/* Uniform in 0..bound-1; the bias of at most bound / 2^64 is none that a run could show. */
static u64 draw(u64 key, u64 position, u64 bound)
{
    return (u64)((u128)rng_at(key, position) * bound >> 64);
}

bool synthetic_happens(u64 key, u64 position, double fraction)
{
    return (double)(rng_at(key, position) >> 11) * 0x1.0p-53 < fraction;
}

/* Where in its footprint the sweep is. */
static u64 sweep(const struct synthetic_access *a, u64 line)
{
    return line % (a->footprint_bytes / a->stride_bytes) * a->stride_bytes;
}

static u64 shared_window(const struct synthetic_access *a, const struct address_place *place)
{
    u64 block = place->block;
    if (a->neighbour_fraction > 0 &&
        synthetic_happens(place->key, NEIGHBOUR_NUMBERS + place->access, a->neighbour_fraction))
        block = (block + 1) % place->blocks;
    return block * a->block_offset_bytes;
}

/* Runs of neighbouring lines at random places. The runs of one access lie in different
 * parts of the footprint, so that its lines are never the same. */
static u64 random_line(const struct synthetic_access *a, const struct address_place *place, u32 n)
{
    u64 slots = a->footprint_bytes / SYNTHETIC_LINE_BYTES / a->run_lines;
    u32 runs = 1, run = 0; /* of this access */
    u64 position, offset;
    if (a->run_lines <= a->requests_per_load) {
        runs = a->requests_per_load / a->run_lines;
        run = n / a->run_lines;
        position = place->access * runs + run;
        offset = n % a->run_lines;
    } else {
        u32 accesses = a->run_lines / a->requests_per_load;
        position = place->access / accesses;
        offset = place->access % accesses * a->requests_per_load + n;
    }
    u64 first = slots * run / runs, end = slots * (run + 1) / runs;
    u64 slot = first + draw(place->key, position, end - first);
    return (slot * a->run_lines + offset) * SYNTHETIC_LINE_BYTES;
}

u64 synthetic_line(const struct synthetic_access *a, enum pattern pattern,
                   const struct address_place *place, u32 n)
{
    u64 line = place->access * a->requests_per_load + n, base = part_of(pattern);
    switch (pattern) {
    case PATTERN_STREAM:
        return base + place->stream_base + place->warp * place->stream_bytes +
               line * a->stride_bytes;
    case PATTERN_PRIVATE:
        return base + place->warp * a->footprint_bytes + sweep(a, line);
    case PATTERN_SHARED:
        return base + shared_window(a, place) + sweep(a, line);
    case PATTERN_RANDOM:
    case PATTERN_CHASE:
        return base + random_line(a, place, n);
    default:
        return base;
    }
}

void synthetic_addresses(const struct synthetic_access *a, enum pattern pattern,
                         const struct address_place *place, u32 mask, u64 out[WARP_LANES])
{
    u32 lanes = (u32)__builtin_popcount(mask), done = 0, in_line = 0, previous = 0;
    u64 line = 0;
    for (u32 left = mask; left; left &= left - 1, done++) {
        u32 request = lanes < a->requests_per_load ? done : done * a->requests_per_load / lanes;
        if (done == 0 || request != previous) {
            line = synthetic_line(a, pattern, place, request);
            in_line = 0;
        }
        previous = request;
        out[__builtin_ctz(left)] = line + in_line++ * a->lane_bytes % SYNTHETIC_LINE_BYTES;
    }
}

void synthetic_shared_addresses(u64 access, u32 conflicts, u32 shared_bytes, u64 out[WARP_LANES])
{
    u32 span = 4 * WARP_LANES * conflicts;
    u64 base = access % (shared_bytes / span) * span;
    for (u32 lane = 0; lane < WARP_LANES; lane++)
        out[lane] = base + (u64)lane * 4 * conflicts;
}

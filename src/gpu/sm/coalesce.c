/* From lane addresses to lines, and to passes through the banks of shared memory. */
#include "gpu/sm/sm.h"

#include <string.h>

static u32 sectors_of(u64 offset, u32 bytes)
{
    u32 first = (u32)(offset / SECTOR_BYTES), last = (u32)((offset + bytes - 1) / SECTOR_BYTES);
    return (2u << last) - (1u << first);
}

/* Adds an access to the piece of its line; the last one found is tried first. */
static u32 add_access(struct piece *out, u32 count, u64 address, u32 bytes, u32 line_bytes)
{
    u64 line = address & ~(u64)(line_bytes - 1);
    u32 sectors = sectors_of(address - line, bytes);
    for (u32 k = count; k-- > 0;) {
        if (out[k].line == line) {
            out[k].sectors |= sectors;
            out[k].bytes += bytes;
            return count;
        }
    }
    if (count == MOST_PIECES)
        return count;
    out[count] = (struct piece){.line = line, .sectors = sectors, .bytes = bytes};
    return count + 1;
}

/* All lanes in one line, as most are: true, and the one piece. */
static bool in_one_line(const struct winst *x, u32 lanes, u32 bytes, u32 line_bytes,
                        struct piece *out)
{
    u64 line = x->address[__builtin_ctz(lanes)] & ~(u64)(line_bytes - 1), most = 0;
    u32 sectors = 0;
    for (u32 i = 0; i < 32; i++) {
        u64 offset = lanes >> i & 1 ? x->address[i] - line : 0; /* below the line: huge */
        most = offset > most ? offset : most;
    }
    if (most + bytes > line_bytes || most + bytes < most)
        return false;
    for (u32 left = lanes; left; left &= left - 1)
        sectors |= sectors_of(x->address[__builtin_ctz(left)] - line, bytes);
    *out = (struct piece){
        .line = line, .sectors = sectors, .bytes = bytes * (u32)__builtin_popcount(lanes)};
    return true;
}

/* The same where it is known that no lane is in another line; aligned accesses lie in one sector.
 */
static void add_one_line(const struct winst *x, u32 bytes, u32 line_bytes, struct piece *out)
{
    u64 line = x->address[0] & ~(u64)(line_bytes - 1);
    u32 sectors = 0;
    for (u32 i = 0; i < 32; i++)
        sectors |= 1u << (u32)(x->address[i] - line) / SECTOR_BYTES;
    *out = (struct piece){.line = line, .sectors = sectors, .bytes = 32 * bytes};
}

/* From one address on, whole words of neighbours or of one place. */
static u32 coalesce_row(u64 at, u64 end, u32 line_bytes, struct piece *out)
{
    u32 count = 0;
    while (at < end) {
        u64 line = at & ~(u64)(line_bytes - 1), stop = min_u64(end, line + line_bytes);
        out[count++] = (struct piece){.line = line,
                                      .sectors = sectors_of(at - line, (u32)(stop - at)),
                                      .bytes = (u32)(stop - at)};
        at = stop;
    }
    return count;
}

u32 coalesce(const struct winst *x, u32 lanes, u32 line_bytes, struct piece *out)
{
    u32 count = 0, bytes = x->instruction->bytes ? x->instruction->bytes : 4;
    if (x->pattern != ACCESS_ANY && lanes == UINT32_MAX) {
        u64 at = x->address[0];
        count = coalesce_row(at, at + (x->pattern == ACCESS_ROW ? 32 : 1) * bytes, line_bytes, out);
        if (x->pattern == ACCESS_SAME)
            out[0].bytes *= 32;
        return count;
    }
    if (x->spread && lanes == UINT32_MAX && x->spread < line_bytes) {
        add_one_line(x, bytes, line_bytes, out);
        return 1;
    }
    if ((!x->spread || lanes != UINT32_MAX) && in_one_line(x, lanes, bytes, line_bytes, out))
        return 1;
    for (u32 left = lanes; left; left &= left - 1) {
        u64 at = x->address[__builtin_ctz(left)], end = at + bytes;
        while (at < end) { /* wide or odd accesses may touch the next line */
            u64 line_end = (at & ~(u64)(line_bytes - 1)) + line_bytes;
            u32 part = (u32)(min_u64(end, line_end) - at);
            count = add_access(out, count, at, part, line_bytes);
            at += part;
        }
    }
    return count;
}

/* Local memory of all warps of the machine lies behind all data; word w of the 32 threads of
 * a warp forms a line, so that threads which access the same variable share lines. */
#define LOCAL_WARP_BYTES (16u << 20)

u32 coalesce_local(const struct sm *sm, u32 slot, const struct winst *x, struct piece *out,
                   u32 count)
{
    u32 bytes = x->instruction->bytes ? x->instruction->bytes : 4, lanes = x->in_local;
    u64 base = LOCAL_START + ((u64)sm->number * MOST_SM_WARPS + slot) * LOCAL_WARP_BYTES;
    for (u32 left = lanes; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctz(left);
        for (u32 done = 0; done < bytes; done += 4) {
            u64 offset = x->address[lane] + done;
            u64 at = base + offset / 4 * 128 + lane * 4u + offset % 4;
            u32 part = bytes - done < 4 ? bytes - done : 4;
            count = add_access(out, count, at, part, sm->config->line_bytes);
        }
    }
    return count;
}

/*
 * Passes through the banks of shared memory: the most different words that one
 * bank has to give. Lanes that want the same word share it; atomics on the same
 * word follow each other.
 */
#define MOST_BANKS 128u
#define NAMED_WORDS 32u /* of a bank: one for each lane at most */

struct bank_use {
    u64 words[MOST_BANKS][NAMED_WORDS];
    u8 count[MOST_BANKS];
    u32 most;
};

static void use_word(struct bank_use *u, u64 word, u32 banks, bool alone)
{
    u32 bank = (u32)(word % banks), known = u->count[bank];
    for (u32 k = 0; !alone && k < known && k < NAMED_WORDS; k++) {
        if (u->words[bank][k] == word)
            return;
    }
    if (known < NAMED_WORDS)
        u->words[bank][known] = word;
    u->count[bank]++;
    if (known + 1 > u->most)
        u->most = known + 1;
}

/* All lanes in one aligned row of the banks: each bank gives one word at most. */
static bool in_one_row(const u64 *address, u32 banks)
{
    u64 differ = 0;
    for (u32 i = 1; i < 32; i++)
        differ |= address[i] ^ address[0];
    return differ < banks * 4u;
}

/* The common case: no bank is asked for two words. Banks are a power of two. */
static bool has_no_conflict(const u64 *address, u32 lanes, u32 banks)
{
    if (lanes == UINT32_MAX && in_one_row(address, banks))
        return true;
    u64 word_of[MOST_BANKS], seen[MOST_BANKS / 64] = {0};
    for (u32 left = lanes; left; left &= left - 1) {
        u64 word = address[__builtin_ctz(left)] / 4;
        u32 bank = (u32)(word & (banks - 1));
        u64 bit = (u64)1 << (bank % 64);
        if (!(seen[bank / 64] & bit)) {
            seen[bank / 64] |= bit;
            word_of[bank] = word;
        } else if (word_of[bank] != word) {
            return false;
        }
    }
    return true;
}

u32 lanes_at_a_word(const struct winst *x, u32 lanes, u64 line, u32 line_bytes)
{
    u8 count[64] = {0};
    u32 most = 1;
    for (u32 left = lanes; left; left &= left - 1) {
        u64 offset = x->address[__builtin_ctz(left)] - line;
        if (offset < line_bytes && ++count[offset / 4] > most)
            most = count[offset / 4];
    }
    return most;
}

u32 different_addresses(const struct winst *x, u32 lanes)
{
    u64 seen[32];
    u32 count = 0;
    for (u32 left = lanes; left; left &= left - 1) {
        u64 at = x->address[__builtin_ctz(left)];
        u32 k = count;
        while (k && seen[k - 1] != at)
            k--;
        if (!k)
            seen[count++] = at;
    }
    return count;
}

/* Do neighbours, or lanes two apart, want the same? Then two parts of a wide access are one: an
 * H200 counts them so (silicon/probes/micro/shared.c). */
static bool are_alike(const u64 *address, u32 lanes)
{
    for (u32 apart = 1; apart <= 2; apart++) {
        bool alike = true;
        for (u32 left = lanes; left && alike; left &= left - 1) {
            u32 k = (u32)__builtin_ctz(left), other = k ^ apart;
            alike = !(lanes >> other & 1) || address[k] == address[other];
        }
        if (alike)
            return true;
    }
    return false;
}

/* Does each lane of the instruction have a word for itself, whoever else wants it? */
static bool is_served_alone(const struct instruction *i)
{
    return i->kind == WINST_ATOMIC && i->cost <= SHARED_ATOMIC_SWAP;
}

static u32 passes_of(const struct winst *x, u32 lanes, u32 words, u32 banks)
{
    struct bank_use use;
    memset(use.count, 0, sizeof use.count);
    use.most = 0;
    for (u32 left = lanes; left; left &= left - 1) {
        u64 word = x->address[__builtin_ctz(left)] / 4;
        for (u32 w = 0; w < words; w++)
            use_word(&use, word + w, banks, is_served_alone(x->instruction));
    }
    return use.most;
}

static u32 some_of(u32 lanes, u32 first, u32 count)
{
    return lanes & (u32)((((u64)1 << count) - 1) << first);
}

u32 shared_passes(const struct winst *x, u32 lanes, u32 banks, bool joins)
{
    u32 words = (x->instruction->bytes + 3u) / 4;
    bool alone = is_served_alone(x->instruction);
    if (words <= 1 && !alone && !(banks & (banks - 1))) {
        bool in_row = x->pattern != ACCESS_ANY || (x->spread && x->spread < banks * 4u);
        bool is_known = in_row && lanes == UINT32_MAX && banks >= 32;
        if (is_known || has_no_conflict(x->address, lanes, banks))
            return 1;
    }
    if (words == 0)
        words = 1;
    /* wider words take a half or a quarter of the warp at a time, or two of these */
    u32 groups = words >= 4 ? 4 : words, width = 32 / groups, passes = 0;
    for (u32 g = 0; g < groups; g++) {
        u32 group = some_of(lanes, g * width, width);
        bool may_join = joins && x->instruction->kind != WINST_ATOMIC;
        if (may_join && groups > 1 && g % 2 == 0) {
            u32 both = some_of(lanes, g * width, 2 * width);
            if (are_alike(x->address, both)) {
                group = both;
                g++;
            }
        }
        passes += passes_of(x, group, words, banks);
    }
    return passes;
}

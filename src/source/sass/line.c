#include "source/sass/line.h"

#include "base/arena.h"
#include "source/sass/opcode.h"

#include <string.h>

/* An access of a lane is of 32 bytes at most (256 bits); the tracer writes what it takes for the
 * width of a bulk copy, which nobody needs. */
#define MOST_LANE_BYTES 32u
#define MOST_BULK_BYTES 4096u

/* More addresses in one block than this are no honest file. */
#define MOST_ADDRESSES ((u32)1 << 31)

static bool append(struct address_list *l, u64 address, const struct scan *s, struct err *err)
{
    if (l->count == l->room) {
        if (l->room == MOST_ADDRESSES)
            return err_at(err, scan_pos(s, s->start), "the block has more than 2^31 addresses");
        l->room = l->room ? l->room * 2 : 256;
        l->data = xrealloc(l->data, l->room * sizeof *l->data);
    }
    l->data[l->count++] = address;
    return true;
}

/* Words in front of the PC. */
static bool skip_prefix(struct scan *s, const struct trace_header *h, struct err *err)
{
    static const char *const names[] = {"block x", "block y", "block z", "warp", "source line"};
    u32 first = h->tracer_version < 3 ? 0 : 4;
    u32 end = h->has_line_numbers ? 5 : 4;
    for (u32 i = first; i < end; i++) {
        u32 ignored;
        if (!scan_count(s, names[i], INT32_MAX, &ignored, err))
            return false;
    }
    return true;
}

static bool read_mask(struct trace_line *out, struct scan *s, struct err *err)
{
    struct slice word = scan_word(s);
    u64 mask;
    if (word.length != 8 || !slice_hex(word, &mask))
        return scan_refuse(s, word, "mask", "8 hexadecimal digits", err);
    out->mask = (u32)mask;
    return true;
}

static bool read_registers(struct trace_line *out, struct scan *s, const char *subject, u32 *count,
                           struct err *err)
{
    u32 first = out->dst_count + out->src_count;
    if (!scan_count(s, subject, LINE_MOST_REGISTERS - first, count, err))
        return false;
    u32 wanted = *count;
    for (u32 i = 0; i < wanted; i++) {
        out->registers[first + i] = scan_word(s);
        if (out->registers[first + i].length == 0)
            return scan_refuse(s, out->registers[first + i], "a register", "R, UR, P or UP", err);
    }
    return true;
}

static bool read_fixed(struct trace_line *out, struct scan *s, struct err *err)
{
    struct scan ahead = *s;
    out->fixed.start = scan_word(&ahead).start;
    if (!read_registers(out, s, "the number of destinations", &out->dst_count, err))
        return false;
    out->opcode = scan_word(s);
    char letter = out->opcode.length ? out->opcode.start[0] : '\0';
    if (!((letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z')))
        return scan_refuse(s, out->opcode, "the opcode", "a mnemonic such as LDG.E.64", err);
    if (!read_registers(out, s, "the number of sources", &out->src_count, err))
        return false;
    out->fixed.length = (size_t)(s->at - out->fixed.start);
    return true;
}

static bool read_list(struct scan *s, u32 count, struct address_list *to, struct err *err)
{
    for (u32 i = 0; i < count; i++) {
        u64 address;
        if (!scan_hex(s, "an address", &address, err) || !append(to, address, s, err))
            return false;
    }
    return true;
}

/* An address, and the way to each next one. */
static bool read_deltas(struct scan *s, u64 address, u32 count, struct address_list *to,
                        struct err *err)
{
    for (u32 i = 0; i < count; i++) {
        i64 delta = 0;
        if (i > 0 && !scan_decimal(s, "an address delta", &delta, err))
            return false;
        address += (u64)delta;
        if (!append(to, address, s, err))
            return false;
    }
    return true;
}

static bool read_stride(struct scan *s, struct address_list *to, struct err *err)
{
    u64 base;
    i64 stride;
    return scan_hex(s, "the base address", &base, err) &&
           scan_decimal(s, "the stride", &stride, err) && append(to, base, s, err) &&
           append(to, (u64)stride, s, err);
}

static bool read_lanes(struct trace_line *out, struct scan *s, struct address_list *to,
                       struct err *err)
{
    struct slice word = scan_word(s);
    u32 lanes = (u32)__builtin_popcount(out->mask);
    out->payload = PAYLOAD_LIST;
    if (slice_is(word, "0"))
        return read_list(s, lanes, to, err);
    if (slice_is(word, "2")) {
        u64 base;
        return scan_hex(s, "the base address", &base, err) && read_deltas(s, base, lanes, to, err);
    }
    if (!slice_is(word, "1"))
        return scan_refuse(s, word, "the address mode", "0, 1 or 2", err);
    out->payload = PAYLOAD_STRIDE;
    return read_stride(s, to, err);
}

/* Mode 3: count and addresses; mode 4: base, count and count - 1 deltas. */
static bool read_bulk_addresses(struct scan *s, struct slice mode, struct address_list *to,
                                struct err *err)
{
    u32 count;
    u64 base;
    if (slice_is(mode, "3"))
        return scan_count(s, "the number of addresses", INT32_MAX, &count, err) &&
               read_list(s, count, to, err);
    if (slice_is(mode, "4"))
        return scan_hex(s, "the base address", &base, err) &&
               scan_count(s, "the number of addresses", INT32_MAX, &count, err) &&
               read_deltas(s, base, count, to, err);
    return scan_refuse(s, mode, "the address mode of a bulk copy", "3 or 4", err);
}

/* mbarrier, multicast flag, [mask of blocks], bytes, bytes out of bounds, mode ...; for a
 * while in 2025 the tracer wrote the mode at once. */
static bool read_bulk(struct trace_line *out, struct scan *s, struct address_list *to,
                      struct err *err)
{
    u64 barrier = 0, ignored;
    u32 multicast, outside;
    struct slice word = scan_word(s);
    out->payload = PAYLOAD_BULK;
    if (slice_is(word, "3") || slice_is(word, "4"))
        return append(to, barrier, s, err) && read_bulk_addresses(s, word, to, err);
    if (!slice_hex(word, &barrier))
        return scan_refuse(s, word, "the mbarrier address", "a hexadecimal number", err);
    if (!append(to, barrier, s, err))
        return false;
    if (!scan_count(s, "the multicast flag", 1, &multicast, err))
        return false;
    if (multicast && !scan_hex(s, "the mask of blocks", &ignored, err))
        return false;
    return scan_count(s, "the bytes of the copy", INT32_MAX, &out->bulk_bytes, err) &&
           scan_count(s, "the bytes out of bounds", INT32_MAX, &outside, err) &&
           read_bulk_addresses(s, scan_word(s), to, err);
}

/* Values of registers and what private forks append are not needed for timing. */
static bool read_rest(struct trace_line *out, struct scan *s, struct err *err)
{
    for (;;) {
        struct slice word = scan_word(s);
        if (word.length == 0 || slice_is(word, "Val") || slice_is(word, "NoVal") ||
            slice_is(word, "MEM_META_V1"))
            return true;
        i64 value;
        if (out->immediate_count == ARRAY_LEN(out->immediates) || !slice_decimal(word, &value))
            return scan_refuse(s, word, "a word behind the addresses",
                               "up to two decimal immediates, then Val or NoVal", err);
        out->immediates[out->immediate_count++] = value;
    }
}

static bool is_group_matrix(struct slice opcode)
{
    return memmem(opcode.start, opcode.length, "GMMA", 4) != NULL;
}

bool trace_line_read(struct trace_line *out, struct scan *s, const struct trace_header *h,
                     struct address_list *to, struct err *err)
{
    u32 width;
    out->dst_count = out->src_count = out->immediate_count = out->bulk_bytes = 0;
    out->payload = PAYLOAD_NONE;
    out->first_address = to->count;
    if (!skip_prefix(s, h, err) || !scan_hex(s, "the PC", &out->pc, err) ||
        !read_mask(out, s, err) || !read_fixed(out, s, err))
        return false;
    /* A flag that only some tracers write comes before the width; nothing behind matters. */
    if (is_group_matrix(out->opcode))
        return true;
    bool bulk = opcode_is_bulk(out->opcode);
    if (!scan_count(s, "the access width", bulk ? MOST_BULK_BYTES : MOST_LANE_BYTES, &width, err))
        return false;
    bool ok = bulk ? read_bulk(out, s, to, err) : width ? read_lanes(out, s, to, err) : true;
    out->address_count = to->count - out->first_address;
    return ok && read_rest(out, s, err);
}

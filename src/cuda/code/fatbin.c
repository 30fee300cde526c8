#include "cuda/code/fatbin.h"

#include "base/arena.h"
#include "cuda/code/cubin.h"

#include <lz4.h>
#include <lz4frame.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define WRAPPER_MAGIC 0x466243b1u
#define WRAPPER_BYTES 24
#define PRELINKED_MAX 65536 /* linked objects; more means that the array has no end */

#define CONTAINER_VERSION 1
#define CONTAINER_MAX_BYTES ((u64)1 << 32) /* believed of a header when nothing else bounds it */

#define ENTRY_HEADER_BYTES 64 /* at least; the header says how much it has */
#define ENTRY_VERSION 0x0101
#define ENTRIES_MAX 4096 /* one per architecture and kind: real containers have a few dozen */

#define FLAG_LZ4 0x2000u
#define FLAG_ZSTD 0x8000u
#define FLAG_ARCH_ONLY 0x100000u   /* sm_90a */
#define FLAG_ARCH_FAMILY 0x200000u /* sm_100f */

#define LIST_BYTES 160 /* architectures in one sentence */

const char *fatbin_kind_name(u32 kind)
{
    switch (kind) {
    case FATBIN_PTX:
        return "PTX";
    case FATBIN_ELF:
        return "ELF";
    case FATBIN_LTO:
        return "LTO";
    default:
        return "unknown";
    }
}

static bool container_err(struct err *err, const struct fatbin *f, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static bool entry_err(struct err *err, const struct fatbin *f, u32 index, u64 offset,
                      const char *fmt, ...) __attribute__((format(printf, 5, 6)));

static bool container_err(struct err *err, const struct fatbin *f, const char *fmt, ...)
{
    char what[320];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return err_at(err, (struct src_pos){.file = f->name}, "fat binary at byte %llu: %s",
                  (unsigned long long)f->offset, what);
}

static bool entry_err(struct err *err, const struct fatbin *f, u32 index, u64 offset,
                      const char *fmt, ...)
{
    char what[320];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return err_at(err, (struct src_pos){.file = f->name}, "fat binary entry %u at byte %llu: %s",
                  index, (unsigned long long)offset, what);
}

/* A string of the entry header. */
static bool read_string(const struct fatbin *f, const struct fatbin_entry *e, const u8 *header,
                        u64 header_bytes, u64 at, u64 length, const char *what, const char **out,
                        struct arena *arena, struct err *err)
{
    if (at > header_bytes || length > header_bytes - at)
        return entry_err(err, f, e->index, e->offset,
                         "its %s of %llu bytes at %llu runs out of its header of %llu bytes", what,
                         (unsigned long long)length, (unsigned long long)at,
                         (unsigned long long)header_bytes);
    char *s = arena_alloc_aligned(arena, length + 1, 1);
    memcpy(s, header + at, length);
    *out = s;
    return true;
}

static bool read_strings(const struct fatbin *f, struct fatbin_entry *e, const u8 *header,
                         u64 header_bytes, struct arena *arena, struct err *err)
{
    e->options = e->identifier = "";
    u32 options_at = load_u32(header + 20), identifier_at = load_u32(header + 32);
    if (options_at != 0) {
        if (options_at > header_bytes - 8)
            return entry_err(err, f, e->index, e->offset,
                             "its options at %u run out of its header of %llu bytes", options_at,
                             (unsigned long long)header_bytes);
        const u8 *record = header + options_at;
        if (!read_string(f, e, header, header_bytes, load_u32(record), load_u32(record + 4),
                         "options string", &e->options, arena, err))
            return false;
    }
    return identifier_at == 0 ||
           read_string(f, e, header, header_bytes, identifier_at, load_u32(header + 36),
                       "identifier", &e->identifier, arena, err);
}

static bool read_coding(const struct fatbin *f, struct fatbin_entry *e, const u8 *header,
                        struct err *err)
{
    u64 compressed = load_u32(header + 16), image = load_u64(header + 56);
    bool lz4 = (e->flags & FLAG_LZ4) != 0, zstd = (e->flags & FLAG_ZSTD) != 0;
    if (!lz4 && !zstd) {
        if (compressed != 0)
            return entry_err(err, f, e->index, e->offset,
                             "compressed in an unknown way (flags 0x%llx), expected LZ4 or zstd",
                             (unsigned long long)e->flags);
        e->coding = FATBIN_PLAIN;
        image = e->payload_bytes;
    } else {
        if (lz4 && zstd)
            return entry_err(err, f, e->index, e->offset, "its flags 0x%llx say both LZ4 and zstd",
                             (unsigned long long)e->flags);
        if (compressed == 0 || compressed > e->payload_bytes)
            return entry_err(err, f, e->index, e->offset,
                             "its compressed size is %llu, expected 1 to its payload size %llu",
                             (unsigned long long)compressed, (unsigned long long)e->payload_bytes);
        e->coding = lz4 ? FATBIN_LZ4 : FATBIN_ZSTD;
        e->payload_bytes = compressed;
    }
    if (image > FATBIN_IMAGE_MAX_BYTES)
        return entry_err(err, f, e->index, e->offset,
                         "its image of %llu bytes is implausible, expected at most %llu",
                         (unsigned long long)image, (unsigned long long)FATBIN_IMAGE_MAX_BYTES);
    e->image_bytes = image;
    return true;
}

/* An entry whose header and payload are known to lie in the container. */
static bool read_entry(const struct fatbin *f, struct fatbin_entry *e, const u8 *header,
                       struct arena *arena, struct err *err)
{
    u64 header_bytes = load_u32(header + 4);
    e->kind = load_u16(header);
    e->payload = header + header_bytes;
    e->payload_bytes = load_u64(header + 8);
    e->version_minor = load_u16(header + 24);
    e->version_major = load_u16(header + 26);
    e->arch = load_u32(header + 28);
    e->flags = load_u64(header + 40);
    e->arch_suffix = e->flags & FLAG_ARCH_ONLY ? 'a' : e->flags & FLAG_ARCH_FAMILY ? 'f' : '\0';
    return read_strings(f, e, header, header_bytes, arena, err) && read_coding(f, e, header, err);
}

/* The bytes of the entry at `header`, or 0 and an error when it does not fit into what is left. */
static u64 entry_bytes(const struct fatbin *f, u32 index, u64 offset, const u8 *header, u64 left,
                       struct err *err)
{
    if (left < ENTRY_HEADER_BYTES) {
        entry_err(err, f, index, offset, "the container ends inside its header of %u bytes",
                  ENTRY_HEADER_BYTES);
        return 0;
    }
    u32 version = load_u16(header + 2), header_bytes = load_u32(header + 4);
    u64 payload_bytes = load_u64(header + 8);
    if (version != ENTRY_VERSION) {
        entry_err(err, f, index, offset, "its version is 0x%04x, expected 0x%04x", version,
                  ENTRY_VERSION);
        return 0;
    }
    if (header_bytes < ENTRY_HEADER_BYTES || header_bytes > left) {
        entry_err(err, f, index, offset,
                  "its header size is %u, expected %u to the %llu bytes left in the container",
                  header_bytes, ENTRY_HEADER_BYTES, (unsigned long long)left);
        return 0;
    }
    if (payload_bytes > left - header_bytes) {
        entry_err(err, f, index, offset,
                  "its payload of %llu bytes runs out of the container, which has %llu left",
                  (unsigned long long)payload_bytes, (unsigned long long)(left - header_bytes));
        return 0;
    }
    return header_bytes + payload_bytes;
}

static bool read_entries(struct fatbin *f, const u8 *data, u64 header_bytes, struct arena *arena,
                         struct err *err)
{
    for (u64 at = header_bytes; at < f->bytes;) {
        u64 bytes = entry_bytes(f, f->entry_count, f->offset + at, data + at, f->bytes - at, err);
        if (bytes == 0)
            return false;
        if (++f->entry_count > ENTRIES_MAX)
            return container_err(err, f, "it has more than %u entries", ENTRIES_MAX);
        at += bytes;
    }
    f->entries = ARENA_ARRAY(arena, struct fatbin_entry, f->entry_count + 1);
    u64 at = header_bytes;
    for (u32 i = 0; i < f->entry_count; i++) {
        struct fatbin_entry *e = &f->entries[i];
        e->index = i;
        e->offset = f->offset + at;
        if (!read_entry(f, e, data + at, arena, err))
            return false;
        at += load_u32(data + at + 4) + load_u64(data + at + 8);
    }
    return true;
}

bool fatbin_read_at(struct fatbin *f, const u8 *data, u64 bytes, struct arena *arena,
                    struct err *err)
{
    if (bytes < FATBIN_HEADER_BYTES)
        return container_err(err, f, "it ends after %llu bytes, inside its header of %u",
                             (unsigned long long)bytes, FATBIN_HEADER_BYTES);
    if (load_u32(data) != FATBIN_MAGIC)
        return container_err(err, f, "its magic number is 0x%08x, expected 0x%08x", load_u32(data),
                             FATBIN_MAGIC);
    u32 version = load_u16(data + 4), header_bytes = load_u16(data + 6);
    u64 entries_bytes = load_u64(data + 8);
    if (version != CONTAINER_VERSION)
        return container_err(err, f, "its version is %u, expected %u", version, CONTAINER_VERSION);
    if (header_bytes < FATBIN_HEADER_BYTES || header_bytes > bytes)
        return container_err(err, f, "its header size is %u, expected %u to %llu", header_bytes,
                             FATBIN_HEADER_BYTES, (unsigned long long)bytes);
    if (entries_bytes > bytes - header_bytes)
        return container_err(err, f, "its entries take %llu bytes, but only %llu follow the header",
                             (unsigned long long)entries_bytes,
                             (unsigned long long)(bytes - header_bytes));
    f->bytes = header_bytes + entries_bytes;
    if (!read_entries(f, data, header_bytes, arena, err)) {
        f->entries = NULL;
        f->entry_count = 0;
        return false;
    }
    return true;
}

bool fatbin_read(struct fatbin *f, const void *data, u64 bytes, const char *name,
                 struct arena *arena, struct err *err)
{
    *f = (struct fatbin){.name = name};
    return fatbin_read_at(f, data, bytes, arena, err);
}

bool fatbin_read_mapped(struct fatbin *f, const void *data, const char *name, struct arena *arena,
                        struct err *err)
{
    return fatbin_read(f, data, CONTAINER_MAX_BYTES, name, arena, err);
}

static bool decode_lz4_block(const struct fatbin *f, const struct fatbin_entry *e, u8 *out,
                             struct err *err)
{
    /* Both sizes are at most FATBIN_IMAGE_MAX_BYTES, which an int holds. */
    int n = LZ4_decompress_safe((const char *)e->payload, (char *)out, (int)e->payload_bytes,
                                (int)e->image_bytes);
    if (n < 0)
        return entry_err(err, f, e->index, e->offset,
                         "its LZ4 data is corrupt near byte %d of %llu", -n - 1,
                         (unsigned long long)e->payload_bytes);
    if ((u64)n != e->image_bytes)
        return entry_err(err, f, e->index, e->offset,
                         "its LZ4 data decompresses to %d bytes, expected %llu", n,
                         (unsigned long long)e->image_bytes);
    return true;
}

static bool decode_lz4_frame(const struct fatbin *f, const struct fatbin_entry *e, u8 *out,
                             struct err *err)
{
    LZ4F_dctx *context;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)))
        return err_kind(err, ERR_INTERNAL, "no memory to decompress LZ4");
    u64 in_at = 0, out_at = 0;
    size_t hint;
    do {
        size_t in_now = e->payload_bytes - in_at, out_now = e->image_bytes - out_at;
        hint = LZ4F_decompress(context, out + out_at, &out_now, e->payload + in_at, &in_now, NULL);
        in_at += in_now;
        out_at += out_now;
        if (in_now == 0 && out_now == 0)
            break; /* wants more of either, and there is none */
    } while (!LZ4F_isError(hint) && hint != 0);
    LZ4F_freeDecompressionContext(context);
    if (LZ4F_isError(hint))
        return entry_err(err, f, e->index, e->offset,
                         "its LZ4 frame is corrupt near byte %llu of %llu (%s)",
                         (unsigned long long)in_at, (unsigned long long)e->payload_bytes,
                         LZ4F_getErrorName(hint));
    if (hint != 0 || out_at != e->image_bytes)
        return entry_err(err, f, e->index, e->offset,
                         "its LZ4 frame %s after %llu bytes, expected exactly %llu",
                         hint == 0 ? "ends" : "is not at its end", (unsigned long long)out_at,
                         (unsigned long long)e->image_bytes);
    return true;
}

static bool decode_zstd(const struct fatbin *f, const struct fatbin_entry *e, u8 *out,
                        struct err *err)
{
    size_t n = ZSTD_decompress(out, e->image_bytes, e->payload, e->payload_bytes);
    if (ZSTD_isError(n))
        return entry_err(err, f, e->index, e->offset,
                         "its zstd data does not decompress to %llu bytes (%s)",
                         (unsigned long long)e->image_bytes, ZSTD_getErrorName(n));
    if (n != e->image_bytes)
        return entry_err(err, f, e->index, e->offset,
                         "its zstd data decompresses to %zu bytes, expected %llu", n,
                         (unsigned long long)e->image_bytes);
    return true;
}

/* More than this cannot come out, whatever the stream says: a byte of LZ4 yields at most 255, a
 * zstd block takes 4 bytes or more and yields up to 128 KiB. Checked before memory is taken. */
static u64 most_bytes(const struct fatbin_entry *e)
{
    switch (e->coding) {
    case FATBIN_LZ4:
        return e->payload_bytes * 255;
    case FATBIN_ZSTD:
        return (e->payload_bytes / 4 + 1) * (128 * 1024);
    case FATBIN_PLAIN:
        break;
    }
    return e->payload_bytes;
}

/* As the first sequence of a block, a frame's magic number would copy from before the start; the
 * two cannot be confused. fatbinary takes frames for images too large for its block mode. */
static bool is_lz4_frame(const struct fatbin_entry *e)
{
    return e->payload_bytes >= 4 && load_u32(e->payload) == LZ4F_MAGICNUMBER;
}

bool fatbin_decode(const struct fatbin *f, const struct fatbin_entry *e, struct fatbin_image *image,
                   struct arena *arena, struct err *err)
{
    *image = (struct fatbin_image){0};
    if (e->kind != FATBIN_PTX && e->kind != FATBIN_ELF)
        return entry_err(err, f, e->index, e->offset,
                         "it is of kind %u (%s), expected PTX (1) or ELF (2)", e->kind,
                         fatbin_kind_name(e->kind));
    if (e->image_bytes > most_bytes(e) || e->payload_bytes > FATBIN_IMAGE_MAX_BYTES)
        return entry_err(err, f, e->index, e->offset,
                         "%llu compressed bytes cannot hold its image of %llu bytes",
                         (unsigned long long)e->payload_bytes, (unsigned long long)e->image_bytes);
    u8 *out = arena_alloc(arena, e->image_bytes + 1);
    bool ok = true;
    if (e->coding == FATBIN_ZSTD)
        ok = decode_zstd(f, e, out, err);
    else if (e->coding == FATBIN_PLAIN)
        memcpy(out, e->payload, e->image_bytes);
    else if (is_lz4_frame(e))
        ok = decode_lz4_frame(f, e, out, err);
    else
        ok = decode_lz4_block(f, e, out, err);
    if (!ok)
        return false;
    image->data = out;
    image->bytes = e->kind == FATBIN_PTX ? strlen((const char *)out) : e->image_bytes;
    return true;
}

static bool runs_on(const struct fatbin_entry *e, u32 arch)
{
    return e->arch_suffix ? e->arch == arch : e->arch <= arch;
}

static u32 suffix_rank(const struct fatbin_entry *e)
{
    return e->arch_suffix == 'a' ? 2 : e->arch_suffix == 'f' ? 1 : 0;
}

const struct fatbin_entry *fatbin_best(const struct fatbin *f, enum fatbin_kind kind, u32 arch)
{
    const struct fatbin_entry *best = NULL;
    for (u32 i = 0; i < f->entry_count; i++) {
        const struct fatbin_entry *e = &f->entries[i];
        if (e->kind != kind || !runs_on(e, arch))
            continue;
        if (!best || e->arch > best->arch ||
            (e->arch == best->arch && suffix_rank(e) > suffix_rank(best)))
            best = e;
    }
    return best;
}

static bool listed_before(const struct fatbin *f, u32 index)
{
    const struct fatbin_entry *e = &f->entries[index];
    for (u32 i = 0; i < index; i++) {
        const struct fatbin_entry *o = &f->entries[i];
        if (o->kind == e->kind && o->arch == e->arch && o->arch_suffix == e->arch_suffix)
            return true;
    }
    return false;
}

/* "sm_75, sm_80, sm_90a" of one kind; how many. */
static u32 list_archs(const struct fatbin *f, enum fatbin_kind kind, const char *prefix, char *out,
                      size_t size)
{
    u32 count = 0;
    size_t used = 0;
    out[0] = '\0';
    for (u32 i = 0; i < f->entry_count; i++) {
        const struct fatbin_entry *e = &f->entries[i];
        if (e->kind != kind || listed_before(f, i))
            continue;
        char one[32];
        snprintf(one, sizeof one, "%s%s%u%.1s", count ? ", " : "", prefix, e->arch,
                 &e->arch_suffix);
        count++;
        if (used + strlen(one) + sizeof ", ..." > size) {
            snprintf(out + used, size - used, ", ...");
            break;
        }
        used += (size_t)snprintf(out + used, size - used, "%s", one);
    }
    return count;
}

bool fatbin_choose_ptx(const struct fatbin *f, u32 arch, const struct fatbin_entry **out,
                       struct err *err)
{
    *out = fatbin_best(f, FATBIN_PTX, arch);
    if (*out)
        return true;
    char rebuild[96], ptx[LIST_BYTES], elf[LIST_BYTES], lto[LIST_BYTES];
    snprintf(rebuild, sizeof rebuild,
             "rebuild with nvcc -arch=sm_%u or -gencode arch=compute_%u,code=compute_%u", arch,
             arch, arch);
    u32 ptx_count = list_archs(f, FATBIN_PTX, "compute_", ptx, sizeof ptx);
    u32 elf_count = list_archs(f, FATBIN_ELF, "sm_", elf, sizeof elf);
    u32 lto_count = list_archs(f, FATBIN_LTO, "lto_", lto, sizeof lto);
    struct src_pos at = {.file = f->name};
    if (ptx_count > 0)
        return err_at(err, at, "the program's PTX is for %s, which sm_%u cannot run: %s", ptx, arch,
                      rebuild);
    if (elf_count + lto_count == 0)
        return err_at(err, at, "the program's fat binary holds no GPU code: %s", rebuild);
    return err_at(err, at, "the program has no PTX, only %s%s%s%s%s: %s",
                  elf_count ? "machine code for " : "", elf, elf_count && lto_count ? " and " : "",
                  lto_count ? "LTO code for " : "", lto, rebuild);
}

bool fatbin_wrapper_read(struct fatbin_wrapper *w, const void *wrapper, const char *name,
                         struct err *err)
{
    struct src_pos at = {.file = name};
    *w = (struct fatbin_wrapper){0};
    struct {
        u32 magic, version;
        const void *container;
        const void *more;
    } raw;
    _Static_assert(sizeof raw == WRAPPER_BYTES, "as the host compiler lays it out");
    memcpy(&raw, wrapper, sizeof raw);
    if (raw.magic != WRAPPER_MAGIC)
        return err_at(err, at,
                      "the magic number of the fat binary wrapper is 0x%08x, expected "
                      "0x%08x",
                      raw.magic, WRAPPER_MAGIC);
    if (raw.version != 1 && raw.version != 2)
        return err_at(err, at, "the fat binary wrapper has version %u, expected 1 or 2",
                      raw.version);
    if (!raw.container)
        return err_at(err, at, "the fat binary wrapper points to no container");
    w->version = raw.version;
    w->container = raw.container;
    /* In version 1 the last word is the name of a file that nobody needs. */
    if (raw.version == 1 || !raw.more)
        return true;
    w->prelinked = raw.more;
    while (w->prelinked[w->prelinked_count]) {
        if (++w->prelinked_count > PRELINKED_MAX)
            return err_at(err, at, "the fat binary wrapper lists more than %u linked objects",
                          PRELINKED_MAX);
    }
    return true;
}

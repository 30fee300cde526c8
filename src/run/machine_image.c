#include "run/machine_image.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Between programs and devices' memory (device/address_space.c), on x86-64 and AArch64. */
#define FROM 0x600000000000u
#define TO 0x6f0000000000u
#define PAGE_BYTES 4096u
#define PAGE_WORDS (PAGE_BYTES / sizeof(u64))
#define PIECE_BYTES (4u << 20)
#define PAGES_AT_ONCE 4096u

void image_place(struct arena *arena)
{
    arena_place(arena, FROM, TO);
}

/* ---- pages that have been touched ---- */

typedef void page_fn(void *context, u64 address);

/* Those of zeros as well, if somebody has looked at them. */
static void touched_pages(u64 start, u64 end, page_fn *page, void *context)
{
    static const u64 present = (u64)3 << 62; /* in memory, or swapped out */
    u64 *about = xrealloc(NULL, PAGES_AT_ONCE * sizeof *about);
    int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    for (u64 at = start; at < end; at += (u64)PAGES_AT_ONCE * PAGE_BYTES) {
        size_t count = (size_t)min_u64(PAGES_AT_ONCE, (end - at) / PAGE_BYTES);
        ssize_t got = file < 0 ? -1
                               : pread(file, about, count * sizeof *about,
                                       (off_t)(at / PAGE_BYTES * sizeof *about));
        for (size_t i = 0; i < count; i++) {
            if (got != (ssize_t)(count * sizeof *about) || about[i] & present)
                page(context, at + i * PAGE_BYTES);
        }
    }
    if (file >= 0)
        close(file);
    free(about);
}

/* ---- as it was built ---- */

static void keep_page(void *context, u64 address)
{
    struct machine_image *m = context;
    const u8 *from = (const u8 *)(uintptr_t)address;
    if (from[0] || memcmp(from, from + 1, PAGE_BYTES - 1) != 0)
        memcpy(m->built + (address - m->start), from, PAGE_BYTES);
}

void image_begin(struct machine_image *m, struct arena *arena, const struct image_part *parts,
                 u32 count, bool keeps)
{
    *m = (struct machine_image){
        .arena = arena, .part_count = count, .start = FROM, .built_end = arena->next};
    for (u32 i = 0; i < count; i++)
        m->parts[i] = parts[i];
    if (!keeps)
        return;
    m->built = arena_alloc_sparse(&m->copies, (size_t)(m->built_end - m->start));
    for (u32 i = 0; i < count; i++)
        m->built_parts[i] =
            memcpy(arena_alloc(&m->copies, parts[i].bytes), parts[i].at, parts[i].bytes);
    touched_pages(m->start, m->built_end, keep_page, m);
}

/* ---- pointers to elsewhere ----
 *
 * Those to heddle's own code and constants, such as the text of a note, are written as distances
 * from where it was loaded: a number would have to be one of a few million out of 2^64 to be taken
 * for one. Others are what blocks that have ended have left behind, and nothing may follow them.
 * Where assertions are on they are written as an address that nobody has, so that every test with
 * a checkpoint is a test of that.
 */

/* Where heddle was loaded: as a program or as a library. */
struct own_code {
    u64 from, to;
};

static int look_at_object(struct dl_phdr_info *about, size_t bytes, void *context)
{
    struct own_code *c = context, found = {UINT64_MAX, 0};
    u64 here = (u64)(uintptr_t)look_at_object;
    (void)bytes;
    for (u32 i = 0; i < about->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &about->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        found.from = min_u64(found.from, about->dlpi_addr + p->p_vaddr);
        found.to = max_u64(found.to, about->dlpi_addr + p->p_vaddr + p->p_memsz);
    }
    if (here < found.from || here >= found.to)
        return 0;
    *c = found;
    return 1;
}

static struct own_code own_code_find(void)
{
    struct own_code c = {0};
    dl_iterate_phdr(look_at_object, &c);
    return c;
}

static bool own_code_has(const struct own_code *c, u64 word)
{
    return word >= c->from && word < c->to;
}

#ifndef NDEBUG
#define MOST_RANGES 1024u
#define NOWHERE 0x0badull

struct elsewhere {
    u64 from[MOST_RANGES], to[MOST_RANGES];
    u32 count;
};

/* The heap, the program and its libraries. */
static void elsewhere_find(struct elsewhere *e)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    unsigned long long from, to;
    e->count = 0;
    while (maps && e->count < MOST_RANGES && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%llx-%llx", &from, &to) != 2 || !strpbrk(line, "/["))
            continue;
        e->from[e->count] = from;
        e->to[e->count++] = to;
    }
    if (maps)
        fclose(maps);
}

static bool elsewhere_has(const struct elsewhere *e, u64 word)
{
    u32 i = 0;
    while (i < e->count && (word < e->from[i] || word >= e->to[i]))
        i++;
    return i < e->count;
}
#endif

/* ---- saving ---- */

struct image_output {
    const struct machine_image *m;
    struct container_writer *file;
    struct image_places *places;
    struct bytes piece;
    struct own_code code;
#ifndef NDEBUG
    struct elsewhere elsewhere;
#endif
};

static void end_piece(struct image_output *o)
{
    if (!o->piece.length)
        return;
    struct image_places *p = o->places;
    p->pieces = xrealloc(p->pieces, (p->count + 1) * sizeof *p->pieces);
    p->pieces[p->count++] = container_put(o->file, &o->piece);
    o->piece.length = 0;
}

/* What a word is. */
enum word_kind { WORD_SAME, WORD_NUMBER, WORD_CODE };

static enum word_kind kind_of(const struct image_output *o, u64 now, u64 built)
{
    return now == built ? WORD_SAME : own_code_has(&o->code, now) ? WORD_CODE : WORD_NUMBER;
}

static u64 word_to_write(const struct image_output *o, u64 word, enum word_kind kind)
{
    if (kind == WORD_CODE)
        return word - o->code.from;
#ifndef NDEBUG
    if (elsewhere_has(&o->elsewhere, word))
        return NOWHERE;
#endif
    return word;
}

/* Words of a region (0: the arena, else a part) that are not what they were, in runs of one kind;
 * `number`: of the first. */
static void put_words(struct image_output *o, u32 region, u64 number, const u64 *now,
                      const u64 *built, size_t count)
{
    for (size_t i = 0, end; i < count; i = end) {
        enum word_kind kind = kind_of(o, now[i], built[i]);
        for (end = i + 1; end < count && kind_of(o, now[end], built[end]) == kind;)
            end++;
        if (kind == WORD_SAME)
            continue;
        put_varint(&o->piece, 2 * region + (kind == WORD_CODE));
        put_varint(&o->piece, number + i);
        put_varint(&o->piece, end - i);
        for (size_t k = i; k < end; k++) {
            u64 word = word_to_write(o, now[k], kind);
            put_raw(&o->piece, &word, sizeof word);
        }
    }
    if (o->piece.length >= PIECE_BYTES)
        end_piece(o);
}

static void put_page(void *context, u64 address)
{
    static const u64 zeros[PAGE_WORDS];
    struct image_output *o = context;
    const struct machine_image *m = o->m;
    const u64 *now = (const u64 *)(uintptr_t)address;
    u64 offset = address - m->start;
    const u64 *built =
        address < m->built_end ? (const u64 *)(const void *)(m->built + offset) : zeros;
    put_words(o, 0, offset / sizeof *now, now, built, PAGE_WORDS);
}

void image_write(const struct machine_image *m, struct container_writer *w,
                 struct image_places *places)
{
    *places = (struct image_places){.built_end = m->built_end, .end = m->arena->next};
    struct image_output o = {.m = m, .file = w, .places = places, .code = own_code_find()};
#ifndef NDEBUG
    elsewhere_find(&o.elsewhere);
#endif
    touched_pages(m->start, places->end, put_page, &o);
    for (u32 i = 0; i < m->part_count; i++)
        put_words(&o, i + 1, 0, m->parts[i].at, m->built_parts[i], m->parts[i].bytes / sizeof(u64));
    end_piece(&o);
    free(o.piece.data);
}

/* ---- resuming ---- */

static bool damaged(const struct container *c, struct err *err)
{
    return err_at(err, (struct src_pos){c->path, 0, 0},
                  "the checkpoint's state of the machine is damaged");
}

static bool take_words(struct machine_image *m, const struct container *c,
                       const struct own_code *code, struct cursor *in, struct err *err)
{
    u32 head = take_u32(in), region = head / 2;
    u64 number = take_varint(in), count = take_varint(in), words;
    if (in->is_short || region > m->part_count || count > cursor_left(in) / sizeof(u64))
        return damaged(c, err);
    u8 *to = region ? m->parts[region - 1].at : (u8 *)(uintptr_t)m->start;
    words = (region ? m->parts[region - 1].bytes : m->arena->next - m->start) / sizeof(u64);
    if (number > words || count > words - number)
        return damaged(c, err);
    to += number * sizeof(u64);
    for (u64 i = 0; i < count; i++, to += sizeof(u64), in->at += sizeof(u64)) {
        u64 word;
        memcpy(&word, in->at, sizeof word);
        word += head % 2 ? code->from : 0;
        memcpy(to, &word, sizeof word);
    }
    return true;
}

bool image_read(struct machine_image *m, struct container *c, const struct image_places *places,
                struct err *err)
{
    struct own_code code = own_code_find();
    bool ok = true;
    if (m->arena->next != places->built_end)
        return err_at(err, (struct src_pos){c->path, 0, 0},
                      "the checkpoint's machine differs from this run's: another chip or another "
                      "build of heddle");
    if (!arena_extend(m->arena, places->end))
        return err_at(err, (struct src_pos){c->path, 0, 0},
                      "the addresses of the checkpoint's machine are not free in this process");
    for (u32 i = 0; ok && i < places->count; i++) {
        const struct container_place *p = &places->pieces[i];
        u8 *raw = container_unpack_new(c, p, "a piece of the machine's state", err);
        struct cursor in = {raw, raw ? raw + p->raw_bytes : NULL, false};
        ok = raw != NULL;
        while (ok && cursor_left(&in))
            ok = take_words(m, c, &code, &in, err);
        free(raw);
    }
    return ok;
}

void image_fini(struct machine_image *m)
{
    arena_fini(&m->copies);
    *m = (struct machine_image){0};
}

#include "record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CONFORM_NO_ZSTD
#include <zstd.h>
#endif

static const char magic[] = "heddle-conformance 1\n";
enum { LOOK_BACK = 48 };

struct entry_head {
    u8 status, back;
    u16 name_length;
    u32 bytes;
    u64 input_hash;
};

void record_add(struct record *r, struct record_entry entry)
{
    if (r->count == r->room) {
        u32 room = r->room ? r->room * 2 : 1024;
        struct record_entry *grown = arena_alloc(&r->arena, room * sizeof *grown);
        if (r->count)
            memcpy(grown, r->entries, r->count * sizeof *grown);
        r->entries = grown;
        r->room = room;
    }
    entry.name = arena_copy(&r->arena, entry.name, strlen(entry.name));
    entry.data = (const u8 *)arena_copy(&r->arena, (const char *)entry.data, entry.bytes);
    r->entries[r->count++] = entry;
}

/* Linear from where the last search ended would do; a few thousand entries need no more. */
const struct record_entry *record_find(const struct record *r, const char *name)
{
    for (u32 i = 0; i < r->count; i++) {
        if (!strcmp(r->entries[i].name, name))
            return &r->entries[i];
    }
    return NULL;
}

static u32 bytes_that_differ(const struct record_entry *a, const struct record_entry *b)
{
    u32 n = 0;
    for (u32 i = 0; i < a->bytes; i++)
        n += a->data[i] != b->data[i];
    return n;
}

/* The earlier entry this one is most like, as a distance; 0 when none comes near. */
static u8 predictor(const struct record *r, u32 at)
{
    const struct record_entry *e = &r->entries[at];
    u8 best = 0;
    u32 least = e->bytes * 3 / 4;
    for (u32 back = 1; back <= LOOK_BACK && back <= at; back++) {
        const struct record_entry *b = e - back;
        if (b->status != RECORD_RESULT || e->status != RECORD_RESULT || b->bytes != e->bytes)
            continue;
        u32 n = bytes_that_differ(e, b);
        if (n < least) {
            least = n;
            best = (u8)back;
        }
    }
    return best;
}

static void entry_write(struct text *t, const struct record *r, u32 at)
{
    const struct record_entry *e = &r->entries[at];
    struct entry_head head = {.status = (u8)e->status,
                              .back = predictor(r, at),
                              .name_length = (u16)strlen(e->name),
                              .bytes = e->bytes,
                              .input_hash = e->input_hash};
    text_append(t, (const char *)&head, sizeof head);
    text_append(t, e->name, head.name_length);
    size_t start = t->length;
    text_append(t, (const char *)e->data, e->bytes);
    for (u32 i = 0; head.back && i < e->bytes; i++)
        t->data[start + i] = (char)(e->data[i] ^ (e - head.back)->data[i]);
}

/* Replaces the text by its compressed form. */
static bool text_compress(struct text *t, char *why, size_t why_bytes)
{
#ifdef CONFORM_NO_ZSTD
    (void)t;
    snprintf(why, why_bytes, "built without zstd: use --raw");
    return false;
#else
    struct text packed = {0};
    packed.room = ZSTD_compressBound(t->length);
    packed.data = malloc(packed.room);
    size_t n = packed.data ? ZSTD_compress(packed.data, packed.room, t->data, t->length, 19) : 0;
    if (!packed.data || ZSTD_isError(n)) {
        free(packed.data);
        snprintf(why, why_bytes, "zstd cannot compress");
        return false;
    }
    packed.length = n;
    text_fini(t);
    *t = packed;
    return true;
#endif
}

static char *bytes_expand(char *packed, size_t *bytes, char *why, size_t why_bytes)
{
#ifdef CONFORM_NO_ZSTD
    (void)bytes;
    free(packed);
    snprintf(why, why_bytes, "is compressed, but this program is built without zstd");
    return NULL;
#else
    unsigned long long size = ZSTD_getFrameContentSize(packed, *bytes);
    char *plain = size < (1ull << 30) ? malloc(size + 1) : NULL;
    size_t n = plain ? ZSTD_decompress(plain, size, packed, *bytes) : 0;
    free(packed);
    if (!plain || ZSTD_isError(n)) {
        free(plain);
        snprintf(why, why_bytes, "is damaged: zstd cannot expand it");
        return NULL;
    }
    plain[n] = 0;
    *bytes = n;
    return plain;
#endif
}

bool record_write(const struct record *r, const char *path, bool compress, char *why,
                  size_t why_bytes)
{
    struct text t = {0};
    text_add(&t, "%s%s\n", magic, r->header);
    for (u32 i = 0; i < r->count; i++)
        entry_write(&t, r, i);
    bool ok = !compress || text_compress(&t, why, why_bytes);
    FILE *f = ok ? fopen(path, "wb") : NULL;
    if (ok && (!f || fwrite(t.data, 1, t.length, f) != t.length)) {
        snprintf(why, why_bytes, "%s: %s", path, strerror(errno));
        ok = false;
    }
    if (f && fclose(f) != 0)
        ok = false;
    text_fini(&t);
    return ok;
}

static bool entries_read(struct record *r, const char *data, size_t bytes, size_t at)
{
    while (at < bytes) {
        struct entry_head head;
        if (bytes - at < sizeof head)
            return false;
        memcpy(&head, data + at, sizeof head);
        at += sizeof head;
        if (bytes - at < (size_t)head.name_length + head.bytes || head.back > r->count ||
            head.status > RECORD_FAULT)
            return false;
        const char *name = arena_copy(&r->arena, data + at, head.name_length);
        u8 *outputs = (u8 *)arena_copy(&r->arena, data + at + head.name_length, head.bytes);
        at += (size_t)head.name_length + head.bytes;
        if (head.back) {
            const struct record_entry *b = &r->entries[r->count - head.back];
            if (b->bytes != head.bytes)
                return false;
            for (u32 i = 0; i < head.bytes; i++)
                outputs[i] ^= b->data[i];
        }
        record_add(r, (struct record_entry){.name = name,
                                            .status = head.status,
                                            .input_hash = head.input_hash,
                                            .data = outputs,
                                            .bytes = head.bytes});
    }
    return true;
}

bool record_read(struct record *r, const char *path, char *why, size_t why_bytes)
{
    size_t bytes = 0, at;
    char reason[128] = "";
    char *data = file_read(path, &bytes);
    if (!data) {
        snprintf(why, why_bytes, "%s: %s", path, strerror(errno));
        return false;
    }
    if (bytes > 4 && !memcmp(data, "\x28\xb5\x2f\xfd", 4))
        data = bytes_expand(data, &bytes, reason, sizeof reason);
    bool ok = data && !strncmp(data, magic, sizeof magic - 1);
    char *end = ok ? strstr(data, "\n\n") : NULL;
    ok = end != NULL;
    if (ok) {
        const char *start = data + sizeof magic - 1;
        r->header = arena_copy(&r->arena, start, (size_t)(end + 1 - start));
        at = (size_t)(end + 2 - data);
        ok = entries_read(r, data, bytes, at);
    }
    if (!ok)
        snprintf(why, why_bytes, "%s %s", path,
                 reason[0] ? reason : "is not a recorded result, or is cut short");
    free(data);
    return ok;
}

void record_fini(struct record *r)
{
    arena_fini(&r->arena);
    *r = (struct record){0};
}

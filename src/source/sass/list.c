#include "source/sass/list.h"

#include "source/sass/scan.h"
#include "source/sass/text.h"

#include <stdlib.h>
#include <string.h>

struct list_reader {
    struct trace_command *commands;
    u32 count, room;
    struct arena *arena;
    struct err *err;
};

static const char copy_word[] = "MemcpyHtoD,";

static struct trace_command *add(struct list_reader *r)
{
    if (r->count == r->room) {
        r->room = r->room ? r->room * 2 : 64;
        r->commands = xrealloc(r->commands, r->room * sizeof *r->commands);
    }
    struct trace_command *c = &r->commands[r->count++];
    *c = (struct trace_command){0};
    return c;
}

/* MemcpyHtoD,0x00007f3a8b200000,4096 */
static bool read_copy(struct list_reader *r, const struct scan *s, struct slice word)
{
    const char *end = word.start + word.length, *address = word.start + strlen(copy_word);
    const char *comma = memchr(address, ',', (size_t)(end - address));
    u64 at;
    i64 bytes;
    if (!comma || !slice_hex((struct slice){address, (size_t)(comma - address)}, &at) ||
        !slice_decimal((struct slice){comma + 1, (size_t)(end - comma - 1)}, &bytes) || bytes < 0)
        return scan_refuse(s, word, "a copy", "MemcpyHtoD,0xADDRESS,BYTES", r->err);
    struct trace_command *c = add(r);
    c->kind = TRACE_COPY;
    c->address = at;
    c->bytes = (u64)bytes;
    c->at = scan_pos(s, word.start);
    return true;
}

static void read_kernel(struct list_reader *r, const struct scan *s, struct slice word)
{
    const char *slash = strrchr(s->file, '/');
    int folder = slash ? (int)(slash - s->file) + 1 : 0;
    struct trace_command *c = add(r);
    c->kind = TRACE_KERNEL;
    c->path = arena_printf(r->arena, "%.*s%.*s", folder, s->file, (int)min_u64(word.length, 4096),
                           word.start);
    c->at = scan_pos(s, word.start);
}

static bool read_line(struct list_reader *r, struct scan *s)
{
    struct slice word = scan_word(s);
    if (word.length == 0)
        return true;
    if (word.length >= strlen(copy_word) && memcmp(word.start, copy_word, strlen(copy_word)) == 0)
        return read_copy(r, s, word);
    if (word.length >= 6 && memcmp(word.start, "kernel", 6) == 0) {
        read_kernel(r, s, word);
        return true;
    }
    return scan_refuse(s, word, "a command", "MemcpyHtoD,0xADDRESS,BYTES or a kernel's file name",
                       r->err);
}

bool trace_list_read_text(struct trace_list *list, const char *path, const char *text,
                          size_t length, struct arena *arena, struct err *err)
{
    struct list_reader r = {.arena = arena, .err = err};
    struct scan s = {.file = arena_strdup(arena, path), .at = text};
    bool ok = true;
    while (ok && scan_next_line(&s, text + length))
        ok = read_line(&r, &s);
    *list = (struct trace_list){0};
    if (ok) {
        list->commands = ARENA_ARRAY(arena, struct trace_command, r.count);
        if (r.count)
            memcpy(list->commands, r.commands, r.count * sizeof *r.commands);
        list->count = r.count;
    }
    free(r.commands);
    return ok;
}

bool trace_list_read(struct trace_list *list, const char *path, struct arena *arena,
                     struct err *err)
{
    struct trace_text text;
    *list = (struct trace_list){0};
    if (!trace_text_open(&text, path, err))
        return false;
    bool ok = trace_list_read_text(list, path, text.data, text.length, arena, err);
    trace_text_close(&text);
    return ok;
}

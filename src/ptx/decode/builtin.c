#include "ptx/decode/builtin.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define LONGEST_STRING 4096

static const u8 *argument_bytes(struct warp *w, const struct call *c, u32 i, u32 lane)
{
    const struct transfer *t = &c->arguments[i];
    if (t->is_register)
        return (const u8 *)ref_get(w, t->from) + (size_t)lane * t->bytes;
    return w->local + (size_t)lane * w->local_room + w->paths[w->current].stack + t->from;
}

static u64 argument(struct warp *w, const struct call *c, u32 i, u32 lane)
{
    u64 v = 0;
    u32 bytes = c->arguments[i].bytes;
    memcpy(&v, argument_bytes(w, c, i, lane), bytes < 8 ? bytes : 8);
    return v;
}

static void result(struct warp *w, const struct call *c, u32 lane, u64 value)
{
    if (c->result_count == 0)
        return;
    const struct transfer *t = &c->results[0];
    u32 bytes = t->bytes < 8 ? t->bytes : 8;
    if (t->is_register)
        memcpy((u8 *)ref_get(w, t->to) + (size_t)lane * t->bytes, &value, bytes);
    else
        memcpy(w->local + (size_t)lane * w->local_room + w->paths[w->current].stack + t->to, &value,
               bytes);
}

/* Bytes at a generic address of one lane, as far as they may be read; NULL: none. */
static u8 *readable(struct warp *w, u32 lane, u64 address, u64 *bytes)
{
    struct grid *g = w->grid;
    if (address - LOCAL_WINDOW < WINDOW_BYTES) {
        u64 at = address - LOCAL_WINDOW;
        *bytes = at < w->local_room ? w->local_room - at : 0;
        return *bytes ? w->local + (size_t)lane * w->local_room + at : NULL;
    }
    if (address - SHARED_WINDOW < WINDOW_BYTES) {
        u64 at = address - SHARED_WINDOW;
        *bytes = at < g->shared_room ? g->shared_room - at : 0;
        return *bytes ? w->block->shared + at : NULL;
    }
    const struct allocation *n = memory_find(g->memory, address);
    *bytes = n ? n->start + n->bytes - address : 0;
    return n ? (u8 *)(uintptr_t)address : NULL;
}

static bool read_string(struct warp *w, u32 lane, u64 address, char *out)
{
    u64 room;
    const u8 *s = readable(w, lane, address, &room);
    size_t n = 0;
    while (s && n < room && n + 1 < LONGEST_STRING && s[n]) {
        out[n] = (char)s[n];
        n++;
    }
    out[n] = '\0';
    return s != NULL;
}

/* One conversion of a format: its text, and how many bytes its argument takes. */
struct conversion {
    char spec[48];
    u32 stars;
    char kind; /* d, u, f, s, c, p, % */
    u8 bytes;
};

#define WIDEST 4096

/* Digits or a star; more digits than a sensible number has are left to be seen as text. */
static const char *read_width(const char *f, struct conversion *c, size_t *n)
{
    if (*f == '*') {
        c->stars++;
        c->spec[(*n)++] = *f++;
        return f;
    }
    for (u32 i = 0; i < 3 && *f >= '0' && *f <= '9'; i++)
        c->spec[(*n)++] = *f++;
    return f;
}

static const char *read_conversion(const char *f, struct conversion *c)
{
    size_t n = 0;
    *c = (struct conversion){.bytes = 4};
    c->spec[n++] = *f++;
    while (*f && strchr("-+ #0", *f) && n < 8)
        c->spec[n++] = *f++;
    f = read_width(f, c, &n);
    if (*f == '.') {
        c->spec[n++] = *f++;
        f = read_width(f, c, &n);
    }
    bool wide = false;
    while (*f && strchr("hlLqjzt", *f)) {
        wide |= strchr("lLqjzt", *f) != NULL;
        f++;
    }
    c->kind = *f ? *f++ : '%';
    if (strchr("diouxX", c->kind)) {
        c->bytes = wide ? 8 : 4;
        if (wide) {
            c->spec[n++] = 'l';
            c->spec[n++] = 'l';
        }
    } else if (strchr("aAeEfFgGsp", c->kind)) {
        c->bytes = 8;
    }
    c->spec[n++] = c->kind;
    c->spec[n] = '\0';
    return f;
}

/* Arguments lie at their natural alignment in the buffer. */
static bool next_argument(const u8 *buffer, u64 room, u64 *at, u8 bytes, u64 *value)
{
    *at = (*at + bytes - 1) & ~(u64)(bytes - 1);
    *value = 0;
    if (!buffer || *at + bytes > room)
        return false;
    memcpy(value, buffer + *at, bytes);
    if (bytes == 4)
        *value = (u64)(i64)(i32)*value;
    *at += bytes;
    return true;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void convert(struct warp *w, u32 lane, const struct conversion *c, const int *star, u64 v,
                    struct text *out)
{
    char string[LONGEST_STRING];
    double d;
    memcpy(&d, &v, sizeof d);
#define PRINT(x)                                                                                   \
    (c->stars == 0   ? text_printf(out, c->spec, x)                                                \
     : c->stars == 1 ? text_printf(out, c->spec, star[0], x)                                       \
                     : text_printf(out, c->spec, star[0], star[1], x))
    if (c->kind == 's') {
        if (!read_string(w, lane, v, string))
            strcpy(string, "(null)");
        PRINT(string);
    } else if (c->kind == 'c') {
        PRINT((int)v);
    } else if (c->kind == 'p') {
        PRINT((void *)(uintptr_t)v);
    } else if (strchr("aAeEfFgG", c->kind)) {
        PRINT(d);
    } else if (c->bytes == 8) {
        PRINT((unsigned long long)v);
    } else {
        PRINT((int)v);
    }
#undef PRINT
}
#pragma GCC diagnostic pop

static u64 print_lane(struct warp *w, const struct call *c, u32 lane)
{
    char format[LONGEST_STRING];
    u64 room = 0, at = 0, buffer_at = argument(w, c, 1, lane);
    if (!read_string(w, lane, argument(w, c, 0, lane), format))
        return (u64)-1;
    const u8 *buffer = buffer_at ? readable(w, lane, buffer_at, &room) : NULL;
    struct text out = {0};
    u64 count = 0;
    for (const char *f = format; *f;) {
        struct conversion conv;
        if (*f != '%') {
            text_append(&out, f++, 1);
            continue;
        }
        f = read_conversion(f, &conv);
        if (conv.kind == '%' || !strchr("diouxXaAeEfFgGspc", conv.kind)) {
            text_append(&out, "%", 1);
            continue;
        }
        int star[2] = {0, 0};
        u64 v;
        for (u32 i = 0; i < conv.stars && i < 2; i++) {
            next_argument(buffer, room, &at, 4, &v);
            star[i] = (i64)v > WIDEST ? WIDEST : (i64)v < -WIDEST ? -WIDEST : (int)v;
        }
        if (next_argument(buffer, room, &at, conv.bytes, &v)) {
            convert(w, lane, &conv, star, v, &out);
            count++;
        }
    }
    const struct launch_host *h = w->grid->launch->host;
    if (h && h->print && out.data)
        h->print(h->context, out.data, out.length);
    text_fini(&out);
    return count;
}

struct assertion {
    char message[LONGEST_STRING], file[LONGEST_STRING], function[LONGEST_STRING];
    u32 line;
};

static void read_assertion(struct warp *w, const struct call *c, u32 lane, struct assertion *a)
{
    a->line = (u32)argument(w, c, 2, lane);
    read_string(w, lane, argument(w, c, 0, lane), a->message);
    read_string(w, lane, argument(w, c, 1, lane), a->file);
    read_string(w, lane, argument(w, c, 3, lane), a->function);
}

/* One line for each thread, as the driver has it. */
static void print_assertion(struct warp *w, const struct call *c, u32 lane)
{
    struct assertion a;
    const struct launch_host *h = w->grid->launch->host;
    const struct block *b = w->block;
    const u32 *size = w->grid->launch->block;
    u32 thread = w->index * LANES + lane;
    if (!h || !h->assert_failed)
        return;
    read_assertion(w, c, lane, &a);
    struct text out = {0};
    text_printf(&out, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                a.file, a.line, a.function, b->id[0], b->id[1], b->id[2], thread % size[0],
                thread / size[0] % size[1], thread / size[0] / size[1], a.message);
    h->assert_failed(h->context, out.data, out.length);
    text_fini(&out);
}

static void *runtime_at(const struct device_call *call, u64 address, u64 bytes)
{
    u64 room = 0;
    u8 *at = readable(call->warp, call->lane, address, &room);
    return at && bytes <= room ? at : NULL;
}

static u64 runtime_lane(struct warp *w, const struct call *c, u32 lane)
{
    const struct launch_host *h = w->grid->launch->host;
    struct device_call call = {.number = c->runtime,
                               .block = w->block->linear_id,
                               .at = runtime_at,
                               .warp = w,
                               .lane = lane};
    for (u32 i = 0; i < c->argument_count; i++)
        call.argument[i] = argument_bytes(w, c, i, lane);
    h->runtime(h->context, &call);
    return call.result;
}

/* Of the host, for all SMs. */
static void call_host(struct warp *w, const struct op *op, u32 mask, u8 *const *where)
{
    (void)where;
    const struct call *c = op->extra;
    const struct launch_host *h = w->grid->launch->host;
    executor_set_fp(w->on, 0);
    w->block->had_effects = true;
    EACH (lane, mask) {
        u64 r = 0;
        switch (c->builtin) {
        case BUILTIN_PRINTF:
            r = print_lane(w, c, lane);
            break;
        case BUILTIN_MALLOC:
            r = h && h->heap_alloc ? h->heap_alloc(h->context, argument(w, c, 0, lane)) : 0;
            break;
        case BUILTIN_FREE:
            if (h && h->heap_free)
                h->heap_free(h->context, argument(w, c, 0, lane));
            break;
        case BUILTIN_ASSERT:
            print_assertion(w, c, lane);
            continue;
        case BUILTIN_RUNTIME:
            r = runtime_lane(w, c, lane);
            break;
        case BUILTIN_NONE:
            break;
        }
        result(w, c, lane, r);
    }
}

/* Faults that are known before the host is called: the kernel ends with them. */
static void find_fault(struct warp *w, const struct op *op, const struct call *c, u32 lane)
{
    const struct launch_host *h = w->grid->launch->host;
    struct assertion a;
    if (c->builtin == BUILTIN_ASSERT) {
        read_assertion(w, c, lane, &a);
        warp_fault(w, op, FAULT_ASSERT, lane, "assertion `%.100s` failed at %.100s:%u in %.60s",
                   a.message, a.file, a.line, a.function);
    } else if (c->builtin == BUILTIN_RUNTIME && (!h || !h->runtime)) {
        warp_fault(w, op, FAULT_INSTRUCTION, lane, "there is no device runtime here");
    }
}

void builtin_run(struct warp *w, const struct op *op, const struct call *c, u32 mask)
{
    find_fault(w, op, c, (u32)__builtin_ctz(mask));
    if (c->builtin == BUILTIN_RUNTIME && w->on->fault != FAULT_NONE)
        return;
    if (w->on->log)
        executor_put_off(w, op, mask, NULL, call_host);
    else
        call_host(w, op, mask, NULL);
}

/*
 * The homes of a run's pages as a file, so that other runs can have the same:
 *
 *     heddle homes 1
 *     sockets 4
 *     page_bytes 65536
 *     pages 2
 *     700000000000 2
 *     700000010000 0
 *     end
 *
 * A line for each page, in order: its first address (hexadecimal) and its socket.
 */
#include "base/file.h"
#include "mem/page_placement.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "heddle homes 1"

static int by_number(const void *a, const void *b)
{
    u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return x < y ? -1 : x > y;
}

bool home_write(const struct home *h, const char *path, struct err *err)
{
    struct text out = {0};
    u64 *pages = calloc(h->page_count + 1, sizeof *pages);
    u32 count = 0;
    for (u64 i = 0; pages && i <= h->page_mask; i++) {
        if (h->pages[i].number)
            pages[count++] = h->pages[i].number;
    }
    if (!pages || !count) {
        free(pages);
        return err_at(err, (struct src_pos){0},
                      "sockets.write_homes: home policy %s gave no page away, expected first_touch "
                      "or file, and a program that uses memory",
                      h->ops->name);
    }
    qsort(pages, count, sizeof *pages, by_number);
    text_printf(&out, FIRST_LINE "\nsockets %u\npage_bytes %u\npages %u\n", h->sockets,
                h->page_bytes, count);
    for (u32 i = 0; i < count; i++)
        text_printf(&out, "%" PRIx64 " %u\n", ((pages[i] >> 8) - 1) * h->page_bytes,
                    (u32)(pages[i] & 0xff));
    text_printf(&out, "end\n");
    bool ok = file_write(path, &out, err);
    text_fini(&out);
    free(pages);
    return ok;
}

struct reader {
    FILE *in;
    const char *path;
    u32 line;
    char text[128];
    struct err *err;
};

static bool damaged(const struct reader *r, const char *expected)
{
    if (!*r->text)
        return err_at(r->err, (struct src_pos){r->path, r->line, 1},
                      "the file of homes ends here, expected %s", expected);
    return err_at(r->err, (struct src_pos){r->path, r->line, 1},
                  "found '%s' in a file of homes, expected %s", r->text, expected);
}

/* The next line, without its end; false: there is none. */
static bool next_line(struct reader *r)
{
    r->line++;
    if (!fgets(r->text, sizeof r->text, r->in)) {
        *r->text = 0;
        return false;
    }
    r->text[strcspn(r->text, "\n")] = 0;
    return true;
}

/* A line such as `sockets 4`. */
static bool read_number(struct reader *r, const char *name, u64 *out)
{
    char expected[64], *end;
    size_t length = strlen(name);
    snprintf(expected, sizeof expected, "`%s NUMBER`", name);
    if (!next_line(r) || strncmp(r->text, name, length) != 0 || r->text[length] != ' ')
        return damaged(r, expected);
    *out = strtoull(r->text + length + 1, &end, 10);
    return (end > r->text + length + 1 && !*end) || damaged(r, expected);
}

static bool same(const struct reader *r, const char *name, u64 found, u64 expected)
{
    return found == expected ||
           err_at(r->err, (struct src_pos){r->path, r->line, 1},
                  "the homes are of a run with %s %llu, expected %llu as this chip has it", name,
                  (unsigned long long)found, (unsigned long long)expected);
}

static bool read_page(struct reader *r, const struct home *h, struct map *out)
{
    static const char expected[] = "a page's address and its socket";
    char *end;
    u64 known;
    if (!next_line(r))
        return damaged(r, expected);
    u64 address = strtoull(r->text, &end, 16);
    if (end == r->text || *end != ' ' || address % h->page_bytes)
        return damaged(r, expected);
    char *number = end + 1;
    u64 socket = strtoull(number, &end, 10);
    if (end == number || *end || socket >= h->sockets)
        return damaged(r, expected);
    if (map_get(out, address / h->page_bytes, &known))
        return damaged(r, "each page once");
    map_put(out, address / h->page_bytes, socket);
    return true;
}

static bool read_all(struct reader *r, const struct home *h, struct map *out)
{
    u64 sockets, page_bytes, pages;
    if (!next_line(r) || strcmp(r->text, FIRST_LINE) != 0)
        return damaged(r, "`" FIRST_LINE "`");
    if (!read_number(r, "sockets", &sockets) || !same(r, "sockets.count", sockets, h->sockets) ||
        !read_number(r, "page_bytes", &page_bytes) ||
        !same(r, "sockets.page_bytes", page_bytes, h->page_bytes) ||
        !read_number(r, "pages", &pages))
        return false;
    for (u64 i = 0; i < pages; i++) {
        if (!read_page(r, h, out))
            return false;
    }
    if (!next_line(r) || strcmp(r->text, "end") != 0)
        return damaged(r, "`end`");
    return true;
}

bool home_read(const struct home *h, const char *path, struct map *out, struct err *err)
{
    struct reader r = {.in = fopen(path, "r"), .path = path, .err = err};
    if (!r.in)
        return err_at(err, (struct src_pos){path, 0, 0}, "cannot read the file of homes: %s",
                      strerror(errno));
    bool ok = read_all(&r, h, out);
    fclose(r.in);
    return ok;
}

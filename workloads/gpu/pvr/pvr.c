/*
 * Host of pvr: views per page of a web log, ranked (see pvr.cu for its memory behaviour and use).
 *
 * Whole numbers and bytes; both sorts break ties by place, so every array has one right answer.
 * Compared exactly: the grouped index of all lines, the bytes of the pages and their views after
 * the reduction, and the ranked index.
 */
#include "mapreduce.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 256
#define MOST_LINE_BYTES 80
#define LETTERS 26
#define NAMES (LETTERS * LETTERS * LETTERS * LETTERS)
#define SPREAD 123457 /* has no factor in common with NAMES: four letters name one page */

struct log {
    u8 *text;
    u32 *line_at; /* lines */
    u32 lines, bytes;
};

/* A page for the sort on the CPU. */
struct view {
    const u8 *page;
    struct record record;
    u32 views;
};

static u32 append(char *to, struct random r, u64 page)
{
    u32 name = (u32)(page * SPREAD % NAMES), bytes = 0;
    to[bytes++] = '/';
    for (u32 i = 0; i < 4; i++, name /= LETTERS)
        to[bytes++] = (char)('a' + name % LETTERS);
    to[bytes++] = '/';
    for (u32 rest = 2 + random_below(r, page, 7); rest > 0; rest--)
        to[bytes++] = (char)('a' + random_below(r, page * 8 + rest, LETTERS));
    return bytes;
}

/* The cube of a uniform number: one page in a hundred gets a fifth of the views. */
static void log_init(struct log *log, struct host *h, u32 lines, u32 pages)
{
    struct random pick = random_stream(h->seed, "views"), name = random_stream(h->seed, "names");
    struct random visitor = random_stream(h->seed, "visitors");
    log->text = HOST_ARRAY(h, u8, (size_t)lines * MOST_LINE_BYTES);
    log->line_at = HOST_ARRAY(h, u32, lines);
    log->lines = lines;
    log->bytes = 0;
    for (u32 i = 0; i < lines; i++) {
        double u = random_unit(pick, i);
        char line[MOST_LINE_BYTES];
        u32 bytes = append(line, name, (u64)(u * u * u * pages));
        u32 address = (u32)random_u64(visitor, i);
        bytes += (u32)snprintf(line + bytes, sizeof line - bytes, "\t%u.%u.%u.%u\tagent/%u\n",
                               address >> 24, address >> 16 & 255, address >> 8 & 255,
                               address & 255, address % 97);
        log->line_at[i] = log->bytes;
        memcpy(log->text + log->bytes, line, bytes);
        log->bytes += bytes;
    }
}

static int compare_pages(const void *left, const void *right)
{
    const struct view *a = left, *b = right;
    u32 x = a->record.key_bytes, y = b->record.key_bytes;
    int order = memcmp(a->page, b->page, x < y ? x : y);
    if (order != 0)
        return order;
    if (x != y)
        return x < y ? -1 : 1;
    return a->record.key < b->record.key ? -1 : 1;
}

static int compare_views(const void *left, const void *right)
{
    const struct view *a = left, *b = right;
    if (a->views != b->views)
        return a->views > b->views ? -1 : 1;
    return a->record.key < b->record.key ? -1 : 1;
}

static bool same_page(const struct view *a, const struct view *b)
{
    return a->record.key_bytes == b->record.key_bytes &&
           memcmp(a->page, b->page, a->record.key_bytes) == 0;
}

static void check_records(struct host *h, const char *array, CUdeviceptr got,
                          const struct view *expected, u32 count)
{
    struct record *records = HOST_ARRAY(h, struct record, count);
    for (u32 i = 0; i < count; i++)
        records[i] = expected[i].record;
    mapreduce_check_records(h, array, got, records, count);
}

static void check(struct host *h, const struct log *log, const struct emission *mapped,
                  const struct emission *reduced)
{
    struct view *views = HOST_ARRAY(h, struct view, log->lines), *pages = views;
    u32 key = 0, groups = 0;
    for (u32 i = 0; i < log->lines; i++) {
        const u8 *page = log->text + log->line_at[i];
        u32 bytes = (u32)((const u8 *)memchr(page, '\t', MOST_LINE_BYTES) - page);
        views[i] = (struct view){page, {key, bytes, i * 4, 4}, 1};
        key += bytes;
    }
    qsort(views, log->lines, sizeof *views, compare_pages);
    check_records(h, "grouped", mapped->device.records, views, log->lines);

    for (u32 i = 0; i < log->lines; i++) { /* in place: groups never run ahead of lines */
        if (groups > 0 && same_page(&pages[groups - 1], &views[i]))
            pages[groups - 1].views++;
        else
            pages[groups++] = views[i];
    }
    if (reduced->records != groups)
        host_fail(h, "%u groups were found, expected %u", reduced->records, groups);
    u32 *counts = HOST_ARRAY(h, u32, groups);
    u8 *names = HOST_ARRAY(h, u8, reduced->key_bytes);
    key = 0;
    for (u32 i = 0; i < groups; i++) {
        struct view *v = &pages[i];
        if (key + v->record.key_bytes > reduced->key_bytes)
            host_fail(h, "%u bytes of pages were placed, expected more", reduced->key_bytes);
        memcpy(names + key, v->page, v->record.key_bytes);
        counts[i] = v->views;
        v->record = (struct record){key, v->record.key_bytes, i * 4, 4};
        key += v->record.key_bytes;
    }
    mapreduce_check_bytes(h, "pages", reduced->device.keys, names, reduced->key_bytes);
    mapreduce_check_u32(h, "views", reduced->device.values, counts, groups);
    qsort(pages, groups, sizeof *pages, compare_views);
    check_records(h, "ranked", reduced->device.records, pages, groups);
}

static const struct host_choice choices[] = {
    {"lines", "of the log", .sizes = {1000, 20480, 1000000}},
    {"pages", "that the log may name", .sizes = {200, 8000, 300000}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "pvr", choices, argc, argv);
    struct log log;
    log_init(&log, &h, host_measure(&h, "lines"), host_measure(&h, "pages"));
    CUdeviceptr text = host_upload(&h, log.text, log.bytes);
    CUdeviceptr line_at = host_upload(&h, log.line_at, log.lines * sizeof(u32));

    struct emission mapped = emission_create(&h, log.lines);
    struct dim grid = DIM1(blocks_for(log.lines, BLOCK)), block = DIM1(BLOCK);
    host_launch(&h, host_kernel(&h, "pvr_map_count"), grid, block, 0,
                ARGS(&text, &line_at, &mapped.device, &log.lines));
    emission_place(&h, &mapped);
    if (mapped.records != log.lines)
        host_fail(&h, "%u records were placed, expected %u", mapped.records, log.lines);
    host_launch(&h, host_kernel(&h, "pvr_map"), grid, block, 0,
                ARGS(&text, &line_at, &mapped.device, &log.lines));
    struct emission_arrays *m = &mapped.device;
    mapreduce_sort(&h, "pvr_group_step", m->records, m->keys, mapped.records);

    struct grouping g = mapreduce_group(&h, &mapped);
    struct emission reduced = emission_create(&h, g.groups);
    grid = DIM1(blocks_for(g.groups, BLOCK));
    host_launch(&h, host_kernel(&h, "pvr_reduce_count"), grid, block, 0,
                ARGS(&m->records, &g.at, &reduced.device, &g.groups));
    emission_place(&h, &reduced);
    host_launch(&h, host_kernel(&h, "pvr_reduce"), grid, block, 0,
                ARGS(&m->records, &m->keys, &m->values, &g.at, &reduced.device, &mapped.records,
                     &g.groups));
    mapreduce_sort(&h, "pvr_rank_step", reduced.device.records, reduced.device.values,
                   reduced.records);
    check(&h, &log, &mapped, &reduced);
    return host_finish(&h);
}

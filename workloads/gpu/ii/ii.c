/*
 * Host of ii: which documents have which link (see ii.cu for its memory behaviour and use).
 *
 * Whole numbers and bytes; the sort keeps equal links in the order of the documents, so every array
 * has one right answer. Compared exactly: the grouped index, and after the reduction the bytes of
 * the links, the lists of documents and the index.
 */
#include "mapreduce.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 256
#define LETTERS 26
#define NAMES (LETTERS * LETTERS * LETTERS)
#define SPREAD 4567 /* has no factor in common with NAMES: three letters name one page */
#define MOST_LINK_BYTES 32

static const char link_begin[] = "<a href=\"", link_end[] = "\">";

struct documents {
    u8 *text;
    u32 *at;   /* count + 1 */
    u32 count; /* every second one has a link */
};

/* A link for the sort on the CPU. */
struct link {
    const u8 *name;
    struct record record;
    u32 document;
};

static u32 append(u8 *to, const char *text)
{
    u32 length = 0;
    for (; text[length]; length++)
        to[length] = (u8)text[length];
    return length;
}

static u32 append_link(u8 *to, struct random r, u32 page)
{
    u32 name = (u32)((u64)page * SPREAD % NAMES), bytes = append(to, link_begin);
    for (u32 i = 0; i < 3; i++, name /= LETTERS)
        to[bytes++] = (u8)('a' + name % LETTERS);
    to[bytes++] = '.';
    for (u32 rest = 4 + random_below(r, page, 9); rest > 0; rest--)
        to[bytes++] = (u8)('a' + random_below(r, page * 16 + rest, LETTERS));
    return bytes + append(to + bytes, link_end);
}

/* Words of small letters and other tags, some 3/4 to 5/4 of `bytes`; a link somewhere inside. */
static void documents_init(struct documents *d, struct host *h, u32 count, u32 bytes, u32 pages)
{
    struct random length = random_stream(h->seed, "lengths"), word = random_stream(h->seed, "text");
    struct random page = random_stream(h->seed, "pages"), name = random_stream(h->seed, "names");
    d->text = HOST_ARRAY(h, u8, (size_t)count * (bytes + bytes / 2 + MOST_LINK_BYTES));
    d->at = HOST_ARRAY(h, u32, count + 1);
    d->count = count;
    u32 at = 0;
    for (u32 i = 0; i < count; i++) {
        u32 end = at + bytes * 3 / 4 + random_below(length, i, bytes / 2);
        u32 link_at = i % 2 == 0 ? at + random_below(page, 2 * (u64)i, end - at) : end;
        d->at[i] = at;
        while (at < end) {
            if (at >= link_at) {
                at += append_link(d->text + at, name, random_below(page, 2 * (u64)i + 1, pages));
                link_at = end;
            }
            u32 draw = random_below(word, at, 40);
            if (draw == 39)
                at += append(d->text + at, "<p>");
            else
                d->text[at++] = draw < LETTERS ? (u8)('a' + draw) : ' ';
        }
    }
    d->at[count] = at;
}

static int compare_links(const void *left, const void *right)
{
    const struct link *a = left, *b = right;
    u32 x = a->record.key_bytes, y = b->record.key_bytes;
    int order = memcmp(a->name, b->name, x < y ? x : y);
    if (order != 0)
        return order;
    if (x != y)
        return x < y ? -1 : 1;
    return a->record.key < b->record.key ? -1 : 1;
}

static bool same_link(const struct link *a, const struct link *b)
{
    return a->record.key_bytes == b->record.key_bytes &&
           memcmp(a->name, b->name, a->record.key_bytes) == 0;
}

/* In the order of the map's records; returns how many. */
static u32 find_links(const struct documents *d, struct link *links)
{
    u32 count = 0, key = 0;
    for (u32 i = 0; i < d->count; i++) {
        const u8 *at = d->text + d->at[i], *end = d->text + d->at[i + 1];
        while ((at = memmem(at, (size_t)(end - at), link_begin, sizeof link_begin - 1))) {
            at += sizeof link_begin - 1;
            u32 bytes = (u32)((const u8 *)memchr(at, '"', (size_t)(end - at)) - at);
            links[count] = (struct link){at, {key, bytes, count * 4, 4}, i};
            count++;
            key += bytes;
        }
    }
    return count;
}

static void check(struct host *h, const struct documents *d, const struct emission *mapped,
                  const struct emission *reduced)
{
    struct link *links = HOST_ARRAY(h, struct link, d->count);
    u32 count = find_links(d, links), groups = 0, key = 0;
    if (mapped->records != count || reduced->value_bytes != count * sizeof(u32))
        host_fail(h, "%u links were found, expected %u", mapped->records, count);
    qsort(links, count, sizeof *links, compare_links);

    struct record *grouped = HOST_ARRAY(h, struct record, count);
    struct record *lists = HOST_ARRAY(h, struct record, count);
    u8 *names = HOST_ARRAY(h, u8, (size_t)count * MOST_LINK_BYTES);
    u32 *members = HOST_ARRAY(h, u32, count);
    for (u32 i = 0; i < count; i++) {
        struct record r = links[i].record;
        grouped[i] = r;
        members[i] = links[i].document;
        if (i == 0 || !same_link(&links[i - 1], &links[i])) {
            lists[groups++] = (struct record){key, r.key_bytes, i * 4, 0};
            memcpy(names + key, links[i].name, r.key_bytes);
            key += r.key_bytes;
        }
        lists[groups - 1].value_bytes += 4;
    }
    if (reduced->records != groups || reduced->key_bytes != key)
        host_fail(h, "%u groups were found, expected %u", reduced->records, groups);
    mapreduce_check_records(h, "grouped", mapped->device.records, grouped, count);
    mapreduce_check_bytes(h, "links", reduced->device.keys, names, key);
    mapreduce_check_u32(h, "documents", reduced->device.values, members, count);
    mapreduce_check_records(h, "lists", reduced->device.records, lists, groups);
}

static const struct host_choice choices[] = {
    {"documents", "to index", .sizes = {512, 16384, 500000}},
    {"bytes", "of a document, about", .sizes = {100, 160, 1000}},
    {"links", "that documents may have", .sizes = {40, 2000, 17000}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "ii", choices, argc, argv);
    struct documents d;
    documents_init(&d, &h, host_measure(&h, "documents"), host_measure(&h, "bytes"),
                   host_measure(&h, "links"));
    CUdeviceptr text = host_upload(&h, d.text, d.at[d.count]);
    CUdeviceptr document_at = host_upload(&h, d.at, ((size_t)d.count + 1) * sizeof(u32));

    struct emission mapped = emission_create(&h, d.count);
    struct dim grid = DIM1(blocks_for(d.count, BLOCK)), block = DIM1(BLOCK);
    host_launch(&h, host_kernel(&h, "ii_map_count"), grid, block, 0,
                ARGS(&text, &document_at, &mapped.device, &d.count));
    emission_place(&h, &mapped);
    host_launch(&h, host_kernel(&h, "ii_map"), grid, block, 0,
                ARGS(&text, &document_at, &mapped.device, &d.count));
    struct emission_arrays *m = &mapped.device;
    mapreduce_sort(&h, "ii_group_step", m->records, m->keys, mapped.records);

    struct grouping g = mapreduce_group(&h, &mapped);
    struct emission reduced = emission_create(&h, g.groups);
    grid = DIM1(blocks_for(g.groups, BLOCK));
    host_launch(&h, host_kernel(&h, "ii_reduce_count"), grid, block, 0,
                ARGS(&m->records, &g.at, &reduced.device, &mapped.records, &g.groups));
    emission_place(&h, &reduced);
    host_launch(&h, host_kernel(&h, "ii_reduce"), grid, block, 0,
                ARGS(&m->records, &m->keys, &m->values, &g.at, &reduced.device, &mapped.records,
                     &g.groups));
    check(&h, &d, &mapped, &reduced);
    return host_finish(&h);
}

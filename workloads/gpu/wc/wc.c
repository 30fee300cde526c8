/*
 * Host of wc: how often which word occurs (see wc.cu for its memory behaviour and use).
 *
 * Whole numbers and bytes; the sort keeps equal words in the order of the text, so every array has
 * one right answer. Compared exactly: the grouped index, and after the reduction the words, their
 * counts and the index.
 */
#include "mapreduce.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 256
#define STRETCH 32 /* bytes of text per task */
#define MOST_WORD 12

struct word {
    const u8 *text;
    struct record record;
};

/* Words of 2 to 12 letters from a vocabulary, the first ones more often, and a space after each; a
 * space at the end. */
static u8 *make_text(struct host *h, u32 bytes, u32 vocabulary)
{
    struct random pick = random_stream(h->seed, "words"),
                  letter = random_stream(h->seed, "letters");
    u8 *text = HOST_ARRAY(h, u8, bytes + MOST_WORD + 1);
    u32 at = 0;
    for (u64 n = 0; at + MOST_WORD + 1 < bytes; n++) {
        u32 a = random_below(pick, 2 * n, vocabulary),
            b = random_below(pick, 2 * n + 1, vocabulary);
        u32 word = a < b ? a : b, length = 2 + word * 7 % (MOST_WORD - 1);
        for (u32 i = 0; i < length; i++)
            text[at++] = (u8)('a' + random_below(letter, (u64)word * MOST_WORD + i, 26));
        text[at++] = ' ';
    }
    memset(text + at, ' ', bytes + 1 - at);
    return text;
}

/* In the order of the text; returns how many. */
static u32 find_words(const u8 *text, u32 bytes, struct word *words)
{
    u32 count = 0, key = 0;
    for (u32 at = 0; at < bytes;) {
        u32 length = 0;
        while (text[at + length] >= 'a' && text[at + length] <= 'z')
            length++;
        if (length > 0) {
            words[count] = (struct word){text + at, {key, length, count * 4, 4}};
            count++;
            key += length;
        }
        at += length + 1;
    }
    return count;
}

static int compare_words(const void *left, const void *right)
{
    const struct word *a = left, *b = right;
    u32 x = a->record.key_bytes, y = b->record.key_bytes;
    int order = memcmp(a->text, b->text, x < y ? x : y);
    if (order != 0)
        return order;
    if (x != y)
        return x < y ? -1 : 1;
    return a->record.key < b->record.key ? -1 : 1;
}

static bool same_word(const struct word *a, const struct word *b)
{
    return a->record.key_bytes == b->record.key_bytes &&
           memcmp(a->text, b->text, a->record.key_bytes) == 0;
}

static void check(struct host *h, const u8 *text, u32 bytes, const struct emission *mapped,
                  const struct emission *reduced)
{
    struct word *words = HOST_ARRAY(h, struct word, bytes);
    u32 count = find_words(text, bytes, words), groups = 0, key = 0;
    if (mapped->records != count)
        host_fail(h, "%u words were found, expected %u", mapped->records, count);
    qsort(words, count, sizeof *words, compare_words);
    struct record *grouped = HOST_ARRAY(h, struct record, count);
    struct record *sums = HOST_ARRAY(h, struct record, count);
    u8 *names = HOST_ARRAY(h, u8, bytes);
    u32 *numbers = HOST_ARRAY(h, u32, count);
    for (u32 i = 0; i < count; i++) {
        struct record r = words[i].record;
        grouped[i] = r;
        if (i == 0 || !same_word(&words[i - 1], &words[i])) {
            sums[groups] = (struct record){key, r.key_bytes, groups * 4, 4};
            groups++;
            memcpy(names + key, words[i].text, r.key_bytes);
            key += r.key_bytes;
        }
        numbers[groups - 1]++;
    }
    if (reduced->records != groups || reduced->key_bytes != key)
        host_fail(h, "%u different words were found, expected %u", reduced->records, groups);
    mapreduce_check_records(h, "grouped", mapped->device.records, grouped, count);
    mapreduce_check_bytes(h, "words", reduced->device.keys, names, key);
    mapreduce_check_u32(h, "counts", reduced->device.values, numbers, groups);
    mapreduce_check_records(h, "index", reduced->device.records, sums, groups);
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "wc", NULL, argc, argv);
    u32 bytes = host_pick(&h, 4096, 98304, 1048576), stretch = STRETCH;
    u32 tasks = blocks_for(bytes, STRETCH);
    u8 *text = make_text(&h, bytes, host_pick(&h, 100, 2000, 20000));
    CUdeviceptr device_text = host_upload(&h, text, bytes + 1);

    struct emission mapped = emission_create(&h, tasks);
    struct dim grid = DIM1(blocks_for(tasks, BLOCK)), block = DIM1(BLOCK);
    host_launch(&h, host_kernel(&h, "wc_map_count"), grid, block, 0,
                ARGS(&device_text, &mapped.device, &bytes, &stretch, &tasks));
    emission_place(&h, &mapped);
    host_launch(&h, host_kernel(&h, "wc_map"), grid, block, 0,
                ARGS(&device_text, &mapped.device, &bytes, &stretch, &tasks));
    struct emission_arrays *m = &mapped.device;
    mapreduce_sort(&h, "wc_group_step", m->records, m->keys, mapped.records);

    struct grouping g = mapreduce_group(&h, &mapped);
    struct emission reduced = emission_create(&h, g.groups);
    grid = DIM1(blocks_for(g.groups, BLOCK));
    host_launch(&h, host_kernel(&h, "wc_reduce_count"), grid, block, 0,
                ARGS(&m->records, &g.at, &reduced.device, &g.groups));
    emission_place(&h, &reduced);
    host_launch(&h, host_kernel(&h, "wc_reduce"), grid, block, 0,
                ARGS(&m->records, &m->keys, &m->values, &g.at, &reduced.device, &mapped.records,
                     &g.groups));
    check(&h, text, bytes, &mapped, &reduced);
    return host_finish(&h);
}

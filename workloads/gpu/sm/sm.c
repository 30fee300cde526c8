/*
 * Host of sm: all places of a keyword in a text (see sm.cu for its memory behaviour and use).
 *
 * Whole numbers: lines and places of all matches, and the index, are compared exactly.
 */
#include "mapreduce.h"
#include "random.h"

#include <string.h>

#define BLOCK 256
#define LINE_BYTES 64

/* Letters of a small alphabet, so that the keyword's beginning is common; the whole of it is put
 * into one line of eight, perhaps twice. */
static u8 *make_text(struct host *h, u32 lines, const char *keyword)
{
    struct random letter = random_stream(h->seed, "letters"),
                  place = random_stream(h->seed, "places");
    size_t bytes = strlen(keyword);
    u8 *text = HOST_ARRAY(h, u8, (size_t)lines * LINE_BYTES);
    for (size_t i = 0; i < (size_t)lines * LINE_BYTES; i++)
        text[i] = (u8)('a' + random_below(letter, i, 6));
    for (u32 line = 0; line < lines; line += 1 + random_below(place, line, 15)) {
        u32 room = LINE_BYTES - (u32)bytes;
        for (u32 n = 0; n < 1 + line % 2; n++) {
            u8 *to = text + (size_t)line * LINE_BYTES + random_below(place, 2ull * line + n, room);
            for (size_t i = 0; i < bytes; i++)
                to[i] = (u8)keyword[i];
        }
    }
    return text;
}

int main(int argc, char **argv)
{
    static const char keyword[] = "abcafade";
    struct host h;
    host_init(&h, "sm", NULL, argc, argv);
    u32 lines = host_pick(&h, 512, 16384, 1000000), bytes = sizeof keyword - 1;
    u32 line_bytes = LINE_BYTES;
    u8 *text = make_text(&h, lines, keyword);
    CUdeviceptr device_text = host_upload(&h, text, (size_t)lines * LINE_BYTES);
    CUdeviceptr device_keyword; /* constant memory */
    CU(&h, cuModuleGetGlobal, (&device_keyword, NULL, h.module, "keyword"));
    CU(&h, cuMemcpyHtoD, (device_keyword, keyword, bytes));

    struct emission matches = emission_create(&h, lines);
    struct dim grid = DIM1(blocks_for(lines, BLOCK)), block = DIM1(BLOCK);
    host_launch(&h, host_kernel(&h, "sm_map_count"), grid, block, 0,
                ARGS(&device_text, &matches.device, &line_bytes, &lines, &bytes));
    emission_place(&h, &matches);
    host_launch(&h, host_kernel(&h, "sm_map"), grid, block, 0,
                ARGS(&device_text, &matches.device, &line_bytes, &lines, &bytes));

    size_t room = (size_t)lines * LINE_BYTES;
    u32 *in_line = HOST_ARRAY(&h, u32, room), *at = HOST_ARRAY(&h, u32, room), count = 0;
    for (u32 i = 0; i < room; i++) {
        if (i % LINE_BYTES + bytes <= LINE_BYTES && memcmp(text + i, keyword, bytes) == 0) {
            in_line[count] = i / LINE_BYTES;
            at[count++] = i;
        }
    }
    if (matches.records != count)
        host_fail(&h, "%u matches were found, expected %u", matches.records, count);
    struct record *index = HOST_ARRAY(&h, struct record, count);
    for (u32 i = 0; i < count; i++)
        index[i] = (struct record){i * 4, 4, i * 4, 4};
    mapreduce_check_u32(&h, "lines", matches.device.keys, in_line, count);
    mapreduce_check_u32(&h, "places", matches.device.values, at, count);
    mapreduce_check_records(&h, "index", matches.device.records, index, count);
    return host_finish(&h);
}

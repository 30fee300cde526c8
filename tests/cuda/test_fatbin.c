#include "fatbin_image.h"

#include "base/arena.h"

/* "12345678" by hand, so that the sizes do not depend on a compressor's choices: one LZ4 sequence
 * of eight literals; an LZ4 frame and a zstd frame of one uncompressed block. */
#define EIGHT '1', '2', '3', '4', '5', '6', '7', '8'
static const u8 lz4_block[] = {0x80, EIGHT};
static const u8 lz4_frame[] = {0x04, 0x22, 0x4d, 0x18,  0x60, 0x40, 0x82, 8,
                               0,    0,    0x80, EIGHT, 0,    0,    0,    0};
static const u8 zstd_frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 8, 8 << 3 | 1, 0, 0, EIGHT};

/* An entry with a stream made by hand. */
static u8 *image_add_stream(struct image *c, u64 flags, const u8 *stream, size_t bytes)
{
    struct entry e = {
        .kind = FATBIN_PTX, .arch = 90, .flags = flags, .image = stream, .image_bytes = bytes};
    u8 *h = image_add(c, &e);
    put(h + 16, bytes, 4);
    put(h + 56, 8, 8);
    return h;
}

static void expect_read_fails(const struct image *c, const char *text)
{
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct fatbin f;
    assert_false(fatbin_read(&f, c->bytes, c->used, "app", &arena, &err));
    assert_int_equal(f.entry_count, 0);
    expect_err(&err, text);
    arena_fini(&arena);
}

static void expect_decode_fails(const struct image *c, const char *text)
{
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct fatbin f;
    struct fatbin_image image;
    assert_true(fatbin_read(&f, c->bytes, c->used, "app", &arena, &err));
    assert_false(fatbin_decode(&f, &f.entries[0], &image, &arena, &err));
    assert_null(image.data);
    /* Text of the library follows in some; it may change. */
    char line[1600];
    err_text(&err, line, sizeof line);
    line[strlen(text) < sizeof line ? strlen(text) : 0] = '\0';
    assert_string_equal(line, text);
    assert_int_equal(err.kind, ERR_INPUT);
    arena_fini(&arena);
}

TEST(every_compression_gives_back_the_same_text)
{
    UNUSED_STATE;
    static const enum fatbin_coding coding[] = {FATBIN_PLAIN, FATBIN_LZ4, FATBIN_LZ4, FATBIN_ZSTD};
    for (int pack = PACK_NONE; pack <= PACK_ZSTD; pack++) {
        struct image c;
        struct entry e = ptx_90;
        e.pack = (enum pack)pack;
        image_start(&c);
        image_add(&c, &e);
        struct arena arena = {0};
        struct err err = ERR_INIT;
        struct fatbin f;
        struct fatbin_image image;
        assert_true(fatbin_read(&f, c.bytes, c.used, "app", &arena, &err));
        assert_int_equal(f.entry_count, 1);
        assert_int_equal(f.entries[0].coding, coding[pack]);
        assert_true(fatbin_decode(&f, &f.entries[0], &image, &arena, &err));
        assert_string_equal((const char *)image.data, ptx_text);
        assert_int_equal(image.bytes, strlen(ptx_text));
        arena_fini(&arena);
    }
}

TEST(an_elf_image_keeps_its_zeros_and_its_size)
{
    UNUSED_STATE;
    static const u8 elf[40] = {0x7f, 'E', 'L', 'F', 0, 0, 1};
    for (int pack = PACK_NONE; pack <= PACK_ZSTD; pack++) {
        struct image c;
        image_start(&c);
        image_add(&c, &(struct entry){.kind = FATBIN_ELF,
                                      .arch = 90,
                                      .pack = (enum pack)pack,
                                      .image = elf,
                                      .image_bytes = sizeof elf});
        struct arena arena = {0};
        struct err err = ERR_INIT;
        struct fatbin f;
        struct fatbin_image image;
        assert_true(fatbin_read(&f, c.bytes, c.used, "app", &arena, &err));
        assert_true(fatbin_decode(&f, &f.entries[0], &image, &arena, &err));
        assert_int_equal(image.bytes, sizeof elf);
        assert_memory_equal(image.data, elf, sizeof elf);
        arena_fini(&arena);
    }
}

TEST(an_entry_tells_kind_arch_version_identifier_and_options)
{
    UNUSED_STATE;
    struct image c;
    struct entry e = ptx_90;
    e.flags = 0x100000;
    e.identifier = "src/add.cu";
    e.options = "-O1 --maxrregcount=32 ";
    image_start(&c);
    image_add(&c, &(struct entry){.kind = FATBIN_ELF, .arch = 75, .image = "x", .image_bytes = 1});
    image_add(&c, &e);
    image_add(&c, &(struct entry){.kind = 64, .arch = 100, .flags = 0x200000, .image = ""});
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct fatbin f;
    assert_true(fatbin_read(&f, c.bytes, c.used, "app", &arena, &err));
    assert_int_equal(f.entry_count, 3);
    assert_int_equal(f.bytes, c.used);
    assert_int_equal(f.entries[0].kind, FATBIN_ELF);
    assert_int_equal(f.entries[0].arch_suffix, 0);
    assert_string_equal(f.entries[0].identifier, "");
    assert_string_equal(f.entries[0].options, "");
    assert_int_equal(f.entries[1].kind, FATBIN_PTX);
    assert_int_equal(f.entries[1].index, 1);
    assert_int_equal(f.entries[1].offset, 16 + 64 + 8);
    assert_int_equal(f.entries[1].arch, 90);
    assert_int_equal(f.entries[1].arch_suffix, 'a');
    assert_int_equal(f.entries[1].flags, 0x100011);
    assert_int_equal(f.entries[1].version_major, 9);
    assert_int_equal(f.entries[1].version_minor, 0);
    assert_string_equal(f.entries[1].identifier, "src/add.cu");
    assert_string_equal(f.entries[1].options, "-O1 --maxrregcount=32 ");
    assert_string_equal(fatbin_kind_name(f.entries[2].kind), "unknown");
    assert_int_equal(f.entries[2].arch_suffix, 'f');
    arena_fini(&arena);
}

TEST(an_empty_container_has_no_entries)
{
    UNUSED_STATE;
    struct image c;
    image_start(&c);
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct fatbin f;
    assert_true(fatbin_read(&f, c.bytes, c.used, "app", &arena, &err));
    assert_int_equal(f.entry_count, 0);
    assert_int_equal(f.bytes, 16);
    arena_fini(&arena);
}

TEST(bytes_after_the_container_do_not_matter)
{
    UNUSED_STATE;
    struct image c;
    image_start(&c);
    image_add(&c, &ptx_90);
    memset(c.bytes + c.used, 0xff, 100);
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct fatbin f;
    assert_true(fatbin_read(&f, c.bytes, c.used + 100, "app", &arena, &err));
    assert_int_equal(f.entry_count, 1);
    assert_int_equal(f.bytes, c.used);
    assert_true(fatbin_read_mapped(&f, c.bytes, "app", &arena, &err));
    assert_int_equal(f.entry_count, 1);
    assert_int_equal(f.bytes, c.used);
    arena_fini(&arena);
}

/* Each length gets its own allocation, so that the address sanitizer sees one byte too far. */
TEST(a_container_cut_anywhere_is_an_error)
{
    UNUSED_STATE;
    struct image c;
    image_start(&c);
    for (int pack = PACK_NONE; pack <= PACK_ZSTD; pack++) {
        struct entry e = ptx_90;
        e.pack = (enum pack)pack;
        e.identifier = "a.cu";
        e.options = "-g";
        image_add(&c, &e);
    }
    for (size_t length = 0; length < c.used; length++) {
        u8 *cut = malloc(length ? length : 1);
        memcpy(cut, c.bytes, length);
        struct arena arena = {0};
        struct err err = ERR_INIT;
        struct fatbin f;
        assert_false(fatbin_read(&f, cut, length, "app", &arena, &err));
        assert_int_equal(err.kind, ERR_INPUT);
        arena_fini(&arena);
        free(cut);
    }
}

/* The same with a header that owns up to the shorter length: some prefixes are whole. */
TEST(a_container_cut_anywhere_with_its_size_adjusted_is_a_valid_prefix_or_an_error)
{
    UNUSED_STATE;
    struct image c;
    size_t ends[4], whole = 0;
    image_start(&c);
    for (int pack = PACK_NONE; pack <= PACK_ZSTD; pack++) {
        struct entry e = ptx_90;
        e.pack = (enum pack)pack;
        e.options = "-g";
        image_add(&c, &e);
        ends[pack] = c.used;
    }
    for (size_t length = CONTAINER_BYTES; length <= c.used; length++) {
        u8 *cut = malloc(length);
        memcpy(cut, c.bytes, length);
        put(cut + 8, length - CONTAINER_BYTES, 8);
        bool at_end = length == CONTAINER_BYTES;
        for (size_t i = 0; i < ARRAY_LEN(ends); i++)
            at_end |= length == ends[i];
        struct arena arena = {0};
        struct err err = ERR_INIT;
        struct fatbin f;
        bool ok = fatbin_read(&f, cut, length, "app", &arena, &err);
        assert_int_equal(ok, at_end);
        whole += ok;
        for (u32 i = 0; i < f.entry_count; i++) {
            struct fatbin_image image;
            assert_true(fatbin_decode(&f, &f.entries[i], &image, &arena, &err));
            assert_string_equal((const char *)image.data, ptx_text);
        }
        arena_fini(&arena);
        free(cut);
    }
    assert_int_equal(whole, 5);
}

TEST(a_compressed_payload_cut_anywhere_is_an_error)
{
    UNUSED_STATE;
    for (int pack = PACK_LZ4; pack <= PACK_ZSTD; pack++) {
        struct image c;
        struct entry e = ptx_90;
        e.pack = (enum pack)pack;
        image_start(&c);
        u8 *header = image_add(&c, &e);
        u32 stored = header[16];
        assert_int_equal(header[17], 0);
        for (u32 length = 1; length < stored; length++) {
            put(header + 16, length, 4);
            struct arena arena = {0};
            struct err err = ERR_INIT;
            struct fatbin f;
            struct fatbin_image image;
            assert_true(fatbin_read(&f, c.bytes, c.used, "app", &arena, &err));
            assert_false(fatbin_decode(&f, &f.entries[0], &image, &arena, &err));
            assert_int_equal(err.kind, ERR_INPUT);
            arena_fini(&arena);
        }
    }
}

TEST(any_one_byte_changed_gives_an_error_or_an_image)
{
    UNUSED_STATE;
    struct image c;
    image_start(&c);
    for (int pack = PACK_NONE; pack <= PACK_ZSTD; pack++) {
        struct entry e = ptx_90;
        e.pack = (enum pack)pack;
        e.identifier = "a.cu";
        e.options = "-g";
        image_add(&c, &e);
    }
    for (size_t at = 0; at < c.used; at++) {
        u8 *copy = malloc(c.used);
        memcpy(copy, c.bytes, c.used);
        copy[at] ^= 0xff;
        struct arena arena = {0};
        struct err err = ERR_INIT;
        struct fatbin f;
        if (!fatbin_read(&f, copy, c.used, "app", &arena, &err))
            assert_int_equal(err.kind, ERR_INPUT);
        for (u32 i = 0; i < f.entry_count; i++) {
            struct fatbin_image image;
            err = ERR_INIT;
            if (fatbin_decode(&f, &f.entries[i], &image, &arena, &err))
                assert_int_equal(image.data[image.bytes], 0);
            else
                assert_int_equal(err.kind, ERR_INPUT);
        }
        arena_fini(&arena);
        free(copy);
    }
}

TEST(container_errors_name_the_field)
{
    UNUSED_STATE;
    struct image c;
    image_start(&c);
    image_add(&c, &ptx_90);
    struct image bad = c;
    bad.bytes[0] = 0;
    expect_read_fails(
        &bad, "app: fat binary at byte 0: its magic number is 0xba55ed00, expected 0xba55ed50");
    bad = c;
    bad.used = 7;
    expect_read_fails(&bad,
                      "app: fat binary at byte 0: it ends after 7 bytes, inside its header of 16");
    bad = c;
    put(bad.bytes + 4, 2, 2);
    expect_read_fails(&bad, "app: fat binary at byte 0: its version is 2, expected 1");
    bad = c;
    put(bad.bytes + 6, 8, 2);
    expect_read_fails(&bad, "app: fat binary at byte 0: its header size is 8, expected 16 to 184");
    bad = c;
    put(bad.bytes + 8, UINT64_MAX, 8);
    expect_read_fails(&bad, "app: fat binary at byte 0: its entries take 18446744073709551615 "
                            "bytes, but only 168 follow the header");
    bad = c;
    bad.used += 8;
    put(bad.bytes + 8, 176, 8);
    expect_read_fails(&bad, "app: fat binary entry 1 at byte 184: the container ends inside its "
                            "header of 64 bytes");
}

TEST(a_mapped_container_with_an_absurd_size_is_refused)
{
    UNUSED_STATE;
    struct image c;
    image_start(&c);
    put(c.bytes + 8, (u64)1 << 40, 8);
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct fatbin f;
    assert_false(fatbin_read_mapped(&f, c.bytes, "app", &arena, &err));
    expect_err(&err, "app: fat binary at byte 0: its entries take 1099511627776 bytes, but only "
                     "4294967280 follow the header");
    arena_fini(&arena);
}

static void expect_field_fails(const struct entry *e, size_t at, u64 value, size_t bytes,
                               const char *text)
{
    struct image c;
    image_start(&c);
    u8 *header = image_add(&c, e);
    put(header + at, value, bytes);
    expect_read_fails(&c, text);
}

static void expect_packed_field_fails(size_t at, u64 value, size_t bytes, const char *text)
{
    struct image c;
    image_start(&c);
    u8 *header = image_add_stream(&c, 0x2000, lz4_block, sizeof lz4_block);
    put(header + at, value, bytes);
    expect_read_fails(&c, text);
}

/* The one entry takes 64 + 104 = 168 bytes; with identifier and options the header has 64 + 8 + 16.
 */
TEST(entry_errors_name_the_entry_the_byte_and_the_field)
{
    UNUSED_STATE;
    struct entry named = ptx_90;
    named.identifier = "a.cu";
    named.options = "-g";
#define AT "app: fat binary entry 0 at byte 16: "
    expect_field_fails(&ptx_90, 2, 0x0201, 2, AT "its version is 0x0201, expected 0x0101");
    expect_field_fails(&ptx_90, 4, 63, 4,
                       AT
                       "its header size is 63, expected 64 to the 168 bytes left in the container");
    expect_field_fails(
        &ptx_90, 4, UINT32_MAX, 4,
        AT "its header size is 4294967295, expected 64 to the 168 bytes left in the container");
    expect_field_fails(
        &ptx_90, 8, UINT64_MAX, 8,
        AT "its payload of 18446744073709551615 bytes runs out of the container, which has 104 "
           "left");
    expect_field_fails(&ptx_90, 16, 5, 4,
                       AT "compressed in an unknown way (flags 0x11), expected LZ4 or zstd");
    expect_packed_field_fails(16, 0, 4,
                              AT "its compressed size is 0, expected 1 to its payload size 16");
    expect_packed_field_fails(16, 17, 4,
                              AT "its compressed size is 17, expected 1 to its payload size 16");
    expect_packed_field_fails(40, 0xa011, 8, AT "its flags 0xa011 say both LZ4 and zstd");
    expect_packed_field_fails(
        56, ((u64)1 << 30) + 1, 8,
        AT "its image of 1073741825 bytes is implausible, expected at most 1073741824");
    expect_field_fails(&named, 20, 81, 4, AT "its options at 81 run out of its header of 88 bytes");
    expect_field_fails(&named, 76, 9, 4,
                       AT "its options string of 9 bytes at 80 runs out of its header of 88 bytes");
    expect_field_fails(
        &named, 36, UINT32_MAX, 4,
        AT "its identifier of 4294967295 bytes at 64 runs out of its header of 88 bytes");
#undef AT
}

TEST(too_many_entries_are_refused)
{
    UNUSED_STATE;
    size_t bytes = CONTAINER_BYTES + 5000 * HEADER_BYTES;
    u8 *data = calloc(1, bytes);
    put(data, 0xba55ed50, 4);
    put(data + 4, 1, 2);
    put(data + 6, CONTAINER_BYTES, 2);
    put(data + 8, bytes - CONTAINER_BYTES, 8);
    for (size_t at = CONTAINER_BYTES; at < bytes; at += HEADER_BYTES) {
        put(data + at + 2, 0x0101, 2);
        put(data + at + 4, HEADER_BYTES, 4);
    }
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct fatbin f;
    assert_false(fatbin_read(&f, data, bytes, "app", &arena, &err));
    expect_err(&err, "app: fat binary at byte 0: it has more than 4096 entries");
    arena_fini(&arena);
    free(data);
}

/* Decoding a stream under a header that claims this many bytes. */
static void expect_stream_fails(u64 flags, const u8 *stream, size_t bytes, u64 image_bytes,
                                const char *text)
{
    struct image c;
    image_start(&c);
    u8 *header = image_add_stream(&c, flags, stream, bytes);
    put(header + 56, image_bytes, 8);
    expect_decode_fails(&c, text);
}

TEST(streams_made_by_hand_are_decoded)
{
    UNUSED_STATE;
    struct image c;
    image_start(&c);
    image_add_stream(&c, 0x2000, lz4_block, sizeof lz4_block);
    image_add_stream(&c, 0x2000, lz4_frame, sizeof lz4_frame);
    image_add_stream(&c, 0x8000, zstd_frame, sizeof zstd_frame);
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct fatbin f;
    assert_true(fatbin_read(&f, c.bytes, c.used, "app", &arena, &err));
    assert_int_equal(f.entry_count, 3);
    for (u32 i = 0; i < 3; i++) {
        struct fatbin_image image;
        assert_true(fatbin_decode(&f, &f.entries[i], &image, &arena, &err));
        assert_string_equal((const char *)image.data, "12345678");
        assert_int_equal(image.bytes, 8);
    }
    arena_fini(&arena);
}

TEST(decoding_errors_name_the_entry_and_what_the_stream_held)
{
    UNUSED_STATE;
    u8 bad[32];
#define AT "app: fat binary entry 0 at byte 16: "
    expect_stream_fails(0x2000, lz4_block, sizeof lz4_block, 9,
                        AT "its LZ4 data decompresses to 8 bytes, expected 9");
    expect_stream_fails(0x2000, lz4_block, sizeof lz4_block, 7,
                        AT "its LZ4 data is corrupt near byte ");
    expect_stream_fails(0x2000, lz4_block, sizeof lz4_block, (u64)1 << 30,
                        AT "9 compressed bytes cannot hold its image of 1073741824 bytes");
    expect_stream_fails(0x2000, lz4_frame, sizeof lz4_frame, 9,
                        AT "its LZ4 frame ends after 8 bytes, expected exactly 9");
    expect_stream_fails(0x2000, lz4_frame, sizeof lz4_frame, 7,
                        AT "its LZ4 frame is not at its end after 7 bytes, expected exactly 7");
    expect_stream_fails(0x2000, lz4_frame, sizeof lz4_frame - 1, 8,
                        AT "its LZ4 frame is not at its end after 8 bytes, expected exactly 8");
    memcpy(bad, lz4_frame, sizeof lz4_frame);
    bad[4] = 0;
    expect_stream_fails(0x2000, bad, sizeof lz4_frame, 8, AT "its LZ4 frame is corrupt near byte ");
    expect_stream_fails(0x8000, zstd_frame, sizeof zstd_frame, 9,
                        AT "its zstd data decompresses to 8 bytes, expected 9");
    expect_stream_fails(0x8000, zstd_frame, sizeof zstd_frame, 7,
                        AT "its zstd data does not decompress to 7 bytes (");
    expect_stream_fails(0x8000, zstd_frame, sizeof zstd_frame, (u64)1 << 30,
                        AT "17 compressed bytes cannot hold its image of 1073741824 bytes");
    expect_stream_fails(0x8000, lz4_block, sizeof lz4_block, 8,
                        AT "its zstd data does not decompress to 8 bytes (");
    struct image c;
    image_start(&c);
    image_add(&c, &(struct entry){.kind = FATBIN_LTO, .arch = 90, .image = ""});
    expect_decode_fails(&c, AT "it is of kind 8 (LTO), expected PTX (1) or ELF (2)");
#undef AT
}

struct choice {
    u32 kind, arch;
    u64 flags;
};

/* The index of the best PTX, or -1 with the error in err. */
static int choose(const struct choice *entries, size_t count, u32 arch, struct err *err)
{
    struct image c;
    image_start(&c);
    for (size_t i = 0; i < count; i++)
        image_add(&c, &(struct entry){.kind = entries[i].kind,
                                      .arch = entries[i].arch,
                                      .flags = entries[i].flags,
                                      .image = ptx_text,
                                      .image_bytes = sizeof ptx_text});
    struct arena arena = {0};
    struct fatbin f;
    *err = ERR_INIT;
    assert_true(fatbin_read(&f, c.bytes, c.used, "app", &arena, err));
    const struct fatbin_entry *best;
    int index = fatbin_choose_ptx(&f, arch, &best, err) ? (int)best->index : -1;
    arena_fini(&arena);
    return index;
}

TEST(the_best_ptx_is_the_newest_the_chip_can_run)
{
    UNUSED_STATE;
    static const struct choice entries[] = {
        {FATBIN_ELF, 90, 0}, {FATBIN_PTX, 75, 0}, {FATBIN_PTX, 86, 0},
        {FATBIN_PTX, 80, 0}, {FATBIN_PTX, 90, 0}, {FATBIN_PTX, 100, 0},
    };
    struct err err;
    assert_int_equal(choose(entries, ARRAY_LEN(entries), 75, &err), 1);
    assert_int_equal(choose(entries, ARRAY_LEN(entries), 80, &err), 3);
    assert_int_equal(choose(entries, ARRAY_LEN(entries), 89, &err), 2);
    assert_int_equal(choose(entries, ARRAY_LEN(entries), 90, &err), 4);
    assert_int_equal(choose(entries, ARRAY_LEN(entries), 121, &err), 5);
    assert_int_equal(choose(entries, ARRAY_LEN(entries), 70, &err), -1);
}

TEST(ptx_for_one_architecture_or_family_counts_only_on_that_architecture)
{
    UNUSED_STATE;
    static const struct choice entries[] = {
        {FATBIN_PTX, 90, 0},
        {FATBIN_PTX, 90, 0x100000},
        {FATBIN_PTX, 100, 0x200000},
        {FATBIN_PTX, 100, 0x100000},
    };
    struct err err;
    assert_int_equal(choose(entries, ARRAY_LEN(entries), 90, &err), 1);
    assert_int_equal(choose(entries, ARRAY_LEN(entries), 100, &err), 3);
    assert_int_equal(choose(entries, 3, 100, &err), 2);
    assert_int_equal(choose(entries, ARRAY_LEN(entries), 103, &err), 0);
}

TEST(the_first_of_two_equal_entries_is_taken)
{
    UNUSED_STATE;
    static const struct choice entries[] = {{FATBIN_PTX, 75, 0}, {FATBIN_PTX, 75, 0}};
    struct err err;
    assert_int_equal(choose(entries, ARRAY_LEN(entries), 90, &err), 0);
}

TEST(machine_code_is_chosen_by_the_same_rule)
{
    UNUSED_STATE;
    struct image c;
    image_start(&c);
    static const u32 archs[] = {75, 90, 80};
    for (size_t i = 0; i < ARRAY_LEN(archs); i++)
        image_add(&c, &(struct entry){.kind = FATBIN_ELF, .arch = archs[i], .image = ""});
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct fatbin f;
    assert_true(fatbin_read(&f, c.bytes, c.used, "app", &arena, &err));
    assert_int_equal(fatbin_best(&f, FATBIN_ELF, 86)->arch, 80);
    assert_null(fatbin_best(&f, FATBIN_ELF, 70));
    assert_null(fatbin_best(&f, FATBIN_PTX, 90));
    arena_fini(&arena);
}

TEST(without_ptx_one_sentence_says_what_is_inside_and_how_to_rebuild)
{
    UNUSED_STATE;
#define REBUILD ": rebuild with nvcc -arch=sm_90 or -gencode arch=compute_90,code=compute_90"
    static const struct choice entries[] = {
        {FATBIN_ELF, 75, 0},        {FATBIN_ELF, 80, 0}, {FATBIN_ELF, 75, 0},
        {FATBIN_ELF, 90, 0x100000}, {FATBIN_LTO, 90, 0}, {FATBIN_PTX, 100, 0},
    };
    struct err err;
    assert_int_equal(choose(entries, 4, 90, &err), -1);
    expect_err(&err, "app: the program has no PTX, only machine code for sm_75, sm_80, "
                     "sm_90a" REBUILD);
    assert_int_equal(choose(entries, 5, 90, &err), -1);
    expect_err(&err, "app: the program has no PTX, only machine code for sm_75, sm_80, sm_90a and "
                     "LTO code for lto_90" REBUILD);
    assert_int_equal(choose(entries + 4, 1, 90, &err), -1);
    expect_err(&err, "app: the program has no PTX, only LTO code for lto_90" REBUILD);
    assert_int_equal(choose(entries, 6, 90, &err), -1);
    expect_err(&err, "app: the program's PTX is for compute_100, which sm_90 cannot run" REBUILD);
    assert_int_equal(choose(entries, 0, 90, &err), -1);
    expect_err(&err, "app: the program's fat binary holds no GPU code" REBUILD);
#undef REBUILD
}

TEST(a_long_list_of_architectures_is_cut)
{
    UNUSED_STATE;
    struct choice entries[30];
    for (u32 i = 0; i < 30; i++)
        entries[i] = (struct choice){FATBIN_ELF, 50 + i, 0};
    struct err err;
    assert_int_equal(choose(entries, 30, 90, &err), -1);
    char line[1600];
    err_text(&err, line, sizeof line);
    assert_non_null(strstr(line, "sm_50, sm_51, "));
    assert_non_null(strstr(line, ", ...: rebuild with nvcc -arch=sm_90"));
}

struct wrapper {
    u32 magic, version;
    const void *container, *more;
};

TEST(a_wrapper_of_version_1_has_one_container)
{
    UNUSED_STATE;
    struct image c;
    image_start(&c);
    struct wrapper raw = {0x466243b1, 1, c.bytes, "file.fatbin"};
    struct fatbin_wrapper w;
    struct err err = ERR_INIT;
    assert_true(fatbin_wrapper_read(&w, &raw, "app", &err));
    assert_ptr_equal(w.container, c.bytes);
    assert_int_equal(w.prelinked_count, 0);
}

TEST(a_wrapper_of_version_2_lists_the_containers_of_the_linked_objects)
{
    UNUSED_STATE;
    struct image linked, a, b;
    image_start(&linked);
    image_start(&a);
    image_start(&b);
    const void *objects[] = {a.bytes, b.bytes, NULL};
    struct wrapper raw = {0x466243b1, 2, linked.bytes, objects};
    struct fatbin_wrapper w;
    struct err err = ERR_INIT;
    assert_true(fatbin_wrapper_read(&w, &raw, "app", &err));
    assert_int_equal(w.version, 2);
    assert_ptr_equal(w.container, linked.bytes);
    assert_int_equal(w.prelinked_count, 2);
    assert_ptr_equal(w.prelinked[1], b.bytes);
    raw.more = NULL;
    assert_true(fatbin_wrapper_read(&w, &raw, "app", &err));
    assert_int_equal(w.prelinked_count, 0);
}

TEST(a_wrapper_that_is_none_is_refused)
{
    UNUSED_STATE;
    struct fatbin_wrapper w;
    struct wrapper raw = {0x12345678, 1, "", NULL};
    struct err err = ERR_INIT;
    assert_false(fatbin_wrapper_read(&w, &raw, "app", &err));
    expect_err(&err, "app: the magic number of the fat binary wrapper is 0x12345678, expected "
                     "0x466243b1");
    raw = (struct wrapper){0x466243b1, 3, "", NULL};
    err = ERR_INIT;
    assert_false(fatbin_wrapper_read(&w, &raw, "app", &err));
    expect_err(&err, "app: the fat binary wrapper has version 3, expected 1 or 2");
    raw = (struct wrapper){0x466243b1, 1, NULL, NULL};
    err = ERR_INIT;
    assert_false(fatbin_wrapper_read(&w, &raw, "app", &err));
    expect_err(&err, "app: the fat binary wrapper points to no container");
}

RUN_TESTS(T(every_compression_gives_back_the_same_text),
          T(an_elf_image_keeps_its_zeros_and_its_size),
          T(an_entry_tells_kind_arch_version_identifier_and_options),
          T(an_empty_container_has_no_entries), T(bytes_after_the_container_do_not_matter),
          T(a_container_cut_anywhere_is_an_error),
          T(a_container_cut_anywhere_with_its_size_adjusted_is_a_valid_prefix_or_an_error),
          T(a_compressed_payload_cut_anywhere_is_an_error),
          T(any_one_byte_changed_gives_an_error_or_an_image), T(container_errors_name_the_field),
          T(a_mapped_container_with_an_absurd_size_is_refused),
          T(entry_errors_name_the_entry_the_byte_and_the_field), T(too_many_entries_are_refused),
          T(streams_made_by_hand_are_decoded), T(streams_made_by_hand_are_decoded),
          T(decoding_errors_name_the_entry_and_what_the_stream_held),
          T(the_best_ptx_is_the_newest_the_chip_can_run),
          T(ptx_for_one_architecture_or_family_counts_only_on_that_architecture),
          T(the_first_of_two_equal_entries_is_taken), T(machine_code_is_chosen_by_the_same_rule),
          T(without_ptx_one_sentence_says_what_is_inside_and_how_to_rebuild),
          T(a_long_list_of_architectures_is_cut), T(a_wrapper_of_version_1_has_one_container),
          T(a_wrapper_of_version_2_lists_the_containers_of_the_linked_objects),
          T(a_wrapper_that_is_none_is_refused))

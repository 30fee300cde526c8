#include "fatbin_image.h"

#include "base/arena.h"

#define SECTION_AT 64
#define SECTION_NAMES "\0.nv_fatbin\0__nv_relfatbin\0.names"

/* A program with three sections: .nv_fatbin with `a`, __nv_relfatbin with `b`, the names. */
static size_t make_program(u8 *out, const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    static const u8 start[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    size_t b_at = SECTION_AT + pad8(a_bytes), names_at = b_at + pad8(b_bytes);
    size_t table_at = names_at + pad8(sizeof SECTION_NAMES), end = table_at + 4 * 64;
    memset(out, 0, end);
    memcpy(out, start, sizeof start);
    memcpy(out + SECTION_AT, a, a_bytes);
    memcpy(out + b_at, b, b_bytes);
    memcpy(out + names_at, SECTION_NAMES, sizeof SECTION_NAMES);
    put(out + 40, table_at, 8);
    put(out + 58, 64, 2);
    put(out + 60, 4, 2);
    put(out + 62, 3, 2);
    const struct {
        u32 name;
        u64 at, bytes;
    } sections[] = {
        {1, SECTION_AT, a_bytes}, {12, b_at, b_bytes}, {27, names_at, sizeof SECTION_NAMES}};
    for (size_t i = 0; i < 3; i++) {
        u8 *h = out + table_at + (i + 1) * 64;
        put(h, sections[i].name, 4);
        put(h + 4, 1, 4);
        put(h + 24, sections[i].at, 8);
        put(h + 32, sections[i].bytes, 8);
    }
    return end;
}

/* Two containers back to back with padding and noise between them, and one more. */
static size_t make_sample(u8 *out)
{
    struct image first, second, linked;
    image_start(&first);
    image_start(&second);
    image_add(&second, &ptx_90);
    image_start(&linked);
    image_add(&linked, &ptx_90);
    image_add(&linked, &ptx_90);
    u8 a[1024] = {0};
    memcpy(a, first.bytes, first.used);
    memset(a + 16, 0x50, 24);
    memcpy(a + 40, second.bytes, second.used);
    return make_program(out, a, 40 + second.used, linked.bytes, linked.used);
}

TEST(a_scan_finds_every_container_of_both_sections)
{
    UNUSED_STATE;
    u8 file[4096];
    size_t bytes = make_sample(file);
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct fatbin_scan scan;
    assert_true(fatbin_scan(&scan, file, bytes, "app", &arena, &err));
    assert_int_equal(scan.count, 3);
    assert_string_equal(scan.found[0].section, ".nv_fatbin");
    assert_int_equal(scan.found[0].fatbin.offset, 64);
    assert_int_equal(scan.found[0].fatbin.entry_count, 0);
    assert_int_equal(scan.found[1].fatbin.offset, 104);
    assert_int_equal(scan.found[1].fatbin.entries[0].offset, 120);
    assert_string_equal(scan.found[2].section, "__nv_relfatbin");
    assert_int_equal(scan.found[2].fatbin.entry_count, 2);
    for (u32 i = 0; i < scan.count; i++)
        assert_null(scan.found[i].problem);
    arena_fini(&arena);
}

TEST(a_broken_container_is_reported_and_the_next_one_still_found)
{
    UNUSED_STATE;
    u8 file[4096];
    size_t bytes = make_sample(file);
    put(file + 104 + 16 + 2, 0x7777, 2); /* the version of the only entry of the second */
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct fatbin_scan scan;
    assert_true(fatbin_scan(&scan, file, bytes, "app", &arena, &err));
    assert_int_equal(scan.count, 3);
    assert_string_equal(scan.found[1].problem,
                        "fat binary entry 0 at byte 120: its version is 0x7777, expected 0x0101");
    assert_int_equal(scan.found[1].fatbin.entry_count, 0);
    assert_null(scan.found[2].problem);
    arena_fini(&arena);
}

TEST(a_program_without_section_table_is_searched_whole)
{
    UNUSED_STATE;
    u8 file[4096];
    size_t bytes = make_sample(file);
    put(file + 40, 0, 8);
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct fatbin_scan scan;
    assert_true(fatbin_scan(&scan, file, bytes, "app", &arena, &err));
    assert_int_equal(scan.count, 3);
    assert_string_equal(scan.found[2].section, "");
    arena_fini(&arena);
}

TEST(a_bare_fatbin_file_is_scanned)
{
    UNUSED_STATE;
    struct image c;
    image_start(&c);
    image_add(&c, &ptx_90);
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct fatbin_scan scan;
    assert_true(fatbin_scan(&scan, c.bytes, c.used, "a.fatbin", &arena, &err));
    assert_int_equal(scan.count, 1);
    assert_int_equal(scan.found[0].fatbin.entry_count, 1);
    arena_fini(&arena);
}

TEST(a_program_without_gpu_code_has_no_containers)
{
    UNUSED_STATE;
    u8 file[4096];
    size_t bytes = make_program(file, "", 0, "", 0);
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct fatbin_scan scan;
    assert_true(fatbin_scan(&scan, file, bytes, "app", &arena, &err));
    assert_int_equal(scan.count, 0);
    arena_fini(&arena);
}

TEST(a_program_cut_or_garbled_anywhere_is_scanned_without_harm)
{
    UNUSED_STATE;
    u8 file[4096];
    size_t bytes = make_sample(file);
    for (size_t i = 0; i < 2 * bytes; i++) {
        size_t length = i < bytes ? i : bytes;
        u8 *copy = calloc(1, length ? length : 1);
        memcpy(copy, file, length);
        if (i >= bytes)
            copy[i - bytes] ^= 0xff;
        struct arena arena = {0};
        struct err err = ERR_INIT;
        struct fatbin_scan scan;
        if (!fatbin_scan(&scan, copy, length, "app", &arena, &err)) {
            assert_int_equal(err.kind, ERR_INPUT);
            assert_int_equal(scan.count, 0);
        }
        arena_fini(&arena);
        free(copy);
    }
}

TEST(a_file_of_nothing_but_broken_containers_is_refused)
{
    UNUSED_STATE;
    u8 file[2048] = {0};
    for (size_t at = 0; at < sizeof file; at += 8)
        put(file + at, 0xba55ed50, 4);
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct fatbin_scan scan;
    assert_false(fatbin_scan(&scan, file, sizeof file, "app", &arena, &err));
    expect_err(&err, "app: more than 64 broken fat binaries, the last at byte 512");
    arena_fini(&arena);
}

TEST(a_file_that_cannot_hold_gpu_code_is_refused)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct fatbin_scan scan;
    assert_false(fatbin_scan(&scan, "#!/bin/sh\n", 10, "run.sh", &arena, &err));
    expect_err(&err, "run.sh: neither a program (an ELF file) nor a fat binary");
    err = ERR_INIT;
    assert_false(fatbin_scan(&scan, "", 0, "empty", &arena, &err));
    expect_err(&err, "empty: neither a program (an ELF file) nor a fat binary");
    err = ERR_INIT;
    assert_false(fatbin_scan_file(&scan, "/nonexistent/app", &arena, &err));
    expect_err(&err, "/nonexistent/app: cannot be opened: No such file or directory");
    err = ERR_INIT;
    assert_false(fatbin_scan_file(&scan, "/", &arena, &err));
    expect_err(&err, "/: cannot be read, expected a file");
    arena_fini(&arena);
}

TEST(a_file_is_scanned_from_disk)
{
    UNUSED_STATE;
    u8 file[4096];
    size_t bytes = make_sample(file);
    char path[] = "/tmp/heddle-fatbin-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(file, 1, bytes, f), bytes);
    fclose(f);
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct fatbin_scan scan;
    bool ok = fatbin_scan_file(&scan, path, &arena, &err);
    remove(path);
    assert_true(ok);
    assert_int_equal(scan.count, 3);
    arena_fini(&arena);
}

RUN_TESTS(T(a_scan_finds_every_container_of_both_sections),
          T(a_broken_container_is_reported_and_the_next_one_still_found),
          T(a_program_without_section_table_is_searched_whole), T(a_bare_fatbin_file_is_scanned),
          T(a_program_without_gpu_code_has_no_containers),
          T(a_program_cut_or_garbled_anywhere_is_scanned_without_harm),
          T(a_file_of_nothing_but_broken_containers_is_refused),
          T(a_file_that_cannot_hold_gpu_code_is_refused), T(a_file_is_scanned_from_disk))

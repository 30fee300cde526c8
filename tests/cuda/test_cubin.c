#include "testing.h"

#include "base/arena.h"
#include "base/err.h"
#include "cuda/code/cubin.h"

/*
 * A cubin made by hand: the sections a reader looks at, in the layout of CUDA
 * 13. Two kernels, `scale` and `sum`, and a device function `helper`.
 */
enum {
    SECTION_NULL,
    SECTION_NAMES,
    SECTION_SYMBOL_NAMES,
    SECTION_SYMBOLS,
    SECTION_INFO,
    SECTION_TEXT,
    SECTION_SHARED_SUM,
    SECTION_SHARED_SCALE,
    SECTION_SHARED_RESERVED,
    SECTION_COUNT,
};

static const char section_names[] =
    "\0.shstrtab\0.strtab\0.symtab\0.nv.info\0.text.sum\0.nv.shared.sum\0.nv.shared.scale\0"
    ".nv.shared.reserved.0";
static const u32 section_name_at[] = {0, 1, 11, 19, 27, 36, 46, 61, 78};
static const char symbol_names[] = "\0sum\0helper\0scale";

enum { SYMBOL_NULL, SYMBOL_HELPER, SYMBOL_SUM, SYMBOL_SCALE, SYMBOL_COUNT };

static const u8 symbols[SYMBOL_COUNT][24] = {
    [SYMBOL_HELPER] = {5, 0, 0, 0, 2, 0x00, SECTION_TEXT},
    [SYMBOL_SUM] = {1, 0, 0, 0, 0x12, 0x10, SECTION_TEXT},
    [SYMBOL_SCALE] = {12, 0, 0, 0, 0x12, 0x10, SECTION_TEXT},
};

/* clang-format off */
static const u8 info[] = {
    3, 0x1b, 0xff, 0,                                          /* a record without payload */
    4, 0x2f, 8, 0, SYMBOL_SUM, 0, 0, 0, 40, 0, 0, 0,
    4, 0x2f, 8, 0, SYMBOL_HELPER, 0, 0, 0, 99, 0, 0, 0,
    4, 0x11, 8, 0, SYMBOL_SUM, 0, 0, 0, 0x90, 1, 0, 0,
    4, 0x37, 4, 0, 130, 0, 0, 0,                               /* of no interest */
    4, 0x2f, 8, 0, SYMBOL_SCALE, 0, 0, 0, 12, 0, 0, 0,
    4, 0x12, 8, 0, SYMBOL_SUM, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
    4, 0x12, 8, 0, SYMBOL_SCALE, 0, 0, 0, 16, 0, 0, 0,
};
/* clang-format on */

struct file {
    u8 bytes[2048];
    size_t used;
    u8 *sections; /* their headers */
};

static void put(u8 *p, u64 value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        p[i] = (u8)(value >> (8 * i));
}

static void add_section(struct file *f, u32 index, u32 type, const void *data, size_t bytes)
{
    u8 *h = f->sections + index * 64;
    put(h, section_name_at[index], 4);
    put(h + 4, type, 4);
    put(h + 24, f->used, 8);
    put(h + 32, bytes, 8);
    if (!data)
        return;
    memcpy(f->bytes + f->used, data, bytes);
    f->used += (bytes + 7) / 8 * 8;
}

static void make_cubin(struct file *f, u32 arch)
{
    static const u8 start[] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x41, 8};
    memset(f, 0, sizeof *f);
    memcpy(f->bytes, start, sizeof start);
    put(f->bytes + 16, 2, 2);
    put(f->bytes + 18, 190, 2);
    put(f->bytes + 40, 64, 8);
    put(f->bytes + 48, 0x6000004 | arch << 8, 4);
    put(f->bytes + 58, 64, 2);
    put(f->bytes + 60, SECTION_COUNT, 2);
    put(f->bytes + 62, SECTION_NAMES, 2);
    f->sections = f->bytes + 64;
    f->used = 64 + SECTION_COUNT * 64;
    add_section(f, SECTION_NAMES, 3, section_names, sizeof section_names);
    add_section(f, SECTION_SYMBOL_NAMES, 3, symbol_names, sizeof symbol_names);
    add_section(f, SECTION_SYMBOLS, 2, symbols, sizeof symbols);
    put(f->sections + SECTION_SYMBOLS * 64 + 40, SECTION_SYMBOL_NAMES, 4);
    add_section(f, SECTION_INFO, 0x70000000, info, sizeof info);
    add_section(f, SECTION_TEXT, 1, "code", 4);
    add_section(f, SECTION_SHARED_SUM, 8, NULL, 1024 + 400);
    add_section(f, SECTION_SHARED_SCALE, 8, NULL, 1024);
    add_section(f, SECTION_SHARED_RESERVED, 8, NULL, 64);
}

static void expect_fails(const struct file *f, const char *text)
{
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct cubin c;
    assert_false(cubin_read(&c, f->bytes, f->used, "k.cubin", &arena, &err));
    assert_int_equal(c.kernel_count, 0);
    char line[1600];
    err_text(&err, line, sizeof line);
    assert_string_equal(line, text);
    assert_int_equal(err.kind, ERR_INPUT);
    arena_fini(&arena);
}

TEST(a_kernel_has_registers_frame_stack_and_shared_memory)
{
    UNUSED_STATE;
    struct file f;
    make_cubin(&f, 90);
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct cubin c;
    assert_true(cubin_read(&c, f.bytes, f.used, "k.cubin", &arena, &err));
    memset(&f, 0xee, sizeof f); /* nothing may point into it any more */
    assert_int_equal(c.arch, 90);
    assert_false(c.is_relocatable);
    assert_int_equal(c.kernel_count, 2);
    const struct cubin_kernel *sum = cubin_find(&c, "sum"), *scale = cubin_find(&c, "scale");
    assert_non_null(sum);
    assert_non_null(scale);
    assert_string_equal(sum->name, "sum");
    assert_int_equal(sum->registers, 40);
    assert_int_equal(sum->frame_bytes, 400);
    assert_int_equal(sum->stack_bytes, CUBIN_STACK_UNKNOWN);
    assert_int_equal(sum->shared_bytes, 400);
    assert_int_equal(scale->registers, 12);
    assert_int_equal(scale->frame_bytes, 0);
    assert_int_equal(scale->stack_bytes, 16);
    assert_int_equal(scale->shared_bytes, 0);
    arena_fini(&arena);
}

TEST(device_functions_and_unknown_names_are_not_kernels)
{
    UNUSED_STATE;
    struct file f;
    make_cubin(&f, 90);
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct cubin c;
    assert_true(cubin_read(&c, f.bytes, f.used, "k.cubin", &arena, &err));
    assert_null(cubin_find(&c, "helper"));
    assert_null(cubin_find(&c, "scal"));
    assert_null(cubin_find(&c, ""));
    arena_fini(&arena);
}

static u32 shared_of_sum(const struct file *f)
{
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct cubin c;
    assert_true(cubin_read(&c, f->bytes, f->used, "k.cubin", &arena, &err));
    u32 shared = cubin_find(&c, "sum")->shared_bytes;
    arena_fini(&arena);
    return shared;
}

TEST(reserved_shared_memory_is_taken_off_from_sm_90_on_and_only_after_linking)
{
    UNUSED_STATE;
    struct file f;
    make_cubin(&f, 75);
    assert_int_equal(shared_of_sum(&f), 1424);
    make_cubin(&f, 89);
    assert_int_equal(shared_of_sum(&f), 1424);
    make_cubin(&f, 90);
    assert_int_equal(shared_of_sum(&f), 400);
    make_cubin(&f, 120);
    assert_int_equal(shared_of_sum(&f), 400);
    put(f.bytes + 16, 1, 2);
    assert_int_equal(shared_of_sum(&f), 1424);
}

TEST(the_older_format_has_its_architecture_in_the_low_byte)
{
    UNUSED_STATE;
    struct file f;
    make_cubin(&f, 0);
    f.bytes[8] = 7;
    put(f.bytes + 48, 0x500550, 4);
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct cubin c;
    assert_true(cubin_read(&c, f.bytes, f.used, "k.cubin", &arena, &err));
    assert_int_equal(c.arch, 80);
    arena_fini(&arena);
}

TEST(a_cubin_without_kernels_or_sections_is_empty)
{
    UNUSED_STATE;
    struct file f;
    make_cubin(&f, 90);
    put(f.bytes + 40, 0, 8);
    struct arena arena = {0};
    struct err err = ERR_INIT;
    struct cubin c;
    assert_true(cubin_read(&c, f.bytes, f.used, "k.cubin", &arena, &err));
    assert_int_equal(c.kernel_count, 0);
    assert_null(cubin_find(&c, "sum"));
    make_cubin(&f, 90);
    put(f.sections + SECTION_SYMBOLS * 64 + 4, 1, 4);
    put(f.sections + SECTION_INFO * 64 + 32, 0, 8);
    assert_true(cubin_read(&c, f.bytes, f.used, "k.cubin", &arena, &err));
    assert_int_equal(c.kernel_count, 0);
    arena_fini(&arena);
}

TEST(section_counts_may_stand_in_the_first_section_header)
{
    UNUSED_STATE;
    struct file f;
    make_cubin(&f, 90);
    put(f.bytes + 60, 0, 2);
    put(f.bytes + 62, 0xffff, 2);
    put(f.sections + 32, SECTION_COUNT, 8);
    put(f.sections + 40, SECTION_NAMES, 4);
    assert_int_equal(shared_of_sum(&f), 400);
}

TEST(errors_name_the_table_and_its_place)
{
    UNUSED_STATE;
    struct file good, f;
    make_cubin(&good, 90);
    assert_int_equal(good.used, 960);
    size_t info_at = 864;
    assert_memory_equal(good.bytes + info_at, info, sizeof info);
#define RELOCATE (f.sections = f.bytes + 64)
    f = good;
    f.bytes[1] = 'e';
    expect_fails(&f, "k.cubin: not an ELF file: it does not start with 0x7f 'ELF'");
    f = good;
    f.used = 63;
    expect_fails(&f, "k.cubin: the ELF file ends after 63 bytes, inside its header");
    f = good;
    f.bytes[4] = 1;
    expect_fails(&f, "k.cubin: the ELF file has class 1 and byte order 1, expected 64-bit (2) and "
                     "little-endian (1)");
    f = good;
    put(f.bytes + 18, 62, 2);
    expect_fails(&f, "k.cubin: not a cubin: ELF machine 62, expected 190 (CUDA)");
    f = good;
    put(f.bytes + 40, UINT64_MAX, 8);
    expect_fails(&f, "k.cubin: the ELF section table at byte 18446744073709551615 lies outside "
                     "the file of 960 bytes");
    f = good;
    put(f.bytes + 58, 40, 2);
    expect_fails(&f, "k.cubin: ELF section headers of 40 bytes, expected 64");
    f = good;
    put(f.bytes + 60, 99, 2);
    expect_fails(&f, "k.cubin: the ELF table of 99 sections at byte 64 runs out of the file of "
                     "960 bytes");
    f = good;
    put(f.bytes + 62, 9, 2);
    expect_fails(&f, "k.cubin: the ELF header puts the section names into section 9 of 9");
    f = good;
    RELOCATE;
    put(f.sections + SECTION_NAMES * 64 + 32, sizeof section_names - 1, 8);
    expect_fails(&f, "k.cubin: the ELF table of section names is not terminated");
    f = good;
    RELOCATE;
    put(f.sections + SECTION_TEXT * 64, sizeof section_names, 4);
    expect_fails(&f, "k.cubin: the name of ELF section 5 is at byte 100 of a table of 100 bytes");
    f = good;
    RELOCATE;
    put(f.sections + SECTION_INFO * 64 + 32, 2000, 8);
    expect_fails(&f, "k.cubin: ELF section '.nv.info' (2000 bytes at byte 864) runs out of the "
                     "file of 960 bytes");
    f = good;
    RELOCATE;
    put(f.sections + SECTION_INFO * 64 + 4, 8, 4);
    expect_fails(&f, "k.cubin: ELF section '.nv.info' has no bytes in the file");
    f = good;
    RELOCATE;
    put(f.sections + SECTION_SYMBOLS * 64 + 40, 77, 4);
    expect_fails(&f, "k.cubin: the cubin's symbol table has its names in section 77 of 9");
    f = good;
    RELOCATE;
    put(f.sections + SECTION_INFO * 64 + 32, 4 + 12 + 11, 8);
    expect_fails(&f, "k.cubin: the record at byte 16 of .nv.info runs out of its 27 bytes");
    f = good;
    put(f.bytes + info_at + 8, 4, 4);
    expect_fails(&f, "k.cubin: the record at byte 4 of .nv.info is about symbol 4 of 4");
    f = good;
    RELOCATE;
    put(f.sections + SECTION_SHARED_SUM * 64 + 32, (u64)1 << 40, 8);
    expect_fails(&f, "k.cubin: cubin section '.nv.shared.sum' claims 1099511626752 bytes");
#undef RELOCATE
}

TEST(a_symbol_name_outside_its_table_is_an_error)
{
    UNUSED_STATE;
    struct file f;
    make_cubin(&f, 90);
    u64 at = 0;
    memcpy(&at, f.sections + SECTION_SYMBOLS * 64 + 24, 8);
    put(f.bytes + at + SYMBOL_SUM * 24, 5000, 4);
    expect_fails(&f, "k.cubin: the name of cubin symbol 2 is at byte 5000 of a table of 18 bytes");
}

/* Each length gets its own allocation, so that the address sanitizer sees one byte too far. */
TEST(a_cubin_cut_or_garbled_anywhere_is_read_without_harm)
{
    UNUSED_STATE;
    struct file f;
    make_cubin(&f, 90);
    for (size_t i = 0; i < 3 * f.used; i++) {
        size_t length = i < f.used ? i : f.used;
        u8 *copy = calloc(1, length ? length : 1);
        memcpy(copy, f.bytes, length);
        if (i >= 2 * f.used)
            copy[i - 2 * f.used] ^= 0x01;
        else if (i >= f.used)
            copy[i - f.used] ^= 0xff;
        struct arena arena = {0};
        struct err err = ERR_INIT;
        struct cubin c;
        if (cubin_read(&c, copy, length, "k.cubin", &arena, &err)) {
            for (u32 k = 0; k < c.kernel_count; k++)
                assert_non_null(cubin_find(&c, c.kernels[k].name));
        } else {
            assert_int_equal(err.kind, ERR_INPUT);
            assert_int_equal(c.kernel_count, 0);
        }
        arena_fini(&arena);
        free(copy);
    }
}

RUN_TESTS(T(a_kernel_has_registers_frame_stack_and_shared_memory),
          T(device_functions_and_unknown_names_are_not_kernels),
          T(reserved_shared_memory_is_taken_off_from_sm_90_on_and_only_after_linking),
          T(the_older_format_has_its_architecture_in_the_low_byte),
          T(a_cubin_without_kernels_or_sections_is_empty),
          T(section_counts_may_stand_in_the_first_section_header),
          T(errors_name_the_table_and_its_place), T(a_symbol_name_outside_its_table_is_an_error),
          T(a_cubin_cut_or_garbled_anywhere_is_read_without_harm))

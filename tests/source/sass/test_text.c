#include "testing.h"

#include "base/text.h"
#include "source/source_driver.h"
#include "source/sass/text.h"
#include "source/sass/trace_text.h"
#include "source/sass/unpack.h"

#include <lzma.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

static const char lines[] = "0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x1000 4 0 \n"
                            "0010 ffffffff 0 EXIT 0 0 0 \n";
static char whole[4096];
static u8 packed[16384];
static struct err err;

/* A file in a folder of its own, removed by the next one. */
static const char *write_file(const char *ending, const void *data, size_t length)
{
    static char path[128];
    if (path[0])
        unlink(path);
    snprintf(path, sizeof path, "/tmp/heddle-trace-%d%s", (int)getpid(), ending);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, length, f), length);
    fclose(f);
    return path;
}

static void opens(const char *path)
{
    err = ERR_INIT;
    struct trace_kernel *k = trace_kernel_open(path, NULL, &err);
    assert_string_equal(message_of(&err), "");
    assert_non_null(k);
    struct grid_source g = trace_kernel_grid(k);
    assert_int_equal(g.blocks, 1);
    drive_grid(&g, NULL, NULL);
    assert_int_equal(trace_kernel_counts(k).warp_instructions, 2);
    trace_kernel_close(k);
}

static void refuses(const char *path, const char *message)
{
    char expected[256];
    err = ERR_INIT;
    snprintf(expected, sizeof expected, "%s: %s", path, message);
    assert_null(trace_kernel_open(path, NULL, &err));
    assert_string_equal(message_of(&err), expected);
}

static int make_whole(void **state)
{
    UNUSED_STATE;
    snprintf(whole, sizeof whole, "%s%s%s", ONE_HEADER("5") BEGIN("0") WARP("0", "2"), lines, END);
    return 0;
}

TEST(a_plain_file_is_read_as_it_is)
{
    UNUSED_STATE;
    opens(write_file(".traceg", whole, strlen(whole)));
    refuses(write_file(".traceg", "", 0), "the file is empty, expected a trace");
}

static size_t pack_xz(const char *text, size_t length, u8 *to)
{
    size_t used = 0;
    assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const u8 *)text, length,
                                             to, &used, 8192),
                     LZMA_OK);
    return used;
}

TEST(xz_in_one_or_several_streams)
{
    UNUSED_STATE;
    size_t half = strlen(whole) / 2, used = pack_xz(whole, half, packed);
    used += pack_xz(whole + half, strlen(whole) - half, packed + used);
    opens(write_file(".traceg.xz", packed, used));
    refuses(write_file(".traceg.xz", packed, used - 1),
            "the xz data is damaged or truncated, expected a whole file");
}

static size_t pack_gzip(const char *text, size_t length, u8 *to)
{
    z_stream s = {.next_in = (z_const Bytef *)(uintptr_t)text, .avail_in = (uInt)length};
    assert_int_equal(deflateInit2(&s, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    s.next_out = to;
    s.avail_out = 8192;
    assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
    size_t used = s.total_out;
    deflateEnd(&s);
    return used;
}

TEST(gzip_in_one_or_several_members)
{
    UNUSED_STATE;
    size_t half = strlen(whole) / 2, used = pack_gzip(whole, half, packed);
    used += pack_gzip(whole + half, strlen(whole) - half, packed + used);
    opens(write_file(".traceg.gz", packed, used));
    refuses(write_file(".traceg.gz", packed, used - 1),
            "the gzip data is damaged or truncated, expected a whole file");
}

TEST(zstd_in_one_or_several_frames)
{
    UNUSED_STATE;
    size_t half = strlen(whole) / 2, used = ZSTD_compress(packed, 8192, whole, half, 3);
    used += ZSTD_compress(packed + used, 8192, whole + half, strlen(whole) - half, 3);
    opens(write_file(".traceg.zst", packed, used));
    refuses(write_file(".traceg.zst", packed, used - 1),
            "the zstd data is damaged or truncated, expected a whole file");
}

static void put(struct text *t, u32 bytes, u64 value)
{
    for (u32 i = 0; i < bytes; i++) {
        char c = (char)(value >> 8 * i);
        text_append(t, &c, 1);
    }
}

/* One block of two warps; the first has its two lines in a chunk each. */
static struct text make_tracez(void)
{
    static const char header[] = TWO_HEADER("5");
    struct text t = {0};
    u8 chunk[1024];
    text_append(&t, header, sizeof header);
    put(&t, 4, 0);
    put(&t, 4, 1);
    u64 place = t.length;
    put(&t, 4, 2);
    put(&t, 4, 2);
    const char *second = strchr(lines, '\n') + 1, *starts[] = {lines, second};
    size_t lengths[] = {(size_t)(second - lines), strlen(second)};
    for (u32 i = 0; i < 2; i++) {
        size_t n = ZSTD_compress(chunk, sizeof chunk, starts[i], lengths[i], 3);
        put(&t, 4, n);
        text_append(&t, (const char *)chunk, n);
    }
    u64 empty = t.length;
    put(&t, 8, 0);
    u64 footer = t.length;
    put(&t, 4, 1);
    for (u32 i = 0; i < 10; i++)
        put(&t, 4, 0); /* block 0,0,0 */
    put(&t, 4, 2);
    put(&t, 4, 2);
    put(&t, 4, 2);
    put(&t, 8, place);
    put(&t, 4, 1);
    put(&t, 4, 1);
    put(&t, 8, 0);
    put(&t, 8, empty);
    put(&t, 8, footer);
    return t;
}

TEST(tracez_is_unpacked_into_the_same_lines)
{
    UNUSED_STATE;
    struct text t = make_tracez();
    opens(write_file(".tracez", t.data, t.length));
    char message[96];
    snprintf(message, sizeof message,
             "a place outside the file is named at byte %zu, expected a whole file", t.length);
    t.data[t.length - 1] = 1;
    refuses(write_file(".tracez", t.data, t.length), message);
    refuses(write_file(".tracez", "-x", 2),
            "the header does not end at byte 0, expected a whole file");
    text_fini(&t);
}

TEST(no_damage_to_a_tracez_is_a_crash)
{
    UNUSED_STATE;
    struct text t = make_tracez();
    const char *name = write_file(".tracez", t.data, t.length);
    for (size_t i = 0; i < t.length; i++) {
        char kept = t.data[i];
        t.data[i] ^= 0x55;
        write_file(".tracez", t.data, t.length);
        err = ERR_INIT;
        struct trace_kernel *k = trace_kernel_open(name, NULL, &err);
        assert_true(k || (err.kind == ERR_INPUT && err.what[0]));
        trace_kernel_close(k);
        t.data[i] = kept;
    }
    text_fini(&t);
    unlink(name);
}

/* 64 MiB and some of empty lines behind the trace. */
TEST(a_packed_trace_that_is_large_is_kept_in_a_file)
{
    UNUSED_STATE;
    size_t length = strlen(whole) + UNPACKED_MOST + 5000, room = ZSTD_compressBound(length);
    char *text = malloc(length), *small = malloc(room);
    assert_true(text && small);
    memset(text, '\n', length);
    memcpy(text, whole, strlen(whole));
    size_t used = ZSTD_compress(small, room, text, length, 1);
    assert_false(ZSTD_isError(used));
    const char *path = write_file(".traceg.zst", small, used);
    struct trace_text t;
    opens(path);
    assert_true(trace_text_open(&t, path, &err));
    assert_non_null(t.mapped);
    assert_int_equal(t.length, length);
    assert_memory_equal(t.data, whole, strlen(whole));
    assert_int_equal(t.data[length - 1], '\n');
    trace_text_close(&t);
    assert_int_equal(setenv("TMPDIR", "/nonexistent", 1), 0);
    refuses(path, "unpacked it is larger than fits where TMPDIR says: No such file or directory");
    assert_int_equal(unsetenv("TMPDIR"), 0);
    free(text);
    free(small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {T(a_plain_file_is_read_as_it_is),
                                       T(xz_in_one_or_several_streams),
                                       T(gzip_in_one_or_several_members),
                                       T(zstd_in_one_or_several_frames),
                                       T(tracez_is_unpacked_into_the_same_lines),
                                       T(no_damage_to_a_tracez_is_a_crash),
                                       T(a_packed_trace_that_is_large_is_kept_in_a_file)};
    return cmocka_run_group_tests(tests, make_whole, NULL);
}

/*
 * The matrix instructions give what an H200 gave, bit for bit, also where the conformance suite
 * allows a tolerance.
 */
#include "replay.h"

#include <unistd.h>

#include "ptx/tensor/matrix.h"

static const char *source_path(char *path, size_t room, const char *file)
{
    const char *root = getenv("HEDDLE_SOURCE");
    snprintf(path, room, "%s/tests/%s", root ? root : ".", file);
    return path;
}

/* Replays the cases of a file that match; skips when the recording is not there. */
static u32 replay(const char *kernels, const char *results, const char *only)
{
    char kernel_path[512], result_path[512];
    source_path(kernel_path, sizeof kernel_path, kernels);
    source_path(result_path, sizeof result_path, results);
    if (access(result_path, R_OK) != 0) {
        print_message("%s is not there\n", result_path);
        skip();
    }
    return suite_replay(kernel_path, result_path, only, case_replay);
}

static const char suite_kernels[] = "conformance/kernels/tensor.kern";
static const char suite_results[] = "conformance/h200.zst";

TEST(mma_gives_the_recorded_bits)
{
    UNUSED_STATE;
    assert_true(replay(suite_kernels, suite_results, "mma.sync.*") >= 90);
}

TEST(wmma_gives_the_recorded_bits)
{
    UNUSED_STATE;
    assert_true(replay(suite_kernels, suite_results, "wmma.*") >= 70);
}

TEST(mma_and_wmma_give_the_recorded_bits_at_the_edges)
{
    UNUSED_STATE;
    assert_int_equal(replay("ptx/tensor/edges.kern", "ptx/tensor/edges.zst", "*"), 242);
}

/* ldmatrix.m8n8.x4.trans: lane l loads 16 bytes at 32 l into its row; the row read is lane ^ 3. */
static void ldmatrix_replay(const char *name, const u8 *in, u8 *out)
{
    u32 count = (u32)(strstr(name, ".x")[2] - '0');
    u8 rows[32][MATRIX_ROW_BYTES];
    u32 lanes[4][32], *to[4];
    for (u32 lane = 0; lane < 32; lane++)
        memcpy(rows[lane], in + (size_t)(lane ^ 3) * 32, MATRIX_ROW_BYTES);
    for (u32 i = 0; i < count; i++)
        to[i] = lanes[i];
    ldmatrix(count, strstr(name, "trans") != NULL, (const u8(*)[MATRIX_ROW_BYTES])rows, to);
    memcpy(out, lanes, count * sizeof lanes[0]);
}

/* Word w of lane l's row is stored at 4 (32 w + l). */
static void stmatrix_replay(const char *name, const u8 *in, u8 *out)
{
    u32 count = (u32)(strstr(name, ".x")[2] - '0');
    u8 rows[32][MATRIX_ROW_BYTES] = {0};
    u32 lanes[4][32];
    const u32 *from[4];
    memcpy(lanes, in, count * sizeof lanes[0]);
    for (u32 i = 0; i < count; i++)
        from[i] = lanes[i];
    stmatrix(count, strstr(name, "trans") != NULL, from, rows);
    for (u32 lane = 0; lane < 32; lane++) {
        for (u32 word = 0; word < 4; word++)
            memcpy(out + 4 * (32 * word + lane), &rows[lane][4 * word], 4);
    }
}

static void movmatrix_replay(const char *name, const u8 *in, u8 *out)
{
    u32 lanes[32];
    (void)name;
    memcpy(lanes, in, sizeof lanes);
    movmatrix(lanes, lanes);
    memcpy(out, lanes, sizeof lanes);
}

static i64 matrix_case_replay(const struct test_case *c, const struct record_entry *recorded)
{
    u8 in[4096] = {0}, out[1024] = {0};
    assert_true(c->in_bytes <= sizeof in && c->out_bytes <= sizeof out);
    assert_int_equal(case_fill(c, in), recorded->input_hash);
    if (!strncmp(c->name, "ldmatrix", 8))
        ldmatrix_replay(c->name, in, out);
    else if (!strncmp(c->name, "stmatrix", 8))
        stmatrix_replay(c->name, in, out);
    else
        movmatrix_replay(c->name, in, out);
    i64 differ = 0;
    for (u32 i = 0; i < c->out_bytes; i++)
        differ += out[i] != recorded->data[i];
    return differ;
}

TEST(ldmatrix_stmatrix_and_movmatrix_give_the_recorded_bits)
{
    UNUSED_STATE;
    char kernels[512], results[512];
    source_path(kernels, sizeof kernels, suite_kernels);
    source_path(results, sizeof results, suite_results);
    if (access(results, R_OK) != 0)
        skip();
    assert_int_equal(suite_replay(kernels, results, "*matrix.m8n8*", matrix_case_replay), 13);
}

RUN_TESTS(T(mma_gives_the_recorded_bits), T(wmma_gives_the_recorded_bits),
          T(mma_and_wmma_give_the_recorded_bits_at_the_edges),
          T(ldmatrix_stmatrix_and_movmatrix_give_the_recorded_bits))

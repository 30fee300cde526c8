/*
 * Host of nw: scores of the best alignments of two sequences (see nw.cu for its memory behaviour
 * and use).
 *
 * Whole numbers; the score of every pair of prefixes is compared exactly.
 */
#include "host.h"
#include "random.h"

#define TILE 16
#define LETTERS 24
#define GAP 10

/* How alike each pair of letters is, as in a protein matrix: 4 to 11 for equal ones, -4 to 3 for
 * others. Row and column 0 of the result are unused: they stand for the empty prefixes. */
static int *make_similarity(struct host *h, u32 length)
{
    struct random first = random_stream(h->seed, "first"),
                  second = random_stream(h->seed, "second");
    struct random scores = random_stream(h->seed, "scores");
    size_t pitch = (size_t)length + 1;
    int *similarity = HOST_ARRAY(h, int, pitch *pitch);
    for (u32 y = 1; y <= length; y++) {
        for (u32 x = 1; x <= length; x++) {
            u32 a = random_below(first, y, LETTERS), b = random_below(second, x, LETTERS);
            u32 low = a < b ? a : b, high = a < b ? b : a;
            int extra = (int)random_below(scores, low * LETTERS + high, 8);
            similarity[y * pitch + x] = extra + (a == b ? 4 : -4);
        }
    }
    return similarity;
}

/* The scores of empty prefixes, the others 0. */
static int *make_scores(struct host *h, u32 length)
{
    size_t pitch = (size_t)length + 1;
    int *score = HOST_ARRAY(h, int, pitch *pitch);
    for (u32 i = 0; i <= length; i++) {
        score[i] = -GAP * (int)i;
        score[i * pitch] = -GAP * (int)i;
    }
    return score;
}

static void align(const int *similarity, int *score, u32 length)
{
    size_t pitch = (size_t)length + 1;
    for (size_t y = 1; y <= length; y++) {
        for (size_t i = y * pitch + 1; i <= y * pitch + length; i++) {
            int best = score[i - pitch - 1] + similarity[i];
            best = score[i - 1] - GAP > best ? score[i - 1] - GAP : best;
            score[i] = score[i - pitch] - GAP > best ? score[i - pitch] - GAP : best;
        }
    }
}

static const struct host_choice choices[] = {
    {"length", "of a sequence, a multiple of 16", .sizes = {160, 1024, 8192}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "nw", choices, argc, argv);
    u32 length = host_multiple(&h, "length", TILE), pitch = length + 1, side = length / TILE;
    size_t count = (size_t)pitch * pitch, bytes = count * sizeof(int);
    int *similarity = make_similarity(&h, length), *score = make_scores(&h, length);
    CUdeviceptr device_similarity = host_upload(&h, similarity, bytes);
    CUdeviceptr device_score = host_upload(&h, score, bytes);

    CUfunction growing = host_kernel(&h, "nw_growing"), shrinking = host_kernel(&h, "nw_shrinking");
    int gap = GAP;
    for (u32 blocks = 1; blocks <= side; blocks++)
        host_launch(&h, growing, DIM1(blocks), DIM1(TILE), 0,
                    ARGS(&device_similarity, &device_score, &pitch, &gap, &blocks));
    for (u32 blocks = side - 1; blocks > 0; blocks--)
        host_launch(&h, shrinking, DIM1(blocks), DIM1(TILE), 0,
                    ARGS(&device_similarity, &device_score, &pitch, &gap, &blocks, &side));

    int *got = HOST_ARRAY(&h, int, count);
    host_download(&h, got, device_score, bytes);
    align(similarity, score, length);
    host_compare_u32(&h, "score", (u32 *)got, (u32 *)score, count);
    return host_finish(&h);
}

/*
 * Host of eigenvalues: eigenvalues of a tridiagonal matrix (see eigenvalues.cu for its memory
 * behaviour and use).
 *
 * The CPU halves the same intervals by the same operations: ends and counts are compared exactly.
 */
#include "bisection.h"
#include "host.h"

static const struct host_choice choices[] = {
    {"side", "of the matrix", .sizes = {96, 640, 2560}},
    {"halvings", "of every interval, one launch each", .sizes = {4, 16, 24}},
    {0},
};

struct intervals {
    float *left, *right;
    u32 *left_count, *right_count;
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "eigenvalues", choices, argc, argv);
    u32 n = host_measure(&h, "side"), halvings = host_measure(&h, "halvings");
    float *diagonal = host_random_f32(&h, "diagonal", n, -1, 1);
    float *squares = host_random_f32(&h, "squares", n, 0, 1); /* elements below 1: ends below 3 */
    squares[0] = 0;
    struct intervals v[2];
    CUdeviceptr device[2][4];
    size_t bytes = n * sizeof(float);
    for (u32 i = 0; i < 2; i++) {
        v[i] = (struct intervals){HOST_ARRAY(&h, float, n), HOST_ARRAY(&h, float, n),
                                  HOST_ARRAY(&h, u32, n), HOST_ARRAY(&h, u32, n)};
        for (u32 k = 0; k < n; k++) {
            v[i].left[k] = -3.5f, v[i].right[k] = 3.5f;
            v[i].left_count[k] = 0, v[i].right_count[k] = n;
        }
        device[i][0] = host_upload(&h, v[i].left, bytes);
        device[i][1] = host_upload(&h, v[i].right, bytes);
        device[i][2] = host_upload(&h, v[i].left_count, bytes);
        device[i][3] = host_upload(&h, v[i].right_count, bytes);
    }
    CUdeviceptr device_diagonal = host_upload(&h, diagonal, bytes);
    CUdeviceptr device_squares = host_upload(&h, squares, bytes);
    for (u32 i = 0; i < halvings; i++) {
        CUdeviceptr *from = device[i % 2], *to = device[1 - i % 2];
        host_launch(&h, host_kernel(&h, "eigenvalues"), DIM1(blocks_for(n, 64)), DIM1(64), 0,
                    ARGS(&device_diagonal, &device_squares, &from[0], &from[1], &from[2], &from[3],
                         &to[0], &to[1], &to[2], &to[3], &n));
        struct intervals *f = &v[i % 2], *t = &v[1 - i % 2];
        for (u32 k = 0; k < n; k++) {
            float middle = 0.5f * (f->left[k] + f->right[k]);
            u32 count = count_below(diagonal, squares, n, middle);
            bool low = count > k;
            t->left[k] = low ? f->left[k] : middle;
            t->left_count[k] = low ? f->left_count[k] : count;
            t->right[k] = low ? middle : f->right[k];
            t->right_count[k] = low ? count : f->right_count[k];
        }
    }
    struct intervals *last = &v[halvings % 2];
    CUdeviceptr *got = device[halvings % 2];
    host_check_f32(&h, "left", got[0], last->left, n);
    host_check_f32(&h, "right", got[1], last->right, n);
    host_check_u32(&h, "left_count", got[2], last->left_count, n);
    host_check_u32(&h, "right_count", got[3], last->right_count, n);
    return host_finish(&h);
}

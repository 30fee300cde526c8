/*
 * Products of groups with different numbers of rows in one launch (a layer of experts):
 * C[g] = A[g] x B[g]'.
 *
 *   grouped_gemm [csv] [N] [K] [rows of each group ...]
 *
 * All A lie behind each other, and so do all B and C. Each group has a tensor map of its own for A,
 * in global memory: rows behind the group's last are zeros. Persistent blocks go through the tiles
 * of all groups; a warp group copies, two multiply.
 */
#include "hopper.h"

enum { MOST_GROUPS = 64 };

struct groups {
    int count, columns, steps; /* of 64 along k */
    int first_row[MOST_GROUPS + 1], first_tile[MOST_GROUPS + 1];
    float *c;
};

/* Of all tiles. */
struct place {
    int group, row, column; /* row in its group */
};

static inline __host__ __device__ place place_of(const groups *g, int tile)
{
    place p = {0, 0, 0};
    while (g->first_tile[p.group + 1] <= tile)
        p.group++;
    int wide = g->columns / 128, own = tile - g->first_tile[p.group];
    p.row = own / wide * 128;
    p.column = own % wide * 128;
    return p;
}

__global__ __launch_bounds__(3 * GROUP, 1) void grouped_gemm(const CUtensorMap *a,
                                                             const __grid_constant__ CUtensorMap b,
                                                             const __grid_constant__ groups g)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(1024) char shared[];
    tiles *s = (tiles *)shared;
    int group = threadIdx.x / GROUP, all = g.first_tile[g.count];
    unsigned turn = 0;
    tiles_init(s);
    if (group == 2) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        for (int t = blockIdx.x; t < all && threadIdx.x == 2 * GROUP; t += gridDim.x) {
            place p = place_of(&g, t);
            for (int k = 0; k < g.steps; k++) {
                unsigned stage = tiles_fill(s, turn++);
                load_2d(s->a[stage], a + p.group, k * ROW_HALVES, p.row, &s->full[stage]);
                load_2d(s->b[stage], &b, k * ROW_HALVES, p.group * g.columns + p.column,
                        &s->full[stage]);
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        for (int t = blockIdx.x; t < all; t += gridDim.x) {
            float d[64];
            place p = place_of(&g, t);
            tiles_consume(s, d, g.steps, &turn);
            sums_store(g.c + (size_t)g.first_row[p.group] * g.columns, d, p.row + group * 64,
                       g.first_row[p.group + 1] - g.first_row[p.group], p.column, g.columns);
        }
    }
#endif
}

static int wrong_sums(const groups *g, int depth, const __half *a, const __half *b, const float *c)
{
    int wrong = 0, rows = g->first_row[g->count], every = rows > 128 ? rows / 128 : 1, group = 0;
    for (int row = 0; row < rows; row += every) {
        while (g->first_row[group + 1] <= row)
            group++;
        for (int j = 0; j < g->columns; j++) {
            const __half *x = a + (size_t)row * depth,
                         *y = b + ((size_t)group * g->columns + j) * depth;
            float sum = 0;
            for (int k = 0; k < depth; k++)
                sum += __half2float(x[k]) * __half2float(y[k]);
            wrong += c[(size_t)row * g->columns + j] != sum;
        }
    }
    return wrong;
}

int main(int argc, char **argv)
{
    static const int usual[] = {200, 1, 128, 300, 77};
    bool csv = argc > 1 && !strcmp(argv[1], "csv");
    char **word = argv + 1 + csv;
    int count = argc - 1 - csv, sms;
    groups g = {};
    g.columns = count > 0 ? atoi(word[0]) : 256;
    int depth = count > 1 ? atoi(word[1]) : 256;
    g.count = count > 2 ? count - 2 : 5;
    bool ok = g.columns > 0 && depth > 0 && g.columns % 128 == 0 && depth % 64 == 0 &&
              g.count <= MOST_GROUPS;
    for (int i = 0; ok && i < g.count; i++) {
        int rows = count > 2 ? atoi(word[i + 2]) : usual[i];
        ok = rows > 0;
        g.first_row[i + 1] = g.first_row[i] + rows;
        g.first_tile[i + 1] = g.first_tile[i] + (rows + 127) / 128 * (g.columns / 128);
    }
    if (!ok) {
        fprintf(stderr, "usage: grouped_gemm [csv] [N] [K] [rows of each of up to 64 groups ...]\n"
                        "N a multiple of 128, K of 64\n");
        return 2;
    }
    g.steps = depth / ROW_HALVES;
    size_t rows = g.first_row[g.count], b_rows = (size_t)g.count * g.columns;
    __half *a = small_integers(rows * depth, 7), *b = small_integers(b_rows * depth, 3);
    __half *da = (__half *)on_device(a, rows * depth * 2);
    void *db = on_device(b, b_rows * depth * 2);
    float *c = (float *)malloc(rows * g.columns * 4);
    g.c = (float *)on_device(NULL, rows * g.columns * 4);
    CUtensorMap maps[MOST_GROUPS], mb = map_of_rows(db, b_rows, depth, 128);
    for (int i = 0; i < g.count; i++)
        maps[i] = map_of_rows(da + (size_t)g.first_row[i] * depth,
                              g.first_row[i + 1] - g.first_row[i], depth, 128);
    CUtensorMap *ma = (CUtensorMap *)on_device(maps, g.count * sizeof *maps);
    must(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "no device");
    must(cudaFuncSetAttribute(grouped_gemm, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              (int)sizeof(tiles)),
         "shared memory");
    auto launch = [&] { grouped_gemm<<<sms, 3 * GROUP, sizeof(tiles)>>>(ma, mb, g); };
    if (csv) {
        printf("grouped_gemm,%d,%d,%d,%d,%.0f\n", g.count, (int)rows, g.columns, depth,
               nanoseconds(launch));
    } else {
        launch();
        must(cudaGetLastError(), "launch");
    }
    must(cudaMemcpy(c, g.c, rows * g.columns * 4, cudaMemcpyDeviceToHost), "kernel");
    int wrong = wrong_sums(&g, depth, a, b, c);
    if (wrong || !csv)
        printf("%d groups of %d rows in all, N %d, K %d: %d wrong\n", g.count, (int)rows, g.columns,
               depth, wrong);
    free(a);
    free(b);
    free(c);
    cudaFree(da);
    cudaFree(db);
    cudaFree(g.c);
    cudaFree(ma);
    return wrong != 0;
}

// sparse matrix squared: row-wise with hash tables; expand, sort and compress; or outer products
//
// Memory: gathers of rows of the matrix, as many as it has elements. With hash a warp makes a row
// of the product in a table of its own in device memory (linear probing, atomics of its lanes);
// tables of long rows are far more than L1. With esc all partial products are written as keys and
// values, sorted by row and column in passes of 4 bits (a scan and two sweeps of all products
// each), and those of one place are added by the thread of the first. Rows of all lengths: warps
// diverge. With outer a warp multiplies a column with a row, and writes a list of products for each
// element of the column; then a warp merges the lists of each row, its lanes read the heads of all
// again for each element. Used by: the spgemm study, as stand-ins for cuSPARSE (hash: Demouth, GTC
// 2012; Nagasaka et al., ICPP 2017) and CUSP (expand, sort, compress: Bell et al., SIAM J. Sci.
// Comput. 2012), and as the fabric's algorithm on a GPU (outer).
#include "device.h"

#define EMPTY 0xffffffffu
#define BLOCK 256
#define DIGITS 16

// ---- hash: one warp per row; its table has a power of two of entries -------------------------

extern "C" __global__ void spgemm_hash(const u32 *start, const u32 *column, const float *value,
                                       const u32 *table_start, u32 *keys, float *sums, u32 rows)
{
    u32 row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    u32 base = table_start[row], mask = table_start[row + 1] - base - 1;
    for (u32 i = start[row]; i < start[row + 1]; i++) {
        u32 inner = column[i];
        float a = value[i];
        for (u32 k = start[inner] + lane; k < start[inner + 1]; k += 32) {
            u32 key = column[k], at = key * 0x9e3779b1u & mask;
            for (;;) {
                u32 old = atomicCAS(&keys[base + at], EMPTY, key);
                if (old == EMPTY || old == key)
                    break;
                at = (at + 1) & mask;
            }
            atomicAdd(&sums[base + at], a * value[k]);
        }
    }
}

// ---- expand, sort, compress ------------------------------------------------------------------

// One thread per element of the left matrix; its products go to a place known from a prefix sum.
extern "C" __global__ void spgemm_expand(const u32 *start, const u32 *column, const float *value,
                                         const u32 *row_of, const u32 *place, u64 *keys,
                                         float *products, u32 elements)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= elements)
        return;
    u32 inner = column[i], to = place[i];
    for (u32 k = start[inner]; k < start[inner + 1]; k++, to++) {
        keys[to] = (u64)row_of[i] << 32 | column[k];
        products[to] = value[i] * value[k];
    }
}

// Each thread has a stretch of keys: how many of each digit.
extern "C" __global__ void spgemm_count(const u64 *keys, u32 *counts, u32 count, u32 stretch,
                                        u32 threads, u32 shift)
{
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x, n[DIGITS];
    if (thread >= threads)
        return;
    for (u32 d = 0; d < DIGITS; d++)
        n[d] = 0;
    for (u32 i = thread * stretch; i < (thread + 1) * stretch && i < count; i++)
        n[keys[i] >> shift & (DIGITS - 1)]++;
    for (u32 d = 0; d < DIGITS; d++)
        counts[d * threads + thread] = n[d];
}

// One block: exclusive sums of all counts.
extern "C" __global__ void spgemm_scan(u32 *counts, u32 count)
{
    __shared__ u32 sums[BLOCK];
    u32 carry = 0;
    for (u32 from = 0; from < count; from += BLOCK) {
        u32 i = from + threadIdx.x, mine = i < count ? counts[i] : 0;
        sums[threadIdx.x] = mine;
        __syncthreads();
        for (u32 step = 1; step < BLOCK; step *= 2) {
            u32 left = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
            __syncthreads();
            sums[threadIdx.x] += left;
            __syncthreads();
        }
        if (i < count)
            counts[i] = carry + sums[threadIdx.x] - mine;
        carry += sums[BLOCK - 1];
        __syncthreads();
    }
}

extern "C" __global__ void spgemm_move(const u64 *keys, const float *products, u64 *keys_to,
                                       float *products_to, const u32 *counts, u32 count,
                                       u32 stretch, u32 threads, u32 shift)
{
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x, to[DIGITS];
    if (thread >= threads)
        return;
    for (u32 d = 0; d < DIGITS; d++)
        to[d] = counts[d * threads + thread];
    for (u32 i = thread * stretch; i < (thread + 1) * stretch && i < count; i++) {
        u32 at = to[keys[i] >> shift & (DIGITS - 1)]++;
        keys_to[at] = keys[i];
        products_to[at] = products[i];
    }
}

// The first of equal keys adds all of them; the others are marked.
extern "C" __global__ void spgemm_compress(const u64 *keys, const float *products, u32 *is_first,
                                           float *sums, u32 count)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    u64 key = keys[i];
    bool first = i == 0 || keys[i - 1] != key;
    float sum = 0;
    for (u32 k = i; first && k < count && keys[k] == key; k++)
        sum += products[k];
    is_first[i] = first;
    sums[i] = sum;
}

// ---- outer products --------------------------------------------------------------------------

// One warp per column: `element` has its elements' places among those of the rows. The list of an
// element lies where a prefix sum by rows says, sorted by column as the row is.
extern "C" __global__ void spgemm_outer(const u32 *column_start, const u32 *element,
                                        const u32 *start, const u32 *column, const float *value,
                                        const u32 *place, u32 *columns, float *products, u32 size)
{
    u32 k = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (k >= size)
        return;
    u32 first = start[k], last = start[k + 1];
    for (u32 e = column_start[k]; e < column_start[k + 1]; e++) {
        u32 i = element[e], to = place[i];
        float a = value[i];
        for (u32 j = first + lane; j < last; j += 32) {
            columns[to + j - first] = column[j];
            products[to + j - first] = a * value[j];
        }
    }
}

// One warp per row: the least column of all lists is the next of the product. `head` of a list
// begins as its place.
extern "C" __global__ void spgemm_merge(const u32 *start, const u32 *place, const u32 *columns,
                                        const float *products, u32 *head, u32 *columns_to,
                                        float *sums, u32 *lengths, u32 rows)
{
    u32 row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    u32 first = start[row], last = start[row + 1], to = place[first], n = 0;
    for (;; n++) {
        u32 least = EMPTY;
        for (u32 i = first + lane; i < last; i += 32) {
            if (head[i] < place[i + 1] && columns[head[i]] < least)
                least = columns[head[i]];
        }
        for (u32 by = 16; by; by /= 2) {
            u32 other = __shfl_xor_sync(ALL_LANES, least, by);
            least = other < least ? other : least;
        }
        if (least == EMPTY)
            break;
        float sum = 0;
        for (u32 i = first + lane; i < last; i += 32) {
            if (head[i] < place[i + 1] && columns[head[i]] == least)
                sum += products[head[i]++];
        }
        for (u32 by = 16; by; by /= 2)
            sum += __shfl_xor_sync(ALL_LANES, sum, by);
        if (!lane) {
            columns_to[to + n] = least;
            sums[to + n] = sum;
        }
    }
    if (!lane)
        lengths[row] = n;
}

// searches in a B+ tree: single keys, and ranges of keys
//
// Memory: a block looks for one key and goes down one node per level; its threads compare all keys
// of the node at once, so a node is read in a few coalesced lines. The upper levels are read by
// every block on every SM and are soon in all L1s; leaves are read by few. Which node comes next
// goes through memory, as in Rodinia: the thread that finds it stores it, which drops the line from
// L1, and all others load it from L2. Latency from level to level, with two barriers each. Used by:
// the cooperative-caching study (b+tree of Rodinia, command file of 10000 queries). Published: one
// million keys, 10000 queries; size small has 500000 keys and 6000 queries of each kind.
#include "device.h"

#define ORDER 128 // keys of a node, and threads of a block

// keys[i] is the smallest key below child i; keys beyond the last are NONE. In a leaf the children
// are the numbers of records.
struct node {
    u32 keys[ORDER + 1];
    u32 children[ORDER];
    u32 pad[31]; // to whole lines of 128 bytes, of which a node has 9
};
#define NONE 0xffffffffu

// The child whose keys include this one; every thread looks at one.
DEVICE_CALL u32 step(const struct node *node, u32 key, u32 *next)
{
    u32 i = threadIdx.x;
    if (node->keys[i] <= key && key < node->keys[i + 1])
        *next = node->children[i];
    __syncthreads();
    u32 child = *next;
    __syncthreads();
    return child;
}

// The record of each key; NONE: there is none. One block per query.
extern "C" __global__ void __launch_bounds__(ORDER)
    tree_find(const struct node *nodes, const u32 *queries, u32 *records, u32 *next, u32 levels)
{
    next += blockIdx.x;
    u32 key = queries[blockIdx.x], at = 0;
    for (u32 level = 1; level < levels; level++)
        at = step(&nodes[at], key, next);
    if (threadIdx.x == 0)
        *next = NONE;
    __syncthreads();
    if (nodes[at].keys[threadIdx.x] == key)
        *next = nodes[at].children[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        records[blockIdx.x] = *next;
}

// How many records have keys from starts[i] to ends[i], and the first: down the tree twice at a
// time. Records are numbered in the order of their keys.
extern "C" __global__ void __launch_bounds__(ORDER)
    tree_range(const struct node *nodes, const u32 *starts, const u32 *ends, u32 *first, u32 *count,
               u32 *next, u32 levels)
{
    u32 *left = next + 2 * blockIdx.x, *right = left + 1;
    u32 from = starts[blockIdx.x], to = ends[blockIdx.x], low = 0, high = 0;
    for (u32 level = 1; level < levels; level++) {
        low = step(&nodes[low], from, left);
        high = step(&nodes[high], to, right);
    }
    u32 i = threadIdx.x;
    const struct node *a = &nodes[low], *b = &nodes[high];
    if (i == 0)
        *left = *right = 0;
    __syncthreads();
    // the last key below `from`, and the last one up to `to`
    if (a->keys[i] < from && from <= a->keys[i + 1])
        *left = a->children[i] + 1;
    if (i == 0 && from <= a->keys[0])
        *left = a->children[0];
    if (b->keys[i] <= to && to < b->keys[i + 1])
        *right = b->children[i] + 1;
    __syncthreads();
    if (i == 0) {
        first[blockIdx.x] = *left;
        count[blockIdx.x] = *right > *left ? *right - *left : 0;
    }
}

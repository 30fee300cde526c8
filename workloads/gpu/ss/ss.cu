// cosine similarity of all pairs of documents by MapReduce, ranked
//
// Memory: a map task reads two feature vectors end to end. Tasks are pairs (i, j), i below j, in
// order of i: the lanes of a warp share vector i and have 32 different vectors j, so each load
// touches 32 lines that the following steps need again. More than L1 holds; neighbouring SMs read
// the same vectors. The ranking that follows is one launch per step of a bitonic sort over
// index entries, each comparing two gathered scores.
// Used by: the bandwidth, cooperative-caching and warp-scheduling studies (ss of Mars, 164
// kernels). Published: 1024 documents x 256 features; size small 224 x 136.
#include "mapreduce_device.h"

struct pair {
    u32 i, j;
};

extern "C" __global__ void ss_map_count(struct emission out, u32 documents)
{
    u32 task = global_thread();
    if (task >= documents * documents)
        return;
    struct cursor c = {};
    if (task / documents < task % documents)
        cursor_count(&c, sizeof(float), sizeof(struct pair));
    cursor_save(c, &out, task);
}

// Emits the score of the pair as key and the pair as value; half of the tasks have nothing to do.
extern "C" __global__ void ss_map(const float *vectors, struct emission out, u32 documents,
                                  u32 features)
{
    u32 task = global_thread();
    struct pair p = {task / documents, task % documents};
    if (task >= documents * documents || p.i >= p.j)
        return;
    const float *a = vectors + p.i * features, *b = vectors + p.j * features;
    float dot = 0, norm_a = 0, norm_b = 0;
    for (u32 k = 0; k < features; k++) {
        dot = fmaf(a[k], b[k], dot);
        norm_a = fmaf(a[k], a[k], norm_a);
        norm_b = fmaf(b[k], b[k], norm_b);
    }
    struct cursor c = cursor_load(&out, task);
    *(float *)(out.keys + c.key) = dot / sqrtf(norm_a * norm_b);
    *(struct pair *)(out.values + c.value) = p;
    cursor_emit(&c, &out, sizeof(float), sizeof p);
}

// The larger score first; equal ones in the order in which they were emitted.
DEVICE_CALL bool more_similar(struct record a, struct record b, const u8 *keys)
{
    float x = *(const float *)(keys + a.key), y = *(const float *)(keys + b.key);
    return x != y ? x > y : a.key < b.key;
}

extern "C" __global__ void ss_rank_step(uint4 *records, const u8 *keys, u32 count, u32 flip, u32 by)
{
    sort_step<more_similar>(records, keys, count, flip, by);
}

/*
 * Host of ss: similarity scores of all pairs of documents, ranked (see ss.cu for its memory
 * behaviour and use).
 *
 * A feature is a count of 0 to 15 (three of four are 0), so dot products and norms are whole
 * numbers below 2^24, exact in f32 in any order; product, root and quotient are rounded once each,
 * here and there. Compared exactly: the score and the pair that every task emitted, and every entry
 * of the ranked index, whose order is unique because equal scores keep the order of the pairs.
 */
#include "mapreduce.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>

#define BLOCK 256

struct scored {
    float score;
    struct record record;
};

static int compare_scored(const void *left, const void *right)
{
    const struct scored *a = left, *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return a->record.key < b->record.key ? -1 : 1;
}

static float *make_vectors(struct host *h, u32 documents, u32 features)
{
    struct random r = random_stream(h->seed, "features");
    float *v = HOST_ARRAY(h, float, (size_t)documents *features);
    for (size_t i = 0; i < (size_t)documents * features; i++) {
        u32 draw = random_below(r, i, 64);
        v[i] = draw < 16 ? (float)draw : 0;
    }
    for (u32 d = 0; d < documents; d++)
        v[(size_t)d * features] = 1; /* no vector is zero */
    return v;
}

static float dot(const float *a, const float *b, u32 features)
{
    float sum = 0;
    for (u32 k = 0; k < features; k++)
        sum += a[k] * b[k];
    return sum;
}

static void check(struct host *h, const struct emission *e, const float *vectors, u32 documents,
                  u32 features)
{
    u32 pairs = e->records, at = 0;
    float *norms = HOST_ARRAY(h, float, documents), *scores = HOST_ARRAY(h, float, pairs);
    u32 *values = HOST_ARRAY(h, u32, 2 * (size_t)pairs);
    struct scored *ranked = HOST_ARRAY(h, struct scored, pairs);
    for (u32 d = 0; d < documents; d++) {
        const float *v = vectors + (size_t)d * features;
        norms[d] = dot(v, v, features);
    }
    for (u32 i = 0; i < documents; i++) {
        const float *v = vectors + (size_t)i * features;
        for (u32 j = i + 1; j < documents; j++, at++) {
            scores[at] =
                dot(v, vectors + (size_t)j * features, features) / sqrtf(norms[i] * norms[j]);
            values[2 * at] = i;
            values[2 * at + 1] = j;
            ranked[at] = (struct scored){scores[at], {at * 4, 4, at * 8, 8}};
        }
    }
    qsort(ranked, pairs, sizeof *ranked, compare_scored);

    float *got = HOST_ARRAY(h, float, pairs);
    struct record *records = HOST_ARRAY(h, struct record, pairs);
    for (u32 i = 0; i < pairs; i++)
        records[i] = ranked[i].record;
    host_download(h, got, e->device.keys, e->key_bytes);
    host_compare_f32(h, "scores", got, scores, pairs);
    mapreduce_check_u32(h, "pairs", e->device.values, values, 2 * (size_t)pairs);
    mapreduce_check_records(h, "ranked", e->device.records, records, pairs);
}

static const struct host_choice choices[] = {
    {"documents", "to compare", .sizes = {60, 224, 2048}},
    {"features", "of a document", .sizes = {24, 136, 256}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "ss", choices, argc, argv);
    u32 documents = host_measure(&h, "documents"), features = host_measure(&h, "features");
    u32 tasks = documents * documents, pairs = documents * (documents - 1) / 2;

    float *vectors = make_vectors(&h, documents, features);
    CUdeviceptr device_vectors =
        host_upload(&h, vectors, (size_t)documents * features * sizeof(float));
    struct emission e = emission_create(&h, tasks);

    struct dim grid = DIM1(blocks_for(tasks, BLOCK)), block = DIM1(BLOCK);
    host_launch(&h, host_kernel(&h, "ss_map_count"), grid, block, 0, ARGS(&e.device, &documents));
    emission_place(&h, &e);
    if (e.records != pairs || e.key_bytes != 4 * pairs || e.value_bytes != 8 * pairs)
        host_fail(&h, "%u records were placed, expected %u", e.records, pairs);
    host_launch(&h, host_kernel(&h, "ss_map"), grid, block, 0,
                ARGS(&device_vectors, &e.device, &documents, &features));
    mapreduce_sort(&h, "ss_rank_step", e.device.records, e.device.keys, e.records);
    check(&h, &e, vectors, documents, features);
    return host_finish(&h);
}

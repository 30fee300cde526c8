/*
 * Host of b+tree: records by key and by ranges of keys (see b+tree.cu for its memory behaviour and
 * use).
 *
 * Whole numbers: the answers are those of a search in the sorted keys, compared exactly.
 */
#include "host.h"
#include "random.h"

#define ORDER 128
#define NONE 0xffffffffu
#define MOST_LEVELS 6

struct node {
    u32 keys[ORDER + 1];
    u32 children[ORDER];
    u32 pad[31];
};

struct tree {
    struct node *nodes; /* the root first, then level by level */
    u32 count, levels;
};

/* Rising, with gaps: key i lies in its own stretch of 16 numbers; the first one is 0. */
static u32 *make_keys(struct host *h, u32 count)
{
    struct random r = random_stream(h->seed, "keys");
    u32 *keys = HOST_ARRAY(h, u32, count);
    for (u32 i = 1; i < count; i++)
        keys[i] = 16 * i + random_below(r, i, 16);
    return keys;
}

/* Nodes are `fill` full, as after insertions; every level is built from the one below. */
static struct tree make_tree(struct host *h, const u32 *keys, u32 count, u32 fill)
{
    u32 width[MOST_LEVELS], levels = 0, all = 0, below = count;
    do {
        below = width[levels++] = blocks_for(below, fill);
        all += below;
    } while (below > 1);
    struct tree t = {HOST_ARRAY(h, struct node, all), all, levels};
    u32 *smallest = HOST_ARRAY(h, u32, count), at = all, below_at = 0;
    for (u32 i = 0; i < count; i++)
        smallest[i] = keys[i];
    below = count;
    for (u32 level = 0; level < levels; level++) {
        at -= width[level];
        for (u32 n = 0; n < width[level]; n++) {
            struct node *node = &t.nodes[at + n];
            u32 first = n * fill, end = first + fill < below ? first + fill : below;
            for (u32 i = 0; i <= ORDER; i++)
                node->keys[i] = first + i < end ? smallest[first + i] : NONE;
            for (u32 i = first; i < end; i++)
                node->children[i - first] = below_at + i;
            smallest[n] = smallest[first];
        }
        below_at = at;
        below = width[level];
    }
    return t;
}

/* How many keys are smaller. */
static u32 rank_of(const u32 *keys, u32 count, u32 key)
{
    u32 low = 0, high = count;
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void find(struct host *h, const struct tree *t, CUdeviceptr nodes, const u32 *keys,
                 u32 count, u32 queries)
{
    struct random r = random_stream(h->seed, "queries");
    u32 *wanted = HOST_ARRAY(h, u32, queries), *expected = HOST_ARRAY(h, u32, queries);
    u32 *got = HOST_ARRAY(h, u32, queries), levels = t->levels;
    for (u32 i = 0; i < queries; i++) {
        /* three of four are there */
        u32 draw = random_below(r, 2 * (u64)i, count);
        wanted[i] = random_below(r, 2 * (u64)i + 1, 4) ? keys[draw] : 16 * draw + draw % 16;
        u32 rank = rank_of(keys, count, wanted[i]);
        expected[i] = rank < count && keys[rank] == wanted[i] ? rank : NONE;
    }
    CUdeviceptr device_wanted = host_upload(h, wanted, queries * sizeof(u32));
    CUdeviceptr records = host_device_alloc(h, queries * sizeof(u32));
    CUdeviceptr next = host_device_alloc(h, queries * sizeof(u32));
    host_launch(h, host_kernel(h, "tree_find"), DIM1(queries), DIM1(ORDER), 0,
                ARGS(&nodes, &device_wanted, &records, &next, &levels));
    host_download(h, got, records, queries * sizeof(u32));
    host_compare_u32(h, "records", got, expected, queries);
}

static void range(struct host *h, const struct tree *t, CUdeviceptr nodes, const u32 *keys,
                  u32 count, u32 queries)
{
    struct random r = random_stream(h->seed, "ranges");
    u32 *from = HOST_ARRAY(h, u32, queries), *to = HOST_ARRAY(h, u32, queries);
    u32 *first = HOST_ARRAY(h, u32, queries), *many = HOST_ARRAY(h, u32, queries);
    u32 *got = HOST_ARRAY(h, u32, queries), levels = t->levels;
    for (u32 i = 0; i < queries; i++) {
        from[i] = random_below(r, 2 * (u64)i, 16 * count);
        to[i] = from[i] + random_below(r, 2 * (u64)i + 1, 4096);
        first[i] = rank_of(keys, count, from[i]);
        many[i] = rank_of(keys, count, to[i] + 1) - first[i];
    }
    CUdeviceptr device_from = host_upload(h, from, queries * sizeof(u32));
    CUdeviceptr device_to = host_upload(h, to, queries * sizeof(u32));
    CUdeviceptr device_first = host_device_alloc(h, queries * sizeof(u32));
    CUdeviceptr device_many = host_device_alloc(h, queries * sizeof(u32));
    CUdeviceptr next = host_device_alloc(h, 2 * queries * sizeof(u32));
    host_launch(
        h, host_kernel(h, "tree_range"), DIM1(queries), DIM1(ORDER), 0,
        ARGS(&nodes, &device_from, &device_to, &device_first, &device_many, &next, &levels));
    host_download(h, got, device_first, queries * sizeof(u32));
    host_compare_u32(h, "first", got, first, queries);
    host_download(h, got, device_many, queries * sizeof(u32));
    host_compare_u32(h, "count", got, many, queries);
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "b+tree", NULL, argc, argv);
    u32 count = host_pick(&h, 4000, 500000, 1000000), queries = host_pick(&h, 200, 6000, 65535);
    u32 *keys = make_keys(&h, count);
    struct tree t = make_tree(&h, keys, count, ORDER * 3 / 4);
    CUdeviceptr nodes = host_upload(&h, t.nodes, (size_t)t.count * sizeof(struct node));
    find(&h, &t, nodes, keys, count, queries);
    range(&h, &t, nodes, keys, count, queries);
    return host_finish(&h);
}

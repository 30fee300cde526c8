// shortest paths by rounds of relaxation with gathers and scatters: nodes=N degree=N rounds=N
#include "runtime.h"

#define MOST_NODES 131072
#define MOST_EDGES 524288
#define FAR 0x3fffffffu

static uint32_t starts[MOST_NODES + 1], targets[MOST_EDGES], weights[MOST_EDGES];
static uint32_t distance[MOST_NODES], reference[MOST_NODES];

static void relax_scalar(uint32_t *d, word first, word end, uint32_t from)
{
    for (word i = first; i < end; i++) {
        uint32_t by = from + weights[i];
        if (by < d[targets[i]])
            d[targets[i]] = by;
    }
}

/* Targets of a node are unlike each other, so lanes of a scatter never meet. */
PINNED static void relax_vector(uint32_t *d, word first, word end, uint32_t from)
{
    svbool_t p = svwhilelt_b32_u64(first, end);
    for (word i = first; svptest_first(svptrue_b32(), p);) {
        svuint32_t to = svld1_u32(p, targets + i);
        svuint32_t by = svadd_n_u32_z(p, svld1_u32(p, weights + i), from);
        svuint32_t old = svld1_gather_u32index_u32(p, d, to);
        svbool_t less = svcmplt_u32(p, by, old);
        svst1_scatter_u32index_u32(less, d, to, by);
        i += svcntw();
        p = svwhilelt_b32_u64(i, end);
    }
}

static void make(word nodes, word degree)
{
    word state = 5, n = 0;
    for (word v = 0; v < nodes; v++) {
        starts[v] = (uint32_t)n;
        /* in order, as lists of neighbours are, one in each part of the nodes */
        for (word k = 0; k < degree && n < MOST_EDGES; k++, n++) {
            targets[n] = (uint32_t)(k * nodes / degree + random_next(&state) % (nodes / degree));
            weights[n] = 1 + (uint32_t)(random_next(&state) % 100);
        }
    }
    starts[nodes] = (uint32_t)n;
}

static void round_of(uint32_t *d, word nodes, int is_scalar)
{
    for (word v = 0; v < nodes; v++) {
        if (d[v] == FAR)
            continue;
        if (is_scalar) {
            relax_scalar(d, starts[v], starts[v + 1], d[v]);
            continue;
        }
        PIN();
        relax_vector(d, starts[v], starts[v + 1], d[v]);
        UNPIN();
    }
}

int run(void)
{
    word nodes = argument_number("nodes", 512), degree = argument_number("degree", 32);
    word rounds = argument_number("rounds", 2);
    int is_scalar = same_text(argument("kernel", "vector"), "scalar");
    check(nodes <= MOST_NODES && degree && degree <= nodes && nodes * degree <= MOST_EDGES, "size");
    make(nodes, degree);
    word state = 11; /* every node has a distance already, which rounds improve */
    for (word v = 0; v < nodes; v++)
        distance[v] = reference[v] = (uint32_t)(random_next(&state) % 1000000);
    for (word r = 0; r < rounds; r++)
        round_of(distance, nodes, is_scalar);
    if (!argument_number("check", 1))
        return 0;
    for (word r = 0; r < rounds; r++)
        round_of(reference, nodes, 1);
    for (word v = 0; v < nodes; v++)
        check(distance[v] == reference[v], "sssp");
    return 0;
}

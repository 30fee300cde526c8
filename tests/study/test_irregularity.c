/* Graphs drawn by hand: spec 5, checks A1 and A2. */
#include "testing.h"

#include "study/irregularity.h"

#define MOST 32u

struct drawing {
    u32 from[64], to[64], count, nodes;
    u32 first[MOST + 1], edges[128];
};

static void edge(struct drawing *d, u32 a, u32 b)
{
    d->from[d->count] = a;
    d->to[d->count++] = b;
    d->nodes = a >= d->nodes ? a + 1 : d->nodes;
    d->nodes = b >= d->nodes ? b + 1 : d->nodes;
}

static struct degree_graph finish(struct drawing *d)
{
    u32 at = 0;
    for (u32 n = 0; n < d->nodes; n++) {
        d->first[n] = at;
        for (u32 e = 0; e < d->count; e++) {
            if (d->from[e] == n)
                d->edges[at++] = d->to[e];
            if (d->to[e] == n)
                d->edges[at++] = d->from[e];
        }
    }
    d->first[d->nodes] = at;
    return (struct degree_graph){d->nodes, d->first, d->edges};
}

/* Node 1 has five leaves and node 2; 2 - 3 - 4; node 4 has six leaves. Node 0 is one of the leaves.
 */
TEST(the_range_of_degrees_counts_all_nodes_within_the_hops)
{
    UNUSED_STATE;
    struct drawing d = {0};
    u32 leaf = 5;
    edge(&d, 1, 0);
    for (u32 i = 0; i < 4; i++)
        edge(&d, 1, leaf++);
    edge(&d, 1, 2);
    edge(&d, 2, 3);
    edge(&d, 3, 4);
    for (u32 i = 0; i < 6; i++)
        edge(&d, 4, leaf++);
    struct degree_graph g = finish(&d);
    assert_int_equal(graph_degree_range(&g, 1, 1), 5); /* degrees 6, 1, 2 */
    assert_int_equal(graph_degree_range(&g, 2, 1), 4); /* 2, 6, 2 */
    assert_int_equal(graph_degree_range(&g, 2, 2), 6); /* and leaves of 1, and node 4 with 7 */
    assert_int_equal(graph_degree_range(&g, 2, 0), 0);
}

TEST(a_complete_graph_is_dense_and_even)
{
    UNUSED_STATE;
    struct drawing d = {0};
    for (u32 a = 0; a < 7; a++) {
        for (u32 b = 0; b < a; b++)
            edge(&d, a, b);
    }
    struct degree_graph g = finish(&d);
    assert_true(graph_density(&g) == 1);
    assert_true(graph_local_density(&g, 3) == 6.0 / 7);
    for (u32 n = 0; n < 7; n++)
        assert_int_equal(graph_degree_range(&g, n, 5), 0);
}

RUN_TESTS(T(the_range_of_degrees_counts_all_nodes_within_the_hops),
          T(a_complete_graph_is_dense_and_even))

#include "testing.h"

#include "graph.h"
#include "random.h"

/* The first outputs of SplitMix64 from state 0, as its reference implementation prints them. */
TEST(random_numbers_are_those_of_splitmix64)
{
    UNUSED_STATE;
    struct random zero = {0};
    assert_true(random_u64(zero, 0) == 0xe220a8397b1dcdafull);
    assert_true(random_u64(zero, 1) == 0x6e789e6aa1b965f4ull);
    assert_true(random_u64(zero, 2) == 0x06c45d188009454full);
}

TEST(random_numbers_stay_in_their_range)
{
    UNUSED_STATE;
    struct random r = random_stream(3, "range");
    u32 seen = 0;
    for (u32 i = 0; i < 1000; i++) {
        u32 v = random_below(r, i, 17);
        float unit = random_unit(r, i);
        assert_true(v < 17);
        assert_true(unit >= 0 && unit < 1);
        seen |= 1u << v;
    }
    assert_int_equal(seen, (1u << 17) - 1);
}

static u32 degree(const struct graph *g, u32 node)
{
    return g->first[node + 1] - g->first[node];
}

/* Rows lie behind each other, and a is in b's row as often as b is in a's. */
static void assert_is_undirected(const struct graph *g)
{
    u32 *times = calloc((size_t)g->nodes * g->nodes, sizeof *times);
    assert_int_equal(g->first[0], 0);
    assert_int_equal(g->first[g->nodes], g->arcs);
    for (u32 a = 0; a < g->nodes; a++) {
        assert_true(g->first[a] <= g->first[a + 1]);
        for (u32 e = g->first[a]; e < g->first[a + 1]; e++) {
            assert_true(g->to[e] < g->nodes);
            times[a * g->nodes + g->to[e]]++;
        }
    }
    for (u32 a = 0; a < g->nodes; a++) {
        for (u32 b = 0; b < g->nodes; b++)
            assert_int_equal(times[a * g->nodes + b], times[b * g->nodes + a]);
    }
    free(times);
}

TEST(graph_rows_hold_every_edge_at_both_ends)
{
    UNUSED_STATE;
    struct graph g;
    graph_uniform(&g, 100, 6, 1);
    assert_int_equal(g.arcs, 600);
    assert_is_undirected(&g);
    graph_fini(&g);
    graph_rmat(&g, 7, 12, 1);
    assert_int_equal(g.nodes, 128);
    assert_int_equal(g.arcs, 128 * 12);
    assert_is_undirected(&g);
    graph_fini(&g);
}

TEST(graph_of_the_same_seed_is_the_same)
{
    UNUSED_STATE;
    struct graph a, b, c;
    graph_rmat(&a, 8, 8, 5);
    graph_rmat(&b, 8, 8, 5);
    graph_rmat(&c, 8, 8, 6);
    assert_memory_equal(a.first, b.first, (a.nodes + 1) * sizeof(u32));
    assert_memory_equal(a.to, b.to, a.arcs * sizeof(u32));
    assert_memory_not_equal(a.to, c.to, a.arcs * sizeof(u32));
    graph_fini(&a);
    graph_fini(&b);
    graph_fini(&c);
}

/* In a uniform graph of mean degree 8 a degree of 40 has a chance of about 1e-14 per node; in an
 * R-MAT graph the largest node is in row 0 or column 0 at every level with chance 0.76, so it has
 * about 2 x 0.76^12 of the edges: 1,200 of its 16,384. */
TEST(graph_rmat_has_a_few_huge_nodes_and_uniform_has_none)
{
    UNUSED_STATE;
    struct graph g;
    graph_uniform(&g, 4096, 8, 1);
    assert_true(degree(&g, graph_hub(&g)) < 40);
    graph_fini(&g);
    graph_rmat(&g, 12, 8, 1);
    u32 most = degree(&g, graph_hub(&g)), alone = 0;
    assert_true(most > 800 && most < 1600);
    for (u32 n = 0; n < g.nodes; n++) {
        assert_true(degree(&g, n) <= most);
        alone += degree(&g, n) == 0;
    }
    assert_true(alone > g.nodes / 10);
    graph_fini(&g);
}

/* The ends of edge n: the two arcs that are it. */
TEST(graph_rmat_simple_has_every_edge_once_and_none_to_itself)
{
    UNUSED_STATE;
    struct graph g;
    graph_rmat_simple(&g, 45, 200, 1); /* an odd range at several levels; 200 of 990 pairs */
    assert_int_equal(g.nodes, 45);
    assert_int_equal(g.arcs, 400);
    assert_is_undirected(&g);
    u32 ends[200] = {0};
    for (u32 a = 0; a < g.nodes; a++) {
        for (u32 e = g.first[a]; e < g.first[a + 1]; e++) {
            assert_int_not_equal(g.to[e], a);
            assert_true(g.edge[e] < 200);
            ends[g.edge[e]] += 1 + a + g.to[e];
            for (u32 f = g.first[a]; f < e; f++)
                assert_int_not_equal(g.to[e], g.to[f]);
        }
    }
    for (u32 e = 0; e < 200; e++) /* seen from both ends: an even sum, at least 2 + 2 x (0 + 1) */
        assert_true(ends[e] % 2 == 0 && ends[e] >= 4);
    graph_fini(&g);
}

/* The nodes of the lower half of every range have 0.76 of the ends; without repeated edges the
 * largest have fewer, but still many times the mean of 10. */
TEST(graph_rmat_simple_has_a_few_huge_nodes)
{
    UNUSED_STATE;
    struct graph g;
    graph_rmat_simple(&g, 3000, 15000, 1);
    assert_true(degree(&g, graph_hub(&g)) > 200);
    u32 few = 0;
    for (u32 n = 0; n < g.nodes; n++)
        few += degree(&g, n) <= 2;
    assert_true(few > g.nodes / 4);
    graph_fini(&g);
}

TEST(graph_shuffle_has_every_number_once)
{
    UNUSED_STATE;
    u32 order[100], sum = 0, moved = 0;
    u8 seen[100] = {0};
    graph_shuffle(order, 100, random_stream(1, "order"));
    for (u32 i = 0; i < 100; i++) {
        assert_true(order[i] < 100 && !seen[order[i]]);
        seen[order[i]] = 1;
        sum += order[i];
        moved += order[i] != i;
    }
    assert_int_equal(sum, 4950);
    assert_true(moved > 90);
}

RUN_TESTS(T(random_numbers_are_those_of_splitmix64), T(random_numbers_stay_in_their_range),
          T(graph_rows_hold_every_edge_at_both_ends), T(graph_of_the_same_seed_is_the_same),
          T(graph_rmat_has_a_few_huge_nodes_and_uniform_has_none),
          T(graph_rmat_simple_has_every_edge_once_and_none_to_itself),
          T(graph_rmat_simple_has_a_few_huge_nodes), T(graph_shuffle_has_every_number_once))

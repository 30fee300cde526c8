/*
 * Stands for mcf (429.mcf): a network simplex for minimum-cost flow.
 *
 * Nodes hang in a spanning tree with potentials; each iteration prices a block of arcs (random
 * pairs of nodes, so two random loads each), takes the one with the most negative reduced cost, and
 * walks both ends up the tree to their common ancestor. To meet: cache-friendly, L2 MPKI 108.2.
 * Arguments: nodes, arcs, arcs priced in an iteration.
 */
#include "common.h"

#define MOST_NODES (1u << 20)
#define MOST_ARCS (1u << 21)

static struct node {
    int64_t potential;
    u32 parent, depth;
    int64_t flow;
    u64 unused[5]; /* a line, as mcf's nodes are more than */
} nodes[MOST_NODES];

static struct arc {
    u32 tail, head;
    int32_t cost;
    u32 state; /* 0: in the tree */
} arcs[MOST_ARCS];

int main(int argc, char **argv)
{
    u32 node_count = argument(argc, argv, 1, 40000, MOST_NODES);
    u32 arc_count = argument(argc, argv, 2, 200000, MOST_ARCS);
    u32 block = argument(argc, argv, 3, 300, arc_count);
    for (u32 i = 1; i < node_count; i++) {
        u32 parent = random_below(i);
        nodes[i].parent = parent;
        nodes[i].depth = nodes[parent].depth + 1;
        nodes[i].potential = (int64_t)random_below(1000);
    }
    for (u32 i = 0; i < arc_count; i++)
        arcs[i] = (struct arc){random_below(node_count), random_below(node_count),
                               (int32_t)random_below(1000), 1};
    u32 at = 0;
    for (;;) {
        int64_t best = 0;
        u32 entering = at;
        for (u32 k = 0; k < block; k++) {
            struct arc *a = &arcs[at];
            int64_t reduced = a->cost - nodes[a->tail].potential + nodes[a->head].potential;
            if (a->state && reduced < best) {
                best = reduced;
                entering = at;
            }
            at++;
        }
        at = at + block < arc_count ? at : 0;
        u32 u = arcs[entering].tail, v = arcs[entering].head;
        while (u != v) {
            u32 *lower = nodes[u].depth >= nodes[v].depth ? &u : &v;
            nodes[*lower].flow += lower == &u ? 1 : -1;
            *lower = nodes[*lower].parent;
        }
        nodes[arcs[entering].head].potential -= best;
    }
}

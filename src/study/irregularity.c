#include "study/irregularity.h"

#include "base/arena.h"

static u32 degree_of(const struct degree_graph *g, u32 node)
{
    return g->first[node + 1] - g->first[node];
}

double graph_density(const struct degree_graph *g)
{
    double nodes = g->nodes;
    return g->nodes > 1 ? g->first[g->nodes] / (nodes * (nodes - 1)) : 0;
}

double graph_local_density(const struct degree_graph *g, u32 node)
{
    return (double)degree_of(g, node) / g->nodes;
}

u32 graph_degree_range(const struct degree_graph *g, u32 node, u32 hops)
{
    struct arena scratch = {0};
    u32 *found = ARENA_ARRAY(&scratch, u32, g->nodes), count = 1, from = 0;
    bool *seen = ARENA_ARRAY(&scratch, bool, g->nodes);
    u32 least = degree_of(g, node), most = least;
    found[0] = node;
    seen[node] = true;
    for (u32 hop = 0; hop < hops && from < count; hop++) {
        for (u32 end = count; from < end; from++) {
            for (u32 e = g->first[found[from]]; e < g->first[found[from] + 1]; e++) {
                u32 next = g->edges[e], degree = degree_of(g, next);
                if (seen[next])
                    continue;
                seen[next] = true;
                found[count++] = next;
                least = degree < least ? degree : least;
                most = degree > most ? degree : most;
            }
        }
    }
    arena_fini(&scratch);
    return most - least;
}

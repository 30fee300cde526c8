#include "graph.h"

#include "random.h"

#include <stdio.h>
#include <stdlib.h>

struct edge {
    u32 a, b;
};

/* Edge n of a generator; asked for twice, once to count and once to place. */
struct generator {
    struct edge (*edge)(const struct generator *g, u64 n);
    struct random random;
    u32 nodes, scale;
};

static u32 *new_array(size_t count)
{
    u32 *p = calloc(count, sizeof *p);
    if (!p) {
        fprintf(stderr, "graph: no memory for %zu numbers\n", count);
        exit(2);
    }
    return p;
}

static void build(struct graph *g, const struct generator *from, u32 edges)
{
    *g = (struct graph){.nodes = from->nodes, .arcs = 2 * edges};
    g->first = new_array((size_t)g->nodes + 1);
    g->to = new_array(g->arcs);
    for (u32 i = 0; i < edges; i++) {
        struct edge e = from->edge(from, i);
        g->first[e.a]++;
        g->first[e.b]++;
    }
    u32 sum = 0; /* first[n] becomes the end of row n, and its start as the row is filled */
    for (u32 n = 0; n < g->nodes; n++)
        g->first[n] = sum += g->first[n];
    g->first[g->nodes] = sum;
    for (u32 i = edges; i-- > 0;) {
        struct edge e = from->edge(from, i);
        g->to[--g->first[e.a]] = e.b;
        g->to[--g->first[e.b]] = e.a;
    }
}

static struct edge uniform_edge(const struct generator *g, u64 n)
{
    return (struct edge){random_below(g->random, 2 * n, g->nodes),
                         random_below(g->random, 2 * n + 1, g->nodes)};
}

void graph_uniform(struct graph *g, u32 nodes, u32 degree, u64 seed)
{
    struct generator from = {
        .edge = uniform_edge, .random = random_stream(seed, "uniform"), .nodes = nodes};
    build(g, &from, nodes / 2 * degree);
}

/* A bijection on `scale` bits. */
static u32 scatter(u32 node, u32 scale)
{
    u32 mask = (1u << scale) - 1;
    node = node * 0x9e3779b1u & mask;
    node ^= node >> ((scale + 1) / 2);
    return node * 0x85ebca6bu & mask;
}

static struct edge rmat_edge(const struct generator *g, u64 n)
{
    /* of 65,536: the chance of each quarter, added up */
    enum { A = 37356, AB = A + 12452, ABC = AB + 12452 };
    u32 a = 0, b = 0;
    u64 bits = 0;
    for (u32 level = 0; level < g->scale; level++) {
        if (level % 4 == 0)
            bits = random_u64(g->random, 8 * n + level / 4);
        u32 dice = bits & 0xffff;
        bits >>= 16;
        a = a << 1 | (dice >= AB);
        b = b << 1 | ((dice >= A && dice < AB) || dice >= ABC);
    }
    return (struct edge){scatter(a, g->scale), scatter(b, g->scale)};
}

void graph_rmat(struct graph *g, u32 scale, u32 degree, u64 seed)
{
    struct generator from = {.edge = rmat_edge,
                             .random = random_stream(seed, "rmat"),
                             .nodes = 1u << scale,
                             .scale = scale};
    build(g, &from, from.nodes / 2 * degree);
}

u32 graph_hub(const struct graph *g)
{
    u32 hub = 0, most = 0;
    for (u32 n = 0; n < g->nodes; n++) {
        u32 degree = g->first[n + 1] - g->first[n];
        if (degree > most) {
            hub = n;
            most = degree;
        }
    }
    return hub;
}

void graph_fini(struct graph *g)
{
    free(g->first);
    free(g->to);
    *g = (struct graph){0};
}

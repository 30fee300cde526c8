#include "graph.h"

#include <stdio.h>
#include <stdlib.h>

/* of 65,536: the chance of each quarter, added up */
enum { RMAT_A = 37356, RMAT_AB = RMAT_A + 12452, RMAT_ABC = RMAT_AB + 12452 };

struct edge {
    u32 a, b;
};

/* Edge n of a generator; asked for twice, once to count and once to place. */
struct generator {
    struct edge (*edge)(const struct generator *g, u64 n);
    struct random random;
    u32 nodes, scale;
    const struct edge *list; /* of a simple graph */
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

/* The half of `size` nodes from `first` that a bit chooses; the lower one has the odd node. */
static void halve(u32 *first, u32 *size, bool upper)
{
    u32 lower = *size - *size / 2;
    *first += upper ? lower : 0;
    *size = upper ? *size / 2 : lower;
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
    g->edge = from->list ? new_array(g->arcs) : NULL;
    for (u32 i = edges; i-- > 0;) {
        struct edge e = from->edge(from, i);
        g->to[--g->first[e.a]] = e.b;
        g->to[--g->first[e.b]] = e.a;
        if (g->edge)
            g->edge[g->first[e.a]] = g->edge[g->first[e.b]] = i;
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
    u32 a = 0, b = 0;
    u64 bits = 0;
    for (u32 level = 0; level < g->scale; level++) {
        if (level % 4 == 0)
            bits = random_u64(g->random, 8 * n + level / 4);
        u32 dice = bits & 0xffff;
        bits >>= 16;
        a = a << 1 | (dice >= RMAT_AB);
        b = b << 1 | ((dice >= RMAT_A && dice < RMAT_AB) || dice >= RMAT_ABC);
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

void graph_shuffle(u32 *order, u32 count, struct random r)
{
    for (u32 i = 0; i < count; i++) {
        u32 at = random_below(r, i, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
}

/* A node as chances of the quarters take it: rows and columns are halved until one is left. */
static struct edge quartered_edge(struct random r, u64 n, u32 nodes)
{
    u32 a = 0, b = 0, rows = nodes, columns = nodes;
    for (u32 level = 0; rows > 1 || columns > 1; level++) {
        u32 dice = random_u64(r, 32 * n + level) & 0xffff;
        bool upper_row = dice >= RMAT_AB;
        halve(&a, &rows, upper_row && rows > 1);
        halve(&b, &columns, columns > 1 && ((dice >= RMAT_A && !upper_row) || dice >= RMAT_ABC));
    }
    return (struct edge){a, b};
}

static struct edge listed_edge(const struct generator *g, u64 n)
{
    return g->list[n];
}

/* Into a hash set of edges by their ends; false if it is there. */
static bool insert(u64 *set, u32 mask, struct edge e)
{
    u64 key = e.a < e.b ? (u64)e.a << 32 | e.b : (u64)e.b << 32 | e.a;
    u32 at = (u32)random_mix(key) & mask;
    for (; set[at]; at = (at + 1) & mask) {
        if (set[at] == key)
            return false;
    }
    set[at] = key; /* never 0: the ends differ */
    return true;
}

void graph_rmat_simple(struct graph *g, u32 nodes, u32 edges, u64 seed)
{
    if (nodes < 2 || (u64)edges * 8 > (u64)nodes * (nodes - 1)) {
        fprintf(stderr, "graph: %u edges between %u nodes, expected at most a quarter of all\n",
                edges, nodes);
        exit(2);
    }
    struct random r = random_stream(seed, "rmat simple");
    u32 mask = 1;
    while (mask < 2 * edges)
        mask = 2 * mask + 1;
    u64 *set = (u64 *)(void *)new_array(2 * ((size_t)mask + 1));
    u32 *number = new_array(nodes), have = 0;
    struct edge *list = (struct edge *)(void *)new_array(2 * (size_t)edges);
    graph_shuffle(number, nodes, random_stream(seed, "numbers"));
    for (u64 n = 0; have < edges; n++) {
        struct edge e = quartered_edge(r, n, nodes);
        if (e.a != e.b && insert(set, mask, e))
            list[have++] = (struct edge){number[e.a], number[e.b]};
    }
    struct generator from = {.edge = listed_edge, .nodes = nodes, .list = list};
    build(g, &from, edges);
    free(set);
    free(number);
    free(list);
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
    free(g->edge);
    *g = (struct graph){0};
}

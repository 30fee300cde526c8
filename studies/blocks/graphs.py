#!/usr/bin/env python3
"""How uneven graphs are around their nodes: local density and ranges of degrees (NDR).

graphs.py > graphs.csv      of R-MAT graphs of 10,000 edges, and of ratings, which is sgd's input
graphs.py --check           graphs drawn by hand

A node's local density is its degree by the number of nodes. NDR(n, d) is the largest less the smallest degree of all
nodes within d hops of n. The document says "diameter" and uses a radius; a power-law graph has hubs within five hops of
nearly every node. So three readings: five hops, two hops (a diameter of five nodes), and a walk over five nodes.
"""
import random
import sys


def graph_of(edges):
    """Sets of neighbours, by node."""
    neighbours = {}
    for a, b in edges:
        neighbours.setdefault(a, set()).add(b)
        neighbours.setdefault(b, set()).add(a)
    return neighbours


def density(g):
    n = len(g)
    return sum(len(x) for x in g.values()) / (n * (n - 1))


def spread(g, nodes):
    degrees = [len(g[n]) for n in nodes]
    return max(degrees) - min(degrees)


def within(g, node, hops):
    seen, last = {node}, {node}
    for _ in range(hops):
        last = {m for n in last for m in g[n]} - seen
        seen |= last
    return seen


def walk(g, node, count, draw):
    seen = [node]
    while len(seen) < count:
        seen.append(draw.choice(sorted(g[seen[-1]])))
    return seen


def rmat(nodes, edges, seed):
    """Graph500's R-MAT, simple: the larger half of an odd range comes first."""
    draw, found = random.Random(seed), set()
    while len(found) < edges:
        ends = []
        low, high = [0, 0], [nodes, nodes]
        while high[0] - low[0] > 1 or high[1] - low[1] > 1:
            p = draw.random()
            upper = (p >= 0.76, 0.57 <= p < 0.76 or p >= 0.95)
            for k in 0, 1:
                middle = low[k] + (high[k] - low[k] + 1) // 2
                if upper[k] and middle < high[k]:
                    low[k] = middle
                else:
                    high[k] = max(middle, low[k] + 1)
        ends = sorted(low)
        if ends[0] != ends[1]:
            found.add(tuple(ends))
    return graph_of(found)


def ratings(users, items, edges, seed):
    """Users and what they rated: popularity falls with a power of the rank."""
    draw, found = random.Random(seed), set()
    while len(found) < edges:
        found.add((int(users * draw.random() ** 2), users + int(items * draw.random() ** 3)))
    return graph_of(found)


def check():
    g = graph_of([(1, 10 + i) for i in range(5)] + [(1, 2), (2, 3), (3, 4)] + [(4, 20 + i) for i in range(6)])
    ndr = lambda n, d: spread(g, within(g, n, d))
    assert ndr(1, 1) == 5 and ndr(2, 1) == 4 and ndr(2, 2) == 6 and ndr(2, 0) == 0
    whole = graph_of([(a, b) for a in range(7) for b in range(a)])
    assert density(whole) == 1
    assert all(spread(whole, within(whole, n, 5)) == 0 for n in whole)
    r = rmat(500, 2000, 1)
    assert sum(len(x) for x in r.values()) == 4000 and max(r) < 500
    assert max(len(x) for x in r.values()) > 10 * 4000 / 500 / 2
    print("1..1\nok 1 - ranges of degrees and densities of graphs drawn by hand")


def describe(name, g):
    n, draw = len(g), random.Random(7)
    local = sorted(len(x) / n for x in g.values())
    chosen = sorted(draw.sample(sorted(g), min(n, 400)))
    below = lambda sets: 100 * sum(spread(g, s) < 10 for s in sets) / len(chosen)
    print("%s,%d,%d,%.6f,%.1f,%.4f,%.1f,%.1f,%.1f" % (
        name, n, sum(len(x) for x in g.values()) // 2, 100 * density(g),
        100 * sum(1e-5 <= x <= 1e-2 for x in local) / n, 100 * local[-1],
        below([within(g, c, 5) for c in chosen]), below([within(g, c, 2) for c in chosen]),
        below([walk(g, c, 5, draw) for c in chosen])))


def main():
    if sys.argv[1:] == ["--check"]:
        return check()
    print("# Percent: density; nodes with a local density of 0.001 to 1 %; the highest local density; nodes whose degrees within five hops,\n"
          "# within two, on a walk over five nodes differ by less than 10 (graphs.py).\n"
          "program,nodes,edges,density,local,most_local,ndr_hops,ndr_two,ndr_walk")
    for nodes in 500, 1000, 2000, 4000, 8000:
        describe("rmat-%d" % nodes, rmat(nodes, 10000, 1))
    describe("sgd", ratings(18000, 4500, 100000, 1))


main()

/*
 * Stands for kdtree (SPEC OMP): a k-d tree of points in space is built, and for each point its
 * neighbours within a radius are counted; what is done at a neighbour is the caller's function.
 * Arguments: points, queries of each thread's share in per cent.
 */
#include "hpc.h"

#define MOST 100000u

struct node {
    double at[3];
    struct node *below, *above;
};
static struct node nodes[MOST];
static u32 found_all;

typedef int order(const struct node *, const struct node *);
static int by_x(const struct node *a, const struct node *b)
{
    return (a->at[0] > b->at[0]) - (a->at[0] < b->at[0]);
}
static int by_y(const struct node *a, const struct node *b)
{
    return (a->at[1] > b->at[1]) - (a->at[1] < b->at[1]);
}
static int by_z(const struct node *a, const struct node *b)
{
    return (a->at[2] > b->at[2]) - (a->at[2] < b->at[2]);
}
static order *const orders[3] = {by_x, by_y, by_z};

static void swap(struct node *a, struct node *b)
{
    struct node t = *a;
    *a = *b;
    *b = t;
}

/* The middle one of n comes to its place (Hoare 1961). */
static void split(struct node *p, u32 n, order *compare)
{
    u32 low = 0, high = n - 1, middle = n / 2;
    while (low < high) {
        struct node pivot = p[middle];
        u32 i = low, j = high;
        for (;;) {
            while (compare(&p[i], &pivot) < 0)
                i++;
            while (compare(&pivot, &p[j]) < 0)
                j--;
            if (i <= j) {
                swap(&p[i], &p[j]);
                i++;
                if (!j--)
                    break;
            }
            if (i > j)
                break;
        }
        if (j + 1 <= middle && i <= middle)
            low = i;
        else if (j >= middle)
            high = j;
        else
            return;
    }
}

static struct node *build(struct node *p, u32 n, u32 axis)
{
    if (!n)
        return NULL;
    split(p, n, orders[axis]);
    struct node *root = p + n / 2;
    u32 next = (axis + 1) % 3, above = n - n / 2 - 1;
#pragma omp task firstprivate(root, p, n, next) if (n > 2000)
    root->below = build(p, n / 2, next);
#pragma omp task firstprivate(root, above, next) if (n > 2000)
    root->above = build(root + 1, above, next);
#pragma omp taskwait
    return root;
}

typedef void visit(const struct node *n, void *context);
static void count_it(const struct node *n, void *context)
{
    (void)n;
    ++*(u32 *)context;
}

static void search(const struct node *n, const double q[3], double r, u32 axis, visit *seen,
                   void *context)
{
    if (!n)
        return;
    double d = q[axis] - n->at[axis], sum = 0;
    for (u32 k = 0; k < 3; k++)
        sum += (q[k] - n->at[k]) * (q[k] - n->at[k]);
    if (sum <= r * r)
        seen(n, context);
    u32 next = axis == 2 ? 0 : axis + 1;
    if (d <= r)
        search(n->below, q, r, next, seen, context);
    if (d >= -r)
        search(n->above, q, r, next, seen, context);
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 8000, MOST), percent = argument(argc, argv, 2, 60, 100);
    u32 queries = (u32)((u64)n * percent / 100), found = 0, wrong = 0;
    struct node *root = NULL;
    visit *volatile seen = count_it;
#pragma omp parallel for
    for (u32 i = 0; i < 3 * n; i++)
        nodes[i / 3].at[i % 3] = unit_at(i);
        /* tasks are done at the barrier behind the single thread, within the region */
#pragma omp parallel reduction(+ : found, wrong)
    {
#pragma omp single
        root = build(nodes, n, 0);
#pragma omp for
        for (u32 i = 0; i < queries; i++) {
            u32 own = 0;
            search(root, nodes[i].at, 0.06, 0, seen, &own);
            wrong += own == 0; /* it finds itself */
            found += own;
        }
    }
    found_all = found;
    if (wrong)
        return answer(wrong, 0, 0);
    /* points in a sphere, less what lies outside the cube */
    return answer((double)found / queries / (n * 4.18879 * 0.06 * 0.06 * 0.06), 0.7, 1.2);
}

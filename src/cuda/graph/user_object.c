#include "cuda/graph/user_object.h"

#include "base/arena.h"
#include "cuda/graph/graph.h"

#include <stdlib.h>

CUresult cu_user_object_new(void *data, CUhostFn destroy, u32 references,
                            struct cu_user_object **out)
{
    if (!destroy || !references || references > INT32_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    struct cu_user_object *o = cu_object_new(sizeof(*o), CU_KIND_USER_OBJECT, NULL);
    o->data = data;
    o->destroy = destroy;
    o->references = references;
    *out = o;
    return CUDA_SUCCESS;
}

CUresult cu_user_object_retain(struct cu_user_object *o, u32 count)
{
    if (!cu_object_is(o, CU_KIND_USER_OBJECT) || !count || count > INT32_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    o->references += count;
    return CUDA_SUCCESS;
}

/* The application's function may not call CUDA, so the lock can stay. */
CUresult cu_user_object_release(struct cu_user_object *o, u32 count)
{
    if (!cu_object_is(o, CU_KIND_USER_OBJECT) || !count || count > o->references)
        return CUDA_ERROR_INVALID_VALUE;
    o->references -= count;
    if (o->references)
        return CUDA_SUCCESS;
    CUhostFn destroy = o->destroy;
    void *data = o->data;
    cu_object_delete(o);
    destroy(data);
    return CUDA_SUCCESS;
}

static struct cu_user_hold *hold_find(CUgraph graph, const struct cu_user_object *o)
{
    for (u32 i = 0; i < graph->hold_count; i++) {
        if (graph->holds[i].object == o)
            return &graph->holds[i];
    }
    return NULL;
}

CUresult cu_graph_hold(CUgraph graph, struct cu_user_object *o, u32 count, bool move)
{
    if (!cu_object_is(o, CU_KIND_USER_OBJECT) || !count || (move && count > o->references))
        return CUDA_ERROR_INVALID_VALUE;
    struct cu_user_hold *h = hold_find(graph, o);
    if (!h) {
        graph->holds = xrealloc(graph->holds, (graph->hold_count + 1) * sizeof(*h));
        h = &graph->holds[graph->hold_count++];
        *h = (struct cu_user_hold){.object = o};
    }
    h->count += count;
    return move ? CUDA_SUCCESS : cu_user_object_retain(o, count);
}

CUresult cu_graph_let_go(CUgraph graph, struct cu_user_object *o, u32 count)
{
    struct cu_user_hold *h = hold_find(graph, o);
    if (!h || !count || count > h->count)
        return CUDA_ERROR_INVALID_VALUE;
    h->count -= count;
    if (!h->count)
        *h = graph->holds[--graph->hold_count];
    return cu_user_object_release(o, count);
}

/* An instance or copy of a graph holds each of its objects once. */
void cu_graph_hold_all(CUgraph graph, CUgraph of)
{
    for (u32 i = 0; i < of->hold_count; i++)
        cu_graph_hold(graph, of->holds[i].object, 1, false);
}

void cu_graph_let_go_all(CUgraph graph)
{
    while (graph->hold_count) {
        struct cu_user_hold h = graph->holds[--graph->hold_count];
        cu_user_object_release(h.object, h.count);
    }
    free(graph->holds);
    graph->holds = NULL;
}

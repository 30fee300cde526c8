#include "cuda/graph/graph.h"

#include "base/arena.h"
#include "cuda/graph/capture.h"
#include "cuda/graph/conditional.h"
#include "cuda/core/event.h"
#include "cuda/graph/graph_memory.h"
#include "cuda/code/module.h"
#include "cuda/core/stream.h"

#include <stdlib.h>
#include <string.h>

CUgraph cu_graph_create(void)
{
    return cu_object_new(sizeof(struct CUgraph_st), CU_KIND_GRAPH, NULL);
}

static void node_delete(CUgraphNode node)
{
    cu_work_fini(&node->work);
    free(node->after);
    free(node->param_slots);
    cu_attributes_fini(&node->attributes);
    cu_object_delete(node);
}

void cu_graph_destroy(CUgraph graph)
{
    for (u32 i = 0; i < graph->count; i++)
        node_delete(graph->nodes[i]);
    free(graph->nodes);
    cu_graph_let_go_all(graph);
    cu_object_delete(graph);
}

void cu_graph_delete_all(void)
{
    struct cu_object *ring = &cu_core()->objects;
    for (struct cu_object *o = ring->next; o != ring;) {
        bool is_exec = o->kind == CU_KIND_EXEC;
        if (is_exec)
            cu_graph_exec_destroy((CUgraphExec)o);
        else if (o->kind == CU_KIND_GRAPH && !((CUgraph)o)->is_child)
            cu_graph_destroy((CUgraph)o);
        else {
            o = o->next;
            continue;
        }
        o = ring->next;
    }
}

static CUgraphNode node_append(CUgraph graph)
{
    if (graph->count == graph->capacity) {
        graph->capacity = graph->capacity ? 2 * graph->capacity : 8;
        graph->nodes = xrealloc(graph->nodes, graph->capacity * sizeof(CUgraphNode));
    }
    CUgraphNode n = cu_object_new(sizeof(*n), CU_KIND_NODE, NULL);
    n->graph = graph;
    graph->nodes[graph->count++] = n;
    return n;
}

static void edge_add(CUgraphNode from, CUgraphNode to)
{
    for (u32 i = 0; i < to->after_count; i++) {
        if (to->after[i] == from)
            return;
    }
    to->after = xrealloc(to->after, (to->after_count + 1) * sizeof(CUgraphNode));
    to->after[to->after_count++] = from;
}

static bool edge_remove(CUgraphNode from, CUgraphNode to)
{
    for (u32 i = 0; i < to->after_count; i++) {
        if (to->after[i] == from) {
            memmove(to->after + i, to->after + i + 1,
                    (to->after_count - i - 1) * sizeof(CUgraphNode));
            to->after_count--;
            return true;
        }
    }
    return false;
}

static bool is_node_of(CUgraph graph, CUgraphNode node)
{
    return cu_object_is(node, CU_KIND_NODE) && node->graph == graph;
}

CUresult cu_graph_add(CUgraph graph, const CUgraphNode *after, size_t after_count,
                      struct cu_work *take_work, CUgraphNode *out)
{
    bool ok = after_count == 0 || after;
    for (size_t i = 0; ok && i < after_count; i++)
        ok = is_node_of(graph, after[i]);
    if (!ok) {
        cu_work_fini(take_work);
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUgraphNode n = node_append(graph);
    n->work = *take_work;
    for (size_t i = 0; i < after_count; i++)
        edge_add(after[i], n);
    *out = n;
    return CUDA_SUCCESS;
}

CUresult cu_graph_connect(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_node_of(graph, from[i]) || !is_node_of(graph, to[i]) || from[i] == to[i])
            return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count; i++)
        edge_add(from[i], to[i]);
    return CUDA_SUCCESS;
}

CUresult cu_graph_disconnect(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_node_of(graph, from[i]) || !is_node_of(graph, to[i]) ||
            !edge_remove(from[i], to[i]))
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

void cu_graph_remove(CUgraphNode node)
{
    CUgraph g = node->graph;
    u32 kept = 0;
    for (u32 i = 0; i < g->count; i++) {
        if (g->nodes[i] == node)
            continue;
        edge_remove(node, g->nodes[i]);
        g->nodes[kept++] = g->nodes[i];
    }
    g->count = kept;
    node_delete(node);
}

CUgraphNode cu_graph_find_clone(CUgraph graph, CUgraphNode original)
{
    for (u32 i = 0; i < graph->count; i++) {
        if (graph->nodes[i]->origin == original)
            return graph->nodes[i];
    }
    return NULL;
}

/* Nodes in the order given; `mark` of the originals is their place in it. */
static CUgraph clone_ordered(CUgraph graph, CUgraphNode *const *order)
{
    CUgraph copy = cu_graph_create();
    for (u32 i = 0; i < graph->count; i++) {
        CUgraphNode from = *order[i], to = node_append(copy);
        from->mark = i;
        to->origin = from;
        to->is_disabled = from->is_disabled;
        to->work = cu_work_clone(&from->work);
        cu_attributes_copy(&to->attributes, &from->attributes);
        if (to->work.kind == CU_WORK_GRAPH)
            to->work.graph->is_child = true;
    }
    for (u32 i = 0; i < graph->count; i++) {
        for (u32 k = 0; k < (*order[i])->after_count; k++)
            edge_add(copy->nodes[(*order[i])->after[k]->mark], copy->nodes[i]);
    }
    cu_graph_hold_all(copy, graph);
    return copy;
}

CUgraph cu_graph_clone(CUgraph graph)
{
    CUgraphNode **order = xrealloc(NULL, (graph->count + 1) * sizeof(*order));
    for (u32 i = 0; i < graph->count; i++)
        order[i] = &graph->nodes[i];
    CUgraph copy = clone_ordered(graph, order);
    free(order);
    return copy;
}

CUgraphNodeType cu_graph_node_type(const struct CUgraphNode_st *node)
{
    static const CUgraphNodeType types[] = {
        [CU_WORK_EMPTY] = CU_GRAPH_NODE_TYPE_EMPTY,
        [CU_WORK_KERNEL] = CU_GRAPH_NODE_TYPE_KERNEL,
        [CU_WORK_COPY] = CU_GRAPH_NODE_TYPE_MEMCPY,
        [CU_WORK_FILL] = CU_GRAPH_NODE_TYPE_MEMSET,
        [CU_WORK_HOST] = CU_GRAPH_NODE_TYPE_HOST,
        [CU_WORK_CALLBACK] = CU_GRAPH_NODE_TYPE_HOST,
        [CU_WORK_RECORD] = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
        [CU_WORK_WAIT] = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
        [CU_WORK_FREE] = CU_GRAPH_NODE_TYPE_MEM_FREE,
        [CU_WORK_ALLOC] = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
        [CU_WORK_WRITE] = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
        [CU_WORK_WAIT_VALUE] = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
        [CU_WORK_CONDITIONAL] = CU_GRAPH_NODE_TYPE_CONDITIONAL,
        [CU_WORK_GRAPH] = CU_GRAPH_NODE_TYPE_GRAPH,
    };
    return types[node->work.kind];
}

bool cu_graph_comes_before(CUgraphNode node, const CUgraphNode *set, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        if (set[i] == node || cu_graph_comes_before(node, set[i]->after, set[i]->after_count))
            return true;
    }
    return false;
}

CUresult cu_graph_node_set(CUgraphNode node, struct cu_work *take_work)
{
    if (take_work->kind != node->work.kind) {
        cu_work_fini(take_work);
        return CUDA_ERROR_INVALID_VALUE;
    }
    cu_work_fini(&node->work);
    node->work = *take_work;
    return CUDA_SUCCESS;
}

CUresult cu_graph_kernel_attribute(CUgraphNode node, u32 id, const CUlaunchAttributeValue *value)
{
    CU_TRY(cu_attributes_set(&node->attributes, id, value));
    if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        node->work.kernel.cooperative = value->cooperative != 0;
    return CUDA_SUCCESS;
}

void cu_graph_kernel_params(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params)
{
    const struct cu_kernel_work *k = &node->work.kernel;
    const struct kernel_info *info = cu_function_info(k->function);
    node->param_slots = xrealloc(node->param_slots, (info->param_count + 1) * sizeof(void *));
    for (u32 i = 0; i < info->param_count; i++)
        node->param_slots[i] = (u8 *)k->params + info->params[i].offset;
    *params = (CUDA_KERNEL_NODE_PARAMS){.func = k->function,
                                        .gridDimX = k->grid[0],
                                        .gridDimY = k->grid[1],
                                        .gridDimZ = k->grid[2],
                                        .blockDimX = k->block[0],
                                        .blockDimY = k->block[1],
                                        .blockDimZ = k->block[2],
                                        .sharedMemBytes = k->shared_bytes,
                                        .kernelParams = node->param_slots};
}

CUresult cu_graph_list(CUgraph graph, bool roots_only, CUgraphNode *nodes, size_t *count)
{
    size_t found = 0;
    for (u32 i = 0; i < graph->count; i++) {
        if (roots_only && graph->nodes[i]->after_count)
            continue;
        if (nodes && found < *count)
            nodes[found] = graph->nodes[i];
        found++;
    }
    for (size_t i = found; nodes && i < *count; i++)
        nodes[i] = NULL;
    if (!nodes || found < *count)
        *count = found;
    return CUDA_SUCCESS;
}

CUresult cu_graph_edges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
    size_t found = 0;
    if (!from != !to)
        return CUDA_ERROR_INVALID_VALUE;
    for (u32 i = 0; i < graph->count; i++) {
        for (u32 k = 0; k < graph->nodes[i]->after_count; k++, found++) {
            if (from && found < *count) {
                from[found] = graph->nodes[i]->after[k];
                to[found] = graph->nodes[i];
            }
        }
    }
    if (!from || found < *count)
        *count = found;
    return CUDA_SUCCESS;
}

CUresult cu_graph_neighbours(CUgraphNode node, bool before, CUgraphNode *nodes, size_t *count)
{
    size_t found = 0;
    CUgraph g = node->graph;
    for (u32 i = 0; i < g->count; i++) {
        CUgraphNode first = before ? g->nodes[i] : node, second = before ? node : g->nodes[i];
        bool linked = false;
        for (u32 k = 0; k < second->after_count; k++)
            linked |= second->after[k] == first;
        if (!linked)
            continue;
        if (nodes && found < *count)
            nodes[found] = g->nodes[i];
        found++;
    }
    if (!nodes || found < *count)
        *count = found;
    return CUDA_SUCCESS;
}

/* Repeatedly the first node whose dependencies are all placed; false: there is a cycle. */
static bool graph_order(CUgraph graph, CUgraphNode **order)
{
    for (u32 i = 0; i < graph->count; i++)
        graph->nodes[i]->mark = 0;
    for (u32 placed = 0; placed < graph->count; placed++) {
        u32 pick = 0;
        for (; pick < graph->count; pick++) {
            CUgraphNode n = graph->nodes[pick];
            bool ready = !n->mark;
            for (u32 k = 0; ready && k < n->after_count; k++)
                ready = n->after[k]->mark;
            if (ready)
                break;
        }
        if (pick == graph->count)
            return false;
        graph->nodes[pick]->mark = 1;
        order[placed] = &graph->nodes[pick];
    }
    return true;
}

CUgraphNode *cu_graph_order(CUgraph graph)
{
    CUgraphNode **places = xrealloc(NULL, (graph->count + 1) * sizeof(*places));
    CUgraphNode *order = NULL;
    if (graph_order(graph, places)) {
        order = xrealloc(NULL, (graph->count + 1) * sizeof(*order));
        for (u32 i = 0; i < graph->count; i++)
            order[i] = *places[i];
    }
    free(places);
    return order;
}

CUresult cu_graph_instantiate(CUgraph graph, u64 flags, CUgraphExec *out)
{
    CUgraphNode **order = xrealloc(NULL, (graph->count + 1) * sizeof(*order));
    if (!graph_order(graph, order)) {
        free(order);
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUgraphExec e = cu_object_new(sizeof(*e), CU_KIND_EXEC, NULL);
    e->graph = clone_ordered(graph, order);
    e->graph->is_child = true;
    e->flags = flags;
    free(order);
    *out = e;
    return CUDA_SUCCESS;
}

void cu_graph_exec_destroy(CUgraphExec exec)
{
    cu_graph_destroy(exec->graph);
    cu_object_delete(exec);
}

/* Memory of the last launch that nobody freed: given back if the instance says so. */
static CUresult memory_check(CUgraphExec exec, CUstream stream)
{
    for (u32 i = 0; i < exec->graph->count; i++) {
        const struct cu_work *w = &exec->graph->nodes[i]->work;
        if (w->kind != CU_WORK_ALLOC || !w->memory->is_taken)
            continue;
        if (!(exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH))
            return CUDA_ERROR_INVALID_VALUE;
        struct cu_work give_back = {.kind = CU_WORK_FREE, .address = w->memory->address};
        CU_TRY(cu_submit(stream, &give_back));
    }
    return CUDA_SUCCESS;
}

/* Memory is taken and given back in the order of submission. */
static void launch_note(const struct cu_work *w)
{
    struct cu_graph_memory *freed =
        w->kind == CU_WORK_FREE ? cu_graph_memory_find(w->address) : NULL;
    if (w->kind == CU_WORK_ALLOC)
        w->memory->is_taken = true;
    if (freed)
        freed->is_taken = false;
}

static CUresult graph_submit(CUgraph ordered, CUstream stream)
{
    for (u32 i = 0; i < ordered->count; i++) {
        CUgraphNode n = ordered->nodes[i];
        if (n->is_disabled)
            continue;
        CUresult status = CUDA_SUCCESS;
        if (n->work.kind == CU_WORK_RECORD) {
            status = cu_event_record(n->work.event.event, stream, 0);
        } else if (n->work.kind == CU_WORK_WAIT) {
            status = cu_event_make_wait(n->work.event.event, stream, 0);
        } else if (n->work.kind == CU_WORK_GRAPH) {
            CUgraphExec child;
            status = cu_graph_instantiate(n->work.graph, 0, &child);
            if (status == CUDA_SUCCESS) {
                status = graph_submit(child->graph, stream);
                cu_graph_exec_destroy(child);
            }
        } else {
            launch_note(&n->work);
            struct cu_work work = cu_work_clone(&n->work);
            status = cu_submit(stream, &work);
        }
        CU_TRY(status);
    }
    return CUDA_SUCCESS;
}

/* Conditions of the graph, and of bodies in bodies, get the values that they start with. */
static void conditions_begin(CUgraph graph)
{
    for (u32 i = 0; i < graph->count; i++) {
        const struct cu_work *w = &graph->nodes[i]->work;
        if (w->kind == CU_WORK_GRAPH)
            conditions_begin(w->graph);
        if (w->kind != CU_WORK_CONDITIONAL)
            continue;
        cu_condition_begin(w->conditional->handle);
        for (u32 k = 0; k < w->conditional->count; k++)
            conditions_begin(w->conditional->bodies[k]);
    }
}

CUresult cu_graph_launch(CUgraphExec exec, CUstream stream)
{
    CU_TRY(cu_capture_check(stream));
    if (stream->capture) {
        struct cu_work work = {.kind = CU_WORK_GRAPH, .graph = cu_graph_clone(exec->graph)};
        work.graph->is_child = true;
        return cu_submit(stream, &work);
    }
    CU_TRY(memory_check(exec, stream));
    conditions_begin(exec->graph);
    struct cu_core *core = cu_core();
    core->graph_launch = ++core->next_id;
    core->graph_exec = exec;
    CUresult status = graph_submit(exec->graph, stream);
    core->graph_launch = 0;
    core->graph_exec = NULL;
    cu_run_submitted();
    return status;
}

CUresult cu_graph_exec_update(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *result)
{
    CUgraphExec fresh;
    CU_TRY(cu_graph_instantiate(graph, exec->flags, &fresh));
    *result = (CUgraphExecUpdateResultInfo){.result = CU_GRAPH_EXEC_UPDATE_SUCCESS};
    CUgraph old = exec->graph, new = fresh->graph;
    if (old->count != new->count)
        result->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    for (u32 i = 0; !result->result && i < new->count; i++) {
        result->errorNode = new->nodes[i]->origin;
        if (new->nodes[i]->after_count != old->nodes[i]->after_count)
            result->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
        else if (new->nodes[i]->work.kind != old->nodes[i]->work.kind)
            result->result = CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    }
    if (result->result) {
        cu_graph_exec_destroy(fresh);
        return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    }
    result->errorNode = NULL;
    /* the nodes of the first graph stay the names for the parts of exec */
    for (u32 i = 0; i < new->count; i++)
        new->nodes[i]->origin = old->nodes[i]->origin;
    exec->graph = new;
    fresh->graph = old;
    cu_graph_exec_destroy(fresh);
    return CUDA_SUCCESS;
}

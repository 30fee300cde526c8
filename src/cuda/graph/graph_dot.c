/* Graphs for Graphviz. */
#include "cuda/graph/graph.h"
#include "cuda/code/module.h"

#include <stdio.h>

static void node_label(FILE *f, const struct CUgraphNode_st *node)
{
    static const char *const names[] = {
        [CU_WORK_EMPTY] = "EMPTY",
        [CU_WORK_KERNEL] = "KERNEL",
        [CU_WORK_COPY] = "MEMCPY",
        [CU_WORK_FILL] = "MEMSET",
        [CU_WORK_HOST] = "HOST",
        [CU_WORK_CALLBACK] = "HOST",
        [CU_WORK_RECORD] = "EVENT_RECORD",
        [CU_WORK_WAIT] = "EVENT_WAIT",
        [CU_WORK_FREE] = "MEM_FREE",
        [CU_WORK_ALLOC] = "MEM_ALLOC",
        [CU_WORK_WRITE] = "MEM_OP",
        [CU_WORK_WAIT_VALUE] = "MEM_OP",
        [CU_WORK_CONDITIONAL] = "CONDITIONAL",
        [CU_WORK_GRAPH] = "GRAPH",
    };
    fputs(names[node->work.kind], f);
    if (node->work.kind == CU_WORK_KERNEL)
        fprintf(f, "\\n%s\\n<<<(%u,%u,%u),(%u,%u,%u),%u>>>",
                cu_function_info(node->work.kernel.function)->name, node->work.kernel.grid[0],
                node->work.kernel.grid[1], node->work.kernel.grid[2], node->work.kernel.block[0],
                node->work.kernel.block[1], node->work.kernel.block[2],
                node->work.kernel.shared_bytes);
}

CUresult cu_graph_print(CUgraph graph, const char *path)
{
    FILE *f = fopen(path, "we");
    if (!f)
        return CUDA_ERROR_OPERATING_SYSTEM;
    fputs("digraph dot {\nnode [shape=box];\n", f);
    for (u32 i = 0; i < graph->count; i++) {
        graph->nodes[i]->mark = i;
        fprintf(f, "n%u [label=\"%u\\n", i, i);
        node_label(f, graph->nodes[i]);
        fputs("\"];\n", f);
    }
    for (u32 i = 0; i < graph->count; i++) {
        for (u32 k = 0; k < graph->nodes[i]->after_count; k++)
            fprintf(f, "n%u -> n%u;\n", graph->nodes[i]->after[k]->mark, i);
    }
    fputs("}\n", f);
    return fclose(f) == 0 ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

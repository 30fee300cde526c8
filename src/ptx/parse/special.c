#include "ptx/parse/module.h"

/* clang-format off */
#define XYZ(id, name) \
    [SPECIAL_##id##_X] = {name ".x", 4, false}, \
    [SPECIAL_##id##_Y] = {name ".y", 4, false}, \
    [SPECIAL_##id##_Z] = {name ".z", 4, false}

const struct special_info special_info[SPECIAL_COUNT] = {
    XYZ(TID, "tid"), XYZ(NTID, "ntid"), XYZ(CTAID, "ctaid"), XYZ(NCTAID, "nctaid"),
    [SPECIAL_LANEID] = {"laneid", 4, false},
    [SPECIAL_WARPID] = {"warpid", 4, false},
    [SPECIAL_NWARPID] = {"nwarpid", 4, false},
    [SPECIAL_SMID] = {"smid", 4, false},
    [SPECIAL_NSMID] = {"nsmid", 4, false},
    [SPECIAL_GRIDID] = {"gridid", 8, false},
    [SPECIAL_LANEMASK_EQ] = {"lanemask_eq", 4, false},
    [SPECIAL_LANEMASK_LE] = {"lanemask_le", 4, false},
    [SPECIAL_LANEMASK_LT] = {"lanemask_lt", 4, false},
    [SPECIAL_LANEMASK_GE] = {"lanemask_ge", 4, false},
    [SPECIAL_LANEMASK_GT] = {"lanemask_gt", 4, false},
    [SPECIAL_CLOCK] = {"clock", 4, true},
    [SPECIAL_CLOCK_HI] = {"clock_hi", 4, true},
    [SPECIAL_CLOCK64] = {"clock64", 8, true},
    [SPECIAL_GLOBALTIMER] = {"globaltimer", 8, true},
    [SPECIAL_GLOBALTIMER_LO] = {"globaltimer_lo", 4, true},
    [SPECIAL_GLOBALTIMER_HI] = {"globaltimer_hi", 4, true},
    [SPECIAL_DYNAMIC_SMEM_SIZE] = {"dynamic_smem_size", 4, false},
    [SPECIAL_TOTAL_SMEM_SIZE] = {"total_smem_size", 4, false},
    [SPECIAL_AGGR_SMEM_SIZE] = {"aggr_smem_size", 4, false},
    [SPECIAL_CURRENT_GRAPH_EXEC] = {"current_graph_exec", 8, false},
    [SPECIAL_RESERVED_SMEM_BEGIN] = {"reserved_smem_offset_begin", 4, false},
    [SPECIAL_RESERVED_SMEM_END] = {"reserved_smem_offset_end", 4, false},
    [SPECIAL_RESERVED_SMEM_CAP] = {"reserved_smem_offset_cap", 4, false},
    [SPECIAL_RESERVED_SMEM_0] = {"reserved_smem_offset_0", 4, false},
    [SPECIAL_RESERVED_SMEM_1] = {"reserved_smem_offset_1", 4, false},
    [SPECIAL_WARP_SIZE] = {"WARP_SZ", 4, false},
    XYZ(CLUSTERID, "clusterid"), XYZ(NCLUSTERID, "nclusterid"),
    XYZ(CLUSTER_CTAID, "cluster_ctaid"), XYZ(CLUSTER_NCTAID, "cluster_nctaid"),
    [SPECIAL_CLUSTER_CTARANK] = {"cluster_ctarank", 4, false},
    [SPECIAL_CLUSTER_NCTARANK] = {"cluster_nctarank", 4, false},
    [SPECIAL_IS_EXPLICIT_CLUSTER] = {"is_explicit_cluster", 0, false},
};
/* clang-format on */

u8 special_bytes(u32 special)
{
    bool environment = special >= SPECIAL_ENVREG0 && special <= SPECIAL_ENVREG31;
    return environment ? 4 : special_info[special].bytes;
}

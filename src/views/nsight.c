#include "views/nsight.h"

#include "gpu/config.h"

/* clang-format off */
const struct nsight_name nsight_names[] = {
    /* metric                                                      column                 on the page "details" */
    {"sm__cycles_elapsed.max",                                     "cycles",              NULL},
    {"gpc__cycles_elapsed.max",                                    "cycles",              "Elapsed Cycles"},
    {"sm__cycles_active.max",                                      "active_cycles_max",   NULL},
    {"sm__cycles_active.avg",                                      "active_cycles",       "SM Active Cycles"},
    {"gpu__time_duration.sum",                                     "ns",                  "Duration"},
    {"smsp__inst_executed.sum",                                    "warp_insts",          NULL},
    {"smsp__thread_inst_executed.sum",                             "thread_insts",        NULL},
    {"launch__registers_per_thread",                               "registers",           "Registers Per Thread"},
    {"launch__shared_mem_per_block_static",                        "shared_static",       "Static Shared Memory Per Block"},
    {"launch__shared_mem_per_block_dynamic",                       "shared_dynamic",      "Dynamic Shared Memory Per Block"},
    {"launch__shared_mem_config_size",                             "shared_config",       "Shared Memory Configuration Size"},
    {"sm__warps_active.avg.pct_of_peak_sustained_active",          "occupancy_pct",       "Achieved Occupancy"},
    {"sm__maximum_warps_per_active_cycle_pct",                     "occupancy_limit_pct", "Theoretical Occupancy"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",            "ld_requests",         NULL},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",             "ld_sectors",          NULL},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",  "ld_sector_hits",      NULL},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",             "st_sectors",          NULL},
    {"smsp__inst_executed_op_shared_ld.sum",                       "shared_ld_insts",     NULL},
    {"smsp__inst_executed_op_shared_st.sum",                       "shared_st_insts",     NULL},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",       "shared_ld_wavefronts", NULL},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",       "shared_st_wavefronts", NULL},
    {"lts__t_sectors_srcunit_tex_op_read.sum",                     "l2_rd_sectors",       NULL},
    {"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",          "l2_rd_hits",          NULL},
    {"lts__t_sectors_srcunit_tex_op_write.sum",                    "l2_wr_sectors",       NULL},
    {"lts__t_sectors_op_atom.sum",                                 "l2_atom_sectors",     NULL},
    {"lts__t_sectors_op_red.sum",                                  "l2_red_sectors",      NULL},
    {"dram__bytes_read.sum",                                       "dram_rd_bytes",       NULL},
    {"dram__bytes_write.sum",                                      "dram_wr_bytes",       NULL},
    {NULL, NULL, NULL},
};
/* clang-format on */

double kernel_occupancy(const struct gpu *g, const struct kernel_record *r)
{
    const struct sm_config *c = &g->config->sm;
    u64 all = 0;
    for (u32 i = 0; i < SLOT_NO_WARP; i++)
        all += r->numbers.core_slots[i];
    return all ? 100.0 * (double)r->numbers.warp_cycles / ((double)all * c->warps) : 0;
}

double kernel_occupancy_limit(const struct gpu *g, const struct kernel_record *r)
{
    const struct sm_config *c = &g->config->sm;
    u64 warps = (r->threads_per_block + 31) / 32 * r->blocks_per_sm;
    return 100.0 * (double)min_u64(warps, c->warps) / c->warps;
}

json_t *nsight_json(const struct gpu *g, const struct kernel_record *r)
{
    const struct gpu_counters *n = &r->numbers;
    const struct {
        const char *name;
        u64 value;
    } amounts[] = {
        {"launch__grid_size", r->blocks},
        {"launch__block_size", r->threads_per_block},
        {"launch__registers_per_thread", r->registers},
        {"launch__occupancy_limit_blocks", r->blocks_per_sm},
        {"sm__cycles_elapsed.max", n->cycles},
        {"sm__cycles_active.max", n->cycles - min_u64(n->cycles, g->config->launch.cycles)},
        {"smsp__inst_executed.sum", n->warp_instructions},
        {"smsp__thread_inst_executed.sum", n->thread_instructions},
        {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", n->load_requests},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", n->l1_sectors},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
         n->l1_sectors - n->l1_sectors_missed},
        {"lts__t_sectors_srcunit_tex_op_read.sum", n->l2_read_sectors},
        {"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
         n->l2_read_sectors - n->l2_read_sectors_missed - n->l2_read_sectors_across},
        {"lts__t_sectors_srcunit_tex_op_write.sum", n->l2_write_sectors},
        {"lts__t_sectors_op_atom.sum", n->l2_atomic_sectors},
        {"lts__t_sectors_op_red.sum", n->l2_reduction_sectors},
        {"dram__bytes_read.sum", n->dram_read_bytes},
        {"dram__bytes_write.sum", n->dram_written_bytes},
    };
    json_t *o = json_object();
    for (size_t i = 0; i < ARRAY_LEN(amounts); i++)
        json_object_set_new(o, amounts[i].name, json_integer((json_int_t)amounts[i].value));
    json_object_set_new(o, "gpu__time_duration.sum",
                        json_real((double)n->cycles * 1e9 / gpu_mean_hz(g)));
    json_object_set_new(o, "sm__warps_active.avg.pct_of_peak_sustained_active",
                        json_real(kernel_occupancy(g, r)));
    json_object_set_new(o, "sm__maximum_warps_per_active_cycle_pct",
                        json_real(kernel_occupancy_limit(g, r)));
    return o;
}

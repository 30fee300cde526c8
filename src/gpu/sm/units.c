#include "gpu/sm/units.h"

#include <assert.h>

void units_init(struct units *u, struct arena *arena, const struct sm_config *c)
{
    const struct units_config *k = &c->units;
    const struct {
        const struct unit_config *config;
        enum pipe pipe;
        enum op_unit unit;
        bool shares;
    } rows[] = {
        {&k->integer, PIPE_INT, UNIT_INT, k->integer_on_fp32 || !k->integer.pipes},
        {&k->fp32, PIPE_FP32, UNIT_FP32, false},
        {&k->fp64, PIPE_FP64, UNIT_FP64, !k->fp64.pipes},
        {&k->fp16, PIPE_FP16, UNIT_FP16, k->fp16_on_fp32 || !k->fp16.pipes},
        {&k->sfu, PIPE_SFU, UNIT_SFU, !k->sfu.pipes},
        {&k->tensor, PIPE_TENSOR, UNIT_TENSOR, !k->tensor.pipes},
        {&k->integer, PIPE_INT, UNIT_BRANCH, k->integer_on_fp32 || !k->integer.pipes},
    };
    u->sub_cores = c->sub_cores;
    u->operands = &c->operands;
    u->collects = c->operands.enabled;
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        u->pipe_of[rows[i].unit] = (u8)(rows[i].shares ? PIPE_FP32 : rows[i].pipe);
        u->pipes[rows[i].pipe] = (u8)rows[i].config->pipes;
        for (u32 cost = 0; cost < COST_COUNT; cost++) {
            u->latency[rows[i].unit][cost] = (u16)unit_latency(rows[i].config, (enum op_cost)cost);
            u->interval[rows[i].unit][cost] =
                (u16)unit_interval(rows[i].config, (enum op_cost)cost);
        }
        u->latency[rows[i].unit][COST_COMPARE] += (u16)c->guard_cycles;
    }
    if (k->wide_latency)
        u->latency[UNIT_INT][COST_WIDE] = (u16)k->wide_latency;
    if (k->wide_interval)
        u->interval[UNIT_INT][COST_WIDE] = (u16)k->wide_interval;
    for (u32 cost = 0; cost < COST_COUNT; cost++) /* address arithmetic the LSU does by itself */
        u->latency[UNIT_MEMORY][cost] = u->latency[UNIT_INT][COST_SIMPLE];
    u->bank_free = ARENA_ARRAY(arena, cycle_t, c->operands.banks);
    for (u32 s = 0; s < MOST_SCHEDULERS; s++)
        u->collector_free[s] = ARENA_ARRAY(arena, cycle_t, c->operands.collectors);
}

bool units_collect(const struct units *u, u32 scheduler, cycle_t now)
{
    for (u32 k = 0; k < u->operands->collectors; k++) {
        if (u->collector_free[scheduler][k] <= now)
            return true;
    }
    return false;
}

/* Operands are read one a cycle from each bank; the cycles beyond the first delay the
 * instruction and keep its collector. */
static u32 gather_operands(struct units *u, u32 scheduler, const struct instruction *i, cycle_t now)
{
    cycle_t done = now + 1;
    for (u32 k = i->dst_count; k < (u32)i->dst_count + i->src_count; k++) {
        cycle_t *bank = &u->bank_free[i->regs[k] % u->operands->banks];
        cycle_t slot = max_u64(*bank, now + 1);
        *bank = slot + 1;
        done = max_u64(done, slot + 1);
    }
    for (u32 k = 0; k < u->operands->collectors; k++) {
        if (u->collector_free[scheduler][k] <= now) {
            u->collector_free[scheduler][k] = done;
            break;
        }
    }
    return done > now + 2 ? (u32)(done - now - 2) : 0;
}

cycle_t units_issue(struct units *u, u32 scheduler, const struct instruction *i, cycle_t now,
                    u32 *conflicts)
{
    *conflicts = UNLIKELY(u->collects) ? gather_operands(u, scheduler, i, now) : 0;
    if (i->unit != UNIT_MEMORY) {
        u32 pipe = u->pipe_of[i->unit], set = u->sub_cores ? scheduler : 0;
        u32 k = units_free_pipe(u, pipe, set, now);
        assert(k < u->pipes[pipe]);
        u->pipe_free[set][k][pipe] = now + u->interval[i->unit][i->cost];
    }
    return now + *conflicts + u->latency[i->unit][i->cost];
}

#include "cpu/branch.h"

#include "config/config.h"

/* clang-format off */
const struct param branch_params[] = {
    P_STRING(branch_config, predictor, "gshare", "the direction of a conditional branch", "Lee 2013, table 5"),
    P_STRING(branch_config, indirect, "target_cache", "the target of an indirect jump or call", "assumed: cores of this class have a history of targets since the Pentium M; btb where a chip's source names no more than that"),
    P_BOOL(branch_config, perfect, false, "every branch is predicted right, with its target", "for limit studies"),
    P_U32(branch_config, pc_shift, 0, 0, 4, "bits", "low address bits that are the same in all branches (2: instructions of 4 bytes)", "hpc-cores spec 2.2"),
    P_U32(branch_config, loop_entries, 0, 0, 4096, "loops", "entries of an additional loop predictor (0: none)", "Milic 2017: 64 or none"),
    P_U32(branch_config, btb_entries, 4096, 1, 65536, "branches", "entries of the branch target buffer", "assumed"),
    P_U32(branch_config, btb_ways, 4, 1, 65536, "branches", "entries per set of the branch target buffer", "assumed"),
    P_U32(branch_config, btb_miss_cycles, 3, 0, 100, "cycles", "shortest stall of prediction after a taken branch whose target is known only from its bytes", "hpc-cores spec 2.4"),
    P_U32(branch_config, return_entries, 32, 1, 1024, "calls", "entries of the return address stack", "assumed"),
    P_U32(branch_config, redirect_cycles, 1, 1, 100, "cycles", "time from the result of a mispredicted branch to the next prediction", "ChampSim: mispredict penalty 1"),
    P_END,
};

const struct stat_def branch_stats[] = {
    S_COUNT(branch_counts, branches, "instructions", "branches of all kinds"),
    S_COUNT(branch_counts, conditional, "instructions", "conditional branches"),
    S_COUNT(branch_counts, taken, "instructions", "taken branches"),
    S_COUNT(branch_counts, mispredicted, "instructions", "mispredicted branches; nothing is fetched until they execute"),
    S_COUNT(branch_counts, direction_misses, "instructions", "conditional branches with a mispredicted direction"),
    S_COUNT(branch_counts, not_taken_misses, "instructions", "mispredicted directions of branches that were not taken"),
    S_COUNT(branch_counts, backward_misses, "instructions", "mispredicted directions of branches taken to a lower address"),
    S_COUNT(branch_counts, forward_misses, "instructions", "mispredicted directions of branches taken to a higher address"),
    S_COUNT(branch_counts, loop_overrides, "instructions", "conditional branches decided by the loop predictor"),
    S_COUNT(branch_counts, loop_right, "instructions", "conditional branches the loop predictor decided correctly"),
    S_COUNT(branch_counts, btb_lookups, "instructions", "lookups of taken branches, returns excluded"),
    S_COUNT(branch_counts, btb_misses, "instructions", "taken branches not in the branch target buffer"),
    S_COUNT(branch_counts, btb_wrong, "instructions", "taken branches in the branch target buffer with another target"),
    S_COUNT(branch_counts, indirect, "instructions", "indirect jumps and calls"),
    S_COUNT(branch_counts, indirect_misses, "instructions", "indirect jumps and calls with a mispredicted target"),
    S_COUNT(branch_counts, returns, "instructions", "returns"),
    S_COUNT(branch_counts, return_misses, "instructions", "returns whose address differs from the return stack's"),
    S_LEVEL(branch_counts, storage_bits, "bits", "storage of the direction predictor, loop predictor included"),
    S_LEVEL(branch_counts, indirect_bits, "bits", "storage of the indirect target predictor, branch target buffer excluded"),
    S_RATIO(branch_counts, misprediction_rate, direction_misses, conditional, "conditional branches with a mispredicted direction"),
    S_LAW(outcomes, "not_taken_misses + backward_misses + forward_misses == direction_misses", "a direction is wrong in one way"),
    S_LAW(parts, "direction_misses + indirect_misses + return_misses == mispredicted", "a branch is predicted wrong in one way"),
    S_END,
};
/* clang-format on */

bool branch_check(const void *group, const struct config *config, struct err *err)
{
    const struct branch_config *c = group;
    if (c->btb_entries % c->btb_ways)
        return err_at(err, config_pos(config, &c->btb_entries),
                      "btb_entries is %u, expected a multiple of btb_ways = %u", c->btb_entries,
                      c->btb_ways);
    if (c->loop_entries % LOOP_WAYS)
        return err_at(err, config_pos(config, &c->loop_entries),
                      "loop_entries is %u, expected a multiple of %u", c->loop_entries, LOOP_WAYS);
    return true;
}

void branch_predictor_init(struct branch_predictor *p, struct arena *arena,
                           struct policy_choice choice)
{
    *p = (struct branch_predictor){.ops = (const struct branch_predictor_ops *)choice.ops,
                                   .config = choice.config};
    if (p->ops->state_bytes)
        p->state = arena_alloc(arena, p->ops->state_bytes);
    if (p->ops->table_bytes)
        p->table = arena_alloc(arena, p->ops->table_bytes(p->config));
    if (p->ops->init)
        p->ops->init(p);
}

void indirect_predictor_init(struct indirect_predictor *p, struct arena *arena,
                             struct policy_choice choice)
{
    *p = (struct indirect_predictor){.ops = (const struct indirect_predictor_ops *)choice.ops,
                                     .config = choice.config};
    if (p->ops->state_bytes)
        p->state = arena_alloc(arena, p->ops->state_bytes);
    if (p->ops->table_bytes)
        p->table = arena_alloc(arena, p->ops->table_bytes(p->config));
    if (p->ops->init)
        p->ops->init(p);
}

void branch_init(struct branch_unit *u, struct arena *arena, const struct branch_config *c,
                 struct policy_choice predictor, struct policy_choice indirect)
{
    *u = (struct branch_unit){.config = c};
    direction_init(&u->direction, arena, predictor, c->loop_entries);
    indirect_predictor_init(&u->indirect, arena, indirect);
    address_table_init(&u->btb, arena, c->btb_entries, c->btb_ways);
    u->returns = ARENA_ARRAY(arena, struct call, c->return_entries);
    u->counts.storage_bits = direction_storage_bits(&u->direction);
    u->counts.indirect_bits = u->indirect.ops->storage_bits(u->indirect.config);
}

#define MOST_CALL_BYTES 15u /* an instruction of x86 */

/* False: the other direction was expected. */
static bool direction_is_right(struct branch_unit *u, const struct cpu_instruction *i)
{
    struct branch_counts *n = &u->counts;
    struct direction_answer a =
        direction_predict(&u->direction, i->pc >> u->config->pc_shift, i->taken);
    bool right = a.taken == i->taken;
    n->conditional++;
    n->loop_overrides += a.is_loops;
    n->loop_right += a.is_loops && right;
    if (!right) {
        n->direction_misses++;
        n->not_taken_misses += !i->taken;
        n->backward_misses += i->taken && i->target < i->pc;
        n->forward_misses += i->taken && i->target >= i->pc;
    }
    return right;
}

static void push_return(struct branch_unit *u, const struct cpu_instruction *i)
{
    u->return_top = (u->return_top + 1) % u->config->return_entries;
    u->returns[u->return_top] = (struct call){i->pc, i->length};
}

static bool return_is_right(struct branch_unit *u, const struct cpu_instruction *i)
{
    struct call call = u->returns[u->return_top];
    u->return_top = (u->return_top ? u->return_top : u->config->return_entries) - 1;
    u64 behind = i->target - call.pc; /* traces without lengths: behind the call is right */
    bool right = call.length ? behind == call.length : behind - 1 < MOST_CALL_BYTES;
    u->counts.returns++;
    u->counts.return_misses += !right;
    return right;
}

static bool is_indirect(const struct cpu_instruction *i)
{
    return i->branch == CPU_INDIRECT_JUMP || i->branch == CPU_INDIRECT_CALL;
}

/* Of an indirect branch, where the branch target buffer has another, or 0. */
static u64 indirect_target(struct branch_unit *u, const struct cpu_instruction *i, u64 found)
{
    const struct indirect_predictor_ops *ops = u->indirect.ops;
    u64 pc = i->pc >> u->config->pc_shift, target = 0;
    if (ops->predict) {
        target = ops->predict(&u->indirect, pc);
        ops->train(&u->indirect, pc, i->target);
    }
    target = target ? target : found;
    u->counts.indirect++;
    u->counts.indirect_misses += target != i->target;
    return target;
}

/* Of a taken branch. One that the buffer does not have is known when it is decoded: so is its
 * target where that is in the instruction, or predicted. Otherwise only execution shows it. */
static enum branch_verdict target_verdict(struct branch_unit *u, const struct cpu_instruction *i)
{
    u64 found = address_table_find(&u->btb, i->pc);
    u->counts.btb_lookups++;
    u->counts.btb_misses += !found;
    u->counts.btb_wrong += found && found != i->target;
    address_table_put(&u->btb, i->pc, i->target);
    if (!is_indirect(i))
        return found == i->target ? BRANCH_RIGHT : BRANCH_LATE;
    return indirect_target(u, i, found) != i->target ? BRANCH_WRONG
           : found                                   ? BRANCH_RIGHT
                                                     : BRANCH_LATE;
}

static void tell_history(struct branch_unit *u, const struct cpu_instruction *i)
{
    struct indirect_branch b = {.pc = i->pc >> u->config->pc_shift,
                                .target = i->target,
                                .taken = i->taken,
                                .kind = i->branch == CPU_CONDITIONAL ? INDIRECT_CONDITIONAL
                                        : is_indirect(i)             ? INDIRECT_TARGET
                                                                     : INDIRECT_OTHER};
    u->indirect.ops->branch(&u->indirect, &b);
}

enum branch_verdict branch_predict(struct branch_unit *u, const struct cpu_instruction *i)
{
    struct branch_counts *n = &u->counts;
    enum branch_verdict v = BRANCH_RIGHT;
    n->branches++;
    n->taken += i->taken;
    if (u->config->perfect) {
        n->conditional += i->branch == CPU_CONDITIONAL;
        return BRANCH_RIGHT;
    }
    bool direction = i->branch != CPU_CONDITIONAL || direction_is_right(u, i);
    if (i->branch == CPU_CALL || i->branch == CPU_INDIRECT_CALL)
        push_return(u, i);
    if (i->branch == CPU_RETURN)
        v = return_is_right(u, i) ? BRANCH_RIGHT : BRANCH_WRONG;
    else if (i->taken)
        v = target_verdict(u, i);
    if (!direction)
        v = BRANCH_WRONG;
    if (u->indirect.ops->branch)
        tell_history(u, i);
    n->mispredicted += v == BRANCH_WRONG;
    return v;
}

#include "front_end/predictor_run.h"

#include "config/config.h"
#include "front_end/section.h"
#include "policy/written.h"

/* clang-format off */
const struct param predictor_run_params[] = {
    P_STRING(predictor_run_config, predictor, "tournament", "NAME,PARAMETER=VALUE,... of a policy for the question branch, such as gshare,history_bits=13", "Milic 2017, section 4"),
    P_U32(predictor_run_config, loop_entries, 0, 0, 4096, "loops", "entries of an additional loop predictor (0: none)", "Milic 2017: 64 or none"),
    P_U32(predictor_run_config, pc_shift, 0, 0, 4, "bits", "low address bits that are the same in all branches", "hpc-cores spec 2.2"),
    P_END,
};

const struct stat_def predictor_run_stats[] = {
    S_ARRAY(predictor_run_counts, conditional, section_names, CPU_SECTIONS, "instructions", "conditional branches"),
    S_ARRAY(predictor_run_counts, misses, section_names, CPU_SECTIONS, "instructions", "conditional branches with a mispredicted direction"),
    S_ARRAY(predictor_run_counts, not_taken_misses, section_names, CPU_SECTIONS, "instructions", "mispredicted directions of branches that were not taken"),
    S_ARRAY(predictor_run_counts, backward_misses, section_names, CPU_SECTIONS, "instructions", "mispredicted directions of branches taken to a lower address"),
    S_ARRAY(predictor_run_counts, forward_misses, section_names, CPU_SECTIONS, "instructions", "mispredicted directions of branches taken to a higher address"),
    S_COUNT(predictor_run_counts, all_conditional, "instructions", "conditional branches in all sections"),
    S_COUNT(predictor_run_counts, all_misses, "instructions", "conditional branches with a mispredicted direction, all sections"),
    S_COUNT(predictor_run_counts, loop_overrides, "instructions", "conditional branches decided by the loop predictor"),
    S_COUNT(predictor_run_counts, loop_right, "instructions", "conditional branches the loop predictor decided correctly"),
    S_LEVEL(predictor_run_counts, storage_bits, "bits", "storage of the predictor, loop predictor included"),
    S_RATIO(predictor_run_counts, misprediction_rate, all_misses, all_conditional, "share of conditional branches with a mispredicted direction"),
    SECTION_MPKI,
    S_LAW(overrides, "loop_right <= loop_overrides", "the loop predictor is right at most as often as it decides"),
    S_LAW(rate, "all_misses <= all_conditional", "a branch is mispredicted at most once"),
    S_END,
};
/* clang-format on */

bool predictor_run_check(const struct predictor_run_config *c, const struct config *config,
                         struct err *err)
{
    struct arena arena = {0};
    struct policy_choice choice;
    bool ok = policy_written(QUESTION_BRANCH, c->predictor, "predictor",
                             config_pos(config, &c->predictor), &arena, &choice, err);
    arena_fini(&arena);
    if (!ok)
        return false;
    return c->loop_entries % LOOP_WAYS == 0 ||
           err_at(err, config_pos(config, &c->loop_entries),
                  "loop_entries is %u, expected a multiple of %u", c->loop_entries, LOOP_WAYS);
}

bool predictor_run_begin(struct predictor_run *r, const struct predictor_run_config *c,
                         struct arena *arena, struct err *err)
{
    struct policy_choice choice;
    r->config = c;
    if (!policy_written(QUESTION_BRANCH, c->predictor, "predictor", (struct src_pos){0}, arena,
                        &choice, err))
        return false;
    direction_init(&r->direction, arena, choice, c->loop_entries);
    r->counts.storage_bits = direction_storage_bits(&r->direction);
    return true;
}

static void count(struct predictor_run_counts *n, const struct branch_event *e,
                  struct direction_answer a)
{
    n->conditional[e->section]++;
    n->loop_overrides += a.is_loops;
    if (a.taken == e->taken) {
        n->loop_right += a.is_loops;
        return;
    }
    n->misses[e->section]++;
    if (!e->taken)
        n->not_taken_misses[e->section]++;
    else if (e->target < e->pc)
        n->backward_misses[e->section]++;
    else
        n->forward_misses[e->section]++;
}

void predictor_run_batch(struct predictor_run *r, const struct front_batch *b)
{
    u32 shift = r->config->pc_shift;
    for (u32 i = 0; i < b->branch_count; i++) {
        const struct branch_event *e = &b->branches[i];
        if (e->kind == CPU_CONDITIONAL)
            count(&r->counts, e, direction_predict(&r->direction, e->pc >> shift, e->taken));
    }
}

void predictor_run_settle(struct predictor_run *r)
{
    struct predictor_run_counts *n = &r->counts;
    section_total(n->conditional);
    section_total(n->misses);
    section_total(n->not_taken_misses);
    section_total(n->backward_misses);
    section_total(n->forward_misses);
    n->all_conditional = n->conditional[CPU_TOTAL];
    n->all_misses = n->misses[CPU_TOTAL];
}

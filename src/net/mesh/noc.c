#include "net/mesh/noc.h"

/* clang-format off */
static const struct stat_def noc_stats[] = {
    S_COUNT(noc_counts, decisions, "plans", "plans made by the policy"),
    S_COUNT(noc_counts, messages, "packets", "packets of a central policy"),
    S_COUNT(noc_counts, central_cycles, "cycles", "total cycles from a plan to the last core's answer"),
    S_LEVEL(noc_counts, cpu_vcs, "channels", "channels the last plan reserves for CPU packets; 0: all channels are shared"),
    S_END,
};
/* clang-format on */

/* clang-format off */
static const struct stat_def core_stats[] = {
    S_LEVEL(noc_core, period_packets, "packets", "packets the core sent in the policy's last period"),
    S_LEVEL(noc_core, period_instructions, "instructions", "instructions the core retired in the policy's last period"),
    S_LEVEL(noc_core, period_cycles, "cycles", "length of the policy's last period, which differs from core to core"),
    S_END,
};
/* clang-format on */

/* What a packet carries: a plan to a node, a plan that is answered, or an agent's answer. */
enum { PLAN, PLAN_AND_QUESTION, ANSWER };

u32 noc_most_packets(u32 nodes, u32 agents)
{
    return 2 * (nodes + agents); /* a decision may follow its own question */
}

static void hold_everywhere(struct noc *n)
{
    for (u32 i = 0; i < n->mesh->nodes; i++)
        mesh_apply_plan(n->mesh, i, &n->plan);
}

static void send(struct noc *n, u32 from, u32 to, u32 user, cycle_t now)
{
    u32 packet = mesh_packet_new(n->mesh);
    struct mesh_packet *p = mesh_packet_at(n->mesh, packet);
    p->from = (u16)from;
    p->to = (u16)to;
    p->user = user;
    p->what.type = NOC_SPECIAL;
    p->what.flits = 1;
    n->counts.messages++;
    mesh_queue(n->mesh, packet, now);
}

static u32 count_cpu_vcs(const struct noc_plan *plan)
{
    return plan->vcs_of[NOC_CPU] == plan->vcs_of[NOC_GPU]
               ? 0
               : (u32)__builtin_popcount(plan->vcs_of[NOC_CPU]);
}

static void spread(struct noc *n, bool wants_answers, cycle_t now)
{
    n->counts.decisions++;
    n->counts.cpu_vcs = count_cpu_vcs(&n->plan);
    n->mesh->plan.both_within_cycles = n->plan.both_within_cycles;
    if (!n->policy.ops->is_central) {
        hold_everywhere(n);
        return;
    }
    n->answers_due = wants_answers ? n->policy.agent_count : 0;
    n->asked_at = now;
    for (u32 t = 0; t < NOC_TYPES; t++)
        n->retired_of[t] = 0;
    for (u32 i = 0; i < n->mesh->nodes; i++)
        send(n, n->node, i, wants_answers ? PLAN_AND_QUESTION : PLAN, now);
}

void noc_decide(struct noc *n, cycle_t now)
{
    const struct noc_policy_ops *ops = n->policy.ops;
    struct noc_plan before = n->plan;
    cycle_t next = ops->decide ? ops->decide(&n->policy, now, &n->plan) : CYCLE_NEVER;
    n->decide_at = ops->is_central && next == now ? CYCLE_NEVER : next;
    bool changed = before.injection != n->plan.injection ||
                   before.vcs_of[NOC_CPU] != n->plan.vcs_of[NOC_CPU] ||
                   before.vcs_of[NOC_GPU] != n->plan.vcs_of[NOC_GPU];
    if (ops->is_central ? next == now : changed)
        spread(n, true, now);
}

static void count_answer(struct noc *n, cycle_t now)
{
    if (--n->answers_due)
        return;
    bool changes = false;
    n->counts.central_cycles += now - n->asked_at;
    n->decide_at = n->policy.ops->gathered(&n->policy, now, n->retired_of, &n->plan, &changes);
    if (changes)
        spread(n, false, now);
}

void noc_take(struct noc *n, u32 packet, cycle_t now)
{
    struct mesh_packet *p = mesh_packet_at(n->mesh, packet);
    u32 user = p->user, node = p->to;
    mesh_packet_free(n->mesh, packet);
    if (user == ANSWER) {
        count_answer(n, now);
        return;
    }
    mesh_apply_plan(n->mesh, node, &n->plan);
    if (user == PLAN)
        return;
    for (u32 i = 0; i < n->policy.agent_count; i++) {
        const struct noc_agent *a = &n->policy.agents[i];
        if (a->node != node)
            continue;
        struct noc_core *c = &n->cores[i];
        u64 retired = a->instructions ? *a->instructions : 0;
        c->period_cycles = now - c->answered;
        c->period_instructions = retired - c->retired;
        c->period_packets = a->requests - c->sent;
        if (c->period_cycles)
            n->retired_of[a->type] += c->period_instructions * NOC_RATE_CYCLES / c->period_cycles;
        c->retired = retired;
        c->sent = a->requests;
        c->answered = now;
        send(n, node, n->node, ANSWER, now);
    }
}

bool noc_init(struct noc *n, struct sim *sim, struct mesh *m, struct policy_choice choice,
              struct noc_agent *agents, u32 agent_count, u32 applications, struct err *err)
{
    const struct noc_policy_ops *ops = (const struct noc_policy_ops *)choice.ops;
    *n = (struct noc){.mesh = m,
                      .policy = {.ops = ops,
                                 .config = choice.config,
                                 .state = arena_alloc(&sim->arena, ops->state_bytes + 1),
                                 .vcs = m->config->vcs,
                                 .nodes = m->nodes,
                                 .applications = applications ? applications : 1,
                                 .agents = agents,
                                 .agent_count = agent_count},
                      .plan = noc_plan_shared()};
    /* in the middle, to the left of and above it */
    n->node = (m->config->width - 1) / 2 + m->config->width * ((m->config->height - 1) / 2);
    n->cores = ARENA_ARRAY(&sim->arena, struct noc_core, agent_count + 1);
    m->policy = &n->policy;
    if (ops->init && !ops->init(&n->policy, err))
        return false;
    if (ops->begin)
        ops->begin(&n->policy, &n->plan);
    n->counts.cpu_vcs = count_cpu_vcs(&n->plan);
    m->plan = n->plan;
    hold_everywhere(n);
    n->decide_at = ops->decide ? 0 : CYCLE_NEVER;
    return true;
}

void noc_add_statistics(const struct noc *n, struct stats *s, stat_node node)
{
    stat_node own =
        stats_add(s, node, "noc", STAT_NO_INDEX, noc_stats, (void *)(uintptr_t)&n->counts);
    policy_add_statistics((const struct policy_ops *)n->policy.ops, n->policy.state, s, own,
                          "policy");
    for (u32 i = 0; n->policy.ops->is_central && i < n->policy.agent_count; i++)
        stats_add(s, own, "core", i, core_stats, &n->cores[i]);
}

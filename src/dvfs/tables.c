/* What is told of frequencies and power. */
#include "dvfs/dvfs.h"

/* clang-format off */
static const char *const level_labels[DVFS_MOST_LEVELS] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"};

static const struct stat_def dvfs_stats[] = {
    S_COUNT(dvfs_counts, periods, "periods", "that ended with decisions"),
    S_COUNT(dvfs_counts, late_periods, "periods", "that ended late, because messages of the one before were on their way"),
    S_COUNT(dvfs_counts, changes, "changes", "of a domain's frequency"),
    S_COUNT(dvfs_counts, messages, "packets", "of decisions, to the central node and from there to banks and controllers"),
    S_COUNT(dvfs_counts, message_ns, "ns", "from the end of a period to the last of them, summed"),
    S_COUNT(dvfs_counts, over_periods, "periods", "whose decisions, once all of them held, exceeded the power budget"),
    S_COUNT(dvfs_counts, over_ns, "ns", "above the budget, those included in which cores had changed and the memory had not"),
    S_LEVEL(dvfs_counts, most_power, "nbudget", "that was taken at any time: billionths of the budget"),
    S_LEVEL(dvfs_counts, power, "nbudget", "that is taken now: billionths of the budget"),
    S_COUNT(dvfs_counts, ns, "ns", "of the run"),
    S_COUNT(dvfs_counts, cpu_energy, "aJ", "of CPU cores, if the budget were 1 W"),
    S_COUNT(dvfs_counts, gpu_energy, "aJ", "of the GPU, likewise"),
    S_COUNT(dvfs_counts, memory_energy, "aJ", "of shared cache, network and controllers, likewise"),
    S_COUNT(dvfs_counts, energy, "aJ", "of all domains, likewise"),
    S_COUNT(dvfs_counts, in_llc_sampling, "changes", "while a policy of the shared cache compared cores"),
    S_COUNT(dvfs_counts, in_noc_sampling, "changes", "while a policy of the mesh compared periods"),
    S_FORMULA(mean_power, "energy / ns / 1000000000", "budget", "over the run, of the budget"),
    S_FORMULA(edp, "energy / 1000000000000000 * ns / 1000000", "budget ms^2", "energy times time of the run"),
    S_FORMULA(ed2p, "energy / 1000000000000000 * ns / 1000000 * ns / 1000000", "budget ms^3", "energy times time squared"),
    S_LAW(parts, "cpu_energy + gpu_energy + memory_energy == energy", "the domains are all there is"),
    S_END,
};

static const struct stat_def domain_stats[] = {
    S_LEVEL(dvfs_domain_counts, mhz, "MHz", "now"),
    S_LEVEL(dvfs_domain_counts, mpki_milli, "", "misses that left its private caches, per million instructions, in the last period"),
    S_LEVEL(dvfs_domain_counts, mpt, "misses", "the same, in the last period, of all its cores"),
    S_LEVEL(dvfs_domain_counts, ipc_milli, "", "instructions of all its cores per 1000 cycles of the last period, without those that it was locked"),
    S_COUNT(dvfs_domain_counts, changes, "changes", "of its frequency"),
    S_COUNT(dvfs_domain_counts, locked_ns, "ns", "that it stood still while its PLL, or with pll_scope chip any, locked"),
    S_COUNT(dvfs_domain_counts, ns, "ns", "of the run"),
    S_COUNT(dvfs_domain_counts, khz_ns, "kHz ns", "frequency times time"),
    S_ARRAY(dvfs_domain_counts, at_level_ns, level_labels, DVFS_MOST_LEVELS, "ns", "at each level, or between it and the next"),
    S_COUNT(dvfs_domain_counts, energy, "aJ", "if the budget were 1 W"),
    S_FORMULA(mean_mhz, "khz_ns / ns / 1000", "MHz", "over the run"),
    S_END,
};
/* clang-format on */

void dvfs_add_statistics(struct dvfs *d, struct stats *s, stat_node node)
{
    stat_node own = stats_add(s, node, "dvfs", STAT_NO_INDEX, dvfs_stats, &d->counts);
    u32 seen[DVFS_KINDS] = {0};
    for (u32 i = 0; i < d->policy.count; i++) {
        u32 kind = d->policy.domains[i].kind, index = seen[kind]++;
        stats_add(s, own, dvfs_kind_words[kind], kind == DVFS_MEMORY ? STAT_NO_INDEX : index,
                  domain_stats, &d->domain_counts[i]);
    }
    policy_add_statistics((const struct policy_ops *)d->policy.ops, d->policy.state, s, own,
                          "policy");
}

static double mean_ghz(const struct dvfs_domain_counts *n)
{
    return n->ns ? (double)n->khz_ns / (double)n->ns / 1e6 : 0;
}

void dvfs_summary(const struct dvfs *d, struct text *out)
{
    const struct dvfs_counts *n = &d->counts;
    double all = n->ns ? (double)n->ns * 1e9 : 1;
    text_printf(out, " frequencies\n  mean GHz     ");
    for (u32 i = 0; i < d->policy.count; i++)
        text_printf(out, "%s%s %.2f", i ? ", " : "", dvfs_kind_words[d->policy.domains[i].kind],
                    mean_ghz(&d->domain_counts[i]));
    text_printf(out, "\n  power        %.3f of the budget: CPU %.3f, GPU %.3f, memory %.3f\n",
                (double)n->energy / all, (double)n->cpu_energy / all, (double)n->gpu_energy / all,
                (double)n->memory_energy / all);
    if (n->periods)
        text_printf(out,
                    "  decisions    %llu periods, %llu changes, %llu periods above the budget\n",
                    (unsigned long long)n->periods, (unsigned long long)n->changes,
                    (unsigned long long)n->over_periods);
    if (n->in_llc_sampling + n->in_noc_sampling)
        text_printf(out,
                    "  warning      %llu changes fell into comparisons of the shared cache's "
                    "policy, %llu into those of the mesh's\n",
                    (unsigned long long)n->in_llc_sampling, (unsigned long long)n->in_noc_sampling);
}

/* What is told of frequencies and power. */
#include "dvfs/dvfs.h"

/* clang-format off */
static const char *const level_labels[DVFS_MOST_LEVELS] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"};

static const struct stat_def dvfs_stats[] = {
    S_COUNT(dvfs_counts, periods, "periods", "DVFS periods that ended with decisions"),
    S_COUNT(dvfs_counts, late_periods, "periods", "DVFS periods that ended late because messages of the previous one were outstanding"),
    S_COUNT(dvfs_counts, changes, "changes", "frequency changes of all domains"),
    S_COUNT(dvfs_counts, messages, "packets", "packets that carried decisions: to the central node, and on to banks and controllers"),
    S_COUNT(dvfs_counts, message_ns, "ns", "total time from the end of a period to the arrival of the last packet"),
    S_COUNT(dvfs_counts, over_periods, "periods", "DVFS periods whose decisions together exceeded the power budget"),
    S_COUNT(dvfs_counts, over_ns, "ns", "time above the power budget, including the time between the cores' change and the memory's"),
    S_LEVEL(dvfs_counts, most_power, "nbudget", "highest power so far, in billionths of the budget"),
    S_LEVEL(dvfs_counts, power, "nbudget", "current power, in billionths of the budget"),
    S_COUNT(dvfs_counts, ns, "ns", "simulated time"),
    S_COUNT(dvfs_counts, cpu_energy, "aJ", "energy of the CPU cores, for a budget of 1 W"),
    S_COUNT(dvfs_counts, gpu_energy, "aJ", "energy of the GPU, for a budget of 1 W"),
    S_COUNT(dvfs_counts, memory_energy, "aJ", "energy of shared cache, network and memory controllers, for a budget of 1 W"),
    S_COUNT(dvfs_counts, energy, "aJ", "energy of all domains, for a budget of 1 W"),
    S_COUNT(dvfs_counts, in_llc_sampling, "changes", "frequency changes while a policy of the shared cache compared cores"),
    S_COUNT(dvfs_counts, in_noc_sampling, "changes", "frequency changes while a policy of the mesh compared periods"),
    S_FORMULA(mean_power, "energy / ns / 1000000000", "budget", "mean power over the run, as a share of the budget"),
    S_FORMULA(edp, "energy / 1000000000000000 * ns / 1000000", "budget ms^2", "energy times simulated time (EDP)"),
    S_FORMULA(ed2p, "energy / 1000000000000000 * ns / 1000000 * ns / 1000000", "budget ms^3", "energy times simulated time squared (ED2P)"),
    S_LAW(parts, "cpu_energy + gpu_energy + memory_energy == energy", "the energy of the run is the sum over the domains"),
    S_END,
};

static const struct stat_def domain_stats[] = {
    S_LEVEL(dvfs_domain_counts, mhz, "MHz", "current frequency"),
    S_LEVEL(dvfs_domain_counts, mpki_milli, "", "misses of the private caches per million instructions, in the last period"),
    S_LEVEL(dvfs_domain_counts, mpt, "misses", "misses of the private caches of all cores of the domain, in the last period"),
    S_LEVEL(dvfs_domain_counts, ipc_milli, "", "instructions of all cores of the domain per 1000 cycles of the last period, locked cycles excluded"),
    S_COUNT(dvfs_domain_counts, changes, "changes", "frequency changes"),
    S_COUNT(dvfs_domain_counts, locked_ns, "ns", "time stopped while a PLL locked: its own, or any PLL with pll_scope chip"),
    S_COUNT(dvfs_domain_counts, ns, "ns", "simulated time"),
    S_COUNT(dvfs_domain_counts, khz_ns, "kHz ns", "frequency times time"),
    S_ARRAY(dvfs_domain_counts, at_level_ns, level_labels, DVFS_MOST_LEVELS, "ns", "time at each level, or between it and the next"),
    S_COUNT(dvfs_domain_counts, energy, "aJ", "energy, for a budget of 1 W"),
    S_FORMULA(mean_mhz, "khz_ns / ns / 1000", "MHz", "mean frequency over the run"),
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

#include "gpu/ccn_model.h"

double ccn_predict(const struct ccn_terms *t)
{
    return (t->l_o - t->d_cong + t->d_ovh) * (1 - t->h) + t->l_reuse * t->h;
}

double ccn_break_even(const struct ccn_terms *t)
{
    double d = t->d_ovh - t->d_cong;
    return d > 0 ? d / (d + t->l_o - t->l_reuse) : 0;
}

struct ccn_measured ccn_measure(const struct gpu *g)
{
    struct ccn_measured m = {0};
    double latency = 0, below_fs = 0, reuse = 0;
    for (u32 i = 0; i < g->config->sm.count; i++) {
        const struct l1_counts *l = &g->cluster.sms[i].l1.counts;
        m.misses += (double)l->answered;
        latency += (double)l->latency_cycles;
        below_fs += (double)(l->request_fs + l->l2_fs + l->dram_fs + l->reply_fs);
        if (!g->cluster.ccn.nodes)
            continue;
        const struct ccn_counts *c = &g->cluster.ccn.nodes[i].counts;
        m.remote_hits += (double)c->remote_hits;
        m.overhead_cycles += (double)c->overhead_cycles;
        reuse += (double)c->reuse_cycles;
    }
    double below = m.misses - m.remote_hits, hz = (double)g->config->sm.clock_hz;
    m.latency = m.misses > 0 ? latency / m.misses : 0;
    m.below = below > 0 ? below_fs * hz / 1e15 / below : 0;
    m.reuse = m.remote_hits > 0 ? reuse / m.remote_hits : 0;
    return m;
}

struct ccn_terms ccn_terms_of(const struct ccn_measured *without, const struct ccn_measured *with)
{
    double below = with->misses - with->remote_hits;
    return (struct ccn_terms){
        .l_o = without->below,
        .d_cong = without->below - with->below,
        .d_ovh = below > 0 ? with->overhead_cycles / below : 0,
        .l_reuse = with->reuse,
        .h = with->misses > 0 ? with->remote_hits / with->misses : 0,
    };
}

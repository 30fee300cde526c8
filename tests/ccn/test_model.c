/* The model of the mean latency (bandwidth-and-ccn spec S14, check C7). */
#include "ccn/bed.h"

#include "ccn/model.h"

/* Equations 4.3 to 4.5 of the thesis, as it prints them. */
TEST(the_model_gives_208_220_and_180_cycles)
{
    UNUSED_STATE;
    const struct ccn_terms ccn = {300, 78, 54, 42, 0.29}, banks = {.l_o = 300, .d_cong = 80},
                           both = {300, 117, 54, 42, 0.29};
    assert_int_equal((u32)(ccn_predict(&ccn)), 208);
    assert_int_equal((u32)(ccn_predict(&banks)), 220);
    assert_int_equal((u32)(ccn_predict(&both)), 180);
}

/* 54 / (54 + 300 - 42) = 17.3 %: with no less congestion, so many must hit for it to pay. */
TEST(without_relief_it_pays_from_17_percent_of_hits_on)
{
    UNUSED_STATE;
    struct ccn_terms t = {.l_o = 300, .d_ovh = 54, .l_reuse = 42};
    assert_near(ccn_break_even(&t), 0.173, 0.0005);
    t.h = ccn_break_even(&t);
    assert_near(ccn_predict(&t), 300, 1e-9);
    t.d_cong = 78;
    assert_near(ccn_break_even(&t), 0, 0);
}

static struct ccn_measured sums_of(const struct gpu *g)
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

static struct ccn_measured measure(const char *chip, const struct chain *c, u64 *sent)
{
    struct observer o = {0};
    struct bed b;
    ccn_open(&b, &o, chip, NULL);
    chain_run(&b, c);
    struct ccn_measured m = sums_of(b.gpu);
    *sent = count_of(&b, "sm.l1.sent");
    bed_close(&b);
    return m;
}

TEST(measured_terms_predict_the_measured_latency_and_the_traffic)
{
    UNUSED_STATE;
    struct chain c = plain_chain;
    u64 sent_without, sent_with;
    c.lag = 12;
    struct ccn_measured without = measure("fermi15", &c, &sent_without);
    struct ccn_measured with = measure("fermi15-ccn", &c, &sent_with);
    struct ccn_terms t = ccn_terms_of(&without, &with);
    double predicted = ccn_predict(&t);
    print_message(
        "# l_O %.0f, d_cong %.0f, d_ovh %.0f, l_reuse %.0f, h %.2f: %.1f, measured %.1f\n", t.l_o,
        t.d_cong, t.d_ovh, t.l_reuse, t.h, predicted, with.latency);
    assert_true(t.h > 0.2);
    assert_near(predicted, with.latency, 0.05 * with.latency);
    assert_near(without.latency, without.below, 0.05 * without.latency);
    assert_near(1 - (double)sent_with / (double)sent_without, t.h, 0.02);
}

RUN_TESTS(T(the_model_gives_208_220_and_180_cycles),
          T(without_relief_it_pays_from_17_percent_of_hits_on),
          T(measured_terms_predict_the_measured_latency_and_the_traffic))

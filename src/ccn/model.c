#include "ccn/model.h"

double ccn_predict(const struct ccn_terms *t)
{
    return (t->l_o - t->d_cong + t->d_ovh) * (1 - t->h) + t->l_reuse * t->h;
}

double ccn_break_even(const struct ccn_terms *t)
{
    double d = t->d_ovh - t->d_cong;
    return d > 0 ? d / (d + t->l_o - t->l_reuse) : 0;
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

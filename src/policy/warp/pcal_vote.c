#include "policy/warp/pcal_vote.h"

#include <assert.h>
#include <string.h>

static u32 within(u32 value, u32 most)
{
    return value < 1 ? 1 : value > most ? most : value;
}

static void start_vote(struct vote *v)
{
    v->phase = VOTE_P;
    v->votes++;
}

void vote_begin(struct vote *v, const struct vote_rules *rules, u32 n0, u32 limit)
{
    *v = (struct vote){.rules = *rules,
                       .limit = limit,
                       .phase = VOTE_START,
                       .votes = v->votes,
                       .steps = v->steps,
                       .kept_steps = v->kept_steps};
    v->n0 = v->n = v->p = n0 ? within(n0, limit) : limit;
    if (n0)
        start_vote(v);
}

u32 vote_n(const struct vote *v)
{
    return v->n;
}

u32 vote_p(const struct vote *v, u32 sm)
{
    return v->phase == VOTE_P ? 1 + sm % v->n0 : v->p;
}

void vote_hand_in(struct vote *v, u32 sm, double value)
{
    assert(sm < MOST_VOTERS);
    v->value[sm] = value;
    v->has_value[sm] = true;
}

/* Of the SMs that were there; less than 0: none was. */
static double mean(const struct vote *v)
{
    double sum = 0;
    u32 count = 0;
    for (u32 i = 0; i < MOST_VOTERS; i++) {
        sum += v->has_value[i] ? v->value[i] : 0;
        count += v->has_value[i];
    }
    return count ? sum / count : -1;
}

/* The p with the best mean over its SMs; of equals the largest, which restricts least. */
static void count_votes(struct vote *v)
{
    double best = -1;
    u32 winner = v->n0;
    for (u32 p = v->n0; p >= 1; p--) {
        double sum = 0;
        u32 count = 0;
        for (u32 sm = p - 1; sm < MOST_VOTERS; sm += v->n0) {
            sum += v->has_value[sm] ? v->value[sm] : 0;
            count += v->has_value[sm];
        }
        if (count && sum / count > best) {
            best = sum / count;
            winner = p;
        }
    }
    v->p = winner;
    v->phase = VOTE_BASE;
}

static void accept(struct vote *v, double achieved)
{
    v->base = achieved;
    memcpy(v->reference, v->value, sizeof v->reference);
    memcpy(v->has_reference, v->has_value, sizeof v->has_reference);
}

/* One more, as long as there is room in the machine. A step that did not pay ends the climb of a
 * kernel: votes that follow keep its N (spec 3), unless they are to try again. */
static void step(struct vote *v, double utilisation)
{
    bool is_over = v->has_climbed && !v->rules.climbs_again;
    bool may = !is_over && v->n < v->limit && utilisation < v->rules.utilisation;
    v->n += may;
    v->steps += may;
    v->phase = may ? VOTE_CLIMB : VOTE_HOLD;
}

static bool somebody_slowed(const struct vote *v)
{
    for (u32 i = 0; i < MOST_VOTERS; i++) {
        if (v->has_value[i] && v->has_reference[i] &&
            v->value[i] <= v->reference[i] * (1 - v->rules.drop))
            return true;
    }
    return false;
}

void vote_end(struct vote *v, double utilisation)
{
    double achieved = mean(v);
    if (achieved < 0)
        return; /* nobody was there: the window is to be run again */
    switch ((enum vote_phase)v->phase) {
    case VOTE_START:
        v->n0 = v->n = within((u32)(achieved / 1000 + 0.5), v->limit);
        start_vote(v);
        break;
    case VOTE_P:
        count_votes(v);
        break;
    case VOTE_BASE:
        accept(v, achieved);
        step(v, utilisation);
        break;
    case VOTE_CLIMB:
        if (achieved >= v->base * (1 + v->rules.gain)) {
            v->kept_steps++;
            accept(v, achieved);
            step(v, utilisation);
        } else { /* the first step that does not pay is undone and the last */
            v->n--;
            v->has_climbed = true;
            v->phase = VOTE_HOLD;
        }
        break;
    case VOTE_HOLD:
        if (somebody_slowed(v))
            start_vote(v);
        break;
    }
    memset(v->has_value, 0, sizeof v->has_value);
}

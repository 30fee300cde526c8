#include "policy/warp/search.h"

#include <assert.h>
#include <math.h>

static u32 least(u32 a, u32 b)
{
    return a < b ? a : b;
}

static void start_axis(struct search *s, enum search_axis axis)
{
    s->axis = (u8)axis;
    s->step = SEARCH_CENTRE;
    s->stride = axis < SEARCH_DONE ? s->strides[axis] : 0;
    s->has_last = false;
}

void search_begin(struct search *s, u32 n, u32 p, u32 limit, u32 stride_n, u32 stride_p,
                  bool remeasure)
{
    assert(p >= 1 && p <= n && n <= limit);
    *s = (struct search){
        .limit = limit, .at = {n, p}, .strides = {stride_n, stride_p}, .remeasure = remeasure};
    start_axis(s, SEARCH_N);
}

/* A neighbour of the centre, inside 1..W for N and 1..N for p. */
static u32 neighbour(const struct search *s)
{
    u32 v = s->at[s->axis], most = s->axis == SEARCH_N ? s->limit : s->at[SEARCH_N];
    if (s->step == SEARCH_LOW)
        return v > s->stride ? v - s->stride : 1;
    return least(v + s->stride, most);
}

static void keep(struct search *s, double value)
{
    if (s->step == SEARCH_CENTRE) {
        s->best = value;
        s->has_best = true;
    } else if (s->step == SEARCH_LOW) {
        s->low = value;
    } else {
        s->high = value;
    }
    s->step++;
}

/* Moves to the better neighbour if it beats the centre strictly; else half the stride. */
static void decide(struct search *s)
{
    double better = s->low >= s->high ? s->low : s->high;
    if (better > s->best) {
        u32 from = s->at[s->axis];
        s->step = s->low >= s->high ? SEARCH_LOW : SEARCH_HIGH;
        s->at[s->axis] = neighbour(s);
        s->last = from;
        s->last_value = s->best;
        s->has_last = true;
        s->best = better;
    } else {
        s->stride /= 2;
    }
    s->step = SEARCH_LOW;
}

/* Needs no measurement: the edge, or a value that is known. */
static bool is_known(const struct search *s, u32 v, double *value)
{
    *value = -INFINITY;
    if (v == s->at[s->axis])
        return true;
    *value = s->last_value;
    return !s->remeasure && s->has_last && v == s->last;
}

static void next_axis(struct search *s)
{
    if (s->axis == SEARCH_N) /* spec A7 */
        s->at[SEARCH_P] = least(s->at[SEARCH_P], s->at[SEARCH_N]);
    start_axis(s, (enum search_axis)(s->axis + 1));
}

static bool ask(struct search *s, u32 v, u32 *n, u32 *p)
{
    u32 at[2] = {s->at[SEARCH_N], s->at[SEARCH_P]};
    at[s->axis] = v;
    *n = at[SEARCH_N];
    *p = least(at[SEARCH_P], at[SEARCH_N]);
    s->probes++;
    return true;
}

bool search_next(struct search *s, u32 *n, u32 *p)
{
    while (s->axis != SEARCH_DONE) {
        double value;
        if (s->stride == 0) {
            next_axis(s);
        } else if (s->step == SEARCH_CENTRE) {
            if (!s->has_best || s->remeasure)
                return ask(s, s->at[s->axis], n, p);
            s->step = SEARCH_LOW;
        } else if (s->step == SEARCH_DECIDE) {
            decide(s);
        } else if (is_known(s, neighbour(s), &value)) {
            keep(s, value);
        } else {
            return ask(s, neighbour(s), n, p);
        }
    }
    return false;
}

void search_measured(struct search *s, double value)
{
    assert(s->axis != SEARCH_DONE && s->step != SEARCH_DECIDE);
    keep(s, value);
}

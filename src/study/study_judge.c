/* Does a measured number agree with a published one? bandwidth-and-ccn spec, section 4. */
#include "study/study.h"

#include <math.h>
#include <string.h>

#define RELATIVE 0.35    /* of the published magnitude */
#define POINTS 5.0       /* percentage points, whichever is larger */
#define SMALL_POINTS 2.0 /* for magnitudes below POINTS */

/* Exact rows are printed cut off, not rounded: as many digits as were printed. */
static bool agrees_exactly(const struct study_check *c)
{
    const char *dot = strchr(c->published_text, '.');
    double scale = pow(10, dot ? (double)strlen(dot + 1) : 0);
    /* a hair above, so that 3.625 * 100 is not 362.49999 */
    return fabs(trunc(c->measured * scale * (1 + 1e-12)) - round(c->published * scale)) < 0.5;
}

/* Speedups are judged by their gain in points, shares in points, all else by its size. */
static void band_by_rule(const struct study_check *c, double *low, double *high)
{
    bool is_gain = strcmp(c->unit, "x") == 0, is_share = strcmp(c->unit, "%") == 0;
    double p = is_gain ? (c->published - 1) * 100 : c->published, size = fabs(p);
    double room = RELATIVE * size;
    if (is_gain || is_share)
        room = size < POINTS ? SMALL_POINTS : fmax(room, POINTS);
    *low = is_gain ? 1 + (p - room) / 100 : p - room;
    *high = is_gain ? 1 + (p + room) / 100 : p + room;
}

void check_band(const struct study_check *c, double *low, double *high)
{
    double rule_low, rule_high;
    band_by_rule(c, &rule_low, &rule_high);
    *low = isnan(c->low) ? rule_low : c->low;
    *high = isnan(c->high) ? rule_high : c->high;
}

bool check_is_judged(const struct study_check *c)
{
    return c->kind != CHECK_CALIBRATION && !c->shown;
}

void check_judge(struct study_check *c, double measured)
{
    if (c->kind != CHECK_SHAPE)
        c->measured = measured;
    if (c->kind == CHECK_BAND)
        check_band(c, &c->low, &c->high);
    if (isnan(measured)) {
        c->verdict = VERDICT_UNMEASURED;
        return;
    }
    bool ok = measured != 0; /* a shape */
    if (c->kind == CHECK_EXACT)
        ok = agrees_exactly(c);
    else if (c->kind == CHECK_BAND)
        ok = measured >= c->low && measured <= c->high;
    c->verdict = !check_is_judged(c) ? VERDICT_SHOWN : ok ? VERDICT_PASS : VERDICT_MISS;
}

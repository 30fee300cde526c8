#include "policy/warp/lost_locality.h"

#include "config/config.h"

#include <string.h>

/* clang-format off */
#define CCWS_SIM "CCWS authors' released simulator"
const struct param lost_locality_params[] = {
    P_U32(lost_locality_config, vta_sets, 2, 1, MOST_VICTIMS, "sets", "sets of each warp's victim tag array", CCWS_SIM),
    P_U32(lost_locality_config, vta_ways, 8, 1, MOST_VICTIMS, "lines", "lines per set of victim tags", CCWS_SIM),
    P_U32(lost_locality_config, base, 100, 1, 1000000, "points", "the score of a warp that has lost nothing", CCWS_SIM),
    P_U32(lost_locality_config, decay, 1, 0, 1000000, "points/cycle", "rate at which a score falls to the base", CCWS_SIM),
    P_U32(lost_locality_config, cutoff_per_warp, 100, 1, 1000000, "points", "cutoff for each ranked warp: warps are admitted while the sum of scores is below cutoff times warps", CCWS_SIM),
    P_U32(lost_locality_config, k, 8, 1, 1000000, "", "factor of a rise: victim hits / instructions x k x cut-off", CCWS_SIM),
    P_BOOL(lost_locality_config, caps, true, "a score ends at the rise, whatever it was; else it adds up", "assumed: Poise spec 3"),
    P_BOOL(lost_locality_config, ranks_waiting, false, "warps at barriers and fences take part in the ranking", "assumed: Poise spec 2 item 2"),
    P_END,
};
/* clang-format on */

bool lost_locality_check(const void *group, const struct config *config, struct err *err)
{
    const struct lost_locality_config *c = group;
    if (c->vta_sets * c->vta_ways > MOST_VICTIMS)
        return err_at(err, config_pos(config, &c->vta_ways),
                      "vta_sets x vta_ways is %u, expected at most %u victim tags of a warp",
                      c->vta_sets * c->vta_ways, MOST_VICTIMS);
    return true;
}

void lost_locality_init(struct lost_locality *l, const struct lost_locality_config *c,
                        const struct warp_view *v)
{
    *l = (struct lost_locality){.config = c, .view = v, .admitted = ~(u64)0, .wake = CYCLE_NEVER};
}

u64 lost_locality_score(const struct lost_locality *l, u32 slot, cycle_t now)
{
    u64 base = l->config->base, fallen = (now - l->stamp[slot]) * l->config->decay;
    u64 score = l->score[slot];
    return score > base && score - base > fallen ? score - fallen : base;
}

/* ---- accounts of warps ------------------------------------------------------------------------
 */

static void forget(struct lost_locality *l, u32 slot)
{
    l->all_hits -= l->hits[slot];
    l->all_issued -= l->issued[slot];
    l->hits[slot] = l->issued[slot] = l->score[slot] = 0;
    memset(l->victims[slot], 0, sizeof l->victims[slot]);
    l->known &= ~((u64)1 << slot);
}

/* Warps that have gone take their counts with them; new ones start at nothing. */
static void follow(struct lost_locality *l)
{
    const struct warp_view *v = l->view;
    for (u64 left = l->known | v->live; left; left &= left - 1) {
        u32 slot = (u32)__builtin_ctzll(left);
        u64 bit = (u64)1 << slot;
        if (l->known & bit && (!(v->live & bit) || l->age[slot] != v->age[slot]))
            forget(l, slot);
        if (v->live & bit) {
            l->known |= bit;
            l->age[slot] = v->age[slot];
        }
    }
}

void lost_locality_issued(struct lost_locality *l, u32 slot)
{
    l->issued[slot]++;
    l->all_issued++;
}

/* ---- victim tags ------------------------------------------------------------------------------
 */

/* The tags of a line's set, newest first. 128-byte lines share no tag; of others some do. */
static u64 *victim_set(struct lost_locality *l, u32 slot, u64 line)
{
    return &l->victims[slot][line / 128 % l->config->vta_sets * l->config->vta_ways];
}

void lost_locality_evicted(struct lost_locality *l, u32 slot, u64 line)
{
    u64 *set = victim_set(l, slot, line);
    memmove(set + 1, set, (l->config->vta_ways - 1) * sizeof *set);
    set[0] = line + 1;
    l->counts.victims++;
}

/* The line comes back into L1, so its tag goes: to be lost again it must be evicted again. */
static bool take_victim(struct lost_locality *l, u32 slot, u64 line)
{
    u64 *set = victim_set(l, slot, line);
    u32 ways = l->config->vta_ways;
    for (u32 i = 0; i < ways; i++) {
        if (set[i] != line + 1)
            continue;
        memmove(set + i, set + i + 1, (ways - 1 - i) * sizeof *set);
        set[ways - 1] = 0;
        return true;
    }
    return false;
}

static u64 eligible(const struct lost_locality *l)
{
    const struct warp_view *v = l->view;
    return l->config->ranks_waiting ? v->live : v->live & ~v->waiting;
}

static u64 cutoff(const struct lost_locality *l)
{
    return (u64)l->config->cutoff_per_warp * (u32)__builtin_popcountll(eligible(l));
}

bool lost_locality_missed(struct lost_locality *l, u32 slot, u64 line, cycle_t now)
{
    const struct lost_locality_config *c = l->config;
    if (!take_victim(l, slot, line))
        return false;
    l->counts.victim_hits++;
    l->hits[slot]++;
    l->all_hits++;
    u64 issued = l->all_issued ? l->all_issued : 1;
    u64 rise = l->all_hits * c->k * cutoff(l) / issued;
    u64 score = lost_locality_score(l, slot, now) + rise;
    if (c->caps && score > rise)
        score = rise;
    l->score[slot] = max_u64(score, c->base);
    l->stamp[slot] = now;
    return true;
}

/* ---- ranking ----------------------------------------------------------------------------------
 */

struct ranked {
    u64 score;
    u32 slot;
};

/* Highest score first, of equals the older warp. */
static u32 sort(const struct lost_locality *l, u64 slots, cycle_t now, struct ranked *out)
{
    u32 count = 0;
    for (; slots; slots &= slots - 1) {
        struct ranked r = {.slot = (u32)__builtin_ctzll(slots)};
        r.score = lost_locality_score(l, r.slot, now);
        u32 at = count++;
        for (; at; at--) {
            const struct ranked *before = &out[at - 1];
            if (before->score > r.score ||
                (before->score == r.score && l->view->age[before->slot] < l->view->age[r.slot]))
                break;
            out[at] = *before;
        }
        out[at] = r;
    }
    return count;
}

/* The next cycle in which time alone can change the set: a score reaches its base, or the sum
 * of the admitted ones falls below the cut-off, each of those above the base by `decay`. */
static cycle_t next_change(const struct lost_locality *l, const struct ranked *r, u32 count,
                           u32 admitted, u64 sum, cycle_t now)
{
    u64 decay = l->config->decay, falling = 0, soonest = UINT64_MAX;
    if (admitted == count || !decay)
        return CYCLE_NEVER;
    for (u32 i = 0; i < admitted; i++) {
        u64 above = r[i].score - l->config->base;
        if (!above)
            continue;
        falling++;
        soonest = min_u64(soonest, (above + decay - 1) / decay);
    }
    if (!falling)
        return CYCLE_NEVER;
    return now + min_u64(soonest, (sum - cutoff(l)) / (falling * decay) + 1);
}

void lost_locality_settle(struct lost_locality *l, cycle_t now)
{
    u64 cycles = l->has_started && now > l->counted_to ? now - l->counted_to : 0;
    l->counts.cycles += cycles;
    l->counts.admitted_cycles += cycles * (u32)__builtin_popcountll(l->ranked & l->admitted);
    l->counts.ranked_cycles += cycles * (u32)__builtin_popcountll(l->ranked);
    l->counted_to = max_u64(l->counted_to, now);
}

void lost_locality_rank(struct lost_locality *l, cycle_t now)
{
    struct ranked ranked[MOST_SM_WARPS];
    lost_locality_settle(l, now);
    l->has_started = true;
    follow(l);
    l->ranked = eligible(l);
    u32 count = sort(l, l->ranked, now, ranked), admitted = 0;
    u64 sum = 0, may = 0, most = cutoff(l);
    while (admitted < count && sum < most) {
        may |= (u64)1 << ranked[admitted].slot;
        sum += ranked[admitted++].score;
    }
    l->admitted = may | ~l->ranked; /* the others wait: they are ranked again before they go on */
    l->wake = next_change(l, ranked, count, admitted, sum, now);
}

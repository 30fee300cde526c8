/*
 * A warp policy without an SM: warps, time, counters and notes are what the test
 * says they are.
 */
#ifndef TESTS_POLICY_FAKE_SM_H
#define TESTS_POLICY_FAKE_SM_H

#include "testing.h"

#include "gpu/sm/warp_policy.h"
#include "policy/registry.h"

#define FAKE_NOTES 4096u

struct fake_sm {
    struct arena arena;
    struct warp_view view;
    struct warp_policy policy;
    cycle_t now;
    struct warp_counters counters;
    struct warp_note notes[FAKE_NOTES];
    u32 note_count, warnings;
    u32 windows[2];    /* that the policy told of: at (W, W), at (1, 1) */
    u64 sampled[2];    /* accesses in the last of each */
    char warning[400]; /* the last one */
    u8 *config;
    /* Optional: what happens from one moment to the next. */
    void (*passes)(struct fake_sm *f, cycle_t from, cycle_t to);
    void *context;
};

static inline void fake_counters(const struct warp_policy *p, struct warp_counters *out)
{
    *out = ((const struct fake_sm *)p->machine)->counters;
}

static inline void fake_memory_use(const struct warp_policy *p, struct warp_memory_use *out)
{
    (void)p;
    *out = (struct warp_memory_use){0};
}

static inline bool fake_refuse(const struct warp_policy *p, struct err *err, const char *fmt, ...)
{
    (void)p;
    (void)err;
    fail_msg("%s", fmt);
    return false;
}

static inline void fake_note(const struct warp_policy *p, const struct warp_note *note)
{
    struct fake_sm *f = p->machine;
    assert_true(f->note_count < FAKE_NOTES);
    f->notes[f->note_count++] = *note;
}

static inline void fake_sampled(const struct warp_policy *p, bool at_least,
                                const struct warp_counters *from, const struct warp_counters *to)
{
    struct fake_sm *f = p->machine;
    f->windows[at_least]++;
    f->sampled[at_least] = to->accesses - from->accesses;
}

static inline void fake_warn(const struct warp_policy *p, const char *fmt, ...)
{
    struct fake_sm *f = p->machine;
    va_list args;
    va_start(args, fmt);
    vsnprintf(f->warning, sizeof f->warning, fmt, args);
    va_end(args);
    f->warnings++;
}

/* sets: "name", "value", ..., NULL */
static inline void fake_open(struct fake_sm *f, const char *policy, const char *const *sets)
{
    static const struct warp_host host = {.counters = fake_counters,
                                          .memory_use = fake_memory_use,
                                          .refuse = fake_refuse,
                                          .note = fake_note,
                                          .warn = fake_warn,
                                          .sampled = fake_sampled};
    const struct warp_policy_ops *ops =
        (const struct warp_policy_ops *)policy_find(QUESTION_WARP, policy);
    struct err err = ERR_INIT;
    assert_non_null(ops);
    *f = (struct fake_sm){.view = {.schedulers = 2,
                                   .scheduler = {0x5555555555555555u, 0xaaaaaaaaaaaaaaaau},
                                   .sms = 1,
                                   .l1_sets = 32,
                                   .l1_ways = 4,
                                   .seed = 1}};
    f->view.now = &f->now;
    f->config = arena_alloc(&f->arena, ops->config_bytes + 1);
    for (const struct param *p = ops->params; p && p->type != PARAM_END; p++) {
        param_set_initial(p, f->config + p->offset);
        for (u32 i = 0; sets && sets[i]; i += 2) {
            if (strcmp(sets[i], p->name) == 0)
                assert_true(param_set(p, f->config + p->offset, p->name, sets[i + 1],
                                      (struct src_pos){0}, &err));
        }
    }
    f->policy = (struct warp_policy){.ops = ops,
                                     .view = &f->view,
                                     .host = &host,
                                     .machine = f,
                                     .config = f->config,
                                     .state = arena_alloc(&f->arena, ops->state_bytes + 1),
                                     .shared = arena_alloc(&f->arena, ops->shared_bytes + 1),
                                     .may_issue = ~(u64)0,
                                     .may_load = ~(u64)0,
                                     .may_fill = ~(u64)0,
                                     .alarm = CYCLE_NEVER};
    if (ops->init)
        assert_true(ops->init(&f->policy, &f->arena, &err));
}

static inline void fake_close(struct fake_sm *f)
{
    arena_fini(&f->arena);
}

static inline void fake_changed(struct fake_sm *f)
{
    if (f->policy.ops->changed)
        f->policy.ops->changed(&f->policy);
}

static inline void fake_launch(struct fake_sm *f, u32 slot)
{
    f->view.age[slot] = f->view.launched++;
    f->view.live |= (u64)1 << slot;
    fake_changed(f);
}

static inline void fake_exit(struct fake_sm *f, u32 slot)
{
    f->view.live &= ~((u64)1 << slot);
    fake_changed(f);
}

static inline void fake_kernel(struct fake_sm *f, const char *name, u64 number, u32 limit)
{
    struct warp_kernel k = {.name = name, .number = number, .warps = 2 * limit, .limit = limit};
    f->policy.ops->kernel(&f->policy, &k);
}

/* Up to and with that cycle, ringing every alarm on the way. */
static inline void fake_run_to(struct fake_sm *f, cycle_t to)
{
    while (f->now <= to) {
        cycle_t next = f->policy.alarm < to + 1 ? f->policy.alarm : to + 1;
        if (f->passes && next > f->now)
            f->passes(f, f->now, next);
        f->now = next > f->now ? next : f->now;
        if (f->now > to)
            break;
        f->policy.alarm = CYCLE_NEVER;
        f->policy.ops->ring(&f->policy, f->now);
    }
}

/* The tuples that were set, one after the other. */
static inline u32 fake_tuples(const struct fake_sm *f, struct warp_note *out, u32 room)
{
    u32 count = 0;
    for (u32 i = 0; i < f->note_count; i++) {
        if (strcmp(f->notes[i].what, "tuple") == 0 && count < room)
            out[count++] = f->notes[i];
    }
    return count;
}

static inline const struct warp_note *fake_find(const struct fake_sm *f, const char *what, u32 n)
{
    for (u32 i = 0; i < f->note_count; i++) {
        if (strcmp(f->notes[i].what, what) == 0 && !n--)
            return &f->notes[i];
    }
    return NULL;
}

#endif

/*
 * Every value that the tables of the gpu model call legal runs, or is refused in one sentence:
 * each parameter at its least and greatest value, and random combinations.
 *
 * Each case is a process of its own, with a limit on its time and memory, so that a signal or a
 * failed assertion is a result like any other. PARAMETER_CASES in the environment: how many
 * combinations; then both ends are tried on a second chip, too.
 */
#include "testing.h"

#include "base/rng.h"
#include "machine/gpu_cluster.h"
#include "run/run.h"
#include "gpu/random_kernel.h"
#include "gpu/script.h"
#include "machine/policies.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_SETS 16u
#define SECONDS_PER_CASE 20u
#define BYTES_PER_CASE ((rlim_t)16 << 30)
#define CYCLES_PER_CASE 60000u

enum outcome { RAN, REFUSED = 2, BROKEN = 3 };

/* What a case sets, and what came of it. */
struct trial {
    const char *chip;
    char sets[MOST_SETS][96];
    u32 set_count;
    enum outcome outcome;
    char message[2048];
};

/* ---- in the child ---------------------------------------------------------------------------- */

#define ACCESS(kind_, space_, ...)                                                                 \
    {                                                                                              \
        .kind = kind_, .unit = UNIT_MEMORY, .space = space_, .bytes = 4, __VA_ARGS__               \
    }

/* One of everything that an SM treats in a way of its own. */
static const struct scripted_instruction everything[] = {
    ALU(1, 0),
    ACCESS(WINST_LOAD, SPACE_CONST, .dst = 2, .base = 4096, .warp_stride = 512),
    LOAD(3, MIB, .warp_stride = 128, .block_stride = 4096, .iteration_stride = 8192),
    LOAD_APART(4, 132, MIB, .block_stride = 4096, .cache_operator = CACHE_GLOBAL),
    ACCESS(WINST_TEXTURE, SPACE_GLOBAL, .dst = 5, .base = 2 * MIB, .lane_stride = 36),
    ACCESS(WINST_PREFETCH, SPACE_GLOBAL, .base = 3 * MIB, .lane_stride = 256),
    ACCESS(WINST_STORE, SPACE_LOCAL, .base = 64, .src0 = 3),
    ACCESS(WINST_LOAD, SPACE_LOCAL, .dst = 6, .base = 64),
    ACCESS(WINST_ATOMIC, SPACE_GLOBAL, .dst = 7, .base = 4 * MIB),
    ACCESS(WINST_ATOMIC, SPACE_GLOBAL, .base = 4 * MIB, .lane_stride = 8),
    STORE(5 * MIB, .warp_stride = 128, .block_stride = 1024, .src0 = 4),
    ACCESS(WINST_STORE, SPACE_GLOBAL, .base = 6 * MIB, .lane_stride = 512, .block_stride = 4),
    ACCESS(WINST_ASYNC_COPY, SPACE_GLOBAL, .base = MIB, .lane_stride = 4),
    {.kind = WINST_ASYNC_COMMIT, .unit = UNIT_MEMORY},
    {.kind = WINST_ASYNC_WAIT, .unit = UNIT_MEMORY},
    {.unit = UNIT_FP32, .cost = COST_DIVIDE, .dst = 8, .src0 = 5, .src1 = 6},
    {.unit = UNIT_FP64, .cost = COST_MULTIPLY_ADD, .dst = 9, .src0 = 7},
    {.unit = UNIT_FP16, .cost = COST_SELECT, .dst = 10, .src0 = 2},
    {.unit = UNIT_SFU, .dst = 11, .src0 = 8},
    {.unit = UNIT_TENSOR, .dst = 12, .src0 = 10},
    FENCE(),
    BARRIER(),
    SLEEP(40),
    EXIT(),
};
static const struct scripted_instruction in_shared[] = {
    ACCESS(WINST_STORE, SPACE_SHARED, .lane_stride = 8),
    BARRIER(),
    ACCESS(WINST_ATOMIC, SPACE_SHARED, .dst = 2, .lane_stride = 0),
    ACCESS(WINST_LOAD, SPACE_SHARED, .dst = 1, .lane_stride = 128),
    EXIT(),
};

/* Those that fit. */
static u32 launch_all(struct gpu *g, struct arena *arena, struct err *err)
{
    struct synthetic_phase phase;
    struct scripted_kernel one = KERNEL(everything, 64, .blocks = 6, .iterations = 3);
    struct scripted_kernel two = KERNEL(in_shared, 96, .blocks = 6, .stream = 1);
    struct synthetic_kernel three = random_kernel(3, &phase);
    one.local_bytes_per_thread = 128;
    two.shared_bytes_per_block = 8192;
    const struct grid_source sources[] = {scripted_source(&one, arena),
                                          scripted_source(&two, arena),
                                          synthetic_source(&three, 1, arena)};
    u32 launched = 0;
    for (u32 i = 0; i < ARRAY_LEN(sources); i++) {
        struct err why = ERR_INIT;
        if (dispatcher_launch(&g->cluster.dispatcher, &sources[i], 0, &why))
            launched++;
        else
            *err = why;
    }
    return launched;
}

static enum outcome simulate(struct run *run, struct err *err)
{
    struct arena scripts = {0};
    struct text summary = {0};
    struct engine *e = &run->sim.engine;
    if (!launch_all(machine_gpu(run->machine, ""), &scripts, err))
        return REFUSED;
    *err = ERR_INIT;
    enum engine_end end = engine_run(e);
    if (end == ENGINE_HUNG) {
        watchdog_report(e, &summary);
        err_kind(err, ERR_INVARIANT, "hangs: %s", summary.data);
        return BROKEN;
    }
    run->model->settle(run->machine);
    if (end == ENGINE_STOPPED && !stats_check_laws(&run->sim.stats, err))
        return BROKEN;
    run->model->summary(run->machine, &summary);
    json_t *details = json_object();
    run->model->details(run->machine, details);
    json_decref(details);
    text_fini(&summary);
    arena_fini(&scripts);
    return RAN;
}

/* The message goes to the parent, the outcome is the exit status. */
static _Noreturn void child(const struct trial *t, int to)
{
    const char *sets[MOST_SETS];
    for (u32 i = 0; i < t->set_count; i++)
        sets[i] = t->sets[i];
    struct rlimit cpu = {SECONDS_PER_CASE, SECONDS_PER_CASE + 1};
    struct rlimit memory = {BYTES_PER_CASE, BYTES_PER_CASE}, core = {0, 0};
    static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
    for (u32 i = 0; i < ARRAY_LEN(signals); i++)
        signal(signals[i], SIG_DFL); /* not the test library's */
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_CORE, &core);
    dup2(to, STDERR_FILENO);
#ifndef __SANITIZE_ADDRESS__
    setrlimit(RLIMIT_AS, &memory);
#else
    (void)memory;
#endif
    struct run run;
    struct run_request request = {
        .chip = {.chip = t->chip,
                 .folders = testing_chips(),
                 .sets = sets,
                 .set_count = t->set_count},
        .seed = 1,
        .engine = {.watchdog_cycles = 1000000, .max_cycles = CYCLES_PER_CASE}};
    struct err err = ERR_INIT;
    enum outcome outcome = run_open(&run, &request, &err) ? simulate(&run, &err) : REFUSED;
    char text[1600] = "";
    if (err.kind != ERR_NONE)
        err_text(&err, text, sizeof text);
    if (outcome == REFUSED && err.kind != ERR_INPUT)
        outcome = BROKEN;
    ssize_t ignored = write(to, text, strlen(text));
    (void)ignored;
    _exit((int)outcome);
}

/* ---- in the parent --------------------------------------------------------------------------- */

static void describe(const struct trial *t, char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "%s", t->chip);
    for (u32 i = 0; i < t->set_count && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, " --set %s", t->sets[i]);
}

static bool trial_run(struct trial *t)
{
    int pipes[2], status;
    assert_int_equal(pipe(pipes), 0);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        child(t, pipes[1]);
    close(pipes[1]);
    size_t n = 0;
    for (ssize_t got = 1; got > 0 && n < sizeof t->message - 1; n += (size_t)max_u64((u64)got, 0)) {
        got = read(pipes[0], t->message + n, sizeof t->message - 1 - n);
        if (got <= 0)
            break;
    }
    t->message[n] = '\0';
    close(pipes[0]);
    waitpid(pid, &status, 0);
    bool one_sentence = n > 0 && !strchr(t->message, '\n');
    char words[2048];
    describe(t, words, sizeof words);
    if (WIFSIGNALED(status))
        print_error("%s: signal %d: %s\n", words, WTERMSIG(status), t->message);
    else if (WEXITSTATUS(status) == REFUSED && !one_sentence)
        print_error("%s: refused with \"%s\"\n", words, t->message);
    else if (WEXITSTATUS(status) != RAN && WEXITSTATUS(status) != REFUSED)
        print_error("%s: exit %d: %s\n", words, WEXITSTATUS(status), t->message);
    else {
        t->outcome = (enum outcome)WEXITSTATUS(status);
        return true;
    }
    return false;
}

static void set(struct trial *t, const char *path, const char *value)
{
    assert_true(t->set_count < MOST_SETS);
    snprintf(t->sets[t->set_count++], sizeof t->sets[0], "%s=%s", path, value);
}

/* A policy's parameters matter when it is chosen. */
static void set_parameter(struct trial *t, const char *path, const char *value)
{
    static const struct {
        const char *question, *path;
    } of_gpus[] = {{"policy.warp.", "sm.warp_policy"},
                   {"policy.replacement.", "sm.l1.replacement"},
                   {"policy.block.", "launch.dispatch"},
                   {"policy.llc.", "l2.policy"}};
    for (u32 i = 0; i < ARRAY_LEN(of_gpus); i++) {
        const char *at = path + strlen(of_gpus[i].question);
        char name[64];
        if (strncmp(path, of_gpus[i].question, strlen(of_gpus[i].question)) != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "."), at);
        set(t, of_gpus[i].path, name);
    }
    set(t, path, value);
}

static struct config load_table(const char *chip)
{
    struct config c;
    struct err err = ERR_INIT;
    struct config_request r = {.chip = chip, .folders = testing_chips(), .schemas = model_schemas};
    if (!config_load(&c, &r, &err))
        bed_fail(&err);
    return c;
}

static u32 choices_of(const struct param *p)
{
    u32 n = 0;
    while (p->type == PARAM_CHOICE && p->choices[n])
        n++;
    return p->type == PARAM_BOOL ? 2 : n;
}

static void number_text(const struct param *p, u64 value, char *out, size_t size)
{
    if (p->type == PARAM_BOOL)
        snprintf(out, size, "%s", value ? "true" : "false");
    else if (p->type == PARAM_CHOICE)
        snprintf(out, size, "%s", p->choices[value]);
    else
        snprintf(out, size, "%llu", (unsigned long long)value);
}

/* False: text has no least and greatest value. */
static bool extreme_text(const struct param *p, bool greatest, char *out, size_t size)
{
    if (p->type == PARAM_STRING)
        return false;
    if (p->type == PARAM_DOUBLE)
        snprintf(out, size, "%.17g", greatest ? p->hi_f : p->lo_f);
    else if (choices_of(p))
        number_text(p, greatest ? choices_of(p) - 1 : 0, out, size);
    else
        number_text(p, greatest ? p->hi : p->lo, out, size);
    return true;
}

TEST(both_ends_that_a_table_states_are_read)
{
    UNUSED_STATE;
    struct config c = load_table("fermi15");
    char value[64];
    u32 ends = 0;
    for (u32 i = 0; i < c.value_count; i++) {
        const struct config_value *v = &c.values[i];
        for (u32 end = 0; end < 2 && extreme_text(v->param, end, value, sizeof value); end++) {
            u64 field;
            struct err err = ERR_INIT;
            if (!param_set(v->param, &field, v->path, value, (struct src_pos){0}, &err))
                bed_fail(&err);
            ends++;
        }
    }
    assert_true(ends > 600);
    config_fini(&c);
}

/* Both ends of each parameter of a chip with a few SMs, and the other choices besides. */
static u32 try_extremes(const char *chip)
{
    struct config c = load_table(chip);
    u32 bad = 0;
    char value[64];
    for (u32 i = 0; i < c.value_count; i++) {
        const struct param *p = c.values[i].param;
        for (u32 end = 0; end < 2; end++) {
            struct trial t = {.chip = chip};
            if (!extreme_text(p, end, value, sizeof value))
                continue;
            set(&t, "sm.count", "3");
            set_parameter(&t, c.values[i].path, value);
            bad += !trial_run(&t);
        }
        for (u32 k = 1; k + 1 < choices_of(p); k++) {
            struct trial t = {.chip = chip};
            number_text(p, k, value, sizeof value);
            set(&t, "sm.count", "3");
            set_parameter(&t, c.values[i].path, value);
            bad += !trial_run(&t);
        }
    }
    config_fini(&c);
    return bad;
}

TEST(both_ends_of_every_parameter_run_or_are_refused_in_a_sentence)
{
    UNUSED_STATE;
    assert_int_equal(try_extremes("fermi15"), 0);
    if (getenv("PARAMETER_CASES"))
        assert_int_equal(try_extremes("h200"), 0);
}

/* ---- combinations ---------------------------------------------------------------------------- */

static const char *random_name(struct rng *r, const char *path)
{
    const char *names[64];
    u32 count = 0;
    for (const char *const *word = policy_use_words(); *word; word++) {
        const struct policy_use *use = policy_use_find(*word);
        const struct policy_ops *p;
        for (u32 i = 0; strcmp(use->path, path) == 0 && (p = policy_at(use->question, i)); i++)
            names[count++] = p->name;
    }
    if (!count)
        return NULL;
    return names[rng_below(r, count)];
}

/* An end, something between on a scale of factors, or a power of two. */
static u64 random_number(struct rng *r, u64 lo, u64 hi)
{
    u64 choice = rng_below(r, 6);
    if (choice == 0)
        return lo;
    if (choice == 1)
        return hi;
    u32 bits = hi ? 64 - (u32)__builtin_clzll(hi) : 1;
    u64 power = (u64)1 << rng_below(r, bits);
    u64 value = choice < 4 ? power : power + rng_below(r, power);
    return value < lo ? lo : value > hi ? hi : value;
}

static bool random_value(struct rng *r, const struct param *p, const char *path, char *out,
                         size_t size)
{
    const char *name;
    if (p->type == PARAM_STRING) {
        name = random_name(r, path);
        snprintf(out, size, "%s", name ? name : "");
        return name != NULL;
    }
    if (p->type == PARAM_DOUBLE) {
        double part = (double)rng_below(r, 5) / 4;
        snprintf(out, size, "%.17g", p->lo_f + (p->hi_f - p->lo_f) * part * part);
    } else if (choices_of(p)) {
        number_text(p, rng_below(r, choices_of(p)), out, size);
    } else {
        number_text(p, random_number(r, p->lo, p->hi), out, size);
    }
    return true;
}

TEST(random_combinations_of_parameters_run_or_are_refused_in_a_sentence)
{
    UNUSED_STATE;
    static const char *const chips[] = {
        "fermi15", "fermi15-ccn", "fermi15-infinite", "kepler8",       "volta8", "turing",
        "ampere",  "h200",        "fermi15-tracker",  "fermi15-4x-all"};
    const char *wanted = getenv("PARAMETER_CASES");
    u32 cases = wanted ? (u32)strtoul(wanted, NULL, 10) : 300, bad = 0, ran = 0;
    struct config c = load_table("fermi15");
    struct rng r;
    rng_init(&r, 1, "parameters");
    for (u32 i = 0; i < cases; i++) {
        struct trial t = {.chip = chips[rng_below(&r, ARRAY_LEN(chips))]};
        u32 changes = 1 + (u32)rng_below(&r, 7);
        set(&t, "sm.count", "3");
        for (u32 k = 0; k < changes; k++) {
            const struct config_value *v = &c.values[rng_below(&r, c.value_count)];
            char value[64];
            if (random_value(&r, v->param, v->path, value, sizeof value))
                set_parameter(&t, v->path, value);
        }
        bad += !trial_run(&t);
        ran += t.outcome == RAN;
    }
    config_fini(&c);
    assert_int_equal(bad, 0);
    assert_true(ran > cases / 3); /* the others ask for what cannot be */
}

RUN_TESTS(T(both_ends_that_a_table_states_are_read),
          T(both_ends_of_every_parameter_run_or_are_refused_in_a_sentence),
          T(random_combinations_of_parameters_run_or_are_refused_in_a_sentence))

/* The build wraps the allocator of this program: see tests/meson.build. */
#include "testing.h"

#include "machine/cpu_cluster.h"
#include "run/run.h"
#include "sim/graph.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t m);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t m);
void *__wrap_realloc(void *p, size_t n);

static u64 calls;

void *__wrap_malloc(size_t n)
{
    calls++;
    return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t m)
{
    calls++;
    return __real_calloc(n, m);
}

void *__wrap_realloc(void *p, size_t n)
{
    calls++;
    return __real_realloc(p, n);
}

TEST(the_count_sees_the_library)
{
    UNUSED_STATE;
    u64 before = calls;
    struct arena a = {0};
    arena_alloc(&a, 10);
    assert_true(calls > before);
    arena_fini(&a);
}

TEST(the_cycle_loop_allocates_nothing)
{
    UNUSED_STATE;
    struct graph *g = malloc(sizeof *g);
    for (u64 seed = 0; seed < 200; seed++) {
        graph_init(g, seed, false, 0);
        u64 before = calls;
        engine_run(&g->engine);
        assert_true(calls == before);
        arena_fini(&g->arena);
    }
    free(g);
}

static bool count_after_warm_up(void *context, const struct engine *engine)
{
    u64 *at = context;
    (void)engine;
    if (!*at)
        *at = calls;
    return true;
}

TEST(a_chip_with_a_series_allocates_nothing_after_warm_up)
{
    UNUSED_STATE;
    static const char *const series[] = {"stage.tokens", "stage0.busy_per_token"};
    static const char *const sets[] = {"tokens=200000"};
    const char *const *folders = testing_chips();
    u64 warm = 0;
    struct run_request request = {
        .chip = {.chip = "tandem", .folders = folders, .sets = sets, .set_count = 1},
        .workload = "tokens",
        .series = series,
        .series_count = 2,
        .interval = 1,
        .engine = {.poll = count_after_warm_up, .poll_context = &warm},
    };
    struct run run;
    struct err err = ERR_INIT;
    assert_true(run_open(&run, &request, &err));
    assert_int_equal(engine_run(&run.sim.engine), ENGINE_STOPPED);
    assert_true(warm > 0);
    assert_true(calls == warm);
    assert_true(run.series.row_count > 32768); /* it was full and halved */
    run_close(&run);
}

TEST(cpu_cores_allocate_nothing_while_their_programs_run)
{
    UNUSED_STATE;
    static const char *const sets[] = {"core.l1d.prefetcher=stride", "core.tlb.enabled=true"};
    const char *const *folders = testing_chips();
    u64 warm = 0;
    struct run_request request = {
        .chip = {.chip = "cpu4", .folders = folders, .sets = sets, .set_count = 2},
        .workload = "cpu:mix,length=60000,footprint_bytes=4MiB",
        .engine = {.poll = count_after_warm_up, .poll_context = &warm, .max_cycles = 40000},
    };
    struct run run;
    struct err err = ERR_INIT;
    struct cpu_stream stream;
    assert_true(run_open(&run, &request, &err));
    assert_true(cpu_stream_open(
        &stream, &(struct cpu_stream_request){.name = request.workload, .seed = 1}, &err));
    const struct machine *machine = run.machine;
    struct cpu_cluster *cluster = machine->clusters[0].part;
    core_start(&cluster->cores[0], &stream, 0);
    assert_int_equal(engine_run(&run.sim.engine), ENGINE_LIMIT);
    assert_true(warm > 0);
    assert_true(calls == warm);
    assert_true(cluster->cores[0].counts.instructions > 10000);
    cpu_stream_close(&stream);
    run_close(&run);
}

RUN_TESTS(T(the_count_sees_the_library), T(the_cycle_loop_allocates_nothing),
          T(a_chip_with_a_series_allocates_nothing_after_warm_up),
          T(cpu_cores_allocate_nothing_while_their_programs_run))

/* Latency against load beside BookSim 2 (tests/net/booksim.csv; docs/mechanisms/mesh.md).
 * tools/mesh-curves runs every point; here are the ends and the middle of each curve, with shorter
 * windows. */
#include "testing.h"

#include "net/mesh/traffic.h"
#include "policy/registry.h"

#include <math.h>

struct point {
    char name[32], traffic[16], packet[8];
    unsigned k, vcs, hop_cycles, stable, seed;
    double offered, accepted, latency, network, hops;
};

static struct point points[256];
static u32 point_count;

static void read_points(void)
{
    char path[512], line[256];
    snprintf(path, sizeof path, "%s/tests/net/booksim.csv", getenv("HEDDLE_SOURCE"));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    while (fgets(line, sizeof line, f)) {
        struct point *p = &points[point_count];
        char latency[16] = "";
        int n = sscanf(line, "%31[^,],%u,xy,%u,5,%7[^,],%u,%15[^,],%lf,%lf,%15[^,],%lf,%lf,%u,%u",
                       p->name, &p->k, &p->vcs, p->packet, &p->hop_cycles, p->traffic, &p->offered,
                       &p->accepted, latency, &p->network, &p->hops, &p->stable, &p->seed);
        if (n < 13) /* saturated: it has no latency */
            n = sscanf(line, "%31[^,],%u,xy,%u,5,%7[^,],%u,%15[^,],%lf,%lf,,%lf,%lf,%u,%u", p->name,
                       &p->k, &p->vcs, p->packet, &p->hop_cycles, p->traffic, &p->offered,
                       &p->accepted, &p->network, &p->hops, &p->stable, &p->seed) +
                1;
        assert_int_equal(n, 13);
        p->latency = atof(latency);
        point_count += p->seed == 1 && strncmp(p->name, "s_", 2) != 0;
    }
    fclose(f);
}

static struct traffic *run(struct sim *sim, const struct mesh_config *m,
                           const struct traffic_config *c, u32 pattern)
{
    memset(sim, 0, sizeof *sim);
    engine_init(&sim->engine, &sim->arena, &(struct engine_options){.watchdog_cycles = 100000});
    stats_init(&sim->stats, &sim->arena);
    struct build_site site = site_of(sim);
    struct traffic *t = ARENA_NEW(&sim->arena, struct traffic);
    struct err err = ERR_INIT;
    domain_id domain = engine_add_domain(&sim->engine, "mesh", 1000000000);
    struct policy_choice noc;
    assert_true(policy_choose(QUESTION_NOC, "shared", "", NULL, &sim->arena, &noc, &err));
    assert_true(traffic_init(t, &site, domain, m, c, pattern, noc, &err));
    engine_start(&sim->engine);
    assert_int_equal(engine_run(&sim->engine), ENGINE_STOPPED);
    assert_true(stats_check_laws(&sim->stats, &err));
    assert_true(mesh_is_consistent(&t->mesh));
    return t;
}

static struct mesh_config mesh_of(const struct point *p)
{
    return (struct mesh_config){.width = p->k,
                                .height = p->k,
                                .vcs = p->vcs,
                                .vc_flits = 5,
                                .flit_bytes = 16,
                                .hop_cycles = p->hop_cycles,
                                .injection_flits = 1,
                                .sa_input_limit = 1};
}

static u32 pattern_of(const struct point *p)
{
    return *p->traffic == 'u'   ? TRAFFIC_UNIFORM
           : *p->traffic == 't' ? TRAFFIC_TRANSPOSE
                                : TRAFFIC_HOTSPOT;
}

static struct traffic_config traffic_of(const struct point *p, double load, u64 window)
{
    return (struct traffic_config){.load = load,
                                   .short_flits = 1,
                                   .long_flits = 5,
                                   .long_percent = strcmp(p->packet, "1") == 0   ? 0
                                                   : strcmp(p->packet, "5") == 0 ? 100
                                                                                 : 50,
                                   .hotspot_node = 5,
                                   .hotspot_percent = 20,
                                   .warmup_cycles = window / 3,
                                   .window_cycles = window,
                                   .drain_cycles = 4 * window,
                                   .placement = "",
                                   .cpu_waits = 1,
                                   .gpu_waits = 1};
}

/* So far apart that no packet meets another: the latency is that of the routers alone. */
TEST(latency_without_load_is_exact)
{
    UNUSED_STATE;
    for (u32 i = 0; i < point_count; i++) {
        const struct point *p = &points[i];
        if (p->offered != 0.02)
            continue;
        struct sim sim;
        struct mesh_config m = mesh_of(p);
        struct traffic_config c = traffic_of(p, 0.0001, 200000);
        const struct traffic *t = run(&sim, &m, &c, pattern_of(p));
        double flits = (double)t->mesh.counts.types[NOC_CPU].flits /
                       (double)t->mesh.counts.types[NOC_CPU].packets;
        double expected =
            1 + p->hop_cycles * ((double)t->counts.routers / (double)t->counts.came) + flits;
        double latency = (double)t->counts.latency_cycles / (double)t->counts.came;
        assert_true(fabs(latency - expected) < 0.06); /* lengths: of the followed, and of all */
        arena_fini(&sim.arena);
    }
}

static const struct point *half_load(const struct point *first)
{
    double most = 0;
    const struct point *best = first;
    for (const struct point *p = first;
         p < points + point_count && strcmp(p->name, first->name) == 0; p++)
        most = p->stable ? p->offered : most;
    for (const struct point *p = first;
         p < points + point_count && strcmp(p->name, first->name) == 0; p++) {
        if (fabs(p->offered - most / 2) < fabs(best->offered - most / 2))
            best = p;
    }
    return best;
}

TEST(latency_at_half_of_the_saturation_load_is_booksims_within_5_percent)
{
    UNUSED_STATE;
    for (u32 i = 0; i < point_count; i++) {
        if (points[i].offered != 0.02)
            continue;
        const struct point *p = half_load(&points[i]);
        struct sim sim;
        struct mesh_config m = mesh_of(p);
        struct traffic_config c = traffic_of(p, p->offered, p->k == 8 ? 6000 : 20000);
        const struct traffic *t = run(&sim, &m, &c, pattern_of(p));
        double latency = (double)t->counts.latency_cycles / (double)t->counts.came;
        assert_true(fabs(latency / p->latency - 1) < 0.05);
        arena_fini(&sim.arena);
    }
}

/* What comes under too much load, in the last point of each curve. */
TEST(a_saturated_mesh_delivers_what_booksims_does_within_5_percent)
{
    UNUSED_STATE;
    for (u32 i = 0; i < point_count; i++) {
        const struct point *p = &points[i];
        if (i + 1 < point_count && strcmp(p->name, points[i + 1].name) == 0)
            continue;
        struct sim sim;
        struct mesh_config m = mesh_of(p);
        struct traffic_config c = traffic_of(p, p->offered, p->k == 8 ? 4000 : 8000);
        c.drain_cycles = 0;
        const struct traffic *t = run(&sim, &m, &c, pattern_of(p));
        assert_true(fabs(traffic_accepted(t) / p->accepted - 1) < 0.05);
        arena_fini(&sim.arena);
    }
}

static const struct traffic_config asking = {.short_flits = 1,
                                             .long_flits = 5,
                                             .warmup_cycles = 0,
                                             .window_cycles = 20000,
                                             .placement = "CCCC/LLLL/..GG/GGGG",
                                             .cpu_load = 0.01,
                                             .cpu_waits = 8,
                                             .gpu_waits = 64,
                                             .bank_cycles = 20};

/* Along x first, all answers go down from the banks' row; the links of columns 2 and 3 have two of
 * the six Gs behind them, a third of the answers each: 3 flits a cycle of answers at most, and a
 * request of one flit for each five of them. */
TEST(banks_answer_as_fast_as_the_links_below_them_let_them)
{
    UNUSED_STATE;
    struct traffic_config c = asking;
    struct mesh_config m = {.width = 4,
                            .height = 4,
                            .vcs = 4,
                            .vc_flits = 5,
                            .flit_bytes = 16,
                            .hop_cycles = 5,
                            .arbitration = MESH_OLDEST,
                            .injection_flits = 1,
                            .sa_input_limit = 1,
                            .injection_packets = 32};
    struct sim sim;
    c.gpu_load = 1;
    const struct traffic *t = run(&sim, &m, &c, TRAFFIC_MEMORY);
    const struct mesh_type_counts *gpu = &t->mesh.counts.types[NOC_GPU],
                                  *cpu = &t->mesh.counts.types[NOC_CPU];
    double flits = (double)(gpu->flits + cpu->flits) / 20000.0;
    assert_true(flits < 3.0 * 6 / 5 + 0.3); /* and the CPU's, which go up */
    assert_true(flits > 0.8 * 3.0 * 6 / 5);
    assert_true(cpu->queue_cycles / cpu->packets > 20); /* it waits behind the GPU's */
    arena_fini(&sim.arena);
}

int main(void)
{
    read_points();
    const struct CMUnitTest tests[] = {
        T(latency_without_load_is_exact),
        T(latency_at_half_of_the_saturation_load_is_booksims_within_5_percent),
        T(a_saturated_mesh_delivers_what_booksims_does_within_5_percent),
        T(banks_answer_as_fast_as_the_links_below_them_let_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

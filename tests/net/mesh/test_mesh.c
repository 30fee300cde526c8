/* Routers of a mesh, alone: every number by hand from the stages in net/mesh/mesh.h. */
#include "testing.h"

#include "base/rng.h"
#include "net/mesh/mesh.h"
#include "net/mesh/mesh_internal.h"

static const struct mesh_config plain = {.width = 4,
                                         .height = 4,
                                         .vcs = 4,
                                         .vc_flits = 5,
                                         .flit_bytes = 16,
                                         .hop_cycles = 5,
                                         .injection_flits = 1,
                                         .sa_input_limit = 1};

struct rig {
    struct arena arena;
    struct mesh_config config;
    struct mesh mesh;
    cycle_t now;
    cycle_t came[4096]; /* by the packet's user number; 0: it has not */
    u32 order[4096], count;
};

static void open_rig(struct rig *r, const struct mesh_config *c)
{
    memset(r, 0, sizeof *r);
    r->config = *c;
    mesh_init(&r->mesh, &r->arena, &r->config, 4096);
}

static void close_rig(struct rig *r)
{
    arena_fini(&r->arena);
}

static u32 post(struct rig *r, u32 user, u32 from, u32 to, u32 flits, u32 type)
{
    u32 packet = mesh_packet_new(&r->mesh);
    struct mesh_packet *p = mesh_packet_at(&r->mesh, packet);
    p->from = (u16)from;
    p->to = (u16)to;
    p->user = user;
    p->what.flits = (u16)flits;
    p->what.type = (u8)type;
    mesh_queue(&r->mesh, packet, r->now);
    return packet;
}

static void step(struct rig *r)
{
    const u32 *ejected;
    u32 count;
    mesh_step(&r->mesh, r->now, &ejected, &count);
    for (u32 i = 0; i < count; i++) {
        u32 user = mesh_packet_at(&r->mesh, ejected[i])->user;
        r->came[user] = r->now;
        r->order[r->count++] = user;
        mesh_packet_free(&r->mesh, ejected[i]);
    }
    r->now++;
}

static void run(struct rig *r, u32 cycles)
{
    for (u32 i = 0; i < cycles && mesh_is_busy(&r->mesh); i++)
        step(r);
}

static u32 distance(const struct mesh_config *c, u32 a, u32 b)
{
    return (u32)(abs((int)(a % c->width) - (int)(b % c->width)) +
                 abs((int)(a / c->width) - (int)(b / c->width)));
}

/* 2 to the first router, hop_cycles for each router and its link, flits - 1 for the rest. */
TEST(a_lone_packet_takes_2_and_hop_cycles_a_router_and_a_cycle_for_each_further_flit)
{
    UNUSED_STATE;
    for (u32 i = 0; i < 3 * 3 * 2 * 16 * 16; i++) {
        struct mesh_config c = plain;
        u32 from = i % 16, to = i / 16 % 16, flits = i / 256 % 2 ? 5 : 1;
        c.routing = i / 512 % 3;
        c.hop_cycles = 3 + i / 1536;
        c.arbitration = i % 2 ? MESH_OLDEST : MESH_TURNS;
        struct rig r;
        open_rig(&r, &c);
        post(&r, 1, from, to, flits, NOC_CPU);
        run(&r, 200);
        assert_int_equal(r.came[1], 2 + c.hop_cycles * (distance(&c, from, to) + 1) + flits - 1);
        close_rig(&r);
    }
}

/* One virtual channel: route, VC, switch of the second follow the first's last flit, so 3 cycles
 * with 1 flit and 7 with 5; 2 and 6 where the route is known; 1 and 5 with both at once. */
TEST(a_virtual_channel_starts_the_next_packet_in_the_cycle_after_the_last_flit_won)
{
    UNUSED_STATE;
    static const struct {
        u32 hop_cycles, flits, apart;
    } rows[] = {{5, 1, 3}, {5, 5, 7}, {4, 1, 2}, {4, 5, 6}, {3, 1, 1}, {3, 5, 5}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct mesh_config c = plain;
        c.vcs = 1;
        c.vc_flits = 16; /* so that credits are not what it waits for */
        c.hop_cycles = rows[i].hop_cycles;
        struct rig r;
        open_rig(&r, &c);
        for (u32 p = 1; p <= 4; p++)
            post(&r, p, 0, 3, rows[i].flits, NOC_CPU);
        run(&r, 400);
        for (u32 p = 2; p <= 4; p++)
            assert_int_equal(r.came[p] - r.came[p - 1], rows[i].apart);
        close_rig(&r);
    }
}

/* A slot is used again 5 cycles after the switch was won for a flit that follows: with 5 slots a
 * long packet streams; with 2 it has 2 flits in 5 cycles. */
TEST(credits_limit_a_packet_to_its_buffer_per_round_trip)
{
    UNUSED_STATE;
    struct mesh_config c = plain;
    struct rig r;
    open_rig(&r, &c);
    post(&r, 1, 0, 3, 41, NOC_CPU);
    run(&r, 400);
    assert_int_equal(r.came[1], 2 + 5 * 4 + 40);
    close_rig(&r);
    c.vc_flits = 2;
    open_rig(&r, &c);
    post(&r, 1, 0, 3, 41, NOC_CPU);
    run(&r, 400);
    assert_in_range(r.came[1], 2 + 5 * 4 + 100, 2 + 5 * 4 + 112);
    close_rig(&r);
}

/* From (0,0) to (2,2): along x first, so out of 0 and 1 east, 2 and 6 south. */
static const u32 right_then_down[] = {0, 1, 2, 6, 10}, down_then_right[] = {0, 4, 8, 9, 10};

static void check_way(u32 routing, bool is_reply, const u32 *way)
{
    struct mesh_config c = plain;
    c.routing = routing;
    struct rig r;
    open_rig(&r, &c);
    u32 packet = post(&r, 1, 0, 10, 5, NOC_CPU);
    mesh_packet_at(&r.mesh, packet)->what.is_reply = is_reply;
    run(&r, 200);
    for (u32 n = 0; n < 16; n++) {
        u64 left = 0;
        bool is_on_way = false;
        for (u32 p = 0; p < MESH_PORTS; p++)
            left += r.mesh.routers[n].counts.flits[p];
        for (u32 k = 0; k < 5; k++)
            is_on_way |= way[k] == n;
        assert_int_equal(left, is_on_way ? 5 : 0);
    }
    close_rig(&r);
}

TEST(xy_goes_along_x_first_yx_along_y_and_xy_yx_sends_replies_along_y_first)
{
    UNUSED_STATE;
    check_way(MESH_XY, false, right_then_down);
    check_way(MESH_XY, true, right_then_down);
    check_way(MESH_XY_YX, false, right_then_down);
    check_way(MESH_XY_YX, true, down_then_right);
    check_way(MESH_YX, false, down_then_right);
    check_way(MESH_YX, true, down_then_right);
}

/* Nodes 4 and 1 send to 5's neighbour 6 at the same time, 1 via 5's north, 4 via 5's west; the one
 * that was queued first wins the link from 5 to 6 all along. */
TEST(oldest_first_lets_the_older_packet_pass)
{
    UNUSED_STATE;
    for (u32 first = 0; first < 2; first++) {
        struct mesh_config c = plain;
        c.width = 3;
        c.height = 1;
        c.arbitration = MESH_OLDEST;
        c.vcs = 2;
        struct rig r;
        open_rig(&r, &c);
        /* 0 -> 2 passes router 1 five cycles later than 1's own packet made then */
        post(&r, 1, 0, 2, 5, NOC_CPU);
        for (u32 i = 0; i < 4 + first; i++)
            step(&r);
        post(&r, 2, 1, 2, 5, NOC_CPU);
        run(&r, 200);
        assert_true(r.came[1] < r.came[2]);
        assert_int_equal(r.came[1], 2 + 5 * 3 + 4);
        close_rig(&r);
    }
}

/* A node sends to both sides of it at once only without the limit: two packets of 5 flits wait in
 * two VCs of the local port, whose flits came one a cycle. */
TEST(without_an_input_limit_an_input_feeds_two_outputs_in_one_cycle)
{
    UNUSED_STATE;
    for (u32 limit = 0; limit < 2; limit++) {
        struct mesh_config c = plain;
        c.width = 3;
        c.height = 3;
        c.vc_flits = 8;
        c.sa_input_limit = limit;
        struct rig r;
        open_rig(&r, &c);
        /* fill both: the east link is kept busy by older packets from the west */
        for (u32 i = 0; i < 12; i++)
            post(&r, 100 + i, 3, 5, 5, NOC_CPU);
        for (u32 i = 0; i < 12; i++)
            post(&r, 200 + i, 4, i % 2 ? 5 : 1, 5, NOC_CPU);
        bool both = false;
        for (u32 i = 0; i < 400 && mesh_is_busy(&r.mesh); i++) {
            u64 before = r.mesh.slots[(r.now + 2) & 3].credit_count;
            step(&r);
            u32 local = 0;
            const struct mesh_slot *s = &r.mesh.slots[(r.now - 1 + 2) & 3];
            for (u64 k = before; k < s->credit_count; k++)
                local += s->credits[k] / r.mesh.vcs == port_index(4, MESH_LOCAL);
            both |= local > 1;
        }
        assert_int_equal(both, limit == 0);
        close_rig(&r);
    }
}

/* ---- laws under load ----------------------------------------------------------------------- */

static void flood(const struct mesh_config *c, u64 seed)
{
    struct rig r;
    struct rng rng;
    rng_init(&rng, seed, "flood");
    open_rig(&r, c);
    u32 nodes = c->width * c->height, sent = 0, flits = 0;
    for (u32 cycle = 0; cycle < 1500; cycle++) {
        for (u32 n = 0; n < nodes && sent < 4000; n++) {
            if (!mesh_queue_is_empty(&r.mesh, n) || rng_below(&rng, 4))
                continue;
            u32 length = rng_below(&rng, 2) ? 5 : 1;
            u32 p =
                post(&r, sent++, n, (u32)rng_below(&rng, nodes), length, (u32)rng_below(&rng, 2));
            mesh_packet_at(&r.mesh, p)->what.is_reply = (u8)rng_below(&rng, 2);
            flits += length;
        }
        step(&r);
        assert_true(mesh_is_consistent(&r.mesh));
    }
    run(&r, 20000);
    assert_int_equal(r.count, sent);
    assert_true(mesh_is_consistent(&r.mesh));
    const struct mesh_type_counts *t = r.mesh.counts.types;
    assert_int_equal(t[NOC_CPU].flits + t[NOC_GPU].flits, flits);
    u64 left = 0, held = 0;
    mesh_settle(&r.mesh, r.now);
    for (u32 n = 0; n < nodes; n++) {
        for (u32 p = 1; p < MESH_PORTS; p++)
            left += r.mesh.routers[n].counts.flits[p];
        for (u32 k = 0; k < NOC_TYPES; k++) {
            assert_int_equal(r.mesh.routers[n].held[k].count, 0);
            held += r.mesh.routers[n].counts.held_cycles[k];
        }
    }
    assert_true(held > 2 * (u64)flits);
    /* a flit crosses as many links as its packet's distance, however it is routed */
    u64 links = 0;
    for (u32 k = 0; k < NOC_TYPES; k++)
        links += t[k].hops;
    assert_true(left >= links && left <= 5 * links);
    close_rig(&r);
}

TEST(flits_and_credits_add_up_in_every_cycle_and_every_packet_comes)
{
    UNUSED_STATE;
    for (u32 i = 0; i < 3 * 3 * 2 * 2; i++) {
        struct mesh_config c = plain;
        c.hop_cycles = 3 + i % 3;
        c.routing = i / 3 % 3;
        c.arbitration = i / 9 % 2;
        c.sa_input_limit = i / 18 % 2;
        c.vcs = 1 + i % 4;
        c.vc_flits = 2 + i % 5;
        c.injection_packets = 4;
        c.whole_packets = i % 2;
        flood(&c, i);
    }
}

/* Four packets turn right around a square of four routers, each longer than the buffers ahead:
 * along x first this cannot be; adaptive routing that may not escape can lock up, and says how. */
TEST(channels_that_wait_for_each_other_are_named)
{
    UNUSED_STATE;
    struct mesh_config c = plain;
    c.vcs = 1;
    c.vc_flits = 2;
    c.routing = MESH_ADAPTIVE;
    c.escape_cycles = 1000000;
    bool found = false;
    for (u64 seed = 0; seed < 20 && !found; seed++) {
        struct rig r;
        struct rng rng;
        rng_init(&rng, seed, "lock");
        open_rig(&r, &c);
        for (u32 i = 0; i < 400; i++)
            post(&r, i, (u32)rng_below(&rng, 16), (u32)rng_below(&rng, 16), 5, NOC_CPU);
        run(&r, 5000);
        struct text circle = {0};
        if (mesh_is_busy(&r.mesh)) {
            found = mesh_find_circle(&r.mesh, &circle);
            assert_true(found);
            assert_non_null(strstr(circle.data, "VC 0 (packet "));
            assert_non_null(strstr(circle.data, " -> router "));
        }
        text_fini(&circle);
        close_rig(&r);
    }
    assert_true(found);
    c.escape_cycles = 0; /* with its way out the same traffic comes through */
    for (u64 seed = 0; seed < 20; seed++) {
        struct rig r;
        struct rng rng;
        rng_init(&rng, seed, "lock");
        open_rig(&r, &c);
        for (u32 i = 0; i < 400; i++)
            post(&r, i, (u32)rng_below(&rng, 16), (u32)rng_below(&rng, 16), 5, NOC_CPU);
        run(&r, 50000);
        assert_int_equal(r.count, 400);
        close_rig(&r);
    }
}

/* ---- injection ----------------------------------------------------------------------------- */

static void plan_all(struct rig *r, enum noc_injection injection, u32 cpu_vcs)
{
    struct noc_plan plan = noc_plan_shared();
    plan.injection = (u8)injection;
    if (cpu_vcs)
        noc_plan_split(&plan, cpu_vcs);
    for (u32 n = 0; n < r->mesh.nodes; n++)
        mesh_apply_plan(&r->mesh, n, &plan);
}

/* GPU packets for a node whose sink has no room fill the channels; a CPU packet for elsewhere waits
 * behind them in one queue, and not where types have lists and a channel of their own. */
TEST(a_packet_waits_behind_another_type_in_one_queue_and_not_with_lists_of_types)
{
    UNUSED_STATE;
    static const struct {
        enum noc_injection injection;
        u32 cpu_vcs;
        bool comes;
    } rows[] = {
        {NOC_FIFO, 0, false},
        {NOC_TYPED_OLDEST, 1, true},
        {NOC_TYPED_TURNS, 1, true},
        {NOC_TYPED_OLDEST, 0, false}, /* its channels are full of the others: both it takes */
        {NOC_FIFO, 1, false}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct mesh_config c = plain;
        c.arbitration = MESH_OLDEST;
        struct rig r;
        open_rig(&r, &c);
        mesh_limit_sinks(&r.mesh, &r.arena, 2, 0);
        r.mesh.sinks[1] = 1;
        plan_all(&r, rows[i].injection, rows[i].cpu_vcs);
        for (u32 k = 0; k < 31; k++)
            post(&r, k, 5, 6, 5, NOC_GPU);
        for (u32 k = 0; k < 100; k++)
            step(&r);
        u32 packet = post(&r, 1000, 5, 4, 5, NOC_CPU);
        mesh_packet_at(&r.mesh, packet)->sink = 1;
        u32 began = (u32)r.now;
        for (u32 k = 0; k < 100; k++)
            step(&r);
        assert_int_equal(r.came[1000] != 0, rows[i].comes);
        if (rows[i].comes)
            assert_int_equal(r.came[1000] - began, 2 + 5 * 2 + 4);
        close_rig(&r);
    }
}

/* 32 entries, of which each type has 8 of its own. */
TEST(lists_of_types_keep_a_quarter_of_the_queue_for_each)
{
    UNUSED_STATE;
    struct mesh_config c = plain;
    c.injection_packets = 32;
    c.vcs = 2; /* one each: nothing overtakes on the way */
    struct rig r;
    open_rig(&r, &c);
    plan_all(&r, NOC_TYPED_OLDEST, 1);
    for (u32 i = 0; i < 40; i++) {
        assert_int_equal(mesh_has_room(&r.mesh, 0, NOC_GPU), i < 24);
        post(&r, i, 0, 1, 1, NOC_GPU);
    }
    assert_int_equal(r.mesh.injectors[0].lists[NOC_GPU].count, 24);
    assert_int_equal(r.mesh.injectors[0].outside[NOC_GPU].count, 16);
    for (u32 i = 0; i < 8; i++) {
        assert_true(mesh_has_room(&r.mesh, 0, NOC_CPU));
        post(&r, 100 + i, 0, 1, 1, NOC_CPU);
    }
    assert_false(mesh_has_room(&r.mesh, 0, NOC_CPU));
    run(&r, 1000);
    assert_int_equal(r.count, 48);
    u32 next[2] = {0, 100}; /* those of a type keep their order */
    for (u32 i = 0; i < 48; i++)
        assert_int_equal(r.order[i], next[r.order[i] >= 100]++);
    close_rig(&r);
}

/* Two packets of five flits are queued at node 5 in cycle 0, one for each side. One flit a cycle:
 * the second goes from cycle 5 on, and takes 2 + 5 x 2 + 4. Two flits a cycle: its head goes in
 * cycle 2, with the first packet's last flit. Whole packets: both come in cycle 16, if the switch
 * takes a flit for each output from the one input. Else ten flits pass the switch in cycles 4 to
 * 13, and the last one, far behind its head, needs three cycles for each of two routers: 19. */
TEST(a_node_injects_a_flit_several_or_whole_packets_a_cycle)
{
    UNUSED_STATE;
    static const struct {
        u32 injection_flits, sa_input_limit, last;
    } rows[] = {{1, 1, 21}, {1, 0, 21}, {2, 0, 18}, {0, 0, 16}, {0, 1, 19}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct mesh_config c = plain;
        struct rig r;
        c.injection_flits = rows[i].injection_flits;
        c.sa_input_limit = rows[i].sa_input_limit;
        open_rig(&r, &c);
        post(&r, 1, 5, 6, 5, NOC_CPU);
        post(&r, 2, 5, 4, 5, NOC_CPU);
        while (mesh_is_busy(&r.mesh)) {
            step(&r);
            assert_true(mesh_is_consistent(&r.mesh));
        }
        assert_int_equal(r.now - 1, rows[i].last);
        close_rig(&r);
    }
}

/* Four channels of five flits: four packets of five go at once, the fifth when a channel is empty
 * again; of packets of one flit twenty. A packet longer than a channel goes as far as it has room.
 */
TEST(whole_packets_go_while_a_channel_has_room_for_one)
{
    UNUSED_STATE;
    static const struct {
        u32 flits, vc_flits, left;
    } rows[] = {{5, 5, 36}, {1, 5, 20}, {5, 4, 39}, {4, 5, 36}, {2, 5, 32}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct mesh_config c = plain;
        struct rig r;
        c.injection_flits = 0;
        c.vc_flits = rows[i].vc_flits;
        open_rig(&r, &c);
        for (u32 k = 0; k < 40; k++)
            post(&r, k, 5, 6, rows[i].flits, NOC_CPU);
        step(&r);
        assert_int_equal(r.mesh.injectors[5].lists[NOC_CPU].count, rows[i].left);
        run(&r, 2000);
        assert_int_equal(r.count, 40);
        close_rig(&r);
    }
}

/* ---- channels of types --------------------------------------------------------------------- */

static void check_types(const struct rig *r, u32 cpu_vcs)
{
    const struct mesh *m = &r->mesh;
    for (u32 i = 0; i < m->nodes * MESH_PORTS * m->vcs; i++) {
        const struct mesh_vc *vc = &m->inputs[i];
        for (u32 k = 0; k < vc->packets; k++) {
            u32 p = m->queues[i * (m->queue_mask + 1) + ((vc->first + k) & m->queue_mask)];
            assert_int_equal(m->packets[p].what.type, i % m->vcs < cpu_vcs ? NOC_CPU : NOC_GPU);
        }
    }
}

TEST(types_keep_to_their_channels_once_those_before_the_change_have_gone)
{
    UNUSED_STATE;
    struct mesh_config c = plain;
    c.arbitration = MESH_OLDEST;
    struct rig r;
    struct rng rng;
    rng_init(&rng, 1, "types");
    open_rig(&r, &c);
    u32 sent = 0;
    for (u32 cycle = 0; cycle < 3000; cycle++) {
        if (cycle == 1000)
            plan_all(&r, NOC_TYPED_OLDEST, 1);
        for (u32 n = 0; n < 16; n++) {
            if (mesh_queue_is_empty(&r.mesh, n) && rng_below(&rng, 3) == 0 && sent < 4000)
                post(&r, sent++, n, (u32)rng_below(&rng, 16), 5, rng_below(&rng, 3) > 0);
        }
        step(&r);
        if (cycle > 1500)
            check_types(&r, 1);
    }
    run(&r, 20000);
    assert_int_equal(r.count, sent);
    close_rig(&r);
}

/* Base placement, CCCC/LLLL/MMGG/GGGG: tiles 0 and 1 have controller 0 (node 8), 2 and 3
 * controller 1 (node 9). Along x, then y, CPU packets use rows 0 to 2: row 2 because lines come
 * from controller 1 along it to the tiles at nodes 6 and 7. GPU packets use rows 1 to 3. So both
 * can pass rows 1 and 2, and with replies along y first not nodes 10 and 11: lines then go up from
 * controller 1 before they turn. */
static void check_shared_rows(u32 routing, u16 both)
{
    struct mesh_config c = plain;
    struct rig r;
    c.routing = routing;
    open_rig(&r, &c);
    for (u32 tile = 4; tile < 8; tile++) {
        u32 controller = tile < 6 ? 8 : 9;
        for (u32 core = 0; core < 16; core = core == 3 ? 10 : core + 1) {
            mesh_add_way(&r.mesh, core, tile, false, core < 4 ? NOC_CPU : NOC_GPU);
            mesh_add_way(&r.mesh, tile, core, true, core < 4 ? NOC_CPU : NOC_GPU);
        }
        for (u32 type = NOC_CPU; type <= NOC_GPU; type++) {
            mesh_add_way(&r.mesh, tile, controller, false, type);
            mesh_add_way(&r.mesh, controller, tile, true, type);
        }
    }
    struct noc_plan plan = noc_plan_shared();
    noc_plan_split(&plan, 1);
    plan.where_both_pass = true;
    for (u32 i = 0; i < 16; i++) {
        mesh_apply_plan(&r.mesh, i, &plan);
        bool is_split = r.mesh.routers[i].vcs_of[NOC_CPU] == 1;
        assert_int_equal(r.mesh.routers[i].vcs_of[NOC_GPU], is_split ? 14 : 15);
        assert_int_equal(is_split, both >> i & 1);
    }
    close_rig(&r);
}

TEST(a_split_of_scope_shared_holds_in_routers_that_packets_of_both_types_can_pass)
{
    UNUSED_STATE;
    check_shared_rows(MESH_XY, 0x0ff0);
    check_shared_rows(MESH_XY_YX, 0x03f0);
}

RUN_TESTS(T(a_lone_packet_takes_2_and_hop_cycles_a_router_and_a_cycle_for_each_further_flit),
          T(a_virtual_channel_starts_the_next_packet_in_the_cycle_after_the_last_flit_won),
          T(credits_limit_a_packet_to_its_buffer_per_round_trip),
          T(xy_goes_along_x_first_yx_along_y_and_xy_yx_sends_replies_along_y_first),
          T(oldest_first_lets_the_older_packet_pass),
          T(without_an_input_limit_an_input_feeds_two_outputs_in_one_cycle),
          T(flits_and_credits_add_up_in_every_cycle_and_every_packet_comes),
          T(channels_that_wait_for_each_other_are_named),
          T(a_packet_waits_behind_another_type_in_one_queue_and_not_with_lists_of_types),
          T(lists_of_types_keep_a_quarter_of_the_queue_for_each),
          T(a_node_injects_a_flit_several_or_whole_packets_a_cycle),
          T(whole_packets_go_while_a_channel_has_room_for_one),
          T(types_keep_to_their_channels_once_those_before_the_change_have_gone),
          T(a_split_of_scope_shared_holds_in_routers_that_packets_of_both_types_can_pass))

/*
 * Host of hydro: gas on a mesh that moves with it (see hydro.cu for its memory behaviour and use).
 *
 * Elements and corners add in the order of their lists, here as there, with the same operations:
 * every position, energy and area is compared exactly.
 */
#include "element.h"
#include "graph.h"
#include "host.h"

static const struct host_choice choices[] = {
    {"side", "elements in a row", .sizes = {24, 180, 2000}},
    {"steps", "in time", .sizes = {3, 6, 20}, .most = 1000},
    {"mesh", "neighbours numbered one after the other, or at random",
     .words = {"structured", "unstructured", NULL}},
    {"threads", "of a block", .sizes = {128, 128, 128}, .most = 1024},
    {0},
};

struct mesh {
    u32 elements, nodes;
    u32 *corners, *first, *around;
    struct vector *position, *velocity, *forces;
    float *mass, *energy, *area, *inverse_mass;
};

static u32 *numbers(struct host *h, const char *name, u32 count)
{
    u32 *order = HOST_ARRAY(h, u32, count);
    for (u32 i = 0; i < count; i++)
        order[i] = i;
    if (host_chosen(h, "mesh") == 1)
        graph_shuffle(order, count, random_stream(h->seed, name));
    return order;
}

static void make_mesh(struct mesh *m, struct host *h, u32 side)
{
    u32 row = side + 1;
    *m = (struct mesh){.elements = side * side, .nodes = row * row};
    u32 *element = numbers(h, "elements", m->elements), *node = numbers(h, "nodes", m->nodes);
    struct random hot = random_stream(h->seed, "energy");
    m->corners = HOST_ARRAY(h, u32, 4 * m->elements);
    m->around = HOST_ARRAY(h, u32, 4 * m->elements);
    m->forces = HOST_ARRAY(h, struct vector, 4 * m->elements);
    m->first = HOST_ARRAY(h, u32, m->nodes + 1);
    m->position = HOST_ARRAY(h, struct vector, m->nodes);
    m->velocity = HOST_ARRAY(h, struct vector, m->nodes);
    m->inverse_mass = HOST_ARRAY(h, float, m->nodes);
    m->mass = HOST_ARRAY(h, float, m->elements);
    m->energy = HOST_ARRAY(h, float, m->elements);
    m->area = HOST_ARRAY(h, float, m->elements);
    for (u32 i = 0; i < m->nodes; i++) {
        u32 x = i % row, y = i / row;
        bool border = x == 0 || y == 0 || x == side || y == side;
        m->position[node[i]] = (struct vector){(float)x, (float)y};
        m->inverse_mass[node[i]] = border ? 0 : 1;
    }
    for (u32 i = 0; i < m->elements; i++) {
        u32 e = element[i], p = i / side * row + i % side;
        u32 at[4] = {p, p + 1, p + row + 1, p + row};
        for (u32 k = 0; k < 4; k++)
            m->corners[4 * e + k] = node[at[k]];
        m->mass[e] = m->area[e] = 1;
        m->energy[e] = 1 + random_unit(hot, i);
    }
    for (u32 i = 0; i < 4 * m->elements; i++)
        m->first[m->corners[i]]++;
    u32 sum = 0;
    for (u32 n = 0; n < m->nodes; n++)
        m->first[n] = sum += m->first[n];
    m->first[m->nodes] = sum;
    for (u32 i = 4 * m->elements; i-- > 0;)
        m->around[--m->first[m->corners[i]]] = i;
}

static void step(struct mesh *m, float dt)
{
    struct vector c[4];
    for (u32 e = 0; e < m->elements; e++) {
        for (u32 k = 0; k < 4; k++)
            c[k] = m->position[m->corners[4 * e + k]];
        float pressure = pressure_of(m->mass[e], m->energy[e], area_of(c));
        for (u32 k = 0; k < 4; k++)
            m->forces[4 * e + k] = force_on(c, k, pressure);
    }
    for (u32 n = 0; n < m->nodes; n++) {
        struct vector total = {0, 0};
        for (u32 i = m->first[n]; i < m->first[n + 1]; i++)
            total = moved(total, m->forces[m->around[i]], 1);
        m->velocity[n] = moved(m->velocity[n], total, dt * m->inverse_mass[n]);
        m->position[n] = moved(m->position[n], m->velocity[n], dt);
    }
    for (u32 e = 0; e < m->elements; e++) {
        for (u32 k = 0; k < 4; k++)
            c[k] = m->position[m->corners[4 * e + k]];
        float before = m->area[e], now = area_of(c);
        m->energy[e] -= pressure_of(m->mass[e], m->energy[e], before) * (now - before) / m->mass[e];
        m->area[e] = now;
    }
}

int main(int argc, char **argv)
{
    struct host h;
    struct mesh m;
    host_init(&h, "hydro", choices, argc, argv);
    u32 threads = host_measure(&h, "threads");
    make_mesh(&m, &h, host_measure(&h, "side"));
    u32 steps = host_measure(&h, "steps");
    size_t of_elements = m.elements * sizeof(float), of_nodes = m.nodes * sizeof(struct vector);
    CUdeviceptr corners = host_upload(&h, m.corners, 4 * of_elements);
    CUdeviceptr around = host_upload(&h, m.around, 4 * of_elements);
    CUdeviceptr first = host_upload(&h, m.first, (m.nodes + 1) * sizeof(u32));
    CUdeviceptr forces = host_device_alloc(&h, 8 * of_elements);
    CUdeviceptr position = host_upload(&h, m.position, of_nodes);
    CUdeviceptr velocity = host_zeros(&h, of_nodes);
    CUdeviceptr inverse_mass = host_upload(&h, m.inverse_mass, m.nodes * sizeof(float));
    CUdeviceptr mass = host_upload(&h, m.mass, of_elements);
    CUdeviceptr energy = host_upload(&h, m.energy, of_elements);
    CUdeviceptr area = host_upload(&h, m.area, of_elements);
    CUfunction force = host_kernel(&h, "hydro_force"), move = host_kernel(&h, "hydro_move");
    CUfunction work = host_kernel(&h, "hydro_energy");

    struct dim by_element = DIM1(blocks_for(m.elements, threads)), block = DIM1(threads);
    struct dim by_node = DIM1(blocks_for(m.nodes, threads));
    float dt = 0.05f;
    for (u32 i = 0; i < steps; i++) {
        host_launch(&h, force, by_element, block, 0,
                    ARGS(&corners, &position, &mass, &energy, &forces, &m.elements));
        host_launch(
            &h, move, by_node, block, 0,
            ARGS(&first, &around, &forces, &inverse_mass, &velocity, &position, &dt, &m.nodes));
        host_launch(&h, work, by_element, block, 0,
                    ARGS(&corners, &position, &mass, &energy, &area, &m.elements));
        step(&m, dt);
    }
    host_check_f32(&h, "position", position, &m.position[0].x, 2 * (size_t)m.nodes);
    host_check_f32(&h, "energy", energy, m.energy, m.elements);
    host_check_f32(&h, "area", area, m.area, m.elements);
    return host_finish(&h);
}

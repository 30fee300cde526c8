/*
 * Host of hotspot: temperatures of a chip over time (see hotspot.cu for its memory behaviour and
 * use).
 *
 * The CPU does every step on the whole grid with the kernel's operations in the kernel's order,
 * nothing fused, so every temperature is compared exactly after the last step.
 */
#include "host.h"
#include "random.h"

#define TILE 16
#define STEPS_PER_LAUNCH 2

/* A silicon die, in metres, kelvins, watts. */
#define DIE_SIDE 0.016
#define DIE_THICK 0.0005
#define HEAT_CAPACITY 1.75e6 /* J / (m^3 K) */
#define CONDUCTIVITY 100.0   /* W / (m K) */
#define AIR 318.0f
#define LARGEST_CHANGE                                                                             \
    0.001 /* K per step at the largest power density, which sets the time step                     \
           */
#define LARGEST_DENSITY 3.0e6

struct model {
    u32 columns, rows;
    float gain, per_rx, per_ry, per_rz, air;
};

static struct model make_model(u32 columns, u32 rows)
{
    double dx = DIE_SIDE / columns, dy = DIE_SIDE / rows;
    double capacity = 0.5 * HEAT_CAPACITY * DIE_THICK * dx * dy;
    double seconds = LARGEST_CHANGE * HEAT_CAPACITY * DIE_THICK / LARGEST_DENSITY;
    return (struct model){
        .columns = columns,
        .rows = rows,
        .gain = (float)(seconds / capacity),
        .per_rx = (float)(2 * CONDUCTIVITY * DIE_THICK * dy / dx),
        .per_ry = (float)(2 * CONDUCTIVITY * DIE_THICK * dx / dy),
        .per_rz = (float)(CONDUCTIVITY * dx * dy / DIE_THICK),
        .air = AIR,
    };
}

static void step(const struct model *m, const float *power, const float *from, float *to)
{
    for (u32 y = 0; y < m->rows; y++) {
        const float *here = from + (size_t)y * m->columns;
        const float *north = y > 0 ? here - m->columns : here;
        const float *south = y < m->rows - 1 ? here + m->columns : here;
        for (u32 x = 0; x < m->columns; x++) {
            float west = here[x > 0 ? x - 1 : x], east = here[x < m->columns - 1 ? x + 1 : x];
            float now = here[x];
            double flow = power[(size_t)y * m->columns + x];
            flow += (north[x] + south[x] - 2.0 * now) * m->per_ry;
            flow += (west + east - 2.0 * now) * m->per_rx;
            flow += (m->air - now) * m->per_rz;
            to[(size_t)y * m->columns + x] = (float)(now + m->gain * flow);
        }
    }
}

static const struct host_choice choices[] = {
    {"width", "of the grid", .sizes = {100, 512, 8000}},
    {"height", "of the grid", .sizes = {70, 512, 6000}},
    {"launches", "of a few steps each", .sizes = {2, 3, 5}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "hotspot", choices, argc, argv);
    struct model m = make_model(host_measure(&h, "width"), host_measure(&h, "height"));
    u32 launches = host_measure(&h, "launches"), steps = STEPS_PER_LAUNCH;
    size_t count = (size_t)m.columns * m.rows, bytes = count * sizeof(float);

    struct random heats = random_stream(h.seed, "heat"), powers = random_stream(h.seed, "power");
    float *power = HOST_ARRAY(&h, float, count);
    float *heat[2] = {HOST_ARRAY(&h, float, count), HOST_ARRAY(&h, float, count)};
    float cell_watts = (float)(LARGEST_DENSITY * DIE_SIDE * DIE_SIDE * DIE_THICK / (double)count);
    for (size_t i = 0; i < count; i++) {
        heat[0][i] = 323 + 20 * random_unit(heats, i);
        power[i] = cell_watts * random_unit(powers, i);
    }
    CUdeviceptr device_power = host_upload(&h, power, bytes);
    CUdeviceptr device[2] = {host_upload(&h, heat[0], bytes), host_device_alloc(&h, bytes)};

    CUfunction kernel = host_kernel(&h, "hotspot_steps");
    u32 inner = TILE - 2 * steps;
    for (u32 i = 0; i < launches; i++) {
        host_launch(&h, kernel, DIM2(blocks_for(m.columns, inner), blocks_for(m.rows, inner)),
                    DIM2(TILE, TILE), 0,
                    ARGS(&device_power, &device[i % 2], &device[(i + 1) % 2], &m.columns, &m.rows,
                         &steps, &m.gain, &m.per_rx, &m.per_ry, &m.per_rz, &m.air));
    }
    for (u32 i = 0; i < launches * steps; i++)
        step(&m, power, heat[i % 2], heat[(i + 1) % 2]);

    float *got = HOST_ARRAY(&h, float, count);
    host_download(&h, got, device[launches % 2], bytes);
    host_compare_f32(&h, "heat", got, heat[launches * steps % 2], count);
    return host_finish(&h);
}

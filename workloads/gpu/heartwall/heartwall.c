/*
 * Host of heartwall: points followed through a film (see heartwall.cu for its memory behaviour and
 * use).
 *
 * Sums are whole numbers and each score is two correctly rounded operations on them, so the best
 * place is the same on both sides: places and templates are compared exactly after every frame.
 */
#include "host.h"
#include "random.h"

#define BLOCK 256
#define SIDE 16
#define REACH 8
#define ACROSS (2 * REACH + 1)
#define BLEND 4

struct place {
    int x, y;
};

/* Smooth speckle that drifts: blobs of noise, moved a little from frame to frame. */
static void make_frame(struct host *h, u8 *frame, u32 width, u32 height, u32 number)
{
    struct random coarse = random_stream(h->seed, "blobs"), fine = random_stream(h->seed, "noise");
    for (u32 y = 0; y < height; y++) {
        for (u32 x = 0; x < width; x++) {
            u64 at = (u64)y * width + x;
            u64 blob = (u64)((y + 2 * number) / 5) * 4096 + (x + 3 * number) / 5;
            u32 value = random_below(coarse, blob, 200) + 20;
            frame[at] = (u8)(value + random_below(fine, at + (u64)number * width * height, 32));
        }
    }
}

static float score(const u8 *frame, u32 width, const u32 *pattern, int x, int y)
{
    u32 product = 0, energy = 1;
    for (u32 i = 0; i < SIDE * SIDE; i++) {
        u32 pixel = frame[(u32)(y + (int)(i / SIDE)) * width + (u32)(x + (int)(i % SIDE))];
        product += pixel * pattern[i];
        energy += pixel * pixel;
    }
    return (float)product / (float)energy * (float)product;
}

static void track(const u8 *frame, u32 width, u32 height, u32 *pattern, struct place *p)
{
    float best = -1;
    struct place found = {p->x - REACH, p->y - REACH};
    for (u32 n = 0; n < ACROSS * ACROSS; n++) {
        int x = p->x + (int)(n % ACROSS) - REACH, y = p->y + (int)(n / ACROSS) - REACH;
        if (x < 0 || y < 0 || x + SIDE > (int)width || y + SIDE > (int)height)
            continue;
        float s = score(frame, width, pattern, x, y);
        if (s > best) {
            best = s;
            found = (struct place){x, y};
        }
    }
    for (u32 i = 0; i < SIDE * SIDE; i++) {
        u32 pixel =
            frame[(u32)(found.y + (int)(i / SIDE)) * width + (u32)(found.x + (int)(i % SIDE))];
        pattern[i] = (pattern[i] * (BLEND - 1) + pixel) / BLEND;
    }
    *p = found;
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "heartwall", NULL, argc, argv);
    u32 width = host_pick(&h, 64, 256, 656), height = host_pick(&h, 64, 256, 744);
    u32 points = host_pick(&h, 8, 51, 510), frames = host_pick(&h, 2, 2, 104);
    struct random r = random_stream(h.seed, "points");
    u8 *frame = HOST_ARRAY(&h, u8, (size_t)width * height);
    struct place *places = HOST_ARRAY(&h, struct place, points);
    struct place *got_places = HOST_ARRAY(&h, struct place, points);
    size_t numbers = (size_t)points * SIDE * SIDE;
    u32 *templates = HOST_ARRAY(&h, u32, numbers), *got = HOST_ARRAY(&h, u32, numbers);
    make_frame(&h, frame, width, height, 0);
    for (u32 p = 0; p < points; p++) {
        places[p].x = (int)random_below(r, 2 * (u64)p, width - SIDE);
        places[p].y = (int)random_below(r, 2 * (u64)p + 1, height - SIDE);
        for (u32 i = 0; i < SIDE * SIDE; i++)
            templates[p * SIDE * SIDE + i] =
                frame[((u32)places[p].y + i / SIDE) * width + (u32)places[p].x + i % SIDE];
    }
    CUdeviceptr device_frame = host_device_alloc(&h, (size_t)width * height);
    CUdeviceptr device_places = host_upload(&h, places, points * sizeof *places);
    CUdeviceptr device_templates = host_upload(&h, templates, numbers * sizeof(u32));
    size_t window = (SIDE + 2 * REACH) * (SIDE + 2 * REACH) * sizeof(u32);
    CUdeviceptr windows = host_device_alloc(&h, points * window);
    CUfunction kernel = host_kernel(&h, "heartwall_track");
    for (u32 n = 1; n <= frames; n++) {
        make_frame(&h, frame, width, height, n);
        CU(&h, cuMemcpyHtoD, (device_frame, frame, (size_t)width * height));
        host_launch(
            &h, kernel, DIM1(points), DIM1(BLOCK), 0,
            ARGS(&device_frame, &width, &height, &device_templates, &device_places, &windows));
        for (u32 p = 0; p < points; p++)
            track(frame, width, height, templates + p * SIDE * SIDE, &places[p]);
        host_download(&h, got_places, device_places, points * sizeof *places);
        host_compare_u32(&h, "places", (const u32 *)got_places, (const u32 *)places, 2 * points);
        host_download(&h, got, device_templates, numbers * sizeof(u32));
        host_compare_u32(&h, "templates", got, templates, numbers);
    }
    return host_finish(&h);
}

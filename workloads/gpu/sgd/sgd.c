/*
 * Host of sgd: factors of users and items from ratings (see sgd.cu for its memory behaviour and
 * use).
 *
 * Tiles of one launch share no user and no item, and a block takes its ratings in order: the CPU
 * does the same operations in the same order, and every factor is compared exactly.
 */
#include "host.h"
#include "random.h"

#include <math.h>

#define RANK 16
#define RATE 0.02f
#define DECAY 0.05f

struct rating {
    u32 user, item;
    float value;
};

static const struct host_choice choices[] = {
    {"users", "who rate; items are a quarter as many", .sizes = {240, 18000, 480000}},
    {"ratings", "of all users", .sizes = {1500, 1000000, 20000000}},
    {"blocks", "ranges of users, and of items", .sizes = {12, 900, 900}},
    {"rounds", "launches, each with another range of items per block", .sizes = {12, 24, 900}},
    {0},
};

/* A few are chosen often, most seldom: the chance falls with a power of the rank. Ranks lie
 * anywhere. */
static u32 choose(struct random r, u64 n, u32 count)
{
    float unit = random_unit(r, n);
    u32 rank = (u32)(unit * sqrtf(unit) * (float)count);
    return (u32)((rank * 0x9e3779b1ull) % count);
}

/* By tile, otherwise in the order drawn; first[tile] is the tile's first. */
static struct rating *make_ratings(struct host *h, u32 count, u32 users, u32 items, u32 blocks,
                                   u32 *first)
{
    struct random u = random_stream(h->seed, "users"), i = random_stream(h->seed, "items");
    struct random v = random_stream(h->seed, "values");
    u32 user_share = blocks_for(users, blocks), item_share = blocks_for(items, blocks);
    struct rating *sorted = HOST_ARRAY(h, struct rating, count);
    for (u32 pass = 0; pass < 2; pass++) {
        for (u32 n = count; n-- > 0;) {
            struct rating r = {choose(u, n, users), choose(i, n, items),
                               (float)(1 + random_below(v, n, 5))};
            u32 tile = r.user / user_share * blocks + r.item / item_share;
            if (pass == 0)
                first[tile]++;
            else
                sorted[--first[tile]] = r;
        }
        u32 sum = 0;
        for (u32 tile = 0; pass == 0 && tile < blocks * blocks; tile++)
            first[tile] = sum += first[tile];
        first[blocks * blocks] = count;
    }
    return sorted;
}

static void learn(const struct rating *r, float *users, float *items)
{
    float *p = users + (size_t)r->user * RANK, *q = items + (size_t)r->item * RANK;
    float sum = p[0] * q[0];
    for (u32 f = 1; f < RANK; f++)
        sum += p[f] * q[f];
    float error = r->value - sum;
    for (u32 f = 0; f < RANK; f++) {
        float of_user = p[f], of_item = q[f];
        p[f] = fmaf(RATE, fmaf(error, of_item, -(DECAY * of_user)), of_user);
        q[f] = fmaf(RATE, fmaf(error, of_user, -(DECAY * of_item)), of_item);
    }
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "sgd", choices, argc, argv);
    u32 users = host_measure(&h, "users"), items = blocks_for(users, 4);
    u32 count = host_measure(&h, "ratings"), blocks = host_measure(&h, "blocks");
    u32 rounds = host_measure(&h, "rounds");
    u32 *first = HOST_ARRAY(&h, u32, blocks * blocks + 1);
    struct rating *ratings = make_ratings(&h, count, users, items, blocks, first);
    float *p = host_random_f32(&h, "p", (size_t)users * RANK, 0, 1);
    float *q = host_random_f32(&h, "q", (size_t)items * RANK, 0, 1);
    size_t user_bytes = (size_t)users * RANK * sizeof(float);
    size_t item_bytes = (size_t)items * RANK * sizeof(float);
    CUdeviceptr device_ratings = host_upload(&h, ratings, count * sizeof *ratings);
    CUdeviceptr device_first = host_upload(&h, first, (blocks * blocks + 1) * sizeof(u32));
    CUdeviceptr device_p = host_upload(&h, p, user_bytes),
                device_q = host_upload(&h, q, item_bytes);

    CUfunction step = host_kernel(&h, "sgd_step");
    float rate = RATE, decay = DECAY;
    for (u32 round = 0; round < rounds; round++) {
        host_launch(
            &h, step, DIM1(blocks), DIM1(RANK), 0,
            ARGS(&device_ratings, &device_first, &device_p, &device_q, &round, &rate, &decay));
        for (u32 b = 0; b < blocks; b++) {
            u32 tile = b * blocks + (b + round) % blocks;
            for (u32 i = first[tile]; i < first[tile + 1]; i++)
                learn(&ratings[i], p, q);
        }
    }
    host_check_f32(&h, "users", device_p, p, (size_t)users * RANK);
    host_check_f32(&h, "items", device_q, q, (size_t)items * RANK);
    return host_finish(&h);
}

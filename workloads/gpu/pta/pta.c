/*
 * Host of pta: points-to sets by inclusion constraints (see pta.cu for its memory behaviour and
 * use).
 *
 * Sets only grow, and only by what a constraint demands: whatever the order, they end as the least
 * ones that satisfy all. Every word is compared exactly with the CPU's fixpoint.
 */
#include "host.h"
#include "random.h"

#include <string.h>

#define BLOCK 991

enum { COPY, LOAD, STORE, KINDS };

struct rule {
    u32 to, from;
};

struct rules {
    struct rule *list;
    u32 count;
    CUdeviceptr device;
};

static const struct host_choice choices[] = {
    {"variables", "of the program", .sizes = {400, 6000, 60000}},
    {"targets", "variables that pointers may point to, in 32", .sizes = {2, 8, 16}},
    {"copies", "per thousand variables; loads and stores are half as many",
     .sizes = {400, 400, 1000}},
    {0},
};

/* Mostly between variables near each other, as in one function; one in eight anywhere. */
static struct rules make_rules(struct host *h, const char *name, u32 variables, u32 count)
{
    struct random r = random_stream(h->seed, name);
    struct rules rules = {.list = HOST_ARRAY(h, struct rule, count), .count = count};
    for (u32 i = 0; i < count; i++) {
        u32 to = random_below(r, 3 * i, variables), from = random_below(r, 3 * i + 1, variables);
        if (random_below(r, 3 * i + 2, 8) > 0)
            from = (to + 1 + from % 32) % variables;
        rules.list[i] = (struct rule){to, from};
    }
    rules.device = host_upload(h, rules.list, count * sizeof *rules.list);
    return rules;
}

static bool join(u32 *to, const u32 *from, u32 words)
{
    bool grew = false;
    for (u32 w = 0; w < words; w++) {
        grew |= (from[w] & ~to[w]) != 0;
        to[w] |= from[w];
    }
    return grew;
}

static bool apply(u32 kind, struct rule r, u32 *sets, u32 words)
{
    u32 *to = sets + (size_t)r.to * words, *from = sets + (size_t)r.from * words;
    const u32 *pointer = kind == LOAD ? from : to;
    bool grew = kind == COPY && join(to, from, words);
    for (u32 t = 0; kind != COPY && t < 32 * words; t++) {
        u32 *target = sets + (size_t)t * words;
        if (pointer[t / 32] >> t % 32 & 1)
            grew |= kind == LOAD ? join(to, target, words) : join(target, from, words);
    }
    return grew;
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "pta", choices, argc, argv);
    u32 variables = host_measure(&h, "variables"), words = host_measure(&h, "targets");
    u32 blocks = host_pick(&h, 4, 80, 80), copies = host_measure(&h, "copies");
    if (variables < 32 * words)
        host_fail(&h, "--variables is %u, expected at least the %u targets", variables, 32 * words);
    copies = (u32)((u64)variables * copies / 1000);
    struct rules rules[KINDS] = {make_rules(&h, "copies", variables, copies),
                                 make_rules(&h, "loads", variables, copies / 2),
                                 make_rules(&h, "stores", variables, copies / 2)};
    size_t bytes = (size_t)variables * words * sizeof(u32);
    u32 *sets = HOST_ARRAY(&h, u32, (size_t)variables * words);
    struct random r = random_stream(h.seed, "addresses");
    for (u32 i = 0; i < variables / 4; i++) { /* p = &t */
        u32 target = random_below(r, 2 * i, 32 * words);
        sets[(size_t)random_below(r, 2 * i + 1, variables) * words + target / 32] |= 1u
                                                                                     << target % 32;
    }
    CUdeviceptr device_sets = host_upload(&h, sets, bytes);
    CUdeviceptr total = host_device_alloc(&h, sizeof(u32));
    CUfunction kernels[KINDS] = {host_kernel(&h, "pta_copy"), host_kernel(&h, "pta_load"),
                                 host_kernel(&h, "pta_store")};
    for (u32 grown = 1; grown > 0;) {
        CU(&h, cuMemsetD32, (total, 0, 1));
        for (u32 k = 0; k < KINDS; k++)
            host_launch(&h, kernels[k], DIM1(blocks), DIM1(BLOCK), 0,
                        ARGS(&rules[k].device, &rules[k].count, &device_sets, &words, &total));
        host_download(&h, &grown, total, sizeof grown);
    }
    for (bool grew = true; grew;) {
        grew = false;
        for (u32 k = 0; k < KINDS; k++) {
            for (u32 i = 0; i < rules[k].count; i++)
                grew |= apply(k, rules[k].list[i], sets, words);
        }
    }
    host_check_u32(&h, "sets", device_sets, sets, (size_t)variables * words);
    return host_finish(&h);
}

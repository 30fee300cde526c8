/*
 * Host of sha: SHA-1 of many messages (see sha.cu for its memory behaviour and use).
 *
 * Whole numbers: every digest is compared exactly. That the hash is SHA-1 is checked with that of
 * "abc".
 */
#include "host.h"
#include "sha1.h"

#define BLOCK 64

static const struct host_choice choices[] = {
    {"messages", "one per thread", .sizes = {512, 8192, 262144}},
    {"blocks", "of 64 bytes per message", .sizes = {3, 8, 64}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "sha", choices, argc, argv);
    u32 count = host_measure(&h, "messages"), blocks = host_measure(&h, "blocks");
    u32 abc[16] = {0x61626380, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 24};
    u32 known[5] = {0xa9993e36, 0x4706816a, 0xba3e2571, 0x7850c26c, 0x9cd0d89d};
    host_compare_u32(&h, "known", sha1_step(sha1_start(), abc).word, known, 5);
    size_t words = (size_t)count * blocks * 16;
    u32 *messages = host_random_u32(&h, "messages", words, 0xffffffffu);
    CUdeviceptr in = host_upload(&h, messages, words * sizeof(u32));
    CUdeviceptr out = host_device_alloc(&h, count * sizeof(struct digest));
    host_launch(&h, host_kernel(&h, "sha"), DIM1(blocks_for(count, BLOCK)), DIM1(BLOCK), 0,
                ARGS(&in, &out, &blocks, &count));
    struct digest *expected = HOST_ARRAY(&h, struct digest, count);
    for (u32 i = 0; i < count; i++)
        expected[i] = sha1_of(messages + (size_t)i * blocks * 16, blocks);
    host_check_u32(&h, "digests", out, expected[0].word, 5 * (size_t)count);
    return host_finish(&h);
}

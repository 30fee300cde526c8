/*
 * Records what a Hopper GPU answers to warp-group products and tensor copies, and checks heddle.
 *
 *   hopper record FILE [--raw FILE]      hopper check FILE [--driver FILE] [--only NAME]
 *   hopper list                          the names of copies, each of which may ruin a context
 *
 * Records are added to what is in FILE.
 */
#include "bed.h"

#include <stdlib.h>
#include <string.h>

static bool read_expected(struct bed *b, const char *path)
{
    FILE *f = fopen(path, "r");
    struct answer a = {0};
    char hex[2 * KEPT_BYTES + 8];
    unsigned long long hash;
    if (!f)
        return false;
    while (fscanf(f, "%95s %47s %u %llx %135s", a.name, a.status, &a.bytes, &hash, hex) == 5) {
        a.hash = hash;
        for (u32 i = 0; i < KEPT_BYTES && hex[2 * i] && hex[0] != '-'; i++) {
            unsigned v;
            sscanf(hex + 2 * (size_t)i, "%2x", &v);
            a.first[i] = (u8)v;
        }
        b->expected = realloc(b->expected, (b->expected_count + 1) * sizeof a);
        b->expected[b->expected_count++] = a;
    }
    fclose(f);
    return true;
}

int main(int argc, char **argv)
{
    static struct bed b;
    const char *library = NULL, *raw = NULL;
    char why[512];
    if (argc == 2 && !strcmp(argv[1], "list")) {
        copies_list();
        return 0;
    }
    bool records = argc > 2 && !strcmp(argv[1], "record");
    if (argc < 3 || (!records && strcmp(argv[1], "check"))) {
        fprintf(stderr, "usage: hopper record|check FILE [--raw FILE] [--driver FILE] [--only "
                        "NAME]\n");
        return 2;
    }
    for (int i = 3; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--driver"))
            library = argv[i + 1];
        else if (!strcmp(argv[i], "--only"))
            b.only = argv[i + 1];
        else if (!strcmp(argv[i], "--case"))
            b.exact = argv[i + 1];
        else
            raw = argv[i + 1];
    }
    if (records ? !(b.record = fopen(argv[2], "a")) : !read_expected(&b, argv[2])) {
        fprintf(stderr, "%s cannot be opened\n", argv[2]);
        return 2;
    }
    b.raw = records && raw ? fopen(raw, "ab") : NULL;
    if (!driver_open(&b.driver, library, why, sizeof why)) {
        fprintf(stderr, "%s\n", why);
        return 77;
    }
    if (b.driver.cuInit(0) || b.driver.cuCtxCreate(&b.context, 0, 0))
        return 77;
    products_run(&b);
    copies_run(&b);
    if (b.record)
        fclose(b.record);
    if (b.raw)
        fclose(b.raw);
    if (!records)
        printf("%u agree, %u differ, %u not recorded\n", b.passed, b.failed, b.missing);
    free(b.expected);
    return b.failed ? 1 : 0;
}

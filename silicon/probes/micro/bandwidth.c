/*
 * Bytes per cycle from L1, L2 and DRAM, for one SM and for the chip, by what is in flight.
 *
 * Every warp has `flight` loads outstanding, then waits for all of them, as fast as it can. With
 * one SM at work, bytes in flight over the latency is the bandwidth until something is full: that
 * is how the limits on outstanding misses show.
 */
#include "bench.h"

#include <stdlib.h>

#define KIB ((u64)1 << 10)
#define MIB ((u64)1 << 20)

enum kind { READ, WRITE, COPY };

/* Lanes lie `lane` bytes apart and move `wide` words each. A warp's accesses of one iteration lie
 * one after the other, so that one address serves them all; its next iteration is a whole grid's
 * accesses further, modulo a1 bytes (a power of two). Copies go 4 GiB further. */
struct stream {
    enum kind kind;
    const char *cache;
    u32 wide, lane, flight;
    u64 footprint;
};

static void put_access(FILE *f, const struct stream *s, u32 i, bool is_store)
{
    static const char *const shape[] = {"", "", ".v2", "", ".v4"};
    u32 r = 100 + 4 * i;
    const char *list = s->wide == 1   ? text("%%r%u", r)
                       : s->wide == 2 ? text("{%%r%u,%%r%u}", r, r + 1)
                                      : text("{%%r%u,%%r%u,%%r%u,%%r%u}", r, r + 1, r + 2, r + 3);
    u32 at = i * 32 * s->lane;
    if (is_store)
        fprintf(f, "st.global%s.u32 [%%d31+%u], %s;\n", shape[s->wide], at, list);
    else
        fprintf(f, "ld.global%s%s.u32 %s, [%%d30+%u];\n", s->cache, shape[s->wide], list, at);
}

static struct kernel build(struct bench *b, const char *name, const struct stream *s)
{
    char *before = NULL, *steps = NULL;
    size_t bytes;
    FILE *f = open_memstream(&before, &bytes);
    u32 warp_bytes = 32 * s->lane * s->flight;
    /* %d20: the warp's place, %d21: how far a round of the grid goes, %d22: mask */
    fprintf(f,
            "shr.u32 %%r10, %%r2, 5; mov.u32 %%r11, %%nctaid.x; shr.u32 %%r12, %%r6, 5;\n"
            "mul.lo.u32 %%r13, %%r11, %%r12;\n"
            "mul.wide.u32 %%d20, %%r%u, %u; mul.wide.u32 %%d21, %%r%u, %u;\n"
            "sub.u64 %%d22, %%d2, 1; mul.wide.u32 %%d23, %%r3, %u;\n",
            4, warp_bytes, 13, warp_bytes, s->lane);
    fprintf(f, "mov.u32 %%r20, 0;\nadd.u64 %%d1, %%d1, %%d23;\nmov.u64 %%d25, %u;\n",
            s->kind == COPY ? 1u << 31 : 0);
    fputs("shl.b64 %d25, %d25, 1;\n", f); /* 4 GiB is more than an address can add */
    for (u32 i = 0; i < s->flight * 4; i++)
        fprintf(f, "add.u32 %%r%u, %%r2, %u;\n", 100 + i, i);
    fclose(f);
    f = open_memstream(&steps, &bytes);
    fputs("and.b64 %d30, %d20, %d22; add.u64 %d30, %d1, %d30; add.u64 %d20, %d20, %d21;\n"
          "add.u64 %d31, %d30, %d25;\n",
          f);
    for (u32 i = 0; i < s->flight && s->kind != WRITE; i++)
        put_access(f, s, i, false);
    for (u32 i = 0; i < s->flight && s->kind != READ; i++)
        put_access(f, s, i, true);
    for (u32 i = 0; i < s->flight * 4 && s->kind == READ; i++) {
        if (i % 4 < s->wide)
            fprintf(f, "xor.b32 %%r20, %%r20, %%r%u;\n", 100 + i);
    }
    fclose(f);
    char *body = timed_loop(before, steps,
                            "setp.eq.u32 %p2, %r20, 0x9e3779b1;\n@%p2 st.global.u32 [%d0], %r20;");
    struct kernel k = kernel_build(b, name, "", 0, body);
    free(before);
    free(steps);
    free(body);
    return k;
}

/* Bytes per cycle, in SM cycles, of `grid` blocks of `warps`. */
static void record_stream(struct bench *b, const char *name, const char *parameter,
                          const struct stream *s, u32 grid, u32 warps, u32 loops)
{
    struct kernel k = build(b, text("%s-%s", name, parameter), s);
    struct launch l = {.grid = grid, .block = 32 * warps, .loops = loops, .a1 = s->footprint};
    struct samples cycles = kernel_cycles(b, &k, l);
    double each = (double)grid * warps * s->flight * 32 * 4 * s->wide * (s->kind == COPY ? 2 : 1);
    record_rate(b, name, parameter, &cycles, each,
                grid == 1 ? "bytes per cycle and SM" : "bytes per SM cycle and chip");
    kernel_free(b, &k);
}

static void record_l2(struct bench *b)
{
    static const u64 sizes[] = {2, 8, 16, 32, 64, 256};
    u32 grid = b->brief ? (u32)b->sms : (u32)b->sms * 2;
    u32 warps = loops_of(b, 32, 16), flight = loops_of(b, 8, 4), loops = loops_of(b, 128, 4);
    for (u32 i = 0; i < 6; i++) {
        if (b->brief && sizes[i] != 2 && sizes[i] != 16)
            continue;
        struct stream s = {READ, ".cg", 4, 16, flight, sizes[i] * MIB};
        record_stream(b, "L2 read", text("%llu MiB; all SMs", (unsigned long long)sizes[i]), &s,
                      grid, warps, loops);
        s.kind = WRITE;
        record_stream(b, "L2 write", text("%llu MiB; all SMs", (unsigned long long)sizes[i]), &s,
                      grid, warps, loops);
    }
    struct stream s = {READ, ".cg", 4, 16, 8, 2 * MIB};
    record_stream(b, "L2 read", "2 MiB; 1 SM", &s, 1, 32, loops_of(b, 256, 16));
    s.kind = WRITE;
    record_stream(b, "L2 write", "2 MiB; 1 SM", &s, 1, 32, loops_of(b, 256, 16));
    s.kind = READ;
    for (u32 sms = 2; sms < (u32)b->sms && !b->brief; sms *= 2)
        record_stream(b, "L2 read by SMs", text("2 MiB; %u SMs", sms), &s, sms, 32, 2 * loops);
}

static void record_flight(struct bench *b, const char *name, struct stream s)
{
    static const u32 flights[] = {1, 2, 4, 8, 16, 32};
    static const u32 warps[] = {1, 2, 4, 8, 16, 32};
    for (u32 i = 0; i < 6; i++) {
        for (u32 j = 0; j < 6; j++) {
            if ((flights[i] == 32 && warps[j] > 4) || (b->brief && (j % 5 || i % 2 || i > 2)))
                continue;
            s.flight = flights[i];
            record_stream(b, name, text("%u warps of %u loads", warps[j], flights[i]), &s, 1,
                          warps[j], loops_of(b, 64, 16));
        }
    }
}

/* The whole of DRAM: by events, with the bytes of one launch known. */
static void record_dram(struct bench *b)
{
    static const struct {
        const char *name;
        enum kind kind;
    } kinds[] = {{"DRAM read", READ}, {"DRAM write", WRITE}, {"DRAM copy", COPY}};
    for (u32 i = 0; i < loops_of(b, 3, 2); i++) {
        struct stream s = {kinds[i].kind, kinds[i].kind == WRITE ? "" : ".cg", 4, 16, 8,
                           4096 * MIB};
        u32 grid = (u32)b->sms * 2;
        if (b->brief) {
            s.footprint = 512 * MIB;
            s.flight = 4;
            record_stream(b, kinds[i].name, "4 GiB; all SMs in cycles", &s, grid / 2, 16, 4);
            continue;
        }
        struct kernel k = build(b, kinds[i].name, &s);
        u64 round = (u64)grid * 1024 * 16 * s.flight;
        u32 loops = (u32)(4096 * MIB / round);
        struct launch l = {.grid = grid, .block = 1024, .loops = loops, .a1 = s.footprint};
        struct samples gb = {0};
        kernel_ms(b, &k, l);
        for (u32 t = 0; t < b->repetitions; t++)
            samples_add(&gb, (double)round * loops * (kinds[i].kind == COPY ? 2 : 1) /
                                 kernel_ms(b, &k, l) / 1e6);
        record(b, kinds[i].name, "4 GiB; all SMs", &gb, 1, "GB/s");
        kernel_free(b, &k);
        b->flush = true;
        record_stream(b, kinds[i].name, "4 GiB; 1 SM", &s, 1, 32, 512);
        b->flush = false;
        record_stream(b, kinds[i].name, "4 GiB; all SMs in cycles", &s, grid, 32, 32);
    }
}

void group_bandwidth(struct bench *b)
{
    u32 repeat = b->repetitions;
    b->repetitions = repeat < 3 ? repeat : 3;
    if (b->brief) /* while L2 holds nothing newer than DRAM, for want of emptying it */
        record_dram(b);
    record_l2(b);
    record_flight(b, "L2 read in flight; full lines; .cg",
                  (struct stream){READ, ".cg", 4, 16, 0, 4 * MIB});
    record_flight(b, "L2 read in flight; full lines; .ca",
                  (struct stream){READ, ".ca", 4, 16, 0, 4 * MIB});
    record_flight(b, "L2 read in flight; a sector per lane",
                  (struct stream){READ, ".ca", 1, 128, 0, 16 * MIB});
    b->flush = true;
    if (!b->brief)
        record_flight(b, "DRAM read in flight; full lines; .cg",
                      (struct stream){READ, ".cg", 4, 16, 0, 4096 * MIB});
    b->flush = false;
    b->repetitions = repeat;
    if (!b->brief)
        record_dram(b);
}

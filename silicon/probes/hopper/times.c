/*
 * Micro-benchmarks of what came with Hopper: warp-group products, tensor copies, clusters.
 *
 *   times [GROUP [NAME]] > times.csv   a line each: group,name,x,cycles
 *
 * GROUP and NAME are beginnings of names. A launch that fails ruins the context, so it ends the
 * program with 3: give each group a process of its own. Each is a kernel written at run time, which reads the clock before and after; of several blocks
 * the longest counts, of several launches the shortest.
 */
#include "bed.h"

#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5, DATA_BYTES = 256 << 20, MOST_BLOCKS = 132 };

static CUdeviceptr data, result;
static const char *only, *only_name; /* groups and names that start so */

struct bench {
    const char *group, *name;
    double x, divide; /* what the line is for; by what the cycles are divided */
    u32 blocks, cluster, threads, shared_bytes;
    const CUtensorMap *map;
    const char *also; /* what the second number of the first block is, divided alike; or NULL */
};

static void begin(struct bed *b)
{
    ptx_begin(b);
    ptx_add(b, ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 data, .param .u64 "
               "out)\n.maxntid 256, 1, 1\n.minnctapersm 1\n{\n"
               ".reg .b32 %%r<32>, %%s<128>, %%a<8>, %%smem, %%bar, %%thread, %%rank, %%n;\n"
               ".reg .b64 %%map, %%data, %%out, %%d<16>, %%da, %%db, %%t<4>;\n"
               ".reg .pred %%p<8>, %%first;\n"
               "mov.b64 %%d0, map;\ncvta.param.u64 %%map, %%d0;\nld.param.u64 %%data, [data];\n"
               "ld.param.u64 %%out, [out];\nmov.u32 %%thread, %%tid.x;\nmov.u32 %%smem, smem;\n"
               "mov.u32 %%rank, %%cluster_ctarank;\nsetp.eq.u32 %%first, %%thread, 0;\n"
               "add.u32 %%bar, %%smem, 196608;\nmov.u32 %%r0, %%smem;\n"
               "and.b32 %%r0, %%r0, 0x3ffff;\nshr.u32 %%r0, %%r0, 4;\n"
               "cvt.u64.u32 %%da, %%r0;\nadd.u64 %%da, %%da, 0x4000004000010000;\n"
               "add.u64 %%db, %%da, 1024;\n"
               "@!%%first bra INITED;\n");
    for (u32 i = 0; i < 16; i++)
        ptx_add(b, "mbarrier.init.shared.b64 [%%bar+%u], 1;\n", 8 * i);
    for (u32 i = 0; i < 128; i++)
        ptx_add(b, "mov.b32 %%s%u, 0;\n", i);
    ptx_add(b, "INITED: fence.mbarrier_init.release.cluster;\nfence.proxy.async;\nbar.sync 0;\n"
               "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n");
}

static void start(struct bed *b)
{
    ptx_add(b, "mov.u64 %%t0, %%clock64;\n");
}

static void stop(struct bed *b)
{
    ptx_add(b, "mov.u64 %%t1, %%clock64;\nsub.u64 %%t1, %%t1, %%t0;\n"
               "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
               "@!%%first bra END;\nmov.u32 %%r0, %%ctaid.x;\nmul.wide.u32 %%d0, %%r0, 16;\n"
               "add.u64 %%out, %%out, %%d0;\nmov.u32 %%r1, %%smid;\n"
               "st.global.u64 [%%out], %%t1;\nst.global.u32 [%%out+8], %%r1;\n");
    ptx_add(b, "END: ret;\n}\n");
}

static void run(struct bed *b, const struct bench *t)
{
    CUmodule module = NULL;
    if (strncmp(t->group, only, strlen(only)) || strncmp(t->name, only_name, strlen(only_name)))
        return;
    CUfunction f = ptx_load(b, t->name, &module);
    u64 best = UINT64_MAX, out[2 * MOST_BLOCKS];
    CUtensorMap none = {{0}};
    void *params[] = {(void *)(uintptr_t)(t->map ? t->map : &none), &data, &result};
    if (!f)
        return;
    b->driver.cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    for (u32 i = 0; i < REPEATS; i++) {
        u64 longest = 0;
        if (!bed_launch(b, t->name, f, t->blocks, t->cluster, t->threads,
                        t->shared_bytes ? t->shared_bytes : 200 << 10, params)) {
            fprintf(stderr, "%s, %s, %g: the launch failed\n", t->group, t->name, t->x);
            exit(3);
        }
        b->driver.cuMemcpyDtoH(out, result, 16 * t->blocks);
        for (u32 k = 0; k < t->blocks; k++)
            longest = out[2 * k] > longest ? out[2 * k] : longest;
        best = longest < best ? longest : best;
    }
    printf("%s,%s,%g,%.2f\n", t->group, t->name, t->x, (double)best / t->divide);
    if (t->also)
        printf("%s,%s; %s,%g,%.2f\n", t->group, t->name, t->also, t->x,
               (double)out[1] / t->divide);
    if (!strcmp(t->group, "place")) {
        printf("# %s on SMs", t->name);
        for (u32 k = 0; k < t->blocks; k++)
            printf(" %u", (u32)out[2 * k + 1]);
        printf("\n");
    }
    fflush(stdout);
    b->driver.cuModuleUnload(module);
}

/* ---- warp-group products ------------------------------------------------------------------- */

static void write_list(struct bed *b, const char *name, u32 count)
{
    for (u32 i = 0; i < count; i++)
        ptx_add(b, "%s%%%s%u", i ? "," : "{", name, i);
    ptx_add(b, "}");
}

static void product(struct bed *b, const char *types, u32 n, u32 k, bool in_registers, u32 set)
{
    bool half = strstr(types, "f16.f16") || strstr(types, "bf16.bf16"), whole = types[0] == 's';
    ptx_add(b, "wgmma.mma_async.sync.aligned.m64n%uk%u.%s ", n, k, types);
    write_list(b, "s", strncmp(types, "f16", 3) ? n / 2 : n / 4);
    if (in_registers)
        ptx_add(b, ", {%%a%u,%%a%u,%%a%u,%%a%u}", 4 * set, 4 * set + 1, 4 * set + 2, 4 * set + 3);
    else
        ptx_add(b, ", %%da");
    ptx_add(b, ", %%db, 1%s%s%s;\n", whole ? "" : ", 1, 1", half && !in_registers ? ", 0" : "",
            half ? ", 0" : "");
}

/* Threads from `first` on load 16 bytes a lane, 16 times for each product, and end. */
static void loads_beside(struct bed *b, u32 first, u32 count)
{
    ptx_add(b, "setp.lt.u32 %%p3, %%thread, %u;\n@%%p3 bra MULTIPLY;\n"
               "and.b32 %%r4, %%thread, 127;\nshl.b32 %%r4, %%r4, 4;\n"
               "add.u32 %%r4, %%r4, %%smem;\nmov.u32 %%r5, 0;\nmov.u32 %%r10, 0;\n"
               "bar.sync 0;\nmov.u64 %%t0, %%clock64;\nLOADS:\n", first);
    for (u32 i = 0; i < 16; i++)
        ptx_add(b, "ld.volatile.shared.v4.b32 {%%r6, %%r7, %%r8, %%r9}, [%%r4+%u];\n"
                   "xor.b32 %%r10, %%r10, %%r6;\n", 2048 * i);
    ptx_add(b, "add.u32 %%r5, %%r5, 1;\nsetp.lt.u32 %%p4, %%r5, %u;\n@%%p4 bra LOADS;\n"
               "mov.u64 %%t1, %%clock64;\nsub.u64 %%t1, %%t1, %%t0;\n"
               "st.shared.b32 [%%r4+65536], %%r10;\nsetp.ne.u32 %%p4, %%thread, %u;\n"
               "@%%p4 bra END;\nst.global.u64 [%%out+8], %%t1;\nbra END;\nMULTIPLY:\n",
            count, first);
}

/* `beside`: loads of shared memory by a warp group of their own, four lanes' words of 16 bytes. */
static void products(struct bed *b, const char *types, u32 k, bool in_registers, u32 groups,
                     bool beside)
{
    static const u32 sizes[] = {8, 16, 32, 64, 96, 128, 192, 256};
    for (u32 i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (u32 count = 1; count <= 64; count *= 64) {
            char name[96];
            snprintf(name, sizeof name, "%s %s, %u groups, %s%s", types,
                     in_registers ? "rs" : "ss", groups, count == 1 ? "one and wait" : "of 64",
                     beside ? ", loads beside" : "");
            begin(b);
            if (beside)
                loads_beside(b, 128 * groups, count);
            for (u32 r = 0; r < 8; r++) /* two sets of A, in turn */
                ptx_add(b, "ld.shared.b32 %%a%u, [%%smem+%u];\n", r, 1024 + 4 * r);
            ptx_add(b, "mov.u32 %%n, 0;\nwgmma.fence.sync.aligned;\n");
            product(b, types, sizes[i], k, in_registers, 0);
            ptx_add(b, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
                       "bar.sync 0;\n");
            start(b);
            ptx_add(b, "wgmma.fence.sync.aligned;\n");
            for (u32 r = 0; r < count; r++)
                product(b, types, sizes[i], k, in_registers, r % 2);
            ptx_add(b, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
            ptx_add(b, "mov.u64 %%t1, %%clock64;\n");
            for (u32 r = 0; r < sizes[i] / 4; r++)
                ptx_add(b, "st.shared.b32 [%%smem+%u], %%s%u;\n", 4 * r, r);
            ptx_add(b, "sub.u64 %%t1, %%t1, %%t0;\n@!%%first bra END;\n"
                       "st.global.u64 [%%out], %%t1;\nEND: ret;\n}\n");
            run(b, &(struct bench){"wgmma", name, sizes[i], count, 1, 1,
                                   128 * (groups + (beside ? 1 : 0)), 0, NULL,
                                   beside ? "16 loads" : NULL});
        }
    }
}

/* ---- tensor copies -------------------------------------------------------------------------- */

static CUtensorMap map_of(struct bed *b, u32 wide, u32 high, u32 rows)
{
    CUtensorMap map;
    unsigned long long dimension[2] = {8192, rows}, stride[1] = {16384};
    u32 box[2] = {wide, high}, step[2] = {1, 1};
    CUresult r = b->driver.cuTensorMapEncodeTiled(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (void *)(uintptr_t)data, dimension, stride, box,
        step, 0, wide == 64 ? CU_TENSOR_MAP_SWIZZLE_128B : 0, 0, 0);
    if (r != CUDA_SUCCESS)
        fprintf(stderr, "no tensor map of %u x %u\n", wide, high);
    return map;
}

/* `count` loads of a box each, to `slots` places in turn, all told one barrier; `mask`: multicast
 * by the first block of each cluster. Rows start at a block's own. */
static void loads(struct bed *b, const char *name, u32 wide, u32 high, u32 count, u32 blocks,
                  u32 cluster, bool twice)
{
    u32 bytes = 2 * wide * high, pitch = bytes < 128 ? 128 : bytes, slots = 196608 / pitch;
    u32 rows = 4096;
    CUtensorMap map = map_of(b, wide, high, rows);
    slots = slots > 16 ? 16 : slots ? slots : 1;
    begin(b);
    ptx_add(b, "mov.u32 %%r2, %%ctaid.x;\nmul.lo.u32 %%r2, %%r2, %u;\n",
            cluster > 1  ? 0
            : blocks > 1 ? 16
                         : 0);
    for (u32 pass = 0; pass < (twice ? 2u : 1u); pass++) {
        if (pass + 1 == (twice ? 2u : 1u))
            start(b);
        ptx_add(b, "@!%%first bra WAIT%u;\n", pass);
        ptx_add(b, "mbarrier.arrive.expect_tx.shared.b64 _, [%%bar+%u], %u;\n", 8 * pass,
                bytes * count);
        if (cluster > 1)
            ptx_add(b, "setp.ne.u32 %%p1, %%rank, 0;\n@%%p1 bra WAIT%u;\n", pass);
        for (u32 i = 0; i < count; i++) {
            u32 column = i * wide % 8192, row = i * wide / 8192 * high;
            ptx_add(b,
                    "add.u32 %%r3, %%r2, %u;\n"
                    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes%s "
                    "[%%smem+%u], [%%map, {%u, %%r3}], [%%bar+%u]%s",
                    row, cluster > 1 ? ".multicast::cluster" : "", i % slots * pitch, column,
                    8 * pass, cluster > 1 ? ", " : ";\n");
            if (cluster > 1)
                ptx_add(b, "%u;\n", (1u << cluster) - 1);
        }
        ptx_add(b,
                "WAIT%u: mbarrier.try_wait.parity.shared.b64 %%p0, [%%bar+%u], 0;\n"
                "@!%%p0 bra WAIT%u;\n",
                pass, 8 * pass, pass);
    }
    stop(b);
    run(b, &(struct bench){"load", name, bytes, count, blocks, cluster, 128, 0, &map});
}

static void stores(struct bed *b, u32 wide, u32 high, u32 count, u32 blocks)
{
    CUtensorMap map = map_of(b, wide, high, 4096);
    char name[96];
    snprintf(name, sizeof name, "store %u of %u x %u, %u blocks", count, wide, high, blocks);
    begin(b);
    ptx_add(b, "mov.u32 %%r2, %%ctaid.x;\nmul.lo.u32 %%r2, %%r2, 16;\n");
    start(b);
    ptx_add(b, "@!%%first bra WAIT;\n");
    for (u32 i = 0; i < count; i++)
        ptx_add(b,
                "add.u32 %%r3, %%r2, %u;\n"
                "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%%map, {%u, %%r3}], "
                "[%%smem];\n",
                i * wide / 8192 * high, i * wide % 8192);
    ptx_add(b, "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nWAIT:\n");
    stop(b);
    run(b, &(struct bench){"store", name, 2 * wide * high, count, blocks, 1, 128, 0, &map});
}

/* cp.async.bulk without a map */
static void bulk(struct bed *b, u32 bytes, u32 count, u32 blocks)
{
    char name[96];
    u32 slots = 196608 / bytes;
    snprintf(name, sizeof name, "bulk %u, %u blocks", count, blocks);
    begin(b);
    ptx_add(b, "mov.u32 %%r2, %%ctaid.x;\nmul.wide.u32 %%d0, %%r2, 262144;\n"
               "add.u64 %%data, %%data, %%d0;\ncvta.to.global.u64 %%data, %%data;\n");
    for (u32 pass = 0; pass < 2; pass++) {
        if (pass)
            start(b);
        ptx_add(b,
                "@!%%first bra WAIT%u;\n"
                "mbarrier.arrive.expect_tx.shared.b64 _, [%%bar+%u], %u;\n",
                pass, 8 * pass, bytes * count);
        for (u32 i = 0; i < count; i++)
            ptx_add(b,
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                    "[%%smem+%u], [%%data+%u], %u, [%%bar+%u];\n",
                    i % slots * bytes, i * bytes % 262144, bytes, 8 * pass);
        ptx_add(b,
                "WAIT%u: mbarrier.try_wait.parity.shared.b64 %%p0, [%%bar+%u], 0;\n"
                "@!%%p0 bra WAIT%u;\n",
                pass, 8 * pass, pass);
    }
    stop(b);
    run(b, &(struct bench){"bulk", name, bytes, count, blocks, 1, 128, 0, NULL});
}

/* ---- clusters ------------------------------------------------------------------------------- */

static void clusters(struct bed *b)
{
    for (u32 size = 1; size <= 16; size *= 2) {
        char name[96];
        snprintf(name, sizeof name, "barrier.cluster, cluster of %u", size);
        for (u32 threads = 32; threads <= 256; threads *= 8) {
            begin(b);
            start(b);
            for (u32 i = 0; i < 32; i++)
                ptx_add(b, "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n");
            stop(b);
            run(b, &(struct bench){"cluster", name, threads, 32, size, size, threads, 0, NULL});
        }
        snprintf(name, sizeof name, "cluster of %u", size);
        begin(b);
        start(b);
        stop(b);
        run(b, &(struct bench){"place", name, size, 1, 128 / size * size, size, 128, 0, NULL});
        if (size == 1)
            continue;
        for (u32 to = 0; to < size; to++) { /* dependent loads */
            snprintf(name, sizeof name, "load from rank %u of %u", to, size);
            begin(b);
            ptx_add(b,
                    "mapa.shared::cluster.u32 %%r1, %%smem, %u;\nst.shared.u32 [%%smem], "
                    "%%r1;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
                    "ld.shared::cluster.u32 %%r1, [%%r1];\nmov.u32 %%n, %%smem;\n"
                    "mapa.shared::cluster.u32 %%r2, %%smem, %u;\n",
                    to, to);
            start(b);
            for (u32 i = 0; i < 64; i++)
                ptx_add(b, "ld.shared::cluster.u32 %%r2, [%%r2];\n"); /* its own address */
            ptx_add(b, "st.shared.u32 [%%smem+64], %%r2;\n");
            stop(b);
            run(b, &(struct bench){"cluster", name, to, 64, size, size, 32, 0, NULL});
        }
        for (u32 lanes = 64; lanes <= 256; lanes *= 4) { /* all read from their neighbour */
            snprintf(name, sizeof name, "16 bytes a lane from the next rank of %u", size);
            begin(b);
            ptx_add(b,
                    "add.u32 %%r1, %%rank, 1;\nrem.u32 %%r1, %%r1, %u;\n"
                    "mapa.shared::cluster.u32 %%r2, %%smem, %%r1;\nshl.b32 %%r3, %%thread, 4;\n"
                    "add.u32 %%r2, %%r2, %%r3;\n",
                    size);
            start(b);
            for (u32 i = 0; i < 16; i++)
                ptx_add(b, "ld.shared::cluster.v4.u32 {%%s%u,%%s%u,%%s%u,%%s%u}, [%%r2+%u];\n",
                        4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3, 8192 * i);
            for (u32 i = 0; i < 64; i++)
                ptx_add(b, "xor.b32 %%r3, %%r3, %%s%u;\n", i);
            ptx_add(b, "st.shared.u32 [%%smem], %%r3;\n");
            stop(b);
            run(b, &(struct bench){"dsmem", name, lanes, 16.0 * lanes * 16, size, size, lanes, 0,
                                   NULL});
        }
        if (size > 2)
            continue;
        snprintf(name, sizeof name, "remote arrive and back, cluster of %u", size);
        begin(b);
        ptx_add(b, "setp.gt.u32 %%p1, %%rank, 1;\n@%%p1 bra DONE;\nxor.b32 %%r1, %%rank, 1;\n"
                   "mapa.shared::cluster.u32 %%r2, %%bar, %%r1;\n"
                   "setp.eq.u32 %%p2, %%rank, 0;\n");
        start(b);
        for (u32 i = 0; i < 16; i++)
            ptx_add(b,
                    "@%%p2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%%r2];\n"
                    "W%u: mbarrier.try_wait.parity.shared.b64 %%p0, [%%bar], %u;\n"
                    "@!%%p0 bra W%u;\n"
                    "@!%%p2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%%r2];\n",
                    i, i & 1, i);
        ptx_add(b, "DONE:\n");
        stop(b);
        run(b, &(struct bench){"cluster", name, size, 16, size, size, 1, 0, NULL});
    }
}

static void registers(struct bed *b)
{
    begin(b);
    ptx_add(b,
            "setp.lt.u32 %%p1, %%thread, 128;\nsetmaxnreg.dec.sync.aligned.u32 40;\nbar.sync 0;\n");
    start(b);
    for (u32 i = 0; i < 16; i++)
        ptx_add(b, "setmaxnreg.inc.sync.aligned.u32 %u;\nsetmaxnreg.dec.sync.aligned.u32 40;\n",
                48 + 8 * i);
    stop(b);
    run(b, &(struct bench){"registers", "setmaxnreg up and down", 128, 16, 1, 1, 128, 0, NULL});
}

/* Nanoseconds in which the GPU runs 1,024 blocks that take 2,000 cycles each, one to an SM. */
static void successors(struct bed *b)
{
    for (u32 size = 1; size <= 8; size *= 2) {
        char name[96];
        u64 out[2 * 1024], first, last;
        void *params[3];
        CUtensorMap none = {{0}};
        CUmodule module = NULL;
        snprintf(name, sizeof name, "ns from first to last block of 1024, cluster of %u", size);
        if (strncmp("launch", only, strlen(only)))
            return;
        begin(b);
        ptx_add(b, "mov.u64 %%d3, %%globaltimer;\nmov.u64 %%t0, %%clock64;\n"
                   "SPIN: mov.u64 %%t1, %%clock64;\nsub.u64 %%t2, %%t1, %%t0;\n"
                   "setp.lt.u64 %%p1, %%t2, 2000;\n@%%p1 bra SPIN;\nmov.u64 %%t1, %%globaltimer;\n"
                   "@!%%first bra END;\nmov.u32 %%r0, %%ctaid.x;\nmul.wide.u32 %%d0, %%r0, 16;\n"
                   "add.u64 %%out, %%out, %%d0;\nst.global.u64 [%%out], %%d3;\n"
                   "st.global.u64 [%%out+8], %%t1;\nEND: ret;\n}\n");
        CUfunction f = ptx_load(b, name, &module);
        params[0] = &none;
        params[1] = &data;
        params[2] = &result;
        for (u32 i = 0; f && i < REPEATS; i++) {
            if (!bed_launch(b, name, f, 1024, size, 128, 200 << 10, params))
                exit(3);
            b->driver.cuMemcpyDtoH(out, result, sizeof out);
            first = last = out[0];
            for (u32 k = 0; k < 1024; k++) {
                first = out[2 * k] < first ? out[2 * k] : first;
                last = out[2 * k + 1] > last ? out[2 * k + 1] : last;
            }
            printf("launch,%s,%u,%llu\n", name, size, (unsigned long long)(last - first));
        }
        fflush(stdout);
    }
}

/* An mbarrier of the block itself: a look at a phase that is complete; arriving and looking; two
 * warps that wait for each other. */
static void barriers(struct bed *b)
{
    begin(b);
    ptx_add(b, "@!%%first bra LOOK;\nmbarrier.arrive.shared.b64 _, [%%bar];\nLOOK: bar.sync 0;\n");
    start(b);
    for (u32 i = 0; i < 16; i++)
        ptx_add(b, "L%u: mbarrier.try_wait.parity.shared.b64 %%p0, [%%bar], 0;\n@!%%p0 bra L%u;\n",
                i, i);
    stop(b);
    run(b, &(struct bench){"barrier", "a look at a complete phase", 32, 16, 1, 1, 32, 0, NULL});
    begin(b);
    start(b);
    for (u32 i = 0; i < 16; i++)
        ptx_add(b, "mbarrier.arrive.shared.b64 _, [%%bar];\n"
                   "L%u: mbarrier.try_wait.parity.shared.b64 %%p0, [%%bar], %u;\n@!%%p0 bra L%u;\n",
                i, i & 1, i);
    stop(b);
    run(b, &(struct bench){"barrier", "arrive and look", 1, 16, 1, 1, 1, 0, NULL});
    begin(b);
    ptx_add(b, "and.b32 %%r1, %%thread, 31;\nsetp.ne.u32 %%p5, %%r1, 0;\n"
               "setp.ge.u32 %%p2, %%thread, 32;\n");
    start(b);
    ptx_add(b, "@%%p5 bra DONE;\n");
    for (u32 i = 0; i < 16; i++)
        ptx_add(b,
                "@!%%p2 mbarrier.arrive.shared.b64 _, [%%bar];\n@!%%p2 bra B%u;\n"
                "L%u: mbarrier.try_wait.parity.shared.b64 %%p0, [%%bar], %u;\n@!%%p0 bra L%u;\n"
                "mbarrier.arrive.shared.b64 _, [%%bar+8];\nbra N%u;\n"
                "B%u: mbarrier.try_wait.parity.shared.b64 %%p0, [%%bar+8], %u;\n@!%%p0 bra B%u;\n"
                "N%u:\n",
                i, i, i & 1, i, i, i, i & 1, i, i);
    ptx_add(b, "DONE:\n");
    stop(b);
    run(b, &(struct bench){"barrier", "two warps to and fro", 64, 16, 1, 1, 64, 0, NULL});
    begin(b);
    start(b);
    for (u32 i = 0; i < 16; i++)
        ptx_add(b,
                "mbarrier.arrive.expect_tx.shared.b64 _, [%%bar], 0;\n"
                "L%u: mbarrier.try_wait.parity.shared.b64 %%p0, [%%bar], %u;\n@!%%p0 bra L%u;\n",
                i, i & 1, i);
    stop(b);
    run(b, &(struct bench){"barrier", "arrive with bytes expected and look", 1, 16, 1, 1, 1, 0, NULL});
}

static void load_boxes(struct bed *b)
{
    static const u32 highs[] = {1, 8, 64, 256};
    for (u32 i = 0; i < 4; i++) {
        loads(b, "one load, from L2", 64, highs[i], 1, 1, 1, true);
        loads(b, "one load, from DRAM or L2", 64, highs[i], 1, 1, 1, false);
        loads(b, "of 16 loads, one block", 64, highs[i], 16, 1, 1, true);
        loads(b, "of 16 loads, 132 blocks", 64, highs[i], 16, 132, 1, true);
    }
    for (u32 high = 2; high <= 128; high *= 2) {
        loads(b, "of 48 loads, one block", 64, high, 48, 1, 1, true);
        loads(b, "of 48 loads without swizzle, one block", 32, high, 48, 1, 1, true);
        loads(b, "of 48 loads of 16-byte rows, one block", 8, high, 48, 1, 1, true);
    }
    loads(b, "of 48 loads of 512-byte rows, one block", 256, 16, 48, 1, 1, true);
    loads(b, "of 48 loads, 132 blocks", 64, 64, 48, 132, 1, true);
    loads(b, "of 48 loads, 132 blocks", 64, 128, 48, 132, 1, true);
}

static void multicast(struct bed *b)
{
    for (u32 cluster = 2; cluster <= 8; cluster *= 2) {
        char name[96];
        snprintf(name, sizeof name, "one load for %u", cluster);
        loads(b, name, 64, 8, 1, cluster, cluster, true);
        loads(b, name, 64, 64, 1, cluster, cluster, true);
        snprintf(name, sizeof name, "of 48 loads for %u", cluster);
        loads(b, name, 64, 8, 48, cluster, cluster, true);
        loads(b, name, 64, 64, 48, cluster, cluster, true);
        loads(b, name, 64, 128, 48, cluster, cluster, true);
        snprintf(name, sizeof name, "of 48 loads for %u, 128 blocks", cluster);
        loads(b, name, 64, 64, 48, 128, cluster, true);
    }
}

static void store_boxes(struct bed *b)
{
    for (u32 high = 1; high <= 256; high *= 4) {
        stores(b, 64, high, 1, 1);
        stores(b, 64, high, 48, 1);
    }
    stores(b, 64, 128, 48, 132);
}

static void bulks(struct bed *b)
{
    for (u32 bytes = 16; bytes <= 16384; bytes *= 4)
        bulk(b, bytes, 1, 1);
    bulk(b, 128, 48, 1);
    bulk(b, 1024, 48, 1);
    bulk(b, 2048, 64, 1);
    bulk(b, 16384, 12, 1);
    bulk(b, 16384, 12, 132);
}

int main(int argc, char **argv)
{
    static struct bed b;
    char why[512];
    b.record = fopen("/dev/null", "w");
    if (!driver_open(&b.driver, NULL, why, sizeof why)) {
        fprintf(stderr, "%s\n", why);
        return 77;
    }
    if (b.driver.cuInit(0) || b.driver.cuCtxCreate(&b.context, 0, 0) ||
        b.driver.cuMemAlloc(&data, DATA_BYTES) || b.driver.cuMemAlloc(&result, 1 << 20))
        return 77;
    b.driver.cuMemsetD8(data, 0, DATA_BYTES);
    printf("group,name,x,cycles\n");
    only = argc > 1 ? argv[1] : "";
    only_name = argc > 2 ? argv[2] : "";
    products(&b, "f32.f16.f16", 16, false, 1, false);
    products(&b, "f32.f16.f16", 16, true, 1, false);
    products(&b, "f32.f16.f16", 16, false, 2, false);
    products(&b, "f32.f16.f16", 16, false, 1, true);
    products(&b, "f16.f16.f16", 16, false, 1, false);
    products(&b, "f32.e4m3.e4m3", 32, false, 1, false);
    products(&b, "f32.e4m3.e4m3", 32, true, 1, false);
    products(&b, "f32.tf32.tf32", 8, false, 1, false);
    products(&b, "s32.s8.s8", 32, false, 1, false);
    clusters(&b);
    registers(&b);
    barriers(&b);
    load_boxes(&b);
    multicast(&b);
    store_boxes(&b);
    bulks(&b);
    successors(&b);
    return 0;
}

/* heddle list ptx: the forms of the tables, and what is refused by name. */
#include "ptx/program.h"

#include "ptx/decode/decode.h"

#include <stdio.h>
#include <string.h>

/* Of opcodes with a decoder of their own: what they do here that is not in PTX's text. */
static const struct {
    const char *opcode, *note;
} notes[] = {
    {"ld", "all spaces and vectors; cache operators are modelled, L2 priorities and hints are not"},
    {"st", "the same; st.async"},
    {"atom", "scalars of 16 to 128 bits; .v2 .v4 .v8 of f32, f16, bf16, f16x2, bf16x2"},
    {"red", "the same; red.async"},
    {"fence", "all scopes and proxies"},
    {"cp", "cp.async; cp.async.bulk and cp.reduce.async.bulk, .tensor in tile and im2col mode, "
           ".multicast::cluster; prefetch"},
    {"wgmma", "all shapes and types, .sp"},
    {"setmaxnreg", "checked; a warp has its registers all the time"},
    {"griddepcontrol", "has no effect: a grid starts when those before it have ended"},
    {"tensormap", "tensormap.replace of all fields of sm_90a, tensormap.cp_fenceproxy"},
    {"createpolicy", "gives a policy; cache hints have no effect"},
    {"prefetch", "modelled; .tensormap has no effect"},
    {"prefetchu", "modelled"},
    {"discard", "has no effect"},
    {"applypriority", "has no effect"},
    {"pmevent", "has no effect"},
    {"barrier", "barrier.cta, barrier.cluster"},
    {"mma", "f16, bf16, tf32, f64, s8, u8, s4, u4, b1, e4m3, e5m2; .sp but of s4 and u4"},
    {"wmma", "f16, bf16, tf32, f64, s8, u8, s4, u4, b1"},
    {"ldmatrix", ".m8n8.b16"},
    {"stmatrix", ".m8n8.b16"},
    {"mbarrier", "all forms"},
    {"tex", "1d, 2d, 3d, arrays and cubes by object; .level and .grad"},
    {"tld4", "2d and cubes by object"},
    {"txq", "width, height, depth, array_size"},
    {"suq", "width, height, depth, array_size"},
    {"suld", ".b"},
    {"sust", ".b"},
    {"redux", "integers"},
    {"cvt", "8- to 64-bit integers, f16 to f64, bf16, tf32, e4m3x2, e5m2x2, .pack"},
};

/* Without a row in a table: their names say operation and width (decode_video.c). */
static const char *const video[] = {
    "vadd",  "vsub",  "vabsdiff",  "vmin",      "vmax",  "vshl",   "vshr",   "vmad",
    "vset",  "vadd2", "vsub2",     "vabsdiff2", "vmin2", "vmax2",  "vavrg2", "vset2",
    "vadd4", "vsub4", "vabsdiff4", "vmin4",     "vmax4", "vavrg4", "vset4"};

/* Refused when a program is loaded; PTX 9.0 has nothing else. */
static const struct {
    const char *form, *note;
} refused[] = {
    {"cp.async.bulk .cp_mask, .tensor .tile::gather4, .im2col::w", "sm_100"},
    {"multimem.*", "multicast memory of several GPUs"},
    {"mma.sp of s4, u4", "sparse products of 4-bit integers"},
    {"mma .kind::*", "scaled and 4- and 6-bit products of sm_120"},
    {"tcgen05.*", "tensor memory of sm_100a"},
    {"clusterlaunchcontrol.*", "sm_100"},
    {"st.bulk", "sm_100"},
    {"min, max of three f32", "sm_100"},
    {"add, sub, mul, fma .f32x2", "sm_100"},
    {"add, sub, fma .f32.f16, .f32.bf16", "mixed precision of sm_100"},
    {"redux of f32", "sm_100a"},
    {"cvt .rs", "sm_100a"},
    {"cvt of e2m1x2, e2m3x2, e3m2x2, ue8m0x2", "sm_100a"},
    {"ldmatrix .m16n16, .m8n16", "sm_100a"},
    {"stmatrix .m16n8", "sm_100a"},
    {"istypep", "references"},
    {"tex, tld4, suld, sust by .texref, .surfref", "references, and samplers apart from textures"},
    {"tex, tld4 with offset or depth", "offsets, comparison with a depth, residency"},
    {"tex.2dms, tex.a2dms", "several samples a texel"},
    {"tex .v2.f16x2", "results of 16 bits"},
    {"txq .level and of samplers", "properties but width, height, depth, array_size"},
    {"suld.p, sust.p, sured", "formatted surfaces, reductions"},
    {"%pm0 to %pm7, %pm0_64 to %pm7_64", "performance counters"},
};

static const char *note_of(const char *opcode)
{
    for (u32 i = 0; i < ARRAY_LEN(notes); i++) {
        if (strcmp(notes[i].opcode, opcode) == 0)
            return notes[i].note;
    }
    return "all forms";
}

static void list_special(ptx_visitor *visit, void *context)
{
    for (u32 i = 0; i < SPECIAL_COUNT; i++) {
        const char *name = special_info[i].name;
        char shown[40];
        if (!name || i == SPECIAL_WARP_SIZE)
            continue;
        snprintf(shown, sizeof shown, "%%%s", name);
        visit(context, shown, true, "special register");
    }
    visit(context, "%envreg0 to %envreg31", true, "special registers");
    visit(context, "WARP_SZ", true, "32");
}

void ptx_list(ptx_visitor *visit, void *context)
{
    for (u32 i = 0; i < form_count; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s.%s", forms[i].opcode, type_info[forms[i].type].name);
        bool repeated = false;
        for (u32 k = 0; k < i && !repeated; k++)
            repeated = forms[k].type == forms[i].type && forms[k].opcode == forms[i].opcode;
        if (!repeated)
            visit(context, name, true, "");
    }
    for (u32 i = 0; i < decode_opcode_count; i++)
        visit(context, decode_opcode(i), true, note_of(decode_opcode(i)));
    for (u32 i = 0; i < ARRAY_LEN(video); i++)
        visit(context, video[i], true, "all forms");
    list_special(visit, context);
    for (u32 i = 0; i < ARRAY_LEN(refused); i++)
        visit(context, refused[i].form, false, refused[i].note);
}

/* heddle list ptx: the forms of the tables, and what is refused by name. */
#include "isa/program.h"

#include "isa/exec/decode.h"

#include <stdio.h>

/* Refused when a program is loaded. Later PTX than 9.0 and what only single GPUs have. */
static const struct {
    const char *form, *note;
} refused[] = {
    {"wgmma.*", "warpgroup matrix products of sm_90a"},
    {"tcgen05.*", "tensor memory of sm_100a"},
    {"mma.sp.*, wmma with fp8", "sparse and 8-bit float products"},
    {"cp.async.bulk.tensor, cp.reduce.async.bulk", "tensor maps and reducing bulk copies"},
    {"barrier.cluster, mapa, getctarank", "clusters of more than one block"},
    {"multimem.*", "multicast memory of several GPUs"},
    {"atom/red with .v2 .v4 .v8", "vector atomics"},
    {"tex.cube, tex with .texref, suld.p, sust.p, sured",
     "cube maps, references, formatted surfaces"},
    {"alloca, stacksave, stackrestore", "stacks of dynamic size"},
    {"setmaxnreg, tensormap.*, createpolicy", "register and cache control of sm_90a"},
    {"min, max with three operands", "sm_100"},
};

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
        visit(context, decode_opcode(i), true, "all forms of the conformance suite");
    for (u32 i = 0; i < ARRAY_LEN(refused); i++)
        visit(context, refused[i].form, false, refused[i].note);
}

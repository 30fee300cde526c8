#include "cuda/code/module.h"

#include "cuda/code/cubin.h"
#include "cuda/code/fatbin.h"
#include "cuda/code/link.h"
#include "cuda/core/occupancy.h"
#include "cuda/core/stream.h"

#include <string.h>

#define WRAPPER_MAGIC 0x466243b1u
#define SHARED_WITHOUT_OPT_IN 49152u

static CUmodule module_new(CUcontext context)
{
    return cu_object_new(sizeof(struct CUmod_st), CU_KIND_MODULE, context);
}

void cu_module_unload(CUmodule module)
{
    cu_wait_all(module->object.context);
    for (u32 i = 0; i < module->function_count; i++)
        cu_object_delete(module->functions[i]);
    program_destroy(module->program);
    arena_fini(&module->arena);
    cu_object_delete(module);
}

/* The program is loaded: a handle for each kernel. */
static void functions_make(CUmodule module)
{
    module->function_count = program_kernel_count(module->program);
    module->functions = ARENA_ARRAY(&module->arena, CUfunction, module->function_count + 1);
    for (u32 i = 0; i < module->function_count; i++) {
        CUfunction f = cu_object_new(sizeof(*f), CU_KIND_FUNCTION, module->object.context);
        f->module = module;
        f->kernel = program_kernel(module->program, i);
        u32 fixed = kernel_info(f->kernel)->shared_bytes;
        f->max_dynamic_shared = fixed < SHARED_WITHOUT_OPT_IN ? SHARED_WITHOUT_OPT_IN - fixed : 0;
        f->carveout = CU_SHAREDMEM_CARVEOUT_DEFAULT;
        module->functions[i] = f;
    }
    for (u32 i = 0; i < program_variable_count(module->program); i++)
        cu_core()->host_sees |= program_variable(module->program, i)->is_managed;
}

static CUresult module_link(CUmodule module, const struct program_text *texts, u32 count,
                            CUmodule *out, struct err *err)
{
    module->program = program_load(texts, count, cu_core()->memory, err);
    if (!module->program) {
        cu_module_unload(module);
        return CUDA_ERROR_INVALID_PTX;
    }
    functions_make(module);
    *out = module;
    return CUDA_SUCCESS;
}

CUresult cu_module_load_texts(CUcontext context, const struct program_text *texts, u32 count,
                              CUmodule *out, struct err *err)
{
    return module_link(module_new(context), texts, count, out, err);
}

/* ptxas's own counts are better than our estimate; a cubin we cannot read changes nothing. */
static void registers_read(CUmodule module, const struct fatbin *f)
{
    struct err ignored = ERR_INIT;
    struct fatbin_image image;
    struct cubin cubin;
    const struct fatbin_entry *e = fatbin_best(f, FATBIN_ELF, cu_device_arch(&cu_core()->props));
    if (!e || !fatbin_decode(f, e, &image, &module->arena, &ignored) ||
        !cubin_read(&cubin, image.data, image.bytes, f->name, &module->arena, &ignored))
        return;
    for (u32 i = 0; i < cubin.kernel_count; i++) {
        CUfunction function = cu_module_find(module, cubin.kernels[i].name);
        if (function && cubin.kernels[i].registers)
            kernel_set_registers(function->kernel, cubin.kernels[i].registers);
    }
}

/* The PTX of one container, as one more text. */
static bool text_take(CUmodule module, const struct fatbin *f, struct program_text *text,
                      struct err *err)
{
    const struct fatbin_entry *e;
    struct fatbin_image image;
    if (!fatbin_choose_ptx(f, cu_device_arch(&cu_core()->props), &e, err) ||
        !fatbin_decode(f, e, &image, &module->arena, err))
        return false;
    *text = (struct program_text){.name = e->identifier && *e->identifier ? e->identifier : "ptx",
                                  .text = (const char *)image.data,
                                  .length = image.bytes};
    return true;
}

static CUresult load_containers(CUcontext context, const void *main, const void *const *linked,
                                u32 linked_count, CUmodule *out, struct err *err)
{
    CUmodule module = module_new(context);
    struct program_text *texts = ARENA_ARRAY(&module->arena, struct program_text, linked_count + 1);
    u32 count = 0;
    CUresult status = CUDA_ERROR_NO_BINARY_FOR_GPU;
    struct fatbin whole;
    if (!fatbin_read_mapped(&whole, main, "fat binary", &module->arena, err)) {
        status = CUDA_ERROR_INVALID_IMAGE;
        goto failed;
    }
    /* Of linked objects, NVIDIA's own device runtime may have PTX for newer chips only. */
    struct err first = ERR_INIT;
    for (u32 i = 0; i < linked_count; i++) {
        struct fatbin part;
        struct err why = ERR_INIT;
        if (fatbin_read_mapped(&part, linked[i], "fat binary", &module->arena, &why) &&
            text_take(module, &part, &texts[count], &why))
            count++;
        else if (first.kind == ERR_NONE)
            first = why;
    }
    if (!linked_count && text_take(module, &whole, &texts[0], &first))
        count++;
    if (!count) {
        *err = first;
        goto failed;
    }
    CU_TRY(module_link(module, texts, count, out, err));
    registers_read(module, &whole);
    return CUDA_SUCCESS;
failed:
    cu_module_unload(module);
    return status;
}

static CUresult load_text(CUcontext context, const char *text, CUmodule *out, struct err *err)
{
    if (!strstr(text, ".version")) {
        err_at(err, (struct src_pos){.file = "module"},
               "the image is neither PTX nor a fat binary");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    struct program_text t = {.name = "ptx", .text = text, .length = strlen(text)};
    return cu_module_load_texts(context, &t, 1, out, err);
}

static CUresult load_linked(CUcontext context, const void *image, CUmodule *out, struct err *err)
{
    CUmodule module = module_new(context);
    u32 count = cu_link_text_count(image);
    struct program_text *texts = ARENA_ARRAY(&module->arena, struct program_text, count + 1);
    cu_link_texts(image, texts, count);
    return module_link(module, texts, count, out, err);
}

CUresult cu_module_load(CUcontext context, const void *image, CUmodule *out, struct err *err)
{
    struct fatbin_wrapper w;
    u32 magic;
    memcpy(&magic, image, sizeof(magic)); /* any PTX has as many bytes */
    switch (magic) {
    case WRAPPER_MAGIC:
        if (!fatbin_wrapper_read(&w, image, "fat binary", err))
            return CUDA_ERROR_INVALID_IMAGE;
        return load_containers(context, w.container, w.prelinked, w.prelinked_count, out, err);
    case FATBIN_MAGIC:
        return load_containers(context, image, NULL, 0, out, err);
    case CU_LINK_MAGIC:
        return load_linked(context, image, out, err);
    case 0x464c457f: /* ELF */
        err_at(err, (struct src_pos){.file = "module"},
               "the image is machine code only, and heddle runs PTX: give it the PTX or a fat "
               "binary that has it (nvcc -ptx, or -fatbin with code=compute_XX)");
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    default:
        return load_text(context, image, out, err);
    }
}

CUfunction cu_module_find(CUmodule module, const char *name)
{
    struct kernel *k = program_find_kernel(module->program, name);
    for (u32 i = 0; k && i < module->function_count; i++) {
        if (module->functions[i]->kernel == k)
            return module->functions[i];
    }
    return NULL;
}

const struct program_variable *cu_module_variable(CUmodule module, const char *name)
{
    return program_find_variable(module->program, name);
}

bool cu_module_is_managed(u64 start)
{
    struct cu_object *ring = &cu_core()->objects;
    for (struct cu_object *o = ring->next; o != ring; o = o->next) {
        if (o->kind != CU_KIND_MODULE)
            continue;
        const struct program *p = ((CUmodule)o)->program;
        for (u32 i = 0; p && i < program_variable_count(p); i++) {
            const struct program_variable *v = program_variable(p, i);
            if (v->is_managed && start >= v->address && start - v->address < v->bytes)
                return true;
        }
    }
    return false;
}

const struct kernel_info *cu_function_info(CUfunction function)
{
    return kernel_info(function->kernel);
}

/* A compiler for a chip with fewer would spill the rest. */
u32 cu_function_registers(CUfunction function)
{
    u32 needed = cu_function_info(function)->registers, most = cu_core()->props.max_registers;
    return needed < most ? needed : most;
}

CUresult cu_function_get(CUfunction function, u32 attribute, int *value)
{
    const struct kernel_info *info = cu_function_info(function);
    const struct cuda_device_props *props = &cu_core()->props;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = (int)cu_occupancy_max_threads(function);
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)info->shared_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = 0;
        break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)info->local_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = (int)cu_function_registers(function);
        break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = (int)info->target;
        break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = (int)cu_device_arch(props);
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = (int)function->max_dynamic_shared;
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = function->carveout;
        break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *value = function->non_portable_cluster;
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        *value = function->cluster_policy;
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        *value = (int)info->cluster[attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH];
        break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        *value = 0;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cu_function_set(CUfunction function, u32 attribute, int value)
{
    const struct cuda_device_props *props = &cu_core()->props;
    u32 fixed = cu_function_info(function)->shared_bytes;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        if (value < 0 ||
            (u32)value + fixed >
                (u32)props->attribute[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN])
            return CUDA_ERROR_INVALID_VALUE;
        function->max_dynamic_shared = (u32)value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (value < -1 || value > 100)
            return CUDA_ERROR_INVALID_VALUE;
        function->carveout = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        function->non_portable_cluster = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        function->cluster_policy = value;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

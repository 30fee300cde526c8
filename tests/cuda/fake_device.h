/*
 * A CUDA core over a backend that runs nothing: it writes down which kernels
 * were started (+) and ended (-), and ends the one that was started last first,
 * so that whatever may overlap does. Every test begins with a fresh core, one
 * context and a module of two kernels.
 */
#ifndef CUDA_FAKE_DEVICE_H
#define CUDA_FAKE_DEVICE_H

#include "testing.h"

#include "base/text.h"
#include "cuda/graph/capture.h"
#include "cuda/core/event.h"
#include "cuda/core/failures.h"
#include "cuda/graph/graph.h"
#include "cuda/core/launch.h"
#include "cuda/core/memory.h"
#include "cuda/code/module.h"
#include "cuda/core/occupancy.h"
#include "cuda/core/stream.h"
#include "cuda/core/texture.h"

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry numbered(.param .u32 number) { ret; }\n"
                          ".visible .entry narrow() .maxntid 64, 1, 1 { ret; }\n";

static struct fake {
    struct text log;
    u64 tickets[16];
    u32 numbers[16], running;
    u64 ns;
    u32 faults_at; /* number of the kernel that faults; 0: none */
} fake;

static void fake_start(void *self, const struct launch *launch, u64 ticket)
{
    struct fake *f = self;
    u32 number;
    memcpy(&number, launch->params, sizeof(number));
    text_printf(&f->log, "+%u ", number);
    f->numbers[f->running] = number;
    f->tickets[f->running++] = ticket;
}

static u64 fake_finish(void *self, bool *ok, enum launch_fault *fault, struct err *err)
{
    struct fake *f = self;
    f->running--;
    text_printf(&f->log, "-%u ", f->numbers[f->running]);
    f->ns += 1000;
    *ok = !f->faults_at || f->faults_at != f->numbers[f->running];
    if (!*ok) {
        *fault = FAULT_ADDRESS;
        err_kind(err, ERR_INPUT, "the fake kernel faults, as it was asked to");
    }
    return f->tickets[f->running];
}

static void fake_copied(void *self, u64 to, u64 bytes)
{
    (void)to;
    struct fake *f = self;
    text_printf(&f->log, "copy%u ", (u32)bytes);
}

static u64 fake_now(void *self)
{
    return ((struct fake *)self)->ns += 1;
}

static const struct cuda_backend fake_backend = {
    .self = &fake,
    .is_lazy = true,
    .start = fake_start,
    .finish = fake_finish,
    .copied = fake_copied,
    .now_ns = fake_now,
};

static CUcontext context;
static CUfunction numbered, narrow;

__attribute__((unused)) static int begin(void **state)
{
    (void)state;
    text_fini(&fake.log);
    fake = (struct fake){0};
    text_printf(&fake.log, "%s", "");
    cu_core_restart(&fake_backend);
    assert_int_equal(cu_context_create(&context, 0), CUDA_SUCCESS);
    cu_context_push(context);
    CUmodule module;
    struct err err = ERR_INIT;
    assert_int_equal(cu_module_load(context, ptx, &module, &err), CUDA_SUCCESS);
    numbered = cu_module_find(module, "numbered");
    narrow = cu_module_find(module, "narrow");
    assert_non_null(numbered);
    assert_non_null(narrow);
    return 0;
}

__attribute__((unused)) static CUstream stream_new(u32 flags)
{
    CUstream s;
    assert_int_equal(cu_stream_create(context, flags, 0, &s), CUDA_SUCCESS);
    return s;
}

static struct cu_launch launch_of(u32 *number, void **slot)
{
    *slot = number;
    return (struct cu_launch){
        .function = numbered, .grid = {1, 1, 1}, .block = {32, 1, 1}, .params = slot};
}

__attribute__((unused)) static CUresult run(CUstream s, u32 number)
{
    void *slot;
    struct cu_launch l = launch_of(&number, &slot);
    return cu_launch(&l, s);
}

#define RUN(s, number) assert_int_equal(run(s, number), CUDA_SUCCESS)
#define LOG(text) assert_string_equal(fake.log.data, text)

#define TB(claim) cmocka_unit_test_setup(claim, begin)

#endif

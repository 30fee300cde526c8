#include "cuda/core/failures.h"

#include "base/console.h"

#include "cuda/core/error_names.h"
#include "cuda/core/op.h"
#include "cuda/core/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void on_end(int code, void *unused)
{
    (void)unused;
    struct cu_failures *f = &cu_core()->failures;
    f->exit_code = code;
    f->has_ended = true;
}

static void count(const char *why)
{
    struct cu_failures *f = &cu_core()->failures;
    if (!f->launches) {
        snprintf(f->first, sizeof f->first, "%s", why);
        on_exit(on_end, NULL); /* this late, so that it comes before libraries are unloaded */
    }
    f->launches++;
    f->unnoticed++;
}

void cu_failure_of_kernel(CUcontext context, const struct err *err)
{
    char why[CU_FAILURE_BYTES];
    err_text(err, why, sizeof why);
    count(why);
    for (CUstream s = cu_core()->streams; s; s = s->next) {
        struct cu_op *op = !s->head || !s->is_busy ? s->head : s->head->next;
        for (; op && s->object.context == context; op = op->next) {
            if (op->work.kind == CU_WORK_KERNEL)
                count(why);
        }
    }
}

u64 cu_failures_said(void)
{
    return cu_core()->failures.said;
}

CUresult cu_failure_of_launch(CUresult status, u64 said)
{
    if (status == CUDA_SUCCESS)
        return status;
    CU_GUARD
    const struct cu_failures *f = &cu_core()->failures;
    const char *name = cu_error_runtime_name((int)status);
    count(f->said != said ? f->last_said : name ? name : "unknown error");
    return status;
}

void cu_failures_noticed(void)
{
    cu_core()->failures.unnoticed = 0;
}

int cu_failures_end(void)
{
    const struct cu_failures *f = &cu_core()->failures;
    if (!f->unnoticed)
        return 0;
    bool replaces = f->has_ended && f->exit_code == 0;
    console_say("%llu launch%s failed and the program did not check%s; the first: %s",
                (unsigned long long)f->launches, f->launches == 1 ? "" : "es",
                replaces ? ", so the exit code is 1" : "", f->first);
    return replaces ? ERR_VERIFY : 0;
}

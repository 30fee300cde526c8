#include "cpu_trace/record/profile.h"

#include "cpu_trace/record/code.h"

static u64 add_blocks(const struct guest_code *code, const struct chunk *c,
                      struct points_profile *out)
{
    u64 count = 0;
    for (u32 i = 0; i < c->used; i++) {
        const struct code_block *b = code->blocks[(u32)c->words[i]];
        points_profile_add(out, b->members[0]->fixed.pc, b->count);
        count += b->count;
    }
    return count;
}

bool cpu_profile(const struct guest_request *request, struct points_profile *out, struct err *err)
{
    struct guest guest;
    struct guest_code code = {0};
    struct guest_request blocks = *request;
    u64 count = 0;
    blocks.blocks_only = true;
    bool ok = guest_start(&guest, &blocks, err) &&
              guest_code_init(&code, guest.machine, guest.program, err);
    for (const struct chunk *c; ok && (c = guest_next(&guest));) {
        if (c->state == CHUNK_DEFINITIONS)
            guest_code_define(&code, c);
        else
            count += add_blocks(&code, c, out);
    }
    ok = ok && guest_check(&guest, count, err);
    if (ok && guest_was_replaced(&guest))
        ok = err_at(err, (struct src_pos){guest.program, 0, 0},
                    "the program called exec after %llu instructions; choose windows for the "
                    "program that it starts",
                    (unsigned long long)count);
    points_profile_end(out);
    guest_stop(&guest);
    guest_code_fini(&code);
    return ok;
}

#include "cpu_trace/line_use.h"

static void leave(struct line_use *u, struct line_use_way *w)
{
    if (!w->line)
        return;
    u->lines[w->section]++;
    u->bytes[w->section] += (u64)__builtin_popcountll(w->used);
    *w = (struct line_use_way){0};
}

static struct line_use_way *find(struct line_use *u, u64 line, u32 section)
{
    struct line_use_way *set = u->ways[line % LINE_USE_SETS], *oldest = &set[0];
    for (u32 i = 0; i < LINE_USE_WAYS; i++) {
        if (set[i].line == line + 1)
            return &set[i];
        if (set[i].when < oldest->when)
            oldest = &set[i];
    }
    leave(u, oldest);
    oldest->line = line + 1;
    oldest->section = section;
    return oldest;
}

void line_use_fetch(struct line_use *u, u64 pc, u32 length, u32 section)
{
    for (u64 at = pc, end = pc + length; at < end;) {
        u64 line = at / LINE_USE_BYTES, line_end = (line + 1) * LINE_USE_BYTES;
        u64 count = min_u64(end, line_end) - at;
        struct line_use_way *w = find(u, line, section);
        w->used |= (count == LINE_USE_BYTES ? UINT64_MAX : ((u64)1 << count) - 1)
                   << at % LINE_USE_BYTES;
        w->when = ++u->now;
        at += count;
    }
}

void line_use_flush(struct line_use *u)
{
    for (u32 s = 0; s < LINE_USE_SETS; s++) {
        for (u32 w = 0; w < LINE_USE_WAYS; w++)
            leave(u, &u->ways[s][w]);
    }
}

double line_use_mean(const struct line_use *u, u32 section)
{
    bool is_all = section == LINE_USE_SECTIONS;
    u64 lines = is_all ? u->lines[0] + u->lines[1] : u->lines[section];
    u64 bytes = is_all ? u->bytes[0] + u->bytes[1] : u->bytes[section];
    return lines ? (double)bytes / (double)(lines * LINE_USE_BYTES) : 0;
}

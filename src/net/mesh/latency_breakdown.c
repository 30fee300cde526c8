#include "net/mesh/latency_breakdown.h"

/* clang-format off */
const struct stat_def latency_breakdown_stats[] = {
    S_COUNT(latency_breakdown, requests, "requests", "requests answered"),
    S_COUNT(latency_breakdown, latency_fs, "fs", "total latency, from leaving the core to the answer"),
    S_COUNT(latency_breakdown, cache_fs, "fs", "total time in banks and their queues, waiting for lines excluded"),
    S_COUNT(latency_breakdown, memory_fs, "fs", "total time of awaited lines in memory controllers and DRAM"),
    S_COUNT(latency_breakdown, queue_fs, "fs", "total time of requests and awaited lines before their first router"),
    S_COUNT(latency_breakdown, trip_fs, "fs", "total time of requests and awaited lines from their first router to their node"),
    S_FORMULA(latency_ns, "latency_fs / requests / 1000000", "ns", "mean latency of a request, from leaving its core to the answer"),
    S_FORMULA(cache_ns, "cache_fs / requests / 1000000", "ns", "mean time of a request in banks"),
    S_FORMULA(memory_ns, "memory_fs / requests / 1000000", "ns", "mean time of a request in memory controllers and DRAM"),
    S_FORMULA(queue_ns, "queue_fs / requests / 1000000", "ns", "mean time of a request before the first router of its packets"),
    S_FORMULA(trip_ns, "trip_fs / requests / 1000000", "ns", "mean time of a request on its way through routers"),
    S_LAW(whole, "cache_fs + memory_fs + queue_fs + trip_fs == latency_fs", "a request is always in one place"),
    S_END,
};
/* clang-format on */

static u64 part_after(u64 begin, u64 end, u64 after)
{
    if (begin < after)
        begin = after;
    return end > begin ? end - begin : 0;
}

void journey_wait_for(struct journey *request, const struct journey *line)
{
    u64 after = request->came;
    request->queue = part_after(line->issued, line->entered, after) +
                     part_after(line->served, line->entered_back, after);
    request->trip = part_after(line->entered, line->came, after) +
                    part_after(line->entered_back, line->came_back, after);
    request->memory = part_after(line->came, line->served, after);
}

void journey_end(const struct journey *j, u64 now_fs, struct latency_breakdown *split)
{
    split->requests++;
    split->latency_fs += now_fs - j->issued;
    split->queue_fs += j->entered - j->issued + j->entered_back - j->served + j->queue;
    split->trip_fs += j->came - j->entered + now_fs - j->entered_back + j->trip;
    split->memory_fs += j->memory;
    split->cache_fs += j->served - j->came - j->queue - j->trip - j->memory;
}

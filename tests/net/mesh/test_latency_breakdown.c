/* Where the time of a request goes on a mesh. */
#include "testing.h"

#include "net/mesh/latency_breakdown.h"

/* Put out at 100, in a router at 130, at its bank at 150; the reply put out at 400, in a router at
 * 470, out of the mesh at 500. */
static const struct journey there_and_back = {
    .issued = 100, .entered = 130, .came = 150, .served = 400, .entered_back = 470};

/* Asked for at 170; to its controller 20 + 15, there 60, back 25 + 10: at the bank at 300. */
static const struct journey line = {.issued = 170,
                                    .entered = 190,
                                    .came = 205,
                                    .served = 265,
                                    .entered_back = 290,
                                    .came_back = 300};

static void expect(const struct journey *j, const struct latency_breakdown *parts)
{
    struct latency_breakdown split = {0};
    journey_end(j, 500, &split);
    assert_int_equal(split.requests, 1);
    assert_int_equal(split.latency_fs, 400);
    assert_int_equal(split.queue_fs, parts->queue_fs);
    assert_int_equal(split.trip_fs, parts->trip_fs);
    assert_int_equal(split.memory_fs, parts->memory_fs);
    assert_int_equal(split.cache_fs, parts->cache_fs);
    assert_int_equal(split.queue_fs + split.trip_fs + split.memory_fs + split.cache_fs, 400);
}

TEST(a_hit_is_in_its_queues_on_its_ways_or_at_its_bank)
{
    UNUSED_STATE;
    expect(&there_and_back,
           &(struct latency_breakdown){.queue_fs = 30 + 70, .trip_fs = 20 + 30, .cache_fs = 250});
}

/* The bank has it for 20 until it asks, and for 100 with the line at the bank. */
TEST(a_miss_is_where_its_line_is)
{
    UNUSED_STATE;
    struct journey j = there_and_back;
    journey_wait_for(&j, &line);
    expect(&j, &(struct latency_breakdown){.queue_fs = 100 + 20 + 25,
                                           .trip_fs = 50 + 15 + 10,
                                           .memory_fs = 60,
                                           .cache_fs = 20 + 100});
}

/* It comes at 240, when the line is at its controller: 25 of that time, and the way back. */
TEST(a_request_that_meets_a_line_on_its_way_has_the_rest_of_it)
{
    UNUSED_STATE;
    struct journey j = there_and_back;
    j.came = 240;
    journey_wait_for(&j, &line);
    expect(&j,
           &(struct latency_breakdown){
               .queue_fs = 100 + 25, .trip_fs = 110 + 30 + 10, .memory_fs = 25, .cache_fs = 100});
    j.came = 400; /* and when the line has been there for long, nothing of it */
    journey_wait_for(&j, &line);
    expect(&j, &(struct latency_breakdown){.queue_fs = 100, .trip_fs = 270 + 30});
}

RUN_TESTS(T(a_hit_is_in_its_queues_on_its_ways_or_at_its_bank), T(a_miss_is_where_its_line_is),
          T(a_request_that_meets_a_line_on_its_way_has_the_rest_of_it))

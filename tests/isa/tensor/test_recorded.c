/*
 * The matrix instructions give what an H200 gave, bit for bit, also where the suite would allow a
 * tolerance.
 */
#include "replay.h"

TEST(x)
{
    UNUSED_STATE;
    printf("%u\n",suite_replay(getenv("KERN"), getenv("REC"), getenv("ONLY")?getenv("ONLY"):"*mma*"));
}
RUN_TESTS(T(x))

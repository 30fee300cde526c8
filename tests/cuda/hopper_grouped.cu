/*
 * examples/hopper/grouped_gemm.cu: groups of 1 to 300 rows, and more tiles than stages; exact sums.
 */
#define TEST "hopper_grouped"
#include "check.h"

#define main example_main
#include "../../examples/hopper/grouped_gemm.cu"
#undef main

int main()
{
    static const char *const lines[] = {"x 256 128 200 1 128 300 77", "x 128 640 64 65"};
    for (const char *line : lines) {
        std::string copy = line;
        char *words[16];
        int count = 0;
        for (char *w = strtok(&copy[0], " "); w; w = strtok(NULL, " "))
            words[count++] = w;
        if (example_main(count, words))
            fail("%s", line);
    }
    return pass();
}

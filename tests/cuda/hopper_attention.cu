/*
 * examples/hopper/attention.cu: both head sizes, causal and not, against doubles.
 */
#define TEST "hopper_attention"
#include "check.h"

#define main example_main
#include "../../examples/hopper/attention.cu"
#undef main

int main()
{
    static const char *const lines[] = {"x 64 2 256 full", "x 64 1 384 causal", "x 128 1 256 causal",
                                        "x 128 1 128 full"};
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

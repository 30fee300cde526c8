/*
 * examples/hopper/convolution.cu: padding, strides and filters of several sizes; exact sums.
 */
#define TEST "hopper_convolution"
#include "check.h"

#define main example_main
#include "../../examples/hopper/convolution.cu"
#undef main

int main()
{
    static const char *const lines[] = {"x 2 9 10 64 128 3 1 1", "x 1 9 7 64 128 3 0 1",
                                        "x 2 11 8 128 128 3 1 2", "x 1 8 8 64 128 1 0 1",
                                        "x 1 8 7 64 128 5 2 1"};
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

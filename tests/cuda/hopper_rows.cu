/*
 * examples/hopper/rows.cu: softmax and layer norm, more rows than blocks, against doubles.
 */
#define TEST "hopper_rows"
#include "check.h"

#define main example_main
#include "../../examples/hopper/rows.cu"
#undef main

int main()
{
    static const char *const lines[] = {"x softmax 300 512", "x softmax 3 4096", "x norm 300 260",
                                        "x norm 2 8192"};
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

/*
 * examples/hopper_gemm.cu with every type, both numbers of consumers, clusters of one and two, and
 * work in tiles, parts of tiles and equal shares. The example checks its sums itself.
 */
#define TEST "hopper_gemm"
#include "check.h"

#define check example_check
#define main example_main
#include "../../examples/hopper_gemm.cu"
#undef main

int main()
{
    static char line[] = "x f16 256 256 384 2 2 tiles and bf16 256 128 256 1 1 tiles and e4m3 256 256 "
                         "256 2 1 split 2 and tf32 256 128 256 1 2 stream and f16 512 128 640 2 2 "
                         "stream";
    char *words[64];
    int count = 0;
    for (char *w = strtok(line, " "); w; w = strtok(NULL, " "))
        words[count++] = w;
    if (example_main(count, words))
        fail("the example says that it failed");
    return pass();
}

/* An OpenMP program with a region, a critical section and a barrier: `cpu_trace_team TIMES`. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 1;
    long sum = 0;
    for (int n = 0; n < times; n++) {
#pragma omp parallel num_threads(4)
        {
            volatile long own = 0;
            for (int i = 0; i < 5000; i++)
                own += i;
#pragma omp critical
            sum += own;
#pragma omp barrier
            own++;
        }
    }
    printf("%ld\n", sum);
    return sum == 4L * times * 12497500 ? 0 : 1;
}

/* Does not look at errors, as many programs do not. */
#include <cufft.h>

int main(void)
{
    cufftHandle plan;
    cufftPlan1d(&plan, 64, CUFFT_C2C, 1);
    return 0;
}

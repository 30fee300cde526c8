/* One call of the library; does not look at errors, as many programs do not. */
#include <cublas_v2.h>

int main(void)
{
    cublasHandle_t handle;
    cublasCreate(&handle);
    float *x, factor = 2;
    cudaMalloc(&x, 4);
    cublasSscal(handle, 1, &factor, x, 1);
    return 0;
}

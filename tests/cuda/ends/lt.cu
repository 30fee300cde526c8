/* One call of the library, which heddle refuses. */
#include <cublasLt.h>

int main(void)
{
    cublasLtHandle_t handle;
    cublasLtCreate(&handle);
    return 0;
}

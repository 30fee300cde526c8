/*
 * What rdc_main.cu uses of rdc_ops.cu: symbols that only the device linker
 * can bring together.
 */
#ifndef TESTS_CUDA_RDC_H
#define TESTS_CUDA_RDC_H

typedef int (*binary_op)(int, int);

extern __device__ int call_count;              /* counted by op_add */
extern __constant__ int offsets[4];            /* initialised there, changed by the host here */
extern __device__ binary_op const op_table[3]; /* functions of both files */
extern __device__ int *const count_pointer;    /* the address of call_count */

__device__ int op_add(int a, int b);      /* defined in rdc_ops.cu */
__device__ int op_multiply(int a, int b); /* defined in rdc_ops.cu */
__device__ int op_weave(int a, int b);    /* defined in rdc_main.cu, used by rdc_ops.cu */
__device__ int private_of_ops(int add);   /* returns and changes rdc_ops.cu's own `hidden` */
__device__ int depth_even(int n);         /* calls depth_odd */
__device__ int depth_odd(int n);          /* calls depth_even, in the other file */

/* Launches a kernel of rdc_ops.cu that has the same name as one of rdc_main.cu. */
void ops_launch(int *out, int n);

#endif

/*
 * The GPU that a program sees: a cluster of SMs, or all sockets of a machine as one.
 *
 * With several sockets a kernel is split into sub-kernels, one for each socket, whose blocks keep
 * their numbers; it has ended when all of them have, and caches that hold lines of other sockets
 * have been flushed. Only then the next one of its stream begins (hpc-cores-and-numa-gpu spec 2.7).
 */
#ifndef MACHINE_GPU_DEVICE_H
#define MACHINE_GPU_DEVICE_H

#include "machine/gpu_cluster.h"

/* A kernel of several sockets, until it is taken away. */
struct gpu_device_kernel {
    struct grid_source source;
    u64 ticket;
    bool waits; /* for one of its stream; its sub-kernels have not been launched */
    bool flushes;
    u32 left; /* sub-kernels that have not ended */
    cycle_t ended;
    cycle_t took[LINK_MOST_SOCKETS]; /* by sub-kernel; 0: there is none */
    struct grid_run last;            /* the sub-kernel that ended last, while caches are flushed */
    u64 flush[LINK_MOST_SOCKETS];
};

/* How the blocks of a kernel are divided: adaptive shares (spec 2.7). */
#define GPU_DEVICE_MOST_SHARES 256u

struct gpu_device_shares {
    u64 kernel; /* its identity: name and number of blocks; 0: none */
    double share[LINK_MOST_SOCKETS];
};

#define GPU_DEVICE_MOST_KERNELS 4096u /* under way at once */

struct gpu_device {
    struct gpu *gpus[LINK_MOST_SOCKETS];
    u32 count;
    struct sockets *sockets;           /* NULL: one GPU */
    struct gpu_device_kernel *kernels; /* in order of launch */
    u32 kernel_count, running;
    struct gpu_device_shares *shares; /* with blocks adaptive */
};

/* `on`: a cluster's name, or "": all sockets where there are some, else the first GPU. False: there
 * is none. The engine stops whenever a kernel ends. */
bool gpu_device_init(struct gpu_device *d, struct machine *m, const char *on);
/* False: a block does not fit on an SM, with the sentence. */
bool gpu_device_launch(struct gpu_device *d, const struct grid_source *source, u64 ticket,
                       struct err *err);
/* A kernel that has ended, taken away; false: none. Of several sub-kernels it is the last. */
bool gpu_device_take_ended(struct gpu_device *d, struct grid_run *out);
void gpu_device_place(struct gpu_device *d, u8 application, struct sm_range range);
void gpu_device_cut(struct gpu_device *d);
bool gpu_device_is_idle(const struct gpu_device *d);
/* The SM in which a step failed; NULL: none did. */
const struct sm *gpu_device_faulted(const struct gpu_device *d);
/* A copy or fill has written device memory. */
void gpu_device_copied(struct gpu_device *d, u64 to, u64 bytes);

#endif

/* What a GPU did for each program of a mix: counted by its parts, summed when somebody looks. */
#ifndef GPU_APPLICATION_H
#define GPU_APPLICATION_H

struct gpu;

/* Nothing where the machine runs no mix. */
void applications_build(struct gpu *g);
void applications_settle(struct gpu *g);

#endif

/* The stream of one warp while it is recorded; used for one block after the other. */
#ifndef SOURCE_RECORDING_WARP_WRITER_H
#define SOURCE_RECORDING_WARP_WRITER_H

#include "source/recording/access.h"

struct warp_writer {
    struct bytes out;
    struct access_slot *slots; /* by instruction */
    struct access_history history;
    u32 slot_count;
    u32 index; /* of the last instruction; UINT32_MAX: none yet */
    u32 run;   /* steps with nothing to say that are not yet in `out` */
    u32 mask, mask_before, whole;
    struct winst put_off; /* the last step, if it takes place later */
};

void warp_writer_start(struct warp_writer *w, u32 lanes);
/* `index` of its instruction; what the step needed, or none. */
void warp_writer_step(struct warp_writer *w, u32 index, const struct winst *x,
                      const struct need *needs, u32 need_count);
/* All that was noted is in w->out. */
void warp_writer_end(struct warp_writer *w);
void warp_writer_fini(struct warp_writer *w);

#endif

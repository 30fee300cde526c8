/*
 * A checkpoint: what a program's first launches did, so that a later run need not execute them.
 *
 *   log      in the order in which it happened: the launches, the copies, and what the host has
 * seen of the device since (the bytes that copies brought back, what launches changed in memory
 * that the host sees, what kernels printed) memory   every allocation of the device at the end, in
 * pieces; pieces of zeros take no room
 *   machine  of a run with timing: the state of the chip (run/machine_image.h), and what it is the
 *            state of
 *
 * The program's host part runs again when it is resumed: it gets from the log what it got before,
 * and every launch and copy is compared with the log, so a checkpoint of another program, input or
 * order of calls is noticed. The file is a container (base/container.h), whose pieces have
 * checksums.
 */
#ifndef RUN_CHECKPOINT_H
#define RUN_CHECKPOINT_H

#include "base/container.h"
#include "device/memory.h"
#include "run/machine_image.h"

enum checkpoint_event_kind {
    CHECKPOINT_LAUNCH,  /* id: of what is launched; data: the kernel's name */
    CHECKPOINT_PRINTED, /* data: by kernels, since the launch */
    CHECKPOINT_CHANGED, /* id: address; data: what memory that the host sees has there now */
    CHECKPOINT_COPY,    /* id: of the copy and of what it took from the host */
    CHECKPOINT_BYTES,   /* data: that the copy brought to the host, in the order of rows */
    CHECKPOINT_DONE,    /* with timing; id: number of the launch that ends; printed text and changes
                           follow */
    CHECKPOINT_TIME,    /* with timing; id: nanoseconds that an event of the host got */
    CHECKPOINT_END,     /* of the log */
};

struct checkpoint_event {
    enum checkpoint_event_kind kind;
    u64 id;
    const u8 *data; /* until the next event is read */
    size_t count;
};

/* Data of an event; larger ones are several events. */
#define CHECKPOINT_MOST_BYTES (4u << 20)

/* ---- saving ---- */

struct checkpoint_writer {
    struct container_writer file;
    struct bytes log;    /* that is not in the file yet */
    struct bytes pieces; /* where the log's are */
    u64 piece_count;
};

bool checkpoint_create(struct checkpoint_writer *w, const char *path, struct err *err);
void checkpoint_put(struct checkpoint_writer *w, enum checkpoint_event_kind kind, u64 id,
                    const void *data, size_t count);
/* Of a run with timing: what the state of its machine depends on, a line for each thing. */
struct checkpoint_machine {
    const char *identity;
    struct machine_image image;
};

/* Writes memory; the file gets its name. `launch`: the first that is not in the log. machine NULL:
 * a run without timing. */
bool checkpoint_finish(struct checkpoint_writer *w, const char *workload, u64 launch,
                       const struct device_memory *m, const struct checkpoint_machine *machine,
                       struct err *err);
void checkpoint_writer_fini(struct checkpoint_writer *w);

/* ---- resuming ---- */

struct checkpoint_allocation {
    u64 start, bytes;
    struct container_place *pieces; /* no packed bytes: zeros */
};

struct checkpoint {
    struct container file;
    const char *workload;
    u64 launch;
    struct container_place *log;
    u64 log_count, log_next;
    struct checkpoint_allocation *allocations;
    u64 allocation_count;
    const char *identity; /* of the machine; "": there is none */
    struct image_places machine;
    u8 *piece; /* of the log, unpacked */
    struct cursor at;
};

bool checkpoint_open(struct checkpoint *c, const char *path, struct err *err);
/* The next event of the log; CHECKPOINT_END behind the last. False: damaged. */
bool checkpoint_next(struct checkpoint *c, struct checkpoint_event *e, struct err *err);
/* Memory is as it was; false if its allocations are others. */
bool checkpoint_restore(struct checkpoint *c, struct device_memory *m, struct err *err);
void checkpoint_close(struct checkpoint *c);

#endif

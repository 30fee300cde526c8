/*
 * ChampSim's traces: an array of records without a header, plain or packed by xz or gzip.
 *
 * A record says the pc, whether the instruction is a branch and was taken, the registers it reads
 * and writes by Pin's numbers, and addresses. What it does not say is made up as ChampSim does, or
 * left out: the kind of a branch follows from its registers, its target is the pc of the next
 * record, lengths are differences of pcs where there is one, and an instruction with an address is
 * a load or a store. Sizes of accesses are not known.
 */
#ifndef CPU_TRACE_CHAMPSIM_H
#define CPU_TRACE_CHAMPSIM_H

#include "cpu_trace/stream.h"

/* Which of ChampSim's two records. */
enum champsim_kind {
    CHAMPSIM_STANDARD,
    CHAMPSIM_CLOUDSUITE, /* --cloudsuite */
    CHAMPSIM_KINDS,
};

bool champsim_stream(struct cpu_stream *s, const char *path, enum champsim_kind kind,
                     struct err *err);

struct champsim_writer;
/* Of one thread, standard records; packed as the name ends. NULL: see err. */
struct champsim_writer *champsim_create(const char *path, struct err *err);
void champsim_put(struct champsim_writer *w, const struct cpu_instruction *i);
/* Frees; False: there is no file, see err. */
bool champsim_finish(struct champsim_writer *w, struct err *err);
void champsim_discard(struct champsim_writer *w);

#endif

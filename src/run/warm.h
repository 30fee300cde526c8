/*
 * How much of a program runs before it counts.
 *
 * A program enters its window when it has done so much: CPU programs by the instructions that
 * one of their threads has retired, GPU programs by the launches that have ended. Statistics are of
 * what comes after (run/window.h).
 */
#ifndef RUN_WARM_H
#define RUN_WARM_H

#include "base/err.h"
#include "base/types.h"

struct yaml_node;

struct warm {
    u64 instructions;   /* of a thread of a CPU program */
    u64 launches;       /* of a GPU program */
    bool is_functional; /* CPU programs leave their traces in caches and predictors without time */
};

/* As an option has it: "instructions=1000000,launches=2", either or both, and how=functional or
 * how=detailed. */
bool warm_parse(struct warm *w, const char *text, struct src_pos at, struct err *err);
/* As a file has it: {instructions: 1000000, launches: 2}. */
bool warm_read(struct warm *w, const struct yaml_node *n, struct err *err);
/* What warm_parse reads back; at least 96 bytes. "": nothing. */
void warm_text(const struct warm *w, char *out, size_t size);
bool warm_is_asked(const struct warm *w);
/* Of a program that runs on agents of this kind. */
u64 warm_of(const struct warm *w, u8 agents);

#endif

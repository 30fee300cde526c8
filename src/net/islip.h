/*
 * Matches inputs that ask for outputs: iSLIP with one iteration (McKeown, "The
 * iSLIP scheduling algorithm for input-queued switches", ToN 1999).
 *
 * Each cycle the owner offers the outputs of its choice; an output goes to one
 * of the inputs that ask for it. Then every input that was offered some accepts
 * one. Both choose in turn, and a turn moves on only when an offer is accepted,
 * so that no request waits for ever.
 */
#ifndef NET_ISLIP_H
#define NET_ISLIP_H

#include "base/bitset.h"

struct islip_output {
    struct bitset requests; /* inputs that ask for it */
    u32 from;               /* the input whose turn it is */
};

struct islip_input {
    u32 offer; /* of the outputs offered to it in this cycle, the first in turn */
    u32 from;  /* the output whose turn it is */
};

struct islip {
    struct islip_input *inputs;
    struct islip_output *outputs;
    struct bitset wanted;  /* outputs that some input asks for */
    struct bitset offered; /* inputs that have an offer */
    u32 output_count;
};

static inline void islip_init(struct islip *s, struct arena *arena, u32 inputs, u32 outputs)
{
    s->output_count = outputs;
    s->inputs = ARENA_ARRAY(arena, struct islip_input, inputs);
    s->outputs = ARENA_ARRAY(arena, struct islip_output, outputs);
    for (u32 o = 0; o < outputs; o++)
        bitset_init(&s->outputs[o].requests, arena, inputs);
    bitset_init(&s->wanted, arena, outputs);
    bitset_init(&s->offered, arena, inputs);
}

static inline void islip_request(struct islip *s, u32 input, u32 output)
{
    bitset_add(&s->outputs[output].requests, input);
    bitset_add(&s->wanted, output);
}

static inline void islip_withdraw(struct islip *s, u32 input, u32 output)
{
    struct bitset *requests = &s->outputs[output].requests;
    bitset_remove(requests, input);
    if (bitset_is_empty(requests))
        bitset_remove(&s->wanted, output);
}

/* The input that the output would be offered to: at least one input must request it. */
static inline u32 islip_favourite(const struct islip *s, u32 output)
{
    const struct islip_output *out = &s->outputs[output];
    u32 input = bitset_next(&out->requests, out->from);
    return input < out->requests.bits ? input : bitset_next(&out->requests, 0);
}

/* How many outputs come before this one in the input's turn. */
static inline u32 islip_distance(const struct islip *s, const struct islip_input *in, u32 output)
{
    return output >= in->from ? output - in->from : output + s->output_count - in->from;
}

/* False: the input has several offers now, and will turn down this one or another. */
static inline bool islip_offer(struct islip *s, u32 output)
{
    u32 input = islip_favourite(s, output);
    struct islip_input *in = &s->inputs[input];
    if (!bitset_has(&s->offered, input)) {
        bitset_add(&s->offered, input);
        in->offer = output;
        return true;
    }
    if (islip_distance(s, in, output) < islip_distance(s, in, in->offer))
        in->offer = output;
    return false;
}

/* The input, one of s->offered, takes the output that is first in its turn. */
static inline u32 islip_accept(struct islip *s, u32 input)
{
    struct islip_input *in = &s->inputs[input];
    assert(bitset_has(&s->offered, input));
    bitset_remove(&s->offered, input);
    in->from = in->offer + 1;
    s->outputs[in->offer].from = input + 1;
    return in->offer;
}

#endif

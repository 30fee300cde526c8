#include "cpu/vector.h"

/* clang-format off */
const struct stat_def vector_stats[] = {
    S_COUNT(vector_counts, instructions, "instructions", "of scalable vectors, retired"),
    S_COUNT(vector_counts, lanes, "elements", "that accesses to memory could have had"),
    S_COUNT(vector_counts, active_lanes, "elements", "of those, active ones"),
    S_RATIO(vector_counts, activity, active_lanes, lanes, "active elements of all"),
    S_COUNT(vector_counts, loads, "instructions", "contiguous vector loads"),
    S_COUNT(vector_counts, load_words, "words", "of the bus that they moved"),
    S_COUNT(vector_counts, misalignment_stalls, "words", "of those, beyond the first of each load"),
    S_MEAN(vector_counts, words_per_load, load_words, loads, "words/load", "words of the bus for each contiguous vector load"),
    S_COUNT(vector_counts, stores, "instructions", "contiguous vector stores"),
    S_COUNT(vector_counts, store_words, "words", "of the bus that they moved"),
    S_COUNT(vector_counts, store_stalls, "words", "of those, beyond the first of each store"),
    S_COUNT(vector_counts, elements, "elements", "of gathers and scatters"),
    S_COUNT(vector_counts, merged_elements, "elements", "of gathers, in the line of the element before"),
    S_COUNT(vector_counts, register_stalls, "cycles", "in which dispatch waited for a long register"),
    S_LAW(words, "load_words == loads + misalignment_stalls", "a load moves a word, and those that it spills into"),
    S_LAW(lanes, "active_lanes <= lanes", "no more elements are active than there are"),
    S_END,
};
/* clang-format on */

static u64 words_of(const struct core_vector *v, u64 address, u32 bytes)
{
    return (address + bytes - 1) / v->bus_bytes - address / v->bus_bytes + 1;
}

void vector_dispatch(struct core_vector *v, const struct cpu_instruction *i)
{
    v->registers_in_flight += i->vector->registers;
}

void vector_retire(struct core_vector *v, const struct cpu_instruction *i)
{
    struct vector_counts *n = &v->counts;
    n->instructions++;
    n->lanes += i->vector->lanes;
    n->active_lanes += i->vector->active_lanes;
    n->elements += i->vector->count;
    v->registers_in_flight -= i->vector->registers;
    for (u32 k = 0; k < i->read_count; k++) {
        u64 words = words_of(v, i->read[k], i->read_bytes[k]);
        n->loads++;
        n->load_words += words;
        n->misalignment_stalls += words - 1;
    }
    for (u32 k = 0; k < i->write_count; k++) {
        u64 words = words_of(v, i->write[k], i->write_bytes[k]);
        n->stores++;
        n->store_words += words;
        n->store_stalls += words - 1;
    }
}

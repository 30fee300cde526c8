#include "cpu/vector.h"

/* clang-format off */
const struct stat_def vector_stats[] = {
    S_COUNT(vector_counts, instructions, "instructions", "vector instructions retired"),
    S_COUNT(vector_counts, lanes, "elements", "elements that vector memory accesses could have had"),
    S_COUNT(vector_counts, active_lanes, "elements", "active elements of vector memory accesses"),
    S_RATIO(vector_counts, activity, active_lanes, lanes, "share of active elements in vector memory accesses"),
    S_COUNT(vector_counts, loads, "instructions", "contiguous vector loads"),
    S_COUNT(vector_counts, load_words, "words", "bus words moved by contiguous vector loads"),
    S_COUNT(vector_counts, misalignment_stalls, "words", "additional bus words of contiguous vector loads, beyond one each"),
    S_MEAN(vector_counts, words_per_load, load_words, loads, "words/load", "bus words per contiguous vector load"),
    S_COUNT(vector_counts, stores, "instructions", "contiguous vector stores"),
    S_COUNT(vector_counts, store_words, "words", "bus words moved by contiguous vector stores"),
    S_COUNT(vector_counts, store_stalls, "words", "additional bus words of contiguous vector stores, beyond one each"),
    S_COUNT(vector_counts, elements, "elements", "elements of gathers and scatters"),
    S_COUNT(vector_counts, merged_elements, "elements", "elements of gathers in the same line as the previous element"),
    S_COUNT(vector_counts, register_stalls, "cycles", "cycles in which dispatch waited for a vector register"),
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

/* Functions of an ELF file that have names, where the guest has mapped it. */
#ifndef CPU_TRACE_RECORD_SYMBOLS_H
#define CPU_TRACE_RECORD_SYMBOLS_H

#include "base/arena.h"

/* A piece of a file in the guest's memory. */
struct guest_map {
    u64 begin, end, offset;
    const char *file;
};

struct function {
    u64 begin, end; /* in the guest's memory */
    const char *name;
};

/* Those that lie in the map and whose name is wanted, into the arena; returns how many. A file that
 * cannot be read has none. */
u32 symbols_read(const struct guest_map *map, bool (*is_wanted)(const char *name),
                 struct function **functions, struct arena *arena);

#endif

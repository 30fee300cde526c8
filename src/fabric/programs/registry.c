#include "fabric/program.h"

#include <string.h>

/* One line per program. */
#define PROGRAMS(X) X(spgemm) X(gemv) X(tilesort) X(jacobi) X(axpy)

#define DECLARE(name) extern const struct fabric_program_ops fabric_program_##name;
PROGRAMS(DECLARE)

#define POINTER(name) &fabric_program_##name,
const struct fabric_program_ops *const fabric_programs[] = {PROGRAMS(POINTER) NULL};

const struct fabric_program_ops *fabric_program_find(const char *name)
{
    for (const struct fabric_program_ops *const *p = fabric_programs; *p; p++) {
        if (strcmp((*p)->name, name) == 0)
            return *p;
    }
    return NULL;
}

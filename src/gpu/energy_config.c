#include "gpu/energy_config.h"

#include "config/config.h"

#include <assert.h>

const char *const energy_technologies[] = {"40nm", "28nm", "12nm", "7nm", NULL};
static_assert(ARRAY_LEN(energy_technologies) == TECHNOLOGIES + 1, "one name each");

#define SEE "docs/mechanisms/energy.md"

/* clang-format off */
#define ROW(label, field, index, most, units, text)                                                 \
    {.name = label, .type = PARAM_DOUBLE,                                                           \
     .offset = (u32)(offsetof(struct energy_config, field) + (index) * sizeof(double)),             \
     .initial_f = -1, .lo_f = -1, .hi_f = (most), .unit = units, .meaning = text, .source = SEE},
#define EVENT_ROW(id, name, unit, meaning) ROW(#name "_pj", pj, ENERGY_##id, 1e9, "pJ", meaning "; counted in " unit " (-1: as the technology says)")
#define STATIC_ROW(id, name, unit, meaning) ROW(#name "_static_w", watts, STATIC_##id, 1e6, "W", meaning "; counted in " unit " (-1: as the technology says)")

const struct param energy_params[] = {
    P_CHOICE(energy_config, technology, TECHNOLOGY_40NM, energy_technologies, "the table of energies that holds where no value is given", "GTX 480: 40 nm"),
    P_DOUBLE(energy_config, register_words, 3, 0, 100, "words", "registers that a thread instruction reads and writes", "assumed: two operands, one result"),
    ENERGY_EVENT_LIST(EVENT_ROW)
    ENERGY_STATIC_LIST(STATIC_ROW)
    P_END,
};
/* clang-format on */

bool energy_check(const void *group, const struct config *config, struct err *err)
{
    for (const struct param *p = energy_params; p->type != PARAM_END; p++) {
        const double *field = (const void *)((const char *)group + p->offset);
        if (p->type == PARAM_DOUBLE && *field < 0 && *field > -1)
            return err_at(err, config_pos(config, field),
                          "energy.%s is %g, expected -1 or at least 0", p->name, *field);
    }
    return true;
}

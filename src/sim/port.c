#include "sim/port.h"

#include <string.h>

void port_init(struct port *p, struct engine *e, const char *name, u32 capacity)
{
    u32 slots = 1;
    while (slots < capacity)
        slots *= 2;
    *p = (struct port){
        .engine = e,
        .name = name,
        .producer = UNIT_NONE,
        .consumer = UNIT_NONE,
        .slots = ARENA_ARRAY(e->arena, u32, slots),
        .mask = slots - 1,
        .capacity = capacity,
        .push_fs = UINT64_MAX,
        .pop_fs = UINT64_MAX,
    };
    if (e->port_count == e->port_room) {
        e->port_room = e->port_room ? e->port_room * 2 : 64;
        struct port **more = ARENA_ARRAY(e->arena, struct port *, e->port_room);
        if (e->port_count)
            memcpy(more, e->ports, e->port_count * sizeof *more);
        e->ports = more;
    }
    e->ports[e->port_count++] = p;
}

void port_connect(struct port *p, unit_id producer, unit_id consumer)
{
    p->producer = producer;
    p->consumer = consumer;
}

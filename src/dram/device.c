#include "dram/device.h"

static void not_before(cycle_t *at, cycle_t cycle)
{
    *at = max_u64(*at, cycle);
}

void device_init(struct dram_device *d, const struct dram_timing *t)
{
    *d = (struct dram_device){.timing = t};
    u32 banks_per_group = t->config.banks / t->config.bank_groups;
    for (u32 i = 0; i < t->config.banks; i++)
        d->banks[i].group = i / banks_per_group;
}

void device_activate(struct dram_device *d, cycle_t now, u32 bank, u64 row)
{
    const struct dram_config *c = &d->timing->config;
    struct dram_bank *b = &d->banks[bank];
    assert(!device_is_open(d, bank) && now >= device_activate_at(d, bank));
    d->open |= 1ull << bank;
    b->row = row;
    not_before(&b->column_at, now + c->rcd);
    not_before(&b->precharge_at, now + c->ras);
    not_before(&b->activate_at, now + c->rc);
    not_before(&d->refresh_at, now + c->rc);
    not_before(&d->groups[b->group].activate_at, now + c->rrdl);
    not_before(&d->activate_at, now + c->rrd);
    d->window_at[d->window] = now + c->faw;
    d->window = (d->window + 1) % DRAM_FAW_ACTIVATES;
}

void device_precharge(struct dram_device *d, cycle_t now, u32 bank)
{
    assert(device_is_open(d, bank) && now >= device_precharge_at(d, bank));
    d->open &= ~(1ull << bank);
    not_before(&d->banks[bank].activate_at, now + d->timing->config.rp);
    not_before(&d->refresh_at, now + d->timing->config.rp);
}

/* Column to column, whatever the direction. */
static void use_bus(struct dram_device *d, cycle_t now, struct dram_group *g)
{
    const struct dram_config *c = &d->timing->config;
    not_before(&d->read_at, now + c->ccd);
    not_before(&d->write_at, now + c->ccd);
    not_before(&g->read_at, now + c->ccdl);
    not_before(&g->write_at, now + c->ccdl);
}

void device_read(struct dram_device *d, cycle_t now, u32 bank)
{
    struct dram_bank *b = &d->banks[bank];
    assert(device_is_open(d, bank) && now >= device_column_at(d, bank, false));
    use_bus(d, now, &d->groups[b->group]);
    not_before(&d->write_at, now + d->timing->config.rtw);
    not_before(&b->precharge_at, now + d->timing->config.rtpl);
}

void device_write(struct dram_device *d, cycle_t now, u32 bank)
{
    struct dram_bank *b = &d->banks[bank];
    assert(device_is_open(d, bank) && now >= device_column_at(d, bank, true));
    use_bus(d, now, &d->groups[b->group]);
    not_before(&d->read_at, now + d->timing->write_to_read);
    not_before(&d->groups[b->group].read_at, now + d->timing->write_to_read_group);
    not_before(&b->precharge_at, now + d->timing->write_to_precharge);
}

void device_close_all(struct dram_device *d)
{
    d->open = 0;
}

void device_refresh(struct dram_device *d, cycle_t now)
{
    assert(d->open == 0 && now >= d->refresh_at);
    not_before(&d->activate_at, now + d->timing->config.rfc);
    not_before(&d->refresh_at, now + d->timing->config.rfc);
}

/*
 * The DRAM chips of one channel: which rows are open, and when each command is legal.
 *
 * The device never decides anything. It answers "not before which cycle" and is told
 * what was issued; every rule of the timing table is in device.c and nowhere else.
 */
#ifndef DRAM_DEVICE_H
#define DRAM_DEVICE_H

#include "dram/config.h"

#include <assert.h>

enum dram_command {
    DRAM_ACTIVATE,
    DRAM_PRECHARGE,
    DRAM_READ,
    DRAM_WRITE,
    DRAM_REFRESH,
    DRAM_IDLE_REFRESHES, /* so many (as row), while there was nothing to do; told when there is */
};

#define DRAM_FAW_ACTIVATES 4u

struct dram_bank {
    u64 row; /* while open */
    cycle_t activate_at, column_at, precharge_at;
    u32 group;
};

struct dram_group {
    cycle_t activate_at, read_at, write_at;
};

struct dram_device {
    const struct dram_timing *timing;
    u64 open; /* bit per bank */
    cycle_t activate_at, read_at, write_at, refresh_at;
    cycle_t window_at[DRAM_FAW_ACTIVATES]; /* ends of the windows of the last activates */
    u32 window;                            /* the oldest of them */
    struct dram_bank banks[DRAM_MAX_BANKS];
    struct dram_group groups[DRAM_MAX_BANKS];
};

void device_init(struct dram_device *d, const struct dram_timing *t);

void device_activate(struct dram_device *d, cycle_t now, u32 bank, u64 row);
void device_precharge(struct dram_device *d, cycle_t now, u32 bank);
void device_read(struct dram_device *d, cycle_t now, u32 bank);
void device_write(struct dram_device *d, cycle_t now, u32 bank);
void device_refresh(struct dram_device *d, cycle_t now);
/* All rows were closed some time ago. */
void device_close_all(struct dram_device *d);

static inline bool device_is_open(const struct dram_device *d, u32 bank)
{
    return d->open >> bank & 1;
}

static inline bool device_has_row(const struct dram_device *d, u32 bank, u64 row)
{
    return device_is_open(d, bank) && d->banks[bank].row == row;
}

/* The first cycle in which the timing allows the command; it may be long past. */
static inline cycle_t device_any_activate_at(const struct dram_device *d)
{
    return max_u64(d->activate_at, d->window_at[d->window]);
}

static inline cycle_t device_activate_at(const struct dram_device *d, u32 bank)
{
    const struct dram_bank *b = &d->banks[bank];
    return max_u64(max_u64(b->activate_at, d->groups[b->group].activate_at),
                   device_any_activate_at(d));
}

static inline cycle_t device_precharge_at(const struct dram_device *d, u32 bank)
{
    return d->banks[bank].precharge_at;
}

static inline cycle_t device_column_at(const struct dram_device *d, u32 bank, bool is_write)
{
    const struct dram_bank *b = &d->banks[bank];
    const struct dram_group *g = &d->groups[b->group];
    return is_write ? max_u64(b->column_at, max_u64(g->write_at, d->write_at))
                    : max_u64(b->column_at, max_u64(g->read_at, d->read_at));
}

/* All banks are closed. */
static inline cycle_t device_refresh_at(const struct dram_device *d)
{
    return d->refresh_at;
}

#endif

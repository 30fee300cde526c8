/*
 * The parameters of DRAM, the presets behind them, and the resolved values that
 * a channel uses.
 *
 * A chip names a preset and overrides what it likes: 0 in a field means "as the
 * preset says", for every field whose default is 0. Times are in clocks of the
 * command clock; they do not follow clock_hz.
 */
#ifndef DRAM_CONFIG_H
#define DRAM_CONFIG_H

#include "config/param.h"

#define DRAM_MAX_BANKS 64u
#define DRAM_MAX_QUEUE 64u

enum dram_preset {
    DRAM_GDDR5,
    DRAM_GDDR6,
    DRAM_DDR3,
    DRAM_DDR4,
    DRAM_HBM2,
    DRAM_HBM3,
    DRAM_PRESETS,
};
enum dram_model {
    DRAM_TIMING,
    DRAM_FIXED,  /* the pipe in front is all there is: no banks, no bus */
    DRAM_SERVER, /* the pipe, and a bus that moves so many bytes a clock: no banks */
};
enum dram_page_policy { DRAM_OPEN_PAGE, DRAM_CLOSE_PAGE };

struct dram_config {
    u32 preset, model, page_policy; /* the enums above */
    const char *scheduler;
    u32 pipe_cycles;
    u32 queue_entries, return_entries;
    u32 low_bank_bits;
    bool hash_banks, refresh;
    /* below: 0 is as the preset says */
    u64 clock_hz;
    u32 channels, bus_bits, data_rate, burst_length, command_buses;
    u32 banks, bank_groups, row_bytes;
    u32 ccd, ccdl, rrd, rrdl, rcd, ras, rp, rc, cl, wl, cdlr, cdlrl, wr, rtpl, rtw, faw, refi, rfc;
};

extern const struct param dram_params[];
extern param_check dram_check;

/* Final numbers. In `config` every field has its value; 0 now means none: faw 0 no
 * limit on activates, refi 0 no refresh. */
struct dram_timing {
    struct dram_config config;
    u32 burst_bytes, burst_clocks;
    /* from the command that writes: to one that reads, here and in its bank group, and
     * to a precharge of its bank */
    u32 write_to_read, write_to_read_group, write_to_precharge;
    u32 read_done, write_done; /* from a column command to the end of its data */
};

/* The configuration has passed dram_check. */
void dram_resolve(const struct dram_config *c, struct dram_timing *t);

/* What the pins of all channels move at most. */
double dram_peak_bytes_per_second(const struct dram_timing *t);
/* The delay of pipe_cycles, which count core cycles, in command clocks; to the nearest. */
u32 dram_pipe_clocks(const struct dram_timing *t, u64 core_hz);

#endif

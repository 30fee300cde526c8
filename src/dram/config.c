#include "dram/config.h"

#include "config/config.h"

#include <string.h>

static const char *const preset_names[] = {"gddr5", "gddr6", "ddr3", "ddr4", "hbm2", "hbm3", NULL};
static const char *const model_names[] = {"timing", "fixed", "server", NULL};
static const char *const page_names[] = {"open", "close", NULL};

/* clang-format off */
#define PRESET "the preset; sources in src/dram/config.c"
#define CLOCKS(field, hi, text) P_U32(dram_config, field, 0, 0, hi, "clocks", text " (0: preset)", PRESET)
#define NUMBER(field, hi, unit, text) P_U32(dram_config, field, 0, 0, hi, unit, text " (0: preset)", PRESET)

const struct param dram_params[] = {
    P_CHOICE(dram_config, preset, DRAM_GDDR5, preset_names, "kind of memory; sets every field that is 0", "GTX 480"),
    P_CHOICE(dram_config, model, DRAM_TIMING, model_names, "commands with their timing; a constant pipe_cycles without bank or bus limits; or with the bus alone", "bandwidth-and-ccn spec S2"),
    P_STRING(dram_config, scheduler, "fr_fcfs", "which request is served next", "GTX 480"),
    P_CHOICE(dram_config, page_policy, DRAM_OPEN_PAGE, page_names, "a row without requests stays open, or is closed", "GPGPU-Sim v3.2.2"),
    P_U32(dram_config, pipe_cycles, 100, 0, 100000, "core cycles", "fixed delay in front of the scheduler queue", "GTX 480, uncongested latency"),
    P_U32(dram_config, queue_entries, 16, 1, DRAM_MAX_QUEUE, "requests", "scheduler queue of a channel", "GTX 480"),
    P_U32(dram_config, return_entries, 116, 1, 4096, "requests", "return queue of a channel", "GPGPU-Sim v3.2.2"),
    P_U32(dram_config, low_bank_bits, 1, 0, 6, "bits", "bank bits directly above the channel interleave", "GPGPU-Sim v3.2.2, GTX 480"),
    P_BOOL(dram_config, hash_banks, false, "bank number XOR low row bits", "GPGPU-Sim v3.2.2"),
    P_BOOL(dram_config, refresh, true, "false: never, whatever refi says", "assumed"),
    P_U64(dram_config, clock_hz, 0, 0, 100000000000, "Hz", "command clock (0: preset)", PRESET),
    NUMBER(channels, 256, "channels", "independent channels"),
    NUMBER(bus_bits, 4096, "bits", "data bus of one channel"),
    NUMBER(data_rate, 64, "beats", "beats per command clock"),
    NUMBER(burst_length, 256, "beats", "one burst"),
    NUMBER(command_buses, 2, "buses", "1: one command per clock; 2: also a row command beside a column command"),
    NUMBER(banks, DRAM_MAX_BANKS, "banks", "banks of a channel"),
    NUMBER(bank_groups, DRAM_MAX_BANKS, "groups", "bank groups of a channel"),
    NUMBER(row_bytes, 1048576, "bytes", "one row, over all chips of a channel"),
    CLOCKS(ccd, 1000, "column to column, at least a burst"),
    CLOCKS(ccdl, 1000, "column to column in a bank group, at least ccd"),
    CLOCKS(rrd, 1000, "activate to activate"),
    CLOCKS(rrdl, 1000, "activate to activate in a bank group, at least rrd"),
    CLOCKS(rcd, 1000, "activate to column"),
    CLOCKS(ras, 1000, "activate to precharge"),
    CLOCKS(rp, 1000, "precharge to activate"),
    CLOCKS(rc, 1000, "activate to activate of a bank"),
    CLOCKS(cl, 1000, "read to data"),
    CLOCKS(wl, 1000, "write to data"),
    CLOCKS(cdlr, 1000, "end of written data to read"),
    CLOCKS(cdlrl, 1000, "end of written data to read in a bank group, at least cdlr"),
    CLOCKS(wr, 1000, "end of written data to precharge"),
    CLOCKS(rtpl, 1000, "read to precharge"),
    CLOCKS(rtw, 1000, "read to write, at least until the bus is free; derived if the preset has none"),
    CLOCKS(faw, 1000, "window of at most four activates; 1 sets no limit"),
    CLOCKS(refi, 10000000, "refresh to refresh"),
    CLOCKS(rfc, 100000, "refresh to activate"),
    P_END,
};

/*
 * Where the numbers come from.
 *
 * gddr5  The GTX 480 of the bandwidth-and-ccn spec: timing from thesis table 3.1; bank
 *        groups, ccdl, rtpl and the 4:1 data clock from GPGPU-Sim v3.2.2's GTX480 file.
 *        Neither has rrdl, a second cdlr, a four-activate window or refresh.
 * gddr6  14 Gb/s parts as on an RTX 2060: 1.75 GHz clock, 8 beats per clock, 16-bit channels,
 *        12 of them. Times: Ramulator 2 GDDR6_2000_1350mV (tCK 570 ps, after Samsung's 8 Gb
 *        part); ccd and ccdl there count clocks of 4 beats, here of 8, hence half.
 *        rfc is its nRFC. Row 2 KB: x16, 1024 columns.
 * ddr3   DRAMsim3 DDR3_4Gb_x8_1600: a 64-bit DIMM of x8 chips, 11-11-11.
 * ddr4   DRAMsim3 DDR4_8Gb_x8_3200: a 64-bit DIMM of x8 chips, 22-22-22.
 * hbm2   V100 of GPGPU-Sim 4, SM7_QV100: 32 channels of 128 bits, burst 2, times for 850 MHz
 *        after JESD235 and Chatterjee et al., HPCA 2017; rows of 2 KB; two command buses. No rrdl,
 *        second cdlr and refresh there: DRAMsim3 HBM2_8Gb_x128 (rrdl 6, cdlrl 8 - 6 + cdlr,
 *        refi 3900, rfc 260 at 1 GHz); nor faw: Ramulator 2 HBM2_2Gbps (15 at 1 GHz).
 * hbm3   Ramulator 2 HBM3_6400Mbps with HBM3_16Gb: pseudo-channels of 32 bits, burst 8, 1.6 GHz;
 *        rrd 5 ns, faw 15 ns, refi 3.9 us, rfc 450 ns; 6 stacks of 32, as on an H200.
 *
 * JEDEC has a shorter rcd for writes in GDDR and HBM; one rcd serves both here, as in table 3.1.
 * Channel counts of ddr3 and ddr4 are those of a desktop.
 */
static const struct dram_config presets[DRAM_PRESETS] = {
    [DRAM_GDDR5] = {
        .clock_hz = 924000000, .channels = 6, .bus_bits = 64, .data_rate = 4, .burst_length = 8,
        .command_buses = 1, .banks = 16, .bank_groups = 4, .row_bytes = 4096,
        .ccd = 2, .ccdl = 3, .rrd = 6, .rrdl = 6, .rcd = 12, .ras = 28, .rp = 12, .rc = 40,
        .cl = 12, .wl = 4, .cdlr = 5, .cdlrl = 5, .wr = 12, .rtpl = 2,
    },
    [DRAM_GDDR6] = {
        .clock_hz = 1750000000, .channels = 12, .bus_bits = 16, .data_rate = 8, .burst_length = 16,
        .command_buses = 1, .banks = 16, .bank_groups = 4, .row_bytes = 2048,
        .ccd = 2, .ccdl = 3, .rrd = 7, .rrdl = 7, .rcd = 26, .ras = 53, .rp = 26, .rc = 79,
        .cl = 24, .wl = 6, .cdlr = 9, .cdlrl = 11, .wr = 26, .rtpl = 4, .faw = 28,
        .refi = 3333, .rfc = 210,
    },
    [DRAM_DDR3] = {
        .clock_hz = 800000000, .channels = 2, .bus_bits = 64, .data_rate = 2, .burst_length = 8,
        .command_buses = 1, .banks = 8, .bank_groups = 1, .row_bytes = 8192,
        .ccd = 4, .ccdl = 4, .rrd = 5, .rrdl = 5, .rcd = 11, .ras = 28, .rp = 11, .rc = 39,
        .cl = 11, .wl = 8, .cdlr = 6, .cdlrl = 6, .wr = 12, .rtpl = 6, .faw = 24,
        .refi = 6240, .rfc = 208,
    },
    [DRAM_DDR4] = {
        .clock_hz = 1600000000, .channels = 2, .bus_bits = 64, .data_rate = 2, .burst_length = 8,
        .command_buses = 1, .banks = 16, .bank_groups = 4, .row_bytes = 8192,
        .ccd = 4, .ccdl = 8, .rrd = 4, .rrdl = 8, .rcd = 22, .ras = 52, .rp = 22, .rc = 74,
        .cl = 22, .wl = 16, .cdlr = 4, .cdlrl = 12, .wr = 24, .rtpl = 12, .faw = 34,
        .refi = 12480, .rfc = 560,
    },
    [DRAM_HBM2] = {
        .clock_hz = 850000000, .channels = 32, .bus_bits = 128, .data_rate = 2, .burst_length = 2,
        .command_buses = 2, .banks = 16, .bank_groups = 4, .row_bytes = 2048,
        .ccd = 1, .ccdl = 2, .rrd = 3, .rrdl = 5, .rcd = 12, .ras = 28, .rp = 12, .rc = 40,
        .cl = 12, .wl = 2, .cdlr = 3, .cdlrl = 5, .wr = 10, .rtpl = 3, .faw = 13,
        .refi = 3315, .rfc = 221,
    },
    [DRAM_HBM3] = {
        .clock_hz = 1600000000, .channels = 192, .bus_bits = 32, .data_rate = 4, .burst_length = 8,
        .command_buses = 2, .banks = 16, .bank_groups = 4, .row_bytes = 1024,
        .ccd = 2, .ccdl = 4, .rrd = 8, .rrdl = 8, .rcd = 26, .ras = 48, .rp = 26, .rc = 74,
        .cl = 26, .wl = 8, .cdlr = 8, .cdlrl = 12, .wr = 24, .rtpl = 6, .faw = 24,
        .refi = 6240, .rfc = 720,
    },
};
/* clang-format on */

/* Rows with default 0 are the fields that a preset sets. */
static void fill_from_preset(struct dram_config *c)
{
    const struct dram_config *preset = &presets[c->preset];
    for (const struct param *p = dram_params; p->type != PARAM_END; p++) {
        size_t bytes = p->type == PARAM_U64 ? sizeof(u64) : sizeof(u32);
        u64 value = 0;
        if (p->initial != 0 || (p->type != PARAM_U32 && p->type != PARAM_U64))
            continue;
        memcpy(&value, (const char *)c + p->offset, bytes);
        if (value == 0)
            memcpy((char *)c + p->offset, (const char *)preset + p->offset, bytes);
    }
}

static u32 at_least(u32 value, u32 floor)
{
    return value < floor ? floor : value;
}

void dram_resolve(const struct dram_config *given, struct dram_timing *t)
{
    *t = (struct dram_timing){.config = *given};
    struct dram_config *c = &t->config;
    fill_from_preset(c);
    t->burst_bytes = c->bus_bits / 8 * c->burst_length;
    t->burst_clocks = (c->burst_length + c->data_rate - 1) / c->data_rate;
    t->read_done = c->cl + t->burst_clocks;
    t->write_done = c->wl + t->burst_clocks;
    c->ccd = at_least(c->ccd, t->burst_clocks);
    c->ccdl = at_least(c->ccdl, c->ccd);
    c->rrdl = at_least(c->rrdl, c->rrd);
    c->cdlrl = at_least(c->cdlrl, c->cdlr);
    /* two clocks to turn the bus around: GPGPU-Sim v3.2.2 */
    if (c->rtw == 0)
        c->rtw = at_least(t->read_done + 2, c->wl) - c->wl;
    c->rtw = at_least(c->rtw, at_least(at_least(t->read_done, c->wl) - c->wl, c->ccd));
    t->write_to_read = t->write_done + c->cdlr;
    t->write_to_read_group = t->write_done + c->cdlrl;
    t->write_to_precharge = t->write_done + c->wr;
    if (!c->refresh)
        c->refi = 0;
    c->refresh = c->refi != 0;
}

static bool is_power_of_two(u32 x)
{
    return x != 0 && (x & (x - 1)) == 0;
}

/* The values that count are the resolved ones; each message points at the field given. */
bool dram_check(const void *group, const struct config *config, struct err *err)
{
    const struct dram_config *given = group;
    struct dram_timing t;
    dram_resolve(given, &t);
    const struct dram_config *c = &t.config;
    if (!is_power_of_two(c->banks))
        return err_at(err, config_pos(config, &given->banks),
                      "banks is %u, expected a power of two", c->banks);
    if (c->banks % c->bank_groups != 0)
        return err_at(err, config_pos(config, &given->bank_groups),
                      "bank_groups is %u, expected a divisor of banks = %u", c->bank_groups,
                      c->banks);
    if (1u << c->low_bank_bits > c->banks)
        return err_at(err, config_pos(config, &given->low_bank_bits),
                      "low_bank_bits is %u, expected no more bits than %u banks have",
                      c->low_bank_bits, c->banks);
    if (!is_power_of_two(c->row_bytes) || c->row_bytes < 256)
        return err_at(err, config_pos(config, &given->row_bytes),
                      "row_bytes is %u, expected a power of two of at least 256", c->row_bytes);
    if (c->bus_bits % 8 != 0)
        return err_at(err, config_pos(config, &given->bus_bits),
                      "bus_bits is %u, expected a multiple of 8", c->bus_bits);
    u32 refresh_clocks = c->rfc + c->rc + t.write_to_precharge + c->banks;
    if (c->refi != 0 && c->refi < 2 * refresh_clocks)
        return err_at(err, config_pos(config, &given->refi),
                      "refi is %u, expected at least twice the %u clocks that a refresh may take",
                      c->refi, refresh_clocks);
    return true;
}

double dram_peak_bytes_per_second(const struct dram_timing *t)
{
    const struct dram_config *c = &t->config;
    return (double)c->clock_hz * c->channels * c->data_rate * (c->bus_bits / 8.0);
}

u32 dram_pipe_clocks(const struct dram_timing *t, u64 core_hz)
{
    u128 clocks = ((u128)t->config.pipe_cycles * t->config.clock_hz + core_hz / 2) / core_hz;
    return clocks < UINT32_MAX ? (u32)clocks : UINT32_MAX;
}

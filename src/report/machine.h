/*
 * What a run's chip can do at most, from the configuration in its result file.
 *
 * The parameter tables of the model read the values back, so presets and units
 * mean here what they meant in the run. All peaks are 0 for a chip that is no GPU.
 */
#ifndef REPORT_MACHINE_H
#define REPORT_MACHINE_H

#include "report/result.h"

struct machine {
    bool is_gpu;
    u32 sms, schedulers, l2_banks, channels;
    double clock_hz, l2_port_bytes;
    double peak_issue;                                   /* warp instructions per cycle */
    double peak_threads;                                 /* thread instructions per second */
    double peak_l1_lookups;                              /* per core cycle */
    double peak_l2, peak_request, peak_reply, peak_dram; /* bytes per second */
};

void machine_of(const struct result *r, struct machine *m);

/* Where the tables say a parameter comes from, its unit and meaning; NULL: not known. */
struct param;
const struct param *machine_param(const char *model, const char *path);

#endif

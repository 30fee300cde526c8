/* What is measured alike on apu46 and apu46-mesh. */
#ifndef MACHINE_APU_H
#define MACHINE_APU_H

#include "machine/bed.h"

/* Four banks of 1024 sets, for four CPU cores and six GPU cores. */
static void check_llc(const struct run *run)
{
    const struct memory_system *m = ((struct machine *)run->machine)->memories;
    assert_int_equal(m->bank_count, 4);
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(m->banks[i].cache.tags.sets, 1024);
    assert_int_equal(m->agents, 10);
}

/* 48 warps of 8 x 250 instructions without memory accesses on each GPU core. */
static double cpi_without_memory(const char *chip)
{
    static const struct scripted_instruction code[] = {INDEPENDENT};
    struct run run;
    run_kernel(&run, chip, &KERNEL(code, 192, .blocks = 48, .iterations = 250), false, NULL);
    assert_int_equal(stat(&run, "gpu.sm.warp_instructions"), 48 * 6 * 8 * 250);
    double cpi = (double)kernel_cycles(&run) / (stat(&run, "gpu.sm.warp_instructions") / 6);
    run_close(&run);
    return cpi;
}

/* Bytes a second of 12 MB of lines that nobody has; the run stays open. */
static double rate_of_reads(struct run *run, const char *chip)
{
    static const struct scripted_instruction code[] = {
        LOAD(1, 0x10000, .warp_stride = 128, .block_stride = 1024, .iteration_stride = 589824),
        LOAD(2, 0x4000000, .warp_stride = 128, .block_stride = 1024, .iteration_stride = 589824),
    };
    run_kernel(run, chip, &KERNEL(code, 256, .blocks = 576, .iterations = 10), false, NULL);
    double bytes = stat(run, "dram.bytes_read");
    assert_in_range(bytes, 2 * 10 * 576 * 1024, 2 * 10 * 576 * 1024 + 1024); /* and code */
    return bytes / ((double)kernel_cycles(run) / 1.5e9);
}

static void run_program(struct run *run, const char *chip, const char *program, bool no_skip,
                        const char *const *sets)
{
    struct err err = ERR_INIT;
    open_run(run, chip, program, no_skip, sets);
    if (!run_execute(run, &err))
        bed_fail(&err);
}

#endif

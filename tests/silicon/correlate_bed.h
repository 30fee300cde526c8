/*
 * Six measured launches of three programs, and what a database says of simulated ones, by hand.
 *
 *   program half kernel   launch  silicon  simulated   error
 *   bfs     test expand   0         10000      12000    +20 %
 *                expand   1         20000      15000    -25 %
 *                advance  2          3000       9999    does not count: silicon below 5000
 *   matmul  test tiled    0          8000       9600    +20 %
 *                tail     1         40000      44000    +10 %
 *   atax    tune product  0          6000       9000    +50 %
 *
 * 500 of the simulated cycles are the chip's launch.cycles.
 */
#ifndef SILICON_CORRELATE_BED_H
#define SILICON_CORRELATE_BED_H

#include "campaign/bed.h"

#include "silicon/correlate.h"

#include <unistd.h>

#define LAUNCH_CYCLES "launch.cycles=500"

static const char measured[] =
    "workload,size,launch,kernel,grid,block,cycles,active_cycles_max,warp_insts,occupancy_pct,"
    "ld_sectors,ld_sector_hits,l2_rd_sectors,l2_rd_hits,dram_rd_bytes,dram_wr_bytes\n"
    "bfs,tiny,0,expand,4x1x1,64x1x1,10000,8000,100,40,2000,1000,4000,3000,8000000,0\n"
    "bfs,tiny,1,expand,4x1x1,64x1x1,20000,18000,100,40,500,1,4000,3000,1000,0\n"
    "bfs,tiny,2,advance,4x1x1,64x1x1,3000,100,100,40,2000,0,0,0,0,0\n"
    "matmul,tiny,0,tiled,2x2x1,16x16x1,8000,7000,100,40,0,0,0,0,0,0\n"
    "matmul,tiny,1,tail,1x1x1,32x1x1,40000,39000,100,40,0,0,0,0,0,0\n"
    "atax,tiny,0,product,1x1x1,32x1x1,6000,5000,100,40,0,0,0,0,0,0\n";

/* What one simulated launch has; the rest of its columns is 0. */
struct simulated_row {
    const char *program;
    int number;
    const char *name;
    int blocks, threads, cycles, instructions, sectors, missed, read, written;
};

static const struct simulated_row simulated_rows[] = {
    {"bfs", 0, "expand", 4, 64, 12000, 150, 2000, 800, 12000000, 4000000},
    {"bfs", 1, "expand", 4, 64, 15000, 150, 2000, 800, 1000, 0},
    {"bfs", 2, "advance", 4, 64, 9999, 150, 2000, 0, 0, 0},
    {"matmul", 0, "tiled", 4, 256, 9600, 80, 0, 0, 0, 0},
    {"matmul", 1, "tail", 1, 32, 44000, 80, 0, 0, 20000000, 0},
    {"atax", 0, "product", 1, 32, 9000, 100, 0, 0, 0, 0},
};

struct correlate_bed {
    struct arena arena;
    char folder[64];
    struct correlate c;
    struct plan *plan;
    struct db db;
    struct correlate_result r;
    struct err err;
    char message[1600];
};

static inline const char *bed_message(struct correlate_bed *b)
{
    b->message[0] = '\0';
    if (b->err.kind != ERR_NONE)
        err_text(&b->err, b->message, sizeof b->message);
    return b->message;
}

/* The table as text, opened; request: what else is asked. */
static inline bool correlate_bed_open(struct correlate_bed *b, const char *table,
                                      struct correlate_request request)
{
    static const char *const bundled[] = {"atax", "bfs", "matmul", "vecadd"};
    struct study_host host = {
        .chip_folders = testing_chips(), .bundled = bundled, .bundled_count = ARRAY_LEN(bundled)};
    *b = (struct correlate_bed){.err = ERR_INIT, .folder = "/tmp/heddle-correlate-XXXXXX"};
    assert_non_null(mkdtemp(b->folder));
    FILE *f = fopen(arena_printf(&b->arena, "%s/kernels-tiny.csv", b->folder), "w");
    assert_non_null(f);
    fputs(table, f);
    fclose(f);
    request.folder = b->folder;
    request.name = "bed";
    request.chip = "fermi15";
    request.size = "tiny";
    request.least_cycles = 5000;
    return correlate_open(&b->c, &request, &host, &b->arena, &b->err);
}

static inline void bed_sql(struct correlate_bed *b, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(b->db.handle, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
}

static inline void bed_add_run(struct correlate_bed *b, const struct plan_point *p,
                               const char *status)
{
    bed_sql(b, arena_printf(&b->arena,
                            "INSERT INTO runs (key, status, chip, model, workload, kind, size, "
                            "args, seed, mode, config, version, queued_at, error, seconds) VALUES "
                            "('%s', '%s', 'fermi15', 'gpu', '%s', 'bundled', 'tiny', '', 1, "
                            "'direct', '', '', '', 'it broke', 2)",
                            p->key, status, p->workload->name));
    for (size_t i = 0; i < ARRAY_LEN(simulated_rows); i++) {
        const struct simulated_row *k = &simulated_rows[i];
        if (strcmp(k->program, p->workload->name) != 0)
            continue;
        bed_sql(b,
                arena_printf(
                    &b->arena,
                    "INSERT INTO kernels (run, ordinal, number, name, blocks, "
                    "threads_per_block, cycles, warp_instructions, l1_sectors, "
                    "l1_sectors_missed, l2_read_sectors, l2_read_sectors_missed, dram_read_bytes, "
                    "dram_written_bytes, warp_cycles, core_slots_issued, "
                    "core_slots_data_mem, scheduler_slots_data_mem, bound_by) VALUES "
                    "('%s', %d, %d, '%s', %d, %d, %d, %d, %d, %d, 4000, 400, %d, %d, 2400, 60, "
                    "40, 7, 'luck')",
                    p->key, k->number, k->number, k->name, k->blocks, k->threads, k->cycles,
                    k->instructions, k->sectors, k->missed, k->read, k->written));
    }
}

/* A database with all columns that a GPU's kernels have. */
static inline void bed_make_db(struct correlate_bed *b)
{
    static const char *const more[] = {"l1_sectors",      "l1_sectors_missed",
                                       "l2_read_sectors", "l2_read_sectors_missed",
                                       "warp_cycles",     "bound_by",
                                       "registers",       "shared_accesses",
                                       "shared_passes",   "l2_read_sectors_across"};
    if (!db_open(&b->db, arena_printf(&b->arena, "%s/r.db", b->folder), &b->err))
        fail_msg("%s", bed_message(b));
    for (size_t i = 0; i < ARRAY_LEN(more); i++)
        bed_sql(b, arena_printf(&b->arena, "ALTER TABLE kernels ADD COLUMN %s DEFAULT 0", more[i]));
    for (u32 i = 0; i < SLOT_COUNT; i++) {
        bed_sql(b, arena_printf(&b->arena, "ALTER TABLE kernels ADD COLUMN core_slots_%s DEFAULT 0",
                                slot_names[i]));
        bed_sql(b, arena_printf(&b->arena,
                                "ALTER TABLE kernels ADD COLUMN scheduler_slots_%s DEFAULT 0",
                                slot_names[i]));
    }
}

/* From the table to the scores. `changed`: SQL on the database before it is read, or NULL. */
static inline void correlate_bed_read(struct correlate_bed *b, const char *table,
                                      const char *changed)
{
    static const char *const sets[] = {LAUNCH_CYCLES};
    if (!correlate_bed_open(b, table, (struct correlate_request){0}) ||
        !correlate_plan(&b->c, HALF_BOTH, sets, 1, &b->plan, &b->err))
        fail_msg("%s", bed_message(b));
    bed_make_db(b);
    for (u32 i = 0; i < b->plan->count; i++)
        bed_add_run(b, b->plan->points[i], "done");
    if (changed)
        bed_sql(b, changed);
    if (!correlate_read(&b->c, b->plan, &b->db, &b->r, &b->err))
        fail_msg("%s", bed_message(b));
}

static inline void correlate_bed_close(struct correlate_bed *b)
{
    static const char *const files[] = {"kernels-tiny.csv", "r.db", "r.db-wal", "r.db-shm"};
    if (b->db.handle)
        db_close(&b->db);
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        unlink(arena_printf(&b->arena, "%s/%s", b->folder, files[i]));
    rmdir(b->folder);
    arena_fini(&b->arena);
}

#endif

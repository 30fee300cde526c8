/* The tables of the results database, version DB_SCHEMA_VERSION. */
#ifndef CAMPAIGN_SCHEMA_H
#define CAMPAIGN_SCHEMA_H

#define DB_APPLICATION_ID 0x68646c65 /* "hdle": what file(1) and we know the file by */

/* Which commit of the program made a result; databases of before have no such table. */
#define COMMITS_SQL                                                                                \
    "CREATE TABLE IF NOT EXISTS run_commits (run TEXT PRIMARY KEY, made_by TEXT NOT NULL)"         \
    " WITHOUT ROWID;"

/* clang-format off */
/* Also made where an older database lacks it: further columns come with the first mix. */
#define APPLICATIONS_SQL \
    "CREATE TABLE IF NOT EXISTS applications (" \
    "  run TEXT NOT NULL, ordinal INTEGER NOT NULL, name TEXT, cycles INTEGER," \
    "  warp_instructions INTEGER, ipc REAL, complete_runs INTEGER," \
    "  PRIMARY KEY (run, ordinal)) WITHOUT ROWID;"

static const char schema_sql[] =
    /* one row per process that runs points now */
    "CREATE TABLE workers ("
    "  worker INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  host TEXT NOT NULL, boot TEXT NOT NULL, namespace TEXT NOT NULL,"
    "  pid INTEGER NOT NULL, started INTEGER NOT NULL," /* clock ticks after boot */
    "  seen REAL NOT NULL);"                            /* seconds since 1970 */
    "CREATE TABLE runs ("
    "  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,"
    "  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed', 'hung',"
    "                                         'timed out', 'interrupted')),"
    "  chip TEXT NOT NULL, model TEXT NOT NULL,"
    "  workload TEXT NOT NULL, kind TEXT NOT NULL, size TEXT NOT NULL, args TEXT NOT NULL,"
    "  seed INTEGER NOT NULL, mode TEXT NOT NULL, replays TEXT REFERENCES runs (key),"
    "  config TEXT NOT NULL, version TEXT NOT NULL, build TEXT,"
    "  queued_at TEXT NOT NULL, started_at TEXT, ended_at TEXT,"
    "  worker INTEGER, attempts INTEGER NOT NULL DEFAULT 0, host TEXT, command TEXT,"
    "  exit_code INTEGER, error TEXT, messages TEXT, seconds REAL,"
    "  end TEXT, verified INTEGER, simulated_fs INTEGER, cycles INTEGER, simulation_seconds REAL,"
    "  warp_instructions INTEGER, warp_instructions_per_second REAL);"
    "CREATE INDEX runs_by_status ON runs (status);"
    "CREATE INDEX runs_by_workload ON runs (workload, chip);"
    "CREATE TABLE settings ("
    "  run TEXT NOT NULL, parameter TEXT NOT NULL, value, is_swept INTEGER NOT NULL,"
    "  PRIMARY KEY (run, parameter)) WITHOUT ROWID;"
    /* Hundreds of rows per run and per configuration: they have numbers, and views the names. */
    "CREATE TABLE parameter_names (parameter INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE config_ids (id INTEGER PRIMARY KEY, config TEXT NOT NULL UNIQUE);"
    "CREATE TABLE config_values ("
    "  id INTEGER NOT NULL, parameter INTEGER NOT NULL, value,"
    "  PRIMARY KEY (id, parameter)) WITHOUT ROWID;"
    "CREATE VIEW configs AS"
    "  SELECT config, name AS parameter, value FROM config_ids"
    "  JOIN config_values USING (id) JOIN parameter_names USING (parameter);"
    "CREATE TABLE stat_names ("
    "  stat INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT, unit TEXT, meaning TEXT);"
    "CREATE TABLE stat_values ("
    "  id INTEGER NOT NULL, stat INTEGER NOT NULL, value,"
    "  PRIMARY KEY (id, stat)) WITHOUT ROWID;"
    "CREATE VIEW stats AS"
    "  SELECT runs.key AS run, name, value, unit FROM runs"
    "  JOIN stat_values USING (id) JOIN stat_names USING (stat);"
    /* further columns come with the first result that has them: ingest_rows.c */
    "CREATE TABLE kernels ("
    "  run TEXT NOT NULL, ordinal INTEGER NOT NULL, name TEXT, number INTEGER, blocks INTEGER,"
    "  threads_per_block INTEGER, cycles INTEGER, warp_instructions INTEGER,"
    "  thread_instructions INTEGER, l1_loads INTEGER, l1_hits INTEGER, l2_accesses INTEGER,"
    "  l2_hits INTEGER, dram_read_bytes INTEGER, dram_written_bytes INTEGER,"
    "  PRIMARY KEY (run, ordinal)) WITHOUT ROWID;"
    APPLICATIONS_SQL
    COMMITS_SQL
    "CREATE TABLE sweep_points ("
    "  sweep TEXT NOT NULL, ordinal INTEGER NOT NULL, run TEXT NOT NULL,"
    "  PRIMARY KEY (sweep, ordinal)) WITHOUT ROWID;";
/* clang-format on */

#endif

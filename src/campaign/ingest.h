/* Stores a finished run in the database: its row, its kernels and all its statistics at once. */
#ifndef CAMPAIGN_INGEST_H
#define CAMPAIGN_INGEST_H

#include "campaign/run_queue.h"

struct outcome {
    enum run_status status;
    int exit_code;        /* 128 + signal where one ended it */
    double seconds;       /* from its start to its end */
    const char *error;    /* one line; "" when all went well */
    const char *messages; /* the end of what it wrote to its standard error */
    const char *result;   /* file heddle.run/1; NULL: none */
    const char *command;  /* to run it again by hand */
    const char *host;     /* that ran it; NULL: the one that claimed it */
};

/* In one transaction. A result that cannot be read makes the run a failed one. *kept: false
 * when the row has been taken over by another worker meanwhile, and nothing was changed. */
bool ingest_outcome(struct db *db, const char *key, i64 worker, const char *build,
                    const struct outcome *outcome, bool *kept, struct err *err);

#endif

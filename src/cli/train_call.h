/* What `heddle train` is asked for. */
#ifndef CLI_TRAIN_CALL_H
#define CLI_TRAIN_CALL_H

#include "cli/command.h"
#include "campaign/sweep.h"
#include "train/plans.h"
#include "train/trainer.h"

#define TRAIN_DB "heddle-out/results.db"

struct train_call {
    struct arena arena;
    const char *grid_name, *unseen_grid_name;
    struct train_request request;
    struct train_options train;
    struct sweep_options sweep;
    struct study_host host;
    struct train_request unseen; /* programs to judge by */
    struct train_plans plans, unseen_plans;
    struct train_set training, evaluation;
    bool quiet;
};

/* Reads the options, finds programs and chip, and makes the plans. */
bool train_call_read(const struct cli *cli, struct train_call *call, struct err *err);
void train_call_fini(struct train_call *call);

#endif

/*
 * Any bytes as a chip file: either it loads, or there is one message; never a
 * crash, a leak or a hang. Built by clang with -fsanitize=fuzzer,address,undefined.
 */
#include "machine/model.h"
#include "config/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    static char path[64];
    if (!path[0])
        snprintf(path, sizeof path, "/tmp/heddle-fuzz-%d.yaml", (int)getpid());
    FILE *f = fopen(path, "wb");
    if (!f)
        abort();
    fwrite(data, 1, size, f);
    fclose(f);
    struct config_request request = {.chip = path, .schemas = model_schemas};
    struct config config;
    struct err err = ERR_INIT;
    if (config_load(&config, &request, &err))
        config_fini(&config);
    else if (err.kind != ERR_INPUT || !err.what[0])
        abort();
    return 0;
}

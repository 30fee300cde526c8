/* Whether a file can be the shared object of a plugin, before the loader trusts it. */
#ifndef POLICY_PLUGIN_FILE_H
#define POLICY_PLUGIN_FILE_H

#include "base/err.h"

/* A shared object of this machine whose parts all lie inside the file. The loader maps what the
 * headers say: where the file ends before, it dies of a signal. */
bool plugin_file_check(const char *path, struct err *err);

#endif

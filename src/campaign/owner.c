#include "campaign/owner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_line(const char *path, char *out, size_t size)
{
    FILE *f = fopen(path, "re");
    if (!f || !fgets(out, (int)size, f))
        out[0] = '\0';
    if (f)
        fclose(f);
    out[strcspn(out, "\n")] = '\0';
}

/* When a process started, in clock ticks after boot; -1: there is none, or it is dead and
 * nobody has asked for its exit code yet. proc(5): field 3 is the state, 22 the start. */
static i64 start_of(i64 pid)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    read_line(path, line, sizeof line);
    char *at = strrchr(line, ')'); /* the name before it may hold anything */
    if (!at || at[1] != ' ' || strchr("ZX", at[2]))
        return -1;
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoll(at + 1, NULL, 10) : -1;
}

void owner_self(struct owner *o)
{
    *o = (struct owner){.pid = getpid()};
    if (gethostname(o->host, sizeof o->host - 1) != 0)
        strcpy(o->host, "unknown");
    read_line("/proc/sys/kernel/random/boot_id", o->boot, sizeof o->boot);
    ssize_t n = readlink("/proc/self/ns/pid", o->namespace, sizeof o->namespace - 1);
    o->namespace[n > 0 ? n : 0] = '\0';
    o->started = start_of(o->pid);
}

bool owner_is_gone(const struct owner *o, const struct owner *self, double seen_s)
{
    bool same_host = strcmp(o->host, self->host) == 0;
    bool same_boot = strcmp(o->boot, self->boot) == 0;
    if (same_host && !same_boot)
        return true; /* the machine was started anew */
    if (same_host && strcmp(o->namespace, self->namespace) == 0)
        return start_of(o->pid) != o->started;
    return seen_s > OWNER_SILENCE_S;
}

/*
 * From a file: a page goes to the socket that had it in another run, when it is first touched and
 * at the cost of that, so that runs which are compared have the same homes. A page that the file
 * does not have goes to the socket that asks for it first.
 */
#include "mem/page_placement.h"

#include <string.h>

struct file_config {
    const char *path;
};

struct file_state {
    struct map homes; /* by number of the page */
};

/* clang-format off */
static const struct param params[] = {
    P_FILE(file_config, path, "", "file with the homes that another run wrote (sockets.write_homes)", "NUMA spec 2.7: home: file"),
    P_END,
};
/* clang-format on */

/* The map takes its room from the arena: it is read twice. */
static bool init(struct home *h, struct arena *arena, struct err *err)
{
    const struct file_config *c = h->config;
    struct file_state *s = h->state;
    struct map found = {0};
    if (!*c->path)
        return err_at(err, (struct src_pos){0},
                      "policy.home.file.path is empty, expected the file of homes that another run "
                      "wrote (sockets.write_homes)");
    bool ok = home_read(h, c->path, &found, err);
    map_init_fixed(&s->homes, arena, found.count);
    map_fini(&found);
    return ok && home_read(h, c->path, &s->homes, err);
}

static u32 find(struct home *h, u64 address, u32 asker)
{
    struct file_state *s = h->state;
    u64 socket = asker;
    if (!h->gives)
        return home_page(h, address, asker);
    bool is_listed = map_get(&s->homes, address / h->page_bytes, &socket);
    u32 pages = h->page_count, home = home_page(h, address, (u32)socket);
    h->counts[home].unlisted += !is_listed && h->page_count > pages;
    return home;
}

HOME_POLICY(file) = {
    .version = POLICY_VERSION,
    .name = "file",
    .source = "NUMA-aware GPU: one baseline for all schemes",
    .params = params,
    .config_bytes = sizeof(struct file_config),
    .state_bytes = sizeof(struct file_state),
    .init = init,
    .find = find,
};

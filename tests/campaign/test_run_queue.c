#include "campaign/bed.h"

#include "campaign/ingest.h"
#include "campaign/table.h"

#include <unistd.h>

/* Two processes' worth of connections to one database, and a plan of three runs. */
static const char three[] = "chips: [tandem]\nworkloads: [tokens]\nsweep: {tokens: [1, 2, 3]}\n";

struct pair {
    struct bed bed;
    char folder[64], path[96];
    struct db a, b;
    struct run_queue qa, qb;
    struct err err;
};

static void open_pair(struct pair *p, const char *sweep)
{
    *p = (struct pair){.err = ERR_INIT};
    strcpy(p->folder, "/tmp/heddle-queue-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->path, sizeof p->path, "%s/deep/results.db", p->folder);
    assert_string_equal(bed_open(&p->bed, sweep), "");
    assert_true(db_open(&p->a, p->path, &p->err));
    assert_true(db_open(&p->b, p->path, &p->err));
    assert_true(run_queue_open(&p->qa, &p->a, &p->bed.plan, &p->err));
    assert_true(run_queue_open(&p->qb, &p->b, &p->bed.plan, &p->err));
    assert_true(run_queue_add(&p->qa, QUEUE_NEW, &p->err));
    assert_true(run_queue_add(&p->qb, QUEUE_NEW, &p->err));
}

static void close_pair(struct pair *p)
{
    char command[128];
    assert_true(run_queue_close(&p->qa, &p->err));
    assert_true(run_queue_close(&p->qb, &p->err));
    db_close(&p->a);
    db_close(&p->b);
    bed_close(&p->bed);
    snprintf(command, sizeof command, "rm -rf '%s'", p->folder);
    assert_int_equal(system(command), 0);
}

static u32 claim(struct run_queue *q, enum run_queue_claim expected)
{
    struct err err = ERR_INIT;
    u32 point = 99;
    assert_int_equal(run_queue_claim(q, &point, &err), expected);
    return point;
}

static i64 number(struct db *db, const char *sql)
{
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_prepare_v2(db->handle, sql, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    i64 n = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return n;
}

static void end(struct pair *p, struct run_queue *q, u32 point, enum run_status status)
{
    struct outcome o = {.status = status, .error = "", .messages = "", .command = "heddle run"};
    bool kept;
    assert_true(ingest_outcome(q->db, p->bed.plan.points[point]->key, q->worker, "build", &o, &kept,
                               &p->err));
    assert_true(kept);
}

TEST(a_point_is_claimed_by_one_of_two)
{
    UNUSED_STATE;
    struct pair p;
    open_pair(&p, three);
    assert_int_equal(claim(&p.qa, QUEUE_CLAIMED), 0);
    assert_int_equal(claim(&p.qb, QUEUE_CLAIMED), 1);
    assert_int_equal(claim(&p.qa, QUEUE_CLAIMED), 2);
    claim(&p.qb, QUEUE_WAIT);
    assert_int_equal(number(&p.a, "SELECT count(*) FROM runs WHERE status = 'running'"), 3);
    end(&p, &p.qa, 0, RUN_DONE);
    end(&p, &p.qb, 1, RUN_FAILED);
    end(&p, &p.qa, 2, RUN_HUNG);
    claim(&p.qa, QUEUE_EMPTY);
    claim(&p.qb, QUEUE_EMPTY);
    close_pair(&p);
}

TEST(what_a_closed_worker_had_claimed_is_queued_again)
{
    UNUSED_STATE;
    struct pair p;
    open_pair(&p, three);
    claim(&p.qa, QUEUE_CLAIMED);
    assert_int_equal(claim(&p.qb, QUEUE_CLAIMED), 1);
    assert_true(run_queue_release(&p.qb, 1, &p.err));
    assert_true(run_queue_close(&p.qa, &p.err));
    assert_int_equal(number(&p.b, "SELECT count(*) FROM runs WHERE status = 'queued'"), 3);
    assert_int_equal(claim(&p.qb, QUEUE_CLAIMED), 0);
    assert_int_equal(number(&p.b, "SELECT attempts FROM runs JOIN sweep_points ON run = key WHERE "
                                  "ordinal = 0"),
                     2);
    close_pair(&p);
}

/* Ways to be gone, and to be there. */
TEST(a_worker_that_is_gone_loses_its_points_and_a_living_one_keeps_them)
{
    UNUSED_STATE;
    struct pair p;
    open_pair(&p, three);
    claim(&p.qa, QUEUE_CLAIMED);
    assert_true(run_queue_keep_alive(&p.qb, &p.err));
    assert_int_equal(number(&p.b, "SELECT count(*) FROM runs WHERE status = 'running'"), 1);
    assert_false(run_queue_worker_is_gone(&p.qb, p.qa.worker, &p.err));
    /* the same process id, another start: somebody else has the number now */
    assert_true(db_do(&p.a, &p.err, "UPDATE workers SET started = started - 1 WHERE worker = ?",
                      "i", p.qa.worker));
    assert_true(run_queue_worker_is_gone(&p.qb, p.qa.worker, &p.err));
    assert_true(run_queue_keep_alive(&p.qb, &p.err));
    assert_int_equal(number(&p.b, "SELECT count(*) FROM runs WHERE status = 'running'"), 0);
    assert_int_equal(claim(&p.qb, QUEUE_CLAIMED), 0);
    /* its late result changes nothing */
    struct outcome o = {.status = RUN_FAILED, .error = "", .messages = "", .command = ""};
    bool kept = true;
    assert_true(
        ingest_outcome(&p.a, p.bed.plan.points[0]->key, p.qa.worker, "build", &o, &kept, &p.err));
    assert_false(kept);
    assert_int_equal(number(&p.b, "SELECT count(*) FROM runs WHERE status = 'failed'"), 0);
    close_pair(&p);
}

TEST(an_owner_is_judged_by_boot_process_and_silence)
{
    UNUSED_STATE;
    struct owner self, o;
    owner_self(&self);
    o = self;
    assert_false(owner_is_gone(&o, &self, 1e9));
    strcpy(o.boot, "another");
    assert_true(owner_is_gone(&o, &self, 0));
    o = self;
    strcpy(o.namespace, "another");
    assert_false(owner_is_gone(&o, &self, OWNER_SILENCE_S - 1));
    assert_true(owner_is_gone(&o, &self, OWNER_SILENCE_S + 1));
    o = self;
    strcpy(o.host, "elsewhere");
    assert_false(owner_is_gone(&o, &self, 1));
    assert_true(owner_is_gone(&o, &self, OWNER_SILENCE_S + 1));
}

TEST(finished_runs_are_queued_again_only_when_asked_for)
{
    UNUSED_STATE;
    struct pair p;
    open_pair(&p, three);
    static const enum run_status ends[] = {RUN_DONE, RUN_TIMED_OUT, RUN_INTERRUPTED};
    for (u32 i = 0; i < 3; i++)
        end(&p, &p.qa, claim(&p.qa, QUEUE_CLAIMED), ends[i]);
    static const char queued[] = "SELECT count(*) FROM runs WHERE status = 'queued'";
    assert_int_equal(number(&p.a, queued), 0);
    assert_true(run_queue_add(&p.qb, QUEUE_NEW, &p.err));
    assert_int_equal(number(&p.a, queued), 1);
    assert_true(run_queue_add(&p.qb, QUEUE_RETRY, &p.err));
    assert_int_equal(number(&p.a, queued), 2);
    assert_true(run_queue_add(&p.qb, QUEUE_AGAIN, &p.err));
    assert_int_equal(number(&p.a, queued), 3);
    close_pair(&p);
}

TEST(a_replay_waits_for_its_recording_and_fails_with_it)
{
    UNUSED_STATE;
    struct pair p;
    open_pair(&p, "chips: [fermi15]\nworkloads: [{name: bfs, size: tiny}]\nrecord: true\n"
                  "sweep: {sm.l1.mshrs: [16, 64]}\n");
    assert_int_equal(claim(&p.qa, QUEUE_CLAIMED), 0);
    claim(&p.qb, QUEUE_WAIT);
    end(&p, &p.qa, 0, RUN_FAILED);
    claim(&p.qb, QUEUE_EMPTY);
    assert_int_equal(number(&p.a, "SELECT count(*) FROM runs WHERE status = 'failed' AND error "
                                  "LIKE 'its recording % has failed%'"),
                     2);
    close_pair(&p);
}

TEST(settings_and_configuration_are_stored_as_resolved)
{
    UNUSED_STATE;
    struct pair p;
    open_pair(&p, "chips: [fermi15]\nworkloads: [bfs]\nset: {sm.l1.size_bytes: 32KiB}\n");
    assert_int_equal(number(&p.a, "SELECT value FROM settings"), 32768);
    assert_int_equal(number(&p.a, "SELECT count(*) FROM configs"),
                     p.bed.plan.points[0]->config->count);
    assert_int_equal(number(&p.a, "SELECT count(*) FROM configs JOIN runs USING (config) WHERE "
                                  "parameter = 'sm.l1.size_bytes' AND value = '32KiB'"),
                     1);
    close_pair(&p);
}

TEST(the_schema_has_a_version_and_other_files_are_refused)
{
    UNUSED_STATE;
    struct pair p;
    struct db db;
    struct err err = ERR_INIT;
    open_pair(&p, three);
    assert_int_equal(number(&p.a, "PRAGMA user_version"), DB_SCHEMA_VERSION);
    sqlite3_exec(p.a.handle, "PRAGMA user_version = 77", NULL, NULL, NULL);
    assert_false(db_open(&db, p.path, &err));
    assert_non_null(strstr(err.what, "schema version 77, expected 1"));
    err = ERR_INIT;
    sqlite3_exec(p.a.handle, "PRAGMA application_id = 5", NULL, NULL, NULL);
    assert_false(db_open_readonly(&db, p.path, &err));
    assert_non_null(strstr(err.what, "of another program"));
    close_pair(&p);
}

TEST(questions_cannot_change_the_database)
{
    UNUSED_STATE;
    struct pair p;
    open_pair(&p, three);
    static const char *const bad[][2] = {
        {"DELETE FROM runs", "would change the database"},
        {"SELECT 1; DELETE FROM runs", "a second statement follows"},
        {"SELECT absent FROM runs", "no such column: absent"},
        {"  ", "the statement is empty"},
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err err = ERR_INIT;
        struct text t = {0};
        assert_false(table_query(&p.a, bad[i][0], NULL, 0, TABLE_TEXT, &t, &err));
        assert_non_null(strstr(err.what, bad[i][1]));
        text_fini(&t);
    }
    assert_int_equal(number(&p.a, "SELECT count(*) FROM runs"), 3);
    close_pair(&p);
}

TEST(answers_come_as_text_csv_and_json)
{
    UNUSED_STATE;
    struct pair p;
    open_pair(&p, three);
    static const char sql[] =
        "SELECT 'a,\"b' AS x, 0.1 AS y, NULL AS z UNION ALL SELECT 'c', 12, 3";
    static const char *const expected[] = {
        "x       y  z\na,\"b  0.1  \nc      12  3\n",
        "x,y,z\n\"a,\"\"b\",0.10000000000000001,\nc,12,3\n",
        ("[\n {\"x\": \"a,\\\"b\", \"y\": 0.10000000000000001, \"z\": null},\n"
         " {\"x\": \"c\", \"y\": 12, \"z\": 3}\n]\n"),
    };
    for (u32 i = 0; i < 3; i++) {
        struct text t = {0};
        assert_true(table_query(&p.a, sql, NULL, 0, (enum table_format)i, &t, &p.err));
        assert_string_equal(t.data, expected[i]);
        text_fini(&t);
    }
    close_pair(&p);
}

RUN_TESTS(T(a_point_is_claimed_by_one_of_two), T(what_a_closed_worker_had_claimed_is_queued_again),
          T(a_worker_that_is_gone_loses_its_points_and_a_living_one_keeps_them),
          T(an_owner_is_judged_by_boot_process_and_silence),
          T(finished_runs_are_queued_again_only_when_asked_for),
          T(a_replay_waits_for_its_recording_and_fails_with_it),
          T(settings_and_configuration_are_stored_as_resolved),
          T(the_schema_has_a_version_and_other_files_are_refused),
          T(questions_cannot_change_the_database), T(answers_come_as_text_csv_and_json))

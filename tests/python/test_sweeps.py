#!/usr/bin/env python3
"""heddle.Sweep and the results database. Prints TAP."""
import os
import sqlite3
import sys
import tempfile

from tap import main, raises

import heddle

FOLDER = tempfile.TemporaryDirectory()
os.chdir(FOLDER.name)


def grid(**more):
    chip = heddle.Chip("fermi15", {"sm.l1.mshrs": 16}, name="few")
    return heddle.Sweep("grid", ["fermi15", chip], ["vecadd", "matmul"], size="tiny",
                        sweep={"sm.l1.size_bytes": ["16KiB", "32KiB"]}, set={"sm.l1.ways": 8}, db="r.db", **more)


TABLE = grid().run("sm.l1.misses", jobs=2)


def test_a_sweep_has_a_row_for_each_point():
    assert len(TABLE) == 8 and set(TABLE["status"]) == {"done"}
    assert set(TABLE["chip"]) == {"fermi15", "few"} and set(TABLE["sm.l1.size_bytes"]) == {16384, 32768}
    assert all(row["cycles"] > 0 and row["sm.l1.misses"] > 0 for row in TABLE)


def test_a_point_is_the_run_that_one_makes_by_hand():
    chip = heddle.Chip("fermi15", {"sm.l1.mshrs": 16, "sm.l1.ways": 8, "sm.l1.size_bytes": "32KiB"})
    (row,) = TABLE.where(chip="few", workload="matmul", **{"sm.l1.size_bytes": 32768})
    run = heddle.run("matmul", chip, size="tiny")
    assert (row["cycles"], row["sm.l1.misses"]) == (next(iter(run.clocks.values())), run["sm.l1.misses"])


def test_what_is_done_is_not_run_again():
    runs = heddle.results("r.db").runs()["started_at"]
    again = grid().run("sm.l1.misses")
    assert list(again) == list(TABLE) and heddle.results("r.db").runs()["started_at"] == runs


def test_any_question_is_a_table():
    rows = heddle.results("r.db").query("SELECT chip, count(*) AS n FROM runs WHERE workload = ? GROUP BY chip "
                                        "ORDER BY chip", ("matmul",))
    assert list(rows) == [{"chip": "fermi15", "n": 2}, {"chip": "few", "n": 2}] or \
        sorted(r["n"] for r in rows) == [2, 2]
    assert set(heddle.results("r.db").kernels()["workload"]) == {"vecadd", "matmul"}


def test_a_condition_leaves_points_out():
    sweep = heddle.Sweep("some", "fermi15", "vecadd", size="tiny", sweep={"sm.l1.mshrs": [16, 32]},
                         where="mshrs == 32", db="r.db")
    assert sweep.run()["sm.l1.mshrs"] == [32]


def test_a_sampled_sweep_has_estimates():
    sweep = heddle.Sweep("sampled", "volta8", "launches", size="small", sample="5%,first=0", db="r.db")
    (row,) = sweep.run("sampling.cycles.half_width", "sampling.timed_share")
    run = heddle.run("launches", "volta8", size="small", sample="5%,first=0")
    assert row["cycles"] == run.cycles and 0 < row["sampling.timed_share"] < 0.3
    assert row["sampling.cycles.half_width"] == run.sampling["totals"]["cycles"]["half_width"]


def test_a_sweep_goes_on_from_a_checkpoint_beside_the_script():
    heddle.run("gaussian", "volta8", size="tiny", functional=True, save="20:g.checkpoint")
    job = {"name": "gaussian", "size": "tiny", "launches": "20-21", "resume": "g.checkpoint"}
    table = heddle.Sweep("resumed", ["volta8", "fermi15"], job, db="r.db").run()
    assert table["status"] == ["done", "done"]
    run = heddle.run("gaussian", "fermi15", size="tiny", launches="20-21")
    assert table.where(chip="fermi15")["cycles"] == [next(iter(run.clocks.values()))]


def test_points_without_a_result_are_an_exception_with_the_table():
    sweep = heddle.Sweep("hangs", "tandem", "tokens", set={"sink.stops_after": 100, "tokens": 200}, db="h.db")
    error = raises(heddle.RunsFailed, sweep.run, "1 of 1 runs have no result", "hung")
    assert error.table["status"] == ["hung"] and sweep.run(check=False)["status"] == ["hung"]


def test_bad_names_raise_before_anything_runs():
    bad = heddle.Sweep("bad", "fermi15", "vecadd", sweep={"sm.l1.wais": [1]}, db="none.db")
    assert raises(heddle.UnknownName, bad.run, "wais").nearest == "sm.l1.ways" and not os.path.exists("none.db")
    raises(heddle.InputError, lambda: heddle.Sweep("a/b"), "without slashes")
    raises(heddle.InputError, lambda: heddle.Sweep("x", workloads=[3]), "workload is 3")
    raises(heddle.UnknownName, lambda: TABLE["cycle"], "nearest: cycles")
    raises(heddle.UnknownName, lambda: grid().results("sm.l1.missess"), "nearest: sm.l1.misses")


def test_two_chips_of_one_name_are_refused():
    chips = [heddle.Chip("fermi15", {"sm.l1.mshrs": n}) for n in (8, 16)]
    raises(heddle.InputError, heddle.Sweep("two", chips, "vecadd", db="t.db").write, "Chip(..., name=...)")


def test_other_files_are_no_database():
    raises(heddle.InputError, lambda: heddle.results("nowhere.db"), "there is no such database")
    sqlite3.connect("other.db").execute("CREATE TABLE t (x)").connection.commit()
    raises(heddle.InputError, lambda: heddle.results("other.db"), "no results database")
    raises(heddle.InputError, lambda: heddle.results("r.db").query("SELECT missing FROM runs"), "no such column")
    raises(heddle.InputError, lambda: heddle.results("r.db").query("DELETE FROM runs"), "readonly")


if __name__ == "__main__":
    main(sys.modules[__name__])

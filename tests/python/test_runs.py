#!/usr/bin/env python3
"""heddle.run, results, chips: what they give and what they refuse. Prints TAP."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

from tap import main, raises

import heddle
from heddle import running

FOLDER = tempfile.TemporaryDirectory()
os.chdir(FOLDER.name)
RESULT = heddle.run("vecadd", "volta8", size="tiny", series=["sm.ipc"], interval=500, out="vecadd.json")
DATA = json.load(open("vecadd.json"))


def test_a_run_gives_the_numbers_of_its_file():
    assert RESULT["sm.l1.misses"] == DATA["totals"]["sm.l1.misses"] > 0
    assert RESULT.clocks == DATA["run"]["cycles"] and RESULT.verified and RESULT.end == "finished"


def test_cycles_are_the_union_of_the_kernels():
    busy = set()
    for k in DATA["kernels"]:
        busy.update(range(k["started"], k["ended"]))
    assert RESULT.cycles == len(busy)


def test_a_wildcard_gives_all_statistics_that_match():
    found = RESULT["sm.l1.*"]
    assert set(found) == {n for n in DATA["totals"] if n.startswith("sm.l1.")} and len(found) > 10


def test_a_unit_of_several_has_its_own_numbers():
    assert sum(RESULT[f"sm{i}.l1.misses"] for i in range(8)) == RESULT["sm.l1.misses"]


def test_statistics_have_unit_and_meaning():
    about = RESULT.statistic("sm.ipc")
    assert about.unit == "instructions/cycle" and "warp instructions" in about.meaning
    assert RESULT.kernel_meaning("l1_hits").unit == DATA["kernel_definitions"]["l1_hits"]["unit"]


def test_kernels_are_a_table_with_groups_in_one_level():
    table = RESULT.kernels
    assert table["name"] == [k["name"] for k in DATA["kernels"]]
    assert table[0]["scheduler_slots_issued"] == DATA["kernels"][0]["scheduler_slots"]["issued"]
    assert len(table.where(name=table[0]["name"])) >= 1


def test_series_are_a_table():
    assert RESULT.series["cycle"][:2] == [500, 1000] and RESULT.series.columns == ["cycle", "sm.ipc"]


def test_a_table_becomes_a_data_frame():
    try:
        import pandas
    except ImportError:
        raises(heddle.HeddleError, RESULT.kernels.dataframe, "python3-pandas")
        return "pandas is not installed"
    frame = RESULT.kernels.dataframe()
    assert isinstance(frame, pandas.DataFrame) and frame["cycles"].sum() == sum(RESULT.kernels["cycles"])
    return None


def test_a_result_shows_itself_without_network():
    html = RESULT._repr_html_()
    assert "<svg" in html and "vecadd on volta8" in html
    assert "http" not in html.replace("http://www.w3.org/2000/svg", "") and "<script" not in html


def test_report_and_timeline_are_written():
    assert RESULT.report("page.html").read_text().lower().startswith("<!doctype html")
    assert json.loads(RESULT.timeline("t.json").read_text())["traceEvents"]


def test_set_and_policy_change_the_chip():
    other = heddle.run("vecadd", "volta8", size="tiny", set={"sm.l1.mshrs": 8}, policy={"warp.scheduler": "lrr"})
    assert other.config["sm.l1.mshrs"] == "8" and other.config["sm.warp_policy"] == "lrr"
    assert other.cycles != RESULT.cycles


def test_unknown_names_raise_with_the_nearest():
    error = raises(heddle.UnknownName, lambda: heddle.run("vecad"), "unknown workload 'vecad'")
    assert error.nearest == "vecadd" and error.found == "vecad" and error.exit_code == 2
    assert isinstance(error, KeyError) and isinstance(error, ValueError)
    assert raises(heddle.UnknownName, lambda: heddle.run("vecadd", "volta9")).nearest == "volta8"
    assert raises(heddle.UnknownName, lambda: heddle.run("vecadd", set={"sm.l1.mshr": 3})).nearest == "mshrs"
    assert raises(heddle.UnknownName, lambda: heddle.run("vecadd", sizes="tiny")).nearest == "size"
    assert raises(heddle.UnknownName, lambda: heddle.run("vecadd", size="tinny")).nearest == "tiny"
    assert raises(heddle.UnknownName, lambda: RESULT["sm.l1.miss"]).nearest == "sm.l1.misses"


def test_wrong_types_raise_before_anything_runs():
    for call in (lambda: heddle.run(3), lambda: heddle.run("vecadd", seed="1"), lambda: heddle.run("vecadd", 7),
                 lambda: heddle.run("vecadd", set=["a"]), lambda: heddle.run("vecadd", series="sm.ipc"),
                 lambda: heddle.run("vecadd", regions=1), lambda: heddle.run("vecadd", set={"sm.l1.mshrs": None}),
                 lambda: heddle.run(), lambda: heddle.run("vecadd", mix="m.yaml"), lambda: heddle.run([])):
        raises(heddle.InputError, call, "expected")


def test_an_error_in_a_file_has_its_place():
    with open("bad.yaml", "w") as f:
        f.write("base: fermi15\nsm:\n  l1: {size_bytes: 16000}\n")
    error = raises(heddle.InputError, lambda: heddle.Chip("bad.yaml"), "16000")
    assert os.path.basename(error.file) == "bad.yaml" and (error.line, error.column) == (3, 20), vars(error)


def test_a_program_of_ones_own_runs_and_its_code_is_an_exception():
    error = raises(heddle.ProgramFailed, lambda: heddle.run(["/bin/sh", "-c", "echo said >&2; exit 7"]), "code 7")
    assert error.exit_code == 7 and "said" in error.messages


def test_a_run_without_time_gives_the_answers_alone():
    result = heddle.run("vecadd", size="tiny", functional=True)
    assert result.cycles == 0 and result.totals == {} and result.workload == "vecadd"


def test_every_option_of_heddle_run_has_a_keyword():
    help = subprocess.run([os.environ["HEDDLE_PROGRAM"], "run", "--help"], capture_output=True, text=True).stdout
    options = {name.replace("-", "_") for name in re.findall(r"^ +(?:-\w, +)?--([\w-]+)", help, re.MULTILINE)}
    # arguments of run() with other names, or chosen by the workload's ending
    elsewhere = {"chip", "set", "policy", "plugin", "stats", "series", "timeline", "mix", "trace", "replay", "quiet",
                 "help"}
    assert len(options) > 25 and options - elsewhere == set(running.OPTIONS), options ^ elsewhere ^ set(running.OPTIONS)


def test_a_sampled_run_has_estimates_of_the_whole_program():
    result = heddle.run("launches", "volta8", size="small", sample="5%,first=0", out="sampled.json")
    whole = heddle.run("launches", "volta8", size="small")
    total = json.load(open("sampled.json"))["sampling"]["totals"]["cycles"]
    (row,) = result.estimates.where(name="cycles")
    assert (row["estimate"], row["half_width"]) == (total["estimate"], total["half_width"])
    assert result.cycles == round(total["estimate"]) and abs(result.cycles / whole.clocks["core"] - 1) < 0.01
    assert 0 < result.sampling["timed_share"] < 0.3 and result.sampling["launches"] == 2000
    interval = f"{result.cycles} +- {100 * total['half_width'] / total['estimate']:.2g} %"
    assert interval in repr(result) and "% of the instructions" in result._repr_html_()
    assert whole.sampling == {}
    raises(heddle.HeddleError, lambda: whole.estimates, "sample=")


def test_a_run_is_saved_and_resumed():
    saved = heddle.run("gaussian", "volta8", size="tiny", save="20:g.checkpoint")
    assert saved.end == "saved" and saved.totals == {} and os.path.getsize("g.checkpoint") > 1000
    result = heddle.run("gaussian", "volta8", size="tiny", resume="g.checkpoint")
    assert result.verified and result.totals == heddle.run("gaussian", "volta8", size="tiny").totals
    raises(heddle.InputError, lambda: heddle.run("gaussian", "fermi15", size="tiny", resume="g.checkpoint"), "volta8")


def test_a_killed_program_says_so():
    error = raises(heddle.ProgramKilled, lambda: heddle.run(["/bin/sh", "-c", "kill -9 $$"]), "killed by SIGKILL")
    assert error.signal == 9


def test_a_run_that_takes_too_long_is_ended():
    raises(heddle.RunTimeout, lambda: heddle.run("tokens", set={"tokens": 1000000000}, timeout=0.3), "0.3 s")


def test_a_hang_is_an_exception_of_its_own():
    error = raises(heddle.RunBroken, lambda: heddle.run("tokens", set={"sink.stops_after": 100}), "hang")
    assert error.exit_code == 3 and error.messages


def test_ctrl_c_ends_the_run():
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    try:
        heddle.run("tokens", set={"tokens": 1000000000})
    except KeyboardInterrupt:
        assert time.monotonic() - start < 10
        return
    raise AssertionError("it ended by itself")


def test_a_chip_is_read_changed_and_written():
    chip = heddle.Chip("volta8", {"sm.l1.mshrs": 64})
    assert chip["sm.l1.mshrs"] == "64" and chip.model == "gpu" and chip.parameter("sm.l1.mshrs").unit == "entries"
    chip["sm.warp_policy"] = "lrr"
    again = heddle.Chip(chip.write("mine.yaml"))
    assert again == chip and again.changes == {} and again.name == "mine"
    assert heddle.Chip("volta8") != chip and len(chip) == len(heddle.Chip("volta8"))


def test_a_change_that_makes_no_chip_changes_nothing():
    chip = heddle.Chip("volta8")
    was = dict(chip)
    raises(heddle.InputError, lambda: chip.update({"sm.l1.size_bytes": 1000}), "multiple of line x ways")
    raises(heddle.UnknownName, lambda: chip.update({"sm.l1.wais": 8}), "nearest: ways")
    raises(heddle.UnknownName, lambda: chip["sm.l1.wais"], "nearest")
    assert dict(chip) == was and chip.changes == {}


def test_names_are_those_of_the_program():
    assert "volta8" in heddle.chips() and "vecadd" in heddle.workloads() and "bandwidth" in heddle.studies()
    assert "warp.scheduler=gto" in heddle.policies() and "sm.ipc" in heddle.statistics()


def test_a_missing_program_is_said():
    code = "import heddle; heddle.version()"
    env = {**os.environ, "HEDDLE_PROGRAM": "/nowhere/heddle", "PYTHONPATH": sys.path[0]}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert "ProgramNotFound: HEDDLE_PROGRAM is /nowhere/heddle" in done.stderr


if __name__ == "__main__":
    main(sys.modules[__name__])

#!/usr/bin/env python3
"""The studies of examples/python run, and say what they are to say. Prints TAP."""
import os
import subprocess
import sys
import tempfile

from tap import main

FOLDER = tempfile.TemporaryDirectory()
EXAMPLES = os.path.join(os.environ["HEDDLE_SOURCE"], "examples", "python")


def lines_of(name):
    """What an example prints, as words."""
    env = {**os.environ, "PYTHONPATH": sys.path[0]}
    done = subprocess.run([sys.executable, os.path.join(EXAMPLES, name)], cwd=FOLDER.name, env=env,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [line.split() for line in done.stdout.splitlines()]


def test_cache_size_has_a_line_for_each_program():
    rows = {words[0]: words for words in lines_of("cache_size.py")[1:]}
    assert set(rows) == {"bfs", "matmul", "histo", "spmv"}
    assert int(rows["bfs"][1]) > int(rows["bfs"][6])  # a larger L1 helps a program that reuses lines
    assert os.path.getsize(os.path.join(FOLDER.name, "cache-size.html")) > 10000


def test_a_policy_of_ones_own_is_built_and_compared():
    rows = lines_of("own_policy.py")
    assert rows[0] == ["cycles", "gto", "lrr", "laggard", "against", "gto"] and len(rows) == 5
    assert all(abs(int(r[1]) / int(r[3]) - float(r[4])) < 0.001 and r[1] != r[3] for r in rows[1:])


def test_interference_has_a_row_for_each_policy():
    rows = lines_of("interference.py")
    assert [r[0] for r in rows[1:]] == ["shared", "ucp", "tap_ucp"]
    assert all(0 < float(r[2]) < 1.01 and 0 < float(r[4]) < 1.01 for r in rows[1:])


if __name__ == "__main__":
    main(sys.modules[__name__])

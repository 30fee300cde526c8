#!/usr/bin/env python3
"""A chart from a results database, with nothing but Python's standard library.

    plot.py results.db sm.l1.mshrs cycles               bars on the terminal
    plot.py results.db sm.l1.mshrs sm.ipc --svg out.svg

For each value of a swept parameter: the geometric mean over all done runs of a column of `runs`
or of any statistic (docs/howto/sweeps.md has the tables).
"""
import argparse
import math
import sqlite3
from html import escape

VALUES = """
SELECT s.value AS setting, {value} AS value
FROM runs AS r JOIN settings AS s ON s.run = r.key AND s.parameter = :parameter
WHERE r.status = 'done'"""


def read(path, parameter, metric):
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    columns = [row[1] for row in db.execute("PRAGMA table_info(runs)")]
    value = f'r."{metric}"' if metric in columns else \
        "(SELECT value FROM stats WHERE stats.run = r.key AND stats.name = :metric)"
    groups = {}
    for setting, v in db.execute(VALUES.format(value=value), {"parameter": parameter, "metric": metric}):
        if v is not None and v > 0:
            groups.setdefault(setting, []).append(math.log(v))
    return [(key, math.exp(sum(logs) / len(logs)))
            for key, logs in sorted(groups.items(), key=lambda g: (isinstance(g[0], str), g[0]))]


def bars(rows, width=50):
    most = max(v for _, v in rows)
    for key, v in rows:
        print(f"{key!s:>16} {v:14.6g} {'#' * max(1, round(v / most * width))}")


def svg(rows, title, path):
    most, step = max(v for _, v in rows), 28
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="{step * len(rows) + 40}" '
             f'font-family="sans-serif" font-size="13"><text x="10" y="20">{escape(title)}</text>']
    for i, (key, v) in enumerate(rows):
        y = 34 + i * step
        parts.append(f'<text x="120" y="{y + 15}" text-anchor="end">{escape(str(key))}</text>'
                     f'<rect x="128" y="{y}" width="{v / most * 400:.1f}" height="20" fill="#4878a8"/>'
                     f'<text x="{134 + v / most * 400:.1f}" y="{y + 15}">{v:.6g}</text>')
    with open(path, "w") as f:
        f.write("\n".join(parts) + "\n</svg>\n")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("db")
    p.add_argument("parameter", help="a swept parameter")
    p.add_argument("metric", help="a column of runs, or a statistic")
    p.add_argument("--svg", metavar="FILE", help="write a picture instead")
    a = p.parse_args()
    rows = read(a.db, a.parameter, a.metric)
    if not rows:
        raise SystemExit(f"plot.py: no done run has both {a.parameter} and {a.metric}")
    svg(rows, f"{a.metric} by {a.parameter}", a.svg) if a.svg else bars(rows)


if __name__ == "__main__":
    main()

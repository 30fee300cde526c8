"""The results database of sweeps: questions in SQL, rows as a Table."""
from __future__ import annotations

import os
import sqlite3
from typing import Any, List, Mapping, Sequence, Union

from .errors import InputError, unknown_name
from .program import PathLike
from .table import Table

APPLICATION_ID = 0x68646C65
DEFAULT = "heddle-out/results.db"

_POINTS = """
SELECT p.ordinal, r.key, r.status, r.chip, r.workload, r.size, r.seed, r.cycles, r.simulated_fs, r.error
FROM sweep_points AS p JOIN runs AS r ON r.key = p.run WHERE p.sweep = ? ORDER BY p.ordinal"""


class Database:
    """A results database, opened to read; docs/howto/sweeps.md has its tables."""

    def __init__(self, path: PathLike = DEFAULT) -> None:
        self.path = os.fspath(path)
        if not os.path.isfile(self.path):
            raise InputError(f"{self.path}: there is no such database", file=self.path)
        self._db = sqlite3.connect(f"file:{os.path.abspath(self.path)}?mode=ro", uri=True)
        try:
            (number,) = self._db.execute("PRAGMA application_id").fetchone()
        except sqlite3.DatabaseError as why:
            raise InputError(f"{self.path}: {why}", file=self.path) from None
        if number != APPLICATION_ID:
            raise InputError(f"{self.path}: is no results database of heddle", file=self.path)

    def query(self, sql: str, values: Union[Sequence[Any], Mapping[str, Any]] = ()) -> Table:
        """Any question: db.query("SELECT chip, avg(cycles) FROM runs GROUP BY chip")."""
        try:
            cursor = self._db.execute(sql, values)
            columns = [column[0] for column in cursor.description or []]
            return Table((dict(zip(columns, row)) for row in cursor), columns)
        except sqlite3.Error as why:
            raise InputError(f"{self.path}: {why}", file=self.path) from None

    def runs(self) -> Table:
        """Every run."""
        return self.query("SELECT * FROM runs ORDER BY id")

    def kernels(self) -> Table:
        """Every kernel with the chip and workload of its run."""
        return self.query("SELECT r.chip, r.workload, k.* FROM kernels AS k JOIN runs AS r ON r.key = k.run "
                          "ORDER BY r.id, k.ordinal")

    def sweeps(self) -> List[str]:
        """Names of the sweeps that were started on it."""
        return [row["sweep"] for row in self.query("SELECT DISTINCT sweep FROM sweep_points ORDER BY sweep")]

    def sweep(self, name: str, *statistics: str) -> Table:
        """A row for each point of a sweep: what was swept, cycles, and these statistics."""
        if name not in self.sweeps():
            raise unknown_name("sweep", name, self.sweeps())
        rows = list(self.query(_POINTS, (name,)))
        settings = self.query("SELECT run, parameter, value FROM settings WHERE is_swept AND run IN "
                              "(SELECT run FROM sweep_points WHERE sweep = ?)", (name,))
        swept = list(dict.fromkeys(settings["parameter"]))
        by_run: dict[str, dict[str, Any]] = {}
        for row in settings:
            by_run.setdefault(row["run"], {})[row["parameter"]] = row["value"]
        for statistic in statistics:
            self._add(rows, name, statistic)
        wide = [{**row, **by_run.get(row["key"], {})} for row in rows]
        fixed = ["chip", "workload", "size", "seed", "status"]
        return Table(wide, [*fixed, *swept, "cycles", "simulated_fs", *statistics, "error", "key"])

    def _add(self, rows: List[dict[str, Any]], sweep: str, statistic: str) -> None:
        values = {row["run"]: row["value"] for row in self.query(
            "SELECT run, value FROM stats WHERE name = ? AND run IN "
            "(SELECT run FROM sweep_points WHERE sweep = ?)", (statistic, sweep))}
        if not values and any(row["status"] == "done" for row in rows):
            names = self.query("SELECT DISTINCT name FROM stats WHERE run IN "
                               "(SELECT run FROM sweep_points WHERE sweep = ?)", (sweep,))
            raise unknown_name("statistic", statistic, names["name"])
        for row in rows:
            row[statistic] = values.get(row["key"])

    def close(self) -> None:
        """Lets the file go."""
        self._db.close()

    def __enter__(self) -> "Database":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Database({self.path!r})"


def results(path: PathLike = DEFAULT) -> Database:
    """Opens the results database of sweeps."""
    return Database(path)

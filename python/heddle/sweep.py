"""Many runs in a few lines: the sweeps of `heddle sweep`, with their database, resumed and on Slurm."""
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from .chip import Chip, Value, value_text
from .database import DEFAULT, Database
from .errors import InputError, RunsFailed, wrong_type
from .program import PathLike, call
from .table import Table

Values = Union[Value, Iterable[Value]]
_FILE_ENDINGS = (".yaml", ".g", ".traceg", ".hrec", ".hct", ".champsimtrace")


def _list(what: str, values: object) -> List[Any]:
    """One value stands for a list of one."""
    if isinstance(values, (str, int, float, bool, os.PathLike, Chip, Mapping)):
        return [values]
    if isinstance(values, Iterable):
        return list(values)
    raise wrong_type(what, values, "a value or a list")


def _settings(what: str, settings: Optional[Mapping[str, Values]]) -> Dict[str, List[str]]:
    if settings is not None and not isinstance(settings, Mapping):
        raise wrong_type(what, settings, "a dict of parameters and lists of values")
    return {name: [value_text(name, v) for v in _list(name, values)] for name, values in (settings or {}).items()}


def _absolute(name: PathLike) -> str:
    """A file with its whole path, since the sweep's file lies elsewhere; a name as it is."""
    text = os.fspath(name)
    return os.path.abspath(text) if os.sep in text or text.endswith(_FILE_ENDINGS) else text


def _workload(given: Any) -> Any:
    if isinstance(given, (str, os.PathLike)):
        return _absolute(given)
    if not isinstance(given, Mapping):
        raise wrong_type("workload", given, "a name, a file, or a dict as in a sweep file")
    out = dict(given)
    if "program" in out:
        out["program"] = _absolute(out["program"])
    if "resume" in out:
        out["resume"] = os.path.abspath(out["resume"])
    if "args" in out:
        out["args"] = [str(a) for a in _list("args", out["args"])]
    if "set" in out:
        out["set"] = {name: value_text(name, value) for name, value in out["set"].items()}
    return out

SOME_FAILED = 1  # exit code of `heddle sweep`: some points have no result


class Sweep:
    """A grid of runs; `run()` runs what is missing and returns a Table.

        sweep = heddle.Sweep("l1", ["fermi15"], ["bfs", "matmul"], size="tiny",
                             sweep={"sm.l1.size_bytes": ["16KiB", "32KiB"]})
        frame = sweep.run("sm.l1.hit_rate").dataframe()

    The arguments are the keys of a sweep file (docs/howto/sweeps.md). size and args apply to
    workloads that are given by name.
    """

    def __init__(self, name: str, chips: Union[PathLike, Chip, Sequence[Union[PathLike, Chip]]] = "fermi15",
                 workloads: Any = (), *, sweep: Optional[Mapping[str, Values]] = None,
                 zip: Sequence[Mapping[str, Values]] = (), set: Optional[Mapping[str, Value]] = None,
                 where: Union[None, str, Sequence[str]] = None, repeat: Union[None, int, Sequence[int]] = None,
                 mixes: Any = (), size: Optional[str] = None, args: Iterable[object] = (), record: bool = False,
                 max_cycles: Optional[int] = None, watchdog: Optional[int] = None,
                 warm: Optional[Mapping[str, Any]] = None, timeout: Optional[float] = None,
                 sample: Optional[str] = None, threads: Optional[int] = None, db: PathLike = DEFAULT) -> None:
        if not isinstance(name, str) or not name or os.sep in name:
            raise wrong_type("name", name, "a name without slashes")
        self.name, self.db = name, Path(db)
        self._chips = _list("chips", chips)
        plain = {"size": size, "args": [str(a) for a in args]}
        extra = {key: value for key, value in plain.items() if value}
        jobs = [_workload(w) for w in _list("workloads", workloads)]
        if extra:
            jobs = [{"name": j, **extra} if isinstance(j, str) and os.sep not in j else j for j in jobs]
        optional = {"workloads": jobs, "mixes": [_absolute(m) for m in _list("mixes", mixes)],
                    "sweep": _settings("sweep", sweep), "zip": [_settings("zip", group) for group in zip],
                    "set": {n: value_text(n, v) for n, v in (set or {}).items()}, "where": where,
                    "repeat": repeat, "record": record, "max_cycles": max_cycles, "watchdog": watchdog,
                    "warm": dict(warm or {}), "timeout": f"{timeout}s" if timeout else None, "sample": sample,
                    "threads": threads}
        self._plan: Dict[str, Any] = {key: value for key, value in optional.items() if value}

    def _chip(self, chip: Any, folder: Path, made: Dict[str, Chip]) -> str:
        if not isinstance(chip, Chip):
            return _absolute(chip)
        if not chip.changes:
            return _absolute(chip.base)
        if made.setdefault(chip.name, chip) != chip:
            raise InputError(f"two different chips are called {chip.name}, expected Chip(..., name=...) for each",
                             found=chip.name)
        return str(chip.write(folder / f"{chip.name}.yaml").absolute())

    def write(self, path: Optional[PathLike] = None) -> Path:
        """The sweep file that `heddle sweep` takes; by default beside the database."""
        out = Path(path) if path else self.db.parent / "sweeps" / f"{self.name}.yaml"
        out.parent.mkdir(parents=True, exist_ok=True)
        made: Dict[str, Chip] = {}
        chips = [self._chip(c, out.parent, made) for c in self._chips]
        out.write_text(json.dumps({"name": self.name, "chips": chips, **self._plan}, indent=1) + "\n")
        return out

    def run(self, *statistics: str, jobs: Optional[int] = None, retry: bool = False, again: bool = False,
            slurm: bool = False, slurm_options: str = "", limit: Optional[int] = None, progress: bool = False,
            check: bool = True) -> Table:
        """Runs what is missing; a row for each point with cycles and these statistics.

        Interrupt it, and the same call goes on. check: raise RunsFailed if points have no result.
        """
        words = ["sweep", os.fspath(self.write()), f"--db={self.db}"]
        words += [] if progress else ["--quiet"]
        words += [f"--jobs={jobs}"] if jobs else []
        words += [f"--limit={limit}"] if limit else []
        words += [f"--{name}" for name, given in (("retry", retry), ("again", again), ("slurm", slurm)) if given]
        words += [f"--slurm-options={slurm_options}"] if slurm_options else []
        outcome = call(words, show=progress, what=f"sweep {self.name}")
        error = outcome.error(f"sweep {self.name}")
        if error and outcome.code != SOME_FAILED:
            raise error
        table = self.results(*statistics)
        bad = [row for row in table if row["status"] not in ("done", "queued")]
        if bad and check:
            raise RunsFailed(f"sweep {self.name}: {len(bad)} of {len(table)} runs have no result; the first, "
                             f"{bad[0]['workload']} on {bad[0]['chip']}, {bad[0]['status']}: {bad[0]['error']}",
                             table)
        return table

    def results(self, *statistics: str) -> Table:
        """What the database has of it, without running anything."""
        with Database(self.db) as db:
            return db.sweep(self.name, *statistics)

    def report(self, path: PathLike) -> Path:
        """Writes the page of the sweep."""
        from .program import ask
        ask("report", f"--db={self.db}", f"--sweep={self.name}", "-o", os.fspath(path))
        return Path(path)

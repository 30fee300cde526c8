"""What a run gives: statistics by name, kernels as a table, a page, a timeline."""
from __future__ import annotations

import fnmatch
import json
import os
import tempfile
import webbrowser
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Dict, Mapping, Optional

from . import figure
from .errors import HeddleError, InputError, unknown_name
from .program import PathLike, ask
from .table import Table

SCHEMA = "heddle.run/1"
_WILDCARDS = frozenset("*?[")


@dataclass(frozen=True)
class Statistic:
    """A number of a run with what it means. `value` is None where nothing was sampled."""
    name: str
    value: Any
    unit: str
    meaning: str


class Result:
    """The result of a run, from its file (docs/reference/statistics.md).

    result["sm.l1.hits"] is a value, result["sm.l1.*"] a dict of values.
    """

    def __init__(self, path: PathLike, *, output: str = "", messages: str = "",
                 timeline_file: Optional[Path] = None,
                 keep: Optional["tempfile.TemporaryDirectory[str]"] = None) -> None:
        self.path = Path(path)
        self.output, self.messages = output, messages
        self._timeline_file, self._keep = timeline_file, keep
        self.data: Dict[str, Any] = self._read()
        run = self.data["run"]
        self.chip: str = run["chip"]
        self.model: str = run["model"]
        self.workload: str = run["workload"]
        self.end: str = run["end"]
        self.verified: bool = run["verified"]

    def _read(self) -> Dict[str, Any]:
        try:
            data = json.loads(self.path.read_text())
        except (OSError, ValueError) as why:
            raise InputError(f"{self.path}: cannot be read as a result: {why}", file=str(self.path)) from None
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise InputError(f"{self.path}: is no result, expected a file of `heddle run -o FILE.json`",
                             file=str(self.path), expected=SCHEMA)
        return data

    # ---- time

    @property
    def clocks(self) -> Dict[str, int]:
        """Cycles of each clock."""
        return dict(self.data["run"]["cycles"])

    @property
    def cycles(self) -> int:
        """On a GPU the cycles in which a kernel ran, else those of the first clock.

        Kernels that overlap count once, as in the summary of `heddle run`. With run(sample=...) it
        is the estimate for the whole program; `estimates` has its interval.
        """
        if self.sampling:
            return int(round(self.sampling["totals"]["cycles"]["estimate"]))
        spans = sorted((k["started"], k["ended"]) for k in self.data.get("kernels", []))
        if not spans:
            return next(iter(self.clocks.values()))
        total, end = 0, 0
        for start, stop in spans:
            total += max(0, stop - max(start, end))
            end = max(end, stop)
        return total

    @property
    def seconds(self) -> float:
        """Simulated seconds."""
        return float(self.data["run"]["simulated_fs"]) / 1e15

    # ---- statistics

    @property
    def totals(self) -> Dict[str, Any]:
        """Every statistic, summed over units of the same kind."""
        return dict(self.data["totals"])

    @property
    def units(self) -> Dict[str, Dict[str, Any]]:
        """The same for each unit of which there are several: result.units["sm3.l1"]["hits"]."""
        return dict(self.data["units"])

    def __getitem__(self, name: str) -> Any:
        totals: Mapping[str, Any] = self.data["totals"]
        if not _WILDCARDS.isdisjoint(name):
            found = {key: totals[key] for key in totals if fnmatch.fnmatchcase(key, name)}
            if found:
                return found
        elif name in totals:
            return totals[name]
        unit, _, last = name.rpartition(".")
        if last in self.data["units"].get(unit, {}):
            return self.data["units"][unit][last]
        raise unknown_name("statistic", name, totals)

    def __contains__(self, name: object) -> bool:
        return name in self.data["totals"]

    def statistic(self, name: str) -> Statistic:
        """A statistic with unit and meaning."""
        value = self[name]
        about = self.data["definitions"].get(name, {})
        return Statistic(name, value, about.get("unit") or "", about.get("meaning") or "")

    def statistics(self, pattern: str = "*") -> Table:
        """All whose names match, with unit and meaning."""
        names = [n for n in self.data["totals"] if fnmatch.fnmatchcase(n, pattern)]
        return Table((vars(self.statistic(n)) for n in names), ["name", "value", "unit", "meaning"])

    # ---- parts

    @property
    def kernels(self) -> Table:
        """A row for each kernel, groups as `scheduler_slots_issued`."""
        return Table(flat(kernel) for kernel in self.data.get("kernels", []))

    def kernel_meaning(self, column: str) -> Statistic:
        """Unit and meaning of a column of `kernels`."""
        about: Mapping[str, Any] = self.data.get("kernel_definitions", {})
        known = {key.replace(".", "_"): key for key in about}
        if column not in known:
            raise unknown_name("number of a kernel", column, known)
        row = about[known[column]]
        return Statistic(column, None, row.get("unit") or "", row.get("meaning") or "")

    @property
    def applications(self) -> Table:
        """The programs of a mix."""
        return Table(self.data.get("applications", []))

    @property
    def series(self) -> Table:
        """A row for each sample of `series=`."""
        series = self.data.get("series")
        if not series:
            raise HeddleError("the run has no series; name statistics in run(series=...)")
        columns = {"cycle": series["cycle"], **series["columns"]}
        return Table(({name: values[i] for name, values in columns.items()}
                      for i in range(len(series["cycle"]))), columns)

    @property
    def sampling(self) -> Dict[str, Any]:
        """With run(sample=...) what was timed: `timed_share`, `launches`, `timed_launches`, ...; else empty.

        docs/howto/sampling.md has all members. Statistics and kernels of such a run are those of
        the timed part.
        """
        return dict(self.data.get("sampling", {}))

    @property
    def estimates(self) -> Table:
        """With run(sample=...) a row for each total of the whole program, with its 95 % interval.

        It is `estimate` plus or minus `half_width`, which is None where it is not known.
        """
        if not self.sampling:
            raise HeddleError("nothing was estimated, all of the run was timed; estimates need run(sample=...)")
        return Table(({"name": name, **total} for name, total in self.sampling["totals"].items()),
                     ["name", "estimate", "half_width"])

    @property
    def config(self) -> Dict[str, str]:
        """Every parameter of the chip, as one writes it."""
        return {name: row["value"] for name, row in self.data["config"].items()}

    @property
    def bound_by(self) -> str:
        """GPU chips: what limits the run, in words."""
        return str(self.data.get("bound_by", ""))

    # ---- files

    def save(self, path: PathLike) -> Path:
        """A copy of the result file."""
        Path(path).write_bytes(self.path.read_bytes())
        return Path(path)

    def report(self, path: Optional[PathLike] = None, *, show: bool = False) -> Path:
        """Writes the page of this run; show: and opens it in the browser."""
        out = Path(path) if path else Path("heddle-out") / f"{self.workload}-{self.chip}.html"
        out.parent.mkdir(parents=True, exist_ok=True)
        ask("report", os.fspath(self.path), "-o", os.fspath(out))
        if show:
            webbrowser.open(out.resolve().as_uri())
        return out

    def timeline(self, path: Optional[PathLike] = None) -> Path:
        """Writes a timeline for ui.perfetto.dev; with blocks and states of SMs after run(timeline=True)."""
        out = Path(path) if path else Path("heddle-out") / f"{self.workload}-{self.chip}.perfetto.json"
        out.parent.mkdir(parents=True, exist_ok=True)
        files = [os.fspath(self.path)] + ([os.fspath(self._timeline_file)] if self._timeline_file else [])
        ask("report", "--perfetto", *files, "-o", os.fspath(out))
        return out

    # ---- for people

    def __repr__(self) -> str:
        return f"<{self.workload} on {self.chip}: {self.cycles}{self._interval()} cycles, {self.end}>"

    def _interval(self) -> str:
        if not self.sampling:
            return ""
        cycles = self.sampling["totals"]["cycles"]
        if cycles["half_width"] is None or not cycles["estimate"]:
            return " (estimated, interval not known)"
        return f" +- {100 * cycles['half_width'] / cycles['estimate']:.2g} %"

    def _figure(self) -> str:
        slots = self.data["totals"].get("sm.scheduler_slots")
        if isinstance(slots, dict) and sum(slots.values()):
            return "<p>scheduler cycles</p>" + figure.stack([(n, float(v)) for n, v in slots.items()])
        programs = [(str(a["name"]), float(a["ipc"])) for a in self.data.get("applications", []) if "ipc" in a]
        return "<p>IPC</p>" + figure.bars(programs) if programs else ""

    def _repr_html_(self) -> str:
        facts = [("cycles", f"{self.cycles:,}{self._interval()}"), ("simulated time", f"{self.seconds * 1e3:.4g} ms"),
                 ("end", self.end + (", verified" if self.verified else ""))]
        if self.sampling:
            facts.append(("timed", f"{100 * self.sampling['timed_share']:.3g} % of the instructions; the rest of "
                          "this table describes that part"))
        if self.data.get("kernels"):
            facts.append(("kernels", str(len(self.data["kernels"]))))
        if self.bound_by:
            facts.append(("bound by", self.bound_by))
        for name in ("sm.ipc", "sm.l1.hit_rate", "l2.hit_rate"):
            value = self.data["totals"].get(name)
            if isinstance(value, (int, float)):
                facts.append((name, f"{value:.4g}"))
        rows = "".join(f"<tr><th>{escape(n)}</th><td>{escape(v)}</td></tr>" for n, v in facts)
        return f"<b>{escape(self.workload)} on {escape(self.chip)}</b><table>{rows}</table>{self._figure()}"


def flat(row: Mapping[str, Any]) -> Dict[str, Any]:
    """One level: the members of a group get its name in front."""
    out: Dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            out.update({f"{name}_{key}": inner for key, inner in value.items()})
        else:
            out[name] = value
    return out

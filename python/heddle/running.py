"""heddle.run: one run, from its arguments to its result."""
from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Iterable, List, Mapping, Optional, Sequence, Union

from .chip import Chip, Value, chip_options, set_options, value_text
from .errors import InputError, ProgramFailed, unknown_name, wrong_type
from .program import PathLike, call
from .result import SCHEMA, Result

Workload = Union[PathLike, Sequence[PathLike]]
_OPTION_OF_ENDING = {".hrec": "--replay", ".g": "--trace", ".traceg": "--trace"}
_PLAIN_ENDINGS = (".yaml", ".hct", ".champsimtrace", ".xz", ".gz")

# keyword -> type; the option has dashes
_NUMBERS = ("seed", "interval", "max_cycles", "watchdog", "threads", "max_instructions")
_TEXTS = ("on", "warm", "size", "launches", "caches", "bounds", "record", "sample", "save", "resume", "matrix")
_SWITCHES = ("regions", "no_skip", "functional")
OPTIONS = _NUMBERS + _TEXTS + _SWITCHES


def _options(given: Mapping[str, Any]) -> List[str]:
    out: List[str] = []
    for name, value in given.items():
        if name not in OPTIONS:
            raise unknown_name("option of run", name, OPTIONS)
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if name in _SWITCHES:
            if value is not True:
                raise wrong_type(name, value, "True or False")
            out.append(option)
        elif name in _NUMBERS:
            if isinstance(value, bool) or not isinstance(value, int):
                raise wrong_type(name, value, "a whole number")
            out.append(f"{option}={value}")
        else:
            if isinstance(value, bool) or not isinstance(value, (str, int, os.PathLike)):
                raise wrong_type(name, value, "a text")
            out.append(f"{option}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
    return out


def policy_options(policy: Union[None, str, Mapping[str, str]]) -> List[str]:
    """--policy for each: {"warp.scheduler": "pcal,n=4"} or "warp.scheduler=pcal,n=4"."""
    if policy is None:
        return []
    if isinstance(policy, str):
        return [f"--policy={policy}"]
    if not isinstance(policy, Mapping):
        raise wrong_type("policy", policy, "a dict such as {'warp.scheduler': 'gto'}")
    return [f"--policy={question}={value_text(question, name)}" for question, name in policy.items()]


def _texts(what: str, values: Iterable[object]) -> List[str]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise wrong_type(what, values, "a list")
    return [str(v) if isinstance(v, (int, float)) and not isinstance(v, bool) else os.fspath(v)  # type: ignore
            for v in values]


def _is_program(workload: str) -> bool:
    """A path of something that may be run, and not a name of a bundled program."""
    return os.sep in workload and os.path.isfile(workload) and os.access(workload, os.X_OK)


def _what_to_run(workload: Optional[Workload], arguments: List[str]) -> List[str]:
    if isinstance(workload, (list, tuple)):
        words = _texts("workload", workload)
        if not words:
            raise InputError("the workload is an empty list, expected a program and its arguments")
        return ["--", *words, *arguments]
    if not isinstance(workload, (str, os.PathLike)):
        raise wrong_type("workload", workload, "a name, a file, or a list of a program and its arguments")
    name = os.fspath(workload)
    ending = os.path.splitext(name)[1]
    if ending in _OPTION_OF_ENDING:
        return [f"{_OPTION_OF_ENDING[ending]}={name}"]
    if ending not in _PLAIN_ENDINGS and _is_program(name):
        return ["--", name, *arguments]
    return [name, *(["--", *arguments] if arguments else [])]


def _name_of(workload: Any) -> str:
    """As messages call it."""
    return os.fspath(workload[0] if isinstance(workload, (list, tuple)) else workload)


def run(workload: Optional[Workload] = None, chip: Union[None, PathLike, Chip] = None, *,
        args: Iterable[object] = (), set: Optional[Mapping[str, Value]] = None,
        policy: Union[None, str, Mapping[str, str]] = None, plugins: Iterable[PathLike] = (),
        mix: Optional[PathLike] = None, series: Iterable[str] = (), timeline: bool = False,
        out: Optional[PathLike] = None, timeout: Optional[float] = None, check: bool = True,
        cwd: Optional[PathLike] = None, env: Optional[Mapping[str, str]] = None, **options: Any) -> Result:
    """Simulates a workload on a chip and returns its Result.

    workload: a bundled program ("matmul"), a file (synthetic kernels, a recording, traces, a CPU
    program), or a CUDA program: its path, or a list of it and its arguments, as
    ["python3", "script.py"]. mix: a file of several programs instead.
    args: of the program. set, policy: as --set and --policy of `heddle run`; all other options of
    it have its names with _ for -: seed, size, max_cycles, launches, caches, bounds, sample, ...
    With save="LAUNCH:FILE" the run ends at the checkpoint and the Result has no statistics.
    out: keep the result in this file. check: raise if the program fails; without, the result of a
    program that ended with a code of its own is returned where there is one.

    Raises InputError before anything runs if something given cannot be used, and other
    HeddleErrors for what goes wrong later. Ctrl-C ends the run.
    """
    if (workload is None) == (mix is None):
        raise InputError("one of workload and mix is expected")
    keep = tempfile.TemporaryDirectory(prefix="heddle-result-")
    path = Path(out) if out else Path(keep.name) / "result.json"
    timeline_file = Path(keep.name) / "timeline.json" if timeline else None
    functional = bool(options.get("functional"))
    names = _texts("series", series)
    words = ["run", *chip_options(chip), *set_options(set or {}), *policy_options(policy), *_options(options)]
    words += [f"--plugin={name}" for name in _texts("plugins", plugins)]
    words += [f"--series={','.join(names)}"] if names else []
    words += [f"--timeline={timeline_file}"] if timeline_file else []
    words += ["--quiet"] if functional else ["--quiet", f"--stats={path.absolute()}"]
    arguments = _texts("args", args)
    words += [f"--mix={os.fspath(mix)}"] if mix is not None else _what_to_run(workload, arguments)
    what = _name_of(mix if workload is None else workload)
    outcome = call(words, timeout=timeout, cwd=cwd, env=env, what=what)
    error = outcome.error(what)
    if error and (check or not isinstance(error, ProgramFailed) or not path.exists()):
        raise error
    if functional or options.get("save"):
        _write_untimed(path, what, "saved" if options.get("save") else "finished")
    elif not path.exists():
        raise InputError(f"{what} has no result: {outcome.messages.strip() or 'it launched no kernel'}",
                         messages=outcome.messages, output=outcome.output)
    return Result(path, output=outcome.output, messages=outcome.messages, timeline_file=timeline_file, keep=keep)


def _write_untimed(path: Path, what: str, end: str) -> None:
    """A run for its answers alone, or up to a checkpoint, has no statistics: a result that says so."""
    run = {"chip": "", "model": "functional", "workload": Path(what).name, "end": end, "verified": end == "finished",
           "simulated_fs": 0, "cycles": {"core": 0}}
    path.write_text(json.dumps({"schema": SCHEMA, "run": run, "config": {}, "definitions": {}, "totals": {},
                                "units": {}}))

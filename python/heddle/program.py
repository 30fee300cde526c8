"""The program `heddle` as a child process: where it is, how it is called, how it ends."""
from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .errors import HeddleError, ProgramFailed, ProgramNotFound, RunTimeout, error_of, killed

PathLike = Union[str, "os.PathLike[str]"]
INTERRUPTED = 130
_GRACE_SECONDS = 10.0  # to write what there is


def find() -> str:
    """The path of `heddle`: $HEDDLE_PROGRAM, the build folder of a source tree, beside an installation, PATH."""
    own = os.environ.get("HEDDLE_PROGRAM")
    if own:
        if os.access(own, os.X_OK):
            return own
        raise ProgramNotFound(f"HEDDLE_PROGRAM is {own}, expected a program that may be run", file=own)
    here = Path(__file__).resolve().parent
    build = here.parent.parent / "build" / "heddle"
    if (here.parent.parent / "meson.build").exists() and os.access(build, os.X_OK):
        return str(build)
    for folder in here.parents:
        program = folder / "bin" / "heddle"
        if os.access(program, os.X_OK):
            return str(program)
    found = shutil.which("heddle")
    if found:
        return found
    raise ProgramNotFound("the program heddle was not found; HEDDLE_PROGRAM can name it")


def _interrupt(child: "subprocess.Popen[str]") -> None:
    """Ctrl-C may have reached this process alone, as in a notebook: pass it on, then insist."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        if child.poll() is not None:
            return
        child.send_signal(number)
        try:
            child.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            continue


class Outcome:
    """How a call of the program ended."""

    def __init__(self, command: Sequence[str], code: int, output: str, messages: str,
                 rows: List[Dict[str, Any]], pid: int) -> None:
        self.command, self.code, self.output, self.messages = list(command), code, output, messages
        self._rows, self._pid = rows, pid

    def error(self, what: str = "heddle") -> Optional[HeddleError]:
        """The exception for it, or None when it ended well."""
        if self.code == 0:
            return None
        rows = [r for r in self._rows if r["process"] == self._pid and r["exit_code"]]
        if rows:
            return error_of(rows[-1], self.messages, self.output)
        if self.code < 0:
            return killed(what, self.code, self.messages, self.output)
        said = [r["sentence"] for r in self._rows] or self.messages.strip().splitlines()
        why = f": {said[-1]}" if said else ""
        return ProgramFailed(f"{what} ended with exit code {self.code}{why}", exit_code=self.code,
                             messages=self.messages, output=self.output)


def _rows_of(path: Path) -> List[Dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(errors="replace").splitlines() if line]


def _communicate(child: "subprocess.Popen[str]", timeout: Optional[float], what: str) -> Tuple[str, str]:
    try:
        output, messages = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        child.kill()
        output, messages = child.communicate()
        raise RunTimeout(f"{what} took longer than {timeout:g} s and was ended", output=output,
                         messages=messages) from None
    except BaseException:
        _interrupt(child)
        raise
    return output, messages


def call(arguments: Sequence[str], *, timeout: Optional[float] = None, cwd: Optional[PathLike] = None,
         env: Optional[Mapping[str, str]] = None, show: bool = False, what: str = "heddle") -> Outcome:
    """Runs heddle with these arguments to its end; raises KeyboardInterrupt where it was interrupted.

    show: the program's stderr (progress, for example) goes to this process's, and is not kept.
    """
    command = [find(), *arguments]
    with tempfile.TemporaryDirectory(prefix="heddle-") as folder:
        errors = Path(folder) / "errors"
        environment = {**os.environ, **(env or {}), "HEDDLE_ERRORS": str(errors)}
        sys.stdout.flush()
        child = subprocess.Popen(command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, text=True,
                                 errors="replace", stdout=subprocess.PIPE,
                                 stderr=None if show else subprocess.PIPE)
        output, messages = _communicate(child, timeout, what)
        if child.returncode in (INTERRUPTED, -signal.SIGINT):
            raise KeyboardInterrupt
        return Outcome(command, child.returncode, output, messages or "", _rows_of(errors), child.pid)


def ask(*arguments: str, cwd: Optional[PathLike] = None) -> str:
    """What heddle prints for these arguments; its failure as an exception."""
    outcome = call(arguments, cwd=cwd)
    error = outcome.error()
    if error:
        raise error
    return outcome.output


def ask_json(*arguments: str, cwd: Optional[PathLike] = None) -> Any:
    """The same, where it prints JSON."""
    return json.loads(ask(*arguments, cwd=cwd))


def version() -> str:
    """Version and commit of the program."""
    return ask("version").strip()

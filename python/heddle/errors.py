"""Every way in which a call can fail, as exceptions with heddle's own sentence and its place."""
from __future__ import annotations

import difflib
import signal
from typing import Any, Iterable, Mapping, Optional


class HeddleError(Exception):
    """A failure in one sentence.

    `file`, `line` and `column` say where, `found`, `expected` and `nearest` what was wrong; each is
    empty (or 0) where it does not apply. `messages` is what the program wrote on stderr.
    """

    def __init__(self, sentence: str, *, file: str = "", line: int = 0, column: int = 0, found: str = "",
                 expected: str = "", nearest: str = "", messages: str = "", output: str = "",
                 exit_code: int = 0) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.file, self.line, self.column = file, line, column
        self.found, self.expected, self.nearest = found, expected, nearest
        self.messages, self.output, self.exit_code = messages, output, exit_code

    def __str__(self) -> str:
        return self.sentence


class InputError(HeddleError, ValueError):
    """A name, value or file that cannot be used; nothing has run."""


class UnknownName(InputError, KeyError):
    """A name that does not exist; `nearest` is the one that was probably meant."""


class WrongResult(HeddleError):
    """A simulation finished and its answer is wrong, or a launch failed and nobody looked."""


class RunBroken(HeddleError):
    """A deadlock, or a law that must hold was broken."""


class InternalError(HeddleError):
    """A bug of heddle's, or the machine failed it."""


class ProgramNotFound(HeddleError):
    """The program `heddle` is not where it belongs."""


class ProgramFailed(HeddleError):
    """A program that ran on heddle ended with a code of its own other than 0."""


class ProgramKilled(HeddleError):
    """A child process was ended by a signal; `signal` is its number."""

    def __init__(self, sentence: str, number: int, **parts: Any) -> None:
        super().__init__(sentence, **parts)
        self.signal = number


class RunTimeout(HeddleError):
    """A run took longer than it was given."""


class RunsFailed(HeddleError):
    """Some runs of a sweep have no result; `table` has all of them with `status` and `error`."""

    def __init__(self, sentence: str, table: Any, **parts: Any) -> None:
        super().__init__(sentence, **parts)
        self.table = table


_BY_EXIT_CODE = {1: WrongResult, 2: InputError, 3: RunBroken, 4: InternalError}


def unknown_name(noun: str, name: str, names: Iterable[str]) -> UnknownName:
    """The exception for a name that is not among `names`."""
    near = difflib.get_close_matches(name, list(names), 1, 0.5)
    hint = f" (nearest: {near[0]})" if near else ""
    return UnknownName(f"unknown {noun} '{name}'{hint}", found=name, nearest=near[0] if near else "")


def wrong_type(what: str, value: object, expected: str) -> InputError:
    """The exception for an argument of another type."""
    return InputError(f"{what} is {value!r} of type {type(value).__name__}, expected {expected}",
                      found=repr(value), expected=expected)


def error_of(row: Mapping[str, Any], messages: str, output: str) -> HeddleError:
    """The exception of a row of the file that HEDDLE_ERRORS names, schema heddle.error/1."""
    kind = _BY_EXIT_CODE.get(row["exit_code"], HeddleError)
    if kind is InputError and row["what"].startswith("unknown "):
        kind = UnknownName
    parts = {key: row[key] for key in ("file", "line", "column", "found", "expected", "nearest", "exit_code")}
    return kind(row["sentence"], messages=messages, output=output, **parts)


def killed(what: str, code: int, messages: str, output: str = "") -> ProgramKilled:
    """The exception of a child that a signal ended; `code` is as subprocess gives it."""
    number = -code if code < 0 else code - 128
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    last: Optional[str] = messages.strip().splitlines()[-1] if messages.strip() else None
    return ProgramKilled(f"{what} was killed by {name}" + (f"; its last line: {last}" if last else ""), number,
                         messages=messages, output=output, exit_code=code)

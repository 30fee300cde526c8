"""A chip: read, changed with the checks of the program, written as a chip file."""
from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Union

from .errors import UnknownName, unknown_name, wrong_type
from .program import PathLike, ask, ask_json

Value = Union[str, int, float, bool]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a chip: its value as one writes it, and all that is known about it."""
    name: str
    value: str
    default: str
    type: str
    legal: str
    unit: str
    meaning: str
    source: str
    file: str  # where the value comes from; empty: the default
    line: int


def value_text(name: str, value: object) -> str:
    """A value as a chip file has it; raises where it is none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return str(value)
    raise wrong_type(name, value, "a number, a text such as '32KiB', or True or False")


def set_options(changes: Mapping[str, object]) -> List[str]:
    """--set for each of these parameters."""
    if not isinstance(changes, Mapping):
        raise wrong_type("set", changes, "a dict of parameters and values")
    return [f"--set={name}={value_text(name, value)}" for name, value in changes.items()]


class Chip(Mapping[str, str]):
    """A chip by its name or file, with changes.

        chip = heddle.Chip("volta80", {"sm.l1.mshrs": 128})
        chip["sm.l1.size_bytes"] = "64KiB"          # refused at once if it makes no chip
        chip.write("mine.yaml")
    """

    def __init__(self, chip: Union[PathLike, "Chip"] = "fermi15", set: Optional[Mapping[str, Value]] = None,
                 *, name: Optional[str] = None) -> None:
        if isinstance(chip, Chip):
            self.base: str = chip.base
            self._changes: Dict[str, Value] = dict(chip._changes)
        elif isinstance(chip, (str, os.PathLike)):
            self.base = os.fspath(chip)
            self._changes = {}
        else:
            raise wrong_type("chip", chip, "the name of a chip, a file, or a Chip")
        self._name = name
        self._load({**self._changes, **(set or {})})

    def _load(self, changes: Dict[str, Value]) -> None:
        """Takes the changes over if they make a chip that can be built; else nothing has happened."""
        options = set_options(changes)
        shown = ask_json("chip", "show", "--json", self.base, *options)
        if options:
            ask("chip", "check", self.base, *options)
        self._changes = changes
        self.model: str = shown["model"]
        self.about: str = shown["about"]
        self._base_name: str = shown["name"]
        self._parameters = {
            path: Parameter(path, p["value"], p["default"], p["type"], p["legal"], p["unit"], p["meaning"],
                            p["source"], p["from"]["file"], p["from"]["line"])
            for path, p in shown["parameters"].items()}

    @property
    def name(self) -> str:
        """As results call it."""
        return self._name or (f"{self._base_name}-changed" if self._changes else self._base_name)

    @property
    def changes(self) -> Dict[str, Value]:
        """What differs from the chip that it was made of."""
        return dict(self._changes)

    def parameter(self, name: str) -> Parameter:
        """All that is known about a parameter."""
        if name not in self._parameters:
            raise unknown_name("parameter", name, self._parameters)
        return self._parameters[name]

    def __getitem__(self, name: str) -> str:
        return self.parameter(name).value

    def __setitem__(self, name: str, value: Value) -> None:
        self.update({name: value})

    def update(self, changes: Mapping[str, Value]) -> None:
        """Several changes at once, for parameters that must fit each other."""
        self._load({**self._changes, **changes})

    def changed(self, changes: Mapping[str, Value], *, name: Optional[str] = None) -> "Chip":
        """Another chip with these changes besides."""
        return Chip(self, changes, name=name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def __contains__(self, name: object) -> bool:
        return name in self._parameters

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Chip) and (self.model, dict(self)) == (other.model, dict(other))

    __hash__ = None  # type: ignore[assignment]

    def write(self, path: PathLike) -> Path:
        """A chip file of this chip: its base and what differs from it. The file is checked."""
        base = os.path.abspath(self.base) if os.path.exists(self.base) else self.base
        lines = [f"base: {json.dumps(base)}", f"about: {json.dumps(self.about)}"]
        groups: Dict[str, Any] = {}
        for name, value in self._changes.items():
            *path_to, last = name.split(".")
            group = groups
            for part in path_to:
                group = group.setdefault(part, {})
            group[last] = value_text(name, value)
        lines += [f"{name}: {json.dumps(value)}" for name, value in groups.items()]
        Path(path).write_text("\n".join(lines) + "\n")
        ask("chip", "check", os.fspath(path))
        return Path(path)

    def options(self) -> List[str]:
        """As `heddle run` takes it."""
        return [f"--chip={self.base}", *set_options(self._changes)]

    def __repr__(self) -> str:
        return f"Chip({self.base!r}, {self._changes!r})" if self._changes else f"Chip({self.base!r})"

    def _repr_html_(self) -> str:
        from .table import Table
        rows = [{"parameter": n, "value": p.value, "meaning": p.meaning,
                 "from": f"{os.path.basename(p.file)}:{p.line}" if p.line else p.file or "default"}
                for n, p in self._parameters.items() if p.file]
        return f"<p><b>{self.name}</b>: {self.about}</p>{Table(rows)._repr_html_()}"


def chip_options(chip: Union[None, PathLike, Chip]) -> List[str]:
    """The options for a chip that was given in any way; None: heddle's default."""
    if chip is None:
        return []
    if isinstance(chip, Chip):
        return chip.options()
    if isinstance(chip, (str, os.PathLike)):
        return [f"--chip={os.fspath(chip)}"]
    raise wrong_type("chip", chip, "the name of a chip, a file, or a Chip")


__all__ = ["Chip", "Parameter", "UnknownName", "Value", "chip_options", "set_options", "value_text"]

"""Rows with named columns: what results are listed in. A pandas DataFrame is one call away."""
from __future__ import annotations

import csv
from html import escape
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, overload

from .errors import HeddleError, unknown_name

if TYPE_CHECKING:
    from .program import PathLike

Row = Dict[str, Any]
_SHOWN_ROWS = 20


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else str(value)


class Table(Sequence[Row]):
    """A sequence of rows, each a dict; `table["cycles"]` is a column."""

    def __init__(self, rows: Iterable[Mapping[str, Any]], columns: Optional[Iterable[str]] = None) -> None:
        self._rows: List[Row] = [dict(row) for row in rows]
        seen: Dict[str, None] = dict.fromkeys(columns or [])
        if columns is None:
            for row in self._rows:
                seen.update(dict.fromkeys(row))
        self.columns: List[str] = list(seen)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    @overload
    def __getitem__(self, key: int) -> Row: ...
    @overload
    def __getitem__(self, key: slice) -> "Table": ...
    @overload
    def __getitem__(self, key: str) -> List[Any]: ...

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self.column(key)
        if isinstance(key, slice):
            return Table(self._rows[key], self.columns)
        return self._rows[key]

    def column(self, name: str) -> List[Any]:
        """The values of a column; None where a row has none."""
        if name not in self.columns:
            raise unknown_name("column", name, self.columns)
        return [row.get(name) for row in self._rows]

    def where(self, **values: Any) -> "Table":
        """The rows that have these values."""
        for name in values:
            self.column(name)
        rows = [r for r in self._rows if all(r.get(k) == v for k, v in values.items())]
        return Table(rows, self.columns)

    def dataframe(self) -> Any:
        """A pandas DataFrame."""
        try:
            import pandas
        except ImportError:
            raise HeddleError("pandas is not installed, which data frames need (Debian: python3-pandas); "
                              "a Table is a sequence of dicts without it") from None
        return pandas.DataFrame(self._rows, columns=self.columns)

    def write_csv(self, path: "PathLike") -> None:
        """Into a file, with a line of names."""
        with open(path, "w", newline="") as out:
            writer = csv.DictWriter(out, self.columns)
            writer.writeheader()
            writer.writerows(self._rows)

    def __repr__(self) -> str:
        rows = [self.columns] + [[_text(r.get(c)) for c in self.columns] for r in self._rows[:_SHOWN_ROWS]]
        widths = [max(len(r[i]) for r in rows) for i in range(len(self.columns))]
        lines = ["  ".join(f"{cell:>{w}}" for cell, w in zip(r, widths)) for r in rows]
        if len(self) > _SHOWN_ROWS:
            lines.append(f"... {len(self)} rows")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        def line(tag: str, cells: Iterable[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{escape(c)}</{tag}>" for c in cells) + "</tr>"
        body = [line("td", (_text(r.get(c)) for c in self.columns)) for r in self._rows[:_SHOWN_ROWS]]
        more = f"<p>{len(self)} rows, the first {_SHOWN_ROWS} are shown</p>" if len(self) > _SHOWN_ROWS else ""
        return f"<table>{line('th', self.columns)}{''.join(body)}</table>{more}"

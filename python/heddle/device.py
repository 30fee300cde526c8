"""A simulated GPU for kernels from Python: load, launch, and see what each launch cost.

    device = heddle.Device("volta80")
    add = device.load("add.ptx")["add"]
    launch = add(a, b, c, n, grid=40, block=256)        # NumPy arrays, copied there and back
    print(launch.cycles, launch["l1_hits"])

The device lives in a process of its own, so that nothing that happens to it harms this one.
"""
from __future__ import annotations

import base64
import ctypes
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, BinaryIO, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import device_child, ptx
from .chip import Chip, Value, chip_options, set_options
from .driver import kernel_records as _kernel_records
from .errors import HeddleError, InputError, ProgramFailed, RunBroken, error_of, killed, unknown_name, wrong_type
from .program import INTERRUPTED, PathLike, find
from .result import Result, flat
from .running import policy_options
from .table import Table

Dimension = Union[int, Sequence[int]]
_FORMATS = {"int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "int64": "q",
            "uint64": "Q", "float16": "e", "float32": "f", "float64": "d"}
_CODE = ("import sys; sys.path.insert(0, sys.argv[1]); from heddle.device_child import main; "
         "main(int(sys.argv[2]), int(sys.argv[3]))")
_COMPUTE_MAJOR, _COMPUTE_MINOR = 75, 76


class Array:
    """Memory of the device, with shape and type of what is in it."""

    def __init__(self, device: "Device", shape: Tuple[int, ...], format: str) -> None:
        self.device, self.shape, self.format = device, shape, format
        self.nbytes = struct.calcsize(format) * math.prod(shape)
        self.pointer: int = device._ask({"do": "allocate", "count": self.nbytes})["value"]

    def set(self, data: Any) -> None:
        """Copies from the host."""
        raw = memoryview(data).cast("B")
        if raw.nbytes != self.nbytes:
            raise InputError(f"{raw.nbytes} bytes are given for an array of {self.nbytes}",
                             found=str(raw.nbytes), expected=str(self.nbytes))
        self.device._ask({"do": "write", "pointer": self.pointer}, bytes(raw))

    def get(self) -> Any:
        """Copies to the host: a NumPy array, or a memoryview without NumPy."""
        data = self.device._ask_bytes({"do": "read", "pointer": self.pointer, "count": self.nbytes})
        try:
            import numpy
        except ImportError:
            view = memoryview(data)
            return view.cast(self.format, self.shape) if self.format != "e" else view
        return numpy.frombuffer(data, dtype=self.format).reshape(self.shape).copy()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        array = self.get()
        return array if dtype is None else array.astype(dtype)

    def free(self) -> None:
        """Gives the memory back."""
        if self.pointer:
            self.device._ask({"do": "free", "pointer": self.pointer})
            self.pointer = 0

    def __repr__(self) -> str:
        return f"<array {self.shape} of '{self.format}' at {self.pointer:#x}>"


class Launch:
    """What one launch cost: cycles and every number of its record."""

    def __init__(self, name: str, kernels: Sequence[Mapping[str, Any]]) -> None:
        self.name = name
        self.kernels = Table(flat(k) for k in kernels)
        self._record: Mapping[str, Any] = self.kernels[0] if len(self.kernels) else {}

    @property
    def cycles(self) -> int:
        """From the start of the first kernel to the end of the last: a kernel may launch others."""
        if not len(self.kernels):
            raise HeddleError("the device simulates no time (functional=True), so a launch has no cycles")
        return int(max(self.kernels["ended"]) - min(self.kernels["started"]))

    def __getitem__(self, name: str) -> Any:
        if name not in self._record:
            raise unknown_name("number of a kernel", name, self._record)
        return self._record[name]

    def __repr__(self) -> str:
        return f"<{self.name}: {self.cycles} cycles>" if len(self.kernels) else f"<{self.name}>"

    def _repr_html_(self) -> str:
        slots = [(n[16:], float(v)) for n, v in self._record.items() if n.startswith("scheduler_slots_")]
        from .figure import stack
        return f"<b>{self!r}</b>".replace("<b><", "<b>").replace("></b>", "</b>") + (stack(slots) if slots else "")


def _three(what: str, given: Dimension) -> List[int]:
    values = [given] if isinstance(given, int) else list(given)
    if not 1 <= len(values) <= 3 or not all(isinstance(v, int) and v > 0 for v in values):
        raise wrong_type(what, given, "one to three whole numbers above 0")
    return values + [1] * (3 - len(values))


def _scalar_bytes(what: str, value: Any, kind: Optional[ptx.ParameterType]) -> bytes:
    """The bytes of a number as the kernel's parameter has it."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, (ctypes._SimpleCData, ctypes.Structure, ctypes.Array)) or hasattr(value, "dtype"):
        return bytes(value.tobytes() if hasattr(value, "tobytes") else value)
    if not isinstance(value, (int, float)):
        raise wrong_type(what, value, "a number, bytes, an Array, or an array of the host")
    size = kind.size if kind else 4
    is_float = kind.kind == "f" if kind and kind.kind != "b" else isinstance(value, float)
    if size not in (1, 2, 4, 8):
        raise wrong_type(what, value, f"{size} bytes")
    if not is_float and isinstance(value, float):
        raise wrong_type(what, value, "a whole number")
    try:
        if is_float:
            return struct.pack({2: "e", 4: "f", 8: "d"}[size], value)
        return int(value).to_bytes(size, "little", signed=value < 0)
    except OverflowError:
        raise InputError(f"{what} is {value}, expected a number of {size} bytes", found=str(value)) from None


class Function:
    """A kernel: function(*arguments, grid=..., block=..., shared=0) launches it and waits."""

    def __init__(self, module: "Module", name: str, parameters: Optional[List[ptx.ParameterType]]) -> None:
        self.module, self.name, self.parameters = module, name, parameters
        device = module.device
        self._handle = device._ask({"do": "function", "module": module.handle, "name": name})["value"]
        sizes = device._ask({"do": "parameters", "function": self._handle})["sizes"]
        if parameters is None or [p.size for p in parameters] != sizes:
            self.parameters = [ptx.ParameterType("b", size) for size in sizes]

    def _value(self, i: int, given: Any, kept: List[Tuple[Any, Array]]) -> bytes:
        kind = self.parameters[i] if self.parameters else None
        what = f"argument {i + 1} of {self.name}"
        if isinstance(given, Array):
            raw = given.pointer.to_bytes(8, "little")
        elif not isinstance(given, (bytes, ctypes._SimpleCData)) and getattr(given, "shape", None) != () \
                and _is_buffer(given):
            kept.append((given, self.module.device.array(given)))
            raw = kept[-1][1].pointer.to_bytes(8, "little")
        else:
            raw = _scalar_bytes(what, given, kind)
        if kind and len(raw) != kind.size:
            raise InputError(f"{what} has {len(raw)} bytes, expected {kind.size}", found=str(len(raw)),
                             expected=str(kind.size))
        return raw

    def __call__(self, *arguments: Any, grid: Dimension, block: Dimension, shared: int = 0) -> Launch:
        count = len(self.parameters or [])
        if len(arguments) != count:
            raise InputError(f"{self.name} has {count} parameters, {len(arguments)} arguments are given",
                             found=str(len(arguments)), expected=str(count))
        message = {"do": "launch", "function": self._handle, "grid": _three("grid", grid),
                   "block": _three("block", block), "shared": shared}
        kept: List[Tuple[Any, Array]] = []
        try:
            values = [self._value(i, a, kept) for i, a in enumerate(arguments)]
            done = self.module.device._ask({**message, "values": [base64.b64encode(v).decode() for v in values]})
            for host, array in kept:
                view = memoryview(host).cast("B")
                if not view.readonly:
                    view[:] = self.module.device._ask_bytes(
                        {"do": "read", "pointer": array.pointer, "count": array.nbytes})
        finally:
            for _, array in kept:
                self.module.device._forget(array)
        return Launch(self.name, done["kernels"])


def _is_buffer(given: Any) -> bool:
    try:
        memoryview(given)
    except TypeError:
        return False
    return True


class Module:
    """Code that was loaded; module["name"] is a kernel."""

    def __init__(self, device: "Device", image: bytes, kernels: Dict[str, List[ptx.ParameterType]]) -> None:
        self.device, self._kernels = device, kernels
        self.handle: int = device._ask({"do": "load"}, image)["value"]
        self._functions: Dict[str, Function] = {}

    @property
    def kernels(self) -> List[str]:
        """Their names, of a module that was given as PTX or CUDA C."""
        return list(self._kernels)

    def __getitem__(self, name: str) -> Function:
        if self._kernels and name not in self._kernels:
            raise unknown_name("kernel", name, self._kernels)
        if name not in self._functions:
            self._functions[name] = Function(self, name, self._kernels.get(name))
        return self._functions[name]

    def variable(self, name: str) -> Dict[str, int]:
        """Where a __device__ variable is: its pointer and bytes."""
        return self.device._ask({"do": "global", "module": self.handle, "name": name})


class Device:
    """A chip that waits for kernels. Close it, or use it in `with`; result() then has the whole run."""

    def __init__(self, chip: Union[None, PathLike, Chip] = None, *, set: Optional[Mapping[str, Value]] = None,
                 policy: Union[None, str, Mapping[str, str]] = None, functional: bool = False,
                 bounds: Optional[str] = None, caches: Optional[str] = None, seed: Optional[int] = None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="heddle-device-")
        self._path = Path(self._folder.name)
        self.functional = functional
        words = ["run", *chip_options(chip), *set_options(set or {}), *policy_options(policy), "--quiet"]
        words += ["--functional"] if functional else [f"--stats={self._path / 'result.json'}"]
        for name, value in (("bounds", bounds), ("caches", caches), ("seed", seed)):
            words += [f"--{name}={value}"] if value is not None else []
        self._why_closed = ""
        self._said = 0
        self._start(words)

    def _start(self, words: List[str]) -> None:
        requests, to_child = os.pipe()
        from_child, answers = os.pipe()
        here = str(Path(__file__).resolve().parent.parent)
        command = [find(), *words, "--", sys.executable, "-c", _CODE, here, str(requests), str(answers)]
        environment = {**os.environ, "HEDDLE_ERRORS": str(self._path / "errors")}
        with open(self._path / "output", "wb") as output, open(self._path / "messages", "wb") as messages:
            self._child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                           stderr=messages, pass_fds=(requests, answers))
        os.close(requests)
        os.close(answers)
        self._to: BinaryIO = os.fdopen(to_child, "wb")
        self._from: BinaryIO = os.fdopen(from_child, "rb")
        self._answer()

    # ---- talking with the child

    def _text(self, name: str) -> str:
        path = self._path / name
        return path.read_text(errors="replace") if path.exists() else ""

    def _rows(self) -> List[Dict[str, Any]]:
        return [json.loads(line) for line in self._text("errors").splitlines() if line]

    def _ended(self) -> HeddleError:
        """Why the child has gone."""
        for pipe in (self._to, self._from):
            try:
                pipe.close()
            except OSError:
                pass
        code = self._child.wait()
        self._why_closed = f"the device's process has ended with code {code}"
        messages = self._text("messages")
        if code in (INTERRUPTED, -2):
            raise KeyboardInterrupt
        rows = [r for r in self._rows() if r["exit_code"]]
        if rows:
            return error_of(rows[-1], messages, self._text("output"))
        if code < 0:
            return killed("the device's process", code, messages)
        last = messages.strip().splitlines()[-1:] or ["it said nothing"]
        return ProgramFailed(f"{self._why_closed}: {last[0]}", exit_code=code, messages=messages)

    def _answer(self) -> Tuple[Dict[str, Any], bytes]:
        try:
            answer = device_child.receive(self._from)
        except KeyboardInterrupt:
            self._child.terminate()
            self._child.wait()
            self._why_closed = "the device was interrupted"
            raise
        if answer is None:
            raise self._ended()
        if "error" in answer[0]:
            said = [r["sentence"] for r in self._rows()]
            new, self._said = said[self._said:], len(said)
            raise RunBroken(": ".join([f"{answer[0]['call']} failed, {answer[0]['error']}", *new[-1:]]),
                            found=answer[0]["error"], messages=self._text("messages"))
        return answer

    def _exchange(self, message: Dict[str, Any], data: bytes) -> Tuple[Dict[str, Any], bytes]:
        if self._why_closed:
            raise HeddleError(f"{self._why_closed}; make another Device")
        try:
            device_child.send(self._to, message, data)
        except (BrokenPipeError, ValueError):
            raise self._ended() from None
        return self._answer()

    def _ask(self, message: Dict[str, Any], data: bytes = b"") -> Dict[str, Any]:
        return self._exchange(message, data)[0]

    def _ask_bytes(self, message: Dict[str, Any]) -> bytes:
        return self._exchange(message, b"")[1]

    def _forget(self, array: Array) -> None:
        if not self._why_closed:
            try:
                array.free()
            except HeddleError:
                pass  # after a fault every call fails; its own error is on the way

    # ---- memory

    def array(self, data: Any) -> Array:
        """A copy of an array of the host: NumPy's, array.array, bytes or any other buffer."""
        try:
            view = memoryview(data)
        except TypeError:
            raise wrong_type("array", data, "a NumPy array or another buffer") from None
        if not view.c_contiguous:
            raise InputError("the array is not contiguous, expected numpy.ascontiguousarray(...) of it")
        out = Array(self, tuple(view.shape or (1,)), view.format)
        out.set(view)
        return out

    def empty(self, shape: Union[int, Sequence[int]], dtype: Any = "float32") -> Array:
        """Memory that holds anything; dtype: a name such as "float32", or NumPy's."""
        name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
        if name not in _FORMATS:
            raise unknown_name("type", name, _FORMATS)
        return Array(self, (shape,) if isinstance(shape, int) else tuple(shape), _FORMATS[name])

    def zeros(self, shape: Union[int, Sequence[int]], dtype: Any = "float32") -> Array:
        """Memory of zeros."""
        out = self.empty(shape, dtype)
        out.set(bytes(out.nbytes))
        return out

    # ---- code

    @property
    def compute_capability(self) -> Tuple[int, int]:
        """Of the chip."""
        major, minor = (self._ask({"do": "attribute", "number": n})["value"]
                        for n in (_COMPUTE_MAJOR, _COMPUTE_MINOR))
        return major, minor

    def load(self, code: Union[str, bytes, "os.PathLike[str]"], options: Sequence[str] = ()) -> Module:
        """PTX or CUDA C, as a text or a file (.ptx, .cu); bytes: a fat binary.

        CUDA C is compiled for the chip's compute capability by nvcc or NVRTC, with these options.
        """
        if isinstance(code, bytes):
            return Module(self, code, {})
        if not isinstance(code, (str, os.PathLike)):
            raise wrong_type("code", code, "PTX, CUDA C, or the name of a file")
        text = ptx.text_of(code)
        if not ptx.is_ptx(text):
            major, minor = self.compute_capability
            text = ptx.compile_cuda(text, f"compute_{major}{minor}", options)
        return Module(self, text.encode(), ptx.entries(text))

    # ---- the end

    @property
    def output(self) -> str:
        """What kernels have printed."""
        return self._text("output")

    def close(self) -> None:
        """Ends the process; laws are checked and the result is written."""
        if self._why_closed:
            return
        self._to.close()
        code = self._child.wait()
        self._from.close()
        self._why_closed = "the device was closed"
        rows = [r for r in self._rows() if r["exit_code"]]
        if code and rows:
            raise error_of(rows[-1], self._text("messages"), self.output)

    def result(self) -> Result:
        """Closes the device; the result of everything that ran on it."""
        self.close()
        path = self._path / "result.json"
        if not path.exists():
            raise HeddleError("the device has no result: no kernel ran with timing")
        return Result(path, output=self.output, messages=self._text("messages"), keep=self._folder)

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        elif not self._why_closed:
            self._why_closed = "the device was closed"
            self._child.kill()
            self._child.wait()

    def __del__(self) -> None:
        child = getattr(self, "_child", None)
        if child and child.poll() is None:
            child.kill()
            child.wait()


def kernel_records(first: int = 0) -> Table:
    """In a program under `heddle run`: a row for each kernel that has ended in it, without the first so many."""
    records = _kernel_records(first)
    if records is None:
        raise HeddleError("this process does not run on heddle, expected `heddle run -- python3 ...`")
    return Table(flat(r) for r in records)

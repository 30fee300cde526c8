"""Triton's kernels without PyTorch: arrays that Triton takes, and its driver without torch.

    import heddle.triton
    heddle.triton.use()
    x = heddle.triton.array(numpy_array)
    kernel[(blocks,)](x, ...)
    print(x.numpy())

The same program runs under `heddle run -- python3 ...` and, as it is, on a GPU.
"""
from __future__ import annotations

import contextlib
import ctypes
import os
from typing import Any, Callable, Optional, Tuple

import numpy

from .driver import Driver, kernel_records

_MAJOR, _MINOR = 75, 76
_AMPERE = (8, 0)
_NON_BLOCKING, _CAPTURE_RELAXED = 1, 2
_driver: Optional[Driver] = None
_stream = 0  # that Triton launches in


def driver() -> Driver:
    """The driver of this process."""
    global _driver
    if _driver is None:
        _driver = Driver()
    return _driver


def is_simulated() -> bool:
    """Does this process run on heddle?"""
    driver()
    return kernel_records(1 << 40) is not None


def capability() -> Tuple[int, int]:
    """What Triton compiles for: the device's own; on heddle at most 8.0, whose code uses no wgmma.

    HEDDLE_TRITON_CAPABILITY=90, say, is another choice.
    """
    given = os.environ.get("HEDDLE_TRITON_CAPABILITY")
    if given:
        return int(given[:-1]), int(given[-1])
    own = (driver().attribute(_MAJOR), driver().attribute(_MINOR))
    return min(own, _AMPERE) if is_simulated() else own


class DeviceArray:
    """Device memory with NumPy's shape and type; Triton takes it as a pointer."""

    def __init__(self, shape: Tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype = shape, numpy.dtype(dtype)
        self.nbytes = int(numpy.prod(shape, dtype=numpy.int64)) * self.dtype.itemsize
        self._pointer = driver().allocate(self.nbytes)

    def data_ptr(self) -> int:
        """As a tensor of PyTorch has it."""
        return self._pointer

    def stride(self, axis: int) -> int:
        """Elements from one index to the next, of an array in C order."""
        return int(numpy.prod(self.shape[axis + 1:], dtype=numpy.int64)) if axis >= 0 else \
            self.stride(len(self.shape) + axis)

    def numpy(self) -> Any:
        """A copy on the host."""
        raw = driver().read(self._pointer, self.nbytes)
        return numpy.frombuffer(raw, dtype=self.dtype).reshape(self.shape).copy()

    def __del__(self) -> None:
        if _driver is not None and getattr(self, "_pointer", None):
            with contextlib.suppress(Exception):  # at the end of the process the driver may have gone
                _driver.free(self._pointer)


def array(data: Any) -> DeviceArray:
    """A copy of an array of the host."""
    host = numpy.ascontiguousarray(data)
    out = DeviceArray(host.shape, host.dtype)
    driver().write(out.data_ptr(), host.tobytes())
    return out


def empty(shape: Tuple[int, ...], dtype: Any = "float32") -> DeviceArray:
    """Memory that holds anything."""
    return DeviceArray(shape, dtype)


def _elapsed(work: Callable[[], Any], stream: int) -> float:
    """Milliseconds between an event before some work and one behind it."""
    start, stop, out = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_float()
    d = driver()
    for event in (start, stop):
        d.call("cuEventCreate", ctypes.byref(event), 0)
    d.call("cuEventRecord", start, ctypes.c_void_p(stream))
    work()
    d.call("cuEventRecord", stop, ctypes.c_void_p(stream))
    d.call("cuEventSynchronize", stop)
    d.call("cuEventElapsedTime", ctypes.byref(out), start, stop)
    for event in (start, stop):
        d.call("cuEventDestroy_v2", event)
    return out.value


def _captured(work: Callable[[], Any], stream: ctypes.c_void_p) -> ctypes.c_void_p:
    """A graph of what some work launches."""
    global _stream
    d, graph, launchable = driver(), ctypes.c_void_p(), ctypes.c_void_p()
    _stream = stream.value or 0
    try:
        d.call("cuStreamBeginCapture_v2", stream, _CAPTURE_RELAXED)
        work()
        d.call("cuStreamEndCapture", stream, ctypes.byref(graph))
    finally:
        _stream = 0
    d.call("cuGraphInstantiateWithFlags", ctypes.byref(launchable), graph, ctypes.c_uint64(0))
    d.call("cuGraphDestroy", graph)
    return launchable


def milliseconds(work: Callable[[], Any], repeat: int = 1) -> float:
    """What Triton's launches in `work` take, by events: simulated time on heddle.

    repeat: on a GPU, launch so often from a graph, so that Python's own time does not count. On
    heddle the host takes no time, and one launch is enough.
    """
    if is_simulated() or repeat == 1:
        return _elapsed(work, 0)
    d, stream = driver(), ctypes.c_void_p()
    d.call("cuStreamCreate", ctypes.byref(stream), _NON_BLOCKING)
    graph = _captured(lambda: [work() for _ in range(repeat)], stream)

    def launch() -> None:
        d.call("cuGraphLaunch", graph, stream)

    launch()
    d.call("cuStreamSynchronize", stream)
    total = _elapsed(launch, stream.value or 0)
    d.call("cuGraphExecDestroy", graph)
    d.call("cuStreamDestroy_v2", stream)
    return total / repeat


def use(compute_capability: Optional[Tuple[int, int]] = None) -> None:
    """Makes Triton use this process's driver directly; call it before the first launch.

    compute_capability: what to compile for, by default capability().
    """
    from triton.backends.driver import GPUDriver
    from triton.backends.nvidia.driver import CudaDriver
    from triton.runtime import driver as active
    target = compute_capability or capability()

    class DirectDriver(CudaDriver):  # type: ignore
        """Triton's own, with what it asks torch answered here."""

        def __init__(self) -> None:
            asks_torch = GPUDriver.__init__
            GPUDriver.__init__ = lambda self: None
            try:
                super().__init__()
            finally:
                GPUDriver.__init__ = asks_torch
            self.get_device_capability = lambda device=0: target
            self.get_current_stream = lambda device=0: _stream
            self.get_current_device = lambda: 0
            self.set_current_device = lambda device: None

    active.set_active(DirectDriver())

"""The CUDA driver library through ctypes: what Device's child process and programs on heddle need of it.

It is whatever `libcuda.so.1` the loader finds: heddle's under `heddle run`, else NVIDIA's.
"""
from __future__ import annotations

import ctypes
import json
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any, Dict, List, Optional, Sequence

_MAX_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


class DriverError(Exception):
    """A call that gave an error; `name` is CUDA's."""

    def __init__(self, call: str, name: str) -> None:
        super().__init__(f"{call}: {name}")
        self.call, self.name = call, name


class Driver:
    """The first device, its primary context and the default stream."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = c_int(), c_void_p()
        self.call("cuDeviceGet", byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self._device = device

    def call(self, name: str, *arguments: Any) -> None:
        """A function of the driver; raises unless it succeeds."""
        status = getattr(self._library, name)(*arguments)
        if status:
            text = c_char_p()
            self._library.cuGetErrorName(status, byref(text))
            raise DriverError(name, (text.value or b"unknown error").decode())

    def attribute(self, number: int) -> int:
        """CU_DEVICE_ATTRIBUTE_..."""
        value = c_int()
        self.call("cuDeviceGetAttribute", byref(value), number, self._device)
        return value.value

    def allocate(self, count: int) -> int:
        """Bytes of device memory."""
        pointer = c_uint64()
        self.call("cuMemAlloc_v2", byref(pointer), c_size_t(max(count, 1)))
        return pointer.value

    def free(self, pointer: int) -> None:
        """Device memory, given back."""
        self.call("cuMemFree_v2", c_uint64(pointer))

    def write(self, pointer: int, data: bytes) -> None:
        """From the host to the device."""
        if data:
            self.call("cuMemcpyHtoD_v2", c_uint64(pointer), data, c_size_t(len(data)))

    def read(self, pointer: int, count: int) -> bytes:
        """From the device to the host."""
        out = ctypes.create_string_buffer(count)
        if count:
            self.call("cuMemcpyDtoH_v2", out, c_uint64(pointer), c_size_t(count))
        return out.raw

    def load(self, image: bytes) -> int:
        """A module from PTX, or any image that the driver takes."""
        module = c_void_p()
        self.call("cuModuleLoadData", byref(module), image + b"\0")
        return module.value or 0

    def function(self, module: int, name: str) -> int:
        """A kernel of a module."""
        function = c_void_p()
        self.call("cuModuleGetFunction", byref(function), c_void_p(module), name.encode())
        return function.value or 0

    def parameters(self, function: int) -> List[int]:
        """The bytes of each parameter of a kernel."""
        sizes: List[int] = []
        offset, size = c_size_t(), c_size_t()
        while self._library.cuFuncGetParamInfo(c_void_p(function), c_size_t(len(sizes)), byref(offset),
                                               byref(size)) == 0:
            sizes.append(size.value)
        return sizes

    def global_at(self, module: int, name: str) -> Dict[str, int]:
        """Where a variable of a module is."""
        pointer, size = c_uint64(), c_size_t()
        self.call("cuModuleGetGlobal_v2", byref(pointer), byref(size), c_void_p(module), name.encode())
        return {"pointer": pointer.value, "bytes": size.value}

    def launch(self, function: int, grid: Sequence[int], block: Sequence[int], shared: int,
               values: Sequence[bytes]) -> None:
        """Launches a kernel and waits for its end; values: the bytes of each argument."""
        kernel = c_void_p(function)
        if shared > 48 * 1024:
            self.call("cuFuncSetAttribute", kernel, _MAX_SHARED, shared)
        buffers = [ctypes.create_string_buffer(v, len(v)) for v in values]
        pointers = (c_void_p * max(len(buffers), 1))(*[ctypes.addressof(b) for b in buffers])
        self.call("cuLaunchKernel", kernel, *map(c_uint, grid), *map(c_uint, block), c_uint(shared), None,
                  pointers, None)
        self.call("cuCtxSynchronize")


def kernel_records(first: int = 0, library: Optional[ctypes.CDLL] = None) -> Optional[List[Dict[str, Any]]]:
    """The records of the kernels that have ended in this process, without the first so many.

    None where the driver is not heddle's.
    """
    try:
        lib = library or ctypes.CDLL("libcuda.so.1")
        records = lib.cu_kernel_records
    except (OSError, AttributeError):
        return None
    records.argtypes, records.restype = [c_uint64, c_void_p, c_uint64], c_uint64
    room = 1 << 16
    while True:
        out = ctypes.create_string_buffer(room)
        needed = records(first, out, room)
        if needed <= room:
            return list(json.loads(out.value))
        room = needed

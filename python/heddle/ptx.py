"""What Device must know of a module: its kernels and the types of their parameters; CUDA C to PTX."""
from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
from ctypes import byref, c_char_p, c_int, c_size_t, c_void_p
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence

from .errors import InputError

_ENTRY = re.compile(r"\.entry\s+([\w$%]+)\s*(?:\((.*?)\))?", re.S)
_PARAM = re.compile(r"\.param\s+(?:\.align\s+\d+\s+)?\.([a-z]+)(\d+)(?:\s+\.ptr[^,]*?)?\s+[\w$%]+(?:\[(\d+)\])?")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
NVRTC_LIBRARIES = ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so")


class ParameterType(NamedTuple):
    """`kind` is u, s, f or b as in PTX; b of more than 8 bytes is a struct."""
    kind: str
    size: int


def entries(text: str) -> Dict[str, List[ParameterType]]:
    """The kernels of a PTX text and their parameters."""
    plain = _COMMENT.sub(" ", text)
    out: Dict[str, List[ParameterType]] = {}
    for name, parameters in _ENTRY.findall(plain):
        out[name] = [ParameterType(kind, int(bits) // 8 * int(count or 1))
                     for kind, bits, count in _PARAM.findall(parameters)]
    return out


def _with_nvcc(nvcc: str, source: str, architecture: str, options: Sequence[str]) -> str:
    with tempfile.TemporaryDirectory(prefix="heddle-nvcc-") as folder:
        text, out = Path(folder) / "kernel.cu", Path(folder) / "kernel.ptx"
        text.write_text(source)
        done = subprocess.run([nvcc, "-ptx", f"-arch={architecture}", *options, "-o", str(out), str(text)],
                              capture_output=True, text=True)
        if done.returncode:
            raise InputError(f"nvcc does not compile it: {done.stderr.strip()}", messages=done.stderr)
        return out.read_text()


def _nvrtc() -> Optional[ctypes.CDLL]:
    for name in NVRTC_LIBRARIES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def _with_nvrtc(library: ctypes.CDLL, source: str, architecture: str, options: Sequence[str]) -> str:
    program = c_void_p()
    library.nvrtcCreateProgram(byref(program), source.encode(), b"kernel.cu", 0, None, None)
    words = [f"--gpu-architecture={architecture}".encode(), *(o.encode() for o in options)]
    status: int = library.nvrtcCompileProgram(program, c_int(len(words)), (c_char_p * len(words))(*words))
    size = c_size_t()
    ask_size, ask = ("nvrtcGetProgramLogSize", "nvrtcGetProgramLog") if status else ("nvrtcGetPTXSize", "nvrtcGetPTX")
    getattr(library, ask_size)(program, byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(library, ask)(program, text)
    if status:
        raise InputError(f"NVRTC does not compile it: {text.value.decode().strip()}")
    return text.value.decode()


def compile_cuda(source: str, architecture: str, options: Sequence[str] = ()) -> str:
    """PTX of a CUDA C text, by nvcc (in $PATH or /usr/local/cuda/bin) or NVRTC."""
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if nvcc:
        return _with_nvcc(nvcc, source, architecture, options)
    library = _nvrtc()
    if library:
        return _with_nvrtc(library, source, architecture, options)
    raise InputError("a text of CUDA C was given, and neither nvcc nor NVRTC was found; give PTX, or put nvcc "
                     "into PATH")


def text_of(given: "str | os.PathLike[str]") -> str:
    """The text itself, or of the file that is named."""
    if isinstance(given, os.PathLike) or ("\n" not in given and given.endswith((".ptx", ".cu"))):
        path = Path(given)
        if not path.exists():
            raise InputError(f"{path}: there is no such file", file=str(path))
        return path.read_text()
    return given


def is_ptx(text: str) -> bool:
    """PTX begins with its version."""
    return _COMMENT.sub(" ", text).lstrip().startswith(".version")

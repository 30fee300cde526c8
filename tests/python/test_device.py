#!/usr/bin/env python3
"""heddle.Device: kernels from Python, and Python programs that use the driver. Prints TAP."""
import array
import os
import subprocess
import sys
import tempfile

from tap import main, raises

import heddle

FOLDER = tempfile.TemporaryDirectory()
os.chdir(FOLDER.name)
PTX = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 x, .param .u64 y, .param .f32 k, .param .u32 n) // y[i] = k * x[i]
{
  .reg .u32 %r<5>; .reg .u64 %d<5>; .reg .f32 %f<3>; .reg .pred %p;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  ld.param.u32 %r4, [n]; setp.ge.u32 %p, %r1, %r4; @%p bra done;
  ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y]; mul.wide.u32 %d3, %r1, 4;
  add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;
  ld.param.f32 %f1, [k]; ld.global.f32 %f2, [%d1]; mul.f32 %f2, %f2, %f1; st.global.f32 [%d2], %f2;
done: ret;
}
.visible .entry wild(.param .u64 x)
{
  .reg .u64 %d; .reg .u32 %r;
  mov.u64 %d, 4096; mov.u32 %r, 1; st.global.u32 [%d], %r; ret;
}
"""
DEVICE = heddle.Device("volta8")
SCALE = DEVICE.load(PTX)["scale"]
X = array.array("f", range(1000))


def numpy_or_none():
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def test_a_launch_reads_and_writes_arrays_of_the_host():
    y = array.array("f", bytes(4000))
    launch = SCALE(X, y, 3, 1000, grid=4, block=256)
    assert y.tolist() == [3.0 * i for i in range(1000)]
    assert launch.cycles > 0 and launch["blocks"] == 4 and launch["threads_per_block"] == 256


def test_cycles_of_a_launch_are_those_of_its_record():
    launch = SCALE(X, array.array("f", bytes(4000)), 1, 1000, grid=4, block=256)
    assert launch.cycles == launch["cycles"] and launch["name"] == "scale" and len(launch.kernels) == 1
    raises(heddle.UnknownName, lambda: launch["l1_hit"], "nearest: l1_hits")


def test_numpy_arrays_move_there_and_back():
    numpy = numpy_or_none()
    if not numpy:
        return "NumPy is not installed"
    x = DEVICE.array(numpy.arange(6, dtype=numpy.float32).reshape(2, 3))
    y = DEVICE.zeros((2, 3), numpy.float32)
    SCALE(x, y, numpy.float32(0.5), numpy.uint32(6), grid=1, block=32)
    assert (numpy.asarray(y) == numpy.arange(6).reshape(2, 3) / 2).all() and y.get().dtype == numpy.float32
    raises(heddle.InputError, lambda: DEVICE.array(numpy.zeros((4, 4))[:, 1]), "not contiguous")
    return None


def test_arguments_are_checked_before_the_launch():
    y = DEVICE.zeros(10)
    raises(heddle.InputError, lambda: SCALE(y, y, 1, grid=1, block=1), "has 4 parameters, 3 arguments")
    raises(heddle.InputError, lambda: SCALE(y, y, 1, 1.5, grid=1, block=1), "argument 4", "whole number")
    raises(heddle.InputError, lambda: SCALE(y, "y", 1, 1, grid=1, block=1), "argument 2", "type str")
    raises(heddle.InputError, lambda: SCALE(y, y, 1, 1 << 40, grid=1, block=1), "4 bytes")
    raises(heddle.InputError, lambda: SCALE(y, y, 1, 1, grid=0, block=1), "grid is 0")
    raises(heddle.UnknownName, lambda: SCALE.module["scal"], "nearest: scale")
    raises(heddle.UnknownName, lambda: DEVICE.empty(3, "float31"), "nearest: float3")


def test_a_refused_launch_says_why_and_the_device_goes_on():
    y = DEVICE.zeros(10)
    raises(heddle.RunBroken, lambda: SCALE(y, y, 1, 1, grid=1, block=2048), "CUDA_ERROR_INVALID_VALUE", "blockDim.x")
    assert SCALE(y, y, 1, 10, grid=1, block=32).cycles > 0


def test_code_that_is_wrong_is_refused_with_its_place():
    raises(heddle.RunBroken, lambda: DEVICE.load(".version 7.0\n.target sm_70\n.foo\n"), "ptx:3:1")
    raises(heddle.InputError, lambda: DEVICE.load("nowhere.ptx"), "there is no such file")


def test_a_wild_pointer_is_an_exception_and_not_a_crash():
    with heddle.Device("volta8") as device:
        wild = device.load(PTX)["wild"]
        raises(heddle.RunBroken, lambda: wild(device.zeros(1), grid=1, block=1), "kernel wild", "0x1000")


def test_a_device_without_time_gives_answers_alone():
    y = array.array("f", bytes(40))
    with heddle.Device(functional=True) as device:
        launch = device.load(PTX)["scale"](X[:10], y, 2, 10, grid=1, block=32)
    assert y.tolist() == [2.0 * i for i in range(10)]
    raises(heddle.HeddleError, lambda: launch.cycles, "simulates no time")


def test_the_result_of_a_device_has_all_its_launches():
    device = heddle.Device("volta8", set={"sm.l1.mshrs": 8}, policy={"warp.scheduler": "lrr"})
    scale = device.load(PTX)["scale"]
    launches = [scale(X, array.array("f", bytes(4000)), 1, 1000, grid=4, block=256) for _ in range(2)]
    result = device.result()
    assert result.kernels["cycles"] == [launch.cycles for launch in launches]
    assert result.config["sm.l1.mshrs"] == "8" and result.config["sm.warp_policy"] == "lrr"
    raises(heddle.HeddleError, lambda: device.zeros(1), "was closed")


def test_a_killed_device_says_so():
    device = heddle.Device("volta8")
    device._child.kill()
    raises(heddle.ProgramKilled, lambda: device.zeros(1), "SIGKILL")
    raises(heddle.HeddleError, lambda: device.zeros(1), "make another Device")


def test_a_bad_chip_raises_at_once():
    assert raises(heddle.UnknownName, lambda: heddle.Device("volta9")).nearest == "volta8"


def test_cuda_c_is_compiled_where_there_is_a_compiler():
    source = 'extern "C" __global__ void twice(int *x, short k) { x[threadIdx.x] *= k; }\n'
    x = array.array("i", [5, -6])
    try:
        kernel = DEVICE.load(source)["twice"]
    except heddle.InputError as error:
        assert "neither nvcc nor NVRTC" in str(error)
        return "neither nvcc nor NVRTC is installed"
    kernel(x, -2, grid=1, block=2)
    assert x.tolist() == [-10, 12]
    raises(heddle.InputError, lambda: DEVICE.load("int x\nint y\n"), "does not compile")
    return None


PROGRAM = """
import numpy
from numba import cuda
from numba.cuda.cudadrv import driver
import heddle
context = cuda.current_context()
module = context.create_module_ptx(open("scale.ptx").read())
x = cuda.to_device(numpy.arange(100, dtype=numpy.float32)); y = cuda.device_array_like(x)
import ctypes
k, n = ctypes.c_float(2), ctypes.c_uint32(100)
pointers = [ctypes.c_uint64(a.device_ctypes_pointer.value) for a in (x, y)]
driver.launch_kernel(module.get_function("scale").handle, 1, 1, 1, 128, 1, 1, 0, 0,
                     [*pointers, k, n])
cuda.synchronize()
assert (y.copy_to_host() == 2 * numpy.arange(100)).all()
records = heddle.kernel_records()
print(records["name"], records["cycles"])
"""


def python_with(module):
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return None


JIT = """
import numpy
from numba import cuda
from numba.cuda.cudadrv import nvvm
try:
    nvvm.NVVM()
except Exception as e:
    raise SystemExit("no libNVVM that Numba takes: " + " ".join(str(e).split()))
@cuda.jit
def total(x, out):
    part = cuda.shared.array(128, "float32")
    t, i = cuda.threadIdx.x, cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    width = 64
    while width:
        if t < width:
            part[t] += part[t + width]
        cuda.syncthreads()
        width //= 2
    if t == 0:
        cuda.atomic.add(out, 0, part[0])
x = cuda.to_device(numpy.arange(1000, dtype=numpy.float32))
out = cuda.to_device(numpy.zeros(1, numpy.float32))
total[8, 128](x, out)
print(out.copy_to_host()[0])
"""

def test_a_kernel_that_numba_compiles_runs():
    python = python_with("numba")
    if not python:
        return "Numba is not installed (python3-numba)"
    try:
        run = heddle.run([python, "-W", "ignore", "-c", JIT], "volta8")
    except heddle.ProgramFailed as error:
        assert "no libNVVM" in error.messages, error.messages
        return "no libNVVM that Numba accepts is installed"
    assert run.output.strip() == "499500.0", run.output
    return None

def test_a_program_with_numba_runs_and_sees_its_cycles():
    python = python_with("numba")
    if not python:
        return "Numba is not installed (python3-numba)"
    with open("scale.ptx", "w") as f:
        f.write(PTX)
    run = heddle.run([python, "-c", PROGRAM], "volta8", env={"PYTHONPATH": sys.path[0]})
    assert run.output.strip() == f"['scale'] [{run.cycles}]", run.output
    return None


def test_without_heddle_there_are_no_records():
    code = f"import sys; sys.path.insert(0, {sys.path[0]!r}); import heddle; heddle.kernel_records()"
    env = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert "HeddleError" in done.stderr and "heddle run -- python3" in done.stderr, done.stderr


def test_ptxas_of_heddle_leaves_the_ptx_as_it_is():
    ptxas = os.path.join(os.path.dirname(os.environ["HEDDLE"]), "src", "cuda", "ptxas")
    with open("in.ptx", "w") as f:
        f.write(PTX)
    subprocess.run([ptxas, "-lineinfo", "-v", "--gpu-name=sm_80", "in.ptx", "-o", "out.cubin"], check=True)
    assert open("out.cubin").read() == PTX
    assert "release 12.8" in subprocess.run([ptxas, "--version"], capture_output=True, text=True).stdout


if __name__ == "__main__":
    main(sys.modules[__name__])

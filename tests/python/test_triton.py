#!/usr/bin/env python3
"""Code that Triton made (tests/python/triton) of examples/triton/kernels.py, on a Device. Prints TAP.

Triton itself is not needed; tools/gpu-programs runs the examples where it is, on a GPU and on heddle.
"""
import math
import os
import sys
import zlib

from tap import main

import heddle

try:
    import numpy as np
except ImportError:
    np = None

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "triton")
THREADS = 128  # num_warps=4
MATMUL_BITS = 919555102  # of the answer of an H200 to the same PTX and input


def launch(name, arguments, grid, shared):
    """Triton's launcher gives two more pointers, to scratch memory that these kernels have none of."""
    with heddle.Device("volta8", set={"device.compute_capability": 80}) as device:
        kernel = device.load(os.path.join(FOLDER, name + ".ptx"))[name + "_kernel"]
        return kernel(*arguments, 0, 0, grid=grid, block=THREADS, shared=shared)


def check(got, want, bound):
    error = np.abs(got - want).max() / np.abs(want).max()
    assert error <= bound, error


def test_softmax_is_right_and_timed():
    if np is None:
        return "NumPy is not installed"
    rows, columns = 64, 781
    x = np.random.default_rng(1).standard_normal((rows, columns), dtype=np.float32)
    out = np.zeros_like(x)
    done = launch("softmax", (x, out, columns), rows, 16)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    check(out, e / e.sum(axis=1, keepdims=True), 1e-5)
    assert done.cycles > 0 and done["blocks"] == rows
    return None


def test_layer_norm_is_right_and_timed():
    if np is None:
        return "NumPy is not installed"
    rng, rows, columns = np.random.default_rng(1), 64, 1000
    x = rng.standard_normal((rows, columns), dtype=np.float32)
    w, b = rng.random(columns, dtype=np.float32), rng.random(columns, dtype=np.float32)
    out = np.zeros_like(x)
    done = launch("layer_norm", (x, w, b, out, columns, 1e-5), rows, 2048)
    centred = x - x.mean(axis=1, keepdims=True)
    check(out, centred / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5) * w + b, 1e-5)
    assert done.cycles > 0
    return None


def test_matmul_has_the_bits_of_an_h200():
    if np is None:
        return "NumPy is not installed"
    rng, m, n, k = np.random.default_rng(1), 256, 192, 320
    a, b = (rng.standard_normal(s, dtype=np.float32).astype(np.float16) for s in ((m, k), (k, n)))
    out = np.zeros((m, n), np.float32)
    done = launch("matmul", (a, b, out, m, n, k), (m // 64, n // 64), 16384)
    check(out, a.astype(np.float64) @ b.astype(np.float64), 1e-3)
    assert zlib.crc32(out.tobytes()) == MATMUL_BITS and done.cycles > 0
    return None


def test_attention_is_right_and_timed():
    if np is None:
        return "NumPy is not installed"
    rng, heads, length, size = np.random.default_rng(1), 2, 256, 64
    q, k, v = (rng.standard_normal((heads, length, size), dtype=np.float32).astype(np.float16) for _ in range(3))
    out = np.zeros((heads, length, size), np.float32)
    scale = 1 / math.sqrt(size)
    done = launch("attention", (q, k, v, out, scale), (length // 64, heads), 40960)
    score = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) * scale
    p = np.exp(score - score.max(axis=2, keepdims=True))
    check(out, p / p.sum(axis=2, keepdims=True) @ v.astype(np.float64), 4e-3)
    assert done.cycles > 0
    return None


if __name__ == "__main__":
    main(sys.modules[__name__])

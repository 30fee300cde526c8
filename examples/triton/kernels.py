#!/usr/bin/env python3
"""Softmax, layer norm, a matrix product and attention in Triton, checked against NumPy.

    heddle run --chip h200 -- python3 examples/triton/kernels.py [NAME...]     on heddle
    python3 examples/triton/kernels.py [NAME...]                               on a GPU

Prints a line of JSON for each kernel: the largest error relative to the largest value, the time by
events and, on heddle, the cycles. Exit code 1: an answer is off by more than its bound.
"""
import json
import math
import sys
import zlib

import numpy as np
import triton
import triton.language as tl

import heddle.triton as device


@triton.jit
def softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    v = tl.load(x + row * columns + at, mask=inside, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * columns + at, e / tl.sum(e, axis=0), mask=inside)


@triton.jit
def layer_norm_kernel(x, weight, bias, out, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    v = tl.load(x + row * columns + at, mask=inside, other=0.0)
    mean = tl.sum(v, axis=0) / columns
    d = tl.where(inside, v - mean, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(d * d, axis=0) / columns + eps)
    w = tl.load(weight + at, mask=inside)
    b = tl.load(bias + at, mask=inside)
    tl.store(out + row * columns + at, d * scale * w + b, mask=inside)


@triton.jit
def matmul_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        left = tl.load(a + m[:, None] * K + (start + k)[None, :],
                       mask=(m[:, None] < M) & ((start + k)[None, :] < K), other=0.0)
        right = tl.load(b + (start + k)[:, None] * N + n[None, :],
                        mask=((start + k)[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(left, right, acc)
    tl.store(c + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def attention_kernel(q, k, v, out, scale, LENGTH: tl.constexpr, HEAD: tl.constexpr, BM: tl.constexpr,
                     BN: tl.constexpr):
    """One block of queries against all keys, with the running maximum and sum of a flash attention."""
    head = tl.program_id(1) * LENGTH * HEAD
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, HEAD)
    queries = tl.load(q + head + m[:, None] * HEAD + d[None, :])
    most = tl.full((BM,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, HEAD), dtype=tl.float32)
    for start in range(0, LENGTH, BN):
        n = start + tl.arange(0, BN)
        keys = tl.load(k + head + n[None, :] * HEAD + d[:, None])
        score = tl.dot(queries, keys) * scale
        new = tl.maximum(most, tl.max(score, axis=1))
        p = tl.exp(score - new[:, None])
        keep = tl.exp(most - new)
        total = total * keep + tl.sum(p, axis=1)
        values = tl.load(v + head + n[:, None] * HEAD + d[None, :])
        acc = tl.dot(p.to(tl.float16), values, acc * keep[:, None])
        most = new
    tl.store(out + head + m[:, None] * HEAD + d[None, :], acc / total[:, None])


def softmax(rng):
    rows, columns = 256, 781
    x = rng.standard_normal((rows, columns), dtype=np.float32)
    out, a = device.empty((rows, columns)), device.array(x)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return lambda: softmax_kernel[(rows,)](a, out, columns, BLOCK=1024), out, e / e.sum(axis=1, keepdims=True), 1e-5


def layer_norm(rng):
    rows, columns = 256, 1000
    x = rng.standard_normal((rows, columns), dtype=np.float32)
    w, b = rng.random(columns, dtype=np.float32), rng.random(columns, dtype=np.float32)
    out, parts = device.empty((rows, columns)), [device.array(t) for t in (x, w, b)]
    centred = x - x.mean(axis=1, keepdims=True)
    want = centred / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5) * w + b
    return lambda: layer_norm_kernel[(rows,)](*parts, out, columns, 1e-5, BLOCK=1024), out, want, 1e-5


def matmul(rng):
    M, N, K = 256, 192, 320
    a, b = (rng.standard_normal(s, dtype=np.float32).astype(np.float16) for s in ((M, K), (K, N)))
    out, left, right = device.empty((M, N)), device.array(a), device.array(b)
    grid = (triton.cdiv(M, 64), triton.cdiv(N, 64))
    return (lambda: matmul_kernel[grid](left, right, out, M, N, K, BM=64, BN=64, BK=32, num_warps=4), out,
            a.astype(np.float64) @ b.astype(np.float64), 1e-3)


def attention(rng):
    heads, length, size = 2, 256, 64
    q, k, v = (rng.standard_normal((heads, length, size), dtype=np.float32).astype(np.float16) for _ in range(3))
    out, parts = device.empty((heads, length, size)), [device.array(t) for t in (q, k, v)]
    scale = 1 / math.sqrt(size)
    score = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) * scale
    p = np.exp(score - score.max(axis=2, keepdims=True))
    want = p / p.sum(axis=2, keepdims=True) @ v.astype(np.float64)
    return (lambda: attention_kernel[(length // 64, heads)](*parts, out, scale, LENGTH=length, HEAD=size, BM=64,
                                                            BN=64, num_warps=4), out, want, 4e-3)


KERNELS = {"softmax": softmax, "layer_norm": layer_norm, "matmul": matmul, "attention": attention}


def measure(name):
    launch, out, want, bound = KERNELS[name](np.random.default_rng(1))
    launch()  # compiles; caches are warm afterwards, on a GPU as here
    device.driver().call("cuCtxSynchronize")
    before = len(device.kernel_records() or [])
    ms = device.milliseconds(launch, repeat=20)
    records = (device.kernel_records() or [])[before:]
    got = out.numpy()
    error = float(np.abs(got - want).max() / np.abs(want).max())
    row = {"kernel": name, "error": error, "bound": bound, "ok": error <= bound, "microseconds": round(1e3 * ms, 2),
           "bits": zlib.crc32(got.tobytes())}
    if records:
        row["cycles"] = sum(r["cycles"] for r in records)
    return row


def main():
    names = sys.argv[1:] or list(KERNELS)
    for name in names:
        if name not in KERNELS:
            sys.exit(f"unknown kernel '{name}', expected {', '.join(KERNELS)}")
    device.use()
    rows = [measure(name) for name in names]
    for row in rows:
        print(json.dumps(row))
    return 0 if all(row["ok"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

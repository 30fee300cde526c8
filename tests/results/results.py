#!/usr/bin/env python3
"""Complete results of many runs, as hashes: the test that a change which must move nothing moves nothing.

results.py check [PART/PARTS]   runs the table's rows and compares hashes; a part is every PARTS-th row. Prints TAP.
results.py write [WORD]         runs all, or the rows whose names have a word, and writes the table (a commit that does
                                so says which results move, and why)
results.py add                  runs the rows that the table lacks, and writes it with them and without those that are
                                no more: for a new program or chip
results.py compare HEDDLE       runs all with two programs and names the statistics that differ, those of both only

A row is a bundled program at size tiny on a chip, a replayed recording, a trace or a synthetic kernel. Three chips
run every program; the others run a dozen of different kinds. A hash covers every statistic, of the run, its kernels
and its components, but what the host took (host) and the configuration. HEDDLE: the program; HEDDLE_SOURCE: the source tree; JOBS: runs at a time (2).
"""
import collections
import concurrent.futures
import glob
import hashlib
import json
import os
import subprocess
import sys
import tempfile

HEDDLE = os.environ["HEDDLE"]
SOURCE = os.environ["HEDDLE_SOURCE"]
TABLE = os.path.join(SOURCE, "tests", "results", "table.txt")
WHOLE = ("fermi15", "volta8", "h200")
SOME = ("bfs", "blackscholes", "conv_direct", "histo", "hotspot", "matmul", "nw", "reduce", "sgemm", "spmv", "sradv2",
        "vecadd")
CPU_CHIPS = ("acmp9", "cpu4", "cpu8", "cpu8-inorder", "apu46", "apu46-mesh", "apu46-dvfs")
FABRIC = {"spgemm": ["--matrix", "uniform:n=200,nnz=1000"], "gemv": ["--set", "program.size=100"],
          "tilesort": ["--set", "program.size=2000"], "jacobi": ["--set", "program.size=50"]}
CPU_KERNELS = ("chase", "mix", "random", "stream")
NOT_HASHED = ("schema", "host", "config", "definitions", "kernel_definitions")
RECORDED = ("bfs", "reduce", "histo")
REPLAYED_ON = ("fermi15", "volta8", "h200")
TRACE = os.path.join(SOURCE, "examples", "trace", "kernelslist.g")


def rows():
    """Every row's name and its arguments; a replay's name is its program and chip."""
    folders = ["chips", "studies/bandwidth/chips", "studies/ccn/chips"]
    files = [f for folder in folders for f in glob.glob(f"{SOURCE}/{folder}/*.yaml")]
    chips = sorted(os.path.basename(f)[:-5] for f in files)
    chips = [c for c in chips if c not in ("tandem", "mesh4x4", "front-ends") and not c.startswith(("cpu", "cmp", "acmp", "fabric"))]  # GPUs; mesh4x4: tests/net
    programs = sorted(os.path.basename(os.path.dirname(f)) for f in glob.glob(SOURCE + "/workloads/gpu/*/*.ptx"))
    for chip in chips:
        for program in programs if chip in WHOLE else SOME:
            yield f"{program} {chip}", [program, "--size", "tiny", "--chip", chip]
        for kernel in sorted(glob.glob(SOURCE + "/workloads/synthetic/*.yaml")):
            yield f"{os.path.basename(kernel)} {chip}", [kernel, "--chip", chip]
        if os.path.exists(TRACE):
            yield f"trace {chip}", ["--trace", TRACE, "--chip", chip]
    for chip in CPU_CHIPS:
        for kernel in CPU_KERNELS:
            yield f"cpu:{kernel} {chip}", [f"cpu:{kernel},length=30000", "--chip", chip]
    for program, options in FABRIC.items():
        yield f"{program} fabric16", [program, "--chip", "fabric16"] + options
    for chip in REPLAYED_ON:
        for program in RECORDED:
            yield f"replay:{program} {chip}", ["--replay", program, "--chip", chip]


def run(heddle, folder, arguments):
    """The result of a run without what is not hashed, or the error."""
    with tempfile.TemporaryDirectory(dir=folder) as here:
        arguments = list(arguments)
        if arguments[0] == "--replay":
            program, chip = arguments[1], arguments[3]
            arguments[1] = "r.hrec"
            record = [heddle, "run", program, "--size", "tiny", "--chip", chip, "-q", "--record", "r.hrec", "-o", "r.json"]
            subprocess.run(record, cwd=here, capture_output=True, timeout=100 * int(os.environ.get("HEDDLE_TEST_SLOWDOWN", "4")))
        done = subprocess.run([heddle, "run", *arguments, "-q", "-o", "result.json"], cwd=here, capture_output=True,
                              text=True, timeout=100 * int(os.environ.get("HEDDLE_TEST_SLOWDOWN", "4")))
        if done.returncode:
            return {"error": f"exit {done.returncode}: {done.stderr.strip()}"}
        with open(os.path.join(here, "result.json"), encoding="utf-8") as f:
            result = json.load(f)
        for name in NOT_HASHED:
            result.pop(name, None)
        for kernel in result.get("kernels", []):
            kernel.pop("not_validated", None) # what was measured of a chip, not what ran
        about = result.get("run", {})
        about.pop("heddle_version", None)
        about.pop("heddle_commit", None)
        about["workload"] = os.path.basename(about.get("workload", "")) # wherever the tree lies
        return result


def digest(result):
    text = json.dumps(result, sort_keys=True, separators=(",", ":"))
    return result.get("error") or hashlib.sha256(text.encode()).hexdigest()[:16]


def run_all(heddle, wanted, act):
    """Calls act(name, result) for each row, in order."""
    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
            for name, result in zip((n for n, _ in wanted), pool.map(lambda r: run(heddle, folder, r[1]), wanted)):
                act(name, result)


def read_table():
    with open(TABLE, encoding="utf-8") as f:
        lines = (line.split() for line in f if not line.startswith("#"))
        return {f"{a} {b}": h for a, b, h in lines}


def check(part):
    table = read_table()
    every = list(rows())
    at, parts = (int(x) for x in part.split("/"))
    # Neighbouring rows are programs of one chip: a stride that shares no factor with their number mixes both.
    wanted = [r for i, r in enumerate(every) if i % parts == at - 1]
    print(f"1..{len(wanted) + 1}", flush=True)
    names = {n for n, _ in every}
    same = names == set(table)
    print(f"{'ok' if same else 'not ok'} 1 - the table has every program on every chip")
    for name in sorted(names ^ set(table)):
        print(f"# only in {'the table' if name in table else 'the tree'}: {name}")
    count, bad = 1, not same

    def act(name, result):
        nonlocal count, bad
        count += 1
        found, want = digest(result), table.get(name)
        good = found == want
        bad |= not good
        print(f"{'ok' if good else 'not ok'} {count} - every statistic of {name} is as it was", flush=True)
        if not good:
            print(f"# expected {want}, found {found}")

    run_all(HEDDLE, wanted, act)
    return bad


def write(word, only_new=False):
    table = read_table() if word or only_new else {}

    def act(name, result):
        if "error" in result:
            sys.exit(f"{name}: {result['error']}")
        table[name] = digest(result)

    every = list(rows())
    run_all(HEDDLE, [r for r in every if (r[0] not in table if only_new else word in r[0])], act)
    lacks = [name for name, _ in every if name not in table]
    if lacks:
        sys.exit(f"the table lacks {len(lacks)} rows, {lacks[0]} first: results.py add")
    with open(TABLE, "w", encoding="utf-8") as f:
        f.write("# program, chip, hash of the complete result: see results.py\n")
        f.writelines(f"{name} {table[name]}\n" for name, _ in every)
    return False


def flat(value, at=""):
    """All leaves of a result by their path."""
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    else:
        yield at, value
        return
    for key, below in items:
        yield from flat(below, f"{at}/{key}")


def compare(other):
    kept, bad, names = {}, 0, collections.Counter()
    wanted = list(rows())
    run_all(other, wanted, lambda name, result: kept.__setitem__(name, result))

    def act(name, result):
        nonlocal bad
        a, b = dict(flat(kept[name])), dict(flat(result))
        moved = [p for p in a if p in b and a[p] != b[p]]
        if moved:
            bad += 1
            names.update({p.rsplit("/", 1)[1] for p in moved})
            print(f"{name}: {len(moved)} statistics, {moved[0]}: {a[moved[0]]} became {b[moved[0]]}", flush=True)

    run_all(HEDDLE, wanted, act)
    print(f"{bad} of {len(wanted)} rows differ")
    for name, rows_moved in names.most_common():
        print(f"  {name} in {rows_moved} rows")
    return bad


def main(arguments):
    if arguments[:1] == ["check"] and len(arguments) <= 2:
        return check(arguments[1] if len(arguments) == 2 else "1/1")
    if arguments[:1] == ["write"] and len(arguments) <= 2:
        return write(arguments[1] if len(arguments) == 2 else "")
    if arguments == ["add"]:
        return write("", only_new=True)
    if arguments[:1] == ["compare"] and len(arguments) == 2:
        return compare(arguments[1])
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)

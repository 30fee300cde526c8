"""heddle from Python: runs, chips, sweeps, results and kernels of your own.

    import heddle
    result = heddle.run("matmul", "volta80", set={"sm.l1.size_bytes": "64KiB"})
    print(result.cycles, result["sm.l1.hit_rate"])

docs/howto/python.md has an example of everything. Only the standard library is needed; NumPy and
pandas are used where they are installed.
"""
from .chip import Chip, Parameter
from .database import Database, results
from .device import Array, Device, Function, Launch, Module, kernel_records
from .errors import (HeddleError, InputError, InternalError, ProgramFailed, ProgramKilled, ProgramNotFound,
                     RunBroken, RunsFailed, RunTimeout, UnknownName, WrongResult)
from .names import chips, policies, statistics, studies, workloads
from .program import version
from .result import Result, Statistic
from .running import run
from .sweep import Sweep
from .table import Table

__all__ = [
    "Array", "Chip", "Database", "Device", "Function", "HeddleError", "InputError", "InternalError", "Launch",
    "Module", "Parameter", "ProgramFailed", "ProgramKilled", "ProgramNotFound", "Result", "RunBroken",
    "RunTimeout", "RunsFailed", "Statistic", "Sweep", "Table", "UnknownName", "WrongResult", "chips",
    "kernel_records", "policies", "results", "run", "statistics", "studies", "version", "workloads",
]

"""What the scripts of this folder share: a program on a chip, run once and measured from outside.

A point is PROGRAM:CHIP, mix:FILE:CHIP or PROGRAM:CHIP:ARGS. ARGS are words of the program ("--rows 192"); without them the program runs at
a size. A program may contain colons (cpu:mix,length=1000): the chip is the first part after it that is a chip.
"""
import dataclasses, json, os, re, shlex, subprocess, tempfile

MEASURES = ("instructions", "misses of L1", "misses of L2")


@dataclasses.dataclass
class Point:
    program: str
    chip: str
    words: list
    size: str

    def __str__(self):
        return " ".join([self.program, *self.words])


def point(text, size="small"):
    found = re.fullmatch(r"((?:(?:cpu|suite|mix):)?[^:]+):([^:]+)(?::(.*))?", text)
    if not found:
        raise SystemExit(f"{text}: expected PROGRAM:CHIP or PROGRAM:CHIP:ARGS")
    program, chip, words = found.groups()
    return Point(program, chip, shlex.split(words or ""), size)


def command(heddle, p, out, threads=1):
    is_gpu = not re.match(r"(cpu|suite|mix):|.*\.yaml$", p.program)
    program = ["--mix", p.program[4:]] if p.program.startswith("mix:") else [p.program]
    size = ["--size", p.size] if is_gpu and not p.words else []
    words = ["--", *p.words] if p.words else []
    return [heddle, "run", *program, "--chip", p.chip, *size, "--threads", str(threads), "-q", "-o", out, *words]


@dataclasses.dataclass
class Run:
    seconds: float  # user and system time of the process and all that it started
    megabytes: float  # the most of it that was in memory
    result: dict

    def work(self):
        """What has to be the same for a comparison of speed: cycles of kernels and clocks."""
        kernels = [(k["cycles"], k.get("warp_instructions", k.get("instructions"))) for k in self.result.get("kernels", [])]
        return kernels, self.result["run"]["cycles"]

    def cycles(self):
        """Of the first clock: cores."""
        all_ = self.result["run"]["cycles"]
        return next(iter(all_.values())) if isinstance(all_, dict) else all_

    def count(self):
        """Warp instructions, or those of CPU cores."""
        warps = sum(k.get("warp_instructions", 0) for k in self.result.get("kernels", []))
        totals = self.result["totals"]
        return totals.get("cpu.core.instructions") or totals.get("core.instructions") or warps


def run(heddle, p, threads=1, chips=None):
    environment = dict(os.environ, **({"HEDDLE_CHIPS": chips} if chips else {}))
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "r.json")
        child = subprocess.Popen(command(heddle, p, out, threads), stdout=subprocess.DEVNULL, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"{p}: exit status {child.returncode}")
        return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, json.load(open(out)))


def callgrind(heddle, p, caches=True, keep=None):
    """Host instructions and misses, of all processes; the L1 and the L2 are those of performance.md."""
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(keep or folder, "callgrind.%p")
        simulated = ["--cache-sim=yes", "--D1=49152,12,64", "--I1=32768,8,64", "--LL=2097152,16,64"] if caches else []
        done = subprocess.run(["valgrind", "--tool=callgrind", "--trace-children=yes", *simulated,
                               f"--callgrind-out-file={profile}", *command(heddle, p, os.path.join(folder, "r.json"))],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if not re.match(r"(==|--)\d", line)]
            raise SystemExit("\n".join([f"{p}: exit status {done.returncode}", *said]))
        sums = [0, 0, 0]
        for collected in re.findall(r"Collected : ([\d ]+)", done.stderr):
            n = [int(x) for x in collected.split()]  # Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw
            sums[0] += n[0]
            if len(n) > 8:
                sums[1] += n[4] + n[5]
                sums[2] += n[7] + n[8]
        return sums


def stay_on_one_processor():
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


class Host:
    """Load of the host, and the share of its time that other machines took (steal), since the last question."""

    def __init__(self):
        self.last = self.read()

    @staticmethod
    def read():
        try:
            n = [int(x) for x in open("/proc/stat").readline().split()[1:9]]
            return sum(n), n[7], n[3]
        except (OSError, IndexError):
            return 0, 0, 0

    def state(self):
        now = self.read()
        all_, steal, idle = (a - b for a, b in zip(now, self.last))
        self.last = now
        shares = f", idle {idle / all_:.0%}, steal {steal / all_:.0%}" if all_ else ""
        return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()}{shares}"

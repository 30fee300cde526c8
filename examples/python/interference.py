#!/usr/bin/env python3
"""What a GPU program costs the CPU beside it, and how much of that the LLC's policy gives back.

    python3 examples/python/interference.py

A CPU program that lives in the LLC and a GPU program that streams through it share a chip of both;
each is also run alone. The columns behind each IPC have it as a part of the IPC alone.
"""
from pathlib import Path

import heddle

MIX = """
alone: true
applications:
  - {cpu: "cpu:random,length=100000,footprint_bytes=2MiB", name: cpu}
  - {workload: stream, size: tiny, name: gpu}
"""
POLICIES = ["shared", "ucp", "tap_ucp"]


def main():
    mix = Path("heddle-out") / "interference.yaml"
    mix.parent.mkdir(exist_ok=True)
    mix.write_text(MIX)
    print(f"{'policy':>10} {'CPU IPC':>9} {'of alone':>9} {'GPU IPC':>9} {'of alone':>9}")
    for policy in POLICIES:
        result = heddle.run(mix=mix, chip="apu46", policy={"llc.partition": policy})
        cpu, gpu = result.applications
        print(f"{policy:>10} {cpu['ipc']:9.3f} {cpu['slowdown']:9.2f} {gpu['ipc']:9.3f} {gpu['slowdown']:9.2f}")


if __name__ == "__main__":
    main()

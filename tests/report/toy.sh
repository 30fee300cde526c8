# shellcheck shell=sh
# Two small results, A and B, of a toy chip; sourced by the tests. All numbers are chosen by hand:
# two SMs with one scheduler each at 1 GHz, so two scheduler-cycles are one cycle.
#   A: 1000 cycles = 200 issued + 200 data_mem + 500 structural_mem + 100 no_warp
#   B:  760 cycles = 200 issued + 180 data_mem + 280 structural_mem + 100 no_warp

# toy FILE NAME MSHRS CYCLES DATA_MEM STRUCTURAL_MEM MSHR_STALLS LATENCY K1_CYCLES K1_STRUCTURAL K2_CYCLES K2_STRUCTURAL
toy() {
	cat >"$1" <<END
{"schema": "heddle.run/1",
 "run": {"heddle_version": "0.1.0", "chip": "toy", "model": "gpu", "workload": "$2", "seed": 1, "end": "finished",
  "verified": true, "simulated_fs": $(($4 * 1000000)), "cycles": {"core": $4, "l2": $4, "dram": $4}},
 "host": {"seconds": 0.5, "unit_ticks": 10}, "bound_by": "MSHRs of the L1: more misses than it can track",
 "config": {
  "sm.count": {"value": "2", "from": "toy.yaml:1"}, "sm.clock_hz": {"value": "1GHz", "from": "toy.yaml:2"},
  "sm.schedulers": {"value": "1", "from": "toy.yaml:3"}, "sm.issue_width": {"value": "1", "from": "default"},
  "sm.l1.mshrs": {"value": "$3", "from": "--set sm.l1.mshrs=$3"},
  "l2.clock_hz": {"value": "1GHz", "from": "toy.yaml:5"}, "l2.banks_per_channel": {"value": "2", "from": "toy.yaml:6"},
  "l2.port_bytes": {"value": "32B", "from": "toy.yaml:7"},
  "dram.clock_hz": {"value": "1GHz", "from": "toy.yaml:8"}, "dram.channels": {"value": "1", "from": "toy.yaml:9"},
  "dram.bus_bits": {"value": "64", "from": "toy.yaml:10"}, "dram.data_rate": {"value": "4", "from": "toy.yaml:11"}},
 "definitions": {
  "sm.cycles": {"kind": "count", "unit": "cycles", "meaning": "of the core clock"},
  "sm.warp_instructions": {"kind": "count", "unit": "instructions", "meaning": "issued, of warps"},
  "sm.thread_instructions": {"kind": "count", "unit": "instructions", "meaning": "executed"},
  "sm.scheduler_cycles": {"kind": "count", "unit": "cycles", "meaning": "of all schedulers"},
  "sm.scheduler_slots": {"kind": "array", "unit": "cycles", "meaning": "by cause"},
  "sm.l1.stall": {"kind": "array", "unit": "cycles", "meaning": "by cause"},
  "sm.l1.hits": {"kind": "count", "unit": "requests", "meaning": "found their line"},
  "sm.l1.loads": {"kind": "count", "unit": "requests", "meaning": "looked up"},
  "sm.l1.latency_cycles": {"kind": "count", "unit": "cycles", "meaning": "together"},
  "sm.l1.answered": {"kind": "count", "unit": "requests", "meaning": "loads answered"},
  "dram.bytes_read": {"kind": "count", "unit": "bytes", "meaning": "read"},
  "dram.bytes_written": {"kind": "count", "unit": "bytes", "meaning": "written"}},
 "totals": {"sm.cycles": $((2 * $4)), "sm.warp_instructions": 400, "sm.thread_instructions": 12800,
  "sm.scheduler_cycles": $((2 * $4)),
  "sm.scheduler_slots": {"issued": 400, "data_mem": $((2 * $5)), "structural_mem": $((2 * $6)), "no_warp": 200},
  "sm.l1.stall": {"mshr": $7}, "sm.l1.hits": 60, "sm.l1.loads": 100,
  "sm.l1.latency_cycles": $((10 * $8)), "sm.l1.answered": 10, "dram.bytes_read": 3200, "dram.bytes_written": 0},
 "units": {"sm0": {"cycles": $4, "warp_instructions": 300}, "sm1": {"cycles": $4, "warp_instructions": 100}},
 "kernels": [
  {"name": "first", "number": 0, "cycles": $9, "started": 0, "ended": $9, "scheduler_slots": {"issued": 200, "structural_mem": $((2 * ${10}))}},
  {"name": "second", "number": 1, "cycles": ${11}, "started": $9, "ended": $4, "scheduler_slots": {"issued": 200, "structural_mem": $((2 * ${12}))}}],
 "kernels_not_listed": 0}
END
}
toy_a() {
	toy "$1" "$2" 32 1000 200 500 820 300 600 400 400 100
}
toy_b() {
	toy "$1" "$2" 128 760 180 280 38 270 400 220 360 60
}

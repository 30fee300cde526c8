#!/bin/sh
# CPU programs and GPU programs on one chip: what is told of each, that runs repeat, and what is refused. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"
mkdir tmp
TMPDIR=$PWD/tmp
export TMPDIR
mix=$HEDDLE_SOURCE/examples/apu.yaml

printf 'model: machine\ngpus: {gpu: {base: volta8}}\nenergy: {technology: 12nm}\n' >one.yaml
run 0 run vecadd --size tiny --chip one.yaml -q -o one.json && python3 - <<'PY'
import json
r = json.load(open('one.json'))
assert r['totals']['energy.total_pj'] > 0 and r['totals']['gpu.sm.warp_instructions'] > 0
PY
ok "a machine of one cluster writes its result"
run 0 diff one.json one.json && run 0 report one.json -o one.html
ok "which can be compared and shown"

run 0 run --mix "$mix" --chip apu46 -o both.json && grep -q 'mix  *core 0: .* cycles .* IPC .* LLC hits' out &&
	grep -q 'matmul  *SMs 0-5: .* LLC hits' out && python3 - <<'PY'
import json
r = json.load(open('both.json'))
a = r['applications']
t = r['totals']
assert [x['cluster'] for x in a] == ['cpu', 'cpu', 'gpu'] and a[2]['verified']
assert [x['ended'] for x in a] == [True] * 3 and min(x['complete_runs'] for x in a) == 1
assert a[0]['instructions'] == 200000 and a[1]['instructions'] == 50000
for x in a:
    work = x.get('instructions', x.get('warp_instructions'))
    assert abs(x['ipc'] - work / x['cycles']) < 1e-12
    assert x['l2_accesses'] > 0 and x['dram_read_bytes'] > 0
# what the LLC and DRAM did is what they did for somebody

assert t['application.l2_accesses'] == t['llc.accesses']
assert t['application.dram_read_bytes'] == t['dram.bytes_read']
assert t['application.instructions'] == t['cpu.core.instructions']
assert t['application.warp_instructions'] == t['gpu.sm.warp_instructions']
assert {k['cluster'] for k in r['kernels']} == {'cpu', 'gpu'}
PY
ok "CPU and GPU programs share a chip, and what each did is counted and adds up"
run 0 run --mix "$mix" --chip apu46 -o again.json -q && run 0 run --mix "$mix" --chip apu46 --no-skip -o noskip.json -q && python3 - <<'PY'
import json
r = [json.load(open(f)) for f in ('both.json', 'again.json', 'noskip.json')]
for x in r:
    x.pop('host')
assert r[0] == r[1] == r[2]
PY
ok "a run repeats, and skipping cycles changes nothing"
run 0 report both.json -o both.html && [ -s both.html ] && run 0 diff both.json again.json && [ "$(grep -c '^cluster ' out)" = 2 ]
ok "a page and a comparison show both clusters"

# Tables 5, 10 and 15 of Lee 2013 (spec 1.2, 1.3): 16 banks of DRAM in all, over 4 channels.
banks=
for chip in cpu4 apu46 apu46-mesh apu46-dvfs; do
	run 0 chip show $chip && banks="$banks $(sed -n '/^dram:/,$ s/^  \(channels\|banks\): \([0-9]*\) .*/\2/p' out | tr '\n' ' ')"
done
[ "$(echo $banks)" = "4 4 4 4 4 4 4 4" ]
ok "chips of the thesis have four channels of four banks"

# ---- alone ----
run 0 run --mix "$mix" --chip apu46 -o both.json && grep -q 'stream  *core 1: .* IPC .* (alone .*: slowdown 0\.[1-9]' out && python3 - <<'PY'
import json, subprocess, os
a = json.load(open('both.json'))['applications']
for x in a:
    assert abs(x['slowdown'] - x['ipc'] / x['alone_ipc']) < 1e-12
    # matmul takes 31,000 or 36,000 cycles, by a few cycles of its neighbours, and 34,000 alone
    assert x['slowdown'] <= (1.001 if x['cluster'] == 'cpu' else 1.2)
heddle = os.environ['HEDDLE']
open('one.yaml', 'w').write('applications: [{cpu: "cpu:stream,length=50000", cores: 1-1}]\n')
subprocess.run([heddle, 'run', '--mix', 'one.yaml', '--chip', 'apu46', '-o', 'one.json', '-q'], check=True)
one = json.load(open('one.json'))['applications'][0]
assert one['cycles'] == a[1]['alone_cycles'] and one['ipc'] == a[1]['alone_ipc']
PY
ok "a program's slowdown is against a run of it alone, which is an ordinary run"

run 0 run --mix "$mix" --chip apu46 --series llc.hits --interval 777 -o series.json -q && python3 - <<'PY'
import json
a, b = (json.load(open(f))['totals'] for f in ('both.json', 'series.json'))
# a sample in the middle of a miss charges it to DRAM, before its level is known
x, y = a.pop('cpu.core.slots'), b.pop('cpu.core.slots')
assert a == b and sum(x.values()) == sum(y.values())
PY
ok "samples are taken when the cores of all clusters have had their tick"

# ---- beside a GPU program that asks for more than DRAM can give ----
flood() { # BYTES: of the GPU's random reads; BYTES: of the CPU's
	cat >flood.yaml <<-YAML
		kernels: [{name: flood, blocks: 600, threads_per_block: 256, registers_per_thread: 16, instructions: 4000, dependence_distance: 8,
		           mix: {fp32: 1, load: 1}, access: {random: 1, footprint_bytes: $1}}]
	YAML
	cat >flood-mix.yaml <<-YAML
		applications: [{synthetic: flood.yaml}, {cpu: "cpu:random,footprint_bytes=$2,load=1,alu=6,length=400000", name: cpu}]
	YAML
}
flood 256MiB 1MiB
run 0 run --mix flood-mix.yaml --chip apu46 --policy llc.partition=split,among=kinds --warm instructions=200000,how=functional \
	--max-cycles 300000 -o flood.json -q && python3 - 2>err <<'PY'
import json
t = json.load(open('flood.json'))['totals']
hits = t['cpu.core.l2.llc_hits']
mean = t['cpu.core.l2.llc_hit_latency_cycles'] / hits
assert hits > 500 and t['llc.stall']['mshr'] == 0 and 40 <= mean < 50, (hits, mean)  # 40 unloaded
PY
ok "a CPU's hit in the LLC takes as long beside a GPU that fills all queues of DRAM as alone"
flood 1MiB 64MiB
run 0 run --mix flood-mix.yaml --chip apu46-mesh --max-cycles 800000 -o flood.json -q && python3 - 2>err <<'PY'
import json
t = json.load(open('flood.json'))['totals']
cpu, gpu = (t[f'mesh.split.{k}.queue_ns'] for k in ('cpu', 'gpu'))
assert gpu > 100 and cpu < 2 * gpu, (cpu, gpu)
PY
ok "on a mesh a CPU's misses do not starve behind replies to a GPU that hits"

# ---- what is refused, before anything runs ----
refused() { # TEXT SENTENCE
	printf 'applications:\n%s\n' "$1" >bad.yaml
	run 2 run --mix bad.yaml --chip apu46 -o bad.json && grep -qF "$2" err && [ ! -e bad.json ] && [ "$(wc -l <err)" = 1 ]
}
refused '  - {cpu: missing.hct}' 'bad.yaml:2:11: cannot read missing.hct: No such file or directory'
ok "a trace that is not there is refused"
refused '  - {cpu: "cpu:mix"}
  - {cpu: "cpu:mix"}
  - {cpu: "cpu:mix"}
  - {cpu: "cpu:mix"}
  - {cpu: "cpu:mix", name: fifth}' 'bad.yaml:6:5: application fifth runs on cores 4 to 4, but chip apu46 has 4'
ok "more CPU programs than cores are refused"
refused "  - {cpu: $HEDDLE_SOURCE/examples/trace/kernelslist.g}" 'kernelslist.g is not a trace of a CPU program'
ok "a trace of a GPU program is no CPU program"
refused '  - {cpu: "suite:notone"}' "unknown"
ok "a program that the suite does not have is refused"
echo "1..$count"

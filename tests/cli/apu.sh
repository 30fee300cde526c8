#!/bin/sh
# CPU programs and GPU programs on one chip: what is told of each, that runs repeat, and what is refused. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"
mkdir tmp
TMPDIR=$PWD/tmp
export TMPDIR
mix=$HEDDLE_SOURCE/examples/apu.yaml

run 0 run --mix "$mix" --chip apu46 -o both.json && grep -q 'mix  *cores 0-0: .* cycles .* IPC .* LLC hits' out &&
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
echo "1..$count"

#!/bin/sh
# The command line as a person uses it: output, messages, exit codes, files. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"

run 0 && grep -q '^usage: heddle COMMAND' out
ok "no argument shows the overview"
run 0 --help && grep -q 'simulate a workload on a chip, or run a CUDA program' out
ok "--help shows the overview"
for command in run report diff list chip sweep results help version; do
	run 0 $command --help && [ -s out ] && [ ! -s err ]
	ok "heddle $command --help works"
done
run 0 version && grep -qE '^heddle [0-9.]+ \(commit [0-9a-z-]+\)$' out
ok "version prints one line"
run 2 rum tokens && [ "$(cat err)" = "heddle: unknown command 'rum', expected a name from \`heddle help\` (nearest: run)" ]
ok "an unknown command suggests the nearest"
run 2 run --chp tandem tokens && grep -q "unknown option '--chp', expected a name from .heddle run --help. (nearest: --chip)" err
ok "an unknown option suggests the nearest"
run 2 run -Z tokens && grep -q "unknown option '-Z'" err
ok "an unknown letter is refused"
run 2 run tokens --chip && grep -q 'the option needs a value' err
ok "an option without its value is refused"
run 2 run && grep -q 'one workload is expected, 0 are given' err
ok "a run without a workload is refused"
run 2 run tokns && grep -q "unknown workload 'tokns', expected .*(nearest: tokens)" err
ok "an unknown workload suggests the nearest"
run 2 run matmull && grep -q "unknown workload 'matmull', expected .*(nearest: matmul)" err
ok "and finds it among the GPU programs too"
run 2 run tokens --seed many && grep -q -- '--seed is many, expected a whole number' err
ok "a seed that is not a number is refused"
run 2 run tokens --max-cycles 0
ok "a cycle limit of zero is refused"
run 2 run tokens -o out.txt && grep -q 'ends in .json or .csv' err && [ ! -e out.txt ]
ok "an unknown kind of statistics file is refused before the run"
run 2 run tokens --series stage.tokens && grep -q 'series needs a file to write to, expected --stats' err
ok "a series without a file is refused"
run 2 run tokens -o x.json --series stage.tokns && grep -q 'nearest: stage.tokens' err && [ ! -e x.json ]
ok "an unknown series suggests the nearest and writes nothing"

for set in '' x =3; do
	run 2 run matmul --size tiny --set "$set" && grep -q 'PARAM=VALUE' err && [ "$(wc -l <err)" -eq 1 ] &&
		run 2 chip check fermi15 --set "$set" && grep -q 'PARAM=VALUE' err
	ok "--set '$set' is refused"
done
run 2 run matmul --size tiny --set sm.l1.ways=4 --set sm.l1.ways=8 && grep -q "sm.l1.ways is given twice, first as 4" err
ok "a parameter that is set twice is refused"
run 2 run matmul --size tiny -p warp.scheduler=gto -p warp.scheduler=lrr && grep -q "warp.scheduler is given twice, first as gto" err
ok "so is a policy"
for option in series timeline record stats chip seed; do
	run 2 run matmul --size tiny --$option '' && grep -q -- "--$option is empty, expected " err
	ok "an empty --$option is refused"
done
run 2 run tokens --series , -o x.json && grep -q -- '--series is ,, expected names of statistics' err
ok "a series of nothing is refused"

run 0 run tokens --set tokens=1000 && grep -q '^tokens on tandem: result verified' out
ok "a run prints a verified summary"
run 0 run tokens -q --threads 1 --set tokens=1000 && [ ! -s out ] && [ ! -s err ]
ok "a quiet run prints nothing"
run 2 run -- ./nothing && grep -q './nothing: the program does not exist' err
ok "a program that does not exist is refused"
run 2 run --functional tokens && grep -q -- '--functional applies only to GPU and AArch64 programs; .tokens. is not one' err
ok "--functional is refused for the engine's example"
run 2 run --size tiny tokens && grep -q -- '--size applies only to GPU programs' err
ok "--size is refused for the engine's example"
run 2 run tokens -- ./nothing && grep -q 'a workload and a program, expected one of them' err
ok "the engine's example and a program together are refused"
run 0 run matmul --size tiny && grep -qx 'matmul: verified 6144 elements' out && grep -q '^matmul on fermi15' out &&
	grep -q 'bound by' out && grep -q 'statistics    heddle-out/matmul-fermi15.json' out
ok "a GPU workload runs on the default chip and says where its statistics are"
python3 - heddle-out/matmul-fermi15.json 2>err <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
k = r['kernels'][0]
assert r['run']['chip'] == 'fermi15' and k['blocks'] == 24 and sum(k['scheduler_slots'].values()) > 0
assert k['warp_instructions'] == 67968
END
ok "its statistics have every kernel with its CPI stack"
python3 - heddle-out/matmul-fermi15.json 2>err <<'END'
import json, sys
h = json.load(open(sys.argv[1]))['host']
assert 0 < h['cpu_seconds'] <= h['threads'] * h['seconds'] + 0.02, h # the clocks are not read at the same moment
END
ok "no thread of a run computes longer than it takes"
run 0 run matmul --size tiny --max-cycles 3000 -o cut.json && grep -q '^  1 kernel, 2999 cycles' out &&
	awk '/^  host/ { sub(/ with [0-9]+ threads/, ""); found = $4 > 0 && $4 < 1000 } END { exit !found }' out
ok "a run that is cut short says how far it came, at a rate that is possible"
python3 - "$HEDDLE" 2>err <<'END'
import json, subprocess, sys
values = {k: v['value'] for k, v in json.load(open('heddle-out/matmul-fermi15.json'))['config'].items()}
sets = [f'--set={k}={v}' for k, v in values.items() if v != '']
assert len(sets) > 255, len(sets)
subprocess.run([sys.argv[1], 'run', 'matmul', '--size', 'tiny', '-q', '-o', 'many.json', *sets], check=True)
got = json.load(open('many.json'))['config']
assert all(got[k] == {'value': v, 'from': f'--set {k}={v}'} for k, v in values.items() if v != '')
out = subprocess.run([sys.argv[1], 'chip', 'show', 'fermi15', *sets], capture_output=True, text=True, check=True).stdout
assert out.count('# --set ') == len(sets)
END
ok "any number of parameters can be set"
cp heddle-out/matmul-fermi15.json first.json
run 0 run matmul --size tiny --no-skip -q -o second.json && python3 - first.json second.json 2>err <<'END'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
for r in a, b:
    del r['host']
assert a == b
END
ok "ticking everything every cycle gives the same result file"
series='sm.scheduler_slots[issued],sm.l1.stall[mshr],l2.stall[port],sm.l1.miss_latency'
run 0 run matmul --size tiny -q -o first.json --interval 500 --series "$series" &&
	run 0 run matmul --size tiny -q -o second.json --interval 500 --series "$series" --no-skip && python3 - first.json second.json 2>err <<'END'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
assert a['series'] == b['series'] and a['kernels'] == b['kernels']
k = a['kernels'][0]
assert sum(k['latency_fs'].values()) > 0 and k['intra_warp_hits'] + k['inter_warp_hits'] == k['l1_hits']
assert k['l1_stall'] and k['l2_stall'] and sum(k['l2_queue'].values()) > 0 and sum(k['dram_queue'].values()) > 0
assert 60000 < sum(a['series']['columns']['sm.scheduler_slots[issued]']) <= 67968
END
ok "stalls and CPI stacks are sampled over time, also while SMs sleep, and are in every kernel"
run 2 run matmul --size tiny -q -o first.json --series 'sm.l1.stall[mhsr]' && grep -q "statistic 'sm.l1.stall' has no element '\[mhsr\]'" err
ok "an element that an array does not have is refused"
run 0 run matmul --size tiny --record matmul.hrec -q -o first.csv && run 0 run --replay matmul.hrec -q -o second.csv && cmp first.csv second.csv 2>>err
ok "a replay has the same statistics as the run it was recorded from"
run 0 run "$HEDDLE_SOURCE"/workloads/synthetic/pointer_chase.yaml -q -o chase.csv && [ -s chase.csv ]
ok "a file of synthetic kernels runs"
run 0 run "$HEDDLE_SOURCE"/workloads/synthetic/pointer_chase.yaml --max-cycles 3000 && [ -s heddle-out/pointer_chase-fermi15.json ] &&
	grep -q 'statistics  heddle-out/pointer_chase-fermi15.json' out
ok "and has a result file without being asked"
run 0 run --trace "$HEDDLE_SOURCE"/tests/fuzz/trace/v3.traceg && grep -q 'v3.traceg on fermi15: all laws hold' out
ok "a SASS trace runs"
[ -s heddle-out/v3-fermi15.json ] && run 0 run --replay matmul.hrec -c kepler8 && [ -s heddle-out/matmul-kepler8.json ]
ok "traces and recordings have a result file without being asked"
cp /bin/true hello
for line in ./hello hello "./hello 3 4"; do
	# shellcheck disable=SC2086
	run 2 run $line && grep -q "hello: this is a program, expected .heddle run -- ./hello." err
	ok "heddle run $line says how a program is given"
done
run 2 run ./nohello && grep -q 'file not found; to run a program, write .heddle run -- ./nohello.' err
ok "so does one that is not there"
run 2 run ./matmul.hrec && grep -q 'this is a file, expected --trace FILE for SASS traces, --replay FILE for a recording' err
ok "a recording without its option gets a hint"
sed 's/IMAD.MOV.U32/FROB.X/' "$HEDDLE_SOURCE"/tests/fuzz/trace/v3.traceg >frob.traceg
run 0 run -q --trace ./frob.traceg &&
	[ "$(cat err)" = "heddle: warning: ./frob.traceg:22: unknown opcode FROB, taken for a simple integer instruction: 1 of all warps" ]
ok "an opcode that is not known is told, also by a quiet run"
run 2 run --trace ./nothing.g && grep -q './nothing.g: cannot open the file' err
ok "a trace that is not there is refused"
run 2 run matmul --replay matmul.hrec && grep -q 'only one workload may be given (already have .matmul.hrec.)' err
ok "two workloads are refused"
run 2 run matmul --size tiny --chip tandem && grep -q 'chip tandem has no SMs' err
ok "a GPU program on a chip that is no GPU is refused"
run 2 run matmul --size tiny --set sm.warp_policy=gt0 && grep -q "unknown sm.warp_policy 'gt0', expected .*(nearest: gto)" err
ok "an unknown policy is refused with the nearest name"
run 0 run matmul --size tiny -q -o fixed.json --policy warp.scheduler=fixed,n=3,p=2 --set policy.warp.fixed.p=1 && python3 - >err 2>&1 <<'P'
import json
r = json.load(open('fixed.json'))
assert r['config']['sm.warp_policy']['value'] == 'fixed'
assert {k: v['value'] for k, v in r['config'].items() if k.startswith('policy.')} == {'policy.warp.fixed.n': '3', 'policy.warp.fixed.p': '1'}
assert {'sm': 0, 'kernel': 0, 'what': 'tuple', 'n': 3, 'p': 1}.items() <= r['warp_notes'][0].items()
assert r['totals']['sm.warp_policy.mean_n'] == 3
P
ok "--policy chooses a policy with its parameters, --set comes after it, and the result has no others"
run 2 run matmul --size tiny --policy warp.scheduler=fixed,q=3 && 
	grep -q "^heddle: --policy warp.scheduler=fixed,q=3: unknown parameter of policy fixed 'q', expected n or p$" err
ok "an unknown parameter of a policy gets a sentence"
run 2 run matmul --size tiny --policy warp.schedular=gto &&
	grep -q "unknown question 'warp.schedular', expected a name from .heddle list policies. (nearest: warp.scheduler)" err
ok "an unknown question gets a sentence"
failed=
for list in source.tokens,,sink.tokens "sink.tokens," ","; do
	run 2 run tokens --series "$list" || failed="$failed $list"
	grep -q -e "--series is $list, expected names of statistics, separated by commas" err || failed="$failed $list"
done
[ -z "$failed" ]
ok "an empty name in --series is refused"
run 2 run tokens --series sink.tokens,sink.tokens && grep -q -e '--series has sink.tokens twice' err
ok "so is one that is there twice"
cat matmul.hrec matmul.hrec >doubled.hrec
run 2 run --replay doubled.hrec && grep -q 'doubled.hrec: the recording ends after [0-9]* bytes, and the file has [0-9]*: two in one?' err
ok "so is a doubled recording"
printf 'weights:\n  h_o: {n: 2, p: 1}\n' >weights.yaml
run 2 run matmul --size tiny --policy warp.scheduler=poise,weights=weights.yaml && grep -q 'weights.yaml:2:3: the weights have no `one`' err
ok "so are weights without their constant"
printf 'applications:\n- {workload: vecadd, size: tiny, args: 3}\n- {workload: vecadd, size: tiny}\n' >args.yaml
run 2 run --mix args.yaml && grep -q 'args.yaml:2:.* args is a value, expected a list such as' err
ok "so are arguments of a mix that are no list"
run 2 run matmul --size tiny --policy l1=lruu && grep -q "^heddle: --policy l1=lruu: unknown policy for l1.replacement 'lruu', .*(nearest: lru)$" err &&
	run 2 run matmul --size tiny --policy llc.partition=ucp && grep -q '^heddle: --policy llc.partition=ucp: a chip of model gpu has no llc' err
ok "what is wrong with a policy is said of what was typed"
run 2 run matmul --size tiny --policy replacement=lru && grep -q "several parts ask the question .replacement., expected .*l1.replacement" err
ok "a question of several parts needs its part"
run 2 run matmul --size tiny --policy warp.scheduler=gto, && grep -q 'a parameter of the policy is empty, expected PARAMETER=VALUE' err &&
	run 2 run matmul --size tiny --policy warp.scheduler=fixed,n=3,n=4 && grep -q 'n is given twice' err &&
	run 2 run matmul --size tiny --policy warp.scheduler=fixed,n=x && grep -q "policy warp.scheduler=fixed,n=x: n is 'x', expected a number" err
ok "so are an empty parameter, one that is given twice, and a value out of its range"
run 0 run matmul --size tiny -q -o new.csv --policy warp.scheduler=random_restart,t_warmup=50 --policy dram.scheduler=fcfs && [ ! -s err ] &&
	run 0 run matmul --size tiny -q -o old.csv --policy warp=random-restart,t_warmup=50 --policy dram=fcfs && cmp -s new.csv old.csv &&
	run 0 run matmul --size tiny -q -o set.csv --set sm.warp_policy=random-restart --set policy.random-restart.t_warmup=50 --set dram.scheduler=fcfs && cmp -s new.csv set.csv &&
	run 0 run matmul --size tiny -o old.csv --policy warp=gto && grep -qx 'hint: --policy warp= is now --policy warp.scheduler=' err
ok "old words and spellings mean the same, with a hint"
run 0 list policies --names && cp out names && failed=
while IFS= read -r line; do
	case $line in
	*fixed | *static_best | *rut | *poise | *dyfr | *fvcp) continue ;; # need files, or a chip of their own
	l1.replacement=* | l2.replacement=* | warp.scheduler=* | dram.scheduler=* | block=*) run 0 run vecadd --size tiny -q -o all.csv --policy "$line" || failed=$line ;;
	l1[id].* | core_l2.* | branch=* | llc.replacement=*) run 0 run cpu:mix,length=100 -q -o all.csv --policy "$line" || failed=$line ;;
	esac
done <names
[ -z "$failed" ] && grep -qx 'llc.partition=tap_ucp' names && grep -qx 'home=first_touch' names
ok "what is listed can be typed as it is"
run 2 run matmul --size tiny --policy warp.scheduler=static_best && grep -q 'policy.warp.static_best.file is empty' err
ok "static_best without a file gets a sentence"
printf 'kernels:\n  matmull: {n: 2, p: 1}\n' >best.yaml
run 0 run matmul --size tiny -q -o best.json --policy warp.scheduler=static_best,file=best.yaml && [ "$(wc -l <err)" -eq 1 ] &&
	grep -q '^heddle: warning: warp policy static_best: best.yaml has no tuple for kernel .*, nor for "\*"' err
ok "a kernel that static_best has no tuple for is told once"
printf 'base: kepler8\nsm:\n  warp_policy: poise\npolicy:\n  poise:\n    t_period: 50000\n' >poise.yaml
run 0 chip show ./poise.yaml && grep -q 't_period: 50000 .*poise.yaml:6' out && ! grep -q 'vta_sets' out
ok "a chip file has the parameters of its policy"
printf 'base: kepler8\npolicy:\n  ccws:\n    vta_ways: 64\n' >ccws.yaml
run 2 chip check ./ccws.yaml && grep -q 'ccws.yaml:4:15: vta_sets x vta_ways is 128, expected at most 64' err
ok "parameters of a policy are checked together"
for line in sm.warp_policy=gt0:gto sm.l1.replacement=lr:lru l2.replacement=lr:lru; do
	run 2 chip check fermi15 --set "${line%:*}" && grep -q "unknown ${line%%=*} .*nearest: ${line#*:})" err
	ok "chip check refuses ${line%:*}"
done
printf 'base: fermi15\nsm:\n  warp_policy: pois\n' >pois.yaml
run 2 chip check ./pois.yaml && grep -q "pois.yaml:3:16: unknown sm.warp_policy 'pois'" err
ok "with its place in the file"
run 2 chip check fermi15 --set sm.warp_policy=static_best && grep -q 'policy.warp.static_best.file is empty' err
ok "chip check refuses what a policy refuses"
run 0 list policies --names && grep -qx warp.scheduler=poise out && grep -qx warp.scheduler=apcm_like out
ok "list policies shows them"
run 0 list stats && grep -q 'with --policy warp.scheduler=ccws:' out && grep -q 'sm.warp_policy.victim_hits' out
ok "list stats shows what policies count"
run 0 list storage && grep -q '326 bits, 40.75 bytes; the chip.s 32 SMs: 1304 bytes' out && grep -q '32 SMs: 536 bytes' out
ok "list storage counts what Poise costs"
run 0 list storage --chip apu46-mesh && grep -q 'a router: 192 bits, 24.00 bytes; the chip.s 16 routers: 384 bytes' out && grep -q 'the central node: 226 bits' out
ok "list storage counts what splits of channels cost"
run 2 list storage --chip apu46 && grep -q "expected one of model gpu or with a mesh" err
ok "a chip that has neither is refused"
run 2 run matmul --size tiny --set sm.l1.size_bytes=1000 && grep -q 'sm.l1.size_bytes is 1000, expected a multiple of line x ways = 512' err
ok "an impossible cache is refused"
run 3 run matmul --size tiny --set sm.barrier_cycles=1000 --watchdog 100 && grep -q 'the machine hangs' err
ok "a hang has an exit code of its own"
run 0 run matmul --size tiny --max-cycles 2000 && grep -q 'stopped at the cycle limit' out
ok "a cycle limit ends a program"
run 0 run matmul --functional --size tiny && [ "$(cat out)" = "matmul: verified 6144 elements" ]
ok "a GPU workload prints its verification"
run 0 run matmul --functional --size tiny -q && [ ! -s out ] && [ ! -s err ]
ok "a quiet GPU workload prints nothing"
run 2 run matmul --functional --size huge && grep -qx "heddle: --size: unknown size 'huge', expected tiny, small or large" err
ok "an unknown size is refused"
run 2 run matmul --chip fermi15 --size tinny && grep -q "unknown size 'tinny', expected tiny, small or large (nearest: tiny)" err && [ ! -s out ]
ok "with the nearest one, before the chip is built"
run 2 run matmul --functional --seed many && grep -q -- '--seed is many, expected a whole number' err
ok "a GPU workload's seed must be a number"
run 2 run matmul --functional --max-cycles 9 && grep -q -- '--max-cycles has no effect on a program without timing' err
ok "options without effect on a GPU workload are refused"
run 0 run bfs --functional --size tiny -- --graph rmat && grep -q '^bfs: verified 4096 elements' out
ok "a GPU workload gets its own options behind --"
run 2 run bfs --functional -- --graph star && grep -q -- "--graph is 'star', expected uniform or rmat" err
ok "and refuses what it does not know"
run 2 run bfs matmul --functional && grep -q 'one workload is expected, 2 are given' err
ok "two workloads are refused"
run 2 run --functional -- ./nothing && grep -q './nothing: the program does not exist' err
ok "a missing program is refused"
run 2 run --functional --max-cycles 3 -- /bin/true && grep -q -- '--max-cycles has no effect' err
ok "options without effect on a program are refused"
run 0 run --functional -- /bin/echo hello && grep -qx hello out
ok "a program without CUDA runs as it is"
# transpose is a traffic pattern of meshes
cp "$(dirname "$HEDDLE")/workloads/vecadd" transpose && cp "$(dirname "$HEDDLE")/workloads/vecadd.ptx" . &&
	run 0 run --chip fermi15 -- ./transpose --size tiny && grep -q '^vecadd: verified' out
ok "a CUDA program may have the name of another model's workload"
head -c 3000 /bin/true >./short && chmod +x ./short && run 2 run --functional -- ./short && grep -q 'section table at byte .* lies outside the file of 3000 bytes' err
ok "a truncated executable is refused with a sentence"
run 7 run --functional -- /bin/sh -c 'exit 7'
ok "the exit code is the program's own"
run 0 run tokens -q --set tokens=1000 -o a.json --series stage.tokens --interval 100 --timeline t.json
ok "a run writes statistics, series and timeline"
for f in a.json t.json; do
	python3 -c 'import json,sys; json.load(open(sys.argv[1]))' $f 2>err
	ok "$f is JSON"
done
python3 - <<'P' >err 2>&1
import json
r = json.load(open('a.json'))
assert r['schema'] == 'heddle.run/1'
assert r['run']['verified'] is True and r['run']['chip'] == 'tandem'
assert r['totals']['sink.tokens'] == 1000
assert sum(u['tokens'] for k, u in r['units'].items() if k.startswith('stage')) == r['totals']['stage.tokens'] == 4000
assert r['config']['tokens'] == {'value': '1000', 'from': '--set tokens=1000'}
s = r['series']
assert len(s['cycle']) == len(s['columns']['stage.tokens']) > 10
assert 0 < sum(s['columns']['stage.tokens']) <= 4000
P
ok "the JSON result holds totals, units, configuration and series"
python3 - <<'P' >err 2>&1
import json
t = json.load(open('t.json'))['traceEvents']
spans = [e for e in t if e['ph'] == 'X']
assert len(spans) == 6000, len(spans)  # 1000 tokens in source, four stages and sink
names = {e['tid']: e['args']['name'] for e in t if e['ph'] == 'M' and e['name'] == 'thread_name'}
stage = [e for e in spans if names[e['tid']] == 'stage2']
assert len(stage) == 1000 and all(e['dur'] > 3 / 700 - 2e-9 for e in stage)  # three cycles of 700 MHz, in us
P
ok "the timeline holds every token's stay in every part"
run 0 run tokens -q --set tokens=1000 -o b.json --series stage.tokens --interval 100 --no-skip &&
	python3 -c '
import json
a, b = json.load(open("a.json")), json.load(open("b.json"))
del a["host"], b["host"]
assert a == b' 2>>err
ok "without skipping the result is the same"
run 0 run tokens -q --set tokens=1000 -o c.csv && head -1 c.csv | grep -qx 'name,value,unit,kind,meaning'
ok "a run writes CSV"
run 0 run tokens --max-cycles 1000 && grep -q 'stopped at the cycle limit' out
ok "a run can be cut short"
run 3 run tokens --set sink.stops_after=50 && grep -q 'stage3 waits for sink' err && grep -q 'the machine hangs' err
ok "a hang exits with 3 and says who waits for whom"
run 2 run tokens --timeline /nowhere/t.json && grep -q '/nowhere/t.json: cannot write the file: No such file or directory' err
ok "an unwritable timeline is refused"

run 0 chip show tandem && grep -q 'clock_hz: 1.4GHz  *# .*tandem.yaml:[0-9]' out
ok "chip show says where each value came from"
run 0 chip show tandem --json --set stage.count=9 && grep -q '"schema": "heddle.chip/1"' out && grep -A 1 '"stage.count": {' out | grep -q '"value": "9"'
ok "chip show --json has every parameter by its whole name"
run 0 chip show tandem && cp out shown.yaml && run 0 chip check ./shown.yaml && grep -q 'fine (model tandem' out
ok "what chip show prints is a chip file"
run 0 chip show ./shown.yaml && sed 's/#.*//' out >a && sed 's/#.*//' shown.yaml | cmp -s - a
ok "and shows the same again"
run 0 chip show h200 --assumed && grep -q '^l2.mshrs: 256  *# .*h200.yaml:[0-9]*; assumed' out && grep -q '^launch.caches: warm  *# default (assumed)' out &&
	! grep -q '^l2.ways' out && tail -n 1 out | grep -q '^# [0-9]* of [0-9]* parameters are assumed$'
ok "chip show --assumed has what nobody measured or published, and nothing else"
run 0 chip show tandem --set stage.count=9 && grep -q 'count: 9  *# --set stage.count=9' out
ok "chip show applies --set"
run 2 chip frob tandem && grep -q "unknown action 'frob', expected show or check" err
ok "an unknown chip action is refused"
run 2 chip show tandm && grep -q 'nearest: tandem' err
ok "an unknown chip suggests the nearest"
run 0 list chips && grep -q '^  tandem ' out
ok "list chips"
grep -q '^variants that studies use:' out && grep -q ' fermi15-ccn-rt ' out && ! grep -q '^  fermi15-ccn  *Fermi' out
ok "list chips names the variants of studies apart"
run 0 chip check fermi15-ccn-rt
ok "and they are found by name"
run 0 list params && grep -q 'stage.queue_entries' out
ok "list params"
run 0 list stats --chip tandem && grep -q '^  queue.pushed' out && run 0 list stats && grep -q '^  sm.l1.miss_latency' out
ok "list stats"
run 0 list workloads --names && grep -qx tokens out
ok "list workloads --names prints names alone"
run 0 list workloads && grep -q '^  matmul  *dense matrix product' out && grep -q '^  tokens ' out
ok "list workloads tells what each computes"
HEDDLE_WORKLOADS=$folder run 0 list workloads && ! grep -q matmul out && HEDDLE_WORKLOADS=$folder run 2 run matmul
ok "HEDDLE_WORKLOADS names another folder of GPU programs"
run 0 list models && grep -q '^  tandem ' out
ok "list models"
run 0 list ptx && grep -q 'yes  *fma.f32' out && grep -q 'REFUSED  *tcgen05' out
ok "list ptx tells what is executed and what is refused"
run 0 list cuda && grep -q '^refused, between processes' out && grep -q '^  cuIpcGetMemHandle$' out && grep -q '^  cudaGraphicsMapResources$' out
ok "list cuda tells which calls are refused, by reason"
libraries=$(dirname "$HEDDLE")/src/cuda
"$HEDDLE" list cuda --names | sort -u >refused
for library in libcuda.so.1 libcudart.so.13 libcublas.so.13; do
	nm -D --defined-only "$libraries/$library" | awk '{ sub(/@.*/, "", $3); print $3 }'
done | sort -u >exported
[ -s refused ] && [ -z "$(comm -23 refused exported)" ]
ok "what list cuda names is there for programs to find"
run 2 list things && grep -q "unknown list 'things'" err
ok "an unknown list is refused"
HEDDLE_CHIPS=$folder run 0 chip check shown
ok "HEDDLE_CHIPS adds a folder of chips"

run 0 list params --markdown && cmp -s out "$HEDDLE_SOURCE/docs/reference/parameters.md"
ok "docs/reference/parameters.md is what the tables say (make docs)"
run 0 help --format markdown && cmp -s out "$HEDDLE_SOURCE/docs/reference/commands.md"
ok "docs/reference/commands.md is what the tables say (make docs)"
run 0 list policies --markdown && ! grep -vxFf "$HEDDLE_SOURCE/docs/howto/policies.md" out
ok "docs/howto/policies.md has every question as the tables say (heddle list policies --markdown)"
run 0 help --format man && grep -q '^.TH HEDDLE 1' out && { ! command -v man >/dev/null || man -l --warnings=all out 2>err >/dev/null && [ ! -s err ]; }
ok "the man page has no warnings"
run 0 help --format bash && bash -n out && cp out completion.bash
ok "the bash completion is well formed"
# offers LINE WORDS: what bash completes LINE to
offers() {
	echo "$1" | bash "$HEDDLE_SOURCE/tests/cli/complete.bash" ./completion.bash "$HEDDLE" >out 2>err && [ "$(cat out)" = "$2" ] && [ ! -s err ]
	ok "bash completes '$1'"
}
touch a-file.yaml
offers 'heddle ve' version
offers 'heddle help ve' version
offers 'heddle run --ch' --chip
offers 'heddle run --chip tan' tandem
offers 'heddle run --chip=tan' tandem
offers 'heddle chip show tan' tandem
offers 'heddle area fermi15-per' fermi15-perfect
offers 'heddle study cal' calibrate
offers 'heddle study li' list
offers 'heddle run bfs --size ' 'tiny small large'
offers 'heddle why bfs --size=l' large
offers 'heddle run bfs --set sm.l1.mshr' sm.l1.mshrs=
offers 'heddle chip show tandem --set stage.cou' stage.count=
offers 'heddle run --set sm.l1.mshrs=3 --chip tan' tandem
offers 'heddle run bfs --policy warp.scheduler=poi' poise
offers 'heddle run bfs -p l2.replacement=lr' lru
offers 'heddle sweep a-f' a-file.yaml
offers 'heddle run -- ./a-f' ./a-file.yaml
offers 'heddle help --format m' 'man markdown'
run 0 help --format zsh && { ! command -v zsh >/dev/null || zsh -n out; }
ok "the zsh completion is well formed"
grep -q "'1:what:(list \$(heddle list studies --names 2>/dev/null))'" out && grep -q "'\*--size=.*:SIZE:(\$(heddle list sizes --names 2>/dev/null))'" out &&
	grep -q "'\*--set=.*:PARAM=VALUE:{compadd -S = -- \$(heddle list params --names 2>/dev/null)}'" out && grep -q "'\*:what:(\$(heddle list chips --names 2>/dev/null))'" out
ok "and asks for studies, sizes, parameters and chips"
run 2 help --format pdf && grep -q "unknown format 'pdf'" err
ok "an unknown help format is refused"
"$HEDDLE" list params >/dev/full 2>err
[ $? -eq 2 ] && [ "$(cat err)" = "heddle: standard output: cannot write: No space left on device" ]
ok "a full disk is an error, not silence"
run 0 run tokens --chip tandem -q -o most.csv --seed 18446744073709551615 --max-cycles 9223372036854775807 --interval 9223372036854775807 --watchdog 1099511627775 &&
	run 2 run tokens --chip tandem -q -o most.csv --seed 18446744073709551616 && grep -q -- '--seed is 18446744073709551616, expected a whole number from 0 to 18446744073709551615' err
ok "the greatest numbers that messages state are accepted"
echo "1..$count"

#!/bin/sh
# CPU programs on the command line. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"

run 0 run cpu:mix,length=20000 -o cpu.json && grep -q "bound by" out && grep -q '"core.instructions"' cpu.json
ok "a synthetic kernel runs on the default CPU chip"
run 0 run cpu:mix,length=20000 --policy branch=tage,size=small --set core.count=1 -q -o tage.json &&
	grep -q '"policy.branch.tage.size"' tage.json
ok "a branch predictor and its parameters can be chosen"
run 0 run cpu:mix,length=20000 --no-skip -q -o every.json && python3 - <<'PY'
import json
a, b = (json.load(open(f)) for f in ('cpu.json', 'every.json'))
a.pop('host'), b.pop('host')
assert a == b
PY
ok "cycles that are skipped change nothing in the result"
run 0 run cpu:mix,length=30000 -q -o plain.json && run 0 run cpu:mix,length=30000 -q --series core.instructions --interval 100 -o sampled.json &&
	python3 - >out 2>err <<'PY'
import json
a, b = (json.load(open(f)) for f in ("plain.json", "sampled.json"))
assert b["series"]
assert a["totals"] == b["totals"], {k: (v, b["totals"][k]) for k, v in a["totals"].items() if v != b["totals"][k]}
PY
ok "samples in the middle of misses change nothing in the result"
run 2 run cpu:mix, && grep -q 'a knob is empty, expected KNOB=VALUE' err && run 2 run cpu:mix,length=100,length=200 && grep -q 'length is given twice' err &&
	run 2 run cpu:mix@5+99999999999999999999 && grep -q "unknown CPU kernel 'mix@5+99999999999999999999'" err
ok "an empty knob, one that is given twice and a window without an end are refused"
run 2 run champsim:/dev/zero && grep -q '/dev/zero: this is a device, expected a trace' err
ok "a device is no trace"
run 2 run cpu:mxi && grep -q "nearest: mix" err
ok "an unknown kernel is refused with the nearest one"
run 2 run cpu:mix --chip fermi15 && grep -q "chip fermi15 has no CPU cores" err
ok "a GPU runs no CPU program"
run 2 run "$HEDDLE_SOURCE/workloads/synthetic/pointer_chase.yaml" --chip cpu4 && grep -q "chip cpu4 has no SMs" err
ok "a CPU runs no GPU kernels"
run 2 run cpu:mix,threads=5,length=100 && grep -q "has 5 threads, expected at most its 4 cores" err
ok "a program with more threads than cores is refused"
run 0 run cpu:mix,threads=4,length=5000 -q -o threads.json && [ "$(grep -c '"instructions": 5000,' threads.json)" = 4 ]
ok "threads run on cores of their own"
run 2 run cpu:mix --set core.l1d.size_bytes=10000 && grep -q "core.l1d.size_bytes is 10000, expected a multiple" err
ok "a cache without whole sets is refused"
run 2 run cpu:mix --set dram.bus_bits=2 && grep -q "bus_bits is 2, expected a multiple of 8" err &&
	run 2 run cpu:mix --set dram.banks=3 && grep -q "banks is 3, expected a power of two" err &&
	run 2 run cpu:mix --set dram.row_bytes=100 && grep -q "row_bytes is 100, expected a power of two" err &&
	run 2 run cpu:mix --set dram.bank_groups=3 && grep -q "bank_groups is 3, expected a divisor of banks" err
ok "so is a DRAM that cannot be built"
run 2 run cpu:mix --set core.branch.btb_entries=10 && grep -q "btb_entries is 10, expected a multiple of btb_ways" err
ok "a branch target buffer without whole sets is refused"

cat >mix.yaml <<'END'
applications:
  - {cpu: "cpu:stream,length=8000", name: stream}
  - {cpu: "cpu:mix,length=30000", name: mix, cores: 1}
END
run 0 run --mix mix.yaml --chip cpu4 -o mix.json && grep -q "stream .*core 0" out && grep -q "mix .*core 1" out &&
	[ "$(grep -c '"ended": true' mix.json)" = 2 ]
ok "two programs run at once, until each has ended once"
sed 's/cores: 1/cores: 0-0/' mix.yaml >same.yaml
run 2 run --mix same.yaml --chip cpu4 && grep -q "both run on core 0, expected separate cores" err
ok "two programs on one core are refused"
sed 's/cores: 1/sms: 1/' mix.yaml >sms.yaml
run 2 run --mix sms.yaml --chip cpu4 && grep -q "runs on cores, expected cores:" err
ok "a place of the wrong kind is refused"
run 2 run --mix mix.yaml && grep -q "chip fermi15 has no CPU cores" err
ok "a mix of CPU programs needs a chip with cores"

run 0 why cpu:coin,length=3000 --quick -q --db why.db && grep -q "Bound by mispredicted branches" out
ok "why says that a coin is bound by its branches"
run 0 why cpu:chase,length=500 --quick -q --db why.db && grep -q "Bound by latency of memory below the private L2" out
ok "why says that a chase is bound by the latency of memory"
run 0 run cpu:loop,length=20000 --chip acmp9 -o rate.json && grep -q '^  cycles of cores with back ends by rate$' out && grep -q "^    backend  *[89]" out &&
	grep -q "bound by     the back end's rate" out && ! grep -q 'retirement slots\|width' out && grep -q "\"bound_by\": \"the back end's rate" rate.json &&
	run 0 report rate.json -o rate.html && grep -q '"words": *"cycles of cores"' rate.html && grep -q '"retired": *"the back end worked at its rate"' rate.html && ! grep -q '"words": *"retirement slots"' rate.html &&
	run 0 run cpu:coin,length=20000 --chip acmp9 && grep -q 'bound by     branches that are predicted wrong' out &&
	run 0 why cpu:loop,length=20000 --chip acmp9 --quick -q --db why.db && grep -q "Bound by the back end's rate" out && ! grep -q 'retires an instruction' out
ok "a core with a back end by rate is bound by its rate or its front end, not by slots that it does not have"
for chip in acmp9 acmp9-out-of-order cpu8; do
	run 0 chip show $chip --json && mv out $chip.json
done
python3 - <<'PY' && run 0 run cpu:loop,length=20000 --chip acmp9-out-of-order && grep -q 'retirement slots' out
import json
def of(chip):
    return {name: p["value"] for name, p in json.load(open(chip + ".json"))["parameters"].items()}
rate, both, lean = of("acmp9"), of("acmp9-out-of-order"), of("cpu8")
behind = ("core.window.", "core.units.", "core.lsq.", "core.l1d.")
for name, value in both.items():
    if name != "core.backend":
        assert value == (lean if name.startswith(behind) else rate)[name], name
PY
ok "acmp9-out-of-order has the back end of cpu8, and everything else of acmp9"
run 0 run cpu:mix,length=20000 --chip cmp8 -o cost.json && grep -q '^  energy  *335 uJ, 4.35 W of 27.89 mm2 of cores and their L2s: static 88 %, l2 10 %, rest 2 %$' out &&
	run 0 run cpu:mix,length=20000 --chip acmp9 && grep -q '^  energy .* W of 19.92 mm2 of lean cores: cores 9[0-9] %, I-caches [0-9]* %$' out &&
	run 0 run cpu:mix,length=20000 --chip cpu8 && ! grep -q '^  energy' out &&
	run 0 report cost.json -o cost.html && grep -q "id: 'core-cost'" cost.html
ok "a run of cores with published parts says what area, power and energy they take"
run 2 why cpu:mix --chip fermi15 && grep -q "workload cpu:mix does not run on chip fermi15, which is of model gpu" err
ok "why refuses a CPU program on a GPU"
cat >sweep.yaml <<'END'
chips: [cpu4]
workloads: ["cpu:mix,length=2000"]
sweep:
  core.window.rob_entries: [32, 256]
END
run 0 sweep sweep.yaml --db sweep.db -q && run 0 results --db sweep.db && grep -q "cpu:mix" out
ok "CPU programs are points of a sweep"
run 0 trace convert cpu:mix,length=5000 mix.champsim.gz && run 0 run mix.champsim.gz -q -o champsim.json &&
	run 0 run champsim:mix.champsim.gz -q -o same.json && grep -q '"instructions": 5000,' champsim.json
ok "a trace of ChampSim's runs on the default CPU chip"
run 2 run champsim:nothing.xz && grep -q "nothing.xz: cannot read the trace" err
ok "a trace that is not there is refused"
echo "1..$count"

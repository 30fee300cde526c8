#!/bin/sh
# Frequencies that change at run time. Prints TAP. HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"

cat >mix.yaml <<'YAML'
applications:
  - {cpu: "cpu:mix,length=40000", name: mix}
  - {cpu: "cpu:random,footprint_bytes=2MiB,load=1,alu=6,length=40000", name: random}
  - {workload: matmul, size: tiny}
YAML
short="--set dvfs.period_ns=2us --set dvfs.pll_ns=200ns"
# Are all statistics the same but for those of frequencies?
same() {
	python3 - "$1" "$2" <<'END'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:3])
for part in "totals", "applications":
    x, y = ({k: v for k, v in r[part].items() if not k.startswith("dvfs.")} if part == "totals" else r[part] for r in (a, b))
    assert x == y, [k for k in x if x[k] != y.get(k)][:5]
assert a["run"]["simulated_fs"] == b["run"]["simulated_fs"]
END
}
run 0 run --mix mix.yaml --chip apu46-dvfs --set dvfs.domains=false -q -o off.json && run 0 run --mix mix.yaml --chip apu46-dvfs -q -o base.json && same off.json base.json
ok "clocks of their own at base frequency change nothing"
# shellcheck disable=SC2086
run 0 run --mix mix.yaml --chip apu46-dvfs $short --set dvfs.messages=false --policy dvfs=dyfr,cpu_t_hi=1000000000,cpu_t_lo=0,gpu_t_hi=1000000000,gpu_t_lo=0 -q -o never.json &&
	same base.json never.json && python3 -c 'import json; t = json.load(open("never.json"))["totals"]; assert t["dvfs.periods"] > 3 and not t["dvfs.changes"]'
ok "limits that nothing reaches are the baseline, if no messages are sent"
# shellcheck disable=SC2086
run 0 run --mix mix.yaml --chip apu46-dvfs $short --policy dvfs=dyfr -q -o once.json && run 0 run --mix mix.yaml --chip apu46-dvfs $short --policy dvfs=dyfr --no-skip -q -o again.json &&
	python3 - <<'END'
import json
a, b = (json.load(open(f))["totals"] for f in ("once.json", "again.json"))
assert a == b, [k for k in a if a[k] != b[k]][:5]
periods, nodes = a["dvfs.periods"], 10 + 6
# a core or bank or controller each, except of a last period whose messages are on their way
assert a["dvfs.changes"] > 3 and nodes * (periods - 1) <= a["dvfs.messages"] <= nodes * periods, (periods, a["dvfs.messages"])
assert not a["dvfs.over_periods"] and 0 < a["dvfs.message_ns"] < 500 * periods
assert a["dvfs.cpu.locked_ns"] == 200 * a["dvfs.cpu.changes"] and a["dvfs.memory.locked_ns"] == 200 * a["dvfs.memory.changes"]
END
ok "DyFR sends a packet from each core and to each bank and controller, the same with every unit ticked"
# shellcheck disable=SC2086
run 0 run --mix mix.yaml --chip apu46-dvfs $short --policy dvfs=dyfr --policy llc.partition=tap_ucp,interval=5000 \
	--policy noc=fvcp,warmup_cycles=500,training_cycles=500,main_cycles=4000 -o all.json && grep -q 'warning: a frequency changed after .* while .* compares' err &&
	grep -q 'changes fell into comparisons' out &&
	python3 -c 'import json; t = json.load(open("all.json"))["totals"]; assert t["dvfs.in_llc_sampling"] and t["plan.decisions"] and t["mesh.noc.policy.rounds"]'
ok "TAP, F-VCP and DyFR run together, with a warning that their comparisons are disturbed"
for f in 600 1500 2100; do
	run 0 run cell --size tiny --chip apu46-dvfs --policy dvfs=fixed,gpu=${f}MHz -q -o cell$f.json || break
done && python3 - <<'END'
import json
mpki, mpt = {}, {}
for f in 600, 1500, 2100:
    r = json.load(open("cell%d.json" % f))
    misses = r["totals"]["gpu.sm.l1.misses"]
    mpki[f], mpt[f] = misses / r["totals"]["gpu.sm.warp_instructions"], misses / r["run"]["simulated_fs"]
assert max(mpki.values()) < 1.1 * min(mpki.values()), mpki
# for as many misses, whose number changes by 6 % with the order in which warps load; mesh and memory get no faster
rate = mpt[2100] / mpki[2100] / (mpt[600] / mpki[600])
assert 0.8 * 2.1 / 0.6 < rate <= 1.02 * 2.1 / 0.6, (mpki, mpt)
END
ok "misses per instruction do not depend on the frequency, those in time follow it"
refuse() { # a claim, what is said, options
	claim=$1 said=$2
	shift 2
	run 2 run --mix mix.yaml "$@" && grep -q "$said" err
	ok "$claim"
}
refuse "a base frequency that is no level is refused" "dvfs.cpu.levels has no 3.1GHz, .* (nearest: 3GHz)" --chip apu46-dvfs --set core.clock_hz=3.1GHz
refuse "a limit that is no level is refused" "the limit 3200000000 Hz for cpu, expected one of dvfs.cpu.levels (nearest: 3000000000)" --chip apu46-dvfs --policy dvfs=dyfr,cpu_max=3.2GHz
refuse "shares that do not add up are refused" "add up to 1100, expected 1000" --chip apu46-dvfs --set dvfs.memory.share=500
refuse "a period shorter than the lock time is refused" "dvfs.period_ns is 5000 with a lock time of 10000 ns" --chip apu46-dvfs --set dvfs.period_ns=5us
refuse "a chip without frequency domains is told so" "dvfs.policy is dyfr on a chip without frequency domains, expected dvfs.domains true" --chip apu46 --policy dvfs=dyfr
refuse "and a chip of another kind, which kind has them" "a chip of model cpu has no dvfs, expected one of model machine" --chip cpu4 --policy dvfs=dyfr
refuse "an unknown policy has its nearest name" "unknown policy for dvfs 'dyfe', .*nearest: dyfr" --chip apu46-dvfs --policy dvfs=dyfe
cc -O2 -shared -fPIC -DHEDDLE_PLUGIN -I"$HEDDLE_SOURCE/src" "$HEDDLE_SOURCE/examples/sprint.c" -o sprint.so &&
	run 0 run --mix mix.yaml --chip apu46-dvfs --set dvfs.period_ns=2us --set dvfs.pll_ns=200ns --plugin ./sprint.so --policy dvfs=sprint,periods=1 -q -o sprint.json &&
	python3 - <<'END'
import json
t = json.load(open("sprint.json"))["totals"]
assert t["dvfs.gpu.changes"] >= 2 and t["dvfs.gpu.at_level_ns"]["0"] and t["dvfs.gpu.at_level_ns"]["5"] and not t["dvfs.over_periods"], t["dvfs.gpu.at_level_ns"]
END
ok "a plugin may choose the frequencies"
echo "1..$count"

#!/bin/sh
# A policy built outside the tree, against the installed headers alone, is the built-in one. Prints TAP.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
count=0
failed=0
ok() { # ok STATUS CLAIM
	count=$((count + 1))
	[ "$1" -eq 0 ] || failed=1
	[ "$1" -eq 0 ] && echo "ok $count - $2" || echo "not ok $count - $2"
}
meson install -C "$(dirname "$HEDDLE")" --no-rebuild --tags devel --destdir "$tmp" >"$tmp/install" 2>&1
headers=$(dirname "$(find "$tmp" -path '*/heddle/base/arena.h')")/..
[ -d "$headers/base" ]
ok $? "the headers are installed"

# build NAME: a copy of a policy under the name own-NAME
build() {
	sed "s/\.name = \"$1\"/.name = \"own-$1\"/" "$HEDDLE_SOURCE/src/policy/warp/$2" >"$tmp/own.c"
	${CC:-cc} -std=gnu11 -O1 -shared -fPIC -DHEDDLE_PLUGIN -I"$headers" "$tmp/own.c" -o "$tmp/own-$1.so" 2>"$tmp/cc"
}
run() { # run RESULT OPTIONS...
	result=$1
	shift
	"$HEDDLE" run kmeans --size tiny --chip kepler8 --quiet --stats "$tmp/$result" "$@" 2>"$tmp/err"
}
for policy in swl:swl.c:n=2 fixed:fixed.c:n=6,p=2 apcm_like:apcm_like.c:watched_lines=32; do
	name=${policy%%:*}
	options=${policy##*:}
	file=${policy#*:}
	build "$name" "${file%%:*}"
	ok $? "$name builds with the installed headers"
	run built-in.csv --policy "warp.scheduler=$name,$options" && run own.csv --plugin "$tmp/own-$name.so" --policy "warp.scheduler=own-$name,$options"
	ok $? "both run in the process of a program"
	run gto.csv
	cmp -s "$tmp/built-in.csv" "$tmp/own.csv" && ! cmp -s "$tmp/gto.csv" "$tmp/own.csv"
	ok $? "all statistics of $name and its copy are the same, and not those of gto"
done

${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -shared -fPIC -DHEDDLE_PLUGIN -I"$headers" "$HEDDLE_SOURCE/examples/half.c" -o "$tmp/half.so" &&
	run half.csv --plugin "$tmp/half.so" --policy warp.scheduler=half,percent=1 && run one.csv --policy warp.scheduler=swl,n=1 && cmp -s "$tmp/half.csv" "$tmp/one.csv"
ok $? "the example of the manual builds without warnings, and one warp is one warp"

# a clone has src, examples and, once it is built, build
mkdir "$tmp/clone" "$tmp/clone/build" && ln -s "$HEDDLE_SOURCE/src" "$HEDDLE_SOURCE/examples" "$tmp/clone" && ln -s "$HEDDLE" "$tmp/clone/build/heddle"
sed -n '/^cc .*half.so$/p; /^build.heddle .*half.so/s/$/ --size tiny -q -o half.csv/p' "$HEDDLE_SOURCE/docs/mechanisms/warp-policies.md" >"$tmp/clone/commands"
(cd "$tmp/clone" && [ "$(wc -l <commands)" -eq 2 ] && sh -e commands && [ -s half.csv ])
ok $? "the commands of the manual work in a clone"

# Every question: a copy of a built-in policy, against the installed headers alone, does what the original does, and
# something else than without it where that is said. QUESTION FILE OPTIONS OTHER: how it is run
copy() {
	question=$1 name=$2 folder=$3 parameters=$4
	shift 4
	sed "s/\.name = \"$name\"/.name = \"own-$name\"/" "$HEDDLE_SOURCE/src/policy/$folder/$name.c" >"$tmp/own.c"
	${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -O1 -shared -fPIC -DHEDDLE_PLUGIN -I"$headers" "$tmp/own.c" -o "$tmp/own-$folder-$name.so" -lm 2>"$tmp/cc" &&
		"$HEDDLE" run "$@" -q --stats "$tmp/built-in.csv" --policy "$question=$name$parameters" &&
		"$HEDDLE" run "$@" -q --stats "$tmp/own.csv" --plugin "$tmp/own-$folder-$name.so" --policy "$question=own-$name$parameters" &&
		[ -s "$tmp/own.csv" ] && cmp -s "$tmp/built-in.csv" "$tmp/own.csv"
	ok $? "$question policy $name as a plugin is the built-in one"
	covered="$covered $folder"
}
covered=warp
gpu="kmeans --size tiny --chip kepler8"
printf 'applications:\n- {workload: vecadd, size: tiny}\n- {workload: kmeans, size: tiny}\n' >"$tmp/two.yaml"
# shellcheck disable=SC2086
{
	copy l2.replacement plru replacement "" $gpu
	copy l2.replacement drrip replacement "" $gpu
	copy l1.replacement fifo replacement "" $gpu
	copy dram.scheduler fcfs dram_scheduler "" $gpu
	copy block depth_first block "" $gpu
	copy l2.partition split llc ,first=3 --mix "$tmp/two.yaml" --chip kepler8
	copy l2.partition ucp llc "" --mix "$tmp/two.yaml" --chip kepler8
	copy home first_touch page_placement "" vecadd --size tiny --chip pascal64x4
	copy home interleaved page_placement ,bytes=512 vecadd --size tiny --chip pascal64x4
	copy branch gshare branch "" cpu:mix,length=5000
	copy l1d.prefetch stride prefetch "" cpu:mix,length=5000
}
printf 'model: front-end\npredictors: {a: {predictor: "gshare"}, b: {predictor: "own-gshare"}}\n' >"$tmp/front.yaml"
"$HEDDLE" front-end cpu:mix,length=5000 -q --chip "$tmp/front.yaml" --plugin "$tmp/own-branch-gshare.so" -o "$tmp/front.csv" &&
	[ "$(grep -c 'predictors.b,' "$tmp/front.csv")" -eq 3 ] &&
	[ "$(sed -n 's/.*predictors\.a,//p' "$tmp/front.csv")" = "$(sed -n 's/.*predictors\.b,//p' "$tmp/front.csv")" ]
ok $? "front-end takes a predictor from a plugin, with the misses of the built-in one"

${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -shared -fPIC -DHEDDLE_PLUGIN -I"$headers" "$HEDDLE_SOURCE/examples/shares.c" -o "$tmp/shares.so" &&
	run shares.json --plugin "$tmp/shares.so" --policy l2.replacement=shares && python3 - "$tmp/shares.json" <<'END'
import json, sys
t = json.load(open(sys.argv[1]))['totals']
assert t['l2.replacement.hits']['0'] == t['l2.hits'] > 0, t['l2.replacement.hits']
END
ok $? "the replacement policy of the manual counts every hit of the L2"

cat >"$tmp/clone/commands" <<'END'
cc -O2 -shared -fPIC -DHEDDLE_PLUGIN -Isrc examples/fence.c -o fence.so
build/heddle run --mix examples/apu.yaml --chip apu46 --plugin fence.so --policy llc.partition=fence,gpu_ways=2 -q -o fence.json
END
(cd "$tmp/clone" && sh -e commands && [ -s fence.json ]) && python3 - "$tmp/clone/fence.json" <<'END'
import json, sys
t = json.load(open(sys.argv[1]))['totals']
assert t['plan.quota'] == {'0': 30, '1': 30, '2': 2, '3': 0, '4': 0, '5': 0, '6': 0, '7': 0}, t['plan.quota']
END
ok $? "the LLC policy of examples/ keeps the GPU program to two ways"
mesh() { # mesh RESULT OPTIONS...
	result=$1
	shift
	"$HEDDLE" run memory --chip mesh4x4 --set traffic.window_cycles=5000 --set network.mesh.arbitration=oldest -q --stats "$tmp/$result" "$@"
}
for name in damq order; do
	sed "s/\.name = \"$name\"/.name = \"own-$name\"/" "$HEDDLE_SOURCE/src/policy/noc/$name.c" >"$tmp/own.c"
	${CC:-cc} -std=gnu11 -O1 -shared -fPIC -DHEDDLE_PLUGIN -I"$headers" "$tmp/own.c" -o "$tmp/own-$name.so" 2>"$tmp/cc" &&
		mesh built-in.csv --policy "noc=$name" && mesh own.csv --plugin "$tmp/own-$name.so" --policy "noc=own-$name" &&
		mesh none.csv && cmp -s "$tmp/built-in.csv" "$tmp/own.csv" && ! cmp -s "$tmp/none.csv" "$tmp/own.csv"
	ok $? "noc policy $name as a plugin is the built-in one, and not none"
done
clocks() { # clocks RESULT OPTIONS...
	result=$1
	shift
	"$HEDDLE" run matmul --size tiny --chip apu46-dvfs --set dvfs.period_ns=1us --set dvfs.pll_ns=100ns -q --stats "$tmp/$result" "$@"
}
sed "s/\.name = \"fixed\"/.name = \"own-fixed\"/" "$HEDDLE_SOURCE/src/policy/dvfs/fixed.c" >"$tmp/own.c"
${CC:-cc} -std=gnu11 -O1 -shared -fPIC -DHEDDLE_PLUGIN -I"$headers" "$tmp/own.c" -o "$tmp/own-clocks.so" 2>"$tmp/cc" &&
	clocks built-in.csv --policy dvfs=fixed,gpu=700MHz && clocks own.csv --plugin "$tmp/own-clocks.so" --policy dvfs=own-fixed,gpu=700MHz &&
	clocks none.csv && cmp -s "$tmp/built-in.csv" "$tmp/own.csv" && ! cmp -s "$tmp/none.csv" "$tmp/own.csv"
ok $? "dvfs policy fixed as a plugin is the built-in one, and not the base frequency"
${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -shared -fPIC -DHEDDLE_PLUGIN -I"$headers" "$HEDDLE_SOURCE/examples/sprint.c" -o "$tmp/sprint.so" &&
	clocks sprint.csv --plugin "$tmp/sprint.so" --policy dvfs=sprint,periods=1 && ! cmp -s "$tmp/none.csv" "$tmp/sprint.csv"
ok $? "the policy of frequencies of the manual builds without warnings, and runs"
covered="$covered noc dvfs indirect" # indirect: below
missing=
for folder in "$HEDDLE_SOURCE"/src/policy/*/; do
	folder=$(basename "$folder")
	case " $covered " in *" $folder "*) ;; *) missing="$missing $folder" ;; esac
done
[ -z "$missing" ]
ok $? "every question has its plugin here$missing"
for example in fence half shares sprint; do
	${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -shared -fPIC -DHEDDLE_PLUGIN -I"$headers" "$HEDDLE_SOURCE/examples/$example.c" -o "$tmp/example.so"
	ok $? "examples/$example.c builds from the installed headers"
done
# what a plugin refuses is a sentence, by way of the host
"$HEDDLE" run --mix "$tmp/two.yaml" --chip kepler8 -q -o "$tmp/x.csv" --plugin "$tmp/own-llc-split.so" --policy l2.partition=own-split,first=63 2>"$tmp/err"
[ $? -eq 2 ] && grep -q 'expected a way for each' "$tmp/err"
ok $? "a plugin can refuse its parameters"

cores() { # cores RESULT OPTIONS...
	result=$1
	shift
	"$HEDDLE" run "$HEDDLE_SOURCE/tests/cpu/traces/perl.hct" --chip cpu4 -q --stats "$tmp/$result" "$@"
}
for name in target_cache ittage; do
	sed "s/\.name = \"$name\"/.name = \"own-$name\"/" "$HEDDLE_SOURCE/src/policy/indirect/$name.c" >"$tmp/own.c"
	${CC:-cc} -std=gnu11 -O1 -shared -fPIC -DHEDDLE_PLUGIN -I"$headers" "$tmp/own.c" -o "$tmp/own-$name.so" -lm 2>"$tmp/cc" &&
		cores built-in.csv --policy "indirect=$name" && cores own.csv --plugin "$tmp/own-$name.so" --policy "indirect=own-$name" &&
		cores none.csv --policy indirect=btb && cmp -s "$tmp/built-in.csv" "$tmp/own.csv" && ! cmp -s "$tmp/none.csv" "$tmp/own.csv"
	ok $? "indirect predictor $name as a plugin is the built-in one, and not btb"
done

synthetic=$(find "$HEDDLE_SOURCE/workloads/synthetic" -name '*.yaml' | sort | head -n 1)
"$HEDDLE" run "$synthetic" --chip kepler8 -q --stats "$tmp/a.csv" --policy warp.scheduler=swl,n=2 --max-cycles 20000 &&
	"$HEDDLE" run "$synthetic" --chip kepler8 -q --stats "$tmp/b.csv" --plugin "$tmp/own-swl.so" --policy warp.scheduler=own-swl,n=2 --max-cycles 20000 &&
	cmp -s "$tmp/a.csv" "$tmp/b.csv"
ok $? "the same without a program"
HEDDLE_PLUGIN=$tmp/own-swl.so "$HEDDLE" list params --names | grep -qx policy.warp.own-swl.n
ok $? "HEDDLE_PLUGIN works for every command"

run x.csv --plugin "$tmp/own-swl.so" --plugin "$tmp/own-swl.so"
[ $? -eq 2 ] && grep -q "there is a warp policy own-swl already" "$tmp/err"
ok $? "a name is taken once"
size=$(wc -c <"$tmp/own-swl.so")
cut=0
for bytes in 0 3 40 600 $((size / 2)) $((size - 1)); do
	head -c "$bytes" "$tmp/own-swl.so" >"$tmp/cut.so"
	run x.csv --plugin "$tmp/cut.so"
	if [ $? -ne 2 ] || ! grep -q "cut.so: the plugin \(is truncated\|is not an ELF file\)" "$tmp/err"; then cut=1; fi
done
ok $cut "a plugin that is cut off is refused before it is loaded"
run x.csv --plugin "$tmp"
[ $? -eq 2 ] && grep -q "the plugin is not a file" "$tmp/err"
ok $? "so is a folder"
echo 'int nothing;' | ${CC:-cc} -shared -fPIC -x c - -o "$tmp/empty.so"
run x.csv --plugin "$tmp/empty.so"
[ $? -eq 2 ] && grep -q "contains no policy" "$tmp/err"
ok $? "a shared object without a policy is refused"
sed 's/define POLICY_VERSION .*/define POLICY_VERSION 999u/' "$headers/sim/policy.h" >"$tmp/v" && cp "$tmp/v" "$headers/sim/policy.h"
build swl swl.c && run x.csv --plugin "$tmp/own-swl.so"
[ $? -eq 2 ] && grep -q "version 999" "$tmp/err"
ok $? "a policy for another version of the header is refused"
echo "1..$count"
exit $failed

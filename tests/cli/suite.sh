#!/bin/sh
# Stand-ins for named CPU programs: recording, the cache, acceptance, and what is refused. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"

if ! command -v qemu-x86_64 >/dev/null 2>&1; then
	echo "1..0 # SKIP qemu-x86_64 is not installed (package qemu-user)"
	exit 0
fi
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
suite=$XDG_CACHE_HOME/heddle/suite
contents() { # FOLDER NAME: the hash that the cache knows a trace by
	awk -F, 'NR == 2 {print $3}' "$1/heddle/suite/$2.csv"
}

run 0 trace suite --list && [ "$(grep -cv '^program' out)" -eq "$(grep -cv '^program\|^#' "$HEDDLE_SOURCE/workloads/cpu/programs.csv")" ] &&
	grep -q '^mcf  *cache-friendly  *network-simplex  *-' out
ok "the list has every program, and what stands for it"
cut -d, -f4 "$HEDDLE_SOURCE/workloads/cpu/programs.csv" | sed -n 's/^\.\/\([^ ]*\).*/\1/p' >kernels
while read -r k; do
	[ -f "$HEDDLE_SOURCE/workloads/cpu/$k.c" ] || echo "$k"
done <kernels >err
[ -s kernels ] && [ ! -s err ]
ok "every kernel that is named has its source"
while read -r k; do
	gcc -O2 -std=gnu11 -Wall -Wextra -Werror -fsyntax-only "$HEDDLE_SOURCE/workloads/cpu/$k.c" || echo "$k"
done <kernels >out 2>err
[ ! -s out ] && [ ! -s err ]
ok "every kernel compiles without a warning"

awk -F, 'NR == FNR {if (FNR > 1) want[$1] = $2; next} FNR > 1 {print want[$1] == $2 && ($4 == "yes" || $4 == "no") && length($15) == 64; delete want[$1]}
	END {for (p in want) print p}' "$HEDDLE_SOURCE/workloads/cpu/programs.csv" "$HEDDLE_SOURCE/workloads/cpu/accepted.csv" | sort -u >out
[ "$(cat out)" = 1 ]
ok "every program has its row in the table of accepted ones, with a hash"

run 0 trace suite stream-triad mcf --instructions 200000 && grep -q '^stream-triad [0-9a-f]*  0 M instructions, .* 1 of 2, about .* left$' out &&
	grep -q '^mcf .* 2 of 2$' out && ls "$suite"/mcf-"$(contents cache mcf | cut -c1-16)".hct >/dev/null
ok "programs are built and recorded, with what is left said, and lie under their hash"
run 0 trace suite stream-triad mcf --instructions 200000 && [ "$(grep -c 'there already' out)" -eq 2 ]
ok "what is recorded is not recorded again"
for there in a "far away/and deep" "$(printf '%060d' 0)"; do
	mkdir -p "$there"
	XDG_CACHE_HOME="$PWD/$there" SOME=variable run 0 trace suite sphinx3 --instructions 20000 && contents "$there" sphinx3
done >hashes
[ "$(wc -l <hashes)" -eq 3 ] && [ "$(sort -u hashes | wc -l)" -eq 1 ]
ok "recordings in other folders have the same hash"
# shellcheck disable=SC3045 # dash and bash have it
(ulimit -s 1024 && XDG_CACHE_HOME="$PWD/small" run 0 trace suite sphinx3 --instructions 20000 && [ "$(contents small sphinx3)" = "$(contents a sphinx3)" ]) || false
ok "and so have those under another limit of the stack"

# A QEMU whose guests find another table of libraries than this machine's, unless heddle names one.
mkdir -p loader && cat >loader/qemu-x86_64 <<EOF
#!/bin/sh
exec env -i LC_ALL=C HOME=/ PERL_HASH_SEED=0 "$(command -v qemu-x86_64)" -L "$PWD/loader/\$(cat "$PWD/loader/which")" "\$@"
EOF
chmod +x loader/qemu-x86_64
loader_hash() { # BYTES: the hash of a short trace of bzip2 beside a table that is so much longer
	mkdir -p "loader/$1/etc" && cat /etc/ld.so.cache >"loader/$1/etc/ld.so.cache" && head -c "$1" /dev/zero >>"loader/$1/etc/ld.so.cache" &&
		echo "$1" >loader/which && rm -f loader/heddle/suite/bzip2.csv &&
		PATH=$PWD/loader:$PATH XDG_CACHE_HOME=$PWD/loader run 0 trace suite bzip2 --instructions 20000 && contents loader bzip2
}
if command -v bzip2 >/dev/null && [ -r /etc/ld.so.cache ]; then
	loader_hash 100 >hashes && loader_hash 40960 >>hashes && [ "$(wc -l <hashes)" -eq 2 ] && [ "$(sort -u hashes | wc -l)" -eq 1 ]
	ok "how many libraries are installed does not move a program that uses some"
fi
run 0 trace suite mcf --instructions 100000 && grep -q '^mcf ' out && ! grep -q already out && [ "$(ls "$suite"/mcf-*.hct | wc -l)" -eq 1 ]
ok "another length is another trace, which replaces the old one"

run 0 run suite:mcf && run 0 run suite:mcf@1000+500 -q -o part.json && grep -q '"core.instructions": 500,' part.json
ok "a recorded program is one like any other, with windows"
run 2 run suite:mfc && grep -q "unknown program of the suite 'mfc'.*nearest: mcf" err
ok "a name that is none gets the nearest"
XDG_CACHE_HOME=$PWD/nowhere run 2 run suite:mcf && grep -q 'mcf has not been recorded here, expected `heddle trace suite mcf` before' err
ok "a program that is not recorded gets a sentence"

printf 'applications:\n  - {cpu: suite:mcf}\n  - {cpu: suite:stream-triad@0+50000}\n' >pair.yaml
run 2 run --mix pair.yaml --chip cpu4 && grep -q "^heddle: pair.yaml:2:11: the trace of mcf is not the one that was accepted; .heddle trace suite --accept mcf. measures it" err
ok "a mix takes no program that was not accepted"
mkdir study && printf 'about: one\ndocument: none\nworkloads: ["suite:mcf"]\nruns: {base: {chips: cpu4}}\nvalues: {time: base:cycles}\n' >study/study.yaml &&
	echo id,what,measure,published,unit,kind,low,high,source >study/published.csv
run 2 study ./study --dry-run && grep -q "study.yaml:3:14: the trace of mcf is not the one that was accepted" err
ok "nor does a study"
run 0 trace suite --accept mcf stream-triad && grep -q '^mcf  *cache-friendly' out && grep -q "^mcf,cache-friendly,network-simplex,[a-z]*,.*,$(contents cache mcf)," "$suite/accepted.csv" &&
	[ "$(wc -l <"$suite/accepted.csv")" -eq 3 ]
ok "acceptance measures traces and writes a table with their hashes"
sed -i 's/network-simplex,yes/network-simplex,no/' "$suite/accepted.csv"
run 2 run --mix pair.yaml --chip cpu4 && grep -q '^heddle: pair.yaml:2:11: mcf is not accepted as a stand-in: it does not behave as the published program does' err
ok "a mix does not take one that was refused, either"
sed -i 's/network-simplex,no/network-simplex,yes/; s/triad,no/triad,yes/' "$suite/accepted.csv"
run 0 run --mix pair.yaml --chip cpu4 -o pair.json && grep -q '^ *mcf~network-simp' out && grep -q '"name": "stream-triad~triad"' pair.json
ok "one that was is called by both names in results"
printf 'chips: cpu4\nworkloads: ["suite:mcf@0+20000"]\n' >sweep.yaml
run 0 sweep sweep.yaml --db s.db && run 0 sweep sweep.yaml --db s.db && grep -q '1 of 1\|1 done\|done before' out
ok "a sweep takes programs of the suite"
cp "$suite"/mcf-*.hct part.hct && printf 'applications: [{cpu: part.hct@500+3000}]\n' >part.yaml
printf 'chips: cpu4\nworkloads: [part.hct@0+2000, part.hct@1000+3000]\nmixes: [part.yaml]\n' >windows.yaml
run 0 sweep windows.yaml --db w.db -q && run 0 sweep windows.yaml --db w.db -n && grep -q '^3 runs, 0 to run$' out
ok "and parts of traces, alone and in mixes"
printf 'chips: cpu4\nworkloads: [windows.yaml@0+2000]\n' >wrong.yaml
run 2 sweep wrong.yaml --db w.db && grep -q '^heddle: wrong.yaml:2:13: windows.yaml is not a trace of a CPU program, expected one before @$' err
ok "a part of anything else is refused"
printf 'applications: [{cpu: part.hct@0+3000}, {cpu: part.hct@900000000+10}]\n' >late.yaml
run 2 run --mix late.yaml --chip cpu4 && grep -q '^heddle: part.hct@900000000+10 begins after the last instruction, expected a window of its [0-9]*$' err
ok "a part behind the end is refused, not waited for"

run 2 trace suite && grep -q 'no program is given, expected names, --all or --list' err
ok "no name is refused"
mkdir bin && ln -s "$(command -v qemu-x86_64)" bin/
XDG_CACHE_HOME=$PWD/none PATH=$PWD/bin run 2 trace suite mcf && grep -q '^heddle: gcc is not installed; it builds the suite.s kernels (Debian 12: package gcc and libc6-dev)$' err
ok "so is a missing compiler, with the package that has it"
PATH=/nowhere run 2 trace suite mcf && grep -q '^heddle: qemu-x86_64 is not installed' err
ok "and a missing QEMU"
ln -s /dev/full "$suite/work/mcf.hct"
run 2 trace suite mcf --instructions 3000000 && [ "$(wc -l <err)" -eq 1 ] && grep -q 'No space left on device' err && run 0 run suite:mcf@0+1000
ok "a full disk is a sentence, and what there was stays"
rm "$suite/work/mcf.hct"
"$HEDDLE" trace suite mcf --instructions 2000000000 >out 2>err &
sleep 1
kill -INT $!
wait $!
[ $? -eq 130 ] && grep -q '^heddle: interrupted' err && run 0 run suite:mcf@0+1000
ok "an interrupt is one, too"
echo "1..$count"

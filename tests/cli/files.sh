#!/bin/sh
# Files that cannot be written or read: told before the run where that is possible, with the file and the reason, exit
# code 2, nothing half-written. A limit on the size of files stands for a full disk. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"
mkdir work messages && cd work || exit 1
echo plain >plain

# refused FILE REASON ARGS...: exit code 2, one line with file and reason, nothing printed, nothing written
refused() {
	file=$1
	reason=$2
	shift 2
	before=$(find . | sort)
	timeout "$(limit 60)" "$HEDDLE" "$@" >../messages/out 2>../messages/err
	[ $? -eq 2 ] && [ "$(cat ../messages/err)" = "heddle: $file: $reason" ] && [ ! -s ../messages/out ] && [ "$(find . | sort)" = "$before" ]
}
out=../messages/out
err=../messages/err

none="cannot write the file: No such file or directory"
below="cannot write the file: Not a directory"
for program in "tokens --set tokens=1000000000" "matmul --size large"; do
	for option in "-o nowhere/x.json" "-o nowhere/x.csv" "--timeline nowhere/x.json"; do
		# shellcheck disable=SC2086
		refused "${option#* }" "$none" run $program $option
		ok "before ${program%% *} runs: $option"
	done
	# shellcheck disable=SC2086
	refused plain/x.json "$below" run $program -o plain/x.json
	ok "before ${program%% *} runs: a path below a file"
done
refused nowhere/x.hrec "$none" run matmul --size large --record nowhere/x.hrec
ok "before matmul runs: --record"
mkdir folder.json
refused folder.json "cannot write the file: Is a directory" run matmul --size large -o folder.json
ok "before matmul runs: a folder of that name"
refused same.json "two outputs name the same file" run matmul -o same.json --timeline same.json
ok "two outputs in one file are refused"
echo plain >heddle-out
refused heddle-out/matmul-fermi15.json "$below" run matmul --size large
ok "before matmul runs: a default folder that cannot be made"
rm heddle-out

printf 'chips: tandem\nworkloads: [tokens]\nset: {tokens: 1000000000}\n' >sweep.yaml
refused nowhere/x.csv "$none" sweep sweep.yaml --csv nowhere/x.csv --db x.db
ok "before a sweep: --csv"
refused plain "cannot make the folder: there is a file of that name" sweep sweep.yaml --db plain/x.db
ok "before a sweep: a database below a file"
refused plain "the results database: file is not a database" sweep sweep.yaml --db plain
ok "before a sweep: a database that is none"
refused folder.json "the results database: unable to open database file: Is a directory" sweep sweep.yaml --db folder.json
ok "before a sweep: a database that is a folder"
refused nowhere.db "the results database does not exist; \`heddle sweep\` creates one" results --db nowhere.db
ok "a database that is not there"
refused plain "the results database: file is not a database" results --db plain
ok "a database that cannot be read"
refused plain "cannot make the folder: there is a file of that name" study calibrate -o plain/x --db x.db
ok "before a study: its folder"
mkdir -p study/page.html
refused study/page.html "cannot write the file: Is a directory" study calibrate -o study --db x.db
ok "before a study: its page"
refused plain "cannot make the folder: there is a file of that name" correlate h200 -o plain --db x.db
ok "before a comparison: its folder"
for option in output kernels errors; do
	refused nowhere/x "$none" train poise --$option nowhere/x --from x.db
	ok "before a training: --$option"
done

"$HEDDLE" run tokens -q --set tokens=1000 --series stage.tokens --interval 100 -o good.json && cp good.json before.json
refused nowhere/x.html "$none" report good.json -o nowhere/x.html
ok "a page"
refused nowhere/x.json "$none" report --perfetto good.json -o nowhere/x.json
ok "a timeline from a result"

# A folder that cannot be written: for root, which may write everywhere, a mount that only the command sees.
mkdir readonly
printf 'kernels:\n  - {name: t, blocks: 4, threads_per_block: 64, instructions: 64, mix: {integer: 2, load: 1}, access: {stream: 1}}\n' >tiny.yaml
printf 'chips: fermi15\nworkloads: [tiny.yaml]\n' >one.yaml
"$HEDDLE" sweep one.yaml -q --db readonly/done.db && cp readonly/done.db readonly/open.db && echo more >readonly/open.db-wal
inside() {
	if [ "$(id -u)" -ne 0 ]; then
		chmod a-w readonly
		(cd readonly && "$@")
		status=$?
		chmod u+w readonly
		return $status
	fi
	unshare -m sh -c 'mount --bind readonly readonly && mount -o remount,ro,bind readonly && cd readonly && exec "$@"' sh "$@"
}
if inside true 2>/dev/null; then
	for line in "run tokens --set tokens=10=heddle-out: cannot write the file" "run matmul --size tiny=heddle-out: cannot write the file" \
		"run matmul --size tiny -o x.json=x.json: cannot write the file" "run matmul -q --record x=x: cannot write the file" \
		"sweep ../one.yaml --db x.db=x.db: the results database: its folder cannot be written" \
		"study calibrate=heddle-out: cannot make the folder" "results --db open.db=open.db: the results database was not closed and its folder is read-only"; do
		# shellcheck disable=SC2086
		inside timeout "$(limit 60)" "$HEDDLE" ${line%=*} >$out 2>$err
		[ $? -eq 2 ] && [ ! -s $out ] && grep -q "^heddle: ${line##*=}" $err
		ok "in a folder that cannot be written: ${line%=*}"
	done
	inside "$HEDDLE" results --db done.db --csv runs >$out 2>$err && [ "$(wc -l <$out)" -eq 2 ]
	ok "a database can be read there"
else
	for i in 1 2 3 4 5 6 7 8; do
		count=$((count + 1))
		echo "ok $count - a folder that cannot be written, $i # SKIP it cannot be made here"
	done
fi

# limited FILE ARGS...: no file may be larger than a kilobyte; FILE is the one that is told
limited() {
	file=$1
	shift
	before=$(find . | sort)
	(ulimit -f 2 && timeout "$(limit 60)" "$HEDDLE" "$@" && echo 'ended well') 2>&1 | cat >$out
	grep -qx "heddle: $file: cannot write the file: File too large" $out && ! grep -q '^ended well' $out && [ "$(find . | sort)" = "$before" ]
}
limited good.json run tokens -q --set tokens=2000 -o good.json && cmp -s good.json before.json
ok "a full disk leaves the old result as it was"
limited new.json run tokens --set tokens=1000 -o new.json && grep -q 'result verified' $out && ! grep -q 'statistics' $out
ok "and prints the summary, which does not name the file"
limited new.json run matmul --size tiny -o new.json
ok "a full disk at the end of a program"
limited t.json run tokens -q --set tokens=1000 --timeline t.json
ok "a full disk while a timeline is written"
limited t.json run matmul --size tiny -q --timeline t.json
ok "also in a program"
limited x.hrec run matmul --size tiny -q --record x.hrec
ok "a full disk while a program is recorded"
limited x.html report good.json -o x.html
ok "a full disk while a page is written"

# said ARGS...: to a standard output that takes nothing
said() {
	timeout "$(limit 60)" "$HEDDLE" "$@" >/dev/full 2>$err
	[ $? -eq 2 ] && grep -q 'standard output.*No space left on device' $err
}
said list params
ok "a list to a full disk"
said help run
ok "help to a full disk"
said run tokens --set tokens=1000 -o x.json && [ -s x.json ]
ok "a summary to a full disk; the result is there"
said run matmul --size tiny
ok "a program's output to a full disk"
said results --db nowhere.db
[ $? -ne 0 ] && grep -q 'the results database does not exist' $err
ok "what went wrong first is told"
"$HEDDLE" list chips >&- 2>$err
[ $? -eq 2 ] && grep -qx 'heddle: standard output: cannot write: Bad file descriptor' $err
ok "a list to nowhere"
"$HEDDLE" run tokens --set tokens=1000 -o closed.json >&- 2>$err
python3 -c 'import json; json.load(open("closed.json"))' 2>>$err
ok "what is printed with standard output closed does not go into the result"
HEDDLE_THREADS='' "$HEDDLE" run tokens -q --set tokens=1000 -o quiet.json >&- 2>$err && [ ! -s $err ]
ok "a quiet run does not need a standard output"

# a workload that would run for hours: the engine's own, and a program with its own process
failed=
for signal in INT TERM; do
	for what in tokens vecadd; do
		case $what in
		tokens) set -- tokens --set tokens=1000000000 ;;
		*) set -- vecadd --size large ;;
		esac
		# a shell has its background ignore SIGINT, and a program that ignores it goes on
		env --default-signal=INT "$HEDDLE" run "$@" -q -o stopped.json >$out 2>$err &
		# until it catches SIGINT and SIGTERM (bits 1 and 14), which it does when the chip is built
		while [ -d /proc/$! ] && [ $((0x$(awk '/^SigCgt/ { print substr($2, 9) }' /proc/$!/status) & 0x4002)) -ne $((0x4002)) ]; do sleep 0.05; done
		kill -$signal $!
		wait $!
		if [ $? -ne 130 ] || ! grep -q '^heddle: interrupted after [0-9]* cycles' $err || ls stopped.json.new* >/dev/null 2>&1; then
			failed="$failed $signal:$what"
		fi
	done
done
[ -z "$failed" ]
ok "SIGINT and SIGTERM both end a run in order"

cd .. || exit 1
echo "1..$count"

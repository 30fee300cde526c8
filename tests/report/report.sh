#!/bin/sh
# heddle report and heddle diff as a person uses them. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
set -u
# shellcheck source=tests/report/toy.sh
. "$HEDDLE_SOURCE/tests/report/toy.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export HEDDLE_CHIPS="$HEDDLE_SOURCE/chips"
count=0

# ok CLAIM: the last command's status decides
ok() {
	status=$?
	count=$((count + 1))
	if [ $status -eq 0 ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		sed 's/^/# /' out err 2>/dev/null | cut -c 1-300 | head -60
	fi
}

# run CODE ARGS...: runs heddle, checks its exit code; output in ./out, messages in ./err
run() {
	want=$1
	shift
	"$HEDDLE" "$@" >out 2>err
	got=$?
	[ $got -eq "$want" ] || echo "exit code $got, expected $want" >>err
	[ $got -eq "$want" ]
}

toy_a a.json triad
toy_b b.json triad
cat >expected <<'END'
A  triad on toy, a.json
B  triad on toy, b.json

B is 1.32 times faster: 760 cycles instead of 1000.
  92 % of it is less structural_mem (the load/store unit was full): 500 -> 280 cycles; L1 stalls: mshr fell from 41.0 % to 2.5 %
  8 % of it is less data_mem (all warps waited for data from memory): 200 -> 180 cycles; miss latency fell from 300 to 270

configuration: 1 parameter differs
  sm.l1.mshrs                          32 -> 128

where the cycles went                         A            B        B - A       part
  structural_mem                          500.0        280.0       -220.0     91.7 %
  data_mem                                200.0        180.0        -20.0      8.3 %
  issued                                  200.0        200.0         +0.0      0.0 %
  no_warp                                 100.0        100.0         +0.0      0.0 %
  all                                    1000.0        760.0       -240.0

latencies                                     A            B          change
  miss latency                              300          270         -10.0 %

queueing                                      A            B          change
  L1 stalls: mshr                        41.0 %        2.5 %    -38.5 points

bandwidths                                    A            B          change
  warp instructions issued                 0.40         0.53         +31.6 %
  DRAM                                 3.2 GB/s     4.2 GB/s         +31.6 %

kernels                                A cycles     B cycles        A / B
  first x1                                  600          400         1.50  structural_mem 400 -> 220
  second x1                                 400          360         1.11  structural_mem 100 -> 60
END
run 0 diff a.json b.json && diff expected out >err
ok "a comparison says what changed, and what it did to the cycles"
run 0 diff b.json a.json && grep -qx 'B is 1.32 times slower: 1000 cycles instead of 760.' out && grep -q '^  92 % of it is more structural_mem' out
ok "the other way round it is slower"
run 0 diff a.json a.json && grep -qx 'B takes as long as A: 1000 cycles.' out && grep -qx 'configuration: the same' out && ! grep -q nan out
ok "a run compared with itself has no difference"
run 0 diff --all a.json b.json && grep -q '^  sm.l1.latency_cycles  *3000  *2700  cycles' out
ok "--all has every statistic that differs"
run 0 diff --json a.json b.json && python3 - out 2>err <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
assert d['schema'] == 'heddle.diff/1' and abs(d['speedup'] - 1000 / 760) < 1e-12
assert d['config'] == [{'path': 'sm.l1.mshrs', 'a': '32', 'b': '128'}]
top = d['classes'][0]
assert (top['name'], top['a'], top['b']) == ('structural_mem', 500, 280) and abs(top['part'] - 220 / 240) < 1e-12
m = {m['id']: m for m in d['measures']}
assert m['l1_stall_mshr']['a'] == 0.41 and m['l1_stall_mshr']['b'] == 38 / 1520
assert m['dram_bytes']['a'] == 3.2e9
assert d['same_kernels'] and [k['a'] for k in d['kernels']] == [600, 400]
assert len(d['reasons']) == 2 and d['a']['bound_by'].startswith('MSHRs of the L1')
END
ok "--json has the same numbers"

run 2 diff a.json && grep -q 'two result files are expected, 1 are given' err
ok "one file is refused"
run 2 diff a.json nothing.json && grep -qx 'heddle: nothing.json: cannot open the file: No such file or directory' err
ok "a file that is not there is refused"
echo '{"schema": "heddle.run/1",' >bad.json
run 2 diff a.json bad.json && grep -q '^heddle: bad.json:2: this is not JSON (.*), expected a file that .heddle run -o FILE.json. wrote$' err
ok "a file that is not JSON is refused with its line"
echo '[1, 2]' >bad.json
run 2 report bad.json && grep -q 'bad.json: "schema" is not there, expected' err && [ ! -e report.html ]
ok "JSON that is no result is refused, and no page is written"
sed 's/heddle.run.1/heddle.run\/9/' a.json >bad.json
run 2 report bad.json && grep -q 'bad.json: schema is heddle.run/9, expected heddle.run/1' err
ok "a result of another schema is refused"
# spoil FILE PYTHON: a result with one thing changed
spoil() {
	python3 -c 'import json,sys; r = json.load(open("a.json")); exec(sys.argv[2]); json.dump(r, open(sys.argv[1], "w"))' "$1" "$2"
}
for change in 'del r["run"]' 'r["run"]["cycles"] = {}' 'r["run"]["chip"] = 3' 'r["totals"]["sm.cycles"] = "many"' 'r["units"]["sm0"] = 1' \
	'r["config"]["sm.count"] = 2' 'r["kernels"][0] = {}' 'r["definitions"] = []' 'r["series"] = {"cycle": [1, 2], "columns": {"sm.cycles": [1]}}'; do
	spoil bad.json "$change" && run 2 report bad.json && [ "$(wc -l <err)" -eq 1 ] && grep -q '^heddle: bad.json: .*expected' err
	ok "refused with one sentence: $change"
done

run 0 report a.json -o one.html && grep -q '^one.html: 1 run, [0-9.]* MB' out && grep -q '<title>triad on toy</title>' one.html
ok "a report of one run"
run 0 report a.json b.json -o two.html && grep -q '<title>2 runs compared</title>' two.html
ok "a report of two runs"
run 2 report -o x.html && grep -q '1 to 64 result files are expected, 0 are given' err
ok "a report of nothing is refused"
run 2 report a.json -o x.pdf && grep -q -- '--output is x.pdf, expected a file that ends in .html' err
ok "a page that is no .html is refused"
run 2 report a.json -o nowhere/x.html && grep -q 'nowhere/x.html: cannot write the file' err
ok "an unwritable page is refused"
spoil odd.json 'r["run"]["workload"] = "</script><script>alert(1)</script> & \"x\" <!--"; r["kernels"][0]["name"] = "void f<int, 3>(T&)"'
run 0 report odd.json --title '<b>"A & B"</b>' -o odd.html && grep -q '<title>&lt;b&gt;&quot;A &amp; B&quot;&lt;/b&gt;</title>' odd.html &&
	python3 - odd.html odd.json 2>err <<'END'
import json, re, sys
page = open(sys.argv[1]).read()
want = json.load(open(sys.argv[2]))
text = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S).group(1)
assert '<' not in text
assert json.loads(text)['runs'][0]['result'] == want
assert page.count('</script>') == 3 and page.count('<script') - page.count('"<script') >= 3
END
ok "names with markup stay data"
python3 - two.html a.json 2>err <<'END'
import json, re, sys
page = open(sys.argv[1]).read()
data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S).group(1))
a = data['runs'][0]
assert a['result'] == json.load(open(sys.argv[2]))
m = a['machine']
assert (m['sms'], m['schedulers'], m['l2_banks'], m['channels']) == (2, 1, 2, 1)
assert m['peak_issue'] == 2 and m['peak_threads'] == 64e9  # 2 SMs x 32 lanes x 1 GHz
assert m['peak_l2'] == 64e9 and m['peak_dram'] == 32e9     # 2 x 32 B, 8 B x 4, at 1 GHz
assert {p['id']: p['value'] for p in a['measures']}['miss_latency'] == 300
assert a['parameters']['sm.issue_width']['meaning'] and a['bound_by'].startswith('MSHRs of the L1')
# nothing is fetched from elsewhere
head = page[:page.index('<script id=')]
assert 'src=' not in head and 'href=' not in head and "default-src 'none'" in head
END
ok "the page holds the results, the peaks and the measures"
run 0 run tokens -q --set tokens=1000 -o tokens.json --series stage.tokens --interval 100 && run 0 run tokens -q --set tokens=2000 -o more.json &&
	run 0 report tokens.json more.json -o tokens.html && run 0 diff tokens.json more.json && grep -q '^  tokens  *1000 -> 2000' out && grep -q '^  sink.tokens ' out
ok "chips that are no GPU have reports and comparisons too"
# Sweeps
run 2 report --db none.db && grep -q 'none.db: the results database does not exist' err
ok "a database that is not there is refused"
echo '{name: one, chips: [tandem], workloads: [tokens], sweep: {tokens: [100, 200]}}' >one.yaml
sed 's/one/two/; s/200/300/' one.yaml >two.yaml
run 0 sweep one.yaml --db r.db -q && run 0 report --db r.db -o sweep.html && grep -q '^sweep.html: 2 points, ' out && grep -q '<title>Sweep one</title>' sweep.html
ok "the only sweep of a database needs no name"
run 0 sweep two.yaml --db r.db -q && run 2 report --db r.db && grep -q 'r.db: the database has 2 sweeps (one, two): choose one with --sweep NAME' err
ok "of several sweeps one must be named"
run 2 report --db r.db --sweep tow && grep -q "unknown sweep 'tow', expected one or two (nearest: two)" err
ok "an unknown sweep suggests the nearest"
run 2 report --db r.db a.json && grep -q 'takes no result files' err
ok "a sweep and result files are two pages"
run 2 report --sweep one a.json && grep -q -- '--sweep names a sweep in a database, expected --db FILE as well' err
ok "a sweep without its database is refused"
run 0 report --db r.db --sweep two -o sweep.html && python3 - sweep.html 2>err <<'END'
import json, re, sys
page = open(sys.argv[1]).read()
d = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S).group(1))
assert d['sweep'] == 'two' and d['points']['status'] == ['done', 'done'] and d['settings']['tokens']['values'] == [100, 300]
stats = {s['name']: s for s in d['stats']}
assert stats['sink.tokens']['values'] == [100, 300] and stats['sink.tokens']['unit'] == 'tokens'
names, rows = d['config']['names'], d['config']['rows']
assert [rows[d['config']['ids'].index(c)][names.index('tokens')] for c in d['points']['config']] == ['100', '300']
assert d['parameters']['tokens']['meaning'] == 'tokens sent through the chain' and d['stats_left_out'] == 0
END
ok "the page of a sweep holds points, settings, statistics and configurations"

# Files without an end
failed=
for file in /dev/zero lines; do
	[ $file = /dev/zero ] || { mkfifo lines && (yes '' >lines 2>/dev/null &) ; }
	run 2 report $file -o none.html || failed="$failed $file"
	grep -q "^heddle: $file: this is not JSON, expected a file that" err || failed="$failed $file"
done
[ -z "$failed" ]
ok "what has no end is refused"
run 2 diff /dev/zero a.json && grep -q '/dev/zero: this is not JSON, expected' err
ok "by diff, too"

# Studies
verdict=$HEDDLE_SOURCE/tests/report/verdict.json
run 0 report "$verdict" -o study.html && grep -q '^study.html: a study, ' out && grep -q '<title>Study toy</title>' study.html
ok "a verdict makes a page"
run 2 report "$verdict" a.json && grep -q 'a page shows one study, 2 files are given' err
ok "a study is a page of its own"
echo '{"format": "heddle-study-9"}' >bad.json
run 2 report bad.json && grep -q 'bad.json: format is heddle-study-9, expected heddle-study-1' err
ok "a verdict of another format is refused"
echo '{"format": "heddle-study-1", "checks": [1]}' >bad.json
run 2 report bad.json && grep -q 'bad.json: "checks" is not a list of objects, expected a verdict.json' err
ok "a verdict of another shape is refused"

# The run's own summary and the report follow the same rules.
for kind in compute pointer_chase; do
	yaml=$HEDDLE_SOURCE/workloads/synthetic/$kind.yaml
	run 0 run "$yaml" -o k.json && sed -n 's/^  bound by  *//p' out >said && run 0 diff --json k.json k.json &&
		python3 -c 'import json; assert json.load(open("out"))["a"]["bound_by"] == open("said").read().strip()' 2>>err
	ok "$kind: the report names the same bound as the run"
done
echo "1..$count"

#!/bin/sh
# A study as a person writes and runs one, on the chip whose throughput is known in closed form. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"
HEDDLE_CHIPS=$HEDDLE_SOURCE/chips
export HEDDLE_CHIPS

# Stages pass one token in `service` cycles of 700 MHz: from 2 cycles on they are the slowest part, so the time
# grows as the service time does. With 1 cycle the source is: 2 cycles of 1.4 GHz, as long as one of 700 MHz.
mkdir queues
cat >queues/study.yaml <<'END'
about: service time of a chain of queues
workloads: [tokens]
data: {other: other.csv}
runs:
  base: {chips: tandem, set: {tokens: 20000}}
  service: {chips: tandem, workloads_of: base, set: {tokens: 20000}, sweep: {stage.service_cycles: [1, 2, 3, 6]}}
quick: {programs: [tokens], runs: [base]}
values:
  slower: {of: service:simulated_fs / base:simulated_fs, about: time relative to 3 cycles, unit: x}
  twice: {of: 2 * slower, about: twice that}
  six: {of: "at(slower, 6)", about: with 6 cycles}
expect:
  - {id: grows, what: time grows with the service time, show: "slower[tokens, 6]",
     holds: "slower[tokens, 1] < slower[tokens, 2] and slower[tokens, 2] < slower[tokens, 6]"}
  - {id: param, what: parameters are numbers too, holds: "base:param.tokens == 20000 and other:bytes[tokens] == 7"}
  - {id: wrong, what: a thing that is not so, holds: "slower[tokens, 6] < 1"}
notes: {wrong: "because it is not so"}
figures:
  - {title: time, type: lines, unit: x, x_title: cycles, values: [slower]}
  - {title: of a group, type: lines, values: [slower], programs: chain}
  - {title: of none, type: bars, values: [slower], programs: [nobody]}
  - {title: two of a sweep, type: scatter, values: [slower], against: [twice]}
  - {title: two of each program, type: scatter, values: [six], against: [six]}
groups: {chain: [tokens]}
END
printf 'program,bytes\ntokens,7\n' >queues/other.csv
cat >queues/published.csv <<'END'
id,what,measure,published,unit,kind,low,high,source
six,six cycles take twice as long as three,"at(slower, 6)[tokens]",2.0,x,band,1.99,2.01,arithmetic
one,with one cycle the source is the slowest,"slower[tokens, 1]",0.33,x,exact,,,arithmetic
half,no such thing,"slower[tokens, 2]",0.9,x,band,0.89,0.91,nowhere
END

run 0 study queues -j2
ok "a study runs what it asks for and judges it"
grep -q '^  pass  *band  *2.00 x  *2.00 x  six cycles' out && grep -q '^  pass  *exact .*the slowest' out
ok "published and measured stand side by side with a verdict"
grep -q '^  miss  *band' out && grep -q 'accepted: 0.89 to 0.91' out && grep -q 'because it is not so' out
ok "a miss is a miss, with what was accepted and its note"
grep -q '^4 of 6 judged checks pass, 2 miss, 0 not measured; 4 of 4 runs done$' out
ok "a run that two sets ask for is run once"
python3 - <<'END' >out 2>err
import json
v = json.load(open("heddle-out/studies/queues/verdict.json"))
assert v["format"] == "heddle-study-1" and v["variant"] == "full", v
assert v["summary"] == {"pass": 4, "miss": 2, "shown": 0, "unmeasured": 0}, v["summary"]
assert [c["verdict"] for c in v["checks"]] == ["pass", "pass", "miss", "pass", "pass", "miss"]
points = v["figures"][0]["series"][0]["points"]
assert [p[0] for p in points] == [1, 2, 3, 6] and abs(points[3][1] - 2) < 0.01, points
assert v["figures"][1]["series"][0]["points"] == points and v["figures"][2]["categories"] == ["mean"], v["figures"]
sweep = v["figures"][3]["series"][0]["points"]
assert [p[2] for p in sweep] == ["1", "2", "3", "6"] and all(abs(p[0] - 2 * p[1]) < 1e-4 for p in sweep) and [p[1] for p in sweep] == [p[1] for p in points], sweep
assert v["figures"][4]["series"][0]["points"] == [[points[3][1], points[3][1], "tokens"]], v["figures"][4]
END
ok "verdict.json holds the same for programs, figures those of a list or group"
python3 - <<'END' >out 2>err
import csv
rows = list(csv.DictReader(open("heddle-out/studies/queues/checks.csv")))
assert list(rows[0]) == "id,what,kind,unit,published,measured,low,high,verdict,since,note".split(","), rows[0]
assert [r["id"] for r in rows] == ["six", "one", "half", "grows", "param", "wrong"], rows
assert [r["verdict"] for r in rows] == ["pass", "pass", "miss", "pass", "pass", "miss"], rows
six, half, param, wrong = rows[0], rows[2], rows[4], rows[5]
assert (six["kind"], six["unit"], six["published"], six["low"], six["high"]) == ("band", "x", "2.0", "1.99", "2.01"), six
assert abs(float(six["measured"]) - 2) < 0.01 and abs(float(half["measured"]) - 2 / 3) < 0.01, rows
assert param["measured"] == param["published"] == param["low"] == param["note"] == "", param
assert wrong["note"] == "because it is not so" and wrong["kind"] == "shape", wrong
END
ok "checks.csv has one row per check, with its band, verdict and note"
cp -r queues against && sed -i 's/against: .twice./against: [twice, twice]/' against/study.yaml && run 2 study against --no-run && grep -q 'against has 2 values, expected one, or as many as values: 1' err &&
	sed -i 's/against: .twice, twice./against: [twise]/' against/study.yaml && run 2 study against --no-run && grep -q "unknown value 'twise'.*nearest: twice" err &&
	sed -i 's/type: scatter, values: .slower./type: lines, values: [slower]/' against/study.yaml && run 2 study against --no-run && grep -q 'against is for figures of type scatter, this is lines' err
ok "values that a figure cannot have across are refused"
run 0 study queues && grep -q '^4 of 6 judged' out && ! grep -q 'tokens on tandem' err
ok "what is in the database is not run again"
cp heddle-out/studies/queues/runs.csv kept.csv
grep -v ',6,' kept.csv >part.csv
run 0 study queues --db kept.db --keep kept.csv && grep -q '^4 of 6 judged .*; 0 of 0 runs done, 4 kept from kept.csv$' out
ok "runs of an earlier judgement are kept, whatever their keys"
run 0 study queues --db kept.db --keep part.csv && grep -q '^4 of 6 judged .*; 1 of 1 runs done, 3 kept from part.csv$' out
ok "and the others are run"
commit=$("$HEDDLE" version | sed 's/.*commit \(.*\))/\1/')
head -n 1 kept.csv | grep -q '^set,program,point,chip,size,key,commit,kept,' && [ "$(grep -c ",$commit,," kept.csv)" -eq 5 ]
ok "every row of runs.csv has the commit that made it"
cp heddle-out/results.db slow.db
python3 -c 'import sqlite3; d = sqlite3.connect("slow.db"); d.execute("UPDATE runs SET seconds = seconds + 1000"); d.commit()'
run 0 study queues --no-run --db slow.db -o slow.out && python3 - <<'END' >out 2>err
import csv, sqlite3
spent = dict(sqlite3.connect("slow.db").execute("SELECT key, simulation_seconds FROM runs WHERE simulation_seconds > 0"))
rows = list(csv.DictReader(open("slow.out/runs.csv")))
assert len(rows) == 5, rows
for r in rows:
    assert abs(float(r["seconds"]) / spent[r["key"]] - 1) < 1e-6, r
END
ok "and the seconds that it took one core, however long it waited for one"
sed "s/,$commit,,/,0123456789ab,,/" kept.csv >other.csv
run 0 study queues --db kept2.db --keep other.csv && grep -q '^5 runs kept, made by commit 0123456789ab$' out &&
	[ "$(grep -c ',0123456789ab,yes,' heddle-out/studies/queues/runs.csv)" -eq 5 ] && python3 - <<'END' &&
import json
v = json.load(open("heddle-out/studies/queues/verdict.json"))
assert v["runs"]["makers"] == [{"commit": "0123456789ab", "kept": True, "runs": 5}], v["runs"]
END
	grep -q 0123456789ab heddle-out/studies/queues/page.html
ok "a kept row keeps the commit that made it: in the file, the verdict and the page"
cut -d, -f1-6,9- kept.csv >old.csv
run 0 study queues --db kept3.db --keep old.csv && grep -q '^5 runs kept, made by commit unknown$' out
ok "of a file of before it is not known, and that is said"
awk -F, -v OFS=, '/,6,/ { for (i = 9; i <= NF; i++) $i = "" } { print }' kept.csv >empty.csv
run 0 study queues --db empty.db --keep empty.csv && grep -q '^4 of 6 judged .*; 1 of 1 runs done, 3 kept from empty.csv$' out
ok "a row without values is a run that was not made"

# ---- a set that is sampled ----
mkdir part
cat >part/study.yaml <<'END'
about: the same program timed whole and sampled
workloads: [{name: vecadd, size: tiny}]
runs: {whole: {chips: volta8}, some: {chips: volta8, sample: "auto,first=0"}}
values:
  share: {of: some:sampling.timed_share, about: what was timed}
  cycles: {of: whole:cycles, about: of all}
expect:
  - {id: known, what: both have a result, holds: share <= 1 and cycles > 0}
END
head -n 1 queues/published.csv >part/published.csv
run 0 study part -q --db part.db && run 0 results --db part.db "SELECT command FROM runs ORDER BY id" --csv &&
	[ "$(grep -c vecadd out)" = 2 ] && [ "$(grep -c -- '--sample auto,first=0' out)" = 1 ]
ok "a set with sample: is sampled, the others are not"

# ---- what is judged ----
mkdir judged
cat >judged/study.yaml <<'END'
about: three kernels, of which one is no stand-in
workloads: [a.yaml, b.yaml, c.yaml]
judged: accepted
data: {table: table.csv}
groups: {bc: [b.yaml, c.yaml]}
runs: {base: {chips: fermi15}, third: {chips: fermi15, set: {scale: 3}}}
values:
  size: {of: "table:bytes", about: size}
  accepted: {of: "size < 100", about: accepted}
  whole: {of: "mean(size, everybody)", about: of all}
  near: {of: fits(size), about: in the published band}
expect:
  - {id: fitting, what: "a.yaml fits (10 of 12), b.yaml does not (30 of 60)", holds: "near[a.yaml] == 1 and near[b.yaml] == 0"}
  - {id: named, what: c.yaml is large, holds: "size[c.yaml] > 100"}
  - {id: each, what: all are small, holds: "size < 100"}
  - {id: cannot, what: cannot fail, holds: "1 == 1"}
shown: {cannot: "it is arithmetic"}
since: {"*": 0123abc, each: 4567def}
tables: [{title: sizes, values: [size, accepted]}]
END
for k in a b c; do echo 'kernels: [{name: k, blocks: 1, mix: {fp32: 1}}]' >judged/$k.yaml; done
printf 'program,bytes\na.yaml,10\nb.yaml,30\nc.yaml,1000\n' >judged/table.csv
{
	head -n 1 queues/published.csv
	echo 'mean,mean,mean(size),20,,band,19.9,20.1,x'
	echo 'group,of a group,"mean(size, bc)",30,,band,29.9,30.1,x'
	echo 'a,of a,size[a.yaml],12,,calibration,,,x'
	echo 'b,of b,size[b.yaml],60,,calibration,,,x'
	echo 'all,of all,whole,346.7,,band,346.6,346.7,x'
} >judged/published.csv
run 0 study judged && grep -q '^5 of 5 judged checks pass, 0 miss' out && grep -q '^2 of 3 programs are accepted (accepted): means are over them$' out &&
	grep -q '^scale: chips of third are divided by 3$' out && grep -q '^  c.yaml (rejected)  ' out && grep -q 'not judged: it is arithmetic' out &&
	grep -q 'not judged: c.yaml is not accepted' out && grep -q '^  mean  *20 ' out
ok "programs that are not accepted are shown and in no mean; a check that is only shown is not counted"
python3 - <<'END' >out 2>err
import json
v = json.load(open("heddle-out/studies/judged/verdict.json"))
assert v["programs"] == {"judged_by": "accepted", "accepted": ["a.yaml", "b.yaml"], "rejected": ["c.yaml"]}, v["programs"]
c = {c["id"]: c for c in v["checks"]}
assert v["runs"]["scales"] == {"third": 3}, v["runs"]
assert c["cannot"]["verdict"] == "shown" and c["cannot"]["shown_because"] == "it is arithmetic"
assert c["each"]["since"] == "4567def" and c["mean"]["since"] == "0123abc"
import csv
c = {c["id"]: c for c in csv.DictReader(open("heddle-out/studies/judged/checks.csv"))}
assert c["cannot"]["verdict"] == "shown" and c["cannot"]["note"] == "it is arithmetic", c
assert c["named"]["verdict"] == "shown" and c["named"]["note"] == "c.yaml is not accepted", c
assert c["each"]["since"] == "4567def" and c["mean"]["since"] == "0123abc", c
END
ok "the verdict says who is accepted, and when a band was written"
[ "$(cat heddle-out/studies/judged/programs.csv)" = "program,accepted
a.yaml,yes
b.yaml,yes
c.yaml,no" ]
ok "and so does programs.csv"
sed -i 's/"mean(size, bc)"/"mean(size, everybody)"/' judged/published.csv
run 2 study judged && grep -q "a judged check is over 'everybody', with programs that accepted rejects" err
ok "a judged mean over programs that are not accepted is refused"
sed -i 's/shown: {cannot/shown: {cant/' judged/study.yaml
run 2 study judged && grep -q "no check has the id 'cant'" err
ok "an entry for a check that is not there is refused"
mkdir replays
printf '%s\n' 'workloads: [{name: vecadd, size: tiny}]' 'record: true' 'runs: {mshrs: {chips: fermi15, sweep: {sm.l1.mshrs: [16, 64]}}}' \
	'values: {cycles: {of: mshrs:cycles}}' >replays/study.yaml
head -n 1 queues/published.csv >replays/published.csv
run 0 study replays && grep -q '; 3 of 3 runs done$' out && cp heddle-out/studies/replays/runs.csv replays.csv &&
	run 0 study replays --db replays.db --keep replays.csv && grep -q '; 0 of 0 runs done, 2 kept from replays.csv$' out
ok "what only kept runs replay is not recorded again"
sed '1 s/chip/chop/' kept.csv >wrong.csv
run 2 study queues --db kept.db --keep wrong.csv && grep -q "wrong.csv:1:1: unknown column 'chip'" err
ok "a file without the columns that name a run is refused"
awk -F, -v OFS=, 'NR > 1 { $6 = (substr($6, 1, 1) == "0" ? "f" : "0") substr($6, 2) } { print }' kept.csv >other.csv
cut -d, -f1-6,9- other.csv >other.want # without who made the runs, and whether they were kept
run 0 study queues --db other.db --keep other.csv && cut -d, -f1-6,9- heddle-out/studies/queues/runs.csv | cmp -s - other.want
ok "a kept run is written under the key that it was made under"
refuse_row() { # COLUMN VALUE TEXT: kept.csv with that in its second row is refused with this
	awk -F, -v OFS=, -v c="$1" -v v="$2" 'NR == 2 { $c = v } { print }' kept.csv >damaged.csv
	run 2 study queues --db damaged.db --keep damaged.csv && grep -qF "heddle: damaged.csv:2:1: $3" err
}
refuse_row 9 abc "simulated_fs is abc, expected a number" && refuse_row 9 1e3garbage "simulated_fs is 1e3garbage, expected a number" &&
	refuse_row 9 nan "simulated_fs is nan, expected a number" && refuse_row 9 1e999 "simulated_fs is 1e999, expected a number"
ok "what is not a number in a kept row is refused"
refuse_row 5 huge "size is huge, expected none, which the study runs" && refuse_row 6 not-a-key "key is not-a-key, expected 32 hexadecimal digits"
ok "so are another size and what is no key"
sed 2p kept.csv >twice.csv && run 2 study queues --db twice.db --keep twice.csv && grep -q 'twice.csv:3:1: the run of line 2 a second time' err
ok "so is a run that is there twice"
run 0 study queues --quick --db quick.db && grep -q '1 of 1 judged checks pass, 0 miss, 5 not measured; 1 of 1 runs done' out
ok "a quick variant leaves runs out and says what it did not measure"
run 0 study queues --dry-run && grep -q '^4 runs, 0 to run' out
ok "--dry-run counts"

# with EDIT: the study changed by sed; TEXT is what the message must say
with() {
	rm -rf bad && cp -r queues bad
	sed -i "$1" "bad/$2"
	run 2 study bad --db bad.db -o bad.out && grep -qF -- "$3" err && [ ! -e bad.db ] && [ ! -e bad.out ]
	ok "refused before the first run: $3"
}
with 's/^about/abuot/' study.yaml "bad/study.yaml:1:1: unknown key of a study 'abuot'"
with 's/simulated_fs/simulated_ns/g' study.yaml "unknown statistic 'simulated_ns'"
with 's,base:simulated_fs,(1 - 1),' study.yaml "divides by 0"
with 's/base:sim/bass:sim/' study.yaml "unknown set of runs 'bass'"
with 's/slower\[tokens, 1\]",0/slower[token, 1]",0/' published.csv "bad/published.csv:3:1: unknown program of the study 'token'"
with 's/exact/exactly/' published.csv "bad/published.csv:3:1: unknown kind 'exactly'"
with 's/2.0,x/two,x/' published.csv "bad/published.csv:2:1: published is two, expected a number"
with 's/type: lines/type: pie/' study.yaml "unknown type of a figure 'pie'"
with 's/values: \[slower\]/values: [slow]/' study.yaml "unknown value 'slow'"
with 's/workloads_of: base/workloads_of: bsae/' study.yaml "bad/study.yaml:6:42: unknown set of runs above this one 'bsae', expected base (nearest: base)"
with 's/workloads_of: base/workloads_of: [base]/' study.yaml "bad/study.yaml:6:42: workloads_of is a list, expected one line of text"
with 's/workloads_of: base/programs: {a: 1}/' study.yaml "bad/study.yaml:6:38: programs is a mapping, expected one line of text"
with 's/other:bytes/other:byte/' study.yaml "unknown column 'byte'"
with 's/other.csv/another.csv/' study.yaml "another.csv"
with 's/param.tokens/param.token/' study.yaml "unknown parameter of the runs 'token'"
with 's/{wrong:/{worng:/' study.yaml "no check has the id 'worng'"
with '$aheadline: [six, sixx]' study.yaml "unknown check of headline 'sixx'"
with '$aheadline: [six, one, half, grows, param, wrong]' study.yaml "headline has 6 checks, expected at most 5"
with 's/^one,/six,/' published.csv "bad/published.csv:3:1: check 'six' is already defined at bad/published.csv:2:1, expected an id of its own"
with 's/id: grows/id: six/' study.yaml "bad/study.yaml:13:10: check 'six' is already defined at bad/published.csv:2:1, expected an id of its own"
with 's/service_cycles/service_cycle/' study.yaml "unknown parameter of chip tandem 'stage.service_cycle'"
with 's/stage.service_cycles: .1, 2, 3, 6./stage.service_cycles: [1, 2, 0]/' study.yaml "stage.service_cycles is 0"
with 's/slower\[tokens, 1\] </slower[tokens, 1] < </' study.yaml "bad/study.yaml:14:14: formula"
with 's/"slower\[tokens, 2\]",0/"slower[tokens, 2",0/' published.csv "bad/published.csv:4:1: formula"
with 's/"slower\[tokens, 2\]",0/"slower[tokens, 9]",0/' published.csv "bad/published.csv:4:1: unknown point '9'"
with 's/"slower\[tokens, 2\]",0/"slow[tokens, 2]",0/' published.csv "bad/published.csv:4:1: unknown value 'slow'"
with 's/"at(slower, 6)/"att(slower, 6)/' published.csv "bad/published.csv:2:1: unknown function 'att'"
with 's/base:simulated_fs/base:stage.token/' study.yaml "unknown statistic 'stage.token', expected a name from \`heddle list stats\` (nearest: stage.tokens)"
with 's/base:simulated_fs/slower/' study.yaml "value slower depends on itself"
with 's/runs: \[base\]/runs: [bass]/' study.yaml "bad/study.yaml:7:36: unknown set of runs 'bass', expected base or service (nearest: base)"
with 's/programs: \[tokens\]/programs: [token]/' study.yaml "bad/study.yaml:7:20: unknown program of the study 'token'"
with 's/programs: \[tokens\]/workload: [tokens]/' study.yaml "bad/study.yaml:7:9: unknown key of quick 'workload'"
with 's/programs: \[tokens\]/workloads: [{name: bfs, size: huge}]/' study.yaml "unknown size 'huge', expected tiny, small or large"
with 's/service_cycles/service_cycle/' study.yaml "unknown parameter of chip tandem 'stage.service_cycle'"
run 2 study bad --quick && grep -q "unknown parameter" err && sed -i 's/programs: .tokens./programs: [token]/' bad/study.yaml &&
	run 2 study bad --quick && grep -q "bad/study.yaml:7:20: unknown program of the study 'token'" err
ok "refused: a program of quick that the study has not"
rm -rf failing && cp -r queues failing && sed -i 's/set: {tokens: 20000}/set: {tokens: 20000, sink.stops_after: 10}/g' failing/study.yaml
run 1 study failing --db failing.db && grep -q '4 of 4 runs have no result; .heddle results failed. tells why' err &&
	grep -q '1 of 1 judged checks pass, 0 miss, 5 not measured; 0 of 4 runs done' out
ok "a study without results is judged all the same, and exits with 1"
run 0 study failing --db failing.db --no-run -q
ok "to judge what there is is no failure"
run 2 study nosuch && grep -q "unknown study 'nosuch'" err
ok "an unknown study is refused"
run 0 study list && grep -q '^bandwidth ' out
ok "studies are listed"
grep -A 1 '^bandwidth ' out | grep -q '^  *bundled results: [0-9]* of 5 headline claims hold, [0-9]* miss$' &&
	mkdir -p heddle-out/studies/bandwidth && cp heddle-out/studies/queues/verdict.json heddle-out/studies/bandwidth &&
	sed 's/^fig3.10.l2,\(.*\),pass,/fig3.10.l2,\1,miss,/' "$HEDDLE_SOURCE/studies/bandwidth/results/checks.csv" >heddle-out/studies/bandwidth/checks.csv &&
	cp out before && run 0 study list &&
	grep -A 1 '^bandwidth ' out | grep -q '^  *last, .* (quick): [0-9]* of 5 headline claims hold, [0-9]* miss$' && ! cmp -s out before
ok "each with its headline claims here, else with those of the results in its folder"
run 0 study list --markdown && cmp -s out "$HEDDLE_SOURCE/docs/studies.md"
ok "docs/studies.md is what the studies and their results say (make docs)"
run 0 study list --markdown && ! awk 'length > 100 && !/^\|/' out | grep -q .
ok "the prose of the page is within 100 columns"
grep -A 40 '^## llc-types' out | tr '\n' ' ' | grep -q '118 made by an earlier version, whose commit is not known. 128 runs that the study defines now have no result'
ok "the page says which runs are of an earlier version, and how many are defined and have no result"
for f in "$HEDDLE_SOURCE"/studies/*/study.yaml; do
	grep -q '^headline: \[.' "$f" && grep -q '^since:' "$f" || echo "$f"
done >out
[ ! -s out ]
ok "every bundled study names its headline claims, and the commit that wrote its bands"
[ -z "$(find "$HEDDLE_SOURCE/studies" -name verdict.json)" ] && for f in "$HEDDLE_SOURCE"/studies/*/results/checks.csv; do
	head -n 1 "$f" | grep -q '^id,what,kind,unit,published,measured,low,high,verdict,since,note$' || exit 1
done
ok "results of the bundled studies are tables of checks"
run 0 list studies && grep -q 'calibrate' out
ok "and in heddle list"
# ---- a policy of the reader's own ----
mkdir own
cat >own/study.yaml <<'END'
about: how many warps may issue
workloads: [{name: kmeans, size: tiny}]
runs: {base: {chips: kepler8}, one: {chips: kepler8, set: {sm.warp_policy: swl, policy.warp.swl.n: 1}}}
values:
  twice: {of: "2 * gain_one", about: of a value below}
  gain_one: {of: base:cycles / one:cycles, unit: x, about: speed-up}
  other: base:cycles
expect: [{id: slower, what: one warp is slower, source: a test, holds: "gain_one[kmeans] < 1", show: "gain_one[kmeans]"}]
headline: [slower]
tables: [{title: gains, values: [gain_one, twice, other]}]
figures: [{title: gains, type: bars, values: [gain_one]}]
END
head -n 1 queues/published.csv >own/published.csv
run 0 study own --db own.db && grep -q '^1 of 1 judged checks pass.*; 2 of 2 runs done' out
ok "a study of warps"
sed '1a traces: record.py' own/study.yaml >traced.yaml && mkdir traced && mv traced.yaml traced/study.yaml && cp own/published.csv traced
run 2 study traced --db own.db && grep -q '^heddle: .*traced/study.yaml:2:9: file traced/record.py cannot be read$' err
ok "a script that makes traces has to be there"
: >traced/record.py
run 2 study traced --db own.db && grep -q 'study.yaml:2:9: the traces of this study are missing, run .traced/record.py. first$' err
ok "so have the traces that it makes"
mkdir traced/traces && run 0 study traced --db own.db --no-run -q
ok "then the study can be judged"
run 0 study own --db own.db --with warp.scheduler=swl,n=1 && grep -q '^1 of 1 judged checks pass.*; 2 of 2 runs done' out && python3 - <<'END'
import csv, json
v = json.load(open("heddle-out/studies/own/verdict.json"))
c = {c["id"]: c for c in v["checks"]}
assert sorted(c) == ["slower", "slower@swl"] and c["slower@swl"]["verdict"] == "shown", c
assert c["slower@swl"]["measured"] == c["slower"]["measured"] < 1, c
rows = [r["set"] for r in csv.DictReader(open("heddle-out/studies/own/runs.csv"))]
assert rows == ["base", "one", "swl"], rows
assert [len(f["series"]) for f in v["figures"]] == [2], v["figures"]
END
ok "a policy beside the study's own has the same numbers where it is the same, and is not judged"
${CC:-cc} -shared -fPIC -DHEDDLE_PLUGIN -I"$HEDDLE_SOURCE/src" "$HEDDLE_SOURCE/examples/half.c" -o half.so &&
	run 0 study own --db own.db --with warp.scheduler=half,percent=1 --plugin half.so && grep -q '3 of 3 runs done' out &&
	python3 - <<'END'
import json
v = json.load(open("heddle-out/studies/own/verdict.json"))
c = {c["id"]: c for c in v["checks"]}
assert c["slower@half"]["measured"] == c["slower"]["measured"], c
END
ok "one from a plugin is one more column: one warp of a hundred is one warp"
run 0 study own --db own.db --with warp.scheduler=half,percent=1 --plugin half.so -n && grep -q '^3 runs, 0 to run' out &&
	${CC:-cc} -O2 -shared -fPIC -DHEDDLE_PLUGIN -I"$HEDDLE_SOURCE/src" "$HEDDLE_SOURCE/examples/half.c" -o half.so &&
	run 0 study own --db own.db --with warp.scheduler=half,percent=1 --plugin half.so -n && grep -q '^3 runs, 1 to run' out
ok "a plugin that was built anew is run anew"
run 0 study own --db own.db --with warp.scheduler=lrr --like base -n && grep -q '^3 runs, 1 to run' out
ok "--like names the set whose place it takes"
run 2 study own --db own.db --with l1.replacement=drrip && grep -q 'no set of runs of study own chooses sm.l1.replacement, expected --like SET' err
ok "refused: a question that no set answers, without --like"
run 2 study own --db own.db --with warp.scheduler=lrr --like bass && grep -q -- "--like: unknown set of runs 'bass', expected base or one (nearest: base)" err
ok "refused: a set that is not there"
run 2 study own --like base && grep -q -- '--like is only used with --with' err
ok "refused: --like alone"
run 2 study --all own && grep -q -- '--all runs all studies, expected no name with it' err && run 2 study --all --with dram=fcfs && grep -q -- '--with applies to a single study' err
ok "refused: --all with a name, or with what is for one study"

# two programs at once, and what the first run of each measured
mkdir -p mixed && cat >mixed/pair.yaml <<'YAML'
applications: [{workload: vecadd, size: tiny, sms: 0-1}, {workload: matmul, size: tiny, sms: 2-5}]
YAML
cat >mixed/study.yaml <<'YAML'
about: a pair
document: a test
size: tiny
mixes: [pair.yaml]
runs: {base: {chips: volta8}, wide: {chips: volta8, set: {l2.policy: split}}}
values:
  gain: {of: "wide:first.ipc[1] / base:first.ipc[1]", unit: x, about: speed of the second}
  lines: {of: "base:first.l2_lines[1]", unit: lines, about: of the second in L2}
expect:
  - {id: ipc, what: the rate is instructions per cycle, source: a test, holds: "abs(base:first.ipc[1] * base:first.cycles[1] / base:first.warp_instructions[1] - 1) < 0.001"}
YAML
echo 'id,what,measure,published,unit,kind,low,high,source
none,programs that are not there,"mean(base:first.ipc[5])",1,x,band,,,a test' >mixed/published.csv
run 0 study mixed --db mixed.db -o mixed.out && grep -q '1 of 1 judged checks pass, 0 miss, 1 not measured; 2 of 2 runs done' out && grep -q 'first.ipc\[1\]' mixed.out/runs.csv
ok "a study reads the first run of each program of a mix"
# which programs a study accepts, from a file: of a mix, all of its GPU programs
printf 'program,accepted\nvecadd,yes\nmatmul,no\n' >mixed/accepted.csv
sed 's/^size: tiny/&\njudged: fit\ndata: {alone: accepted.csv}/; s/^values:/&\n  fit: of_mix(alone:accepted)/' mixed/study.yaml >mixed/judged.yaml
mkdir -p fit && cp mixed/pair.yaml mixed/published.csv mixed/accepted.csv fit && cp mixed/judged.yaml fit/study.yaml
run 0 study fit --no-run --db mixed.db -o fit.out && grep -q '^pair.yaml,no$' fit.out/programs.csv
ok "a mix is not accepted if one of its programs is not"
sed -i 's/no$/yes/' fit/accepted.csv && run 0 study fit --no-run --db mixed.db -o fit.out && grep -q '^pair.yaml,yes$' fit.out/programs.csv
ok "a mix is accepted if all of its programs are"
sed -i '/matmul/d' fit/accepted.csv && run 0 study fit --no-run --db mixed.db -o fit.out && grep -q '^pair.yaml,no$' fit.out/programs.csv
ok "a program that the file does not have is not accepted"
sed -i 's/base:first.ipc.1./base:first.icp[1]/' mixed/study.yaml && run 2 study mixed --db mixed2.db && grep -q "unknown number of a program's first run 'first.icp\[1\]'" err
ok "numbers that such a run has not are refused"
# every formula of the studies that come along can be worked out, measured or not
for name in $("$HEDDLE" list studies --names); do
	run 0 study "$name" --no-run -q --db empty.db -o judged && run 0 study "$name" --no-run -q --quick --db empty.db -o judged ||
		grep -q "heddle trace suite\|the traces of this study are missing, run .*\.py. first$" err
	ok "study $name can be judged, or says which traces it needs"
done
# the kept runs of the sets that quick: leaves
cat >quick.py <<'END'
import csv, re, sys
quick = re.search(r"^quick:(.*\n(?:[ #].*\n)*)", open(sys.argv[1] + "/study.yaml").read(), re.M).group(1)
sets = re.search(r"runs: \[([^]]*)\]", quick)
rows = list(csv.DictReader(open(sys.argv[1] + "/results/runs.csv")))
out = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
out.writeheader()
out.writerows(r for r in rows if not sets or r["set"] in sets.group(1).replace(",", " ").split())
END
# a number's sign: of what a speed-up gains, of any other measured number; a condition's: whether it holds
cat >signs.py <<'END'
import csv, re, sys
folder, quick = sys.argv[1:]
names = re.search(r"^headline: \[(.*)\]", open(folder + "/study.yaml").read(), re.M).group(1).replace('"', "").split(", ")
read = lambda path: {r["id"]: r for r in csv.DictReader(open(path))}
full, some = read(folder + "/results/checks.csv"), read(quick)
def sign(check):
    if check["kind"] == "shape":
        return check["verdict"]
    gain = float(check["measured"]) - (check["unit"] == "x")
    return (gain > 0) - (gain < 0)
for name in names: # one that the kept runs do not measure, as in a study that was run in part, has no sign
    if full[name]["verdict"] == "unmeasured":
        continue
    assert full[name]["verdict"] == "shown" or some[name]["verdict"] in ("pass", "miss"), name + " is not measured"
    assert full[name]["verdict"] == "shown" or sign(full[name]) == sign(some[name]), name + " has another sign: %s, %s" % (full[name]["measured"], some[name]["measured"])
END
for name in $("$HEDDLE" list studies --names); do
	results=$HEDDLE_SOURCE/studies/$name/results
	[ -f "$results/runs.csv" ] || continue
	python3 quick.py "$HEDDLE_SOURCE/studies/$name" >quick.csv
	if run 0 study "$name" --no-run -q --quick --keep quick.csv --db none.db -o judged; then
		python3 signs.py "$HEDDLE_SOURCE/studies/$name" judged/checks.csv >out 2>err
	else
		grep -q "heddle trace suite\|the traces of this study are missing, run .*\.py. first$" err
	fi
	ok "what --quick leaves of study $name has the sign of each headline claim, or traces are missing"
done
echo "1..$count"

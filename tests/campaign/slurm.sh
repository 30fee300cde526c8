#!/bin/bash
# Sweeps on a real Slurm of two nodes, both on this machine: undisturbed, with a node that dies, tasks
# that fail, interruptions. Prints TAP; part of make check-all. Needs root, slurm-wlm and munge.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
set -u
for command in munged slurmctld slurmd sbatch; do
	if ! command -v $command >/dev/null || [ "$(id -u)" -ne 0 ]; then
		echo "1..0 # SKIP $command is needed, and to be root (tools/bootstrap all)"
		exit 0
	fi
done
folder=$(mktemp -d)
cluster=$folder/cluster
cd "$folder" || exit 1
HEDDLE_CHIPS=$HEDDLE_SOURCE/chips
SLURM_CONF=$cluster/slurm.conf
export HEDDLE_CHIPS SLURM_CONF
port=$((20000 + $$ % 10000))
count=0
failed=0

# ---- the cluster ----

configure() {
	mkdir -p "$cluster"/state "$cluster"/log "$cluster"/munge
	chmod 755 "$folder" "$cluster"
	chmod 700 "$cluster"/munge
	head -c 1024 /dev/urandom >"$cluster"/munge/key
	chmod 400 "$cluster"/munge/key
	host=$(hostname -s)
	cat >"$SLURM_CONF" <<END
ClusterName=heddle
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.sock
CredType=cred/munge
SlurmctldPort=$port
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool.%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.%n.pid
SlurmctldLogFile=$cluster/log/slurmctld.log
SlurmdLogFile=$cluster/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
KillWait=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1,sched_min_interval=1000
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2 RealMemory=2000 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2 RealMemory=2000 State=UNKNOWN
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
}

# until_true SECONDS COMMAND...: tries it ten times a second
until_true() {
	local tries=$(($1 * 10))
	shift
	while ! "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

are_idle() {
	[ "$(sinfo -h -N -o '%N %T' | sort -u)" = "n1 idle
n2 idle" ]
}

start_cluster() {
	munged --force --key-file="$cluster"/munge/key --socket="$cluster"/munge.sock --pid-file="$cluster"/munged.pid \
		--log-file="$cluster"/log/munged.log --seed-file="$cluster"/munge/seed &&
		slurmctld -f "$SLURM_CONF" -i && slurmd -N n1 -f "$SLURM_CONF" && slurmd -N n2 -f "$SLURM_CONF" &&
		until_true 20 are_idle
}

# pids_on NODE: the processes of its jobs, in this cluster; quick, because they go on meanwhile
pids_on() {
	local found
	found=$(grep -Fxzl "SLURMD_NODENAME=$1" /proc/[0-9]*/environ 2>/dev/null)
	[ -z "$found" ] || echo "$found" | xargs grep -Fxzl "SLURM_CONF=$SLURM_CONF" 2>/dev/null | sed 's,/proc/,,; s,/environ,,'
}

# kill_node NODE: as if its power failed: the daemon, the keepers of its jobs and the jobs
kill_node() {
	local jobs keepers
	kill -9 "$(cat "$cluster/slurmd.$1.pid")"
	jobs=$(pids_on "$1")
	keepers=$(for p in $jobs; do sed -n 's/^PPid:[[:space:]]*//p' "/proc/$p/status" 2>/dev/null; done | sort -u)
	for p in $keepers; do
		! grep -q slurmstepd "/proc/$p/comm" 2>/dev/null || kill -9 "$p"
	done
	for p in $jobs; do
		kill -9 "$p" 2>/dev/null
	done
	echo "# killed on $1: $(echo "$jobs" | grep -c .) processes of jobs"
}

stop() {
	for p in $(jobs -p); do
		kill -9 "$p" 2>/dev/null
	done
	scancel --user root 2>/dev/null
	for p in slurmd.n1 slurmd.n2 slurmctld munged; do
		[ ! -f "$cluster/$p.pid" ] || kill "$(cat "$cluster/$p.pid")" 2>/dev/null
	done
	sleep 0.5
	rm -rf "$folder"
}
trap stop EXIT

# ---- claims, as in tests/cli/sweep.sh ----

ok() {
	local status=$?
	count=$((count + 1))
	if [ $status -eq 0 ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		failed=1
		sed 's/^/# /' out err 2>/dev/null
	fi
}

# run CODE ARGS...: runs heddle, checks its exit code; output in ./out, messages in ./err
run() {
	local want=$1 got
	shift
	"$HEDDLE" "$@" >out 2>err
	got=$?
	[ $got -eq "$want" ] || echo "exit code $got, expected $want" >>err
	[ $got -eq "$want" ]
}

# start_sweep FILE OPTIONS...: the same in the background, as $sweep
start_sweep() {
	: >err # the claims that follow wait for lines of it
	"$HEDDLE" sweep "$@" --slurm >out 2>err &
	sweep=$!
}

query() {
	"$HEDDLE" results --db "$1" --csv "$2" 2>>err | sed 1d
}

# dump DB: all that does not depend on when, where and how fast it was run
dump() {
	query "$1" "SELECT key, status, chip, workload, seed, mode, config, command, build, exit_code, error, messages, end, verified, simulated_fs, cycles, warp_instructions FROM runs ORDER BY key"
	query "$1" "SELECT run, name, value, unit FROM stats ORDER BY run, name"
	query "$1" "SELECT * FROM kernels ORDER BY run, ordinal"
	query "$1" "SELECT * FROM settings ORDER BY run, parameter"
	query "$1" "SELECT * FROM configs ORDER BY config, parameter"
	query "$1" "SELECT * FROM sweep_points ORDER BY sweep, ordinal"
}

# same DB SWEEP: its rows are those of a sweep of this file on this machine
same() {
	[ -e "$2.txt" ] || {
		"$HEDDLE" sweep "$2.yaml" --db "$2.db" -j2 -q 2>/dev/null
		dump "$2.db" >"$2.txt"
	}
	dump "$1" | cmp "$2.txt" - >>err 2>&1 && [ ! -e "$1-slurm" ]
}

has_lines() {
	[ "$(grep -c "$2" "$1")" -ge "$3" ]
}

are_running_on() {
	[ "$(squeue -h -r -t R -w "$1" | grep -c .)" -ge "$2" ]
}

cat >tiny.kernels.yaml <<'END'
kernels:
  - {name: t, blocks: 4, threads_per_block: 64, instructions: 64, mix: {integer: 2, load: 1}, access: {stream: 1}}
END
cat >slow.kernels.yaml <<'END'
kernels:
  - {name: s, blocks: 200, threads_per_block: 256, instructions: 1024, mix: {integer: 2, load: 1}, access: {random: 1}}
END
cat >long.kernels.yaml <<'END'
kernels:
  - {name: l, blocks: 100000, threads_per_block: 256, instructions: 8192, mix: {integer: 2, load: 1}, access: {random: 1}}
END
cat >tiny.yaml <<'END'
chips: [fermi15]
workloads: [tiny.kernels.yaml]
sweep:
  sm.l1.mshrs: [8, 16, 32]
  sm.registers: [32768, 16384, 1024]
repeat: 2
END
cat >slow.yaml <<'END'
chips: [fermi15]
workloads: [slow.kernels.yaml]
sweep: {sm.l1.mshrs: [8, 16, 32, 64]}
repeat: 4
END
cat >long.yaml <<'END'
chips: [fermi15]
workloads: [tiny.kernels.yaml, long.kernels.yaml]
END
cat >stuck.yaml <<'END'
chips: [fermi15]
workloads: [tiny.kernels.yaml, long.kernels.yaml]
timeout: 1s
END

configure
start_cluster
ok "a cluster of two nodes comes up"
run 2 sweep tiny.yaml --slurm --db none.db --slurm-options '--partition nowhere' && grep -qi 'heddle: sbatch refused the job array: .*invalid partition' err &&
	[ ! -e none.db-slurm ] && [ "$(query none.db "SELECT count(*) FROM runs WHERE status <> 'queued'")" = 0 ]
ok "what sbatch refuses is said so, and the rows stay queued"

run 1 sweep tiny.yaml --slurm -j3 --db plain.db && grep -q '12 of 18 runs done, 18 run now, 6 failed' out && grep -q '^Slurm job [0-9]*: 18 runs in 3 tasks$' err
ok "a sweep runs as an array of three tasks, failing points and all"
same plain.db tiny
ok "and gives the rows of a sweep on this machine; its folder is gone"
[ "$(query plain.db "SELECT count(*) FROM runs WHERE host IN ('n1', 'n2') AND attempts = 1")" = 18 ]
ok "rows tell which node ran them, each once"
run 1 sweep tiny.yaml --slurm --db plain.db && grep -q ', 0 run now' out && ! grep -q 'Slurm job' err
ok "what has ended is not submitted again"
run 1 sweep stuck.yaml --slurm --db stuck.db && [ "$(query stuck.db "SELECT status, error FROM runs ORDER BY status")" = "done,
timed out,took longer than 1 s" ]
ok "a run that takes too long is recorded as that"
run 0 sweep slow.yaml --slurm --db part.db --limit 3 -q -j2 && [ "$(query part.db "SELECT sum(status = 'queued'), sum(attempts) FROM runs")" = 13,3 ]
ok "--limit leaves the rest queued"

# a node dies
start_sweep slow.yaml -j4 --db died.db
until_true 30 has_lines err ' done ' 1 && until_true 10 are_running_on n2 1 && kill_node n2 && scontrol update nodename=n2 state=down reason=test
ok "a node with running tasks dies in the middle of a sweep"
wait $sweep && grep -q '16 of 16 runs done' out && grep -q '^Slurm has ended a task (job [0-9_]* on n2) as NODE_FAIL, ' err
ok "the sweep says so and ends with all points done"
same died.db slow && [ "$(query died.db "SELECT max(attempts), count(*) FROM runs WHERE host IN ('n1', 'n2')")" = 1,16 ]
ok "with exactly the rows of a sweep on this machine"
echo "# $(grep -c 'Slurm job' err) job arrays, $(query died.db "SELECT count(*) FROM runs WHERE host = 'n1'") of 16 runs by the node that is left"
slurmd -N n2 -f "$SLURM_CONF" && until_true 20 are_idle
ok "the node comes back"

# tasks die
start_sweep slow.yaml -j4 --db task.db
until_true 30 has_lines err ' done ' 1 && kill -9 "$(pids_on n1 | head -n 1)"
wait $sweep && grep -q '^Slurm has ended a task (job [0-9_]* on n1) as FAILED, exit code 0:9' err && same task.db slow
ok "a task that is killed is made up for"
start_sweep slow.yaml -j4 --db cancelled.db
until_true 30 has_lines err ' done ' 1 && scancel "$(sed -n 's/^Slurm job \([0-9]*\):.*/\1/p' err)"
wait $sweep && grep -q 'as CANCELLED' err && same cancelled.db slow
ok "and so is an array that somebody cancels"

# the controller goes away for a while
start_sweep slow.yaml -j2 --db silent.db
until_true 30 has_lines err ' done ' 1 && kill "$(cat "$cluster/slurmctld.pid")"
sleep 3
slurmctld -f "$SLURM_CONF"
wait $sweep && same silent.db slow && [ "$(grep -c '^Slurm ' err)" = 1 ]
ok "a Slurm that does not answer for a while is waited for"

# a program that can be executed where the sweep is started and nowhere else
mkdir here && cp "$HEDDLE" here/heddle && ln -s "$(command -v sbatch)" here/sbatch.real
printf '#!/bin/sh\nchmod -x %s/here/heddle\nexec sbatch.real "$@"\n' "$folder" >here/sbatch
chmod +x here/sbatch
PATH=$folder/here:$PATH here/heddle sweep tiny.yaml --slurm -j2 --db broken.db --limit 4 >out 2>err
[ $? -eq 1 ] && [ "$(grep -c '^Slurm job .* 4 runs in 2 tasks' err)" = 3 ] && [ "$(grep -c 'as FAILED, exit code 126:0: .*/here/heddle: Permission denied; 2 of its runs are left' err)" = 6 ] &&
	[ "$(query broken.db "SELECT status, error LIKE 'Slurm ended 3 tasks that ran this point, the last (job %) as FAILED, exit code 126:0: %denied', exit_code, count(*) FROM runs GROUP BY status")" = "interrupted,1,126,4
queued,,,14" ] && [ ! -e broken.db-slurm ]
ok "tasks that cannot start are given up after three tries, with what Slurm and the shell say"
rm -rf here
start_sweep long.yaml -j1 --db lost.db
for i in 1 2 3; do
	until_true 30 has_lines err 'Slurm job' $i
	until_true 20 are_running_on n1 1 || until_true 5 are_running_on n2 1
	sleep 2.5
	for p in $(pids_on n1) $(pids_on n2); do
		kill -9 "$p" 2>/dev/null
	done
done
wait $sweep
[ $? -eq 1 ] && [ "$(query lost.db "SELECT status, error LIKE 'Slurm ended 3 tasks that ran this point, the last (job %) as FAILED, exit code 0:9%' FROM runs ORDER BY status")" = "done,
interrupted,1" ] && [ ! -e lost.db-slurm ]
ok "a point whose task dies three times is given up, with the reason"

# interrupted and killed
start_sweep long.yaml -j2 --db int.db
until_true 30 has_lines err ' done ' 1 && kill -INT $sweep
wait $sweep
[ $? -eq 130 ] && grep -q 'interrupted: 1 of 2 runs are done; run the same command to continue' err && grep -q '^Slurm job [0-9]* is cancelled' err &&
	[ -z "$(squeue -h)" ] && [ "$(query int.db "SELECT status FROM runs ORDER BY status")" = "done
queued" ] && [ "$(query int.db 'SELECT count(*) FROM workers')" = 0 ] && [ ! -e int.db-slurm ]
ok "Ctrl-C cancels the array and leaves the rows in order"
start_sweep slow.yaml -j2 --db killed.db
until_true 30 has_lines err ' done ' 1 && kill -9 $sweep
wait $sweep 2>/dev/null
sleep 2.5 # tasks go on, and their results lie in the folder
job=$(sed -n 's/^Slurm job \([0-9]*\):.*/\1/p' err)
ended=$(find killed.db-slurm -name 'run.*.end' | grep -c .)
run 0 sweep slow.yaml --slurm -j4 --db killed.db && [ "$ended" -ge 1 ] && same killed.db slow && ! squeue -h -j "$job" -t R,PD 2>/dev/null | grep -q .
ok "a sweep that is killed is taken over: its jobs end, what they have done is kept"
[ "$(sed -n 's/^Slurm job [0-9]*: \([0-9]*\) runs .*/\1/p' err)" -le $((16 - ended)) ]
ok "and not run again"

# recordings come first
if [ -n "$("$HEDDLE" list workloads --names | grep -x matmul)" ]; then
	printf 'chips: [fermi15]\nworkloads: [{name: matmul, size: tiny}]\nrecord: true\nsweep: {sm.l1.mshrs: [16, 64]}\n' >record.yaml
	mkdir -p rec && run 0 sweep record.yaml --slurm --db rec/results.db && [ "$(grep -c '^Slurm job' err)" = 2 ] &&
		[ "$(query rec/results.db "SELECT mode, count(*) FROM runs WHERE status = 'done' GROUP BY mode")" = "record,1
replay,2" ]
	ok "replays are submitted when their recording is there"
else
	count=$((count + 1))
	echo "ok $count - recordings # SKIP matmul is not built"
fi
echo "1..$count"
exit $failed

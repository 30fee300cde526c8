#!/bin/sh
# Thread blocks that are watched and stopped, in programs: density and L1, worklists, what is refused. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"
mkdir tmp
TMPDIR=$PWD/tmp
export TMPDIR

# total FILE NAME: a statistic of a result
cat >total.py <<'PY'
import json, sys
print(json.load(open(sys.argv[1]))["totals"][sys.argv[2]])
PY
total() { python3 total.py "$@"; }
holds() { python3 -c "import sys; sys.exit(not ($1))"; }

# sssp NODES L1: throttle share of SSSP on a graph of 10,000 edges
sssp() {
	"$HEDDLE" run sssp --chip volta8 --set sm.block_use=true --set "sm.l1.enabled=$2" -o sssp.json -- --nodes "$1" \
		--edges 10000 --blocks 16 >out 2>err || return 1
	total sssp.json sm.blocks.throttle_share
}
dense=$(sssp 500 true) && sparse=$(sssp 8000 true) && holds "$dense < 0.5 * $sparse"
ok "the denser its graph, the less SSSP is refused by the LSU"
dense_below=$(sssp 500 false) && sparse_below=$(sssp 8000 false) &&
	holds "1 - $dense_below / $sparse_below < 1 - $dense / $sparse"
ok "without L1 the density matters less"

# mst WORKLIST: how alike blocks are from launch to launch
mst() {
	"$HEDDLE" run mst --size tiny --chip volta8 --set sm.block_phases=true -o mst.json -- --nodes 6000 --edges 30000 \
		--worklist "$1" >out 2>err || return 1
	python3 - <<'PY'
import json
values = [k["block_use"]["correlation"] for k in json.load(open("mst.json"))["kernels"] if k["name"] == "mst_find"]
values = [v for v in values if v is not None]
print(sum(values) / len(values))
PY
}
own=$(mst distributed) && holds "$own > 0.9"
ok "blocks with worklists of their own do in a launch what they did in the one before"
shared=$(mst shared) && holds "$shared < 0.5"
ok "blocks that share a worklist do not"

run 0 run bfs_wl --size tiny --chip volta8 --policy block=random_stop,interval_cycles=500 --set context.victims=0 -o none.json &&
	[ "$(total none.json victims.stopped)" -eq 0 ] && [ "$(total none.json victims.refused_full)" -gt 0 ]
ok "with a queue of no victims no block is stopped, and the program is right"
run 2 run bfs_wl --size tiny --chip volta8 --policy block=rut --set sm.registers=1048576 --set device.memory_bytes=1MiB &&
	grep -q 'block policy rut stops blocks, and a context can have 4292608 bytes: device.memory_bytes is 1048576' err
ok "a chip without memory for a context is refused"
run 2 run bfs_wl --size tiny --chip volta8 --policy block=rut,victim=oldst && grep -q 'oldest' err
ok "a victim of an unknown kind is refused, with the nearest"
run 2 run bfs_wl --size tiny --chip volta8 --policy block=rut,means=none.yaml && grep -q 'none.yaml' err
ok "means that are not there are refused"
run 2 run bfs_wl --size tiny --chip volta8 --set context.buffer_bytes=-1 && grep -q 'context.buffer_bytes' err
ok "a buffer of fewer than no bytes is refused"
run 0 run lud --size tiny --chip volta8 --policy block=random_stop,how=flush,interval_cycles=1500 -o flush.json &&
	[ "$(total flush.json sm.context.flushes)" -gt 0 ] && [ "$(total flush.json victims.switched_flushes)" -gt 0 ]
ok "a program whose blocks are dropped faster than they can end ends"
for chip in volta8 volta8-sim3; do
	run 0 run bfs_wl --chip $chip --set sm.block_use=true -o $chip.json -- --nodes 4000 --edges 20000 --blocks 24
done
holds "$(total volta8-sim3.json sm.blocks.refused) > 4 * $(total volta8.json sm.blocks.refused) > 0"
ok "the L1 of GPGPU-Sim 3.2.2 refuses blocks far more often than that of a QV100"
run 0 run lud --size tiny --chip volta8 --policy block=random_stop,interval_cycles=1000 --set context.reduced=true \
	-o lud.json && [ "$(total lud.json sm.context.copied_words)" -gt 0 ] &&
	holds "2 * $(total lud.json sm.context.saved_bytes) < $(total lud.json sm.context.whole_bytes) * 1.5"
ok "a tiled program goes on rightly from contexts without its copies"
echo "1..$count"

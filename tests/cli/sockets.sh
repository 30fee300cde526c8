#!/bin/sh
# A GPU of several sockets, on the command line. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"

few="--chip pascal64x4 --size tiny --set sm.count=4"
refused() { # SENTENCE SETTING...
	sentence=$1
	shift
	# shellcheck disable=SC2086
	run 2 run matmul $few "$@" -q && grep -q "$sentence" err
	ok "$* is refused: $sentence"
}
refused "sockets.count is 17, expected 1 to 16" --set sockets.count=17
refused "sockets.page_bytes is 100000, expected a power of two" --set sockets.page_bytes=100000
refused "remote_ways is 16, expected less than the 16 ways" --set sockets.cache.organisation=static --set sockets.cache.remote_ways=16
refused "l2.far_cycles is not 0" --set sockets.cache.organisation=shared --set l2.far_cycles=100
refused "ideal.model is not real with 4 sockets" --set ideal.model=infinite
refused "nearest: shared" --set sockets.cache.organisation=shered

cat >peers.py <<'E'
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
n = ctypes.c_int(-1)
assert cuda.cuInit(0) == 0
assert cuda.cuDeviceGetCount(ctypes.byref(n)) == 0 and n.value == 1
assert cuda.cuDeviceGetAttribute(ctypes.byref(n), 16, 0) == 0 and n.value == 16  # SMs
assert cuda.cuDeviceCanAccessPeer(ctypes.byref(n), 0, 0) == 0 and n.value == 0
assert cuda.cuDeviceCanAccessPeer(ctypes.byref(n), 0, 1) == 101  # no such device
E
run 0 run --chip pascal64x4 --set sm.count=4 -q -- python3 peers.py &&
	grep -q "device 1 does not exist: the 4 sockets of this GPU are one device, number 0" err
ok "a program sees one device with all SMs; asking for a peer by its number says so"
# shellcheck disable=SC2086
run 0 run hpgmg $few --set sockets.link.dynamic=true --interval 1000 --series link.socket0.bytes_in,link.socket0.lanes_in -q -o s.json &&
	grep -q lanes_in s.json
ok "samples over time break no law of any socket"
# shellcheck disable=SC2086
run 0 run bfs $few --set sockets.cache.organisation=partitioned --set sockets.check=true -q -o a.json
ok "no read is stale where caches are flushed"
# shellcheck disable=SC2086
run 3 run bfs $few --set sockets.cache.organisation=partitioned --set sockets.check=true --set sockets.cache.flush=ideal -q -o b.json &&
	grep -q "every read sees what earlier kernels wrote" err
ok "without the flush a stale read ends the run with an error"
echo "1..$count"

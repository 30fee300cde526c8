#!/bin/sh
# Real CPU programs, alone and in mixes: ticking every unit in every cycle gives the same statistics. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"
traces=$HEDDLE_SOURCE/tests/cpu/traces

same() { # ARGUMENTS: of `heddle run`
	run 0 run "$@" -q -o skip.csv && run 0 run "$@" -q --no-skip -o every.csv && [ -s skip.csv ] &&
		diff skip.csv every.csv >out
}

for chip in cpu4 cpu8 cpu8-inorder apu46 apu46-mesh apu46-dvfs; do
	same "$traces/true.hct" --chip $chip
	ok "/bin/true on $chip"
done
for sets in "sharing.cores_per_cache=1" "sharing.cores_per_cache=8 --set core.sharing.buses=2" \
	"sharing.cores_per_cache=4 --set core.sharing.network=crossbar" \
	"sharing.cores_per_cache=8 --set core.backend=out_of_order"; do
	# shellcheck disable=SC2086 # several words
	same "$traces/team.hct" --chip acmp9 --set core.$sets
	ok "nine threads on acmp9, core.$sets"
done
for name in gzip perl mm; do
	same "$traces/$name.hct" --chip cpu4 && same "$traces/$name.hct" --chip cpu8
	ok "$name on cpu4 and cpu8"
done
same "$traces/true.hct" --set core.l1i.prefetcher=next_line --set core.l1d.prefetcher=stride \
	--set core.l2.prefetcher=next_line --set core.tlb.enabled=true --set core.l2.mshrs=2 \
	--set core.l1d.size_bytes=4KiB --set core.l2.size_bytes=16KiB
ok "/bin/true with prefetchers, TLBs, small caches and few MSHRs"

cat >four.yaml <<EOF
applications:
  - {cpu: $traces/true.hct}
  - {cpu: $traces/gzip.hct}
  - {cpu: $traces/perl.hct}
  - {cpu: "cpu:mix,length=50000"}
EOF
same --mix four.yaml --chip cpu4
ok "four programs on cpu4"
cat >three.yaml <<EOF
applications:
  - {cpu: $traces/true.hct}
  - {cpu: $traces/perl.hct}
  - {workload: vecadd, size: tiny}
EOF
for chip in apu46 apu46-mesh apu46-dvfs; do
	same --mix three.yaml --chip $chip
	ok "two CPU programs and a GPU program on $chip"
done

same peak --size tiny --chip pascal64x4 --set sm.count=4 --set sockets.link.dynamic=true \
	--set sockets.link.sample_cycles=100 --set sockets.cache.organisation=partitioned \
	--set sockets.cache.partition.sample_cycles=170
ok "sockets whose link sleeps past the end of a sample"

claim="a program recorded now"
if command -v qemu-x86_64 >/dev/null 2>&1 && [ -x /bin/true ]; then
	run 0 trace -o now.hct -- /bin/true && same now.hct --chip cpu4
	ok "$claim"
else
	count=$((count + 1))
	echo "ok $count - $claim # SKIP qemu-x86_64 is not installed"
fi
echo "1..$count"

# shellcheck shell=sh
# For scripts that print TAP and run heddle; sourced. Leaves them in an empty folder that goes when they end.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
count=0
# limit SECONDS: as many on a machine with nothing else to do; tools/run-tests says how busy it is
limit() {
	echo $(($1 * ${HEDDLE_TEST_SLOWDOWN:-4}))
}
XDG_CACHE_HOME=$folder/.cache # not the user's
export XDG_CACHE_HOME

# ok CLAIM: the last command's status decides
ok() {
	status=$?
	count=$((count + 1))
	if [ $status -eq 0 ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		sed 's/^/# /' out err 2>/dev/null
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

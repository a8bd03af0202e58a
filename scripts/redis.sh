#!/usr/bin/env bash
# Starts and stops a throw-away Redis for the tests, on a free loopback port, that
# keeps nothing on disk.
#
#   eval "$(scripts/redis.sh start)"   # sets EDITOR_ACTIONS_TEST_REDIS and ..._REDIS_HANDLE
#   scripts/redis.sh stop [HANDLE]     # ends it by its process id and removes its folder
#
# Only the lines for eval go to standard output.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin

start() {
	local dir port pid
	command -v redis-server redis-cli >/dev/null || {
		echo "redis.sh: Redis is not installed: run scripts/setup.sh test" >&2
		return 1
	}
	dir=$(mktemp -d "${TMPDIR:-/tmp}/editor-actions-redis.XXXXXX")
	for _ in 1 2 3 4 5; do
		port=$(shuf -i 20000-31999 -n 1) # below the ports the system gives to clients
		redis-server --port "$port" --bind 127.0.0.1 --dir "$dir" --save '' --appendonly no --databases 64 >"$dir/server.log" 2>&1 </dev/null &
		pid=$!
		for _ in $(seq 100); do
			if [ "$(redis-cli -h 127.0.0.1 -p "$port" ping 2>/dev/null)" = PONG ] && ours "$pid" "$port"; then
				echo "export EDITOR_ACTIONS_TEST_REDIS='127.0.0.1:$port'"
				echo "export EDITOR_ACTIONS_TEST_REDIS_HANDLE='$pid:$port:$dir'"
				return 0
			fi
			kill -0 "$pid" 2>/dev/null || break # the port was taken, or worse: see the log
			sleep 0.1
		done
		kill "$pid" 2>/dev/null || true
	done
	cat "$dir/server.log" >&2
	rm -rf "$dir"
	echo "redis.sh: the server did not start" >&2
	return 1
}

# ours PID PORT: the process is that server, not a later one with its number.
ours() {
	[ -r "/proc/$1/cmdline" ] && tr '\0' ' ' <"/proc/$1/cmdline" | grep -q "redis-server.*:$2 "
}

stop() {
	local handle=$1 pid port dir
	[ -n "$handle" ] || return 0
	IFS=: read -r pid port dir <<<"$handle"
	if ours "$pid" "$port"; then
		kill "$pid" 2>/dev/null || true
		for _ in $(seq 100); do
			ours "$pid" "$port" || break
			sleep 0.05
		done
		if ours "$pid" "$port"; then kill -9 "$pid" 2>/dev/null || true; fi
	fi
	case $dir in */editor-actions-redis.*) rm -rf "$dir" ;; esac
}

case ${1:-} in
start) start ;;
stop) stop "${2:-${EDITOR_ACTIONS_TEST_REDIS_HANDLE:-}}" ;;
*)
	echo "usage: scripts/redis.sh start | stop [HANDLE]" >&2
	exit 2
	;;
esac

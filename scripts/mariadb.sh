#!/usr/bin/env bash
# Starts and stops a throw-away MariaDB for the tests, on a free loopback port,
# with its data in a temporary folder.
#
#   eval "$(scripts/mariadb.sh start)"   # sets EDITOR_ACTIONS_TEST_MYSQL, ..._MARIADB and ..._MARIADB_PID
#   scripts/mariadb.sh status            # says whether that server answers
#   scripts/mariadb.sh stop              # ends it by its process id and removes the folder
#
# Only the lines for eval go to standard output. It is fast because it may lose
# data in a crash of the machine; sql_mode stays MariaDB's strict default.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin # where Debian keeps mariadbd; not on everybody's path

# start_server DIR USER PORT: 0 when it answers.
start_server() {
	local dir=$1 user=$2 port=$3
	mariadbd --no-defaults "--datadir=$dir/data" "--user=$user" --bind-address=127.0.0.1 "--port=$port" "--socket=$dir/s" "--pid-file=$dir/pid" \
		--skip-name-resolve --performance-schema=off --innodb-flush-log-at-trx-commit=0 --innodb-buffer-pool-size=256M \
		--innodb-doublewrite=0 --skip-log-bin --max-connections=300 --character-set-server=utf8mb4 \
		>"$dir/server.log" 2>&1 </dev/null &
	pid=$!
	for _ in $(seq 300); do
		if mariadb-admin --no-defaults "--socket=$dir/s" -uroot ping >/dev/null 2>&1; then
			return 0
		fi
		kill -0 "$pid" 2>/dev/null || return 1 # the port was taken, or worse: see the log
		sleep 0.1
	done
	kill "$pid" 2>/dev/null || true
	return 1
}

start() {
	local dir user port pid
	command -v mariadbd mariadb-install-db mariadb-admin >/dev/null || {
		echo "mariadb.sh: MariaDB is not installed: run scripts/setup.sh" >&2
		return 1
	}
	dir=$(mktemp -d "${TMPDIR:-/tmp}/editor-actions-mariadb.XXXXXX")
	user=$(id -un)
	if [ "$(id -u)" = 0 ]; then # MariaDB refuses to run as root
		user=mysql
		chown mysql "$dir"
	fi
	if ! mariadb-install-db --no-defaults "--datadir=$dir/data" "--user=$user" --auth-root-authentication-method=normal --skip-test-db \
		>"$dir/install.log" 2>&1; then
		cat "$dir/install.log" >&2
		rm -rf "$dir"
		return 1
	fi
	for _ in 1 2 3 4 5; do
		port=$(shuf -i 20000-31999 -n 1) # below the ports the system gives to clients
		if start_server "$dir" "$user" "$port"; then
			echo "export EDITOR_ACTIONS_TEST_MYSQL='mysql://root@127.0.0.1:$port/'"
			echo "export EDITOR_ACTIONS_TEST_MARIADB='$pid:$dir'"
			echo "export EDITOR_ACTIONS_TEST_MARIADB_PID='$pid'"
			return 0
		fi
	done
	cat "$dir/server.log" >&2
	rm -rf "$dir"
	echo "mariadb.sh: the server did not start" >&2
	return 1
}

# ours PID DIR: the process is the server on that folder, not a later one with its number.
ours() {
	[ -r "/proc/$1/cmdline" ] && tr '\0' ' ' <"/proc/$1/cmdline" | grep -qF -- "--datadir=$2/data"
}

stop() {
	local handle=$1 pid dir
	[ -n "$handle" ] || return 0
	pid=${handle%%:*} dir=${handle#*:}
	if ours "$pid" "$dir"; then
		kill "$pid" 2>/dev/null || true
		for _ in $(seq 200); do
			ours "$pid" "$dir" || break
			sleep 0.05
		done
		if ours "$pid" "$dir"; then kill -9 "$pid" 2>/dev/null || true; fi
	fi
	case $dir in */editor-actions-mariadb.*) rm -rf "$dir" ;; esac
}

status() {
	local handle=$1
	if [ -n "$handle" ] && ours "${handle%%:*}" "${handle#*:}"; then
		echo "MariaDB runs as process ${handle%%:*} in ${handle#*:}"
	else
		echo "no MariaDB of ours runs"
		return 1
	fi
}

handle=${2:-${EDITOR_ACTIONS_TEST_MARIADB:-}}
case ${1:-} in
start) start ;;
stop) stop "$handle" ;;
status) status "$handle" ;;
*)
	echo "usage: scripts/mariadb.sh start | stop [HANDLE] | status [HANDLE]" >&2
	exit 2
	;;
esac

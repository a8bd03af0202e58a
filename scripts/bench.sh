#!/usr/bin/env bash
# Runs all benchmarks, those on MariaDB included: scripts/bench.sh [-bench X]
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${EDITOR_ACTIONS_TEST_MYSQL:-}" ]; then
	variables=$(scripts/mariadb.sh start)
	eval "$variables"
	handle=$EDITOR_ACTIONS_TEST_MARIADB
	trap 'scripts/mariadb.sh stop "$handle"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
fi
go test -run '^$' -bench . -benchmem -p 1 "$@" ./...

#!/usr/bin/env bash
# Runs everything: the TYPO3 extension's checks, the browser tests, then all Go tests with the race detector on
# SQLite and on a MariaDB of their own. Its last lines are the Go test run's own and,
# after them, when something failed, what each part said of its failures.
#
#   scripts/test.sh          # all of it
#   scripts/test.sh -run X   # arguments go to `go test`
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=scripts/with-servers.sh
. scripts/with-servers.sh

logs=$(mktemp -d)
trap 'rm -rf "$logs"; scripts/mariadb.sh stop "$mariadb"; scripts/redis.sh stop "$redis"' EXIT
failed=()

# part NAME COMMAND... runs a part of the tests, keeps what it prints and goes on when it fails.
part() {
	local name=$1
	shift
	"$@" 2>&1 | tee "$logs/$name" || failed+=("$name")
}

part extension scripts/php.sh
if [ -e e2e/package.json ]; then
	part browser npm test --silent --prefix e2e
fi

# A run of this file means to test everything, so a cached "ok" will not do
# for the tests that talk to the database server. -p 2: a race-built test binary
# with libvips and SQLite needs about a gigabyte to link.
part go go test -race -timeout 30m -count=1 -p "${TEST_PARALLEL:-2}" "$@" ./...

# A long run's beginning is often cut off where it is read, so the failures are said again at its end.
for name in "${failed[@]}"; do
	echo
	echo "test: the $name tests failed; their output, shortened:"
	case $name in
	go) grep -E -A25 '^(\s*--- FAIL|panic:|FAIL|WARNING: DATA RACE|fatal error:)' "$logs/go" | grep -vE '^ok ' | tail -n 300 ;;
	browser) sed -n '/^  1) /,$p' "$logs/browser" | tail -n 200 ;;
	*) tail -n 60 "$logs/$name" ;;
	esac
done
[ ${#failed[@]} = 0 ]

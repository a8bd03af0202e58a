#!/usr/bin/env bash
# Runs everything: the TYPO3 extension's checks, the browser tests, then all Go tests with the race detector on
# SQLite and on a MariaDB of their own. Its last lines are the Go test run's own.
#
#   scripts/test.sh          # all of it
#   scripts/test.sh -run X   # arguments go to `go test`
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=scripts/with-servers.sh
. scripts/with-servers.sh

status=0
scripts/php.sh || {
	status=$?
	echo "test: the checks of the TYPO3 extension failed; going on" >&2
}
if [ -e e2e/package.json ]; then
	(cd e2e && npm test --silent) || {
		status=$?
		echo "test: the browser tests failed; going on with the Go tests" >&2
	}
fi

# A run of this file means to test everything, so a cached "ok" will not do
# for the tests that talk to the database server. -p 2: a race-built test binary
# with libvips and SQLite needs about a gigabyte to link.
go test -race -timeout 30m -count=1 -p "${TEST_PARALLEL:-2}" "$@" ./... || status=$?

exit "$status"

#!/usr/bin/env bash
# Runs all benchmarks, those on MariaDB included: scripts/bench.sh [-bench X]
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/with-servers.sh
. scripts/with-servers.sh
go test -run '^$' -bench . -benchmem -p 1 "$@" ./...

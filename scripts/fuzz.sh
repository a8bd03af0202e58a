#!/usr/bin/env bash
# Runs every fuzz target for a while: scripts/fuzz.sh 20s
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-20s}
grep -rlE '^func Fuzz[A-Z0-9_]' --include='*_test.go' internal cmd | sort | while read -r file; do
	sed -nE 's/^func (Fuzz[A-Za-z0-9_]+)\(.*/\1/p' "$file" | while read -r target; do
		echo "fuzz: $target in $(dirname "$file") for $time"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "./$(dirname "$file")" </dev/null
	done
done

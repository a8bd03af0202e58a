#!/usr/bin/env bash
# Compares our scaling, warm, with the whole processes of vipsthumbnail,
# ImageMagick, GraphicsMagick and PHP's GD, in one run and picture by picture, and
# prints the tables of docs/performance.md.
#
#   scripts/bench-images.sh          # the tables, medians of ROUNDS=21
#   scripts/bench-images.sh --soak   # then 10,000 pictures: what grows?
set -euo pipefail
cd "$(dirname "$0")/.."

cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
system=$(sed -n 's/^PRETTY_NAME="\(.*\)"$/\1/p' /etc/os-release)
echo "$(date -u +%F), $(nproc) cores ($cpu), $system, $(go env GOVERSION), $(vips --version | cut -d' ' -f1 | tr - ' '), load $(cut -d' ' -f1 /proc/loadavg)"
echo
# Wall time and CPU time: ours against vipsthumbnail (smaller is better), and how
# many times longer the others take (larger is better).
go test -timeout 2h -run '^$' -bench '^BenchmarkPictures$' -benchtime "${ROUNDS:-21}x" ./internal/downscaler | awk '
	function times(tool) { return (tool "-wall" in v) ? sprintf("%.1f / %.1f", v[tool "-wall"], v[tool "-cpu"]) : "cannot" }
	function peak(tool) { return (tool "-MB" in v) ? sprintf("%.0f", v[tool "-MB"]) : "-" }
	BEGIN {
		print "| picture | ours ms | CPU ms | of vipsthumbnail, wall / CPU | ImageMagick | GraphicsMagick | GD | peak MB: ours, vipsthumbnail, ImageMagick, GraphicsMagick, GD |"
		print "|---|---|---|---|---|---|---|---|"
	}
	/^BenchmarkPictures\// {
		name = $1; sub(/^BenchmarkPictures\//, "", name); sub(/-[0-9]+$/, "", name); gsub(/_/, " ", name)
		split("", v)
		for (i = 3; i < NF; i += 2) v[$(i + 1)] = $i
		printf "| %s | %.0f | %.0f | %.2f / %.2f | %s | %s | %s | %.0f, %s, %s, %s, %s |\n", name, v["fit-ms"], v["fit-cpu-ms"], 1 / v["vipsthumbnail-wall"], 1 / v["vipsthumbnail-cpu"],
			times("ImageMagick"), times("GraphicsMagick"), times("GD"), v["fit-MB"], peak("vipsthumbnail"), peak("ImageMagick"), peak("GraphicsMagick"), peak("GD")
	}
	/FAIL|panic/ { print; bad = 1 }
	END { exit bad }'
echo
go test -run '^$' -bench '^BenchmarkFit24MP' -benchtime "${ROUNDS:-21}x" ./internal/downscaler | awk '
	/^BenchmarkFit24MPParallel/ { two = $3 }
	/^BenchmarkFit24MP-|^BenchmarkFit24MP / { one = $3 }
	END { if (!one || !two) exit 1; printf "Throughput of two workers against one, JPEG 24 MP: %.2f times.\n", one / two }'

if [ "${1:-}" = "--soak" ]; then
	echo
	EDITOR_ACTIONS_SOAK_PICTURES=10000 go test -timeout 60m -count=1 -run '^TestFit_Soak$' -v ./internal/downscaler | grep -E 'soak_test|^---|^ok|FAIL'
fi

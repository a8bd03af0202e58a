# `make help` lists what there is. The work is done by the scripts in scripts/.

BIN := bin/editor-actions
LINT := go tool -modfile=tools/go.mod golangci-lint
FUZZTIME ?= 20s

# Builds do not ask git about the working copy: in a container it may belong to
# somebody else, and git refuses then.
export GOFLAGS ?= -buildvcs=false

# So the version is asked for here; without git it is unknown.
VERSION = $(shell git -c safe.directory='$(CURDIR)' describe --tags --always --dirty 2>/dev/null)
BUILD = go build -ldflags '-X main.buildVersion=$(VERSION)' -o $(BIN) ./cmd/editor-actions

.DEFAULT_GOAL := help
.PHONY: help demo run build test test-short lint bench bench-images e2e check fuzz

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## build, make the demo site and serve it
	./$(BIN) demo

run: build ## serve with the settings file in CONFIG=site.yaml
	@test -n "$(CONFIG)" || { echo "make run: name the settings file: make run CONFIG=site.yaml"; exit 2; }
	./$(BIN) --config "$(CONFIG)" serve

build: ## install what building needs, then build bin/editor-actions
	@scripts/setup.sh build
	$(BUILD)

test: ## everything: race detector, SQLite, MariaDB, browser tests
	@scripts/setup.sh test
	$(BUILD)
	@scripts/test.sh

test-short: ## the Go tests that need no database server, without the race detector
	@scripts/setup.sh build
	go test -short ./...

lint: ## formatting, go vet and all linters
	@scripts/setup.sh build
	$(LINT) run ./...
	$(LINT) fmt --diff
	@if command -v shellcheck >/dev/null; then shellcheck scripts/*.sh .ci/run; fi

bench: ## all benchmarks
	@scripts/setup.sh test
	@scripts/bench.sh

bench-images: ## scaling compared with vipsthumbnail, ImageMagick, GraphicsMagick and GD, then 10,000 pictures
	@scripts/setup.sh bench
	@scripts/bench-images.sh --soak

e2e: build ## only the browser tests
	@scripts/setup.sh test
	cd e2e && npm test --silent

fuzz: ## every fuzz target for FUZZTIME=20s
	@scripts/setup.sh build
	@scripts/fuzz.sh $(FUZZTIME)

check: lint test ## what must pass before a commit
	go mod tidy -diff
	cd tools && go mod tidy -diff

# Everything a person needs to type: make demo, make test. The rest is for people who change the code.

SWIFT ?= swift
DEMO = .freshet/demo
PORT ?= 8080
TRACE = $(CURDIR)/.build/engine-wasm/trace.bin
# Tests that wait for other programs, or for a model to show something, run by themselves: beside tests that keep
# every processor busy for minutes, nothing else gets a turn, and git needs longer than it may.
APART = ^(BookPipelinesTests|BookScanTests|JobsServerTests|StationboardClientTests|WorkspacesClientTests)\.
WATCHING = ^(AgentWatchTests|WorktreeWatchTests)\.

.PHONY: help demo test check bench build engine-wasm format clean

help:
	@echo "make demo    a running departure board with sample data: http://127.0.0.1:$(PORT)/"
	@echo "make test    all tests"
	@echo "make check   format, floors, imports, file sizes, documentation"
	@echo "make engine-wasm   the refresh engine as WebAssembly, its size, and its proofs"
	@echo "make bench   the figures of the README, on a timetable of 20 million stop times"

# MARK: For everybody

demo:
	@Scripts/install-packages build
	@echo "Building (the first time takes a few minutes) …"
	$(SWIFT) build -c release --product freshet
	@Scripts/demo "$$($(SWIFT) build -c release --show-bin-path)/freshet" $(DEMO) $(PORT)

test:
	@Scripts/install-packages build test engine scan
	$(SWIFT) build --build-tests
	FRESHNESS_TRACE="$(TRACE)" $(SWIFT) test --skip-build --skip '$(APART)' --skip '$(WATCHING)'
	$(SWIFT) test --skip-build --filter '$(APART)'
	$(SWIFT) test --skip-build --filter '$(WATCHING)'
	Scripts/engine-wasm-check "$(TRACE)"
	$(SWIFT) build -c release --product freshet
	Scripts/test-program "$$($(SWIFT) build -c release --show-bin-path)/freshet"

# MARK: For people who change the code

build:
	@Scripts/install-packages build
	$(SWIFT) build

check:
	@Scripts/install-packages build
	Scripts/check

format:
	$(SWIFT) format format --in-place --recursive --parallel Package.swift Sources Tests

engine-wasm:
	@Scripts/install-packages build engine
	Scripts/engine-wasm-check

bench:
	@Scripts/install-packages build bench
	$(SWIFT) build -c release --product freshet
	$(SWIFT) build -c release --package-path Benchmarks/Engine
	$(SWIFT) build -c release --package-path Benchmarks/Decoding
	python3 Benchmarks/decoding.py Benchmarks/Decoding/.build/release/DecodingBenchmark
	python3 Benchmarks/engine.py Benchmarks/Engine/.build/release/EngineBenchmark
	python3 Benchmarks/run.py "$$($(SWIFT) build -c release --show-bin-path)/freshet"
	python3 Benchmarks/books.py "$$($(SWIFT) build -c release --show-bin-path)/freshet"
	python3 Benchmarks/jobs.py "$$($(SWIFT) build -c release --show-bin-path)/freshet"
	python3 Benchmarks/realtime.py "$$($(SWIFT) build -c release --show-bin-path)/freshet"
	python3 Benchmarks/workspaces.py "$$($(SWIFT) build -c release --show-bin-path)/freshet"

clean:
	rm -rf .build .freshet

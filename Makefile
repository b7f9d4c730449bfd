# Everything a person needs to type: make demo, make test. The rest is for people who change the code.

SWIFT ?= swift
PORT ?= 8080
# One build for demo, tests and everyday work. Other flags would compile everything again. Modules compiled as a whole save
# a sixth of the processor time of a cold build. The interface of a module is written by the compilation that makes its code: no module
# waits for it alone, and a job of its own would read all sources twice. Without an index and without debugging information; for a
# debugger: make build DEBUG_INFO=dwarf (compiles everything again).
DEBUG_INFO ?= none
WHOLE = -Xswiftc -wmo -Xswiftc -no-emit-module-separately-wmo -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -disable-batch-mode --disable-index-store -debug-info-format $(DEBUG_INFO)
# The linker that comes with Swift on Linux takes less than half the time of the one that it chooses by itself.
LLD = $(if $(filter Linux,$(shell uname -s)),-Xswiftc -use-ld=lld)
# The release configuration without optimization: assertions are on, but what libraries do for their own debugging is off, and no
# job wraps the syntax trees of modules for a debugger. Package.swift says which targets are optimized all the same.
TESTABLE = -c release --scratch-path .build/testable -Xswiftc -Onone -Xswiftc -enable-testing -Xcc -O0 $(LLD)
BUILD = FRESHET_TESTABLE=1 $(SWIFT) build $(TESTABLE) --explicit-target-dependency-import-check error $(WHOLE)
BUILT = .build/testable/release
# What is installed needs no Swift on the machine it runs on. Benchmarks and long tests use the same build.
STATIC = $(if $(filter Linux,$(shell uname -s)),--static-swift-stdlib)
BUILD_RELEASE = $(SWIFT) build -c release $(STATIC) $(LLD) --product freshet
BUILD_RELEASE_LAB = $(SWIFT) build -c release $(STATIC) $(LLD) --product freshet-lab
RELEASE = $$($(SWIFT) build -c release $(STATIC) --show-bin-path)
PREFIX ?= /usr/local
JOBS = $(if $(ONLY),--only '$(ONLY)')

.PHONY: help demo test install package test-built test-long check bench build engine-wasm format clean

help:
	@echo "make demo         departures, worktrees and jobs with simulated data, to break: http://127.0.0.1:$(PORT)/"
	@echo "make test         all tests but those that passed before and have not changed; ALL=1 runs them too,"
	@echo "                  ONLY=PATTERN those jobs whose name matches"
	@echo "make install      the optimized programs, their manuals and completions under PREFIX ($(PREFIX))"
	@echo "make package      Debian packages and tar archives of freshet and freshet-lab, in dist"
	@echo "make test-built   the tests of what is built already; ROUNDS=N runs them N times"
	@echo "make test-long    all tests in their large sizes, on the release build: an hour or more"
	@echo "make check        format, layers, file sizes, citations, documentation"
	@echo "make engine-wasm  the refresh engine as WebAssembly, its size, and its proofs"
	@echo "make bench        the figures of the README, on a timetable of 20 million stop times"

# MARK: For everybody

demo:
	@Scripts/install-packages build
	@echo "Building the program. The first build compiles every dependency: about 5 minutes on two cores."
	$(BUILD) --product freshet
	$(BUILD) --product freshet-lab
	@"$(BUILT)/freshet" demo --port $(PORT)

test:
	@Scripts/install-packages build test engine scan package
	@echo "Building program and tests. The first build compiles every dependency: 5 to 7 minutes on two cores."
	$(BUILD) --build-tests
	@echo "Running the tests: about 12 minutes on two cores."
	Scripts/run-tests "$(BUILT)" $(JOBS) $(if $(ALL),,--changed)

install:
	@Scripts/install-packages build
	@echo "Building the optimized programs. The first build takes ten minutes or more on two cores."
	$(BUILD_RELEASE)
	$(BUILD_RELEASE_LAB)
	for program in freshet freshet-lab; do Packaging/package "$(RELEASE)/$$program" install "$(PREFIX)" || exit 1; done

package:
	@Scripts/install-packages build package
	@echo "Building the optimized program. The first build takes ten minutes or more on two cores."
	$(BUILD_RELEASE)
	$(BUILD_RELEASE_LAB)
	for program in freshet freshet-lab; do \
	  Packaging/package "$(RELEASE)/$$program" deb dist && Packaging/package "$(RELEASE)/$$program" tar dist || exit 1; done

# MARK: For people who change the code

build:
	@Scripts/install-packages build
	$(BUILD)

test-built:
	Scripts/run-tests "$(BUILT)" $(JOBS) --repeat $(or $(ROUNDS),1)

test-long:
	@Scripts/install-packages build test engine scan package
	$(BUILD) --build-tests
	$(BUILD_RELEASE)
	$(BUILD_RELEASE_LAB)
	Scripts/run-tests "$(BUILT)" --long --program "$(RELEASE)/freshet" $(JOBS)

check:
	Scripts/check

format:
	$(SWIFT) format format --in-place --recursive --parallel Package.swift Sources Tests

engine-wasm:
	@Scripts/install-packages build engine
	Scripts/engine-wasm-check

bench:
	@Scripts/install-packages build bench
	$(BUILD_RELEASE)
	$(BUILD_RELEASE_LAB)
	$(SWIFT) build -c release --package-path Benchmarks/Engine
	$(SWIFT) build -c release --package-path Benchmarks/Decoding
	python3 Benchmarks/decoding.py Benchmarks/Decoding/.build/release/DecodingBenchmark
	python3 Benchmarks/engine.py Benchmarks/Engine/.build/release/EngineBenchmark
	python3 Benchmarks/run.py "$(RELEASE)/freshet"
	python3 Benchmarks/books.py "$(RELEASE)/freshet"
	python3 Benchmarks/jobs.py "$(RELEASE)/freshet"
	python3 Benchmarks/realtime.py "$(RELEASE)/freshet"
	python3 Benchmarks/workspaces.py "$(RELEASE)/freshet"
	python3 Benchmarks/postgres.py "$(RELEASE)/freshet"
	python3 Benchmarks/hub.py "$(RELEASE)/freshet"

clean:
	rm -rf .build .freshet

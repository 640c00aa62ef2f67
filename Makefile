# Short names for what the presets in CMakePresets.json do; `make help` lists them.
.DEFAULT_GOAL := build
.PHONY: help build demo demo-plan slurm-demo federation-demo check test test-faults test-power \
        test-sanitizers-short test-sanitizers fuzz model bench format lint clean

SOURCES = $(shell find include src cli tests bench examples -name '*.hpp' -o -name '*.cpp')

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-22s %s\n", $$1, $$2 }' Makefile

build: ## the program, build/dovetail (the default)
	scripts/install-dependencies
	cmake --preset release
	cmake --build --preset release

demo: build ## a workflow that makes a picture, run on this machine, in demo/
	scripts/demo build/dovetail demo

demo-plan: build ## a workflow, a busy cluster and a plan, made in demo/
	scripts/demo-plan build/dovetail demo

slurm-demo: build ## a workflow on a busy cluster, a real Slurm on this machine alone, under three strategies
	scripts/install-dependencies slurm
	scripts/slurm-demo build/dovetail demo

federation-demo: build ## an ensemble over two clusters on this machine and a real Slurm, behind a tree of agents
	scripts/install-dependencies slurm
	scripts/federation-demo build/dovetail demo

check: ## the quick tests, while working on a change: build/dev, where one file compiles by itself
	scripts/install-dependencies test
	cmake --preset dev
	cmake --build --preset check
	ctest --preset check

test: ## every test, in build/test: what must pass before a change goes in
	scripts/install-dependencies test
	cmake --preset test
	cmake --build --preset test
	ctest --preset test

test-faults: ## every system call of a run and a daemon fails in turn, 800 kills (half an hour)
	scripts/install-dependencies test
	cmake --preset test
	cmake --build --preset test --target system_faults
	DOVETAIL_FAULTS=all build/test/tests/system_faults

test-power: ## the power cut 2,100 times, on ext4, XFS and btrfs (needs root; about 20 minutes)
	scripts/install-dependencies test
	cmake --preset test
	cmake --build --preset test --target dovetail_cli system_power
	DOVETAIL_POWER_CUTS=350 build/test/tests/system_power

test-sanitizers-short: ## the few tests that gain most from a sanitizer; the presets name them
	scripts/install-dependencies test
	cmake --preset asan-short
	cmake --build --preset asan-short
	ctest --preset asan-short
	cmake --preset tsan-short
	cmake --build --preset tsan-short
	ctest --preset tsan-short

test-sanitizers: ## every test under the address, undefined and thread sanitizers (slow)
	scripts/install-dependencies test
	cmake --preset asan
	cmake --build --preset asan
	ctest --preset asan
	cmake --preset tsan
	cmake --build --preset tsan
	ctest --preset tsan

SECONDS = 60
fuzz: ## every fuzz target for SECONDS=60 each; what they find is in build/fuzz/found
	scripts/install-dependencies fuzz
	cmake --preset fuzz
	cmake --build --preset fuzz
	scripts/fuzz build/fuzz $(SECONDS)

model: ## the model of who owns a scenario, checked by spin; and broken variants of it, which must be refuted
	scripts/install-dependencies model
	tests/model/check

bench: ## all benchmarks
	scripts/install-dependencies bench
	cmake --preset bench
	cmake --build --preset bench
	for program in build/bench/bench/*_bench; do $$program || exit; done

format: ## lays out the sources
	scripts/install-dependencies lint
	clang-format -i $(SOURCES)

lint: ## layout and clang-tidy, without changing anything
	scripts/install-dependencies lint
	clang-format --dry-run -Werror $(SOURCES)
	cmake --preset lint
	run-clang-tidy -quiet -p build/lint '/(src|cli)/.*\.cpp$$'

clean: ## removes what the targets above made
	rm -rf build demo

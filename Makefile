# The commands of this project; `make help` lists them. Those that build or test install missing requirements.
# Variables: SWIFT (the swift command), ARGS (arguments for the command or the tests), YES=1 (installs a Swift toolchain
# without a question if there is none).

SWIFT ?= swift
ARGS ?=

# The folder of the swift command that swiftly installs. Only shells started after the installation have it in PATH.
SWIFTLY_BIN_DIR ?= $(HOME)/.local/share/swiftly/bin
export PATH := $(PATH):$(SWIFTLY_BIN_DIR)

SOURCES := Package.swift Sources Stubs Examples Tests $(wildcard Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Benchmarks)
SCRIPTS := .ci/run $(wildcard Scripts/*.sh Packaging/checks/*.sh Packaging/debian/p*)

.DEFAULT_GOAL := help
.PHONY: help demo test test-swift test-unit test-peers test-alone build build-strict check-apple check-benchmarks check-page check-api check-packaging check-workflows package check-package check-image install uninstall release lint language format test-tsan test-asan fuzz soak bench docs man setup setup-build

help: ## List the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1|\2/' \
		| while IFS='|' read -r name text; do printf '  make %-14s %s\n' "$$name" "$$text"; done

demo: ## Start the demo (ARGS="--port 9000" is passed to it, MEDIACACHE_BIN=PATH uses an installed build)
	@SWIFT="$(SWIFT)" Scripts/demo.sh $(ARGS)

# Suites that run in a separate process. Some have deadlines in real time, which they would miss beside many parallel
# tests on a few cores, or occupy a core themselves. Others expect a released port to stay free, and a concurrent test
# could take it.
ALONE := ^MediaCacheServerTests\.(OriginContractTests|EmbeddedServerTests|ConnectionDeadlineTests)|^MediaCacheURLSessionTests\.|^MediaCacheTests\.CatalogScaleTests|^MediaCacheCLITests\.DoctorMachineTests
# Suites that use sockets and other processes with real timeouts. They don't run in parallel with tests that occupy a
# core for minutes.
PEER_TESTS := ^(MediaCacheServerTests|MediaCacheCLITests|AcceptanceTests)\.
STEP := Scripts/step.sh
SKIPPED = $(if $(SKIP_TESTS),--skip '$(SKIP_TESTS)')

# The last checks mostly wait for the page. Each starts a server of its own. They share the Python packages.
test: setup ## Run every test (ARGS="--filter Name" selects some)
ifeq ($(strip $(ARGS)),)
	@$(MAKE) --no-print-directory test-swift
	@Scripts/python.sh >/dev/null
	@program="$$($(SWIFT) build --show-bin-path)/mediacache" && Scripts/together.sh \
		page-1 Scripts/check-page.sh "$$program" --part 1/3 -- page-2 Scripts/check-page.sh "$$program" --part 2/3 \
		-- page-3 Scripts/check-page.sh "$$program" --part 3/3 \
		-- API Scripts/check-api.sh "$$program" -- packaging Scripts/check-packaging.sh "$$program"
	@program="$$($(SWIFT) build --show-bin-path)/mediacache" && $(STEP) "journeys in three browsers" \
		Scripts/check-page.sh "$$program" journeys
else
	SWIFT="$(SWIFT)" Scripts/test.sh $(ARGS)
endif

test-swift: setup ## Run the Swift tests without the other checks (SKIP_TESTS=REGEX leaves some out)
	@$(MAKE) --no-print-directory -j 1 test-unit test-peers test-alone

# The phases of test-swift.
test-unit:
	@SWIFT="$(SWIFT)" $(STEP) "unit tests" Scripts/test.sh --skip '$(PEER_TESTS)' --skip '$(ALONE)' $(SKIPPED)

test-peers:
	@SWIFT="$(SWIFT)" $(STEP) "tests with other programs" Scripts/test.sh --filter '$(PEER_TESTS)' --skip '$(ALONE)' $(SKIPPED)

test-alone:
	@SWIFT="$(SWIFT)" $(STEP) "tests that run alone" Scripts/test.sh --filter '$(ALONE)' $(SKIPPED)

build: setup-build ## Build for debugging
	$(SWIFT) build $(ARGS)

build-strict: setup-build ## Build everything including tests, with warnings as errors in this project's targets
	MEDIACACHE_STRICT=1 $(SWIFT) build --build-tests $(ARGS)

check-page: setup ## Test the page in browsers (ARGS="--screenshots" updates the screenshots)
	$(SWIFT) build
	Scripts/check-page.sh "$$($(SWIFT) build --show-bin-path)/mediacache" $(ARGS)
	$(if $(ARGS),,Scripts/check-page.sh "$$($(SWIFT) build --show-bin-path)/mediacache" journeys)

check-api: setup ## Compare the API's responses with docs/openapi.yaml
	$(SWIFT) build
	Scripts/check-api.sh "$$($(SWIFT) build --show-bin-path)/mediacache" $(ARGS)

check-packaging: setup build ## Check the files of Packaging, the workflows and the installation of Swift
	Scripts/check-packaging.sh "$$($(SWIFT) build --show-bin-path)/mediacache"

check-workflows: ## Check the workflows, the formula and the installation of Swift
	Scripts/check-workflows.sh
	Scripts/check-swiftly.sh

# The Swift runtime is part of the executable, which therefore runs without a toolchain. The linker options omit the
# table of exported symbols and compress the relocations. Compressed relocations require glibc 2.36. Debug information
# is left out, because packages and `make install` strip it; writing it takes a ninth of the build's time.
ifeq ($(shell uname -s),Linux)
RELEASE := -c release --scratch-path .build-release --static-swift-stdlib -debug-info-format none \
	-Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs
else
RELEASE := -c release --scratch-path .build-release
endif
RELEASED = "$$($(SWIFT) build $(RELEASE) --show-bin-path)/mediacache"

release: setup-build
	$(SWIFT) build $(RELEASE) --product mediacache

package: release ## Build a .deb and a .tar.gz in .build/packages
	@Scripts/setup.sh build package
	SWIFT="$(SWIFT)" Scripts/package.sh $(RELEASED)

check-package: package ## Install the .deb in minimal Debian systems, use it there, upgrade and remove it
	Scripts/check-package.sh .build/packages $(ARGS)

check-image: ## Execute the Dockerfile's steps in minimal Debian systems, without Docker
	SWIFT="$(SWIFT)" Scripts/check-image.sh

# Not for sudo, because it would build as root. CONTRIBUTING.md describes how to install for all users.
install: release ## Install the command (PREFIX=/usr/local, DESTDIR=)
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" SWIFT="$(SWIFT)" Scripts/install.sh install $(RELEASED)

uninstall: ## Remove the installed command (PREFIX=/usr/local)
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" Scripts/install.sh uninstall

# The stubs (Stubs) declare the symbols that the code uses. The other modules are those of the debug build.
check-apple: build-strict ## Type-check the code for Apple systems against stubs
	SWIFT="$(SWIFT)" Scripts/check-apple.sh

check-benchmarks: build-strict ## Type-check the benchmarks, with warnings as errors
	SWIFT="$(SWIFT)" Scripts/check-benchmarks.sh

lint: ## Check the style of the sources and scripts, their imports, and the language of texts
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	@if command -v shellcheck >/dev/null; then shellcheck $(SCRIPTS); \
		elif [ "$$MEDIACACHE_REQUIRE_ALL" = 1 ]; then echo "lint: shellcheck is missing" >&2; exit 1; \
		else echo "lint: shellcheck isn't installed, so the scripts weren't checked"; fi
	SWIFT="$(SWIFT)" Scripts/check-imports.py
	Scripts/check-language.py

language: ## Check the language of comments, messages and docs (ARGS=--report prints counts)
	Scripts/check-language.py $(ARGS)

format: ## Format the sources
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

test-tsan: setup-build ## Run the unit tests under ThreadSanitizer (ARGS="2" selects a slice)
	SWIFT="$(SWIFT)" Scripts/check-sanitizer.sh thread $(ARGS)

test-asan: setup-build ## Run the unit tests under AddressSanitizer and LeakSanitizer (ARGS="2" selects a slice)
	SWIFT="$(SWIFT)" Scripts/check-sanitizer.sh address $(ARGS)

fuzz: setup-build ## Run the fuzzers under AddressSanitizer (ARGS="--seconds 60 movie" selects the time and targets)
	SWIFT="$(SWIFT)" Scripts/fuzz.sh $(ARGS)

soak: setup ## Run every test at full length, both sanitizers, and the fuzzers, a day in total (ARGS="fuzz" selects parts)
	SWIFT="$(SWIFT)" Scripts/soak.sh $(ARGS)

bench: ## Compare with nginx, Varnish and curl; prints ratios
	@Scripts/setup.sh build bench
	Benchmarks/run $(ARGS)

docs: setup-build man ## Build the documentation and the manual page; fails on broken links
	Scripts/check-docs.sh

man: setup-build ## Write the manual page to .build/man/mediacache.1
	$(SWIFT) build --product mediacache
	@mkdir -p .build/man
	"$$($(SWIFT) build --show-bin-path)/mediacache" manual >.build/man/mediacache.1

setup: ## Install the missing requirements for building and testing
	@Scripts/setup.sh build test

setup-build:
	@Scripts/setup.sh build

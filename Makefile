# `make` lists the targets.

.DEFAULT_GOAL := help
SHELL := /bin/bash
CARGO ?= cargo
# One seed, so that a run can be repeated; `make fuzz` takes new ones.
export PROPTEST_RNG_SEED ?= 1
WASM_TARGETS := wasm32-unknown-unknown wasm32-wasip1 wasm32-wasip2

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1|/' | column -t -s '|'

# The demo needs none of the program's optional features. A program that has them is not replaced by one without.
DEMO_FEATURES = $(shell target/release/tamis serve --help >/dev/null 2>&1 || echo --no-default-features)

.PHONY: demo
demo: toolchain ## build the program (proxy over stdio alone, if `make build` did not build it yet), and show what it does to a real session
	$(CARGO) build --release --locked --package tamis --package tamis-demo --package stand-in $(DEMO_FEATURES)
	@target/release/tamis-demo

.PHONY: test
test: toolchain ## run every test
	@# While servers and clients are downloaded, the compiler works.
	@$(MAKE) --no-print-directory --jobs=2 compiled test-servers
	@$(MAKE) --no-print-directory site
	@# Tests wait for programs that they start. The filters' own use what is left of the processors, and tell at their end.
	@$(MAKE) --no-print-directory --jobs=2 host-tests plugin-tests

.PHONY: host-tests
host-tests:
	RUST_TEST_THREADS=$${RUST_TEST_THREADS:-$$(($$(nproc) + 1))} $(CARGO) test --release --locked --workspace

.PHONY: plugin-tests
plugin-tests:
	@mkdir -p target && cd plugins && { nice -n 5 $(CARGO) test --locked --all-features --target-dir ../target/plugins >../target/plugin-tests.log 2>&1; \
	status=$$?; cat ../target/plugin-tests.log; exit $$status; }

.PHONY: compiled
compiled:
	@$(MAKE) --no-print-directory build
	@$(MAKE) --no-print-directory guests

.PHONY: from-nothing
from-nothing: ## measure `make demo` and `make test` in clean clones; fails above 6 and 25 minutes (TARGETS="demo")
	tests/from-nothing.sh

.PHONY: site
site: ## make a site of the documentation, with search, and check every link of it (target/site/html)
	docs/site/build.py

.PHONY: bench
bench: build guests dist ## measure what Tamis costs, as ratios, and what it saves (TAMIS_DATA=folder)
	TAMIS_SERVE_PROGRAM=$$PWD/target/dist/tamis $(CARGO) bench --profile release --locked --workspace --bench serve
	$(CARGO) bench --profile release --locked --workspace --bench savings
	$(CARGO) bench --locked --workspace --bench ratios

.PHONY: replicas
replicas: build dist test-servers ## run four replicas behind HAProxy with 100,000 calls while parts are killed, as released, and print what a call costs
	TAMIS_REPLICAS_PROGRAM=$$PWD/target/dist/tamis TAMIS_REPLICAS_COST=1 $(CARGO) test --release --locked --workspace --test replicas -- --nocapture --test-threads 1

.PHONY: agents
agents: build ## run released coding agents bare and through Tamis, and write docs/agents.md (AGENTS, VARIANTS, SESSIONS)
	@node tests/agents/run.mjs --agents "$(AGENTS)" --variants "$(VARIANTS)" --sessions "$(SESSIONS)" \
		--packages "$(or $(PACKAGES),target/agents/packages)" $(if $(filter latest,$(VERSIONS)),--latest) \
		--json target/agents/figures.json --record target/agents/record --page docs/agents.md

# What is tried for how long: each target of tests/fuzz for SECONDS, the property tests once with a new seed.
SECONDS_EACH = $(or $(SECONDS),60)
FUZZ_TARGETS = $(if $(TARGETS),$(TARGETS),$(notdir $(basename $(wildcard tests/fuzz/fuzz_targets/*.rs))))

.PHONY: fuzz
fuzz: fuzz-properties fuzz-targets ## look for inputs that break a promise (SECONDS=60 for each target, TARGETS)

.PHONY: fuzz-properties
fuzz-properties: guests ## run the property tests once with new seeds, which it prints
	@seed=$${FUZZ_SEED:-$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}; \
	echo "make fuzz-properties FUZZ_SEED=$$seed runs the same again"; \
	export PROPTEST_RNG_SEED=$$seed TAMIS_FUZZ_SEED=$$seed; \
	$(CARGO) test --release --locked --workspace --lib && \
	$(CARGO) test --release --locked --workspace --test filters -- filters:: fuzz_corpora:: && \
	cd plugins && $(CARGO) test --release --locked --workspace --target-dir ../target/plugins

# libFuzzer has to be told of each branch, which a stable compiler does only where it is told that it is none. The
# filters are built besides, so a nightly compiler without their target is no use.
FUZZ_COMPILER = $(shell sysroot=$$(rustc +nightly --print sysroot 2>/dev/null) && [ -d "$$sysroot/lib/rustlib/wasm32-unknown-unknown" ] \
	&& echo RUSTUP_TOOLCHAIN=nightly || echo RUSTC_BOOTSTRAP=1)

.PHONY: fuzz-targets
fuzz-targets:
	@$(CARGO) fuzz --version >/dev/null 2>&1 || { echo "make: cargo-fuzz is missing: cargo install --locked cargo-fuzz"; exit 1; }
	@for target in $(FUZZ_TARGETS); do \
		mkdir -p target/fuzz/found/$$target; \
		echo "$$target: $(SECONDS_EACH) s"; \
		env $(FUZZ_COMPILER) RUSTC_WRAPPER="$(CURDIR)/tests/fuzz/rustc.sh" \
			$(CARGO) fuzz run --fuzz-dir tests/fuzz --target-dir target/fuzz --sanitizer none $$target \
			target/fuzz/found/$$target tests/fuzz/corpus/$$target -- \
			-max_total_time=$(SECONDS_EACH) -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 || exit 1; \
	done

.PHONY: mutants
mutants: ## change the code, and list the changes that no test notices (CRATES, SAMPLE=8 for an eighth; needs cargo-mutants)
	@$(CARGO) mutants --version >/dev/null 2>&1 || { echo "make: cargo-mutants is missing: cargo install --locked cargo-mutants"; exit 1; }
	tests/mutants.sh $(CRATES)

.PHONY: surfaces
surfaces: build guests ## remove one surface at a time from redaction in a copy, and show that a secret arrives (SURFACES="errors batches")
	tests/surfaces.sh

.PHONY: new-filter
new-filter: build guests ## add a built-in filter to a copy, and show that its folder is all it takes
	tests/new-filter.sh

.PHONY: deny
deny: ## check licences, sources and advisories of all dependencies (needs cargo-deny)
	@$(CARGO) deny --version >/dev/null 2>&1 || { echo "make: cargo-deny is missing: cargo install --locked cargo-deny"; exit 1; }
	tests/deny.sh

.PHONY: platforms
platforms: toolchain ## lint for Windows, macOS and other kinds of Linux (TARGETS), and print what was checked
	tests/platforms.sh

.PHONY: platforms-wine
platforms-wine: toolchain ## build for Windows, and run the program under Wine (Debian: gcc-mingw-w64-x86-64, wine)
	tests/platforms.sh wine

.PHONY: platforms-arm64
platforms-arm64: toolchain guests ## build for Linux on ARM64, and run tests in QEMU (Debian: gcc-aarch64-linux-gnu, qemu-user-binfmt)
	tests/platforms.sh arm64

.PHONY: platforms-musl
platforms-musl: toolchain guests ## build for Linux without the system's C library, and run the tests (Debian: musl-tools)
	tests/platforms.sh musl

.PHONY: features
features: toolchain ## lint each cargo feature of the program alone, and filter with the program without them
	tests/features.sh

.PHONY: build
build: toolchain ## build the program, the stand-in servers and the demo
	$(CARGO) build --release --locked --workspace

# Packages: names and platforms are in host/Cargo.toml, `[package.metadata.packages]`. DIST_TARGET builds for another.
PACKAGING := host/packaging

.PHONY: dist
dist: toolchain ## build the program as it is released: target/dist/tamis
	$(PACKAGING)/dist.sh

.PHONY: profiling
profiling: toolchain ## build the program with debug information, for a profiler: target/profiling/tamis
	$(CARGO) build --profile profiling --locked --manifest-path host/Cargo.toml

.PHONY: sizes
sizes: dist ## show where the bytes of the released program are; fails above 40 MB
	@$(PACKAGING)/sizes.py

.PHONY: starts
starts: dist ## measure `tamis --version` and `tamis hook`; fails above 5 ms and 8 ms
	@$(PACKAGING)/sizes.py --starts

.PHONY: packages
packages: package-npm package-pypi package-deb package-archive package-container package-crate package-sdk ## make every package, in target/packages

.PHONY: package-npm
package-npm: dist ## make the npm packages: a launcher, and the program for this platform
	$(PACKAGING)/npm.py

.PHONY: package-pypi
package-pypi: dist ## make the wheel (needs maturin)
	$(PACKAGING)/pypi.py

.PHONY: package-deb
package-deb: dist ## make the Debian package (needs cargo-deb)
	$(PACKAGING)/deb.sh

.PHONY: package-archive
package-archive: dist ## make the archive, and the installer that checks its digest
	$(PACKAGING)/archive.py

.PHONY: package-container
package-container: dist ## make the container image of `tamis serve` (needs buildah)
	$(PACKAGING)/container.sh

.PHONY: package-crate
package-crate: dist ## package the crates with prebuilt filters, and try to publish them without doing so
	$(PACKAGING)/crate.py

.PHONY: package-sdk
package-sdk: build ## make the packages for projects of plugins: crate, npm, PyPI, WIT (SDK="npm pypi")
	$(PACKAGING)/sdk.py $(SDK)

.PHONY: bindings
bindings: test-servers ## write the contract in the languages of plugins again, after a change of wit/filter.wit
	$(PACKAGING)/bindings.py

.PHONY: packages-check
packages-check: test-servers ## install each package without a network, and filter a real result (PACKAGES="npm crate")
	@$(PACKAGING)/check.py $(PACKAGES)

.PHONY: sbom
sbom: ## list all dependencies of the program as CycloneDX (needs cargo-cyclonedx)
	$(PACKAGING)/sbom.sh

.PHONY: checksums
checksums: ## write the digests of all packages that were made: target/packages/SHA256SUMS
	@cd target/packages && find archive crate container deb npm pypi sbom sdk -maxdepth 1 -type f \
		\( -name '*.tar.gz' -o -name '*.crate' -o -name image.tar -o -name '*.deb' -o -name '*.tgz' -o -name '*.whl' -o -name '*.wasm' -o -name '*.json' -o -name install.sh \) \
		2>/dev/null | sort | xargs sha256sum | tee SHA256SUMS

.PHONY: reproducible
reproducible: toolchain ## build the last commit twice, in two folders, and compare the bytes (QUICK=1 compiles only Tamis again)
	$(PACKAGING)/reproducible.sh $(if $(QUICK),--quick)

.PHONY: lint
lint: toolchain ## formatting and clippy; warnings are errors
	@$(CARGO) fmt --version >/dev/null 2>&1 || rustup component add rustfmt
	@$(CARGO) clippy --version >/dev/null 2>&1 || rustup component add clippy
	$(CARGO) fmt --all --check
	cd plugins && $(CARGO) fmt --all --check
	cd tests/guests && $(CARGO) fmt --all --check
	@for folder in plugins tests/guests tests/fuzz; do \
		$(CARGO) metadata --locked --format-version 1 --manifest-path $$folder/Cargo.toml >/dev/null || { \
			echo "make: $$folder/Cargo.lock is behind its Cargo.toml: cargo update --workspace --manifest-path $$folder/Cargo.toml"; exit 1; }; \
	done
	$(CARGO) clippy --release --locked --workspace --all-targets -- -D warnings
	@tests/features.sh count
	cd plugins && $(CARGO) clippy --locked --workspace --target wasm32-unknown-unknown --target-dir ../target/plugins -- -D warnings
	cd plugins && RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps -p tamis-sdk --all-features --target-dir ../target/plugins

.PHONY: guests
guests: toolchain ## build the misbehaving plugins that the tests run
	tests/guests/build.sh

.PHONY: test-servers
test-servers: ## install the real MCP servers and clients that the tests run
	tests/setup.sh

.PHONY: toolchain
toolchain: ## install Rust's WebAssembly targets
	@command -v $(CARGO) >/dev/null || { echo "make: cargo is missing: install Rust 1.95 or newer (https://rustup.rs)"; exit 1; }
	@command -v cc >/dev/null || { echo "make: a C compiler is missing (Debian: apt-get install gcc)"; exit 1; }
	@sysroot=$$(rustc --print sysroot); for target in $(WASM_TARGETS); do \
		[ -d "$$sysroot/lib/rustlib/$$target" ] || rustup target add $$target || { \
		echo "make: Rust's target $$target is missing, and rustup could not install it"; exit 1; }; \
	done

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

.PHONY: demo
demo: build ## build everything, and show what Tamis does to a real session
	@target/release/tamis-demo

.PHONY: test
test: lint build guests test-servers ## run every test
	$(CARGO) test --release --locked --workspace
	cd plugins && $(CARGO) test --locked --target-dir ../target/plugins

.PHONY: bench
bench: build guests ## measure what Tamis costs, as ratios, and what it saves (TAMIS_DATA=folder)
	$(CARGO) bench --locked --workspace --bench ratios
	$(CARGO) bench --locked --workspace --bench serve
	$(CARGO) bench --locked --workspace --bench savings

.PHONY: agents
agents: build ## run released coding agents bare and through Tamis, and write docs/agents.md (AGENTS, VARIANTS, SESSIONS)
	@node tests/agents/run.mjs --agents "$(AGENTS)" --variants "$(VARIANTS)" --sessions "$(SESSIONS)" \
		--packages "$(or $(PACKAGES),target/agents/packages)" $(if $(filter latest,$(VERSIONS)),--latest) \
		--json target/agents/figures.json --record target/agents/record --page docs/agents.md

.PHONY: fuzz
fuzz: guests ## run the property tests with new seeds until one fails
	unset PROPTEST_RNG_SEED; \
	while $(CARGO) test --release --locked --workspace --lib --test filters && (cd plugins && \
		$(CARGO) test --release --locked --workspace --target-dir ../target/plugins); do :; done

.PHONY: build
build: toolchain ## build the program, the stand-in servers and the demo
	$(CARGO) build --release --locked --workspace

.PHONY: lint
lint: toolchain ## formatting and clippy; warnings are errors
	@$(CARGO) fmt --version >/dev/null 2>&1 || rustup component add rustfmt
	@$(CARGO) clippy --version >/dev/null 2>&1 || rustup component add clippy
	$(CARGO) fmt --all --check
	cd plugins && $(CARGO) fmt --all --check
	cd tests/guests && $(CARGO) fmt --all --check
	$(CARGO) clippy --release --locked --workspace --all-targets -- -D warnings
	cd plugins && $(CARGO) clippy --release --locked --workspace --target wasm32-unknown-unknown --target-dir ../target/plugins -- -D warnings

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
